#include "peer/ledger_base.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

/* "netL"; a file with another number is somebody else's database. */
#define APPLICATION 0x6e65744c
enum { FORM = 2 };

static const char *const words[NETDP_I_ENTRY_KINDS] = {"opened", "study", "reserved",
                                                       "contribution", "settled"};

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

const char *netdp_i_entry_word(netdp_i_entry_kind kind)
{
    return (unsigned)kind < NETDP_I_ENTRY_KINDS ? words[kind] : NULL;
}

/* ---- SQLite, in one line ---- */

netdp_status netdp_i_ledger_cannot(const netdp_i_ledger *ledger, const char *what,
                                   netdp_error *error)
{
    const int code = sqlite3_errcode(ledger->base);
    if (code == SQLITE_NOMEM)
        return netdp_i_no_memory(error);
    if (code == SQLITE_CONSTRAINT || code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return netdp_i_fail(error, NETDP_INVALID, "%.300s: cannot %s: %s", ledger->path, what,
                            sqlite3_errmsg(ledger->base));
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: cannot %s: %s; nothing of it was sent",
                        ledger->path, what, sqlite3_errmsg(ledger->base));
}

static netdp_status run(netdp_i_ledger *ledger, const char *what, const char *sql,
                        netdp_error *error)
{
    return sqlite3_exec(ledger->base, sql, NULL, NULL, NULL) == SQLITE_OK
               ? NETDP_OK
               : netdp_i_ledger_cannot(ledger, what, error);
}

/* Which of those kept: that of this SQL, or the first free place; the end: there is none. */
static int place_of(const netdp_i_ledger *ledger, const char *sql)
{
    int i = 0;
    while (i < NETDP_I_LEDGER_STATEMENTS && ledger->text[i] != NULL && ledger->text[i] != sql)
        i++;
    return i;
}

netdp_status netdp_i_ledger_prepare(netdp_i_ledger *ledger, const char *sql,
                                    sqlite3_stmt **statement, netdp_error *error)
{
    const int at = place_of(ledger, sql);
    const bool room = at < NETDP_I_LEDGER_STATEMENTS;
    if (room && ledger->text[at] == sql && !sqlite3_stmt_busy(ledger->statement[at])) {
        *statement = ledger->statement[at];
        return NETDP_OK;
    }
    const bool keep = room && ledger->text[at] == NULL;
    if (sqlite3_prepare_v3(ledger->base, sql, -1, keep ? SQLITE_PREPARE_PERSISTENT : 0, statement,
                           NULL) != SQLITE_OK)
        return netdp_i_ledger_cannot(ledger, "read", error);
    if (keep) {
        ledger->text[at] = sql;
        ledger->statement[at] = *statement;
    }
    return NETDP_OK;
}

void netdp_i_ledger_release(netdp_i_ledger *ledger, sqlite3_stmt *statement)
{
    bool kept = false;
    for (int i = 0; i < NETDP_I_LEDGER_STATEMENTS; i++)
        kept = kept || ledger->statement[i] == statement;
    if (!kept) {
        sqlite3_finalize(statement);
    } else if (statement != NULL) {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
    }
}

/* The next row: true; the end or a failure, which *status says: false. */
bool netdp_i_ledger_next(netdp_i_ledger *ledger, sqlite3_stmt *statement, netdp_status *status,
                         netdp_error *error)
{
    const int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *status = netdp_i_ledger_cannot(ledger, "read", error);
    return code == SQLITE_ROW;
}

/* ---- Rows and hashes ---- */

static void add_number(crypto_generichash_state *state, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    crypto_generichash_update(state, bytes, sizeof bytes);
}

