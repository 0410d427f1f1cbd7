/*
 * Numbers and letters are read and written as in the locale "C", whatever locale the program around the library has
 * set: 1.5 is never 1,5, and I and i are one letter in Turkish too. Every source of netdp is compiled with this header
 * in front (meson.build), so that no call can be forgotten; the test "locale" runs the library under a decimal comma.
 */
#ifndef NETDP_I_PLAIN_H
#define NETDP_I_PLAIN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Made without memory: a locale of which every part is "C" is one that the C library has. */
static inline locale_t netdp_i_plain(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* RESULT of a call that takes its format and the arguments after it, in the locale "C". */
#define NETDP_I_PLAINLY(call)                                                                      \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    const locale_t before = uselocale(netdp_i_plain());                                            \
    const int result = call;                                                                       \
    uselocale(before);                                                                             \
    va_end(arguments);                                                                             \
    return result

__attribute__((format(printf, 2, 3))) static inline int netdp_i_fprintf(FILE *out,
                                                                        const char *format, ...)
{
    NETDP_I_PLAINLY(vfprintf(out, format, arguments));
}

__attribute__((format(printf, 1, 2))) static inline int netdp_i_printf(const char *format, ...)
{
    NETDP_I_PLAINLY(vprintf(format, arguments));
}

__attribute__((format(printf, 3, 4))) static inline int netdp_i_snprintf(char *to, size_t room,
                                                                         const char *format, ...)
{
    NETDP_I_PLAINLY(vsnprintf(to, room, format, arguments));
}

__attribute__((format(scanf, 2, 3))) static inline int netdp_i_sscanf(const char *from,
                                                                      const char *format, ...)
{
    NETDP_I_PLAINLY(vsscanf(from, format, arguments));
}

__attribute__((format(printf, 2, 0))) static inline int
netdp_i_vfprintf(FILE *out, const char *format, va_list arguments)
{
    const locale_t before = uselocale(netdp_i_plain());
    const int result = vfprintf(out, format, arguments);
    uselocale(before);
    return result;
}

__attribute__((format(printf, 3, 0))) static inline int
netdp_i_vsnprintf(char *to, size_t room, const char *format, va_list arguments)
{
    const locale_t before = uselocale(netdp_i_plain());
    const int result = vsnprintf(to, room, format, arguments);
    uselocale(before);
    return result;
}

#undef fprintf
#undef printf
#undef snprintf
#undef sscanf
#undef vfprintf
#undef vsnprintf
#undef strtod
#undef strcasecmp
#undef strncasecmp
#undef isspace
#undef isdigit
#undef strftime
#define fprintf(...) netdp_i_fprintf(__VA_ARGS__)
#define printf(...) netdp_i_printf(__VA_ARGS__)
#define snprintf(...) netdp_i_snprintf(__VA_ARGS__)
#define sscanf(...) netdp_i_sscanf(__VA_ARGS__)
#define vfprintf(out, format, arguments) netdp_i_vfprintf(out, format, arguments)
#define vsnprintf(to, room, format, arguments) netdp_i_vsnprintf(to, room, format, arguments)
#define strtod(text, end) strtod_l(text, end, netdp_i_plain())
#define strcasecmp(a, b) strcasecmp_l(a, b, netdp_i_plain())
#define strncasecmp(a, b, count) strncasecmp_l(a, b, count, netdp_i_plain())
#define isspace(c) isspace_l(c, netdp_i_plain())
#define isdigit(c) isdigit_l(c, netdp_i_plain())
#define strftime(to, room, format, when) strftime_l(to, room, format, when, netdp_i_plain())

#endif
