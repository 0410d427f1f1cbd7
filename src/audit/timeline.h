/* The network of a protocol as it was drawn, round by round. */
#ifndef NETDP_I_TIMELINE_H
#define NETDP_I_TIMELINE_H

#include <netdp/protocol.h>

typedef struct netdp_i_timeline {
    const netdp_linear *protocol;
    int32_t nodes;
    int64_t rounds;   /* 1: all rounds are alike */
    netdp_rows *rows; /* [rounds] W_t */
    bool *sends;      /* [rounds][nodes] */
    bool owned;       /* the rows are copies */
} netdp_i_timeline;

/* Refers to the protocol. */
netdp_status netdp_i_timeline_new(const netdp_linear *protocol, netdp_i_timeline *timeline,
                                  netdp_error *error);
void netdp_i_timeline_clear(netdp_i_timeline *timeline);

netdp_rows netdp_i_timeline_rows(const netdp_i_timeline *timeline, int64_t round);

/* [nodes]: who has an edge in the round. */
const bool *netdp_i_timeline_sends(const netdp_i_timeline *timeline, int64_t round);

/* Does the node contribute in the round? */
bool netdp_i_timeline_contributes(const netdp_i_timeline *timeline, int64_t round, int32_t node);

/* The standard deviation of the noise on the node's message of a round, end dithers apart. */
double netdp_i_timeline_noise(const netdp_i_timeline *timeline, int64_t round, int32_t node);

#endif
