/* What nodes learn from: rows of a file or drawn ones, what everybody may know of them, and who holds which. */
#include "plan/problem.h"

#include <math.h>
#include <sodium.h>
#include <string.h>
#include <netdp/learn.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "learn/model.h"
#include "learn/prepare.h"
#include "plan/learner.h"
#include "study/assumed.h"

/* Rows that the study's seed draws; their digest stands where that of a file would. */
static netdp_status draw_examples(const netdp_study *study, bool classes, netdp_i_problem *problem,
                                  netdp_error *error)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    const netdp_synthesis synthesis = {.law = study->data.synthetic,
                                       .classes = classes,
                                       .split = study->data.split,
                                       .intercept = study->task.intercept,
                                       .nodes = netdp_graph_nodes(problem->graph),
                                       .seed = study->seed + (uint64_t)study->data.draw};
    TRY(netdp_i_within(error,
                       netdp_examples_draw(&synthesis, &problem->train, &problem->test, error),
                       "%s: data.synthetic", study->path));
    const netdp_examples *both[] = {problem->train, problem->test};
    crypto_hash_sha256_init(&state);
    for (int i = 0; i < 2; i++) {
        const size_t rows = (size_t)both[i]->rows, features = (size_t)both[i]->features;
        crypto_hash_sha256_update(&state, (const unsigned char *)both[i]->x,
                                  rows * features * sizeof(double));
        crypto_hash_sha256_update(&state, (const unsigned char *)both[i]->y, rows * sizeof(double));
    }
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(problem->digest, sizeof problem->digest, hash, sizeof hash);
    return NETDP_OK;
}

/* The least value of the objective, where there is one. */
static netdp_status find_least(netdp_i_problem *problem, netdp_error *error)
{
    netdp_error none;
    problem->least = NAN;
    netdp_status status =
        netdp_objective_least(&problem->objective, problem->train, &problem->least, NULL, &none);
    if (status != NETDP_OK && status != NETDP_NO_ANSWER && error != NULL)
        *error = none;
    return status == NETDP_NO_ANSWER ? NETDP_OK : status;
}

/* Features beyond the declared radius are put on its sphere; the intercept's 1 is not one of them.
 */
static void project_rows(netdp_examples *examples, double radius, int32_t intercept)
{
    const int64_t width = examples->features, features = width - intercept;
    for (int64_t i = 0; i < examples->rows; i++) {
        double *x = examples->x + i * width, largest = 0, square = 0;
        for (int64_t j = 0; j < features; j++)
            largest = fmax(largest, fabs(x[j]));
        for (int64_t j = 0; largest > 0 && j < features; j++)
            square += (x[j] / largest) * (x[j] / largest);
        const double norm = sqrt(square);
        for (int64_t j = 0; norm * largest > radius && j < features; j++)
            x[j] = x[j] / largest / norm * radius;
    }
}

/*
 * What everybody may know of the rows: a file's are brought to unit length, and the study may
 * declare a radius. Nothing that the accounts say may depend on the rows themselves.
 */
static void bound_rows(const netdp_study *study, bool unit, netdp_i_problem *problem)
{
    const double declared = study->data.radius > 0 ? study->data.radius : INFINITY;
    const double radius = fmin(unit ? 1 : INFINITY, declared);
    if (declared < INFINITY) {
        project_rows(problem->train, declared, study->task.intercept);
        project_rows(problem->test, declared, study->task.intercept);
    }
    problem->square = radius * radius + study->task.intercept;
}

/* Fisher-Yates of a node's rows: cyclic batches are dealt by their places. */
static void deal_batches(const netdp_study *study, netdp_examples *train)
{
    const int64_t width = train->features;
    for (int32_t u = 0; u < train->nodes; u++) {
        netdp_stream stream = netdp_stream_at(study->seed, NETDP_FOR_SPLIT, (uint32_t)u, 2);
        for (int64_t i = train->start[u + 1] - 1; i > train->start[u]; i--) {
            const int64_t j = train->start[u] + (int64_t)netdp_stream_below(
                                                    &stream, (uint64_t)(i - train->start[u]) + 1);
            for (int64_t c = 0; c < width; c++) {
                const double kept = train->x[i * width + c];
                train->x[i * width + c] = train->x[j * width + c];
                train->x[j * width + c] = kept;
            }
            const double kept = train->y[i];
            train->y[i] = train->y[j];
            train->y[j] = kept;
        }
    }
}

