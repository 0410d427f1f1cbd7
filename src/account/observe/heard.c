/*
 * With F the unseen nodes' part of W and G the seen nodes' rows there, what is heard in round t + 1
 * of what is hidden is o_t = G h_t + nu times fresh noise (riccati.c, docs/proofs/shift.md). A
 * contribution of u shifts it by q_u = (G F^t e_u)_t, so that
 *
 *     loss(u) = q_u' K^{-1} q_u,   K = covariance of all o_t.
 *
 * W is symmetric: every block of K is made of M_k = G F^k G' = (F^i G')' (F^j G') with i + j = k,
 *
 *     K_{t,t'} = M_{t+t'} + nu^2 (sum over 1 <= j <= min(t, t') of M_{t+t'-2j} + [t = t'] I),
 *
 * so that products of W with as many columns as are seen are all that is asked of the network: those of F are W's, of columns that are 0
 * where nothing is hidden. Rows are added up in PARTS, and these in their order: digits do not depend on threads. Of several processes
 * each has the rows of its own nodes; what they add to the M_k is summed, and all that follows is of a size without nodes.
 *
 * Nothing that is added up is negative, so that rounding takes only its own small part of each entry of K and q; and K >= nu^2 I.
 * A factor L with |L L' - K / nu^2| <= e proves K / nu^2 >= L L' / (1 + e), whoever made it, and so the loss.
 */
#include "account/observe/heard.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "base/rounding.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* Parts of the rows; rows whose products are added up while they are in the caches; sources that
 * are solved for together. */
enum { PARTS = 16, STRIP = 512, BATCH = 256 };

/* Of a proof: rows and columns of a tile; columns of L that are multiplied before they are added up. */
enum { TILE = 128, PANEL = 128 };

/*
 * What one rounding to nearest takes, at most; what a chain of roundings that take MOST in all may take beyond that; what is lost where
 * products are too small for doubles.
 */
#define UNIT (DBL_EPSILON / 2)
#define MORE (1 + 1e-6)
#define MOST 1e-7
#define VANISHED 1e-150

typedef struct heard {
    netdp_rows rows;              /* of W, here */
    const netdp_i_others *others; /* NULL: all nodes are here */
    int32_t seen;
    int64_t states; /* rounds that are heard */
    double noise;
    bool *hidden;       /* [rows.nodes]: neither seen nor quiet */
    double *now, *next; /* [rows.nodes + ghosts][seen]: F^t G' and the one after it */
    double *part; /* [PARTS][4][seen][seen]: what each part adds to two of the M_k; a strip of it */
    double *moment;     /* [2 states][seen][seen]: M_k */
    double *factor;     /* [states * seen][states * seen]: the lower triangle of K / nu^2, then L */
    double *told;       /* [batches][states][BATCH][seen]: F^t G' of the sources */
    double *covariance; /* K / nu^2, its lower triangle */
    double *rest;       /* [tiles][states * seen], what a tile's rows add to the sums below */
    double off;         /* |L L' - K / nu^2|, at most */
    double size;        /* of L with its entries' absolute values, at most */
    double entries;     /* of a row of F, at most */
    bool wide;          /* is what is proven by L alone? */
    double *width;      /* [sources]: of what is proven of each, in parts of it */
    const netdp_i_sources *of;
    const netdp_progress *progress;
    netdp_i_pool pool;
} heard;

static void heard_clear(heard *h)
{
    netdp_i_pool_clear(&h->pool);
}

static int64_t batches(int64_t sources)
{
    return (sources + BATCH - 1) / BATCH;
}

static int64_t tiles(const heard *h)
{
    return (h->states * h->seen + TILE - 1) / TILE;
}

static netdp_status agree(const heard *h, netdp_status status, netdp_error *error)
{
    return h->others != NULL ? h->others->agree(status, error) : status;
}

