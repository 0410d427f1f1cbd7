#include "account/walk/many/ladder.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "account/walk/cost_law.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

enum { TILTS = NETDP_I_TILTS };

/* From rung to rung: between two the delta is below the line in e^epsilon. */
#define STEP 0.03

/* ... and below all of the samples so much further from each to the next, down to that part of the top. */
#define WIDER 1.15
#define LOWEST 1e-13

/* Sums of a rung, each the best for a sample whose own epsilon is near. */
enum { SUMS = 8 };

/* Costs at which a sum is checked: so far apart at first, later by so much of themselves; of these
   every so many are the programme's. */
#define APART 2e-5
#define GROWTH 2.5e-3
#define WIDEST 4e-3
#define APART_AT_END 5e-4
#define USUAL_TILT 13.0
enum { SPARSE = 6 };

/* Steps of the programme: what it has by then is as sound. */
enum { MOST_STEPS = 60 };
#define LEAST_TAU 5e-3

/* Of a step that leads outside, the least part that is tried. */
#define SHORTEST 1e-12

/* What rounding of a mean may cost, in parts of delta. */
#define NOISE 1e-3

struct netdp_i_ladder {
    netdp_i_ladder_asked asked; /* its lists while it is made */
    int32_t points;
    double *cost;  /* [points] */
    double *power; /* [points][TILTS]: e^{theta c} */
    double *own;   /* [samples]: about the epsilon of each */
    int32_t rungs;
    double *epsilon; /* [rungs]: falling */
    double *sum;     /* [rungs][SUMS][TILTS] */
};

typedef netdp_i_ladder ladder;

/* Means of a pair that sums are made for. */
typedef struct sample {
    const double *mean, *off; /* [TILTS] */
} sample;

void netdp_i_ladder_free(ladder *l)
{
    if (l == NULL)
        return;
    netdp_i_free(l->cost);
    netdp_i_free(l->power);
    netdp_i_free(l->own);
    netdp_i_free(l->epsilon);
    netdp_i_free(l->sum);
    netdp_i_free(l);
}

/* ---- the sum that is best for a sample ---- */

/*
 * The least mean of a sum that is not below the Gaussian delta: a linear programme in x_j = a_j times
 * mean j, by Newton steps on
 *
 *     sum_j x_j / delta - tau (mean_i ln slack_i + mean_j ln(bound_j^2 - x_j^2)),
 *     slack_i = (g(c_i) - f(c_i)) / (f(c_i) + delta),
 *
 * tau falling. Whatever it reaches is a sum; lift() proves it.
 */
typedef struct programme {
    double delta, tau;
    int32_t points;
    double *row, *open, *slack; /* [points][TILTS], [points]: slack = row x - open */
    double bound[TILTS];        /* so that what a mean is off counts for little of delta */
    double x[TILTS], gradient[TILTS];
    double *matrix; /* [TILTS][points + TILTS] */
} programme;

/* At x, with the slacks there; infinity outside. */
static double barrier(programme *p, const double *x)
{
    double sum = 0, logs = 0, box = 0, product = 1;
    for (int32_t i = 0; i < p->points; i++) {
        double slack = -p->open[i];
        for (int j = 0; j < TILTS; j++)
            slack += p->row[(int64_t)i * TILTS + j] * x[j];
        p->slack[i] = slack;
        if (!(slack > 0))
            return INFINITY;
        product *= slack;
        if (i % 8 == 7 || !(product > 1e-200 && product < 1e200)) {
            logs += log(product);
            product = 1;
        }
    }
    logs += log(product);
    for (int j = 0; j < TILTS; j++) {
        const double left = p->bound[j] * p->bound[j] - x[j] * x[j];
        if (!(left > 0))
            return INFINITY;
        box += log(left);
        sum += x[j];
    }
    return sum / p->delta - p->tau * (logs / p->points + box / TILTS);
}

