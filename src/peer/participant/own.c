/*
 * A model of one's own, whose gradients come from a program (link/program.h), in time: in each phase the
 * program has so long, and then the contribution is drawn, whatever it said or did. What became of it is a
 * file of the owner's, and nowhere else: not in the log, the metrics, a frame or the time of one.
 */
#include "peer/participant/participant_base.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "peer/link/program.h"

enum { TITLE = 96, LINE = 32 }; /* bytes of the record's first line and of the others */

struct netdp_i_own {
    netdp_i_participant *p;
    netdp_i_program *program;
    uv_timer_t due;
    int record, said;
    bool opened; /* due is a handle of the loop */
    bool strict; /* the time of an answer is what it is, however early there is one */
    bool given;  /* the gradient of `asked` is the task's */
    int64_t asked, phases;
    uint8_t *answer; /* [phases] of netdp_i_reply, and 1; 0: not asked yet */
};

/* ---- The owner's record ---- */

static void path_of(const netdp_i_participant *p, const char *name, char path[NETDP_I_PATH_ROOM])
{
    netdp_i_file_path(path, p->folder, name);
}

static int open_file(const netdp_i_participant *p, const char *name, int flags)
{
    char path[NETDP_I_PATH_ROOM];
    path_of(p, name, path);
    const int file = netdp_i_file_open_own(path, flags | O_CREAT);
    if (file >= 0)
        (void)fchmod(file, 0600);
    return file;
}

/* Of one length for every answer. That it cannot be written ends nobody. */
static void write_line(const netdp_i_own *own, int64_t phase)
{
    char text[LINE + 32];
    const int answer = own->answer[phase] - 1;
    snprintf(text, sizeof text, "phase %9" PRId64 " %-*s", phase, LINE - 17,
             answer >= 0 ? netdp_i_reply_word((netdp_i_reply)answer) : "not asked");
    text[LINE - 1] = '\n';
    (void)!pwrite(own->record, text, LINE, TITLE + LINE * (off_t)phase);
}

static void write_title(const netdp_i_own *own)
{
    char text[2 * TITLE], padded[TITLE + 1];
    int64_t asked = 0, failed = 0;
    for (int64_t k = 0; k < own->phases; k++) {
        asked += own->answer[k] > 0;
        failed += own->answer[k] > 0 && own->answer[k] != NETDP_I_REPLY_WHOLE + 1;
    }
    snprintf(text, sizeof text, "Your program failed in %" PRId64 " of %" PRId64 " phases%s.",
             failed, asked, asked < own->phases ? " so far" : "");
    snprintf(padded, sizeof padded, "%-*.*s\n", TITLE - 1, TITLE - 1, text);
    (void)!pwrite(own->record, padded, TITLE, 0);
}

static void note(netdp_i_own *own, int64_t phase, netdp_i_reply answer)
{
    own->answer[phase] = (uint8_t)(answer + 1);
    write_line(own, phase);
    write_title(own);
}

/* What an earlier process wrote; else all of it, so that the file has its length from the start. */
static void read_record(netdp_i_own *own)
{
    char line[LINE];
    bool fresh = false;
    for (int64_t k = 0; k < own->phases; k++) {
        const bool there =
            !fresh && pread(own->record, line, LINE, TITLE + LINE * (off_t)k) == LINE;
        for (int answer = 0; there && answer < NETDP_I_REPLY_COUNT; answer++) {
            const char *word = netdp_i_reply_word((netdp_i_reply)answer);
            if (strncmp(line + 16, word, strlen(word)) == 0)
                own->answer[k] = (uint8_t)(answer + 1);
        }
        fresh = fresh || !there;
        if (fresh)
            write_line(own, k);
    }
    write_title(own);
}

/* ---- The time of an answer ---- */

static void on_due(uv_timer_t *timer)
{
    netdp_i_own *own = timer->data;
    netdp_i_participant *p = own->p;
    netdp_i_reply answer;
    if (own->given || p->ending)
        return;
    netdp_i_learner_give(&p->task.learner, netdp_i_program_take(own->program, &answer));
    own->given = true;
    note(own, own->asked, answer);
    p->moved = netdp_i_boot_seconds();
    netdp_i_participant_advance(p);
}

/* Only where nothing is private does an answer say when it is there. */
static void on_settled(void *context)
{
    netdp_i_own *own = context;
    if (!own->strict && own->opened && own->asked >= 0)
        uv_timer_start(&own->due, on_due, 0, 0);
}

bool netdp_i_own_ready(netdp_i_participant *p, int64_t round)
{
    netdp_i_own *own = p->own;
    const int64_t phase = netdp_i_phase_of(&p->task.protocol, round);
    if (own == NULL || (own->asked == phase && own->given))
        return true;
    if (own->asked == phase)
        return false;
    own->asked = phase;
    own->given = false;
    netdp_i_program_ask(own->program, phase, netdp_i_rounds_state(p->rounds));
    uv_update_time(&p->loop);
    if (own->strict)
        uv_timer_start(&own->due, on_due, (uint64_t)p->settings.answer, 0);
    else if (netdp_i_program_answer(own->program) != NETDP_I_REPLY_OPEN)
        uv_timer_start(&own->due, on_due, 0, 0);
    return false;
}

