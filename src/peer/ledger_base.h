/* What the files of the ledger share: ledger_base.c opens it and adds rows, spending.c is what callers do,
 * history.c what they read. */
#ifndef NETDP_I_PEER_LEDGER_BASE_H
#define NETDP_I_PEER_LEDGER_BASE_H

#include <sqlite3.h>

#include "guard/kept.h"
#include "peer/ledger.h"

struct netdp_i_ledger {
    sqlite3 *base;
    char *path;
    int lock;          /* held while it is open for writing; -1: for reading */
    netdp_i_kept kept; /* while it is open for writing */
    bool broken;       /* a write failed: what is on disk is known only after opening it again */
    netdp_i_ledger_head head;
    unsigned char owner[NETDP_I_KEY];
};

#define NETDP_I_ENTRY_COLUMNS "row, kind, study, phase, attempt, party, time, body, hash"

/* What SQLite said, on one line. */
netdp_status netdp_i_ledger_cannot(const netdp_i_ledger *ledger, const char *what,
                                   netdp_error *error);
netdp_status netdp_i_ledger_prepare(netdp_i_ledger *ledger, const char *sql,
                                    sqlite3_stmt **statement, netdp_error *error);

/* The next row: true; the end or a failure, which *status says: false. */
bool netdp_i_ledger_next(netdp_i_ledger *ledger, sqlite3_stmt *statement, netdp_status *status,
                         netdp_error *error);

/* One transaction, synced when this returns; the head moves with it. Fills in row, time and hash. */
netdp_status netdp_i_ledger_append(netdp_i_ledger *ledger, netdp_i_entry *entry,
                                   netdp_error *error);

/* BLAKE2b-256 of the hash before and of everything that the row holds. */
void netdp_i_entry_hash(const unsigned char before[NETDP_I_DIGEST], const netdp_i_entry *entry,
                        unsigned char hash[NETDP_I_DIGEST]);

/* A row of the table, lent until the next; false: it is none that a ledger could have written. */
bool netdp_i_entry_take(sqlite3_stmt *from, netdp_i_entry *entry);

#endif
