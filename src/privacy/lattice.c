#include "privacy/lattice.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* From here on Q may be below the least long double: cells are rounded as a whole. */
enum { MOST_LOSS = 10000 };

typedef struct reach {
    const netdp_i_tails *tails;
    long double least; /* asked: is P(L > l) at most this? */
} reach;

static bool beyond(const reach *r, double l)
{
    long double p, q;
    r->tails->at(r->tails, l, &p, &q);
    return p <= r->least;
}

/* The l where the answer turns from no to yes, to a thousandth: the last no, or the first yes. */
static double turn_of(const reach *r, bool yes)
{
    double low = -1, high = 1;
    while (beyond(r, low) && low > -1e300)
        low *= 4;
    while (!beyond(r, high) && high < 1e300)
        high *= 4;
    for (int i = 0; i < 200 && high - low > 1e-3 * fmax(fabs(low), fabs(high)); i++) {
        const double middle = 0.5 * (low + high);
        if (beyond(r, middle))
            high = middle;
        else
            low = middle;
    }
    /* Around a loss that is 0 exactly the interval is nothing. */
    return yes ? high : low;
}

/* Where the law lies: P(L > high) <= cut, and below low there is next to nothing. */
static void find_range(const netdp_i_tails *tails, double cut, double *low, double *high)
{
    const long double all = 1 - (long double)tails->infinite;
    const reach top = {tails, cut}, bottom = {tails, all * (1 - 16 * LDBL_EPSILON)};
    *high = turn_of(&top, true);
    *low = fmin(turn_of(&bottom, false), *high);
}

/* ---- Masses ---- */

typedef struct cell {
    long double p, q;           /* tails at its lower end */
    long double mass, of_q;     /* in it */
    long double p_off, q_off;   /* errors of the tails */
    long double bounded;        /* p rounded in the direction */
    long double width, at, far; /* far: the largest |loss| of the lattice */
} cell;

/* The part of the mass that goes to the upper end, and the bound of its error. */
static long double part_up(const cell *c, const cell *next, long double density, long double *error)
{
    if (c->at > MOST_LOSS) {
        *error = INFINITY;
        return 0;
    }
    const long double growth = expl(c->at), ratio = c->of_q * growth;
    const long double scale = -expm1l(-c->width);
    const long double blur = netdp_i_tails_blur(c->far);
    const long double q_off = c->q_off + next->q_off;
    const long double tails = c->p_off + next->p_off;
    const long double of_q = q_off * growth;
    *error = (tails + of_q + 4 * blur * density +
              8 * LDBL_EPSILON * (c->mass + ratio) * (1 + fabsl(c->at))) /
             scale;
    return (c->mass - ratio) / scale;
}

static double rounded(long double x, netdp_direction direction)
{
    double near = (double)x;
    if (direction == NETDP_UPPER)
        return (long double)near < x ? nextafter(near, INFINITY) : near;
    return (long double)near > x ? nextafter(near, 0) : near;
}

static void tails_at(const netdp_i_tails *tails, double at, netdp_direction direction, cell *c)
{
    tails->at(tails, at, &c->p, &c->q);
    const long double all = 1 - (long double)tails->infinite;
    c->p_off = netdp_i_tails_error(c->p) * c->p;
    c->q_off = netdp_i_tails_error(c->q) * c->q;
    c->bounded = direction == NETDP_UPPER ? fminl(c->p + c->p_off, all) : c->p - c->p_off;
}

/*
 * The masses of the points. Upper: what lies below the first point is moved up to it, what lies
 * above the last one to infinity. Lower: dropped, and moved down to the last one.
 */
static void fill(const netdp_i_tails *tails, netdp_direction direction, netdp_i_lattice *lattice)
{
    const int64_t n = lattice->size;
    const bool upper = direction == NETDP_UPPER;
    const long double all = 1 - (long double)tails->infinite;
    cell c = {0}, next = {0};
    long double carried, before = 0;
    const long double far = fmax(fabs(lattice->at[0]), fabs(lattice->at[n - 1]));
    tails_at(tails, lattice->at[0], direction, &c);
    carried = upper ? all - c.bounded : 0;
    for (int64_t i = 0; i + 1 < n; i++, c = next) {
        tails_at(tails, lattice->at[i + 1], direction, &next);
        /* Rounding must not make a tail grow; what is true falls. */
        next.bounded = fminl(next.bounded, c.bounded);
        c.far = far;
        c.at = lattice->at[i];
        c.width = (long double)lattice->at[i + 1] - c.at;
        c.mass = fmaxl(c.p - next.p, 0);
        c.of_q = fmaxl(c.q - next.q, 0);
        const long double mass = c.bounded - next.bounded;
        long double error, up = part_up(&c, &next, fmaxl(before, c.mass) / c.width, &error);
        before = c.mass;
        up = fminl(fmaxl(upper ? up + error : up - error, 0), mass);
        lattice->mass[i] = rounded(carried + (mass - up), direction);
        carried = up;
    }
    lattice->mass[n - 1] = rounded(carried + (upper ? 0 : c.bounded), direction);
    lattice->infinite = tails->infinite;
    if (upper)
        lattice->infinite = rounded(tails->infinite + c.bounded, direction);
}

