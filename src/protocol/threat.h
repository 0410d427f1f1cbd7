/* The threat model, printed with every guarantee: as JSON and in words. */
#ifndef NETDP_I_THREAT_H
#define NETDP_I_THREAT_H

#include <jansson.h>
#include <netdp/protocol.h>

/* What release means, in the words of every result; netdp_protection_words has the unit's. */
#define NETDP_I_RELEASED "nothing at the end"
#define NETDP_I_ASSUMES "nodes follow the protocol and do not collude"

/* Of gossip, where a node or one of its rows is protected, and of tokens that walk or count. */
netdp_threat netdp_i_threat_gossip(netdp_sees sees, netdp_own_noise own_noise, bool row);
netdp_threat netdp_i_threat_token(bool release);

/* {"to": [..] (members NULL: "all"), "sees", "own_noise", "adjacency", "released"}; NULL: no
 * memory. */
json_t *netdp_i_threat_json(const netdp_threat *threat, const int32_t *to, int32_t count);

#define NETDP_I_WALK_SEES "the token whenever it arrives, and whom it is sent to"

/* How a network changes, in words; NULL where it does not. */
const char *netdp_i_threat_varying(netdp_vary kind);

/* One sentence on what an observer sees. */
const char *netdp_i_threat_words(netdp_sees sees);

#endif
