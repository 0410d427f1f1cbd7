#include "learn/owner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

netdp_i_cell_value netdp_i_cell_read(const char *text)
{
    netdp_i_cell_value read = {.text = text};
    read.is_number = netdp_i_read_number(text, &read.number) && isfinite(read.number);
    return read;
}

int netdp_i_cell_order(const void *a, const void *b)
{
    const netdp_i_cell_value *left = a, *right = b;
    if (left->is_number != right->is_number)
        return left->is_number ? -1 : 1;
    if (left->is_number)
        return (left->number > right->number) - (left->number < right->number);
    return strcmp(left->text, right->text);
}

int32_t netdp_i_cell_find(const char *text, const char *const *value, int32_t values)
{
    const netdp_i_cell_value mine = netdp_i_cell_read(text);
    for (int32_t i = 0; i < values; i++) {
        const netdp_i_cell_value listed = netdp_i_cell_read(value[i]);
        if (netdp_i_cell_order(&mine, &listed) == 0)
            return i;
    }
    return -1;
}

int64_t netdp_i_cells_distinct(netdp_i_cell_value *all, int64_t count)
{
    int64_t kept = 0;
    qsort(all, (size_t)count, sizeof *all, netdp_i_cell_order);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || netdp_i_cell_order(&all[kept - 1], &all[i]) != 0)
            all[kept++] = all[i];
    return kept;
}

/* "a, b, ..." ascending into cut[room]; how many, or -1. */
static int32_t read_cuts(const char *text, double *cut, int32_t room)
{
    int32_t count = 0;
    for (const char *at = text; *at != '\0';) {
        char *end;
        const double next = strtod(at, &end);
        if (end == at || !isfinite(next) || count == room ||
            (count > 0 && !(next > cut[count - 1])))
            return -1;
        cut[count++] = next;
        at = end + strspn(end, " ");
        if (*at == ',')
            at++;
        else if (*at != '\0')
            return -1;
    }
    return count;
}

static netdp_status deal_cuts(char *const *owner, int64_t rows, const char *column,
                              const char *cuts, int32_t nodes, int32_t *node, netdp_error *error)
{
    OWNED double *cut = NETDP_I_NEW(double, nodes);
    if (cut == NULL)
        return netdp_i_no_memory(error);
    const int32_t count = read_cuts(cuts, cut, nodes);
    if (count != nodes - 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "owner_cuts: %d nodes are told apart by %d ascending numbers, such as "
                            "10, 20.5, 31; give these",
                            (int)nodes, (int)nodes - 1);
    for (int64_t i = 0; i < rows; i++) {
        const netdp_i_cell_value value = netdp_i_cell_read(owner[i]);
        if (!value.is_number)
            return netdp_i_fail(error, NETDP_INVALID,
                                "owner_cuts: column '%s' has '%s', which is no number",
                                netdp_i_show_text(column).text, netdp_i_show_text(owner[i]).text);
        for (node[i] = 0; node[i] < count && value.number >= cut[node[i]];)
            node[i]++;
    }
    return NETDP_OK;
}

/* Two owners that only case and blanks tell apart are one who was written in two ways. */
static netdp_status check_alike(const netdp_i_cell_value *owner, int64_t count, const char *column,
                                netdp_error *error)
{
    enum { MANY = 2000 };
    for (int64_t i = 0; count <= MANY && i < count; i++)
        for (int64_t j = 0; j < i; j++)
            if (netdp_i_hardly_differ(owner[i].text, owner[j].text))
                return netdp_i_fail(error, NETDP_INVALID,
                                    "owner: column '%s' has '%s' and '%s', which differ in case or "
                                    "blanks alone; write an owner one way",
                                    netdp_i_show_text(column).text,
                                    netdp_i_show_text(owner[j].text).text,
                                    netdp_i_show_text(owner[i].text).text);
    return NETDP_OK;
}

/*
 * The node of each of `count` distinct owners, by its name. Where nodes have no names, and no owner is the number
 * of one, there is nothing to go by, and owners are nodes in their order.
 */
static netdp_status place_owners(const netdp_i_cell_value *owner, int64_t count, const char *column,
                                 const netdp_graph *graph, int32_t *place, netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(graph);
    int64_t known = 0;
    netdp_error why = {.text = ""};
    TRY(check_alike(owner, count, column, error));
    bool names = false;
    for (int32_t v = 0; v < nodes && !names; v++)
        names = netdp_graph_name(graph, v) != NULL;
    for (int64_t i = 0; i < count; i++) {
        netdp_error mine;
        const bool found = netdp_graph_find(graph, owner[i].text, &place[i], &mine) == NETDP_OK;
        if (!found && why.text[0] == '\0')
            why = mine;
        known += found;
    }
    if (count != nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "owner: column '%s' has %lld values and there are %d nodes; every node "
                            "holds the rows of one",
                            netdp_i_show_text(column).text, (long long)count, (int)nodes);
    if (known == count)
        return NETDP_OK;
    if (names || known > 0)
        return netdp_i_fail(error, NETDP_INVALID, "owner: column '%s': %.300s",
                            netdp_i_show_text(column).text, why.text);
    for (int32_t i = 0; i < nodes; i++)
        place[i] = i;
    return NETDP_OK;
}

netdp_status netdp_i_owners_deal(char *const *owner, int64_t rows, const char *column,
                                 const char *cuts, const netdp_graph *graph, int32_t *node,
                                 netdp_error *error)
{
    if (cuts != NULL)
        return deal_cuts(owner, rows, column, cuts, netdp_graph_nodes(graph), node, error);
    OWNED netdp_i_cell_value *all = NETDP_I_NEW(netdp_i_cell_value, rows);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, rows);
    if (all == NULL || place == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < rows; i++)
        all[i] = netdp_i_cell_read(owner[i]);
    const int64_t count = netdp_i_cells_distinct(all, rows);
    TRY(place_owners(all, count, column, graph, place, error));
    for (int64_t i = 0; i < rows; i++) {
        const netdp_i_cell_value mine = netdp_i_cell_read(owner[i]);
        const netdp_i_cell_value *found =
            bsearch(&mine, all, (size_t)count, sizeof *all, netdp_i_cell_order);
        node[i] = place[found - all];
    }
    return NETDP_OK;
}
