/* A study of a command line: its file, its options, and the folder of its results. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/common/command.h"
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
