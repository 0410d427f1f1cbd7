/*
 * Data and learning tasks: tables, data sets, partitions of rows, objectives, clipped gradients.
 *
 * Ownership: tables and examples are the caller's, _free; a path is freed with free(). Threads: any
 * may call, also with the same examples, which nothing here changes once they are made.
 */
#ifndef NETDP_LEARN_H
#define NETDP_LEARN_H

#include <netdp/graph.h>
#include <netdp/privacy.h>

NETDP_BEGIN

/*
 * Data: tables from CSV, and the rows of a table partitioned over nodes.
 */

/* Numeric columns of a CSV file, values[row][column]. */
typedef struct netdp_table {
    int64_t rows;    /* without the header */
    int32_t columns; /* those that were asked for */
    char **name;     /* [columns] */
    double *values;  /* [rows][columns] */
} netdp_table;

/*
 * CSV as RFC 4180 with a header, UTF-8. `column`: the `count` names wanted, in that order (count 0:
 * every column, all numeric). An empty, non-numeric or non-finite cell is NETDP_INVALID with its
 * line and column; columns that are not wanted are not looked at.
 */
NETDP_API NETDP_CHECK netdp_status netdp_table_read(const char *path, const char *const *column,
                                                    int32_t count, netdp_table **table,
                                                    netdp_error *error);
NETDP_API void netdp_table_free(netdp_table *table);

/*
 * Which node holds each row, node[rows]. `shuffle`: the rows are shuffled with the stream (seed,
 * "split") and shuffled row i goes to node i mod nodes; otherwise row i goes to node i and rows
 * must equal nodes. Fewer rows than nodes: NETDP_INVALID.
 */
NETDP_API NETDP_CHECK netdp_status netdp_deal(int64_t rows, int32_t nodes, bool shuffle,
                                              uint64_t seed, int32_t *node, netdp_error *error);

/* What everybody may know of a column: a range, where values beyond count as the nearer end, or the
 * list of a category's values. */
typedef struct netdp_range {
    const char *column;       /* by its name */
    double low, high;         /* finite, low < high; of a category not looked at */
    int32_t values;           /* of a category: how many; 0: a range */
    const char *const *value; /* [values], distinct: numbers by value, words by bytes. Each is a
                                 feature of its own, 1 in a row that says it and else 0: a row that
                                 says none of them has 0 in all */
} netdp_range;

/* A data set that the product knows by name. */
typedef struct netdp_dataset {
    const char *name;   /* "houses" */
    const char *file;   /* relative to the data folder: "houses.csv" */
    const char *sha256; /* hex */
    const char *from;   /* where to get it */
    bool bundled;       /* is part of the product */
    /* What is declared of a table, for all to know; 0 and NULL: it is none, a graph. */
    int64_t rows;
    int32_t ranges;
    const netdp_range *range; /* [ranges]: of every column; a label's lists its values */
} netdp_dataset;

/* The table of data sets; ends with a NULL name. */
NETDP_API const netdp_dataset *netdp_datasets(void);

/*
 * The path of `file` in the first folder that has it: `folder` (from --data, may be NULL), then
 * $NETDP_DATA, then ./data, then ../shared/data, then the folder of the installed product; to be
 * freed with free(). Bundled files are found last wherever the product was built or installed.
 * NETDP_ENVIRONMENT where it is nowhere: the error says where to get it.
 */
NETDP_API NETDP_CHECK netdp_status netdp_data_find(const char *folder, const char *file,
                                                   char **path, netdp_error *error);

/* SHA-256 of a file as 64 hex digits and a NUL. */
NETDP_API NETDP_CHECK netdp_status netdp_data_digest(const char *path, char digest[65],
                                                     netdp_error *error);

/*
 * Learning tasks: examples prepared from a table, objectives, clipped gradients, metrics.
 */

