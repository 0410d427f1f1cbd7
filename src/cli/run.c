#include "cli/common/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netdp/study.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "study/study.h"

void netdp_i_cli_results(const char *study, const char *suffix, char *folder)
{
    const char *slash = strrchr(study, '/');
    const char *name = slash != NULL ? slash + 1 : study;
    const char *dot = strrchr(name, '.');
    snprintf(folder, NETDP_I_PATH_ROOM, "results/%.*s%s",
             dot != NULL ? (int)(dot - name) : (int)strlen(name), name, suffix);
}

void netdp_i_study_options_clear(netdp_i_study_options *options)
{
    netdp_i_free(options->set.text);
    options->set.text = NULL;
}

netdp_status netdp_i_cli_read_study(const char *file, const netdp_i_study_options *options,
                                    netdp_study **study, netdp_error *error)
{
    TRY((options->quick ? netdp_study_read_quick : netdp_study_read)(
        file, options->set.text, options->set.count, study, error));
    if ((*study)->whole)
        netdp_i_cli_note("%s: has no section quick, which would make it smaller: it runs whole",
                         netdp_i_show_text(file).text);
    return NETDP_OK;
}

void netdp_i_cli_begin_anew(const netdp_i_study_options *options, netdp_study *study,
                            const char *folder)
{
    char path[NETDP_I_PATH_ROOM + 16];
    netdp_study *held = NULL;
    netdp_error ignored;
    study->anew = options->force;
    snprintf(path, sizeof path, "%s/study.yaml", folder);
    if (!options->force || access(path, F_OK) != 0)
        return;
    if (netdp_study_read(path, NULL, 0, &held, &ignored) == NETDP_OK)
        netdp_i_cli_note("%s: the results of '%s' that it holds are replaced", folder,
                         netdp_i_show_text(held->title).text);
    else
        netdp_i_cli_note("%s: the results that it holds are replaced", folder);
    netdp_study_free(held);
}

static netdp_status run_study(const char *given, const netdp_i_study_options *o, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], file[NETDP_I_PATH_ROOM];
    netdp_study *study = NULL;
    const bool resume = netdp_i_file_is_folder(given);
    if (strlen(given) + 64 > NETDP_I_PATH_ROOM ||
        (o->folder != NULL && strlen(o->folder) + 64 > NETDP_I_PATH_ROOM))
        return netdp_i_fail(error, NETDP_INVALID, "the path is too long");
    if (resume && (o->folder != NULL || o->set.count > 0 || o->quick))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s is a result folder, which goes on as it was begun: leave out -o, "
                            "--set and --quick, or name the study file",
                            given);
    snprintf(file, sizeof file, resume ? "%s/study.yaml" : "%s", given);
    snprintf(folder, sizeof folder, "%s", o->folder != NULL ? o->folder : given);
    if (strcmp(given, "-") == 0 && o->folder == NULL)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "-: a study of standard input has no name; give its folder with -o DIR");
    if (!resume && o->folder == NULL)
        netdp_i_cli_results(given, o->quick ? "-quick" : "", folder);
    TRY(netdp_i_cli_read_study(file, o, &study, error));
    netdp_i_cli_begin_anew(o, study, folder);
    netdp_progress progress = netdp_i_cli_progress_begin(true);
    netdp_status status = netdp_study_run(study, folder, o->data, &progress, error);
    netdp_i_cli_progress_end();
    netdp_study_free(study);
    return status == NETDP_OK ? netdp_i_cli_print_result(folder, o->json, error) : status;
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
    CLEARED(netdp_i_arguments_free) netdp_i_arguments arguments = {0};
    TRY(netdp_i_cli_parse(&usage, argc, argv, &arguments, error));
    if (!arguments.help)
        return run_study(arguments.text[0], &o, error);
    return NETDP_OK;
}
