/* What a ledger says: all of it, and its heads. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "peer/ledger_base.h"

netdp_status netdp_i_ledger_verify(netdp_i_ledger *ledger, netdp_i_entry_visit visit, void *context,
                                   netdp_i_ledger_head *head, netdp_error *error)
{
    static const char sql[] = "SELECT " NETDP_I_ENTRY_COLUMNS " FROM entry ORDER BY row";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    netdp_i_entry entry;
    unsigned char hash[NETDP_I_DIGEST];
    netdp_i_ledger_head at = {0};
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    for (;;) {
        bool row = false;
        TRY(netdp_i_ledger_next(&select, &row, error));
        if (!row)
            break;
        const bool known = netdp_i_entry_take(select.held, &entry);
        if (known)
            netdp_i_entry_hash(at.digest, &entry, hash);
        REFUSE(!known || entry.row != at.rows + 1 || memcmp(hash, entry.hash, sizeof hash) != 0,
               "%.300s: row %llu is not what was written: the ledger was "
               "tampered with, or the disk is failing",
               ledger->path, (unsigned long long)at.rows + 1);
        if (visit != NULL)
            TRY(visit(context, &entry, error));
        at.rows = entry.row;
        memcpy(at.digest, entry.hash, NETDP_I_DIGEST);
    }
    if (head != NULL)
        *head = at;
    return NETDP_OK;
}

/* ---- Heads ---- */

void netdp_i_ledger_head_of(const netdp_i_ledger *ledger, netdp_i_ledger_head *head)
{
    *head = ledger->head;
}

netdp_status netdp_i_ledger_digest_at(netdp_i_ledger *ledger, uint64_t rows,
                                      unsigned char digest[NETDP_I_DIGEST], bool *found,
                                      netdp_error *error)
{
    static const char sql[] = "SELECT hash FROM entry WHERE row = ?";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    bool row = false;
    if (rows > INT64_MAX) {
        *found = false;
        return NETDP_OK;
    }
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    sqlite3_bind_int64(select.held, 1, (sqlite3_int64)rows);
    TRY(netdp_i_ledger_next(&select, &row, error));
    *found = row && sqlite3_column_bytes(select.held, 0) == NETDP_I_DIGEST;
    if (*found)
        memcpy(digest, sqlite3_column_blob(select.held, 0), NETDP_I_DIGEST);
    return NETDP_OK;
}

netdp_status netdp_i_ledger_holds(netdp_i_ledger *ledger, const netdp_i_ledger_head *head,
                                  bool *held, netdp_error *error)
{
    unsigned char digest[NETDP_I_DIGEST];
    *held = true;
    if (head->rows == 0)
        return NETDP_OK;
    TRY(netdp_i_ledger_digest_at(ledger, head->rows, digest, held, error));
    *held = *held && memcmp(digest, head->digest, sizeof digest) == 0;
    return NETDP_OK;
}

/* What is known of that key's ledger: from the table the first time. */
static netdp_status recall(netdp_i_ledger *ledger, const unsigned char key[NETDP_I_KEY],
                           netdp_i_met **known, netdp_error *error)
{
    static const char sql[] = "SELECT rows, digest, signature FROM met WHERE key = ?";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    netdp_i_met found = {.fresh = false};
    bool row = false;
    memcpy(found.key, key, NETDP_I_KEY);
    for (int32_t i = 0; i < ledger->met_count; i++)
        if (memcmp(ledger->met[i].key, key, NETDP_I_KEY) == 0) {
            *known = &ledger->met[i];
            return NETDP_OK;
        }
    netdp_i_met *grown = netdp_i_grow(ledger->met, ledger->met_count + 1, sizeof *ledger->met);
    NEED(grown);
    ledger->met = grown;
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    sqlite3_bind_blob(select.held, 1, key, NETDP_I_KEY, SQLITE_STATIC);
    TRY(netdp_i_ledger_next(&select, &row, error));
    if (row && sqlite3_column_bytes(select.held, 1) == NETDP_I_DIGEST &&
        sqlite3_column_bytes(select.held, 2) == NETDP_I_SIGNATURE) {
        found.shown.head.rows = (uint64_t)sqlite3_column_int64(select.held, 0);
        memcpy(found.shown.head.digest, sqlite3_column_blob(select.held, 1), NETDP_I_DIGEST);
        memcpy(found.shown.signature, sqlite3_column_blob(select.held, 2), NETDP_I_SIGNATURE);
    }
    *known = &ledger->met[ledger->met_count++];
    **known = found;
    return NETDP_OK;
}

