/*
 * In node coordinates, with S_t the rows seen in round t and D_t zero at nodes that draw no noise
 * in round t or whose noise is known, plus kappa^2 L in rounds that take contributions, L the
 * Laplacian of the pair graph without the observers (docs/proofs/pairs.md):
 *
 *     P <- nu_0^2 D_0,  E <- the contributions of round 0
 *     each round:  Sigma = S_t P S_t^T = L L^T   w = L^{-1} S_t E   G = P S_t^T L^{-T}
 *                  P <- P - G G^T                E <- E - G w
 *     then:        P <- W_t P W_t + nu^2 D_{t+1}   E <- W_t E + the contributions of round t+1
 *
 * W_t changes the rows of active nodes only. For a small dither P = C C^T is carried as C, as in
 * filter.c; new noise is appended to C as columns, and C is made square again by QR when it is
 * full.
 */
#include "account/gossip/changing.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "account/observe/filter.h"
#include "account/observe/pairing.h"
#include "base/fail.h"
#include "base/try.h"

void netdp_i_changing_clear(netdp_i_changing *changing)
{
    netdp_sequence_free(changing->sequence);
    netdp_i_gain_clear(&changing->gain);
    netdp_i_pool_clear(&changing->pool);
    *changing = (netdp_i_changing){0};
}

static netdp_status allocate(netdp_i_changing *c, netdp_error *error)
{
    const int64_t n = c->nodes;
    c->member = NETDP_I_TAKE(&c->pool, bool, n);
    c->quiet = NETDP_I_TAKE(&c->pool, bool, n);
    c->marked = NETDP_I_TAKE(&c->pool, bool, n);
    c->p = NETDP_I_TAKE(&c->pool, double, (c->factored ? 2 : 1) * n * n);
    c->e = NETDP_I_TAKE(&c->pool, double, n * c->columns);
    c->w = NETDP_I_TAKE(&c->pool, double, n * c->columns);
    c->told = NETDP_I_TAKE(&c->pool, bool, c->columns);
    c->seen = NETDP_I_TAKE(&c->pool, int32_t, n);
    c->draws = NETDP_I_TAKE(&c->pool, int32_t, n);
    c->fresh = NETDP_I_TAKE(&c->pool, double, n);
    c->reach = NETDP_I_TAKE(&c->pool, double, n);
    c->image = NETDP_I_TAKE(&c->pool, double, (c->factored ? 2 : 1) * n * n);
    c->work = NETDP_I_TAKE(&c->pool, double, 2 * n);
    TRY(netdp_i_pool_made(&c->pool, error));
    return netdp_i_gain_new(c->nodes, c->nodes, &c->gain, error);
}

/* The most that the standard deviation of what one round brings is: 1, with noise in pairs more. */
static double spread_of(const netdp_linear *protocol)
{
    return netdp_pairing_is(&protocol->noise.pairing)
               ? netdp_i_pairing_spread(&protocol->noise.pairing)
               : 1;
}

/* The least scale of an observation, in units of that: of sums that through the weights of all edges, whose order those of a round have. */
static double scale_of(const netdp_linear *protocol, const netdp_i_watcher *watcher)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    double least = 1;
    for (int32_t i = 0; watcher->sees == NETDP_SEES_SUM && i < watcher->count; i++)
        for (int64_t j = rows.start[watcher->member[i]]; j < rows.start[watcher->member[i] + 1];
             j++)
            if (rows.weight[j] > 0)
                least = fmin(least, rows.weight[j]);
    return least * netdp_linear_least_noise(protocol) / spread_of(protocol);
}

