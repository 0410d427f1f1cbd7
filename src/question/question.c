/* A question's settings become a description: what all protocols share. */
#include "question/question.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "account/gossip/pairs_left.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "protocol/pairing.h"
#include "question/settings.h"

static const netdp_i_describing *const kinds[] = {[NETDP_GOSSIP] = &netdp_i_describing_gossip,
                                                  [NETDP_WALK] = &netdp_i_describing_walk,
                                                  [NETDP_TALLY] = &netdp_i_describing_tally};

void netdp_i_description_clear(netdp_i_description *description)
{
    netdp_i_free(description->from);
    netdp_i_free(description->to);
    netdp_i_free(description->pattern);
    netdp_mixing_free(description->own_mixing);
    netdp_graph_free(description->own_pairs);
    netdp_i_free(description->quiet);
    netdp_i_free(description->share);
    netdp_transition_free(description->own_law);
    netdp_route_free(description->route);
    netdp_graph_free(description->own_graph);
    *description = (netdp_i_description){0};
}

/* ---- Who learns about whom ---- */

/* A name without the blanks around it. */
static char *trim(char *name)
{
    name += strspn(name, " ");
    for (size_t length = strlen(name); length > 0 && name[length - 1] == ' ';)
        name[--length] = '\0';
    return name;
}

/* Are they the same but for the blanks around the second? */
static bool is_within_blanks(const char *name, const char *other)
{
    const size_t length = strlen(name);
    other += strspn(other, " ");
    return strncmp(name, other, length) == 0 && other[length + strspn(other + length, " ")] == '\0';
}

/* The node of that name, else of the name without the blanks around it, where no other node is called so within blanks. */
static netdp_status find_node(const netdp_graph *graph, char *name, int32_t *node,
                              netdp_error *error)
{
    for (int32_t v = 0; v < netdp_graph_nodes(graph); v++) {
        const char *of = netdp_graph_name(graph, v);
        if (of != NULL && strcmp(of, name) == 0) {
            *node = v;
            return NETDP_OK;
        }
    }
    const bool padded = name[0] == ' ' || (name[0] != '\0' && name[strlen(name) - 1] == ' ');
    name = trim(name);
    TRY(netdp_graph_find(graph, name, node, error));
    for (int32_t v = 0; padded && v < netdp_graph_nodes(graph); v++) {
        const char *of = netdp_graph_name(graph, v);
        REFUSE(
            of != NULL && v != *node && is_within_blanks(name, of),
            "nodes '%s' and '%s' differ in blanks alone; write the one that you mean with its own",
            netdp_i_show_text(name).text, netdp_i_show_text(of).text);
    }
    return NETDP_OK;
}

netdp_status netdp_i_read_nodes(const netdp_graph *graph, const char *text, int32_t **list,
                                int32_t *count, netdp_error *error)
{
    *count = 0;
    if (strcmp(text, "all") == 0)
        return NETDP_OK;
    OWNED char *copy = netdp_i_copy_text(text);
    OWNED int32_t *nodes = NETDP_I_NEW(int32_t, strlen(text) + 1);
    if (copy == NULL || nodes == NULL)
        return netdp_i_no_memory(error);
    char *rest = copy;
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        TRY(find_node(graph, name, &nodes[*count], error));
        for (int32_t i = 0; i < *count; i++)
            REFUSE(nodes[i] == nodes[*count], "'%s' is named twice", netdp_i_show_text(name).text);
        ++*count;
    }
    *list = GIVE(nodes);
    return NETDP_OK;
}

/* Lists of nodes as they are given in place of texts. */
static void take_parties(const netdp_question_request *given, netdp_loss_request *request)
{
    if (given->from_count > 0) {
        request->from = given->from;
        request->from_count = given->from_count;
    }
    if (given->to_count > 0) {
        request->to = given->to;
        request->to_count = given->to_count;
    }
    request->coalition = request->coalition || given->coalition;
}

/* Any so many nodes, of all. */
static netdp_status read_worst(const netdp_i_question *question, netdp_i_description *made,
                               netdp_error *error)
{
    netdp_loss_request *request = &made->request;
    request->from = made->from;
    REFUSE(request->pool < 0 || request->pool >= netdp_graph_nodes(made->graph),
           "--to: '%s'; give worst:C, with C from 1 to 1000 and below the number of nodes",
           netdp_i_show_text(question->to).text);
    REFUSE(question->calibrates && request->pool > 1 && made->kind != &netdp_i_describing_gossip,
           "--to: of tokens worst:C is for netdp loss; try noises there, or name a coalition by "
           "set:V,W");
    if (question->as_is != NULL)
        take_parties(question->as_is, request);
    REFUSE(request->coalition, "--to: worst:C is of all coalitions; it takes no other");
    return netdp_i_description_named(made, made->engine != NULL ? "--engine" : NULL, error);
}

