/* Bounds of paper E for sums and histograms by a token, and the baselines that it compares with. */
#include <math.h>

#include <netdp/walk.h>

#include "account/tally/tally.h"
#include "account/walk/visits.h"
#include "base/fail.h"
#include "base/try.h"

static bool small(double delta)
{
    return delta > 0 && delta < 0.5;
}

static netdp_status check_terms(const netdp_tally *tally, const netdp_tally_terms *terms,
                                netdp_form form, netdp_error *error)
{
    TRY(netdp_tally_check(tally, error));
    const bool complete = tally->graph == NETDP_TALLY_COMPLETE;
    if (!(terms->epsilon > 0 && terms->epsilon < INFINITY) || !small(terms->delta) ||
        !small(terms->delta_compose) ||
        (complete &&
         (!small(terms->delta_visits) || (!tally->hidden && !small(terms->delta_spotted)))))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: a published bound needs an epsilon above 0, and deltas of a "
                            "contribution, of composition and, on the complete graph, of visits "
                            "and (path not hidden) of spotted contributions, in (0, 1/2)");
    if (terms->colluders < 1 || terms->colluders >= tally->nodes)
        return netdp_i_fail(error, NETDP_INVALID, "tally: %d colluders; give 1 to %d",
                            (int)terms->colluders, (int)tally->nodes - 1);
    return netdp_i_check_choice("form", (int64_t)form, NETDP_FORM_CORRECTED, error);
}

static netdp_status compose(netdp_tally_published *bound, double delta, double delta_compose,
                            netdp_error *error)
{
    return netdp_advanced_composition(bound->each, delta, (int64_t)bound->contributions,
                                      delta_compose, &bound->epsilon, &bound->delta, error);
}

/* ---- the ring ---- */

static netdp_status published_ring(const netdp_tally *tally, const netdp_tally_terms *terms,
                                   netdp_form form, netdp_tally_published *bound,
                                   netdp_error *error)
{
    const bool sum = tally->task == NETDP_TALLY_SUM;
    bound->contributions = (double)tally->passes;
    bound->each = terms->epsilon;
    bound->upper = true;
    if (terms->colluders > 1 || tally->release ||
        (sum && tally->schedule == NETDP_TALLY_SPREAD)) { /* Remark 1 has no bound of its own */
        bound->each = INFINITY;
    } else if (!sum && form == NETDP_FORM_PRINTED) {
        bound->each = terms->epsilon * sqrt(tally->nodes / -log(terms->delta)) / 12;
        if (!(tally->nodes > 1000 && bound->each < 0.5 && terms->delta < 0.01))
            bound->each = INFINITY;
        bound->upper = bound->each >= terms->epsilon; /* nodes >= 144 ln(1/delta) */
    } else if (!sum) {
        const netdp_shuffle crowd = {.epsilon0 = terms->epsilon, .crowd = tally->nodes - 1};
        TRY(netdp_shuffle_epsilon(NETDP_SHUFFLE_ERLINGSSON, &crowd, terms->delta, &bound->each,
                                  error));
    }
    return compose(bound, terms->delta, terms->delta_compose, error);
}

/* ---- the complete graph ---- */

/* 2 gamma_n = 2 (1 - (1-1/n)^{c^2 n^{2/3}}), of small cycles */
static double small_cycles(double nodes, double c)
{
    return -2 * expm1(c * c * cbrt(nodes) * cbrt(nodes) * log1p(-1 / nodes));
}

/*
 * Theorem 6, as Theorem 3 with 14 sqrt(ln(4/delta)) / (c n^{1/3}) for large cycles, which needs
 * e^epsilon <= c^2 n^{2/3} / (16 ln(2/delta)): the best c is where both are alike, or the least
 * that is allowed.
 */
static void best_cycle(int32_t nodes, const netdp_tally_terms *terms, netdp_tally_published *bound)
{
    const double third = cbrt(nodes), large = 14 * sqrt(log(4 / terms->delta)) / third;
    const double least = sqrt(16 * log(2 / terms->delta) * exp(terms->epsilon)) / third;
    double low = 0, high = 1;
    while (small_cycles(nodes, high) < large / high)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        const double c = low + (high - low) / 2;
        if (small_cycles(nodes, c) < large / c)
            low = c;
        else
            high = c;
    }
    bound->constant = fmax(high, least * (1 + 1e-15));
    bound->each =
        fmax(small_cycles(nodes, bound->constant), large / bound->constant) * terms->epsilon;
}

static double count_contributions(const netdp_complete_walk *walk, netdp_form form)
{
    if (walk->cap > 0)
        return (double)(walk->cap < walk->steps ? walk->cap : walk->steps);
    if (form == NETDP_FORM_PRINTED)
        return netdp_visits_chernoff((double)walk->steps / walk->nodes, walk->delta_visits);
    return (double)netdp_i_binomial_quantile(walk->steps, walk->nodes, walk->delta_visits);
}

