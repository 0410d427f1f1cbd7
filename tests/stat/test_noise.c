/*
 * The samplers draw from the laws that they name, and the tests would see it if they did not.
 *
 * Each case compares its draws with its law by chi-square on cells, and (where a fourth moment is
 * of use) mean, variance and the correlation of neighbours within 6 standard errors. All seeds are
 * fixed. Had they been drawn anew, one of at most 25 chi-squares would fail by chance with
 * probability 25 * 2e-8, one of at most 75 comparisons with probability 75 * 2e-9: below 1e-6 in
 * all.
 *
 * Power: the same statistic on as many draws (of Laplace: fewer) rejects each sampler with a scale
 * (of Gamma: a shape) 1 % off, a response that changes 0.01 more often, and integers from coins
 * that show heads with probability 0.516.
 */
#include "check.h"

#include <stdbool.h>
#include <netdp/noise.h>

#include "noise/discrete.h"

#define ERRORS 6.0
#define LOG_ALARM 17.7275 /* ln(1 / 2e-8) */

enum { MOST_CELLS = 64, MOST_LEVELS = 16 };

/* ---- Cells and chi-square ---- */

/* Cell i holds the values in (upper[i-1], upper[i]]; the last is open. */
typedef struct cells {
    int count;
    double upper[MOST_CELLS], chance[MOST_CELLS];
} cells;

/*
 * Cumulative probabilities that cells aim at: sixteenths, and towards both ends halves of what is
 * left as long as 20 draws are expected there.
 */
static int aims(int64_t draws, double *aim)
{
    double tail[MOST_CELLS];
    int tails = 0, count = 0;
    for (double p = 1.0 / 32; p * (double)draws >= 20; p /= 2)
        tail[tails++] = p;
    for (int i = tails - 1; i >= 0; i--)
        aim[count++] = tail[i];
    for (int i = 1; i < 16; i++)
        aim[count++] = i / 16.0;
    for (int i = 0; i < tails; i++)
        aim[count++] = 1 - tail[i];
    assert_true(count < MOST_CELLS);
    return count;
}

static int cell_of(const cells *c, double value)
{
    int low = 0, high = c->count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (value <= c->upper[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double chi_square(const cells *c, const int64_t *seen, int64_t draws)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        const double want = c->chance[i] * (double)draws, away = (double)seen[i] - want;
        sum += away * away / want;
    }
    return sum;
}

/* Enough is expected in every cell, and the chances are those of a law. */
static void assert_cells(const cells *c, int64_t draws)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        assert_true(c->chance[i] * (double)draws >= 5);
        sum += c->chance[i];
    }
    assert_close(sum, 1, 1e-12, 0);
}

/*
 * No chi-square of k degrees of freedom is above k + 2 sqrt(k x) + 2 x with more than probability
 * exp(-x): Laurent and Massart 2000, Lemma 1.
 */
static bool rejects(double statistic, int cells_used)
{
    const double k = cells_used - 1;
    return statistic > k + 2 * sqrt(k * LOG_ALARM) + 2 * LOG_ALARM;
}

/* ---- Laws ---- */

typedef double (*weight)(double y, double parameter);
typedef double (*cumulative)(double x, double parameter);

static double laplace_weight(double y, double scale)
{
    return exp(-fabs(y) / scale);
}

static double gaussian_weight(double y, double variance)
{
    return exp(-y * y / (2 * variance));
}

/* Cells of a law on the integers by its weights, out to where they no longer count. */
static cells cells_of_integers(weight of, double parameter, double reach, int64_t draws)
{
    double aim[MOST_CELLS], total = 0, below = 0, last = 0;
    const int count = aims(draws, aim);
    cells made = {.count = 0};
    for (double y = -reach; y <= reach; y++)
        total += of(y, parameter);
    int next = 0;
    for (double y = -reach; y <= reach; y++) {
        below += of(y, parameter) / total;
        if (next == count || below < aim[next])
            continue;
        while (next < count && below >= aim[next])
            next++;
        if (1 - below < 10 / (double)draws)
            break;
        made.upper[made.count] = y;
        made.chance[made.count++] = below - last;
        last = below;
    }
    made.upper[made.count] = INFINITY;
    made.chance[made.count++] = 1 - last;
    return made;
}

