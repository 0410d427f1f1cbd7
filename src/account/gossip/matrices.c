/*
 * Contributions before the gain is steady, the `early` ones, are followed apart, up to that round.
 * A later one responds like any other, later: with h its response by age,
 *
 *     M_kl = M_{k+1,l+1} + sum over the last `every` rounds t of h(t - k) h(t - l)
 */
#include "account/gossip/matrices.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/pool.h"
#include "base/parallel.h"
#include "base/try.h"

/* Late contributions whose products with early ones are formed together: they start together. */
enum { TOGETHER = 32 };

struct netdp_i_matrices {
    int64_t rounds, every;
    int64_t first, ages; /* rounds before the gain is steady; and rounds of a response after them */
    int32_t nodes, seen, slots, early;
    bool last_sum;
    netdp_i_response response; /* columns [early + 1][nodes] */
    int64_t lines;             /* of a response: (first + ages + last_sum) * seen */
    double *w;                 /* [early][nodes][lines] */
    double *columns; /* [nodes][early][early + met]: instead of w, M of the early ones itself */
    double *heard;   /* [nodes][early][seen]: ... and what the last sum shows of them */
    double *energy;  /* [early][nodes]: sum of |E|^2 over the rounds before `first` */
    int32_t fresh;   /* late contributions that are felt to the end */
    int64_t reach;   /* of a response by age, with its `every` ages below 0 */
    double *h;       /* [nodes][reach][seen]: 0 at ages below 0 */
    double *last;    /* [nodes][ages][seen]: what the last sum shows of a contribution */
    int32_t met;     /* late contributions made while early ones are felt */
    int threads;     /* that fill at the same time */
    /* of one node, of each of these threads: */
    double *shifted; /* [met][ages][seen]: their responses in the rounds from `first` */
    double *sums;    /* [slots][seen]: what the last sum shows of each */
    double *step;    /* [late][late]: M_kl - M_{k+1,l+1}, backwards */
    netdp_i_pool pool;
};

/* Rounds from one contribution to the next, no more than there are: beyond, all is the same. */
static int64_t spacing(const netdp_linear *protocol)
{
    return protocol->every < protocol->rounds ? protocol->every : protocol->rounds;
}

/* Contributions before the round `first`. */
static int64_t early_slots(const netdp_linear *protocol, const netdp_i_ages *shown)
{
    return (shown->first - 1) / spacing(protocol) + 1;
}

/* Room for a response of `ages` by age, at ages that are multiples of `every` from the last one. */
static int64_t reach_of(const netdp_linear *protocol, const netdp_i_ages *shown)
{
    return spacing(protocol) * (shown->ages / spacing(protocol) + 3);
}

double netdp_i_matrices_bytes(const netdp_linear *protocol, const netdp_i_ages *shown, int32_t seen)
{
    const double early = (double)early_slots(protocol, shown);
    const double lines = (double)(shown->first + shown->ages + 1) * seen;
    return 8 * (early * lines + (double)reach_of(protocol, shown) * seen + lines);
}

void netdp_i_matrices_free(netdp_i_matrices *x)
{
    if (x == NULL)
        return;
    netdp_i_response_clear(&x->response);
    netdp_i_pool_clear(&x->pool);
    netdp_i_free(x);
}

/* Columns of E for one more contribution of every node. */
static void contribute(netdp_i_matrices *x, const netdp_i_basis *basis, const int32_t *from)
{
    netdp_i_response *response = &x->response, added = *response;
    added.e += (int64_t)response->count * response->modes;
    added.count = x->nodes;
    netdp_i_response_contribute(&added, basis, from, 1);
    response->count += x->nodes;
}

/* w of this round into the responses' lines of a round. */
static void keep(netdp_i_matrices *x, int64_t round, int rank)
{
    const netdp_i_response *response = &x->response;
    for (int64_t i = 0; i < response->count; i++)
        memcpy(x->w + i * x->lines + round * x->seen, response->w + i * x->seen,
               (size_t)rank * sizeof(double));
}

static void add_energy(netdp_i_matrices *x)
{
    const int64_t r = x->response.modes;
    for (int64_t i = 0; i < x->response.count; i++)
        x->energy[i] += cblas_ddot((int)r, x->response.e + i * r, 1, x->response.e + i * r, 1);
}