/*
 * The gradient, and a matrix whose square is the second derivative: its triangular factor, by
 * Householder's reflections, loses half as many digits as a factor of the square would.
 */
static bool find_slope(programme *p)
{
    const int64_t n = p->points, rows = n + TILTS;
    const double each = p->tau / (double)n;
    double slope[TILTS] = {0}, scalars[TILTS], work[64 * TILTS];
    memset(p->matrix, 0, (size_t)(rows * TILTS) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < TILTS; j++) {
            const double part = p->row[i * TILTS + j] / p->slack[i];
            slope[j] += part;
            p->matrix[j * rows + i] = sqrt(each) * part;
        }
    for (int j = 0; j < TILTS; j++) {
        const double left = p->bound[j] * p->bound[j] - p->x[j] * p->x[j];
        p->matrix[j * rows + n + j] =
            sqrt(p->tau / TILTS * (2 / left + 4 * p->x[j] * p->x[j] / (left * left)));
        p->gradient[j] = 1 / p->delta - each * slope[j] + p->tau / TILTS * 2 * p->x[j] / left;
    }
    return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)rows, TILTS, p->matrix,
                               (lapack_int)rows, scalars, work, 64 * TILTS) == 0;
}

/* Newton's: minus the gradient over the second derivative. */
static void find_move(const programme *p, double *move)
{
    const int64_t rows = p->points + TILTS;
    for (int k = 0; k < TILTS; k++) {
        move[k] = -p->gradient[k];
        for (int i = 0; i < k; i++)
            move[k] -= p->matrix[k * rows + i] * move[i];
        move[k] /= p->matrix[k * rows + k];
    }
    for (int k = TILTS - 1; k >= 0; k--) {
        for (int j = k + 1; j < TILTS; j++)
            move[k] -= p->matrix[j * rows + k] * move[j];
        move[k] /= p->matrix[k * rows + k];
    }
}

/* As far as the barrier falls with it; returns how much of the move that was. */
static double make_move(programme *p, const double *move)
{
    double slope = 0, next[TILTS];
    const double here = barrier(p, p->x);
    for (int j = 0; j < TILTS; j++)
        slope += p->gradient[j] * move[j];
    for (double part = 1; part > SHORTEST && slope < 0; part *= 0.5) {
        for (int j = 0; j < TILTS; j++)
            next[j] = p->x[j] + part * move[j];
        if (barrier(p, next) <= here + 0.1 * part * slope) {
            memcpy(p->x, next, sizeof next);
            return part;
        }
    }
    return 0;
}

/* Is it clear on which side of delta the least mean is? It is some tau below where a step ends. */
static bool decided(const programme *p, double made)
{
    double value = 0;
    for (int j = 0; j < TILTS; j++)
        value += p->x[j];
    value /= p->delta;
    return value <= 1 || (made > 0.5 && value - 4 * p->tau > 1);
}

