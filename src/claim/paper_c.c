/* Paper C (Muffliato, 2022). Section and theorem numbers are those of the version with appendix. */
#include <math.h>
#include <string.h>

#include "account/gossip/consensus.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "claim/claims.h"
#include "mixing/mixing.h"

/* ---- Theorem 1 and its corollaries: averaging ---- */

static netdp_linear averaging(const netdp_claim_inputs *in, int64_t rounds)
{
    return (netdp_linear){.mixing = in->mixing, .rounds = rounds, .noise.dither = IN(DITHER)};
}

static netdp_status published(const netdp_claim_inputs *in, double rounds,
                              const netdp_progress *progress, double *loss, netdp_error *error)
{
    const netdp_linear protocol = {.mixing = in->mixing, .rounds = (int64_t)rounds};
    return netdp_i_claim_loss(
        in, &(netdp_loss_request){.protocol = &protocol, .bound = NETDP_BOUND_PUBLISHED}, progress,
        loss, error);
}

FORMULA(theorem_1)
{
    double loss = 0;
    netdp_status status = published(in, IN(ROUNDS), progress, &loss, error);
    *value = netdp_i_claim_renyi(in, loss);
    return status;
}

/*
 * Without a dither an account of averaging is closed, an upper bound alone. This much hides more, so that what is told under
 * it is told without; and what is certified under it is above that by less than NARROW.
 */
#define LITTLE 1e-6
#define NARROW 1e-9

/* The loss of the pair that is asked about, or the mean over all nodes; `closed`: every message counted as seen. */
static netdp_status account(const netdp_claim_inputs *in, const netdp_linear *protocol, bool mean,
                            const netdp_progress *progress, double *loss, bool *closed,
                            netdp_error *error)
{
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    netdp_summary summary;
    const netdp_loss_request request = {.protocol = protocol,
                                        .bound = NETDP_BOUND_EXACT,
                                        .from_count = mean ? 0 : 1,
                                        .from = mean ? NULL : &in->from,
                                        .to_count = in->to_count,
                                        .to = in->to,
                                        .coalition = in->to_count > 1};
    TRY(netdp_losses_new(&request, progress, &losses, error));
    TRY(netdp_losses_summary(losses, 1, (netdp_unit){NETDP_AS_LOSS, 0}, &summary, error));
    *loss = mean ? summary.mean * (double)summary.pairs / IN(NODES) : losses->loss[0];
    *closed = losses->bound->bound != NETDP_BOUND_EXACT;
    return NETDP_OK;
}

/* At most, and at least; nothing is known where it is closed with a little dither, too. */
static netdp_status both_sides(const netdp_claim_inputs *in, netdp_linear protocol, bool mean,
                               const netdp_progress *progress, netdp_claim_truth *truth,
                               netdp_error *error)
{
    double most = 0, least = 0;
    bool closed = true;
    TRY(account(in, &protocol, mean, progress, &most, &closed, error));
    least = most;
    if (protocol.noise.dither == 0) {
        protocol.noise.dither = LITTLE;
        TRY(account(in, &protocol, mean, progress, &least, &closed, error));
    }
    TRY(netdp_loss_value(most, IN(NOISE), (netdp_unit){NETDP_AS_RDP, IN(ALPHA)}, &truth->at_most,
                         error));
    truth->at_least = closed ? 0 : netdp_i_claim_renyi(in, least * (1 - NARROW));
    return NETDP_OK;
}

ACCOUNT(averaging_exactly)
{
    return both_sides(in, averaging(in, (int64_t)IN(ROUNDS)), false, progress, truth, error);
}

static bool among(const netdp_claim_inputs *in, int32_t node)
{
    for (int32_t i = 0; i < in->to_count; i++)
        if (in->to[i] == node)
            return true;
    return false;
}

/* Has the node an edge to an observer, by the rows of W? */
static bool beside(const netdp_claim_inputs *in, netdp_rows rows, int32_t node)
{
    for (int64_t k = rows.start[node]; k < rows.start[node + 1]; k++)
        if (rows.column[k] != node && among(in, rows.column[k]))
            return true;
    return false;
}

