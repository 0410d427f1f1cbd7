#include <netdp/status.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

int netdp_status_exit_code(netdp_status status)
{
    switch (status) {
    case NETDP_OK:
        return 0;
    case NETDP_NO_ANSWER:
        return 1;
    case NETDP_INVALID:
        return 2;
    case NETDP_INTERRUPTED:
        return 130;
    case NETDP_ENVIRONMENT:
    case NETDP_NO_MEMORY:
        break;
    }
    return 3;
}

const char *netdp_version(void)
{
    return NETDP_VERSION;
}

netdp_status netdp_i_fail(netdp_error *error, netdp_status status, const char *format, ...)
{
    if (error == NULL)
        return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

netdp_status netdp_i_no_memory(netdp_error *error)
{
    return netdp_i_fail(error, NETDP_NO_MEMORY,
                        "out of memory; use a smaller graph, fewer pairs or a larger machine");
}

netdp_status netdp_i_check_choice(const char *what, int64_t number, int64_t most,
                                  netdp_error *error)
{
    if (number >= 0 && number <= most)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: number %" PRId64 " is none that the header has; give 0 to %" PRId64,
                        what, (int64_t)(int32_t)number, most);
}

netdp_status netdp_i_within(netdp_error *error, netdp_status status, const char *format, ...)
{
    if (error == NULL || status == NETDP_OK)
        return status;
    char told[sizeof error->text];
    memcpy(told, error->text, sizeof told);
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    size_t room = sizeof error->text;
    if (used >= 0 && (size_t)used + 3 < room) {
        char *rest = error->text + used;
        memcpy(rest, ": ", 2);
        size_t left = room - (size_t)used - 3;
        size_t length = strnlen(told, left);
        memcpy(rest + 2, told, length);
        rest[2 + length] = '\0';
    }
    return status;
}
