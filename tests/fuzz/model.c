#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "learn/csv.h"
#include "learn/model.h"

/* A model from outside, and the same bytes as a table whose cells all count. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    netdp_model *model = NULL;
    netdp_i_csv_table table = {0};
    netdp_error error = {NETDP_OK, ""};
    if (fuzz_ok(netdp_model_read(path, NULL, &model, &error), &error)) {
        int32_t width = model->intercept;
        for (int32_t i = 0; i < model->count; i++) {
            FUZZ_HOLDS(model->feature[i].name != NULL);
            width += netdp_i_scale_width(&model->feature[i]);
        }
        FUZZ_HOLDS(width == model->width);
        for (int32_t j = 0; j < netdp_i_model_weights(model); j++)
            FUZZ_HOLDS(isfinite(model->weight[j]));
        FUZZ_HOLDS(model->kind != NETDP_LOGISTIC || model->label.values == 2);
    }
    if (fuzz_ok(netdp_i_csv_read(path, &table, &error), &error)) {
        FUZZ_HOLDS(table.rows > 0 && table.columns > 0);
        for (int64_t i = 0; i < table.rows * table.columns; i++)
            FUZZ_HOLDS(memchr(table.cell[i], '\0', size + 1) != NULL);
        FUZZ_HOLDS(table.line[0] >= 2);
    }
    netdp_i_csv_table_clear(&table);
    netdp_model_free(model);
    return 0;
}
