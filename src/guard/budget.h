/*
 * What may be spent about one data set, and what was: a SQLite file that several processes may hold
 * open. A release is on the disk before its noise is drawn, so that no crash gives it back.
 */
#ifndef NETDP_I_BUDGET_H
#define NETDP_I_BUDGET_H

#include <netdp/privacy.h>

typedef struct netdp_i_budget netdp_i_budget;

/* Opens the file, makes it where there is none, and holds the terms against those that it has. */
netdp_status netdp_i_budget_open(const char *path, const netdp_budget *terms,
                                 netdp_i_budget **budget, netdp_error *error);
void netdp_i_budget_close(netdp_i_budget *budget);

const netdp_budget *netdp_i_budget_terms(const netdp_i_budget *budget);

/*
 * Adds `event`, if all that was spent and it are within the budget together: NETDP_NO_ANSWER where
 * they are not. NULL: adds nothing. What was spent then, into *spent (may be NULL).
 */
netdp_status netdp_i_budget_spend(netdp_i_budget *budget, const netdp_event *event,
                                  netdp_spent *spent, netdp_error *error);

#endif
