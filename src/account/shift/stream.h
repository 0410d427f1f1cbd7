/*
 * Several contributions of one node (docs/proofs/shift.md, "Streams"): of each a displacement of its own, over all rounds. With v^k how
 * noise moves for the k-th, the loss of contributions c is at most |sum of c_k v^k|^2 = c'Mc, M_kl = <v^k, v^l>.
 */
#ifndef NETDP_I_SHIFT_STREAM_H
#define NETDP_I_SHIFT_STREAM_H

#include "account/losses/losses.h"
#include "account/shift/dense.h"

/*
 * m [length][length], both triangles: the products of how noise moves to nearest; off[length]: how far that is from the truth, in length. Each
 * entry is a sum of at most `terms` products and sums, in any order. It may be called several times for one source: each is as true as the others.
 */
typedef struct netdp_i_shift_products {
    int32_t index; /* of->node[index] */
    int64_t terms;
    double *m;
    const double *off;
} netdp_i_shift_products;

/* `length`: of so many contributions, the slots of the problem; or more, of one that closes and is stretched. */
typedef struct netdp_i_shift_sink {
    int64_t length;
    netdp_status (*take)(void *context, const netdp_i_shift_products *products, netdp_error *error);
    void *context;
} netdp_i_shift_sink;

/* Of each of of->node that is no member; of->loss is not looked at. NETDP_NO_ANSWER as netdp_i_dense_new. */
netdp_status netdp_i_shift_stream(const netdp_i_shift_problem *problem, const netdp_i_sources *of,
                                  const netdp_i_shift_sink *sink, const netdp_progress *progress,
                                  netdp_error *error);

/* Seconds of one core and bytes for all sources, about. */
void netdp_i_shift_stream_cost(int32_t nodes, int64_t rounds, int64_t slots, int64_t entries,
                               int64_t pairs, double *seconds, double *bytes);

/* The stories themselves of one source: fills g [rounds][nodes][slots] and c, of one lane for each contribution, and hands on their products. */
netdp_status netdp_i_shift_stream_story(const netdp_i_shift_problem *problem,
                                        netdp_i_displacement *displacement,
                                        const netdp_i_shift_sink *sink, netdp_error *error);

#endif
