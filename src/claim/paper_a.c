/* Paper A (random walks, 2024). */
#include <math.h>
#include <stdio.h>
#include <netdp/walk.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/try.h"
#include "claim/claims.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

/* alpha / (2 sigma^2 i) */
FORMULA(theorem_1)
{
    UNUSED;
    *value = netdp_i_claim_renyi(in, 1 / IN(HIDDEN));
    return NETDP_OK;
}

/* ---- Theorem 2 ---- */

static netdp_convergence converging(const netdp_claim_inputs *in)
{
    return (netdp_convergence){.convexity = IN(CONVEXITY),
                               .smoothness = IN(SMOOTHNESS),
                               .mixing_time = IN(MIXING_TIME),
                               .heterogeneity = IN(HETEROGENEITY),
                               .batch_variance = IN(BATCH_VARIANCE),
                               .dimensions = (int32_t)IN(DIMENSIONS),
                               .noise = IN(NOISE),
                               .distance = IN(DISTANCE),
                               .steps = (int64_t)IN(ROUNDS)};
}

/* 2 e^(-T m/b) R^2 + (39 tau zeta^2 b / (m^3 T) + (d sigma^2 + rho^2) b / (m^2 T)) ln(...) */
FORMULA(theorem_2)
{
    UNUSED;
    const double m = IN(CONVEXITY), b = IN(SMOOTHNESS), T = IN(ROUNDS);
    const double square = IN(DISTANCE) * IN(DISTANCE);
    const double walk = 39 * b * IN(MIXING_TIME) * IN(HETEROGENEITY);
    const double noise = IN(DIMENSIONS) * IN(NOISE) * IN(NOISE) + IN(BATCH_VARIANCE);
    const double logarithm = log(T * m * m * square / walk);
    *value = m <= b && logarithm > 0
                 ? 2 * exp(-T * m / b) * square +
                       (walk / (m * m * m * T) + noise * b / (m * m * T)) * logarithm
                 : INFINITY;
    return NETDP_OK;
}

static netdp_status corrected(const netdp_claim_inputs *in, double *value, netdp_error *error)
{
    const netdp_convergence convergence = converging(in);
    double step = 0;
    *value = INFINITY;
    if (!(IN(CONVEXITY) <= IN(SMOOTHNESS)))
        return NETDP_OK;
    return netdp_walk_convergence(&convergence, &step, value, error);
}

FORMULA(theorem_2_corrected)
{
    (void)progress;
    return corrected(in, value, error);
}

ACCOUNT(theorem_2_proof)
{
    (void)progress;
    return corrected(in, &truth->at_most, error);
}

/* ---- Theorem 3, Lemma 2, Appendices B.1 and D: on the graph ---- */

static netdp_status walk(const netdp_claim_inputs *in, netdp_bound bound,
                         const netdp_progress *progress, double *value, netdp_error *error)
{
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    const netdp_token token = {.law = in->law,
                               .steps = (int64_t)IN(ROUNDS),
                               .start = NETDP_START_UNIFORM,
                               .cap = (int64_t)IN(CAP),
                               .tokens = 1};
    const netdp_walk_request request = {.token = &token,
                                        .bound = bound,
                                        .noise = IN(NOISE),
                                        .unit = {NETDP_AS_RDP, IN(ALPHA)},
                                        .from_count = 1,
                                        .from = &in->from,
                                        .to_count = in->to_count,
                                        .to = in->to,
                                        .coalition = in->to_count > 1};
    TRY(netdp_walk_losses_new(&request, progress, &losses, error));
    *value = losses->loss[0];
    return NETDP_OK;
}

FORMULA(theorem_3)
{
    return walk(in, NETDP_BOUND_PUBLISHED_LOG, progress, value, error);
}

FORMULA(lemma_2)
{
    return walk(in, NETDP_BOUND_WALK_PUBLISHED, progress, value, error);
}

FORMULA(appendix_b_1)
{
    return walk(in, NETDP_BOUND_PUBLISHED_KNOWN, progress, value, error);
}

/*
 * The account of sums, which leaves nothing out but rounding where it is below the cap and below
 * the other.
 */
netdp_status netdp_i_claim_walk(const netdp_claim_inputs *in, const netdp_progress *progress,
                                netdp_claim_truth *truth, netdp_error *error)
{
    double sums = 0;
    TRY(walk(in, NETDP_BOUND_EXCURSION, progress, &truth->at_most, error));
    if (in->to_count == 1)
        TRY(walk(in, NETDP_BOUND_EXCURSION_LINEAR, progress, &sums, error));
    truth->at_least = sums < truth->at_most ? sums : 0;
    return NETDP_OK;
}

/* ---- Theorems 4 and 5, Appendix E: one contribution ---- */

static netdp_closed_walk closed(const netdp_claim_inputs *in)
{
    return (netdp_closed_walk){.nodes = (int32_t)IN(NODES),
                               .from = in->from,
                               .to = in->to_count == 1 ? in->to[0] : -1,
                               .steps = (int64_t)IN(ROUNDS),
                               .loop = IN(LOOP),
                               .alpha = IN(ALPHA),
                               .sigma = IN(NOISE)};
}

