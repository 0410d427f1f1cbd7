/*
 * The least noise that meets a target: the account does not depend on the noise (but for
 * rounds: auto), so losses are computed once and the search runs over their conversion alone.
 */
#include <netdp/account.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/gossip/pairs_left.h"
#include "account/losses/losses.h"
#include "account/losses/search.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/parallel.h"
#include "base/try.h"

/*
 * Losses are grouped upwards to this relative width: the mean loss errs upward by no more. Next to
 * epsilon = 0 the conversion is steep, and a mean that misses the target's last part by the
 * grouping is searched for again with narrower groups.
 */
#define GROUP_WIDTH 2e-4
#define NARROWER 1e-2
#define NARROWEST 1e-9
#define GROUPED_WELL 5e-4

/* The search ends within this part below the target. */
#define CLOSE_ENOUGH 1e-5

typedef struct group {
    double loss; /* the largest of the group */
    double count;
} group;

typedef struct calibration {
    const netdp_loss_request *request;
    const netdp_target *target;
    netdp_i_accountant accountant;
    const netdp_progress *progress;
    netdp_linear protocol; /* with the rounds and dither of the moment */
    double gap;            /* for rounds auto */
    int64_t least_rounds;  /* the same: that leave little enough of the pairwise noise */
    netdp_losses *losses;  /* at `protocol` */
    int64_t accounted;     /* the rounds of `losses`, 0: none */
    group *groups;
    int64_t group_count;
    double width;   /* of the groups */
    double *values; /* scratch of the mean [group_count] */
    double sigma;   /* of the evaluation under way */
} calibration;

/* The counted losses as groups, largest first; for the worst pair one group is all. */
static netdp_status group_losses(calibration *c, netdp_error *error)
{
    const netdp_losses *l = c->losses;
    int64_t pairs = 0;
    double *sorted = NETDP_I_NEW(double, (int64_t)l->from_count * l->to_count);
    if (sorted == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t u = 0; u < l->from_count; u++)
            if (netdp_losses_counts(l, u, v))
                sorted[pairs++] = l->loss[(int64_t)v * l->from_count + u];
    qsort(sorted, (size_t)pairs, sizeof *sorted, netdp_i_descending);

    netdp_i_free(c->groups);
    netdp_i_free(c->values);
    c->groups = NETDP_I_NEW(group, pairs);
    c->values = NETDP_I_NEW(double, pairs);
    c->group_count = 0;
    if (c->groups == NULL || c->values == NULL) {
        netdp_i_free(sorted);
        return netdp_i_no_memory(error);
    }
    for (int64_t i = 0; i < pairs; i++) {
        group *last = c->group_count > 0 ? &c->groups[c->group_count - 1] : NULL;
        const bool negligible = last != NULL && last->loss <= 1e-12 * sorted[0];
        if (last == NULL || !(sorted[i] > last->loss * (1 - c->width) || negligible))
            c->groups[c->group_count++] = (group){sorted[i], 1};
        else
            last->count++;
    }
    netdp_i_free(sorted);
    if (c->group_count == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "from: every asked node is in the observer set; ask for others");
    return NETDP_OK;
}

/* Losses and groups at the rounds that belong to sigma (fixed unless rounds auto). */
static netdp_status account_at(calibration *c, double sigma, netdp_error *error)
{
    if (c->target->rounds_auto && !c->target->tune_pairs) {
        const int32_t n = netdp_mixing_rows(c->protocol.mixing).nodes;
        TRY(netdp_rounds_auto(c->gap, n, sigma, c->target->variance, &c->protocol.rounds, error));
        if (c->protocol.rounds < c->least_rounds)
            c->protocol.rounds = c->least_rounds;
    }
    if (c->accounted == c->protocol.rounds)
        return NETDP_OK;
    netdp_loss_request request = *c->request;
    request.protocol = &c->protocol;
    netdp_losses *losses = NULL;
    TRY(c->accountant(&request, c->progress, &losses, error));
    netdp_losses_free(c->losses);
    c->losses = losses;
    c->accounted = c->protocol.rounds;
    return group_losses(c, error);
}

