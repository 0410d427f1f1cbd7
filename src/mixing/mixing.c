#include "mixing/mixing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/graph.h"

static const double ROW_TOLERANCE = 1e-12;

/* What a rule needs to know of one graph. */
struct setting {
    const netdp_graph *graph;
    int32_t top; /* the largest degree */
};

/* A base rule: the weight of the edge (v, its i-th neighbour), and of the loop at v. */
struct rule {
    const char *name;
    double (*edge)(const struct setting *setting, int32_t v, int64_t i);
    double (*loop)(const struct setting *setting, int32_t v);
    bool symmetric; /* by what the formula is, on every graph */
    netdp_status (*check)(const struct setting *setting, netdp_error *error); /* NULL: any graph */
};

static double degree_of(const struct setting *setting, int32_t v)
{
    return (double)(setting->graph->start[v + 1] - setting->graph->start[v]);
}

/* The larger degree of v and its i-th neighbour. */
static double most_of(const struct setting *setting, int32_t v, int64_t i)
{
    const int32_t w = setting->graph->neighbour[setting->graph->start[v] + i];
    const double here = degree_of(setting, v), there = degree_of(setting, w);
    return here > there ? here : there;
}

static double metropolis_edge(const struct setting *setting, int32_t v, int64_t i)
{
    return 1 / (1 + most_of(setting, v, i));
}

/* 1 - sum_w 1/(1+max(d_v,d_w)) = 1/(1+d_v) + sum_w (max - d_v) / ((1+d_v)(1+max)). */
static double metropolis_loop(const struct setting *setting, int32_t v)
{
    const double d = degree_of(setting, v);
    double rest = 0;
    for (int64_t i = 0; i < (int64_t)d; i++) {
        const double most = most_of(setting, v, i);
        if (most > d)
            rest += (most - d) / ((1 + d) * (1 + most));
    }
    return 1 / (1 + d) + rest;
}

static double hamilton_edge(const struct setting *setting, int32_t v, int64_t i)
{
    return 1 / most_of(setting, v, i);
}

/* 1 - sum_w 1/max(d_v,d_w) = sum_w (max - d_v) / (d_v max): exactly 0 where no neighbour has more.
 */
static double hamilton_loop(const struct setting *setting, int32_t v)
{
    const double d = degree_of(setting, v);
    double rest = d > 0 ? 0 : 1;
    for (int64_t i = 0; i < (int64_t)d; i++) {
        const double most = most_of(setting, v, i);
        if (most > d)
            rest += (most - d) / (d * most);
    }
    return rest;
}

static double max_degree_edge(const struct setting *setting, int32_t v, int64_t i)
{
    (void)v, (void)i;
    return 1 / (1 + (double)setting->top);
}

static double max_degree_loop(const struct setting *setting, int32_t v)
{
    return (1 + (double)setting->top - degree_of(setting, v)) / (1 + (double)setting->top);
}

static double uniform_edge(const struct setting *setting, int32_t v, int64_t i)
{
    (void)v, (void)i;
    return 1 / (double)netdp_graph_nodes(setting->graph);
}

static double uniform_loop(const struct setting *setting, int32_t v)
{
    return uniform_edge(setting, v, 0);
}

static netdp_status check_uniform(const struct setting *setting, netdp_error *error)
{
    int64_t n = netdp_graph_nodes(setting->graph);
    if (netdp_graph_edges(setting->graph) == n * (n - 1) / 2)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "mixing 'uniform' needs the complete graph, this one has %" PRId64
                        " of %" PRId64 " edges; use metropolis",
                        netdp_graph_edges(setting->graph), n * (n - 1) / 2);
}

static double file_edge(const struct setting *setting, int32_t v, int64_t i)
{
    return netdp_i_graph_weights(setting->graph, v)[i];
}

/* Neumaier's sum: rows of any length, without the error of adding them up. */
struct sum {
    double total, lost;
};

