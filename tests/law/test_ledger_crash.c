/*
 * A peer that is killed at any instant, a disk that says no at any operation, and power that goes with
 * all that was not synced: no attempt has two frames, none left without its reservation, and all are
 * sent in the end. NETDP_KILLS sets how many kills (10,000: a quarter of an hour).
 */
#include "ledgers.h"

#include <sys/resource.h>

#include "disk.h"

/* ---- Kills ---- */

static int64_t kills(void)
{
    const char *asked = getenv("NETDP_KILLS");
    return asked != NULL ? strtoll(asked, NULL, 10) : LIGHT ? 100 : 300;
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
    operations = failed = 0;
    fail_at = k;
    const netdp_status status = work(phases);
    fail_at = -1;
    return status;
}

/* At each operation in turn. */
static void sweep(bool power)
{
    enum { PHASES = 5 };
    int64_t ended = 0;
    for (int64_t k = 0;; k++) {
        begin_anew();
        const netdp_status status = work_until(k, PHASES);
        const bool whole = failed == 0;
        if (whole)
            assert_ok(status);
        assert_true(status == NETDP_ENVIRONMENT || status == NETDP_INVALID || status == NETDP_OK);
        ended += status != NETDP_OK;
        if (!whole && power)
            restore(true);
        check_all_sent(PHASES);
        if (whole) {
            assert_true(ended > 10 && k > 30);
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

static void work_and_die(int64_t k, uint32_t phases)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        fail_kills = true;
        (void)work_until(k, phases);
        _exit(0);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

/* Killed before a sync, and started again: it reads what no disk has. Then it is killed again, and the power goes. */
static void test_kill_before_power_cut(void **state)
{
    (void)state;
    enum { PHASES = 3, FIRST = 60, THEN = 12 };
    sqlite3_vfs_register(&disk, 1);
    for (int64_t first = 0; first < FIRST; first++)
        for (int64_t then = first % 2; then < THEN; then += LIGHT ? 4 : 2) {
            begin_anew();
            work_and_die(first, PHASES);
            work_and_die(then, PHASES);
            restore(true);
            check_all_sent(PHASES);
        }
    sqlite3_vfs_unregister(&disk);
}

/* A fault that comes once, or three times, and is gone; in reads, too; of a write any part arrives. */
static void test_passing_faults(void **state)
{
    (void)state;
    sqlite3_vfs_register(&disk, 1);
    for (int kind = 0; kind < (LIGHT ? 4 : 20); kind++) {
        fail_for = kind % 2 == 0 ? 1 : 3;
        fail_reads = kind / 2 % 2 == 0;
        fail_part = kind / 4;
        sweep(kind % 3 == 0);
    }
    sqlite3_vfs_unregister(&disk);
    fail_for = INT64_MAX;
    fail_reads = false;
    fail_part = 2;
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
    make_disk();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_disk_fails),
        cmocka_unit_test(test_power_cut),
        cmocka_unit_test(test_kill_before_power_cut),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_passing_faults),
        cmocka_unit_test(test_sees_what_is_not_synced),
    };
    const int faults = cmocka_run_group_tests_name("ledger_crash", tests, NULL, NULL);
    return remove_folder() ? faults : 99;
}
