/* Closed forms of papers A and E for walks on the star, the ring and the complete graph: printed and corrected. */
#include <netdp/walk.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "account/published/harmonic.h"
#include "account/walk/visits.h"
#include "base/fail.h"
#include "base/try.h"

static netdp_status check_form(netdp_form form, netdp_error *error)
{
    return netdp_i_check_choice("form", (int64_t)form, NETDP_FORM_CORRECTED, error);
}

static netdp_status check_walk(const netdp_closed_walk *walk, int32_t least, netdp_form form,
                               netdp_error *error)
{
    if (walk->nodes < least)
        return netdp_i_fail(error, NETDP_INVALID, "closed form: %" PRId32 " nodes; give %d or more",
                            walk->nodes, (int)least);
    if (walk->from < 0 || walk->from >= walk->nodes || walk->to < 0 || walk->to >= walk->nodes ||
        walk->from == walk->to)
        return netdp_i_fail(error, NETDP_INVALID,
                            "closed form: from node %" PRId32 " to node %" PRId32
                            "; give two different nodes of 0 to %" PRId32,
                            walk->from, walk->to, walk->nodes - 1);
    if (walk->steps < 1)
        return netdp_i_fail(error, NETDP_INVALID, "closed form: %" PRId64 " steps; give 1 or more",
                            walk->steps);
    if (!(walk->loop >= 0 && walk->loop < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "closed form: the walk stays with probability %g; give 0 up to below 1",
                            walk->loop);
    if (!(walk->alpha > 1 && walk->alpha < INFINITY && walk->sigma > 0 && walk->sigma < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID,
                            "closed form: order %g, sigma %g; give an order above 1 and a sigma "
                            "above 0",
                            walk->alpha, walk->sigma);
    return check_form(form, error);
}

/* `unit` alpha / sigma^2 where sigma^2 >= `least` alpha (alpha - 1). */
static double renyi(const netdp_closed_walk *walk, double least, double unit)
{
    const double square = walk->sigma * walk->sigma;
    if (!(square >= least * walk->alpha * (walk->alpha - 1)))
        return INFINITY;
    return walk->alpha / square * unit;
}

/* A/(n-1) has no self-loops: walks of odd or even lengths only. The even ones lack a half. */
static double printed_star(const netdp_closed_walk *walk)
{
    const double m = walk->nodes - 1.0, root = sqrt(m);
    if (walk->from == 0 || walk->to == 0)
        return (1 - walk->loop) / (2 * root) * log((root + 1) / (root - 1));
    return -(1 - walk->loop) / m * log1p(-1 / m);
}

/*
 * With weight w on every edge W has the eigenvalues 1, 1 - nw (centre against leaves) and 1 - w
 * (between leaves).
 */
static double corrected_star(const netdp_closed_walk *walk)
{
    const double n = walk->nodes, w = (1 - walk->loop) / (n - 1);
    const double harmonic = netdp_i_harmonic(walk->steps);
    const double centre = netdp_i_log_series(1 - n * w, walk->steps);
    if (walk->from == 0 || walk->to == 0)
        return (harmonic - centre) / n;
    return harmonic / n + centre / (n * (n - 1)) - netdp_i_log_series(1 - w, walk->steps) / (n - 1);
}

netdp_status netdp_closed_star(const netdp_closed_walk *walk, netdp_form form, double *epsilon,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, walk && epsilon);
    TRY(check_walk(walk, 2, form, error));
    *epsilon =
        renyi(walk, 2, form == NETDP_FORM_PRINTED ? printed_star(walk) : corrected_star(walk));
    return NETDP_OK;
}

/* n times the first form of Theorem 5; a = u + v - 2 of nodes from 1 on is from + to. */
static double printed_ring(const netdp_closed_walk *walk)
{
    const double n = walk->nodes;
    const double a = (double)((walk->from + (int64_t)walk->to) % walk->nodes);
    const bool beside = abs(walk->from - walk->to) == 1;
    double sum = 0;
    for (int32_t k = 1; k < walk->nodes; k++) {
        const double sine = sin(M_PI * k / n);
        sum += cos(M_PI * a * k / n) * log(0.75 / (sine * sine));
    }
    return (beside ? log((double)walk->steps) * cos(2 * M_PI * a / n) : 0) + 2 * sum;
}

/* n times the second form: sum_{t=2}^{T} c^{t-1} is a geometric series. */
static double printed_lazy_ring(const netdp_closed_walk *walk)
{
    const double n = walk->nodes;
    const double a = (double)((walk->from + (int64_t)walk->to) % walk->nodes);
    const bool beside = abs(walk->from - walk->to) == 1;
    const double terms = (double)walk->steps - 1;
    double sum = 0;
    for (int32_t k = 1; k <= walk->nodes; k++) {
        const double c = cos(2 * M_PI * k / n);
        const double powers = k == walk->nodes ? terms : c * (1 - pow(c, terms)) / (1 - c);
        sum += powers * cos(2 * M_PI * (a + 1) * k / n);
    }
    return (beside ? 1 : 0) + (1 - walk->loop) * sum;
}

static double corrected_ring(const netdp_closed_walk *walk)
{
    const double n = walk->nodes, a = walk->from - walk->to;
    double sum = netdp_i_harmonic(walk->steps);
    for (int32_t k = 1; k < walk->nodes; k++) {
        const double sine = sin(M_PI * k / n);
        sum -= cos(2 * M_PI * a * k / n) * log(2 * (1 - walk->loop) * sine * sine);
    }
    return sum;
}

/* A sum of as many terms takes a second. */
enum { MOST_RING = 20000000 };

netdp_status netdp_closed_ring(const netdp_closed_walk *walk, netdp_form form, double *epsilon,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, walk && epsilon);
    double sum;
    TRY(check_walk(walk, 3, form, error));
    if (walk->nodes > MOST_RING)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "ring: a sum over %d nodes; it is added up to %d of them",
                            (int)walk->nodes, MOST_RING);
    if (form == NETDP_FORM_CORRECTED)
        sum = corrected_ring(walk);
    else
        sum = walk->loop == 1.0 / 3 ? printed_ring(walk) : printed_lazy_ring(walk);
    *epsilon = renyi(walk, 2, sum / walk->nodes);
    return NETDP_OK;
}

