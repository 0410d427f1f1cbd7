/*
 * What a ledger says to others, signed with its owner's key: what was reserved and spent towards whom,
 * of which studies, and the head that goes with it.
 */
#ifndef NETDP_I_PEER_STATEMENT_H
#define NETDP_I_PEER_STATEMENT_H

#include <jansson.h>

#include "peer/ledger.h"

/* The statement at `delta`, new; `signer` is the ledger's owner (NULL: it is not signed). The whole
 * ledger is verified on the way. */
netdp_status netdp_i_statement_make(netdp_i_ledger *ledger, double delta,
                                    const netdp_i_signer *signer, json_t **statement,
                                    netdp_error *error);

/* Is it a statement, signed by the key that it names? NETDP_INVALID in one line if not. */
netdp_status netdp_i_statement_check(const json_t *statement, const char *path, netdp_error *error);

#endif
