/* Graph files: by the ending of their names, else by how they begin. */
#include "graph/collect.h"

#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"

#define WRITE_ANOTHER "; write it as GraphML, GML, Pajek or an edge list"
#define UNPACK "; unpack it first"

/* Endings that say it; `refusal`: a format that is not read. */
static const struct {
    const char *ending;
    netdp_i_format format;
    const char *refusal;
} endings[] = {
    {".graphml", NETDP_I_GRAPHML, NULL},
    {".gml", NETDP_I_GML, NULL},
    {".mtx", NETDP_I_MATRIX_MARKET, NULL},
    {".net", NETDP_I_PAJEK, NULL},
    {".paj", NETDP_I_PAJEK, NULL},
    {".pajek", NETDP_I_PAJEK, NULL},
    {".json", NETDP_I_NODE_LINK, NULL},
    {".gexf", NETDP_I_REFUSED, "GEXF" WRITE_ANOTHER},
    {".dot", NETDP_I_REFUSED, "Graphviz's DOT" WRITE_ANOTHER},
    {".gv", NETDP_I_REFUSED, "Graphviz's DOT" WRITE_ANOTHER},
    {".dl", NETDP_I_REFUSED, "UCINET's DL" WRITE_ANOTHER},
    {".tgf", NETDP_I_REFUSED, "the Trivial Graph Format" WRITE_ANOTHER},
    {".g6", NETDP_I_REFUSED, "graph6" WRITE_ANOTHER},
    {".s6", NETDP_I_REFUSED, "sparse6" WRITE_ANOTHER},
    {".metis", NETDP_I_METIS, NULL},
    {".adjlist", NETDP_I_REFUSED, "an adjacency list; write networkx's write_edgelist"},
    {".multiline_adjlist", NETDP_I_REFUSED, "an adjacency list; write networkx's write_edgelist"},
    {".col", NETDP_I_REFUSED, "DIMACS" WRITE_ANOTHER},
    {".clq", NETDP_I_REFUSED, "DIMACS" WRITE_ANOTHER},
    {".dimacs", NETDP_I_REFUSED, "DIMACS" WRITE_ANOTHER},
    {".gdf", NETDP_I_REFUSED, "GUESS's GDF" WRITE_ANOTHER},
    {".vna", NETDP_I_REFUSED, "NetDraw's VNA" WRITE_ANOTHER},
    {".lgl", NETDP_I_REFUSED, "LGL" WRITE_ANOTHER},
    {".gw", NETDP_I_REFUSED, "LEDA's format" WRITE_ANOTHER},
    {".lgr", NETDP_I_REFUSED, "LEDA's format" WRITE_ANOTHER},
    {".xlsx", NETDP_I_REFUSED, "a spreadsheet; save it as CSV"},
    {".xls", NETDP_I_REFUSED, "a spreadsheet; save it as CSV"},
    {".ods", NETDP_I_REFUSED, "a spreadsheet; save it as CSV"},
};