/* All early contributions at once, up to the round in which the gain is steady. */
static netdp_status follow_early(netdp_i_matrices *x, const netdp_linear *protocol,
                                 const netdp_i_basis *basis, const netdp_i_gains *gains,
                                 const int32_t *from, const netdp_progress *progress,
                                 netdp_error *error)
{
    x->response.count = 0;
    for (int64_t t = 0; t < x->first; t++) {
        const netdp_i_gain *gain = netdp_i_gains_at(gains, t);
        if (netdp_linear_contributes(protocol, t))
            contribute(x, basis, from);
        add_energy(x);
        netdp_i_response_learn(&x->response, gain);
        keep(x, t, gain->rank);
        netdp_i_response_predict(&x->response);
        TRY(netdp_i_poll(progress, error));
    }
    if (x->last_sum && !gains->steady) {
        netdp_i_response_learn(&x->response, &gains->last);
        keep(x, x->rounds, gains->last.rank);
    }
    return NETDP_OK;
}

/* lines of all columns of E = rows E, for `count` ages of rows */
static void show(const netdp_i_matrices *x, const double *rows, int64_t count, const double *e,
                 int32_t columns, double *lines, int64_t stride)
{
    const int r = x->response.modes;
    if (count == 0)
        return;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(count * x->seen), columns, r, 1,
                rows, r, e, r, 0, lines, (int)stride);
}

/* The steady rounds: of the early contributions, of one that is made now, and the last sum. */
static void show_steady(netdp_i_matrices *x, const netdp_i_basis *basis, const int32_t *from,
                        const netdp_i_ages *shown)
{
    const int64_t s = x->seen, r = x->response.modes, age = x->rounds - 1 - x->first;
    const double *unit = x->response.e + (int64_t)x->early * x->nodes * r;
    const int32_t columns = x->early * x->nodes;
    contribute(x, basis, from);
    show(x, shown->rows, x->ages, x->response.e, columns, x->w + x->first * s, x->lines);
    show(x, shown->rows, x->ages, unit, x->nodes, x->h + x->every * s, x->reach * s);
    if (!x->last_sum)
        return;
    show(x, shown->last, x->ages, unit, x->nodes, x->last, x->ages * s);
    if (age < x->ages)
        show(x, shown->last + age * s * r, 1, x->response.e, columns, x->w + x->lines - s,
             x->lines);
}

/* The contributions that the last `every` rounds still feel: counted from the last one. */
static int32_t felt_last(const netdp_i_matrices *x)
{
    const int64_t late = x->slots - x->early;
    const int64_t youngest = x->rounds - x->slots * x->every; /* in those rounds; 0 or below */
    const int64_t felt = (x->ages - youngest + x->every - 1) / x->every;
    return (int32_t)(felt < late ? felt : late);
}

/* What both ways need: of late contributions. */
static netdp_status allocate(netdp_i_matrices *x, netdp_error *error)
{
    const int64_t s = x->seen, late = x->slots - x->early;
    const int64_t felt = (x->first + x->ages - 1) / x->every + 1;
    x->met = (int32_t)((felt < x->slots ? felt : x->slots) - x->early);
    x->fresh = felt_last(x);
    x->h = NETDP_I_TAKE(&x->pool, double, x->nodes * x->reach * s);
    x->last = NETDP_I_TAKE(&x->pool, double, x->nodes * x->ages * s);
    x->sums = NETDP_I_TAKE(&x->pool, double, x->threads * x->slots * s);
    x->step = NETDP_I_TAKE(&x->pool, double, x->threads *late *late);
    return netdp_i_pool_made(&x->pool, error);
}

static netdp_status allocate_responses(netdp_i_matrices *x, const netdp_i_gains *gains,
                                       netdp_error *error)
{
    TRY(netdp_i_response_new(gains->filter, (x->early + 1) * x->nodes, &x->response, error));
    x->seen = x->response.seen;
    x->lines = (x->first + x->ages + (x->last_sum ? 1 : 0)) * x->seen;
    TRY(allocate(x, error));
    x->w = NETDP_I_TAKE(&x->pool, double, x->early * x->nodes * x->lines);
    x->energy = NETDP_I_TAKE(&x->pool, double, (int64_t)x->early * x->nodes);
    x->shifted = NETDP_I_TAKE(&x->pool, double, x->met * x->ages * x->seen);
    return netdp_i_pool_made(&x->pool, error);
}

