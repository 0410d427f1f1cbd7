#include "study/key.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "protocol/route.h"
#include "protocol/tally.h"
#include "study/study.h"

#define AT(field) .offset = offsetof(struct netdp_study, field)

/* Closed ranges of doubles say "above 0" and "below 1" by the next double. */
#define ABOVE_0 DBL_TRUE_MIN
#define BELOW_1 (1 - DBL_EPSILON / 2)

static const char *const yes_no[] = {"false", "true", NULL};
static const char *const per_node[] = {"even", "one", NULL};
static const char *const tasks[] = {"mean", "sum",     "histogram", "logistic", "ridge", "softmax",
                                    "own",  "account", "realised",  "claim",    NULL};
static const char *const all_rows[] = {"all", NULL};
static const char *const protocols[] = {"stream",
                                        "averaging",
                                        "random-averaging",
                                        "gossip-sgd",
                                        "async-gossip-sgd",
                                        "muffliato-sgd",
                                        "walk",
                                        "weighted-walk",
                                        "ring-sum",
                                        "ring-histogram",
                                        "complete-sum",
                                        "complete-histogram",
                                        NULL};
static const char *const figures[] = {"distance", "sweep",   "trace",   "bars",
                                      "matrix",   "drawing", "scatter", NULL};
static const char *const figure_xs[] = {"hops",  "length", "communicability", "katz", "value",
                                        "nodes", NULL};
static const char *const figure_logs[] = {"none", "x", "y", "xy", NULL};
static const char *const hidden[] = {"baselines", NULL};
static const char *const redraws[] = {"never", "round", "phase", "one-peer", NULL};
static const char *const by_formula[] = {"auto", NULL};
static const char *const no_cap[] = {"none", NULL};
static const char *const released[] = {"none", "final", NULL};
static const char *const every_node[] = {"all", NULL};
static const char *const over[] = {[NETDP_OVER_WORST] = "worst", [NETDP_OVER_MEAN] = "mean", NULL};
static const char *const sees[] = {[NETDP_SEES_NEIGHBOURS] = "neighbours",
                                   [NETDP_SEES_SUM] = "sum",
                                   [NETDP_SEES_EVERYTHING] = "everything",
                                   NULL};
static const char *const protects[] = {
    [NETDP_PROTECTS_NODE] = "node", [NETDP_PROTECTS_ROW] = "row", NULL};
static const char *const changes[] = {
    [NETDP_CHANGE_REPLACE] = "replace", [NETDP_CHANGE_ADD_REMOVE] = "add-remove", NULL};
static const char *const missing[] = {[NETDP_MISSING_REFUSE] = "refuse",
                                      [NETDP_MISSING_DROP] = "drop",
                                      [NETDP_MISSING_MEAN] = "mean",
                                      NULL};
static const char *const prepares[] = {"ranges", "standardise", NULL};
static const char *const categories[] = {"refuse", "onehot", NULL};
static const char *const mean_over[] = {"nodes", "rows", NULL};
static const char *const workloads[] = {"sums", "gossip", NULL};
static const char *const own_noise[] = {
    [NETDP_OWN_NOISE_KNOWN] = "known", [NETDP_OWN_NOISE_COUNTS] = "counts", NULL};

