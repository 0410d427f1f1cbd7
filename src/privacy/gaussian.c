/*
 * Gaussian DP and (epsilon, delta): the profile of mu-GDP (Balle and Wang 2018, Theorem 8),
 *
 *     D(epsilon, mu) = Q(a) - e^epsilon Q(b),   a = epsilon/mu - mu/2,   b = a + mu,
 *
 * Q the upper tail of the standard normal law, and its two inverses.
 *
 * The inverses answer on a grid: the doubles with 40 bits after the leading one, "cells", numbered
 * in order by the upper bits of the double. The answer is the least cell that is proven to satisfy
 * D <= delta (or the last before D > delta). So it is a bound, at most 2^-40 from the true value,
 * and exactly monotone in both arguments, which a rounded Newton iterate would not be. Doubles find
 * a cell near the answer; Arb alone decides.
 */
#include <netdp/privacy.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/try.h"
#include "privacy/ball.h"

/* Q(39) < 2^-1074, the least positive double: beyond, a tail is above or below every delta. */
enum { FAR = 39 };

/* From here on Mills' ratio at b comes from its asymptotic series. */
enum { LARGE = 64 };

/* Precision: bits that D should have relative to itself at first, and when to give up. */
enum { FIRST_BITS = 50, LAST_BITS = 3200 };

/* The root of D needs mu^2/2 <= the largest double; here it is above, whatever delta. */
static const double mu_without_epsilon = 2e154;

/*
 * Part 1: D in doubles. No guarantee rests on it.
 */

/* Mills' ratio Q(x)/phi(x), x >= -1. */
static double mills(double x)
{
    if (x < 5)
        return sqrt(M_PI_2) * exp(0.5 * x * x) * erfc(x * M_SQRT1_2);
    /* 1/(x + 1/(x + 2/(x + 3/(x + ...)))): Laplace's fraction, 17 digits from x = 5 on. */
    double tail = x;
    for (int k = x < 8 ? 50 : 22; k > 0; k--)
        tail = x + k / tail;
    return 1 / tail;
}

/*
 * Mills(a) - Mills(a + mu) for a small mu, over mu: the mean of -Mills' = 1 - x Mills(x), by Gauss
 * and Legendre with five points (error below 1e-14 for mu < 1/4).
 */