static netdp_i_matrices *matrices_begin(const netdp_linear *protocol, const netdp_i_gains *gains,
                                        const netdp_i_ages *shown, int32_t nodes)
{
    netdp_i_matrices *x = NETDP_I_NEW(netdp_i_matrices, 1);
    if (x == NULL)
        return NULL;
    x->rounds = protocol->rounds;
    x->every = spacing(protocol);
    x->first = shown->first;
    x->ages = shown->ages;
    x->nodes = nodes;
    x->reach = reach_of(protocol, shown);
    x->slots = (int32_t)((protocol->rounds - 1) / x->every + 1);
    x->early = (int32_t)early_slots(protocol, shown);
    x->last_sum = gains->last.lower != NULL;
    x->threads = 1;
    return x;
}

netdp_status netdp_i_matrices_new(const netdp_linear *protocol, const netdp_i_gains *gains,
                                  const netdp_i_ages *shown, const int32_t *from, int32_t nodes,
                                  netdp_i_matrices **matrices, const netdp_progress *progress,
                                  netdp_error *error)
{
    OWNED_BY(netdp_i_matrices_free)
    netdp_i_matrices *x = matrices_begin(protocol, gains, shown, nodes);
    if (x == NULL)
        return netdp_i_no_memory(error);
    TRY(allocate_responses(x, gains, error));
    TRY(follow_early(x, protocol, gains->basis, gains, from, progress, error));
    if (gains->steady)
        show_steady(x, gains->basis, from, shown);
    *matrices = GIVE(x);
    return NETDP_OK;
}

netdp_i_states netdp_i_matrices_states(const netdp_i_matrices *x, int32_t node)
{
    const int64_t r = x->response.modes;
    netdp_i_states sum = {0};
    for (int64_t k = 0; k < x->early; k++) {
        const int64_t i = k * x->nodes + node;
        sum.before += sqrt(x->energy[i]);
        sum.there += cblas_dnrm2((int)r, x->response.e + i * r, 1);
    }
    return sum;
}

bool netdp_i_matrices_told(const netdp_i_matrices *x, int32_t node)
{
    for (int32_t k = 0; x->columns == NULL && k < x->early; k++)
        if (x->response.told[k * x->nodes + node])
            return true;
    return false;
}

/* The responses of the late contributions of one node, in the rounds from `first`. */
static void shift(netdp_i_matrices *x, int32_t node)
{
    const int64_t s = x->seen, end = x->first + x->ages;
    const double *h = x->h + (node * x->reach + x->every) * s;
    for (int32_t k = 0; k < x->met; k++) {
        const int64_t start = (x->early + k) * x->every;
        memcpy(x->shifted + (k * x->ages + start - x->first) * s, h,
               (size_t)((end - start) * s) * sizeof *h);
    }
}

/* What the last sum shows of the contributions of one node, [slots][seen]. */
static double *sum_up(netdp_i_matrices *x, int32_t node, int thread)
{
    const int64_t s = x->seen;
    const size_t size = (size_t)s * sizeof *x->sums;
    double *sums = x->sums + thread * x->slots * s;
    for (int64_t k = 0; k < x->early; k++)
        memcpy(sums + k * s,
               x->columns != NULL ? x->heard + (node * x->early + k) * s
                                  : x->w + (k * x->nodes + node + 1) * x->lines - s,
               size);
    for (int64_t k = x->early; k < x->slots; k++) {
        const int64_t age = x->rounds - 1 - k * x->every;
        if (age < x->ages)
            memcpy(sums + k * s, x->last + (node * x->ages + age) * s, size);
        else
            memset(sums + k * s, 0, size);
    }
    return sums;
}

