/*
 * The whole view of an observer set, message by message, as one Gaussian vector in 800 bits: h' K^-1 h of every node.
 */
#ifndef NETDP_TEST_WHOLE_VIEW_H
#define NETDP_TEST_WHOLE_VIEW_H

#include "check.h"

#include <arb.h>
#include <arb_mat.h>
#include <netdp/account.h>

#include "protocol/linear.h"
#include "protocol/pairing.h"

static netdp_error error;

enum { MOST = 12, VICTIMS = MOST, BITS = 800 };

typedef struct question {
    netdp_linear protocol;
    netdp_sees sees;
    bool counts;
    int32_t members, nodes;
    const int32_t *member;
} question;

/* Rows of a view: what each noise is worth in them, then each node's contribution. */
typedef struct view {
    arb_mat_t state, message, before, mixing;
    arb_mat_t rows;
    slong count, used, noises;
} view;

static bool is_member(const question *q, int32_t v)
{
    for (int32_t i = 0; i < q->members; i++)
        if (q->member[i] == v)
            return true;
    return false;
}

static void view_init(view *x, const question *q, int64_t rounds)
{
    const netdp_graph *pairs = q->protocol.noise.pairing.graph;
    x->noises = (rounds + 1) * q->nodes + (pairs != NULL ? netdp_graph_edges(pairs) : 0);
    x->count = x->used = 0;
    arb_mat_init(x->state, q->nodes, x->noises + q->nodes);
    arb_mat_init(x->message, q->nodes, x->noises + q->nodes);
    arb_mat_init(x->before, q->nodes, x->noises + q->nodes);
    arb_mat_init(x->mixing, q->nodes, q->nodes);
    arb_mat_init(x->rows, (rounds + 2) * q->nodes, x->noises + q->nodes);
}

static void view_clear(view *x)
{
    arb_mat_clear(x->state);
    arb_mat_clear(x->message);
    arb_mat_clear(x->before);
    arb_mat_clear(x->mixing);
    arb_mat_clear(x->rows);
}

/* One more row: the state or message of node v. */
static void show(view *x, const arb_mat_t of, int32_t v)
{
    for (slong k = 0; k < arb_mat_ncols(of); k++)
        arb_set(arb_mat_entry(x->rows, x->count, k), arb_mat_entry(of, v, k));
    x->count++;
}

static void add(arb_mat_t to, int32_t v, slong column, double amount)
{
    arb_t term;
    arb_init(term);
    arb_set_d(term, amount);
    arb_add(arb_mat_entry(to, v, column), arb_mat_entry(to, v, column), term, BITS);
    arb_clear(term);
}

/* Of accelerated rounds, after a phase's first: w times what W brings and 1 - w times the message before. */
static void accelerate(view *x, double weight)
{
    arb_t w;
    arb_init(w);
    arb_set_d(w, weight);
    arb_mat_scalar_mul_arb(x->state, x->state, w, BITS);
    arb_set_d(w, weight);
    arb_sub_ui(w, w, 1, BITS);
    arb_neg(w, w);
    arb_mat_scalar_addmul_arb(x->state, x->before, w, BITS);
    arb_clear(w);
}

/* Noise that cancels in pairs, of those whose noise is not known. */
static void add_pairs(view *x, const question *q)
{
    const netdp_pairing *pairing = &q->protocol.noise.pairing;
    for (int32_t v = 0; pairing->graph != NULL && v < q->nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(pairing->graph, v)[i];
            if (w < v || (!q->counts && (is_member(q, v) || is_member(q, w))))
                continue;
            const double kappa = netdp_i_pairing_kappa(pairing, v, i);
            add(x->message, v, x->used, kappa);
            add(x->message, w, x->used++, -kappa);
        }
}

/* Round t: noise, what is seen, and W_t. */
static void pass(view *x, const question *q, netdp_sequence *sequence, int64_t t, int64_t since)
{
    const bool first = t == since;
    netdp_linear once = q->protocol;
    once.every = 0;
    netdp_round round;
    double weight;
    bool shown[MOST];
    assert_ok(netdp_i_linear_weight(&q->protocol, &weight, &error));
    assert_ok(netdp_sequence_round(sequence, t, &round, &error));
    arb_mat_zero(x->mixing);
    arb_mat_set(x->before, x->message);
    arb_mat_set(x->message, x->state);
    for (int32_t v = 0; v < q->nodes; v++) {
        const int64_t begin = round.rows.start[v], end = round.rows.start[v + 1];
        const bool sends = q->protocol.varying.kind == NETDP_VARY_NEVER || end - begin > 1;
        const bool contributes = first && (sends || !q->protocol.senders_only);
        const double noise = contributes ? 1 : sends ? netdp_linear_noise(&once, t - since) : 0;
        bool seen = is_member(q, v);
        for (int64_t j = begin; j < end; j++) {
            add(x->mixing, v, round.rows.column[j], round.rows.weight[j]);
            seen = seen || (q->sees == NETDP_SEES_NEIGHBOURS && is_member(q, round.rows.column[j]));
        }
        if (contributes)
            add(x->message, v, x->noises + v, 1);
        if (noise > 0 && (!is_member(q, v) || q->counts))
            add(x->message, v, x->used++, noise);
        shown[v] = seen;
    }
    if (first)
        add_pairs(x, q);
    for (int32_t v = 0; v < q->nodes; v++)
        if (shown[v])
            show(x, x->message, v);
    arb_mat_mul(x->state, x->mixing, x->message, BITS);
    if (q->protocol.accelerate && !first)
        accelerate(x, weight);
}

