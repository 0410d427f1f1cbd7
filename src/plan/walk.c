#include "plan/walk.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/walk.h>

#include "account/walk/given_path.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/alike.h"
#include "plan/constants.h"
#include "protocol/threat.h"

/* Rows are of unit length up to rounding, and so is the largest step that beta allows. */
#define ROUNDING 1e-12

/* The steps of pairs that fit into a minute of a slow core. */
#define MOST_STEPS 7e5

/* ---- the description ---- */

/* The largest step that expands no distance: 2 / beta of the loss of every row that there may be, 0
 * where any may; of |x - y|^2 / 2, 2; for the heaviest gradient. */
static double largest_step(const netdp_i_variant *variant)
{
    const netdp_i_problem *problem = variant->problem;
    const int32_t nodes = netdp_graph_nodes(problem->graph);
    double scale = 0;
    for (int32_t u = 0; u < nodes; u++)
        scale = fmax(scale, netdp_token_scale(&variant->token, u));
    return 2 / scale /
           (problem->train == NULL ? 1
                                   : netdp_smoothness_within(&problem->objective, problem->square));
}

bool netdp_i_plan_walk_contracts(netdp_bound bound)
{
    return bound == NETDP_BOUND_EXCURSION_CONTRACTING || bound == NETDP_BOUND_LEAST ||
           bound == NETDP_BOUND_GIVEN_PATH;
}

/*
 * What every step multiplies the distance of any two models by, at most, where none is longer than 2 / beta: by its
 * Hessian, between l2 and beta; a node that only adds noise takes the l2 of a task that learns. The
 * mean's pull is its contribution, which not every step has. 0: by nothing, or not alike in all.
 */
static double contraction_of(const netdp_i_variant *variant)
{
    const netdp_i_problem *problem = variant->problem;
    const netdp_token *token = &variant->token;
    const double step = variant->study->task.step;
    const bool silent = token->cap > 0 || (token->route != NULL && token->route->rests != NULL);
    const double least = problem->train != NULL ? problem->objective.l2 : silent ? 0 : 1;
    const double beta =
        problem->train != NULL ? netdp_smoothness_within(&problem->objective, problem->square) : 1;
    /* |x|^2 of unit rows is 1 to rounding only. */
    const double factor =
        fmax(1 - step * least, step * beta * (1 + ROUNDING) - 1) + 8 * DBL_EPSILON;
    return token->weighted || least == 0 || factor >= 1 ? 0 : fmax(factor, DBL_MIN);
}

/*
 * What the excursion accountant cannot see: rows are clipped before the mean over them and a ball
 * is convex, by construction; that the step is constant and short enough is checked here.
 */
static netdp_status choose_bound(netdp_i_variant *variant, netdp_error *error)
{
    const double step = variant->study->task.step, largest = largest_step(variant);
    const bool keeps = step <= largest * (1 + ROUNDING) && variant->study->task.decay == 0;
    const netdp_bound_info *info = NULL;
    variant->token.contraction =
        keeps && variant->role != NETDP_I_LOCAL ? contraction_of(variant) : 0;
    if (variant->role == NETDP_I_LOCAL) {
        variant->bound = NETDP_BOUND_LOCAL;
        return NETDP_OK;
    }
    const char *counted = variant->token.route != NULL ? "as many as the path has"
                          : variant->token.cap > 0     ? "as many as the cap allows"
                                                       : "without a cap, one in every step";
    TRY(netdp_i_within(error,
                       netdp_walk_bound_choose(&variant->token, variant->bound, &info, error),
                       "%s: privacy", variant->study->path));
    if (!netdp_i_plan_walk_contracts(info->bound))
        variant->token.contraction = 0;
    if (keeps)
        return NETDP_OK;
    REFUSE(
        info->bound == NETDP_BOUND_FIRST_PASSAGE ||
            (info->sound && variant->bound != NETDP_BOUND_AUTO && info->bound != NETDP_BOUND_LOCAL),
        "%s: privacy.bound: %s needs a constant task.step at most 2/beta = %g, "
        "since longer steps may expand distances and shrinking ones hide less; give local",
        variant->study->path, info->name, largest);
    if (variant->bound != NETDP_BOUND_AUTO)
        return NETDP_OK;
    variant->bound = NETDP_BOUND_LOCAL;
    if (variant->study->task.decay > 0) {
        snprintf(variant->why, sizeof variant->why,
                 "task.decay %g: steps shrink, and i later noise terms no longer hide a "
                 "contribution to 1/i; every contribution counts as seen at once (%s)",
                 variant->study->task.decay, counted);
        return NETDP_OK;
    }
    if (largest == 0) {
        snprintf(variant->why, sizeof variant->why,
                 "nothing bounds the rows, so no step is known to keep distances (their own norms "
                 "are private): give data.radius; every contribution counts as seen at once (%s)",
                 counted);
        return NETDP_OK;
    }
    snprintf(variant->why, sizeof variant->why,
             "task.step %g is above 2/beta = %g, so steps may expand distances and nothing is "
             "gained on the way; every contribution counts as seen at once (%s)",
             step, largest, counted);
    return NETDP_OK;
}

