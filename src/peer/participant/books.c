/* A participant's folder: the package, the account and the ledger before the start, what it keeps of what left. */
#include "peer/participant/participant_base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "peer/budget.h"
#include "peer/result.h"

/* ---- The folder ---- */

static netdp_status find_self(const netdp_i_participant *p, int32_t *self)
{
    *self = netdp_i_package_find_key(p->package, netdp_i_signer_public(p->signer));
    return *self >= 0
               ? NETDP_OK
               : netdp_i_fail(p->error, NETDP_INVALID,
                              "%.300s: the roster does not have this folder's key", p->folder);
}

netdp_status netdp_i_books_read(netdp_i_participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    int32_t self = -1;
    netdp_i_file_path(path, p->folder, "package");
    TRY(netdp_i_package_read(path, &p->package, p->error));
    TRY(netdp_i_package_admit(p->package, NULL, time(NULL), p->error));
    TRY(netdp_i_package_digest(p->package, p->attempt.study, p->error));
    netdp_i_file_path(path, p->folder, "key");
    TRY(netdp_i_signer_load(path, &p->signer, p->error));
    TRY(find_self(p, &self));
    TRY(netdp_i_settings_read(p->folder, p->package, &p->settings, p->error));
    if (p->settings.package != NULL)
        TRY(netdp_i_package_admit(p->package, p->settings.package, time(NULL), p->error));
    p->attempt.test = p->settings.test;
    p->attempt.attempt = (uint32_t)p->settings.attempt;
    return netdp_i_task_new(p->package, &p->settings, p->folder, self, &p->task, p->error);
}

/* ---- The account ---- */

static netdp_i_rounded number_up(const json_t *object, const char *key)
{
    return netdp_i_up(netdp_i_json_number(json_object_get(object, key)), 5);
}

/* Before the start: what it would cost, to be read beside the budget that allows it. */
static netdp_status tell_account(netdp_i_participant *p)
{
    const json_t *worst = NULL;
    json_t *account = NULL;
    TRY(netdp_i_result_account(p->package, p->task.self, p->folder, &account, &worst, p->error));
    const json_t *who = json_object_get(worst, "observers");
    const char *first = json_string_value(json_array_get(who, 0));
    netdp_i_participant_tell(
        p, "event=account delta=%g worst=%s observer=%s others=%zu eavesdropper=%s everyone=%s",
        p->package->terms.delta, number_up(worst, "epsilon").text, first != NULL ? first : "-",
        json_array_size(who) > 0 ? json_array_size(who) - 1 : 0,
        number_up(account, "eavesdropper").text, number_up(account, "everyone_else").text);
    p->account = account;
    return NETDP_OK;
}

/* What all others together may learn, also where budget.yaml leaves it to the default. */
static void tell_budget(netdp_i_participant *p, const netdp_i_budget *budget,
                        const netdp_i_account *account)
{
    for (int32_t i = 0; i < account->count; i++)
        if (account->towards[i].everyone)
            netdp_i_participant_tell(
                p, "event=budget delta=%g total=%s default=%s", budget->delta,
                netdp_i_up(netdp_i_budget_limit(budget, account, &account->towards[i]), 5).text,
                budget->whole ? "no" : "yes");
}

/* What it would cost, and may it? Both before anything is reserved. */
static netdp_status admit(netdp_i_participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_budget_clear) netdp_i_budget budget = {0};
    CLEARED(netdp_i_account_clear) netdp_i_account account = {0};
    netdp_i_file_path(path, p->folder, "budget.yaml");
    TRY(netdp_i_budget_read(path, &budget, p->error));
    TRY(netdp_i_budget_admit(&budget, p->ledger, p->package, p->task.self, &account, p->error));
    if (p->settings.test)
        return NETDP_OK;
    tell_budget(p, &budget, &account);
    return netdp_i_measures_new(p, &budget, &account);
}

/* A study that is over is refused by no budget. */
static netdp_status look_back(netdp_i_participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_budget_clear) netdp_i_budget budget = {0};
    CLEARED(netdp_i_account_clear) netdp_i_account account = {0};
    OWNED_BY(netdp_i_prices_free) netdp_i_prices *prices = NULL;
    OWNED_BY(free) char *text = NULL;
    netdp_i_file_path(path, p->folder, "budget.yaml");
    const bool read = netdp_i_budget_read(path, &budget, NULL) == NETDP_OK;
    TRY(netdp_i_prices_new(p->package, p->task.self, &prices, p->error));
    if ((text = netdp_i_prices_text(prices, p->package, p->task.self)) == NULL)
        return netdp_i_no_memory(p->error);
    TRY(netdp_i_account_new(p->ledger, p->attempt.study, text, &account, p->error));
    if (!p->settings.test)
        return netdp_i_measures_new(p, read ? &budget : NULL, &account);
    return NETDP_OK;
}

