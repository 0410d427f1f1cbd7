/* A text that is written like a file, and grows in memory. */
#ifndef NETDP_I_WRITTEN_H
#define NETDP_I_WRITTEN_H

#include <stddef.h>
#include <stdio.h>
#include <netdp/status.h>

/* CLEARED(netdp_i_written_clear) netdp_i_written w = {0}; */
typedef struct netdp_i_written {
    FILE *out;
    char *text; /* from netdp_i_written_end on, for GIVE, and free; a NUL is behind it */
    size_t bytes;
} netdp_i_written;

netdp_status netdp_i_written_begin(netdp_i_written *written, netdp_error *error);

/* The text is whole, or NETDP_NO_MEMORY. */
netdp_status netdp_i_written_end(netdp_i_written *written, netdp_error *error);

void netdp_i_written_clear(netdp_i_written *written);

#endif
