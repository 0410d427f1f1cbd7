/*
 * Rounds before the gain is steady are followed one by one. From the first steady round s on
 *
 *     w_{s+t} = f_t + sum_{0 < k <= t} c_{s+k} h_{t-k}
 *
 * with f the response of what is there in round s and h that of one contribution, both by age: a
 * convolution, done by FFT in blocks (overlap-save) as long as h fades in a fraction of the rounds.
 * FFT errs by a few units in the last place of |h| |c|, as following does; what faded is below
 * 1e-14 of the largest h.
 */
#include "account/gossip/pattern_value.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <string.h>

#include "account/observe/impulse.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* Nodes whose responses are made together, the shortest transform, and how often to report. */
enum { BLOCK = 16, SHORTEST = 1024, CHUNK = 1 << 16 };

/* A response that has not faded in this part of the rounds, or bytes, is not waited for. */
#define WAIT_PART 0.125
#define WAIT_BYTES 2.5e8

typedef struct value {
    const netdp_linear *protocol;
    const netdp_i_basis *basis;
    const netdp_i_gains *gains;
    const double *pattern;
    const int32_t *from;
    int32_t count, seen;
    double *loss;
    int64_t first;        /* the first round under the steady gain, or all rounds */
    const double *states; /* [count][modes] in that round, with its contribution */
    const netdp_progress *progress;
} value;

/* c of round t, 0 in rounds without a contribution. */
static double amount_at(const value *v, int64_t t)
{
    if (t >= v->protocol->rounds || !netdp_linear_contributes(v->protocol, t))
        return 0;
    return v->pattern[t / v->protocol->every];
}

/* Only one block has rounds to tell of; many tell of themselves. */
static netdp_status tell(const value *v, int64_t round, netdp_error *error)
{
    return v->count <= BLOCK ? netdp_i_report(v->progress, "rounds", (double)round,
                                              (double)v->protocol->rounds, error)
                             : netdp_i_poll(v->progress, error);
}

/* ---- Round by round ---- */

static double square(const netdp_i_response *response, int rank, int64_t i)
{
    double sum = 0;
    for (int j = 0; j < rank; j++) {
        const double w = response->w[i * response->seen + j];
        sum += w * w;
    }
    return sum;
}

/* Rounds first .. stop-1 of the response's nodes, which stand in round `first`. */
static netdp_status follow(const value *v, const int32_t *from, netdp_i_response *response,
                           int64_t first, int64_t stop, double *loss, netdp_error *error)
{
    for (int64_t t = first; t < stop; t++) {
        const netdp_i_gain *gain = netdp_i_gains_at(v->gains, t);
        netdp_i_response_learn(response, gain);
        for (int32_t i = 0; i < response->count; i++)
            loss[i] += square(response, gain->rank, i);
        netdp_i_response_predict(response);
        netdp_i_response_contribute(response, v->basis, from, amount_at(v, t + 1));
        TRY(tell(v, t, error));
    }
    return NETDP_OK;
}

/*
 * The steady recursion of one node in a small space as two dense maps, w = C E and E <- A E + c b:
 * without BLAS calls a round costs its arithmetic.
 */
typedef struct small {
    int modes, rank;
    double *closed; /* A = theta (I - gain L^{-1} S), row-major */
    double *see;    /* C = L^{-1} S, row-major */
    double *e, *next;
} small;

enum { SMALL = 64 };

static void small_clear(small *m)
{
    netdp_i_free(m->closed);
    netdp_i_free(m->see);
    netdp_i_free(m->e);
    netdp_i_free(m->next);
}

