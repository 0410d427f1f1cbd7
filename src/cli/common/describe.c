#include "cli/common/describe.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/losses/label.h"
#include "account/walk/given_path.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "protocol/threat.h"

void netdp_i_description_clear(netdp_i_description *description)
{
    netdp_i_free(description->from);
    netdp_i_free(description->to);
    netdp_i_free(description->pattern);
    netdp_mixing_free(description->mixing);
    netdp_graph_free(description->pairs);
    netdp_i_free(description->quiet);
    netdp_i_free(description->share);
    netdp_transition_free(description->law);
    netdp_route_free(description->route);
    netdp_graph_free(description->graph);
    *description = (netdp_i_description){0};
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

/* Options that are not the protocol's, and counts out of range. */
static netdp_status check_settings(const netdp_i_description_options *options,
                                   const netdp_protocol *named, const netdp_i_arguments *arguments,
                                   netdp_error *error)
{
    const netdp_settings *settings = &options->settings;
    const bool rounds_auto = options->rounds != NULL && strcmp(options->rounds, "auto") == 0;
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (!netdp_i_cli_takes(arguments, arguments->given[i], named->settings))
            return netdp_i_fail(
                error, NETDP_INVALID,
                "--%s: does not apply to %s; leave it out (--protocol %s --help: what "
                "does)",
                arguments->given[i], named->name, named->name);
    }
    if (netdp_i_cli_given(arguments, "every") && settings->every < 1)
        return netdp_i_fail(error, NETDP_INVALID, "--every: must be a whole number from 1");
    if (netdp_i_cli_given(arguments, "at-most") && settings->at_most < 1)
        return netdp_i_fail(error, NETDP_INVALID, "--at-most: must be a whole number from 1");
    if (netdp_i_cli_given(arguments, "protects") && options->protects == NETDP_PROTECTS_NODE &&
        settings->cycle > 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--cycle: batches that take turns protect a row; give --protects row");
    if (settings->dither < 0 || settings->dither_decay < 0 || settings->end_dither < 0 ||
        settings->pairing.noise < 0)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "auto is what netdp calibrate finds; give numbers for dithers and noise "
            "in pairs");
    if (rounds_auto && !(named->settings & NETDP_SETTING_ROUNDS_AUTO))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "--rounds: auto applies to averaging and random-averaging; give the number "
            "of rounds");
    if (!rounds_auto && netdp_i_cli_given(arguments, "variance"))
        return netdp_i_fail(error, NETDP_INVALID, "--variance: applies to --rounds auto only");
    return NETDP_OK;
}

netdp_status netdp_i_read_pairing(const netdp_i_description_options *options,
                                  netdp_settings *settings, netdp_i_description *made,
                                  netdp_error *error)
{
    netdp_status status = NETDP_OK;
    if (options->pair_graph != NULL)
        status = netdp_pairing_graph(options->pair_graph, made->graph, options->pair_seed,
                                     &made->pairs, error);
    if (status == NETDP_OK)
        settings->pairing.graph = made->pairs;
    return status;
}

void netdp_i_show_pairing(const netdp_pairing *pairing, json_t *object)
{
    if (netdp_pairing_is(pairing))
        json_object_set_new(
            object, "pairs",
            json_pack("{s:s, s:I, s:f}", "graph", netdp_graph_origin(pairing->graph), "edges",
                      (json_int_t)netdp_graph_edges(pairing->graph), "noise", pairing->noise));
}

static netdp_status read_rounds(const netdp_i_description_options *options,
                                netdp_i_description *made, int64_t *count, netdp_error *error)
{
    double rounds = 1;
    if (options->rounds == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "--rounds: required; give the number of %s%s",
                            made->kind->rounds,
                            made->named->settings & NETDP_SETTING_ROUNDS_AUTO ? ", or auto" : "");
    made->rounds_auto = strcmp(options->rounds, "auto") == 0;
    if (!made->rounds_auto) {
        netdp_status status =
            netdp_i_cli_read_number("--rounds", options->rounds, false, &rounds, error);
        if (status != NETDP_OK)
            return status;
        if (!(rounds >= 1 && rounds <= 1e15) || rounds != (double)(int64_t)rounds)
            return netdp_i_fail(error, NETDP_INVALID,
                                "--rounds: '%s' is not a whole number from 1 to 1e15",
                                netdp_i_show_text(options->rounds).text);
    }
    *count = (int64_t)rounds;
    return NETDP_OK;
}

/* ---- The page ---- */

static netdp_status shown_settings(const void *about, const netdp_i_arguments *arguments,
                                   unsigned *settings, netdp_error *error)
{
    const netdp_i_description_options *options = about;
    const netdp_protocol *named;
    netdp_status status = NETDP_OK;
    *settings = 0;
    if (!netdp_i_cli_given(arguments, "protocol"))
        return NETDP_OK;
    if (strcmp(options->protocol, "all") == 0) {
        *settings = ~0u;
    } else {
        status = netdp_protocol_find(options->protocol, &named, error);
        if (status == NETDP_OK)
            *settings = named->settings | NETDP_I_SELDOM;
    }
    return status;
}

/* A protocol and what it does, in lines of 80 characters. */
static void list_protocol(const netdp_protocol *named)
{
    enum { INDENT = 22, WIDTH = 80 };
    int at = printf("  %-20s", named->name);
    for (const char *word = named->summary; *word != '\0';) {
        const int length = (int)strcspn(word, " ");
        if (at > INDENT && at + 1 + length > WIDTH)
            at = printf("\n%*s", INDENT, "") - 1;
        at += printf("%s%.*s", at > INDENT ? " " : "", length, word);
        word += length + (word[length] == ' ');
    }
    puts("");
}

