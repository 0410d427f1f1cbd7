#include "cli/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

void netdp_i_description_clear(netdp_i_description *description)
{
    netdp_i_free(description->from);
    netdp_i_free(description->to);
    netdp_mixing_free(description->mixing);
    netdp_graph_free(description->graph);
    *description = (netdp_i_description){0};
}

void netdp_i_describe_bounds(void)
{
    printf("%-12s %-8s %-40s %s\n", "bound", "sound", "source", "what it says");
    for (const netdp_bound_info *bound = netdp_bounds(); bound->name != NULL; bound++)
        printf("%-12s %-8s %-40s %s\n", bound->name, bound->sound ? "yes" : "NO", bound->source,
               bound->summary);
}

/* "all" leaves *list NULL; otherwise the nodes of a comma-separated list of names. */
static netdp_status read_nodes(const netdp_graph *graph, const char *what, const char *text,
                               int32_t **list, int32_t *count, netdp_error *error)
{
    *count = 0;
    if (strcmp(text, "all") == 0)
        return NETDP_OK;
    netdp_status status = NETDP_OK;
    char *copy = netdp_i_copy_text(text);
    int32_t *nodes = NETDP_I_NEW(int32_t, strlen(text) + 1);
    if (copy == NULL || nodes == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    char *rest = copy;
    for (char *name; status == NETDP_OK && (name = strsep(&rest, ",")) != NULL;) {
        status = netdp_graph_find(graph, name, &nodes[*count], error);
        for (int32_t i = 0; status == NETDP_OK && i < *count; i++)
            if (nodes[i] == nodes[*count])
                status = netdp_i_fail(error, NETDP_INVALID, "'%s' is named twice",
                                      netdp_i_show_text(name).text);
        ++*count;
    }
    if (status != NETDP_OK) {
        netdp_i_within(error, status, "%s", what);
        goto done;
    }
    *list = nodes;
    nodes = NULL;
done:
    netdp_i_free(copy);
    netdp_i_free(nodes);
    return status;
}

static netdp_status read_parties(const netdp_i_description_options *options,
                                 netdp_i_description *made, netdp_error *error)
{
    netdp_loss_request *request = &made->request;
    netdp_status status =
        read_nodes(made->graph, "--from", options->from, &made->from, &request->from_count, error);
    if (status != NETDP_OK)
        return status;
    request->coalition = strncmp(options->to, "set:", 4) == 0;
    if (!request->coalition && strchr(options->to, ',') != NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--to: give one observer, all, or set:V,W for a coalition that pools "
                            "its views");
    status = read_nodes(made->graph, "--to", options->to + (request->coalition ? 4 : 0), &made->to,
                        &request->to_count, error);
    if (status == NETDP_OK && request->coalition && made->to == NULL)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "--to: a coalition of all leaves nobody to "
                              "learn about; name its members");
    request->from = made->from;
    request->to = made->to;
    return status;
}

static netdp_status read_protocol(const netdp_i_description_options *options,
                                  netdp_i_description *made, netdp_error *error)
{
    const netdp_protocol *named;
    double rounds = 0;
    netdp_status status = netdp_protocol_find(options->protocol, &named, error);
    if (status != NETDP_OK)
        return status;
    if (options->rounds == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--rounds: required; give the number of gossip rounds, or auto");
    made->rounds_auto = strcmp(options->rounds, "auto") == 0;
    if (!made->rounds_auto) {
        status = netdp_i_cli_read_number("--rounds", options->rounds, false, &rounds, error);
        if (status != NETDP_OK)
            return status;
        if (rounds != (double)(int64_t)rounds || rounds < 1 || rounds > 1e15)
            return netdp_i_fail(error, NETDP_INVALID,
                                "--rounds: '%s' is not a whole number from 1 to 1e15",
                                netdp_i_show_text(options->rounds).text);
    }
    made->protocol = (netdp_linear){.mixing = made->mixing,
                                    .rounds = made->rounds_auto ? 1 : (int64_t)rounds,
                                    .dither = options->dither};
    if (!(options->variance >= 0))
        return netdp_i_fail(error, NETDP_INVALID, "--variance: must be 0 or more");
    return netdp_linear_check(&made->protocol, error);
}

netdp_status netdp_i_describe(const netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error)
{
    *made = (netdp_i_description){0};
    netdp_loss_request *request = &made->request;
    if (netdp_i_cli_given(arguments, "variance") &&
        (options->rounds == NULL || strcmp(options->rounds, "auto") != 0))
        return netdp_i_fail(error, NETDP_INVALID, "--variance: applies to --rounds auto only");
    netdp_status status = netdp_sees_parse(options->sees, &request->sees, error);
    if (status == NETDP_OK)
        status = netdp_own_noise_parse(options->own_noise, &request->own_noise, error);
    if (status == NETDP_OK)
        status = netdp_bound_parse(options->bound, &request->bound, error);
    if (status == NETDP_OK)
        status =
            netdp_i_cli_network(&options->network, arguments, &made->graph, &made->mixing, error);
    if (status == NETDP_OK)
        status = read_protocol(options, made, error);
    if (status == NETDP_OK)
        status = read_parties(options, made, error);
    request->protocol = &made->protocol;
    if (status != NETDP_OK)
        netdp_i_description_clear(made);
    return status;
}

json_t *netdp_i_describe_graph(const netdp_i_description *description)
{
    return json_pack("{s:s, s:i, s:I, s:s}", "origin", netdp_graph_origin(description->graph),
                     "nodes", (int)netdp_graph_nodes(description->graph), "edges",
                     (json_int_t)netdp_graph_edges(description->graph), "mixing",
                     netdp_mixing_name(description->mixing));
}

json_t *netdp_i_describe_protocol(const netdp_i_description *description)
{
    return json_pack("{s:s, s:I, s:f}", "name", "averaging", "rounds",
                     (json_int_t)description->protocol.rounds, "dither",
                     description->protocol.dither);
}
