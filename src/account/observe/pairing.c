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
#include "base/parallel.h"
#include "base/try.h"
#include "graph/graph.h"
#include "mixing/dense.h"
#include "mixing/twins.h"
#include "protocol/pairing.h"

/* What one operation rounds by, relatively. */
#define UNIT (DBL_EPSILON / 2)

/* Of more nodes than a few, of so few kinds of twins, columns are found one by one. */
enum { FEW_NODES = 500, FEW_KINDS = 64 };

/* A bound that exceeds the inverse's entry by more, in parts of it, deserves a better inverse. */
#define LOOSE 1e-10

void netdp_i_paired_clear(netdp_i_paired *paired)
{
    netdp_i_free(paired->inverse);
    netdp_i_free(paired->column);
    netdp_i_free(paired->sum);
    *paired = (netdp_i_paired){0};
}

/* I + kappa^2 L without the marked nodes, whose rows are those of I; lower triangle. */
static void fill_covariance(const netdp_pairing *pairing, const char *mark, double *d)
{
    const int64_t n = netdp_graph_nodes(pairing->graph);
    memset(d, 0, (size_t)(n * n) * sizeof *d);
    for (int64_t v = 0; v < n; v++) {
        d[v * n + v] = 1;
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, (int32_t)v); i++) {
            const int32_t w = netdp_graph_neighbours(pairing->graph, (int32_t)v)[i];
            if (mark[v] != 0 || mark[w] != 0)
                continue;
            const double kappa = netdp_i_pairing_kappa(pairing, (int32_t)v, i);
            d[v * n + v] += kappa * kappa;
            if (w > v)
                d[v * n + w] = -(kappa * kappa);
        }
    }
}

void netdp_i_paired_noise(const netdp_pairing *pairing, const int32_t *place, int32_t count,
                          double *noise)
{
    const double energy = pairing->kappa * pairing->kappa;
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
                            pairing->kappa);
    return NETDP_OK;
}

netdp_status netdp_i_paired_new(const netdp_pairing *pairing, int32_t nodes, netdp_i_paired *paired,
                                netdp_error *error)
{
    double least, most;
    netdp_i_pairing_range(pairing, &least, &most);
    CLEARED(netdp_i_paired_clear)
    netdp_i_paired made = {.pairing = pairing, .nodes = nodes, .varies = least < most};
    if (nodes > NETDP_DENSE_NODES) {
        *paired = made;
        return NETDP_OK;
    }
    OWNED char *mark = NETDP_I_NEW(char, nodes);
    OWNED int32_t *twin = NETDP_I_NEW(int32_t, nodes);
    int32_t kinds = 0;
    if (mark == NULL || twin == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_twins(netdp_i_graph_rows(pairing->graph), mark, twin, &kinds, error));
    made.few = nodes > FEW_NODES && kinds <= FEW_KINDS && !made.varies;
    if (made.few) {
        *paired = made;
        return NETDP_OK;
    }
    made.inverse = NETDP_I_NEW(double, (int64_t)nodes *nodes);
    if (made.inverse == NULL)
        return netdp_i_no_memory(error);
    TRY(invert(pairing, mark, made.inverse, error));
    *paired = made;
    made = (netdp_i_paired){0};
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
    const double energy = paired->pairing->kappa * paired->pairing->kappa;
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
    const int32_t *place; /* [nodes]: of a node in `own`, from 1; 0: it is in x. NULL: all are */
    const double *own;
} lanes;

static const double *column_at(const lanes *l, int32_t v)
{
    return l->place != NULL && l->place[v] > 0 ? l->own + (int64_t)(l->place[v] - 1) * LANES
                                               : l->x + (int64_t)v * LANES;
}

