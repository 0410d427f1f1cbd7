#include "peer/ledger_base.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/try.h"

static const char *const words[NETDP_I_ENTRY_KINDS] = {"opened", "study", "reserved",
                                                       "contribution", "settled"};

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
    REFUSE(code == SQLITE_CONSTRAINT || code == SQLITE_NOTADB || code == SQLITE_CORRUPT,
           "%.300s: cannot %s: %s", ledger->path, what, sqlite3_errmsg(ledger->base));
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: cannot %s: %s; nothing of it was sent",
                        ledger->path, what, sqlite3_errmsg(ledger->base));
}

netdp_status netdp_i_ledger_run(netdp_i_ledger *ledger, const char *what, const char *sql,
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

netdp_status netdp_i_ledger_prepare(netdp_i_ledger_statement *statement, const char *sql,
                                    netdp_error *error)
{
    netdp_i_ledger *ledger = statement->ledger;
    const int at = place_of(ledger, sql);
    const bool room = at < NETDP_I_LEDGER_STATEMENTS;
    if (room && ledger->text[at] == sql && !sqlite3_stmt_busy(ledger->statement[at])) {
        statement->held = ledger->statement[at];
        return NETDP_OK;
    }
    const bool keep = room && ledger->text[at] == NULL;
    if (sqlite3_prepare_v3(ledger->base, sql, -1, keep ? SQLITE_PREPARE_PERSISTENT : 0,
                           &statement->held, NULL) != SQLITE_OK)
        return netdp_i_ledger_cannot(ledger, "read", error);
    if (keep) {
        ledger->text[at] = sql;
        ledger->statement[at] = statement->held;
    }
    return NETDP_OK;
}

void netdp_i_ledger_release(netdp_i_ledger_statement *statement)
{
    bool kept = false;
    for (int i = 0; i < NETDP_I_LEDGER_STATEMENTS; i++)
        kept = kept || statement->ledger->statement[i] == statement->held;
    if (!kept) {
        sqlite3_finalize(statement->held);
    } else if (statement->held != NULL) {
        sqlite3_reset(statement->held);
        sqlite3_clear_bindings(statement->held);
    }
    statement->held = NULL;
}

/* The next row: true; the end or a failure, which *status says: false. */
netdp_status netdp_i_ledger_next(netdp_i_ledger_statement *statement, bool *row, netdp_error *error)
{
    const int code = sqlite3_step(statement->held);
    *row = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return netdp_i_ledger_cannot(statement->ledger, "read", error);
    return NETDP_OK;
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
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement statement = {.ledger = ledger};
    *code = SQLITE_OK;
    TRY(netdp_i_ledger_prepare(&statement, sql, error));
    *code = sqlite3_step(statement.held);
    return *code == SQLITE_DONE ? NETDP_OK : netdp_i_ledger_cannot(ledger, "write", error);
}

static const char begin_sql[] = "BEGIN IMMEDIATE", commit_sql[] = "COMMIT",
                  rollback_sql[] = "ROLLBACK";

netdp_status netdp_i_ledger_begin(netdp_i_ledger *ledger, netdp_error *error)
{
    int code;
    REFUSE(ledger->lock < 0, "%.300s: is open for reading alone", ledger->path);
    if (ledger->broken)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%.300s: a row could not be written before; make room, look at the "
                            "disk, and start again",
                            ledger->path);
    const netdp_status status = step(ledger, begin_sql, &code, error);
    ledger->broken = status != NETDP_OK;
    return status;
}

netdp_status netdp_i_ledger_commit(netdp_i_ledger *ledger, netdp_status status, netdp_error *error)
{
    int code;
    if (status == NETDP_OK) {
        status = step(ledger, commit_sql, &code, error);
        ledger->broken = status != NETDP_OK;
        ledger->unsynced = true;
    }
    /* Some faults have rolled it back already. */
    if (status != NETDP_OK && sqlite3_get_autocommit(ledger->base) == 0 &&
        step(ledger, rollback_sql, &code, NULL) != NETDP_OK)
        ledger->broken = true;
    return status;
}

