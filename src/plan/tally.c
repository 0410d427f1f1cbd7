#include "plan/tally.h"

#include <netdp/tally.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"
#include "protocol/threat.h"

/* What intervals of released numbers hold with. */
#define LEVEL 0.95

static bool counts(const netdp_i_variant *variant)
{
    return variant->tally.task == NETDP_TALLY_HISTOGRAM;
}

void netdp_i_plan_tally_set(netdp_i_variant *variant)
{
    *(counts(variant) ? &variant->tally.flip : &variant->tally.noise) = variant->noise;
}

static netdp_status describe(netdp_i_variant *variant, netdp_error *error)
{
    TRY(netdp_i_variant_ask(variant, error));
    variant->tally = variant->about.tally;
    return NETDP_OK;
}

/* Whose losses. */
static netdp_tally_request ask(const netdp_i_variant *variant)
{
    static const int32_t first[] = {0, 1};
    netdp_tally_request request = {.tally = &variant->tally,
                                   .bound = variant->bound,
                                   .unit = {NETDP_AS_DP, variant->study->privacy.delta},
                                   .from_count = variant->source_count,
                                   .from = variant->source,
                                   .to_count = variant->observer_count,
                                   .to = variant->observer};
    if (variant->role == NETDP_I_LOCAL) { /* every pair is alike: one is enough */
        request.bound = NETDP_BOUND_LOCAL;
        request.from_count = request.to_count = 1;
        request.from = &first[0];
        request.to = &first[1];
    }
    return request;
}

static netdp_status account(netdp_i_variant *variant, const netdp_progress *progress,
                            netdp_losses **losses, netdp_error *error)
{
    const netdp_tally_request request = ask(variant);
    netdp_i_plan_tally_set(variant);
    return netdp_tally_losses_new(&request, progress, losses, error);
}

static netdp_status calibrate(netdp_i_variant *variant, netdp_calibration *calibration,
                              netdp_losses **losses, const netdp_progress *progress,
                              netdp_error *error)
{
    const netdp_study *study = variant->study;
    const netdp_tally_request request = ask(variant);
    const netdp_target target = {.epsilon = study->privacy.epsilon,
                                 .unit = request.unit,
                                 .over = study->privacy.over,
                                 .max_noise = 1e6};
    TRY(netdp_tally_calibrate(&request, &target, progress, calibration, losses, error));
    variant->noise = calibration->sigma;
    netdp_i_plan_tally_set(variant);
    return NETDP_OK;
}

static netdp_status again(const netdp_i_variant *variant, const netdp_i_pairs_of *pairs,
                          const netdp_progress *progress, netdp_losses **losses, netdp_error *error)
{
    netdp_tally_request request = ask(variant);
    request.from_count = pairs->from_count;
    request.from = pairs->from;
    request.to_count = pairs->to_count;
    request.to = pairs->to;
    return netdp_tally_losses_new(&request, progress, losses, error);
}

static netdp_threat threat(const netdp_i_variant *variant)
{
    return netdp_i_threat_token(variant->tally.release);
}

/* Half the squared error of the mean contribution; on the complete graph who is visited varies too. */
static netdp_status predict(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_tally *tally = &variant->tally;
    const double steps = (double)netdp_tally_steps(tally);
    (void)error;
    if (tally->graph != NETDP_TALLY_RING || tally->mechanism != NETDP_GAUSSIAN)
        return NETDP_OK;
    const double energy = netdp_tally_energy(tally, 0, netdp_tally_steps(tally));
    variant->predicted = variant->expected =
        0.5 * energy * (tally->noise / steps) * (tally->noise / steps);
    return NETDP_OK;
}

/* A trace of sums as one of means. */
typedef struct scaling {
    netdp_tracing tracing;
    double factor;
} scaling;

static bool scale_row(void *context, const netdp_trace_row *row)
{
    const scaling *s = context;
    netdp_trace_row scaled = *row;
    scaled.objective *= s->factor;
    return s->tracing.trace(s->tracing.context, &scaled);
}

static netdp_tallying tallying_of(const netdp_i_variant *variant)
{
    return (netdp_tallying){.tally = &variant->tally,
                            .values = variant->problem->contribution,
                            .depth = variant->problem->depth,
                            .level = LEVEL};
}

static netdp_status simulate(const netdp_i_variant *variant, netdp_run_seed seed,
                             netdp_tracing tracing, double *result, netdp_i_contributions *made,
                             netdp_error *error)
{
    (void)made; /* each node's are the schedule's */
    const netdp_tallying tallying = tallying_of(variant);
    const double steps = (double)netdp_tally_steps(&variant->tally);
    const int32_t width = variant->problem->width;
    scaling s = {tracing, 1 / (steps * steps)};
    netdp_tracing scaled = tracing;
    if (tracing.trace != NULL) {
        scaled.trace = scale_row;
        scaled.context = &s;
    }
    OWNED netdp_estimate *estimate = NETDP_I_NEW(netdp_estimate, width);
    int64_t contributions = 0;
    NEED(estimate);
    TRY(netdp_simulate_tally(&tallying, seed, scaled, estimate, &contributions, NULL, NULL, error));
    for (int32_t j = 0; j < width; j++)
        result[j] = estimate[j].value / (double)contributions;
    return NETDP_OK;
}

netdp_status netdp_i_plan_tally_released(const netdp_i_variant *variant, json_t **released,
                                         netdp_error *error)
{
    const netdp_tallying tallying = tallying_of(variant);
    const netdp_i_problem *problem = variant->problem;
    OWNED netdp_estimate *estimate = NETDP_I_NEW(netdp_estimate, problem->width);
    int64_t contributions = 0;
    OWNED_BY(json_decref) json_t *list = json_array();
    if (estimate == NULL || list == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_simulate_tally(&tallying, (netdp_run_seed){variant->study->seed, 0},
                             (netdp_tracing){.every = 1}, estimate, &contributions, NULL, NULL,
                             error));
    for (int32_t j = 0; j < problem->width; j++) {
        /* inner values are (value - low) / scale, `contributions` of them */
        const double scale = problem->scale[j], low = problem->low[j] * (double)contributions;
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:o, s:o, s:o, s:f}", "name", problem->column[j], "value",
                            low + scale * estimate[j].value, "deviation",
                            netdp_i_json_double(scale * estimate[j].deviation), "low",
                            netdp_i_json_double(low + scale * estimate[j].low), "high",
                            netdp_i_json_double(low + scale * estimate[j].high), "level", LEVEL));
    }
    *released = GIVE(list);
    return NETDP_OK;
}

/* Its passes, or its steps. */
static int64_t rounds(const netdp_i_variant *variant)
{
    const int64_t passes = variant->study->protocol.rounds;
    return passes > 0 ? passes : netdp_tally_steps(&variant->tally);
}

static netdp_pairing pairing(const netdp_i_variant *variant)
{
    return variant->tally.pairing;
}

static double effort(const netdp_i_variant *variant)
{
    (void)variant;
    return 0; /* closed forms */
}

/* Both graphs look alike from everywhere. */
static bool is_alike(const netdp_i_variant *variant)
{
    return !netdp_pairing_is(&variant->tally.pairing);
}

const netdp_i_planning netdp_i_planning_tally = {"token", describe, account,  calibrate,
                                                 again,   threat,   predict,  rounds,
                                                 pairing, effort,   is_alike, simulate};
