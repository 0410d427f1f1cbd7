/* The table of named protocols, and what each makes of its settings. */
#include <netdp/protocol.h>

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/try.h"
#include "protocol/noise.h"

static void averaging(const netdp_settings *settings, netdp_linear *protocol)
{
    protocol->accelerate = settings->accelerate;
}

static void random_averaging(const netdp_settings *settings, netdp_linear *protocol)
{
    (void)settings;
    protocol->varying.kind = NETDP_VARY_EDGE;
}

static void stream(const netdp_settings *settings, netdp_linear *protocol)
{
    protocol->every = settings->every;
    protocol->at_most = settings->at_most;
    protocol->steady = true;
}

static void gossip_sgd(const netdp_settings *settings, netdp_linear *protocol)
{
    (void)settings;
    protocol->every = 1;
    protocol->steady = true;
    protocol->reacts = true;
}

static void async_gossip_sgd(const netdp_settings *settings, netdp_linear *protocol)
{
    gossip_sgd(settings, protocol);
    protocol->varying.kind = NETDP_VARY_EDGE;
    protocol->senders_only = true;
}

static void muffliato_sgd(const netdp_settings *settings, netdp_linear *protocol)
{
    protocol->every = settings->inner;
    protocol->accelerate = settings->accelerate;
    protocol->reacts = true;
}

static const netdp_protocol named[] = {
    {"averaging", NETDP_GOSSIP, "paper C, Algorithm 1",
     "every node noises its value once and gossip averages the values; each later message carries "
     "a dither",
     NETDP_SETTING_VIEW | NETDP_SETTING_DITHER | NETDP_SETTING_DITHER_DECAY |
         NETDP_SETTING_ROUNDS_AUTO | NETDP_SETTING_ACCELERATE | NETDP_SETTING_VARYING |
         NETDP_SETTING_PAIRS,
     averaging},
    {"random-averaging", NETDP_GOSSIP, "paper C, Algorithm 2",
     "the same, but each round one random edge: its two ends take the mean of their dithered "
     "values",
     NETDP_SETTING_VIEW | NETDP_SETTING_DITHER | NETDP_SETTING_DITHER_DECAY |
         NETDP_SETTING_ROUNDS_AUTO,
     random_averaging},
    {"stream", NETDP_GOSSIP, "paper D, eq. (3.1)",
     "every node adds a new noised value every round, or every b-th, or at most k times",
     NETDP_SETTING_VIEW | NETDP_SETTING_EVERY | NETDP_SETTING_AT_MOST | NETDP_SETTING_VARYING |
         NETDP_SETTING_PAIRS,
     stream},
    {"gossip-sgd", NETDP_GOSSIP, "paper D, eq. (5.1)",
     "a noised gradient step and one gossip round, in turn",
     NETDP_SETTING_VIEW | NETDP_SETTING_VARYING | NETDP_SETTING_PAIRS | NETDP_SETTING_QUIET,
     gossip_sgd},
    {"async-gossip-sgd", NETDP_GOSSIP, "paper B, Section V",
     "each round one random edge: its two ends take a noised gradient step and then the mean of "
     "their models",
     NETDP_SETTING_VIEW, async_gossip_sgd},
    {"muffliato-sgd", NETDP_GOSSIP, "paper C, Algorithm 3",
     "a noised gradient step, then several dithered gossip rounds and an end dither, in turn",
     NETDP_SETTING_VIEW | NETDP_SETTING_DITHER | NETDP_SETTING_INNER | NETDP_SETTING_END_DITHER |
         NETDP_SETTING_ACCELERATE | NETDP_SETTING_VARYING | NETDP_SETTING_PAIRS |
         NETDP_SETTING_QUIET,
     muffliato_sgd},
    {"walk", NETDP_WALK, "paper A, Algorithm 1; paper E, Algorithm 4",
     "a token holds the model; the node that has it takes a noised gradient step and sends it to a "
     "random neighbour",
     NETDP_SETTING_TOKEN, NULL},
    {"weighted-walk", NETDP_WALK, "paper B, Algorithms 2 and 3",
     "a walk that prefers some nodes, whose gradients are weighted so that the mean stays what is "
     "learnt",
     NETDP_SETTING_TOKEN | NETDP_SETTING_WEIGHTED, NULL},
    {"ring-sum", NETDP_TALLY, "paper E, Algorithm 1 and Remark 1",
     "a token goes round the ring and takes up every node's value, and noise now and then",
     NETDP_SETTING_RING | NETDP_SETTING_SUM | NETDP_SETTING_PAIRS, NULL},
    {"ring-histogram", NETDP_TALLY, "paper E, Algorithm 2",
     "a token goes round the ring and counts randomised responses",
     NETDP_SETTING_RING | NETDP_SETTING_HISTOGRAM, NULL},
    {"complete-sum", NETDP_TALLY, "paper E, Algorithm 3",
     "a token goes to uniform nodes and takes up a noised value of each",
     NETDP_SETTING_COMPLETE | NETDP_SETTING_SUM, NULL},
    {"complete-histogram", NETDP_TALLY, "paper E, Algorithm 5",
     "a token goes to uniform nodes and counts randomised responses",
     NETDP_SETTING_COMPLETE | NETDP_SETTING_HISTOGRAM, NULL},
    {NULL, NETDP_GOSSIP, NULL, NULL, 0, NULL},
};

