/* What nodes hold of a mean, a sum or a histogram: a file's rows, scaled, clipped and dealt to them. */
#include "plan/problem.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <netdp/learn.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "learn/places.h"
#include "learn/table.h"
#include "study/assumed.h"

/* The nodes' own places as their data: x + y in the unit square, row i of node i. */
static netdp_status list_positions(const netdp_study *study, netdp_i_problem *problem,
                                   netdp_table **table, netdp_error *error)
{
    const double *x, *y;
    const int64_t n = netdp_graph_nodes(problem->graph);
    unsigned char hash[crypto_hash_sha256_BYTES];
    REFUSE(!netdp_graph_positions(problem->graph, &x, &y),
           "%s: data.synthetic: the nodes of %s have no positions; they are for "
           "the family geometric",
           study->path, netdp_graph_origin(problem->graph));
    netdp_table *made = NETDP_I_NEW(netdp_table, 1);
    NEED(made);
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

/* A token takes up a row at a time, and none that is empty. */
static void leave_out(netdp_table *table, netdp_i_label_column *texts)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < table->rows; i++) {
        if (texts->empty[i])
            continue;
        memmove(table->values + kept * table->columns, table->values + i * table->columns,
                (size_t)table->columns * sizeof *table->values);
        if (texts->owner != NULL)
            texts->owner[kept] = texts->owner[i];
        texts->empty[kept++] = false;
    }
    table->rows = kept;
}

static netdp_status load_table(const netdp_study *study, const char *csv, netdp_i_problem *problem,
                               netdp_table **table, netdp_i_label_column *texts, netdp_error *error)
{
    if (study->data.synthetic != NULL)
        return list_positions(study, problem, table, error);
    OWNED const char **wanted = NETDP_I_NEW(const char *, study->data.column_count);
    NEED(wanted);
    for (int32_t j = 0; j < study->data.column_count; j++)
        wanted[j] = study->data.column[j].name;
    TRY(netdp_i_table_read_owned(csv, wanted, study->data.column_count, study->data.owner,
                                 study->data.missing == NETDP_MISSING_DROP, table, texts, error));
    problem->prepared.missing = texts->dropped;
    if (netdp_i_study_tallies(study))
        leave_out(*table, texts);
    for (int32_t j = 0; study->data.column_count == 0 && j < (*table)->columns; j++) {
        const char *why = netdp_i_table_suspect(*table, j);
        REFUSE(why != NULL,
               "%.200s: column %d, '%s', %s; list the columns that are meant in data.columns", csv,
               (int)j + 1, netdp_i_show_text((*table)->name[j]).text, why);
    }
    return NETDP_OK;
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
    REFUSE(!own && !study->task.has_bounds,
           "%s: column %s has no declared range; give task.bounds, "
           "task.clip or bounds of its own: without one there is no sensitivity",
           study->path, table->name[j]);
    *low = own ? study->data.column[j].low : study->task.low;
    *high = own ? study->data.column[j].high : study->task.high;
    return NETDP_OK;
}

/* The declared range of each column, and with it scale and sensitivity. */
static netdp_status scale_columns(const netdp_study *study, const netdp_table *table,
                                  netdp_i_problem *problem, netdp_error *error)
{
    TRY(widen(problem, table->columns, error));
    for (int32_t j = 0; j < table->columns; j++) {
        double low = 0, high = 1;
        problem->column[j] = netdp_i_copy_text(table->name[j]);
        NEED(problem->column[j]);
        if (study->task.clip == 0)
            TRY(find_range(study, table, j, &low, &high, error));
        problem->low[j] = low;
        problem->scale[j] = high - low;
    }
    problem->sensitivity = study->task.clip > 0 ? 2 * study->task.clip : sqrt(table->columns);
    return NETDP_OK;
}

/* The range of a histogram's column. */
static void bin_range(const netdp_study *study, double *low, double *high)
{
    const bool own =
        study->data.column_count > 0 && study->data.column[0].low < study->data.column[0].high;
    *low = own ? study->data.column[0].low : study->task.low;
    *high = own ? study->data.column[0].high : study->task.high;
}

