/* netdp loss STUDY.yaml [VARIANT]. */
#ifndef NETDP_I_STUDY_LOSS_H
#define NETDP_I_STUDY_LOSS_H

#include "cli/common/command.h"

/* The accounts of the study that the arguments name, or of one of its variants, at the noise that it asks
 * for or that meets its target; printed, as one JSON object where the options want that. */
netdp_status netdp_i_cli_loss_study(const netdp_i_study_options *options,
                                    const netdp_i_arguments *arguments, netdp_error *error);

#endif
