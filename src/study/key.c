#include "study/key.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "question/settings.h"
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
static const char *const figures[] = {"distance", "sweep",   "trace",     "dots", "matrix",
                                      "drawing",  "scatter", "histogram", NULL};
static const char *const figure_xs[] = {"hops",  "length", "communicability", "katz",
                                        "value", "nodes",  "quantile",        NULL};
static const char *const figure_logs[] = {"none", "x", "y", "xy", NULL};
static const char *const hidden[] = {"baselines", NULL};
static const char *const by_formula[] = {"auto", NULL};
static const char *const every_node[] = {"all", NULL};
static const char *const over[] = {[NETDP_OVER_WORST] = "worst", [NETDP_OVER_MEAN] = "mean", NULL};
static const char *const missing[] = {[NETDP_MISSING_REFUSE] = "refuse",
                                      [NETDP_MISSING_DROP] = "drop",
                                      [NETDP_MISSING_MEAN] = "mean",
                                      NULL};
static const char *const prepares[] = {"ranges", "standardise", NULL};
static const char *const categories[] = {"refuse", "onehot", NULL};
static const char *const mean_over[] = {"nodes", "rows", NULL};

/* clang-format off */
const netdp_i_key netdp_i_keys[] = {
    {"title", AT(title), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .fallback = "", .expects = "a text"}},
    {"seed", AT(seed), .whole = true,
     .rule = {NETDP_I_KEY_SEED, .fallback = "1", .expects = "a whole number from 0 to 18446744073709551615"}},
    {"proof", AT(proof), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .expects = "none, worst, all, or how many pairs beside the worst"}},
    {"graph.family", AT(graph.family), .rivals = NETDP_I_RIVAL_GRAPHS,
     .rule = {NETDP_I_KEY_TEXT, .expects = "a family such as hypercube 11"}},
    {"graph.file", AT(graph.file), .rivals = NETDP_I_RIVAL_GRAPHS,
     .rule = {NETDP_I_KEY_FILE, .expects = "the path of a graph file"}},
    {"graph.data", AT(graph.data), .rivals = NETDP_I_RIVAL_GRAPHS,
     .rule = {NETDP_I_KEY_TEXT, .expects = "a file of the data folder such as facebook/1912.edges"}},
    {"graph.giant_component", AT(graph.giant_component),
     .rule = {NETDP_I_KEY_SWITCH, .fallback = "false", .word = yes_no, .expects = "true or false"}},
    {"graph.draw", AT(graph.draw),
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "0", .low = 0, .high = 1e9, .expects = "a whole number, added to the seed for the graph"}},
    {"mixing.weights", AT(mixing.weights),
     .rule = {NETDP_I_KEY_TEXT, .fallback = "metropolis", .expects = "a name such as metropolis or lazy:0.5"}},
    {"data.source", AT(data.source), .rivals = NETDP_I_RIVAL_DATA,
     .rule = {NETDP_I_KEY_DATASET, .expects = "the name of a data set such as houses"}},
    {"data.csv", AT(data.csv), .rivals = NETDP_I_RIVAL_DATA,
     .rule = {NETDP_I_KEY_FILE, .expects = "the path of a CSV file"}},
    {"data.synthetic", AT(data.synthetic), .rivals = NETDP_I_RIVAL_DATA,
     .rule = {NETDP_I_KEY_TEXT, .expects = "a distribution such as gaussian-classes 10 variance=4"}},
    {"data.radius", AT(data.radius), .learns = true,
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = NETDP_I_LARGEST, .expects = "a number above 0"}},
    {"data.draw", AT(data.draw),
     .rule = {NETDP_I_KEY_WHOLE, .low = 1, .high = 1e9, .expects = "the number of a draw from 1"}},
    {"data.columns", AT(data.column),
     .rule = {NETDP_I_KEY_COLUMNS, .expects = "a list such as [{name: kwh, bounds: [0, 5]}]"}},
    {"data.per_node", AT(data.one_row_a_node),
     .rule = {NETDP_I_KEY_SWITCH, .fallback = "even", .word = per_node, .expects = "even or one"}},
    {"data.owner", AT(data.owner),
     .rule = {NETDP_I_KEY_TEXT, .expects = "the column that says whose a row is, such as hospital"}},
    {"data.owner_cuts", AT(data.owner_cuts),
     .rule = {NETDP_I_KEY_TEXT, .expects = "ascending numbers such as 10, 20.5, 31"}},
    {"data.rows", AT(data.rows),
     .rule = {NETDP_I_KEY_TEXT, .expects = "how many rows there are, such as 1000, of owners {a: 100, b: 120}, or a file with columns owner and rows"}},
    {"data.missing", AT(data.missing),
     .rule = {NETDP_I_KEY_WORD, .fallback = "refuse", .word = missing, .expects = "refuse, drop or mean"}},
    {"data.categories", AT(data.onehot), .learns = true,
     .rule = {NETDP_I_KEY_SWITCH, .fallback = "refuse", .word = categories, .expects = "refuse or onehot"}},
    {"data.label", AT(data.label),
     .rule = {NETDP_I_KEY_TEXT, .expects = "the column to predict"}},
    {"data.features", AT(data.features),
     .rule = {NETDP_I_KEY_TEXT, .expects = "columns such as 'age, income', 'all but id' or all"}},
    {"data.prepare", AT(data.prepare), .learns = true,
     .rule = {NETDP_I_KEY_TEXT, .word = prepares, .expects = "ranges or standardise"}},
    {"data.row", AT(data.row),
     .rule = {NETDP_I_KEY_TEXT, .fallback = "", .expects = "what a row is, such as one patient's record at one hospital"}},
    {"data.batches", .learns = true, .setting = "batches"},
    {"data.deal", AT(data.deal), .learns = true,
     .rule = {NETDP_I_KEY_TEXT, .fallback = "even", .expects = "even, by-label or dirichlet:ALPHA"}},
    {"data.split", AT(data.split), .learns = true,
     .rule = {NETDP_I_KEY_REAL, .fallback = "0.8", .low = ABOVE_0, .high = BELOW_1, .expects = "the part of the rows that train, above 0 and below 1"}},
    {"task.kind", AT(task.kind), .required = true,
     .rule = {NETDP_I_KEY_TEXT, .word = tasks, .expects = "mean, sum, histogram, logistic, ridge, softmax, own, account, realised or claim"}},
    {"task.claim", AT(task.claim),
     .rule = {NETDP_I_KEY_TEXT, .expects = "a claim such as B-lemma-3, which netdp claim lists"}},
    {"task.with", AT(task.with),
     .rule = {NETDP_I_KEY_TEXT, .expects = "inputs of the claim such as epsilon=1 scale=2"}},
    {"task.over", AT(task.over),
     .rule = {NETDP_I_KEY_TEXT, .expects = "the input that takes the value of task.at, such as epsilon"}},
    {"task.at", AT(task.at),
     .rule = {NETDP_I_KEY_TEXT, .expects = "a number"}},
    {"task.parameters", AT(task.parameters),
     .rule = {NETDP_I_KEY_WHOLE, .low = 1, .high = 1 << 20, .expects = "how many numbers a model of one's own has, 1 to 1048576"}},
    {"task.levels", AT(task.levels),
     .rule = {NETDP_I_KEY_WHOLE, .low = 2, .high = 1e6, .expects = "a whole number of bins from 2"}},
    {"task.bounds", AT(task.low), .rivals = NETDP_I_RIVAL_RANGES,
     .rule = {NETDP_I_KEY_PAIR, .expects = "finite numbers [low, high] with low < high"}},
    {"task.clip", AT(task.clip), .rivals = NETDP_I_RIVAL_RANGES,
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = NETDP_I_LARGEST, .expects = "a number above 0, at most 1e100"}},
    {"task.unit", AT(task.unit),
     .rule = {NETDP_I_KEY_TEXT, .fallback = "", .expects = "a text"}},
    {"task.mean_over", AT(task.mean_over_rows),
     .rule = {NETDP_I_KEY_SWITCH, .fallback = "nodes", .word = mean_over, .expects = "nodes or rows"}},
    {"task.step", AT(task.step), .learns = true,
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_TOKEN, .low = ABOVE_0, .high = NETDP_I_LARGEST, .expects = "a step size above 0"}},
    {"task.decay", AT(task.decay),
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_TOKEN, .fallback = "0", .low = 0, .high = 2, .expects = "an exponent from 0 to 2"}},
    {"task.radius", AT(task.radius),
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_TOKEN, .low = ABOVE_0, .high = NETDP_I_LARGEST, .expects = "a number above 0, at most 1e100"}},
    {"task.l2", AT(task.l2), .learns = true,
     .rule = {NETDP_I_KEY_REAL, .fallback = "0", .low = 0, .high = NETDP_I_LARGEST, .expects = "a number from 0"}},
    {"task.batch", AT(task.batch), .learns = true,
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "all", .low = 1, .high = 1e9, .word = all_rows, .expects = "a whole number from 1, or all"}},
    {"task.local", AT(task.local),
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "1", .low = 1, .high = 1000, .expects = "how many local steps a step has, a whole number from 1 to 1000"}},
    {"task.momentum", AT(task.momentum),
     .rule = {NETDP_I_KEY_REAL, .fallback = "0", .low = 0, .high = BELOW_1, .expects = "a number from 0, below 1"}},
    {"task.intercept", AT(task.intercept), .learns = true,
     .rule = {NETDP_I_KEY_SWITCH, .fallback = "false", .word = yes_no, .expects = "true or false"}},
    {"task.central_steps", AT(task.central_steps), .learns = true, .whole = true,
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "50", .low = 1, .high = 1e9, .expects = "a whole number from 1"}},
    {"task.central_step", AT(task.central_step), .learns = true, .whole = true,
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = NETDP_I_LARGEST, .expects = "a step size above 0"}},
    {"protocol.kind", AT(protocol.kind), .required = true,
     .rule = {NETDP_I_KEY_TEXT, .word = protocols, .expects = "averaging, random-averaging, gossip-sgd, async-gossip-sgd, muffliato-sgd, walk, weighted-walk, ring-sum, ring-histogram, complete-sum or complete-histogram"}},
    {"protocol.rounds", AT(protocol.rounds), .required = true,
     .rule = {NETDP_I_KEY_WHOLE, .low = 1, .high = 1e9, .word = by_formula, .expects = "a whole number from 1 to 1000000000, or auto"}},
    {"protocol.variance", .setting = "variance"},
    {"protocol.inner", .setting = "inner"},
    {"protocol.every", .setting = "every"},
    {"protocol.at_most", .setting = "at-most"},
    {"protocol.visits", AT(protocol.visits),
     .rule = {NETDP_I_KEY_WHOLE, .low = 1, .high = 1e6, .expects = "a whole number of steps for each node"}},
    {"protocol.phases", AT(protocol.phases),
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_INNER, .low = 1, .high = 1e9, .expects = "a whole number from 1"}},
    {"protocol.accelerate", .setting = "accelerate"},
    {"protocol.largest", AT(protocol.largest),
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_VIEW, .low = ABOVE_0, .high = NETDP_I_LARGEST, .expects = "a number above 0, beyond which peers drop a message"}},
    {"protocol.dropout", .setting = "dropout"},
    {"protocol.redraw", .setting = "redraw"},
    {"protocol.start", .setting = "start"},
    {"protocol.burn_in", .setting = "burn-in"},
    {"protocol.cap", .setting = "cap"},
    {"protocol.tokens", .setting = "tokens"},
    {"protocol.release", .setting = "release"},
    {"protocol.path", .setting = "path"},
    {"protocol.path_seed", .setting = "path-seed"},
    {"protocol.law", AT(protocol.law),
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_WEIGHTED, .fallback = "public", .expects = "public, exact, gamma:THETA,LOW,HIGH or laplace:SCALE,LOW,HIGH"}},
    {"protocol.mechanism", .setting = "mechanism"},
    {"protocol.schedule", .setting = "schedule"},
    {"protocol.grid", .whole = true, .setting = "grid"},
    {"privacy.epsilon", AT(privacy.epsilon), .rivals = NETDP_I_RIVAL_NOISES,
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = INFINITY, .expects = "a number above 0, or inf"}},
    {"privacy.noise", AT(privacy.noise), .rivals = NETDP_I_RIVAL_NOISES,
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = NETDP_I_LARGEST, .expects = "a standard deviation above 0, in units of Delta"}},
    {"privacy.delta", AT(privacy.delta),
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = BELOW_1, .expects = "a number above 0 and below 1"}},
    {"privacy.as", AT(privacy.as),
     .rule = {NETDP_I_KEY_TEXT, .expects = "loss, gdp, rdp:ALPHA or dp:DELTA"}},
    {"privacy.bound", .setting = "bound"},
    {"privacy.pattern", .setting = "pattern"},
    {"privacy.from", AT(privacy.from),
     .rule = {NETDP_I_KEY_TEXT, .expects = "all, random, or nodes u,u,..."}},
    {"privacy.to", AT(privacy.to),
     .rule = {NETDP_I_KEY_TEXT, .expects = "all, random, nodes v,v,... each by itself, set:v,w, who collude, or worst:C, any C who do"}},
    {"privacy.over", AT(privacy.over),
     .rule = {NETDP_I_KEY_WORD, .fallback = "mean", .word = over, .expects = "mean or worst"}},
    {"privacy.observers", AT(privacy.observers),
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "all", .low = 1, .high = 1e9, .word = every_node, .expects = "a whole number from 1, or all"}},
    {"privacy.sources", AT(privacy.sources),
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "all", .low = 1, .high = 1e9, .word = every_node, .expects = "a whole number from 1, or all"}},
    {"privacy.protects", .setting = "protects"},
    {"privacy.change", .setting = "change"},
    {"privacy.pool", AT(privacy.pool),
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_VIEW, .fallback = "1", .low = 1, .high = 1000, .expects = "how many nodes may collude, from 1"}},
    {"privacy.sees", .setting = "sees"},
    {"privacy.own_noise", .setting = "own-noise"},
    {"privacy.certify", .later = true, .setting = "certify"},
    {"privacy.dither", .setting = "dither"},
    {"privacy.dither_decay", .setting = "dither-decay"},
    {"privacy.end_dither", .setting = "end-dither"},
    {"privacy.pair_graph", .setting = "pair-graph"},
    {"privacy.pair_noise", .setting = "pair-noise"},
    {"privacy.pair_weights", .later = true, .setting = "pair-weights"},
    {"privacy.pair_seed", .setting = "pair-seed"},
    {"privacy.more_noise", AT(privacy.more_noise),
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_DITHER_DECAY, .expects = "NODE:TIMES,... such as 3:2,5:1.5"}},
    {"privacy.targets", AT(privacy.targets),
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_DITHER_DECAY, .expects = "NODE:EPSILON,... such as 3:0.5"}},
    {"privacy.quiet", .setting = "quiet"},
    {"privacy.workload", .setting = "workload"},
    {"output.every", AT(output.every), .whole = true,
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "1", .low = 1, .high = 1e9, .expects = "a whole number from 1 to 1000000000"}},
    {"output.repeat", AT(output.repeat), .whole = true,
     .rule = {NETDP_I_KEY_WHOLE, .fallback = "10", .low = 1, .high = 1e6, .expects = "a whole number from 1 to 1000000"}},
    {"sweep.key", AT(sweep.key), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .expects = "the dotted name of a key such as protocol.rounds"}},
    {"sweep.values", AT(sweep.values), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .expects = "values such as 10 | 100 | 1000"}},
    {"figure.kind", AT(figure.kind), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .word = figures, .expects = "distance, sweep, trace, dots (bars before), matrix, drawing, scatter or histogram"}},
    {"figure.paper", AT(figure.paper), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .expects = "a text such as C, Figure 1 (a)"}},
    {"figure.says", AT(figure.says), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .expects = "a text"}},
    {"figure.x", AT(figure.x), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .word = figure_xs, .expects = "hops, length, quantile, communicability, katz, value or nodes"}},
    {"figure.y", AT(figure.y), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .expects = "some of loss, loss_per_round, objective, excess, accuracy, consensus, noise, predicted, data"}},
    {"figure.log", AT(figure.log), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .word = figure_logs, .expects = "none, x, y or xy"}},
    {"figure.hide", AT(figure.hide), .whole = true,
     .rule = {NETDP_I_KEY_TEXT, .word = hidden, .expects = "baselines"}},
    {"figure.first", AT(figure.first), .whole = true,
     .rule = {NETDP_I_KEY_WHOLE, .low = 1, .high = 1e9, .expects = "how many variants of the list, 1 or more"}},
    {"figure.printed", AT(figure.printed),
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = 1e9, .expects = "the number that a paper prints, above 0"}},
    {"figure.seconds", AT(figure.seconds), .whole = true,
     .rule = {NETDP_I_KEY_REAL, .low = ABOVE_0, .high = 1e9, .expects = "seconds above 0"}},
};
/* clang-format on */
_Static_assert(sizeof netdp_i_keys / sizeof *netdp_i_keys == NETDP_I_KEYS,
               "NETDP_I_KEYS: count them");

