/*
 * What only the whole list tells: a first line that is none of its edges (counts, a header), a matrix,
 * lists of neighbours. Each would be read as another graph; each is refused by its name.
 */
#ifndef NETDP_I_DOUBT_H
#define NETDP_I_DOUBT_H

#include "graph/collect.h"

/* What the reader of lines has seen; lines are those that hold something. */
typedef struct netdp_i_list_facts {
    const char *begin, *end; /* the text */
    const char *first;       /* the first line, behind a header that was known */
    int64_t first_line;
    int64_t columns[4]; /* lines of one, two and three columns */
    int first_columns;
    bool numbers;          /* all labels are */
    bool listed;           /* a line of one column whose node stands on another line, too */
    bool true_weight;      /* a weight that cannot be the number of a node */
    netdp_i_token head[2]; /* ends as a known header calls them; length 0: none */
} netdp_i_list_facts;

netdp_status netdp_i_list_doubt(const netdp_i_collection *collection,
                                const netdp_i_list_facts *facts, netdp_error *error);

/*
 * Of a list below a header whose columns are known: is it a square matrix below the names of its columns ("a,b,c"), perhaps
 * with those of its rows before them? `column` and `strong`: what the header was read as.
 */
bool netdp_i_is_named_square(const netdp_i_list_facts *facts, char separator, const int column[3],
                             bool strong);

/* The first line that holds something else than a comment, its number in *line; `end`: none. A '%' comments
 * until then. */
const char *netdp_i_list_first(const char *begin, const char *end, int64_t *line);

/* Before a line is read: what announces itself. *konect: of KONECT, "% sym weighted", whose columns are
 * source, target, weight and time. */
netdp_status netdp_i_list_announced(const char *path, const char *begin, const char *end,
                                    bool *konect, netdp_error *error);

#endif