/* clang-format off */
const netdp_i_key netdp_i_keys[] = {
    {"title", NETDP_I_KEY_TEXT, AT(title), .whole = true, .fallback = "", .expects = "a text"},
    {"seed", NETDP_I_KEY_SEED, AT(seed), .whole = true, .fallback = "1",
     .expects = "a whole number from 0 to 18446744073709551615"},
    {"proof", NETDP_I_KEY_TEXT, AT(proof), .whole = true,
     .expects = "none, worst, all, or how many pairs beside the worst"},
    {"graph.family", NETDP_I_KEY_TEXT, NETDP_I_RIVAL_GRAPHS, AT(graph.family),
     .expects = "a family such as hypercube 11"},
    {"graph.file", NETDP_I_KEY_FILE, NETDP_I_RIVAL_GRAPHS, AT(graph.file),
     .expects = "the path of a graph file"},
    {"graph.data", NETDP_I_KEY_TEXT, NETDP_I_RIVAL_GRAPHS, AT(graph.data),
     .expects = "a file of the data folder such as facebook/1912.edges"},
    {"graph.giant_component", NETDP_I_KEY_SWITCH, AT(graph.giant_component), .fallback = "false",
     .word = yes_no, .expects = "true or false"},
    {"graph.draw", NETDP_I_KEY_WHOLE, AT(graph.draw), .fallback = "0", .low = 0, .high = 1e9,
     .expects = "a whole number, added to the seed for the graph"},
    {"mixing.weights", NETDP_I_KEY_TEXT, AT(mixing.weights), .fallback = "metropolis",
     .expects = "a name such as metropolis or lazy:0.5"},
    {"data.source", NETDP_I_KEY_DATASET, NETDP_I_RIVAL_DATA, AT(data.source),
     .expects = "the name of a data set such as houses"},
    {"data.csv", NETDP_I_KEY_FILE, NETDP_I_RIVAL_DATA, AT(data.csv),
     .expects = "the path of a CSV file"},
    {"data.synthetic", NETDP_I_KEY_TEXT, NETDP_I_RIVAL_DATA, AT(data.synthetic),
     .expects = "a law such as gaussian-classes 10 variance=4"},
    {"data.radius", NETDP_I_KEY_REAL, AT(data.radius), .learns = true, .low = ABOVE_0, .high = NETDP_I_LARGEST,
     .expects = "a number above 0"},
    {"data.draw", NETDP_I_KEY_WHOLE, AT(data.draw), .low = 1, .high = 1e9,
     .expects = "the number of a draw from 1"},
    {"data.columns", NETDP_I_KEY_COLUMNS, AT(data.column),
     .expects = "a list such as [{name: kwh, bounds: [0, 5]}]"},
    {"data.per_node", NETDP_I_KEY_SWITCH, AT(data.one_row_a_node), .fallback = "even",
     .word = per_node, .expects = "even or one"},
    {"data.owner", NETDP_I_KEY_TEXT, AT(data.owner),
     .expects = "the column that says whose a row is, such as hospital"},
    {"data.owner_cuts", NETDP_I_KEY_TEXT, AT(data.owner_cuts),
     .expects = "ascending numbers such as 10, 20.5, 31"},
    {"data.rows", NETDP_I_KEY_TEXT, AT(data.rows),
     .expects = "how many rows there are, such as 1000, of owners {a: 100, b: 120}, or a file with columns owner and rows"},
    {"data.missing", NETDP_I_KEY_WORD, AT(data.missing), .fallback = "refuse",
     .word = missing, .expects = "refuse, drop or mean"},
    {"data.categories", NETDP_I_KEY_SWITCH, AT(data.onehot), .learns = true, .fallback = "refuse",
     .word = categories, .expects = "refuse or onehot"},
    {"data.label", NETDP_I_KEY_TEXT, AT(data.label), .expects = "the column to predict"},
    {"data.features", NETDP_I_KEY_TEXT, AT(data.features),
     .expects = "columns such as 'age, income', 'all but id' or all"},
    {"data.prepare", NETDP_I_KEY_TEXT, AT(data.prepare), .learns = true, .word = prepares,
     .expects = "ranges or standardise"},
    {"data.row", NETDP_I_KEY_TEXT, AT(data.row), .fallback = "",
     .expects = "what a row is, such as one patient's record at one hospital"},
    {"data.batches", NETDP_I_KEY_TEXT, AT(data.batches), .learns = true, .fallback = "full",
     .expects = "full, cyclic:B or poisson:Q"},
    {"data.deal", NETDP_I_KEY_TEXT, AT(data.deal), .learns = true, .fallback = "even",
     .expects = "even, by-label or dirichlet:ALPHA"},
    {"data.split", NETDP_I_KEY_REAL, AT(data.split), .learns = true, .fallback = "0.8", .low = ABOVE_0,
     .high = BELOW_1, .expects = "the part of the rows that train, above 0 and below 1"},
    {"task.kind", NETDP_I_KEY_TEXT, AT(task.kind), .required = true, .word = tasks,
     .expects = "mean, sum, histogram, logistic, ridge, softmax, own, account, realised or claim"},
    {"task.claim", NETDP_I_KEY_TEXT, AT(task.claim),
     .expects = "a claim such as B-lemma-3, which netdp claim lists"},
    {"task.with", NETDP_I_KEY_TEXT, AT(task.with),
     .expects = "inputs of the claim such as epsilon=1 scale=2"},
    {"task.over", NETDP_I_KEY_TEXT, AT(task.over),
     .expects = "the input that takes the value of task.at, such as epsilon"},
    {"task.at", NETDP_I_KEY_TEXT, AT(task.at), .expects = "a number"},
    {"task.parameters", NETDP_I_KEY_WHOLE, AT(task.parameters), .low = 1, .high = 1 << 20,
     .expects = "how many numbers a model of one's own has, 1 to 1048576"},
    {"task.levels", NETDP_I_KEY_WHOLE, AT(task.levels), .low = 2, .high = 1e6,
     .expects = "a whole number of bins from 2"},
    {"task.bounds", NETDP_I_KEY_PAIR, NETDP_I_RIVAL_RANGES, AT(task.low),
     .expects = "finite numbers [low, high] with low < high"},
    {"task.clip", NETDP_I_KEY_REAL, NETDP_I_RIVAL_RANGES, AT(task.clip), .low = ABOVE_0,
     .high = NETDP_I_LARGEST, .expects = "a number above 0, at most 1e100"},
    {"task.unit", NETDP_I_KEY_TEXT, AT(task.unit), .fallback = "", .expects = "a text"},
    {"task.mean_over", NETDP_I_KEY_SWITCH, AT(task.mean_over_rows), .fallback = "nodes",
     .word = mean_over, .expects = "nodes or rows"},
    {"task.step", NETDP_I_KEY_REAL, AT(task.step), .learns = true, .only = NETDP_SETTING_TOKEN, .low = ABOVE_0, .high = NETDP_I_LARGEST,
     .expects = "a step size above 0"},
    {"task.decay", NETDP_I_KEY_REAL, AT(task.decay), .only = NETDP_SETTING_TOKEN, .fallback = "0", .low = 0, .high = 2,
     .expects = "an exponent from 0 to 2"},
    {"task.radius", NETDP_I_KEY_REAL, AT(task.radius), .only = NETDP_SETTING_TOKEN, .low = ABOVE_0, .high = NETDP_I_LARGEST,
     .expects = "a number above 0, at most 1e100"},
    {"task.l2", NETDP_I_KEY_REAL, AT(task.l2), .learns = true, .fallback = "0", .low = 0,
     .high = NETDP_I_LARGEST, .expects = "a number from 0"},
    {"task.batch", NETDP_I_KEY_WHOLE, AT(task.batch), .learns = true, .fallback = "all", .low = 1, .high = 1e9,
     .word = all_rows, .expects = "a whole number from 1, or all"},
    {"task.local", NETDP_I_KEY_WHOLE, AT(task.local), .fallback = "1", .low = 1, .high = 1000,
     .expects = "the parts of a step, a whole number from 1 to 1000"},
    {"task.momentum", NETDP_I_KEY_REAL, AT(task.momentum), .fallback = "0", .low = 0, .high = BELOW_1,
     .expects = "a number from 0, below 1"},
    {"task.intercept", NETDP_I_KEY_SWITCH, AT(task.intercept), .learns = true, .fallback = "false",
     .word = yes_no, .expects = "true or false"},
    {"task.central_steps", NETDP_I_KEY_WHOLE, AT(task.central_steps), .learns = true, .whole = true,
     .fallback = "50", .low = 1, .high = 1e9, .expects = "a whole number from 1"},
    {"task.central_step", NETDP_I_KEY_REAL, AT(task.central_step), .learns = true, .whole = true, .low = ABOVE_0,
     .high = NETDP_I_LARGEST, .expects = "a step size above 0"},
    {"protocol.kind", NETDP_I_KEY_TEXT, AT(protocol.kind), .required = true, .word = protocols,
     .expects = "averaging, random-averaging, gossip-sgd, async-gossip-sgd, muffliato-sgd, walk, "
                "weighted-walk, ring-sum, ring-histogram, complete-sum or complete-histogram"},
    {"protocol.rounds", NETDP_I_KEY_WHOLE, AT(protocol.rounds), .required = true, .low = 1,
     .high = 1e9, .word = by_formula, .expects = "a whole number from 1 to 1000000000, or auto"},
    {"protocol.variance", NETDP_I_KEY_REAL, AT(protocol.variance), .only = NETDP_SETTING_ROUNDS_AUTO, .fallback = "0.25", .low = 0,
     .high = DBL_MAX, .expects = "a finite number from 0 up"},
    {"protocol.inner", NETDP_I_KEY_WHOLE, AT(protocol.inner), .only = NETDP_SETTING_INNER, .fallback = "1", .low = 1,
     .high = 1e9, .expects = "a whole number from 1"},
    {"protocol.every", NETDP_I_KEY_WHOLE, AT(protocol.every), .only = NETDP_SETTING_EVERY, .fallback = "1", .low = 1,
     .high = 1e9, .expects = "a whole number of rounds from 1"},
    {"protocol.at_most", NETDP_I_KEY_WHOLE, AT(protocol.at_most), .only = NETDP_SETTING_AT_MOST, .fallback = "none", .low = 1,
     .high = 1e9, .word = no_cap, .expects = "a whole number of contributions from 1, or none"},
    {"protocol.visits", NETDP_I_KEY_WHOLE, AT(protocol.visits), .low = 1, .high = 1e6,
     .expects = "a whole number of steps for each node"},
    {"protocol.phases", NETDP_I_KEY_WHOLE, AT(protocol.phases), .only = NETDP_SETTING_INNER, .low = 1, .high = 1e9,
     .expects = "a whole number from 1"},
    {"protocol.accelerate", NETDP_I_KEY_SWITCH, AT(protocol.accelerate), .only = NETDP_SETTING_ACCELERATE, .fallback = "false",
     .word = yes_no, .expects = "true or false"},
    {"protocol.largest", NETDP_I_KEY_REAL, AT(protocol.largest), .only = NETDP_SETTING_VIEW, .low = ABOVE_0, .high = NETDP_I_LARGEST,
     .expects = "a number above 0, beyond which peers drop a message"},
    {"protocol.dropout", NETDP_I_KEY_TEXT, AT(protocol.dropout), .only = NETDP_SETTING_VARYING, .fallback = "0",
     .expects = "a probability from 0, below 1, or edges:P, late:P or revealed:P"},
    {"protocol.redraw", NETDP_I_KEY_TEXT, AT(protocol.redraw), .only = NETDP_SETTING_VARYING, .fallback = "never",
     .word = redraws, .expects = "never, round, phase or one-peer"},
    {"protocol.start", NETDP_I_KEY_TEXT, AT(protocol.start), .only = NETDP_SETTING_TOKEN, .fallback = "uniform",
     .expects = "uniform or a node"},
    {"protocol.burn_in", NETDP_I_KEY_WHOLE, AT(protocol.burn_in), .only = NETDP_SETTING_TOKEN, .fallback = "0", .low = 0,
     .high = 1e9, .expects = "a whole number from 0 to 1000000000"},
    {"protocol.cap", NETDP_I_KEY_WHOLE, AT(protocol.cap), .only = NETDP_SETTING_TOKEN | NETDP_SETTING_COMPLETE, .fallback = "none", .low = 1,
     .high = 1e9, .word = no_cap, .expects = "a whole number from 1, or none"},
    {"protocol.tokens", NETDP_I_KEY_WHOLE, AT(protocol.tokens), .only = NETDP_SETTING_TOKEN, .fallback = "1", .low = 1,
     .high = 1e6, .expects = "a whole number from 1 to 1000000"},
    {"protocol.release", NETDP_I_KEY_SWITCH, AT(protocol.release), .only = NETDP_SETTING_TOKEN | NETDP_SETTING_TALLY, .fallback = "none",
     .word = released, .expects = "none or final; a simulation releases nothing real: its noise comes from the seed, in "
                                  "floating point"},
    {"protocol.path", NETDP_I_KEY_WORD, AT(protocol.path), .only = NETDP_SETTING_TOKEN, .fallback = "hidden",
     .word = netdp_i_paths, .expects = "hidden, public, resting, non-backtracking or tour"},
    {"protocol.path_seed", NETDP_I_KEY_SEED, AT(protocol.path_seed), .only = NETDP_SETTING_TOKEN, .fallback = "1",
     .expects = "a whole number from 0 to 18446744073709551615"},
    {"protocol.law", NETDP_I_KEY_TEXT, AT(protocol.law), .only = NETDP_SETTING_WEIGHTED, .fallback = "public",
     .expects = "public, exact, gamma:THETA,LOW,HIGH or laplace:SCALE,LOW,HIGH"},
    {"protocol.mechanism", NETDP_I_KEY_WORD, AT(protocol.mechanism), .only = NETDP_SETTING_SUM, .fallback = "gaussian",
     .word = netdp_i_tally_mechanisms, .expects = "gaussian, laplace or discrete-gaussian"},
    {"protocol.schedule", NETDP_I_KEY_WORD, AT(protocol.schedule), .only = NETDP_SETTING_SUM, .also = NETDP_SETTING_RING, .fallback = "once",
     .word = netdp_i_tally_schedules, .expects = "every, once or spread"},
    {"protocol.grid", NETDP_I_KEY_WHOLE, AT(protocol.grid), .only = NETDP_SETTING_SUM, .whole = true, .fallback = "1024",
     .low = 1, .high = 1e9, .expects = "a whole number of grid steps from 1"},
    {"privacy.epsilon", NETDP_I_KEY_REAL, NETDP_I_RIVAL_NOISES, AT(privacy.epsilon),
     .low = ABOVE_0, .high = INFINITY, .expects = "a number above 0, or inf"},
    {"privacy.noise", NETDP_I_KEY_REAL, NETDP_I_RIVAL_NOISES, AT(privacy.noise), .low = ABOVE_0,
     .high = NETDP_I_LARGEST, .expects = "a standard deviation above 0, in units of Delta"},
    {"privacy.delta", NETDP_I_KEY_REAL, AT(privacy.delta), .low = ABOVE_0, .high = BELOW_1,
     .expects = "a number above 0 and below 1"},
    {"privacy.as", NETDP_I_KEY_TEXT, AT(privacy.as), .expects = "loss, gdp, rdp:ALPHA or dp:DELTA"},
    {"privacy.bound", NETDP_I_KEY_TEXT, AT(privacy.bound), .fallback = "auto",
     .expects = "the name of a bound such as exact or published"},
    {"privacy.pattern", NETDP_I_KEY_TEXT, AT(privacy.pattern),
     .expects = "worst, ones, alternating or cos:OMEGA"},
    {"privacy.from", NETDP_I_KEY_TEXT, AT(privacy.from),
     .expects = "all, random, or nodes u,u,..."},
    {"privacy.to", NETDP_I_KEY_TEXT, AT(privacy.to),
     .expects = "all, random, or nodes v,v,..."},
    {"privacy.over", NETDP_I_KEY_WORD, AT(privacy.over), .fallback = "mean", .word = over,
     .expects = "mean or worst"},
    {"privacy.observers", NETDP_I_KEY_WHOLE, AT(privacy.observers), .fallback = "all", .low = 1,
     .high = 1e9, .word = every_node, .expects = "a whole number from 1, or all"},
    {"privacy.sources", NETDP_I_KEY_WHOLE, AT(privacy.sources), .fallback = "all", .low = 1,
     .high = 1e9, .word = every_node, .expects = "a whole number from 1, or all"},
    {"privacy.protects", NETDP_I_KEY_WORD, AT(privacy.protects), .fallback = "node",
     .word = protects, .expects = "node or row"},
    {"privacy.change", NETDP_I_KEY_WORD, AT(privacy.change), .fallback = "replace",
     .word = changes, .expects = "replace or add-remove"},
    {"privacy.pool", NETDP_I_KEY_WHOLE, AT(privacy.pool), .only = NETDP_SETTING_VIEW, .fallback = "1", .low = 1, .high = 1000,
     .expects = "how many nodes may pool what they see, from 1"},
    {"privacy.sees", NETDP_I_KEY_WORD, AT(privacy.sees), .only = NETDP_SETTING_VIEW, .fallback = "neighbours", .word = sees,
     .expects = "neighbours, sum or everything"},
    {"privacy.own_noise", NETDP_I_KEY_WORD, AT(privacy.own_noise), .only = NETDP_SETTING_VIEW, .fallback = "known",
     .word = own_noise, .expects = "known or counts"},
    {"privacy.dither", NETDP_I_KEY_REAL, AT(privacy.dither), .only = NETDP_SETTING_DITHER, .fallback = "0.01", .low = 0,
     .high = NETDP_I_LARGEST, .word = by_formula, .expects = "a number from 0 to 1e100, or auto"},
    {"privacy.dither_decay", NETDP_I_KEY_REAL, AT(privacy.dither_decay), .only = NETDP_SETTING_DITHER_DECAY, .fallback = "0", .low = 0,
     .high = 2, .word = by_formula, .expects = "a number from 0 to 2, or auto"},
    {"privacy.end_dither", NETDP_I_KEY_REAL, AT(privacy.end_dither), .only = NETDP_SETTING_END_DITHER, .fallback = "0.1", .low = 0,
     .high = NETDP_I_LARGEST, .word = by_formula, .expects = "a number from 0 to 1e100, or auto"},
    {"privacy.pair_graph", NETDP_I_KEY_TEXT, AT(privacy.pair_graph), .only = NETDP_SETTING_PAIRS,
     .expects = "edges, complete, ring, regular K, k-out K or the path of a graph file"},
    {"privacy.pair_noise", NETDP_I_KEY_REAL, AT(privacy.pair_noise), .only = NETDP_SETTING_PAIRS, .fallback = "0", .low = 0,
     .high = 1e6, .word = by_formula, .expects = "a number from 0 to 1000000, or auto"},
    {"privacy.pair_seed", NETDP_I_KEY_SEED, AT(privacy.pair_seed), .only = NETDP_SETTING_PAIRS, .fallback = "1",
     .expects = "a whole number from 0 to 18446744073709551615"},
    {"privacy.more_noise", NETDP_I_KEY_TEXT, AT(privacy.more_noise), .only = NETDP_SETTING_DITHER_DECAY,
     .expects = "NODE:TIMES,... such as 3:2,5:1.5"},
    {"privacy.targets", NETDP_I_KEY_TEXT, AT(privacy.targets), .only = NETDP_SETTING_DITHER_DECAY,
     .expects = "NODE:EPSILON,... such as 3:0.5"},
    {"privacy.quiet", NETDP_I_KEY_TEXT, AT(privacy.quiet), .only = NETDP_SETTING_QUIET, .fallback = "fresh",
     .expects = "fresh, optimal, banded:B or blt:M"},
    {"privacy.workload", NETDP_I_KEY_SWITCH, AT(privacy.for_gossip), .only = NETDP_SETTING_QUIET, .fallback = "sums",
     .word = workloads, .expects = "sums or gossip"},
    {"output.every", NETDP_I_KEY_WHOLE, AT(output.every), .whole = true, .fallback = "1", .low = 1,
     .high = 1e9, .expects = "a whole number from 1 to 1000000000"},
    {"output.repeat", NETDP_I_KEY_WHOLE, AT(output.repeat), .whole = true, .fallback = "10",
     .low = 1, .high = 1e6, .expects = "a whole number from 1 to 1000000"},
    {"sweep.key", NETDP_I_KEY_TEXT, AT(sweep.key), .whole = true,
     .expects = "the dotted name of a key such as protocol.rounds"},
    {"sweep.values", NETDP_I_KEY_TEXT, AT(sweep.values), .whole = true,
     .expects = "values such as 10 | 100 | 1000"},
    {"figure.kind", NETDP_I_KEY_TEXT, AT(figure.kind), .whole = true, .word = figures,
     .expects = "distance, sweep, trace, bars, matrix, drawing or scatter"},
    {"figure.paper", NETDP_I_KEY_TEXT, AT(figure.paper), .whole = true,
     .expects = "a text such as C, Figure 1 (a)"},
    {"figure.says", NETDP_I_KEY_TEXT, AT(figure.says), .whole = true, .expects = "a text"},
    {"figure.x", NETDP_I_KEY_TEXT, AT(figure.x), .whole = true, .word = figure_xs,
     .expects = "hops, length, communicability, katz, value or nodes"},
    {"figure.y", NETDP_I_KEY_TEXT, AT(figure.y), .whole = true,
     .expects = "some of loss, loss_per_round, objective, excess, accuracy, consensus, noise, predicted, data"},
    {"figure.log", NETDP_I_KEY_TEXT, AT(figure.log), .whole = true, .word = figure_logs,
     .expects = "none, x, y or xy"},
    {"figure.hide", NETDP_I_KEY_TEXT, AT(figure.hide), .whole = true, .word = hidden,
     .expects = "baselines"},
    {"figure.first", NETDP_I_KEY_WHOLE, AT(figure.first), .whole = true, .low = 1, .high = 1e9,
     .expects = "how many variants of the list, 1 or more"},
    {"figure.seconds", NETDP_I_KEY_REAL, AT(figure.seconds), .whole = true, .low = ABOVE_0,
     .high = 1e9, .expects = "seconds above 0"},
};
/* clang-format on */
_Static_assert(sizeof netdp_i_keys / sizeof *netdp_i_keys == NETDP_I_KEYS,
               "NETDP_I_KEYS: count them");

