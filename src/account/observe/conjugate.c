/*
 * A loss is the least sum of squares of a shift of the noises that hides a contribution
 * (docs/proofs/shift.md): with F the unseen nodes' part of W and G the seen nodes' rows there,
 *
 *     loss(u) = min |h_0 - e_u|^2 + sum_t |z_t|^2 + sum_t |G h_t|^2 / nu^2,  h_{t+1} = F h_t + nu z_{t+1}.
 *
 * Of the unknowns p = (h_0, z_1, ..) that is |p - b|^2 + |H p|^2: conjugate gradients on (I + H'H) p = b,
 * whose products are those of W, forward through the rounds for H and backward for H'. Any p is a
 * shift, so that its own sum of squares is an upper bound; and since I + H'H >= I, it is at most the
 * square of the residual r = b - (I + H'H) p above the least. Nothing larger than the rounds' states is kept.
 *
 * Sources stand side by side as lanes. Strips of nodes add up what they have, and these sums are added
 * in the order of the strips: digits do not depend on threads.
 */
#include "account/observe/conjugate.h"

#include <math.h>
#include <string.h>

#include "account/observe/certificate.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "base/try.h"
#include "mixing/mixing.h"

enum { LANES = 8, STRIP = 2048 };

/* What the states of the lanes may take, in bytes. */
#define STATE_BYTES 1.5e9

/* A loss is found where its bound is at most so much of itself above it, or so much. */
#define NEAR 1e-11
#define NOTHING 1e-28

/* Steps after which a loss that is not found will not be. */
enum { MOST_STEPS = 20000 };

enum { QUIET = -2, HIDDEN = -1 }; /* places of nodes that are not seen */

typedef struct search {
    const netdp_linear *protocol;
    const netdp_i_shift_problem *scene;
    netdp_rows rows;
    const netdp_i_observer *observer;
    int64_t states; /* rounds whose states are observed: all but the last */
    double noise;
    int32_t strips;
    int32_t *place; /* [nodes]: among the seen ones, QUIET or HIDDEN */
    int32_t pending, lanes;
    const int32_t *node; /* of the sources */
    int32_t *order;      /* [pending]: which of them are searched for */
    double *loss;        /* of the sources */
    const netdp_progress *progress;
} search;

/* The lanes of one search. */
typedef struct block {
    int32_t lanes, source[LANES];
    double *x, *r, *p;        /* [rounds][nodes][lanes], r and p without the last */
    double *shown, *observed; /* [states][seen][lanes]: G h_t / nu of p, and of x */
    double *now, *next;       /* [nodes][lanes] */
    double *part;             /* [strips][2][lanes] */
    double square[LANES], step[LANES], turn[LANES], value[LANES];
    netdp_i_pool pool;
} block;

static void block_clear(block *b)
{
    netdp_i_pool_clear(&b->pool);
}

static netdp_status block_new(const search *s, int32_t lanes, block *b, netdp_error *error)
{
    const int64_t n = s->rows.nodes, all = s->states * n * lanes;
    const int64_t shown = s->states * s->observer->seen_count * lanes;
    *b = (block){.lanes = lanes};
    b->x = NETDP_I_TAKE(&b->pool, double, all + n * lanes);
    b->r = NETDP_I_TAKE(&b->pool, double, all);
    b->p = NETDP_I_TAKE(&b->pool, double, all);
    b->shown = NETDP_I_TAKE(&b->pool, double, shown);
    b->observed = NETDP_I_TAKE(&b->pool, double, shown);
    b->now = NETDP_I_TAKE(&b->pool, double, n *lanes);
    b->next = NETDP_I_TAKE(&b->pool, double, n *lanes);
    b->part = NETDP_I_TAKE(&b->pool, double, (int64_t)s->strips * 2 * lanes);
    return netdp_i_pool_made(&b->pool, error);
}

/* The strips' sums, in their order. */
static void gather(const search *s, const block *b, int which, double sum[LANES])
{
    for (int32_t l = 0; l < b->lanes; l++)
        sum[l] = 0;
    for (int64_t strip = 0; strip < s->strips; strip++)
        for (int32_t l = 0; l < b->lanes; l++)
            sum[l] += b->part[(strip * 2 + which) * b->lanes + l];
}

