/* Tables with a column that is told apart from the others: the label, as text or as a number. */
#ifndef NETDP_I_LEARN_TABLE_H
#define NETDP_I_LEARN_TABLE_H

#include <netdp/learn.h>

#include "base/try.h"

OWNER(netdp_table_free, netdp_table)

/* Cells as they stand in the file, never empty but in rows that contribute nothing. */
typedef struct netdp_i_label_column {
    char **of_row;    /* [rows]: the label, in text; NULL: it is a number */
    char **owner;     /* [rows]: whose the row is, in text, never empty; NULL: not asked */
    bool *empty;      /* [rows]: the row contributes nothing: its other cells mean nothing */
    int64_t dropped;  /* rows that had an empty cell, those that had no owner too */
    int64_t filled;   /* empty cells of features, NaN in the table */
    int64_t unlisted; /* cells of categories that are none of their values, -1 in the table */
    char *text;
} netdp_i_label_column;

/*
 * As netdp_table_read of the columns of the preparation's `features`, with the label as the last
 * one of the table. Where there are classes its cells go to `texts` and its numbers in the table mean
 * nothing. A category's cell is the place of its value in the list.
 */
netdp_status netdp_i_table_read_labelled(const char *path, const netdp_preparation *how,
                                         netdp_table **table, netdp_i_label_column *texts,
                                         netdp_error *error);

/* As netdp_table_read, with whose each row is (owner NULL: not asked). `drop`: a row with an empty
 * cell stays where it stands and is marked in `empty`; one without an owner is nobody's, and gone. */
netdp_status netdp_i_table_read_owned(const char *path, const char *const *column, int32_t count,
                                      const char *owner, bool drop, netdp_table **table,
                                      netdp_i_label_column *texts, netdp_error *error);

/* The same without owners, the last of the columns as text: the classes that a study declares. */
netdp_status netdp_i_table_read_classes(const char *path, const char *const *column, int32_t count,
                                        bool drop, netdp_table **table, netdp_i_label_column *texts,
                                        netdp_error *error);

/*
 * NULL, or why a numeric column is hardly a quantity: its values count the rows, or its name says
 * that it numbers them or tells who holds them.
 */
const char *netdp_i_table_suspect(const netdp_table *table, int32_t column);

/* Fine on zeroed labels; leaves them zeroed. */
void netdp_i_label_column_drop(netdp_i_label_column *labels);

#endif