netdp_status netdp_i_changing_new(const netdp_linear *protocol, const netdp_i_watcher *watcher,
                                  int32_t columns, netdp_i_changing *made, netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    if (n > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "a changing network is accounted for with all its nodes at once: at "
                            "most %d; use --bound everything",
                            NETDP_DENSE_NODES);
    CLEARED(netdp_i_changing_clear)
    netdp_i_changing c = {.protocol = protocol,
                          .nodes = n,
                          .columns = columns,
                          .sums = watcher->sees == NETDP_SEES_SUM,
                          .own_counts = watcher->own_counts,
                          .spread = spread_of(protocol),
                          .members = watcher->member,
                          .member_count = watcher->count};
    c.factored = scale_of(protocol, watcher) < NETDP_I_FACTOR_BELOW;
    TRY(allocate(&c, error));
    TRY(netdp_sequence_new(protocol->mixing, &protocol->varying, &c.sequence, error));
    for (int32_t i = 0; i < watcher->count; i++) {
        c.member[watcher->member[i]] = true;
        c.quiet[watcher->member[i]] = watcher->quiet;
    }
    *made = c;
    c = (netdp_i_changing){0};
    return NETDP_OK;
}

/* ---- The pieces of a round ---- */

bool netdp_i_changing_contributes(const netdp_i_changing *changing, int64_t t, int32_t node)
{
    return netdp_linear_contributes(changing->protocol, t) &&
           (!changing->protocol->senders_only || changing->marked[node]);
}

/* Reads round t; marked: its active nodes. */
static netdp_status turn_to(netdp_i_changing *c, int64_t t, netdp_error *error)
{
    TRY(netdp_sequence_round(c->sequence, t, &c->round, error));
    memset(c->marked, 0, (size_t)c->nodes * sizeof *c->marked);
    for (int32_t i = 0; i < c->round.active_count; i++)
        c->marked[c->round.active[i]] = true;
    return NETDP_OK;
}

/* C <- the triangular C' with C' C'^T = C C^T. */
static netdp_status make_square(netdp_i_changing *c, netdp_error *error)
{
    const int64_t n = c->nodes, m = c->width;
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < n; i++)
            c->image[i * m + j] = c->p[j * n + i];
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)m, c->nodes, c->image, (lapack_int)m,
                       c->work) != 0)
        return netdp_i_no_memory(error);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            c->p[j * n + i] = j <= i ? c->image[i * m + j] : 0;
    c->width = c->nodes;
    return NETDP_OK;
}

/* P += amount^2 on the chosen nodes: those that draw noise, but for quiet ones. */
static netdp_status add_noise(netdp_i_changing *c, bool everyone, double amount, netdp_error *error)
{
    const int64_t n = c->nodes;
    int32_t count = 0;
    for (int32_t v = 0; v < c->nodes; v++) {
        const bool draws = (everyone || c->marked[v]) && !c->quiet[v];
        c->fresh[v] = draws ? amount : 0;
        if (draws)
            c->draws[count++] = v;
    }
    if (amount == 0 || count == 0)
        return NETDP_OK;
    if (!c->factored) {
        for (int32_t i = 0; i < count; i++)
            c->p[c->draws[i] * n + c->draws[i]] += amount * amount;
        return NETDP_OK;
    }
    if (c->width + count > 2 * n)
        TRY(make_square(c, error));
    for (int32_t i = 0; i < count; i++) {
        double *column = c->p + c->width++ * n;
        memset(column, 0, (size_t)n * sizeof *column);
        column[c->draws[i]] = amount;
    }
    return NETDP_OK;
}

/* A column of C: the `count` amounts at these nodes. */
static netdp_status add_source(netdp_i_changing *c, const int32_t *node, const double *amount,
                               int32_t count, netdp_error *error)
{
    const int64_t n = c->nodes;
    if (c->width == 2 * n)
        TRY(make_square(c, error));
    double *column = c->p + c->width++ * n;
    memset(column, 0, (size_t)n * sizeof *column);
    for (int32_t i = 0; i < count; i++)
        column[node[i]] = amount[i];
    return NETDP_OK;
}

