/* Lists of events as JSON, strictly. */
#include <netdp/privacy.h>

#include <math.h>
#include <string.h>
#include <jansson.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "privacy/mechanism.h"

/* ---- Reading ---- */

/* The field of that name which the mechanism has, or NULL. */
static const netdp_i_number *number_of(const netdp_event *event, const char *key)
{
    for (int i = 0; i < NETDP_I_FIELDS; i++)
        if (strcmp(netdp_i_numbers[i].name, key) == 0)
            return netdp_i_mechanisms[event->mechanism].fields & netdp_i_numbers[i].field
                       ? &netdp_i_numbers[i]
                       : NULL;
    return NULL;
}

static netdp_status read_value(const netdp_i_number *number, const json_t *value,
                               netdp_event *event, netdp_error *error)
{
    double read = NAN;
    if (json_is_string(value) && strcmp(json_string_value(value), "inf") == 0)
        read = INFINITY;
    else if (number->whole ? json_is_integer(value) : json_is_number(value))
        read = json_number_value(value);
    if (!(read >= number->low && read <= number->high))
        return netdp_i_fail(error, NETDP_INVALID, "%s: must be a number %s", number->name,
                            number->expects);
    netdp_i_event_set(event, number, read);
    return NETDP_OK;
}

/* A field that holds a list; `infinite`: its numbers may be. */
typedef struct series {
    netdp_i_field field;
    const char *name;
    size_t offset;
    bool infinite;
} series;

enum { SERIES = 2 };

static const series lists[SERIES] = {
    {NETDP_I_WEIGHT, "weight", offsetof(netdp_event, weight), false},
    {NETDP_I_MU, "mu", offsetof(netdp_event, mu), true},
};

static const double **list_of(netdp_event *event, const series *list)
{
    return (const double **)((char *)event + list->offset);
}

/* The list of that name which the mechanism has, or NULL. */
static const series *find_list(const netdp_event *event, const char *key)
{
    for (int i = 0; i < SERIES; i++)
        if (strcmp(lists[i].name, key) == 0 &&
            (netdp_i_mechanisms[event->mechanism].fields & lists[i].field))
            return &lists[i];
    return NULL;
}

static netdp_status read_list(const series *list, const json_t *items, netdp_event *event,
                              bool first, netdp_error *error)
{
    const size_t size = json_array_size(items);
    if (!json_is_array(items) || size > INT32_MAX)
        return netdp_i_fail(error, NETDP_INVALID, "%s: must be a list of numbers", list->name);
    if (!first && (int32_t)size != event->weights)
        return netdp_i_fail(error, NETDP_INVALID, "weight, mu: must be lists of one length");
    double *value = NETDP_I_NEW(double, size);
    if (value == NULL)
        return netdp_i_no_memory(error);
    *list_of(event, list) = value; /* freed with the list */
    event->weights = (int32_t)size;
    for (size_t i = 0; i < size; i++) {
        const json_t *item = json_array_get(items, i);
        const char *word = json_string_value(item);
        if (list->infinite && word != NULL && strcmp(word, "inf") == 0)
            value[i] = INFINITY;
        else if (json_is_number(item))
            value[i] = json_number_value(item);
        else
            return netdp_i_fail(error, NETDP_INVALID, "%s: item %zu is no number", list->name,
                                i + 1);
    }
    return NETDP_OK;
}

static netdp_status read_key(const char *key, const json_t *value, netdp_event *event,
                             uint32_t *seen, netdp_error *error)
{
    if (strcmp(key, "mechanism") == 0)
        return NETDP_OK;
    if (strcmp(key, "count") == 0) {
        event->count = json_is_integer(value) ? json_integer_value(value) : 0;
        return NETDP_OK; /* checked with the event */
    }
    const series *list = find_list(event, key);
    if (list != NULL) {
        const bool first = !(*seen & (NETDP_I_WEIGHT | NETDP_I_MU));
        *seen |= list->field;
        return read_list(list, value, event, first, error);
    }
    const netdp_i_number *number = number_of(event, key);
    if (number == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "'%s' is no key of %s",
                            netdp_i_show_text(key).text, netdp_i_mechanisms[event->mechanism].name);
    *seen |= number->field;
    return read_value(number, value, event, error);
}

static netdp_status read_event(json_t *object, netdp_event *event, netdp_error *error)
{
    const char *name = json_string_value(json_object_get(object, "mechanism"));
    uint32_t seen = 0;
    if (!json_is_object(object))
        return netdp_i_fail(error, NETDP_INVALID, "is no object {\"mechanism\": ...}");
    const int found = name == NULL ? -1 : netdp_i_mechanism_find(name);
    if (found < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "mechanism: '%s' is none; write one such as gaussian or laplace",
                            netdp_i_show_text(name == NULL ? "" : name).text);
    *event = (netdp_event){.mechanism = (netdp_mechanism)found, .count = 1};
    const char *key;
    json_t *value;
    json_object_foreach (object, key, value)
        TRY(read_key(key, value, event, &seen, error));
    const uint32_t missing = netdp_i_mechanisms[found].fields & ~seen;
    for (int i = 0; i < NETDP_I_FIELDS; i++)
        if (missing & netdp_i_numbers[i].field)
            return netdp_i_fail(error, NETDP_INVALID, "%s: missing", netdp_i_numbers[i].name);
    for (int i = 0; i < SERIES; i++)
        if (missing & lists[i].field)
            return netdp_i_fail(error, NETDP_INVALID, "%s: missing", lists[i].name);
    return netdp_i_event_check(event, error);
}

