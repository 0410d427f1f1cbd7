#include "report/listed.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "report/rows.h"

void netdp_i_listed_clear(netdp_i_listed *listed)
{
    netdp_i_free(listed->from);
    netdp_i_free(listed->to);
    netdp_i_free(listed->value);
    *listed = (netdp_i_listed){0};
}

static netdp_status make_room(netdp_i_listed *l, int64_t room, netdp_error *error)
{
    int32_t *from = netdp_i_grow(l->from, room, sizeof *from);
    l->from = from != NULL ? from : l->from;
    int32_t *to = netdp_i_grow(l->to, room, sizeof *to);
    l->to = to != NULL ? to : l->to;
    double *value = netdp_i_grow(l->value, room, sizeof *value);
    l->value = value != NULL ? value : l->value;
    return from != NULL && to != NULL && value != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* From observer by observer, as the file has them, to source by source. */
static netdp_status sort_by_source(netdp_i_listed *l, int32_t nodes, netdp_error *error)
{
    CLEARED(netdp_i_listed_clear) netdp_i_listed made = {.count = l->count};
    OWNED int64_t *place = NETDP_I_NEW(int64_t, nodes + 1);
    TRY(make_room(&made, l->count, error));
    NEED(place);
    for (int64_t k = 0; k < l->count; k++)
        place[l->from[k] + 1]++;
    for (int32_t u = 0; u < nodes; u++)
        place[u + 1] += place[u];
    for (int64_t k = 0; k < l->count; k++) {
        const int64_t at = place[l->from[k]]++;
        made.from[at] = l->from[k];
        made.to[at] = l->to[k];
        made.value[at] = l->value[k];
    }
    netdp_i_listed_clear(l);
    *l = made;
    made = (netdp_i_listed){0};
    return NETDP_OK;
}

static netdp_status read_csv(const char *path, int32_t nodes, netdp_i_listed *l, netdp_error *error)
{
    CLEARED(netdp_i_rows_close) netdp_i_rows rows = {0};
    int64_t room = 0;
    TRY(netdp_i_rows_open(path, &rows, error));
    const int from = netdp_i_rows_column(&rows, "from"), to = netdp_i_rows_column(&rows, "to");
    const int value = rows.count - 1; /* the unit's own column is the last one */
    REFUSE(from < 0 || to < 0 || value < 3, "%s:1: is not a list of losses; run the study again",
           path);
    for (;;) {
        int64_t node = 0, observer = 0;
        bool more = true;
        TRY(netdp_i_rows_next(&rows, &more, error));
        if (!more)
            return sort_by_source(l, nodes, error);
        if (l->count == room) {
            room = room == 0 ? 1024 : 2 * room;
            TRY(make_room(l, room, error));
        }
        TRY(netdp_i_rows_index(&rows, from, nodes - 1, &node, error));
        TRY(netdp_i_rows_index(&rows, to, nodes - 1, &observer, error));
        TRY(netdp_i_rows_number(&rows, value, &l->value[l->count], error));
        l->from[l->count] = (int32_t)node;
        l->to[l->count++] = (int32_t)observer;
    }
}

/* Pairs that differ in their last digits count as one worst pair. */
static bool alike(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fabs(b);
}

netdp_status netdp_i_cells_final(const char *path, double cell, const json_t *worst, double noise,
                                 netdp_unit unit, bool *final, netdp_error *error)
{
    const double told = netdp_i_json_number(json_object_get(worst, "epsilon"));
    double value = 0;
    TRY(netdp_loss_value(cell, noise, unit, &value, error));
    *final = !alike(value, told);
    REFUSE(*final && !alike(cell, told),
           "%s: the worst pair has another value than in summary.json; run the study again", path);
    return NETDP_OK;
}

/* The same of a matrix of all nodes towards all. */
static netdp_status find_final(const char *path, const double *matrix, int32_t nodes,
                               const json_t *variant, netdp_unit unit, bool *final,
                               netdp_error *error)
{
    const json_t *worst = json_object_get(json_object_get(variant, "guarantee"), "worst");
    const int64_t from = json_integer_value(json_object_get(worst, "from"));
    const int64_t to = json_integer_value(json_object_get(worst, "to"));
    REFUSE(from < 0 || from >= nodes || to < 0 || to >= nodes,
           "%s: does not fit the worst pair of summary.json; run the study again", path);
    return netdp_i_cells_final(path, matrix[from * nodes + to], worst,
                               json_number_value(json_object_get(variant, "noise")), unit, final,
                               error);
}

/* Losses, or values of the unit, [from][to]. */
static netdp_status read_npy(const char *path, const json_t *variant, int32_t nodes,
                             netdp_unit unit, netdp_i_listed *l, netdp_error *error)
{
    OWNED double *matrix = NULL;
    int64_t rows = 0, columns = 0;
    bool final = false;
    const double noise = json_number_value(json_object_get(variant, "noise"));
    TRY(netdp_i_npy_read(path, &matrix, &rows, &columns, error));
    REFUSE(rows != nodes || columns != nodes,
           "%s: is not of all nodes towards all; a figure of so many pairs needs privacy.from and "
           "privacy.to to be all",
           path);
    TRY(find_final(path, matrix, nodes, variant, unit, &final, error));
    TRY(make_room(l, rows * columns, error));
    for (int64_t u = 0; u < rows; u++)
        for (int64_t v = 0; v < columns; v++) {
            if (u == v)
                continue;
            double *value = &l->value[l->count];
            if (final)
                *value = matrix[u * columns + v];
            else
                TRY(netdp_loss_value(matrix[u * columns + v], noise, unit, value, error));
            l->from[l->count] = (int32_t)u;
            l->to[l->count++] = (int32_t)v;
        }
    return NETDP_OK;
}

netdp_status netdp_i_listed_read(const char *folder, const char *losses, const json_t *variant,
                                 int32_t nodes, netdp_unit unit, netdp_i_listed *listed,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_listed_clear) netdp_i_listed made = {0};
    snprintf(path, sizeof path, "%s/%s.csv", folder, losses);
    const bool csv = access(path, F_OK) == 0;
    if (!csv)
        snprintf(path, sizeof path, "%s/%s.npy", folder, losses);
    TRY(csv ? read_csv(path, nodes, &made, error)
            : read_npy(path, variant, nodes, unit, &made, error));
    *listed = made;
    made = (netdp_i_listed){0};
    return NETDP_OK;
}
