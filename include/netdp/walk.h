/*
 * Accounts of random walks: before a walk (netdp_walk_losses_new), of one whose path is known
 * (netdp_realised_costs), how near it comes to the optimum, and the papers' closed forms.
 *
 * Ownership: requests borrow what they name, for the call alone; losses are the caller's,
 * netdp_losses_free, and words, free(). Threads: any may call, also with the same request.
 */
#ifndef NETDP_WALK_H
#define NETDP_WALK_H

#include <netdp/account.h>

NETDP_BEGIN

/*
 * What each node learns about each other node from a random walk (paper A; paper E, section 4).
 *
 * Walks have no unit-free loss: their Renyi curve is not a line, because the path is random. An
 * account is made for one noise and one unit, epsilon at a Renyi order or at a delta.
 */

/*
 * Assumes what the excursion accountant needs and cannot see: a constant step, node maps that do
 * not expand distances (rows clipped before the mean over them, step <= 2 / smoothness, projection
 * on convex sets), nodes without memory, the last iterate as the result. Whoever runs a walk must
 * check them (netdp_smoothness) or ask for NETDP_BOUND_LOCAL.
 */
typedef struct netdp_walk_request {
    const netdp_token *token; /* borrowed */
    netdp_bound bound;        /* NETDP_BOUND_AUTO: the least sound one */
    double noise;             /* sigma >= 0, in units of the sensitivity Delta of a gradient */
    netdp_unit unit;          /* NETDP_AS_RDP or NETDP_AS_DP */
    int32_t from_count;       /* 0: all nodes */
    const int32_t *from;      /* borrowed, [from_count]: who is learned about */
    int32_t to_count;         /* 0: all nodes, each an observer of its own */
    const int32_t *to;        /* borrowed, [to_count], distinct: who learns */
    bool coalition;           /* the nodes of `to` collude: one observer */
    /* Where the law was made from private data by an (epsilon, delta)-DP release of every node
       (netdp/privacy.h), towards everyone: its epsilon is added, its delta taken from the unit's. 0
       and 0: a law that is public anyhow. Above 0 with NETDP_AS_DP only, below the unit's delta. */
    double law_epsilon, law_delta;
} netdp_walk_request;

/* AUTO becomes least where a node contributes once, excursion else; another bound must apply to
 * walks (NETDP_INVALID). */
NETDP_API NETDP_CHECK netdp_status netdp_walk_bound_choose(const netdp_token *token,
                                                           netdp_bound bound,
                                                           const netdp_bound_info **chosen,
                                                           netdp_error *error);

/*
 * Epsilon in the asked unit for every pair, capped by local differential privacy where the bound is
 * sound; `final` is set. A transition matrix must be reversible, as all of netdp/mixing.h are.
 */
NETDP_API NETDP_CHECK netdp_status netdp_walk_losses_new(const netdp_walk_request *request,
                                                         const netdp_progress *progress,
                                                         netdp_losses **losses, netdp_error *error);

/*
 * The least noise, on the safe side, whose guarantee meets the target: re-accounting it lands in
 * [0.999, 1] of it. The request's noise and unit are not used; its bound must be sound
 * but for target->even_unsound. NETDP_NO_ANSWER where max_noise is not enough. `losses` (may be
 * NULL): the account at the noise.
 */
NETDP_API NETDP_CHECK netdp_status netdp_walk_calibrate(const netdp_walk_request *request,
                                                        const netdp_target *target,
                                                        const netdp_progress *progress,
                                                        netdp_calibration *calibration,
                                                        netdp_losses **losses, netdp_error *error);

/*
 * The account of one node towards one observer or coalition as a list of events, which compose with
 * others at any delta (netdp_events_epsilon): the distribution of what the path costs
 * (NETDP_RANDOM_GAUSSIAN), N contributions where nothing less is proven, or, where the bound knows no
 * such law, epsilon at the unit's delta. The unit is NETDP_AS_DP, and its delta what the law is most
 * exact for. The release of a law is an event of its own. NETDP_INVALID for several pairs or a bound
 * that is not sound. On success *events is new: netdp_events_free.
 */
NETDP_API NETDP_CHECK netdp_status netdp_walk_events_new(const netdp_walk_request *request,
                                                         const netdp_progress *progress,
                                                         netdp_events **events, netdp_error *error);

