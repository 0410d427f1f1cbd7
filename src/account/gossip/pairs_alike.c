/* One of each kind of results: networks that look the same from everywhere, and nodes that may be exchanged. */
#include "account/gossip/pairs_alike.h"

#include <string.h>

#include "base/fail.h"
#include "base/try.h"
#include "mixing/alike.h"
#include "mixing/mixing.h"
#include "mixing/twins.h"

/* Does every node's result answer as the first one's? */
static bool alike(const netdp_linear *protocol)
{
    const char *pairs = netdp_graph_origin(protocol->noise.pairing.graph);
    return (strcmp(pairs, "edges") == 0 || strcmp(pairs, "complete") == 0) &&
           netdp_i_rows_alike(netdp_mixing_rows(protocol->mixing));
}

static double weight_at(netdp_rows rows, int32_t v, int32_t w)
{
    const int64_t at = netdp_i_rows_find(rows, v, w);
    return at >= 0 ? rows.weight[at] : 0;
}

/* Is W the same after twins u and v of its graph are exchanged? */
static bool exchanges(netdp_rows rows, int32_t u, int32_t v)
{
    bool same = netdp_i_weights_equal(weight_at(rows, u, u), weight_at(rows, v, v)) &&
                netdp_i_weights_equal(weight_at(rows, u, v), weight_at(rows, v, u));
    for (int64_t k = rows.start[v]; k < rows.start[v + 1] && same; k++) {
        const int32_t w = rows.column[k];
        same = w == u || w == v ||
               (netdp_i_weights_equal(weight_at(rows, u, w), rows.weight[k]) &&
                netdp_i_weights_equal(weight_at(rows, w, u), weight_at(rows, w, v)));
    }
    return same;
}

/* Twins of the pair graph that are twins of W answer alike. */
static netdp_status find_twins(const netdp_linear *protocol, int32_t *kind, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    int32_t kinds = 0;
    OWNED char *none = NETDP_I_NEW(char, rows.nodes);
    OWNED int32_t *mixed = NETDP_I_NEW(int32_t, rows.nodes);
    OWNED int32_t *paired = NETDP_I_NEW(int32_t, rows.nodes);
    if (none == NULL || mixed == NULL || paired == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_twins(netdp_i_graph_rows(netdp_mixing_graph(protocol->mixing)), none, mixed, &kinds,
                      error));
    TRY(netdp_i_twins(netdp_i_graph_rows(protocol->noise.pairing.graph), none, paired, &kinds,
                      error));
    for (int32_t v = 0; v < rows.nodes; v++) {
        const int32_t u = mixed[v] > paired[v] ? mixed[v] : paired[v];
        const bool both = mixed[u] == mixed[v] && paired[u] == paired[v];
        kind[v] = both && kind[u] == u && exchanges(rows, u, v) ? u : v;
    }
    return NETDP_OK;
}

netdp_status netdp_i_pairs_alike(const netdp_linear *protocol, int32_t *kind, netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    const bool changes = protocol->varying.kind != NETDP_VARY_NEVER;
    const bool weighted = protocol->noise.pairing.weighted;
    const bool all = !changes && !weighted && alike(protocol);
    for (int32_t v = 0; v < n; v++)
        kind[v] = all ? 0 : v;
    return changes || weighted || all ? NETDP_OK : find_twins(protocol, kind, error);
}
