/* What `netdp run FOLDER` reads of a run that was begun, or is finished. */
#include "begun.h"

#include <stdlib.h>

/* It goes on to its next simulation, and no farther. */
static bool stop(void *context, const char *what, double done, double total)
{
    (void)context, (void)what, (void)done, (void)total;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const netdp_progress progress = {stop, NULL};
    netdp_error error = {NETDP_OK, ""};
    for (int finished = 0; finished < 2; finished++) {
        const char *folder = begun_folder(data, size, finished == 1);
        (void)fuzz_ok(netdp_study_run(begun_study(), folder, NULL, &progress, &error), &error);
    }
    return 0;
}
