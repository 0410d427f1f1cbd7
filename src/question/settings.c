/* The table of a question's settings, and a text into the field of one. */
#include "question/settings.h"

#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"
#include "protocol/route.h"
#include "protocol/tally.h"

#define AT(field) offsetof(netdp_i_question, field)

static const char *const yes_no[] = {"false", "true", NULL};
static const char *const by_formula[] = {"auto", NULL};
static const char *const certify[] = {"auto", "yes", "no", NULL}; /* no: before 0.2.0 */
static const char *const redraws[] = {"never", "round", "phase", "one-peer", NULL};
static const char *const no_cap[] = {"none", NULL};
static const char *const released[] = {"none", "final", NULL};
static const char *const sees[] = {[NETDP_SEES_NEIGHBOURS] = "neighbours",
                                   [NETDP_SEES_SUM] = "sum",
                                   [NETDP_SEES_EVERYTHING] = "everything",
                                   NULL};
static const char *const protects[] = {
    [NETDP_PROTECTS_NODE] = "node", [NETDP_PROTECTS_ROW] = "row", NULL};
static const char *const changes[] = {
    [NETDP_CHANGE_REPLACE] = "replace", [NETDP_CHANGE_ADD_REMOVE] = "add-remove", NULL};
static const char *const workloads[] = {"sums", "gossip", NULL};
static const char *const own_noise[] = {
    [NETDP_OWN_NOISE_KNOWN] = "known", [NETDP_OWN_NOISE_COUNTS] = "counts", NULL};

