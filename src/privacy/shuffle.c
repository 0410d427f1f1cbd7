/*
 * Randomised response and shuffling: the closed forms in balls, the computed bounds (crowd.h)
 * inverted, and the least of what is valid.
 */
#include <netdp/privacy.h>

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/try.h"
#include "privacy/ball.h"
#include "privacy/crowd.h"
#include "privacy/least.h"

enum { BITS = 160, ANSWER_BITS = 20 };

static const int64_t largest_crowd = 1000000000;

/* No search below so much of epsilon0. */
static const double least_part = 1e-8;

/* Beyond, no crowd hides anything: n e^-60 < 10^-17. */
static const double largest_epsilon0 = 60;

/* ---- Checks ---- */

static netdp_status check_epsilon(const char *name, double epsilon, netdp_error *error)
{
    if (epsilon >= 0)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "%s is %g; it must lie in [0, inf]", name, epsilon);
}

static netdp_status check_delta(double delta, netdp_error *error)
{
    if (delta > 0 && delta < 1)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "delta is %g; it must lie in (0, 1)", delta);
}

static netdp_status check_levels(int64_t levels, netdp_error *error)
{
    if (levels >= 2 && levels <= largest_crowd)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%lld levels; randomised response is over 2 .. 10^9 values",
                        (long long)levels);
}

static netdp_status check_crowd(int64_t crowd, netdp_error *error)
{
    if (crowd >= 1 && crowd <= largest_crowd)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "a crowd of %lld; it must be in 1 .. 10^9",
                        (long long)crowd);
}

