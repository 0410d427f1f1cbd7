/*
 * Longer streams from the displacements of a short one (docs/proofs/shift.md, "Long streams"): where all rounds are alike, that of the
 * contribution in the middle serves all that are far from both ends.
 */
#ifndef NETDP_I_SHIFT_STRETCH_H
#define NETDP_I_SHIFT_STRETCH_H

#include "account/shift/problem.h"

/* How noise moves for the contributions of one source in a problem that closes. */
typedef struct netdp_i_short_stream {
    const netdp_i_shift_problem *problem;
    int64_t slots;   /* of the problem */
    int64_t lanes;   /* numbers of which are one behind another */
    const double *v; /* [rounds][nodes][lanes], of the first contribution on */
    const double *c; /* [slots][pair_count][lanes] */
    const double *m; /* [slots][slots]: their products */
    const double *off;
} netdp_i_short_stream;

/* to [length][length], both triangles, off[length]: of so many contributions, at least the problem's. */
netdp_status netdp_i_shift_stretch(const netdp_i_short_stream *from, int64_t length, double *to,
                                   double *off, netdp_error *error);

#endif
