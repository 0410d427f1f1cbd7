/*
 * The accountants, their work shared by the nodes that are learned about. Accounts that go round by
 * round: whoever has a node's row of the basis. All others: a share of the nodes for each process,
 * which does for them what netdp alone would do.
 */
#include "engine/losses.h"

#include <string.h>

#include "account/losses/losses.h"
#include "account/observe/heard.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "engine/basis.h"
#include "engine/together.h"

/* ---- round by round ---- */

/* What the observers of one account share. */
typedef struct spread {
    netdp_i_halo *halo;
    int32_t *place,
        *row; /* [own nodes]: those that are asked, as indices of losses->from and rows of the basis */
    double *loss;  /* [own nodes] */
    double *width; /* [own nodes] */
} spread;

static void spread_clear(spread *s)
{
    netdp_i_halo_free(s->halo);
    netdp_i_free(s->place);
    netdp_i_free(s->row);
    netdp_i_free(s->loss);
    netdp_i_free(s->width);
}

/* The asked nodes whose rows are here, behind `head` rows: how many. */
static int32_t find_own(const spread *s, const netdp_losses *losses, int32_t head)
{
    const int32_t first = netdp_i_halo_first(s->halo), end = first + netdp_i_halo_count(s->halo);
    int32_t count = 0;
    for (int32_t i = 0; i < losses->from_count; i++) {
        if (losses->from[i] < first || losses->from[i] >= end)
            continue;
        s->place[count] = i;
        s->row[count++] = head + losses->from[i] - first;
    }
    return count;
}

/* One process's, where another has less memory and would choose another. */
static netdp_status same(bool *choice, netdp_error *error)
{
    TRY(netdp_i_agree(NETDP_OK, error));
    netdp_i_tell(choice, sizeof *choice);
    return NETDP_OK;
}

/* The own losses, in s->loss, become everyone's. */
static void share_out(const spread *s, const netdp_losses *losses, int32_t own, double *loss)
{
    memset(loss, 0, (size_t)losses->from_count * sizeof *loss);
    for (int32_t i = 0; i < own; i++)
        loss[s->place[i]] = s->loss[i];
    netdp_i_sum_up(loss, losses->from_count);
}

static netdp_status account_observer(void *context, const netdp_loss_request *request,
                                     const netdp_losses *losses, const netdp_i_observer *observer,
                                     double *loss, const netdp_progress *progress,
                                     netdp_error *error)
{
    spread *s = context;
    const netdp_linear *protocol = request->protocol;
    const int64_t powers = protocol->rounds + (observer->last_sum ? 1 : 0);
    const netdp_i_others others = netdp_i_halo_others(s->halo);
    CLEARED(netdp_i_spread_basis_clear) netdp_i_spread_basis basis = {0};
    const bool hears = losses->certified; /* what is proven is proven of what is heard */
    if (!hears)
        TRY(netdp_i_spread_basis_new(
            protocol->mixing, s->halo, observer, (netdp_i_depth){powers, powers},
            netdp_i_observer_scale(protocol, observer) < NETDP_I_FACTOR_BELOW, progress, &basis,
            error));
    const int32_t own = find_own(s, losses, basis.basis.nodes);
    const netdp_i_sources of = {own, s->row, s->loss};
    netdp_status status = NETDP_OK;
    if (hears)
        status =
            netdp_i_heard_loss(protocol, observer, &others, true, s->width, &of, progress, error);
    else if (own > 0)
        status = netdp_i_losses_on_basis(request, losses->bound->bound, &basis.basis,
                                         &basis.observer, &of, progress, error);
    TRY(netdp_i_agree(status, error));
    share_out(s, losses, own, loss);
    return NETDP_OK;
}

/* What the observers share, on every process. */
static netdp_status spread_new(netdp_rows rows, spread *s, netdp_error *error)
{
    TRY(netdp_i_halo_new(rows, &s->halo, error));
    const int32_t own = netdp_i_halo_count(s->halo);
    s->place = NETDP_I_NEW(int32_t, own);
    s->row = NETDP_I_NEW(int32_t, own);
    s->loss = NETDP_I_NEW(double, own);
    s->width = NETDP_I_NEW(double, own);
    const bool room = s->place != NULL && s->row != NULL && s->loss != NULL && s->width != NULL;
    return netdp_i_agree(room ? NETDP_OK : netdp_i_no_memory(error), error);
}

static netdp_status account_rounds(const netdp_loss_request *request, netdp_i_batch_sink sink,
                                   void *context, const netdp_progress *progress,
                                   netdp_error *error)
{
    CLEARED(spread_clear) spread s = {0};
    const netdp_i_rounds rounds = {account_observer, same, &s};
    TRY(spread_new(netdp_mixing_rows(request->protocol->mixing), &s, error));
    return netdp_i_agree(netdp_i_losses_all(request, (netdp_i_room){NETDP_I_BATCH_BYTES, 0},
                                            &rounds, sink, context, progress, error),
                         error);
}

/* ---- a share of the nodes each ---- */

/* Of `count` asked nodes (0: all) this process's; one of them also where there are too few. */
typedef struct share {
    int32_t first, count, counted;
    int32_t *node;              /* [count] */
    netdp_losses *part, *whole; /* of those; of all nodes */
} share;

static void share_clear(share *mine)
{
    netdp_i_free(mine->node);
    netdp_losses_free(mine->part);
    netdp_losses_free(mine->whole);
}

