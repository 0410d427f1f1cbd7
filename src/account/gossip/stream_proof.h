/*
 * How far rounding may have brought a stream's account below the truth: docs/proofs/streams.md, "In
 * floating point". What is added outward makes a bound of the computed M one of the true M.
 */
#ifndef NETDP_I_STREAM_PROOF_H
#define NETDP_I_STREAM_PROOF_H

#include "account/gossip/matrices.h"

/* Of one observer or coalition. A bound B of the Gram matrix of computed responses becomes
   (sqrt(B) + a)^2 / (1 - scale), a of each contribution adding up. */
typedef struct netdp_i_stream_proof {
    bool holds;     /* else nothing is proven but M <= I */
    double scale;   /* of the noise's covariance */
    double state;   /* a of a contribution, per unit of the length of its states */
    double steady;  /* ... per unit of its state when the gain becomes steady */
    double made;    /* ... for each */
    double lasts;   /* square root of the sum over ages of |A^age|^2 */
    double peak;    /* of the covariance of a state's errors, above its largest eigenvalue */
    double back;    /* of rows that go back a round, per unit of their length */
    double begun;   /* ... of rows that begin, or end */
    int64_t terms;  /* sums that make an entry of M have so many at most */
    int64_t beside; /* contributions whose responses meet that of one */
} netdp_i_stream_proof;

/*
 * alpha: any input of the messages, at whatever nodes and in whatever rounds, is worth this many times its square of noise that hides; INFINITY where
 * that cannot be told. The members see their neighbours, or sums, and know their own noise.
 */
netdp_status netdp_i_stream_worth(const netdp_linear *protocol, const int32_t *member,
                                  int32_t members, bool sums, double *worth, netdp_error *error);

/* On a basis of all eigenvectors. retrace: rows are followed backwards, and `shown` has none; or NULL. */
netdp_status netdp_i_stream_proof_new(const netdp_linear *protocol,
                                      const netdp_i_observer *observer, const netdp_i_gains *gains,
                                      const netdp_i_ages *shown, const netdp_i_retrace *retrace,
                                      netdp_i_stream_proof *proof, netdp_error *error);

/* What the entries of m [slots][slots] miss of the Gram matrix: the sum over all, or of a row. */
double netdp_i_stream_gram_error(const netdp_i_stream_proof *proof, const double *m, int64_t slots,
                                 bool row);

/* What rounding may change of the responses of `early` and `late` contributions, in length. */
double netdp_i_stream_drift(const netdp_i_stream_proof *proof, const netdp_i_states *states,
                            int64_t early, int64_t late);

/* The same of `most` contributions by rows that are followed backwards; lengths: netdp_i_matrices_retraced's. */
double netdp_i_stream_drift_back(const netdp_i_stream_proof *proof, const netdp_i_retrace *retrace,
                                 double lengths, int64_t rounds, int64_t most);

/* The bound of the true M from that of the Gram matrix of responses that drift so far. */
double netdp_i_stream_outward(const netdp_i_stream_proof *proof, double drift, double bound);

#endif