/* Columns of the early contributions in a column-major m. */
static void fill_early(const netdp_i_matrices *x, int32_t node, double *m)
{
    const int64_t s = x->seen, n = x->slots, stride = x->nodes * x->lines;
    const int64_t lines = x->lines - (x->last_sum ? s : 0);
    const double *w = x->w + node * x->lines;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, x->early, (int)lines, 1, w, (int)stride, 0,
                m, x->slots);
    for (int64_t k = 0; k < x->early; k++)
        memset(m + k * n + x->early, 0, (size_t)(n - x->early) * sizeof *m);
    for (int32_t k = 0; k < x->met; k += TOGETHER) {
        const int32_t count = x->met - k < TOGETHER ? x->met - k : TOGETHER;
        const int64_t before = ((x->early + k) * x->every - x->first) * s;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, count, x->early,
                    (int)(x->ages * s - before), 1, x->shifted + k * x->ages * s + before,
                    (int)(x->ages * s), w + x->first * s + before, (int)stride, 0, m + x->early + k,
                    x->slots);
    }
}

static void fill_late(const netdp_i_matrices *x, int32_t node, double *step, double *m)
{
    const int64_t s = x->seen, n = x->slots, late = n - x->early;
    const int width = (int)(x->every * s);
    double *corner = m + x->early * n + x->early;
    /* Column j: the ages that contribution n-1-j reaches in the last `every` rounds. */
    const double *h = x->h + (node * x->reach + x->every + x->rounds - n * x->every) * s;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, x->fresh, width, 1, h, width, 0, step,
                (int)late);
    for (int64_t k = late - 1; k >= 0; k--)
        for (int64_t l = k; l < late; l++)
            corner[k * n + l] = step[(late - 1 - l) * late + (late - 1 - k)] +
                                (l + 1 < late ? corner[(k + 1) * n + l + 1] : 0);
}

static void copy_early(const netdp_i_matrices *x, int32_t node, double *m)
{
    const int64_t n = x->slots, felt = x->early + x->met;
    for (int64_t k = 0; k < x->early; k++) {
        memcpy(m + k * n, x->columns + (node * x->early + k) * felt, (size_t)felt * sizeof *m);
        memset(m + k * n + felt, 0, (size_t)(n - felt) * sizeof *m);
    }
}

/* M of what the rounds show, without the last sum. */
static void fill_rounds(netdp_i_matrices *x, int32_t node, int thread, double *m)
{
    const int64_t late = x->slots - x->early;
    if (x->columns != NULL) {
        copy_early(x, node, m);
    } else {
        shift(x, node);
        fill_early(x, node, m);
    }
    if (late > 0)
        fill_late(x, node, x->step + thread * late * late, m);
}

void netdp_i_matrices_fill(netdp_i_matrices *x, int32_t node, int thread, double *m)
{
    fill_rounds(x, node, thread, m);
    if (x->last_sum)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, x->slots, x->seen, 1,
                    sum_up(x, node, thread), x->seen, 1, m, x->slots);
}

void netdp_i_matrices_apart(netdp_i_matrices *x, int32_t node, int thread, double *m, double *last)
{
    fill_rounds(x, node, thread, m);
    memset(last, 0, (size_t)x->slots * sizeof *last);
    if (!x->last_sum)
        return;
    const double *sums = sum_up(x, node, thread);
    for (int64_t k = 0; k < x->slots; k++)
        last[k] = cblas_dnrm2(x->seen, sums + k * x->seen, 1);
}

/* ---- All nodes together: rows that are followed backwards ---- */

/* Lines that are followed together: their products are those of large matrices, and they fit in a cache. */
enum { LINES = 128 };

typedef struct gathering {
    netdp_i_matrices *x;
    const netdp_i_retrace *retrace;
    const int32_t *from;
    netdp_i_traces lines;
    double *kept;    /* [nodes][early][lines] of the early contributions */
    double *shifted; /* [threads][met][lines] of the late ones */
    double *square;  /* [first + 1]: of the rows in each round */
    int32_t told;    /* slots that these lines tell of */
    int64_t age;     /* of the first line, where they are of the steady gain; or below 0 */
    bool last;       /* they are the last sum's, which is kept apart */
} gathering;

static int64_t lines_of(int64_t seen)
{
    return seen < LINES ? LINES / seen * seen : seen;
}

double netdp_i_matrices_retraced_bytes(const netdp_linear *protocol, const netdp_i_retrace *retrace)
{
    const netdp_i_ages shown = {.first = retrace->first, .ages = retrace->ages};
    const double early = (double)early_slots(protocol, &shown), s = retrace->width;
    const double felt = (double)(shown.first + shown.ages - 1) / (double)spacing(protocol) + 1;
    return 8 * (early * (felt + (double)lines_of(retrace->width)) +
                2 * (double)reach_of(protocol, &shown) * s);
}