char *netdp_i_bin_name(const netdp_study *study, const char *column, int32_t bin)
{
    const double levels = (double)study->task.levels;
    char name[160];
    double low, high;
    bin_range(study, &low, &high);
    snprintf(name, sizeof name, "%.64s %g to %g", column, low + (high - low) * bin / levels,
             low + (high - low) * (bin + 1) / levels);
    return netdp_i_copy_text(name);
}

/* A histogram's columns: the bins of the one column's range. */
static netdp_status name_bins(const netdp_study *study, const netdp_table *table,
                              netdp_i_problem *problem, netdp_error *error)
{
    const int32_t levels = (int32_t)study->task.levels;
    double low = 0, high = 1;
    TRY(widen(problem, levels, error));
    TRY(find_range(study, table, 0, &low, &high, error));
    for (int32_t j = 0; j < levels; j++) {
        problem->column[j] = netdp_i_bin_name(study, table->name[0], j);
        problem->scale[j] = 1;
        NEED(problem->column[j]);
    }
    problem->sensitivity = sqrt(2);
    return NETDP_OK;
}

static bool bin_clips(const netdp_study *study, double value)
{
    double low, high;
    bin_range(study, &low, &high);
    return !(value >= low && value <= high);
}

/* The bin of a value in its declared range; the upper end belongs to the last one. */
int32_t netdp_i_bin_of(const netdp_study *study, double value)
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
    inner[netdp_i_bin_of(study, row[0])] = 1;
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

/* Which place is whose, and how many each node has. */
typedef struct holding {
    netdp_i_places places;
    int32_t *node; /* [places.count] */
    int64_t *held; /* [nodes] */
} holding;

/* What node u gives to a token in turn: its rows, from the first again after its last, and after
 * the last of the node that has most. */
static netdp_status list_contributions(const netdp_study *study, const netdp_table *table,
                                       const holding *of, netdp_i_problem *problem,
                                       netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph);
    const int64_t *held = of->held;
    for (int32_t u = 0; u < n; u++)
        problem->depth = held[u] > problem->depth ? held[u] : problem->depth;
    const int64_t depth = problem->depth;
    OWNED double *inner = NETDP_I_NEW(double, problem->width);
    OWNED int64_t *given = NETDP_I_NEW(int64_t, n);
    problem->contribution = NETDP_I_NEW(double, n *depth);
    if (inner == NULL || given == NULL || problem->contribution == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < of->places.count; i++) {
        const double *row = table->values + of->places.row[i] * table->columns;
        const int64_t u = of->node[i], k = given[u]++;
        (void)read_row(study, problem, row, inner);
        problem->contribution[u * depth + k] =
            netdp_i_study_counts(study) ? netdp_i_bin_of(study, row[0]) : inner[0];
        add_passes(study, depth, k, held[u], inner, problem->width,
                   problem->values + u * problem->width);
    }
    for (int64_t u = 0; u < n; u++)
        for (int64_t k = held[u]; k < depth; k++)
            problem->contribution[u * depth + k] = problem->contribution[u * depth + k % held[u]];
    return NETDP_OK;
}

/* Which node has which place: by its owner, or as the seed deals them; every node has one. */
static netdp_status deal_rows(const netdp_study *study, const netdp_table *table,
                              const netdp_i_label_column *texts, const netdp_i_problem *problem,
                              holding *of, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph);
    const bool drawn = study->data.synthetic != NULL;
    char counted[24];
    const char *declared = netdp_i_study_tallies(study) || study->data.one_row_a_node || drawn
                               ? NULL
                               : netdp_i_study_rows(study, counted);
    OWNED bool *none = drawn ? NETDP_I_NEW(bool, table->rows) : NULL;
    const netdp_i_placing placing = {.rows = table->rows,
                                     .empty = drawn ? none : texts->empty,
                                     .owner = texts->owner,
                                     .column = study->data.owner,
                                     .cuts = study->data.owner_cuts,
                                     .declared = declared,
                                     .graph = problem->graph};
    if (drawn && none == NULL)
        return netdp_i_no_memory(error);
    const netdp_status status = netdp_i_places_fill(&placing, &of->places, error);
    TRY(texts->owner != NULL ? netdp_i_within(error, status, "%s: data", study->path) : status);
    of->node = NETDP_I_NEW(int32_t, of->places.count);
    of->held = NETDP_I_NEW(int64_t, n);
    if (of->node == NULL || of->held == NULL)
        return netdp_i_no_memory(error);
    if (of->places.node != NULL)
        memcpy(of->node, of->places.node, (size_t)of->places.count * sizeof *of->node);
    else
        TRY(netdp_deal(of->places.count, n, !study->data.one_row_a_node, study->seed, of->node,
                       error));
    for (int64_t i = 0; i < of->places.count; i++)
        of->held[of->node[i]]++;
    return NETDP_OK;
}

