#include <netdp/protocol.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "base/fail.h"

/* Its square, times squares of weights, must stay a finite double. */
#define MOST_DITHER 1e100

bool netdp_linear_contributes(const netdp_linear *protocol, int64_t round)
{
    return protocol->every > 0 ? round % protocol->every == 0 : round == 0;
}

int64_t netdp_linear_contributions(const netdp_linear *protocol)
{
    if (protocol->every == 0)
        return 1;
    const int64_t slots = (protocol->rounds - 1) / protocol->every + 1;
    return protocol->at_most > 0 && protocol->at_most < slots ? protocol->at_most : slots;
}

double netdp_linear_noise(const netdp_linear *protocol, int64_t round)
{
    if (protocol->steady)
        return 1;
    if (!netdp_linear_contributes(protocol, round))
        return protocol->dither;
    return round == 0 ? 1 : sqrt(1 + protocol->end_dither * protocol->end_dither);
}

double netdp_linear_chebyshev(double gap)
{
    return 2 * (1 - sqrt(gap * (1 - gap / 4))) / ((1 - gap / 2) * (1 - gap / 2));
}

netdp_status netdp_linear_check(const netdp_linear *protocol, netdp_error *error)
{
    const struct {
        const char *name;
        double value;
    } dithers[] = {{"dither", protocol->dither}, {"end-dither", protocol->end_dither}};
    if (protocol->rounds < 1)
        return netdp_i_fail(error, NETDP_INVALID, "rounds: %" PRId64 "; gossip needs at least 1",
                            protocol->rounds);
    if (protocol->every < 0 || protocol->at_most < 0)
        return netdp_i_fail(error, NETDP_INVALID, "every and at-most: give 1 or more");
    if (protocol->reacts && protocol->at_most > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "at-most: applies to streams; learning contributes in every phase");
    for (size_t i = 0; i < sizeof dithers / sizeof *dithers; i++)
        if (!(dithers[i].value >= 0 && dithers[i].value <= MOST_DITHER))
            return netdp_i_fail(error, NETDP_INVALID, "%s: %g; give a number from 0 to %g",
                                dithers[i].name, dithers[i].value, MOST_DITHER);
    if (protocol->reacts && protocol->rounds % (protocol->every > 0 ? protocol->every : 1) != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: %" PRId64 " is not a multiple of the %" PRId64
                            " inner rounds of a phase",
                            protocol->rounds, protocol->every);
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
