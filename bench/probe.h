/* What the memory gives: the better one of a sum over an array and of STREAM's triad, on all threads. */
#ifndef NETDP_BENCH_PROBE_H
#define NETDP_BENCH_PROBE_H

#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "measure.h"

enum { PROBE_NUMBERS = 1 << 25 };

typedef struct netdp_probe {
    double sum, triad; /* best seconds so far; 0: none */
    double seen;       /* keeps the sums from being left out */
} netdp_probe;

static inline double read_sum(const double *a, int64_t count)
{
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < count; i++)
        sum += a[i];
    return sum;
}

static inline void triad(double *restrict a, const double *b, const double *c, int64_t count)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < count; i++)
        a[i] = b[i] + 3 * c[i];
}

/* Between the runs of what is measured, so that both meet the same machine. */
static inline void probe_once(netdp_probe *p)
{
    double *x = NETDP_I_NEW(double, 3 * (int64_t)PROBE_NUMBERS);
    if (x == NULL)
        return;
    for (int64_t i = 0; i < 3 * (int64_t)PROBE_NUMBERS; i++)
        x[i] = 1;
    double start = now();
    p->seen += read_sum(x, 3 * (int64_t)PROBE_NUMBERS);
    const double sum = now() - start;
    start = now();
    triad(x, x + PROBE_NUMBERS, x + 2 * PROBE_NUMBERS, PROBE_NUMBERS);
    const double three = now() - start;
    p->seen += x[0];
    p->sum = p->sum > 0 ? fmin(p->sum, sum) : sum;
    p->triad = p->triad > 0 ? fmin(p->triad, three) : three;
    netdp_i_free(x);
}

/* Bytes a second. */
static inline double probe_rate(const netdp_probe *p)
{
    return 3.0 * PROBE_NUMBERS * 8 / fmin(p->sum, p->triad);
}

#endif