/* Of a walk at request->noise. `gamma`: what released a weighted walk's law; NULL: public. */
NETDP_API NETDP_CHECK netdp_status netdp_walk_words(const netdp_walk_request *request,
                                                    const char *name, const netdp_gamma *gamma,
                                                    char **text, netdp_error *error);

/*
 * What each node learns from a walk whose path is known: the account of one run, excursion by
 * excursion (paper E, section 5, made sound; docs/proofs/excursion.md).
 *
 * The path is drawn independently of the data, so it may be treated as revealed. Given it, the
 * contributions of u between two visits of the observer are seen together at the second one, and
 * what they cost adds up over visits. With c the sum, all that the observer sees is mu-Gaussian
 * differentially private towards u,
 *
 *     mu = sqrt(c) / sigma,
 *
 * so c is a `loss` of netdp/account.h: netdp_loss_value(c, sigma, unit, ..) gives any measure. It
 * is a guarantee for this run only. To choose sigma beforehand use netdp/walk.h.
 *
 * Paths are those of netdp_simulate_walk: path[tokens][steps + 1], the node at each step and then
 * the one that keeps the token. A node sees the token each time it is there, t = 0 .. steps, before
 * its own update; `release` makes t = steps a visit for all. A node over the cap adds noise (and
 * takes the step of l2, where the contraction of `token` counts on it),
 * which still hides others. Of the token only law (the number of nodes), steps, burn_in, start,
 * cap, tokens and release are used; steps < 2^32.
 */

/* How contributions hide behind noise. */
typedef enum netdp_realised_kind {
    /* The least that shift absorption gives: squared slopes of the greatest convex minorant of the
       running count of contributions. Assumes what netdp_walk_request does: constant step,
       non-expansive maps, no memory, the last iterate. */
    NETDP_REALISED_ABSORBED = 0,
    /* k^2 / L, k contributions under L noise terms of nodes that do not observe: exact for identity
       maps (sums, running means), too small for anything else, the mean task with a constant step
       included. */
    NETDP_REALISED_LINEAR,
} netdp_realised_kind;

/*
 * How often each node contributes, over all tokens, into contributions[nodes]: its loss c under
 * local differential privacy. NETDP_INVALID where the path is none of the token's.
 */
NETDP_API NETDP_CHECK netdp_status netdp_realised_contributions(const netdp_token *token,
                                                                const int32_t *path,
                                                                int64_t *contributions,
                                                                netdp_error *error);

/*
 * What `count` observers that collude (1: a single one) learn about every node: c into
 * cost[nodes], at most the node's contributions (times its squared scale, netdp_token_scale), 0
 * where none is ever seen, infinity for the observers themselves. Time and memory in proportion to
 * steps.
 */
NETDP_API NETDP_CHECK netdp_status netdp_realised_costs(const netdp_token *token,
                                                        const int32_t *path,
                                                        netdp_realised_kind kind, int32_t count,
                                                        const int32_t *observers, double *cost,
                                                        netdp_error *error);

/* The same for every node as an observer of its own: cost[observer][node], nodes * steps time. */
NETDP_API NETDP_CHECK netdp_status netdp_realised_pairs(const netdp_token *token,
                                                        const int32_t *path,
                                                        netdp_realised_kind kind,
                                                        const netdp_progress *progress,
                                                        double *cost, netdp_error *error);

/*
 * How near a walk with a model comes to the optimum (paper A, Theorem 2).
 */

/*
 * A walk of constant step without cap and projection; x* minimises the mean of the nodes'
 * objectives f_v (under a transition matrix that is not symmetric: weighted with its stationary
 * law).
 */
typedef struct netdp_convergence {
    double convexity;      /* m > 0: every f_v is m-strongly convex */
    double smoothness;     /* beta >= m: and beta-smooth */
    double mixing_time;    /* tau_mix(1/4) of the walk in steps, >= 1 */
    double heterogeneity;  /* zeta^2 >= 0: the most that |gradient of f_v at x*|^2 is */
    double batch_variance; /* sigma_sgd^2 >= 0: E|g - gradient of f_v|^2 of a batch; 0: all rows */
    int32_t dimensions;    /* d >= 1 */
    double noise;          /* sigma Delta >= 0, per coordinate of a gradient */
    double distance;       /* R = |x_0 - x*| >= 0 */
    int64_t steps;         /* T >= 1 */
} netdp_convergence;

