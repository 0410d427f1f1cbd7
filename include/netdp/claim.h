/*
 * What the five papers claim, by name: every numbered formula as a row of a table, with the inputs
 * that it needs, where it is valid, whether it is an upper bound, and what netdp's own accounts say
 * for the same inputs. Nothing here is a guarantee: those are made by netdp/account.h and
 * netdp/walk.h.
 *
 * Ownership: rows of the table are the library's, for ever. Threads: any may call.
 */
#ifndef NETDP_CLAIM_H
#define NETDP_CLAIM_H

#include <netdp/account.h>

NETDP_BEGIN

/* The inputs of formulas; netdp_inputs() says what each is. 0 ends a list of them. */
typedef enum netdp_input {
    NETDP_IN_END = 0,
    NETDP_IN_NODES,
    NETDP_IN_ROUNDS,
    NETDP_IN_INNER,
    NETDP_IN_PHASES,
    NETDP_IN_ALPHA,
    NETDP_IN_NOISE,
    NETDP_IN_EPSILON,
    NETDP_IN_DELTA,
    NETDP_IN_DELTA_COMPOSE,
    NETDP_IN_DELTA_VISITS,
    NETDP_IN_DELTA_SPOTTED,
    NETDP_IN_GAP,
    NETDP_IN_ACTIVATION,
    NETDP_IN_DEGREE,
    NETDP_IN_MEMBERS,
    NETDP_IN_PROBABILITY,
    NETDP_IN_COMMUNICATIONS,
    NETDP_IN_VARIANCE,
    NETDP_IN_DITHER,
    NETDP_IN_END_DITHER,
    NETDP_IN_OMEGA,
    NETDP_IN_CAP,
    NETDP_IN_LOOP,
    NETDP_IN_HIDDEN,
    NETDP_IN_MIXING_TIME,
    NETDP_IN_DIMENSIONS,
    NETDP_IN_CONVEXITY,
    NETDP_IN_SMOOTHNESS,
    NETDP_IN_MEAN_SMOOTHNESS,
    NETDP_IN_LEAST_SMOOTHNESS,
    NETDP_IN_LIPSCHITZ,
    NETDP_IN_DIAMETER,
    NETDP_IN_HETEROGENEITY,
    NETDP_IN_BATCH_VARIANCE,
    NETDP_IN_DISTANCE,
    NETDP_IN_LOSS,
    NETDP_IN_EXPONENT,
    NETDP_IN_ARGUMENT,
    NETDP_IN_PASSES,
    NETDP_IN_LEVELS,
    NETDP_IN_DRAWS,
    NETDP_IN_SCALE,
    NETDP_IN_SEED,
    NETDP_IN_PAIR_NOISE,
    NETDP_INPUTS,
} netdp_input;

/* What an input is, and its range. */
typedef struct netdp_input_info {
    const char *name;   /* as on the command line: "mixing-time" */
    const char *unit;   /* "rounds"; "" for a pure number */
    const char *what;   /* in one line */
    double least, most; /* the range, ends included but for the two below */
    bool above, below;  /* strictly above `least`, strictly below `most` */
    bool whole;         /* a whole number */
    bool graph;         /* netdp_claim_derive takes it from a graph where it is not given */
    double usual;       /* NAN: must be given */
} netdp_input_info;

/* [NETDP_INPUTS], indexed by netdp_input. */
NETDP_API const netdp_input_info *netdp_inputs(void);

/* An input by name, or NETDP_INVALID with the nearest. */
NETDP_API NETDP_CHECK netdp_status netdp_input_find(const char *name, netdp_input *input,
                                                    netdp_error *error);

/* What a claim is asked about. */
typedef struct netdp_claim_inputs {
    double value[NETDP_INPUTS];  /* NAN: not given */
    const netdp_mixing *mixing;  /* borrowed; NULL where there is no graph */
    const netdp_transition *law; /* borrowed: of claims on walks */
    int32_t from;                /* who is learned about; -1: not given */
    int32_t to_count;            /* who learns; more than one collude; 0: not given */
    const int32_t *to;           /* borrowed, distinct */
} netdp_claim_inputs;

/* All values NAN, no graph, no parties. */
NETDP_API void netdp_claim_inputs_init(netdp_claim_inputs *inputs);

/* What the number of a claim is. */
typedef enum netdp_claim_kind {
    NETDP_CLAIM_LOSS = 0, /* mu^2 sigma^2, as in netdp/account.h */
    NETDP_CLAIM_RDP,      /* Renyi epsilon at the order alpha */
    NETDP_CLAIM_DP,       /* epsilon at a delta */
    NETDP_CLAIM_DELTA,    /* delta at an epsilon */
    NETDP_CLAIM_NOISE,    /* standard deviation */
    NETDP_CLAIM_CHANCE,   /* probability */
    NETDP_CLAIM_ERROR,    /* half mean squared error, in units of Delta^2 */
    NETDP_CLAIM_MODEL,    /* squared distance of a model from the optimum */
    NETDP_CLAIM_EXCESS,   /* objective above its minimum */
    NETDP_CLAIM_ROUNDS,
    NETDP_CLAIM_SCALE, /* theta of the Gamma law */
    NETDP_CLAIM_SUM,   /* a number of an auxiliary lemma */
    NETDP_CLAIM_RATE,  /* up to a constant and logarithms: no number to rely on */
} netdp_claim_kind;

