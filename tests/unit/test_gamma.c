#include "golden.h"

#include <float.h>
#include <netdp/privacy.h>
#include <netdp/random.h>

static double delta_of(netdp_gamma mechanism, double epsilon)
{
    netdp_error error = {0};
    double delta = NAN;
    assert_ok(netdp_gamma_to_delta(&mechanism, epsilon, &delta, &error));
    return delta;
}

static double epsilon_of(netdp_gamma mechanism, double delta)
{
    netdp_error error = {0};
    double epsilon = NAN;
    assert_ok(netdp_gamma_to_epsilon(&mechanism, delta, &epsilon, &error));
    return epsilon;
}

static netdp_gamma tight(double theta, double low, double high)
{
    return (netdp_gamma){.theta = theta, .low = low, .high = high};
}

static netdp_gamma published(double theta, double low, double high)
{
    return (netdp_gamma){.theta = theta, .low = low, .high = high, .published = 1};
}

static double floor_of(double low, double high, double epsilon)
{
    netdp_error error = {0};
    double delta = NAN;
    assert_ok(netdp_gamma_floor(low, high, epsilon, &delta, &error));
    return delta;
}

static void test_golden_scalars(void **state)
{
    (void)state;
    json_t *golden = load_golden("golden.json");
    size_t i;
    json_t *row, *rows = json_object_get(json_object_get(golden, "scalars"), "gamma_mechanism");
    assert_int_equal(json_array_size(rows), 3);
    json_array_foreach (rows, i, row) {
        double theta = number(row, "theta"), low = number(row, "Lmin"), high = number(row, "Lmax");
        double epsilon = number(row, "eps");
        assert_close(delta_of(tight(theta, low, high), epsilon), number(row, "delta_tight"), 0,
                     1e-11);
        assert_close(delta_of(published(theta, low, high), epsilon), number(row, "delta_lemma3"), 0,
                     1e-11);
    }
    json_decref(golden);
}

/* At or above the truth, and not by more than a double. */
static void check_above(double got, const char *text)
{
    long double truth = strtold(text, NULL), value = (long double)got;
    if (value < truth)
        fail_msg("%.20Lg is below %s", value, text);
    if (value > truth * (1 + 1e-15L) + 5e-324L)
        fail_msg("%.20Lg is far above %s", value, text);
}

/* tests/oracle/gamma_mpmath.py */
static void test_against_mpmath(void **state)
{
    (void)state;
    json_t *golden = load_golden("gamma_mpmath.json");
    size_t i;
    json_t *row;
    assert_true(json_array_size(golden) >= 100);
    json_array_foreach (golden, i, row) {
        netdp_gamma mechanism =
            tight(number(row, "theta"), number(row, "low"), number(row, "high"));
        double epsilon = number(row, "epsilon"), delta = delta_of(mechanism, epsilon);
        check_above(delta, json_string_value(json_object_get(row, "tight")));
        /* The inverse comes back to it; where the curve is steep the cell shows. */
        if (delta > 0 && delta < 1 && epsilon > 0) {
            double back = epsilon_of(mechanism, delta);
            assert_true(delta_of(mechanism, back) <= delta);
            assert_true(delta > 1 - 1e-9 || back <= epsilon * (1 + 0x1p-39));
            assert_true(back == 0 || delta_of(mechanism, back * (1 - 0x1p-39)) > delta);
        }
        mechanism.published = 1;
        check_above(delta_of(mechanism, epsilon),
                    json_string_value(json_object_get(row, "published")));
        assert_true(delta_of(mechanism, epsilon) >= delta);
    }
    json_decref(golden);
}

/* Any two values of the range, either order: never above the ends (netdp/privacy.h says why). */
static void test_the_ends_are_the_worst_pair(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(11, NETDP_FOR_TEST, 0, 0);
    for (int i = 0; i < 600; i++) {
        double theta = pow(10, -2 + 4 * netdp_stream_uniform(&stream));
        double high = pow(10, 2 * netdp_stream_uniform(&stream));
        double epsilon = 4 * netdp_stream_uniform(&stream);
        double ends = delta_of(tight(theta, 1, high), epsilon);
        for (int k = 0; k < 8; k++) {
            double one = pow(high, k == 0 ? 0 : netdp_stream_uniform(&stream));
            double other = pow(high, k == 1 ? 1 : netdp_stream_uniform(&stream));
            one = fmin(fmax(one, 1), high);
            other = fmin(fmax(other, 1), high);
            double inner = delta_of(tight(theta, fmin(one, other), fmax(one, other)), epsilon);
            if (!(inner <= ends))
                fail_msg("theta %g, epsilon %g: %g and %g give %.17g, the ends 1 and %g %.17g",
                         theta, epsilon, one, other, inner, high, ends);
        }
    }
}

