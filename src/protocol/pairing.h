/* Noise that cancels in pairs, from inside: the pairs by their numbers. */
#ifndef NETDP_I_PAIRING_H
#define NETDP_I_PAIRING_H

#include <netdp/protocol.h>

/* Pairs are numbered by their smaller node and then by the larger one. first [nodes]: the number of
 * the first pair whose smaller node is v, were there one. NETDP_INVALID beyond 2^32 pairs. */
netdp_status netdp_i_pairing_first(const netdp_graph *pairs, int64_t *first, netdp_error *error);

/* The number of the pair of `node` and its index-th neighbour in the pair graph. */
int64_t netdp_i_pairing_number(const netdp_graph *pairs, const int64_t *first, int32_t node,
                               int32_t index);

/* kappa of a node and its index-th neighbour in the pair graph: the double that both ends add. */
double netdp_i_pairing_kappa(const netdp_pairing *pairing, int32_t node, int32_t index);

/* The least and the largest of them. */
void netdp_i_pairing_range(const netdp_pairing *pairing, double *least, double *most);

/* Is it a name, and not the path of a file? */
bool netdp_i_pairing_named(const char *name);

/* What noise in pairs can do at best, and what undoes it. */
typedef struct netdp_i_hiding {
    int32_t least,
        whose; /* the fewest that a node is hidden among, itself included; 0: not found */
    int32_t partners, thin; /* the fewest partners that a node has: together they undo it */
} netdp_i_hiding;

/* Towards each of `to` (count 0: of all nodes), or towards all of them as a coalition. */
netdp_status netdp_i_pairing_hiding(const netdp_graph *pairs, const int32_t *to, int32_t count,
                                    bool coalition, netdp_i_hiding *hiding, netdp_error *error);

/* The same in two sentences of three lines, which stand wherever a guarantee with pairs does. */
void netdp_i_pairing_words(const netdp_pairing *pairing, const netdp_i_hiding *hiding,
                           char text[400]);

/* NETDP_INVALID where the pairs are not of these nodes, or their noise is out of range. */
/* The same of sums by a token. */
void netdp_i_pairing_token_words(const netdp_pairing *pairing, char text[400]);

netdp_status netdp_i_pairing_check(const netdp_pairing *pairing, int32_t nodes, netdp_error *error);

#endif
