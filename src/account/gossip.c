/* The account of gossip: which bound, on which basis, observer by observer. */
#include "account/gossip.h"

#include <math.h>
#include <string.h>

#include "account/gossip/changing.h"
#include "account/losses/label.h"
#include "account/losses/protect.h"
#include "account/observe/certificate.h"
#include "account/observe/cost.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "protocol/threat.h"

/*
 * The contributions of the asked nodes: what local differential privacy would give. Where senders
 * only contribute they differ from node to node.
 */
static netdp_status find_local(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_losses *losses = a->losses;
    losses->local = (double)netdp_linear_participations(protocol);
    if (netdp_quiet_is(&protocol->quiet)) {
        TRY(netdp_i_quiet_new(&protocol->quiet, protocol->cycle, &a->quiet, error));
        losses->local = netdp_i_quiet_local(a->quiet);
        return NETDP_OK;
    }
    if (!protocol->senders_only)
        return NETDP_OK;
    OWNED int64_t *made = NETDP_I_NEW(int64_t, netdp_mixing_rows(protocol->mixing).nodes);
    a->own = NETDP_I_NEW(double, losses->from_count);
    if (made == NULL || a->own == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_linear_realised(protocol, made, error));
    losses->local = 0;
    for (int32_t i = 0; i < losses->from_count; i++) {
        a->own[i] = (double)made[losses->from[i]];
        losses->local = fmax(losses->local, a->own[i]);
    }
    return NETDP_OK;
}

netdp_status netdp_i_gossip_begin(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    TRY(netdp_i_losses_asked(netdp_mixing_rows(request->protocol->mixing).nodes, request->from,
                             request->from_count, request->to, request->to_count,
                             request->coalition, &a->losses, error));
    TRY(find_local(a, error));
    TRY(netdp_i_protect_begin(&request->protection, a->losses, &a->most, &a->scale, error));
    netdp_losses *losses = a->losses;
    losses->threat =
        netdp_i_threat_gossip(request->sees, request->own_noise, request->protocol->cycle > 1);
    if (request->protection.protects == NETDP_PROTECTS_ROW)
        losses->threat.protects = netdp_protection_words(&request->protection);
    TRY(netdp_i_gossip_prove(a, error));
    netdp_i_judge(
        a->bound,
        (netdp_i_case){.outward = request->protection.batches.kind != NETDP_BATCHES_POISSON &&
                                  a->way != NETDP_I_WAY_OPEN,
                       .why = a->why},
        losses);
    return NETDP_OK;
}

void netdp_i_gossip_reduce_view(const netdp_i_gossip_account *a, const int32_t *member,
                                int32_t count, char *mark, int32_t *seen, double *reach,
                                netdp_i_observer *observer)
{
    const netdp_loss_request *request = a->request;
    *observer = (netdp_i_observer){.seen = seen,
                                   .member_count = count,
                                   .member = member,
                                   .quiet = member,
                                   .quiet_count = count,
                                   .pairing = netdp_i_gossip_pairing(request)};
    for (int32_t i = 0; i < count; i++)
        mark[member[i]] = 1;
    if (request->sees == NETDP_SEES_SUM) {
        /* A member without a neighbour outside learns from its sum what the set has sent: nothing. */
        const bool all =
            a->way == NETDP_I_WAY_NOISES || request->protocol->varying.kind != NETDP_VARY_NEVER;
        observer->last_sum = a->bound->bound != NETDP_BOUND_STREAM_PUBLISHED;
        if (netdp_i_gossip_own_counts(request))
            observer->quiet_count = 0;
        for (int32_t i = 0; i < count; i++) {
            const double reaches = netdp_i_reach(netdp_mixing_rows(request->protocol->mixing),
                                                 member[i], mark, observer->quiet_count == 0);
            if (!all && reaches == 0)
                continue;
            seen[observer->seen_count] = member[i];
            reach[observer->seen_count++] = reaches;
        }
        observer->reach = reach;
        return;
    }
    observer->own_counts = netdp_i_gossip_own_counts(request);
    for (int32_t i = 0; i < count; i++) {
        const int32_t *neighbour = netdp_graph_neighbours(a->graph, member[i]);
        for (int32_t k = 0; k < netdp_graph_degree(a->graph, member[i]); k++) {
            if (mark[neighbour[k]] == 0) {
                mark[neighbour[k]] = 1;
                seen[observer->seen_count++] = neighbour[k];
            }
        }
    }
}

