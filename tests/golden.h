/* Tables of independent values: tests/golden, made by tests/oracle. */
#ifndef NETDP_TESTS_GOLDEN_H
#define NETDP_TESTS_GOLDEN_H

#include "check.h"

#include <jansson.h>

/* To be released with json_decref. */
static inline json_t *load_golden(const char *name)
{
    char path[4096];
    const char *source = getenv("NETDP_SOURCE");
    snprintf(path, sizeof path, "%s/tests/golden/%s", source != NULL ? source : ".", name);
    json_error_t problem;
    json_t *golden = json_load_file(path, 0, &problem);
    if (golden == NULL)
        fail_msg("%s: %s", path, problem.text);
    return golden;
}

static inline double number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

#endif
