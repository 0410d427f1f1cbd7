/*
 * The Gamma mechanism's curve (paper B, Lemma 3 and its tight form) in balls, and its inverses.
 *
 * Shapes a > b, k = 1/(a - b), l = lnGamma(a) - lnGamma(b). The upper end of the range spreads to
 * the right: its side of the curve is Q(a, z1) - e^epsilon Q(b, z1); the lower end's is
 * P(b, z2) - e^epsilon P(a, z2). Everything is in units of theta.
 */
#include <netdp/privacy.h>

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/try.h"
#include "privacy/ball.h"
#include "privacy/least.h"

/* Precision: at first, and when to give up. */
enum { FIRST_BITS = 128, LAST_BITS = 1 << 15 };

/* Answers keep so many bits after the leading one. */
enum { ANSWER_BITS = 40 };

/* e^-746 < 2^-1075: a probability below it is below every positive double. */
enum { LOG_NOTHING = -746 };

/* A series with more terms than this loses against Arb at a higher precision. */
static const double most_terms = 5e4;

/* Shapes outside are not computed: delta is bounded by 1. */
static const double least_shape = 1e-36, largest_shape = 1e12;

/* theta beyond so many times `high` is not searched: the curve stands still there. */
static const double largest_theta = 1e15;

/* Numbers of one pair of shapes at one precision, and scratch. */
typedef struct curve {
    arb_t a, b, log_ratio, k; /* log_ratio = l */
    arb_t epsilon, growth;    /* growth = e^epsilon */
    arb_t log_z, z, value, second, term, scratch;
} curve;

