#include "golden.h"

#include <stdbool.h>
#include <time.h>
#include <netdp/privacy.h>
#include <netdp/random.h>

static netdp_shuffle shuffle_of(double epsilon0, int64_t crowd, int64_t levels)
{
    return (netdp_shuffle){.epsilon0 = epsilon0, .crowd = crowd, .levels = levels};
}

static double epsilon_by(netdp_shuffle_bound bound, netdp_shuffle shuffle, double delta)
{
    netdp_error error = {0};
    double epsilon = NAN;
    assert_ok(netdp_shuffle_epsilon(bound, &shuffle, delta, &epsilon, &error));
    assert_true(epsilon >= 0);
    return epsilon;
}

static double delta_by(netdp_shuffle_bound bound, netdp_shuffle shuffle, double epsilon)
{
    netdp_error error = {0};
    double delta = NAN;
    assert_ok(netdp_shuffle_delta(bound, &shuffle, epsilon, &delta, &error));
    assert_true(delta >= 0 && delta <= 1);
    return delta;
}

static double rr_epsilon(double gamma, int64_t levels)
{
    netdp_error error = {0};
    double epsilon0 = NAN;
    assert_ok(netdp_rr_epsilon(gamma, levels, &epsilon0, &error));
    return epsilon0;
}

static double rr_gamma(double epsilon0, int64_t levels)
{
    netdp_error error = {0};
    double gamma = NAN;
    assert_ok(netdp_rr_gamma(epsilon0, levels, &gamma, &error));
    return gamma;
}

/* ---- Randomised response ---- */

static void test_randomised_response(void **state)
{
    (void)state;
    netdp_error error = {0};
    double out = 7;
    assert_close(rr_epsilon(0.5, 2), log(3), 0, 1e-15);
    assert_close(rr_epsilon(0.25, 10), log((0.75 + 0.025) / 0.025), 0, 1e-14);
    assert_true(rr_epsilon(0, 5) == INFINITY && rr_epsilon(1, 5) == 0);
    assert_true(rr_gamma(0, 5) == 1 && rr_gamma(INFINITY, 5) == 0);
    for (int e = -300; e <= 2; e += 7)
        for (int64_t levels = 2; levels < 100000; levels *= 7) {
            double epsilon0 = pow(10, e), gamma = rr_gamma(epsilon0, levels);
            /* Rounded towards more noise: its epsilon0, of real numbers, is at most that asked. */
            long double back =
                log1pl((long double)levels * (1 - (long double)gamma) / (long double)gamma);
            assert_true(back <= (long double)epsilon0 * (1 + 1e-17L));
            assert_true(gamma == 1 || (double)back >= epsilon0 * (1 - 1e-13) - 1e-11);
            assert_true(rr_epsilon(gamma, levels) >= (double)back);
        }
    assert_fails(netdp_rr_epsilon(-0.1, 2, &out, &error), NETDP_INVALID);
    assert_fails(netdp_rr_epsilon(1.1, 2, &out, &error), NETDP_INVALID);
    assert_fails(netdp_rr_epsilon(NAN, 2, &out, &error), NETDP_INVALID);
    assert_fails(netdp_rr_epsilon(0.5, 1, &out, &error), NETDP_INVALID);
    assert_fails(netdp_rr_gamma(-1, 2, &out, &error), NETDP_INVALID);
    assert_fails(netdp_rr_gamma(NAN, 2, &out, &error), NETDP_INVALID);
    assert_true(out == 7);
}

/* ---- Shuffling ---- */

static void test_golden_shuffle(void **state)
{
    (void)state;
    json_t *golden = load_golden("golden.json");
    size_t i;
    json_t *row, *rows = json_object_get(json_object_get(golden, "scalars"), "shuffle_feldman");
    assert_true(json_array_size(rows) > 0);
    json_array_foreach (rows, i, row) {
        netdp_shuffle shuffle = shuffle_of(number(row, "eps0"), (int64_t)number(row, "n"), 0);
        assert_close(epsilon_by(NETDP_SHUFFLE_FELDMAN, shuffle, number(row, "delta")),
                     number(row, "eps"), 0, 1e-11);
    }
    json_decref(golden);
}