/* Rows sorted by the node that holds them: node u holds rows start[u] .. start[u+1]-1. */
typedef struct netdp_examples {
    int64_t rows;     /* of all nodes */
    int32_t features; /* of a row */
    double *x;        /* [rows][features] */
    double *y;        /* [rows]: -1, +1 (logistic), 0, 1, .. (softmax), any finite number (ridge) */
    int32_t nodes;    /* 0: not partitioned (test rows) */
    int64_t *start;   /* [nodes + 1], NULL where nodes is 0 */
    double *weight;   /* [nodes]: what a node's mean counts for; NULL: 1 each */
    int32_t classes;  /* of y, where they are counted from 0; else 0 */
} netdp_examples;

/* What becomes of a row with an empty cell. */
typedef enum netdp_missing {
    NETDP_MISSING_REFUSE = 0, /* NETDP_INVALID */
    NETDP_MISSING_DROP, /* nothing of the row counts, and its place still does: as a row of 0 */
    NETDP_MISSING_MEAN, /* learning: an empty feature is 0 once it is scaled, the training rows' mean,
                                 or the middle of its declared range; an empty label or owner is refused */
} netdp_missing;

/* How a table becomes examples. */
typedef struct netdp_preparation {
    const char *label; /* the column that is y */
    /* The columns that are features: "age, income", "all but id", "all". NULL: all, unless one
       seems to count the rows or to say who holds them (NETDP_INVALID: such a column must not be
       learnt from without being named). */
    const char *features;
    bool classes; /* y has exactly two values: sorted (as numbers where both are numbers,
                       else by their bytes) the second is +1; otherwise y is numeric */
    bool many; /* with `classes`: y has 2 to 1000 values and is the place of a row's among them, 0,
                     1, ... in that order. With a range of the label that lists its values, in
                     either case the order of the list; a row that says none is as one with an
                     empty cell that is dropped */
    double split;   /* part of the rows (of each owner) that train, in (0, 1) */
    bool intercept; /* append a feature that is 1 */
    int32_t nodes;  /* training rows are shuffled; row i of these goes to node i mod nodes */
    uint64_t seed;  /* of split and partition */
    /* NULL or "even": so. Of rows of classes, alike in number but not in labels: "by-label", each
     * node's from one place of the rows sorted by their label; "dirichlet:ALPHA", ALPHA from 1e-6 to
     * 1e6, each node with shares of its own, Dirichlet (ALPHA times all rows' shares). */
    const char *deal;
    /* NULL, or a column that says whose a row is: it goes to that node instead, by the node's name,
     * or owners in their order are nodes 0, 1, ...; it is no feature unless named. */
    const char *owner;
    /* NULL, or ascending numbers "a, b": owners are numbers, and those below a are node 0's, from a
     * to below b node 1's, ... */
    const char *owner_cuts;
    const netdp_graph *graph; /* of the nodes that are owners */
    netdp_missing missing;    /* what becomes of rows with an empty cell */
    int32_t ranges; /* above 0: of every feature, and of the label unless it has classes; or of a
                       label with classes alone */
    const netdp_range
        *range; /* [ranges]: [low, high] becomes [-1, 1] in place of standardising, so that
                                 nothing is found from the rows, and no constant feature is dropped */
    /* How many places for rows there are, for all to know: "1000" of partitioned rows; of owners
     * "a: 10, b: 12", each once (with `owner_cuts` by the node's name), or the path of a CSV with the columns
     * owner and rows. A place without a row is as a row that was dropped; rows beyond contribute nothing.
     * NULL: as many as the table has, which is not private then. */
    const char *rows;
} netdp_preparation;

/* What a reader should hear: constant columns that were dropped, and class counts. */
typedef struct netdp_preparation_notes {
    int32_t dropped;            /* feature columns that are constant in the training rows */
    int64_t negative, positive; /* rows of each class, before the split; 0 without classes */
    int64_t missing;            /* rows of which nothing counts for an empty cell */
    int64_t filled;             /* empty cells that count as a mean */
    int64_t unlisted;           /* cells of categories that are none of the listed values */
    int64_t unlabelled;         /* rows whose label is none of the listed values */
    int64_t absent, beyond;     /* declared places without a row, and rows without a place */
} netdp_preparation_notes;

