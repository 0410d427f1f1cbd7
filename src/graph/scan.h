/* A text file of lines and tokens, with errors that say "file:line: what; what to do". */
#ifndef NETDP_I_SCAN_H
#define NETDP_I_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

typedef struct netdp_i_scan {
    const char *path;   /* in errors */
    const char *advice; /* against bytes that no text has: "give a text edge list" */
    char comment;       /* begins a comment wherever a token may */
    const char *begin, *end;
    const char *at;
    int64_t line;
} netdp_i_scan;

typedef struct netdp_i_token {
    const char *text;
    int64_t length;
} netdp_i_token;

/* To the first byte; the text (a NUL behind it) must outlive the scan. A byte order mark and NUL
 * bytes are looked for here. */
netdp_status netdp_i_scan_begin(netdp_i_scan *scan, const char *text, int64_t bytes,
                                netdp_error *error);

/* The next token of the line, or length 0 at its end. */
netdp_status netdp_i_scan_token(netdp_i_scan *scan, netdp_i_token *token, netdp_error *error);

/* At most `most` tokens of the line, and one beyond if there are more; how many in `count`. */
netdp_status netdp_i_scan_tokens(netdp_i_scan *scan, netdp_i_token *token, int most, int *count,
                                 netdp_error *error);

void netdp_i_scan_next_line(netdp_i_scan *scan);

netdp_status netdp_i_scan_fail(const netdp_i_scan *scan, netdp_error *error, const char *what);
netdp_status netdp_i_scan_fail_token(const netdp_i_scan *scan, netdp_error *error,
                                     netdp_i_token token, const char *what);

/* A positive, finite, decimal number. */
netdp_status netdp_i_scan_weight(const netdp_i_scan *scan, netdp_i_token token, double *weight,
                                 netdp_error *error);

/* A non-negative integer of 64 bits, nothing else. */
bool netdp_i_token_integer(netdp_i_token token, uint64_t *value);

bool netdp_i_token_is_utf8(netdp_i_token token);

#endif
