/*
 * Studies: one YAML file says graph, data, task, protocol and privacy; running it calibrates the
 * noise, accounts for it, simulates it and writes a result folder.
 */
#ifndef NETDP_STUDY_H
#define NETDP_STUDY_H

#include <netdp/progress.h>
#include <netdp/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NETDP_BEGIN

/* A study that was read and checked. */
typedef struct netdp_study netdp_study;

/*
 * `set`: `count` overrides "privacy.epsilon=2", applied in order over the file's values. Files that
 * the study names are relative to the study file. Errors name file and line, and the nearest known
 * key.
 */
NETDP_API NETDP_CHECK netdp_status netdp_study_read(const char *path, const char *const *set,
                                                    size_t count, netdp_study **study,
                                                    netdp_error *error);
/* The same with what its sections `quick` say laid over: smaller, for a first look. */
NETDP_API NETDP_CHECK netdp_status netdp_study_read_quick(const char *path, const char *const *set,
                                                          size_t count, netdp_study **study,
                                                          netdp_error *error);
/* The same of a text; `path`: its name in errors, and where it would lie beside its files. */
NETDP_API NETDP_CHECK netdp_status netdp_study_parse(const char *text, const char *path,
                                                     const char *const *set, size_t count,
                                                     netdp_study **study, netdp_error *error);
NETDP_API void netdp_study_free(netdp_study *study);

/* The study as it runs, every default filled in; reads back as the same study. "-": stdout. */
NETDP_API NETDP_CHECK netdp_status netdp_study_write(const netdp_study *study, const char *path,
                                                     netdp_error *error);

/*
 * Runs the study into `folder` (made if it is not there) and leaves study.yaml, summary.json,
 * trace.csv, loss.csv or loss.npy and run.log there. `data`: the data folder (may be NULL). A
 * folder with a checkpoint of the same study goes on from it, to the same bytes.
 */
NETDP_API NETDP_CHECK netdp_status netdp_study_run(const netdp_study *study, const char *folder,
                                                   const char *data, const netdp_progress *progress,
                                                   netdp_error *error);

/* From now on what a folder holds of another run of any study is replaced by what is run into it. */
NETDP_API void netdp_study_run_anew(netdp_study *study);

/* How a study is audited (netdp/audit.h). */
typedef struct netdp_audit_options {
    int64_t runs;          /* of each world, from 300 */
    double confidence;     /* in (0, 1); 0.999 is usual */
    const char *from, *to; /* nodes by name; NULL: of the pair that the guarantee says is worst */
    const char *bound;     /* the claim; NULL: the guarantee's own bound */
    bool reconstruct;      /* averaging: also estimate values at each distance, with and without the
                              dither */
} netdp_audit_options;

/*
 * Calibrates the study, attacks each of its network variants in the simulator as the observer of
 * the worst pair, and leaves study.yaml, the pairwise losses, audit.json and audit.csv in `folder`.
 * That a claim is refuted is a result, not an error.
 */
NETDP_API NETDP_CHECK netdp_status netdp_study_audit(const netdp_study *study,
                                                     const netdp_audit_options *options,
                                                     const char *folder, const char *data,
                                                     const netdp_progress *progress,
                                                     netdp_error *error);

NETDP_END

#endif
