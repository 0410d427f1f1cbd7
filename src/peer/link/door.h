/*
 * Who comes in. A stranger's connection costs a socket and a few bytes, gets no answer, and waits for a short time until
 * it has sent a knock: a member's index and a code that only this member and the listener can make (X25519 of their two
 * roster keys). Before a knock holds there is neither TLS nor a line in the log for each connection. Where all places
 * are taken, the source address with the most of them loses its oldest.
 *
 * Whoever reads the line may send a knock again. That wins a place in front of TLS, which shows who holds the key.
 */
#ifndef NETDP_I_DOOR_H
#define NETDP_I_DOOR_H

#include <uv.h>
#include <netdp/status.h>

#include "peer/link/refusal.h"

enum {
    NETDP_I_KNOCK = 48,        /* bytes */
    NETDP_I_KNOCK_CODE = 32,   /* at their end */
    NETDP_I_DOOR_PLACES = 512, /* strangers at a time */
    NETDP_I_DOOR_FROM = 64,    /* bytes of an address as text */
};

/* The secret of two members, found by each from its own seed: of their keys in the roster. False: `theirs` is no key
   (a point of low order). */
bool netdp_i_knock_key(const uint8_t seed[32], const uint8_t theirs[32], uint8_t key[32]);

/* What member `dialler` sends member `listener` first. */
void netdp_i_knock_make(const uint8_t key[32], uint32_t dialler, uint32_t listener,
                        uint8_t knock[NETDP_I_KNOCK]);
/* Whose knock it claims to be, and whether it is. */
uint32_t netdp_i_knock_index(const uint8_t knock[NETDP_I_KNOCK]);
bool netdp_i_knock_holds(const uint8_t key[32], uint32_t dialler, uint32_t listener,
                         const uint8_t knock[NETDP_I_KNOCK]);

typedef struct netdp_i_door netdp_i_door;

typedef struct netdp_i_door_plan {
    uv_loop_t *loop;
    const char *listen; /* "host:port" */
    uint64_t patience;  /* ms for a knock */
    void *context;
    /* A whole knock came, from an address and its class of sources (netdp_i_address_source). NOTHING: the callee takes
       over the socket; else the door closes it. */
    netdp_i_refusal (*enter)(void *context, int socket, const uint8_t knock[NETDP_I_KNOCK],
                             const char *from, uint8_t source);
    void (*refused)(void *context, netdp_i_refusal why, const char *from);
    void (*closed)(void *context); /* the loop has no handle of it left */
} netdp_i_door_plan;

/* NETDP_ENVIRONMENT: the address cannot be had; NETDP_INVALID: it is none. */
netdp_status netdp_i_door_open(const netdp_i_door_plan *plan, netdp_i_door **door,
                               netdp_error *error);
int netdp_i_door_port(const netdp_i_door *door);

/* Calls plan.closed from the loop, once; the memory goes then. */
void netdp_i_door_close(netdp_i_door *door);

#endif
