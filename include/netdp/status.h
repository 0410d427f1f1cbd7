/*
 * Status and error, what the library shows, and progress of long work.
 *
 * Every function that can fail returns a netdp_status and takes, last, an optional netdp_error
 * that the caller owns (NULL: the detail is dropped). On failure the outputs are untouched.
 * The library never prints, exits or aborts.
 *
 * Ownership, here and in every header: what a function makes is the caller's, to be freed by the
 * function of its type that ends in _free, text by free(). What is called borrowed must stay until
 * the call ends, or, in a description that an object refers to, until the object is freed.
 *
 * Threads, here and in every header: there is no state that one call could change for another, so
 * any thread may call at any time, also with the same object where that is const. An object that a
 * call may change belongs to one thread at a time. What computes uses OpenMP's threads; the results
 * do not depend on their number. From the first dense account on OpenBLAS has one thread in the
 * whole process. A child that was forked computes with one thread.
 *
 * Arithmetic: bounds are rounded outward from the processor's usual state, which rounds to nearest and keeps
 * numbers below the smallest normal one (fesetenv(FE_DFL_ENV)). A program that gcc links with
 * -ffast-math is in another state. There a thread's calls are refused with NETDP_ENVIRONMENT.
 */
#ifndef NETDP_STATUS_H
#define NETDP_STATUS_H

#include <stdbool.h>

/* What the shared library shows: everything else is hidden (meson: gnu_symbol_visibility). Who reads
   headers without a compiler, as Python does, defines these words as nothing before. */
#ifndef NETDP_API
#define NETDP_API __attribute__((visibility("default")))
#define NETDP_CHECK __attribute__((warn_unused_result))
#ifdef __cplusplus
#define NETDP_BEGIN extern "C" {
#define NETDP_END }
#else
#define NETDP_BEGIN
#define NETDP_END
#endif
#endif

NETDP_BEGIN

/* How a call ended. */
typedef enum netdp_status {
    NETDP_OK = 0,
    NETDP_NO_ANSWER,   /* the question has no answer: a target that cannot be reached */
    NETDP_INVALID,     /* bad usage or bad content */
    NETDP_ENVIRONMENT, /* a file, disk or device said no */
    NETDP_NO_MEMORY,
    NETDP_INTERRUPTED, /* the progress callback asked to stop */
} netdp_status;

/* One line for a person: what, where, what to do. Untouched where a call succeeds. */
typedef struct netdp_error {
    netdp_status status; /* as returned */
    char text[640];      /* ends with a NUL */
} netdp_error;

/* The exit code of the command for a status (0, 1, 2, 3 or 130). */
NETDP_API int netdp_status_exit_code(netdp_status status);

/* What a program was compiled against, and netdp_version() what it runs with. Both must be equal in the
 * numbers that the soname has, so that the loader sees to it: two until 1.0, then the first. */
#define NETDP_VERSION "0.2.0"
NETDP_API const char *netdp_version(void);

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