static void drop_holding(holding *of)
{
    netdp_i_places_clear(&of->places);
    netdp_i_free(of->node);
    netdp_i_free(of->held);
}

/* Where nothing stands: the middle of a range, no bin, or the ball's middle. */
static double nothing(const netdp_study *study)
{
    return netdp_i_study_counts(study) || study->task.clip > 0 ? 0 : 0.5;
}

/*
 * Every node's mean. A place where nothing stands counts where the number of rows does; else the mean
 * is of the rows that there are, all of which are one node's own business.
 */
static void add_rows(const netdp_study *study, const netdp_table *table, const holding *of,
                     double *inner, int64_t *present, netdp_i_problem *problem)
{
    const int32_t n = netdp_graph_nodes(problem->graph), d = problem->width;
    const bool counts =
        study->question.protects == NETDP_PROTECTS_ROW || study->task.mean_over_rows;
    for (int64_t i = 0; i < of->places.count; i++) {
        const int64_t row = of->places.row[i], u = of->node[i];
        if (row < 0 && !counts)
            continue;
        if (row >= 0)
            problem->clipped +=
                read_row(study, problem, table->values + row * table->columns, inner) ? 1 : 0;
        present[u]++;
        for (int32_t j = 0; j < d; j++)
            problem->values[u * d + j] += row >= 0 ? inner[j] : nothing(study);
    }
    for (int64_t u = 0; u < n; u++)
        for (int32_t j = 0; j < d; j++) {
            double *value = &problem->values[u * d + j];
            if (present[u] == 0)
                *value = nothing(study);
            else
                *value /=
                    study->task.mean_over_rows ? (double)of->places.count / n : (double)present[u];
        }
}

static netdp_status fill_values(const netdp_study *study, const netdp_table *table,
                                const netdp_i_label_column *texts, netdp_i_problem *problem,
                                netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph), d = problem->width;
    CLEARED(drop_holding) holding of = {0};
    OWNED double *inner = NETDP_I_NEW(double, d);
    OWNED int64_t *present = NETDP_I_NEW(int64_t, n);
    problem->values = NETDP_I_NEW(double, (int64_t)n *d);
    problem->rows = table->rows;
    if (inner == NULL || present == NULL || problem->values == NULL)
        return netdp_i_no_memory(error);
    TRY(deal_rows(study, table, texts, problem, &of, error));
    problem->prepared.absent = of.places.absent;
    problem->prepared.beyond = of.places.beyond;
    add_rows(study, table, &of, inner, present, problem);
    if (netdp_i_study_tallies(study))
        TRY(list_contributions(study, table, &of, problem, error));
    for (int32_t u = 0; u < n; u++)
        for (int32_t j = 0; j < d; j++)
            problem->truth[j] += problem->values[(int64_t)u * d + j] / n;
    for (int32_t j = 0; j < d; j++)
        problem->truth[j] = problem->low[j] + problem->scale[j] * problem->truth[j];
    return netdp_i_problem_protect(study, of.held, problem, error);
}

/* A mean: every node's value, the mean of its clipped rows. */
netdp_status netdp_i_problem_values(const netdp_study *study, const char *csv,
                                    netdp_i_problem *problem, netdp_error *error)
{
    OWNED_BY(netdp_table_free) netdp_table *table = NULL;
    CLEARED(netdp_i_label_column_drop) netdp_i_label_column texts = {0};
    TRY(load_table(study, csv, problem, &table, &texts, error));
    REFUSE(table->columns != 1 && (netdp_i_study_counts(study) || netdp_i_study_tallies(study)),
           "%s: data.columns: %d columns; a histogram, and a token's sum, take one", study->path,
           (int)table->columns);
    TRY(netdp_i_study_counts(study) ? name_bins(study, table, problem, error)
                                    : scale_columns(study, table, problem, error));
    return fill_values(study, table, &texts, problem, error);
}
