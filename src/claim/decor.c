/* DECOR (Allouah et al., ICML 2024): decentralised SGD under noise that cancels in pairs. */
#include "claim/claims.h"

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

/* clang-format off */
const netdp_claim netdp_i_claims_decor[] = {
    {"decor", "Allouah et al., ICML 2024, DECOR's accountant",
     "pairwise noise, all messages seen by a curious node: loss T [(I + kappa^2 L)^-1]_uu",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO,
     "L keeps the seeds that the curious node knows; star 16: up to 16 times too small", 20, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR, {IN_(ROUNDS), IN_(PAIR_NOISE)}, decor, known,
     "everything seen, the observer's own pairs taken out"},
    {0},
};
/* clang-format on */
