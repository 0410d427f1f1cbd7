/* A claim, what was asked of it, and what came out: for netdp claim and studies of claims. */
#ifndef NETDP_I_CLAIM_ANSWER_H
#define NETDP_I_CLAIM_ANSWER_H

#include <jansson.h>
#include <netdp/claim.h>

typedef struct netdp_i_answer {
    const netdp_claim *claim;
    netdp_claim_inputs inputs; /* what it points to is lent */
    double value;              /* infinity: the claim says nothing */
    netdp_claim_truth truth;
    bool holds; /* `truth` is known; else `unknown` says why not */
    netdp_error unknown;
} netdp_i_answer;

/* Derives what nobody gave; `value`, and what holds where that can be told. */
netdp_status netdp_i_answer_find(netdp_i_answer *asked, const netdp_progress *progress,
                                 netdp_error *error);

/* Is the claim wrong for these inputs? */
bool netdp_i_answer_refuted(const netdp_i_answer *asked);

/* "yes", "NO", "partly" or "rate". */
const char *netdp_i_claim_sound(netdp_claim_sound sound);

/* netdp_claim_unit, with the order that was asked: "rdp:2". */
typedef struct netdp_i_spelled {
    char text[80];
} netdp_i_spelled;

netdp_i_spelled netdp_i_answer_unit(const netdp_i_answer *asked);

/* The row of the table; the same with inputs, value and what holds. */
json_t *netdp_i_claim_json(const netdp_claim *claim);
json_t *netdp_i_answer_json(const netdp_i_answer *asked);

#endif
