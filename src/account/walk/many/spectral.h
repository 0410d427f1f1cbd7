/*
 * Laws of a node's visits between those of an observer, for all nodes of a walk at once: from the
 * eigenvectors of P, which is reversible (docs/proofs/excursion.md, all pairs). Within a piece time
 * is in the bins of a grid; from piece to piece it is told by transforms at given points.
 */
#ifndef NETDP_I_SPECTRAL_H
#define NETDP_I_SPECTRAL_H

#include <netdp/protocol.h>

#include "account/walk/many/contour.h"
#include "account/walk/time_grid.h"
#include "base/pool.h"

/* Sources that are worked on together. */
enum { NETDP_I_SPECTRAL_WIDTH = 16 };

/* Shared by all threads. */
typedef struct netdp_i_spectral {
    netdp_rows rows;
    const double *pi;
    const netdp_i_time_grid *grid;
    int32_t nodes;
    int32_t points; /* of the contour, then those asked for */
    int32_t exact;  /* bins whose steps, 1 .. steps, are followed one by one */
    int64_t steps;
    netdp_i_contour contour; /* for the other bins; none: no points */
    int32_t asked;
    const double _Complex *z; /* [points] */
    double *vectors, *values; /* of D^{1/2} P D^{-1/2}; vector k at vectors + k nodes */
    double *returns;          /* [steps + 1][nodes]: (P^t)_uu */
    double _Complex *self;    /* [points][nodes]: its transform */
    double _Complex *start;   /* [asked][nodes]: of first arrivals at u; NULL: from the observer */
    netdp_i_pool pool;
} netdp_i_spectral;

/* NETDP_NO_ANSWER where the spectrum is none that the contour can go around. */
netdp_status netdp_i_spectral_new(const netdp_token *token, const netdp_i_time_grid *grid,
                                  const double _Complex *asked, int32_t count,
                                  netdp_i_spectral **spectral, netdp_error *error);
void netdp_i_spectral_free(netdp_i_spectral *spectral);
OWNER(netdp_i_spectral_free, netdp_i_spectral)

/* Laws of one pair; bins: those of the grid. */
typedef struct netdp_i_spectral_law {
    double *again, *exits, *first; /* [bins]: Phi_uu, Phi_uv, and u allowed on the way */
    const double *each[3];         /* the same at step t <= steps: each[i][t stride] */
    int64_t stride;
    double excess;                  /* by which they may add up to more than 1 */
    double _Complex *found, *start; /* [asked]: transforms of arrivals at u, from v and the start */
} netdp_i_spectral_law;

/* One thread's, of one observer and of WIDTH sources. */
typedef struct netdp_i_spectral_room {
    const netdp_i_spectral *shared;
    int32_t observer;
    double *scaled,
        *column;      /* [2 points][nodes]: its row of the vectors; (P^t)_uv made symmetric */
    double *arrivals; /* [steps + 1][nodes]: (P^t)_uv */
    double *first, *again, *exits, *inverse, *walked; /* the same size each */
    double *transform, *below;                        /* [3][..][WIDTH] */
    netdp_i_spectral_law law[NETDP_I_SPECTRAL_WIDTH];
    netdp_i_pool pool;
} netdp_i_spectral_room;

netdp_status netdp_i_spectral_room_new(const netdp_i_spectral *spectral,
                                       netdp_i_spectral_room **room, netdp_error *error);
void netdp_i_spectral_room_free(netdp_i_spectral_room *room);
OWNER(netdp_i_spectral_room_free, netdp_i_spectral_room)

/* What all sources share of an observer. */
void netdp_i_spectral_observe(netdp_i_spectral_room *room, int32_t observer);

/* room->law of `count` sources, WIDTH at most, none of them the observer. */
void netdp_i_spectral_follow(netdp_i_spectral_room *room, const int32_t *source, int32_t count);

#endif
