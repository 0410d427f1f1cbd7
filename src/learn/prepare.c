/* Examples from a table: the label told apart, split, dealt to nodes, standardised, unit rows. */
#include <netdp/learn.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "learn/deal.h"
#include "learn/model.h"
#include "learn/owner.h"
#include "learn/places.h"
#include "learn/prepare.h"
#include "learn/prepare_base.h"
#include "learn/table.h"

/* A standardised value is held within this, so that rows stay numbers whatever the cells are. */
#define LARGEST 1e300

enum { MOST_CLASSES = 1000 };

static const netdp_range *find_range(const netdp_i_preparing *w, const char *name)
{
    for (int32_t i = 0; i < w->how->ranges; i++)
        if (strcmp(w->how->range[i].column, name) == 0)
            return &w->how->range[i];
    return NULL;
}

/* y becomes the place of the row's label in the list that everybody knows; a row that says none of
 * it contributes nothing. */
static netdp_status place_listed(netdp_i_preparing *w, const char *path, const netdp_range *list,
                                 netdp_error *error)
{
    bool any = false;
    w->labelled = list->values;
    for (int64_t i = 0; i < w->table->rows; i++) {
        if (w->labels.empty[i])
            continue;
        const int32_t found = netdp_i_cell_find(w->labels.of_row[i], list->value, list->values);
        w->labels.empty[i] = found < 0;
        w->notes.unlabelled += found < 0;
        w->y[i] = found < 0 ? 0 : found;
        any = any || found >= 0;
    }
    if (!any)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.200s: no row's '%s' is one of its listed values; list those that "
                            "are meant",
                            path, netdp_i_show_text(list->column).text);
    return NETDP_OK;
}

/* The same among all labels that there are, in their order. */
static netdp_status place_found(netdp_i_preparing *w, netdp_error *error)
{
    const int64_t rows = w->table->rows;
    netdp_i_cell_value *all = NETDP_I_NEW(netdp_i_cell_value, rows);
    if (all == NULL)
        return netdp_i_no_memory(error);
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        if (!w->labels.empty[i])
            all[count++] = netdp_i_cell_read(w->labels.of_row[i]);
    count = netdp_i_cells_distinct(all, count);
    /* A number and a word are sorted as words. */
    const bool turned =
        count == 2 && all[0].is_number != all[1].is_number && strcmp(all[0].text, all[1].text) > 0;
    for (int64_t i = 0; i < rows; i++) {
        if (w->labels.empty[i])
            continue;
        const netdp_i_cell_value mine = netdp_i_cell_read(w->labels.of_row[i]);
        const netdp_i_cell_value *found =
            bsearch(&mine, all, (size_t)count, sizeof mine, netdp_i_cell_order);
        const double place = (double)(found - all);
        w->y[i] = turned ? 1 - place : place;
    }
    w->labelled = count;
    netdp_i_free(all);
    return NETDP_OK;
}

/* y = 0, 1, ...; of two classes -1 and +1. */
static netdp_status read_classes(netdp_i_preparing *w, const char *path, netdp_error *error)
{
    const netdp_range *list = find_range(w, w->how->label);
    TRY(list != NULL && list->values > 0 ? place_listed(w, path, list, error)
                                         : place_found(w, error));
    if (w->how->many ? w->labelled < 2 || w->labelled > MOST_CLASSES : w->labelled != 2)
        return netdp_i_fail(
            error, NETDP_INVALID, "%.300s: column '%s' has %lld value%s; classes need %s", path,
            netdp_i_show_text(w->how->label).text, (long long)w->labelled,
            w->labelled == 1 ? "" : "s", w->how->many ? "2 to 1000" : "exactly two");
    for (int64_t i = 0; i < w->table->rows && !w->how->many; i++) {
        w->notes.positive += !w->labels.empty[i] && w->y[i] > 0;
        w->notes.negative += !w->labels.empty[i] && !(w->y[i] > 0);
        w->y[i] = w->y[i] > 0 ? 1 : -1;
    }
    return NETDP_OK;
}

