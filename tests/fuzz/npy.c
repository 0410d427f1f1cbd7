#include "fuzz.h"

#include "base/file.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double *values = NULL, sum = 0;
    int64_t rows = 0, columns = 0;
    netdp_error error = {NETDP_OK, ""};
    netdp_status status = netdp_i_npy_read(fuzz_file(data, size), &values, &rows, &columns, &error);
    if (fuzz_ok(status, &error)) {
        FUZZ_HOLDS(rows > 0 && columns > 0 && (size_t)(rows * columns) < size);
        for (int64_t i = 0; i < rows * columns; i++)
            sum += values[i]; /* all of them are there */
    }
    netdp_i_free(values);
    return sum > 0 && sum < 0;
}