int64_t netdp_i_own_waits(const netdp_i_own *own)
{
    return own != NULL && own->asked >= 0 && !own->given ? own->asked : -1;
}

/* ---- Beginning and end ---- */

static void on_patience(uv_timer_t *timer)
{
    uv_stop(timer->loop);
}

/* Before anything has left: one answer at the model that everybody begins with. */
static netdp_status rehearse(netdp_i_participant *p, netdp_i_own *own)
{
    static const struct {
        netdp_status status;
        const char *what;
    } says[] = {
        [NETDP_I_REPLY_OPEN] = {NETDP_ENVIRONMENT, "did not answer"},
        [NETDP_I_REPLY_PARTLY] = {NETDP_INVALID,
                                  "answers with numbers that are NaN, infinite or none"},
        [NETDP_I_REPLY_FAULTY] = {NETDP_INVALID, "answers with another length than gradients have"},
        [NETDP_I_REPLY_ENDED] = {NETDP_ENVIRONMENT, "ended, or could not be started"},
    };
    netdp_i_reply answer;
    const uint64_t asked = uv_hrtime();
    uv_timer_start(&own->due, on_patience, 1000 * (uint64_t)p->settings.patience, 0);
    netdp_i_program_ask(own->program, 0, netdp_i_rounds_state(p->rounds));
    while ((answer = netdp_i_program_answer(own->program)) == NETDP_I_REPLY_OPEN &&
           uv_is_active((uv_handle_t *)&own->due))
        uv_run(&p->loop, UV_RUN_ONCE);
    uv_timer_stop(&own->due);
    if (own->strict && answer != NETDP_I_REPLY_OPEN &&
        (uv_hrtime() - asked) / 1000000 >= (uint64_t)p->settings.answer)
        netdp_i_participant_tell(p, "event=slow-program limit_ms=%" PRId64, p->settings.answer);
    if (answer == NETDP_I_REPLY_WHOLE)
        return NETDP_OK;
    return netdp_i_fail(p->error, says[answer].status,
                        "step: %.100s, asked for phase 0, %s; a line of its standard output is the "
                        "phase's number and gradients of %" PRId32
                        " numbers, %s has what it says else; nothing has left",
                        p->settings.program[0], says[answer].what, p->task.width, NETDP_I_OWN_SAID);
}

netdp_status netdp_i_own_open(netdp_i_participant *p, bool first)
{
    if (p->settings.program == NULL || p->finished)
        return NETDP_OK;
    netdp_i_own *own = NETDP_I_NEW(netdp_i_own, 1);
    const int64_t phases = netdp_linear_contributions(&p->task.protocol);
    if (own == NULL)
        return netdp_i_no_memory(p->error);
    *own = (netdp_i_own){.p = p,
                         .record = -1,
                         .said = -1,
                         .strict = !p->settings.test || p->settings.answer_given,
                         .asked = -1,
                         .phases = phases,
                         .answer = NETDP_I_NEW(uint8_t, phases)};
    p->own = own;
    own->said = open_file(p, NETDP_I_OWN_SAID, O_WRONLY | O_APPEND);
    own->record = open_file(p, NETDP_I_OWN_RECORD, O_RDWR);
    const netdp_i_program_plan plan = {.loop = &p->loop,
                                       .command = p->settings.program,
                                       .folder = p->folder,
                                       .said = own->said,
                                       .test = p->settings.test,
                                       .width = p->task.width,
                                       .phases = phases,
                                       .clip = p->task.learner.objective.clip,
                                       .context = own,
                                       .settled = on_settled};
    if (own->answer == NULL)
        return netdp_i_no_memory(p->error);
    TRY(netdp_i_program_new(&plan, &own->program, p->error));
    if (own->said < 0 || own->record < 0)
        return netdp_i_fail(p->error, NETDP_ENVIRONMENT,
                            "%.300s: %s and %s cannot be written; make room for them, and move "
                            "away what is there in their place",
                            p->folder, NETDP_I_OWN_RECORD, NETDP_I_OWN_SAID);
    uv_timer_init(&p->loop, &own->due);
    own->due.data = own;
    own->opened = true;
    read_record(own);
    return first ? rehearse(p, own) : NETDP_OK;
}

void netdp_i_own_close(netdp_i_own *own)
{
    if (own == NULL)
        return;
    netdp_i_program_close(own->program);
    if (own->opened)
        uv_close((uv_handle_t *)&own->due, NULL);
    own->opened = false;
}

void netdp_i_own_free(netdp_i_own *own)
{
    if (own == NULL)
        return;
    netdp_i_program_free(own->program);
    if (own->record >= 0)
        close(own->record);
    if (own->said >= 0)
        close(own->said);
    netdp_i_free(own->answer);
    netdp_i_free(own);
}
