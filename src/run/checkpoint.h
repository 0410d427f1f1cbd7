/* What a run has found so far, kept so that it can go on. */
#ifndef NETDP_I_CHECKPOINT_H
#define NETDP_I_CHECKPOINT_H

#include "plan/plan.h"
#include "plan/walk.h"
#include "run/record.h"

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

/* With whose it is and a digest of itself: what goes on must go on from the same. */
netdp_status netdp_i_checkpoint_write(const char *folder, const netdp_i_plan *plan,
                                      const netdp_i_identity *identity,
                                      const netdp_i_progress_made *made, netdp_error *error);
/* With the one inside a simulation. */
void netdp_i_checkpoint_remove(const char *folder);

/* The checked checkpoint, of any task; *stored NULL: there is none. */
netdp_status netdp_i_checkpoint_load(const char *folder, const netdp_i_identity *identity,
                                     json_t **stored, netdp_error *error);

/* *found false: there is none, and `plan` and `made` are untouched. */
netdp_status netdp_i_checkpoint_read(const char *folder, const netdp_study *study,
                                     const netdp_i_problems *problems,
                                     const netdp_i_identity *identity, netdp_i_plan *plan,
                                     netdp_i_progress_made *made, bool *found, netdp_error *error);

#endif
