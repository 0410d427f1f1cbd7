#include "account/walk/mixture/mixed.h"

#include <math.h>

#include "base/try.h"

/* The bend of the first law, in steps of its grid. */
#define FIRST_BEND 0.2

void netdp_i_mixed_clear(netdp_i_mixed *mixed)
{
    for (int w = 0; w < NETDP_I_MIXED_WAYS; w++)
        for (int i = 0; i < 2; i++)
            netdp_i_cost_law_clear(&mixed->way[w].law[i]);
    *mixed = (netdp_i_mixed){0};
}

/* Does its first law tell `most` or more? Then the way adds nothing to what is told already. */
static bool tells_more(const netdp_i_mixed_way *way, double sigma, double delta, double most)
{
    double rest;
    return way->known[0] && isfinite(most) &&
           most > netdp_i_cost_law_least(&way->law[0], sigma) * (1 + 1e-9) &&
           netdp_i_cost_law_delta(&way->law[0], sigma, most, &rest) > delta;
}

static bool tell(netdp_i_mixed_way *way, double sigma, double delta, double value)
{
    way->told = true;
    way->sigma = sigma;
    way->delta = delta;
    way->epsilon = value;
    return true;
}

/* most: what another way tells, if it counts no more; *value is infinity where this one tells as much. */
static bool ask_way(netdp_i_mixed_way *way, double sigma, double delta, double most, double *value)
{
    *value = INFINITY;
    if (way->told && way->sigma == sigma && way->delta == delta) {
        *value = way->epsilon;
        return true;
    }
    if (tells_more(way, sigma, delta, most))
        return true;
    for (int i = 0; i < 2; i++) {
        const netdp_i_cost_law *law = &way->law[i];
        if (!way->known[i])
            continue;
        const double least = netdp_i_cost_law_least(law, sigma) * (1 + 1e-9);
        *value = fmin(*value, netdp_i_cost_law_epsilon(law, sigma, delta));
        if (*value > least || least == 0)
            return tell(way, sigma, delta, *value);
    }
    return way->known[1] ? tell(way, sigma, delta, *value) : way->none;
}

/* Where a release is followed on some paths alone, the law back from the end has the others. */
static double ask_both(const netdp_i_mixed_way *way, const netdp_i_mixed_way *from_end,
                       double sigma, double delta)
{
    const int i = way->known[1], j = from_end->known[1];
    return way->known[i] && from_end->known[j] && way->law[i].open > 0
               ? netdp_i_cost_law_epsilon_beside(&way->law[i], &from_end->law[j], sigma, delta)
               : INFINITY;
}

/* Laws of a walk that is released count for each other too. */
static double most_of(const netdp_i_mixed *mixed, double value)
{
    return mixed->ways > NETDP_I_BY_END ? INFINITY : value;
}

bool netdp_i_mixed_ask(netdp_i_mixed *mixed, double sigma, double delta, double *value)
{
    bool done = ask_way(&mixed->way[0], sigma, delta, INFINITY, value);
    for (int w = 1; w < mixed->ways; w++) {
        double other = INFINITY;
        done = ask_way(&mixed->way[w], sigma, delta, most_of(mixed, *value), &other) && done;
        if (w != NETDP_I_BY_LAST)
            *value = fmin(*value, other);
    }
    for (int w = 0; w < 2; w++)
        for (int e = NETDP_I_BY_END; e < mixed->ways; e++)
            *value = fmin(*value, ask_both(&mixed->way[w], &mixed->way[e], sigma, delta));
    return done;
}

bool netdp_i_mixed_none(const netdp_i_mixed *mixed)
{
    bool none = true;
    for (int w = 0; w < mixed->ways; w++)
        none = none && (mixed->way[w].none || w == NETDP_I_BY_LAST);
    return none;
}

bool netdp_i_mixed_from_end(const netdp_i_mixed *mixed)
{
    return mixed->ways > NETDP_I_BY_END && mixed->way[0].none && mixed->way[1].none;
}

static netdp_status follow(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                           netdp_i_mixture_asked asked, double sigma, double most,
                           netdp_i_mixed_way *way, netdp_error *error)
{
    double value;
    for (int i = 0; i < 2 && !ask_way(way, sigma, asked.delta, most, &value); i++) {
        if (way->known[i])
            continue;
        asked.bend = i == 0 ? FIRST_BEND : INFINITY;
        TRY(netdp_i_mixture_law(grid, hunt, &asked, &way->law[i], &way->known[i], error));
        way->none = !way->known[i];
    }
    return NETDP_OK;
}

netdp_status netdp_i_mixed_answer(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                  netdp_i_mixture_asked asked, double sigma, netdp_i_mixed *mixed,
                                  double *value, netdp_error *error)
{
    const bool end = hunt->watch->release && !(asked.cap == 1 && asked.tokens == 1);
    const int64_t cap = asked.cap;
    mixed->ways = grid->beside == NULL           ? 1
                  : !end                         ? 2
                  : cap > 0 && asked.tokens == 1 ? NETDP_I_MIXED_WAYS
                                                 : NETDP_I_BY_LAST;
    TRY(follow(grid, hunt, asked, sigma, INFINITY, &mixed->way[0], error));
    (void)ask_way(&mixed->way[0], sigma, asked.delta, INFINITY, value);
    for (int w = 1; w < mixed->ways; w++) {
        asked.from_end = w >= NETDP_I_BY_END;
        asked.cap = w == NETDP_I_BY_END ? 0 : cap;
        TRY(follow(grid->beside, hunt, asked, sigma, most_of(mixed, *value), &mixed->way[w],
                   error));
    }
    (void)netdp_i_mixed_ask(mixed, sigma, asked.delta, value);
    return NETDP_OK;
}