static netdp_status allocate(heard *h, netdp_error *error)
{
    const int64_t m = h->rows.nodes + (h->others != NULL ? h->others->ghosts : 0);
    const int64_t s = h->seen, r = h->states * s;
    h->hidden = NETDP_I_TAKE(&h->pool, bool, h->rows.nodes);
    h->now = NETDP_I_TAKE(&h->pool, double, m *s);
    h->next = NETDP_I_TAKE(&h->pool, double, m *s);
    h->part = NETDP_I_TAKE(&h->pool, double, PARTS * 4 * s * s);
    h->moment = NETDP_I_TAKE(&h->pool, double, 2 * h->states * s * s);
    h->factor = NETDP_I_TAKE(&h->pool, double, r *r);
    h->told = NETDP_I_TAKE(&h->pool, double, batches(h->of->count) * BATCH * r);
    h->covariance = NETDP_I_TAKE(&h->pool, double, r *r);
    h->rest = NETDP_I_TAKE(&h->pool, double, tiles(h) * r);
    return netdp_i_pool_made(&h->pool, error);
}

/* Where the named nodes stand here; -1: elsewhere. */
static int32_t place_of(const heard *h, int32_t node)
{
    const int32_t place = node - (h->others != NULL ? h->others->first : 0);
    return place >= 0 && place < h->rows.nodes ? place : -1;
}

/* Rows first .. end-1 of the product with the columns in `now`, hidden ones; the others 0. */
static void multiply(heard *h, int64_t first, int64_t end)
{
    const int s = h->seen;
    netdp_i_rows_apply_part(h->rows, (int32_t)first, (int32_t)end, h->now, h->next + first * s, s);
    for (int64_t v = first; v < end; v++)
        if (!h->hidden[v])
            memset(h->next + v * s, 0, (size_t)s * sizeof *h->next);
}

/* `next` becomes `now`, with what the other processes have of it. */
static netdp_status step(heard *h, netdp_error *error)
{
    double *swap = h->now;
    h->now = h->next;
    h->next = swap;
    return h->others != NULL ? h->others->fetch(h->others->context, h->now, h->seen, error)
                             : NETDP_OK;
}

static void find_hidden(heard *h, const netdp_i_observer *observer)
{
    memset(h->hidden, 1, (size_t)h->rows.nodes * sizeof *h->hidden);
    for (int32_t j = 0; j < observer->quiet_count + observer->seen_count; j++) {
        const int32_t quiet = j - observer->seen_count;
        const int32_t place = place_of(h, quiet < 0 ? observer->seen[j] : observer->quiet[quiet]);
        if (place >= 0)
            h->hidden[place] = false;
    }
    for (int32_t v = 0; v < h->rows.nodes; v++)
        h->entries = fmax(h->entries, (double)(h->rows.start[v + 1] - h->rows.start[v]));
}

/* G' as the first block of columns: W's of the seen nodes. */
static netdp_status begin(heard *h, const netdp_i_observer *observer, netdp_error *error)
{
    for (int32_t j = 0; j < h->seen; j++) {
        const int32_t place = place_of(h, observer->seen[j]);
        if (place >= 0)
            h->next[(int64_t)place * h->seen + j] = 1;
    }
    if (h->others != NULL) /* no less than the largest of them */
        h->others->sum(&h->entries, 1);
    TRY(agree(h, step(h, error), error));
    multiply(h, 0, h->rows.nodes);
    return agree(h, step(h, error), error);
}

/* The next columns of a part of the rows, and what it adds to M_{2t} and M_{2t+1}. */
static void advance_part(heard *h, int64_t part)
{
    const int s = h->seen;
    const int64_t size = (int64_t)s * s, end = h->rows.nodes * (part + 1) / PARTS;
    double *sum = h->part + part * 4 * size, *strip = sum + 2 * size;
    memset(sum, 0, 2 * (size_t)size * sizeof *sum);
    for (int64_t first = h->rows.nodes * part / PARTS; first < end; first += STRIP) {
        const int count = (int)(end - first < STRIP ? end - first : STRIP);
        const double *x = h->now + first * s, *y = h->next + first * s;
        multiply(h, first, first + count);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s, s, count, 1, x, s, x, s, 0, strip,
                    s);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s, s, count, 1, x, s, y, s, 0,
                    strip + size, s);
        for (int64_t k = 0; k < 2 * size; k++)
            sum[k] += strip[k];
    }
}

