/*
 * The checkpoint inside a simulation of gossip: every node's state in a binary file beside the JSON
 * one, with a digest. One that is torn, old or of other data counts as none: the simulation starts
 * again.
 */
#ifndef NETDP_I_RUN_STATE_H
#define NETDP_I_RUN_STATE_H

#include "plan/plan.h"
#include "simulate/gossip.h"

typedef struct netdp_i_state {
    int64_t done;        /* simulations finished before this one */
    int64_t trace_bytes; /* length of trace.csv with its rows so far */
    char trace_digest[65];
    double objective, accuracy; /* of its last row */
    netdp_i_standing at;
    void *memory; /* of `at`, where it was read; owned */
} netdp_i_state;

/* `key`: whose it is, 64 characters (netdp_i_identity). */
netdp_status netdp_i_state_write(const char *folder, const char *key,
                                 const netdp_i_variant *variant, const netdp_i_state *midway,
                                 netdp_error *error);

/* *found false: there is none, as for every walk, for this variant after `done` simulations. */
netdp_status netdp_i_state_read(const char *folder, const char *key, const netdp_i_variant *variant,
                                int64_t done, netdp_i_state *midway, bool *found,
                                netdp_error *error);

void netdp_i_state_clear(netdp_i_state *midway);
void netdp_i_state_remove(const char *folder);

#endif
