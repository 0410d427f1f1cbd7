/* How an account of gossip would be made, and what that would take: the widest view's ways, and the sum over classes of observers. */
#include "account/gossip.h"

#include <math.h>
#include <string.h>

#include "account/observe/cost.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* An account that is only looked at, and the view of the coalition, or of the observer that sees most. */
typedef struct looked {
    netdp_i_gossip_account account;
    int32_t *seen; /* [nodes] */
    double *reach; /* [nodes] */
    netdp_i_observer widest;
} looked;

static void looked_clear(looked *l)
{
    netdp_i_quiet_free(l->account.quiet);
    netdp_i_gossip_alike_clear(&l->account.alike);
    netdp_i_free(l->account.own);
    netdp_i_free(l->account.closed);
    netdp_i_free(l->account.scale);
    netdp_losses_free(l->account.losses);
    netdp_i_free(l->seen);
    netdp_i_free(l->reach);
}

static netdp_status find_widest(looked *l, netdp_error *error)
{
    const netdp_loss_request *request = l->account.request;
    const netdp_graph *graph = l->account.graph;
    const int32_t n = netdp_graph_nodes(graph), asked = request->to_count;
    int32_t best = -1;
    OWNED char *mark = NETDP_I_NEW(char, n);
    if (mark == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < (asked > 0 ? asked : n); i++) {
        const int32_t v = asked > 0 ? request->to[i] : i;
        REFUSE(v < 0 || v >= n, "to: node %d is not in the graph", (int)v);
        if (best < 0 || netdp_graph_degree(graph, v) > netdp_graph_degree(graph, best))
            best = v;
    }
    if (request->coalition)
        netdp_i_gossip_reduce_view(&l->account, request->to, asked, mark, l->seen, l->reach,
                                   &l->widest);
    else
        netdp_i_gossip_reduce_view(&l->account, &best, 1, mark, l->seen, l->reach, &l->widest);
    return NETDP_OK;
}

static netdp_status look(const netdp_loss_request *request, looked *l, netdp_error *error)
{
    l->account.request = request;
    TRY(netdp_i_gossip_check(request, &l->account.bound, error));
    l->account.graph = netdp_mixing_graph(request->protocol->mixing);
    const int32_t n = netdp_graph_nodes(l->account.graph);
    l->seen = NETDP_I_NEW(int32_t, n);
    l->reach = NETDP_I_NEW(double, n);
    if (l->seen == NULL || l->reach == NULL)
        return netdp_i_no_memory(error);
    return find_widest(l, error);
}

const char *netdp_method_name(netdp_method method)
{
    static const char *const names[] = {
        [NETDP_METHOD_REDUCED] = "reduced",
        [NETDP_METHOD_DENSE] = "dense",
        [NETDP_METHOD_BACKWARD] = "backward",
        [NETDP_METHOD_CONJUGATE] = "conjugate",
        [NETDP_METHOD_COLUMNS] = "products of W with blocks of columns",
        [NETDP_METHOD_CLOSED] = "closed form",
        [NETDP_METHOD_ROUNDS] = "round by round, on all nodes",
        [NETDP_METHOD_PHASES] = "phases, in all eigenvectors of W",
    };
    return netdp_i_check_choice("method", (int64_t)method, NETDP_METHOD_PHASES, NULL) == NETDP_OK
               ? names[method]
               : NULL;
}

/* Has it one way only? */
static bool has_no_choice(const netdp_i_gossip_account *a, netdp_method *only)
{
    const netdp_linear *protocol = a->request->protocol;
    if (netdp_i_gossip_is_published(a->bound))
        *only = NETDP_METHOD_COLUMNS;
    else if (netdp_i_gossip_is_local(a))
        *only = NETDP_METHOD_CLOSED;
    else if (protocol->varying.kind != NETDP_VARY_NEVER)
        *only = NETDP_METHOD_ROUNDS;
    else if (netdp_i_gossip_by_phases(a))
        *only = NETDP_METHOD_PHASES;
    else
        return false;
    return true;
}

