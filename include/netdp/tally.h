/*
 * What each node learns about each other node from a token that sums or counts (netdp/protocol.h; paper E).
 *
 * Between two visits of the observers the token gathers contributions and noise that they see as
 * one increment: noise of their own protects nobody, and an increment without any noise of others
 * gives away what is in it: the loss is then infinite (errata 9: two colluders around a user).
 *
 * Ownership: requests borrow what they name, for the call alone; losses are the caller's,
 * netdp_losses_free, and words, free(). Threads: any may call, also with the same request; `crowd` and
 * `spread` belong to one at a time.
 */
#ifndef NETDP_TALLY_H
#define NETDP_TALLY_H

#include <netdp/account.h>

NETDP_BEGIN

/* How the increments' guarantees add up. */
typedef enum netdp_tally_composing {
    NETDP_TALLY_BY_EVENTS = 0, /* netdp_events_epsilon */
    NETDP_TALLY_ADVANCED,      /* advanced composition, as paper E has it */
} netdp_tally_composing;

/* Which pairs of a token aggregation, by which bound. */
typedef struct netdp_tally_request {
    const netdp_tally *tally; /* borrowed */
    /* NETDP_BOUND_AUTO: the first of these that applies; LEAST in place of EXCURSION_LINEAR with a cap.
       EXACT, sums on the ring: the linear view; Laplace and discrete Gaussian noise: composition
       of the increments.
       EXCURSION_LINEAR, Gaussian sums on the complete graph: exact but for the random path, which
       is treated as revealed; local above 10^7 steps.
       LEAST, the same with a cap at a delta: the least of it and of what the account of walks says,
       which counts the cap, on up to 4,096 nodes.
       SHUFFLED, histograms on the ring: each increment by amplification by shuffling where that is
       better than local.
       LOCAL: as if every contribution were seen at once, with its own noise. On the complete graph
       without a cap their number is a binomial quantile, for half of delta, or every step,
       whichever is less. */
    netdp_bound bound;
    netdp_shuffle_bound shuffle;     /* of NETDP_BOUND_SHUFFLED: by default the least */
    netdp_tally_composing composing; /* of NETDP_BOUND_SHUFFLED */
    netdp_unit unit;    /* NETDP_AS_DP; Gaussian noise: NETDP_AS_RDP too; exact with Gaussian noise:
                           any, and the losses are unit-free */
    int32_t from_count; /* 0: all nodes */
    const int32_t *from;
    int32_t to_count; /* 0: all nodes, each an observer of its own */
    const int32_t *to;
    bool coalition; /* the nodes of `to` collude: one observer */
} netdp_tally_request;

/*
 * Losses of every pair. Exact with Gaussian noise: mu^2 sigma^2 as netdp_losses_new gives, `final`
 * unset. All else: values of the asked unit, `final` set.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_losses_new(const netdp_tally_request *request,
                                                          const netdp_progress *progress,
                                                          netdp_losses **losses,
                                                          netdp_error *error);

/*
 * The least noise of a sum, or flip of a histogram, on the safe side, whose guarantee meets the
 * target: re-accounting it lands in [0.999, 1] of it. calibration->noise is the one or the other;
 * the tally's own and the request's unit are not used. NETDP_NO_ANSWER where none does. `losses`
 * (may be NULL): the account at the noise.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_calibrate(const netdp_tally_request *request,
                                                         const netdp_target *target,
                                                         const netdp_progress *progress,
                                                         netdp_calibration *calibration,
                                                         netdp_losses **losses, netdp_error *error);

/*
 * One run whose path is known: path[steps + 1], the node of each step and the one that keeps the
 * token; NULL on the ring. What `count` observers that collude learn about every node in
 * a sum with Gaussian noise: mu^2 sigma^2 into loss[nodes], exact, k^2 / E for an increment with
 * k contributions under noise of E units; infinity for the observers.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_realised(const netdp_tally *tally,
                                                        const int32_t *path, int32_t count,
                                                        const int32_t *observers, double *loss,
                                                        netdp_error *error);

/*
 * Paper E's own bounds of a token aggregation, sums of what its contributions cost alone (netdp/walk.h has
 * the formulas of the complete graph by themselves).
 */
typedef struct netdp_tally_terms {
    double epsilon;       /* one contribution is (epsilon, delta)-LDP by itself */
    double delta;         /* in (0, 1/2) */
    double delta_compose; /* delta' of the composition, in (0, 1/2) */
    double delta_visits;  /* complete graph: that a node contributes more often, in (0, 1/2) */
    double delta_spotted; /* complete graph, path not hidden: that more contributions are seen
                             directly, in (0, 1/2) */
    int32_t colluders; /* >= 1: ring: 1 only; complete graph: nodes / colluders stands for nodes */
} netdp_tally_terms;

/* What paper E's bound says, and from what. */
typedef struct netdp_tally_published {
    double contributions; /* of one node */
    double each;          /* epsilon of one towards the observer */
    double constant;      /* complete graph: the best c; ring: 0 */
    double spotted; /* part of epsilon: contributions seen directly, where nothing is hidden */
    double epsilon, delta; /* the guarantee claimed */
    bool upper;            /* an upper bound under the tally's own threat model */
} netdp_tally_published;