/* BLAKE2b-256 of the hash before and of everything that the row holds. */
void netdp_i_entry_hash(const unsigned char before[NETDP_I_DIGEST], const netdp_i_entry *entry,
                        unsigned char hash[NETDP_I_DIGEST])
{
    static const char kind[] = "netdp ledger row 1";
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, NETDP_I_DIGEST);
    crypto_generichash_update(&state, (const unsigned char *)kind, sizeof kind);
    crypto_generichash_update(&state, before, NETDP_I_DIGEST);
    add_number(&state, entry->row);
    add_number(&state, (uint64_t)entry->kind);
    crypto_generichash_update(&state, entry->of.study, NETDP_I_DIGEST);
    add_number(&state, entry->of.phase);
    add_number(&state, entry->of.attempt);
    add_number(&state, (uint64_t)entry->party);
    add_number(&state, (uint64_t)entry->time);
    add_number(&state, (uint64_t)entry->bytes);
    crypto_generichash_update(&state, entry->body, (unsigned long long)entry->bytes);
    crypto_generichash_final(&state, hash, NETDP_I_DIGEST);
}

/* A row of the table, lent until the next; false: it is none that this ledger could have written. */
bool netdp_i_entry_take(sqlite3_stmt *from, netdp_i_entry *entry)
{
    const char *word = (const char *)sqlite3_column_text(from, 1);
    const int64_t phase = sqlite3_column_int64(from, 3), attempt = sqlite3_column_int64(from, 4);
    *entry = (netdp_i_entry){.row = (uint64_t)sqlite3_column_int64(from, 0),
                             .of = {.phase = (uint32_t)phase, .attempt = (uint32_t)attempt},
                             .party = sqlite3_column_int64(from, 5),
                             .time = sqlite3_column_int64(from, 6)};
    int kind = 0;
    while (kind < NETDP_I_ENTRY_KINDS && (word == NULL || strcmp(words[kind], word) != 0))
        kind++;
    entry->kind = (netdp_i_entry_kind)kind;
    const void *study = sqlite3_column_blob(from, 2), *hash = sqlite3_column_blob(from, 8);
    if (kind == NETDP_I_ENTRY_KINDS || phase < 0 || phase > UINT32_MAX || attempt < 0 ||
        attempt > UINT32_MAX || sqlite3_column_bytes(from, 2) != NETDP_I_DIGEST ||
        sqlite3_column_bytes(from, 8) != NETDP_I_DIGEST)
        return false;
    memcpy(entry->of.study, study, NETDP_I_DIGEST);
    memcpy(entry->hash, hash, NETDP_I_DIGEST);
    entry->body = sqlite3_column_blob(from, 7);
    entry->bytes = sqlite3_column_bytes(from, 7);
    if (entry->body == NULL)
        entry->body = (const unsigned char *)"";
    return true;
}

/* Neither the ledger nor its lock was moved: else another process opens one of its own. */
static netdp_status check_kept(const netdp_i_ledger *ledger, netdp_error *error)
{
    char beside[NETDP_I_PATH_ROOM];
    struct stat mine, there;
    snprintf(beside, sizeof beside, "%s.lock", ledger->path);
    if (fstat(ledger->lock, &mine) != 0 || stat(beside, &there) != 0 ||
        mine.st_ino != there.st_ino || mine.st_dev != there.st_dev)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%.300s: was moved, deleted or replaced while the ledger was open; "
                            "start again; nothing of it was sent",
                            beside);
    return netdp_i_kept_check(&ledger->kept, ledger->base, ledger->path, error);
}

/* A constant statement without values and answers. */
static netdp_status step(netdp_i_ledger *ledger, const char *sql, int *code, netdp_error *error)
{
    sqlite3_stmt *statement = NULL;
    netdp_status status = netdp_i_ledger_prepare(ledger, sql, &statement, error);
    *code = SQLITE_OK;
    if (status == NETDP_OK)
        *code = sqlite3_step(statement);
    if (status == NETDP_OK && *code != SQLITE_DONE)
        status = netdp_i_ledger_cannot(ledger, "write", error);
    netdp_i_ledger_release(ledger, statement);
    return status;
}

static const char begin_sql[] = "BEGIN IMMEDIATE", commit_sql[] = "COMMIT",
                  rollback_sql[] = "ROLLBACK";

netdp_status netdp_i_ledger_begin(netdp_i_ledger *ledger, netdp_error *error)
{
    int code;
    if (ledger->lock < 0)
        return netdp_i_fail(error, NETDP_INVALID, "%.300s: is open for reading alone",
                            ledger->path);
    if (ledger->broken)
        return netdp_i_fail(
            error, NETDP_ENVIRONMENT,
            "%.300s: a row could not be written before; make room, look at the disk, "
            "and start again",
            ledger->path);
    netdp_status status = check_kept(ledger, error);
    if (status != NETDP_OK)
        return status;
    status = step(ledger, begin_sql, &code, error);
    ledger->broken = status != NETDP_OK;
    return status;
}

