#include <netdp/account.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "account/changing.h"
#include "account/cost.h"
#include "account/filter.h"
#include "account/losses.h"
#include "account/phase.h"
#include "account/published.h"
#include "account/release.h"
#include "account/stream.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* What the observers of one account share. */
typedef struct account {
    const netdp_loss_request *request;
    const netdp_graph *graph;
    netdp_losses *losses;
    const netdp_bound_info *bound;
    netdp_i_basis dense;         /* modes 0 until an observer needs it */
    netdp_i_phase *phase;        /* NULL until an observer needs it */
    double away;                 /* 0 until needed: W's largest other eigenvalue, from above */
    const netdp_progress *inner; /* rounds are told where there is one observer, else only polled */
} account;

/* Paper C's formula, in one of its two forms. */
static bool is_published(const netdp_bound_info *bound)
{
    return bound->bound == NETDP_BOUND_PUBLISHED || bound->bound == NETDP_BOUND_PUBLISHED_CODE;
}

static netdp_status check_request(const netdp_loss_request *request, const netdp_bound_info **bound,
                                  netdp_error *error)
{
    netdp_status status = netdp_linear_check(request->protocol, error);
    if (status == NETDP_OK)
        status = netdp_bound_choose(request->protocol, request->bound, bound, error);
    if (status != NETDP_OK)
        return status;
    if (is_published(*bound) && (request->coalition || request->sees != NETDP_SEES_NEIGHBOURS))
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: published is a formula for one observer who sees its "
                            "neighbours; use exact for %s",
                            request->coalition ? "a coalition" : "another view");
    if ((*bound)->bound == NETDP_BOUND_PUBLISHED && request->protocol->every > 0 &&
        (request->protocol->accelerate || request->protocol->varying.kind != NETDP_VARY_NEVER))
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: published is for phases of the same plain rounds; use "
                            "phase-release");
    if (request->pattern != NULL && (*bound)->bound != NETDP_BOUND_LOWER &&
        (*bound)->bound != NETDP_BOUND_LINEAR)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pattern: gives exactly one pattern's value, with --bound lower for "
                            "streams or linear for learning; %s is about the worst one",
                            (*bound)->name);
    return NETDP_OK;
}

/* The least dither for which a phase's covariance, of scale 1, keeps its digits. */
#define LEAST_DITHER 1e-5

/* The view of netdp_i_release_loss, which serves any number of nodes. */
static bool can_release(const netdp_loss_request *request)
{
    const netdp_linear *protocol = request->protocol;
    return protocol->varying.kind == NETDP_VARY_NEVER && !protocol->accelerate &&
           request->sees == NETDP_SEES_NEIGHBOURS &&
           (request->own_noise == NETDP_OWN_NOISE_KNOWN || request->coalition);
}

static bool is_large(const netdp_linear *protocol)
{
    return netdp_mixing_rows(protocol->mixing).nodes > NETDP_DENSE_NODES;
}

static netdp_status check_phase(const netdp_loss_request *request, netdp_error *error)
{
    const netdp_linear *protocol = request->protocol;
    if (is_large(protocol) && !(can_release(request) && protocol->end_dither > 0))
        return netdp_i_fail(
            error, NETDP_NO_ANSWER,
            "a phase of more than %d nodes is accounted for without acceleration, with an end "
            "dither, towards observers who see their neighbours and know their own noise; use "
            "--bound everything",
            NETDP_DENSE_NODES);
    if (protocol->every != 1 && protocol->dither < LEAST_DITHER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "dither: %g is too small for the account of a phase; give %g or more, "
                            "or use --bound everything",
                            protocol->dither, LEAST_DITHER);
    return NETDP_OK;
}

/*
 * The contributions of the asked nodes: what local differential privacy would give. Where senders
 * only contribute they differ from node to node; loss[0 .. from_count-1] then holds them.
 */
