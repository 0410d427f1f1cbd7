#include "peer/task.h"

#include <math.h>
#include <sodium.h>
#include <string.h>
#include <netdp/learn.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "learn/table.h"
#include "peer/link/largest.h"
#include "peer/price.h"
#include "plan/problem.h"
#include "study/key.h"
#include "study/study.h"

void netdp_i_task_clear(netdp_i_task *task)
{
    for (int32_t j = 0; task->column != NULL && j < task->width; j++)
        netdp_i_free(task->column[j]);
    netdp_i_free(task->column);
    netdp_i_free(task->low);
    netdp_i_free(task->factor);
    netdp_i_learner_clear(&task->learner);
    sodium_free(task->value);
    netdp_mixing_free(task->mixing);
    netdp_graph_free(task->pairs);
    netdp_graph_free(task->links);
    netdp_study_free(task->study);
    *task = (netdp_i_task){0};
}

static netdp_status refuse(const char *what, const char *instead, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID, "study.yaml: peers do not run %s yet; %s", what,
                        instead);
}

static bool is_one_of(const char *name, const char *a, const char *b)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

/* The mean of everybody's value, one contribution each, or a model, one in each phase. */
netdp_status netdp_i_task_check(const netdp_study *study, netdp_error *error)
{
    const char *task = study->task.kind, *protocol = study->protocol.kind;
    if (study->variation_count > 0)
        return refuse("several variants at once", "make the package of one of them", error);
    if (is_one_of(task, "sum", "histogram") && strcmp(protocol, "averaging") != 0)
        return refuse("sums and histograms by a token",
                      "give protocol averaging: of a sum task mean, which it is a multiple of",
                      error);
    if (!(is_one_of(task, "mean", "histogram") && strcmp(protocol, "averaging") == 0) &&
        !(netdp_i_task_learns(task) && is_one_of(protocol, "gossip-sgd", "muffliato-sgd")) &&
        !netdp_i_study_owns(study))
        return refuse("this task and protocol",
                      "give task mean or histogram and protocol averaging, or task logistic, "
                      "ridge, softmax or own and protocol gossip-sgd or muffliato-sgd",
                      error);
    if (strcmp(study->question.dropout, "0") != 0 || strcmp(study->question.redraw, "never") != 0)
        return refuse("networks that change", "leave out protocol.dropout and redraw", error);
    if (netdp_i_study_learns(study))
        return netdp_i_learner_check(study, error);
    if (netdp_i_study_counts(study) && study->data.column_count > 1)
        return refuse("histograms of several columns", "list one in data.columns", error);
    if (study->data.column_count == 0)
        return refuse("studies that take every column of a file", "list them in data.columns",
                      error);
    return NETDP_OK;
}

/* The range of a column, as plan/problem.c finds it. */
static netdp_status find_range(const netdp_study *study, int32_t j, double *low, double *high,
                               netdp_error *error)
{
    const netdp_i_column *column = &study->data.column[j];
    const bool own = column->low < column->high;
    *low = 0;
    *high = 1;
    if (study->task.clip > 0)
        return NETDP_OK;
    REFUSE(!own && !study->task.has_bounds,
           "study.yaml: column %s has no declared range; give task.bounds or task.clip",
           column->name);
    *low = own ? column->low : study->task.low;
    *high = own ? column->high : study->task.high;
    return NETDP_OK;
}

/* Where a member's value lies. */
static netdp_i_extent extent_of(const netdp_study *study, const netdp_i_package *package,
                                const netdp_i_unit *unit, int32_t member)
{
    const bool ball = study->task.clip > 0;
    const double step = netdp_i_study_learns(study) ? study->task.step : 1;
    double whole = netdp_i_unit_own(unit, member); /* what all of its data change */
    if (unit->row)
        whole *= 2 * (double)package->member[member].rows;
    return (netdp_i_extent){.radius = ball ? step * (whole / 2) : 0,
                            .most = ball ? 0
                                    : netdp_i_study_counts(study)
                                        ? 2 * netdp_i_unit_weight(unit, study, package, member)
                                        : whole / sqrt((double)package->terms.width)};
}

