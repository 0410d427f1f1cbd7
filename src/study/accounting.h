/* Studies of task account: every variant's pairwise losses, without data and simulation. */
#ifndef NETDP_I_ACCOUNTING_H
#define NETDP_I_ACCOUNTING_H

#include <netdp/progress.h>

#include "study/problem.h"

/* Into the opened folder; a variant that is done is kept when the work is stopped. */
netdp_status netdp_i_accounting_run(const netdp_study *study, const netdp_i_problems *problems,
                                    const char *folder, const netdp_progress *progress,
                                    netdp_error *error);

#endif