static const char *const column_keys[] = {"name", "bounds", "values", NULL};

const char *netdp_i_key_leaf(const netdp_i_key *key)
{
    const char *dot = strchr(key->name, '.');
    return dot != NULL ? dot + 1 : key->name;
}

size_t netdp_i_key_section(const netdp_i_key *key)
{
    const char *dot = strchr(key->name, '.');
    return dot != NULL ? (size_t)(dot - key->name) : 0;
}

bool netdp_i_key_runs(const netdp_i_key *key, bool realised)
{
    static const char *const sections[] = {"data.", "task.", "output."};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(key->name, sections[i], strlen(sections[i])) == 0)
            return strcmp(key->name, "task.kind") != 0 &&
                   !(realised && (strcmp(key->name, "task.levels") == 0 ||
                                  strcmp(key->name, "output.repeat") == 0));
    return false;
}

bool netdp_i_task_learns(const char *task)
{
    return strcmp(task, "logistic") == 0 || strcmp(task, "ridge") == 0 ||
           strcmp(task, "softmax") == 0;
}

bool netdp_i_key_taken(const netdp_i_key *key, unsigned settings)
{
    return key->only == 0 ||
           ((settings & key->only) != 0 && (key->also == 0 || (settings & key->also) != 0));
}

/* With rounds: auto a protocol of phases takes their number, and `inner` is what the formula gives. */
bool netdp_i_key_applies(const netdp_i_key *key, const char *task, const netdp_protocol *named,
                         bool automatic)
{
    const bool phases = (named->settings & NETDP_SETTING_INNER) != 0;
    const bool own = strcmp(task, "own") == 0;
    const bool learning = own || netdp_i_task_learns(task);
    const bool token = (named->settings & NETDP_SETTING_TOKEN) != 0;
    if (strcmp(key->name, "task.parameters") == 0)
        return own;
    if (strcmp(key->name, "task.decay") == 0 && !token)
        return learning;
    if (strcmp(key->name, "task.local") == 0)
        return learning && !token;
    if (strcmp(key->name, "task.momentum") == 0)
        return learning && phases; /* at whose end models are released */
    if (strcmp(key->name, "protocol.phases") == 0)
        return phases && automatic;
    if (strcmp(key->name, "protocol.inner") == 0)
        return phases && !automatic;
    if (strcmp(key->name, "protocol.variance") == 0 && phases)
        return automatic;
    if (key->learns)
        return learning || (key->only != 0 && netdp_i_key_taken(key, named->settings));
    return netdp_i_key_taken(key, named->settings);
}

