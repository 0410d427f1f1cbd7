/*
 * A symmetric matrix by the tiles of its lower triangle, for products and a factor that go to all threads and hear
 * of a signal between two tiles. What is added up comes in an order that does not depend on threads.
 */
#ifndef NETDP_I_TILES_H
#define NETDP_I_TILES_H

#include <stdint.h>
#include <netdp/status.h>

/* Rows and columns of a tile; the last ones are cut off at the order. */
enum { NETDP_I_TILE = 512 };

typedef struct netdp_i_tiles {
    int32_t order, count; /* of the matrix; tiles in a column */
    double *value;        /* tile (i, j), j <= i, row-major; above its diagonal nothing is told */
} netdp_i_tiles;

/* All zero. Ends with netdp_i_tiles_clear, whatever it returns. */
netdp_status netdp_i_tiles_new(int32_t order, netdp_i_tiles *a, netdp_error *error);
netdp_status netdp_i_tiles_copy(const netdp_i_tiles *a, netdp_i_tiles *copy, netdp_error *error);
void netdp_i_tiles_clear(netdp_i_tiles *a);

/* Bytes of one. */
double netdp_i_tiles_bytes(double order);

/* Entry (i, i). */
double *netdp_i_tiles_diagonal(const netdp_i_tiles *a, int64_t i);

/* The sum of the squares that stand before it in its row. */
double netdp_i_tiles_before(const netdp_i_tiles *a, int64_t i);

/* The rows of tile i: how many there are. */
int netdp_i_tiles_rows(const netdp_i_tiles *a, int64_t i);

/* z[order][width] = y - A y; progress, which may be NULL, is asked whether to go on. */
netdp_status netdp_i_tiles_rest(const netdp_i_tiles *a, const double *y, double *z, int32_t width,
                                const netdp_progress *progress, netdp_error *error);

/* A += z z', z[order][width]. */
netdp_status netdp_i_tiles_add(netdp_i_tiles *a, const double *z, int32_t width,
                               const netdp_progress *progress, netdp_error *error);

/* A <- I + s A */
void netdp_i_tiles_shift(netdp_i_tiles *a, double s);

/* A <- L, L L' = A; NETDP_NO_ANSWER where A is not positive definite. */
netdp_status netdp_i_tiles_factor(netdp_i_tiles *a, const netdp_progress *progress,
                                  netdp_error *error);

/*
 * square[u] = sum of the squares of column u: of L^{-1} b, or without b of what is below the diagonal in L^{-1}.
 * Memory: order * NETDP_I_TILE doubles a thread.
 */
netdp_status netdp_i_tiles_squares(const netdp_i_tiles *l, const netdp_i_tiles *b, double *square,
                                   const netdp_progress *progress, netdp_error *error);

#endif
