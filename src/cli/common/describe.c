#include "cli/common/describe.h"
#include "cli/common/first_page.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "account/walk/given_path.h"
#include "base/fail.h"
#include "base/try.h"
#include "graph/graph.h"
#include "protocol/threat.h"

netdp_i_description_options netdp_i_description_usual(void)
{
    netdp_i_description_options usual = {.network = NETDP_I_NETWORK_USUAL, .engine = "single"};
    netdp_i_question_usual(&usual.question);
    return usual;
}

void netdp_i_describe_bounds(void)
{
    printf("%-16s %-6s %-26s %-40s %s\n", "bound", "sound", "of", "source", "what it says");
    for (const netdp_bound_info *bound = netdp_bounds(); bound->name != NULL; bound++) {
        char of[64];
        snprintf(of, sizeof of, "%s%s%s%s%s", bound->averaging ? "averaging " : "",
                 bound->stream ? "stream " : "", bound->learn ? "learning " : "",
                 bound->walk ? "walk " : "", bound->tally ? "token sums" : "");
        printf("%-16s %-6s %-26s %-40s %s\n", bound->name,
               bound->sound           ? "yes"
               : bound->sound_of_sums ? "sums"
               : bound->sound_once    ? "once"
                                      : "NO",
               of, bound->source, bound->summary);
    }
}

/* ---- The page ---- */

static netdp_status shown_settings(const void *about, const netdp_i_arguments *arguments,
                                   unsigned *settings, netdp_error *error)
{
    const netdp_i_description_options *options = about;
    const netdp_protocol *named;
    *settings = ~0u;
    if (!netdp_i_cli_given(arguments, "protocol"))
        return NETDP_OK;
    TRY(netdp_protocol_find(options->question.protocol, &named, error));
    *settings = named->settings;
    return NETDP_OK;
}

static void list_protocols(FILE *stream)
{
    enum { INDENT = 22 };
    fputs("\nThe protocols (--protocol NAME --help: what it takes):\n", stream);
    for (const netdp_protocol *named = netdp_protocols(); named->name != NULL; named++) {
        fprintf(stream, "  %-*s", INDENT - 2, named->name);
        netdp_i_print_wrapped(stream, named->summary, INDENT, INDENT);
    }
}

netdp_i_narrowing netdp_i_describe_narrowing(const netdp_i_description_options *options)
{
    return (netdp_i_narrowing){options, shown_settings, list_protocols};
}

/* ---- What the options say ---- */

/* Options that are not the protocol's, those of the command itself too. */
static netdp_status check_options(const netdp_protocol *named, const netdp_i_arguments *arguments,
                                  netdp_error *error)
{
    for (size_t i = 0; i < arguments->given_count; i++)
        REFUSE(!netdp_i_cli_takes(arguments, arguments->given[i], named->settings),
               "--%s: does not apply to %s; leave it out (--protocol %s --help: what does)",
               arguments->given[i], named->name, named->name);
    return NETDP_OK;
}

netdp_status netdp_i_describe(netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error)
{
    netdp_i_question *question = &options->question;
    const netdp_protocol *named = NULL;
    netdp_i_network network = {0};
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    *made = (netdp_i_description){0};
    question->mixing = options->network.mixing;
    question->seed = options->network.seed;
    TRY(netdp_i_cli_choose_engine(options->engine, &network.engine, error));
    TRY(netdp_protocol_find(question->protocol, &named, error));
    TRY(netdp_i_question_check(question, made, error));
    TRY(check_options(named, arguments, error));
    REFUSE(network.engine != NULL && named->kind == NETDP_TALLY,
           "--engine: mpi does not share the work of %s; leave it out", named->name);
    if (strcmp(question->certify, "no") == 0)
        fprintf(stderr, "netdp: --certify no: every loss is proven or closed now; taken as auto\n");
    TRY(netdp_i_cli_graph(&options->network, arguments, network.engine, &graph, error));
    network.graph = graph;
    TRY(netdp_i_question_describe(question, &network, made, error));
    made->own_graph = GIVE(graph);
    return NETDP_OK;
}

/* Much that is left of the noise in pairs is said beside the answer. */
static void warn(const netdp_i_description *description)
{
    char text[1024];
    netdp_i_description_warning(description, sizeof text, text);
    if (text[0] != '\0')
        netdp_i_cli_note("%s", text);
}

/* Are all coalitions of the asked size accounted for, or is one searched for? */
static bool asks_all(const netdp_i_description *description)
{
    return netdp_i_pools_all(netdp_graph_nodes(description->graph), description->request.pool);
}

json_t *netdp_i_describe_json(const netdp_i_description *description,
                              const netdp_guarantee *guarantee, json_t *noise, json_t *run)
{
    const netdp_loss_request *request = &description->request;
    warn(description);
    json_t *made = json_pack(
        "{s:s, s:{s:s, s:i, s:I, s:s}, s:o, s:o, s:o}", "netdp", netdp_version(), "graph", "origin",
        netdp_graph_origin(description->graph), "nodes", (int)netdp_graph_nodes(description->graph),
        "edges", (json_int_t)netdp_graph_edges(description->graph), "mixing",
        description->kind->mixing(description), "protocol",
        description->kind->protocol(description), "threat",
        netdp_i_threat_json(&guarantee->threat, request->to, request->to_count), "noise", noise);
    if (request->pool > 1)
        json_object_set_new(json_object_get(made, "threat"),
                            asks_all(description) ? "pool" : "searched",
                            json_integer(request->pool));
    if (run != NULL)
        json_object_update_new(made, run);
    json_object_update_new(made, netdp_i_guarantee_json(guarantee, NULL));
    return made;
}

netdp_status netdp_i_describe_print(const netdp_i_description *description, double noise,
                                    netdp_error *error)
{
    OWNED_BY(free) char *text = NULL;
    warn(description);
    const int pool = (int)description->request.pool;
    if (pool > 1)
        printf(asks_all(description) ? "observers: any %d nodes who collude.\n"
                                     : "observers: %d nodes who collude, whom a search found.\n",
               pool);
    TRY(description->kind->words(description, noise, &text, error));
    fputs(text, stdout);
    return NETDP_OK;
}

void netdp_i_describe_worst(const netdp_losses *losses, const netdp_summary *summary)
{
    if (losses->bound->bound == NETDP_BOUND_GIVEN_PATH &&
        summary->max > NETDP_I_FAR_WORSE * summary->mean)
        puts("THE WORST PAIR LEARNS FAR MORE THAN THE MEAN: what this path guarantees to every "
             "pair is the worst (--over worst).");
}

netdp_status netdp_i_describe_verdict(const netdp_losses *losses, netdp_error *error)
{
    OWNED_BY(free) char *text = NULL;
    TRY(netdp_losses_words(losses, &text, error));
    fputs(text, stdout);
    return NETDP_OK;
}

json_t *netdp_i_describe_observer(const netdp_losses *losses, int32_t index)
{
    if (losses->members == 1)
        return json_integer(losses->to[index]);
    json_t *list = json_array();
    for (int32_t i = 0; i < losses->members; i++)
        json_array_append_new(list, json_integer(losses->to[i]));
    return list;
}