static const char *const column_keys[] = {"name", "bounds", "values", NULL};

const netdp_i_rule *netdp_i_key_rule(const netdp_i_key *key)
{
    return key->setting != NULL ? &netdp_i_setting_find(key->setting)->rule : &key->rule;
}

void *netdp_i_key_field(const netdp_i_key *key, const netdp_study *study)
{
    char *whole = (char *)study;
    if (key->setting == NULL)
        return whole + key->offset;
    return whole + offsetof(netdp_study, question) + netdp_i_setting_find(key->setting)->offset;
}

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

const netdp_i_learned *netdp_i_task_learned(const char *task)
{
    static const netdp_i_learned learned[] = {
        {"logistic", NETDP_LOGISTIC, .classes = true},
        {"ridge", NETDP_RIDGE, .classes = false},
        {"softmax", NETDP_SOFTMAX, .classes = true, .many = true},
    };
    for (size_t i = 0; i < sizeof learned / sizeof *learned; i++)
        if (strcmp(learned[i].task, task) == 0)
            return &learned[i];
    return NULL;
}

bool netdp_i_study_classes(const netdp_study *study)
{
    const netdp_i_learned *learned = netdp_i_task_learned(study->task.kind);
    return learned != NULL && learned->classes;
}

bool netdp_i_task_learns(const char *task)
{
    return netdp_i_task_learned(task) != NULL;
}