static void keep_batch(heard *h, int64_t t, int64_t batch)
{
    const int64_t s = h->seen, first = batch * BATCH, left = h->of->count - first;
    double *told = h->told + (batch * h->states + t) * BATCH * s;
    for (int64_t i = 0; i < BATCH && i < left; i++)
        memcpy(told + i * s, h->now + h->of->node[first + i] * s, (size_t)s * sizeof *told);
}

/* All rounds: the sources' columns and the M_k. */
static netdp_status listen(heard *h, netdp_error *error)
{
    const int64_t size = 2 * (int64_t)h->seen * h->seen;
    for (int64_t t = 0; t < h->states; t++) {
#pragma omp parallel if ((double)h->rows.nodes * h->seen > 1e5)
        {
#pragma omp for schedule(static) nowait
            for (int64_t batch = 0; batch < batches(h->of->count); batch++)
                keep_batch(h, t, batch);
#pragma omp for schedule(dynamic, 1)
            for (int64_t part = 0; part < PARTS; part++)
                advance_part(h, part);
        }
        double *moment = h->moment + t * size;
        for (int64_t part = 0; part < PARTS; part++)
            for (int64_t k = 0; k < size; k++)
                moment[k] += h->part[part * 2 * size + k];
        TRY(agree(
            h, netdp_i_report(h->progress, "accounting", (double)(t + 1), (double)h->states, error),
            error));
        TRY(agree(h, step(h, error), error));
    }
    if (h->others != NULL)
        h->others->sum(h->moment, h->states * size);
    return NETDP_OK;
}

/* K / nu^2, along its diagonals of blocks. */
static void find_covariance(heard *h)
{
    const int64_t s = h->seen, size = s * s, r = h->states * s;
    const double scale = 1 / (h->noise * h->noise);
    double *sum = h->part;
    for (int64_t apart = 0; apart < h->states; apart++) {
        memset(sum, 0, (size_t)size * sizeof *sum);
        for (int64_t t = 0; t + apart < h->states; t++) {
            const double *moment = h->moment + (2 * t + apart) * size;
            double *block = h->factor + (t + apart) * s * r + t * s;
            for (int64_t i = 0; i < s; i++)
                for (int64_t j = 0; j < s; j++) {
                    block[i * r + j] = sum[i * s + j] + scale * moment[i * s + j];
                    sum[i * s + j] += moment[i * s + j];
                }
            for (int64_t i = 0; apart == 0 && i < s; i++)
                block[i * r + i] += 1;
        }
    }
}

/* What rounding takes of an entry of F^t G', of its own: a product and a sum for each entry of a row and round. */
static double taken_of_columns(const heard *h, double rounds)
{
    return rounds * (h->entries + 1) * UNIT;
}

/* The same of an entry of K / nu^2, between the rounds `first` and `second`, which is not behind it. */
static double taken_of_entry(const heard *h, double first, double second)
{
    const double adds =
        STRIP + (double)h->rows.nodes / PARTS / STRIP + PARTS + 3 +
        (h->others != NULL ? h->others->size + 1 : 0); /* or a node more than here */
    return taken_of_columns(h, first + second) + (adds + second + 6) * UNIT;
}

/* |K / nu^2 - what is in memory of it|, by the sums of the rows: entries and what rounding takes of them are not negative. */
static double bound_covariance(const heard *h)
{
    const int64_t s = h->seen, r = h->states * s;
    double *sum = h->rest, most = 0;
    memset(sum, 0, (size_t)r * sizeof *sum);
    for (int64_t a = 0; a < r; a++)
        for (int64_t b = 0; b <= a; b++) {
            const double error =
                h->covariance[a * r + b] * taken_of_entry(h, (double)(a / s), (double)(b / s));
            sum[a] += error;
            sum[b] += a == b ? 0 : error;
        }
    for (int64_t a = 0; a < r; a++)
        most = netdp_i_most(most, sum[a]);
    return most * MORE;
}

