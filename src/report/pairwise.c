#include "report/pairwise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netdp/account.h>
#include <sodium.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "report/listed.h"
#include "report/rows.h"

/* Pairs that are listed of a table that is too large. */
enum { WORST = 200 };

/* A table on its way to the page. */
typedef struct table {
    int32_t nodes, count, of; /* observers: shown, and in the file */
    int32_t *observer;        /* [count], ascending */
    double *value, *loss;     /* [count][nodes], NaN: no such pair; loss NULL: there is none */
    int32_t *distance;        /* the same, -1: unknown */
    const char *measure;      /* what value is */
    bool gaussian;            /* it comes from a loss */
    json_t *coalition;        /* its members, or NULL */
    json_t *worst;            /* of an incomplete table, or NULL */
} table;

static void clear(table *t)
{
    netdp_i_free(t->observer);
    netdp_i_free(t->value);
    netdp_i_free(t->loss);
    netdp_i_free(t->distance);
    json_decref(t->coalition);
    json_decref(t->worst);
    *t = (table){0};
}

static netdp_status make_room(table *t, bool with_loss, netdp_error *error)
{
    const int64_t cells = (int64_t)t->count * t->nodes;
    t->value = NETDP_I_NEW(double, cells);
    t->distance = NETDP_I_NEW(int32_t, cells);
    t->loss = with_loss ? NETDP_I_NEW(double, cells) : NULL;
    if (t->value == NULL || t->distance == NULL || (with_loss && t->loss == NULL))
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < cells; i++) {
        t->value[i] = NAN;
        t->distance[i] = -1;
        if (with_loss)
            t->loss[i] = NAN;
    }
    return NETDP_OK;
}

/* ---- From loss.csv ---- */

/* The observer of a row: its node, or the first member of a coalition, which is listed once. */
static netdp_status read_observer(table *t, char *text, const netdp_i_rows *rows, int32_t *node,
                                  netdp_error *error)
{
    const bool several = strchr(text, ' ') != NULL;
    json_t *members = several && t->coalition == NULL ? json_array() : NULL;
    *node = -1;
    if (text[strspn(text, " ")] == '\0') {
        json_decref(members);
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s:%lld: names no observer; the file was changed: run the study "
                            "again",
                            rows->path, (long long)rows->line);
    }
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        char *end;
        const long member = strtol(word, &end, 10);
        if (*end != '\0' || member < 0 || member >= t->nodes) {
            json_decref(members);
            return netdp_i_fail(error, NETDP_INVALID,
                                "%.300s:%lld: names a node that the graph has not; the file was "
                                "changed: run the study again",
                                rows->path, (long long)rows->line);
        }
        if (*node < 0)
            *node = (int32_t)member;
        if (members != NULL)
            json_array_append_new(members, json_integer(member));
    }
    if (members != NULL)
        t->coalition = members;
    return NETDP_OK;
}

/* Which observers a file has. */
static netdp_status list_observers(const char *path, table *t, netdp_error *error)
{
    CLEARED(netdp_i_rows_close) netdp_i_rows rows = {0};
    OWNED int32_t *place = NETDP_I_NEW(int32_t, t->nodes);
    int32_t node = 0;
    NEED(place);
    TRY(netdp_i_rows_open(path, &rows, error));
    const int to = netdp_i_rows_column(&rows, "to");
    for (bool more = to >= 0; more;) {
        TRY(netdp_i_rows_next(&rows, &more, error));
        if (!more)
            break;
        TRY(read_observer(t, rows.field[to], &rows, &node, error));
        place[node] = 1;
    }
    for (int32_t v = 0; v < t->nodes; v++)
        t->count += place[v];
    t->observer = NETDP_I_NEW(int32_t, t->count);
    NEED(t->observer);
    for (int32_t v = 0, k = 0; v < t->nodes; v++)
        if (place[v] > 0)
            t->observer[k++] = v;
    t->of = t->count;
    return NETDP_OK;
}

