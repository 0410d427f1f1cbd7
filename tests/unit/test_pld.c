#include "golden.h"
#include "sweep.h"

#include <unistd.h>
#include <netdp/privacy.h>

#include "base/memory.h"
#include "privacy/lattice.h"

static double epsilon_of(const netdp_event *events, size_t count, double delta,
                         netdp_direction direction)
{
    netdp_error error = {0};
    double epsilon = NAN;
    assert_ok(netdp_events_epsilon(events, count, delta, direction, &epsilon, &error));
    assert_true(epsilon >= 0); /* no NaN */
    return epsilon;
}

static double delta_of(const netdp_event *events, size_t count, double epsilon,
                       netdp_direction direction)
{
    netdp_error error = {0};
    double delta = NAN;
    assert_ok(netdp_events_delta(events, count, epsilon, direction, &delta, &error));
    assert_true(delta >= 0 && delta <= 1);
    return delta;
}

/* A JSON value as a file, read as a list of events. */
static netdp_status read_json(const char *text, netdp_events **events, netdp_error *error)
{
    char path[] = "/tmp/netdp-events-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    netdp_status status = netdp_events_read(path, events, error);
    unlink(path);
    return status;
}

/*
 * Losses of +-e0 lie on the grid, so that rounding is all that separates the bounds from the truth,
 * tails of two binomials (tests/oracle/pld_binomial.py). What rounding may do to many releases is
 * of the size of the answer, and the bounds must keep that distance.
 */
static void test_against_binomials(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        double e0, epsilon, truth;
        double above; /* part of the truth that rounding is allowed for */
    } rows[] = {
        {1000000, 1e-4, 0.3, 0.000044351464449894836593, 1e-4},
        {100000000, 1e-4, 4, 0.00004712239800864740847, 0.1},
        {100000000, 1e-4, 5, 5.7937179290812666747e-7, 0.2},
        {1000000000, 3e-5, 4, 0.000016946968452128026517, 0.4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const netdp_event event = {
            .mechanism = NETDP_APPROXIMATE, .epsilon = rows[i].e0, .count = rows[i].count};
        const double up = delta_of(&event, 1, rows[i].epsilon, NETDP_UPPER);
        const double down = delta_of(&event, 1, rows[i].epsilon, NETDP_LOWER);
        assert_true(down <= rows[i].truth);
        assert_true(up >= rows[i].truth * (1 + rows[i].above));
        assert_true(up <= rows[i].truth * (1.01 + 2 * rows[i].above)); /* and little more */
    }
}

/* What the transforms are given sums to at most 1 in doubles, too: no release gains mass. */
static void test_tilted_masses(void **state)
{
    (void)state;
    int32_t tried = 0;
    for (int k = 0; k < 12; k++) {
        const netdp_event event = {.mechanism = k % 3 == 0   ? NETDP_LAPLACE
                                                : k % 3 == 1 ? NETDP_SUBSAMPLED_GAUSSIAN
                                                             : NETDP_RANDOMISED_RESPONSE,
                                   .noise = 0.7 + k,
                                   .rate = 0.1,
                                   .flip = 0.5,
                                   .levels = 4,
                                   .count = 1};
        netdp_error error = {0};
        netdp_i_tails tails = {0};
        netdp_i_lattice lattice = {0};
        assert_ok(netdp_i_tails_new(&event, NETDP_I_REMOVED, NETDP_UPPER, &tails, &error));
        assert_ok(netdp_i_lattice_grid(&tails, 1e-12, 0x1p-7, NETDP_UPPER, &lattice, &error));
        for (double theta = 0; theta < 8; theta += 0.5, tried++) {
            const long double norm = netdp_i_lattice_norm(&lattice, theta);
            long double sum = 0;
            for (int64_t i = 0; i < lattice.size; i++)
                sum += (double)(lattice.mass[i] * expl((long double)theta * lattice.at[i] - norm));
            assert_true(sum <= 1);
            assert_true(sum >= 1 - 1e-14L);
        }
        netdp_i_lattice_clear(&lattice);
        netdp_i_tails_clear(&tails);
    }
    assert_true(tried == 12 * 16);
}

