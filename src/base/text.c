#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

size_t netdp_i_utf8(const char *text, size_t left, uint32_t *code)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (left == 0)
        return 0;
    if (byte[0] < 0x80) {
        *code = byte[0];
        return 1;
    }
    size_t length = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
    if (byte[0] < 0xC2 || byte[0] > 0xF4 || left < length)
        return 0;
    uint32_t value = byte[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (byte[i] & 0x3F);
    }
    /* Overlong forms, surrogates and what is past the last code point are not UTF-8. */
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < least[length] || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF)
        return 0;
    *code = value;
    return length;
}

bool netdp_i_printable(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7F && code < 0xA0))
        return false;
    /* Line and paragraph separators, marks that turn the direction, and the byte-order mark. */
    if ((code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069))
        return false;
    return code != 0xFEFF && code != 0xFFFE && code != 0xFFFF;
}

void netdp_i_escape(const char *text, size_t length, char *to, size_t room)
{
    static const char digit[] = "0123456789abcdef";
    size_t used = 0, at = 0;
    while (at < length) {
        uint32_t code;
        size_t step = netdp_i_utf8(text + at, length - at, &code);
        bool plain = step > 0 && netdp_i_printable(code);
        size_t taken = step > 0 ? step : 1;
        /* Room for this character and for the dots that may have to follow it. */
        if (used + (plain ? taken : 4 * taken) + 4 > room)
            break;
        for (size_t i = 0; i < taken; i++) {
            unsigned char byte = (unsigned char)text[at + i];
            if (plain) {
                to[used++] = (char)byte;
                continue;
            }
            to[used++] = '\\';
            to[used++] = 'x';
            to[used++] = digit[byte >> 4];
            to[used++] = digit[byte & 15];
        }
        at += taken;
    }
    memcpy(to + used, at < length ? "..." : "", at < length ? 4 : 1);
}

netdp_i_shown netdp_i_show(const char *text, size_t length)
{
    netdp_i_shown shown;
    netdp_i_escape(text, length, shown.text, sizeof shown.text);
    return shown;
}

netdp_i_shown netdp_i_show_text(const char *text)
{
    return netdp_i_show(text, strlen(text));
}

netdp_i_shown netdp_i_utc(int64_t seconds, const char *format)
{
    const time_t at = (time_t)seconds;
    netdp_i_shown shown = {""};
    struct tm parts;
    if (gmtime_r(&at, &parts) != NULL)
        strftime(shown.text, sizeof shown.text, format, &parts);
    return shown;
}

/* The next byte that counts, small. */
static char next_folded(const char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
    const char byte = **at;
    *at += byte != '\0';
    return (char)(byte >= 'A' && byte <= 'Z' ? byte + 'a' - 'A' : byte);
}

bool netdp_i_hardly_differ(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return false;
    for (;;) {
        const char mine = next_folded(&a), other = next_folded(&b);
        if (mine != other)
            return false;
        if (mine == '\0')
            return true;
    }
}

bool netdp_i_read_number(const char *text, double *value)
{
    /* strtod alone would take leading blanks, "0x1p3", "nan(...)" and "infinity". */
    size_t length = strspn(text, "0123456789+-.eE");
    if (length == 0 || text[length] != '\0')
        return false;
    char *end;
    double read = strtod(text, &end);
    if (end != text + length)
        return false;
    *value = read;
    return true;
}

bool netdp_i_read_finite(const char *text, double *value)
{
    double read;
    if (!netdp_i_read_number(text, &read) || !isfinite(read))
        return false;
    *value = read + 0.0;
    return true;
}

bool netdp_i_read_whole(const char *text, int64_t *value)
{
    const char *digits = text + (text[0] == '-');
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    *value = strtoll(text, NULL, 10);
    return errno == 0;
}

netdp_i_rounded netdp_i_up(double value, int digits)
{
    netdp_i_rounded up;
    snprintf(up.text, sizeof up.text, "%.*g", digits, value);
    /* To the next number that the digits can tell. */
    for (int step = 1; step < 9 && isfinite(value) && strtod(up.text, NULL) < value; step++) {
        const double unit = pow(10, floor(log10(fabs(value))) - digits + 1);
        snprintf(up.text, sizeof up.text, "%.*g", digits, value + 0.5 * step * unit);
    }
    return up;
}

size_t netdp_i_distance(const char *a, const char *b)
{
    enum { MOST = 63 };
    size_t m = strnlen(a, MOST), n = strnlen(b, MOST);
    size_t row[3][MOST + 1];
    for (size_t j = 0; j <= n; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[m % 3][n];
}

size_t netdp_i_write_digits(uint64_t number, char *text)
{
    char digit[NETDP_I_DIGITS];
    size_t length = 0;
    do
        digit[length++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    for (size_t i = 0; i < length; i++)
        text[i] = digit[length - 1 - i];
    text[length] = '\0';
    return length;
}
