/* The least value of a linear model's objective: what an excess is above. */
#include <netdp/learn.h>

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/dense.h"

enum { MOST_FEATURES = 200, MOST_STEPS = 100, MOST_HALVES = 60 };

/* Newton's decrement at which the value is known to about this part of it. */
#define CLOSE_ENOUGH 1e-13

typedef struct search {
    const netdp_objective *objective;
    const netdp_examples *examples;
    double *model, *trial; /* [features] */
    double *step;          /* [features] the gradient, and then Newton's step */
    double *gradient;      /* [features] */
    double *curvature;     /* [features][features] */
} search;

static void search_clear(search *s)
{
    netdp_i_free(s->model);
    netdp_i_free(s->trial);
    netdp_i_free(s->step);
    netdp_i_free(s->gradient);
    netdp_i_free(s->curvature);
}

static netdp_status search_new(search *s, netdp_error *error)
{
    const int32_t features = s->examples->features;
    s->model = NETDP_I_NEW(double, features);
    s->trial = NETDP_I_NEW(double, features);
    s->step = NETDP_I_NEW(double, features);
    s->gradient = NETDP_I_NEW(double, features);
    s->curvature = NETDP_I_NEW(double, (int64_t)features *features);
    return s->model != NULL && s->trial != NULL && s->step != NULL && s->gradient != NULL &&
                   s->curvature != NULL
               ? NETDP_OK
               : netdp_i_no_memory(error);
}

/* First and second derivative of a row's loss by its margin. */
static void derive(netdp_objective_kind kind, double margin, double y, double *slope, double *bend)
{
    const double small = exp(-fabs(margin));
    *slope = kind == NETDP_RIDGE ? margin - y : -y * (y * margin > 0 ? small : 1) / (1 + small);
    *bend = kind == NETDP_RIDGE ? 1 : small / ((1 + small) * (1 + small));
}

static void add_row(search *s, int64_t row, double weight)
{
    const int32_t d = s->examples->features;
    const double *x = s->examples->x + row * d;
    double margin = 0, slope, bend;
    for (int32_t j = 0; j < d; j++)
        margin += x[j] * s->model[j];
    derive(s->objective->kind, margin, s->examples->y[row], &slope, &bend);
    for (int32_t j = 0; j < d; j++) {
        s->gradient[j] += weight * slope * x[j];
        for (int32_t k = 0; k <= j; k++)
            s->curvature[(int64_t)j * d + k] += weight * bend * x[j] * x[k];
    }
}

/* Gradient and curvature (its lower half) of the objective at the model. */
static void evaluate(search *s)
{
    const netdp_examples *examples = s->examples;
    const int32_t d = examples->features, nodes = examples->nodes;
    memset(s->curvature, 0, (size_t)d * (size_t)d * sizeof *s->curvature);
    for (int32_t j = 0; j < d; j++) {
        s->gradient[j] = s->objective->l2 * s->model[j];
        s->curvature[(int64_t)j * d + j] = s->objective->l2;
    }
    for (int64_t i = 0; nodes == 0 && i < examples->rows; i++)
        add_row(s, i, 1 / (double)examples->rows);
    for (int32_t u = 0; u < nodes; u++)
        for (int64_t i = examples->start[u]; i < examples->start[u + 1]; i++)
            add_row(s, i,
                    (examples->weight != NULL ? examples->weight[u] : 1) /
                        ((double)(examples->start[u + 1] - examples->start[u]) * nodes));
}

/* step = curvature^-1 gradient, with as little damping as makes it solvable. */
static bool solve(search *s)
{
    const int32_t d = s->examples->features;
    double most = 0;
    for (int32_t j = 0; j < d; j++)
        most = fmax(most, s->curvature[(int64_t)j * d + j]);
    memcpy(s->step, s->gradient, (size_t)d * sizeof *s->step);
    for (int32_t j = 0; j < d; j++) /* columns that repeat each other leave it singular */
        s->curvature[(int64_t)j * d + j] += 1e-14 * d * most;
    return most > 0 && LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', d, 1, s->curvature, d, s->step, 1) == 0;
}

/* Half the step as often as it takes; false where nothing is gained. */
static bool descend(search *s, double *value)
{
    const int32_t d = s->examples->features;
    double size = 1;
    for (int halves = 0; halves < MOST_HALVES; halves++, size /= 2) {
        for (int32_t j = 0; j < d; j++)
            s->trial[j] = s->model[j] - size * s->step[j];
        const double tried = netdp_objective_value(s->objective, s->examples, s->trial);
        if (!(tried < *value))
            continue;
        memcpy(s->model, s->trial, (size_t)d * sizeof *s->model);
        *value = tried;
        return true;
    }
    return false;
}

/* Twice what Newton's step promises. */
static double decrement(const search *s)
{
    double sum = 0;
    for (int32_t j = 0; j < s->examples->features; j++)
        sum += s->gradient[j] * s->step[j];
    return sum;
}

netdp_status netdp_objective_least(const netdp_objective *objective, const netdp_examples *examples,
                                   double *value, double *model, netdp_error *error)
{
    NETDP_I_GIVEN(error, objective && examples && value);
    CLEARED(search_clear) search s = {.objective = objective, .examples = examples};
    TRY(netdp_objective_check(objective, error));
    if ((objective->kind != NETDP_LOGISTIC && objective->kind != NETDP_RIDGE) ||
        examples->features > MOST_FEATURES || examples->rows < 1)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "least value: known of logistic and ridge of at most %d features",
                            MOST_FEATURES);
    netdp_i_dense_begin();
    TRY(search_new(&s, error));
    double least = netdp_objective_value(objective, examples, s.model);
    bool found = false;
    for (int step = 0; step < MOST_STEPS && !found; step++) {
        evaluate(&s);
        if (!solve(&s))
            break;
        found = decrement(&s) <= CLOSE_ENOUGH * least || !descend(&s, &least);
    }
    /* Of separable classes the value falls for ever. */
    if (!found || (objective->kind == NETDP_LOGISTIC && least < 1e-9))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "least value: not found; separable classes have none without l2");
    *value = least;
    if (model != NULL)
        memcpy(model, s.model, (size_t)examples->features * sizeof *model);
    return NETDP_OK;
}
