#include "peer/link/largest.h"

#include <math.h>
#include <netdp/mixing.h>

/* What is allowed for rounding, and the number that none is beyond: thrice it is a double, too. */
#define ROUNDING 1.001
#define END 0x1p1000

/* The largest sum of absolute weights in a row: by how much a round of mixing may stretch. */
static double stretch_of(const netdp_mixing *mixing)
{
    const netdp_rows rows = netdp_mixing_rows(mixing);
    double most = 1;
    for (int32_t v = 0; v < rows.nodes; v++) {
        double sum = 0;
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++)
            sum += fabs(rows.weight[k]);
        most = fmax(most, sum);
    }
    return most;
}

/* So many deviations hold all normals of a run but with probability 1e-12: 2 Q(z) <= exp(-z^2 / 2). */
static double deviations(const netdp_linear *protocol, int32_t width)
{
    const double members = netdp_mixing_rows(protocol->mixing).nodes;
    return sqrt(2 * log(3 * members * (double)protocol->rounds * width * 1e12));
}

/*
 * Rounds one after the other. Plain mixing stretches the largest number of all members by `stretch` at
 * most. Chebyshev's polynomials of a symmetric W with stretch 1 are at most 1, and those that follow a
 * dither at most the number of rounds behind it, in the norm over members: hence the square root.
 */
double netdp_i_largest_number(const netdp_linear *p, const netdp_i_extremes *of)
{
    const double z = deviations(p, of->width) * of->scale, stretch = stretch_of(p->mixing);
    const double kappa = p->noise.pairing.kappa,
                 added = of->reach + z * sqrt(1 + kappa * kappa * of->shared);
    const bool bounded =
        p->accelerate && stretch < ROUNDING && netdp_mixing_is_symmetric(p->mixing);
    const double by = p->accelerate && !bounded ? 3 * stretch : bounded ? 1 : stretch;
    const double gain = bounded ? (double)(p->every > 0 ? p->every : p->rounds) : 1;
    double at = 0, most = 0;
    for (int64_t t = 0; t < p->rounds && at < END; t++) {
        if (netdp_linear_contributes(p, t))
            at = at * fmax(1, fabs(1 - of->shrink)) + added;
        else
            at += gain * z * netdp_linear_noise(p, t);
        most = fmax(most, at);
        at *= by;
        at += z * netdp_linear_end_noise(p, t);
        most = fmax(most, at);
    }
    return fmin(END, most * ROUNDING * (bounded ? sqrt(netdp_mixing_rows(p->mixing).nodes) : 1));
}

bool netdp_i_is_within(const double *numbers, int32_t width, double largest)
{
    for (int32_t j = 0; j < width; j++)
        if (!(fabs(numbers[j]) <= largest))
            return false;
    return true;
}
