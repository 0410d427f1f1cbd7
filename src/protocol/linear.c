/* Linear protocols: checks, which rounds take contributions, and how much noise each has. */
#include <netdp/protocol.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"
#include "protocol/linear.h"
#include "protocol/noise.h"
#include "protocol/pairing.h"
#include "protocol/quiet.h"

/* The most noise of a single node, in units of sigma. */
#define MOST_OWN 1e6

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

int64_t netdp_linear_participations(const netdp_linear *protocol)
{
    const int64_t all = netdp_linear_contributions(protocol);
    return protocol->cycle > 1 ? (all - 1) / protocol->cycle + 1 : all;
}

double netdp_linear_noise(const netdp_linear *protocol, int64_t round)
{
    if (protocol->steady)
        return 1;
    if (!netdp_linear_contributes(protocol, round))
        return protocol->noise.decay > 0
                   ? protocol->noise.dither / pow((double)round, protocol->noise.decay)
                   : protocol->noise.dither;
    return round == 0 ? 1 : sqrt(1 + protocol->noise.end * protocol->noise.end);
}

double netdp_linear_end_noise(const netdp_linear *protocol, int64_t round)
{
    return protocol->every > 0 && (round + 1) % protocol->every == 0 ? protocol->noise.end : 0;
}

double netdp_linear_least_noise(const netdp_linear *protocol)
{
    if (protocol->steady)
        return 1;
    return protocol->noise.decay > 0 && protocol->rounds > 1
               ? netdp_linear_noise(protocol, protocol->rounds - 1)
               : protocol->noise.dither;
}

double netdp_linear_chebyshev(double gap)
{
    return 2 * (1 - sqrt(gap * (1 - gap / 4))) / ((1 - gap / 2) * (1 - gap / 2));
}

netdp_status netdp_i_linear_weight(const netdp_linear *protocol, double *weight, netdp_error *error)
{
    netdp_spectrum spectrum;
    *weight = 1;
    if (!protocol->accelerate)
        return NETDP_OK;
    TRY(netdp_mixing_spectrum(protocol->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error));
    *weight = netdp_linear_chebyshev(fmax(spectrum.gap, 0)); /* rounding may take it below */
    return NETDP_OK;
}

/* Where all contribute in every contribution round, or senders only. */
static netdp_status count_senders(const netdp_linear *protocol, int64_t *count, netdp_error *error)
{
    OWNED_BY(netdp_sequence_free) netdp_sequence *sequence = NULL;
    TRY(netdp_sequence_new(protocol->mixing, &protocol->varying, &sequence, error));
    for (int64_t t = 0; t < protocol->rounds; t++) {
        netdp_round round;
        if (!netdp_linear_contributes(protocol, t))
            continue;
        TRY(netdp_sequence_round(sequence, t, &round, error));
        for (int32_t i = 0; i < round.active_count; i++)
            count[round.active[i]]++;
    }
    return NETDP_OK;
}

netdp_status netdp_linear_realised(const netdp_linear *protocol, int64_t *count, netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && protocol->mixing && count);
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    OWNED int64_t *made = NETDP_I_NEW(int64_t, n);
    if (made == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_variation_check(protocol->mixing, &protocol->varying, error));
    if (protocol->senders_only)
        TRY(count_senders(protocol, made, error));
    for (int32_t v = 0; v < n; v++)
        count[v] = protocol->senders_only ? made[v] : netdp_linear_contributions(protocol);
    return NETDP_OK;
}

netdp_status netdp_linear_gap(const netdp_linear *protocol, double *gap, netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && protocol->mixing && gap);
    const netdp_vary kind = protocol->varying.kind;
    netdp_spectrum spectrum;
    if (kind != NETDP_VARY_NEVER && kind != NETDP_VARY_EDGE)
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: auto knows the gap of a fixed network and of one random edge "
                            "a round; give the number of rounds");
    TRY(netdp_mixing_spectrum(protocol->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error));
    const double mean = netdp_variation_edge_gap(protocol->mixing, &spectrum);
    *gap = kind == NETDP_VARY_EDGE ? mean * mean : spectrum.gap;
    return NETDP_OK;
}

