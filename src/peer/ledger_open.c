/* Opens a ledger, or begins one; which one a folder ought to have. */
#include "peer/ledger_base.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"

/* "netL"; a file with another number is somebody else's database. */
#define APPLICATION 0x6e65744c
enum { FORM = 2 };

static const char schema[] =
    "CREATE TABLE entry (\n"
    "  row INTEGER PRIMARY KEY,\n"
    "  kind TEXT NOT NULL CHECK (kind IN ('opened', 'study', 'reserved', 'contribution',\n"
    "    'settled')),\n"
    "  study BLOB NOT NULL CHECK (length(study) = 32),\n"
    "  phase INTEGER NOT NULL, attempt INTEGER NOT NULL,\n"
    "  party INTEGER NOT NULL,\n"
    "  time INTEGER NOT NULL,\n"
    "  body BLOB NOT NULL,\n"
    "  hash BLOB NOT NULL CHECK (length(hash) = 32)) STRICT;\n"
    "CREATE UNIQUE INDEX once ON entry (study, phase, attempt, kind, party);\n"
    "CREATE TRIGGER unchanged BEFORE UPDATE ON entry BEGIN\n"
    "  SELECT RAISE(ABORT, 'a row of the ledger is never changed'); END;\n"
    "CREATE TRIGGER kept BEFORE DELETE ON entry BEGIN\n"
    "  SELECT RAISE(ABORT, 'a row of the ledger is never deleted'); END;\n"
    "CREATE TRIGGER in_order BEFORE INSERT ON entry\n"
    "  WHEN NEW.row IS NOT (SELECT coalesce(max(row), 0) + 1 FROM entry) BEGIN\n"
    "  SELECT RAISE(ABORT, 'rows are numbered in order'); END;\n"
    "CREATE TRIGGER reserved_first BEFORE INSERT ON entry WHEN NEW.kind = 'contribution' AND NOT\n"
    "  EXISTS (SELECT 1 FROM entry WHERE kind = 'reserved' AND study = NEW.study AND phase =\n"
    "  NEW.phase AND attempt = NEW.attempt) BEGIN\n"
    "  SELECT RAISE(ABORT, 'a contribution needs its reservation'); END;\n"
    "CREATE TRIGGER one_for_all BEFORE INSERT ON entry WHEN NEW.kind = 'contribution' AND\n"
    "  EXISTS (SELECT 1 FROM entry WHERE kind = 'contribution' AND study = NEW.study AND phase =\n"
    "  NEW.phase AND attempt = NEW.attempt AND (party = -1 OR NEW.party = -1)) BEGIN\n"
    "  SELECT RAISE(ABORT, 'the frame for all is stored already'); END;\n"
    "CREATE TRIGGER enrolled_first BEFORE INSERT ON entry WHEN NEW.kind = 'reserved' AND (NOT\n"
    "  EXISTS (SELECT 1 FROM entry WHERE kind = 'study' AND study = NEW.study) OR\n"
    "  EXISTS (SELECT 1 FROM entry WHERE kind = 'settled' AND study = NEW.study)) BEGIN\n"
    "  SELECT RAISE(ABORT, 'the study is not enrolled, or settled'); END;\n"
    "CREATE TABLE met (key BLOB PRIMARY KEY CHECK (length(key) = 32), rows INTEGER NOT NULL,\n"
    "  digest BLOB NOT NULL CHECK (length(digest) = 32),\n"
    "  signature BLOB NOT NULL CHECK (length(signature) = 64)) STRICT;\n"
    "CREATE TRIGGER forward BEFORE UPDATE ON met WHEN NEW.rows < OLD.rows BEGIN\n"
    "  SELECT RAISE(ABORT, 'a ledger does not go back'); END;\n"
    "CREATE TRIGGER remembered BEFORE DELETE ON met BEGIN\n"
    "  SELECT RAISE(ABORT, 'a head is never forgotten'); END;\n";

/* ---- Opening ---- */

