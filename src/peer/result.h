/* What a participant has in the end, and what it cost: result.json. */
#ifndef NETDP_I_PEER_RESULT_H
#define NETDP_I_PEER_RESULT_H

#include "peer/keys.h"
#include "peer/task.h"

typedef struct netdp_i_result {
    const netdp_i_package *package;
    const netdp_i_task *task;
    const netdp_i_attempt *attempt;
    const double *state; /* [width], of the end */
    json_t *account;     /* netdp_i_result_account; borrowed; NULL of a test */
    int64_t lost;        /* vectors of neighbours that were dropped */
    bool test;           /* the noise was seeded: said first, and no guarantee is */
} netdp_i_result;

/* result.json in the folder, whole or absent. */
netdp_status netdp_i_result_write(const netdp_i_result *result, const char *folder,
                                  netdp_error *error);

/*
 * What the study costs member `self`, an object: epsilon at the terms' delta of all contributions,
 * each attempt counted, towards every observer by the account of price.h. Known before the start, and
 * the same at the end. Its proof, account.proof, is left in the folder. *worst: its largest entry of "towards", borrowed.
 */
netdp_status netdp_i_result_account(const netdp_i_package *package, int32_t self,
                                    const char *folder, json_t **account, const json_t **worst,
                                    netdp_error *error);

#endif
