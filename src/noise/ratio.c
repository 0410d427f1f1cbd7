/* A double as the ratio of two integers, for samplers that compute in integers. */
#include <netdp/noise.h>

#include <math.h>

#include "base/fail.h"

netdp_status netdp_ratio_of(double value, netdp_ratio *ratio, netdp_error *error)
{
    NETDP_I_GIVEN(error, ratio);
    if (!(value > 0 && value <= (double)NETDP_RATIO_MOST))
        return netdp_i_fail(error, NETDP_INVALID,
                            "a scale or variance on the grid: %g; must be above 0 and at most 2^53",
                            value);
    int exponent;
    frexp(value, &exponent); /* value < 2^exponent: 53 - exponent binary places hold all its bits */
    const int places = exponent < 0 ? 53 : exponent > 53 ? 0 : 53 - exponent;
    netdp_ratio made = {(uint64_t)ceil(ldexp(value, places)), (uint64_t)1 << places};
    while ((made.numerator | made.denominator) % 2 == 0) {
        made.numerator /= 2;
        made.denominator /= 2;
    }
    *ratio = made;
    return NETDP_OK;
}
