/*
 * The numbers of a view are y = A n + g x over all draws of noise n and the victim's x. Each row of
 * A and entry of g comes from running the protocol backwards from the number that is seen:
 *
 *     from m_t:  noise u_t gets nu_t lambda,  noise of pair a < b gets kappa (lambda_a - lambda_b),
 *                g gets c_t lambda[victim],  s_t gets lambda - gain lambda
 *     from s_t:  the end dither gets tau_e s,  m_{t-1} gets gamma W s,  m_{t-2} the rest
 *
 * A^T P = Q R by pivoted QR: the first `rank` numbers carry noise, y_1 = R_11^T z with z standard
 * normal; the others are combinations of them, up to what x adds. mu^2 sigma^2 = |R_11^-T g_1|^2,
 * and where g_2 is not the same combination of g_1, x is read off without any noise.
 */
#include "audit/gossip_view.h"

#include <cblas.h>
#include <inttypes.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "protocol/linear.h"
#include "protocol/pairing.h"

enum { MOST_NUMBERS = 4000 };
#define MOST_PRODUCTS (INT64_C(1) << 27)

/* Noise below this part of the largest is rounding. */
#define RANK_TOLERANCE 1e-11
/* What x adds to a number without noise, as part of the largest noise, is real only above this:
   well above what RANK_TOLERANCE takes for no noise. */
#define VALUE_TOLERANCE 1e-8

int64_t netdp_i_contribution(const netdp_linear *protocol, int64_t round)
{
    return protocol->every > 0 ? round / protocol->every : 0;
}

void netdp_i_view_nodes(const netdp_i_timeline *timeline, const netdp_view *view, int64_t round,
                        bool *member, bool *seen)
{
    const netdp_rows rows = netdp_i_timeline_rows(timeline, round);
    const bool *sends = netdp_i_timeline_sends(timeline, round);
    for (int32_t u = 0; u < timeline->nodes; u++) {
        member[u] = false;
        seen[u] = view->sees == NETDP_SEES_EVERYTHING && sends[u];
    }
    for (int32_t i = 0; i < view->count; i++) {
        const int32_t v = view->observers[i];
        member[v] = seen[v] = true;
        for (int64_t e = rows.start[v];
             view->sees == NETDP_SEES_NEIGHBOURS && e < rows.start[v + 1]; e++)
            if (rows.weight[e] > 0)
                seen[rows.column[e]] = true;
    }
}

/* ---- The numbers ---- */

/* Both ends of each pair, the smaller first, in the order of their numbers. */
typedef struct ends {
    int64_t count;
    int32_t (*of)[2];
    double *kappa;
} ends;

static void ends_clear(ends *pairs)
{
    netdp_i_free(pairs->of);
    netdp_i_free(pairs->kappa);
}

static netdp_status list_ends(const netdp_pairing *pairing, ends *pairs, netdp_error *error)
{
    *pairs = (ends){0};
    if (!netdp_pairing_is(pairing))
        return NETDP_OK;
    pairs->of = netdp_i_new(netdp_graph_edges(pairing->graph) + 1, sizeof *pairs->of);
    pairs->kappa = NETDP_I_NEW(double, netdp_graph_edges(pairing->graph) + 1);
    if (pairs->of == NULL || pairs->kappa == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < netdp_graph_nodes(pairing->graph); v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(pairing->graph, v)[i];
            if (w < v)
                continue;
            pairs->kappa[pairs->count] = netdp_i_pairing_kappa(pairing, v, i);
            pairs->of[pairs->count][0] = v;
            pairs->of[pairs->count++][1] = w;
        }
    return NETDP_OK;
}

typedef struct listing {
    const netdp_i_timeline *timeline;
    const ends *pairs;
    const netdp_view *view;
    bool *member, *seen;       /* [nodes], of the round at hand */
    netdp_i_seen_event *sight; /* NULL: only counted */
    int64_t count;
} listing;

static void list(listing *l, netdp_i_seen_event_kind kind, int32_t node, int64_t round)
{
    if (l->sight != NULL)
        l->sight[l->count] = (netdp_i_seen_event){kind, node, round};
    l->count++;
}

