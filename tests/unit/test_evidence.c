/* What scores prove, where the answer is known without drawing anything, and what is refused. */
#include "check.h"

#include <float.h>
#include <netdp/audit.h>
#include <netdp/random.h>

#include "base/memory.h"

static netdp_error error;

enum { ROOM = 15000 };
static double zero[ROOM], one[ROOM];

static netdp_evidence audit(int64_t runs, double confidence, double delta)
{
    const netdp_scores scores = {runs, {zero, one}};
    netdp_evidence evidence = {0};
    assert_ok(netdp_audit_scores(&scores, confidence, delta, &evidence, &error));
    return evidence;
}

/* Scores 0 and 1, told apart in the first third; so many errors in the rest. */
static void put_errors(int64_t runs, int64_t false_positives, int64_t false_negatives)
{
    assert_true(runs <= ROOM);
    for (int64_t i = 0; i < runs; i++) {
        zero[i] = i >= runs - false_positives;
        one[i] = i < runs - false_negatives;
    }
}

/* Normal scores, those of world 1 higher by mu. */
static void put_normals(int64_t runs, double mu, uint64_t seed)
{
    assert_true(runs <= ROOM);
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, zero, (size_t)runs);
    netdp_stream_normals(&stream, one, (size_t)runs);
    for (int64_t i = 0; i < runs; i++)
        one[i] += mu;
}

/*
 * Binary scores: one threshold and two bounds, each failing with (1 - confidence)/2; from sums of
 * binomial terms, bisected, in mpmath with 30 digits.
 */
static const struct {
    int64_t runs, false_positives, false_negatives;
    double confidence, delta, false_positive_most, false_negative_most, mu, epsilon;
} exact[] = {
    {100, 0, 0, 0.999, 1e-05, 0.10724786887707908, 0.10724786887707908, 2.4825957048527211,
     2.1191550852349621},
    {100, 3, 20, 0.95, 1e-05, 0.12532703599394152, 0.42271879556879135, 1.3437051206788301,
     1.5273855723614192},
    {100, 66, 0, 0.5, 0.01, 0.99571544274240696, 0.020478371437567156, 0, 0},
    {3000, 17, 700, 0.999, 1e-06, 0.017566389281380732, 0.3858654405111458, 2.3969362640187346,
     3.5542250517689951},
    {3000, 1000, 999, 0.999999, 0.1, 0.55476819239956389, 0.55427224808912788, 0, 0},
    {3000, 1999, 0, 0.999, 1e-05, 0.99999974993751042, 0.0037932386549021144, 0, 0},
    {15000, 3120, 3100, 0.999, 1e-05, 0.32743373171107398, 0.32540839590872153, 0.89963830067275452,
     0.72600478203263337},
    {300, 100, 100, 1e-09, 1e-05, 0.50249582924949984, 0.50249582924949984, 0, 0},
    {300, 40, 41, 0.9999999999999999, 1e-05, 0.48517621069569039, 0.49093633841757615,
     0.059887469355202134, 0.04804129052496423},
};

static void test_against_mpmath(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        put_errors(exact[i].runs, exact[i].false_positives, exact[i].false_negatives);
        netdp_evidence found = audit(exact[i].runs, exact[i].confidence, exact[i].delta);
        assert_int_equal(found.points, 1);
        assert_int_equal(found.tested, exact[i].runs - exact[i].runs / 3);
        const netdp_trade_point *point = found.point;
        assert_true(point->threshold == 0.5);
        const double n = (double)found.tested;
        assert_true(point->false_positive == (double)exact[i].false_positives / n);
        assert_true(point->false_negative == (double)exact[i].false_negatives / n);
        assert_close(point->false_positive_most, exact[i].false_positive_most, 0, 1e-11);
        assert_close(point->false_negative_most, exact[i].false_negative_most, 0, 1e-11);
        assert_close(found.mu, exact[i].mu, 1e-11, 0);
        assert_close(found.epsilon, exact[i].epsilon, 1e-11, 0);
        /* and on the safe side, as far as the digits here tell */
        const double digits = 4e-16;
        assert_true(point->false_positive_most >= exact[i].false_positive_most * (1 - digits));
        assert_true(point->false_negative_most >= exact[i].false_negative_most * (1 - digits));
        assert_true(found.mu <= exact[i].mu * (1 + digits));
        assert_true(found.epsilon <= exact[i].epsilon * (1 + digits));
    }
}

