#define _GNU_SOURCE
#include "run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "run/checkpoint.h"
#include "run/record.h"

static netdp_status make_folders(const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    REFUSE(strlen(folder) + 64 > sizeof path, "%.40s…: the path is too long", folder);
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
    OWNED char *one = NULL;
    OWNED char *other = NULL;
    int64_t length = 0, other_length = 0;
    TRY(netdp_i_file_load(a, &one, &length, error));
    TRY(netdp_i_file_load(b, &other, &other_length, error));
    *same = length == other_length && memcmp(one, other, (size_t)length) == 0;
    return NETDP_OK;
}

/* It says where the data lie: not for others. */
static netdp_status write_study(const netdp_study *study, const char *path, netdp_error *error)
{
    TRY(netdp_study_write(study, path, error));
    if (chmod(path, 0600) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: cannot be kept from others: %s", path,
                            strerror(errno));
    return NETDP_OK;
}

/* What processes that are gone were writing beside a file (file.c: NAME.part-PID). */
static void sweep(const char *folder)
{
    DIR *listing = opendir(folder);
    if (listing == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[NETDP_I_PATH_ROOM + sizeof entry->d_name], *end = NULL;
        const char *part = strstr(entry->d_name, ".part-");
        const long process = part != NULL ? strtol(part + 6, &end, 10) : 0;
        if (process <= 0 || *end != '\0' || kill((pid_t)process, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(listing);
}

/* Is it the folder's own study file, which was read to go on? */
static bool is_own(const netdp_study *study, const char *held)
{
    struct stat one, other;
    return stat(study->path, &one) == 0 && stat(held, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* The folder's study.yaml must be this study, to the byte. */
static netdp_status check_held(const netdp_study *study, const char *folder, const char *held,
                               netdp_error *error)
{
    char ours[NETDP_I_PATH_ROOM];
    bool same = false;
    netdp_i_file_path(ours, folder, "study.yaml.new");
    netdp_status status = netdp_study_write(study, ours, error);
    if (status == NETDP_OK)
        status = same_text(held, ours, &same, error);
    unlink(ours);
    if (status != NETDP_OK || same)
        return status;
    REFUSE(is_own(study, held),
           "%s: was edited; take that back, or run the study as it is now: netdp run %s -o NEW",
           held, held);
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: holds the results of another study; choose another folder with -o, or "
                        "replace them with --force",
                        folder);
}

static bool holds(const char *folder, const char *file)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, file);
    return access(path, F_OK) == 0;
}

/* Who holds the lock, as they wrote into it. */
static netdp_status fail_locked(int file, const char *folder, netdp_error *error)
{
    char who[128] = "";
    const ssize_t length = pread(file, who, sizeof who - 1, 0);
    who[length > 0 ? length : 0] = '\0';
    who[strcspn(who, "\n")] = '\0';
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%s: another run is writing into it (%s, %s/lock); wait for it, or choose "
                        "another folder with -o",
                        folder, netdp_i_show_text(who).text, folder);
}

/*
 * The lock of an open file description: it ends with the process, and a file system that hosts
 * share knows it too. *held false: another has it. A file system without locks has none to give.
 */
static bool try_lock(int file, bool *held)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *held = true;
    if (fcntl(file, F_OFD_SETLK, &whole) == 0)
        return true;
    *held = errno != EAGAIN && errno != EACCES;
    return *held;
}

/* -1 where the folder cannot be locked; whoever had the file before may just have removed it. */
static netdp_status lock_folder(const char *folder, int *lock, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], host[128] = "?";
    netdp_i_file_path(path, folder, "lock");
    for (;;) {
        struct stat ours, there;
        bool held = false;
        const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0)
            return netdp_i_fail(error, NETDP_ENVIRONMENT,
                                "%s: cannot write: %s; choose another folder with -o", path,
                                strerror(errno));
        if (!try_lock(file, &held)) {
            netdp_status status = fail_locked(file, folder, error);
            close(file);
            return status;
        }
        if (fstat(file, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino) {
            gethostname(host, sizeof host - 1);
            if (ftruncate(file, 0) == 0)
                dprintf(file, "process %ld on %s\n", (long)getpid(), host);
            *lock = file;
            return NETDP_OK;
        }
        close(file);
    }
}

void netdp_i_folder_close(const char *folder, int *lock)
{
    char path[NETDP_I_PATH_ROOM];
    if (*lock < 0)
        return;
    netdp_i_file_path(path, folder, "lock");
    unlink(path); /* while it is held */
    close(*lock);
    *lock = -1;
}

/* The opened folder holds nothing, or what this study has begun. */
static netdp_status check_begun(const netdp_study *study, const char *folder, bool finished,
                                netdp_error *error)
{
    char held[NETDP_I_PATH_ROOM];
    netdp_i_file_path(held, folder, "study.yaml");
    const bool begun = holds(folder, "checkpoint"), summed = holds(folder, "summary.json");
    if (access(held, F_OK) == 0)
        TRY(check_held(study, folder, held, error));
    else {
        REFUSE(begun || summed || finished,
               "%s: holds results without their study.yaml; choose another folder with -o or "
               "remove this one",
               folder);
        TRY(write_study(study, held, error));
    }
    /* Between the summary and the manifest a run still has its checkpoint; claims have none. */
    REFUSE(summed && !begun && !finished && !netdp_i_study_claims(study),
           "%s: has a summary.json and no manifest.json, so that nothing says whether its files "
           "are whole; choose another folder with -o or remove this one",
           folder);
    return NETDP_OK;
}

/*
 * What netdp left in a result folder goes, the log and what is not netdp's apart; a folder without
 * results stays as it is. The manifest goes first: half of a record is none.
 */
static void clear_folder(const char *folder)
{
    static const char *const others[] = {"study.yaml",  "report.html",     "figure.csv",
                                         "figure.json", "figure.svg",      "audit.csv",
                                         "audit.json",  "audit.checkpoint"};
    char path[NETDP_I_PATH_ROOM];
    if (!holds(folder, "summary.json") && !holds(folder, "checkpoint") &&
        !holds(folder, "audit.json") && !holds(folder, "audit.checkpoint") &&
        !netdp_i_record_finished(folder))
        return;
    netdp_i_file_path(path, folder, "manifest.json");
    unlink(path);
    netdp_i_checkpoint_remove(folder);
    netdp_i_record_clear(folder);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        netdp_i_file_path(path, folder, others[i]);
        unlink(path);
    }
}

netdp_status netdp_i_folder_open(const netdp_study *study, const char *folder, bool *finished,
                                 int *lock, netdp_error *error)
{
    *lock = -1;
    *finished = false;
    TRY(make_folders(folder, error));
    *finished = netdp_i_record_finished(folder) && !study->anew;
    if (!*finished) {
        TRY(lock_folder(folder, lock, error));
        if (study->anew)
            clear_folder(folder);
        *finished = netdp_i_record_finished(folder);
    } else if (holds(folder, "lock") && lock_folder(folder, lock, NULL) == NETDP_OK) {
        netdp_i_folder_close(folder, lock); /* of a run that was killed when it was done */
    }
    sweep(folder);
    const netdp_status status = check_begun(study, folder, *finished, error);
    if (status != NETDP_OK)
        netdp_i_folder_close(folder, lock);
    return status;
}

void netdp_i_folder_log(const char *folder, const char *format, ...)
{
    char path[NETDP_I_PATH_ROOM], host[128] = "?", date[64] = "?";
    netdp_i_file_path(path, folder, "run.log");
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
