#include "peer/participant/participant.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/manager.h"
#include "base/memory.h"
#include "base/resident.h"
#include "base/text.h"
#include "base/try.h"
#include "peer/participant/participant_base.h"
#include "peer/result.h"

enum { TICK = 250, LINE = 2048, KEPT_MEMORY = 1 << 19 };

static int64_t boot_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return 1000 * (int64_t)now.tv_sec + now.tv_nsec / 1000000;
}

int64_t netdp_i_boot_seconds(void)
{
    return boot_ms() / 1000;
}

static void write_line(netdp_i_participant *p, const char *text)
{
    fprintf(p->log, "%s %s\n", netdp_i_utc(time(NULL), NETDP_I_ISO).text, text);
    fflush(p->log);
}

void netdp_i_participant_tell(netdp_i_participant *p, const char *format, ...)
{
    char text[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(p, text);
}

static netdp_i_side *side_of(netdp_i_participant *p, int32_t link)
{
    return &p->side[link >= 0 ? link : p->sides - 1 - link];
}

bool netdp_i_participant_allows(netdp_i_participant *p, int32_t link, netdp_i_limit limit,
                                int64_t many)
{
    return netdp_i_limit_take(&side_of(p, link)->quota, limit, many, boot_ms());
}

void netdp_i_participant_tell_of(netdp_i_participant *p, int32_t link, const char *format, ...)
{
    char text[LINE];
    va_list arguments;
    netdp_i_side *side = side_of(p, link);
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!netdp_i_participant_allows(p, link, NETDP_I_LIMIT_LINES, 1) ||
        !netdp_i_participant_allows(p, link, NETDP_I_LIMIT_BYTES, length)) {
        side->unlogged++;
        return;
    }
    if (side->unlogged > 0)
        netdp_i_participant_tell(
            p, "event=not-logged member=%s lines=%" PRId64,
            link >= 0 ? netdp_i_participant_name(p, p->link[link].neighbour) : "-", side->unlogged);
    side->unlogged = 0;
    write_line(p, text);
}

const char *netdp_i_participant_name(const netdp_i_participant *p, int32_t member)
{
    return p->package->member[member].name;
}

/* To systemd: its status line, and that it lives (the unit's watchdog). */
static bool notify(const netdp_i_participant *p, const char *state, const char *waiting)
{
    char text[256];
    snprintf(text, sizeof text, "%s\nSTATUS=round %" PRId64 " of %" PRId64 "%s%s", state,
             netdp_i_rounds_now(p->rounds), p->task.protocol.rounds,
             waiting[0] != '\0' ? ", waiting for " : "", waiting);
    return netdp_i_manager_tell(text);
}

void netdp_i_participant_end(netdp_i_participant *p, netdp_status status)
{
    if (p->ending)
        return;
    p->ending = true;
    (void)notify(p, "STOPPING=1", "");
    p->status = status;
    netdp_i_metrics_keep(p->metrics);
    netdp_i_metrics_close(p->metrics);
    p->metrics = NULL;
    netdp_i_transport_close(p->transport);
    p->transport = NULL;
    netdp_i_own_close(p->own);
    uv_close((uv_handle_t *)&p->tick, NULL);
    uv_close((uv_handle_t *)&p->slot, NULL);
    uv_close((uv_handle_t *)&p->check, NULL);
    uv_close((uv_handle_t *)&p->interrupt, NULL);
    uv_close((uv_handle_t *)&p->terminate, NULL);
}

/* ---- Rounds ---- */

/* Into p->frame and the books: the vector of that round; one that contributes is stored and synced first. */
static netdp_status draw_vector(netdp_i_participant *p, int64_t round, bool contributes)
{
    if (contributes)
        TRY(netdp_i_books_admit(p, round));
    const netdp_i_draws draws = netdp_i_draws_of(&p->drawing);
    const double *message = netdp_i_rounds_speak(p->rounds, &draws);
    if (message == NULL)
        return p->error->status;
    p->framed = round;
    if (netdp_i_frame_vector((uint32_t)p->task.self, netdp_i_when_of(p, round), message,
                             (uint32_t)p->task.width, p->frame) == 0)
        return netdp_i_fail(p->error, NETDP_INVALID,
                            "a number of round %" PRId64 " is not finite; nothing left", round);
    if (contributes)
        TRY(netdp_i_books_contribute(p, round));
    return netdp_i_books_keep(p);
}

