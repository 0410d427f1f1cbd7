/* A linear model with names, scales and labels: made of what is public of a study, as JSON and back. */
#ifndef NETDP_I_LEARN_MODEL_H
#define NETDP_I_LEARN_MODEL_H

#include <jansson.h>
#include <netdp/model.h>

/* How a column becomes a number; of a label, how a number becomes what the study says. */
typedef enum netdp_i_scaling {
    NETDP_I_SCALE_NONE = 0, /* as it is */
    NETDP_I_SCALE_RANGE, /* [low, high] becomes [-1, 1], what lies outside counts as the nearer end */
    NETDP_I_SCALE_MEAN,     /* less `mean`, by `deviation`: found from the rows, assumed public */
    NETDP_I_SCALE_VALUES,   /* a category, one number for each value; a label's classes */
    NETDP_I_SCALE_CONSTANT, /* it was constant where the model was learnt, and counts for nothing */
} netdp_i_scaling;

typedef struct netdp_i_scale {
    char *name;
    netdp_i_scaling scaling;
    double low, high, mean, deviation;
    int32_t values;
    char **value; /* [values] */
} netdp_i_scale;

struct netdp_model {
    netdp_objective_kind kind; /* logistic, softmax or ridge */
    int32_t count;             /* of `feature` */
    netdp_i_scale *feature;    /* columns, in the order of the weights */
    netdp_i_scale label;
    bool unit;             /* rows are brought to norm 1, before the intercept */
    bool intercept;        /* behind the features a number that is 1 */
    double radius;         /* then projected onto this ball; 0: not */
    netdp_missing missing; /* what the study does with an empty cell */
    int32_t width;         /* numbers of a row, with the intercept */
    double *weight;        /* [width], or [classes][width]; NULL: not learnt yet */
    char *privacy;         /* of a model that was read */
};

/* Room for `features` columns; all else is 0. NULL: no memory. */
netdp_model *netdp_i_model_new(int32_t features);

/* Copies name and values. False: no memory. */
bool netdp_i_scale_set(netdp_i_scale *scale, const netdp_range *range, netdp_i_scaling scaling);

/* Counts `width` from the columns. */
void netdp_i_model_close(netdp_model *model);

/* Numbers of the weights. */
int32_t netdp_i_model_weights(const netdp_model *model);

/* The JSON object "model", with these weights. NULL: no memory. */
json_t *netdp_i_model_json(const netdp_model *model, const double *weight);

/* Numbers of a row that the column makes. */
int32_t netdp_i_scale_width(const netdp_i_scale *scale);

#endif
