/*
 * Mixing matrices that change from round to round: W_0, W_1, ..., each symmetric and doubly
 * stochastic. They are drawn with a seed before the run, whatever the data are, and are public.
 */
#ifndef NETDP_SEQUENCE_H
#define NETDP_SEQUENCE_H

#include <netdp/mixing.h>

NETDP_BEGIN

/* What changes from round to round. */
typedef enum netdp_vary {
    NETDP_VARY_NEVER = 0, /* W in every round */
    NETDP_VARY_EDGE,      /* one edge a round (paper C, Algorithm 2): its ends take their mean */
    NETDP_VARY_NODES,     /* a node is away, with all its edges, with probability `missing` */
    NETDP_VARY_EDGES,     /* an edge is missing with probability `missing` */
    NETDP_VARY_GRAPH,     /* an Erdos-Renyi graph, drawn again every `span` rounds (paper C, F) */
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
    double probability; /* of an edge of a drawn graph, in [0, 1] */
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
 * The variation that draws `graph` again every `span` rounds; NETDP_INVALID unless it was made as
 * "erdos-renyi ...". Only `seed` of what was in *variation is kept.
 */
NETDP_API NETDP_CHECK netdp_status netdp_variation_redraw(const netdp_graph *graph, int64_t span,
                                                          netdp_variation *variation,
                                                          netdp_error *error);

/* "P" (nodes) or "edges:P" with 0 <= P < 1; sets kind and `missing`, and nothing where P is 0. */
NETDP_API NETDP_CHECK netdp_status netdp_variation_dropout(const char *text,
                                                           netdp_variation *variation,
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

NETDP_END

#endif
