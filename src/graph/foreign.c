/*
 * GML, GraphML and Pajek through igraph, whose attribute table is global like its handlers: ours while
 * the lock is held. Its errors carry a line where it knows one.
 */
#include "graph/igraph/borrow.h"
#include "graph/collect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/families.h"
#include "graph/prepare.h"

/* igraph is not there yet where one is chosen. */
typedef igraph_error_t reader(igraph_t *graph, FILE *stream);

static igraph_error_t read_gml(igraph_t *graph, FILE *stream)
{
    return igraph_read_graph_gml(graph, stream);
}

static igraph_error_t read_graphml(igraph_t *graph, FILE *stream)
{
    return igraph_read_graph_graphml(graph, stream, 0);
}

static igraph_error_t read_pajek(igraph_t *graph, FILE *stream)
{
    return igraph_read_graph_pajek(graph, stream);
}

struct foreign {
    const char *format; /* "GML" */
    const char *advice;
    bool xml;
    reader *read;
    int32_t first; /* number of the first node, where none has a name */
    netdp_i_collection *collection;
    igraph_t graph;
    char **own;
};

static netdp_status fail(const struct foreign *foreign, netdp_error *error, const char *what)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s: %s", foreign->collection->path, what);
}

/* "Parse error in GML file, line 3 (...)" and "Line 3: ..." know where it is. */
static netdp_status fail_parse(const struct foreign *foreign, igraph_error_t code,
                               netdp_error *error)
{
    const char *path = foreign->collection->path, *reason = netdp_i_igraph_reason();
    /* Ended: out of memory, or a text nested so deeply that its parser gives up. */
    if (code == IGRAPH_ENOMEM && strstr(reason, "line") == NULL)
        return netdp_i_no_memory(error);
    if (strstr(reason, "Graph index") != NULL)
        return fail(foreign, error, "no graph; a GraphML file has a <graph> in a <graphml>");
    netdp_i_shown shown = netdp_i_show(reason, strcspn(reason, "\r\n"));
    const char *at = strstr(reason, foreign->xml ? "Line " : "line ");
    long long line = at != NULL ? strtoll(at + 5, NULL, 10) : 0;
    if (line > 0)
        return netdp_i_fail(error, NETDP_INVALID, "%s:%lld: %s; give a whole %s file", path, line,
                            shown.text, foreign->format);
    return netdp_i_fail(error, NETDP_INVALID, "%s: %s; give a whole %s file", path,
                        reason[0] != '\0' ? shown.text : igraph_strerror(code), foreign->format);
}

/* ---- Names ---- */

struct names {
    char *text; /* one after the other, each with a NUL */
    int64_t used, room;
};

/* libxml2 hands "&" of an XML attribute on as "&#38;". */
static void decode_ampersands(char *name)
{
    char *out = name;
    for (const char *p = name; *p != '\0'; p++) {
        *out++ = *p;
        if (strncmp(p, "&#38;", 5) == 0)
            p += 4;
    }
    *out = '\0';
}

static netdp_status add_name(struct names *names, const char *name, bool encoded,
                             netdp_error *error)
{
    int64_t length = (int64_t)strlen(name) + 1;
    if (length > names->room - names->used) {
        int64_t room = 2 * names->room + length + 256;
        char *grown = netdp_i_grow(names->text, room, 1);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        names->text = grown;
        names->room = room;
    }
    char *mine = memcpy(names->text + names->used, name, (size_t)length);
    if (encoded)
        decode_ampersands(mine);
    names->used += (int64_t)strlen(mine) + 1;
    return NETDP_OK;
}

/* Something to see on one line. */
static bool is_name(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t bytes = netdp_i_utf8(text + i, length - i, &code);
        if (bytes == 0 || !netdp_i_printable(code))
            return false;
        i += bytes;
    }
    return length > 0;
}