/* The lines, which stand in round `top`, back to round 0; those of `begins` and later begin in their rounds. */
static void carry(gathering *g, int64_t top, int64_t begins)
{
    const netdp_i_matrices *x = g->x;
    const int64_t s = x->seen, count = g->lines.count;
    g->told = 0;
    for (int64_t t = top; t >= 0; t--) {
        if (t >= begins)
            netdp_i_traces_begin(g->retrace, t, (t - begins) * s, &g->lines);
        g->square[t] += netdp_i_traces_square(g->retrace, &g->lines);
        if (t < x->first && t % x->every == 0) {
            const int64_t slot = t / x->every;
            for (int64_t i = 0; i < x->nodes; i++)
                memcpy(g->kept + (i * x->early + slot) * count, g->lines.x + g->from[i] * count,
                       (size_t)count * sizeof(double));
            g->told = g->told > slot + 1 ? g->told : (int32_t)slot + 1;
        }
        if (t > 0)
            netdp_i_traces_back(g->retrace, t - 1, &g->lines);
    }
}

/* The responses of late contributions of a node in the rounds of these lines; returns how many are felt there. */
static int32_t shift_lines(const gathering *g, int32_t node, double *shifted)
{
    const netdp_i_matrices *x = g->x;
    const int64_t s = x->seen, count = g->lines.count, ages = count / s;
    const double *h = x->h + (node * x->reach + x->every) * s;
    int32_t k = 0;
    for (; k < x->met; k++) {
        const int64_t since = (x->early + k) * x->every - x->first; /* the age at its own round */
        const int64_t before = since > g->age ? since - g->age : 0;
        const int64_t left = x->ages - g->age < ages ? x->ages - g->age : ages;
        if (before >= left)
            break;
        memset(shifted + k * count, 0, (size_t)count * sizeof *h);
        memcpy(shifted + k * count + before * s, h + (g->age + before - since) * s,
               (size_t)((left - before) * s) * sizeof *h);
    }
    return k;
}

static netdp_status gather_node(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    const gathering *g = context;
    netdp_i_matrices *x = g->x;
    const int32_t node = (int32_t)index, felt = x->early + x->met;
    const int count = (int)g->lines.count;
    const double *kept = g->kept + index * x->early * count;
    if (g->last) {
        for (int64_t k = 0; k < g->told; k++)
            memcpy(x->heard + (index * x->early + k) * x->seen, kept + k * count,
                   (size_t)x->seen * sizeof *kept);
        return NETDP_OK;
    }
    double *columns = x->columns + index * x->early * felt;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, g->told, count, 1, kept, count, 1, columns,
                felt);
    double *shifted = g->shifted + thread * x->met * (int64_t)count;
    if (g->age >= 0) {
        const int32_t met = shift_lines(g, node, shifted);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, met, x->early, count, 1, shifted,
                    count, kept, count, 1, columns + x->early, felt);
    }
    return NETDP_OK;
}

static netdp_status gather(gathering *g, const netdp_progress *progress, netdp_error *error)
{
    TRY(netdp_i_for_each(g->x->nodes, gather_node, g, NULL, NULL, error));
    return netdp_i_poll(progress, error);
}

/* Innovations of rounds before the gain is steady. */
static netdp_status gather_early(gathering *g, const netdp_progress *progress, netdp_error *error)
{
    const netdp_i_matrices *x = g->x;
    const int64_t together = g->lines.count / x->seen;
    g->age = -1;
    for (int64_t t = 0; t < x->first; t += together) {
        const int64_t end = t + together < x->first ? t + together : x->first;
        memset(g->lines.x, 0, (size_t)(g->retrace->nodes * g->lines.count) * sizeof *g->lines.x);
        carry(g, end - 1, t);
        TRY(gather(g, progress, error));
    }
    return NETDP_OK;
}

