/*
 * A certificate of a loss: a shift of the noises that hides a contribution, evaluated with outward
 * rounding (docs/proofs/shift.md). Whatever made the shift, the loss is at most the sum of
 * its squares.
 */
#ifndef NETDP_I_CERTIFICATE_H
#define NETDP_I_CERTIFICATE_H

#include <netdp/protocol.h>

#include "account/observe/filter.h"
#include "account/shift/problem.h"

/* The rounds as an observer sees them, of accelerated ones with this weight (1: of others); `end` above 0: at last all
   states are seen, under this noise. */
netdp_status netdp_i_scene_new(const netdp_linear *protocol, const netdp_i_observer *observer,
                               double weight, double end, netdp_i_shift_problem *scene,
                               netdp_error *error);

/* Do the sums that a coalition sees tell apart what hides them, to the digits of a double? */
netdp_status netdp_i_sums_resolved(const netdp_linear *protocol, const int32_t *member,
                                   int32_t members, bool *resolved, netdp_error *error);

/* A lower bound of the least singular value of the members' rows of W at the other nodes; 0: it cannot be told. */
netdp_status netdp_i_sums_apart(const netdp_linear *protocol, const int32_t *member,
                                int32_t members, double *apart, netdp_error *error);

/* loss[lanes]: what the displacements prove that shifts of the noises make, in units of each round's noise, which stand in place of g
   and give way to it. */
netdp_status netdp_i_shift_loss(const netdp_i_shift_problem *scene,
                                const netdp_i_displacement *shift, double *loss,
                                netdp_error *error);

/*
 * of->loss[i] of one contribution of of->node[i] in round 0 towards the observer, proven: the filter's own
 * shift, evaluated. The members' noise at the end is known; `end` above 0: after the
 * last round all states are seen under noise of that standard deviation, on a dense basis.
 */
netdp_status netdp_i_certified_loss(const netdp_linear *protocol, const netdp_i_basis *basis,
                                    const netdp_i_observer *observer, double end,
                                    const netdp_i_sources *of, const netdp_progress *progress,
                                    netdp_error *error);

/* Where no filter is run: the view's equations, solved at once. */
typedef struct netdp_i_solver {
    void *context;
    /*
     * Of the responses r = (left, left_end), K the view's covariance: square[lanes] = r' K^{-1} r, and K^{-1} r is added
     * to (x, x_end). left, x: [observations][lanes][seen]; the ends, of all states, [nodes][lanes], or NULL.
     */
    netdp_status (*solve)(void *context, int32_t lanes, const double *left, const double *left_end,
                          double *x, double *x_end, double *square, netdp_error *error);
} netdp_i_solver;

/* The same by such a solver, of rounds that may be accelerated: `weight` above 1. */
netdp_status netdp_i_certified_rounds(const netdp_linear *protocol, double weight,
                                      const netdp_i_observer *observer, double end,
                                      const netdp_i_solver *solver, const netdp_i_sources *of,
                                      const netdp_progress *progress, netdp_error *error);

/* One observation: whom it shows, and what it teaches. */
typedef struct netdp_i_sight {
    int32_t count;
    const int32_t *seen; /* [count] */
    netdp_i_gain gain;
} netdp_i_sight;

/* Is what comes in after the last round seen, too: an observation more? */
bool netdp_i_scene_ends(const netdp_i_shift_problem *scene);

/*
 * The same towards an observer of a network that changes, from the run of its filter in nodes' coordinates: an
 * observation a round, and one more where there is an end or a last sum. `summed`: an observer whose own noise is known in
 * sum only, as a message shows it; -1: none.
 */
netdp_status netdp_i_certified_sights(const netdp_linear *protocol,
                                      const netdp_i_shift_problem *scene, int32_t summed,
                                      const netdp_i_sight *sight, const netdp_i_sources *of,
                                      const netdp_progress *progress, netdp_error *error);

#endif
