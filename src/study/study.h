/* The fields of a study, as read, defaults filled in. */
#ifndef NETDP_I_STUDY_H
#define NETDP_I_STUDY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <netdp/account.h>
#include <netdp/learn.h>
#include <netdp/study.h>

#include "base/try.h"
#include "question/settings.h"

OWNER(netdp_study_free, netdp_study)

/* A column of the data: the range into which its values are clipped, or a category's values. */
typedef struct netdp_i_column {
    char *name;
    double low, high; /* low < high, finite; both 0 where `bounds` or `clip` of the task rules */
    char **value;     /* [values] of a category, one feature each; NULL where values is 0 */
    int32_t values;
} netdp_i_column;

/* A variant: the study with some of its keys overridden. */
typedef struct netdp_i_variation {
    char *name;                /* distinct, on one line, without commas and quotes */
    char *curve, *at;          /* of a sweep: the variant's own name, and the value; else NULL */
    struct netdp_study *study; /* whole, without variants of its own */
} netdp_i_variation;

struct netdp_study {
    char *path;        /* the study file */
    bool anew;         /* a result folder that is there is emptied of its results first */
    double save_every; /* seconds between checkpoints */
    char *title;       /* never NULL */
    char *proof;       /* "none", "worst", "all" or how many are drawn; NULL: 16 where there are */
    uint64_t seed;
    struct {
        char *family; /* exactly one of family, file, data */
        char *file;   /* resolved against the study file's folder */
        char *data;   /* relative to the data folder */
        bool giant_component;
        int64_t draw; /* added to the seed that a random family is drawn with */
    } graph;
    struct {
        char *weights; /* "metropolis" */
    } mixing;
    struct {
        char *source;    /* a name of netdp_datasets: exactly one of source, csv, synthetic */
        char *csv;       /* resolved against the study file's folder */
        char *synthetic; /* a law as netdp_examples_draw reads it */
        double radius;   /* features of a row are projected onto this ball; 0: not given */
        int64_t draw;    /* synthetic rows, and released constants, are drawn with seed + draw */
        int32_t column_count;
        netdp_i_column *column; /* count 0: every column of the file */
        bool one_row_a_node;    /* per_node: one | even (default) */
        char *owner;            /* the column that says whose a row is; NULL: rows are dealt */
        char *owner_cuts;       /* as netdp_preparation has them; NULL: none */
        char *rows;             /* as netdp_preparation has them; NULL: not declared */
        char *prepare;          /* learning: "ranges", "standardise"; NULL: by what is declared */
        netdp_missing missing;  /* what becomes of rows with an empty cell */
        bool onehot;            /* learning: columns may have values in place of bounds */
        char *label;            /* learning: the column that is predicted; NULL for a mean */
        char *features;         /* learning: as netdp_preparation has them; NULL: not given */
        char *deal;             /* learning: as netdp_preparation has it */
        double split;           /* learning: part of the rows that train */
        char *row;              /* what a row is, in the reader's words; "" where not given */
    } data;
    struct {
        char *kind;  /* "mean", "sum", "histogram", "logistic", "ridge"; "own": gradients come from
                       each participant's program; "account": nothing is run, "realised", "claim" */
        char *claim; /* task claim: a name of netdp_claim_find; NULL: not given */
        char *with;  /* its inputs, "epsilon=1 scale=2"; NULL: none */
        char *over, *at;    /* one more input by name, and its value; NULL: none */
        int64_t parameters; /* of a model of one's own; 0: not given */
        int64_t levels;     /* of a histogram: bins of equal width in the column's range */
        bool has_bounds;
        double low, high; /* bounds: [lo, hi], for every column without its own */
        double clip; /* radius of the L2 ball, 0: none; exactly one of bounds and clip. Learning:
                          of each row's gradient */
        bool mean_over_rows; /* nodes count by their rows, not alike */
        double step;         /* learning and walks; 0: not given */
        double decay;        /* step t = 0, 1, ... is step / (t + 1)^decay */
        double radius;       /* walks: models stay in the ball of this radius; 0: free */
        double l2;           /* learning */
        int64_t batch;       /* rows of a gradient, 0: all of a node's */
        int64_t local;       /* parts of a step */
        double momentum;     /* of phases: from the models that were released */
        bool intercept;
        int64_t central_steps; /* of the central baseline */
        double central_step;   /* its step size; 0: step */
        char *unit;            /* of the data, for tables; "" where not given */
    } task;
    struct {
        char *kind;     /* a name of netdp_protocol_find */
        int64_t rounds; /* 0: auto */
        int64_t visits; /* realised, with rounds auto: steps for each node; else 0 */
        int64_t phases; /* learning with rounds auto, which then choose `inner`; else 0 */
        double
            largest; /* between peers: no number of a message is farther from 0; 0: by the terms */
        char
            *law; /* of weighted walks, as netdp_i_law_read takes it apart; "public": the weights */
    } protocol;
    struct {
        double epsilon;  /* the target; 0: none, and `noise` is given */
        double noise;    /* accounts: sigma, in units of the sensitivity; 0: from epsilon */
        double delta;    /* 0: not given; accounts may have their unit in `as` */
        char *as;        /* accounts: the unit, as netdp_unit_parse reads it; NULL: dp at delta */
        char *from, *to; /* accounts: "random", or nodes by name; NULL or "all": all */
        netdp_over over;
        int64_t observers; /* drawn with the seed and accounted for; 0: all nodes */
        int64_t sources;   /* the same of those about whom they learn */
        int64_t pool;      /* how many nodes may pool what they see */
        char *more_noise;  /* averaging: "NODE:TIMES,...": how many times everybody's noise; NULL */
        char *targets;     /* averaging: "NODE:EPSILON,...": which want more; NULL: nobody */
    } privacy;
    netdp_i_question question; /* the settings that it shares with questions; its texts are owned */
    struct {
        int64_t every;  /* rounds between rows of the trace */
        int64_t repeat; /* independent runs of each protocol */
    } output;
    struct {
        char *key, *values; /* each variant runs once for every value; NULL: no sweep */
    } sweep;
    struct { /* what netdp reproduce draws; kind NULL: nothing */
        char *kind, *paper, *says, *x, *y, *log;
        char *hide;     /* "baselines": central and local are not drawn; NULL: all are */
        int64_t first;  /* only so many variants of the list; 0: all */
        double printed; /* of a variant: what a paper prints of it; 0: nothing */
        double seconds; /* of the whole run on two cores; 0: unknown */
    } figure;
    bool whole;              /* read for --quick, but no section `quick` says what that is */
    int32_t variation_count; /* 0: the study's own protocol is what is compared */
    netdp_i_variation *variation;
};

