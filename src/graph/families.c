#include "graph/families.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

enum { MOST_ARGUMENTS = 4, MOST_BLOCKS = 1000 };

/* A family string taken apart, and the graph on its way. */
struct request {
    const struct family *family;
    const char *text;               /* for errors: the string, shortened where it is very long */
    char *word[MOST_ARGUMENTS + 1]; /* the name and the arguments */
    int arguments;
    uint64_t seed;
    bool connected;
    int32_t nodes;
    netdp_i_edges edges;
    double *position; /* geometric only */
    netdp_graph_notes notes;
};

struct family {
    const char *name;
    int arguments;
    const char *grammar;
    netdp_status (*build)(struct request *request, netdp_error *error);
    bool random;
};

static netdp_status refuse(const struct request *request, netdp_error *error, const char *what)
{
    return netdp_i_fail(error, NETDP_INVALID, "family '%s': %s; expected '%s'", request->text, what,
                        request->family->grammar);
}

static bool parse_integer(const char *word, int64_t least, int64_t most, int64_t *value)
{
    size_t length = strlen(word);
    if (length == 0 || length > 18 || strspn(word, "0123456789") != length)
        return false;
    *value = strtoll(word, NULL, 10);
    return *value >= least && *value <= most;
}

static bool parse_double(const char *word, double *value)
{
    return netdp_i_read_number(word, value) && isfinite(*value);
}

/* The integer argument i (from 1), within bounds that the grammar tells. */
static netdp_status integer(const struct request *request, int i, int64_t least, int64_t most,
                            int64_t *value, netdp_error *error)
{
    if (parse_integer(request->word[i], least, most, value))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "family '%s': '%s' is not an integer from %" PRId64 " to %" PRId64
                        "; expected '%s'",
                        request->text, netdp_i_show_text(request->word[i]).text, least, most,
                        request->family->grammar);
}

static netdp_status nodes_argument(struct request *request, int64_t least, netdp_error *error)
{
    int64_t nodes = 0;
    TRY(integer(request, 1, least, NETDP_I_MOST_NODES, &nodes, error));
    request->nodes = (int32_t)nodes;
    return NETDP_OK;
}

/* Refuses what would not fit, before anything is allocated for it. */
static netdp_status bound_edges(const struct request *request, double edges, netdp_error *error)
{
    if (edges <= NETDP_I_MOST_EDGES)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "family '%s': about %.3g edges; at most %d, choose a smaller graph",
                        request->text, edges, NETDP_I_MOST_EDGES);
}

static netdp_status add(struct request *request, int64_t u, int64_t v, netdp_error *error)
{
    return netdp_i_edges_add(&request->edges, (int32_t)u, (int32_t)v, error);
}

/* All pairs among first .. first + size - 1. */
static netdp_status add_clique(struct request *request, int64_t first, int64_t size,
                               netdp_error *error)
{
    const int64_t more = size * (size - 1) / 2, room = request->edges.room;
    if (request->edges.count + more > 2 * room) /* else it grows by doubling */
        TRY(netdp_i_edges_reserve(&request->edges, request->edges.count + more, error));
    for (int64_t u = first; u < first + size; u++)
        for (int64_t v = u + 1; v < first + size; v++)
            TRY(add(request, u, v, error));
    return NETDP_OK;
}

static netdp_status build_complete(struct request *request, netdp_error *error)
{
    TRY(nodes_argument(request, 1, error));
    double n = request->nodes;
    TRY(bound_edges(request, n * (n - 1) / 2, error));
    return add_clique(request, 0, request->nodes, error);
}

static netdp_status build_path(struct request *request, netdp_error *error)
{
    TRY(nodes_argument(request, 1, error));
    for (int64_t v = 1; v < request->nodes; v++)
        TRY(add(request, v - 1, v, error));
    return NETDP_OK;
}

/* Two nodes share one edge: the second direction is a repeat, dropped like every repeat below. */
static netdp_status build_ring(struct request *request, netdp_error *error)
{
    TRY(build_path(request, error));
    return add(request, request->nodes - 1, 0, error);
}