static netdp_status small_new(const value *v, small *m, netdp_error *error)
{
    const int r = v->basis->modes;
    const netdp_i_gain *gain = netdp_i_gains_at(v->gains, v->protocol->rounds);
    CLEARED(netdp_i_response_clear) netdp_i_response unit = {0};
    *m = (small){.modes = r, .rank = gain->rank};
    m->closed = NETDP_I_NEW(double, (int64_t)r *r);
    m->see = NETDP_I_NEW(double, (int64_t)gain->rank *r);
    m->e = NETDP_I_NEW(double, r);
    m->next = NETDP_I_NEW(double, r);
    TRY(netdp_i_response_new(v->gains->filter, r, &unit, error));
    if (m->closed == NULL || m->see == NULL || m->e == NULL || m->next == NULL)
        return netdp_i_no_memory(error);
    for (int64_t k = 0; k < r; k++)
        unit.e[k * r + k] = 1;
    netdp_i_response_learn(&unit, gain);
    netdp_i_response_predict(&unit);
    for (int64_t k = 0; k < r; k++) {
        for (int64_t i = 0; i < r; i++)
            m->closed[i * r + k] = unit.e[k * r + i];
        for (int64_t j = 0; j < gain->rank; j++)
            m->see[j * r + k] = unit.w[k * unit.seen + j];
    }
    return NETDP_OK;
}

/* One steady round; returns |w|^2. */
static double small_round(small *m, const double *b, double amount)
{
    const int r = m->modes;
    double sum = 0;
    for (int j = 0; j < m->rank; j++) {
        double w = 0;
        for (int k = 0; k < r; k++)
            w += m->see[(int64_t)j * r + k] * m->e[k];
        sum += w * w;
    }
    for (int i = 0; i < r; i++) {
        double next = amount * b[i];
        for (int k = 0; k < r; k++)
            next += m->closed[(int64_t)i * r + k] * m->e[k];
        m->next[i] = next;
    }
    double *swap = m->e;
    m->e = m->next;
    m->next = swap;
    return sum;
}

static netdp_status follow_small(const value *v, small *m, int32_t from, double *e, double *loss,
                                 netdp_error *error)
{
    const int64_t r = m->modes, rounds = v->protocol->rounds;
    memcpy(m->e, e, (size_t)r * sizeof *e);
    for (int64_t t = v->first; t < rounds; t++) {
        *loss += small_round(m, v->basis->rows + from * r, amount_at(v, t + 1));
        if (t % CHUNK == 0)
            TRY(tell(v, t, error));
    }
    memcpy(e, m->e, (size_t)r * sizeof *e);
    return NETDP_OK;
}

/* What the last sum tells of the states behind the last round. */
static void hear_last(const value *v, netdp_i_response *response, double *loss)
{
    if (v->gains->last.lower == NULL)
        return;
    netdp_i_response_learn(response, &v->gains->last);
    for (int32_t i = 0; i < response->count; i++)
        loss[i] += square(response, v->gains->last.rank, i);
}

static void mark_told(const bool *told, int32_t count, double *loss)
{
    for (int32_t i = 0; i < count; i++)
        if (told[i])
            loss[i] = INFINITY;
}

/* The steady rounds of a block whose responses do not fade soon enough. */
static netdp_status follow_steady(const value *v, int32_t begin, int32_t count, netdp_error *error)
{
    const int64_t r = v->basis->modes;
    const int32_t *from = v->from + begin;
    double *loss = v->loss + begin;
    CLEARED(netdp_i_response_clear) netdp_i_response response = {0};
    TRY(netdp_i_response_new(v->gains->filter, count, &response, error));
    memcpy(response.e, v->states + begin * r, (size_t)(count * r) * sizeof *response.e);
    if (r <= SMALL) {
        CLEARED(small_clear) small m = {0};
        TRY(small_new(v, &m, error));
        for (int32_t i = 0; i < count; i++)
            TRY(follow_small(v, &m, from[i], response.e + i * r, &loss[i], error));
    } else {
        TRY(follow(v, from, &response, v->first, v->protocol->rounds, loss, error));
    }
    hear_last(v, &response, loss);
    mark_told(response.told, count, loss);
    return NETDP_OK;
}

/* ---- By FFT ---- */

typedef struct transform {
    int64_t size, bins, step; /* of a transform; new rounds of each: size - ages + 1 */
    double *line;             /* [size] */
    fftw_complex *input;      /* [bins]: of the pattern */
    fftw_complex *product;    /* [bins] */
    fftw_complex *response;   /* [seen][bins]: of h, over size */
    fftw_plan forward, backward;
} transform;