/* ---- What all observers take ---- */

/* Seconds a pair, of a closed form, and of what is made of every loss. */
#define PAIR 5e-8

/* By which a shift is quicker than is assumed where ways are chosen, to be safe; and what a stream's matrix M takes an entry, besides. */
#define OF_SHIFT 0.7
#define OF_MATRIX 3.2e-8

/* Of one observer, of a class that sees as many nodes; the bound is one that needs an account. */
static void foresee_view(const netdp_i_gossip_account *a, const netdp_i_observer *view,
                         double *seconds, double *bytes)
{
    netdp_loss_request once = *a->request;
    netdp_plan plan;
    const bool proven = a->way != NETDP_I_WAY_OPEN;
    if (a->way == NETDP_I_WAY_SHIFT || a->way == NETDP_I_WAY_QUIET) {
        netdp_i_gossip_shift_cost(a, view->seen_count, seconds, bytes);
        *seconds *= OF_SHIFT;
        return;
    }
    if (a->request->protocol->varying.kind != NETDP_VARY_NEVER || netdp_i_gossip_by_phases(a)) {
        netdp_i_cost_on_all(&once, view, seconds, bytes);
        return;
    }
    netdp_i_cost(&once, view, proven, &plan);
    if (a->way == NETDP_I_WAY_STREAM)
        plan.method = NETDP_METHOD_DENSE;
    if (a->way == NETDP_I_WAY_REST)
        plan.method = NETDP_METHOD_BACKWARD;
    for (int32_t i = 0; i < plan.ways; i++)
        if (plan.way[i].method == plan.method) {
            *seconds = plan.way[i].seconds;
            *bytes = plan.way[i].bytes;
        }
    /* Source by source nothing is looked for where nobody is hidden. */
    if (plan.method == NETDP_METHOD_CONJUGATE &&
        view->seen_count + a->losses->members >= netdp_graph_nodes(a->graph))
        *seconds = 0;
    if (a->way == NETDP_I_WAY_STREAM) {
        const netdp_linear *p = a->request->protocol;
        const double slots = (double)((p->rounds - 1) / p->every + 1);
        const double entries = slots * slots * a->losses->from_count;
        *seconds += OF_MATRIX * entries;
        *bytes += sizeof(double) * entries;
    }
}

/* The published sums of all pairs: products of W with blocks of columns. */
static double published_seconds(const netdp_loss_request *request, int32_t sources)
{
    const netdp_rows rows = netdp_mixing_rows(request->protocol->mixing);
    const double entries = (double)(rows.start[rows.nodes] + rows.nodes);
    return 2 * (double)request->protocol->rounds * entries * sources / NETDP_I_COST_SECOND;
}

/* A network's observers by how many nodes they see: of each class the first is asked about. */
static netdp_status foresee_classes(const netdp_i_gossip_account *a, netdp_plan *plan,
                                    netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const int32_t n = netdp_graph_nodes(a->graph);
    OWNED int32_t *first = NETDP_I_NEW(int32_t, n), *seen = NETDP_I_NEW(int32_t, n);
    OWNED int32_t *count = NETDP_I_NEW(int32_t, n);
    OWNED double *reach = NETDP_I_NEW(double, n);
    OWNED char *mark = NETDP_I_NEW(char, n);
    if (first == NULL || seen == NULL || count == NULL || reach == NULL || mark == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = l->to_count - 1; i >= 0; i--) {
        const int32_t degree = l->members > 1 ? 0 : netdp_graph_degree(a->graph, l->to[i]);
        if ((a->closed == NULL || !a->closed[i]) && !netdp_i_gossip_is_copied(a, i)) {
            first[degree] = i;
            count[degree]++;
        }
    }
    for (int32_t degree = 0; degree < n; degree++) {
        netdp_i_observer view;
        double seconds = 0, bytes = 0;
        if (count[degree] == 0)
            continue;
        memset(mark, 0, (size_t)n);
        netdp_i_gossip_reduce_view(a, l->to + first[degree], l->members, mark, seen, reach, &view);
        if (view.seen_count > 0)
            foresee_view(a, &view, &seconds, &bytes);
        plan->seconds += count[degree] * seconds;
        plan->bytes = fmax(plan->bytes, bytes);
    }
    return NETDP_OK;
}

