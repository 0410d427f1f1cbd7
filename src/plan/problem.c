#include "plan/problem.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/learn.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/graph.h"
#include "learn/owner.h"
#include "learn/table.h"
#include "plan/constants.h"
#include "protocol/pairing.h"
#include "study/value.h"

void netdp_i_problem_free(netdp_i_problem *problem)
{
    if (problem == NULL)
        return;
    netdp_examples_free(problem->train);
    netdp_examples_free(problem->test);
    netdp_mixing_free(problem->mixing);
    netdp_transition_free(problem->law);
    netdp_graph_free(problem->graph);
    netdp_graph_free(problem->pairs);
    for (int32_t j = 0; problem->column != NULL && j < problem->width; j++)
        netdp_i_free(problem->column[j]);
    netdp_i_free(problem->column);
    netdp_i_free(problem->share);
    netdp_i_free(problem->low);
    netdp_i_free(problem->scale);
    netdp_i_free(problem->values);
    netdp_i_free(problem->truth);
    netdp_i_free(problem->contribution);
    netdp_i_free(problem->released);
    netdp_i_free(problem);
}

/* What messages or the token move by: W or P by its rows. */
static netdp_rows rows_of(const netdp_i_problem *problem)
{
    return problem->law != NULL ? netdp_transition_rows(problem->law)
                                : netdp_mixing_rows(problem->mixing);
}

const char *netdp_i_problem_weights(const netdp_i_problem *problem)
{
    return problem->law != NULL ? netdp_transition_name(problem->law)
                                : netdp_mixing_name(problem->mixing);
}

/* Gossip mixes by W, a walk moves by P. */
static netdp_status load_weights(const netdp_study *study, netdp_i_problem *problem,
                                 netdp_error *error)
{
    const char *weights = study->mixing.weights;
    if (strcmp(study->protocol.law, "public") != 0)
        return netdp_i_constants_law(study, problem->graph, &problem->objective, problem->train,
                                     &problem->released, &problem->law, error);
    if (netdp_i_study_walks(study)) {
        netdp_status status = netdp_transition_new(problem->graph, weights, &problem->law, error);
        return status == NETDP_OK ? netdp_transition_require(problem->law, error) : status;
    }
    netdp_spectrum spectrum = {0};
    netdp_status status =
        netdp_mixing_new_stochastic(problem->graph, weights, &problem->mixing, error);
    if (status == NETDP_OK)
        status = netdp_mixing_require(problem->mixing, error);
    if (status == NETDP_OK && study->protocol.rounds == 0 && netdp_i_study_accounts(study))
        status = netdp_mixing_spectrum(problem->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error);
    problem->gap = spectrum.gap;
    return status;
}

netdp_status netdp_i_problem_graph(const netdp_study *study, const char *data, netdp_graph **graph,
                                   netdp_graph_notes *notes, netdp_error *error)
{
    const bool giant = study->graph.giant_component;
    if (study->graph.family != NULL)
        return netdp_graph_make(study->graph.family, study->seed + (uint64_t)study->graph.draw,
                                true, graph, notes, error);
    if (study->graph.file != NULL)
        return netdp_graph_read(study->graph.file, giant, graph, notes, error);
    char *path = NULL;
    netdp_status status = netdp_data_find(data, study->graph.data, &path, error);
    if (status == NETDP_OK)
        status = netdp_graph_read(path, giant, graph, notes, error);
    free(path);
    return status;
}

/*
 * The complete graph of the study's family by its number of nodes alone: tokens need no more, and
 * its edges would be too many.
 */
static netdp_status name_complete(const netdp_study *study, netdp_i_problem *problem,
                                  netdp_error *error)
{
    int nodes = 0, end = 0;
    if (study->graph.family == NULL ||
        sscanf(study->graph.family, "complete %9d%n", &nodes, &end) != 1 ||
        study->graph.family[end] != '\0' || nodes < 2)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: graph.family: task realised takes complete N with N from 2",
                            study->path);
    netdp_status status = netdp_graph_from_edges(nodes, NULL, 0, &problem->graph, error);
    if (status == NETDP_OK)
        status = netdp_i_graph_set_origin(problem->graph, study->graph.family, error);
    if (status == NETDP_OK)
        status = netdp_mixing_new(problem->graph, "metropolis", &problem->mixing, error);
    problem->edges = (int64_t)nodes * (nodes - 1) / 2;
    return status;
}