/* What a message of the one member, whose own noise counts, leaves of its pairs' noise: as in filter.c. */
static netdp_status add_own_pairs(netdp_i_changing *c, double noise, netdp_error *error)
{
    const netdp_pairing *pairing = &c->protocol->noise.pairing;
    const int32_t d = netdp_graph_degree(pairing->graph, c->members[0]);
    const int32_t *partner = netdp_graph_neighbours(pairing->graph, c->members[0]);
    const double share = netdp_i_pairing_share(pairing->kappa / noise, d),
                 square = pairing->kappa * pairing->kappa;
    const int64_t n = c->nodes;
    if (!c->factored) {
        for (int32_t i = 0; i < d; i++)
            for (int32_t k = 0; k < d; k++)
                c->p[partner[i] * n + partner[k]] += square * ((i == k) - (2 - d * share) * share);
        return NETDP_OK;
    }
    OWNED double *amount = NETDP_I_NEW(double, d);
    if (amount == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k < d; k++) {
        for (int32_t i = 0; i < d; i++)
            amount[i] = pairing->kappa * ((i == k) - share);
        TRY(add_source(c, partner, amount, d, error));
    }
    return NETDP_OK;
}

static netdp_status add_pair(netdp_i_changing *c, int32_t v, int32_t w, netdp_error *error)
{
    const double kappa = c->protocol->noise.pairing.kappa;
    const int64_t n = c->nodes;
    if (c->factored)
        return add_source(c, (const int32_t[]){v, w}, (const double[]){kappa, -kappa}, 2, error);
    c->p[v * n + v] += kappa * kappa;
    c->p[w * n + w] += kappa * kappa;
    c->p[v * n + w] -= kappa * kappa;
    c->p[w * n + v] -= kappa * kappa;
    return NETDP_OK;
}

/* The noise in pairs of a round that takes contributions under own noise `noise`. */
static netdp_status add_pairs(netdp_i_changing *c, double noise, netdp_error *error)
{
    const netdp_graph *graph = c->protocol->noise.pairing.graph;
    for (int32_t v = 0; v < c->nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(graph, v)[i];
            if (w > v && !c->quiet[v] && !c->quiet[w])
                TRY(add_pair(c, v, w, error));
        }
    return c->own_counts ? add_own_pairs(c, noise, error) : NETDP_OK;
}

/* The noise of round t: of all nodes where it takes contributions, or of its senders. */
static netdp_status draw_noise(netdp_i_changing *c, int64_t t, double noise, netdp_error *error)
{
    const bool contributes = netdp_linear_contributes(c->protocol, t);
    TRY(add_noise(c, contributes && !c->protocol->senders_only, noise, error));
    if (contributes && netdp_pairing_is(&c->protocol->noise.pairing))
        return add_pairs(c, noise, error);
    return NETDP_OK;
}

netdp_status netdp_i_changing_begin(netdp_i_changing *changing, int64_t t, double noise,
                                    netdp_error *error)
{
    netdp_i_changing *c = changing;
    const size_t n = (size_t)c->nodes;
    TRY(turn_to(c, t, error));
    memset(c->p, 0, (c->factored ? 2 : 1) * n * n * sizeof *c->p);
    memset(c->e, 0, n * (size_t)c->columns * sizeof *c->e);
    memset(c->told, 0, (size_t)c->columns * sizeof *c->told);
    c->width = c->used = 0;
    return draw_noise(c, t, noise, error);
}

void netdp_i_changing_contribute(netdp_i_changing *changing, int32_t node, int32_t column,
                                 double amount)
{
    changing->e[(int64_t)node * changing->columns + column] += amount;
    if (column >= changing->used)
        changing->used = column + 1;
}

/* x <- W_t x for each of `count` vectors of length n. */
static void mix_vectors(netdp_i_changing *c, double *x, int64_t count)
{
    const netdp_rows rows = c->round.rows;
    for (int64_t k = 0; k < count; k++, x += c->nodes) {
        for (int32_t i = 0; i < c->round.active_count; i++) {
            const int32_t v = c->round.active[i];
            double sum = 0;
            for (int64_t j = rows.start[v]; j < rows.start[v + 1]; j++)
                sum += rows.weight[j] * x[rows.column[j]];
            c->work[i] = sum;
        }
        for (int32_t i = 0; i < c->round.active_count; i++)
            x[c->round.active[i]] = c->work[i];
    }
}

