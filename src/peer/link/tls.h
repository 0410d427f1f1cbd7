/*
 * TLS between peers: version 1.3, both sides with a certificate that holds the roster's Ed25519 key
 * and is signed by it, and no authority anywhere. A certificate is made anew whenever a peer starts;
 * what is believed of one is its key, and that it is valid now.
 */
#ifndef NETDP_I_TLS_H
#define NETDP_I_TLS_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>
#include <openssl/ssl.h>

#include "peer/link/refusal.h"

/* Whoever sets up a connection; its handshake asks him. */
typedef struct netdp_i_tls_party {
    /* May the holder of this key connect: NOTHING, or why not? `valid`: his certificate is, now. */
    netdp_i_refusal (*judge)(struct netdp_i_tls_party *party, const uint8_t key[32], bool valid);
    bool settled; /* the handshake is over: what TLS says to itself after it */
    int strays;   /* is counted here (key updates, tickets): peers send none */
} netdp_i_tls_party;

/*
 * One context for all connections of the peer whose Ed25519 secret is `seed`. Its certificate is
 * valid from an hour before now until `seconds` from now (tests: in the past).
 */
netdp_status netdp_i_tls_new(const uint8_t seed[32], int64_t seconds, SSL_CTX **tls,
                             netdp_error *error);

/* A connection over the socket, its handshake to come. NULL: no memory. */
SSL *netdp_i_tls_begin(SSL_CTX *tls, int socket, bool dials, netdp_i_tls_party *party);

#endif
