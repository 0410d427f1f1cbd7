#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <netdp/study.h>

/* What was read, as it is written, reads back as the same. */
static void write_and_read(const netdp_study *study)
{
    char one[256], other[256];
    netdp_study *again = NULL;
    netdp_error error = {NETDP_OK, ""};
    size_t length, other_length;
    fuzz_path(one, "study.yaml");
    fuzz_path(other, "again.yaml");
    FUZZ_HOLDS(fuzz_ok(netdp_study_write(study, one, &error), &error));
    FUZZ_HOLDS(fuzz_ok(netdp_study_read(one, NULL, 0, &again, &error), &error));
    FUZZ_HOLDS(fuzz_ok(netdp_study_write(again, other, &error), &error));
    netdp_study_free(again);
    char *text = fuzz_get("study.yaml", &length), *read = fuzz_get("again.yaml", &other_length);
    FUZZ_HOLDS(length == other_length && memcmp(text, read, length) == 0);
    free(text);
    free(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    netdp_error error = {NETDP_OK, ""};
    netdp_study *study = NULL, *quick = NULL;
    if (fuzz_ok(netdp_study_read(path, NULL, 0, &study, &error), &error))
        write_and_read(study);
    (void)fuzz_ok(netdp_study_read_quick(path, NULL, 0, &quick, &error), &error);
    netdp_study_free(study);
    netdp_study_free(quick);
    return 0;
}
