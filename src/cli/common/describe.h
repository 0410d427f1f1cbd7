/*
 * GRAPH MIXING PROTOCOL and who sees what: the options that `loss` and `calibrate` share.
 */
#ifndef NETDP_I_DESCRIBE_H
#define NETDP_I_DESCRIBE_H

#include <netdp/privacy.h>
#include <netdp/tally.h>
#include <netdp/walk.h>
#include <netdp/account.h>

#include "account/losses/losses.h"
#include "cli/common/command.h"

typedef struct netdp_i_description_options {
    netdp_i_network_options network;
    const char *engine;
    const char *protocol, *rounds, *from, *to, *bound, *certify, *pattern;
    const char *start;
    const char *pair_graph, *quiet, *workload;
    netdp_protects protects;
    netdp_change change;
    const char *batches, *rows;
    uint64_t pair_seed;
    const char *dropout, *redraw, *gamma, *shuffle;
    int64_t tokens, grid, levels;
    bool calibrates; /* the noise, or what stands for it, is to be found */
    double variance;
    netdp_sees sees;
    netdp_own_noise own_noise;
    netdp_settings settings; /* but for the rounds */
} netdp_i_description_options;

#define NETDP_I_DESCRIPTION_USUAL                                                                  \
    {                                                                                              \
        .network = NETDP_I_NETWORK_USUAL, .engine = "single", .protocol = "averaging",             \
        .from = "all", .to = "all", .bound = "auto", .certify = "auto", .variance = 0.25,          \
        .start = "uniform", .tokens = 1, .shuffle = "least", .grid = 1024, .levels = 2,            \
        .pair_seed = 1, .quiet = "fresh", .workload = "sums", .batches = "full",                   \
        .settings = NETDP_SETTINGS_USUAL                                                           \
    }

