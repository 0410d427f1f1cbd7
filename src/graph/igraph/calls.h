/*
 * igraph by way of one table, which is the module netdp-igraph or, where igraph is linked, in the same program. igraph
 * brings libxml2, ICU and GLPK with it: who needs no graph of its making loads none of them.
 */
#ifndef NETDP_I_CALLS_H
#define NETDP_I_CALLS_H

#include <igraph.h>
#include <netdp/status.h>

/* Whatever netdp uses of igraph; what is missing here is not found when a program is linked. */
#define NETDP_I_IGRAPH_NAMES(OF)                                                                   \
    OF(IGRAPH_FINALLY_FREE)                                                                        \
    OF(igraph_arpack_options_init)                                                                 \
    OF(igraph_barabasi_game)                                                                       \
    OF(igraph_cattribute_EAN)                                                                      \
    OF(igraph_cattribute_EAS)                                                                      \
    OF(igraph_cattribute_VAN)                                                                      \
    OF(igraph_cattribute_VAS)                                                                      \
    OF(igraph_cattribute_list)                                                                     \
    OF(igraph_cattribute_table)                                                                    \
    OF(igraph_complementer)                                                                        \
    OF(igraph_create)                                                                              \
    OF(igraph_destroy)                                                                             \
    OF(igraph_ecount)                                                                              \
    OF(igraph_eigenvector_centrality)                                                              \
    OF(igraph_erdos_renyi_game_gnp)                                                                \
    OF(igraph_full)                                                                                \
    OF(igraph_grg_game)                                                                            \
    OF(igraph_k_regular_game)                                                                      \
    OF(igraph_layout_fruchterman_reingold)                                                         \
    OF(igraph_matrix_destroy)                                                                      \
    OF(igraph_matrix_init)                                                                         \
    OF(igraph_random_sample)                                                                       \
    OF(igraph_read_graph_gml)                                                                      \
    OF(igraph_read_graph_graphml)                                                                  \
    OF(igraph_read_graph_pajek)                                                                    \
    OF(igraph_rng_default)                                                                         \
    OF(igraph_rng_set_default)                                                                     \
    OF(igraph_sbm_game)                                                                            \
    OF(igraph_set_attribute_table)                                                                 \
    OF(igraph_set_error_handler)                                                                   \
    OF(igraph_set_warning_handler)                                                                 \
    OF(igraph_strerror)                                                                            \
    OF(igraph_strvector_destroy)                                                                   \
    OF(igraph_strvector_get)                                                                       \
    OF(igraph_strvector_init)                                                                      \
    OF(igraph_strvector_size)                                                                      \
    OF(igraph_vcount)                                                                              \
    OF(igraph_vector_copy_to)                                                                      \
    OF(igraph_vector_destroy)                                                                      \
    OF(igraph_vector_init)                                                                         \
    OF(igraph_vector_int_destroy)                                                                  \
    OF(igraph_vector_int_init)                                                                     \
    OF(igraph_warning_handler_ignore)

#define NETDP_I_POINTER(name) typeof(name) *name;

typedef struct netdp_i_igraph_calls {
    const char *version; /* netdp's: a module of another one is not used */
    NETDP_I_IGRAPH_NAMES(NETDP_I_POINTER)
} netdp_i_igraph_calls;

/* The module's one symbol. */
extern const netdp_i_igraph_calls netdp_igraph;

/* The table, from wherever it is in this build. Not for two threads at once. */
netdp_status netdp_i_igraph_find(const netdp_i_igraph_calls **calls, netdp_error *error);

#endif