static netdp_status lattice_new(int64_t size, netdp_i_lattice *lattice, netdp_error *error)
{
    *lattice = (netdp_i_lattice){.size = size};
    lattice->at = NETDP_I_NEW(double, size);
    lattice->mass = NETDP_I_NEW(double, size);
    if (lattice->at != NULL && lattice->mass != NULL)
        return NETDP_OK;
    netdp_i_lattice_clear(lattice);
    return netdp_i_no_memory(error);
}

void netdp_i_lattice_clear(netdp_i_lattice *lattice)
{
    netdp_i_free(lattice->at);
    netdp_i_free(lattice->mass);
    *lattice = (netdp_i_lattice){0};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

netdp_status netdp_i_lattice_rough(const netdp_i_tails *tails, int points, double cut,
                                   netdp_direction direction, netdp_i_lattice *lattice,
                                   netdp_error *error)
{
    double low, high;
    TRY(lattice_new(2 * points, lattice, error));
    find_range(tails, cut, &low, &high);
    /* Half of the points evenly, half of them ever denser towards 0. */
    const double width = high - low, scale = 1e-7 * fmax(width, 1e-200);
    const double from = asinh(low / scale), to = asinh(high / scale);
    for (int i = 0; i < points; i++) {
        const double part = (double)i / (points - 1);
        lattice->at[2 * i] = i + 1 < points ? low + part * width : high;
        lattice->at[2 * i + 1] = fmin(fmax(scale * sinh(from + (part * (to - from))), low), high);
    }
    qsort(lattice->at, (size_t)lattice->size, sizeof *lattice->at, ascending);
    int64_t kept = 1;
    for (int64_t i = 1; i < lattice->size; i++)
        if (lattice->at[i] > lattice->at[kept - 1])
            lattice->at[kept++] = lattice->at[i];
    lattice->size = kept;
    fill(tails, direction, lattice);
    return NETDP_OK;
}

netdp_status netdp_i_lattice_grid(const netdp_i_tails *tails, double cut, double step,
                                  netdp_direction direction, netdp_i_lattice *lattice,
                                  netdp_error *error)
{
    double low, high;
    find_range(tails, cut, &low, &high);
    const int64_t first = (int64_t)floor(low / step), last = (int64_t)ceil(high / step);
    TRY(lattice_new(last - first + 1, lattice, error));
    lattice->first = first;
    for (int64_t i = 0; i < lattice->size; i++)
        lattice->at[i] = (double)(first + i) * step;
    fill(tails, direction, lattice);
    return NETDP_OK;
}

long double netdp_i_lattice_cumulant(const netdp_i_lattice *lattice, double theta,
                                     long double *mean, long double *variance)
{
    /* The largest exponent, so that nothing overflows; long doubles reach down to e^-11000. */
    long double top = -INFINITY, sum = 0, first = 0, second = 0;
    for (int64_t i = 0; i < lattice->size; i++)
        if (lattice->mass[i] > 0)
            top = fmaxl(top, (long double)theta * lattice->at[i]);
    if (!isfinite(top))
        return top;
    for (int64_t i = 0; i < lattice->size; i++) {
        /* Points without mass may lie beyond the top, where it overflows. */
        const long double at = lattice->at[i];
        const long double part =
            lattice->mass[i] > 0 ? lattice->mass[i] * expl(theta * at - top) : 0;
        sum += part;
        first += part * at;
    }
    first /= sum;
    if (variance != NULL) {
        for (int64_t i = 0; i < lattice->size; i++) {
            const long double at = lattice->at[i];
            const long double part =
                lattice->mass[i] > 0 ? lattice->mass[i] * expl(theta * at - top) : 0;
            second += part * (at - first) * (at - first);
        }
        *variance = second / sum;
    }
    if (mean != NULL)
        *mean = first;
    return top + logl(sum);
}

long double netdp_i_lattice_norm(const netdp_i_lattice *lattice, double theta)
{
    return netdp_i_lattice_cumulant(lattice, theta, NULL, NULL) + 4 * DBL_EPSILON;
}

double netdp_i_lattice_cumulant_near(const netdp_i_lattice *lattice, double theta)
{
    double top = -INFINITY, sum = 0;
    for (int64_t i = 0; i < lattice->size; i++)
        if (lattice->mass[i] > 0)
            top = fmax(top, theta * lattice->at[i]);
    if (!isfinite(top))
        return top;
    /* Masses down to 1e-308 at the top are still there. */
    for (int64_t i = 0; i < lattice->size; i++)
        if (lattice->mass[i] > 0 && theta * lattice->at[i] - top > -1400)
            sum += lattice->mass[i] * 0x1p500 * exp(theta * lattice->at[i] - top);
    return top + log(sum) - 500 * M_LN2;
}