static netdp_status find_local(const netdp_linear *protocol, netdp_losses *losses,
                               netdp_error *error)
{
    losses->local = (double)netdp_linear_contributions(protocol);
    if (!protocol->senders_only)
        return NETDP_OK;
    int64_t *made = NETDP_I_NEW(int64_t, netdp_mixing_rows(protocol->mixing).nodes);
    netdp_status status =
        made == NULL ? netdp_i_no_memory(error) : netdp_linear_realised(protocol, made, error);
    losses->local = 0;
    for (int32_t i = 0; status == NETDP_OK && i < losses->from_count; i++) {
        losses->loss[i] = (double)made[losses->from[i]];
        losses->local = fmax(losses->local, losses->loss[i]);
    }
    netdp_i_free(made);
    return status;
}

static netdp_status losses_begin(const netdp_loss_request *request, const netdp_bound_info *bound,
                                 netdp_losses **made, netdp_error *error)
{
    netdp_status status = netdp_i_losses_new(netdp_mixing_rows(request->protocol->mixing).nodes,
                                             request->from, request->from_count, request->to,
                                             request->to_count, request->coalition, made, error);
    if (status != NETDP_OK)
        return status;
    netdp_losses *losses = *made;
    losses->bound = bound;
    losses->sound = bound->sound;
    losses->certified = bound->bound == NETDP_BOUND_EVERYTHING;
    status = find_local(request->protocol, losses, error);
    if (status != NETDP_OK) {
        netdp_losses_free(losses);
        return status;
    }
    if (bound->bound == NETDP_BOUND_EXACT && request->protocol->dither < NETDP_I_LEAST_DITHER)
        losses->tolerance = NETDP_I_FLOOR;
    return NETDP_OK;
}

/*
 * A view reduced to what carries information. Of a closed neighbourhood with its own noise known,
 * the observers' own messages are linear in the messages of the round before; the same holds where
 * own noise counts, since the next round reveals it. So only the neighbours outside the set are
 * seen, and the set's noise is quiet. `mark` [nodes] zeroed, `seen` [nodes].
 */