static double weight_of(const netdp_pairing *pairing, int32_t node, int32_t index)
{
    return pairing->weighted ? netdp_i_graph_weights(pairing->graph, node)[index] : 1;
}

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
    const double *here = column_at(l, v), equal = l->pairing->kappa;
    const double *weight = l->pairing->weighted ? netdp_i_graph_weights(graph, v) : NULL;
    double flow[LANES] = {0}, size[LANES] = {0}, pairs[LANES] = {0};
    for (int32_t i = 0; i < degree; i++) {
        const int32_t w = neighbour[i];
        if (l->mark[w] != 0)
            continue;
        const double *there = column_at(l, w), once = w > v ? 1 : 0;
        const double part = weight != NULL ? weight[i] : 1, kappa = equal * part;
        for (int k = 0; k < LANES; k++) {
            const double c = kappa * (here[k] - there[k]); /* from w the same, but for its sign */
            flow[k] += part * c;
            size[k] += part * fabs(c);
            pairs[k] += once * (c * c);
        }
    }
    const double rounding = (degree + 4) * UNIT, upward = 1 + (degree + 6) * UNIT;
    for (int k = 0; k < LANES; k++) {
        const double own = v == l->u[k] ? 1 : 0;
        const double a = fabs(own - equal * flow[k]) + rounding * (own + equal * size[k]);
        sum[k] += (long double)upward * (a * a + pairs[k]);
    }
}

/* loss[k] of lane k from the sum over nodes, INFINITY of an observer. */
static void round_up(const lanes *l, int64_t n, const long double sum[LANES], double loss[LANES])
{
    for (int k = 0; k < LANES; k++) {
        const double bound = (double)(sum[k] * (1 + (long double)n * UNIT));
        loss[k] = l->mark[l->u[k]] != 0 ? INFINITY : fmin(1, nextafter(bound, INFINITY));
    }
}

