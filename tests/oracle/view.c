#include "oracle/view.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#define TO_NEAREST MPFR_RNDN

/* The least variance of what is not known, as a power of two: far below what any setting draws, far above rounding. */
enum { NOTHING = -220 };

typedef __mpfr_struct number;

/* States m_t (accelerated: and m_{t-1}) with their covariance, and what each contribution adds to them. */
typedef struct filter {
    const view *v;
    int64_t states;
    int32_t columns;
    bool products;
    number *covariance, *image; /* [states][states] */
    number *shown, *moved;      /* [states][columns] */
    number *gain;               /* [states] */
    number *response;           /* [columns] */
    number *sum;                /* [columns], or [columns][columns] */
    bool *plain;                /* [columns]: told without noise */
    mpfr_t variance, part, term, nothing;
} filter;

static number *numbers(int64_t count, int bits)
{
    number *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = 0; x != NULL && i < count; i++) {
        mpfr_init2(x + i, bits);
        mpfr_set_zero(x + i, 1);
    }
    if (x == NULL)
        abort();
    return x;
}

static void numbers_free(number *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        mpfr_clear(x + i);
    free(x);
}

/* One number is seen: the sum of `weight` times states, under noise of its own. */
static void take_in(filter *f, int32_t count, const int64_t *state, const mpfr_t *weight,
                    double noise)
{
    const int64_t n = f->states;
    for (int64_t i = 0; i < n; i++) {
        mpfr_set_zero(f->gain + i, 1);
        for (int32_t k = 0; k < count; k++) {
            mpfr_mul(f->term, f->covariance + i * n + state[k], weight[k], TO_NEAREST);
            mpfr_add(f->gain + i, f->gain + i, f->term, TO_NEAREST);
        }
    }
    mpfr_set_d(f->variance, noise, TO_NEAREST);
    mpfr_sqr(f->variance, f->variance, TO_NEAREST);
    for (int32_t k = 0; k < count; k++) {
        mpfr_mul(f->term, f->gain + state[k], weight[k], TO_NEAREST);
        mpfr_add(f->variance, f->variance, f->term, TO_NEAREST);
    }
    for (int32_t c = 0; c < f->columns; c++) {
        mpfr_set_zero(f->response + c, 1);
        for (int32_t k = 0; k < count; k++) {
            mpfr_mul(f->term, f->shown + state[k] * f->columns + c, weight[k], TO_NEAREST);
            mpfr_add(f->response + c, f->response + c, f->term, TO_NEAREST);
        }
    }
}

