/*
 * What two peers say to one another: frames, to bytes and back. No input or output here, and nothing
 * is believed: every length, field and number is checked before it is used.
 *
 * A frame is 8 bytes (its whole length, 32 bits; the version, 16; its kind, 8; zero, 8) and a body
 * whose length follows from its kind and, of vectors, from the study. Numbers are little endian,
 * vectors of IEEE doubles. A hello opens a connection, once; until it came nothing else is read.
 */
#ifndef NETDP_I_FRAME_H
#define NETDP_I_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "peer/link/refusal.h"

enum {
    NETDP_I_FRAME_VERSION = 3,
    NETDP_I_FRAME_HEAD = 8,
    NETDP_I_CLOCKS_APART = 120,     /* seconds from which on two clocks are said to differ */
    NETDP_I_FRAME_WIDEST = 1 << 24, /* numbers of a vector, whatever a study says */
};

typedef enum netdp_i_frame_kind {
    NETDP_I_FRAME_HELLO = 1,
    NETDP_I_FRAME_VECTOR,
    NETDP_I_FRAME_ACK,     /* that round of the sender's is over; the last: its result is there */
    NETDP_I_FRAME_GOODBYE, /* done, or why the other is refused */
    NETDP_I_FRAME_KEY,     /* a participant's ephemeral key for its pairs, handed on by all */
    NETDP_I_FRAME_LEDGER, /* the sender's ledger, signed: after a hello, and before each contribution */
    NETDP_I_FRAME_KINDS,
} netdp_i_frame_kind;

/* Where in a study a frame belongs. Rounds are counted through all phases, from 0; a phase begins with
 * every round that takes contributions. An attempt that is repeated begins anew. */
typedef struct netdp_i_when {
    uint32_t phase, attempt, round;
} netdp_i_when;

/* The state of a ledger: how many rows, and the digest that chains them. */
typedef struct netdp_i_ledger_head {
    uint64_t rows;
    uint8_t digest[32];
} netdp_i_ledger_head;

/* The same as its owner shows it: whoever keeps it can prove that it was so. */
typedef struct netdp_i_shown_head {
    netdp_i_ledger_head head;
    uint8_t signature[64]; /* Ed25519, of its owner's key in the roster */
} netdp_i_shown_head;

typedef struct netdp_i_hello {
    uint8_t study[32]; /* digest of the study package */
    uint32_t index;    /* of the sender in the roster */
    uint32_t nodes;    /* of the roster */
    bool test;         /* seeded noise: no real data */
    netdp_i_when at;   /* the sender needs the vectors of this place and after */
    int64_t clock;     /* what time it is at the sender's, seconds since 1970 */
    netdp_i_ledger_head ledger;
    netdp_i_shown_head yours; /* what is remembered of the receiver's; rows 0: nothing */
} netdp_i_hello;

typedef struct netdp_i_key_frame {
    uint32_t phase, attempt;
    uint32_t origin;       /* whose key it is */
    uint8_t key[32];       /* X25519 */
    uint8_t signature[64]; /* Ed25519, of the roster's key of `origin` */
} netdp_i_key_frame;

typedef struct netdp_i_message {
    netdp_i_frame_kind kind;
    uint32_t sender;     /* vector, ack */
    netdp_i_when place;  /* vector, ack */
    uint32_t width;      /* vector: as many numbers, */
    const uint8_t *raw;  /* here, in the bytes that were decoded; netdp_i_frame_numbers */
    netdp_i_refusal why; /* goodbye; NOTHING: the sender is done */
    netdp_i_hello hello;
    netdp_i_key_frame key;
    netdp_i_shown_head ledger;
} netdp_i_message;

/* What frames of a connection may be. */
typedef struct netdp_i_frame_limits {
    uint32_t nodes;
    uint32_t width; /* numbers of every vector */
    bool greeted;   /* a hello has come */
} netdp_i_frame_limits;

/* Bytes of a frame of that kind; `width` counts for vectors alone. 0: no such kind. */
size_t netdp_i_frame_size(netdp_i_frame_kind kind, uint32_t width);

/*
 * The frame that `bytes` begin with: NOTHING and *used > 0; NOTHING and *used = 0 where more bytes
 * must come first; or why it is refused. What was refused leaves *frame untouched.
 */
netdp_i_refusal netdp_i_frame_decode(const uint8_t *bytes, size_t size,
                                     const netdp_i_frame_limits *limits, netdp_i_message *frame,
                                     size_t *used);

/* The vector's numbers, all of them finite, into numbers[frame->width]. */
void netdp_i_frame_numbers(const netdp_i_message *frame, double *numbers);

/* Frames to bytes; `bytes` has room for netdp_i_frame_size of them, which is returned. */
size_t netdp_i_frame_hello(const netdp_i_hello *hello, uint8_t *bytes);
size_t netdp_i_frame_ack(uint32_t sender, netdp_i_when place, uint8_t *bytes);
size_t netdp_i_frame_goodbye(netdp_i_refusal why, uint8_t *bytes);
size_t netdp_i_frame_key(const netdp_i_key_frame *key, uint8_t *bytes);
size_t netdp_i_frame_ledger(const netdp_i_shown_head *shown, uint8_t *bytes);

/* 0, and nothing written, where a number is not finite: those never leave. */
size_t netdp_i_frame_vector(uint32_t sender, netdp_i_when place, const double *numbers,
                            uint32_t width, uint8_t *bytes);

/*
 * What is said of the other's hello: `expected` is the roster's index of the key that it
 * authenticated with, mine->yours the newest ledger that it showed.
 */
netdp_i_refusal netdp_i_hello_check(const netdp_i_hello *mine, const netdp_i_hello *theirs,
                                    uint32_t expected);

/*
 * A vector or an acknowledgement of neighbour `sender`, of whom those before `next` are there; it
 * is `ahead` rounds after that at most.
 */
netdp_i_refusal netdp_i_frame_place_check(const netdp_i_message *frame, uint32_t sender,
                                          netdp_i_when next, uint32_t ahead);

#endif
