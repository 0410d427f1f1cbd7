/* The ledger: each thing once, rows that stay, heads that do not go back. */
#include "ledgers.h"
#include "pretend.h"

#include "guard/kept.h"

#include <sqlite3.h>

static netdp_i_ledger *open_new(void)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_ledger *ledger = NULL;
    remove_files();
    path_of(path, "ledger");
    assert_ok(netdp_i_ledger_open(path, owner, &ledger, &error));
    return ledger;
}

static netdp_i_ledger *open_again(void)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_ledger *ledger = NULL;
    path_of(path, "ledger");
    assert_ok(netdp_i_ledger_open(path, owner, &ledger, &error));
    return ledger;
}

static void test_order(void **state)
{
    (void)state;
    netdp_i_ledger *ledger = open_new();
    const netdp_i_attempt first = attempt_at(0, 0), second = attempt_at(0, 1);
    bool stored = true, settled = true, found = true;
    unsigned char *frame = NULL;
    int64_t bytes = 0, reserved = 7;
    netdp_i_attempt last;
    /* Nothing before its turn. */
    assert_fails(netdp_i_ledger_reserve(ledger, &first, &stored, &error), NETDP_INVALID);
    assert_fails(netdp_i_ledger_store(ledger, &first, -1, "a", 1, &error), NETDP_INVALID);
    assert_ok(netdp_i_ledger_enrol(ledger, study, "{}", &error));
    assert_ok(netdp_i_ledger_enrol(ledger, study, "{}", &error));
    assert_fails(netdp_i_ledger_enrol(ledger, study, "{ }", &error), NETDP_INVALID);
    assert_fails(netdp_i_ledger_store(ledger, &first, -1, "a", 1, &error), NETDP_INVALID);
    assert_ok(netdp_i_ledger_last(ledger, study, &last, &found, &error));
    assert_false(found);
    assert_ok(netdp_i_ledger_reserve(ledger, &first, &stored, &error));
    assert_false(stored);
    assert_ok(netdp_i_ledger_reserve(ledger, &first, &stored, &error));
    assert_false(stored);
    assert_ok(netdp_i_ledger_frame(ledger, &first, 1, &frame, &bytes, &error));
    assert_null(frame);
    assert_fails(netdp_i_ledger_store(ledger, &first, -1, "", 0, &error), NETDP_INVALID);
    assert_ok(netdp_i_ledger_store(ledger, &first, -1, "frame", 5, &error));
    /* One frame for an attempt, whoever it is for. */
    assert_fails(netdp_i_ledger_store(ledger, &first, -1, "other", 5, &error), NETDP_INVALID);
    assert_fails(netdp_i_ledger_store(ledger, &first, -1, "frame", 5, &error), NETDP_INVALID);
    assert_fails(netdp_i_ledger_store(ledger, &first, 2, "other", 5, &error), NETDP_INVALID);
    assert_ok(netdp_i_ledger_reserve(ledger, &first, &stored, &error));
    assert_true(stored);
    /* Another attempt: frames for one party each. */
    assert_ok(netdp_i_ledger_reserve(ledger, &second, &stored, &error));
    assert_false(stored);
    assert_ok(netdp_i_ledger_store(ledger, &second, 0, "to 0", 4, &error));
    assert_ok(netdp_i_ledger_store(ledger, &second, 1, "to 1", 4, &error));
    assert_fails(netdp_i_ledger_store(ledger, &second, 1, "to 2", 4, &error), NETDP_INVALID);
    assert_fails(netdp_i_ledger_store(ledger, &second, -1, "to 2", 4, &error), NETDP_INVALID);
    netdp_i_ledger_close(ledger);
    ledger = open_again();
    assert_ok(netdp_i_ledger_frame(ledger, &second, 1, &frame, &bytes, &error));
    assert_int_equal(bytes, 4);
    assert_memory_equal(frame, "to 1", 4);
    netdp_i_free(frame);
    assert_ok(netdp_i_ledger_last(ledger, study, &last, &found, &error));
    assert_true(found && last.phase == 0 && last.attempt == 1);
    assert_ok(netdp_i_ledger_count(ledger, study, &reserved, &settled, &error));
    assert_true(reserved == 2 && !settled);
    assert_ok(netdp_i_ledger_settle(ledger, study, "{}", &error));
    assert_ok(netdp_i_ledger_settle(ledger, study, "{\"again\": 1}", &error));
    const netdp_i_attempt third = attempt_at(1, 0);
    assert_fails(netdp_i_ledger_reserve(ledger, &third, &stored, &error), NETDP_INVALID);
    assert_fails(netdp_i_ledger_enrol(ledger, study, "{}", &error), NETDP_INVALID);
    netdp_i_ledger_close(ledger);
}

