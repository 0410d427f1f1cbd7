/* igraph, whose handlers are global: ours while its lock is held, put back afterwards. */
#ifndef NETDP_I_BORROW_H
#define NETDP_I_BORROW_H

#include <igraph.h>

typedef struct netdp_i_igraph {
    igraph_error_handler_t *errors;
    igraph_warning_handler_t *warnings;
} netdp_i_igraph;

/* Waits for the lock; nothing is printed until it is given back. `old` is for giving it back. */
void netdp_i_igraph_take(netdp_i_igraph *old);
void netdp_i_igraph_give_back(const netdp_i_igraph *old);

/*
 * Our own counter-based stream in igraph's clothes, so that all 64 bits of a seed count: the state
 * is a netdp_stream. For igraph_rng_set_default while the lock is held.
 */
extern const igraph_rng_type_t netdp_i_igraph_generator;

/* What igraph said first about the failure of a call since the lock was taken; "": nothing. */
const char *netdp_i_igraph_reason(void);

#endif
