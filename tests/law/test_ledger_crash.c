/*
 * A peer that is killed at any instant, a disk that says no at any operation, and power that goes with
 * all that was not synced: no attempt has two frames, none left without its reservation, and all are
 * sent in the end. NETDP_KILLS sets how many kills (10,000: a quarter of an hour).
 */
#include "ledgers.h"

#include <sqlite3.h>
#include <sys/resource.h>

/* ---- Kills ---- */

static int64_t kills(void)
{
    const char *asked = getenv("NETDP_KILLS");
    return asked != NULL ? strtoll(asked, NULL, 10) : LIGHT ? 100 : 1000;
}

static void test_kill(void **state)
{
    (void)state;
    const int64_t count = kills();
    int64_t killed = 0;
    remove_files();
    for (int64_t i = 0; i < count; i++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            _exit((int)work(UINT32_MAX));
        usleep((useconds_t)randombytes_uniform(i % 2 == 0 ? 3000 : 15000));
        kill(child, SIGKILL);
        int ended = 0;
        assert_int_equal(waitpid(child, &ended, 0), child);
        killed += WIFSIGNALED(ended);
        if (!WIFSIGNALED(ended))
            fail_msg("the peer ended by itself: %d", WEXITSTATUS(ended));
        if (i % 97 == 0 || i + 1 == count) {
            assert_ok(work(1));
            (void)judge();
        }
        if (i % 200 == 199) { /* begin anew before judging takes long */
            (void)judge();
            remove_files();
        }
    }
    assert_int_equal(killed, count);
}

/* Whatever happened before, at the end each attempt has left, to every party. */
static void check_all_sent(uint32_t phases)
{
    assert_ok(work(phases));
    const judged found = judge();
    const int64_t want = phases + phases / 3;
    assert_int_equal(found.attempts, want);
    assert_true(found.frames >= want * PARTIES);
}