/* sum [TILTS]: coefficients for a sample's means; the best ones, or no more than is to be decided. */
static netdp_status run_programme(const ladder *l, const sample *of, const double *goal, bool best,
                                  double *sum, netdp_error *error)
{
    const double *mean = of->mean, *off = of->off;
    programme p = {.delta = l->asked.delta, .tau = 1 / l->asked.delta, .x = {1}};
    p.points = (l->points + 2 * SPARSE - 2) / SPARSE; /* the last one too */
    OWNED double *row = p.row = NETDP_I_NEW(double, (int64_t)p.points *TILTS);
    OWNED double *open = p.open = NETDP_I_NEW(double, p.points);
    OWNED double *slack = p.slack = NETDP_I_NEW(double, p.points);
    OWNED double *matrix = p.matrix = NETDP_I_NEW(double, (int64_t)(p.points + TILTS) * TILTS);
    if (row == NULL || open == NULL || slack == NULL || matrix == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < p.points; i++) {
        const int32_t at = i * SPARSE < l->points ? i * SPARSE : l->points - 1;
        const double scale = 1 / (goal[at] + p.delta);
        p.open[i] = goal[at] * scale;
        for (int j = 0; j < TILTS; j++)
            p.row[(int64_t)i * TILTS + j] = l->power[(int64_t)at * TILTS + j] / mean[j] * scale;
    }
    for (int j = 0; j < TILTS; j++)
        p.bound[j] =
            j == 0 ? 2 : 1.5 * fmin(1, NOISE * p.delta * mean[j] / (off[j] + 1e-15 * mean[j]));
    for (int step = 0; step < MOST_STEPS && p.tau > LEAST_TAU; step++) {
        double move[TILTS];
        (void)barrier(&p, p.x);
        if (!find_slope(&p))
            break;
        find_move(&p, move);
        const double made = make_move(&p, move);
        if (!best && decided(&p, made))
            break;
        if (made == 0 || made > 0.5)
            p.tau *= 0.1;
    }
    for (int j = 0; j < TILTS; j++)
        sum[j] = p.x[j] / mean[j];
    return NETDP_OK;
}

/* ---- sums that are not below the Gaussian delta anywhere ---- */

/* d/dc of the Gaussian delta, and how fast its logarithm changes. */
static double slope_of(const netdp_i_ladder_asked *a, double epsilon, double cost)
{
    const double mu = sqrt(cost) / a->sigma, x = epsilon / mu - 0.5 * mu;
    return exp(-0.5 * x * x) / sqrt(2 * M_PI) / (2 * a->sigma * sqrt(cost));
}

/*
 * Between two costs h apart a sum is at most h^2 / 8 max g'' below the line between its values, the
 * Gaussian delta at most h^2 / 8 max(-f'') above that between its own, where -f'' <= f' (1 / (8
 * sigma^2) + 1 / (2 c)); |ln f'|' is at most that plus epsilon^2 sigma^2 / (2 c^2).
 */
static double bend_of(const ladder *l, double epsilon, const double *sum, int32_t i)
{
    const netdp_i_ladder_asked *a = &l->asked;
    const double c = l->cost[i], h = l->cost[i + 1] - c;
    const double *low = l->power + (int64_t)i * TILTS, *high = low + TILTS;
    double second_low = 0, second_high = 0, fourth = 0, norm = 0;
    for (int j = 0; j < TILTS; j++) {
        const double square = a->theta[j] * a->theta[j], most = fmax(low[j], high[j]);
        second_low += sum[j] * square * low[j];
        second_high += sum[j] * square * high[j];
        fourth += fabs(sum[j]) * square * square * most;
        norm += fabs(sum[j]) * most * (1 + square * h * h);
    }
    double bend = fmax(0, fmax(second_low, second_high) + h * h / 8 * fourth);
    if (i > 0) {
        const double curved = 1 / (8 * a->sigma * a->sigma) + 1 / (2 * c);
        const double steep = curved + 0.5 * epsilon * epsilon * a->sigma * a->sigma / (c * c);
        bend += curved * fmax(slope_of(a, epsilon, c), slope_of(a, epsilon, c + h)) *
                exp(fmin(600, steep * h));
    }
    return h * h / 8 * bend + 64 * DBL_EPSILON * norm;
}

static double value_of(const ladder *l, const double *sum, int32_t i)
{
    double value = 0;
    for (int j = 0; j < TILTS; j++)
        value += sum[j] * l->power[(int64_t)i * TILTS + j];
    return value;
}

/* By how much a sum is too low somewhere, in parts of the Gaussian delta plus delta. */
static double lacks(const ladder *l, double epsilon, const double *goal, const double *sum)
{
    double most = -INFINITY, low = value_of(l, sum, 0);
    for (int32_t i = 0; i + 1 < l->points; i++) {
        const double high = value_of(l, sum, i + 1);
        const double left = low - (i == 0 ? goal[1] : goal[i]), right = high - goal[i + 1];
        const double open =
            (bend_of(l, epsilon, sum, i) - fmin(left, right)) / (goal[i] + l->asked.delta);
        if (!(open <= most))
            most = open;
        low = high;
    }
    return most;
}

