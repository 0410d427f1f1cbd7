/*
 * Matrices on the edges of a graph: mixing matrices W, nonnegative, with rows that sum to
 * 1, symmetric but where a name says otherwise; sequences of them, transition matrices of
 * walks, and communicability.
 *
 * Ownership: each refers to its graph or mixing, which must outlive it, and is the caller's: _free.
 * Threads: any may call, also with the same mixing or transition; a netdp_sequence belongs to one.
 */
#ifndef NETDP_MIXING_H
#define NETDP_MIXING_H

#include <netdp/graph.h>

NETDP_BEGIN

/*
 * Mixing matrices W: symmetric, nonnegative, rows that sum to 1, on the edges of a graph.
 */

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
 * [0, 1), (1-K)W + K I over metropolis or the named base; "file": the edge file's own weights; "none":
 * I, each node on its own.
 * The diagonal takes the rest of the row and is computed without cancellation. Disconnected graphs
 * and periodic W are allowed here; netdp_mixing_require refuses them. NETDP_INVALID where W would
 * not be symmetric.
 */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_new(const netdp_graph *graph, const char *weights,
                                                    netdp_mixing **mixing, netdp_error *error);

/*
 * The same, and "rows", 1/(1+d_u): plain means of a node and its neighbours, D^-1 (A + I), which is
 * not symmetric unless all degrees are equal. Learning runs on it, whose models then agree on a mean
 * in which node u counts 1+d_u; of the accounts `everything` alone knows it, which asks nothing of
 * W, and all others refuse it.
 */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_new_stochastic(const netdp_graph *graph,
                                                               const char *weights,
                                                               netdp_mixing **mixing,
                                                               netdp_error *error);