/* clang-format off */
#define NETDP_I_DESCRIPTION_OPTIONS(o)                                                             \
    NETDP_I_GRAPH_OPTIONS((o).network),                                                            \
    NETDP_I_MIXING_OPTIONS((o).network),                                                           \
    {NETDP_I_GROUP, 0, "The protocol:", NULL, NULL, NULL, NULL},                                   \
    {NETDP_I_TEXT, 0, "protocol", &(o).protocol, "NAME",                                           \
     "averaging, random-averaging, stream, gossip-sgd, async-gossip-sgd, muffliato-sgd, walk, "    \
     "weighted-walk, ring-sum, ring-histogram, complete-sum or complete-histogram",                \
     "averaging"},                                                                                 \
    {NETDP_I_TEXT, 0, "rounds", &(o).rounds, "T|auto",                                             \
     "gossip rounds in all, a token's steps, or its passes of the ring; auto (averaging): "        \
     "ceil(gap^-1/2 ln(n max(1, V/noise^2))); random-averaging: gap^-1, of the mean of W_t",       \
     "required"},                                                                                  \
    {NETDP_I_KEYED, 0, "variance", &(o).variance, "V",                                            \
     "variance of the values in units of Delta^2, for --rounds auto", "protocol.variance"},                     \
    {NETDP_I_KEYED, 0, "dither", &(o).settings.dither, "TAU",                                     \
     "fresh noise on each later message, in units of the first noise; 0 leaves no certain "        \
     "guarantee", "privacy.dither"},                                                                         \
    {NETDP_I_KEYED, 0, "dither-decay", &(o).settings.dither_decay, "P",                           \
     "averaging: the dither of round t is TAU / t^P, P from 0 to 2", "privacy.dither_decay"},                         \
    NETDP_I_ONLY_FOR(NETDP_SETTING_EVERY),                                                         \
    {NETDP_I_COUNT, 0, "every", &(o).settings.every, "B",                                          \
     "stream: rounds from one contribution to the next", "1"},                                     \
    NETDP_I_ONLY_FOR(NETDP_SETTING_AT_MOST),                                                       \
    {NETDP_I_COUNT, 0, "at-most", &(o).settings.at_most, "K",                                      \
     "stream: contributions that one node makes at most", "none"},                                 \
    {NETDP_I_KEYED, 0, "inner", &(o).settings.inner, "K",                                          \
     "muffliato-sgd: gossip rounds of a phase", "protocol.inner"},                                              \
    {NETDP_I_KEYED, 0, "end-dither", &(o).settings.end_dither, "TAU_E",                           \
     "muffliato-sgd: noise on every state at the end of a phase, in units of the first noise",     \
     "privacy.end_dither"},                                                                                       \
    {NETDP_I_KEYED, 0, "accelerate", &(o).settings.accelerate, NULL,                              \
     "Chebyshev gossip (averaging, muffliato-sgd)", "protocol.accelerate"},                                         \
    {NETDP_I_KEYED, 0, "pair-graph", &(o).pair_graph, "edges|complete|ring|FILE",                                        \
     "gossip, ring-sum: who shares noise that cancels in the sum; edges: neighbours do; also regular K " \
     "and k-out K; FILE -: standard input",                                                                                      \
     "privacy.pair_graph"},                                                                                      \
    {NETDP_I_KEYED, 0, "pair-noise", &(o).settings.pairing.noise, "KAPPA",                        \
     "gossip, ring-sum: that noise, of each pair and contribution, in units of the first noise", "privacy.pair_noise"},       \
    {NETDP_I_KEYED, 0, "pair-seed", &(o).pair_seed, "N", "draws the pair graph, which is public",   \
     "privacy.pair_seed"},                                                                                         \
    NETDP_I_ONLY_FOR(NETDP_SETTING_QUIET),                                                         \
    {NETDP_I_COUNT, 0, "cycle", &(o).settings.cycle, "B",                                          \
     "learning: rows are dealt to B batches that take turns, and a row is what is protected; it "  \
     "takes part in every B-th phase",                                                             \
     "in all phases"},                                                                             \
    {NETDP_I_KEYED, 0, "quiet", &(o).quiet, "fresh|optimal|FILE",                                            \
     "learning: noise correlated over phases so that models err least (netdp design); also " \
     "banded:B and blt:M; or by the covariance in FILE, a line a phase",                                               \
     "privacy.quiet"},                                                                                     \
    {NETDP_I_TEXT, 0, "workload", &(o).workload, "sums|gossip",                                    \
     "for whom quiet noise is designed: the mean model, or all models as gossip mixes them",       \
     "sums"},                                                                                      \
    {NETDP_I_KEYED, 0, "dropout", &(o).dropout, "P|edges:P|late:P|revealed:P",                                        \
     "gossip: each node is away from a round with probability P, or each edge; late, of averaging: " \
     "fails for good once its partners have added their halves; revealed: and they tell them; "     \
     "drawn with --seed before the run, and public", "protocol.dropout"},                                                           \
    {NETDP_I_KEYED, 0, "redraw", &(o).redraw, "never|round|phase|one-peer",                                      \
     "gossip: a graph of a random family is drawn again for every round, or for every phase of " \
     "muffliato-sgd, with --seed, and public; one-peer: a hypercube, one neighbour a round", "protocol.redraw"},                                           \
    {NETDP_I_KEYED, 0, "start", &(o).start, "uniform|observer|NODE",                                \
     "walk: where the token starts; observer: at each observer in turn", "protocol.start"},               \
    {NETDP_I_KEYED, 0, "burn-in", &(o).settings.burn_in, "B",                                      \
     "walk: moves before the first step, without contribution or noise", "protocol.burn_in"},                     \
    {NETDP_I_KEYED, 0, "path", &(o).settings.path, "hidden|public|tour|NAME",                        \
     "walk: who knows where it goes; all but hidden are drawn before the run and public: by the "  \
     "law; tour: pass by pass over all nodes; also resting (a node that keeps the token rests) and " \
     "non-backtracking", \
     "protocol.path"},                                                                             \
    {NETDP_I_KEYED, 0, "path-seed", &(o).settings.path_seed, "N", "draws a path that is public",    \
     "protocol.path_seed"},                                                                        \
    {NETDP_I_KEYED, 0, "tokens", &(o).tokens, "M",                                                 \
     "walk: independent tokens, each with a model of its own", "protocol.tokens"},                               \
    {NETDP_I_KEYED, 0, "cap", &(o).settings.cap, "N",                                              \
     "tokens: contributions of one node at most; above it adds noise (a walk: and takes the step of l2)", "protocol.cap"},               \
    NETDP_I_ONLY_FOR(NETDP_SETTING_TOKEN),                                                         \
    {NETDP_I_NUMBER, 0, "contraction", &(o).settings.contraction, "C",                             \
     "walk: every step multiplies the distance of two models by C at most: max(1 - step l2, "      \
     "step beta - 1) of learning with l2 (a study finds it itself)",                                          \
     "none"},                                                                                      \
    NETDP_I_ONLY_FOR(NETDP_SETTING_WEIGHTED),                                                      \
    {NETDP_I_TEXT, 0, "gamma", &(o).gamma, "THETA,LOW,HIGH",                                       \
     "weighted-walk: the Gamma mechanism released the law; adds its cost, for half of delta",      \
     "a public law"},                                                                              \
    {NETDP_I_KEYED, 0, "mechanism", &(o).settings.mechanism, "NAME",                                         \
     "sums by a token: gaussian, laplace or discrete-gaussian noise", "protocol.mechanism"},                 \
    {NETDP_I_KEYED, 0, "schedule", &(o).settings.schedule, "every|once|spread",                              \
     "ring-sum: noise in every hop, once every n-1 hops, or spread over the nodes", "protocol.schedule"},       \
    {NETDP_I_KEYED, 0, "grid", &(o).grid, "N",                                                     \
     "discrete-gaussian: grid steps in one sensitivity", "protocol.grid"},                                  \
    NETDP_I_ONLY_FOR(NETDP_SETTING_HISTOGRAM),                                                     \
    {NETDP_I_COUNT, 0, "levels", &(o).levels, "L", "histograms: how many values there are", "2"},  \
    {NETDP_I_NUMBER, 0, "flip", &(o).settings.flip, "GAMMA",                                       \
     "histograms: a contribution is a uniform value with this probability", "required"},           \
    {NETDP_I_TEXT, 0, "shuffle", &(o).shuffle, "NAME",                                             \
     "ring-histogram: least, erlingsson, feldman, clones, blanket or local", "least"},             \
    {NETDP_I_KEYED, 0, "release", &(o).settings.release, "none|final",                                            \
     "tokens: everyone sees the final model, sum or histogram", "protocol.release"},                           \
    NETDP_I_ONLY_FOR(NETDP_SETTING_VIEW),                                                          \
    {NETDP_I_TEXT, 0, "pattern", &(o).pattern, "ones|alternating|FILE",                                         \
     "one pattern of contributions instead of the worst, with --bound lower or linear; also " \
     "cos:OMEGA; FILE -: standard input",                                                                             \
     "the worst"},                                                                                 \
    {NETDP_I_GROUP, 0, "What is protected:", NULL, NULL, NULL, NULL},                              \
    NETDP_I_ONLY_FOR(NETDP_SETTING_VIEW),                                                          \
    {NETDP_I_KEYED, 0, "protects", &(o).protects, "node|row",                                      \
     "gossip: all that a node holds, or one row of it (with --cycle always); noise is in units of " \
     "what that can change",                                                                       \
     "privacy.protects"},                                                                          \
    {NETDP_I_KEYED, 0, "change", &(o).change, "replace|add-remove",                                \
     "rows: another row in its place, or it counts or does not",                                   \
     "privacy.change"},                                                                            \
    {NETDP_I_KEYED, 0, "batches", &(o).batches, "full|cyclic:B|poisson:Q",                         \
     "learning: which rows take part in a phase: all; by turns, as --cycle B; each with "          \
     "probability Q, anew (--change add-remove)",                                                  \
     "data.batches"},                                                                              \
    {NETDP_I_TEXT, 0, "rows", &(o).rows, "N,N,...|FILE",                                           \
     "rows that each node holds, which is public: a row of a larger node weighs less; FILE: one "  \
     "number a line",                                                                              \
     "alike"},                                                                                     \
    NETDP_I_ONLY_FOR(0),                                                                           \
    {NETDP_I_GROUP, 0, "Who learns about whom:", NULL, NULL, NULL, NULL},                          \
    {NETDP_I_TEXT, 0, "from", &(o).from, "all|U|U,U", "the nodes whose privacy is asked for",      \
     "all"},                                                                                       \
    {NETDP_I_TEXT, 0, "to", &(o).to, "all|V|set:V,W",                                              \
     "the observers; set: a coalition that pools its views", "all"},                               \
    NETDP_I_ONLY_FOR(NETDP_SETTING_VIEW),                                                          \
    {NETDP_I_KEYED, 0, "sees", &(o).sees, "neighbours|sum|everything",                              \
     "what an observer sees: its neighbours' messages; only their (secure) sum; all messages",     \
     "privacy.sees"},                                                                                \
    {NETDP_I_KEYED, 0, "own-noise", &(o).own_noise, "known|counts",                                 \
     "whether observers subtract the noise they drew themselves", "privacy.own_noise"},                        \
    NETDP_I_ONLY_FOR(0),                                                                           \
    {NETDP_I_TEXT, 0, "bound", &(o).bound, "NAME|list",                                            \
     "which accountant; list shows them with source and soundness; auto: the least sound one",     \
     "auto"},                                                                                      \
    NETDP_I_ONLY_FOR(NETDP_SETTING_VIEW),                                                          \
    {NETDP_I_TEXT, 0, "certify", &(o).certify, "auto|yes",                                         \
     "gossip: what a proof may take: minutes, or whatever it takes; else all messages count as seen", "auto"}, \
    NETDP_I_ONLY_FOR(NETDP_I_SELDOM),                                                              \
    NETDP_I_ENGINE_OPTION((o).engine)
