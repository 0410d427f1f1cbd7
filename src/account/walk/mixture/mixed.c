#include "account/walk/mixture/mixed.h"

#include <math.h>

/* The bend of the first law, in steps of its grid. */
#define FIRST_BEND 0.2

void netdp_i_mixed_clear(netdp_i_mixed *mixed)
{
    for (int i = 0; i < 2; i++)
        netdp_i_cost_law_clear(&mixed->law[i]);
    *mixed = (netdp_i_mixed){0};
}

bool netdp_i_mixed_ask(const netdp_i_mixed *mixed, double sigma, double delta, double *value)
{
    *value = INFINITY;
    for (int i = 0; i < 2; i++) {
        const netdp_i_cost_law *law = &mixed->law[i];
        if (!mixed->known[i])
            continue;
        const double least = netdp_i_cost_law_least(law, sigma) * (1 + 1e-9);
        *value = fmin(*value, netdp_i_cost_law_epsilon(law, sigma, delta));
        if (*value > least || least == 0)
            return true;
    }
    return mixed->known[1];
}

netdp_status netdp_i_mixed_answer(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                  netdp_i_mixture_asked asked, double sigma, netdp_i_mixed *mixed,
                                  double *value, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    for (int i = 0; i < 2 && !mixed->none && status == NETDP_OK; i++) {
        if (netdp_i_mixed_ask(mixed, sigma, asked.delta, value))
            return NETDP_OK;
        if (mixed->known[i])
            continue;
        asked.bend = i == 0 ? FIRST_BEND : INFINITY;
        status = netdp_i_mixture_law(grid, hunt, &asked, &mixed->law[i], &mixed->known[i], error);
        mixed->none = status == NETDP_OK && !mixed->known[i];
    }
    (void)netdp_i_mixed_ask(mixed, sigma, asked.delta, value);
    return status;
}
