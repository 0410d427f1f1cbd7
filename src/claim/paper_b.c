/* Paper B (weighted walks, 2020). */
#include <math.h>
#include <netdp/privacy.h>

#include "claim/claims.h"

/* k^(1-q) */
static double decay(const netdp_claim_inputs *in)
{
    return pow(IN(ROUNDS), 1 - IN(EXPONENT));
}

/* 1 / ln(1/lambda_P) */
static double mixing(const netdp_claim_inputs *in)
{
    return -1 / log1p(-IN(GAP));
}

FORMULA(theorem_1)
{
    UNUSED;
    const double most = fmax(IN(HETEROGENEITY), IN(SMOOTHNESS) * IN(SMOOTHNESS));
    *value = fmax(most, mixing(in)) / decay(in);
    return NETDP_OK;
}

FORMULA(theorem_2)
{
    UNUSED;
    const double mean = IN(MEAN_SMOOTHNESS), least = IN(LEAST_SMOOTHNESS);
    const double most = fmax(mean / least * IN(HETEROGENEITY), mean * mean);
    *value = least <= mean ? fmax(most, mixing(in)) / decay(in) : INFINITY;
    return NETDP_OK;
}

/* Released constants that are cut to [L_least, L], what a truncated Gamma mechanism does after it has released them. */
FORMULA(equation_11)
{
    UNUSED;
    const double most = IN(SMOOTHNESS), least = IN(LEAST_SMOOTHNESS);
    *value = least < most ? (most / least * IN(HETEROGENEITY) + most * most) / decay(in) : INFINITY;
    return NETDP_OK;
}

static netdp_status gamma_delta(const netdp_claim_inputs *in, bool published, double *delta,
                                netdp_error *error)
{
    const netdp_gamma mechanism = {.theta = IN(SCALE),
                                   .low = IN(LEAST_SMOOTHNESS),
                                   .high = IN(SMOOTHNESS),
                                   .published = published};
    *delta = INFINITY;
    if (!(IN(LEAST_SMOOTHNESS) <= IN(SMOOTHNESS)))
        return NETDP_OK;
    return netdp_gamma_to_delta(&mechanism, IN(EPSILON), delta, error);
}

FORMULA(lemma_3)
{
    (void)progress;
    return gamma_delta(in, true, value, error);
}

ACCOUNT(gamma_exactly)
{
    (void)progress;
    netdp_status status = gamma_delta(in, false, &truth->at_most, error);
    truth->at_least = isinf(truth->at_most) ? 0 : truth->at_most * (1 - 1e-9);
    return status;
}

/* The least theta on [L_least, L]; NETDP_NO_ANSWER where none is enough. */
static netdp_status gamma_scale(const netdp_claim_inputs *in, bool published, double *theta,
                                netdp_error *error)
{
    return netdp_gamma_calibrate(IN(LEAST_SMOOTHNESS), IN(SMOOTHNESS), IN(EPSILON), IN(DELTA),
                                 published, theta, error);
}

FORMULA(lemma_3_scale)
{
    (void)progress;
    netdp_error none;
    *value = INFINITY;
    if (!(IN(LEAST_SMOOTHNESS) < IN(SMOOTHNESS)))
        return NETDP_OK;
    netdp_status status = gamma_scale(in, true, value, &none);
    if (status == NETDP_OK || status == NETDP_NO_ANSWER)
        return NETDP_OK;
    if (error != NULL)
        *error = none;
    return status;
}

ACCOUNT(gamma_scale_exactly)
{
    (void)progress;
    netdp_status status = gamma_scale(in, false, &truth->at_most, error);
    truth->at_least = truth->at_most * (1 - 1e-9);
    return status;
}

/* clang-format off */
const netdp_claim netdp_i_claims_b[] = {
    {"B-theorem-1", "paper B, Theorem 1",
     "uniform walk, step 1/k^q: excess max(zeta^2, L^2, 1/ln(1/(1-gap))) / T^(1-q)",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(EXPONENT), IN_(GAP), IN_(SMOOTHNESS), IN_(HETEROGENEITY)}, theorem_1, NULL,
     NULL},
    {"B-theorem-2", "paper B, Theorem 2",
     "weighted walk, step 1/k^q: excess max(zeta^2 L_mean/L_least, L_mean^2, 1/ln(1/(1-gap))) / "
     "T^(1-q)",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, "its path and step sizes depend on private L_i", 10,
     "L_least <= L_mean", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(EXPONENT), IN_(GAP), IN_(MEAN_SMOOTHNESS), IN_(LEAST_SMOOTHNESS),
      IN_(HETEROGENEITY)},
     theorem_2, NULL, NULL},
    {"B-equation-10", "paper B, (10)",
     "the same after the Gamma mechanism, given what was released: its mean and least constants, "
     "its walk's gap",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, "the released constants have no bounds: nothing on average",
     0, "L_least <= L_mean", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(EXPONENT), IN_(GAP), IN_(MEAN_SMOOTHNESS), IN_(LEAST_SMOOTHNESS),
      IN_(HETEROGENEITY)},
     theorem_2, NULL, NULL},
    {"B-equation-11", "paper B, (11)",
     "truncated Gamma mechanism, released constants in [L_least, L]: excess (zeta^2 L/L_least + L^2) "
     "/ T^(1-q)",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, "drops the walk's mixing, 1/ln(1/(1-gap)) in (10)", 0,
     "L_least < L", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(EXPONENT), IN_(LEAST_SMOOTHNESS), IN_(SMOOTHNESS), IN_(HETEROGENEITY)},
     equation_11, NULL, NULL},
    {"B-lemma-3", "paper B, Lemma 3",
     "Gamma mechanism of scale theta, L in [L_least, L]: delta at epsilon by two tails",
     NETDP_CLAIM_DELTA, NETDP_SOUND_YES, "not tight, and of the released R(L) only", 10,
     "L_least <= L", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(EPSILON), IN_(SCALE), IN_(LEAST_SMOOTHNESS), IN_(SMOOTHNESS)}, lemma_3, gamma_exactly,
     "the exact curve of the Gamma mechanism"},
    {"B-lemma-3-scale", "paper B, Lemma 3",
     "Gamma mechanism, L in [L_least, L]: theta at which two tails give delta at epsilon",
     NETDP_CLAIM_SCALE, NETDP_SOUND_YES, "not tight, and of the released R(L) only", 10,
     "L_least < L, and some theta is enough", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(EPSILON), IN_(DELTA), IN_(LEAST_SMOOTHNESS), IN_(SMOOTHNESS)}, lemma_3_scale,
     gamma_scale_exactly, "the exact curve of the Gamma mechanism"},
    {0},
};
/* clang-format on */
