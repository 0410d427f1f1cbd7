#include "peer/contribution.h"

#include <math.h>
#include <sodium.h>

#include "base/fail.h"
#include "base/memory.h"
#include "noise/normal.h"

/* Values lie on the grid of 2^-32 of the noise, which is part of the own noise's 2^-64. */
enum { VALUE_PLACES = 32, KAPPA_PLACES = NETDP_I_OWN_PLACES - NETDP_I_PAIR_PLACES };

/* |x| / scale in units of the grid stays below 2^60; the factor keeps what is computed in doubles
 * below what is meant. */
#define LARGEST 0x1p60
#define INWARD (1 - 0x1p-50)

typedef unsigned __int128 square;

/* ---- The value, in integers ---- */

/* Towards zero: nobody comes to lie farther out. */
static void place_box(const netdp_i_noising *n, const double *value, int64_t width, int64_t *placed)
{
    const double most = floor(ldexp(n->reach.most / n->scale, VALUE_PLACES) * INWARD);
    for (int64_t i = 0; i < width; i++) {
        const double clipped = fmin(fmax(value[i], 0), n->reach.most);
        placed[i] = (int64_t)fmin(floor(ldexp(clipped / n->scale, VALUE_PLACES)), most);
    }
}

static long double norm_of(const double *value, int64_t width)
{
    long double sum = 0;
    for (int64_t i = 0; i < width; i++)
        sum += (long double)value[i] * value[i];
    return sqrtl(sum);
}

/* Is the sum of squares at most limit^2? */
static bool is_inside(const int64_t *placed, int64_t width, int64_t limit)
{
    square sum = 0, most = (square)limit * (square)limit;
    for (int64_t i = 0; i < width; i++) {
        const square size = (square)(placed[i] < 0 ? -placed[i] : placed[i]);
        sum += size * size;
        if (sum > most)
            return false;
    }
    return true;
}

static void place_ball(const netdp_i_noising *n, const double *value, int64_t width,
                       int64_t *placed)
{
    const int64_t limit = (int64_t)floor(ldexp(n->reach.radius / n->scale, VALUE_PLACES) * INWARD);
    const long double norm = norm_of(value, width);
    long double shrink = norm > n->reach.radius ? n->reach.radius / norm : 1;
    do {
        for (int64_t i = 0; i < width; i++)
            placed[i] = (int64_t)truncl(ldexpl(value[i] * shrink / n->scale, VALUE_PLACES));
        shrink *= 1 - 0x1p-40L; /* once or twice, where the value lies on the very edge */
    } while (!is_inside(placed, width, limit));
}

static netdp_status place(const netdp_i_noising *n, const double *value, int64_t width,
                          int64_t *placed, netdp_error *error)
{
    const double reach = n->reach.radius > 0 ? n->reach.radius : n->reach.most;
    REFUSE(!(reach > 0 && n->scale > 0 && isfinite(n->scale) &&
             ldexp(reach / n->scale, VALUE_PLACES) < LARGEST),
           "noise: %g in a reach of %g is too little to be added exactly; give more", n->scale,
           reach);
    for (int64_t i = 0; i < width; i++)
        REFUSE(!isfinite(value[i]), "a value is NaN or infinite, and never leaves");
    if (n->reach.radius > 0)
        place_ball(n, value, width, placed);
    else
        place_box(n, value, width, placed);
    return NETDP_OK;
}

/* ---- The noise ---- */

netdp_status netdp_i_contribution_make(netdp_i_noising *noising, const double *value, int64_t width,
                                       double *out, netdp_error *error)
{
    const double steps = ldexp(noising->kappa, KAPPA_PLACES);
    const int64_t kappa = (int64_t)steps;
    REFUSE(!(noising->kappa >= 0 && noising->kappa <= 1e6) || (double)kappa != steps,
           "pair-noise: %g must be a multiple of 2^-16 from 0 to 1e6", noising->kappa);
    int64_t *placed = NETDP_I_NEW(int64_t, width);
    netdp_i_wide *sum = NETDP_I_NEW(netdp_i_wide, width);
    netdp_status status = placed == NULL || sum == NULL
                              ? netdp_i_no_memory(error)
                              : place(noising, value, width, placed, error);
    if (status == NETDP_OK) {
        for (int64_t i = 0; i < width; i++)
            sum[i] = placed[i] * ((netdp_i_wide)1 << (NETDP_I_OWN_PLACES - VALUE_PLACES)) +
                     netdp_i_secure_normal(noising->own, NETDP_I_OWN_PLACES);
        for (int32_t k = 0; k < noising->partners && kappa > 0; k++)
            for (int64_t i = 0; i < width; i++) {
                const netdp_i_wide shared =
                    kappa * netdp_i_secure_normal(&noising->partner[k].stream, NETDP_I_PAIR_PLACES);
                sum[i] += noising->partner[k].adds ? shared : -shared;
            }
        for (int64_t i = 0; i < width; i++)
            out[i] = ldexp((double)sum[i], -NETDP_I_OWN_PLACES) * noising->scale;
    }
    if (placed != NULL)
        sodium_memzero(placed, (size_t)width * sizeof *placed);
    if (sum != NULL)
        sodium_memzero(sum, (size_t)width * sizeof *sum);
    netdp_i_free(placed);
    netdp_i_free(sum);
    return status;
}

double netdp_i_contribution_excess(int64_t edges, int32_t degree, double kappa, int64_t width)
{
    const double each = (1 + 2 * kappa * kappa * degree) * (1 + 0x1p-40);
    return ldexp((double)edges * (double)width * each, -98);
}
