/* What a node learns together with any others that pool their views: the largest of all coalitions. */
#include <math.h>
#include <string.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "protocol/pairing.h"

/* So many coalitions of 16 nodes take seconds, of 100 minutes. */
#define MOST_COALITIONS 200000

typedef struct pooling {
    const netdp_i_pools *pools;
    int64_t count;
    int32_t *member;     /* [count][pool] */
    netdp_progress poll; /* the rounds of one coalition are no news */
    int32_t from_count;
    double *loss;            /* [count][from_count] */
    netdp_i_judgement *says; /* [count] */
} pooling;

static int64_t count_coalitions(int32_t nodes, int32_t pool)
{
    double count = 1;
    for (int32_t i = 0; i < pool; i++)
        count *= (double)(nodes - i) / (i + 1);
    return count <= MOST_COALITIONS ? (int64_t)llround(count) : -1;
}

bool netdp_i_pools_all(int32_t nodes, int32_t pool)
{
    return count_coalitions(nodes, pool) >= 0;
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
                            "%d of %d nodes who collude: nobody is left to learn about; give fewer",
                            (int)pool, (int)nodes);
    *count = count_coalitions(nodes, pool);
    if (*count < 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "%d of %d nodes who collude: more than %d coalitions; give fewer, or a "
                            "smaller network (netdp loss --to worst:%d searches for one of them)",
                            (int)pool, (int)nodes, MOST_COALITIONS, (int)pool);
    *member = NETDP_I_NEW(int32_t, *count * pool);
    if (*member == NULL)
        return netdp_i_no_memory(error);
    list_coalitions(nodes, pool, *count, *member);
    return NETDP_OK;
}

netdp_status netdp_i_pools_hiding(const netdp_graph *pairs, int32_t pool, netdp_i_hiding *hiding,
                                  netdp_error *error)
{
    OWNED int32_t *member = NULL;
    int64_t count = 0;
    TRY(netdp_i_coalitions_new(netdp_graph_nodes(pairs), pool, &member, &count, error));
    for (int64_t c = 0; c < count; c++) {
        netdp_i_hiding one;
        TRY(netdp_i_pairing_hiding(pairs, member + c * pool, pool, true, &one, error));
        if (c == 0 || one.least < hiding->least)
            *hiding = one;
    }
    return NETDP_OK;
}

static netdp_status account_coalition(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    pooling *p = context;
    const netdp_i_pools *pools = p->pools;
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    TRY(pools->ask(pools->context, p->member + index * pools->pool, pools->pool, &p->poll, &losses,
                   error));
    memcpy(p->loss + index * p->from_count, losses->loss,
           (size_t)p->from_count * sizeof *losses->loss);
    p->says[index] = (netdp_i_judgement){losses->sound, losses->certified, losses->reason};
    return NETDP_OK;
}

static netdp_status account_all(pooling *p, const netdp_progress *progress, netdp_error *error)
{
    if (!p->pools->alone)
        return netdp_i_for_each(p->count, account_coalition, p, progress, "coalitions", error);
    for (int64_t c = 0; c < p->count; c++) {
        TRY(account_coalition(p, c, 0, error));
        TRY(netdp_i_report(progress, "coalitions", (double)(c + 1), (double)p->count, error));
    }
    return NETDP_OK;
}

/* What one coalition learns of the others each of its members does, if it is more. */
static void take_more(const pooling *p, int64_t c, const int32_t *row, const bool *is_member,
                      netdp_losses *made)
{
    const int32_t *member = p->member + c * p->pools->pool;
    const double *loss = p->loss + c * p->from_count;
    for (int32_t i = 0; i < p->pools->pool; i++) {
        if (row[member[i]] < 0)
            continue;
        double *most = made->loss + (int64_t)row[member[i]] * made->from_count;
        for (int32_t u = 0; u < made->from_count; u++)
            if (!is_member[made->from[u]] && !(loss[u] <= most[u]))
                most[u] = isnan(loss[u]) ? INFINITY : loss[u];
    }
}