static void transform_clear(transform *x)
{
    /* The planner is the only part of FFTW that may not run twice at once. */
#pragma omp critical(netdp_fftw_planner)
    {
        if (x->forward != NULL)
            fftw_destroy_plan(x->forward);
        if (x->backward != NULL)
            fftw_destroy_plan(x->backward);
        fftw_free(x->line);
        fftw_free(x->input);
        fftw_free(x->product);
        fftw_free(x->response);
    }
}

static netdp_status transform_new(int64_t ages, int32_t seen, transform *x, netdp_error *error)
{
    *x = (transform){.size = SHORTEST};
    while (x->size < 4 * ages)
        x->size *= 2;
    x->bins = x->size / 2 + 1;
    x->step = x->size - (ages > 0 ? ages : 1) + 1;
#pragma omp critical(netdp_fftw_planner)
    {
        x->line = fftw_alloc_real((size_t)x->size);
        x->input = fftw_alloc_complex((size_t)x->bins);
        x->product = fftw_alloc_complex((size_t)x->bins);
        x->response = fftw_alloc_complex((size_t)(x->bins * seen));
        if (x->line != NULL && x->input != NULL && x->product != NULL && x->response != NULL) {
            const int size = (int)x->size;
            x->forward = fftw_plan_dft_r2c_1d(size, x->line, x->input, FFTW_ESTIMATE);
            x->backward = fftw_plan_dft_c2r_1d(size, x->product, x->line, FFTW_ESTIMATE);
        }
    }
    return x->forward == NULL || x->backward == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

static void transform_response(transform *x, const netdp_i_impulse *impulse, int32_t state)
{
    for (int32_t j = 0; j < impulse->seen; j++) {
        memset(x->line, 0, (size_t)x->size * sizeof *x->line);
        for (int64_t age = 0; age < impulse->ages; age++)
            x->line[age] = netdp_i_impulse_at(impulse, state, age)[j] / (double)x->size;
        fftw_execute_dft_r2c(x->forward, x->line, x->input);
        memcpy(x->response + j * x->bins, x->input, (size_t)x->bins * sizeof *x->input);
    }
}

/* The pattern of rounds behind `first` up to `from` + step, with the ages before `from`. */
static void transform_pattern(const value *v, transform *x, int64_t from)
{
    const int64_t before = x->size - x->step;
    for (int64_t j = 0; j < x->size; j++) {
        const int64_t t = from - before + j;
        x->line[j] = t > v->first ? amount_at(v, t) : 0;
    }
    fftw_execute_dft_r2c(x->forward, x->line, x->input);
}

/* C's own product of complex numbers looks for infinities. */
static void multiply(const fftw_complex *a, const fftw_complex *b, fftw_complex *into,
                     int64_t count)
{
    const double *x = (const double *)a, *y = (const double *)b;
    double *z = (double *)into;
    for (int64_t k = 0; k < 2 * count; k += 2) {
        z[k] = x[k] * y[k] - x[k + 1] * y[k + 1];
        z[k + 1] = x[k] * y[k + 1] + x[k + 1] * y[k];
    }
}

/* |w|^2 over rounds from .. from + step - 1; f: the state whose response is there on its own. */
static double block_square(const value *v, transform *x, const netdp_i_impulse *impulse, int32_t f,
                           int64_t from)
{
    const int64_t before = x->size - x->step, left = v->protocol->rounds - from;
    const int64_t rounds = left < x->step ? left : x->step;
    double sum = 0;
    for (int32_t j = 0; j < impulse->seen; j++) {
        multiply(x->input, x->response + j * x->bins, x->product, x->bins);
        fftw_execute_dft_c2r(x->backward, x->product, x->line);
        for (int64_t t = from; t < from + rounds; t++) {
            double w = x->line[before + t - from];
            if (t - v->first < impulse->ages)
                w += netdp_i_impulse_at(impulse, f, t - v->first)[j];
            sum += w * w;
        }
    }
    return sum;
}

/* The last sum hears what contributions of the last `ages` rounds left, by their age. */
static double last_square(const value *v, const netdp_i_impulse *impulse, int32_t h, int32_t f)
{
    const int64_t rounds = v->protocol->rounds, each = impulse->seen;
    double sum = 0;
    if (impulse->last == NULL)
        return 0;
    for (int64_t j = 0; j < each; j++) {
        double w = 0;
        for (int64_t age = 0; age < impulse->ages && rounds - 1 - age > v->first; age++)
            w += amount_at(v, rounds - 1 - age) *
                 impulse->last[(age * impulse->count + h) * each + j];
        const int64_t age = rounds - 1 - v->first;
        if (age < impulse->ages)
            w += impulse->last[(age * impulse->count + f) * each + j];
        sum += w * w;
    }
    return sum;
}

/* States 0 .. nodes-1 of the impulse are unit contributions, the others what is there. */
static netdp_status convolve(const value *v, const netdp_i_impulse *impulse, int32_t begin,
                             int32_t nodes, netdp_error *error)
{
    CLEARED(transform_clear) transform x = {0};
    TRY(transform_new(impulse->ages, impulse->seen, &x, error));
    for (int32_t i = 0; i < nodes; i++) {
        double *loss = &v->loss[begin + i];
        transform_response(&x, impulse, i);
        for (int64_t t = v->first; t < v->protocol->rounds; t += x.step) {
            transform_pattern(v, &x, t);
            *loss += block_square(v, &x, impulse, nodes + i, t);
            TRY(tell(v, t, error));
        }
        *loss += last_square(v, impulse, i, nodes + i);
    }
    mark_told(impulse->told, nodes, v->loss + begin);
    mark_told(impulse->told + nodes, nodes, v->loss + begin);
    return NETDP_OK;
}

static netdp_status steady_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const value *v = context;
    const int64_t r = v->basis->modes;
    const int32_t begin = (int32_t)index * BLOCK;
    const int32_t nodes = v->count - begin < BLOCK ? v->count - begin : BLOCK;
    const double wait = fmin(WAIT_PART * (double)(v->protocol->rounds - v->first),
                             WAIT_BYTES / (16.0 * nodes * v->seen));
    CLEARED(netdp_i_impulse_clear) netdp_i_impulse impulse = {0};
    OWNED double *states = NETDP_I_NEW(double, 2 * nodes * r);
    if (states == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < nodes; i++)
        memcpy(states + i * r, v->basis->rows + v->from[begin + i] * r, (size_t)r * sizeof *states);
    memcpy(states + nodes * r, v->states + begin * r, (size_t)(nodes * r) * sizeof *states);
    TRY(netdp_i_impulse_new(v->gains, states, 2, nodes, (int64_t)wait, &impulse, v->progress,
                            error));
    return impulse.over ? convolve(v, &impulse, begin, nodes, error)
                        : follow_steady(v, begin, nodes, error);
}