/* World 0 gives itself away in one run of ten, world 1 never: the reverse direction sees more. */
static void test_both_directions_of_epsilon(void **state)
{
    (void)state;
    put_errors(15000, 9000, 0);
    const double backward = audit(15000, 0.999, 1e-5).epsilon;
    assert_close(backward, log((0.1 - 0.0083) / 7.6e-4), 0.05, 0);
    put_errors(15000, 0, 9000);
    assert_close(audit(15000, 0.999, 1e-5).epsilon, backward, 1e-9, 0);
}

static void test_what_chose_does_not_count(void **state)
{
    (void)state;
    put_errors(3000, 0, 0);
    for (int64_t i = 1000; i < 3000; i++)
        zero[i] = one[i] = (double)(i % 2); /* the third that tells all is not tested */
    netdp_evidence found = audit(3000, 0.5, 1e-5);
    assert_true(found.mu == 0 && found.epsilon == 0);
    assert_true(found.point[0].false_positive == 0.5 && found.point[0].false_negative == 0.5);
}

static void test_infinite_scores(void **state)
{
    (void)state;
    put_errors(3000, 0, 0);
    const netdp_evidence apart = audit(3000, 0.999, 1e-5);
    for (int64_t i = 0; i < 3000; i++) {
        zero[i] = -INFINITY;
        one[i] = INFINITY;
    }
    netdp_evidence found = audit(3000, 0.999, 1e-5);
    assert_true(found.mu == apart.mu && found.epsilon == apart.epsilon && found.mu > 5);
    /* A view that tells all in one run of four, nothing in the others. */
    for (int64_t i = 0; i < 3000; i++) {
        zero[i] = i % 4 == 0 ? -INFINITY : 0;
        one[i] = i % 4 == 0 ? INFINITY : 0;
    }
    found = audit(3000, 0.999, 1e-5);
    assert_int_equal(found.points, 2);
    assert_true(found.point[0].threshold == INFINITY && found.point[1].threshold == 0);
    assert_true(found.point[0].false_positive == 0 && found.point[0].false_negative == 0.75);
    assert_true(found.point[1].false_positive == 0.75 && found.point[1].false_negative == 0);
    assert_true(found.epsilon > 3);
    for (int64_t i = 0; i < 3000; i++)
        zero[i] = one[i] = i % 2 == 0 ? DBL_MAX : -DBL_MAX; /* half-way without overflow */
    found = audit(3000, 0.999, 1e-5);
    assert_true(found.points == 1 && found.point[0].threshold == 0);
}

static void test_constant_scores(void **state)
{
    (void)state;
    static const double constant[] = {0, -3, INFINITY, -INFINITY};
    for (size_t c = 0; c < sizeof constant / sizeof *constant; c++) {
        for (int64_t i = 0; i < 100; i++)
            zero[i] = one[i] = constant[c];
        netdp_evidence found = audit(100, 1e-9, 1e-5);
        assert_true(found.mu == 0 && found.epsilon == 0);
        assert_int_equal(found.points, 1);
        assert_true(found.point[0].threshold == constant[c]);
        assert_true(found.point[0].false_positive == 1 && found.point[0].false_negative == 0);
        assert_true(found.point[0].false_positive_most == 1);
    }
}

static void assert_curve(const netdp_evidence *found)
{
    assert_true(found->points >= 1 && found->points <= NETDP_TRADE_POINTS);
    for (int32_t i = 0; i < found->points; i++) {
        const netdp_trade_point *here = found->point + i, *last = here - 1;
        assert_true(here->false_positive >= 0 && here->false_negative >= 0);
        assert_true(here->false_positive_most <= 1 && here->false_negative_most <= 1);
        assert_true(here->false_positive_most > here->false_positive || here->false_positive == 1);
        assert_true(here->false_negative_most > here->false_negative || here->false_negative == 1);
        if (i == 0)
            continue;
        assert_true(here->threshold < last->threshold);
        assert_true(here->false_positive >= last->false_positive);
        assert_true(here->false_negative <= last->false_negative);
        assert_true(here->false_positive_most >= last->false_positive_most);
        assert_true(here->false_negative_most <= last->false_negative_most);
    }
}

static void test_a_curve_to_draw(void **state)
{
    (void)state;
    static const double coarseness[] = {0, 0.1, 1, 3};
    static const int64_t runs[] = {100, 101, 102, 1000, ROOM};
    for (size_t c = 0; c < 4; c++) {
        for (size_t r = 0; r < 5; r++) {
            put_normals(runs[r], 1, 10 * c + r);
            for (int64_t i = 0; c > 0 && i < runs[r]; i++) {
                zero[i] = coarseness[c] * floor(zero[i] / coarseness[c]);
                one[i] = coarseness[c] * floor(one[i] / coarseness[c]);
            }
            netdp_evidence found = audit(runs[r], 0.999, 1e-5);
            assert_curve(&found);
            assert_true(found.points <= 4 || c < 3);
            assert_true(found.points >= 10 || c > 1 || runs[r] < 1000);
        }
    }
}