/* sum_{t < T} (W^t)_{uw}^2 / |W^t_w|^2 of one relay w; `now` and `next` are scratch [nodes]. */
static netdp_status add_leak(const netdp_claim_inputs *in, netdp_rows rows, int32_t relay,
                             int64_t rounds, double *now, double *next, double *sum,
                             const netdp_progress *progress, netdp_error *error)
{
    const int32_t n = rows.nodes;
    memset(now, 0, (size_t)n * sizeof *now);
    now[relay] = 1;
    for (int64_t t = 0; t < rounds; t++) {
        double energy = 0;
        for (int32_t u = 0; u < n; u++)
            energy += now[u] * now[u];
        *sum += now[in->from] * now[in->from] / energy;
        netdp_i_rows_apply(rows, now, next, 1);
        double *swap = now;
        now = next;
        next = swap;
        if (t % 64 == 0)
            TRY(netdp_i_poll(progress, error));
    }
    return NETDP_OK;
}

/* As eq. (14) has it: over all nodes next to a member, members too. */
static netdp_status sum_leaks(const netdp_claim_inputs *in, netdp_rows rows, int64_t rounds,
                              const netdp_progress *progress, double *loss, netdp_error *error)
{
    OWNED double *scratch = NETDP_I_NEW(double, 2 * (int64_t)rows.nodes);
    if (scratch == NULL)
        return netdp_i_no_memory(error);
    for (int32_t w = 0; w < rows.nodes; w++)
        if (beside(in, rows, w))
            TRY(add_leak(in, rows, w, rounds, scratch, scratch + rows.nodes, loss, progress,
                         error));
    return NETDP_OK;
}

FORMULA(theorem_12)
{
    double loss = 0;
    netdp_status status =
        sum_leaks(in, netdp_mixing_rows(in->mixing), (int64_t)IN(ROUNDS), progress, &loss, error);
    *value = netdp_i_claim_renyi(in, loss);
    return status;
}

/* ---- Corollary 2: one random edge a step, as drawn ---- */

static netdp_linear on_drawn_edges(const netdp_claim_inputs *in)
{
    netdp_linear protocol = averaging(in, (int64_t)IN(ROUNDS));
    protocol.varying.kind = NETDP_VARY_EDGE;
    protocol.varying.seed = (uint64_t)IN(SEED);
    return protocol;
}

FORMULA(corollary_2)
{
    double loss = 0;
    const netdp_linear protocol = on_drawn_edges(in);
    netdp_status status = netdp_i_claim_loss(
        in, &(netdp_loss_request){.protocol = &protocol, .bound = NETDP_BOUND_PUBLISHED}, progress,
        &loss, error);
    *value = netdp_i_claim_renyi(in, loss);
    return status;
}

ACCOUNT(drawn_edges_exactly)
{
    return both_sides(in, on_drawn_edges(in), false, progress, truth, error);
}

/* n max W_vw^-2 sum_{t=1}^{T} P(X^t in V | X^0 = u)^2, over edges that leave V. */
FORMULA(corollary_3)
{
    const netdp_rows rows = netdp_mixing_rows(in->mixing);
    double sum = 0, least = INFINITY;
    OWNED double *scratch = NETDP_I_NEW(double, 2 * (int64_t)rows.nodes);
    if (scratch == NULL)
        return netdp_i_no_memory(error);
    double *now = scratch, *next = scratch + rows.nodes;
    for (int32_t i = 0; i < in->to_count; i++)
        for (int64_t k = rows.start[in->to[i]]; k < rows.start[in->to[i] + 1]; k++)
            if (!among(in, rows.column[k]))
                least = fmin(least, rows.weight[k]);
    now[in->from] = 1;
    for (int64_t t = 1; t <= (int64_t)IN(ROUNDS); t++) {
        double here = 0;
        netdp_mixing_apply(in->mixing, now, next, 1);
        double *swap = now;
        now = next;
        next = swap;
        for (int32_t i = 0; i < in->to_count; i++)
            here += now[in->to[i]];
        sum += here * here;
        if (t % 64 == 0)
            TRY(netdp_i_poll(progress, error));
    }
    *value = isinf(least) ? INFINITY : netdp_i_claim_renyi(in, rows.nodes * sum / (least * least));
    return NETDP_OK;
}

FORMULA(mean_of_messages)
{
    UNUSED;
    *value = netdp_i_claim_renyi(in, IN(COMMUNICATIONS) / IN(NODES));
    return NETDP_OK;
}

FORMULA(mean_of_rounds)
{
    UNUSED;
    *value = netdp_i_claim_renyi(in, IN(DEGREE) * IN(ROUNDS) / IN(NODES));
    return NETDP_OK;
}