/* ---- A strip of one round. They are compiled for each number of lanes. ---- */

#define INSIDE __attribute__((always_inline)) inline

/*
 * Of state t: p <- r + turn p, and the state itself: what came in, but for what is seen, and nu p.
 * What came in at seen nodes is what state t - 1 shows.
 */
static INSIDE void enter(const search *s, block *b, int64_t t, int64_t strip, const int32_t lanes)
{
    const int64_t n = s->rows.nodes, first = strip * STRIP;
    const int64_t end = first + STRIP < n ? first + STRIP : n;
    const double noise = t == 0 ? 1 : s->noise;
    double sum[LANES] = {0}, *into = t == 0 ? b->now : b->next;
    if (t > 0)
        netdp_i_rows_apply_part(s->rows, (int32_t)first, (int32_t)end, b->now,
                                b->next + first * lanes, lanes);
    double *shown = b->shown + (t - 1) * s->observer->seen_count * lanes;
    for (int64_t v = first; v < end; v++) {
        double *state = into + v * lanes;
        const int32_t place = s->place[v];
        if (place == HIDDEN && t < s->states) {
            const double *r = b->r + (t * n + v) * lanes;
            double *p = b->p + (t * n + v) * lanes;
            for (int32_t l = 0; l < lanes; l++) {
                p[l] = r[l] + b->turn[l] * p[l];
                sum[l] += p[l] * p[l];
                state[l] = (t == 0 ? 0 : state[l]) + noise * p[l];
            }
            continue;
        }
        for (int32_t l = 0; place >= 0 && t > 0 && l < lanes; l++) {
            const double told = state[l] / s->noise;
            shown[place * lanes + l] = told;
            sum[l] += told * told;
        }
        for (int32_t l = 0; l < lanes; l++)
            state[l] = 0;
    }
    for (int32_t l = 0; l < lanes; l++)
        b->part[strip * 2 * lanes + l] += sum[l];
}

/* Of state t, which `next` is to be the derivative of: r and x take their steps. */
static INSIDE void leave(const search *s, block *b, int64_t t, int64_t strip, const int32_t lanes)
{
    const int64_t n = s->rows.nodes, first = strip * STRIP;
    const int64_t end = first + STRIP < n ? first + STRIP : n;
    const double noise = t == 0 ? 1 : s->noise;
    double left[LANES] = {0}, value[LANES] = {0};
    netdp_i_rows_apply_part(s->rows, (int32_t)first, (int32_t)end, b->now, b->next + first * lanes,
                            lanes);
    for (int64_t v = first; v < end; v++) {
        double *state = b->next + v * lanes;
        if (s->place[v] != HIDDEN) {
            for (int32_t l = 0; l < lanes; l++)
                state[l] = 0;
            continue;
        }
        const double *p = b->p + (t * n + v) * lanes;
        double *r = b->r + (t * n + v) * lanes, *x = b->x + (t * n + v) * lanes;
        for (int32_t l = 0; l < lanes; l++) {
            r[l] -= b->step[l] * (p[l] + noise * state[l]);
            x[l] += b->step[l] * p[l];
            const double off = t == 0 && v == b->source[l] ? x[l] - 1 : x[l];
            left[l] += r[l] * r[l];
            value[l] += off * off;
        }
    }
    for (int32_t l = 0; l < lanes; l++) {
        b->part[strip * 2 * lanes + l] += left[l];
        b->part[(strip * 2 + 1) * lanes + l] += value[l];
    }
}

typedef void pass(const search *s, block *b, int64_t t, int64_t strip);

#define PASSES(lanes)                                                                              \
    static void enter_##lanes(const search *s, block *b, int64_t t, int64_t strip)                 \
    {                                                                                              \
        enter(s, b, t, strip, lanes);                                                              \
    }                                                                                              \
    static void leave_##lanes(const search *s, block *b, int64_t t, int64_t strip)                 \
    {                                                                                              \
        leave(s, b, t, strip, lanes);                                                              \
    }
PASSES(1)
PASSES(2)
PASSES(4)
PASSES(8)

