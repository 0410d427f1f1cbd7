/* A question about gossip: its settings become a description, and that its losses. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/gossip/pairs_left.h"
#include "account/losses/search.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "question/question.h"
#include "protocol/noise.h"
#include "protocol/pattern.h"
#include "protocol/quiet.h"
#include "protocol/threat.h"

/* How the network changes, if it does: --dropout, --redraw and the seed. */
static netdp_status read_varying(const netdp_i_question *question, const netdp_i_description *made,
                                 netdp_settings *settings, netdp_error *error)
{
    netdp_variation *varying = &settings->varying;
    const bool phases = (made->named->settings & NETDP_SETTING_INNER) != 0;
    const bool redraws = question->redraw != NULL && strcmp(question->redraw, "never") != 0;
    varying->seed = question->seed;
    if (question->dropout != NULL)
        TRY(netdp_variation_dropout(question->dropout, varying, error));
    if (redraws && strcmp(question->redraw, "one-peer") == 0)
        return netdp_variation_one_peer(made->graph, varying, error);
    if (redraws) {
        const bool phase = strcmp(question->redraw, "phase") == 0;
        REFUSE(phase && !phases, "--redraw: %s has no phases; give round, or leave it out",
               made->named->name);
        TRY(netdp_variation_redraw(made->graph, phase ? settings->inner : 1, varying, error));
    }
    return NETDP_OK;
}

/* Of revealed pairs those of the living are left. */
static netdp_status leave_living(netdp_i_description *made, netdp_settings *settings,
                                 netdp_error *error)
{
    netdp_graph *left = NULL;
    if (!settings->varying.revealed || made->pairs == NULL)
        return NETDP_OK;
    TRY(netdp_pairing_revealed(made->pairs, made->mixing, &settings->varying, &left, error));
    netdp_graph_free(made->own_pairs);
    made->pairs = made->own_pairs = left;
    settings->noise.pairing.graph = left;
    return NETDP_OK;
}

/* One number in [-1, 1] a line of the file, as many as there are contribution rounds. */
static netdp_status read_pattern_file(const char *path, int64_t count, double *pattern,
                                      netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t bytes = 0, filled = 0, line = 0;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    char *rest = text;
    for (char *each; (each = strsep(&rest, "\n")) != NULL;) {
        line++;
        if (*each == '\0' && rest == NULL)
            break;
        REFUSE(filled == count || !netdp_i_read_number(each, &pattern[filled]) ||
                   !(pattern[filled] >= -1 && pattern[filled] <= 1),
               "%s:%lld: '%s'; give one number in [-1, 1] for each of the %lld contribution rounds",
               path, (long long)line, netdp_i_show_text(each).text, (long long)count);
        filled++;
    }
    REFUSE(filled != count, "%s: %lld numbers; there are %lld contribution rounds", path,
           (long long)filled, (long long)count);
    return NETDP_OK;
}

/* As many numbers as contribution rounds, each in [-1, 1]. */
static netdp_status take_pattern(const netdp_question_request *given, int64_t slots,
                                 double *pattern, netdp_error *error)
{
    bool right = given->pattern_count == slots;
    for (int64_t k = 0; right && k < slots; k++) {
        pattern[k] = given->pattern[k];
        right = fabs(pattern[k]) <= 1;
    }
    REFUSE(!right, "--pattern: give one number in [-1, 1] for each of the %lld contribution rounds",
           (long long)slots);
    return NETDP_OK;
}

static bool has_pattern(const netdp_i_question *question)
{
    return (question->pattern != NULL && strcmp(question->pattern, "worst") != 0) ||
           (question->as_is != NULL && question->as_is->pattern != NULL);
}

static netdp_status read_pattern(const netdp_i_question *question, netdp_i_description *made,
                                 netdp_error *error)
{
    const bool as_is = question->as_is != NULL && question->as_is->pattern != NULL;
    const char *text = as_is ? NULL : question->pattern;
    const netdp_linear *protocol = &made->protocol;
    const int64_t slots = protocol->every > 0 ? (protocol->rounds - 1) / protocol->every + 1 : 1;
    REFUSE(protocol->every == 0, "--pattern: averaging has one contribution; it applies to stream, "
                                 "gossip-sgd and muffliato-sgd");
    REFUSE(text != NULL && strncmp(text, "cos:", 4) == 0 && !netdp_i_pattern_fill(text, 0, NULL),
           "--pattern: '%s' is not cos:OMEGA with a number", netdp_i_show_text(text).text);
    made->pattern = NETDP_I_NEW(double, slots);
    NEED(made->pattern);
    made->request.pattern = made->pattern;
    if (text == NULL)
        return take_pattern(question->as_is, slots, made->pattern, error);
    if (netdp_i_pattern_fill(text, slots, made->pattern))
        return NETDP_OK;
    TRY(netdp_i_question_file(question, "pattern", text, error));
    return read_pattern_file(text, slots, made->pattern, error);
}