/* An index or an owner is no feature unless someone says so. */
static netdp_status check_features(const netdp_i_preparing *w, const char *path, netdp_error *error)
{
    for (int32_t c = 0; c < w->table->columns - 1; c++) {
        const char *why = netdp_i_table_suspect(w->table, c);
        const netdp_i_shown name = netdp_i_show_text(w->table->name[c]);
        if (why != NULL)
            return netdp_i_fail(error, NETDP_INVALID,
                                "%.200s: column %d, '%s', %s; name the features, such as 'all but "
                                "%s', or 'all' to learn from it too",
                                path, (int)c + 1, name.text, why,
                                name.text[0] != '\0' ? name.text : "NAME");
    }
    return NETDP_OK;
}

static netdp_status load(netdp_i_preparing *w, const char *path, netdp_error *error)
{
    TRY(netdp_i_table_read_labelled(path, w->how, &w->table, &w->labels, error));
    if (w->how->features == NULL)
        TRY(check_features(w, path, error));
    w->notes.missing = w->labels.dropped;
    w->notes.filled = w->labels.filled;
    w->notes.unlisted = w->labels.unlisted;
    w->y = NETDP_I_NEW(double, w->table->rows);
    if (w->y == NULL)
        return netdp_i_no_memory(error);
    if (w->how->classes)
        return read_classes(w, path, error);
    for (int64_t i = 0; i < w->table->rows; i++)
        w->y[i] = w->table->values[(i + 1) * w->table->columns - 1];
    return NETDP_OK;
}

static double cell(const netdp_i_preparing *w, int64_t row, int32_t c)
{
    return w->table->values[row * w->table->columns + c];
}

/* To the unit interval on the training rows; differences of halves do not overflow. */
static double to_unit(const netdp_i_prepared_column *of, double value)
{
    return (0.5 * value - of->least) / of->span;
}

/* By what is declared of the column: [low, high] becomes [-1, 1]. */
static netdp_i_prepared_column declared(const netdp_range *range)
{
    return (netdp_i_prepared_column){.least = 0.5 * range->low,
                                     .span = 0.5 * range->high - 0.5 * range->low,
                                     .mean = 0.5,
                                     .deviation = 0.5,
                                     .low = range->low,
                                     .high = range->high,
                                     .values = range->values};
}

static netdp_i_prepared_column measure(const netdp_i_preparing *w, int32_t c)
{
    double least = INFINITY, most = -INFINITY;
    int64_t held = 0, whole = 0;
    for (int64_t i = 0; i < w->training_rows; i++) {
        const double value = w->train[i] < 0 ? NAN : cell(w, w->train[i], c);
        least = fmin(least, value);
        most = fmax(most, value);
        held += !isnan(value);
        whole += w->train[i] >= 0;
    }
    netdp_i_prepared_column of = {
        .least = 0.5 * least, .span = 0.5 * most - 0.5 * least, .low = -INFINITY, .high = INFINITY};
    if (held == 0)
        of.least = of.span = 0;
    if (of.span == 0)
        return of;
    /* An empty cell counts as the mean of the others: it adds nothing. */
    for (int64_t i = 0; i < w->training_rows; i++) {
        const double value = w->train[i] < 0 ? NAN : cell(w, w->train[i], c);
        of.mean += isnan(value) ? 0 : to_unit(&of, value);
    }
    of.mean /= (double)held;
    for (int64_t i = 0; i < w->training_rows; i++) {
        const double value = w->train[i] < 0 ? NAN : cell(w, w->train[i], c);
        const double away = isnan(value) ? 0 : to_unit(&of, value) - of.mean;
        of.deviation += away * away;
    }
    of.deviation = sqrt(of.deviation / (double)whole);
    return of;
}

static double standardise(const netdp_i_prepared_column *of, double value)
{
    if (isnan(value)) /* the mean, or the middle of the range */
        return 0;
    const double held = fmax(of->low, fmin(value, of->high));
    const double z = (to_unit(of, held) - of->mean) / of->deviation;
    return fmax(-LARGEST, fmin(z, LARGEST));
}

double netdp_i_prepare_cell(const netdp_range *range, double value)
{
    const netdp_i_prepared_column of = declared(range);
    return standardise(&of, value);
}

