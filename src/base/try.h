/*
 * Straight lines where calls may fail.
 *
 *     OWNED double *row = NETDP_I_NEW(double, n);          freed where its scope ends
 *     OWNED_BY(netdp_graph_free) netdp_graph *g = NULL;    by its own function, of an OWNER line
 *     CLEARED(netdp_i_sent_clear) netdp_i_sent sent = {0}; a struct, by a function that takes its address
 *     TRY(netdp_graph_new(..., &g, error));                returns the status of a call that failed
 *     *made = GIVE(g);                                     the caller has it now
 *
 * What is owned is initialised where it is declared: its scope may end before the next line. Its function takes
 * NULL, and a struct of zeros. Neither TRY nor GIVE stands in a parallel loop.
 */
#ifndef NETDP_I_TRY_H
#define NETDP_I_TRY_H

#include <stdlib.h>
#include <netdp/status.h>

#include "base/memory.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const netdp_status tried_ = (call);                                                        \
        if (tried_ != NETDP_OK)                                                                    \
            return tried_;                                                                         \
    } while (0)

#define CLEARED(function) __attribute__((cleanup(function)))
#define OWNED CLEARED(netdp_i_free_at)
#define OWNED_BY(function) CLEARED(function##_at)

/* The line that lets OWNED_BY name a function that frees a `type *`. */
#define OWNER(function, type)                                                                      \
    static inline void function##_at(type **at)                                                    \
    {                                                                                              \
        function(*at);                                                                             \
    }

OWNER(free, char) /* text of realloc, getline, jansson */

#define GIVE(pointer)                                                                              \
    ({                                                                                             \
        __auto_type given_ = (pointer);                                                            \
        (pointer) = NULL;                                                                          \
        given_;                                                                                    \
    })

#endif
