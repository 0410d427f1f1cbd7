/*
 * Status and error.
 *
 * Every function that can fail returns a netdp_status and takes, last, an optional netdp_error
 * that the caller owns (NULL: the detail is dropped). On failure the outputs are untouched.
 * The library never prints, exits or aborts.
 */
#ifndef NETDP_STATUS_H
#define NETDP_STATUS_H

#include <netdp/export.h>

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

/* One line for a person: what, where, what to do. */
typedef struct netdp_error {
    netdp_status status; /* as returned */
    char text[640];      /* ends with a NUL */
} netdp_error;

/* The exit code of the command for a status (0, 1, 2, 3 or 130). */
NETDP_API int netdp_status_exit_code(netdp_status status);

/* What a program was compiled against, and netdp_version() what it runs with. Until 1.0 both must be
 * equal in their first two numbers: before, the ABI may change with the second. */
#define NETDP_VERSION "0.1.0"
NETDP_API const char *netdp_version(void);

NETDP_END

#endif