/* (1/n) sum of the losses of all others towards one observer. */
ACCOUNT(mean_exactly)
{
    if (in->mixing == NULL || in->to_count != 1)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "mean: give a graph and one observer");
    return both_sides(in, averaging(in, (int64_t)IN(ROUNDS)), true, progress, truth, error);
}

/* ---- Theorems 2, 3, 7, 8: error and rounds ---- */

static double error_after(const netdp_claim_inputs *in, double exponent)
{
    const double square = IN(NOISE) * IN(NOISE);
    return (IN(VARIANCE) + square) * exp(-exponent) + square / IN(NODES);
}

FORMULA(theorem_7)
{
    UNUSED;
    *value = error_after(in, IN(ROUNDS) * sqrt(IN(GAP)));
    return NETDP_OK;
}

FORMULA(theorem_7_dithered)
{
    UNUSED;
    const double square = IN(DITHER) * IN(NOISE) * IN(DITHER) * IN(NOISE);
    *value = error_after(in, IN(ROUNDS) * sqrt(IN(GAP))) + square * IN(ROUNDS) / (2 * IN(NODES));
    return NETDP_OK;
}

FORMULA(theorem_8)
{
    UNUSED;
    *value = error_after(in, IN(ROUNDS) * IN(ACTIVATION));
    return NETDP_OK;
}

FORMULA(theorem_8_corrected)
{
    UNUSED;
    *value = error_after(in, IN(ROUNDS) * IN(ACTIVATION) / 2);
    return NETDP_OK;
}

/* netdp_rounds_auto has gap^(-1/2). */
static netdp_status rounds_at(const netdp_claim_inputs *in, double gap, double *value,
                              netdp_error *error)
{
    int64_t rounds = 0;
    TRY(netdp_rounds_auto(gap, (int32_t)IN(NODES), IN(NOISE), IN(VARIANCE), &rounds, error));
    *value = (double)rounds;
    return NETDP_OK;
}

FORMULA(theorem_2)
{
    (void)progress;
    return rounds_at(in, IN(GAP), value, error);
}

FORMULA(theorem_3)
{
    (void)progress;
    return rounds_at(in, IN(ACTIVATION) * IN(ACTIVATION), value, error);
}

FORMULA(theorem_3_corrected)
{
    (void)progress;
    return rounds_at(in, IN(ACTIVATION) * IN(ACTIVATION) / 4, value, error);
}

static netdp_status need_graph(const netdp_claim_inputs *in, netdp_error *error)
{
    if (in->mixing == NULL)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "exact errors need a graph, not only numbers of it");
    return NETDP_OK;
}

static netdp_status error_exactly(const netdp_claim_inputs *in, double dither,
                                  netdp_claim_truth *truth, netdp_error *error)
{
    TRY(need_graph(in, error));
    TRY(netdp_i_accelerated_error(in->mixing, IN(ROUNDS), IN(NOISE), dither, IN(VARIANCE),
                                  &truth->at_most, error));
    truth->at_least = truth->at_most;
    return NETDP_OK;
}

ACCOUNT(theorem_7_exactly)
{
    (void)progress;
    return error_exactly(in, 0, truth, error);
}

ACCOUNT(theorem_7_dithered_exactly)
{
    (void)progress;
    return error_exactly(in, IN(DITHER), truth, error);
}

ACCOUNT(theorem_2_exactly)
{
    (void)progress;
    const double target = 3 * IN(NOISE) * IN(NOISE) / IN(NODES);
    TRY(need_graph(in, error));
    TRY(netdp_i_accelerated_rounds(in->mixing, target, IN(NOISE), IN(VARIANCE), &truth->at_most,
                                   error));
    truth->at_least = truth->at_most;
    return NETDP_OK;
}

ACCOUNT(theorem_8_exactly)
{
    (void)progress;
    TRY(need_graph(in, error));
    TRY(netdp_i_random_edge_error(in->mixing, IN(ROUNDS), IN(NOISE), IN(VARIANCE), &truth->at_most,
                                  error));
    truth->at_least = truth->at_most;
    return NETDP_OK;
}

ACCOUNT(theorem_3_exactly)
{
    (void)progress;
    const double target = 2 * IN(NOISE) * IN(NOISE) / IN(NODES);
    TRY(need_graph(in, error));
    TRY(netdp_i_random_edge_rounds(in->mixing, target, IN(NOISE), IN(VARIANCE), &truth->at_most,
                                   error));
    truth->at_least = truth->at_most;
    return NETDP_OK;
}

