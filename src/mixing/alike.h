/* Networks that look the same from every node. */
#ifndef NETDP_I_ALIKE_H
#define NETDP_I_ALIKE_H

#include <math.h>
#include <netdp/mixing.h>

/*
 * Is W the same after every translation, by exclusive or of the nodes' numbers (hypercubes), round
 * a ring, or round a torus? Then what is said of one node's view holds for every node's. False
 * where none of these shows it.
 */
bool netdp_i_rows_alike(netdp_rows rows);

/* Weights are quotients: equal ones differ by rounding. */
static inline bool netdp_i_weights_equal(double a, double b)
{
    return fabs(a - b) <= 1e-14 * fabs(b);
}

#endif