/* clang-format off */
const netdp_i_setting netdp_i_setting_rows[] = {
    {"The protocol:", .heading = true},
    {"protocol", AT(protocol), "protocol.kind", "NAME",
     "averaging, random-averaging, stream, gossip-sgd, async-gossip-sgd, muffliato-sgd, walk, weighted-walk, ring-sum, ring-histogram, complete-sum or complete-histogram",
     .rule = {NETDP_I_KEY_TEXT, .fallback = "averaging"}},
    {"rounds", AT(rounds), "protocol.rounds", "T|auto",
     "gossip rounds in all, a token's steps, or its passes of the ring; auto (averaging): paper C's number for --accelerate, ceil(gap^-1/2 ln(n max(1, V/noise^2))), and plain gossip on a sparse graph mixes later (netdp graph info); random-averaging: gap^-1, of the mean of W_t",
     .rule = {.kind = NETDP_I_KEY_TEXT}, .usual = "required"},
    {"variance", AT(variance), "protocol.variance", "V",
     "variance of the values in units of Delta^2, for --rounds auto",
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_ROUNDS_AUTO, .fallback = "0.25", .low = 0, .high = DBL_MAX, .expects = "a finite number from 0 up"}},
    {"dither", AT(settings.noise.dither), "privacy.dither", "TAU",
     "fresh noise on each later message, in units of the first noise; 0: every message counts as seen, local differential privacy",
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_DITHER, .fallback = "0.01", .low = 0, .high = NETDP_I_LARGEST, .word = by_formula, .expects = "a number from 0 to 1e100, or auto"}},
    {"dither-decay", AT(settings.noise.decay), "privacy.dither_decay", "P",
     "averaging: the dither of round t is TAU / t^P, P from 0 to 2",
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_DITHER_DECAY, .fallback = "0", .low = 0, .high = 2, .word = by_formula, .expects = "a number from 0 to 2, or auto"}},
    {"every", AT(settings.every), "protocol.every", "B",
     "stream: rounds from one contribution to the next",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_EVERY, .fallback = "1", .low = 1, .high = 1e9, .expects = "a whole number of rounds from 1"}},
    {"at-most", AT(settings.at_most), "protocol.at_most", "K",
     "stream: contributions that one node makes at most",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_AT_MOST, .fallback = "none", .low = 1, .high = 1e9, .word = no_cap, .expects = "a whole number of contributions from 1, or none"}},
    {"inner", AT(settings.inner), "protocol.inner", "K",
     "muffliato-sgd: gossip rounds of a phase",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_INNER, .fallback = "1", .low = 1, .high = 1e9, .expects = "a whole number from 1"}},
    {"end-dither", AT(settings.noise.end), "privacy.end_dither", "TAU_E",
     "muffliato-sgd: noise on every state at the end of a phase, in units of the first noise",
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_END_DITHER, .fallback = "0.1", .low = 0, .high = NETDP_I_LARGEST, .word = by_formula, .expects = "a number from 0 to 1e100, or auto"}},
    {"accelerate", AT(settings.accelerate), "protocol.accelerate", NULL,
     "Chebyshev gossip (averaging, muffliato-sgd)",
     .rule = {NETDP_I_KEY_SWITCH, .only = NETDP_SETTING_ACCELERATE, .fallback = "false", .word = yes_no, .expects = "true or false"}},
    {"pair-graph", AT(pair_graph), "privacy.pair_graph", "edges|complete|ring|FILE",
     "gossip, ring-sum: who shares noise that cancels in the sum; edges: neighbours do; also regular K and k-out K; FILE -: standard input",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_PAIRS, .expects = "edges, complete, ring, regular K, k-out K or the path of a graph file"}},
    {"pair-noise", AT(settings.noise.pairing.kappa), "privacy.pair_noise", "KAPPA",
     "gossip, ring-sum: that noise, of each pair and contribution, in units of the first noise",
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_PAIRS, .fallback = "0", .low = 0, .high = 1e6, .word = by_formula, .expects = "a number from 0 to 1000000, or auto"}},
    {"pair-weights", AT(settings.noise.pairing.weighted), "privacy.pair_weights", NULL,
     "averaging: pairs differ in noise: KAPPA times the weight of each in the pair graph, a file of lines 'u v weight'",
     .rule = {NETDP_I_KEY_SWITCH, .only = NETDP_SETTING_PAIRS, .also = NETDP_SETTING_DITHER_DECAY, .fallback = "false", .word = yes_no, .expects = "true or false"}},
    {"pair-seed", AT(pair_seed), "privacy.pair_seed", "N",
     "draws the pair graph, which is public",
     .rule = {NETDP_I_KEY_SEED, .only = NETDP_SETTING_PAIRS, .fallback = "1", .expects = "a whole number from 0 to 18446744073709551615"}},
    {"cycle", AT(settings.cycle), NULL, "B",
     "learning: cyclic participation: rows are partitioned into B batches, and a row is what is protected; it takes part in every B-th phase",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_QUIET, .high = 1e15, .expects = "a whole number of batches from 0"}, .usual = "in all phases"},
    {"quiet", AT(quiet), "privacy.quiet", "fresh|optimal|FILE",
     "learning: noise correlated over phases so that models err least (netdp design); also banded:B and blt:M; or by the covariance in FILE, a line a phase",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_QUIET, .fallback = "fresh", .expects = "fresh, optimal, banded:B, blt:M or the path of a file"}},
    {"workload", AT(for_gossip), "privacy.workload", "sums|gossip",
     "what correlated noise is designed for: the mean model, or all models as gossip mixes them",
     .rule = {NETDP_I_KEY_SWITCH, .only = NETDP_SETTING_QUIET, .fallback = "sums", .word = workloads, .expects = "sums or gossip"}},
    {"dropout", AT(dropout), "protocol.dropout", "P|edges:P|late:P|revealed:P",
     "gossip: each node is away from a round with probability P, or each edge; late, of averaging: fails for good once its partners have added their halves; revealed: and they tell them; drawn with --seed before the run, and public",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_VARYING, .fallback = "0", .expects = "a probability from 0, below 1, or edges:P, late:P or revealed:P"}},
    {"redraw", AT(redraw), "protocol.redraw", "never|round|phase|one-peer",
     "gossip: a graph of a random family is drawn again for every round, or for every phase of muffliato-sgd, with --seed, and public; one-peer: a hypercube, one neighbour a round",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_VARYING, .fallback = "never", .word = redraws, .expects = "never, round, phase or one-peer"}},
    {"start", AT(start), "protocol.start", "uniform|observer|NODE",
     "walk: where the token starts; observer: at each observer in turn",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_TOKEN, .fallback = "uniform", .expects = "uniform or a node"}},
    {"burn-in", AT(settings.burn_in), "protocol.burn_in", "B",
     "walk: moves before the first step, without contribution or noise",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_TOKEN, .fallback = "0", .low = 0, .high = 1e9, .expects = "a whole number from 0 to 1000000000"}},
    {"path", AT(settings.path), "protocol.path", "hidden|public|tour|NAME",
     "walk: who knows where it goes; all but hidden are drawn before the run and public: by the law; tour: pass by pass over all nodes; also resting (a node that keeps the token rests) and non-backtracking",
     .rule = {NETDP_I_KEY_WORD, .only = NETDP_SETTING_TOKEN, .fallback = "hidden", .word = netdp_i_paths, .expects = "hidden, public, resting, non-backtracking or tour"}},
    {"path-seed", AT(settings.path_seed), "protocol.path_seed", "N",
     "draws a path that is public",
     .rule = {NETDP_I_KEY_SEED, .only = NETDP_SETTING_TOKEN, .fallback = "1", .expects = "a whole number from 0 to 18446744073709551615"}},
    {"tokens", AT(tokens), "protocol.tokens", "M",
     "walk: independent tokens, each with a model of its own",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_TOKEN, .fallback = "1", .low = 1, .high = 1e6, .expects = "a whole number from 1 to 1000000"}},
    {"cap", AT(settings.cap), "protocol.cap", "N",
     "tokens: contributions of one node at most; above it adds noise (a walk: and takes the step of l2)",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_TOKEN | NETDP_SETTING_COMPLETE, .fallback = "none", .low = 1, .high = 1e9, .word = no_cap, .expects = "a whole number from 1, or none"}},
    {"contraction", AT(settings.contraction), NULL, "C",
     "walk: every step multiplies the distance of two models by C at most: max(1 - step l2, step beta - 1) of learning with l2 (a study finds it itself)",
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_TOKEN, .high = 1, .expects = "a number from 0 to 1"}, .usual = "none"},
    {"gamma", AT(gamma), "protocol.law", "THETA,LOW,HIGH",
     "weighted-walk: the Gamma mechanism released the law; adds its cost, for half of delta",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_WEIGHTED}, .usual = "a public law"},
    {"mechanism", AT(settings.mechanism), "protocol.mechanism", "NAME",
     "sums by a token: gaussian, laplace or discrete-gaussian noise",
     .rule = {NETDP_I_KEY_WORD, .only = NETDP_SETTING_SUM, .fallback = "gaussian", .word = netdp_i_tally_mechanisms, .expects = "gaussian, laplace or discrete-gaussian"}},
    {"schedule", AT(settings.schedule), "protocol.schedule", "every|once|spread",
     "ring-sum: noise in every hop, once every n-1 hops, or spread over the nodes",
     .rule = {NETDP_I_KEY_WORD, .only = NETDP_SETTING_SUM, .also = NETDP_SETTING_RING, .fallback = "once", .word = netdp_i_tally_schedules, .expects = "every, once or spread"}},
    {"grid", AT(grid), "protocol.grid", "N",
     "discrete-gaussian: grid steps in one sensitivity",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_SUM, .fallback = "1024", .low = 1, .high = 1e9, .expects = "a whole number of grid steps from 1"}},
    {"levels", AT(levels), "task.levels", "L",
     "histograms: how many values there are",
     .rule = {NETDP_I_KEY_WHOLE, .only = NETDP_SETTING_HISTOGRAM, .fallback = "2", .low = 2, .high = 1e9, .expects = "a whole number of values from 2"}},
    {"flip", AT(settings.flip), NULL, "GAMMA",
     "histograms: a contribution is a uniform value with this probability",
     .rule = {NETDP_I_KEY_REAL, .only = NETDP_SETTING_HISTOGRAM, .high = 1, .expects = "a probability above 0, at most 1"}, .usual = "required"},
    {"shuffle", AT(shuffle), NULL, "NAME",
     "ring-histogram: least, erlingsson, feldman, clones, blanket or local",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_HISTOGRAM, .fallback = "least"}},
    {"release", AT(settings.release), "protocol.release", "none|final",
     "tokens: everyone sees the final model, sum or histogram",
     .rule = {NETDP_I_KEY_SWITCH, .only = NETDP_SETTING_TOKEN | NETDP_SETTING_TALLY, .fallback = "none", .word = released, .expects = "none or final; a simulation releases nothing real: its noise comes from the seed, in floating point"}},
    {"pattern", AT(pattern), "privacy.pattern", "ones|alternating|FILE",
     "one pattern of contributions instead of the worst, with --bound lower or linear; also cos:OMEGA; FILE -: standard input",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_VIEW, .expects = "worst, ones, alternating, cos:OMEGA or the path of a file"}, .usual = "the worst"},
    {"What is protected:", .heading = true},
    {"protects", AT(protects), "privacy.protects", "node|row",
     "gossip: all that a node holds, or one row of it (with --cycle always); noise is in units of what that can change",
     .rule = {NETDP_I_KEY_WORD, .fallback = "node", .word = protects, .expects = "node or row"}, .only = NETDP_SETTING_VIEW},
    {"change", AT(change), "privacy.change", "replace|add-remove",
     "rows: another row in its place, or it counts or does not",
     .rule = {NETDP_I_KEY_WORD, .fallback = "replace", .word = changes, .expects = "replace or add-remove"}, .only = NETDP_SETTING_VIEW},
    {"batches", AT(batches), "data.batches", "full|cyclic:B|poisson:Q",
     "learning: which rows take part in a phase: all; by turns, as --cycle B; each with probability Q, anew (--change add-remove)",
     .rule = {NETDP_I_KEY_TEXT, .fallback = "full", .expects = "full, cyclic:B or poisson:Q"}, .only = NETDP_SETTING_VIEW},
    {"rows", AT(rows), "data.rows", "N,N,...|FILE",
     "rows that each node holds, which is public: a row of a larger node weighs less; FILE: one number a line",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_VIEW, .expects = "a whole number from 1 for each node, or the path of a file"}, .usual = "alike"},
    {"Who learns about whom:", .heading = true},
    {"from", AT(from), "privacy.from", "all|U|U,U",
     "the nodes whose privacy is asked for",
     .rule = {NETDP_I_KEY_TEXT, .fallback = "all"}},
    {"to", AT(to), "privacy.to", "all|V|set:V,W|worst:C",
     "the observers; set: nodes that collude; worst: any C nodes, the largest over all such coalitions",
     .rule = {NETDP_I_KEY_TEXT, .fallback = "all"}},
    {"sees", AT(sees), "privacy.sees", "neighbours|sum|everything",
     "what an observer sees: its neighbours' messages; only their (secure) sum; all messages",
     .rule = {NETDP_I_KEY_WORD, .only = NETDP_SETTING_VIEW, .fallback = "neighbours", .word = sees, .expects = "neighbours, sum or everything"}},
    {"own-noise", AT(own_noise), "privacy.own_noise", "known|counts",
     "whether observers subtract the noise they drew themselves",
     .rule = {NETDP_I_KEY_WORD, .only = NETDP_SETTING_VIEW, .fallback = "known", .word = own_noise, .expects = "known or counts"}},
    {"bound", AT(bound), "privacy.bound", "NAME|list",
     "which accountant; list shows them with source and soundness; auto: the least sound one",
     .rule = {NETDP_I_KEY_TEXT, .fallback = "auto", .expects = "the name of a bound such as exact or published"}},
    {"certify", AT(certify), "privacy.certify", "auto|yes",
     "gossip: what a proof may take: minutes, or whatever it takes; else all messages count as seen",
     .rule = {NETDP_I_KEY_TEXT, .only = NETDP_SETTING_VIEW, .fallback = "auto", .word = certify, .expects = "auto or yes"}},
    {0},
};
/* clang-format on */
_Static_assert(sizeof netdp_i_setting_rows / sizeof *netdp_i_setting_rows == NETDP_I_SETTINGS + 1,
               "NETDP_I_SETTINGS: count them");

