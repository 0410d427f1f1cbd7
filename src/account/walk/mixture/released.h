/* The end of a walk that is released, where it tells next to nothing of its own. */
#ifndef NETDP_I_RELEASED_H
#define NETDP_I_RELEASED_H

#include "account/walk/first_returns.h"

/*
 * *open: P(some contribution that counts is not followed by a visit of F within the walk), from above; on all
 * other paths the release costs nothing. For a prepared hunt and a cap.
 */
netdp_status netdp_i_released_open(netdp_i_returns *hunt, int64_t cap, double *open,
                                   netdp_error *error);

#endif
