#include "plan/learner.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "learn/model.h"
#include "learn/owner.h"
#include "learn/prepare.h"
#include "learn/table.h"
#include "study/protection.h"
#include "study/study.h"

static bool is_many(const netdp_study *study)
{
    const netdp_i_learned *learned = netdp_i_task_learned(study->task.kind);
    return learned != NULL && learned->many;
}

/* What the study declares of its label; NULL: nothing. */
static const netdp_i_column *find_label(const netdp_study *study)
{
    for (int32_t i = 0; study->data.label != NULL && i < study->data.column_count; i++)
        if (strcmp(study->data.column[i].name, study->data.label) == 0)
            return &study->data.column[i];
    return NULL;
}

/* Classes are declared; those of logistic may also be agreed on: 0 and 1, for which -1 and 1 do as well. */
static netdp_range label_range(const netdp_study *study)
{
    static const char *const agreed[] = {"0", "1"};
    const char *name = study->data.label != NULL ? study->data.label : "y";
    const netdp_i_column *column = find_label(study);
    if (column != NULL && (column->values > 0 || !netdp_i_study_classes(study)))
        return (netdp_range){.column = column->name,
                             .low = column->low,
                             .high = column->high,
                             .values = column->values,
                             .value = (const char *const *)column->value};
    return netdp_i_study_classes(study)
               ? (netdp_range){.column = name, .values = 2, .value = agreed}
               : (netdp_range){.column = name};
}

/* The study's feature columns in their order; the label is none of them. */
static int32_t list_features(const netdp_study *study, const netdp_i_column **list)
{
    int32_t count = 0;
    for (int32_t i = 0; i < study->data.column_count; i++)
        if (strcmp(study->data.column[i].name, study->data.label) != 0) {
            if (list != NULL)
                list[count] = &study->data.column[i];
            count++;
        }
    return count;
}

/* Numbers of a prepared row. */
static int32_t features_of(const netdp_study *study)
{
    const char *law = study->data.synthetic;
    const char *number = law != NULL ? strchr(law, ' ') : NULL;
    const int64_t drawn = number != NULL ? strtol(number, NULL, 10) : 0;
    return (int32_t)(law != NULL ? drawn : list_features(study, NULL)) + study->task.intercept;
}

static int32_t classes_of(const netdp_study *study)
{
    return is_many(study) && find_label(study) != NULL ? find_label(study)->values : 1;
}

int32_t netdp_i_learner_width(const netdp_study *study)
{
    return netdp_i_study_owns(study) ? (int32_t)study->task.parameters
                                     : features_of(study) * classes_of(study);
}