static netdp_status measure_columns(netdp_i_preparing *w, netdp_error *error)
{
    const int32_t columns = w->table->columns;
    w->column = NETDP_I_NEW(netdp_i_prepared_column, columns);
    if (w->column == NULL)
        return netdp_i_no_memory(error);
    for (int32_t c = 0; w->ranged && c < columns - (w->how->classes ? 1 : 0); c++) {
        const netdp_range *range = find_range(w, w->table->name[c]);
        if (range == NULL)
            return netdp_i_fail(error, NETDP_INVALID,
                                "column '%s' has no declared range; give all that are used one",
                                netdp_i_show_text(w->table->name[c]).text);
        w->column[c] = declared(range);
    }
    for (int32_t c = 0; !w->ranged && c < columns - 1; c++) {
        w->column[c] = measure(w, c);
        w->notes.dropped += w->column[c].span == 0;
    }
    if (w->notes.dropped == columns - 1 && !w->how->intercept)
        return netdp_i_fail(error, NETDP_INVALID,
                            "no feature is left: besides '%s' there are %d columns, all constant",
                            netdp_i_show_text(w->how->label).text, (int)columns - 1);
    if (w->how->classes || w->ranged)
        return NETDP_OK;
    w->column[columns - 1] = measure(w, columns - 1);
    if (w->column[columns - 1].span == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "column '%s' is constant in the training rows; there is nothing to "
                            "learn: name another label",
                            netdp_i_show_text(w->how->label).text);
    return NETDP_OK;
}

void netdp_i_prepare_row(double *x, int32_t count)
{
    double most = 0, square = 0;
    for (int32_t j = 0; j < count; j++)
        most = fmax(most, fabs(x[j]));
    if (most == 0)
        return;
    for (int32_t j = 0; j < count; j++) {
        x[j] /= most;
        square += x[j] * x[j];
    }
    const double norm = sqrt(square);
    for (int32_t j = 0; j < count; j++)
        x[j] /= norm;
}

static void fill_row(const netdp_i_preparing *w, int64_t row, netdp_examples *into, int64_t at)
{
    const int32_t last = w->table->columns - 1;
    double *x = into->x + at * into->features;
    int32_t count = 0;
    if (row < 0) { /* a row of 0, whose gradient is 0; of two classes y is one of them */
        into->y[at] = w->how->classes && !w->how->many ? 1 : 0;
        return;
    }
    for (int32_t c = 0; c < last; c++) {
        for (int32_t i = 0; i < w->column[c].values; i++)
            x[count++] = cell(w, row, c) == i;
        if (w->column[c].values == 0 && w->column[c].span != 0)
            x[count++] = standardise(&w->column[c], cell(w, row, c));
    }
    netdp_i_prepare_row(x, count);
    if (w->how->intercept)
        x[count] = 1;
    into->y[at] = w->how->classes ? w->y[row] : standardise(&w->column[last], w->y[row]);
}

static netdp_examples *new_examples(const netdp_i_preparing *w, int64_t rows, int32_t nodes)
{
    netdp_examples *made = NETDP_I_NEW(netdp_examples, 1);
    if (made == NULL)
        return NULL;
    made->rows = rows;
    made->features = w->how->intercept - w->notes.dropped;
    for (int32_t c = 0; c < w->table->columns - 1; c++)
        made->features += w->column[c].values > 0 ? w->column[c].values : 1;
    made->nodes = nodes;
    made->classes = w->how->many ? (int32_t)w->labelled : 0;
    made->x = NETDP_I_NEW(double, rows * made->features);
    made->y = NETDP_I_NEW(double, rows);
    made->start = nodes > 0 ? NETDP_I_NEW(int64_t, (int64_t)nodes + 1) : NULL;
    if (made->x == NULL || made->y == NULL || (nodes > 0 && made->start == NULL)) {
        netdp_examples_free(made);
        return NULL;
    }
    return made;
}

/* Sorted by node; a node's rows in the order of the training rows. */
static void fill_nodes(const netdp_i_preparing *w, netdp_examples *into)
{
    int64_t *start = into->start;
    for (int64_t i = 0; i < w->training_rows; i++)
        start[w->node[i] + 1]++;
    for (int32_t u = 0; u < into->nodes; u++)
        start[u + 1] += start[u];
    for (int64_t i = 0; i < w->training_rows; i++)
        fill_row(w, w->train[i], into, start[w->node[i]]++);
    for (int32_t u = into->nodes; u > 0; u--)
        start[u] = start[u - 1];
    start[0] = 0;
}

