#include "cli/common/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <netdp/graph.h>
#include <netdp/mixing.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

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
            "Families: complete N, ring N, path N, star N, grid R C, torus R C, hypercube M,\n"
            "static-exponential N, erdos-renyi N P or N c=C (P = C ln N / N), geometric N\n"
            "RADIUS, barabasi-albert N K, regular N D, k-out N K, stochastic-block SIZES\n"
            "PROBABILITIES, caveman CLIQUES SIZE; and the bundled davis, florentine, karate, "
            "households.",
        .examples = "  netdp graph make grid 4 5\n"
                    "  netdp graph make erdos-renyi 2048 c=1.2 --seed 7 -o er.edges\n"
                    "  netdp graph make stochastic-block 30,20 \"0.5,0.1;0.1,0.5\"\n",
        .least = 1,
        .most = 16,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    OWNED char *family = join(&arguments);
    NEED(family);
    TRY(netdp_i_cli_family(&network, family, &graph, error));
    return netdp_graph_write(graph, output, error);
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
                           const netdp_i_engine *engine, struct facts *facts, netdp_error *error)
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
    if (facts->nodes > 1)
        TRY(engine != NULL
                ? engine->spectrum(mixing, &facts->spectrum, error)
                : netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_AUTO, &facts->spectrum, error));
    if (!netdp_i_cli_speaks())
        return NETDP_OK;
    TRY(netdp_graph_shape(graph, &facts->components, &facts->bipartite, error));
    if (facts->small && facts->components == 1)
        TRY(netdp_graph_diameter(graph, &facts->diameter, error));
    /* Without a gap W^t never comes near 1/n. */
    if (facts->small && facts->nodes > 1 && facts->spectrum.gap > 0)
        return netdp_mixing_time(mixing, 0.25, &facts->mixing_time, error);
    return NETDP_OK;
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
    const char *engine_name = "single";
    const netdp_i_engine *engine = NULL;
    bool json = false, full = false;
    const netdp_i_option options[] = {
        NETDP_I_GRAPH_OPTIONS(network),
        NETDP_I_MIXING_OPTIONS(network),
        HEADING("The answer:"),
        NETDP_I_ENGINE_OPTION(engine_name),
        SWITCH("json", &json, "one JSON object"),
        SWITCH("full", &full, "diameter and mixing time above 4000 nodes too: memory 24 n^2 bytes"),
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
            "  netdp graph info --graph er.edges --giant-component --mixing lazy:0.5 --json\n",
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    OWNED_BY(netdp_mixing_free) netdp_mixing *mixing = NULL;
    struct facts facts = {0};
    TRY(netdp_i_cli_choose_engine(engine_name, &engine, error));
    TRY(netdp_i_cli_network(&network, &arguments, engine, &graph, &mixing, error));
    TRY(gather(graph, mixing, full, engine, &facts, error));
    if (json)
        return netdp_i_cli_print_json(facts_json(&facts), error);
    print_facts(&facts);
    return NETDP_OK;
}

/* ---- netdp graph centrality ---- */

/* A column of the table: a number for every node, NULL where nobody asked for it. */
struct centralities {
    const netdp_graph *graph;
    const char *mixing; /* of the towards columns */
    double attenuation;
    int32_t to; /* -1: no node */
    double *eigenvector, *katz;
    double *exp_a, *exp_w; /* towards `to`; exp_a NULL where it overflows */
    int32_t *hops;
};

static void centralities_clear(struct centralities *c)
{
    netdp_i_free(c->eigenvector);
    netdp_i_free(c->katz);
    netdp_i_free(c->exp_a);
    netdp_i_free(c->exp_w);
    netdp_i_free(c->hops);
}

static netdp_status rank_nodes(struct centralities *c, netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(c->graph);
    double largest = 0;
    c->eigenvector = NETDP_I_NEW(double, nodes);
    c->katz = NETDP_I_NEW(double, nodes);
    if (c->eigenvector == NULL || c->katz == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_eigenvector_centrality(c->graph, c->eigenvector, error));
    if (c->attenuation == 0) {
        TRY(netdp_graph_largest_eigenvalue(c->graph, &largest, error));
        c->attenuation = largest > 0 ? 0.9 / largest : 0;
    }
    return netdp_katz_centrality(c->graph, c->attenuation, c->katz, error);
}

/* Column `to` of a symmetric matrix. */
static double *take_column(const double *matrix, int32_t nodes, int32_t to)
{
    double *column = NETDP_I_NEW(double, nodes);
    if (column != NULL)
        memcpy(column, matrix + (int64_t)to * nodes, (size_t)nodes * sizeof *column);
    return column;
}

