#include "account/losses/losses.h"
#include "cli/common/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "account/losses/label.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "protocol/noise.h"

typedef struct calibrate_options {
    netdp_i_description_options description;
    const char *as, *over;
    char unit[NETDP_UNIT_ROOM]; /* `as`, spelled as everywhere */
    double target, max_noise;
    bool tune_dither, tune_pairs, json;
} calibrate_options;

static netdp_status read_target(calibrate_options *o, const netdp_i_arguments *arguments,
                                netdp_target *target, netdp_error *error)
{
    REFUSE(!netdp_i_cli_given(arguments, "target") || o->as == NULL,
           "give the target, for example --target 1 --as dp:1e-6");
    REFUSE(strcmp(o->over, "worst") != 0 && strcmp(o->over, "mean") != 0,
           "--over: must be worst or mean");
    *target = (netdp_target){
        .epsilon = o->target,
        .over = strcmp(o->over, "mean") == 0 ? NETDP_OVER_MEAN : NETDP_OVER_WORST,
        .max_noise = o->max_noise,
        .tune_dither = o->tune_dither,
        .tune_pairs = o->tune_pairs,
    };
    TRY(netdp_i_within(error, netdp_unit_parse(o->as, &target->unit, error), "--as"));
    netdp_unit_text(target->unit, o->unit);
    return netdp_i_question_target(&o->description.question, target, error);
}

static netdp_status print_json(const calibrate_options *o, const netdp_i_description *d,
                               const netdp_target *target, const netdp_calibration *c,
                               const netdp_losses *losses, netdp_error *error)
{
    const netdp_summary *s = &c->achieved;
    netdp_guarantee guarantee;
    netdp_losses_guarantee(losses, target->over == NETDP_OVER_MEAN ? s->mean : s->max, target->unit,
                           &guarantee);
    json_t *object = netdp_i_describe_json(
        d, &guarantee,
        netdp_i_question_flips(&o->description.question) ? json_null() : json_real(c->sigma),
        json_pack("{s:o, s:I}", "dither",
                  d->mixing == NULL ? json_null() : json_real(c->noise.dither), "rounds",
                  (json_int_t)c->rounds));
    json_object_update_new(
        object, json_pack("{s:{s:f, s:s, s:s}, s:{s:o, s:I, s:o, s:o, s:{s:i, s:o}, s:o}}",
                          "target", "epsilon", o->target, "unit", o->unit, "over", o->over,
                          "achieved", "epsilon", netdp_i_json_double(guarantee.value), "pairs",
                          (json_int_t)s->pairs, "mean", netdp_i_json_double(s->mean), "max",
                          netdp_i_json_double(s->max), "worst", "from", (int)s->worst_from, "to",
                          losses->members == 1 ? json_integer(s->worst_to)
                                               : netdp_i_describe_observer(losses, 0),
                          "local", netdp_i_json_double(s->local)));
    if (object != NULL)
        netdp_i_given_json(losses->given, losses->given_count, object);
    if (object != NULL && target->tune_pairs)
        netdp_i_noise_show(&c->noise, NETDP_SETTING_PAIRS, object);
    return netdp_i_cli_print_json(object, error);
}

