/* The text of a proof file, form 1 (docs/proof-format.md): a network, a question, and the displacements that bound it. */
#ifndef NETDP_I_SHIFT_PROOF_H
#define NETDP_I_SHIFT_PROOF_H

#include <stdio.h>
#include <netdp/account.h>

#include "account/shift/problem.h"

/* The displacement of one run of rounds, with the problem that it belongs to. */
typedef struct netdp_i_story {
    netdp_i_shift_problem problem;
    netdp_i_displacement
        of; /* of one lane, or of a stream's contributions; g NULL: no message moves, pairs' noise alone */
    double loss; /* what it proves */
} netdp_i_story;

/* What a file claims. */
typedef struct netdp_i_proof_claims {
    double loss;
    netdp_unit unit; /* and this value in a unit at a noise; NETDP_AS_LOSS: nothing else */
    double value, noise;
} netdp_i_proof_claims;

/* The value of a loss: at decimals of the unit's parameter and of the noise that may lie on either side of them. */
netdp_status netdp_i_proof_claim(double loss, netdp_unit unit, double noise,
                                 netdp_i_proof_claims *claims, netdp_error *error);
void netdp_i_proof_claims_write(const netdp_i_proof_claims *claims, FILE *to);

typedef struct netdp_i_proof {
    const netdp_linear *protocol;
    const netdp_i_shift_view *view; /* of the first phase */
    bool everything;                /* instead of what the view sees */
    int32_t source;
    int64_t phases,
        parts;         /* learning: how many, and in how many the source takes part; 0: averaging */
    double weight;     /* the loss is times this, (0, 1] */
    bool row;          /* one record is what is protected */
    const char *bound; /* of a stream's contributions: abs-sum or dual; NULL: there is one */
    const double *y;   /* [slots]: dual's diagonal, else NULL */
    int32_t stories;   /* 1, or one for each phase */
    const netdp_i_story *story;
    netdp_i_proof_claims claims;
} netdp_i_proof;

/* NETDP_INVALID where form 1 has no words for the protocol. */
netdp_status netdp_i_proof_check(const netdp_linear *protocol, netdp_error *error);

/* Errors of writing show at the stream. A file: a head, a question or more of the same network and noise, "end". */
void netdp_i_proof_head(const netdp_i_proof *proof, FILE *to);
void netdp_i_proof_question(const netdp_i_proof *proof, FILE *to);
void netdp_i_proof_end(FILE *to);

/* Bytes at most, about. */
double netdp_i_proof_bytes(const netdp_linear *protocol, int64_t rounds, int64_t stories);

#endif
