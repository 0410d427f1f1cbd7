/* Paper E (network differential privacy, 2021): the ring and the complete graph. */
#include <math.h>
#include <stdio.h>
#include <netdp/privacy.h>
#include <netdp/walk.h>
#include <netdp/tally.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/try.h"
#include "claim/claims.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

/* ---- The ring ---- */

static netdp_status passes(const netdp_claim_inputs *in, double *value, netdp_error *error)
{
    double delta;
    return netdp_advanced_composition(IN(EPSILON), 0, (int64_t)IN(PASSES), IN(DELTA_COMPOSE), value,
                                      &delta, error);
}

FORMULA(theorem_1)
{
    (void)progress;
    return passes(in, value, error);
}

/* Hops after which noise is added: floor(K n / (n-1)) printed, once more at the start in truth. */
static double noises(const netdp_claim_inputs *in)
{
    return floor(IN(PASSES) * IN(NODES) / (IN(NODES) - 1));
}

FORMULA(theorem_1_deviation)
{
    UNUSED;
    *value = sqrt(noises(in)) * IN(NOISE);
    return NETDP_OK;
}

ACCOUNT(once_a_round)
{
    UNUSED;
    truth->at_most = sqrt(ceil(IN(PASSES) * IN(NODES) / (IN(NODES) - 1))) * IN(NOISE);
    truth->at_least = truth->at_most;
    return NETDP_OK;
}

FORMULA(remark_1)
{
    UNUSED;
    *value = sqrt(noises(in) + 1) * IN(NOISE);
    return NETDP_OK;
}

/* All of it at step 0 and 1/n of its variance at each of the K n - 1 others. */
ACCOUNT(spread)
{
    UNUSED;
    truth->at_most = sqrt(1 + (IN(PASSES) * IN(NODES) - 1) / IN(NODES)) * IN(NOISE);
    truth->at_least = truth->at_most;
    return NETDP_OK;
}

/* RR_gamma that is e0-LDP: L / (e^e0 + L - 1). */
static double flip(const netdp_claim_inputs *in, double e0)
{
    return IN(LEVELS) / (exp(e0) + IN(LEVELS) - 1);
}

static bool shuffled(const netdp_claim_inputs *in)
{
    return IN(EPSILON) < 0.5 && IN(DELTA) < 0.01 && IN(NODES) > 1000;
}

static double printed_flip(const netdp_claim_inputs *in)
{
    return flip(in, 12 * IN(EPSILON) * sqrt(-log(IN(DELTA)) / IN(NODES)));
}

static double corrected_level(const netdp_claim_inputs *in)
{
    return IN(EPSILON) * sqrt(IN(NODES) / -log(IN(DELTA))) / 12;
}

FORMULA(theorem_2_flip)
{
    UNUSED;
    *value = shuffled(in) ? printed_flip(in) : INFINITY;
    return NETDP_OK;
}

FORMULA(theorem_2_flip_corrected)
{
    UNUSED;
    *value = shuffled(in) && corrected_level(in) < 0.5 ? flip(in, corrected_level(in)) : INFINITY;
    return NETDP_OK;
}

FORMULA(theorem_2)
{
    (void)progress;
    *value = INFINITY;
    return shuffled(in) ? passes(in, value, error) : NETDP_OK;
}

/* The least of the library's bounds for any local randomiser. */
ACCOUNT(shuffling)
{
    (void)progress;
    const netdp_shuffle crowd = {.epsilon0 = IN(EPSILON), .crowd = (int64_t)IN(NODES)};
    if (IN(NODES) > 1e9)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "shuffling: at most 1e9 contributions");
    return netdp_shuffle_epsilon(NETDP_SHUFFLE_LEAST, &crowd, IN(DELTA), &truth->at_most, error);
}

FORMULA(theorem_5)
{
    UNUSED;
    *value = IN(NODES) >= 100 && IN(EPSILON) < 0.5 && IN(DELTA) < 0.01
                 ? 12 * IN(EPSILON) * sqrt(-log(IN(DELTA)) / IN(NODES))
                 : INFINITY;
    return NETDP_OK;
}

