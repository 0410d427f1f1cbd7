/*
 * Laws of one node's visits between those of one observer on a long walk: step by step at first, then
 * in blocks of steps that grow, each block's mass at its first step (docs/proofs/excursion.md, far
 * laws). It takes hardly longer for a longer walk.
 */
#ifndef NETDP_I_FAR_LAWS_H
#define NETDP_I_FAR_LAWS_H

#include <netdp/protocol.h>

#include "account/walk/first_returns.h"

/*
 * Fills a plain hunt's laws, raised by what they may be off, for u as v hunts it. *made is false where the
 * spectrum is none for it.
 */
netdp_status netdp_i_far_laws(const netdp_token *token, int32_t u, int32_t v, netdp_i_returns *hunt,
                              bool *made, netdp_error *error);

#endif
