#include "graph/layout.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "graph/igraph/borrow.h"

/* A family's parameters, and the place of one of its nodes. */
struct shape {
    int32_t nodes, a, b;
};
struct place {
    double x, y;
};

static struct place turn(double radius, double part)
{
    return (struct place){radius * sin(2 * M_PI * part), radius * cos(2 * M_PI * part)};
}

static struct place on_line(struct shape shape, int32_t v)
{
    return (struct place){(double)v / shape.nodes, 0};
}

static struct place on_circle(struct shape shape, int32_t v)
{
    return turn(1, (double)v / shape.nodes);
}

static struct place on_star(struct shape shape, int32_t v)
{
    return v == 0 ? (struct place){0, 0} : turn(1, (double)(v - 1) / (shape.nodes - 1));
}

static struct place on_grid(struct shape shape, int32_t v)
{
    return (struct place){v % shape.b, shape.a - 1 - v / shape.b};
}

/* Rows run around the tube, columns around the hole, seen from above at a slant. */
static struct place on_torus(struct shape shape, int32_t v)
{
    const struct place tube = turn(0.45, (double)(v / shape.b) / shape.a);
    const struct place ring = turn(1 + tube.y, (double)(v % shape.b) / shape.b);
    return (struct place){ring.x, 0.6 * ring.y + 0.8 * tube.x};
}

/*
 * Each dimension is a direction in the plane, each longer than the last, so that no two nodes meet.
 * Beyond eight, half of the dimensions lead across and half up.
 */
static struct place on_hypercube(struct shape shape, int32_t v)
{
    struct place place = {0, 0};
    for (int32_t i = 0; i < shape.a; i++) {
        if ((v >> i & 1) == 0)
            continue;
        const double angle = M_PI * (i + 0.5) / shape.a, length = 1 + 0.15 * i;
        if (shape.a <= 8) {
            place.x -= length * cos(angle);
            place.y += length * sin(angle);
        } else {
            /* Where one more leads across, those that lead up are as long as the longer ones. */
            const int32_t rank = i / 2 + (i % 2 == 1 && shape.a % 2 == 1);
            *(i % 2 == 0 ? &place.x : &place.y) += pow(2.1, rank);
        }
    }
    return place;
}

/* A circle of circles; each begins and ends where its neighbours are. */
static struct place on_caves(struct shape shape, int32_t v)
{
    const double cave = (double)(v / shape.b) / shape.a;
    const double room = fmin(sin(M_PI / fmax(shape.a, 2)), 0.5) * 0.75;
    const struct place middle = turn(1, cave);
    const struct place own = turn(room, cave + 0.5 + (v % shape.b + 0.5) / shape.b);
    return (struct place){middle.x + own.x, middle.y + own.y};
}

static const struct family {
    const char *name;
    int arguments;
    struct place (*place)(struct shape shape, int32_t v);
} families[] = {
    {"path", 1, on_line},       {"ring", 1, on_circle},
    {"complete", 1, on_circle}, {"static-exponential", 1, on_circle},
    {"star", 1, on_star},       {"grid", 2, on_grid},
    {"torus", 2, on_torus},     {"hypercube", 1, on_hypercube},
    {"caveman", 2, on_caves},
};

/* The family that the graph was made from, if it has a shape. A file may be called like one. */
static const struct family *family_of(const netdp_graph *graph, struct shape *shape)
{
    char name[32] = "";
    int a = 0, b = 0;
    const char *origin = netdp_graph_origin(graph);
    const int32_t nodes = netdp_graph_nodes(graph);
    const int found = origin == NULL ? 0 : sscanf(origin, " %31s %d %d", name, &a, &b);
    *shape = (struct shape){nodes, a, b};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *family = &families[i];
        if (found != family->arguments + 1 || strcmp(family->name, name) != 0)
            continue;
        const bool fits = family->arguments == 2          ? (int64_t)a * b == nodes && a > 0
                          : family->place == on_hypercube ? a >= 0 && a <= 24 && 1 << a == nodes
                                                          : a == nodes;
        return fits ? family : NULL;
    }
    return NULL;
}

