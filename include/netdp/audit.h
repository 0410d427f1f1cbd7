/*
 * The auditor: plays the observer of a threat model against the simulator, and says what it could
 * learn. A lower bound that exceeds a claim refutes it; one that does not proves nothing.
 *
 * Ownership: everything that is named is borrowed for the call alone. Threads: any may call, each with
 * results of its own.
 */
#ifndef NETDP_AUDIT_H
#define NETDP_AUDIT_H

#include <netdp/account.h>
#include <netdp/simulate.h>

NETDP_BEGIN

/* ---- From scores to evidence ---- */

/*
 * Scores of an attack on runs in two neighbouring worlds: larger speaks for world 1. Runs are
 * independent and in the order they were drawn (sorted scores would mislead the choice of
 * thresholds).
 */
typedef struct netdp_scores {
    int64_t runs;           /* of each world */
    const double *world[2]; /* [runs] */
} netdp_scores;

/* A threshold chosen on one part of the runs and tested on the other: score >= it says "1". */
typedef struct netdp_trade_point {
    double threshold;                                /* of the score */
    double false_positive, false_negative;           /* as counted */
    double false_positive_most, false_negative_most; /* Clopper-Pearson, at the confidence */
} netdp_trade_point;

enum { NETDP_TRADE_POINTS = 15 };

/* What the scores prove of the channel that they come from. */
typedef struct netdp_evidence {
    double confidence; /* of mu, epsilon and all bounds in `point` together */
    double mu;         /* the channel is not mu'-GDP for any mu' below this; 0: no evidence */
    double epsilon;    /* nor (epsilon', delta)-DP for any epsilon' below this */
    double delta;      /* of `epsilon` */
    int64_t tested;    /* runs of each world that the thresholds were tested on */
    int32_t points;    /* at least 1; fewer than the room where scores are tied */
    /* Thresholds fall, so false positives rise and false negatives fall: a curve to draw. */
    netdp_trade_point point[NETDP_TRADE_POINTS];
} netdp_evidence;

/*
 * Thresholds are chosen on the first third of the runs (quantiles, and those that show the most
 * mu and epsilon) and tested on the rest: Clopper and Pearson's exact bounds of both errors of
 * each, Bonferroni over all of them. mu is the largest Phi^-1(1 - FPR) - Phi^-1(FNR), epsilon the
 * largest ln((1 - delta - FNR)/FPR) or the same with the errors exchanged, rounded down, not below
 * 0. confidence and delta in (0, 1), runs >= 100, scores finite or infinite, never NaN
 * (NETDP_INVALID).
 */
NETDP_API NETDP_CHECK netdp_status netdp_audit_scores(const netdp_scores *scores, double confidence,
                                                      double delta, netdp_evidence *evidence,
                                                      netdp_error *error);

/* What the evidence says of a claim. */
typedef enum netdp_verdict {
    NETDP_VERDICT_CONSISTENT = 0, /* the attack found less than was claimed */
    NETDP_VERDICT_REFUTED,        /* it found more, at the confidence */
    NETDP_VERDICT_FEW_RUNS,       /* so few runs could not refute even a channel that leaks twice
                                     the claim */
} netdp_verdict;

/*
 * Of a claim "mu-GDP" (epsilon < 0) or "(epsilon, evidence->delta)-DP" (mu < 0), in [0, inf].
 * *enough: of FEW_RUNS, the runs of each world from which on a Gaussian channel with twice the
 * claim would be refuted if its errors were as many as expected (so about every other time; four
 * times as many leave little to chance), INT64_MAX where that is beyond 2^60; else 0. Twice a claim
 * of 0 or infinity is no other claim: of them FEW_RUNS is never said.
 */
NETDP_API NETDP_CHECK netdp_status netdp_audit_verdict(const netdp_evidence *evidence, double mu,
                                                       double epsilon, netdp_verdict *verdict,
                                                       int64_t *enough, netdp_error *error);

/* ---- A mechanism of which only samples are known ---- */

/* What a mechanism released of two neighbouring data sets: runs are independent. */
typedef struct netdp_samples {
    int64_t runs;           /* of each world, >= 400 */
    int32_t width;          /* numbers a run, 1 to 600 */
    const double *world[2]; /* borrowed, [runs][width]; infinite and NaN are outputs like others */
} netdp_samples;

