/* A word with a neighbour, before the peer runs: its hello tells what it runs, and by which clock. */
#ifndef NETDP_I_CLI_VISIT_H
#define NETDP_I_CLI_VISIT_H

#include <stdbool.h>
#include <netdp/status.h>

#include "peer/keys.h"
#include "peer/link/frame.h"

typedef struct netdp_i_visit {
    bool spoke; /* the hello is there */
    netdp_i_hello hello;
} netdp_i_visit;

/*
 * Dials the neighbour, hears its first frame, says nothing and goes, within some seconds. Not beside a running peer:
 * the neighbour would take this for its link.
 */
netdp_status netdp_i_net_visit(const netdp_i_package *package, const netdp_i_signer *signer,
                               int32_t self, int32_t neighbour, const char *address,
                               netdp_i_visit *visit);

#endif
