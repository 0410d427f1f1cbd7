/*
 * Files that are whole or absent: written beside, synced, renamed. And the three formats of
 * results: JSON numbers, CSV, NPY.
 */
#ifndef NETDP_I_FILE_H
#define NETDP_I_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <jansson.h>
#include <netdp/status.h>

typedef struct netdp_i_output {
    FILE *stream;
    char *path;   /* NULL: standard output */
    char *beside; /* the temporary name */
} netdp_i_output;

/* "-" opens standard output. */
netdp_status netdp_i_output_open(netdp_i_output *output, const char *path, netdp_error *error);

/* Sync and rename; every write error shows here at the latest. Closes the output either way. */
netdp_status netdp_i_output_commit(netdp_i_output *output, netdp_error *error);

/* Close and remove what was written; fine after commit and on a zeroed struct. */
void netdp_i_output_drop(netdp_i_output *output);

/* The whole file with a NUL behind it. */
netdp_status netdp_i_file_load(const char *path, char **text, int64_t *bytes, netdp_error *error);

/* %.17g, "inf" and "-inf". NaN never comes here. */
void netdp_i_print_double(FILE *stream, double value);

/* A JSON number, or the string "inf". NULL where memory ran out. */
json_t *netdp_i_json_double(double value);

/* Back: infinity of a string, 0 of what is no number. */
double netdp_i_json_number(const json_t *value);

/* One JSON object or array and a newline, indented, keys in the order they were put in. */
netdp_status netdp_i_json_write(const json_t *object, const char *path, netdp_error *error);

/* float64 little-endian C-order array of 1 or 2 axes (columns 0: one axis). */
netdp_status netdp_i_npy_write(const double *values, int64_t rows, int64_t columns,
                               const char *path, netdp_error *error);

/* What netdp_i_npy_write wrote with 2 axes; `values` to be freed. */
netdp_status netdp_i_npy_read(const char *path, double **values, int64_t *rows, int64_t *columns,
                              netdp_error *error);

#endif