/* Each pair's largest over the coalitions that its observer belongs to and its source does not. */
static netdp_status take_largest(const pooling *p, netdp_losses *made,
                                 const netdp_progress *progress, netdp_error *error)
{
    OWNED int32_t *row = NETDP_I_NEW(int32_t, p->pools->nodes);
    OWNED bool *is_member = NETDP_I_NEW(bool, p->pools->nodes);
    NEED(row);
    NEED(is_member);
    for (int32_t v = 0; v < p->pools->nodes; v++)
        row[v] = -1;
    for (int32_t v = 0; v < made->to_count; v++) {
        row[made->to[v]] = v;
        for (int32_t u = 0; u < made->from_count; u++)
            if (netdp_losses_counts(made, u, v))
                made->loss[(int64_t)v * made->from_count + u] = 0;
    }
    for (int64_t c = 0; c < p->count; c++) {
        const int32_t *member = p->member + c * p->pools->pool;
        for (int32_t i = 0; i < p->pools->pool; i++)
            is_member[member[i]] = true;
        take_more(p, c, row, is_member, made);
        for (int32_t i = 0; i < p->pools->pool; i++)
            is_member[member[i]] = false;
        if (c % 1000 == 0)
            TRY(netdp_i_report(progress, "the largest of all coalitions", (double)c,
                               (double)p->count, error));
    }
    return NETDP_OK;
}

static void pooling_clear(pooling *p)
{
    netdp_i_free(p->member);
    netdp_i_free(p->loss);
    netdp_i_free(p->says);
}

netdp_status netdp_i_pools_largest(const netdp_i_pools *pools, const netdp_progress *progress,
                                   netdp_losses **losses, netdp_error *error)
{
    CLEARED(pooling_clear)
    pooling p = {.pools = pools, .poll = netdp_i_only_polled(progress)};
    OWNED_BY(netdp_losses_free) netdp_losses *made = NULL;
    TRY(netdp_i_coalitions_new(pools->nodes, pools->pool, &p.member, &p.count, error));
    TRY(pools->ask(pools->context, NULL, 0, &p.poll, &made, error));
    p.from_count = made->from_count;
    p.loss = NETDP_I_NEW(double, p.count *p.from_count);
    p.says = NETDP_I_NEW(netdp_i_judgement, p.count);
    NEED(p.loss);
    NEED(p.says);
    TRY(account_all(&p, progress, error));
    for (int64_t c = 0; c < p.count; c++)
        netdp_i_judge_together(&p.says[c], made);
    TRY(take_largest(&p, made, &p.poll, error));
    made->given_count = 0; /* who was least towards single observers */
    made->threat.assumes = "nodes follow the protocol; any coalition of that size may collude";
    *losses = GIVE(made);
    return NETDP_OK;
}

/* ---- Gossip ---- */

static netdp_status ask_gossip(void *context, const int32_t *member, int32_t count,
                               const netdp_progress *progress, netdp_losses **losses,
                               netdp_error *error)
{
    netdp_loss_request request = *(const netdp_loss_request *)context;
    request.pool = 0;
    if (count > 0) {
        request.coalition = true;
        request.to_count = count;
        request.to = member;
    }
    return netdp_losses_new(&request, progress, losses, error);
}

netdp_status netdp_i_losses_pooled(const netdp_loss_request *request,
                                   const netdp_progress *progress, netdp_losses **losses,
                                   netdp_error *error)
{
    const netdp_i_pools pools = {.nodes = netdp_mixing_rows(request->protocol->mixing).nodes,
                                 .pool = request->pool,
                                 .ask = ask_gossip,
                                 .context = (void *)request};
    REFUSE(request->coalition,
           "pool: the observers are one coalition already; leave one of the two out");
    return netdp_i_pools_largest(&pools, progress, losses, error);
}
