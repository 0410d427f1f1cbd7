/*
 * In which way an account of gossip is found and proven: the first row of the table that takes it (docs/architecture.md, "Ways of
 * gossip"). All rows of losses go one way, which is known before the first of them.
 */
#include "account/gossip.h"

#include <math.h>
#include <string.h>

#include "account/gossip/changing.h"
#include "account/gossip/stream.h"
#include "account/gossip/stream_proof.h"
#include "account/losses/label.h"
#include "account/observe/certificate.h"
#include "account/observe/cost.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

bool netdp_i_gossip_is_local(const netdp_i_gossip_account *a)
{
    return !netdp_i_gossip_is_published(a->bound) &&
           (a->bound->bound == NETDP_BOUND_EVERYTHING || a->way == NETDP_I_WAY_CLOSED ||
            a->request->sees == NETDP_SEES_EVERYTHING);
}

/* Seconds that the proof of a stream may take, of all observers together: the closed bound were the answer. */
#define STREAM_SECONDS 600.0

/* A coalition for whose view more than this counts is not proven: what is added would be too much. */
#define MOST_WORTH 1e4

/* At most how many nodes an observer sees. */
static int32_t most_seen(const netdp_i_gossip_account *a)
{
    const netdp_losses *l = a->losses;
    const int32_t named = l->members > 1 ? l->members : l->to_count;
    int64_t most = 0;
    if (a->request->sees == NETDP_SEES_SUM)
        return l->members;
    for (int32_t i = 0; i < named; i++) {
        const int64_t degree = netdp_graph_degree(a->graph, l->to[i]);
        most = l->members > 1 ? most + degree : degree > most ? degree : most;
    }
    const int32_t n = netdp_graph_nodes(a->graph);
    return most < n ? (int32_t)most : n;
}

/* On all eigenvectors, where the account alone may need a few. */
static double seconds_of_stream(const netdp_i_gossip_account *a)
{
    netdp_loss_request all = *a->request;
    const netdp_i_observer widest = {.seen_count = most_seen(a),
                                     .last_sum = all.sees == NETDP_SEES_SUM};
    netdp_plan plan;
    if (all.certify == NETDP_CERTIFY_YES)
        return 0;
    all.from_count = 0;
    netdp_i_cost(&all, &widest, true, &plan);
    return plan.way[1].seconds * a->losses->to_count;
}

/* Noise in pairs that is very loud is left out, without which more is told (docs/proofs/pairs.md, Theorem 3). */
static bool is_stream(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_bound bound = a->bound->bound;
    return p->every > 0 && p->steady && !p->reacts && p->varying.kind == NETDP_VARY_NEVER &&
           a->rounds == NULL && (p->rounds - 1) / p->every < NETDP_I_EXPLICIT &&
           !netdp_i_gossip_is_large(p) &&
           (bound == NETDP_BOUND_UPPER || bound == NETDP_BOUND_ABS_SUM ||
            bound == NETDP_BOUND_SPECTRAL || bound == NETDP_BOUND_DUAL) &&
           seconds_of_stream(a) <= STREAM_SECONDS;
}

static netdp_status find_stream(const netdp_i_gossip_account *a, bool *stream, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    double worth = INFINITY;
    *stream = is_stream(a);
    if (!*stream || l->members == 1)
        return NETDP_OK;
    TRY(netdp_i_stream_worth(a->request->protocol, l->to, l->members,
                             a->request->sees == NETDP_SEES_SUM, &worth, error));
    *stream = worth <= MOST_WORTH;
    return NETDP_OK;
}

bool netdp_i_gossip_by_phases(const netdp_i_gossip_account *a)
{
    const netdp_linear *protocol = a->request->protocol;
    return protocol->every == 0 ? protocol->accelerate && protocol->noise.dither > 0
                                : a->bound->bound == NETDP_BOUND_PHASE_RELEASE ||
                                      (protocol->reacts && a->bound->bound == NETDP_BOUND_UPPER);
}

