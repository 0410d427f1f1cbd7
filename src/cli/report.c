#include "cli/common/command.h"

#include <stdio.h>
#include <string.h>
#include <netdp/study.h>

#include "base/fail.h"
#include "base/try.h"

static netdp_status report(const char *folder, const char *page, const char *data, bool private,
                           netdp_error *error)
{
    char usual[NETDP_I_PATH_ROOM];
    REFUSE(strlen(folder) + 64 > sizeof usual, "the path is too long");
    const bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
    snprintf(usual, sizeof usual, "%s%sreport%s.html", folder, slash ? "" : "/",
             private ? "-private" : "");
    WATCHED(false, netdp_report_write(folder, data, private, page != NULL ? page : usual, &progress,
                                      error));
    if (page == NULL || strcmp(page, "-") != 0)
        puts(page != NULL ? page : usual);
    return NETDP_OK;
}

netdp_status netdp_i_command_report(int argc, const char **argv, netdp_error *error)
{
    const char *page = NULL, *data = NULL;
    bool private = false;
    const netdp_i_option table[] = {
        {NETDP_I_TEXT, 'o', "output", &page, "FILE", "the page; -: standard output",
         "DIR/report.html"},
        SWITCH(
            "private", &private,
            "for the experimenter alone, as DIR/report-private.html: with errors, released values, "
            "seed, study and digests, which are computed from the data or remove the noise"),
        OPTION(TEXT, "data", &data, "DIR",
               "where the data sets are, for a graph that came from there; after it $NETDP_DATA, "
               "./data, ../shared/data",
               "none"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "report",
        .arguments = "DIR",
        .what = "Writes one HTML page about a result folder of netdp run or netdp audit, and "
                "prints its path. The page says who could learn what about whom and under which "
                "assumptions, shows the pairwise losses as a table, on the graph and against "
                "distance, the utility, and how to repeat it. It is for others: nothing in it was "
                "computed from the data without noise. It holds all it shows and works offline.",
        .examples = "  netdp report results/meters-on-davis\n"
                    "  netdp report results/meters-on-davis --private\n"
                    "  netdp report results/meters-on-davis -o page.html\n",
        .least = 1,
        .most = 1,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return report(arguments.text[0], page, data, private, error);
}