/* |L|_2^2 with its entries' absolute values, by the sums of the rows of |L| |L|'. */
static double bound_factor(const heard *h)
{
    const int64_t r = h->states * h->seen;
    double *sum = h->rest, most = 0;
    memset(sum, 0, (size_t)r * sizeof *sum);
    for (int64_t a = 0; a < r; a++)
        for (int64_t b = 0; b <= a; b++)
            sum[b] += fabs(h->factor[a * r + b]);
    for (int64_t a = 0; a < r; a++) {
        double row = 0;
        for (int64_t b = 0; b <= a; b++)
            row += fabs(h->factor[a * r + b]) * sum[b];
        most = netdp_i_most(most, row);
    }
    return most * MORE;
}

/* What K / nu^2 - L L' of a tile's rows adds to the sums of rows, each side of the diagonal. */
static netdp_status compare_tile(void *context, int64_t tile, int thread, netdp_error *error)
{
    (void)thread;
    const heard *h = context;
    const int64_t r = h->states * h->seen, top = tile * TILE,
                  rows = r - top < TILE ? r - top : TILE;
    OWNED double *all = NETDP_I_NEW(double, 2 * TILE * TILE);
    if (all == NULL)
        return netdp_i_no_memory(error);
    double *sum = h->rest + tile * r, *one = all + TILE * TILE;
    memset(sum, 0, (size_t)r * sizeof *sum);
    for (int64_t left = 0; left <= top; left += TILE) {
        const int64_t columns = r - left < TILE ? r - left : TILE;
        memset(all, 0, TILE * TILE * sizeof *all);
        for (int64_t k = 0; k < left + columns; k += PANEL) {
            const int64_t wide = left + columns - k < PANEL ? left + columns - k : PANEL;
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, (int)wide,
                        1, h->factor + top * r + k, (int)r, h->factor + left * r + k, (int)r, 0,
                        one, TILE);
            for (int64_t i = 0; i < rows * TILE; i++)
                all[i] += one[i];
        }
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns && left + j <= top + i; j++) {
                const double off =
                    fabs(h->covariance[(top + i) * r + left + j] - all[i * TILE + j]);
                sum[top + i] += off;
                sum[left + j] += left + j == top + i ? 0 : off;
            }
    }
    return NETDP_OK;
}

/* What is proven of L: how far L L' is from the truth, and how large L is. */
static netdp_status prove_factor(heard *h, netdp_error *error)
{
    const int64_t r = h->states * h->seen;
    const double covariance = bound_covariance(h), square = bound_factor(h);
    double most = 0;
    TRY(netdp_i_for_each(tiles(h), compare_tile, h, NULL, "", error));
    for (int64_t a = 0; a < r; a++) {
        double sum = 0;
        for (int64_t tile = 0; tile < tiles(h); tile++)
            sum += h->rest[tile * r + a];
        most = netdp_i_most(most, sum);
    }
    const double chain = taken_of_columns(h, 2 * (double)h->states) + ((double)r + STRIP) * UNIT;
    h->size = sqrt(square) * MORE;
    h->off =
        chain > MOST
            ? INFINITY
            : (covariance + most * MORE + (PANEL + (double)r / PANEL + 5) * UNIT * square) * MORE;
    return NETDP_OK;
}

/* L of L L' = K / nu^2: a lower triangle, the rest of it 0. */
static netdp_status find_factor(heard *h, netdp_error *error)
{
    const int64_t r = h->states * h->seen;
    memcpy(h->covariance, h->factor, (size_t)(r * r) * sizeof *h->factor);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)r, h->factor, (int)r) != 0) {
        h->off = INFINITY; /* whatever stands there proves 1 */
        return NETDP_OK;
    }
    for (int64_t a = 0; a < r; a++) { /* above the diagonal, as far as a tile is read */
        const int64_t tile = (a / TILE + 1) * TILE, block = (a / h->seen + 1) * h->seen;
        for (int64_t b = a + 1; b < r && (b < tile || b < block); b++)
            h->factor[a * r + b] = 0;
    }
    return prove_factor(h, error);
}

