/* What a study is about: its graph, what messages move by, and whose data. */
#include "plan/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/learn.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "question/question.h"
#include "graph/graph.h"
#include "plan/constants.h"
#include "protocol/pairing.h"
#include "study/assumed.h"

void netdp_i_problem_free(netdp_i_problem *problem)
{
    if (problem == NULL)
        return;
    netdp_examples_free(problem->train);
    netdp_examples_free(problem->test);
    netdp_model_free(problem->model);
    netdp_mixing_free(problem->mixing);
    netdp_transition_free(problem->law);
    netdp_graph_free(problem->graph);
    netdp_graph_free(problem->pairs);
    for (int32_t j = 0; problem->column != NULL && j < problem->width; j++)
        netdp_i_free(problem->column[j]);
    netdp_i_free(problem->column);
    netdp_i_free(problem->share);
    netdp_i_free(problem->low);
    netdp_i_free(problem->scale);
    netdp_i_free(problem->values);
    netdp_i_free(problem->truth);
    netdp_i_free(problem->contribution);
    netdp_i_free(problem->released);
    netdp_i_free(problem);
}

const char *netdp_i_problem_weights(const netdp_i_problem *problem)
{
    return problem->law != NULL ? netdp_transition_name(problem->law)
                                : netdp_mixing_name(problem->mixing);
}

/* Gossip mixes by W, a walk moves by P. */
static netdp_status load_weights(const netdp_study *study, netdp_i_problem *problem,
                                 netdp_error *error)
{
    const char *weights = study->mixing.weights;
    if (strcmp(study->protocol.law, "public") != 0)
        return netdp_i_constants_law(study, problem->graph, &problem->objective, problem->train,
                                     &problem->released, &problem->law, error);
    if (netdp_i_study_walks(study)) {
        TRY(netdp_transition_new(problem->graph, weights, &problem->law, error));
        return netdp_transition_require(problem->law, error);
    }
    netdp_spectrum spectrum = {0};
    TRY(netdp_mixing_new_stochastic(problem->graph, weights, &problem->mixing, error));
    TRY(netdp_mixing_require(problem->mixing, error));
    if (study->protocol.rounds == 0)
        TRY(netdp_mixing_spectrum(problem->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error));
    problem->gap = spectrum.gap;
    return NETDP_OK;
}

netdp_status netdp_i_problem_graph(const netdp_study *study, const char *data, netdp_graph **graph,
                                   netdp_graph_notes *notes, netdp_error *error)
{
    const bool giant = study->graph.giant_component;
    if (study->graph.family != NULL)
        return netdp_graph_make(study->graph.family, study->seed + (uint64_t)study->graph.draw,
                                true, graph, notes, error);
    if (study->graph.file != NULL)
        return netdp_graph_read(study->graph.file, giant, graph, notes, error);
    OWNED_BY(free) char *path = NULL;
    TRY(netdp_data_find(data, study->graph.data, &path, error));
    return netdp_graph_read(path, giant, graph, notes, error);
}

/*
 * The complete graph of the study's family by its number of nodes alone: tokens need no more, and
 * its edges would be too many.
 */
static netdp_status name_complete(const netdp_study *study, netdp_i_problem *problem,
                                  netdp_error *error)
{
    int nodes = 0, end = 0;
    REFUSE(study->graph.family == NULL ||
               sscanf(study->graph.family, "complete %9d%n", &nodes, &end) != 1 ||
               study->graph.family[end] != '\0' || nodes < 2,
           "%s: graph.family: task realised takes complete N with N from 2", study->path);
    TRY(netdp_graph_from_edges(nodes, NULL, 0, &problem->graph, error));
    TRY(netdp_i_graph_set_origin(problem->graph, study->graph.family, error));
    TRY(netdp_mixing_new(problem->graph, "metropolis", &problem->mixing, error));
    problem->edges = (int64_t)nodes * (nodes - 1) / 2;
    return NETDP_OK;
}

static netdp_status load_graph(const netdp_study *study, const char *data, netdp_i_problem *problem,
                               netdp_error *error)
{
    return netdp_i_study_realises(study)
               ? name_complete(study, problem, error)
               : netdp_i_problem_graph(study, data, &problem->graph, &problem->notes, error);
}
static const netdp_dataset *find_dataset(const char *name)
{
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++)
        if (strcmp(set->name, name) == 0)
            return set;
    return NULL;
}

/* The path of the study's data, to be freed with free(), once it is known to be the right file. */
static netdp_status find_csv(const netdp_study *study, const char *data, netdp_i_problem *problem,
                             char **csv, netdp_error *error)
{
    const netdp_dataset *set = NULL;
    OWNED_BY(free) char *path = NULL;
    if (study->data.csv != NULL) {
        path = strdup(study->data.csv);
        NEED(path);
    } else {
        set = find_dataset(study->data.source);
        REFUSE(set == NULL, "%s: data.source: '%.40s' is not a known data set; see netdp data",
               study->path, study->data.source);
        TRY(netdp_data_find(data, set->file, &path, error));
    }
    TRY(netdp_data_digest(path, problem->digest, error));
    REFUSE(set != NULL && set->sha256 != NULL && strcmp(set->sha256, problem->digest) != 0,
           "%s: is not the known %s (SHA-256 differs); get it from %s, or name yours as data.csv",
           path, set->name, set->from);
    *csv = GIVE(path);
    return NETDP_OK;
}

const char *netdp_i_problem_pairs(const netdp_study *study)
{
    const char *name = study->question.pair_graph;
    return name == NULL || name[0] == '\0' || netdp_i_pairing_named(name) ? NULL : name;
}

/* Who shares noise in pairs, of the study's file. */
static netdp_status read_pairs(const netdp_study *study, netdp_i_problem *made, netdp_error *error)
{
    const netdp_status status =
        netdp_i_question_pairs(&study->question, made->graph, &made->pairs, error);
    if (status != NETDP_OK)
        netdp_i_spell(NETDP_I_SPELL_KEYS, error);
    return netdp_i_within(error, status, "%s", study->path);
}

netdp_status netdp_i_problem_new(const netdp_study *study, const char *data,
                                 netdp_i_problem **problem, netdp_error *error)
{
    OWNED_BY(free) char *csv = NULL;
    OWNED_BY(netdp_i_problem_free) netdp_i_problem *made = NETDP_I_NEW(netdp_i_problem, 1);
    NEED(made);
    const bool accounts = netdp_i_study_accounts(study);
    REFUSE(netdp_i_study_owns(study),
           "%s: task.kind: own runs between peers, whose programs give the gradients; take netdp "
           "net init, or netdp.simulate in Python",
           study->path);
    TRY(load_graph(study, data, made, error));
    TRY(netdp_i_assumed_refuse(study, error));
    if (netdp_i_problem_pairs(study) != NULL)
        TRY(read_pairs(study, made, error));
    if (!accounts && study->data.synthetic == NULL)
        TRY(find_csv(study, data, made, &csv, error));
    if (!accounts)
        TRY(netdp_i_study_learns(study) ? netdp_i_problem_examples(study, csv, made, error)
                                        : netdp_i_problem_values(study, csv, made, error));
    if (!netdp_i_study_realises(study)) /* nothing is mixed on no edges */
        TRY(load_weights(study, made, error));
    *problem = GIVE(made);
    return NETDP_OK;
}