/* Every contribution is seen under unit noise: all of them, or the squares of the given pattern. */
static double local_loss(const netdp_loss_request *request, double contributions)
{
    if (request->pattern == NULL)
        return contributions;
    const netdp_linear *protocol = request->protocol;
    double sum = 0;
    for (int64_t k = 0; k <= (protocol->rounds - 1) / protocol->every; k++)
        sum += request->pattern[k] * request->pattern[k];
    return sum;
}

/* loss[from_count] towards observers who see every message of every node. */
static netdp_status fill_everything(const netdp_i_gossip_account *a, const int32_t *member,
                                    double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] = 1;
    if (a->paired.nodes > 0)
        TRY(netdp_i_paired_loss(&a->paired, member,
                                netdp_i_gossip_own_counts(a->request) ? 0 : l->members, l->from,
                                l->from_count, loss, a->inner, error));
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] *= local_loss(a->request, a->own != NULL ? a->own[i] : a->most);
    return NETDP_OK;
}

/* With pairs no view tells more than everything does, whatever else bounds it. */
static netdp_status cap_by_everything(const netdp_i_gossip_account *a, const int32_t *member,
                                      double *loss, netdp_error *error)
{
    if (a->paired.nodes == 0 || !a->bound->sound)
        return NETDP_OK;
    OWNED double *most = NETDP_I_NEW(double, a->losses->from_count);
    if (most == NULL)
        return netdp_i_no_memory(error);
    TRY(fill_everything(a, member, most, error));
    for (int32_t i = 0; i < a->losses->from_count; i++)
        loss[i] = fmin(loss[i], most[i]);
    return NETDP_OK;
}

/* A changing network: W_t, whom one sees and who draws noise are those of each round. */
static netdp_status account_changing(netdp_i_gossip_account *a, const int32_t *member,
                                     int32_t count, double *loss, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    const netdp_linear *protocol = request->protocol;
    const bool sum = request->sees == NETDP_SEES_SUM;
    const netdp_i_watcher watcher = {.sees = request->sees,
                                     .quiet = !sum || request->own_noise == NETDP_OWN_NOISE_KNOWN ||
                                              request->coalition,
                                     .own_counts = !sum && netdp_i_gossip_own_counts(request),
                                     .count = count,
                                     .member = member};
    const netdp_i_sources of = {a->losses->from_count, a->losses->from, loss};
    netdp_bound bound = a->bound->bound;
    if (bound == NETDP_BOUND_LINEAR)
        bound = NETDP_BOUND_UPPER;
    else if (protocol->reacts && bound == NETDP_BOUND_UPPER)
        bound = NETDP_BOUND_PHASE_RELEASE;
    TRY(a->way == NETDP_I_WAY_NOISES
            ? netdp_i_changing_proven(protocol, &watcher, &of, a->inner, error)
            : netdp_i_changing_loss(protocol, &watcher, bound, request->pattern, &of, a->inner,
                                    error));
    const bool capped = bound == NETDP_BOUND_EXACT || bound == NETDP_BOUND_UPPER ||
                        bound == NETDP_BOUND_PHASE_RELEASE || request->pattern != NULL;
    if (bound == NETDP_BOUND_LOWER && request->pattern == NULL)
        TRY(netdp_i_gossip_round_inward(a, member, loss, error));
    for (int32_t i = 0; capped && i < a->losses->from_count; i++)
        loss[i] = fmin(loss[i], a->most);
    return NETDP_OK;
}

