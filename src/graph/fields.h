/* A line of an edge list as its fields, whatever stands between them. */
#ifndef NETDP_I_FIELDS_H
#define NETDP_I_FIELDS_H

#include "graph/collect.h"
#include "graph/scan.h"

/* At most this many columns, once a header says which of them are the nodes. */
#define NETDP_I_MOST_FIELDS 32

typedef struct netdp_i_fields {
    netdp_i_token field[NETDP_I_MOST_FIELDS]; /* without quotes; "" inside quotes still doubled */
    bool quoted[NETDP_I_MOST_FIELDS];
    int count;          /* up to one more than there is room for */
    netdp_i_token data; /* networkx's {...} behind the nodes; length 0: none */
} netdp_i_fields;

/*
 * What stands between the fields of a line: '\t', ';' or ',' where there is one outside quotes (in
 * this order), ' ' (blanks and tabs) where there are blanks, 0 where there is nothing.
 */
char netdp_i_separator(netdp_i_token line);

/* NULL, or why the line cannot be split: "text behind a closing quote". */
const char *netdp_i_split(netdp_i_token line, char separator, netdp_i_fields *fields);

/* NULL, or why a field without quotes is not clearly the name of a node. */
const char *netdp_i_unclear(netdp_i_token name, char separator);

/*
 * The weight in networkx's {'weight': 2.0, ...}: a token, of length 0 where there is none; all else is noted in the
 * collection. False: it is not such a text.
 */
bool netdp_i_data_weight(netdp_i_token data, netdp_i_collection *collection, netdp_i_token *weight);

#endif
