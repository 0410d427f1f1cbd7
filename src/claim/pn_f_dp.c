/*
 * Li, Su, Wang, Long and Su (NeurIPS 2025, arXiv 2510.19934): walks by trade-off functions ("PN-f-DP"). What an observer learns of
 * one contribution is a mixture over the time of the token's first passage, and as many of those are composed as the
 * node contributes.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "claim/claims.h"
#include "mixing/mixing.h"

/*
 * sum_t w_t (e^(c/(t+1)) - 1), w_t the chance that a token at `from` is at `to` after t steps for the first time: `at`
 * and `next` [nodes] hold what is left to come.
 */
static double mean_over_passages(const netdp_claim_inputs *in, double c, double *at, double *next)
{
    const netdp_rows rows = netdp_transition_rows(in->law);
    const int32_t to = in->to[0];
    double sum = 0;
    at[to] = 1;
    for (int64_t t = 1; t <= (int64_t)IN(ROUNDS); t++) {
        netdp_i_rows_apply_part(rows, 0, rows.nodes, at, next, 1);
        double *swap = at;
        at = next;
        next = swap;
        sum += at[in->from] * expm1(c / (double)(t + 1));
        at[to] = 0;
    }
    return sum;
}

/* Theorem 4.1 with Lemmas 4.1 and 4.3, one step a visit and zeta = 0, as a Renyi epsilon: that of a mixture with known labels. */
FORMULA(pn_f_dp)
{
    (void)progress;
    const int64_t n = netdp_transition_rows(in->law).nodes;
    const double alpha = IN(ALPHA), cap = IN(CAP);
    const double times = cap > 0 ? cap : ceil(IN(ROUNDS) / (double)n);
    double *room = NETDP_I_NEW(double, 2 * n);
    if (room == NULL)
        return netdp_i_no_memory(error);
    const double c = alpha * (alpha - 1) / (2 * IN(NOISE) * IN(NOISE));
    *value = times * log1p(mean_over_passages(in, c, room, room + n)) / (alpha - 1);
    netdp_i_free(room);
    return NETDP_OK;
}

/* clang-format off */
const netdp_claim netdp_i_claims_pn_f_dp[] = {
    {"pn-f-dp", "Li et al., NeurIPS 2025, Theorem 4.1 with Lemma 4.3",
     "N_u times, composed: a mixture over first passages at t of Gaussians with mu^2 = 1 / ((t + 1) sigma^2)",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO,
     "t noises hide a contribution, not t + 1: the observer's own is counted; and contributions between two of its visits count apart", 30,
     NULL, NETDP_CLAIM_WALK, NETDP_CLAIM_PAIR, {IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(CAP)}, pn_f_dp,
     netdp_i_claim_walk, "the excursion account; at least: sums, path known"},
    {0},
};
/* clang-format on */