static void curve_init(curve *c)
{
    arb_ptr all[] = {c->a,     c->b, c->log_ratio, c->k,      c->epsilon, c->growth,
                     c->log_z, c->z, c->value,     c->second, c->term,    c->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        arb_init(all[i]);
}

static void curve_clear(curve *c)
{
    arb_ptr all[] = {c->a,     c->b, c->log_ratio, c->k,      c->epsilon, c->growth,
                     c->log_z, c->z, c->value,     c->second, c->term,    c->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        arb_clear(all[i]);
}

static void curve_set(curve *c, const netdp_gamma *mechanism, double epsilon, slong precision)
{
    arb_set_d(c->scratch, mechanism->theta);
    arb_set_d(c->a, mechanism->high);
    arb_set_d(c->b, mechanism->low);
    arb_sub(c->k, c->a, c->b, precision);
    arb_div(c->k, c->scratch, c->k, precision);
    arb_div(c->a, c->a, c->scratch, precision);
    arb_div(c->b, c->b, c->scratch, precision);
    arb_lgamma(c->log_ratio, c->a, precision);
    arb_lgamma(c->scratch, c->b, precision);
    arb_sub(c->log_ratio, c->log_ratio, c->scratch, precision);
    arb_set_d(c->epsilon, epsilon);
    arb_exp(c->growth, c->epsilon, precision);
}

/*
 * Q(a, z) is certainly below every double: z > max(4 a, 2000), where the exponent of Chernoff's
 * bound, a (1 + ln y - y) with y = z/a >= 4, is at most -0.4 z.
 */
static bool upper_tail_vanishes(curve *c, slong precision)
{
    double shape = netdp_i_ball_up(c->a);
    arb_set_d(c->scratch, fmax(4.0001 * shape, 2000));
    arb_log(c->scratch, c->scratch, precision);
    return arb_gt(c->log_z, c->scratch);
}

/*
 * P(b, z) is certainly below every double: it is at most z^b/Gamma(b+1), and at most Chernoff's
 * e^(b (1 + ln y - y)) for y = z/b < 1.
 */
static bool lower_tail_vanishes(curve *c, slong precision)
{
    arb_add_ui(c->scratch, c->b, 1, precision);
    arb_lgamma(c->scratch, c->scratch, precision);
    arb_neg(c->scratch, c->scratch);
    arb_addmul(c->scratch, c->b, c->log_z, precision);
    if (netdp_i_ball_up(c->scratch) < LOG_NOTHING)
        return true;
    arb_log(c->term, c->b, precision);
    arb_sub(c->term, c->log_z, c->term, precision); /* ln y */
    if (!arb_is_negative(c->term))
        return false;
    arb_expm1(c->scratch, c->term, precision);
    arb_sub(c->scratch, c->term, c->scratch, precision);
    arb_mul(c->scratch, c->scratch, c->b, precision);
    return netdp_i_ball_up(c->scratch) < LOG_NOTHING;
}

/*
 * into = P(shape, z) for z < shape + 1, all terms positive:
 * z^s e^-z / Gamma(s+1) (1 + z/(s+1) + z^2/((s+1)(s+2)) + ...).
 */
static void lower_series(arb_t into, curve *c, const arb_t shape, slong precision)
{
    arb_t step;
    arb_init(step);
    arb_one(c->term);
    arb_one(into);
    for (ulong n = 1;; n++) {
        arb_add_ui(step, shape, n, precision);
        arb_div(step, c->z, step, precision);
        arb_mul(c->term, c->term, step, precision);
        arb_add(into, into, c->term, precision);
        /* The ratio falls: the rest is below term ratio/(1 - ratio). */
        double ratio = netdp_i_ball_up(step);
        if (ratio >= 1 || arf_cmpabs_2exp_si(arb_midref(c->term), -precision) >= 0)
            continue;
        arb_sub_ui(c->scratch, step, 1, precision);
        arb_neg(c->scratch, c->scratch);
        arb_div(step, step, c->scratch, precision);
        arb_mul(c->term, c->term, step, precision);
        arb_add_error(into, c->term);
        break;
    }
    arb_add_ui(step, shape, 1, precision);
    arb_lgamma(step, step, precision);
    arb_mul(c->scratch, shape, c->log_z, precision);
    arb_sub(c->scratch, c->scratch, step, precision);
    arb_sub(c->scratch, c->scratch, c->z, precision);
    arb_exp(c->scratch, c->scratch, precision);
    arb_mul(into, into, c->scratch, precision);
    arb_clear(step);
}

/* into = P(shape, z), by its own series where that is short, else as 1 - Q. */
static void lower_tail(arb_t into, curve *c, const arb_t shape, slong precision)
{
    double s = netdp_i_ball_up(shape), z = netdp_i_ball_up(c->z);
    double terms = (double)precision * M_LN2 / log((s + 1) / z);
    if (z < s + 1 && terms < most_terms) {
        lower_series(into, c, shape, precision);
        return;
    }
    arb_hypgeom_gamma_upper(into, shape, c->z, 1, precision);
    arb_sub_ui(into, into, 1, precision);
    arb_neg(into, into);
}

/* value = a number in [0, 2^-1074]. */
static void set_nothing(arb_t value)
{
    arb_one(value);
    arb_mul_2exp_si(value, value, -1076);
    mag_set_ui_2exp_si(arb_radref(value), 1, -1076);
}

/* second = the side of the upper end, after curve_set. */
static void upper_side(curve *c, bool published, slong precision)
{
    arb_add(c->log_z, c->log_ratio, c->epsilon, precision);
    arb_mul(c->log_z, c->log_z, c->k, precision);
    if (upper_tail_vanishes(c, precision)) {
        set_nothing(c->second);
        return;
    }
    arb_exp(c->z, c->log_z, precision);
    arb_hypgeom_gamma_upper(c->second, c->a, c->z, 1, precision);
    if (published)
        return;
    arb_hypgeom_gamma_upper(c->term, c->b, c->z, 1, precision);
    arb_mul(c->term, c->term, c->growth, precision);
    arb_sub(c->second, c->second, c->term, precision);
}

/* value = the side of the lower end. */
static void lower_side(curve *c, bool published, slong precision)
{
    arb_sub(c->log_z, c->log_ratio, c->epsilon, precision);
    arb_mul(c->log_z, c->log_z, c->k, precision);
    if (lower_tail_vanishes(c, precision)) {
        set_nothing(c->value);
        return;
    }
    arb_exp(c->z, c->log_z, precision);
    lower_tail(c->value, c, c->b, precision);
    if (published)
        return;
    arb_t other;
    arb_init(other);
    lower_tail(other, c, c->a, precision);
    arb_mul(other, other, c->growth, precision);
    arb_sub(c->value, c->value, other, precision);
    arb_clear(other);
}

/* value = delta(epsilon) as a ball; theta and range as checked, low < high, epsilon finite. */
static void curve_at(curve *c, const netdp_gamma *mechanism, double epsilon, slong precision)
{
    curve_set(c, mechanism, epsilon, precision);
    upper_side(c, mechanism->published, precision);
    lower_side(c, mechanism->published, precision);
    arb_max(c->value, c->value, c->second, precision);
}

static bool computable(const netdp_gamma *mechanism)
{
    double largest = mechanism->high / mechanism->theta, least = mechanism->low / mechanism->theta;
    return largest < largest_shape && least > least_shape;
}

/* ---- Searching ---- */

/* delta(epsilon) <= delta as a question about epsilon or about theta. */
typedef struct question {
    netdp_gamma mechanism;
    double epsilon, delta;
    bool of_theta;
    curve scratch;
} question;

static double excess(void *context, double x)
{
    question *q = context;
    double epsilon = q->of_theta ? q->epsilon : x;
    if (q->of_theta)
        q->mechanism.theta = x;
    if (epsilon == INFINITY)
        return -INFINITY;
    if (!computable(&q->mechanism))
        return INFINITY;
    curve *c = &q->scratch;
    for (slong bits = FIRST_BITS; bits <= LAST_BITS; bits *= 2) {
        curve_at(c, &q->mechanism, epsilon, bits);
        arb_set_d(c->scratch, q->delta);
        bool holds = arb_le(c->value, c->scratch);
        if (!holds && !arb_gt(c->value, c->scratch))
            continue;
        arb_log(c->value, c->value, FIRST_BITS);
        double size = netdp_i_ball_up(c->value) - log(q->delta);
        if (!isfinite(size)) /* a ball that reaches 0 has no logarithm */
            return holds ? -INFINITY : INFINITY;
        return holds ? fmin(size, 0) : fmax(size, 0x1p-1000);
    }
    return INFINITY;
}

/* ---- What users call ---- */

static netdp_status check_range(double low, double high, netdp_error *error)
{
    if (low > 0 && low <= high && high < INFINITY)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "the range of L is [%g, %g]; it needs 0 < low <= high, finite", low, high);
}

static netdp_status check_mechanism(const netdp_gamma *mechanism, netdp_error *error)
{
    if (!(mechanism->theta > 0 && mechanism->theta < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "theta is %g; it must lie in (0, inf)",
                            mechanism->theta);
    return check_range(mechanism->low, mechanism->high, error);
}

static netdp_status check_epsilon(double epsilon, netdp_error *error)
{
    if (epsilon >= 0)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "epsilon is %g; it must lie in [0, inf]", epsilon);
}

static netdp_status check_delta(double delta, bool zero, netdp_error *error)
{
    if ((delta > 0 || (zero && delta == 0)) && delta < 1)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "delta is %g; it must lie in %c0, 1)", delta,
                        zero ? '[' : '(');
}

