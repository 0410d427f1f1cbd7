/*
 * From the scores of an attack to what they prove.
 *
 * A threshold t is a test of world 0 against world 1: "1" where score >= t. mu-GDP allows it no
 * less than Phi^-1(1 - FPR) - Phi^-1(FNR) <= mu (Dong, Roth and Su 2022, Definition 2.6), and
 * (epsilon, delta)-DP FPR e^epsilon >= 1 - delta - FNR and the reverse (Kairouz, Oh and Viswanath
 * 2015, Theorem 2.1). Both rates are replaced by upper bounds, so what comes out is a lower bound
 * of mu and epsilon.
 *
 * Thresholds come from one part of the runs and are tested on the rest, which has not seen them:
 * given the first part, errors are binomial, and all 2m bounds (Clopper and Pearson 1934) hold
 * together with probability >= confidence where each fails with (1 - confidence)/2m (Bonferroni).
 * Doubles choose thresholds and find numbers near the answers; Arb alone decides.
 */
#include <netdp/audit.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "privacy/ball.h"

/* log C(n, k) of 2^30 runs loses 40 bits; 80 remain. */
enum { BITS = 128 };

enum { LEAST_RUNS = 100 };

/*
 * Part 1: in doubles. No bound rests on it.
 */

static double upper_tail(double x)
{
    return 0.5 * erfc(x * M_SQRT1_2);
}

/*
 * x of Q(x) = p, 1e-36 < p or p = 0: from Hastings' fraction (Abramowitz and Stegun 26.2.23), off
 * by at most 4.5e-4, two steps of Newton.
 */
static double tail_point_near(double p)
{
    const double half = fmin(p, 1 - p);
    if (!(half > 0))
        return p > 0.5 ? -INFINITY : INFINITY;
    const double r = sqrt(-2 * log(half));
    double x = r - (2.515517 + r * (0.802853 + r * 0.010328)) /
                       (1 + r * (1.432788 + r * (0.189269 + r * 0.001308)));
    for (int i = 0; i < 2; i++)
        x += (upper_tail(x) - half) * sqrt(2 * M_PI) * exp(0.5 * x * x);
    return p > 0.5 ? -x : x;
}

/*
 * Clopper and Pearson's upper bound of a rate, `errors` (maybe a fraction) seen in n: the point of
 * Beta(a, b) with alpha = Q(y) above it, a = errors + 1, b = n - errors. Cube roots of Gamma
 * variables are nearly normal (Wilson and Hilferty 1931), so x^3 = b X/(a (1 - X)) is where
 * ((1 - of_b) x - (1 - of_a))/sqrt(of_b x^2 + of_a) = y (Paulson 1942).
 */
static double rate_most_near(double errors, double n, double y)
{
    const double a = errors + 1, b = n - errors;
    const double of_a = 1 / (9 * a), of_b = 1 / (9 * b);
    const double square = (1 - of_b) * (1 - of_b) - y * y * of_b;
    if (!(b > 0 && of_b < 1 && square > 0)) /* next to no successes: near 1, if below */
        return 1;
    /* Of the quadratic equation; its discriminant multiplied out, where it would cancel. */
    const double discriminant =
        of_a * (1 - of_b) * (1 - of_b) + of_b * (1 - of_a) * (1 - of_a) - y * y * of_a * of_b;
    const double x = ((1 - of_a) * (1 - of_b) + y * sqrt(fmax(discriminant, 0))) / square;
    return 1 / (1 + b / (a * x * x * x));
}

static double mu_near(double false_positive, double false_negative)
{
    return tail_point_near(false_positive) + tail_point_near(false_negative);
}

/* of one direction: of the other with the two errors exchanged */
static double epsilon_near(double false_positive, double false_negative, double delta)
{
    const double power = 1 - delta - false_negative;
    return power > 0 ? log(power / false_positive) : -INFINITY;
}

/*
 * Part 2: in balls.
 */

/* Of X ~ Binomial(n, p): ln P(X <= k), and P(X <= k) in units of P(X = k). */
typedef struct binomial {
    arb_t log_tail, in_masses;
    arb_t log_alpha, p, odds, ratio, term, scratch;
} binomial;

static void binomial_init(binomial *b, double alpha)
{
    arb_init(b->log_tail);
    arb_init(b->in_masses);
    arb_init(b->log_alpha);
    arb_init(b->p);
    arb_init(b->odds);
    arb_init(b->ratio);
    arb_init(b->term);
    arb_init(b->scratch);
    arb_set_d(b->log_alpha, alpha);
    arb_log(b->log_alpha, b->log_alpha, BITS);
}

