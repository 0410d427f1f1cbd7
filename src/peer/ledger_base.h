/* What the files of the ledger share: ledger_open.c opens it, ledger_base.c adds rows, spending.c is what callers do,
 * history.c what they read. */
#ifndef NETDP_I_PEER_LEDGER_BASE_H
#define NETDP_I_PEER_LEDGER_BASE_H

#include <sqlite3.h>

#include "guard/kept.h"
#include "peer/ledger.h"

enum { NETDP_I_LEDGER_STATEMENTS = 24 };

/* Another's head as this peer knows it; `fresh`: it is not on the disk yet. */
typedef struct netdp_i_met {
    unsigned char key[NETDP_I_KEY];
    netdp_i_shown_head shown;
    bool fresh;
} netdp_i_met;

/* What is left of the study that was asked for last; nobody else writes. */
typedef struct netdp_i_admission {
    bool known;
    unsigned char study[NETDP_I_DIGEST];
    bool enrolled, settled;
    int64_t most, reserved; /* attempts; most -1: as many as one likes */
    netdp_i_attempt last;   /* of those reserved, by attempt and then phase */
    bool asked;             /* this attempt was admitted, and nothing written since; */
    netdp_i_attempt attempt;
    bool paid; /* is it reserved? */
} netdp_i_admission;

struct netdp_i_ledger {
    sqlite3 *base;
    char *path;
    int lock;          /* held while it is open for writing; -1: for reading */
    netdp_i_kept kept; /* while it is open for writing */
    bool broken;       /* a write failed: what is on disk is known only after opening it again */
    netdp_i_ledger_head head;
    unsigned char owner[NETDP_I_KEY];
    sqlite3_stmt *statement[NETDP_I_LEDGER_STATEMENTS]; /* prepared once, */
    const char *text[NETDP_I_LEDGER_STATEMENTS];        /* of that SQL */
    netdp_i_met *met;                                   /* [met_count] */
    int32_t met_count, fresh;                           /* so many of them are fresh */
    bool unsynced; /* what is committed is in the log, and a power cut may take it */
    netdp_i_admission room;
};

#define NETDP_I_ENTRY_COLUMNS "row, kind, study, phase, attempt, party, time, body, hash"

/* What SQLite said, on one line. */
netdp_status netdp_i_ledger_cannot(const netdp_i_ledger *ledger, const char *what,
                                   netdp_error *error);
/* A statement in use, of an open ledger: CLEARED(netdp_i_ledger_release). */
typedef struct netdp_i_ledger_statement {
    netdp_i_ledger *ledger;
    sqlite3_stmt *held;
} netdp_i_ledger_statement;

/* `sql` is a constant: it is parsed once, and kept until the ledger closes. */
netdp_status netdp_i_ledger_prepare(netdp_i_ledger_statement *statement, const char *sql,
                                    netdp_error *error);
void netdp_i_ledger_release(netdp_i_ledger_statement *statement);

/* *row: there is a next row, and the statement stands on it. */
netdp_status netdp_i_ledger_next(netdp_i_ledger_statement *statement, bool *row,
                                 netdp_error *error);

/* Statements that answer nothing. */
netdp_status netdp_i_ledger_run(netdp_i_ledger *ledger, const char *what, const char *sql,
                                netdp_error *error);

/*
 * All of these rows or none, in one transaction that is synced when this returns, with the heads that are fresh; the head
 * moves with it. Fills in row, time and hash.
 */
netdp_status netdp_i_ledger_append(netdp_i_ledger *ledger, netdp_i_entry *entries, int32_t count,
                                   netdp_error *error);

/*
 * Its parts. Between begin and commit what is written is of one transaction. `status`: of the work so far; where it is
 * none that went well, nothing of it stays. What is committed outlives a kill of this process, and once it is synced
 * a power cut: nothing that may follow from it happens before.
 */
netdp_status netdp_i_ledger_begin(netdp_i_ledger *ledger, netdp_error *error);
netdp_status netdp_i_ledger_commit(netdp_i_ledger *ledger, netdp_status status, netdp_error *error);
netdp_status netdp_i_ledger_sync(netdp_i_ledger *ledger, netdp_error *error);

/* Within a transaction: rows behind the head, and what the head then is; the heads of others that are fresh, which are
 * not any more once it is committed. */
netdp_status netdp_i_ledger_insert(netdp_i_ledger *ledger, netdp_i_entry *entries, int32_t count,
                                   netdp_i_ledger_head *head, netdp_error *error);
netdp_status netdp_i_ledger_write_met(netdp_i_ledger *ledger, netdp_error *error);
void netdp_i_ledger_met_written(netdp_i_ledger *ledger);

/* BLAKE2b-256 of the hash before and of everything that the row holds. */
void netdp_i_entry_hash(const unsigned char before[NETDP_I_DIGEST], const netdp_i_entry *entry,
                        unsigned char hash[NETDP_I_DIGEST]);

/* A row of the table, lent until the next; false: it is none that a ledger could have written. */
bool netdp_i_entry_take(sqlite3_stmt *from, netdp_i_entry *entry);

#endif
