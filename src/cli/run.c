#include "cli/common/command.h"

#include <stdio.h>
#include <string.h>
#include <netdp/study.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/try.h"
#include "study/study.h"

static netdp_status run_study(const char *given, const netdp_i_study_options *o, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], file[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    const bool resume = netdp_i_file_is_folder(given);
    REFUSE(strlen(given) + 64 > NETDP_I_PATH_ROOM ||
               (o->folder != NULL && strlen(o->folder) + 64 > NETDP_I_PATH_ROOM),
           "the path is too long");
    REFUSE(resume && (o->folder != NULL || o->set.count > 0 || o->quick),
           "%s is a result folder, which goes on as it was begun: leave out -o, "
           "--set and --quick, or name the study file",
           given);
    snprintf(file, sizeof file, resume ? "%s/study.yaml" : "%s", given);
    snprintf(folder, sizeof folder, "%s", o->folder != NULL ? o->folder : given);
    REFUSE(strcmp(given, "-") == 0 && o->folder == NULL,
           "-: a study of standard input has no name; give its folder with -o DIR");
    if (!resume && o->folder == NULL)
        netdp_i_cli_results(given, o->quick ? "-quick" : "", folder);
    TRY(netdp_i_cli_read_study(file, o, &study, error));
    netdp_i_cli_begin_anew(o, study, folder);
    WATCHED(true, netdp_study_run(study, folder, o->data, &progress, error));
    return netdp_i_cli_print_result(folder, o->json, error);
}

netdp_status netdp_i_command_run(int argc, const char **argv, netdp_error *error)
{
    CLEARED(netdp_i_study_options_clear) netdp_i_study_options o = {0};
    const netdp_i_option table[] = {
        NETDP_I_QUICK_OPTION(o),
        NETDP_I_STUDY_OPTIONS(o, "results/NAME for NAME.yaml", "summary.json"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "run",
        .arguments = "STUDY.yaml|DIR",
        .what = "Calibrate, account for and simulate a study, into a result folder; or go on with "
                "a folder that was interrupted. STUDY.yaml is - for standard input, with -o DIR.",
        .examples = "  netdp run experiments/meters-on-davis.yaml\n"
                    "  netdp run experiments/meters-on-davis.yaml -o results/half --set "
                    "privacy.epsilon=2\n",
        .least = 1,
        .most = 1,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return run_study(arguments.text[0], &o, error);
}
