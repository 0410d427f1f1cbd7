/* Where participants are, what their folders hold, and what their study costs. */
#ifndef NETDP_I_CLI_NET_PLACE_H
#define NETDP_I_CLI_NET_PLACE_H

#ifdef NETDP_PEER

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>
#include <netdp/status.h>

#include "peer/package.h"

/* In NET/addresses.json: where those meet who have no address of their own; no member's name. */
#define NETDP_I_NET_MEETING "*"

/* NET/addresses.json: {"NAME": "HOST:PORT"}; not part of what is agreed on. Empty where there is none. */
netdp_status netdp_i_net_addresses(const char *net, json_t **addresses, netdp_error *error);
netdp_status netdp_i_net_addresses_write(const char *net, const json_t *addresses,
                                         netdp_error *error);

/* Borrowed; NULL: it has none. */
const char *netdp_i_net_address(const json_t *addresses, const char *name);

/* What is a participant's own. */
typedef struct netdp_i_net_own {
    const char *data; /* a CSV file, seen from its folder; NULL: data.csv */
    bool test;
    uint64_t seed; /* of a test */
} netdp_i_net_own;

/* The folder of a member whose key is in it already. */
netdp_status netdp_i_net_install(const netdp_i_package *package, const json_t *addresses,
                                 int32_t self, const char *folder, const netdp_i_net_own *of,
                                 netdp_error *error);

/* Prints what the study costs, and its name. */
netdp_status netdp_i_net_print(const netdp_i_package *package, netdp_error *error);

#endif

#endif