static double mills_mean_slope(double a, double mu)
{
    static const double node[3] = {0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[3] = {0.2844444444444444, 0.2393143352496832, 0.1184634425280945};
    double middle = a + 0.5 * mu, half = 0.5 * mu;
    double sum = weight[0] * (1 - middle * mills(middle));
    for (int i = 1; i < 3; i++) {
        double low = middle - half * node[i], high = middle + half * node[i];
        sum += weight[i] * (2 - low * mills(low) - high * mills(high));
    }
    return sum;
}

/* ln D and D/phi(a), which is Mills(a) - Mills(b), at a >= -mu/2. */
typedef struct point {
    double log_delta;
    double gap;
} point;

static point profile_near(double a, double mu)
{
    const double log_phi = -0.5 * a * a - 0.5 * log(2 * M_PI);
    if (mu < 0.25) {
        double mean = mills_mean_slope(a, mu);
        return (point){log_phi + log(mu) + log(mean), mu * mean};
    }
    if (a > -1) {
        double gap = mills(a) - mills(a + mu);
        return (point){log_phi + log(gap), gap};
    }
    double value = 0.5 * erfc(a * M_SQRT1_2) - exp(log_phi) * mills(a + mu);
    return (point){log(value), value / exp(log_phi)};
}

/*
 * epsilon of mu and delta. D is log-concave in a, being the law of a normal plus an exponential
 * variable, so Newton from the right of the root comes down to it without overshooting.
 */
static double epsilon_near(double mu, double delta)
{
    const double target = log(delta);
    /* D <= Q(a) and, for a >= 0, D <= mu phi(a): both put the root to the left of the start. */
    double squared = -2 * target;
    if (mu < 1)
        squared = fmin(squared, 2 * (log(mu) - target) - log(2 * M_PI));
    double a = sqrt(fmax(squared, 0));
    for (int i = 0; i < 100; i++) {
        point here = profile_near(a, mu);
        /* d ln D / da = -mu Mills(b) / gap */
        double step = (here.log_delta - target) * here.gap / (mu * mills(a + mu));
        if (!isfinite(step))
            break;
        a += step;
        if (!(a > -0.5 * mu))
            return 0;
        if (fabs(step) <= 1e-8 * fabs(a)) /* quadratic: the next one would be below 1e-15 */
            break;
    }
    return mu * (a + 0.5 * mu);
}

/* mu of epsilon and delta: Newton in ln mu, kept within a bracket. */
static double mu_near(double epsilon, double delta)
{
    const double target = log(delta);
    double low = -746, high = log(mu_without_epsilon);
    /* D <= Q(a) and D <= mu phi(0): the root is to the right of the start. */
    double z = sqrt(-2 * target);
    double start = 2 * epsilon / (z + sqrt(z * z + 2 * epsilon));
    double y = log(fmax(start, fmax(delta * sqrt(2 * M_PI), 5e-324)));
    for (int i = 0; i < 200 && high - low > 1e-15 * fabs(high); i++) {
        if (!(y > low && y < high))
            y = 0.5 * (low + high);
        double mu = exp(y), a = epsilon / mu - 0.5 * mu, step = NAN;
        point here = {a > 0 ? -INFINITY : 0, 0};
        if (fabs(a) < FAR)
            here = profile_near(a, mu);
        if (here.log_delta > target)
            high = y;
        else
            low = y;
        if (here.gap > 0) /* d ln D / d ln mu = mu / gap */
            step = (target - here.log_delta) * here.gap / mu;
        y += step;
        if (fabs(step) < 1e-15)
            break;
    }
    return exp(y >= low && y <= high ? y : low);
}

/*
 * Part 2: D in balls.
 */

/* D and its second term T = e^epsilon Q(b), which is -dD/depsilon. */
typedef struct profile {
    arb_t value, second;
    arb_t a, b, scratch, term;
} profile;

static void profile_init(profile *p)
{
    arb_init(p->value);
    arb_init(p->second);
    arb_init(p->a);
    arb_init(p->b);
    arb_init(p->scratch);
    arb_init(p->term);
}

static void profile_clear(profile *p)
{
    arb_clear(p->value);
    arb_clear(p->second);
    arb_clear(p->a);
    arb_clear(p->b);
    arb_clear(p->scratch);
    arb_clear(p->term);
}

/* Bits that are lost on the way to D: the tails lose b^2, the difference about 1/mu. */
static slong bits_lost(double epsilon, double mu)
{
    slong of_b = ilogb(mu) + 1, lost = 12;
    if (epsilon > 0 && ilogb(epsilon) - ilogb(mu) + 2 > of_b)
        of_b = ilogb(epsilon) - ilogb(mu) + 2;
    if (of_b > 0)
        lost += 2 * of_b;
    if (ilogb(mu) < 0)
        lost -= ilogb(mu);
    return lost;
}

/*
 * 2T for a large b: T = phi(a) Mills(b), Mills(b) = 1/b (1 - 1/b^2 + 1*3/b^4 - ...), where the
 * error is below the first term left out (DLMF 7.12.1). Arb's erfc loses all digits of an inexact
 * argument from 10^6 on.
 */
static void second_term_far(profile *p, slong precision)
{
    slong turn = 1L << 11; /* from b >= 64 on the terms fall at least that long */
    arb_mul(p->scratch, p->b, p->b, precision);
    arb_inv(p->scratch, p->scratch, precision);
    arb_one(p->term);
    arb_one(p->second);
    for (slong k = 1;; k++) {
        arb_mul(p->term, p->term, p->scratch, precision);
        arb_mul_si(p->term, p->term, 1 - 2 * k, precision);
        if (k == turn || arf_cmpabs_2exp_si(arb_midref(p->term), -precision) < 0)
            break;
        arb_add(p->second, p->second, p->term, precision);
    }
    arb_add_error(p->second, p->term);
    arb_div(p->second, p->second, p->b, precision);

    arb_mul(p->scratch, p->a, p->a, precision);
    arb_mul_2exp_si(p->scratch, p->scratch, -1);
    arb_neg(p->scratch, p->scratch);
    arb_exp(p->scratch, p->scratch, precision);
    arb_mul(p->second, p->second, p->scratch, precision);
    arb_const_pi(p->scratch, precision); /* 2/sqrt(2 pi) = 1/sqrt(pi/2) */
    arb_mul_2exp_si(p->scratch, p->scratch, -1);
    arb_rsqrt(p->scratch, p->scratch, precision);
    arb_mul(p->second, p->second, p->scratch, precision);
}

/* 2T as e^epsilon erfc(b/sqrt 2), where scratch is 1/sqrt 2. */
static void second_term(profile *p, double epsilon, slong precision)
{
    arb_mul(p->term, p->b, p->scratch, precision);
    arb_hypgeom_erfc(p->second, p->term, precision);
    arb_set_d(p->term, epsilon);
    arb_exp(p->term, p->term, precision);
    arb_mul(p->second, p->second, p->term, precision);
}

typedef enum side { LEFT, MIDDLE, RIGHT } side;

/*
 * epsilon and mu finite, mu > 0. LEFT where a < -39: D is above every double below 1. RIGHT where
 * a > 39: D is below every positive double. Only in the MIDDLE is it computed.
 */
static side profile_at(profile *p, double epsilon, double mu, slong precision)
{
    arb_set_d(p->a, epsilon);
    arb_set_d(p->b, mu);
    arb_div(p->a, p->a, p->b, precision);
    arb_mul_2exp_si(p->b, p->b, -1);
    arb_add(p->scratch, p->a, p->b, precision);
    arb_sub(p->a, p->a, p->b, precision);
    arb_swap(p->b, p->scratch);
    arb_set_si(p->scratch, FAR);
    if (arb_gt(p->a, p->scratch))
        return RIGHT;
    arb_neg(p->scratch, p->scratch);
    if (arb_lt(p->a, p->scratch))
        return LEFT;

    arb_set_si(p->scratch, LARGE);
    bool large = arb_gt(p->b, p->scratch);
    if (large)
        second_term_far(p, precision);
    arb_sqrt_ui(p->scratch, 2, precision);
    arb_mul_2exp_si(p->scratch, p->scratch, -1);
    if (!large)
        second_term(p, epsilon, precision);
    arb_mul(p->a, p->a, p->scratch, precision);
    arb_hypgeom_erfc(p->value, p->a, precision);
    arb_sub(p->value, p->value, p->second, precision);
    arb_mul_2exp_si(p->value, p->value, -1);
    arb_mul_2exp_si(p->second, p->second, -1);
    return MIDDLE;
}

/*
 * Whether D(epsilon - step) > delta follows from the point just computed. D is convex in e^epsilon
 * with slope -Q(b), so D(epsilon - step) >= D + T (1 - e^-step) >= D + T (step - step^2/2).
 */
static bool fails_below(profile *p, double step, double delta, slong precision)
{
    arb_set_d(p->a, step);
    arb_mul(p->b, p->a, p->a, precision);
    arb_mul_2exp_si(p->b, p->b, -1);
    arb_sub(p->a, p->a, p->b, precision);
    arb_mul(p->a, p->a, p->second, precision);
    arb_add(p->a, p->a, p->value, precision);
    arb_set_d(p->b, delta);
    return arb_gt(p->a, p->b);
}

/*
 * Whether D(epsilon, mu) <= delta is proven. Also sets *least where it is proven to fail at
 * epsilon - step (step 0: not asked).
 */
static bool proven(profile *p, double epsilon, double mu, double delta, double step, bool *least)
{
    *least = false;
    if (mu == 0 || epsilon == INFINITY)
        return true;
    if (mu == INFINITY)
        return false;
    slong lost = bits_lost(epsilon, mu);
    for (slong bits = FIRST_BITS; bits <= LAST_BITS; bits *= 2) {
        side where = profile_at(p, epsilon, mu, lost + bits);
        if (where != MIDDLE)
            return where == RIGHT;
        arb_set_d(p->scratch, delta);
        if (arb_gt(p->value, p->scratch))
            return false;
        if (arb_le(p->value, p->scratch)) {
            *least = step > 0 && fails_below(p, step, delta, lost + bits);
            return true;
        }
    }
    return false;
}

/*
 * Part 3: the search over cells.
 */

enum { CELL_SHIFT = 12 };

static const int64_t infinite_cell = INT64_C(0x7FF0000000000000) >> CELL_SHIFT;

static double cell_value(int64_t cell)
{
    uint64_t bits = (uint64_t)cell << CELL_SHIFT;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The cell at or below x >= 0. */
static int64_t cell_below(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int64_t)(bits >> CELL_SHIFT);
}

/* D <= delta as a question about one cell: of epsilon, where mu is given, or the reverse. */
typedef struct question {
    double given;
    double delta;
    bool of_mu;
    profile scratch;
} question;

/* True from some cell on. *least: it is proven to be false one cell below. */
static bool answer(question *q, int64_t cell, bool *least)
{
    double x = cell_value(cell);
    if (q->of_mu)
        return !proven(&q->scratch, q->given, x, q->delta, 0, least);
    /* Exact: neighbouring cells are within a factor of two, or one of them is zero. */
    double step = cell > 0 && cell < infinite_cell ? x - cell_value(cell - 1) : 0;
    return proven(&q->scratch, x, q->given, q->delta, step, least);
}

/* The least cell that answers true; the infinite one does. Doubling steps from the start. */
static int64_t least_cell(question *q, int64_t start)
{
    int64_t low = -1, high = infinite_cell, cell = start, stride = 1;
    while (high - low > 1) {
        if (cell <= low || cell >= high)
            cell = low + (high - low) / 2;
        bool least = false;
        if (answer(q, cell, &least)) {
            high = cell;
            if (least)
                break;
            cell -= stride;
        } else {
            low = cell;
            cell += stride;
        }
        if (stride < infinite_cell)
            stride *= 2;
    }
    return high;
}

static netdp_status check_delta(double delta, netdp_error *error)
{
    if (delta > 0 && delta < 1)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "delta is %g; it must lie in (0, 1)", delta);
}