/* Theorem 3, or Theorem 6. */
static netdp_status hidden_part(const netdp_tally *tally, const netdp_complete_walk *walk,
                                const netdp_tally_terms *terms, netdp_form form,
                                netdp_tally_published *bound, netdp_error *error)
{
    netdp_complete_loss loss;
    if (tally->task == NETDP_TALLY_SUM) {
        TRY(netdp_closed_sum(walk, form, &loss, error));
        bound->contributions = loss.contributions;
        bound->each = loss.each;
        bound->constant = loss.constant;
        bound->epsilon = loss.epsilon;
        bound->delta = loss.delta;
        return NETDP_OK;
    }
    bound->contributions = count_contributions(walk, form);
    best_cycle(walk->nodes, terms, bound);
    const double count = bound->contributions;
    bound->epsilon =
        sqrt(2 * count * -log(terms->delta_compose)) * bound->each +
        count * (form == NETDP_FORM_PRINTED ? terms->epsilon : bound->each) * expm1(bound->each);
    bound->delta =
        (form == NETDP_FORM_PRINTED ? (double)walk->steps / walk->nodes : count) * terms->delta +
        terms->delta_compose + (walk->cap > 0 ? 0 : terms->delta_visits);
    return NETDP_OK;
}

static netdp_status published_complete(const netdp_tally *tally, const netdp_tally_terms *terms,
                                       netdp_form form, netdp_tally_published *bound,
                                       netdp_error *error)
{
    const netdp_complete_walk walk = {.nodes = tally->nodes / terms->colluders,
                                      .steps = tally->steps,
                                      .cap = tally->cap,
                                      .epsilon = terms->epsilon,
                                      .delta = terms->delta,
                                      .delta_compose = terms->delta_compose,
                                      .delta_visits = terms->delta_visits};
    netdp_spotted spotted;
    if (walk.nodes < 2 || !(terms->epsilon < 1) || tally->release) {
        bound->epsilon = bound->each = INFINITY;
        bound->delta = terms->delta;
        return NETDP_OK;
    }
    TRY(hidden_part(tally, &walk, terms, form, bound, error));
    if (tally->hidden || isinf(bound->epsilon))
        return NETDP_OK;
    TRY(netdp_spotted_loss(&walk, terms->delta_spotted, 0, form, &spotted, error));
    const bool simple = spotted.simple <= spotted.advanced;
    bound->spotted = simple ? spotted.simple : spotted.advanced;
    bound->epsilon += bound->spotted;
    /* What the contributions themselves have of delta is in the sum already, once each. */
    bound->delta +=
        terms->delta_spotted + (simple || form == NETDP_FORM_PRINTED ? 0 : terms->delta_compose);
    return NETDP_OK;
}

netdp_status netdp_tally_published_bound(const netdp_tally *tally, const netdp_tally_terms *terms,
                                         netdp_form form, netdp_tally_published *bound,
                                         netdp_error *error)
{
    NETDP_I_GIVEN(error, tally && terms && bound);
    netdp_tally_published found = {0};
    TRY(check_terms(tally, terms, form, error));
    TRY(tally->graph == NETDP_TALLY_RING ? published_ring(tally, terms, form, &found, error)
                                         : published_complete(tally, terms, form, &found, error));
    found.delta = fmin(1, found.delta);
    *bound = found;
    return NETDP_OK;
}

netdp_status netdp_tally_published_local(const netdp_tally *tally, const netdp_tally_terms *terms,
                                         netdp_form form, netdp_tally_published *bound,
                                         netdp_error *error)
{
    NETDP_I_GIVEN(error, tally && terms && bound);
    netdp_tally_published found = {.each = terms->epsilon, .upper = true};
    TRY(check_terms(tally, terms, form, error));
    if (tally->graph == NETDP_TALLY_RING) {
        found.contributions = (double)tally->passes;
    } else {
        const netdp_complete_walk walk = {.nodes = tally->nodes,
                                          .steps = tally->steps,
                                          .cap = tally->cap,
                                          .delta_visits = terms->delta_visits};
        found.contributions = count_contributions(&walk, form);
    }
    /* The printed number is no integer. */
    const double count = found.contributions;
    found.epsilon = count * terms->epsilon * expm1(terms->epsilon) +
                    sqrt(2 * count * -log(terms->delta_compose)) * terms->epsilon;
    found.epsilon = netdp_i_tally_up(found.epsilon, 8);
    found.delta = count * terms->delta + terms->delta_compose;
    if (tally->graph == NETDP_TALLY_COMPLETE && tally->cap == 0)
        found.delta += terms->delta_visits;
    found.delta = fmin(1, netdp_i_tally_up(found.delta, 4));
    *bound = found;
    return NETDP_OK;
}

netdp_status netdp_tally_baselines(const netdp_tally *tally, double epsilon, double delta,
                                   netdp_tally_deviations *deviations, netdp_error *error)
{
    NETDP_I_GIVEN(error, tally && deviations);
    double mu;
    TRY(netdp_tally_check(tally, error));
    if (tally->task != NETDP_TALLY_SUM || tally->mechanism != NETDP_GAUSSIAN ||
        (tally->graph == NETDP_TALLY_COMPLETE && tally->cap == 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: baselines are those of sums with Gaussian noise; on the "
                            "complete graph give a cap");
    TRY(netdp_epsilon_to_gdp(epsilon, delta, &mu, error));
    const int64_t steps = netdp_tally_steps(tally);
    const double count = (double)netdp_tally_contributions(tally);
    deviations->network = tally->noise * sqrt(netdp_tally_energy(tally, 0, steps));
    deviations->local = sqrt(count * (double)steps) / mu;
    deviations->central = count / mu;
    return NETDP_OK;
}
