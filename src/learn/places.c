#include "learn/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "learn/owner.h"
#include "learn/table.h"

/* More rows than any table has. */
#define MOST_PLACES 1e9

/* "a: 10, b: 12", in the order given; names lie in `text`. */
typedef struct declaration {
    char *text;
    int64_t count, room;
    char **name;
    int64_t *rows;
} declaration;

static void drop(declaration *of)
{
    netdp_i_free(of->text);
    netdp_i_free(of->name);
    netdp_i_free(of->rows);
    *of = (declaration){0};
}

static bool read_count(const char *text, int64_t *count)
{
    double number = 0;
    if (!netdp_i_read_number(text, &number) || !(number >= 0 && number <= MOST_PLACES) ||
        number != (double)(int64_t)number)
        return false;
    *count = (int64_t)number;
    return true;
}

static netdp_status add(declaration *of, char *name, int64_t rows, netdp_error *error)
{
    if (of->count == of->room) {
        const int64_t room = of->room == 0 ? 16 : 2 * of->room;
        char **names = netdp_i_grow(of->name, room, sizeof *names);
        of->name = names != NULL ? names : of->name;
        int64_t *counts = names != NULL ? netdp_i_grow(of->rows, room, sizeof *counts) : NULL;
        of->rows = counts != NULL ? counts : of->rows;
        if (names == NULL || counts == NULL)
            return netdp_i_no_memory(error);
        of->room = room;
    }
    of->name[of->count] = name;
    of->rows[of->count++] = rows;
    return NETDP_OK;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t end = strlen(text); end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t');)
        text[--end] = '\0';
    return text;
}

static netdp_status read_list(declaration *of, netdp_error *error)
{
    char *rest = NULL;
    for (char *part = strtok_r(of->text, ",", &rest); part != NULL;
         part = strtok_r(NULL, ",", &rest)) {
        char *colon = strrchr(part, ':');
        int64_t rows = 0;
        if (colon != NULL)
            *colon = '\0';
        if (colon == NULL || trim(part)[0] == '\0' || !read_count(trim(colon + 1), &rows))
            return netdp_i_fail(error, NETDP_INVALID,
                                "rows: '%s' is no owner and its number of rows; give such as {a: "
                                "10, b: 12}",
                                netdp_i_show_text(trim(part)).text);
        TRY(add(of, trim(part), rows, error));
    }
    return NETDP_OK;
}

/* A public file: a column `owner` and a column `rows`. */
static netdp_status read_file(const char *path, declaration *of, netdp_error *error)
{
    const char *const wanted[] = {"rows"};
    OWNED_BY(netdp_table_free) netdp_table *table = NULL;
    CLEARED(netdp_i_label_column_drop) netdp_i_label_column texts = {0};
    TRY(netdp_i_table_read_owned(path, wanted, 1, "owner", false, &table, &texts, error));
    for (int64_t i = 0; i < table->rows; i++) {
        const double rows = table->values[i];
        TRY(rows >= 0 && rows <= MOST_PLACES && rows == (double)(int64_t)rows
                ? add(of, texts.owner[i], (int64_t)rows, error)
                : netdp_i_fail(error, NETDP_INVALID, "%.200s: rows: %g is no number of rows", path,
                               rows));
    }
    of->text = texts.text; /* where the names are */
    texts.text = NULL;
    return NETDP_OK;
}

static netdp_status read_owners(const char *text, declaration *of, netdp_error *error)
{
    int64_t total;
    if (read_count(text, &total))
        return netdp_i_fail(error, NETDP_INVALID,
                            "rows: %lld in all does not say how many each owner holds; give such "
                            "as {a: 10, b: 12}, or a file with the columns owner and rows",
                            (long long)total);
    if (strchr(text, ':') == NULL)
        return read_file(text, of, error);
    of->text = netdp_i_copy_text(text);
    return of->text == NULL ? netdp_i_no_memory(error) : read_list(of, error);
}

/* A declared owner, found by its name. */
typedef struct known {
    netdp_i_cell_value name;
    int32_t node;
} known;

/* The declared owners' nodes, sorted by name. */
static netdp_status place_declared(const netdp_i_placing *how, const declaration *of,
                                   int32_t *place, known *owner, netdp_error *error)
{
    if (how->cuts == NULL)
        TRY(netdp_i_owners_deal(of->name, of->count, how->column, NULL, how->graph, place, error));
    for (int64_t i = 0; i < of->count; i++) {
        if (how->cuts != NULL)
            TRY(netdp_graph_find(how->graph, of->name[i], &place[i], error));
        owner[i] = (known){netdp_i_cell_read(of->name[i]), place[i]};
    }
    qsort(owner, (size_t)of->count, sizeof *owner, netdp_i_cell_order);
    for (int64_t i = 1; i < of->count; i++)
        if (netdp_i_cell_order(&owner[i - 1], &owner[i]) == 0 || owner[i - 1].node == owner[i].node)
            return netdp_i_fail(error, NETDP_INVALID, "rows: '%s' is there twice; keep one",
                                netdp_i_show_text(owner[i].name.text).text);
    return NETDP_OK;
}

static netdp_status fail_foreign(const declaration *of, const char *owner, netdp_error *error)
{
    int64_t nearest = 0;
    size_t least = SIZE_MAX;
    for (int64_t i = 0; i < of->count; i++) {
        const size_t distance = netdp_i_distance(of->name[i], owner);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "owner: '%s' is none of the %lld that rows declares; the nearest is '%s'",
                        netdp_i_show_text(owner).text, (long long)of->count,
                        netdp_i_show_text(of->name[nearest]).text);
}

