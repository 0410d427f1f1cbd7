#include "study/constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/gamma.h>
#include <netdp/noise.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

static const char *const kinds[] = {
    [NETDP_I_CONSTANTS_NONE] = "public",
    [NETDP_I_CONSTANTS_EXACT] = "exact",
    [NETDP_I_CONSTANTS_GAMMA] = "gamma",
    [NETDP_I_CONSTANTS_LAPLACE] = "laplace",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* "THETA,LOW,HIGH" */
static bool read_three(const char *text, double number[3])
{
    char copy[128], *rest = copy;
    int count = 0;
    if (strlen(text) >= sizeof copy)
        return false;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *each; (each = strsep(&rest, ",")) != NULL; count++)
        if (count == 3 || !netdp_i_read_number(each, &number[count]))
            return false;
    return count == 3;
}

netdp_status netdp_i_constants_read(const char *text, netdp_i_constants *constants,
                                    netdp_error *error)
{
    const char *colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    double number[3] = {0};
    for (int kind = 0; kind < KINDS; kind++) {
        const bool noised = kind >= NETDP_I_CONSTANTS_GAMMA;
        if (strlen(kinds[kind]) != length || memcmp(kinds[kind], text, length) != 0)
            continue;
        if (noised != (colon != NULL))
            break;
        if (noised && (!read_three(colon + 1, number) || !(number[0] > 0 && number[0] <= 1e100) ||
                       !(number[1] > 0 && number[1] <= number[2] && number[2] <= 1e100)))
            return netdp_i_fail(error, NETDP_INVALID,
                                "'%s': give %s:%s,LOW,HIGH with numbers above 0 and LOW at most "
                                "HIGH",
                                netdp_i_show_text(text).text, kinds[kind],
                                kind == NETDP_I_CONSTANTS_GAMMA ? "THETA" : "SCALE");
        *constants =
            (netdp_i_constants){(netdp_i_constants_kind)kind, number[0], number[1], number[2]};
        return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "'%s' is not known here; give public, exact, gamma:THETA,LOW,HIGH or "
                        "laplace:SCALE,LOW,HIGH",
                        netdp_i_show_text(text).text);
}

netdp_status netdp_i_constants_check(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    netdp_i_constants constants;
    netdp_error why = {0};
    if (netdp_i_constants_read(study->protocol.law, &constants, &why) != NETDP_OK)
        return netdp_i_reading_fail(from, "protocol.law", error, "%s", why.text);
    if (constants.kind == NETDP_I_CONSTANTS_NONE)
        return NETDP_OK;
    if (!netdp_i_study_learns(study))
        return netdp_i_reading_fail(from, "protocol.law", error,
                                    "applies to logistic and ridge: of a mean every node's "
                                    "constant is 1; remove it");
    if (strcmp(study->mixing.weights, "metropolis") != 0)
        return netdp_i_reading_fail(from, "mixing.weights", error,
                                    "protocol.law takes its place; remove it");
    if (constants.kind == NETDP_I_CONSTANTS_EXACT && !isinf(study->privacy.epsilon))
        return netdp_i_reading_fail(from, "protocol.law", error,
                                    "exact: the path tells the nodes' constants and no noise "
                                    "covers that; give epsilon: inf, or gamma:THETA,LOW,HIGH");
    return NETDP_OK;
}

/* What node u released, or its constant itself. */
static double release(const netdp_i_constants *constants, double constant, uint64_t seed,
                      int32_t node)
{
    const double held = fmin(fmax(constant, constants->low), constants->high);
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_LAW, (uint32_t)node, 0);
    double noised = constant;
    if (constants->kind == NETDP_I_CONSTANTS_GAMMA)
        noised = constants->scale * netdp_stream_gamma(&stream, held / constants->scale);
    else if (constants->kind == NETDP_I_CONSTANTS_LAPLACE)
        noised = held + constants->scale * netdp_stream_laplace(&stream);
    else
        return constant;
    return fmin(fmax(noised, constants->low), constants->high);
}

netdp_status netdp_i_constants_law(const netdp_study *study, netdp_i_problem *problem,
                                   netdp_error *error)
{
    netdp_i_constants constants;
    const int32_t n = netdp_graph_nodes(problem->graph);
    netdp_status status = netdp_i_constants_read(study->protocol.law, &constants, error);
    if (status != NETDP_OK)
        return status;
    problem->released = NETDP_I_NEW(double, n);
    if (problem->released == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < n; u++)
        problem->released[u] =
            release(&constants, netdp_node_smoothness(&problem->objective, problem->train, u),
                    study->seed + (uint64_t)study->data.draw, u);
    status = netdp_transition_toward(problem->graph, problem->released, &problem->law, error);
    return status == NETDP_OK ? netdp_transition_require(problem->law, error) : status;
}

netdp_status netdp_i_constants_cost(const netdp_i_constants *constants, double delta,
                                    double *law_epsilon, double *law_delta, netdp_error *error)
{
    const netdp_gamma gamma = {
        .theta = constants->scale, .low = constants->low, .high = constants->high};
    *law_epsilon = *law_delta = 0;
    if (constants->kind == NETDP_I_CONSTANTS_LAPLACE)
        return netdp_laplace_to_epsilon(constants->high - constants->low, constants->scale, 0,
                                        law_epsilon, error);
    if (constants->kind != NETDP_I_CONSTANTS_GAMMA)
        return NETDP_OK;
    *law_delta = delta / 2;
    return netdp_gamma_to_epsilon(&gamma, *law_delta, law_epsilon, error);
}

netdp_status netdp_i_constants_json(const netdp_study *study, const char *file, json_t **told,
                                    netdp_error *error)
{
    netdp_i_constants constants;
    double epsilon = 0, delta = 0;
    netdp_status status = netdp_i_constants_read(study->protocol.law, &constants, error);
    if (status == NETDP_OK)
        status = netdp_i_constants_cost(&constants, study->privacy.delta, &epsilon, &delta, error);
    if (status != NETDP_OK)
        return status;
    *told =
        constants.kind >= NETDP_I_CONSTANTS_GAMMA
            ? json_pack("{s:s, s:f, s:[f, f], s:o, s:f, s:s}", "mechanism", kinds[constants.kind],
                        "scale", constants.scale, "range", constants.low, constants.high, "epsilon",
                        netdp_i_json_double(epsilon), "delta", delta, "file", file)
            : json_pack("{s:s, s:o, s:s}", "mechanism", "none", "epsilon",
                        netdp_i_json_double(INFINITY), "file", file);
    return *told != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_constants_write(const netdp_i_problem *problem, const char *path,
                                     netdp_error *error)
{
    netdp_i_output output;
    const int32_t n = netdp_graph_nodes(problem->graph);
    netdp_status status = netdp_i_output_open_private(&output, path, error);
    if (status != NETDP_OK)
        return status;
    for (int32_t u = 0; u < n; u++)
        fprintf(output.stream, "%.17g\n", problem->released[u]);
    return netdp_i_output_commit(&output, error);
}
