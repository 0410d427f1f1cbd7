/* The first line of an edge list, or the columns of a table: do they say which are the ends? */
#ifndef NETDP_I_HEAD_H
#define NETDP_I_HEAD_H

#include "graph/scan.h"

typedef enum netdp_i_head {
    NETDP_I_NO_HEAD,
    NETDP_I_HEAD,       /* it names the columns */
    NETDP_I_WEAK_HEAD,  /* "u v", "user1 user2": a header if all labels are numbers, else an edge */
    NETDP_I_MAYBE_HEAD, /* words that nobody knows: an edge, unless all labels are numbers */
} netdp_i_head;

/* `column`: which are source, target and weight (-1: none). */
netdp_i_head netdp_i_head_read(const netdp_i_token *word, int count, int column[3]);

/* A number of any kind, as strtod knows them: "0.5", "-1", "1e3". */
bool netdp_i_numeral(netdp_i_token token, double *value);

#endif
