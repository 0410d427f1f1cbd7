#include "study/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const void *place(const netdp_study *study, const netdp_i_key *key)
{
    return netdp_i_key_field(key, study);
}

bool netdp_i_value_absent(const netdp_study *study, const netdp_i_key *key)
{
    switch (netdp_i_key_rule(key)->kind) {
    case NETDP_I_KEY_TEXT:
    case NETDP_I_KEY_FILE:
    case NETDP_I_KEY_DATASET:
        return *(char *const *)place(study, key) == NULL;
    case NETDP_I_KEY_PAIR:
        return !study->task.has_bounds;
    case NETDP_I_KEY_REAL:
        return netdp_i_key_rule(key)->fallback == NULL && !key->required &&
               *(const double *)place(study, key) == 0;
    case NETDP_I_KEY_WHOLE:
        return netdp_i_key_rule(key)->fallback == NULL && !key->required &&
               *(const int64_t *)place(study, key) == 0;
    case NETDP_I_KEY_COLUMNS:
        return study->data.column_count == 0;
    default:
        return false;
    }
}

static bool equal_columns(const netdp_study *a, const netdp_study *b)
{
    bool equal = a->data.column_count == b->data.column_count;
    for (int32_t i = 0; equal && i < a->data.column_count; i++) {
        const netdp_i_column *one = &a->data.column[i], *other = &b->data.column[i];
        equal = strcmp(one->name, other->name) == 0 && one->low == other->low &&
                one->high == other->high && one->values == other->values;
        for (int32_t j = 0; equal && j < one->values; j++)
            equal = strcmp(one->value[j], other->value[j]) == 0;
    }
    return equal;
}

bool netdp_i_value_equal(const netdp_study *a, const netdp_study *b, const netdp_i_key *key)
{
    const void *one = place(a, key), *other = place(b, key);
    if (netdp_i_value_absent(a, key) || netdp_i_value_absent(b, key))
        return netdp_i_value_absent(a, key) && netdp_i_value_absent(b, key);
    switch (netdp_i_key_rule(key)->kind) {
    case NETDP_I_KEY_TEXT:
    case NETDP_I_KEY_FILE:
    case NETDP_I_KEY_DATASET:
        return strcmp(*(char *const *)one, *(char *const *)other) == 0;
    case NETDP_I_KEY_PAIR:
        return a->task.low == b->task.low && a->task.high == b->task.high;
    case NETDP_I_KEY_REAL:
        return *(const double *)one == *(const double *)other;
    case NETDP_I_KEY_SEED:
    case NETDP_I_KEY_WHOLE:
        return memcmp(one, other, sizeof(int64_t)) == 0;
    case NETDP_I_KEY_WORD:
        return memcmp(one, other, sizeof(int)) == 0;
    case NETDP_I_KEY_SWITCH:
        return *(const bool *)one == *(const bool *)other;
    case NETDP_I_KEY_COLUMNS:
        return equal_columns(a, b);
    }
    return true;
}

char *netdp_i_value_path(const char *path)
{
    return realpath(path, NULL);
}

static json_t *json_path(const char *path)
{
    char *whole = netdp_i_value_path(path);
    json_t *made = json_string(whole != NULL ? whole : path);
    free(whole);
    return made;
}

static json_t *json_columns(const netdp_study *study)
{
    json_t *list = json_array();
    for (int32_t i = 0; list != NULL && i < study->data.column_count; i++) {
        const netdp_i_column *column = &study->data.column[i];
        json_t *told = column->low < column->high
                           ? json_pack("{s:s, s:[f, f]}", "name", column->name, "bounds",
                                       column->low, column->high)
                           : json_pack("{s:s}", "name", column->name);
        json_t *values = column->values > 0 ? json_array() : NULL;
        for (int32_t j = 0; j < column->values; j++)
            json_array_append_new(values, json_string(column->value[j]));
        if (values != NULL)
            json_object_set_new(told, "values", values);
        json_array_append_new(list, told);
    }
    return list;
}

json_t *netdp_i_value_json(const netdp_study *study, const netdp_i_key *key)
{
    const void *from = place(study, key);
    const netdp_i_rule *rule = netdp_i_key_rule(key);
    int word = 0;
    switch (netdp_i_key_rule(key)->kind) {
    case NETDP_I_KEY_TEXT:
    case NETDP_I_KEY_DATASET:
        if (netdp_i_key_is_path(key, *(char *const *)from))
            return json_path(*(char *const *)from);
        return json_string(*(char *const *)from);
    case NETDP_I_KEY_FILE:
        return json_path(*(char *const *)from);
    case NETDP_I_KEY_SEED:
    case NETDP_I_KEY_WHOLE:
        return rule->word != NULL && *(const int64_t *)from == 0
                   ? json_string(rule->word[0])
                   : json_integer((json_int_t) * (const int64_t *)from);
    case NETDP_I_KEY_REAL:
        return rule->word != NULL && *(const double *)from < 0
                   ? json_string(rule->word[0])
                   : netdp_i_json_double(*(const double *)from);
    case NETDP_I_KEY_PAIR:
        return json_pack("[f, f]", study->task.low, study->task.high);
    case NETDP_I_KEY_WORD:
        memcpy(&word, from, sizeof word);
        return json_string(rule->word[word]);
    case NETDP_I_KEY_SWITCH:
        return json_string(rule->word[*(const bool *)from]);
    case NETDP_I_KEY_COLUMNS:
        return json_columns(study);
    }
    return NULL;
}
