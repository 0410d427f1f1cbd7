/* What the keys of a study must be together, where no single key can say. */
#ifndef NETDP_I_STUDY_CHECK_H
#define NETDP_I_STUDY_CHECK_H

#include "study/reading.h"

/* `whole`: the study with its own figure and sweep, not one of its variants. */
netdp_status netdp_i_study_check(const netdp_i_reading *from, bool whole, netdp_error *error);

/* A model of the participants' own: netdp knows how long its gradients are and may be, and no data. */
netdp_status netdp_i_own_check(const netdp_i_reading *from, netdp_error *error);

/* Of a model that netdp learns: who holds which labels, and what a step is made of. */
netdp_status netdp_i_steps_check(const netdp_i_reading *from, netdp_error *error);

#endif
