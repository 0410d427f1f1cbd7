/* Result folders as pages to read. */
#ifndef NETDP_REPORT_H
#define NETDP_REPORT_H

#include <stdbool.h>

#include <netdp/progress.h>
#include <netdp/status.h>

NETDP_BEGIN

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