static void test_nothing_is_lost(void **state)
{
    (void)state;
    enum { PHASES = 60 };
    remove_files();
    for (int i = 0; i < (LIGHT ? 10 : 60); i++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            _exit((int)work(PHASES));
        usleep((useconds_t)randombytes_uniform(6000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    check_all_sent(PHASES);
}

/* ---- A disk that says no, and power cuts ---- */

/* SQLite's own files, of which a copy is kept as they were at the last sync. */
typedef struct kept_file {
    sqlite3_file base;
    char path[NETDP_I_PATH_ROOM];
    sqlite3_file *real;
} kept_file;

static sqlite3_vfs disk, *below;
static int64_t operations, fail_at; /* the write or sync that fails, and all after it; -1: none */
static bool dead;

static bool fails(void)
{
    if (fail_at >= 0 && operations++ >= fail_at)
        dead = true;
    return dead;
}

static void copy_file(const char *from, const char *to)
{
    char *bytes = NULL;
    int64_t count = 0;
    FILE *out;
    if (netdp_i_file_load(from, &bytes, &count, &error) != NETDP_OK) {
        unlink(to);
        return;
    }
    out = fopen(to, "wb");
    if (out == NULL || fwrite(bytes, 1, (size_t)count, out) != (size_t)count || fclose(out) != 0)
        abort();
    netdp_i_free(bytes);
}

static void beside(const char *path, char copy[NETDP_I_PATH_ROOM + 8])
{
    snprintf(copy, NETDP_I_PATH_ROOM + 8, "%s.synced", path);
}

#define REAL(file) (((kept_file *)(void *)(file))->real)

static int close_file(sqlite3_file *file)
{
    const int code = REAL(file)->pMethods != NULL ? REAL(file)->pMethods->xClose(REAL(file)) : 0;
    sqlite3_free(REAL(file));
    return code;
}
static int read_file(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at)
{
    return REAL(file)->pMethods->xRead(REAL(file), to, bytes, at);
}
static int write_file(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at)
{
    if (!fails())
        return REAL(file)->pMethods->xWrite(REAL(file), from, bytes, at);
    /* Half of the last one may have arrived. */
    if (operations == fail_at + 1 && bytes > 1)
        (void)REAL(file)->pMethods->xWrite(REAL(file), from, bytes / 2, at);
    return fail_at % 2 == 0 ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}
static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    return fails() ? SQLITE_IOERR_TRUNCATE : REAL(file)->pMethods->xTruncate(REAL(file), size);
}
static int sync_file(sqlite3_file *file, int flags)
{
    char copy[NETDP_I_PATH_ROOM + 8];
    if (fails())
        return SQLITE_IOERR_FSYNC;
    const int code = REAL(file)->pMethods->xSync(REAL(file), flags);
    beside(((kept_file *)(void *)file)->path, copy);
    copy_file(((kept_file *)(void *)file)->path, copy);
    return code;
}
static int size_file(sqlite3_file *file, sqlite3_int64 *size)
{
    return REAL(file)->pMethods->xFileSize(REAL(file), size);
}
static int lock_file(sqlite3_file *file, int kind)
{
    return REAL(file)->pMethods->xLock(REAL(file), kind);
}
static int unlock_file(sqlite3_file *file, int kind)
{
    return REAL(file)->pMethods->xUnlock(REAL(file), kind);
}
static int reserved_file(sqlite3_file *file, int *held)
{
    return REAL(file)->pMethods->xCheckReservedLock(REAL(file), held);
}
static int control_file(sqlite3_file *file, int what, void *with)
{
    return REAL(file)->pMethods->xFileControl(REAL(file), what, with);
}
static int sector_file(sqlite3_file *file)
{
    return REAL(file)->pMethods->xSectorSize(REAL(file));
}
/* No promise of the device: SQLite takes no short cuts. */
static int traits_file(sqlite3_file *file)
{
    (void)file;
    return 0;
}
static int map_file(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
    return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, at);
}
static int shm_lock_file(sqlite3_file *file, int offset, int count, int flags)
{
    return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}
static void barrier_file(sqlite3_file *file)
{
    REAL(file)->pMethods->xShmBarrier(REAL(file));
}
static int unmap_file(sqlite3_file *file, int away)
{
    return REAL(file)->pMethods->xShmUnmap(REAL(file), away);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = reserved_file,
    .xFileControl = control_file,
    .xSectorSize = sector_file,
    .xDeviceCharacteristics = traits_file,
    .xShmMap = map_file,
    .xShmLock = shm_lock_file,
    .xShmBarrier = barrier_file,
    .xShmUnmap = unmap_file,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    kept_file *kept = (kept_file *)(void *)file;
    (void)vfs;
    *kept = (kept_file){.real = sqlite3_malloc(below->szOsFile)};
    memset(kept->real, 0, (size_t)below->szOsFile);
    if (name != NULL)
        snprintf(kept->path, sizeof kept->path, "%s", name);
    const int code = below->xOpen(below, name, kept->real, flags, out);
    if (code == SQLITE_OK)
        kept->base.pMethods = &methods;
    else
        sqlite3_free(kept->real);
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    char copy[NETDP_I_PATH_ROOM + 8];
    (void)vfs;
    if (fails())
        return SQLITE_IOERR_DELETE;
    beside(name, copy);
    unlink(copy);
    return below->xDelete(below, name, sync);
}

/* All that was written since the last sync is gone; or only the copies are. */
static void restore(bool cut)
{
    static const char *const files[] = {"ledger", "ledger-wal", "ledger-journal"};
    char path[NETDP_I_PATH_ROOM], copy[NETDP_I_PATH_ROOM + 8];
    for (int i = 0; i < 3; i++) {
        path_of(path, files[i]);
        beside(path, copy);
        if (cut)
            copy_file(copy, path);
        unlink(copy);
    }
    path_of(path, "ledger-shm");
    if (cut)
        unlink(path);
}

static void begin_anew(void)
{
    remove_files();
    restore(false);
}

/* In this process: the disk fails at operation k, and later ones too. */
static netdp_status work_until(int64_t k, uint32_t phases)
{
    operations = 0;
    dead = false;
    fail_at = k;
    const netdp_status status = work(phases);
    fail_at = -1;
    dead = false;
    return status;
}

static void sweep(bool power)
{
    enum { PHASES = 5 };
    int64_t failed = 0;
    for (int64_t k = 0;; k++) {
        begin_anew();
        const netdp_status status = work_until(k, PHASES);
        const bool whole = status == NETDP_OK && operations <= k;
        if (!whole) {
            assert_true(status == NETDP_ENVIRONMENT || status == NETDP_INVALID ||
                        status == NETDP_OK);
            failed += status != NETDP_OK;
            if (power)
                restore(true);
        }
        check_all_sent(PHASES);
        if (whole) {
            assert_true(failed > 20 && k > 40);
            return;
        }
    }
}

static void test_disk_fails(void **state)
{
    (void)state;
    sqlite3_vfs_register(&disk, 1);
    sweep(false);
    sqlite3_vfs_unregister(&disk);
}

static void test_power_cut(void **state)
{
    (void)state;
    sqlite3_vfs_register(&disk, 1);
    sweep(true);
    sqlite3_vfs_unregister(&disk);
}

/* A disk that forgets what SQLite has synced: the test sees what such a disk costs. */
static void test_sees_what_is_not_synced(void **state)
{
    (void)state;
    char path[NETDP_I_PATH_ROOM];
    begin_anew();
    /* A ledger of before; then rows whose sync is a lie, as some disks tell it. */
    sqlite3_vfs_register(&disk, 1);
    assert_ok(work_until(1000000, 1));
    sqlite3_vfs_unregister(&disk);
    path_of(path, "ledger");
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_ok(work(4)); /* not through the disk that keeps copies: none is synced for it */
    restore(true);
    assert_int_equal(stat(path, &after), 0);
    /* Frames of phases 1 to 3 left, and the ledger knows nothing of them. */
    netdp_i_ledger *ledger = NULL;
    netdp_i_attempt last;
    bool found = false;
    assert_ok(netdp_i_ledger_open(path, owner, &ledger, &error));
    assert_ok(netdp_i_ledger_last(ledger, study, &last, &found, &error));
    assert_true(!found || last.phase == 0);
    netdp_i_ledger_close(ledger);
}

/* No room: the file may not grow. */
static void test_full_disk(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        remove_files();
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            const struct rlimit room = {.rlim_cur = 30000 + 7000u * (unsigned)i,
                                        .rlim_max = RLIM_INFINITY};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &room);
            _exit((int)work(40));
        }
        int ended = 0;
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFEXITED(ended));
        if (i == 0)
            assert_int_equal(WEXITSTATUS(ended), NETDP_ENVIRONMENT);
        check_all_sent(40);
    }
}

int main(void)
{
    if (!make_folder("crash"))
        return 99;
    below = sqlite3_vfs_find(NULL);
    disk = *below;
    disk.zName = "kept";
    disk.pNext = NULL;
    disk.szOsFile = (int)sizeof(kept_file);
    disk.xOpen = open_file;
    disk.xDelete = delete_file;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),       cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_disk_fails), cmocka_unit_test(test_power_cut),
        cmocka_unit_test(test_full_disk),  cmocka_unit_test(test_sees_what_is_not_synced),
    };
    const int failed = cmocka_run_group_tests_name("ledger_crash", tests, NULL, NULL);
    return remove_folder() ? failed : 99;
}