/* Of all observers that are asked about, as many at once as there are threads. */
static netdp_status foresee(const netdp_i_gossip_account *a, netdp_plan *plan, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const double observers = l->to_count, pairs = observers * l->from_count;
    const double n = netdp_graph_nodes(a->graph);
    plan->seconds = plan->bytes = 0;
    if (netdp_i_gossip_is_published(a->bound)) {
        plan->seconds = published_seconds(a->request, l->from_count);
        plan->bytes = 2 * sizeof(double) * n * l->from_count / fmin(observers, netdp_i_threads());
    } else if (!netdp_i_gossip_is_local(a)) {
        TRY(foresee_classes(a, plan, error));
    } else if (netdp_pairing_is(&a->request->protocol->noise.pairing) && n <= NETDP_DENSE_NODES) {
        plan->seconds = n * n * n / NETDP_I_COST_SECOND; /* D^-1, once for all */
        plan->bytes = sizeof(double) * n * n / fmin(observers, netdp_i_threads());
    }
    plan->seconds = plan->seconds * netdp_i_cost_machine() + PAIR * pairs;
    plan->bytes *= fmin(observers, netdp_i_threads());
    plan->bytes += fmin(sizeof(double) * pairs, 2.0 * NETDP_I_BATCH_BYTES);
    return NETDP_OK;
}

/* ---- How it would be made ---- */

static netdp_status choose_way(looked *l, netdp_plan *plan, netdp_error *error)
{
    netdp_i_gossip_account *a = &l->account;
    netdp_method only = NETDP_METHOD_CLOSED;
    TRY(netdp_i_gossip_begin(a, error)); /* is it proven? */
    bool settled = has_no_choice(a, &only);
    netdp_i_cost(a->request, &l->widest, a->way != NETDP_I_WAY_OPEN && a->way != NETDP_I_WAY_CLOSED,
                 plan);
    if (a->way == NETDP_I_WAY_STREAM)
        plan->method = NETDP_METHOD_DENSE;
    if (a->way == NETDP_I_WAY_SHIFT) {
        only = NETDP_METHOD_ROUNDS;
        settled = true;
    }
    if (a->way == NETDP_I_WAY_REST)
        plan->method = NETDP_METHOD_BACKWARD;
    if (settled) {
        plan->method = only;
        plan->ways = 0;
    }
    return NETDP_OK;
}

netdp_status netdp_losses_plan(const netdp_loss_request *request, netdp_plan *plan,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, request && plan);
    CLEARED(looked_clear) looked l = {0};
    TRY(look(request, &l, error));
    TRY(choose_way(&l, plan, error));
    TRY(netdp_i_gossip_alike_new(&l.account, error));
    return foresee(&l.account, plan, error);
}

netdp_status netdp_i_losses_way(const netdp_loss_request *request, netdp_plan *plan,
                                netdp_error *error)
{
    CLEARED(looked_clear) looked l = {0};
    TRY(look(request, &l, error));
    return choose_way(&l, plan, error);
}

netdp_status netdp_i_losses_shared(const netdp_loss_request *request, bool *shared,
                                   netdp_error *error)
{
    CLEARED(looked_clear) looked l = {0};
    netdp_plan plan;
    TRY(look(request, &l, error));
    netdp_i_cost(request, &l.widest, true, &plan);
    *shared = !l.account.bound->sound || netdp_i_cost_hears(request, &l.widest, &plan);
    return NETDP_OK;
}
