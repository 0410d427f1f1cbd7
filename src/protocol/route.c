/* Paths that are drawn before a run and are public (docs/proofs/excursion.md). */
#include "protocol/route.h"

#include <inttypes.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"
#include "mixing/mover.h"

const char *const netdp_i_paths[] = {
    [NETDP_PATH_HIDDEN] = "hidden",   [NETDP_PATH_PUBLIC] = "public",
    [NETDP_PATH_RESTING] = "resting", [NETDP_PATH_FORWARD] = "non-backtracking",
    [NETDP_PATH_TOUR] = "tour",       NULL};

const char *netdp_path_name(netdp_path path)
{
    return netdp_i_check_choice("path", (int64_t)path, NETDP_PATH_TOUR, NULL) == NETDP_OK
               ? netdp_i_paths[path]
               : NULL;
}

const char *netdp_i_path_words(netdp_path path)
{
    static const char *const words[] = {
        [NETDP_PATH_HIDDEN] = "hidden",
        [NETDP_PATH_PUBLIC] = "drawn by the law",
        [NETDP_PATH_RESTING] = "drawn by the law, no contribution where a node keeps the token",
        [NETDP_PATH_FORWARD] = "drawn by the law but never turning back",
        [NETDP_PATH_TOUR] = "pass by pass over all nodes",
    };
    return words[path];
}

int32_t netdp_route_at(const netdp_route *route, int32_t k, int64_t t)
{
    return route->node[k * (route->steps + 1) + t];
}

bool netdp_route_rests(const netdp_route *route, int32_t k, int64_t t)
{
    return route != NULL && route->rests != NULL && route->rests[k * route->steps + t];
}

void netdp_route_free(netdp_route *route)
{
    if (route == NULL)
        return;
    netdp_i_free(route->node);
    netdp_i_free(route->rests);
    netdp_i_free(route);
}

/* ---- is it one? ---- */

static netdp_status check_moves(const netdp_token *token, int32_t k, netdp_error *error)
{
    const netdp_route *route = token->route;
    const netdp_rows rows = netdp_transition_rows(token->law);
    for (int64_t t = 0; t <= route->steps; t++) {
        const int32_t at = netdp_route_at(route, k, t);
        if (at < 0 || at >= rows.nodes)
            return netdp_i_fail(error, NETDP_INVALID,
                                "path: node %" PRId32 " at step %" PRId64
                                "; give nodes of the graph, 0 to %" PRId32,
                                at, t, rows.nodes - 1);
        const int32_t before = t > 0 ? netdp_route_at(route, k, t - 1) : at;
        if (before != at && netdp_i_rows_find(rows, before, at) < 0)
            return netdp_i_fail(error, NETDP_INVALID,
                                "path: from node %" PRId32 " to %" PRId32 " at step %" PRId64
                                ", which are no neighbours; give a path along edges",
                                before, at, t);
    }
    const int32_t first = netdp_route_at(route, k, 0);
    if (token->start >= 0 && token->start != first)
        return netdp_i_fail(error, NETDP_INVALID,
                            "path: begins at node %" PRId32 ", the token at %" PRId32
                            "; give the path of this token",
                            first, token->start);
    return NETDP_OK;
}

netdp_status netdp_i_route_check(const netdp_token *token, netdp_error *error)
{
    const netdp_route *route = token->route;
    TRY(netdp_i_check_choice("path", (int64_t)route->path, NETDP_PATH_TOUR, error));
    if (route->path == NETDP_PATH_HIDDEN || route->node == NULL || route->tokens != token->tokens ||
        route->steps != token->steps || token->burn_in > 0 || token->start == NETDP_START_OBSERVER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "path: is not of this token; give a public one of %" PRId32
                            " tokens and %" PRId64 " steps, without burn-in",
                            token->tokens, token->steps);
    for (int32_t k = 0; k < token->tokens; k++)
        TRY(check_moves(token, k, error));
    return NETDP_OK;
}

/* ---- drawing ---- */

/* Of one token on its way. */
typedef struct drawing {
    netdp_i_mover mover;
    netdp_path path;
    int32_t at, before; /* before: -1 at the start */
    /* a tour's pass */
    int32_t left;    /* nodes that have not had the token */
    bool *had;       /* [nodes] */
    int32_t *open;   /* [nodes] how many neighbours have not had it */
    int32_t *queue;  /* [nodes] a search's; then the way that it found, backwards */
    int32_t *parent; /* [nodes] of the search, -1: not reached */
    int32_t way;     /* nodes of `queue` that are still to be passed */
} drawing;