/* tests/oracle/shuffle_exact.py, "truth": no bound is below what enumeration finds. */
static void test_never_below_the_truth(void **state)
{
    (void)state;
    json_t *golden = load_golden("shuffle_exact.json");
    size_t i;
    json_t *row, *rows = json_object_get(golden, "truth");
    assert_true(json_array_size(rows) >= 150);
    int spoke[NETDP_SHUFFLE_BOUNDS] = {0};
    double worst = 0;
    json_array_foreach (rows, i, row) {
        double truth = number(row, "epsilon"), delta = number(row, "delta");
        double epsilon0 = number(row, "epsilon0");
        int64_t n = (int64_t)number(row, "n"), levels = (int64_t)number(row, "levels");
        netdp_shuffle shuffle = shuffle_of(epsilon0, n, levels);
        for (int b = 0; b < NETDP_SHUFFLE_BOUNDS; b++) {
            /* The computed ones by their delta just below the truth; by epsilon now and then. */
            netdp_shuffle_bound name = (netdp_shuffle_bound)b;
            bool sum = name == NETDP_SHUFFLE_CLONES || name == NETDP_SHUFFLE_BLANKET;
            if (sum && truth > 0 && (i + (size_t)b) % 2 == 0 &&
                delta_by(name, shuffle, truth * (1 - 1e-6)) < delta * (1 - 1e-9))
                fail_msg("%s, %d levels, n %d, epsilon0 %g: delta at %.12g is below %g",
                         netdp_shuffle_name(name), (int)levels, (int)n, epsilon0, truth, delta);
            if ((sum || name == NETDP_SHUFFLE_LEAST) && i % 40 != 10)
                continue;
            double bound = epsilon_by(name, shuffle, delta);
            if (bound < truth * (1 - 1e-9))
                fail_msg("%s, %d levels, n %d, epsilon0 %g, delta %g: %.12g is below %.12g",
                         netdp_shuffle_name(name), (int)levels, (int)n, epsilon0, delta, bound,
                         truth);
            assert_true(bound <= epsilon0 || bound == INFINITY);
            spoke[b] += bound < epsilon0;
            if (name == NETDP_SHUFFLE_BLANKET && levels == 2 && n >= 200 && truth > 0)
                worst = fmax(worst, bound / truth);
        }
    }
    print_message("blanket over truth, two levels, n >= 200: at most %.4g\n", worst);
    assert_true(worst > 1 && worst < 2);
    for (int b = 0; b < NETDP_SHUFFLE_BOUNDS; b++)
        assert_true(b == NETDP_SHUFFLE_LOCAL || spoke[b] > 0);
    json_decref(golden);
}

/* The same script, "sums": what Fourier inversion should give, term by term. */
static void test_sums(void **state)
{
    (void)state;
    json_t *golden = load_golden("shuffle_exact.json");
    size_t i;
    json_t *row, *rows = json_object_get(golden, "sums");
    assert_true(json_array_size(rows) >= 150);
    double worst = 0;
    json_array_foreach (rows, i, row) {
        int64_t levels = (int64_t)number(row, "levels");
        netdp_shuffle shuffle =
            shuffle_of(number(row, "epsilon0"), (int64_t)number(row, "n"), levels);
        double want = number(row, "delta");
        double got = delta_by(levels == 0 ? NETDP_SHUFFLE_CLONES : NETDP_SHUFFLE_BLANKET, shuffle,
                              number(row, "epsilon"));
        if (got < want * (1 - 1e-11))
            fail_msg("row %d: %.15g is below %.15g", (int)i, got, want);
        if (shuffle.crowd <= 7) /* summed as it stands */
            assert_close(got, want, 1e-300, 1e-10);
        worst = fmax(worst, got / want - 1);
    }
    print_message("worst relative excess of delta: %.3g\n", worst);
    assert_true(worst < 1e-2);
    json_decref(golden);
}

