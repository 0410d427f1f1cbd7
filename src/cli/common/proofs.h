/* netdp loss --proof: proof files of the pairs that were asked for. */
#ifndef NETDP_I_CLI_PROOFS_H
#define NETDP_I_CLI_PROOFS_H

#include "account/losses/losses.h"
#include "cli/common/describe.h"

typedef struct netdp_i_proofs {
    const char *folder; /* NULL: none are asked for */
    const char *which;  /* "worst", "all", "K:SEED"; NULL: worst */
    int64_t drawn;      /* read: -1 of all, else beside the worst pair */
    uint64_t seed;
} netdp_i_proofs;

/* Before the account: which pairs, and whether there are proof files of such protocols at all. */
netdp_status netdp_i_proofs_read(netdp_i_proofs *proofs, const netdp_i_description *description,
                                 netdp_error *error);

/* After it: says their sizes on standard error, then writes FROM-TO.proof for each pair. */
netdp_status netdp_i_proofs_write(const netdp_i_proofs *proofs,
                                  const netdp_i_description *description,
                                  const netdp_losses *losses, const netdp_summary *summary,
                                  double noise, netdp_unit unit, netdp_error *error);

#endif