netdp_status netdp_i_ledger_remembered(netdp_i_ledger *ledger, const unsigned char key[NETDP_I_KEY],
                                       netdp_i_shown_head *shown, netdp_error *error)
{
    netdp_i_met *known = NULL;
    TRY(recall(ledger, key, &known, error));
    *shown = known->shown;
    return NETDP_OK;
}

/* Within a transaction. */
static netdp_status write_met(netdp_i_ledger *ledger, const netdp_i_met *met, netdp_error *error)
{
    static const char sql[] =
        "INSERT INTO met (key, rows, digest, signature) VALUES (?,?,?,?) ON CONFLICT (key) DO "
        "UPDATE SET rows = excluded.rows, digest = excluded.digest, signature = excluded.signature";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement insert = {.ledger = ledger};
    TRY(netdp_i_ledger_prepare(&insert, sql, error));
    sqlite3_bind_blob(insert.held, 1, met->key, NETDP_I_KEY, SQLITE_STATIC);
    sqlite3_bind_int64(insert.held, 2, (sqlite3_int64)met->shown.head.rows);
    sqlite3_bind_blob(insert.held, 3, met->shown.head.digest, NETDP_I_DIGEST, SQLITE_STATIC);
    sqlite3_bind_blob(insert.held, 4, met->shown.signature, NETDP_I_SIGNATURE, SQLITE_STATIC);
    if (sqlite3_step(insert.held) != SQLITE_DONE)
        return netdp_i_ledger_cannot(ledger, "remember a head", error);
    return NETDP_OK;
}

netdp_status netdp_i_ledger_write_met(netdp_i_ledger *ledger, netdp_error *error)
{
    for (int32_t i = 0; ledger->fresh > 0 && i < ledger->met_count; i++)
        if (ledger->met[i].fresh)
            TRY(write_met(ledger, &ledger->met[i], error));
    return NETDP_OK;
}

void netdp_i_ledger_met_written(netdp_i_ledger *ledger)
{
    for (int32_t i = 0; ledger->fresh > 0 && i < ledger->met_count; i++)
        ledger->met[i].fresh = false;
    ledger->fresh = 0;
}

/* One transaction of all that came, which is not synced. */
netdp_status netdp_i_ledger_note(netdp_i_ledger *ledger, netdp_error *error)
{
    if (ledger->fresh == 0)
        return NETDP_OK;
    TRY(netdp_i_ledger_begin(ledger, error));
    netdp_status status =
        netdp_i_ledger_commit(ledger, netdp_i_ledger_write_met(ledger, error), error);
    if (status == NETDP_OK)
        netdp_i_ledger_met_written(ledger);
    else
        ledger->broken = true;
    return status;
}

netdp_status netdp_i_ledger_remember(netdp_i_ledger *ledger, netdp_error *error)
{
    TRY(netdp_i_ledger_note(ledger, error));
    return netdp_i_ledger_sync(ledger, error);
}

netdp_status netdp_i_ledger_meet(netdp_i_ledger *ledger, const unsigned char key[NETDP_I_KEY],
                                 const netdp_i_shown_head *shown, bool *back, netdp_error *error)
{
    netdp_i_met *known = NULL;
    REFUSE(ledger->lock < 0, "%.300s: is open for reading alone", ledger->path);
    TRY(recall(ledger, key, &known, error));
    const netdp_i_ledger_head *before = &known->shown.head, *now = &shown->head;
    const bool same = memcmp(before->digest, now->digest, NETDP_I_DIGEST) == 0;
    bool older = now->rows == 0 || now->rows > INT64_MAX || now->rows < before->rows;
    if (before->rows > 0 && now->rows == before->rows)
        older = older || !same;
    if (!older && !(now->rows == before->rows && same)) {
        ledger->fresh += !known->fresh;
        known->fresh = true;
        known->shown = *shown;
    }
    *back = older;
    return NETDP_OK;
}