static void test_more_confidence_proves_less(void **state)
{
    (void)state;
    static const double confidence[] = {1e-300, 0.5, 0.9, 0.999, 1 - 1e-9, 1 - 0x1p-53};
    double mu = INFINITY, epsilon = INFINITY;
    put_normals(ROOM, 2, 5);
    for (size_t i = 0; i < sizeof confidence / sizeof *confidence; i++) {
        netdp_evidence found = audit(ROOM, confidence[i], 1e-5);
        assert_true(found.mu > 1.5 && found.mu < mu);
        assert_true(found.epsilon > 1 && found.epsilon < epsilon);
        mu = found.mu;
        epsilon = found.epsilon;
    }
}

static void test_more_delta_proves_less_epsilon(void **state)
{
    (void)state;
    static const double delta[] = {5e-324, 1e-5, 1e-2, 0.3, 1 - 0x1p-53};
    double epsilon = INFINITY;
    put_normals(ROOM, 2, 6);
    for (size_t i = 0; i < sizeof delta / sizeof *delta; i++) {
        netdp_evidence found = audit(ROOM, 0.999, delta[i]);
        assert_true(found.epsilon <= epsilon);
        epsilon = found.epsilon;
    }
    assert_true(epsilon == 0);
}

static void test_bad_scores(void **state)
{
    (void)state;
    const netdp_scores scores = {ROOM, {zero, one}};
    netdp_evidence found;
    memset(&found, 7, sizeof found);
    const netdp_evidence before = found;
    put_normals(ROOM, 1, 7);
    static const double outside[] = {0, 1, -0.5, 1.5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_fails(netdp_audit_scores(&scores, outside[i], 1e-5, &found, &error), NETDP_INVALID);
        assert_fails(netdp_audit_scores(&scores, 0.9, outside[i], &found, &error), NETDP_INVALID);
    }
    const netdp_scores few = {99, {zero, one}};
    assert_fails(netdp_audit_scores(&few, 0.9, 1e-5, &found, &error), NETDP_INVALID);
    one[ROOM - 1] = NAN;
    assert_fails(netdp_audit_scores(&scores, 0.9, 1e-5, &found, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "run 14999 in world 1"));
    assert_memory_equal(&found, &before, sizeof found);
    assert_int_equal(netdp_audit_scores(&scores, 0.9, 1e-5, &found, NULL), NETDP_INVALID);
}

static void test_no_memory(void **state)
{
    (void)state;
    put_normals(300, 1, 8);
    const netdp_scores scores = {300, {zero, one}};
    netdp_evidence found;
    const int64_t live = netdp_i_memory_live();
    netdp_i_memory_fail_at(0);
    assert_fails(netdp_audit_scores(&scores, 0.9, 1e-5, &found, &error), NETDP_NO_MEMORY);
    netdp_i_memory_fail_at(-1);
    assert_ok(netdp_audit_scores(&scores, 0.9, 1e-5, &found, &error));
    assert_int_equal(netdp_i_memory_live(), live);
}

static netdp_verdict verdict_on(const netdp_evidence *evidence, double mu, double epsilon,
                                int64_t *enough)
{
    netdp_verdict verdict = (netdp_verdict)-1;
    *enough = -1;
    assert_ok(netdp_audit_verdict(evidence, mu, epsilon, &verdict, enough, &error));
    assert_true((*enough > 0) == (verdict == NETDP_VERDICT_FEW_RUNS));
    return verdict;
}