static void test_whose(void **state)
{
    (void)state;
    char path[NETDP_I_PATH_ROOM];
    static const unsigned char other[NETDP_I_KEY] = {5};
    netdp_i_ledger *ledger = open_new(), *second = NULL;
    struct stat shape;
    path_of(path, "ledger");
    assert_int_equal(stat(path, &shape), 0);
    assert_int_equal(shape.st_mode & 0777, 0600);
    assert_fails(netdp_i_ledger_open(path, owner, &second, &error), NETDP_ENVIRONMENT);
    assert_ok(netdp_i_ledger_read(path, &second, &error));
    assert_memory_equal(netdp_i_ledger_owner(second), owner, sizeof owner);
    assert_fails(netdp_i_ledger_enrol(second, study, "{}", &error), NETDP_INVALID);
    netdp_i_ledger_close(second);
    netdp_i_ledger_close(ledger);
    assert_fails(netdp_i_ledger_open(path, other, &second, &error), NETDP_INVALID);
    FILE *stream = fopen(path, "wb");
    fputs("no ledger at all, but long enough to be looked at", stream);
    fclose(stream);
    assert_fails(netdp_i_ledger_open(path, owner, &second, &error), NETDP_INVALID);
    remove_files();
    assert_fails(netdp_i_ledger_read(path, &second, &error), NETDP_ENVIRONMENT);
    path_of(path, "none/ledger");
    assert_fails(netdp_i_ledger_open(path, owner, &second, &error), NETDP_ENVIRONMENT);
}

static int raw(const char *sql)
{
    char path[NETDP_I_PATH_ROOM];
    sqlite3 *base = NULL;
    path_of(path, "ledger");
    assert_int_equal(sqlite3_open(path, &base), SQLITE_OK);
    const int code = sqlite3_exec(base, sql, NULL, NULL, NULL);
    sqlite3_close(base);
    return code;
}

/* With SQLite's own tools: triggers say no, and where somebody drops them, hashes do. */
static void test_rows_stay(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "UPDATE entry SET attempt = 5 WHERE kind = 'reserved'",
        "DELETE FROM entry WHERE kind = 'contribution'",
        "INSERT INTO entry SELECT row + 50, kind, study, phase + 9, attempt, party, time, body, "
        "hash "
        "FROM entry WHERE kind = 'reserved'",
        "DELETE FROM met",
        "UPDATE met SET rows = rows - 1",
    };
    static const char *const tampered[] = {
        "DROP TRIGGER unchanged; UPDATE entry SET attempt = 5 WHERE kind = 'reserved' AND row = 3",
        "DROP TRIGGER unchanged; UPDATE entry SET body = x'00' WHERE row = 3 OR row = 4",
        "DROP TRIGGER unchanged; UPDATE entry SET time = time + 1 WHERE row = 2",
        "DROP TRIGGER kept; DELETE FROM entry WHERE row = 2",
        "DROP TRIGGER unchanged; UPDATE entry SET kind = 'settled' WHERE row = 2",
        "DROP TRIGGER unchanged; UPDATE entry SET party = 0 WHERE row = 2",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused + sizeof tampered / sizeof *tampered;
         i++) {
        const size_t t = i - sizeof refused / sizeof *refused;
        remove_files();
        assert_ok(work(4));
        netdp_i_ledger *ledger = open_again();
        bool back;
        const netdp_i_shown_head shown = {.head = {.rows = 5, .digest = {1}}};
        assert_ok(netdp_i_ledger_meet(ledger, study, &shown, &back, &error));
        netdp_i_ledger_close(ledger);
        if (i < sizeof refused / sizeof *refused) {
            assert_int_equal(raw(refused[i]), SQLITE_CONSTRAINT);
            (void)judge();
            continue;
        }
        assert_int_equal(raw(tampered[t]), SQLITE_OK);
        ledger = open_again();
        assert_fails(netdp_i_ledger_verify(ledger, NULL, NULL, NULL, &error), NETDP_INVALID);
        assert_non_null(strstr(error.text, "tampered"));
        netdp_i_ledger_close(ledger);
    }
    /* The last row is looked at whenever a ledger is opened. */
    remove_files();
    assert_ok(work(2));
    assert_int_equal(raw("DROP TRIGGER unchanged; UPDATE entry SET party = 7 WHERE row = (SELECT "
                         "max(row) FROM entry)"),
                     SQLITE_OK);
    char path[NETDP_I_PATH_ROOM];
    netdp_i_ledger *ledger = NULL;
    path_of(path, "ledger");
    assert_fails(netdp_i_ledger_open(path, owner, &ledger, &error), NETDP_INVALID);
}

