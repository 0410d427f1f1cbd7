/* What of a record a page may hold: a list of what is allowed, not of what is forbidden. */
#ifndef NETDP_I_ALLOWED_H
#define NETDP_I_ALLOWED_H

#include <jansson.h>
#include <stdbool.h>
#include <netdp/status.h>

/* For others: nothing that was computed from data without noise. Private: for the experimenter. */
netdp_status netdp_i_allowed_summary(const json_t *summary, bool private, json_t **made,
                                     netdp_error *error);
netdp_status netdp_i_allowed_audit(const json_t *audit, bool private, json_t **made,
                                   netdp_error *error);

/*
 * Does the task compute from private data? Otherwise all that a folder holds is for everybody. Of a
 * summary that names no task: yes.
 */
bool netdp_i_allowed_has_data(const json_t *summary);

/* May the figure of netdp reproduce be shown to others? Of figure.json. */
bool netdp_i_allowed_figure(const json_t *figure);

/*
 * Where files lie is for nobody: "/home/me/a.csv", "./a.csv" and "../b/a.csv" become "a.csv".
 * NULL: no memory. What is no UTF-8 shows its bytes.
 */
json_t *netdp_i_allowed_text(const char *text);

#endif
