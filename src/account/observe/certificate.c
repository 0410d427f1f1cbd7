/*
 * From shifts of the noises to displacements of the messages: g_t = a_t + nu_t v_t where a node is free. What that rounds
 * is of no account: the displacement as it stands is what is evaluated (docs/proofs/shift.md).
 */
#include "account/observe/certificate.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/pool.h"
#include "base/rounding.h"
#include "base/try.h"
#include "mixing/mixing.h"

/* For what is computed in doubles, but for longer sums. */
#define ROUND_UP (1 + 1e-12)

netdp_status netdp_i_scene_new(const netdp_linear *protocol, const netdp_i_observer *observer,
                               double weight, double end, netdp_i_shift_problem *scene,
                               netdp_error *error)
{
    const netdp_i_shift_view view = {
        .sees = observer->last_sum ? NETDP_SEES_SUM : NETDP_SEES_NEIGHBOURS,
        .counts = observer->last_sum ? observer->quiet_count == 0 : observer->own_counts,
        .members = observer->member_count,
        .member = observer->member,
        .rounds = protocol->rounds,
        .end = end,
        .weight = weight};
    netdp_linear alone = *protocol;
    if (observer->pairing == NULL)
        alone.noise.pairing = (netdp_pairing){0};
    return netdp_i_shift_problem_new(&alone, &view, scene, error);
}

bool netdp_i_scene_ends(const netdp_i_shift_problem *scene)
{
    return scene->sums || scene->end > 0;
}

/* What comes in in round t, after g of the round before; of accelerated rounds with the one before that. */
static void arrive(const netdp_i_shift_problem *s, int64_t t, const double *g, int32_t lanes,
                   double *a)
{
    const netdp_rows rows = s->round[t - 1].rows;
    const int64_t cells = (int64_t)rows.nodes * lanes;
    netdp_i_rows_apply_part(rows, 0, rows.nodes, g + (t - 1) * cells, a, lanes);
    for (int64_t i = 0; t > 1 && s->weight > 1 && i < cells; i++)
        a[i] = s->weight * a[i] - (s->weight - 1) * g[(t - 2) * cells + i];
}

/* Noises become displacements, in their place; `a` [nodes][lanes]. */
static void displace(const netdp_i_shift_problem *s, const netdp_i_displacement *of, double *a)
{
    const int64_t n = s->nodes, lanes = of->lanes, cells = n * lanes;
    memset(a, 0, (size_t)cells * sizeof *a);
    for (int64_t l = 0; l < lanes; l++)
        a[of->source[l] * lanes + l] = 1;
    for (int64_t t = 0; t < s->rounds; t++) {
        double *g = of->g + t * cells;
        if (t > 0)
            arrive(s, t, of->g, of->lanes, a);
        for (int64_t v = 0; v < n; v++) {
            const double free = s->round[t].part[v] == NETDP_I_PART_FREE,
                         stays = s->round[t].part[v] < NETDP_I_PART_CARRIED && free == 0;
            for (int64_t i = v * lanes; i < (v + 1) * lanes; i++)
                g[i] = stays > 0 ? 0 : a[i] + free * s->round[t].noise * g[i];
        }
    }
}

netdp_status netdp_i_shift_loss(const netdp_i_shift_problem *scene,
                                const netdp_i_displacement *shift, double *loss, netdp_error *error)
{
    OWNED double *a = NETDP_I_NEW(double, (int64_t)scene->nodes * shift->lanes);
    if (a == NULL)
        return netdp_i_no_memory(error);
    displace(scene, shift, a);
    return netdp_i_displacement_loss(scene, shift, loss, NULL, error);
}

netdp_status netdp_i_sums_resolved(const netdp_linear *protocol, const int32_t *member,
                                   int32_t members, bool *resolved, netdp_error *error)
{
    const netdp_i_shift_view view = {
        .sees = NETDP_SEES_SUM, .members = members, .member = member, .rounds = 1, .weight = 1};
    CLEARED(netdp_i_shift_problem_clear) netdp_i_shift_problem one = {0};
    TRY(netdp_i_shift_problem_new(protocol, &view, &one, error));
    *resolved = !one.apart;
    return NETDP_OK;
}

/* ---- What tells a coalition's sums apart ---- */

/* The members' rows of W at the other nodes. */
typedef struct sums {
    netdp_rows rows;
    bool *known;     /* [nodes]: a member */
    double *length;  /* [members] */
    double *product; /* [members][members]: of rows of length 1 */
    double *inverse; /* the same, nearly */
    lapack_int *pivot;
    netdp_i_pool pool;
} sums;

