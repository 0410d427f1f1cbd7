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
/* A file that only its owner may read. */
netdp_status netdp_i_output_open_private(netdp_i_output *output, const char *path,
                                         netdp_error *error);

/* The same for what a program keeps by itself: a link at the path is replaced, and NETDP_ENVIRONMENT where there is a pipe
 * or a device. */
netdp_status netdp_i_output_open_own(netdp_i_output *output, const char *path, bool private,
                                     netdp_error *error);

/* Sync and rename; every write error shows here at the latest. Closes the output either way. */
netdp_status netdp_i_output_commit(netdp_i_output *output, netdp_error *error);

/* An error of writing so far, which buffers may hide until later. */
netdp_status netdp_i_output_check(const netdp_i_output *output, netdp_error *error);

/* Close and remove what was written; fine after commit and on a zeroed struct. */
void netdp_i_output_drop(netdp_i_output *output);

/* Removes what was written of all outputs that are open, from a signal's handler too. The process
 * must end at once after it. */
void netdp_i_outputs_abandon(void);

/*
 * A file of one's own that is read or written where it lies; `flags` as of open(2), O_CREAT makes it with mode 0600.
 * Never a link, a folder, a pipe or a device that somebody put in its place. -1: it is one of them, or cannot be had, and
 * errno says why.
 */
int netdp_i_file_open_own(const char *path, int flags);

/* Is there something at that path that is no file: a link, say? */
bool netdp_i_file_is_planted(const char *path);

/* The whole file with a NUL behind it; "-" reads standard input, once. */
netdp_status netdp_i_file_load(const char *path, char **text, int64_t *bytes, netdp_error *error);

/* The document of a file of JSON, the caller's; NETDP_INVALID names its line where it is none. */
netdp_status netdp_i_file_load_json(const char *path, json_t **object, netdp_error *error);
/* The same of a file that is loaded already. */
netdp_status netdp_i_file_read_json(const char *path, const char *text, int64_t bytes,
                                    json_t **object, netdp_error *error);

/* %.17g, "inf" and "-inf". NaN never comes here. */
void netdp_i_print_double(FILE *stream, double value);

/* A JSON number, or the string "inf". NULL where memory ran out. */
json_t *netdp_i_json_double(double value);

/* Back: infinity of a string, 0 of what is no number. */
double netdp_i_json_number(const json_t *value);

/* The same of an object's field. */
double netdp_i_json_field(const json_t *object, const char *key);

/*
 * The version of what JSON objects hold, their key "schema": it grows when a key changes its
 * meaning or goes, not when one comes.
 */
#define NETDP_I_JSON_SCHEMA 1

/* One JSON object with its schema, or array, and a newline, indented, keys in the order they were
 * put in. */
netdp_status netdp_i_json_write(const json_t *object, const char *path, netdp_error *error);

/* The same into an output that is open; closes it. */
netdp_status netdp_i_json_commit(const json_t *object, netdp_i_output *output, netdp_error *error);

/*
 * The head of a float64 little-endian array; its columns follow, one after the other (Fortran
 * order, so that they may be written as they come; NumPy's array has [row][column] all the same).
 */
void netdp_i_npy_begin(FILE *stream, int64_t rows, int64_t columns);

/* values[columns][rows] of such an array. */
netdp_status netdp_i_npy_write(const double *values, int64_t rows, int64_t columns,
                               const char *path, netdp_error *error);

/* Such an array, or one in C order, as values[rows][columns], to be freed. */
netdp_status netdp_i_npy_read(const char *path, double **values, int64_t *rows, int64_t *columns,
                              netdp_error *error);

/* Room of a path. */
enum { NETDP_I_PATH_ROOM = 4096 };

/* "folder/file"; cut where it is longer. */
void netdp_i_file_path(char path[NETDP_I_PATH_ROOM], const char *folder, const char *file);

/* Is there a folder of that name? */
bool netdp_i_file_is_folder(const char *path);

/* The folder itself, or the one that the file is in; cut where it is longer. */
void netdp_i_file_folder(char folder[NETDP_I_PATH_ROOM], const char *path);

#endif
