#include "study/realising.h"

#include <stdio.h>
#include <string.h>
#include <netdp/amplification.h>
#include <netdp/tally_account.h>
#include <netdp/tally_simulate.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph/graph.h"

/* By netdp_tally_account: how `privacy.bound` asks for it. */
static const struct {
    const char *name, *says;
    bool sound;
} accounts[NETDP_TALLY_ACCOUNTS] = {
    [NETDP_TALLY_NETWORK_PUBLISHED] = {"published", "realised, published", false},
    [NETDP_TALLY_NETWORK] = {"auto", "realised", true},
    [NETDP_TALLY_LOCAL_PUBLISHED] = {"published-local", "local, published", true},
    [NETDP_TALLY_LOCAL] = {"local", "local", true},
};

/* The place in `accounts`, or -1. */
static int find_account(const char *name)
{
    for (int i = 0; i < NETDP_TALLY_ACCOUNTS; i++)
        if (strcmp(accounts[i].name, name) == 0)
            return i;
    return -1;
}

netdp_status netdp_i_realising_graph(const netdp_study *study, netdp_i_problem *problem,
                                     netdp_error *error)
{
    int nodes = 0, end = 0;
    if (study->graph.family == NULL ||
        sscanf(study->graph.family, "complete %9d%n", &nodes, &end) != 1 ||
        study->graph.family[end] != '\0' || nodes < 2)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: graph.family: task realised takes complete N with N from 2",
                            study->path);
    netdp_status status = netdp_graph_from_edges(nodes, NULL, 0, &problem->graph, error);
    if (status == NETDP_OK)
        status = netdp_i_graph_set_origin(problem->graph, study->graph.family, error);
    if (status == NETDP_OK)
        status = netdp_mixing_new(problem->graph, "metropolis", &problem->mixing, error);
    problem->edges = (int64_t)nodes * (nodes - 1) / 2;
    return status;
}

/* The tally on so many nodes, at the noise of one contribution. */
netdp_status netdp_i_realising_describe(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int32_t nodes = netdp_graph_nodes(variant->problem->graph);
    const netdp_protocol *named;
    netdp_graph *two = NULL; /* a tally is described on any complete graph */
    netdp_settings settings = NETDP_SETTINGS_USUAL;
    double mu = 0;
    settings.rounds = study->protocol.rounds > 0 ? study->protocol.rounds
                                                 : study->protocol.visits * (int64_t)nodes;
    settings.cap = study->protocol.cap;
    settings.release = study->protocol.release;
    settings.levels = (int32_t)study->task.levels;
    if (find_account(study->privacy.bound) < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: privacy.bound: '%.40s' is no account of a walk that was drawn; "
                            "give auto, published, local or published-local",
                            study->path, study->privacy.bound);
    netdp_status status = netdp_protocol_find(study->protocol.kind, &named, error);
    if (status == NETDP_OK)
        status = netdp_graph_make("complete 2", 0, true, &two, NULL, error);
    if (status == NETDP_OK)
        status = netdp_protocol_describe_tally(named, two, &settings, &variant->tally, error);
    netdp_graph_free(two);
    if (status != NETDP_OK)
        return status;
    variant->tally.nodes = nodes;
    if (variant->tally.task == NETDP_TALLY_HISTOGRAM) {
        status = netdp_rr_gamma(study->privacy.epsilon, study->task.levels, &variant->noise, error);
        variant->tally.flip = variant->noise;
    } else {
        status = netdp_epsilon_to_gdp(study->privacy.epsilon, study->privacy.delta, &mu, error);
        variant->tally.noise = variant->noise = 1 / mu;
    }
    return status == NETDP_OK ? netdp_tally_check(&variant->tally, error) : status;
}

static netdp_status follow_walks(const netdp_i_variant *variant, netdp_tally_account account,
                                 const netdp_progress *progress, netdp_tally_spread *spread,
                                 netdp_error *error)
{
    const netdp_study *study = variant->study;
    const netdp_tally *tally = &variant->tally;
    double crowd[NETDP_TALLY_CROWDS] = {0};
    int32_t *path = NETDP_I_NEW(int32_t, netdp_tally_steps(tally) + 1);
    int32_t *all = NETDP_I_NEW(int32_t, tally->nodes);
    netdp_tally_cycles cycles = {.tally = tally,
                                 .path = path,
                                 .count = variant->observer_count,
                                 .observers = variant->observer,
                                 .delta = study->privacy.delta,
                                 .delta_compose = study->privacy.delta,
                                 .shuffle = NETDP_SHUFFLE_BLANKET};
    netdp_status status = path != NULL && all != NULL ? NETDP_OK : netdp_i_no_memory(error);
    for (int32_t u = 0; status == NETDP_OK && u < tally->nodes; u++)
        all[u] = u;
    if (cycles.count == 0) {
        cycles.count = tally->nodes;
        cycles.observers = all;
    }
    for (int64_t k = 0; status == NETDP_OK && k < study->output.repeat; k++) {
        status = netdp_tally_path(tally, (netdp_run_seed){study->seed, (uint64_t)k}, path, error);
        if (status == NETDP_OK)
            status = netdp_tally_empirical_pairs(&cycles, account, crowd, progress, spread, error);
    }
    netdp_i_free(path);
    netdp_i_free(all);
    return status;
}

netdp_status netdp_i_realising_account(netdp_i_variant *variant, const netdp_progress *progress,
                                       netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int which = find_account(study->privacy.bound);
    netdp_tally_spread spread = {0};
    netdp_status status =
        follow_walks(variant, (netdp_tally_account)which, progress, &spread, error);
    if (status != NETDP_OK)
        return status;
    const double mean = spread.sum / (double)spread.count;
    json_t *guarantee =
        json_pack("{s:s, s:b, s:b, s:n, s:o, s:s, s:[{s:i, s:I, s:o, s:o, s:o}], s:o, s:o, s:{s:n, "
                  "s:n, s:o}, s:n}",
                  "bound", accounts[which].says, "sound", (int)accounts[which].sound, "certified",
                  0, "epsilon", "delta", json_real(study->privacy.delta), "unit",
                  "epsilon, each at its own delta", "by_distance", "distance", 1, "pairs",
                  (json_int_t)spread.count, "min", netdp_i_json_double(spread.least), "mean",
                  netdp_i_json_double(mean), "max", netdp_i_json_double(spread.most), "least",
                  netdp_i_json_double(spread.least), "mean", netdp_i_json_double(mean), "worst",
                  "from", "to", "epsilon", netdp_i_json_double(spread.most), "local");
    if (guarantee == NULL)
        return netdp_i_no_memory(error);
    json_object_set_new(guarantee, "walks", json_integer(study->output.repeat));
    if (variant->observer_count > 0)
        json_object_set_new(guarantee, "observers",
                            json_pack("{s:i, s:i}", "drawn", (int)variant->observer_count, "of",
                                      (int)variant->tally.nodes));
    variant->predicted = -1;
    variant->guarantee = guarantee;
    return NETDP_OK;
}