/* Is W_uv = W_vu for all u and v? */
NETDP_API bool netdp_mixing_is_symmetric(const netdp_mixing *mixing);

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
 * G of decentralised learning, gram [phases][phases]: with Q the covariance over phases of the noise
 * that each node adds, sent and mixed in `inner` rounds of the same phase, tr(G Q) is the expected sum of
 * the squares of all models after all phases: G_pq = sum over t from max(p, q) of
 * tr((W^(K(t-p+1)))' W^(K(t-q+1))), K = inner >= 1. W is symmetric or "rows"; at most 4,000 nodes.
 */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_workload(const netdp_mixing *mixing, int64_t inner,
                                                         int64_t phases, double *gram,
                                                         netdp_error *error);

/*
 * Mixing matrices that change from round to round: W_0, W_1, ..., each symmetric and doubly
 * stochastic. They are drawn with a seed before the run, whatever the data are, and are public.
 */

/* What changes from round to round. */
typedef enum netdp_vary {
    NETDP_VARY_NEVER = 0, /* W in every round */
    NETDP_VARY_EDGE,      /* one edge a round (paper C, Algorithm 2): its ends take their mean */
    NETDP_VARY_NODES,     /* a node is away, with all its edges, with probability `missing` */
    NETDP_VARY_EDGES,     /* an edge is missing with probability `missing` */
    NETDP_VARY_GRAPH,     /* a graph drawn again every `span` rounds (paper C, F: Erdos-Renyi) */
    NETDP_VARY_LATE, /* averaging: a node fails for good, with probability `missing`, after those
                             who share noise with it have added their halves and before it has sent */
    NETDP_VARY_PEER, /* a hypercube's dimensions in turn: each node takes the mean with one neighbour
                        (one-peer exponential graphs); nothing is drawn */
} netdp_vary;

/*
 * How W changes; zeros: it does not. A missing edge moves its weight to both diagonals. The edge of
 * NETDP_VARY_EDGE is {v, w} with probability proportional to W_vw: there is exactly one in every
 * round. NETDP_VARY_GRAPH begins with the mixing's own graph; later draws are single ones,
 * connected or not, and are weighted by the mixing's rule.
 */
typedef struct netdp_variation {
    netdp_vary kind;    /* what changes */
    double missing;     /* in [0, 1) */
    bool revealed;      /* late: the living tell what they shared with nodes that failed; then the
                           pair graph is that of netdp_pairing_revealed */
    double probability; /* of an edge of a drawn Erdos-Renyi graph, in [0, 1]; -1: the random family
                           of the mixing's graph is drawn again */
    int64_t span;       /* rounds for which a drawn graph stays, at least 1 */
    uint64_t seed;      /* of the network */
} netdp_variation;

/* One round: W_t and who takes part in it. */
typedef struct netdp_round {
    netdp_rows rows;       /* W_t: a node without an active edge has its diagonal 1 alone */
    int32_t active_count;  /* how many */
    const int32_t *active; /* nodes with an active edge, ascending: they send and receive */
    int64_t edges;         /* active ones */
} netdp_round;

/* Realises the rounds of one variation, in any order; one reader a thread. */
typedef struct netdp_sequence netdp_sequence;

/* NETDP_INVALID for a probability out of range or a weighting that drawn graphs cannot have. */
NETDP_API NETDP_CHECK netdp_status netdp_variation_check(const netdp_mixing *mixing,
                                                         const netdp_variation *variation,
                                                         netdp_error *error);

/*
 * The variation that draws `graph` again every `span` rounds; NETDP_INVALID unless it was made of a
 * random family: erdos-renyi, geometric, barabasi-albert, regular, k-out, stochastic-block. Only `seed` of what was in *variation is kept.
 */
NETDP_API NETDP_CHECK netdp_status netdp_variation_redraw(const netdp_graph *graph, int64_t span,
                                                          netdp_variation *variation,
                                                          netdp_error *error);

/* One neighbour a round, in turn; NETDP_INVALID unless `graph` is a hypercube, numbered as such: then as
 * many rounds as it has dimensions leave the mean everywhere. Only `seed` is kept. */
NETDP_API NETDP_CHECK netdp_status netdp_variation_one_peer(const netdp_graph *graph,
                                                            netdp_variation *variation,
                                                            netdp_error *error);

/* "P" (nodes), "edges:P", "late:P" or "revealed:P" with 0 <= P < 1; sets kind and `missing`, and
 * nothing where P is 0. */
NETDP_API NETDP_CHECK netdp_status netdp_variation_dropout(const char *text,
                                                           netdp_variation *variation,
                                                           netdp_error *error);

/* living [nodes]: who has not failed for good; *count of them (may be NULL). All but for
 * NETDP_VARY_LATE. */
NETDP_API NETDP_CHECK netdp_status netdp_variation_living(const netdp_mixing *mixing,
                                                          const netdp_variation *variation,
                                                          bool *living, int32_t *count,
                                                          netdp_error *error);

/*
 * 1 - lambda_2(E W_t) of one edge a round, from the spectrum of W: half of what paper C prints
 * (errata 16).
 */
NETDP_API double netdp_variation_edge_gap(const netdp_mixing *mixing,
                                          const netdp_spectrum *spectrum);

/* Refers to `mixing`, which must outlive it. */
NETDP_API NETDP_CHECK netdp_status netdp_sequence_new(const netdp_mixing *mixing,
                                                      const netdp_variation *variation,
                                                      netdp_sequence **sequence,
                                                      netdp_error *error);
NETDP_API void netdp_sequence_free(netdp_sequence *sequence);

/* Round t >= 0: owned by the sequence, good until its next call. Fails for want of memory only. */
NETDP_API NETDP_CHECK netdp_status netdp_sequence_round(netdp_sequence *sequence, int64_t t,
                                                        netdp_round *round, netdp_error *error);

/*
 * Transition matrices P of random walks on a graph: reversible, with a known stationary law.
 */

/* Refers to its graph, which must outlive it. */
typedef struct netdp_transition netdp_transition;

/*
 * `law`: a mixing matrix by its name ("metropolis", "lazy:0.5", ... stationary law uniform), or
 * Metropolis-Hastings: "hastings:degree" (the simple random walk), "hastings:uniform", or
 * "hastings:FILE" with one positive number a line for each node, in the order of the nodes.
 */
NETDP_API NETDP_CHECK netdp_status netdp_transition_new(const netdp_graph *graph, const char *law,
                                                        netdp_transition **transition,
                                                        netdp_error *error);

/*
 * Metropolis-Hastings towards `target` [nodes], positive and finite, of any sum, at most 1e200
 * times apart: propose a uniform neighbour j of i, accept with min(1, target_j d_i / (target_i
 * d_j)), else stay (paper B, Algorithm 1). The diagonal is exactly 0 where nothing is refused.
 */
NETDP_API NETDP_CHECK netdp_status netdp_transition_toward(const netdp_graph *graph,
                                                           const double *target,
                                                           netdp_transition **transition,
                                                           netdp_error *error);

/* NULL is fine. */
NETDP_API void netdp_transition_free(netdp_transition *transition);

/* NETDP_INVALID unless a walk reaches every node: at least 2 nodes, connected. Periodic is fine. */
NETDP_API NETDP_CHECK netdp_status netdp_transition_require(const netdp_transition *transition,
                                                            netdp_error *error);

/* P in compressed rows, each with its diagonal, columns ascending. Owned by the transition. */
NETDP_API netdp_rows netdp_transition_rows(const netdp_transition *transition);

/* pi [nodes], sum 1, all positive; pi_x P_xy = pi_y P_yx. Owned by the transition. */
NETDP_API const double *netdp_transition_stationary(const netdp_transition *transition);

/* The graph, and the name that it was made by; owned by the transition. */
NETDP_API const netdp_graph *netdp_transition_graph(const netdp_transition *transition);
NETDP_API const char *netdp_transition_name(const netdp_transition *transition);

/*
 * Communicability of pairs of nodes: the exponential of a matrix, sum_k M^k / k! (Estrada and
 * Hatano 2008; paper A, Definition 8). Dense: at most NETDP_DENSE_NODES nodes, NETDP_INVALID above;
 * 3 n^2 doubles of memory beside the result.
 */

/*
 * exp(A) of the unweighted adjacency matrix into matrix[nodes][nodes], exactly symmetric, off by
 * about 1e-15 of its largest entry. NETDP_NO_ANSWER where it overflows: then exp(W) serves.
 */
NETDP_API NETDP_CHECK netdp_status netdp_graph_communicability(const netdp_graph *graph,
                                                               double *matrix, netdp_error *error);

/* exp(W) into matrix[nodes][nodes], exactly symmetric. */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_communicability(const netdp_mixing *mixing,
                                                                double *matrix, netdp_error *error);

NETDP_END

#endif
