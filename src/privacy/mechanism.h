/* The mechanisms of events: names, the fields each has, and their ranges. One table. */
#ifndef NETDP_I_MECHANISM_H
#define NETDP_I_MECHANISM_H

#include <netdp/privacy.h>

typedef enum netdp_i_field {
    NETDP_I_NOISE = 1,
    NETDP_I_RATE = 2,
    NETDP_I_FLIP = 4,
    NETDP_I_EPSILON = 8,
    NETDP_I_DELTA = 16,
    NETDP_I_LEVELS = 32,
    NETDP_I_WEIGHT = 64,
    NETDP_I_MU = 128,
} netdp_i_field;

enum { NETDP_I_MECHANISMS = 13, NETDP_I_FIELDS = 6 };

/* How the two worlds differ that a mechanism is accounted for between; either: the sensitivity says it. */
typedef enum netdp_i_neighbours {
    NETDP_I_EITHER = 0,
    NETDP_I_MOVED,    /* a person is added or removed */
    NETDP_I_REPLACED, /* by another */
} netdp_i_neighbours;

typedef struct netdp_i_mechanism {
    const char *name;
    uint32_t fields;
    netdp_i_neighbours neighbours;
} netdp_i_mechanism;

/* A field that holds one number; the order here is that of parameters in words. */
typedef struct netdp_i_number {
    netdp_i_field field;
    const char *name;
    size_t offset; /* of a double; of an int32_t where whole */
    bool whole;
    double low, high; /* both allowed */
    const char *expects;
} netdp_i_number;

extern const netdp_i_mechanism netdp_i_mechanisms[NETDP_I_MECHANISMS];
extern const netdp_i_number netdp_i_numbers[NETDP_I_FIELDS];

/* How often an event may be repeated. */
#define NETDP_I_MOST_COUNT 1e15

double netdp_i_event_number(const netdp_event *event, const netdp_i_number *number);
void netdp_i_event_set(netdp_event *event, const netdp_i_number *number, double value);

/* The index, or -1. */
int netdp_i_mechanism_find(const char *name);

/* One event, or all of them with "event 3: " before the text. */
netdp_status netdp_i_event_check(const netdp_event *event, netdp_error *error);
netdp_status netdp_i_events_check(const netdp_event *events, size_t count, netdp_error *error);

#endif
