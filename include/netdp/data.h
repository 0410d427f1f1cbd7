/*
 * Data: tables from CSV, and the rows of a table dealt to nodes.
 */
#ifndef NETDP_DATA_H
#define NETDP_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/* Numeric columns of a CSV file, values[row][column]. */
typedef struct netdp_table {
    int64_t rows;    /* without the header */
    int32_t columns; /* those that were asked for */
    char **name;     /* [columns] */
    double *values;  /* [rows][columns] */
} netdp_table;

/*
 * CSV as RFC 4180 with a header, UTF-8. `column`: the `count` names wanted, in that order (count 0:
 * every column, all numeric). An empty, non-numeric or non-finite cell is NETDP_INVALID with its
 * line and column; columns that are not wanted are not looked at.
 */
NETDP_API NETDP_CHECK netdp_status netdp_table_read(const char *path, const char *const *column,
                                                    int32_t count, netdp_table **table,
                                                    netdp_error *error);
NETDP_API void netdp_table_free(netdp_table *table);

/*
 * Which node holds each row, node[rows]. `shuffle`: the rows are shuffled with the stream (seed,
 * "split") and shuffled row i goes to node i mod nodes; otherwise row i goes to node i and rows
 * must equal nodes. Fewer rows than nodes: NETDP_INVALID.
 */
NETDP_API NETDP_CHECK netdp_status netdp_deal(int64_t rows, int32_t nodes, bool shuffle,
                                              uint64_t seed, int32_t *node, netdp_error *error);

/* A data set that the product knows by name. */
typedef struct netdp_dataset {
    const char *name;   /* "houses" */
    const char *file;   /* relative to the data folder: "houses.csv" */
    const char *sha256; /* hex */
    const char *from;   /* where to get it */
    bool bundled;       /* is part of the product */
} netdp_dataset;

/* The table of data sets; ends with a NULL name. */
NETDP_API const netdp_dataset *netdp_datasets(void);

/*
 * The path of `file` in the first folder that has it: `folder` (from --data, may be NULL), then
 * $NETDP_DATA, then ./data, then ../shared/data, then the folder of the installed product; to be
 * freed with free(). Bundled files are found last wherever the product was built or installed.
 * NETDP_ENVIRONMENT where it is nowhere: the error says where to get it.
 */
NETDP_API NETDP_CHECK netdp_status netdp_data_find(const char *folder, const char *file,
                                                   char **path, netdp_error *error);

/* SHA-256 of a file as 64 hex digits and a NUL. */
NETDP_API NETDP_CHECK netdp_status netdp_data_digest(const char *path, char digest[65],
                                                     netdp_error *error);

NETDP_END

#endif