/* The attribute of every node as text; *fit false where a node has no name of it. */
static netdp_status copy_names(const struct foreign *foreign, const char *attribute,
                               igraph_attribute_type_t type, struct names *names, bool *fit,
                               netdp_error *error)
{
    igraph_integer_t nodes = igraph_vcount(&foreign->graph);
    *fit = type == IGRAPH_ATTRIBUTE_STRING || type == IGRAPH_ATTRIBUTE_NUMERIC;
    bool encoded = foreign->xml && strcmp(attribute, "id") == 0;
    names->used = 0;
    for (igraph_integer_t v = 0; v < nodes && *fit; v++) {
        char number[40];
        const char *name = number;
        if (type == IGRAPH_ATTRIBUTE_STRING) {
            name = VAS(&foreign->graph, attribute, v);
            *fit = is_name(name);
        } else {
            double value = VAN(&foreign->graph, attribute, v);
            bool whole = fabs(value) < 9007199254740992.0 && value == floor(value);
            *fit = isfinite(value);
            snprintf(number, sizeof number, whole ? "%.0f" : "%.17g", value);
        }
        if (*fit)
            TRY(add_name(names, name, encoded, error));
    }
    return NETDP_OK;
}

/* *fit: the names differ from each other. */
static netdp_status collect_names(const struct foreign *foreign, const struct names *names,
                                  bool numeric, bool *fit, netdp_error *error)
{
    netdp_i_collection *collection = foreign->collection;
    igraph_integer_t nodes = igraph_vcount(&foreign->graph);
    const char *at = names->text;
    netdp_i_labels_clear(&collection->labels);
    collection->numeric = numeric;
    *fit = true;
    for (igraph_integer_t v = 0; v < nodes && *fit; v++) {
        netdp_i_token label = {at, (int64_t)strlen(at)};
        int32_t id;
        netdp_i_collected found = netdp_i_collect_label(collection, label, &id);
        if (found == NETDP_I_FULL)
            return netdp_i_no_memory(error);
        *fit = found == NETDP_I_NEW_LABEL;
        at += label.length + 1;
    }
    return NETDP_OK;
}

/* The names and types of the attributes of nodes or of edges, the caller's to destroy. */
static igraph_error_t list_attributes(const igraph_t *graph, bool of_edge,
                                      igraph_strvector_t *names, igraph_vector_int_t *types)
{
    igraph_error_t code = igraph_strvector_init(names, 0);
    if (code != IGRAPH_SUCCESS)
        return code;
    code = igraph_vector_int_init(types, 0);
    if (code == IGRAPH_SUCCESS) {
        code = of_edge ? igraph_cattribute_list(graph, NULL, NULL, NULL, NULL, names, types)
                       : igraph_cattribute_list(graph, NULL, NULL, names, types, NULL, NULL);
        if (code == IGRAPH_SUCCESS)
            return code;
        igraph_vector_int_destroy(types);
    }
    igraph_strvector_destroy(names);
    return code;
}

/* The type of a node's (or edge's) attribute; UNSPECIFIED: there is none. */
static igraph_error_t find_attribute(const igraph_t *graph, bool of_edge, const char *name,
                                     igraph_attribute_type_t *type)
{
    igraph_strvector_t names;
    igraph_vector_int_t types;
    *type = IGRAPH_ATTRIBUTE_UNSPECIFIED;
    const igraph_error_t code = list_attributes(graph, of_edge, &names, &types);
    if (code != IGRAPH_SUCCESS)
        return code;
    /* Of two with one name, igraph's functions take the first. Not STR, a macro that reads the vector itself in
     * some versions and calls a function in others. */
    for (igraph_integer_t i = igraph_strvector_size(&names) - 1; i >= 0; i--)
        if (strcmp(igraph_strvector_get(&names, i), name) == 0)
            *type = (igraph_attribute_type_t)VECTOR(types)[i];
    igraph_strvector_destroy(&names);
    igraph_vector_int_destroy(&types);
    return code;
}