static void swap_states(block *b)
{
    double *other = b->now;
    b->now = b->next;
    b->next = other;
}

static netdp_status all_strips(const search *s, block *b, int64_t t, pass *one, netdp_error *error)
{
#pragma omp parallel for schedule(dynamic, 1) if (s->strips > 1)
    for (int64_t strip = 0; strip < s->strips; strip++)
        one(s, b, t, strip);
    return netdp_i_poll(s->progress, error);
}

/* H p, and how far to go along p. */
static netdp_status go_forward(const search *s, block *b, netdp_error *error)
{
    pass *const enters = b->lanes == 1   ? enter_1
                         : b->lanes == 2 ? enter_2
                         : b->lanes == 4 ? enter_4
                                         : enter_8;
    double sum[LANES];
    memset(b->part, 0, (size_t)s->strips * 2 * (size_t)b->lanes * sizeof *b->part);
    for (int64_t t = 0; t <= s->states; t++) {
        TRY(all_strips(s, b, t, enters, error));
        if (t > 0)
            swap_states(b);
    }
    gather(s, b, 0, sum);
    for (int32_t l = 0; l < b->lanes; l++)
        b->step[l] = sum[l] > 0 ? b->square[l] / sum[l] : 0;
    return NETDP_OK;
}

/* H' of that, with the step; what is left, and where to turn. */
static netdp_status go_back(const search *s, block *b, netdp_error *error)
{
    pass *const leaves = b->lanes == 1   ? leave_1
                         : b->lanes == 2 ? leave_2
                         : b->lanes == 4 ? leave_4
                                         : leave_8;
    const int64_t seen = s->observer->seen_count, lanes = b->lanes;
    double left[LANES];
    memset(b->part, 0, (size_t)s->strips * 2 * (size_t)lanes * sizeof *b->part);
    memset(b->now, 0, (size_t)s->rows.nodes * (size_t)lanes * sizeof *b->now);
    for (int64_t t = s->states - 1; t >= 0; t--) {
        const double *shown = b->shown + t * seen * lanes;
        for (int64_t j = 0; j < seen; j++)
            for (int64_t l = 0; l < lanes; l++)
                b->now[s->observer->seen[j] * lanes + l] = shown[j * lanes + l] / s->noise;
        TRY(all_strips(s, b, t, leaves, error));
        swap_states(b);
    }
    gather(s, b, 0, left);
    gather(s, b, 1, b->value);
    for (int64_t i = 0; i < s->states * seen; i++)
        for (int64_t l = 0; l < lanes; l++) {
            double *observed = &b->observed[i * lanes + l];
            *observed += b->step[l] * b->shown[i * lanes + l];
            b->value[l] += *observed * *observed;
        }
    for (int64_t l = 0; l < lanes; l++) {
        b->turn[l] = b->square[l] > 0 ? left[l] / b->square[l] : 0;
        b->square[l] = left[l];
    }
    return NETDP_OK;
}

static bool is_found(const block *b)
{
    for (int32_t l = 0; l < b->lanes; l++)
        if (!(b->square[l] <= NEAR * b->value[l] || b->square[l] <= NOTHING))
            return false;
    return true;
}

/* x to the shift of the noises, and its squares with all rounding outward. */
static netdp_status certify(const search *s, block *b, netdp_error *error)
{
    const netdp_i_displacement shift = {.lanes = b->lanes, .source = b->source, .g = b->x};
    double loss[LANES];
    for (int32_t l = 0; l < b->lanes; l++)
        b->x[(int64_t)b->source[l] * b->lanes + l] -= 1;
    TRY(netdp_i_shift_loss(s->scene, &shift, loss, error));
    memcpy(b->value, loss, (size_t)b->lanes * sizeof *loss);
    return NETDP_OK;
}