/* ln(1 + (e^e - 1)/(e^e + 1) (8 sqrt(e^e ln(4/delta)) / sqrt(n) + 8 e^e / n)) */
FORMULA(theorem_7)
{
    UNUSED;
    const double n = IN(NODES), e = exp(IN(EPSILON));
    *value = IN(EPSILON) <= log(n / (16 * log(2 / IN(DELTA))))
                 ? log1p(tanh(IN(EPSILON) / 2) * (8 * sqrt(e * log(4 / IN(DELTA)) / n) + 8 * e / n))
                 : INFINITY;
    return NETDP_OK;
}

/* ---- The complete graph ---- */

static netdp_complete_walk complete(const netdp_claim_inputs *in)
{
    return (netdp_complete_walk){.nodes = (int32_t)IN(NODES),
                                 .steps = (int64_t)IN(ROUNDS),
                                 .cap = (int64_t)IN(CAP),
                                 .epsilon = IN(EPSILON),
                                 .delta = IN(DELTA),
                                 .delta_compose = IN(DELTA_COMPOSE),
                                 .delta_visits = IN(DELTA_VISITS)};
}

/* The library refuses what the theorems do not cover; here it is infinite. */
static bool covered(const netdp_claim_inputs *in)
{
    return IN(EPSILON) < 1 && IN(DELTA) < 0.5 && IN(DELTA_VISITS) < 0.5 &&
           !(IN(DELTA_COMPOSE) >= 0.5);
}

static netdp_status sum(const netdp_claim_inputs *in, netdp_form form, double *value,
                        netdp_error *error)
{
    const netdp_complete_walk walk = complete(in);
    netdp_complete_loss loss = {.epsilon = INFINITY};
    if (covered(in))
        TRY(netdp_closed_sum(&walk, form, &loss, error));
    *value = loss.epsilon;
    return NETDP_OK;
}

/* Nodes and steps up to which the sound accounts are computed beside the claims. */
#define MOST_NODES 400
#define MOST_STEPS 20000

static netdp_status small_enough(const netdp_claim_inputs *in, netdp_error *error)
{
    if (!covered(in) || IN(NODES) > MOST_NODES || IN(ROUNDS) > MOST_STEPS)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "complete graph: at most %d nodes and %d steps, and inputs that the "
                            "claim covers",
                            MOST_NODES, MOST_STEPS);
    return NETDP_OK;
}

/* The same token with the least Gaussian noise that is (epsilon, delta)-LDP, at the claim's delta.
 */
ACCOUNT(sum_soundly)
{
    static const int32_t from[] = {0}, to[] = {1};
    const netdp_complete_walk walk = complete(in);
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    netdp_complete_loss claimed;
    double mu = 0;
    TRY(small_enough(in, error));
    TRY(netdp_closed_sum(&walk, NETDP_FORM_CORRECTED, &claimed, error));
    TRY(netdp_epsilon_to_gdp(IN(EPSILON), IN(DELTA), &mu, error));
    const netdp_tally tally = {.graph = NETDP_TALLY_COMPLETE,
                               .nodes = walk.nodes,
                               .steps = walk.steps,
                               .cap = walk.cap,
                               .mechanism = NETDP_GAUSSIAN,
                               .noise = 1 / mu,
                               .high = 1};
    const netdp_tally_request request = {.tally = &tally,
                                         .bound = NETDP_BOUND_EXCURSION_LINEAR,
                                         .unit = {NETDP_AS_DP, claimed.delta},
                                         .from_count = 1,
                                         .from = from,
                                         .to_count = 1,
                                         .to = to};
    TRY(netdp_tally_losses_new(&request, progress, &losses, error));
    truth->at_most = losses->loss[0];
    return NETDP_OK;
}

/* The walk on 11'/n with the noise of Algorithm 4, at the claim's delta. */
ACCOUNT(descent_soundly)
{
    static const int32_t from[] = {0}, to[] = {1};
    char family[32];
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    OWNED_BY(netdp_transition_free) netdp_transition *law = NULL;
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    TRY(small_enough(in, error));
    snprintf(family, sizeof family, "complete %.0f", IN(NODES));
    TRY(netdp_graph_make(family, 1, true, &graph, NULL, error));
    TRY(netdp_transition_new(graph, "uniform", &law, error));
    const netdp_token token = {.law = law,
                               .steps = (int64_t)IN(ROUNDS),
                               .start = NETDP_START_UNIFORM,
                               .cap = (int64_t)IN(CAP),
                               .tokens = 1};
    const netdp_walk_request request = {
        .token = &token,
        .bound = NETDP_BOUND_EXCURSION,
        .noise = sqrt(2 * log(1.25 / IN(DELTA))) / IN(EPSILON),
        .unit = {NETDP_AS_DP, IN(DELTA) + (IN(CAP) > 0 ? 0 : IN(DELTA_VISITS))},
        .from_count = 1,
        .from = from,
        .to_count = 1,
        .to = to};
    TRY(netdp_walk_losses_new(&request, progress, &losses, error));
    truth->at_most = losses->loss[0];
    return NETDP_OK;
}