/* tests/oracle/pld_contour.py: another method, about 9 digits. */
static void test_against_contour(void **state)
{
    (void)state;
    json_t *golden = load_golden("pld_contour.json"), *row;
    size_t i;
    double worst_above = 0, worst_below = 0;
    assert_true(json_array_size(golden) >= 12);
    json_array_foreach (golden, i, row) {
        netdp_error error = {0};
        netdp_events *events = NULL;
        if (LIGHT && i % 3 != 0)
            continue;
        char *text = json_dumps(json_object_get(row, "events"), 0);
        assert_ok(read_json(text, &events, &error));
        free(text);
        const double delta = number(row, "delta"), truth = number(row, "epsilon");
        const double above = epsilon_of(events->event, events->count, delta, NETDP_UPPER);
        const double below = epsilon_of(events->event, events->count, delta, NETDP_LOWER);
        if (!(below <= truth * (1 + 1e-8) && above >= truth * (1 - 1e-8)))
            fail_msg("row %zu: %.12g not in [%.12g, %.12g]", i, truth, below, above);
        worst_above = fmax(worst_above, above / truth - 1);
        worst_below = fmax(worst_below, 1 - below / truth);
        /* Back: delta at epsilon contains delta. */
        if (i % 3 == 0)
            assert_true(delta_of(events->event, events->count, truth, NETDP_UPPER) >=
                        delta * (1 - 1e-6));
        if (i % 3 == 0)
            assert_true(delta_of(events->event, events->count, truth, NETDP_LOWER) <=
                        delta * (1 + 1e-6));
        assert_false(netdp_events_certified(events->event, events->count));
        netdp_events_free(events);
    }
    print_message("worst excess %.2g above, %.2g below\n", worst_above, worst_below);
    assert_true(worst_above < 3e-4 && worst_below < 1e-2);
    json_decref(golden);
}

/* Wherever certified: mpmath at 50 digits, from above and at most 1e-6 above. */
static void test_gaussians_are_exact(void **state)
{
    (void)state;
    json_t *golden = load_golden("pld_gaussian.json"), *row;
    size_t i;
    assert_true(json_array_size(golden) >= 30);
    json_array_foreach (golden, i, row) {
        const int64_t count = (int64_t)number(row, "count");
        const double noise = number(row, "noise"), delta = number(row, "delta");
        const long double truth = strtold(json_string_value(json_object_get(row, "epsilon")), NULL);
        /* In two parts, and with something that releases nothing. */
        const netdp_event events[] = {
            {.mechanism = NETDP_GAUSSIAN, .noise = noise, .count = count > 1 ? count - 1 : 1},
            {.mechanism = NETDP_SUBSAMPLED_GAUSSIAN, .noise = noise, .rate = 1, .count = 1},
            {.mechanism = NETDP_LAPLACE, .noise = INFINITY, .count = 5},
        };
        const netdp_event *from = count > 1 ? events : events + 1;
        const size_t size = count > 1 ? 3 : 2;
        assert_true(netdp_events_certified(from, size));
        const long double above = epsilon_of(from, size, delta, NETDP_UPPER);
        const long double below = epsilon_of(from, size, delta, NETDP_LOWER);
        if (!(below <= truth && truth <= above && above - truth <= 1e-6L * fmaxl(1, truth)))
            fail_msg("noise %g count %lld delta %g: [%.20Lg, %.20Lg] around %.20Lg", noise,
                     (long long)count, delta, below, above, truth);
        assert_true(truth == 0 || below >= truth * (1 - 1e-9L));
        assert_true(delta_of(from, size, (double)above, NETDP_UPPER) <= delta);
    }
    json_decref(golden);
}

