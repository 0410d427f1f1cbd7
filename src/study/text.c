#include "study/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <cyaml/cyaml.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/text.h"
#include "study/flatten.h"

/* A study is a page; whatever is larger is another file, and would only cost memory here. */
enum { LARGEST = 1 << 21 };

enum { SECTIONS = 12, NAME = 16, DEEP = 8 };

/* libcyaml's schema, made from the table of keys. All scalars go into one netdp_i_study_text. */
typedef struct schema {
    cyaml_schema_value_t root, column, text, variant;
    cyaml_schema_field_t top[NETDP_I_KEYS + 3], of_variant[NETDP_I_KEYS + 3];
    cyaml_schema_field_t of_quick[NETDP_I_KEYS + 1];
    cyaml_schema_field_t below[SECTIONS][NETDP_I_KEYS + 1];
    cyaml_schema_field_t of_column[4];
    char section[SECTIONS][NAME];
} schema;

/* Where libcyaml found fault: its backtrace, innermost first. */
typedef struct fault {
    char where[DEEP][NAME];
    int depth;
} fault;

static cyaml_schema_field_t text_field(const char *key, size_t offset)
{
    return (cyaml_schema_field_t){
        .key = key,
        .data_offset = (uint32_t)offset,
        .value = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, char *, 0,
                                     CYAML_UNLIMITED)},
    };
}

static cyaml_schema_field_t pair_field(const schema *made, const char *key, size_t offset)
{
    return (cyaml_schema_field_t){
        .key = key,
        .data_offset = (uint32_t)offset,
        .value = {CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_OPTIONAL, char *, &made->text, 2)},
    };
}

static cyaml_schema_field_t field(const schema *made, int k)
{
    const netdp_i_key *key = &netdp_i_keys[k];
    size_t offset = offsetof(netdp_i_study_text, value) + (size_t)k * 2 * sizeof(char *);
    if (netdp_i_key_rule(key)->kind == NETDP_I_KEY_PAIR)
        return pair_field(made, netdp_i_key_leaf(key), offset);
    if (netdp_i_key_rule(key)->kind != NETDP_I_KEY_COLUMNS)
        return text_field(netdp_i_key_leaf(key), offset);
    return (cyaml_schema_field_t)CYAML_FIELD_SEQUENCE(
        "columns", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, netdp_i_study_text, column,
        &made->column, 0, CYAML_UNLIMITED);
}

static void make_schema(schema *made)
{
    int sections = 0, top = 0, below = 0;
    *made = (schema){
        .root = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, netdp_i_study_text, made->top)},
        .column = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, netdp_i_column_text, made->of_column)},
        .text = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)},
        .variant = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, netdp_i_study_text, made->of_variant)},
    };
    made->of_column[0] = text_field("name", offsetof(netdp_i_column_text, name));
    made->of_column[1] = pair_field(made, "bounds", offsetof(netdp_i_column_text, bounds));
    made->of_column[2] = (cyaml_schema_field_t)CYAML_FIELD_SEQUENCE(
        "values", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, netdp_i_column_text, values,
        &made->text, 0, CYAML_UNLIMITED);
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        size_t length = netdp_i_key_section(&netdp_i_keys[k]);
        if (length == 0) {
            made->top[top++] = field(made, k);
            continue;
        }
        bool begins = k == 0 || netdp_i_key_section(&netdp_i_keys[k - 1]) != length ||
                      memcmp(netdp_i_keys[k - 1].name, netdp_i_keys[k].name, length) != 0;
        if (begins) {
            memcpy(made->section[sections], netdp_i_keys[k].name, length);
            /* A section's fields lie in the one struct, so the section itself is at its start. */
            made->top[top++] = (cyaml_schema_field_t){
                .key = made->section[sections],
                .value = {CYAML_VALUE_MAPPING(CYAML_FLAG_OPTIONAL, netdp_i_study_text,
                                              made->below[sections])},
            };
            sections++;
            below = 0;
        }
        made->below[sections - 1][below++] = field(made, k);
    }
    memcpy(made->of_quick, made->top, (size_t)top * sizeof *made->top);
    made->top[top++] = (cyaml_schema_field_t)CYAML_FIELD_MAPPING_PTR(
        "quick", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, netdp_i_study_text, quick,
        made->of_quick);
    memcpy(made->of_variant, made->top, (size_t)top * sizeof *made->top);
    made->of_variant[top] = text_field("name", offsetof(netdp_i_study_text, name));
    made->top[top] = (cyaml_schema_field_t)CYAML_FIELD_SEQUENCE(
        "variants", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, netdp_i_study_text, variant,
        &made->variant, 0, NETDP_I_MOST_VARIANTS);
}