static void add(struct sum *sum, double x)
{
    double next = sum->total + x;
    sum->lost += fabs(sum->total) >= fabs(x) ? sum->total - next + x : x - next + sum->total;
    sum->total = next;
}

/* What the row leaves, 0 where that is within the tolerance: such a row has no loop. */
static double file_loop(const struct setting *setting, int32_t v)
{
    struct sum row = {0, 0};
    for (int64_t i = 0; i < netdp_graph_degree(setting->graph, v); i++)
        add(&row, file_edge(setting, v, i));
    double rest = (1 - row.total) - row.lost;
    return fabs(rest) <= ROW_TOLERANCE ? 0 : rest;
}

/* A node as its user knows it. */
static netdp_i_shown called(const netdp_graph *graph, int32_t v)
{
    const char *name = netdp_graph_name(graph, v);
    netdp_i_shown text;
    if (name == NULL)
        snprintf(text.text, sizeof text.text, "%d", (int)v);
    else
        text = netdp_i_show_text(name);
    return text;
}

static netdp_status check_file(const struct setting *setting, netdp_error *error)
{
    const netdp_graph *graph = setting->graph;
    if (netdp_graph_edges(graph) > 0 && netdp_i_graph_weights(graph, 0) == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "mixing 'file': %s has no weights; give each edge a third column or "
                            "use metropolis",
                            netdp_graph_origin(graph));
    for (int32_t v = 0; v < netdp_graph_nodes(graph); v++) {
        for (int64_t i = 0; i < netdp_graph_degree(graph, v); i++)
            if (isnan(file_edge(setting, v, i)))
                return netdp_i_fail(
                    error, NETDP_INVALID,
                    "mixing 'file': the edge from node %s to node %s has no weight; give it one",
                    called(graph, v).text, called(graph, netdp_graph_neighbours(graph, v)[i]).text);
        double rest = file_loop(setting, v);
        if (rest < 0)
            return netdp_i_fail(error, NETDP_INVALID,
                                "mixing 'file': the weights at node %s sum to %.17g; at most 1, "
                                "the diagonal takes the rest",
                                called(graph, v).text, 1 - rest);
    }
    return NETDP_OK;
}

/* D^-1 (A + I): the plain mean of a node and its neighbours. */
static double rows_edge(const struct setting *setting, int32_t v, int64_t i)
{
    (void)i;
    return 1 / (1 + degree_of(setting, v));
}

static double rows_loop(const struct setting *setting, int32_t v)
{
    return rows_edge(setting, v, 0);
}

/* I: each node is on its own. */
static double none_edge(const struct setting *setting, int32_t v, int64_t i)
{
    (void)setting, (void)v, (void)i;
    return 0;
}

static double none_loop(const struct setting *setting, int32_t v)
{
    (void)setting, (void)v;
    return 1;
}