static netdp_status read_parties(const netdp_i_question *question, netdp_i_description *made,
                                 netdp_error *error)
{
    netdp_loss_request *request = &made->request;
    netdp_status status =
        netdp_i_read_nodes(made->graph, question->from, &made->from, &request->from_count, error);
    if (status != NETDP_OK)
        return netdp_i_within(error, status, "--from");
    request->pool = netdp_i_setting_worst(question->to);
    if (request->pool != 0)
        return read_worst(question, made, error);
    request->coalition = strncmp(question->to, "set:", 4) == 0;
    REFUSE(!request->coalition && strchr(question->to, ',') != NULL,
           "--to: give one observer, all, set:V,W for a coalition, or worst:C for any C nodes");
    status = netdp_i_read_nodes(made->graph, question->to + (request->coalition ? 4 : 0), &made->to,
                                &request->to_count, error);
    if (status != NETDP_OK)
        return netdp_i_within(error, status, "--to");
    request->from = made->from;
    request->to = made->to;
    if (question->as_is != NULL)
        take_parties(question->as_is, request);
    REFUSE(request->coalition && request->to_count <= 0,
           "--to: a coalition of all leaves nobody to learn about; name its members");
    return NETDP_OK;
}

/* ---- What the settings say ---- */

static bool is_auto(const netdp_i_question *question)
{
    return question->count == 0 && question->rounds != NULL &&
           strcmp(question->rounds, "auto") == 0;
}

/* Settings that are not the protocol's, and counts out of range. */
static netdp_status check_settings(const netdp_i_question *question, const netdp_protocol *named,
                                   netdp_error *error)
{
    const netdp_settings *settings = &question->settings;
    const bool rounds_auto = is_auto(question);
    for (const netdp_i_setting *row = netdp_i_setting_rows; row->name != NULL; row++)
        REFUSE(netdp_i_question_text(question, row) != NULL &&
                   !netdp_i_setting_taken(row, named->settings),
               "--%s: does not apply to %s; leave it out", row->name, named->name);
    REFUSE(netdp_i_question_given(question, "protects") &&
               question->protects == NETDP_PROTECTS_NODE && settings->cycle > 1,
           "--cycle: batches in a cycle protect a row; give --protects row");
    REFUSE(rounds_auto && !(named->settings & NETDP_SETTING_ROUNDS_AUTO) &&
               !((named->settings & NETDP_SETTING_INNER) != 0 && question->phases > 0),
           "--rounds: auto applies to averaging, random-averaging and, in a study that gives "
           "phases, muffliato-sgd; give a number");
    TRY(netdp_i_settings_together(netdp_i_question_text, question, error));
    REFUSE(!(settings->noise.dither >= 0) && !question->calibrates,
           "--dither: auto is what a calibration finds: ask it for a target, or give a number");
    return NETDP_OK;
}

netdp_status netdp_i_question_file(const netdp_i_question *question, const char *name,
                                   const char *path, netdp_error *error)
{
    const netdp_i_setting *setting = netdp_i_setting_find(name);
    const char *given = netdp_i_question_text(question, setting);
    if (strpbrk(given != NULL ? given : path, "./-") != NULL || access(path, F_OK) == 0 ||
        errno != ENOENT)
        return NETDP_OK; /* a path: whoever reads it says what is wrong */
    return netdp_i_fail(
        error, NETDP_ENVIRONMENT, "--%s: '%s' is not known here, nor is it a file; give %s",
        setting->name, netdp_i_show_text(given != NULL ? given : path).text, setting->rule.expects);
}

netdp_status netdp_i_question_pairs(const netdp_i_question *question, const netdp_graph *graph,
                                    netdp_graph **pairs, netdp_error *error)
{
    if (!netdp_i_pairing_named(question->pair_graph))
        TRY(netdp_i_question_file(question, "pair-graph", question->pair_graph, error));
    return netdp_pairing_graph(question->pair_graph, graph, question->pair_seed, pairs, error);
}

netdp_status netdp_i_question_pairing(const netdp_i_question *question, netdp_settings *settings,
                                      netdp_i_description *made, netdp_error *error)
{
    if (question->as_is != NULL && question->as_is->pair_graph != NULL)
        made->pairs = question->as_is->pair_graph;
    else if (question->pair_graph != NULL)
        TRY(netdp_i_question_pairs(question, made->graph, &made->own_pairs, error));
    if (made->own_pairs != NULL)
        made->pairs = made->own_pairs;
    settings->noise.pairing.graph = made->pairs;
    return NETDP_OK;
}

