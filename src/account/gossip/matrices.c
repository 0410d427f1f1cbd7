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
#include "base/memory.h"
#include "base/parallel.h"

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
    double *energy;            /* [early][nodes]: sum of |E|^2 over the rounds before `first` */
    int32_t fresh;             /* late contributions that are felt to the end */
    int64_t reach;             /* of a response by age, with its `every` ages below 0 */
    double *h;                 /* [nodes][reach][seen]: 0 at ages below 0 */
    double *last;              /* [nodes][ages][seen]: what the last sum shows of a contribution */
    /* of one node: */
    int32_t met;     /* late contributions made while early ones are felt */
    double *shifted; /* [met][ages][seen]: their responses in the rounds from `first` */
    double *sums;    /* [late][seen]: what the last sum shows of the late ones */
    double *step;    /* [late][late]: M_kl - M_{k+1,l+1}, backwards */
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
    netdp_i_free(x->w);
    netdp_i_free(x->energy);
    netdp_i_free(x->h);
    netdp_i_free(x->last);
    netdp_i_free(x->shifted);
    netdp_i_free(x->sums);
    netdp_i_free(x->step);
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
    netdp_status status = NETDP_OK;
    x->response.count = 0;
    for (int64_t t = 0; status == NETDP_OK && t < x->first; t++) {
        const netdp_i_gain *gain = netdp_i_gains_at(gains, t);
        if (netdp_linear_contributes(protocol, t))
            contribute(x, basis, from);
        add_energy(x);
        netdp_i_response_learn(&x->response, gain);
        keep(x, t, gain->rank);
        netdp_i_response_predict(&x->response);
        status = netdp_i_poll(progress, error);
    }
    if (status == NETDP_OK && x->last_sum && !gains->steady) {
        netdp_i_response_learn(&x->response, &gains->last);
        keep(x, x->rounds, gains->last.rank);
    }
    return status;
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

