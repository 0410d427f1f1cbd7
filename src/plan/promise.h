/* What a study promises of one variant: a guarantee with its pairs, and how it is written. */
#ifndef NETDP_I_PROMISE_H
#define NETDP_I_PROMISE_H

#include <jansson.h>

#include "account/gossip/pairs_left.h"
#include "account/losses/pairs.h"
#include "protocol/pairing.h"

typedef struct netdp_i_promise {
    netdp_guarantee is;   /* its value: the worst pair's, or everyone's */
    bool everyone;        /* the same towards everyone: no pair is told from another */
    double mean, local;   /* in the unit; local NAN: not known */
    int32_t from, to;     /* the worst pair; -1: not one pair */
    int32_t classes;      /* by distance */
    netdp_i_class *class; /* [classes], nearest first; owned */
    int32_t nodes;        /* of so many, so many were drawn; 0: none was */
    int32_t observers, sources;
    bool alike;                     /* and they stand for all */
    double confidence, low, high;   /* of an estimate: where the mean over all is; NAN: not known */
    int64_t walks;                  /* so many were drawn; 0: it is of their law */
    int32_t given_count;            /* where several bounds were asked, how often each was least */
    netdp_given given[3];           /* [given_count] */
    char why[256];                  /* why a walk has not the usual bound; "": it has */
    const char *pairs;              /* the graph of noise that cancels, lent; NULL: there is none */
    int64_t pair_count;             /* its edges */
    double kappa;                   /* of a pair */
    int32_t hidden_among, partners; /* the fewest; 0: not found */
    char says[400];                 /* the same in words */
    int64_t proofs;                 /* proof files in the folder; -1: nobody asked */
    char no_proof[200];             /* why there is none */
    bool leaves;                    /* gossip: what the rounds leave of it was asked */
    netdp_i_pairs_left left;        /* the answer */
    int64_t
        left_rounds; /* rounds, of a phase where there are some, that leave little enough; -1: not known */
    json_t *lender; /* of its texts where it was read; owned */
} netdp_i_promise;

void netdp_i_promise_clear(netdp_i_promise *promise);

/* summary.json's "guarantee", and back; false where the object is none, or memory ran out. */
json_t *netdp_i_promise_json(const netdp_i_promise *promise);
bool netdp_i_promise_read(json_t *object, netdp_i_promise *promise);

/* Is what was found again the same but for rounding? What holds may have been said not to. */
bool netdp_i_promise_same(const netdp_i_promise *held, const netdp_i_promise *again);

/* "8 drawn observers of 32 and 4 drawn sources of 32". */
void netdp_i_promise_drawn(const netdp_i_promise *promise, char text[96]);

#endif
