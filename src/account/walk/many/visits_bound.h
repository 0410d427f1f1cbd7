/* How many contributions of a walk are followed, at most (docs/proofs/excursion.md, all pairs). */
#ifndef NETDP_I_VISITS_BOUND_H
#define NETDP_I_VISITS_BOUND_H

#include "account/walk/many/spectral.h"

/* The least N such that a walk of so many steps is at node u more than N times with probability `lost` at most. */
double netdp_i_visits_bound(const netdp_i_spectral *spectral, int64_t steps, int32_t u,
                            double lost);

#endif
