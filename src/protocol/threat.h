/* The threat model, printed with every guarantee: as JSON and in words. */
#ifndef NETDP_I_THREAT_H
#define NETDP_I_THREAT_H

#include <jansson.h>
#include <netdp/protocol.h>

/* What adjacency and release mean, in the words of every result. */
#define NETDP_I_ADJACENCY "a node's whole data replaced"
#define NETDP_I_RELEASED "nothing at the end"

/* {"to": [..] (members NULL: "all"), "sees", "own_noise", "adjacency", "released"}; NULL: no
 * memory. */
json_t *netdp_i_threat_json(netdp_sees sees, netdp_own_noise own_noise, const int32_t *to,
                            int32_t count);

/* The same of a walk. */
json_t *netdp_i_threat_walk_json(const netdp_token *token, const int32_t *to, int32_t count);

/* What a walk releases at the end, in words. */
const char *netdp_i_threat_released(const netdp_token *token);

#define NETDP_I_WALK_SEES "the token whenever it arrives, and whom it is sent to"

/* One sentence on what an observer sees. */
const char *netdp_i_threat_words(netdp_sees sees);

#endif
