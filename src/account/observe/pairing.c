/*
 * [D^-1]_uu is the least of |a|^2 + |c|^2 over a + kappa B c = e_u: the least shift of the own
 * noise a and of the pairs' noise c that hides a unit contribution of u, B the incidence matrix of
 * the pairs that the observers do not share. Every c, with the a that it leaves, gives an upper
 * bound: the inverse is only taken to find a good one, and its errors count in their square.
 */
#include "account/observe/pairing.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mixing/dense.h"

/* What one operation rounds by, relatively. */
#define UNIT (DBL_EPSILON / 2)

/* A bound that exceeds the inverse's entry by more, in parts of it, deserves a better inverse. */
#define LOOSE 1e-10

void netdp_i_paired_clear(netdp_i_paired *paired)
{
    netdp_i_free(paired->inverse);
    *paired = (netdp_i_paired){0};
}

/* I + kappa^2 L without the marked nodes, whose rows are those of I; lower triangle. */
static void fill_covariance(const netdp_pairing *pairing, const char *mark, double *d)
{
    const int64_t n = netdp_graph_nodes(pairing->graph);
    const double energy = pairing->noise * pairing->noise;
    memset(d, 0, (size_t)(n * n) * sizeof *d);
    for (int64_t v = 0; v < n; v++) {
        d[v * n + v] = 1;
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, (int32_t)v); i++) {
            const int32_t w = netdp_graph_neighbours(pairing->graph, (int32_t)v)[i];
            if (mark[v] != 0 || mark[w] != 0)
                continue;
            d[v * n + v] += energy;
            if (w > v)
                d[v * n + w] = -energy;
        }
    }
}

void netdp_i_paired_noise(const netdp_pairing *pairing, const int32_t *place, int32_t count,
                          double *noise)
{
    const double energy = pairing->noise * pairing->noise;
    const int64_t n = count;
    memset(noise, 0, (size_t)(n * n) * sizeof *noise);
    for (int32_t v = 0; v < netdp_graph_nodes(pairing->graph); v++) {
        const int64_t i = place[v];
        if (i < 0)
            continue;
        noise[i * n + i] += 1;
        for (int32_t k = 0; k < netdp_graph_degree(pairing->graph, v); k++) {
            const int64_t j = place[netdp_graph_neighbours(pairing->graph, v)[k]];
            if (j < 0)
                continue;
            noise[i * n + i] += energy;
            if (j > i)
                noise[i * n + j] = -energy;
        }
    }
}

/* The inverse of fill_covariance's matrix, its lower triangle. */
static netdp_status invert(const netdp_pairing *pairing, const char *mark, double *inverse,
                           netdp_error *error)
{
    const int n = netdp_graph_nodes(pairing->graph);
    netdp_i_dense_begin();
    fill_covariance(pairing, mark, inverse);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, inverse, n) != 0 ||
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', n, inverse, n) != 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "pair-noise: %g leaves no digits of the covariance; give less",
                            pairing->noise);
    return NETDP_OK;
}

netdp_status netdp_i_paired_new(const netdp_pairing *pairing, int32_t nodes, netdp_i_paired *paired,
                                netdp_error *error)
{
    netdp_i_paired made = {pairing, nodes, NULL};
    if (nodes > NETDP_DENSE_NODES) {
        *paired = made;
        return NETDP_OK;
    }
    made.inverse = NETDP_I_NEW(double, (int64_t)nodes *nodes);
    char *mark = NETDP_I_NEW(char, nodes);
    netdp_status status = made.inverse == NULL || mark == NULL
                              ? netdp_i_no_memory(error)
                              : invert(pairing, mark, made.inverse, error);
    netdp_i_free(mark);
    if (status != NETDP_OK) {
        netdp_i_paired_clear(&made);
        return status;
    }
    *paired = made;
    return NETDP_OK;
}

/* ---- The inverse without the observers ---- */

/* inverse += sign columns block^-1 columns', in its lower triangle; block [rank][rank]. */
static bool update(double *inverse, int n, double *block, double *columns, int32_t rank,
                   double sign)
{
    if (rank == 0)
        return true;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rank, block, rank) != 0)
        return false;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, rank, 1, block,
                rank, columns, n);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, rank, sign, columns, n, 1, inverse, n);
    return true;
}

