#include "study/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"

static const void *place(const netdp_study *study, const netdp_i_key *key)
{
    return (const char *)study + key->offset;
}

bool netdp_i_value_absent(const netdp_study *study, const netdp_i_key *key)
{
    switch (key->kind) {
    case NETDP_I_KEY_TEXT:
    case NETDP_I_KEY_FILE:
    case NETDP_I_KEY_DATASET:
        return *(char *const *)place(study, key) == NULL;
    case NETDP_I_KEY_PAIR:
        return !study->task.has_bounds;
    case NETDP_I_KEY_REAL:
        return key->fallback == NULL && !key->required && *(const double *)place(study, key) == 0;
    case NETDP_I_KEY_WHOLE:
        return key->fallback == NULL && !key->required && *(const int64_t *)place(study, key) == 0;
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
    switch (key->kind) {
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
    int word = 0;
    switch (key->kind) {
    case NETDP_I_KEY_TEXT:
    case NETDP_I_KEY_DATASET:
        if (netdp_i_key_is_path(key, *(char *const *)from))
            return json_path(*(char *const *)from);
        return json_string(*(char *const *)from);
    case NETDP_I_KEY_FILE:
        return json_path(*(char *const *)from);
    case NETDP_I_KEY_SEED:
    case NETDP_I_KEY_WHOLE:
        return key->word != NULL && *(const int64_t *)from == 0
                   ? json_string(key->word[0])
                   : json_integer((json_int_t) * (const int64_t *)from);
    case NETDP_I_KEY_REAL:
        return key->word != NULL && *(const double *)from < 0
                   ? json_string(key->word[0])
                   : netdp_i_json_double(*(const double *)from);
    case NETDP_I_KEY_PAIR:
        return json_pack("[f, f]", study->task.low, study->task.high);
    case NETDP_I_KEY_WORD:
        memcpy(&word, from, sizeof word);
        return json_string(key->word[word]);
    case NETDP_I_KEY_SWITCH:
        return json_string(key->word[*(const bool *)from]);
    case NETDP_I_KEY_COLUMNS:
        return json_columns(study);
    }
    return NULL;
}

static netdp_status read_seed(const netdp_i_key *key, const char *text, uint64_t *into,
                              netdp_error *error)
{
    uint64_t value = 0;
    size_t at = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[at] - '0'), &value))
            return netdp_i_fail(error, NETDP_INVALID, "'%s' is out of range; give %s",
                                netdp_i_show_text(text).text, key->expects);
    if (at == 0 || text[at] != '\0')
        return netdp_i_fail(error, NETDP_INVALID, "'%s' is not a whole number; give %s",
                            netdp_i_show_text(text).text, key->expects);
    *into = value;
    return NETDP_OK;
}

static netdp_status read_whole(const netdp_i_key *key, const char *text, int64_t *into,
                               netdp_error *error)
{
    uint64_t value = 0;
    if (key->word != NULL && strcmp(text, key->word[0]) == 0) {
        *into = 0;
        return NETDP_OK;
    }
    netdp_status status = read_seed(key, text, &value, error);
    if (status != NETDP_OK)
        return status;
    if ((double)value < key->low || (double)value > key->high)
        return netdp_i_fail(error, NETDP_INVALID, "'%s' is out of range; give %s",
                            netdp_i_show_text(text).text, key->expects);
    *into = (int64_t)value;
    return NETDP_OK;
}

static netdp_status read_real(const netdp_i_key *key, const char *text, double *into,
                              netdp_error *error)
{
    double value = INFINITY;
    if (key->word != NULL && strcmp(text, key->word[0]) == 0) {
        *into = -1;
        return NETDP_OK;
    }
    /* "inf" as JSON results write it, ".inf" as YAML does. */
    bool infinite = strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0;
    if (!infinite && !netdp_i_read_number(text, &value))
        return netdp_i_fail(error, NETDP_INVALID, "'%s' is not a number; give %s",
                            netdp_i_show_text(text).text, key->expects);
    /* A number too large for a double is not the word "inf". */
    if (value < key->low || value > key->high || (isinf(value) && !infinite))
        return netdp_i_fail(error, NETDP_INVALID, "'%s' is out of range; give %s",
                            netdp_i_show_text(text).text, key->expects);
    *into = value;
    return NETDP_OK;
}

static netdp_status read_word(const netdp_i_key *key, const char *text, int *into,
                              netdp_error *error)
{
    for (int i = 0; key->word[i] != NULL; i++)
        if (strcmp(key->word[i], text) == 0) {
            *into = i;
            return NETDP_OK;
        }
    return netdp_i_fail(error, NETDP_INVALID, "'%s' is not known here; give %s",
                        netdp_i_show_text(text).text, key->expects);
}

netdp_status netdp_i_value_read(const netdp_i_key *key, const char *text, void *into,
                                netdp_error *error)
{
    netdp_status status = NETDP_OK;
    int word = 0;
    if (key->kind != NETDP_I_KEY_WHOLE && key->kind != NETDP_I_KEY_REAL && key->word != NULL)
        status = read_word(key, text, &word, error);
    if (status != NETDP_OK)
        return status;
    switch (key->kind) {
    case NETDP_I_KEY_SEED:
        return read_seed(key, text, into, error);
    case NETDP_I_KEY_WHOLE:
        return read_whole(key, text, into, error);
    case NETDP_I_KEY_REAL:
        return read_real(key, text, into, error);
    case NETDP_I_KEY_WORD:
        /* Every enum of the table is as wide as an unsigned int (checked below). */
        memcpy(into, &word, sizeof word);
        break;
    case NETDP_I_KEY_SWITCH:
        *(bool *)into = word == 1;
        break;
    default:
        break;
    }
    return NETDP_OK;
}

_Static_assert(sizeof(netdp_over) == sizeof(int) && sizeof(netdp_sees) == sizeof(int) &&
                   sizeof(netdp_own_noise) == sizeof(int),
               "netdp_i_value_read and netdp_study_write copy words as int");
