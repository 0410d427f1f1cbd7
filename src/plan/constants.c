#include "plan/constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/privacy.h>
#include <netdp/noise.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"

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

netdp_status netdp_i_constants_law(const netdp_study *study, const netdp_graph *graph,
                                   const netdp_objective *objective, const netdp_examples *data,
                                   double **released, netdp_transition **law, netdp_error *error)
{
    netdp_i_constants constants;
    const int32_t n = netdp_graph_nodes(graph);
    TRY(netdp_i_constants_read(study->protocol.law, &constants, error));
    *released = NETDP_I_NEW(double, n);
    NEED(*released);
    for (int32_t u = 0; u < n; u++)
        (*released)[u] = release(&constants, netdp_node_smoothness(objective, data, u),
                                 study->seed + (uint64_t)study->data.draw, u);
    TRY(netdp_transition_toward(graph, *released, law, error));
    return netdp_transition_require(*law, error);
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
    TRY(netdp_i_constants_read(study->protocol.law, &constants, error));
    TRY(netdp_i_constants_cost(&constants, study->privacy.delta, &epsilon, &delta, error));
    *told = constants.kind >= NETDP_I_CONSTANTS_GAMMA
                ? json_pack("{s:s, s:f, s:[f, f], s:o, s:f, s:s}", "mechanism",
                            netdp_i_constants_kinds[constants.kind], "scale", constants.scale,
                            "range", constants.low, constants.high, "epsilon",
                            netdp_i_json_double(epsilon), "delta", delta, "file", file)
                : json_pack("{s:s, s:o, s:s}", "mechanism", "none", "epsilon",
                            netdp_i_json_double(INFINITY), "file", file);
    return *told != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_constants_write(const double *released, int32_t count, const char *path,
                                     netdp_error *error)
{
    netdp_i_output output;
    TRY(netdp_i_output_open_private(&output, path, error));
    for (int32_t u = 0; u < count; u++)
        fprintf(output.stream, "%.17g\n", released[u]);
    return netdp_i_output_commit(&output, error);
}