/* ---- Graphs drawn in secret ---- */

static bool wide_noise(const netdp_claim_inputs *in)
{
    return IN(NOISE) * IN(NOISE) >= IN(ALPHA) * (IN(ALPHA) - 1) / 2;
}

/* (alpha / sigma^2) T d / (n - d): twice the loss, by the quasi-convexity of the divergence. */
FORMULA(theorem_4)
{
    UNUSED;
    const double others = IN(NODES) - IN(DEGREE);
    *value = wide_noise(in) && others > 0
                 ? netdp_i_claim_renyi(in, 2 * IN(ROUNDS) * IN(DEGREE) / others)
                 : INFINITY;
    return NETDP_OK;
}

/* What the argument gives: d (T - 1) is left for the n - |V| - d others. */
FORMULA(corollary_5_corrected)
{
    UNUSED;
    const double others = IN(NODES) - IN(MEMBERS) - IN(DEGREE);
    *value = wide_noise(in) && others >= 1
                 ? netdp_i_claim_renyi(in, 2 * (IN(ROUNDS) - 1) * IN(DEGREE) / others)
                 : INFINITY;
    return NETDP_OK;
}

FORMULA(corollary_5_neighbours)
{
    UNUSED;
    *value = -expm1(IN(MEMBERS) * log1p(-IN(PROBABILITY)));
    return NETDP_OK;
}

/* The draws beta_t by their mean. */
FORMULA(proposition_1)
{
    UNUSED;
    const double others = IN(NODES) - IN(DEGREE);
    const double beta = -expm1(IN(MEMBERS) * log1p(-IN(PROBABILITY)));
    *value = wide_noise(in) && others > 0
                 ? netdp_i_claim_renyi(
                       in, 2 * IN(PHASES) * (beta + (1 - beta) * IN(INNER) * IN(DEGREE) / others))
                 : INFINITY;
    return NETDP_OK;
}

/* ---- Learning ---- */

FORMULA(theorem_6)
{
    double loss = 0;
    netdp_status status = published(in, IN(INNER), progress, &loss, error);
    *value = netdp_i_claim_renyi(in, IN(PHASES) * loss);
    return status;
}

/* A graph of its own for every phase, drawn again as the first one was. */
FORMULA(theorem_11)
{
    double loss = 0;
    netdp_variation redrawn = {.seed = (uint64_t)IN(SEED)};
    OWNED_BY(netdp_sequence_free) netdp_sequence *sequence = NULL;
    netdp_round phase;
    TRY(netdp_variation_redraw(netdp_mixing_graph(in->mixing), 1, &redrawn, error));
    if (redrawn.probability < 0)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "theorem 11 is of erdos-renyi graphs; give --family \"erdos-renyi NODES PROBABILITY\"");
    TRY(netdp_sequence_new(in->mixing, &redrawn, &sequence, error));
    for (int64_t t = 0; t < (int64_t)IN(PHASES); t++) {
        TRY(netdp_sequence_round(sequence, t, &phase, error));
        TRY(sum_leaks(in, phase.rows, (int64_t)IN(INNER), progress, &loss, error));
    }
    *value = netdp_i_claim_renyi(in, loss);
    return NETDP_OK;
}

/* At least: contributions that do not react are among those that a learner may make. */
static netdp_status learn_soundly(const netdp_claim_inputs *in, netdp_variation varying,
                                  const netdp_progress *progress, netdp_claim_truth *truth,
                                  netdp_error *error)
{
    double least = 0, most = 0;
    netdp_linear protocol = {.mixing = in->mixing,
                             .rounds = (int64_t)(IN(PHASES) * IN(INNER)),
                             .every = (int64_t)IN(INNER),
                             .noise.dither = IN(DITHER),
                             .noise.end = IN(END_DITHER),
                             .reacts = true,
                             .varying = varying};
    TRY(netdp_i_claim_loss(in,
                           &(netdp_loss_request){.protocol = &protocol, .bound = NETDP_BOUND_UPPER},
                           progress, &most, error));
    protocol.reacts = false;
    protocol.noise.end = 0;
    TRY(netdp_i_claim_loss(in,
                           &(netdp_loss_request){.protocol = &protocol, .bound = NETDP_BOUND_LOWER},
                           progress, &least, error));
    truth->at_least = netdp_i_claim_renyi(in, least);
    truth->at_most = netdp_i_claim_renyi(in, most);
    return NETDP_OK;
}