static void *allocate(void *context, void *memory, size_t bytes)
{
    (void)context;
    if (bytes == 0) {
        netdp_i_free(memory);
        return NULL;
    }
    return netdp_i_grow(memory, (int64_t)bytes, 1);
}

/* Keeps the backtrace, prints nothing. */
__attribute__((format(printf, 3, 0))) static void listen(cyaml_log_t level, void *context,
                                                         const char *format, va_list arguments)
{
    static const char *const before[] = {"  in mapping field '", "  in sequence entry '"};
    fault *found = context;
    char told[128];
    (void)level;
    vsnprintf(told, sizeof told, format, arguments);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(before[i]);
        if (strncmp(told, before[i], length) != 0 || found->depth == DEEP)
            continue;
        told[length + strcspn(told + length, "'")] = '\0';
        snprintf(found->where[found->depth++], NAME, "%.15s", told + length);
    }
}

static cyaml_config_t configure(fault *found)
{
    return (cyaml_config_t){
        .log_fn = listen,
        .log_ctx = found,
        .mem_fn = allocate,
        .log_level = CYAML_LOG_ERROR,
        .flags = CYAML_CFG_NO_ALIAS,
    };
}

/* The dotted name of the place: "data.columns.2". */
static void join(const fault *found, char name[DEEP * NAME])
{
    size_t used = 0;
    name[0] = '\0';
    for (int i = found->depth - 1; i >= 0; i--)
        used += (size_t)snprintf(name + used, DEEP * NAME - used, "%s%s", used > 0 ? "." : "",
                                 found->where[i]);
}

/*
 * "variants.2.task.kind" without its variant, and "quick.task.kind": "task.kind"; or "variants" and
 * "quick" for these themselves.
 */
static const char *within_variant(const char *name)
{
    if (strncmp(name, "variants.", 9) == 0) {
        const char *dot = strchr(name + 9, '.');
        name = dot != NULL ? dot + 1 : "variants";
    }
    return strncmp(name, "quick.", 6) == 0 ? name + 6 : name;
}

/* A key that libcyaml does not know in `section`; the first such line there says which. */
static netdp_status fail_unknown(const char *path, const netdp_i_lines *lines, const char *section,
                                 netdp_error *error)
{
    const char *known_as = within_variant(section);
    if (strncmp(known_as, "data.columns", 12) == 0)
        known_as = "data.columns";
    int32_t owner = section[0] != '\0' ? netdp_i_lines_find(lines, section) : -1;
    int32_t at = 0;
    while (at < lines->count &&
           (lines->at[at].parent != owner || netdp_i_key_known(known_as, lines->at[at].key)))
        at++;
    REFUSE(at == lines->count, "%.300s: unknown key in %s; check its spelling", path, known_as);
    char nearest[32];
    const char *key = lines->at[at].key;
    return netdp_i_fail(
        error, NETDP_INVALID, "%.300s:%lld: unknown key '%s'%s%s; did you mean '%s'?", path,
        (long long)lines->at[at].line, netdp_i_show_text(key).text,
        section[0] != '\0' ? " in " : "", within_variant(section) != section ? section : known_as,
        netdp_i_key_nearest(known_as, key, nearest));
}

static bool is_repeated(const netdp_i_lines *lines, int32_t last)
{
    for (int32_t i = 0; i < last; i++)
        if (lines->at[i].parent == lines->at[last].parent &&
            strcmp(lines->at[i].key, lines->at[last].key) == 0)
            return true;
    return false;
}

