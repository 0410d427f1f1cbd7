/*
 * What is gained by each contribution of a walk of random length, z^{C_k} - z^{C_(k-1)}, at one point of its
 * transforms in time and in the mean over the length (long_walk.h), for all lanes.
 */
#ifndef NETDP_I_GAINED_H
#define NETDP_I_GAINED_H

#include "account/walk/mixture/random_length.h"
#include "account/walk/mixture/runs.h"

/* Made by long_walk.c. */
typedef struct netdp_i_long_walk {
    const netdp_i_time_grid *grid;
    netdp_i_runs runs;
    bool goes_on;                  /* longer runs do, by their gaps alone; else they are lost */
    double overflow;               /* P(a longer run) where they are lost, from above */
    netdp_i_random_length *length; /* NULL: not set yet */
    int64_t count;                 /* contributions that count; 0: all */
    int32_t members;
    bool rough;
    bool from_end; /* it is released, and followed back */
    double share;  /* from_end: P(at u), at any step */
    double fading;
    double *law;   /* [1 + members][times]: first arrivals from the start and from each member */
    double *stays; /* [members][times], from_end: P(from each member, not at u before that step) */
    double excess; /* by which masses may add up to more than 1 */
    double *power; /* [2 points][bins]: z^tau, real and imaginary parts */
    double _Complex *start; /* [points] */
    double _Complex *found; /* [members][points] */
    double _Complex *stay;  /* [members][points] */
    double _Complex *again; /* [points]: of the gaps, without costs */
    double _Complex *plain; /* [leaves of runs][their rows][points] */
    double _Complex *first; /* [leaves of runs][points]: of runs of one contribution */
    double *transform;      /* [leaves of runs][their rows][2 points][2 LANES] */
    double *gap;            /* [2 points][2 LANES] */
    netdp_i_lanes *room;    /* of one point */
    netdp_i_pool rooms;     /* of the random length: from power on */
} netdp_i_long_walk;

/* What is asked for: gains, or what they are made of. */
typedef struct netdp_i_gained_asked {
    double scale; /* a contribution counts so many times */
    double mass;  /* so do all masses, those without costs too */
    double sign;  /* of what runs would be without costs: -1, or 1 for a sum without signs */
} netdp_i_gained_asked;

/* At the first point, where no transform is more in modulus. walk->room is scratch, here and below. */
netdp_i_lanes netdp_i_gained_first(const netdp_i_long_walk *walk, netdp_i_gained_asked how);

/* The mean over the length. */
netdp_i_lanes netdp_i_gained_mean(const netdp_i_long_walk *walk, netdp_i_gained_asked how);

/* Do the sums over all contributions have an end at the first point, of masses that count so many times? */
bool netdp_i_gained_end(const netdp_i_long_walk *walk, double mass, int lane);

#endif
