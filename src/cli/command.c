#include "cli/command.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"

bool netdp_i_cli_number(const char *text, bool infinite, double *value)
{
    if (infinite && strcmp(text, "inf") == 0) {
        *value = INFINITY;
        return true;
    }
    double read;
    if (!netdp_i_read_number(text, &read) || !isfinite(read))
        return false;
    *value = read;
    return true;
}

netdp_status netdp_i_cli_read_number(const char *what, const char *text, bool infinite,
                                     double *value, netdp_error *error)
{
    if (netdp_i_cli_number(text, infinite, value))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "%s: '%s' is not a number such as 0.5 or 1e-6", what,
                        netdp_i_show_text(text).text);
}

void netdp_i_cli_note(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* File names may hold anything; a note is one line. */
    for (char *c = text; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    fprintf(stderr, "netdp: note: %s\n", text);
}

netdp_status netdp_i_cli_print_json(json_t **object, netdp_error *error)
{
    json_t *mine = *object;
    *object = NULL;
    if (mine == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = netdp_i_json_write(mine, "-", error);
    json_decref(mine);
    return status;
}