netdp_status netdp_i_ledger_commit(netdp_i_ledger *ledger, netdp_status status, netdp_error *error)
{
    int code;
    if (status == NETDP_OK) {
        status = step(ledger, commit_sql, &code, error);
        ledger->broken = status != NETDP_OK;
        ledger->unsynced = ledger->unsynced && status != NETDP_OK;
        if (status == NETDP_OK) { /* moved while it was written */
            status = check_kept(ledger, error);
            ledger->broken = status != NETDP_OK;
            return status;
        }
    }
    /* Some faults have rolled it back already. */
    if (status != NETDP_OK && sqlite3_get_autocommit(ledger->base) == 0 &&
        step(ledger, rollback_sql, &code, NULL) != NETDP_OK)
        ledger->broken = true;
    return status;
}

/* Within a transaction. */
static netdp_status insert(netdp_i_ledger *ledger, const netdp_i_entry *entry, netdp_error *error)
{
    static const char sql[] =
        "INSERT INTO entry (" NETDP_I_ENTRY_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?)";
    sqlite3_stmt *statement = NULL;
    netdp_status status = netdp_i_ledger_prepare(ledger, sql, &statement, error);
    if (status != NETDP_OK)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)entry->row);
    sqlite3_bind_text(statement, 2, words[entry->kind], -1, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 3, entry->of.study, NETDP_I_DIGEST, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, entry->of.phase);
    sqlite3_bind_int64(statement, 5, entry->of.attempt);
    sqlite3_bind_int64(statement, 6, entry->party);
    sqlite3_bind_int64(statement, 7, entry->time);
    sqlite3_bind_blob64(statement, 8, entry->body, (sqlite3_uint64)entry->bytes, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 9, entry->hash, NETDP_I_DIGEST, SQLITE_STATIC);
    const int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) {
        status = netdp_i_ledger_cannot(ledger, "write", error);
        ledger->broken = (code & 0xff) != SQLITE_CONSTRAINT;
    }
    netdp_i_ledger_release(ledger, statement);
    return status;
}

static netdp_status insert_all(netdp_i_ledger *ledger, netdp_i_entry *entries, int32_t count,
                               netdp_i_ledger_head *head, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    *head = ledger->head;
    for (int32_t i = 0; i < count && status == NETDP_OK; i++) {
        netdp_i_entry *entry = &entries[i];
        entry->row = head->rows + 1;
        entry->time = (int64_t)time(NULL);
        netdp_i_entry_hash(head->digest, entry, entry->hash);
        status = insert(ledger, entry, error);
        head->rows = entry->row;
        memcpy(head->digest, entry->hash, NETDP_I_DIGEST);
    }
    return status;
}

netdp_status netdp_i_ledger_append(netdp_i_ledger *ledger, netdp_i_entry *entries, int32_t count,
                                   netdp_error *error)
{
    netdp_i_ledger_head head;
    netdp_status status = netdp_i_ledger_begin(ledger, error);
    if (status != NETDP_OK)
        return status;
    status = insert_all(ledger, entries, count, &head, error);
    status = netdp_i_ledger_commit(ledger, status, error);
    if (status == NETDP_OK)
        ledger->head = head;
    return status;
}

/* ---- Opening ---- */

