/*
 * The auditor does not accuse the innocent more often than its confidence allows, and catches the
 * guilty.
 *
 * All draws come from fixed seeds, so a run is the same every time. Had the seeds been drawn anew:
 * each comparison of a count with the binomial law (26 of them) would fail by chance with
 * probability at most 1e-6, were the audit's chance exactly what its confidence allows; an audit is
 * right more often than that. Of the single audits that must catch, or must not, none failed when
 * their seeds were drawn anew 20 times (5,400 audits).
 */
#include "check.h"

#include <stdbool.h>
#include <netdp/audit.h>
#include <netdp/random.h>

static netdp_error error;

enum { ROOM = 400000 };
static double zero[ROOM], one[ROOM];

static netdp_evidence audit(int64_t runs, double confidence)
{
    const netdp_scores scores = {runs, {zero, one}};
    netdp_evidence evidence = {0};
    assert_ok(netdp_audit_scores(&scores, confidence, 1e-5, &evidence, &error));
    return evidence;
}

static void put_normals(int64_t runs, double mu, uint64_t seed)
{
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, zero, (size_t)runs);
    stream = netdp_stream_at(seed, NETDP_FOR_TEST, 1, 0);
    netdp_stream_normals(&stream, one, (size_t)runs);
    for (int64_t i = 0; i < runs; i++)
        one[i] += mu;
}

/* Laws that both worlds share: scores uniform on 0 .. levels-1, or on (0, 1) where levels is 0. */
static void put_null(int64_t runs, uint64_t levels, uint64_t seed)
{
    for (uint32_t world = 0; world < 2; world++) {
        netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_TEST, 2 + world, levels);
        double *out = world == 0 ? zero : one;
        for (int64_t i = 0; i < runs; i++)
            out[i] = levels > 0 ? (double)netdp_stream_below(&stream, levels)
                                : netdp_stream_uniform(&stream);
    }
}

/* How many of `count` audits may fail where each does with `chance`: exceeded with < 1e-6. */
static int most_by_chance(int count, double chance)
{
    double mass = exp(count * log1p(-chance)), below = mass;
    int k = 0;
    for (; k < count && below < 1 - 1e-6; k++) {
        mass *= (count - k) / (k + 1.0) * chance / (1 - chance);
        below += mass;
    }
    return k;
}

/* P(score >= threshold) of the laws of put_null */
static double share_from(uint64_t levels, double threshold)
{
    if (levels == 0)
        return fmin(fmax(1 - threshold, 0), 1);
    return fmin(fmax(((double)levels - ceil(threshold)) / (double)levels, 0), 1);
}

static bool bounds_hold(const netdp_evidence *found, uint64_t levels)
{
    for (int32_t i = 0; i < found->points; i++) {
        const double from = share_from(levels, found->point[i].threshold);
        if (found->point[i].false_positive_most < from ||
            found->point[i].false_negative_most < 1 - from)
            return false;
    }
    return true;
}

static const uint64_t laws[] = {0, 1, 2, 8};
enum { LAWS = sizeof laws / sizeof *laws };

static void assert_innocent(int audits, int64_t runs, double confidence)
{
    const int most = most_by_chance(audits, 1 - confidence);
    for (int l = 0; l < LAWS; l++) {
        int accused = 0, broken = 0;
        for (int k = 0; k < audits; k++) {
            put_null(runs, laws[l], (uint64_t)k);
            const netdp_evidence found = audit(runs, confidence);
            accused += found.mu > 0 || found.epsilon > 0;
            broken += !bounds_hold(&found, laws[l]);
        }
        print_message("%d audits of %lld runs at %g, %d levels: accused %d, bounds broken %d\n",
                      audits, (long long)runs, confidence, (int)laws[l], accused, broken);
        if (accused > most || broken > most)
            fail_msg("%d levels: %d accused, %d with broken bounds; at most %d by chance",
                     (int)laws[l], accused, broken, most);
    }
}

static void test_small_audits_of_no_leak(void **state)
{
    (void)state;
    assert_innocent(2000, 300, 0.5); /* where what is allowed is used up */
    assert_innocent(2000, 100, 0.999);
}

static void test_large_audits_of_no_leak(void **state)
{
    (void)state;
    assert_innocent(100, 10000, 0.999);
}

/* The bounds are not merely true but use what is allowed: most of the half that may fail. */
static void test_bounds_are_not_loose(void **state)
{
    (void)state;
    int broken = 0;
    for (int k = 0; k < 2000; k++) {
        put_null(3000, 2, (uint64_t)k); /* one threshold: two bounds, each failing at 1/4 */
        const netdp_evidence found = audit(3000, 0.5);
        broken += !bounds_hold(&found, 2);
    }
    print_message("one threshold: %d of 2000 broken\n", broken);
    assert_true(broken > 700);
}

