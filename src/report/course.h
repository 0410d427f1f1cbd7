/* The course of the runs: trace.csv as a page shows it. */
#ifndef NETDP_I_COURSE_H
#define NETDP_I_COURSE_H

#include <jansson.h>
#include <netdp/status.h>

/*
 * [{"variant", "step": [..], "runs": [..], "objective": {"mean": [..], "error": [..]}, ...}, ...]
 * of objective, accuracy and consensus_error, those that a variant has: the mean over the runs that
 * reached a step, and its standard error (null for one run). Of more than some 400 steps every k-th
 * is listed, and the last.
 */
netdp_status netdp_i_course_json(const char *path, json_t **made, netdp_error *error);

#endif
