#include "account/gossip/convolution.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <string.h>

#include "account/observe/impulse.h"
#include "base/fail.h"
#include "base/memory.h"

/* Longest response; grids of omega: FINE points a slot, at most FINEST. */
enum { LONGEST = 200000, FINE = 512, FINEST = 1 << 23 };

typedef struct impulse {
    int32_t width; /* numbers of one slot: `every` rounds of `seen` */
    int64_t slots; /* length of the response in slots */
    double *h;     /* [slots][width] */
} impulse;

void netdp_i_convolution_clear(netdp_i_convolution *made)
{
    netdp_i_free(made->rest);
    *made = (netdp_i_convolution){0};
}

static double length(const double *a, int32_t width)
{
    double sum = 0;
    for (int32_t i = 0; i < width; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static netdp_status impulse_new(const netdp_i_impulse *by_age, int64_t every, impulse *made,
                                netdp_error *error)
{
    const int64_t seen = by_age->seen, ages = by_age->ages;
    *made = (impulse){.width = (int32_t)(every * seen), .slots = (ages + every - 1) / every};
    made->h = NETDP_I_NEW(double, made->slots * made->width);
    if (made->h == NULL)
        return netdp_i_no_memory(error);
    memcpy(made->h, by_age->w, (size_t)(ages * seen) * sizeof *made->h);
    return NETDP_OK;
}

static netdp_status rest_new(const impulse *h, netdp_i_convolution *made, netdp_error *error)
{
    made->slots = h->slots;
    made->rest = NETDP_I_NEW(double, h->slots + 1);
    if (made->rest == NULL)
        return netdp_i_no_memory(error);
    for (int64_t j = h->slots - 1; j >= 0; j--)
        made->rest[j] = made->rest[j + 1] + length(h->h + j * h->width, h->width);
    return NETDP_OK;
}

/* How much the last sum hears of contributions, and of those at least `from` slots old. */
static double heard_last(const netdp_i_impulse *by_age, const netdp_linear *protocol, int64_t from)
{
    const int64_t every = protocol->every, youngest = (protocol->rounds - 1) % every;
    double sum = 0;
    for (int64_t age = youngest + from * every; by_age->last != NULL && age < by_age->ages;
         age += every)
        sum += length(by_age->last + age * by_age->seen, by_age->seen);
    return sum;
}

/* A real line and its transform. */
typedef struct line {
    int64_t size;
    double *in;        /* [size] */
    fftw_complex *out; /* [size / 2 + 1] */
    fftw_plan forward, backward;
} line;

/* The planner is the only part of FFTW that may not run twice at once. */
static void line_clear(line *x)
{
#pragma omp critical(netdp_fftw_planner)
    {
        if (x->forward != NULL)
            fftw_destroy_plan(x->forward);
        if (x->backward != NULL)
            fftw_destroy_plan(x->backward);
        fftw_free(x->in);
        fftw_free(x->out);
    }
}

static netdp_status line_new(int64_t size, line *x, netdp_error *error)
{
    *x = (line){.size = size};
#pragma omp critical(netdp_fftw_planner)
    {
        x->in = fftw_alloc_real((size_t)size);
        x->out = fftw_alloc_complex((size_t)size / 2 + 1);
        if (x->in != NULL && x->out != NULL) {
            x->forward = fftw_plan_dft_r2c_1d((int)size, x->in, x->out, FFTW_ESTIMATE);
            x->backward = fftw_plan_dft_c2r_1d((int)size, x->out, x->in, FFTW_ESTIMATE);
        }
    }
    if (x->forward == NULL || x->backward == NULL)
        return netdp_i_no_memory(error);
    memset(x->in, 0, (size_t)size * sizeof *x->in);
    return NETDP_OK;
}

/* r_d = sum_j h_j h_{j+d} for d < slots, by transforms long enough that nothing wraps around. */
static netdp_status correlate(const impulse *h, double *r, netdp_error *error)
{
    int64_t size = 256;
    while (size < 2 * h->slots)
        size *= 2;
    line x;
    double *energy = NETDP_I_NEW(double, size / 2 + 1);
    netdp_status status = line_new(size, &x, error);
    if (status == NETDP_OK && energy == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK) {
        for (int32_t i = 0; i < h->width; i++) {
            memset(x.in, 0, (size_t)size * sizeof *x.in);
            for (int64_t j = 0; j < h->slots; j++)
                x.in[j] = h->h[j * h->width + i];
            fftw_execute(x.forward);
            for (int64_t k = 0; k <= size / 2; k++)
                energy[k] += creal(x.out[k]) * creal(x.out[k]) + cimag(x.out[k]) * cimag(x.out[k]);
        }
        for (int64_t k = 0; k <= size / 2; k++)
            x.out[k] = energy[k] / (double)size;
        fftw_execute(x.backward);
        memcpy(r, x.in, (size_t)h->slots * sizeof *r);
    }
    line_clear(&x);
    netdp_i_free(energy);
    return status;
}

/*
 * sup |H|. |H|^2 = r_0 + 2 sum_d r_d cos(omega d) is a cosine polynomial of degree n = slots - 1:
 * its largest value on `points` equidistant omega, over cos(pi n / points), is above all of it
 * (Ehlich and Zeller 1964).
 */
static netdp_status symbol_norm(const impulse *h, double *norm, double *peak, netdp_error *error)
{
    int64_t points = 256, at = 0;
    while (points < FINE * h->slots && (points < FINEST || points < 4 * h->slots))
        points *= 2;
    line x;
    netdp_status status = line_new(points, &x, error);
    if (status == NETDP_OK)
        status = correlate(h, x.in, error);
    if (status == NETDP_OK) {
        for (int64_t d = 1; d < h->slots; d++)
            x.in[d] *= 2;
        fftw_execute(x.forward);
        for (int64_t k = 0; k <= points / 2; k++)
            if (creal(x.out[k]) > creal(x.out[at]))
                at = k;
        const double between = cos(M_PI * (double)(h->slots - 1) / (double)points);
        const double rounding = 1e-12 + 1e-15 * (double)h->slots;
        *norm = sqrt(creal(x.out[at]) / between) * (1 + rounding);
        *peak = 2 * M_PI * (double)at / (double)points;
    }
    line_clear(&x);
    return status;
}

netdp_status netdp_i_convolve(const netdp_linear *protocol, const netdp_i_basis *basis,
                              const netdp_i_gains *gains, int32_t from, int64_t kept,
                              netdp_i_convolution *made, netdp_error *error)
{
    const int64_t rounds = protocol->rounds;
    netdp_i_impulse by_age = {0};
    netdp_i_convolution found = {.square = INFINITY};
    impulse h = {0};
    double norm = 0;
    netdp_status status =
        netdp_i_impulse_new(gains, basis->rows + (int64_t)from * basis->modes, 1, 1,
                            rounds < LONGEST ? rounds : LONGEST, &by_age, NULL, error);
    if (status == NETDP_OK && (by_age.over || by_age.ages == rounds)) {
        status = impulse_new(&by_age, protocol->every, &h, error);
        if (status == NETDP_OK)
            status = rest_new(&h, &found, error);
        if (status == NETDP_OK)
            status = symbol_norm(&h, &norm, &found.peak, error);
        found.square = norm * norm;
        found.last = heard_last(&by_age, protocol, 0);
        found.last_beyond = heard_last(&by_age, protocol, kept);
    }
    netdp_i_free(h.h);
    netdp_i_impulse_clear(&by_age);
    if (status != NETDP_OK)
        netdp_i_convolution_clear(&found);
    else
        *made = found;
    return status;
}
