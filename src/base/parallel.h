/* Independent pieces of work over the machine's threads, with progress and stopping. */
#ifndef NETDP_I_PARALLEL_H
#define NETDP_I_PARALLEL_H

#include <stdint.h>
#include <netdp/status.h>

/* One piece. `thread` is 0 .. netdp_i_threads()-1 and picks the scratch. */
typedef netdp_status (*netdp_i_piece)(void *context, int64_t index, int thread, netdp_error *error);

/* How many threads netdp_i_for_each may use (OpenMP's setting; the caller of the library owns it).
 */
int netdp_i_threads(void);

/*
 * Runs piece(context, 0 .. count-1), in no particular order. The first failure stops the rest (of
 * several, the one with the smallest index is reported); a piece must write only to its own place,
 * so that results do not depend on the number of threads.
 */
netdp_status netdp_i_for_each(int64_t count, netdp_i_piece piece, void *context,
                              const netdp_progress *progress, const char *what, netdp_error *error);

/* NETDP_INTERRUPTED where the progress says stop. May be called by several threads at once. */
netdp_status netdp_i_report(const netdp_progress *progress, const char *what, double done,
                            double total, netdp_error *error);

/* The same question from within a piece of work: tells nothing. */
netdp_status netdp_i_poll(const netdp_progress *progress, netdp_error *error);

/* For work that is a piece of other work: it asks `progress`, which outlives it and may be NULL, whether to stop, and tells nothing. */
netdp_progress netdp_i_only_polled(const netdp_progress *progress);

#endif