/* ---- What leaves, and what is kept of it ---- */

/* What could give the noise of stored contributions again. */
static netdp_status forget_key(netdp_i_participant *p)
{
    netdp_i_draws_forget(&p->drawing);
    netdp_i_ephemeral_free(p->ephemeral);
    p->ephemeral = NULL;
    p->drawing.ephemeral = NULL;
    if (p->settings.test)
        return NETDP_OK;
    return netdp_i_ephemeral_forget(p->folder, &p->attempt, true, p->error);
}

bool netdp_i_books_transcribe(netdp_i_participant *p)
{
    if (p->transcript < 0 ||
        write(p->transcript, p->frame, p->frame_bytes) == (ssize_t)p->frame_bytes)
        return true;
    netdp_i_participant_end(p, netdp_i_fail(p->error, NETDP_ENVIRONMENT, "%.300s: cannot write: %s",
                                            p->settings.transcript, strerror(errno)));
    return false;
}

netdp_status netdp_i_books_transcript(netdp_i_participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    if (p->settings.transcript == NULL)
        return NETDP_OK;
    if (p->settings.transcript[0] == '/')
        netdp_i_file_path(path, "", p->settings.transcript + 1);
    else
        netdp_i_file_path(path, p->folder, p->settings.transcript);
    p->transcript = netdp_i_file_open_own(path, O_WRONLY | O_APPEND | O_CREAT);
    return p->transcript >= 0 ? NETDP_OK
                              : netdp_i_fail(p->error, NETDP_ENVIRONMENT,
                                             "%.300s: cannot write: %s; it must be a file, no link",
                                             path, strerror(errno));
}

static netdp_status cannot_keep(const netdp_i_participant *p, const char *verb)
{
    return netdp_i_fail(p->error, NETDP_ENVIRONMENT, "%.300s/frames: cannot %s: %s", p->folder,
                        verb, strerror(errno));
}

static netdp_status open_frames(netdp_i_participant *p)
{
    char path[NETDP_I_PATH_ROOM], name[32];
    struct stat file;
    const char *base = p->settings.test ? "frames-test" : "frames";
    snprintf(name, sizeof name, p->attempt.attempt > 0 ? "%s-%u" : "%s", base, p->attempt.attempt);
    netdp_i_file_path(path, p->folder, name);
    if (netdp_i_file_is_planted(path))
        return netdp_i_fail(p->error, NETDP_INVALID, "%.300s: is no file; move it away", path);
    if (p->looks) {
        p->frames = netdp_i_file_open_own(path, O_RDONLY);
        return p->frames >= 0 || errno == ENOENT ? NETDP_OK : cannot_keep(p, "open");
    }
    p->frames = netdp_i_file_open_own(path, O_RDWR | O_CREAT);
    if (p->frames < 0 || fstat(p->frames, &file) != 0)
        return cannot_keep(p, "open");
    p->unsynced = file.st_size > 0; /* of a run that was killed, say */
    return fchmod(p->frames, 0600) == 0 ? NETDP_OK : cannot_keep(p, "open");
}

/* Of a record of `frames`, which is a frame and this: BLAKE2b-256 of the study and the frame. */
static void check_sum(const netdp_i_participant *p, unsigned char sum[NETDP_I_DIGEST])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, NETDP_I_DIGEST);
    crypto_generichash_update(&state, p->attempt.study, NETDP_I_DIGEST);
    crypto_generichash_update(&state, p->frame, p->frame_bytes);
    crypto_generichash_final(&state, sum, NETDP_I_DIGEST);
}

netdp_status netdp_i_books_keep(netdp_i_participant *p)
{
    const size_t bytes = p->frame_bytes + NETDP_I_DIGEST;
    const off_t at = p->framed * (off_t)bytes;
    size_t done = 0;
    check_sum(p, p->frame + p->frame_bytes);
    while (done < bytes) { /* a disk that is full takes a part, and then says so */
        errno = ENOSPC;
        const ssize_t more = pwrite(p->frames, p->frame + done, bytes - done, at + (off_t)done);
        if (more <= 0 && errno != EINTR)
            return cannot_keep(p, "write");
        done += more > 0 ? (size_t)more : 0;
    }
    p->spoken = p->framed + 1;
    p->unsynced = p->unsynced || !netdp_linear_contributes(&p->task.protocol, p->framed);
    return NETDP_OK;
}