static netdp_status check_at_least_zero(const char *name, double value, netdp_error *error)
{
    if (value >= 0)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "%s is %g; it must lie in [0, inf]", name, value);
}

netdp_status netdp_gdp_to_epsilon(double mu, double delta, double *epsilon, netdp_error *error)
{
    NETDP_I_GIVEN(error, epsilon);
    TRY(check_at_least_zero("mu", mu, error));
    TRY(check_delta(delta, error));
    /* D(0) <= mu/sqrt(2 pi) < 0.39894229 mu; above 1e-290 the product's own rounding is within. */
    if (mu == 0 || (mu > 1e-290 && mu * 0.39894229 <= delta)) {
        *epsilon = 0;
    } else if (mu >= mu_without_epsilon) {
        *epsilon = INFINITY;
    } else {
        question q = {.given = mu, .delta = delta, .of_mu = false};
        profile_init(&q.scratch);
        *epsilon = cell_value(least_cell(&q, cell_below(epsilon_near(mu, delta)) + 1));
        profile_clear(&q.scratch);
    }
    return NETDP_OK;
}

netdp_status netdp_epsilon_to_gdp(double epsilon, double delta, double *mu, netdp_error *error)
{
    NETDP_I_GIVEN(error, mu);
    TRY(check_at_least_zero("epsilon", epsilon, error));
    TRY(check_delta(delta, error));
    if (epsilon == INFINITY) {
        *mu = INFINITY;
        return NETDP_OK;
    }
    /* Asked at the cell below, so that netdp_gdp_to_epsilon of the answer is at most epsilon. */
    double target = cell_value(cell_below(epsilon));
    question q = {.given = target, .delta = delta, .of_mu = true};
    profile_init(&q.scratch);
    *mu = cell_value(least_cell(&q, cell_below(mu_near(target, delta)) + 1) - 1);
    profile_clear(&q.scratch);
    return NETDP_OK;
}