void netdp_i_show_pairing(const netdp_pairing *pairing, json_t *object)
{
    if (netdp_pairing_is(pairing))
        json_object_set_new(
            object, "pairs",
            json_pack("{s:s, s:I, s:f}", "graph", netdp_graph_origin(pairing->graph), "edges",
                      (json_int_t)netdp_graph_edges(pairing->graph), "noise", pairing->kappa));
    if (netdp_pairing_is(pairing) && pairing->weighted)
        json_object_set_new(json_object_get(object, "pairs"), "weights", json_true());
}

static netdp_status read_rounds(const netdp_i_question *question, netdp_i_description *made,
                                int64_t *count, netdp_error *error)
{
    double rounds = question->count > 0 ? (double)question->count : 1;
    made->rounds_auto = is_auto(question);
    REFUSE(question->count == 0 && question->rounds == NULL,
           "--rounds: required; give the number of %s%s", made->kind->rounds,
           made->named->settings & NETDP_SETTING_ROUNDS_AUTO ? ", or auto" : "");
    REFUSE(question->count == 0 && !made->rounds_auto &&
               (!netdp_i_read_number(question->rounds, &rounds) ||
                !(rounds >= 1 && rounds <= 1e15) || rounds != floor(rounds)),
           "--rounds: '%s' is not a whole number; give a whole number from 1 to 1000000000000000, "
           "or auto",
           netdp_i_show_text(question->rounds).text);
    *count = (int64_t)rounds;
    return NETDP_OK;
}

static const netdp_protocol *named_of(const netdp_i_question *question)
{
    const netdp_protocol *named = NULL;
    netdp_error ignored;
    return netdp_protocol_find(question->protocol, &named, &ignored) == NETDP_OK ? named : NULL;
}

const char *netdp_i_question_unit(const netdp_i_question *question)
{
    const netdp_protocol *named = named_of(question);
    return named != NULL ? kinds[named->kind]->unit(question, named) : "loss";
}

bool netdp_i_question_flips(const netdp_i_question *question)
{
    const netdp_protocol *named = named_of(question);
    return named != NULL && (named->settings & NETDP_SETTING_HISTOGRAM) != 0;
}

/* "batches: ..." of what reads a setting's value, as "--batches: ...". */
static netdp_status as_option(netdp_status status, netdp_error *error)
{
    char name[24];
    const size_t length = error != NULL && status != NETDP_OK ? strcspn(error->text, ": ") : 0;
    if (length == 0 || length >= sizeof name || error->text[length] != ':')
        return status;
    snprintf(name, sizeof name, "%.*s", (int)length, error->text);
    if (netdp_i_setting_find(name) != NULL) {
        const size_t kept = strnlen(error->text, sizeof error->text - 3);
        memmove(error->text + 2, error->text, kept);
        error->text[kept + 2] = '\0';
        memcpy(error->text, "--", 2);
    }
    return status;
}

void netdp_i_settings_begin(netdp_settings *settings)
{
    const netdp_settings usual = NETDP_SETTINGS_USUAL;
    settings->noise.dither =
        settings->noise.dither >= 0 ? settings->noise.dither : usual.noise.dither;
    settings->noise.decay = fmax(settings->noise.decay, 0);
    settings->noise.end = settings->noise.end >= 0 ? settings->noise.end : usual.noise.end;
}

netdp_status netdp_i_question_begin(const netdp_i_question *question, netdp_i_description *made,
                                    netdp_error *error)
{
    *made = (netdp_i_description){.question = question};
    TRY(netdp_protocol_find(question->protocol, &made->named, error));
    TRY(as_option(netdp_bound_parse(question->bound, &made->request.bound, error), error));
    made->kind = kinds[made->named->kind];
    return NETDP_OK;
}

netdp_status netdp_i_question_check(const netdp_i_question *question, netdp_i_description *made,
                                    netdp_error *error)
{
    const netdp_protocol *named = NULL;
    TRY(netdp_protocol_find(question->protocol, &named, error));
    TRY(check_settings(question, named, error));
    return netdp_i_question_begin(question, made, error);
}

static netdp_status read_all(const netdp_i_question *question, netdp_i_description *made,
                             netdp_error *error)
{
    netdp_settings settings = question->settings;
    TRY(read_rounds(question, made, &settings.rounds, error));
    TRY(made->kind->read(question, &settings, made, error));
    return read_parties(question, made, error);
}

netdp_status netdp_i_question_describe(const netdp_i_question *question,
                                       const netdp_i_network *network, netdp_i_description *made,
                                       netdp_error *error)
{
    made->graph = network->graph;
    made->mixing = network->mixing;
    made->law = network->law;
    made->engine = network->engine;
    const netdp_status status = read_all(question, made, error);
    if (status != NETDP_OK)
        netdp_i_description_clear(made);
    return as_option(status, error);
}

