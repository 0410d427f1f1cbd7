/* Transition matrices of walks: mixing matrices, and Metropolis-Hastings towards a stationary law. */
#include <netdp/mixing.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "mixing/mixing.h"

/* The most that two targets may differ by, as a factor. */
#define WIDEST 1e200

struct netdp_transition {
    const netdp_graph *graph; /* the caller's; it must outlive the transition */
    netdp_mixing *mixing;     /* owned, where the law is a mixing matrix; else NULL */
    char *name;
    int32_t nodes;
    int64_t *start; /* these three only where there is no mixing */
    int32_t *column;
    double *weight;
    double *stationary;
};

void netdp_transition_free(netdp_transition *transition)
{
    if (transition == NULL)
        return;
    netdp_mixing_free(transition->mixing);
    netdp_i_free(transition->name);
    netdp_i_free(transition->start);
    netdp_i_free(transition->column);
    netdp_i_free(transition->weight);
    netdp_i_free(transition->stationary);
    netdp_i_free(transition);
}

static netdp_status begin(const netdp_graph *graph, const char *name, netdp_transition **made,
                          netdp_error *error)
{
    netdp_transition *transition = NETDP_I_NEW(netdp_transition, 1);
    if (transition == NULL)
        return netdp_i_no_memory(error);
    transition->graph = graph;
    transition->nodes = netdp_graph_nodes(graph);
    transition->name = netdp_i_copy_text(name);
    transition->stationary = NETDP_I_NEW(double, transition->nodes);
    if (transition->name == NULL || transition->stationary == NULL) {
        netdp_transition_free(transition);
        return netdp_i_no_memory(error);
    }
    *made = transition;
    return NETDP_OK;
}

/*
 * The move i -> j is proposed with 1/d_i and refused with the rest of its acceptance: the loop is
 * the sum of what is refused, without cancellation, exactly 0 where nothing is.
 */
static void fill_row(netdp_transition *transition, const double *target, int32_t i)
{
    const netdp_graph *graph = transition->graph;
    const int32_t *neighbour = netdp_graph_neighbours(graph, i);
    const int32_t degree = netdp_graph_degree(graph, i);
    int64_t at = transition->start[i], loop = -1;
    double refused = degree == 0 ? 1 : 0;
    for (int32_t k = 0; k <= degree; k++) {
        if (loop < 0 && (k == degree || neighbour[k] > i)) {
            transition->column[at] = i;
            loop = at++;
        }
        if (k == degree)
            break;
        const int32_t j = neighbour[k];
        /* in this order, so that equal products of target and degree accept exactly */
        const double there = target[j] / netdp_graph_degree(graph, j);
        const double here = target[i] / degree;
        const double accept = there < here ? there / here : 1;
        transition->column[at] = j;
        transition->weight[at++] = accept / degree;
        refused += (1 - accept) / degree;
    }
    transition->weight[loop] = refused;
    transition->start[i + 1] = at;
}

static netdp_i_shown called(const netdp_graph *graph, int32_t node)
{
    char number[16];
    const char *name = netdp_graph_name(graph, node);
    snprintf(number, sizeof number, "%" PRId32, node);
    return netdp_i_show_text(name != NULL ? name : number);
}

/*
 * The target with its largest number in [1/2, 1): by a power of 2, so that equal numbers stay equal
 * and none that passes is rounded. What is farther apart than WIDEST would round to a move that
 * never happens.
 */
static netdp_status scale_target(const netdp_graph *graph, const double *target, double *scaled,
                                 netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(graph);
    int32_t most = 0, least = 0;
    int exponent = 0;
    for (int32_t i = 0; i < nodes; i++) {
        if (!(target[i] > 0) || isinf(target[i]))
            return netdp_i_fail(error, NETDP_INVALID,
                                "mixing 'hastings': the target of node %s is %g; give a finite "
                                "number above 0",
                                called(graph, i).text, target[i]);
        most = target[i] > target[most] ? i : most;
        least = target[i] < target[least] ? i : least;
    }
    if (nodes > 0 && target[least] / target[most] < 1 / WIDEST)
        return netdp_i_fail(error, NETDP_INVALID,
                            "mixing 'hastings': the targets of nodes %s and %s, %g and %g, are "
                            "more than %g times apart; bring them closer",
                            called(graph, least).text, called(graph, most).text, target[least],
                            target[most], WIDEST);
    if (nodes > 0)
        frexp(target[most], &exponent);
    for (int32_t i = 0; i < nodes; i++)
        scaled[i] = ldexp(target[i], -exponent);
    return NETDP_OK;
}