/* Rows of the retrace, [nodes][seen] each, as the first lines. */
static void place(gathering *g, const double *rows, int64_t count)
{
    const int64_t s = g->x->seen, n = g->retrace->nodes;
    memset(g->lines.x, 0, (size_t)(n * g->lines.count) * sizeof *g->lines.x);
    for (int64_t k = 0; k < count; k++)
        for (int64_t u = 0; u < n; u++)
            memcpy(g->lines.x + u * g->lines.count + k * s, rows + (k * n + u) * s,
                   (size_t)s * sizeof *rows);
}

/* Those of the steady gain, and the last sum. */
static netdp_status gather_steady(gathering *g, const netdp_progress *progress, netdp_error *error)
{
    const netdp_i_matrices *x = g->x;
    const int64_t together = g->lines.count / x->seen, each = (int64_t)g->retrace->nodes * x->seen,
                  age = x->rounds - 1 - x->first;
    for (int64_t a = 0; a < x->ages; a += together) {
        place(g, g->retrace->rows + a * each, a + together < x->ages ? together : x->ages - a);
        g->age = a;
        carry(g, x->first, INT64_MAX);
        TRY(gather(g, progress, error));
    }
    g->age = -1;
    g->last = true;
    const bool steady = g->retrace->gains->steady;
    if (!x->last_sum || (steady && age >= x->ages))
        return NETDP_OK;
    if (steady) {
        place(g, g->retrace->last + age * each, 1);
    } else {
        place(g, NULL, 0);
        netdp_i_traces_begin(g->retrace, x->first, 0, &g->lines);
    }
    carry(g, x->first, INT64_MAX);
    return gather(g, progress, error);
}

/* What contributions made under the steady gain show. */
static void fill_shown(netdp_i_matrices *x, const netdp_i_retrace *retrace, const int32_t *from)
{
    const int64_t s = x->seen;
    for (int64_t i = 0; i < x->nodes; i++)
        for (int64_t age = 0; age < x->ages; age++) {
            const int64_t at = (age * retrace->nodes + from[i]) * s;
            memcpy(x->h + (i * x->reach + x->every + age) * s, retrace->rows + at,
                   (size_t)s * sizeof *x->h);
            if (x->last_sum)
                memcpy(x->last + (i * x->ages + age) * s, retrace->last + at,
                       (size_t)s * sizeof *x->h);
        }
}

static void gathering_clear(gathering *g)
{
    netdp_i_traces_clear(&g->lines);
    netdp_i_free(g->kept);
    netdp_i_free(g->shifted);
    netdp_i_free(g->square);
}

netdp_status netdp_i_matrices_retraced(const netdp_linear *protocol, const netdp_i_retrace *retrace,
                                       const int32_t *from, int32_t nodes,
                                       netdp_i_matrices **matrices, double *lengths,
                                       const netdp_progress *progress, netdp_error *error)
{
    const netdp_i_ages shown = {.first = retrace->first, .ages = retrace->ages};
    OWNED_BY(netdp_i_matrices_free)
    netdp_i_matrices *x = matrices_begin(protocol, retrace->gains, &shown, nodes);
    if (x == NULL)
        return netdp_i_no_memory(error);
    x->seen = retrace->width;
    x->threads = netdp_i_threads();
    CLEARED(gathering_clear) gathering g = {.x = x, .retrace = retrace, .from = from};
    TRY(allocate(x, error));
    const int64_t count = lines_of(x->seen);
    TRY(netdp_i_traces_new(retrace, count, &g.lines, error));
    x->columns = NETDP_I_TAKE(&x->pool, double, (int64_t)nodes * x->early * (x->early + x->met));
    x->heard = NETDP_I_TAKE(&x->pool, double, (int64_t)nodes * x->early * x->seen);
    g.kept = NETDP_I_NEW(double, (int64_t)nodes * x->early * count);
    g.shifted = NETDP_I_NEW(double, x->threads * x->met * count);
    g.square = NETDP_I_NEW(double, x->first + 1);
    if (x->pool.failed || g.kept == NULL || g.shifted == NULL || g.square == NULL)
        return netdp_i_no_memory(error);
    fill_shown(x, retrace, from);
    TRY(gather_early(&g, progress, error));
    TRY(gather_steady(&g, progress, error));
    *lengths = 0;
    for (int64_t t = 0; t <= x->first; t++)
        *lengths += sqrt(g.square[t]);
    *matrices = GIVE(x);
    return NETDP_OK;
}