static void clear_names(struct names *names)
{
    netdp_i_free(names->text);
}

/* The first of these that gives every node a name of its own; else the nodes' numbers. */
static netdp_status read_names(struct foreign *foreign, netdp_error *error)
{
    static const char *const attribute[] = {"name", "label", "id"};
    CLEARED(clear_names) struct names names = {0};
    bool fit = false;
    for (size_t i = 0; i < sizeof attribute / sizeof *attribute && !fit; i++) {
        igraph_attribute_type_t type;
        if (find_attribute(&foreign->graph, false, attribute[i], &type) != IGRAPH_SUCCESS)
            return netdp_i_no_memory(error);
        TRY(copy_names(foreign, attribute[i], type, &names, &fit, error));
        if (!fit)
            continue;
        TRY(collect_names(foreign, &names, true, &fit, error));
        if (!fit)
            TRY(collect_names(foreign, &names, false, &fit, error));
    }
    if (!fit)
        return netdp_i_collect_numbers(foreign->collection, (int32_t)igraph_vcount(&foreign->graph),
                                       foreign->first, foreign->own, error);
    *foreign->own = GIVE(names.text);
    return NETDP_OK;
}

/* ---- Edges ---- */

static netdp_status fail_weight(const struct foreign *foreign, igraph_integer_t edge,
                                netdp_error *error)
{
    const netdp_i_labels *labels = &foreign->collection->labels;
    igraph_integer_t u = IGRAPH_FROM(&foreign->graph, edge), v = IGRAPH_TO(&foreign->graph, edge);
    if (u > v) { /* igraph turns undirected edges; the file's order is more often this one */
        igraph_integer_t other = u;
        u = v;
        v = other;
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: the edge between '%s' and '%s' has a weight that is no positive "
                        "number; correct or remove it",
                        foreign->collection->path,
                        netdp_i_show(labels->where[u], (size_t)labels->length[u]).text,
                        netdp_i_show(labels->where[v], (size_t)labels->length[v]).text);
}

/* The weight of one edge, NaN where it has none; false where it is no positive number. */
static bool read_weight(const struct foreign *foreign, const char *name,
                        igraph_attribute_type_t type, igraph_integer_t edge, double *weight)
{
    *weight = NAN;
    if (type == IGRAPH_ATTRIBUTE_NUMERIC) {
        *weight = EAN(&foreign->graph, name, edge);
    } else if (type == IGRAPH_ATTRIBUTE_STRING) {
        const char *text = EAS(&foreign->graph, name, edge);
        if (text[0] != '\0' && !netdp_i_read_number(text, weight))
            return false;
    } else {
        return false;
    }
    return isnan(*weight) || (isfinite(*weight) && *weight > 0);
}

/* Weights into weight[edges], from each attribute that netdp_i_prepare_graphml left. */
static netdp_status read_weights(struct foreign *foreign, double *weight, netdp_error *error)
{
    igraph_integer_t edges = igraph_ecount(&foreign->graph);
    for (igraph_integer_t e = 0; e < edges; e++)
        weight[e] = NAN;
    for (int k = 1; k <= NETDP_I_MOST_WEIGHTS; k++) {
        igraph_attribute_type_t type;
        char name[16] = "weight";
        if (k > 1)
            snprintf(name, sizeof name, "weight %d", k);
        if (find_attribute(&foreign->graph, true, name, &type) != IGRAPH_SUCCESS)
            return netdp_i_no_memory(error);
        for (igraph_integer_t e = 0; type != IGRAPH_ATTRIBUTE_UNSPECIFIED && e < edges; e++) {
            double mine;
            if (!read_weight(foreign, name, type, e, &mine))
                return fail_weight(foreign, e, error);
            if (isnan(weight[e]))
                weight[e] = mine;
            else if (!isnan(mine) && (mine < weight[e] || mine > weight[e]))
                return fail_weight(foreign, e, error);
        }
    }
    return NETDP_OK;
}

