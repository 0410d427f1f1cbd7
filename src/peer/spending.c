/* What a peer does with its ledger: reserve, store, settle. */
#include <string.h>
#include <jansson.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"
#include "peer/ledger_base.h"

enum { LONGEST_FRAME = 1 << 28 };

/* The row of that kind, attempt and party: its body, new memory (may be NULL); *found: is it there? */
static netdp_status find(netdp_i_ledger *ledger, netdp_i_entry_kind kind, const netdp_i_attempt *of,
                         int64_t party, unsigned char **body, int64_t *bytes, bool *found,
                         netdp_error *error)
{
    static const char sql[] = "SELECT body FROM entry WHERE kind = ? AND study = ? AND phase = ? "
                              "AND attempt = ? AND party = ?";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    bool there = false;
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    sqlite3_bind_text(select.held, 1, netdp_i_entry_word(kind), -1, SQLITE_STATIC);
    sqlite3_bind_blob(select.held, 2, of->study, NETDP_I_DIGEST, SQLITE_STATIC);
    sqlite3_bind_int64(select.held, 3, of->phase);
    sqlite3_bind_int64(select.held, 4, of->attempt);
    sqlite3_bind_int64(select.held, 5, party);
    TRY(netdp_i_ledger_next(&select, &there, error));
    if (there && body != NULL) {
        const void *held = sqlite3_column_blob(select.held, 0);
        const int64_t size = sqlite3_column_bytes(select.held, 0);
        unsigned char *copy = NETDP_I_NEW(unsigned char, size + 1);
        NEED(copy);
        if (size > 0)
            memcpy(copy, held, (size_t)size);
        *body = copy;
        *bytes = size;
    }
    *found = there;
    return NETDP_OK;
}

static netdp_i_attempt of_study(const unsigned char study[NETDP_I_DIGEST])
{
    netdp_i_attempt of = {.phase = 0};
    memcpy(of.study, study, NETDP_I_DIGEST);
    return of;
}

/* Appends the row; one that is there already with the same body is fine, with another one it is
 * not. */
static netdp_status append_once(netdp_i_ledger *ledger, netdp_i_entry_kind kind,
                                const netdp_i_attempt *of, int64_t party, const char *text,
                                netdp_error *error)
{
    OWNED unsigned char *body = NULL;
    int64_t bytes = 0;
    bool found = false;
    netdp_i_entry entry = {.kind = kind,
                           .of = *of,
                           .party = party,
                           .body = (const unsigned char *)text,
                           .bytes = (int64_t)strlen(text)};
    TRY(find(ledger, kind, of, party, &body, &bytes, &found, error));
    if (!found)
        return netdp_i_ledger_append(ledger, &entry, 1, error);
    REFUSE(bytes != entry.bytes || memcmp(body, text, (size_t)bytes) != 0,
           "%.300s: the row '%s' of this study is there already and says otherwise; a new study "
           "needs a new package",
           ledger->path, netdp_i_entry_word(kind));
    return NETDP_OK;
}

netdp_status netdp_i_ledger_enrol(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                  const char *body, netdp_error *error)
{
    const netdp_i_attempt of = of_study(study);
    bool settled = false;
    TRY(find(ledger, NETDP_I_ENTRY_SETTLED, &of, -1, NULL, NULL, &settled, error));
    ledger->room.known = ledger->room.asked = false;
    REFUSE(settled, "%.300s: this study is settled; to run it again, agree on a new package",
           ledger->path);
    return append_once(ledger, NETDP_I_ENTRY_STUDY, &of, -1, body, error);
}

/* Is any frame of the attempt stored? */
static netdp_status has_frames(netdp_i_ledger *ledger, const netdp_i_attempt *attempt, bool *stored,
                               netdp_error *error)
{
    static const char sql[] = "SELECT 1 FROM entry WHERE kind = 'contribution' AND study = ? AND "
                              "phase = ? AND attempt = ?";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    bool any = false;
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    sqlite3_bind_blob(select.held, 1, attempt->study, NETDP_I_DIGEST, SQLITE_STATIC);
    sqlite3_bind_int64(select.held, 2, attempt->phase);
    sqlite3_bind_int64(select.held, 3, attempt->attempt);
    TRY(netdp_i_ledger_next(&select, &any, error));
    *stored = any;
    return NETDP_OK;
}

