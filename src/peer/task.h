/* What one participant computes: the package made concrete, with its own contribution. */
#ifndef NETDP_I_PEER_TASK_H
#define NETDP_I_PEER_TASK_H

#include <netdp/protocol.h>
#include <netdp/study.h>

#include "peer/contribution.h"
#include "plan/learner.h"
#include "peer/package.h"
#include "peer/settings.h"

typedef struct netdp_i_task {
    netdp_study *study;
    netdp_graph *links, *pairs; /* pairs NULL: nobody shares noise */
    netdp_mixing *mixing;
    netdp_linear protocol; /* of the three above */
    int32_t self, width;
    double scale;            /* sigma Delta: the standard deviation of the unit noise */
    int64_t rows;            /* how many it announced; 0: any number */
    double weight;           /* of its rows' mean */
    bool fewer;              /* it may hold fewer rows: one is added or removed */
    netdp_i_extent reach;    /* of contributions */
    double largest;          /* no number of a message of the study is farther from 0 (largest.h) */
    char **column;           /* [width] names, for the result */
    double *low, *factor;    /* [width]: in the data's unit a number is low + factor times itself */
    netdp_i_learner learner; /* its rows are NULL where there is nothing to learn */
    double *
        value; /* [width] this participant's, of learning the step under way: locked memory, not in core files */
} netdp_i_task;

/* Numbers of a message. */
int32_t netdp_i_task_width(const netdp_study *study);

/* NETDP_INVALID where peers cannot run the study. */
netdp_status netdp_i_task_check(const netdp_study *study, netdp_error *error);

/*
 * Member `self`'s task. In test mode the value is its row of the study's bundled or synthetic data,
 * or it learns from those rows; else the mean of the rows of its own file, or it learns from them.
 * NETDP_INVALID where peers cannot run the study, or in test mode where its data are somebody's.
 */
netdp_status netdp_i_task_new(const netdp_i_package *package, const netdp_i_settings *settings,
                              const char *folder, int32_t self, netdp_i_task *task,
                              netdp_error *error);
void netdp_i_task_clear(netdp_i_task *task);

#endif