/* It tells of every contribution the square of its response over the variance; all else is then known better. */
static void learn(filter *f)
{
    const int64_t n = f->states;
    if (mpfr_cmp(f->variance, f->nothing) <= 0) {
        for (int32_t c = 0; c < f->columns; c++) {
            mpfr_sqr(f->term, f->response + c, TO_NEAREST);
            f->plain[c] = f->plain[c] || mpfr_cmp(f->term, f->nothing) > 0;
        }
        return;
    }
    for (int32_t c = 0; c < f->columns; c++) {
        mpfr_div(f->part, f->response + c, f->variance, TO_NEAREST);
        for (int32_t d = f->products ? 0 : c; d <= c && !mpfr_zero_p(f->part); d++) {
            number *sum = f->sum + (f->products ? (int64_t)c * f->columns + d : c);
            mpfr_mul(f->term, f->part, f->response + d, TO_NEAREST);
            mpfr_add(sum, sum, f->term, TO_NEAREST);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        if (mpfr_zero_p(f->gain + i))
            continue;
        mpfr_div(f->part, f->gain + i, f->variance, TO_NEAREST);
        for (int64_t j = 0; j <= i; j++) {
            if (mpfr_zero_p(f->gain + j))
                continue;
            mpfr_mul(f->term, f->part, f->gain + j, TO_NEAREST);
            mpfr_sub(f->covariance + i * n + j, f->covariance + i * n + j, f->term, TO_NEAREST);
            mpfr_set(f->covariance + j * n + i, f->covariance + i * n + j, TO_NEAREST);
        }
        for (int32_t c = 0; c < f->columns; c++) {
            mpfr_mul(f->term, f->part, f->response + c, TO_NEAREST);
            mpfr_sub(f->shown + i * f->columns + c, f->shown + i * f->columns + c, f->term,
                     TO_NEAREST);
        }
    }
}

static void see_state(filter *f, int64_t state)
{
    mpfr_t one[1];
    mpfr_init2(one[0], 8);
    mpfr_set_ui(one[0], 1, TO_NEAREST);
    take_in(f, 1, &state, one, 0);
    learn(f);
    mpfr_clear(one[0]);
}

/* Node v's next state, a row of W_t and of accelerated rounds the state before: as weights of the states at hand. */
static void see_next(filter *f, int64_t t, int32_t v, bool accelerated, double noise, int bits)
{
    const netdp_rows rows = f->v->rows[t];
    const int32_t count = (int32_t)(rows.start[v + 1] - rows.start[v]);
    int64_t *state = malloc((size_t)(count + 1) * sizeof *state);
    mpfr_t *weight = malloc((size_t)(count + 1) * sizeof *weight);
    for (int32_t k = 0; k <= count; k++)
        mpfr_init2(weight[k], bits);
    for (int32_t k = 0; k < count; k++) {
        state[k] = rows.column[rows.start[v] + k];
        mpfr_set_d(weight[k], rows.weight[rows.start[v] + k], TO_NEAREST);
        if (accelerated)
            mpfr_mul_d(weight[k], weight[k], f->v->weight, TO_NEAREST);
    }
    state[count] = f->v->nodes + v;
    mpfr_set_d(weight[count], f->v->weight, TO_NEAREST);
    mpfr_ui_sub(weight[count], 1, weight[count], TO_NEAREST);
    take_in(f, count + accelerated, state, weight, noise);
    learn(f);
    for (int32_t k = 0; k <= count; k++)
        mpfr_clear(weight[k]);
    free(state);
    free(weight);
}

/* to <- what W_t (accelerated: and the state before) makes of `from`, [states][columns]. */
static void mix(filter *f, int64_t t, bool accelerated, const number *from, number *to,
                int64_t columns)
{
    const view *v = f->v;
    const netdp_rows rows = v->rows[t];
    for (int32_t i = 0; i < v->nodes; i++)
        for (int64_t c = 0; c < columns; c++) {
            number *x = to + i * columns + c;
            mpfr_set_zero(x, 1);
            for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
                const number *y = from + rows.column[k] * columns + c;
                if (mpfr_zero_p(y))
                    continue;
                mpfr_mul_d(f->term, y, rows.weight[k], TO_NEAREST);
                mpfr_add(x, x, f->term, TO_NEAREST);
            }
            if (v->weight <= 0)
                continue;
            if (accelerated) {
                mpfr_mul_d(x, x, v->weight, TO_NEAREST);
                mpfr_set_d(f->part, v->weight, TO_NEAREST);
                mpfr_ui_sub(f->part, 1, f->part, TO_NEAREST);
                mpfr_mul(f->term, f->part, from + (v->nodes + i) * columns + c, TO_NEAREST);
                mpfr_add(x, x, f->term, TO_NEAREST);
            }
            mpfr_set(to + (v->nodes + i) * columns + c, from + i * columns + c, TO_NEAREST);
        }
}

static void swap(number **a, number **b)
{
    number *kept = *a;
    *a = *b;
    *b = kept;
}