static netdp_status take_lock(netdp_i_ledger *ledger, netdp_error *error)
{
    char beside[NETDP_I_PATH_ROOM];
    snprintf(beside, sizeof beside, "%s.lock", ledger->path);
    /* SQLite would follow it, and make the ledger somewhere else. */
    REFUSE(netdp_i_file_is_planted(ledger->path),
           "%.300s: is a link or no file; a ledger lies beside its key, move this away",
           ledger->path);
    ledger->lock = netdp_i_file_open_own(beside, O_RDWR | O_CREAT);
    if (ledger->lock < 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: cannot be made: %s", beside,
                            strerror(errno));
    if (flock(ledger->lock, LOCK_EX | LOCK_NB) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%.300s: another process writes into it; one ledger serves one peer",
                            ledger->path);
    return netdp_i_kept_here(beside, error);
}

static netdp_status read_number(netdp_i_ledger *ledger, const char *sql, int64_t *number,
                                netdp_error *error)
{
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    bool row = false;
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    TRY(netdp_i_ledger_next(&select, &row, error));
    if (row)
        *number = sqlite3_column_int64(select.held, 0);
    return NETDP_OK;
}

/* The first row says whose it is, the last what the head is; its own hash must hold. */
static netdp_status read_ends(netdp_i_ledger *ledger, netdp_error *error)
{
    static const char sql[] =
        "SELECT " NETDP_I_ENTRY_COLUMNS
        " FROM entry WHERE row = 1 OR row >= (SELECT max(row) - 1 FROM entry) ORDER BY row";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    netdp_i_entry entry;
    unsigned char hash[NETDP_I_DIGEST];
    bool holds = true;
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    while (holds) {
        bool row = false;
        TRY(netdp_i_ledger_next(&select, &row, error));
        if (!row)
            break;
        holds = netdp_i_entry_take(select.held, &entry);
        if (holds && entry.row == ledger->head.rows + 1) {
            netdp_i_entry_hash(ledger->head.digest, &entry, hash);
            holds = memcmp(hash, entry.hash, sizeof hash) == 0;
        }
        if (holds && entry.row == 1) {
            holds = entry.kind == NETDP_I_ENTRY_OPENED && entry.bytes >= NETDP_I_KEY;
            if (holds)
                memcpy(ledger->owner, entry.body, NETDP_I_KEY);
        }
        ledger->head.rows = entry.row;
        memcpy(ledger->head.digest, entry.hash, NETDP_I_DIGEST);
    }
    REFUSE(!holds || ledger->head.rows == 0,
           "%.300s: the ledger's rows are not what was written; keep the file and look at netdp "
           "ledger verify",
           ledger->path);
    return NETDP_OK;
}

/* Within a transaction. */
static netdp_status make_tables(netdp_i_ledger *ledger, netdp_i_entry *first,
                                netdp_i_ledger_head *head, netdp_error *error)
{
    char sql[160];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             FORM);
    TRY(netdp_i_ledger_run(ledger, "be made", schema, error));
    TRY(netdp_i_ledger_run(ledger, "be made", sql, error));
    return netdp_i_ledger_insert(ledger, first, 1, head, error);
}

/* The owner, and 16 random bytes: no two ledgers begin alike. */
static netdp_status begin(netdp_i_ledger *ledger, const unsigned char key[NETDP_I_KEY],
                          netdp_error *error)
{
    unsigned char body[NETDP_I_KEY + 16];
    memcpy(body, key, NETDP_I_KEY);
    randombytes_buf(body + NETDP_I_KEY, 16);
    netdp_i_entry first = {
        .kind = NETDP_I_ENTRY_OPENED, .party = -1, .body = body, .bytes = sizeof body};
    netdp_i_ledger_head head;
    TRY(netdp_i_ledger_begin(ledger, error));
    TRY(netdp_i_ledger_commit(ledger, make_tables(ledger, &first, &head, error), error));
    TRY(netdp_i_ledger_sync(ledger, error));
    ledger->head = head;
    memcpy(ledger->owner, key, NETDP_I_KEY);
    return NETDP_OK;
}

/* A new file is there after a power cut only once its folder is synced. */
static void sync_folder(const char *path)
{
    char folder[NETDP_I_PATH_ROOM];
    netdp_i_file_folder(folder, path);
    const int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened >= 0) {
        (void)fsync(opened);
        close(opened);
    }
}

