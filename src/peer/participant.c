#include "peer/participant.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "peer/budget.h"
#include "peer/draws.h"
#include "peer/link/frame.h"
#include "peer/ledger.h"
#include "peer/metrics.h"
#include "peer/package.h"
#include "peer/result.h"
#include "peer/rounds.h"
#include "peer/settings.h"
#include "peer/task.h"
#include "peer/link/transport.h"

enum { TICK = 250, HANDSHAKE = 5000, CONNECTION_FRAME = 256, STRANGERS = 10 };

/* What is known of one neighbour. */
typedef struct side {
    bool greeted, done; /* done: its result is there */
    int64_t next;       /* the round of its vector that comes next */
    int64_t send;       /* the round of this peer's that it is sent next, */
    int64_t most;       /* no later than this one: it has room for two rounds */
} side;

typedef struct participant {
    const char *folder;
    FILE *log;
    netdp_error *error;
    netdp_status status; /* how it ends */
    uv_loop_t loop;
    uv_timer_t tick;
    uv_signal_t interrupt, terminate;
    netdp_i_package *package;
    netdp_i_signer *signer;
    netdp_i_ephemeral *ephemeral; /* until the contribution is stored */
    netdp_i_settings settings;
    netdp_i_task task;
    netdp_i_ledger *ledger;
    netdp_i_rounds *rounds;
    netdp_i_transport *transport;
    netdp_i_metrics *metrics;
    netdp_i_noise_source drawing;
    netdp_i_attempt attempt;
    netdp_i_link *link; /* [sides] */
    side *side;         /* [sides], as rounds numbers neighbours */
    int32_t sides;
    netdp_i_offer *offer; /* [members] */
    bool *offered;        /* [members]: whose is there */
    uint8_t **frame;      /* [rounds]: this peer's vectors as they leave; NULL: not yet */
    size_t frame_bytes;
    double *numbers; /* [width] of a frame that came */
    int transcript;  /* -1: none is kept */
    bool finished, ending;
    int64_t moved; /* seconds of CLOCK_BOOTTIME when something last did */
    char waiting[128];
    uint64_t refused[NETDP_I_REFUSALS_COUNT];
    int64_t told_at; /* the second in which so many refused strangers were logged: */
    int told;
} participant;

/* Counts the time that a machine sleeps, too. */
static int64_t boot_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec;
}