/*
 * The theorem's step and the bound on E|x_T - x*|^2 that its proof gives there:
 *
 *     gamma = min( 1/beta, ln( T m^3 R^2 / (39 beta tau zeta^2) ) / (m T) )
 *     bound = 2 (1 - gamma m)^T R^2
 *             + gamma ( 39 beta tau zeta^2 / m^2 + (d sigma^2 Delta^2 + sigma_sgd^2) / m )
 *
 * The printed bound has 2 exp(-T m / beta) R^2 for the first term although gamma may be less than
 * 1/beta: it fails where the logarithm is small. Where the logarithm is not positive the theorem
 * has no step: *step is 0 and *bound infinite. NETDP_INVALID where an input is out of its range.
 */
NETDP_API NETDP_CHECK netdp_status netdp_walk_convergence(const netdp_convergence *convergence,
                                                          double *step, double *bound,
                                                          netdp_error *error);

/*
 * Closed forms of papers A and E for walks on the star, the ring and the complete graph, as printed
 * and as corrected, and the distribution of how often a walk visits a node.
 *
 * The closed forms are published bounds: they add up contributions that one visit of the observer
 * sees together, and are no guarantee (docs, errata 11). sigma is the noise of one contribution in
 * units of its sensitivity Delta (paper E: Delta = 2L). Outside what a theorem covers: infinity.
 */

/* One contribution of `from`, seen by `to` != `from`, in a walk of `steps` steps. */
typedef struct netdp_closed_walk {
    int32_t nodes;    /* star and complete: 2 or more; ring: 3 or more */
    int32_t from, to; /* node numbers */
    int64_t steps;    /* T >= 1 */
    double loop;      /* kappa in [0, 1), see each function */
    double alpha;     /* above 1 */
    double sigma;     /* above 0; the theorems ask for sigma^2 >= 2 alpha (alpha - 1) */
} netdp_closed_walk;

/*
 * Star with node 0 in the centre. Printed: paper A, Theorem 4, with W = A/(n-1) (which is not
 * stochastic) and a vanishing `loop`. Corrected: Lemma 2 for (1-loop) W + loop I, W the Hamilton
 * weights of the star, which keep the token on a leaf with probability 1 - 1/(n-1) (errata 5).
 */
NETDP_API NETDP_CHECK netdp_status netdp_closed_star(const netdp_closed_walk *walk, netdp_form form,
                                                     double *epsilon, netdp_error *error);

/*
 * Ring in order; the walk stays with probability `loop`, else goes left or right alike. Printed:
 * paper A, Theorem 5, nodes counted from 1: its first form where `loop` is exactly 1.0/3, else its
 * second; both may be negative or far off. Corrected, any loop:
 *
 *     (alpha / (n sigma^2)) (H_T - sum_{k=1}^{n-1} cos(2 pi a k / n) ln(2 (1-loop) sin^2(pi k/n)))
 *
 * with a = from - to, which is Theorem 3 with a harmonic number (errata 3, 4, 16).
 */
NETDP_API NETDP_CHECK netdp_status netdp_closed_ring(const netdp_closed_walk *walk, netdp_form form,
                                                     double *epsilon, netdp_error *error);

/* Complete graph, W = 11'/n, loop unused. Printed: paper A, Appendix E.2, alpha ln T / (n sigma^2).
   Corrected: H_T for ln T, which is Lemma 2 (errata 3). */
NETDP_API NETDP_CHECK netdp_status netdp_closed_complete(const netdp_closed_walk *walk,
                                                         netdp_form form, double *epsilon,
                                                         netdp_error *error);

/*
 * Complete graph by the distribution of the first passage, loop and steps unused. Printed: paper E, Lemma 1
 * for one contribution, alpha ln n / (n sigma^2), whose proof gives a passage at step t the
 * probability (1-1/n)^t / n. Corrected: (1-1/n)^(t-1) / n, so alpha ln n / ((n-1) sigma^2). Both
 * where sigma^2 >= alpha (alpha-1) / 2.
 */
NETDP_API NETDP_CHECK netdp_status netdp_closed_passage(const netdp_closed_walk *walk,
                                                        netdp_form form, double *epsilon,
                                                        netdp_error *error);