static netdp_status describe(netdp_i_variant *variant, netdp_error *error)
{
    const bool accounts = netdp_i_study_accounts(variant->study);
    TRY(netdp_i_variant_ask(variant, error));
    variant->token = variant->about.token;
    REFUSE(!accounts && variant->token.start == NETDP_START_OBSERVER,
           "%s: protocol.start: observer is a question for accounts; a walk that "
           "runs starts at one node, or uniformly",
           variant->study->path);
    if (!accounts) /* which has no step: the summary names the assumption */
        TRY(choose_bound(variant, error));
    return netdp_token_check(&variant->token, error);
}

bool netdp_i_plan_walk_is_weighted(const netdp_i_variant *variant)
{
    if (variant->kind != NETDP_WALK || variant->token.weighted) /* weights make up for it */
        return false;
    const double *pi = netdp_transition_stationary(variant->token.law);
    const int32_t nodes = netdp_transition_rows(variant->token.law).nodes;
    for (int32_t u = 0; u < nodes; u++)
        if (fabs(pi[u] * nodes - 1) > 1e-9)
            return true;
    return false;
}

/* ---- the noise ---- */

/*
 * The node that local differential privacy costs most: its gradient's square, as often as a path
 * that is public has it contribute; on a hidden path all may as often.
 */
static netdp_status costliest_node(const netdp_i_variant *variant, int32_t *most,
                                   netdp_error *error)
{
    const netdp_token *token = &variant->token;
    int64_t *made = NULL;
    double cost = -1;
    if (token->route != NULL) {
        TRY(netdp_i_given_contributions(token, &made, error));
    }
    for (int32_t u = 0; u < netdp_graph_nodes(variant->problem->graph); u++) {
        const double scale = netdp_token_scale(token, u);
        const double own = (made != NULL ? (double)made[u] : 1) * scale * scale;
        if (own > cost) {
            cost = own;
            *most = u;
        }
    }
    netdp_i_free(made);
    return NETDP_OK;
}

/* Whose losses; a pair of the local baseline stands in `pair` meanwhile. */
static netdp_status ask(const netdp_i_variant *variant, int32_t pair[2],
                        netdp_walk_request *request, netdp_error *error)
{
    const netdp_study *study = variant->study;
    *request = (netdp_walk_request){.token = &variant->token,
                                    .bound = variant->bound,
                                    .from_count = variant->source_count,
                                    .from = variant->source,
                                    .to_count = variant->observer_count,
                                    .to = variant->observer,
                                    .coalition = variant->coalition};
    if (variant->role == NETDP_I_LOCAL) { /* every observer is alike, and no node costs more */
        TRY(costliest_node(variant, &pair[0], error));
        pair[1] = pair[0] == 0 ? 1 : 0;
        request->from_count = request->to_count = 1;
        request->from = &pair[0];
        request->to = &pair[1];
    }
    netdp_i_constants constants;
    TRY(netdp_i_constants_read(study->protocol.law, &constants, error));
    return netdp_i_constants_cost(&constants, study->privacy.delta, &request->law_epsilon,
                                  &request->law_delta, error);
}

static netdp_status account(netdp_i_variant *variant, const netdp_progress *progress,
                            netdp_losses **losses, netdp_error *error)
{
    int32_t pair[2];
    netdp_walk_request request;
    TRY(ask(variant, pair, &request, error));
    request.noise = variant->noise;
    request.unit = netdp_i_study_unit(variant->study);
    return netdp_walk_losses_new(&request, progress, losses, error);
}

static netdp_status calibrate(netdp_i_variant *variant, netdp_calibration *calibration,
                              netdp_losses **losses, const netdp_progress *progress,
                              netdp_error *error)
{
    const netdp_study *study = variant->study;
    const netdp_target target = {.epsilon = study->privacy.epsilon,
                                 .unit = netdp_i_study_unit(study),
                                 .over = study->privacy.over,
                                 .max_noise = 1e6,
                                 .even_unsound = variant->bound != NETDP_BOUND_AUTO};
    int32_t pair[2];
    netdp_walk_request request;
    TRY(ask(variant, pair, &request, error));
    if (request.law_epsilon >= study->privacy.epsilon && !isinf(study->privacy.epsilon))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "privacy.epsilon %g is out of reach: protocol.law alone costs %g (at "
                            "delta %g); raise its noise, narrow its range or raise epsilon",
                            study->privacy.epsilon, request.law_epsilon, request.law_delta);
    TRY(netdp_walk_calibrate(&request, &target, progress, calibration, losses, error));
    variant->noise = calibration->sigma;
    return NETDP_OK;
}

static netdp_status again(const netdp_i_variant *variant, const netdp_i_pairs_of *pairs,
                          const netdp_progress *progress, netdp_losses **losses, netdp_error *error)
{
    int32_t pair[2];
    netdp_walk_request request;
    TRY(ask(variant, pair, &request, error));
    request.noise = variant->noise;
    request.unit = netdp_i_study_unit(variant->study);
    request.from_count = pairs->from_count;
    request.from = pairs->from;
    request.to_count = pairs->to_count;
    request.to = pairs->to;
    return netdp_walk_losses_new(&request, progress, losses, error);
}