/* ln A_alpha of Mironov, Talwar and Zhang 2019, section 3.3, for a whole order. */
static double subsampled_renyi(double noise, double rate, int order)
{
    double sum = 0;
    for (int k = 0; k <= order; k++)
        sum +=
            exp(lgamma(order + 1) - lgamma(k + 1) - lgamma(order - k + 1) +
                (order - k) * log1p(-rate) + k * log(rate) + 0.5 * k * (k - 1) / (noise * noise));
    return log(sum) / (order - 1);
}

/* p = 5e-3, sigma = 0.8, delta = 1e-6, 1,000 steps: both bounds within 1e-2, and below Renyi. */
static void test_subsampled_gaussian(void **state)
{
    (void)state;
    enum { ORDERS = 30 };
    const netdp_event event = {
        .mechanism = NETDP_SUBSAMPLED_GAUSSIAN, .noise = 0.8, .rate = 5e-3, .count = 1000};
    const double above = epsilon_of(&event, 1, 1e-6, NETDP_UPPER);
    const double below = epsilon_of(&event, 1, 1e-6, NETDP_LOWER);
    assert_true(above - below <= 1e-2 && below <= 2.0041062931 && above >= 2.0041062931);
    double order[ORDERS], loss[ORDERS], by_renyi;
    for (int i = 0; i < ORDERS; i++) {
        order[i] = i + 2;
        loss[i] = 1000 * subsampled_renyi(0.8, 5e-3, i + 2);
    }
    netdp_error error = {0};
    const netdp_rdp curve = {.count = ORDERS, .order = order, .epsilon = loss};
    assert_ok(netdp_rdp_to_epsilon(&curve, 1e-6, 0, &by_renyi, &error));
    print_message("subsampled: [%.6f, %.6f], by Renyi %.6f\n", below, above, by_renyi);
    assert_true(above < by_renyi);
}

/* Known failure 8: always an answer, monotone within the slack of the header. */
static void test_torture_grid(void **state)
{
    (void)state;
    static const double noises[] = {1e-2, 1, 1e4}, deltas[] = {0.1, 1e-6, 1e-300};
    static const int64_t counts[] = {1, 1000, 1000000000};
    enum { MOST = LIGHT ? 2 : 3 };
    for (int kind = 0; kind < 2; kind++) {
        double answer[3][3][3];
        for (int n = 0; n < MOST; n++)
            for (int d = 0; d < MOST; d++)
                for (int c = 0; c < 3; c++) {
                    const netdp_event event = {.mechanism = kind == 0 ? NETDP_LAPLACE
                                                                      : NETDP_SUBSAMPLED_GAUSSIAN,
                                               .noise = noises[n],
                                               .rate = 0.005,
                                               .count = counts[c]};
                    const double here = answer[n][d][c] =
                        epsilon_of(&event, 1, deltas[d], NETDP_UPPER);
                    const double slack = 1e-3 * here + 1e-6;
                    assert_true(n == 0 || answer[n - 1][d][c] >= here - slack);
                    assert_true(d == 0 || answer[n][d - 1][c] <= here + slack);
                    assert_true(c == 0 || answer[n][d][c - 1] <= here + slack);
                    assert_true(here < INFINITY);
                    /* Never above what pure composition gives. */
                    if (kind == 0)
                        assert_true(here <= (double)counts[c] / noises[n] * (1 + 1e-12));
                    if (d == 1 && c == 1)
                        assert_true(epsilon_of(&event, 1, deltas[d], NETDP_LOWER) <= here);
                }
    }
}

/* Fine steps of every argument, where the grid changes from one to the next. */
static void test_monotone_within_slack(void **state)
{
    (void)state;
    double before = INFINITY;
    for (int i = 0; i < 8; i++) {
        const netdp_event event = {.mechanism = NETDP_SUBSAMPLED_GAUSSIAN,
                                   .noise = 1 + 0.003 * i,
                                   .rate = 0.01 - 1e-5 * i,
                                   .count = 300 - i};
        const double here = epsilon_of(&event, 1, 1e-6 * (1 + 0.01 * i), NETDP_UPPER);
        assert_true(here <= before * (1 + 1e-3) + 1e-6);
        before = here;
    }
}