static netdp_status read_edges(struct foreign *foreign, netdp_error *error)
{
    igraph_integer_t edges = igraph_ecount(&foreign->graph);
    OWNED double *weight = NETDP_I_NEW(double, edges);
    if (weight == NULL)
        return netdp_i_no_memory(error);
    TRY(read_weights(foreign, weight, error));
    for (igraph_integer_t e = 0; e < edges; e++)
        TRY(netdp_i_collect_edge(foreign->collection, (int32_t)IGRAPH_FROM(&foreign->graph, e),
                                 (int32_t)IGRAPH_TO(&foreign->graph, e), weight[e], 0, error));
    return NETDP_OK;
}

/* What edges of a Pajek file have beside their weights; of others netdp_i_prepare_gml and _graphml have told. */
static netdp_status note_attributes(struct foreign *foreign, netdp_error *error)
{
    igraph_strvector_t names;
    igraph_vector_int_t types;
    if (list_attributes(&foreign->graph, true, &names, &types) != IGRAPH_SUCCESS)
        return netdp_i_no_memory(error);
    for (igraph_integer_t i = 0; i < igraph_strvector_size(&names); i++)
        netdp_i_collect_attribute(
            foreign->collection, (netdp_i_token){igraph_strvector_get(&names, i),
                                                 (int64_t)strlen(igraph_strvector_get(&names, i))});
    igraph_strvector_destroy(&names);
    igraph_vector_int_destroy(&types);
    return NETDP_OK;
}

/* ---- The file ---- */

static netdp_status read_graph(struct foreign *foreign, netdp_error *error)
{
    igraph_integer_t nodes = igraph_vcount(&foreign->graph);
    if (nodes == 0)
        return fail(foreign, error, "no node; a graph has at least one");
    if (nodes > NETDP_I_MOST_NODES)
        return fail(foreign, error, "too many nodes; at most 100000000");
    TRY(read_names(foreign, error));
    TRY(read_edges(foreign, error));
    if (foreign->read == read_pajek)
        TRY(note_attributes(foreign, error));
    return NETDP_OK;
}

/* Under the lock: the whole stay in igraph. */
static netdp_status read_stream(struct foreign *foreign, FILE *stream, netdp_error *error)
{
    netdp_i_igraph old;
    TRY(netdp_i_igraph_take(&old, error));
    netdp_status status = NETDP_OK;
    igraph_attribute_table_t *table = igraph_set_attribute_table(&igraph_cattribute_table);
    const locale_t before = uselocale(netdp_i_plain());
    igraph_error_t code = foreign->read(&foreign->graph, stream);
    uselocale(before);
    if (code != IGRAPH_SUCCESS) {
        status = fail_parse(foreign, code, error);
    } else {
        status = read_graph(foreign, error);
        igraph_destroy(&foreign->graph);
    }
    igraph_set_attribute_table(table);
    netdp_i_igraph_give_back(&old);
    return status;
}

