/* Progress of long work, and how to stop it. */
#ifndef NETDP_PROGRESS_H
#define NETDP_PROGRESS_H

#include <stdbool.h>
#include <netdp/export.h>

NETDP_BEGIN

/*
 * `report` is called now and then, by one thread at a time (not always the same one). Returning
 * false stops the work as soon as the running pieces end; the call that was given this progress
 * then returns NETDP_INTERRUPTED. A NULL netdp_progress pointer, or a NULL report, means: never
 * stop, tell nobody. `what` NULL only asks whether to stop, from within a piece of work.
 */
typedef struct netdp_progress {
    bool (*report)(void *context, const char *what, double done, double total); /* false: stop */
    void *context; /* handed to `report` */
} netdp_progress;

NETDP_END

#endif
