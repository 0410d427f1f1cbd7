/* igraph, whose handlers are global: ours while its lock is held, put back afterwards. */
#ifndef NETDP_I_BORROW_H
#define NETDP_I_BORROW_H

#include "graph/igraph/calls.h"

typedef struct netdp_i_igraph {
    igraph_error_handler_t *errors;
    igraph_warning_handler_t *warnings;
} netdp_i_igraph;

/*
 * Waits for the lock, and loads igraph when it is the first; nothing is printed until it is given back. `old` is for
 * giving it back. Fails where igraph is not there: then nothing is taken.
 */
netdp_status netdp_i_igraph_take(netdp_i_igraph *old, netdp_error *error);
void netdp_i_igraph_give_back(const netdp_i_igraph *old);

/*
 * Our own counter-based stream in igraph's clothes, so that all 64 bits of a seed count: the state
 * is a netdp_stream. For igraph_rng_set_default while the lock is held.
 */
extern const igraph_rng_type_t netdp_i_igraph_generator;

/* What igraph said first about the failure of a call since the lock was taken; "": nothing. */
const char *netdp_i_igraph_reason(void);

/* igraph's functions by their names; for who has taken it once. */
extern const netdp_i_igraph_calls *netdp_i_igraph_now;
#define IGRAPH_FINALLY_FREE (*netdp_i_igraph_now->IGRAPH_FINALLY_FREE)
#define igraph_arpack_options_init (*netdp_i_igraph_now->igraph_arpack_options_init)
#define igraph_barabasi_game (*netdp_i_igraph_now->igraph_barabasi_game)
#define igraph_cattribute_EAN (*netdp_i_igraph_now->igraph_cattribute_EAN)
#define igraph_cattribute_EAS (*netdp_i_igraph_now->igraph_cattribute_EAS)
#define igraph_cattribute_VAN (*netdp_i_igraph_now->igraph_cattribute_VAN)
#define igraph_cattribute_VAS (*netdp_i_igraph_now->igraph_cattribute_VAS)
#define igraph_cattribute_list (*netdp_i_igraph_now->igraph_cattribute_list)
#define igraph_cattribute_table (*netdp_i_igraph_now->igraph_cattribute_table)
#define igraph_complementer (*netdp_i_igraph_now->igraph_complementer)
#define igraph_create (*netdp_i_igraph_now->igraph_create)
#define igraph_destroy (*netdp_i_igraph_now->igraph_destroy)
#define igraph_ecount (*netdp_i_igraph_now->igraph_ecount)
#define igraph_eigenvector_centrality (*netdp_i_igraph_now->igraph_eigenvector_centrality)
#define igraph_erdos_renyi_game_gnp (*netdp_i_igraph_now->igraph_erdos_renyi_game_gnp)
#define igraph_full (*netdp_i_igraph_now->igraph_full)
#define igraph_grg_game (*netdp_i_igraph_now->igraph_grg_game)
#define igraph_k_regular_game (*netdp_i_igraph_now->igraph_k_regular_game)
#define igraph_layout_fruchterman_reingold (*netdp_i_igraph_now->igraph_layout_fruchterman_reingold)
#define igraph_matrix_destroy (*netdp_i_igraph_now->igraph_matrix_destroy)
#define igraph_matrix_init (*netdp_i_igraph_now->igraph_matrix_init)
#define igraph_random_sample (*netdp_i_igraph_now->igraph_random_sample)
#define igraph_read_graph_gml (*netdp_i_igraph_now->igraph_read_graph_gml)
#define igraph_read_graph_graphml (*netdp_i_igraph_now->igraph_read_graph_graphml)
#define igraph_read_graph_pajek (*netdp_i_igraph_now->igraph_read_graph_pajek)
#define igraph_rng_default (*netdp_i_igraph_now->igraph_rng_default)
#define igraph_rng_set_default (*netdp_i_igraph_now->igraph_rng_set_default)
#define igraph_sbm_game (*netdp_i_igraph_now->igraph_sbm_game)
#define igraph_set_attribute_table (*netdp_i_igraph_now->igraph_set_attribute_table)
#define igraph_set_error_handler (*netdp_i_igraph_now->igraph_set_error_handler)
#define igraph_set_warning_handler (*netdp_i_igraph_now->igraph_set_warning_handler)
#define igraph_strerror (*netdp_i_igraph_now->igraph_strerror)
#define igraph_strvector_destroy (*netdp_i_igraph_now->igraph_strvector_destroy)
#define igraph_strvector_get (*netdp_i_igraph_now->igraph_strvector_get)
#define igraph_strvector_init (*netdp_i_igraph_now->igraph_strvector_init)
#define igraph_strvector_size (*netdp_i_igraph_now->igraph_strvector_size)
#define igraph_vcount (*netdp_i_igraph_now->igraph_vcount)
#define igraph_vector_copy_to (*netdp_i_igraph_now->igraph_vector_copy_to)
#define igraph_vector_destroy (*netdp_i_igraph_now->igraph_vector_destroy)
#define igraph_vector_init (*netdp_i_igraph_now->igraph_vector_init)
#define igraph_vector_int_destroy (*netdp_i_igraph_now->igraph_vector_int_destroy)
#define igraph_vector_int_init (*netdp_i_igraph_now->igraph_vector_int_init)
#define igraph_warning_handler_ignore (*netdp_i_igraph_now->igraph_warning_handler_ignore)

#endif
