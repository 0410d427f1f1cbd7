/*
 * E e^{theta C} for one pair at several real theta at once, C what the path of a walk of random
 * length costs, which is never shorter than the walk asked about but with a known probability
 * (docs/proofs/excursion.md, all pairs).
 */
#ifndef NETDP_I_TILTS_H
#define NETDP_I_TILTS_H

#include "account/walk/many/spectral.h"

/* Values of theta, the first of them 0. */
enum { NETDP_I_TILTS = 16 };

/* Contributions that are followed, at most. */
enum { NETDP_I_TILTS_COUNT = 256 };

/* One register, or two. */
typedef double netdp_i_eight __attribute__((vector_size(64), aligned(8), may_alias));

typedef struct netdp_i_tilt_lanes {
    netdp_i_eight of[NETDP_I_TILTS / 8];
} netdp_i_tilt_lanes;

/* Shared by all threads. */
typedef struct netdp_i_tilts {
    const netdp_i_time_grid *grid;
    int64_t count; /* contributions that count, at most */
    double theta[NETDP_I_TILTS];
    int32_t exact;               /* bins whose steps are told apart */
    netdp_i_tilt_lanes *step;    /* [steps + 1]: of a cost alone, in exact bins */
    netdp_i_tilt_lanes *alone;   /* [bins]: at their least number of steps */
    netdp_i_tilt_lanes *among;   /* [count][bins]: of contribution number so and so */
    int32_t *split;              /* [count][bins]: gaps below are dearer than the way to the end */
    int32_t points, places;      /* of transforms; bins that are told apart by them */
    int32_t *place;              /* [bins] */
    double _Complex *z, *weight; /* [points] */
    double *power;               /* [2 points][places]: z^tau, real and imaginary parts */
    double survives;             /* P(the random length is at least the walk's) */
    double left_out;             /* of the transforms beyond the last point, at most */
} netdp_i_tilts;

/* The points for `netdp_i_spectral_new`; *tilts has the rest after netdp_i_tilts_set. */
netdp_status netdp_i_tilts_new(const netdp_i_time_grid *grid, netdp_i_tilts **tilts,
                               netdp_error *error);
netdp_status netdp_i_tilts_set(netdp_i_tilts *tilts, const netdp_i_spectral *spectral,
                               int64_t count, int32_t tokens, double rate, netdp_error *error);
void netdp_i_tilts_free(netdp_i_tilts *tilts);

typedef struct netdp_i_tilts_room netdp_i_tilts_room;

netdp_status netdp_i_tilts_room_new(const netdp_i_tilts *tilts, netdp_i_tilts_room **room,
                                    netdp_error *error);
void netdp_i_tilts_room_free(netdp_i_tilts_room *room);

/* Of a pair of which so many contributions count: mean [TILTS], and how far from each that of one law may be. */
void netdp_i_tilts_mean(netdp_i_tilts_room *room, const netdp_i_spectral_law *law, int64_t count,
                        double *mean, double *off);

#endif