/*
 * Learns an attack (a linear discriminant, histograms) from a quarter of the runs, chooses the best
 * and its thresholds on the next quarter, by mu or by epsilon at delta, and tests it on the rest:
 * evidence as of netdp_audit_scores. What is found depends on the attack, what is proven does not.
 * The last bits of numbers, in which floating-point noise may tell the value, are not looked for.
 * *attack (may be NULL) is its name, a constant.
 */
NETDP_API NETDP_CHECK netdp_status netdp_audit_samples(const netdp_samples *samples,
                                                       double confidence, double delta, bool of_mu,
                                                       netdp_evidence *evidence,
                                                       const char **attack, netdp_error *error);

/* ---- Attacks: scores of runs of the simulator ---- */

/* What may be broken on purpose, to see that an audit catches it. Or-ed. */
typedef enum netdp_fault {
    NETDP_FAULT_HALF_NOISE = 1 << 0,
    NETDP_FAULT_NO_CLIP = 1 << 1,      /* the victim contributes twice what is allowed */
    NETDP_FAULT_CLIP_AFTER = 1 << 2,   /* clips contribution plus noise */
    NETDP_FAULT_REUSED_NOISE = 1 << 3, /* every round draws the noise of the first */
    NETDP_FAULT_NO_DITHER = 1 << 4,    /* later messages carry none */
    NETDP_FAULT_NO_END_DITHER = 1 << 5,
    NETDP_FAULT_REUSED_PAIRS = 1 << 6, /* every contribution has the pairwise noise of the first */
    NETDP_FAULT_HALF_PAIRS = 1 << 7,   /* the larger of two nodes leaves its half out */
} netdp_fault;

/* How honest nodes behave: whatever the observer would like best. */
typedef enum netdp_honest {
    NETDP_HONEST_SILENT = 0, /* contribute 0 */
    NETDP_HONEST_PULL,       /* learning: gradient = own state, f = |x|^2 / 2: wipes noise out */
} netdp_honest;

/* An attack on gossip: who observes whom, and what is broken. */
typedef struct netdp_gossip_attack {
    const netdp_linear *protocol; /* borrowed */
    netdp_view view;              /* the observer, or a coalition */
    int32_t victim;               /* outside the observers */
    double noise;                 /* sigma, in units of Delta = 1 */
    /* c of each contribution round, in [-1, 1], not 0 in at_most of them: worlds 0 and 1 contribute
       -c/2 and c/2. NULL: ones (the first at_most, or those of the first batch) */
    const double *pattern;
    netdp_honest honest; /* what the other nodes do */
    double gain;         /* of NETDP_HONEST_PULL: x = -gain s at nodes whose messages the observer
                            does not see; the others contribute 0 */
    const double *gains; /* [nodes], instead of `gain`: every node has its own, but the victim and
                            the observers, who have none; NULL: as `gain` says */
    unsigned faults;     /* of netdp_fault, or-ed */
    int64_t runs;        /* of each world */
    uint64_t seed;       /* of all draws */
    double rate;         /* in [0, 1]; above 0 the victim is a row of Poisson batches that is there
                            (world 1) or not: world 0 contributes nothing, world 1 in each
                            contribution round c with this probability, by itself and unknown */
} netdp_gossip_attack;

/*
 * The log-likelihood ratio of the observer's whole view, which is linear and Gaussian: its weights
 * come from a dense model of the realised protocol made here, not from the accountants. Where own
 * noise is known the draws are part of the view; an observer always knows its own end dithers. What
 * is broken the attacker knows too: the weights are those of the protocol that runs, faults
 * included, except that clipping after noise is not linear (then: of the one described). No release
 * at the ends of phases is seen: it exists in an accountant's proof only.
 *
 * With `rate` the score is the ratio of always contributing against never: to first order in mu the
 * best of unknown draws, and a test of the same worlds whatever mu.
 *
 * Runs are the coordinates of models simulated many at a time. scores [2][runs]: without `rate`
 * normal with means -+mu^2/2 and variance mu^2; -+INFINITY where the view tells the value without noise. *optimal
 * (may be NULL): mu of the attack in that model. NETDP_NO_ANSWER where the view has more than 4,000
 * numbers, or more than 2^27 products of one with a draw of noise. NETDP_INVALID where noise is not
 * above 0, a fault has nothing to break, or honest nodes pull in a protocol that does not react.
 */