/* The worst (epsilon, delta) mechanism k times (Kairouz, Oh and Viswanath 2015): a finite sum. */
static double approximate_delta(double e, double each, int k, double epsilon)
{
    double sum = 0;
    for (int i = 0; i <= k; i++) {
        const double log_mass =
            lgamma(k + 1) - lgamma(i + 1) - lgamma(k - i + 1) + i * e - k * log1p(exp(e));
        sum += exp(log_mass) * fmax(0, -expm1(epsilon - (2 * i - k) * e));
    }
    const double none = exp(k * log1p(-each));
    return 1 - none + none * sum;
}

static void test_approximate_and_response(void **state)
{
    (void)state;
    const netdp_event event = {
        .mechanism = NETDP_APPROXIMATE, .epsilon = 0.3, .delta = 1e-8, .count = 60};
    for (int i = 0; i < 4; i++) {
        const double epsilon = 1 + 2 * i, truth = approximate_delta(0.3, 1e-8, 60, epsilon);
        const double above = delta_of(&event, 1, epsilon, NETDP_UPPER);
        assert_true(above >= truth * (1 - 1e-9) && above <= truth * 1.01);
        assert_true(delta_of(&event, 1, epsilon, NETDP_LOWER) <= truth * (1 + 1e-9));
    }
    /* delta below what is given away at once: infinity is the answer from both sides. */
    assert_true(isinf(epsilon_of(&event, 1, 1e-7, NETDP_UPPER)));
    assert_true(isinf(epsilon_of(&event, 1, 1e-7, NETDP_LOWER)));
    /* RR_gamma is e0-DP and no better at small delta. */
    const netdp_event response = {
        .mechanism = NETDP_RANDOMISED_RESPONSE, .flip = 0.2, .levels = 5, .count = 1};
    const double pure = log((1 - 0.2 + 0.04) / 0.04);
    const double above = epsilon_of(&response, 1, 1e-12, NETDP_UPPER);
    assert_close(above, pure, 0, 1e-9);
    assert_true(delta_of(&response, 1, pure * (1 + 1e-12), NETDP_UPPER) == 0);
}

/* Wide discrete Gaussians and Laplaces go to the continuous ones, from a table and an expansion. */
static void test_discrete_near_continuous(void **state)
{
    (void)state;
    static const int32_t levels[] = {100, 900, 1100, 1 << 20}; /* table up to 4096/5 */
    const netdp_event laplace = {.mechanism = NETDP_LAPLACE, .noise = 5, .count = 20};
    const netdp_event gaussian = {.mechanism = NETDP_GAUSSIAN, .noise = 5, .count = 20};
    const double limit = epsilon_of(&laplace, 1, 1e-6, NETDP_UPPER);
    const double exact = epsilon_of(&gaussian, 1, 1e-6, NETDP_UPPER);
    for (int i = 0; i < 4; i++) {
        const double near = i == 0 ? 1e-3 : 1e-4;
        netdp_event discrete = {
            .mechanism = NETDP_DISCRETE_LAPLACE, .noise = 5, .levels = levels[i], .count = 20};
        assert_close(epsilon_of(&discrete, 1, 1e-6, NETDP_UPPER), limit, 0, near);
        discrete.mechanism = NETDP_DISCRETE_GAUSSIAN;
        assert_close(epsilon_of(&discrete, 1, 1e-6, NETDP_UPPER), exact, 0, near);
    }
}

