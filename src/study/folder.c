#include "study/folder.h"

#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "study/midway.h"

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

/* What processes that are gone were writing beside a file (file.c: NAME.part-PID). */
static void sweep(const char *folder)
{
    DIR *listing = opendir(folder);
    if (listing == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[PATH_ROOM + sizeof entry->d_name], *end = NULL;
        const char *part = strstr(entry->d_name, ".part-");
        const long process = part != NULL ? strtol(part + 6, &end, 10) : 0;
        if (process <= 0 || *end != '\0' || kill((pid_t)process, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(listing);
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
    sweep(folder);
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

netdp_status netdp_i_progress_made_new(const netdp_i_plan *plan, netdp_i_progress_made *made,
                                       netdp_error *error)
{
    netdp_i_progress_made fresh = {.sums = NETDP_I_NEW(netdp_i_sums, plan->count)};
    bool whole = fresh.sums != NULL;
    for (; whole && fresh.count < plan->count; fresh.count++) {
        netdp_i_sums *sums = &fresh.sums[fresh.count];
        sums->width = plan->variant[fresh.count].problem->width;
        sums->square = NETDP_I_NEW(double, sums->width);
        whole = sums->square != NULL;
    }
    if (!whole) {
        netdp_i_progress_made_clear(&fresh);
        return netdp_i_no_memory(error);
    }
    *made = fresh;
    return NETDP_OK;
}

void netdp_i_progress_made_clear(netdp_i_progress_made *made)
{
    for (int32_t i = 0; i < made->count; i++)
        netdp_i_free(made->sums[i].square);
    netdp_i_free(made->sums);
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

static json_t *store_sums(const netdp_i_progress_made *made)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < made->count; i++) {
        const netdp_i_sums *sums = &made->sums[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:f, s:I, s:I, s:f}", "objective",
                                              store_numbers(sums->objective, 2), "accuracy",
                                              store_numbers(sums->accuracy, 2), "square",
                                              store_numbers(sums->square, sums->width), "messages",
                                              sums->messages, "most_contributions",
                                              (json_int_t)sums->contributions.most, "contributions",
                                              (json_int_t)sums->contributions.all,
                                              "contributions_cost", sums->contributions.cost));
    }
    return list;
}

static bool restore_sums(const json_t *list, netdp_i_progress_made *made)
{
    bool whole = json_array_size(list) == (size_t)made->count;
    for (int32_t i = 0; whole && i < made->count; i++) {
        netdp_i_sums *sums = &made->sums[i];
        json_t *stored = json_array_get(list, (size_t)i), *objective, *accuracy, *square;
        json_int_t most = 0, all = 0;
        double cost = 0;
        whole = json_unpack(stored, "{s:o, s:o, s:o, s:F, s:I, s:I, s:F !}", "objective",
                            &objective, "accuracy", &accuracy, "square", &square, "messages",
                            &sums->messages, "most_contributions", &most, "contributions", &all,
                            "contributions_cost", &cost) == 0 &&
                restore_numbers(objective, sums->objective, 2) &&
                restore_numbers(accuracy, sums->accuracy, 2) &&
                restore_numbers(square, sums->square, sums->width);
        sums->contributions = (netdp_i_contributions){most, all, cost};
    }
    return whole;
}

void netdp_i_checkpoint_remove(const char *folder)
{
    char path[PATH_ROOM];
    netdp_i_folder_path(path, folder, "checkpoint");
    unlink(path);
    netdp_i_midway_remove(folder);
}

netdp_status netdp_i_folder_finished(const netdp_i_problems *problems, const char *folder,
                                     netdp_error *error)
{
    char path[PATH_ROOM], digest[65];
    const char *held = NULL;
    json_error_t why;
    /* An end between the summary and the checkpoint's removal leaves the checkpoint. */
    netdp_i_checkpoint_remove(folder);
    netdp_i_folder_path(path, folder, "summary.json");
    netdp_i_problems_digest(problems, digest);
    json_t *summary = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    netdp_status status = NETDP_OK;
    if (json_unpack(summary, "{s:s}", "inputs_sha256", &held) != 0)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: not a summary; remove the folder and run again", path);
    else if (strcmp(held, digest) != 0)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: holds the results for another graph or other data; choose "
                              "another folder with -o or remove this one",
                              folder);
    json_decref(summary);
    return status;
}

netdp_status netdp_i_checkpoint_write(const char *folder, const netdp_i_plan *plan,
                                      const netdp_i_problems *problems,
                                      const netdp_i_progress_made *made, netdp_error *error)
{
    char path[PATH_ROOM], digest[65];
    netdp_i_problems_digest(problems, digest);
    netdp_i_folder_path(path, folder, "checkpoint");
    json_t *stored =
        json_pack("{s:s, s:o, s:I, s:I, s:o}", "problem", digest, "plan", netdp_i_plan_store(plan),
                  "done", (json_int_t)made->done, "trace_bytes", (json_int_t)made->trace_bytes,
                  "sums", store_sums(made));
    if (stored == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = netdp_i_json_write(stored, path, error);
    json_decref(stored);
    return status;
}

/* The parts of a checkpoint that is one, into a plan and what was made of it. */
static netdp_status restore(json_t *stored, const char *path, const netdp_study *study,
                            const netdp_i_problems *problems, netdp_i_plan *plan,
                            netdp_i_progress_made *made, netdp_error *error)
{
    char digest[65];
    const char *held = NULL;
    json_t *planned = NULL, *sums = NULL;
    json_int_t done = 0, bytes = 0;
    netdp_i_plan read = {0};
    if (json_unpack(stored, "{s:s, s:o, s:I, s:I, s:o !}", "problem", &held, "plan", &planned,
                    "done", &done, "trace_bytes", &bytes, "sums", &sums) != 0 ||
        done < 0 || bytes < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: not a checkpoint; remove it to start the study anew", path);
    netdp_i_problems_digest(problems, digest);
    if (strcmp(held, digest) != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: the graph or the data have changed since; bring them back, or "
                            "remove it to start the study anew",
                            path);
    netdp_status status = netdp_i_within(
        error, netdp_i_plan_restore(planned, study, problems, &read, error), "%s", path);
    if (status == NETDP_OK)
        status = netdp_i_progress_made_new(&read, made, error);
    if (status == NETDP_OK && !restore_sums(sums, made)) {
        netdp_i_progress_made_clear(made);
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: not a checkpoint; remove it to start the study anew", path);
    }
    if (status != NETDP_OK) {
        netdp_i_plan_clear(&read);
        return status;
    }
    *plan = read;
    made->done = done;
    made->trace_bytes = bytes;
    return NETDP_OK;
}

netdp_status netdp_i_checkpoint_read(const char *folder, const netdp_study *study,
                                     const netdp_i_problems *problems, netdp_i_plan *plan,
                                     netdp_i_progress_made *made, bool *found, netdp_error *error)
{
    char path[PATH_ROOM];
    json_error_t why;
    netdp_i_folder_path(path, folder, "checkpoint");
    *found = access(path, F_OK) == 0;
    if (!*found)
        return NETDP_OK;
    json_t *stored = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    netdp_status status = restore(stored, path, study, problems, plan, made, error);
    json_decref(stored);
    return status;
}
