/* Mechanisms of which only samples are known: what leaks is found, what does not is not. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <netdp/audit.h>
#include <netdp/random.h>

static netdp_error error;

enum { RUNS = 4000, WIDTH = 3 };
static double zero[RUNS * WIDTH], one[RUNS * WIDTH];

static void put_normals(uint64_t seed)
{
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, zero, RUNS * WIDTH);
    netdp_stream_normals(&stream, one, RUNS * WIDTH);
}

static netdp_evidence audit(int32_t width, bool of_mu, const char **attack)
{
    const netdp_samples samples = {RUNS, width, {zero, one}};
    netdp_evidence evidence = {0};
    assert_ok(netdp_audit_samples(&samples, 0.999, 1e-5, of_mu, &evidence, attack, &error));
    assert_int_equal(evidence.tested, RUNS / 2);
    return evidence;
}

static void test_null_data(void **state)
{
    (void)state;
    int32_t alarms = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        put_normals(seed);
        const netdp_evidence evidence = audit(WIDTH, seed % 2 == 0, NULL);
        alarms += evidence.mu > 0 || evidence.epsilon > 0;
    }
    assert_int_equal(alarms, 0);
}

/* A third of the shift in each number: only together they are as far apart as mu. */
static void test_shift_is_found_and_not_exceeded(void **state)
{
    (void)state;
    const char *attack = NULL;
    put_normals(1);
    for (int32_t i = 0; i < RUNS * WIDTH; i++)
        one[i] += 2 / sqrt(WIDTH);
    const netdp_evidence evidence = audit(WIDTH, true, &attack);
    assert_true(evidence.mu > 1.6 && evidence.mu < 2);
    assert_non_null(strstr(attack, "linear"));
}

/* Numbers that carry the same noise cancel it: a linear attack finds it, single numbers do not. */
static void test_shared_noise(void **state)
{
    (void)state;
    const char *attack = NULL;
    put_normals(2);
    for (int32_t i = 0; i < RUNS; i++) {
        zero[2 * i + 1] = zero[2 * i] * 1e3 + 1e-2 * zero[2 * i + 1];
        zero[2 * i] *= 1e3;
        one[2 * i + 1] = one[2 * i] * 1e3 + 1e-2 * one[2 * i + 1] + 0.08;
        one[2 * i] *= 1e3;
    }
    assert_true(audit(2, true, &attack).mu > 3);
    assert_non_null(strstr(attack, "linear"));
}

/* Same mean, other spread; one exact value now and then; no number where there was one. */
static void test_what_is_not_a_shift(void **state)
{
    (void)state;
    const char *attack = NULL;
    put_normals(3);
    for (int32_t i = 0; i < RUNS; i++)
        one[i] *= 4;
    assert_true(audit(1, false, &attack).epsilon > 1);
    assert_non_null(strstr(attack, "histogram"));

    put_normals(4);
    for (int32_t i = 0; i < RUNS; i += 10)
        one[i] = 0.25;
    assert_true(audit(1, false, &attack).epsilon > 1);

    const double odd[] = {NAN, INFINITY, -INFINITY, 1.7e308};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        put_normals(5);
        for (int32_t i = 0; i < RUNS; i += 5)
            one[i] = odd[k];
        assert_true(audit(1, false, NULL).epsilon > 2);
    }
    for (int32_t i = 0; i < RUNS; i++)
        zero[i] = one[i] = 1;
    assert_true(audit(1, false, NULL).epsilon == 0);
}

static void test_refused(void **state)
{
    (void)state;
    netdp_evidence evidence;
    const netdp_samples few = {399, 1, {zero, one}}, narrow = {RUNS, 0, {zero, one}},
                        wide = {RUNS, 601, {zero, one}}, fine = {RUNS, 1, {zero, one}};
    assert_int_equal(netdp_audit_samples(&few, 0.9, 0.1, true, &evidence, NULL, &error),
                     NETDP_INVALID);
    assert_int_equal(netdp_audit_samples(&narrow, 0.9, 0.1, true, &evidence, NULL, &error),
                     NETDP_INVALID);
    assert_int_equal(netdp_audit_samples(&wide, 0.9, 0.1, true, &evidence, NULL, &error),
                     NETDP_INVALID);
    assert_int_equal(netdp_audit_samples(&fine, NAN, 0.1, true, &evidence, NULL, &error),
                     NETDP_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_data),    cmocka_unit_test(test_shift_is_found_and_not_exceeded),
        cmocka_unit_test(test_shared_noise), cmocka_unit_test(test_what_is_not_a_shift),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