/* The same from its column. */
static void bound_lanes(const lanes *l, int64_t n, double loss[LANES])
{
    long double sum[LANES] = {0};
    for (int32_t v = 0; v < n; v++)
        if (l->mark[v] == 0)
            add_node(l, v, sum);
    round_up(l, n, sum, loss);
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

/* Columns that all observers share: of so many nodes at most; what their bound may exceed the least
 * one by, in parts of it. */
enum { MOST_SHARED = 64 };
#define NEAR 1e-3

/* Made better so far from the observers' partners, on so many nodes, in so many steps. */
enum { MOST_RADIUS = 3, MOST_NEAR = 20000, NEAR_STEPS = 8 };

/* y = D x, the observers' rows and columns apart. */
static void multiply(const netdp_pairing *pairing, const char *mark, const double *x, double *y)
{
    const netdp_graph *graph = pairing->graph;
    const double energy = pairing->kappa * pairing->kappa;
    for (int64_t v = 0; v < netdp_graph_nodes(graph); v++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, (int32_t)v);
        const int32_t degree = mark[v] == 0 ? netdp_graph_degree(graph, (int32_t)v) : 0;
        const double *here = x + v * LANES;
        double sum[LANES] = {0};
        for (int32_t i = 0; i < degree; i++)
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

/* x = D^-1 e_u of the lanes, nearly, from what x is; `room` [3][nodes][LANES]. */
static void find_columns(const lanes *l, double *x, double *room)
{
    const int64_t n = netdp_graph_nodes(l->pairing->graph), size = n * LANES;
    double *r = room, *p = r + size, *q = p + size, left[LANES], after[LANES], curve[LANES];
    bool more = true, begun = false;
    for (int64_t i = 0; i < size && !begun; i++)
        begun = x[i] != 0;
    if (begun)
        multiply(l->pairing, l->mark, x, r);
    for (int64_t i = 0; i < size; i++)
        r[i] = begun ? -r[i] : 0;
    for (int k = 0; k < LANES; k++)
        r[(int64_t)l->u[k] * LANES + k] += l->mark[l->u[k]] == 0;
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

/* Observers and whom they share pairs with. */
typedef struct observed {
    const int32_t *node, *partner;
    int32_t count, partners;
} observed;

/* Whom the observers share pairs with, and the squares of the weights of each's pairs with them added up; place [nodes] of 0, where a node stands among them, from 1. Returns how many. */
static int32_t find_partners(const netdp_pairing *pairing, const char *mark, const observed *seen,
                             int32_t *place, int32_t *partner, double *cut)
{
    const netdp_graph *graph = pairing->graph;
    int32_t found = 0;
    for (int32_t i = 0; i < seen->count; i++)
        for (int32_t k = 0; k < netdp_graph_degree(graph, seen->node[i]); k++) {
            const int32_t w = netdp_graph_neighbours(graph, seen->node[i])[k];
            if (mark[w] != 0)
                continue;
            if (place[w] == 0) {
                partner[found] = w;
                cut[found] = 0;
                place[w] = ++found;
            }
            cut[place[w] - 1] += pow(weight_of(pairing, seen->node[i], k), 2);
        }
    return found;
}

/* The nodes of the lanes that begin with from[first]; the last ones may repeat a node. */
static void take_lanes(lanes *l, const int32_t *from, int32_t count, int32_t first)
{
    for (int k = 0; k < LANES; k++)
        l->u[k] = from[first + k < count ? first + k : first];
}

netdp_status netdp_i_paired_share(netdp_i_paired *paired, const int32_t *from, int32_t count,
                                  const netdp_progress *progress, netdp_error *error)
{
    const int64_t n = paired->nodes, groups = (count + LANES - 1) / LANES;
    if (paired->inverse != NULL || paired->few || count > MOST_SHARED)
        return NETDP_OK;
    OWNED char *mark = NETDP_I_NEW(char, n);
    OWNED double *room = NETDP_I_NEW(double, 3 * LANES * n);
    paired->column = NETDP_I_NEW(double, groups *LANES *n);
    paired->sum = NETDP_I_NEW(long double, groups *LANES);
    if (mark == NULL || room == NULL || paired->column == NULL || paired->sum == NULL)
        return netdp_i_no_memory(error);
    for (int64_t g = 0; g < groups; g++) {
        double *x = paired->column + g * LANES * n;
        lanes l = {.pairing = paired->pairing, .mark = mark, .x = x};
        TRY(netdp_i_report(progress, "pairwise noise", (double)g, (double)groups, error));
        take_lanes(&l, from, count, (int32_t)g * LANES);
        find_columns(&l, x, room);
        for (int32_t v = 0; v < n; v++)
            add_node(&l, v, paired->sum + g * LANES);
    }
    return NETDP_OK;
}

/* The observers' partners, what is within `radius` of them, and one layer more; radius -1: partners
 * alone, whose columns stay as they are. */
typedef struct ball {
    int32_t *node, inside, all; /* node[all], of which the first `inside` may change */
    int32_t *place;             /* [nodes]: where a node stands in it, from 1; 0: nowhere */
} ball;

/* False: it would be too large. */
static bool grow(const lanes *l, const int32_t *partner, int32_t partners, int radius, ball *b)
{
    const netdp_graph *graph = l->pairing->graph;
    int32_t from = 0;
    for (; b->all > 0; b->all--)
        b->place[b->node[b->all - 1]] = 0;
    if (partners > MOST_NEAR)
        return false;
    for (int32_t j = 0; j < partners; j++) {
        b->node[b->all] = partner[j];
        b->place[partner[j]] = ++b->all;
    }
    b->inside = 0;
    for (int layer = 0; layer <= radius; layer++) {
        const int32_t until = b->all;
        b->inside = until;
        for (; from < until; from++)
            for (int32_t i = 0; i < netdp_graph_degree(graph, b->node[from]); i++) {
                const int32_t w = netdp_graph_neighbours(graph, b->node[from])[i];
                if (l->mark[w] != 0 || b->place[w] > 0)
                    continue;
                if (b->all == MOST_NEAR)
                    return false;
                b->node[b->all] = w;
                b->place[w] = ++b->all;
            }
    }
    return true;
}

/* y = D x of the inside; of the last layer what D x is there with nothing but the inside. */
static void multiply_near(const lanes *l, const ball *b, const double *x, double *y)
{
    const netdp_graph *graph = l->pairing->graph;
    const double energy = l->pairing->kappa * l->pairing->kappa;
    for (int64_t i = 0; i < b->all; i++) {
        const int32_t v = b->node[i];
        double sum[LANES] = {0}, degree = 0;
        for (int32_t j = 0; j < netdp_graph_degree(graph, v); j++) {
            const int32_t w = netdp_graph_neighbours(graph, v)[j];
            const int64_t at = b->place[w] - 1;
            degree += l->mark[w] == 0;
            for (int k = 0; at >= 0 && at < b->inside && k < LANES; k++)
                sum[k] += x[at * LANES + k];
        }
        for (int k = 0; k < LANES; k++)
            y[i * LANES + k] =
                (i < b->inside ? (1 + energy * degree) * x[i * LANES + k] : 0) - energy * sum[k];
    }
}

/*
 * A few steps of conjugate gradients on the inside alone: own[all] the columns that they give,
 * r[all] what the columns leave unexplained, at first at the partners and then everywhere. room [3][all].
 */
static void improve(const lanes *l, const ball *b, double *own, double *r, double *room)
{
    const int64_t inside = (int64_t)b->inside * LANES, size = (int64_t)b->all * LANES;
    double *x = room, *p = x + size, *q = p + size, left[LANES], after[LANES], curve[LANES];
    memset(x, 0, (size_t)size * sizeof *x);
    memcpy(p, r, (size_t)size * sizeof *p);
    products(r, r, b->inside, left);
    for (int step = 0; b->inside > 0 && step < NEAR_STEPS; step++) {
        double along[LANES], turn[LANES];
        multiply_near(l, b, p, q);
        products(p, q, b->inside, curve);
        for (int k = 0; k < LANES; k++)
            along[k] = curve[k] > 0 ? left[k] / curve[k] : 0;
        for (int64_t i = 0; i < inside; i++)
            x[i] += along[i % LANES] * p[i];
        for (int64_t i = 0; i < size; i++)
            r[i] -= along[i % LANES] * q[i];
        products(r, r, b->inside, after);
        for (int k = 0; k < LANES; k++)
            turn[k] = left[k] > 0 ? after[k] / left[k] : 0;
        for (int64_t i = 0; i < inside; i++)
            p[i] = r[i] + turn[i % LANES] * p[i];
        memcpy(left, after, sizeof left);
    }
    for (int64_t i = 0; i < b->all; i++)
        for (int k = 0; k < LANES; k++)
            own[i * LANES + k] =
                l->x[(int64_t)b->node[i] * LANES + k] + (i < b->inside ? x[i * LANES + k] : 0);
}

/* What the observers leave unexplained of shared columns: kappa^2 sum (x_w - x_o) at partner w. */
static void begin_near(const lanes *l, const ball *b, int32_t partners, double *r)
{
    const netdp_graph *graph = l->pairing->graph;
    const double energy = l->pairing->kappa * l->pairing->kappa;
    memset(r, 0, (size_t)b->all * LANES * sizeof *r);
    for (int64_t j = 0; j < partners; j++) {
        const int32_t w = b->node[j];
        for (int32_t i = 0; i < netdp_graph_degree(graph, w); i++) {
            const int64_t o = netdp_graph_neighbours(graph, w)[i];
            for (int k = 0; l->mark[o] != 0 && k < LANES; k++)
                r[j * LANES + k] += energy * (l->x[(int64_t)w * LANES + k] - l->x[o * LANES + k]);
        }
    }
}

/*
 * The bound of columns that differ from the shared ones in the ball alone: from the sum over all
 * nodes go, to the same bits, the terms of the observers and of the ball, and the ball's come again
 * without what its nodes share with the observers. It is at most |r|^2 above the least bound.
 * False: that is more than NEAR of it for some lane.
 */
static bool sum_near(const lanes *l, const lanes *whole, const long double *all, const ball *b,
                     const int32_t *observers, int32_t count, const double *r, double loss[LANES])
{
    const int64_t n = netdp_graph_nodes(l->pairing->graph);
    long double without[LANES] = {0}, again[LANES] = {0}, sum[LANES];
    double rest[LANES] = {0};
    bool near = true;
    for (int32_t i = 0; i < count; i++)
        add_node(whole, observers[i], without);
    for (int32_t i = 0; i < b->all; i++) {
        add_node(whole, b->node[i], without);
        add_node(l, b->node[i], again);
    }
    products(r, r, b->all, rest);
    for (int k = 0; k < LANES; k++) {
        /* Of long doubles: sums of at most n terms, none above the whole. */
        sum[k] = all[k] * (1 + 4 * (long double)n * LDBL_EPSILON) - without[k];
        sum[k] += again[k] * (1 + (long double)n * LDBL_EPSILON);
        near = near && (l->mark[l->u[k]] != 0 || rest[k] <= NEAR * (double)sum[k]);
    }
    round_up(l, n, sum, loss);
    return near;
}

/* By the shared columns, made better near the observers. *near: they are good enough. */
static netdp_status bound_near(const lanes *given, const lanes *whole, const long double *all,
                               const observed *seen, bool *near, double loss[LANES],
                               netdp_error *error)
{
    lanes l = *given;
    OWNED int32_t *node = NETDP_I_NEW(int32_t, MOST_NEAR);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, netdp_graph_nodes(given->pairing->graph));
    ball b = {.node = node, .place = place};
    if (node == NULL || place == NULL)
        return netdp_i_no_memory(error);
    *near = false;
    for (int radius = -1; !*near && radius <= MOST_RADIUS; radius++) {
        if (!grow(&l, seen->partner, seen->partners, radius, &b))
            break;
        const int64_t size = (int64_t)b.all * LANES;
        OWNED double *room = NETDP_I_NEW(double, 5 * size + 1);
        if (room == NULL)
            return netdp_i_no_memory(error);
        l.own = room;
        l.place = b.place;
        begin_near(&l, &b, seen->partners, room + size);
        improve(&l, &b, room, room + size, room + 2 * size);
        *near = sum_near(&l, whole, all, &b, seen->node, seen->count, room + size, loss);
    }
    return NETDP_OK;
}

/* By columns of their own, from the shared ones where there are some. */
static netdp_status bound_column(lanes *l, const double *begin, double loss[LANES],
                                 netdp_error *error)
{
    const int64_t n = netdp_graph_nodes(l->pairing->graph);
    OWNED double *x = NETDP_I_NEW(double, LANES *n);
    OWNED double *room = NETDP_I_NEW(double, 3 * LANES * n);
    if (x == NULL || room == NULL)
        return netdp_i_no_memory(error);
    for (int64_t v = 0; begin != NULL && v < n; v++)
        for (int k = 0; l->mark[v] == 0 && k < LANES; k++)
            x[v * LANES + k] = begin[v * LANES + k];
    l->x = x;
    find_columns(l, x, room);
    bound_lanes(l, n, loss);
    return NETDP_OK;
}

static netdp_status bound_large(const netdp_i_paired *paired, const char *mark, observed seen,
                                const int32_t *from, int32_t from_count, double *loss,
                                const netdp_progress *progress, netdp_error *error)
{
    const int64_t n = paired->nodes;
    const bool shared = paired->column != NULL;
    OWNED int32_t *partner = NETDP_I_NEW(int32_t, n);
    OWNED char *none = NETDP_I_NEW(char, n);
    OWNED double *cut = NETDP_I_NEW(double, n);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, n);
    if (partner == NULL || none == NULL || cut == NULL || place == NULL)
        return netdp_i_no_memory(error);
    seen.partner = partner;
    if (shared)
        seen.partners = find_partners(paired->pairing, mark, &seen, place, partner, cut);
    for (int32_t first = 0; first < from_count; first += LANES) {
        const double *x = shared ? paired->column + (int64_t)first * n : NULL;
        const lanes whole = {.pairing = paired->pairing, .mark = none, .x = x};
        lanes l = {.pairing = paired->pairing, .mark = mark, .x = x}, all = whole;
        double bound[LANES] = {0}; /* one of the two fills it */
        TRY(netdp_i_report(progress, "pairwise noise", first, from_count, error));
        take_lanes(&l, from, from_count, first);
        take_lanes(&all, from, from_count, first);
        bool near = false;
        if (shared)
            TRY(bound_near(&l, &all, paired->sum + first, &seen, &near, bound, error));
        if (!near)
            TRY(bound_column(&l, x, bound, error));
        for (int k = 0; k < LANES && first + k < from_count; k++)
            loss[first + k] = bound[k];
    }
    return NETDP_OK;
}

/* By the inverse that observers share. */
static netdp_status bound_shared(const netdp_i_paired *paired, const char *mark,
                                 const observed *seen, const int32_t *from, int32_t from_count,
                                 double *loss, netdp_error *error)
{
    const int64_t n = paired->nodes, count = seen->count;
    OWNED int32_t *place = NETDP_I_NEW(int32_t, n);
    OWNED int32_t *partner = NETDP_I_NEW(int32_t, n);
    OWNED double *cut = NETDP_I_NEW(double, n);
    OWNED double *inverse = NETDP_I_NEW(double, n *n);
    OWNED double *x = NETDP_I_NEW(double, LANES *n);
    if (place == NULL || partner == NULL || cut == NULL || inverse == NULL || x == NULL)
        return netdp_i_no_memory(error);
    const int32_t partners = find_partners(paired->pairing, mark, seen, place, partner, cut);
    const int64_t most = partners > count ? partners : count;
    OWNED double *block = NETDP_I_NEW(double, most *most + 1);
    OWNED double *columns = NETDP_I_NEW(double, most *n + 1);
    if (block == NULL || columns == NULL)
        return netdp_i_no_memory(error);
    const bool updated = 4 * most < n && remove_observers(paired, seen->node, seen->count, partner,
                                                          cut, partners, inverse, block, columns);
    if (updated && bound_all(paired->pairing, mark, from, from_count, inverse, x, loss) <= LOOSE)
        return NETDP_OK;
    TRY(invert(paired->pairing, mark, inverse, error));
    (void)bound_all(paired->pairing, mark, from, from_count, inverse, x, loss);
    return NETDP_OK;
}

static netdp_status bound_each(const netdp_i_paired *paired, const char *mark, const observed *seen,
                               const int32_t *from, int32_t from_count, double *loss,
                               const netdp_progress *progress, netdp_error *error)
{
    return paired->inverse != NULL
               ? bound_shared(paired, mark, seen, from, from_count, loss, error)
               : bound_large(paired, mark, *seen, from, from_count, loss, progress, error);
}

/* One of each kind of twins: D^-1 is the same after they are exchanged. */
static netdp_status bound_kinds(const netdp_i_paired *paired, const char *mark,
                                const observed *seen, const int32_t *from, int32_t from_count,
                                double *loss, const netdp_progress *progress, netdp_error *error)
{
    const int64_t n = paired->nodes;
    int32_t kinds = 0, asked = 0;
    OWNED int32_t *twin = NETDP_I_NEW(int32_t, n);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, n); /* of a kind among those asked, from 1 */
    OWNED int32_t *node = NETDP_I_NEW(int32_t, from_count);
    OWNED double *each = NETDP_I_NEW(double, from_count);
    if (twin == NULL || place == NULL || node == NULL || each == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_twins(netdp_i_graph_rows(paired->pairing->graph), mark, twin, &kinds, error));
    for (int32_t i = 0; i < from_count; i++) {
        const int32_t kind = twin[from[i]];
        if (place[kind] > 0)
            continue;
        node[asked] = kind;
        place[kind] = ++asked;
    }
    if (asked == from_count)
        return bound_each(paired, mark, seen, from, from_count, loss, progress, error);
    TRY(bound_each(paired, mark, seen, node, asked, each, progress, error));
    for (int32_t i = 0; i < from_count; i++)
        loss[i] = each[place[twin[from[i]]] - 1];
    return NETDP_OK;
}

