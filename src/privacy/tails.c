#include "privacy/tails.h"

#include <float.h>
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* A discrete Gaussian up to this many steps of its grid wide is summed, a wider one expanded. */
enum { WIDEST_TABLE = 4096 };

/* Hidden Gaussians: the first ones stand alone, then GROUPS to the power of ten. */
enum { ALONE = 48, GROUPS = 24 };

long double netdp_i_tails_error(long double t)
{
    return t > 0 ? LDBL_EPSILON * (32 - 6 * (long double)ilogbl(t)) : 0;
}

long double netdp_i_tails_blur(long double l)
{
    return 32 * LDBL_EPSILON * l;
}

static long double upper_normal(long double x)
{
    return 0.5L * erfcl(x * 0.707106781186547524400844362104849039L);
}

/* ---- Gaussians: mu, or a mixture of them; the rest has no loss ---- */

/* Beyond `cut` it is left out; below -13 it is 1 to the last digit. */
static long double tail_until(long double x, long double cut)
{
    return x > cut ? 0 : x < -13 ? 1 : upper_normal(x);
}

/*
 * Where the tail of a part is below e^-50 of what the parts before have together, it is nothing: less
 * than e^(-x^2/2) of its weight. Most are, where many parts have the largest mu first.
 */
static void gaussian_at(const netdp_i_tails *t, long double l, long double *p, long double *q)
{
    enum { AT_A_TIME = 16 };
    long double cut = INFINITY;
    *p = *q = l < 0 ? t->first : 0;
    for (int64_t i = 0; i < t->size; i++) {
        const long double mu = t->table[i], weight = t->more[i], a = l / mu;
        if (i % AT_A_TIME == AT_A_TIME - 1 && fminl(*p, *q) > 0)
            cut = sqrtl(2 * (50 - logl(fminl(*p, *q))));
        *p += weight * tail_until(a - 0.5L * mu, cut);
        *q += weight * tail_until(a + 0.5L * mu, cut);
    }
}

