#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int_fast64_t live;
static atomic_int_fast64_t until_failure = -1;

static bool refused(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX)
        return true;
    if (atomic_load_explicit(&until_failure, memory_order_relaxed) < 0)
        return false;
    return atomic_fetch_sub(&until_failure, 1) == 0;
}

void *netdp_i_new(int64_t count, size_t size)
{
    if (refused(count, size))
        return NULL;
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);
    if (memory != NULL)
        atomic_fetch_add(&live, 1);
    return memory;
}

void *netdp_i_grow(void *memory, int64_t count, size_t size)
{
    if (refused(count, size))
        return NULL;
    void *grown = realloc(memory, count > 0 ? (size_t)count * size : size);
    if (grown != NULL && memory == NULL)
        atomic_fetch_add(&live, 1);
    return grown;
}

void netdp_i_free(void *memory)
{
    if (memory == NULL)
        return;
    atomic_fetch_sub(&live, 1);
    free(memory);
}

char *netdp_i_copy_text(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = netdp_i_new((int64_t)length, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void netdp_i_memory_fail_at(int64_t k)
{
    atomic_store(&until_failure, k);
}

int64_t netdp_i_memory_live(void)
{
    return atomic_load(&live);
}
