/* The figure of an experiment: a study whose section `figure` says what is drawn of its results. */
#ifndef NETDP_FIGURE_H
#define NETDP_FIGURE_H

#include <netdp/study.h>

NETDP_BEGIN

/*
 * From a finished result folder of this study to figure.csv, figure.json and figure.svg in it:
 * curves with what they spread over, bars, a heat map or a drawing of the graph. `data`: the data
 * folder (may be NULL). NETDP_INVALID where the study has no figure, or one that its results do not
 * give; NETDP_ENVIRONMENT where gnuplot is missing: figure.csv and figure.json are there then.
 */
NETDP_API NETDP_CHECK netdp_status netdp_figure_write(const netdp_study *study, const char *folder,
                                                      const char *data, netdp_error *error);

/* Seconds that the whole study takes on two cores, as its file says; 0: it does not. */
NETDP_API double netdp_figure_seconds(const netdp_study *study);

NETDP_END

#endif
