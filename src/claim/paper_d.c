/* Paper D (linear systems, 2025): streams, of which every round takes a contribution. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "claim/claims.h"

/* ---- Theorem 12 and Section 3.4 ---- */

static netdp_status stream(const netdp_claim_inputs *in, netdp_bound bound, netdp_sees sees,
                           netdp_own_noise own_noise, const double *pattern,
                           const netdp_progress *progress, double *loss, netdp_error *error)
{
    const netdp_linear protocol = {
        .mixing = in->mixing, .rounds = (int64_t)IN(ROUNDS), .every = 1, .steady = true};
    return netdp_i_claim_loss(in,
                              &(netdp_loss_request){.protocol = &protocol,
                                                    .sees = sees,
                                                    .own_noise = own_noise,
                                                    .bound = bound,
                                                    .pattern = pattern},
                              progress, loss, error);
}

/* The closed neighbourhood, the first view of Remark 11; the observer's noise counts. */
static netdp_status neighbourhood(const netdp_claim_inputs *in, netdp_bound bound,
                                  const netdp_progress *progress, double *loss, netdp_error *error)
{
    return stream(in, bound, NETDP_SEES_NEIGHBOURS, NETDP_OWN_NOISE_COUNTS, NULL, progress, loss,
                  error);
}

FORMULA(theorem_12)
{
    netdp_status status = neighbourhood(in, NETDP_BOUND_ABS_SUM, progress, value, error);
    *value *= *value;
    return status;
}

FORMULA(theorem_12_corrected)
{
    return neighbourhood(in, NETDP_BOUND_ABS_SUM, progress, value, error);
}

FORMULA(section_3_4)
{
    return neighbourhood(in, NETDP_BOUND_SPECTRAL, progress, value, error);
}

ACCOUNT(neighbourhood_soundly)
{
    TRY(neighbourhood(in, NETDP_BOUND_UPPER, progress, &truth->at_most, error));
    return neighbourhood(in, NETDP_BOUND_LOWER, progress, &truth->at_least, error);
}

/* Appendix A: contributions that react, accounted for as if they did not. */
FORMULA(appendix_a)
{
    const netdp_linear protocol = {.mixing = in->mixing,
                                   .rounds = (int64_t)IN(ROUNDS),
                                   .every = 1,
                                   .steady = true,
                                   .reacts = true};
    return netdp_i_claim_loss(
        in, &(netdp_loss_request){.protocol = &protocol, .bound = NETDP_BOUND_LINEAR}, progress,
        value, error);
}

ACCOUNT(everything)
{
    UNUSED;
    truth->at_most = IN(ROUNDS);
    return NETDP_OK;
}

/* ---- Theorems 13, 15, 16 ---- */

FORMULA(theorem_13)
{
    UNUSED;
    *value = IN(ROUNDS) / IN(NODES);
    return NETDP_OK;
}

/* (m/n) T + 2/gap^2 sqrt((m/n) T) + 2/gap^4 */
static double explicit_bound(const netdp_claim_inputs *in, double members)
{
    const double share = members / IN(NODES) * IN(ROUNDS), square = IN(GAP) * IN(GAP);
    return share + 2 / square * sqrt(share) + 2 / (square * square);
}

FORMULA(equation_5_4)
{
    UNUSED;
    *value = explicit_bound(in, 1);
    return NETDP_OK;
}

FORMULA(theorem_15)
{
    UNUSED;
    *value = explicit_bound(in, IN(MEMBERS)) * IN(ROUNDS);
    return NETDP_OK;
}

FORMULA(theorem_15_corrected)
{
    UNUSED;
    *value = explicit_bound(in, IN(MEMBERS));
    return NETDP_OK;
}

FORMULA(theorem_16)
{
    UNUSED;
    const double others = IN(NODES) - IN(MEMBERS);
    *value = others > 0 ? IN(MEMBERS) / others * IN(ROUNDS) : INFINITY;
    return NETDP_OK;
}

FORMULA(lemma_h_1)
{
    UNUSED;
    *value = M_PI * M_PI / 6 * IN(MEMBERS) / pow(IN(GAP), 4);
    return NETDP_OK;
}

/* Rounds up to which the sound upper bound of a stream is computed beside the attack, and it. */
enum { UPPER_ROUNDS = 256, ATTACK_ROUNDS = 100000000 };