NETDP_API NETDP_CHECK netdp_status netdp_attack_gossip(const netdp_gossip_attack *attack,
                                                       const netdp_progress *progress,
                                                       double *scores, double *optimal,
                                                       netdp_error *error);

/*
 * The same runs scored without a model: weights learnt as a linear discriminant from other runs, as
 * one would attack a mechanism that is not understood. NETDP_NO_ANSWER where the view has more than
 * 600 numbers.
 */
NETDP_API NETDP_CHECK netdp_status netdp_attack_blindly(const netdp_gossip_attack *attack,
                                                        const netdp_progress *progress,
                                                        double *scores, netdp_error *error);

/* An attack on a walk. */
typedef struct netdp_walk_attack {
    const netdp_token *token; /* start not NETDP_START_OBSERVER, fewer than 2^32 moves */
    int32_t count;            /* >= 1; several are a coalition */
    const int32_t *observers; /* borrowed, [count] */
    int32_t victim;           /* outside the observers */
    double noise;             /* sigma, finite and >= 0, in units of Delta = 1 */
    bool resets;     /* the victim's map contracts the token so that it hurts the victim most, given
                        the path: non-expansive, so an accountant of learning must cover it, and no
                        account given the path can be less; else all maps are the identity */
    unsigned faults; /* HALF_NOISE, NO_CLIP, CLIP_AFTER (of an extreme row), REUSED_NOISE */
    int64_t runs;    /* of each world, 1 to 2^31 - 1 */
    uint64_t seed;   /* of all draws */
} netdp_walk_attack;

/*
 * The log-likelihood ratio of the token at the observers' visits, given the path and their own
 * noise, of the walk as it is declared (reused noise has a score of its own, which looks for it):
 * a visit with k contributions behind L unknown noise terms adds k y / (L sigma^2), y the token
 * less what they last sent on. scores [2][runs], infinite where noise is 0, never NaN. A run
 * depends on its world, number and seed only. NETDP_INVALID: an observer that is the victim, a
 * fault that no walk has (dithers).
 */
NETDP_API NETDP_CHECK netdp_status netdp_attack_walk(const netdp_walk_attack *attack,
                                                     const netdp_progress *progress, double *scores,
                                                     netdp_error *error);

/* An attack on a token that sums or counts. */
typedef struct netdp_tally_attack {
    const netdp_tally *tally; /* borrowed */
    int32_t count;            /* >= 1; several are a coalition */
    const int32_t *observers; /* borrowed, [count] */
    int32_t victim;           /* outside the observers */
    unsigned faults;          /* HALF_NOISE (of a histogram half the flip); NO_CLIP (sums) */
    int64_t runs;             /* of each world, 1 to 2^31 - 1 */
    uint64_t seed;            /* of all draws */
} netdp_tally_attack;

/*
 * The log-likelihood ratio of what the token gathers between the observers' visits, given the path
 * and what they add themselves, of the tally that runs, faults included. Sums: the victim always
 * contributes `high`, in world 0 `low`, as all others do. Histograms: it always has level 1, in
 * world 0 level 0, all others the first further level, or 0 where there is none.
 *
 * Exact but for these, each a statistic near to it: several discrete Gaussian terms in one
 * increment (as if they were one), more than 64 Laplace terms (as if normal), a histogram's
 * increment with a fill (each element drawn from fill and contributions mixed), or with more than
 * 63 contributions of the victim (left out).
 *
 * scores [2][runs], infinite where nothing hides the victim, never NaN, and rounded to multiples of
 * 2^-32: what the last bits of floating-point noise may tell (Mironov, CCS 2012) is not looked for.
 * A run depends on its world, number and seed only. NETDP_INVALID: an observer that is the victim,
 * a fault that no tally has; NETDP_NO_ANSWER: a view of more than 2^27 numbers.
 */
NETDP_API NETDP_CHECK netdp_status netdp_attack_tally(const netdp_tally_attack *attack,
                                                      const netdp_progress *progress,
                                                      double *scores, netdp_error *error);

/*
 * Best linear unbiased reconstruction of the victim's value from a view of averaging, every other
 * value known: root mean squared error, in units of Delta, over the 2 * runs runs of both worlds.
 * Expected: 1/mu, the noise over the root of the loss; INFINITY where the view tells nothing.
 */