FORMULA(theorem_3)
{
    (void)progress;
    return sum(in, NETDP_FORM_PRINTED, value, error);
}

FORMULA(theorem_3_corrected)
{
    (void)progress;
    return sum(in, NETDP_FORM_CORRECTED, value, error);
}

static netdp_status descent(const netdp_claim_inputs *in, netdp_form form, double *value,
                            netdp_error *error)
{
    netdp_complete_walk walk = complete(in);
    netdp_complete_loss loss = {.epsilon = INFINITY};
    walk.delta_compose = 0.25; /* unused: Renyi composition */
    if (covered(in))
        TRY(netdp_closed_sgd(&walk, form, &loss, error));
    *value = loss.epsilon;
    return NETDP_OK;
}

FORMULA(theorem_4)
{
    (void)progress;
    return descent(in, NETDP_FORM_PRINTED, value, error);
}

FORMULA(theorem_4_corrected)
{
    (void)progress;
    return descent(in, NETDP_FORM_CORRECTED, value, error);
}

FORMULA(theorem_6)
{
    (void)progress;
    const netdp_tally tally = {.graph = NETDP_TALLY_COMPLETE,
                               .task = NETDP_TALLY_HISTOGRAM,
                               .nodes = (int32_t)IN(NODES),
                               .steps = (int64_t)IN(ROUNDS),
                               .cap = (int64_t)IN(CAP),
                               .hidden = true,
                               .mechanism = NETDP_RANDOMISED_RESPONSE,
                               .levels = 2,
                               .flip = 0.5,
                               .fill = NETDP_TALLY_USUAL};
    const netdp_tally_terms terms = {.epsilon = IN(EPSILON),
                                     .delta = IN(DELTA),
                                     .delta_compose = IN(DELTA_COMPOSE),
                                     .delta_visits = IN(DELTA_VISITS),
                                     .colluders = 1};
    netdp_tally_published found = {.epsilon = INFINITY};
    netdp_status status =
        covered(in) ? netdp_tally_published_bound(&tally, &terms, NETDP_FORM_PRINTED, &found, error)
                    : NETDP_OK;
    *value = found.epsilon;
    return status;
}

FORMULA(theorem_8)
{
    UNUSED;
    *value = netdp_i_claim_renyi(in, 1 / IN(HIDDEN));
    return NETDP_OK;
}

/* 2 D G (2 + ln T) / sqrt(T), G^2 = L^2 + 8 d L^2 ln(1.25/delta) / epsilon^2 */
FORMULA(proposition_1)
{
    UNUSED;
    const double noise = 8 * IN(DIMENSIONS) * log(1.25 / IN(DELTA)) / (IN(EPSILON) * IN(EPSILON));
    *value = 2 * IN(DIAMETER) * IN(LIPSCHITZ) * sqrt(1 + noise) * (2 + log(IN(ROUNDS))) /
             sqrt(IN(ROUNDS));
    return NETDP_OK;
}

FORMULA(proposition_3)
{
    UNUSED;
    *value = IN(EPSILON) - log(IN(DELTA)) / (IN(ALPHA) - 1);
    return NETDP_OK;
}

ACCOUNT(conversion)
{
    (void)progress;
    const netdp_rdp curve = {.count = 1, .order = &IN(ALPHA), .epsilon = &IN(EPSILON)};
    return netdp_rdp_to_epsilon(&curve, IN(DELTA), false, &truth->at_most, error);
}

FORMULA(equation_10)
{
    (void)progress;
    return netdp_subsample_epsilon((int64_t)IN(NODES), (int64_t)IN(DRAWS), IN(EPSILON), value,
                                   error);
}

