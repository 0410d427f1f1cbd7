#include "cli/common/command.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/try.h"

const netdp_i_engine *netdp_i_cli_engine;

bool netdp_i_cli_speaks(void)
{
    return netdp_i_cli_engine == NULL || netdp_i_cli_engine->speaks();
}

netdp_status netdp_i_cli_choose_engine(const char *name, const netdp_i_engine **engine,
                                       netdp_error *error)
{
    const bool mpi = strcmp(name, "mpi") == 0;
    REFUSE(!mpi && strcmp(name, "single") != 0, "--engine: '%s'; give single or mpi",
           netdp_i_show_text(name).text);
    *engine = mpi ? netdp_i_cli_engine : NULL;
    return NETDP_OK;
}

bool netdp_i_cli_number(const char *text, bool infinite, double *value)
{
    if (infinite && strcmp(text, "inf") == 0) {
        *value = INFINITY;
        return true;
    }
    return netdp_i_read_finite(text, value);
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
    char text[1024], line[1024];
    va_list arguments;
    if (!netdp_i_cli_speaks())
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* File names may hold anything; a note is one line. */
    netdp_i_escape(text, strlen(text), line, sizeof line);
    fprintf(stderr, "netdp: note: %s\n", line);
}

netdp_status netdp_i_cli_print_json(json_t *object, netdp_error *error)
{
    OWNED_BY(json_decref) json_t *mine = object;
    NEED(mine);
    return netdp_i_json_write(mine, "-", error);
}

static const char without[] =
    "this netdp was built without it; install libuv1-dev, libssl-dev and "
    "libsqlite3-dev, then meson setup --reconfigure -Dpeer=enabled and build";

netdp_status netdp_i_cli_without_peer(netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s", without);
}

netdp_status netdp_i_cli_without_part(const char *command, int argc, const char **argv,
                                      netdp_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", command, argv[0]);
    const netdp_i_option none[] = {{0}};
    const netdp_i_usage usage = {
        .command = name, .arguments = "", .what = without, .most = SIZE_MAX, .options = none};
    netdp_i_arguments arguments;
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    const bool help = arguments.help;
    netdp_i_arguments_free(&arguments);
    return status == NETDP_OK && help ? NETDP_OK : netdp_i_cli_without_peer(error);
}

netdp_status netdp_i_cli_run_part(const netdp_i_part *parts, const netdp_i_usage *usage,
                                  const char *words, int argc, const char **argv,
                                  netdp_error *error)
{
    for (const netdp_i_part *part = parts; argc > 1 && part->name != NULL; part++)
        if (strcmp(argv[1], part->name) == 0)
            return part->run(argc - 1, argv + 1, error);
    const netdp_i_option none[] = {{0}};
    netdp_i_usage page = *usage;
    page.least = page.most = 1;
    page.options = none;
    CLEARED(netdp_i_arguments_free) netdp_i_arguments arguments = {0};
    TRY(netdp_i_cli_parse(&page, argc, argv, &arguments, error));
    if (!arguments.help) {
        const char *known[16], *nearest;
        size_t count = 0;
        for (const netdp_i_part *part = parts; part->name != NULL && count < 16; part++)
            known[count++] = part->name;
        nearest = netdp_i_nearest(arguments.text[0], known, count);
        return netdp_i_fail(error, NETDP_INVALID, "'%s': must be %s%s%s%s",
                            netdp_i_show_text(arguments.text[0]).text, words,
                            nearest != NULL ? "; did you mean '" : "",
                            nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    }
    return NETDP_OK;
}
