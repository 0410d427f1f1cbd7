#include "peer/link/program.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

/* Digits of a double, and room for more than anybody writes. */
enum { READ = 1 << 16, WORD = 400, NUMBER = 26 };

/* What a program said holds private numbers: locked memory, not in core files. */
typedef struct heard {
    char bytes[READ];
    char word[WORD]; /* the number that is being read */
} heard;

struct netdp_i_program {
    netdp_i_program_plan plan;
    uv_process_t process;
    uv_pipe_t in, out;
    heard *heard;
    size_t used;   /* of the word */
    double *given; /* [room], locked */
    int64_t count, room;
    int64_t asked, answered; /* phases; -1: none */
    int64_t code;            /* how it ended; -1: it runs */
    bool begun;              /* the phase of an answer is read, and its numbers follow */
    bool silent, closed;
};

/* ---- Failing ---- */

static void fail(netdp_i_program *p, netdp_status status, const char *what)
{
    char phase[64] = "";
    if (p->closed)
        return;
    if (netdp_i_program_owes(p) >= 0)
        snprintf(phase, sizeof phase, ", asked for phase %" PRId64 ",", p->asked);
    p->plan.failed(p->plan.context,
                   netdp_i_fail(p->plan.error, status,
                                "step: %.100s%s %s; nothing of it left, start the peer again to go "
                                "on",
                                p->plan.command[0], phase, what));
}

/* It ended, and all that it said is read: was more wanted? */
static void check_end(netdp_i_program *p)
{
    char what[96];
    if (p->code < 0 || !p->silent || p->answered + 1 == p->plan.phases)
        return;
    snprintf(what, sizeof what, "ended with code %" PRId64 ": see what it says above", p->code);
    fail(p, NETDP_ENVIRONMENT, what);
}

static void note_end(uv_process_t *process, int64_t code, int by)
{
    netdp_i_program *p = process->data;
    p->code = by != 0 ? 128 + by : code;
    check_end(p);
}

/* ---- Hearing ---- */

static bool make_room(netdp_i_program *p)
{
    if (p->count < p->room)
        return true;
    const int64_t room = p->room == 0 ? p->plan.width : 2 * p->room;
    double *more =
        p->count < NETDP_I_MOST_ANSWER ? sodium_allocarray((size_t)room, sizeof *more) : NULL;
    if (more == NULL)
        return false;
    if (p->count > 0)
        memcpy(more, p->given, (size_t)p->count * sizeof *more);
    sodium_free(p->given); /* zeroed */
    p->given = more;
    p->room = room;
    return true;
}

/* The word that ended; false: the program is done with. */
static bool take_number(netdp_i_program *p)
{
    char what[96];
    if (p->used == 0)
        return true;
    p->heard->word[p->used] = '\0';
    p->used = 0;
    if (!p->begun) {
        double phase = -1;
        p->begun = netdp_i_program_owes(p) >= 0 && netdp_i_read_number(p->heard->word, &phase) &&
                   phase == (double)p->asked;
        if (!p->begun)
            fail(p, NETDP_INVALID,
                 "said something that was not asked for; a line of its standard output is a "
                 "phase's number and the answer");
        return p->begun;
    }
    if (!make_room(p)) {
        fail(p, NETDP_INVALID, "answers with more numbers than there is room for");
        return false;
    }
    if (netdp_i_read_number(p->heard->word, &p->given[p->count]) && isfinite(p->given[p->count])) {
        p->count++;
        return true;
    }
    snprintf(what, sizeof what, "answers with NaN, infinite or no number in place %" PRId64,
             p->count + 1);
    fail(p, NETDP_INVALID, what);
    return false;
}

static bool end_line(netdp_i_program *p)
{
    char what[96];
    const int64_t count = p->count;
    if (!p->begun)
        return true; /* an empty line */
    p->begun = false;
    if (count == 0 || count % p->plan.width != 0) {
        snprintf(what, sizeof what,
                 "answers with %" PRId64 " numbers, where a gradient has %" PRId32, count,
                 p->plan.width);
        fail(p, NETDP_INVALID, what);
        return false;
    }
    p->answered = p->asked;
    p->count = 0;
    if (p->answered + 1 == p->plan.phases)
        uv_close((uv_handle_t *)&p->in, NULL);
    p->plan.answered(p->plan.context, p->given, count / p->plan.width);
    return !p->closed;
}

