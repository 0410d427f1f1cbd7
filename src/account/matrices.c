/*
 * Contributions before the gain is steady, the `early` ones, are followed apart. A later one
 * responds like any other, later: with h its response by age,
 *
 *     M_kl = M_{k+1,l+1} + sum over the last `every` rounds t of h(t - k) h(t - l)
 */
#include "account/matrices.h"

#include <cblas.h>
#include <string.h>

#include "account/impulse.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

struct netdp_i_matrices {
    int64_t rounds, every;
    int64_t first; /* rounds before the gain is steady */
    int32_t nodes, seen, slots, early;
    bool last_sum;
    netdp_i_response response; /* columns [early + 1][nodes] */
    double *before;            /* [first][early][nodes][seen] */
    netdp_i_impulse impulse;   /* of what is there in round `first`; of a contribution */
    /* of one node: */
    double *w;    /* [early][first + ages + last_sum][seen] */
    double *h;    /* [every + rounds][seen]: 0 at ages below 0 */
    double *sums; /* [slots - early][seen]: what the last sum shows of the late ones */
    double *step; /* [slots - early][slots - early]: M_kl - M_{k+1,l+1}, backwards */
};

static int64_t first_steady(const netdp_linear *protocol, const netdp_i_gains *gains)
{
    return gains->steady ? gains->count - 1 : protocol->rounds;
}

double netdp_i_matrices_bytes(const netdp_linear *protocol, const netdp_i_gains *gains,
                              int32_t seen)
{
    const double every = (double)protocol->every;
    const double early = (double)first_steady(protocol, gains) / every + 2;
    /* The responses while room for them grows by half, and those of one node beside them. */
    return 8 * 3 * early * ((double)protocol->rounds + 1) * seen;
}