/* Would a neighbour that met the ledger of `work` before refuse it or, where it says what it remembers, its owner
 * stop? */
static bool refuses(netdp_i_ledger *neighbour, netdp_i_ledger *ledger, bool says)
{
    netdp_i_shown_head shown = {.signature = {9}}, known;
    unsigned char at[NETDP_I_DIGEST] = {0};
    bool back = false, found = true;
    netdp_i_ledger_head_of(ledger, &shown.head);
    assert_ok(netdp_i_ledger_remembered(neighbour, owner, &known, &error));
    if (says && known.head.rows > 0) {
        assert_memory_equal(known.signature, shown.signature, sizeof known.signature);
        assert_ok(netdp_i_ledger_digest_at(ledger, known.head.rows, at, &found, &error));
        if (!found || memcmp(at, known.head.digest, sizeof at) != 0)
            return true;
    }
    assert_ok(netdp_i_ledger_meet(neighbour, owner, &shown, &back, &error));
    return back;
}

/* A disk restored from a copy: refused at once, and, where neighbours say so, also once it has grown
 * past what they remember. */
static void test_restored_copy(void **state)
{
    (void)state;
    char path[NETDP_I_PATH_ROOM], command[3 * NETDP_I_PATH_ROOM];
    static const unsigned char other[NETDP_I_KEY] = {42};
    netdp_i_ledger *neighbour = NULL, *ledger;
    remove_files();
    path_of(path, "neighbour");
    unlink(path);
    assert_ok(netdp_i_ledger_open(path, other, &neighbour, &error));
    assert_ok(work(3));
    path_of(path, "ledger");
    snprintf(command, sizeof command, "cp %s %s.copy", path, path);
    assert_int_equal(system(command), 0);
    assert_ok(work(6));
    ledger = open_again();
    assert_false(refuses(neighbour, ledger, true));
    assert_false(refuses(neighbour, ledger, true));
    netdp_i_ledger_close(ledger);
    assert_ok(work(7));
    ledger = open_again();
    assert_false(refuses(neighbour, ledger, true));
    netdp_i_ledger_close(ledger);
    /* What the neighbour knows is on its disk. */
    netdp_i_ledger_close(neighbour);
    path_of(path, "neighbour");
    assert_ok(netdp_i_ledger_open(path, other, &neighbour, &error));
    path_of(path, "ledger");
    snprintf(command, sizeof command, "cp %s.copy %s", path, path);
    assert_int_equal(system(command), 0);
    ledger = open_again();
    assert_true(refuses(neighbour, ledger, true));
    assert_true(refuses(neighbour, ledger, false));
    netdp_i_ledger_close(ledger);
    assert_ok(work(20));
    ledger = open_again();
    assert_true(refuses(neighbour, ledger, true));
    netdp_i_ledger_close(ledger);
    /* Neither is a new ledger of the same key. */
    remove_files();
    assert_ok(work(40));
    ledger = open_again();
    assert_true(refuses(neighbour, ledger, true));
    netdp_i_ledger_close(ledger);
    netdp_i_ledger_close(neighbour);
}

/* A ledger, its log or its lock that is no longer where it was takes no more rows. */
static void test_moved(void **state)
{
    (void)state;
    static const char *const files[] = {"ledger", "ledger-wal", "ledger-shm", "ledger.lock"};
    for (size_t k = 0; k < 2 * sizeof files / sizeof *files; k++) {
        char path[NETDP_I_PATH_ROOM], beside[NETDP_I_PATH_ROOM];
        remove_files();
        assert_ok(work(2));
        netdp_i_ledger *ledger = open_again();
        bool stored;
        netdp_i_attempt next = attempt_at(5, 0), later = attempt_at(6, 0);
        assert_ok(netdp_i_ledger_reserve(ledger, &next, &stored, &error));
        path_of(path, files[k / 2]);
        path_of(beside, "beside");
        assert_int_equal(k % 2 == 0 ? rename(path, beside) : unlink(path), 0);
        assert_int_equal(netdp_i_ledger_reserve(ledger, &later, &stored, &error),
                         NETDP_ENVIRONMENT);
        assert_non_null(strstr(error.text, "was moved, deleted or replaced"));
        netdp_i_ledger_close(ledger);
        unlink(beside);
    }
}

