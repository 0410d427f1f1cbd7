#include "learn/model.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sealed.h"
#include "base/text.h"
#include "base/try.h"

/* ---- Making ---- */

static void clear_scale(netdp_i_scale *scale)
{
    netdp_i_free(scale->name);
    for (int32_t i = 0; i < scale->values; i++)
        netdp_i_free(scale->value[i]);
    netdp_i_free(scale->value);
}

void netdp_model_free(netdp_model *model)
{
    if (model == NULL)
        return;
    for (int32_t i = 0; i < model->count; i++)
        clear_scale(&model->feature[i]);
    clear_scale(&model->label);
    netdp_i_free(model->feature);
    netdp_i_free(model->weight);
    netdp_i_free(model->privacy);
    netdp_i_free(model);
}

OWNER(netdp_model_free, netdp_model)

netdp_model *netdp_i_model_new(int32_t features)
{
    netdp_model *made = NETDP_I_NEW(netdp_model, 1);
    if (made == NULL)
        return NULL;
    made->feature = NETDP_I_NEW(netdp_i_scale, features + 1);
    if (made->feature == NULL) {
        netdp_i_free(made);
        return NULL;
    }
    made->count = features;
    return made;
}

bool netdp_i_scale_set(netdp_i_scale *scale, const netdp_range *range, netdp_i_scaling scaling)
{
    scale->name = netdp_i_copy_text(range->column);
    scale->scaling = scaling;
    scale->low = range->low;
    scale->high = range->high;
    if (scale->name == NULL || scaling != NETDP_I_SCALE_VALUES)
        return scale->name != NULL;
    scale->value = NETDP_I_NEW(char *, range->values);
    if (scale->value == NULL)
        return false;
    for (; scale->values < range->values; scale->values++)
        if ((scale->value[scale->values] = netdp_i_copy_text(range->value[scale->values])) == NULL)
            return false;
    return true;
}

int32_t netdp_i_scale_width(const netdp_i_scale *scale)
{
    return scale->scaling == NETDP_I_SCALE_CONSTANT ? 0
           : scale->scaling == NETDP_I_SCALE_VALUES ? scale->values
                                                    : 1;
}

void netdp_i_model_close(netdp_model *model)
{
    model->width = model->intercept;
    for (int32_t i = 0; i < model->count; i++)
        model->width += netdp_i_scale_width(&model->feature[i]);
}

int32_t netdp_i_model_weights(const netdp_model *model)
{
    return model->kind == NETDP_SOFTMAX ? model->label.values * model->width : model->width;
}

/* ---- JSON ---- */

static const char *const kinds[] = {
    [NETDP_LOGISTIC] = "logistic", [NETDP_RIDGE] = "ridge", [NETDP_SOFTMAX] = "softmax"};
static const char *const missings[] = {[NETDP_MISSING_REFUSE] = "refuse",
                                       [NETDP_MISSING_DROP] = "drop",
                                       [NETDP_MISSING_MEAN] = "mean"};

static json_t *scale_json(const netdp_i_scale *scale)
{
    json_t *made = json_pack("{s:s}", "name", scale->name);
    json_t *values = NULL;
    switch (scale->scaling) {
    case NETDP_I_SCALE_NONE:
        break;
    case NETDP_I_SCALE_RANGE:
        json_object_set_new(made, "low", json_real(scale->low));
        json_object_set_new(made, "high", json_real(scale->high));
        break;
    case NETDP_I_SCALE_MEAN:
        json_object_set_new(made, "mean", json_real(scale->mean));
        json_object_set_new(made, "deviation", json_real(scale->deviation));
        break;
    case NETDP_I_SCALE_VALUES:
        values = json_array();
        for (int32_t i = 0; i < scale->values; i++)
            json_array_append_new(values, json_string(scale->value[i]));
        json_object_set_new(made, "values", values);
        break;
    case NETDP_I_SCALE_CONSTANT:
        json_object_set_new(made, "constant", json_true());
        break;
    }
    return made;
}

static json_t *weights_json(const netdp_model *model, const double *weight)
{
    json_t *all = json_array();
    const bool many = model->kind == NETDP_SOFTMAX;
    for (int32_t k = 0; k < (many ? model->label.values : 1); k++) {
        json_t *row = many ? json_array() : all;
        for (int32_t j = 0; j < model->width; j++)
            json_array_append_new(row, netdp_i_json_double(weight[k * model->width + j]));
        if (many)
            json_array_append_new(all, row);
    }
    return all;
}