/* A text in YAML's double quotes; NETDP_INVALID where it is not UTF-8. */
netdp_status netdp_i_study_write_text(FILE *stream, const char *text, netdp_error *error);

/* What a linear model is learnt by, in the simulator and by peers. */
typedef struct netdp_i_learned {
    const char *task; /* the study's word */
    netdp_objective_kind kind;
    bool classes; /* labels are classes, not numbers: of two -1 and +1, */
    bool many;    /* of two or more 0, 1, ..., each with weights of its own */
} netdp_i_learned;

/* NULL: no linear model. */
const netdp_i_learned *netdp_i_task_learned(const char *task);

/* Does it learn by a linear model whose labels are classes? */
bool netdp_i_study_classes(const netdp_study *study);

/* Does the study learn a model, rather than a mean? */
bool netdp_i_study_learns(const netdp_study *study);

/* Is the model the participants' own, whose programs give the gradients? It learns, too. */
bool netdp_i_study_owns(const netdp_study *study);

/* What its protocol is. */
netdp_kind netdp_i_study_kind(const netdp_study *study);

/* Is its protocol a random walk, rather than gossip? */
bool netdp_i_study_walks(const netdp_study *study);

/* Or a token that sums or counts? */
bool netdp_i_study_tallies(const netdp_study *study);

/* Is it an account alone, without data and simulation? */
bool netdp_i_study_accounts(const netdp_study *study);

/* Is it such an account, of walks that are drawn? */
bool netdp_i_study_realises(const netdp_study *study);

/* Is it of the papers' formulas, without graph, protocol and data? An account alone too. */
bool netdp_i_study_claims(const netdp_study *study);

/* Is its task a histogram? */
bool netdp_i_study_counts(const netdp_study *study);

#endif
