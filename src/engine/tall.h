/*
 * QR of a matrix whose rows are spread over the processes: each factors its own rows, and the
 * triangles are factored together (TSQR). As stable as Householder's QR of the whole.
 */
#ifndef NETDP_I_TALL_H
#define NETDP_I_TALL_H

#include <stdint.h>
#include <netdp/status.h>

/*
 * R [columns][columns] upper triangular, the same everywhere, with R^T R the sum over the processes
 * of rows^T rows, for their rows [count][columns] but those with skip[i] not 0. Called by all.
 */
netdp_status netdp_i_tall_triangle(const double *rows, int64_t count, const char *skip,
                                   int32_t columns, double *triangle, netdp_error *error);

#endif
