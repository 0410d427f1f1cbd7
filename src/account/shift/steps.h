/* What the dense recursion keeps of each round (dense.c), to be followed forward (follow.c). */
#ifndef NETDP_I_SHIFT_STEPS_H
#define NETDP_I_SHIFT_STEPS_H

#include "account/shift/dense.h"
#include "account/shift/pairs.h"

/* One round's part of the recursion, kept for the ways forward. */
typedef struct netdp_i_step {
    int32_t free, carried, ties;
    int32_t *node;  /* [free + carried] */
    double *lower;  /* L, [free][free] column-major */
    double *tied;   /* U, [free][ties] column-major */
    double *cross;  /* X_FC, [carried][free] */
    double *behind; /* of accelerated rounds: X of (g_F, q), [free][free] column-major */
} netdp_i_step;

struct netdp_i_dense {
    const netdp_i_shift_problem *problem;
    netdp_i_step **round; /* [rounds]; many may be one */
    netdp_i_step *kept;   /* [rounds] */
    int64_t kept_count;
    netdp_i_pairs pairs; /* of the first round */
};

/* right [width][free] column-major, each of its rows a right side: M~ of them. `room` [width][ties]. */
void netdp_i_step_inverse(const netdp_i_step *step, double *right, int32_t width, double *room);

#endif