/* clang-format on */

typedef struct netdp_i_describing netdp_i_describing;

/* One protocol of three kinds; it refers to itself: do not copy or move it. */
typedef struct netdp_i_description {
    netdp_graph *graph;
    const netdp_protocol *named;
    const netdp_i_describing *kind;
    const netdp_i_engine *engine; /* NULL: this process alone */
    int32_t *from, *to;
    netdp_loss_request request; /* of gossip; of the others bound, from and to */
    /* gossip */
    netdp_mixing *mixing;
    double *share;         /* Delta_u / Delta of rows; NULL: 1 each */
    double *quiet;         /* the factor of noise correlated over phases; NULL: it is fresh */
    netdp_graph *pairs;    /* who shares noise that cancels; NULL: nobody */
    netdp_linear protocol; /* rounds 1 where rounds_auto: they depend on the noise */
    bool rounds_auto;
    bool over_draws; /* of a changing network: the account is not of one draw */
    double *pattern;
    /* a walk */
    netdp_transition *law;
    netdp_token token;
    netdp_route *route; /* of the token, where its path is public */
    netdp_walk_request walk;
    netdp_gamma gamma; /* theta 0: the law is public */
    /* a tally */
    netdp_tally tally;
    netdp_tally_request counting;
} netdp_i_description;