static netdp_status print_table(const calibrate_options *o, const netdp_i_description *d,
                                const netdp_calibration *c, const netdp_losses *losses,
                                netdp_error *error)
{
    const netdp_summary *s = &c->achieved;
    if (netdp_i_question_flips(&o->description.question))
        printf("flip %s", netdp_i_up(c->sigma, 10).text);
    else
        printf("noise %s Delta", netdp_i_up(c->sigma, 10).text);
    if (d->mixing != NULL)
        printf(", dither %.6g", c->noise.dither);
    if (c->noise.decay > 0)
        printf(" / t^%.6g", c->noise.decay);
    if (d->named->settings & NETDP_SETTING_END_DITHER)
        printf(", end dither %.6g", c->noise.end);
    if (o->tune_pairs)
        printf(", pair-noise %.6g", c->noise.pairing.kappa);
    printf(", %" PRId64 " %s\n", c->rounds, d->mixing == NULL ? "steps" : "rounds");
    printf("achieved (%s): mean %s, worst %s (from %" PRId32 " to %" PRId32
           "), local differential privacy %s\n",
           o->unit, netdp_i_up(s->mean, 6).text, netdp_i_up(s->max, 6).text, s->worst_from,
           s->worst_to, netdp_i_up(s->local, 6).text);
    TRY(netdp_i_describe_print(d, c->sigma, error));
    if (strcmp(o->over, "mean") == 0)
        netdp_i_describe_worst(losses, s);
    return netdp_i_describe_verdict(losses, error);
}

/* The least noise, and what it is of. */
static netdp_status calibrate(calibrate_options *o, const netdp_i_arguments *arguments,
                              netdp_error *error)
{
    CLEARED(netdp_i_description_clear) netdp_i_description description = {0};
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    netdp_target target;
    netdp_calibration calibration;
    if (strcmp(o->description.question.bound, "list") == 0) {
        netdp_i_describe_bounds();
        return NETDP_OK;
    }
    TRY(read_target(o, arguments, &target, error));
    TRY(netdp_i_describe(&o->description, arguments, &description, error));
    REFUSE(description.engine != NULL && description.named->kind != NETDP_GOSSIP,
           "--engine: calibrate works in one process for %s; leave it out, or try noises with "
           "netdp loss --engine mpi",
           description.named->name);
    TRY(netdp_i_confirm(&description, error));
    WATCHED(false, description.kind->calibrate(&description, &target, &progress, &calibration,
                                               &losses, error));
    return o->json ? print_json(o, &description, &target, &calibration, losses, error)
                   : print_table(o, &description, &calibration, losses, error);
}

netdp_status netdp_i_command_calibrate(int argc, const char **argv, netdp_error *error)
{
    calibrate_options o = {
        .description = netdp_i_description_usual(), .over = "worst", .max_noise = 1e6};
    o.description.question.calibrates = true;
    const netdp_i_option table[] = {
        NETDP_I_DESCRIPTION_OPTIONS(o.description),
        HEADING("The target:"),
        OPTION(NUMBER, "target", &o.target, "EPSILON", "the guarantee to reach", "required"),
        OPTION(TEXT, "as", &o.as, "dp:DELTA|rdp:ALPHA", "what the target is an epsilon of",
               "required"),
        OPTION(TEXT, "over", &o.over, "worst|mean", "for the worst of the pairs, or their mean",
               "worst"),
        SWITCH("tune-dither", &o.tune_dither,
               "choose the dither too, and its decay (averaging) or the end dither (muffliato-sgd) "
               "where that is not given: every dither in 0.005 .. 2, for the least noise in the "
               "result; up to 4,000 nodes"),
        SWITCH("tune-pairs", &o.tune_pairs,
               "choose kappa of --pair-graph, the dither and, with --rounds auto, the rounds of "
               "averaging for the least predicted error; up to 4,000 nodes"),
        OPTION(NUMBER, "max-noise", &o.max_noise, "SIGMA",
               "largest noise to try, in units of the sensitivity", "1e6"),
        SWITCH("json", &o.json, "one JSON object"),
        {0},
    };
    const netdp_i_narrowing narrowing = netdp_i_describe_narrowing(&o.description);
    const netdp_i_usage usage = {
        .command = "calibrate",
        .arguments = "",
        .what = "The least noise, on the safe side, that meets a target.",
        .examples = "  netdp calibrate --family \"hypercube 6\" --rounds auto --target 1 --as "
                    "dp:1e-6 --over mean\n",
        .options = table,
        .narrowing = &narrowing,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return calibrate(&o, &arguments, error);
}
