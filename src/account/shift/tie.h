/* Which free nodes' messages follow from those of others, so that sums stay. */
#ifndef NETDP_I_SHIFT_TIE_H
#define NETDP_I_SHIFT_TIE_H

#include <netdp/mixing.h>

/* What a node's message may do in a round while the observers see the same. */
typedef enum netdp_i_shift_part {
    NETDP_I_PART_FREE,    /* not seen, draws noise: anything */
    NETDP_I_PART_SEEN,    /* stays, g = 0: its noise, which is not known, takes up what comes in */
    NETDP_I_PART_KNOWN,   /* stays, and nothing may come in: its noise is known, or it draws none */
    NETDP_I_PART_CARRIED, /* not seen, draws no noise: g = a */
} netdp_i_shift_part;

/* Sums that are seen without noise, so that they must stay: (W_t g_t)(observer) = 0, exactly. */
typedef struct netdp_i_shift_tie {
    int32_t count;     /* sums that say something of their own */
    int32_t listed;    /* and all: those that others imply come last */
    int32_t *observer; /* [listed]: whose */
    int32_t *pivot;  /* [count]: the free nodes whose g follows from the others' by these equations;
                          pivot[i] of no observer in particular */
    double *inverse; /* [count][count]: nearly, of the rows of W_t at the pivots */
    double off;      /* at most |1 - inverse rows|, in the maximum norm; 1 and more: not resolved */
} netdp_i_shift_tie;

/*
 * Of the observers that the tie names, keeps those whose sums say something of their own, finds a pivot for each, and
 * nearly inverts their rows there. `off` is INFINITY where no free node can take up what a sum hears.
 */
netdp_status netdp_i_tie_resolve(netdp_rows rows, const char *part, netdp_i_shift_tie *tie,
                                 netdp_error *error);

#endif
