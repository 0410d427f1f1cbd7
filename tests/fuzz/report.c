/* What `netdp report FOLDER` makes its page from. */
#include "begun.h"

#include <netdp/study.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    netdp_error error = {NETDP_OK, ""};
    const char *folder = begun_folder(data, size, true);
    (void)fuzz_ok(netdp_report_write(folder, NULL, true, "/dev/null", NULL, &error), &error);
    return 0;
}
