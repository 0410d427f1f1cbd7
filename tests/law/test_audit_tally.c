/*
 * The attack on tallies against their accounts: it never finds more than is claimed, nearly all of
 * it where the account is exact, and every fault. Its scores are likelihood ratios.
 *
 * All draws come from fixed seeds, so a run is the same every time. Had the seeds been drawn anew,
 * an audit at 99.9 % would refute what holds with probability 0.1 % at most (about 30 of them: 3
 * %), and a comparison within 4.5 standard errors would fail with 6.8e-6.
 */
#include "check.h"

#include <omp.h>
#include <string.h>
#include <netdp/audit.h>
#include <netdp/tally.h>

#define ERRORS 4.5
#define DELTA 0.01
#define CONFIDENCE 0.999

enum { RUNS = 20000, FEWER = 4000, FEW = 1000, NODES = 8 };

#define RING .graph = NETDP_TALLY_RING
#define COMPLETE .graph = NETDP_TALLY_COMPLETE
#define COUNTS .task = NETDP_TALLY_HISTOGRAM, .mechanism = NETDP_RANDOMISED_RESPONSE

static netdp_error error;
static double scores[2 * RUNS];
static netdp_graph *pairs; /* who shares noise that cancels, where there is any */

/* A tally of NODES nodes, its victim, and who watches it. */
typedef struct setting {
    const char *what;
    netdp_tally tally;
    int32_t victim, count, observers[3];
    double least; /* part of the claim that must be found */
    bool exact;   /* the scores are log-likelihood ratios */
} setting;

/* The least parts are what a good attack reaches at this confidence, where the account is exact;
   elsewhere well below what these seeds reach. */
