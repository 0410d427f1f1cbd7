/* netdp recheck of a participant's ledger. */
#ifndef NETDP_I_CLI_RECHECK_H
#define NETDP_I_CLI_RECHECK_H

#include <stdbool.h>
#include <netdp/status.h>

#include "base/file.h"

/* The ledger of a participant's folder, or the file itself. */
void netdp_i_ledger_of(const char *given, char path[NETDP_I_PATH_ROOM]);

/* A folder with a ledger in it, or a ledger. */
bool netdp_i_recheck_is_ledger(const char *given);

/* `package`: a folder of a study's package beside the participant's own, or NULL. */
netdp_status netdp_i_recheck_ledger(const char *given, const char *package, bool json,
                                    netdp_error *error);

#endif
