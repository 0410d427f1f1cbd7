#include "engine/basis.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "engine/tall.h"
#include "engine/together.h"

/*
 * The head's nodes: the seen ones, then the quiet ones that are not seen; index [seen + quiet] says
 * where the quiet stand. Returns how many.
 */
static int32_t number_head(const netdp_i_observer *observer, int32_t *place, int32_t *index)
{
    int32_t count = 0;
    for (int32_t j = 0; j < observer->seen_count; j++)
        place[observer->seen[j]] = index[j] = count++;
    for (int32_t j = 0; j < observer->quiet_count; j++) {
        int32_t *here = &place[observer->quiet[j]];
        if (*here < 0)
            *here = count++;
        index[observer->seen_count + j] = *here;
    }
    return count;
}

/* The rows of the named nodes from those who own them: [named][modes], the same everywhere. */
static void gather_rows(const netdp_i_halo *halo, const int32_t *place, int32_t named,
                        const netdp_i_basis *own, char *skip, double *head)
{
    const int64_t r = own->modes;
    memset(head, 0, (size_t)(named * r) * sizeof *head);
    for (int64_t u = 0; u < own->nodes; u++) {
        const int32_t at = place[netdp_i_halo_first(halo) + u];
        skip[u] = at >= 0;
        if (at >= 0)
            memcpy(head + at * r, own->rows + u * r, (size_t)r * sizeof *head);
    }
    netdp_i_sum_up(head, named * r);
}

/* The head before the own rows. */
static netdp_status put_head(netdp_i_basis *basis, const double *head, int32_t count,
                             netdp_error *error)
{
    const int64_t r = basis->modes;
    double *grown = netdp_i_grow(basis->rows, (count + (int64_t)basis->nodes) * r, sizeof *grown);
    if (grown == NULL)
        return netdp_i_no_memory(error);
    memmove(grown + count * r, grown, (size_t)(basis->nodes * r) * sizeof *grown);
    memcpy(grown, head, (size_t)(count * r) * sizeof *grown);
    basis->rows = grown;
    basis->nodes = count;
    return NETDP_OK;
}

/* `named` nodes, numbered by `place`, and with the triangle all others, become the head. */
static netdp_status make_head(const netdp_i_halo *halo, const int32_t *place, int32_t named,
                              bool factored, netdp_i_basis *basis, netdp_error *error)
{
    const int64_t r = basis->modes;
    const int32_t count = named + (factored ? basis->modes : 0);
    OWNED char *skip = NETDP_I_NEW(char, basis->nodes);
    OWNED double *head = NETDP_I_NEW(double, count *r);
    TRY(netdp_i_agree(skip == NULL || head == NULL ? netdp_i_no_memory(error) : NETDP_OK, error));
    gather_rows(halo, place, named, basis, skip, head);
    if (factored)
        TRY(netdp_i_tall_triangle(basis->rows, basis->nodes, skip, basis->modes, head + named * r,
                                  error));
    return netdp_i_agree(put_head(basis, head, count, error), error);
}

void netdp_i_spread_basis_clear(netdp_i_spread_basis *basis)
{
    netdp_i_basis_clear(&basis->basis);
    netdp_i_free(basis->index);
    *basis = (netdp_i_spread_basis){0};
}

netdp_status netdp_i_spread_basis_new(const netdp_mixing *mixing, netdp_i_halo *halo,
                                      const netdp_i_observer *observer, netdp_i_depth depth,
                                      bool factored, const netdp_progress *progress,
                                      netdp_i_spread_basis *made, netdp_error *error)
{
    const int32_t nodes = netdp_mixing_rows(mixing).nodes, seen = observer->seen_count;
    const netdp_i_others others = netdp_i_halo_others(halo);
    CLEARED(netdp_i_spread_basis_clear)
    netdp_i_spread_basis basis = {.index =
                                      NETDP_I_NEW(int32_t, (int64_t)seen + observer->quiet_count)};
    OWNED int32_t *place = NETDP_I_NEW(int32_t, nodes);
    TRY(netdp_i_agree(place == NULL || basis.index == NULL ? netdp_i_no_memory(error) : NETDP_OK,
                      error));
    memset(place, -1, (size_t)nodes * sizeof *place);
    const int32_t named = number_head(observer, place, basis.index);
    TRY(netdp_i_basis_nested(mixing, observer->seen, seen, depth, &others, &basis.basis, progress,
                             error));
    TRY(make_head(halo, place, named, factored && basis.basis.inner == NULL, &basis.basis, error));
    basis.observer = *observer;
    basis.observer.seen = basis.index;
    basis.observer.quiet = basis.index + seen;
    *made = basis;
    basis = (netdp_i_spread_basis){0};
    return NETDP_OK;
}