static double find_largest(const netdp_i_task *task, double reach)
{
    netdp_i_extremes of = {.reach = reach,
                           .scale = task->scale,
                           .shrink = task->study->task.step * task->study->task.l2,
                           .width = task->width};
    for (int32_t v = 0; task->pairs != NULL && v < netdp_graph_nodes(task->pairs); v++)
        if (netdp_graph_degree(task->pairs, v) > of.shared)
            of.shared = netdp_graph_degree(task->pairs, v);
    return netdp_i_largest_number(&task->protocol, &of);
}

/*
 * Scale and reach. Clipping into the reach is what holds a node's whole data; rows are clipped one by
 * one, or counted, their mean lies inside, and the reach, which is wider, never binds.
 */
static netdp_status take_unit(netdp_i_task *task, const netdp_i_package *package,
                              netdp_error *error)
{
    const netdp_study *study = task->study;
    netdp_i_unit unit = {0};
    TRY(netdp_i_unit_new(study, package, &unit, error));
    const double step = netdp_i_study_learns(study) ? study->task.step : 1;
    task->rows = package->member[task->self].rows;
    task->weight = netdp_i_unit_weight(&unit, study, package, task->self);
    task->fewer = unit.row && study->question.change == NETDP_CHANGE_ADD_REMOVE;
    task->scale = step * (package->terms.sigma * unit.sensitivity);
    task->reach = extent_of(study, package, &unit, task->self);
    double widest = 0;
    for (int32_t v = 0; v < package->members; v++) {
        const netdp_i_extent reach = extent_of(study, package, &unit, v);
        widest = fmax(widest, fmax(reach.radius, reach.most));
    }
    netdp_i_unit_clear(&unit);
    task->largest =
        study->protocol.largest > 0 ? study->protocol.largest : find_largest(task, widest);
    return NETDP_OK;
}

static netdp_status take_columns(netdp_i_task *task, netdp_error *error)
{
    const netdp_study *study = task->study;
    task->column = NETDP_I_NEW(char *, task->width);
    task->low = NETDP_I_NEW(double, task->width);
    task->factor = NETDP_I_NEW(double, task->width);
    task->value = sodium_allocarray((size_t)task->width, sizeof *task->value);
    if (task->column == NULL || task->low == NULL || task->factor == NULL || task->value == NULL)
        return netdp_i_no_memory(error);
    const bool learns = netdp_i_study_learns(study), counts = netdp_i_study_counts(study);
    double low = 0, high = 1;
    if (counts) /* of which bins are parts */
        TRY(find_range(study, 0, &low, &high, error));
    for (int32_t j = 0; j < task->width; j++) {
        high = 1;
        if (!learns && !counts)
            TRY(find_range(study, j, &task->low[j], &high, error));
        task->factor[j] = high - task->low[j];
        task->column[j] = learns   ? netdp_i_learner_name(study, j)
                          : counts ? netdp_i_bin_name(study, study->data.column[0].name, j)
                                   : netdp_i_copy_text(study->data.column[j].name);
        NEED(task->column[j]);
    }
    return NETDP_OK;
}

/* Each row clipped, in inner units, or a 1 in its bin; then their mean. */
static void average_rows(netdp_i_task *task, const netdp_table *table, const bool *empty)
{
    const double clip = task->study->task.clip;
    memset(task->value, 0, (size_t)task->width * sizeof *task->value);
    const bool counts = netdp_i_study_counts(task->study);
    int64_t whole = 0;
    for (int64_t i = 0; i < table->rows; i++)
        whole += !empty[i];
    for (int64_t i = 0; counts && i < table->rows; i++)
        if (!empty[i])
            task->value[netdp_i_bin_of(task->study, table->values[i])] += 1;
    for (int64_t i = 0; !counts && i < table->rows; i++) {
        if (empty[i])
            continue;
        const double *row = table->values + i * task->width;
        double square = 0;
        for (int32_t j = 0; j < task->width; j++)
            square += row[j] * row[j];
        const double norm = sqrt(square);
        for (int32_t j = 0; j < task->width; j++) {
            double inner = (row[j] - task->low[j]) / task->factor[j];
            if (clip > 0)
                inner *= norm > clip ? clip / norm : 1;
            else
                inner = fmin(1, fmax(0, inner));
            task->value[j] += inner;
        }
    }
    /* A row that is not there, or has an empty cell, counts in no bin, and else as the middle of its
     * range, where rows were announced; else the mean is of those that are whole. */
    const int64_t all = task->rows > 0 ? task->rows : whole > 0 ? whole : 1;
    const double rows = (double)all;
    const double middle = clip > 0 || counts ? 0 : 0.5 * (double)(all - whole);
    for (int32_t j = 0; j < task->width; j++)
        task->value[j] = (task->value[j] + middle) / rows * task->weight;
}

