#include "protocol/threat.h"

#include <netdp/privacy.h>

static json_t *list_observers(const int32_t *to, int32_t count)
{
    json_t *observers = to == NULL ? json_string("all") : json_array();
    for (int32_t i = 0; to != NULL && i < count; i++)
        json_array_append_new(observers, json_integer(to[i]));
    return observers;
}

netdp_threat netdp_i_threat_gossip(netdp_sees sees, netdp_own_noise own_noise, bool row)
{
    const netdp_protection unit = {.protects = row ? NETDP_PROTECTS_ROW : NETDP_PROTECTS_NODE};
    return (netdp_threat){.protects = netdp_protection_words(&unit),
                          .sees = netdp_sees_name(sees),
                          .own_noise = netdp_own_noise_name(own_noise),
                          .released = NETDP_I_RELEASED,
                          .assumes = NETDP_I_ASSUMES};
}

netdp_threat netdp_i_threat_token(bool release)
{
    return (netdp_threat){.protects = netdp_protection_words(&(netdp_protection){0}),
                          .sees = NETDP_I_WALK_SEES,
                          .own_noise = netdp_own_noise_name(NETDP_OWN_NOISE_KNOWN),
                          .released = release ? "the final model, to all" : NETDP_I_RELEASED,
                          .assumes = NETDP_I_ASSUMES};
}

json_t *netdp_i_threat_json(const netdp_threat *threat, const int32_t *to, int32_t count)
{
    return json_pack("{s:o, s:s, s:s, s:s, s:s}", "to", list_observers(to, count), "sees",
                     threat->sees, "own_noise", threat->own_noise, "adjacency", threat->protects,
                     "released", threat->released);
}

const char *netdp_i_threat_words(netdp_sees sees)
{
    static const char *const words[] = {
        [NETDP_SEES_NEIGHBOURS] = "each node sees its own messages and those of its neighbours",
        [NETDP_SEES_SUM] =
            "each node sees its own messages and the last sum it receives (secure sums)",
        [NETDP_SEES_EVERYTHING] = "each node sees every message of every node",
    };
    return words[sees];
}

const char *netdp_i_threat_varying(netdp_vary kind)
{
    static const char *const words[] = {
        [NETDP_VARY_EDGE] = "one edge a round",
        [NETDP_VARY_NODES] = "nodes away",
        [NETDP_VARY_EDGES] = "edges missing",
        [NETDP_VARY_GRAPH] = "graph drawn again",
        [NETDP_VARY_PEER] = "one neighbour a round, in turn",
        [NETDP_VARY_LATE] = "nodes that fail after their partners have added their halves",
    };
    return words[kind];
}