netdp_status netdp_i_plan_walk_ask(const netdp_i_variant *variant, netdp_walk_request *request,
                                   netdp_error *error)
{
    int32_t pair[2];
    TRY(ask(variant, pair, request, error));
    request->noise = variant->noise;
    request->unit = netdp_i_study_unit(variant->study);
    return NETDP_OK;
}

static netdp_threat threat(const netdp_i_variant *variant)
{
    return netdp_i_threat_token(variant->token.release);
}

/* ---- a run ---- */

static netdp_status add_contributions(const netdp_token *token, const int32_t *path,
                                      netdp_i_contributions *made, netdp_error *error)
{
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    OWNED int64_t *each = NETDP_I_NEW(int64_t, nodes);
    NEED(each);
    TRY(netdp_realised_contributions(token, path, each, error));
    for (int32_t u = 0; u < nodes; u++) {
        made->most = each[u] > made->most ? each[u] : made->most;
        made->all += each[u];
        const double scale = netdp_token_scale(token, u);
        /* Up by what squaring and multiplying round. */
        const double square = token->weighted ? scale * scale * (1 + 0x1p-50) : 1;
        made->cost = fmax(made->cost, (double)each[u] * square);
    }
    return NETDP_OK;
}

static netdp_status simulate(const netdp_i_variant *variant, netdp_run_seed seed,
                             netdp_tracing tracing, double *result, netdp_i_contributions *made,
                             netdp_error *error)
{
    const netdp_i_problem *problem = variant->problem;
    const netdp_study *study = variant->study;
    const netdp_token *token = &variant->token;
    const netdp_walking walking = {.objective = problem->objective,
                                   .train = problem->train,
                                   .test = problem->test,
                                   .values = problem->values,
                                   .width = problem->width,
                                   .step = study->task.step,
                                   .decay = study->task.decay,
                                   .batch = study->task.batch,
                                   .noise = variant->noise * problem->sensitivity,
                                   .radius = study->task.radius};
    OWNED double *model = NETDP_I_NEW(double, (int64_t)token->tokens * problem->width);
    OWNED int32_t *path = NETDP_I_NEW(int32_t, (token->steps + 1) * token->tokens);
    if (model == NULL || path == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_simulate_walk(token, &walking, seed, tracing, model, path, error));
    TRY(add_contributions(token, path, made, error));
    memset(result, 0, (size_t)problem->width * sizeof *result);
    for (int32_t k = 0; k < token->tokens; k++)
        for (int32_t j = 0; j < problem->width; j++)
            result[j] += model[(int64_t)k * problem->width + j] / token->tokens;
    return NETDP_OK;
}

netdp_status netdp_i_plan_walk_contributions(const netdp_i_variant *variant,
                                             const netdp_i_contributions *made, int64_t runs,
                                             json_t **told, netdp_error *error)
{
    const netdp_unit unit = {NETDP_AS_DP, variant->study->privacy.delta};
    const double nodes = netdp_graph_nodes(variant->problem->graph);
    double epsilon = 0;
    netdp_i_constants constants;
    TRY(netdp_i_constants_read(variant->study->protocol.law, &constants, error));
    TRY(netdp_loss_value(made->cost, variant->noise, unit, &epsilon, error));
    const bool public = variant->token.route != NULL,
               guarantee = public && constants.kind == NETDP_I_CONSTANTS_NONE;
    json_t *object =
        json_pack("{s:o, s:I, s:f, s:{s:o, s:b, s:s}}", "cap",
                  variant->token.cap > 0 ? json_integer(variant->token.cap) : json_null(),
                  "realised_max", (json_int_t)made->most, "mean",
                  (double)made->all / (nodes * (double)runs), "local_at_realised_max", "epsilon",
                  netdp_i_json_double(epsilon), "guarantee", guarantee, "why",
                  guarantee ? "public path, known before the run"
                  : public  ? "public path, but what made its law is not counted"
                            : "data-independent path, known after the fact");
    NEED(object);
    *told = object;
    return NETDP_OK;
}

static int64_t steps(const netdp_i_variant *variant)
{
    return variant->token.steps;
}

/* By steps of pairs; given a path, by a look at it for each observer. */
static double effort(const netdp_i_variant *variant)
{
    const double n = netdp_graph_nodes(variant->problem->graph);
    return (variant->token.route != NULL ? n : n * (n - 1)) * (double)variant->token.steps /
           MOST_STEPS;
}

/* A given path tells nodes apart that the law does not. */
static bool is_alike(const netdp_i_variant *variant)
{
    return variant->token.start == NETDP_START_UNIFORM && variant->token.route == NULL &&
           netdp_i_rows_alike(netdp_transition_rows(variant->token.law));
}

const netdp_i_planning netdp_i_planning_walk = {"walk", describe, account,  calibrate,
                                                again,  threat,   NULL,     steps,
                                                NULL,   effort,   is_alike, simulate};