NETDP_API NETDP_CHECK netdp_status netdp_reconstruct(const netdp_gossip_attack *attack,
                                                     const netdp_progress *progress, double *rmse,
                                                     netdp_error *error);

/* Standard deviation of the values that nobody knows anything about: uniform on [-1/2, 1/2]. */
#define NETDP_PRIOR 0.28867513459481287

/* An estimate of one node's value. */
typedef struct netdp_guess {
    double rmse;           /* over the runs, in units of Delta; NETDP_PRIOR: nothing was learnt */
    double standard_error; /* of it */
    double expected;       /* what the estimate itself expects */
} netdp_guess;

/*
 * The same of everybody at once, nobody's value known but the observers' own: the best linear
 * estimate from all that averaging tells them, after `runs` runs of values uniform on [-1/2, 1/2].
 * noise may be 0: then it solves for whatever the messages determine (El Mrini, Cyffers and Bellet,
 * ICML 2024). victim is ignored; pattern, honest and faults must be 0. guess [nodes], of observers
 * 0. NETDP_NO_ANSWER as of netdp_attack_gossip.
 */
NETDP_API NETDP_CHECK netdp_status netdp_reconstruct_everybody(const netdp_gossip_attack *attack,
                                                               const netdp_progress *progress,
                                                               netdp_guess *guess,
                                                               netdp_error *error);

/* Points of a curve of true against false positives: at 0.1 and at 0.01 false ones. */
enum { NETDP_MEMBERSHIP_POINTS = 2 };

/* How often an attack tells that a record was in. */
typedef struct netdp_membership {
    int64_t in, out;         /* runs with the record, and without it; 0: an observer's own */
    double area, area_error; /* under the curve, 1/2: a guess; and its standard error */
    double found[NETDP_MEMBERSHIP_POINTS];       /* true positives */
    double found_error[NETDP_MEMBERSHIP_POINTS]; /* their standard errors */
} netdp_membership;

/*
 * Membership by mixing (Touat et al., arXiv 2412.12837, who attack learning) of everybody in
 * averaging: does a node's record (its value at one end of the bounds) or the default (the other
 * end, Delta away) come in? known [nodes]: by the likelihood ratio of the observers' whole view, all
 * others' records known, so at most what mu-GDP allows; unknown [nodes]: by the best linear
 * estimate, nobody's known, everybody's in or out at random. 2 * runs in all, 100 <= runs <= 1e6.
 * noise may be 0. victim is ignored; pattern, honest and faults must be 0. NETDP_NO_ANSWER as of
 * netdp_attack_gossip.
 */
NETDP_API NETDP_CHECK netdp_status netdp_membership_everybody(const netdp_gossip_attack *attack,
                                                              const netdp_progress *progress,
                                                              netdp_membership *known,
                                                              netdp_membership *unknown,
                                                              netdp_error *error);

/* What a mu-GDP channel allows of such an attack at most, and its errors after so many runs (2 or
 * more each); mu in [0, inf], else NETDP_INVALID. */
NETDP_API NETDP_CHECK netdp_status netdp_membership_limit(double mu, int64_t in, int64_t out,
                                                          netdp_membership *most,
                                                          netdp_error *error);

/* Is any of the three found beyond what is allowed by more than four standard errors, the larger
 * of both? Compared are 3 numbers: of a true claim once in 10,000 times. */
NETDP_API bool netdp_membership_refutes(const netdp_membership *found,
                                        const netdp_membership *most);

/* ---- The auditor audited ---- */

/* One line of the self-test: a mechanism that is broken on purpose, or null data. */
typedef struct netdp_self_test {
    const char *name; /* what is audited */
    double claim; /* mu of the unbroken mechanism, of walks epsilon at delta 0.05; 0: null data */
    double found; /* what the audit proves of it; of null data the number of false alarms */
    bool passed;  /* what is broken was refuted, what is not was not */
} netdp_self_test;

/* Lines that netdp_audit_self_test fills. */
NETDP_API int32_t netdp_audit_self_tests(void);

/*
 * Audits null data 100 times, sound mechanisms and mechanisms with each fault, at 99.9 %. About a
 * minute. lines [netdp_audit_self_tests()].
 */
NETDP_API NETDP_CHECK netdp_status netdp_audit_self_test(uint64_t seed,
                                                         const netdp_progress *progress,
                                                         netdp_self_test *lines,
                                                         netdp_error *error);

NETDP_END

#endif
