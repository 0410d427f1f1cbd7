/* Where somebody is: "HOST:PORT", with brackets around an address of IPv6; "relay:HOST:PORT", where a
 * neighbour is met. */
#ifndef NETDP_I_ADDRESS_H
#define NETDP_I_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { NETDP_I_HOST = 256, NETDP_I_PORT = 8, NETDP_I_SOURCE_SALT = 16, NETDP_I_SOURCES = 256 };

/* A port's number in decimal, 0 to 65535, without anything beside it; -1: it is none. */
int netdp_i_port_read(const char *text);

/* False where there is no host, or no port. */
bool netdp_i_address_split(const char *text, char host[NETDP_I_HOST], char port[NETDP_I_PORT]);

/* The relay's own address; NULL: the text names none. */
const char *netdp_i_address_relay(const char *text);

/* One of NETDP_I_SOURCES classes of sources, by a secret salt; of an IPv6 address its network's: who has that has all addresses in it. */
uint8_t netdp_i_address_source(const struct sockaddr_storage *address,
                               const uint8_t salt[NETDP_I_SOURCE_SALT]);

#endif
