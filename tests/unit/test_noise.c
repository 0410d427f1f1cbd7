#include "check.h"

#include <float.h>
#include <stdbool.h>
#include <netdp/noise.h>

#include "noise/discrete.h"

#define ALL NETDP_RATIO_MOST

static netdp_error error;

static netdp_stream at(uint64_t step)
{
    return netdp_stream_at(1, NETDP_FOR_TEST, 12, step);
}

/* ---- Ratios ---- */

static void test_ratios_of_doubles(void **state)
{
    (void)state;
    static const struct {
        double value;
        netdp_ratio want;
    } known[] = {
        {1, {1, 1}},
        {0.5, {1, 2}},
        {2.5, {5, 2}},
        {0x1p53, {ALL, 1}},
        {0x1p53 - 1, {ALL - 1, 1}},
        {1 + 0x1p-52, {(ALL >> 1) + 1, ALL >> 1}},
        {0x1p-53, {1, ALL}},
        {DBL_TRUE_MIN, {1, ALL}},
        {1e-300, {1, ALL}},
        {0x1p-53 + 0x1p-80, {1, ALL >> 1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        netdp_ratio got;
        assert_ok(netdp_ratio_of(known[i].value, &got, &error));
        assert_int_equal(got.numerator, known[i].want.numerator);
        assert_int_equal(got.denominator, known[i].want.denominator);
    }
    static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, 0x1p53 + 2, -DBL_TRUE_MIN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_ratio kept = {7, 9};
        assert_fails(netdp_ratio_of(bad[i], &kept, &error), NETDP_INVALID);
        assert_int_equal(kept.numerator, 7);
    }
}

/* Never below the double, within 2^-53 of it, equal to it from 1/2 on. */
static void test_ratios_round_up(void **state)
{
    (void)state;
    netdp_stream stream = at(0);
    int above = 0;
    for (int i = 0; i < 100000; i++) {
        const double value = ldexp(0.5 + netdp_stream_uniform(&stream) / 2,
                                   (int)(netdp_stream_below(&stream, 120)) - 66);
        netdp_ratio got;
        assert_ok(netdp_ratio_of(value, &got, &error));
        assert_true(got.numerator >= 1 && got.numerator <= ALL && got.denominator <= ALL);
        const double back =
            (double)got.numerator / (double)got.denominator; /* exact: a power of 2 */
        assert_true(back >= value && back - value < 0x1p-53);
        assert_true(value < 0.5 || back == value);
        above += back > value;
    }
    assert_true(above > 0);
}

/* ---- Bits ---- */

/* Words from a list, then one word some times, then a stream. */
typedef struct script {
    uint64_t word[128], repeated;
    int count, times, next;
    netdp_stream rest;
} script;

static uint64_t next_of(void *source)
{
    script *s = source;
    const int at_word = s->next++;
    if (at_word < s->count)
        return s->word[at_word];
    return at_word < s->count + s->times ? s->repeated : netdp_stream_bits(&s->rest);
}

static netdp_i_bits bits_of(script *s)
{
    return (netdp_i_bits){.next = next_of, .source = s};
}

static void test_bits_come_once_and_in_order(void **state)
{
    (void)state;
    script s = {.word = {0x0123456789abcdef, 0xfedcba9876543210}, .count = 2};
    netdp_i_bits bits = bits_of(&s);
    assert_int_equal(netdp_i_bits_take(&bits, 0), 0);
    assert_int_equal(s.next, 0); /* nothing asked for, nothing drawn */
    assert_int_equal(netdp_i_bits_below(&bits, 1), 0);
    assert_int_equal(s.next, 0);
    assert_int_equal(netdp_i_bits_take(&bits, 4), 0xf);
    assert_int_equal(netdp_i_bits_take(&bits, 1), 0);
    assert_int_equal(netdp_i_bits_take(&bits, 3), 0x7);
    assert_int_equal(netdp_i_bits_take(&bits, 56), 0x0123456789abcd);
    assert_int_equal(s.next, 1);
    assert_int_equal(netdp_i_bits_take(&bits, 63), 0x7edcba9876543210);
    assert_int_equal(netdp_i_bits_take(&bits, 1), 1);
    assert_int_equal(s.next, 2);
}

/* What is drawn is what fits: of the numbers 0 .. 7 for a bound of 5, the first below it. */
static void test_below_rejects(void **state)
{
    (void)state;
    script s = {.word = {07 | 05 << 3 | 04 << 6 | 06 << 9}, .count = 1};
    netdp_i_bits bits = bits_of(&s);
    assert_int_equal(netdp_i_bits_below(&bits, 5), 4);
    assert_int_equal(netdp_i_bits_below(&bits, 8), 6);
    const uint64_t most = (uint64_t)1 << 63;
    s = (script){.word = {UINT64_MAX, 0}, .count = 2};
    bits = bits_of(&s);
    assert_int_equal(netdp_i_bits_below(&bits, most), most - 1);
    assert_int_equal(netdp_i_bits_below(&bits, most), 0);
}

/* ---- Integer samplers ---- */

static void test_bad_ratios_are_refused(void **state)
{
    (void)state;
    static const netdp_ratio bad[] = {{0, 1},       {1, 0},       {0, 0},
                                      {ALL + 1, 1}, {1, ALL + 1}, {UINT64_MAX, UINT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_stream stream = at(1);
        assert_true(netdp_stream_discrete_laplace(&stream, bad[i]) == INT64_MIN);
        assert_true(netdp_stream_discrete_gaussian(&stream, bad[i]) == INT64_MIN);
    }
}

/*
 * Coins that come up with exp(-1) every time, for a while: bits 0, 1, 0, 1 do that. No draw leaves
 * its range, however far such a source takes it.
 */
static void test_no_source_overflows(void **state)
{
    (void)state;
    static const netdp_ratio ratio[] = {{ALL, 1},         {ALL, ALL},     {ALL, ALL - 1},
                                        {1, ALL},         {ALL - 1, 1},   {1, 1},
                                        {ALL, ALL >> 20}, {1000003, ALL}, {ALL - 1, ALL}};
    double farthest = 0;
    for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++)
        for (int words = 0; words < 127; words++)
            for (int start = 0; start < 16; start++) {
                script s = {.count = words + 1, .rest = at((uint64_t)(16 * words + start))};
                s.word[0] = netdp_stream_bits(&s.rest);
                for (int k = 1; k <= words; k++)
                    s.word[k] = 0xaaaaaaaaaaaaaaaa << (start % 2);
                const double scale = (double)ratio[i].numerator / (double)ratio[i].denominator;
                netdp_i_bits bits = bits_of(&s);
                const int64_t y = netdp_i_discrete_laplace(&bits, ratio[i]);
                assert_true(y > INT64_MIN && fabs((double)y) <= 1024 * scale);
                farthest = fmax(farthest, fabs((double)y) / scale);
                s.next = 0;
                bits = bits_of(&s);
                const int64_t z = netdp_i_discrete_gaussian(&bits, ratio[i]);
                assert_true(fabs((double)z) <= 1024 * (sqrt(scale) + 1));
            }
    assert_true(farthest > 900);
}

/*
 * sigma^2 = 2^53 / 2^53: t = 2, and from |y| = 1025 on the square no longer fits in 128 bits. The
 * bits take the discrete Laplace just as far as wished, then say yes to every coin: what still fits
 * is taken, what does not is refused even so.
 */
static void test_farthest_gaussian(void **state)
{
    (void)state;
    for (int words = 1; words < 32; words++) {
        script s = {.count = words + 1, .times = 20000, .rest = at((uint64_t)words)};
        for (int k = 0; k < words; k++) /* pairs 0, 1, behind a 0 that draws y mod 2 */
            s.word[k] = k == 0 ? 0x5555555555555554 : 0x5555555555555555;
        s.word[words] = 0x5555555555555553; /* far enough, and positive */
        s.repeated = 0x5555555555555555;
        netdp_i_bits bits = bits_of(&s);
        const int64_t y = netdp_i_discrete_gaussian(&bits, (netdp_ratio){ALL, ALL});
        if (words <= 16)
            assert_int_equal(y, 64 * words);
        else
            assert_true(llabs(y) < 40); /* of the fair bits behind */
    }
}

/*
 * No sampling: of all sequences of DEPTH bits, those that suffice for a draw. Their part that gives
 * y is at most P(y), and short of it by no more than the sequences that do not suffice.
 */
static void enumerate(bool gaussian, netdp_ratio ratio, double most_left)
{
    enum { DEPTH = 18, REACH = 400 };
    double total = 0, left = 1, got[2 * REACH + 1] = {0};
    const double size = (double)ratio.numerator / (double)ratio.denominator;
    script s = {.count = 1};
    for (uint64_t prefix = 0; prefix < (uint64_t)1 << DEPTH; prefix++) {
        s.word[0] = prefix;
        s.next = 0;
        s.rest = at(prefix);
        netdp_i_bits bits = bits_of(&s);
        const int64_t y = gaussian ? netdp_i_discrete_gaussian(&bits, ratio)
                                   : netdp_i_discrete_laplace(&bits, ratio);
        if (s.next > 1 || bits.count < 64 - DEPTH || s.rest.counter[3] > 0)
            continue;
        assert_true(y >= -REACH && y <= REACH);
        got[y + REACH] += 1.0 / (1 << DEPTH);
        left -= 1.0 / (1 << DEPTH);
    }
    assert_true(left < most_left);
    for (int y = -REACH; y <= REACH; y++)
        total += gaussian ? exp(-y * y / (2 * size)) : exp(-abs(y) / size);
    for (int y = -REACH; y <= REACH; y++) {
        const double want = (gaussian ? exp(-y * y / (2 * size)) : exp(-abs(y) / size)) / total;
        assert_true(got[y + REACH] <= want * (1 + 1e-14));
        assert_true(got[y + REACH] >= want - left);
    }
}

static void test_draws_of_few_bits_are_exact(void **state)
{
    (void)state;
    enumerate(false, (netdp_ratio){1, 2}, 0.1);
    enumerate(false, (netdp_ratio){2, 1}, 0.1);
    enumerate(false, (netdp_ratio){7, 3}, 0.4);
    enumerate(true, (netdp_ratio){1, 4}, 0.4);
    enumerate(true, (netdp_ratio){1, 1}, 0.45);
    enumerate(true, (netdp_ratio){10, 3}, 0.3);
}

/* Equal streams draw the same, and always will: results of studies depend on it. */
static void test_draws_are_reproducible(void **state)
{
    (void)state;
    static const int64_t laplace[] = {-5, -37, -16, 1, 0, 0, 40, 19};
    static const int64_t gaussian[] = {26, 3, 15, -12, -8, -7, -6, -4};
    netdp_stream stream = at(2);
    for (size_t i = 0; i < sizeof laplace / sizeof *laplace; i++)
        assert_int_equal(netdp_stream_discrete_laplace(&stream, (netdp_ratio){50, 3}), laplace[i]);
    for (size_t i = 0; i < sizeof gaussian / sizeof *gaussian; i++)
        assert_int_equal(netdp_stream_discrete_gaussian(&stream, (netdp_ratio){1000, 3}),
                         gaussian[i]);
    assert_close(netdp_stream_laplace(&stream), 0.22652770175557452, 0, 1e-14);
    assert_close(netdp_stream_gamma(&stream, 2.5), 0.95880216066172752, 0, 1e-14);
    assert_close(netdp_stream_gamma(&stream, 0.5), 0.32851067094073211, 0, 1e-14);
    assert_int_equal(netdp_stream_randomised_response(&stream, 3, 0.5, 100), 3);
}

/* ---- Randomised response ---- */

/* The answer at value 0 of two levels where the coin's 53 bits are `coin` and the level is 1. */
static int32_t answer(double flip, uint64_t coin)
{
    script s = {.word = {coin, 1}, .count = 2};
    /* The 11 bits that are left serve the level: one bit, the lowest of them. */
    s.word[0] |= (uint64_t)1 << 53;
    netdp_i_bits bits = bits_of(&s);
    return netdp_i_randomised_response(&bits, 0, flip, 2);
}

static void test_flips_round_up(void **state)
{
    (void)state;
    static const double flips[] = {1e-300, 0x1p-53, 0x1p-54, 0.1,         1.0 / 3,
                                   0.5,    0.999,   1,       1 - 0x1p-53, DBL_TRUE_MIN};
    for (size_t i = 0; i < sizeof flips / sizeof *flips; i++) {
        const uint64_t threshold = (uint64_t)ceil(flips[i] * 0x1p53);
        assert_true((double)threshold * 0x1p-53 >= flips[i]);
        assert_int_equal(answer(flips[i], threshold - 1), 1);
        if (threshold < ALL)
            assert_int_equal(answer(flips[i], threshold), 0);
    }
    assert_int_equal(answer(0, 0), 0);
    assert_int_equal(answer(-0.0, 0), 0);
    static const double bad[] = {NAN, -0.1, 1.5, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) /* errs to the private side */
        assert_int_equal(answer(bad[i], ALL - 1), 1);
}

static void test_responses_stay_within_levels(void **state)
{
    (void)state;
    static const int32_t values[] = {0, 4, -1, 5, INT32_MIN, INT32_MAX};
    for (uint64_t step = 0; step < 1000; step++) {
        netdp_stream first = at(step);
        const int32_t own = netdp_stream_randomised_response(&first, 2, 0.5, 5);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            netdp_stream stream = at(step);
            const int32_t got = netdp_stream_randomised_response(&stream, values[i], 0.5, 5);
            assert_true(got >= 0 && got < 5);
            /* As many words whatever the value is, and the same answer where it is random. */
            assert_memory_equal(&stream, &first, sizeof stream);
            const int32_t kept = values[i] < 0 ? 0 : values[i] > 4 ? 4 : values[i];
            assert_true(got == kept || got == own);
        }
        netdp_stream stream = at(step);
        assert_int_equal(netdp_stream_randomised_response(&stream, 3, 0, 5), 3);
        assert_int_equal(netdp_stream_randomised_response(&stream, 0, 1, 1), 0);
    }
    netdp_stream stream = at(0);
    assert_in_range(netdp_stream_randomised_response(&stream, 0, 1, INT32_MAX), 0, INT32_MAX - 1);
}

