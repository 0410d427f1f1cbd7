/*
 * How well a crowd hides one randomised contribution, computed in balls: the privacy blanket of
 * L-ary randomised response and the clones of any local randomiser.
 */
#ifndef NETDP_I_CROWD_H
#define NETDP_I_CROWD_H

#include <stdint.h>

/* levels >= 2: randomised response over so many (the blanket). 0: any randomiser (clones). */
typedef struct netdp_i_crowd {
    double epsilon0; /* of one contribution, in (0, 60] */
    int64_t size;    /* contributions, that of the person asked about included, >= 1 */
    int64_t levels;
} netdp_i_crowd;

/* delta at epsilon in [0, epsilon0], an upper bound. About 20 ms; in a small crowd below one. */
double netdp_i_crowd_delta(const netdp_i_crowd *crowd, double epsilon);

#endif
