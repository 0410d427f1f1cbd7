/*
 * What a result folder is a record of, and whether it is whole: nothing is believed before it was
 * checked against the study, the graphs, the data and the program that it came from.
 */
#ifndef NETDP_I_RECORD_H
#define NETDP_I_RECORD_H

#include <stdbool.h>

#include "plan/problem.h"
#include "base/sealed.h"

/* Whose results a folder holds. */
typedef struct netdp_i_identity {
    char *study;      /* study.yaml, every default filled in; owned */
    char problem[65]; /* digest of graphs and data; "" where a study has none, or is not asked */
    char key[65];     /* digest of both and of the program's version */
} netdp_i_identity;

/* Of the folder; `problems` NULL: the study has none, or they are not made yet. */
netdp_status netdp_i_identity_new(const char *folder, const netdp_i_problems *problems,
                                  netdp_i_identity *identity, netdp_error *error);
void netdp_i_identity_clear(netdp_i_identity *identity);

/* {"netdp", "study", "problem"}, what a checkpoint begins with; NULL: no memory. */
json_t *netdp_i_identity_store(const netdp_i_identity *identity);

/* NETDP_INVALID with what differs, and what to do, where `stored` is of something else. */
netdp_status netdp_i_identity_check(const netdp_i_identity *identity, const json_t *stored,
                                    const char *folder, netdp_error *error);

/*
 * {"loss.csv": digest, ...}: the accounts in the folder; those that `files` has already are not
 * read again. `check` gives NETDP_INVALID where one is missing or has changed.
 */
netdp_status netdp_i_accounts_digest(const char *folder, json_t *files, netdp_error *error);
netdp_status netdp_i_accounts_check(const char *folder, const json_t *files, netdp_error *error);

/* Removes what an earlier start left, study.yaml and run.log apart. */
void netdp_i_record_clear(const char *folder);

/*
 * manifest.json, written last: the digests of all files of a finished folder. `accounts`: those of
 * the accounts when they were made, which must still be theirs; NULL: there are none.
 */
netdp_status netdp_i_record_finish(const char *folder, const netdp_i_identity *identity,
                                   const json_t *accounts, netdp_error *error);

bool netdp_i_record_finished(const char *folder);

/* Is a finished folder as the run left it? One line says what is missing or was changed. */
netdp_status netdp_i_record_check(const char *folder, netdp_error *error);

/* And of these graphs and data? */
netdp_status netdp_i_record_check_of(const char *folder, const netdp_i_identity *identity,
                                     netdp_error *error);

/*
 * summary.json, which holds nothing that was computed from data; `private`: with what private.json
 * says beside it, for the experimenter alone.
 */
netdp_status netdp_i_record_read(const char *folder, bool private, json_t **summary,
                                 netdp_error *error);

/* What must stand wherever a simulated result does. */
#define NETDP_I_SIMULATION "simulation: whoever has the seed can remove its noise"

#endif
