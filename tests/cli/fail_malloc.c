/* LD_PRELOAD: the allocation that FAIL_MALLOC_AT counts to fails, once; -1 tells how many there
 * are. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_long count;
static long at = -2;

static int fails(void)
{
    return atomic_fetch_add(&count, 1) == at;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAIL_MALLOC_AT");
    atomic_store(&count, 0);
    at = text != NULL ? atol(text) : -2;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    const long made = atomic_load(&count);
    if (at == -1 && write(2, text, (size_t)snprintf(text, sizeof text, "%ld\n", made)) < 0)
        _exit(1);
}
