/*
 * The exact accountant of linear protocols: a Kalman filter on a modal basis.
 *
 * The filter itself (covariance, gains) does not depend on who contributes when; responses of the
 * whitened innovations to contributions are carried beside it.
 */
#ifndef NETDP_I_FILTER_H
#define NETDP_I_FILTER_H

#include <netdp/status.h>
#include <netdp/protocol.h>

#include "account/losses/losses.h"
#include "account/observe/basis.h"
#include "account/observe/gain.h"
#include "base/try.h"

/* A view reduced to what carries information: y_t = the messages of `seen`. */
typedef struct netdp_i_observer {
    int32_t seen_count;
    const int32_t *seen;
    int32_t member_count; /* who observes */
    const int32_t *member;
    int32_t quiet_count; /* nodes whose noise the observer knows: it hides nothing */
    const int32_t *quiet;
    bool last_sum; /* after the last round also s_T of `seen`, under no new noise */
    /* [seen_count], or NULL for ones: through which weights a seen node receives noise that the
     * observer does not know, as the root of the sum of their squares. Of sums, whose own scale it
     * is where the seen node's own noise is known, and after the last round. */
    const double *reach;
    const netdp_pairing *pairing; /* noise that cancels in pairs; NULL: none */
    bool own_counts; /* one quiet node, whose own noise is known in sum only, as a message shows it
                      */
} netdp_i_observer;

/*
 * A direction that is not resolved adds its worst case: the response in units of the own scale,
 * squared. Above this the scale no longer says how much noise hides it, and it is told.
 */
#define NETDP_I_OUTSIDE_RANGE 1e-8

/* What rounding leaves of a response that is none, and may hide of one. */
#define NETDP_I_RESPONSE_ROUNDING 1e-15

/* Below this scale of an observation the covariance is carried as a factor: 1e-16 / scale^2 must
   stay well below 1e-8. */
#define NETDP_I_FACTOR_BELOW 5e-3

/* Up to this many contribution slots M of a pair is formed. */
enum { NETDP_I_EXPLICIT = 1024 };

typedef struct netdp_i_filter netdp_i_filter;

/* `reach` of node v: over its row but for marked nodes, and with its own entry where `own`. */
double netdp_i_reach(netdp_rows rows, int32_t v, const char *mark, bool own);

/* The most that the standard deviation of what one round brings is: 1, with noise in pairs more. */
double netdp_i_observer_spread(const netdp_i_observer *observer);

/* The least scale that an observation of the protocol has, in units of that: what decides how P is
 * carried. */
double netdp_i_observer_scale(const netdp_linear *protocol, const netdp_i_observer *observer);

/* `scale`: the least one of any observation; where it is small P is carried as a factor. */
netdp_status netdp_i_filter_new(const netdp_i_basis *basis, const netdp_i_observer *observer,
                                double scale, netdp_i_filter **filter, netdp_error *error);
void netdp_i_filter_free(netdp_i_filter *filter);
OWNER(netdp_i_filter_free, netdp_i_filter)

/* Observe (fills the gain), then predict with the next round's noise, and that of pairs where the
 * round takes contributions; in turn. */
netdp_status netdp_i_filter_observe(netdp_i_filter *filter, netdp_i_gain *gain, netdp_error *error);
netdp_status netdp_i_filter_predict(netdp_i_filter *filter, double noise, bool contributes,
                                    netdp_error *error);

/* The Cholesky factor of P + noise^2 I, [modes] x [modes], column-major: of `noise` no smaller than
   the scale that the filter was made for. */
netdp_status netdp_i_filter_factor(const netdp_i_filter *filter, double noise, double *lower,
                                   netdp_error *error);

/* The Frobenius norm of P, and the largest sum of a row's absolute values; meaningless in factor form. */
double netdp_i_filter_size(const netdp_i_filter *filter, double *row);

/* The largest change of an entry of P by the last predict; meaningless in factor form (infinity).
 */
double netdp_i_filter_change(const netdp_i_filter *filter);

/* Responses of the innovations to contributions: one column of E a contribution and node. */
typedef struct netdp_i_response {
    int32_t modes, seen, count;
    const double *theta;
    const double *rows; /* S B, [modes] x [seen]; owned by the filter */
    double *e;          /* [modes] x [count] */
    double *w;          /* [seen] x [count]: after _learn, the whitened innovation's response */
    double *row;        /* [seen] */
    bool *told;         /* [count]: the response left the range of Sigma: infinite loss */
} netdp_i_response;

/* E = 0; the filter must outlive it. */
netdp_status netdp_i_response_new(const netdp_i_filter *filter, int32_t count,
                                  netdp_i_response *response, netdp_error *error);
void netdp_i_response_clear(netdp_i_response *response);

/* E += amount times the coordinates of nodes from[0 .. count-1]. */
void netdp_i_response_contribute(netdp_i_response *response, const netdp_i_basis *basis,
                                 const int32_t *from, double amount);

/* w = L^{-1} S E and E <- E - gain w: the first `rank` entries of each column of w count. The
   others, with what rounding may hide of them, are what directions that are not resolved tell at
   most. */
void netdp_i_response_learn(netdp_i_response *response, const netdp_i_gain *gain);

/* E <- theta E */
void netdp_i_response_predict(netdp_i_response *response);

#endif
