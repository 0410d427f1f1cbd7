/*
 * Closed forms of papers A and E for walks on the star, the ring and the complete graph, as printed
 * and as corrected, and the law of how often a walk visits a node.
 *
 * The closed forms are published bounds: they add up contributions that one visit of the observer
 * sees together, and are no guarantee (docs, errata 11). sigma is the noise of one contribution in
 * units of its sensitivity Delta (paper E: Delta = 2L). Outside what a theorem covers: infinity.
 */
#ifndef NETDP_CLOSED_H
#define NETDP_CLOSED_H

#include <netdp/token.h>

NETDP_BEGIN

/* Which form of a published formula. */
typedef enum netdp_form {
    NETDP_FORM_PRINTED,   /* as the paper has it */
    NETDP_FORM_CORRECTED, /* what its own proof gives when it is done right */
} netdp_form;

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
 * Complete graph by the law of the first passage, loop and steps unused. Printed: paper E, Lemma 1
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
 * nodes it is a binomial quantile, any T. Else it is exact from the law of the return time: T
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