/*
 * The vector of the round under way: drawn, and where it carries a contribution stored and synced
 * before anything of it leaves. False: it cannot be had yet, or never.
 */
static bool speak(netdp_i_participant *p)
{
    const int64_t round = netdp_i_rounds_now(p->rounds);
    const bool contributes = netdp_linear_contributes(&p->task.protocol, round);
    if (p->spoken > round)
        return true;
    if (contributes && (netdp_i_missing_partner(p) >= 0 || !netdp_i_known_to_all(p)))
        return false;
    if (contributes && !netdp_i_own_ready(p, round))
        return false; /* it goes on when the time of the answer is over */
    const netdp_status status = draw_vector(p, round, contributes);
    if (status != NETDP_OK) {
        netdp_i_participant_end(p, status);
        return false;
    }
    p->made = boot_ms();
    /* Only a contribution was made of what is private: the rest may leave when it is ready. */
    if (!contributes && !p->settings.slot_of_all)
        p->released = p->spoken;
    return netdp_i_books_transcribe(p);
}

int64_t netdp_i_participant_released(const netdp_i_participant *p)
{
    return p->settings.slot > 0 ? p->released : p->spoken;
}

/* The next of the clock's multiples: none is moved by how long anything took. */
static void await_slot(netdp_i_participant *p);

/* What was not yet made when the slot came waits for the next, and so does all that follows from it. */
static void on_slot(uv_timer_t *timer)
{
    netdp_i_participant *p = timer->data;
    const int64_t now = boot_ms();
    await_slot(p);
    if (p->made > now - now % p->settings.slot)
        return;
    p->released = p->spoken;
    if (p->finished)
        for (int32_t i = 0; i < p->sides; i++)
            netdp_i_send_vectors(p, i);
    netdp_i_participant_advance(p);
}

static void await_slot(netdp_i_participant *p)
{
    uv_update_time(&p->loop);
    if (p->settings.slot > 0)
        uv_timer_start(&p->slot, on_slot,
                       (uint64_t)(p->settings.slot - boot_ms() % p->settings.slot), 0);
}

void netdp_i_participant_leave(netdp_i_participant *p)
{
    if (!p->finished || p->transport == NULL)
        return;
    for (int32_t i = 0; i < p->sides; i++)
        if (!p->side[i].done)
            return;
    if (!netdp_i_transport_flushed(p->transport))
        return; /* the next tick looks again */
    netdp_i_participant_tell(p, "event=left");
    netdp_i_participant_end(p, NETDP_OK);
}

static netdp_status write_result(netdp_i_participant *p)
{
    const netdp_i_result result = {.package = p->package,
                                   .task = &p->task,
                                   .attempt = &p->attempt,
                                   .state = netdp_i_rounds_state(p->rounds),
                                   .account = p->account,
                                   .lost = p->lost,
                                   .test = p->settings.test};
    TRY(netdp_i_books_sync(p));
    TRY(netdp_i_result_write(&result, p->folder, p->error));
    return netdp_i_ledger_settle(p->ledger, p->attempt.study, "{}", p->error);
}

static void finish(netdp_i_participant *p)
{
    const netdp_status status = write_result(p);
    if (status != NETDP_OK) {
        netdp_i_participant_end(p, status);
        return;
    }
    p->finished = true;
    p->moved = netdp_i_boot_seconds();
    netdp_i_participant_tell(p, "event=finished rounds=%" PRId64, p->task.protocol.rounds);
    for (int32_t i = 0; i < p->sides && p->transport != NULL; i++)
        if (p->side[i].greeted)
            netdp_i_send_over(p, i, p->task.protocol.rounds - 1);
    netdp_i_participant_leave(p);
}

void netdp_i_participant_advance(netdp_i_participant *p)
{
    const netdp_i_draws draws = netdp_i_draws_of(&p->drawing);
    while (!p->finished && !p->ending) {
        if (!speak(p) || netdp_i_participant_released(p) < p->spoken)
            return;
        for (int32_t i = 0; i < p->sides; i++)
            netdp_i_send_vectors(p, i);
        if (p->ending || !netdp_i_rounds_mix(p->rounds, &draws))
            return;
        p->moved = netdp_i_boot_seconds();
        if (netdp_i_rounds_over(p->rounds))
            finish(p);
        else
            netdp_i_tell_those_ahead(p);
    }
}

/* ---- Waiting ---- */