/* What a reader says quotes the cell, and an error ends in a log: the line is enough. */
static netdp_status fail_quietly(const char *path, const netdp_error *why, netdp_error *error)
{
    const size_t length = strlen(path);
    long line = 0;
    if (strncmp(why->text, path, length) == 0 && why->text[length] == ':')
        line = strtol(why->text + length + 1, NULL, 10);
    if (why->status == NETDP_INVALID && line > 0)
        return netdp_i_fail(
            error, why->status,
            "%.300s: line %ld is not a row with a number in each column of the study", path, line);
    return netdp_i_fail(error, why->status,
                        "%.300s: cannot be read, or lacks a column of the study", path);
}

/* What was announced is what the noise was found for. */
static netdp_status check_rows(const netdp_i_task *task, const char *path, int64_t held,
                               netdp_error *error)
{
    if (task->rows == 0 || held == task->rows || (task->fewer && held < task->rows))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%.300s: does not hold the %lld rows that roster.json announces%s; agree "
                        "on another package, or give the file that was meant",
                        path, (long long)task->rows, task->fewer ? ", or fewer" : "");
}

static netdp_status read_own(netdp_i_task *task, const char *folder, const char *data,
                             netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_table_free) netdp_table *table = NULL;
    netdp_error why = {NETDP_OK, ""};
    if (data[0] == '/')
        netdp_i_file_path(path, "", data + 1);
    else
        netdp_i_file_path(path, folder, data);
    if (netdp_i_study_learns(task->study)) {
        if (task->study->data.synthetic != NULL)
            return refuse("synthetic data with a file of one's own", "run it in test mode", error);
        if (netdp_i_learner_read(task->study, path, task->rows, &task->learner, &why) != NETDP_OK)
            return fail_quietly(path, &why, error);
        return check_rows(task, path, task->learner.held, error);
    }
    const int32_t columns = task->study->data.column_count;
    OWNED const char **wanted = NETDP_I_NEW(const char *, columns);
    NEED(wanted);
    for (int32_t j = 0; j < columns; j++)
        wanted[j] = task->study->data.column[j].name;
    CLEARED(netdp_i_label_column_drop) netdp_i_label_column texts = {0};
    if (netdp_i_table_read_owned(path, wanted, columns, NULL,
                                 task->study->data.missing == NETDP_MISSING_DROP, &table, &texts,
                                 &why) != NETDP_OK)
        return fail_quietly(path, &why, error);
    REFUSE(table->rows == 0, "%.300s: has no row", path);
    TRY(check_rows(task, path, table->rows, error));
    average_rows(task, table, texts.empty);
    sodium_memzero(table->values, (size_t)table->rows * (size_t)columns * sizeof *table->values);
    return NETDP_OK;
}

/* Seeded noise hides nothing: only data that are nobody's are read with it. */
static netdp_status read_test(netdp_i_task *task, double noise, netdp_error *error)
{
    const netdp_study *study = task->study;
    const double step = netdp_i_study_learns(study) ? study->task.step : 1;
    const netdp_dataset *set = netdp_datasets();
    OWNED_BY(netdp_i_problem_free) netdp_i_problem *problem = NULL;
    while (study->data.source != NULL && set->name != NULL &&
           strcmp(set->name, study->data.source) != 0)
        set++;
    REFUSE(study->data.synthetic == NULL &&
               (study->data.source == NULL || set->name == NULL || !set->bundled),
           "test mode: its noise can be computed by anybody; only bundled and synthetic data are "
           "read with it, not these of study.yaml");
    TRY(netdp_i_problem_new(study, NULL, &problem, error));
    REFUSE(problem->width != task->width ||
               netdp_graph_nodes(problem->graph) != netdp_graph_nodes(task->links),
           "test mode: study.yaml has %d nodes with %d numbers, the roster %d with %d",
           (int)netdp_graph_nodes(problem->graph), (int)problem->width,
           (int)netdp_graph_nodes(task->links), (int)task->width);
    REFUSE(task->scale != step * (noise * problem->sensitivity),
           "test mode: the roster announces other rows than study.yaml's data have");
    if (netdp_i_study_learns(study))
        TRY(netdp_i_learner_take(study, problem->train, task->self, &task->learner, error));
    else
        memcpy(task->value, problem->values + (int64_t)task->self * task->width,
               (size_t)task->width * sizeof *task->value);
    return NETDP_OK;
}