static bool drawing_new(drawing *d, const netdp_token *token, netdp_path path)
{
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    d->path = path;
    if (path != NETDP_PATH_TOUR)
        return true;
    d->had = NETDP_I_NEW(bool, nodes);
    d->open = NETDP_I_NEW(int32_t, nodes);
    d->queue = NETDP_I_NEW(int32_t, nodes);
    d->parent = NETDP_I_NEW(int32_t, nodes);
    return d->had != NULL && d->open != NULL && d->queue != NULL && d->parent != NULL;
}

static void drawing_clear(drawing *d)
{
    netdp_i_mover_clear(&d->mover);
    netdp_i_free(d->had);
    netdp_i_free(d->open);
    netdp_i_free(d->queue);
    netdp_i_free(d->parent);
}

/* The law, given that the token neither stays nor goes back; back where there is nothing else. */
static int32_t go_forward(const drawing *d, double uniform)
{
    const netdp_rows *rows = &d->mover.rows;
    double sum = 0;
    int32_t last = d->before < 0 ? d->at : d->before;
    for (int64_t i = rows->start[d->at]; i < rows->start[d->at + 1]; i++)
        if (rows->column[i] != d->at && rows->column[i] != d->before)
            sum += rows->weight[i];
    uniform *= sum;
    for (int64_t i = rows->start[d->at]; i < rows->start[d->at + 1]; i++) {
        if (rows->column[i] == d->at || rows->column[i] == d->before || !(rows->weight[i] > 0))
            continue;
        last = rows->column[i];
        if (uniform < rows->weight[i])
            break;
        uniform -= rows->weight[i];
    }
    return last;
}

static void begin_pass(drawing *d)
{
    const netdp_rows *rows = &d->mover.rows;
    d->left = rows->nodes;
    for (int32_t u = 0; u < rows->nodes; u++) {
        d->had[u] = false;
        d->open[u] = 0;
        for (int64_t i = rows->start[u]; i < rows->start[u + 1]; i++)
            d->open[u] += rows->column[i] != u;
    }
}

/* The token arrives; false where it has been here in this pass. */
static bool visit(drawing *d)
{
    const netdp_rows *rows = &d->mover.rows;
    if (d->left == 0)
        begin_pass(d);
    if (d->had[d->at])
        return false;
    d->had[d->at] = true;
    d->left--;
    for (int64_t i = rows->start[d->at]; i < rows->start[d->at + 1]; i++)
        d->open[rows->column[i]] -= rows->column[i] != d->at;
    return true;
}

/* The way to the nearest node that has not had the token, into queue[0 .. way-1], backwards. */
static bool find_way(drawing *d)
{
    const netdp_rows *rows = &d->mover.rows;
    int32_t count = 0, target = -1;
    for (int32_t u = 0; u < rows->nodes; u++)
        d->parent[u] = -1;
    d->parent[d->at] = d->at;
    d->queue[count++] = d->at;
    for (int32_t q = 0; q < count && target < 0; q++) {
        const int32_t u = d->queue[q];
        for (int64_t i = rows->start[u]; i < rows->start[u + 1] && target < 0; i++) {
            const int32_t next = rows->column[i];
            if (d->parent[next] >= 0)
                continue;
            d->parent[next] = u;
            d->queue[count++] = next;
            if (!d->had[next])
                target = next;
        }
    }
    d->way = 0;
    for (int32_t u = target; u >= 0 && u != d->at; u = d->parent[u])
        d->queue[d->way++] = u;
    return target >= 0;
}

/* Of the neighbours that have not had the token one with the fewest such neighbours; -1: none. */
static int32_t nearest_open(const drawing *d, netdp_stream *stream)
{
    const netdp_rows *rows = &d->mover.rows;
    int32_t chosen = -1;
    uint64_t ties = 0;
    for (int64_t i = rows->start[d->at]; i < rows->start[d->at + 1]; i++) {
        const int32_t next = rows->column[i];
        if (next == d->at || d->had[next] || (chosen >= 0 && d->open[next] > d->open[chosen]))
            continue;
        ties = chosen >= 0 && d->open[next] == d->open[chosen] ? ties + 1 : 1;
        if (ties == 1 || netdp_stream_below(stream, ties) == 0)
            chosen = next;
    }
    return chosen;
}