static netdp_status take_lock(netdp_i_ledger *ledger, netdp_error *error)
{
    char beside[NETDP_I_PATH_ROOM];
    snprintf(beside, sizeof beside, "%s.lock", ledger->path);
    ledger->lock = open(beside, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
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
    sqlite3_stmt *select = NULL;
    netdp_status status = netdp_i_ledger_prepare(ledger, sql, &select, error);
    if (status == NETDP_OK && netdp_i_ledger_next(ledger, select, &status, error))
        *number = sqlite3_column_int64(select, 0);
    netdp_i_ledger_release(ledger, select);
    return status;
}

/* The first row says whose it is, the last what the head is; its own hash must hold. */
static netdp_status read_ends(netdp_i_ledger *ledger, netdp_error *error)
{
    static const char sql[] =
        "SELECT " NETDP_I_ENTRY_COLUMNS " FROM entry WHERE row = 1 OR row >= (SELECT "
        "max(row) - 1 FROM entry) ORDER BY row";
    sqlite3_stmt *select = NULL;
    netdp_i_entry entry;
    unsigned char hash[NETDP_I_DIGEST];
    bool holds = true;
    netdp_status status = netdp_i_ledger_prepare(ledger, sql, &select, error);
    while (status == NETDP_OK && holds && netdp_i_ledger_next(ledger, select, &status, error)) {
        holds = netdp_i_entry_take(select, &entry);
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
    netdp_i_ledger_release(ledger, select);
    if (status == NETDP_OK && (!holds || ledger->head.rows == 0))
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%.300s: the ledger's rows are not what was written; keep the file "
                              "and look at netdp ledger verify",
                              ledger->path);
    return status;
}

/* The owner, and 16 random bytes: no two ledgers begin alike. */
static netdp_status begin(netdp_i_ledger *ledger, const unsigned char key[NETDP_I_KEY],
                          netdp_error *error)
{
    char sql[160];
    unsigned char body[NETDP_I_KEY + 16];
    memcpy(body, key, NETDP_I_KEY);
    randombytes_buf(body + NETDP_I_KEY, 16);
    netdp_i_entry first = {
        .kind = NETDP_I_ENTRY_OPENED, .party = -1, .body = body, .bytes = sizeof body};
    netdp_i_ledger_head head;
    netdp_status status = netdp_i_ledger_begin(ledger, error);
    if (status != NETDP_OK)
        return status;
    status = run(ledger, "be made", schema, error);
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             FORM);
    if (status == NETDP_OK)
        status = run(ledger, "be made", sql, error);
    if (status == NETDP_OK)
        status = insert_all(ledger, &first, 1, &head, error);
    status = netdp_i_ledger_commit(ledger, status, error);
    if (status == NETDP_OK)
        ledger->head = head;
    memcpy(ledger->owner, key, NETDP_I_KEY);
    return status;
}

/* A new file is there after a power cut only once its folder is synced. */
static void sync_folder(const char *path)
{
    char folder[NETDP_I_PATH_ROOM];
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, sizeof folder, ".");
    else
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
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
    netdp_status status =
        run(ledger, "open",
            key != NULL ? "PRAGMA trusted_schema = OFF; PRAGMA recursive_triggers "
                          "= ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = "
                          "FULL"
                        : "PRAGMA trusted_schema = OFF",
            error);
    if (status == NETDP_OK)
        status = read_number(ledger, "PRAGMA application_id", &application, error);
    if (status == NETDP_OK)
        status = read_number(ledger, "PRAGMA user_version", &form, error);
    if (status == NETDP_OK)
        status = read_number(ledger, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (status != NETDP_OK)
        return status;
    if (tables == 0 && application == 0 && key != NULL) {
        status = begin(ledger, key, error);
        if (status == NETDP_OK)
            sync_folder(ledger->path);
        return status;
    }
    if (application != APPLICATION || form != FORM)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s: is no ledger of this version; name another file",
                            ledger->path);
    return read_ends(ledger, error);
}

static netdp_status open_ledger(const char *path, const unsigned char *key, netdp_i_ledger **ledger,
                                netdp_error *error)
{
    netdp_i_ledger *made = NETDP_I_NEW(netdp_i_ledger, 1);
    struct stat shape;
    netdp_status status = NETDP_OK;
    if (made == NULL || sodium_init() < 0)
        return netdp_i_no_memory(error);
    made->lock = -1;
    made->path = netdp_i_copy_text(path);
    if (made->path == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK && key != NULL)
        status = take_lock(made, error);
    if (status == NETDP_OK && key == NULL && stat(path, &shape) != 0)
        status = netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: cannot read: %s", path,
                              strerror(errno));
    const mode_t before = umask(077);
    if (status == NETDP_OK &&
        sqlite3_open_v2(path, &made->base,
                        key != NULL ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                    : SQLITE_OPEN_READONLY,
                        NULL) != SQLITE_OK)
        status = made->base == NULL ? netdp_i_no_memory(error)
                                    : netdp_i_ledger_cannot(made, "open", error);
    if (status == NETDP_OK) {
        sqlite3_busy_timeout(made->base, 5000);
        status = prepare_base(made, key, error);
        if (status == NETDP_OK && key != NULL)
            status = netdp_i_kept_begin(&made->kept, made->base, path, error);
    }
    umask(before);
    if (status == NETDP_OK && key != NULL && memcmp(made->owner, key, NETDP_I_KEY) != 0)
        status =
            netdp_i_fail(error, NETDP_INVALID,
                         "%.300s: is the ledger of another key; a ledger follows its key", path);
    if (status != NETDP_OK) {
        netdp_i_ledger_close(made);
        return status;
    }
    *ledger = made;
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

