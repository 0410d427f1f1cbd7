#define _GNU_SOURCE
#include "peer/link/lookup.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "peer/link/address.h"

typedef struct lookup {
    uv_poll_t poll;
    pthread_t thread;
    int here, there; /* ends of the pipe: the thread closes the second */
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    struct addrinfo *answer; /* the thread's until it has ended */
    netdp_i_found found;
    void *context;
} lookup;

static void *ask(void *argument)
{
    lookup *l = argument;
    const struct addrinfo hints = {.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    if (getaddrinfo(l->host, l->port, &hints, &l->answer) != 0)
        l->answer = NULL;
    close(l->there);
    return NULL;
}

static void on_closed(uv_handle_t *handle)
{
    lookup *l = handle->data;
    close(l->here);
    netdp_i_free(l);
}

static void on_end(uv_poll_t *poll, int status, int events)
{
    lookup *l = poll->data;
    (void)status, (void)events;
    uv_poll_stop(poll);
    pthread_join(l->thread, NULL);
    l->found(l->context, l->answer);
    uv_close((uv_handle_t *)poll, on_closed);
}

/* Signals are the loop's. */
static bool begin(lookup *l)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool begun = pthread_create(&l->thread, NULL, ask, l) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

bool netdp_i_lookup(uv_loop_t *loop, const char *host, const char *port, netdp_i_found found,
                    void *context)
{
    int ends[2];
    lookup *l = NETDP_I_NEW(lookup, 1);
    if (l == NULL || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        netdp_i_free(l);
        return false;
    }
    *l = (lookup){.here = ends[0], .there = ends[1], .found = found, .context = context};
    snprintf(l->host, sizeof l->host, "%s", host);
    snprintf(l->port, sizeof l->port, "%s", port);
    if (uv_poll_init(loop, &l->poll, l->here) != 0) {
        close(l->here);
        close(l->there);
        netdp_i_free(l);
        return false;
    }
    l->poll.data = l;
    if (uv_poll_start(&l->poll, UV_READABLE, on_end) == 0 && begin(l))
        return true;
    close(l->there);
    uv_close((uv_handle_t *)&l->poll, on_closed);
    return false;
}
