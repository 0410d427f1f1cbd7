/*
 * Both ends of the spectrum of W on the complement of the ones vector: Lanczos by its three-term
 * recurrence alone, without a basis. Its vectors lose their orthogonality only along ends that are
 * found already, and what then appears are copies of those (C. C. Paige, Linear Algebra Appl. 34,
 * 1980): extreme values come to no harm. Memory: two vectors, 16 bytes a node.
 * Sums are taken strip by strip and added in order, so results do not depend on the threads; those of
 * several processes, each with the entries of its own nodes, are added up by them.
 */
#include "mixing/mixing.h"

#include <math.h>

#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/normals.h"
#include "base/try.h"
#include "mixing/dense.h"

enum {
    MOST_PRODUCTS = 60000, /* with W: the work limit */
    STRIP = 2048,          /* rows of one strip */
    LANES = 8,             /* sums that run beside each other in a strip */
    FORK = 20000,          /* nodes that are worth a team of threads */
};

struct lanczos {
    netdp_rows rows; /* the own ones */
    int32_t nodes;   /* of all processes */
    const netdp_i_others *others;
    double *now,
        *before; /* [own, ghosts] v_k and v_{k-1}, each of the length that it came out with */
    double length, earlier; /* these lengths */
    double sum;             /* of v_k, nearly 0 */
    double *part, *more;    /* [strips] */
    double *diagonal;       /* [MOST_PRODUCTS] of T = V'WV */
    double *beside;         /* [MOST_PRODUCTS]: beside[k] is T's entry between k and k + 1 */
    int32_t steps;          /* the order of T */
};

/* Large graphs have ends too dense for more than this, and nobody asks for it there. */
static double tolerance(int32_t nodes)
{
    return nodes <= 100000 ? 1e-10 : 1e-7;
}

static int32_t strips_of(const struct lanczos *l)
{
    return (l->rows.nodes + STRIP - 1) / STRIP;
}

static double dot(const double *x, const double *y, int32_t count)
{
    double lane[LANES] = {0}, sum = 0;
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int32_t j = 0; j < LANES; j++)
            lane[j] += x[i + j] * y[i + j];
    for (; i < count; i++)
        sum += x[i] * y[i];
    for (int32_t j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}

static double total(const double *x, int32_t count)
{
    double lane[LANES] = {0}, sum = 0;
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int32_t j = 0; j < LANES; j++)
            lane[j] += x[i + j];
    for (; i < count; i++)
        sum += x[i];
    for (int32_t j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}

/* Of all processes, two numbers that each has for its strips. */
static void add_up(const struct lanczos *l, double *one, double *other)
{
    double sum[2] = {total(l->part, strips_of(l)), total(l->more, strips_of(l))};
    if (l->others != NULL)
        l->others->sum(sum, 2);
    *one = sum[0];
    *other = sum[1];
}

/* x becomes W v_k - |v_k| v_{k-1}, where it was v_{k-1}; its product with v_k and its sum. */
static void multiply(struct lanczos *l, double *x, double *product, double *sum)
{
    const double scale = 1 / l->length, back = l->length / l->earlier;
#pragma omp parallel for schedule(static) if (l->rows.nodes > FORK)
    for (int32_t s = 0; s < strips_of(l); s++) {
        double image[STRIP];
        const int32_t first = s * STRIP;
        const int32_t count = l->rows.nodes - first < STRIP ? l->rows.nodes - first : STRIP;
        netdp_i_rows_apply_part(l->rows, first, first + count, l->now, image, 1);
        for (int32_t i = 0; i < count; i++)
            x[first + i] = image[i] * scale - back * x[first + i];
        l->part[s] = dot(x + first, l->now + first, count);
        l->more[s] = total(x + first, count);
    }
    add_up(l, product, sum);
    *product /= l->length;
}

/* x loses `share` of v_k and `mean` of every entry; it becomes v_{k+1}. */
static void subtract(struct lanczos *l, double *x, double share, double mean)
{
    const double scaled = share / l->length;
#pragma omp parallel for schedule(static) if (l->rows.nodes > FORK)
    for (int32_t s = 0; s < strips_of(l); s++) {
        const int32_t first = s * STRIP;
        const int32_t count = l->rows.nodes - first < STRIP ? l->rows.nodes - first : STRIP;
        for (int32_t i = first; i < first + count; i++)
            x[i] -= scaled * l->now[i] + mean;
        l->part[s] = dot(x + first, x + first, count);
        l->more[s] = total(x + first, count);
    }
    l->earlier = l->length;
    add_up(l, &l->length, &l->sum);
    l->length = sqrt(l->length);
}