static netdp_status prepare_base(netdp_i_ledger *ledger, const unsigned char *key,
                                 netdp_error *error)
{
    int64_t application = 0, form = 0, tables = 0;
    TRY(netdp_i_ledger_run(
        ledger, "open",
        key != NULL ? "PRAGMA trusted_schema = OFF; PRAGMA recursive_triggers = ON; PRAGMA "
                      "journal_mode = WAL; PRAGMA synchronous = NORMAL" /* netdp_i_ledger_sync */
                    : "PRAGMA trusted_schema = OFF",
        error));
    TRY(read_number(ledger, "PRAGMA application_id", &application, error));
    TRY(read_number(ledger, "PRAGMA user_version", &form, error));
    TRY(read_number(ledger, "SELECT count(*) FROM sqlite_schema", &tables, error));
    if (tables == 0 && application == 0 && key != NULL) {
        TRY(begin(ledger, key, error));
        sync_folder(ledger->path);
        return NETDP_OK;
    }
    REFUSE(application != APPLICATION || form != FORM,
           "%.300s: is no ledger of this version; name another file", ledger->path);
    return read_ends(ledger, error);
}

static netdp_status open_base(netdp_i_ledger *made, const unsigned char *key, netdp_error *error)
{
    const int flags =
        key != NULL ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (sqlite3_open_v2(made->path, &made->base, flags, NULL) != SQLITE_OK)
        return made->base == NULL ? netdp_i_no_memory(error)
                                  : netdp_i_ledger_cannot(made, "open", error);
    sqlite3_busy_timeout(made->base, 5000);
    TRY(prepare_base(made, key, error));
    if (key != NULL)
        TRY(netdp_i_kept_begin(&made->kept, made->base, made->path, error));
    /* Rows of a run that was killed before its sync are read like others, and what they hold may leave. */
    made->unsynced = key != NULL;
    return netdp_i_ledger_sync(made, error);
}

static netdp_status open_ledger(const char *path, const unsigned char *key, netdp_i_ledger **ledger,
                                netdp_error *error)
{
    OWNED_BY(netdp_i_ledger_close) netdp_i_ledger *made = NETDP_I_NEW(netdp_i_ledger, 1);
    struct stat shape;
    NEED(made);
    made->lock = -1;
    made->path = netdp_i_copy_text(path);
    if (made->path == NULL || sodium_init() < 0)
        return netdp_i_no_memory(error);
    if (key != NULL)
        TRY(take_lock(made, error));
    if (key == NULL && stat(path, &shape) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: cannot read: %s", path,
                            strerror(errno));
    const mode_t before = umask(077);
    const netdp_status status = open_base(made, key, error);
    umask(before);
    TRY(status);
    REFUSE(key != NULL && memcmp(made->owner, key, NETDP_I_KEY) != 0,
           "%.300s: is the ledger of another key; a ledger follows its key", path);
    *ledger = GIVE(made);
    return NETDP_OK;
}

netdp_status netdp_i_ledger_open(const char *path, const unsigned char key[NETDP_I_KEY],
                                 netdp_i_ledger **ledger, netdp_error *error)
{
    return open_ledger(path, key, ledger, error);
}

netdp_status netdp_i_ledger_read(const char *path, netdp_i_ledger **ledger, netdp_error *error)
{
    return open_ledger(path, NULL, ledger, error);
}

void netdp_i_ledger_close(netdp_i_ledger *ledger)
{
    if (ledger == NULL)
        return;
    (void)netdp_i_ledger_remember(ledger,
                                  NULL); /* as far as it goes: nothing that left follows from it */
    for (int i = 0; i < NETDP_I_LEDGER_STATEMENTS; i++)
        sqlite3_finalize(ledger->statement[i]);
    netdp_i_free(ledger->met);
    sqlite3_close(ledger->base);
    if (ledger->lock >= 0)
        close(ledger->lock);
    netdp_i_free(ledger->path);
    netdp_i_free(ledger);
}

/* ---- One ledger of one key ---- */

/* Only of a real study: rehearsals leave nothing that counts. What cannot be read may be one. */
static bool is_result(const char *path)
{
    OWNED_BY(json_decref) json_t *result = NULL;
    if (access(path, F_OK) != 0 || netdp_i_file_is_planted(path))
        return false;
    if (netdp_i_file_load_json(path, &result, NULL) != NETDP_OK)
        return true;
    const char *noise = json_string_value(json_object_get(result, "noise"));
    return noise == NULL || strncmp(noise, "TEST: ", 6) != 0;
}