/* What the study was admitted with (netdp_i_prices_text), and what is left of it. */
static netdp_status count_room(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                               netdp_error *error)
{
    const netdp_i_attempt of = of_study(study);
    netdp_i_admission room = {.known = true, .most = -1};
    bool any = false;
    OWNED unsigned char *body = NULL;
    int64_t bytes = 0;
    if (ledger->room.known && memcmp(ledger->room.study, study, NETDP_I_DIGEST) == 0)
        return NETDP_OK;
    memcpy(room.study, study, NETDP_I_DIGEST);
    TRY(find(ledger, NETDP_I_ENTRY_STUDY, &of, -1, &body, &bytes, &room.enrolled, error));
    TRY(netdp_i_ledger_count(ledger, study, &room.reserved, &room.settled, error));
    TRY(netdp_i_ledger_last(ledger, study, &room.last, &any, error));
    OWNED_BY(json_decref)
    json_t *terms = body != NULL ? json_loadb((const char *)body, (size_t)bytes, 0, NULL) : NULL;
    const json_t *most = json_object_get(terms, "contributions");
    if (json_is_integer(most))
        room.most = json_integer_value(most);
    ledger->room = room;
    return NETDP_OK;
}

static netdp_status check_room(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                               netdp_error *error)
{
    const netdp_i_admission *room = &ledger->room;
    TRY(count_room(ledger, attempt->study, error));
    REFUSE(!room->enrolled || room->settled, "%.300s: the study is not enrolled, or settled",
           ledger->path);
    REFUSE(room->most >= 0 && room->reserved >= room->most,
           "%.300s: all %lld contributions that the study was admitted with are reserved; more "
           "need a new package",
           ledger->path, (long long)room->reserved);
    return NETDP_OK;
}

/* Known without a look: it is behind all that are reserved. */
static bool is_new(const netdp_i_admission *room, const netdp_i_attempt *of)
{
    const netdp_i_attempt *last = &room->last;
    return room->known && memcmp(room->study, of->study, NETDP_I_DIGEST) == 0 &&
           (room->reserved == 0 || of->attempt > last->attempt ||
            (of->attempt == last->attempt && of->phase > last->phase));
}

/* *reserved: is it already? Else it may be. */
static netdp_status admit(netdp_i_ledger *ledger, const netdp_i_attempt *attempt, bool *reserved,
                          bool *stored, netdp_error *error)
{
    *stored = false; /* nothing is without its reservation */
    *reserved = false;
    if (!is_new(&ledger->room, attempt))
        TRY(find(ledger, NETDP_I_ENTRY_RESERVED, attempt, -1, NULL, NULL, reserved, error));
    return *reserved ? has_frames(ledger, attempt, stored, error)
                     : check_room(ledger, attempt, error);
}

static bool is_same(const netdp_i_attempt *a, const netdp_i_attempt *b)
{
    return a->phase == b->phase && a->attempt == b->attempt &&
           memcmp(a->study, b->study, NETDP_I_DIGEST) == 0;
}

netdp_status netdp_i_ledger_admits(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                   bool *stored, netdp_error *error)
{
    netdp_i_admission *room = &ledger->room;
    bool reserved = false;
    const netdp_status status = admit(ledger, attempt, &reserved, stored, error);
    room->asked = status == NETDP_OK;
    room->attempt = *attempt;
    room->paid = reserved;
    return status;
}

/* The price of an attempt, and a frame of it or nothing: one transaction. */
static netdp_status spend(netdp_i_ledger *ledger, bool reserved, netdp_i_entry *frame,
                          const netdp_i_attempt *attempt, netdp_error *error)
{
    netdp_i_entry entries[2];
    int32_t count = 0;
    if (!reserved)
        entries[count++] = (netdp_i_entry){.kind = NETDP_I_ENTRY_RESERVED,
                                           .of = *attempt,
                                           .party = -1,
                                           .body = (const unsigned char *)""};
    if (frame != NULL)
        entries[count++] = *frame;
    if (count == 0)
        return NETDP_OK;
    ledger->room.asked = false;
    const netdp_status status = netdp_i_ledger_append(ledger, entries, count, error);
    if (status != NETDP_OK)
        ledger->room.known = false;
    if (status != NETDP_OK || reserved)
        return status;
    if (is_new(&ledger->room, attempt))
        ledger->room.last = *attempt;
    ledger->room.reserved++;
    return status;
}

netdp_status netdp_i_ledger_reserve(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                    bool *stored, netdp_error *error)
{
    bool reserved = false;
    TRY(admit(ledger, attempt, &reserved, stored, error));
    return spend(ledger, reserved, NULL, attempt, error);
}