static int32_t go_on_tour(drawing *d, netdp_stream *stream)
{
    if (d->way > 0)
        return d->queue[--d->way];
    for (int pass = 0; pass < 2; pass++) {
        const int32_t next = nearest_open(d, stream);
        if (next >= 0)
            return next;
        if (find_way(d))
            return d->queue[--d->way];
        begin_pass(d); /* the others are not connected to it */
    }
    return d->at;
}

static int32_t go(drawing *d, netdp_stream *stream)
{
    if (d->path == NETDP_PATH_TOUR)
        return go_on_tour(d, stream);
    const double uniform = netdp_stream_uniform(stream);
    return d->path == NETDP_PATH_FORWARD ? go_forward(d, uniform)
                                         : netdp_i_move(&d->mover, d->at, uniform);
}

/* Does the node of this step contribute nothing? */
static bool rests(drawing *d)
{
    if (d->path == NETDP_PATH_TOUR)
        return !visit(d);
    return d->path == NETDP_PATH_RESTING && d->at == d->before;
}

static void draw_token(drawing *d, const netdp_token *token, int32_t k, netdp_route *route)
{
    netdp_stream stream = netdp_stream_at(route->seed, NETDP_FOR_PATH, (uint32_t)k, 0);
    d->at = token->start != NETDP_START_UNIFORM
                ? token->start
                : (int32_t)netdp_stream_below(&stream, (uint64_t)d->mover.rows.nodes);
    d->before = -1;
    d->left = d->way = 0;
    for (int64_t t = 0; t <= route->steps; t++) {
        route->node[k * (route->steps + 1) + t] = d->at;
        if (t == route->steps)
            break;
        const bool idle = rests(d);
        if (route->rests != NULL)
            route->rests[k * route->steps + t] = idle;
        if (d->path == NETDP_PATH_TOUR && d->left == 0)
            begin_pass(d);
        stream = netdp_stream_at(route->seed, NETDP_FOR_PATH, (uint32_t)k, (uint64_t)t + 1);
        const int32_t next = go(d, &stream);
        d->before = d->at;
        d->at = next;
    }
}

static netdp_status check_asked(const netdp_token *token, netdp_path path, netdp_error *error)
{
    netdp_token hidden = *token;
    hidden.route = NULL;
    TRY(netdp_token_check(&hidden, error));
    TRY(netdp_i_check_choice("path", (int64_t)path, NETDP_PATH_TOUR, error));
    if (path == NETDP_PATH_HIDDEN)
        return netdp_i_fail(error, NETDP_INVALID,
                            "path: a hidden one is drawn on the way; give public, resting, "
                            "non-backtracking or tour");
    if (token->burn_in > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "burn-in: hides where a token begins, and a path that is %s shows it; "
                            "leave it out",
                            path == NETDP_PATH_PUBLIC ? "public" : "designed");
    if (token->start == NETDP_START_OBSERVER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "start: observer is another path for each observer; with a public path "
                            "give a node or uniform");
    if (token->steps >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: %" PRId64 "; a public path has fewer than 2^32 steps",
                            token->steps);
    if (token->weighted && path != NETDP_PATH_PUBLIC)
        return netdp_i_fail(error, NETDP_INVALID,
                            "path: gradients are weighted for walks by the law, which a path that "
                            "is %s does not follow; give hidden or public",
                            netdp_i_paths[path]);
    return NETDP_OK;
}

OWNER(netdp_route_free, netdp_route)

netdp_status netdp_route_new(const netdp_token *token, netdp_path path, uint64_t seed,
                             netdp_route **route, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && route);
    TRY(check_asked(token, path, error));
    const bool idle = path == NETDP_PATH_RESTING || path == NETDP_PATH_TOUR;
    OWNED_BY(netdp_route_free) netdp_route *made = NETDP_I_NEW(netdp_route, 1);
    CLEARED(drawing_clear) drawing d = {0};
    if (made == NULL)
        return netdp_i_no_memory(error);
    *made =
        (netdp_route){.path = path, .seed = seed, .tokens = token->tokens, .steps = token->steps};
    made->node = NETDP_I_NEW(int32_t, token->tokens * (token->steps + 1));
    made->rests = idle ? NETDP_I_NEW(bool, token->tokens * token->steps) : NULL;
    if (made->node == NULL || (made->rests == NULL && idle) || !drawing_new(&d, token, path))
        return netdp_i_no_memory(error);
    TRY(netdp_i_mover_new(token->law, &d.mover, error));
    for (int32_t k = 0; k < token->tokens; k++)
        draw_token(&d, token, k, made);
    *route = GIVE(made);
    return NETDP_OK;
}
