/*
 * A blind relay: two peers that can both only dial meet at a third place. Each says first which link it
 * comes for and from which end; from then on the bytes of one go to the other. They are TLS between the
 * two: the relay has no key, and sees who meets, when, and how much.
 */
#ifndef NETDP_I_RELAY_H
#define NETDP_I_RELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <uv.h>
#include <netdp/status.h>

enum {
    NETDP_I_RELAY_TOKEN = 32, /* bytes that name a link */
    NETDP_I_RELAY_HELLO = 8 + NETDP_I_RELAY_TOKEN,
};

/* What a peer says first: of the link's two ends, the lower number's or the other. */
void netdp_i_relay_hello(const uint8_t token[NETDP_I_RELAY_TOKEN], bool lower,
                         uint8_t bytes[NETDP_I_RELAY_HELLO]);

typedef struct netdp_i_relay netdp_i_relay;

typedef struct netdp_i_relay_plan {
    uv_loop_t *loop;
    const char *listen; /* "HOST:PORT" */
    /* At once, at most half of the open files that the system allows; of those who wait the oldest goes when another comes. */
    int64_t connections;
    int64_t bytes; /* of two who met, both ways; then they are cut, and may meet again; 0: any */
    int64_t idle;  /* seconds without a byte */
    FILE *log;     /* NULL: none */
} netdp_i_relay_plan;

/* NETDP_ENVIRONMENT: the address cannot be had. */
netdp_status netdp_i_relay_new(const netdp_i_relay_plan *plan, netdp_i_relay **relay,
                               netdp_error *error);

/* Ends everything; the memory goes when the loop has closed its handles: run it until then. */
void netdp_i_relay_close(netdp_i_relay *relay);

#endif