/* theta 1e-3 .. 1e3, ratios to 1e4, delta to 1e-300: an answer, monotone, never NaN. */
static void test_torture_grid(void **state)
{
    (void)state;
    static const double ratio[] = {1.0001, 1.1, 2, 30, 1e4};
    static const double delta[] = {0.9, 0.1, 1e-6, 1e-40, 1e-300};
    enum { RATIOS = 5, DELTAS = 5, THETAS = 7 };
    for (int form = 0; form < 2; form++)
        for (int r = 0; r < RATIOS; r++) {
            double before[DELTAS];
            for (int t = 0; t < THETAS; t++) {
                netdp_gamma mechanism = tight(pow(10, -3 + t), 1, ratio[r]);
                mechanism.published = form;
                for (int d = 0; d < DELTAS; d++) {
                    double here = epsilon_of(mechanism, delta[d]);
                    assert_true(here >= 0 && here < INFINITY);
                    assert_true(delta_of(mechanism, here) <= delta[d]);
                    /* Lemma 3 is not monotone in theta, the exact curve is. */
                    assert_true(form == 1 || t == 0 || here <= before[d]);
                    assert_true(d == 0 || here >= before[d - 1]);
                    before[d] = here;
                    double wider = ratio[r] * 1.01;
                    assert_true(epsilon_of(tight(mechanism.theta, 1, wider), delta[d]) >= here ||
                                form == 1);
                }
            }
        }
}

static void test_extremes_have_answers(void **state)
{
    (void)state;
    for (int t = -320; t <= 300; t += 31)
        for (int h = -300; h <= 300; h += 60) {
            double theta = t < -307 ? 5e-324 : pow(10, t), low = pow(10, h);
            netdp_gamma mechanism = tight(theta, low, low * 3);
            double epsilon = epsilon_of(mechanism, 1e-6), delta = delta_of(mechanism, 1);
            assert_true(epsilon >= 0);
            assert_true(delta > 0 && delta <= 1);
            assert_true(epsilon == INFINITY || delta_of(mechanism, epsilon) <= 1e-6);
        }
    assert_true(delta_of(tight(1, 2, 2), 0) == 0 && epsilon_of(tight(1, 2, 2), 1e-300) == 0);
    assert_true(delta_of(tight(1, 1, 5), INFINITY) == 0);
    double hair = nextafter(1, 2);
    double near = delta_of(tight(1, 1, hair), 0);
    assert_true(near > 0 && near < 1e-15);
    assert_true(delta_of(tight(1, 1, 5), 1e300) <= 5e-324);
}

static double theta_of(double low, double high, double epsilon, double delta, int form)
{
    netdp_error error = {0};
    double theta = NAN;
    assert_ok(netdp_gamma_calibrate(low, high, epsilon, delta, form, &theta, &error));
    return theta;
}

static void test_calibration(void **state)
{
    (void)state;
    netdp_error error = {0};
    double theta = 7;
    for (int r = 1; r <= 3; r++)
        for (int e = 0; e < 3; e++)
            for (int form = 0; form < 2; form++) {
                double high = 1 + pow(10, -r) * 5, epsilon = 0.1 + 3 * e;
                double floor_delta = floor_of(1, high, epsilon);
                for (double target = 0.3; target > 1e-300; target *= target * target) {
                    if (target < 1.01 * floor_delta)
                        break;
                    if (netdp_gamma_calibrate(1, high, epsilon, target, form, &theta, NULL) !=
                        NETDP_OK) {
                        /* The exact curve reaches all that the floor allows; Lemma 3 may not. */
                        assert_true(form == 1);
                        continue;
                    }
                    netdp_gamma mechanism = tight(theta, 1, high);
                    mechanism.published = form;
                    assert_true(delta_of(mechanism, epsilon) <= target);
                    assert_true(epsilon_of(mechanism, target) <= epsilon);
                    mechanism.theta = theta * (1 - 1e-9);
                    assert_true(delta_of(mechanism, epsilon) > target);
                }
            }
    assert_true(theta_of(1, 1.1, 3, 1e-6, 1) > theta_of(1, 1.1, 3, 1e-6, 0));
    /* Paper B's Figure 3 asks for (3, 0.03): out of reach on a range of ratio 5. */
    assert_fails(netdp_gamma_calibrate(1, 5, 3, 0.03, 0, &theta, &error), NETDP_NO_ANSWER);
    assert_fails(netdp_gamma_calibrate(1, 5, 3, floor_of(1, 5, 3), 0, &theta, &error),
                 NETDP_NO_ANSWER);
    assert_fails(netdp_gamma_calibrate(2, 2, 3, 0.03, 0, &theta, &error), NETDP_INVALID);
}

/* delta falls with theta, towards the floor and not below. */
static void test_floor(void **state)
{
    (void)state;
    assert_close(floor_of(1, 5, 3), 0.25271244, 0, 1e-7);
    static const double ratio[] = {1.001, 1.3, 5, 200};
    for (int r = 0; r < 4; r++)
        for (int e = 0; e < 4; e++) {
            double epsilon = 2 * e, before = 1, least = floor_of(1, ratio[r], epsilon);
            for (int t = -3; t <= 12; t++) {
                double here = delta_of(tight(pow(10, t), 1, ratio[r]), epsilon);
                assert_true(here <= before && here >= least * (1 - 1e-14));
                before = here;
            }
            assert_close(before, least, 5e-324, 1e-9);
        }
}

