/* The section `figure` of a study: which kind takes which axes and measures. */
#ifndef NETDP_I_STUDY_FIGURE_H
#define NETDP_I_STUDY_FIGURE_H

#include "study/reading.h"

enum { NETDP_I_MEASURES = 4 }; /* of a figure at most */

/*
 * NETDP_INVALID, with file and line, for a figure that no results of this study can give: it is
 * told before the study runs.
 */
netdp_status netdp_i_figure_check(const netdp_i_reading *from, netdp_error *error);

/* figure.y, or what its kind usually shows; the study has a kind. */
const char *netdp_i_figure_y(const netdp_study *study);

/* The measure of this name, or NULL. */
const char *netdp_i_figure_measure(const char *name);

#endif