/* A random start, orthogonal to the ones; of each node its own number, whoever draws it. */
static void start(struct lanczos *l)
{
    double mean;
    const uint32_t first = l->others == NULL ? 0 : (uint32_t)l->others->first;
#pragma omp parallel for schedule(static) if (l->rows.nodes > FORK)
    for (int32_t s = 0; s < strips_of(l); s++) {
        const int32_t at = s * STRIP;
        const int32_t count = l->rows.nodes - at < STRIP ? l->rows.nodes - at : STRIP;
        netdp_i_normals_of_nodes(netdp_stream_at(0, NETDP_FOR_PROBE, first + (uint32_t)at, 0), NULL,
                                 count, 1, l->now + at);
        l->part[s] = l->more[s] = total(l->now + at, count);
    }
    add_up(l, &mean, &mean);
    l->length = 1;
    subtract(l, l->now, 0, mean / l->nodes);
}

static netdp_status step(struct lanczos *l, netdp_error *error)
{
    double *x = l->before, share, sum;
    if (l->others != NULL)
        TRY(l->others->agree(l->others->fetch(l->others->context, l->now, 1, error), error));
    multiply(l, x, &share, &sum);
    /* What is left of the ones, by rounding, would grow: 1 is W's largest value. */
    subtract(l, x, share, (sum - share / l->length * l->sum) / l->nodes);
    l->before = l->now;
    l->now = x;
    l->diagonal[l->steps] = share;
    l->beside[l->steps++] = l->length;
    return NETDP_OK;
}

/* The least or the largest value of T, and |W x - value x| for its vector x in V. */
static netdp_status look(const struct lanczos *l, bool largest, double *value, double *residual,
                         netdp_error *error)
{
    double last = 0;
    netdp_status status =
        netdp_i_tridiagonal_end(l->steps, l->diagonal, l->beside, largest, value, &last, error);
    *residual = l->length * fabs(last);
    return status;
}

/* Of processes that round in their own ways all go by what one of them found. */
static netdp_status look_at(const struct lanczos *l, bool largest, double *value, double *residual,
                            netdp_error *error)
{
    double found[2] = {0};
    const netdp_status status = look(l, largest, &found[0], &found[1], error);
    TRY(l->others != NULL ? l->others->agree(status, error) : status);
    if (l->others != NULL)
        l->others->tell(found, sizeof found);
    *value = found[0];
    *residual = found[1];
    return NETDP_OK;
}

static netdp_status iterate(struct lanczos *l, double *second, double *smallest, netdp_error *error)
{
    const double enough = tolerance(l->nodes);
    double high = INFINITY, low = INFINITY;
    int32_t next = 1;
    start(l);
    for (;;) {
        TRY(step(l, error));
        /* All vectors are good where next to nothing is left of them: later ones would be noise. */
        if (l->steps < next && l->steps < MOST_PRODUCTS && l->length > enough)
            continue;
        next = l->steps + 1 + l->steps / 20;
        /* An end that is found rests: its copies would come with vectors that nearly vanish. */
        if (high > enough)
            TRY(look_at(l, true, second, &high, error));
        if (low > enough)
            TRY(look_at(l, false, smallest, &low, error));
        if (high <= enough && low <= enough)
            return NETDP_OK;
        if (l->steps == MOST_PRODUCTS)
            return netdp_i_fail(error, NETDP_NO_ANSWER,
                                "Lanczos did not converge in %d products with W (residuals %.1e "
                                "and %.1e); the gap is too small for it, ask for a dense spectrum "
                                "(at most %d nodes)",
                                (int)MOST_PRODUCTS, high, low, NETDP_DENSE_NODES);
    }
}

static void lanczos_clear(struct lanczos *l)
{
    netdp_i_free(l->now);
    netdp_i_free(l->before);
    netdp_i_free(l->part);
    netdp_i_free(l->more);
    netdp_i_free(l->diagonal);
    netdp_i_free(l->beside);
}

netdp_status netdp_i_lanczos_ends_of(netdp_rows rows, const netdp_i_others *others, double *second,
                                     double *smallest, netdp_error *error)
{
    CLEARED(lanczos_clear)
    struct lanczos l = {
        .rows = others != NULL ? others->rows : rows, .nodes = rows.nodes, .others = others};
    const int64_t room = (int64_t)l.rows.nodes + (others != NULL ? others->ghosts : 0);
    netdp_i_dense_begin();
    l.now = NETDP_I_NEW(double, room);
    l.before = NETDP_I_NEW(double, room);
    l.part = NETDP_I_NEW(double, strips_of(&l));
    l.more = NETDP_I_NEW(double, strips_of(&l));
    l.diagonal = NETDP_I_NEW(double, MOST_PRODUCTS);
    l.beside = NETDP_I_NEW(double, MOST_PRODUCTS);
    netdp_status status = NETDP_OK;
    if (l.now == NULL || l.before == NULL || l.part == NULL || l.more == NULL ||
        l.diagonal == NULL || l.beside == NULL)
        status = netdp_i_no_memory(error);
    TRY(others != NULL ? others->agree(status, error) : status);
    return iterate(&l, second, smallest, error);
}

netdp_status netdp_i_lanczos_ends(const netdp_mixing *mixing, double *second, double *smallest,
                                  netdp_error *error)
{
    TRY(netdp_i_mixing_symmetric(mixing, "a spectrum of so many nodes", error));
    return netdp_i_lanczos_ends_of(netdp_mixing_rows(mixing), NULL, second, smallest, error);
}