static netdp_status passage(const netdp_claim_inputs *in, netdp_form form, double *value,
                            netdp_error *error)
{
    const netdp_closed_walk walk = {.nodes = (int32_t)IN(NODES),
                                    .from = 0,
                                    .to = 1,
                                    .steps = 1,
                                    .alpha = IN(ALPHA),
                                    .sigma = IN(NOISE)};
    netdp_status status = netdp_closed_passage(&walk, form, value, error);
    *value *= IN(CAP) > 0 ? IN(CAP) : 1;
    return status;
}

FORMULA(lemma_1)
{
    (void)progress;
    return passage(in, NETDP_FORM_PRINTED, value, error);
}

FORMULA(lemma_1_corrected)
{
    (void)progress;
    return passage(in, NETDP_FORM_CORRECTED, value, error);
}

static netdp_status spotted(const netdp_claim_inputs *in, netdp_form form, double *value,
                            netdp_error *error)
{
    const netdp_complete_walk walk = complete(in);
    netdp_spotted found = {.advanced = INFINITY};
    if (covered(in) && IN(DELTA_SPOTTED) < 0.5)
        TRY(netdp_spotted_loss(&walk, IN(DELTA_SPOTTED), 0, form, &found, error));
    *value = found.advanced;
    return NETDP_OK;
}

FORMULA(lemma_2)
{
    (void)progress;
    return spotted(in, NETDP_FORM_PRINTED, value, error);
}

FORMULA(lemma_2_corrected)
{
    (void)progress;
    return spotted(in, NETDP_FORM_CORRECTED, value, error);
}

ACCOUNT(spotted_exactly)
{
    (void)progress;
    return spotted(in, NETDP_FORM_CORRECTED, &truth->at_most, error);
}

#define COMPLETE_INPUTS                                                                            \
    {                                                                                              \
        IN_(NODES), IN_(ROUNDS), IN_(CAP), IN_(EPSILON), IN_(DELTA), IN_(DELTA_COMPOSE),           \
            IN_(DELTA_VISITS)                                                                      \
    }
#define DESCENT_INPUTS                                                                             \
    {                                                                                              \
        IN_(NODES), IN_(ROUNDS), IN_(CAP), IN_(EPSILON), IN_(DELTA), IN_(DELTA_VISITS)             \
    }

static const char small[] = "epsilon < 1, deltas < 1/2, and T/n >= 3 ln(1/delta-visits) or a cap";
static const char together[] = "adds up contributions that one visit of the observer sees together";

