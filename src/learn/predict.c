/* A model applied to the rows of a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "learn/csv.h"
#include "learn/model.h"
#include "learn/owner.h"
#include "learn/prepare.h"

typedef struct work {
    const netdp_model *model;
    netdp_missing missing;
    netdp_i_csv_table table;
    netdp_i_csv_reader from; /* for its errors */
    int32_t *column;         /* [model->count]: which of the table */
    bool *kept;              /* [table.columns] */
    double *x;               /* [width] */
    double *score;           /* [classes + 1] */
    netdp_prediction_notes notes;
    FILE *out;
} work;

/* ---- Columns ---- */

/* "a, b" has the name; blanks around names do not count. */
static bool lists(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL;) {
        at += strspn(at, " ");
        const char *end = strchr(at, ',');
        size_t part = end != NULL ? (size_t)(end - at) : strlen(at);
        while (part > 0 && at[part - 1] == ' ')
            part--;
        if (part == length && memcmp(at, name, length) == 0)
            return true;
        at = end != NULL ? end + 1 : NULL;
    }
    return false;
}

static const char *nearest_of(char *const *name, int32_t count, const char *to)
{
    const char *nearest = "";
    size_t least = SIZE_MAX;
    for (int32_t i = 0; i < count; i++)
        if (netdp_i_distance(name[i], to) < least) {
            least = netdp_i_distance(name[i], to);
            nearest = name[i];
        }
    return nearest;
}

static netdp_status place(work *w, int32_t feature, netdp_error *error)
{
    const char *name = w->model->feature[feature].name;
    w->column[feature] = -1;
    for (int32_t c = 0; c < w->table.columns; c++)
        if (strcmp(w->table.name[c], name) == 0) {
            if (w->column[feature] >= 0)
                return netdp_i_csv_fail(&w->from, 1, error,
                                        "two columns have the name '%s'; rename one",
                                        netdp_i_show_text(name).text);
            w->column[feature] = c;
        }
    if (w->column[feature] >= 0 || w->model->feature[feature].scaling == NETDP_I_SCALE_CONSTANT)
        return NETDP_OK;
    return netdp_i_csv_fail(
        &w->from, 1, error,
        "the model needs column '%s', which is not there; the nearest name is '%s'",
        netdp_i_show_text(name).text,
        netdp_i_show_text(nearest_of(w->table.name, w->table.columns, name)).text);
}

static bool is_feature(const work *w, int32_t column)
{
    for (int32_t i = 0; i < w->model->count; i++)
        if (strcmp(w->model->feature[i].name, w->table.name[column]) == 0)
            return true;
    return false;
}

/* What the model does not know is a mistake, unless somebody wants to keep it. */
static netdp_status check_column(const work *w, int32_t column, netdp_error *error)
{
    const char *name = w->table.name[column], *nearest = "";
    size_t least = SIZE_MAX;
    if (w->kept[column] || is_feature(w, column) || strcmp(name, w->model->label.name) == 0)
        return NETDP_OK;
    for (int32_t i = 0; i < w->model->count; i++)
        if (netdp_i_distance(w->model->feature[i].name, name) < least) {
            least = netdp_i_distance(w->model->feature[i].name, name);
            nearest = w->model->feature[i].name;
        }
    return netdp_i_csv_fail(&w->from, 1, error,
                            "the model has no column '%s'; its nearest is '%s'; rename it, or keep "
                            "it as it is (--keep)",
                            netdp_i_show_text(name).text, netdp_i_show_text(nearest).text);
}

/* Every name of `keep` is a column. */
static netdp_status check_kept(const work *w, const char *keep, netdp_error *error)
{
    char name[256];
    for (const char *at = keep; at != NULL && strcmp(keep, "all") != 0;) {
        at += strspn(at, " ");
        const char *end = strchr(at, ',');
        size_t part = end != NULL ? (size_t)(end - at) : strlen(at);
        while (part > 0 && at[part - 1] == ' ')
            part--;
        snprintf(name, sizeof name, "%.*s", (int)part, at);
        bool found = false;
        for (int32_t c = 0; c < w->table.columns; c++)
            found = found || strcmp(w->table.name[c], name) == 0;
        if (!found)
            return netdp_i_csv_fail(
                &w->from, 1, error, "keep: there is no column '%s'; the nearest name is '%s'",
                netdp_i_show_text(name).text,
                netdp_i_show_text(nearest_of(w->table.name, w->table.columns, name)).text);
        at = end != NULL ? end + 1 : NULL;
    }
    return NETDP_OK;
}

