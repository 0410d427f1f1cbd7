/* The result folder: its files' names, its log, its checkpoint and its summary. */
#ifndef NETDP_I_FOLDER_H
#define NETDP_I_FOLDER_H

#include <stdio.h>

#include "study/plan.h"
#include "study/record.h"
#include "study/walking.h"

/* Sums over a variant's finished runs: the value itself and its square. */
typedef struct netdp_i_sums {
    double objective[2]; /* at the end */
    double accuracy[2];
    int32_t width;
    double *square;  /* [width]: squared errors, in the data's unit; learning: 0 */
    double messages; /* of walks: directed ones, of whole runs */
    netdp_i_contributions contributions; /* of walks */
} netdp_i_sums;

/* What the simulation has found so far, enough to go on from. */
typedef struct netdp_i_progress_made {
    int64_t done;        /* finished simulations, repeat by repeat, variant by variant */
    int64_t trace_bytes; /* length of trace.csv after them */
    char trace_digest[65];
    json_t *accounts; /* the digests of the plan's files; owned */
    int32_t count;
    netdp_i_sums *sums; /* [count], as the plan lists its variants */
} netdp_i_progress_made;

netdp_status netdp_i_progress_made_new(const netdp_i_plan *plan, netdp_i_progress_made *made,
                                       netdp_error *error);
/* Nothing is found yet; the plan's files stay. */
void netdp_i_progress_made_reset(netdp_i_progress_made *made);
void netdp_i_progress_made_clear(netdp_i_progress_made *made);

/* "folder/file" into a buffer of 4096; cut where it is longer. */
void netdp_i_folder_path(char *path, const char *folder, const char *file);

/*
 * Makes the folder and its parents, and refuses one that holds another study, or into which another
 * process writes. *finished: it has a manifest, which is not checked yet. *lock: for the close, -1
 * where a finished folder is only read.
 */
netdp_status netdp_i_folder_open(const netdp_study *study, const char *folder, bool *finished,
                                 int *lock, netdp_error *error);
void netdp_i_folder_close(const char *folder, int *lock);

/* A line of run.log: the only file with wall time, host, date and thread count. */
void netdp_i_folder_log(const char *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* With whose it is and a digest of itself: what goes on must go on from the same. */
netdp_status netdp_i_checkpoint_write(const char *folder, const netdp_i_plan *plan,
                                      const netdp_i_identity *identity,
                                      const netdp_i_progress_made *made, netdp_error *error);
/* With the one inside a simulation. */
void netdp_i_checkpoint_remove(const char *folder);

/* Seconds between checkpoints; tests shorten them. */
extern double netdp_i_checkpoint_every;

/* The checked checkpoint, of any task; *stored NULL: there is none. */
netdp_status netdp_i_checkpoint_load(const char *folder, const netdp_i_identity *identity,
                                     json_t **stored, netdp_error *error);

/* *found false: there is none, and `plan` and `made` are untouched. */
netdp_status netdp_i_checkpoint_read(const char *folder, const netdp_study *study,
                                     const netdp_i_problems *problems,
                                     const netdp_i_identity *identity, netdp_i_plan *plan,
                                     netdp_i_progress_made *made, bool *found, netdp_error *error);

/* A number, or its digits where it exceeds what JSON readers keep. */
json_t *netdp_i_seed_json(uint64_t seed);

/* Of task account: one variant's entry, and the whole. */
json_t *netdp_i_account_json(const netdp_study *study, int32_t index,
                             const netdp_i_variant *variant);
netdp_status netdp_i_account_summary_write(const netdp_study *study,
                                           const netdp_i_problems *problems, json_t *variants,
                                           const char *folder, netdp_error *error);

netdp_status netdp_i_summary_write(const netdp_study *study, const netdp_i_problems *problems,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error);

/* Beside it, what was computed from data, in a file that only its owner may read. */
netdp_status netdp_i_private_write(const netdp_study *study, const netdp_i_problems *problems,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error);

#endif