static void list_protocols(void)
{
    puts("\nThe protocols (--protocol NAME --help: what it takes; --protocol all --help: all):");
    for (const netdp_protocol *named = netdp_protocols(); named->name != NULL; named++)
        list_protocol(named);
}

netdp_i_narrowing netdp_i_describe_narrowing(const netdp_i_description_options *options)
{
    return (netdp_i_narrowing){options, shown_settings, list_protocols};
}

/* ---- What the options say ---- */

static const netdp_i_describing *const kinds[] = {[NETDP_GOSSIP] = &netdp_i_describing_gossip,
                                                  [NETDP_WALK] = &netdp_i_describing_walk,
                                                  [NETDP_TALLY] = &netdp_i_describing_tally};

const char *netdp_i_describe_unit(const netdp_i_description_options *options)
{
    const netdp_protocol *named;
    netdp_error ignored;
    return netdp_protocol_find(options->protocol, &named, &ignored) == NETDP_OK
               ? kinds[named->kind]->unit(options, named)
               : "loss";
}

bool netdp_i_describe_flips(const netdp_i_description_options *options)
{
    const netdp_protocol *named;
    netdp_error ignored;
    return netdp_protocol_find(options->protocol, &named, &ignored) == NETDP_OK &&
           (named->settings & NETDP_SETTING_HISTOGRAM) != 0;
}

netdp_status netdp_i_describe(const netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error)
{
    *made = (netdp_i_description){0};
    netdp_loss_request *request = &made->request;
    netdp_settings settings = options->settings;
    netdp_status status = netdp_i_cli_choose_engine(options->engine, &made->engine, error);
    if (status == NETDP_OK)
        status = netdp_protocol_find(options->protocol, &made->named, error);
    if (status == NETDP_OK)
        status = check_settings(options, made->named, arguments, error);
    if (status == NETDP_OK)
        status = netdp_bound_parse(options->bound, &request->bound, error);
    if (status == NETDP_OK && made->engine != NULL && made->named->kind == NETDP_TALLY)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "--engine: mpi does not share the work of %s; leave it out",
                              made->named->name);
    if (status == NETDP_OK)
        status = netdp_i_cli_graph(&options->network, arguments, made->engine, &made->graph, error);
    if (status == NETDP_OK) {
        made->kind = kinds[made->named->kind];
        status = read_rounds(options, made, &settings.rounds, error);
    }
    if (status == NETDP_OK)
        status = made->kind->read(options, &settings, made, error);
    if (status == NETDP_OK)
        status = read_parties(options, made, error);
    if (status != NETDP_OK)
        netdp_i_description_clear(made);
    return status;
}

netdp_status netdp_i_describe_losses(netdp_i_description *description, double noise,
                                     netdp_unit unit, netdp_i_batch_sink sink, void *context,
                                     const netdp_progress *progress, netdp_error *error)
{
    return description->kind->account(description, noise, unit, sink, context, progress, error);
}

netdp_status netdp_i_describe_calibrate(netdp_i_description *description,
                                        const netdp_target *target, const netdp_progress *progress,
                                        netdp_calibration *calibration, netdp_losses **losses,
                                        netdp_error *error)
{
    return description->kind->calibrate(description, target, progress, calibration, losses, error);
}

json_t *netdp_i_describe_json(const netdp_i_description *description,
                              const netdp_guarantee *guarantee, json_t *noise, json_t *run)
{
    const netdp_loss_request *request = &description->request;
    json_t *made = json_pack(
        "{s:s, s:{s:s, s:i, s:I, s:s}, s:o, s:o, s:o}", "netdp", netdp_version(), "graph", "origin",
        netdp_graph_origin(description->graph), "nodes", (int)netdp_graph_nodes(description->graph),
        "edges", (json_int_t)netdp_graph_edges(description->graph), "mixing",
        description->kind->mixing(description), "protocol",
        description->kind->protocol(description), "threat",
        netdp_i_threat_json(&guarantee->threat, request->to, request->to_count), "noise", noise);
    if (run != NULL)
        json_object_update_new(made, run);
    json_object_update_new(made, netdp_i_guarantee_json(guarantee, NULL));
    return made;
}

/* Frees the text. */
static netdp_status put(netdp_status status, char *text)
{
    if (status == NETDP_OK)
        fputs(text, stdout);
    free(text);
    return status;
}

netdp_status netdp_i_describe_print(const netdp_i_description *description, double noise,
                                    netdp_error *error)
{
    char *text = NULL;
    const netdp_status status = description->kind->words(description, noise, &text, error);
    return put(status, text);
}

void netdp_i_describe_worst(const netdp_losses *losses, const netdp_summary *summary)
{
    if (losses->bound->bound == NETDP_BOUND_GIVEN_PATH &&
        summary->max > NETDP_I_FAR_WORSE * summary->mean)
        puts("THE WORST PAIR LEARNS FAR MORE THAN THE MEAN: what this path promises to every pair "
             "is the worst (--over worst).");
}

netdp_status netdp_i_describe_verdict(const netdp_losses *losses, netdp_error *error)
{
    char *text = NULL;
    const netdp_status status = netdp_losses_words(losses, &text, error);
    return put(status, text);
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