static netdp_status allocate(netdp_i_matrices *x, const netdp_i_gains *gains, netdp_error *error)
{
    netdp_status status =
        netdp_i_response_new(gains->filter, (x->early + 1) * x->nodes, &x->response, error);
    if (status != NETDP_OK)
        return status;
    const int64_t s = x->response.seen, late = x->slots - x->early;
    const int64_t felt = (x->first + x->ages - 1) / x->every + 1;
    x->seen = x->response.seen;
    x->met = (int32_t)((felt < x->slots ? felt : x->slots) - x->early);
    x->fresh = felt_last(x);
    x->lines = (x->first + x->ages + (x->last_sum ? 1 : 0)) * s;
    x->w = NETDP_I_NEW(double, x->early * x->nodes * x->lines);
    x->energy = NETDP_I_NEW(double, (int64_t)x->early * x->nodes);
    x->h = NETDP_I_NEW(double, x->nodes * x->reach * s);
    x->last = NETDP_I_NEW(double, x->nodes * x->ages * s);
    x->shifted = NETDP_I_NEW(double, x->met * x->ages * s);
    x->sums = NETDP_I_NEW(double, late *s);
    x->step = NETDP_I_NEW(double, late *late);
    if (x->w == NULL || x->energy == NULL || x->h == NULL || x->last == NULL ||
        x->shifted == NULL || x->sums == NULL || x->step == NULL)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

netdp_status netdp_i_matrices_new(const netdp_linear *protocol, const netdp_i_gains *gains,
                                  const netdp_i_ages *shown, const int32_t *from, int32_t nodes,
                                  netdp_i_matrices **matrices, const netdp_progress *progress,
                                  netdp_error *error)
{
    netdp_i_matrices *x = NETDP_I_NEW(netdp_i_matrices, 1);
    if (x == NULL)
        return netdp_i_no_memory(error);
    x->rounds = protocol->rounds;
    x->every = spacing(protocol);
    x->first = shown->first;
    x->ages = shown->ages;
    x->nodes = nodes;
    x->reach = reach_of(protocol, shown);
    x->slots = (int32_t)((protocol->rounds - 1) / x->every + 1);
    x->early = (int32_t)early_slots(protocol, shown);
    x->last_sum = gains->last.lower != NULL;
    netdp_status status = allocate(x, gains, error);
    if (status == NETDP_OK)
        status = follow_early(x, protocol, gains->basis, gains, from, progress, error);
    if (status != NETDP_OK) {
        netdp_i_matrices_free(x);
        return status;
    }
    if (gains->steady)
        show_steady(x, gains->basis, from, shown);
    *matrices = x;
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

netdp_i_beyond netdp_i_matrices_beyond(const netdp_i_matrices *x, const netdp_i_ages *shown,
                                       int32_t node)
{
    const int64_t r = x->response.modes;
    double sum = 0, largest = 0;
    for (int64_t k = 0; k < x->early; k++) {
        const double size = cblas_dnrm2((int)r, x->response.e + (k * x->nodes + node) * r, 1);
        sum += size;
        largest = fmax(largest, size);
    }
    return (netdp_i_beyond){sum * shown->beyond, largest * shown->beyond, sum * shown->last_beyond};
}

bool netdp_i_matrices_told(const netdp_i_matrices *x, int32_t node)
{
    for (int32_t k = 0; k < x->early; k++)
        if (x->response.told[k * x->nodes + node])
            return true;
    return false;
}

/* The responses of the late contributions of one node: `shifted` and `sums`. */
static void shift(netdp_i_matrices *x, int32_t node)
{
    const int64_t s = x->seen, end = x->first + x->ages;
    const double *h = x->h + (node * x->reach + x->every) * s;
    for (int32_t k = 0; k < x->met; k++) {
        const int64_t start = (x->early + k) * x->every;
        memcpy(x->shifted + (k * x->ages + start - x->first) * s, h,
               (size_t)((end - start) * s) * sizeof *h);
    }
    for (int32_t k = x->early; x->last_sum && k < x->slots; k++) {
        const int64_t age = x->rounds - 1 - k * x->every;
        if (age < x->ages)
            memcpy(x->sums + (k - x->early) * s, x->last + (node * x->ages + age) * s,
                   (size_t)s * sizeof *h);
    }
}

/* Columns of the early contributions in a column-major m. */
static void fill_early(const netdp_i_matrices *x, int32_t node, double *m)
{
    const int64_t s = x->seen, n = x->slots, stride = x->nodes * x->lines;
    const double *w = x->w + node * x->lines;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, x->early, (int)x->lines, 1, w, (int)stride,
                0, m, x->slots);
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
    if (x->last_sum)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, x->slots - x->early, x->early, x->seen,
                    1, x->sums, x->seen, w + x->lines - s, (int)stride, 1, m + x->early, x->slots);
}

static void fill_late(const netdp_i_matrices *x, int32_t node, double *m)
{
    const int64_t s = x->seen, n = x->slots, late = n - x->early;
    const int width = (int)(x->every * s);
    double *corner = m + x->early * n + x->early;
    /* Column j: the ages that contribution n-1-j reaches in the last `every` rounds. */
    const double *h = x->h + (node * x->reach + x->every + x->rounds - n * x->every) * s;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, x->fresh, width, 1, h, width, 0, x->step,
                (int)late);
    for (int64_t k = late - 1; k >= 0; k--)
        for (int64_t l = k; l < late; l++)
            corner[k * n + l] = x->step[(late - 1 - l) * late + (late - 1 - k)] +
                                (l + 1 < late ? corner[(k + 1) * n + l + 1] : 0);
    if (x->last_sum)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)late, x->seen, 1, x->sums, x->seen,
                    1, corner, x->slots);
}

void netdp_i_matrices_fill(netdp_i_matrices *x, int32_t node, double *m)
{
    shift(x, node);
    fill_early(x, node, m);
    if (x->slots > x->early)
        fill_late(x, node, m);
}
