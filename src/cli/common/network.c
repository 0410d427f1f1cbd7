/* GRAPH and MIXING of a command line: options to a graph and its matrix. */
#include "cli/common/command.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/families.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

static const char *lines(int64_t count)
{
    return count == 1 ? "line" : "lines";
}

static void tell(const netdp_graph_notes *notes, const char *origin, const char *mixing)
{
    if (notes->self_loops > 0)
        netdp_i_cli_note("%s: %" PRId64 " self loop %s dropped", origin, notes->self_loops,
                         lines(notes->self_loops));
    if (notes->repeats > 0)
        netdp_i_cli_note("%s: %" PRId64 " %s that repeat an edge dropped", origin, notes->repeats,
                         lines(notes->repeats));
    if (notes->weights > 0 && (mixing == NULL || strstr(mixing, "file") == NULL))
        netdp_i_cli_note("%s: the weights of %" PRId64 " %s are ignored; --mixing file uses them",
                         origin, notes->weights, lines(notes->weights));
    if (notes->columns > 0)
        netdp_i_cli_note("%s: %" PRId64 " %s of edges beside source, target and weight not read",
                         origin, notes->columns,
                         notes->columns == 1 ? "column or attribute" : "columns or attributes");
    if (notes->outside > 0)
        netdp_i_cli_note("%s: %" PRId64 " %s outside the giant component left out", origin,
                         notes->outside, notes->outside == 1 ? "node" : "nodes");
    if (notes->redraws > 0)
        netdp_i_cli_note("%s: %" PRId64 " %s redrawn because not connected", origin, notes->redraws,
                         notes->redraws == 1 ? "draw" : "draws");
}

netdp_status netdp_i_cli_family(const netdp_i_network_options *options, const char *family,
                                netdp_graph **graph, netdp_error *error)
{
    netdp_graph_notes notes = {0};
    bool connected = strcmp(options->connected, "yes") == 0;
    if (!connected && strcmp(options->connected, "no") != 0)
        return netdp_i_fail(error, NETDP_INVALID, "--connected: must be yes or no");
    TRY(netdp_graph_make(family, options->seed, connected, graph, &notes, error));
    tell(&notes, family, options->mixing);
    return NETDP_OK;
}

static netdp_status make_graph(const netdp_i_network_options *options,
                               const netdp_i_arguments *arguments, netdp_graph **graph,
                               netdp_error *error)
{
    if ((options->file == NULL) == (options->family == NULL))
        return netdp_i_fail(error, NETDP_INVALID, "%s",
                            options->file == NULL
                                ? "no graph: give --graph FILE or --family \"NAME PARAMETERS\""
                                : "--graph and --family: give one of them");
    if (options->family != NULL && netdp_i_family_grammar(options->family) == NULL &&
        access(options->family, F_OK) == 0)
        return netdp_i_fail(
            error, NETDP_INVALID, "--family %s: is a file, no family; give --graph %s",
            netdp_i_show_text(options->family).text, netdp_i_show_text(options->family).text);
    if (options->file != NULL && netdp_i_family_grammar(options->file) != NULL &&
        access(options->file, F_OK) != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--graph %s: there is no such file, but a family: give --family \"%s\"",
                            netdp_i_show_text(options->file).text,
                            netdp_i_family_grammar(options->file));
    if (options->family != NULL) {
        if (options->giant_component)
            return netdp_i_fail(error, NETDP_INVALID,
                                "--giant-component: applies to --graph FILE only");
        return netdp_i_cli_family(options, options->family, graph, error);
    }
    if (netdp_i_cli_given(arguments, "connected"))
        return netdp_i_fail(error, NETDP_INVALID, "--connected: applies to --family only");
    netdp_graph_notes notes = {0};
    TRY(netdp_graph_read(options->file, options->giant_component, graph, &notes, error));
    tell(&notes, options->file, options->mixing);
    return NETDP_OK;
}

netdp_status netdp_i_cli_graph(const netdp_i_network_options *options,
                               const netdp_i_arguments *arguments, const netdp_i_engine *engine,
                               netdp_graph **graph, netdp_error *error)
{
    if (engine == NULL)
        return make_graph(options, arguments, graph, error);
    const netdp_status made =
        engine->makes() ? make_graph(options, arguments, graph, error) : NETDP_OK;
    return engine->share_graph(made, graph, error);
}

netdp_status netdp_i_cli_mixing(const netdp_graph *graph, const char *weights,
                                const netdp_i_engine *engine, netdp_mixing **mixing,
                                netdp_error *error)
{
    if (engine == NULL)
        return netdp_mixing_new_stochastic(graph, weights, mixing, error);
    const netdp_status made =
        engine->makes() ? netdp_mixing_new_stochastic(graph, weights, mixing, error) : NETDP_OK;
    return engine->share_mixing(made, graph, mixing, error);
}

netdp_status netdp_i_cli_network(const netdp_i_network_options *options,
                                 const netdp_i_arguments *arguments, const netdp_i_engine *engine,
                                 netdp_graph **graph, netdp_mixing **mixing, netdp_error *error)
{
    OWNED_BY(netdp_graph_free) netdp_graph *made = NULL;
    TRY(netdp_i_cli_graph(options, arguments, engine, &made, error));
    TRY(netdp_i_cli_mixing(made, options->mixing, engine, mixing, error));
    TRY(netdp_i_mixing_symmetric(*mixing, "this", error));
    *graph = GIVE(made);
    return NETDP_OK;
}
