/* Tables with a column that is told apart from the others: the label, as text or as a number. */
#ifndef NETDP_I_LEARN_TABLE_H
#define NETDP_I_LEARN_TABLE_H

#include <netdp/data.h>

/* The cells of a column as they stand in the file, never empty. */
typedef struct netdp_i_label_column {
    char **of_row; /* [rows], in text */
    char *text;
} netdp_i_label_column;

/*
 * As netdp_table_read of the columns of netdp_preparation's `features`, with the label as the last
 * one of the table. Where `labels`
 * is not NULL its cells go there as text and its numbers in the table mean nothing.
 */
netdp_status netdp_i_table_read_labelled(const char *path, const char *label, const char *features,
                                         netdp_table **table, netdp_i_label_column *labels,
                                         netdp_error *error);

/*
 * NULL, or why a numeric column is hardly a quantity: its values count the rows, or its name says
 * that it numbers them or tells who holds them.
 */
const char *netdp_i_table_suspect(const netdp_table *table, int32_t column);

/* Fine on zeroed labels; leaves them zeroed. */
void netdp_i_label_column_drop(netdp_i_label_column *labels);

#endif