static void list_round(listing *l, int64_t t)
{
    const bool known = l->view->own_noise == NETDP_OWN_NOISE_KNOWN || l->view->count > 1;
    netdp_i_view_nodes(l->timeline, l->view, t, l->member, l->seen);
    for (int32_t u = 0; u < l->timeline->nodes; u++) {
        if (l->seen[u])
            list(l, NETDP_I_SIGHT_MESSAGE, u, t);
        if (l->member[u] && known && netdp_i_timeline_noise(l->timeline, t, u) > 0)
            list(l, NETDP_I_SIGHT_NOISE, u, t);
        if (l->member[u] && netdp_linear_end_noise(l->timeline->protocol, t) > 0)
            list(l, NETDP_I_SIGHT_END_DITHER, u, t);
    }
    for (int64_t i = 0;
         known && netdp_linear_contributes(l->timeline->protocol, t) && i < l->pairs->count; i++)
        if (l->member[l->pairs->of[i][0]] || l->member[l->pairs->of[i][1]])
            list(l, NETDP_I_SIGHT_PAIR, (int32_t)i, t);
}

static void list_all(listing *l)
{
    const int64_t rounds = l->timeline->protocol->rounds;
    l->count = 0;
    for (int64_t t = 0; t < rounds; t++)
        list_round(l, t);
    for (int32_t i = 0; l->view->sees == NETDP_SEES_SUM && i < l->view->count; i++)
        list(l, NETDP_I_SIGHT_STATE, l->view->observers[i], rounds);
}

/* ---- Their noise and their response ---- */

typedef struct building {
    const netdp_i_gossip_model *model;
    const netdp_linear *protocol;
    const netdp_i_seen_event *sight;
    int32_t nodes;
    const ends *pairs;
    int64_t draws;      /* rows of `map`: round noise, then end dithers, then the pairs' */
    int64_t end_draws;  /* where those begin */
    int64_t pair_draws; /* and these */
    double weight;      /* of accelerated gossip */
    double *map;        /* A^T, [numbers][draws] */
    double *response;   /* g, [numbers] */
    double *values;     /* of everybody in round 0, [numbers][nodes]; NULL: not wanted */
    double *scratch;    /* [threads][3][nodes] */
} building;

static void building_clear(building *b)
{
    netdp_i_free(b->map);
    netdp_i_free(b->response);
    netdp_i_free(b->values);
    netdp_i_free(b->scratch);
}

static double *draw_of(const building *b, double *row, int64_t round)
{
    return row + (b->model->reused ? 0 : round) * b->nodes;
}

static double *end_draw_of(const building *b, double *row, int64_t round)
{
    return row + b->end_draws + (round + 1) / b->protocol->every * b->nodes - b->nodes;
}

static double *pair_draw_of(const building *b, double *row, int64_t round)
{
    const int64_t slot = b->model->reused_pairs ? 0 : netdp_i_contribution(b->protocol, round);
    return row + b->pair_draws + slot * b->pairs->count;
}

static void add_pairs(const building *b, double *draw, double part, const double *lambda)
{
    for (int64_t i = 0; i < b->pairs->count; i++)
        draw[i] +=
            part * b->pairs->kappa[i] *
            (lambda[b->pairs->of[i][0]] - (b->model->half_pairs ? 0 : lambda[b->pairs->of[i][1]]));
}

/* The noise of a round, and, of quiet noise, what the factor takes of the draws of earlier phases. */
static void add_draws(const building *b, int64_t t, double *row, const double *lambda)
{
    const netdp_linear *p = b->protocol;
    const bool contributes = netdp_linear_contributes(p, t);
    const int64_t now = netdp_i_contribution(p, t);
    const bool quiet = contributes && netdp_quiet_is(&p->quiet);
    for (int64_t phase = quiet ? 0 : now; phase <= now; phase++) {
        const double part = quiet ? p->quiet.factor[now * p->quiet.phases + phase] : 1;
        const int64_t round = quiet ? phase * p->every : t;
        double *draw = draw_of(b, row, round);
        for (int32_t u = 0; u < b->nodes; u++)
            draw[u] += part * netdp_i_timeline_noise(b->model->timeline, t, u) * lambda[u];
        if (contributes)
            add_pairs(b, pair_draw_of(b, row, round), part, lambda);
    }
}