static netdp_status load_graph(const netdp_study *study, const char *data, netdp_i_problem *problem,
                               netdp_error *error)
{
    return netdp_i_study_realises(study)
               ? name_complete(study, problem, error)
               : netdp_i_problem_graph(study, data, &problem->graph, &problem->notes, error);
}

static const netdp_dataset *find_dataset(const char *name)
{
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++)
        if (strcmp(set->name, name) == 0)
            return set;
    return NULL;
}

/* The path of the study's data, to be freed with free(), once it is known to be the right file. */
static netdp_status find_csv(const netdp_study *study, const char *data, netdp_i_problem *problem,
                             char **csv, netdp_error *error)
{
    const netdp_dataset *set = NULL;
    char *path = NULL;
    netdp_status status = NETDP_OK;
    if (study->data.csv != NULL) {
        path = strdup(study->data.csv);
        if (path == NULL)
            return netdp_i_no_memory(error);
    } else {
        set = find_dataset(study->data.source);
        if (set == NULL)
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: data.source: '%.40s' is not a known data set; see netdp data",
                                study->path, study->data.source);
        status = netdp_data_find(data, set->file, &path, error);
    }
    if (status == NETDP_OK)
        status = netdp_data_digest(path, problem->digest, error);
    if (status == NETDP_OK && set != NULL && set->sha256 != NULL &&
        strcmp(set->sha256, problem->digest) != 0)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: is not the known %s (SHA-256 differs); get it from %s, or name "
                              "yours as data.csv",
                              path, set->name, set->from);
    if (status == NETDP_OK) {
        *csv = path;
        path = NULL;
    }
    free(path);
    return status;
}

/* The nodes' own places as their data: x + y in the unit square, row i of node i. */
static netdp_status list_positions(const netdp_study *study, netdp_i_problem *problem,
                                   netdp_table **table, netdp_error *error)
{
    const double *x, *y;
    const int64_t n = netdp_graph_nodes(problem->graph);
    unsigned char hash[crypto_hash_sha256_BYTES];
    if (!netdp_graph_positions(problem->graph, &x, &y))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: data.synthetic: the nodes of %s have no positions; they are for "
                            "the family geometric",
                            study->path, netdp_graph_origin(problem->graph));
    netdp_table *made = NETDP_I_NEW(netdp_table, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->rows = n;
    made->name = NETDP_I_NEW(char *, 1);
    made->values = NETDP_I_NEW(double, n);
    if (made->name != NULL && (made->name[0] = netdp_i_copy_text("x + y")) != NULL)
        made->columns = 1;
    if (made->columns == 0 || made->values == NULL) {
        netdp_table_free(made);
        return netdp_i_no_memory(error);
    }
    for (int64_t u = 0; u < n; u++)
        made->values[u] = x[u] + y[u];
    crypto_hash_sha256(hash, (const unsigned char *)made->values, (size_t)n * sizeof *made->values);
    sodium_bin2hex(problem->digest, sizeof problem->digest, hash, sizeof hash);
    *table = made;
    return NETDP_OK;
}