static void test_ranges_of_the_formulas(void **state)
{
    (void)state;
    const netdp_shuffle_bound erlingsson = NETDP_SHUFFLE_ERLINGSSON,
                              feldman = NETDP_SHUFFLE_FELDMAN;
    assert_true(epsilon_by(erlingsson, shuffle_of(0.4, 1000, 0), 1e-3) == INFINITY);
    assert_true(epsilon_by(erlingsson, shuffle_of(0.4, 1001, 0), 1e-3) < INFINITY);
    assert_true(epsilon_by(erlingsson, shuffle_of(0.5, 100000, 0), 1e-3) == INFINITY);
    assert_true(epsilon_by(erlingsson, shuffle_of(0.4, 100000, 0), 0.01) == INFINITY);
    assert_close(epsilon_by(erlingsson, shuffle_of(0.4, 1000000, 0), 1e-6),
                 12 * 0.4 * sqrt(log(1e6) / 1e6), 0, 1e-14);
    /* Inside, a formula above epsilon0 is capped. */
    assert_true(epsilon_by(erlingsson, shuffle_of(0.4, 1001, 0), 1e-9) == 0.4);
    double edge = log(1e5 / (16 * log(2e6)));
    assert_true(epsilon_by(feldman, shuffle_of(edge - 1e-12, 100000, 0), 1e-6) < INFINITY);
    assert_true(epsilon_by(feldman, shuffle_of(edge + 1e-12, 100000, 0), 1e-6) == INFINITY);
    assert_true(epsilon_by(feldman, shuffle_of(1, 5, 0), 1e-6) == INFINITY);
    assert_true(epsilon_by(NETDP_SHUFFLE_BLANKET, shuffle_of(1, 5000, 0), 1e-6) == INFINITY);
    assert_true(epsilon_by(NETDP_SHUFFLE_LEAST, shuffle_of(1, 1, 2), 1e-300) == 1);
    assert_true(epsilon_by(NETDP_SHUFFLE_LEAST, shuffle_of(INFINITY, 9, 2), 0.1) == INFINITY);
    assert_true(epsilon_by(NETDP_SHUFFLE_LEAST, shuffle_of(0, 9, 2), 0.1) == 0);
    assert_true(epsilon_by(NETDP_SHUFFLE_LEAST, shuffle_of(200, 9, 2), 0.1) == 200);
}