/* Columns of a symmetric matrix of which the lower triangle is there. */
static void copy_columns(const double *matrix, int64_t n, const int32_t *which, int32_t count,
                         double *columns)
{
    for (int64_t j = 0; j < count; j++)
        for (int64_t v = 0; v < n; v++)
            columns[j * n + v] = v < which[j] ? matrix[v * n + which[j]] : matrix[which[j] * n + v];
}

/*
 * Taking the observers out: their rows and columns go (a Schur complement), and each of their
 * partners w loses kappa^2 times its pairs with them, `cut`, on the diagonal. Both are low-rank
 * changes of the whole inverse, which goes to `inverse`. False: too many digits are lost.
 */
static bool remove_observers(const netdp_i_paired *paired, const int32_t *observers, int32_t count,
                             const int32_t *partner, const double *cut, int32_t partners,
                             double *inverse, double *block, double *columns)
{
    const int n = paired->nodes;
    const double energy = paired->pairing->noise * paired->pairing->noise;
    memcpy(inverse, paired->inverse, (size_t)n * (size_t)n * sizeof *inverse);
    copy_columns(inverse, n, observers, count, columns);
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < count; i++)
            block[j * count + i] = columns[j * n + observers[i]];
    if (!update(inverse, n, block, columns, count, -1))
        return false;
    copy_columns(inverse, n, partner, partners, columns);
    for (int64_t j = 0; j < partners; j++)
        for (int64_t i = 0; i < partners; i++)
            block[j * partners + i] =
                (i == j ? 1 / (energy * cut[j]) : 0) - columns[j * n + partner[i]];
    return update(inverse, n, block, columns, partners, 1);
}

/* ---- The bound from any column ---- */

/* Columns that are bounded side by side. */
enum { LANES = 8 };

/* x [nodes][LANES]: some columns of the inverse, of the nodes u. */
typedef struct lanes {
    const netdp_pairing *pairing;
    const char *mark; /* [nodes]: of the observers */
    int32_t u[LANES];
    const double *x;
} lanes;

/*
 * What node v adds to |a|^2 + |c|^2 of the shift that a column x = D^-1 e_u gives, c_vw = kappa
 * (x_v - x_w) and a = e_u - kappa B c, from above: the c are taken as the doubles that they are,
 * and the sums' rounding is added.
 */
static void add_node(const lanes *l, int32_t v, long double sum[LANES])
{
    const netdp_graph *graph = l->pairing->graph;
    const int32_t *neighbour = netdp_graph_neighbours(graph, v);
    const int32_t degree = netdp_graph_degree(graph, v);
    const double kappa = l->pairing->noise, *here = l->x + (int64_t)v * LANES;
    double flow[LANES] = {0}, size[LANES] = {0}, pairs[LANES] = {0};
    for (int32_t i = 0; i < degree; i++) {
        const int32_t w = neighbour[i];
        const double *there = l->x + (int64_t)w * LANES, once = w > v ? 1 : 0;
        if (l->mark[w] != 0)
            continue;
        for (int k = 0; k < LANES; k++) {
            const double c = kappa * (here[k] - there[k]); /* from w the same, but for its sign */
            flow[k] += c;
            size[k] += fabs(c);
            pairs[k] += once * (c * c);
        }
    }
    const double rounding = (degree + 4) * UNIT, upward = 1 + (degree + 6) * UNIT;
    for (int k = 0; k < LANES; k++) {
        const double own = v == l->u[k] ? 1 : 0;
        const double a = fabs(own - kappa * flow[k]) + rounding * (own + kappa * size[k]);
        sum[k] += (long double)upward * (a * a + pairs[k]);
    }
}

/* loss[k] of lane k from its column, INFINITY of an observer. */
static void bound_lanes(const lanes *l, int64_t n, double loss[LANES])
{
    long double sum[LANES] = {0};
    for (int32_t v = 0; v < n; v++)
        if (l->mark[v] == 0)
            add_node(l, v, sum);
    for (int k = 0; k < LANES; k++) {
        const double bound = (double)(sum[k] * (1 + (long double)n * UNIT));
        loss[k] = l->mark[l->u[k]] != 0 ? INFINITY : fmin(1, nextafter(bound, INFINITY));
    }
}