/* With rounds: auto a protocol of phases takes their number, and `inner` is what the formula gives. */
bool netdp_i_key_applies(const netdp_i_key *key, const char *task, const netdp_protocol *named,
                         bool automatic)
{
    const netdp_i_rule *rule = netdp_i_key_rule(key);
    const bool phases = (named->settings & NETDP_SETTING_INNER) != 0;
    const bool own = strcmp(task, "own") == 0;
    const bool learning = own || netdp_i_task_learns(task);
    const bool token = (named->settings & NETDP_SETTING_TOKEN) != 0;
    const struct {
        const char *name;
        bool applies;
    } rows[] = {
        {"task.parameters", own},
        {"task.decay", token || learning},
        {"data.batches", learning || (strcmp(task, "account") == 0 && named->kind == NETDP_GOSSIP)},
        {"task.local", learning && !token},
        {"task.momentum", learning && phases}, /* at whose end models are released */
        {"protocol.phases", phases && automatic},
        {"protocol.inner", phases && !automatic},
        {"protocol.variance", automatic && (phases || netdp_i_rule_taken(rule, named->settings))}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(key->name, rows[i].name) == 0)
            return rows[i].applies;
    if (key->learns)
        return learning || (rule->only != 0 && netdp_i_rule_taken(rule, named->settings));
    return netdp_i_rule_taken(rule, named->settings);
}

bool netdp_i_key_is_path(const netdp_i_key *key, const char *text)
{
    return netdp_i_key_rule(key)->kind == NETDP_I_KEY_FILE ||
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