static void on_tick(uv_timer_t *timer)
{
    netdp_i_participant *p = timer->data;
    netdp_i_waiting wait;
    const char *waiting = wait.says;
    const int64_t still = netdp_i_boot_seconds() - p->moved;
    netdp_i_participant_leave(p);
    if (p->ending)
        return;
    netdp_i_metrics_keep(p->metrics);
    netdp_i_waiting_find(p, &wait);
    p->ready = notify(p, p->ready ? "WATCHDOG=1" : "READY=1\nWATCHDOG=1", waiting) || p->ready;
    if (strcmp(waiting, p->waiting) != 0 && still >= 1) {
        memcpy(p->waiting, waiting, sizeof p->waiting);
        if (waiting[0] != '\0')
            netdp_i_participant_tell_of(p, NETDP_I_OF_ITSELF,
                                        "event=waiting for=\"%s\" round=%" PRId64, waiting,
                                        netdp_i_rounds_now(p->rounds));
    }
    if (p->finished && still >= p->settings.linger) {
        netdp_i_participant_tell(p, "event=left unfinished=%s", wait.member);
        netdp_i_participant_end(p, NETDP_OK);
    } else if (!p->finished && still >= p->settings.patience) {
        netdp_i_participant_end(p, netdp_i_fail(p->error, NETDP_ENVIRONMENT,
                                                "timed out after %" PRId64
                                                " s waiting for %s; start it again to continue",
                                                still, waiting));
    } else if (time(NULL) >= p->package->terms.expires) {
        netdp_i_participant_end(
            p, netdp_i_fail(p->error, NETDP_INVALID, "the study package has expired"));
    }
}

/* What came of neighbours' ledgers is written before anything else comes. */
static void on_heard(uv_check_t *check)
{
    netdp_i_participant *p = check->data;
    const netdp_status status = netdp_i_ledger_note(p->ledger, p->error);
    if (status != NETDP_OK)
        netdp_i_participant_end(p, status);
}

static void on_signal(uv_signal_t *handle, int number)
{
    netdp_i_participant *p = handle->data;
    netdp_i_participant_tell(p, "event=signal number=%d", number);
    netdp_i_participant_end(p,
                            netdp_i_fail(p->error, NETDP_INTERRUPTED,
                                         "interrupted; start it again to go on where it stands"));
}

/* ---- From the folder to the first frame ---- */

static netdp_status make_room(netdp_i_participant *p)
{
    TRY(netdp_i_rounds_new(&p->task.protocol, p->task.self, p->task.width, p->task.scale,
                           &p->rounds, p->error));
    p->sides = netdp_i_rounds_degree(p->rounds);
    p->frame_bytes = netdp_i_frame_size(NETDP_I_FRAME_VECTOR, (uint32_t)p->task.width);
    p->link = NETDP_I_NEW(netdp_i_link, p->sides);
    p->side = NETDP_I_NEW(netdp_i_side, p->sides + 2);
    p->offer = NETDP_I_NEW(netdp_i_offer, p->package->members);
    p->offered = NETDP_I_NEW(bool, p->package->members);
    p->frame = NETDP_I_NEW(uint8_t, (int64_t)p->frame_bytes + NETDP_I_DIGEST);
    p->shown_frame = NETDP_I_NEW(uint8_t, NETDP_I_CONNECTION_FRAME + (int64_t)p->frame_bytes);
    p->numbers = NETDP_I_NEW(double, p->task.width);
    if (p->link == NULL || p->side == NULL || p->offer == NULL || p->offered == NULL ||
        p->frame == NULL || p->shown_frame == NULL || p->numbers == NULL)
        return netdp_i_no_memory(p->error);
    for (int32_t i = 0; i < p->sides; i++)
        netdp_i_links_place(p, netdp_i_rounds_neighbour(p->rounds, i), &p->link[i]);
    netdp_i_rounds_limit(p->rounds, p->task.largest);
    p->drawing = (netdp_i_noise_source){.task = &p->task,
                                        .settings = &p->settings,
                                        .signer = p->signer,
                                        .attempt = p->attempt,
                                        .offer = p->offer,
                                        .error = p->error};
    return NETDP_OK;
}

/* Its settings name a file from the folder, or a port. */
static netdp_status open_metrics(netdp_i_participant *p)
{
    char path[NETDP_I_PATH_ROOM];
    const char *where = p->settings.metrics;
    if (where == NULL)
        return NETDP_OK;
    if (strchr(where, ':') == NULL && where[0] != '/') {
        netdp_i_file_path(path, p->folder, where);
        where = path;
    }
    return netdp_i_metrics_new(&p->loop, where, netdp_i_measures_write, p, &p->metrics, p->error);
}

