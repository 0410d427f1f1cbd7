#include <netdp/protocol.h>

#include <string.h>

#include "base/fail.h"

static const netdp_protocol named[] = {
    {"averaging", "paper C, Algorithm 1",
     "every node noises its value once and gossip averages the values; each later message carries "
     "a dither"},
};

netdp_status netdp_protocol_find(const char *name, const netdp_protocol **protocol,
                                 netdp_error *error)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (strcmp(named[i].name, name) == 0) {
            *protocol = &named[i];
            return NETDP_OK;
        }
    }
    return netdp_i_fail(error, NETDP_INVALID, "protocol: '%.40s' is not known here; use averaging",
                        name);
}