/* Bounds of all asked nodes; the largest part by which one exceeds the inverse's entry. */
static double bound_all(const netdp_pairing *pairing, const char *mark, const int32_t *from,
                        int32_t count, const double *inverse, double *x, double *loss)
{
    const int64_t n = netdp_graph_nodes(pairing->graph);
    double loosest = 0, bound[LANES];
    lanes l = {.pairing = pairing, .mark = mark, .x = x};
    for (int32_t first = 0; first < count; first += LANES) {
        for (int k = 0; k < LANES; k++) { /* the last lanes may repeat a node */
            l.u[k] = from[first + k < count ? first + k : first];
            for (int64_t v = 0; v < n; v++)
                x[v * LANES + k] = v < l.u[k] ? inverse[v * n + l.u[k]] : inverse[l.u[k] * n + v];
        }
        bound_lanes(&l, n, bound);
        for (int k = 0; k < LANES && first + k < count; k++) {
            const int64_t u = l.u[k];
            loss[first + k] = bound[k];
            if (mark[u] == 0)
                loosest = fmax(loosest, bound[k] / inverse[u * n + u] - 1);
        }
    }
    return loosest;
}

/* ---- Columns of large networks, by conjugate gradients ---- */

/* What a column that is found iteratively may add to its bound, and after how many steps it must do:
 * the bound of step i is x_u + |r|^2, r what is left of e_u. */
#define LEFT 1e-10
enum { STEPS = 1000 };

/* y = D x, the observers' rows and columns apart. */
static void multiply(const netdp_pairing *pairing, const char *mark, const double *x, double *y)
{
    const netdp_graph *graph = pairing->graph;
    const double energy = pairing->noise * pairing->noise;
    for (int64_t v = 0; v < netdp_graph_nodes(graph); v++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, (int32_t)v);
        const double *here = x + v * LANES;
        double sum[LANES] = {0};
        for (int32_t i = 0; mark[v] == 0 && i < netdp_graph_degree(graph, (int32_t)v); i++)
            if (mark[neighbour[i]] == 0)
                for (int k = 0; k < LANES; k++)
                    sum[k] += here[k] - x[(int64_t)neighbour[i] * LANES + k];
        for (int k = 0; k < LANES; k++)
            y[v * LANES + k] = mark[v] != 0 ? 0 : here[k] + energy * sum[k];
    }
}

static void products(const double *a, const double *b, int64_t n, double product[LANES])
{
    memset(product, 0, LANES * sizeof *product);
    for (int64_t v = 0; v < n; v++)
        for (int k = 0; k < LANES; k++)
            product[k] += a[v * LANES + k] * b[v * LANES + k];
}

/* x = D^-1 e_u of the lanes, nearly; `room` [3][nodes][LANES]. */
static void find_columns(const lanes *l, double *x, double *room)
{
    const int64_t n = netdp_graph_nodes(l->pairing->graph), size = n * LANES;
    double *r = room, *p = r + size, *q = p + size, left[LANES], after[LANES], curve[LANES];
    bool more = true;
    memset(x, 0, (size_t)size * sizeof *x);
    memset(r, 0, (size_t)size * sizeof *r);
    for (int k = 0; k < LANES; k++)
        r[(int64_t)l->u[k] * LANES + k] = l->mark[l->u[k]] == 0;
    memcpy(p, r, (size_t)size * sizeof *p);
    products(r, r, n, left);
    for (int step = 0; more && step < STEPS; step++) {
        double along[LANES], turn[LANES];
        multiply(l->pairing, l->mark, p, q);
        products(p, q, n, curve);
        for (int k = 0; k < LANES; k++)
            along[k] = curve[k] > 0 ? left[k] / curve[k] : 0;
        for (int64_t v = 0; v < n; v++)
            for (int k = 0; k < LANES; k++) {
                x[v * LANES + k] += along[k] * p[v * LANES + k];
                r[v * LANES + k] -= along[k] * q[v * LANES + k];
            }
        products(r, r, n, after);
        more = false;
        for (int k = 0; k < LANES; k++) {
            more = more || after[k] > LEFT * x[(int64_t)l->u[k] * LANES + k];
            turn[k] = left[k] > 0 ? after[k] / left[k] : 0;
            left[k] = after[k];
        }
        for (int64_t i = 0; more && i < size; i++)
            p[i] = r[i] + turn[i % LANES] * p[i];
    }
}