/* ---- Continuous samplers ---- */

static void test_gamma_at_its_edges(void **state)
{
    (void)state;
    netdp_stream stream = at(3);
    assert_true(netdp_stream_gamma(&stream, 0) == 0);
    assert_true(netdp_stream_gamma(&stream, INFINITY) == INFINITY);
    assert_true(isnan(netdp_stream_gamma(&stream, NAN)));
    assert_true(isnan(netdp_stream_gamma(&stream, -1)));
    assert_true(isnan(netdp_stream_gamma(&stream, -INFINITY)));
    assert_true(netdp_stream_gamma(&stream, 1e-308) == 0);
    for (int i = 0; i < 100; i++) { /* beyond 2^106 a draw is its shape to the last bits */
        assert_close(netdp_stream_gamma(&stream, 1e40), 1e40, 0, 1e-15);
        assert_close(netdp_stream_gamma(&stream, DBL_MAX), DBL_MAX, 0, 1e-15);
    }
}

/*
 * P(x < e^-745) = e^(-745 shape) / Gamma(shape + 1): at shape 0.001 nearly half of the draws are
 * below the least double, at 0.03 one in five thousand millions.
 */
static void test_gamma_is_zero_only_where_it_must(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    netdp_stream stream = at(4);
    int zeros = 0, subnormal = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double x = netdp_stream_gamma(&stream, 0.001);
        zeros += x == 0;
        subnormal += x > 0 && x < DBL_MIN;
        assert_true(netdp_stream_gamma(&stream, 0.03) > 0);
    }
    const double chance = exp(-745.13 * 0.001 - lgamma(1.001));
    assert_close(zeros / (double)DRAWS, chance, 5 * sqrt(chance * (1 - chance) / DRAWS), 0);
    assert_true(subnormal > 0);
}