netdp_status netdp_gamma_to_delta(const netdp_gamma *mechanism, double epsilon, double *delta,
                                  netdp_error *error)
{
    NETDP_I_GIVEN(error, mechanism && delta);
    TRY(check_mechanism(mechanism, error));
    TRY(check_epsilon(epsilon, error));
    if (mechanism->low == mechanism->high || epsilon == INFINITY) {
        *delta = 0;
        return NETDP_OK;
    }
    double up = 1;
    if (computable(mechanism)) {
        curve c;
        curve_init(&c);
        /* Until no double is left inside the ball: correctly rounded, hence exactly monotone. */
        for (slong bits = FIRST_BITS; bits <= LAST_BITS; bits *= 2) {
            curve_at(&c, mechanism, epsilon, bits);
            up = fmin(netdp_i_ball_up(c.value), 1);
            if (up <= 0x1p-1074 || nextafter(netdp_i_ball_down(c.value), INFINITY) >= up)
                break;
        }
        curve_clear(&c);
    }
    *delta = up;
    return NETDP_OK;
}

netdp_status netdp_gamma_to_epsilon(const netdp_gamma *mechanism, double delta, double *epsilon,
                                    netdp_error *error)
{
    NETDP_I_GIVEN(error, mechanism && epsilon);
    TRY(check_mechanism(mechanism, error));
    TRY(check_delta(delta, false, error));
    if (mechanism->low == mechanism->high) {
        *epsilon = 0;
        return NETDP_OK;
    }
    question q = {.mechanism = *mechanism, .delta = delta};
    curve_init(&q.scratch);
    double least = 0;
    if (!computable(mechanism))
        least = INFINITY;
    else if (!(excess(&q, 0) <= 0))
        least = netdp_i_least_proven(excess, &q, 0, INFINITY, ANSWER_BITS);
    curve_clear(&q.scratch);
    *epsilon = least;
    return NETDP_OK;
}