static const setting settings[] = {
    {"ring, once", {RING, .passes = 4, .schedule = 1, .noise = 1}, 2, 1, {5}, 0.9, true},
    {"ring, spread, coalition",
     {RING, .passes = 2, .schedule = 2, .noise = 2},
     4,
     2,
     {2, 5},
     0.9,
     true},
    {"ring, every, release",
     {RING, .passes = 3, .noise = 0.7, .release = true},
     4,
     3,
     {0, 2, 6},
     0.9,
     true},
    {"ring, pairs, between two colluders",
     {RING, .passes = 3, .schedule = 1, .noise = 0.5, .pairing = {.kappa = 1}},
     4,
     2,
     {3, 5},
     0.9,
     true},
    {"ring, pairs, spread, release",
     {RING, .passes = 2, .schedule = 2, .noise = 0.5, .release = true, .pairing = {.kappa = 3}},
     1,
     3,
     {0, 2, 6},
     0.9,
     true},
    {"ring, Laplace, once",
     {RING, .passes = 3, .schedule = 1, .mechanism = NETDP_LAPLACE, .noise = 2},
     2,
     1,
     {5},
     0.6,
     true},
    /* the last bits of floating point would refute this one */
    {"ring, Laplace, one pass",
     {RING, .passes = 1, .schedule = 1, .mechanism = NETDP_LAPLACE, .noise = 1, .high = 1},
     0,
     1,
     {1},
     0.6,
     true},
    {"ring, Laplace, every",
     {RING, .passes = 6, .mechanism = NETDP_LAPLACE, .noise = 1},
     2,
     2,
     {1, 5},
     0.1,
     true},
    {"ring, discrete, once",
     {RING, .passes = 3, .schedule = 1, .mechanism = NETDP_DISCRETE_GAUSSIAN, .noise = 2,
      .grid = 3},
     2,
     1,
     {5},
     0.5,
     true},
    {"ring, discrete, every",
     {RING, .passes = 3, .mechanism = NETDP_DISCRETE_GAUSSIAN, .noise = 0.6, .grid = 3},
     2,
     1,
     {5},
     0.1,
     false},
    {"complete, Gaussian", {COMPLETE, .steps = 32, .noise = 1}, 2, 1, {5}, 0.2, true},
    {"complete, coalition, release",
     {COMPLETE, .steps = 32, .noise = 2, .release = true},
     2,
     3,
     {1, 5, 6},
     0.25,
     true},
    {"complete, capped", {COMPLETE, .steps = 32, .noise = 1, .cap = 3}, 2, 2, {1, 5}, 0.2, true},
    {"complete, Laplace",
     {COMPLETE, .steps = 32, .mechanism = NETDP_LAPLACE, .noise = 1, .cap = 4},
     2,
     1,
     {5},
     0.05,
     true},
    {"complete, discrete",
     {COMPLETE, .steps = 32, .mechanism = NETDP_DISCRETE_GAUSSIAN, .noise = 1, .grid = 2, .cap = 4},
     2,
     1,
     {5},
     0.05,
     false},
    {"ring, two levels",
     {RING, COUNTS, .passes = 1, .levels = 2, .flip = 0.4},
     2,
     1,
     {0},
     0.6,
     true},
    {"ring, five levels",
     {RING, COUNTS, .passes = 6, .levels = 5, .flip = 0.6, .fill = NETDP_TALLY_USUAL},
     2,
     1,
     {5},
     0.2,
     false},
    {"ring, coalition, release",
     {RING, COUNTS, .passes = 2, .levels = 3, .flip = 0.5, .release = true},
     6,
     2,
     {0, 5},
     0.6,
     true},
    {"ring, fill",
     {RING, COUNTS, .passes = 1, .levels = 2, .flip = 0.4, .fill = 3},
     0,
     1,
     {1},
     0.4,
     false},
    {"complete, two levels",
     {COMPLETE, COUNTS, .steps = 32, .levels = 2, .flip = 0.5},
     2,
     1,
     {5},
     0.1,
     true},
    {"complete, four levels, capped, coalition",
     {COMPLETE, COUNTS, .steps = 32, .levels = 4, .flip = 0.6, .cap = 3, .release = true},
     2,
     2,
     {1, 5},
     0.4,
     true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static netdp_tally tally_of(const setting *of)
{
    netdp_tally tally = of->tally;
    tally.nodes = NODES;
    if (tally.pairing.kappa > 0)
        tally.pairing.graph = pairs;
    if (tally.high == 0) {
        tally.low = -1;
        tally.high = 4;
    }
    return tally;
}

static void attack(const setting *of, unsigned faults, int64_t runs)
{
    const netdp_tally tally = tally_of(of);
    const netdp_tally_attack asked = {.tally = &tally,
                                      .count = of->count,
                                      .observers = of->observers,
                                      .victim = of->victim,
                                      .faults = faults,
                                      .runs = runs,
                                      .seed = 7};
    assert_ok(netdp_attack_tally(&asked, NULL, scores, &error));
}

static bool is_gaussian(const setting *of)
{
    return of->tally.task == NETDP_TALLY_SUM && of->tally.mechanism == NETDP_GAUSSIAN &&
           of->tally.graph == NETDP_TALLY_RING;
}

/* mu where the account is unit-free, else epsilon at DELTA. */
static double claim(const setting *of)
{
    const netdp_tally tally = tally_of(of);
    const netdp_unit unit = {is_gaussian(of) ? NETDP_AS_GDP : NETDP_AS_DP,
                             is_gaussian(of) ? 0 : DELTA};
    const netdp_tally_request request = {.tally = &tally,
                                         .shuffle = NETDP_SHUFFLE_BLANKET, /* the quickest */
                                         .unit = unit,
                                         .from_count = 1,
                                         .from = &of->victim,
                                         .to_count = of->count,
                                         .to = of->observers,
                                         .coalition = of->count > 1};
    netdp_losses *losses = NULL;
    double value;
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    value = losses->loss[0];
    if (!losses->final)
        assert_ok(netdp_loss_value(losses->loss[0], tally.noise, unit, &value, &error));
    netdp_losses_free(losses);
    return value;
}

static netdp_verdict judge(const setting *of, double claimed, int64_t runs, double *found)
{
    const netdp_scores both = {runs, {scores, scores + runs}};
    const bool mu = is_gaussian(of);
    netdp_evidence evidence;
    netdp_verdict verdict;
    int64_t enough;
    assert_ok(netdp_audit_scores(&both, CONFIDENCE, DELTA, &evidence, &error));
    assert_ok(netdp_audit_verdict(&evidence, mu ? claimed : -1, mu ? -1 : claimed, &verdict,
                                  &enough, &error));
    *found = mu ? evidence.mu : evidence.epsilon;
    return verdict;
}

/* Of log-likelihood ratios L both worlds have the same mass in common with `times` the other's:
   E_0 min(e^L, times) = E_1 min(1, times e^-L). */
static void check_likelihood_ratio(int64_t runs, double times)
{
    double mean[2] = {0}, square[2] = {0};
    for (int world = 0; world < 2; world++)
        for (int64_t run = 0; run < runs; run++) {
            const double score = scores[world * runs + run];
            const double shared =
                world == 0 ? fmin(exp(score), times) : fmin(1, times * exp(-score));
            mean[world] += shared / (double)runs;
            square[world] += shared * shared / (double)runs;
        }
    const double spread = square[0] - mean[0] * mean[0] + square[1] - mean[1] * mean[1];
    assert_close(mean[0], mean[1], ERRORS * sqrt(spread / (double)runs), 0);
}

static void test_sound_and_tight(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const setting *of = &settings[i];
        const double claimed = claim(of);
        double found;
        const int64_t runs = of->least >= 0.9 ? RUNS : FEWER;
        attack(of, 0, runs);
        const netdp_verdict verdict = judge(of, claimed, runs, &found);
        print_message("%s: claimed %.4f, found %.4f\n", of->what, claimed, found);
        assert_true(verdict != NETDP_VERDICT_REFUTED && found <= claimed);
        assert_true(found >= of->least * claimed);
        for (double times = 0.25; of->exact && times < 8; times *= 4)
            check_likelihood_ratio(runs, times);
    }
}

/* What is broken is found, where enough of the claim is found that twice as much refutes it. */
static void test_faults(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const setting *of = &settings[i];
        const unsigned faults[] = {NETDP_FAULT_HALF_NOISE, NETDP_FAULT_NO_CLIP};
        if (of->least < 0.5)
            continue;
        const double claimed = claim(of);
        for (int f = 0; f < (of->tally.task == NETDP_TALLY_SUM ? 2 : 1); f++) {
            double found;
            attack(of, faults[f], FEWER);
            const netdp_verdict verdict = judge(of, claimed, FEWER, &found);
            print_message("%s, fault %u: claimed %.4f, found %.4f\n", of->what, faults[f], claimed,
                          found);
            assert_true(verdict == NETDP_VERDICT_REFUTED && found > claimed);
        }
    }
}

