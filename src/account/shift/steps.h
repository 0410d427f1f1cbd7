/* What the dense recursion keeps of each round (dense.c), to be followed forward (follow.c). */
#ifndef NETDP_I_SHIFT_STEPS_H
#define NETDP_I_SHIFT_STEPS_H

#include "account/shift/pairs.h"

/*
 * One round. With columns for the free nodes, the carried ones and, accelerated, the free ones again for the round before:
 * S, of which |S (a, q)|^2 is what follows of the cost but for what is seen at once; g_F = P a_F - S_F' S (a, q).
 */
typedef struct netdp_i_step {
    int32_t free, carried, behind, ties, rows; /* behind: 0, or free */
    int32_t *node;                             /* [free + carried] */
    double *spent;                             /* S, [free + carried + behind][rows] */
    double *tied; /* [ties][free]: an orthonormal basis of the tied rows; P projects them away */
    /* Of the first round instead: M = L L', of which g_F = M~ b, b = N^-1 a less `cross` of the carried. */
    double *lower; /* L, [free][free] column-major; NULL: another round */
    double *cross; /* [carried][free] */
    /*
     * Of a later round whose noise cancels in pairs: columns are for the nodes whose noise is not known, and the carried ones; what is
     * seen is in S too. g_F = -L^-T (1 - U U') cross (a_R, a_C), U `tied`; cross is [unknown + carried][free].
     */
    int32_t unknown; /* 0: another round */
    int32_t *column; /* [unknown + carried]: whose columns these are */
} netdp_i_step;

/* Whose columns S has, and how many there are, but for those of the round before. */
static inline const int32_t *netdp_i_step_columns(const netdp_i_step *step, int32_t *count)
{
    *count = (step->unknown > 0 ? step->unknown : step->free) + step->carried;
    return step->unknown > 0 ? step->column : step->node;
}

struct netdp_i_dense {
    const netdp_i_shift_problem *problem;
    netdp_i_step **round; /* [rounds]; many may be one */
    netdp_i_step *kept;   /* [rounds] */
    int64_t kept_count;
    netdp_i_shift_pairs pairs; /* of the first round */
};

/* L^-T (I - U U') L^-1 of each row of right [free][width], U `tied`, and its two halves. `room` [ties][width]. */
void netdp_i_step_first(const netdp_i_step *step, double *right, int32_t width, double *room);
void netdp_i_step_down(const netdp_i_step *step, double *right, int32_t width, double *room);
void netdp_i_step_up(const netdp_i_step *step, double *right, int32_t width);

/* x [free][width] loses what the ties' rows say. */
void netdp_i_step_untie(const netdp_i_step *step, double *x, int32_t width, double *room);

#endif
