/*
 * Studies: one YAML file says graph, data, task, protocol and privacy; running it calibrates the
 * noise, accounts for it, simulates it and writes a result folder.
 *
 * Ownership: a study is the caller's, netdp_study_free; texts are freed with free(). Threads: any may
 * call, also with the same study but for netdp_study_run_anew; no two at once with the same folder.
 */
#ifndef NETDP_STUDY_H
#define NETDP_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netdp/status.h>

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
    bool membership;       /* averaging: also tell whether everybody's record was in */
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

/* The figure of an experiment: a study whose section `figure` says what is drawn of its results. */

/* How a figure is drawn; all 0, or no picture: as the study says. */
typedef struct netdp_picture {
    bool pdf;         /* figure.pdf too; NETDP_ENVIRONMENT where gnuplot is built without cairo */
    double width;     /* of the whole picture in millimetres, 40 to 1000; 0: what its panels want */
    double text;      /* of its letters in points, 4 to 72; 0: 9.75 */
    const char *font; /* a family, letters, digits, blanks and hyphens; NULL: sans-serif */
} netdp_picture;

/*
 * From a finished result folder of this study to figure.csv, figure.json and figure.svg in it:
 * curves with what they spread over, dots in rows, a heat map or a drawing of the graph. `data`: the data
 * folder (may be NULL). NETDP_INVALID where the study has no figure, or one that its results do not
 * give; NETDP_ENVIRONMENT where gnuplot is missing: figure.csv and figure.json are there then.
 * `picture` (may be NULL): a look of its own, a journal's column or a slide's letters.
 */
NETDP_API NETDP_CHECK netdp_status netdp_figure_draw(const netdp_study *study, const char *folder,
                                                     const char *data, const netdp_picture *picture,
                                                     netdp_error *error);

/* Seconds that the whole study takes on two cores, as its file says; 0: it does not. */
NETDP_API double netdp_figure_seconds(const netdp_study *study);

/* Result folders as pages to read. */

/*
 * One HTML page about a finished result folder of netdp_study_run: the guarantee and what it
 * assumes, in words; pairwise losses as a table, on the graph and against distance; utility; how to
 * repeat it. Of a folder of netdp_study_audit, what was attacked and found. It holds everything it
 * shows, and loads nothing. Up to 10,000 pairs of a variant it has all of them to the last digit;
 * of more, rounded up to float32, as many observers as keep the page below some 10 MB (all of 1,000
 * nodes), and the worst pairs.
 *
 * The page is for others: nothing in it was computed from private data without noise (no errors, no
 * released values, no digests), no seed, and no path. `for_experimenter`: with these, but for
 * paths.
 *
 * `data`: the data folder (may be NULL), for graphs that came from there. A graph that cannot be
 * had again is left out, and the page says why. `path`: the page; NULL: report.html in the folder,
 * or report-private.html. NETDP_INVALID where the folder holds no finished results, or files that
 * contradict each other.
 */
NETDP_API NETDP_CHECK netdp_status netdp_report_write(const char *folder, const char *data,
                                                      bool for_experimenter, const char *path,
                                                      const netdp_progress *progress,
                                                      netdp_error *error);

/*
 * The table of a finished result folder, as the command prints it, for the experimenter alone: it
 * holds errors. `notes`: what a reader should hear before, a line each. Both are new, to be freed
 * with free(). NETDP_INVALID as of netdp_report_write.
 */
NETDP_API NETDP_CHECK netdp_status netdp_result_text(const char *folder, char **text, char **notes,
                                                     netdp_error *error);

NETDP_END

#endif