/* clang-format off */
const netdp_claim netdp_i_claims_e[] = {
    {"E-theorem-1", "paper E, Theorem 1",
     "ring sum, K passes: epsilon = sqrt(2 K ln(1/delta')) e + K e (e^e - 1) at K delta + delta'",
     NETDP_CLAIM_DP, NETDP_SOUND_PARTLY,
     "for one observer: two that collude around a user see it without noise", 9, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(PASSES), IN_(EPSILON), IN_(DELTA_COMPOSE)},
     theorem_1, NULL, NULL},
    {"E-theorem-1-deviation", "paper E, Theorem 1",
     "standard deviation of the ring sum: sqrt(floor(K n/(n-1))) of one noise",
     NETDP_CLAIM_NOISE, NETDP_SOUND_NO, "the first noise is added at once: rounded up, not down", 8,
     NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(NODES), IN_(PASSES), IN_(NOISE)},
     theorem_1_deviation, once_a_round, "the noise that the protocol adds"},
    {"E-remark-1", "paper E, Remark 1",
     "noise spread over the users: standard deviation sqrt(floor(K n/(n-1)) + 1) of one noise",
     NETDP_CLAIM_NOISE, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(PASSES), IN_(NOISE)}, remark_1, spread, "the noise that the protocol adds"},
    {"E-theorem-2", "paper E, Theorem 2",
     "ring histogram, K passes: Theorem 1's epsilon, each pass (epsilon, delta) by shuffling",
     NETDP_CLAIM_DP, NETDP_SOUND_PARTLY,
     "for one observer, the gamma printed and n >= 144 ln(1/delta), which is not asked for", 8,
     "epsilon < 1/2, delta < 1/100, n > 1000", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(PASSES), IN_(EPSILON), IN_(DELTA), IN_(DELTA_COMPOSE)}, theorem_2, NULL,
     NULL},
    {"E-theorem-2-gamma", "paper E, Theorem 2",
     "gamma = L / (exp(12 epsilon sqrt(ln(1/delta)/n)) + L - 1)",
     NETDP_CLAIM_CHANCE, NETDP_SOUND_PARTLY,
     "for n >= 144 ln(1/delta), which is not asked for; there it is far more noise than needed", 8,
     "epsilon < 1/2, delta < 1/100, n > 1000", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(LEVELS), IN_(EPSILON), IN_(DELTA)}, theorem_2_flip, NULL, NULL},
    {"E-theorem-2-gamma-corrected", "paper E, Theorem 2, from Theorem 5",
     "gamma = L / (exp(epsilon sqrt(n/ln(1/delta)) / 12) + L - 1)",
     NETDP_CLAIM_CHANCE, NETDP_SOUND_YES, "what shuffling of n contributions asks for", 8,
     "as printed, and epsilon sqrt(n/ln(1/delta)) / 12 < 1/2", NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY, {IN_(NODES), IN_(LEVELS), IN_(EPSILON), IN_(DELTA)},
     theorem_2_flip_corrected, NULL, NULL},
    {"E-theorem-3", "paper E, Theorem 3 and Appendix D",
     "complete sum: advanced composition of N_u = T/n + sqrt(3 (T/n) ln(1/delta-visits)), each "
     "max(2 gamma_n e, e/(c n^(1/3))), best c",
     NETDP_CLAIM_DP, NETDP_SOUND_NO, together, 11, small, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     COMPLETE_INPUTS, theorem_3,
     sum_soundly, "the excursion account of the sum, at the delta of the corrected claim"},
    {"E-theorem-3-corrected", "paper E, Theorem 3, composed as it should be",
     "the same with N_u the exact quantile and N_u e_c (e^e_c - 1)",
     NETDP_CLAIM_DP, NETDP_SOUND_NO, together, 11, "epsilon < 1, deltas < 1/2", NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY, COMPLETE_INPUTS, theorem_3_corrected,
     sum_soundly, "the excursion account of the sum, at the delta of the corrected claim"},
    {"E-theorem-4", "paper E, Theorem 4",
     "complete SGD: epsilon = sqrt(2 q ln(1/delta)) e / sqrt(ln(1.25/delta)), q = max(2 N_u ln "
     "n/n, 2 ln(1/delta))",
     NETDP_CLAIM_DP, NETDP_SOUND_NO, together, 11, small, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     DESCENT_INPUTS, theorem_4,
     descent_soundly, "the excursion account of the walk, at the same delta"},
    {"E-theorem-4-corrected", "paper E, Theorem 4 and Remark 5",
     "the same by the best order, ln n/(n-1) and the exact quantile",
     NETDP_CLAIM_DP, NETDP_SOUND_NO, together, 11, "epsilon < 1, deltas < 1/2", NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY, DESCENT_INPUTS, theorem_4_corrected,
     descent_soundly, "the excursion account of the walk, at the same delta"},
    {"E-proposition-1", "paper E, Proposition 1",
     "complete SGD: excess <= 2 D G (2 + ln T)/sqrt(T), G^2 = L^2 (1 + 8 d ln(1.25/delta)/e^2)",
     NETDP_CLAIM_EXCESS, NETDP_SOUND_YES, "convex, step t is D/(G sqrt t)", 0, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ROUNDS), IN_(DIAMETER), IN_(LIPSCHITZ), IN_(DIMENSIONS), IN_(EPSILON), IN_(DELTA)},
     proposition_1, NULL, NULL},
    {"E-theorem-5", "paper E, Theorem 5 (Erlingsson et al.)",
     "n shuffled e-LDP contributions: epsilon = 12 e sqrt(ln(1/delta)/n)",
     NETDP_CLAIM_DP, NETDP_SOUND_PARTLY,
     "for n >= 1000, as its source has it; printed for n >= 100", 0,
     "n >= 100, e < 1/2, delta < 1/100", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(EPSILON), IN_(DELTA)}, theorem_5,
     shuffling, "the least of netdp's bounds on shuffling"},
    {"E-equation-10", "paper E, eq. (10) (Balle et al.)",
     "m draws of n with replacement: epsilon = ln(1 + (1 - (1-1/n)^m)(e^e - 1))",
     NETDP_CLAIM_DP, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(DRAWS), IN_(EPSILON)}, equation_10, NULL, NULL},
    {"E-theorem-6", "paper E, Theorem 6",
     "complete histogram: as Theorem 3, each max(2 gamma_n e, 14 sqrt(ln(4/delta)) e/(c n^(1/3)))",
     NETDP_CLAIM_DP, NETDP_SOUND_NO, together, 11,
     "e <= min(1, ln(c^2 n^(2/3)/(16 ln(2/delta)))), and T/n >= 3 ln(1/delta-visits) or a cap",
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(ROUNDS), IN_(CAP), IN_(EPSILON), IN_(DELTA), IN_(DELTA_COMPOSE),
      IN_(DELTA_VISITS)},
     theorem_6, NULL, NULL},
    {"E-theorem-7", "paper E, Theorem 7 (Feldman et al.)",
     "n shuffled e-LDP contributions: ln(1 + (e^e-1)/(e^e+1) (8 sqrt(e^e ln(4/delta)/n) + 8 "
     "e^e/n))",
     NETDP_CLAIM_DP, NETDP_SOUND_YES, NULL, 0, "e <= ln(n / (16 ln(2/delta)))", NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY, {IN_(NODES), IN_(EPSILON), IN_(DELTA)}, theorem_7,
     shuffling, "the least of netdp's bounds on shuffling"},
    {"E-proposition-3", "paper E, Proposition 3",
     "(alpha, e)-RDP gives epsilon = e + ln(1/delta)/(alpha - 1)",
     NETDP_CLAIM_DP, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(ALPHA), IN_(EPSILON), IN_(DELTA)}, proposition_3, conversion,
     "netdp's conversion (Canonne et al.)"},
    {"E-theorem-8", "paper E, Theorem 8 (Feldman et al.)",
     "a noisy step hidden by i noise terms costs alpha 2 L^2 / (sigma^2 i), Delta = 2 L",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES, "for non-expansive maps, a constant step, one contribution",
     0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(HIDDEN), IN_(NOISE), IN_(ALPHA)},
     theorem_8, NULL, NULL},
    {"E-lemma-1", "paper E, Lemma 1",
     "complete SGD: loss <= 4 N_u alpha L^2 ln n / (sigma^2 n), Delta = 2 L; N_u the cap, or 1",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, together, 11, "sigma^2 >= alpha (alpha - 1) / 2",
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(NODES), IN_(NOISE), IN_(ALPHA), IN_(CAP)},
     lemma_1, NULL, NULL},
    {"E-lemma-1-corrected", "paper E, Lemma 1, as its proof gives",
     "the same with ln n / (n - 1)",
     NETDP_CLAIM_RDP, NETDP_SOUND_PARTLY, "for one contribution in the whole walk", 11,
     "sigma^2 >= alpha (alpha - 1) / 2", NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(NOISE), IN_(ALPHA), IN_(CAP)}, lemma_1_corrected, NULL, NULL},
    {"E-lemma-2", "paper E, Lemma 2",
     "spotted contributions, advanced composition of 2 N_u/n + sqrt(6 (N_u/n) ln(1/delta-spotted))",
     NETDP_CLAIM_DP, NETDP_SOUND_NO,
     "lacks a 2 under its root; not binomial, Chernoff out of range", 8, small, NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(ROUNDS), IN_(CAP), IN_(EPSILON), IN_(DELTA), IN_(DELTA_COMPOSE),
      IN_(DELTA_VISITS), IN_(DELTA_SPOTTED)},
     lemma_2, spotted_exactly, "the exact quantile, with its 2"},
    {"E-lemma-2-corrected", "paper E, Lemma 2, corrected",
     "spotted contributions, advanced composition of their exact quantile",
     NETDP_CLAIM_DP, NETDP_SOUND_YES, NULL, 8, "epsilon < 1, deltas < 1/2", NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(ROUNDS), IN_(CAP), IN_(EPSILON), IN_(DELTA), IN_(DELTA_COMPOSE),
      IN_(DELTA_VISITS), IN_(DELTA_SPOTTED)},
     lemma_2_corrected, NULL, NULL},
    {0},
};
/* clang-format on */
