/*
 * Executing a protocol in one process: the description that the accountant reads.
 *
 * Ownership: everything that is named is borrowed for the call alone, and results go into arrays of the
 * caller's. Threads: any may call, each with results of its own.
 */
#ifndef NETDP_SIMULATE_H
#define NETDP_SIMULATE_H

#include <netdp/learn.h>
#include <netdp/protocol.h>

NETDP_BEGIN

/* One row of a trace, after `step` rounds. */
typedef struct netdp_trace_row {
    int64_t step;     /* rounds or moves so far */
    double objective; /* averaging: half the mean over nodes of the squared distance to the true
                         mean; learning: the objective of the nodes' mean model */
    double accuracy;  /* learning: mean over nodes of their test score; -1: there is none */
    double consensus; /* sqrt of the mean over nodes of the squared distance to their mean */
    double bytes;     /* sent so far by all nodes, 8 a number */
    double messages;  /* directed messages that carried them */
} netdp_trace_row;

/* Return false to stop: the simulation then returns NETDP_INTERRUPTED. */
typedef bool (*netdp_trace)(void *context, const netdp_trace_row *row);

/* Which noise a run draws: equal (seed, repeat) draw the same. repeat < 2^32. */
typedef struct netdp_run_seed {
    uint64_t seed;   /* the study's */
    uint64_t repeat; /* number of the run */
} netdp_run_seed;

/* What is traced: every `every`-th step and the last (averaging also step 0, the noised values). */
typedef struct netdp_tracing {
    int64_t every;                  /* >= 1 */
    netdp_trace trace;              /* NULL: nothing */
    void *context;                  /* handed to `trace` */
    const netdp_progress *progress; /* asked in every round whether to stop; may be NULL */
} netdp_tracing;

/*
 * Averaging of `values` [nodes][width] under unit noise of standard deviation `noise` (sigma *
 * Delta, the scale of values; 0 is legal); every node's result goes to result [nodes][width].
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate(const netdp_linear *protocol, double noise,
                                                  const double *values, int32_t width,
                                                  netdp_run_seed seed, netdp_tracing tracing,
                                                  double *result, netdp_error *error);

/*
 * The central baseline: a trusted aggregator releases the mean of `values` [nodes][width] once,
 * with noise of standard deviation noise / nodes in each of the `width` coordinates of `result`
 * [width].
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate_central(const double *values, int32_t nodes,
                                                          int32_t width, double noise,
                                                          netdp_run_seed seed, double *result,
                                                          netdp_error *error);

/* What nodes learn: train holds one part a node, in the order of the graph's nodes. */
typedef struct netdp_learning {
    netdp_objective objective;   /* what is minimised */
    const netdp_examples *train; /* borrowed, partitioned over the nodes */
    const netdp_examples *test;  /* borrowed; NULL: no accuracy */
    double step;                 /* step size */
    int64_t batch;               /* rows of a gradient, 0: all of the node's */
    netdp_batches batches;       /* gossip, and batch 0: the rows of each phase; those of a protocol
                                    with a cycle are cyclic, of the same count */
    double noise;  /* sigma * Delta of a gradient: the unit noise of a message is step times this */
    double decay;  /* step t = 0, 1, ... has size step / (t + 1)^decay, and so has all noise of
                     the round or phase; 0: constant. Of gossip-sgd and async-gossip-sgd
                     NETDP_BOUND_EVERYTHING still holds, of muffliato-sgd also
                     NETDP_BOUND_PHASE_RELEASE (docs/proofs/shift.md) */
    int64_t local; /* a step's parts: each a clipped gradient at the model so far, of step / local.
                      0, 1: one; at most 10^6. Protects nodes, not rows; batches full */
    /* In [0, 1), of muffliato-sgd: a phase begins at z + momentum (z - the z of the phase before), z
       the models that were released; 0: at z. A run is not saved on the way. The central baseline
       takes neither this nor parts. */
    double momentum;
} netdp_learning;

