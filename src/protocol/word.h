/* Words of the command line and the study file that stand for enum values: tables, one reader. */
#ifndef NETDP_I_WORD_H
#define NETDP_I_WORD_H

#include <netdp/status.h>

typedef struct netdp_i_word {
    const char *text; /* NULL ends a table */
    int value;
} netdp_i_word;

/* The value of `text`; otherwise NETDP_INVALID and "what: 'text' is not one of a, b, c". */
netdp_status netdp_i_word_parse(const netdp_i_word *table, const char *what, const char *text,
                                int *value, netdp_error *error);

#endif