/* (1 - 1/r) (e^epsilon r)^(-1/(r-1)), r = high/low: 1 - low/high times e^(-(epsilon + ln r)/(r-1)).
 */
netdp_status netdp_gamma_floor(double low, double high, double epsilon, double *delta,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, delta);
    TRY(check_range(low, high, error));
    TRY(check_epsilon(epsilon, error));
    if (low == high || epsilon == INFINITY) {
        *delta = 0;
        return NETDP_OK;
    }
    arb_t gap, ratio, value;
    arb_init(gap);
    arb_init(ratio);
    arb_init(value);
    arb_set_d(value, low);
    arb_set_d(ratio, high);
    arb_sub(gap, ratio, value, FIRST_BITS);
    arb_div(gap, gap, value, FIRST_BITS); /* r - 1 */
    arb_log1p(ratio, gap, FIRST_BITS);
    arb_set_d(value, epsilon);
    arb_add(value, value, ratio, FIRST_BITS);
    arb_div(value, value, gap, FIRST_BITS);
    arb_neg(value, value);
    arb_exp(value, value, FIRST_BITS);
    arb_add_ui(ratio, gap, 1, FIRST_BITS);
    arb_div(gap, gap, ratio, FIRST_BITS);
    arb_mul(value, value, gap, FIRST_BITS);
    *delta = netdp_i_ball_up(value);
    arb_clear(gap);
    arb_clear(ratio);
    arb_clear(value);
    return NETDP_OK;
}

netdp_status netdp_gamma_calibrate(double low, double high, double epsilon, double delta,
                                   int published, double *theta, netdp_error *error)
{
    NETDP_I_GIVEN(error, theta);
    double floor_delta = 0;
    TRY(netdp_gamma_floor(low, high, epsilon, &floor_delta, error));
    TRY(check_delta(delta, false, error));
    if (low == high || epsilon == INFINITY)
        return netdp_i_fail(error, NETDP_INVALID,
                            "any theta does: %s; calibrate for a range low < high and a finite "
                            "epsilon",
                            low == high ? "low = high leaks nothing" : "epsilon is infinite");
    /* Asked at the cell below, so that netdp_gamma_to_epsilon of the answer is at most epsilon. */
    question q = {.mechanism = {.low = low, .high = high, .published = published},
                  .epsilon = netdp_i_cell_below(epsilon, ANSWER_BITS),
                  .delta = delta,
                  .of_theta = true};
    double least = -1;
    if (delta > floor_delta) {
        curve_init(&q.scratch);
        double most = fmin(largest_theta * high, 0x1p1000);
        least = netdp_i_least_proven(excess, &q, 0, most, ANSWER_BITS);
        curve_clear(&q.scratch);
    }
    if (!(least > 0))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "no theta gives delta = %g at epsilon = %g on [%g, %g]: as theta grows "
                            "delta falls to %g and no further%s; raise epsilon or delta, or narrow "
                            "the range",
                            delta, epsilon, low, high, floor_delta,
                            published ? " (by Lemma 3 not even so far)" : "");
    *theta = least;
    return NETDP_OK;
}

/* ---- Laplace ---- */

