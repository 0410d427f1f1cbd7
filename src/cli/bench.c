/* netdp bench: the accounts whose speed docs/performance.md states, timed on this machine. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include <netdp/account.h>
#include <netdp/walk.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/order.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/common/command.h"
#include "graph/graph.h"
#include "protocol/pattern.h"

enum { MOST_RUNS = 1000 };

typedef struct bench bench;

/* A bench's network, made before the clock starts. */
typedef struct ground {
    const bench *bench;
    netdp_graph *graph;
    netdp_mixing *mixing;
    netdp_transition *law;
    int32_t *from; /* [from_count]; NULL: all nodes */
    double *pattern;
    char file[4096]; /* the graph as an edge list, where it is to be read; "": none */
    const netdp_progress *progress;
} ground;

struct bench {
    const char *name, *what, *family;
    netdp_status (*account)(const ground *ground, double *value, netdp_error *error);
    /* What the median of 5 should stay below on two cores; 0: nothing is promised. */
    double seconds;
    bool large; /* only by name or with --all */
    int64_t rounds;
    netdp_bound bound;
    netdp_certify certify;
    int32_t from_count, to_count; /* 0: all; one node is 1, to 0 */
    bool stream;
    const char *pattern;
};

/* The mean loss. */
static netdp_status account_gossip(const ground *g, double *value, netdp_error *error)
{
    static const int32_t to = 0;
    const bench *b = g->bench;
    const netdp_linear protocol = {.mixing = g->mixing,
                                   .rounds = b->rounds,
                                   .noise.dither = 0.01,
                                   .every = b->stream,
                                   .steady = b->stream};
    const netdp_loss_request request = {.protocol = &protocol,
                                        .bound = b->bound,
                                        .pattern = g->pattern,
                                        .certify = b->certify,
                                        .from_count = b->from_count,
                                        .from = g->from,
                                        .to_count = b->to_count,
                                        .to = &to};
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    netdp_summary summary = {0};
    TRY(netdp_losses_new(&request, g->progress, &losses, error));
    TRY(netdp_losses_summary(losses, 1, (netdp_unit){NETDP_AS_LOSS, 0}, &summary, error));
    *value = summary.mean;
    return NETDP_OK;
}

/* The mean epsilon at order 2, sigma = 6. */
static netdp_status account_walk(const ground *g, double *value, netdp_error *error)
{
    static const int32_t to = 0;
    const bench *b = g->bench;
    const netdp_unit unit = {NETDP_AS_RDP, 2};
    const netdp_token token = {
        .law = g->law, .steps = b->rounds, .start = NETDP_START_UNIFORM, .tokens = 1};
    const netdp_walk_request request = {.token = &token,
                                        .noise = 6,
                                        .unit = unit,
                                        .from_count = b->from_count,
                                        .from = g->from,
                                        .to_count = b->to_count,
                                        .to = &to};
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    netdp_summary summary = {0};
    TRY(netdp_walk_losses_new(&request, g->progress, &losses, error));
    TRY(netdp_losses_summary(losses, 6, unit, &summary, error));
    *value = summary.mean;
    return NETDP_OK;
}

static netdp_status find_gap(const ground *g, double *value, netdp_error *error)
{
    netdp_spectrum spectrum = {0};
    TRY(netdp_mixing_spectrum(g->mixing, NETDP_SPECTRAL_LANCZOS, &spectrum, error));
    *value = spectrum.gap;
    return NETDP_OK;
}

/* The edges of the file. */
static netdp_status read_edges(const ground *g, double *value, netdp_error *error)
{
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    netdp_graph_notes notes;
    TRY(netdp_graph_read(g->file, false, &graph, &notes, error));
    *value = (double)netdp_graph_edges(graph);
    return NETDP_OK;
}