/*
 * Gossip SGD (paper D, eq. 5.1) and Muffliato-SGD (paper C, Algorithm 3): in contribution rounds a
 * node sends s - step (gradient(s) + noise N), in others s plus dither; at the end of a phase its
 * state takes the end dither. Models start at 0; each node's last goes to model [nodes][parameters], which
 * holds nothing of use after a failure.
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate_learning(const netdp_linear *protocol,
                                                           const netdp_learning *learning,
                                                           netdp_run_seed seed,
                                                           netdp_tracing tracing, double *model,
                                                           netdp_error *error);

/*
 * Any model: its gradients come from a function of one's own, for all nodes at once. Whatever it
 * returns, each row's gradient is clipped here, so that one row changes a node's gradient by at
 * most 2 clip / rows, and all of a node's data by 2 clip, under a demand that no clip can see to:
 * what it returns for a node depends on that node's model, data and the step alone, not on other
 * nodes' data, nor on anything kept from one call to the next.
 */
typedef struct netdp_gradients {
    /* At the models [nodes][width] into gradient [nodes][rows][width], zeros before, of gradient
       step 0, 1, ...; called by the calling thread. False stops: NETDP_INTERRUPTED. */
    bool (*ask)(void *context, int64_t step, const double *model, double *gradient);
    void *context;       /* handed to `ask` */
    int32_t width, rows; /* numbers of a model; rows of a node, each clipped, or 1: all at once */
    double clip;         /* L2 bound on the gradient of a row, above 0 */
    double step;         /* step size */
    double noise;        /* sigma * Delta of a gradient */
    const double *start; /* borrowed, [width]: everybody's first model, public; NULL: 0 */
} netdp_gradients;

/* What became of them. */
typedef struct netdp_gradients_notes {
    int64_t asked;   /* calls of `ask` */
    int64_t clipped; /* rows that were longer than the clip, over all calls */
    int64_t dropped; /* rows with a number that is not finite, which counted as 0 */
} netdp_gradients_notes;

/*
 * gossip-sgd and muffliato-sgd with such gradients; each node's last model goes to model
 * [nodes][width]. `notes` may be NULL. NETDP_INVALID also where rows take part in a cycle.
 */
NETDP_API NETDP_CHECK netdp_status
netdp_simulate_gradients(const netdp_linear *protocol, const netdp_gradients *gradients,
                         netdp_run_seed seed, const netdp_progress *progress, double *model,
                         netdp_gradients_notes *notes, netdp_error *error);

/*
 * The central baseline of learning: `steps` full-gradient steps on the mean of the nodes' clipped
 * gradients, with noise of standard deviation noise / nodes in each coordinate; the model goes to
 * model [parameters]. Its guarantee is mu = sqrt(steps) / sigma.
 */
NETDP_API NETDP_CHECK netdp_status netdp_learn_central(const netdp_learning *learning,
                                                       int64_t steps, netdp_run_seed seed,
                                                       netdp_tracing tracing, double *model,
                                                       netdp_error *error);

/* What a walk hands out: the last iterate, or the mean of the iterates after each step. */
typedef enum netdp_walk_output { NETDP_WALK_LAST = 0, NETDP_WALK_AVERAGE } netdp_walk_output;

/*
 * What a token does at a node, in one of two tasks: learning (train, one part a node) or the mean
 * of `values` [nodes][width], whose node v has f_v(x) = |x - y_v|^2 / 2. The other's pointers are
 * NULL. The mean is not clipped: clip the values.
 */
typedef struct netdp_walking {
    netdp_objective objective;   /* of learning */
    const netdp_examples *train; /* borrowed, partitioned over the nodes; of learning */
    const netdp_examples *test;  /* NULL: no accuracy */
    const double *values;        /* borrowed, [nodes][width]; of the mean */
    int32_t width;               /* of the mean; learning takes the objective's parameters */
    double step, decay;       /* step t = 0, 1, ... has size step / (t + 1)^decay; 0: constant. Step
                                 1 and decay 1 are the running mean of the visited values */
    int64_t batch;            /* rows of a gradient, 0: all of the node's */
    double noise;             /* sigma * Delta of a gradient */
    double radius;            /* models stay in the ball of this radius around 0; 0 or inf: free */
    netdp_walk_output output; /* what is traced and returned */
} netdp_walking;

