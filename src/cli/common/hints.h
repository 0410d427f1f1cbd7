/* What people try that is spelt otherwise here: tables, so that a new one is a line. */
#ifndef NETDP_I_HINTS_H
#define NETDP_I_HINTS_H

#include "cli/common/command.h"

/* What to do in place of --NAME, which `command` ("graph info") has not; NULL: nobody knows. */
const char *netdp_i_hint_option(const char *command, const char *name);

/*
 * The error for an argument that the command does not take: of `--family ring 60` that the family
 * wants quotes, of `davis` that it is a family, of a file that it is a graph.
 */
netdp_status netdp_i_hint_stray(const netdp_i_usage *usage, const netdp_i_arguments *arguments,
                                const char *stray, netdp_error *error);

#endif
