/* The gains of all rounds of a protocol towards one observer, computed once. */
#ifndef NETDP_I_GAINS_H
#define NETDP_I_GAINS_H

#include "account/observe/filter.h"

typedef struct netdp_i_gains {
    netdp_i_filter *filter;     /* kept: responses refer to it */
    const netdp_i_basis *basis; /* of its states; borrowed */
    netdp_i_gain *gain;         /* [count]; the last one serves all later rounds where `steady` */
    int64_t count;
    bool steady;
    netdp_i_gain last; /* of the sum received after the last round; rank 0 without one */
    double size;       /* the largest Frobenius norm of P */
    double norm;       /* above the largest eigenvalue of any P, but for rounding */
    double change;     /* the largest change of an entry of P when the gain became steady */
} netdp_i_gains;

/*
 * Steady once P changes by less than 1e-14 a round, or after `longest` rounds of a protocol under
 * steady noise: then the gain is held although P still grows, which overstates a loss and never
 * understates it (docs/proofs/streams.md). NETDP_NO_MEMORY where all gains would not fit.
 */
netdp_status netdp_i_gains_new(const netdp_linear *protocol, const netdp_i_basis *basis,
                               const netdp_i_observer *observer, int64_t longest,
                               netdp_i_gains *gains, const netdp_progress *progress,
                               netdp_error *error);

/* How many rounds' gains may be kept. */
int64_t netdp_i_gains_room(const netdp_i_basis *basis, const netdp_i_observer *observer);
void netdp_i_gains_clear(netdp_i_gains *gains);

/*
 * Room for one more than `ages` blocks of `each` numbers in *numbers and, where it is not NULL, in
 * *others; *room is how many there is room for.
 */
netdp_status netdp_i_ages_grow(int64_t ages, int64_t each, int64_t *room, double **numbers,
                               double **others, netdp_error *error);

/* Of the first block, so much is as good as nothing; the largest absolute value of one. */
#define NETDP_I_AGES_NOTHING 1e-20
double netdp_i_ages_largest(const double *x, int64_t count);

/* The gain of round t. */
const netdp_i_gain *netdp_i_gains_at(const netdp_i_gains *gains, int64_t round);

#endif
