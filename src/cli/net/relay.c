/* netdp net relay: where peers meet that can only dial. */
#include "cli/common/command.h"

#ifdef NETDP_PEER

#include <signal.h>
#include <uv.h>

#include "base/fail.h"
#include "base/try.h"
#include "cli/net/net.h"
#include "peer/link/relay.h"

typedef struct running {
    netdp_i_relay *relay;
    uv_signal_t interrupt, terminate;
} running;

static void on_signal(uv_signal_t *handle, int number)
{
    running *r = handle->data;
    (void)number;
    netdp_i_relay_close(r->relay);
    uv_close((uv_handle_t *)&r->interrupt, NULL);
    uv_close((uv_handle_t *)&r->terminate, NULL);
}

static netdp_status serve(const netdp_i_relay_plan *asked, netdp_error *error)
{
    uv_loop_t loop;
    running r = {0};
    netdp_i_relay_plan plan = *asked;
    if (uv_loop_init(&loop) != 0)
        return netdp_i_no_memory(error);
    plan.loop = &loop;
    plan.log = stderr;
    (void)signal(SIGPIPE, SIG_IGN);
    netdp_status status = netdp_i_relay_new(&plan, &r.relay, error);
    if (status == NETDP_OK) {
        uv_signal_init(&loop, &r.interrupt);
        uv_signal_init(&loop, &r.terminate);
        r.interrupt.data = r.terminate.data = &r;
        uv_signal_start(&r.interrupt, on_signal, SIGINT);
        uv_signal_start(&r.terminate, on_signal, SIGTERM);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return status;
}

netdp_status netdp_i_net_relay(int argc, const char **argv, netdp_error *error)
{
    netdp_i_relay_plan plan = {.connections = 512, .idle = 3600};
    const netdp_i_option options[] = {
        OPTION(COUNT, "connections", &plan.connections, "N",
               "at once; of those who wait for their neighbour the oldest goes when another comes",
               "512"),
        OPTION(COUNT, "bytes", &plan.bytes, "N", "of one link, until it is cut and made anew",
               "any number"),
        OPTION(COUNT, "idle", &plan.idle, "SECONDS", "a link without a byte is cut after them",
               "3600"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "net relay",
        .arguments = "HOST:PORT",
        .what = "Passes bytes between peers that can both only dial, until it is stopped. They are "
                "TLS between\nthe two: the relay holds no key and needs no folder; it sees who "
                "meets, when, and how much.\nPeers find it as \"relay:HOST:PORT\" (netdp net init "
                "--relay, or dial in peer.json).",
        .examples = "  netdp net relay 0.0.0.0:7399\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    REFUSE(plan.connections < 2 || plan.idle < 1,
           "--connections: at least 2; --idle: at least a second");
    plan.listen = arguments.text[0];
    return serve(&plan, error);
}

#endif
