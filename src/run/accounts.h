/* Studies of task account: every variant's pairwise losses, without data and simulation. */
#ifndef NETDP_I_RUN_ACCOUNTS_H
#define NETDP_I_RUN_ACCOUNTS_H

#include <netdp/status.h>

#include "run/record.h"

/*
 * Into the opened folder; a variant that is done is kept when the work is stopped. The digests of
 * what they leave go into `accounts`.
 */
netdp_status netdp_i_accounts_run(const netdp_study *study, const netdp_i_problems *problems,
                                  const netdp_i_identity *identity, const char *folder,
                                  const netdp_progress *progress, json_t *accounts,
                                  netdp_error *error);

#endif
