#include "account/walk/mixture/mixed.h"

#include <math.h>

/* The bend of the first law, in steps of its grid. */
#define FIRST_BEND 0.2

void netdp_i_mixed_clear(netdp_i_mixed *mixed)
{
    for (int w = 0; w < 2; w++)
        for (int i = 0; i < 2; i++)
            netdp_i_cost_law_clear(&mixed->way[w].law[i]);
    *mixed = (netdp_i_mixed){0};
}

static bool ask_way(const netdp_i_mixed_way *way, double sigma, double delta, double *value)
{
    *value = INFINITY;
    for (int i = 0; i < 2; i++) {
        const netdp_i_cost_law *law = &way->law[i];
        if (!way->known[i])
            continue;
        const double least = netdp_i_cost_law_least(law, sigma) * (1 + 1e-9);
        *value = fmin(*value, netdp_i_cost_law_epsilon(law, sigma, delta));
        if (*value > least || least == 0)
            return true;
    }
    return way->known[1] || way->none;
}

bool netdp_i_mixed_ask(const netdp_i_mixed *mixed, double sigma, double delta, double *value)
{
    double other = INFINITY;
    const bool done = ask_way(&mixed->way[0], sigma, delta, value);
    const bool both = !mixed->two || ask_way(&mixed->way[1], sigma, delta, &other);
    *value = fmin(*value, other);
    return done && both;
}

bool netdp_i_mixed_none(const netdp_i_mixed *mixed)
{
    return mixed->way[0].none && (!mixed->two || mixed->way[1].none);
}

static netdp_status follow(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                           netdp_i_mixture_asked asked, double sigma, netdp_i_mixed_way *way,
                           netdp_error *error)
{
    double value;
    netdp_status status = NETDP_OK;
    for (int i = 0; i < 2 && status == NETDP_OK && !ask_way(way, sigma, asked.delta, &value); i++) {
        if (way->known[i])
            continue;
        asked.bend = i == 0 ? FIRST_BEND : INFINITY;
        status = netdp_i_mixture_law(grid, hunt, &asked, &way->law[i], &way->known[i], error);
        way->none = status == NETDP_OK && !way->known[i];
    }
    return status;
}

netdp_status netdp_i_mixed_answer(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                  netdp_i_mixture_asked asked, double sigma, netdp_i_mixed *mixed,
                                  double *value, netdp_error *error)
{
    mixed->two = grid->beside != NULL;
    netdp_status status = follow(grid, hunt, asked, sigma, &mixed->way[0], error);
    if (status == NETDP_OK && mixed->two)
        status = follow(grid->beside, hunt, asked, sigma, &mixed->way[1], error);
    (void)netdp_i_mixed_ask(mixed, sigma, asked.delta, value);
    return status;
}
