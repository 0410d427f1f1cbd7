/* The least of the bounds that hold for a walk to which every node contributes once. */
#ifndef NETDP_I_WALK_LEAST_H
#define NETDP_I_WALK_LEAST_H

#include <netdp/account.h>
#include <netdp/protocol.h>

/* Above this many kinds of pairs no more are told apart. */
enum { NETDP_I_KINDS = 64 };

/* Borrowed, all of it. */
typedef struct netdp_i_least {
    const netdp_token *token; /* not weighted, one contribution */
    const signed char *like;  /* [to][from]: the kind of pair, each with one answer; -1: its own */
    int kinds;                /* at most NETDP_I_KINDS */
    double alpha;             /* the losses are epsilons at this Renyi order */
    double delta;             /* or, above 0, at this delta */
    double sigma;             /* above 0 */
} netdp_i_least;

/*
 * Lowers each loss to what first passage says of the pair where that is less; *lowered: of how many
 * pairs that count. Pairs of one kind are asked once, so that symmetric networks need few columns.
 */
netdp_status netdp_i_walk_least(const netdp_i_least *asked, netdp_losses *losses, int64_t *lowered,
                                const netdp_progress *progress, netdp_error *error);

#endif
