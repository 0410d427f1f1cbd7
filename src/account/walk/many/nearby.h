/*
 * Transforms of a reversible walk's visits of single nodes, without its eigenvectors: S = D^{1/2} P
 * D^{-1/2} from some nodes on, as far as a number of steps leads, and Lanczos's tridiagonal matrices,
 * whose continued fractions are q' (I - z S)^{-1} q (docs/proofs/excursion.md, far laws).
 */
#ifndef NETDP_I_NEARBY_H
#define NETDP_I_NEARBY_H

#include <complex.h>
#include <netdp/mixing.h>

/* Nodes by their hops from the first ones; those that cannot be reached are left out. */
typedef struct netdp_i_nearby {
    int32_t nodes, levels;
    int32_t *place; /* [nodes of the graph]: in this order, or -1 */
    int32_t *end;   /* [levels]: those within so many hops */
    int64_t *start; /* S in this order */
    int32_t *column;
    double *weight;
    double *room[3]; /* [nodes] */
} netdp_i_nearby;

/* pi: of P; first: nodes to begin with, each once. */
netdp_status netdp_i_nearby_new(netdp_rows rows, const double *pi, const int32_t *first,
                                int32_t count, netdp_i_nearby *nearby, netdp_error *error);
void netdp_i_nearby_clear(netdp_i_nearby *nearby);

/* S^t x at two places, t = 0 .. terms - 1; x [nodes] is lost, and 0 but on the first nodes. */
void netdp_i_nearby_follow(netdp_i_nearby *nearby, double *x, const int32_t place[2], int64_t terms,
                           double *at[2]);

/*
 * value[i] = x' (I - z_i S)^{-1} x, up to 1e-14 of it or so: until more steps change it by no more.
 * x as above, kept. *made is false where too many are needed.
 */
netdp_status netdp_i_nearby_transform(netdp_i_nearby *nearby, const double *x,
                                      const double _Complex *z, int32_t points,
                                      double _Complex *value, bool *made, netdp_error *error);

#endif
