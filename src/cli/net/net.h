/* The commands of netdp net; init.c, invite.c, relay.c and run.c have them. */
#ifndef NETDP_I_CLI_NET_H
#define NETDP_I_CLI_NET_H

#include <netdp/status.h>

netdp_status netdp_i_net_init(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_net_invite(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_net_join(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_net_relay(int argc, const char **argv, netdp_error *error);

#endif