const netdp_i_need netdp_i_settings_need[] = {
    {"variance", NULL, false, "rounds", "auto", .says = "leave it out"},
    {"dither-decay", "auto", false, "dither", "auto", .says = "give a number"},
    {"end-dither", "auto", false, "dither", "auto", .says = "give a number"},
    {"pair-noise", "auto", false, "dither", "auto", .says = "give a number"},
    {"pair-weights", "true", false, "pair-graph", NULL, .says = "its edges have the weights"},
    {"pair-weights", "true", true, "dropout", NULL,
     .says = "it needs the same network in every round"},
    {"pair-weights", "true", true, "redraw", NULL,
     .says = "it needs the same network in every round"},
    {"redraw", NULL, true, "dropout", NULL, .says = "a network changes in one of the two ways"},
    {"accelerate", "true", true, "dropout", NULL,
     .says = "it needs the same network in every round"},
    {"accelerate", "true", true, "redraw", NULL,
     .says = "it needs the same network in every round"},
    {"cycle", NULL, true, "batches", NULL, .says = "they say the same, give one of them"},
    {"change", "add-remove", false, "protects", "row", .says = "it is of rows", .unless = "cycle"},
    {"pattern", NULL, true, "at-most", NULL, .says = "it says itself which contributions are made"},
    {0},
};

