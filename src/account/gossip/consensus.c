#include "account/gossip/consensus.h"

#include <math.h>
#include <string.h>
#include <netdp/account.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/dense.h"

#define MOST_WORK 4e9 /* multiplications: seconds */

static netdp_status check_size(const netdp_mixing *mixing, double work, netdp_error *error)
{
    if (netdp_mixing_rows(mixing).nodes > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "exact errors: at most %d nodes",
                            NETDP_DENSE_NODES);
    if (work > MOST_WORK)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "exact errors: too many rounds");
    return NETDP_OK;
}

/* ---- Accelerated gossip ---- */

/* All modes of accelerated gossip, one round after another: p_t(lambda_i). */
typedef struct modes {
    int32_t count; /* but for the mean's */
    double weight;
    double *value, *before, *now;
} modes;

static void modes_free(modes *m)
{
    netdp_i_free(m->value);
    netdp_i_free(m->before);
    netdp_i_free(m->now);
}

static netdp_status modes_new(const netdp_mixing *mixing, modes *m, netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(mixing).nodes;
    double gap = 1;
    *m = (modes){.count = n - 1,
                 .value = NETDP_I_NEW(double, n),
                 .before = NETDP_I_NEW(double, n),
                 .now = NETDP_I_NEW(double, n)};
    if (m->value == NULL || m->before == NULL || m->now == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_mixing_eigenvalues(mixing, m->value, error));
    for (int32_t i = 0; i < m->count; i++) {
        gap = fmin(gap, 1 - fabs(m->value[i]));
        m->before[i] = 1;
        m->now[i] = m->value[i];
    }
    m->weight = netdp_linear_chebyshev(gap);
    return NETDP_OK;
}

static void modes_step(modes *m)
{
    for (int32_t i = 0; i < m->count; i++) {
        const double next = m->weight * m->value[i] * m->now[i] + (1 - m->weight) * m->before[i];
        m->before[i] = m->now[i];
        m->now[i] = next;
    }
}

static double worst_mode(const modes *m)
{
    double worst = 0;
    for (int32_t i = 0; i < m->count; i++)
        worst = fmax(worst, m->now[i] * m->now[i]);
    return worst;
}

netdp_status netdp_i_accelerated_error(const netdp_mixing *mixing, double rounds, double noise,
                                       double dither, double variance, double *value,
                                       netdp_error *error)
{
    CLEARED(modes_free) modes m = {0};
    double unit = 0;
    TRY(check_size(mixing, rounds * rounds * netdp_mixing_rows(mixing).nodes / 2, error));
    const netdp_linear protocol = {
        .mixing = mixing, .rounds = (int64_t)rounds, .noise.dither = dither, .accelerate = true};
    TRY(netdp_noise_error(&protocol, &unit, error));
    TRY(modes_new(mixing, &m, error));
    for (int64_t t = 1; t < protocol.rounds; t++)
        modes_step(&m);
    *value = variance / 2 * worst_mode(&m) + noise * noise * unit;
    return NETDP_OK;
}

netdp_status netdp_i_accelerated_rounds(const netdp_mixing *mixing, double target, double noise,
                                        double variance, double *rounds, netdp_error *error)
{
    CLEARED(modes_free) modes m = {0};
    TRY(check_size(mixing, 0, error));
    TRY(modes_new(mixing, &m, error));
    for (double t = 1;; t++) {
        double energy = 1;
        for (int32_t i = 0; i < m.count; i++)
            energy += m.now[i] * m.now[i];
        *rounds = t;
        if (variance / 2 * worst_mode(&m) + noise * noise * energy / (2.0 * (m.count + 1)) <=
            target)
            return NETDP_OK;
        TRY(check_size(mixing, t * m.count, error));
        modes_step(&m);
    }
}

/* ---- Random edges ---- */

/*
 * A = E[(W_0 ... W_{t-1})(W_{t-1} ... W_0)] off the mean, for one random edge a step, drawn in
 * proportion to W: A <- A - (L A + A L)/2 + (1/4) sum_e p_e (d_e' A d_e) d_e d_e'.
 */
typedef struct moment {
    netdp_rows rows;
    double edges; /* sum of W over them */
    double *a, *change;
} moment;

