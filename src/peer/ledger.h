/*
 * The ledger: what a peer has spent, in a file that only grows.
 *
 * A row is on disk, synced, before the call that made it returns; what a call has not said is not
 * done. The order of a contribution is: ask whether it may be; draw; reserve its price and store the frame as
 * it will leave, in one transaction; erase the noise; send what is stored. After a crash at any instant the same
 * calls in the same order give either the stored bytes, to be sent again, or nothing has left.
 *
 * SQLite, write-ahead log, synced by netdp_i_ledger_sync, STRICT; triggers refuse to change or delete a row, and
 * each row holds BLAKE2b-256 of itself and of the row before. The last of them, the head, is shown to
 * neighbours, signed; they remember it, say so in their hellos, and refuse a ledger that went back.
 */
#ifndef NETDP_I_PEER_LEDGER_H
#define NETDP_I_PEER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

#include "base/try.h"
#include "peer/link/frame.h"
#include "peer/keys.h"
#include "peer/package.h"

typedef enum netdp_i_entry_kind {
    NETDP_I_ENTRY_OPENED = 0,   /* the first row: whose ledger */
    NETDP_I_ENTRY_STUDY,        /* what a study costs per contribution, towards whom */
    NETDP_I_ENTRY_RESERVED,     /* the price of one attempt at one phase */
    NETDP_I_ENTRY_CONTRIBUTION, /* a frame as it leaves */
    NETDP_I_ENTRY_SETTLED,      /* the study is over: no more is reserved for it */
    NETDP_I_ENTRY_KINDS,
} netdp_i_entry_kind;

/* A row; study, phase and attempt are zeros where they mean nothing. */
typedef struct netdp_i_entry {
    uint64_t row; /* 1, 2, ... */
    netdp_i_entry_kind kind;
    netdp_i_attempt of;
    int64_t party; /* a member by number; -1: nobody, or everybody */
    int64_t time;  /* seconds since 1970, by this machine's clock */
    const unsigned char *body;
    int64_t bytes;
    unsigned char hash[NETDP_I_DIGEST];
} netdp_i_entry;

/* "reserved"; NULL of a number that is none. */
const char *netdp_i_entry_word(netdp_i_entry_kind kind);

typedef struct netdp_i_ledger netdp_i_ledger;

/*
 * The ledger of the owner of `key`: made if it is not there. One process at a time may write
 * (NETDP_ENVIRONMENT), and none into somebody else's (NETDP_INVALID). The last row is checked
 * against its hash; netdp_i_ledger_verify checks all of them.
 */
netdp_status netdp_i_ledger_open(const char *path, const unsigned char key[NETDP_I_KEY],
                                 netdp_i_ledger **ledger, netdp_error *error);
/* For reading alone, beside a peer that writes. */
netdp_status netdp_i_ledger_read(const char *path, netdp_i_ledger **ledger, netdp_error *error);
void netdp_i_ledger_close(netdp_i_ledger *ledger);
OWNER(netdp_i_ledger_close, netdp_i_ledger)

/*
 * Is `ledger.db` gone from the folder of that key? NETDP_INVALID where it is not there (or holds nothing) though the key's file
 * says that it began, or the folder has pair keys, frames or a result of a real study: a new one would have
 * forgotten what was spent.
 */
netdp_status netdp_i_ledger_expect(const char *folder, const netdp_i_signer *signer,
                                   netdp_error *error);

/* Does a peer have it open for writing? */
bool netdp_i_ledger_in_use(const char *path);

/* The digest and the time of the first row. */
netdp_status netdp_i_ledger_first(netdp_i_ledger *ledger, unsigned char digest[NETDP_I_DIGEST],
                                  int64_t *time, netdp_error *error);

/* Whose it is. */
const unsigned char *netdp_i_ledger_owner(const netdp_i_ledger *ledger); /* [NETDP_I_KEY] */

/* ---- Spending ---- */

/*
 * What the study costs (peer/budget.h writes the body), before anything of it is reserved. The same
 * body again is fine; another one for the same study, or a study that is settled: NETDP_INVALID.
 */
netdp_status netdp_i_ledger_enrol(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                  const char *body, netdp_error *error);