/*
 * Reads the CSV (as netdp_table_read: an empty, non-numeric or non-finite cell is NETDP_INVALID
 * with its line and column) and makes examples of it:
 *
 * - Split: the places of rows, by their number alone, are shuffled by Fisher-Yates with stream (seed,
 *   NETDP_FOR_SPLIT, 0, 1): for i from n - 1 down to 1, place i is swapped with place
 *   netdp_stream_below(i + 1). The first floor(split n) train (split taken as the decimal that was
 *   written: 0.29 of 100 is 29), the others are the test rows. Of owners each one's by themselves, with
 *   the stream (seed, NETDP_FOR_SPLIT, node, 1), and one trains at least.
 * - Partition (even): the training rows go to nodes by netdp_deal, which shuffles them
 *   together with stream (seed, NETDP_FOR_SPLIT, 0, 0). Fewer of them than nodes: NETDP_INVALID.
 * - Standardise: every feature with the training rows' mean and population standard deviation, the
 *   test rows with the same. A feature that is constant in the training rows is dropped and counted
 *   in the notes. Without `classes` y is standardised in the same way. Values stay within 1e300.
 * - Unit rows: every row is scaled to L2 norm 1; a row of zeros stays. The intercept is appended
 *   after that, so such rows have norm sqrt(2).
 *
 * The statistics are NOT private: say so beside a result, or give ranges. `notes` may be NULL.
 */
NETDP_API NETDP_CHECK netdp_status netdp_examples_prepare(
    const char *path, const netdp_preparation *preparation, netdp_examples **train,
    netdp_examples **test, netdp_preparation_notes *notes, netdp_error *error);
NETDP_API void netdp_examples_free(netdp_examples *examples);

/*
 * Synthetic examples, as they are drawn: neither standardised nor scaled. `law` is one line:
 *
 * - "gaussian-classes D mean=M variance=V rows=R": y is -1 or +1, a fair coin, and each of the D
 *   features N(y M, V) (paper B, Section V);
 * - "linear-model D variance=V noise=S rows=R": the D features are N(0, V), y = x'w + N(0, S^2)
 *   with w = (1, ..., 1) / sqrt(D).
 *
 * Every node has R rows of its own. What is left out is M = 1, V = 1, S = 0, R = 1.
 */
typedef struct netdp_synthesis {
    const char *law; /* borrowed */
    bool classes;    /* what the task needs: NETDP_INVALID where the law has the other */
    double split;    /* test rows are (1 - split) / split of the training rows, at least one */
    bool intercept;  /* append a feature that is 1 */
    int32_t nodes;   /* at least 1 */
    uint64_t seed;   /* row i of node u depends on (seed, u, i) and the law alone */
} netdp_synthesis;

/*
 * Draws them: training rows partitioned over the nodes, and test rows. A law that cannot be read is
 * NETDP_INVALID. On success both are new: netdp_examples_free.
 */
NETDP_API NETDP_CHECK netdp_status netdp_examples_draw(const netdp_synthesis *synthesis,
                                                       netdp_examples **train,
                                                       netdp_examples **test, netdp_error *error);

/* The loss of a row. */
typedef enum netdp_objective_kind {
    NETDP_LOGISTIC = 0, /* ln(1 + exp(-y x'w)), smooth with beta = max |x|^2 / 4 */
    NETDP_RIDGE,        /* (x'w - y)^2 / 2, beta = max |x|^2 */
    NETDP_MARGIN_LOSS,  /* a loss of one's own of x'w and y: netdp_margin_loss */
    NETDP_ROW_LOSS,     /* a loss of one's own of a row and the model: netdp_row_loss */
    NETDP_SOFTMAX, /* ln sum_k exp(x'w_k) - x'w_y of the model w_0, w_1, ..., y a class; smooth with
                      beta = max |x|^2 / 2 where the clip is at least sqrt(2) max |x| */
} netdp_objective_kind;