static netdp_status check_frame(const netdp_i_ledger *ledger, int64_t party, int64_t bytes,
                                netdp_error *error)
{
    REFUSE(bytes < 1 || bytes > LONGEST_FRAME || party < -1,
           "%.300s: a frame has 1 to %d bytes, not %lld", ledger->path, LONGEST_FRAME,
           (long long)bytes);
    return NETDP_OK;
}

netdp_status netdp_i_ledger_store(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                  int64_t party, const void *frame, int64_t bytes,
                                  netdp_error *error)
{
    netdp_i_entry entry = {.kind = NETDP_I_ENTRY_CONTRIBUTION,
                           .of = *attempt,
                           .party = party,
                           .body = frame,
                           .bytes = bytes};
    TRY(check_frame(ledger, party, bytes, error));
    return spend(ledger, true, &entry, attempt, error);
}

netdp_status netdp_i_ledger_contribute(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                       const void *frame, int64_t bytes, netdp_error *error)
{
    netdp_i_entry entry = {.kind = NETDP_I_ENTRY_CONTRIBUTION,
                           .of = *attempt,
                           .party = -1,
                           .body = frame,
                           .bytes = bytes};
    const bool asked = ledger->room.asked && is_same(&ledger->room.attempt, attempt);
    bool reserved = ledger->room.paid, stored = false;
    TRY(check_frame(ledger, -1, bytes, error));
    if (!asked)
        TRY(admit(ledger, attempt, &reserved, &stored, error));
    return spend(ledger, reserved, &entry, attempt, error);
}

netdp_status netdp_i_ledger_frame(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                  int64_t party, unsigned char **frame, int64_t *bytes,
                                  netdp_error *error)
{
    bool found = false;
    *frame = NULL;
    *bytes = 0;
    TRY(find(ledger, NETDP_I_ENTRY_CONTRIBUTION, attempt, party, frame, bytes, &found, error));
    if (!found && party != -1)
        return find(ledger, NETDP_I_ENTRY_CONTRIBUTION, attempt, -1, frame, bytes, &found, error);
    return NETDP_OK;
}

netdp_status netdp_i_ledger_last(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                 netdp_i_attempt *attempt, bool *found, netdp_error *error)
{
    static const char sql[] = "SELECT phase, attempt FROM entry WHERE kind = 'reserved' AND study "
                              "= ? ORDER BY attempt DESC, phase DESC LIMIT 1";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    bool any = false;
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    sqlite3_bind_blob(select.held, 1, study, NETDP_I_DIGEST, SQLITE_STATIC);
    TRY(netdp_i_ledger_next(&select, &any, error));
    if (any) {
        *attempt = of_study(study);
        attempt->phase = (uint32_t)sqlite3_column_int64(select.held, 0);
        attempt->attempt = (uint32_t)sqlite3_column_int64(select.held, 1);
    }
    *found = any;
    return NETDP_OK;
}

netdp_status netdp_i_ledger_settle(netdp_i_ledger *ledger,
                                   const unsigned char study[NETDP_I_DIGEST], const char *body,
                                   netdp_error *error)
{
    const netdp_i_attempt of = of_study(study);
    bool settled = false;
    TRY(find(ledger, NETDP_I_ENTRY_SETTLED, &of, -1, NULL, NULL, &settled, error));
    ledger->room.known = ledger->room.asked = false;
    if (!settled)
        return append_once(ledger, NETDP_I_ENTRY_SETTLED, &of, -1, body, error);
    return NETDP_OK;
}

netdp_status netdp_i_ledger_count(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                  int64_t *reserved, bool *settled, netdp_error *error)
{
    static const char sql[] = "SELECT count(*) FILTER (WHERE kind = 'reserved'), count(*) FILTER "
                              "(WHERE kind = 'settled') FROM entry WHERE study = ?";
    CLEARED(netdp_i_ledger_release) netdp_i_ledger_statement select = {.ledger = ledger};
    bool row = false;
    TRY(netdp_i_ledger_prepare(&select, sql, error));
    sqlite3_bind_blob(select.held, 1, study, NETDP_I_DIGEST, SQLITE_STATIC);
    TRY(netdp_i_ledger_next(&select, &row, error));
    if (row) {
        *reserved = sqlite3_column_int64(select.held, 0);
        *settled = sqlite3_column_int64(select.held, 1) > 0;
    }
    return NETDP_OK;
}