/* The signs of cos(omega t) against secure sums, and the sound bound of short streams. */
static netdp_status attack(const netdp_claim_inputs *in, netdp_own_noise own_noise,
                           const netdp_progress *progress, netdp_claim_truth *truth,
                           netdp_error *error)
{
    const int64_t rounds = (int64_t)IN(ROUNDS);
    if (in->mixing == NULL || in->from < 0 || in->to_count < 1)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "streams: give a graph, from and to");
    if (in->to_count > 1 && own_noise == NETDP_OWN_NOISE_COUNTS)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "streams: a coalition knows its own noise, of which Theorem 16 speaks");
    if (rounds > ATTACK_ROUNDS)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "streams: at most %d rounds", ATTACK_ROUNDS);
    OWNED double *pattern = NETDP_I_NEW(double, rounds);
    if (pattern == NULL)
        return netdp_i_no_memory(error);
    for (int64_t t = 0; t < rounds; t++)
        pattern[t] = cos(IN(OMEGA) * (double)t) >= 0 ? 1 : -1;
    truth->at_most = (double)rounds;
    TRY(stream(in, NETDP_BOUND_LOWER, NETDP_SEES_SUM, own_noise, pattern, progress,
               &truth->at_least, error));
    if (rounds <= UPPER_ROUNDS)
        return stream(in, NETDP_BOUND_UPPER, NETDP_SEES_SUM, own_noise, NULL, progress,
                      &truth->at_most, error);
    return NETDP_OK;
}

ACCOUNT(counted_attack)
{
    return attack(in, NETDP_OWN_NOISE_COUNTS, progress, truth, error);
}

ACCOUNT(known_attack)
{
    return attack(in, NETDP_OWN_NOISE_KNOWN, progress, truth, error);
}

/* ---- Section 5 ---- */

FORMULA(equation_5_3)
{
    UNUSED;
    *value = 1 - IN(GAP) * IN(GAP);
    return NETDP_OK;
}

/* |(W - 11'/n) x|^2 <= (1 - p) |x|^2 holds with this p and no larger one. */
FORMULA(equation_5_3_corrected)
{
    UNUSED;
    *value = IN(GAP) * (2 - IN(GAP));
    return NETDP_OK;
}

/* It claims that p or more is the rate; a larger p than the true one is the error. */
ACCOUNT(contraction)
{
    UNUSED;
    truth->at_least = 0;
    truth->at_most = IN(GAP) * (2 - IN(GAP));
    return NETDP_OK;
}

FORMULA(equation_5_5)
{
    UNUSED;
    *value = sqrt(IN(LOSS) * 2 * log(1.25 / IN(DELTA))) / IN(EPSILON);
    return NETDP_OK;
}

/* The noise of one Gaussian release of this sensitivity: an upper bound, tight up to rounding. */
ACCOUNT(gaussian_noise)
{
    (void)progress;
    double mu = 0;
    netdp_status status = netdp_epsilon_to_gdp(IN(EPSILON), IN(DELTA), &mu, error);
    truth->at_most = mu > 0 ? sqrt(IN(LOSS)) / mu * (1 + 1e-15) : INFINITY;
    truth->at_least = sqrt(IN(LOSS)) / mu * (1 - 1e-9);
    return status;
}

/* ln(1/delta) / epsilon^2 (T/n + sqrt(T/n) / gap^2 + 1/gap^4) */
FORMULA(equation_5_6)
{
    UNUSED;
    const double share = IN(ROUNDS) / IN(NODES), square = IN(GAP) * IN(GAP);
    *value = -log(IN(DELTA)) / (IN(EPSILON) * IN(EPSILON)) *
             (share + sqrt(share) / square + 1 / (square * square));
    return NETDP_OK;
}

/* With its unknown constant c = 1. */
static double theorem_17_of(const netdp_claim_inputs *in)
{
    const double n = IN(NODES), T = IN(ROUNDS), gap = IN(GAP), m = IN(CONVEXITY);
    const double noise = IN(DIMENSIONS) * -log(IN(DELTA)) / (IN(EPSILON) * IN(EPSILON) * n * m);
    return noise * (1 / n + 1 / (gap * gap * sqrt(T)) + 1 / (pow(gap, 4) * T)) +
           IN(SMOOTHNESS) * IN(HETEROGENEITY) / (m * m * gap * gap * T * T) +
           IN(SMOOTHNESS) * IN(DISTANCE) * IN(DISTANCE) / gap * exp(-gap * m / IN(SMOOTHNESS) * T);
}

FORMULA(theorem_17)
{
    UNUSED;
    *value = theorem_17_of(in);
    return NETDP_OK;
}

/* With the term of (J.10) that the theorem leaves out. */
FORMULA(theorem_17_corrected)
{
    UNUSED;
    *value = theorem_17_of(in) + IN(DIMENSIONS) * IN(SMOOTHNESS) * -log(IN(DELTA)) /
                                     (IN(EPSILON) * IN(EPSILON) * IN(CONVEXITY) * IN(CONVEXITY) *
                                      IN(NODES) * IN(GAP) * IN(ROUNDS));
    return NETDP_OK;
}