/*
 * Losses of one's own. Whatever the functions return, every row's gradient is clipped, so that the
 * sensitivity is 2 clip, under two demands that no clip can see to:
 *
 * - a result depends on the arguments and `context` alone, and `context` on no private data: a
 *   gradient that looks at other rows has no sensitivity that anybody knows;
 * - a finite `smoothness` is true. Walks hidden by iteration (netdp/walk.h) rest on it, nothing
 *   else does. INFINITY where it is not known; such walks are accounted by NETDP_BOUND_LOCAL.
 *
 * The functions are called from several threads at once and in any order. They return the same bits
 * for the same arguments (or runs cannot be repeated), do return (no longjmp), and write nothing
 * but their result. Models and margins may be infinite or NaN.
 */

/*
 * A loss of a linear model: of the margin x'w and y. Clipping holds the slope within clip / |x|,
 * and steps up to 2 / beta still expand no distance.
 */
typedef struct netdp_margin_loss {
    double (*value)(void *context, double margin, double y); /* the loss */
    double (*slope)(void *context, double margin, double y); /* derivative of value by the margin */
    double (*score)(void *context, double margin, double y); /* NULL: 1 where the margin's sign is y
                                                                (a tie counts as +1), else 0 */
    double smoothness; /* the slope never falls as the margin grows, and grows by at most this times
                          as much; INFINITY: not known, or not so */
    void *context;     /* handed to the functions */
} netdp_margin_loss;

/* A row and the model that is asked about it; all borrowed. */
typedef struct netdp_row {
    const double *x;     /* [features] */
    double y;            /* label or target */
    int32_t features;    /* how many */
    int32_t parameters;  /* of the model */
    const double *model; /* [parameters] */
} netdp_row;

/*
 * Any loss of a row and a model. Clipping a gradient that is no multiple of a fixed vector lets
 * steps expand distances however short they are: under a finite clip its smoothness is INFINITY.
 */
typedef struct netdp_row_loss {
    double (*value)(void *context, netdp_row row); /* the loss */
    /* [parameters], zeros before */
    void (*gradient)(void *context, netdp_row row, double *gradient);
    double (*score)(void *context, netdp_row row); /* NULL: as of netdp_margin_loss, by x'w */
    double smoothness; /* of the value, convex in the model; INFINITY: not known, or not so */
    void *context;     /* handed to the functions */
} netdp_row_loss;

/* What is minimised: clipped losses of rows, and a ridge. */
typedef struct netdp_objective {
    netdp_objective_kind kind; /* which loss */
    double clip; /* >= 0: L2 bound on one row's gradient; inf: none. Delta of a node is 2 clip */
    double l2;   /* >= 0, finite: adds l2 |w|^2 / 2 to every node's objective, after the clip (it is
                    data-free) */
    const netdp_margin_loss *margin_loss; /* borrowed; of NETDP_MARGIN_LOSS */
    const netdp_row_loss *row_loss;       /* borrowed; of NETDP_ROW_LOSS */
    int32_t parameters; /* of a model. NETDP_SOFTMAX: classes * features; a row loss: its own;
                           0: as many as features */
} netdp_objective;

/* NETDP_INVALID where clip, l2 or parameters are out of their range or a loss of one's own lacks a function. */
NETDP_API NETDP_CHECK netdp_status netdp_objective_check(const netdp_objective *objective,
                                                         netdp_error *error);

/* How many numbers a model of such rows has: what is called a model below has so many. */
NETDP_API int32_t netdp_parameters(const netdp_objective *objective,
                                   const netdp_examples *examples);