static netdp_status convert_group(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    calibration *c = context;
    return netdp_losses_value(c->losses, c->groups[index].loss, c->sigma, c->target->unit,
                              &c->values[index], error);
}

/* The guarantee over the asked pairs at sigma: never below the true one. */
static netdp_status evaluate(void *context, double sigma, double *value, netdp_error *error)
{
    calibration *c = context;
    TRY(account_at(c, sigma, error));
    c->sigma = sigma;
    const bool worst = c->target->over == NETDP_OVER_WORST;
    const int64_t count = worst ? 1 : c->group_count;
    TRY(netdp_i_for_each(count, convert_group, c, NULL, "conversion", error));
    double sum = 0, pairs = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += c->values[i] * c->groups[i].count;
        pairs += c->groups[i].count;
    }
    *value = sum / pairs * (1 + 2.3e-16 * ((double)count + 2));
    return NETDP_OK;
}

/* The noise that meets the target, with the account at it. */
static netdp_status search(calibration *c, double *sigma, netdp_error *error)
{
    if (isinf(c->target->epsilon)) {
        *sigma = 0;
        return account_at(c, 1, error);
    }
    TRY(netdp_i_search_noise(evaluate, c, c->target, CLOSE_ENOUGH, sigma, error));
    return account_at(c, *sigma, error);
}

/* Whether a mean stays below its target by more than the search allows, and groups can shrink. */
static bool grouped_too_widely(const calibration *c, const netdp_summary *achieved)
{
    return c->target->over == NETDP_OVER_MEAN && !c->target->rounds_auto &&
           isfinite(c->target->epsilon) && c->width > NARROWEST &&
           achieved->mean < c->target->epsilon * (1 - GROUPED_WELL);
}

static void calibration_clear(calibration *c)
{
    netdp_losses_free(c->losses);
    netdp_i_free(c->groups);
    netdp_i_free(c->values);
}

/*
 * What is tuned: the dither in logarithms, and the decay or the end dither's logarithm; with noise in
 * pairs kappa's and the rounds' beside it. Below 0.005 a dither costs nothing, above 2 it is worse
 * than fresh noise.
 */
#define LEAST_DITHER 0.005
#define MOST_DITHER 2.0
#define MOST_TUNED_DECAY 1.5
#define LEAST_KAPPA 0.1
#define MOST_KAPPA 1000.0
#define MOST_LONGER 4.0 /* times the rounds of plain averaging */
enum { DITHER, SECOND, PAIRS, ROUNDS, KNOBS };

typedef struct knob {
    double least, most;
    int grid;     /* how many values are tried first, of all knobs together; 1: `first` */
    double first; /* where it begins */
    double step;  /* 0: it stays */
} knob;

static knob grid_of(double least, double most, int grid)
{
    return (knob){least, most, grid, least, grid > 1 ? (most - least) / (grid - 1) : 0};
}

/* Learning whose phases are one round has no dither; a decay needs a third round. */
static void list_knobs(const calibration *c, knob knobs[KNOBS])
{
    const netdp_linear *p = &c->protocol;
    const bool learns = p->every > 0, fixed = c->target->keep_second, pairs = c->target->tune_pairs;
    const double rounds = (double)p->rounds;
    knobs[DITHER] =
        pairs ? (knob){log(LEAST_DITHER), log(MOST_DITHER), 1, log(0.02), log(4)}
              : grid_of(log(LEAST_DITHER), log(MOST_DITHER), learns && p->every == 1 ? 1 : 9);
    knobs[SECOND] = learns ? grid_of(log(LEAST_DITHER), log(MOST_DITHER), fixed ? 1 : 5)
                           : grid_of(0, MOST_TUNED_DECAY, fixed || pairs ? 1 : 4);
    knobs[PAIRS] =
        (knob){log(LEAST_KAPPA), log(MOST_KAPPA), 1, log(10), pairs && !learns ? log(4) : 0};
    knobs[ROUNDS] = (knob){0, log(MOST_LONGER * rounds), 1, log(2 * rounds),
                           knobs[PAIRS].step > 0 && c->target->rounds_auto ? log(2) : 0};
}

