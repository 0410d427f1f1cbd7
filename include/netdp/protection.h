/*
 * What a guarantee is about: all that a node holds, or one row of it; and which of a node's rows
 * take part in which phase.
 *
 * With rows as the unit noise is sigma * Delta, Delta the most that one row of any node can change
 * of what that node contributes: Delta = max_u Delta_u. How many rows each node holds is public.
 */
#ifndef NETDP_PROTECTION_H
#define NETDP_PROTECTION_H

#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/* The unit that two inputs which nobody shall tell apart differ in. */
typedef enum netdp_protects {
    NETDP_PROTECTS_NODE = 0, /* all rows of a node */
    NETDP_PROTECTS_ROW,      /* one row of one node */
} netdp_protects;

/* How they differ in a row. A node's whole data are always replaced. */
typedef enum netdp_change {
    NETDP_CHANGE_REPLACE = 0, /* by any other admissible row: Delta_u = 2 clip / b_u */
    NETDP_CHANGE_ADD_REMOVE,  /* it counts or it does not: Delta_u = clip / b_u; the number b_u that
                                 sums are divided by stays */
} netdp_change;

/* Which rows make a contribution. */
typedef enum netdp_batching {
    NETDP_BATCHES_FULL = 0, /* all of the node's */
    NETDP_BATCHES_CYCLIC,   /* dealt once into `count` batches; phase p takes batch p mod count */
    NETDP_BATCHES_POISSON,  /* each row by itself with probability `rate`, anew in every phase */
} netdp_batching;

/* Batches of a node with n_u rows: sums of b_u = n_u, n_u / count or rate n_u rows, b_u public. */
typedef struct netdp_batches {
    netdp_batching kind; /* which */
    int64_t count;       /* cyclic: >= 1 */
    double rate;         /* Poisson: in (0, 1] */
} netdp_batches;

/* "full", "cyclic:B", "poisson:q". */
NETDP_API NETDP_CHECK netdp_status netdp_batches_parse(const char *text, netdp_batches *batches,
                                                       netdp_error *error);

/* Zeros: a node's whole data, all of them in every contribution. */
typedef struct netdp_protection {
    netdp_protects protects; /* the unit */
    netdp_change change;     /* of rows */
    netdp_batches batches;   /* as the protocol takes them: cyclic of rows is its `cycle` */
    const double *share;     /* borrowed, [nodes], in [0, 1]: Delta_u / Delta; NULL: 1 each */
} netdp_protection;

/* NETDP_INVALID where there is no such unit or no account of such batches. */
NETDP_API NETDP_CHECK netdp_status netdp_protection_check(const netdp_protection *protection,
                                                          netdp_error *error);

/* "one row of one node's data replaced": what two inputs differ in, in words. */
NETDP_API const char *netdp_protection_words(const netdp_protection *protection);

NETDP_END

#endif
