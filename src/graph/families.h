/* The families: one table; deterministic ones are lists of edges, random ones are laws to draw. */
#ifndef NETDP_I_FAMILIES_H
#define NETDP_I_FAMILIES_H

#include "graph/graph.h"

/* At most this many edges may be asked of a family: 2 GB of pairs, some 10 GB at work. */
#define NETDP_I_MOST_EDGES 250000000
#define NETDP_I_MOST_NODES 100000000

/* A law of random graphs, its parameters already checked. */
typedef enum netdp_i_law_kind {
    NETDP_I_ERDOS_RENYI,
    NETDP_I_GEOMETRIC,
    NETDP_I_BARABASI_ALBERT,
    NETDP_I_REGULAR,
    NETDP_I_K_OUT,
    NETDP_I_STOCHASTIC_BLOCK,
} netdp_i_law_kind;

typedef struct netdp_i_law {
    netdp_i_law_kind kind;
    int32_t nodes;
    int32_t degree;       /* barabasi-albert: links of a new node; regular: the degree;
                             k-out: whom each node draws */
    double probability;   /* erdos-renyi */
    double radius;        /* geometric */
    int32_t blocks;       /* stochastic-block */
    const int32_t *size;  /* [blocks] */
    const double *matrix; /* [blocks][blocks] */
} netdp_i_law;

/* Is it the text of a family that is drawn? */
bool netdp_i_family_is_random(const char *text);

/*
 * Draws until connected, at most 1000 times (`connected` false: once). Draw k of a seed uses a
 * stream of its own, so equal seeds give equal edges. Counts the draws thrown away in `redraws`.
 * `position` (the geometric law only, else NULL) takes x[nodes], then y[nodes].
 */
netdp_status netdp_i_law_draw(const netdp_i_law *law, const char *family, uint64_t seed,
                              bool connected, netdp_i_edges *edges, double *position,
                              int64_t *redraws, netdp_error *error);

/* "ring NODES" for a text whose first word is a family; NULL: it is none. */
const char *netdp_i_family_grammar(const char *text);

/* The bundled graphs, made from data/ at build time. Ends with a NULL name. */
typedef struct netdp_i_bundled {
    const char *name;
    const char *edges; /* the text of NAME.edges */
    const char *nodes; /* the text of NAME.nodes: number, tab, name */
} netdp_i_bundled;
extern const netdp_i_bundled netdp_i_bundled_graphs[];

#endif
