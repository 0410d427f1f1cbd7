/* What observers of a tally see, increment by increment, and the accounts made from it. */
#ifndef NETDP_I_ACCOUNT_TALLY_H
#define NETDP_I_ACCOUNT_TALLY_H

#include <netdp/tally.h>

/* All that the token took up between two visits of observers, none of it known to them. */
typedef struct netdp_i_increment {
    double energy;        /* of the noise */
    int64_t elements;     /* contributions */
    int64_t fill;         /* uniform elements of v_0, which does not observe */
    int32_t count;        /* nodes that contributed */
    const int32_t *node;  /* [count] */
    const int64_t *often; /* [nodes]: contributions of each */
    int64_t times;        /* increments like it, told of at once: passes of the ring */
} netdp_i_increment;

typedef void (*netdp_i_increment_seen)(void *context, const netdp_i_increment *increment);

/*
 * Tells of every increment that the observers see, in order. path as netdp_tally_realised's, and
 * checked; the tally is checked already.
 */
netdp_status netdp_i_tally_follow(const netdp_tally *tally, const int32_t *path, int32_t count,
                                  const int32_t *observers, netdp_i_increment_seen seen,
                                  void *context, netdp_error *error);

/*
 * Ring, Gaussian sum whose nodes share noise in pairs: mu^2 sigma^2 of every node into loss[nodes]
 * towards observers who pool their views, from above; infinity for themselves. The tally and the
 * observers are checked already.
 */
netdp_status netdp_i_tally_paired(const netdp_tally *tally, int32_t count, const int32_t *observers,
                                  double *loss, netdp_error *error);

/*
 * Complete graph, Gaussian sum: (alpha - 1) times the Renyi epsilon of one node towards `members`
 * observers, theta = alpha (alpha - 1) / (2 sigma^2); rounded up, infinity where it is not found.
 */
netdp_status netdp_i_tally_excursion(const netdp_tally *tally, int32_t members, double theta,
                                     double *value, netdp_error *error);

/*
 * The same sum with a cap as a walk: epsilon in the unit towards `members` < nodes observers, of Gaussian sums on the complete graph of
 * which netdp_i_tally_walks says yes: noise, a cap that matters, not too many nodes.
 */
bool netdp_i_tally_walks(const netdp_tally *tally, netdp_unit unit);
netdp_status netdp_i_tally_walk(const netdp_tally *tally, int32_t members, netdp_unit unit,
                                const netdp_progress *progress, double *epsilon,
                                netdp_error *error);

/* The values of a histogram's losses on the ring, by shuffling. */
netdp_status netdp_i_tally_shuffled(const netdp_tally_request *request,
                                    const netdp_progress *progress, netdp_losses *losses,
                                    netdp_error *error);

/*
 * A crowd in few binary digits, rounded down to hide less: many crowds become few. At most 10^9.
 */
int64_t netdp_i_tally_crowd(int64_t crowd, int digits);

/* What `times` roundings to nearest of positive numbers may have taken away. */
double netdp_i_tally_up(double value, double times);

#endif
