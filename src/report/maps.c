/* Pairwise losses as matrices, and on the graph. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/mixing.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "graph/layout.h"
#include "plot/drawing.h"
#include "plot/heatmap.h"
#include "report/figure.h"

static int32_t count_own(const netdp_i_figure *f)
{
    return (int32_t)json_array_size(netdp_i_figure_variants(f)) -
           (netdp_i_study_accounts(f->study) ? 0 : 2);
}

/* The maps of a picture, at most two for each variant, and what they lend. */
typedef struct matrices {
    int32_t count;
    netdp_i_heatmap *map;
    double **value;
    char (*title)[NETDP_I_LABEL_ROOM], (*standing)[NETDP_I_LABEL_ROOM];
} matrices;

static void matrices_clear(matrices *m)
{
    for (int32_t i = 0; m->value != NULL && i < m->count; i++)
        netdp_i_free(m->value[i]);
    netdp_i_free(m->value);
    netdp_i_free(m->title);
    netdp_i_free(m->standing);
    netdp_i_free(m->map);
}

/* One more map, of n nodes; its values are to be filled. */
static netdp_i_heatmap *add_map(matrices *m, int64_t n)
{
    netdp_i_heatmap *map = &m->map[m->count];
    double *value = m->value[m->count] = NETDP_I_NEW(double, n *n);
    *map = (netdp_i_heatmap){.standing = m->standing[m->count], .size = (int32_t)n, .value = value};
    m->count++;
    for (int64_t k = 0; value != NULL && k < n * n; k++)
        value[k] = NAN;
    return value != NULL ? map : NULL;
}

static netdp_status add_losses(netdp_i_figure *f, size_t at, matrices *m, netdp_error *error)
{
    const json_t *variant = json_array_get(netdp_i_figure_variants(f), at);
    const int64_t n = netdp_graph_nodes(netdp_i_figure_graph(f, at));
    netdp_i_heatmap *map = add_map(m, n);
    CLEARED(netdp_i_listed_clear) netdp_i_listed listed = {0};
    NEED(map);
    TRY(netdp_i_figure_list(f, at, variant, &listed, error));
    for (int64_t k = 0; k < listed.count; k++)
        m->value[m->count - 1][listed.from[k] * n + listed.to[k]] = listed.value[k];
    netdp_i_label_standing(netdp_i_figure_guarantee(variant), m->standing[m->count - 1]);
    map->title = netdp_i_figure_name(variant);
    map->x_label = "observer";
    map->y_label = "whose data";
    return NETDP_OK;
}

/* Communicability of the variant's graph, where it is not the graph of the variant before. */
static netdp_status add_communicability(netdp_i_figure *f, size_t at, bool first, matrices *m,
                                        netdp_error *error)
{
    const netdp_graph *graph = netdp_i_figure_graph(f, at);
    const char *name = netdp_i_figure_name(json_array_get(netdp_i_figure_variants(f), at));
    const char *panel = strstr(name, " / ");
    if (!first &&
        strcmp(netdp_graph_origin(graph), netdp_graph_origin(netdp_i_figure_graph(f, at - 1))) == 0)
        return NETDP_OK;
    netdp_i_heatmap *map = add_map(m, netdp_graph_nodes(graph));
    NEED(map);
    map->apart = true;
    map->title = m->title[m->count - 1];
    snprintf(m->title[m->count - 1], NETDP_I_LABEL_ROOM, "%.*scommunicability",
             panel != NULL ? (int)(panel + 3 - name) : 0, name);
    snprintf(m->standing[m->count - 1], NETDP_I_LABEL_ROOM, "colours of its own, least to largest");
    return netdp_graph_communicability(graph, m->value[m->count - 1], error);
}

netdp_status netdp_i_draw_matrices(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                                   netdp_error *error)
{
    const int32_t count = count_own(f), first = -netdp_i_figure_own(f, 0);
    const bool beside = f->study->figure.x != NULL; /* communicability, the one x of a matrix */
    char label[NETDP_I_LABEL_ROOM];
    CLEARED(matrices_clear)
    matrices m = {.map = NETDP_I_NEW(netdp_i_heatmap, 2 * count),
                  .value = NETDP_I_NEW(double *, 2 * count),
                  .title = netdp_i_new(2 * count, NETDP_I_LABEL_ROOM),
                  .standing = netdp_i_new(2 * count, NETDP_I_LABEL_ROOM)};
    if (m.map == NULL || m.value == NULL || m.title == NULL || m.standing == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < count; i++) {
        if (beside)
            TRY(add_communicability(f, (size_t)(i + first), i == 0, &m, error));
        TRY(add_losses(f, (size_t)(i + first), &m, error));
    }
    netdp_i_label_measure(f, "loss", label);
    int32_t columns = beside ? 1 : 0; /* a row for each graph, as wide as the first */
    while (beside && columns < m.count && !m.map[columns].apart)
        columns++;
    return netdp_i_heatmap_write(m.map, m.count, columns, netdp_i_figure_is_log(f, 'y'), label,
                                 look, path, error);
}