static netdp_status load_table(const netdp_study *study, const char *csv, netdp_i_problem *problem,
                               netdp_table **table, netdp_i_label_column *texts, netdp_error *error)
{
    if (study->data.synthetic != NULL)
        return list_positions(study, problem, table, error);
    const char **wanted = NETDP_I_NEW(const char *, study->data.column_count);
    if (wanted == NULL)
        return netdp_i_no_memory(error);
    for (int32_t j = 0; j < study->data.column_count; j++)
        wanted[j] = study->data.column[j].name;
    netdp_status status =
        netdp_i_table_read_owned(csv, wanted, study->data.column_count, study->data.owner,
                                 study->data.missing == NETDP_MISSING_DROP, table, texts, error);
    if (status == NETDP_OK)
        problem->prepared.missing = texts->dropped;
    netdp_i_free(wanted);
    for (int32_t j = 0;
         status == NETDP_OK && study->data.column_count == 0 && j < (*table)->columns; j++) {
        const char *why = netdp_i_table_suspect(*table, j);
        if (why != NULL)
            status = netdp_i_fail(error, NETDP_INVALID,
                                  "%.200s: column %d, '%s', %s; list the columns that are meant in "
                                  "data.columns",
                                  csv, (int)j + 1, netdp_i_show_text((*table)->name[j]).text, why);
    }
    return status;
}

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
    netdp_status status = netdp_examples_draw(&synthesis, &problem->train, &problem->test, error);
    if (status != NETDP_OK)
        return netdp_i_within(error, status, "%s: data.synthetic", study->path);
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
    int64_t *held = NETDP_I_NEW(int64_t, train->nodes);
    if (held == NULL)
        return netdp_i_no_memory(error);
    if (study->task.mean_over_rows)
        train->weight = NETDP_I_NEW(double, train->nodes);
    netdp_status status =
        study->task.mean_over_rows && train->weight == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    for (int32_t u = 0; u < train->nodes; u++)
        held[u] = train->start[u + 1] - train->start[u];
    for (int32_t u = 0; status == NETDP_OK && train->weight != NULL && u < train->nodes; u++)
        train->weight[u] = (double)held[u] * train->nodes / (double)train->rows;
    if (status == NETDP_OK)
        status = netdp_i_problem_protect(study, held, problem, error);
    if (status == NETDP_OK && strncmp(study->data.batches, "cyclic", 6) == 0)
        deal_batches(study, train);
    netdp_i_free(held);
    return status;
}

/* The columns with bounds of a study that learns: ranges of all, and "a, b" of the features. */
static netdp_status declare_ranges(const netdp_study *study, netdp_range **range, char **features,
                                   netdp_error *error)
{
    const int32_t count = study->data.column_count;
    size_t room = 1;
    for (int32_t i = 0; i < count; i++)
        room += strlen(study->data.column[i].name) + 2;
    *range = NETDP_I_NEW(netdp_range, count);
    *features = NETDP_I_NEW(char, (int64_t)room);
    if (*range == NULL || *features == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < count; i++) {
        const netdp_i_column *column = &study->data.column[i];
        (*range)[i] = (netdp_range){column->name, column->low, column->high};
        if (strcmp(column->name, study->data.label) == 0)
            continue;
        if ((*features)[0] != '\0')
            strcat(*features, ", ");
        strcat(*features, column->name);
    }
    return NETDP_OK;
}

static netdp_status load_examples(const netdp_study *study, const char *csv,
                                  netdp_i_problem *problem, netdp_error *error)
{
    const bool classes = strcmp(study->task.kind, "logistic") == 0;
    netdp_range *range = NULL;
    char *features = NULL;
    netdp_status status =
        study->data.column_count > 0 ? declare_ranges(study, &range, &features, error) : NETDP_OK;
    const netdp_preparation preparation = {.label = study->data.label,
                                           .features =
                                               features != NULL ? features : study->data.features,
                                           .ranges = study->data.column_count,
                                           .range = range,
                                           .classes = classes,
                                           .split = study->data.split,
                                           .intercept = study->task.intercept,
                                           .nodes = netdp_graph_nodes(problem->graph),
                                           .seed = study->seed,
                                           .owner = study->data.owner,
                                           .owner_cuts = study->data.owner_cuts,
                                           .graph = problem->graph,
                                           .missing = study->data.missing};
    if (status == NETDP_OK)
        status = csv == NULL ? draw_examples(study, classes, problem, error)
                             : netdp_examples_prepare(csv, &preparation, &problem->train,
                                                      &problem->test, &problem->prepared, error);
    netdp_i_free(range);
    netdp_i_free(features);
    if (status != NETDP_OK)
        return status;
    problem->width = problem->train->features;
    problem->rows = problem->train->rows + problem->test->rows;
    problem->objective = (netdp_objective){.kind = classes ? NETDP_LOGISTIC : NETDP_RIDGE,
                                           .clip = study->task.clip,
                                           .l2 = study->task.l2};
    problem->sensitivity = 2 * study->task.clip;
    bound_rows(study, csv != NULL, problem);
    status = protect_rows(study, problem, error);
    return status == NETDP_OK ? find_least(problem, error) : status;
}

