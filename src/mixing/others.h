/* A mixing matrix of which this process has a part of the rows. */
#ifndef NETDP_I_OTHERS_H
#define NETDP_I_OTHERS_H

#include <netdp/mixing.h>

/*
 * Other processes that have the rest of the nodes. Each of them makes the same calls, and gets the
 * same bits from them; a process that fails says so where the others agree.
 */
typedef struct netdp_i_others {
    int32_t first, count; /* own nodes */
    int32_t ghosts;       /* rows of others that a product needs, behind the own ones */
    int32_t size, near;   /* processes; those on this machine, this one with them */
    netdp_rows rows;      /* of W, the own ones; columns from `count` on are ghosts */
    void *context;
    /* x [count + ghosts][width], of which the own rows are filled: the ghosts' */
    netdp_status (*fetch)(void *context, double *x, int32_t width, netdp_error *error);
    void (*sum)(double *values, int64_t count); /* over the processes */
    void (*tell)(void *bytes, int64_t count);   /* one process's, for all */
    netdp_status (*agree)(netdp_status status, netdp_error *error);
} netdp_i_others;

#endif
