/* Small walks drawn at random, all of whose paths can be followed. */
#ifndef NETDP_TESTS_WALK_DRAWN_H
#define NETDP_TESTS_WALK_DRAWN_H

#include <netdp/random.h>

#include "walk_paths.h"

enum { MOST_PATHS = 300000 };

static const char *const laws[] = {"metropolis", "hamilton", "lazy:0.3", "lazy:0.8"};

static inline double between(netdp_stream *stream, double low, double high)
{
    return low + (high - low) * netdp_stream_uniform(stream);
}

static inline int32_t below(netdp_stream *stream, int32_t count)
{
    return (int32_t)netdp_stream_below(stream, (uint64_t)count);
}

static inline void draw_family(netdp_stream *stream, char *family, size_t size)
{
    static const char *const kinds[] = {"path", "ring", "star", "complete"};
    const int kind = below(stream, 5);
    if (kind == 4)
        snprintf(family, size, "grid 2 %d", 2 + (int)below(stream, 2));
    else
        snprintf(family, size, "%s %d", kinds[kind], 3 + (int)below(stream, 4));
}

/* So many steps that there are not too many paths. */
static inline int32_t draw_steps(netdp_stream *stream, netdp_rows rows)
{
    int64_t most = 1;
    for (int32_t u = 0; u < rows.nodes; u++)
        most = rows.start[u + 1] - rows.start[u] > most ? rows.start[u + 1] - rows.start[u] : most;
    int32_t steps = 0;
    for (double paths = rows.nodes; steps < STEPS && paths * (double)most <= MOST_PATHS; steps++)
        paths *= (double)most;
    return 1 + below(stream, steps);
}

static inline setting draw_setting(netdp_stream *stream, netdp_rows rows)
{
    setting s = {.steps = draw_steps(stream, rows)};
    s.from = below(stream, rows.nodes);
    s.members = 1 + (rows.nodes > 3 && below(stream, 3) == 0);
    s.to[0] = (s.from + 1 + below(stream, rows.nodes - 1)) % rows.nodes;
    do {
        s.to[1] = below(stream, rows.nodes);
    } while (s.to[1] == s.from || s.to[1] == s.to[0]);
    const int32_t start = below(stream, 3);
    s.start = start == 0 ? NETDP_START_UNIFORM : start == 1 ? below(stream, rows.nodes) : s.to[0];
    s.cap = below(stream, 4);
    s.release = below(stream, 2) == 1;
    s.sigma = exp(between(stream, log(0.5), log(12)));
    s.delta = exp(between(stream, log(1e-8), log(0.02)));
    return s;
}

#endif