/* No dither of any round shall be below the least. */
static double decay_within(const netdp_linear *protocol, double decay)
{
    const double last = (double)(protocol->rounds - 1);
    return last > 1 ? fmax(0, fmin(decay, log(protocol->noise.dither / LEAST_DITHER) / log(last)))
                    : 0;
}

/* What values that differ have not mixed yet, in the mean over nodes and as netdp_noise_error. */
static netdp_status unmixed(const calibration *c, double *part, netdp_error *error)
{
    netdp_linear plain = c->protocol;
    plain.noise.dither = plain.noise.decay = 0;
    plain.noise.pairing = (netdp_pairing){0};
    TRY(netdp_noise_error(&plain, part, error));
    *part = c->target->variance * fmax(0, *part - 0.5 / netdp_mixing_rows(plain.mixing).nodes);
    return NETDP_OK;
}

/* sigma at one place, and the error that it predicts (in units of Delta^2). */
static netdp_status try_place(calibration *c, const knob knobs[KNOBS], const double place[KNOBS],
                              double *sigma, double *predicted, netdp_error *error)
{
    double rest = 0;
    if (knobs[ROUNDS].step > 0)
        c->protocol.rounds = (int64_t)lround(exp(place[ROUNDS]));
    if (knobs[PAIRS].step > 0)
        c->protocol.noise.pairing.kappa = exp(place[PAIRS]);
    if (knobs[DITHER].step > 0)
        c->protocol.noise.dither = exp(place[DITHER]);
    if (knobs[SECOND].step > 0 && c->protocol.every > 0)
        c->protocol.noise.end = exp(place[SECOND]);
    else if (knobs[SECOND].step > 0)
        c->protocol.noise.decay = decay_within(&c->protocol, place[SECOND]);
    c->accounted = 0;
    TRY(search(c, sigma, error));
    TRY(netdp_noise_error(&c->protocol, predicted, error));
    if (knobs[ROUNDS].step > 0)
        TRY(unmixed(c, &rest, error));
    *predicted = *predicted * *sigma * *sigma + rest;
    return NETDP_OK;
}

/* The least predicted error: the best place of a grid, then steps along the knobs that halve. */
static netdp_status tune(calibration *c, double *sigma, netdp_error *error)
{
    enum { HALVINGS = 6 };
    knob knobs[KNOBS];
    if (c->target->tune_pairs && c->target->rounds_auto) {
        TRY(netdp_rounds_auto(c->gap, netdp_mixing_rows(c->protocol.mixing).nodes, 1,
                              c->target->variance, &c->protocol.rounds, error));
    }
    list_knobs(c, knobs);
    double best[KNOBS] = {0}, step[KNOBS], least = INFINITY, predicted = 0;
    for (int k = 0; k < KNOBS; k++)
        step[k] = knobs[k].step;
    for (int i = 0; i < knobs[DITHER].grid * knobs[SECOND].grid; i++) {
        const double place[KNOBS] = {knobs[DITHER].first + step[DITHER] * (i / knobs[SECOND].grid),
                                     knobs[SECOND].first + step[SECOND] * (i % knobs[SECOND].grid),
                                     knobs[PAIRS].first, knobs[ROUNDS].first};
        TRY(try_place(c, knobs, place, sigma, &predicted, error));
        if (predicted < least) {
            least = predicted;
            memcpy(best, place, sizeof best);
        }
    }
    for (int halved = 0; halved < HALVINGS;) {
        bool moved = false;
        for (int k = 0; k < 2 * KNOBS; k++) {
            double place[KNOBS];
            const knob *turned = &knobs[k / 2];
            memcpy(place, best, sizeof place);
            place[k / 2] += (k % 2 == 0 ? 0.5 : -0.5) * step[k / 2];
            if (turned->step == 0 || place[k / 2] < turned->least || place[k / 2] > turned->most)
                continue;
            TRY(try_place(c, knobs, place, sigma, &predicted, error));
            if (!(predicted < least * (1 - 1e-9)))
                continue;
            least = predicted;
            memcpy(best, place, sizeof best);
            moved = true;
        }
        if (moved)
            continue;
        for (int k = 0; k < KNOBS; k++)
            step[k] /= 2;
        halved++;
    }
    return try_place(c, knobs, best, sigma, &predicted, error);
}

