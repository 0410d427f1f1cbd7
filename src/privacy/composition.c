/* Advanced composition (Dwork, Rothblum and Vadhan 2010, Theorem III.3; paper E). */
#include <netdp/privacy.h>

#include <math.h>

#include "base/fail.h"
#include "base/try.h"
#include "privacy/ball.h"

enum { BITS = 128 };

static netdp_status check(double epsilon, double delta, int64_t count, double slack,
                          netdp_error *error)
{
    if (!(epsilon >= 0))
        return netdp_i_fail(error, NETDP_INVALID, "epsilon is %g; it must lie in [0, inf]",
                            epsilon);
    if (!(delta >= 0 && delta <= 1))
        return netdp_i_fail(error, NETDP_INVALID, "delta is %g; it must lie in [0, 1]", delta);
    if (count < 0)
        return netdp_i_fail(error, NETDP_INVALID, "the count is %lld; it must be 0 or more",
                            (long long)count);
    if (!(slack > 0 && slack < 1))
        return netdp_i_fail(error, NETDP_INVALID, "the slack is %g; it must lie in (0, 1)", slack);
    return NETDP_OK;
}

netdp_status netdp_advanced_composition(double epsilon, double delta, int64_t count, double slack,
                                        double *total_epsilon, double *total_delta,
                                        netdp_error *error)
{
    NETDP_I_GIVEN(error, total_epsilon && total_delta);
    TRY(check(epsilon, delta, count, slack, error));
    arb_t e, sum, term;
    arb_init(e);
    arb_init(sum);
    arb_init(term);
    arb_set_d(sum, delta);
    arb_mul_si(sum, sum, count, BITS);
    arb_set_d(term, slack);
    arb_add(sum, sum, term, BITS);
    *total_delta = fmin(netdp_i_ball_up(sum), 1);

    if (count == 0 || epsilon == 0) {
        *total_epsilon = 0;
    } else if (epsilon > 1e6) {
        *total_epsilon = INFINITY; /* e^epsilon is above every double */
    } else {
        /* sqrt(2 k ln(1/slack)) + k (e^epsilon - 1), times epsilon */
        arb_log(sum, term, BITS);
        arb_mul_si(sum, sum, count, BITS);
        arb_mul_si(sum, sum, -2, BITS);
        arb_sqrt(sum, sum, BITS);
        arb_set_d(e, epsilon);
        arb_expm1(term, e, BITS);
        arb_mul_si(term, term, count, BITS);
        arb_add(sum, sum, term, BITS);
        arb_mul(sum, sum, e, BITS);
        *total_epsilon = netdp_i_ball_up(sum);
    }
    arb_clear(e);
    arb_clear(sum);
    arb_clear(term);
    return NETDP_OK;
}
