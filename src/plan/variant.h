/* One curve of a study: its protocol, calibrated noise and guarantee. */
#ifndef NETDP_I_VARIANT_H
#define NETDP_I_VARIANT_H

#include <netdp/protocol.h>
#include <netdp/simulate.h>

#include "plan/problem.h"
#include "plan/promise.h"
#include "question/question.h"

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
    bool laplace;                   /* central: Laplace noise, of which `noise` is the scale */
    netdp_kind kind;                /* of what it runs: one of the three, or zeros (central) */
    union {
        netdp_linear protocol; /* gossip */
        netdp_token token;     /* a walk */
        netdp_tally tally;     /* a token that sums or counts */
    };
    netdp_i_question question;    /* the study's, as this variant asks it */
    netdp_question_request as_is; /* what of it is given as it is */
    netdp_i_description
        about;              /* what it describes, of which the protocol, token or tally is a copy */
    netdp_bound bound;      /* AUTO: the usual one, which is sound */
    char why[256];          /* why a walk has not the usual bound; "": it has */
    int32_t observer_count; /* drawn or named ones; 0: all nodes */
    int32_t *observer;      /* [observer_count]; owned */
    int32_t source_count;   /* accounts: whose losses; 0: all nodes */
    int32_t *source;        /* [source_count]; owned */
    double *own;            /* [nodes] the protocol's `own`; NULL: all alike; owned */
    bool coalition;         /* the observers put together what they see */
    double predicted;       /* expected objective at the end; -1: unknown */
    double expected;        /* the noise's part of it, whatever the data; -1: unknown */
    netdp_i_promise guarantee;
} netdp_i_variant;

/* How often nodes contributed, over a walk's finished runs and all tokens of each. */
typedef struct netdp_i_contributions {
    int64_t most; /* of one node in one run */
    int64_t all;  /* of all nodes in all runs */
    double cost;  /* the most that a node's contributions of one run cost: their number, each times
                     the square of the node's scale (netdp_token_scale) */
} netdp_i_contributions;

/* Pairs: of each of `from`, towards each of `to`. */
typedef struct netdp_i_pairs_of {
    int32_t from_count, to_count;
    const int32_t *from, *to; /* lent */
} netdp_i_pairs_of;

/* What gossip, walks and tallies each do in their own way (gossip.c, walk.c, tally.c). */
typedef struct netdp_i_planning {
    const char *name; /* of the study's own variant */
    /* The description, which can run; what is auto is found by the calibration. */
    netdp_status (*describe)(netdp_i_variant *variant, netdp_error *error);
    /* The losses at the variant's noise. */
    netdp_status (*account)(netdp_i_variant *variant, const netdp_progress *progress,
                            netdp_losses **losses, netdp_error *error);
    /* The same with the noise that meets the study's target; the variant becomes the calibrated one. */
    netdp_status (*calibrate)(netdp_i_variant *variant, netdp_calibration *calibration,
                              netdp_losses **losses, const netdp_progress *progress,
                              netdp_error *error);
    /* The losses of some pairs at the noise that was found; gossip's observers tell of all sources. */
    netdp_status (*again)(const netdp_i_variant *variant, const netdp_i_pairs_of *pairs,
                          const netdp_progress *progress, netdp_losses **losses,
                          netdp_error *error);
    /* Whom it protects from whom, and what is assumed; what a unit of data is, the study says. */
    netdp_threat (*threat)(const netdp_i_variant *variant);
    /* Of a mean: `predicted` and `expected`, which are -1 before; NULL: they stay so. */
    netdp_status (*predict)(netdp_i_variant *variant, netdp_error *error);
    /* Its length as described. */
    int64_t (*rounds)(const netdp_i_variant *variant);
    /* Its noise in pairs; NULL: it has none. */
    netdp_pairing (*pairing)(const netdp_i_variant *variant);
    /* The account of all pairs, as a share of what fits into a minute of a slow core, from above. */
    double (*effort)(const netdp_i_variant *variant);
    /* Does the network look the same from all nodes, so that some of them stand for all? */
    bool (*is_alike)(const netdp_i_variant *variant);
    /* One run of a token: what it hands out goes to result [width]; NULL: the nodes run. */
    netdp_status (*simulate)(const netdp_i_variant *variant, netdp_run_seed seed,
                             netdp_tracing tracing, double *result, netdp_i_contributions *made,
                             netdp_error *error);
} netdp_i_planning;

extern const netdp_i_planning netdp_i_planning_gossip, netdp_i_planning_walk,
    netdp_i_planning_tally;

/* The one of what the variant runs; a baseline that runs nothing has gossip's. */
const netdp_i_planning *netdp_i_variant_planning(const netdp_i_variant *variant);

/* Its question, and what that describes; of what is auto something to begin with. */
netdp_status netdp_i_variant_ask(netdp_i_variant *variant, netdp_error *error);

/* What the variant runs and who observes it; its problem, study and role are there. */
netdp_status netdp_i_variant_describe(netdp_i_variant *variant, netdp_error *error);

/*
 * At the noise that meets its target, or at the study's own: `noise`, `predicted`, `guarantee`, and
 * the pairwise losses of the network's variants in `folder`.
 */
netdp_status netdp_i_variant_calibrate(netdp_i_variant *variant, const char *folder,
                                       const netdp_progress *progress, netdp_error *error);

/* The guarantee that losses at the variant's noise give; written into `folder` (NULL: they are
 * not), with proof files of the pairs that study key `proof` names. */
netdp_status netdp_i_variant_guarantee(const netdp_i_variant *variant, const netdp_losses *losses,
                                       const netdp_summary *achieved, const char *folder,
                                       const netdp_progress *progress, netdp_i_promise *promise,
                                       netdp_error *error);

/* The same towards everyone: central (no losses: one release) and local. */
netdp_i_promise netdp_i_promise_everyone(const netdp_losses *losses, double epsilon, double delta);

void netdp_i_variant_clear(netdp_i_variant *variant);

/* The unit of the study's guarantees. */
netdp_unit netdp_i_study_unit(const netdp_study *study);

/* Who shares noise that cancels; nobody where nothing cancels. */
netdp_pairing netdp_i_variant_pairing(const netdp_i_variant *variant);

/* Does a token carry its values, of a walk or a tally? */
bool netdp_i_variant_is_token(const netdp_i_variant *variant);

/* Gossip rounds, a walk's steps, a tally's passes or steps, or the central baseline's steps. */
int64_t netdp_i_variant_rounds(const netdp_i_variant *variant);

#endif
