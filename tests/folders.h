/*
 * Studies run in processes of their own, in a folder of the test's own; the progress that they
 * report kills or stops them.
 */
#ifndef NETDP_TESTS_FOLDERS_H
#define NETDP_TESTS_FOLDERS_H

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <netdp/study.h>

#include "base/file.h"
#include "base/memory.h"
#include "run/checkpoint.h"
#include "study/study.h"

enum { ROOM = 1024 }; /* of a path */

static char folder[64];

/* What a run tells its parent, and when it ends. */
typedef struct watch {
    int64_t reports; /* of the simulation so far */
    int64_t end_at;  /* the report at which it ends; 0: never */
    bool kills;      /* by SIGKILL, else by stopping */
    bool waits;      /* it does not end then: it waits for SIGCONT */
    bool read;       /* the study could be read */
    netdp_error error;
} watch;

static watch *shared;
static bool waiting; /* of the next that is started */

static inline void path_of(char path[ROOM], const char *place, const char *file)
{
    snprintf(path, ROOM, "%s/%.300s%s%.300s", folder, place, file[0] != '\0' ? "/" : "", file);
}

static inline bool report(void *context, const char *what, double done, double total)
{
    (void)context, (void)done, (void)total;
    if (what == NULL || (strcmp(what, "simulation") != 0 && strcmp(what, "accounts") != 0) ||
        ++shared->reports != shared->end_at)
        return true;
    if (shared->kills)
        kill(getpid(), SIGKILL);
    if (shared->waits)
        raise(SIGSTOP);
    return shared->waits;
}

/* A process that runs a study into `place` and saves every `seconds`; `quick` as --quick. */
static inline pid_t start(const char *study_path, bool quick, const char *place, double seconds,
                          int64_t end_at, bool kills)
{
    *shared = (watch){.end_at = end_at, .kills = kills, .waits = waiting};
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0)
        return child;
    char into[ROOM];
    netdp_study *study = NULL;
    netdp_error *error = &shared->error;
    const netdp_progress progress = {report, NULL};
    path_of(into, place, "");
    netdp_status status =
        (quick ? netdp_study_read_quick : netdp_study_read)(study_path, NULL, 0, &study, error);
    shared->read = status == NETDP_OK;
    if (status == NETDP_OK) {
        study->save_every = seconds;
        status = netdp_study_run(study, into, NULL, &progress, error);
    }
    _exit((int)status);
}

/* Its exit code, or -signal. */
static inline int end(pid_t child)
{
    int ended = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
    return WIFSIGNALED(ended) ? -WTERMSIG(ended) : WEXITSTATUS(ended);
}

/* The study of the test's folder into `place`, from its beginning or from where it was. */
static inline int run(const char *place, double seconds, int64_t end_at, bool kills)
{
    char path[ROOM];
    path_of(path, "study.yaml", "");
    const int ended = end(start(path, false, place, seconds, end_at, kills));
    if (ended > 0 && ended != NETDP_INTERRUPTED)
        print_error("%s\n", shared->error.text);
    return ended;
}

static inline void put(const char *file, const char *bytes, size_t count)
{
    char path[ROOM];
    path_of(path, file, "");
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

/* Not inlined: gcc 12 would take what was read for a pointer into this frame. */
__attribute__((noinline, unused)) static char *get(const char *place, const char *file,
                                                   int64_t *bytes)
{
    char path[ROOM], *text = NULL;
    netdp_error error = {0};
    path_of(path, place, file);
    assert_ok(netdp_i_file_load(path, &text, bytes, &error));
    return text;
}

static inline bool exists(const char *place, const char *file)
{
    char path[ROOM];
    path_of(path, place, file);
    return access(path, F_OK) == 0;
}

/* The folder and all files in it. */
static inline void drop(const char *place)
{
    char path[ROOM];
    path_of(path, place, "");
    DIR *listing = opendir(path);
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
        path_of(path, place, entry->d_name);
        unlink(path);
    }
    if (listing != NULL)
        closedir(listing);
    path_of(path, place, "");
    rmdir(path);
}

/* Another folder with the same files. */
static inline void copy(const char *place, const char *as)
{
    char path[ROOM], name[ROOM];
    path_of(path, as, "");
    assert_int_equal(mkdir(path, 0777), 0);
    path_of(path, place, "");
    DIR *listing = opendir(path);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        int64_t bytes = 0;
        if (entry->d_name[0] == '.')
            continue;
        char *text = get(place, entry->d_name, &bytes);
        snprintf(name, sizeof name, "%.300s/%.300s", as, entry->d_name);
        put(name, text, (size_t)bytes);
        netdp_i_free(text);
    }
    closedir(listing);
}

static inline void assert_same(const char *place)
{
    static const char *const files[] = {"trace.csv", "summary.json", "study.yaml", "manifest.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int64_t length = 0, other = 0;
        if (!exists("whole", files[i]) && !exists(place, files[i]))
            continue; /* an account has no trace */
        char *whole = get("whole", files[i], &length), *cut = get(place, files[i], &other);
        if (length != other || memcmp(whole, cut, (size_t)length) != 0)
            fail_msg("%s differs: %lld and %lld bytes", files[i], (long long)length,
                     (long long)other);
        netdp_i_free(whole);
        netdp_i_free(cut);
    }
    assert_false(exists(place, "checkpoint"));
    assert_false(exists(place, "checkpoint.state"));
}

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/netdp-resume-XXXXXX");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mkdtemp(folder) == NULL || shared == MAP_FAILED)
        return -1;
    char rows[4096] = "a,b,kind\n";
    for (int i = 0; i < 60; i++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%g,%g,%s\n", sin(i), cos(3 * i),
                 sin(i) > 0 ? "yes" : "no");
    put("rows.csv", rows, strlen(rows));
    return 0;
}

static inline int drop_folder(void **state)
{
    (void)state;
    char path[ROOM];
    drop("whole");
    drop("cut");
    path_of(path, "rows.csv", "");
    unlink(path);
    path_of(path, "study.yaml", "");
    unlink(path);
    return rmdir(folder);
}

#endif