static void binomial_clear(binomial *b)
{
    arb_clear(b->log_tail);
    arb_clear(b->in_masses);
    arb_clear(b->log_alpha);
    arb_clear(b->p);
    arb_clear(b->odds);
    arb_clear(b->ratio);
    arb_clear(b->term);
    arb_clear(b->scratch);
}

/* sum +-= ln x! */
static void add_log_factorial(arb_t sum, int64_t x, int sign, arb_t scratch)
{
    arb_set_si(scratch, x);
    arb_add_ui(scratch, scratch, 1, BITS);
    arb_lgamma(scratch, scratch, BITS);
    if (sign > 0)
        arb_add(sum, sum, scratch, BITS);
    else
        arb_sub(sum, sum, scratch, BITS);
}

/*
 * The sum of P(X = i)/P(X = k) over i = k, k-1, ... Neighbours have the ratio
 * i/(n-i+1) (1-p)/p < 1, which falls with i: what is left out is below a geometric series.
 */
static void sum_masses(binomial *b, int64_t n, int64_t k)
{
    arb_one(b->in_masses);
    arb_one(b->term);
    arb_inv(b->odds, b->p, BITS); /* (1-p)/p */
    arb_sub_ui(b->odds, b->odds, 1, BITS);
    for (int64_t i = k; i > 0; i--) {
        arb_mul_si(b->ratio, b->odds, i, BITS);
        arb_div_si(b->ratio, b->ratio, n - i + 1, BITS);
        arb_mul(b->term, b->term, b->ratio, BITS);
        arb_add(b->in_masses, b->in_masses, b->term, BITS);
        if (arf_cmpabs_2exp_si(arb_midref(b->term), -90) < 0) {
            arb_sub_ui(b->scratch, b->ratio, 1, BITS);
            arb_neg(b->scratch, b->scratch);
            arb_div(b->term, b->term, b->scratch, BITS);
            arb_add_error(b->in_masses, b->term);
            return;
        }
    }
}

/* k/(n+1) < p < 1, k < n */
static void tail_at(binomial *b, int64_t n, int64_t k, double p)
{
    arb_set_d(b->p, p);
    sum_masses(b, n, k);
    arb_log(b->log_tail, b->in_masses, BITS);
    add_log_factorial(b->log_tail, n, 1, b->scratch);
    add_log_factorial(b->log_tail, k, -1, b->scratch);
    add_log_factorial(b->log_tail, n - k, -1, b->scratch);
    arb_log(b->scratch, b->p, BITS);
    arb_mul_si(b->scratch, b->scratch, k, BITS);
    arb_add(b->log_tail, b->log_tail, b->scratch, BITS);
    arb_neg(b->scratch, b->p);
    arb_log1p(b->scratch, b->scratch, BITS);
    arb_mul_si(b->scratch, b->scratch, n - k, BITS);
    arb_add(b->log_tail, b->log_tail, b->scratch, BITS);
}

