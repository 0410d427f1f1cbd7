#include "cli/common/command.h"

#include "base/fail.h"

#ifdef NETDP_PEER

static netdp_status take_part(const char *folder, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s: peers only read their frames so far", folder);
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
        .what = "Takes part in the study whose folder of this participant is DIR, beside the data "
                "that stay here.",
        .least = 1,
        .most = 1,
        .options = table,
    };
    netdp_i_arguments arguments = {0};
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status == NETDP_OK && !arguments.help)
        status = take_part(arguments.text[0], error);
    netdp_i_arguments_free(&arguments);
    return status;
}