static void test_laplace_is_symmetric_and_bounded(void **state)
{
    (void)state;
    netdp_stream stream = at(5);
    for (int i = 0; i < 100000; i++) {
        netdp_stream copy = stream;
        const double u = netdp_stream_uniform(&copy), x = netdp_stream_laplace(&stream);
        assert_true(fabs(x) <= 36.05);
        assert_close(x < 0 ? 0.5 * exp(x) : 1 - 0.5 * exp(-x), u, 0, 1e-14);
        assert_memory_equal(&stream, &copy, sizeof copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratios_of_doubles),
        cmocka_unit_test(test_ratios_round_up),
        cmocka_unit_test(test_bits_come_once_and_in_order),
        cmocka_unit_test(test_below_rejects),
        cmocka_unit_test(test_bad_ratios_are_refused),
        cmocka_unit_test(test_no_source_overflows),
        cmocka_unit_test(test_farthest_gaussian),
        cmocka_unit_test(test_draws_of_few_bits_are_exact),
        cmocka_unit_test(test_draws_are_reproducible),
        cmocka_unit_test(test_flips_round_up),
        cmocka_unit_test(test_responses_stay_within_levels),
        cmocka_unit_test(test_gamma_at_its_edges),
        cmocka_unit_test(test_gamma_is_zero_only_where_it_must),
        cmocka_unit_test(test_laplace_is_symmetric_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
