/* The accountants of the distributed engine (engine.h). */
#ifndef NETDP_I_ENGINE_LOSSES_H
#define NETDP_I_ENGINE_LOSSES_H

#include <netdp/walk.h>

#include "account/losses/losses.h"

netdp_status netdp_i_engine_losses_new(const netdp_loss_request *request,
                                       const netdp_progress *progress, netdp_losses **losses,
                                       netdp_error *error);
netdp_status netdp_i_engine_losses(const netdp_loss_request *request, netdp_i_batch_sink sink,
                                   void *context, const netdp_progress *progress,
                                   netdp_error *error);
netdp_status netdp_i_engine_walk_losses(const netdp_walk_request *request,
                                        const netdp_progress *progress, netdp_losses **losses,
                                        netdp_error *error);
netdp_status netdp_i_engine_spectrum(const netdp_mixing *mixing, netdp_spectrum *spectrum,
                                     netdp_error *error);

#endif
