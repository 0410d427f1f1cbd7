/*
 * The unit that is protected, in numbers: Delta_u, the most that it can change of what node u
 * contributes. Of data that count by their rows node u's mean has weight n_u over the mean of all.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "plan/problem.h"
#include "study/protection.h"

/* How many rows sums are divided by, and how many one batch has at most, as parts of it. */
static void batch_of(const netdp_batches *batches, double rows, double *divisor, double *most)
{
    *divisor = rows;
    *most = 1;
    if (batches->kind == NETDP_BATCHES_POISSON)
        *divisor = batches->rate * rows;
    if (batches->kind != NETDP_BATCHES_CYCLIC)
        return;
    *divisor = rows / (double)batches->count;
    *most = ceil(*divisor) / *divisor;
}

/* What one row alone spans of a sum of rows; a node's mean spans `span`. */
static double span_of_row(const netdp_study *study, double span)
{
    if (study->question.change == NETDP_CHANGE_REPLACE)
        return span;
    /* A row that is not there counts in no bin, and else as the middle of its range. */
    return netdp_i_study_counts(study) ? 1 : span / 2;
}

netdp_status netdp_i_problem_protect(const netdp_study *study, const int64_t *held,
                                     netdp_i_problem *problem, netdp_error *error)
{
    const netdp_protection protection = netdp_i_study_protection(study);
    const bool row = protection.protects == NETDP_PROTECTS_ROW;
    const int32_t nodes = netdp_graph_nodes(problem->graph);
    const double span = problem->sensitivity, alone = row ? span_of_row(study, span) : span;
    double *own = NETDP_I_NEW(double, nodes), all = 0, largest = 0, least = INFINITY, whole = 0;
    NEED(own);
    for (int32_t u = 0; u < nodes; u++)
        all += (double)held[u];
    problem->least_rows = problem->most_rows = held[0];
    for (int32_t u = 0; u < nodes; u++) {
        const double rows = (double)held[u];
        const double weight = study->task.mean_over_rows ? rows * nodes / all : 1;
        double divisor, most;
        batch_of(&protection.batches, rows, &divisor, &most);
        own[u] = weight * (row ? alone / divisor : span * most);
        whole = fmax(whole, weight * (row ? alone / rows : span));
        largest = fmax(largest, own[u]);
        least = fmin(least, own[u]);
        problem->least_rows = held[u] < problem->least_rows ? held[u] : problem->least_rows;
        problem->most_rows = held[u] > problem->most_rows ? held[u] : problem->most_rows;
    }
    problem->sensitivity = largest;
    problem->central = whole;
    if (least >= largest * (1 - 1e-15)) { /* alike, up to rounding: 1 each is no less */
        netdp_i_free(own);
        return NETDP_OK;
    }
    for (int32_t u = 0; u < nodes; u++)
        own[u] = fmin(1, nextafter(own[u] / largest, INFINITY));
    problem->share = own;
    return NETDP_OK;
}