/* A channel that leaks what it claims is not refuted. */
static void test_true_claims_stand(void **state)
{
    (void)state;
    static const double claims[] = {0.5, 2};
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
        const double mu = claims[c];
        double epsilon;
        assert_ok(netdp_gdp_to_epsilon(mu, 1e-5, &epsilon, &error));
        int refuted = 0;
        for (uint64_t k = 0; k < 1000; k++) {
            put_normals(1000, mu, 100000 + k);
            const netdp_evidence found = audit(1000, 0.9);
            refuted += found.mu > mu || found.epsilon > epsilon;
        }
        print_message("claim %g: %d of 1000 refuted at 0.9\n", mu, refuted);
        assert_true(refuted <= most_by_chance(1000, 0.1));
    }
}

/* Nearly all of mu is found: of 10^5 runs of each world at 0.999, nine tenths. */
static void test_tight_where_runs_are_many(void **state)
{
    (void)state;
    static const double mu[] = {1, 1.5, 3, 5};
    for (size_t m = 0; m < sizeof mu / sizeof *mu; m++) {
        double least = INFINITY, most = 0;
        for (uint64_t k = 0; k < 20; k++) {
            put_normals(100000, mu[m], 200000 + k);
            const double found = audit(100000, 0.999).mu / mu[m];
            least = fmin(least, found);
            most = fmax(most, found);
        }
        print_message("mu %g: from %.4f to %.4f of it found\n", mu[m], least, most);
        assert_true(least >= 0.9 && most <= 1);
    }
}

static void assert_verdict(int64_t runs, double leaks, double mu, double epsilon, uint64_t seed,
                           netdp_verdict want)
{
    netdp_verdict verdict;
    int64_t enough;
    put_normals(runs, leaks, seed);
    const netdp_evidence found = audit(runs, 0.999);
    assert_ok(netdp_audit_verdict(&found, mu, epsilon, &verdict, &enough, &error));
    if (verdict != want)
        fail_msg("%lld runs, leaks mu %g, claims mu %g, epsilon %g: found %g and %g, verdict %d, "
                 "enough %lld",
                 (long long)runs, leaks, mu, epsilon, found.mu, found.epsilon, (int)verdict,
                 (long long)enough);
}

/* Twice the claim, 10^4 runs. */
static void test_twice_the_claim_is_caught(void **state)
{
    (void)state;
    static const double claims[] = {0.3, 0.5, 1, 2, 3};
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
        for (uint64_t k = 0; k < 20; k++) {
            assert_verdict(10000, 2 * claims[c], claims[c], -1, 300000 + k, NETDP_VERDICT_REFUTED);
            assert_verdict(10000, claims[c], claims[c], -1, 400000 + k, NETDP_VERDICT_CONSISTENT);
        }
    }
}

/*
 * With four times the runs that are called enough a channel of twice the claim is caught; with an
 * eighth it is not, and it is said that runs were few.
 */
static void test_enough_is_enough(void **state)
{
    (void)state;
    static const double claims[2][2] = {{1, 2}, {0.2, 1}}; /* of epsilon, of mu */
    const netdp_evidence nothing = {.confidence = 0.999, .delta = 1e-5, .tested = 1, .points = 1};
    for (int of_mu = 0; of_mu < 2; of_mu++) {
        for (size_t c = 0; c < 2; c++) {
            const double claim = claims[of_mu][c];
            const double mu = of_mu ? claim : -1, epsilon = of_mu ? -1 : claim;
            netdp_verdict verdict;
            int64_t enough;
            double leaks = 2 * claim;
            if (!of_mu)
                assert_ok(netdp_epsilon_to_gdp(2 * claim, 1e-5, &leaks, &error));
            assert_ok(netdp_audit_verdict(&nothing, mu, epsilon, &verdict, &enough, &error));
            print_message("claim mu %g, epsilon %g: enough %lld\n", mu, epsilon, (long long)enough);
            assert_int_equal(verdict, NETDP_VERDICT_FEW_RUNS);
            assert_true(enough > 200 && 4 * enough <= ROOM);
            for (uint64_t k = 0; k < 10; k++) {
                assert_verdict(4 * enough, leaks, mu, epsilon, 500000 + k, NETDP_VERDICT_REFUTED);
                if (enough >= 800)
                    assert_verdict(enough / 8, leaks, mu, epsilon, 600000 + k,
                                   NETDP_VERDICT_FEW_RUNS);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_audits_of_no_leak),
        cmocka_unit_test(test_large_audits_of_no_leak),
        cmocka_unit_test(test_bounds_are_not_loose),
        cmocka_unit_test(test_true_claims_stand),
        cmocka_unit_test(test_tight_where_runs_are_many),
        cmocka_unit_test(test_twice_the_claim_is_caught),
        cmocka_unit_test(test_enough_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
