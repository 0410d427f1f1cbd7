#include <netdp/protocol.h>

#include <inttypes.h>
#include <math.h>

#include "base/fail.h"

double netdp_linear_noise(const netdp_linear *protocol, int64_t round)
{
    return round == 0 ? 1.0 : protocol->dither;
}

netdp_status netdp_linear_check(const netdp_linear *protocol, netdp_error *error)
{
    if (protocol->rounds < 1)
        return netdp_i_fail(error, NETDP_INVALID, "rounds: %" PRId64 "; gossip needs at least 1",
                            protocol->rounds);
    if (!(protocol->dither >= 0) || isinf(protocol->dither))
        return netdp_i_fail(error, NETDP_INVALID, "dither: %g; give a finite number, 0 or more",
                            protocol->dither);
    return netdp_mixing_require(protocol->mixing, error);
}

netdp_status netdp_rounds_auto(double gap, int32_t nodes, double sigma, double variance,
                               int64_t *rounds, netdp_error *error)
{
    if (!(gap > 0) || !(sigma > 0) || !(variance >= 0) || isinf(sigma) || isinf(variance))
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: auto needs a connected aperiodic graph, finite noise above 0 "
                            "and a finite variance (gap %g, noise %g, variance %g); give a number",
                            gap, sigma, variance);
    /* ln((n / s^2) max(s^2, V)) = ln n + max(0, ln V - 2 ln s): no overflow for any s. */
    double excess = variance > 0 ? log(variance) - 2 * log(sigma) : 0;
    double wanted = ceil((log(nodes) + fmax(0, excess)) / sqrt(gap));
    if (wanted > 1e15)
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: auto would take %.3g rounds (gap %.3g); give a number", wanted,
                            gap);
    *rounds = wanted < 1 ? 1 : (int64_t)wanted;
    return NETDP_OK;
}
