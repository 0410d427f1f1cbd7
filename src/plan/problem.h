/* A study made concrete: the graph, the mixing matrix and every node's private data. */
#ifndef NETDP_I_PROBLEM_H
#define NETDP_I_PROBLEM_H

#include <netdp/learn.h>
#include <netdp/mixing.h>
#include <netdp/model.h>

#include "base/try.h"
#include "study/study.h"

/*
 * Inside, values are scaled: with bounds a column's range becomes [0, 1] and `width` columns have
 * sensitivity sqrt(width); with a clip they stay as they are and the sensitivity is 2 clip.
 * value in the data's unit = low + scale * inner value. A histogram is a mean of `levels` shares: 0
 * or 1 for each row, sensitivity sqrt(2).
 */
typedef struct netdp_i_problem {
    netdp_graph *graph;
    netdp_graph_notes notes;
    netdp_graph *pairs;    /* who shares noise that cancels, read from a file; else NULL */
    int64_t edges;         /* of a complete graph whose edges the graph does not list; else 0 */
    netdp_mixing *mixing;  /* gossip; NULL for a walk */
    netdp_transition *law; /* a walk; NULL for gossip */
    double gap;            /* of `mixing`, where rounds are auto; else 0 */
    int64_t rows;          /* of the data */
    int64_t clipped;       /* rows that the bounds or the clip changed */
    int32_t width;         /* numbers of a message */
    char digest[65];       /* SHA-256 of the data file */
    double sensitivity;    /* Delta, of the inner values, or of a gradient */
    double central;        /* the same of all rows at once, as a trusted aggregator takes them */
    double *share;         /* [nodes]: Delta_u / Delta; NULL: 1 each */
    int64_t least_rows, most_rows; /* of a node */
    double square; /* learning: no row's squared norm is above it, whatever the data */
    /* learning: NULL for a mean */
    netdp_examples *train, *test;
    netdp_model *model; /* how rows became examples, without weights */
    netdp_preparation_notes prepared;
    netdp_objective objective;
    double least;     /* of the unclipped objective; NAN: not known */
    double *released; /* [nodes] what the law of a weighted walk goes by (plan/constants.h); NULL:
                         the study's weights */
    /* a mean: NULL for learning */
    char **column;        /* [width] */
    double *low, *scale;  /* [width] */
    double *values;       /* [nodes][width]: the mean of the node's clipped rows */
    double *truth;        /* [width]: their mean over nodes, in the data's unit */
    int64_t depth;        /* contributions of a node to a tally before they repeat */
    double *contribution; /* [nodes][depth]: inner values of rows, or levels; NULL: no tally */
} netdp_i_problem;

/* `data`: the data folder, may be NULL. */
netdp_status netdp_i_problem_new(const netdp_study *study, const char *data,
                                 netdp_i_problem **problem, netdp_error *error);
void netdp_i_problem_free(netdp_i_problem *problem);
OWNER(netdp_i_problem_free, netdp_i_problem)

/* Its data, of the file at `csv`, NULL where they are drawn: of a mean, and of what learns. */
netdp_status netdp_i_problem_values(const netdp_study *study, const char *csv,
                                    netdp_i_problem *problem, netdp_error *error);
netdp_status netdp_i_problem_examples(const netdp_study *study, const char *csv,
                                      netdp_i_problem *problem, netdp_error *error);

/* A histogram: the bin of a value in the column's declared range, and the name of one; NULL: no memory. */
int32_t netdp_i_bin_of(const netdp_study *study, double value);
char *netdp_i_bin_name(const netdp_study *study, const char *column, int32_t bin);

/*
 * Delta, and each node's share of it, of the unit that the study protects: held[nodes] rows each.
 * Until now `sensitivity` is what a node's mean spans.
 */
netdp_status netdp_i_problem_protect(const netdp_study *study, const int64_t *held,
                                     netdp_i_problem *problem, netdp_error *error);

/* The study's graph alone. */
netdp_status netdp_i_problem_graph(const netdp_study *study, const char *data, netdp_graph **graph,
                                   netdp_graph_notes *notes, netdp_error *error);

/* The file of who shares noise in pairs, or NULL. */
const char *netdp_i_problem_pairs(const netdp_study *study);

/* The name of what messages or the token move by. */
const char *netdp_i_problem_weights(const netdp_i_problem *problem);

/* The problems of a study and its variants; those with the same graph and data share one. */
typedef struct netdp_i_problems {
    int32_t count;              /* different ones */
    netdp_i_problem **made;     /* [count]: made[0] is the study's own */
    const netdp_i_problem **of; /* [variation_count] */
} netdp_i_problems;

netdp_status netdp_i_problems_new(const netdp_study *study, const char *data,
                                  netdp_i_problems *problems, netdp_error *error);
void netdp_i_problems_clear(netdp_i_problems *problems);

/* SHA-256 over what the simulations read: W or P by its rows, and every node's data. */
void netdp_i_problems_digest(const netdp_i_problems *problems, char digest[65]);

#endif
