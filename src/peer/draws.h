/*
 * Where a participant's numbers come from: true normals of the secure generator for what leaves, or
 * the simulator's seeded streams in test mode.
 */
#ifndef NETDP_I_PEER_DRAWS_H
#define NETDP_I_PEER_DRAWS_H

#include "peer/keys.h"
#include "peer/rounds.h"
#include "peer/task.h"

typedef struct netdp_i_noise_source {
    const netdp_i_task *task;
    const netdp_i_settings *settings;
    const netdp_i_signer *signer;
    netdp_i_attempt attempt; /* its phase: of the contribution that was drawn last */
    /* for contributions, with real noise: */
    const netdp_i_ephemeral *ephemeral;
    const netdp_i_offer *offer;  /* [nodes], those of all partners there and checked */
    netdp_error *error;          /* why a draw failed */
    struct netdp_i_drawn *drawn; /* locked memory that draws need, from the first on */
} netdp_i_noise_source;

/* The draws of the drawing, borrowed. */
netdp_i_draws netdp_i_draws_of(netdp_i_noise_source *drawing);

/* Whatever could give noise of contributions again is overwritten. */
void netdp_i_draws_forget(netdp_i_noise_source *drawing);

#endif
