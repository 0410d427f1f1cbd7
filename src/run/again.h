/* An account that was recorded, accounted for again before anybody reads it. */
#ifndef NETDP_I_AGAIN_H
#define NETDP_I_AGAIN_H

#include <netdp/status.h>

#include "plan/plan.h"

/*
 * A variant that was restored, with the losses that its folder holds: some pairs, always the same
 * and the worst among them, are accounted for once more at the recorded noise and may not be above
 * what is recorded; all recorded pairs must give the recorded guarantee, and that the study's
 * target. NETDP_INVALID where they do not.
 */
netdp_status netdp_i_variant_again(const netdp_i_variant *variant, const char *folder,
                                   const netdp_progress *progress, netdp_error *error);

/*
 * Baselines and walks that were drawn leave no losses. A baseline is calibrated once more; of drawn
 * walks the first is followed once more, which may not lie outside of what is recorded of all, and a
 * bound before any walk is drawn is computed again.
 */
netdp_status netdp_i_baseline_again(const netdp_i_variant *variant, const char *folder,
                                    const netdp_progress *progress, netdp_error *error);
netdp_status netdp_i_realised_again(const netdp_i_variant *variant, const char *folder,
                                    const netdp_progress *progress, netdp_error *error);

#endif