netdp_status netdp_i_books_sync(netdp_i_participant *p)
{
    if (p->unsynced && fdatasync(p->frames) != 0)
        return cannot_keep(p, "sync");
    p->unsynced = false;
    return NETDP_OK;
}

/* Is it this peer's vector of that round? Its numbers are in p->numbers then. */
static bool takes_frame(netdp_i_participant *p, const uint8_t *bytes, int64_t round)
{
    const netdp_i_frame_limits limits = {
        .nodes = (uint32_t)p->package->members, .width = (uint32_t)p->task.width, .greeted = true};
    netdp_i_message message;
    size_t used = 0;
    if (netdp_i_frame_decode(bytes, p->frame_bytes, &limits, &message, &used) !=
            NETDP_I_REFUSE_NOTHING ||
        used != p->frame_bytes || message.kind != NETDP_I_FRAME_VECTOR ||
        message.sender != (uint32_t)p->task.self || (int64_t)message.place.round != round)
        return false;
    netdp_i_frame_numbers(&message, p->numbers);
    return true;
}

static netdp_i_attempt attempt_of(const netdp_i_participant *p, int64_t round)
{
    netdp_i_attempt of = p->attempt;
    of.phase = (uint32_t)netdp_i_phase_of(&p->task.protocol, round);
    return of;
}

/* Into p->frame and p->numbers, from the ledger; *found: is it there? */
static netdp_status read_contribution(netdp_i_participant *p, int64_t round, bool *found)
{
    const netdp_i_attempt of = attempt_of(p, round);
    unsigned char *stored = NULL;
    int64_t bytes = 0;
    const netdp_status status = netdp_i_ledger_frame(p->ledger, &of, -1, &stored, &bytes, p->error);
    *found = stored != NULL && (size_t)bytes == p->frame_bytes && takes_frame(p, stored, round);
    if (*found) {
        memcpy(p->frame, stored, p->frame_bytes);
        p->framed = round;
    }
    netdp_i_free(stored);
    return status;
}

/* Nothing, or zeros: what a file holds that was never written there. */
static bool is_empty(const uint8_t *bytes, ssize_t count)
{
    return count <= 0 || sodium_is_zero(bytes, (size_t)count);
}

/* Of contributions the ledger has the synced copy: one that a power cut took from `frames` is brought back. */
static netdp_status read_frame(netdp_i_participant *p, int64_t round)
{
    const ssize_t bytes = (ssize_t)p->frame_bytes + NETDP_I_DIGEST;
    unsigned char sum[NETDP_I_DIGEST];
    const ssize_t got = pread(p->frames, p->frame, (size_t)bytes, round * bytes);
    const bool there = got == bytes, empty = is_empty(p->frame, got);
    check_sum(p, sum);
    p->framed = round;
    if (there && memcmp(sum, p->frame + p->frame_bytes, sizeof sum) == 0 &&
        takes_frame(p, p->frame, round))
        return NETDP_OK;
    p->framed = -1;
    if ((empty || !there) && netdp_linear_contributes(&p->task.protocol, round)) {
        bool found = false;
        const int64_t spoken = p->spoken;
        TRY(read_contribution(p, round, &found));
        if (found && !p->looks)
            TRY(netdp_i_books_keep(p));
        p->spoken = spoken;
        if (found)
            return NETDP_OK;
    }
    return netdp_i_fail(
        p->error, NETDP_INVALID,
        "%.300s/frames: round %" PRId64 " %s; bring the file back, or agree on a new package",
        p->folder, round,
        there ? "is not what left: its checksum differs, the disk is failing or somebody wrote here"
              : "is not there, though ledger.db is past it");
}

const uint8_t *netdp_i_books_frame(netdp_i_participant *p, int64_t round)
{
    const netdp_status status = p->framed == round ? NETDP_OK : read_frame(p, round);
    if (status != NETDP_OK) {
        netdp_i_participant_end(p, status);
        return NULL;
    }
    return p->frame;
}

/* What left in the rounds before this one: neighbours that were cut off may ask for it. */
static netdp_status find_frames(netdp_i_participant *p, int64_t round)
{
    for (int64_t t = 0; t < round; t++)
        TRY(read_frame(p, t));
    p->spoken = round;
    for (int32_t i = 0; i < p->sides; i++)
        p->side[i].next = round;
    return NETDP_OK;
}

/* ---- Contributions ---- */

netdp_status netdp_i_books_admit(netdp_i_participant *p, int64_t round)
{
    const netdp_i_attempt of = attempt_of(p, round);
    bool stored = false;
    TRY(netdp_i_ledger_admits(p->ledger, &of, &stored, p->error));
    if (stored)
        return netdp_i_fail(p->error, NETDP_INVALID,
                            "ledger.db: phase %u was contributed to already", of.phase);
    return NETDP_OK;
}