/* Of |L^{-1} q / nu|, what rounding takes beside the factor's part: of q, and of L y where that is compared with q. */
static double taken_of_solution(const heard *h)
{
    const double r = (double)(h->states * h->seen);
    return (2 * (r + 8) * UNIT + taken_of_columns(h, (double)h->states)) * MORE;
}

/*
 * Outward, of z about q / nu, y about L^{-1} z and product about L y: with left = |q / nu - L y|, at most,
 *     loss = q' K^{-1} q <= (1 + off) |L^{-1} q / nu|^2 <= (1 + off) (|y| + left / sqrt(1 - off))^2.
 */
static double prove_loss(const heard *h, const double *z, const double *y, const double *product)
{
    const int64_t r = h->states * h->seen;
    double square = 0, all = 0, left = 0;
    for (int64_t k = 0; k < r; k++) {
        square += y[k] * y[k];
        all += z[k] * z[k];
        left += (z[k] - product[k]) * (z[k] - product[k]);
    }
    if (all == 0)
        return 0;
    if (!(h->off < 0.5)) /* nothing is proven but that much */
        return 1;
    const double length = sqrt(square) * (1 + (double)(r + 8) * UNIT);
    left = (sqrt(left) + taken_of_solution(h) * (sqrt(all) + h->size * length)) * MORE + VANISHED;
    const double most = length + left / sqrt(1 - h->off) * MORE;
    return most * most * (1 + h->off) * (1 + 8 * UNIT);
}

/*
 * Where what is proven of L is wide: with A = K / nu^2, which is at least 1, and any w,
 *     loss = z'A^{-1} z = 2 z'w - w'A w + (z - A w)'A^{-1} (z - A w) <= w'(2 z - A w) + |z - A w|^2,
 * of which only the first part rounds, by parts of sums of sizes. product: A w, sizes: A |w|. *width: of it, what that adds.
 */
static double sharp_loss(const heard *h, const double *z, const double *w, const double *product,
                         const double *sizes, double *width)
{
    const int64_t r = h->states * h->seen;
    const double sums = (double)(r + 8) * UNIT * MORE, last = (double)h->states;
    const double of_product = taken_of_entry(h, last, last) + sums;
    double value = 0, taken = 0, left = 0;
    for (int64_t k = 0; k < r; k++) {
        const double round = (double)(k / h->seen), size = fabs(w[k]);
        const double of_z = (taken_of_columns(h, round) + 4 * UNIT) * z[k] + VANISHED;
        const double rest =
            fabs(z[k] - product[k]) * (1 + 2 * UNIT) + of_z + of_product * sizes[k] + VANISHED;
        value += w[k] * (2 * z[k] - product[k]);
        /* what rounds of an entry of A goes by the sum of its rounds: of all, by twice a row's own */
        taken += size * (2 * of_z + (taken_of_entry(h, round, round) + sums) * sizes[k] +
                         sums * (2 * z[k] + fabs(product[k])) + VANISHED);
        left += rest * rest;
    }
    *width = (taken + left) * MORE;
    const double loss = (value + *width) * (1 + 8 * UNIT);
    *width = value > 0 ? *width / value : INFINITY;
    return loss >= 0 ? loss : INFINITY;
}

/* For a batch: z and L^{-1} z, [count][r], which is overwritten. */
static netdp_status sharpen_batch(const heard *h, const double *z, double *x, int64_t first,
                                  int64_t count, netdp_error *error)
{
    const int64_t r = h->states * h->seen;
    OWNED double *product = NETDP_I_NEW(double, 3 * count * r);
    if (product == NULL)
        return netdp_i_no_memory(error);
    double *sizes = product + count * r, *bare = sizes + count * r;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)count,
                (int)r, 1, h->factor, (int)r, x, (int)r);
    cblas_dsymm(CblasRowMajor, CblasRight, CblasLower, (int)count, (int)r, 1, h->covariance, (int)r,
                x, (int)r, 0, product, (int)r);
    for (int64_t k = 0; k < count * r; k++)
        bare[k] = fabs(x[k]);
    cblas_dsymm(CblasRowMajor, CblasRight, CblasLower, (int)count, (int)r, 1, h->covariance, (int)r,
                bare, (int)r, 0, sizes, (int)r);
    for (int64_t i = 0; i < count; i++) {
        double *loss = &h->of->loss[first + i];
        if (!h->hidden[h->of->node[first + i]] || *loss == 0)
            continue;
        double width = 0;
        const double sharp =
            sharp_loss(h, z + i * r, x + i * r, product + i * r, sizes + i * r, &width);
        if (!(sharp < *loss))
            continue;
        *loss = sharp;
        h->width[first + i] = width;
    }
    return NETDP_OK;
}