static netdp_status build_star(struct request *request, netdp_error *error)
{
    TRY(nodes_argument(request, 1, error));
    for (int64_t v = 1; v < request->nodes; v++)
        TRY(add(request, 0, v, error));
    return NETDP_OK;
}

static netdp_status build_lattice(struct request *request, bool wrap, netdp_error *error)
{
    int64_t rows = 0, columns = 0;
    TRY(integer(request, 1, 1, NETDP_I_MOST_NODES, &rows, error));
    TRY(integer(request, 2, 1, NETDP_I_MOST_NODES / rows, &columns, error));
    request->nodes = (int32_t)(rows * columns);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            if (wrap || c + 1 < columns)
                TRY(add(request, r * columns + c, r * columns + (c + 1) % columns, error));
            if (wrap || r + 1 < rows)
                TRY(add(request, r * columns + c, (r + 1) % rows * columns + c, error));
        }
    }
    return NETDP_OK;
}

static netdp_status build_grid(struct request *request, netdp_error *error)
{
    return build_lattice(request, false, error);
}

static netdp_status build_torus(struct request *request, netdp_error *error)
{
    return build_lattice(request, true, error);
}

static netdp_status build_hypercube(struct request *request, netdp_error *error)
{
    int64_t dimension = 0;
    TRY(integer(request, 1, 0, 24, &dimension, error));
    request->nodes = 1 << dimension;
    for (int64_t u = 0; u < request->nodes; u++)
        for (int64_t v = 1; v < request->nodes; v *= 2)
            if ((u & v) == 0)
                TRY(add(request, u, u | v, error));
    return NETDP_OK;
}

static netdp_status build_static_exponential(struct request *request, netdp_error *error)
{
    TRY(nodes_argument(request, 1, error));
    double n = request->nodes;
    TRY(bound_edges(request, n * ceil(log2(fmax(n, 2))), error));
    for (int64_t u = 0; u < request->nodes; u++)
        for (int64_t hop = 1; hop < request->nodes; hop *= 2)
            TRY(add(request, u, (u + hop) % request->nodes, error));
    return NETDP_OK;
}

/* The last node of each clique is joined to the first of the next. */
static netdp_status build_caveman(struct request *request, netdp_error *error)
{
    int64_t cliques = 0, size = 0;
    TRY(integer(request, 1, 1, NETDP_I_MOST_NODES, &cliques, error));
    TRY(integer(request, 2, 1, NETDP_I_MOST_NODES / cliques, &size, error));
    TRY(bound_edges(request, (double)cliques * ((double)size * (double)(size - 1) / 2 + 1), error));
    request->nodes = (int32_t)(cliques * size);
    for (int64_t c = 0; c < cliques; c++) {
        TRY(add_clique(request, c * size, size, error));
        TRY(add(request, c * size + size - 1, (c + 1) % cliques * size, error));
    }
    return NETDP_OK;
}

static netdp_status draw(struct request *request, const netdp_i_law *law, netdp_error *error)
{
    return netdp_i_law_draw(law, request->text, request->seed, request->connected, &request->edges,
                            request->position, &request->notes.redraws, error);
}

static netdp_status build_erdos_renyi(struct request *request, netdp_error *error)
{
    TRY(nodes_argument(request, 1, error));
    const char *word = request->word[2];
    bool scaled = strncmp(word, "c=", 2) == 0;
    double value, n = request->nodes;
    if (!parse_double(word + (scaled ? 2 : 0), &value))
        return refuse(request, error, "the probability is not a number");
    if (scaled && value >= 0) /* p = C ln n / n, at most 1 where n is small */
        value = fmin(value * log(n) / n, 1);
    if (value < 0 || value > 1)
        return refuse(request, error, "the probability is outside [0, 1]");
    TRY(bound_edges(request, value * n * (n - 1) / 2, error));
    netdp_i_law law = {.kind = NETDP_I_ERDOS_RENYI, .nodes = request->nodes, .probability = value};
    return draw(request, &law, error);
}

