/*
 * GRAPH MIXING PROTOCOL and who sees what: the options that `loss` and `calibrate` share.
 */
#ifndef NETDP_I_DESCRIBE_H
#define NETDP_I_DESCRIBE_H

#include <netdp/account.h>

#include "cli/command.h"

typedef struct netdp_i_description_options {
    netdp_i_network_options network;
    const char *protocol, *rounds, *sees, *own_noise, *from, *to, *bound, *pattern;
    double variance;
    netdp_settings settings; /* but for the rounds */
} netdp_i_description_options;

#define NETDP_I_DESCRIPTION_USUAL                                                                  \
    {                                                                                              \
        .network = NETDP_I_NETWORK_USUAL, .protocol = "averaging", .sees = "neighbours",           \
        .own_noise = "known", .from = "all", .to = "all", .bound = "auto", .variance = 0.25,       \
        .settings = NETDP_SETTINGS_USUAL                                                           \
    }

/* clang-format off */
#define NETDP_I_DESCRIPTION_OPTIONS(o)                                                             \
    NETDP_I_GRAPH_OPTIONS((o).network),                                                            \
    NETDP_I_MIXING_OPTIONS((o).network),                                                           \
    {NETDP_I_GROUP, 0, "The protocol:", NULL, NULL, NULL, NULL},                                   \
    {NETDP_I_TEXT, 0, "protocol", &(o).protocol, "NAME",                                           \
     "averaging, stream, gossip-sgd or muffliato-sgd", "averaging"},                               \
    {NETDP_I_TEXT, 0, "rounds", &(o).rounds, "T|auto",                                             \
     "gossip rounds in all; auto (averaging): ceil(gap^-1/2 ln(n max(1, V/noise^2)))",             \
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
    netdp_mixing *mixing;
    netdp_linear protocol; /* rounds 1 where rounds_auto: they depend on the noise */
    const netdp_protocol *named;
    bool rounds_auto;
    int32_t *from, *to;
    double *pattern;
    netdp_loss_request request; /* refers to this struct: do not copy or move it */
} netdp_i_description;

netdp_status netdp_i_describe(const netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error);
void netdp_i_description_clear(netdp_i_description *description);

/* "bound list": the table on standard output. */
void netdp_i_describe_bounds(void);

/* {"origin", "nodes", "edges", "mixing"} and {"name", "rounds", "dither"}. */
json_t *netdp_i_describe_graph(const netdp_i_description *description);
json_t *netdp_i_describe_protocol(const netdp_i_description *description);

/* The index-th observer of the losses: a node, or the list of a coalition's members. */
json_t *netdp_i_describe_observer(const netdp_losses *losses, int32_t index);

#endif
