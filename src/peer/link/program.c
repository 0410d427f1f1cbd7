#include "peer/link/program.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "learn/clip.h"

/* Digits of a double, and room for more than anybody writes. */
enum { READ = 1 << 16, WORD = 400, NUMBER = 26, HANDLES = 4 };

/* What a program said holds private numbers: locked memory, not in core files. */
typedef struct heard {
    char bytes[READ];
    char word[WORD]; /* the number that is being read */
} heard;

/* One process of it; its memory goes when the loop has closed its handles. */
typedef struct child {
    netdp_i_program *program; /* NULL: nobody listens to it any more */
    uv_process_t process;
    uv_pipe_t in, out, said;
    int handles;
    bool running, ended, silent, deaf; /* silent, deaf: it closed its standard output, its input */
} child;

struct netdp_i_program {
    netdp_i_program_plan plan;
    child *now;
    heard *heard;
    size_t used;     /* of the word */
    double *row;     /* [width] the gradient that is read; locked, with the next two: */
    double *sum;     /* [width] of those before it, each clipped */
    double *nothing; /* [width] zeros */
    int32_t column;  /* of the row that comes next */
    int64_t rows;    /* of the sum */
    int64_t words;   /* since the question */
    int64_t told;    /* bytes of its standard error that were kept */
    int mute;        /* questions in a row in whose time it said nothing at all */
    int64_t asked;   /* phase; -1: none */
    netdp_i_reply answer;
    enum {
        BEFORE,
        WITHIN,
        BESIDE
    } at;     /* before a line's first word, in the answer, in another line */
    bool odd; /* a gradient was not finite */
    bool closed;
};

const char *netdp_i_reply_word(netdp_i_reply answer)
{
    static const char *const words[] = {
        [NETDP_I_REPLY_OPEN] = "late",         [NETDP_I_REPLY_WHOLE] = "answered",
        [NETDP_I_REPLY_PARTLY] = "not finite", [NETDP_I_REPLY_FAULTY] = "no answer",
        [NETDP_I_REPLY_ENDED] = "ended",
    };
    return (unsigned)answer < NETDP_I_REPLY_COUNT ? words[answer] : "?";
}

/* ---- One process ---- */

static void on_closed(uv_handle_t *handle)
{
    child *c = handle->data;
    if (--c->handles == 0)
        netdp_i_free(c);
}

static void end(child *c, int signal)
{
    uv_handle_t *const handles[HANDLES] = {(uv_handle_t *)&c->process, (uv_handle_t *)&c->in,
                                           (uv_handle_t *)&c->out, (uv_handle_t *)&c->said};
    if (c->program != NULL)
        c->program->now = NULL;
    c->program = NULL;
    if (c->running && !c->ended)
        (void)uv_process_kill(&c->process, signal);
    for (int i = 0; i < HANDLES; i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], on_closed);
}

/* It can answer no more, or has not read what it was asked before: questions that nobody reads would add up. */
static bool is_stuck(const child *c)
{
    return c->ended || c->silent || c->deaf ||
           uv_stream_get_write_queue_size((const uv_stream_t *)&c->in) > 0;
}

static void settle(netdp_i_program *p, netdp_i_reply answer)
{
    if (p->answer != NETDP_I_REPLY_OPEN || p->asked < 0 || p->closed)
        return;
    p->answer = answer;
    if (p->now != NULL && !p->now->silent)
        uv_read_stop((uv_stream_t *)&p->now->out); /* until it is asked again */
    if (p->plan.settled != NULL)
        p->plan.settled(p->plan.context);
}

/* It ended, and all that it said is read. */
static void check_end(child *c)
{
    if (c->program != NULL && c->ended && c->silent)
        settle(c->program, NETDP_I_REPLY_ENDED);
}

static void note_end(uv_process_t *process, int64_t code, int by)
{
    child *c = process->data;
    (void)code, (void)by;
    c->ended = true;
    check_end(c);
}

/* ---- Hearing ---- */

/* Its numbers are the next of a gradient; what is no finite number makes that gradient count as 0. */
static void take_number(netdp_i_program *p)
{
    double number = NAN;
    if (!netdp_i_read_number(p->heard->word, &number))
        number = NAN;
    p->row[p->column++] = number;
    if (p->column < p->plan.width)
        return;
    bool finite = true;
    for (int32_t j = 0; j < p->plan.width; j++)
        finite = finite && isfinite(p->row[j]);
    p->odd = p->odd || !finite;
    if (finite)
        netdp_i_add_clipped(p->row, p->plan.width, p->plan.clip, p->sum);
    p->rows++;
    p->column = 0;
}