ACCOUNT(learning_soundly)
{
    return learn_soundly(in, (netdp_variation){0}, progress, truth, error);
}

ACCOUNT(redrawn_learning_soundly)
{
    netdp_variation redrawn = {.seed = (uint64_t)IN(SEED)};
    TRY(netdp_variation_redraw(netdp_mixing_graph(in->mixing), (int64_t)IN(INNER), &redrawn,
                               error));
    return learn_soundly(in, redrawn, progress, truth, error);
}

/* Rounds of a phase. */
FORMULA(theorem_5)
{
    UNUSED;
    const double gradients = IN(NOISE) * IN(NOISE) + IN(BATCH_VARIANCE);
    *value = ceil(log(fmax(IN(NODES), IN(HETEROGENEITY) / gradients)) / sqrt(IN(GAP)));
    return NETDP_OK;
}

FORMULA(theorem_5_error)
{
    UNUSED;
    *value = (IN(NOISE) * IN(NOISE) + IN(BATCH_VARIANCE)) / (IN(CONVEXITY) * IN(PHASES));
    return NETDP_OK;
}

FORMULA(theorem_10)
{
    UNUSED;
    const double condition = IN(SMOOTHNESS) / IN(CONVEXITY);
    *value =
        (IN(NOISE) * IN(NOISE) + IN(BATCH_VARIANCE)) / (IN(NODES) * IN(CONVEXITY) * IN(PHASES)) +
        IN(SMOOTHNESS) * IN(DISTANCE) * IN(DISTANCE) * exp(-IN(PHASES) / (2 * condition));
    return NETDP_OK;
}

FORMULA(theorem_6_error)
{
    UNUSED;
    *value = IN(ALPHA) * IN(DEGREE) / (IN(NODES) * IN(CONVEXITY) * IN(EPSILON) * sqrt(IN(GAP))) +
             IN(BATCH_VARIANCE) / (IN(NODES) * IN(SMOOTHNESS));
    return NETDP_OK;
}

/* ---- Section 2.2, Table 1, Corollary 4 ---- */

FORMULA(local)
{
    UNUSED;
    *value = IN(ALPHA) / (2 * IN(NODES) * IN(EPSILON));
    return NETDP_OK;
}

FORMULA(central)
{
    UNUSED;
    *value = IN(ALPHA) / (2 * IN(NODES) * IN(NODES) * IN(EPSILON));
    return NETDP_OK;
}

FORMULA(table_1)
{
    UNUSED;
    *value = IN(ALPHA) * IN(DEGREE) / (IN(NODES) * IN(NODES) * IN(EPSILON) * sqrt(IN(GAP)));
    return NETDP_OK;
}

FORMULA(table_1_random)
{
    UNUSED;
    *value = IN(ALPHA) / (IN(NODES) * IN(NODES) * IN(EPSILON) * IN(GAP));
    return NETDP_OK;
}

#define EXACT "the exact gossip account"
#define SPECTRAL_ERROR "the exact error of noise and of the worst data"

static const char shared_noise[] =
    "adds the divergences of single messages although they share noise";
static const char wide[] = "sigma^2 >= alpha (alpha - 1) / 2, and n > d";