static igraph_error_t to_igraph(const netdp_graph *graph, igraph_t *copy)
{
    igraph_vector_int_t edges;
    igraph_error_t code = igraph_vector_int_init(&edges, 2 * netdp_graph_edges(graph));
    int64_t at = 0;
    if (code != IGRAPH_SUCCESS)
        return code;
    for (int32_t u = 0; u < netdp_graph_nodes(graph); u++) {
        for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++) {
            const int32_t v = netdp_graph_neighbours(graph, u)[i];
            if (u > v)
                continue;
            VECTOR(edges)[at++] = u;
            VECTOR(edges)[at++] = v;
        }
    }
    code = igraph_create(copy, &edges, netdp_graph_nodes(graph), IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&edges);
    return code;
}

/* From a cloud that the stream draws; igraph shakes nodes apart that meet, by the stream too. */
static igraph_error_t springs(const netdp_graph *graph, netdp_stream *stream, double *x, double *y)
{
    enum { STEPS = 500 };
    const int32_t nodes = netdp_graph_nodes(graph);
    const double side = sqrt(nodes);
    igraph_t copy;
    igraph_matrix_t place;
    igraph_error_t code = to_igraph(graph, &copy);
    if (code != IGRAPH_SUCCESS)
        return code;
    code = igraph_matrix_init(&place, nodes, 2);
    if (code == IGRAPH_SUCCESS) {
        for (int32_t v = 0; v < nodes; v++) {
            MATRIX(place, v, 0) = side * netdp_stream_uniform(stream);
            MATRIX(place, v, 1) = side * netdp_stream_uniform(stream);
        }
        code = igraph_layout_fruchterman_reingold(
            &copy, &place, true, STEPS, side, IGRAPH_LAYOUT_AUTOGRID, NULL, NULL, NULL, NULL, NULL);
        for (int32_t v = 0; v < nodes && code == IGRAPH_SUCCESS; v++) {
            x[v] = MATRIX(place, v, 0);
            y[v] = MATRIX(place, v, 1);
        }
        igraph_matrix_destroy(&place);
    }
    igraph_destroy(&copy);
    return code;
}

static netdp_status place_by_springs(const netdp_graph *graph, uint64_t seed, double *x, double *y,
                                     netdp_error *error)
{
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_LAYOUT, 0, 0);
    igraph_rng_t mine = {.type = &netdp_i_igraph_generator, .state = &stream, .is_seeded = true};
    netdp_i_igraph old;
    TRY(netdp_i_igraph_take(&old, error));
    igraph_rng_t old_generator = *igraph_rng_default();
    igraph_rng_set_default(&mine);
    const igraph_error_t code = springs(graph, &stream, x, y);
    igraph_rng_set_default(&old_generator);
    netdp_i_igraph_give_back(&old);
    if (code == IGRAPH_ENOMEM)
        return netdp_i_no_memory(error);
    if (code != IGRAPH_SUCCESS)
        return netdp_i_fail(error, NETDP_INVALID, "igraph cannot lay out the graph: %s",
                            igraph_strerror(code));
    return NETDP_OK;
}

/* Into the unit square, in its middle. */
static void fit(int32_t nodes, double *x, double *y)
{
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (int32_t v = 0; v < nodes; v++) {
        low_x = fmin(low_x, x[v]);
        high_x = fmax(high_x, x[v]);
        low_y = fmin(low_y, y[v]);
        high_y = fmax(high_y, y[v]);
    }
    const double side = fmax(high_x - low_x, high_y - low_y);
    const double scale = side > 0 ? 1 / side : 0;
    for (int32_t v = 0; v < nodes; v++) {
        x[v] = fmin(fmax(0.5 + (x[v] - (low_x + high_x) / 2) * scale, 0), 1);
        y[v] = fmin(fmax(0.5 + (y[v] - (low_y + high_y) / 2) * scale, 0), 1);
    }
}

netdp_status netdp_i_graph_layout(const netdp_graph *graph, uint64_t seed, double *x, double *y,
                                  netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(graph);
    const double *own_x = NULL, *own_y = NULL;
    if (netdp_graph_positions(graph, &own_x, &own_y)) {
        memcpy(x, own_x, (size_t)nodes * sizeof *x);
        memcpy(y, own_y, (size_t)nodes * sizeof *y);
        return NETDP_OK;
    }
    struct shape shape;
    const struct family *family = family_of(graph, &shape);
    if (family == NULL)
        TRY(place_by_springs(graph, seed, x, y, error));
    for (int32_t v = 0; family != NULL && v < nodes; v++) {
        const struct place place = family->place(shape, v);
        x[v] = place.x;
        y[v] = place.y;
    }
    fit(nodes, x, y);
    return NETDP_OK;
}