static double middle_of(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/*
 * Clopper and Pearson's upper bound: a p, at most 1e-12 of itself above the least one, of which
 * P(X <= k) <= alpha is proven (alpha < 1/2, so p > k/(n+1)). ln P(X <= k) is concave in p: Newton
 * never falls short of the root, wherever it starts.
 */
static double rate_most(binomial *b, int64_t n, int64_t k, double y)
{
    if (k == n)
        return 1;
    const double least = ((double)k + 0.5) / ((double)n + 1);
    double p = fmax(rate_most_near((double)k, (double)n, y), least);
    for (int i = 0; i < 50; i++) {
        if (!(p < 1))
            p = 1 - 0x1p-53;
        tail_at(b, n, k, p);
        arb_sub(b->scratch, b->log_tail, b->log_alpha, BITS);
        /* d ln P(X <= k) / dp = -(n-k)/(1-p) P(X = k)/P(X <= k) */
        const double step =
            middle_of(b->scratch) * middle_of(b->in_masses) * (1 - p) / (double)(n - k);
        p = fmax(p + step, least);
        if (fabs(step) <= fmin(1e-14 * p, 1e-9 * (1 - p)))
            break;
    }
    for (double margin = 1e-13; p < 1; margin *= 2) {
        const double up = p * (1 + margin);
        if (!(up < 1))
            break;
        tail_at(b, n, k, up);
        if (arb_le(b->log_tail, b->log_alpha))
            return up;
    }
    return 1;
}

/* An x, at most 1e-12 below the true one, of which Q(x) >= p is proven: -inf where p is 1. */
static double tail_point_least(double p)
{
    if (!(p < 1))
        return -INFINITY;
    const double x = tail_point_near(p);
    double least = -INFINITY;
    arb_t ball, scratch;
    arb_init(ball);
    arb_init(scratch);
    for (double margin = 1e-13; least == -INFINITY && margin < 1e3; margin *= 2) {
        const double down = x - margin * fmax(1, fabs(x));
        arb_set_d(ball, down);
        arb_sqrt_ui(scratch, 2, BITS);
        arb_div(ball, ball, scratch, BITS);
        arb_hypgeom_erfc(ball, ball, BITS);
        arb_mul_2exp_si(ball, ball, -1);
        arb_set_d(scratch, p);
        if (arb_ge(ball, scratch))
            least = down;
    }
    arb_clear(ball);
    arb_clear(scratch);
    return least;
}

/* ln((1 - delta - FNR)/FPR) rounded down; -inf where the numerator is not above 0 */
static double epsilon_least(double false_positive, double false_negative, double delta)
{
    arb_t power, scratch;
    arb_init(power);
    arb_init(scratch);
    arb_one(power);
    arb_set_d(scratch, delta);
    arb_sub(power, power, scratch, ARF_PREC_EXACT);
    arb_set_d(scratch, false_negative);
    arb_sub(power, power, scratch, ARF_PREC_EXACT);
    double least = -INFINITY;
    if (arb_is_positive(power)) {
        arb_set_d(scratch, false_positive);
        arb_div(power, power, scratch, BITS);
        arb_log(power, power, BITS);
        least = netdp_i_ball_down(power);
    }
    arb_clear(power);
    arb_clear(scratch);
    return least;
}

/*
 * Part 3: thresholds.
 */

typedef struct sample {
    double score;
    int world;
} sample;

static int compare_samples(const void *a, const void *b)
{
    const double left = ((const sample *)a)->score, right = ((const sample *)b)->score;
    return (left > right) - (left < right);
}

/* In descending order, each once. */
typedef struct thresholds {
    int32_t count;
    double at[NETDP_TRADE_POINTS];
} thresholds;

static void insert(thresholds *t, double threshold)
{
    int32_t i = t->count;
    for (int32_t j = 0; j < t->count; j++)
        if (t->at[j] == threshold)
            return;
    for (; i > 0 && t->at[i - 1] < threshold; i--)
        t->at[i] = t->at[i - 1];
    t->at[i] = threshold;
    t->count++;
}

/*
 * A threshold that parts sorted[i - 1] from the larger sorted[i]: half-way where that is a number,
 * so that worlds far apart stay so in the tested part, where some score lies just below.
 */
static double between(const sample *sorted, int64_t i)
{
    const double low = sorted[i - 1].score, high = sorted[i].score;
    const double half = 0.5 * low + 0.5 * high;
    return half > low && half < high ? half : high;
}

/* Shares of the pooled scores below a threshold: for the plot, and where the best ones mislead. */
static const double share[] = {0.001, 0.01, 0.05, 0.1,  0.25, 0.4,
                               0.6,   0.75, 0.9,  0.95, 0.99, 0.999};

/* What a threshold may be best for: mu, or epsilon in one of its directions. */
enum { OF_MU, FORWARD, BACKWARD, AIMS };

_Static_assert(sizeof share / sizeof *share + AIMS == NETDP_TRADE_POINTS, "room for all");

static void insert_shares(thresholds *t, const sample *sorted, int64_t count)
{
    for (size_t s = 0; s < sizeof share / sizeof *share; s++) {
        int64_t i = (int64_t)(share[s] * (double)count);
        while (i > 0 && sorted[i - 1].score == sorted[i].score)
            i--;
        if (i == 0) /* all below is tied with the least: the first threshold that parts any */
            for (i = 1; i < count && sorted[i - 1].score == sorted[i].score;)
                i++;
        if (i < count)
            insert(t, between(sorted, i));
    }
}

typedef struct design {
    double tested; /* runs of each world */
    double delta;
    double y; /* Q(y): what one bound may fail with */
} design;

static design design_of(int64_t tested, double confidence, double delta, int32_t points)
{
    return (design){(double)tested, delta, tail_point_near((1 - confidence) / (2 * points))};
}

/* What tests with these rates would prove. */
static void forecast(const design *d, double false_positive, double false_negative,
                     double value[AIMS])
{
    const double fp = rate_most_near(false_positive * d->tested, d->tested, d->y);
    const double fn = rate_most_near(false_negative * d->tested, d->tested, d->y);
    value[OF_MU] = mu_near(fp, fn);
    value[FORWARD] = epsilon_near(fp, fn, d->delta);
    value[BACKWARD] = epsilon_near(fn, fp, d->delta);
}

/* Best by what the tested part would prove, had it the rates of this one. */
static void insert_best(thresholds *t, const sample *sorted, int64_t count, const design *d)
{
    double best[AIMS] = {-INFINITY, -INFINITY, -INFINITY};
    int64_t where[AIMS] = {0}, above[2] = {0};
    const double each = (double)(count / 2);
    for (int64_t i = count - 1; i > 0; i--) {
        above[sorted[i].world]++;
        if (sorted[i - 1].score == sorted[i].score)
            continue;
        double value[AIMS];
        forecast(d, (double)above[0] / each, 1 - (double)above[1] / each, value);
        for (int a = 0; a < AIMS; a++) {
            if (value[a] > best[a]) {
                best[a] = value[a];
                where[a] = i;
            }
        }
    }
    for (int a = 0; a < AIMS; a++)
        if (where[a] > 0)
            insert(t, between(sorted, where[a]));
}

/* From runs 0 .. chosen-1 of each world. */
static netdp_status choose(const netdp_scores *scores, int64_t chosen, const design *d,
                           thresholds *t, netdp_error *error)
{
    sample *pool = NETDP_I_NEW(sample, 2 * chosen);
    if (pool == NULL)
        return netdp_i_no_memory(error);
    for (int world = 0; world < 2; world++)
        for (int64_t i = 0; i < chosen; i++)
            pool[world * chosen + i] = (sample){scores->world[world][i], world};
    qsort(pool, (size_t)(2 * chosen), sizeof *pool, compare_samples);
    insert_shares(t, pool, 2 * chosen);
    insert_best(t, pool, 2 * chosen, d);
    if (t->count == 0) /* all tied */
        insert(t, pool[0].score);
    netdp_i_free(pool);
    return NETDP_OK;
}

/*
 * Part 4: the audit.
 */

static netdp_status check_scores(const netdp_scores *scores, netdp_error *error)
{
    if (scores->runs < LEAST_RUNS)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%lld runs of each world; an audit needs at least %d",
                            (long long)scores->runs, LEAST_RUNS);
    for (int world = 0; world < 2; world++)
        for (int64_t i = 0; i < scores->runs; i++)
            if (isnan(scores->world[world][i]))
                return netdp_i_fail(error, NETDP_INVALID,
                                    "the score of run %lld in world %d is not a number; give an "
                                    "undecided run the score 0",
                                    (long long)i, world);
    return NETDP_OK;
}