static double laplace_cumulative(double x, double scale)
{
    return x < 0 ? 0.5 * exp(x / scale) : 1 - 0.5 * exp(-x / scale);
}

static double normal_cumulative(double x, double variance)
{
    return 0.5 * erfc(-x / sqrt(2 * variance));
}

/* P(shape, exp(log_x)): the series below shape + 1, else the continued fraction (modified Lentz).
 */
static double gamma_cumulative(double log_x, double shape)
{
    const double x = exp(log_x), front = exp(shape * log_x - x - lgamma(shape + 1));
    if (x < shape + 1) {
        double term = 1, sum = 1;
        for (int k = 1; k < 10000 && term > 1e-17 * sum; k++) {
            term *= x / (shape + k);
            sum += term;
        }
        return front * sum;
    }
    double b = x + 1 - shape, c = 1e300, d = 1 / b, h = d;
    for (int k = 1; k < 10000; k++) {
        const double a = -k * (k - shape);
        b += 2;
        d = 1 / (a * d + b);
        c = b + a / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return 1 - front * shape * h;
}

/* Cells with edges in (low, high), by bisection; aims outside are left out. */
static cells cells_of_line(cumulative of, double parameter, double low, double high, int64_t draws)
{
    double aim[MOST_CELLS], last = 0;
    const int count = aims(draws, aim);
    cells made = {.count = 0};
    for (int i = 0; i < count; i++) {
        double from = low, to = high;
        if (of(from, parameter) >= aim[i])
            continue;
        for (int k = 0; k < 200; k++) {
            const double middle = from + (to - from) / 2;
            if (of(middle, parameter) < aim[i])
                from = middle;
            else
                to = middle;
        }
        const double at = of(to, parameter);
        if ((at - last) * (double)draws < 20)
            continue;
        made.upper[made.count] = to;
        made.chance[made.count++] = at - last;
        last = at;
    }
    made.upper[made.count] = INFINITY;
    made.chance[made.count++] = 1 - last;
    return made;
}

/* ---- Cases ---- */

typedef enum which { DISCRETE_LAPLACE, DISCRETE_GAUSSIAN, LAPLACE, GAMMA } which;

typedef struct noise_case {
    which sampler;
    netdp_ratio ratio; /* scale or variance */
    double shape;
    int64_t draws;
} noise_case;

#define MILLION 1000000
#define ALL NETDP_RATIO_MOST

static const noise_case cases[] = {
    {DISCRETE_LAPLACE, {1, 2}, 0, 2 * MILLION},
    {DISCRETE_LAPLACE, {14, 6}, 0, 2 * MILLION},
    {DISCRETE_LAPLACE, {250, 1}, 0, 2 * MILLION},
    {DISCRETE_LAPLACE, {ALL - 1, ALL - 5}, 0, 2 * MILLION},
    {DISCRETE_LAPLACE, {ALL, 1}, 0, 2 * MILLION},
    {DISCRETE_GAUSSIAN, {1, 4}, 0, 2 * MILLION},
    {DISCRETE_GAUSSIAN, {ALL - 3, ALL}, 0, 2 * MILLION},
    {DISCRETE_GAUSSIAN, {10, 3}, 0, 2 * MILLION},
    {DISCRETE_GAUSSIAN, {1000003, 7}, 0, 2 * MILLION},
    {DISCRETE_GAUSSIAN, {ALL, 1}, 0, 2 * MILLION},
    {LAPLACE, {1, 1}, 0, 10 * MILLION},
    {GAMMA, {1, 1}, 0.001, 4 * MILLION},
    {GAMMA, {1, 1}, 0.3, 2 * MILLION},
    {GAMMA, {1, 1}, 1, 2 * MILLION},
    {GAMMA, {1, 1}, 2.5, 2 * MILLION},
    {GAMMA, {1, 1}, 100, 2 * MILLION},
};
enum { CASES = sizeof cases / sizeof *cases };

static int64_t draws_of(const noise_case *c)
{
    return c->draws / (LIGHT ? 10 : 1);
}

static double size_of(netdp_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

static double draw(const noise_case *c, double factor, netdp_stream *stream)
{
    switch (c->sampler) {
    case DISCRETE_LAPLACE:
        return (double)netdp_stream_discrete_laplace(stream, c->ratio);
    case DISCRETE_GAUSSIAN:
        return (double)netdp_stream_discrete_gaussian(stream, c->ratio);
    case LAPLACE:
        return factor * netdp_stream_laplace(stream);
    default:
        return netdp_stream_gamma(stream, factor * c->shape);
    }
}

/* Cells of the case; those of Gamma are of the logarithm, down to the least double. */
static cells cells_of(const noise_case *c, int64_t draws)
{
    const double size = size_of(c->ratio);
    switch (c->sampler) {
    case DISCRETE_LAPLACE:
        if (size > 1e6) /* the integers are a line: 0.5 of 2^53 */
            return cells_of_line(laplace_cumulative, size, -50 * size, 50 * size, draws);
        return cells_of_integers(laplace_weight, size, ceil(50 * size), draws);
    case DISCRETE_GAUSSIAN:
        if (size > 1e6)
            return cells_of_line(normal_cumulative, size, -1e10, 1e10, draws);
        return cells_of_integers(gaussian_weight, size, ceil(12 * sqrt(size) + 2), draws);
    case LAPLACE:
        return cells_of_line(laplace_cumulative, 1, -50, 50, draws);
    default:
        return cells_of_line(gamma_cumulative, c->shape, -744, 20, draws);
    }
}

typedef struct moments {
    double mean, variance, kurtosis;
} moments;

static moments moments_of(const noise_case *c)
{
    const double size = size_of(c->ratio);
    if (c->sampler == LAPLACE || size > 1e6)
        return c->sampler == DISCRETE_GAUSSIAN ? (moments){0, size, 3}
                                               : (moments){0, 2 * size * size, 6};
    if (c->sampler == GAMMA)
        return (moments){c->shape, c->shape, 3 + 6 / c->shape};
    const weight of = c->sampler == DISCRETE_LAPLACE ? laplace_weight : gaussian_weight;
    double total = 0, second = 0, fourth = 0;
    for (double y = -20000; y <= 20000; y++) {
        const double w = of(y, size);
        total += w;
        second += w * y * y;
        fourth += w * y * y * y * y;
    }
    second /= total;
    return (moments){0, second, fourth / total / (second * second)};
}

/* What `draws` of a case show: chi-square, and means around the mean of the law. */
typedef struct finding {
    double statistic, mean, square, beside;
} finding;

static finding run(const noise_case *c, const cells *want, int64_t draws, double factor,
                   uint64_t step)
{
    const double center = c->sampler == GAMMA ? c->shape : 0, each = 1 / (double)draws;
    int64_t seen[MOST_CELLS] = {0};
    double last = 0;
    finding found = {0};
    netdp_stream stream = netdp_stream_at(5, NETDP_FOR_TEST, 11, step);
    for (int64_t i = 0; i < draws; i++) {
        const double y = draw(c, factor, &stream), away = y - center;
        seen[cell_of(want, c->sampler == GAMMA ? log(y) : y)]++;
        found.mean += away * each;
        found.square += away * away * each;
        found.beside += away * last * each;
        last = away;
    }
    found.statistic = chi_square(want, seen, draws);
    return found;
}

/* Beyond a kurtosis of 100 the error of a variance is no longer near a normal's. */
static void assert_moments(finding found, moments law, double draws)
{
    const double v = law.variance;
    assert_close(found.mean, 0, ERRORS * sqrt(v / draws), 0);
    assert_close(found.beside, 0, ERRORS * v / sqrt(draws), 0);
    if (law.kurtosis < 100)
        assert_close(found.square, v, ERRORS * v * sqrt((law.kurtosis - 1) / draws), 0);
}

static void test_draws_follow_their_law(void **state)
{
    (void)state;
    cells want[CASES];
    finding found[CASES];
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < CASES; i++) {
        want[i] = cells_of(&cases[i], draws_of(&cases[i]));
        found[i] = run(&cases[i], &want[i], draws_of(&cases[i]), 1, (uint64_t)i);
    }
    for (int i = 0; i < CASES; i++) {
        assert_cells(&want[i], draws_of(&cases[i]));
        if (rejects(found[i].statistic, want[i].count))
            fail_msg("case %d: chi-square %g in %d cells", i, found[i].statistic, want[i].count);
        assert_moments(found[i], moments_of(&cases[i]), (double)draws_of(&cases[i]));
    }
}

/* The scale 1 % less (variance: 2 %): numerators near 2^53 by themselves, others as a ratio. */
static netdp_ratio lessened(const noise_case *c)
{
    const uint64_t n = c->ratio.numerator, d = c->ratio.denominator;
    const uint64_t part = c->sampler == DISCRETE_GAUSSIAN ? 2 : 1;
    if (n > (uint64_t)1 << 40)
        return (netdp_ratio){n - part * (n / 100), d};
    return (netdp_ratio){n * (100 - part), d * 100};
}

static void test_wrong_scales_are_seen(void **state)
{
    (void)state;
    if (LIGHT)
        skip();
    cells want[CASES];
    finding found[CASES];
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < CASES; i++) {
        noise_case wrong = cases[i];
        wrong.draws = wrong.draws < 4 * MILLION ? wrong.draws : 4 * MILLION;
        wrong.ratio = lessened(&cases[i]);
        want[i] = cells_of(&cases[i], wrong.draws);
        found[i] = run(&wrong, &want[i], wrong.draws, 1.01, (uint64_t)i);
    }
    for (int i = 0; i < CASES; i++)
        if (!rejects(found[i].statistic, want[i].count))
            fail_msg("case %d: 1 %% off passes with %g in %d cells", i, found[i].statistic,
                     want[i].count);
}

