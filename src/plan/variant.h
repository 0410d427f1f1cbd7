/* One curve of a study: its protocol, calibrated noise and guarantee. */
#ifndef NETDP_I_VARIANT_H
#define NETDP_I_VARIANT_H

#include <netdp/protocol.h>

#include "plan/problem.h"
#include "plan/promise.h"

typedef enum netdp_i_variant_role {
    NETDP_I_CENTRAL, /* the baseline of a trusted aggregator */
    NETDP_I_LOCAL,   /* the study's protocol, accounted for as if every message were public */
    NETDP_I_NETWORK, /* the protocol of the study, or of one of its variants */
} netdp_i_variant_role;

typedef struct netdp_i_variant {
    netdp_i_variant_role role;
    const char *name;               /* lent by the study */
    const netdp_study *study;       /* the study, or the variant's own; lent */
    const netdp_i_problem *problem; /* lent */
    char losses[16];                /* of the network: its pairwise losses' file, no ending */
    double noise;                   /* in units of Delta */
    netdp_linear protocol;          /* gossip */
    double *quiet;                  /* the factor of noise correlated over phases; NULL: fresh */
    netdp_graph *pairs; /* who shares noise that cancels; NULL: nobody, or the problem's; owned */
    netdp_token token;  /* a walk; law NULL: none */
    netdp_tally tally;  /* a token that sums or counts; nodes 0: none */
    netdp_bound bound;  /* AUTO: the usual one, which is sound */
    char why[256];      /* why a walk has not the usual bound; "": it has */
    int32_t observer_count; /* drawn or named ones; 0: all nodes */
    int32_t *observer;      /* [observer_count]; owned */
    int32_t source_count;   /* accounts: whose losses; 0: all nodes */
    int32_t *source;        /* [source_count]; owned */
    double *pattern;        /* accounts: the contributions, NULL: the worst; owned */
    double predicted;       /* expected objective at the end; -1: unknown */
    double expected;        /* the noise's part of it, whatever the data; -1: unknown */
    netdp_i_promise guarantee;
} netdp_i_variant;

/* What the variant runs and who observes it; its problem, study and role are there. */
netdp_status netdp_i_variant_describe(netdp_i_variant *variant, netdp_error *error);

/*
 * At the noise that meets its target, or at the study's own: `noise`, `predicted`, `guarantee`, and
 * the pairwise losses of the network's variants in `folder`.
 */
netdp_status netdp_i_variant_calibrate(netdp_i_variant *variant, const char *folder,
                                       const netdp_progress *progress, netdp_error *error);

/* What gossip is accounted for by, at any noise. */
netdp_loss_request netdp_i_variant_ask(const netdp_i_variant *variant);

/* The guarantee that losses at the variant's noise give; written into `folder` (NULL: they are
 * not). */
netdp_status netdp_i_variant_guarantee(const netdp_i_variant *variant, const netdp_losses *losses,
                                       const netdp_summary *achieved, const char *folder,
                                       netdp_i_promise *promise, netdp_error *error);

void netdp_i_variant_clear(netdp_i_variant *variant);

/* The unit of the study's guarantees. */
netdp_unit netdp_i_study_unit(const netdp_study *study);

/* Does a token carry its values, of a walk or a tally? */
bool netdp_i_variant_is_token(const netdp_i_variant *variant);

/* Gossip rounds, a walk's steps, a tally's passes or steps, or the central baseline's steps. */
int64_t netdp_i_variant_rounds(const netdp_i_variant *variant);

#endif
