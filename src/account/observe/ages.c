#include "account/observe/ages.h"

#include <cblas.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* Transposed: columns of length `modes`. */
typedef struct backward {
    int modes, seen;
    const double *theta;
    const netdp_i_gains *gains;
    const netdp_i_gain *gain; /* the steady one */
    double *c;                /* [rank][modes]: C */
    double *x;                /* [seen][modes]: C A^age */
    double *last;             /* [seen][modes]; 0 without a last sum */
    double *y;                /* [seen][seen] */
} backward;

static void backward_clear(backward *b)
{
    netdp_i_free(b->c);
    netdp_i_free(b->x);
    netdp_i_free(b->last);
    netdp_i_free(b->y);
}

/* C = L^{-1} S B of a gain; rows: S B, [seen][modes]. */
static void whiten(const double *rows, const netdp_i_gain *gain, int modes, int seen, double *c)
{
    for (int j = 0; j < gain->rank; j++)
        memcpy(c + (int64_t)j * modes, rows + (int64_t)(gain->pivot[j] - 1) * modes,
               (size_t)modes * sizeof *c);
    if (gain->rank > 0)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, modes,
                    gain->rank, 1, gain->lower, seen, c, modes);
}

/* x <- x A, with A = theta (I - gain C). */
static void step_back(const backward *b, double *x)
{
    const int r = b->modes, rank = b->gain->rank;
    for (int64_t j = 0; j < b->seen; j++)
        for (int64_t k = 0; k < r; k++)
            x[j * r + k] *= b->theta[k];
    if (rank == 0)
        return;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rank, b->seen, r, 1, b->gain->gain, r, x,
                r, 0, b->y, b->seen);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, b->seen, rank, -1, b->c, r, b->y,
                b->seen, 1, x, r);
}

static netdp_status backward_new(const netdp_i_gains *gains, backward *b, netdp_error *error)
{
    CLEARED(netdp_i_response_clear) netdp_i_response any = {0};
    TRY(netdp_i_response_new(gains->filter, 1, &any, error));
    const int64_t r = any.modes, s = any.seen;
    *b = (backward){.modes = any.modes,
                    .seen = any.seen,
                    .theta = any.theta,
                    .gains = gains,
                    .gain = netdp_i_gains_at(gains, gains->count),
                    .c = NETDP_I_NEW(double, r *s),
                    .x = NETDP_I_NEW(double, r *s),
                    .last = NETDP_I_NEW(double, r *s),
                    .y = NETDP_I_NEW(double, s *s)};
    if (b->c == NULL || b->x == NULL || b->last == NULL || b->y == NULL)
        return netdp_i_no_memory(error);
    whiten(any.rows, b->gain, b->modes, b->seen, b->c);
    memcpy(b->x, b->c, (size_t)(r * s) * sizeof *b->x);
    if (gains->last.lower != NULL) {
        whiten(any.rows, &gains->last, b->modes, b->seen, b->last);
        step_back(b, b->last);
    }
    return NETDP_OK;
}

void netdp_i_ages_clear(netdp_i_ages *shown)
{
    netdp_i_free(shown->rows);
    netdp_i_free(shown->last);
    *shown = (netdp_i_ages){0};
}

static void step(const backward *b)
{
    step_back(b, b->x);
    if (b->gains->last.lower != NULL)
        step_back(b, b->last);
}

static netdp_status keep(const backward *b, netdp_i_ages *made, int64_t *room, netdp_error *error)
{
    const int64_t each = (int64_t)b->modes * b->seen;
    const bool sums = b->gains->last.lower != NULL;
    TRY(netdp_i_ages_grow(made->ages, each, room, &made->rows, sums ? &made->last : NULL, error));
    memcpy(made->rows + made->ages * each, b->x, (size_t)each * sizeof *b->x);
    if (sums)
        memcpy(made->last + made->ages * each, b->last, (size_t)each * sizeof *b->last);
    made->ages++;
    return NETDP_OK;
}

netdp_status netdp_i_ages_new(const netdp_linear *protocol, const netdp_i_gains *gains,
                              netdp_i_ages *shown, const netdp_progress *progress,
                              netdp_error *error)
{
    CLEARED(netdp_i_ages_clear)
    netdp_i_ages made = {.first = gains->steady ? gains->count - 1 : protocol->rounds};
    CLEARED(backward_clear) backward b = {0};
    int64_t room = 0;
    TRY(backward_new(gains, &b, error));
    const int64_t each = (int64_t)b.modes * b.seen, left = protocol->rounds - made.first;
    const double nothing = NETDP_I_AGES_NOTHING * netdp_i_ages_largest(b.c, each);
    for (int64_t age = 0; age < left; age++) {
        if (netdp_i_ages_largest(b.x, each) <= nothing &&
            netdp_i_ages_largest(b.last, each) <= nothing)
            break;
        TRY(keep(&b, &made, &room, error));
        step(&b);
        TRY(netdp_i_poll(progress, error));
    }
    *shown = made;
    made = (netdp_i_ages){0};
    return NETDP_OK;
}
