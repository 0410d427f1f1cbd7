#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- netdp graph make ---- */

/* The grammar is one string; the shell has cut it at the spaces. */
static char *join(const netdp_i_arguments *arguments)
{
    size_t room = 1;
    for (size_t k = 0; k < arguments->count; k++)
        room += strlen(arguments->text[k]) + 1;
    char *text = netdp_i_new((int64_t)room, 1);
    for (size_t k = 0; text != NULL && k < arguments->count; k++) {
        if (k > 0)
            strcat(text, " ");
        strcat(text, arguments->text[k]);
    }
    return text;
}

static netdp_status make(int argc, const char **argv, netdp_error *error)
{
    netdp_i_network_options network = NETDP_I_NETWORK_USUAL;
    const char *output = "-";
    const netdp_i_option options[] = {
        NETDP_I_RANDOM_OPTIONS(network),
        {NETDP_I_TEXT, 'o', "output", &output, "FILE", "edge list to write, - for standard output",
         "-"},
        {0},
    };
    const netdp_i_usage usage = {
        .command = "graph make",
        .arguments = "FAMILY [PARAMETER...]",
        .what =
            "Writes the edge list of a graph family: a line 'u v' for each edge, and a line 'u'\n"
            "for each node that has none.\n"
            "\n"
            "Families: complete N, ring N, path N, star N, grid R C, torus R C, hypercube M,\n"
            "static-exponential N, erdos-renyi N P or N c=C (P = C ln N / N), geometric N\n"
            "RADIUS, barabasi-albert N K, regular N D, stochastic-block SIZES PROBABILITIES,\n"
            "caveman CLIQUES SIZE; and the bundled davis, florentine, karate.",
        .examples = "  netdp graph make grid 4 5\n"
                    "  netdp graph make erdos-renyi 2048 c=1.2 --seed 7 -o er.edges\n"
                    "  netdp graph make stochastic-block 30,20 \"0.5,0.1;0.1,0.5\"\n",
        .least = 1,
        .most = 16,
        .options = options,
    };
    netdp_i_arguments arguments;
    netdp_graph *graph = NULL;
    char *family = NULL;
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status != NETDP_OK || arguments.help)
        goto done;
    family = join(&arguments);
    status = family == NULL ? netdp_i_no_memory(error)
                            : netdp_i_cli_family(&network, family, &graph, error);
    if (status == NETDP_OK)
        status = netdp_graph_write(graph, output, error);
done:
    netdp_graph_free(graph);
    netdp_i_free(family);
    netdp_i_arguments_free(&arguments);
    return status;
}

/* ---- netdp graph info ---- */

struct facts {
    const char *origin, *mixing;
    int32_t nodes, least_degree, most_degree, components, diameter;
    int64_t edges, mixing_time;
    bool bipartite, small; /* small: the dense questions are answered */
    netdp_spectrum spectrum;
};

static netdp_status gather(const netdp_graph *graph, const netdp_mixing *mixing, bool full,
                           struct facts *facts, netdp_error *error)
{
    facts->origin = netdp_graph_origin(graph);
    facts->mixing = netdp_mixing_name(mixing);
    facts->nodes = netdp_graph_nodes(graph);
    facts->edges = netdp_graph_edges(graph);
    facts->small = full || facts->nodes <= NETDP_DENSE_NODES;
    facts->diameter = -1;
    facts->mixing_time = -1;
    for (int32_t v = 0; v < facts->nodes; v++) {
        int32_t degree = netdp_graph_degree(graph, v);
        facts->least_degree = v == 0 || degree < facts->least_degree ? degree : facts->least_degree;
        facts->most_degree = degree > facts->most_degree ? degree : facts->most_degree;
    }
    netdp_status status = netdp_graph_shape(graph, &facts->components, &facts->bipartite, error);
    if (status == NETDP_OK && facts->small && facts->components == 1)
        status = netdp_graph_diameter(graph, &facts->diameter, error);
    if (status == NETDP_OK && facts->nodes > 1)
        status = netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_AUTO, &facts->spectrum, error);
    /* Without a gap W^t never comes near 1/n. */
    if (status == NETDP_OK && facts->small && facts->nodes > 1 && facts->spectrum.gap > 0)
        status = netdp_mixing_time(mixing, 0.25, &facts->mixing_time, error);
    return status;
}

static double mean_degree(const struct facts *facts)
{
    return 2 * (double)facts->edges / (double)facts->nodes;
}

/* json_pack's "o?" takes null for a NULL object; a number where the question has an answer. */
static json_t *maybe_real(bool defined, double value)
{
    return defined ? json_real(value) : json_null();
}

static json_t *maybe_integer(bool defined, int64_t value)
{
    return defined ? json_integer(value) : json_null();
}

static json_t *facts_json(const struct facts *facts)
{
    bool some = facts->nodes > 0, pairs = facts->nodes > 1;
    return json_pack("{s:I, s:I, s:{s:o, s:o, s:o}, s:b, s:b, s:o, s:s, s:o, s:o, s:o, s:o}",
                     "nodes", (json_int_t)facts->nodes, "edges", (json_int_t)facts->edges, "degree",
                     "min", maybe_integer(some, facts->least_degree), "mean",
                     maybe_real(some, mean_degree(facts)), "max",
                     maybe_integer(some, facts->most_degree), "connected", facts->components == 1,
                     "bipartite", (int)facts->bipartite, "diameter",
                     maybe_integer(facts->diameter >= 0, facts->diameter), "mixing", facts->mixing,
                     "lambda2", maybe_real(pairs, facts->spectrum.second), "lambda_min",
                     maybe_real(pairs, facts->spectrum.smallest), "spectral_gap",
                     maybe_real(pairs, facts->spectrum.gap), "mixing_time",
                     maybe_integer(facts->mixing_time >= 0, facts->mixing_time));
}

