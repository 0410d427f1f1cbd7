/* What those who look for displacements have in common (losses.c). */
#ifndef NETDP_I_SHIFT_REACH_H
#define NETDP_I_SHIFT_REACH_H

#include "account/shift/problem.h"

/* [nodes], to be freed: of whose contributions, in any round that takes them, something comes into what is seen. NULL: no memory. */
bool *netdp_i_shift_reached(const netdp_i_shift_problem *problem);

/* Where no noise is that much louder than another the recursion needs no second Newton step. */
bool netdp_i_shift_is_even(const netdp_i_shift_problem *problem);

/* Steps at most; is one that gains so much of such a loss worth it? */
enum { NETDP_I_NEWTON_STEPS = 12 };
bool netdp_i_newton_helps(double gain, double loss);

#endif
