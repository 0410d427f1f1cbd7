#include <netdp/protocol.h>

#include <stdio.h>
#include <string.h>

#include "base/fail.h"

static void averaging(const netdp_settings *settings, netdp_linear *protocol)
{
    protocol->dither = settings->dither;
    protocol->accelerate = settings->accelerate;
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

static void muffliato_sgd(const netdp_settings *settings, netdp_linear *protocol)
{
    protocol->every = settings->inner;
    protocol->dither = settings->dither;
    protocol->end_dither = settings->end_dither;
    protocol->accelerate = settings->accelerate;
    protocol->reacts = true;
}

static const netdp_protocol named[] = {
    {"averaging", "paper C, Algorithm 1",
     "every node noises its value once and gossip averages the values; each later message carries "
     "a dither",
     NETDP_SETTING_VIEW | NETDP_SETTING_DITHER | NETDP_SETTING_ROUNDS_AUTO |
         NETDP_SETTING_ACCELERATE,
     averaging},
    {"stream", "paper D, eq. (3.1)",
     "every node adds a new noised value every round, or every b-th, or at most k times",
     NETDP_SETTING_VIEW | NETDP_SETTING_EVERY | NETDP_SETTING_AT_MOST, stream},
    {"gossip-sgd", "paper D, eq. (5.1)", "a noised gradient step and one gossip round, in turn",
     NETDP_SETTING_VIEW, gossip_sgd},
    {"muffliato-sgd", "paper C, Algorithm 3",
     "a noised gradient step, then several dithered gossip rounds and an end dither, in turn",
     NETDP_SETTING_VIEW | NETDP_SETTING_DITHER | NETDP_SETTING_INNER | NETDP_SETTING_END_DITHER |
         NETDP_SETTING_ACCELERATE,
     muffliato_sgd},
    {"walk", "paper A, Algorithm 1; paper E, Algorithm 4",
     "a token holds the model; the node that has it takes a noised gradient step and sends it to a "
     "random neighbour",
     NETDP_SETTING_TOKEN, NULL},
};

enum { NAMED = sizeof named / sizeof *named };

netdp_status netdp_protocol_find(const char *name, const netdp_protocol **protocol,
                                 netdp_error *error)
{
    char known[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < NAMED; i++) {
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
    netdp_linear described = {.mixing = mixing, .rounds = settings->rounds};
    protocol->describe(settings, &described);
    return described;
}

netdp_token netdp_protocol_describe_token(const netdp_transition *law,
                                          const netdp_settings *settings)
{
    return (netdp_token){.law = law,
                         .steps = settings->rounds,
                         .burn_in = settings->burn_in,
                         .start = settings->start,
                         .cap = settings->cap,
                         .tokens = settings->tokens,
                         .release = settings->release};
}