/* Of large networks as many columns of D^-1 are found beside the account. */
#define MOST_COLUMNS 64

static netdp_status account_for(netdp_i_gossip_account *a, const int32_t *member, int32_t count,
                                double *loss, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(a->graph);
    const netdp_linear *protocol = a->request->protocol;
    if (a->way == NETDP_I_WAY_SHIFT)
        return netdp_i_gossip_shift(a, member, loss, error);
    if (protocol->varying.kind != NETDP_VARY_NEVER)
        return account_changing(a, member, count, loss, error);
    OWNED char *mark = NETDP_I_NEW(char, n);
    OWNED int32_t *seen = NETDP_I_NEW(int32_t, n);
    OWNED double *reach = NETDP_I_NEW(double, count);
    netdp_i_observer observer;
    if (mark == NULL || seen == NULL || reach == NULL)
        return netdp_i_no_memory(error);
    netdp_i_gossip_reduce_view(a, member, count, mark, seen, reach, &observer);
    if (observer.seen_count == 0)
        return NETDP_OK; /* the set is the whole graph: nobody is left to learn about */
    return netdp_i_gossip_by_phases(a) ? netdp_i_gossip_phases(a, &observer, member, loss, error)
                                       : netdp_i_gossip_rounds(a, &observer, member, loss, error);
}

static netdp_status account_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    netdp_i_gossip_account *a = context;
    const int32_t *member = a->losses->to + a->first + index;
    double *row = a->rows + index * a->losses->from_count;
    if (netdp_i_gossip_is_copied(a, a->first + (int32_t)index))
        return NETDP_OK;
    if (a->closed != NULL && a->closed[a->first + index]) {
        memset(row, 0, (size_t)a->losses->from_count * sizeof *row);
        return a->bound->sound ? fill_everything(a, member, row, error) : NETDP_OK;
    }
    TRY(account_for(a, member, a->losses->members, row, error));
    if (a->way != NETDP_I_WAY_SHIFT) /* whose zeros are exact */
        TRY(netdp_i_gossip_lift_zeros(a, member, row, error));
    return cap_by_everything(a, member, row, error);
}

static netdp_status account_exactly(netdp_i_gossip_account *a, int32_t count,
                                    const netdp_progress *progress, netdp_error *error)
{
    const bool alone = a->losses->to_count == 1;
    /* Of many observers at once the rounds of one are no news. */
    const netdp_progress poll = netdp_i_only_polled(progress);
    a->inner = alone ? progress : &poll;
    if (a->rounds == NULL) {
        TRY(netdp_i_for_each(count, account_observer, a, alone ? NULL : progress, "observers",
                             error));
        netdp_i_gossip_copy_alike(a, count);
        return NETDP_OK;
    }
    for (int32_t v = 0; v < count; v++)
        TRY(account_observer(a, v, 0, error));
    return NETDP_OK;
}

/* Of phases their number times that of one (paper C, Theorem 6). */
static netdp_status account_published(netdp_i_gossip_account *a, int32_t count,
                                      const netdp_progress *progress, netdp_error *error)
{
    const bool code = a->bound->bound == NETDP_BOUND_PUBLISHED_CODE;
    TRY(netdp_i_published_rows(a->published, a->first, count, a->rows, progress, error));
    const int64_t pairs = (int64_t)count * a->losses->from_count;
    for (int64_t i = 0; i < pairs; i++) {
        if (code)
            a->rows[i] = fmin(a->rows[i], 1);
        if (a->request->protocol->every > 0)
            a->rows[i] *= a->most;
    }
    return NETDP_OK;
}

/* Every message seen, by one observer: of one contribution 1, or what noise in pairs leaves of it.
 */
static netdp_status account_everything(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    netdp_i_gossip_account *a = context;
    return fill_everything(a, a->losses->to + a->first + index,
                           a->rows + index * a->losses->from_count, error);
}

