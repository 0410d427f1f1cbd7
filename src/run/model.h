/* The model that a run learnt: model-N.json, for the experimenter alone. */
#ifndef NETDP_I_RUN_MODEL_H
#define NETDP_I_RUN_MODEL_H

#include "plan/variant.h"

/* Of the network's variant `number`, from 1; `models` [nodes][width]: the nodes' of the first run. */
netdp_status netdp_i_run_model_write(const netdp_i_variant *variant, int32_t number,
                                     const double *models, const char *folder, netdp_error *error);

#endif
