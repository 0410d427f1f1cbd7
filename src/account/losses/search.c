#include "account/losses/search.h"

#include <math.h>

#include "base/fail.h"
#include "base/try.h"

netdp_status netdp_i_check_target(const netdp_target *target, netdp_error *error)
{
    if (!(target->epsilon > 0))
        return netdp_i_fail(error, NETDP_INVALID, "target: %g; give an epsilon above 0",
                            target->epsilon);
    if (!(target->max_noise > 0) || isinf(target->max_noise))
        return netdp_i_fail(error, NETDP_INVALID, "max-noise: %g; give a finite number above 0",
                            target->max_noise);
    if (target->unit.currency != NETDP_AS_RDP && target->unit.currency != NETDP_AS_DP)
        return netdp_i_fail(error, NETDP_INVALID,
                            "as: a target is an epsilon, give dp:DELTA or rdp:ALPHA");
    return netdp_i_check_choice("over", (int64_t)target->over, NETDP_OVER_MEAN, error);
}

/* A bracket: at `high` the target is met, at `low` it is not (or low is 0). */
static netdp_status bracket(netdp_i_evaluate evaluate, void *context, const netdp_target *target,
                            double *low, double *high, double *at_low, double *at_high,
                            netdp_error *error)
{
    const double epsilon = target->epsilon, most = target->max_noise;
    double sigma = 1;
    *low = 0;
    *at_low = INFINITY;
    for (;;) {
        sigma = fmin(sigma, most);
        TRY(evaluate(context, sigma, at_high, error));
        if (*at_high <= epsilon)
            break;
        if (sigma >= most)
            return netdp_i_fail(error, NETDP_NO_ANSWER,
                                "target %g is out of reach: noise %g still gives %g; raise "
                                "--max-noise or the target",
                                epsilon, sigma, *at_high);
        *low = sigma;
        *at_low = *at_high;
        sigma *= 4;
    }
    *high = sigma;
    while (*low == 0) {
        double lower = *high / 4, value = 0;
        if (lower < 1e-12)
            return NETDP_OK; /* every noise meets it: only a target near infinity */
        TRY(evaluate(context, lower, &value, error));
        if (value <= epsilon) {
            *high = lower;
            *at_high = value;
        } else {
            *low = lower;
            *at_low = value;
        }
    }
    return NETDP_OK;
}

/*
 * Illinois' false position on (ln sigma, ln value / target), falling back to halving; value is
 * monotone in sigma, so the upper end always meets the target.
 */
netdp_status netdp_i_search_noise(netdp_i_evaluate evaluate, void *context,
                                  const netdp_target *target, double close_enough, double *sigma,
                                  netdp_error *error)
{
    const double epsilon = target->epsilon;
    double low = 0, high = 0, at_low = 0, at_high = 0;
    TRY(bracket(evaluate, context, target, &low, &high, &at_low, &at_high, error));
    double weight_low = 1, weight_high = 1;
    int side = 0;
    for (int step = 0;
         step < 200 && low > 0 && at_high < epsilon * (1 - close_enough) && high / low > 1 + 1e-14;
         step++) {
        const double aim = epsilon * (1 - close_enough / 2);
        double f_low = weight_low * log(at_low / aim), f_high = weight_high * log(at_high / aim);
        double t = isfinite(f_low) && isfinite(f_high) ? f_low / (f_low - f_high) : 0.5;
        if (!(t > 0 && t < 1) || step % 8 == 7)
            t = 0.5;
        double middle = low * exp(t * log(high / low)), value = 0;
        if (!(middle > low && middle < high))
            break;
        TRY(evaluate(context, middle, &value, error));
        if (value <= epsilon) {
            high = middle;
            at_high = value;
            weight_high = 1;
            weight_low = side == 1 ? weight_low / 2 : 1;
            side = 1;
        } else {
            low = middle;
            at_low = value;
            weight_low = 1;
            weight_high = side == -1 ? weight_high / 2 : 1;
            side = -1;
        }
    }
    *sigma = high;
    return NETDP_OK;
}
