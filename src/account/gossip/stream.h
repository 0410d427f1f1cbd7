/* Many contributions that do not react to hidden state: streams of data (paper D, eq. 3.1). */
#ifndef NETDP_I_STREAM_H
#define NETDP_I_STREAM_H

#include <netdp/account.h>

#include "account/gossip/dual_bound.h"
#include "account/gossip/stream_proof.h"
#include "account/observe/filter.h"
#include "account/shift/problem.h"

/* What is asked of a stream. */
typedef struct netdp_i_stream_asked {
    netdp_bound bound;
    const double *pattern; /* NULL: the worst */
} netdp_i_stream_asked;

/*
 * of->loss[i]: the bound of node of->node[i]'s contributions towards the observer. With a pattern (of
 * netdp_linear_contributions many numbers, each in [-1, 1]) exactly its value, whatever the bound. Of more than NETDP_I_EXPLICIT slots a pattern or LOWER: NETDP_NO_ANSWER else.
 */
netdp_status netdp_i_stream(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const netdp_i_stream_asked *asked,
                            const netdp_i_sources *of, const netdp_progress *progress,
                            netdp_error *error);

/*
 * The same bound, with what rounding may have lost of it added outward: the number of contributions
 * where that cannot be told. Noise in pairs is left out where rounding may take too much with it. Of up to NETDP_I_EXPLICIT slots, on a basis of all eigenvectors, by a
 * filter that carries no factor (NETDP_I_FACTOR_BELOW); not LOWER.
 */
netdp_status netdp_i_stream_proven(const netdp_linear *protocol, const netdp_i_basis *basis,
                                   const netdp_i_observer *observer, netdp_bound bound,
                                   const netdp_i_sources *of, const netdp_progress *progress,
                                   netdp_error *error);

/* Does that proof begin with noise in pairs? Then no gain may be held, of up to NETDP_I_EXPLICIT rounds. */
bool netdp_i_stream_keeps_pairs(const netdp_linear *protocol, const netdp_i_observer *observer);

/* The Gram matrix of responses that are computed, [slots][slots] with its column-major lower triangle filled. */
typedef struct netdp_i_stream_matrix {
    double *m;
    int32_t slots, most; /* and how many contributions a node uses */
    double drift; /* what rounding may have changed of the responses, in length, all together */
} netdp_i_stream_matrix;

/* The least of the asked bounds, each with what its own arithmetic and m's may have lost. */
netdp_status netdp_i_stream_bound_proven(netdp_i_dual *quadratic, const netdp_i_stream_proof *proof,
                                         const netdp_i_stream_matrix *of, netdp_bound bound,
                                         double *loss, netdp_error *error);

/* More contributions than NETDP_I_EXPLICIT? */
bool netdp_i_stream_is_long(const netdp_linear *protocol);

/*
 * A long stream in segments of `length` contributions, after each of which all messages are seen (docs/proofs/shift.md, "Long streams"); of `kept`
 * contributions displacements are found, from which those of the segment are made. 3 <= kept <= length <= NETDP_I_EXPLICIT.
 */
typedef struct netdp_i_stream_segments {
    int64_t kept, length;
} netdp_i_stream_segments;

/* Is there a proof by displacements of such a stream (netdp_i_stream_shifted)? */
bool netdp_i_stream_can_shift(const netdp_linear *protocol, netdp_bound bound);

/*
 * The asked bound by a displacement of each contribution (docs/proofs/shift.md), of any noise above 0, with noise in pairs, on any network; the
 * number of contributions where that proves nothing. The view is of all rounds; contributions are `every` apart. `by`: in segments, of a network that
 * does not change; or NULL.
 */
netdp_status netdp_i_stream_shifted(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                    netdp_bound bound, const netdp_i_sources *of,
                                    const netdp_i_stream_segments *by,
                                    const netdp_progress *progress, netdp_error *error);

/*
 * The asked bound of one node from M, [slots][slots] with its column-major lower triangle filled;
 * UPPER: the least of the sound ones and of `most`, the number of contributions.
 */
netdp_status netdp_i_stream_bound(netdp_i_dual *quadratic, netdp_bound bound, double *m,
                                  int32_t slots, int32_t most, double *loss, netdp_error *error);

#endif