static void test_hidden_gaussian(void **state)
{
    (void)state;
    static const double sure[] = {0, 0, 0, 1};
    static double spread[300];
    /* Always behind 4 terms: a Gaussian of twice the noise. */
    const netdp_event hidden = {
        .mechanism = NETDP_HIDDEN_GAUSSIAN, .noise = 2, .weights = 4, .weight = sure, .count = 9};
    const netdp_event plain = {.mechanism = NETDP_GAUSSIAN, .noise = 4, .count = 9};
    const double truth = epsilon_of(&plain, 1, 1e-5, NETDP_UPPER);
    assert_true(epsilon_of(&hidden, 1, 1e-5, NETDP_UPPER) >= truth * (1 - 1e-11));
    assert_close(epsilon_of(&hidden, 1, 1e-5, NETDP_UPPER), truth, 0, 1e-4);
    assert_true(epsilon_of(&hidden, 1, 1e-5, NETDP_LOWER) <= truth);
    /* Many weights, of which far ones are taken together. */
    for (int i = 0; i < 300; i++)
        spread[i] = 1.0 / 320;
    const netdp_event walk = {.mechanism = NETDP_HIDDEN_GAUSSIAN,
                              .noise = 2,
                              .weights = 300,
                              .weight = spread,
                              .count = 5};
    const double above = epsilon_of(&walk, 1, 1e-6, NETDP_UPPER);
    const double below = epsilon_of(&walk, 1, 1e-6, NETDP_LOWER);
    print_message("walk: [%.6f, %.6f]\n", below, above);
    assert_true(below <= above && below >= 0.95 * above);
}

/* A delta at infinity, what is certain or nothing, and what a sum of many may be off. */
static void test_random_gaussian(void **state)
{
    (void)state;
    static const double one[] = {1}, half[] = {0.5, 0.5}, mu[] = {0.25, 0.25},
                        shown[] = {INFINITY, 0.5}, rare[] = {1e-7, 0.25}, no[] = {0},
                        large[] = {1e200, 0.5};
    static double many[1000], small[1000];
    netdp_event event = {
        .mechanism = NETDP_RANDOM_GAUSSIAN, .weights = 1, .weight = one, .mu = mu, .count = 9};
    const netdp_event plain = {.mechanism = NETDP_GAUSSIAN, .noise = 4, .count = 9};
    const double truth = epsilon_of(&plain, 1, 1e-5, NETDP_UPPER);
    assert_close(epsilon_of(&event, 1, 1e-5, NETDP_UPPER), truth, 0, 1e-4);
    assert_true(epsilon_of(&event, 1, 1e-5, NETDP_UPPER) >= truth * (1 - 1e-11));
    assert_true(epsilon_of(&event, 1, 1e-5, NETDP_LOWER) <= truth);
    event.weights = 2;
    event.weight = half;
    assert_close(epsilon_of(&event, 1, 1e-5, NETDP_UPPER), truth, 0, 1e-4);
    for (int i = 0; i < 1000; i++) {
        many[i] = 1e-3;
        small[i] = 0.25;
    }
    const netdp_event parts = {.mechanism = NETDP_RANDOM_GAUSSIAN,
                               .weights = 1000,
                               .weight = many,
                               .mu = small,
                               .count = 9};
    assert_close(epsilon_of(&parts, 1, 1e-5, NETDP_UPPER), truth, 0, 1e-4);
    assert_true(epsilon_of(&parts, 1, 1e-5, NETDP_UPPER) >= truth * (1 - 1e-11));
    /* The odds of infinity add to delta. */
    event = (netdp_event){
        .mechanism = NETDP_RANDOM_GAUSSIAN, .weights = 2, .weight = rare, .mu = shown, .count = 2};
    assert_true(delta_of(&event, 1, 40, NETDP_UPPER) >= 2e-7 - 1e-14);
    assert_close(delta_of(&event, 1, 40, NETDP_UPPER), 2e-7, 0, 1e-3);
    assert_true(delta_of(&event, 1, 40, NETDP_LOWER) <= 2e-7);
    assert_true(isinf(epsilon_of(&event, 1, 1e-7, NETDP_UPPER)));
    event.weights = 1;
    event.weight = one;
    assert_true(isinf(epsilon_of(&event, 1, 0.5, NETDP_LOWER)));
    event.mu = no;
    assert_true(epsilon_of(&event, 1, 1e-6, NETDP_UPPER) == 0);
    event = (netdp_event){
        .mechanism = NETDP_RANDOM_GAUSSIAN, .weights = 2, .weight = half, .mu = large, .count = 1};
    assert_true(epsilon_of(&event, 1, 1e-6, NETDP_UPPER) > 1e9);
}