const netdp_protocol *netdp_protocols(void)
{
    return named;
}

netdp_status netdp_protocol_find(const char *name, const netdp_protocol **protocol,
                                 netdp_error *error)
{
    NETDP_I_GIVEN(error, name && protocol);
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; named[i].name != NULL; i++) {
        if (strcmp(named[i].name, name) == 0) {
            *protocol = &named[i];
            return NETDP_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ",
                                     named[i].name);
    }
    return netdp_i_fail(error, NETDP_INVALID, "protocol: '%.40s' is not one of %s", name, known);
}

netdp_linear netdp_protocol_describe(const netdp_protocol *protocol, const netdp_mixing *mixing,
                                     const netdp_settings *settings)
{
    netdp_linear described = {.mixing = mixing,
                              .rounds = settings->rounds,
                              .noise = netdp_i_noise_of(&settings->noise, protocol->settings),
                              .varying = settings->varying};
    if (protocol->settings & NETDP_SETTING_QUIET) {
        described.quiet = settings->quiet;
        described.cycle = settings->cycle;
    }
    protocol->describe(settings, &described);
    return described;
}

netdp_token netdp_protocol_describe_token(const netdp_protocol *protocol,
                                          const netdp_transition *law,
                                          const netdp_settings *settings)
{
    return (netdp_token){.law = law,
                         .steps = settings->rounds,
                         .burn_in = settings->burn_in,
                         .start = settings->start,
                         .cap = settings->cap,
                         .contraction = settings->contraction,
                         .tokens = settings->tokens,
                         .release = settings->release,
                         .weighted = (protocol->settings & NETDP_SETTING_WEIGHTED) != 0};
}

/* Are u and the node after it neighbours, all around, and nobody else? */
static bool is_ring(const netdp_graph *graph)
{
    const int32_t nodes = netdp_graph_nodes(graph);
    for (int32_t u = 0; u < nodes; u++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, u);
        const int32_t degree = netdp_graph_degree(graph, u), next = (u + 1) % nodes;
        if (degree > 2 || degree < 1 || (neighbour[0] != next && neighbour[degree - 1] != next))
            return false;
    }
    return true;
}

netdp_status netdp_protocol_describe_tally(const netdp_protocol *protocol, const netdp_graph *graph,
                                           const netdp_settings *settings, netdp_tally *tally,
                                           netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && graph && settings && tally);
    const bool ring = (protocol->settings & NETDP_SETTING_RING) != 0;
    const bool sum = (protocol->settings & NETDP_SETTING_SUM) != 0;
    const int64_t nodes = netdp_graph_nodes(graph);
    TRY(netdp_i_check_choice("mechanism", (int64_t)settings->mechanism, NETDP_APPROXIMATE, error));
    TRY(netdp_i_check_choice("schedule", (int64_t)settings->schedule, NETDP_TALLY_SPREAD, error));
    if (ring && !is_ring(graph))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: needs the ring of nodes 0, 1, 2, ...; give the family ring N",
                            protocol->name);
    if (!ring && netdp_graph_edges(graph) != nodes * (nodes - 1) / 2)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: needs the complete graph; give the family complete N",
                            protocol->name);
    *tally = (netdp_tally){
        .graph = ring ? NETDP_TALLY_RING : NETDP_TALLY_COMPLETE,
        .task = sum ? NETDP_TALLY_SUM : NETDP_TALLY_HISTOGRAM,
        .nodes = (int32_t)nodes,
        .passes = ring ? settings->rounds : 0,
        .steps = ring ? 0 : settings->rounds,
        .cap = settings->cap,
        .release = settings->release,
        .hidden = settings->hidden,
        .mechanism = sum ? settings->mechanism : NETDP_RANDOMISED_RESPONSE,
        .schedule = sum && ring ? settings->schedule : NETDP_TALLY_EVERY,
        .low = 0,
        .high = 1,
        .grid = settings->grid,
        .pairing = netdp_i_noise_of(&settings->noise, protocol->settings).pairing,
        .levels = settings->levels,
        .flip = settings->flip,
        .fill = NETDP_TALLY_USUAL,
    };
    return NETDP_OK;
}