int32_t netdp_i_task_width(const netdp_study *study)
{
    return netdp_i_study_learns(study)   ? netdp_i_learner_width(study)
           : netdp_i_study_counts(study) ? (int32_t)study->task.levels
                                         : study->data.column_count;
}

static netdp_status describe(netdp_i_task *task, const netdp_i_terms *terms, netdp_error *error)
{
    const netdp_protocol *protocol = NULL;
    netdp_noise noise = terms->noise;
    noise.pairing.graph = task->pairs;
    TRY(netdp_protocol_find(task->study->protocol.kind, &protocol, error));
    const netdp_settings settings = {.rounds = terms->rounds,
                                     .noise = noise,
                                     .inner = task->study->question.settings.inner,
                                     .every = 1,
                                     .accelerate = task->study->question.settings.accelerate};
    task->protocol = netdp_protocol_describe(protocol, task->mixing, &settings);
    TRY(netdp_linear_check(&task->protocol, error));
    return netdp_mixing_require(task->mixing, error);
}

/* What of peer.json the task asks for: rows, or a program. */
static netdp_status read_data(netdp_i_task *task, const netdp_i_terms *terms,
                              const netdp_i_settings *settings, const char *folder,
                              netdp_error *error)
{
    const bool program = settings->program != NULL;
    REFUSE(
        program != netdp_i_study_owns(task->study),
        program
            ? "peer.json: step: the study's task is %s, which takes no program; give data"
            : "peer.json: the study's task is %s: give step, the program that computes gradients",
        task->study->task.kind);
    if (program)
        return netdp_i_learner_own(task->study, &task->learner, error);
    return settings->test ? read_test(task, terms->sigma, error)
                          : read_own(task, folder, settings->data, error);
}

static netdp_status fill(netdp_i_task *task, const netdp_i_package *package,
                         const netdp_i_settings *settings, const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const netdp_i_terms *terms = &package->terms;
    netdp_i_file_path(path, folder, "package/study.yaml");
    TRY(netdp_study_parse(package->study, path, NULL, 0, &task->study, error));
    TRY(netdp_i_task_check(task->study, error));
    REFUSE(netdp_i_task_width(task->study) != task->width,
           "study.yaml has messages of %d numbers, the roster's terms of %d",
           (int)netdp_i_task_width(task->study), (int)task->width);
    TRY(netdp_i_package_graphs(package, &task->links, &task->pairs, error));
    TRY(netdp_mixing_new(task->links, task->study->mixing.weights, &task->mixing, error));
    TRY(describe(task, terms, error));
    REFUSE(netdp_linear_contributions(&task->protocol) != terms->contributions,
           "study.yaml has %lld contributions of each, the roster's terms %lld",
           (long long)netdp_linear_contributions(&task->protocol), (long long)terms->contributions);
    TRY(take_columns(task, error));
    TRY(take_unit(task, package, error));
    TRY(read_data(task, terms, settings, folder, error));
    if (task->learner.rows != NULL && task->study->task.mean_over_rows)
        return netdp_i_learner_weigh(&task->learner, task->weight, error);
    return NETDP_OK;
}

netdp_status netdp_i_task_new(const netdp_i_package *package, const netdp_i_settings *settings,
                              const char *folder, int32_t self, netdp_i_task *task,
                              netdp_error *error)
{
    CLEARED(netdp_i_task_clear)
    netdp_i_task made = {.self = self, .width = (int32_t)package->terms.width};
    TRY(fill(&made, package, settings, folder, error));
    *task = made;
    made = (netdp_i_task){0};
    return NETDP_OK;
}
