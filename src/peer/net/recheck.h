/*
 * What a ledger says that studies cost, accounted for anew by this version: `netdp recheck`. What it says was computed by the
 * version that enrolled the study, which may have been a faulty one (docs/advisories).
 */
#ifndef NETDP_I_PEER_RECHECK_H
#define NETDP_I_PEER_RECHECK_H

#include "peer/ledger.h"

/* Towards one set of observers; of what was reserved, and of what the study may reserve at most. */
typedef struct netdp_i_recharged {
    char *who;                                         /* by the names in the ledger */
    double spent_then, spent_now, most_then, most_now; /* epsilon; INFINITY: nothing holds */
    double ratio; /* most_now over most_then; 1 where they are equal, be it 0 or infinite */
    bool below;   /* more than rounding above what the ledger says */
} netdp_i_recharged;

typedef struct netdp_i_reaccounted {
    char digest[NETDP_I_DIGEST_TEXT];
    char *title;
    int64_t reserved, contributions, contributions_now;
    double delta;         /* at which epsilon is */
    bool found;           /* its package is at hand; else nothing below is */
    const char *advisory; /* by which nothing that was printed holds; NULL: by none */
    int32_t count;
    netdp_i_recharged *
        towards; /* [count]: as the ledger's row lists them, then an eavesdropper, then all others */
} netdp_i_reaccounted;

typedef struct netdp_i_reaccounts {
    int32_t count;
    netdp_i_reaccounted *study; /* [count] */
} netdp_i_reaccounts;

/*
 * Every study of the ledger, which is verified on the way; packages are looked for in the folders [folders].
 * netdp_i_reaccounted_clear, also where it fails. NETDP_INVALID where a folder that was asked for has no package, or a row says
 * what no version wrote.
 */
netdp_status netdp_i_ledger_recheck(netdp_i_ledger *ledger, const char *const *folder,
                                    int32_t folders, netdp_i_reaccounts *made, netdp_error *error);
void netdp_i_reaccounted_clear(netdp_i_reaccounts *made);

#endif