static const bench benches[] = {
    {"published-hypercube-11", "paper C's formula, all pairs of 2,048 nodes, 19 rounds",
     "hypercube 11", account_gossip, .seconds = 0.6, .rounds = 19, .bound = NETDP_BOUND_PUBLISHED},
    {"averaging-regular-2048", "averaging towards one observer: 2,048 nodes of degree 8, 50 rounds",
     "regular 2048 8", account_gossip, .rounds = 50, .bound = NETDP_BOUND_EXACT, .to_count = 1},
    {"averaging-certified-2048", "the same, proven whatever it takes", "regular 2048 8",
     account_gossip, .rounds = 50, .bound = NETDP_BOUND_EXACT, .certify = NETDP_CERTIFY_YES,
     .to_count = 1},
    {"averaging-regular-100000", "averaging, from 100,000 nodes", "regular 100000 8",
     account_gossip, .seconds = 15, .rounds = 50, .bound = NETDP_BOUND_EXACT, .to_count = 1},
    {"averaging-regular-1000000", "averaging, from a million nodes", "regular 1000000 8",
     account_gossip, .seconds = 15, .large = true, .rounds = 50, .bound = NETDP_BOUND_EXACT,
     .to_count = 1},
    {"stream-hypercube-11", "a million rounds of a stream, one pattern and pair, 2,048 nodes",
     "hypercube 11", account_gossip, .seconds = 10, .rounds = 1000000, .bound = NETDP_BOUND_LOWER,
     .from_count = 1, .to_count = 1, .stream = true, .pattern = "alternating"},
    {"stream-erdos-renyi-2048", "the same on an Erdos-Renyi graph", "erdos-renyi 2048 c=1.2",
     account_gossip, .seconds = 60, .rounds = 1000000, .bound = NETDP_BOUND_LOWER, .from_count = 1,
     .to_count = 1, .stream = true, .pattern = "alternating"},
    {"stream-regular-48", "a stream of 40 rounds among 48 nodes, abs-sum, one observer",
     "regular 48 4", account_gossip, .rounds = 40, .bound = NETDP_BOUND_ABS_SUM, .to_count = 1,
     .stream = true},
    {"stream-abs-sum-regular-271",
     "a stream of 320 rounds among 271 nodes, abs-sum, one observer of 271", "regular 271 8",
     account_gossip, .seconds = 6.6, .rounds = 320, .bound = NETDP_BOUND_ABS_SUM, .to_count = 1,
     .stream = true},
    {"stream-spectral-regular-271", "the same by the spectral bound", "regular 271 8",
     account_gossip, .seconds = 6.6, .rounds = 320, .bound = NETDP_BOUND_SPECTRAL, .to_count = 1,
     .stream = true},
    {"excursion-regular-60", "a walk of 500 steps on 60 nodes, one observer", "regular 60 4",
     account_walk, .rounds = 500, .to_count = 1},
    {"excursion-regular-100000",
     "a walk of 100,000 steps on 100,000 nodes, 100 of them towards one observer",
     "regular 100000 8", account_walk, .seconds = 60, .rounds = 100000, .from_count = 100,
     .to_count = 1},
    {"gap-regular-2048", "spectral gap of 2,048 nodes of degree 8", "regular 2048 8", find_gap,
     .seconds = 0},
    {"gap-regular-1000000", "spectral gap of a million nodes of degree 8", "regular 1000000 8",
     find_gap, .seconds = 20, .large = true},
    {"edges-10000000", "an edge list of ten million lines, from a file that was just written",
     "regular 1000000 20", read_edges, .seconds = 5, .large = true},
};
enum { BENCHES = sizeof benches / sizeof *benches };

static void drop(ground *g)
{
    if (g->file[0] != '\0')
        unlink(g->file);
    netdp_transition_free(g->law);
    netdp_mixing_free(g->mixing);
    netdp_graph_free(g->graph);
    netdp_i_free(g->from);
    netdp_i_free(g->pattern);
}

/* The graph as a file of its own among the temporary ones. */
static netdp_status write_edges(ground *g, netdp_error *error)
{
    const char *folder = getenv("TMPDIR");
    snprintf(g->file, sizeof g->file, "%s/netdp-bench-XXXXXX", folder != NULL ? folder : "/tmp");
    const int descriptor = mkstemp(g->file);
    if (descriptor < 0) {
        g->file[0] = '\0';
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%s: cannot write; set TMPDIR to a folder with 200 MB of room",
                            folder != NULL ? folder : "/tmp");
    }
    close(descriptor);
    return netdp_graph_write(g->graph, g->file, error);
}

/* from: nodes 1, 1 + n/k, 1 + 2 n/k, ..., so never the observer 0 */
static netdp_status prepare(ground *g, netdp_error *error)
{
    const bench *b = g->bench;
    TRY(netdp_graph_make(b->family, 1, true, &g->graph, NULL, error));
    TRY(netdp_mixing_new(g->graph, "metropolis", &g->mixing, error));
    if (b->account == account_walk)
        TRY(netdp_transition_new(g->graph, "metropolis", &g->law, error));
    if (b->account == read_edges)
        TRY(write_edges(g, error));
    const int32_t n = netdp_graph_nodes(g->graph);
    if (b->from_count > 0 && (g->from = NETDP_I_NEW(int32_t, b->from_count)) == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < b->from_count; i++)
        g->from[i] = 1 + (int32_t)((int64_t)i * (n - 1) / b->from_count);
    if (b->pattern == NULL)
        return NETDP_OK;
    g->pattern = NETDP_I_NEW(double, b->rounds);
    NEED(g->pattern);
    netdp_i_pattern_fill(b->pattern, b->rounds, g->pattern);
    return NETDP_OK;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Of user and system, all threads. */
static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The processor as Linux names it. */
static json_t *processor_name(void)
{
    char line[256] = "";
    json_t *name = NULL;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && name == NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            line[strcspn(line, "\n")] = '\0';
            name = json_string(strchr(line, ':') + 1 + strspn(strchr(line, ':') + 1, " "));
        }
    if (file != NULL)
        fclose(file);
    return name != NULL ? name : json_string("unknown");
}

static json_t *machine(void)
{
    struct sysinfo info = {0};
    sysinfo(&info);
    return json_pack("{s:o, s:i, s:s, s:i, s:f}", "processor", processor_name(), "processors",
                     get_nprocs(), "kernels", openblas_get_corename(), "threads", netdp_i_threads(),
                     "memory_gb", (double)info.totalram * info.mem_unit / 1e9);
}