void netdp_i_matrices_free(netdp_i_matrices *x)
{
    if (x == NULL)
        return;
    netdp_i_response_clear(&x->response);
    netdp_i_impulse_clear(&x->impulse);
    netdp_i_free(x->before);
    netdp_i_free(x->w);
    netdp_i_free(x->h);
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

/* All early contributions at once, up to the round in which the gain is steady. */
static netdp_status follow_early(netdp_i_matrices *x, const netdp_linear *protocol,
                                 const netdp_i_basis *basis, const netdp_i_gains *gains,
                                 const int32_t *from, const netdp_progress *progress,
                                 netdp_error *error)
{
    const int64_t s = x->seen, columns = (int64_t)x->early * x->nodes;
    netdp_i_response *response = &x->response;
    netdp_status status = NETDP_OK;
    response->count = 0;
    for (int64_t t = 0; status == NETDP_OK && t < x->first; t++) {
        const netdp_i_gain *gain = netdp_i_gains_at(gains, t);
        if (netdp_linear_contributes(protocol, t))
            contribute(x, basis, from);
        netdp_i_response_learn(response, gain);
        for (int64_t i = 0; i < response->count; i++)
            memcpy(x->before + (t * columns + i) * s, response->w + i * s,
                   (size_t)gain->rank * sizeof(double));
        netdp_i_response_predict(response);
        status = netdp_i_poll(progress, error);
    }
    return status;
}

netdp_status netdp_i_matrices_new(const netdp_linear *protocol, const netdp_i_basis *basis,
                                  const netdp_i_gains *gains, const int32_t *from, int32_t nodes,
                                  netdp_i_matrices **matrices, const netdp_progress *progress,
                                  netdp_error *error)
{
    netdp_i_matrices *x = NETDP_I_NEW(netdp_i_matrices, 1);
    if (x == NULL)
        return netdp_i_no_memory(error);
    const int64_t every = protocol->every, rounds = protocol->rounds;
    x->rounds = rounds;
    x->every = every;
    x->first = first_steady(protocol, gains);
    x->nodes = nodes;
    x->slots = (int32_t)((rounds - 1) / every + 1);
    x->early = (int32_t)((x->first - 1) / every + 1);
    x->last_sum = gains->last.lower != NULL;
    netdp_status status =
        netdp_i_response_new(gains->filter, (x->early + 1) * nodes, &x->response, error);
    if (status != NETDP_OK)
        goto failed;
    x->seen = x->response.seen;
    const int64_t s = x->seen, late = x->slots - x->early;
    x->before = NETDP_I_NEW(double, x->first * x->early * nodes * s);
    x->h = NETDP_I_NEW(double, (every + rounds) * s);
    x->sums = NETDP_I_NEW(double, late *s);
    x->step = NETDP_I_NEW(double, late *late);
    if (x->before == NULL || x->h == NULL || x->sums == NULL || x->step == NULL) {
        status = netdp_i_no_memory(error);
        goto failed;
    }
    status = follow_early(x, protocol, basis, gains, from, progress, error);
    if (status == NETDP_OK && gains->steady) {
        contribute(x, basis, from);
        status = netdp_i_impulse_new(gains, x->response.e, x->early + 1, nodes, rounds - x->first,
                                     &x->impulse, progress, error);
    } else if (status == NETDP_OK && x->last_sum) {
        netdp_i_response_learn(&x->response, &gains->last);
        for (int64_t i = 0; i < x->response.count; i++)
            memset(x->response.w + i * s + gains->last.rank, 0,
                   (size_t)(s - gains->last.rank) * sizeof(double));
    }
    if (status != NETDP_OK)
        goto failed;
    x->w = NETDP_I_NEW(double, x->early *(x->first + x->impulse.ages + 1) * s);
    if (x->w == NULL) {
        status = netdp_i_no_memory(error);
        goto failed;
    }
    *matrices = x;
    return NETDP_OK;
failed:
    netdp_i_matrices_free(x);
    return status;
}

bool netdp_i_matrices_told(const netdp_i_matrices *x, int32_t node)
{
    for (int32_t k = 0; k <= x->early; k++) {
        const int32_t column = k * x->nodes + node;
        if (x->response.told[column] || (x->impulse.ages > 0 && x->impulse.told[column]))
            return true;
    }
    return false;
}

/* What the last sum shows of a state that is there in round `first`, so many ages before it. */
static const double *last_of(const netdp_i_matrices *x, int32_t kind, int32_t node, int64_t age)
{
    const int64_t column = (int64_t)kind * x->nodes + node;
    return age < x->impulse.ages ? x->impulse.last + (age * x->impulse.count + column) * x->seen
                                 : NULL;
}

/* The responses of one node: w, h and sums. */
static void unpack(netdp_i_matrices *x, int32_t node)
{
    const int64_t s = x->seen, ages = x->impulse.ages, lines = (x->first + ages + 1) * s;
    const size_t bytes = (size_t)s * sizeof(double);
    for (int32_t k = 0; k < x->early; k++) {
        const int64_t column = (int64_t)k * x->nodes + node;
        double *w = x->w + k * lines;
        for (int64_t t = 0; t < x->first; t++)
            memcpy(w + t * s, x->before + (t * x->early * x->nodes + column) * s, bytes);
        for (int64_t age = 0; age < ages; age++)
            memcpy(w + (x->first + age) * s, netdp_i_impulse_at(&x->impulse, (int32_t)column, age),
                   bytes);
        const double *last = NULL;
        if (x->last_sum)
            last = x->first == x->rounds ? x->response.w + column * s
                                         : last_of(x, k, node, x->rounds - 1 - x->first);
        if (last != NULL)
            memcpy(w + lines - s, last, bytes);
        else
            memset(w + lines - s, 0, bytes);
    }
    for (int64_t age = 0; age < ages; age++)
        memcpy(x->h + (x->every + age) * s,
               netdp_i_impulse_at(&x->impulse, x->early * x->nodes + node, age), bytes);
    for (int32_t k = x->early; x->last_sum && k < x->slots; k++) {
        const double *last = last_of(x, x->early, node, x->rounds - 1 - k * x->every);
        if (last != NULL)
            memcpy(x->sums + (k - x->early) * s, last, bytes);
    }
}

/* Rows of the early contributions; columns of a column-major m. */
static void fill_early(const netdp_i_matrices *x, double *m)
{
    const int64_t s = x->seen, ages = x->impulse.ages, n = x->slots;
    const int64_t lines = (x->first + ages + 1) * s;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, x->early, (int)lines, 1, x->w, (int)lines, 0,
                m, x->slots);
    for (int64_t k = 0; k < x->early; k++) {
        const double *w = x->w + k * lines;
        for (int64_t l = x->early; l < n; l++) {
            const int64_t both = x->first + ages - l * x->every;
            m[k * n + l] = cblas_ddot((int)s, w + lines - s, 1, x->sums + (l - x->early) * s, 1);
            if (both > 0)
                m[k * n + l] +=
                    cblas_ddot((int)(both * s), w + l * x->every * s, 1, x->h + x->every * s, 1);
        }
    }
}

static void fill_late(const netdp_i_matrices *x, double *m)
{
    const int64_t s = x->seen, n = x->slots, late = n - x->early;
    const int width = (int)(x->every * s);
    double *corner = m + x->early * n + x->early;
    /* Column j: the ages that contribution n-1-j reaches in the last `every` rounds. */
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)late, width, 1,
                x->h + (x->every + x->rounds - n * x->every) * s, width, 0, x->step, (int)late);
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
    unpack(x, node);
    fill_early(x, m);
    if (x->slots > x->early)
        fill_late(x, m);
}
