/*
 * Subsampling with replacement (paper E, (10); Balle, Barthe, Gaboardi 2018, Theorem 10): m draws
 * from n people hit one of them k ~ Bin(m, 1/n) times.
 */
#include <netdp/privacy.h>

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/try.h"
#include "privacy/ball.h"

enum { BITS = 160 };

static netdp_status check(int64_t people, int64_t sample, double epsilon, netdp_error *error)
{
    if (people < 2 || sample < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "a sample of %lld from %lld people; it needs people >= 2, sample >= 0",
                            (long long)sample, (long long)people);
    if (epsilon >= 0)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "epsilon is %g; it must lie in [0, inf]", epsilon);
}

/* into = (1 - 1/n)^m */
static void set_missed(arb_t into, int64_t people, int64_t sample)
{
    arb_set_si(into, people - 1);
    arb_div_si(into, into, people, BITS);
    arb_pow_ui(into, into, (ulong)sample, BITS);
}

netdp_status netdp_subsample_epsilon(int64_t people, int64_t sample, double epsilon,
                                     double *amplified, netdp_error *error)
{
    NETDP_I_GIVEN(error, amplified);
    TRY(check(people, sample, epsilon, error));
    double up = sample == 0 ? 0 : epsilon;
    if (sample > 0 && epsilon < INFINITY) {
        arb_t hit, growth;
        arb_init(hit);
        arb_init(growth);
        set_missed(hit, people, sample);
        arb_sub_ui(hit, hit, 1, BITS);
        arb_neg(hit, hit);
        arb_set_d(growth, epsilon);
        arb_expm1(growth, growth, BITS);
        arb_mul(hit, hit, growth, BITS);
        arb_log1p(hit, hit, BITS);
        up = fmin(netdp_i_ball_up(hit), epsilon);
        arb_clear(hit);
        arb_clear(growth);
    }
    *amplified = up;
    return NETDP_OK;
}

/* The sum so far, chance = P(k), tail = P(more than k). */
typedef struct sum {
    arb_t total, chance, tail, scratch;
} sum;

static void sum_init(sum *s)
{
    arb_init(s->total);
    arb_init(s->chance);
    arb_init(s->tail);
    arb_init(s->scratch);
}

static void sum_clear(sum *s)
{
    arb_clear(s->total);
    arb_clear(s->chance);
    arb_clear(s->tail);
    arb_clear(s->scratch);
}

/* No more than a 2^-60 of the sum is left, or less than any double; k is past the mode. */
static bool little_is_left(sum *s)
{
    double left = netdp_i_ball_up(s->tail), total = netdp_i_ball_down(s->total);
    return left <= 0x1p-60 * total || left <= 0x1p-1074;
}

/* How often one person is in a sample, on average: the profile is asked about as many groups. */
#define MOST_GROUPS 1e5

netdp_status netdp_subsample_delta(int64_t people, int64_t sample, double epsilon,
                                   netdp_group_profile profile, void *context, double *delta,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, profile && delta);
    TRY(check(people, sample, epsilon, error));
    if ((double)sample > MOST_GROUPS * (double)people)
        return netdp_i_fail(
            error, NETDP_NO_ANSWER,
            "a sample of %lld of %lld people holds groups of each that are too many "
            "to ask about; give fewer than %g times the people",
            (long long)sample, (long long)people, MOST_GROUPS);
    CLEARED(sum_clear) sum s;
    sum_init(&s);
    /* The tail is 1 - P(0) - ...: the precision covers what cancels down to 2^-1074. */
    const slong bits = 1300 + 64;
    arb_set_si(s.chance, people - 1);
    arb_div_si(s.chance, s.chance, people, bits);
    arb_pow_ui(s.chance, s.chance, (ulong)sample, bits);
    arb_sub_ui(s.tail, s.chance, 1, bits);
    arb_neg(s.tail, s.tail);
    for (int64_t k = 1; k <= sample; k++) {
        double of_group = NAN;
        TRY(profile(context, k, epsilon, &of_group, error));
        if (!(of_group >= 0 && of_group <= 1))
            return netdp_i_fail(error, NETDP_INVALID,
                                "the profile's delta for a group of %lld is %g; it must lie in "
                                "[0, 1]",
                                (long long)k, of_group);
        /* P(k) = P(k-1) (m-k+1) / (k (n-1)) */
        arb_mul_si(s.chance, s.chance, sample - k + 1, bits);
        arb_div_si(s.chance, s.chance, k, bits);
        arb_div_si(s.chance, s.chance, people - 1, bits);
        arb_sub(s.tail, s.tail, s.chance, bits);
        arb_set_d(s.scratch, of_group);
        arb_addmul(s.total, s.chance, s.scratch, bits);
        if ((double)k * (double)people > (double)sample && little_is_left(&s)) {
            arb_add(s.total, s.total, s.tail, bits);
            break;
        }
    }
    *delta = fmin(fmax(netdp_i_ball_up(s.total), 0), 1);
    return NETDP_OK;
}

netdp_status netdp_group_gaussian(void *context, int64_t k, double epsilon, double *delta,
                                  netdp_error *error)
{
    NETDP_I_GIVEN(error, context && delta);
    double mu = *(const double *)context;
    /* k mu rounded up: the profile grows with it. */
    double of_group = mu == 0 ? 0 : nextafter((double)k * mu, INFINITY);
    return netdp_gdp_to_delta(of_group, epsilon, delta, error);
}

netdp_status netdp_group_laplace(void *context, int64_t k, double epsilon, double *delta,
                                 netdp_error *error)
{
    NETDP_I_GIVEN(error, context && delta);
    double one = *(const double *)context;
    if (!(one >= 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "sensitivity/scale is %g; it must lie in [0, inf]", one);
    double loss = one == 0 ? 0 : nextafter((double)k * one, INFINITY);
    if (loss < INFINITY)
        return netdp_laplace_to_delta(loss, 1, epsilon, delta, error);
    *delta = epsilon < INFINITY ? 1 : 0;
    return NETDP_OK;
}
