/* The least noise at which a decreasing guarantee meets its target. */
#ifndef NETDP_I_SEARCH_H
#define NETDP_I_SEARCH_H

#include <netdp/account.h>

/* The guarantee at sigma > 0, never below the true one. */
typedef netdp_status (*netdp_i_evaluate)(void *context, double sigma, double *value,
                                         netdp_error *error);

/* NETDP_INVALID unless epsilon and max_noise are above 0 and the unit is an epsilon. */
netdp_status netdp_i_check_target(const netdp_target *target, netdp_error *error);

/*
 * A sigma that meets the (finite) target, within `close_enough` parts below it where the guarantee
 * is continuous. NETDP_NO_ANSWER where the target's max_noise is not enough. `evaluate` was last
 * called somewhere near, not always at it.
 */
netdp_status netdp_i_search_noise(netdp_i_evaluate evaluate, void *context,
                                  const netdp_target *target, double close_enough, double *sigma,
                                  netdp_error *error);

/* Who accounts for a calibration, as netdp_losses_new. */
typedef netdp_status (*netdp_i_accountant)(const netdp_loss_request *request,
                                           const netdp_progress *progress, netdp_losses **losses,
                                           netdp_error *error);

/* netdp_calibrate by that accountant. */
netdp_status netdp_i_calibrate(const netdp_loss_request *request, const netdp_target *target,
                               netdp_i_accountant accountant, const netdp_progress *progress,
                               netdp_calibration *calibrated, netdp_losses **losses,
                               netdp_error *error);

#endif
