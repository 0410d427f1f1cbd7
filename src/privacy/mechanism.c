#include "privacy/mechanism.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

const netdp_i_mechanism netdp_i_mechanisms[NETDP_I_MECHANISMS] = {
    [NETDP_GAUSSIAN] = {"gaussian", NETDP_I_NOISE, NETDP_I_EITHER},
    [NETDP_LAPLACE] = {"laplace", NETDP_I_NOISE, NETDP_I_EITHER},
    [NETDP_DISCRETE_GAUSSIAN] = {"discrete-gaussian", NETDP_I_NOISE | NETDP_I_LEVELS,
                                 NETDP_I_EITHER},
    [NETDP_DISCRETE_LAPLACE] = {"discrete-laplace", NETDP_I_NOISE | NETDP_I_LEVELS, NETDP_I_EITHER},
    [NETDP_RANDOMISED_RESPONSE] = {"randomised-response", NETDP_I_FLIP | NETDP_I_LEVELS,
                                   NETDP_I_EITHER},
    [NETDP_SUBSAMPLED_GAUSSIAN] = {"subsampled-gaussian", NETDP_I_NOISE | NETDP_I_RATE,
                                   NETDP_I_MOVED},
    [NETDP_HIDDEN_GAUSSIAN] = {"hidden-gaussian", NETDP_I_NOISE | NETDP_I_WEIGHT, NETDP_I_EITHER},
    [NETDP_APPROXIMATE] = {"approximate", NETDP_I_EPSILON | NETDP_I_DELTA, NETDP_I_EITHER},
    [NETDP_RANDOM_GAUSSIAN] = {"random-gaussian", NETDP_I_WEIGHT | NETDP_I_MU, NETDP_I_EITHER},
    [NETDP_EXPONENTIAL] = {"exponential", NETDP_I_EPSILON, NETDP_I_EITHER},
    [NETDP_SUBSAMPLED_LAPLACE] = {"subsampled-laplace", NETDP_I_NOISE | NETDP_I_RATE,
                                  NETDP_I_MOVED},
    [NETDP_GAUSSIAN_WITHOUT_REPLACEMENT] = {"gaussian-without-replacement",
                                            NETDP_I_NOISE | NETDP_I_RATE, NETDP_I_REPLACED},
    [NETDP_SUBSAMPLED_GAUSSIAN_REPLACED] = {"subsampled-gaussian-replaced",
                                            NETDP_I_NOISE | NETDP_I_RATE, NETDP_I_REPLACED},
};

/* clang-format off */
const netdp_i_number netdp_i_numbers[NETDP_I_FIELDS] = {
    {NETDP_I_NOISE, "noise", offsetof(netdp_event, noise), false, 0, INFINITY, "from 0 up, or inf"},
    {NETDP_I_RATE, "rate", offsetof(netdp_event, rate), false, 0, 1, "from 0 to 1"},
    {NETDP_I_FLIP, "flip", offsetof(netdp_event, flip), false, DBL_TRUE_MIN, 1, "above 0, at most 1"},
    {NETDP_I_EPSILON, "epsilon", offsetof(netdp_event, epsilon), false, 0, INFINITY, "from 0 up, or inf"},
    {NETDP_I_DELTA, "delta", offsetof(netdp_event, delta), false, 0, 1, "from 0 to 1"},
    {NETDP_I_LEVELS, "levels", offsetof(netdp_event, levels), true, 1, INT32_MAX,
     "a whole number from 1 (randomised response: 2) to 2147483647"},
};
/* clang-format on */

double netdp_i_event_number(const netdp_event *event, const netdp_i_number *number)
{
    const void *field = (const char *)event + number->offset;
    return number->whole ? *(const int32_t *)field : *(const double *)field;
}

void netdp_i_event_set(netdp_event *event, const netdp_i_number *number, double value)
{
    void *field = (char *)event + number->offset;
    if (number->whole)
        *(int32_t *)field = (int32_t)value;
    else
        *(double *)field = value;
}