/* A range, or a list of distinct values. */
static netdp_status check_range(const netdp_range *range, netdp_error *error)
{
    NETDP_I_GIVEN(error, range->column && (range->values == 0 || range->value));
    const netdp_i_shown name = netdp_i_show_text(range->column);
    if (range->values == 0)
        return range->low < range->high && !isinf(range->low) && !isinf(range->high)
                   ? NETDP_OK
                   : netdp_i_fail(error, NETDP_INVALID,
                                  "column '%s': give a finite range [low, high] with low < high",
                                  name.text);
    for (int32_t i = 0; i < range->values; i++)
        if (range->value[i][0] == '\0')
            return netdp_i_fail(error, NETDP_INVALID,
                                "column '%s': an empty cell is no value; see missing", name.text);
    for (int32_t i = 1; i < range->values; i++)
        if (netdp_i_cell_find(range->value[i], range->value, i) >= 0)
            return netdp_i_fail(error, NETDP_INVALID,
                                "column '%s': the value '%s' is listed twice; list it once",
                                name.text, netdp_i_show_text(range->value[i]).text);
    return NETDP_OK;
}

static netdp_status check(const netdp_preparation *how, netdp_i_dealing *dealing,
                          netdp_error *error)
{
    if (how->label == NULL || how->label[0] == '\0')
        return netdp_i_fail(error, NETDP_INVALID, "no label; name the column that is to be learnt");
    if (!(how->split > 0 && how->split < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "split %g: the part of the rows that train lies between 0 and 1",
                            how->split);
    if (how->nodes < 1)
        return netdp_i_fail(error, NETDP_INVALID, "%d nodes cannot hold data; at least 1 is needed",
                            (int)how->nodes);
    if (how->ranges < 0 || (how->ranges > 0 && how->range == NULL))
        return netdp_i_fail(error, NETDP_INVALID, "%d ranges%s; give 0, or a list of them",
                            (int)how->ranges, how->range == NULL ? " of a list that is NULL" : "");
    for (int32_t i = 0; i < how->ranges; i++) {
        TRY(check_range(&how->range[i], error));
        for (int32_t j = 0; j < i; j++)
            if (strcmp(how->range[i].column, how->range[j].column) == 0)
                return netdp_i_fail(error, NETDP_INVALID,
                                    "column '%s' is declared twice; keep one of the two",
                                    netdp_i_show_text(how->range[i].column).text);
    }
    if (how->deal != NULL) {
        TRY(netdp_i_deal_parse(how->deal, dealing, error));
    }
    if (how->rows != NULL && how->rows[0] == '\0')
        return netdp_i_fail(error, NETDP_INVALID, "rows: is empty; give how many there are");
    if (dealing->kind != NETDP_I_DEAL_EVEN && (!how->classes || how->owner != NULL))
        return netdp_i_fail(error, NETDP_INVALID,
                            "deal: by their labels go rows of classes that have no owner");
    if (how->many && !how->classes)
        return netdp_i_fail(error, NETDP_INVALID, "many: is of classes");
    if (how->owner != NULL && (how->graph == NULL || netdp_graph_nodes(how->graph) != how->nodes))
        return netdp_i_fail(error, NETDP_INVALID,
                            "owner: needs the graph whose nodes hold the rows");
    return NETDP_OK;
}

/* ---- How rows became what they are ---- */

/* In the column's unit: z = (value - mean) / deviation. */
static bool describe_column(const netdp_i_preparing *w, int32_t c, netdp_i_scale *scale)
{
    const netdp_i_prepared_column *of = &w->column[c];
    const netdp_range *range = find_range(w, w->table->name[c]);
    const netdp_range none = {.column = w->table->name[c]};
    if (of->values > 0 || isfinite(of->low))
        return netdp_i_scale_set(scale, range,
                                 of->values > 0 ? NETDP_I_SCALE_VALUES : NETDP_I_SCALE_RANGE);
    scale->mean = 2 * (of->least + of->span * of->mean);
    scale->deviation = 2 * (of->span * of->deviation);
    return netdp_i_scale_set(scale, &none,
                             of->span == 0 ? NETDP_I_SCALE_CONSTANT : NETDP_I_SCALE_MEAN);
}

/* The classes in their order; of those that were found the cell where each is first. */
static bool describe_classes(const netdp_i_preparing *w, netdp_i_scale *scale)
{
    const netdp_range *list = find_range(w, w->how->label);
    const char **found = NETDP_I_NEW(const char *, w->labelled);
    if (found == NULL)
        return false;
    for (int64_t i = w->table->rows; i-- > 0;)
        if (!w->labels.empty[i])
            found[w->how->many ? (int64_t)w->y[i] : w->y[i] > 0] = w->labels.of_row[i];
    const netdp_range range = {
        .column = w->how->label, .values = (int32_t)w->labelled, .value = found};
    const bool fine = netdp_i_scale_set(scale, list != NULL && list->values > 0 ? list : &range,
                                        NETDP_I_SCALE_VALUES);
    netdp_i_free(found);
    return fine;
}

static netdp_model *describe(const netdp_i_preparing *w)
{
    const int32_t last = w->table->columns - 1;
    netdp_model *made = netdp_i_model_new(last);
    bool fine = made != NULL;
    for (int32_t c = 0; c < last && fine; c++)
        fine = describe_column(w, c, &made->feature[c]);
    if (fine)
        fine = w->how->classes ? describe_classes(w, &made->label)
                               : describe_column(w, last, &made->label);
    if (!fine) {
        netdp_model_free(made);
        return NULL;
    }
    made->unit = true;
    made->intercept = w->how->intercept;
    made->missing = w->how->missing;
    netdp_i_model_close(made);
    return made;
}

static void drop(netdp_i_preparing *w)
{
    netdp_table_free(w->table);
    netdp_i_label_column_drop(&w->labels);
    netdp_i_free(w->y);
    netdp_i_free(w->train);
    netdp_i_free(w->test);
    netdp_i_free(w->node);
    netdp_i_free(w->column);
    netdp_i_places_clear(&w->places);
}

netdp_status netdp_examples_prepare(const char *path, const netdp_preparation *preparation,
                                    netdp_examples **train, netdp_examples **test,
                                    netdp_preparation_notes *notes, netdp_error *error)
{
    NETDP_I_GIVEN(error, path && preparation && train && test);
    return netdp_i_examples_prepare(path, preparation, train, test, notes, NULL, error);
}

static netdp_status deal_and_measure(netdp_i_preparing *w, netdp_error *error)
{
    TRY(netdp_i_split_and_deal(w, error));
    return measure_columns(w, error);
}

OWNER(netdp_examples_free, netdp_examples)

netdp_status netdp_i_examples_prepare(const char *path, const netdp_preparation *preparation,
                                      netdp_examples **train, netdp_examples **test,
                                      netdp_preparation_notes *notes, netdp_model **model,
                                      netdp_error *error)
{
    CLEARED(drop) netdp_i_preparing w = {.how = preparation};
    TRY(check(preparation, &w.dealing, error));
    for (int32_t i = 0; i < preparation->ranges; i++)
        w.ranged = w.ranged || !preparation->classes ||
                   strcmp(preparation->range[i].column, preparation->label) != 0;
    TRY(load(&w, path, error));
    TRY(netdp_i_within(error, deal_and_measure(&w, error), "%.200s", path));
    OWNED_BY(netdp_examples_free)
    netdp_examples *to_train = new_examples(&w, w.training_rows, preparation->nodes);
    OWNED_BY(netdp_examples_free) netdp_examples *to_test = new_examples(&w, w.test_rows, 0);
    if (to_train == NULL || to_test == NULL || (model != NULL && (*model = describe(&w)) == NULL))
        return netdp_i_no_memory(error);
    fill_nodes(&w, to_train);
    for (int64_t i = 0; i < w.test_rows; i++)
        fill_row(&w, w.test[i], to_test, i);
    if (notes != NULL)
        *notes = w.notes;
    *train = GIVE(to_train);
    *test = GIVE(to_test);
    return NETDP_OK;
}

void netdp_examples_free(netdp_examples *examples)
{
    if (examples == NULL)
        return;
    netdp_i_free(examples->x);
    netdp_i_free(examples->y);
    netdp_i_free(examples->start);
    netdp_i_free(examples->weight);
    netdp_i_free(examples);
}