static netdp_status sums_new(netdp_rows rows, int32_t members, sums *s, netdp_error *error)
{
    const int64_t m = members;
    s->rows = rows;
    s->known = NETDP_I_TAKE(&s->pool, bool, rows.nodes);
    s->length = NETDP_I_TAKE(&s->pool, double, m);
    s->product = NETDP_I_TAKE(&s->pool, double, m *m);
    s->inverse = NETDP_I_TAKE(&s->pool, double, m *(m + 1)); /* and room for LAPACK */
    s->pivot = NETDP_I_TAKE(&s->pool, lapack_int, m);
    return netdp_i_pool_made(&s->pool, error);
}

static void sums_clear(sums *s)
{
    netdp_i_pool_clear(&s->pool);
}

static double length_of(const sums *s, int32_t v)
{
    double length = 0;
    for (int64_t k = s->rows.start[v]; k < s->rows.start[v + 1]; k++)
        if (!s->known[s->rows.column[k]])
            length = hypot(length, s->rows.weight[k]);
    return length;
}

/* The product of two rows, in units of these lengths. */
static double product_of(const sums *s, int32_t a, double a_length, int32_t b, double b_length)
{
    const netdp_rows rows = s->rows;
    double sum = 0;
    int64_t i = rows.start[a], j = rows.start[b];
    while (i < rows.start[a + 1] && j < rows.start[b + 1]) {
        if (rows.column[i] == rows.column[j] && !s->known[rows.column[i]])
            sum += rows.weight[i] / a_length * (rows.weight[j] / b_length);
        const bool step = rows.column[i] <= rows.column[j];
        j += rows.column[j] <= rows.column[i];
        i += step;
    }
    return sum;
}

/* How nearly the inverse is one: 1 - |1 - inverse product|; 0 and less where it is none. */
static double invert(sums *s, int32_t members)
{
    const int64_t m = members;
    double most = 0;
    memcpy(s->inverse, s->product, (size_t)(m * m) * sizeof *s->inverse);
    /* Of the transpose, by columns, in room of ours: by rows LAPACKE takes more, and prints where there is none. */
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, members, members, s->inverse, members, s->pivot) !=
            0 ||
        LAPACKE_dgetri_work(LAPACK_COL_MAJOR, members, s->inverse, members, s->pivot,
                            s->inverse + m * m, members) != 0)
        return 0;
    for (int64_t i = 0; i < m; i++) {
        double off = 0;
        for (int64_t j = 0; j < m; j++) {
            double sum = i == j ? -1 : 0, size = 1;
            for (int64_t k = 0; k < m; k++) {
                sum += s->inverse[i * m + k] * s->product[k * m + j];
                size += fabs(s->inverse[i * m + k]) * s->product[k * m + j];
            }
            /* rounding of this sum, and of the products: longer sums than these have 1e6 terms */
            off += fabs(sum) + size * ((double)m * DBL_EPSILON + 2e-10);
        }
        most = netdp_i_most(most, off);
    }
    return 1 - most;
}

/* Of rows that all hear somebody. */
static double least_of(sums *s, const int32_t *member, int32_t members, double shortest)
{
    const int64_t m = members;
    double inverse = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            s->product[i * m + j] = product_of(s, member[i], s->length[i], member[j], s->length[j]);
    const double least = invert(s, members);
    for (int64_t i = 0; i < m; i++) {
        double row = 0;
        for (int64_t j = 0; j < m; j++)
            row += fabs(s->inverse[i * m + j]);
        inverse = netdp_i_most(inverse, row * ROUND_UP);
    }
    /* The inverse of the products is at most this one's over `least`: its largest eigenvalue at most that. */
    return least > 0 ? shortest * sqrt(least / inverse) / (ROUND_UP * ROUND_UP) : 0;
}

netdp_status netdp_i_sums_apart(const netdp_linear *protocol, const int32_t *member,
                                int32_t members, double *apart, netdp_error *error)
{
    CLEARED(sums_clear) sums s = {0};
    double shortest = INFINITY;
    TRY(sums_new(netdp_mixing_rows(protocol->mixing), members, &s, error));
    for (int32_t i = 0; i < members; i++)
        s.known[member[i]] = true;
    for (int32_t i = 0; i < members; i++) {
        s.length[i] = length_of(&s, member[i]);
        shortest = fmin(shortest, s.length[i]);
    }
    *apart = members == 0 ? INFINITY : shortest > 0 ? least_of(&s, member, members, shortest) : 0;
    return NETDP_OK;
}