/* Nothing hides the victim: an increment without noise, and levels that are told as they are
   (`exact`: always; where a fill may be taken for the victim, mostly). */
static void test_nothing_hides(void **state)
{
    (void)state;
    static const setting open[] = {
        {"no noise", {RING, .passes = 2}, 2, 1, {5}, 0, true},
        {"no noise, Laplace", {RING, .passes = 2, .mechanism = NETDP_LAPLACE}, 2, 1, {5}, 0, true},
        {"between two colluders",
         {RING, .passes = 2, .schedule = 1, .noise = 3},
         4,
         2,
         {3, 5},
         0,
         true},
        {"no flip", {RING, COUNTS, .passes = 2, .levels = 2}, 2, 1, {5}, 0, true},
        {"no flip, fill", {RING, COUNTS, .passes = 1, .levels = 3, .fill = 1}, 2, 1, {5}, 0, false},
    };
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        const setting *of = &open[i];
        double found;
        attack(of, 0, FEW);
        for (int64_t run = 0; of->exact && run < 2 * FEW; run++)
            assert_true(run < FEW ? scores[run] < -100 : scores[run] > 100);
        const double claimed = claim(of);
        assert_true(isinf(claimed));
        assert_int_equal(judge(of, claimed, FEW, &found), NETDP_VERDICT_CONSISTENT);
        assert_true(found > (of->exact ? 3 : 0));
    }
}