static const struct rule rules[] = {
    {"metropolis", metropolis_edge, metropolis_loop, true, NULL},
    {"hamilton", hamilton_edge, hamilton_loop, true, NULL},
    {"max-degree", max_degree_edge, max_degree_loop, true, NULL},
    {"uniform", uniform_edge, uniform_loop, true, check_uniform},
    {"file", file_edge, file_loop, true, check_file},
    {"rows", rows_edge, rows_loop, false, NULL},
    {"none", none_edge, none_loop, true, NULL},
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct rule *find_rule(const char *name)
{
    for (int i = 0; i < RULES; i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

static netdp_status unknown_rule(const char *name, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "no mixing '%s'; use metropolis, hamilton, max-degree, uniform, file, "
                        "rows, none, lazy:K or lazy:K:NAME of these",
                        netdp_i_show_text(name).text);
}

/* "metropolis", "lazy:0.5" or "lazy:0.5:hamilton" into a rule and a laziness. */
static netdp_status parse_name(const char *name, const struct rule **rule, double *lazy,
                               netdp_error *error)
{
    *lazy = 0;
    *rule = find_rule(name);
    if (*rule == NULL && strncmp(name, "lazy:", 5) == 0) {
        const char *number = name + 5;
        size_t length = strspn(number, "0123456789+-.eE");
        char *end = NULL;
        double value = strtod(number, &end);
        if (length == 0 || end != number + length || (*end != '\0' && *end != ':') ||
            !(value >= 0 && value < 1))
            return netdp_i_fail(error, NETDP_INVALID,
                                "mixing '%s': K is a number in [0, 1); expected lazy:K or "
                                "lazy:K:NAME",
                                netdp_i_show_text(name).text);
        *lazy = value;
        *rule = find_rule(*end == ':' ? end + 1 : "metropolis");
    }
    return *rule != NULL ? NETDP_OK : unknown_rule(name, error);
}

static bool new_rows(netdp_mixing *mixing, const netdp_graph *graph)
{
    int64_t entries = mixing->nodes + 2 * netdp_graph_edges(graph);
    mixing->start = NETDP_I_NEW(int64_t, (int64_t)mixing->nodes + 1);
    mixing->column = NETDP_I_NEW(int32_t, entries);
    mixing->weight = NETDP_I_NEW(double, entries);
    return mixing->start != NULL && mixing->column != NULL && mixing->weight != NULL;
}

/* One row: neighbours below v, the diagonal, neighbours above. */
static netdp_status fill_row(netdp_mixing *mixing, const struct setting *setting,
                             const struct rule *rule, double lazy, int32_t v, netdp_error *error)
{
    const int32_t *neighbour = netdp_graph_neighbours(mixing->graph, v);
    int32_t degree = netdp_graph_degree(mixing->graph, v), i = 0;
    int64_t at = mixing->start[v];
    struct sum row = {-1, 0};
    for (int32_t placed = 0; placed <= degree; placed++) {
        bool loop = placed == i && (i == degree || neighbour[i] > v);
        mixing->column[at] = loop ? v : neighbour[i];
        mixing->weight[at] = loop ? rule->loop(setting, v) * (1 - lazy) + lazy
                                  : rule->edge(setting, v, i) * (1 - lazy);
        i += !loop;
        add(&row, mixing->weight[at++]);
    }
    mixing->start[v + 1] = at;
    double off = fabs(row.total + row.lost);
    if (off <= ROW_TOLERANCE)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "mixing '%s': row %d sums to 1 up to %.3g only; report this as an error "
                        "in netdp",
                        mixing->name, (int)v, off);
}

/* Does some component of two nodes or more walk between two sides for ever? */
static netdp_status find_shape(netdp_mixing *mixing, netdp_error *error)
{
    int32_t n = mixing->nodes;
    OWNED int32_t *side = NETDP_I_NEW(int32_t, n);
    OWNED int32_t *queue = NETDP_I_NEW(int32_t, n);
    if (side == NULL || queue == NULL)
        return netdp_i_no_memory(error);
    for (int32_t root = 0; root < n; root++) {
        if (side[root] != 0)
            continue;
        int32_t tail = 0;
        bool periodic = true;
        side[root] = 1;
        queue[tail++] = root;
        mixing->components++;
        for (int32_t head = 0; head < tail; head++) {
            int32_t u = queue[head];
            for (int64_t i = mixing->start[u]; i < mixing->start[u + 1]; i++) {
                int32_t v = mixing->column[i];
                if (v != u && side[v] == 0) {
                    side[v] = -side[u];
                    queue[tail++] = v;
                }
                /* A loop joins a node to its own side. */
                if (side[v] == side[u] && mixing->weight[i] > 0)
                    periodic = false;
            }
        }
        mixing->periodic = mixing->periodic || (periodic && tail > 1);
    }
    return NETDP_OK;
}

/* Is W_uv = W_vu for all? */
static bool find_symmetry(const netdp_mixing *mixing)
{
    for (int32_t v = 0; v < mixing->nodes; v++)
        for (int64_t i = mixing->start[v]; i < mixing->start[v + 1]; i++) {
            const int32_t u = mixing->column[i];
            if (u >= v) /* each pair once */
                break;
            int64_t low = mixing->start[u], high = mixing->start[u + 1];
            while (high - low > 1) {
                const int64_t middle = low + (high - low) / 2;
                *(mixing->column[middle] <= v ? &low : &high) = middle;
            }
            if (mixing->weight[low] != mixing->weight[i])
                return false;
        }
    return true;
}

netdp_status netdp_mixing_new_stochastic(const netdp_graph *graph, const char *weights,
                                         netdp_mixing **mixing, netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && weights && mixing);
    const struct rule *rule = NULL;
    double lazy = 0;
    OWNED_BY(netdp_mixing_free) netdp_mixing *made = NULL;
    struct setting setting = {graph, 0};
    TRY(parse_name(weights, &rule, &lazy, error));
    if (rule->check != NULL)
        TRY(rule->check(&setting, error));
    for (int32_t v = 0; v < netdp_graph_nodes(graph); v++)
        if (netdp_graph_degree(graph, v) > setting.top)
            setting.top = netdp_graph_degree(graph, v);
    made = NETDP_I_NEW(netdp_mixing, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->graph = graph;
    made->nodes = netdp_graph_nodes(graph);
    made->name = netdp_i_copy_text(weights);
    if (made->name == NULL || !new_rows(made, graph))
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < made->nodes; v++)
        TRY(fill_row(made, &setting, rule, lazy, v, error));
    TRY(find_shape(made, error));
    made->symmetric = rule->symmetric || find_symmetry(made);
    *mixing = made;
    made = NULL;
    return NETDP_OK;
}

