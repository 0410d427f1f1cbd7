/*
 * Random graphs from igraph. Its generator is global: it is ours only while the lock is held, and
 * put back afterwards.
 */
#include "graph/families.h"

#include <string.h>

#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "graph/igraph/borrow.h"

enum { MOST_DRAWS = 1000, CORE = 5 };

/* igraph_grg_game sorts the nodes by x, and gives the positions in that order. */
static igraph_error_t draw_geometric(igraph_t *graph, const netdp_i_law *law, double *position)
{
    igraph_vector_t x, y;
    if (position == NULL)
        return IGRAPH_EINVAL;
    igraph_error_t code = igraph_vector_init(&x, law->nodes);
    if (code != IGRAPH_SUCCESS)
        return code;
    code = igraph_vector_init(&y, law->nodes);
    if (code == IGRAPH_SUCCESS) {
        code = igraph_grg_game(graph, law->nodes, law->radius, false, &x, &y);
        if (code == IGRAPH_SUCCESS) {
            igraph_vector_copy_to(&x, position);
            igraph_vector_copy_to(&y, position + law->nodes);
        }
        igraph_vector_destroy(&y);
    }
    igraph_vector_destroy(&x);
    return code;
}

static igraph_error_t draw_barabasi_albert(igraph_t *graph, const netdp_i_law *law)
{
    igraph_t core;
    igraph_error_t code = igraph_full(&core, CORE, IGRAPH_UNDIRECTED, IGRAPH_NO_LOOPS);
    if (code != IGRAPH_SUCCESS)
        return code;
    /* Links with probability proportional to the degree: power 1, nothing added, all edges count.
     */
    code = igraph_barabasi_game(graph, law->nodes, 1.0, law->degree, NULL, true, 0.0,
                                IGRAPH_UNDIRECTED, IGRAPH_BARABASI_PSUMTREE, &core);
    igraph_destroy(&core);
    return code;
}

static igraph_error_t draw_stochastic_block(igraph_t *graph, const netdp_i_law *law)
{
    igraph_matrix_t matrix;
    igraph_vector_int_t size;
    igraph_error_t code = igraph_matrix_init(&matrix, law->blocks, law->blocks);
    if (code != IGRAPH_SUCCESS)
        return code;
    code = igraph_vector_int_init(&size, law->blocks);
    if (code == IGRAPH_SUCCESS) {
        for (int32_t i = 0; i < law->blocks; i++) {
            VECTOR(size)[i] = law->size[i];
            for (int32_t j = 0; j < law->blocks; j++)
                MATRIX(matrix, i, j) = law->matrix[(int64_t)i * law->blocks + j];
        }
        code =
            igraph_sbm_game(graph, law->nodes, &matrix, &size, IGRAPH_UNDIRECTED, IGRAPH_NO_LOOPS);
        igraph_vector_int_destroy(&size);
    }
    igraph_matrix_destroy(&matrix);
    return code;
}

/*
 * igraph starts again whenever its pairing of stubs gets stuck, which is nearly always for dense
 * graphs: those are complements of sparse ones.
 */
static igraph_error_t draw_regular(igraph_t *graph, const netdp_i_law *law)
{
    int32_t other = law->nodes - 1 - law->degree;
    if (law->degree <= other)
        return igraph_k_regular_game(graph, law->nodes, law->degree, false, false);
    igraph_t sparse;
    igraph_error_t code = igraph_k_regular_game(&sparse, law->nodes, other, false, false);
    if (code != IGRAPH_SUCCESS)
        return code;
    code = igraph_complementer(graph, &sparse, IGRAPH_NO_LOOPS);
    igraph_destroy(&sparse);
    return code;
}