static netdp_status check_target(const netdp_loss_request *request, const netdp_target *target,
                                 netdp_error *error)
{
    TRY(netdp_i_check_target(target, error));
    const netdp_bound_info *bound = NULL;
    TRY(netdp_bound_choose(request->protocol, request->bound, &bound, error));
    if (!bound->sound && !target->even_unsound)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: %s is not an upper bound; noise is only calibrated on sound "
                            "bounds",
                            bound->name);
    if (target->tune_dither &&
        ((request->protocol->every > 0 && bound->bound != NETDP_BOUND_PHASE_RELEASE) ||
         bound->bound == NETDP_BOUND_EVERYTHING))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tune-dither: applies to averaging, and to learning by the bound "
                            "phase-release; leave it out");
    if (target->tune_pairs &&
        (request->protocol->every > 0 || request->protocol->noise.pairing.graph == NULL))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "tune-pairs: applies to averaging with a pair graph; give --pair-graph, "
            "or leave it out");
    if (target->rounds_auto && request->protocol->every > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: auto applies to averaging; give the number of rounds");
    return NETDP_OK;
}

netdp_status netdp_calibrate(const netdp_loss_request *request, const netdp_target *target,
                             const netdp_progress *progress, netdp_calibration *calibrated,
                             netdp_losses **losses, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && target && calibrated);
    return netdp_i_calibrate(request, target, netdp_losses_new, progress, calibrated, losses,
                             error);
}

netdp_status netdp_i_calibrate(const netdp_loss_request *request, const netdp_target *target,
                               netdp_i_accountant accountant, const netdp_progress *progress,
                               netdp_calibration *calibrated, netdp_losses **losses,
                               netdp_error *error)
{
    TRY(netdp_i_request_given(request, error));
    TRY(check_target(request, target, error));
    CLEARED(calibration_clear)
    calibration c = {.request = request,
                     .target = target,
                     .accountant = accountant,
                     .progress = progress,
                     .protocol = *request->protocol,
                     .width = GROUP_WIDTH};
    if (!target->rounds_auto)
        TRY(netdp_linear_check(&c.protocol, error));
    if (target->rounds_auto) {
        TRY(netdp_mixing_require(c.protocol.mixing, error));
        TRY(netdp_linear_gap(&c.protocol, &c.gap, error));
        if (!target->tune_pairs)
            TRY(netdp_i_pairs_left_longer(&c.protocol, 1, &c.least_rounds, error));
    }
    netdp_calibration made = {0};
    TRY(target->tune_dither || target->tune_pairs ? tune(&c, &made.sigma, error)
                                                  : search(&c, &made.sigma, error));
    TRY(netdp_losses_summary(c.losses, made.sigma, target->unit, &made.achieved, error));
    while (grouped_too_widely(&c, &made.achieved)) {
        c.width *= NARROWER;
        TRY(group_losses(&c, error));
        TRY(search(&c, &made.sigma, error));
        TRY(netdp_losses_summary(c.losses, made.sigma, target->unit, &made.achieved, error));
    }
    made.noise = c.protocol.noise;
    made.rounds = c.protocol.rounds;
    *calibrated = made;
    if (losses != NULL) {
        *losses = c.losses;
        c.losses = NULL;
    }
    return NETDP_OK;
}
