/* The mixing matrix from inside. */
#ifndef NETDP_I_MIXING_H
#define NETDP_I_MIXING_H

#include <netdp/mixing.h>

#include "base/try.h"
#include "mixing/others.h"

struct netdp_mixing {
    const netdp_graph *graph; /* the caller's; it must outlive the mixing */
    char *name;
    int32_t nodes;
    int64_t *start;
    int32_t *column;
    double *weight;
    int32_t components;
    bool symmetric;
    bool periodic; /* some component of 2 nodes or more is bipartite with an all-zero diagonal */
    bool lent;     /* its arrays and name are not its own to free */
};

OWNER(netdp_mixing_free, netdp_mixing)
OWNER(netdp_sequence_free, netdp_sequence)
OWNER(netdp_transition_free, netdp_transition)

/* NETDP_INVALID unless W is symmetric; `who` needs it ("the bound exact"). */
netdp_status netdp_i_mixing_symmetric(const netdp_mixing *mixing, const char *who,
                                      netdp_error *error);

/*
 * lambda_2 and lambda_n by Lanczos on the complement of the ones vector; NETDP_NO_ANSWER where they
 * do not converge within the work limit. At least 2 nodes.
 */
netdp_status netdp_i_lanczos_ends(const netdp_mixing *mixing, double *second, double *smallest,
                                  netdp_error *error);
/* The same of rows that are symmetric. `others`: the processes that each make the same call, with these rows; NULL: this one does all. */
netdp_status netdp_i_lanczos_ends_of(netdp_rows rows, const netdp_i_others *others, double *second,
                                     double *smallest, netdp_error *error);

/*
 * From what a solver found of second and smallest to the spectrum: what the shape of the graph
 * decides is exact, 1 an eigenvalue once for each component, -1 where one is periodic.
 */
void netdp_i_spectrum_shape(const netdp_mixing *mixing, netdp_spectrum *spectrum);

/* Where row u holds column v; -1: nowhere. Columns ascend in a row. */
int64_t netdp_i_rows_find(netdp_rows rows, int32_t u, int32_t v);

/* y = rows x for x, y [nodes][width] row-major, x != y. Allocates nothing. */
void netdp_i_rows_apply(netdp_rows rows, const double *x, double *y, int32_t width);

/* Rows first .. end-1 of the product, on this thread alone, into y [end - first][width]. */
void netdp_i_rows_apply_part(netdp_rows rows, int32_t first, int32_t end, const double *x,
                             double *y, int32_t width);

#endif