/* Beginnings, behind a byte order mark, blanks and, where `comments`, lines of '%'; case does not count. */
static const struct {
    const char *begins;
    bool comments;
    netdp_i_format format;
    const char *refusal;
} beginnings[] = {
    {"%%MatrixMarket", false, NETDP_I_MATRIX_MARKET, NULL},
    {"%MatrixMarket", false, NETDP_I_MATRIX_MARKET, NULL},
    {"*vertices", true, NETDP_I_PAJEK, NULL},
    {"*network", true, NETDP_I_PAJEK, NULL},
    {"graph [", false, NETDP_I_GML, NULL},
    {"graph{", false, NETDP_I_REFUSED, "Graphviz's DOT" WRITE_ANOTHER},
    {"graph {", false, NETDP_I_REFUSED, "Graphviz's DOT" WRITE_ANOTHER},
    {"digraph", false, NETDP_I_REFUSED, "Graphviz's DOT" WRITE_ANOTHER},
    {"strict graph", false, NETDP_I_REFUSED, "Graphviz's DOT" WRITE_ANOTHER},
    {"strict digraph", false, NETDP_I_REFUSED, "Graphviz's DOT" WRITE_ANOTHER},
    {"dl n", false, NETDP_I_REFUSED, "UCINET's DL" WRITE_ANOTHER},
    {">>graph6<<", false, NETDP_I_REFUSED, "graph6" WRITE_ANOTHER},
    {">>sparse6<<", false, NETDP_I_REFUSED, "sparse6" WRITE_ANOTHER},
    {">>digraph6<<", false, NETDP_I_REFUSED, "digraph6" WRITE_ANOTHER},
    {"nodedef>", false, NETDP_I_REFUSED, "GUESS's GDF" WRITE_ANOTHER},
    {"*node data", false, NETDP_I_REFUSED, "NetDraw's VNA" WRITE_ANOTHER},
    {"*node properties", false, NETDP_I_REFUSED, "NetDraw's VNA" WRITE_ANOTHER},
    {"*tie data", false, NETDP_I_REFUSED, "NetDraw's VNA" WRITE_ANOTHER},
    {"LEDA.GRAPH", false, NETDP_I_REFUSED, "LEDA's format" WRITE_ANOTHER},
    {"t # ", false, NETDP_I_REFUSED, "gSpan's lists of graphs" WRITE_ANOTHER},
    {"PAR1", false, NETDP_I_REFUSED, "a Parquet file; give it to netdp.graph in Python as a frame"},
    {"SQLite format 3", false, NETDP_I_REFUSED,
     "an SQLite database; write its table of edges as CSV"},
    {"\x1f\x8b", false, NETDP_I_REFUSED, "a gzip archive" UNPACK},
    {"PK\x03\x04", false, NETDP_I_REFUSED, "a zip archive (or a spreadsheet, or npz)" UNPACK},
    {"BZh", false, NETDP_I_REFUSED, "a bzip2 archive" UNPACK},
    {"\xfd"
     "7zXZ",
     false, NETDP_I_REFUSED, "an xz archive" UNPACK},
    {"\x28\xb5\x2f\xfd", false, NETDP_I_REFUSED, "a zstd archive" UNPACK},
    {"\x93NUMPY", false, NETDP_I_REFUSED, "a NumPy array; give it to netdp.graph in Python"},
    {"\x80\x03", false, NETDP_I_REFUSED, "a pickle; give it to netdp.graph in Python"},
    {"\x80\x04", false, NETDP_I_REFUSED, "a pickle; give it to netdp.graph in Python"},
    {"\x80\x05", false, NETDP_I_REFUSED, "a pickle; give it to netdp.graph in Python"},
};

static int find_ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot != NULL && k < sizeof endings / sizeof *endings; k++)
        if (strcasecmp(dot, endings[k].ending) == 0)
            return (int)k;
    return -1;
}

netdp_i_format netdp_i_graph_format(const char *path)
{
    const int k = find_ending(path);
    return k < 0 ? NETDP_I_EDGE_LIST : endings[k].format;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Behind lines that begin with '%'. */
static const char *skip_comments(const char *at)
{
    while (*(at = skip_blanks(at)) == '%')
        at += strcspn(at, "\n");
    return at;
}

static bool is_line(const char *at, char letter)
{
    return *at == letter && (at[1] == ' ' || at[1] == '\t');
}

/*
 * DIMACS: behind comments "c TEXT" a line "p FORMAT NODES EDGES"; or nothing but its edges, "e 1 2" and "a 1 2 5", which as
 * a list would be a star around a node of that name.
 */
static bool is_dimacs(const char *at)
{
    while (is_line(at, 'c') || (at[0] == 'c' && (at[1] == '\n' || at[1] == '\r')))
        at = skip_blanks(at + strcspn(at, "\n"));
    if (is_line(at, 'p')) {
        const size_t word = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz");
        return word > 0 && at[2 + word] == ' ' && strchr("0123456789", at[3 + word]) != NULL;
    }
    const char letter = *at;
    bool more = letter == 'e' || letter == 'a';
    for (; more && *at != '\0'; at = skip_blanks(at + strcspn(at, "\n")))
        more = is_line(at, letter) && strcspn(at + 2, "0123456789") == strspn(at + 2, " \t") &&
               strspn(at + 2, "0123456789 \t") == strcspn(at + 2, "\r\n");
    return more;
}

static size_t word_of(const char *at)
{
    return strcspn(at, " \t\r\n");
}

/*
 * LGL: "# NODE", then its neighbours, each on a line with or without a weight, and so on. As a list its '#' would be
 * comments: at least two of one word, with neighbours between, of which one stands alone.
 */
static bool is_lgl(const char *at)
{
    int heads = 0, alone = 0, since = 0;
    for (; *at != '\0'; at = skip_blanks(at + strcspn(at, "\n"))) {
        const bool head = at[0] == '#';
        const char *word = head ? at + 1 + strspn(at + 1, " \t") : at;
        const char *second = word + word_of(word);
        second += strspn(second, " \t");
        const bool lone = strchr("\r\n", *second) != NULL; /* the end, too */
        if (word_of(word) == 0 || (!head && heads == 0) || (head && !lone) ||
            (!lone && strspn(second, "0123456789.eE+-") != word_of(second)))
            return false;
        heads += head && (heads == 0 || since > 0);
        since = head ? 0 : since + 1;
        alone += !head && lone;
    }
    return heads > 1 && alone > 0;
}

/* Markup, by its first element that is known. */
static netdp_i_format of_markup(const char *at, const char **refusal)
{
    const char *gexf = strstr(at, "<gexf"), *graphml = strstr(at, "graphml");
    if (graphml != NULL && (gexf == NULL || graphml < gexf))
        return NETDP_I_GRAPHML;
    *refusal = gexf != NULL ? "GEXF" WRITE_ANOTHER : "markup, and no GraphML" WRITE_ANOTHER;
    return NETDP_I_REFUSED;
}

static netdp_i_format of_text(const char *text, int64_t bytes, const char **refusal)
{
    const char *at = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    at = skip_blanks(at);
    const char *behind = skip_comments(at);
    for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++) {
        const char *from = beginnings[k].comments ? behind : at;
        if (strncasecmp(from, beginnings[k].begins, strlen(beginnings[k].begins)) != 0)
            continue;
        *refusal = beginnings[k].refusal;
        return beginnings[k].format;
    }
    if (is_dimacs(at)) {
        *refusal = "DIMACS" WRITE_ANOTHER;
        return NETDP_I_REFUSED;
    }
    if (is_lgl(at)) {
        *refusal = "LGL" WRITE_ANOTHER;
        return NETDP_I_REFUSED;
    }
    if (*at == '{' && *skip_blanks(at + 1) == '"')
        return NETDP_I_NODE_LINK;
    const bool markup =
        *at == '<' && (at[1] == '?' || at[1] == '!' || strncasecmp(at + 1, "g", 1) == 0 ||
                       strncasecmp(at + 1, "html", 4) == 0);
    return markup ? of_markup(at, refusal) : NETDP_I_EDGE_LIST;
}