/*
 * Ring, sum: Theorem 1, an upper bound. Ring, histogram: Theorem 2 read backward, from the local
 * epsilon to that of a pass; `terms->delta` is that of a pass. Printed: epsilon0 = 12 epsilon
 * sqrt(ln(1/delta) / nodes), which is far too large where shuffling hides anything, and no upper
 * bound where nodes < 144 ln(1/delta); corrected: epsilon = 12 epsilon0 sqrt(ln(1/delta) / (nodes -
 * 1)), an upper bound (errata 8; netdp_shuffle_gamma and netdp_rr_gamma_printed go the other way).
 * Complete graph: Theorem 3 and Theorem 6, best over c, with Lemma 2 added where the path is not
 * hidden (the smaller of its two forms), both as printed or corrected; upper bounds neither way
 * (errata 11). Outside what a theorem covers, more than one colluder on the ring and a release
 * included, epsilon is infinite.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_published_bound(const netdp_tally *tally,
                                                               const netdp_tally_terms *terms,
                                                               netdp_form form,
                                                               netdp_tally_published *bound,
                                                               netdp_error *error);

/*
 * The same protocol under local differential privacy, by the same composition: K contributions, the
 * cap, or their number as in Theorem 3 (printed) or its exact quantile (corrected). It is an upper
 * bound but for the printed number of contributions where that is infinite.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_published_local(const netdp_tally *tally,
                                                               const netdp_tally_terms *terms,
                                                               netdp_form form,
                                                               netdp_tally_published *bound,
                                                               netdp_error *error);

/* Standard deviations of the sum in units of Delta. */
typedef struct netdp_tally_deviations {
    double network; /* of the tally as it is */
    double local;   /* of the same path with noise in every contribution */
    double central; /* of a trusted aggregator that releases the sum once */
} netdp_tally_deviations;

/*
 * What the sum's noise is, and what it would be at the same (epsilon, delta) if no network hid
 * anything, and if a trusted aggregator did. Gaussian sums; on the complete graph a node
 * contributes at most `cap` times, which must be given there.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_baselines(const netdp_tally *tally, double epsilon,
                                                         double delta,
                                                         netdp_tally_deviations *deviations,
                                                         netdp_error *error);

/*
 * Paper E, section 5 (Figures 1b and 3): the account of one walk whose path is known, cycle by
 * cycle. Sums with Gaussian noise, and histograms.
 */
typedef struct netdp_tally_cycles {
    const netdp_tally *tally; /* borrowed */
    const int32_t *path;      /* as netdp_tally_realised's */
    int32_t count;            /* observers that collude */
    const int32_t *observers; /* borrowed, [count] */
    double delta;         /* at which one contribution has its epsilon, in (0, 1/2); histograms: one
                             shuffled contribution */
    double delta_compose; /* in (0, 1/2) */
    netdp_shuffle_bound shuffle; /* of histograms; paper E's Figure 3 takes the blanket. Crowds are
                                    rounded down to three binary digits */
} netdp_tally_cycles;

/*
 * Into arrays [nodes], infinity for the observers:
 *
 * published: every contribution that is seen costs the epsilon of one, divided by sqrt(m) where m
 * noises are added up with it (sums), or of a crowd of m (histograms), and advanced composition
 * adds them up: no upper bound where a cycle has more than one of u's (errata 11).
 * total_delta: the delta that goes with it, at most 1.
 * sound: an upper bound at total_delta. Sums: the exact one, from netdp_tally_realised. Histograms:
 * where a cycle has more than one contribution of u, they are changed one after the other, each
 * shuffled with all the others, or count as not shuffled where that is less.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_empirical(const netdp_tally_cycles *cycles,
                                                         const netdp_progress *progress,
                                                         double *published, double *total_delta,
                                                         double *sound, netdp_error *error);

/* The four curves of those figures. */
typedef enum netdp_tally_account {
    NETDP_TALLY_NETWORK_PUBLISHED = 0, /* `published` of netdp_tally_empirical */
    NETDP_TALLY_NETWORK,               /* its `sound` */
    NETDP_TALLY_LOCAL_PUBLISHED, /* every contribution of a node at its full epsilon, by advanced
                                    composition */
    NETDP_TALLY_LOCAL,           /* at the same delta: sums exactly, histograms as above */
    NETDP_TALLY_ACCOUNTS,        /* how many there are */
} netdp_tally_account;

/* Values taken together; all 0 before the first. */
typedef struct netdp_tally_spread {
    int64_t count;           /* epsilons that were added */
    double sum, least, most; /* of them */
} netdp_tally_spread;

enum { NETDP_TALLY_CROWDS = 256 };

/*
 * One of them for every one of cycles->observers by itself and every other node (local: for every
 * node), complete graph only. The epsilons, each at its own total_delta, are added to *spread, so
 * that several walks can be taken together. crowd[NETDP_TALLY_CROWDS], zeros before the first call,
 * keeps what crowds cost: it belongs to one tally (whatever its path), delta and shuffle. It takes
 * steps time for every observer.
 */
NETDP_API NETDP_CHECK netdp_status netdp_tally_empirical_pairs(
    const netdp_tally_cycles *cycles, netdp_tally_account account, double *crowd,
    const netdp_progress *progress, netdp_tally_spread *spread, netdp_error *error);

/* Of a token that sums or counts, at its own noise or flip. */
NETDP_API NETDP_CHECK netdp_status netdp_tally_words(const netdp_tally *tally, const char *name,
                                                     char **text, netdp_error *error);

NETDP_END

#endif
