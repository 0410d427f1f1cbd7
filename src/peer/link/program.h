/*
 * A participant's own program, which computes what netdp cannot: the gradients of a model of its own.
 *
 * It is asked on its standard input, one line a phase: the phase's number and the model's numbers. It
 * answers on its standard output with one line: the phase's number again, and a gradient, or one for each
 * row, one after the other.
 *
 * Nothing that it says is believed, and nothing that it does ends or delays anybody: a gradient with a
 * number that is not finite counts as 0, and a phase whose answer is of another length, late, or not
 * there because the program died, as a gradient of 0. Lines that were not asked for are left unread. A
 * program that ended is started anew for the next question. What it answers takes as much memory as one
 * gradient, however many rows it has. Its input ends when nothing more will be asked.
 */
#ifndef NETDP_I_PEER_PROGRAM_H
#define NETDP_I_PEER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>
#include <netdp/status.h>

enum {
    NETDP_I_MOST_ANSWER = 1 << 24, /* words of an answer, and of what is said beside it */
    NETDP_I_MOST_SAID = 1 << 20,   /* bytes of its standard error that are kept */
};

/* What became of a question. */
typedef enum netdp_i_reply {
    NETDP_I_REPLY_OPEN,   /* asked, and nothing yet */
    NETDP_I_REPLY_WHOLE,  /* every gradient is finite */
    NETDP_I_REPLY_PARTLY, /* some gradients are not finite, and count as 0 */
    NETDP_I_REPLY_FAULTY, /* it is no whole number of gradients */
    NETDP_I_REPLY_ENDED,  /* the program ended first, or could not be started */
    NETDP_I_REPLY_COUNT,
} netdp_i_reply;

/* "answered", "not finite", ...: of at most 10 letters. */
const char *netdp_i_reply_word(netdp_i_reply answer);

typedef struct netdp_i_program netdp_i_program;

typedef struct netdp_i_program_plan {
    uv_loop_t *loop;
    char *const *command; /* ends with NULL, borrowed */
    const char *folder;   /* where it is started */
    int said;             /* where its standard error goes, a file's descriptor; -1: nowhere */
    bool test;            /* its environment says NETDP_PEER=test, else NETDP_PEER=real */
    int32_t width;        /* numbers of the model */
    int64_t phases;       /* that it will be asked for at most, from 0 on */
    double clip;          /* L2 norm that each gradient is held to */
    void *context;
    void (*settled)(void *context); /* the question is no longer open; NULL: nobody asks when */
} netdp_i_program_plan;

/* It is started with the first question. */
netdp_status netdp_i_program_new(const netdp_i_program_plan *plan, netdp_i_program **program,
                                 netdp_error *error);

/* Asks for the phase, unless that is what was asked last. */
void netdp_i_program_ask(netdp_i_program *program, int64_t phase, const double *model);

/* What has become of the last question. */
netdp_i_reply netdp_i_program_answer(const netdp_i_program *program);

/*
 * The time of the phase's answer is over: the mean of its clipped gradients, [width] in locked memory until
 * the next question, or zeros. Nothing more is heard until then. A program that has said nothing in the time of two
 * questions is ended, and one that has not read the last when the next is put; they are started anew for the next.
 */
const double *netdp_i_program_take(netdp_i_program *program, netdp_i_reply *answer);

/* It is told to end; the loop must run until its handles are closed, and then it is freed. */
void netdp_i_program_close(netdp_i_program *program);
void netdp_i_program_free(netdp_i_program *program);

#endif