/* A number, or several with what separates them: no file. */
static bool is_list(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0' ||
           (text[strspn(text, "0123456789,;.+-eE \t")] == '\0' &&
            text[strcspn(text, ",;")] != '\0');
}

/* A list, or the lines of a file, of how many rows each node holds: rows [nodes]. */
static netdp_status read_rows(const char *text, int32_t nodes, double *rows, netdp_error *error)
{
    OWNED char *held = NULL;
    int64_t bytes = 0;
    int32_t filled = 0;
    if (!is_list(text))
        TRY(netdp_i_file_load(text, &held, &bytes, error));
    else if ((held = netdp_i_copy_text(text)) == NULL)
        return netdp_i_no_memory(error);
    char *rest = held;
    for (char *each; (each = strsep(&rest, ",\n")) != NULL;) {
        if (*each == '\0' && rest == NULL)
            break;
        REFUSE(filled == nodes || !netdp_i_read_number(each, &rows[filled]),
               "--rows: '%s'; give a whole number from 1 for each of the %d nodes",
               netdp_i_show_text(each).text, (int)nodes);
        filled++;
    }
    REFUSE(filled != nodes, "--rows: %d numbers; there are %d nodes", (int)filled, (int)nodes);
    return NETDP_OK;
}

/* How many rows each node holds, into the part of the largest sensitivity that one row has there. */
static netdp_status share_by_rows(const netdp_i_question *question, netdp_i_description *made,
                                  netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(made->graph);
    double least = INFINITY;
    double *share = made->share = NETDP_I_NEW(double, nodes);
    NEED(share);
    if (question->rows != NULL && !is_list(question->rows))
        TRY(netdp_i_question_file(question, "rows", question->rows, error));
    if (question->rows != NULL)
        TRY(read_rows(question->rows, nodes, share, error));
    else
        memcpy(share, question->as_is->rows, (size_t)nodes * sizeof *share);
    for (int32_t u = 0; u < nodes; u++) {
        REFUSE(!(share[u] >= 1 && share[u] <= 1e15) || share[u] != floor(share[u]),
               "--rows: '%.15g'; give a whole number from 1 for each of the %d nodes", share[u],
               (int)nodes);
        least = fmin(least, share[u]);
    }
    for (int32_t u = 0; u < nodes; u++)
        share[u] = share[u] == least ? 1 : fmin(1, nextafter(least / share[u], INFINITY));
    made->request.protection.share = share;
    return NETDP_OK;
}

/* What is protected: --protects, --change, --batches and --rows; --cycle B is of rows by itself. */
static netdp_status read_protection(const netdp_i_question *question, netdp_i_description *made,
                                    netdp_settings *settings, netdp_error *error)
{
    netdp_protection *protection = &made->request.protection;
    const bool row = question->protects == NETDP_PROTECTS_ROW;
    TRY(netdp_i_within(error, netdp_batches_parse(question->batches, &protection->batches, error),
                       "--batches"));
    if (row || settings->cycle > 1)
        protection->protects = NETDP_PROTECTS_ROW;
    protection->change = question->change;
    if (settings->cycle > 1)
        protection->batches = (netdp_batches){NETDP_BATCHES_CYCLIC, settings->cycle, 0};
    else if (row && protection->batches.kind == NETDP_BATCHES_CYCLIC)
        settings->cycle = protection->batches.count;
    const bool rows =
        question->rows != NULL || (question->as_is != NULL && question->as_is->rows != NULL);
    TRY(netdp_protection_check(protection, error));
    REFUSE(rows && !row && settings->cycle <= 1,
           "--rows: is how much one row weighs; give --protects row");
    return rows ? share_by_rows(question, made, error) : NETDP_OK;
}

/* --quiet: the factor of a covariance of as many phases as the rounds make. */
static netdp_status read_quiet(const netdp_i_question *question, netdp_i_description *made,
                               netdp_settings *settings, netdp_error *error)
{
    const netdp_linear plain = netdp_protocol_describe(made->named, made->mixing, settings);
    const int64_t phases = netdp_linear_contributions(&plain);
    if (question->as_is != NULL && question->as_is->quiet != NULL) {
        settings->quiet = (netdp_quiet){question->as_is->quiet, phases};
        REFUSE(question->as_is->phases != phases,
               "--quiet: give a symmetric covariance of the %lld phases", (long long)phases);
        return NETDP_OK;
    }
    if (strcmp(question->quiet, "fresh") == 0)
        return NETDP_OK;
    if (!netdp_i_quiet_named(question->quiet))
        TRY(netdp_i_question_file(question, "quiet", question->quiet, error));
    made->quiet = NETDP_I_NEW(double, phases *phases);
    NEED(made->quiet);
    netdp_status status = netdp_i_quiet_make(
        question->quiet, question->for_gossip ? "gossip" : "sums", &plain, made->quiet, error);
    settings->quiet = (netdp_quiet){made->quiet, phases};
    if (status == NETDP_OK || (error != NULL && strncmp(error->text, "quiet: ", 7) == 0))
        return status;
    return netdp_i_within(error, status, "--quiet");
}