static netdp_status look_towards(struct centralities *c, const netdp_mixing *mixing,
                                 netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(c->graph);
    netdp_error overflow;
    c->mixing = netdp_mixing_name(mixing);
    c->hops = NETDP_I_NEW(int32_t, nodes);
    NEED(c->hops);
    TRY(netdp_graph_distances(c->graph, &c->to, 1, c->hops, error));
    REFUSE(nodes > NETDP_DENSE_NODES,
           "--to: communicability takes up to %d nodes, this graph has %" PRId32 "; leave --to out",
           NETDP_DENSE_NODES, nodes);
    OWNED double *matrix = NETDP_I_NEW(double, (int64_t)nodes *nodes);
    NEED(matrix);
    const netdp_status status = netdp_graph_communicability(c->graph, matrix, &overflow);
    if (status == NETDP_NO_ANSWER) {
        netdp_i_cli_note("%s", overflow.text);
    } else if (status != NETDP_OK) {
        *error = overflow;
        return status;
    } else {
        c->exp_a = take_column(matrix, nodes, c->to);
        NEED(c->exp_a);
    }
    TRY(netdp_mixing_communicability(mixing, matrix, error));
    c->exp_w = take_column(matrix, nodes, c->to);
    NEED(c->exp_w);
    return NETDP_OK;
}

static json_t *centralities_json(const struct centralities *c)
{
    const bool towards = c->to >= 0;
    json_t *list = json_array();
    for (int32_t v = 0; v < netdp_graph_nodes(c->graph); v++) {
        json_t *entry = json_pack("{s:i}", "node", (int)v);
        if (netdp_graph_name(c->graph, v) != NULL)
            json_object_set_new(entry, "name", json_string(netdp_graph_name(c->graph, v)));
        json_object_set_new(entry, "degree", json_integer(netdp_graph_degree(c->graph, v)));
        json_object_set_new(entry, "eigenvector", json_real(c->eigenvector[v]));
        json_object_set_new(entry, "katz", json_real(c->katz[v]));
        if (towards) {
            json_object_set_new(entry, "communicability",
                                maybe_real(c->exp_a != NULL, c->exp_a != NULL ? c->exp_a[v] : 0));
            json_object_set_new(entry, "mixing_communicability", json_real(c->exp_w[v]));
            json_object_set_new(entry, "hops", json_integer(c->hops[v]));
        }
        json_array_append_new(list, entry);
    }
    return json_pack("{s:s, s:f, s:o, s:o, s:o}", "graph",
                     netdp_i_show_text(netdp_graph_origin(c->graph)).text, "katz_attenuation",
                     c->attenuation, "to", maybe_integer(towards, c->to), "mixing",
                     towards ? json_string(c->mixing) : json_null(), "nodes", list);
}

/*
 * A name is any text: in quotes, and a quote in it twice. One that a spreadsheet would take for a
 * formula gets a ' in front, which marks text there.
 */