static netdp_status build_geometric(struct request *request, netdp_error *error)
{
    TRY(nodes_argument(request, 1, error));
    double radius, n = request->nodes;
    if (!parse_double(request->word[2], &radius) || radius < 0)
        return refuse(request, error, "the radius is not a number from 0 up");
    TRY(bound_edges(request, fmin(M_PI * radius * radius, 1) * n * (n - 1) / 2, error));
    netdp_i_law law = {.kind = NETDP_I_GEOMETRIC, .nodes = request->nodes, .radius = radius};
    request->position = NETDP_I_NEW(double, 2 * (int64_t)request->nodes);
    return request->position != NULL ? draw(request, &law, error) : netdp_i_no_memory(error);
}

static netdp_status build_barabasi_albert(struct request *request, netdp_error *error)
{
    int64_t links = 0;
    TRY(nodes_argument(request, 5, error));
    TRY(integer(request, 2, 1, 5, &links, error));
    TRY(bound_edges(request, (double)request->nodes * (double)links, error));
    netdp_i_law law = {
        .kind = NETDP_I_BARABASI_ALBERT, .nodes = request->nodes, .degree = (int32_t)links};
    return draw(request, &law, error);
}

static netdp_status build_regular(struct request *request, netdp_error *error)
{
    int64_t degree = 0;
    TRY(nodes_argument(request, 1, error));
    TRY(integer(request, 2, 0, request->nodes - 1, &degree, error));
    if (request->nodes % 2 == 1 && degree % 2 == 1)
        return refuse(request, error, "nodes times degree is odd");
    TRY(bound_edges(request, (double)request->nodes * (double)degree / 2, error));
    netdp_i_law law = {.kind = NETDP_I_REGULAR, .nodes = request->nodes, .degree = (int32_t)degree};
    return draw(request, &law, error);
}

static netdp_status build_k_out(struct request *request, netdp_error *error)
{
    int64_t drawn = 0;
    TRY(nodes_argument(request, 1, error));
    TRY(integer(request, 2, 0, request->nodes - 1, &drawn, error));
    TRY(bound_edges(request, (double)request->nodes * (double)drawn, error));
    netdp_i_law law = {.kind = NETDP_I_K_OUT, .nodes = request->nodes, .degree = (int32_t)drawn};
    return draw(request, &law, error);
}

/* "75,75,50": the sizes; their sum becomes the number of nodes. 0 blocks: not a list of sizes. */
static int32_t parse_sizes(struct request *request, char *list, int32_t *size)
{
    int32_t blocks = 0;
    int64_t nodes = 0, one = 0;
    for (char *word; (word = strsep(&list, ",")) != NULL; blocks++) {
        if (blocks == MOST_BLOCKS || !parse_integer(word, 1, NETDP_I_MOST_NODES, &one))
            return 0;
        size[blocks] = (int32_t)one;
        nodes += one;
    }
    if (nodes > NETDP_I_MOST_NODES)
        return 0;
    request->nodes = (int32_t)nodes;
    return blocks;
}

/* "a,b;b,c" into matrix[blocks][blocks]. */
static bool parse_matrix(char *list, int32_t blocks, double *matrix)
{
    int32_t row = 0;
    for (char *line; (line = strsep(&list, ";")) != NULL; row++) {
        int32_t column = 0;
        for (char *word; (word = strsep(&line, ",")) != NULL; column++) {
            if (row >= blocks || column >= blocks ||
                !parse_double(word, &matrix[(int64_t)row * blocks + column]))
                return false;
        }
        if (column != blocks)
            return false;
    }
    return row == blocks;
}

static const char *matrix_fault(const double *matrix, int32_t blocks)
{
    for (int64_t i = 0; i < blocks; i++) {
        for (int64_t j = 0; j < blocks; j++) {
            double p = matrix[i * blocks + j], mirrored = matrix[j * blocks + i];
            if (p < 0 || p > 1)
                return "a probability is outside [0, 1]";
            if (p < mirrored || p > mirrored)
                return "the matrix is not symmetric";
        }
    }
    return NULL;
}

