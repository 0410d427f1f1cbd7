/* What a node learns together with any others that pool their views: the largest of all coalitions. */
#include <math.h>
#include <string.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* So many coalitions of 16 nodes take seconds, of 100 minutes. */
#define MOST_COALITIONS 200000

typedef struct pooling {
    const netdp_loss_request *request;
    int32_t nodes, pool, from_count;
    int64_t count;
    int32_t *member;     /* [count][pool] */
    netdp_progress poll; /* the rounds of one coalition are no news */
    double *loss;        /* [count][from_count] */
    bool *certified;
} pooling;

static int64_t count_coalitions(int32_t nodes, int32_t pool)
{
    double count = 1;
    for (int32_t i = 0; i < pool; i++)
        count *= (double)(nodes - i) / (i + 1);
    return count <= MOST_COALITIONS ? (int64_t)llround(count) : -1;
}

/* In the order of their members; each of `pool` different nodes, ascending. */
static void list_coalitions(int32_t nodes, int32_t pool, int64_t count, int32_t *member)
{
    for (int32_t i = 0; i < pool; i++)
        member[i] = i;
    for (int64_t c = 1; c < count; c++) {
        int32_t *next = member + c * pool, place = pool - 1;
        memcpy(next, next - pool, (size_t)pool * sizeof *next);
        while (next[place] == nodes - pool + place)
            place--;
        next[place]++;
        for (int32_t i = place + 1; i < pool; i++)
            next[i] = next[i - 1] + 1;
    }
}

netdp_status netdp_i_coalitions_new(int32_t nodes, int32_t pool, int32_t **member, int64_t *count,
                                    netdp_error *error)
{
    if (pool < 1 || pool >= nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pool: %d of %d nodes; nobody is left to learn about", (int)pool,
                            (int)nodes);
    *count = count_coalitions(nodes, pool);
    if (*count < 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "pool: %d of %d nodes are more than %d coalitions; give fewer, or a "
                            "smaller network",
                            (int)pool, (int)nodes, MOST_COALITIONS);
    *member = NETDP_I_NEW(int32_t, *count * pool);
    if (*member == NULL)
        return netdp_i_no_memory(error);
    list_coalitions(nodes, pool, *count, *member);
    return NETDP_OK;
}

static netdp_status account_coalition(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    pooling *p = context;
    netdp_loss_request request = *p->request;
    netdp_losses *losses = NULL;
    request.pool = 0;
    request.coalition = true;
    request.to_count = p->pool;
    request.to = p->member + index * p->pool;
    TRY(netdp_losses_new(&request, &p->poll, &losses, error));
    memcpy(p->loss + index * p->from_count, losses->loss,
           (size_t)p->from_count * sizeof *losses->loss);
    p->certified[index] = losses->certified;
    netdp_losses_free(losses);
    return NETDP_OK;
}

/* One coalition's account says what all of them say of themselves; then each observer's largest. */
static netdp_status reduce(const pooling *p, netdp_losses **losses, netdp_error *error)
{
    netdp_loss_request request = *p->request;
    netdp_losses *made = NULL;
    bool outward = true;
    request.pool = 0;
    TRY(netdp_losses_new(&request, &p->poll, &made, error));
    for (int64_t c = 0; c < p->count; c++)
        outward = outward && p->certified[c];
    netdp_i_judge(made->bound, (netdp_i_case){.outward = outward}, made);
    for (int32_t v = 0; v < made->to_count; v++)
        for (int32_t u = 0; u < made->from_count; u++) {
            double largest = 0;
            if (!netdp_losses_counts(made, u, v))
                continue;
            for (int64_t c = 0; c < p->count; c++) {
                const int32_t *member = p->member + c * p->pool;
                bool with = false, about = false;
                for (int32_t i = 0; i < p->pool; i++) {
                    with = with || member[i] == made->to[v];
                    about = about || member[i] == made->from[u];
                }
                if (with && !about)
                    largest = fmax(largest, p->loss[c * p->from_count + u]);
            }
            made->loss[(int64_t)v * made->from_count + u] = largest;
        }
    made->threat.assumes = "nodes follow the protocol; some of them, no more than the pool, may "
                           "collude";
    *losses = made;
    return NETDP_OK;
}

static void pooling_clear(pooling *p)
{
    netdp_i_free(p->member);
    netdp_i_free(p->loss);
    netdp_i_free(p->certified);
}

netdp_status netdp_i_losses_pooled(const netdp_loss_request *request,
                                   const netdp_progress *progress, netdp_losses **losses,
                                   netdp_error *error)
{
    CLEARED(pooling_clear)
    pooling p = {.request = request,
                 .nodes = netdp_mixing_rows(request->protocol->mixing).nodes,
                 .pool = request->pool,
                 .poll = netdp_i_only_polled(progress)};
    p.from_count = request->from_count > 0 ? request->from_count : p.nodes;
    if (request->coalition)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pool: the observers are one coalition already; leave one of the two "
                            "out");
    TRY(netdp_i_coalitions_new(p.nodes, p.pool, &p.member, &p.count, error));
    p.loss = NETDP_I_NEW(double, p.count *p.from_count);
    p.certified = NETDP_I_NEW(bool, p.count);
    if (p.loss == NULL || p.certified == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(p.count, account_coalition, &p, progress, "coalitions", error));
    return reduce(&p, losses, error);
}