static int32_t find_observer(const table *t, int32_t node)
{
    int32_t low = 0, high = t->count - 1;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (t->observer[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A row into its cell. */
static netdp_status take_row(table *t, const netdp_i_rows *rows, const int at[5],
                             netdp_error *error)
{
    int64_t from = 0, distance = 0;
    int32_t to = 0;
    double value = 0, loss = 0;
    TRY(netdp_i_rows_index(rows, at[0], t->nodes - 1, &from, error));
    TRY(netdp_i_rows_index(rows, at[2], t->nodes, &distance, error));
    TRY(read_observer(t, rows->field[at[1]], rows, &to, error));
    TRY(netdp_i_rows_number(rows, at[4], &value, error));
    if (at[3] >= 0)
        TRY(netdp_i_rows_number(rows, at[3], &loss, error));
    const int64_t cell = (int64_t)find_observer(t, to) * t->nodes + from;
    t->value[cell] = value;
    t->distance[cell] = (int32_t)distance;
    if (t->loss != NULL)
        t->loss[cell] = loss;
    return NETDP_OK;
}

static netdp_status read_csv(const char *path, table *t, netdp_error *error)
{
    static const char *const measures[] = {"epsilon", "mu", "loss"};
    CLEARED(netdp_i_rows_close) netdp_i_rows rows = {0};
    TRY(list_observers(path, t, error));
    TRY(netdp_i_rows_open(path, &rows, error));
    int at[5] = {netdp_i_rows_column(&rows, "from"), netdp_i_rows_column(&rows, "to"),
                 netdp_i_rows_column(&rows, "distance"), netdp_i_rows_column(&rows, "loss"), -1};
    for (size_t i = 0; i < 3 && at[4] < 0; i++) {
        at[4] = netdp_i_rows_column(&rows, measures[i]);
        t->measure = measures[i];
    }
    REFUSE(at[0] < 0 || at[1] < 0 || at[2] < 0 || at[4] < 0,
           "%s:1: is not a table of pairwise losses; run the study again", path);
    t->gaussian = at[3] >= 0;
    TRY(make_room(t, at[3] >= 0 && at[3] != at[4], error));
    for (bool more = true; more;) {
        TRY(netdp_i_rows_next(&rows, &more, error));
        if (more)
            TRY(take_row(t, &rows, at, error));
    }
    return NETDP_OK;
}

/* ---- From loss.npy ---- */

/* A matrix of losses, or of final values, and how one is turned into the other. */
typedef struct matrix {
    const netdp_i_pairwise *wanted;
    double *cell;    /* [from][column] */
    int64_t columns; /* observers */
    int32_t *node;   /* [columns] */
    double noise;
    netdp_unit unit;
    bool final; /* cells are values */
    table *t;
} matrix;

static const json_t *guarantee_of(const matrix *m)
{
    return json_object_get(m->wanted->variant, "guarantee");
}

static netdp_status value_of(const matrix *m, double cell, double *value, netdp_error *error)
{
    if (m->final) {
        *value = cell;
        return NETDP_OK;
    }
    return netdp_loss_value(cell, m->noise, m->unit, value, error);
}

/* In which unit the summary has the variant's values. */
static netdp_status read_unit(matrix *m, netdp_error *error)
{
    static const char *const measure[] = {[NETDP_AS_LOSS] = "loss",
                                          [NETDP_AS_GDP] = "mu",
                                          [NETDP_AS_RDP] = "epsilon",
                                          [NETDP_AS_DP] = "epsilon"};
    const char *unit = json_string_value(json_object_get(guarantee_of(m), "unit"));
    TRY(netdp_i_within(error, netdp_unit_parse(unit != NULL ? unit : "", &m->unit, error),
                       "%s/summary.json", m->wanted->folder));
    m->t->measure = measure[m->unit.currency];
    return NETDP_OK;
}

/* The file does not say whether its cells are losses: the worst pair of the summary does. */
static netdp_status find_kind(matrix *m, const char *path, netdp_error *error)
{
    const json_t *worst = json_object_get(guarantee_of(m), "worst");
    const int64_t from = json_integer_value(json_object_get(worst, "from"));
    const int64_t to = json_integer_value(json_object_get(worst, "to"));
    int64_t column = -1;
    for (int64_t k = 0; k < m->columns; k++)
        if (m->node[k] == to)
            column = k;
    REFUSE(column < 0 || from < 0 || from >= m->wanted->nodes,
           "%s: does not fit the worst pair of summary.json; run the study again", path);
    return netdp_i_cells_final(path, m->cell[from * m->columns + column], worst, m->noise, m->unit,
                               &m->final, error);
}

/* The worst pair's observer, and every k-th node besides. */
static netdp_status choose_observers(matrix *m, netdp_error *error)
{
    table *t = m->t;
    const json_t *worst = json_object_get(guarantee_of(m), "worst");
    const int64_t to = json_integer_value(json_object_get(worst, "to"));
    const int64_t fit = m->wanted->most / t->nodes;
    const int64_t step = fit >= m->columns ? 1
                         : fit > 1         ? (m->columns + fit - 2) / (fit - 1)
                                           : m->columns;
    t->of = (int32_t)m->columns;
    t->observer = NETDP_I_NEW(int32_t, m->columns);
    NEED(t->observer);
    for (int64_t k = 0; k < m->columns; k++)
        if (k % step == 0 || m->node[k] == to)
            t->observer[t->count++] = (int32_t)k; /* its column, for now */
    return NETDP_OK;
}

static netdp_status fill_observer(void *context, int64_t k, int thread, netdp_error *error)
{
    (void)thread;
    const matrix *m = context;
    const table *t = m->t;
    const int32_t column = t->observer[k], node = m->node[column];
    if (m->wanted->graph != NULL)
        TRY(netdp_graph_distances(m->wanted->graph, &node, 1, t->distance + k * t->nodes, error));
    for (int32_t u = 0; u < t->nodes; u++)
        if (u != node)
            TRY(value_of(m, m->cell[u * m->columns + column], &t->value[k * t->nodes + u], error));
    return NETDP_OK;
}

/* A pair of a table that is too large. */
typedef struct pair {
    double cell;
    int32_t from, to, distance;
} pair;

/* Larger first; ties to the smallest (from, to). */
static bool precedes(const pair *a, const pair *b)
{
    return a->cell != b->cell   ? a->cell > b->cell
           : a->from != b->from ? a->from < b->from
                                : a->to < b->to;
}

/* The worst pairs of all. */
static netdp_status scan(matrix *m, pair worst[WORST], int *count, netdp_error *error)
{
    table *t = m->t;
    OWNED int32_t *hops = NETDP_I_NEW(int32_t, t->nodes);
    NEED(hops);
    for (int64_t k = 0; k < m->columns; k++) {
        if (m->wanted->graph != NULL)
            TRY(netdp_graph_distances(m->wanted->graph, &m->node[k], 1, hops, error));
        for (int32_t u = 0; u < t->nodes; u++) {
            const int32_t distance = m->wanted->graph != NULL ? hops[u] : -1;
            const pair one = {m->cell[u * m->columns + k], u, m->node[k], distance};
            if (u == m->node[k])
                continue;
            if (*count == WORST && !precedes(&one, &worst[WORST - 1]))
                continue;
            int place = *count < WORST ? (*count)++ : WORST - 1;
            for (; place > 0 && precedes(&one, &worst[place - 1]); place--)
                worst[place] = worst[place - 1];
            worst[place] = one;
        }
    }
    return NETDP_OK;
}

/* The worst pairs in the unit of the page. */
static netdp_status finish(matrix *m, const pair *worst, int count, netdp_error *error)
{
    table *t = m->t;
    t->worst = json_array();
    for (int i = 0; i < count; i++) {
        double value = 0;
        TRY(value_of(m, worst[i].cell, &value, error));
        json_array_append_new(t->worst,
                              json_pack("[i, i, i, o]", (int)worst[i].from, (int)worst[i].to,
                                        (int)worst[i].distance, netdp_i_json_double(value)));
    }
    return NETDP_OK;
}

/* Whose columns the file has: all nodes', or those of the observers that the summary lists. */
static netdp_status name_columns(matrix *m, int64_t rows, bool *fits, netdp_error *error)
{
    const json_t *to = json_object_get(m->wanted->threat, "to");
    const bool all = m->columns == m->wanted->nodes;
    *fits = rows == m->wanted->nodes && (all || (int64_t)json_array_size(to) == m->columns);
    if (!*fits)
        return NETDP_OK;
    m->node = NETDP_I_NEW(int32_t, m->columns);
    NEED(m->node);
    for (int64_t k = 0; k < m->columns; k++)
        m->node[k] = all ? (int32_t)k : (int32_t)json_integer_value(json_array_get(to, (size_t)k));
    return NETDP_OK;
}

static netdp_status read_cells(const char *path, matrix *m, const netdp_progress *progress,
                               netdp_error *error)
{
    table *t = m->t;
    pair worst[WORST];
    int count = 0;
    int64_t rows = 0;
    bool fits = false;
    TRY(netdp_i_npy_read(path, &m->cell, &rows, &m->columns, error));
    TRY(name_columns(m, rows, &fits, error));
    if (!fits)
        return NETDP_OK;
    TRY(find_kind(m, path, error));
    t->gaussian = !m->final;
    TRY(choose_observers(m, error));
    TRY(make_room(t, false, error));
    TRY(netdp_i_for_each(t->count, fill_observer, m, progress, "conversion", error));
    if (t->count < t->of) {
        TRY(scan(m, worst, &count, error));
        TRY(finish(m, worst, count, error));
    }
    for (int32_t k = 0; k < t->count; k++)
        t->observer[k] = m->node[t->observer[k]];
    return NETDP_OK;
}

static netdp_status read_npy(const char *path, matrix *m, const netdp_progress *progress,
                             netdp_error *error)
{
    const netdp_status status = read_cells(path, m, progress, error);
    netdp_i_free(m->cell);
    netdp_i_free(m->node);
    return status;
}

/* ---- To the page ---- */

static json_t *base64(const void *bytes, int64_t count)
{
    const size_t room = sodium_base64_encoded_len((size_t)count, sodium_base64_VARIANT_ORIGINAL);
    char *text = NETDP_I_NEW(char, room);
    json_t *made = NULL;
    if (text != NULL) {
        sodium_bin2base64(text, room, bytes, (size_t)count, sodium_base64_VARIANT_ORIGINAL);
        made = json_string(text);
    }
    netdp_i_free(text);
    return made;
}

/* In float32, never smaller than it is. */
static json_t *rounded_up(const double *value, int64_t count)
{
    float *up = NETDP_I_NEW(float, count);
    for (int64_t i = 0; up != NULL && i < count; i++) {
        up[i] = (float)value[i];
        if ((double)up[i] < value[i])
            up[i] = nextafterf(up[i], INFINITY);
    }
    json_t *made = up != NULL ? base64(up, 4 * count) : NULL;
    netdp_i_free(up);
    return made;
}

/* In int16, a longer way as its largest. */
static json_t *shortened(const int32_t *distance, int64_t count)
{
    int16_t *hops = NETDP_I_NEW(int16_t, count);
    for (int64_t i = 0; hops != NULL && i < count; i++)
        hops[i] = (int16_t)(distance[i] < INT16_MAX ? distance[i] : INT16_MAX);
    json_t *made = hops != NULL ? base64(hops, 2 * count) : NULL;
    netdp_i_free(hops);
    return made;
}

static json_t *numbers(const int32_t *number, int32_t count)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(number[i]));
    return list;
}

static json_t *table_json(const table *t, const char *file, bool exact)
{
    const int64_t cells = (int64_t)t->count * t->nodes;
    json_t *made = json_pack("{s:s, s:s, s:b, s:b, s:o, s:i, s:s, s:o, s:o}", "file", file,
                             "measure", t->measure, "gaussian", (int)t->gaussian, "complete",
                             t->count == t->of, "observers", numbers(t->observer, t->count), "of",
                             (int)t->of, "type", exact ? "f8" : "f4", "value",
                             exact ? base64(t->value, 8 * cells) : rounded_up(t->value, cells),
                             "distance", shortened(t->distance, cells));
    if (made != NULL && t->loss != NULL)
        json_object_set_new(made, "loss", base64(t->loss, 8 * cells));
    if (made != NULL && t->coalition != NULL)
        json_object_set(made, "coalition", t->coalition);
    if (made != NULL && t->worst != NULL)
        json_object_set(made, "worst", t->worst);
    return made;
}

netdp_status netdp_i_pairwise_json(const netdp_i_pairwise *wanted, const netdp_progress *progress,
                                   json_t **made, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], file[64];
    CLEARED(clear) table t = {.nodes = wanted->nodes};
    matrix m = {
        .wanted = wanted,
        .noise = netdp_i_json_number(json_object_get(wanted->variant, "noise")),
        .t = &t,
    };
    snprintf(file, sizeof file, "%.40s.csv", wanted->losses);
    netdp_i_file_path(path, wanted->folder, file);
    const bool csv = access(path, F_OK) == 0;
    if (!csv) {
        snprintf(file, sizeof file, "%.40s.npy", wanted->losses);
        netdp_i_file_path(path, wanted->folder, file);
    }
    if (!csv && access(path, F_OK) != 0) {
        *made = json_null();
        return NETDP_OK;
    }
    TRY(csv ? read_csv(path, &t, error) : read_unit(&m, error));
    if (!csv)
        TRY(read_npy(path, &m, progress, error));
    json_t *told = t.value != NULL ? table_json(&t, file, csv) : json_null();
    NEED(told);
    *made = told;
    return NETDP_OK;
}
