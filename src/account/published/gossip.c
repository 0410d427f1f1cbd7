#include "account/published/gossip.h"

#include <cblas.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/parallel.h"
#include "mixing/mixing.h"

enum {
    BLOCK =
        16, /* columns of W^t that one piece carries through all rounds: they stay in the cache */
    STRIP = 32, /* rows of them at a time */
};

typedef struct netdp_i_published published;

/* Between two neighbours of an observer. */
typedef struct place {
    int32_t observer, neighbour;
} place;

struct netdp_i_published {
    netdp_linear once;
    const netdp_linear *protocol; /* &once */
    const netdp_graph *graph;
    const int32_t *from, *to;
    int64_t first; /* round of the sum */
    int32_t nodes, from_count;
    int32_t slots;   /* rows of `leaked` */
    int32_t *slot;   /* [nodes]: the row of a relay, or -1 */
    int32_t *holder; /* [slots]: the relay of a row, or -1 */
    int32_t hand;    /* row to be given away next */
    double *leaked;  /* [slots][from_count]: sum_t (W^t)_{uw}^2 / |W^t_w|^2 */
    double *scratch; /* threads x 3 [nodes][BLOCK] */
    /* of the rows at hand */
    int64_t turn;
    int64_t *wanted; /* [nodes]: the turn that asked for a relay last */
    int32_t relay_count;
    int32_t *relay; /* [slots]: relays to be summed in this turn */
    int32_t index;  /* observer of loss[0] */
    place begin, end;
    double *loss;
};

/* The next power of a block, strip by strip while what belongs to it is in the first cache. */
typedef struct advancing {
    netdp_rows rows;
    const double *power; /* [nodes][BLOCK] */
    double *next, *sum;
    double inverse[BLOCK]; /* 1 / |column of power|^2; 0: the column is not there or not counted */
    double energy[BLOCK];  /* |column of next|^2 */
} advancing;

static void advance(advancing *r)
{
    double inverse[BLOCK], energy[BLOCK] = {0};
    memcpy(inverse, r->inverse, sizeof inverse);
    for (int32_t first = 0; first < r->rows.nodes; first += STRIP) {
        const int32_t end = r->rows.nodes - first < STRIP ? r->rows.nodes : first + STRIP;
        netdp_i_rows_apply_part(r->rows, first, end, r->power, r->next + (int64_t)first * BLOCK,
                                BLOCK);
        for (int64_t u = first; u < end; u++) {
            const double *power = r->power + u * BLOCK, *next = r->next + u * BLOCK;
            double *sum = r->sum + u * BLOCK;
            for (int32_t j = 0; j < BLOCK; j++) {
                sum[j] += power[j] * power[j] * inverse[j];
                energy[j] += next[j] * next[j];
            }
        }
    }
    memcpy(r->energy, energy, sizeof energy);
}

static netdp_status leak_of_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    published *p = context;
    const int32_t first = (int32_t)index * BLOCK;
    const int32_t count = p->relay_count - first < BLOCK ? p->relay_count - first : BLOCK;
    const int64_t size = (int64_t)p->nodes * BLOCK;
    double *power = p->scratch + thread * 3 * size, *next = power + size, *sum = next + size;
    advancing r = {.rows = netdp_mixing_rows(p->protocol->mixing), .sum = sum};
    memset(power, 0, (size_t)size * sizeof *power);
    memset(sum, 0, (size_t)size * sizeof *sum);
    for (int32_t j = 0; j < count; j++) {
        power[(int64_t)p->relay[first + j] * BLOCK + j] = 1;
        r.energy[j] = 1;
    }
    for (int64_t t = 0; t < p->protocol->rounds; t++) {
        for (int32_t j = 0; j < BLOCK; j++)
            r.inverse[j] = t >= p->first && j < count ? 1 / r.energy[j] : 0;
        r.power = power;
        r.next = next;
        advance(&r);
        double *swap = power;
        power = next;
        next = swap;
    }
    for (int32_t j = 0; j < count; j++) {
        double *leaked = p->leaked + (int64_t)p->slot[p->relay[first + j]] * p->from_count;
        for (int32_t i = 0; i < p->from_count; i++)
            leaked[i] = sum[(int64_t)p->from[i] * BLOCK + j];
    }
    return NETDP_OK;
}