/* From round t - 1 to round t, without noise: P <- A P A', column by column and then, it being symmetric, again. */
static void pass_on(filter *f, int64_t t)
{
    const int64_t n = f->states;
    const bool accelerated = f->v->weight > 0 && t > 1;
    for (int turn = 0; turn < 2; turn++) {
        mix(f, t - 1, accelerated, f->covariance, f->image, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                mpfr_set(f->covariance + i * n + j, f->image + j * n + i, TO_NEAREST);
    }
    mix(f, t - 1, accelerated, f->shown, f->moved, f->columns);
    swap(&f->shown, &f->moved);
}

static void add(filter *f, int64_t i, int64_t j, int sign)
{
    number *x = f->covariance + i * f->states + j;
    if (sign > 0)
        mpfr_add(x, x, f->variance, TO_NEAREST);
    else
        mpfr_sub(x, x, f->variance, TO_NEAREST);
}

/* The noise and the contributions of round t. */
static void come_in(filter *f, int64_t t)
{
    const view *v = f->v;
    mpfr_set_d(f->variance, v->noise[t], TO_NEAREST);
    mpfr_sqr(f->variance, f->variance, TO_NEAREST);
    for (int32_t i = 0; i < v->nodes; i++)
        if (v->draws[t * v->nodes + i])
            add(f, i, i, 1);
    mpfr_set_d(f->variance, v->pair_noise, TO_NEAREST);
    mpfr_sqr(f->variance, f->variance, TO_NEAREST);
    for (int64_t k = 0; v->shares[t] && k < v->pairs; k++) {
        const int32_t a = v->pair[2 * k], b = v->pair[2 * k + 1];
        add(f, a, a, 1);
        add(f, b, b, 1);
        add(f, a, b, -1);
        add(f, b, a, -1);
    }
    for (int32_t c = 0; c < f->columns; c++)
        if (v->when[c] == t) {
            number *x = f->shown + (int64_t)v->node[c] * f->columns + c;
            mpfr_add_ui(x, x, 1, TO_NEAREST);
        }
}

static void follow(filter *f, int bits)
{
    const view *v = f->v;
    const bool accelerated = v->weight > 0 && v->rounds > 1;
    for (int64_t t = 0; t < v->rounds; t++) {
        if (t > 0)
            pass_on(f, t);
        come_in(f, t);
        for (int32_t i = 0; i < v->nodes; i++)
            if (v->seen[t * v->nodes + i])
                see_state(f, i);
    }
    for (int32_t i = 0; i < v->nodes; i++)
        if (v->last[i])
            see_next(f, v->rounds - 1, i, accelerated, 0, bits);
    for (int32_t i = 0; i < v->nodes && v->release > 0; i++)
        if (!v->exempt[i])
            see_next(f, v->rounds - 1, i, accelerated, v->release, bits);
}

void view_tells(const view *v, int bits, bool products, double *told)
{
    const int64_t n = v->weight > 0 ? 2 * v->nodes : v->nodes, c = v->contributions;
    const int64_t sums = products ? c * c : c;
    filter f = {.v = v,
                .states = n,
                .columns = v->contributions,
                .products = products,
                .covariance = numbers(n * n, bits),
                .image = numbers(n * n, bits),
                .shown = numbers(n * c, bits),
                .moved = numbers(n * c, bits),
                .gain = numbers(n, bits),
                .response = numbers(c, bits),
                .sum = numbers(sums, bits),
                .plain = calloc((size_t)c, sizeof(bool))};
    mpfr_inits2(bits, f.variance, f.part, f.term, f.nothing, (mpfr_ptr)0);
    mpfr_set_ui_2exp(f.nothing, 1, NOTHING, TO_NEAREST);
    follow(&f, bits);
    for (int64_t k = 0; k < c; k++)
        for (int64_t l = 0; l <= (products ? k : 0); l++) {
            double x =
                mpfr_get_d(f.sum + (products ? k * c + l : k), products ? TO_NEAREST : MPFR_RNDD);
            if (f.plain[k] || (products && f.plain[l]))
                x = INFINITY;
            if (products)
                told[k * c + l] = told[l * c + k] = x;
            else
                told[k] = x;
        }
    mpfr_clears(f.variance, f.part, f.term, f.nothing, (mpfr_ptr)0);
    numbers_free(f.covariance, n * n);
    numbers_free(f.image, n * n);
    numbers_free(f.shown, n * c);
    numbers_free(f.moved, n * c);
    numbers_free(f.gain, n);
    numbers_free(f.response, c);
    numbers_free(f.sum, sums);
    free(f.plain);
}

double view_best_signs(const double *m, int32_t slots)
{
    double best = 0;
    for (int32_t signs = 0; signs < 1 << (slots - 1); signs++) {
        double sum = 0;
        for (int32_t i = 0; i < slots; i++)
            for (int32_t j = 0; j < slots; j++)
                sum += ((signs >> i ^ signs >> j) & 1 ? -1 : 1) * m[i * slots + j];
        best = fmax(best, sum);
    }
    return best;
}
