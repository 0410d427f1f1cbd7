#include "run/everybody.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"

typedef struct guesses {
    int32_t nodes;
    int32_t *hops;
    netdp_guess *with, *without;
} guesses;

static json_t *told_json(const char *name, const netdp_gossip_attack *attack, const guesses *g)
{
    json_t *nodes = json_array();
    int told = 0, told_without = 0;
    for (int32_t u = 0; u < g->nodes; u++) {
        if (g->hops[u] == 0) /* the observer */
            continue;
        told += g->with[u].rmse <= NETDP_I_TOLD;
        told_without += g->without[u].rmse <= NETDP_I_TOLD;
        json_array_append_new(nodes, json_pack("{s:i, s:i, s:f, s:f, s:f}", "from", (int)u,
                                               "distance", (int)g->hops[u], "rmse", g->with[u].rmse,
                                               "standard_error", g->with[u].standard_error,
                                               "rmse_without_noise", g->without[u].rmse));
    }
    return json_pack("{s:s, s:i, s:f, s:f, s:i, s:i, s:o}", "name", name, "to",
                     (int)attack->view.observers[0], "noise", attack->noise, "prior", NETDP_PRIOR,
                     "told", told, "told_without_noise", told_without, "nodes", nodes);
}

static void guesses_clear(guesses *g)
{
    netdp_i_free(g->hops);
    netdp_i_free(g->with);
    netdp_i_free(g->without);
}

netdp_status netdp_i_everybody_new(const char *name, const netdp_graph *graph,
                                   const netdp_gossip_attack *attack,
                                   const netdp_progress *progress, json_t **made,
                                   netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    netdp_gossip_attack plain = *attack;
    CLEARED(guesses_clear)
    guesses g = {.nodes = n,
                 .hops = NETDP_I_NEW(int32_t, n),
                 .with = NETDP_I_NEW(netdp_guess, n),
                 .without = NETDP_I_NEW(netdp_guess, n)};
    plain.noise = 0;
    if (g.hops == NULL || g.with == NULL || g.without == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_graph_distances(graph, attack->view.observers, attack->view.count, g.hops, error));
    TRY(netdp_reconstruct_everybody(attack, progress, g.with, error));
    TRY(netdp_reconstruct_everybody(&plain, progress, g.without, error));
    *made = told_json(name, attack, &g);
    NEED(*made);
    return NETDP_OK;
}

netdp_status netdp_i_everybody_write(const json_t *list, const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    size_t i, j;
    json_t *one, *node;
    netdp_i_file_path(path, folder, "reconstruct.csv");
    TRY(netdp_i_output_open(&output, path, error));
    fputs("name,to,from,distance,rmse,standard_error,rmse_without_noise\n", output.stream);
    json_array_foreach ((json_t *)list, i, one)
        json_array_foreach (json_object_get(one, "nodes"), j, node)
            fprintf(output.stream, "%s,%d,%d,%d,%.9g,%.9g,%.9g\n",
                    json_string_value(json_object_get(one, "name")),
                    (int)netdp_i_json_field(one, "to"), (int)netdp_i_json_field(node, "from"),
                    (int)netdp_i_json_field(node, "distance"), netdp_i_json_field(node, "rmse"),
                    netdp_i_json_field(node, "standard_error"),
                    netdp_i_json_field(node, "rmse_without_noise"));
    return netdp_i_output_commit(&output, error);
}