/* The list, or {"adjacency": "replace" or "add-remove", "events": list}, as netdp.events writes it: NULL and why not. */
static json_t *list_in(json_t *given, netdp_i_neighbours *neighbours, const char **why)
{
    *neighbours = NETDP_I_EITHER;
    *why = "no list of events; write [{\"mechanism\": ...}, ...]";
    if (!json_is_object(given))
        return json_is_array(given) ? given : NULL;
    const char *adjacency = json_string_value(json_object_get(given, "adjacency"));
    json_t *list = json_object_get(given, "events");
    if (!json_is_array(list) || json_object_size(given) != 2)
        return NULL;
    if (adjacency != NULL && strcmp(adjacency, "replace") == 0)
        *neighbours = NETDP_I_REPLACED;
    else if (adjacency != NULL && strcmp(adjacency, "add-remove") == 0)
        *neighbours = NETDP_I_MOVED;
    *why = "adjacency: write \"replace\" or \"add-remove\"";
    return *neighbours != NETDP_I_EITHER ? list : NULL;
}

/* Is the event of the file's neighbours, if that says which? */
static netdp_status check_neighbours(const netdp_event *event, netdp_i_neighbours neighbours,
                                     netdp_error *error)
{
    const netdp_i_mechanism *mechanism = &netdp_i_mechanisms[event->mechanism];
    if (neighbours == NETDP_I_EITHER || mechanism->neighbours == NETDP_I_EITHER ||
        mechanism->neighbours == neighbours)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        neighbours == NETDP_I_REPLACED
                            ? "adjacency: %s is for a row that is added or removed, not replaced"
                            : "adjacency: %s is for a row that is replaced, not added or removed",
                        mechanism->name);
}

static netdp_status read_entry(json_t *object, netdp_i_neighbours neighbours, netdp_event *event,
                               netdp_error *error)
{
    TRY(read_event(object, event, error));
    return check_neighbours(event, neighbours, error);
}

OWNER(netdp_events_free, netdp_events)

netdp_status netdp_events_read(const char *path, netdp_events **events, netdp_error *error)
{
    NETDP_I_GIVEN(error, path && events);
    json_error_t why;
    OWNED char *text = NULL;
    int64_t bytes = 0;
    const char *fault = NULL;
    netdp_i_neighbours neighbours = NETDP_I_EITHER;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    OWNED_BY(json_decref)
    json_t *given = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, &why);
    if (given == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s:%d: %s", path, why.line,
                            netdp_i_show_text(why.text).text);
    const json_t *list = list_in(given, &neighbours, &fault);
    if (list == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s: %s", path, fault);
    OWNED_BY(netdp_events_free) netdp_events *made = NETDP_I_NEW(netdp_events, 1);
    if (made != NULL)
        made->event = NETDP_I_NEW(netdp_event, json_array_size(list));
    if (made == NULL || made->event == NULL)
        return netdp_i_no_memory(error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        made->count = i + 1;
        TRY(netdp_i_within(error,
                           read_entry(json_array_get(list, i), neighbours, made->event + i, error),
                           "%s: event %zu", path, i + 1));
    }
    *events = GIVE(made);
    return NETDP_OK;
}

void netdp_events_free(netdp_events *events)
{
    if (events == NULL)
        return;
    for (size_t i = 0; events->event != NULL && i < events->count; i++)
        for (int j = 0; j < SERIES; j++)
            netdp_i_free((double *)*list_of(&events->event[i], &lists[j]));
    netdp_i_free(events->event);
    netdp_i_free(events);
}

/* ---- Writing ---- */

static json_t *event_json(const netdp_event *event)
{
    const netdp_i_mechanism *mechanism = &netdp_i_mechanisms[event->mechanism];
    json_t *object = json_pack("{s:s}", "mechanism", mechanism->name);
    int bad = object == NULL;
    for (int i = 0; i < NETDP_I_FIELDS; i++) {
        const netdp_i_number *number = &netdp_i_numbers[i];
        const double value = netdp_i_event_number(event, number);
        if (mechanism->fields & number->field)
            bad |= json_object_set_new(object, number->name,
                                       number->whole ? json_integer((json_int_t)value)
                                                     : netdp_i_json_double(value));
    }
    for (int j = 0; j < SERIES; j++) {
        if (!(mechanism->fields & lists[j].field))
            continue;
        netdp_event copy = *event;
        const double *value = *list_of(&copy, &lists[j]);
        json_t *list = json_array();
        for (int32_t i = 0; i < event->weights; i++)
            bad |= json_array_append_new(list, netdp_i_json_double(value[i]));
        bad |= json_object_set_new(object, lists[j].name, list);
    }
    bad |= json_object_set_new(object, "count", json_integer(event->count));
    if (bad) {
        json_decref(object);
        return NULL;
    }
    return object;
}

netdp_status netdp_events_write(const netdp_event *events, size_t count, const char *path,
                                netdp_error *error)
{
    NETDP_I_GIVEN(error, (events || count == 0) && path);
    TRY(netdp_i_events_check(events, count, error));
    OWNED_BY(json_decref) json_t *list = json_array();
    bool whole = list != NULL;
    for (size_t i = 0; i < count && whole; i++)
        whole = json_array_append_new(list, event_json(events + i)) == 0;
    return whole ? netdp_i_json_write(list, path, error) : netdp_i_no_memory(error);
}