/* A list, mapping or single value where another belongs. */
static netdp_status fail_shape(const char *path, int64_t line, const char *name, netdp_error *error)
{
    const char *expects = "keys below it, not a value or list";
    const char *key = within_variant(name);
    if (strcmp(name, "variants") == 0)
        expects = "a list such as [{name: K=5, protocol: {inner: 5}}]";
    if (key != name && strcmp(key, "name") == 0)
        expects = "one text";
    if (strncmp(key, "data.columns", 12) == 0)
        expects = strstr(name, ".bounds") != NULL   ? "a pair [low, high]"
                  : strstr(name, ".values") != NULL ? "a list such as [north, south]"
                  : strstr(name, ".name") != NULL   ? "one text"
                                                  : "a list such as [{name: kwh, bounds: [0, 5]}]";
    int length = (int)strlen(name);
    if (strncmp(key, "task.bounds.", 12) == 0) {
        length -= (int)strlen(key) - 11; /* not one of its two entries */
        key = "task.bounds";
    }
    int k = netdp_i_key_find(key);
    if (k >= 0)
        expects = netdp_i_key_rule(&netdp_i_keys[k])->expects;
    return netdp_i_fail(error, NETDP_INVALID, "%.300s:%lld: %.*s has the wrong shape; give it %s",
                        path, (long long)line, length, name, expects);
}

static netdp_status complain(cyaml_err_t code, const char *path, const netdp_i_lines *lines,
                             const fault *found, netdp_error *error)
{
    char name[DEEP * NAME];
    join(found, name);
    if (code == CYAML_ERR_OOM)
        return netdp_i_no_memory(error);
    if (code == CYAML_ERR_INVALID_KEY)
        return fail_unknown(path, lines, name, error);
    const int32_t variants = netdp_i_lines_find(lines, "variants");
    REFUSE(code == CYAML_ERR_SEQUENCE_ENTRIES_MAX && strncmp(name, "variants", 8) == 0 &&
               strchr(name + 8, '.') == strrchr(name, '.'),
           "%.300s:%lld: variants: has more than %d entries; give at most %d", path,
           variants >= 0 ? (long long)lines->at[variants].line : 1, NETDP_I_MOST_VARIANTS,
           NETDP_I_MOST_VARIANTS);
    int32_t last = netdp_i_lines_find(lines, name);
    REFUSE(last >= 0 && is_repeated(lines, last), "%.300s:%lld: %s is there twice; keep one", path,
           (long long)lines->at[last].line, name);
    if (last >= 0)
        return fail_shape(path, lines->at[last].line, name, error);
    return netdp_i_fail(error, NETDP_INVALID, "%.300s: not a study: %s; check it against the docs",
                        path, cyaml_strerror(code));
}

netdp_status netdp_i_study_text_read(const char *path, const char *given, netdp_i_study_text **text,
                                     netdp_i_lines *lines, netdp_error *error)
{
    OWNED char *bytes = NULL;
    OWNED char *flat = NULL;
    int64_t count = 0;
    if (given == NULL) {
        TRY(netdp_i_file_load(path, &bytes, &count, error));
    } else {
        bytes = netdp_i_copy_text(given);
        NEED(bytes);
        count = (int64_t)strlen(bytes);
    }
    REFUSE(memchr(bytes, '\0', (size_t)count) != NULL,
           "%.300s: holds a NUL byte; a study file is YAML text in UTF-8", path);
    REFUSE(count > LARGEST, "%.300s: has %lld bytes; a study file has at most %d", path,
           (long long)count, LARGEST);
    TRY(netdp_i_lines_read(path, bytes, count, lines, error));
    TRY(netdp_i_study_flatten(bytes, count, &flat, &count, error));
    schema made;
    make_schema(&made);
    fault found = {.depth = 0};
    cyaml_config_t config = configure(&found);
    cyaml_data_t *read = NULL;
    const cyaml_err_t code = cyaml_load_data((const uint8_t *)(flat != NULL ? flat : bytes),
                                             (size_t)count, &config, &made.root, &read, NULL);
    if (code != CYAML_OK)
        return complain(code, path, lines, &found, error);
    *text = read;
    return NETDP_OK;
}

void netdp_i_study_text_free(netdp_i_study_text *text)
{
    schema made;
    make_schema(&made);
    cyaml_config_t config = configure(NULL);
    config.log_fn = NULL;
    cyaml_free(&config, &made.root, text, 0);
}