static void write_name(FILE *out, const char *name)
{
    fputs(strchr("=+-@", name[0]) != NULL && name[0] != '\0' ? "\"'" : "\"", out);
    for (; *name != '\0'; name++) {
        if (*name == '"')
            fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

static netdp_status centralities_write(const struct centralities *c, const char *path,
                                       netdp_error *error)
{
    netdp_i_output output;
    TRY(netdp_i_output_open(&output, path, error));
    FILE *out = output.stream;
    fprintf(out, "node,name,degree,eigenvector,katz%s\n",
            c->to >= 0 ? ",communicability,mixing_communicability,hops" : "");
    for (int32_t v = 0; v < netdp_graph_nodes(c->graph); v++) {
        fprintf(out, "%" PRId32 ",", v);
        if (netdp_graph_name(c->graph, v) != NULL)
            write_name(out, netdp_graph_name(c->graph, v));
        fprintf(out, ",%" PRId32 ",", netdp_graph_degree(c->graph, v));
        netdp_i_print_double(out, c->eigenvector[v]);
        fputc(',', out);
        netdp_i_print_double(out, c->katz[v]);
        if (c->to >= 0) {
            fputc(',', out);
            if (c->exp_a != NULL)
                netdp_i_print_double(out, c->exp_a[v]);
            fputc(',', out);
            netdp_i_print_double(out, c->exp_w[v]);
            fprintf(out, ",%" PRId32, c->hops[v]);
        }
        fputc('\n', out);
    }
    return netdp_i_output_commit(&output, error);
}

static void print_centralities(const struct centralities *c)
{
    printf("%6s %-24s %8s %12s %12s", "node", "name", "degree", "eigenvector", "katz");
    if (c->to >= 0)
        printf(" %12s %12s %6s", "exp(A)", "exp(W)", "hops");
    printf("\n");
    for (int32_t v = 0; v < netdp_graph_nodes(c->graph); v++) {
        const char *name = netdp_graph_name(c->graph, v);
        printf("%6" PRId32 " %-24s %8" PRId32 " %12.6g %12.6g", v,
               name != NULL ? netdp_i_show_text(name).text : "-", netdp_graph_degree(c->graph, v),
               c->eigenvector[v], c->katz[v]);
        if (c->to >= 0 && c->exp_a != NULL)
            printf(" %12.6g", c->exp_a[v]);
        else if (c->to >= 0)
            printf(" %12s", "-");
        if (c->to >= 0)
            printf(" %12.6g %6" PRId32, c->exp_w[v], c->hops[v]);
        printf("\n");
    }
    printf("katz: attenuation %.6g", c->attenuation);
    if (c->to >= 0)
        printf("; exp(A), exp(W) and hops towards node %" PRId32 ", W %s", c->to, c->mixing);
    printf(".\n");
}

typedef struct centrality_options {
    netdp_i_network_options network;
    double attenuation;
    const char *to, *csv;
    bool json;
} centrality_options;

/* What the options say, before any work. */
static netdp_status check_centrality(const centrality_options *o,
                                     const netdp_i_arguments *arguments, netdp_error *error)
{
    REFUSE(netdp_i_cli_given(arguments, "katz-attenuation") && !(o->attenuation > 0),
           "--katz-attenuation: %g; give a number above 0 and below 1/lambda_max(A)",
           o->attenuation);
    REFUSE(netdp_i_cli_given(arguments, "mixing") && !netdp_i_cli_given(arguments, "to"),
           "--mixing: applies with --to NODE only");
    REFUSE(o->json && o->csv != NULL && strcmp(o->csv, "-") == 0,
           "--csv: - would mix with the JSON on standard output; name a file");
    return NETDP_OK;
}

static netdp_status rank(const centrality_options *o, const netdp_i_arguments *arguments,
                         netdp_error *error)
{
    CLEARED(centralities_clear)
    struct centralities table = {.to = -1, .attenuation = o->attenuation};
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    OWNED_BY(netdp_mixing_free) netdp_mixing *mixing = NULL;
    TRY(check_centrality(o, arguments, error));
    TRY(netdp_i_cli_network(&o->network, arguments, NULL, &graph, &mixing, error));
    table.graph = graph;
    if (o->to != NULL)
        TRY(netdp_i_within(error, netdp_graph_find(graph, o->to, &table.to, error), "--to"));
    TRY(rank_nodes(&table, error));
    if (o->to != NULL)
        TRY(look_towards(&table, mixing, error));
    if (o->csv != NULL)
        TRY(centralities_write(&table, o->csv, error));
    if (o->json)
        return netdp_i_cli_print_json(centralities_json(&table), error);
    print_centralities(&table);
    return NETDP_OK;
}

static netdp_status centrality(int argc, const char **argv, netdp_error *error)
{
    centrality_options o = {.network = NETDP_I_NETWORK_USUAL};
    const netdp_i_option options[] = {
        NETDP_I_GRAPH_OPTIONS(o.network),
        NETDP_I_MIXING_OPTIONS(o.network),
        HEADING("The answer:"),
        OPTION(NUMBER, "katz-attenuation", &o.attenuation, "A",
               "attenuation of a step, above 0 and below 1/lambda_max(A)", "0.9/lambda_max(A)"),
        OPTION(TEXT, "to", &o.to, "NODE",
               "also communicability with this node, and hops to it; up to 4000 nodes", "none"),
        SWITCH("json", &o.json, "one JSON object"),
        OPTION(TEXT, "csv", &o.csv, "FILE", "also every node as CSV", "none"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "graph centrality",
        .arguments = "",
        .what =
            "How central is each node? A the unweighted adjacency matrix, W the mixing matrix:\n"
            "  degree       neighbours\n"
            "  eigenvector  of lambda_max(A), of length 1\n"
            "  katz         row sums of the inverse of I - A * attenuation\n"
            "  exp(A)       communicability with --to: walks of k steps, each over k!; in JSON\n"
            "               and CSV communicability\n"
            "  exp(W)       the same, each walk with its probability: mixing_communicability\n"
            "  hops         to --to",
        .examples = "  netdp graph centrality --family davis\n"
                    "  netdp graph centrality --family florentine --to Medici --csv medici.csv\n",
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return rank(&o, &arguments, error);
}

/* ---- netdp graph ---- */

netdp_status netdp_i_command_graph(int argc, const char **argv, netdp_error *error)
{
    static const netdp_i_part parts[] = {
        {"make", make}, {"info", info}, {"centrality", centrality}, {0}};
    const netdp_i_usage usage = {
        .command = "graph",
        .arguments = "make|info|centrality",
        .what = "netdp graph make FAMILY   writes the edge list of a graph family.\n"
                "netdp graph info          describes a graph and how fast gossip mixes on it.\n"
                "netdp graph centrality    says how central each node is.\n"
                "Each has its own --help.",
        .examples = "  netdp graph make ring 60 -o ring.edges\n"
                    "  netdp graph info --graph ring.edges\n",
    };
    return netdp_i_cli_run_part(parts, &usage, "centrality, make or info", argc, argv, error);
}