static netdp_status check_shuffle(netdp_shuffle_bound bound, const netdp_shuffle *shuffle,
                                  netdp_error *error)
{
    if (netdp_shuffle_name(bound) == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%d is no bound of shuffling", (int)bound);
    TRY(check_epsilon("epsilon0", shuffle->epsilon0, error));
    TRY(check_crowd(shuffle->crowd, error));
    if (shuffle->levels != 0)
        TRY(check_levels(shuffle->levels, error));
    return NETDP_OK;
}

/* ---- Randomised response ---- */

netdp_status netdp_rr_epsilon(double gamma, int64_t levels, double *epsilon0, netdp_error *error)
{
    NETDP_I_GIVEN(error, epsilon0);
    TRY(check_levels(levels, error));
    if (!(gamma >= 0 && gamma <= 1))
        return netdp_i_fail(error, NETDP_INVALID, "gamma is %g; it must lie in [0, 1]", gamma);
    if (gamma == 0) {
        *epsilon0 = INFINITY;
        return NETDP_OK;
    }
    arb_t keep, ratio;
    arb_init(keep);
    arb_init(ratio);
    arb_set_d(ratio, gamma); /* L (1 - gamma)/gamma: exact up to the division */
    arb_sub_ui(keep, ratio, 1, 2200);
    arb_neg(keep, keep);
    arb_mul_si(keep, keep, levels, BITS);
    arb_div(ratio, keep, ratio, BITS);
    arb_log1p(ratio, ratio, BITS);
    *epsilon0 = netdp_i_ball_up(ratio);
    arb_clear(keep);
    arb_clear(ratio);
    return NETDP_OK;
}

/* into = L/(e^epsilon0 + L - 1) */
static void rr_gamma(arb_t into, const arb_t epsilon0, int64_t levels)
{
    arb_t scale;
    arb_init(scale);
    arb_exp(into, epsilon0, BITS);
    arb_add_si(into, into, levels - 1, BITS);
    arb_set_si(scale, levels);
    arb_div(into, scale, into, BITS);
    arb_clear(scale);
}

netdp_status netdp_rr_gamma(double epsilon0, int64_t levels, double *gamma, netdp_error *error)
{
    NETDP_I_GIVEN(error, gamma);
    TRY(check_levels(levels, error));
    TRY(check_epsilon("epsilon0", epsilon0, error));
    double up = 0;
    if (epsilon0 < INFINITY) {
        arb_t ball, given;
        arb_init(ball);
        arb_init(given);
        arb_set_d(given, epsilon0);
        rr_gamma(ball, given, levels);
        up = fmin(netdp_i_ball_up(ball), 1);
        arb_clear(ball);
        arb_clear(given);
    }
    *gamma = up;
    return NETDP_OK;
}

/* ---- Closed forms ---- */

/* into = 12 sqrt(ln(1/delta)/n) */
static void erlingsson_factor(arb_t into, int64_t crowd, double delta)
{
    arb_set_d(into, delta);
    arb_log(into, into, BITS);
    arb_neg(into, into);
    arb_div_si(into, into, crowd, BITS);
    arb_sqrt(into, into, BITS);
    arb_mul_ui(into, into, 12, BITS);
}

static bool erlingsson_speaks(int64_t crowd, double delta)
{
    return crowd > 1000 && delta < 0.01;
}

static double erlingsson(const netdp_shuffle *shuffle, double delta)
{
    if (!erlingsson_speaks(shuffle->crowd, delta) || !(shuffle->epsilon0 < 0.5))
        return INFINITY;
    arb_t value, epsilon0;
    arb_init(value);
    arb_init(epsilon0);
    arb_set_d(epsilon0, shuffle->epsilon0);
    erlingsson_factor(value, shuffle->crowd, delta);
    arb_mul(value, value, epsilon0, BITS);
    double up = netdp_i_ball_up(value);
    arb_clear(value);
    arb_clear(epsilon0);
    return up;
}

/* epsilon0 <= ln(n/(16 ln(2/delta))), proven. */
static bool feldman_speaks(const netdp_shuffle *shuffle, double delta)
{
    arb_t most, epsilon0;
    arb_init(most);
    arb_init(epsilon0);
    arb_set_d(most, delta);
    arb_mul_2exp_si(most, most, -1);
    arb_log(most, most, BITS);
    arb_mul_si(most, most, -16, BITS);
    arb_set_si(epsilon0, shuffle->crowd);
    arb_div(most, epsilon0, most, BITS);
    arb_log(most, most, BITS);
    arb_set_d(epsilon0, shuffle->epsilon0);
    bool speaks = arb_le(epsilon0, most);
    arb_clear(most);
    arb_clear(epsilon0);
    return speaks;
}

/* ln(1 + (e^e0 - 1)/(e^e0 + 1) (8 sqrt(e^e0 ln(4/delta))/sqrt n + 8 e^e0/n)) */
static double feldman(const netdp_shuffle *shuffle, double delta)
{
    if (!(shuffle->epsilon0 < INFINITY) || !feldman_speaks(shuffle, delta))
        return INFINITY;
    arb_t power, tangent, root;
    arb_init(power);
    arb_init(tangent);
    arb_init(root);
    arb_set_d(tangent, shuffle->epsilon0);
    arb_exp(power, tangent, BITS);
    arb_mul_2exp_si(tangent, tangent, -1); /* (e^e0 - 1)/(e^e0 + 1) = tanh(e0/2) */
    arb_tanh(tangent, tangent, BITS);
    arb_div_si(power, power, shuffle->crowd, BITS); /* e^e0/n */
    arb_set_d(root, delta);
    arb_mul_2exp_si(root, root, -2);
    arb_log(root, root, BITS);
    arb_neg(root, root);
    arb_mul(root, root, power, BITS);
    arb_sqrt(root, root, BITS);
    arb_add(root, root, power, BITS);
    arb_mul_2exp_si(root, root, 3);
    arb_mul(root, root, tangent, BITS);
    arb_log1p(root, root, BITS);
    double up = netdp_i_ball_up(root);
    arb_clear(power);
    arb_clear(tangent);
    arb_clear(root);
    return up;
}

static double local(const netdp_shuffle *shuffle, double delta)
{
    (void)delta;
    return shuffle->epsilon0;
}

/* ---- Computed bounds ---- */

/* What the sum says at epsilon, about `levels` (0: any randomiser). */
typedef struct question {
    netdp_i_crowd crowd;
    double delta;
} question;

static double delta_at(const netdp_i_crowd *crowd, double epsilon)
{
    if (epsilon >= crowd->epsilon0)
        return 0;
    if (crowd->epsilon0 > largest_epsilon0)
        return 1;
    return netdp_i_crowd_delta(crowd, epsilon);
}

static double excess_of_epsilon(void *context, double epsilon)
{
    const question *q = context;
    double delta = delta_at(&q->crowd, epsilon);
    return delta <= q->delta ? fmin(log(delta) - log(q->delta), 0) : log(delta / q->delta);
}

static double computed(const netdp_shuffle *shuffle, int64_t levels, double delta)
{
    if (shuffle->epsilon0 == 0 || shuffle->epsilon0 > largest_epsilon0)
        return shuffle->epsilon0;
    question q = {{shuffle->epsilon0, shuffle->crowd, levels}, delta};
    if (excess_of_epsilon(&q, 0) <= 0)
        return 0;
    /* Within a factor of four first: 0 is infinitely many doubles away. */
    double low = 0.25 * shuffle->epsilon0, high = shuffle->epsilon0;
    for (; low > least_part * shuffle->epsilon0 && excess_of_epsilon(&q, low) <= 0; low *= 0.25)
        high = low;
    return netdp_i_least_proven(excess_of_epsilon, &q, low, high, ANSWER_BITS);
}

static double clones(const netdp_shuffle *shuffle, double delta)
{
    return computed(shuffle, 0, delta);
}

static double blanket(const netdp_shuffle *shuffle, double delta)
{
    return shuffle->levels == 0 ? INFINITY : computed(shuffle, shuffle->levels, delta);
}

/* ---- One entry for all ---- */

static const struct {
    const char *name;
    double (*epsilon)(const netdp_shuffle *, double delta); /* inf where it does not hold */
} bounds[NETDP_SHUFFLE_BOUNDS] = {
    [NETDP_SHUFFLE_LEAST] = {"least", NULL},
    [NETDP_SHUFFLE_LOCAL] = {"local", local},
    [NETDP_SHUFFLE_ERLINGSSON] = {"erlingsson", erlingsson},
    [NETDP_SHUFFLE_FELDMAN] = {"feldman", feldman},
    [NETDP_SHUFFLE_CLONES] = {"clones", clones},
    [NETDP_SHUFFLE_BLANKET] = {"blanket", blanket},
};

const char *netdp_shuffle_name(netdp_shuffle_bound bound)
{
    return (unsigned)bound < NETDP_SHUFFLE_BOUNDS ? bounds[bound].name : NULL;
}

static double least(const netdp_shuffle *shuffle, double delta)
{
    double best = INFINITY;
    for (int b = NETDP_SHUFFLE_LOCAL; b < NETDP_SHUFFLE_BOUNDS; b++) {
        /* A search only where it can win. */
        if (b == NETDP_SHUFFLE_CLONES && shuffle->levels != 0)
            continue;
        best = fmin(best, bounds[b].epsilon(shuffle, delta));
    }
    netdp_i_crowd any = {shuffle->epsilon0, shuffle->crowd, 0};
    if (shuffle->levels != 0 && best > 0 && delta_at(&any, best) <= delta)
        best = fmin(best, clones(shuffle, delta));
    return best;
}

netdp_status netdp_shuffle_epsilon(netdp_shuffle_bound bound, const netdp_shuffle *shuffle,
                                   double delta, double *epsilon, netdp_error *error)
{
    NETDP_I_GIVEN(error, shuffle && epsilon);
    TRY(check_shuffle(bound, shuffle, error));
    TRY(check_delta(delta, error));
    double up = bound == NETDP_SHUFFLE_LEAST ? least(shuffle, delta)
                                             : bounds[bound].epsilon(shuffle, delta);
    *epsilon = up < INFINITY ? fmin(up, shuffle->epsilon0) : up;
    return NETDP_OK;
}

netdp_status netdp_shuffle_delta(netdp_shuffle_bound bound, const netdp_shuffle *shuffle,
                                 double epsilon, double *delta, netdp_error *error)
{
    NETDP_I_GIVEN(error, shuffle && delta);
    TRY(check_shuffle(bound, shuffle, error));
    TRY(check_epsilon("epsilon", epsilon, error));
    if (bound != NETDP_SHUFFLE_CLONES && bound != NETDP_SHUFFLE_BLANKET)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s gives epsilon for a delta only; ask clones or blanket",
                            netdp_shuffle_name(bound));
    netdp_i_crowd crowd = {shuffle->epsilon0, shuffle->crowd, 0};
    bool speaks = true;
    if (bound == NETDP_SHUFFLE_BLANKET) {
        crowd.levels = shuffle->levels;
        speaks = shuffle->levels != 0;
    }
    *delta = speaks ? delta_at(&crowd, epsilon) : 1;
    return NETDP_OK;
}