static void print_dense(const char *what, const struct facts *facts, int64_t value,
                        const char *unit, const char *undefined)
{
    if (value >= 0)
        printf("%-14s%" PRId64 " %s\n", what, value, unit);
    else if (facts->small)
        printf("%-14s%s\n", what, undefined);
    else
        printf("%-14snot computed above %d nodes; --full computes it\n", what, NETDP_DENSE_NODES);
}

static void print_facts(const struct facts *facts)
{
    printf("%-14s%s\n", "graph", netdp_i_show_text(facts->origin).text);
    printf("%-14s%d\n", "nodes", (int)facts->nodes);
    printf("%-14s%" PRId64 "\n", "edges", facts->edges);
    if (facts->nodes > 0)
        printf("%-14s%d .. %d, mean %.4g\n", "degree", (int)facts->least_degree,
               (int)facts->most_degree, mean_degree(facts));
    if (facts->components == 1)
        printf("%-14syes\n", "connected");
    else
        printf("%-14sno, %d components\n", "connected", (int)facts->components);
    printf("%-14s%s\n", "bipartite", facts->bipartite ? "yes" : "no");
    print_dense("diameter", facts, facts->diameter, facts->diameter == 1 ? "hop" : "hops",
                "none: not connected");
    printf("%-14s%s\n", "mixing", facts->mixing);
    if (facts->nodes < 2)
        return;
    printf("%-14s%.12g\n", "lambda 2", facts->spectrum.second);
    printf("%-14s%.12g\n", "lambda min", facts->spectrum.smallest);
    printf("%-14s%.12g\n", "spectral gap", facts->spectrum.gap);
    print_dense("mixing time", facts, facts->mixing_time, "rounds, to total variation 1/4",
                "none: gossip does not reach consensus");
}

static netdp_status info(int argc, const char **argv, netdp_error *error)
{
    netdp_i_network_options network = NETDP_I_NETWORK_USUAL;
    bool json = false, full = false;
    const netdp_i_option options[] = {
        NETDP_I_GRAPH_OPTIONS(network),
        NETDP_I_MIXING_OPTIONS(network),
        {NETDP_I_GROUP, 0, "The answer:", NULL, NULL, NULL, NULL},
        {NETDP_I_SWITCH, 0, "json", &json, NULL, "one JSON object", NULL},
        {NETDP_I_SWITCH, 0, "full", &full, NULL,
         "diameter and mixing time above 4000 nodes too: memory 24 n^2 bytes", NULL},
        {0},
    };
    const netdp_i_usage usage = {
        .command = "graph info",
        .arguments = "",
        .what = "Describes a graph and the mixing matrix W on it: degrees, diameter in hops, the\n"
                "eigenvalues that say how fast gossip mixes, and the mixing time in rounds. Also\n"
                "answers for graphs on which gossip would never reach consensus.",
        .examples =
            "  netdp graph info --family \"hypercube 11\"\n"
            "  netdp graph info --graph my.edges --giant-component --mixing lazy:0.5 --json\n",
        .options = options,
    };
    netdp_i_arguments arguments;
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    struct facts facts = {0};
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status != NETDP_OK || arguments.help)
        goto done;
    status = netdp_i_cli_network(&network, &arguments, &graph, &mixing, error);
    if (status == NETDP_OK)
        status = gather(graph, mixing, full, &facts, error);
    if (status == NETDP_OK && json) {
        json_t *object = facts_json(&facts);
        status = netdp_i_cli_print_json(&object, error);
    } else if (status == NETDP_OK)
        print_facts(&facts);
done:
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    netdp_i_arguments_free(&arguments);
    return status;
}

/* ---- netdp graph ---- */

netdp_status netdp_i_command_graph(int argc, const char **argv, netdp_error *error)
{
    if (argc > 1 && strcmp(argv[1], "make") == 0)
        return make(argc - 1, argv + 1, error);
    if (argc > 1 && strcmp(argv[1], "info") == 0)
        return info(argc - 1, argv + 1, error);
    const netdp_i_option none[] = {{0}};
    const netdp_i_usage usage = {
        .command = "graph",
        .arguments = "make|info",
        .what = "netdp graph make FAMILY   writes the edge list of a graph family.\n"
                "netdp graph info          describes a graph and how fast gossip mixes on it.\n"
                "Each has its own --help.",
        .examples = "  netdp graph make ring 60 -o ring.edges\n"
                    "  netdp graph info --graph ring.edges\n",
        .least = 1,
        .most = 1,
        .options = none,
    };
    netdp_i_arguments arguments;
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status == NETDP_OK && !arguments.help)
        status = netdp_i_fail(error, NETDP_INVALID, "'%s': must be make or info",
                              netdp_i_show_text(arguments.text[0]).text);
    netdp_i_arguments_free(&arguments);
    return status;
}