/* From s_{t+1} to the messages of rounds t (*now) and t-1 (*before, which is overwritten). */
static void back_through_mixing(const building *b, int64_t t, double *row, const double *kappa,
                                double *now, double *before)
{
    const netdp_linear *p = b->protocol;
    const netdp_rows rows = netdp_i_timeline_rows(b->model->timeline, t);
    const bool fast = p->accelerate && !netdp_linear_contributes(p, t);
    const double weight = fast ? b->weight : 1;
    if (netdp_linear_end_noise(p, t) > 0)
        cblas_daxpy(b->nodes, netdp_linear_end_noise(p, t), kappa, 1, end_draw_of(b, row, t), 1);
    for (int32_t u = 0; u < b->nodes; u++) { /* W is symmetric */
        double sum = 0;
        for (int64_t e = rows.start[u]; e < rows.start[u + 1]; e++)
            sum += rows.weight[e] * kappa[rows.column[e]];
        now[u] = before[u] + weight * sum;
    }
    for (int32_t u = 0; u < b->nodes; u++)
        before[u] = (1 - weight) * kappa[u];
}

/* One number's row of A and entry of g. */
static netdp_status trace_back(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    const building *b = context;
    const netdp_i_gossip_model *m = b->model;
    const netdp_i_seen_event at = b->sight[index];
    double *row = b->map + index * b->draws;
    double *kappa = b->scratch + (int64_t)thread * 3 * b->nodes;
    double *lambda = kappa + b->nodes, *before = lambda + b->nodes;
    if (at.kind == NETDP_I_SIGHT_NOISE || at.kind == NETDP_I_SIGHT_END_DITHER) {
        (at.kind == NETDP_I_SIGHT_NOISE ? draw_of : end_draw_of)(b, row, at.round)[at.node] = 1;
        return NETDP_OK;
    }
    if (at.kind == NETDP_I_SIGHT_PAIR) {
        pair_draw_of(b, row, at.round)[at.node] = 1;
        return NETDP_OK;
    }
    memset(kappa, 0, 3 * (size_t)b->nodes * sizeof *kappa);
    int64_t t = at.round;
    if (at.kind == NETDP_I_SIGHT_STATE) {
        kappa[at.node] = 1;
        back_through_mixing(b, --t, row, kappa, lambda, before);
    } else {
        lambda[at.node] = 1;
    }
    for (;; t--) {
        add_draws(b, t, row, lambda);
        if (netdp_i_timeline_contributes(m->timeline, t, m->victim))
            b->response[index] +=
                m->pattern[netdp_i_contribution(b->protocol, t)] * lambda[m->victim];
        for (int32_t u = 0; t == 0 && b->values != NULL && u < b->nodes; u++)
            b->values[index * b->nodes + u] =
                netdp_i_timeline_contributes(m->timeline, 0, u) ? lambda[u] : 0;
        if (t == 0)
            return NETDP_OK;
        for (int32_t u = 0; u < b->nodes; u++) {
            const bool pulls = m->gains != NULL && netdp_i_timeline_contributes(m->timeline, t, u);
            kappa[u] = pulls ? (1 - m->gains[u]) * lambda[u] : lambda[u];
        }
        back_through_mixing(b, t - 1, row, kappa, lambda, before);
    }
}

static netdp_status build(building *b, int64_t count, bool values, netdp_error *error)
{
    TRY(netdp_i_linear_weight(b->protocol, &b->weight, error));
    b->map = NETDP_I_NEW(double, count * b->draws);
    b->response = NETDP_I_NEW(double, count);
    b->scratch = NETDP_I_NEW(double, (int64_t)netdp_i_threads() * 3 * b->nodes);
    b->values = values ? NETDP_I_NEW(double, count * b->nodes) : NULL;
    if (b->map == NULL || b->response == NULL || b->scratch == NULL ||
        (values && b->values == NULL))
        return netdp_i_no_memory(error);
    return netdp_i_for_each(count, trace_back, b, NULL, NULL, error);
}