/* Of a network that changes: all nodes contribute, and of coalitions sums are not taken. */
static bool has_proof_of_changes(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    return !netdp_i_gossip_is_large(p) && !p->senders_only &&
           (a->losses->members == 1 || a->request->sees != NETDP_SEES_SUM);
}

/*
 * Is there a proof of this account? Of one contribution under noise in every round, and of the
 * phases of learning with an end dither.
 */
static bool has_proof(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const bool noisy = netdp_linear_least_noise(p) > 0;
    if (a->quiet != NULL || (p->accelerate && netdp_i_gossip_is_large(p)) ||
        p->noise.pairing.weighted) /* by a displacement, or closed */
        return false;
    if (p->varying.kind != NETDP_VARY_NEVER && !has_proof_of_changes(a))
        return false;
    if (p->every == 0)
        return noisy || p->rounds == 1;
    return netdp_i_gossip_by_phases(a) && !netdp_i_gossip_is_large(p) && p->noise.end > 0 &&
           (p->every == 1 || noisy);
}

/*
 * What all observers may take, each of all sources, so that the answer for one does not hang on who else is asked about: the
 * closed bound were the answer.
 */
#define PROOF_OF_ALL 2e13

/* More, and a bound of the recursion at rest is taken, which is next to as sharp and takes a tenth. */
#define LONG 1e12

/* The view of whoever sees most, asked about or not. */
static netdp_i_observer any_view(const netdp_i_gossip_account *a, const netdp_i_observer *widest)
{
    netdp_i_observer any = *widest;
    for (int32_t v = 0; a->losses->members == 1 && !any.last_sum && v < netdp_graph_nodes(a->graph);
         v++)
        if (netdp_graph_degree(a->graph, v) > any.seen_count)
            any.seen_count = netdp_graph_degree(a->graph, v);
    return any;
}

static bool is_affordable(const netdp_i_gossip_account *a, const netdp_i_observer *widest)
{
    const netdp_i_observer any = any_view(a, widest);
    return netdp_i_cost_of_proof(a->request, widest) ||
           (a->rounds == NULL && netdp_i_cost_of_shifts(a->request, &any) <= PROOF_OF_ALL);
}

/* What the rows of the table ask, found once. */
typedef struct facts {
    netdp_i_observer widest;
    bool hears_all; /* every observer that is asked about, or the coalition */
    bool
        hears_most; /* the same but for few nodes and dropout, where that would take long to tell apart */
    bool noises; /* there is an affordable proof by what is heard or by noises ... */
    bool
        resolved; /* ... and the observers' sums do not repeat one another to the digits of a double */
    bool stream; /* and one by a stream's rows */
} facts;

/* Of what is hidden, at rest: where nothing sharper is affordable, or that would take long. */
static bool takes_rest(const netdp_i_gossip_account *a, const facts *f)
{
    const netdp_i_observer any = any_view(a, &f->widest);
    const netdp_bound bound = a->bound->bound;
    if (a->rounds != NULL || (bound != NETDP_BOUND_EXACT && bound != NETDP_BOUND_UPPER) ||
        netdp_i_cost_of_rest(a->request, &any) > PROOF_OF_ALL)
        return false;
    return !f->noises || (a->request->certify != NETDP_CERTIFY_YES &&
                          !netdp_i_cost_of_proof(a->request, &f->widest) &&
                          netdp_i_cost_of_shifts(a->request, &any) > LONG);
}

/* What processes share is proven where it goes by what is heard. */
static netdp_status find_shared(const netdp_i_gossip_account *a, facts *f, netdp_error *error)
{
    netdp_plan plan;
    if (f->noises) {
        netdp_i_cost(a->request, &f->widest, true, &plan);
        f->noises = netdp_i_cost_hears(a->request, &f->widest, &plan);
    }
    return a->rounds->same(&f->noises, error);
}