static netdp_status read_text(struct foreign *foreign, char *text, int64_t bytes,
                              netdp_error *error)
{
    FILE *stream = fmemopen(text, (size_t)bytes, "rb");
    if (stream == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = read_stream(foreign, stream, error);
    fclose(stream);
    return status;
}

/* The byte order mark is stepped over; an empty text, NUL bytes and other encodings are refused. */
static netdp_status check_text(const char **text, int64_t *bytes, const struct foreign *foreign,
                               netdp_error *error)
{
    netdp_i_scan scan = {.path = foreign->collection->path, .advice = foreign->advice};
    TRY(netdp_i_scan_begin(&scan, *text, *bytes, error));
    *text = scan.begin;
    *bytes = scan.end - scan.begin;
    if (*bytes == 0)
        return fail(foreign, error, "no node; the file is empty");
    /* XML says itself what its text is. */
    if (!foreign->xml && !netdp_i_token_is_utf8((netdp_i_token){*text, *bytes}))
        return fail(foreign, error, "not UTF-8 text; convert it (iconv -t UTF-8)");
    return NETDP_OK;
}

/* Keys "graph" outside of all brackets: igraph reads the first one alone. */
static int count_graphs(const char *at, const char *end)
{
    int depth = 0, count = 0;
    for (bool line = true; at < end; line = *at++ == '\n') {
        if (*at == '#' && line) {
            at += strcspn(at, "\n");
        } else if (*at == '"') {
            const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
            at = close != NULL ? close : end - 1;
        }
        depth += (*at == '[') - (*at == ']');
        if (depth != 0 || strncasecmp(at, "graph", 5) != 0)
            continue;
        count += at[5 + strspn(at + 5, " \t\r\n")] == '[';
        at += 4;
    }
    return count;
}

netdp_status netdp_i_collect_gml(netdp_i_collection *collection, const char *text, int64_t bytes,
                                 char **own, netdp_error *error)
{
    struct foreign foreign = {.format = "GML",
                              .advice = "give a GML text",
                              .read = read_gml,
                              .collection = collection,
                              .own = own};
    OWNED char *made = NULL;
    TRY(check_text(&text, &bytes, &foreign, error));
    if (count_graphs(text, text + bytes) > 1)
        return fail(&foreign, error, "several graphs in one file; keep one");
    TRY(netdp_i_prepare_gml(text, bytes, collection, &made, &bytes, error));
    return read_text(&foreign, made, bytes, error);
}

netdp_status netdp_i_collect_graphml(netdp_i_collection *collection, const char *text,
                                     int64_t bytes, char **own, netdp_error *error)
{
    struct foreign foreign = {.format = "GraphML",
                              .advice = "give a GraphML text in UTF-8",
                              .xml = true,
                              .read = read_graphml,
                              .collection = collection,
                              .own = own};
    OWNED char *made = NULL;
    TRY(check_text(&text, &bytes, &foreign, error));
    TRY(netdp_i_prepare_graphml(text, bytes, collection, &made, &bytes, error));
    return read_text(&foreign, made, bytes, error);
}

/* The nodes that "*Vertices N" announces are no more than the text may hold; igraph would make them first. */
static netdp_status check_vertices(const struct foreign *foreign, const char *text, int64_t bytes,
                                   netdp_error *error)
{
    enum { MANY = 1 << 20 };
    for (const char *at = text; (at = strchr(at, '*')) != NULL; at++) {
        if (strncasecmp(at, "*vertices", 9) != 0)
            continue;
        const char *number = at + 9 + strspn(at + 9, " \t");
        uint64_t count;
        const netdp_i_token token = {number, (int64_t)strspn(number, "0123456789")};
        if (!netdp_i_token_integer(token, &count) || count > MANY + (uint64_t)bytes)
            return fail(foreign, error,
                        "*Vertices without a number of nodes, or with more than the file can hold; "
                        "give a whole Pajek file");
    }
    return NETDP_OK;
}

netdp_status netdp_i_collect_pajek(netdp_i_collection *collection, const char *text, int64_t bytes,
                                   char **own, netdp_error *error)
{
    struct foreign foreign = {.format = "Pajek",
                              .advice = "give a Pajek text",
                              .read = read_pajek,
                              .first = 1,
                              .collection = collection,
                              .own = own};
    OWNED char *made = NULL;
    TRY(check_text(&text, &bytes, &foreign, error));
    TRY(check_vertices(&foreign, text, bytes, error));
    if ((made = NETDP_I_NEW(char, bytes + 2)) == NULL)
        return netdp_i_no_memory(error);
    memcpy(made, text, (size_t)bytes);
    made[bytes] = '\n'; /* igraph knows no last line without its end */
    return read_text(&foreign, made, bytes + 1, error);
}
