/*
 * A peer's work with its ledger, in processes of its own that are killed at any instant; what left is
 * in a file of its own, the wire.
 */
#ifndef NETDP_TESTS_LEDGERS_H
#define NETDP_TESTS_LEDGERS_H

#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "peer/ledger.h"

static netdp_error error;
static char folder[64];
static const unsigned char owner[NETDP_I_KEY] = {1, 2, 3}, study[NETDP_I_DIGEST] = {9, 8, 7};

enum { FRAME = 200, PARTIES = 3 };

/* What the wire carries. */
typedef struct sent {
    uint32_t phase, attempt, party;
    unsigned char frame[FRAME];
} sent;

static inline void path_of(char path[NETDP_I_PATH_ROOM], const char *file)
{
    netdp_i_file_path(path, folder, file);
}

static inline bool make_folder(const char *name)
{
    /* In memory where there is such a place: what is tested does not depend on how long a sync takes. */
    snprintf(folder, sizeof folder, "%s/netdp-%s-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", name);
    return sodium_init() >= 0 && mkdtemp(folder) != NULL;
}

static inline bool remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0;
}

static inline void remove_files(void)
{
    static const char *const files[] = {"ledger",      "ledger-wal", "ledger-shm",
                                        "ledger.lock", "wire",       "ledger-journal"};
    char path[NETDP_I_PATH_ROOM];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        path_of(path, files[i]);
        unlink(path);
    }
}

static inline netdp_i_attempt attempt_at(uint32_t phase, uint32_t number)
{
    netdp_i_attempt attempt = {.phase = phase, .attempt = number};
    memcpy(attempt.study, study, sizeof attempt.study);
    return attempt;
}

static inline bool send_frame(int wire, const netdp_i_attempt *attempt, uint32_t party,
                              const unsigned char *frame)
{
    sent packet = {.phase = attempt->phase, .attempt = attempt->attempt, .party = party};
    memcpy(packet.frame, frame, FRAME);
    return write(wire, &packet, sizeof packet) == sizeof packet;
}

/* One attempt, in the order that ledger.h asks for. Draws from the system: nothing repeats. */
static inline netdp_status contribute(netdp_i_ledger *ledger, const netdp_i_attempt *attempt,
                                      int wire)
{
    bool stored = false;
    /* What a peer does, and at the start of a study. */
    netdp_status status = attempt->phase % 2 == 0
                              ? netdp_i_ledger_reserve(ledger, attempt, &stored, &error)
                              : netdp_i_ledger_admits(ledger, attempt, &stored, &error);
    if (status == NETDP_OK && !stored) {
        unsigned char drawn[FRAME];
        randombytes_buf(drawn, sizeof drawn);
        status = netdp_i_ledger_contribute(ledger, attempt, drawn, FRAME, &error);
    }
    for (uint32_t party = 0; party < PARTIES && status == NETDP_OK; party++) {
        unsigned char *frame = NULL;
        int64_t bytes = 0;
        status = netdp_i_ledger_frame(ledger, attempt, party, &frame, &bytes, &error);
        if (status == NETDP_OK && (bytes != FRAME || !send_frame(wire, attempt, party, frame)))
            abort();
        netdp_i_free(frame);
    }
    return status;
}

/* From where the ledger ends to `phases`; then every third phase takes a second attempt. */
static inline netdp_status work(uint32_t phases)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_ledger *ledger = NULL;
    netdp_i_attempt last = attempt_at(0, 0);
    bool found = false;
    path_of(path, "wire");
    const int wire = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    /* A frame that a kill cut off never arrived. */
    struct stat carried;
    if (wire < 0 || fstat(wire, &carried) != 0 ||
        ftruncate(wire, carried.st_size - carried.st_size % (off_t)sizeof(sent)) != 0)
        abort();
    path_of(path, "ledger");
    netdp_status status = netdp_i_ledger_open(path, owner, &ledger, &error);
    if (status == NETDP_OK)
        status = netdp_i_ledger_enrol(ledger, study, "{}", &error);
    if (status == NETDP_OK)
        status = netdp_i_ledger_last(ledger, study, &last, &found, &error);
    for (uint32_t a = last.attempt; a < 2 && status == NETDP_OK; a++)
        for (uint32_t phase = a == last.attempt ? last.phase : 2;
             phase < phases && status == NETDP_OK; phase += a == 0 ? 1 : 3) {
            const netdp_i_attempt attempt = attempt_at(phase, a);
            status = contribute(ledger, &attempt, wire);
        }
    netdp_i_ledger_close(ledger);
    close(wire);
    return status;
}

/* What the wire carried, against the ledger. */
typedef struct judged {
    int64_t frames, attempts; /* sent; of different attempts */
} judged;

/* Every frame that left is the one stored for its attempt, which was reserved before; no attempt has
 * two. */
static inline judged judge(void)
{
    char path[NETDP_I_PATH_ROOM], *bytes = NULL;
    int64_t count = 0;
    judged found = {0};
    netdp_i_ledger *ledger = NULL;
    netdp_i_ledger_head head, end;
    path_of(path, "ledger");
    assert_ok(netdp_i_ledger_open(path, owner, &ledger, &error));
    assert_ok(netdp_i_ledger_verify(ledger, NULL, NULL, &end, &error));
    netdp_i_ledger_head_of(ledger, &head);
    assert_true(head.rows == end.rows && memcmp(head.digest, end.digest, sizeof end.digest) == 0);
    path_of(path, "wire");
    if (access(path, F_OK) == 0)
        assert_ok(netdp_i_file_load(path, &bytes, &count, &error));
    uint64_t last = UINT64_MAX;
    for (int64_t at = 0; at + (int64_t)sizeof(sent) <= count; at += (int64_t)sizeof(sent)) {
        sent packet;
        bool stored = false;
        unsigned char *frame = NULL;
        int64_t size = 0;
        memcpy(&packet, bytes + at, sizeof packet);
        const netdp_i_attempt attempt = attempt_at(packet.phase, packet.attempt);
        netdp_i_ledger_head before, after;
        netdp_i_ledger_head_of(ledger, &before);
        assert_ok(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error));
        netdp_i_ledger_head_of(ledger, &after);
        assert_true(stored && before.rows == after.rows);
        assert_ok(netdp_i_ledger_frame(ledger, &attempt, packet.party, &frame, &size, &error));
        assert_int_equal(size, FRAME);
        assert_memory_equal(frame, packet.frame, FRAME);
        netdp_i_free(frame);
        const uint64_t name = (uint64_t)packet.phase << 32 | packet.attempt;
        found.attempts += name != last;
        last = name;
        found.frames++;
    }
    netdp_i_free(bytes);
    netdp_i_ledger_close(ledger);
    return found;
}

#endif