static netdp_status follow(const search *s, block *b, netdp_error *error)
{
    for (int32_t l = 0; l < b->lanes; l++) {
        b->r[(int64_t)b->source[l] * b->lanes + l] = 1;
        b->square[l] = b->value[l] = 1;
        b->turn[l] = 0;
    }
    for (int steps = 0; !is_found(b) && steps < MOST_STEPS; steps++) {
        TRY(go_forward(s, b, error));
        TRY(go_back(s, b, error));
    }
    if (!is_found(b))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "exact: what is hidden is not resolved by %d steps of the search; give "
                            "more dither, or --bound everything",
                            MOST_STEPS);
    return certify(s, b, error);
}

static netdp_status search_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const search *s = context;
    const int64_t first = index * s->lanes, left = s->pending - first;
    const int32_t count = left < s->lanes ? (int32_t)left : s->lanes;
    int32_t lanes = 1;
    while (lanes < count)
        lanes *= 2;
    CLEARED(block_clear) block b = {0};
    TRY(block_new(s, lanes, &b, error));
    for (int32_t l = 0; l < lanes; l++) /* the last one stands in for none */
        b.source[l] = s->node[s->order[first + (l < count ? l : count - 1)]];
    TRY(follow(s, &b, error));
    for (int32_t l = 0; l < count; l++)
        s->loss[s->order[first + l]] = fmin(b.value[l], 1);
    return NETDP_OK;
}

/* Who is seen tells 1, who cannot be heard of in the rounds 0; the others are searched for. */
static netdp_status sort_sources(search *s, const netdp_i_sources *of, netdp_error *error)
{
    OWNED int32_t *round = NETDP_I_NEW(int32_t, s->rows.nodes);
    if (round == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_graph_distances(netdp_mixing_graph(s->protocol->mixing), s->observer->seen,
                              s->observer->seen_count, round, error));
    for (int32_t i = 0; i < of->count; i++) {
        const int32_t u = of->node[i];
        const bool hidden = s->place[u] == HIDDEN;
        of->loss[i] = hidden ? 0 : 1;
        if (hidden && round[u] >= 0 && round[u] <= s->states)
            s->order[s->pending++] = i;
    }
    return NETDP_OK;
}

int32_t netdp_i_conjugate_lanes(double nodes, double rounds, double sources)
{
    int32_t lanes = 1;
    while (lanes < LANES && lanes < sources &&
           netdp_i_conjugate_bytes(nodes, rounds, 2 * lanes) <= STATE_BYTES)
        lanes *= 2;
    return lanes;
}

double netdp_i_conjugate_bytes(double nodes, double rounds, int32_t lanes)
{
    return 8 * nodes * (3 * rounds + 6) * lanes;
}

double netdp_i_conjugate_steps(double noise)
{
    const double steps = 1 + 2.2 / noise;
    return steps <= MOST_STEPS ? steps : INFINITY;
}

netdp_status netdp_i_conjugate_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                    const netdp_i_sources *of, const netdp_progress *progress,
                                    netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    CLEARED(netdp_i_shift_problem_clear) netdp_i_shift_problem scene = {0};
    OWNED int32_t *place = NETDP_I_NEW(int32_t, rows.nodes);
    OWNED int32_t *order = NETDP_I_NEW(int32_t, of->count);
    if (place == NULL || order == NULL)
        return netdp_i_no_memory(error);
    search s = {.protocol = protocol,
                .scene = &scene,
                .rows = rows,
                .observer = observer,
                .states = protocol->rounds - 1,
                .noise = netdp_linear_least_noise(protocol),
                .strips = (rows.nodes + STRIP - 1) / STRIP,
                .place = place,
                .node = of->node,
                .order = order,
                .loss = of->loss,
                .progress = progress};
    memset(s.place, HIDDEN, (size_t)rows.nodes * sizeof *s.place);
    for (int32_t j = 0; j < observer->seen_count; j++)
        s.place[observer->seen[j]] = j;
    for (int32_t j = 0; j < observer->quiet_count; j++)
        s.place[observer->quiet[j]] = QUIET;
    TRY(sort_sources(&s, of, error));
    TRY(netdp_i_scene_new(protocol, observer, 1, 0, &scene, error));
    s.lanes = netdp_i_conjugate_lanes(rows.nodes, (double)protocol->rounds, s.pending);
    return netdp_i_for_each((s.pending + s.lanes - 1) / s.lanes, search_block, &s, progress,
                            "sources", error);
}