/* ---- Noise for a target ---- */

typedef struct aim {
    netdp_shuffle_bound bound;
    netdp_shuffle shuffle;
    double epsilon, delta;
} aim;

/* One evaluation of a sum is enough where only a yes or no is asked. */
static bool meets(const aim *a, netdp_shuffle_bound bound)
{
    const netdp_shuffle *shuffle = &a->shuffle;
    if (bound == NETDP_SHUFFLE_CLONES || bound == NETDP_SHUFFLE_BLANKET) {
        int64_t levels = bound == NETDP_SHUFFLE_CLONES ? 0 : shuffle->levels;
        netdp_i_crowd crowd = {shuffle->epsilon0, shuffle->crowd, levels};
        return delta_at(&crowd, a->epsilon) <= a->delta;
    }
    if (bound != NETDP_SHUFFLE_LEAST) {
        double up = bounds[bound].epsilon(shuffle, a->delta);
        return up < INFINITY && fmin(up, shuffle->epsilon0) <= a->epsilon;
    }
    for (int b = NETDP_SHUFFLE_LOCAL; b < NETDP_SHUFFLE_BOUNDS; b++)
        if (meets(a, (netdp_shuffle_bound)b))
            return true;
    return false;
}

static double excess_of_gamma(void *context, double gamma)
{
    aim *a = context;
    return netdp_rr_epsilon(gamma, a->shuffle.levels, &a->shuffle.epsilon0, NULL) == NETDP_OK &&
                   meets(a, a->bound)
               ? -INFINITY
               : INFINITY;
}