json_t *netdp_i_model_json(const netdp_model *model, const double *weight)
{
    bool found = model->label.scaling == NETDP_I_SCALE_MEAN;
    json_t *features = json_array();
    (void)netdp_i_json_failed();
    for (int32_t i = 0; i < model->count; i++) {
        const netdp_i_scaling scaling = model->feature[i].scaling;
        found = found || scaling == NETDP_I_SCALE_MEAN || scaling == NETDP_I_SCALE_CONSTANT;
        json_array_append_new(features, scale_json(&model->feature[i]));
    }
    json_t *made = json_pack(
        "{s:s, s:o, s:o, s:b, s:s, s:s, s:s, s:o}", "kind", kinds[model->kind], "label",
        scale_json(&model->label), "features", features, "intercept", (int)model->intercept, "rows",
        model->unit ? "unit norm" : "as they are", "missing", missings[model->missing], "scales",
        found ? "found from the rows it was learnt from: assumed public"
              : "declared, or none: nothing of them was found from rows",
        "weights", weights_json(model, weight));
    if (model->radius > 0)
        json_object_set_new(made, "radius", json_real(model->radius));
    if (netdp_i_json_failed() || made == NULL) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* ---- Reading back ---- */

static netdp_status fail_file(const char *path, const char *what, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%.300s: model: %s; bring the file back as netdp wrote it", path, what);
}

static netdp_status take_values(const json_t *values, netdp_i_scale *scale, const char *path,
                                netdp_error *error)
{
    const size_t count = json_array_size(values);
    if (count == 0 || count > 100000)
        return fail_file(path, "a column's values are no list", error);
    scale->scaling = NETDP_I_SCALE_VALUES;
    scale->value = NETDP_I_NEW(char *, (int64_t)count);
    if (scale->value == NULL)
        return netdp_i_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(values, i));
        if (text == NULL)
            return fail_file(path, "a column's value is no text", error);
        if ((scale->value[i] = netdp_i_copy_text(text)) == NULL)
            return netdp_i_no_memory(error);
        scale->values++;
    }
    return NETDP_OK;
}

static netdp_status take_scale(const json_t *from, netdp_i_scale *scale, const char *path,
                               netdp_error *error)
{
    const char *name = json_string_value(json_object_get(from, "name"));
    const json_t *values = json_object_get(from, "values");
    const json_t *low = json_object_get(from, "low"), *high = json_object_get(from, "high");
    const json_t *mean = json_object_get(from, "mean");
    const json_t *deviation = json_object_get(from, "deviation");
    if (name == NULL)
        return fail_file(path, "a column has no name", error);
    if ((scale->name = netdp_i_copy_text(name)) == NULL)
        return netdp_i_no_memory(error);
    if (values != NULL)
        return take_values(values, scale, path, error);
    if (json_is_true(json_object_get(from, "constant"))) {
        scale->scaling = NETDP_I_SCALE_CONSTANT;
    } else if (low != NULL || high != NULL) {
        scale->scaling = NETDP_I_SCALE_RANGE;
        scale->low = json_number_value(low);
        scale->high = json_number_value(high);
        if (!json_is_number(low) || !json_is_number(high) || !(scale->low < scale->high))
            return fail_file(path, "a column's low is not below its high", error);
    } else if (mean != NULL || deviation != NULL) {
        scale->scaling = NETDP_I_SCALE_MEAN;
        scale->mean = json_number_value(mean);
        scale->deviation = json_number_value(deviation);
        if (!json_is_number(mean) || !json_is_number(deviation) || !(scale->deviation > 0))
            return fail_file(path, "a column's deviation is not above 0", error);
    }
    return NETDP_OK;
}

/* Its numbers, row by row. */
static netdp_status take_weights(const json_t *from, netdp_model *model, const char *path,
                                 netdp_error *error)
{
    const bool many = model->kind == NETDP_SOFTMAX;
    const size_t rows = many ? (size_t)model->label.values : 1;
    model->weight = NETDP_I_NEW(double, netdp_i_model_weights(model));
    if (model->weight == NULL)
        return netdp_i_no_memory(error);
    bool fine = !many || json_array_size(from) == rows;
    for (size_t k = 0; k < rows && fine; k++) {
        const json_t *row = many ? json_array_get(from, k) : from;
        fine = json_array_size(row) == (size_t)model->width;
        for (int32_t j = 0; j < model->width && fine; j++) {
            const json_t *number = json_array_get(row, (size_t)j);
            fine = json_is_number(number) && isfinite(json_number_value(number));
            model->weight[k * (size_t)model->width + (size_t)j] = json_number_value(number);
        }
    }
    return fine ? NETDP_OK
                : fail_file(path, "its weights are not as many finite numbers as its columns take",
                            error);
}

static int find_word(const char *const *word, int count, const char *text)
{
    for (int i = 0; i < count && text != NULL; i++)
        if (word[i] != NULL && strcmp(word[i], text) == 0)
            return i;
    return -1;
}

