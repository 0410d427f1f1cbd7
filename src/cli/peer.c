#include "cli/common/command.h"

#include "base/try.h"

#ifdef NETDP_PEER

#include "peer/participant/participant.h"

static netdp_status take_part(const char *folder, netdp_error *error)
{
    return netdp_i_participate(folder, stderr, error);
}

#else

static netdp_status take_part(const char *folder, netdp_error *error)
{
    (void)folder;
    return netdp_i_cli_without_peer(error);
}

#endif

netdp_status netdp_i_command_peer(int argc, const char **argv, netdp_error *error)
{
    const netdp_i_option table[] = {
        {0},
    };
    const netdp_i_usage usage = {
        .command = "peer",
        .arguments = "DIR",
        .what = "Takes part in a study that runs on several machines. DIR is this participant's "
                "folder: what was agreed on (package/), its key, peer.json, and the ledger of what "
                "it has spent and sent. The data stay here; noised messages go to the neighbours "
                "of the roster, over TLS. The result is DIR/result.json. Whatever happens is a "
                "line on standard error. Stopped, killed or cut off, it goes on when it is "
                "started again.",
        .least = 1,
        .most = 1,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return take_part(arguments.text[0], error);
}