static void test_verdicts(void **state)
{
    (void)state;
    int64_t enough;
    const netdp_evidence found = {
        .confidence = 0.999, .mu = 1, .epsilon = 2, .delta = 1e-5, .tested = 100000, .points = 1};
    assert_int_equal(verdict_on(&found, 0.99, -1, &enough), NETDP_VERDICT_REFUTED);
    assert_int_equal(verdict_on(&found, 1, -1, &enough), NETDP_VERDICT_CONSISTENT);
    assert_int_equal(verdict_on(&found, INFINITY, -1, &enough), NETDP_VERDICT_CONSISTENT);
    assert_int_equal(verdict_on(&found, -1, 1.99, &enough), NETDP_VERDICT_REFUTED);
    assert_int_equal(verdict_on(&found, -1, 2, &enough), NETDP_VERDICT_CONSISTENT);
    assert_int_equal(verdict_on(&found, -1, INFINITY, &enough), NETDP_VERDICT_CONSISTENT);
    assert_int_equal(verdict_on(&found, 0, -1, &enough), NETDP_VERDICT_REFUTED);
    assert_int_equal(verdict_on(&found, 20, -1, &enough), NETDP_VERDICT_FEW_RUNS);
    assert_int_equal(verdict_on(&found, -1, 20, &enough), NETDP_VERDICT_FEW_RUNS);

    netdp_evidence none = found;
    none.mu = none.epsilon = 0;
    assert_int_equal(verdict_on(&none, 0, -1, &enough), NETDP_VERDICT_CONSISTENT);
    assert_int_equal(verdict_on(&none, -1, 0, &enough), NETDP_VERDICT_CONSISTENT);
    assert_int_equal(verdict_on(&none, 1e-12, -1, &enough), NETDP_VERDICT_FEW_RUNS);
    assert_true(enough == INT64_MAX);
    assert_int_equal(verdict_on(&none, 100, -1, &enough), NETDP_VERDICT_FEW_RUNS);
    assert_true(enough == INT64_MAX);
    none.tested = 67;
    assert_int_equal(verdict_on(&none, 1, -1, &enough), NETDP_VERDICT_FEW_RUNS);
    /* Half of claims below: four times the runs, while the errors stay normal. */
    int64_t half, quarter;
    verdict_on(&none, 0.05, -1, &half);
    verdict_on(&none, 0.025, -1, &quarter);
    assert_close((double)quarter / (double)half, 4, 0.05, 0);
    /* Where they do not: none seen in n bounds both by ln(1/alpha)/n, and Q(claim/2) must be above:
       the centre of a channel of twice 8 has hardly an error. */
    verdict_on(&none, 8, -1, &enough);
    const double tested = log(30 / 0.001) / (0.5 * erfc(4 * M_SQRT1_2));
    assert_close((double)enough, 1.5 * tested, 0, 0.1);
}

static void test_enough_runs_are_enough(void **state)
{
    (void)state;
    netdp_evidence found = {.confidence = 0.999, .delta = 1e-5, .tested = 1, .points = 1};
    static const double claims[] = {0.1, 0.5, 1, 3};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        for (int of_mu = 0; of_mu < 2; of_mu++) {
            const double mu = of_mu ? claims[i] : -1, epsilon = of_mu ? -1 : claims[i];
            int64_t enough, none;
            found.tested = 1;
            assert_int_equal(verdict_on(&found, mu, epsilon, &enough), NETDP_VERDICT_FEW_RUNS);
            found.tested = enough - enough / 3;
            assert_int_equal(verdict_on(&found, mu, epsilon, &none), NETDP_VERDICT_CONSISTENT);
            found.tested = (int64_t)(0.99 * (double)found.tested) - 1;
            verdict_on(&found, mu, epsilon, &none);
            assert_true(none == 0 || none == enough);
        }
    }
}

static void test_bad_claims(void **state)
{
    (void)state;
    netdp_evidence found = {.confidence = 0.999, .delta = 1e-5, .tested = 1000, .points = 1};
    static const double claims[][2] = {{-1, -1}, {1, 1}, {NAN, -1}, {-1, NAN}, {0, 0}};
    netdp_verdict verdict = (netdp_verdict)9;
    int64_t enough = 9;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        assert_fails(
            netdp_audit_verdict(&found, claims[i][0], claims[i][1], &verdict, &enough, &error),
            NETDP_INVALID);
    found.tested = 0;
    assert_fails(netdp_audit_verdict(&found, 1, -1, &verdict, &enough, &error), NETDP_INVALID);
    found = (netdp_evidence){.tested = 1000, .delta = 1e-5};
    assert_fails(netdp_audit_verdict(&found, 1, -1, &verdict, &enough, &error), NETDP_INVALID);
    found = (netdp_evidence){.tested = 1000, .confidence = 0.9};
    assert_fails(netdp_audit_verdict(&found, 1, -1, &verdict, &enough, &error), NETDP_INVALID);
    assert_true((int)verdict == 9 && enough == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_mpmath),
        cmocka_unit_test(test_both_directions_of_epsilon),
        cmocka_unit_test(test_what_chose_does_not_count),
        cmocka_unit_test(test_infinite_scores),
        cmocka_unit_test(test_constant_scores),
        cmocka_unit_test(test_a_curve_to_draw),
        cmocka_unit_test(test_more_confidence_proves_less),
        cmocka_unit_test(test_more_delta_proves_less_epsilon),
        cmocka_unit_test(test_bad_scores),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_enough_runs_are_enough),
        cmocka_unit_test(test_bad_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
