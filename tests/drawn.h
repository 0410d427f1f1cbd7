/* Questions that are drawn: the same ones on every machine, from `seed` on. */
#ifndef TEST_DRAWN_H
#define TEST_DRAWN_H

#include <stdint.h>

static uint64_t seed = 1;

/* In [0, 1). */
static inline double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static inline int pick(int count)
{
    return (int)(uniform() * count);
}

#endif
