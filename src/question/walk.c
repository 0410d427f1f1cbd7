/* A question about a walk. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/privacy.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "question/question.h"

bool netdp_i_read_three(const char *text, double number[3])
{
    char copy[200], *rest = copy;
    int count = 0;
    if (strlen(text) >= sizeof copy)
        return false;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *each; (each = strsep(&rest, ",")) != NULL; count++)
        if (count == 3 || !netdp_i_read_number(each, &number[count]) || !isfinite(number[count]))
            return false;
    return count == 3;
}

/* The Gamma mechanism that released what the law goes towards. */
static netdp_status read_gamma(const char *text, netdp_gamma *gamma, netdp_error *error)
{
    double number[3];
    REFUSE(
        !netdp_i_read_three(text, number),
        "--gamma: '%s'; give THETA,LOW,HIGH: the scale of the noise and the range of what it hides",
        netdp_i_show_text(text).text);
    *gamma = (netdp_gamma){.theta = number[0], .low = number[1], .high = number[2]};
    return NETDP_OK;
}

static netdp_status read_walk(const netdp_i_question *question, netdp_settings *settings,
                              netdp_i_description *made, netdp_error *error)
{
    if (made->law == NULL) {
        TRY(netdp_transition_new(made->graph, question->mixing, &made->own_law, error));
        made->law = made->own_law;
    }
    settings->tokens = (int32_t)question->tokens;
    if (question->as_is != NULL && question->as_is->start != NULL)
        settings->start = *question->as_is->start;
    else if (strcmp(question->start, "observer") == 0)
        settings->start = NETDP_START_OBSERVER;
    else if (strcmp(question->start, "uniform") != 0) {
        TRY(netdp_i_within(error,
                           netdp_graph_find(made->graph, question->start, &settings->start, error),
                           "--start"));
    }
    if (question->gamma != NULL)
        TRY(read_gamma(question->gamma, &made->gamma, error));
    made->token = netdp_protocol_describe_token(made->named, made->law, settings);
    made->walk.token = &made->token;
    if (settings->path != NETDP_PATH_HIDDEN)
        TRY(netdp_route_new(&made->token, settings->path, settings->path_seed, &made->route,
                            error));
    made->token.route = made->route;
    return netdp_token_check(&made->token, error);
}

/* Half of delta goes to the release of the law. */
static netdp_status pay_for_law(netdp_i_description *description, netdp_unit unit,
                                netdp_error *error)
{
    netdp_walk_request *walk = &description->walk;
    if (description->gamma.theta == 0)
        return NETDP_OK;
    REFUSE(unit.currency != NETDP_AS_DP,
           "--gamma: its cost is an (epsilon, delta); use --as dp:DELTA");
    walk->law_delta = unit.parameter / 2;
    return netdp_gamma_to_epsilon(&description->gamma, walk->law_delta, &walk->law_epsilon, error);
}

static void ask(netdp_i_description *description)
{
    const netdp_loss_request *request = &description->request;
    netdp_walk_request *walk = &description->walk;
    walk->bound = request->bound;
    walk->from_count = request->from_count;
    walk->from = request->from;
    walk->to_count = request->to_count;
    walk->to = request->to;
    walk->coalition = request->coalition;
}

static netdp_status walk_losses(netdp_i_description *description, double noise, netdp_unit unit,
                                const netdp_progress *progress, netdp_losses **losses,
                                netdp_error *error)
{
    ask(description);
    description->walk.noise = noise;
    description->walk.unit = unit;
    TRY(pay_for_law(description, unit, error));
    return description->engine != NULL
               ? description->engine->walk_losses(&description->walk, progress, losses, error)
               : netdp_walk_losses_new(&description->walk, progress, losses, error);
}

static netdp_status calibrate_walk(netdp_i_description *description, const netdp_target *target,
                                   const netdp_progress *progress, netdp_calibration *calibration,
                                   netdp_losses **losses, netdp_error *error)
{
    ask(description);
    TRY(pay_for_law(description, target->unit, error));
    if (description->walk.law_epsilon >= target->epsilon)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "target %g is out of reach: --gamma alone costs %g at half of delta; "
                            "raise theta or the target",
                            target->epsilon, description->walk.law_epsilon);
    return netdp_walk_calibrate(&description->walk, target, progress, calibration, losses, error);
}

static json_t *walk_json(const netdp_i_description *description)
{
    const netdp_token *token = &description->token;
    json_t *object = json_pack("{s:s, s:I, s:o, s:I, s:o, s:i}", "name", description->named->name,
                               "rounds", (json_int_t)token->steps, "start",
                               token->start == NETDP_START_UNIFORM    ? json_string("uniform")
                               : token->start == NETDP_START_OBSERVER ? json_string("observer")
                                                                      : json_integer(token->start),
                               "burn_in", (json_int_t)token->burn_in, "cap",
                               token->cap > 0 ? json_integer(token->cap) : json_null(), "tokens",
                               (int)token->tokens);
    if (token->contraction > 0)
        json_object_set_new(object, "contraction", json_real(token->contraction));
    if (token->route != NULL)
        json_object_update_new(object,
                               json_pack("{s:s, s:I}", "path", netdp_path_name(token->route->path),
                                         "path_seed", (json_int_t)token->route->seed));
    if (description->gamma.theta > 0)
        json_object_set_new(object, "gamma",
                            json_pack("{s:f, s:[f, f], s:o, s:f}", "theta",
                                      description->gamma.theta, "range", description->gamma.low,
                                      description->gamma.high, "epsilon",
                                      netdp_i_json_double(description->walk.law_epsilon), "delta",
                                      description->walk.law_delta));
    return object;
}

static netdp_status walk_words(const netdp_i_description *description, double noise, char **text,
                               netdp_error *error)
{
    netdp_walk_request request = description->walk;
    request.noise = noise;
    return netdp_walk_words(&request, description->named->name, &description->gamma, text, error);
}

static netdp_status walk_events(const netdp_i_description *description, netdp_events **events,
                                netdp_error *error)
{
    return netdp_walk_events_new(&description->walk, NULL, events, error);
}

static const char *walk_unit(const netdp_i_question *question, const netdp_protocol *named)
{
    (void)question, (void)named;
    return "rdp:2";
}

static const char *walk_mixing(const netdp_i_description *description)
{
    return netdp_transition_name(description->law);
}

const netdp_i_describing netdp_i_describing_walk = {
    .rounds = "steps",
    .unit = walk_unit,
    .read = read_walk,
    .losses = walk_losses,
    .calibrate = calibrate_walk,
    .mixing = walk_mixing,
    .protocol = walk_json,
    .words = walk_words,
    .events = walk_events,
};