/* Raised until it is proven; infinity as its first where it is not. */
static void lift(const ladder *l, double epsilon, const double *goal, double *sum)
{
    for (int turn = 0; turn < 4; turn++) {
        const double open = lacks(l, epsilon, goal, sum);
        if (open <= 0)
            return;
        if (!(open < 1))
            break;
        for (int j = 0; j < TILTS; j++)
            sum[j] *= 1 + open * 1.02;
        sum[0] += open * 1.02 * l->asked.delta;
    }
    sum[0] = INFINITY;
}

static void find_goal(const ladder *l, double epsilon, double *goal)
{
    for (int32_t i = 0; i < l->points; i++)
        goal[i] =
            i == 0 ? 0 : netdp_i_cost_law_gaussian(epsilon, sqrt(l->cost[i]) / l->asked.sigma);
}

/* ---- the ladder ---- */

static double mean_of(const double *sum, const double *mean, const double *off)
{
    double value = 0;
    for (int j = 0; j < TILTS; j++)
        value += sum[j] * mean[j] + fabs(sum[j]) * off[j];
    return value * (1 + 1e-13);
}

/* The next cost but for the last: nearer where sums bend, at both ends, and as far as their tilts are small. */
static double next_after(const ladder *l, double cost)
{
    const double wide = fmax(1, USUAL_TILT / l->asked.theta[TILTS - 1]);
    return cost + fmin(fmin(WIDEST * wide, fmax(APART, GROWTH * cost)),
                       fmax(APART_AT_END, GROWTH * (l->asked.most - cost)));
}

static netdp_status find_costs(ladder *l, netdp_error *error)
{
    for (double c = 0; c < l->asked.most; c = next_after(l, c))
        l->points++;
    l->points++;
    l->cost = NETDP_I_NEW(double, l->points);
    l->power = NETDP_I_NEW(double, (int64_t)l->points *TILTS);
    if (l->cost == NULL || l->power == NULL)
        return netdp_i_no_memory(error);
    double c = 0;
    for (int32_t i = 0; i < l->points; i++, c = next_after(l, c)) {
        l->cost[i] = fmin(c, l->asked.most);
        for (int j = 0; j < TILTS; j++)
            l->power[(int64_t)i * TILTS + j] = exp(l->asked.theta[j] * l->cost[i]);
    }
    return NETDP_OK;
}

static sample sample_of(const ladder *l, int64_t index)
{
    return (sample){l->asked.mean + index * TILTS, l->asked.off + index * TILTS};
}

/* About the epsilon of a sample: no guarantee rests on it. */
static netdp_status find_own(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    ladder *l = context;
    const sample of = sample_of(l, index);
    OWNED double *goal = NETDP_I_NEW(double, l->points);
    if (goal == NULL)
        return netdp_i_no_memory(error);
    double low = log(LOWEST * l->asked.top), high = log(l->asked.top);
    while (high - low > 2 * STEP) {
        const double middle = 0.5 * (low + high);
        double sum[TILTS];
        find_goal(l, exp(middle), goal);
        TRY(run_programme(l, &of, goal, false, sum, error));
        if (mean_of(sum, of.mean, of.off) <= l->asked.delta)
            high = middle;
        else
            low = middle;
    }
    l->own[index] = exp(high);
    return NETDP_OK;
}

