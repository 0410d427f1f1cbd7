/*
 * Noise that is correlated over phases, whose states are released (docs/proofs/quiet.md): what all
 * phases together tell of the contributions of one node.
 */
#ifndef NETDP_I_ACCOUNT_QUIET_H
#define NETDP_I_ACCOUNT_QUIET_H

#include <netdp/protocol.h>

/* The spectrum of Q and the classes of phases; shared by all observers. */
typedef struct netdp_i_quiet netdp_i_quiet;

/* NETDP_INVALID where Q is singular up to rounding. `cycle` as in netdp_linear. */
netdp_status netdp_i_quiet_new(const netdp_quiet *noise, int64_t cycle, netdp_i_quiet **quiet,
                               netdp_error *error);
void netdp_i_quiet_free(netdp_i_quiet *quiet);

/* The loss of the worst pattern towards whoever sees every message, without pairs, rounded outward. */
double netdp_i_quiet_local(const netdp_i_quiet *quiet);

/* What one phase tells of the `count` nodes outside of the observer set. */
typedef struct netdp_i_told {
    int32_t count; /* >= 1 */
    /* [count][count], the lower triangle of its columns: what fresh noise would let it tell of
     * contributions of several nodes at once; overwritten. */
    double *gram;
    double *noise; /* the same of the nodes' noise in one phase, D; overwritten. NULL: I */
    double floor;  /* what is told is at most gram + floor I */
} netdp_i_told;

/* loss[i] of the worst pattern of node which[i] of them, rounded outward; INFINITY where rounding leaves none. */
netdp_status netdp_i_quiet_loss(const netdp_i_quiet *quiet, const netdp_i_told *told,
                                const int32_t *which, int32_t count, double *loss,
                                netdp_error *error);

#endif
