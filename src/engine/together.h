/* The processes of mpirun as one: who this is, agreement, sums. All calls are by all processes. */
#ifndef NETDP_I_TOGETHER_H
#define NETDP_I_TOGETHER_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/mixing.h>

/*
 * A process may fail where others do not. Whatever is done together therefore begins with
 * netdp_i_agree, so that one that has failed, and only agrees on that before it ends, meets the
 * others there.
 */

/* This process is `rank` of `size`; `near` of them share this machine's memory, of which the first `makes` what all of them read. */
typedef struct netdp_i_processes {
    int rank, size, near;
    bool makes;
} netdp_i_processes;

/* Finds out; once. */
void netdp_i_processes_meet(void);
netdp_i_processes netdp_i_processes_here(void);

/* The first of the indices 0 .. count-1 that process `rank` of `size` takes; rank size: count. */
int64_t netdp_i_share(int64_t count, int rank, int size);

/*
 * A failure of one process becomes everyone's, with its text (of several, the lowest rank's). After
 * that the call returns at once: a process whose failure is known calls nothing else of this file.
 */
netdp_status netdp_i_agree(netdp_status status, netdp_error *error);

/* NETDP_INVALID unless all were given the same words. */
netdp_status netdp_i_agree_on_words(int count, const char **words, netdp_error *error);

/*
 * NETDP_INVALID unless all machines have read the same matrix and all mean the same number of rounds. After it
 * all use as many threads as the one with the fewest.
 */
netdp_status netdp_i_agree_on(netdp_rows rows, int64_t rounds, netdp_error *error);

/* values[i] becomes the sum over the processes, the same bits everywhere. */
void netdp_i_sum_up(double *values, int64_t count);

/* Process 0's bytes become everyone's; those of the one that makes things, its machine's. */
void netdp_i_tell(void *bytes, int64_t count);
void netdp_i_tell_near(void *bytes, int64_t count);

double netdp_i_largest(double value);

#endif