/* From 2 to 10^6 people, delta to 1e-300: an answer, the least of all, monotone, soon. */
static void test_grid(void **state)
{
    (void)state;
    enum { CROWDS = 3, DELTAS = 3 };
    static const int64_t crowd[CROWDS] = {2, 800, 1000000};
    static const double delta[DELTAS] = {0.3, 1e-6, 1e-300};
    for (int e = 0; e < (LIGHT ? 1 : 2); e++) {
        double epsilon0 = 0.2 * pow(12, e), least[CROWDS][DELTAS];
        for (int c = 0; c < CROWDS; c++)
            for (int d = 0; d < DELTAS; d++) {
                netdp_shuffle shuffle = shuffle_of(epsilon0, crowd[c], 5);
                double here = epsilon_by(NETDP_SHUFFLE_LEAST, shuffle, delta[d]);
                assert_true(here <= epsilon0);
                assert_true(c == 0 || here <= least[c - 1][d] * (1 + 1e-4));
                assert_true(d == 0 || here * (1 + 1e-4) >= least[c][d - 1]);
                assert_true(here <= epsilon_by(NETDP_SHUFFLE_FELDMAN, shuffle, delta[d]));
                /* One of the computed bounds proves it, and neither proves much less. */
                double blanket = delta_by(NETDP_SHUFFLE_BLANKET, shuffle, here);
                assert_true(fmin(blanket, delta_by(NETDP_SHUFFLE_CLONES, shuffle, here)) <=
                            delta[d]);
                if (here > 0)
                    assert_true(delta_by(NETDP_SHUFFLE_BLANKET, shuffle, here * (1 - 1e-5)) >
                                delta[d]);
                least[c][d] = here;
            }
    }
    clock_t start = clock();
    (void)epsilon_by(NETDP_SHUFFLE_LEAST, shuffle_of(1, 1000000, 10), 1e-6);
    print_message("a million people: %.2f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
}

static void test_gamma_for_a_crowd(void **state)
{
    (void)state;
    netdp_error error = {0};
    double gamma = 7;
    for (int b = 0; b < NETDP_SHUFFLE_BOUNDS; b++)
        for (int64_t crowd = 3000; crowd <= 30000; crowd *= 10) {
            netdp_shuffle_bound bound = (netdp_shuffle_bound)b;
            assert_ok(netdp_shuffle_gamma(bound, crowd, 8, 0.2, 1e-6, &gamma, &error));
            netdp_shuffle shuffle = shuffle_of(rr_epsilon(gamma, 8), crowd, 8);
            assert_true(epsilon_by(bound, shuffle, 1e-6) <= 0.2 * (1 + 0x1p-19));
            assert_true(gamma <= rr_gamma(0.2, 8) * (1 + 0x1p-19) ||
                        b == NETDP_SHUFFLE_ERLINGSSON || b == NETDP_SHUFFLE_FELDMAN);
            shuffle.epsilon0 = rr_epsilon(gamma * (1 - 1e-5), 8);
            assert_true(epsilon_by(bound, shuffle, 1e-6) > 0.2 * (1 - 1e-4));
        }
    /* What paper E, Theorem 2 needs: epsilon0 = epsilon sqrt(n/ln(1/delta))/12, below 1/2. */
    assert_ok(netdp_shuffle_gamma(NETDP_SHUFFLE_ERLINGSSON, 100000, 8, 0.05, 1e-6, &gamma, &error));
    assert_close(rr_epsilon(gamma, 8), 0.05 * sqrt(1e5 / log(1e6)) / 12, 0, 1e-5);
    double printed = 7;
    assert_ok(netdp_rr_gamma_printed(100000, 8, 0.05, 1e-6, &printed, &error));
    assert_close(rr_epsilon(printed, 8), 12 * 0.05 * sqrt(log(1e6) / 1e5), 0, 1e-10);
    assert_true(printed > gamma);
    /* Sound all the same. */
    netdp_shuffle shuffle = shuffle_of(rr_epsilon(printed, 8), 100000, 8);
    assert_true(shuffle.epsilon0 <= 0.05);
    gamma = 7;
    assert_fails(netdp_rr_gamma_printed(1000, 8, 0.05, 1e-6, &gamma, &error), NETDP_NO_ANSWER);
    assert_fails(netdp_rr_gamma_printed(1100, 8, 0.05, 1e-6, &gamma, &error), NETDP_NO_ANSWER);
    assert_fails(netdp_rr_gamma_printed(100000, 8, 0.5, 1e-6, &gamma, &error), NETDP_NO_ANSWER);
    assert_fails(netdp_shuffle_gamma(NETDP_SHUFFLE_ERLINGSSON, 900, 8, 0.05, 1e-6, &gamma, &error),
                 NETDP_NO_ANSWER);
    assert_fails(netdp_shuffle_gamma(NETDP_SHUFFLE_LEAST, 900, 8, 0, 1e-6, &gamma, &error),
                 NETDP_INVALID);
    assert_true(gamma == 7);
}

static void test_bad_shuffles(void **state)
{
    (void)state;
    netdp_error error = {0};
    double out = 7;
    const netdp_shuffle bad[] = {{-1, 10, 2}, {NAN, 10, 2}, {1, 0, 2},         {1, -5, 2},
                                 {1, 10, 1},  {1, 10, -2},  {1, 2000000000, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(netdp_shuffle_epsilon(NETDP_SHUFFLE_LEAST, &bad[i], 1e-6, &out, &error),
                     NETDP_INVALID);
    const netdp_shuffle good = {1, 10, 2};
    const double bad_delta[] = {0, 1, -1, NAN};
    for (int i = 0; i < 4; i++)
        assert_fails(netdp_shuffle_epsilon(NETDP_SHUFFLE_LEAST, &good, bad_delta[i], &out, &error),
                     NETDP_INVALID);
    assert_fails(netdp_shuffle_epsilon(NETDP_SHUFFLE_BOUNDS, &good, 0.1, &out, &error),
                 NETDP_INVALID);
    assert_fails(netdp_shuffle_delta(NETDP_SHUFFLE_FELDMAN, &good, 0.1, &out, &error),
                 NETDP_INVALID);
    assert_fails(netdp_shuffle_delta(NETDP_SHUFFLE_BLANKET, &good, NAN, &out, &error),
                 NETDP_INVALID);
    assert_null(netdp_shuffle_name(NETDP_SHUFFLE_BOUNDS));
    assert_string_equal(netdp_shuffle_name(NETDP_SHUFFLE_BLANKET), "blanket");
    assert_true(out == 7);
}

/* ---- Subsampling ---- */

static double sampled_epsilon(int64_t people, int64_t sample, double epsilon)
{
    netdp_error error = {0};
    double amplified = NAN;
    assert_ok(netdp_subsample_epsilon(people, sample, epsilon, &amplified, &error));
    return amplified;
}

static double sampled_delta(int64_t people, int64_t sample, double epsilon,
                            netdp_group_profile profile, double one)
{
    netdp_error error = {0};
    double delta = NAN;
    assert_ok(netdp_subsample_delta(people, sample, epsilon, profile, &one, &delta, &error));
    return delta;
}

static netdp_status linear_profile(void *context, int64_t k, double epsilon, double *delta,
                                   netdp_error *error)
{
    (void)epsilon;
    (void)error;
    *delta = (double)k * *(double *)context;
    return NETDP_OK;
}

static netdp_status broken_profile(void *context, int64_t k, double epsilon, double *delta,
                                   netdp_error *error)
{
    (void)epsilon;
    (void)error;
    *delta = k < 3 ? 0.1 : *(double *)context;
    return NETDP_OK;
}

static void test_subsampling_formulas(void **state)
{
    (void)state;
    netdp_error error = {0};
    double out = 7, broken = 1.5;
    assert_close(sampled_epsilon(100, 5, 1), log1p((1 - pow(0.99, 5)) * expm1(1)), 0, 1e-14);
    assert_true(sampled_epsilon(100, 0, 1) == 0 && sampled_epsilon(100, 5, INFINITY) == INFINITY);
    assert_true(sampled_epsilon(2, 100000, 3) <= 3);
    /* Paper E: with delta_k = k delta the sum is (m/n) delta. */
    assert_close(sampled_delta(1000, 50, 1, linear_profile, 1e-6), 50.0 / 1000 * 1e-6, 0, 1e-14);
    assert_close(sampled_delta(10, 4, 0.7, netdp_group_laplace, 1),
                 4 * 0.1 * pow(0.9, 3) * -expm1((0.7 - 1) / 2) +
                     6 * 0.01 * pow(0.9, 2) * -expm1((0.7 - 2) / 2) +
                     4 * 0.001 * 0.9 * -expm1((0.7 - 3) / 2) + 0.0001 * -expm1((0.7 - 4) / 2),
                 0, 1e-13);
    assert_true(sampled_delta(10, 0, 1, netdp_group_gaussian, 1) == 0);
    assert_true(sampled_delta(10, 40, 1, netdp_group_gaussian, 0) <= 5e-324);
    for (int64_t m = 1; m <= 4096; m *= 8) {
        double more = sampled_delta(1000, m + 1, 2, netdp_group_gaussian, 0.5);
        assert_true(sampled_delta(1000, m, 2, netdp_group_gaussian, 0.5) <= more && more <= 1);
    }
    /* A pure epsilon that only large groups exceed: the tail is not forgotten. */
    assert_true(sampled_delta(1000, 20, 10.5, netdp_group_laplace, 1) > 0);
    assert_fails(netdp_subsample_delta(10, 5, 1, broken_profile, &broken, &out, &error),
                 NETDP_INVALID);
    assert_fails(netdp_subsample_delta(1, 5, 1, linear_profile, &broken, &out, &error),
                 NETDP_INVALID);
    assert_fails(netdp_subsample_epsilon(10, -1, 1, &out, &error), NETDP_INVALID);
    assert_fails(netdp_subsample_epsilon(10, 1, NAN, &out, &error), NETDP_INVALID);
    assert_true(out == 7);
}

/* tests/oracle/amplification_mpmath.py: closed forms, at or above 50 digits and hardly above. */
static double form_at(const char *form, const double *at)
{
    netdp_error error = {0};
    double value = NAN;
    if (strcmp(form, "erlingsson") == 0)
        return epsilon_by(NETDP_SHUFFLE_ERLINGSSON, shuffle_of(at[0], (int64_t)at[1], 0), at[2]);
    if (strcmp(form, "feldman") == 0)
        return epsilon_by(NETDP_SHUFFLE_FELDMAN, shuffle_of(at[0], (int64_t)at[1], 0), at[2]);
    if (strcmp(form, "rr-epsilon") == 0)
        return rr_epsilon(at[0], (int64_t)at[1]);
    if (strcmp(form, "rr-gamma") == 0)
        return rr_gamma(at[0], (int64_t)at[1]);
    if (strcmp(form, "sample-epsilon") == 0)
        return sampled_epsilon((int64_t)at[0], (int64_t)at[1], at[2]);
    netdp_group_profile profile =
        strcmp(form, "sample-gaussian") == 0 ? netdp_group_gaussian : netdp_group_laplace;
    double one = at[3];
    assert_ok(netdp_subsample_delta((int64_t)at[0], (int64_t)at[1], at[2], profile, &one, &value,
                                    &error));
    return value;
}

static void test_against_mpmath(void **state)
{
    (void)state;
    json_t *golden = load_golden("amplification_mpmath.json");
    size_t i, k;
    json_t *row, *argument;
    assert_true(json_array_size(golden) >= 150);
    json_array_foreach (golden, i, row) {
        double at[4] = {0};
        json_array_foreach (json_object_get(row, "at"), k, argument)
            at[k] = json_number_value(argument);
        const char *form = json_string_value(json_object_get(row, "form"));
        const char *text = json_string_value(json_object_get(row, "value"));
        long double truth = strtold(text, NULL), got = (long double)form_at(form, at);
        /* A cap at the local epsilon may be below the form. */
        bool capped = (strcmp(form, "erlingsson") == 0 || strcmp(form, "feldman") == 0) &&
                      got == (long double)at[0];
        if (!capped && !(got >= truth && got <= truth * (1 + 1e-11L) + 5e-324L))
            fail_msg("%s, row %d: %.20Lg, not just above %s", form, (int)i, got, text);
    }
    json_decref(golden);
}

/* The density at y of sum + N(0, 1): k of m draws hit a person with value x, the others have z. */
static double sample_density(int64_t people, int m, double x, double z, double y)
{
    double sum = 0, chance = pow(1 - 1.0 / (double)people, m);
    for (int k = 0; k <= m; k++) {
        double gap = y - k * x - (m - k) * z;
        sum += chance * exp(-0.5 * gap * gap) / sqrt(2 * M_PI);
        chance *= (double)(m - k) / (k + 1) / ((double)people - 1);
    }
    return sum;
}

/* The sum of a sample plus normal noise, integrated: the theorem holds on it, either way round. */
static void test_subsampling_of_a_gaussian_sum(void **state)
{
    (void)state;
    for (int m = 1; m <= 8; m += LIGHT ? 7 : 3)
        for (int64_t people = 2; people <= 20; people += 9)
            for (int e = 0; e < 3; e++)
                for (int other = 0; other < 3; other++) {
                    double epsilon = 0.3 + e, one = 1, z = 0.5 * other;
                    double amplified = sampled_epsilon(people, m, epsilon);
                    double bound = sampled_delta(people, m, epsilon, netdp_group_gaussian, one);
                    double there = 0, back = 0, step = 0.005;
                    for (double y = -9; y < m + 9; y += step) {
                        double p = sample_density(people, m, 1, z, y);
                        double q = sample_density(people, m, 0, z, y);
                        there += step * fmax(p - exp(amplified) * q, 0);
                        back += step * fmax(q - exp(amplified) * p, 0);
                    }
                    assert_true(fmax(there, back) <= bound * (1 + 1e-4) + 1e-12);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_randomised_response),
        cmocka_unit_test(test_golden_shuffle),
        cmocka_unit_test(test_never_below_the_truth),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_ranges_of_the_formulas),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_gamma_for_a_crowd),
        cmocka_unit_test(test_bad_shuffles),
        cmocka_unit_test(test_subsampling_formulas),
        cmocka_unit_test(test_against_mpmath),
        cmocka_unit_test(test_subsampling_of_a_gaussian_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