static netdp_status gaussians_new(int64_t size, netdp_i_tails *t, netdp_error *error)
{
    t->at = gaussian_at;
    t->size = size;
    t->table = NETDP_I_NEW(long double, size);
    t->more = NETDP_I_NEW(long double, size);
    return t->table == NULL || t->more == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

netdp_status netdp_i_tails_gaussian(double mu, netdp_i_tails *tails, netdp_error *error)
{
    *tails = (netdp_i_tails){0};
    netdp_status status = gaussians_new(1, tails, error);
    if (status != NETDP_OK) {
        netdp_i_tails_clear(tails);
        return status;
    }
    tails->table[0] = mu;
    tails->more[0] = 1;
    return NETDP_OK;
}

/*
 * Behind i noise terms mu = 1/(noise sqrt(i)). Far groups are taken together at their first i: more
 * noise is post-processing, so that is an upper bound, and at their last i a lower one.
 */
static netdp_status hidden_new(const netdp_event *event, netdp_i_order order,
                               netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    (void)order;
    TRY(gaussians_new(event->weights, t, error));
    long double seen = 0;
    int64_t groups = 0;
    for (int32_t i = 0, last; i < event->weights; i = last) {
        const double end = (i + 1) * pow(10, 1.0 / GROUPS);
        long double weight = 0;
        for (last = i; last < event->weights && (last == i || (i >= ALONE && last + 1 < end));
             last++)
            weight += (long double)event->weight[last];
        if (weight == 0)
            continue;
        const int32_t behind = direction == NETDP_UPPER ? i + 1 : last;
        t->table[groups] = 1 / ((long double)event->noise * sqrtl(behind));
        t->more[groups++] = weight;
        seen += weight;
    }
    t->size = groups;
    t->first = fmaxl(1 - seen, 0);
    return NETDP_OK;
}

double netdp_i_tails_infinite(const netdp_event *event, netdp_direction direction)
{
    long double sum = 0;
    for (int32_t i = 0; i < event->weights; i++)
        if (event->mu[i] == INFINITY)
            sum += (long double)event->weight[i];
    const double nearest = (double)fminl(sum, 1);
    if (sum == 0 || sum == 1)
        return nearest;
    return direction == NETDP_UPPER ? fmin(nextafter(nearest * (1 + 1e-15), INFINITY), 1)
                                    : nextafter(nearest * (1 - 1e-15), 0);
}

/* Weights are moved by what a sum of so many may be off: more of a Gaussian is worse than nothing. */
static netdp_status random_new(const netdp_event *event, netdp_i_order order,
                               netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    (void)order;
    TRY(gaussians_new(event->weights, t, error));
    const long double off = (long double)event->weights * LDBL_EPSILON;
    long double seen = 0;
    t->size = 0;
    for (int32_t i = 0; i < event->weights; i++) {
        if (!(event->weight[i] > 0 && event->mu[i] > 0 && event->mu[i] < INFINITY))
            continue;
        t->table[t->size] = event->mu[i];
        t->more[t->size] = event->weight[i] * (direction == NETDP_UPPER ? 1 + off : 1 - off);
        seen += t->more[t->size++];
    }
    t->infinite = netdp_i_tails_infinite(event, direction);
    t->first = fmaxl(1 - (long double)t->infinite - seen, 0);
    return NETDP_OK;
}

/* ---- Subsampled Gaussian: with the person (1-q) N(0, s^2) + q N(1, s^2), without N(0, s^2) ----
 */

/* The x where the loss of removal, ln(1 - q + q e^((2x-1)/(2 s^2))), is l. */
static long double subsampled_x(const netdp_i_tails *t, long double l)
{
    const long double noise = t->first, rate = t->second;
    long double odds; /* (e^l - 1 + q)/q */
    if (l > 40)
        return noise * noise * (l + log1pl(-(1 - rate) * expl(-l)) - logl(rate)) + 0.5L;
    odds = expm1l(l) / rate;
    return odds > -1 ? noise * noise * log1pl(odds) + 0.5L : -INFINITY;
}

static void subsampled_at(const netdp_i_tails *t, long double l, long double *p, long double *q)
{
    const bool removed = t->third == 0;
    const long double noise = t->first, rate = t->second;
    const long double x = subsampled_x(t, removed ? l : -l), side = removed ? 1 : -1;
    const long double without = upper_normal(side * x / noise);
    const long double with = (1 - rate) * without + rate * upper_normal(side * (x - 1) / noise);
    *p = removed ? with : without;
    *q = removed ? without : with;
}

static netdp_status subsampled_new(const netdp_event *event, netdp_i_order order,
                                   netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    (void)direction;
    (void)error;
    t->at = subsampled_at;
    t->first = event->noise;
    t->second = event->rate;
    t->third = order;
    return NETDP_OK;
}

/* ---- Gaussians of which a person is replaced (docs/proofs/mechanisms.md) ---- */

/*
 * Drawn without replacement: above 0 the curve is that of the subsampled Gaussian's removal, below it
 * that of its addition; the slope jumps at 0, which has the rest of the mass. No two data sets need have
 * this pair in all of many releases: from below it is one order, of a row that is 1 or 0 among zeros.
 */
static void without_replacement_at(const netdp_i_tails *t, long double l, long double *p,
                                   long double *q)
{
    netdp_i_tails side = *t;
    side.third = l < 0 ? NETDP_I_ADDED : NETDP_I_REMOVED;
    subsampled_at(&side, l, p, q);
}

static netdp_status without_replacement_new(const netdp_event *event, netdp_i_order order,
                                            netdp_direction direction, netdp_i_tails *t,
                                            netdp_error *error)
{
    const netdp_status status = subsampled_new(event, order, direction, t, error);
    if (direction == NETDP_UPPER)
        t->at = without_replacement_at;
    return status;
}

/*
 * Poisson: (1-q) N(0, s^2) + q N(1, s^2) against (1-q) N(0, s^2) + q N(-1, s^2). With a = 1 - q and b =
 * q e^(-1/(2 s^2)) the loss ln (a + b e^(y/s^2))/(a + b e^(-y/s^2)) is odd and grows; it is l at
 * y = s^2 (l/2 + asinh(a/b sinh(l/2))).
 */
static long double replaced_y(const netdp_i_tails *t, long double l)
{
    const long double noise = t->first, rate = t->second, size = fabsl(l);
    const long double log_ratio = log1pl(-rate) - logl(rate) + 0.5L / (noise * noise);
    long double part = 0; /* of asinh, far out: but at 0 it is 0 */
    if (size > 0)
        part = fmaxl(log_ratio + 0.5L * size + logl(-expm1l(-size)), 0);
    if (log_ratio + 0.5L * size < 11000)
        part = asinhl(expl(log_ratio) * sinhl(0.5L * size));
    return copysignl(noise * noise * (0.5L * size + part), l);
}

static void replaced_at(const netdp_i_tails *t, long double l, long double *p, long double *q)
{
    const long double noise = t->first, rate = t->second, y = replaced_y(t, l);
    const long double none = (1 - rate) * upper_normal(y / noise);
    *p = none + rate * upper_normal((y - 1) / noise);
    *q = none + rate * upper_normal((y + 1) / noise);
}

static netdp_status replaced_new(const netdp_event *event, netdp_i_order order,
                                 netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    const netdp_status status = subsampled_new(event, order, direction, t, error);
    t->at = replaced_at;
    return status;
}

/* ---- Laplace: e = 1/b is taken with probability 1/2, -e with probability e^-e/2 ---- */

static void laplace_at(const netdp_i_tails *t, long double l, long double *p, long double *q)
{
    const long double e = t->first;
    *p = l < -e ? 1 : l < e ? 1 - 0.5L * expl(0.5L * (l - e)) : 0;
    *q = l < -e ? 1 : l < e ? 0.5L * expl(-0.5L * (l + e)) : 0;
}

static netdp_status laplace_new(const netdp_event *event, netdp_i_order order,
                                netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    (void)order;
    (void)direction;
    (void)error;
    t->at = laplace_at;
    t->first = 1 / (long double)event->noise;
    return NETDP_OK;
}

/*
 * Subsampled: where the loss of removal is l that of the Laplace release with the person is
 * ln((e^l - 1 + q)/q). Turned round the release looks the same: so addition is its mirror.
 */
static void subsampled_laplace_at(const netdp_i_tails *t, long double l, long double *p,
                                  long double *q)
{
    const bool removed = t->third == 0;
    const long double rate = t->second, of_removal = removed ? l : -l;
    const long double odds = of_removal > 40 ? 0 : expm1l(of_removal) / rate;
    long double base = -INFINITY, present, absent;
    if (of_removal > 40)
        base = of_removal + log1pl(-(1 - rate) * expl(-of_removal)) - logl(rate);
    else if (odds > -1)
        base = log1pl(odds);
    laplace_at(t, removed ? base : -base, &present, &absent);
    if (!removed) { /* of the mirror */
        const long double turned = present;
        present = absent;
        absent = turned;
    }
    const long double with = (1 - rate) * absent + rate * present;
    *p = removed ? with : absent;
    *q = removed ? absent : with;
}

static netdp_status subsampled_laplace_new(const netdp_event *event, netdp_i_order order,
                                           netdp_direction direction, netdp_i_tails *t,
                                           netdp_error *error)
{
    (void)direction;
    (void)error;
    t->at = subsampled_laplace_at;
    t->first = 1 / (long double)event->noise;
    t->second = event->rate;
    t->third = order;
    return NETDP_OK;
}

/*
 * ---- Discrete Laplace: weights e^(-|x|/s), s = b levels; P around 0, Q around m = levels ----
 *
 * The loss (|x - m| - |x|)/s falls in x, from m/s to -m/s; it is above l where x < (m - l s)/2.
 */

/* P(X >= j) around 0. */
static long double geometric_tail(long double s, long double j)
{
    const long double far = expl(-fmaxl(j, 1 - j) / s) / (1 + expl(-1 / s));
    return j >= 1 ? far : 1 - far;
}

/* P(X < v), v - 1 <= its last integer < v. */
static long double geometric_below(long double s, long double v)
{
    return geometric_tail(s, 1 - ceill(v));
}

static void discrete_laplace_at(const netdp_i_tails *t, long double l, long double *p,
                                long double *q)
{
    const long double s = t->first, m = t->second, v = 0.5L * (m - l * s);
    *p = v <= 0 ? 0 : v > m ? 1 : geometric_below(s, v);
    *q = v <= 0 ? 0 : v > m ? 1 : geometric_below(s, v - m);
}

static netdp_status discrete_laplace_new(const netdp_event *event, netdp_i_order order,
                                         netdp_direction direction, netdp_i_tails *t,
                                         netdp_error *error)
{
    (void)order;
    (void)direction;
    (void)error;
    t->at = discrete_laplace_at;
    t->first = (long double)event->noise * event->levels;
    t->second = event->levels;
    return NETDP_OK;
}

/*
 * ---- Discrete Gaussian: weights e^(-x^2/(2 s^2)), s = sigma levels; shift m = levels ----
 *
 * The loss (m^2 - 2 m x)/(2 s^2) is above l where x < m/2 - l s^2/m.
 */

/* P(X >= j), by table of the tails from j = 0 on. */
static long double table_tail(const netdp_i_tails *t, long double j)
{
    if (j <= 0)
        return j > -(long double)t->size ? 1 - table_tail(t, 1 - j) : 1;
    return j < (long double)t->size ? t->table[(int64_t)j] : 0;
}

/*
 * The same by Euler and Maclaurin: sum_{x >= j} f = integral + f/2 - f'/12 + f'''/720 -
 * f^(5)/30240, with a rest below 1e-6 times the variation of f^(6): relative to the tail below
 * 1e-16 from s = 4096 on and up to 140 s.
 */
static long double smooth_tail(const netdp_i_tails *t, long double j)
{
    if (j <= 0)
        return 1 - smooth_tail(t, 1 - j);
    const long double s = t->first, z = j / s, f = expl(-0.5L * z * z), square = z * z;
    const long double correction = 0.5L + z / (12 * s) + z * (3 - square) / (720 * s * s * s) +
                                   z * (15 + square * (square - 10)) / (30240 * s * s * s * s * s);
    return upper_normal(z) + f * correction / (s * sqrtl(2 * acosl(-1)));
}

static long double gaussian_tail(const netdp_i_tails *t, long double j)
{
    return t->table != NULL ? table_tail(t, j) : smooth_tail(t, j);
}

static void discrete_gaussian_at(const netdp_i_tails *t, long double l, long double *p,
                                 long double *q)
{
    const long double s = t->first, m = t->second, v = ceill(0.5L * m - l * s * (s / m));
    *p = gaussian_tail(t, 1 - v);
    *q = gaussian_tail(t, 1 - v + m);
}

static netdp_status discrete_gaussian_new(const netdp_event *event, netdp_i_order order,
                                          netdp_direction direction, netdp_i_tails *t,
                                          netdp_error *error)
{
    (void)order;
    (void)direction;
    const long double s = (long double)event->noise * event->levels;
    t->at = discrete_gaussian_at;
    t->first = s;
    t->second = event->levels;
    if (s > WIDEST_TABLE)
        return NETDP_OK;
    /* Beyond 150 s the weights are below the least long double. */
    t->size = (int64_t)ceill(150 * s) + 2;
    t->table = NETDP_I_NEW(long double, t->size);
    if (t->table == NULL)
        return netdp_i_no_memory(error);
    long double sum = 0;
    for (int64_t j = t->size - 1; j > 0; j--) {
        const long double z = (long double)j / s;
        sum += expl(-0.5L * z * z);
        t->table[j] = sum;
    }
    for (int64_t j = t->size - 1; j > 0; j--)
        t->table[j] /= 1 + 2 * sum;
    return NETDP_OK;
}

/* ---- Two or three points: e, 0, -e ---- */

static void points_at(const netdp_i_tails *t, long double l, long double *p, long double *q)
{
    const long double e = t->first, high = t->second, low = t->third;
    const long double middle = (1 - (long double)t->infinite) - high - low;
    *p = (l < e ? high : 0) + (l < 0 ? middle : 0) + (l < -e ? low : 0);
    *q = (l < e ? low : 0) + (l < 0 ? middle : 0) + (l < -e ? high : 0);
}

/* RR_gamma: true value 1 - gamma + gamma/L, each other gamma/L. */
static netdp_status response_new(const netdp_event *event, netdp_i_order order,
                                 netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    (void)order;
    (void)direction;
    (void)error;
    const long double flip = event->flip, levels = event->levels;
    t->at = points_at;
    t->first = log1pl((1 - flip) * levels / flip);
    t->second = 1 - flip + flip / levels;
    t->third = flip / levels;
    return NETDP_OK;
}

/*
 * The worst (epsilon, delta)-DP mechanism (Kairouz, Oh and Viswanath 2015): delta gives all away,
 * the rest is randomised response of two values.
 */
static netdp_status approximate_new(const netdp_event *event, netdp_i_order order,
                                    netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    (void)order;
    (void)direction;
    (void)error;
    const long double rest = 1 - (long double)event->delta;
    t->at = points_at;
    t->infinite = event->delta;
    t->first = event->epsilon;
    t->second = rest / (1 + expl(-t->first));
    t->third = rest / (1 + expl(t->first));
    return NETDP_OK;
}

/*
 * ---- Exponential mechanism: the curve of all mechanisms whose losses lie within a range of epsilon ----
 *
 * delta = (e^(epsilon/2) - e^(l/2))^2 / (e^epsilon - 1) on [-epsilon, epsilon]. From below the choice
 * between two answers, whose loss is epsilon/2 or -epsilon/2.
 */
static void exponential_at(const netdp_i_tails *t, long double l, long double *p, long double *q)
{
    const long double e = t->first;
    *p = l < -e ? 1 : l < e ? expm1l(0.5L * (l - e)) / expm1l(-e) : 0;
    /* expm1((e - l)/2)/expm1(e), where that may overflow too */
    *q = l < -e ? 1 : l < e ? expl(-0.5L * (e + l)) * *p : 0;
}

static netdp_status exponential_new(const netdp_event *event, netdp_i_order order,
                                    netdp_direction direction, netdp_i_tails *t, netdp_error *error)
{
    (void)order;
    (void)error;
    t->at = direction == NETDP_UPPER ? exponential_at : points_at;
    t->first = direction == NETDP_UPPER ? event->epsilon : 0.5L * event->epsilon;
    t->second = 1 / (1 + expl(-t->first));
    t->third = 1 / (1 + expl(t->first));
    return NETDP_OK;
}

typedef netdp_status (*maker)(const netdp_event *event, netdp_i_order order,
                              netdp_direction direction, netdp_i_tails *tails, netdp_error *error);

netdp_status netdp_i_tails_new(const netdp_event *event, netdp_i_order order,
                               netdp_direction direction, netdp_i_tails *tails, netdp_error *error)
{
    static const maker makers[] = {
        [NETDP_LAPLACE] = laplace_new,
        [NETDP_DISCRETE_GAUSSIAN] = discrete_gaussian_new,
        [NETDP_DISCRETE_LAPLACE] = discrete_laplace_new,
        [NETDP_RANDOMISED_RESPONSE] = response_new,
        [NETDP_SUBSAMPLED_GAUSSIAN] = subsampled_new,
        [NETDP_HIDDEN_GAUSSIAN] = hidden_new,
        [NETDP_APPROXIMATE] = approximate_new,
        [NETDP_RANDOM_GAUSSIAN] = random_new,
        [NETDP_EXPONENTIAL] = exponential_new,
        [NETDP_SUBSAMPLED_LAPLACE] = subsampled_laplace_new,
        [NETDP_GAUSSIAN_WITHOUT_REPLACEMENT] = without_replacement_new,
        [NETDP_SUBSAMPLED_GAUSSIAN_REPLACED] = replaced_new,
    };
    *tails = (netdp_i_tails){0};
    netdp_status status = makers[event->mechanism](event, order, direction, tails, error);
    if (status != NETDP_OK)
        netdp_i_tails_clear(tails);
    return status;
}

void netdp_i_tails_clear(netdp_i_tails *tails)
{
    netdp_i_free(tails->table);
    netdp_i_free(tails->more);
    *tails = (netdp_i_tails){0};
}

bool netdp_i_tails_ordered(const netdp_event *event, netdp_direction direction)
{
    return event->mechanism == NETDP_SUBSAMPLED_GAUSSIAN ||
           event->mechanism == NETDP_SUBSAMPLED_LAPLACE ||
           (direction == NETDP_LOWER && event->mechanism == NETDP_GAUSSIAN_WITHOUT_REPLACEMENT);
}
