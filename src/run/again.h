/* An account that was recorded, accounted for again before anybody reads it. */
#ifndef NETDP_I_AGAIN_H
#define NETDP_I_AGAIN_H

#include <netdp/progress.h>

#include "plan/plan.h"

/*
 * A variant that was restored, with the losses that its folder holds: some pairs, always the same
 * and the worst among them, are accounted for once more at the recorded noise and may not be above
 * what is recorded; all recorded pairs must give the recorded guarantee, and that the study's
 * target. NETDP_INVALID where they do not.
 */
netdp_status netdp_i_variant_again(const netdp_i_variant *variant, const char *folder,
                                   const netdp_progress *progress, netdp_error *error);

#endif