netdp_status netdp_i_paired_loss(const netdp_i_paired *paired, const int32_t *observers,
                                 int32_t count, const int32_t *from, int32_t from_count,
                                 double *loss, const netdp_progress *progress, netdp_error *error)
{
    OWNED char *mark = NETDP_I_NEW(char, paired->nodes);
    const observed seen = {.node = observers, .count = count};
    if (mark == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < count; i++)
        mark[observers[i]] = 1;
    /* Columns that observers share are of the nodes asked, in their order. */
    return from_count > LANES && paired->column == NULL && !paired->varies
               ? bound_kinds(paired, mark, &seen, from, from_count, loss, progress, error)
               : bound_each(paired, mark, &seen, from, from_count, loss, progress, error);
}

double netdp_i_pairing_spread(const netdp_pairing *pairing)
{
    int32_t most = 0;
    for (int32_t v = 0; v < netdp_graph_nodes(pairing->graph); v++)
        most = netdp_graph_degree(pairing->graph, v) > most ? netdp_graph_degree(pairing->graph, v)
                                                            : most;
    return hypot(1, pairing->kappa * sqrt(2.0 * most));
}

double netdp_i_pairing_share(double kappa, int32_t degree)
{
    return degree > 0 ? (1 - 1 / sqrt(1 + kappa * kappa * degree)) / degree : 0;
}