static double expected_edges(const int32_t *size, const double *matrix, int32_t blocks)
{
    double edges = 0;
    for (int64_t i = 0; i < blocks; i++)
        for (int64_t j = 0; j < blocks; j++)
            edges += 0.5 * matrix[i * blocks + j] * (double)size[i] * (double)size[j];
    return edges;
}

static netdp_status build_stochastic_block(struct request *request, netdp_error *error)
{
    OWNED int32_t *size = NETDP_I_NEW(int32_t, MOST_BLOCKS);
    if (size == NULL)
        return netdp_i_no_memory(error);
    int32_t blocks = parse_sizes(request, request->word[1], size);
    if (blocks == 0)
        return refuse(request, error, "the sizes are not positive integers with commas between");
    OWNED double *matrix = NETDP_I_NEW(double, (int64_t)blocks *blocks);
    if (matrix == NULL)
        return netdp_i_no_memory(error);
    const char *fault =
        parse_matrix(request->word[2], blocks, matrix)
            ? matrix_fault(matrix, blocks)
            : "the probabilities are not one row and one column of numbers for each size";
    if (fault != NULL)
        return refuse(request, error, fault);
    TRY(bound_edges(request, expected_edges(size, matrix, blocks), error));
    netdp_i_law law = {.kind = NETDP_I_STOCHASTIC_BLOCK,
                       .nodes = request->nodes,
                       .blocks = blocks,
                       .size = size,
                       .matrix = matrix};
    return draw(request, &law, error);
}

/* Makes nothing here: make() reads the bundled edge list instead. */
static netdp_status build_bundled(struct request *request, netdp_error *error)
{
    (void)request, (void)error;
    return NETDP_OK;
}

static const struct family families[] = {
    {"complete", 1, "complete NODES", build_complete, false},
    {"ring", 1, "ring NODES", build_ring, false},
    {"path", 1, "path NODES", build_path, false},
    {"star", 1, "star NODES", build_star, false},
    {"grid", 2, "grid ROWS COLUMNS", build_grid, false},
    {"torus", 2, "torus ROWS COLUMNS", build_torus, false},
    {"hypercube", 1, "hypercube DIMENSION", build_hypercube, false},
    {"static-exponential", 1, "static-exponential NODES", build_static_exponential, false},
    {"erdos-renyi", 2, "erdos-renyi NODES PROBABILITY, or c=C for C ln n / n", build_erdos_renyi,
     true},
    {"geometric", 2, "geometric NODES RADIUS", build_geometric, true},
    {"barabasi-albert", 2, "barabasi-albert NODES LINKS, at least 5 nodes, 1 to 5 links",
     build_barabasi_albert, true},
    {"regular", 2, "regular NODES DEGREE, degree < nodes, their product even", build_regular, true},
    {"k-out", 2, "k-out NODES K, each node draws K others", build_k_out, true},
    {"stochastic-block", 2, "stochastic-block SIZE,SIZE P,Q;Q,R", build_stochastic_block, true},
    {"caveman", 2, "caveman CLIQUES SIZE", build_caveman, false},
    {"davis", 0, "davis", build_bundled, false},
    {"florentine", 0, "florentine", build_bundled, false},
    {"karate", 0, "karate", build_bundled, false},
    {"households", 0, "households", build_bundled, false},
};
enum { FAMILIES = sizeof families / sizeof *families };

static const struct family *find_family(const char *text)
{
    const size_t length = strcspn(text, " \t");
    for (int i = 0; i < FAMILIES; i++)
        if (strlen(families[i].name) == length && memcmp(families[i].name, text, length) == 0)
            return &families[i];
    return NULL;
}

const char *netdp_i_family_grammar(const char *text)
{
    const struct family *family = find_family(text);
    return family != NULL ? family->grammar : NULL;
}

bool netdp_i_family_is_random(const char *text)
{
    const struct family *family = find_family(text);
    return family != NULL && family->random;
}

