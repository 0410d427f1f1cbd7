/* The rows of a CSV file that netdp wrote: no quotes, no commas inside. */
#ifndef NETDP_I_ROWS_H
#define NETDP_I_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

enum { NETDP_I_ROW_FIELDS = 16 };

typedef struct netdp_i_rows {
    const char *path; /* lent */
    char *text;       /* the file, cut into fields as it is read */
    char *next;
    int64_t line; /* of the row read last */
    int count;    /* its fields */
    char *field[NETDP_I_ROW_FIELDS];
} netdp_i_rows;

/* Opens the file and reads its first row, the names of the columns. */
netdp_status netdp_i_rows_open(const char *path, netdp_i_rows *rows, netdp_error *error);
void netdp_i_rows_close(netdp_i_rows *rows);

/* Which column has the name; -1: none. To be asked before the next row is read. */
int netdp_i_rows_column(const netdp_i_rows *rows, const char *name);

/* The next row, which must have as many fields as the first; *more false: there is none. */
netdp_status netdp_i_rows_next(netdp_i_rows *rows, bool *more, netdp_error *error);

/* Field i as a number, or "inf"; NaN where it is empty. */
netdp_status netdp_i_rows_number(const netdp_i_rows *rows, int i, double *value,
                                 netdp_error *error);

/* Field i as a whole number from 0 to most. */
netdp_status netdp_i_rows_index(const netdp_i_rows *rows, int i, int64_t most, int64_t *value,
                                netdp_error *error);

#endif