/* A token on the complete graph whose contributions are (epsilon, delta)-LDP each (paper E). */
typedef struct netdp_complete_walk {
    int32_t nodes;        /* 2 or more */
    int64_t steps;        /* T >= 1 */
    int64_t cap;          /* contributions of a node at most; 0: by their law */
    double epsilon;       /* of one contribution, in (0, 1) */
    double delta;         /* of one contribution, in (0, 1/2) */
    double delta_compose; /* delta' of the composition, in (0, 1/2); sum only */
    double delta_visits;  /* that a node contributes more often than accounted for, in (0, 1/2) */
} netdp_complete_walk;

/* What a walk on the complete graph costs by paper E, and from what. */
typedef struct netdp_complete_loss {
    double contributions; /* N_u */
    double each;     /* epsilon of one contribution; sgd: Renyi slope of one, epsilon / alpha */
    double constant; /* sum: the best c; sgd: the best order alpha */
    double epsilon, delta; /* the guarantee claimed */
} netdp_complete_loss;

/*
 * Sums: paper E, Theorem 3 (Appendix D), best over c. Printed: N_u = T/n + sqrt(3 (T/n) ln(1/
 * delta_visits)) and N_u epsilon (e^each - 1) in the composition. Corrected: N_u the exact binomial
 * quantile, N_u each (e^each - 1) (errata 8). A cap replaces N_u in both, and delta_visits counts
 * 0 then.
 */
NETDP_API NETDP_CHECK netdp_status netdp_closed_sum(const netdp_complete_walk *walk,
                                                    netdp_form form, netdp_complete_loss *loss,
                                                    netdp_error *error);

/*
 * Gradient descent: paper E, Theorem 4, printed; corrected: netdp_closed_passage's corrected form,
 * the exact binomial quantile, and the best order allowed (Remark 5).
 */
NETDP_API NETDP_CHECK netdp_status netdp_closed_sgd(const netdp_complete_walk *walk,
                                                    netdp_form form, netdp_complete_loss *loss,
                                                    netdp_error *error);

/*
 * Contributions that are spotted: seen directly because the observer knows whom the token came from
 * and went to (paper E, Appendix G, Lemma 2; complete graph, `walk` as above).
 */
typedef struct netdp_spotted {
    double count;    /* K_s */
    double simple;   /* K_s epsilon: to be added to the loss */
    double advanced; /* by advanced composition instead */
} netdp_spotted;

/*
 * Printed: K_s = 2 N_u/n + sqrt(6 (N_u/n) ln(1/delta_spotted)), used by the paper outside of the
 * Chernoff bound's range too, and advanced = sqrt(K_s ln(1/delta')) epsilon + K_s epsilon
 * (e^epsilon - 1), delta' = delta_spotted. Corrected: K_s is the exact quantile of the number of
 * contributions of u next to a visit of v, and the root is sqrt(2 K_s ln(1/delta_compose)).
 * `edge_cap` > 0: a node sends noise only over an edge that was used so often; K_s is that at most.
 */
NETDP_API NETDP_CHECK netdp_status netdp_spotted_loss(const netdp_complete_walk *walk,
                                                      double delta_spotted, int64_t edge_cap,
                                                      netdp_form form, netdp_spotted *spotted,
                                                      netdp_error *error);

/*
 * The least k with P(the walk is at `node` in more than k of its steps 0 .. T-1) <= delta, delta in
 * (0, 1/2), erring upward: the contributions but for a cap. Where every move is uniform over all
 * nodes it is a binomial quantile, any T. Else it is exact from the distribution of the return time: T
 * products with P and k transforms of T terms, or, for delta below about 1e-7, k T^2 / 2
 * multiplications; NETDP_NO_ANSWER where that is more than 10^11, or T more than 10^7.
 * NETDP_START_OBSERVER is refused: name the node.
 */
NETDP_API NETDP_CHECK netdp_status netdp_visits_quantile(const netdp_token *token, int32_t node,
                                                         double delta, int64_t *visits,
                                                         netdp_error *error);

/*
 * The Chernoff form that the papers print, mean + sqrt(3 mean ln(1/delta)): holds for binomial
 * counts only, and for mean >= 3 ln(1/delta) only: infinity elsewhere.
 */
NETDP_API double netdp_visits_chernoff(double mean, double delta);

NETDP_END

#endif
