/*
 * A json_object_set_new of a value that there was no memory for is ignored, so that a document
 * loses the entry and nobody hears of it. Watching the allocations is one place for all of them.
 */
#include "base/json.h"

#include <jansson.h>

static json_malloc_t before; /* the host program's own, or malloc */
static _Thread_local bool failed;

static void *allocate(size_t bytes)
{
    void *memory = before(bytes);
    if (memory == NULL && bytes > 0)
        failed = true;
    return memory;
}

__attribute__((constructor)) static void watch(void)
{
    json_free_t release;
    json_get_alloc_funcs(&before, &release);
    json_set_alloc_funcs(allocate, release);
}

bool netdp_i_json_failed(void)
{
    const bool told = failed;
    failed = false;
    return told;
}
