#include "cli/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    netdp_transition_free(description->law);
    netdp_graph_free(description->graph);
    *description = (netdp_i_description){0};
}

void netdp_i_describe_bounds(void)
{
    printf("%-16s %-6s %-26s %-40s %s\n", "bound", "sound", "of", "source", "what it says");
    for (const netdp_bound_info *bound = netdp_bounds(); bound->name != NULL; bound++) {
        char of[64];
        snprintf(of, sizeof of, "%s%s%s%s", bound->averaging ? "averaging " : "",
                 bound->stream ? "stream " : "", bound->learn ? "learning" : "",
                 bound->walk ? "walk" : "");
        printf("%-16s %-6s %-26s %-40s %s\n", bound->name, bound->sound ? "yes" : "NO", of,
               bound->source, bound->summary);
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

/* The options that only some protocols have. */
static const struct {
    unsigned setting;
    const char *option;
} setting_options[] = {
    {NETDP_SETTING_DITHER, "dither"},
    {NETDP_SETTING_EVERY, "every"},
    {NETDP_SETTING_AT_MOST, "at-most"},
    {NETDP_SETTING_INNER, "inner"},
    {NETDP_SETTING_END_DITHER, "end-dither"},
    {NETDP_SETTING_ACCELERATE, "accelerate"},
    {NETDP_SETTING_VIEW, "sees"},
    {NETDP_SETTING_VIEW, "own-noise"},
    {NETDP_SETTING_VIEW, "pattern"},
    {NETDP_SETTING_TOKEN, "start"},
    {NETDP_SETTING_TOKEN, "burn-in"},
    {NETDP_SETTING_TOKEN, "cap"},
    {NETDP_SETTING_TOKEN, "tokens"},
    {NETDP_SETTING_TOKEN, "release"},
};

/* Counts that must be 1 or more where they are given. */
static const struct {
    const char *option;
    size_t offset;
} counts[] = {
    {"every", offsetof(netdp_settings, every)},
    {"inner", offsetof(netdp_settings, inner)},
    {"at-most", offsetof(netdp_settings, at_most)},
    {"cap", offsetof(netdp_settings, cap)},
};

/* Options that are not the protocol's, and counts out of range. */
static netdp_status check_settings(const netdp_i_description_options *options,
                                   const netdp_protocol *named, const netdp_i_arguments *arguments,
                                   netdp_error *error)
{
    const netdp_settings *settings = &options->settings;
    const bool rounds_auto = options->rounds != NULL && strcmp(options->rounds, "auto") == 0;
    for (size_t i = 0; i < sizeof setting_options / sizeof *setting_options; i++)
        if (!(named->settings & setting_options[i].setting) &&
            netdp_i_cli_given(arguments, setting_options[i].option))
            return netdp_i_fail(error, NETDP_INVALID, "--%s: does not apply to %s; leave it out",
                                setting_options[i].option, named->name);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t count;
        memcpy(&count, (const char *)settings + counts[i].offset, sizeof count);
        if (netdp_i_cli_given(arguments, counts[i].option) && count < 1)
            return netdp_i_fail(error, NETDP_INVALID, "--%s: must be a whole number from 1",
                                counts[i].option);
    }
    if (rounds_auto && !(named->settings & NETDP_SETTING_ROUNDS_AUTO))
        return netdp_i_fail(error, NETDP_INVALID,
                            "--rounds: auto applies to averaging; give the number of rounds");
    if (!rounds_auto && netdp_i_cli_given(arguments, "variance"))
        return netdp_i_fail(error, NETDP_INVALID, "--variance: applies to --rounds auto only");
    if (!(options->variance >= 0))
        return netdp_i_fail(error, NETDP_INVALID, "--variance: must be 0 or more");
    return NETDP_OK;
}

static netdp_status read_rounds(const netdp_i_description_options *options,
                                netdp_i_description *made, int64_t *count, netdp_error *error)
{
    double rounds = 1;
    if (options->rounds == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "--rounds: required; give the number of %s%s",
                            made->named->describe == NULL ? "steps of the walk" : "gossip rounds",
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

static netdp_status read_token(const netdp_i_description_options *options,
                               netdp_i_description *made, netdp_settings *settings,
                               netdp_error *error)
{
    if (options->release != NULL && strcmp(options->release, "final") != 0)
        return netdp_i_fail(error, NETDP_INVALID, "--release: '%s'; give final, or leave it out",
                            netdp_i_show_text(options->release).text);
    if (options->tokens < 1 || options->tokens > 1000000)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--tokens: must be a whole number from 1 to 1000000");
    settings->release = options->release != NULL;
    settings->tokens = (int32_t)options->tokens;
    netdp_status status = NETDP_OK;
    if (strcmp(options->start, "observer") == 0)
        settings->start = NETDP_START_OBSERVER;
    else if (strcmp(options->start, "uniform") != 0)
        status = netdp_graph_find(made->graph, options->start, &settings->start, error);
    if (status != NETDP_OK) {
        netdp_i_within(error, status, "--start");
        return status;
    }
    made->token = netdp_protocol_describe_token(made->law, settings);
    return netdp_token_check(&made->token, error);
}

static netdp_status read_protocol(const netdp_i_description_options *options,
                                  netdp_i_description *made, netdp_error *error)
{
    netdp_settings settings = options->settings;
    netdp_status status = read_rounds(options, made, &settings.rounds, error);
    if (status != NETDP_OK)
        return status;
    if (made->named->describe == NULL)
        return read_token(options, made, &settings, error);
    made->protocol = netdp_protocol_describe(made->named, made->mixing, &settings);
    return netdp_linear_check(&made->protocol, error);
}

/* One number in [-1, 1] a line of the file, as many as there are contribution rounds. */
static netdp_status read_pattern_file(const char *path, int64_t count, double *pattern,
                                      netdp_error *error)
{
    char *text = NULL;
    int64_t bytes = 0, filled = 0, line = 0;
    netdp_status status = netdp_i_file_load(path, &text, &bytes, error);
    char *rest = text;
    for (char *each; status == NETDP_OK && (each = strsep(&rest, "\n")) != NULL;) {
        line++;
        if (*each == '\0' && rest == NULL)
            break;
        if (filled == count || !netdp_i_read_number(each, &pattern[filled]) ||
            !(pattern[filled] >= -1 && pattern[filled] <= 1))
            status =
                netdp_i_fail(error, NETDP_INVALID,
                             "%s:%lld: '%s'; give one number in [-1, 1] for each of the %lld "
                             "contribution rounds",
                             path, (long long)line, netdp_i_show_text(each).text, (long long)count);
        filled++;
    }
    if (status == NETDP_OK && filled != count)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: %lld numbers; there are %lld contribution rounds", path,
                              (long long)filled, (long long)count);
    netdp_i_free(text);
    return status;
}

static netdp_status read_pattern(const char *text, netdp_i_description *made, netdp_error *error)
{
    if (text == NULL)
        return NETDP_OK;
    netdp_linear *protocol = &made->protocol;
    const int64_t slots = protocol->every > 0 ? (protocol->rounds - 1) / protocol->every + 1 : 1;
    double omega = 0;
    const bool cosine = strncmp(text, "cos:", 4) == 0;
    if (protocol->every == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--pattern: averaging has one contribution; it applies to stream, "
                            "gossip-sgd and muffliato-sgd");
    if (protocol->at_most > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--pattern: says itself which contributions are made; leave out "
                            "--at-most");
    if (cosine && !netdp_i_cli_number(text + 4, false, &omega))
        return netdp_i_fail(error, NETDP_INVALID, "--pattern: '%s' is not cos:OMEGA with a number",
                            netdp_i_show_text(text).text);
    made->pattern = NETDP_I_NEW(double, slots);
    if (made->pattern == NULL)
        return netdp_i_no_memory(error);
    made->request.pattern = made->pattern;
    const bool ones = strcmp(text, "ones") == 0, alternating = strcmp(text, "alternating") == 0;
    if (!ones && !alternating && !cosine)
        return read_pattern_file(text, slots, made->pattern, error);
    for (int64_t k = 0; k < slots; k++)
        made->pattern[k] = ones          ? 1
                           : alternating ? (k % 2 == 0 ? 1 : -1)
                                         : (cos(omega * (double)k) >= 0 ? 1 : -1);
    return NETDP_OK;
}

netdp_status netdp_i_describe(const netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error)
{
    *made = (netdp_i_description){0};
    netdp_loss_request *request = &made->request;
    netdp_status status = netdp_protocol_find(options->protocol, &made->named, error);
    if (status == NETDP_OK)
        status = check_settings(options, made->named, arguments, error);
    if (status == NETDP_OK)
        status = netdp_sees_parse(options->sees, &request->sees, error);
    if (status == NETDP_OK)
        status = netdp_own_noise_parse(options->own_noise, &request->own_noise, error);
    if (status == NETDP_OK)
        status = netdp_bound_parse(options->bound, &request->bound, error);
    if (status == NETDP_OK)
        status = netdp_i_cli_graph(&options->network, arguments, &made->graph, error);
    if (status == NETDP_OK)
        status = made->named->describe == NULL
                     ? netdp_transition_new(made->graph, options->network.mixing, &made->law, error)
                     : netdp_mixing_new(made->graph, options->network.mixing, &made->mixing, error);
    if (status == NETDP_OK)
        status = read_protocol(options, made, error);
    if (status == NETDP_OK)
        status = read_pattern(options->pattern, made, error);
    if (status == NETDP_OK && options->pattern != NULL && request->bound == NETDP_BOUND_AUTO)
        request->bound = made->protocol.reacts ? NETDP_BOUND_LINEAR : NETDP_BOUND_LOWER;
    if (status == NETDP_OK)
        status = read_parties(options, made, error);
    request->protocol = &made->protocol;
    made->walk = (netdp_walk_request){.token = &made->token,
                                      .bound = request->bound,
                                      .from_count = request->from_count,
                                      .from = request->from,
                                      .to_count = request->to_count,
                                      .to = request->to,
                                      .coalition = request->coalition};
    if (status != NETDP_OK)
        netdp_i_description_clear(made);
    return status;
}

netdp_status netdp_i_describe_losses(netdp_i_description *description, double noise,
                                     netdp_unit unit, const netdp_progress *progress,
                                     netdp_losses **losses, netdp_error *error)
{
    if (description->law == NULL)
        return netdp_losses_new(&description->request, progress, losses, error);
    description->walk.noise = noise;
    description->walk.unit = unit;
    return netdp_walk_losses_new(&description->walk, progress, losses, error);
}

json_t *netdp_i_describe_graph(const netdp_i_description *description)
{
    return json_pack("{s:s, s:i, s:I, s:s}", "origin", netdp_graph_origin(description->graph),
                     "nodes", (int)netdp_graph_nodes(description->graph), "edges",
                     (json_int_t)netdp_graph_edges(description->graph), "mixing",
                     description->law != NULL ? netdp_transition_name(description->law)
                                              : netdp_mixing_name(description->mixing));
}

static json_t *describe_token(const netdp_i_description *description)
{
    const netdp_token *token = &description->token;
    return json_pack("{s:s, s:I, s:o, s:I, s:o, s:i}", "name", description->named->name, "rounds",
                     (json_int_t)token->steps, "start",
                     token->start == NETDP_START_UNIFORM    ? json_string("uniform")
                     : token->start == NETDP_START_OBSERVER ? json_string("observer")
                                                            : json_integer(token->start),
                     "burn_in", (json_int_t)token->burn_in, "cap",
                     token->cap > 0 ? json_integer(token->cap) : json_null(), "tokens",
                     (int)token->tokens);
}

json_t *netdp_i_describe_protocol(const netdp_i_description *description)
{
    if (description->law != NULL)
        return describe_token(description);
    const netdp_linear *protocol = &description->protocol;
    const unsigned settings = description->named->settings;
    json_t *object = json_pack("{s:s, s:I}", "name", description->named->name, "rounds",
                               (json_int_t)protocol->rounds);
    if (settings & NETDP_SETTING_DITHER)
        json_object_set_new(object, "dither", json_real(protocol->dither));
    if (settings & NETDP_SETTING_EVERY)
        json_object_set_new(object, "every", json_integer(protocol->every));
    if (protocol->at_most > 0)
        json_object_set_new(object, "at_most", json_integer(protocol->at_most));
    if (settings & NETDP_SETTING_INNER)
        json_object_set_new(object, "inner", json_integer(protocol->every));
    if (settings & NETDP_SETTING_END_DITHER)
        json_object_set_new(object, "end_dither", json_real(protocol->end_dither));
    if (settings & NETDP_SETTING_ACCELERATE)
        json_object_set_new(object, "accelerate", json_boolean(protocol->accelerate));
    return object;
}

json_t *netdp_i_describe_threat(const netdp_i_description *description)
{
    const netdp_loss_request *request = &description->request;
    return description->law != NULL
               ? netdp_i_threat_walk_json(&description->token, request->to, request->to_count)
               : netdp_i_threat_json(request->sees, request->own_noise, request->to,
                                     request->to_count);
}

static void print_contributions(int64_t count)
{
    printf("%" PRId64 " contribution%s of a node", count, count == 1 ? "" : "s");
}

void netdp_i_describe_print(const netdp_i_description *description, double noise)
{
    const netdp_linear *protocol = &description->protocol;
    const netdp_token *token = &description->token;
    const netdp_loss_request *request = &description->request;
    if (description->law != NULL) {
        printf("walk, %" PRId64 " steps, %d token%s, ", token->steps, (int)token->tokens,
               token->tokens == 1 ? "" : "s");
        if (token->cap > 0)
            printf("at most ");
        print_contributions(netdp_token_contributions(token));
        printf("%s, noise %g Delta; an observer sees %s;\n",
               token->cap > 0 ? "" : " in the worst case", noise, NETDP_I_WALK_SEES);
        printf("adjacency: %s; released: %s.\n", NETDP_I_ADJACENCY, netdp_i_threat_released(token));
        printf("assumes a constant step of at most 2/beta, rows clipped before the mean over them, "
               "nodes without memory.\n");
        return;
    }
    printf("%s, %" PRId64 " rounds, ", description->named->name, protocol->rounds);
    print_contributions(netdp_linear_contributions(protocol));
    printf(", dither %g, noise %g Delta; %s, own noise %s;\nadjacency: %s; released: %s.\n",
           protocol->dither, noise, netdp_i_threat_words(request->sees),
           netdp_own_noise_name(request->own_noise), NETDP_I_ADJACENCY, NETDP_I_RELEASED);
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