netdp_status netdp_gdp_to_delta(double mu, double epsilon, double *delta, netdp_error *error)
{
    NETDP_I_GIVEN(error, delta);
    TRY(check_at_least_zero("mu", mu, error));
    TRY(check_at_least_zero("epsilon", epsilon, error));
    if (mu == 0 || epsilon == INFINITY) {
        *delta = 0;
        return NETDP_OK;
    }
    double up = 1;
    if (mu < INFINITY) {
        profile p;
        profile_init(&p);
        slong lost = bits_lost(epsilon, mu);
        /* Until no double is left inside the ball: correctly rounded, hence exactly monotone. */
        for (slong bits = 2 * FIRST_BITS; bits <= LAST_BITS; bits *= 2) {
            side where = profile_at(&p, epsilon, mu, lost + bits);
            up = where == RIGHT ? 0x1p-1074 : where == LEFT ? 1 : netdp_i_ball_up(p.value);
            if (where != MIDDLE || nextafter(netdp_i_ball_down(p.value), INFINITY) >= up)
                break;
        }
        profile_clear(&p);
    }
    *delta = fmin(up, 1);
    return NETDP_OK;
}

netdp_status netdp_gdp_to_rdp(double mu, double alpha, double *epsilon, netdp_error *error)
{
    NETDP_I_GIVEN(error, epsilon);
    TRY(check_at_least_zero("mu", mu, error));
    if (!(alpha > 1 && alpha < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "the order alpha is %g; it must lie in (1, inf)",
                            alpha);
    arf_t product, factor;
    arf_init(product);
    arf_init(factor);
    arf_set_d(product, mu);
    arf_mul(product, product, product, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_d(factor, alpha);
    arf_mul(product, product, factor, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_2exp_si(product, product, -1);
    *epsilon = arf_get_d(product, ARF_RND_CEIL);
    arf_clear(product);
    arf_clear(factor);
    return NETDP_OK;
}