/* Only of a real study: rehearsals leave nothing that counts. */
static bool is_result(const char *path)
{
    char *text = NULL;
    int64_t bytes = 0;
    if (access(path, F_OK) != 0 || netdp_i_file_load(path, &text, &bytes, NULL) != NETDP_OK)
        return false;
    const bool real = strstr(text, "\"TEST: ") == NULL;
    netdp_i_free(text);
    return real;
}

/* A file of the folder that nothing but a study leaves there; "": none. */
static void find_trace(const char *folder, char found[NETDP_I_PATH_ROOM])
{
    char path[NETDP_I_PATH_ROOM];
    glob_t keys = {0};
    struct stat shape;
    found[0] = '\0';
    netdp_i_file_path(path, folder, "pair-key-*");
    if (glob(path, GLOB_NOSORT, NULL, &keys) == 0 && keys.gl_pathc > 0)
        snprintf(found, NETDP_I_PATH_ROOM, "%s", keys.gl_pathv[0]);
    globfree(&keys);
    netdp_i_file_path(path, folder, "frames");
    if (found[0] == '\0' && stat(path, &shape) == 0 && shape.st_size > 0)
        memcpy(found, path, sizeof path);
    netdp_i_file_path(path, folder, "result.json");
    if (found[0] == '\0' && is_result(path))
        memcpy(found, path, sizeof path);
}

netdp_status netdp_i_ledger_expect(const char *folder, const netdp_i_signer *signer,
                                   netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], trace[NETDP_I_PATH_ROOM];
    struct stat shape;
    netdp_i_file_path(path, folder, "ledger.db");
    if (stat(path, &shape) == 0 && shape.st_size > 0)
        return NETDP_OK;
    if (signer != NULL && netdp_i_signer_since(signer) != NULL)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "%.300s: is gone, and `key` says that it began at %s: a new one would have "
            "forgotten what was spent; bring it back, or join with a new key, in "
            "another folder",
            path, netdp_i_signer_since(signer));
    find_trace(folder, trace);
    return trace[0] == '\0'
               ? NETDP_OK
               : netdp_i_fail(
                     error, NETDP_INVALID,
                     "%.300s: is gone, though this folder took part in a study (%.200s): a "
                     "new one would have forgotten what was spent; bring it back, or "
                     "join with a new key, in another folder",
                     path, trace);
}

bool netdp_i_ledger_in_use(const char *path)
{
    char beside[NETDP_I_PATH_ROOM];
    snprintf(beside, sizeof beside, "%.4000s.lock", path);
    const int lock = open(beside, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool free = lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (lock >= 0)
        close(lock);
    return !free;
}

netdp_status netdp_i_ledger_first(netdp_i_ledger *ledger, unsigned char digest[NETDP_I_DIGEST],
                                  int64_t *time, netdp_error *error)
{
    bool found = false;
    netdp_status status = read_number(ledger, "SELECT time FROM entry WHERE row = 1", time, error);
    if (status == NETDP_OK)
        status = netdp_i_ledger_digest_at(ledger, 1, digest, &found, error);
    return status == NETDP_OK && !found
               ? netdp_i_fail(error, NETDP_INVALID, "%.300s: has no first row", ledger->path)
               : status;
}

const unsigned char *netdp_i_ledger_owner(const netdp_i_ledger *ledger)
{
    return ledger->owner;
}
