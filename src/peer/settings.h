/*
 * What one participant keeps to itself: the folder that netdp peer is given. Nothing of it is agreed
 * on with others.
 *
 *   package/      the study package (package.h)
 *   key           the signing key (keys.h)
 *   peer.json     where it listens, whom it dials and where they are, where its data are
 *   ledger.db     what it has spent and sent
 *   result.json   at the end
 */
#ifndef NETDP_I_SETTINGS_H
#define NETDP_I_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>
#include <netdp/status.h>

#include "peer/package.h"

/* Where its rows are, if nobody says. */
#define NETDP_I_SETTINGS_DATA "data.csv"

enum { NETDP_I_SETTINGS_PATIENCE = 3600, NETDP_I_SETTINGS_LINGER = 60 };

/* peer.json; every key is optional but one of `data` and `test`. */
typedef struct netdp_i_settings {
    char *
        package; /* "package": the name of the package that was agreed on, in hexadecimal; NULL: any */
    char *listen; /* "listen": "HOST:PORT"; NULL: it only dials */
    char *
        announced; /* "announced": where it joined to be reached; another `listen` is its owner's. NULL: nowhere */
    char **address; /* "dial": {"NAME": "HOST:PORT"}: [members], NULL where it does not dial */
    int32_t members;
    char *data; /* "data": a CSV file with this participant's rows, from the folder; NULL: none */
    char **
        program; /* "step": ["COMMAND", ...]: gives the gradients of a model of one's own, started in the
                       folder; ends with NULL. NULL: none */
    char *metrics; /* "metrics": "HOST:PORT", or a file from the folder; NULL: none */
    char *
        transcript; /* "transcript": a file that every vector is added to as it leaves; NULL: none */
    int64_t patience; /* "patience": seconds without progress, then it gives up; 3600 */
    int64_t linger;   /* "linger": seconds that it helps others to their end; 60 */
    int64_t
        slot; /* "slot": ms; vectors leave at its multiples of the clock alone; 0: when ready. Not given:
                     contributions alone do, at multiples of 100; in test mode 0. Below 0: not written */
    bool slot_of_all; /* it was given */
    int64_t answer;   /* "answer": ms that the program of `step` has for a phase; 0: 1000 */
    bool answer_given;
    int64_t attempt; /* "attempt": which of those that the package allows; 0, the first */
    bool test;       /* "test": {"seed": N, "repeat": N}: seeded noise and bundled synthetic data */
    uint64_t seed, repeat;
} netdp_i_settings;

/* Of the folder; names are the package's. NETDP_INVALID in one line. */
netdp_status netdp_i_settings_read(const char *folder, const netdp_i_package *package,
                                   netdp_i_settings *settings, netdp_error *error);
/* What the owner set for an earlier package, to go on with: all but the package, whom it dialled, test mode and the
 * attempt. Nothing but defaults where there is no peer.json yet. */
netdp_status netdp_i_settings_read_kept(const char *folder, const netdp_i_package *package,
                                        netdp_i_settings *settings, netdp_error *error);
netdp_status netdp_i_settings_write(const char *folder, const netdp_i_package *package,
                                    const netdp_i_settings *settings, netdp_error *error);
void netdp_i_settings_clear(netdp_i_settings *settings);

#endif