/* Disks of other machines, by what statfs calls them, and through FUSE by what they are mounted as. */
static void test_far(void **state)
{
    (void)state;
    static const unsigned long far[] = {0x6969,   0xff534d42, 0xfe534d42,
                                        0xc36400, 0xa501fcf5, 0x786f4256};
    static const unsigned long near[] = {0xef53,     0x58465342, 0x9123683e,
                                         0x01021994, 0x794c7630, 0x65735546};
    static const char mounts[] =
        "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
        "40 27 0:52 / /home/me/far rw shared:3 master:1 - fuse.sshfs me@there: rw\n"
        "41 27 8:1 / /mnt/a rw - ext4 /dev/sda1 rw\n"
        "42 27 0:53 / /mnt/s3 rw - fuse mountpoint-s3 rw\n"
        "43 27 0:54 / /mnt/s4 rw - fuse.s3fs s3fs rw\n";
    char type[NETDP_I_TYPE_ROOM];
    FILE *stream = fmemopen((void *)mounts, sizeof mounts - 1, "r");
    netdp_i_kept_type(stream, 0, 52, type);
    assert_string_equal(type, "fuse.sshfs");
    assert_string_equal(netdp_i_kept_far(0x65735546, type), "sshfs");
    assert_null(netdp_i_kept_far(0xef53, type));
    for (int k = 0; k < 2; k++) {
        rewind(stream);
        netdp_i_kept_type(stream, 0, (unsigned)(53 + k), type);
        assert_non_null(netdp_i_kept_far(0x65735546, type));
    }
    rewind(stream);
    netdp_i_kept_type(stream, 8, 1, type);
    assert_null(netdp_i_kept_far(0xef53, type));
    rewind(stream);
    netdp_i_kept_type(stream, 9, 1, type);
    assert_string_equal(type, "");
    fclose(stream);
    assert_null(netdp_i_kept_far(0x65735546, "fuse.gocryptfs"));
    for (int k = 0; k < 6; k++) {
        assert_non_null(netdp_i_kept_far(far[k], "nfs"));
        assert_null(netdp_i_kept_far(near[k], ""));
    }
    remove_files();
    assert_ok(work(2));
    char path[NETDP_I_PATH_ROOM];
    path_of(path, "ledger");
    for (int k = 0; k < 6; k++) {
        netdp_i_ledger *ledger = NULL;
        pretended = (long)far[k];
        assert_int_equal(netdp_i_ledger_open(path, owner, &ledger, &error), NETDP_ENVIRONMENT);
        assert_non_null(strstr(error.text, "lies on a network file system"));
        pretended = (long)near[k];
        assert_ok(netdp_i_ledger_open(path, owner, &ledger, &error));
        netdp_i_ledger_close(ledger);
    }
    pretended = 0xef53;
}

/* Some kills in every run; tests/law/test_ledger_crash.c has thousands. */
static void test_killed(void **state)
{
    (void)state;
    remove_files();
    for (int i = 0; i < 12; i++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            _exit((int)work(1000000));
        usleep(1000 + (useconds_t)randombytes_uniform(12000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    assert_ok(work(1)); /* a ledger, if none was made in time */
    (void)judge();
}

/* Writes, and ends within a transaction, as by a kill: its journal is to be rolled back. */
static int write_half(const char *path)
{
    sqlite3 *base = NULL;
    return sqlite3_open(path, &base) == SQLITE_OK &&
                   sqlite3_exec(base,
                                "CREATE TABLE entry (x); PRAGMA cache_size = 1; BEGIN; "
                                "INSERT INTO entry VALUES (zeroblob(100000)), (zeroblob(100000));",
                                NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : 1;
}

/* A ledger is not gone because its last writer was killed. */
static void test_expected_after_a_kill(void **state)
{
    (void)state;
    char path[NETDP_I_PATH_ROOM];
    int ended = -1;
    path_of(path, "ledger.db");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(write_half(path));
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    path_of(path, "ledger.db-journal");
    assert_int_equal(access(path, F_OK), 0);
    assert_ok(netdp_i_ledger_expect(folder, NULL, &error));
}

int main(void)
{
    if (!make_folder("ledger"))
        return 99;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),     cmocka_unit_test(test_whose),
        cmocka_unit_test(test_rows_stay), cmocka_unit_test(test_restored_copy),
        cmocka_unit_test(test_moved),     cmocka_unit_test(test_far),
        cmocka_unit_test(test_killed),    cmocka_unit_test(test_expected_after_a_kill),
    };
    const int failed = cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
    return remove_folder() ? failed : 99;
}