/* Where the name says nothing, by how the text (a NUL behind it) begins; refused by its name. */
static netdp_status choose_format(const char *path, const char *text, int64_t bytes,
                                  netdp_i_format *format, netdp_error *error)
{
    const int k = find_ending(path);
    const char *refusal = k < 0 ? NULL : endings[k].refusal;
    *format = k < 0 ? of_text(text, bytes, &refusal) : endings[k].format;
    return *format != NETDP_I_REFUSED
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_INVALID, "%s: is not read: it is %s", path, refusal);
}

/* ---- Reading ---- */

/* Lines that end in carriage returns alone, as on a Macintosh before 2001, and as spreadsheets still write. */
static void end_lines(char *text, int64_t bytes)
{
    if (memchr(text, '\n', (size_t)bytes) != NULL)
        return;
    for (char *at = text; (at = memchr(at, '\r', (size_t)(text + bytes - at))) != NULL; at++)
        *at = '\n';
}

typedef netdp_status collect(netdp_i_collection *, const char *, int64_t, char **, netdp_error *);

static collect *const formats[] = {
    [NETDP_I_GRAPHML] = netdp_i_collect_graphml,
    [NETDP_I_GML] = netdp_i_collect_gml,
    [NETDP_I_MATRIX_MARKET] = netdp_i_collect_market,
    [NETDP_I_EDGE_LIST] = netdp_i_collect_list,
    [NETDP_I_PAJEK] = netdp_i_collect_pajek,
    [NETDP_I_NODE_LINK] = netdp_i_collect_node_link,
    [NETDP_I_METIS] = netdp_i_collect_metis,
};

netdp_status netdp_graph_read(const char *path, bool giant_component, netdp_graph **graph,
                              netdp_graph_notes *notes, netdp_error *error)
{
    NETDP_I_GIVEN(error, path && graph);
    CLEARED(netdp_i_collect_clear) netdp_i_collection collection = {.path = path};
    OWNED char *text = NULL;
    OWNED char *own = NULL;
    int64_t bytes = 0;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    netdp_i_format format = NETDP_I_EDGE_LIST;
    end_lines(text, bytes);
    TRY(choose_format(path, text, bytes, &format, error));
    TRY(formats[format](&collection, text, bytes, &own, error));
    return netdp_i_collect_finish(&collection, giant_component, graph, notes, error);
}