netdp_status netdp_i_ledger_sync(netdp_i_ledger *ledger, netdp_error *error)
{
    sqlite3_file *log = NULL;
    if (!ledger->unsynced)
        return NETDP_OK;
    if (sqlite3_file_control(ledger->base, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) !=
            SQLITE_OK ||
        log == NULL || log->pMethods == NULL ||
        log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) != SQLITE_OK) {
        ledger->broken = true;
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%.300s: cannot sync its log; look at the disk", ledger->path);
    }
    const netdp_status status =
        check_kept(ledger, error); /* moved while it was written, or before */
    ledger->broken = status != NETDP_OK;
    ledger->unsynced = ledger->broken;
    return status;
}

/* Within a transaction. */
static netdp_status insert(netdp_i_ledger *ledger, const netdp_i_entry *entry, netdp_error *error)
{
    static const char sql[] =
        "INSERT INTO entry (" NETDP_I_ENTRY_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?)";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement statement = {.ledger = ledger};
    TRY(netdp_i_ledger_prepare(&statement, sql, error));
    sqlite3_bind_int64(statement.held, 1, (sqlite3_int64)entry->row);
    sqlite3_bind_text(statement.held, 2, words[entry->kind], -1, SQLITE_STATIC);
    sqlite3_bind_blob(statement.held, 3, entry->of.study, NETDP_I_DIGEST, SQLITE_STATIC);
    sqlite3_bind_int64(statement.held, 4, entry->of.phase);
    sqlite3_bind_int64(statement.held, 5, entry->of.attempt);
    sqlite3_bind_int64(statement.held, 6, entry->party);
    sqlite3_bind_int64(statement.held, 7, entry->time);
    sqlite3_bind_blob64(statement.held, 8, entry->body, (sqlite3_uint64)entry->bytes,
                        SQLITE_STATIC);
    sqlite3_bind_blob(statement.held, 9, entry->hash, NETDP_I_DIGEST, SQLITE_STATIC);
    const int code = sqlite3_step(statement.held);
    if (code == SQLITE_DONE)
        return NETDP_OK;
    ledger->broken = (code & 0xff) != SQLITE_CONSTRAINT;
    return netdp_i_ledger_cannot(ledger, "write", error);
}

netdp_status netdp_i_ledger_insert(netdp_i_ledger *ledger, netdp_i_entry *entries, int32_t count,
                                   netdp_i_ledger_head *head, netdp_error *error)
{
    *head = ledger->head;
    for (int32_t i = 0; i < count; i++) {
        netdp_i_entry *entry = &entries[i];
        entry->row = head->rows + 1;
        entry->time = (int64_t)time(NULL);
        netdp_i_entry_hash(head->digest, entry, entry->hash);
        TRY(insert(ledger, entry, error));
        head->rows = entry->row;
        memcpy(head->digest, entry->hash, NETDP_I_DIGEST);
    }
    return NETDP_OK;
}

static netdp_status insert_all(netdp_i_ledger *ledger, netdp_i_entry *entries, int32_t count,
                               netdp_i_ledger_head *head, netdp_error *error)
{
    TRY(netdp_i_ledger_insert(ledger, entries, count, head, error));
    return netdp_i_ledger_write_met(ledger, error);
}

netdp_status netdp_i_ledger_append(netdp_i_ledger *ledger, netdp_i_entry *entries, int32_t count,
                                   netdp_error *error)
{
    netdp_i_ledger_head head;
    TRY(netdp_i_ledger_begin(ledger, error));
    TRY(netdp_i_ledger_commit(ledger, insert_all(ledger, entries, count, &head, error), error));
    TRY(netdp_i_ledger_sync(ledger, error));
    netdp_i_ledger_met_written(ledger);
    ledger->head = head;
    return NETDP_OK;
}