/* Each node draws so many different others; a pair that drew one another has one edge. */
static igraph_error_t draw_k_out(igraph_t *graph, const netdp_i_law *law)
{
    igraph_vector_int_t drawn, edges;
    igraph_error_t code = igraph_vector_int_init(&drawn, 0);
    if (code != IGRAPH_SUCCESS)
        return code;
    code = igraph_vector_int_init(&edges, 2 * (igraph_integer_t)law->nodes * law->degree);
    for (int32_t u = 0; code == IGRAPH_SUCCESS && u < law->nodes && law->degree > 0; u++) {
        code = igraph_random_sample(&drawn, 0, law->nodes - 2, law->degree);
        for (int32_t i = 0; code == IGRAPH_SUCCESS && i < law->degree; i++) {
            const igraph_integer_t at = 2 * ((igraph_integer_t)u * law->degree + i);
            VECTOR(edges)[at] = u;
            VECTOR(edges)[at + 1] = VECTOR(drawn)[i] + (VECTOR(drawn)[i] >= u ? 1 : 0);
        }
    }
    if (code == IGRAPH_SUCCESS)
        code = igraph_create(graph, &edges, law->nodes, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&edges);
    igraph_vector_int_destroy(&drawn);
    return code;
}

static igraph_error_t draw(igraph_t *graph, const netdp_i_law *law, double *position)
{
    switch (law->kind) {
    case NETDP_I_ERDOS_RENYI:
        return igraph_erdos_renyi_game_gnp(graph, law->nodes, law->probability, IGRAPH_UNDIRECTED,
                                           IGRAPH_NO_LOOPS);
    case NETDP_I_GEOMETRIC:
        return draw_geometric(graph, law, position);
    case NETDP_I_BARABASI_ALBERT:
        return draw_barabasi_albert(graph, law);
    case NETDP_I_REGULAR:
        return draw_regular(graph, law);
    case NETDP_I_K_OUT:
        return draw_k_out(graph, law);
    case NETDP_I_STOCHASTIC_BLOCK:
        return draw_stochastic_block(graph, law);
    }
    return IGRAPH_EINVAL;
}

static netdp_status copy_edges(const igraph_t *graph, netdp_i_edges *edges, netdp_error *error)
{
    int64_t count = igraph_ecount(graph);
    edges->count = 0;
    if (count > edges->room) {
        int32_t *grown = netdp_i_grow(edges->pair, count, 2 * sizeof *edges->pair);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        edges->pair = grown;
        edges->room = count;
    }
    for (int64_t i = 0; i < count; i++) {
        edges->pair[2 * i] = (int32_t)IGRAPH_FROM(graph, i);
        edges->pair[2 * i + 1] = (int32_t)IGRAPH_TO(graph, i);
    }
    edges->count = count;
    return NETDP_OK;
}

/* One draw under the lock. */
static netdp_status draw_once(const netdp_i_law *law, const char *family, uint64_t seed,
                              uint64_t attempt, netdp_i_edges *edges, double *position,
                              netdp_error *error)
{
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_GRAPH, 0, attempt);
    igraph_rng_t mine = {.type = &netdp_i_igraph_generator, .state = &stream, .is_seeded = true};
    netdp_i_igraph old;
    igraph_t graph;
    TRY(netdp_i_igraph_take(&old, error));
    igraph_rng_t old_generator = *igraph_rng_default();
    igraph_rng_set_default(&mine);
    igraph_error_t code = draw(&graph, law, position);
    igraph_rng_set_default(&old_generator);
    netdp_i_igraph_give_back(&old);
    if (code == IGRAPH_ENOMEM)
        return netdp_i_no_memory(error);
    if (code != IGRAPH_SUCCESS)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: igraph cannot draw it: %s; change the "
                            "parameters",
                            family, igraph_strerror(code));
    const netdp_status status = copy_edges(&graph, edges, error);
    igraph_destroy(&graph);
    return status;
}

netdp_status netdp_i_law_draw(const netdp_i_law *law, const char *family, uint64_t seed,
                              bool connected, netdp_i_edges *edges, double *position,
                              int64_t *redraws, netdp_error *error)
{
    OWNED int32_t *parent = NETDP_I_NEW(int32_t, law->nodes);
    if (parent == NULL)
        return netdp_i_no_memory(error);
    for (int attempt = 0; attempt < MOST_DRAWS; attempt++) {
        TRY(draw_once(law, family, seed, (uint64_t)attempt, edges, position, error));
        if (connected && !netdp_i_edges_connected(law->nodes, edges, parent))
            continue;
        *redraws = attempt;
        return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: none of %d draws with seed %llu was connected; choose denser "
                        "parameters or use --connected no",
                        family, (int)MOST_DRAWS, (unsigned long long)seed);
}
