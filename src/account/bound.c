#include <netdp/account.h>

#include <string.h>

#include "base/fail.h"

static const netdp_bound_info bounds[] = {
    {NETDP_BOUND_EXACT, "exact", "Kalman filter of the linear-Gaussian view", true,
     "the least upper bound: what the observer's whole view tells"},
    {NETDP_BOUND_EVERYTHING, "everything", "local differential privacy", true,
     "as if the observer saw every message of every node"},
    {NETDP_BOUND_PUBLISHED, "published", "paper C, Theorem 1", false,
     "as the formula gives it, uncapped; can be far too small (errata 1)"},
    {0, NULL, NULL, false, NULL},
};

const netdp_bound_info *netdp_bounds(void)
{
    return bounds;
}

netdp_status netdp_bound_parse(const char *name, netdp_bound *bound, netdp_error *error)
{
    for (const netdp_bound_info *known = bounds; known->name != NULL; known++) {
        if (strcmp(known->name, name) == 0) {
            *bound = known->bound;
            return NETDP_OK;
        }
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "bound: '%.40s' does not apply to averaging; --bound list shows those that "
                        "do",
                        name);
}