static netdp_status measure(const bench *b, int64_t runs, const netdp_progress *progress,
                            json_t **result, netdp_error *error)
{
    CLEARED(drop) ground g = {.bench = b, .progress = progress};
    OWNED double *seconds = NETDP_I_NEW(double, runs);
    double value = 0, work = 0;
    NEED(seconds);
    const double begin = now();
    TRY(prepare(&g, error));
    const double prepared = now() - begin;
    for (int64_t i = 0; i < runs; i++) {
        const double start = now(), worked = processor_seconds();
        TRY(b->account(&g, &value, error));
        seconds[i] = now() - start;
        work += (processor_seconds() - worked) / (double)runs;
        TRY(netdp_i_report(progress, b->name, (double)(i + 1), (double)runs, error));
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const int64_t nodes = netdp_graph_nodes(g.graph);
    qsort(seconds, (size_t)runs, sizeof *seconds, netdp_i_ascending);
    *result = json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:f}", "name",
                        b->name, "what", b->what, "graph", b->family, "nodes", (json_int_t)nodes,
                        "runs", (json_int_t)runs, "median_s", seconds[runs / 2], "best_s",
                        seconds[0], "processor_s", work, "prepare_s", prepared, "goal_s",
                        b->seconds > 0 ? json_real(b->seconds) : json_null(), "peak_mb",
                        (double)usage.ru_maxrss / 1024, "peak_bytes_per_node",
                        1024 * (double)usage.ru_maxrss / (double)nodes, "value", value);
    return *result == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

static void list(void)
{
    for (int i = 0; i < BENCHES; i++)
        printf("%-28s %s%s\n", benches[i].name, benches[i].what,
               benches[i].large ? " (large)" : "");
}

/* Is `b` asked for? By name, or as one of the usual ones, or of all. */
static bool asked(const bench *b, const netdp_i_arguments *arguments, bool all)
{
    for (size_t k = 0; k < arguments->count; k++)
        if (strcmp(arguments->text[k], b->name) == 0)
            return true;
    return arguments->count == 0 && (all || !b->large);
}

static netdp_status check_names(const netdp_i_arguments *arguments, netdp_error *error)
{
    const char *names[BENCHES];
    for (int i = 0; i < BENCHES; i++)
        names[i] = benches[i].name;
    for (size_t k = 0; k < arguments->count; k++) {
        bool known = false;
        for (int i = 0; i < BENCHES; i++)
            known = known || strcmp(arguments->text[k], names[i]) == 0;
        if (known)
            continue;
        const char *nearest = netdp_i_nearest(arguments->text[k], names, BENCHES);
        return netdp_i_fail(error, NETDP_INVALID, "'%s': no such bench; %s%s%s",
                            netdp_i_show_text(arguments->text[k]).text,
                            nearest != NULL ? "did you mean '" : "netdp bench --list names them",
                            nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    }
    return NETDP_OK;
}

static netdp_status measure_all(const netdp_i_arguments *arguments, bool all, int64_t runs,
                                const netdp_progress *progress, json_t *results, netdp_error *error)
{
    for (int i = 0; i < BENCHES; i++) {
        json_t *result = NULL;
        if (!asked(&benches[i], arguments, all))
            continue;
        TRY(measure(&benches[i], runs, progress, &result, error));
        if (json_array_append_new(results, result) != 0)
            return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

static netdp_status run_all(const netdp_i_arguments *arguments, bool all, int64_t runs,
                            netdp_error *error)
{
    OWNED_BY(json_decref) json_t *results = json_array();
    NEED(results);
    WATCHED(false, measure_all(arguments, all, runs, &progress, results, error));
    json_t *object = json_pack("{s:s, s:s, s:o, s:O}", "netdp", netdp_version(), "commit",
                               NETDP_COMMIT, "machine", machine(), "benches", results);
    return netdp_i_cli_print_json(object, error);
}

netdp_status netdp_i_command_bench(int argc, const char **argv, netdp_error *error)
{
    bool listed = false, all = false;
    int64_t runs = 5;
    const netdp_i_option options[] = {
        SWITCH("list", &listed, "the benches, and nothing else"),
        SWITCH("all", &all, "those of a million nodes too: minutes and gigabytes"),
        OPTION(COUNT, "runs", &runs, "N", "runs of each, 1 .. 1000", "5"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "bench",
        .arguments = "[NAME...]",
        .what =
            "Times the accounts whose speed docs/performance.md states: one JSON object with the\n"
            "median and the best of N runs in seconds, the processor's time, the peak of memory\n"
            "(of the whole command: name one bench to see its own) and the value that was\n"
            "computed. Graphs are made before the clock starts.",
        .examples = "  netdp bench --list\n"
                    "  netdp bench published-hypercube-11\n",
        .most = BENCHES,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    REFUSE(runs < 1 || runs > MOST_RUNS, "--runs: %lld; give 1 to %d", (long long)runs, MOST_RUNS);
    TRY(check_names(&arguments, error));
    if (!listed)
        return run_all(&arguments, all, runs, error);
    list();
    return NETDP_OK;
}
