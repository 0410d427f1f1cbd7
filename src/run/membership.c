#include "run/membership.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"

/* What is told of a node, in this order; attacks from the second on. */
static const char *const parts[] = {"allowed", "known", "unknown", "known_without_noise",
                                    "unknown_without_noise"};
enum { PARTS = sizeof parts / sizeof *parts, ATTACKS = PARTS - 1 };

static const char *const numbers[] = {"area",         "area_error", "at_0.1",
                                      "at_0.1_error", "at_0.01",    "at_0.01_error"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

typedef struct tellings {
    int32_t nodes;
    int32_t *hops;
    netdp_membership *made[ATTACKS]; /* [nodes] each */
} tellings;

static void clear(tellings *t)
{
    for (int k = 0; k < ATTACKS; k++)
        netdp_i_free(t->made[k]);
    netdp_i_free(t->hops);
}

static json_t *part_json(const netdp_membership *m)
{
    const double all[NUMBERS] = {m->area,           m->area_error, m->found[0],
                                 m->found_error[0], m->found[1],   m->found_error[1]};
    json_t *part = json_object();
    for (int k = 0; k < NUMBERS; k++)
        json_object_set_new(part, numbers[k], json_real(all[k]));
    return part;
}

static json_t *node_json(const tellings *t, int32_t u, double mu, bool *refuted)
{
    netdp_membership most;
    netdp_error ignored;
    if (netdp_membership_limit(mu, t->made[0][u].in, t->made[0][u].out, &most, &ignored) !=
        NETDP_OK)
        return NULL;
    *refuted = netdp_membership_refutes(&t->made[0][u], &most) ||
               netdp_membership_refutes(&t->made[1][u], &most);
    json_t *node = json_pack("{s:i, s:i, s:o, s:s, s:o}", "from", (int)u, "distance",
                             (int)t->hops[u], "mu", netdp_i_json_double(mu), "verdict",
                             *refuted ? "refuted" : "consistent", parts[0], part_json(&most));
    for (int k = 0; node != NULL && k < ATTACKS; k++)
        json_object_set_new(node, parts[k + 1], part_json(&t->made[k][u]));
    return node;
}

static json_t *all_json(const char *name, const netdp_gossip_attack *attack, const double *mu,
                        const tellings *t)
{
    json_t *nodes = json_array();
    bool any = false;
    for (int32_t u = 0; u < t->nodes; u++) {
        bool refuted = false;
        if (t->made[0][u].in == 0) /* the observer */
            continue;
        if (json_array_append_new(nodes, node_json(t, u, mu[u], &refuted)) != 0) {
            json_decref(nodes);
            return NULL;
        }
        any = any || refuted;
    }
    return json_pack("{s:s, s:i, s:f, s:s, s:o}", "name", name, "to",
                     (int)attack->view.observers[0], "noise", attack->noise, "verdict",
                     any ? "refuted" : "consistent", "nodes", nodes);
}

netdp_status netdp_i_membership_new(const char *name, const netdp_graph *graph,
                                    const netdp_gossip_attack *attack, const double *mu,
                                    const netdp_progress *progress, json_t **made,
                                    netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    netdp_gossip_attack plain = *attack;
    CLEARED(clear) tellings t = {.nodes = n, .hops = NETDP_I_NEW(int32_t, n)};
    bool room = t.hops != NULL;
    plain.noise = 0;
    for (int k = 0; k < ATTACKS; k++) {
        t.made[k] = NETDP_I_NEW(netdp_membership, n);
        room = room && t.made[k] != NULL;
    }
    if (!room)
        return netdp_i_no_memory(error);
    TRY(netdp_graph_distances(graph, attack->view.observers, attack->view.count, t.hops, error));
    TRY(netdp_membership_everybody(attack, progress, t.made[0], t.made[1], error));
    TRY(netdp_membership_everybody(&plain, progress, t.made[2], t.made[3], error));
    *made = all_json(name, attack, mu, &t);
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static void write_node(FILE *to, const json_t *one, const json_t *node)
{
    for (int k = 0; k < PARTS; k++) {
        fprintf(to, "%s,%d,%d,%d,%.9g,%s", json_string_value(json_object_get(one, "name")),
                (int)netdp_i_json_field(one, "to"), (int)netdp_i_json_field(node, "from"),
                (int)netdp_i_json_field(node, "distance"), netdp_i_json_field(node, "mu"),
                parts[k]);
        for (int i = 0; i < NUMBERS; i++)
            fprintf(to, ",%.9g", netdp_i_json_field(json_object_get(node, parts[k]), numbers[i]));
        fputc('\n', to);
    }
}

netdp_status netdp_i_membership_write(const json_t *list, const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    size_t i, j;
    json_t *one, *node;
    netdp_i_file_path(path, folder, "membership.csv");
    TRY(netdp_i_output_open(&output, path, error));
    fputs("name,to,from,distance,mu,attack", output.stream);
    for (int k = 0; k < NUMBERS; k++)
        fprintf(output.stream, ",%s", numbers[k]);
    fputc('\n', output.stream);
    json_array_foreach ((json_t *)list, i, one)
        json_array_foreach (json_object_get(one, "nodes"), j, node)
            write_node(output.stream, one, node);
    return netdp_i_output_commit(&output, error);
}
