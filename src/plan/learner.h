/* What a participant learns from: its own rows, and the gradient steps that it contributes. */
#ifndef NETDP_I_LEARNER_H
#define NETDP_I_LEARNER_H

#include <netdp/learn.h>
#include <netdp/model.h>
#include <netdp/study.h>

typedef struct netdp_i_learner {
    netdp_examples
        *rows; /* one node's, of locked memory where there is some; NULL: nothing to learn */
    bool own;  /* a model of one's own: the mean gradient is given, */
    const double *given; /* [features], borrowed */
    int64_t
        held; /* rows that are somebody's; those behind them are 0, and so are their gradients */
    netdp_batches batches; /* full, or cyclic: which rows a phase takes */
    int64_t *scratch;      /* [rows], with cyclic ones */
    netdp_objective objective;
    double step;
} netdp_i_learner;

/* NETDP_INVALID where peers cannot learn what the study says. */
netdp_status netdp_i_learner_check(const netdp_study *study, netdp_error *error);

/* Numbers of the model: the study's columns but the label, or a synthetic law's, and the intercept; of softmax so many for each class. */
int32_t netdp_i_learner_width(const netdp_study *study);

/* The name of number j, new memory; NULL: there is none. */
char *netdp_i_learner_name(const netdp_study *study, int32_t j);

/*
 * How rows become numbers, without weights: by what the study declares, and nothing else; of drawn rows
 * as they are, x1, x2, ... NULL: no memory.
 */
netdp_model *netdp_i_learner_model(const netdp_study *study);
netdp_model *netdp_i_model_drawn(const netdp_study *study, int32_t features);

/* Of a file of one's own: each row by the declared ranges, as netdp_examples_prepare has it; up to `announced`, rows of 0. */
netdp_status netdp_i_learner_read(const netdp_study *study, const char *path, int64_t announced,
                                  netdp_i_learner *learner, netdp_error *error);

/* Of a model of one's own: before each step it is given the mean of the rows' clipped gradients at the model. */
netdp_status netdp_i_learner_own(const netdp_study *study, netdp_i_learner *learner,
                                 netdp_error *error);
void netdp_i_learner_give(netdp_i_learner *learner, const double *mean);

/* One node's rows of all. */
netdp_status netdp_i_learner_take(const netdp_study *study, const netdp_examples *from,
                                  int32_t node, netdp_i_learner *learner, netdp_error *error);

/* What its mean counts for among the nodes', where they do not count alike. */
netdp_status netdp_i_learner_weigh(netdp_i_learner *learner, double weight, netdp_error *error);

/* Zeroes the rows, too. */
void netdp_i_learner_clear(netdp_i_learner *learner);

/* value = - step times the mean of the phase's rows' clipped gradients at the model: what is private of a step. */
void netdp_i_learner_value(const netdp_i_learner *learner, int64_t phase, const double *model,
                           double *value);

/* What everybody may compute of it: model -= step l2 model. */
void netdp_i_learner_shrink(const netdp_i_learner *learner, int32_t width, double *model);

/* Both at once, as the simulator does; `gradient` [width] is scratch. */
void netdp_i_learner_descend(const netdp_i_learner *learner, int64_t phase, double *model,
                             double *gradient);

#endif