/* A coalition's sums that repeat one another to the digits of a double have no shift of noises. */
static netdp_status find_resolved(const netdp_i_gossip_account *a, facts *f, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    f->resolved = true;
    if (!f->noises || request->sees != NETDP_SEES_SUM || a->losses->members == 1 ||
        request->protocol->varying.kind != NETDP_VARY_NEVER)
        return NETDP_OK;
    return netdp_i_sums_resolved(request->protocol, a->losses->to, a->losses->members, &f->resolved,
                                 error);
}

/* How many nodes the members do not hear; `mark` [nodes] is used. */
static int32_t count_unheard(const netdp_graph *graph, const int32_t *member, int32_t count,
                             char *mark)
{
    const int32_t n = netdp_graph_nodes(graph);
    int32_t heard = count;
    memset(mark, 0, (size_t)n);
    for (int32_t i = 0; i < count; i++)
        mark[member[i]] = 1;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < netdp_graph_degree(graph, member[i]); k++) {
            const int32_t v = netdp_graph_neighbours(graph, member[i])[k];
            heard += mark[v] == 0;
            mark[v] = 1;
        }
    return n - heard;
}

/* Does every observer that is asked about hear all others but so few? */
static netdp_status hear_all_but(const netdp_i_gossip_account *a, int32_t few, bool *found,
                                 netdp_error *error)
{
    const netdp_losses *l = a->losses;
    OWNED char *mark = NETDP_I_NEW(char, netdp_graph_nodes(a->graph));
    if (mark == NULL)
        return netdp_i_no_memory(error);
    *found = true;
    for (int32_t v = 0; v < l->to_count && *found; v += l->members)
        *found = count_unheard(a->graph, l->to + v, l->members, mark) <= few;
    return NETDP_OK;
}

/* Bounds for which the closed one may stand. */
static bool is_of_messages(const netdp_i_gossip_account *a)
{
    const netdp_loss_request *request = a->request;
    const netdp_bound bound = a->bound->bound;
    return (bound == NETDP_BOUND_EXACT || bound == NETDP_BOUND_UPPER ||
            bound == NETDP_BOUND_PHASE_RELEASE) &&
           request->sees == NETDP_SEES_NEIGHBOURS && request->pattern == NULL && a->quiet == NULL &&
           !request->protocol->senders_only;
}

/*
 * Where every observer that is asked about receives every message, the closed bound is what it learns, not only a bound, and no
 * account can say less.
 */
static netdp_status find_who_hears_all(const netdp_i_gossip_account *a, bool *found,
                                       netdp_error *error)
{
    *found = false;
    if (!is_of_messages(a) || a->request->protocol->varying.kind != NETDP_VARY_NEVER)
        return NETDP_OK;
    return hear_all_but(a, 0, found, error);
}

/* One node in so many may be unheard, and an account of less work, about a second, is made anyway. */
#define FEW_UNHEARD 100
#define LONG_OF_CHANGES 2e10
/* With more dither, what is lost by dropout tells: of all pairs of `complete 120` the mean is 0.989 at 0.01, 0.776 at 0.5. */
#define LITTLE_DITHER 0.05

/* The same but for dropout and few nodes: what the closed bound exceeds the truth by is the price of its quickness. */
static netdp_status find_who_hears_most(const netdp_i_gossip_account *a,
                                        const netdp_i_observer *widest, bool *found,
                                        netdp_error *error)
{
    const netdp_vary kind = a->request->protocol->varying.kind;
    *found = false;
    if (!is_of_messages(a) || a->request->certify == NETDP_CERTIFY_YES ||
        a->request->protocol->noise.dither > LITTLE_DITHER ||
        (kind != NETDP_VARY_NODES && kind != NETDP_VARY_EDGES) ||
        netdp_i_cost_of_changes(a->request, widest) <= LONG_OF_CHANGES)
        return NETDP_OK;
    return hear_all_but(a, netdp_graph_nodes(a->graph) / FEW_UNHEARD, found, error);
}

