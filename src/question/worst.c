/* worst:C: what any C nodes learn who collude, of everybody else. */
#include <math.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "question/question.h"

typedef struct asked {
    netdp_i_description *description;
    double noise;
    netdp_unit unit;
} asked;

static netdp_status ask(void *context, const int32_t *member, int32_t count,
                        const netdp_progress *progress, netdp_losses **losses, netdp_error *error)
{
    const asked *a = context;
    netdp_loss_request *request = &a->description->request;
    const netdp_loss_request kept = *request;
    request->pool = 0;
    request->coalition = count > 0;
    request->to_count = count;
    request->to = member;
    const netdp_status status =
        a->description->kind->losses(a->description, a->noise, a->unit, progress, losses, error);
    *request = kept;
    return status;
}

static bool is_among(const int32_t *member, int32_t count, int32_t node)
{
    for (int32_t i = 0; i < count; i++)
        if (member[i] == node)
            return true;
    return false;
}

/* About whom most is learnt; -1: all belong to the coalition. */
static double most_of(const netdp_losses *losses)
{
    double most = -1;
    for (int32_t u = 0; u < losses->from_count; u++)
        if (netdp_losses_counts(losses, u, 0) && !(losses->loss[u] <= most))
            most = isnan(losses->loss[u]) ? INFINITY : losses->loss[u];
    return most;
}

/* The node joins with whom the coalition learns most, the first of several; until it has its size. */
static netdp_status search(const netdp_i_pools *pools, const netdp_progress *progress,
                           netdp_losses **losses, netdp_error *error)
{
    const netdp_progress poll = netdp_i_only_polled(progress);
    const double steps = (double)pools->pool * pools->nodes;
    OWNED int32_t *member = NETDP_I_NEW(int32_t, pools->pool);
    OWNED_BY(netdp_losses_free) netdp_losses *best = NULL;
    NEED(member);
    for (int32_t size = 0; size < pools->pool; size++) {
        double most = -2;
        int32_t joins = -1;
        for (int32_t v = 0; v < pools->nodes; v++) {
            OWNED_BY(netdp_losses_free) netdp_losses *one = NULL;
            if (is_among(member, size, v))
                continue;
            member[size] = v;
            TRY(pools->ask(pools->context, member, size + 1, &poll, &one, error));
            if (most_of(one) > most) {
                most = most_of(one);
                joins = v;
                netdp_losses_free(best);
                best = GIVE(one);
            }
            TRY(netdp_i_report(progress, "coalitions", (double)size * pools->nodes + v + 1, steps,
                               error));
        }
        member[size] = joins;
    }
    netdp_i_judge_found(best);
    *losses = GIVE(best);
    return NETDP_OK;
}

netdp_status netdp_i_description_losses(netdp_i_description *d, double noise, netdp_unit unit,
                                        const netdp_progress *progress, netdp_losses **losses,
                                        netdp_error *error)
{
    asked a = {d, noise, unit};
    const netdp_i_pools pools = {netdp_graph_nodes(d->graph), d->request.pool, true, ask, &a};
    if (pools.pool > 1 && !netdp_i_pools_all(pools.nodes, pools.pool))
        return search(&pools, progress, losses, error);
    if (pools.pool > 1 && d->kind != &netdp_i_describing_gossip) /* which does it by itself */
        return netdp_i_pools_largest(&pools, progress, losses, error);
    return d->kind->losses(d, noise, unit, progress, losses, error);
}

netdp_status netdp_i_description_named(const netdp_i_description *d, const char *option,
                                       netdp_error *error)
{
    REFUSE(option != NULL && d->request.pool > 1,
           "%s: is of observers that are named; --to worst:%d is of all coalitions of its size: "
           "leave one of them out, or give set:V,W",
           option, (int)d->request.pool);
    return NETDP_OK;
}