/* ---- The definitions and later work ---- */

/* Lemma 4: T releases of mu = 1/sigma. */
FORMULA(lemma_4)
{
    (void)progress;
    return netdp_loss_value(IN(ROUNDS), IN(NOISE), (netdp_unit){NETDP_AS_DP, IN(DELTA)}, value,
                            error);
}

/* sum_s sum_{w in N(v)} (T - s) (W^s)_uw^2 / |W^s_w|^2: Theorem 1 of paper C, of 1 to T rounds. */
FORMULA(later_theorem_11)
{
    double sum = 0;
    for (int64_t rounds = 1; rounds <= (int64_t)IN(ROUNDS); rounds++) {
        const netdp_linear protocol = {.mixing = in->mixing, .rounds = rounds};
        double loss = 0;
        TRY(netdp_i_claim_loss(
            in, &(netdp_loss_request){.protocol = &protocol, .bound = NETDP_BOUND_PUBLISHED},
            progress, &loss, error));
        sum += loss;
    }
    *value = sum;
    return NETDP_OK;
}

ACCOUNT(known_neighbourhood)
{
    TRY(stream(in, NETDP_BOUND_UPPER, NETDP_SEES_NEIGHBOURS, NETDP_OWN_NOISE_KNOWN, NULL, progress,
               &truth->at_most, error));
    return stream(in, NETDP_BOUND_LOWER, NETDP_SEES_NEIGHBOURS, NETDP_OWN_NOISE_KNOWN, NULL,
                  progress, &truth->at_least, error);
}

#define STREAM "the stream's accounts: best signs found, least sound bound"
#define ATTACK "at least: the signs of cos(omega t) against secure sums"

static const char tail[] = "Lemma G.2 sums a geometric tail wrongly; right for constant streams";