/* A unit of netdp/account.h ("rdp:ALPHA" for any alpha), else in words: "probability"; NULL for a
 * number that is no kind. */
NETDP_API const char *netdp_claim_unit(netdp_claim_kind kind);

/* Is the claim's number an upper bound? */
typedef enum netdp_claim_sound {
    NETDP_SOUND_NO = 0, /* there are inputs for which the truth is above it */
    NETDP_SOUND_YES,    /* an upper bound on what it speaks of, where its condition holds */
    NETDP_SOUND_PARTLY, /* for what `why` says only */
    NETDP_SOUND_RATE,   /* hides constants: neither */
} netdp_claim_sound;

/* Which graph a claim needs. */
typedef enum netdp_claim_graph {
    NETDP_CLAIM_NUMBERS = 0, /* needs numbers only; a graph may give some of them */
    NETDP_CLAIM_GOSSIP,      /* needs `mixing` */
    NETDP_CLAIM_WALK,        /* needs `law` */
} netdp_claim_graph;

/* Whom a claim needs to be named. */
typedef enum netdp_claim_parties {
    NETDP_CLAIM_NOBODY = 0,
    NETDP_CLAIM_OBSERVER,  /* `to`, one node */
    NETDP_CLAIM_PAIR,      /* `from`, and one node in `to` */
    NETDP_CLAIM_COALITION, /* `from`, and one or more nodes in `to` */
} netdp_claim_parties;

/* What holds: the truth is between the two. */
typedef struct netdp_claim_truth {
    double at_least; /* reached by an attack or an exact account; 0: none known */
    double at_most;  /* a true upper bound; infinity: none known */
} netdp_claim_truth;

/* The paper's number. */
typedef netdp_status (*netdp_claim_formula)(const netdp_claim_inputs *inputs,
                                            const netdp_progress *progress, double *value,
                                            netdp_error *error);
/* netdp's own account of the same. */
typedef netdp_status (*netdp_claim_account)(const netdp_claim_inputs *inputs,
                                            const netdp_progress *progress,
                                            netdp_claim_truth *truth, netdp_error *error);

/* A row of the table of claims. */
typedef struct netdp_claim {
    const char *name;        /* "C-corollary-1" */
    const char *paper;       /* "paper C, Corollary 1" */
    const char *statement;   /* one line */
    netdp_claim_kind kind;   /* what its number is */
    netdp_claim_sound sound; /* is it an upper bound? */
    const char *why; /* why it is none, or for what only; NULL where there is no more to say */
    int erratum;     /* its number on the page of errata; 0: none */
    const char *condition;   /* outside: infinity; NULL: wherever its inputs are in their ranges */
    netdp_claim_graph graph; /* what it needs */
    netdp_claim_parties parties; /* whom it needs */
    netdp_input inputs[14];      /* ends with NETDP_IN_END */
    netdp_claim_formula formula; /* the paper's */
    netdp_claim_account account; /* NULL: netdp has no sound counterpart */
    const char *by;              /* which account */
} netdp_claim;

/* Who wrote it, and when: "Cyffers, Bellet and Upadhyay 2024" of "paper A, ..." and of "A, Figure 1";
 * NULL where the text names none of the five. */
NETDP_API const char *netdp_claim_source(const char *paper);

/* The table, by paper and then by number; NULL from netdp_claim_count() on. */
NETDP_API size_t netdp_claim_count(void);
NETDP_API const netdp_claim *netdp_claim_at(size_t index);

/* A claim by name, or NETDP_INVALID with the nearest. */
NETDP_API NETDP_CHECK netdp_status netdp_claim_find(const char *name, const netdp_claim **claim,
                                                    netdp_error *error);

/* An input of the claim by name, or NETDP_INVALID with the nearest, or all that it takes. */
NETDP_API NETDP_CHECK netdp_status netdp_claim_input(const netdp_claim *claim, const char *name,
                                                     netdp_input *input, netdp_error *error);

/*
 * Fills what the claim needs and nobody gave: from the graph (nodes, gap, degree, ...), then the
 * usual values. NETDP_INVALID where the graph does not allow it (no gap, no coalition).
 */
NETDP_API NETDP_CHECK netdp_status netdp_claim_derive(const netdp_claim *claim,
                                                      netdp_claim_inputs *inputs,
                                                      netdp_error *error);

/* NETDP_INVALID, with what is missing and its unit, unless all inputs are there and in range. */
NETDP_API NETDP_CHECK netdp_status netdp_claim_check(const netdp_claim *claim,
                                                     const netdp_claim_inputs *inputs,
                                                     netdp_error *error);

/* The number that the paper's formula gives, as it stands; infinity outside its condition. */
NETDP_API NETDP_CHECK netdp_status netdp_claim_value(const netdp_claim *claim,
                                                     const netdp_claim_inputs *inputs,
                                                     const netdp_progress *progress, double *value,
                                                     netdp_error *error);

/* What holds for the same inputs; NETDP_NO_ANSWER where netdp cannot tell. */
NETDP_API NETDP_CHECK netdp_status netdp_claim_holds(const netdp_claim *claim,
                                                     const netdp_claim_inputs *inputs,
                                                     const netdp_progress *progress,
                                                     netdp_claim_truth *truth, netdp_error *error);

NETDP_END

#endif
