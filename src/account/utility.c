#include <netdp/account.h>

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "mixing/dense.h"

/* sum_{k=1}^{count} x^k for x in [0, 1], without cancellation near 1. */
static double geometric(double x, double count)
{
    if (x <= 0 || count <= 0)
        return 0;
    if (x >= 1)
        return count;
    const double log_x = log(x);
    return x * expm1(count * log_x) / expm1(log_x);
}

netdp_status netdp_noise_error(const netdp_linear *protocol, double *error_of, netdp_error *error)
{
    netdp_status status = netdp_linear_check(protocol, error);
    if (status != NETDP_OK)
        return status;
    if (netdp_mixing_rows(protocol->mixing).nodes > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "the exact error of the noise needs all eigenvalues of W: at most %d "
                            "nodes",
                            NETDP_DENSE_NODES);
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    double *value = NETDP_I_NEW(double, n);
    if (value == NULL)
        return netdp_i_no_memory(error);
    status = netdp_i_mixing_eigenvalues(protocol->mixing, value, error);
    if (status != NETDP_OK)
        goto done;
    /* s_T = W^T (x + u_0) + tau sum_{t=1}^{T-1} W^{T-t} u_t */
    const double rounds = (double)protocol->rounds;
    double energy = 0;
    for (int32_t k = 0; k < n; k++) {
        const double square = fmin(1, value[k] * value[k]);
        energy += pow(square, rounds) +
                  protocol->dither * protocol->dither * geometric(square, rounds - 1);
    }
    *error_of = energy / (2.0 * n);
done:
    netdp_i_free(value);
    return status;
}