static void test_json_round_trip(void **state)
{
    (void)state;
    static const double weight[] = {0.1, 1.0 / 3, 0}, mu[] = {INFINITY, 0.1, 1};
    const netdp_event events[] = {
        {.mechanism = NETDP_GAUSSIAN, .noise = 12.3, .count = 100},
        {.mechanism = NETDP_SUBSAMPLED_GAUSSIAN, .noise = 0.8, .rate = 1.0 / 300, .count = 1000},
        {.mechanism = NETDP_DISCRETE_LAPLACE, .noise = 9.1, .levels = 7, .count = 1},
        {.mechanism = NETDP_RANDOMISED_RESPONSE, .flip = 0.9, .levels = 4, .count = 2},
        {.mechanism = NETDP_HIDDEN_GAUSSIAN,
         .noise = 4,
         .weights = 3,
         .weight = weight,
         .count = 3},
        {.mechanism = NETDP_APPROXIMATE, .epsilon = 0.1, .delta = 1e-9, .count = 1},
        {.mechanism = NETDP_LAPLACE, .noise = INFINITY, .count = 4},
        {.mechanism = NETDP_RANDOM_GAUSSIAN, .weights = 3, .weight = weight, .mu = mu, .count = 2},
    };
    enum { COUNT = sizeof events / sizeof *events };
    netdp_error error = {0};
    netdp_events *back = NULL;
    char path[] = "/tmp/netdp-events-XXXXXX";
    close(mkstemp(path));
    assert_ok(netdp_events_write(events, COUNT, path, &error));
    assert_ok(netdp_events_read(path, &back, &error));
    unlink(path);
    assert_int_equal(back->count, COUNT);
    assert_true(back->event[4].weight[1] == weight[1]);
    assert_memory_equal(back->event[7].mu, mu, sizeof mu);
    assert_true(epsilon_of(back->event, COUNT, 1e-6, NETDP_UPPER) ==
                epsilon_of(events, COUNT, 1e-6, NETDP_UPPER));
    netdp_events_free(back);
}

static void test_json_is_strict(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "{}",
        "[1]",
        "[{}]",
        "[{\"mechanism\": \"gauss\", \"noise\": 1}]",
        "[{\"mechanism\": \"gaussian\"}]",
        "[{\"mechanism\": \"gaussian\", \"noise\": -1}]",
        "[{\"mechanism\": \"gaussian\", \"noise\": \"1\"}]",
        "[{\"mechanism\": \"gaussian\", \"noise\": 1, \"noise\": 2}]",
        "[{\"mechanism\": \"gaussian\", \"noise\": 1, \"rate\": 0.5}]",
        "[{\"mechanism\": \"gaussian\", \"noise\": 1, \"count\": 0}]",
        "[{\"mechanism\": \"gaussian\", \"noise\": 1, \"count\": 1.5}]",
        "[{\"mechanism\": \"subsampled-gaussian\", \"noise\": 1, \"rate\": 1.5}]",
        "[{\"mechanism\": \"randomised-response\", \"flip\": 0, \"levels\": 3}]",
        "[{\"mechanism\": \"randomised-response\", \"flip\": 0.5, \"levels\": 1}]",
        "[{\"mechanism\": \"hidden-gaussian\", \"noise\": 1}]",
        "[{\"mechanism\": \"random-gaussian\", \"weight\": [0.5]}]",
        "[{\"mechanism\": \"random-gaussian\", \"mu\": [0.5]}]",
        "[{\"mechanism\": \"random-gaussian\", \"mu\": [-1], \"weight\": [0.5]}]",
        "[{\"mechanism\": \"random-gaussian\", \"mu\": [\"nan\"], \"weight\": [0.5]}]",
        "[{\"mechanism\": \"random-gaussian\", \"mu\": [1, 2], \"weight\": [0.5]}]",
        "[{\"mechanism\": \"random-gaussian\", \"weight\": [0.5], \"mu\": []}]",
        "[{\"mechanism\": \"random-gaussian\", \"mu\": [1], \"weight\": [\"inf\"]}]",
        "[{\"mechanism\": \"hidden-gaussian\", \"noise\": 1, \"weight\": [0.6, 0.6]}]",
        "[{\"mechanism\": \"approximate\", \"epsilon\": 1, \"delta\": 2}]",
        "[{\"mechanism\": \"gaussian\", \"noise\": 1}] 1",
    };
    netdp_error error = {0};
    netdp_events *events = NULL;
    const int64_t live = netdp_i_memory_live();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(read_json(bad[i], &events, &error), NETDP_INVALID);
    assert_fails(read_json("[{\"mechanism\": \"laplace\", \"noise\": 1}, {\"mechanism\": "
                           "\"laplace\", \"nose\": 1}]",
                           &events, &error),
                 NETDP_INVALID);
    assert_non_null(strstr(error.text, "event 2"));
    assert_null(events);
    assert_int_equal(netdp_i_memory_live(), live);
    assert_fails(netdp_events_read("/nowhere/events.json", &events, &error), NETDP_ENVIRONMENT);
}

