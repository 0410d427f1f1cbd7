/* Where the keys of a YAML file stand: libcyaml keeps no lines, so one light pass finds them. */
#ifndef NETDP_I_LINES_H
#define NETDP_I_LINES_H

#include <stdint.h>
#include <netdp/status.h>

/* One key of a mapping, or one entry of a list (its key is its number, from 1). */
typedef struct netdp_i_line {
    int32_t parent; /* -1: at the top */
    int64_t line;
    char key[88]; /* cut: longer ones are unknown anyway */
} netdp_i_line;

typedef struct netdp_i_lines {
    netdp_i_line *at; /* in the file's order */
    int32_t count, room;
} netdp_i_lines;

/*
 * Refuses, with its line: what is not YAML, aliases, a second document, nesting deeper than any
 * study's, keys that are no words, NULs in texts, and a file that is not a mapping.
 */
netdp_status netdp_i_lines_read(const char *path, const char *text, int64_t bytes,
                                netdp_i_lines *lines, netdp_error *error);
void netdp_i_lines_free(netdp_i_lines *lines);

/* The last entry for "data.columns.2", or the deepest part of that name that is there; or -1. */
int32_t netdp_i_lines_find(const netdp_i_lines *lines, const char *name);

/* Its line, or 0. */
int64_t netdp_i_lines_of(const netdp_i_lines *lines, const char *name);

#endif