netdp_status netdp_shuffle_gamma(netdp_shuffle_bound bound, int64_t crowd, int64_t levels,
                                 double epsilon, double delta, double *gamma, netdp_error *error)
{
    NETDP_I_GIVEN(error, gamma);
    aim a = {bound, {0, crowd, levels}, epsilon, delta};
    TRY(check_shuffle(bound, &a.shuffle, error));
    TRY(check_levels(levels, error));
    TRY(check_delta(delta, error));
    if (!(epsilon > 0 && epsilon < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "epsilon is %g; it must lie in (0, inf)",
                            epsilon);
    /* Where epsilon0 alone is enough: a bound that is silent there is silent with less noise too.
     */
    double enough = netdp_i_least_proven(excess_of_gamma, &a, 0, 1, ANSWER_BITS);
    if (!(enough > 0 && enough < 1))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "%s says nothing for a crowd of %lld at delta = %g; ask another bound "
                            "or least",
                            netdp_shuffle_name(bound), (long long)crowd, delta);
    *gamma = enough;
    return NETDP_OK;
}

netdp_status netdp_rr_gamma_printed(int64_t crowd, int64_t levels, double epsilon, double delta,
                                    double *gamma, netdp_error *error)
{
    NETDP_I_GIVEN(error, gamma);
    TRY(check_levels(levels, error));
    TRY(check_crowd(crowd, error));
    TRY(check_delta(delta, error));
    TRY(check_epsilon("epsilon", epsilon, error));
    netdp_status status = NETDP_OK;
    arb_t ball, factor;
    arb_init(ball);
    arb_init(factor);
    erlingsson_factor(factor, crowd, delta);
    if (erlingsson_speaks(crowd, delta) && epsilon < 0.5 && netdp_i_ball_up(factor) < 1) {
        arb_set_d(ball, epsilon);
        arb_mul(factor, factor, ball, BITS);
        rr_gamma(ball, factor, levels);
        *gamma = fmin(netdp_i_ball_up(ball), 1);
    } else {
        status =
            netdp_i_fail(error, NETDP_NO_ANSWER,
                         "paper E's Theorem 2 needs n > 1000, delta < 1/100, epsilon < 1/2 and "
                         "12 sqrt(ln(1/delta)/n) < 1; here n = %lld, delta = %g, epsilon = %g",
                         (long long)crowd, delta, epsilon);
    }
    arb_clear(ball);
    arb_clear(factor);
    return status;
}