/* clang-format off */
const netdp_claim netdp_i_claims_d[] = {
    {"D-lemma-4", "paper D, Lemma 4 (Dong et al.)",
     "T Gaussian releases are sqrt(T)/sigma-GDP, which gives epsilon at delta",
     NETDP_CLAIM_DP, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(NOISE), IN_(DELTA)}, lemma_4, NULL, NULL},
    {"D-theorem-12", "paper D, Theorem 12, last line; Theorem A.3",
     "stream, closed neighbourhood, own noise counts: sensitivity <= 1' |V V'| 1, loss its square",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO, "lacks a square: 1' |V V'| 1 bounds the squared sensitivity",
     2, NULL, NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR, {IN_(ROUNDS)}, theorem_12,
     neighbourhood_soundly, STREAM},
    {"D-theorem-12-corrected", "paper D, Theorem 12, with its square",
     "stream, closed neighbourhood, own noise counts: loss <= 1' |V V'| 1",
     NETDP_CLAIM_LOSS, NETDP_SOUND_YES, "for contributions that are numbers and do not react", 2,
     NULL, NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR, {IN_(ROUNDS)}, theorem_12_corrected,
     neighbourhood_soundly, STREAM},
    {"D-section-3-4", "paper D, Section 3.4",
     "stream, closed neighbourhood, own noise counts: loss <= T lambda_max(M)",
     NETDP_CLAIM_LOSS, NETDP_SOUND_YES, "for contributions that do not react", 0, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR, {IN_(ROUNDS)}, section_3_4, neighbourhood_soundly,
     STREAM},
    {"D-appendix-A", "paper D, Appendix A, and later accounts of gossip-sgd",
     "gossip-sgd: the stream's bound, although gradients react to hidden states",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO,
     "the others' gradients carry u's contribution on; star 7, T = 40: 6.0 for 15.8", 13, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR, {IN_(ROUNDS)}, appendix_a, everything,
     "local differential privacy"},
    {"D-theorem-13", "paper D, Theorem 13",
     "stream, secure sums: loss / T tends to 1/n; here T/n",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO, tail, 2, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR,
     {IN_(NODES), IN_(ROUNDS), IN_(OMEGA)}, theorem_13, counted_attack, ATTACK},
    {"D-theorem-15", "paper D, Theorem 15",
     "m observers: loss <= T ((m/n) T + 2/gap^2 sqrt(m T/n) + 2/gap^4)",
     NETDP_CLAIM_LOSS, NETDP_SOUND_YES, "a stray factor T: it is never below 2 T, twice local DP",
     2, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_COALITION,
     {IN_(NODES), IN_(MEMBERS), IN_(GAP), IN_(ROUNDS), IN_(OMEGA)}, theorem_15, counted_attack,
     ATTACK},
    {"D-theorem-15-corrected", "paper D, Theorem 15, without the stray T",
     "m observers: loss <= (m/n) T + 2/gap^2 sqrt(m T/n) + 2/gap^4",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO, tail, 2, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_COALITION,
     {IN_(NODES), IN_(MEMBERS), IN_(GAP), IN_(ROUNDS), IN_(OMEGA)}, theorem_15_corrected,
     counted_attack, ATTACK},
    {"D-theorem-16", "paper D, Theorem 16",
     "m observers know their noise: limsup loss / T <= m/(n-m); here times T",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO, tail, 2, "m < n", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_COALITION,
     {IN_(NODES), IN_(MEMBERS), IN_(ROUNDS), IN_(OMEGA)}, theorem_16, known_attack, ATTACK},
    {"D-lemma-G-2", "paper D, Lemmas G.2 and H.1",
     "the transient part of the loss <= (pi^2/6) m / gap^4, whatever T",
     NETDP_CLAIM_SUM, NETDP_SOUND_NO, "sums a geometric tail wrongly and drops the terms up to m_t",
     2, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(MEMBERS), IN_(GAP)}, lemma_h_1, NULL,
     NULL},
    {"D-equation-5-3", "paper D, eq. (5.3)",
     "consensus rate p = 1 - gap^2",
     NETDP_CLAIM_SUM, NETDP_SOUND_NO, "Lemma J.1, to which it refers, has 1 - (1 - gap)^2", 2, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(GAP)}, equation_5_3, contraction,
     "the norm of W - 11'/n; a rate above it is too good to be true"},
    {"D-lemma-J-1", "paper D, Lemma J.1",
     "consensus rate p = 1 - (1 - gap)^2",
     NETDP_CLAIM_SUM, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(GAP)}, equation_5_3_corrected, contraction, "the norm of W - 11'/n"},
    {"D-equation-5-4", "paper D, eq. (5.4)",
     "stream, secure sums: loss <= T/n + 2/gap^2 sqrt(T/n) + 2/gap^4",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO, tail, 2, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR,
     {IN_(NODES), IN_(GAP), IN_(ROUNDS), IN_(OMEGA)}, equation_5_4, counted_attack, ATTACK},
    {"D-equation-5-5", "paper D, eq. (5.5)",
     "noise sqrt(loss) sqrt(2 ln(1.25/delta)) / epsilon gives (epsilon, delta)",
     NETDP_CLAIM_NOISE, NETDP_SOUND_PARTLY, "for epsilon < 1, which the paper does not ask for", 0,
     NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(LOSS), IN_(EPSILON), IN_(DELTA)},
     equation_5_5, gaussian_noise, "the exact Gaussian mechanism"},
    {"D-equation-5-6", "paper D, eq. (5.6)",
     "noise variance ln(1/delta)/epsilon^2 (T/n + sqrt(T/n)/gap^2 + 1/gap^4)",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, "from (5.4), which is none", 2, NULL, NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY, {IN_(NODES), IN_(GAP), IN_(ROUNDS), IN_(EPSILON), IN_(DELTA)},
     equation_5_6, NULL, NULL},
    {"D-theorem-17", "paper D, Theorem 17",
     "mean excess of DP gradient descent by gossip, its five terms with c = 1",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE,
     "from (5.4); lacks the term of (J.10), which counts where L gap^3 > m", 2, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(GAP), IN_(ROUNDS), IN_(EPSILON), IN_(DELTA), IN_(DIMENSIONS), IN_(CONVEXITY),
      IN_(SMOOTHNESS), IN_(HETEROGENEITY), IN_(DISTANCE)},
     theorem_17, NULL, NULL},
    {"D-theorem-17-corrected", "paper D, Theorem 17, with the term of (J.10)",
     "the same and d L ln(1/delta) / (epsilon^2 m^2 n gap T)",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, "from (5.4), which is none", 2, NULL, NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(GAP), IN_(ROUNDS), IN_(EPSILON), IN_(DELTA), IN_(DIMENSIONS), IN_(CONVEXITY),
      IN_(SMOOTHNESS), IN_(HETEROGENEITY), IN_(DISTANCE)},
     theorem_17_corrected, NULL, NULL},
    {"later-theorem-11", "later work, corrected Theorem 11 of paper C",
     "stream or gossip-sgd: loss <= sum_{s<T} (T - s) sum_{w~v} (W^s)_uw^2 / |W^s_w|^2",
     NETDP_CLAIM_LOSS, NETDP_SOUND_NO, "adds the divergences of single messages", 1, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR, {IN_(ROUNDS)}, later_theorem_11, known_neighbourhood,
     STREAM ", contributions that do not react"},
    {0},
};
/* clang-format on */
