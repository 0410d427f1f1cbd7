#include "account/published.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mixing/mixing.h"

/* Columns of W^t that one piece carries through all rounds: they stay in the cache. */
enum { BLOCK = 16 };

typedef struct published {
    const netdp_linear *protocol;
    const netdp_graph *graph;
    const int32_t *from, *to;
    int64_t first; /* round of the sum */
    int32_t nodes, from_count, relay_count;
    int32_t *relay;  /* [relay_count]: nodes next to an observer */
    int32_t *rank;   /* [nodes]: index in relay, or -1 */
    double *leaked;  /* [relay_count][from_count]: sum_t (W^t)_{uw}^2 / |W^t_w|^2 */
    double *scratch; /* threads x 3 [nodes][BLOCK] */
    double *loss;
} published;

static netdp_status leak_of_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    published *p = context;
    const int32_t first = (int32_t)index * BLOCK;
    const int32_t count = p->relay_count - first < BLOCK ? p->relay_count - first : BLOCK;
    const int64_t size = (int64_t)p->nodes * BLOCK;
    double *power = p->scratch + thread * 3 * size, *next = power + size, *sum = next + size;
    memset(power, 0, (size_t)size * sizeof *power);
    memset(sum, 0, (size_t)size * sizeof *sum);
    for (int32_t j = 0; j < count; j++)
        power[(int64_t)p->relay[first + j] * count + j] = 1;
    for (int64_t t = 0; t < p->protocol->rounds; t++) {
        double energy[BLOCK] = {0};
        for (int64_t u = 0; u < p->nodes; u++)
            for (int32_t j = 0; j < count; j++)
                energy[j] += power[u * count + j] * power[u * count + j];
        for (int32_t j = 0; j < count; j++)
            energy[j] = 1 / energy[j];
        for (int64_t u = 0; t >= p->first && u < p->nodes; u++)
            for (int32_t j = 0; j < count; j++)
                sum[u * count + j] += power[u * count + j] * power[u * count + j] * energy[j];
        netdp_mixing_apply(p->protocol->mixing, power, next, count);
        double *swap = power;
        power = next;
        next = swap;
    }
    for (int32_t j = 0; j < count; j++) {
        double *leaked = p->leaked + (int64_t)(first + j) * p->from_count;
        for (int32_t i = 0; i < p->from_count; i++)
            leaked[i] = sum[(int64_t)p->from[i] * count + j];
    }
    return NETDP_OK;
}

static netdp_status gather_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    published *p = context;
    double *loss = p->loss + index * p->from_count;
    const int32_t v = p->to[index];
    const int32_t *neighbour = netdp_graph_neighbours(p->graph, v);
    memset(loss, 0, (size_t)p->from_count * sizeof *loss);
    for (int32_t k = 0; k < netdp_graph_degree(p->graph, v); k++) {
        const double *leaked = p->leaked + (int64_t)p->rank[neighbour[k]] * p->from_count;
        for (int32_t i = 0; i < p->from_count; i++)
            loss[i] += leaked[i];
    }
    return NETDP_OK;
}

static void find_relays(published *p, int32_t to_count)
{
    for (int32_t w = 0; w < p->nodes; w++)
        p->rank[w] = -1;
    for (int32_t i = 0; i < to_count; i++) {
        const int32_t *neighbour = netdp_graph_neighbours(p->graph, p->to[i]);
        for (int32_t k = 0; k < netdp_graph_degree(p->graph, p->to[i]); k++)
            p->rank[neighbour[k]] = 0;
    }
    for (int32_t w = 0; w < p->nodes; w++) {
        if (p->rank[w] == 0) {
            p->rank[w] = p->relay_count;
            p->relay[p->relay_count++] = w;
        }
    }
}

/*
 * The theorem as it stands, for changing W_t: with A = W_{t-1} ... W_0, each message of w that
 * crosses an active edge to v adds A_wu^2 / |A_w|^2. Rounds come one after the other.
 */