/* The sums of one rung, each for one of the samples whose own epsilon is nearest. */
static netdp_status make_rung(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    ladder *l = context;
    const int32_t samples = l->asked.samples;
    OWNED double *goal = NETDP_I_NEW(double, l->points);
    OWNED bool *taken = NETDP_I_NEW(bool, samples);
    if (goal == NULL || taken == NULL)
        return netdp_i_no_memory(error);
    find_goal(l, l->epsilon[index], goal);
    for (int i = 0; i < SUMS; i++) {
        double *sum = l->sum + (index * SUMS + i) * TILTS;
        int32_t best = -1;
        for (int32_t k = 0; k < samples; k++)
            if (!taken[k] && (best < 0 || fabs(log(l->own[k] / l->epsilon[index])) <
                                              fabs(log(l->own[best] / l->epsilon[index]))))
                best = k;
        sum[0] = INFINITY;
        if (best < 0)
            continue;
        taken[best] = true;
        const sample of = sample_of(l, best);
        TRY(run_programme(l, &of, goal, true, sum, error));
        lift(l, l->epsilon[index], goal, sum);
    }
    return NETDP_OK;
}

/* Evenly down to the least of the samples, then faster and faster. */
static netdp_status find_rungs(ladder *l, double least, netdp_error *error)
{
    const double top = l->asked.top, lowest = LOWEST * top;
    for (int pass = 0; pass < 2; pass++) {
        double at = 0, apart = STEP;
        l->rungs = 0;
        for (bool more = true; more; at += apart) {
            const double epsilon = top * exp(-at);
            if (pass == 1)
                l->epsilon[l->rungs] = epsilon;
            l->rungs++;
            more = epsilon > lowest;
            apart = epsilon > least ? STEP : apart * WIDER;
        }
        if (pass == 0 && (l->epsilon = NETDP_I_NEW(double, l->rungs)) == NULL)
            return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

OWNER(netdp_i_ladder_free, ladder)

netdp_status netdp_i_ladder_new(const netdp_i_ladder_asked *asked, ladder **made,
                                const netdp_progress *progress, netdp_error *error)
{
    OWNED_BY(netdp_i_ladder_free) ladder *l = NETDP_I_NEW(ladder, 1);
    if (l == NULL)
        return netdp_i_no_memory(error);
    l->asked = *asked;
    TRY(find_costs(l, error));
    l->own = NETDP_I_NEW(double, asked->samples);
    if (l->own == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(asked->samples, find_own, l, progress, "samples of pairs", error));
    double least = asked->top;
    for (int32_t k = 0; k < asked->samples; k++)
        least = fmin(least, l->own[k]);
    TRY(find_rungs(l, 0.7 * least, error));
    l->sum = NETDP_I_NEW(double, (int64_t)l->rungs *SUMS *TILTS);
    if (l->sum == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(l->rungs, make_rung, l, progress, "grid of bounds", error));
    *made = GIVE(l);
    return NETDP_OK;
}

/* delta on a rung, by the best of its sums */
static double delta_at(const ladder *l, int32_t rung, const double *mean, const double *off)
{
    double least = INFINITY;
    for (int i = 0; i < SUMS; i++) {
        const double *sum = l->sum + ((int64_t)rung * SUMS + i) * TILTS;
        const double value = isinf(sum[0]) ? INFINITY : mean_of(sum, mean, off);
        if (value < least)
            least = value;
    }
    return least;
}

/* From below: a sum that is enough on a rung is so on all above it, whatever theirs say. */
double netdp_i_ladder_ask(const ladder *l, const double *mean, const double *off)
{
    int32_t rung = l->rungs - 1;
    double at_low = INFINITY, at = delta_at(l, rung, mean, off);
    while (rung > 0 && !(at <= l->asked.delta)) {
        at_low = at;
        at = delta_at(l, --rung, mean, off);
    }
    if (!(at <= l->asked.delta))
        return INFINITY;
    if (!isfinite(at_low))
        return l->epsilon[rung];
    const double above = l->epsilon[rung], below = l->epsilon[rung + 1];
    const double part = (at_low - l->asked.delta) / (at_low - at);
    return fmin(above, (below + log1p(part * expm1(above - below))) * (1 + 1e-9));
}