static void test_bad_arguments_and_edges(void **state)
{
    (void)state;
    netdp_error error = {0};
    double value = 7;
    const netdp_event none = {.mechanism = NETDP_LAPLACE, .noise = 0, .count = 1};
    const netdp_event bad = {.mechanism = NETDP_LAPLACE, .noise = NAN, .count = 1};
    assert_fails(netdp_events_epsilon(&bad, 1, 1e-6, NETDP_UPPER, &value, &error), NETDP_INVALID);
    assert_fails(netdp_events_epsilon(&none, 1, 0, NETDP_UPPER, &value, &error), NETDP_INVALID);
    assert_fails(netdp_events_epsilon(&none, 1, NAN, NETDP_UPPER, &value, &error), NETDP_INVALID);
    assert_fails(netdp_events_delta(&none, 1, -1, NETDP_UPPER, &value, &error), NETDP_INVALID);
    assert_true(value == 7);
    assert_true(isinf(epsilon_of(&none, 1, 1e-6, NETDP_UPPER)));
    assert_true(delta_of(&none, 1, 3, NETDP_LOWER) == 1);
    assert_true(epsilon_of(NULL, 0, 1e-6, NETDP_UPPER) == 0 && netdp_events_certified(NULL, 0));
    assert_true(delta_of(NULL, 0, 0, NETDP_UPPER) == 0);
    /* A sample that is shown as it is: given away with probability 0.01, else nothing. */
    const netdp_event shown = {
        .mechanism = NETDP_SUBSAMPLED_GAUSSIAN, .noise = 0, .rate = 0.01, .count = 1};
    assert_close(delta_of(&shown, 1, 1, NETDP_UPPER), 0.01, 0, 1e-9);
    assert_true(isinf(epsilon_of(&shown, 1, 1e-3, NETDP_LOWER)));
    assert_true(epsilon_of(&shown, 1, 0.02, NETDP_UPPER) < 1e-12);
}

/* Memory that runs out anywhere: an error, nothing left behind. */
static void test_out_of_memory(void **state)
{
    (void)state;
    const netdp_event events[] = {
        {.mechanism = NETDP_GAUSSIAN, .noise = 3, .count = 2},
        {.mechanism = NETDP_DISCRETE_GAUSSIAN, .noise = 5, .levels = 2, .count = 2},
    };
    double value;
    for (sweep s = {0}; sweep_next(&s);)
        s.status = netdp_events_epsilon(events, 2, 1e-6, NETDP_UPPER, &value, NULL);
}