static netdp_status publish_changing(const netdp_linear *protocol, int64_t first,
                                     const int32_t *from, int32_t from_count, const int32_t *to,
                                     int32_t to_count, double *loss, const netdp_progress *progress,
                                     netdp_error *error)
{
    const int64_t n = netdp_mixing_rows(protocol->mixing).nodes;
    netdp_sequence *sequence = NULL;
    netdp_round round;
    double *a = NULL, *next = NULL;
    if (n > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "published: a changing network needs all its nodes at once: at most %d",
                            NETDP_DENSE_NODES);
    netdp_status status =
        netdp_sequence_new(protocol->mixing, &protocol->varying, &sequence, error);
    if (status != NETDP_OK)
        return status;
    a = NETDP_I_NEW(double, n *n);
    next = NETDP_I_NEW(double, n *n);
    if (a == NULL || next == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    memset(loss, 0, (size_t)from_count * (size_t)to_count * sizeof *loss);
    for (int64_t v = 0; v < n; v++)
        a[v * n + v] = 1;
    for (int64_t t = 0; status == NETDP_OK && t < protocol->rounds; t++) {
        status = netdp_sequence_round(sequence, t, &round, error);
        if (status != NETDP_OK)
            break;
        for (int64_t k = 0; t >= first && k < to_count; k++)
            for (int64_t j = round.rows.start[to[k]]; j < round.rows.start[to[k] + 1]; j++) {
                const double *row = a + round.rows.column[j] * n;
                double energy = 0;
                for (int64_t u = 0; round.rows.column[j] != to[k] && u < n; u++)
                    energy += row[u] * row[u];
                for (int32_t i = 0; energy > 0 && i < from_count; i++)
                    loss[k * from_count + i] += row[from[i]] * row[from[i]] / energy;
            }
        netdp_i_rows_apply(round.rows, a, next, (int32_t)n);
        double *swap = a;
        a = next;
        next = swap;
        status = netdp_i_report(progress, "products of W", (double)(t + 1),
                                (double)protocol->rounds, error);
    }
done:
    netdp_i_free(a);
    netdp_i_free(next);
    netdp_sequence_free(sequence);
    return status;
}

netdp_status netdp_i_published(const netdp_linear *protocol, int64_t first, const int32_t *from,
                               int32_t from_count, const int32_t *to, int32_t to_count,
                               double *loss, const netdp_progress *progress, netdp_error *error)
{
    published p = {.protocol = protocol,
                   .first = first,
                   .graph = netdp_mixing_graph(protocol->mixing),
                   .from = from,
                   .to = to,
                   .from_count = from_count,
                   .loss = loss};
    if (protocol->varying.kind != NETDP_VARY_NEVER)
        return publish_changing(protocol, first, from, from_count, to, to_count, loss, progress,
                                error);
    p.nodes = netdp_graph_nodes(p.graph);
    p.relay = NETDP_I_NEW(int32_t, p.nodes);
    p.rank = NETDP_I_NEW(int32_t, p.nodes);
    p.scratch = NETDP_I_NEW(double, (int64_t)netdp_i_threads() * 3 * p.nodes * BLOCK);
    netdp_status status = NETDP_OK;
    if (p.relay == NULL || p.rank == NULL || p.scratch == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    find_relays(&p, to_count);
    p.leaked = NETDP_I_NEW(double, (int64_t)p.relay_count *from_count);
    if (p.leaked == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    status = netdp_i_for_each((p.relay_count + BLOCK - 1) / BLOCK, leak_of_block, &p, progress,
                              "powers of W", error);
    if (status == NETDP_OK)
        status = netdp_i_for_each(to_count, gather_observer, &p, progress, "observers", error);
done:
    netdp_i_free(p.relay);
    netdp_i_free(p.rank);
    netdp_i_free(p.scratch);
    netdp_i_free(p.leaked);
    return status;
}
