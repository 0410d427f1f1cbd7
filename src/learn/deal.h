/* Rows dealt to nodes by their labels. */
#ifndef NETDP_I_LEARN_DEAL_H
#define NETDP_I_LEARN_DEAL_H

#include <netdp/learn.h>

/* How alike the nodes' labels are. */
typedef enum netdp_i_deal_kind {
    NETDP_I_DEAL_EVEN = 0,
    NETDP_I_DEAL_BY_LABEL,
    NETDP_I_DEAL_DIRICHLET,
} netdp_i_deal_kind;

typedef struct netdp_i_dealing {
    netdp_i_deal_kind kind;
    double alpha; /* of Dirichlet */
} netdp_i_dealing;

/* "even", "by-label" or "dirichlet:ALPHA". */
netdp_status netdp_i_deal_parse(const char *text, netdp_i_dealing *dealing, netdp_error *error);

/*
 * node[rows], as netdp_deal, of rows whose first count[0] have label 0, the next count[1] label 1, ...,
 * each label's in an order that was drawn. All nodes get as many rows, up to one, for every kind.
 */
netdp_status netdp_i_deal_skewed(netdp_i_dealing dealing, const int64_t *count, int32_t labels,
                                 int32_t nodes, uint64_t seed, int32_t *node, netdp_error *error);

#endif
