/* netdp design: noise that is quiet over phases, and what is gained by it. */
#include "cli/common/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/noise.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

OWNER(netdp_quiet_design_free, netdp_quiet_design)

typedef struct design_options {
    netdp_i_network_options network;
    const char *quiet, *workload, *output;
    int64_t phases, cycle, inner;
    bool json;
} design_options;

/* The covariance that --quiet FILE of netdp loss reads. */
static netdp_status write_covariance(const char *path, const netdp_quiet_design *design, int64_t n,
                                     netdp_error *error)
{
    CLEARED(netdp_i_output_drop) netdp_i_output out = {0};
    if (design->factor == NULL)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "--output: of so many phases no covariance is written; --json has what "
                            "its exponentials are");
    TRY(netdp_i_output_open(&out, path, error));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= (i < j ? i : j); k++)
                sum += design->factor[i * n + k] * design->factor[j * n + k];
            fprintf(out.stream, "%.17g%c", sum, j + 1 < n ? ' ' : '\n');
        }
    return netdp_i_output_commit(&out, error);
}

/* G of the network, or NULL of prefix sums. */
static netdp_status read_workload(const design_options *o, const netdp_i_arguments *arguments,
                                  double **gram, char *name, size_t room, netdp_error *error)
{
    const bool has_graph = o->network.file != NULL || o->network.family != NULL;
    const bool gossip = o->workload != NULL ? strcmp(o->workload, "gossip") == 0 : has_graph;
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    OWNED_BY(netdp_mixing_free) netdp_mixing *mixing = NULL;
    *gram = NULL;
    snprintf(name, room, "sums");
    REFUSE(o->workload != NULL && !gossip && strcmp(o->workload, "sums") != 0,
           "--workload: '%s'; give sums or gossip", netdp_i_show_text(o->workload).text);
    if (!gossip)
        return has_graph ? netdp_i_fail(error, NETDP_INVALID,
                                        "--workload sums: knows no network; leave the graph out")
                         : NETDP_OK;
    TRY(netdp_i_cli_graph(&o->network, arguments, NULL, &graph, error));
    TRY(netdp_mixing_new_stochastic(graph, o->network.mixing, &mixing, error));
    *gram = NETDP_I_NEW(double, o->phases * o->phases);
    NEED(*gram);
    TRY(netdp_mixing_workload(mixing, o->inner, o->phases, *gram, error));
    snprintf(name, room, "gossip on %s, %s", netdp_graph_origin(graph), o->network.mixing);
    return NETDP_OK;
}

static netdp_status print_json(const design_options *o, const netdp_quiet_design *d,
                               const char *workload, netdp_error *error)
{
    json_t *exponentials = json_array();
    for (int32_t i = 0; i < d->size; i++)
        json_array_append_new(
            exponentials, json_pack("{s:f, s:f}", "weight", d->weight[i], "decay", d->decay[i]));
    json_t *scales = json_array();
    for (int64_t i = 0; d->scale != NULL && i < o->phases; i++)
        json_array_append_new(scales, json_real(d->scale[i]));
    json_t *object = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:s, s:{s:f, s:f}, s:o, s:o}", "netdp", netdp_version(), "quiet",
        o->quiet, "phases", (json_int_t)o->phases, "cycle", (json_int_t)o->cycle, "participations",
        (json_int_t)((o->phases - 1) / o->cycle + 1), "workload", workload, "error", "fresh",
        d->fresh, "quiet", d->error, "exponentials", exponentials, "scales", scales);
    return netdp_i_cli_print_json(object, error);
}

static void print_table(const design_options *o, const netdp_quiet_design *d, const char *workload)
{
    printf("%s noise over %" PRId64 " phases; a row takes part in every %" PRId64 "th, %" PRId64
           " times at most; workload: %s.\n",
           o->quiet, o->phases, o->cycle, (o->phases - 1) / o->cycle + 1, workload);
    printf("error tr(G Q) where every message seen tells mu = 1: fresh %.10g, %s %.10g; standard "
           "deviation %.4g of fresh.\n",
           d->fresh, o->quiet, d->error, sqrt(d->error / d->fresh));
    for (int32_t i = 0; i < d->size; i++)
        printf("%s%.6g * %.6g^(j-1)%s",
               i == 0 ? "Q^-1 = D N E'E N D, N^-2 is E'E within classes; E Toeplitz: 1, then "
                      : " + ",
               d->weight[i], d->decay[i], i + 1 == d->size ? ".\n" : "");
}

static netdp_status design(const design_options *o, const netdp_i_arguments *arguments,
                           netdp_error *error)
{
    OWNED_BY(netdp_quiet_design_free) netdp_quiet_design *made = NULL;
    OWNED double *gram = NULL;
    char name[200];
    netdp_quiet_request request = {.phases = o->phases, .cycle = o->cycle};
    REFUSE(o->phases < 1 || o->phases > 20000 || o->cycle < 1,
           "%s: required; a whole number from 1%s", o->cycle < 1 ? "--cycle" : "--phases",
           o->cycle < 1 ? "" : " to 20000");
    TRY(netdp_i_within(error, netdp_quiet_parse(o->quiet, &request.kind, error), "--quiet"));
    TRY(read_workload(o, arguments, &gram, name, sizeof name, error));
    request.workload = gram;
    TRY(netdp_quiet_design_new(&request, &made, error));
    if (o->output != NULL)
        TRY(write_covariance(o->output, made, o->phases, error));
    if (o->json)
        return print_json(o, made, name, error);
    print_table(o, made, name);
    return NETDP_OK;
}

netdp_status netdp_i_command_design(int argc, const char **argv, netdp_error *error)
{
    design_options o = {.network = NETDP_I_NETWORK_USUAL, .quiet = "optimal", .inner = 1};
    const netdp_i_option table[] = {
        NETDP_I_GRAPH_OPTIONS(o.network),
        NETDP_I_MIXING_OPTIONS(o.network),
        HEADING("The noise:"),
        OPTION(COUNT, "phases", &o.phases, "N", "contribution rounds of the run", "required"),
        OPTION(COUNT, "cycle", &o.cycle, "B",
               "cyclic participation: a row takes part in every B-th phase", "required"),
        OPTION(TEXT, "quiet", &o.quiet, "optimal|banded:B|blt:M|fresh",
               "the least error; in B diagonals; by M exponentials, for thousands of phases",
               "optimal"),
        OPTION(TEXT, "workload", &o.workload, "sums|gossip",
               "whose error: the mean model's, which adds up; or all models' of the network",
               "gossip with a graph, else sums"),
        HEADING("The answer:"),
        OPTION(COUNT, "inner", &o.inner, "K", "gossip rounds of a phase, with --workload gossip",
               "1"),
        OPTION(TEXT, "output", &o.output, "FILE",
               "also the covariance, which netdp loss --quiet FILE reads", "none"),
        SWITCH("json", &o.json, "one JSON object"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "design",
        .arguments = "",
        .what = "Which noise, correlated over phases, makes models err least? Prints its "
                "covariance. --mixing rows: each node takes the plain mean of itself and its "
                "neighbours; of designs only.",
        .examples = "  netdp design --phases 64 --cycle 8\n"
                    "  netdp design --family florentine --mixing rows --phases 64 --cycle 8 "
                    "--output quiet.txt\n"
                    "  netdp design --phases 5000 --cycle 100 --quiet blt:4\n",
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return design(&o, &arguments, error);
}