/* |L^{-1} q_u / nu|^2 */
static netdp_status solve_batch(void *context, int64_t batch, int thread, netdp_error *error)
{
    (void)thread;
    const heard *h = context;
    const int64_t s = h->seen, r = h->states * s, first = batch * BATCH;
    const int64_t left = h->of->count - first, count = left < BATCH ? left : BATCH;
    OWNED double *x = NETDP_I_NEW(double, 3 * count * r);
    if (x == NULL)
        return netdp_i_no_memory(error);
    double *z = x + count * r, *product = z + count * r;
    for (int64_t t = 0; t < h->states; t++)
        for (int64_t i = 0; i < count; i++)
            memcpy(x + i * r + t * s, h->told + ((batch * h->states + t) * BATCH + i) * s,
                   (size_t)s * sizeof *x);
    cblas_dscal((int)(count * r), 1 / h->noise, x, 1);
    memcpy(z, x, (size_t)(count * r) * sizeof *x);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)count, (int)r,
                1, h->factor, (int)r, x, (int)r);
    memcpy(product, x, (size_t)(count * r) * sizeof *x);
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)count, (int)r,
                1, h->factor, (int)r, product, (int)r);
    for (int64_t i = 0; i < count; i++) {
        const double loss = prove_loss(h, z + i * r, x + i * r, product + i * r);
        h->of->loss[first + i] = !h->hidden[h->of->node[first + i]] || !(loss <= 1) ? 1 : loss;
    }
    return h->wide ? sharpen_batch(h, z, x, first, count, error) : NETDP_OK;
}

double netdp_i_heard_bytes(double nodes, double seen, double rounds, double sources)
{
    const double r = rounds * seen;
    return 8 * ((sources + 3 * BATCH) * r + 2 * r * r + 2 * nodes * seen);
}

netdp_status netdp_i_heard_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                const netdp_i_others *others, bool sharpen, double *width,
                                const netdp_i_sources *of, const netdp_progress *progress,
                                netdp_error *error)
{
    CLEARED(heard_clear)
    heard h = {.rows = others != NULL ? others->rows : netdp_mixing_rows(protocol->mixing),
               .others = others,
               .seen = observer->seen_count,
               .states = protocol->rounds - 1,
               .noise = netdp_linear_least_noise(protocol),
               .of = of,
               .width = width,
               .progress = progress};
    netdp_i_dense_begin();
    TRY(agree(&h, allocate(&h, error), error));
    find_hidden(&h, observer);
    memset(width, 0, (size_t)of->count * sizeof *width);
    if (h.seen == 0 || h.states == 0) {
        for (int32_t i = 0; i < of->count; i++)
            of->loss[i] = h.hidden[of->node[i]] ? 0 : 1;
        return NETDP_OK;
    }
    TRY(begin(&h, observer, error));
    TRY(listen(&h, error));
    find_covariance(&h);
    TRY(find_factor(&h, error));
    const double all = h.off + 8 * taken_of_solution(&h) * h.size;
    for (int32_t i = 0; i < of->count; i++)
        width[i] = h.hidden[of->node[i]] ? all : 0;
    h.wide = sharpen && all > NETDP_I_HEARD_NARROW && isfinite(h.off);
    return netdp_i_for_each(batches(of->count), solve_batch, &h, progress, "sources", error);
}
