/*
 * Observers that may change places in a network that stays as it is: leaves of a star, a half of a bipartite network. Of twins u and v
 * (mixing/twins.h) v's account is u's with the two exchanged, among the sources too, so that one of a kind is made and copied.
 */
#include <string.h>

#include "account/gossip.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"
#include "mixing/twins.h"

/* Kinds of which a row is kept: the first ones that have a second observer, whatever the threads and batches. */
enum { MOST_KEPT = 64 };

void netdp_i_gossip_alike_clear(netdp_i_gossip_alike *alike)
{
    netdp_i_free(alike->like);
    netdp_i_free(alike->slot);
    netdp_i_free(alike->kept);
}

/* Does nothing but W tell nodes apart? All are asked about, as sources. */
static bool goes_by_network(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_losses *l = a->losses;
    bool all = l->from_count == netdp_graph_nodes(a->graph);
    for (int32_t i = 0; i < l->from_count && all; i++)
        all = l->from[i] == i;
    return all && l->members == 1 && l->to_count > 1 && a->rounds == NULL && a->own == NULL &&
           a->closed == NULL && p->own == NULL && p->varying.kind == NETDP_VARY_NEVER &&
           !netdp_pairing_is(&p->noise.pairing) && netdp_mixing_is_symmetric(p->mixing) &&
           !netdp_i_gossip_is_local(a) && !netdp_i_gossip_is_published(a->bound);
}

netdp_status netdp_i_gossip_alike_new(netdp_i_gossip_account *a, netdp_error *error)
{
    netdp_i_gossip_alike *alike = &a->alike;
    const netdp_losses *l = a->losses;
    const int32_t n = netdp_graph_nodes(a->graph);
    int32_t kinds = 0, slots = 0;
    if (!goes_by_network(a))
        return NETDP_OK;
    OWNED char *none = NETDP_I_NEW(char, n);
    OWNED int32_t *twin = NETDP_I_NEW(int32_t, n);
    OWNED int32_t *first = NETDP_I_NEW(int32_t, n); /* of a kind, from 1 */
    alike->like = NETDP_I_NEW(int32_t, l->to_count);
    alike->slot = NETDP_I_NEW(int32_t, l->to_count);
    if (none == NULL || twin == NULL || first == NULL || alike->like == NULL || alike->slot == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_twins(netdp_mixing_rows(a->request->protocol->mixing), none, twin, &kinds, error));
    for (int32_t v = 0; v < l->to_count; v++) {
        int32_t *of = &first[twin[l->to[v]]];
        if (*of == 0)
            *of = v + 1;
        else if (alike->slot[*of - 1] == 0 && slots < MOST_KEPT)
            alike->slot[*of - 1] = ++slots;
        alike->like[v] = alike->slot[*of - 1] > 0 ? *of - 1 : v;
    }
    alike->kept = NETDP_I_NEW(double, (int64_t)slots * l->from_count);
    return alike->kept != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

bool netdp_i_gossip_is_copied(const netdp_i_gossip_account *a, int32_t v)
{
    return a->alike.like != NULL && a->alike.like[v] != v;
}

void netdp_i_gossip_copy_alike(netdp_i_gossip_account *a, int32_t count)
{
    const netdp_i_gossip_alike *alike = &a->alike;
    const int64_t from = a->losses->from_count;
    for (int32_t v = a->first; alike->like != NULL && v < a->first + count; v++) {
        const int32_t u = alike->like[v], x = a->losses->to[u], y = a->losses->to[v];
        double *row = a->rows + (v - a->first) * from;
        double *kept = alike->slot[u] > 0 ? alike->kept + (alike->slot[u] - 1) * from : NULL;
        if (kept == NULL)
            continue;
        if (u == v) {
            memcpy(kept, row, (size_t)from * sizeof *row);
            continue;
        }
        memcpy(row, kept, (size_t)from * sizeof *row);
        row[x] = kept[y];
        row[y] = kept[x];
    }
}