/* The matrix that is given, or the one of the name; with an engine one process of each machine makes it. */
static netdp_status make_mixing(const netdp_i_question *question, netdp_i_description *made,
                                netdp_error *error)
{
    const netdp_i_engine *engine = made->engine;
    netdp_status status = NETDP_OK;
    if (made->mixing != NULL)
        return NETDP_OK;
    if (engine == NULL || engine->makes())
        status =
            netdp_mixing_new_stochastic(made->graph, question->mixing, &made->own_mixing, error);
    if (engine != NULL)
        status = engine->share_mixing(status, made->graph, &made->own_mixing, error);
    made->mixing = made->own_mixing;
    return status;
}

static netdp_status read_gossip(const netdp_i_question *question, netdp_settings *settings,
                                netdp_i_description *made, netdp_error *error)
{
    netdp_loss_request *request = &made->request;
    request->sees = question->sees;
    request->own_noise = question->own_noise;
    TRY(netdp_certify_parse(question->certify, &request->certify, error));
    TRY(make_mixing(question, made, error));
    TRY(read_varying(question, made, settings, error));
    TRY(read_protection(question, made, settings, error));
    TRY(netdp_i_question_pairing(question, settings, made, error));
    TRY(leave_living(made, settings, error));
    TRY(read_quiet(question, made, settings, error));
    made->protocol = netdp_protocol_describe(made->named, made->mixing, settings);
    request->protocol = &made->protocol;
    TRY(netdp_linear_check(&made->protocol, error));
    if (!has_pattern(question))
        return NETDP_OK;
    TRY(read_pattern(question, made, error));
    if (request->bound == NETDP_BOUND_AUTO)
        request->bound = made->protocol.reacts ? NETDP_BOUND_LINEAR : NETDP_BOUND_LOWER;
    return NETDP_OK;
}

static netdp_status gossip_losses(netdp_i_description *description, double noise, netdp_unit unit,
                                  const netdp_progress *progress, netdp_losses **losses,
                                  netdp_error *error)
{
    const netdp_i_engine *engine = description->engine;
    const netdp_drawn_request drawn = {.losses = &description->request,
                                       .draws = description->draws,
                                       .noise = noise,
                                       .unit = unit,
                                       .failure = NETDP_DRAWN_FAILURE};
    if (description->draws != 0) /* else losses are unit-free */
        return netdp_losses_drawn(&drawn, progress, losses, error);
    return engine != NULL ? engine->losses_new(&description->request, progress, losses, error)
                          : netdp_losses_new(&description->request, progress, losses, error);
}

static netdp_status calibrate_gossip(netdp_i_description *description, const netdp_target *target,
                                     const netdp_progress *progress, netdp_calibration *calibration,
                                     netdp_losses **losses, netdp_error *error)
{
    const netdp_i_engine *engine = description->engine;
    TRY(netdp_i_calibrate(&description->request, target,
                          engine != NULL ? engine->losses_new : netdp_losses_new, progress,
                          calibration, losses, error));
    description->protocol.rounds = calibration->rounds;
    description->protocol.noise = calibration->noise;
    return NETDP_OK;
}

/* {"kind", "seed"} and what the kind has. */
static json_t *describe_varying(const netdp_variation *varying)
{
    char digits[24]; /* where the seed exceeds what JSON readers keep */
    snprintf(digits, sizeof digits, "%" PRIu64, varying->seed);
    json_t *object = json_pack("{s:s, s:o}", "kind", netdp_i_threat_varying(varying->kind), "seed",
                               varying->seed <= INT64_MAX ? json_integer((json_int_t)varying->seed)
                                                          : json_string(digits));
    if (varying->kind == NETDP_VARY_NODES || varying->kind == NETDP_VARY_EDGES ||
        varying->kind == NETDP_VARY_LATE)
        json_object_set_new(object, "probability", json_real(varying->missing));
    if (varying->revealed)
        json_object_set_new(object, "revealed", json_true());
    if (varying->kind == NETDP_VARY_GRAPH) {
        if (varying->probability >= 0)
            json_object_set_new(object, "probability", json_real(varying->probability));
        json_object_set_new(object, "rounds", json_integer(varying->span));
    }
    return object;
}