/* Room for `width` numbers of a message. */
static netdp_status widen(netdp_i_problem *problem, int32_t width, netdp_error *error)
{
    problem->width = width;
    problem->column = NETDP_I_NEW(char *, width);
    problem->low = NETDP_I_NEW(double, width);
    problem->scale = NETDP_I_NEW(double, width);
    problem->truth = NETDP_I_NEW(double, width);
    return problem->column != NULL && problem->low != NULL && problem->scale != NULL &&
                   problem->truth != NULL
               ? NETDP_OK
               : netdp_i_no_memory(error);
}

/* The declared range of the table's j-th column. */
static netdp_status find_range(const netdp_study *study, const netdp_table *table, int32_t j,
                               double *low, double *high, netdp_error *error)
{
    const bool own =
        study->data.column_count > 0 && study->data.column[j].low < study->data.column[j].high;
    if (!own && !study->task.has_bounds)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: column %s has no declared range; give task.bounds, "
                            "task.clip or bounds of its own: without one there is no "
                            "sensitivity",
                            study->path, table->name[j]);
    *low = own ? study->data.column[j].low : study->task.low;
    *high = own ? study->data.column[j].high : study->task.high;
    return NETDP_OK;
}

/* The declared range of each column, and with it scale and sensitivity. */
static netdp_status scale_columns(const netdp_study *study, const netdp_table *table,
                                  netdp_i_problem *problem, netdp_error *error)
{
    netdp_status status = widen(problem, table->columns, error);
    for (int32_t j = 0; status == NETDP_OK && j < table->columns; j++) {
        double low = 0, high = 1;
        problem->column[j] = netdp_i_copy_text(table->name[j]);
        if (problem->column[j] == NULL)
            return netdp_i_no_memory(error);
        if (study->task.clip == 0)
            status = find_range(study, table, j, &low, &high, error);
        problem->low[j] = low;
        problem->scale[j] = high - low;
    }
    problem->sensitivity = study->task.clip > 0 ? 2 * study->task.clip : sqrt(table->columns);
    return status;
}

/* A histogram's columns: the bins of the one column's range. */
static netdp_status name_bins(const netdp_study *study, const netdp_table *table,
                              netdp_i_problem *problem, netdp_error *error)
{
    const int32_t levels = (int32_t)study->task.levels;
    double low = 0, high = 1;
    netdp_status status = widen(problem, levels, error);
    if (status == NETDP_OK)
        status = find_range(study, table, 0, &low, &high, error);
    for (int32_t j = 0; status == NETDP_OK && j < levels; j++) {
        char name[160];
        snprintf(name, sizeof name, "%.64s %g to %g", table->name[0],
                 low + (high - low) * j / levels, low + (high - low) * (j + 1) / levels);
        problem->column[j] = netdp_i_copy_text(name);
        problem->scale[j] = 1;
        if (problem->column[j] == NULL)
            return netdp_i_no_memory(error);
    }
    problem->sensitivity = sqrt(2);
    return status;
}

/* The range of a histogram's column. */
static void bin_range(const netdp_study *study, double *low, double *high)
{
    const bool own =
        study->data.column_count > 0 && study->data.column[0].low < study->data.column[0].high;
    *low = own ? study->data.column[0].low : study->task.low;
    *high = own ? study->data.column[0].high : study->task.high;
}