/* ---- Coins that are not fair ---- */

/* One in 32 of the 0 bits becomes 1: heads with probability 0.516. */
static uint64_t biased_word(void *source)
{
    netdp_stream *stream = source;
    uint64_t rare = UINT64_MAX;
    for (int i = 0; i < 5; i++)
        rare &= netdp_stream_bits(stream);
    return netdp_stream_bits(stream) | rare;
}

static void test_biased_coins_are_seen(void **state)
{
    (void)state;
    if (LIGHT)
        skip();
    const int64_t draws = MILLION / 2;
    for (int i = 0; i < CASES && cases[i].sampler <= DISCRETE_GAUSSIAN; i++) {
        const noise_case *c = &cases[i];
        const cells want = cells_of(c, draws);
        int64_t seen[MOST_CELLS] = {0};
        netdp_stream stream = netdp_stream_at(6, NETDP_FOR_TEST, 11, (uint64_t)i);
        netdp_i_bits bits = {.next = biased_word, .source = &stream};
        for (int64_t k = 0; k < draws; k++) {
            const int64_t y = c->sampler == DISCRETE_LAPLACE
                                  ? netdp_i_discrete_laplace(&bits, c->ratio)
                                  : netdp_i_discrete_gaussian(&bits, c->ratio);
            seen[cell_of(&want, (double)y)]++;
        }
        const double statistic = chi_square(&want, seen, draws);
        if (!rejects(statistic, want.count))
            fail_msg("case %d: biased coins pass with %g in %d cells", i, statistic, want.count);
    }
}