netdp_status netdp_i_books_contribute(netdp_i_participant *p, int64_t round)
{
    const netdp_i_attempt of = attempt_of(p, round);
    TRY(netdp_i_books_sync(p));
    TRY(netdp_i_ledger_contribute(p->ledger, &of, p->frame, (int64_t)p->frame_bytes, p->error));
    if (of.phase + 1 == netdp_linear_contributions(&p->task.protocol))
        TRY(forget_key(p));
    netdp_i_participant_tell(p, "event=contributed phase=%u attempt=%u", of.phase, of.attempt);
    return NETDP_OK;
}

/* All that left before a round, and its contribution. */
static netdp_status find_contribution(netdp_i_participant *p, int64_t round)
{
    bool found = false;
    TRY(find_frames(p, round));
    TRY(read_contribution(p, round, &found));
    return found ? NETDP_OK
                 : netdp_i_fail(p->error, NETDP_INVALID,
                                "ledger.db: the stored contribution is none of this study");
}

/* The last contribution as it was stored: it leaves again, and nothing is drawn. */
static netdp_status resume_contribution(netdp_i_participant *p, int64_t phase)
{
    const int64_t round = netdp_i_phase_start(&p->task.protocol, phase);
    const netdp_i_attempt of = attempt_of(p, round);
    TRY(find_contribution(p, round));
    netdp_i_rounds_resume(p->rounds, round, p->numbers, NULL);
    TRY(netdp_i_books_keep(p));
    if (!netdp_i_books_transcribe(p))
        return p->error->status;
    netdp_i_participant_tell(p, "event=resumed phase=%u attempt=%u", of.phase, of.attempt);
    return NETDP_OK;
}

/* The secrets of attempts that were given up: nothing of them is sent again. */
static netdp_status forget_earlier(const netdp_i_participant *p)
{
    netdp_i_attempt of = p->attempt;
    for (uint32_t a = 0; a < p->attempt.attempt && !of.test; a++) {
        of.attempt = a;
        TRY(netdp_i_ephemeral_forget(p->folder, &of, false, p->error));
    }
    return NETDP_OK;
}

/* What the ledger has of this attempt: *last its last phase, false: nothing. One that was given up does not come back, and
 * none follows one that has its result. */
static netdp_status find_last(const netdp_i_participant *p, bool settled, netdp_i_attempt *last,
                              bool *begun)
{
    bool found = false;
    *last = p->attempt;
    TRY(netdp_i_ledger_last(p->ledger, p->attempt.study, last, &found, p->error));
    const uint32_t wanted = p->attempt.attempt, there = found ? last->attempt : wanted;
    *begun = found && there == wanted;
    if (there > wanted || (settled && there != wanted))
        return netdp_i_fail(p->error, NETDP_INVALID,
                            "peer.json: attempt: %u is asked for, and ledger.db has %s attempt %u "
                            "of this study; %s",
                            wanted, settled ? "the result of" : "begun", there,
                            settled ? "agree on a new package" : "an earlier one was given up");
    if (!*begun)
        *last = p->attempt;
    last->test = p->attempt.test;
    return NETDP_OK;
}

/* With a key that is zeroed all contributions are stored. */
static netdp_status check_key(const netdp_i_participant *p, bool all)
{
    return all || p->ephemeral != NULL
               ? NETDP_OK
               : netdp_i_fail(
                     p->error, NETDP_INVALID,
                     "ledger.db: its contribution is missing, and was once stored: this is a copy "
                     "from before; give up the attempt, or bring the ledger back");
}

/* Goes on from the last contribution that the ledger has; with none of them, reserves the first. */
static netdp_status resume(netdp_i_participant *p, netdp_i_attempt last)
{
    bool stored = false;
    TRY(netdp_i_ledger_reserve(p->ledger, &last, &stored, p->error));
    TRY(forget_earlier(p));
    const int64_t phase = stored ? last.phase : (int64_t)last.phase - 1;
    if (phase >= 0)
        TRY(resume_contribution(p, phase));
    const bool all = phase + 1 == netdp_linear_contributions(&p->task.protocol);
    return all && p->ephemeral != NULL ? forget_key(p) : check_key(p, all);
}