static netdp_status check_open(const char *name, double value, netdp_error *error)
{
    if (value > 0 && value < 1)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "%s is %g; it must lie in (0, 1)", name, value);
}

static int64_t count_from(const double *scores, int64_t count, double threshold)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found += scores[i] >= threshold;
    return found;
}

/* Counts and their bounds on runs `from` .. runs-1. */
static void test_points(const netdp_scores *scores, int64_t from, const thresholds *t,
                        netdp_evidence *evidence)
{
    const int64_t n = evidence->tested;
    /* Below the exact share of the doubt, so that the rounding here is on the safe side too. */
    const double alpha = (1 - evidence->confidence) / (2 * t->count) * (1 - 0x1p-50);
    const double y = tail_point_near(alpha);
    binomial b;
    binomial_init(&b, alpha);
    for (int32_t i = 0; i < t->count; i++) {
        const int64_t fp = count_from(scores->world[0] + from, n, t->at[i]);
        const int64_t fn = n - count_from(scores->world[1] + from, n, t->at[i]);
        evidence->point[i] = (netdp_trade_point){
            .threshold = t->at[i],
            .false_positive = (double)fp / (double)n,
            .false_negative = (double)fn / (double)n,
            .false_positive_most = rate_most(&b, n, fp, y),
            .false_negative_most = rate_most(&b, n, fn, y),
        };
    }
    evidence->points = t->count;
    binomial_clear(&b);
}

