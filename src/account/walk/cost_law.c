#include "account/walk/cost_law.h"

#include <float.h>
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"

netdp_status netdp_i_cost_law_new(int64_t atoms, double step, netdp_i_cost_law *law,
                                  netdp_error *error)
{
    *law = (netdp_i_cost_law){.atoms = atoms,
                              .step = step,
                              .mass = NETDP_I_NEW(double, atoms),
                              .cost = step == 0 ? NETDP_I_NEW(double, atoms) : NULL};
    if (law->mass != NULL && (step > 0 || law->cost != NULL))
        return NETDP_OK;
    netdp_i_cost_law_clear(law);
    return netdp_i_no_memory(error);
}

void netdp_i_cost_law_clear(netdp_i_cost_law *law)
{
    netdp_i_free(law->cost);
    netdp_i_free(law->mass);
    *law = (netdp_i_cost_law){0};
}

/*
 * Q(a) - e^epsilon Q(a + mu), from above: what erfc, exp and the rounding of a may be off, in parts
 * of Q(a), is added. Above 600, and where erfc has no digits, the second term is left out.
 */
static double delta_up(double epsilon, double mu)
{
    const double a = epsilon / mu - 0.5 * mu, tail = 0.5 * erfc(a * M_SQRT1_2);
    const double off = (8 + 4 * a * a + epsilon) * 4 * DBL_EPSILON;
    const double other = erfc((a + mu) * M_SQRT1_2);
    const double minus = epsilon < 600 && other > 1e-290 ? exp(epsilon) * 0.5 * other : 0;
    const double value = tail - minus + off * tail;
    return a > 38 ? DBL_MIN : value > 0 ? value : 0;
}

double netdp_i_cost_law_delta(const netdp_i_cost_law *law, double sigma, double epsilon)
{
    double sum = 0;
    for (int64_t i = 0; i < law->atoms; i++) {
        const double cost = law->cost != NULL ? law->cost[i] : (double)i * law->step;
        if (law->mass[i] > 0 && cost > 0)
            sum += law->mass[i] * delta_up(epsilon, sqrt(cost) / sigma);
    }
    return law->lost + sum * (1 + 4e-16 * (double)law->atoms + 1e-13);
}

double netdp_i_cost_law_least(const netdp_i_cost_law *law, double sigma)
{
    const double square = 8 * sigma * sigma * law->bend;
    return isinf(law->bend) ? 0 : square > 1 ? 1 / sqrt(square - 1) : INFINITY;
}

double netdp_i_cost_law_epsilon(const netdp_i_cost_law *law, double sigma, double delta)
{
    double low = netdp_i_cost_law_least(law, sigma), high = 1;
    if (isinf(low) || !(law->lost < delta))
        return INFINITY;
    low *= 1 + 1e-12;
    if (low > 0 && netdp_i_cost_law_delta(law, sigma, low) <= delta)
        return low;
    if (low < 1e-300)
        low = 0;
    high = fmax(high, 2 * low);
    while (netdp_i_cost_law_delta(law, sigma, high) > delta) {
        low = high;
        high *= 2;
        if (high > 1e6)
            return INFINITY;
    }
    /* Where nothing is lost epsilon may be as small as one likes. */
    for (double down = 0.5 * high; low == 0 && down > 1e-12; down *= 0.5) {
        if (netdp_i_cost_law_delta(law, sigma, down) > delta)
            low = down;
        else
            high = down;
    }
    while (high - low > 1e-9 * high && high > 1e-12) {
        const double middle = 0.5 * (low + high);
        if (netdp_i_cost_law_delta(law, sigma, middle) <= delta)
            high = middle;
        else
            low = middle;
    }
    return high;
}

int64_t netdp_i_step_bin(int64_t r)
{
    enum { ALONE = 512 };
    return r <= ALONE ? r - 1 : ALONE + (int64_t)(log((double)r / ALONE) * ALONE);
}