int32_t netdp_i_setting_worst(const char *to)
{
    int64_t colluders = 0;
    if (strncmp(to, "worst:", 6) != 0)
        return 0;
    return netdp_i_read_whole(to + 6, &colluders) && colluders >= 1 && colluders <= 1000
               ? (int32_t)colluders
               : -1;
}

static bool is_dash(char c)
{
    return c == '-' || c == '_';
}

/* Is it the same name, be it spelled with - or _? */
static bool same_name(const char *a, const char *b)
{
    for (; *a != '\0' && (*a == *b || (is_dash(*a) && is_dash(*b))); b++)
        a++;
    return *a == *b;
}

const netdp_i_setting *netdp_i_setting_find(const char *name)
{
    for (const netdp_i_setting *row = netdp_i_setting_rows; row->name != NULL; row++)
        if (!row->heading && same_name(name, row->name))
            return row;
    return NULL;
}

const char *netdp_i_setting_usual(const netdp_i_setting *setting)
{
    if (setting->value == NULL)
        return NULL;
    return setting->usual != NULL           ? setting->usual
           : setting->rule.fallback != NULL ? setting->rule.fallback
                                            : "none";
}

unsigned netdp_i_setting_takers(const netdp_i_setting *setting)
{
    return setting->only != 0 ? setting->only : setting->rule.only;
}