/* The node of every row, by the declared owners. */
static netdp_status find_nodes(const netdp_i_placing *how, const declaration *of,
                               const known *owner, int32_t *node, netdp_error *error)
{
    for (int64_t i = 0; i < how->rows; i++) {
        const netdp_i_cell_value mine = netdp_i_cell_read(how->owner[i]);
        const known *found =
            bsearch(&mine, owner, (size_t)of->count, sizeof *owner, netdp_i_cell_order);
        if (found == NULL)
            return fail_foreign(of, how->owner[i], error);
        node[i] = found->node;
    }
    return NETDP_OK;
}

/* That, and how many places each node has. */
static netdp_status by_declared(const netdp_i_placing *how, int32_t *node, int64_t *held,
                                netdp_error *error)
{
    CLEARED(drop) declaration of = {0};
    TRY(read_owners(how->declared, &of, error));
    OWNED int32_t *place = NETDP_I_NEW(int32_t, of.count);
    OWNED known *owner = NETDP_I_NEW(known, of.count);
    if (place == NULL || owner == NULL)
        return netdp_i_no_memory(error);
    TRY(place_declared(how, &of, place, owner, error));
    for (int64_t i = 0; i < of.count; i++)
        held[place[i]] = of.rows[i];
    return how->cuts != NULL ? netdp_i_owners_deal(how->owner, how->rows, how->column, how->cuts,
                                                   how->graph, node, error)
                             : find_nodes(how, &of, owner, node, error);
}

/* Node by node: their rows in the table's order, as far as there are places. */
static netdp_status fill_owned(const netdp_i_placing *how, const int32_t *node, int64_t *held,
                               netdp_i_places *places, netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(how->graph);
    int64_t *next = NETDP_I_NEW(int64_t, nodes);
    for (int32_t u = 0; u < nodes; u++)
        places->count += held[u];
    places->row = NETDP_I_NEW(int64_t, places->count);
    places->node = NETDP_I_NEW(int32_t, places->count);
    if (next == NULL || places->row == NULL || places->node == NULL) {
        netdp_i_free(next);
        return netdp_i_no_memory(error);
    }
    for (int64_t u = 0, k = 0; u < nodes; u++) {
        next[u] = k;
        for (; k < next[u] + held[u]; k++) {
            places->row[k] = -1;
            places->node[k] = (int32_t)u;
        }
    }
    places->absent = places->count;
    for (int64_t i = 0; i < how->rows; i++) {
        places->beyond += held[node[i]] == 0;
        if (held[node[i]] == 0)
            continue;
        held[node[i]]--;
        places->absent--;
        places->row[next[node[i]]++] = how->empty[i] ? -1 : i;
    }
    netdp_i_free(next);
    return NETDP_OK;
}

static netdp_status place_owned(const netdp_i_placing *how, netdp_i_places *places,
                                netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(how->graph);
    OWNED int32_t *node = NETDP_I_NEW(int32_t, how->rows);
    OWNED int64_t *held = NETDP_I_NEW(int64_t, nodes);
    if (node == NULL || held == NULL)
        return netdp_i_no_memory(error);
    if (how->declared != NULL)
        TRY(by_declared(how, node, held, error));
    else
        TRY(netdp_i_owners_deal(how->owner, how->rows, how->column, how->cuts, how->graph, node,
                                error));
    for (int64_t i = 0; how->declared == NULL && i < how->rows; i++)
        held[node[i]]++;
    for (int32_t u = 0; u < nodes; u++)
        if (held[u] == 0)
            return netdp_i_fail(error, NETDP_INVALID,
                                "owner: node %d holds no row; every node needs one: use another "
                                "graph, or other owners",
                                (int)u);
    return fill_owned(how, node, held, places, error);
}

/* Row k is at place k; as many places as are declared, or as there are rows. */
static netdp_status place_in_order(const netdp_i_placing *how, netdp_i_places *places,
                                   netdp_error *error)
{
    netdp_i_places made = {.count = how->rows};
    if (how->declared != NULL && (!read_count(how->declared, &made.count) || made.count < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "rows: '%s' is no number of rows; give one from 1, or name the "
                            "owners' column as owner",
                            netdp_i_show_text(how->declared).text);
    made.row = NETDP_I_NEW(int64_t, made.count);
    if (made.row == NULL)
        return netdp_i_no_memory(error);
    made.beyond = how->rows > made.count ? how->rows - made.count : 0;
    made.absent = made.count > how->rows ? made.count - how->rows : 0;
    for (int64_t k = 0; k < made.count; k++)
        made.row[k] = k < how->rows && !how->empty[k] ? k : -1;
    *places = made;
    return NETDP_OK;
}

netdp_status netdp_i_places_fill(const netdp_i_placing *how, netdp_i_places *places,
                                 netdp_error *error)
{
    if (how->owner == NULL)
        return place_in_order(how, places, error);
    CLEARED(netdp_i_places_clear) netdp_i_places made = {0};
    TRY(place_owned(how, &made, error));
    *places = made;
    made = (netdp_i_places){0};
    return NETDP_OK;
}

void netdp_i_places_clear(netdp_i_places *places)
{
    netdp_i_free(places->row);
    netdp_i_free(places->node);
    *places = (netdp_i_places){0};
}
