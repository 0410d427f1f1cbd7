/*
 * Joining one at a time: an invitation has the study and the roster so far, without a key of the one
 * who is invited; the answer has that key, made by its owner and signed with itself. Nobody else's
 * keys or folders change.
 */
#ifndef NETDP_I_PEER_INVITATION_H
#define NETDP_I_PEER_INVITATION_H

#include <jansson.h>

#include "peer/keys.h"
#include "peer/package.h"

/* For the member of that name, who loses the key that it may have had. */
netdp_status netdp_i_invitation_make(netdp_i_package *package, const char *name,
                                     json_t **invitation, netdp_error *error);

/* The package as it was when the invitation was made, and who is invited. */
netdp_status netdp_i_invitation_read(const json_t *invitation, const char *path,
                                     netdp_i_package **package, int32_t *self, netdp_error *error);

/* The answer: the key, and where the member listens ("": it only dials). */
netdp_status netdp_i_answer_make(const netdp_i_package *package, int32_t self,
                                 const netdp_i_signer *signer, const char *address, json_t **answer,
                                 netdp_error *error);

/* Takes the answer's key into the package, whose study, links and terms must be those that were
 * answered to; `address`, room for 256, is where it listens. */
netdp_status netdp_i_answer_take(const json_t *answer, const char *path, netdp_i_package *package,
                                 int32_t *who, char address[256], netdp_error *error);

/* Are they the same but for keys? */
netdp_status netdp_i_package_same(const netdp_i_package *a, const netdp_i_package *b, bool *same,
                                  netdp_error *error);

#endif