/* The same for the columns of a matrix [n][row], of which the first `width` count. */
static void mix_rows(netdp_i_changing *c, double *x, int32_t width, int64_t row, double *scratch)
{
    const netdp_rows rows = c->round.rows;
    const size_t bytes = (size_t)width * sizeof *x;
    for (int64_t i = 0; i < c->round.active_count; i++) {
        const int32_t v = c->round.active[i];
        double *sum = scratch + i * width;
        memset(sum, 0, bytes);
        for (int64_t j = rows.start[v]; j < rows.start[v + 1]; j++) {
            const double weight = rows.weight[j], *from = x + rows.column[j] * row;
            for (int32_t k = 0; k < width; k++)
                sum[k] += weight * from[k];
        }
    }
    for (int64_t i = 0; i < c->round.active_count; i++)
        memcpy(x + c->round.active[i] * row, scratch + i * width, bytes);
}

/* The noise of this round that the members' next sums bring and that they do not know. */
static void find_reach(netdp_i_changing *c)
{
    const netdp_rows rows = c->round.rows;
    for (int32_t i = 0; i < c->member_count; i++) {
        const int32_t v = c->members[i];
        double *reach = &c->reach[v];
        *reach = 0;
        for (int64_t j = rows.start[v]; j < rows.start[v + 1]; j++)
            *reach = hypot(*reach, rows.weight[j] * c->fresh[rows.column[j]]);
    }
}

/* P <- W_t P W_t, E <- W_t E. */
static void mix(netdp_i_changing *c)
{
    find_reach(c);
    mix_rows(c, c->e, c->used, c->columns, c->w);
    if (c->factored) {
        mix_vectors(c, c->p, c->width);
        return;
    }
    mix_vectors(c, c->p, c->nodes);
    mix_rows(c, c->p, c->nodes, c->nodes, c->image);
}

/* Has a member v among its neighbours, or is it v? */
static bool is_heard(netdp_rows rows, const bool *member, int32_t v)
{
    for (int64_t j = rows.start[v]; j < rows.start[v + 1]; j++)
        if (member[rows.column[j]])
            return true;
    return false;
}

/* Whom the observers see in this round: others across an active edge; or themselves. */
static void list_seen(netdp_i_changing *c)
{
    const netdp_rows rows = c->round.rows;
    c->seen_count = 0;
    if (c->sums) {
        memcpy(c->seen, c->members, (size_t)c->member_count * sizeof *c->seen);
        c->seen_count = c->member_count;
        return;
    }
    for (int32_t v = 0; v < c->nodes; v++)
        if (!c->member[v] && is_heard(rows, c->member, v))
            c->seen[c->seen_count++] = v;
}

/* ---- Learning from what is seen ---- */

/*
 * Each observation's own scale: the noise that the seen node drew, or what came with its sum. A
 * node that drew none and received none of others tells nothing new where its own noise is known.
 * Returns the least scale.
 */
static double find_units(netdp_i_changing *c)
{
    const bool noisy = c->protocol->steady || c->protocol->noise.dither > 0;
    double least = INFINITY;
    for (int32_t j = 0; j < c->seen_count; j++) {
        const int32_t v = c->seen[j];
        const double own = c->fresh[v] > 0           ? c->fresh[v]
                           : c->sums && c->member[v] ? c->reach[v]
                                                     : 0;
        c->gain.unit[j] = own > 0 ? own : c->quiet[v] && noisy ? INFINITY : 1;
        least = fmin(least, c->gain.unit[j]);
    }
    return least;
}

/* L, pivot and gain from the covariance; `spent`: P is not needed any more. */
static void learn_covariance(netdp_i_changing *c, bool spent)
{
    const int n = c->nodes, s = c->seen_count;
    netdp_i_gain *g = &c->gain;
    const double least = find_units(c) / c->spread;
    for (int64_t j = 0; j < s; j++)
        for (int64_t i = j; i < s; i++)
            g->lower[j * s + i] =
                c->p[(int64_t)c->seen[j] * n + c->seen[i]] / (g->unit[i] * g->unit[j]);
    netdp_i_gain_resolve(g, s, NETDP_I_FLOOR / least / least, c->work);
    if (spent || g->rank == 0)
        return;
    for (int64_t j = 0; j < g->rank; j++)
        memcpy(g->gain + j * n, c->p + (int64_t)c->seen[g->pivot[j] - 1] * n,
               (size_t)n * sizeof *c->p);
    netdp_i_gain_learn(g, n, s, c->p);
    for (int64_t j = 0; j < n; j++) /* P stays symmetric to the last digit */
        for (int64_t i = j + 1; i < n; i++)
            c->p[i * n + j] = c->p[j * n + i];
}

