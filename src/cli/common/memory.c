#include "cli/common/memory.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <flint/flint.h>
#include <gmp.h>
#include <netdp/status.h>

/* Without stdio, whose buffers then go nowhere: half a result is none. The attribute is part of its
 * type, as FLINT wants it and _Noreturn would not be. */
__attribute__((noreturn)) static void end(void)
{
    static const char line[] =
        "netdp: out of memory; use a smaller graph, fewer pairs or a larger machine\n";
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        _exit(NETDP_ENVIRONMENT);
    _exit(netdp_status_exit_code(NETDP_NO_MEMORY));
}

static void *allocate(size_t bytes)
{
    void *made = malloc(bytes);
    if (made == NULL)
        end();
    return made;
}

static void *grow(void *memory, size_t before, size_t bytes)
{
    (void)before;
    void *made = realloc(memory, bytes);
    if (made == NULL)
        end();
    return made;
}

static void release(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

/* What the C library comes to by itself, once it has freed as large an array. */
#define KEPT_ARRAY (32 << 20)
#define KEPT_MEMORY (2 * KEPT_ARRAY)

static volatile sig_atomic_t done;

/* What libgomp had to say is said. */
static void on_exit_of_others(void)
{
    if (!done)
        _exit(netdp_status_exit_code(NETDP_ENVIRONMENT));
}

static void on_abort(int number)
{
    static const char line[] = "netdp: a library could not go on: no memory, or a system error; "
                               "start it again, or ask for less\n";
    (void)number;
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        _exit(NETDP_ENVIRONMENT);
    _exit(netdp_status_exit_code(NETDP_ENVIRONMENT));
}

void netdp_i_memory_done(void)
{
    done = 1;
}

void netdp_i_memory_settle(void)
{
    (void)atexit(on_exit_of_others);
    /* Each observer's account takes and frees the same arrays. The system would clear every page
     * of them anew. */
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_ARRAY);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
    (void)signal(SIGABRT, on_abort);
    flint_set_abort(end);
    mp_set_memory_functions(allocate, grow, release);
}
