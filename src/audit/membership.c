/*
 * Whether each node's record was in, from what an observer of averaging sees: by the likelihood
 * ratio of its whole view given all others' records (what privacy is defined by), and by the best
 * linear estimate of the record, nobody's known. Everybody's record is in or out at random, at
 * distance Delta, so one run attacks all nodes.
 *
 * How well: the area under the curve of true against false positives with DeLong's error (DeLong,
 * DeLong and Clarke-Pearson 1988), and points of the curve with the error of a Gaussian attack,
 * p(1-p)/in + slope^2 f(1-f)/out, as the threshold is a quantile of the runs that were out.
 */
#include <netdp/audit.h>

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/siege.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* Phi^-1(1 - f) of the false-positive rates. */
static const double rate[NETDP_MEMBERSHIP_POINTS] = {0.1, 0.01};
static const double quantile[NETDP_MEMBERSHIP_POINTS] = {1.2815515655446004, 2.3263478740408408};

/* ---- How well scores tell two worlds apart ---- */

typedef struct scored {
    double score;
    bool in;
} scored;

static int compare(const void *one, const void *other)
{
    const double a = ((const scored *)one)->score, b = ((const scored *)other)->score;
    return (a < b) - (a > b);
}

static double normal(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

/* The error of a point p of the curve above the false-positive rate f of quantile t. */
static double error_of(double p, double slope, double f, int64_t in, int64_t out)
{
    return sqrt(p * (1 - p) / (double)in + slope * slope * f * (1 - f) / (double)out);
}

/* The slope of mu's curve at quantile t. */
static double slope_of(double mu, double t)
{
    return isinf(mu) ? 0 : exp(mu * t - mu * mu / 2);
}

/* The mu whose curve goes through a point above quantile t. */
static double mu_through(double p, double t)
{
    double low = -40, high = 40;
    if (p >= 1)
        return INFINITY;
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        *(normal(middle - t) < p ? &low : &high) = middle;
    }
    return fmax(0, low);
}

/* One step of the curve, of ties drawn straight: `ins` and `outs` have scores that are equal. */
static void step(netdp_membership *made, double sums[4], int64_t before[2], int64_t ins,
                 int64_t outs)
{
    const double in = (double)made->in, out = (double)made->out;
    const double above_in = ((double)before[0] + (double)ins / 2) / in; /* of those out */
    const double below = (out - (double)before[1] - (double)outs / 2) / out;
    sums[0] += (double)ins * below;
    sums[1] += (double)ins * below * below;
    sums[2] += (double)outs * above_in;
    sums[3] += (double)outs * above_in * above_in;
    for (int k = 0; k < NETDP_MEMBERSHIP_POINTS; k++) {
        const double wanted = rate[k] * out - (double)before[1];
        if (wanted < 0)
            continue;
        const double part = outs > 0 ? fmin(1, wanted / (double)outs) : 1;
        made->found[k] = ((double)before[0] + part * (double)ins) / in;
    }
    before[0] += ins;
    before[1] += outs;
}

static void judge_scores(scored *scores, int64_t runs, netdp_membership *made)
{
    double sums[4] = {0};
    int64_t before[2] = {0};
    *made = (netdp_membership){0};
    for (int64_t i = 0; i < runs; i++)
        *(scores[i].in ? &made->in : &made->out) += 1;
    qsort(scores, (size_t)runs, sizeof *scores, compare);
    for (int64_t i = 0; i < runs;) {
        int64_t ins = 0, end = i;
        while (end < runs && !(scores[end].score < scores[i].score))
            ins += scores[end++].in;
        step(made, sums, before, ins, end - i - ins);
        i = end;
    }
    const double in = (double)made->in, out = (double)made->out;
    made->area = sums[0] / in;
    made->area_error = sqrt(fmax(0, sums[1] / in - made->area * made->area) / (in - 1) +
                            fmax(0, sums[3] / out - made->area * made->area) / (out - 1));
    for (int k = 0; k < NETDP_MEMBERSHIP_POINTS; k++) {
        const double mu = mu_through(made->found[k], quantile[k]);
        made->found_error[k] =
            error_of(made->found[k], slope_of(mu, quantile[k]), rate[k], made->in, made->out);
    }
}

/* ---- The attack ---- */

typedef struct membership {
    const netdp_i_siege *siege;
    int64_t runs;
    double *others; /* [nodes][nodes]: what another's value adds to the first half's statistics */
    double *score;  /* [2 nodes][runs] */
    bool *in;       /* [nodes][runs] */
} membership;

static void keep(void *context, int64_t first, int32_t width, const double *value,
                 const double *statistic)
{
    const membership *m = context;
    const int32_t n = m->siege->nodes;
    for (int32_t u = 0; u < 2 * n; u++)
        memcpy(m->score + u * m->runs + first, statistic + (int64_t)u * width,
               (size_t)width * sizeof *statistic);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, width, n, -1, m->others, n, value,
                width, 1, m->score + first, (blasint)m->runs);
    for (int64_t i = 0; i < (int64_t)n * width; i++)
        m->in[i / width * m->runs + first + i % width] = value[i] > 0;
}