/* ---- The best weights ---- */

typedef struct factor {
    lapack_int draws, count, rank;
    const double *r;  /* column-major with `draws` rows: R above the diagonal */
    lapack_int *pick; /* [count]: number of column j, from 1 */
    double *g;        /* [count]: the responses in that order */
} factor;

/* R_11^-T g_1 and g_2 - R_12^T R_11^-T g_1, in g; the largest of the latter. */
static double whiten(factor *f)
{
    const int rest = f->count - f->rank;
    const double *r12 = f->r + (int64_t)f->rank * f->draws;
    double most = 0;
    if (f->rank > 0) {
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, f->rank, f->r, f->draws,
                    f->g, 1);
        if (rest > 0)
            cblas_dgemv(CblasColMajor, CblasTrans, f->rank, rest, -1, r12, f->draws, f->g, 1, 1,
                        f->g + f->rank, 1);
    }
    for (int j = f->rank; j < f->count; j++)
        most = fmax(most, fabs(f->g[j]));
    return most;
}

/* g becomes the weights of the picked numbers. */
static void weigh(factor *f, netdp_i_gossip_view *view)
{
    const bool told = whiten(f) > VALUE_TOLERANCE * fabs(f->r[0]);
    const int rest = f->count - f->rank;
    double *g1 = f->g, *g2 = f->g + f->rank;
    view->loss = told ? INFINITY : cblas_ddot(f->rank, g1, 1, g1, 1);
    view->response = told ? cblas_ddot(rest, g2, 1, g2, 1) : view->loss;
    if (told) { /* the statistic g_2 . (y_2 - R_12^T R_11^-T y_1) */
        memset(g1, 0, (size_t)f->rank * sizeof *g1);
        if (f->rank > 0)
            cblas_dgemv(CblasColMajor, CblasNoTrans, f->rank, rest, -1,
                        f->r + (int64_t)f->rank * f->draws, f->draws, g2, 1, 0, g1, 1);
    } else {
        memset(g2, 0, (size_t)rest * sizeof *g2);
    }
    if (f->rank > 0)
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, f->rank, f->r, f->draws,
                    g1, 1);
    for (int64_t j = 0; j < f->count; j++)
        view->weight[f->pick[j] - 1] = f->g[j];
}

static void factor_clear(factor *f)
{
    netdp_i_free(f->pick);
    netdp_i_free(f->g);
}

netdp_status netdp_i_gossip_weigh(netdp_i_gossip_map *map, int32_t victims, const double *response,
                                  netdp_i_gossip_view *view, netdp_error *error)
{
    CLEARED(factor_clear)
    factor f = {.draws = (lapack_int)map->draws, .count = (lapack_int)map->count, .r = map->map};
    const lapack_int least = f.draws < f.count ? f.draws : f.count;
    OWNED double *tau = NETDP_I_NEW(double, least);
    f.pick = NETDP_I_NEW(lapack_int, map->count);
    f.g = NETDP_I_NEW(double, map->count);
    if (tau == NULL || f.pick == NULL || f.g == NULL)
        return netdp_i_no_memory(error);
    netdp_i_dense_begin();
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, f.draws, f.count, map->map, f.draws, f.pick, tau) != 0)
        return netdp_i_no_memory(error);
    while (f.rank < least &&
           fabs(f.r[(int64_t)f.rank * f.draws + f.rank]) > RANK_TOLERANCE * fabs(f.r[0]))
        f.rank++;
    for (int32_t v = 0; v < victims; v++) {
        for (int64_t j = 0; j < map->count; j++)
            f.g[j] = response[(f.pick[j] - 1) * victims + v];
        weigh(&f, &view[v]);
    }
    return NETDP_OK;
}

/* ---- The view ---- */

