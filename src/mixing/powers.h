/* Entries of P^t as sequences in t, as long as they are not yet at their limit. */
#ifndef NETDP_I_POWERS_H
#define NETDP_I_POWERS_H

#include <netdp/status.h>
#include <netdp/mixing.h>

/*
 * For each asked node i the sequence at t = 0 .. count-1; from there on it is limit[i] up to
 * 2^-46 + count 2^-52 of it: after mixing nothing more is computed.
 */
typedef struct netdp_i_powers {
    int32_t asked;
    int64_t *count; /* [asked] */
    double **value; /* [asked][count] */
    double *limit;  /* [asked] */
} netdp_i_powers;

/* (P^t x)_u for the asked nodes, times `scale` [asked] (NULL: 1), t up to terms-1. x [nodes] >= 0.
 */
netdp_status netdp_i_powers_of_vector(const netdp_transition *transition, const double *x,
                                      const int32_t *node, int32_t asked, const double *scale,
                                      int64_t terms, const netdp_progress *progress,
                                      netdp_i_powers *powers, netdp_error *error);

/* (P^t)_uu for the asked nodes, by half as many products: sum_x (pi_x / pi_u) (P^{t/2})_xu^2. */
netdp_status netdp_i_powers_of_returns(const netdp_transition *transition, const int32_t *node,
                                       int32_t asked, int64_t terms, const netdp_progress *progress,
                                       netdp_i_powers *powers, netdp_error *error);

void netdp_i_powers_clear(netdp_i_powers *powers);

/* The sequence of the asked node i, shifted by `shift`, into out [terms]. */
void netdp_i_powers_copy(const netdp_i_powers *powers, int32_t i, int64_t shift, int64_t terms,
                         double *out);

/* Are the two sequences the same, up to rounding? */
bool netdp_i_powers_equal(const netdp_i_powers *a, int32_t i, const netdp_i_powers *b, int32_t j);

#endif
