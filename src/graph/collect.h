/* What every graph file goes through: labels become numbers, edges are gathered, a graph is built.
 */
#ifndef NETDP_I_COLLECT_H
#define NETDP_I_COLLECT_H

#include "graph/graph.h"
#include "graph/scan.h"

/* So many names of edges' attributes are told apart. */
#define NETDP_I_MOST_LEFT_OUT 64

/* Every label once, numbered in order of first appearance, found again through a hash table. */
typedef struct netdp_i_labels {
    struct netdp_i_slot {
        uint32_t tag;
        int32_t id; /* -1: free */
    } * slot;
    int64_t slots; /* a power of two */
    int32_t count, room;
    const char **where; /* into text that must outlive the collection */
    int64_t *length;
    uint64_t *value; /* numeric labels only */
} netdp_i_labels;

typedef struct netdp_i_collection {
    const char *path; /* in errors, and the graph's origin */
    bool numeric;     /* labels are numbers: "007" and "7" are one, and ranked in the end */
    netdp_i_labels labels;
    netdp_i_edges edges;
    int64_t *line_of; /* of each edge, once there are weights; 0: unknown */
    int64_t line_room;
    netdp_graph_notes notes;
    netdp_i_token left_out[NETDP_I_MOST_LEFT_OUT]; /* what notes.columns counts of attributes */
} netdp_i_collection;

typedef enum netdp_i_collected {
    NETDP_I_OLD,
    NETDP_I_NEW_LABEL,
    NETDP_I_NO_NUMBER, /* the collection is numeric, the label is not: start again as text */
    NETDP_I_TOO_MANY,  /* more than 2147483646 labels */
    NETDP_I_FULL,      /* out of memory */
} netdp_i_collected;

/* The label's number, new or old, in `id`. */
netdp_i_collected netdp_i_collect_label(netdp_i_collection *collection, netdp_i_token label,
                                        int32_t *id);

/*
 * An edge, counted and dropped where it is a self loop. `weight` NaN: none, otherwise it must be
 * positive. `line` is for the error about a second weight; 0: unknown.
 */
netdp_status netdp_i_collect_edge(netdp_i_collection *collection, int32_t u, int32_t v,
                                  double weight, int64_t line, netdp_error *error);

/*
 * An attribute of edges that is not read: counted once in the notes, but for those that say which edge it is and for its
 * weight. The name must outlive the collection's filling.
 */
void netdp_i_collect_attribute(netdp_i_collection *collection, netdp_i_token name);
/* The same whatever it is called: of an id that its file made up. */
void netdp_i_collect_left_out(netdp_i_collection *collection, netdp_i_token name);

/* Ranks numeric labels and builds the graph. On failure `graph` and `notes` are untouched. */
netdp_status netdp_i_collect_finish(netdp_i_collection *collection, bool giant_component,
                                    netdp_graph **graph, netdp_graph_notes *notes,
                                    netdp_error *error);

/* Forgets labels, edges and notes; the path stays. */
void netdp_i_collect_clear(netdp_i_collection *collection);
void netdp_i_labels_clear(netdp_i_labels *labels);

/* ---- The formats: each fills an empty collection from a text with a NUL behind it. ---- */

/* `own` is text that the labels point into: to be freed after the collection. */
netdp_status netdp_i_collect_list(netdp_i_collection *collection, const char *text, int64_t bytes,
                                  char **own, netdp_error *error);
netdp_status netdp_i_collect_market(netdp_i_collection *collection, const char *text, int64_t bytes,
                                    char **own, netdp_error *error);
netdp_status netdp_i_collect_gml(netdp_i_collection *collection, const char *text, int64_t bytes,
                                 char **own, netdp_error *error);
netdp_status netdp_i_collect_graphml(netdp_i_collection *collection, const char *text,
                                     int64_t bytes, char **own, netdp_error *error);

netdp_status netdp_i_collect_pajek(netdp_i_collection *collection, const char *text, int64_t bytes,
                                   char **own, netdp_error *error);
netdp_status netdp_i_collect_node_link(netdp_i_collection *collection, const char *text,
                                       int64_t bytes, char **own, netdp_error *error);

netdp_status netdp_i_collect_metis(netdp_i_collection *collection, const char *text, int64_t bytes,
                                   char **own, netdp_error *error);

/* Is the text METIS's without a doubt: counts on its first line that all others keep, and no list of edges? */
bool netdp_i_is_metis(const char *text, int64_t bytes);

/* Is the number one of the labels of a numeric collection? */
bool netdp_i_labels_hold(const netdp_i_labels *labels, uint64_t value);

/*
 * An edge list of plain numbers alone, without weights, read on all threads in pieces of about
 * `piece_bytes`. Between the numbers stands a ',' or ';' if that is the separator, else blanks.
 * `taken` false: it is not such a list, and the collection is as it was.
 */
netdp_status netdp_i_collect_numbered(netdp_i_collection *collection, const char *text,
                                      int64_t bytes, char separator, int64_t piece_bytes,
                                      char **own, bool *taken, netdp_error *error);

/* Labels first, first + 1, ... of `nodes` nodes, for a format that has no others. */
netdp_status netdp_i_collect_numbers(netdp_i_collection *collection, int32_t nodes, int32_t first,
                                     char **own, netdp_error *error);

#endif
