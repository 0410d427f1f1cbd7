#include "mixing/powers.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/mixing.h"

/*
 * Part of the limit below which a sequence is at it after t products: rows sum to 1 up to rounding,
 * so that what is flat may drift by as much a product.
 */
static double flat(int64_t t)
{
    return 0x1p-46 + (double)t * 0x1p-52;
}

/* Sequences that differ by less, in parts of their values and limits, differ by rounding. */
#define EQUAL 2e-13

/* Columns of P^t that one piece carries: they stay in the cache. */
enum { BLOCK = 16 };

/* Nodes whose terms are summed as they come; such sums are added up without loss. */
enum { CHUNK = 64 };

void netdp_i_powers_clear(netdp_i_powers *powers)
{
    for (int32_t i = 0; powers->value != NULL && i < powers->asked; i++)
        netdp_i_free(powers->value[i]);
    netdp_i_free(powers->value);
    netdp_i_free(powers->count);
    netdp_i_free(powers->limit);
    *powers = (netdp_i_powers){0};
}

static netdp_status powers_new(int32_t asked, netdp_i_powers *powers, netdp_error *error)
{
    *powers = (netdp_i_powers){.asked = asked,
                               .count = NETDP_I_NEW(int64_t, asked),
                               .value = NETDP_I_NEW(double *, asked),
                               .limit = NETDP_I_NEW(double, asked)};
    if (powers->count == NULL || powers->value == NULL || powers->limit == NULL)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

/* Room for one more value of sequence i, doubled when it is full; at most `terms`. */
static bool append(netdp_i_powers *powers, int32_t i, int64_t terms, double value)
{
    const int64_t count = powers->count[i];
    const bool full = count == 0 || (count >= 64 && (count & (count - 1)) == 0);
    if (full) {
        const int64_t room = count == 0 ? 64 : 2 * count;
        double *grown = netdp_i_grow(powers->value[i], room < terms || count == 0 ? room : terms,
                                     sizeof *grown);
        if (grown == NULL)
            return false;
        powers->value[i] = grown;
    }
    powers->value[i][count] = value;
    powers->count[i] = count + 1;
    return true;
}

/* total + lost += x (Neumaier) */
static void add(double *total, double *lost, double x)
{
    const double next = *total + x;
    *lost += fabs(*total) >= fabs(x) ? *total - next + x : x - next + *total;
    *total = next;
}

/* sum_u pi_u x_u: were it summed as it comes, nothing would be flat on many nodes. */
static double find_limit(const double *pi, const double *x, int32_t nodes)
{
    double total = 0, lost = 0;
    for (int32_t u = 0; u < nodes; u++)
        add(&total, &lost, pi[u] * x[u]);
    return total + lost;
}

/* Largest less least: P averages, so it never grows, and the limit is between the two. */
static double spread(const double *x, int32_t nodes)
{
    double least = x[0], most = x[0];
    for (int32_t u = 1; u < nodes; u++) {
        least = x[u] < least ? x[u] : least;
        most = x[u] > most ? x[u] : most;
    }
    return most - least;
}

netdp_status netdp_i_powers_of_vector(const netdp_transition *transition, const double *x,
                                      const int32_t *node, int32_t asked, const double *scale,
                                      int64_t terms, const netdp_progress *progress,
                                      netdp_i_powers *powers, netdp_error *error)
{
    const netdp_rows rows = netdp_transition_rows(transition);
    const double *pi = netdp_transition_stationary(transition);
    CLEARED(netdp_i_powers_clear) netdp_i_powers made = {0};
    OWNED double *now = NETDP_I_NEW(double, rows.nodes);
    OWNED double *next = NETDP_I_NEW(double, rows.nodes);
    *powers = (netdp_i_powers){0};
    TRY(powers_new(asked, &made, error));
    if (now == NULL || next == NULL)
        return netdp_i_no_memory(error);
    const double limit = find_limit(pi, x, rows.nodes);
    for (int32_t i = 0; i < asked; i++)
        made.limit[i] = scale != NULL ? limit * scale[i] : limit;
    memcpy(now, x, (size_t)rows.nodes * sizeof *x);
    for (int64_t t = 0; t < terms; t++) {
        if (t > 0 && spread(now, rows.nodes) <= flat(t) * limit)
            break;
        for (int32_t i = 0; i < asked; i++)
            if (!append(&made, i, terms, scale != NULL ? now[node[i]] * scale[i] : now[node[i]]))
                return netdp_i_no_memory(error);
        TRY(netdp_i_poll(progress, error));
        netdp_i_rows_apply(rows, now, next, 1);
        double *swap = now;
        now = next;
        next = swap;
    }
    *powers = made;
    made = (netdp_i_powers){0};
    return NETDP_OK;
}

typedef struct returning {
    netdp_rows rows;
    const double *pi;
    const int32_t *node;
    int64_t terms;
    netdp_i_powers *powers;
    double *scratch; /* threads x 2 [nodes][BLOCK] */
    const netdp_progress *progress;
} returning;

/* sum_x (pi_x / pi_u) a_xu b_xu for the block's columns u */
static void pair_up(const returning *r, const double *a, const double *b, int32_t first,
                    int32_t count, double *sum)
{
    double lost[BLOCK] = {0};
    for (int32_t j = 0; j < count; j++)
        sum[j] = 0;
    for (int64_t x = 0; x < r->rows.nodes; x += CHUNK) {
        const int64_t end = x + CHUNK < r->rows.nodes ? x + CHUNK : r->rows.nodes;
        double part[BLOCK] = {0};
        for (int64_t y = x; y < end; y++)
            for (int32_t j = 0; j < count; j++)
                part[j] += r->pi[y] * a[y * count + j] * b[y * count + j];
        for (int32_t j = 0; j < count; j++)
            add(&sum[j], &lost[j], part[j]);
    }
    for (int32_t j = 0; j < count; j++)
        sum[j] = (sum[j] + lost[j]) / r->pi[r->node[first + j]];
}

/*
 * P^{2s}_uu - pi_u = sum over modes of lambda^{2s} phi_u^2 never grows and bounds the deviation of
 * every later entry, odd ones too.
 */
static netdp_status follow_block(void *context, int64_t index, int thread, netdp_error *error)
{
    returning *r = context;
    netdp_i_powers *powers = r->powers;
    const int32_t first = (int32_t)index * BLOCK;
    const int32_t count = powers->asked - first < BLOCK ? powers->asked - first : BLOCK;
    const int64_t room = (int64_t)r->rows.nodes * BLOCK;
    double *now = r->scratch + thread * 2 * room, *next = now + room, sum[BLOCK];
    memset(now, 0, (size_t)room * sizeof *now);
    for (int32_t j = 0; j < count; j++)
        now[(int64_t)r->node[first + j] * count + j] = 1;
    for (int64_t t = 0; t < r->terms; t++) {
        double away = 0;
        if (t % 2 == 1)
            netdp_i_rows_apply(r->rows, now, next, count);
        pair_up(r, now, t % 2 == 1 ? next : now, first, count, sum);
        for (int32_t j = 0; j < count; j++) {
            const double limit = r->pi[r->node[first + j]];
            away = fmax(away, sum[j] / limit - 1);
            powers->limit[first + j] = limit;
            if (!append(powers, first + j, r->terms, sum[j]))
                return netdp_i_no_memory(error);
        }
        if (t % 2 == 0 && away <= flat(t))
            break;
        if (t % 2 == 1) {
            double *swap = now;
            now = next;
            next = swap;
            TRY(netdp_i_poll(r->progress, error));
        }
    }
    return NETDP_OK;
}

netdp_status netdp_i_powers_of_returns(const netdp_transition *transition, const int32_t *node,
                                       int32_t asked, int64_t terms, const netdp_progress *progress,
                                       netdp_i_powers *powers, netdp_error *error)
{
    CLEARED(netdp_i_powers_clear) netdp_i_powers made = {0};
    returning r = {.rows = netdp_transition_rows(transition),
                   .pi = netdp_transition_stationary(transition),
                   .node = node,
                   .terms = terms,
                   .powers = &made,
                   .progress = progress};
    *powers = (netdp_i_powers){0};
    TRY(powers_new(asked, &made, error));
    OWNED double *scratch =
        NETDP_I_NEW(double, (int64_t)netdp_i_threads() * 2 * r.rows.nodes * BLOCK);
    if (scratch == NULL)
        return netdp_i_no_memory(error);
    r.scratch = scratch;
    TRY(netdp_i_for_each((asked + BLOCK - 1) / BLOCK, follow_block, &r, progress,
                         "return probabilities", error));
    *powers = made;
    made = (netdp_i_powers){0};
    return NETDP_OK;
}

void netdp_i_powers_copy(const netdp_i_powers *powers, int32_t i, int64_t shift, int64_t terms,
                         double *out)
{
    const int64_t count = powers->count[i] - shift;
    int64_t t = 0;
    for (; t < terms && t < count; t++)
        out[t] = powers->value[i][t + shift];
    for (; t < terms; t++)
        out[t] = powers->limit[i];
}

bool netdp_i_powers_equal(const netdp_i_powers *a, int32_t i, const netdp_i_powers *b, int32_t j)
{
    const int64_t shorter = a->count[i] < b->count[j] ? a->count[i] : b->count[j];
    const int64_t longer = a->count[i] + b->count[j] - shorter;
    const double scale = fmax(a->limit[i], b->limit[j]);
    if (fabs(a->limit[i] - b->limit[j]) > EQUAL * scale)
        return false;
    for (int64_t t = 0; t < longer; t++) {
        const double x = t < a->count[i] ? a->value[i][t] : a->limit[i];
        const double y = t < b->count[j] ? b->value[j][t] : b->limit[j];
        if (fabs(x - y) > EQUAL * (scale + x))
            return false;
    }
    return true;
}
