/*
 * One participant, from its folder to its result: links, the exchange of pair keys, the ledger, the
 * rounds, and the reason of every wait.
 */
#ifndef NETDP_I_PARTICIPANT_H
#define NETDP_I_PARTICIPANT_H

#include <stdbool.h>
#include <stdio.h>
#include <netdp/status.h>

/*
 * Takes part until the result is in the folder and the neighbours have theirs, or until patience or
 * linger run out. `log` gets a line for whatever happens, nothing private in it. NETDP_INTERRUPTED: a
 * signal; NETDP_ENVIRONMENT: nothing moved for too long. Called again it goes on.
 */
netdp_status netdp_i_participate(const char *folder, FILE *log, netdp_error *error);

/*
 * Would a start refuse what the folder holds? The same checks, without a byte written: not beside a running peer, whose
 * folder changes. *read: package, settings and data are as they should be, and the rest was looked at.
 */
netdp_status netdp_i_participant_look(const char *folder, bool *read, netdp_error *error);

#endif
