#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* Arrays that begin with a page of their own, from this many bytes on. */
#define LARGE ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
#define PAGE ((size_t)64 << 10) /* whole pages on every machine */

/*
 * Asks for huge pages where they fit: random access to a large array is then not slowed down by
 * the search for its pages. Only advice, which may well be refused.
 */
static void prefer_huge_pages(void *memory, size_t bytes)
{
    const uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    const uintptr_t end = ((uintptr_t)memory + bytes) & ~(HUGE_PAGE - 1);
    const int before = errno;
    if (memory == NULL || bytes < LARGE || end <= first)
        return;
    (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
    errno = before;
}

/* On whole lines of the cache; all but its end is zeroed as it is first used. */
static void *new_large(size_t bytes)
{
    const size_t whole = bytes & ~(PAGE - 1);
    const int before = errno;
    void *memory = NULL;
    if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0)
        return NULL;
    prefer_huge_pages(memory, bytes);
    if (madvise(memory, whole, MADV_DONTNEED) != 0)
        memset(memory, 0, whole);
    memset((char *)memory + whole, 0, bytes - whole);
    errno = before;
    return memory;
}

void *netdp_i_new(int64_t count, size_t size)
{
    if (refused(count, size))
        return NULL;
    const size_t bytes = (size_t)count * size;
    void *memory = bytes >= LARGE ? new_large(bytes) : calloc(count > 0 ? (size_t)count : 1, size);
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
    prefer_huge_pages(grown, (size_t)count * size);
    return grown;
}

void netdp_i_free(void *memory)
{
    if (memory == NULL)
        return;
    atomic_fetch_sub(&live, 1);
    free(memory);
}

void netdp_i_free_at(void *at)
{
    void *memory;
    memcpy(&memory, at, sizeof memory); /* of whatever type: no void ** */
    netdp_i_free(memory);
}

char *netdp_i_copy_text(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = netdp_i_new((int64_t)length, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

/* Part of the machine's memory that work may take. */
#define PART 0.9

/* "max", or no such file: no limit. */
static double group_limit(const char *path)
{
    double limit = INFINITY;
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%lf", &limit) != 1)
        limit = INFINITY;
    if (file != NULL)
        fclose(file);
    return limit;
}

double netdp_i_memory_limit(void)
{
    double limit = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    limit = fmin(limit, group_limit("/sys/fs/cgroup/memory.max"));
    limit = fmin(limit, group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    struct rlimit most;
    if (getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
        limit = fmin(limit, (double)most.rlim_cur);
    return PART * limit;
}

void netdp_i_memory_fail_at(int64_t k)
{
    atomic_store(&until_failure, k);
}

int64_t netdp_i_memory_live(void)
{
    return atomic_load(&live);
}