/*
 * Reserves the price of this attempt, if that is not done yet. *stored: frames of it may have left;
 * nothing may be drawn for it again, and netdp_i_ledger_frame has what must be sent. Else nothing of
 * it has left, and what was drawn before a crash, if anything, is gone. Not enrolled, settled, or more
 * than the study was admitted with: NETDP_INVALID.
 */
netdp_status netdp_i_ledger_reserve(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                    bool *stored, netdp_error *error);

/* What netdp_i_ledger_reserve would say, before anything is drawn; nothing is written. */
netdp_status netdp_i_ledger_admits(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                   bool *stored, netdp_error *error);

/* Reserves the price of the attempt, if that is not done yet, and stores its frame for all: both or neither. */
netdp_status netdp_i_ledger_contribute(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                       const void *frame, int64_t bytes, netdp_error *error);

/* Stores the frame for a party, -1: the same for all. Without a reservation, or a second time for
 * the same party, or for all and for one: NETDP_INVALID, and the frame must not leave. */
netdp_status netdp_i_ledger_store(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                  int64_t party, const void *frame, int64_t bytes,
                                  netdp_error *error);

/* The stored frame for a party, new memory; NULL where there is none. */
netdp_status netdp_i_ledger_frame(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                  int64_t party, unsigned char **frame, int64_t *bytes,
                                  netdp_error *error);

/* What was reserved last of the study: the last phase of its last attempt; false: nothing was. */
netdp_status netdp_i_ledger_last(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                 netdp_i_attempt *attempt, bool *found, netdp_error *error);

/* The study is over: what it has not reserved it gives back. A second time is fine. */
netdp_status netdp_i_ledger_settle(netdp_i_ledger *ledger,
                                   const unsigned char study[NETDP_I_DIGEST], const char *body,
                                   netdp_error *error);

/* How many attempts of the study are reserved, and whether it is settled. */
netdp_status netdp_i_ledger_count(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                  int64_t *reserved, bool *settled, netdp_error *error);

/* ---- Reading ---- */

typedef netdp_status (*netdp_i_entry_visit)(void *context, const netdp_i_entry *entry,
                                            netdp_error *error);

/* Every row in order, each checked against its hash: NETDP_INVALID at the first that is not what was
 * written. *head: the last. `visit` may be NULL. */
netdp_status netdp_i_ledger_verify(netdp_i_ledger *ledger, netdp_i_entry_visit visit, void *context,
                                   netdp_i_ledger_head *head, netdp_error *error);

/* ---- Heads ---- */

void netdp_i_ledger_head_of(const netdp_i_ledger *ledger, netdp_i_ledger_head *head);

/* The digest after so many rows, which a ledger that went on from them has too; false: there are
 * not so many. */
netdp_status netdp_i_ledger_digest_at(netdp_i_ledger *ledger, uint64_t rows,
                                      unsigned char digest[NETDP_I_DIGEST], bool *found,
                                      netdp_error *error);

/* Is that head one of this ledger, or of no rows? Where not, and its owner signed it, the ledger is a copy from before. */
netdp_status netdp_i_ledger_holds(netdp_i_ledger *ledger, const netdp_i_ledger_head *head,
                                  bool *held, netdp_error *error);

/* What this peer remembers of another's ledger; rows 0: nothing. */
netdp_status netdp_i_ledger_remembered(netdp_i_ledger *ledger, const unsigned char key[NETDP_I_KEY],
                                       netdp_i_shown_head *shown, netdp_error *error);

/*
 * Another peer shows its head; the signature holds. *back: its ledger is older than one that it showed, or as long and another
 * one, and it must be refused. Else the head is to be remembered: netdp_i_ledger_note writes it, with others that
 * came at once, and netdp_i_ledger_remember before anything leaves that may follow from it. Whether a longer
 * one goes on from what is remembered, its owner is told in the hello and looks itself.
 */
netdp_status netdp_i_ledger_meet(netdp_i_ledger *ledger, const unsigned char key[NETDP_I_KEY],
                                 const netdp_i_shown_head *shown, bool *back, netdp_error *error);

/* All heads that were met are in the file when this returns, whoever kills this process; power that goes may take them. */
netdp_status netdp_i_ledger_note(netdp_i_ledger *ledger, netdp_error *error);

/* The same, and synced. Both are cheap where there is nothing new. */
netdp_status netdp_i_ledger_remember(netdp_i_ledger *ledger, netdp_error *error);

#endif