/* How many training rows each node holds: the unit that is protected, and what nodes count for. */
static netdp_status protect_rows(const netdp_study *study, netdp_i_problem *problem,
                                 netdp_error *error)
{
    netdp_examples *train = problem->train;
    OWNED int64_t *held = NETDP_I_NEW(int64_t, train->nodes);
    NEED(held);
    if (study->task.mean_over_rows)
        train->weight = NETDP_I_NEW(double, train->nodes);
    if (study->task.mean_over_rows && train->weight == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < train->nodes; u++)
        held[u] = train->start[u + 1] - train->start[u];
    for (int32_t u = 0; train->weight != NULL && u < train->nodes; u++)
        train->weight[u] = (double)held[u] * train->nodes / (double)train->rows;
    TRY(netdp_i_problem_protect(study, held, problem, error));
    if (strncmp(study->question.batches, "cyclic", 6) == 0)
        deal_batches(study, train);
    return NETDP_OK;
}

/* "a, b" of the study's columns but the label; NULL where it describes none. */
static netdp_status list_features(const netdp_study *study, char **features, netdp_error *error)
{
    const int32_t count = study->data.column_count;
    size_t room = 1;
    if (!netdp_i_study_describes(study))
        return NETDP_OK;
    for (int32_t i = 0; i < count; i++)
        room += strlen(study->data.column[i].name) + 2;
    *features = NETDP_I_NEW(char, (int64_t)room);
    NEED(*features);
    for (int32_t i = 0; i < count; i++) {
        const netdp_i_column *column = &study->data.column[i];
        if (strcmp(column->name, study->data.label) == 0)
            continue;
        if ((*features)[0] != '\0')
            strcat(*features, ", ");
        strcat(*features, column->name);
    }
    return NETDP_OK;
}

netdp_status netdp_i_problem_examples(const netdp_study *study, const char *csv,
                                      netdp_i_problem *problem, netdp_error *error)
{
    const netdp_i_learned *learned = netdp_i_task_learned(study->task.kind);
    const bool many = learned->many, classes = learned->classes;
    OWNED netdp_range *range = NULL;
    OWNED char *features = NULL;
    int32_t ranges = 0;
    char counted[24];
    TRY(netdp_i_study_ranges(study, &range, &ranges, error));
    TRY(list_features(study, &features, error));
    const netdp_preparation preparation = {.label = study->data.label,
                                           .features =
                                               features != NULL ? features : study->data.features,
                                           .ranges = ranges,
                                           .range = range,
                                           .classes = classes,
                                           .many = many,
                                           .deal = study->data.deal,
                                           .split = study->data.split,
                                           .intercept = study->task.intercept,
                                           .nodes = netdp_graph_nodes(problem->graph),
                                           .seed = study->seed,
                                           .owner = study->data.owner,
                                           .owner_cuts = study->data.owner_cuts,
                                           .graph = problem->graph,
                                           .rows = netdp_i_study_rows(study, counted),
                                           .missing = study->data.missing};
    TRY(csv == NULL ? draw_examples(study, classes, problem, error)
                    : netdp_i_examples_prepare(csv, &preparation, &problem->train, &problem->test,
                                               &problem->prepared, &problem->model, error));
    problem->rows = problem->train->rows + problem->test->rows;
    problem->objective = (netdp_objective){
        .kind = learned->kind,
        .clip = study->task.clip,
        .l2 = study->task.l2,
        .parameters = many ? problem->train->classes * problem->train->features : 0};
    if (csv == NULL &&
        (problem->model = netdp_i_model_drawn(study, problem->train->features)) == NULL)
        return netdp_i_no_memory(error);
    problem->model->kind = problem->objective.kind;
    problem->model->radius = study->data.radius;
    problem->width = netdp_parameters(&problem->objective, problem->train);
    problem->sensitivity = 2 * study->task.clip;
    bound_rows(study, csv != NULL, problem);
    TRY(protect_rows(study, problem, error));
    return find_least(problem, error);
}