/* ---- Randomised response ---- */

static double response_statistic(double flip, int32_t levels, double believed, int64_t draws,
                                 uint64_t step)
{
    cells want = {.count = levels};
    int64_t seen[MOST_LEVELS] = {0};
    const int32_t value = levels / 2;
    netdp_stream stream = netdp_stream_at(7, NETDP_FOR_TEST, 11, step);
    for (int32_t i = 0; i < levels; i++)
        want.chance[i] = believed / levels + (i == value ? 1 - believed : 0);
    for (int64_t k = 0; k < draws; k++)
        seen[netdp_stream_randomised_response(&stream, value, flip, levels)]++;
    return chi_square(&want, seen, draws);
}

static void test_responses(void **state)
{
    (void)state;
    static const struct {
        double flip;
        int32_t levels;
    } response[] = {{0.5, 2}, {0.1, 10}, {0.01, 3}, {0.9, 16}, {1.0 / 3, 7}};
    const int64_t draws = 2 * MILLION / (LIGHT ? 10 : 1);
    for (uint64_t i = 0; i < 5; i++) {
        const double flip = response[i].flip;
        const int32_t levels = response[i].levels;
        assert_false(rejects(response_statistic(flip, levels, flip, draws, i), levels));
        assert_true(LIGHT ||
                    rejects(response_statistic(flip + 0.01, levels, flip, draws, i), levels));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_follow_their_law),
        cmocka_unit_test(test_wrong_scales_are_seen),
        cmocka_unit_test(test_biased_coins_are_seen),
        cmocka_unit_test(test_responses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