bool netdp_i_key_is_path(const netdp_i_key *key, const char *text)
{
    return key->kind == NETDP_I_KEY_FILE ||
           (strcmp(key->name, "data.rows") == 0 && strchr(text, ':') == NULL &&
            text[strspn(text, "0123456789")] != '\0');
}

int netdp_i_key_find(const char *name)
{
    for (int k = 0; k < NETDP_I_KEYS; k++)
        if (strcmp(netdp_i_keys[k].name, name) == 0)
            return k;
    return -1;
}

/* The i-th word that may stand in `section`, into found; false behind the last one. */
static bool candidate(const char *section, int i, char found[32])
{
    if (strcmp(section, "data.columns") == 0) {
        if (column_keys[i] == NULL)
            return false;
        snprintf(found, 32, "%s", column_keys[i]);
        return true;
    }
    const bool variant = strcmp(section, "variants") == 0;
    const bool top = variant || strcmp(section, "quick") == 0 || section[0] == '\0';
    const char *const others[] = {variant ? "name" : "variants", "quick"};
    if (i >= NETDP_I_KEYS && i < NETDP_I_KEYS + 2 && top && strcmp(section, "quick") != 0) {
        snprintf(found, 32, "%s", others[i - NETDP_I_KEYS]);
        return true;
    }
    if (i >= NETDP_I_KEYS)
        return false;
    const netdp_i_key *key = &netdp_i_keys[i];
    size_t length = netdp_i_key_section(key);
    found[0] = '\0';
    if (top)
        snprintf(found, 32, "%.*s", length > 0 ? (int)length : 31, key->name);
    else if (strlen(section) == length && memcmp(section, key->name, length) == 0)
        snprintf(found, 32, "%s", netdp_i_key_leaf(key));
    return true;
}

bool netdp_i_key_known(const char *section, const char *word)
{
    char found[32];
    for (int i = 0; candidate(section, i, found); i++)
        if (found[0] != '\0' && strcmp(found, word) == 0)
            return true;
    return false;
}

const char *netdp_i_key_nearest(const char *section, const char *word, char found[32])
{
    size_t least = SIZE_MAX;
    char tried[32];
    for (int i = 0; section != NULL && candidate(section, i, tried); i++) {
        size_t distance = netdp_i_distance(tried, word);
        if (tried[0] != '\0' && distance < least) {
            least = distance;
            memcpy(found, tried, sizeof tried);
        }
    }
    for (int i = 0; i < NETDP_I_KEYS; i++) {
        const netdp_i_key *key = &netdp_i_keys[i];
        size_t distance = netdp_i_distance(netdp_i_key_leaf(key), word);
        if (section == NULL) {
            size_t whole = netdp_i_distance(key->name, word);
            distance = whole < distance ? whole : distance;
        } else if (distance > 0) {
            continue;
        }
        if (distance < least) {
            least = distance;
            snprintf(found, 32, "%s", key->name);
        }
    }
    return found;
}