static void reduce_view(const account *a, const int32_t *member, int32_t count, char *mark,
                        int32_t *seen, netdp_i_observer *observer)
{
    const netdp_loss_request *request = a->request;
    *observer = (netdp_i_observer){.seen = seen, .quiet = member, .quiet_count = count};
    if (request->sees == NETDP_SEES_SUM) {
        memcpy(seen, member, (size_t)count * sizeof *seen);
        observer->seen_count = count;
        observer->last_sum = true;
        if (request->own_noise == NETDP_OWN_NOISE_COUNTS && !request->coalition)
            observer->quiet_count = 0;
        return;
    }
    for (int32_t i = 0; i < count; i++)
        mark[member[i]] = 1;
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

/* A changing network: W_t, whom one sees and who draws noise are those of each round. */
static netdp_status account_changing(account *a, const int32_t *member, int32_t count, double *loss,
                                     netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    const netdp_linear *protocol = request->protocol;
    const bool sum = request->sees == NETDP_SEES_SUM;
    const netdp_i_watcher watcher = {.sees = request->sees,
                                     .quiet = !sum || request->own_noise == NETDP_OWN_NOISE_KNOWN ||
                                              request->coalition,
                                     .count = count,
                                     .member = member};
    netdp_bound bound = a->bound->bound;
    if (bound == NETDP_BOUND_LINEAR)
        bound = NETDP_BOUND_UPPER;
    else if (protocol->reacts && bound == NETDP_BOUND_UPPER)
        bound = NETDP_BOUND_PHASE_RELEASE;
    netdp_status status =
        bound == NETDP_BOUND_PHASE_RELEASE ? check_phase(request, error) : NETDP_OK;
    if (status == NETDP_OK)
        status = netdp_i_changing_loss(protocol, &watcher, bound, request->pattern, a->losses->from,
                                       a->losses->from_count, loss, a->inner, error);
    const bool capped = bound == NETDP_BOUND_EXACT || bound == NETDP_BOUND_UPPER ||
                        bound == NETDP_BOUND_PHASE_RELEASE || request->pattern != NULL;
    for (int32_t i = 0; status == NETDP_OK && capped && i < a->losses->from_count; i++)
        loss[i] = fmin(loss[i], a->losses->local);
    return status;
}

/* All eigenvectors of W, found by the first observer that wants them. */
static netdp_status need_dense(account *a, netdp_error *error)
{
    netdp_status status = NETDP_OK;
#pragma omp critical(netdp_dense_basis)
    {
        if (a->dense.modes == 0)
            status = netdp_i_basis_dense(a->request->protocol->mixing, &a->dense, error);
    }
    return status;
}

/* What Lanczos may leave of an eigenvalue. */
#define AWAY 1e-5

/* The largest modulus of W's eigenvalues but the ones vector's, found by the first in need. */
static netdp_status need_away(account *a, netdp_error *error)
{
    netdp_status status = NETDP_OK;
#pragma omp critical(netdp_away)
    {
        netdp_spectrum spectrum;
        if (a->away == 0) {
            status = netdp_mixing_spectrum(a->request->protocol->mixing, NETDP_SPECTRAL_AUTO,
                                           &spectrum, error);
            if (status == NETDP_OK)
                a->away = 1 - spectrum.gap + AWAY;
        }
    }
    return status;
}

/* The part of a phase's account that observers share, made by the first of them. */
static netdp_status need_phase(account *a, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_status status = need_dense(a, error);
    if (status != NETDP_OK)
        return status;
#pragma omp critical(netdp_shared_phase)
    {
        if (a->phase == NULL)
            status = netdp_i_phase_new(protocol, &a->dense, protocol->every > 0, &a->phase, error);
    }
    return status;
}

/* Without dither Chebyshev's messages and the plain ones span the same: p_t has degree t. */
static bool by_phases(const account *a)
{
    const netdp_linear *protocol = a->request->protocol;
    return protocol->every == 0 ? protocol->accelerate && protocol->dither > 0
                                : a->bound->bound == NETDP_BOUND_PHASE_RELEASE ||
                                      (protocol->reacts && a->bound->bound == NETDP_BOUND_UPPER);
}

/* Phases compose: what comes later depends on a contribution only through the released states. */
static netdp_status account_phases(account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    netdp_status status = check_phase(a->request, error);
    if (status == NETDP_OK && is_large(protocol)) {
        status = need_away(a, error);
        if (status == NETDP_OK)
            status = netdp_i_release_loss(protocol, protocol->every, protocol->end_dither, a->away,
                                          member, l->members, l->from, l->from_count, loss,
                                          a->inner, error);
    } else if (status == NETDP_OK) {
        status = need_phase(a, error);
        if (status == NETDP_OK)
            status = netdp_i_phase_loss(a->phase, observer, member, l->members, l->from,
                                        l->from_count, loss, error);
    }
    for (int32_t i = 0; status == NETDP_OK && i < l->from_count; i++)
        loss[i] = fmin(loss[i], 1) * l->local;
    return status;
}

/*
 * Rounds after which every state may be given away instead of the rounds to come (bound upper of
 * averaging), or 0 where the exact account is no larger.
 */
static netdp_status choose_release(account *a, const netdp_i_observer *observer, int64_t *rounds,
                                   netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    *rounds = 0;
    if (protocol->every > 0 || a->bound->bound != NETDP_BOUND_UPPER || !is_large(protocol) ||
        !can_release(a->request) || !(protocol->dither > 0))
        return NETDP_OK;
    netdp_status status = need_away(a, error);
    if (status != NETDP_OK)
        return status;
    const int64_t enough =
        netdp_i_release_rounds(netdp_graph_nodes(a->graph), a->away, protocol->dither);
    const double seen = observer->seen_count, closed = seen + observer->quiet_count;
    if (2 * (double)enough * closed < (double)protocol->rounds * seen)
        *rounds = enough;
    return NETDP_OK;
}

/* Through the filter, on the basis that is cheaper for this observer. */
static netdp_status follow_rounds(account *a, const netdp_i_observer *observer, double *loss,
                                  netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    netdp_plan plan;
    netdp_i_cost(a->request, observer, &plan);
    const bool reduce = strcmp(plan.method, NETDP_I_REDUCED) == 0;
    netdp_i_basis krylov = {0};
    netdp_status status =
        reduce ? netdp_i_basis_krylov(protocol->mixing, observer->seen, observer->seen_count,
                                      protocol->rounds + (observer->last_sum ? 1 : 0), &krylov,
                                      a->inner, error)
               : need_dense(a, error);
    const netdp_i_basis *basis = reduce ? &krylov : &a->dense;
    if (status == NETDP_OK && protocol->every > 0)
        status = netdp_i_stream(protocol, basis, observer,
                                a->bound->bound == NETDP_BOUND_LINEAR ? NETDP_BOUND_UPPER
                                                                      : a->bound->bound,
                                a->request->pattern, l->from, l->from_count, loss, a->inner, error);
    else if (status == NETDP_OK)
        status = netdp_i_filter_loss(protocol, basis, observer, 0, l->from, l->from_count, loss,
                                     a->inner, error);
    netdp_i_basis_clear(&krylov);
    return status;
}

static netdp_status account_rounds(account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    int64_t release = 0;
    netdp_status status = choose_release(a, observer, &release, error);
    if (status == NETDP_OK && release > 0)
        status = netdp_i_release_loss(protocol, release, protocol->dither, a->away, member,
                                      l->members, l->from, l->from_count, loss, a->inner, error);
    else if (status == NETDP_OK)
        status = follow_rounds(a, observer, loss, error);
    /* M <= diag(nu_k^-2): whatever rounding says, local differential privacy holds. */
    const bool capped = a->bound->bound == NETDP_BOUND_EXACT ||
                        a->bound->bound == NETDP_BOUND_UPPER || a->request->pattern != NULL;
    for (int32_t i = 0; status == NETDP_OK && capped && i < l->from_count; i++)
        loss[i] = fmin(loss[i], l->local);
    return status;
}

static netdp_status account_for(account *a, const int32_t *member, int32_t count, double *loss,
                                netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(a->graph);
    const netdp_linear *protocol = a->request->protocol;
    char *mark = NETDP_I_NEW(char, n);
    int32_t *seen = NETDP_I_NEW(int32_t, n);
    netdp_i_observer observer;
    netdp_status status = NETDP_OK;
    if (protocol->varying.kind != NETDP_VARY_NEVER) {
        status = account_changing(a, member, count, loss, error);
        goto done;
    }
    if (mark == NULL || seen == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    reduce_view(a, member, count, mark, seen, &observer);
    if (observer.seen_count == 0)
        goto done; /* the set is the whole graph: nobody is left to learn about */
    status = by_phases(a) ? account_phases(a, &observer, member, loss, error)
                          : account_rounds(a, &observer, member, loss, error);
done:
    netdp_i_free(mark);
    netdp_i_free(seen);
    return status;
}

static netdp_status account_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    account *a = context;
    return account_for(a, a->losses->to + index, a->losses->members,
                       a->losses->loss + index * a->losses->from_count, error);
}

/* Of many observers at once the rounds of one are no news; it only asks whether to stop. */
static bool poll_only(void *context, const char *what, double done, double total)
{
    const netdp_progress *progress = context;
    (void)what, (void)done, (void)total;
    return progress == NULL || progress->report == NULL ||
           progress->report(progress->context, NULL, 0, 0);
}

static netdp_status account_exactly(account *a, const netdp_progress *progress, netdp_error *error)
{
    const bool alone = a->losses->to_count == 1;
    const netdp_progress poll = {poll_only, (void *)progress};
    a->inner = alone ? progress : &poll;
    netdp_status status = netdp_i_for_each(a->losses->to_count, account_observer, a,
                                           alone ? NULL : progress, "observers", error);
    netdp_i_phase_free(a->phase);
    netdp_i_basis_clear(&a->dense);
    return status;
}

/* Of phases their number times that of one (paper C, Theorem 6). */
static netdp_status account_published(account *a, const netdp_progress *progress,
                                      netdp_error *error)
{
    netdp_losses *l = a->losses;
    netdp_linear once = *a->request->protocol;
    const bool code = a->bound->bound == NETDP_BOUND_PUBLISHED_CODE;
    if (once.every > 0)
        once.rounds = once.every;
    netdp_status status = netdp_i_published(&once, code ? 1 : 0, l->from, l->from_count, l->to,
                                            l->to_count, l->loss, progress, error);
    const int64_t pairs = (int64_t)l->from_count * l->to_count;
    for (int64_t i = 0; status == NETDP_OK && i < pairs; i++) {
        if (code)
            l->loss[i] = fmin(l->loss[i], 1);
        if (once.every > 0)
            l->loss[i] *= l->local;
    }
    return status;
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

/* Every message seen: m_t[u] - s_t[u] = x_u + u_u itself is, and nothing else tells more. */
static bool is_local(const netdp_loss_request *request, const netdp_bound_info *bound)
{
    return bound->bound == NETDP_BOUND_EVERYTHING || request->sees == NETDP_SEES_EVERYTHING;
}

/* The view of the coalition, or of the observer that sees most; `seen` [nodes]. */
static netdp_status find_widest(const account *a, int32_t *seen, netdp_i_observer *widest,
                                netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    const int32_t n = netdp_graph_nodes(a->graph), asked = request->to_count;
    int32_t best = -1;
    char *mark = NETDP_I_NEW(char, n);
    if (mark == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < (asked > 0 ? asked : n); i++) {
        const int32_t v = asked > 0 ? request->to[i] : i;
        if (v < 0 || v >= n) {
            netdp_i_free(mark);
            return netdp_i_fail(error, NETDP_INVALID, "to: node %d is not in the graph", (int)v);
        }
        if (best < 0 || netdp_graph_degree(a->graph, v) > netdp_graph_degree(a->graph, best))
            best = v;
    }
    if (request->coalition)
        reduce_view(a, request->to, asked, mark, seen, widest);
    else
        reduce_view(a, &best, 1, mark, seen, widest);
    netdp_i_free(mark);
    return NETDP_OK;
}

/* What an account does that has one way only, or NULL. */
static const char *only_way(const account *a)
{
    if (is_published(a->bound))
        return "products of W with blocks of columns";
    if (is_local(a->request, a->bound))
        return "closed form";
    if (a->request->protocol->varying.kind != NETDP_VARY_NEVER)
        return "round by round, on all nodes";
    if (by_phases(a) && is_large(a->request->protocol))
        return "phases, in a Krylov space of twice their rounds";
    return by_phases(a) ? "phases, in all eigenvectors of W" : NULL;
}

netdp_status netdp_losses_plan(const netdp_loss_request *request, netdp_plan *plan,
                               netdp_error *error)
{
    account a = {.request = request};
    netdp_i_observer observer;
    netdp_status status = check_request(request, &a.bound, error);
    if (status != NETDP_OK)
        return status;
    a.graph = netdp_mixing_graph(request->protocol->mixing);
    int32_t *seen = NETDP_I_NEW(int32_t, netdp_graph_nodes(a.graph));
    status = seen == NULL ? netdp_i_no_memory(error) : find_widest(&a, seen, &observer, error);
    if (status == NETDP_OK) {
        netdp_i_cost(request, &observer, plan);
        if (only_way(&a) != NULL) {
            plan->method = only_way(&a);
            plan->ways = 0;
        }
    }
    netdp_i_free(seen);
    return status;
}

netdp_status netdp_losses_new(const netdp_loss_request *request, const netdp_progress *progress,
                              netdp_losses **losses, netdp_error *error)
{
    netdp_losses *made = NULL;
    const netdp_bound_info *bound = NULL;
    netdp_status status = check_request(request, &bound, error);
    if (status == NETDP_OK)
        status = losses_begin(request, bound, &made, error);
    if (status != NETDP_OK)
        return status;
    account a = {.request = request,
                 .graph = netdp_mixing_graph(request->protocol->mixing),
                 .losses = made,
                 .bound = bound};
    const int64_t pairs = (int64_t)made->from_count * made->to_count;
    if (is_published(bound)) {
        status = account_published(&a, progress, error);
    } else if (is_local(request, bound)) {
        made->certified = bound->sound;
        made->tolerance = 0;
        for (int64_t i = pairs; i-- > 0;) /* backwards: the first row may hold each node's own */
            made->loss[i] = local_loss(request, request->protocol->senders_only
                                                    ? made->loss[i % made->from_count]
                                                    : made->local);
    } else {
        status = account_exactly(&a, progress, error);
    }
    if (status != NETDP_OK) {
        netdp_losses_free(made);
        return status;
    }
    netdp_i_losses_exclude(made);
    *losses = made;
    return NETDP_OK;
}
