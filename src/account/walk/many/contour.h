/*
 * How much of a law lies at steps 1 .. t, from its transform at a few complex points: an integral
 * around the poles, which for a reversible walk are real (docs/proofs/excursion.md, all pairs).
 */
#ifndef NETDP_I_CONTOUR_H
#define NETDP_I_CONTOUR_H

#include <complex.h>
#include <stdint.h>
#include <netdp/status.h>

/* Points of one range of steps, whose last is at most so many times its first. */
enum { NETDP_I_CONTOUR_POINTS = 24, NETDP_I_CONTOUR_RATIO = 8 };

typedef struct netdp_i_contour {
    int32_t ranges, edges;
    double _Complex *z; /* [ranges][NETDP_I_CONTOUR_POINTS] */
    int32_t *first;     /* [ranges + 1]: edges of each */
    double *weight;     /* [edges][2 NETDP_I_CONTOUR_POINTS]: of real and imaginary parts */
    double off;         /* at most, of a mean of laws (1 - r) r^{t-1} */
} netdp_i_contour;

/* edge [edges]: steps t that ascend, at least two of them; r is from `least` to 1. */
netdp_status netdp_i_contour_new(const int64_t *edge, int32_t edges, double least,
                                 netdp_i_contour *contour, netdp_error *error);
void netdp_i_contour_clear(netdp_i_contour *contour);

#endif