#define CLOSED(name, of, form)                                                                     \
    FORMULA(name)                                                                                  \
    {                                                                                              \
        (void)progress;                                                                            \
        const netdp_closed_walk of_walk = closed(in);                                              \
        return of(&of_walk, form, value, error);                                                   \
    }

CLOSED(theorem_4, netdp_closed_star, NETDP_FORM_PRINTED)
CLOSED(theorem_4_corrected, netdp_closed_star, NETDP_FORM_CORRECTED)
CLOSED(theorem_5, netdp_closed_ring, NETDP_FORM_PRINTED)
CLOSED(theorem_5_corrected, netdp_closed_ring, NETDP_FORM_CORRECTED)
CLOSED(complete, netdp_closed_complete, NETDP_FORM_PRINTED)
CLOSED(complete_corrected, netdp_closed_complete, NETDP_FORM_CORRECTED)

/*
 * One contribution of a walk, by its first passage: what a token that starts at u tells the
 * observer, exactly, and no more is told where it starts elsewhere. A family and its weights with
 * the loop; the corrected forms are Lemma 2 on them.
 */
static netdp_status first_passage(const netdp_claim_inputs *in, const char *family,
                                  const char *weights, const netdp_progress *progress,
                                  netdp_claim_truth *truth, netdp_error *error)
{
    char name[48], law[64];
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    OWNED_BY(netdp_transition_free) netdp_transition *transition = NULL;
    netdp_claim_inputs once = *in;
    if (IN(NODES) > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "first passage: at most %d nodes here",
                            NETDP_DENSE_NODES);
    snprintf(name, sizeof name, "%s %.0f", family, IN(NODES));
    snprintf(law, sizeof law, "lazy:%.17g:%s", IN(LOOP), weights);
    TRY(netdp_graph_make(name, 1, true, &graph, NULL, error));
    TRY(netdp_transition_new(graph, law, &transition, error));
    once.law = transition;
    once.value[NETDP_IN_CAP] = 1;
    TRY(walk(&once, NETDP_BOUND_FIRST_PASSAGE, progress, &truth->at_most, error));
    truth->at_least = truth->at_most * (1 - 1e-6); /* it errs upward */
    return NETDP_OK;
}

ACCOUNT(star_passage)
{
    return first_passage(in, "star", "hamilton", progress, truth, error);
}

ACCOUNT(ring_passage)
{
    return first_passage(in, "ring", "hamilton", progress, truth, error);
}

ACCOUNT(complete_passage)
{
    return first_passage(in, "complete", "uniform", progress, truth, error);
}

/* ---- Proposition 1 ---- */

FORMULA(proposition_1_odd)
{
    UNUSED;
    *value = atanh(IN(ARGUMENT));
    return NETDP_OK;
}

FORMULA(proposition_1_even)
{
    UNUSED;
    *value = -log1p(-IN(ARGUMENT) * IN(ARGUMENT));
    return NETDP_OK;
}

ACCOUNT(even_series)
{
    UNUSED;
    truth->at_most = -log1p(-IN(ARGUMENT) * IN(ARGUMENT)) / 2;
    truth->at_least = truth->at_most;
    return NETDP_OK;
}

#define WALK_INPUTS                                                                                \
    {                                                                                              \
        IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(CAP)                                              \
    }
#define CLOSED_INPUTS                                                                              \
    {                                                                                              \
        IN_(NODES), IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(LOOP)                                 \
    }
#define EXCURSION "the excursion account; at least: sums, path known"
#define PASSAGE "the first passage of one contribution, made at the start"

static const char wide[] = "sigma^2 >= 2 alpha (alpha - 1)";
static const char together[] = "adds up contributions that one visit of the observer sees together";

