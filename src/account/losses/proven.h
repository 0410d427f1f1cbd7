/* Which pairs have a proof file. */
#ifndef NETDP_I_PROVEN_H
#define NETDP_I_PROVEN_H

#include "account/losses/losses.h"

/* Is the text one of study key `proof`? *drawn: beside the worst pair; -1: all, -2: no proofs. */
bool netdp_i_proof_read(const char *text, int64_t *drawn);

/* chosen[to][from]: the worst pair, and `drawn` others (-1: all). How many that are. */
int64_t netdp_i_proof_pairs(const netdp_losses *losses, const netdp_summary *summary, int64_t drawn,
                            uint64_t seed, bool *chosen);

#endif