/* The neighbours of one observer from `begin` to `end`. */
static netdp_status gather_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    published *p = context;
    const int32_t observer = p->begin.observer + (int32_t)index, v = p->to[observer];
    const int32_t *neighbour = netdp_graph_neighbours(p->graph, v);
    const int32_t last =
        observer == p->end.observer ? p->end.neighbour : netdp_graph_degree(p->graph, v);
    double *loss = p->loss + (int64_t)(observer - p->index) * p->from_count;
    for (int32_t k = index == 0 ? p->begin.neighbour : 0; k < last; k++) {
        const double *leaked = p->leaked + (int64_t)p->slot[neighbour[k]] * p->from_count;
        for (int32_t i = 0; i < p->from_count; i++)
            loss[i] += leaked[i];
    }
    return NETDP_OK;
}

/* From `begin` on as far as the relays fit into the rows: those there and those to be summed. */
static void claim_relays(published *p, int32_t last)
{
    int32_t used = 0;
    p->turn++;
    p->relay_count = 0;
    p->end = p->begin;
    for (; p->end.observer < last; p->end = (place){p->end.observer + 1, 0}) {
        const int32_t v = p->to[p->end.observer];
        const int32_t *neighbour = netdp_graph_neighbours(p->graph, v);
        for (; p->end.neighbour < netdp_graph_degree(p->graph, v); p->end.neighbour++) {
            const int32_t w = neighbour[p->end.neighbour];
            if (p->wanted[w] == p->turn)
                continue;
            if (used == p->slots)
                return;
            used++;
            p->wanted[w] = p->turn;
            if (p->slot[w] < 0)
                p->relay[p->relay_count++] = w;
        }
    }
}

/* 2 n^2 doubles: 4 GB. */
enum { MOST_CHANGING = 16000 };

/* Each new relay takes a row that nobody wants in this turn: at most `slots` are wanted. */
static void seat_relays(published *p)
{
    for (int32_t k = 0; k < p->relay_count; k++) {
        while (p->holder[p->hand] >= 0 && p->wanted[p->holder[p->hand]] == p->turn)
            p->hand = (p->hand + 1) % p->slots;
        if (p->holder[p->hand] >= 0)
            p->slot[p->holder[p->hand]] = -1;
        p->holder[p->hand] = p->relay[k];
        p->slot[p->relay[k]] = p->hand;
    }
}

/* How many nodes are next to an observer. No relay has a row yet, in `slot`, before and after. */
static int32_t count_relays(const published *p, int32_t to_count)
{
    int32_t count = 0;
    for (int32_t w = 0; w < p->nodes; w++)
        p->slot[w] = -1;
    for (int32_t i = 0; i < to_count; i++) {
        const int32_t *neighbour = netdp_graph_neighbours(p->graph, p->to[i]);
        for (int32_t k = 0; k < netdp_graph_degree(p->graph, p->to[i]); k++) {
            count += p->slot[neighbour[k]] != 0;
            p->slot[neighbour[k]] = 0;
        }
    }
    for (int32_t w = 0; w < p->nodes; w++)
        p->slot[w] = -1;
    return count;
}

/* A <- W_t A, of which rows of active nodes alone change; `mixed` has room for all of them. */
static void mix_active(const netdp_round *round, int64_t n, double *a, double *mixed)
{
    memset(mixed, 0, (size_t)(round->active_count * n) * sizeof *mixed);
    for (int32_t i = 0; i < round->active_count; i++) {
        const int32_t v = round->active[i];
        for (int64_t j = round->rows.start[v]; j < round->rows.start[v + 1]; j++)
            cblas_daxpy((int)n, round->rows.weight[j], a + round->rows.column[j] * n, 1,
                        mixed + i * n, 1);
    }
    for (int32_t i = 0; i < round->active_count; i++)
        memcpy(a + round->active[i] * n, mixed + i * n, (size_t)n * sizeof *a);
}

/*
 * The theorem as it stands, for changing W_t: with A = W_{t-1} ... W_0, each message of w that
 * crosses an active edge to v adds A_wu^2 / |A_w|^2. Rounds come one after the other.
 */
