#include "study/folder.h"

#include <errno.h>
#include <omp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

enum { PATH_ROOM = 4096 };

void netdp_i_folder_path(char *path, const char *folder, const char *file)
{
    snprintf(path, PATH_ROOM, "%s/%s", folder, file);
}

static netdp_status make_folders(const char *folder, netdp_error *error)
{
    char path[PATH_ROOM];
    if (strlen(folder) + 64 > sizeof path)
        return netdp_i_fail(error, NETDP_INVALID, "%.40s…: the path is too long", folder);
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path + 1;; slash++) {
        if (*slash != '/' && *slash != '\0')
            continue;
        const char kept = *slash;
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return netdp_i_fail(error, NETDP_ENVIRONMENT,
                                "%s: cannot make the folder: %s; choose another with -o", path,
                                strerror(errno));
        *slash = kept;
        if (kept == '\0')
            break;
    }
    struct stat shape;
    if (stat(folder, &shape) == 0 && !S_ISDIR(shape.st_mode))
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: is not a folder; choose another with -o",
                            folder);
    return NETDP_OK;
}

/* Whether two files have the same bytes. */
static netdp_status same_text(const char *a, const char *b, bool *same, netdp_error *error)
{
    char *one = NULL, *other = NULL;
    int64_t length = 0, other_length = 0;
    netdp_status status = netdp_i_file_load(a, &one, &length, error);
    if (status == NETDP_OK)
        status = netdp_i_file_load(b, &other, &other_length, error);
    if (status == NETDP_OK)
        *same = length == other_length && memcmp(one, other, (size_t)length) == 0;
    netdp_i_free(one);
    netdp_i_free(other);
    return status;
}

netdp_status netdp_i_folder_open(const netdp_study *study, const char *folder, bool *finished,
                                 netdp_error *error)
{
    char held[PATH_ROOM], ours[PATH_ROOM], summary[PATH_ROOM];
    netdp_status status = make_folders(folder, error);
    if (status != NETDP_OK)
        return status;
    netdp_i_folder_path(held, folder, "study.yaml");
    netdp_i_folder_path(ours, folder, "study.yaml.new");
    netdp_i_folder_path(summary, folder, "summary.json");
    *finished = false;
    if (access(held, F_OK) != 0)
        return netdp_study_write(study, held, error);
    bool same = false;
    status = netdp_study_write(study, ours, error);
    if (status == NETDP_OK)
        status = same_text(held, ours, &same, error);
    unlink(ours);
    if (status == NETDP_OK && !same)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: holds the results of another study; choose another folder with "
                              "-o or remove this one",
                              folder);
    *finished = status == NETDP_OK && access(summary, F_OK) == 0;
    return status;
}

void netdp_i_folder_log(const char *folder, const char *format, ...)
{
    char path[PATH_ROOM], host[128] = "?", date[64] = "?";
    netdp_i_folder_path(path, folder, "run.log");
    FILE *log = fopen(path, "a");
    if (log == NULL)
        return; /* a log that cannot be written must not lose the results */
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) != NULL)
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S%z", &local);
    gethostname(host, sizeof host - 1);
    fprintf(log, "%s %s %d threads: ", date, host, omp_get_max_threads());
    va_list arguments;
    va_start(arguments, format);
    vfprintf(log, format, arguments);
    va_end(arguments);
    fputc('\n', log);
    fclose(log);
}

netdp_status netdp_i_progress_made_new(int32_t width, netdp_i_progress_made *made,
                                       netdp_error *error)
{
    *made = (netdp_i_progress_made){0};
    made->objective[0] = NETDP_I_NEW(double, NETDP_I_VARIANTS);
    made->objective[1] = NETDP_I_NEW(double, NETDP_I_VARIANTS);
    made->square = NETDP_I_NEW(double, (int64_t)NETDP_I_VARIANTS *width);
    if (made->objective[0] == NULL || made->objective[1] == NULL || made->square == NULL) {
        netdp_i_progress_made_clear(made);
        return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

void netdp_i_progress_made_clear(netdp_i_progress_made *made)
{
    netdp_i_free(made->objective[0]);
    netdp_i_free(made->objective[1]);
    netdp_i_free(made->square);
    *made = (netdp_i_progress_made){0};
}

static json_t *store_numbers(const double *values, int32_t count)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(values[i]));
    return list;
}

static bool restore_numbers(const json_t *list, double *values, int32_t count)
{
    if (json_array_size(list) != (size_t)count)
        return false;
    for (int32_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        if (!json_is_number(value))
            return false;
        values[i] = json_number_value(value);
    }
    return true;
}

netdp_status netdp_i_checkpoint_write(const char *folder, const netdp_i_plan *plan, int32_t width,
                                      const netdp_i_progress_made *made, netdp_error *error)
{
    char path[PATH_ROOM];
    netdp_i_folder_path(path, folder, "checkpoint");
    json_t *stored =
        json_pack("{s:o, s:I, s:I, s:o, s:o, s:o}", "plan", netdp_i_plan_store(plan), "done",
                  (json_int_t)made->done, "trace_bytes", (json_int_t)made->trace_bytes, "objective",
                  store_numbers(made->objective[0], NETDP_I_VARIANTS), "objective_square",
                  store_numbers(made->objective[1], NETDP_I_VARIANTS), "square",
                  store_numbers(made->square, NETDP_I_VARIANTS * width));
    if (stored == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = netdp_i_json_write(stored, path, error);
    json_decref(stored);
    return status;
}

netdp_status netdp_i_checkpoint_read(const char *folder, const netdp_i_problem *problem,
                                     netdp_i_plan *plan, netdp_i_progress_made *made, bool *found,
                                     netdp_error *error)
{
    char path[PATH_ROOM];
    netdp_i_folder_path(path, folder, "checkpoint");
    *found = access(path, F_OK) == 0;
    if (!*found)
        return NETDP_OK;
    json_error_t why;
    json_t *stored = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    json_t *parts[4] = {NULL};
    json_int_t done = 0, bytes = 0;
    netdp_status status = NETDP_OK;
    if (stored == NULL ||
        json_unpack(stored, "{s:o, s:I, s:I, s:o, s:o, s:o !}", "plan", &parts[0], "done", &done,
                    "trace_bytes", &bytes, "objective", &parts[1], "objective_square", &parts[2],
                    "square", &parts[3]) != 0 ||
        done < 0 || bytes < 0 || !restore_numbers(parts[1], made->objective[0], NETDP_I_VARIANTS) ||
        !restore_numbers(parts[2], made->objective[1], NETDP_I_VARIANTS) ||
        !restore_numbers(parts[3], made->square, NETDP_I_VARIANTS * problem->width))
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: not a checkpoint; remove it to start the study anew", path);
    if (status == NETDP_OK)
        status =
            netdp_i_within(error, netdp_i_plan_restore(parts[0], problem, plan, error), "%s", path);
    made->done = done;
    made->trace_bytes = bytes;
    json_decref(stored);
    return status;
}