netdp_status netdp_transition_toward(const netdp_graph *graph, const double *target,
                                     netdp_transition **transition, netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && target && transition);
    OWNED_BY(netdp_transition_free) netdp_transition *made = NULL;
    double total = 0;
    TRY(begin(graph, "hastings", &made, error));
    const int64_t entries = made->nodes + 2 * netdp_graph_edges(graph);
    made->start = NETDP_I_NEW(int64_t, (int64_t)made->nodes + 1);
    made->column = NETDP_I_NEW(int32_t, entries);
    made->weight = NETDP_I_NEW(double, entries);
    if (made->start == NULL || made->column == NULL || made->weight == NULL)
        return netdp_i_no_memory(error);
    TRY(scale_target(graph, target, made->stationary, error));
    for (int32_t i = 0; i < made->nodes; i++) {
        total += made->stationary[i];
        fill_row(made, made->stationary, i);
    }
    for (int32_t i = 0; i < made->nodes; i++)
        made->stationary[i] /= total;
    *transition = made;
    made = NULL;
    return NETDP_OK;
}

static netdp_status of_mixing(const netdp_graph *graph, const char *law,
                              netdp_transition **transition, netdp_error *error)
{
    OWNED_BY(netdp_transition_free) netdp_transition *made = NULL;
    TRY(begin(graph, law, &made, error));
    TRY(netdp_mixing_new(graph, law, &made->mixing, error));
    for (int32_t i = 0; i < made->nodes; i++)
        made->stationary[i] = 1.0 / made->nodes;
    *transition = GIVE(made);
    return NETDP_OK;
}

/* One positive number a line, as many as there are nodes. */
static netdp_status read_target(const char *path, double *target, int32_t nodes, netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t bytes = 0;
    int32_t line = 0;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    if (strlen(text) != (size_t)bytes)
        return netdp_i_fail(error, NETDP_INVALID, "%s: has a NUL byte; give text", path);
    char *rest = text;
    for (char *each; (each = strsep(&rest, "\n")) != NULL; line++) {
        const size_t length = strlen(each);
        if (length == 0 && rest == NULL)
            break;
        if (rest != NULL && length > 0 && each[length - 1] == '\r')
            each[length - 1] = '\0';
        if (line >= nodes || !netdp_i_read_number(each, &target[line]))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s:%d: '%s'; give one number above 0 for each of the %d nodes",
                                path, (int)line + 1, netdp_i_show_text(each).text, (int)nodes);
    }
    if (line != nodes)
        return netdp_i_fail(error, NETDP_INVALID, "%s: %d numbers; there are %d nodes", path,
                            (int)line, (int)nodes);
    return NETDP_OK;
}

netdp_status netdp_transition_new(const netdp_graph *graph, const char *law,
                                  netdp_transition **transition, netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && law && transition);
    static const char prefix[] = "hastings:";
    const int32_t nodes = netdp_graph_nodes(graph);
    netdp_transition *made = NULL;
    if (strncmp(law, prefix, sizeof prefix - 1) != 0)
        return of_mixing(graph, law, transition, error);
    const char *toward = law + sizeof prefix - 1;
    const bool degree = strcmp(toward, "degree") == 0, uniform = strcmp(toward, "uniform") == 0;
    OWNED double *target = NETDP_I_NEW(double, nodes);
    OWNED char *name = netdp_i_copy_text(law);
    if (target == NULL || name == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < nodes; i++) /* an isolated node is refused later, as not connected */
        target[i] = degree ? fmax(1, netdp_graph_degree(graph, i)) : 1;
    if (!degree && !uniform)
        TRY(read_target(toward, target, nodes, error));
    const netdp_status status = netdp_transition_toward(graph, target, &made, error);
    if (status != NETDP_OK)
        return degree || uniform ? status : netdp_i_within(error, status, "%s", toward);
    netdp_i_free(made->name);
    made->name = GIVE(name);
    *transition = made;
    return NETDP_OK;
}

netdp_status netdp_transition_require(const netdp_transition *transition, netdp_error *error)
{
    NETDP_I_GIVEN(error, transition);
    int32_t components = 0;
    bool bipartite;
    netdp_i_shown shown = netdp_i_show_text(netdp_graph_origin(transition->graph));
    if (transition->nodes < 2)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: a single node has nobody to walk to; give a graph of at least 2",
                            shown.text);
    TRY(netdp_graph_shape(transition->graph, &components, &bipartite, error));
    if (components > 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: not connected (%d components); connect it, or keep the largest "
                            "component with --giant-component",
                            shown.text, (int)components);
    return NETDP_OK;
}

netdp_rows netdp_transition_rows(const netdp_transition *transition)
{
    if (transition->mixing != NULL)
        return netdp_mixing_rows(transition->mixing);
    return (netdp_rows){transition->nodes, transition->start, transition->column,
                        transition->weight};
}

const double *netdp_transition_stationary(const netdp_transition *transition)
{
    return transition->stationary;
}

const netdp_graph *netdp_transition_graph(const netdp_transition *transition)
{
    return transition->graph;
}

const char *netdp_transition_name(const netdp_transition *transition)
{
    return transition->name;
}