static netdp_status find_facts(const netdp_i_gossip_account *a, facts *f, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    *f = (facts){.widest = {.seen_count = most_seen(a),
                            .last_sum = request->sees == NETDP_SEES_SUM,
                            .pairing = netdp_i_gossip_pairing(request)}};
    TRY(find_who_hears_all(a, &f->hears_all, error));
    if (f->hears_all || !a->bound->sound || netdp_i_gossip_is_local(a))
        return NETDP_OK;
    TRY(find_who_hears_most(a, &f->widest, &f->hears_most, error));
    if (f->hears_most)
        return NETDP_OK;
    TRY(find_stream(a, &f->stream, error));
    f->noises =
        has_proof(a) && (request->certify == NETDP_CERTIFY_YES || is_affordable(a, &f->widest));
    if (a->rounds != NULL)
        return find_shared(a, f, error);
    return find_resolved(a, f, error);
}

/* ---- The rows ---- */

static bool is_closed(const netdp_i_gossip_account *a, const facts *f)
{
    return f->hears_all || netdp_i_gossip_is_local(a);
}

static bool is_nearly_closed(const netdp_i_gossip_account *a, const facts *f)
{
    (void)a;
    return f->hears_most;
}

static bool is_open(const netdp_i_gossip_account *a, const facts *f)
{
    (void)f;
    return netdp_i_gossip_is_published(a->bound) || !a->bound->sound;
}

static bool is_quiet(const netdp_i_gossip_account *a, const facts *f)
{
    (void)f;
    return netdp_i_gossip_can_quiet(a);
}

static bool is_shift(const netdp_i_gossip_account *a, const facts *f)
{
    return (f->noises && netdp_i_gossip_shift_undercuts(a)) ||
           (netdp_i_gossip_can_shift(a, f->stream) &&
            (!(f->noises || f->stream) || netdp_i_gossip_prefers_shift(a)));
}

static bool is_unresolved(const netdp_i_gossip_account *a, const facts *f)
{
    return f->noises && !f->resolved && netdp_i_gossip_can_shift(a, f->stream);
}

static bool is_noises(const netdp_i_gossip_account *a, const facts *f)
{
    return f->noises && (f->resolved || a->rounds != NULL);
}

static bool has_stream(const netdp_i_gossip_account *a, const facts *f)
{
    (void)a;
    return f->stream;
}

static bool is_left(const netdp_i_gossip_account *a, const facts *f)
{
    (void)a;
    (void)f;
    return true;
}

static const struct {
    bool (*takes)(const netdp_i_gossip_account *a, const facts *f);
    netdp_i_gossip_way way;
    const char *why; /* it is closed; NULL: netdp_i_gossip_close says so */
} ways[] = {
    {is_open, NETDP_I_WAY_OPEN, NULL},
    {is_closed, NETDP_I_WAY_CLOSED, NULL},
    {is_nearly_closed, NETDP_I_WAY_CLOSED,
     "every message counts as seen: next to all are received, and who misses what would take long "
     "to account for; see --certify yes"},
    {is_quiet, NETDP_I_WAY_QUIET, NULL},
    {is_shift, NETDP_I_WAY_SHIFT, NULL},
    {takes_rest, NETDP_I_WAY_REST, NULL},
    {is_unresolved, NETDP_I_WAY_SHIFT, NULL},
    {is_noises, NETDP_I_WAY_NOISES, NULL},
    {has_stream, NETDP_I_WAY_STREAM, NULL},
    {is_left, NETDP_I_WAY_CLOSED, NULL},
};

netdp_status netdp_i_gossip_prove(netdp_i_gossip_account *a, netdp_error *error)
{
    facts f;
    size_t k = 0;
    TRY(find_facts(a, &f, error));
    while (!ways[k].takes(a, &f))
        k++;
    const bool exact = ways[k].takes == is_closed;
    if (ways[k].why != NULL)
        a->why = ways[k].why;
    a->way = ways[k].way;
    return exact ? NETDP_OK : netdp_i_gossip_close(a, error);
}
