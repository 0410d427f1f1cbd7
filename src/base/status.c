#include <netdp/status.h>

#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"

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

/* More than an error holds: what is cut is cut at a whole character, by netdp_i_escape. */
enum { RAW = 2 * sizeof((netdp_error *)NULL)->text };

/* Whatever the text quotes of a user's, control characters and line breaks never come through. */
static void tell(netdp_error *error, const char *raw)
{
    netdp_i_escape(raw, strlen(raw), error->text, sizeof error->text);
}

netdp_status netdp_i_fail(netdp_error *error, netdp_status status, const char *format, ...)
{
    if (error == NULL)
        return status;
    char raw[RAW];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    error->status = status;
    tell(error, raw);
    return status;
}

netdp_status netdp_i_not_given(netdp_error *error, const char *function)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: a pointer that it asks for is NULL; its header says what each is",
                        function);
}

bool netdp_i_arithmetic_usual(void)
{
    volatile double tiny = DBL_MIN;
    tiny /= 2;
    return tiny > 0 && fegetround() == FE_TONEAREST;
}

netdp_status netdp_i_arithmetic(netdp_error *error)
{
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "arithmetic: this thread does not round to nearest, or takes tiny numbers "
                        "for 0, and no bound would hold; call fesetenv(FE_DFL_ENV) first");
}

netdp_status netdp_i_no_memory(netdp_error *error)
{
    (void)netdp_i_json_failed(); /* it is being told */
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
    char raw[RAW];
    va_list arguments;
    va_start(arguments, format);
    const int used = vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    if (used >= 0 && (size_t)used < sizeof raw)
        snprintf(raw + used, sizeof raw - (size_t)used, ": %s", error->text);
    tell(error, raw);
    return status;
}