static netdp_status account_nodes(netdp_i_gossip_account *a, int32_t count,
                                  const netdp_progress *progress, netdp_error *error)
{
    if (netdp_i_gossip_is_published(a->bound))
        return account_published(a, count, progress, error);
    if (!netdp_i_gossip_is_local(a))
        return account_exactly(a, count, progress, error);
    a->inner = count == 1 ? progress : NULL;
    return netdp_i_for_each(count, account_everything, a, count == 1 ? NULL : progress, "observers",
                            error);
}

static netdp_status account_batch(void *context, int32_t first, int32_t count, double *rows,
                                  const netdp_progress *progress, netdp_error *error)
{
    netdp_i_gossip_account *a = context;
    a->first = first;
    a->rows = rows;
    TRY(account_nodes(a, count, progress, error));
    for (int64_t v = 0; v < count; v++) {
        double *row = rows + v * a->losses->from_count;
        netdp_i_own_row(a->losses, a->request->protocol->own, row);
        netdp_i_protect_row(a->losses, a->scale, row);
    }
    return NETDP_OK;
}

/* Paper C's sums of one phase, kept for all observers as far as they fit into the room. */
static netdp_status begin_published(netdp_i_gossip_account *a, int64_t room, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    netdp_linear once = *a->request->protocol;
    if (once.every > 0)
        once.rounds = once.every;
    return netdp_i_published_new(&once, a->bound->bound == NETDP_BOUND_PUBLISHED_CODE ? 1 : 0, l,
                                 room, &a->published, error);
}

/* Are the columns of D^-1 that it takes little work beside the account? */
static bool caps_by_everything(const netdp_i_gossip_account *a)
{
    return !netdp_i_gossip_is_large(a->request->protocol) ||
           (double)a->losses->from_count * a->losses->to_count <= MOST_COLUMNS;
}

static void clear_account(netdp_i_gossip_account *a)
{
    netdp_i_published_free(a->published);
    netdp_i_phase_free(a->phase);
    netdp_i_quiet_free(a->quiet);
    netdp_i_basis_clear(&a->dense);
    netdp_i_paired_clear(&a->paired);
    netdp_i_gossip_alike_clear(&a->alike);
    netdp_i_free(a->own);
    netdp_i_free(a->closed);
    netdp_i_free(a->scale);
    netdp_losses_free(a->losses);
}

netdp_status netdp_i_losses_all(const netdp_loss_request *request, netdp_i_room room,
                                const netdp_i_rounds *rounds, netdp_i_batch_sink sink,
                                void *context, const netdp_progress *progress, netdp_error *error)
{
    CLEARED(clear_account)
    netdp_i_gossip_account a = {.request = request, .rounds = rounds};
    TRY(netdp_i_gossip_check(request, &a.bound, error));
    a.graph = netdp_mixing_graph(request->protocol->mixing);
    TRY(netdp_i_gossip_begin(&a, error));
    if (netdp_i_gossip_is_published(a.bound))
        TRY(begin_published(&a, room.sums, error));
    if (netdp_pairing_is(&request->protocol->noise.pairing) &&
        (netdp_i_gossip_is_local(&a) || caps_by_everything(&a)))
        TRY(netdp_i_paired_new(&request->protocol->noise.pairing, netdp_graph_nodes(a.graph),
                               &a.paired, error));
    if (a.paired.nodes > 0 && a.losses->to_count > a.losses->members)
        TRY(netdp_i_paired_share(&a.paired, a.losses->from, a.losses->from_count, progress, error));
    /* A changing network's product of matrices goes through all rounds for all observers at once.
     */
    const bool at_once =
        netdp_i_gossip_is_published(a.bound) && request->protocol->varying.kind != NETDP_VARY_NEVER;
    const int32_t size = at_once ? a.losses->to_count : netdp_i_batch_size(a.losses, room.rows);
    TRY(netdp_i_gossip_alike_new(&a, error));
    return netdp_i_batches_fill(a.losses, size, account_batch, &a, sink, context, progress, error);
}
