/*
 * A certificate of a loss: a shift of the noises that hides a contribution, evaluated with outward
 * rounding (docs/proofs/certificate.md). Whatever made the shift, the loss is at most the sum of
 * its squares.
 */
#ifndef NETDP_I_CERTIFICATE_H
#define NETDP_I_CERTIFICATE_H

#include <netdp/protocol.h>

#include "account/observe/filter.h"

/* What a node's message may do while the noises are shifted and the observer sees the same. */
typedef enum netdp_i_role {
    NETDP_I_FREE,    /* unseen, draws noise: anything, for the noise that it takes */
    NETDP_I_SEEN,    /* stays: its noise takes up what comes in */
    NETDP_I_KNOWN,   /* stays, and nothing comes in */
    NETDP_I_CARRIED, /* unseen, draws no noise: goes on as it is */
} netdp_i_role;

/* The rounds as an observer sees them. */
typedef struct netdp_i_scene {
    const netdp_linear *protocol;
    const struct netdp_i_scene *round; /* [rounds], of a network that changes: rows, role, ties */
    netdp_rows rows;                   /* of the round at hand */
    int64_t rounds;
    char *role;    /* [nodes], of the round at hand: netdp_i_role */
    double weight; /* above 1: of accelerated rounds, the second and all later ones */
    double end;    /* above 0: after the last round all states are seen, under this noise ... */
    char *exempt;  /* [nodes]: ... but of these no noise is unknown, and nothing comes in */
    /* Nodes whose next sum is seen without noise: it must stay. */
    bool tied_always;   /* in every round; else in the last one */
    int32_t tied_count; /* no two of the same row */
    int32_t *tied;      /* [tied_count] */
    double *length;     /* [tied_count]: of the row's free part */
    double *inverse;    /* [tied_count][tied_count]: nearly, of the rows' products */
    double least;       /* how nearly: 1 - |I - inverse products|; at most 0: not resolved */
    /* Noise of the first round that cancels in pairs: those that no node whose noise is known has. */
    int64_t pair_count;
    int32_t *pair; /* [pair_count][2]: who adds it, and who subtracts it */
    double pair_noise;
    int32_t
        summed; /* an observer whose own noise is known in sum only, as a message shows it; -1: none */
    int64_t *pairs_of; /* [nodes]: how many a node has */
} netdp_i_scene;

/* The view of an observer of a network that does not change. */
netdp_status netdp_i_scene_new(const netdp_linear *protocol, int64_t rounds,
                               const netdp_i_observer *observer, double end, netdp_i_scene *scene,
                               netdp_error *error);
void netdp_i_scene_clear(netdp_i_scene *scene);

/* The ties of these nodes' sums, of the scene's rows and roles. */
netdp_status netdp_i_scene_tie(netdp_i_scene *scene, const int32_t *member, int32_t members,
                               netdp_error *error);

/* The pairs of nodes whose noise is not known, by the scene's roles: what serves the first round. */
netdp_status netdp_i_scene_pair(netdp_i_scene *scene, const netdp_pairing *pairing,
                                netdp_error *error);

/* Do the sums that a coalition sees tell apart what hides them, to the digits of a double? */
netdp_status netdp_i_sums_resolved(const netdp_linear *protocol, const int32_t *member,
                                   int32_t members, bool *resolved, netdp_error *error);

/* A lower bound of the least singular value of the members' rows of W at the other nodes; 0: it cannot be told. */
netdp_status netdp_i_sums_apart(const netdp_linear *protocol, const int32_t *member,
                                int32_t members, double *apart, netdp_error *error);

/* Shifts of the free nodes' noises for a block of sources, each in units of its round's noise. */
typedef struct netdp_i_shift {
    int32_t lanes;
    const int32_t *source; /* [lanes] */
    double *noise;         /* [rounds][nodes][lanes]; ties may change it a little */
    double *pair; /* [pair_count][lanes]: what of the first round's pairs does for it; NULL: none */
} netdp_i_shift;

/*
 * loss[lanes]: an upper bound each, INFINITY where it cannot be told. `lane` below 0: all lanes in
 * doubles; else that lane alone, in long doubles.
 */
netdp_status netdp_i_shift_loss(const netdp_i_scene *scene, const netdp_i_shift *shift,
                                int32_t lane, double *loss, netdp_error *error);

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

/* The same towards an observer of a network that changes, from the run of its filter in nodes'
 * coordinates: an observation a round, and one more where the scene has an end or a last sum. */
netdp_status netdp_i_certified_sights(const netdp_i_scene *scene, const netdp_i_sight *sight,
                                      int64_t observations, const netdp_i_sources *of,
                                      const netdp_progress *progress, netdp_error *error);

#endif