/* Changing networks: what they exclude. */
static netdp_status check_varying(const netdp_linear *protocol, netdp_error *error)
{
    const bool varies = protocol->varying.kind != NETDP_VARY_NEVER;
    if (varies && protocol->accelerate)
        return netdp_i_fail(error, NETDP_INVALID,
                            "accelerate: Chebyshev gossip needs the same W in every round; leave "
                            "it out");
    if (protocol->varying.kind == NETDP_VARY_LATE && protocol->every > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "dropout: late and revealed are for averaging, which contributes once; "
                            "give a probability or edges:P");
    if (protocol->senders_only && !(varies && protocol->steady && protocol->every == 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "senders only contribute in every round of a changing network, under "
                            "unit noise");
    /* A node that does not send has no noise of its own in the round: its halves of several rounds
     * would hide behind one draw (docs/proofs/pairs.md). */
    if (protocol->senders_only && netdp_pairing_is(&protocol->noise.pairing))
        return netdp_i_fail(error, NETDP_INVALID,
                            "pair-noise: where senders only contribute, nodes that do not send add "
                            "no noise of their own; leave it out");
    return netdp_variation_check(protocol->mixing, &protocol->varying, error);
}

/* Batches in a cycle, and noise correlated over phases: of learning in which all contribute. */
static netdp_status check_quiet(const netdp_linear *protocol, netdp_error *error)
{
    const bool quiet = netdp_quiet_is(&protocol->quiet);
    if (protocol->cycle < 0)
        return netdp_i_fail(error, NETDP_INVALID, "cycle: %" PRId64 "; give 1 or more",
                            protocol->cycle);
    if ((quiet || protocol->cycle > 1) &&
        (!protocol->reacts || protocol->varying.kind != NETDP_VARY_NEVER))
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet and cycle: apply to gossip-sgd and muffliato-sgd on a network "
                            "that does not change");
    if (quiet && protocol->quiet.phases != netdp_linear_contributions(protocol))
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: noise of %" PRId64 " phases; the protocol has %" PRId64,
                            protocol->quiet.phases, netdp_linear_contributions(protocol));
    return quiet ? netdp_i_quiet_check(&protocol->quiet, error) : NETDP_OK;
}

/* More noise of single nodes: of one contribution, on a network that does not change. */
static netdp_status check_own(const netdp_linear *protocol, netdp_error *error)
{
    const bool once = protocol->every == 0 && !protocol->steady && !protocol->reacts;
    if (protocol->own == NULL)
        return NETDP_OK;
    if (!once || protocol->varying.kind != NETDP_VARY_NEVER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "more noise of single nodes: applies to averaging on a network that "
                            "does not change; give all nodes the same");
    for (int32_t v = 0; v < netdp_mixing_rows(protocol->mixing).nodes; v++)
        if (!(protocol->own[v] >= 1 && protocol->own[v] <= MOST_OWN))
            return netdp_i_fail(error, NETDP_INVALID,
                                "more noise: %g times of node %d; give from 1 to %g times",
                                protocol->own[v], (int)v, MOST_OWN);
    return NETDP_OK;
}

/* A W that is not symmetric: of learning by plain gossip. */
static netdp_status check_symmetry(const netdp_linear *protocol, netdp_error *error)
{
    if (netdp_mixing_is_symmetric(protocol->mixing) ||
        (protocol->reacts && !protocol->accelerate && protocol->varying.kind == NETDP_VARY_NEVER))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "mixing '%s': W is not symmetric on this graph; gossip-sgd and "
                        "muffliato-sgd run on it, without acceleration, on a network that does not "
                        "change; use metropolis",
                        netdp_mixing_name(protocol->mixing));
}

/* In which rounds nodes contribute. */
static netdp_status check_rounds(const netdp_linear *protocol, netdp_error *error)
{
    if (protocol->rounds < 1)
        return netdp_i_fail(error, NETDP_INVALID, "rounds: %" PRId64 "; gossip needs at least 1",
                            protocol->rounds);
    if (protocol->every < 0 || protocol->at_most < 0)
        return netdp_i_fail(error, NETDP_INVALID, "every and at-most: give 1 or more");
    if (protocol->every == 0 && (protocol->reacts || protocol->steady || protocol->noise.end > 0))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "every: 0, a contribution in round 0 only, is averaging; streams and "
            "learning, which has the end dither, contribute every 1 or more rounds");
    if (protocol->reacts && protocol->at_most > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "at-most: applies to streams; learning contributes in every phase");
    if (protocol->reacts && protocol->rounds % protocol->every != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: %" PRId64 " is not a multiple of the %" PRId64
                            " inner rounds of a phase",
                            protocol->rounds, protocol->every);
    return NETDP_OK;
}

netdp_status netdp_linear_check(const netdp_linear *protocol, netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && protocol->mixing);
    double value;
    const netdp_i_noise_part *wrong = netdp_i_noise_wrong(&protocol->noise, &value);
    TRY(check_rounds(protocol, error));
    if (wrong != NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s: %g; give a number from 0 to %g",
                            wrong->option, value, wrong->most);
    if (protocol->noise.decay > 0 && protocol->every > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "dither-decay: applies to averaging, whose rounds are counted from "
                            "one contribution; leave it out");
    TRY(check_varying(protocol, error));
    TRY(check_symmetry(protocol, error));
    TRY(check_quiet(protocol, error));
    TRY(check_own(protocol, error));
    if (protocol->noise.pairing.weighted &&
        (protocol->every > 0 || protocol->varying.kind != NETDP_VARY_NEVER ||
         netdp_mixing_rows(protocol->mixing).nodes > NETDP_DENSE_NODES))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "pair-weights: apply to averaging on at most %d nodes, on a network that "
            "does not change",
            NETDP_DENSE_NODES);
    TRY(netdp_i_pairing_check(&protocol->noise.pairing, netdp_mixing_rows(protocol->mixing).nodes,
                              error));
    return netdp_mixing_require(protocol->mixing, error);
}

netdp_status netdp_rounds_auto(double gap, int32_t nodes, double sigma, double variance,
                               int64_t *rounds, netdp_error *error)
{
    NETDP_I_GIVEN(error, rounds);
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