netdp_status netdp_i_learner_check(const netdp_study *study, netdp_error *error)
{
    const netdp_batches batches = netdp_i_study_protection(study).batches;
    const struct {
        bool is;
        const char *what;
    } refused[] = {
        {study->task.batch > 0, "task.batch: every row takes part in every phase"},
        {batches.kind == NETDP_BATCHES_POISSON, "data.batches: poisson: whose rows are drawn must "
                                                "be secret, and is not yet; give cyclic:B"},
        {batches.kind != NETDP_BATCHES_FULL && netdp_i_study_owns(study),
         "data.batches of a model of one's own: its program takes every row"},
        {batches.kind != NETDP_BATCHES_FULL && study->question.change == NETDP_CHANGE_ADD_REMOVE,
         "cyclic batches with privacy.change: add-remove, which moves the rows behind it to other "
         "batches; give replace"},
        {study->task.decay > 0, "task.decay: steps are of one size"},
        {study->task.local > 1, "task.local: a step is one gradient"},
        {study->task.momentum > 0, "task.momentum: phases begin where the last one ended"},
        {study->data.deal != NULL && strcmp(study->data.deal, "even") != 0,
         "data.deal: each has a file of its own"},
        {study->data.radius > 0, "data.radius: rows have unit norm"},
        {study->data.onehot, "data.categories: features are numbers"},
        {study->data.missing == NETDP_MISSING_MEAN, "data.missing: mean: give drop, or refuse"},
        {netdp_i_study_classes(study) && !is_many(study) && find_label(study) != NULL &&
             find_label(study)->values > 0 && find_label(study)->values != 2,
         "a label of other than two values: list the one and then the other"},
        {is_many(study) && (find_label(study) == NULL || find_label(study)->values < 2),
         "classes that are found from the rows: list the label's values in data.columns"},
        {study->data.owner != NULL, "data.owner: each has a file of its own"},
        {study->protocol.rounds == 0, "protocol.rounds: auto: give a number"},
        {study->question.quiet != NULL && strcmp(study->question.quiet, "fresh") != 0,
         "privacy.quiet: phases have noise of their own"},
        {study->data.synthetic == NULL && !netdp_i_study_owns(study) &&
             features_of(study) == study->task.intercept,
         "learning without data.columns: give each feature's bounds, so that nothing is found from "
         "the rows"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        REFUSE(refused[i].is, "study.yaml: peers do not take %s", refused[i].what);
    return NETDP_OK;
}

/* Of many classes the class stands before it: "north: age". */
char *netdp_i_learner_name(const netdp_study *study, int32_t j)
{
    char name[160], whole[320];
    int32_t at = 0;
    const bool many = is_many(study);
    const int32_t features = features_of(study), own = many ? j % features : j;
    snprintf(name, sizeof name, "x%d", (int)own + 1);
    for (int32_t i = 0; i < study->data.column_count; i++)
        if (strcmp(study->data.column[i].name, study->data.label) != 0 && at++ == own)
            snprintf(name, sizeof name, "%.150s", study->data.column[i].name);
    if (study->task.intercept && own + 1 == features)
        snprintf(name, sizeof name, "intercept");
    if (many)
        snprintf(whole, sizeof whole, "%.150s: %.150s", find_label(study)->value[j / features],
                 name);
    return netdp_i_copy_text(many ? whole : name);
}

/* ---- How rows become numbers ---- */

static netdp_model *close_model(const netdp_study *study, netdp_model *made, bool fine)
{
    const netdp_range label = label_range(study);
    if (fine && netdp_i_scale_set(&made->label, &label,
                                  label.values > 0         ? NETDP_I_SCALE_VALUES
                                  : label.low < label.high ? NETDP_I_SCALE_RANGE
                                                           : NETDP_I_SCALE_NONE)) {
        made->kind = netdp_i_task_learned(study->task.kind)->kind;
        made->intercept = study->task.intercept;
        made->missing = study->data.missing;
        netdp_i_model_close(made);
        return made;
    }
    netdp_model_free(made);
    return NULL;
}

netdp_model *netdp_i_model_drawn(const netdp_study *study, int32_t features)
{
    char name[24];
    netdp_model *made = netdp_i_model_new(features - study->task.intercept);
    bool fine = made != NULL;
    for (int32_t j = 0; fine && j < made->count; j++) {
        const netdp_range range = {.column = name};
        snprintf(name, sizeof name, "x%d", (int)j + 1);
        fine = netdp_i_scale_set(&made->feature[j], &range, NETDP_I_SCALE_NONE);
    }
    return close_model(study, made, fine);
}

netdp_model *netdp_i_learner_model(const netdp_study *study)
{
    const int32_t features = list_features(study, NULL);
    if (study->data.synthetic != NULL)
        return netdp_i_model_drawn(study, features_of(study));
    const netdp_i_column **feature = NETDP_I_NEW(const netdp_i_column *, features + 1);
    netdp_model *made = netdp_i_model_new(features);
    bool fine = feature != NULL && made != NULL;
    if (fine)
        (void)list_features(study, feature);
    for (int32_t j = 0; fine && j < features; j++) {
        const netdp_range range = {
            .column = feature[j]->name, .low = feature[j]->low, .high = feature[j]->high};
        fine = netdp_i_scale_set(&made->feature[j], &range, NETDP_I_SCALE_RANGE);
    }
    netdp_i_free(feature);
    if (made != NULL)
        made->unit = true;
    return close_model(study, made, fine);
}

static netdp_status make_rows(const netdp_study *study, int64_t rows, int32_t features,
                              netdp_i_learner *learner, netdp_error *error)
{
    netdp_examples *made = NETDP_I_NEW(netdp_examples, 1);
    NEED(made);
    *learner = (netdp_i_learner){
        .rows = made,
        .objective = {.kind = netdp_i_task_learned(study->task.kind)->kind,
                      .clip = study->task.clip,
                      .l2 = study->task.l2,
                      .parameters = is_many(study) ? classes_of(study) * features : 0},
        .step = study->task.step,
        .held = rows,
        .batches = netdp_i_study_protection(study).batches,
        .scratch = NETDP_I_NEW(int64_t, rows),
    };
    *made = (netdp_examples){.rows = rows,
                             .features = features,
                             .nodes = 1,
                             .classes = is_many(study) ? classes_of(study) : 0};
    made->x = NETDP_I_NEW(double, rows *features);
    made->y = NETDP_I_NEW(double, rows);
    made->start = NETDP_I_NEW(int64_t, 2);
    if (made->x == NULL || made->y == NULL || made->start == NULL || learner->scratch == NULL) {
        netdp_i_free(learner->scratch);
        netdp_examples_free(made);
        *learner = (netdp_i_learner){0};
        return netdp_i_no_memory(error);
    }
    made->start[1] = rows;
    /* Out of swap and core files; a limit of locked memory that is too low ends nothing. */
    (void)sodium_mlock(made->x, (size_t)rows * (size_t)features * sizeof(double));
    (void)sodium_mlock(made->y, (size_t)rows * sizeof(double));
    return NETDP_OK;
}

void netdp_i_learner_clear(netdp_i_learner *learner)
{
    netdp_examples *rows = learner->rows;
    if (rows != NULL && !learner->own) {
        (void)sodium_munlock(rows->x, (size_t)rows->rows * (size_t)rows->features * sizeof(double));
        (void)sodium_munlock(rows->y, (size_t)rows->rows * sizeof(double));
    }
    netdp_examples_free(rows);
    netdp_i_free(learner->scratch);
    *learner = (netdp_i_learner){0};
}

netdp_status netdp_i_learner_weigh(netdp_i_learner *learner, double weight, netdp_error *error)
{
    learner->rows->weight = NETDP_I_NEW(double, 1);
    NEED(learner->rows->weight);
    learner->rows->weight[0] = weight;
    return NETDP_OK;
}

netdp_status netdp_i_learner_take(const netdp_study *study, const netdp_examples *from,
                                  int32_t node, netdp_i_learner *learner, netdp_error *error)
{
    const int64_t first = from->start[node], rows = from->start[node + 1] - first;
    TRY(make_rows(study, rows, from->features, learner, error));
    memcpy(learner->rows->x, from->x + first * from->features,
           (size_t)rows * (size_t)from->features * sizeof(double));
    memcpy(learner->rows->y, from->y + first, (size_t)rows * sizeof(double));
    return NETDP_OK;
}

netdp_status netdp_i_learner_own(const netdp_study *study, netdp_i_learner *learner,
                                 netdp_error *error)
{
    netdp_examples *rows = NETDP_I_NEW(netdp_examples, 1);
    NEED(rows);
    rows->features = (int32_t)study->task.parameters;
    *learner = (netdp_i_learner){.rows = rows,
                                 .own = true,
                                 .objective = {.clip = study->task.clip, .l2 = study->task.l2},
                                 .step = study->task.step};
    return NETDP_OK;
}

void netdp_i_learner_give(netdp_i_learner *learner, const double *mean)
{
    learner->given = mean;
}

/* Which class is which is agreed on, not found: a member may hold one class alone. `text` is looked at
 * where the study declares them. */
static bool take_class(const netdp_range *label, bool many, const char *text, double number,
                       double *y)
{
    const int32_t found =
        text != NULL ? netdp_i_cell_find(text, label->value, label->values) : number > 0;
    *y = many ? fmax(0, found) : found == 1 ? 1 : -1;
    return text != NULL ? found >= 0 : number == 1 || number == 0 || number == -1;
}

/* A row with an empty cell, or of no class, stays 0: what it says changes nothing that others see. */
static netdp_status fill_rows(const netdp_study *study, const netdp_table *table,
                              const netdp_i_label_column *texts,
                              const netdp_i_column *const *feature, netdp_i_learner *learner,
                              netdp_error *error)
{
    const netdp_range label = label_range(study);
    const bool classes = netdp_i_study_classes(study), many = is_many(study);
    netdp_examples *rows = learner->rows;
    const int32_t features = table->columns - 1;
    bool any = false;
    for (int64_t i = 0; i < table->rows; i++) {
        const double *cell = table->values + i * table->columns;
        double *x = rows->x + i * rows->features;
        rows->y[i] = classes && !many ? 1 : 0;
        if (texts->empty[i] ||
            (classes && !take_class(&label, many, texts->of_row != NULL ? texts->of_row[i] : NULL,
                                    cell[features], &rows->y[i])))
            continue;
        any = true;
        for (int32_t j = 0; j < features; j++) {
            const netdp_range range = {
                .column = feature[j]->name, .low = feature[j]->low, .high = feature[j]->high};
            x[j] = netdp_i_prepare_cell(&range, cell[j]);
        }
        netdp_i_prepare_row(x, features);
        if (study->task.intercept)
            x[features] = 1;
        if (!classes)
            rows->y[i] = netdp_i_prepare_cell(&label, cell[features]);
    }
    REFUSE(!any, "no row is whole and has one of the labels that are agreed on");
    return NETDP_OK;
}

/* What stands in it is somebody's own. */
static void forget_table(netdp_table **table)
{
    if (*table != NULL)
        sodium_memzero((*table)->values, (size_t)(*table)->rows * (size_t)(*table)->columns *
                                             sizeof *(*table)->values);
    netdp_table_free(*table);
}

netdp_status netdp_i_learner_read(const netdp_study *study, const char *path, int64_t announced,
                                  netdp_i_learner *learner, netdp_error *error)
{
    const int32_t features = list_features(study, NULL);
    OWNED const netdp_i_column **feature = NETDP_I_NEW(const netdp_i_column *, features + 1);
    OWNED const char **wanted = NETDP_I_NEW(const char *, features + 1);
    CLEARED(forget_table) netdp_table *table = NULL;
    CLEARED(netdp_i_label_column_drop) netdp_i_label_column texts = {0};
    CLEARED(netdp_i_learner_clear) netdp_i_learner made = {0};
    const netdp_range label = label_range(study);
    const bool declared = find_label(study) != NULL && find_label(study)->values > 0;
    const bool drop = study->data.missing == NETDP_MISSING_DROP;
    if (feature == NULL || wanted == NULL)
        return netdp_i_no_memory(error);
    (void)list_features(study, feature);
    for (int32_t j = 0; j < features; j++)
        wanted[j] = feature[j]->name;
    wanted[features] = study->data.label;
    TRY(declared
            ? netdp_i_table_read_classes(path, wanted, features + 1, drop, &table, &texts, error)
            : netdp_i_table_read_owned(path, wanted, features + 1, NULL, drop, &table, &texts,
                                       error));
    REFUSE(table->rows == 0, "%.300s: has no row", path);
    REFUSE(!netdp_i_study_classes(study) && !(label.low < label.high),
           "study.yaml: the label has no bounds");
    TRY(make_rows(study, table->rows > announced ? table->rows : announced,
                  features + study->task.intercept, &made, error));
    made.held = table->rows;
    TRY(fill_rows(study, table, &texts, feature, &made, error));
    *learner = made;
    made = (netdp_i_learner){0};
    return NETDP_OK;
}

static void take_gradient(const netdp_i_learner *learner, int64_t phase, double l2,
                          const double *model, double *gradient)
{
    for (int32_t j = 0; learner->own && j < learner->rows->features; j++)
        gradient[j] = learner->given[j] + (l2 > 0 ? l2 * model[j] : 0);
    if (learner->own)
        return;
    netdp_objective objective = learner->objective;
    objective.l2 = l2;
    netdp_batch_gradient(&objective, learner->rows, 0, model, learner->batches, phase, 0, 0,
                         learner->scratch, gradient);
}

void netdp_i_learner_value(const netdp_i_learner *learner, int64_t phase, const double *model,
                           double *value)
{
    take_gradient(learner, phase, 0, model, value);
    for (int32_t j = 0; j < netdp_parameters(&learner->objective, learner->rows); j++)
        value[j] *= -learner->step;
}

void netdp_i_learner_shrink(const netdp_i_learner *learner, int32_t width, double *model)
{
    for (int32_t j = 0; j < width; j++)
        model[j] -= learner->step * learner->objective.l2 * model[j];
}

void netdp_i_learner_descend(const netdp_i_learner *learner, int64_t phase, double *model,
                             double *gradient)
{
    take_gradient(learner, phase, learner->objective.l2, model, gradient);
    for (int32_t j = 0; j < netdp_parameters(&learner->objective, learner->rows); j++)
        model[j] -= learner->step * gradient[j];
}