netdp_status netdp_i_pattern_value(const netdp_linear *protocol, const netdp_i_basis *basis,
                                   const netdp_i_gains *gains, const double *pattern,
                                   const netdp_i_sources *of, const netdp_progress *progress,
                                   netdp_error *error)
{
    value v = {.protocol = protocol,
               .basis = basis,
               .gains = gains,
               .pattern = pattern,
               .from = of->node,
               .count = of->count,
               .loss = of->loss,
               .first = gains->steady ? gains->count - 1 : protocol->rounds,
               .progress = progress};
    CLEARED(netdp_i_response_clear) netdp_i_response response = {0};
    TRY(netdp_i_response_new(gains->filter, of->count, &response, error));
    memset(of->loss, 0, (size_t)of->count * sizeof *of->loss);
    netdp_i_response_contribute(&response, basis, of->node, amount_at(&v, 0));
    TRY(follow(&v, of->node, &response, 0, v.first, of->loss, error));
    if (!gains->steady)
        hear_last(&v, &response, of->loss);
    v.states = response.e;
    v.seen = response.seen;
    if (gains->steady)
        TRY(netdp_i_for_each((of->count + BLOCK - 1) / BLOCK, steady_block, &v,
                             of->count > BLOCK ? progress : NULL, "nodes", error));
    mark_told(response.told, of->count, of->loss);
    return NETDP_OK;
}
