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

/* What igraph said first about the failure of a call since the lock was taken; "": nothing. */
const char *netdp_i_igraph_reason(void);

#endif
