/* What the files share that make examples of a table: prepare.c reads, scales and fills, split.c says whose rows they are. */
#ifndef NETDP_I_PREPARE_BASE_H
#define NETDP_I_PREPARE_BASE_H

#include <netdp/learn.h>

#include "learn/deal.h"
#include "learn/places.h"
#include "learn/table.h"

/* value -> ((value/2 - least) / span - mean) / deviation: no step overflows, whatever the cells. */
typedef struct netdp_i_prepared_column {
    double least, span, mean, deviation; /* span 0: constant */
    double low, high;                    /* values beyond count as the nearer end */
    int32_t values;                      /* above 0: a category, with a feature for each */
} netdp_i_prepared_column;

/* What is known while a table becomes examples; rows are rows of the table. */
typedef struct netdp_i_preparing {
    const netdp_preparation *how;
    netdp_i_dealing dealing;
    netdp_table *table; /* the label is the last column */
    netdp_i_label_column labels;
    double *y;        /* [rows] */
    int64_t labelled; /* how many classes; 0: y is a number */
    bool ranged;      /* features are scaled by declared ranges */
    netdp_i_places places;
    int64_t *train, *test, training_rows,
        test_rows;                   /* which rows; -1 trains: nothing stands there */
    int32_t *node;                   /* [training_rows] */
    netdp_i_prepared_column *column; /* of the table, the label too */
    netdp_preparation_notes notes;
} netdp_i_preparing;

/* Fills train, test, node and the notes of who is absent. */
netdp_status netdp_i_split_and_deal(netdp_i_preparing *w, netdp_error *error);

#endif
