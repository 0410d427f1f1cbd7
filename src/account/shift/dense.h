/*
 * The least displacement, by a recursion backwards on all nodes (docs/proofs/shift.md), then followed forward for every
 * source. It only finds: what a displacement proves is what netdp_i_displacement_loss says of it.
 */
#ifndef NETDP_I_SHIFT_DENSE_H
#define NETDP_I_SHIFT_DENSE_H

#include "account/losses/losses.h"
#include "account/shift/problem.h"

typedef struct netdp_i_dense netdp_i_dense;

/* NETDP_NO_ANSWER where rounding leaves a round's matrix no factor. The problem must outlive it. */
netdp_status netdp_i_dense_new(const netdp_i_shift_problem *problem, const netdp_progress *progress,
                               netdp_i_dense **dense, netdp_error *error);
void netdp_i_dense_free(netdp_i_dense *dense);

/* Fills g and c of the displacement's sources, which all contribute in the first round, the only one that takes contributions. */
netdp_status netdp_i_dense_find(const netdp_i_dense *dense, netdp_i_displacement *displacement,
                                netdp_error *error);

/*
 * One Newton step from where the displacement is, whatever it is, by v and pull as netdp_i_displacement_loss fills them.
 * gain[lanes]: about how much less it costs then.
 */
netdp_status netdp_i_dense_refine(const netdp_i_dense *dense, netdp_i_displacement *displacement,
                                  const netdp_i_moved *moved, double *gain, netdp_error *error);

/* Seconds of one core and bytes for so many sources, about, where so many nodes are hidden: known before it begins. */
void netdp_i_dense_cost(int32_t nodes, int32_t hidden, int32_t sources, int64_t rounds,
                        int64_t entries, bool accelerated, double *seconds, double *bytes);

/*
 * of->loss[i] of one contribution of of->node[i], proven: INFINITY where nothing is. Members of the observer set too get
 * a number, which says nothing.
 */
netdp_status netdp_i_shift_losses(const netdp_i_shift_problem *problem, const netdp_i_sources *of,
                                  const netdp_progress *progress, netdp_error *error);

/*
 * The story itself, of one source that is no member and contributes: fills g and c, and what they prove (INFINITY, and
 * nothing filled, where that is nothing). lanes is 1; g [rounds][nodes] and c [pair_count] are the caller's.
 */
netdp_status netdp_i_shift_story(const netdp_i_shift_problem *problem,
                                 netdp_i_displacement *displacement, double *loss,
                                 netdp_error *error);

#endif