static netdp_status bound_large(const netdp_pairing *pairing, const char *mark, const int32_t *from,
                                int32_t count, double *loss, const netdp_progress *progress,
                                netdp_error *error)
{
    const int64_t n = netdp_graph_nodes(pairing->graph);
    double *x = NETDP_I_NEW(double, LANES *n), *room = NETDP_I_NEW(double, 3 * LANES * n);
    lanes l = {.pairing = pairing, .mark = mark, .x = x};
    netdp_status status = x == NULL || room == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    for (int32_t first = 0; status == NETDP_OK && first < count; first += LANES) {
        double bound[LANES];
        status = netdp_i_report(progress, "noise in pairs", first, count, error);
        if (status != NETDP_OK)
            break;
        for (int k = 0; k < LANES; k++)
            l.u[k] = from[first + k < count ? first + k : first];
        find_columns(&l, x, room);
        bound_lanes(&l, n, bound);
        for (int k = 0; k < LANES && first + k < count; k++)
            loss[first + k] = bound[k];
    }
    netdp_i_free(x);
    netdp_i_free(room);
    return status;
}

/* Whom the observers share pairs with, and how many each. Returns how many such nodes. */
static int32_t find_partners(const netdp_pairing *pairing, const char *mark,
                             const int32_t *observers, int32_t count, int32_t *partner, double *cut)
{
    const netdp_graph *graph = pairing->graph;
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < netdp_graph_degree(graph, observers[i]); k++) {
            const int32_t w = netdp_graph_neighbours(graph, observers[i])[k];
            int32_t at = 0;
            if (mark[w] != 0)
                continue;
            while (at < found && partner[at] != w)
                at++;
            if (at == found) {
                partner[found] = w;
                cut[found++] = 0;
            }
            cut[at]++;
        }
    return found;
}

/* By the inverse that observers share. */
static netdp_status bound_shared(const netdp_i_paired *paired, const char *mark,
                                 const int32_t *observers, int32_t count, const int32_t *from,
                                 int32_t from_count, double *loss, netdp_error *error)
{
    const int64_t n = paired->nodes;
    int32_t *partner = NETDP_I_NEW(int32_t, n);
    double *cut = NETDP_I_NEW(double, n), *inverse = NETDP_I_NEW(double, n *n);
    double *block = NULL, *columns = NULL, *x = NETDP_I_NEW(double, LANES *n);
    netdp_status status = NETDP_OK;
    if (partner == NULL || cut == NULL || inverse == NULL || x == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    const int32_t partners = find_partners(paired->pairing, mark, observers, count, partner, cut);
    const int64_t most = partners > count ? partners : count;
    block = NETDP_I_NEW(double, most *most + 1);
    columns = NETDP_I_NEW(double, most *n + 1);
    if (block == NULL || columns == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    const bool updated = 4 * most < n && remove_observers(paired, observers, count, partner, cut,
                                                          partners, inverse, block, columns);
    if (updated && bound_all(paired->pairing, mark, from, from_count, inverse, x, loss) <= LOOSE)
        goto done;
    status = invert(paired->pairing, mark, inverse, error);
    if (status == NETDP_OK)
        (void)bound_all(paired->pairing, mark, from, from_count, inverse, x, loss);
done:
    netdp_i_free(partner);
    netdp_i_free(cut);
    netdp_i_free(inverse);
    netdp_i_free(block);
    netdp_i_free(columns);
    netdp_i_free(x);
    return status;
}

netdp_status netdp_i_paired_loss(const netdp_i_paired *paired, const int32_t *observers,
                                 int32_t count, const int32_t *from, int32_t from_count,
                                 double *loss, const netdp_progress *progress, netdp_error *error)
{
    char *mark = NETDP_I_NEW(char, paired->nodes);
    if (mark == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < count; i++)
        mark[observers[i]] = 1;
    netdp_status status =
        paired->inverse != NULL
            ? bound_shared(paired, mark, observers, count, from, from_count, loss, error)
            : bound_large(paired->pairing, mark, from, from_count, loss, progress, error);
    netdp_i_free(mark);
    return status;
}