static void tell(participant *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(participant *p, const char *format, ...)
{
    char when[32];
    const time_t now = time(NULL);
    struct tm utc;
    va_list arguments;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fprintf(p->log, "%s ", when);
    va_start(arguments, format);
    vfprintf(p->log, format, arguments);
    va_end(arguments);
    fputc('\n', p->log);
    fflush(p->log);
}

static const char *name_of(const participant *p, int32_t member)
{
    return p->package->member[member].name;
}

static void end_with(participant *p, netdp_status status)
{
    if (p->ending)
        return;
    p->ending = true;
    p->status = status;
    netdp_i_metrics_keep(p->metrics);
    netdp_i_metrics_close(p->metrics);
    p->metrics = NULL;
    netdp_i_transport_close(p->transport);
    p->transport = NULL;
    uv_close((uv_handle_t *)&p->tick, NULL);
    uv_close((uv_handle_t *)&p->interrupt, NULL);
    uv_close((uv_handle_t *)&p->terminate, NULL);
}

/* ---- Pair keys ---- */

static const netdp_i_member *member_of(const participant *p, uint32_t index)
{
    return &p->package->member[index];
}

static void send_offer(participant *p, int32_t link, int32_t origin)
{
    netdp_i_key_frame key = {
        .phase = p->attempt.phase, .attempt = p->attempt.attempt, .origin = (uint32_t)origin};
    uint8_t bytes[CONNECTION_FRAME];
    memcpy(key.key, p->offer[origin].key, sizeof key.key);
    memcpy(key.signature, p->offer[origin].signature, sizeof key.signature);
    (void)netdp_i_transport_send(p->transport, link, bytes, netdp_i_frame_key(&key, bytes));
}

/* Hands an offer on to all neighbours but the one it came from. */
static void spread_offer(participant *p, int32_t origin, int32_t from)
{
    for (int32_t i = 0; i < p->sides && p->transport != NULL; i++)
        if (i != from && p->side[i].greeted)
            send_offer(p, i, origin);
}

static void advance(participant *p);

static netdp_i_refusal hear_key(participant *p, int32_t link, const netdp_i_key_frame *key)
{
    netdp_i_offer offer;
    memcpy(offer.key, key->key, sizeof offer.key);
    memcpy(offer.signature, key->signature, sizeof offer.signature);
    if (key->phase != p->attempt.phase || key->attempt != p->attempt.attempt)
        return NETDP_I_REFUSE_WRONG_ATTEMPT;
    if (p->offered[key->origin])
        return NETDP_I_REFUSE_NOTHING; /* it comes by every way that there is */
    if (!netdp_i_offer_holds(&offer, &p->attempt, key->origin, member_of(p, key->origin)->key))
        return NETDP_I_REFUSE_BAD_SIGNATURE;
    p->offer[key->origin] = offer;
    p->offered[key->origin] = true;
    p->moved = boot_seconds();
    spread_offer(p, (int32_t)key->origin, link);
    advance(p);
    return NETDP_I_REFUSE_NOTHING;
}

/* The first partner whose key is not there; -1: all are. */
static int32_t missing_partner(const participant *p)
{
    if (p->task.pairs == NULL)
        return -1;
    const int32_t *partner = netdp_graph_neighbours(p->task.pairs, p->task.self);
    for (int32_t i = 0; i < netdp_graph_degree(p->task.pairs, p->task.self); i++)
        if (!p->offered[partner[i]])
            return partner[i];
    return -1;
}

/* ---- Vectors ---- */

static netdp_i_when when_of(const participant *p, int64_t round)
{
    return (netdp_i_when){(uint32_t)netdp_i_rounds_phase(p->rounds, round), p->attempt.attempt,
                          (uint32_t)round};
}

static bool send_head(participant *p, int32_t link)
{
    uint8_t bytes[CONNECTION_FRAME];
    netdp_i_ledger_head head;
    netdp_i_ledger_head_of(p->ledger, &head);
    return netdp_i_transport_send(p->transport, link, bytes, netdp_i_frame_ledger(&head, bytes));
}

/* Whatever of this peer's vectors the neighbour lacks; of a contribution it learns first that it is
 * stored, and remembers that. */
static void send_vectors(participant *p, int32_t link)
{
    side *s = &p->side[link];
    while (p->transport != NULL && s->greeted && s->send < p->task.protocol.rounds &&
           s->send <= s->most && p->frame[s->send] != NULL) {
        if (netdp_linear_contributes(&p->task.protocol, s->send) && !send_head(p, link))
            break;
        if (!netdp_i_transport_send(p->transport, link, p->frame[s->send], p->frame_bytes))
            break;
        s->send++;
    }
}

/* That this peer's round is over: of the last one, that its result is there. */
static void send_over(participant *p, int32_t link, int64_t round)
{
    uint8_t bytes[CONNECTION_FRAME];
    const size_t size = netdp_i_frame_ack((uint32_t)p->task.self, when_of(p, round), bytes);
    (void)netdp_i_transport_send(p->transport, link, bytes, size);
}

/* A vector of the next round says as much; a neighbour that has it already is told so. */
static void tell_those_ahead(participant *p)
{
    const int64_t now = netdp_i_rounds_now(p->rounds);
    for (int32_t i = 0; i < p->sides && p->transport != NULL; i++)
        if (p->side[i].greeted && p->side[i].send > now)
            send_over(p, i, now - 1);
}

/* The neighbour is at this round at least. */
static void let_ahead(participant *p, int32_t link, int64_t at)
{
    if (p->side[link].most < at + 1)
        p->side[link].most = at + 1;
    send_vectors(p, link);
}

/* What could give the noise of a stored contribution again. */
static netdp_status forget_key(participant *p)
{
    netdp_i_ephemeral_free(p->ephemeral);
    p->ephemeral = NULL;
    p->drawing.ephemeral = NULL;
    if (p->settings.test)
        return NETDP_OK;
    return netdp_i_ephemeral_forget(p->folder, &p->attempt, p->error);
}

/* What leaves, before it does; nothing in it is secret, as every link may be listened to. */
static bool write_transcript(participant *p, const uint8_t *bytes)
{
    if (p->transcript < 0 || write(p->transcript, bytes, p->frame_bytes) == (ssize_t)p->frame_bytes)
        return true;
    end_with(p, netdp_i_fail(p->error, NETDP_ENVIRONMENT, "%.300s: cannot write: %s",
                             p->settings.transcript, strerror(errno)));
    return false;
}

static netdp_status open_transcript(participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    if (p->settings.transcript == NULL)
        return NETDP_OK;
    netdp_i_file_path(path, p->folder, p->settings.transcript);
    p->transcript = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return p->transcript >= 0 ? NETDP_OK
                              : netdp_i_fail(p->error, NETDP_ENVIRONMENT,
                                             "%.300s: cannot write: %s", path, strerror(errno));
}

/* Are all links up, so that all neighbours have said what they remember of this peer? */
static bool is_known_to_all(const participant *p)
{
    for (int32_t i = 0; i < p->sides; i++)
        if (!p->side[i].greeted)
            return false;
    return true;
}

/*
 * The vector of the round under way: drawn, and where it carries a contribution stored and synced
 * before anything of it leaves. False: it cannot be had yet, or never.
 */
static bool speak(participant *p)
{
    const int64_t round = netdp_i_rounds_now(p->rounds);
    const bool contributes = netdp_linear_contributes(&p->task.protocol, round);
    if (p->frame[round] != NULL)
        return true;
    if (contributes && (missing_partner(p) >= 0 || !is_known_to_all(p)))
        return false;
    const netdp_i_draws draws = netdp_i_draws_of(&p->drawing);
    const double *message = netdp_i_rounds_speak(p->rounds, &draws);
    uint8_t *bytes = message != NULL ? NETDP_I_NEW(uint8_t, p->frame_bytes) : NULL;
    if (bytes == NULL) {
        if (message != NULL)
            (void)netdp_i_no_memory(p->error);
        end_with(p, p->error->status);
        return false;
    }
    if (netdp_i_frame_vector((uint32_t)p->task.self, when_of(p, round), message,
                             (uint32_t)p->task.width, bytes) == 0) {
        netdp_i_free(bytes);
        end_with(p,
                 netdp_i_fail(p->error, NETDP_INVALID,
                              "a number of round %" PRId64 " is not finite; nothing left", round));
        return false;
    }
    if (contributes) {
        netdp_status status = netdp_i_ledger_store(p->ledger, &p->attempt, -1, bytes,
                                                   (int64_t)p->frame_bytes, p->error);
        if (status != NETDP_OK) {
            netdp_i_free(bytes);
            end_with(p, status);
            return false;
        }
        status = forget_key(p);
        if (status != NETDP_OK) {
            end_with(p, status);
            return false;
        }
        tell(p, "event=contributed phase=%u attempt=%u", p->attempt.phase, p->attempt.attempt);
    }
    p->frame[round] = bytes;
    return write_transcript(p, bytes);
}

static netdp_i_refusal hear_vector(participant *p, int32_t link, const netdp_i_message *message)
{
    side *s = &p->side[link];
    const netdp_i_refusal why = netdp_i_frame_place_check(
        message, (uint32_t)p->link[link].neighbour, when_of(p, s->next), 0);
    if (why == NETDP_I_REFUSE_REPLAYED) {
        p->refused[why]++; /* dropped, and the link stays */
        return NETDP_I_REFUSE_NOTHING;
    }
    if (why != NETDP_I_REFUSE_NOTHING)
        return why;
    if (message->place.phase != when_of(p, s->next).phase)
        return NETDP_I_REFUSE_MALFORMED;
    netdp_i_frame_numbers(message, p->numbers);
    if (!netdp_i_rounds_hear(p->rounds, link, s->next, p->numbers))
        return NETDP_I_REFUSE_OUT_OF_ORDER;
    s->next++;
    p->moved = boot_seconds();
    let_ahead(p, link, s->next - 1);
    advance(p);
    return NETDP_I_REFUSE_NOTHING;
}

/* ---- The result ---- */

/* All of its vectors, for neighbours that were cut off and begin again after this one has ended. */
static netdp_status keep_frames(participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_output output = {0};
    netdp_i_file_path(path, p->folder, "frames");
    netdp_status status = netdp_i_output_open_private(&output, path, p->error);
    if (status != NETDP_OK)
        return status;
    for (int64_t t = 0; t < p->task.protocol.rounds; t++)
        fwrite(p->frame[t], p->frame_bytes, 1, output.stream);
    return netdp_i_output_commit(&output, p->error);
}

static netdp_status load_frames(participant *p)
{
    char path[NETDP_I_PATH_ROOM], *text = NULL;
    int64_t bytes = 0;
    const int64_t rounds = p->task.protocol.rounds;
    netdp_i_file_path(path, p->folder, "frames");
    netdp_status status = netdp_i_file_load(path, &text, &bytes, p->error);
    if (status == NETDP_OK && bytes != rounds * (int64_t)p->frame_bytes)
        status = netdp_i_fail(p->error, NETDP_INVALID, "%.300s: is not what was written", path);
    for (int64_t t = 0; status == NETDP_OK && t < rounds; t++) {
        p->frame[t] = NETDP_I_NEW(uint8_t, p->frame_bytes);
        if (p->frame[t] == NULL)
            status = netdp_i_no_memory(p->error);
        else
            memcpy(p->frame[t], text + t * (int64_t)p->frame_bytes, p->frame_bytes);
    }
    netdp_i_free(text);
    for (int32_t i = 0; i < p->sides; i++)
        p->side[i].next = rounds;
    p->finished = status == NETDP_OK;
    return status;
}

static void leave_if_all_are_done(participant *p)
{
    if (!p->finished || p->transport == NULL)
        return;
    for (int32_t i = 0; i < p->sides; i++)
        if (!p->side[i].done)
            return;
    if (!netdp_i_transport_flushed(p->transport))
        return; /* the next tick looks again */
    tell(p, "event=left");
    end_with(p, NETDP_OK);
}

static void finish(participant *p)
{
    const netdp_i_result result = {.package = p->package,
                                   .task = &p->task,
                                   .attempt = &p->attempt,
                                   .state = netdp_i_rounds_state(p->rounds),
                                   .test = p->settings.test};
    netdp_status status = keep_frames(p);
    if (status == NETDP_OK)
        status = netdp_i_result_write(&result, p->folder, p->error);
    if (status == NETDP_OK)
        status = netdp_i_ledger_settle(p->ledger, p->attempt.study, "{}", p->error);
    if (status != NETDP_OK) {
        end_with(p, status);
        return;
    }
    p->finished = true;
    p->moved = boot_seconds();
    tell(p, "event=finished rounds=%" PRId64, p->task.protocol.rounds);
    for (int32_t i = 0; i < p->sides && p->transport != NULL; i++)
        if (p->side[i].greeted)
            send_over(p, i, p->task.protocol.rounds - 1);
    leave_if_all_are_done(p);
}

/* As far as it goes. */
static void advance(participant *p)
{
    const netdp_i_draws draws = netdp_i_draws_of(&p->drawing);
    while (!p->finished && !p->ending) {
        if (!speak(p))
            return;
        for (int32_t i = 0; i < p->sides; i++)
            send_vectors(p, i);
        if (p->ending || !netdp_i_rounds_mix(p->rounds, &draws))
            return;
        p->moved = boot_seconds();
        if (netdp_i_rounds_over(p->rounds))
            finish(p);
        else
            tell_those_ahead(p);
    }
}

/* ---- Links ---- */

static netdp_status fill_hello(const participant *p, int32_t link, netdp_i_hello *hello)
{
    *hello = (netdp_i_hello){.index = (uint32_t)p->task.self,
                             .nodes = (uint32_t)p->package->members,
                             .test = p->settings.test,
                             .at = when_of(p, p->side[link].next)};
    memcpy(hello->study, p->attempt.study, sizeof hello->study);
    netdp_i_ledger_head_of(p->ledger, &hello->ledger);
    return netdp_i_ledger_remembered(
        p->ledger, member_of(p, (uint32_t)p->link[link].neighbour)->key, &hello->yours, p->error);
}

static void link_up(void *context, int32_t link)
{
    participant *p = context;
    netdp_i_hello hello;
    uint8_t bytes[CONNECTION_FRAME];
    p->side[link].greeted = false;
    const netdp_status status = fill_hello(p, link, &hello);
    if (status != NETDP_OK)
        end_with(p, status);
    else
        (void)netdp_i_transport_send(p->transport, link, bytes, netdp_i_frame_hello(&hello, bytes));
}

static void link_down(void *context, int32_t link)
{
    participant *p = context;
    p->side[link].greeted = false;
    tell(p, "event=link-down member=%s", name_of(p, p->link[link].neighbour));
}

static void link_refused(void *context, int32_t link, netdp_i_refusal why, const char *from)
{
    participant *p = context;
    p->refused[why]++;
    /* Strangers do not fill the log; the metrics count them all. */
    if (link < 0 && boot_seconds() != p->told_at) {
        p->told_at = boot_seconds();
        p->told = 0;
    }
    if (link < 0 && p->told++ >= STRANGERS)
        return;
    tell(p, "event=refused reason=%s member=%s from=%s", netdp_i_refusal_word(why),
         link >= 0 ? name_of(p, p->link[link].neighbour) : "-", from);
}

static netdp_status fail_copy(participant *p, const char *name)
{
    return netdp_i_fail(p->error, NETDP_INVALID,
                        "ledger.db: %.100s says that it has seen a later ledger of this peer: this "
                        "is a copy from before; bring the newest one back",
                        name);
}

/*
 * Does the ledger hold what the neighbour knows of it? A copy from before would let a contribution be
 * drawn a second time: with other noise, for all to compare.
 */
static netdp_status check_memory(participant *p, const char *name, const netdp_i_hello *theirs)
{
    unsigned char digest[NETDP_I_DIGEST];
    bool newest = true;
    netdp_status status = NETDP_OK;
    if (theirs->yours.rows > 0)
        status = netdp_i_ledger_digest_at(p->ledger, theirs->yours.rows, digest, &newest, p->error);
    if (status == NETDP_OK && newest && theirs->yours.rows > 0)
        newest = memcmp(digest, theirs->yours.digest, sizeof digest) == 0;
    for (int64_t t = 0; t < theirs->at.round && t < p->task.protocol.rounds; t++)
        if (p->frame[t] == NULL && netdp_linear_contributes(&p->task.protocol, t))
            newest = false; /* it has what is not stored here */
    return status != NETDP_OK || newest ? status : fail_copy(p, name);
}

static netdp_i_refusal hear_hello(participant *p, int32_t link, const netdp_i_hello *theirs)
{
    const int32_t who = p->link[link].neighbour;
    side *s = &p->side[link];
    netdp_i_hello mine;
    netdp_i_refusal why = NETDP_I_REFUSE_NOTHING;
    netdp_status status = fill_hello(p, link, &mine);
    if (status == NETDP_OK)
        why = netdp_i_hello_check(&mine, theirs, (uint32_t)who, &mine.yours);
    if (why == NETDP_I_REFUSE_NOTHING && theirs->at.attempt != p->attempt.attempt)
        why = NETDP_I_REFUSE_WRONG_ATTEMPT;
    if (why == NETDP_I_REFUSE_NOTHING && theirs->at.round > (uint64_t)p->task.protocol.rounds)
        why = NETDP_I_REFUSE_OUT_OF_ORDER;
    if (status == NETDP_OK && why == NETDP_I_REFUSE_NOTHING)
        status = check_memory(p, name_of(p, who), theirs);
    if (status != NETDP_OK) {
        end_with(p, status);
        return NETDP_I_REFUSE_NOTHING;
    }
    if (why != NETDP_I_REFUSE_NOTHING)
        return why;
    tell(p, "event=link-up member=%s", name_of(p, who));
    s->greeted = true;
    s->send = s->most = theirs->at.round; /* it is at the round before, or at this one */
    (void)send_head(p, link);             /* this ledger goes on from what it knows */
    for (int32_t v = 0; v < p->package->members; v++)
        if (p->offered[v])
            send_offer(p, link, v);
    send_vectors(p, link);
    if (p->finished && p->transport != NULL)
        send_over(p, link, p->task.protocol.rounds - 1);
    advance(p);
    return NETDP_I_REFUSE_NOTHING;
}

/* Its ledger goes on from what was known of it, and is remembered: at a hello's end, and when a
 * contribution follows. */
static netdp_i_refusal hear_ledger(participant *p, int32_t link, const netdp_i_ledger_head *head)
{
    bool back = false;
    const netdp_i_member *who = member_of(p, (uint32_t)p->link[link].neighbour);
    const netdp_status status =
        netdp_i_ledger_meet(p->ledger, who->key, head, NULL, &back, p->error);
    if (status != NETDP_OK)
        end_with(p, status);
    return back ? NETDP_I_REFUSE_LEDGER_WENT_BACK : NETDP_I_REFUSE_NOTHING;
}

static netdp_i_refusal hear_frame(void *context, int32_t link, const netdp_i_message *message,
                                  const uint8_t *bytes, size_t size)
{
    participant *p = context;
    (void)bytes, (void)size;
    switch (message->kind) {
    case NETDP_I_FRAME_HELLO:
        return hear_hello(p, link, &message->hello);
    case NETDP_I_FRAME_KEY:
        return hear_key(p, link, &message->key);
    case NETDP_I_FRAME_LEDGER:
        return hear_ledger(p, link, &message->ledger);
    case NETDP_I_FRAME_VECTOR:
        return hear_vector(p, link, message);
    case NETDP_I_FRAME_ACK:
        if (message->sender != (uint32_t)p->link[link].neighbour)
            return NETDP_I_REFUSE_WRONG_INDEX;
        if (message->place.attempt != p->attempt.attempt)
            return NETDP_I_REFUSE_WRONG_ATTEMPT;
        p->side[link].done = message->place.round + 1 == p->task.protocol.rounds;
        let_ahead(p, link, (int64_t)message->place.round + 1);
        leave_if_all_are_done(p);
        return NETDP_I_REFUSE_NOTHING;
    case NETDP_I_FRAME_GOODBYE:
        tell(p, "event=goodbye reason=%s member=%s", netdp_i_refusal_word(message->why),
             name_of(p, p->link[link].neighbour));
        if (message->why == NETDP_I_REFUSE_LEDGER_WENT_BACK)
            end_with(p, fail_copy(p, name_of(p, p->link[link].neighbour)));
        return NETDP_I_REFUSE_NOTHING;
    case NETDP_I_FRAME_KINDS:
        break;
    }
    return NETDP_I_REFUSE_MALFORMED;
}

/* ---- Waiting ---- */

/* Why nothing moves, in one word and a name; what is said is what the metrics count. */
static void find_wait(const participant *p, char text[128])
{
    const int32_t partner = missing_partner(p);
    text[0] = '\0';
    if (p->finished) {
        for (int32_t i = 0; i < p->sides; i++)
            if (!p->side[i].done)
                snprintf(text, 128, "for=end-of member=%s", name_of(p, p->link[i].neighbour));
    } else if (partner >= 0 && p->frame[netdp_i_rounds_now(p->rounds)] == NULL) {
        snprintf(text, 128, "for=pair-key member=%s", name_of(p, partner));
    } else {
        for (int32_t i = 0; i < p->sides; i++)
            if (!netdp_i_rounds_heard(p->rounds, i))
                snprintf(text, 128, "for=%s member=%s round=%" PRId64,
                         p->side[i].greeted ? "vector" : "link", name_of(p, p->link[i].neighbour),
                         netdp_i_rounds_now(p->rounds));
    }
}

/* No number of them comes from a value. */
static void fill_metrics(void *context, FILE *stream)
{
    const participant *p = context;
    char waiting[128];
    int32_t up = 0;
    for (int32_t i = 0; i < p->sides; i++)
        up += p->side[i].greeted;
    find_wait(p, waiting);
    fprintf(stream, "netdp_peer_round %" PRId64 "\nnetdp_peer_rounds %" PRId64 "\n",
            netdp_i_rounds_now(p->rounds), p->task.protocol.rounds);
    fprintf(stream, "netdp_peer_finished %d\nnetdp_peer_test_mode %d\n", p->finished,
            p->settings.test);
    fprintf(stream, "netdp_peer_links %d\nnetdp_peer_links_up %d\n", (int)p->sides, (int)up);
    fprintf(stream, "netdp_peer_still_seconds %" PRId64 "\n", boot_seconds() - p->moved);
    fprintf(stream, "netdp_peer_waiting{reason=\"%s\"} %d\n", waiting, waiting[0] != '\0');
    if (p->transport != NULL) {
        const netdp_i_transport_counts counts = netdp_i_transport_count(p->transport);
        fprintf(stream, "netdp_peer_handshakes_total %" PRIu64 "\n", counts.handshakes);
        fprintf(stream, "netdp_peer_sent_bytes_total %" PRIu64 "\n", counts.sent);
        fprintf(stream, "netdp_peer_received_bytes_total %" PRIu64 "\n", counts.received);
    }
    for (int k = 1; k < NETDP_I_REFUSALS_COUNT; k++)
        fprintf(stream, "netdp_peer_refused_total{reason=\"%s\"} %" PRIu64 "\n",
                netdp_i_refusal_word((netdp_i_refusal)k), p->refused[k]);
}

static void on_tick(uv_timer_t *timer)
{
    participant *p = timer->data;
    char waiting[128];
    const int64_t still = boot_seconds() - p->moved;
    leave_if_all_are_done(p);
    if (p->ending)
        return;
    netdp_i_metrics_keep(p->metrics);
    find_wait(p, waiting);
    if (strcmp(waiting, p->waiting) != 0 && still >= 1) {
        memcpy(p->waiting, waiting, sizeof waiting);
        if (waiting[0] != '\0')
            tell(p, "event=waiting %s", waiting);
    }
    if (p->finished && still >= p->settings.linger) {
        tell(p, "event=left %s", waiting);
        end_with(p, NETDP_OK);
    } else if (!p->finished && still >= p->settings.patience) {
        end_with(p, netdp_i_fail(p->error, NETDP_ENVIRONMENT,
                                 "gave up: nothing came for %" PRId64 " s, %s; start it again to "
                                 "go on",
                                 still, waiting));
    } else if (time(NULL) >= p->package->terms.expires) {
        end_with(p, netdp_i_fail(p->error, NETDP_INVALID, "the study package has expired"));
    }
}

static void on_signal(uv_signal_t *handle, int number)
{
    participant *p = handle->data;
    tell(p, "event=signal number=%d", number);
    end_with(p, netdp_i_fail(p->error, NETDP_INTERRUPTED,
                             "interrupted; start it again to go on where it stands"));
}

/* ---- From the folder to the first frame ---- */

static netdp_status find_self(const participant *p, int32_t *self)
{
    *self = netdp_i_package_find_key(p->package, netdp_i_signer_public(p->signer));
    return *self >= 0
               ? NETDP_OK
               : netdp_i_fail(p->error, NETDP_INVALID,
                              "%.300s: the roster does not have this folder's key", p->folder);
}

/* Reads what was agreed on and what is this member's own. */
static netdp_status read_folder(participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    int32_t self = -1;
    netdp_i_file_path(path, p->folder, "package");
    netdp_status status = netdp_i_package_read(path, &p->package, p->error);
    if (status == NETDP_OK)
        status = netdp_i_package_admit(p->package, NULL, time(NULL), p->error);
    if (status == NETDP_OK)
        status = netdp_i_package_digest(p->package, p->attempt.study, p->error);
    netdp_i_file_path(path, p->folder, "key");
    if (status == NETDP_OK)
        status = netdp_i_signer_load(path, &p->signer, p->error);
    if (status == NETDP_OK)
        status = find_self(p, &self);
    if (status == NETDP_OK)
        status = netdp_i_settings_read(p->folder, p->package, &p->settings, p->error);
    if (status == NETDP_OK)
        status = netdp_i_task_new(p->package, &p->settings, p->folder, self, &p->task, p->error);
    return status;
}

static netdp_i_rounded number_up(const json_t *object, const char *key)
{
    return netdp_i_up(netdp_i_json_number(json_object_get(object, key)), 5);
}

/* Before the start: what it would cost, to be read beside the budget that allows it. */
static netdp_status tell_account(participant *p)
{
    const json_t *worst = NULL;
    json_t *account = NULL;
    netdp_status status =
        netdp_i_result_account(p->package, p->task.self, &account, &worst, p->error);
    if (status != NETDP_OK)
        return status;
    const json_t *who = json_object_get(worst, "observers");
    const char *first = json_string_value(json_array_get(who, 0));
    tell(p, "event=account delta=%g worst=%s towards=%s and=%zu eavesdropper=%s everyone=%s",
         p->package->terms.delta, number_up(worst, "epsilon").text, first != NULL ? first : "-",
         json_array_size(who) > 0 ? json_array_size(who) - 1 : 0,
         number_up(account, "eavesdropper").text, number_up(account, "everyone_else").text);
    json_decref(account);
    return NETDP_OK;
}

/* What it would cost, and may it? Both before anything is reserved. */
static netdp_status admit(participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_budget budget = {0};
    netdp_i_file_path(path, p->folder, "budget.yaml");
    netdp_status status = netdp_i_budget_read(path, &budget, p->error);
    if (status == NETDP_OK)
        status = netdp_i_budget_admit(&budget, p->ledger, p->package, p->task.self, p->error);
    netdp_i_budget_clear(&budget);
    return status;
}

/* The contribution as it was stored: it leaves again, and nothing is drawn. */
static netdp_status resume_contribution(participant *p)
{
    const netdp_i_frame_limits limits = {
        .nodes = (uint32_t)p->package->members, .width = (uint32_t)p->task.width, .greeted = true};
    unsigned char *stored = NULL;
    int64_t bytes = 0;
    netdp_i_message message;
    size_t used = 0;
    netdp_status status =
        netdp_i_ledger_frame(p->ledger, &p->attempt, -1, &stored, &bytes, p->error);
    if (status != NETDP_OK)
        return status;
    if (stored == NULL || (size_t)bytes != p->frame_bytes ||
        netdp_i_frame_decode(stored, (size_t)bytes, &limits, &message, &used) !=
            NETDP_I_REFUSE_NOTHING ||
        used != p->frame_bytes) {
        netdp_i_free(stored);
        return netdp_i_fail(p->error, NETDP_INVALID,
                            "ledger.db: the stored contribution is none of this study");
    }
    netdp_i_frame_numbers(&message, p->numbers);
    netdp_i_rounds_resume(p->rounds, message.place.round, p->numbers, NULL);
    p->frame[message.place.round] = stored;
    if (!write_transcript(p, stored))
        return p->error->status;
    tell(p, "event=resumed phase=%u attempt=%u", p->attempt.phase, p->attempt.attempt);
    return NETDP_OK;
}

/* The ledger, the attempt's reservation, its keys. */
static netdp_status open_books(participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    bool stored = false, settled = false;
    int64_t reserved = 0;
    const int32_t self = p->task.self;
    /* What was spent in test mode is nothing, and what left then is nothing to go on from. */
    netdp_i_file_path(path, p->folder, p->settings.test ? "ledger-test.db" : "ledger.db");
    netdp_status status =
        netdp_i_ledger_open(path, netdp_i_signer_public(p->signer), &p->ledger, p->error);
    if (status == NETDP_OK)
        status = netdp_i_ledger_count(p->ledger, p->attempt.study, &reserved, &settled, p->error);
    if (status == NETDP_OK && !p->settings.test)
        status = tell_account(p);
    if (status == NETDP_OK && !settled)
        status = admit(p);
    if (status == NETDP_OK && p->settings.test)
        status = netdp_i_ephemeral_new(p->signer, &p->attempt, (uint32_t)self, &p->ephemeral,
                                       &p->offer[self], p->error);
    else if (status == NETDP_OK)
        status = netdp_i_ephemeral_keep(p->folder, p->signer, &p->attempt, (uint32_t)self,
                                        &p->ephemeral, &p->offer[self], p->error);
    if (status == NETDP_OK && !settled)
        status = netdp_i_ledger_reserve(p->ledger, &p->attempt, &stored, p->error);
    if (status != NETDP_OK)
        return status;
    p->offered[self] = p->task.pairs != NULL;
    if (settled)
        return load_frames(p); /* it only helps others to their end */
    if (stored)
        status = resume_contribution(p);
    if (status == NETDP_OK && stored && p->ephemeral != NULL)
        status = forget_key(p);
    if (status == NETDP_OK && !stored && p->ephemeral == NULL)
        status =
            netdp_i_fail(p->error, NETDP_INVALID,
                         "ledger.db: its contribution is missing, and was once stored: this is "
                         "a copy from before; give up the attempt, or bring the ledger back");
    p->drawing.ephemeral = p->ephemeral;
    return status;
}

static netdp_status make_room(participant *p)
{
    netdp_status status = netdp_i_rounds_new(&p->task.protocol, p->task.self, p->task.width,
                                             p->task.scale, &p->rounds, p->error);
    if (status != NETDP_OK)
        return status;
    p->sides = netdp_i_rounds_degree(p->rounds);
    p->frame_bytes = netdp_i_frame_size(NETDP_I_FRAME_VECTOR, (uint32_t)p->task.width);
    p->link = NETDP_I_NEW(netdp_i_link, p->sides);
    p->side = NETDP_I_NEW(side, p->sides);
    p->offer = NETDP_I_NEW(netdp_i_offer, p->package->members);
    p->offered = NETDP_I_NEW(bool, p->package->members);
    p->frame = NETDP_I_NEW(uint8_t *, p->task.protocol.rounds);
    p->numbers = NETDP_I_NEW(double, p->task.width);
    if (p->link == NULL || p->side == NULL || p->offer == NULL || p->offered == NULL ||
        p->frame == NULL || p->numbers == NULL)
        return netdp_i_no_memory(p->error);
    for (int32_t i = 0; i < p->sides; i++) {
        const int32_t who = netdp_i_rounds_neighbour(p->rounds, i);
        p->link[i] = (netdp_i_link){.neighbour = who,
                                    .dials = p->settings.address[who] != NULL,
                                    .address = p->settings.address[who]};
    }
    p->drawing = (netdp_i_noise_source){.task = &p->task,
                                        .settings = &p->settings,
                                        .signer = p->signer,
                                        .attempt = p->attempt,
                                        .offer = p->offer,
                                        .error = p->error};
    return NETDP_OK;
}

static netdp_status connect_all(participant *p)
{
    netdp_i_public *key = NETDP_I_NEW(netdp_i_public, p->package->members);
    if (key == NULL)
        return netdp_i_no_memory(p->error);
    for (int32_t v = 0; v < p->package->members; v++)
        memcpy(key[v], p->package->member[v].key, 32);
    const netdp_i_transport_plan plan = {
        .loop = &p->loop,
        .seed = netdp_i_signer_secret(p->signer),
        .nodes = p->package->members,
        .self = p->task.self,
        .key = key,
        .listen = p->settings.listen,
        .links = p->sides,
        .link = p->link,
        .width = (uint32_t)p->task.width,
        .patience = HANDSHAKE,
        .hooks = {p, link_up, hear_frame, link_down, link_refused},
    };
    netdp_status status = netdp_i_transport_new(&plan, &p->transport, p->error);
    netdp_i_free(key);
    return status;
}

/* Its settings name a file from the folder, or a port. */
static netdp_status open_metrics(participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    const char *where = p->settings.metrics;
    if (where == NULL)
        return NETDP_OK;
    if (strchr(where, ':') == NULL && where[0] != '/') {
        netdp_i_file_path(path, p->folder, where);
        where = path;
    }
    return netdp_i_metrics_new(&p->loop, where, fill_metrics, p, &p->metrics, p->error);
}

static netdp_status run(participant *p)
{
    netdp_status status = open_metrics(p);
    if (status == NETDP_OK)
        status = connect_all(p);
    if (status != NETDP_OK) {
        netdp_i_metrics_close(p->metrics);
        return status;
    }
    uv_timer_init(&p->loop, &p->tick);
    uv_signal_init(&p->loop, &p->interrupt);
    uv_signal_init(&p->loop, &p->terminate);
    p->tick.data = p->interrupt.data = p->terminate.data = p;
    uv_timer_start(&p->tick, on_tick, TICK, TICK);
    uv_signal_start(&p->interrupt, on_signal, SIGINT);
    uv_signal_start(&p->terminate, on_signal, SIGTERM);
    p->moved = boot_seconds();
    tell(p, "event=started member=%s port=%d mode=%s", name_of(p, p->task.self),
         netdp_i_transport_port(p->transport), p->settings.test ? "TEST" : "real");
    advance(p);
    uv_run(&p->loop, UV_RUN_DEFAULT);
    return p->status;
}

static void clear(participant *p)
{
    for (int64_t t = 0; p->frame != NULL && t < p->task.protocol.rounds; t++)
        netdp_i_free(p->frame[t]);
    netdp_i_free(p->frame);
    netdp_i_free(p->link);
    netdp_i_free(p->side);
    netdp_i_free(p->offer);
    netdp_i_free(p->offered);
    netdp_i_free(p->numbers);
    if (p->transcript >= 0)
        close(p->transcript);
    netdp_i_rounds_free(p->rounds);
    netdp_i_ledger_close(p->ledger);
    netdp_i_ephemeral_free(p->ephemeral);
    netdp_i_task_clear(&p->task);
    netdp_i_settings_clear(&p->settings);
    netdp_i_signer_free(p->signer);
    netdp_i_package_free(p->package);
}

netdp_status netdp_i_participate(const char *folder, FILE *log, netdp_error *error)
{
    netdp_error own = {NETDP_OK, ""};
    participant p = {
        .folder = folder, .log = log, .error = error != NULL ? error : &own, .transcript = -1};
    /* No core file and no debugger of the same user: both would have the values. */
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)signal(SIGPIPE, SIG_IGN);
    if (uv_loop_init(&p.loop) != 0)
        return netdp_i_no_memory(error);
    netdp_status status = read_folder(&p);
    if (status == NETDP_OK)
        status = make_room(&p);
    if (status == NETDP_OK)
        status = open_transcript(&p);
    if (status == NETDP_OK)
        status = open_books(&p);
    if (status == NETDP_OK)
        status = run(&p);
    uv_run(&p.loop, UV_RUN_DEFAULT);
    uv_loop_close(&p.loop);
    clear(&p);
    return status;
}
