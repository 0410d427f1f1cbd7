/*
 * GRAPH MIXING PROTOCOL and who sees what: the options that `loss` and `calibrate` share.
 */
#ifndef NETDP_I_DESCRIBE_H
#define NETDP_I_DESCRIBE_H

#include <netdp/walk.h>

#include "cli/command.h"

typedef struct netdp_i_description_options {
    netdp_i_network_options network;
    const char *protocol, *rounds, *sees, *own_noise, *from, *to, *bound, *pattern;
    const char *start, *release;
    int64_t tokens;
    double variance;
    netdp_settings settings; /* but for the rounds */
} netdp_i_description_options;

#define NETDP_I_DESCRIPTION_USUAL                                                                  \
    {                                                                                              \
        .network = NETDP_I_NETWORK_USUAL, .protocol = "averaging", .sees = "neighbours",           \
        .own_noise = "known", .from = "all", .to = "all", .bound = "auto", .variance = 0.25,       \
        .start = "uniform", .tokens = 1, .settings = NETDP_SETTINGS_USUAL                          \
    }

/* clang-format off */
#define NETDP_I_DESCRIPTION_OPTIONS(o)                                                             \
    NETDP_I_GRAPH_OPTIONS((o).network),                                                            \
    NETDP_I_MIXING_OPTIONS((o).network),                                                           \
    {NETDP_I_GROUP, 0, "The protocol:", NULL, NULL, NULL, NULL},                                   \
    {NETDP_I_TEXT, 0, "protocol", &(o).protocol, "NAME",                                           \
     "averaging, stream, gossip-sgd, muffliato-sgd or walk", "averaging"},                         \
    {NETDP_I_TEXT, 0, "rounds", &(o).rounds, "T|auto",                                             \
     "gossip rounds in all, or a walk's steps; auto (averaging): ceil(gap^-1/2 ln(n max(1, V/noise^2)))",             \
     "required"},                                                                                  \
    {NETDP_I_NUMBER, 0, "dither", &(o).settings.dither, "TAU",                                     \
     "fresh noise on each later message, in units of the first noise; 0 leaves no certain "        \
     "guarantee", "0.01"},                                                                         \
    {NETDP_I_NUMBER, 0, "variance", &(o).variance, "V",                                            \
     "variance of the values in units of Delta^2, for --rounds auto", "0.25"},                     \
    {NETDP_I_COUNT, 0, "every", &(o).settings.every, "B",                                          \
     "stream: rounds from one contribution to the next", "1"},                                     \
    {NETDP_I_COUNT, 0, "at-most", &(o).settings.at_most, "K",                                      \
     "stream: contributions that one node makes at most", "none"},                                 \
    {NETDP_I_COUNT, 0, "inner", &(o).settings.inner, "K",                                          \
     "muffliato-sgd: gossip rounds of a phase", "1"},                                              \
    {NETDP_I_NUMBER, 0, "end-dither", &(o).settings.end_dither, "TAU_E",                           \
     "muffliato-sgd: noise on every state at the end of a phase, in units of the first noise",     \
     "0.1"},                                                                                       \
    {NETDP_I_SWITCH, 0, "accelerate", &(o).settings.accelerate, NULL,                              \
     "Chebyshev gossip (averaging, muffliato-sgd)", NULL},                                         \
    {NETDP_I_TEXT, 0, "start", &(o).start, "uniform|observer|NODE",                                \
     "walk: where the token starts; observer: at each observer in turn", "uniform"},               \
    {NETDP_I_COUNT, 0, "burn-in", &(o).settings.burn_in, "B",                                      \
     "walk: moves before the first step, without contribution or noise", "0"},                     \
    {NETDP_I_COUNT, 0, "cap", &(o).settings.cap, "N",                                              \
     "walk: contributions of one node at most; above it adds noise only", "none"},                 \
    {NETDP_I_COUNT, 0, "tokens", &(o).tokens, "M",                                                 \
     "walk: independent tokens, each with a model of its own", "1"},                               \
    {NETDP_I_TEXT, 0, "release", &(o).release, "final",                                            \
     "walk: everyone sees the final model", "none"},                                               \
    {NETDP_I_TEXT, 0, "pattern", &(o).pattern, "ones|alternating|cos:OMEGA|FILE",                  \
     "one pattern of contributions instead of the worst, with --bound lower or linear",            \
     "the worst"},                                                                                 \
    {NETDP_I_GROUP, 0, "Who learns about whom:", NULL, NULL, NULL, NULL},                          \
    {NETDP_I_TEXT, 0, "from", &(o).from, "all|U|U,U", "the nodes whose privacy is asked for",      \
     "all"},                                                                                       \
    {NETDP_I_TEXT, 0, "to", &(o).to, "all|V|set:V,W",                                              \
     "the observers; set: a coalition that pools its views", "all"},                               \
    {NETDP_I_TEXT, 0, "sees", &(o).sees, "neighbours|sum|everything",                              \
     "what an observer sees: its neighbours' messages; only their (secure) sum; all messages",     \
     "neighbours"},                                                                                \
    {NETDP_I_TEXT, 0, "own-noise", &(o).own_noise, "known|counts",                                 \
     "whether observers subtract the noise they drew themselves", "known"},                        \
    {NETDP_I_TEXT, 0, "bound", &(o).bound, "NAME|list",                                            \
     "which accountant; list shows them with source and soundness; auto: the least sound one",     \
     "auto"}
/* clang-format on */

typedef struct netdp_i_description {
    netdp_graph *graph;
    const netdp_protocol *named;
    int32_t *from, *to;
    /* gossip */
    netdp_mixing *mixing;  /* NULL: a walk */
    netdp_linear protocol; /* rounds 1 where rounds_auto: they depend on the noise */
    bool rounds_auto;
    double *pattern;
    netdp_loss_request request; /* refers to this struct: do not copy or move it */
    /* a walk */
    netdp_transition *law;
    netdp_token token;
    netdp_walk_request walk; /* refers to this struct too; noise and unit are the command's */
} netdp_i_description;

netdp_status netdp_i_describe(const netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error);
void netdp_i_description_clear(netdp_i_description *description);

/* The account of what is described, at this noise and unit where it is a walk. */
netdp_status netdp_i_describe_losses(netdp_i_description *description, double noise,
                                     netdp_unit unit, const netdp_progress *progress,
                                     netdp_losses **losses, netdp_error *error);

/* "bound list": the table on standard output. */
void netdp_i_describe_bounds(void);

/* {"origin", "nodes", "edges", "mixing"}, {"name", "rounds", "dither"}, and the threat model. */
json_t *netdp_i_describe_graph(const netdp_i_description *description);
json_t *netdp_i_describe_protocol(const netdp_i_description *description);
json_t *netdp_i_describe_threat(const netdp_i_description *description);

/* The protocol at its noise, who sees what, adjacency and release, as lines of text. */
void netdp_i_describe_print(const netdp_i_description *description, double noise);

/* The index-th observer of the losses: a node, or the list of a coalition's members. */
json_t *netdp_i_describe_observer(const netdp_losses *losses, int32_t index);

#endif
