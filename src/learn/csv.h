/*
 * CSV (RFC 4180) with a header, UTF-8. The file is read whole and taken apart in place: a cell is unquoted
 * where it stands and ends in a NUL that overwrites its comma.
 */
#ifndef NETDP_I_LEARN_CSV_H
#define NETDP_I_LEARN_CSV_H

#include <stddef.h>
#include <stdint.h>
#include <netdp/status.h>

typedef struct netdp_i_csv_reader {
    const char *path;
    char *at, *end; /* *end is a NUL, the only one */
    int64_t line;
} netdp_i_csv_reader;

typedef enum netdp_i_csv_ending {
    NETDP_I_CSV_ENDS_CELL,
    NETDP_I_CSV_ENDS_ROW,
} netdp_i_csv_ending;

typedef struct netdp_i_csv_cell {
    char *text;
    size_t length;
    int64_t line; /* where it begins */
    netdp_i_csv_ending then;
} netdp_i_csv_cell;

/* "PATH:LINE: ...", NETDP_INVALID. */
netdp_status netdp_i_csv_fail(const netdp_i_csv_reader *from, int64_t line, netdp_error *error,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The file's text, to be freed with netdp_i_free, and a reader at its header. "-": standard input. */
netdp_status netdp_i_csv_open(const char *path, char **text, netdp_i_csv_reader *from,
                              netdp_error *error);

netdp_status netdp_i_csv_cell_read(netdp_i_csv_reader *from, netdp_i_csv_cell *into,
                                   netdp_error *error);

/* Every cell as it stands in the file. */
typedef struct netdp_i_csv_table {
    int64_t rows;    /* without the header */
    int32_t columns; /* all of them */
    char **name;     /* [columns] */
    char **cell;     /* [rows][columns] */
    int64_t *line;   /* [rows] */
    char *text;
} netdp_i_csv_table;

/* A row of another length than the header's is NETDP_INVALID, and so are no rows. */
netdp_status netdp_i_csv_read(const char *path, netdp_i_csv_table *table, netdp_error *error);
void netdp_i_csv_table_clear(netdp_i_csv_table *table);

#endif