static netdp_status take_kind(const json_t *from, netdp_model *model, const char *path,
                              netdp_error *error)
{
    const int kind = find_word(kinds, (int)(sizeof kinds / sizeof *kinds),
                               json_string_value(json_object_get(from, "kind")));
    const int missing = find_word(missings, (int)(sizeof missings / sizeof *missings),
                                  json_string_value(json_object_get(from, "missing")));
    const char *rows = json_string_value(json_object_get(from, "rows"));
    if (kind < 0 || missing < 0 || rows == NULL)
        return fail_file(path, "kind, missing or rows is none that this netdp knows", error);
    model->kind = (netdp_objective_kind)kind;
    model->missing = (netdp_missing)missing;
    model->unit = strcmp(rows, "unit norm") == 0;
    model->intercept = json_is_true(json_object_get(from, "intercept"));
    model->radius = json_number_value(json_object_get(from, "radius"));
    TRY(take_scale(json_object_get(from, "label"), &model->label, path, error));
    const int32_t classes = model->label.values;
    if (kind == NETDP_RIDGE ? classes > 0 : kind == NETDP_LOGISTIC ? classes != 2 : classes < 2)
        return fail_file(path, "its label's values are not those of its kind", error);
    return NETDP_OK;
}

static netdp_status take_model(const json_t *from, const char *path, netdp_model **model,
                               netdp_error *error)
{
    const json_t *features = json_object_get(from, "features");
    const size_t count = json_array_size(features);
    if (!json_is_object(from) || !json_is_array(features) || count > 1000000)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s: holds no model; netdp run and netdp peer write one of tasks "
                            "logistic, ridge and softmax",
                            path);
    OWNED_BY(netdp_model_free) netdp_model *made = netdp_i_model_new((int32_t)count);
    if (made == NULL)
        return netdp_i_no_memory(error);
    TRY(take_kind(from, made, path, error));
    for (size_t i = 0; i < count; i++)
        TRY(take_scale(json_array_get(features, i), &made->feature[i], path, error));
    netdp_i_model_close(made);
    TRY(take_weights(json_object_get(from, "weights"), made, path, error));
    *model = GIVE(made);
    return NETDP_OK;
}

static netdp_status read_file(const char *path, netdp_model **model, netdp_error *error)
{
    OWNED_BY(json_decref) json_t *object = NULL;
    OWNED_BY(netdp_model_free) netdp_model *made = NULL;
    TRY(netdp_i_sealed_load(path, &object, error));
    TRY(take_model(json_object_get(object, "model"), path, &made, error));
    const char *privacy = json_string_value(json_object_get(object, "predictions"));
    made->privacy = netdp_i_copy_text(privacy != NULL ? privacy : "");
    if (made->privacy == NULL)
        return netdp_i_no_memory(error);
    *model = GIVE(made);
    return NETDP_OK;
}

/* ---- Folders ---- */

static int is_model(const struct dirent *entry)
{
    const char *rest = entry->d_name + strlen("model-");
    return strncmp(entry->d_name, "model-", strlen("model-")) == 0 &&
           rest[strspn(rest, "0123456789")] == '.' && strcmp(strchr(rest, '.'), ".json") == 0;
}

/* Which of a run's models is the variant's; "a, b" of those that there are, if none or several may be meant. */
static netdp_status choose(const char *folder, const char *variant, char found[NETDP_I_PATH_ROOM],
                           netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], names[200] = "";
    struct dirent **list = NULL;
    size_t used = 0;
    int hits = 0;
    netdp_status status = NETDP_OK;
    const int count = scandir(folder, &list, is_model, alphasort);
    for (int i = 0; i < count && status == NETDP_OK; i++) {
        json_t *object = NULL;
        netdp_i_file_path(path, folder, list[i]->d_name);
        status = netdp_i_sealed_load(path, &object, error);
        const char *name = json_string_value(json_object_get(object, "variant"));
        if (name != NULL && (variant == NULL || strcmp(variant, name) == 0)) {
            memcpy(found, path, sizeof path);
            hits++;
        }
        if (name != NULL && used < sizeof names - 1)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.40s'",
                                     used > 0 ? ", " : "", name);
        json_decref(object);
    }
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
    if (status != NETDP_OK || hits == 1)
        return status;
    if (count < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s: has neither result.json nor model-1.json; a model is there "
                            "when netdp peer, or netdp run of a study that learns, is done",
                            folder);
    return netdp_i_fail(
        error, NETDP_INVALID, "%.300s: %s; it has those of %s", folder,
        hits == 0 ? "has no model of that variant" : "has several models: name a variant", names);
}

netdp_status netdp_model_read(const char *path, const char *variant, netdp_model **model,
                              netdp_error *error)
{
    NETDP_I_GIVEN(error, path && model);
    char file[NETDP_I_PATH_ROOM];
    struct stat shape;
    if (stat(path, &shape) != 0 || !S_ISDIR(shape.st_mode)) {
        if (variant != NULL)
            return netdp_i_fail(error, NETDP_INVALID,
                                "%.300s: a file has one model; leave the variant out, or name the "
                                "run's folder",
                                path);
        return read_file(path, model, error);
    }
    netdp_i_file_path(file, path, "result.json");
    if (stat(file, &shape) != 0 || variant != NULL)
        TRY(choose(path, variant, file, error));
    return read_file(file, model, error);
}

const char *netdp_model_privacy(const netdp_model *model)
{
    return model->privacy != NULL ? model->privacy : "";
}