/* What gossip, walks and tallies each do in their own way (describe_*.c). */
struct netdp_i_describing {
    const char *rounds; /* what --rounds counts */
    /* The usual --as. */
    const char *(*unit)(const netdp_i_description_options *options, const netdp_protocol *named);
    /* Fills its part of the description, whose graph, kind and bound are there. */
    netdp_status (*read)(const netdp_i_description_options *options, netdp_settings *settings,
                         netdp_i_description *made, netdp_error *error);
    netdp_status (*account)(netdp_i_description *description, double noise, netdp_unit unit,
                            netdp_i_batch_sink sink, void *context, const netdp_progress *progress,
                            netdp_error *error);
    /* The description becomes the calibrated one. */
    netdp_status (*calibrate)(netdp_i_description *description, const netdp_target *target,
                              const netdp_progress *progress, netdp_calibration *calibration,
                              netdp_losses **losses, netdp_error *error);
    const char *(*mixing)(const netdp_i_description *description);
    json_t *(*protocol)(const netdp_i_description *description);
    netdp_status (*words)(const netdp_i_description *description, double noise, char **text,
                          netdp_error *error);
    /* The account of one pair that was asked last, to be composed; NULL: as its value says. */
    netdp_status (*events)(const netdp_i_description *description, netdp_events **events,
                           netdp_error *error);
};

