/*
 * A name is looked up beside the loop, by a thread of its own. That it is over is told by the end of a pipe: to close one never
 * fails. (libuv's own threads write to wake the loop, and end the process where they cannot.)
 */
#ifndef NETDP_I_LOOKUP_H
#define NETDP_I_LOOKUP_H

#include <netdb.h>
#include <stdbool.h>
#include <uv.h>

/* `found`: for a stream, the caller's to free (freeaddrinfo); NULL: no such name. Called once, in the loop. */
typedef void (*netdp_i_found)(void *context, struct addrinfo *found);

/* False: no memory, thread or pipe; nothing is called then. The loop runs until it is over. */
bool netdp_i_lookup(uv_loop_t *loop, const char *host, const char *port, netdp_i_found found,
                    void *context);

#endif