/*
 * gradient[parameters] = weight of the node * mean over its rows of the clipped row gradient + l2 w. Each row is
 * clipped before the mean is taken, whatever its numbers: the mean's norm is at most clip (up to
 * rounding, about (rows + parameters) * 2^-53 of it). Under a finite clip a row counts as 0 where its
 * slope is not a number (the model is not finite), or where a row loss's gradient is not finite.
 *
 * `batch` rows are drawn without replacement with stream (seed, NETDP_FOR_BATCH, node, step), one
 * netdp_stream_below for each; 0, or not fewer than the node's rows: all of them, in order, without
 * a draw. The mean of a batch has the same sensitivity 2 clip: no amplification is claimed.
 * `scratch`: at least the node's number of rows, NULL where batch is 0. Calls for different nodes
 * may run at once. `examples` must have nodes > 0. Allocates nothing, except for row losses
 * of more than 1024 parameters: where there is no memory every coordinate is then NaN.
 */
NETDP_API void netdp_gradient(const netdp_objective *objective, const netdp_examples *examples,
                              int32_t node, const double *model, int64_t batch, uint64_t seed,
                              uint64_t step, int64_t *scratch, double *gradient);

/*
 * The same of phase `phase` = 0, 1, ... of a protocol that takes `batches`: the sum of the clipped
 * gradients of the rows that take part over b_u, whether or not it is how many they are, + l2 w. A
 * row r = 0, 1, ... of the node takes part in the cyclic phases that are r mod `count`; Poisson draws
 * one netdp_stream_uniform for each row with stream (seed, NETDP_FOR_BATCH, node, step). `scratch`
 * [rows of the node]; NULL where batches are full.
 */
NETDP_API void netdp_batch_gradient(const netdp_objective *objective,
                                    const netdp_examples *examples, int32_t node,
                                    const double *model, netdp_batches batches, int64_t phase,
                                    uint64_t seed, uint64_t step, int64_t *scratch,
                                    double *gradient);

/*
 * Mean over nodes of each node's objective at `model` (unclipped), by their weights, l2 included.
 * Examples that are not partitioned count as one node.
 */
NETDP_API double netdp_objective_value(const netdp_objective *objective,
                                       const netdp_examples *examples, const double *model);

/*
 * Part of the rows whose sign of x'w is y (a tie counts as +1, what is not a number as wrong).
 * NETDP_RIDGE: mean squared error instead; NETDP_SOFTMAX: whose x'w_y is largest, the first of
 * equals; losses of one's own: the mean of their scores.
 */
NETDP_API double netdp_score(const netdp_objective *objective, const netdp_examples *examples,
                             const double *model);

/* The same of many models, [count][parameters] into score [count]: in blocks, up to rounding equal. */
NETDP_API void netdp_score_models(const netdp_objective *objective, const netdp_examples *examples,
                                  const double *models, int32_t count, double *score);

/*
 * The smoothness beta of every row's loss, l2 included: gradient steps up to 2 / beta do not expand
 * distances, with or without the clip. inf where a row's squared norm is, and where a loss of one's
 * own does not know it.
 */
NETDP_API double netdp_smoothness(const netdp_objective *objective, const netdp_examples *examples);

/*
 * The same of any rows whose squared norm is at most `square`: what may be said of a bound on rows
 * that everybody knows, where netdp_smoothness would tell of the rows. inf where `square` is.
 */
NETDP_API double netdp_smoothness_within(const netdp_objective *objective, double square);

/*
 * The same of one node's objective, the mean over its rows: the mean of their smoothness, l2
 * included, the constant L_u of weighted walks. Of losses of rows, netdp_smoothness.
 */
NETDP_API double netdp_node_smoothness(const netdp_objective *objective,
                                       const netdp_examples *examples, int32_t node);

/*
 * The least value of the unclipped objective (netdp_objective_value), by Newton's method with
 * halved steps, to about 1e-12 of it; model [features], may be NULL, is where. For NETDP_LOGISTIC
 * and NETDP_RIDGE. NETDP_NO_ANSWER where there is none to find: the classes are separable and l2 is
 * 0, or there are more than 200 features.
 */
NETDP_API NETDP_CHECK netdp_status netdp_objective_least(const netdp_objective *objective,
                                                         const netdp_examples *examples,
                                                         double *value, double *model,
                                                         netdp_error *error);

NETDP_END

#endif