static void end_word(netdp_i_program *p)
{
    double phase = -1;
    if (p->used == 0)
        return;
    p->heard->word[p->used] = '\0';
    p->used = 0;
    p->words++;
    if (p->at == WITHIN)
        take_number(p);
    else if (p->at == BEFORE)
        p->at = netdp_i_read_number(p->heard->word, &phase) && phase == (double)p->asked ? WITHIN
                                                                                         : BESIDE;
    if (p->words > NETDP_I_MOST_ANSWER)
        settle(p, NETDP_I_REPLY_FAULTY);
}

static void end_line(netdp_i_program *p)
{
    const bool answers = p->at == WITHIN;
    p->at = BEFORE;
    if (!answers)
        return;
    if (p->rows == 0 || p->column > 0) {
        settle(p, NETDP_I_REPLY_FAULTY);
        return;
    }
    for (int32_t j = 0; j < p->plan.width; j++)
        p->sum[j] /= (double)p->rows;
    settle(p, p->odd ? NETDP_I_REPLY_PARTLY : NETDP_I_REPLY_WHOLE);
}

/* A word that is too long to be a number is read as far as it goes, and is none. */
static void hear(netdp_i_program *p, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size && p->answer == NETDP_I_REPLY_OPEN; i++) {
        const char c = bytes[i];
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
            p->heard->word[p->used] = p->used + 2 < WORD ? c : '?';
            p->used += p->used + 2 < WORD;
            continue;
        }
        if (p->used + 2 == WORD)
            p->used++; /* its '?' */
        end_word(p);
        if (c == '\n')
            end_line(p);
    }
}

static void lend(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    const child *c = handle->data;
    (void)wanted;
    *buffer =
        c->program != NULL ? uv_buf_init(c->program->heard->bytes, READ) : uv_buf_init(NULL, 0);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    child *c = stream->data;
    if (size > 0 && c->program != NULL) {
        hear(c->program, buffer->base, (size_t)size);
    } else if (size < 0) {
        uv_read_stop(stream);
        c->silent = true;
        check_end(c);
    }
}

/* Its standard error, as far as there is room: what cannot be kept is gone, and nobody waits. */
static void on_said(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    const child *c = stream->data;
    netdp_i_program *p = c->program;
    if (size < 0)
        uv_read_stop(stream);
    if (size <= 0 || p == NULL || p->plan.said < 0 || p->told + size > NETDP_I_MOST_SAID)
        return;
    p->told += size;
    (void)!write(p->plan.said, buffer->base, (size_t)size);
}

/* ---- Asking ---- */

typedef struct question {
    uv_write_t write;
    char text[];
} question;

static void on_asked(uv_write_t *write, int status)
{
    child *c = write->handle->data;
    c->deaf = c->deaf || status < 0;
    netdp_i_free(write->data);
}

static bool start(netdp_i_program *p)
{
    child *c = NETDP_I_NEW(child, 1);
    if (c == NULL)
        return false;
    c->program = p;
    c->handles = HANDLES;
    p->now = c;
    p->mute = 0;
    uv_pipe_init(p->plan.loop, &c->in, 0);
    uv_pipe_init(p->plan.loop, &c->out, 0);
    uv_pipe_init(p->plan.loop, &c->said, 0);
    c->in.data = c->out.data = c->said.data = c->process.data = c;
    uv_stdio_container_t streams[3] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&c->in},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&c->out},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&c->said}};
    const uv_process_options_t options = {.file = p->plan.command[0],
                                          .args = (char **)p->plan.command,
                                          .cwd = p->plan.folder,
                                          .stdio_count = 3,
                                          .stdio = streams,
                                          .exit_cb = note_end};
    (void)setenv("NETDP_PEER", p->plan.test ? "test" : "real", 1);
    c->running = uv_spawn(p->plan.loop, &c->process, &options) == 0;
    c->process.data = c;
    if (c->running) {
        uv_read_start((uv_stream_t *)&c->said, lend, on_said);
        return true;
    }
    end(c, SIGTERM);
    return false;
}