static netdp_status match(work *w, const char *keep, netdp_error *error)
{
    w->column = NETDP_I_NEW(int32_t, w->model->count + 1);
    w->kept = NETDP_I_NEW(bool, w->table.columns);
    w->x = NETDP_I_NEW(double, w->model->width + 1);
    w->score = NETDP_I_NEW(double, w->model->label.values + 1);
    if (w->column == NULL || w->kept == NULL || w->x == NULL || w->score == NULL)
        return netdp_i_no_memory(error);
    for (int32_t c = 0; c < w->table.columns && keep != NULL; c++)
        w->kept[c] = strcmp(keep, "all") == 0 || lists(keep, w->table.name[c]);
    for (int32_t i = 0; i < w->model->count; i++)
        TRY(place(w, i, error));
    TRY(check_kept(w, keep, error));
    for (int32_t c = 0; c < w->table.columns; c++)
        TRY(check_column(w, c, error));
    return NETDP_OK;
}

/* ---- Rows ---- */

/* x = the column's numbers of a cell that is not empty. False: it is no finite number. */
static bool apply_scale(const netdp_i_scale *scale, const char *text, double *x,
                        netdp_prediction_notes *notes)
{
    double value = 0;
    if (scale->scaling == NETDP_I_SCALE_VALUES) {
        const int32_t found =
            netdp_i_cell_find(text, (const char *const *)scale->value, scale->values);
        for (int32_t i = 0; i < scale->values; i++)
            x[i] = i == found;
        notes->unlisted += found < 0;
        return true;
    }
    if (scale->scaling == NETDP_I_SCALE_CONSTANT)
        return true;
    if (!netdp_i_read_number(text, &value) || !isfinite(value))
        return false;
    if (scale->scaling == NETDP_I_SCALE_RANGE) {
        const netdp_range range = {.column = scale->name, .low = scale->low, .high = scale->high};
        notes->beyond += value < scale->low || value > scale->high;
        value = netdp_i_prepare_cell(&range, value);
    } else if (scale->scaling == NETDP_I_SCALE_MEAN) { /* halves do not overflow */
        value = 2 * ((0.5 * value - 0.5 * scale->mean) / scale->deviation);
    }
    x[0] = value;
    return true;
}

/* x = the row as it was learnt from. *whole: no cell is empty, or those count as something. */
static netdp_status take_row(work *w, int64_t row, bool *whole, netdp_error *error)
{
    const netdp_model *model = w->model;
    int32_t at = 0;
    *whole = true;
    memset(w->x, 0, (size_t)model->width * sizeof *w->x);
    for (int32_t i = 0; i < model->count; i++) {
        const netdp_i_scale *scale = &model->feature[i];
        const char *text =
            w->column[i] >= 0 ? w->table.cell[row * w->table.columns + w->column[i]] : "";
        const bool constant = scale->scaling == NETDP_I_SCALE_CONSTANT;
        if (text[0] == '\0' && !constant) {
            if (w->missing == NETDP_MISSING_REFUSE)
                return netdp_i_csv_fail(&w->from, w->table.line[row], error,
                                        "column '%s': the cell is empty; fill it in, or say what "
                                        "it counts as (--missing)",
                                        netdp_i_show_text(scale->name).text);
            *whole = *whole && w->missing == NETDP_MISSING_MEAN;
            w->notes.filled += w->missing == NETDP_MISSING_MEAN;
        } else if (!apply_scale(scale, text, w->x + at, &w->notes)) {
            return netdp_i_csv_fail(
                &w->from, w->table.line[row], error, "column '%s': '%s' is not a finite number",
                netdp_i_show_text(scale->name).text, netdp_i_show_text(text).text);
        }
        at += netdp_i_scale_width(scale);
    }
    if (model->unit)
        netdp_i_prepare_row(w->x, at);
    double square = 0;
    for (int32_t j = 0; j < at; j++)
        square += w->x[j] * w->x[j];
    for (int32_t j = 0; j < at && model->radius > 0 && sqrt(square) > model->radius; j++)
        w->x[j] = w->x[j] / sqrt(square) * model->radius;
    if (model->intercept)
        w->x[at] = 1;
    return NETDP_OK;
}

static double margin(const work *w, int32_t class)
{
    double sum = 0;
    for (int32_t j = 0; j < w->model->width; j++)
        sum += w->x[j] * w->model->weight[(int64_t) class * w->model->width + j];
    return sum;
}