static netdp_status run(netdp_i_participant *p)
{
    TRY(open_metrics(p));
    const netdp_status status = netdp_i_links_connect(p);
    if (status != NETDP_OK) {
        netdp_i_metrics_close(p->metrics);
        return status;
    }
    uv_timer_init(&p->loop, &p->tick);
    uv_timer_init(&p->loop, &p->slot);
    uv_check_init(&p->loop, &p->check);
    uv_check_start(&p->check, on_heard);
    uv_signal_init(&p->loop, &p->interrupt);
    uv_signal_init(&p->loop, &p->terminate);
    p->tick.data = p->slot.data = p->check.data = p->interrupt.data = p->terminate.data = p;
    uv_timer_start(&p->tick, on_tick, TICK, TICK);
    await_slot(p);
    uv_signal_start(&p->interrupt, on_signal, SIGINT);
    uv_signal_start(&p->terminate, on_signal, SIGTERM);
    p->moved = netdp_i_boot_seconds();
    netdp_i_resident_trim(); /* of what the account needed */
    netdp_i_participant_tell(
        p, "event=started member=%s port=%d mode=%s", netdp_i_participant_name(p, p->task.self),
        netdp_i_transport_port(p->transport), p->settings.test ? "TEST" : "real");
    p->ready = notify(p, "READY=1", "");
    netdp_i_participant_advance(p);
    uv_run(&p->loop, UV_RUN_DEFAULT);
    return p->status;
}

static void clear(netdp_i_participant *p)
{
    netdp_i_free(p->frame);
    netdp_i_free(p->shown_frame);
    netdp_i_free(p->link);
    netdp_i_free(p->side);
    netdp_i_free(p->offer);
    netdp_i_free(p->offered);
    netdp_i_free(p->numbers);
    if (p->transcript >= 0)
        close(p->transcript);
    if (p->frames >= 0)
        close(p->frames);
    netdp_i_own_free(p->own);
    netdp_i_rounds_free(p->rounds);
    netdp_i_ledger_close(p->ledger);
    netdp_i_draws_forget(&p->drawing);
    netdp_i_ephemeral_free(p->ephemeral);
    json_decref(p->account);
    netdp_i_measures_free(p->measures);
    netdp_i_task_clear(&p->task);
    netdp_i_settings_clear(&p->settings);
    netdp_i_signer_free(p->signer);
    netdp_i_package_free(p->package);
}

static netdp_status open_and_run(netdp_i_participant *p)
{
    TRY(netdp_i_books_read(p));
    TRY(make_room(p));
    TRY(netdp_i_books_transcript(p));
    TRY(netdp_i_books_open(p));
    return run(p);
}

netdp_status netdp_i_participate(const char *folder, FILE *log, netdp_error *error)
{
    netdp_error own = {NETDP_OK, ""};
    netdp_i_participant p = {.folder = folder,
                             .log = log,
                             .error = error != NULL ? error : &own,
                             .framed = -1,
                             .transcript = -1,
                             .frames = -1};
    /* No core file and no debugger of the same user: both would have the values. */
    (void)prctl(PR_SET_DUMPABLE, 0);
    /* What a transaction takes and gives back is not the system's in between. */
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
    (void)mallopt(M_TOP_PAD, KEPT_MEMORY);
    (void)signal(SIGPIPE, SIG_IGN);
    if (uv_loop_init(&p.loop) != 0)
        return netdp_i_no_memory(error);
    const netdp_status status = open_and_run(&p);
    if (!p.ending)
        netdp_i_own_close(p.own);
    uv_run(&p.loop, UV_RUN_DEFAULT);
    uv_loop_close(&p.loop);
    clear(&p);
    return status;
}

netdp_status netdp_i_participant_look(const char *folder, bool *read, netdp_error *error)
{
    netdp_error own = {NETDP_OK, ""};
    CLEARED(clear)
    netdp_i_participant p = {.folder = folder,
                             .log = stderr,
                             .error = error != NULL ? error : &own,
                             .framed = -1,
                             .transcript = -1,
                             .frames = -1};
    *read = false;
    TRY(netdp_i_books_read(&p));
    *read = true;
    TRY(make_room(&p));
    return netdp_i_books_look(&p);
}