/*
 * Walks of the description `token` (token.h), models from 0. A node whose contributions have
 * reached the cap adds its noise and takes the step of l2, but no gradient. Each token's output goes to model
 * [tokens][width]; its node at each step (burn-in left out) and the one that keeps it to path
 * [tokens][steps + 1], which may be NULL. That x - step gradient does not expand distances is not
 * asked here.
 *
 * Traces: the objective at the tokens' mean output (of the mean task: half the squared distance to
 * the true mean of the values), the mean over tokens of the test score, the spread of the tokens'
 * outputs, and a message of 8 width bytes for each move from a node to another, burn-in and the
 * move after the last step included. The progress is asked now and then.
 *
 * NETDP_INVALID also where start is NETDP_START_OBSERVER, or steps and burn-in reach 2^32.
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate_walk(const netdp_token *token,
                                                       const netdp_walking *walking,
                                                       netdp_run_seed seed, netdp_tracing tracing,
                                                       double *model, int32_t *path,
                                                       netdp_error *error);

/*
 * Executing a token aggregation in one process: the description that the accountants read (netdp/protocol.h).
 */

/*
 * values[nodes][depth]: the k-th contribution of a node is its (k mod depth)-th value. Sums: any
 * number, clipped to [low, high]; the discrete Gaussian also rounds it to the grid, up or down at
 * random so that its mean stays. Histograms: whole numbers 0 .. levels - 1.
 */
typedef struct netdp_tallying {
    const netdp_tally *tally; /* borrowed */
    const double *values;     /* borrowed, [nodes][depth] */
    int64_t depth;            /* >= 1 */
    double level;             /* of the intervals, in (0, 1): 0.95 is usual */
} netdp_tallying;

/*
 * One released number: the sum of the contributions that were made, or how many of them had one
 * value. The estimate has no bias. Histograms: (tau_l - (N_0 + gamma N) / L) / (1 - gamma) of the
 * token tau with N_0 random elements and N contributions (errata 8).
 *
 * The deviation is what a reader of the estimate can know: exact for sums (for the discrete
 * Gaussian with values off the grid, at most this), that of the estimated histogram for
 * histograms. [low, high] holds the true number with probability `level`; exactly so for Gaussian
 * noise and up to 1,000 Laplace ones, else in the limit of many terms.
 */
typedef struct netdp_estimate {
    double value;     /* without bias */
    double deviation; /* standard */
    double low, high; /* the interval */
} netdp_estimate;

/* Numbers that the token carries and the estimate has: 1, or the levels. */
NETDP_API int32_t netdp_tally_width(const netdp_tally *tally);

/*
 * One run. Into estimate[width]; the number of contributions made to *contributions; the path to
 * path[steps + 1]; the token as it comes to each node of the path, before that adds anything, to
 * seen[steps + 1][width] (discrete Gaussian: in grid steps above `low`). The last three may be
 * NULL; a run that was stopped may have begun to fill the last two. A contribution beyond the cap:
 * a sum gets the node's noise, a histogram nothing.
 *
 * Traces: the objective is half the squared distance of the estimate so far to the truth so far,
 * accuracy -1, consensus 0; a message of 8 width bytes for each move from a node to another.
 * Fewer than 2^32 steps.
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate_tally(const netdp_tallying *tallying,
                                                        netdp_run_seed seed, netdp_tracing tracing,
                                                        netdp_estimate *estimate,
                                                        int64_t *contributions, int32_t *path,
                                                        double *seen, netdp_error *error);

/* The path alone that such a run takes, into path[steps + 1]. */
NETDP_API NETDP_CHECK netdp_status netdp_tally_path(const netdp_tally *tally, netdp_run_seed seed,
                                                    int32_t *path, netdp_error *error);

NETDP_END

#endif