static netdp_status check_laplace(double range, double scale, netdp_error *error)
{
    if (!(range >= 0 && range < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "the sensitivity is %g; it must lie in [0, inf)",
                            range);
    if (!(scale > 0))
        return netdp_i_fail(error, NETDP_INVALID, "the scale is %g; it must lie in (0, inf]",
                            scale);
    return NETDP_OK;
}

/* exp of it is 0 in doubles. */
#define LEAST_EXPONENT -1e4

netdp_status netdp_laplace_to_delta(double range, double scale, double epsilon, double *delta,
                                    netdp_error *error)
{
    NETDP_I_GIVEN(error, delta);
    TRY(check_laplace(range, scale, error));
    TRY(check_epsilon(epsilon, error));
    double up = 0;
    if (scale < INFINITY && epsilon < INFINITY) {
        arb_t loss, other;
        arb_init(loss);
        arb_init(other);
        arb_set_d(loss, range);
        arb_set_d(other, scale);
        arb_div(loss, loss, other, 4 * FIRST_BITS);
        arb_set_d(other, epsilon);
        arb_sub(loss, other, loss, 4 * FIRST_BITS);
        arb_mul_2exp_si(loss, loss, -1);
        /* Beyond what exp of a ball can hold the answer is 0, or 1 up to what rounding adds. */
        if (arb_is_nonnegative(loss)) {
            up = 0;
        } else if (netdp_i_ball_up(loss) < LEAST_EXPONENT) {
            up = 1;
        } else {
            arb_expm1(loss, loss, 4 * FIRST_BITS);
            arb_neg(loss, loss);
            up = fmin(fmax(netdp_i_ball_up(loss), 0), 1);
        }
        arb_clear(loss);
        arb_clear(other);
    }
    *delta = up;
    return NETDP_OK;
}

/* into = -2 ln(1 - delta). */
static void spare(arb_t into, double delta)
{
    arb_set_d(into, delta);
    arb_neg(into, into);
    arb_log1p(into, into, FIRST_BITS);
    arb_mul_2exp_si(into, into, 1);
    arb_neg(into, into);
}

netdp_status netdp_laplace_to_epsilon(double range, double scale, double delta, double *epsilon,
                                      netdp_error *error)
{
    NETDP_I_GIVEN(error, epsilon);
    TRY(check_laplace(range, scale, error));
    TRY(check_delta(delta, true, error));
    double up = 0;
    if (scale < INFINITY) {
        arb_t loss, other;
        arb_init(loss);
        arb_init(other);
        arb_set_d(loss, range);
        arb_set_d(other, scale);
        arb_div(loss, loss, other, FIRST_BITS);
        spare(other, delta);
        arb_sub(loss, loss, other, FIRST_BITS);
        up = fmax(netdp_i_ball_up(loss), 0);
        arb_clear(loss);
        arb_clear(other);
    }
    *epsilon = up;
    return NETDP_OK;
}

netdp_status netdp_laplace_calibrate(double range, double epsilon, double delta, double *scale,
                                     netdp_error *error)
{
    NETDP_I_GIVEN(error, scale);
    TRY(check_laplace(range, 1, error));
    TRY(check_epsilon(epsilon, error));
    TRY(check_delta(delta, true, error));
    if (epsilon == 0 && delta == 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "no finite scale gives epsilon = 0 with delta = 0; raise one of them");
    double up = 0;
    if (epsilon < INFINITY) {
        arb_t loss, other;
        arb_init(loss);
        arb_init(other);
        arb_set_d(loss, epsilon);
        spare(other, delta);
        arb_add(loss, loss, other, FIRST_BITS);
        arb_set_d(other, range);
        arb_div(loss, other, loss, FIRST_BITS);
        up = netdp_i_ball_up(loss);
        arb_clear(loss);
        arb_clear(other);
    }
    *scale = fmax(up, 0x1p-1074);
    return NETDP_OK;
}

netdp_status netdp_laplace_like_gamma(double value, double theta, double *scale, netdp_error *error)
{
    NETDP_I_GIVEN(error, scale);
    if (!(value > 0 && value < INFINITY && theta > 0 && theta < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "L = %g and theta = %g must both lie in (0, inf)",
                            value, theta);
    *scale = sqrt(value) * sqrt(0.5 * theta);
    return NETDP_OK;
}