static bool bin_clips(const netdp_study *study, double value)
{
    double low, high;
    bin_range(study, &low, &high);
    return !(value >= low && value <= high);
}

/* The bin of a value in its declared range; the upper end belongs to the last one. */
static int32_t bin_of(const netdp_study *study, double value)
{
    const double levels = (double)study->task.levels;
    double low, high;
    bin_range(study, &low, &high);
    const double place = floor(fmin(fmax((value - low) / (high - low), 0), 1) * levels);
    return (int32_t)fmin(place, levels - 1);
}

/* One row in inner units, clipped to its declared range; whether that changed it. */
static bool clip_row(const netdp_study *study, const netdp_i_problem *problem, const double *row,
                     double *inner)
{
    bool changed = false;
    double largest = 0, square = 0;
    for (int32_t j = 0; j < problem->width; j++) {
        inner[j] = (row[j] - problem->low[j]) / problem->scale[j];
        largest = fmax(largest, fabs(inner[j]));
    }
    if (study->task.clip > 0) {
        /* In parts of the largest: squares of the doubles' ends would be 0 or infinite. */
        for (int32_t j = 0; largest > 0 && j < problem->width; j++)
            square += (inner[j] / largest) * (inner[j] / largest);
        const double norm = sqrt(square);
        changed = largest > 0 && norm > study->task.clip / largest;
        for (int32_t j = 0; changed && j < problem->width; j++)
            inner[j] = inner[j] / largest / norm * study->task.clip;
        return changed;
    }
    for (int32_t j = 0; j < problem->width; j++) {
        const double kept = fmin(1, fmax(0, inner[j]));
        changed = changed || kept != inner[j];
        inner[j] = kept;
    }
    return changed;
}

/* A row in inner units: its values, or a 1 in its bin; whether a bound changed it. */
static bool read_row(const netdp_study *study, const netdp_i_problem *problem, const double *row,
                     double *inner)
{
    if (!netdp_i_study_counts(study))
        return clip_row(study, problem, row, inner);
    memset(inner, 0, (size_t)problem->width * sizeof *inner);
    inner[bin_of(study, row[0])] = 1;
    return bin_clips(study, row[0]);
}

/* How often row k of `held` is among the first `count` that are given in turn. */
static int64_t times_given(int64_t count, int64_t held, int64_t k)
{
    return count / held + (k < count % held ? 1 : 0);
}

/*
 * On the ring a node's value is the mean of what it gives in all passes: row k of `held` ones, in
 * turn, all nodes from the first again after `depth`.
 */
static void add_passes(const netdp_study *study, int64_t depth, int64_t k, int64_t held,
                       const double *inner, int32_t width, double *value)
{
    const int64_t passes = study->protocol.rounds;
    const int64_t times =
        passes / depth * times_given(depth, held, k) + times_given(passes % depth, held, k);
    const double often = (double)times / (double)passes;
    if (strncmp(study->protocol.kind, "ring", 4) != 0)
        return;
    for (int32_t j = 0; j < width; j++)
        value[j] = (k == 0 ? 0 : value[j]) + often * inner[j];
}

/* What node u gives to a token in turn: its rows, from the first again after its last, and after
 * the last of the node that has most. */
static netdp_status list_contributions(const netdp_study *study, const netdp_table *table,
                                       const int32_t *node, const int64_t *held,
                                       netdp_i_problem *problem, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph);
    for (int32_t u = 0; u < n; u++)
        problem->depth = held[u] > problem->depth ? held[u] : problem->depth;
    const int64_t depth = problem->depth;
    double *inner = NETDP_I_NEW(double, problem->width);
    int64_t *given = NETDP_I_NEW(int64_t, n);
    problem->contribution = NETDP_I_NEW(double, n *depth);
    const bool room = inner != NULL && given != NULL && problem->contribution != NULL;
    for (int64_t i = 0; room && i < table->rows; i++) {
        const double *row = table->values + i * table->columns;
        const int64_t u = node[i], k = given[u]++;
        (void)read_row(study, problem, row, inner);
        problem->contribution[u * depth + k] =
            netdp_i_study_counts(study) ? bin_of(study, row[0]) : inner[0];
        add_passes(study, depth, k, held[u], inner, problem->width,
                   problem->values + u * problem->width);
    }
    for (int64_t u = 0; room && u < n; u++)
        for (int64_t k = held[u]; k < depth; k++)
            problem->contribution[u * depth + k] = problem->contribution[u * depth + k % held[u]];
    netdp_i_free(inner);
    netdp_i_free(given);
    return room ? NETDP_OK : netdp_i_no_memory(error);
}

