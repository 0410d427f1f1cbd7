/*
 * Links: one authenticated connection to each neighbour, kept up for as long as the peer runs. One
 * end of an edge dials, the other listens; who dials tries again, ever more slowly. What is sent over
 * a link that breaks is gone: whoever sends says it again (exchange.c).
 *
 * Who has not knocked as a neighbour stays outside (door.h); of each neighbour two handshakes are under way at most.
 */
#ifndef NETDP_I_TRANSPORT_H
#define NETDP_I_TRANSPORT_H

#include <uv.h>

#include "peer/link/frame.h"
#include "peer/link/tls.h"

typedef struct netdp_i_transport netdp_i_transport;

/* A member's public key. */
typedef uint8_t netdp_i_public[32];

/* An edge of this peer. */
typedef struct netdp_i_link {
    int32_t neighbour;   /* its index in the roster */
    bool dials;          /* this end does */
    const char *address; /* "host:port", borrowed; NULL where the other dials */
    bool relayed;        /* a relay is there, both ends dial it, and this names their link to it: */
    uint8_t token[32];
} netdp_i_link;

typedef struct netdp_i_transport_hooks {
    void *context;
    /* A link is up, and nothing has been said on it: send a hello. */
    void (*up)(void *context, int32_t link);
    /* A frame came, `bytes` as they were sent; a hello is the first. Not NOTHING: the link goes. */
    netdp_i_refusal (*frame)(void *context, int32_t link, const netdp_i_message *message,
                             const uint8_t *bytes, size_t size);
    void (*down)(void *context, int32_t link);
    /* Somebody was refused: the link, or -1 where he is none's; from where; nothing that he said. */
    void (*refused)(void *context, int32_t link, netdp_i_refusal why, const char *from);
    /* One more connection of this link begins, whoever dials. False: not now. NULL: always. */
    bool (*begins)(void *context, int32_t link);
} netdp_i_transport_hooks;

typedef struct netdp_i_transport_plan {
    uv_loop_t *loop;
    const uint8_t *seed;       /* [32] secret of this peer's key */
    int32_t nodes, self;       /* members of the roster, and which one this peer is */
    const netdp_i_public *key; /* [nodes] of the roster; copied */
    const char *listen;        /* "host:port", or NULL: this peer only dials */
    int32_t links;
    const netdp_i_link *link; /* [links], borrowed */
    uint32_t width;           /* numbers of a vector */
    int64_t certificate;      /* seconds that it is valid; 0: 10 days */
    uint64_t patience;        /* ms of a handshake, and of a hello */
    netdp_i_transport_hooks hooks;
} netdp_i_transport_plan;

/* Listens and begins to dial. NETDP_ENVIRONMENT: the address cannot be had. */
netdp_status netdp_i_transport_new(const netdp_i_transport_plan *plan,
                                   netdp_i_transport **transport, netdp_error *error);

/* The port that it listens on, for an address with port 0. */
int netdp_i_transport_port(const netdp_i_transport *transport);

/* Whole frames, in order. False: the link is down, and nothing of it was or will be sent. */
bool netdp_i_transport_send(netdp_i_transport *transport, int32_t link, const uint8_t *bytes,
                            size_t size);

/* Nothing waits to be sent on any link. */
bool netdp_i_transport_flushed(const netdp_i_transport *transport);

/* Handshakes that came about, and bytes of frames, for the metrics. */
typedef struct netdp_i_transport_counts {
    uint64_t handshakes, sent, received;
} netdp_i_transport_counts;
netdp_i_transport_counts netdp_i_transport_count(const netdp_i_transport *transport);

/* Ends everything; the memory goes when the loop has closed its handles: run it until then. */
void netdp_i_transport_close(netdp_i_transport *transport);

#endif
