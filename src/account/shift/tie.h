/* Which free nodes' messages follow from those of others, so that sums stay. */
#ifndef NETDP_I_SHIFT_TIE_H
#define NETDP_I_SHIFT_TIE_H

#include "account/shift/problem.h"

/*
 * Of the observers that the tie names, keeps those whose sums say something of their own, finds a pivot for each, and
 * nearly inverts their rows there. `off` is INFINITY where no free node can take up what a sum hears.
 */
netdp_status netdp_i_tie_resolve(netdp_rows rows, const char *part, netdp_i_tie *tie,
                                 netdp_error *error);

#endif