/* Which node holds which row: by its owner, or as the seed deals them; every node holds one. */
static netdp_status deal_rows(const netdp_study *study, const netdp_table *table,
                              char *const *owner, const netdp_i_problem *problem, int32_t *node,
                              int64_t *held, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph);
    netdp_status status =
        owner != NULL
            ? netdp_i_owners_deal(owner, table->rows, study->data.owner, study->data.owner_cuts,
                                  problem->graph, node, error)
            : netdp_deal(table->rows, n, !study->data.one_row_a_node, study->seed, node, error);
    for (int64_t i = 0; status == NETDP_OK && i < table->rows; i++)
        held[node[i]]++;
    for (int32_t u = 0; status == NETDP_OK && u < n; u++)
        if (held[u] == 0)
            status = netdp_i_fail(error, NETDP_INVALID,
                                  "owner: node %d holds no row; every node needs one: use another "
                                  "graph, or other owners",
                                  (int)u);
    return owner != NULL && status != NETDP_OK
               ? netdp_i_within(error, status, "%s: data", study->path)
               : status;
}

static netdp_status fill_values(const netdp_study *study, const netdp_table *table,
                                char *const *owner, netdp_i_problem *problem, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph), d = problem->width;
    int32_t *node = NETDP_I_NEW(int32_t, table->rows);
    int64_t *held = NETDP_I_NEW(int64_t, n);
    double *inner = NETDP_I_NEW(double, d);
    problem->values = NETDP_I_NEW(double, (int64_t)n *d);
    problem->rows = table->rows;
    netdp_status status = NETDP_OK;
    if (node == NULL || held == NULL || inner == NULL || problem->values == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    status = deal_rows(study, table, owner, problem, node, held, error);
    if (status != NETDP_OK)
        goto done;
    for (int64_t i = 0; i < table->rows; i++) {
        problem->clipped +=
            read_row(study, problem, table->values + i * table->columns, inner) ? 1 : 0;
        for (int32_t j = 0; j < d; j++)
            problem->values[(int64_t)node[i] * d + j] += inner[j];
    }
    for (int32_t u = 0; u < n; u++)
        for (int32_t j = 0; j < d; j++)
            problem->values[(int64_t)u * d + j] /=
                study->task.mean_over_rows ? (double)table->rows / n : (double)held[u];
    if (netdp_i_study_tallies(study))
        status = list_contributions(study, table, node, held, problem, error);
    if (status != NETDP_OK)
        goto done;
    for (int32_t u = 0; u < n; u++)
        for (int32_t j = 0; j < d; j++)
            problem->truth[j] += problem->values[(int64_t)u * d + j] / n;
    for (int32_t j = 0; j < d; j++)
        problem->truth[j] = problem->low[j] + problem->scale[j] * problem->truth[j];
    status = netdp_i_problem_protect(study, held, problem, error);
done:
    netdp_i_free(node);
    netdp_i_free(held);
    netdp_i_free(inner);
    return status;
}

