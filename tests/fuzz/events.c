#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <netdp/privacy.h>

static bool same_list(const double *a, const double *b, int32_t count)
{
    return a == NULL || b == NULL ? a == b : memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* Equal but for the lists, whose pointers differ. */
static bool same(const netdp_event *a, const netdp_event *b)
{
    netdp_event one = *a, other = *b;
    one.weight = other.weight = NULL;
    one.mu = other.mu = NULL;
    return memcmp(&one, &other, sizeof one) == 0 && same_list(a->weight, b->weight, a->weights) &&
           same_list(a->mu, b->mu, a->weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    netdp_events *events = NULL, *again = NULL;
    netdp_error error = {NETDP_OK, ""};
    char path[256];
    if (!fuzz_ok(netdp_events_read(fuzz_file(data, size), &events, &error), &error))
        return 0;
    fuzz_path(path, "events.json");
    FUZZ_HOLDS(fuzz_ok(netdp_events_write(events->event, events->count, path, &error), &error));
    FUZZ_HOLDS(fuzz_ok(netdp_events_read(path, &again, &error), &error));
    FUZZ_HOLDS(again->count == events->count);
    for (size_t i = 0; i < events->count; i++)
        FUZZ_HOLDS(same(&events->event[i], &again->event[i]));
    netdp_events_free(events);
    netdp_events_free(again);
    return 0;
}