/* What is seen after the last round. */
static void end(view *x, const question *q, double dither)
{
    for (int32_t v = 0; v < q->nodes; v++) {
        if (dither > 0 && !is_member(q, v))
            add(x->state, v, x->used++, dither);
        if (dither > 0 || (q->sees == NETDP_SEES_SUM && is_member(q, v)))
            show(x, x->state, v);
    }
}

/*
 * Rows in units of their noise, and 1e-85 beside their variances of 1: harmless to what tells
 * something, and rows that repeat can be solved.
 */
static void solve(view *x, const question *q, arb_t *loss)
{
    const slong n = x->count;
    arb_mat_t k, h, y;
    arb_t size, term;
    arb_mat_init(k, n, n);
    arb_mat_init(h, n, q->nodes);
    arb_mat_init(y, n, q->nodes);
    arb_init(size);
    arb_init(term);
    for (slong i = 0; i < n; i++) {
        arb_zero(size);
        for (slong j = 0; j < x->used; j++)
            arb_addmul(size, arb_mat_entry(x->rows, i, j), arb_mat_entry(x->rows, i, j), BITS);
        arb_sqrt(size, size, BITS);
        if (!arb_is_positive(size))
            arb_one(size);
        for (slong j = 0; j < arb_mat_ncols(x->rows); j++)
            arb_div(arb_mat_entry(x->rows, i, j), arb_mat_entry(x->rows, i, j), size, BITS);
        for (int32_t v = 0; v < q->nodes; v++)
            arb_set(arb_mat_entry(h, i, v), arb_mat_entry(x->rows, i, x->noises + v));
        for (slong j = 0; j <= i; j++) {
            arb_dot(arb_mat_entry(k, i, j), NULL, 0, x->rows->rows[i], 1, x->rows->rows[j], 1,
                    x->used, BITS);
            arb_set(arb_mat_entry(k, j, i), arb_mat_entry(k, i, j));
        }
        arb_set_d(term, 1e-85);
        arb_add(arb_mat_entry(k, i, i), arb_mat_entry(k, i, i), term, BITS);
    }
    assert_true(arb_mat_cho(k, k, BITS));
    arb_mat_solve_cho_precomp(y, k, h, BITS);
    for (int32_t v = 0; v < q->nodes; v++) {
        arb_zero(loss[v]);
        for (slong i = 0; i < n; i++)
            arb_addmul(loss[v], arb_mat_entry(h, i, v), arb_mat_entry(y, i, v), BITS);
    }
    arb_mat_clear(k);
    arb_mat_clear(h);
    arb_mat_clear(y);
    arb_clear(size);
    arb_clear(term);
}

/* The loss of every node, over its phases each at most 1. */
static void oracle(const question *q, arb_t *loss)
{
    const netdp_linear *p = &q->protocol;
    const int64_t rounds = p->every > 0 ? p->every : p->rounds;
    netdp_sequence *sequence = NULL;
    arb_t each[VICTIMS], one;
    arb_init(one);
    arb_one(one);
    for (int32_t v = 0; v < q->nodes; v++) {
        arb_init(each[v]);
        arb_zero(loss[v]);
    }
    assert_ok(netdp_sequence_new(p->mixing, &p->varying, &sequence, &error));
    for (int64_t begin = 0; begin < p->rounds; begin += rounds) {
        view x;
        view_init(&x, q, rounds);
        for (int64_t t = begin; t < begin + rounds; t++)
            pass(&x, q, sequence, t, begin);
        end(&x, q, p->noise.end);
        solve(&x, q, each);
        for (int32_t v = 0; v < q->nodes; v++) {
            arb_min(each[v], each[v], one, BITS);
            arb_add(loss[v], loss[v], each[v], BITS);
        }
        view_clear(&x);
    }
    for (int32_t v = 0; v < q->nodes; v++)
        arb_clear(each[v]);
    arb_clear(one);
    netdp_sequence_free(sequence);
}

#endif