static void weigh(netdp_evidence *evidence)
{
    for (int32_t i = 0; i < evidence->points; i++) {
        const double fp = evidence->point[i].false_positive_most;
        const double fn = evidence->point[i].false_negative_most;
        /* nextafter: the sum of the two is rounded. */
        const double mu = nextafter(tail_point_least(fp) + tail_point_least(fn), -INFINITY);
        evidence->mu = fmax(evidence->mu, mu);
        evidence->epsilon = fmax(evidence->epsilon, epsilon_least(fp, fn, evidence->delta));
        evidence->epsilon = fmax(evidence->epsilon, epsilon_least(fn, fp, evidence->delta));
    }
}

netdp_status netdp_audit_scores(const netdp_scores *scores, double confidence, double delta,
                                netdp_evidence *evidence, netdp_error *error)
{
    NETDP_I_GIVEN(error, scores && scores->world[0] && scores->world[1] && evidence);
    TRY(check_open("the confidence", confidence, error));
    TRY(check_open("delta", delta, error));
    TRY(check_scores(scores, error));
    const int64_t chosen = scores->runs / 3, tested = scores->runs - chosen;
    const design d = design_of(tested, confidence, delta, NETDP_TRADE_POINTS);
    thresholds t = {0};
    TRY(choose(scores, chosen, &d, &t, error));
    netdp_evidence made = {.confidence = confidence, .delta = delta, .tested = tested};
    test_points(scores, chosen, &t, &made);
    weigh(&made);
    *evidence = made;
    return NETDP_OK;
}

/*
 * Part 5: the verdict.
 */

/* The most that `tested` runs of N(0, 1) against N(mu, 1) would prove, had they expected counts. */
static double forecast_gaussian(const design *d, double mu, int aim)
{
    enum { STEPS = 400 };
    double most = -INFINITY;
    for (int i = 0; i <= STEPS; i++) {
        const double at = -6 + (mu + 12) * i / STEPS;
        double value[AIMS];
        forecast(d, upper_tail(at), upper_tail(mu - at), value);
        most = fmax(most, value[aim]);
    }
    return most;
}

/* The least tested runs that would prove more than the claim, up to 2^61; else 0. */
static int64_t enough_tested(const netdp_evidence *evidence, double mu, double claim, int aim)
{
    design d = design_of(1, evidence->confidence, evidence->delta, NETDP_TRADE_POINTS);
    int64_t low = 0, high = LEAST_RUNS - LEAST_RUNS / 3;
    for (;; low = high, high *= 2) {
        d.tested = (double)high;
        if (forecast_gaussian(&d, mu, aim) > claim)
            break;
        if (high > INT64_C(1) << 60)
            return 0;
    }
    while (low > 0 && high - low > high / 1000 + 1) {
        const int64_t middle = low + (high - low) / 2;
        d.tested = (double)middle;
        if (forecast_gaussian(&d, mu, aim) > claim)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static netdp_status check_claim(const netdp_evidence *evidence, double mu, double epsilon,
                                netdp_error *error)
{
    if (isnan(mu) || isnan(epsilon) || (mu < 0) == (epsilon < 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "the claim is mu %g and epsilon %g; give one of them, in [0, inf], and "
                            "-1 for the other",
                            mu, epsilon);
    if (evidence->tested < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "the evidence is of no runs; audit the scores first");
    TRY(check_open("the evidence's confidence", evidence->confidence, error));
    return check_open("the evidence's delta", evidence->delta, error);
}

netdp_status netdp_audit_verdict(const netdp_evidence *evidence, double mu, double epsilon,
                                 netdp_verdict *verdict, int64_t *enough, netdp_error *error)
{
    NETDP_I_GIVEN(error, evidence && verdict && enough);
    TRY(check_claim(evidence, mu, epsilon, error));
    const bool of_mu = mu >= 0;
    const double claim = of_mu ? mu : epsilon;
    netdp_verdict found = NETDP_VERDICT_CONSISTENT;
    int64_t runs = 0;
    if ((of_mu ? evidence->mu : evidence->epsilon) > claim) {
        found = NETDP_VERDICT_REFUTED;
    } else if (claim > 0 && claim < INFINITY) {
        double twice = 2 * claim;
        if (!of_mu)
            TRY(netdp_epsilon_to_gdp(2 * claim, evidence->delta, &twice, error));
        const int64_t tested = enough_tested(evidence, twice, claim, of_mu ? OF_MU : FORWARD);
        if (tested == 0 || evidence->tested < tested) {
            found = NETDP_VERDICT_FEW_RUNS;
            runs = tested == 0 ? INT64_MAX : tested + tested / 2;
        }
    }
    *verdict = found;
    *enough = runs;
    return NETDP_OK;
}