/* A mean: every node's value, the mean of its clipped rows. */
static netdp_status load_values(const netdp_study *study, const char *csv, netdp_i_problem *problem,
                                netdp_error *error)
{
    netdp_table *table = NULL;
    netdp_i_label_column texts = {0};
    netdp_status status = load_table(study, csv, problem, &table, &texts, error);
    if (status == NETDP_OK && table->columns != 1 &&
        (netdp_i_study_counts(study) || netdp_i_study_tallies(study)))
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: data.columns: %d columns; a histogram, and a token's sum, take "
                              "one",
                              study->path, (int)table->columns);
    if (status == NETDP_OK)
        status = netdp_i_study_counts(study) ? name_bins(study, table, problem, error)
                                             : scale_columns(study, table, problem, error);
    if (status == NETDP_OK)
        status = fill_values(study, table, texts.owner, problem, error);
    netdp_table_free(table);
    netdp_i_label_column_drop(&texts);
    return status;
}

/* The file of who shares noise in pairs, or NULL. */
static const char *pairs_file(const netdp_study *study)
{
    const char *name = study->privacy.pair_graph;
    return name == NULL || name[0] == '\0' || netdp_i_pairing_named(name) ? NULL : name;
}

netdp_status netdp_i_problem_new(const netdp_study *study, const char *data,
                                 netdp_i_problem **problem, netdp_error *error)
{
    char *csv = NULL;
    netdp_i_problem *made = NETDP_I_NEW(netdp_i_problem, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = load_graph(study, data, made, error);
    const bool accounts = netdp_i_study_accounts(study);
    if (status == NETDP_OK && pairs_file(study) != NULL)
        status = netdp_pairing_graph(pairs_file(study), made->graph, 0, &made->pairs, error);
    if (status == NETDP_OK && !accounts && study->data.synthetic == NULL)
        status = find_csv(study, data, made, &csv, error);
    if (status == NETDP_OK && !accounts)
        status = netdp_i_study_learns(study) ? load_examples(study, csv, made, error)
                                             : load_values(study, csv, made, error);
    if (status == NETDP_OK && !netdp_i_study_realises(study)) /* nothing is mixed on no edges */
        status = load_weights(study, made, error);
    free(csv);
    if (status != NETDP_OK) {
        netdp_i_problem_free(made);
        return status;
    }
    *problem = made;
    return NETDP_OK;
}

/* Is it a key that graph, mixing matrix or data depend on? */
static bool is_of_problem(const netdp_i_key *key)
{
    static const char *const sections[] = {"graph.",        "mixing.",      "data.",
                                           "task.",         "protocol.law", "privacy.protects",
                                           "privacy.change"};
    static const char *const others[] = {"task.step",  "task.decay", "task.radius",
                                         "task.batch", "task.unit",  "task.central_steps",
                                         "data.row"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key->name, others[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(key->name, sections[i], strlen(sections[i])) == 0)
            return true;
    return false;
}

static bool same_problem(const netdp_study *a, const netdp_study *b)
{
    for (int k = 0; k < NETDP_I_KEYS; k++)
        if (is_of_problem(&netdp_i_keys[k]) && !netdp_i_value_equal(a, b, &netdp_i_keys[k]))
            return false;
    const char *pairs = pairs_file(a), *others = pairs_file(b);
    if ((pairs == NULL) != (others == NULL) || (pairs != NULL && strcmp(pairs, others) != 0))
        return false;
    if (netdp_i_study_tallies(a) || netdp_i_study_tallies(b)) /* whose values depend on both */
        return strcmp(a->protocol.kind, b->protocol.kind) == 0 &&
               a->protocol.rounds == b->protocol.rounds;
    return netdp_i_study_walks(a) == netdp_i_study_walks(b); /* W or P */
}

void netdp_i_problems_clear(netdp_i_problems *problems)
{
    for (int32_t i = 0; i < problems->count; i++)
        netdp_i_problem_free(problems->made[i]);
    netdp_i_free(problems->made);
    netdp_i_free(problems->of);
    *problems = (netdp_i_problems){0};
}

/* The i-th variant's problem: the study's, an earlier variant's, or a new one. */
static netdp_status find_problem(const netdp_study *study, int32_t i, const char *data,
                                 netdp_i_problems *problems, netdp_error *error)
{
    const netdp_i_variation *variation = &study->variation[i];
    for (int32_t earlier = i - 1; problems->of[i] == NULL && earlier >= -1; earlier--)
        if (same_problem(earlier < 0 ? study : study->variation[earlier].study, variation->study))
            problems->of[i] = earlier < 0 ? problems->made[0] : problems->of[earlier];
    if (problems->of[i] != NULL)
        return NETDP_OK;
    netdp_i_problem **made = &problems->made[problems->count];
    netdp_status status = netdp_i_problem_new(variation->study, data, made, error);
    if (status != NETDP_OK)
        return netdp_i_within(error, status, "variant %s", variation->name);
    problems->of[i] = *made;
    problems->count++;
    return NETDP_OK;
}

netdp_status netdp_i_problems_new(const netdp_study *study, const char *data,
                                  netdp_i_problems *problems, netdp_error *error)
{
    netdp_i_problems made = {0};
    made.made = NETDP_I_NEW(netdp_i_problem *, study->variation_count + 1);
    made.of = NETDP_I_NEW(const netdp_i_problem *, study->variation_count);
    netdp_status status = NETDP_OK;
    if (made.made == NULL || made.of == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK)
        status = netdp_i_problem_new(study, data, &made.made[0], error);
    if (status == NETDP_OK)
        made.count = 1;
    for (int32_t i = 0; status == NETDP_OK && i < study->variation_count; i++)
        status = find_problem(study, i, data, &made, error);
    if (status != NETDP_OK) {
        netdp_i_problems_clear(&made);
        return status;
    }
    *problems = made;
    return NETDP_OK;
}

static void digest_problem(const netdp_i_problem *problem, char digest[65])
{
    const netdp_rows rows = rows_of(problem);
    const size_t entries = (size_t)rows.start[rows.nodes];
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    const size_t numbers = (size_t)problem->width, nodes = (size_t)rows.nodes;
    const netdp_examples *train = problem->train, *test = problem->test;
    const size_t train_rows = train != NULL ? (size_t)train->rows : 0;
    const size_t test_rows = test != NULL ? (size_t)test->rows : 0;
    const size_t valued = problem->values != NULL ? 1 : 0, size = sizeof(double);
    const struct {
        const void *bytes;
        size_t count; /* 0: not of this task */
    } parts[] = {
        {&problem->width, sizeof problem->width},
        {rows.start, (nodes + 1) * sizeof *rows.start},
        {rows.column, entries * sizeof *rows.column},
        {rows.weight, entries * sizeof *rows.weight},
        {problem->low, valued * numbers * size},
        {problem->scale, valued * numbers * size},
        {problem->values, valued * nodes * numbers * size},
        {train != NULL ? train->x : NULL, train_rows * numbers * size},
        {train != NULL ? train->y : NULL, train_rows * size},
        {train != NULL ? train->start : NULL,
         (train != NULL ? nodes + 1 : 0) * sizeof *train->start},
        {test != NULL ? test->x : NULL, test_rows * numbers * size},
        {test != NULL ? test->y : NULL, test_rows * size},
    };
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0)
            crypto_hash_sha256_update(&state, parts[i].bytes, parts[i].count);
    for (int32_t v = 0; problem->pairs != NULL && v < rows.nodes; v++) {
        const int32_t degree = netdp_graph_degree(problem->pairs, v);
        crypto_hash_sha256_update(&state, (const unsigned char *)&degree, sizeof degree);
        crypto_hash_sha256_update(&state,
                                  (const unsigned char *)netdp_graph_neighbours(problem->pairs, v),
                                  (size_t)degree * sizeof degree);
    }
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(digest, 65, hash, sizeof hash);
}

void netdp_i_problems_digest(const netdp_i_problems *problems, char digest[65])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    digest_problem(problems->made[0], digest);
    if (problems->count == 1)
        return;
    crypto_hash_sha256_init(&state);
    for (int32_t i = 0; i < problems->count; i++) {
        digest_problem(problems->made[i], digest);
        crypto_hash_sha256_update(&state, (const unsigned char *)digest, 64);
    }
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(digest, 65, hash, sizeof hash);
}