bool netdp_i_setting_taken(const netdp_i_setting *setting, unsigned settings)
{
    return netdp_i_rule_taken(&setting->rule, settings) &&
           (setting->only == 0 || (setting->only & settings) != 0);
}

/* Has the setting this value; NULL: another than its usual one? `text` NULL: it is not given. */
static bool has_value(const netdp_i_setting *setting, const char *text, const char *value)
{
    if (value == NULL)
        return text != NULL && !netdp_i_rule_is_usual(&setting->rule, text);
    text = text != NULL ? text : setting->rule.fallback;
    return text != NULL && strcmp(text, value) == 0;
}

/* "--dither auto". */
static void spell(const char *name, const char *value, char text[80])
{
    snprintf(text, 80, "--%s%s%s", name, value != NULL ? " " : "", value != NULL ? value : "");
}

netdp_status netdp_i_settings_together(netdp_i_setting_text text, const void *context,
                                       netdp_error *error)
{
    for (const netdp_i_need *row = netdp_i_settings_need; row->name != NULL; row++) {
        const netdp_i_setting *one = netdp_i_setting_find(row->name);
        const netdp_i_setting *other = netdp_i_setting_find(row->other);
        const netdp_i_setting *unless = row->unless ? netdp_i_setting_find(row->unless) : NULL;
        const char *shown = row->value != NULL && one->value != NULL ? row->value : "";
        char said[80];
        if ((unless != NULL && text(context, unless) != NULL) ||
            !has_value(one, text(context, one), row->value) ||
            has_value(other, text(context, other), row->with) != row->excludes)
            continue;
        spell(row->other, row->with, said);
        return netdp_i_fail(error, NETDP_INVALID, "--%s: %s%s%s %s; %s", row->name, shown,
                            shown[0] != '\0' ? " " : "", row->excludes ? "excludes" : "goes with",
                            said, row->says);
    }
    return NETDP_OK;
}

void netdp_i_question_usual(netdp_i_question *question)
{
    netdp_error ignored;
    *question =
        (netdp_i_question){.mixing = "metropolis", .seed = 1, .settings = NETDP_SETTINGS_USUAL};
    for (const netdp_i_setting *row = netdp_i_setting_rows; row->name != NULL; row++)
        if (!row->heading && row->rule.fallback != NULL) {
            (void)!netdp_i_setting_read(row, row->rule.fallback, question, &ignored);
            question->text[row - netdp_i_setting_rows] = NULL;
        }
}

netdp_status netdp_i_setting_read(const netdp_i_setting *setting, const char *text,
                                  netdp_i_question *question, netdp_error *error)
{
    void *into = (char *)question + setting->offset;
    question->text[setting - netdp_i_setting_rows] = text;
    TRY(netdp_i_within(error, netdp_i_rule_read(&setting->rule, text, into, error), "--%s",
                       setting->name));
    if (setting->rule.kind == NETDP_I_KEY_TEXT)
        *(const char **)into = text;
    return NETDP_OK;
}

const char *netdp_i_question_text(const void *question, const netdp_i_setting *setting)
{
    return ((const netdp_i_question *)question)->text[setting - netdp_i_setting_rows];
}

bool netdp_i_question_given(const netdp_i_question *question, const char *name)
{
    return netdp_i_question_text(question, netdp_i_setting_find(name)) != NULL;
}