int netdp_i_mechanism_find(const char *name)
{
    for (int i = 0; i < NETDP_I_MECHANISMS; i++)
        if (strcmp(netdp_i_mechanisms[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- Ranges ---- */

static netdp_status check_weights(const netdp_event *event, netdp_error *error)
{
    const bool mu = netdp_i_mechanisms[event->mechanism].fields & NETDP_I_MU;
    double sum = 0;
    if (event->weights < 0 ||
        (event->weights > 0 && (event->weight == NULL || (mu && event->mu == NULL))))
        return netdp_i_fail(error, NETDP_INVALID, "weight: %d weights need an array of them",
                            (int)event->weights);
    for (int32_t i = 0; mu && i < event->weights; i++)
        if (!(event->mu[i] >= 0))
            return netdp_i_fail(error, NETDP_INVALID,
                                "mu: number %d is %g; each must be 0 or more, or inf", (int)i + 1,
                                event->mu[i]);
    for (int32_t i = 0; i < event->weights; i++) {
        if (!(event->weight[i] >= 0 && event->weight[i] <= 1))
            return netdp_i_fail(error, NETDP_INVALID,
                                "weight: number %d is %g; each must lie in [0, 1]", (int)i + 1,
                                event->weight[i]);
        sum += event->weight[i];
    }
    if (sum > 1 + 1e-12)
        return netdp_i_fail(error, NETDP_INVALID, "weight: the sum is %.17g; it must be at most 1",
                            sum);
    return NETDP_OK;
}

netdp_status netdp_i_event_check(const netdp_event *event, netdp_error *error)
{
    if ((unsigned)event->mechanism >= NETDP_I_MECHANISMS)
        return netdp_i_fail(error, NETDP_INVALID, "mechanism: %d is none", (int)event->mechanism);
    if (!(event->count >= 1 && (double)event->count <= NETDP_I_MOST_COUNT))
        return netdp_i_fail(error, NETDP_INVALID,
                            "count: %lld; it must be a whole number from 1 to 1e15",
                            (long long)event->count);
    const netdp_i_mechanism *mechanism = &netdp_i_mechanisms[event->mechanism];
    for (int i = 0; i < NETDP_I_FIELDS; i++) {
        const netdp_i_number *number = &netdp_i_numbers[i];
        if (!(mechanism->fields & number->field))
            continue;
        const bool response = number->whole && event->mechanism == NETDP_RANDOMISED_RESPONSE;
        const double value = netdp_i_event_number(event, number), low = response ? 2 : number->low;
        if (!(value >= low && value <= number->high))
            return netdp_i_fail(error, NETDP_INVALID, "%s: %.17g; it must be %s", number->name,
                                value, number->expects);
    }
    return mechanism->fields & NETDP_I_WEIGHT ? check_weights(event, error) : NETDP_OK;
}

/* A person is added or removed by some mechanisms, replaced by others; a list is of one kind. */
static netdp_status check_neighbours(const netdp_event *events, size_t count, netdp_error *error)
{
    const char *moved = NULL, *replaced = NULL;
    for (size_t i = 0; i < count; i++) {
        const netdp_i_mechanism *mechanism = &netdp_i_mechanisms[events[i].mechanism];
        if (mechanism->neighbours == NETDP_I_MOVED)
            moved = mechanism->name;
        if (mechanism->neighbours == NETDP_I_REPLACED)
            replaced = mechanism->name;
    }
    if (moved == NULL || replaced == NULL)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s is about a person added or removed, %s about one replaced; a list "
                        "composes for one of them only",
                        moved, replaced);
}

netdp_status netdp_i_events_check(const netdp_event *events, size_t count, netdp_error *error)
{
    for (size_t i = 0; i < count; i++)
        TRY(netdp_i_within(error, netdp_i_event_check(events + i, error), "event %zu", i + 1));
    return check_neighbours(events, count, error);
}

/* ---- Words ---- */

/* " x1000" at the end: cut off and read. */
static netdp_status read_count(char *text, int64_t *count, netdp_error *error)
{
    char *space = strchr(text, ' ');
    double value = 1;
    if (space == NULL) {
        *count = 1;
        return NETDP_OK;
    }
    *space++ = '\0';
    if (space[0] != 'x' || !netdp_i_read_number(space + 1, &value) ||
        !(value >= 1 && value <= NETDP_I_MOST_COUNT && value == floor(value)))
        return netdp_i_fail(error, NETDP_INVALID, "'%s' is no repetition such as x1000",
                            netdp_i_show_text(space).text);
    *count = (int64_t)value;
    return NETDP_OK;
}

/* "0.8,0.005" into the fields of the mechanism, in order. */
static netdp_status read_parameters(char *text, netdp_event *event, netdp_error *error)
{
    const netdp_i_mechanism *mechanism = &netdp_i_mechanisms[event->mechanism];
    char *rest = text;
    for (int i = 0; i < NETDP_I_FIELDS; i++) {
        const netdp_i_number *number = &netdp_i_numbers[i];
        double value;
        if (!(mechanism->fields & number->field))
            continue;
        const char *word = strsep(&rest, ",");
        if (word == NULL)
            return netdp_i_fail(error, NETDP_INVALID, "%s: missing", number->name);
        if (strcmp(word, "inf") == 0)
            value = INFINITY;
        else if (!netdp_i_read_number(word, &value) || !isfinite(value))
            return netdp_i_fail(error, NETDP_INVALID, "%s: '%s' is not a number such as 0.5",
                                number->name, netdp_i_show_text(word).text);
        if (!(value >= number->low && value <= number->high) ||
            (number->whole && value != floor(value)))
            return netdp_i_fail(error, NETDP_INVALID, "%s: %g; it must be %s", number->name, value,
                                number->expects);
        netdp_i_event_set(event, number, value);
    }
    if (rest != NULL)
        return netdp_i_fail(error, NETDP_INVALID, "'%s' is one parameter too many",
                            netdp_i_show_text(rest).text);
    return netdp_i_event_check(event, error);
}

static netdp_status read_value(char *text, netdp_event *event, netdp_error *error)
{
    TRY(read_count(text, &event->count, error));
    return read_parameters(text, event, error);
}

netdp_status netdp_event_parse(const char *text, netdp_event *event, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && event);
    OWNED char *copy = netdp_i_copy_text(text);
    netdp_event read = {0};
    if (copy == NULL)
        return netdp_i_no_memory(error);
    char *value = strchr(copy, ':');
    if (value != NULL)
        *value++ = '\0';
    const int found = value == NULL ? -1 : netdp_i_mechanism_find(copy);
    if (found < 0 || (netdp_i_mechanisms[found].fields & NETDP_I_WEIGHT))
        return netdp_i_fail(error, NETDP_INVALID,
                            "'%s' is no event such as laplace:2 or subsampled-gaussian:0.8,0.005 "
                            "x1000",
                            netdp_i_show_text(text).text);
    read.mechanism = (netdp_mechanism)found;
    TRY(netdp_i_within(error, read_value(value, &read, error), "%s", copy));
    *event = read;
    return NETDP_OK;
}