static netdp_status check_size(int64_t count, int64_t draws, netdp_error *error)
{
    if (count <= MOST_NUMBERS && draws <= MOST_PRODUCTS / count)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_NO_ANSWER,
                        "audit: a view of %" PRId64 " numbers and %" PRId64
                        " draws of noise; up to %d numbers and 2^27 products can be attacked, take "
                        "fewer rounds or a smaller graph",
                        count, draws, MOST_NUMBERS);
}

static netdp_status list_view(const netdp_i_gossip_model *model, const ends *pairs,
                              netdp_i_gossip_map *made, netdp_error *error)
{
    const int32_t nodes = model->timeline->nodes;
    OWNED bool *member = NETDP_I_NEW(bool, nodes);
    OWNED bool *seen = NETDP_I_NEW(bool, nodes);
    listing l = {.timeline = model->timeline,
                 .pairs = pairs,
                 .view = model->view,
                 .member = member,
                 .seen = seen};
    if (member == NULL || seen == NULL)
        return netdp_i_no_memory(error);
    list_all(&l);
    TRY(check_size(l.count, made->draws, error));
    made->sight = NETDP_I_NEW(netdp_i_seen_event, l.count);
    if (made->sight == NULL)
        return netdp_i_no_memory(error);
    l.sight = made->sight;
    list_all(&l);
    made->count = l.count;
    return NETDP_OK;
}

void netdp_i_gossip_view_free(netdp_i_gossip_view *view)
{
    if (view == NULL)
        return;
    netdp_i_free(view->sight);
    netdp_i_free(view->weight);
    netdp_i_free(view);
}

void netdp_i_gossip_map_clear(netdp_i_gossip_map *map)
{
    netdp_i_free(map->sight);
    netdp_i_free(map->map);
    netdp_i_free(map->response);
    netdp_i_free(map->values);
    *map = (netdp_i_gossip_map){0};
}

netdp_status netdp_i_gossip_map_new(const netdp_i_gossip_model *model, bool values,
                                    netdp_i_gossip_map *map, netdp_error *error)
{
    const netdp_linear *p = model->timeline->protocol;
    CLEARED(netdp_i_gossip_map_clear) netdp_i_gossip_map made = {0};
    CLEARED(ends_clear) ends pairs = {0};
    CLEARED(building_clear)
    building b = {.model = model, .protocol = p, .nodes = model->timeline->nodes, .weight = 1};
    TRY(list_ends(&p->noise.pairing, &pairs, error));
    b.pairs = &pairs;
    b.end_draws = (model->reused ? 1 : p->rounds) * b.nodes;
    b.pair_draws = b.end_draws + (p->noise.end > 0 ? p->rounds / p->every * b.nodes : 0);
    b.draws = b.pair_draws +
              (model->reused_pairs ? 1 : netdp_i_contribution(p, p->rounds - 1) + 1) * pairs.count;
    made.draws = b.draws;
    TRY(check_size(p->rounds, b.draws, error)); /* before all are listed */
    TRY(list_view(model, &pairs, &made, error));
    b.sight = made.sight;
    TRY(build(&b, made.count, values, error));
    made.map = GIVE(b.map);
    made.response = GIVE(b.response);
    made.values = GIVE(b.values);
    *map = made;
    made = (netdp_i_gossip_map){0};
    return NETDP_OK;
}

OWNER(netdp_i_gossip_view_free, netdp_i_gossip_view)

netdp_status netdp_i_gossip_view_new(const netdp_i_gossip_model *model, netdp_i_gossip_view **view,
                                     netdp_error *error)
{
    CLEARED(netdp_i_gossip_map_clear) netdp_i_gossip_map map = {0};
    TRY(netdp_i_gossip_map_new(model, false, &map, error));
    OWNED_BY(netdp_i_gossip_view_free)
    netdp_i_gossip_view *made = NETDP_I_NEW(netdp_i_gossip_view, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->count = map.count;
    made->weight = NETDP_I_NEW(double, map.count);
    if (made->weight == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_gossip_weigh(&map, 1, map.response, made, error));
    made->sight = GIVE(map.sight);
    *view = GIVE(made);
    return NETDP_OK;
}