/* What is left of the pairwise noise, and after how many rounds little is (NULL: not asked); false: nothing is, or it was not found. */
static bool find_left(const netdp_i_description *description, netdp_i_pairs_left *left,
                      int64_t *enough)
{
    const netdp_linear *protocol = &description->protocol;
    netdp_error ignored;
    if (!netdp_pairing_is(&protocol->noise.pairing) || description->engine != NULL ||
        netdp_i_pairs_left_find(protocol, left, &ignored) != NETDP_OK)
        return false;
    if (enough == NULL)
        return true;
    *enough = protocol->every > 0 ? protocol->every : protocol->rounds;
    if (left->worst > NETDP_I_LEFT_MOST &&
        netdp_i_pairs_left_rounds(protocol, *enough, enough, &ignored) != NETDP_OK)
        *enough = -1;
    return true;
}

void netdp_i_description_warning(const netdp_i_description *description, size_t room, char *text)
{
    char says[NETDP_I_LEFT_ROOM];
    netdp_i_pairs_left left;
    int64_t enough;
    text[0] = '\0';
    if (description->mixing != NULL && find_left(description, &left, &enough) &&
        left.worst > NETDP_I_LEFT_MOST &&
        netdp_i_pairs_left_warning(&description->protocol, &left, enough, says))
        snprintf(text, room, "%s", says);
}

static json_t *gossip_json(const netdp_i_description *description)
{
    const netdp_linear *protocol = &description->protocol;
    const unsigned settings = description->named->settings;
    json_t *object = json_pack("{s:s, s:I}", "name", description->named->name, "rounds",
                               (json_int_t)protocol->rounds);
    netdp_i_noise_show(&protocol->noise,
                       (settings & NETDP_SETTING_DITHER) |
                           (protocol->noise.decay > 0 ? NETDP_SETTING_DITHER_DECAY : 0),
                       object);
    if (settings & NETDP_SETTING_EVERY)
        json_object_set_new(object, "every", json_integer(protocol->every));
    if (protocol->at_most > 0)
        json_object_set_new(object, "at_most", json_integer(protocol->at_most));
    if (settings & NETDP_SETTING_INNER)
        json_object_set_new(object, "inner", json_integer(protocol->every));
    netdp_i_noise_show(&protocol->noise, settings & NETDP_SETTING_END_DITHER, object);
    if (settings & NETDP_SETTING_ACCELERATE)
        json_object_set_new(object, "accelerate", json_boolean(protocol->accelerate));
    netdp_i_show_pairing(&protocol->noise.pairing, object);
    netdp_i_pairs_left left;
    int64_t enough;
    if (find_left(description, &left, &enough))
        json_object_set_new(json_object_get(object, "pairs"), "left",
                            netdp_i_pairs_left_json(&left, enough));
    if (protocol->cycle > 1)
        json_object_set_new(object, "cycle", json_integer(protocol->cycle));
    if (netdp_quiet_is(&protocol->quiet))
        json_object_set_new(object, "quiet", json_true());
    if (protocol->varying.kind != NETDP_VARY_NEVER)
        json_object_set_new(object, "varying", describe_varying(&protocol->varying));
    return object;
}

static netdp_status gossip_words(const netdp_i_description *description, double noise, char **text,
                                 netdp_error *error)
{
    char says[NETDP_I_LEFT_ROOM], *told = NULL;
    netdp_i_pairs_left left;
    netdp_status status = netdp_gossip_words(&description->request, description->named->name, noise,
                                             description->draws != 0, &told, error);
    if (status != NETDP_OK || !find_left(description, &left, NULL)) {
        *text = told;
        return status;
    }
    netdp_i_pairs_left_words(&left, says);
    const size_t length = strlen(told), room = length + strlen(says) + 2;
    *text = realloc(told, room);
    if (*text == NULL) {
        free(told);
        return netdp_i_no_memory(error);
    }
    snprintf(*text + length, room - length, "%s\n", says);
    return NETDP_OK;
}

static const char *gossip_unit(const netdp_i_question *question, const netdp_protocol *named)
{
    (void)question, (void)named;
    return "loss";
}

static const char *gossip_mixing(const netdp_i_description *description)
{
    return netdp_mixing_name(description->mixing);
}

const netdp_i_describing netdp_i_describing_gossip = {
    .rounds = "gossip rounds",
    .unit = gossip_unit,
    .read = read_gossip,
    .losses = gossip_losses,
    .calibrate = calibrate_gossip,
    .mixing = gossip_mixing,
    .protocol = gossip_json,
    .words = gossip_words,
};