netdp_status netdp_mixing_new(const netdp_graph *graph, const char *weights, netdp_mixing **mixing,
                              netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && weights && mixing);
    OWNED_BY(netdp_mixing_free) netdp_mixing *made = NULL;
    TRY(netdp_mixing_new_stochastic(graph, weights, &made, error));
    TRY(netdp_i_mixing_symmetric(made, "this", error));
    *mixing = GIVE(made);
    return NETDP_OK;
}

bool netdp_mixing_is_symmetric(const netdp_mixing *mixing)
{
    return mixing->symmetric;
}

netdp_status netdp_i_mixing_symmetric(const netdp_mixing *mixing, const char *who,
                                      netdp_error *error)
{
    return mixing->symmetric
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_INVALID,
                              "mixing '%s': W is not symmetric on this graph, and %s needs that it "
                              "is; use metropolis",
                              mixing->name, who);
}

void netdp_mixing_free(netdp_mixing *mixing)
{
    if (mixing == NULL)
        return;
    if (!mixing->lent) {
        netdp_i_free(mixing->name);
        netdp_i_free(mixing->start);
        netdp_i_free(mixing->column);
        netdp_i_free(mixing->weight);
    }
    netdp_i_free(mixing);
}

netdp_status netdp_mixing_require(const netdp_mixing *mixing, netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing);
    const char *origin = netdp_graph_origin(mixing->graph);
    netdp_i_shown shown = netdp_i_show_text(origin);
    if (mixing->nodes < 2)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: a single node has nobody to mix with; give a graph of at least 2",
                            shown.text);
    if (mixing->components > 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: not connected (%d components); connect it, or keep the largest "
                            "component with --giant-component",
                            shown.text, (int)mixing->components);
    if (mixing->periodic)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: mixing '%s' is periodic on this bipartite graph and never reaches "
                            "consensus; use metropolis or lazy:0.5",
                            shown.text, mixing->name);
    return NETDP_OK;
}

netdp_rows netdp_mixing_rows(const netdp_mixing *mixing)
{
    return (netdp_rows){mixing->nodes, mixing->start, mixing->column, mixing->weight};
}

const netdp_graph *netdp_mixing_graph(const netdp_mixing *mixing)
{
    return mixing->graph;
}

const char *netdp_mixing_name(const netdp_mixing *mixing)
{
    return mixing->name;
}