static void hear(netdp_i_program *p, const char *bytes, size_t size)
{
    bool on = true;
    for (size_t i = 0; i < size && on; i++) {
        const char c = bytes[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            on = take_number(p);
            if (on && c == '\n')
                on = end_line(p);
        } else if (p->used + 1 < WORD) {
            p->heard->word[p->used++] = c;
        } else {
            fail(p, NETDP_INVALID, "answers with a word that is no number");
            on = false;
        }
    }
}

static void lend(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    netdp_i_program *p = handle->data;
    (void)wanted;
    *buffer = uv_buf_init(p->heard->bytes, READ);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    netdp_i_program *p = stream->data;
    if (size > 0) {
        hear(p, buffer->base, (size_t)size);
    } else if (size < 0) {
        uv_read_stop(stream);
        p->silent = true;
        check_end(p);
    }
}

/* ---- Asking ---- */

typedef struct question {
    uv_write_t write;
    char text[];
} question;

/* That it does not listen is told by its end. */
static void on_asked(uv_write_t *write, int status)
{
    (void)status;
    netdp_i_free(write->data);
}

static void ask(netdp_i_program *p, int64_t phase, const double *model)
{
    question *q = netdp_i_new(1, sizeof *q + NUMBER * ((size_t)p->plan.width + 1));
    p->asked = phase;
    if (q == NULL) {
        fail(p, NETDP_NO_MEMORY, "cannot be asked: there is no memory");
        return;
    }
    int used = sprintf(q->text, "%" PRId64, phase);
    for (int32_t j = 0; j < p->plan.width; j++)
        used += sprintf(q->text + used, " %.17g", model[j]);
    q->text[used++] = '\n';
    q->write.data = q;
    const uv_buf_t buffer = uv_buf_init(q->text, (unsigned)used);
    if (uv_write(&q->write, (uv_stream_t *)&p->in, &buffer, 1, on_asked) != 0)
        netdp_i_free(q);
}

int64_t netdp_i_program_owes(const netdp_i_program *program)
{
    return program->asked > program->answered ? program->asked : -1;
}

bool netdp_i_program_has(netdp_i_program *program, int64_t phase, const double *model)
{
    if (program->answered == phase)
        return true;
    if (program->asked != phase && !program->closed)
        ask(program, phase, model);
    return false;
}

/* ---- Beginning and end ---- */

netdp_status netdp_i_program_start(const netdp_i_program_plan *plan, netdp_i_program **program)
{
    netdp_i_program *made = NETDP_I_NEW(netdp_i_program, 1);
    heard *bytes = made != NULL ? sodium_malloc(sizeof *bytes) : NULL;
    if (bytes == NULL) {
        netdp_i_free(made);
        return netdp_i_no_memory(plan->error);
    }
    *made =
        (netdp_i_program){.plan = *plan, .heard = bytes, .asked = -1, .answered = -1, .code = -1};
    *program = made;
    uv_pipe_init(plan->loop, &made->in, 0);
    uv_pipe_init(plan->loop, &made->out, 0);
    made->in.data = made->out.data = made->process.data = made;
    uv_stdio_container_t streams[3] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&made->in},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&made->out},
        {.flags = UV_INHERIT_FD, .data.fd = 2}};
    const uv_process_options_t options = {.file = plan->command[0],
                                          .args = (char **)plan->command,
                                          .cwd = plan->folder,
                                          .stdio_count = 3,
                                          .stdio = streams,
                                          .exit_cb = note_end};
    if (setenv("NETDP_PEER", plan->test ? "test" : "real", 1) != 0)
        return netdp_i_no_memory(plan->error);
    const int code = uv_spawn(plan->loop, &made->process, &options);
    if (code != 0)
        return netdp_i_fail(plan->error, NETDP_ENVIRONMENT,
                            "step: %.100s cannot be started in %.200s: %s", plan->command[0],
                            plan->folder, uv_strerror(code));
    uv_read_start((uv_stream_t *)&made->out, lend, on_read);
    return NETDP_OK;
}

void netdp_i_program_close(netdp_i_program *program)
{
    if (program == NULL || program->closed)
        return;
    program->closed = true;
    if (program->code < 0 && uv_is_active((uv_handle_t *)&program->process))
        (void)uv_process_kill(&program->process, SIGTERM);
    uv_handle_t *const handles[] = {(uv_handle_t *)&program->process, (uv_handle_t *)&program->in,
                                    (uv_handle_t *)&program->out};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (handles[i]->loop != NULL && !uv_is_closing(handles[i]))
            uv_close(handles[i], NULL);
}

void netdp_i_program_free(netdp_i_program *program)
{
    if (program == NULL)
        return;
    sodium_free(program->heard);
    sodium_free(program->given);
    netdp_i_free(program);
}
