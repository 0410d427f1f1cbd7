#include <netdp/account.h>

#include <string.h>

#include "base/fail.h"

static const netdp_bound_info bounds[] = {
    {NETDP_BOUND_EXACT, "exact", "Kalman filter of the linear-Gaussian view", true, true, false,
     false, "the least upper bound: what the observer's whole view tells"},
    {NETDP_BOUND_UPPER, "upper", "least of the sound ones", true, false, true, true,
     "streams: abs-sum, spectral, dual, contributions; learning: phase-release"},
    {NETDP_BOUND_ABS_SUM, "abs-sum", "triangle inequality", true, false, true, false,
     "sum of the absolute entries of M"},
    {NETDP_BOUND_SPECTRAL, "spectral", "norm of M", true, false, true, false,
     "contributions times the largest eigenvalue of M"},
    {NETDP_BOUND_DUAL, "dual", "vector relaxation of MAX-CUT", true, false, true, false,
     "sum y with diag(y) - M positive semidefinite"},
    {NETDP_BOUND_LOWER, "lower", "best sign pattern found", false, false, true, false,
     "a lower bound: the truth is at least this; no guarantee"},
    {NETDP_BOUND_PHASE_RELEASE, "phase-release", "docs/proofs/phase-release.md", true, false, false,
     true, "every dithered state seen at the end of each phase; phases compose"},
    {NETDP_BOUND_LINEAR, "linear", "paper D, and later work", false, false, false, true,
     "assumes contributions do not react to the state; not certified (errata 13)"},
    {NETDP_BOUND_EVERYTHING, "everything", "local differential privacy", true, true, true, true,
     "as if the observer saw every message of every node"},
    {NETDP_BOUND_PUBLISHED, "published", "paper C, Theorem 1", false, true, false, false,
     "as the formula gives it, uncapped; can be far too small (errata 1)"},
    {0, NULL, NULL, false, false, false, false, NULL},
};

const netdp_bound_info *netdp_bounds(void)
{
    return bounds;
}

netdp_status netdp_bound_parse(const char *name, netdp_bound *bound, netdp_error *error)
{
    if (strcmp(name, "auto") == 0) {
        *bound = NETDP_BOUND_AUTO;
        return NETDP_OK;
    }
    for (const netdp_bound_info *known = bounds; known->name != NULL; known++) {
        if (strcmp(known->name, name) == 0) {
            *bound = known->bound;
            return NETDP_OK;
        }
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "bound: '%.40s' is not known; --bound list shows those that apply", name);
}

/* One release and then only mixing; contributions that do not react; contributions that do. */
static bool applies(const netdp_bound_info *info, const netdp_linear *protocol)
{
    if (protocol->every == 0)
        return info->averaging;
    if (!protocol->reacts)
        return info->stream;
    /* gossip-sgd has no phase at whose end a dithered state replaces the state. */
    const bool phases = !protocol->steady;
    return info->learn && (phases || (info->bound != NETDP_BOUND_PHASE_RELEASE &&
                                      info->bound != NETDP_BOUND_UPPER));
}

static netdp_bound usual(const netdp_linear *protocol)
{
    if (protocol->every == 0)
        return NETDP_BOUND_EXACT;
    if (!protocol->reacts)
        return NETDP_BOUND_UPPER;
    return protocol->steady ? NETDP_BOUND_EVERYTHING : NETDP_BOUND_PHASE_RELEASE;
}

netdp_status netdp_bound_choose(const netdp_linear *protocol, netdp_bound bound,
                                const netdp_bound_info **chosen, netdp_error *error)
{
    const netdp_bound wanted = bound == NETDP_BOUND_AUTO ? usual(protocol) : bound;
    const netdp_bound_info *info = bounds;
    while (info->bound != wanted)
        info++;
    if (!applies(info, protocol))
        return netdp_i_fail(error, NETDP_INVALID, "bound: %s does not apply to %s; %s", info->name,
                            protocol->every == 0 ? "averaging"
                            : !protocol->reacts  ? "streams"
                            : protocol->steady   ? "gossip-sgd, which reacts to hidden states"
                                                 : "learning, which reacts to hidden states",
                            protocol->every == 0 ? "use exact"
                            : !protocol->reacts  ? "use lower or upper"
                            : protocol->steady
                                ? "use everything, or muffliato-sgd with inner rounds"
                                : "use phase-release");
    *chosen = info;
    return NETDP_OK;
}
