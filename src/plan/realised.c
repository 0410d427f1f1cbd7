#include "plan/realised.h"

#include <math.h>
#include <string.h>
#include <netdp/privacy.h>
#include <netdp/tally.h>
#include <netdp/simulate.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "protocol/threat.h"
#include "graph/graph.h"

/* Behind those of walks that were drawn: what holds before. */
enum { THEOREM = NETDP_TALLY_ACCOUNTS, THEOREM_LOCAL, LAW, ACCOUNTS };

#define PRINTED "as the paper prints it, which can be too small (docs/what-holds.md)"

/* By netdp_tally_account and these: how `privacy.bound` asks for it. */
static const struct {
    const char *name;
    netdp_bound_info bound;
} accounts[ACCOUNTS] = {
    [NETDP_TALLY_NETWORK_PUBLISHED] = {"published",
                                       {.name = "realised (published)", .summary = PRINTED}},
    [NETDP_TALLY_NETWORK] = {"auto", {.name = "realised", .sound = true}},
    [NETDP_TALLY_LOCAL_PUBLISHED] = {"published-local",
                                     {.name = "local (published)", .sound = true}},
    [NETDP_TALLY_LOCAL] = {"local", {.name = "local", .sound = true}},
    [THEOREM] = {"theorem", {.name = "theorem as printed", .summary = PRINTED}},
    [THEOREM_LOCAL] = {"theorem-local", {.name = "local as in the theorem", .summary = PRINTED}},
    [LAW] = {"law", {.name = "over the distribution of walks", .sound = true}},
};

/* The place in `accounts`, or -1. */
static int find_account(const char *name)
{
    for (int i = 0; i < ACCOUNTS; i++)
        if (strcmp(accounts[i].name, name) == 0)
            return i;
    return -1;
}

/* The tally on so many nodes, at the noise of one contribution. */
netdp_status netdp_i_realised_describe(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int32_t nodes = netdp_graph_nodes(variant->problem->graph);
    const netdp_protocol *named;
    OWNED_BY(netdp_graph_free)
    netdp_graph *two = NULL; /* a tally is described on any complete graph */
    netdp_settings settings = NETDP_SETTINGS_USUAL;
    double mu = 0;
    settings.rounds = study->protocol.rounds > 0 ? study->protocol.rounds
                                                 : study->protocol.visits * (int64_t)nodes;
    settings.cap = study->question.settings.cap;
    settings.release = study->question.settings.release;
    settings.levels = (int32_t)study->task.levels;
    REFUSE(find_account(study->question.bound) < 0,
           "%s: privacy.bound: '%.40s' is no account of a walk that was drawn; "
           "give auto, published, local, published-local, theorem, theorem-local or law",
           study->path, study->question.bound);
    TRY(netdp_protocol_find(study->protocol.kind, &named, error));
    TRY(netdp_graph_make("complete 2", 0, true, &two, NULL, error));
    TRY(netdp_protocol_describe_tally(named, two, &settings, &variant->tally, error));
    variant->kind = NETDP_TALLY;
    variant->tally.nodes = nodes;
    if (variant->tally.task == NETDP_TALLY_HISTOGRAM) {
        TRY(netdp_rr_gamma(study->privacy.epsilon, study->task.levels, &variant->noise, error));
        variant->tally.flip = variant->noise;
    } else {
        TRY(netdp_epsilon_to_gdp(study->privacy.epsilon, study->privacy.delta, &mu, error));
        variant->tally.noise = variant->noise = 1 / mu;
    }
    return netdp_tally_check(&variant->tally, error);
}

