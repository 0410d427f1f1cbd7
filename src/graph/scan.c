#include "graph/scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"

netdp_status netdp_i_scan_fail(const netdp_i_scan *scan, netdp_error *error, const char *what)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": %s", scan->path, scan->line, what);
}

netdp_status netdp_i_scan_fail_token(const netdp_i_scan *scan, netdp_error *error,
                                     netdp_i_token token, const char *what)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": '%s' %s", scan->path, scan->line,
                        netdp_i_show(token.text, (size_t)token.length).text, what);
}

netdp_status netdp_i_scan_begin(netdp_i_scan *scan, const char *text, int64_t bytes,
                                netdp_error *error)
{
    bool marked = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    scan->begin = scan->at = text + (marked ? 3 : 0);
    scan->end = text + bytes;
    scan->line = 1;
    const char *nul = memchr(scan->begin, '\0', (size_t)(scan->end - scan->begin));
    if (nul == NULL)
        return NETDP_OK;
    for (const char *p = scan->begin; p < nul; p++)
        scan->line += *p == '\n';
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": a NUL byte; %s, not a binary file",
                        scan->path, scan->line, scan->advice);
}

/* Ends a token: blanks, line ends, comments, and bytes that no text has. */
static bool ends_token(const netdp_i_scan *scan, char byte)
{
    return (unsigned char)byte <= ' ' || byte == scan->comment || byte == 0x7f;
}

netdp_status netdp_i_scan_token(netdp_i_scan *scan, netdp_i_token *token, netdp_error *error)
{
    const char *p = scan->at;
    while (*p == ' ' || *p == '\t')
        p++;
    const char *first = p;
    while (!ends_token(scan, *p))
        p++;
    *token = (netdp_i_token){first, p - first};
    scan->at = p;
    bool fine = *p == ' ' || *p == '\t' || *p == '\n' || *p == scan->comment || p == scan->end ||
                (*p == '\r' && (p + 1 == scan->end || p[1] == '\n'));
    if (fine)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": control character 0x%02x; %s",
                        scan->path, scan->line, (unsigned)(unsigned char)*p, scan->advice);
}

netdp_status netdp_i_scan_tokens(netdp_i_scan *scan, netdp_i_token *token, int most, int *count,
                                 netdp_error *error)
{
    for (*count = 0; *count <= most; ++*count) {
        netdp_i_token next;
        TRY(netdp_i_scan_token(scan, &next, error));
        if (next.length == 0)
            break;
        if (*count < most)
            token[*count] = next;
    }
    return NETDP_OK;
}

void netdp_i_scan_next_line(netdp_i_scan *scan)
{
    size_t left = (size_t)(scan->end - scan->at);
    const char *newline = memchr(scan->at, '\n', left);
    scan->at = newline != NULL ? newline + 1 : scan->end;
    scan->line++;
}

netdp_status netdp_i_scan_weight(const netdp_i_scan *scan, netdp_i_token token, double *weight,
                                 netdp_error *error)
{
    char *stop = NULL;
    double value = 0;
    /* strtod also knows hexadecimal numbers, infinities and NaN; a graph file does not. */
    bool decimal = true;
    for (int64_t i = 0; i < token.length && decimal; i++)
        decimal = token.text[i] != '\0' && strchr("0123456789+-.eE", token.text[i]) != NULL;
    if (decimal)
        value = strtod(token.text, &stop);
    if (!decimal || stop != token.text + token.length)
        return netdp_i_scan_fail_token(scan, error, token,
                                       "is no weight; the third column is a positive number");
    if (!isfinite(value) || value <= 0)
        return netdp_i_scan_fail_token(scan, error, token,
                                       "is out of range; a weight is positive and finite");
    *weight = value;
    return NETDP_OK;
}

bool netdp_i_token_integer(netdp_i_token token, uint64_t *value)
{
    uint64_t number = 0;
    for (int64_t i = 0; i < token.length; i++) {
        unsigned digit = (unsigned)token.text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return false;
    }
    *value = number;
    return token.length > 0;
}

bool netdp_i_token_is_utf8(netdp_i_token token)
{
    for (size_t i = 0, length = (size_t)token.length; i < length;) {
        uint32_t code;
        size_t bytes = netdp_i_utf8(token.text + i, length - i, &code);
        if (bytes == 0)
            return false;
        i += bytes;
    }
    return true;
}