/* The second half of the weights from the estimate, the first from each victim's own response. */
static netdp_status choose_weights(netdp_i_siege *s, double *others, netdp_error *error)
{
    const int32_t n = s->nodes;
    const int64_t count = s->map.count;
    OWNED netdp_i_gossip_view *view = NETDP_I_NEW(netdp_i_gossip_view, n);
    OWNED double *room = NETDP_I_NEW(double, count *n);
    OWNED double *expected = NETDP_I_NEW(double, n);
    if (view == NULL || room == NULL || expected == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_siege_estimate(s, 0.5, expected, error));
    for (int32_t u = 0; u < n; u++)
        view[u].weight = room + u * count;
    TRY(netdp_i_gossip_weigh(&s->map, n, s->map.values, view, error));
    for (int64_t i = 0; i < count; i++)
        for (int32_t u = 0; u < n; u++) {
            double *mine = s->weight + i * s->columns;
            mine[n + u] = mine[u];
            mine[u] = room[u * count + i];
        }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, (blasint)count, 1, s->weight,
                s->columns, s->map.values, n, 0, others, n);
    for (int32_t u = 0; u < n; u++)
        others[u * (int64_t)n + u] = 0;
    return NETDP_OK;
}

static netdp_status judge(const membership *m, netdp_membership *known, netdp_membership *unknown,
                          netdp_error *error)
{
    const int32_t n = m->siege->nodes;
    scored *scores = NETDP_I_NEW(scored, m->runs);
    if (scores == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < 2 * n; u++) {
        netdp_membership *made = u < n ? &known[u] : &unknown[u - n];
        for (int64_t i = 0; i < m->runs; i++)
            scores[i] = (scored){m->score[u * m->runs + i], m->in[u % n * m->runs + i]};
        *made = (netdp_membership){0};
        if (!netdp_i_siege_observes(m->siege, u % n))
            judge_scores(scores, m->runs, made);
    }
    netdp_i_free(scores);
    return NETDP_OK;
}

static void membership_clear(membership *m)
{
    netdp_i_free(m->others);
    netdp_i_free(m->score);
    netdp_i_free(m->in);
}

netdp_status netdp_membership_everybody(const netdp_gossip_attack *attack,
                                        const netdp_progress *progress, netdp_membership *known,
                                        netdp_membership *unknown, netdp_error *error)
{
    NETDP_I_GIVEN(error,
                  attack && attack->protocol && attack->protocol->mixing && known && unknown);
    if (attack->runs < 100 || attack->runs > 1000000)
        return netdp_i_fail(error, NETDP_INVALID, "membership: runs: give 100 to 1e6");
    CLEARED(netdp_i_siege_clear) netdp_i_siege s = {.ends = true, .take = keep};
    CLEARED(membership_clear) membership m = {.siege = &s, .runs = 2 * attack->runs};
    TRY(netdp_i_siege_new(&s, attack, 2, error));
    m.others = NETDP_I_NEW(double, (int64_t)s.nodes *s.nodes);
    m.score = NETDP_I_NEW(double, 2 * m.runs * s.nodes);
    m.in = NETDP_I_NEW(bool, m.runs *s.nodes);
    s.context = &m;
    if (m.others == NULL || m.score == NULL || m.in == NULL)
        return netdp_i_no_memory(error);
    TRY(choose_weights(&s, m.others, error));
    TRY(netdp_i_siege_run(&s, m.runs, "membership", progress, error));
    return judge(&m, known, unknown, error);
}

/* ---- What a claim allows ---- */

netdp_status netdp_membership_limit(double mu, int64_t in, int64_t out, netdp_membership *most,
                                    netdp_error *error)
{
    NETDP_I_GIVEN(error, most);
    if (!(mu >= 0) || in < 2 || out < 2)
        return netdp_i_fail(error, NETDP_INVALID,
                            "membership: mu %g, %lld runs in and %lld out; give mu of 0 or above, "
                            "and 2 runs of each",
                            mu, (long long)in, (long long)out);
    const double area = normal(mu * M_SQRT1_2);
    const double ones = area / (2 - area), zeros = 2 * area * area / (1 + area);
    /* Hanley and McNeil 1982. */
    const double variance = area * (1 - area) + (double)(in - 1) * (ones - area * area) +
                            (double)(out - 1) * (zeros - area * area);
    *most = (netdp_membership){.in = in, .out = out, .area = area};
    most->area_error = sqrt(fmax(0, variance) / ((double)in * (double)out));
    for (int k = 0; k < NETDP_MEMBERSHIP_POINTS; k++) {
        most->found[k] = normal(mu - quantile[k]);
        most->found_error[k] =
            error_of(most->found[k], slope_of(mu, quantile[k]), rate[k], in, out);
    }
    return NETDP_OK;
}

bool netdp_membership_refutes(const netdp_membership *found, const netdp_membership *most)
{
    bool refuted = found->area > most->area + 4 * fmax(found->area_error, most->area_error);
    for (int k = 0; k < NETDP_MEMBERSHIP_POINTS; k++)
        refuted = refuted || found->found[k] > most->found[k] + 4 * fmax(found->found_error[k],
                                                                         most->found_error[k]);
    return refuted;
}