netdp_status netdp_i_description_draw(netdp_i_description *d, int64_t draws, netdp_error *error)
{
    REFUSE(d->mixing == NULL, "--draws: does not apply to %s; leave it out", d->named->name);
    TRY(netdp_i_description_named(d, "--draws", error));
    REFUSE(d->engine != NULL, "--draws: works in one process; leave out --engine");
    REFUSE(draws < 1 || draws > 1000000, "--draws: must be a whole number from 1 to 1000000");
    d->draws = draws;
    return NETDP_OK;
}

netdp_status netdp_i_description_account(netdp_i_description *d, double noise, netdp_unit unit,
                                         netdp_i_batch_sink sink, void *context,
                                         const netdp_progress *progress, netdp_error *error)
{
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    const bool streams = d->mixing != NULL && d->draws == 0 && d->request.pool <= 1;
    if (streams && d->engine != NULL)
        return d->engine->losses(&d->request, sink, context, progress, error);
    if (streams)
        return netdp_i_losses_each(&d->request, sink, context, progress, error);
    TRY(netdp_i_description_losses(d, noise, unit, progress, &losses, error));
    return netdp_i_losses_replay(losses, sink, context, error);
}

/* ---- Noise, rounds and targets ---- */

netdp_status netdp_i_question_noise(const netdp_i_question *question, const double *given,
                                    netdp_unit unit, double *noise, netdp_error *error)
{
    char spelled[NETDP_UNIT_ROOM];
    const bool flips = netdp_i_question_flips(question);
    netdp_unit_text(unit, spelled);
    REFUSE(given != NULL && flips, "--noise: does not apply to %s; give --flip",
           question->protocol);
    REFUSE(given == NULL && !flips && unit.currency != NETDP_AS_LOSS,
           "--noise: required for --as %s; in units of the sensitivity", spelled);
    *noise = given != NULL ? *given : flips ? 0 : 1;
    REFUSE(!(*noise >= 0), "--noise: %g; must be 0 or more", *noise);
    return NETDP_OK;
}

netdp_status netdp_i_description_rounds(netdp_i_description *d, double noise, netdp_error *error)
{
    double gap = 0;
    if (!d->rounds_auto)
        return NETDP_OK;
    netdp_spectrum spectrum = {0};
    if (d->engine != NULL && d->protocol.varying.kind == NETDP_VARY_NEVER) {
        TRY(d->engine->spectrum(d->mixing, &spectrum, error));
        gap = spectrum.gap;
    } else
        TRY(netdp_linear_gap(&d->protocol, &gap, error));
    TRY(netdp_rounds_auto(gap, netdp_graph_nodes(d->graph), noise, d->question->variance,
                          &d->protocol.rounds, error));
    if (d->engine == NULL)
        return netdp_i_pairs_left_longer(&d->protocol, d->protocol.rounds, &d->protocol.rounds,
                                         error);
    return NETDP_OK;
}

netdp_status netdp_i_question_target(netdp_i_question *question, netdp_target *target,
                                     netdp_error *error)
{
    const netdp_protocol *named = named_of(question);
    netdp_settings *settings = &question->settings;
    const netdp_settings usual = NETDP_SETTINGS_USUAL;
    const bool second = settings->noise.decay < 0 || settings->noise.end < 0;
    const bool pairs = settings->noise.pairing.kappa < 0;
    static const char *const chosen[] = {"dither", "pair-noise"};
    for (int k = 0; k < 2; k++)
        REFUSE((target->tune_pairs || (target->tune_dither && k == 0)) &&
                   netdp_i_question_given(question, chosen[k]),
               "--%s: leave it out with --tune-%s, which chooses it", chosen[k],
               target->tune_pairs ? "pairs" : "dither");
    TRY(netdp_i_settings_together(netdp_i_question_text, question, error));
    target->variance = question->variance;
    target->rounds_auto = is_auto(question);
    target->keep_second = netdp_i_question_given(question, "dither-decay") ||
                          netdp_i_question_given(question, "end-dither");
    if (settings->noise.dither < 0) {
        target->tune_dither = true;
        target->tune_pairs = pairs;
        target->keep_second = !second;
        settings->noise.dither = usual.noise.dither;
        settings->noise.decay = fmax(settings->noise.decay, 0);
        settings->noise.end = second ? usual.noise.end : settings->noise.end;
        settings->noise.pairing.kappa = fmax(settings->noise.pairing.kappa, 0);
    }
    if (named != NULL &&
        !(named->settings & (NETDP_SETTING_DITHER_DECAY | NETDP_SETTING_END_DITHER)))
        target->keep_second = true;
    return NETDP_OK;
}