/* A file of the folder that nothing but a study leaves there; "": none. */
static void find_trace(const char *folder, char found[NETDP_I_PATH_ROOM])
{
    static const char *const of_attempts[] = {"pair-key-*", "frames-[0-9]*"};
    char path[NETDP_I_PATH_ROOM];
    glob_t keys = {0};
    struct stat shape;
    found[0] = '\0';
    for (int i = 0; i < 2 && found[0] == '\0'; i++) {
        netdp_i_file_path(path, folder, of_attempts[i]);
        if (glob(path, GLOB_NOSORT, NULL, &keys) == 0 && keys.gl_pathc > 0)
            snprintf(found, NETDP_I_PATH_ROOM, "%s", keys.gl_pathv[0]);
        globfree(&keys);
    }
    netdp_i_file_path(path, folder, "frames");
    if (found[0] == '\0' && stat(path, &shape) == 0 && shape.st_size > 0)
        memcpy(found, path, sizeof path);
    netdp_i_file_path(path, folder, "result.json");
    if (found[0] == '\0' && is_result(path))
        memcpy(found, path, sizeof path);
}

/*
 * *gone: nothing is there, or a base without a table, and a ledger would begin in it. Who cannot tell, for another has
 * the base open, must not begin one. Of what is no base the opening says so.
 */
static netdp_status find_gone(const char *path, bool *gone, netdp_error *error)
{
    struct stat shape;
    sqlite3 *base = NULL;
    sqlite3_stmt *tables = NULL;
    const bool planted = netdp_i_file_is_planted(path);
    *gone = !planted && (stat(path, &shape) != 0 || shape.st_size == 0);
    if (*gone || planted)
        return NETDP_OK;
    /* Not to read alone: after a kill its log is taken in first. */
    int said = sqlite3_open_v2(path, &base, SQLITE_OPEN_READWRITE, NULL);
    if (said == SQLITE_OK)
        said = sqlite3_busy_timeout(base, 5000);
    if (said == SQLITE_OK)
        said = sqlite3_prepare_v2(base, "SELECT 1 FROM sqlite_schema", -1, &tables, NULL);
    if (said == SQLITE_OK)
        said = sqlite3_step(tables);
    *gone = said == SQLITE_DONE;
    const bool told =
        *gone || said == SQLITE_ROW || said == SQLITE_NOTADB || said == SQLITE_CORRUPT;
    const netdp_status status =
        told ? NETDP_OK
             : netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%.300s: cannot be read: %s; try again when nobody else has it open",
                            path, sqlite3_errstr(said));
    sqlite3_finalize(tables);
    sqlite3_close(base);
    return status;
}

netdp_status netdp_i_ledger_expect(const char *folder, const netdp_i_signer *signer,
                                   netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], trace[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "ledger.db");
    bool gone = false;
    TRY(find_gone(path, &gone, error));
    if (!gone)
        return NETDP_OK;
    REFUSE(signer != NULL && netdp_i_signer_since(signer) != NULL,
           "%.300s: is gone, and `key` says that it began at %s: a new one would have forgotten "
           "what was spent; bring it back, or join with a new key, in another folder",
           path, netdp_i_signer_since(signer));
    find_trace(folder, trace);
    REFUSE(
        trace[0] != '\0',
        "%.300s: is gone, though this folder took part in a study (%.200s): a new one would have "
        "forgotten what was spent; bring it back, or join with a new key, in another folder",
        path, trace);
    return NETDP_OK;
}

bool netdp_i_ledger_in_use(const char *path)
{
    char beside[NETDP_I_PATH_ROOM];
    snprintf(beside, sizeof beside, "%.4000s.lock", path);
    const int lock = netdp_i_file_open_own(beside, O_RDONLY);
    const bool free = lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (lock >= 0)
        close(lock);
    return !free;
}

netdp_status netdp_i_ledger_first(netdp_i_ledger *ledger, unsigned char digest[NETDP_I_DIGEST],
                                  int64_t *time, netdp_error *error)
{
    bool found = false;
    TRY(read_number(ledger, "SELECT time FROM entry WHERE row = 1", time, error));
    TRY(netdp_i_ledger_digest_at(ledger, 1, digest, &found, error));
    REFUSE(!found, "%.300s: has no first row", ledger->path);
    return NETDP_OK;
}

const unsigned char *netdp_i_ledger_owner(const netdp_i_ledger *ledger)
{
    return ledger->owner;
}
