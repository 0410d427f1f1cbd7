/*
 * Learnt models applied to new rows: what `netdp run` and `netdp peer` leave, read back.
 *
 * Ownership: a model is the caller's, netdp_model_free. Threads: any may call; a model is never
 * changed.
 */
#ifndef NETDP_MODEL_H
#define NETDP_MODEL_H

#include <netdp/learn.h>

NETDP_BEGIN

/* A linear model with all that is needed to apply it: names, scales and labels of its study. */
typedef struct netdp_model netdp_model;

/*
 * Reads the model of `path`: result.json of a participant, model-N.json of a run, or a folder that has
 * one of them. `variant`: which of several of a run, by its name; NULL: the only one. NETDP_INVALID where
 * there is none, there are several, or the file holds no model (a mean has none).
 */
NETDP_API NETDP_CHECK netdp_status netdp_model_read(const char *path, const char *variant,
                                                    netdp_model **model, netdp_error *error);
NETDP_API void netdp_model_free(netdp_model *model);

/* What predictions by it tell about the rows that it was learnt from, in a sentence; the model's. */
NETDP_API const char *netdp_model_privacy(const netdp_model *model);

/* How a table is read, and what becomes of what the model does not know. */
typedef struct netdp_predicting {
    /* "a, b", "all", or NULL: columns of the table that are none of the model's; they are copied into the
     * result. Others that the model does not have are NETDP_INVALID. */
    const char *keep;
    netdp_missing
        missing;   /* what becomes of a row with an empty cell: refused; without a prediction
                              (drop); or the cell counts as the middle of its range, or the mean */
    bool as_study; /* `missing` is what the study of the model says */
} netdp_predicting;

/* What a reader should hear. */
typedef struct netdp_prediction_notes {
    int64_t rows;     /* of the table */
    int64_t empty;    /* rows without a prediction */
    int64_t filled;   /* empty cells that count as the middle of a range, or the mean */
    int64_t beyond;   /* cells beyond their declared range, which count as its nearer end */
    int64_t unlisted; /* cells of categories that are none of the listed values: 0 in all */
} netdp_prediction_notes;

/*
 * The model's prediction of every row of a CSV with a header, as a CSV: the columns that are kept,
 * `prediction` (a number in the label's unit, or the likeliest class as the study writes it; of equal ones
 * the first) and, of classes, `p:CLASS` for each, its probability by the model. Columns are found by their
 * name, in any order; the label's own may be there, and is not looked at. "-": standard input,
 * and standard output. `notes` may be NULL. NETDP_INVALID with line and column, or with the nearest name.
 */
NETDP_API NETDP_CHECK netdp_status netdp_model_predict(const netdp_model *model, const char *csv,
                                                       const netdp_predicting *how,
                                                       const char *output,
                                                       netdp_prediction_notes *notes,
                                                       netdp_error *error);

NETDP_END

#endif