/* Scores do not depend on the number of threads, and worlds are not mixed up. */
static void test_threads(void **state)
{
    (void)state;
    static double one[2 * FEWER];
    const setting *of = &settings[SETTINGS - 1];
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    attack(of, 0, FEWER);
    memcpy(one, scores, sizeof one);
    omp_set_num_threads(3);
    attack(of, 0, FEWER);
    omp_set_num_threads(threads);
    assert_memory_equal(one, scores, sizeof one);
}

static void test_refused(void **state)
{
    (void)state;
    netdp_tally tally = tally_of(&settings[0]);
    netdp_tally counting = tally_of(&settings[SETTINGS - 1]);
    const int32_t observer = 5, itself = 2, nobody = NODES;
    const netdp_tally_attack good = {
        .tally = &tally, .count = 1, .observers = &observer, .victim = 2, .runs = 10};
    netdp_tally_attack asked = good;
    assert_ok(netdp_attack_tally(&asked, NULL, scores, &error));
    asked.observers = &itself;
    assert_int_equal(netdp_attack_tally(&asked, NULL, scores, &error), NETDP_INVALID);
    asked.observers = &nobody;
    assert_int_equal(netdp_attack_tally(&asked, NULL, scores, &error), NETDP_INVALID);
    asked = good;
    asked.count = 0;
    assert_int_equal(netdp_attack_tally(&asked, NULL, scores, &error), NETDP_INVALID);
    asked = good;
    asked.runs = 0;
    assert_int_equal(netdp_attack_tally(&asked, NULL, scores, &error), NETDP_INVALID);
    asked = good;
    /* Sums that overflow have no score: refused, or one that is a number. */
    static const double huge[] = {1e308, 8e307, -1e308, 1e200, 5e-324, 1e-300};
    int answered = 0;
    for (int k = 0; k < 6 * 6 * 6 * 3; k++) {
        tally = tally_of(&settings[0]);
        tally.mechanism = k % 3 == 0 ? NETDP_GAUSSIAN : NETDP_LAPLACE;
        tally.low = k % 2 == 0 ? 0 : huge[k / 3 % 6];
        tally.high = huge[k / 18 % 6];
        tally.noise = fabs(huge[k / 108]);
        asked.faults = k % 5 == 0 ? NETDP_FAULT_NO_CLIP : 0;
        if (netdp_attack_tally(&asked, NULL, scores, &error) != NETDP_OK)
            continue;
        answered++;
        for (int i = 0; i < 2 * asked.runs; i++)
            assert_true(scores[i] == scores[i]);
    }
    assert_true(answered > 10);
    tally = tally_of(&settings[0]);
    asked.faults = NETDP_FAULT_NO_DITHER;
    assert_int_equal(netdp_attack_tally(&asked, NULL, scores, &error), NETDP_INVALID);
    asked.faults = NETDP_FAULT_NO_CLIP;
    asked.tally = &counting;
    assert_int_equal(netdp_attack_tally(&asked, NULL, scores, &error), NETDP_INVALID);
    asked = good;
    tally.passes = INT64_C(1) << 25;
    assert_int_equal(netdp_attack_tally(&asked, NULL, scores, &error), NETDP_NO_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_and_tight), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_nothing_hides),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refused),
    };
    if (netdp_graph_make("regular 8 3", 1, false, &pairs, NULL, &error) != NETDP_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    netdp_graph_free(pairs);
    return failed;
}
