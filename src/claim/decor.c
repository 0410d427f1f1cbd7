/*
 * Decentralised SGD under noise that cancels: DECOR (Allouah et al., ICML 2024), in pairs; CorN-DSGD (Rodio, Chen and
 * Larsson, ITW 2025; Whisper D-SGD before), of any covariance R, of which noise in pairs, R = I + kappa^2 L, is one.
 */
#include "claim/claims.h"

#include <math.h>

#include "base/try.h"

/* Every message seen; each edge shares noise in every round. */
static netdp_status in_pairs(const netdp_claim_inputs *in, netdp_own_noise own_noise,
                             const netdp_progress *progress, double *loss, netdp_error *error)
{
    const netdp_linear protocol = {
        .mixing = in->mixing,
        .rounds = (int64_t)IN(ROUNDS),
        .every = 1,
        .steady = true,
        .reacts = true,
        .noise.pairing = {.graph = netdp_mixing_graph(in->mixing), .kappa = IN(PAIR_NOISE)}};
    return netdp_i_claim_loss(in,
                              &(netdp_loss_request){.protocol = &protocol,
                                                    .sees = NETDP_SEES_EVERYTHING,
                                                    .own_noise = own_noise,
                                                    .bound = NETDP_BOUND_EVERYTHING},
                              progress, loss, error);
}

/* The whole Laplacian is inverted: what the observer shares counts as if it did not know it. */
FORMULA(decor)
{
    return in_pairs(in, NETDP_OWN_NOISE_COUNTS, progress, value, error);
}

ACCOUNT(known)
{
    netdp_status status = in_pairs(in, NETDP_OWN_NOISE_KNOWN, progress, &truth->at_most, error);
    truth->at_least = truth->at_most;
    return status;
}

/* As their code has it: rho = 2 C^2 T (R^-1)_uu in zCDP, of a gradient that changes by 2 C = Delta. */
FORMULA(corn)
{
    double loss;
    TRY(in_pairs(in, NETDP_OWN_NOISE_COUNTS, progress, &loss, error));
    const double rho = loss / (2 * IN(NOISE) * IN(NOISE)), room = -log(IN(DELTA));
    *value = rho + 2 * sqrt(rho * room);
    return NETDP_OK;
}

/* Of the same noise: at least an outsider's, at most the curious node's, who knows the noise of its own pairs. */
ACCOUNT(corn_exactly)
{
    double outsider, node;
    const netdp_unit unit = {NETDP_AS_DP, IN(DELTA)};
    TRY(in_pairs(in, NETDP_OWN_NOISE_COUNTS, progress, &outsider, error));
    TRY(in_pairs(in, NETDP_OWN_NOISE_KNOWN, progress, &node, error));
    TRY(netdp_loss_value(outsider, IN(NOISE), unit, &truth->at_least, error));
    return netdp_loss_value(node, IN(NOISE), unit, &truth->at_most, error);
}

/* clang-format off */
const netdp_claim netdp_i_claims_decor[] = {
    {"corn-dsgd", "Rodio, Chen and Larsson, ITW 2025, CorN-DSGD's code",
     "noise of covariance sigma^2 R, R = I + kappa^2 L, all messages seen: epsilon = rho + 2 sqrt(rho "
     "ln(1/delta)), rho = T (R^-1)_uu / (2 sigma^2)",
     NETDP_CLAIM_DP, NETDP_SOUND_PARTLY,
     "towards outsiders alone: a node that shares seeds learns more", 0, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR,
     {IN_(ROUNDS), IN_(PAIR_NOISE), IN_(NOISE), IN_(DELTA)}, corn, corn_exactly,
     "at least: an outsider; at most: everything seen, the observer's own pairs taken out"},
    {"decor", "Allouah et al., ICML 2024, DECOR's accountant",
     "pairwise noise, all messages seen by a curious node: loss T [(I + kappa^2 L)^-1]_uu",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO,
     "L keeps the seeds that the curious node knows; star 16: up to 16 times too small", 20, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR, {IN_(ROUNDS), IN_(PAIR_NOISE)}, decor, known,
     "everything seen, the observer's own pairs taken out"},
    {0},
};
/* clang-format on */