/* clang-format off */
const netdp_claim netdp_i_claims_c[] = {
    {"C-section-2-local", "paper C, Section 2.2",
     "local DP: E|result - mean|^2 is at best alpha Delta^2 / (2 n epsilon)",
     NETDP_CLAIM_SUM, NETDP_SOUND_YES,
     "what one Gaussian release of each node at order alpha gives", 0, NULL, NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY, {IN_(NODES), IN_(EPSILON), IN_(ALPHA)}, local, NULL, NULL},
    {"C-section-2-central", "paper C, Section 2.2",
     "central DP: E|result - mean|^2 is at best alpha Delta^2 / (2 n^2 epsilon)",
     NETDP_CLAIM_SUM, NETDP_SOUND_YES, "what one Gaussian release of the mean at order alpha gives",
     0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY, {IN_(NODES), IN_(EPSILON), IN_(ALPHA)},
     central, NULL, NULL},
    {"C-theorem-1", "paper C, Theorem 1",
     "loss of u to v <= (alpha/2 sigma^2) sum_t sum_{w~v} (W^t)_uw^2 / |W^t_w|^2",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, shared_noise, 1, NULL, NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR,
     {IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(DITHER)}, theorem_1, averaging_exactly, EXACT},
    {"C-theorem-1-mean", "paper C, Theorem 1 and Appendix B",
     "mean over u of the losses to v <= (alpha/2 sigma^2) d_v T / n",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES,
     "the exact losses to v sum to at most the messages that v receives", 0, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_OBSERVER,
     {IN_(NODES), IN_(DEGREE), IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(DITHER)}, mean_of_rounds,
     mean_exactly, EXACT},
    {"C-theorem-2", "paper C, Theorem 2",
     "half the mean squared error is <= 3 sigma^2/n after gap^(-1/2) ln((n/sigma^2) max(sigma^2, "
     "V)) rounds",
     NETDP_CLAIM_ROUNDS, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(GAP), IN_(NOISE), IN_(VARIANCE)}, theorem_2, theorem_2_exactly,
     SPECTRAL_ERROR},
    {"C-corollary-1", "paper C, Corollary 1",
     "loss of u to v <= (alpha n/2 sigma^2) max_w W_vw^-2 sum_{t=1}^T P(X^t = v | X^0 = u)^2",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, "follows from Theorem 1, which is none; too small far away",
     1, NULL, NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR,
     {IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(DITHER)}, corollary_3, averaging_exactly, EXACT},
    {"C-table-1", "paper C, Table 1, Algorithm 1",
     "error alpha d / (n^2 epsilon gap^(1/2)) where the mean loss is epsilon",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_OBSERVER,
     {IN_(NODES), IN_(DEGREE), IN_(GAP), IN_(EPSILON), IN_(ALPHA)}, table_1, NULL, NULL},
    {"C-table-1-random", "paper C, Table 1, Algorithm 2",
     "error alpha / (n^2 epsilon gap) where the mean loss is epsilon",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE,
     "its column for the ring, 1/n, is local DP: by this formula, as by its D-torus with D = 1, 1",
     0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(GAP), IN_(EPSILON), IN_(ALPHA)}, table_1_random, NULL, NULL},
    {"C-theorem-3", "paper C, Theorem 3",
     "random edges: half the mean squared error is <= 2 sigma^2/n after ln((n/sigma^2) "
     "max(sigma^2, V)) / lambda(p) steps",
     NETDP_CLAIM_ROUNDS, NETDP_SOUND_NO, "lambda(p) is twice 1 - lambda_2(E W_t): half the steps",
     16, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(ACTIVATION), IN_(NOISE), IN_(VARIANCE)}, theorem_3, theorem_3_exactly,
     "the exact second moment of random edges, worst data"},
    {"C-theorem-3-corrected", "paper C, Theorem 3, with half of lambda(p)",
     "the same after twice as many steps",
     NETDP_CLAIM_ROUNDS, NETDP_SOUND_YES, NULL, 16, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(ACTIVATION), IN_(NOISE), IN_(VARIANCE)}, theorem_3_corrected,
     theorem_3_exactly, "the exact second moment of random edges, worst data"},
    {"C-theorem-4", "paper C, Theorems 4 and 9",
     "Erdos-Renyi graph kept secret, u no neighbour of v: loss <= (alpha/sigma^2) T d / (n - d)",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES,
     "uses the mean over u only, which holds; needs a graph that v knows nothing of but its "
     "neighbours; neighbours: local DP", 0, wide, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_OBSERVER,
     {IN_(NODES), IN_(ROUNDS), IN_(DEGREE), IN_(NOISE), IN_(ALPHA)}, theorem_4, NULL, NULL},
    {"C-theorem-5", "paper C, Theorem 5",
     "K = gap^(-1/2) ln(max(n, zeta^2 / (sigma^2 + rho^2))) gossip rounds a phase",
     NETDP_CLAIM_ROUNDS, NETDP_SOUND_RATE, "for an error that hides constants", 0, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(GAP), IN_(NOISE), IN_(BATCH_VARIANCE), IN_(HETEROGENEITY)}, theorem_5, NULL,
     NULL},
    {"C-theorem-5-error", "paper C, Theorem 5",
     "excess (sigma^2 + rho^2) / (m T), T = kappa up to logarithms",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, "Theorem 10, from which it comes, divides by n too", 0,
     NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(PHASES), IN_(NOISE), IN_(BATCH_VARIANCE), IN_(CONVEXITY)}, theorem_5_error, NULL, NULL},
    {"C-theorem-6", "paper C, Theorem 6; Theorem 11 with one W",
     "learning: loss <= the number of phases times that of K rounds of averaging",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO,
     "as if a gradient were seen in its own phase only: 0 further than K hops away", 15, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR,
     {IN_(PHASES), IN_(INNER), IN_(NOISE), IN_(ALPHA), IN_(DITHER), IN_(END_DITHER)}, theorem_6,
     learning_soundly,
     "the phase-release account; at least: contributions that do not react, no end dither"},
    {"C-theorem-6-error", "paper C, Theorems 6 and 11",
     "excess alpha d / (n m epsilon gap^(1/2)) + rho^2 / (n L) at mean loss epsilon",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, NULL, 15, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_OBSERVER,
     {IN_(NODES), IN_(DEGREE), IN_(GAP), IN_(EPSILON), IN_(ALPHA), IN_(CONVEXITY), IN_(SMOOTHNESS),
      IN_(BATCH_VARIANCE)},
     theorem_6_error, NULL, NULL},
    {"C-theorem-7", "paper C, Theorem 7",
     "half the mean squared error <= (V + sigma^2) e^(-T gap^(1/2)) + sigma^2/n, accelerated, no "
     "dither",
     NETDP_CLAIM_ERROR, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(GAP), IN_(ROUNDS), IN_(NOISE), IN_(VARIANCE)}, theorem_7, theorem_7_exactly,
     SPECTRAL_ERROR},
    {"C-theorem-7-dithered", "paper C, Theorem 7, and dither^2 sigma^2 T / (2 n)",
     "an estimate of the same with a dither",
     NETDP_CLAIM_ERROR, NETDP_SOUND_NO,
     "counts a dither once, averaged at once: acceleration with weight w grows it by 1/(2 - w)^2",
     0, NULL, NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(GAP), IN_(ROUNDS), IN_(NOISE), IN_(VARIANCE), IN_(DITHER)},
     theorem_7_dithered, theorem_7_dithered_exactly, SPECTRAL_ERROR},
    {"C-theorem-8", "paper C, Theorem 8",
     "random edges: half the mean squared error <= (V + sigma^2) e^(-T lambda(p)) + sigma^2/n",
     NETDP_CLAIM_ERROR, NETDP_SOUND_NO, "lambda(p) is twice 1 - lambda_2(E W_t)", 16, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(ACTIVATION), IN_(ROUNDS), IN_(NOISE), IN_(VARIANCE)}, theorem_8,
     theorem_8_exactly, "the exact second moment of random edges, worst data"},
    {"C-theorem-8-corrected", "paper C, Theorem 8, with half of lambda(p)",
     "random edges: half the mean squared error <= (V + sigma^2) e^(-T lambda(p)/2) + sigma^2/n",
     NETDP_CLAIM_ERROR, NETDP_SOUND_YES, NULL, 16, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(ACTIVATION), IN_(ROUNDS), IN_(NOISE), IN_(VARIANCE)}, theorem_8_corrected,
     theorem_8_exactly, "the exact second moment of random edges, worst data"},
    {"C-corollary-2", "paper C, Corollary 2",
     "random edges: mean over u of the losses to v <= (alpha/2 sigma^2) T_v / n",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES,
     "the mean; pair by pair it is Theorem 1 on the drawn edges, which is none (errata 1)", 0, NULL,
     NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(COMMUNICATIONS), IN_(NOISE), IN_(ALPHA)}, mean_of_messages, NULL, NULL},
    {"C-corollary-2-pair", "paper C, Corollary 2; Theorem 1 on one edge a step",
     "random edges, as drawn: loss of u to v <= Theorem 1's sum over the edges of v",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, shared_noise, 1, NULL, NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR,
     {IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(DITHER), IN_(SEED)}, corollary_2,
     drawn_edges_exactly, "the exact gossip account of the same edges"},
    {"C-theorem-10", "paper C, Theorem 10",
     "excess (rho^2 + sigma^2) / (n m T) + L R^2 e^(-T m / 2 L)",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_NOBODY,
     {IN_(NODES), IN_(PHASES), IN_(NOISE), IN_(BATCH_VARIANCE), IN_(CONVEXITY), IN_(SMOOTHNESS),
      IN_(DISTANCE)},
     theorem_10, NULL, NULL},
    {"C-theorem-11", "paper C, Theorem 11",
     "learning, an Erdos-Renyi graph redrawn each phase: loss <= the sum of K rounds on each",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, "as if a gradient were seen in its own phase only", 15, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_PAIR,
     {IN_(PHASES), IN_(INNER), IN_(NOISE), IN_(ALPHA), IN_(DITHER), IN_(END_DITHER), IN_(SEED)},
     theorem_11, redrawn_learning_soundly,
     "the phase-release account; at least: contributions that do not react, no end dither"},
    {"C-theorem-12", "paper C, Theorem 12",
     "loss of u to the coalition V <= Theorem 1's sum over the neighbours of V",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, shared_noise, 1, NULL, NETDP_CLAIM_GOSSIP,
     NETDP_CLAIM_COALITION, {IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(DITHER)}, theorem_12,
     averaging_exactly, EXACT},
    {"C-theorem-12-mean", "paper C, Theorem 12, eq. (15)",
     "mean over u of the losses to V <= (alpha/2 sigma^2) (messages that V receives) / n",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES, "as for one observer", 0, NULL, NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_COALITION, {IN_(NODES), IN_(DEGREE), IN_(ROUNDS), IN_(NOISE), IN_(ALPHA)},
     mean_of_rounds, NULL, NULL},
    {"C-corollary-3", "paper C, Corollary 3",
     "loss of u to V <= (alpha n/2 sigma^2) max W_vw^-2 sum_{t=1}^T P(X^t in V | X^0 = u)^2",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO, "follows from Theorem 12, which is none", 1, NULL,
     NETDP_CLAIM_GOSSIP, NETDP_CLAIM_COALITION, {IN_(ROUNDS), IN_(NOISE), IN_(ALPHA), IN_(DITHER)},
     corollary_3, averaging_exactly, EXACT},
    {"C-corollary-4", "paper C, Corollary 4",
     "error alpha d_V / (n^2 epsilon gap^(1/2)) where the mean loss to V is epsilon",
     NETDP_CLAIM_RATE, NETDP_SOUND_RATE, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_COALITION,
     {IN_(NODES), IN_(DEGREE), IN_(GAP), IN_(EPSILON), IN_(ALPHA)}, table_1, NULL, NULL},
    {"C-corollary-5", "paper C, Corollary 5",
     "secret Erdos-Renyi graph, u no neighbour of V: loss <= (alpha/sigma^2) T d_V / (n - d_V)",
     NETDP_CLAIM_RDP, NETDP_SOUND_PARTLY,
     "for T |V| <= n - d_V only: it spreads d_V T over n - d_V nodes, of which |V| are observers",
     0, wide, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_COALITION,
     {IN_(NODES), IN_(ROUNDS), IN_(DEGREE), IN_(NOISE), IN_(ALPHA)}, theorem_4, NULL, NULL},
    {"C-corollary-5-corrected", "paper C, Theorem 4 and Corollary 5, as their proof gives",
     "the same: loss <= (alpha/sigma^2) d_V (T - 1) / (n - |V| - d_V)",
     NETDP_CLAIM_RDP, NETDP_SOUND_YES,
     "neighbours have lost everything, which leaves d_V (T - 1) for the others", 0,
     "sigma^2 >= alpha (alpha - 1) / 2, and n > |V| + d", NETDP_CLAIM_NUMBERS,
     NETDP_CLAIM_COALITION,
     {IN_(NODES), IN_(MEMBERS), IN_(ROUNDS), IN_(DEGREE), IN_(NOISE), IN_(ALPHA)},
     corollary_5_corrected, NULL, NULL},
    {"C-corollary-5-chance", "paper C, Theorem 4 and Corollary 5",
     "chance that u is a neighbour of V: 1 - (1 - q)^|V|",
     NETDP_CLAIM_CHANCE, NETDP_SOUND_YES, NULL, 0, NULL, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_COALITION,
     {IN_(PROBABILITY), IN_(MEMBERS)}, corollary_5_neighbours, NULL, NULL},
    {"C-proposition-1", "paper C, Proposition 1",
     "learning on redrawn graphs: (alpha/sigma^2) sum_t (b_t + (1 - b_t) K d / (n - d)), b_t by "
     "its mean",
     NETDP_CLAIM_RDP, NETDP_SOUND_NO,
     "adds phases as if a gradient were seen in its own only; n - d counts the observers too", 15,
     wide, NETDP_CLAIM_NUMBERS, NETDP_CLAIM_COALITION,
     {IN_(NODES), IN_(MEMBERS), IN_(DEGREE), IN_(PROBABILITY), IN_(PHASES), IN_(INNER), IN_(NOISE),
      IN_(ALPHA)},
     proposition_1, NULL, NULL},
    {0},
};
/* clang-format on */
