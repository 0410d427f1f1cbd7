/* A question about sums and histograms by a token. */
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"
#include "question/question.h"
#include "protocol/tally.h"

static bool counts(const netdp_i_description *description)
{
    return (description->named->settings & NETDP_SETTING_HISTOGRAM) != 0;
}

static netdp_status read_shuffle(const char *text, netdp_shuffle_bound *bound, netdp_error *error)
{
    for (int i = 0; i < NETDP_SHUFFLE_BOUNDS; i++)
        if (strcmp(netdp_shuffle_name((netdp_shuffle_bound)i), text) == 0) {
            *bound = (netdp_shuffle_bound)i;
            return NETDP_OK;
        }
    return netdp_i_fail(
        error, NETDP_INVALID,
        "--shuffle: '%s'; give least, local, erlingsson, feldman, clones or blanket",
        netdp_i_show_text(text).text);
}

static netdp_status read_tally(const netdp_i_question *question, netdp_settings *settings,
                               netdp_i_description *made, netdp_error *error)
{
    REFUSE(strcmp(question->mixing, "metropolis") != 0,
           "--mixing: does not apply to %s; leave it out", made->named->name);
    REFUSE(counts(made) && !(settings->flip > 0) && !question->calibrates,
           "--flip: required; the probability, above 0 and below 1, that a "
           "contribution is a uniform value");
    if (question->calibrates)
        settings->flip = 0.5; /* until it is found */
    REFUSE(question->levels < 2 || question->levels > 1000000,
           "--levels: must be a whole number from 2 to 1000000");
    TRY(read_shuffle(question->shuffle, &made->counting.shuffle, error));
    settings->grid = (int32_t)question->grid; /* at most 1e9 by its key */
    settings->levels = (int32_t)question->levels;
    TRY(netdp_i_question_pairing(question, settings, made, error));
    TRY(netdp_protocol_describe_tally(made->named, made->graph, settings, &made->tally, error));
    made->counting.tally = &made->tally;
    return netdp_tally_check(&made->tally, error);
}

static netdp_status ask(netdp_i_description *description, netdp_error *error)
{
    const netdp_loss_request *request = &description->request;
    netdp_tally_request *counting = &description->counting;
    counting->bound = request->bound;
    counting->from_count = request->from_count;
    counting->from = request->from;
    counting->to_count = request->to_count;
    counting->to = request->to;
    counting->coalition = request->coalition;
    return netdp_tally_check(&description->tally, error);
}

static netdp_status tally_losses(netdp_i_description *description, double noise, netdp_unit unit,
                                 const netdp_progress *progress, netdp_losses **losses,
                                 netdp_error *error)
{
    if (!counts(description))
        description->tally.noise = noise;
    description->counting.unit = unit;
    TRY(ask(description, error));
    return netdp_tally_losses_new(&description->counting, progress, losses, error);
}

static netdp_status calibrate_tally(netdp_i_description *description, const netdp_target *target,
                                    const netdp_progress *progress, netdp_calibration *calibration,
                                    netdp_losses **losses, netdp_error *error)
{
    TRY(ask(description, error));
    TRY(netdp_tally_calibrate(&description->counting, target, progress, calibration, losses,
                              error));
    if (counts(description))
        description->tally.flip = calibration->sigma;
    else
        description->tally.noise = calibration->sigma;
    return NETDP_OK;
}

static json_t *tally_json(const netdp_i_description *description)
{
    const netdp_tally *tally = &description->tally;
    const bool ring = tally->graph == NETDP_TALLY_RING;
    json_t *object = json_pack("{s:s, s:I}", "name", description->named->name, "rounds",
                               (json_int_t)(ring ? tally->passes : tally->steps));
    if (!ring) {
        json_object_set_new(object, "cap", tally->cap > 0 ? json_integer(tally->cap) : json_null());
    }
    if (counts(description)) {
        json_object_set_new(object, "levels", json_integer(tally->levels));
        json_object_set_new(object, "flip", json_real(tally->flip));
        json_object_set_new(object, "shuffle",
                            json_string(netdp_shuffle_name(description->counting.shuffle)));
        return object;
    }
    json_object_set_new(object, "mechanism",
                        json_string(netdp_i_tally_mechanisms[tally->mechanism]));
    if (tally->mechanism == NETDP_DISCRETE_GAUSSIAN)
        json_object_set_new(object, "grid", json_integer(tally->grid));
    if (ring)
        json_object_set_new(object, "schedule",
                            json_string(netdp_i_tally_schedules[tally->schedule]));
    netdp_i_show_pairing(&tally->pairing, object);
    return object;
}

static netdp_status tally_words(const netdp_i_description *description, double noise, char **text,
                                netdp_error *error)
{
    netdp_tally tally = description->tally;
    tally.noise = noise;
    return netdp_tally_words(&tally, description->named->name, text, error);
}

/* Gaussian sums have a loss, or a Renyi curve where the path is random; nothing else has. */
static const char *tally_unit(const netdp_i_question *question, const netdp_protocol *named)
{
    if ((named->settings & NETDP_SETTING_SUM) == 0 ||
        question->settings.mechanism != NETDP_GAUSSIAN)
        return "dp:1e-6";
    return named->settings & NETDP_SETTING_RING ? "loss" : "rdp:2";
}

static const char *tally_mixing(const netdp_i_description *description)
{
    return description->tally.graph == NETDP_TALLY_RING ? "the next node" : "uniform";
}

const netdp_i_describing netdp_i_describing_tally = {
    .rounds = "passes or steps",
    .unit = tally_unit,
    .read = read_tally,
    .losses = tally_losses,
    .calibrate = calibrate_tally,
    .mixing = tally_mixing,
    .protocol = tally_json,
    .words = tally_words,
};
