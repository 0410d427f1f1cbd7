/* Text from outside: decoded, shown without harm, read strictly, compared for a proposal. */
#ifndef NETDP_I_TEXT_H
#define NETDP_I_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One UTF-8 character of `left` bytes into *code: its length, or 0 where it is not UTF-8. */
size_t netdp_i_utf8(const char *text, size_t left, uint32_t *code);

/* Does it print as one harmless character: no control, no line break, no byte-order mark? */
bool netdp_i_printable(uint32_t code);

/* The text for people, on one line: unprintable bytes as \xNN, cut with "..." to `room` bytes. */
void netdp_i_escape(const char *text, size_t length, char *to, size_t room);

/* A token for an error message: cut with "..." where it is long, unprintable bytes as \xNN. */
typedef struct netdp_i_shown {
    char text[80];
} netdp_i_shown;

netdp_i_shown netdp_i_show(const char *text, size_t length);
netdp_i_shown netdp_i_show_text(const char *text);

/* A moment in UTC, as strftime's format has it. */
netdp_i_shown netdp_i_utc(int64_t seconds, const char *format);
#define NETDP_I_ISO "%Y-%m-%dT%H:%M:%SZ"
#define NETDP_I_CLOCK "%Y-%m-%d %H:%M:%S"

/*
 * A decimal number and nothing around it: no blanks, no hexadecimal, no "nan" or "inf". A number
 * too large for a double gives infinity.
 */
bool netdp_i_read_number(const char *text, double *value);

/* The same where it is finite; no -0, which would be printed. */
bool netdp_i_read_finite(const char *text, double *value);

/* Decimal digits, behind "-" or nothing, that fit. */
bool netdp_i_read_whole(const char *text, int64_t *value);

/* The number to `digits` significant ones for a table, never below the number itself. */
typedef struct netdp_i_rounded {
    char text[32];
} netdp_i_rounded;

netdp_i_rounded netdp_i_up(double value, int digits);

/* The number in decimal with a NUL behind it, into room for NETDP_I_DIGITS; its length. */
size_t netdp_i_write_digits(uint64_t number, char *text);
#define NETDP_I_DIGITS 21

/*
 * Edits (insert, delete, change, swap neighbours) between the first 63 bytes of two words: the
 * smallest is the one to propose.
 */
size_t netdp_i_distance(const char *a, const char *b);

/* Two different names that only case and blanks tell apart: one of them is a slip. */
bool netdp_i_hardly_differ(const char *a, const char *b);

#endif