static void test_advanced_composition(void **state)
{
    (void)state;
    netdp_error error = {0};
    double epsilon, delta;
    assert_ok(netdp_advanced_composition(0.1, 1e-8, 100, 1e-6, &epsilon, &delta, &error));
    const double want = sqrt(200 * log(1e6)) * 0.1 + 10 * expm1(0.1);
    assert_close(epsilon, want, 0, 1e-14);
    assert_true(epsilon >= want * (1 - 1e-15));
    assert_close(delta, 2e-6, 0, 1e-14);
    /* And above the exact composition of the worst mechanism with these parameters. */
    const netdp_event each = {
        .mechanism = NETDP_APPROXIMATE, .epsilon = 0.1, .delta = 1e-8, .count = 100};
    assert_true(epsilon_of(&each, 1, delta, NETDP_UPPER) < epsilon);
    assert_ok(netdp_advanced_composition(800, 0, 1, 0.5, &epsilon, &delta, &error));
    assert_true(isinf(epsilon));
    assert_ok(netdp_advanced_composition(0, 0.5, 9, 0.5, &epsilon, &delta, &error));
    assert_true(epsilon == 0 && delta == 1);
    assert_fails(netdp_advanced_composition(-1, 0, 1, 0.5, &epsilon, &delta, &error),
                 NETDP_INVALID);
    assert_fails(netdp_advanced_composition(1, 0, 1, 0, &epsilon, &delta, &error), NETDP_INVALID);
    assert_fails(netdp_advanced_composition(1, NAN, 1, 0.1, &epsilon, &delta, &error),
                 NETDP_INVALID);
}

static void test_words(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "laplace",
        "laplace:",
        "laplace:1,2",
        "laplace:-1",
        "laplace:x",
        "laplace:1 1000",
        "laplace:1 x0",
        "laplace:1 x1.5",
        "gauss:1",
        ":",
        "laplace:nan",
        "hidden-gaussian:1",
        "random-gaussian:1",
        "approximate:0.1",
        "laplace:1  x2",
        "discrete-laplace:1,1.5",
    };
    netdp_error error = {0};
    netdp_event event;
    assert_ok(netdp_event_parse("subsampled-gaussian:0.8,0.005 x1000", &event, &error));
    assert_true(event.mechanism == NETDP_SUBSAMPLED_GAUSSIAN && event.noise == 0.8 &&
                event.rate == 0.005 && event.count == 1000);
    assert_ok(netdp_event_parse("randomised-response:0.5,4", &event, &error));
    assert_true(event.flip == 0.5 && event.levels == 4 && event.count == 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(netdp_event_parse(bad[i], &event, &error), NETDP_INVALID);
}

/* One order, which data sets have, is not above what that order is from above. */
static void test_without_replacement_from_below(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_event event = {.noise = 1, .rate = 0.1, .count = 1000};
    double below, above;
    event.mechanism = NETDP_GAUSSIAN_WITHOUT_REPLACEMENT;
    assert_ok(netdp_events_epsilon(&event, 1, 1e-2, NETDP_LOWER, &below, &error));
    event.mechanism = NETDP_SUBSAMPLED_GAUSSIAN;
    assert_ok(netdp_events_epsilon(&event, 1, 1e-2, NETDP_UPPER, &above, &error));
    assert_true(below > 0.99 * above && below <= above);
    /* With hardly any noise who was drawn is known. */
    event = (netdp_event){
        .mechanism = NETDP_SUBSAMPLED_GAUSSIAN_REPLACED, .noise = 1e-3, .rate = 0.5, .count = 3};
    assert_ok(netdp_events_epsilon(&event, 1, 1e-3, NETDP_UPPER, &above, &error));
    assert_true(above > 1e5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_binomials),
        cmocka_unit_test(test_tilted_masses),
        cmocka_unit_test(test_against_contour),
        cmocka_unit_test(test_gaussians_are_exact),
        cmocka_unit_test(test_subsampled_gaussian),
        cmocka_unit_test(test_torture_grid),
        cmocka_unit_test(test_monotone_within_slack),
        cmocka_unit_test(test_approximate_and_response),
        cmocka_unit_test(test_discrete_near_continuous),
        cmocka_unit_test(test_hidden_gaussian),
        cmocka_unit_test(test_random_gaussian),
        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_json_is_strict),
        cmocka_unit_test(test_bad_arguments_and_edges),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_advanced_composition),
        cmocka_unit_test(test_without_replacement_from_below),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
