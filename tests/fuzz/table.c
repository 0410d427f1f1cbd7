#include "fuzz.h"

#include <math.h>
#include <string.h>
#include <netdp/learn.h>

#include "learn/table.h"

/* All columns as numbers, then with the last one as text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    netdp_table *table = NULL, *labelled = NULL;
    netdp_i_label_column labels = {0};
    netdp_error error = {NETDP_OK, ""};
    if (fuzz_ok(netdp_table_read(path, NULL, 0, &table, &error), &error)) {
        FUZZ_HOLDS(table->rows > 0 && table->columns > 0);
        for (int64_t i = 0; i < table->rows * table->columns; i++)
            FUZZ_HOLDS(isfinite(table->values[i]));
        const netdp_preparation how = {.label = table->name[table->columns - 1],
                                       .classes = true,
                                       .owner = table->columns > 1 ? table->name[0] : NULL,
                                       .missing = (netdp_missing)(size % 3)};
        if (fuzz_ok(netdp_i_table_read_labelled(path, &how, &labelled, &labels, &error), &error))
            for (int64_t i = 0; i < labelled->rows; i++)
                FUZZ_HOLDS(labels.of_row[i][0] != '\0' &&
                           (how.owner == NULL || labels.owner[i][0] != '\0'));
    }
    netdp_i_label_column_drop(&labels);
    netdp_table_free(labelled);
    netdp_table_free(table);
    return 0;
}