extern const netdp_i_describing netdp_i_describing_gossip, netdp_i_describing_walk,
    netdp_i_describing_tally;

/* Does the protocol that the options name answer at random, in place of adding noise? */
bool netdp_i_describe_flips(const netdp_i_description_options *options);

/* The usual --as of the protocol that the options name. */
const char *netdp_i_describe_unit(const netdp_i_description_options *options);

/* The page shows what the named protocol takes; without a name what all take, and the protocols. */
netdp_i_narrowing netdp_i_describe_narrowing(const netdp_i_description_options *options);

netdp_status netdp_i_describe(const netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error);
void netdp_i_description_clear(netdp_i_description *description);

/*
 * The account of what is described, at this noise and unit where it is a walk, into the sink:
 * gossip batch by batch as it is computed, tokens when it is done.
 */
netdp_status netdp_i_describe_losses(netdp_i_description *description, double noise,
                                     netdp_unit unit, netdp_i_batch_sink sink, void *context,
                                     const netdp_progress *progress, netdp_error *error);

netdp_status netdp_i_describe_calibrate(netdp_i_description *description,
                                        const netdp_target *target, const netdp_progress *progress,
                                        netdp_calibration *calibration, netdp_losses **losses,
                                        netdp_error *error);

/* "bound list": the table on standard output. */
void netdp_i_describe_bounds(void);

/*
 * {"netdp", "graph" {"origin", "nodes", "edges", "mixing"}, "protocol" {"name", "rounds", "dither",
 * of a changing network "varying" {"kind", "seed", ..}}, "threat", "noise", what `run` has, and the
 * guarantee}; takes over `noise` and `run` (NULL: nothing).
 */
json_t *netdp_i_describe_json(const netdp_i_description *description,
                              const netdp_guarantee *guarantee, json_t *noise, json_t *run);

/* The protocol at its noise, who sees what, adjacency and release, as lines of text. */
netdp_status netdp_i_describe_print(const netdp_i_description *description, double noise,
                                    netdp_error *error);

/* By which bound, and whether it holds: the last line of every table. */
/* Where a mean is looked at, of a path that all know: is the worst pair far above it? */
void netdp_i_describe_worst(const netdp_losses *losses, const netdp_summary *summary);

netdp_status netdp_i_describe_verdict(const netdp_losses *losses, netdp_error *error);

/* How the account would be made and what it would take, on standard output. */
netdp_status netdp_i_explain(const netdp_i_description *description, bool json, netdp_error *error);

/* The index-th observer of the losses: a node, or the list of a coalition's members. */
json_t *netdp_i_describe_observer(const netdp_losses *losses, int32_t index);

/* Who shares noise in pairs, into the settings; the description keeps the graph. */
netdp_status netdp_i_read_pairing(const netdp_i_description_options *options,
                                  netdp_settings *settings, netdp_i_description *made,
                                  netdp_error *error);

/* Of pairs, where there are any: "pairs" of the protocol's object. */
void netdp_i_show_pairing(const netdp_pairing *pairing, json_t *object);

#endif