static double laplace_delta(double range, double scale, double epsilon)
{
    netdp_error error = {0};
    double delta = NAN;
    assert_ok(netdp_laplace_to_delta(range, scale, epsilon, &delta, &error));
    return delta;
}

static double laplace_epsilon(double range, double scale, double delta)
{
    netdp_error error = {0};
    double epsilon = NAN;
    assert_ok(netdp_laplace_to_epsilon(range, scale, delta, &epsilon, &error));
    return epsilon;
}

/* Two Laplace laws a distance apart, their positive part summed on a fine grid. */
static double laplace_oracle(double loss, double epsilon)
{
    double sum = 0, step = 1e-3;
    for (double x = -30; x < 30 + loss; x += step) {
        double middle = x + 0.5 * step;
        sum += step * fmax(0.5 * exp(-fabs(middle)) - exp(epsilon - fabs(middle - loss)) * 0.5, 0);
    }
    return sum;
}

static void test_laplace(void **state)
{
    (void)state;
    netdp_error error = {0};
    assert_close(laplace_delta(3, 2, 0.4), laplace_oracle(1.5, 0.4), 0, 1e-5);
    assert_close(laplace_delta(1, 1, 0), laplace_oracle(1, 0), 0, 1e-5);
    assert_true(laplace_delta(1, 1, 1) == 0 && laplace_delta(1, 0.5, 3) == 0);
    assert_true(laplace_epsilon(1, 2, 0) == 0.5 && laplace_epsilon(1, 2, 0.9) == 0);
    for (int i = -6; i <= 6; i++)
        for (int d = 0; d <= 18; d += 6) {
            double epsilon = pow(10, i), delta = d == 0 ? 0 : pow(10, -d), scale = NAN;
            assert_ok(netdp_laplace_calibrate(4, epsilon, delta, &scale, &error));
            assert_true(laplace_epsilon(4, scale, delta) <= epsilon * (1 + 1e-15));
            assert_true(laplace_epsilon(4, scale, delta) >= epsilon * (1 - 1e-12) - 1e-18);
            assert_true(laplace_delta(4, scale, epsilon) <= delta + 1e-16 * (1 + epsilon));
        }
    double scale = NAN;
    assert_ok(netdp_laplace_like_gamma(5, 2, &scale, &error));
    assert_close(2 * scale * scale, 5 * 2, 0, 1e-14);
    assert_fails(netdp_laplace_calibrate(1, 0, 0, &scale, &error), NETDP_NO_ANSWER);
    assert_fails(netdp_laplace_calibrate(-1, 1, 0, &scale, &error), NETDP_INVALID);
    assert_fails(netdp_laplace_to_delta(1, 0, 1, &scale, &error), NETDP_INVALID);
    assert_fails(netdp_laplace_to_epsilon(1, 1, 1, &scale, &error), NETDP_INVALID);
    assert_fails(netdp_laplace_like_gamma(0, 1, &scale, &error), NETDP_INVALID);
}

static void test_bad_input(void **state)
{
    (void)state;
    netdp_error error = {0};
    double out = 7;
    const netdp_gamma bad[] = {tight(0, 1, 2),   tight(-1, 1, 2),       tight(NAN, 1, 2),
                               tight(1, 0, 2),   tight(1, 2, 1),        tight(1, NAN, 2),
                               tight(1, 1, NAN), tight(1, 1, INFINITY), tight(INFINITY, 1, 2)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(netdp_gamma_to_delta(&bad[i], 1, &out, &error), NETDP_INVALID);
        assert_fails(netdp_gamma_to_epsilon(&bad[i], 0.1, &out, &error), NETDP_INVALID);
    }
    const netdp_gamma good = tight(1, 1, 2);
    assert_fails(netdp_gamma_to_delta(&good, -1, &out, &error), NETDP_INVALID);
    assert_fails(netdp_gamma_to_delta(&good, NAN, &out, &error), NETDP_INVALID);
    const double bad_delta[] = {0, 1, -1, NAN};
    for (int i = 0; i < 4; i++) {
        assert_fails(netdp_gamma_to_epsilon(&good, bad_delta[i], &out, &error), NETDP_INVALID);
        assert_fails(netdp_gamma_calibrate(1, 2, 1, bad_delta[i], 0, &out, &error), NETDP_INVALID);
    }
    assert_fails(netdp_gamma_floor(1, 2, NAN, &out, &error), NETDP_INVALID);
    assert_true(out == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_scalars),
        cmocka_unit_test(test_against_mpmath),
        cmocka_unit_test(test_the_ends_are_the_worst_pair),
        cmocka_unit_test(test_torture_grid),
        cmocka_unit_test(test_extremes_have_answers),
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_laplace),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
