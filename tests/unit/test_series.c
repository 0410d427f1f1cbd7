/*
 * Products of series against exact ones: the coefficients are integers, and so are the sums of
 * their products, in 128 bits. What is raised by the bound on the transforms' rounding is never
 * below the truth, where a late coefficient is far below the rounding of the early ones too.
 */
#include "check.h"

#include <stdbool.h>

#include "account/walk/series.h"

enum { MOST = 5000 };

static netdp_error error;

__extension__ typedef unsigned __int128 whole;

typedef struct sequences {
    uint64_t a[MOST], b[MOST]; /* at most 2^40 */
    whole product[MOST];
} sequences;

/* Integers that fall by half every `half` steps, down to 1. */
static void fill(uint64_t *x, int64_t terms, int64_t half, uint64_t salt)
{
    for (int64_t t = 0; t < terms; t++) {
        const int64_t down = t / half < 40 ? t / half : 40;
        x[t] = (UINT64_C(1) << (40 - down)) / 2;
        x[t] += 1 + (salt * (uint64_t)(t + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 24) % (x[t] + 1);
    }
}

static void multiply(sequences *s, int64_t terms)
{
    for (int64_t t = 0; t < terms; t++) {
        s->product[t] = 0;
        for (int64_t k = 0; k <= t; k++)
            s->product[t] += (whole)s->a[k] * s->b[t - k];
    }
}

/* x < y, exactly, for x from 0 to 2^94. */
static bool is_below(double x, whole y)
{
    return (whole)x < y; /* whole numbers below 2^128 are exact */
}

/* The product by transforms is at least the exact one, and the bound not thousands of times too
 * wide. */
static void check_product(sequences *s, int64_t terms, int64_t half)
{
    netdp_i_series *series = NULL;
    fill(s->a, terms, half, 3);
    fill(s->b, terms, half + 1, 7);
    multiply(s, terms);
    assert_ok(netdp_i_series_new(terms, &series, &error));
    double *a = netdp_i_series_array(series), *b = netdp_i_series_array(series);
    fftw_complex *a_bins = netdp_i_series_bins(series), *b_bins = netdp_i_series_bins(series);
    assert_true(a != NULL && b != NULL && a_bins != NULL && b_bins != NULL);
    for (int64_t t = 0; t < terms; t++) {
        a[t] = (double)s->a[t];
        b[t] = (double)s->b[t];
    }
    const double noise = netdp_i_series_noise(series, a, b);
    netdp_i_series_transform(series, a, a_bins);
    netdp_i_series_transform(series, b, b_bins);
    netdp_i_series_multiply(series, a_bins, b_bins, a_bins);
    netdp_i_series_restore(series, a_bins, a);
    long double off = 0;
    for (int64_t t = 0; t < terms; t++)
        off = fmaxl(off, fabsl((long double)a[t] - (long double)s->product[t]));
    netdp_i_series_raise(a, 0, terms, noise);
    for (int64_t t = 0; t < terms; t++)
        if (is_below(a[t], s->product[t]))
            fail_msg("%d terms, halved every %d: coefficient %d is %.17g, truth %.20Lg", (int)terms,
                     (int)half, (int)t, a[t], (long double)s->product[t]);
    if (!(off > 0 && (double)off <= noise && noise <= 5000 * (double)off))
        fail_msg("%d terms, halved every %d: %.3Lg off, the bound is %.3g", (int)terms, (int)half,
                 off, noise);
    netdp_i_series_drop(a);
    netdp_i_series_drop(b);
    netdp_i_series_drop(a_bins);
    netdp_i_series_drop(b_bins);
    netdp_i_series_free(series);
}

static void test_products_are_never_below(void **state)
{
    (void)state;
    static const int64_t terms[] = {60, 500, 1021, MOST}, half[] = {2, 9, 1000};
    sequences *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        for (size_t j = 0; j < sizeof half / sizeof *half; j++)
            check_product(s, terms[i], half[j]);
    free(s);
}

/*
 * 1 / (1 - x/2 - 3 x^2/8) by its recurrence, whose terms are all positive, in long doubles.
 */
static void test_inverses_are_never_below(void **state)
{
    (void)state;
    enum { TERMS = 3000 };
    netdp_i_series *series = NULL;
    assert_ok(netdp_i_series_new(TERMS, &series, &error));
    double *a = netdp_i_series_array(series), *copy = netdp_i_series_array(series),
           *x = netdp_i_series_array(series);
    fftw_complex *a_bins = netdp_i_series_bins(series), *x_bins = netdp_i_series_bins(series);
    const netdp_i_series_work work = {
        .array = {netdp_i_series_array(series), netdp_i_series_array(series)},
        .bins = {netdp_i_series_bins(series), netdp_i_series_bins(series)}};
    a[0] = copy[0] = 1;
    a[1] = copy[1] = -0.5;
    a[2] = copy[2] = -0.375;
    netdp_i_series_transform(series, copy, a_bins);
    const double noise = netdp_i_series_invert(series, a, a_bins, x, x_bins, &work);
    long double truth = 1, before = 0;
    assert_true(noise > 0 && noise < 1e-11);
    for (int64_t t = 0; t < TERMS; t++) {
        const long double next = 0.5L * truth + 0.375L * before;
        assert_true((long double)x[t] + noise >= truth && (long double)x[t] - noise <= truth);
        before = truth;
        truth = next;
    }
    netdp_i_series_drop(a);
    netdp_i_series_drop(copy);
    netdp_i_series_drop(x);
    netdp_i_series_drop(a_bins);
    netdp_i_series_drop(x_bins);
    for (int i = 0; i < 2; i++) {
        netdp_i_series_drop(work.array[i]);
        netdp_i_series_drop(work.bins[i]);
    }
    netdp_i_series_free(series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_are_never_below),
        cmocka_unit_test(test_inverses_are_never_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