/* clang-format off */
const netdp_claim netdp_i_claims_a[] = {
    {"A-theorem-1", "paper A, Theorem 1 (Feldman et al.)",
     "a noisy step hidden by i noise terms costs alpha / (2 sigma^2 i)",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES,
     "for non-expansive maps, a constant step and one contribution", 0, NULL, NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY, {IN_(HIDDEN), IN_(NOISE), IN_(ALPHA)}, theorem_1, NULL, NULL},
    {"A-theorem-2", "paper A, Theorem 2",
     "E|x_T - x*|^2 <= 2 e^(-T m/b) R^2 + (39 tau zeta^2 b/(m^3 T) + (d sigma^2 + rho^2) b/(m^2 "
     "T)) ln(T m^2 R^2/(39 b tau zeta^2))",
     NETDP_CLAIM_MODEL, NETDP_SOUND_NO, "the step may be below 1/b, where e^(-T m/b) is too small",
     16, "m <= b, and a positive logarithm", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(MIXING_TIME), IN_(CONVEXITY), IN_(SMOOTHNESS), IN_(HETEROGENEITY),
      IN_(BATCH_VARIANCE), IN_(DIMENSIONS), IN_(NOISE), IN_(DISTANCE)},
     theorem_2, theorem_2_proof, "what its proof gives (netdp/walk.h)"},
    {"A-theorem-2-corrected", "paper A, Theorem 2, as its proof gives",
     "E|x_T - x*|^2 <= 2 (1 - g m)^T R^2 + g (39 b tau zeta^2/m^2 + (d sigma^2 + rho^2)/m)",
     NETDP_CLAIM_MODEL, NETDP_SOUND_YES, NULL, 16, "m <= b, and a positive logarithm",
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(MIXING_TIME), IN_(CONVEXITY), IN_(SMOOTHNESS), IN_(HETEROGENEITY),
      IN_(BATCH_VARIANCE), IN_(DIMENSIONS), IN_(NOISE), IN_(DISTANCE)},
     theorem_2_corrected, NULL, NULL},
    {"A-theorem-3", "paper A, Theorem 3",
     "loss of u to v <= N_u (alpha/sigma^2) (ln T / n - ln(I - W + 11'/n)_uv)",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO,
     "ln T for the harmonic number (errata 3), and adds up contributions that one visit sees "
     "together", 11, wide, NETDP_CLAIM_WALK, NETDP_CLAIM_COALITION, WALK_INPUTS, theorem_3,
     netdp_i_claim_walk, EXCURSION},
    {"A-theorem-4", "paper A, Theorem 4",
     "star, node 0 the centre: one contribution of u to v",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, "A/(n-1) is no transition matrix", 5, wide,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR, CLOSED_INPUTS, theorem_4, star_passage, PASSAGE},
    {"A-theorem-4-corrected", "paper A, Theorem 4, with Hamilton weights",
     "star, node 0 the centre: one contribution of u to v, by Lemma 2",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES, "for one contribution in the whole walk", 5, wide,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR, CLOSED_INPUTS, theorem_4_corrected, star_passage,
     PASSAGE},
    {"A-theorem-5", "paper A, Theorem 5",
     "ring: one contribution of u to v",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, "u + v - 2 for u - v, half the angle: can be negative", 4,
     wide, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR, CLOSED_INPUTS, theorem_5, ring_passage, PASSAGE},
    {"A-theorem-5-corrected", "paper A, Theorem 5, as its proof gives",
     "ring: one contribution, (alpha/n sigma^2)(H_T - sum_k cos(2 pi a k/n) ln(2 (1-k) sin^2(pi "
     "k/n)))",
     NETDP_CLAIM_RDP, NETDP_SOUND_PARTLY,
     "for T so long that the eigenvalues' tails count for nothing, one contribution in the whole "
     "walk", 4, wide, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR, CLOSED_INPUTS, theorem_5_corrected,
     ring_passage, PASSAGE},
    {"A-lemma-2", "paper A, Lemma 2",
     "loss of u to v <= N_u (alpha/sigma^2) sum_{t=1}^T (W^t)_uv / t",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, together, 11, wide, NETDP_CLAIM_WALK, NETDP_CLAIM_COALITION,
     WALK_INPUTS, lemma_2, netdp_i_claim_walk, EXCURSION},
    {"A-appendix-B-1", "paper A, Appendix B.1 and Remark 3",
     "known senders: the largest loss over the observer's neighbours",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO,
     "needless for one contribution (errata 12), and adds up those that one visit sees together",
     11, wide, NETDP_CLAIM_WALK, NETDP_CLAIM_COALITION, WALK_INPUTS, appendix_b_1, netdp_i_claim_walk,
     EXCURSION},
    {"A-equation-18", "paper A, Appendix D, eq. (18)",
     "loss of u to a coalition <= the sum of its members' losses by Lemma 2",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, together, 11, wide, NETDP_CLAIM_WALK, NETDP_CLAIM_COALITION,
     WALK_INPUTS, lemma_2, netdp_i_claim_walk, EXCURSION},
    {"A-proposition-1-odd", "paper A, Proposition 1",
     "sum of x^p/p over odd p = ln((1+x)/(1-x))/2",
     NETDP_CLAIM_SUM, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ARGUMENT)}, proposition_1_odd, NULL, NULL},
    {"A-proposition-1-even", "paper A, Proposition 1",
     "sum of x^p/p over even p = -ln(1 - x^2)",
     NETDP_CLAIM_SUM, NETDP_SOUND_YES, "twice the sum: it lacks a factor 1/2", 16, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(ARGUMENT)}, proposition_1_even, even_series,
     "the sum itself"},
    {"A-appendix-E-2", "paper A, Appendix E.2",
     "complete graph: one contribution costs alpha ln T / (n sigma^2)",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, "ln T for the harmonic number: 0 for T = 1", 3, wide,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR, CLOSED_INPUTS, complete, complete_passage, PASSAGE},
    {"A-appendix-E-2-corrected", "paper A, Appendix E.2, with the harmonic number",
     "complete graph: one contribution costs alpha H_T / (n sigma^2)",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES, "for one contribution in the whole walk", 3, wide,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_PAIR, CLOSED_INPUTS, complete_corrected, complete_passage,
     PASSAGE},
    {0},
};
/* clang-format on */
