/*
 * Mixing matrices W: symmetric, nonnegative, rows that sum to 1, on the edges of a graph.
 */
#ifndef NETDP_MIXING_H
#define NETDP_MIXING_H

#include <netdp/graph.h>

NETDP_BEGIN

/*
 * Refers to its graph, which must outlive it. Memory: 20 bytes a node and 24 an edge beside the
 * graph's own.
 */
typedef struct netdp_mixing netdp_mixing;

/* W in compressed rows, each row with its diagonal, columns ascending. Owned by the mixing. */
typedef struct netdp_rows {
    int32_t nodes;         /* n */
    const int64_t *start;  /* [nodes + 1] */
    const int32_t *column; /* [start[nodes]] */
    const double *weight;  /* [start[nodes]] */
} netdp_rows;

/*
 * `weights`: "metropolis" 1/(1+max(d_u,d_v)); "hamilton" 1/max(d_u,d_v) as printed in papers A and
 * C; "max-degree" 1/(1+d_max); "uniform" 1/n (complete graph only); "lazy:K" or "lazy:K:base", K in
 * [0, 1), (1-K)W + K I over metropolis or the named base; "file": the edge file's own weights.
 * The diagonal takes the rest of the row and is computed without cancellation. Disconnected graphs
 * and periodic W are allowed here; netdp_mixing_require refuses them.
 */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_new(const netdp_graph *graph, const char *weights,
                                                    netdp_mixing **mixing, netdp_error *error);

/* NULL is fine. */
NETDP_API void netdp_mixing_free(netdp_mixing *mixing);

/* NETDP_INVALID unless gossip with W reaches consensus: at least 2 nodes, connected, aperiodic. */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_require(const netdp_mixing *mixing,
                                                        netdp_error *error);

/* The matrix, its graph, and the name that it was made by; owned by the mixing. */
NETDP_API netdp_rows netdp_mixing_rows(const netdp_mixing *mixing);
NETDP_API const netdp_graph *netdp_mixing_graph(const netdp_mixing *mixing);
NETDP_API const char *netdp_mixing_name(const netdp_mixing *mixing);

/* The eigenvalues that say how fast gossip mixes. */
typedef struct netdp_spectrum {
    double second;   /* lambda_2, the largest eigenvalue but for one copy of 1 */
    double smallest; /* lambda_n */
    double gap;      /* 1 - max(|lambda_2|, |lambda_n|); 0 where disconnected or periodic */
} netdp_spectrum;

/*
 * How to compute a spectrum: dense (LAPACK, 8 n^2 bytes) up to 4,000 nodes, Lanczos (16 bytes a
 * node) above, unless asked. Lanczos stops where |W x - theta x| <= 1e-10, above 100,000 nodes
 * 1e-7, so that an eigenvalue is that near; that it is the last one rests on its random start.
 */
typedef enum netdp_spectral_method {
    NETDP_SPECTRAL_AUTO = 0,
    NETDP_SPECTRAL_DENSE,
    NETDP_SPECTRAL_LANCZOS,
} netdp_spectral_method;

/* Up to this many nodes NETDP_SPECTRAL_AUTO is dense. */
#define NETDP_DENSE_NODES 4000

/* Also of graphs on which gossip reaches no consensus. */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_spectrum(const netdp_mixing *mixing,
                                                         netdp_spectral_method method,
                                                         netdp_spectrum *spectrum,
                                                         netdp_error *error);

/*
 * min t with max_v TV(W^t e_v, 1/n) <= accuracy (1/4 is usual), or -1 where there is none.
 * Dense: memory 3 n^2 doubles.
 */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_time(const netdp_mixing *mixing, double accuracy,
                                                     int64_t *rounds, netdp_error *error);

/*
 * y = W x for x, y [nodes][width] row-major, x != y. Sums in the order of the columns: the same
 * bits for every number of threads and every machine. Needs no memory of its own.
 */
NETDP_API void netdp_mixing_apply(const netdp_mixing *mixing, const double *x, double *y,
                                  int32_t width);

/*
 * G of decentralised learning, gram [phases][phases]: with x the noise that one node adds in each phase, sent
 * and mixed in the same phase, and all nodes alike, x' G x is the sum of the squares of all models after all
 * phases, G_pq = sum over t from max(p, q) of tr((W^(t-p+1))' W^(t-q+1)). `mixing` NULL: W takes plain
 * means of a node and its neighbours, D^-1 (A + I), which is not symmetric. At most 4,000 nodes.
 */
NETDP_API NETDP_CHECK netdp_status netdp_graph_workload(const netdp_graph *graph,
                                                        const netdp_mixing *mixing, int64_t phases,
                                                        double *gram, netdp_error *error);

NETDP_END

#endif