static netdp_status share_new(const int32_t *asked, int32_t count, int32_t nodes, share *made,
                              netdp_error *error)
{
    const netdp_i_processes here = netdp_i_processes_here();
    const int32_t all = count > 0 ? count : nodes;
    made->first = (int32_t)netdp_i_share(all, here.rank, here.size);
    made->counted = (int32_t)netdp_i_share(all, here.rank + 1, here.size) - made->first;
    made->count = made->counted > 0 ? made->counted : 1;
    made->node = NETDP_I_NEW(int32_t, made->count);
    if (made->node == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < made->count; i++)
        made->node[i] = count > 0 ? asked[made->first + i] : made->first + i;
    return NETDP_OK;
}

/* A process whose share is empty asks about a node of another, where it counts. */
static void add_given(const netdp_losses *part, bool counts, netdp_losses *whole)
{
    double pairs[sizeof whole->given / sizeof *whole->given] = {0};
    whole->given_count = part->given_count;
    for (int32_t k = 0; k < part->given_count; k++)
        pairs[k] = counts ? (double)part->given[k].pairs : 0;
    netdp_i_sum_up(pairs, part->given_count);
    for (int32_t k = 0; k < part->given_count; k++)
        whole->given[k] = (netdp_given){part->given[k].bound, (int64_t)pairs[k]};
}

/* All processes' parts become the whole, on each of them; empty but for its lists before. */
static void put_together(share *mine)
{
    const netdp_losses *part = mine->part;
    netdp_losses *whole = mine->whole;
    whole->bound = part->bound;
    whole->sound = part->sound;
    whole->threat = part->threat;
    whole->certified = part->certified;
    whole->reason = part->reason;
    add_given(part, mine->counted > 0, whole);
    whole->final = part->final;
    whole->unit = part->unit;
    whole->noise = part->noise;
    whole->local = netdp_i_largest(part->local);
    for (int32_t v = 0; v < whole->to_count; v++) {
        double *loss = whole->loss + (int64_t)v * whole->from_count;
        memset(loss, 0, (size_t)whole->from_count * sizeof *loss);
        memcpy(loss + mine->first, part->loss + (int64_t)v * part->from_count,
               (size_t)mine->counted * sizeof *loss);
        netdp_i_sum_up(loss, whole->from_count);
    }
    netdp_i_losses_exclude(whole);
}

static netdp_status account_share(const netdp_loss_request *request, share *mine,
                                  const netdp_progress *progress, netdp_error *error)
{
    const int32_t nodes = netdp_mixing_rows(request->protocol->mixing).nodes;
    netdp_loss_request own = *request;
    TRY(netdp_i_losses_new(nodes, request->from, request->from_count, request->to,
                           request->to_count, request->coalition, &mine->whole, error));
    TRY(share_new(request->from, request->from_count, nodes, mine, error));
    own.from = mine->node;
    own.from_count = mine->count;
    return netdp_losses_new(&own, progress, &mine->part, error);
}

static netdp_status account_shares(const netdp_loss_request *request, netdp_losses **losses,
                                   const netdp_progress *progress, netdp_error *error)
{
    CLEARED(share_clear) share mine = {0};
    TRY(netdp_i_agree(account_share(request, &mine, progress, error), error));
    put_together(&mine);
    *losses = GIVE(mine.whole);
    return NETDP_OK;
}

/* ---- what the command calls ---- */

netdp_status netdp_i_engine_losses(const netdp_loss_request *request, netdp_i_batch_sink sink,
                                   void *context, const netdp_progress *progress,
                                   netdp_error *error)
{
    netdp_plan plan;
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    TRY(netdp_i_agree(netdp_i_losses_way(request, &plan, error), error));
    TRY(netdp_i_agree_on(netdp_mixing_rows(request->protocol->mixing), request->protocol->rounds,
                         error));
    /* Where there is a choice between bases, but for noise that is shared by nodes or over time, of which each process has to
       know all; what is proven without what is heard is proven by each process for its nodes. */
    const netdp_linear *protocol = request->protocol;
    const bool common =
        netdp_pairing_is(&protocol->noise.pairing) || netdp_quiet_is(&protocol->quiet);
    bool shared = !common && plan.ways > 0;
    if (shared)
        TRY(netdp_i_losses_shared(request, &shared, error));
    TRY(same(&shared, error));
    if (shared)
        return account_rounds(request, sink, context, progress, error);
    TRY(account_shares(request, &losses, progress, error));
    return netdp_i_losses_replay(losses, sink, context, error);
}

netdp_status netdp_i_engine_losses_new(const netdp_loss_request *request,
                                       const netdp_progress *progress, netdp_losses **losses,
                                       netdp_error *error)
{
    OWNED_BY(netdp_losses_free) netdp_losses *kept = NULL;
    TRY(netdp_i_agree(netdp_i_engine_losses(request, netdp_i_losses_keep, &kept, progress, error),
                      error));
    *losses = GIVE(kept);
    return NETDP_OK;
}

static netdp_status walk_share(const netdp_walk_request *request, share *mine,
                               const netdp_progress *progress, netdp_error *error)
{
    const int32_t nodes = netdp_transition_rows(request->token->law).nodes;
    netdp_walk_request own = *request;
    TRY(netdp_i_losses_new(nodes, request->from, request->from_count, request->to,
                           request->to_count, request->coalition, &mine->whole, error));
    TRY(share_new(request->from, request->from_count, nodes, mine, error));
    own.from = mine->node;
    own.from_count = mine->count;
    return netdp_walk_losses_new(&own, progress, &mine->part, error);
}

netdp_status netdp_i_engine_walk_losses(const netdp_walk_request *request,
                                        const netdp_progress *progress, netdp_losses **losses,
                                        netdp_error *error)
{
    CLEARED(share_clear) share mine = {0};
    TRY(netdp_i_agree_on(netdp_transition_rows(request->token->law), request->token->steps, error));
    TRY(netdp_i_agree(walk_share(request, &mine, progress, error), error));
    put_together(&mine);
    *losses = GIVE(mine.whole);
    return NETDP_OK;
}