/* Each node's own value. */
static netdp_status take_data(const netdp_i_figure *f, size_t at, double *value, netdp_error *error)
{
    const int32_t own = netdp_i_figure_own(f, at);
    const bool listed = own >= 0 && own < f->study->variation_count;
    const netdp_i_problem *p = listed ? f->problems.of[own] : f->problems.made[0];
    REFUSE(p->values == NULL, "%s: figure.y: data is of studies that compute a mean",
           f->study->path);
    for (int64_t u = 0; u < netdp_graph_nodes(p->graph); u++)
        value[u] = p->low[0] + p->scale[0] * p->values[u * p->width];
    return NETDP_OK;
}

/* Losses from one node to all, or from all to one, on the graph. */
static netdp_status colour_nodes(const netdp_i_figure *f, size_t at, const json_t *variant,
                                 netdp_i_drawing *drawing, double *room, netdp_error *error)
{
    const netdp_graph *graph = netdp_i_figure_graph(f, at);
    const int64_t n = netdp_graph_nodes(graph);
    double *x = room, *y = room + n, *value = room + 2 * n;
    CLEARED(netdp_i_listed_clear) netdp_i_listed listed = {0};
    *drawing = (netdp_i_drawing){.title = netdp_i_figure_name(variant),
                                 .graph = graph,
                                 .x = x,
                                 .y = y,
                                 .value = value,
                                 .source = -1};
    TRY(netdp_i_graph_layout(graph, f->study->seed, x, y, error));
    if (strcmp(f->measure[0], "data") == 0)
        return take_data(f, at, value, error);
    TRY(netdp_i_figure_list(f, at, variant, &listed, error));
    bool from_one = true, to_one = true;
    for (int64_t k = 1; k < listed.count; k++) {
        from_one = from_one && listed.from[k] == listed.from[0];
        to_one = to_one && listed.to[k] == listed.to[0];
    }
    REFUSE(listed.count == 0 || (!from_one && !to_one),
           "%s: figure.kind: a drawing is of the losses from one node or "
           "towards one; give privacy.from or privacy.to",
           f->study->path);
    for (int64_t u = 0; u < n; u++)
        value[u] = NAN;
    for (int64_t k = 0; k < listed.count; k++)
        value[from_one ? listed.to[k] : listed.from[k]] = listed.value[k];
    drawing->source = from_one ? listed.from[0] : listed.to[0];
    drawing->observer = !from_one;
    return NETDP_OK;
}

netdp_status netdp_i_draw_graphs(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                                 netdp_error *error)
{
    const int32_t count = count_own(f), first = -netdp_i_figure_own(f, 0);
    const bool losses = strcmp(f->measure[0], "data") != 0;
    char label[NETDP_I_LABEL_ROOM];
    int64_t nodes = 0;
    for (int32_t i = 0; i < count; i++)
        nodes += netdp_graph_nodes(netdp_i_figure_graph(f, (size_t)(i + first)));
    OWNED netdp_i_drawing *drawing = NETDP_I_NEW(netdp_i_drawing, count);
    OWNED double *room = NETDP_I_NEW(double, 3 * nodes);
    OWNED char(*standing)[NETDP_I_LABEL_ROOM] = netdp_i_new(count, sizeof label);
    if (drawing == NULL || room == NULL || standing == NULL)
        return netdp_i_no_memory(error);
    double *next = room;
    for (int32_t i = 0; i < count; i++) {
        const size_t at = (size_t)(i + first);
        const json_t *variant = json_array_get(netdp_i_figure_variants(f), at);
        TRY(colour_nodes(f, at, variant, &drawing[i], next, error));
        next += 3 * (int64_t)netdp_graph_nodes(netdp_i_figure_graph(f, at));
        netdp_i_label_standing(netdp_i_figure_guarantee(variant), standing[i]);
        drawing[i].standing = losses ? standing[i] : NULL;
    }
    netdp_i_label_measure(f, f->measure[0], label);
    return netdp_i_drawing_write(drawing, count, count == 4 ? 2 : 0, netdp_i_figure_is_log(f, 'y'),
                                 label, look, path, error);
}