static netdp_status moment_new(const netdp_mixing *mixing, moment *m, netdp_error *error)
{
    const int64_t n = netdp_mixing_rows(mixing).nodes;
    *m = (moment){.rows = netdp_mixing_rows(mixing)};
    m->a = NETDP_I_NEW(double, n *n);
    m->change = NETDP_I_NEW(double, n *n);
    if (m->a == NULL || m->change == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < n; u++) {
        for (int32_t v = 0; v < n; v++)
            m->a[u * n + v] = (u == v) - 1.0 / (double)n;
        for (int64_t i = m->rows.start[u]; i < m->rows.start[u + 1]; i++)
            m->edges += m->rows.column[i] > u ? m->rows.weight[i] : 0;
    }
    return NETDP_OK;
}

static void moment_free(moment *m)
{
    netdp_i_free(m->a);
    netdp_i_free(m->change);
}

static void moment_step(moment *m)
{
    const int64_t n = m->rows.nodes;
    memset(m->change, 0, (size_t)(n * n) * sizeof *m->change);
    for (int64_t v = 0; v < n; v++) {
        for (int64_t i = m->rows.start[v]; i < m->rows.start[v + 1]; i++) {
            const int64_t w = m->rows.column[i];
            if (w <= v)
                continue;
            const double p = m->rows.weight[i] / m->edges;
            const double *of_v = m->a + v * n, *of_w = m->a + w * n;
            for (int64_t x = 0; x < n; x++) {
                const double half = p * (of_v[x] - of_w[x]) / 2;
                m->change[v * n + x] -= half;
                m->change[w * n + x] += half;
            }
        }
    }
    for (int64_t v = 0; v < n; v++)
        for (int64_t x = 0; x <= v; x++)
            m->change[v * n + x] = m->change[x * n + v] =
                m->change[v * n + x] + m->change[x * n + v];
    for (int64_t v = 0; v < n; v++) {
        for (int64_t i = m->rows.start[v]; i < m->rows.start[v + 1]; i++) {
            const int64_t w = m->rows.column[i];
            if (w <= v)
                continue;
            const double quarter = m->rows.weight[i] / m->edges / 4 *
                                   (m->a[v * n + v] + m->a[w * n + w] - 2 * m->a[v * n + w]);
            m->change[v * n + v] += quarter;
            m->change[w * n + w] += quarter;
            m->change[v * n + w] -= quarter;
            m->change[w * n + v] -= quarter;
        }
    }
    for (int64_t i = 0; i < n * n; i++)
        m->a[i] += m->change[i];
}

static netdp_status moment_error(moment *m, double noise, double variance, double *value,
                                 netdp_error *error)
{
    const int64_t n = m->rows.nodes;
    double energy = 1;
    OWNED double *values = NETDP_I_NEW(double, n);
    if (values == NULL)
        return netdp_i_no_memory(error);
    for (int64_t v = 0; v < n; v++)
        energy += m->a[v * n + v];
    memcpy(m->change, m->a, (size_t)(n * n) * sizeof *m->a);
    TRY(netdp_i_symmetric_eigen((int32_t)n, m->change, values, error));
    *value = variance / 2 * values[n - 1] + noise * noise * energy / (2 * (double)n);
    return NETDP_OK;
}

netdp_status netdp_i_random_edge_error(const netdp_mixing *mixing, double steps, double noise,
                                       double variance, double *value, netdp_error *error)
{
    CLEARED(moment_free) moment m = {0};
    const netdp_rows rows = netdp_mixing_rows(mixing);
    const double each = rows.nodes * ((double)rows.start[rows.nodes] + 2.0 * rows.nodes);
    TRY(check_size(mixing, steps * each, error));
    TRY(moment_new(mixing, &m, error));
    for (int64_t t = 0; t < (int64_t)steps; t++)
        moment_step(&m);
    return moment_error(&m, noise, variance, value, error);
}

/* It falls with every step: doubling, then bisection. */
netdp_status netdp_i_random_edge_rounds(const netdp_mixing *mixing, double target, double noise,
                                        double variance, double *steps, netdp_error *error)
{
    double low = 0, high = 1, found = INFINITY;
    for (bool doubling = true; doubling || high - low > 1;) {
        const double middle = doubling ? high : floor((low + high) / 2);
        TRY(netdp_i_random_edge_error(mixing, middle, noise, variance, &found, error));
        if (found <= target) {
            high = middle;
            doubling = false;
        } else {
            low = middle;
            high = doubling ? 2 * high : high;
        }
    }
    *steps = high;
    return NETDP_OK;
}
