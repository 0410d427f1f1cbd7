/*
 * A participant's own program, which computes what netdp cannot: the gradients of a model of its own.
 *
 * It is asked on its standard input, one line a phase: the phase's number and the model's numbers. It
 * answers on its standard output with one line: the phase's number again, and a gradient, or one for each
 * row, one after the other.
 * Nothing that it says is believed: what is not finite, of another length or not asked for ends the
 * peer. Its standard error is the peer's; its input ends when nothing more will be asked.
 */
#ifndef NETDP_I_PEER_PROGRAM_H
#define NETDP_I_PEER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>
#include <netdp/status.h>

enum { NETDP_I_MOST_ANSWER = 1 << 24 }; /* numbers of an answer */

typedef struct netdp_i_program netdp_i_program;

typedef struct netdp_i_program_plan {
    uv_loop_t *loop;
    char *const *command; /* ends with NULL, borrowed */
    const char *folder;   /* where it is started */
    bool test;            /* its environment says NETDP_PEER=test, else NETDP_PEER=real */
    int32_t width;        /* numbers of the model */
    int64_t phases;       /* that it will be asked for at most, from 0 on */
    void *context;
    /* The answer, [rows][width], in locked memory until the next question. */
    void (*answered)(void *context, double *gradients, int64_t rows);
    void (*failed)(void *context, netdp_status status);
    netdp_error *error; /* of `failed`; no number is quoted in it */
} netdp_i_program_plan;

/* NETDP_ENVIRONMENT where it cannot be started; *program is made all the same, and must be closed. */
netdp_status netdp_i_program_start(const netdp_i_program_plan *plan, netdp_i_program **program);

/* Has it answered this phase? If it was not asked yet, it is now. */
bool netdp_i_program_has(netdp_i_program *program, int64_t phase, const double *model);

/* The phase that it was asked for and has not answered; -1: none. */
int64_t netdp_i_program_owes(const netdp_i_program *program);

/* It is told to end; the loop must run until its handles are closed, and then it is freed. */
void netdp_i_program_close(netdp_i_program *program);
void netdp_i_program_free(netdp_i_program *program);

#endif