static void forget_answer(netdp_i_program *p)
{
    sodium_memzero(p->row, (size_t)p->plan.width * sizeof *p->row);
    sodium_memzero(p->sum, (size_t)p->plan.width * sizeof *p->sum);
    p->column = 0;
    p->rows = p->words = 0;
    p->used = 0;
    p->odd = false;
}

void netdp_i_program_ask(netdp_i_program *p, int64_t phase, const double *model)
{
    if (p->asked == phase || p->closed)
        return;
    /* What it still says of the last question ends within a line: the rest of that is not asked for. */
    p->at = p->used > 0 || p->at != BEFORE ? BESIDE : BEFORE;
    forget_answer(p);
    p->asked = phase;
    p->answer = NETDP_I_REPLY_OPEN;
    if (p->now != NULL && is_stuck(p->now))
        end(p->now, SIGKILL);
    if (p->now == NULL)
        p->at = BEFORE;
    question *q = p->now != NULL || start(p)
                      ? netdp_i_new(1, sizeof *q + NUMBER * ((size_t)p->plan.width + 1))
                      : NULL;
    if (q == NULL) {
        settle(p, NETDP_I_REPLY_ENDED);
        return;
    }
    int used = sprintf(q->text, "%" PRId64, phase);
    for (int32_t j = 0; j < p->plan.width; j++)
        used += sprintf(q->text + used, " %.17g", model[j]);
    q->text[used++] = '\n';
    q->write.data = q;
    const uv_buf_t buffer = uv_buf_init(q->text, (unsigned)used);
    if (uv_write(&q->write, (uv_stream_t *)&p->now->in, &buffer, 1, on_asked) != 0) {
        p->now->deaf = true;
        netdp_i_free(q);
    }
    uv_read_start((uv_stream_t *)&p->now->out, lend, on_read);
}

netdp_i_reply netdp_i_program_answer(const netdp_i_program *program)
{
    return program->answer;
}

const double *netdp_i_program_take(netdp_i_program *p, netdp_i_reply *answer)
{
    child *c = p->now;
    *answer = p->answer;
    const bool mute = p->answer == NETDP_I_REPLY_OPEN && p->words == 0 && p->used == 0;
    p->mute = mute ? p->mute + 1 : 0;
    if (c != NULL && !c->silent)
        uv_read_stop((uv_stream_t *)&c->out); /* until it is asked again */
    /* Who is late may be on time again; who said nothing twice is stuck. */
    if (c != NULL && p->mute > 1)
        end(c, SIGKILL);
    else if (c != NULL && p->asked + 1 == p->plan.phases && !uv_is_closing((uv_handle_t *)&c->in))
        uv_close((uv_handle_t *)&c->in, on_closed);
    return *answer == NETDP_I_REPLY_WHOLE || *answer == NETDP_I_REPLY_PARTLY ? p->sum : p->nothing;
}

/* ---- Beginning and end ---- */

netdp_status netdp_i_program_new(const netdp_i_program_plan *plan, netdp_i_program **program,
                                 netdp_error *error)
{
    netdp_i_program *made = NETDP_I_NEW(netdp_i_program, 1);
    NEED(made);
    *made = (netdp_i_program){.plan = *plan, .asked = -1};
    made->heard = sodium_malloc(sizeof *made->heard);
    made->row = sodium_allocarray((size_t)plan->width, sizeof *made->row);
    made->sum = sodium_allocarray((size_t)plan->width, sizeof *made->sum);
    made->nothing = sodium_allocarray((size_t)plan->width, sizeof *made->nothing);
    if (made->heard == NULL || made->row == NULL || made->sum == NULL || made->nothing == NULL) {
        netdp_i_program_free(made);
        return netdp_i_no_memory(error);
    }
    memset(made->nothing, 0, (size_t)plan->width * sizeof *made->nothing);
    *program = made;
    return NETDP_OK;
}

void netdp_i_program_close(netdp_i_program *program)
{
    if (program == NULL || program->closed)
        return;
    program->closed = true;
    if (program->now != NULL)
        end(program->now, SIGTERM);
}

void netdp_i_program_free(netdp_i_program *program)
{
    if (program == NULL)
        return;
    sodium_free(program->heard);
    sodium_free(program->row);
    sodium_free(program->sum);
    sodium_free(program->nothing);
    netdp_i_free(program);
}