/* score[class] = its probability. */
static void find_probabilities(work *w)
{
    const int32_t classes = w->model->label.values;
    double most = -INFINITY, sum = 0;
    if (w->model->kind == NETDP_LOGISTIC) { /* of the second one 1 / (1 + exp(-x'w)) */
        const double x = margin(w, 0);
        w->score[1] = x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
        w->score[0] = x >= 0 ? exp(-x) / (1 + exp(-x)) : 1 / (1 + exp(x));
        return;
    }
    for (int32_t k = 0; k < classes; k++)
        most = fmax(most, w->score[k] = margin(w, k));
    for (int32_t k = 0; k < classes; k++)
        sum += w->score[k] = exp(w->score[k] - most);
    for (int32_t k = 0; k < classes; k++)
        w->score[k] /= sum;
}

/* In the label's unit: scaled back. */
static double predicted_number(const work *w)
{
    const netdp_i_scale *label = &w->model->label;
    const double y = margin(w, 0);
    if (label->scaling == NETDP_I_SCALE_RANGE)
        return label->low + (label->high - label->low) * (0.5 * (y + 1));
    return label->scaling == NETDP_I_SCALE_MEAN ? label->mean + label->deviation * y : y;
}

/* ---- Output ---- */

static void write_cell(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_kept(const work *w, char *const *cell)
{
    for (int32_t c = 0; c < w->table.columns; c++)
        if (w->kept[c]) {
            write_cell(w->out, cell[c]);
            fputc(',', w->out);
        }
}

static netdp_status write_head(const work *w, netdp_error *error)
{
    const netdp_i_scale *label = &w->model->label;
    write_kept(w, w->table.name);
    fputs("prediction", w->out);
    for (int32_t k = 0; k < label->values; k++) {
        const size_t room = strlen(label->value[k]) + 3;
        char *name = NETDP_I_NEW(char, (int64_t)room);
        if (name == NULL)
            return netdp_i_no_memory(error);
        snprintf(name, room, "p:%s", label->value[k]);
        fputc(',', w->out);
        write_cell(w->out, name);
        netdp_i_free(name);
    }
    fputc('\n', w->out);
    return NETDP_OK;
}

static void write_row(work *w, int64_t row, bool whole)
{
    const netdp_i_scale *label = &w->model->label;
    int32_t likeliest = 0;
    write_kept(w, w->table.cell + row * w->table.columns);
    if (whole && label->values == 0)
        netdp_i_print_double(w->out, predicted_number(w));
    else if (!whole && label->values == 0)
        fputs("\"\"", w->out); /* alone on its line it is a row all the same */
    if (whole && label->values > 0) {
        find_probabilities(w);
        for (int32_t k = 1; k < label->values; k++)
            likeliest = w->score[k] > w->score[likeliest] ? k : likeliest;
        /* A margin of 0 counts as the second class, as where accuracy is measured. */
        if (w->model->kind == NETDP_LOGISTIC)
            likeliest = margin(w, 0) >= 0;
        write_cell(w->out, label->value[likeliest]);
    }
    for (int32_t k = 0; k < label->values; k++) {
        fputc(',', w->out);
        if (whole)
            netdp_i_print_double(w->out, w->score[k]);
    }
    fputc('\n', w->out);
}

static void drop(work *w)
{
    netdp_i_csv_table_clear(&w->table);
    netdp_i_free(w->column);
    netdp_i_free(w->kept);
    netdp_i_free(w->x);
    netdp_i_free(w->score);
}

netdp_status netdp_model_predict(const netdp_model *model, const char *csv,
                                 const netdp_predicting *how, const char *output,
                                 netdp_prediction_notes *notes, netdp_error *error)
{
    NETDP_I_GIVEN(error, model && csv && how && output);
    CLEARED(netdp_i_output_drop) netdp_i_output into = {0};
    CLEARED(drop)
    work w = {.model = model,
              .missing = how->as_study ? model->missing : how->missing,
              .from = {.path = csv}};
    bool whole;
    TRY(netdp_i_csv_read(csv, &w.table, error));
    TRY(match(&w, how->keep, error));
    for (int64_t i = 0; i < w.table.rows; i++)
        TRY(take_row(&w, i, &whole, error)); /* before anything is written */
    w.notes = (netdp_prediction_notes){.rows = w.table.rows};
    TRY(netdp_i_output_open_private(&into, output, error));
    w.out = into.stream;
    TRY(write_head(&w, error));
    for (int64_t i = 0; i < w.table.rows; i++) {
        TRY(take_row(&w, i, &whole, error));
        write_row(&w, i, whole);
        w.notes.empty += !whole;
    }
    TRY(netdp_i_output_commit(&into, error));
    if (notes != NULL)
        *notes = w.notes;
    return NETDP_OK;
}