static netdp_status follow_walks(const netdp_i_variant *variant, netdp_tally_account account,
                                 const netdp_progress *progress, netdp_tally_spread *spread,
                                 netdp_error *error)
{
    const netdp_study *study = variant->study;
    const netdp_tally *tally = &variant->tally;
    double crowd[NETDP_TALLY_CROWDS] = {0};
    OWNED int32_t *path = NETDP_I_NEW(int32_t, netdp_tally_steps(tally) + 1);
    OWNED int32_t *all = NETDP_I_NEW(int32_t, tally->nodes);
    netdp_tally_cycles cycles = {.tally = tally,
                                 .path = path,
                                 .count = variant->observer_count,
                                 .observers = variant->observer,
                                 .delta = study->privacy.delta,
                                 .delta_compose = study->privacy.delta,
                                 .shuffle = NETDP_SHUFFLE_BLANKET};
    if (path == NULL || all == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < tally->nodes; u++)
        all[u] = u;
    if (cycles.count == 0) {
        cycles.count = tally->nodes;
        cycles.observers = all;
    }
    for (int64_t k = 0; k < study->output.repeat; k++) {
        TRY(netdp_tally_path(tally, (netdp_run_seed){study->seed, (uint64_t)k}, path, error));
        TRY(netdp_tally_empirical_pairs(&cycles, account, crowd, progress, spread, error));
    }
    return NETDP_OK;
}

/* What a theorem, or our own account at its delta, says of a pair before the walk. */
static netdp_status foretell(const netdp_i_variant *variant, int which,
                             const netdp_progress *progress, netdp_tally_spread *spread,
                             netdp_error *error)
{
    static const int32_t pair[] = {1, 0};
    const double delta = variant->study->privacy.delta;
    netdp_tally hidden = variant->tally; /* as the theorems want the path */
    const netdp_tally_terms terms = {.epsilon = variant->study->privacy.epsilon,
                                     .delta = delta,
                                     .delta_compose = delta,
                                     .delta_visits = delta,
                                     .delta_spotted = delta,
                                     .colluders = 1};
    netdp_tally_published bound;
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    hidden.hidden = true;
    if (which == LAW)
        hidden.cap = 0; /* with a cap and without at one delta: that of the theorem without */
    TRY(which == THEOREM_LOCAL
            ? netdp_tally_published_local(&hidden, &terms, NETDP_FORM_PRINTED, &bound, error)
            : netdp_tally_published_bound(&hidden, &terms, NETDP_FORM_PRINTED, &bound, error));
    if (which == LAW) {
        const netdp_tally_request request = {.tally = &variant->tally,
                                             .unit = {NETDP_AS_DP, fmin(bound.delta, 0.5)},
                                             .from_count = 1,
                                             .from = &pair[0],
                                             .to_count = 1,
                                             .to = &pair[1]};
        TRY(netdp_tally_losses_new(&request, progress, &losses, error));
        bound.epsilon = losses->loss[0];
    }
    *spread = (netdp_tally_spread){1, bound.epsilon, bound.epsilon, bound.epsilon};
    return NETDP_OK;
}

netdp_status netdp_i_realised_account(netdp_i_variant *variant, const netdp_progress *progress,
                                      netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int which = find_account(study->question.bound);
    netdp_tally_spread spread = {0};
    TRY(which >= THEOREM
            ? foretell(variant, which, progress, &spread, error)
            : follow_walks(variant, (netdp_tally_account)which, progress, &spread, error));
    netdp_i_class *class = NETDP_I_NEW(netdp_i_class, 1);
    NEED(class);
    *class = (netdp_i_class){1, spread.count, spread.least, spread.sum / (double)spread.count,
                             spread.most};
    netdp_i_promise made = {.is = netdp_i_guarantee_by(&accounts[which].bound, (netdp_i_case){0}),
                            .mean = class->mean,
                            .local = NAN,
                            .from = -1,
                            .to = -1,
                            .classes = 1,
                            .class = class,
                            .walks = which < THEOREM ? study->output.repeat : 0};
    made.is.value = spread.most;
    made.is.unit = (netdp_unit){NETDP_AS_DP, study->privacy.delta};
    made.is.threat = netdp_i_threat_token(variant->tally.release);
    if (which < THEOREM && variant->observer_count > 0) {
        made.nodes = variant->tally.nodes;
        made.observers = variant->observer_count;
        /* Walks pass by the others in other ways; nothing bounds what they see. */
        netdp_i_guarantee_drawn(&made.is);
        made.confidence = made.low = made.high = NAN;
    }
    variant->predicted = -1;
    variant->guarantee = made;
    return NETDP_OK;
}