netdp_status netdp_closed_complete(const netdp_closed_walk *walk, netdp_form form, double *epsilon,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, walk && epsilon);
    TRY(check_walk(walk, 2, form, error));
    *epsilon = renyi(
        walk, 2,
        (form == NETDP_FORM_PRINTED ? log((double)walk->steps) : netdp_i_harmonic(walk->steps)) /
            walk->nodes);
    return NETDP_OK;
}

/* Per order alpha and 1/sigma^2: ln n / n or ln n / (n-1). */
static double passage_unit(int32_t nodes, netdp_form form)
{
    return log(nodes) / (form == NETDP_FORM_PRINTED ? nodes : nodes - 1);
}

netdp_status netdp_closed_passage(const netdp_closed_walk *walk, netdp_form form, double *epsilon,
                                  netdp_error *error)
{
    NETDP_I_GIVEN(error, walk && epsilon);
    TRY(check_walk(walk, 2, form, error));
    *epsilon = renyi(walk, 0.5, passage_unit(walk->nodes, form));
    return NETDP_OK;
}

static bool small(double delta)
{
    return delta > 0 && delta < 0.5;
}

static netdp_status check_complete(const netdp_complete_walk *walk, netdp_form form,
                                   netdp_error *error)
{
    if (walk->nodes < 2)
        return netdp_i_fail(error, NETDP_INVALID, "complete: %" PRId32 " nodes; give 2 or more",
                            walk->nodes);
    if (walk->steps < 1)
        return netdp_i_fail(error, NETDP_INVALID, "complete: %" PRId64 " steps; give 1 or more",
                            walk->steps);
    if (walk->cap < 0)
        return netdp_i_fail(error, NETDP_INVALID, "complete: cap %" PRId64 "; give 1 or more",
                            walk->cap);
    if (!(walk->epsilon > 0 && walk->epsilon < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "complete: epsilon %g of a contribution; paper E covers 0 to 1",
                            walk->epsilon);
    if (!small(walk->delta) || !small(walk->delta_compose) || !small(walk->delta_visits))
        return netdp_i_fail(error, NETDP_INVALID,
                            "complete: deltas %g, %g, %g; give numbers between 0 and 1/2",
                            walk->delta, walk->delta_compose, walk->delta_visits);
    return check_form(form, error);
}

/* N_u, and how much of delta it costs. */
static double contributions(const netdp_complete_walk *walk, netdp_form form, double *delta)
{
    *delta = walk->cap > 0 ? 0 : walk->delta_visits;
    if (walk->cap > 0)
        return (double)(walk->cap < walk->steps ? walk->cap : walk->steps);
    if (form == NETDP_FORM_PRINTED)
        return netdp_visits_chernoff((double)walk->steps / walk->nodes, walk->delta_visits);
    return (double)netdp_i_binomial_quantile(walk->steps, walk->nodes, walk->delta_visits);
}

/*
 * 2 gamma_n grows with c, 1/(c n^{1/3}) falls: their maximum is least where they meet. gamma_n = 1
 * - (1-1/n)^{c^2 n^{2/3}}.
 */
static double best_cycle(int32_t nodes, double *factor)
{
    const double third = cbrt(nodes);
    double low = 0, high = 1;
    while (-2 * expm1(high * high * third * third * log1p(-1.0 / nodes)) < 1 / (high * third))
        high *= 2;
    for (int i = 0; i < 100; i++) {
        const double c = low + (high - low) / 2;
        if (-2 * expm1(c * c * third * third * log1p(-1.0 / nodes)) < 1 / (c * third))
            low = c;
        else
            high = c;
    }
    *factor = -2 * expm1(high * high * third * third * log1p(-1.0 / nodes));
    return high;
}

netdp_status netdp_closed_sum(const netdp_complete_walk *walk, netdp_form form,
                              netdp_complete_loss *loss, netdp_error *error)
{
    NETDP_I_GIVEN(error, walk && loss);
    netdp_complete_loss found;
    double factor, delta;
    TRY(check_complete(walk, form, error));
    found.contributions = contributions(walk, form, &delta);
    found.constant = best_cycle(walk->nodes, &factor);
    found.each = factor * walk->epsilon;
    found.epsilon = sqrt(2 * found.contributions * -log(walk->delta_compose)) * found.each +
                    found.contributions *
                        (form == NETDP_FORM_PRINTED ? walk->epsilon : found.each) *
                        expm1(found.each);
    found.delta = found.contributions * walk->delta + walk->delta_compose + delta;
    *loss = found;
    return NETDP_OK;
}

/*
 * One contribution has Renyi epsilon each * alpha for alpha (alpha-1) <= 2 sigma^2, sigma^2 = 2
 * ln(1.25/delta) / epsilon^2 in units of the sensitivity 2L: the best order (Remark 5).
 */
netdp_status netdp_closed_sgd(const netdp_complete_walk *walk, netdp_form form,
                              netdp_complete_loss *loss, netdp_error *error)
{
    NETDP_I_GIVEN(error, walk && loss);
    netdp_complete_loss found;
    double delta;
    TRY(check_complete(walk, form, error));
    const double log_inverse = -log(walk->delta);
    const double square = 2 * log(1.25 / walk->delta) / (walk->epsilon * walk->epsilon);
    found.contributions = contributions(walk, form, &delta);
    found.each = passage_unit(walk->nodes, form) / square;
    if (form == NETDP_FORM_PRINTED) {
        const double q =
            fmax(2 * found.contributions * passage_unit(walk->nodes, form), 2 * log_inverse);
        found.constant = 2 * sqrt(square * log_inverse / q);
        found.epsilon = sqrt(2 * q * log_inverse) * walk->epsilon / sqrt(log(1.25 / walk->delta));
    } else {
        const double slope = found.contributions * found.each;
        const double largest = (1 + sqrt(1 + 8 * square)) / 2;
        found.constant = slope > 0 ? fmin(largest, 1 + sqrt(log_inverse / slope)) : largest;
        found.epsilon = slope * found.constant + log_inverse / (found.constant - 1);
    }
    found.delta = walk->delta + delta;
    *loss = found;
    return NETDP_OK;
}

netdp_status netdp_spotted_loss(const netdp_complete_walk *walk, double delta_spotted,
                                int64_t edge_cap, netdp_form form, netdp_spotted *spotted,
                                netdp_error *error)
{
    NETDP_I_GIVEN(error, walk && spotted);
    netdp_spotted found;
    double delta;
    int64_t exact = 0;
    TRY(check_complete(walk, form, error));
    if (!small(delta_spotted) || edge_cap < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "spotted contributions: delta %g, edge cap %" PRId64
                            "; give a delta between 0 and 1/2 and a cap of 1 or more",
                            delta_spotted, edge_cap);
    if (form == NETDP_FORM_PRINTED) {
        const double often = contributions(walk, form, &delta) / walk->nodes;
        found.count = 2 * often + sqrt(6 * often * -log(delta_spotted));
    } else if (edge_cap == 0) {
        TRY(netdp_i_spotted_quantile(walk->steps, walk->nodes, delta_spotted, &exact, error));
        found.count = (double)exact;
    } else {
        found.count = INFINITY;
    }
    if (edge_cap > 0)
        found.count = fmin(found.count, (double)edge_cap);
    if (walk->cap > 0)
        found.count = fmin(found.count, (double)walk->cap);
    const double log_inverse =
        form == NETDP_FORM_PRINTED ? -log(delta_spotted) : -2 * log(walk->delta_compose);
    found.simple = found.count * walk->epsilon;
    found.advanced =
        sqrt(found.count * log_inverse) * walk->epsilon + found.simple * expm1(walk->epsilon);
    *spotted = found;
    return NETDP_OK;
}