static netdp_status unknown_family(const char *name, netdp_error *error)
{
    char list[400];
    size_t used = 0;
    int nearest = 0;
    for (int i = 0; i < FAMILIES; i++) {
        if (netdp_i_distance(name, families[i].name) <
            netdp_i_distance(name, families[nearest].name))
            nearest = i;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                                 families[i].name);
    }
    return netdp_i_fail(error, NETDP_INVALID, "no family '%s'; did you mean '%s'? All: %s",
                        netdp_i_show_text(name).text, families[nearest].grammar, list);
}

/* Splits `words` (changed) and finds the family. */
static netdp_status take_apart(char *words, struct request *request, netdp_error *error)
{
    int count = 0, extra = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t\r\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (count <= MOST_ARGUMENTS)
            request->word[count++] = word;
        else
            extra++;
    }
    if (count == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "an empty family; name one, for example 'hypercube 5'");
    request->family = find_family(request->word[0]);
    if (request->family == NULL)
        return unknown_family(request->word[0], error);
    request->arguments = count - 1 + extra;
    if (request->arguments != request->family->arguments)
        return netdp_i_fail(error, NETDP_INVALID, "family '%s': %d parameters; expected '%s'",
                            request->text, request->arguments, request->family->grammar);
    return NETDP_OK;
}

/* Names of a bundled graph: "number TAB name", one line for each node in order. */
static netdp_status name_nodes(netdp_graph *graph, const char *text, netdp_error *error)
{
    OWNED const char **label = NETDP_I_NEW(const char *, graph->nodes);
    OWNED int64_t *length = NETDP_I_NEW(int64_t, graph->nodes);
    if (label == NULL || length == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < graph->nodes; v++) {
        const char *tab = strchr(text, '\t');
        const char *end = tab == NULL ? NULL : strchr(tab, '\n');
        if (end == NULL)
            return netdp_i_fail(error, NETDP_INVALID, "bundled names end at node %d; rebuild",
                                (int)v);
        label[v] = tab + 1;
        length[v] = end - tab - 1;
        text = end + 1;
    }
    return netdp_i_graph_set_names(graph, label, length, error);
}

static netdp_status make_bundled(const char *name, netdp_graph **graph, netdp_error *error)
{
    const netdp_i_bundled *bundled = netdp_i_bundled_graphs;
    while (bundled->name != NULL && strcmp(bundled->name, name) != 0)
        bundled++;
    if (bundled->name == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s is not in this build; rebuild", name);
    TRY(netdp_i_graph_parse(bundled->edges, (int64_t)strlen(bundled->edges), name, false, graph,
                            NULL, error));
    return name_nodes(*graph, bundled->nodes, error);
}

static void clear(struct request *request)
{
    netdp_i_edges_free(&request->edges);
    netdp_i_free(request->position);
}

netdp_status netdp_graph_make(const char *family, uint64_t seed, bool connected,
                              netdp_graph **graph, netdp_graph_notes *notes, netdp_error *error)
{
    NETDP_I_GIVEN(error, family && graph);
    netdp_i_shown shown = netdp_i_show_text(family);
    OWNED char *words = netdp_i_copy_text(family);
    OWNED_BY(netdp_graph_free) netdp_graph *made = NULL;
    CLEARED(clear)
    struct request request = {.text = shown.text, .seed = seed, .connected = connected};
    if (words == NULL)
        return netdp_i_no_memory(error);
    TRY(take_apart(words, &request, error));
    TRY(request.family->build(&request, error));
    if (request.family->build == build_bundled)
        TRY(make_bundled(request.family->name, &made, error));
    else
        TRY(netdp_i_graph_build(request.nodes, &request.edges, &made, NULL, NULL, error));
    TRY(netdp_i_graph_set_origin(made, family, error));
    if (notes != NULL)
        *notes = request.notes;
    made->drawn = true;
    made->position = GIVE(request.position);
    *graph = GIVE(made);
    return NETDP_OK;
}