/* The same from the factor. */
static netdp_status learn_factor(netdp_i_changing *c, bool spent, netdp_error *error)
{
    const int n = c->nodes, s = c->seen_count, m = c->width;
    const netdp_i_factor factor = {n, m, c->p, c->image, c->work};
    const double floor = NETDP_I_FACTOR_FLOOR * c->spread / find_units(c);
    for (int32_t j = 0; j < s; j++)
        c->gain.pivot[j] = j + 1;
    if (m == 0)
        return NETDP_OK;
    for (int64_t j = 0; j < s; j++)
        for (int64_t k = 0; k < m; k++)
            c->image[j * m + k] = c->p[k * n + c->seen[j]] / c->gain.unit[j];
    return netdp_i_gain_factor(&c->gain, s, floor, &factor, spent, error);
}

/* w = L^{-1} S E, what lies outside the range, and E <- E - G w. */
static void respond(netdp_i_changing *c, bool spent)
{
    const int n = c->nodes, s = c->seen_count, used = c->used, columns = c->columns;
    const int rank = c->gain.rank;
    if (used == 0)
        return;
    for (int64_t j = 0; j < s; j++)
        memcpy(c->w + j * columns, c->e + (int64_t)c->seen[c->gain.pivot[j] - 1] * columns,
               (size_t)used * sizeof *c->w);
    /* Row-major [s][columns] is the transpose, column-major: w^T = r^T L^{-T}. */
    if (rank > 0)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, used, rank, 1,
                    c->gain.lower, s, c->w, columns);
    if (rank > 0 && rank < s)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, used, s - rank, rank, -1, c->w,
                    columns, c->gain.lower + rank, s, 1, c->w + (int64_t)rank * columns, columns);
    for (int64_t j = rank; j < s; j++) {
        const double unit = c->gain.unit[c->gain.pivot[j] - 1];
        for (int32_t k = 0; k < used; k++) {
            double *w = &c->w[j * columns + k];
            *w = (fabs(*w) + NETDP_I_RESPONSE_ROUNDING) / unit;
            if (*w > NETDP_I_OUTSIDE_RANGE)
                c->told[k] = true;
        }
    }
    if (rank > 0 && !spent)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, used, n, rank, -1, c->w, columns,
                    c->gain.gain, n, 1, c->e, columns);
}

static netdp_status learn(netdp_i_changing *c, bool spent, netdp_error *error)
{
    c->gain.rank = 0;
    if (c->seen_count == 0)
        return NETDP_OK;
    if (c->factored)
        TRY(learn_factor(c, spent, error));
    else
        learn_covariance(c, spent);
    respond(c, spent);
    return NETDP_OK;
}

netdp_status netdp_i_changing_observe(netdp_i_changing *changing, netdp_error *error)
{
    list_seen(changing);
    return learn(changing, false, error);
}

netdp_status netdp_i_changing_predict(netdp_i_changing *changing, int64_t t, double noise,
                                      netdp_error *error)
{
    mix(changing);
    TRY(turn_to(changing, t, error));
    return draw_noise(changing, t, noise, error);
}

netdp_status netdp_i_changing_last(netdp_i_changing *changing, bool all, double dither,
                                   netdp_error *error)
{
    netdp_i_changing *c = changing;
    mix(c);
    c->seen_count = 0;
    for (int32_t v = 0; v < c->nodes; v++)
        if (all || c->member[v])
            c->seen[c->seen_count++] = v;
    if (all) {
        /* A member knows its end dither even where its own noise counts. */
        memcpy(c->quiet, c->member, (size_t)c->nodes * sizeof *c->quiet);
        TRY(add_noise(c, true, dither, error));
    }
    return learn(c, true, error);
}