static netdp_status publish_changing(const published *p, const int32_t *to, int32_t to_count,
                                     double *loss, const netdp_progress *progress,
                                     netdp_error *error)
{
    const netdp_linear *protocol = p->protocol;
    const int32_t *from = p->from, from_count = p->from_count;
    const int64_t n = p->nodes;
    OWNED_BY(netdp_sequence_free) netdp_sequence *sequence = NULL;
    netdp_round round;
    TRY(netdp_sequence_new(protocol->mixing, &protocol->varying, &sequence, error));
    OWNED double *a = NETDP_I_NEW(double, n *n);
    OWNED double *next = NETDP_I_NEW(double, n *n);
    if (a == NULL || next == NULL)
        return netdp_i_no_memory(error);
    for (int64_t v = 0; v < n; v++)
        a[v * n + v] = 1;
    for (int64_t t = 0; t < protocol->rounds; t++) {
        TRY(netdp_sequence_round(sequence, t, &round, error));
        for (int64_t k = 0; t >= p->first && k < to_count; k++)
            for (int64_t j = round.rows.start[to[k]]; j < round.rows.start[to[k] + 1]; j++) {
                const double *row = a + round.rows.column[j] * n;
                double energy = 0;
                for (int64_t u = 0; round.rows.column[j] != to[k] && u < n; u++)
                    energy += row[u] * row[u];
                for (int32_t i = 0; energy > 0 && i < from_count; i++)
                    loss[k * from_count + i] += row[from[i]] * row[from[i]] / energy;
            }
        mix_active(&round, n, a, next);
        TRY(netdp_i_report(progress, "products of W", (double)(t + 1), (double)protocol->rounds,
                           error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_published_new(const netdp_linear *protocol, int64_t first,
                                   const netdp_losses *losses, int64_t room,
                                   netdp_i_published **made, netdp_error *error)
{
    const bool changes = protocol->varying.kind != NETDP_VARY_NEVER;
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    if (changes && n > MOST_CHANGING)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "published: a changing network needs all its nodes at once: at most %d",
                            MOST_CHANGING);
    published *p = NETDP_I_NEW(published, 1);
    if (p == NULL)
        return netdp_i_no_memory(error);
    p->once = *protocol;
    p->protocol = &p->once;
    p->graph = netdp_mixing_graph(protocol->mixing);
    p->from = losses->from;
    p->to = losses->to;
    p->first = first;
    p->nodes = n;
    p->from_count = losses->from_count;
    *made = p;
    if (changes)
        return NETDP_OK;
    p->slot = NETDP_I_NEW(int32_t, n);
    p->wanted = NETDP_I_NEW(int64_t, n);
    p->scratch = NETDP_I_NEW(double, (int64_t)netdp_i_threads() * 3 * n * BLOCK);
    if (p->slot == NULL || p->wanted == NULL || p->scratch == NULL)
        return netdp_i_no_memory(error);
    /* At least a block for each thread. */
    const int64_t fit = room / ((int64_t)sizeof(double) * losses->from_count);
    const int64_t least = (int64_t)BLOCK * netdp_i_threads(),
                  relays = count_relays(p, losses->to_count);
    p->slots =
        (int32_t)(fit > least ? (fit < relays ? fit : relays) : (least < relays ? least : relays));
    p->relay = NETDP_I_NEW(int32_t, p->slots);
    p->holder = NETDP_I_NEW(int32_t, p->slots);
    p->leaked = NETDP_I_NEW(double, (int64_t)p->slots * losses->from_count);
    if (p->relay == NULL || p->holder == NULL || p->leaked == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k < p->slots; k++)
        p->holder[k] = -1;
    return NETDP_OK;
}

void netdp_i_published_free(netdp_i_published *p)
{
    if (p == NULL)
        return;
    netdp_i_free(p->slot);
    netdp_i_free(p->holder);
    netdp_i_free(p->leaked);
    netdp_i_free(p->scratch);
    netdp_i_free(p->wanted);
    netdp_i_free(p->relay);
    netdp_i_free(p);
}

netdp_status netdp_i_published_rows(netdp_i_published *p, int32_t index, int32_t count,
                                    double *loss, const netdp_progress *progress,
                                    netdp_error *error)
{
    memset(loss, 0, (size_t)count * (size_t)p->from_count * sizeof *loss);
    if (p->protocol->varying.kind != NETDP_VARY_NEVER)
        return publish_changing(p, p->to + index, count, loss, progress, error);
    p->index = index;
    p->loss = loss;
    for (p->begin = (place){index, 0}; p->begin.observer < index + count; p->begin = p->end) {
        claim_relays(p, index + count);
        seat_relays(p);
        TRY(netdp_i_for_each((p->relay_count + BLOCK - 1) / BLOCK, leak_of_block, p, progress,
                             "powers of W", error));
        const int32_t observers =
            p->end.observer - p->begin.observer + (p->end.neighbour > 0 ? 1 : 0);
        TRY(netdp_i_for_each(observers, gather_observer, p, progress, "observers", error));
    }
    return NETDP_OK;
}