/* The ledger of this key, which begins once. */
static netdp_status open_ledger(netdp_i_participant *p)
{
    char path[NETDP_I_PATH_ROOM], key[NETDP_I_PATH_ROOM];
    unsigned char first[NETDP_I_DIGEST];
    int64_t began = 0;
    /* What was spent in test mode is nothing, and what left then is nothing to go on from. */
    const bool real = !p->settings.test;
    netdp_i_file_path(path, p->folder, real ? "ledger.db" : "ledger-test.db");
    netdp_i_file_path(key, p->folder, "key");
    if (real)
        TRY(netdp_i_ledger_expect(p->folder, p->signer, p->error));
    if (p->looks && access(path, F_OK) != 0)
        return NETDP_OK; /* the first start makes it */
    TRY(p->looks
            ? netdp_i_ledger_read(path, &p->ledger, p->error)
            : netdp_i_ledger_open(path, netdp_i_signer_public(p->signer), &p->ledger, p->error));
    if (real)
        TRY(netdp_i_ledger_first(p->ledger, first, &began, p->error));
    if (!real)
        return NETDP_OK;
    if (netdp_i_signer_since(p->signer) == NULL && p->looks)
        return NETDP_OK;
    if (netdp_i_signer_since(p->signer) == NULL)
        return netdp_i_signer_begin(key, p->signer, first, began, p->error);
    return netdp_i_signer_began(p->signer, first)
               ? NETDP_OK
               : netdp_i_fail(p->error, NETDP_INVALID,
                              "%.300s: is not the ledger of this key, which began at %s: `key` "
                              "says so; bring that one back",
                              path, netdp_i_signer_since(p->signer));
}

netdp_status netdp_i_books_open(netdp_i_participant *p)
{
    bool settled = false, begun = false;
    int64_t reserved = 0;
    netdp_i_attempt last;
    const int32_t self = p->task.self;
    TRY(open_ledger(p));
    TRY(netdp_i_ledger_count(p->ledger, p->attempt.study, &reserved, &settled, p->error));
    TRY(find_last(p, settled, &last, &begun));
    if (!p->settings.test)
        TRY(tell_account(p));
    TRY(settled ? look_back(p) : admit(p)); /* both look at every row */
    p->finished = settled;
    TRY(netdp_i_own_open(p, reserved == 0));
    if (p->settings.test)
        TRY(netdp_i_ephemeral_new(p->signer, &p->attempt, (uint32_t)self, &p->ephemeral,
                                  &p->offer[self], p->error));
    else
        TRY(netdp_i_ephemeral_keep(p->folder, p->signer, &p->attempt, (uint32_t)self, begun,
                                   &p->ephemeral, &p->offer[self], p->error));
    TRY(open_frames(p));
    p->offered[self] = p->task.pairs != NULL;
    if (settled) /* it only helps others to their end */
        return find_frames(p, p->task.protocol.rounds);
    TRY(resume(p, last));
    p->drawing.ephemeral = p->ephemeral;
    return NETDP_OK;
}

/* What resume does, as far as it reads. */
static netdp_status look_at_last(netdp_i_participant *p, const netdp_i_attempt *last, bool begun)
{
    bool stored = false;
    if (begun)
        TRY(netdp_i_ledger_admits(p->ledger, last, &stored, p->error));
    const int64_t phase = stored ? last->phase : (int64_t)last->phase - 1;
    if (phase >= 0)
        TRY(find_contribution(p, netdp_i_phase_start(&p->task.protocol, phase)));
    return check_key(p, phase + 1 == netdp_linear_contributions(&p->task.protocol));
}

netdp_status netdp_i_books_look(netdp_i_participant *p)
{
    bool settled = false, begun = false;
    int64_t reserved = 0;
    netdp_i_attempt last;
    const int32_t self = p->task.self;
    p->looks = true;
    TRY(open_ledger(p));
    if (p->ledger == NULL || p->settings.test)
        return NETDP_OK;
    if (memcmp(netdp_i_ledger_owner(p->ledger), netdp_i_signer_public(p->signer), NETDP_I_KEY) != 0)
        return netdp_i_fail(p->error, NETDP_INVALID, "ledger.db: is the ledger of another key");
    TRY(netdp_i_ledger_count(p->ledger, p->attempt.study, &reserved, &settled, p->error));
    TRY(find_last(p, settled, &last, &begun));
    if (!begun && !netdp_i_ephemeral_there(p->folder, &p->attempt))
        return NETDP_OK; /* nothing of it has begun */
    TRY(netdp_i_ephemeral_keep(p->folder, p->signer, &p->attempt, (uint32_t)self, begun,
                               &p->ephemeral, &p->offer[self], p->error));
    TRY(open_frames(p));
    return settled ? find_frames(p, p->task.protocol.rounds) : look_at_last(p, &last, begun);
}
