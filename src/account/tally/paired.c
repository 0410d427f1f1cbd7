/*
 * Sums on the ring whose nodes share noise that cancels in pairs (docs/proofs/pairs.md, "Tokens").
 *
 * In every pass the members of the coalition cut the ring into segments; an increment is the last
 * segment of a pass with the first of the next one, or a segment by itself. Of the pairs' noise an
 * increment holds what does not cancel within it, so that the increments' covariance is
 *
 *     Sigma = diag(E) + kappa^2 sum over passes of the Laplacian of the pair graph, without the
 *             observers and contracted to the segments; halves that nobody sees count on the diagonal
 *
 * Its off-diagonal entries are not positive: its inverse has no negative ones, and the worst that
 * contributions of u in [-1, 1] can do is 1' Sigma^-1 1 over the increments that u contributes to.
 */
#include "account/tally/tally.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* Numbers in the factor at most. */
#define MOST_ROOM (INT64_C(1) << 26)

typedef struct joint {
    const netdp_tally *tally;
    int32_t members;             /* observers, in the order of the ring */
    int32_t *at;                 /* [members + 1] */
    int32_t *segment;            /* [nodes]; -1: an observer */
    long double *between;        /* [members + 1]^2: kappa^2 times pairs between two segments */
    int64_t order;               /* increments that are seen, or may be */
    int64_t seen;                /* of them: the last one may not be */
    long double *energy;         /* [order] of the noise of single nodes */
    char *grounded;              /* [order]: is there noise that does not cancel in it? */
    long double *factor;         /* [order][members + 1]: L below 1, D in place 0 */
    long double *solution, *all; /* [order] */
} joint;

static int64_t increment_at(const joint *j, int64_t pass, int32_t segment)
{
    return pass * j->members + segment;
}

static void joint_clear(joint *j)
{
    netdp_i_free(j->at);
    netdp_i_free(j->segment);
    netdp_i_free(j->between);
    netdp_i_free(j->energy);
    netdp_i_free(j->grounded);
    netdp_i_free(j->factor);
    netdp_i_free(j->solution);
    netdp_i_free(j->all);
}

/* Who is in which segment, and how many pairs join which. */
static void cut_ring(joint *j)
{
    const netdp_graph *pairs = j->tally->pairing.graph;
    const long double kappa = j->tally->pairing.kappa;
    const int32_t n = j->tally->nodes, width = j->members + 1;
    int32_t segment = 0;
    for (int32_t v = 0; v < n; v++) {
        if (j->segment[v] < 0)
            j->at[segment++] = v;
        else
            j->segment[v] = segment;
    }
    for (int32_t v = 0; v < n; v++)
        for (int32_t i = 0; j->segment[v] >= 0 && i < netdp_graph_degree(pairs, v); i++) {
            const int32_t other = j->segment[netdp_graph_neighbours(pairs, v)[i]];
            if (other >= 0 && other != j->segment[v])
                j->between[j->segment[v] * width + other]++;
        }
    for (int64_t i = 0; i < (int64_t)width * width; i++)
        j->between[i] *= kappa * kappa;
}

static void fill_energies(joint *j)
{
    const int64_t steps = netdp_tally_steps(j->tally), n = j->tally->nodes;
    int64_t from = 0;
    for (int64_t i = 0; i < j->seen; i++) {
        const int64_t until =
            i < j->tally->passes * j->members ? i / j->members * n + j->at[i % j->members] : steps;
        j->energy[i] = netdp_tally_energy(j->tally, from, until);
        from = until + 1;
    }
}

/* The passes that increment i takes part in, one or two, and the segment that it holds of each. */
static int passes_of(const joint *j, int64_t i, int64_t pass[2], int32_t segment[2])
{
    int count = 0;
    const int64_t p = i / j->members;
    if (p < j->tally->passes) {
        pass[count] = p;
        segment[count++] = (int32_t)(i % j->members);
    }
    if (i % j->members == 0 && p > 0) {
        pass[count] = p - 1;
        segment[count++] = j->members;
    }
    return count;
}

/*
 * What Sigma does to x at increment i, and a bound of its rounding: differences first, so that large
 * kappa^2 cancels before it is added up.
 */
static long double apply_row(const joint *j, const long double *x, int64_t i, long double *rounding)
{
    const int32_t width = j->members + 1;
    int64_t pass[2];
    int32_t mine[2];
    const int count = passes_of(j, i, pass, mine);
    long double sum = j->energy[i] * x[i], size = fabsl(sum);
    for (int c = 0; c < count; c++)
        for (int32_t s = 0; s < width; s++) {
            const int64_t k = increment_at(j, pass[c], s);
            const long double weight = j->between[mine[c] * width + s];
            const long double flow = weight * (k < j->seen ? x[i] - x[k] : x[i]);
            sum += flow;
            size += fabsl(flow);
        }
    *rounding = size * (2 * (long double)width + 8) * LDBL_EPSILON;
    return sum;
}

/* Reaches all increments with noise that does not cancel; gives the others some, each its own. */
static netdp_status ground(joint *j, netdp_error *error)
{
    const int32_t width = j->members + 1;
    int64_t *queue = NETDP_I_NEW(int64_t, j->seen + 1), reached = 0;
    if (queue == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < j->seen; i++) {
        bool open = j->energy[i] > 0;
        for (int32_t s = 0; j->seen < j->order && s < j->members; s++)
            open |= i == increment_at(j, j->tally->passes - 1, s) &&
                    j->between[s * width + j->members] > 0;
        j->grounded[i] = open;
        if (open)
            queue[reached++] = i;
    }
    for (int64_t next = 0; next < reached; next++) {
        int64_t pass[2];
        int32_t mine[2];
        const int count = passes_of(j, queue[next], pass, mine);
        for (int c = 0; c < count; c++)
            for (int32_t s = 0; s < width; s++) {
                const int64_t k = increment_at(j, pass[c], s);
                if (k >= j->seen || j->grounded[k] || !(j->between[mine[c] * width + s] > 0))
                    continue;
                j->grounded[k] = 1;
                queue[reached++] = k;
            }
    }
    for (int64_t i = 0; i < j->seen; i++)
        if (!j->grounded[i])
            j->energy[i] = 1;
    netdp_i_free(queue);
    return NETDP_OK;
}

/* Sigma = L D L', of bandwidth `members`: factor[i][0] is D's, factor[i][k] L's at i, i - k. */
static void factorise(joint *j)
{
    const int64_t width = j->members + 1;
    for (int64_t i = 0; i < j->seen; i++) {
        long double *row = j->factor + i * width;
        int64_t pass[2];
        int32_t mine[2];
        const int count = passes_of(j, i, pass, mine);
        row[0] = j->energy[i];
        for (int c = 0; c < count; c++)
            for (int32_t s = 0; s < width; s++) {
                const int64_t k = increment_at(j, pass[c], s);
                const long double weight = j->between[mine[c] * width + s];
                row[0] += weight;
                if (k < i && k >= i - j->members)
                    row[i - k] -= weight;
            }
        const int64_t first = i > j->members ? i - j->members : 0;
        for (int64_t k = first; k < i; k++) { /* row[i - k]: L's times D's until the end */
            const long double *above = j->factor + k * width;
            for (int64_t l = first > k - j->members ? first : k - j->members; l < k; l++)
                row[i - k] -= row[i - l] * above[k - l];
        }
        for (int64_t k = first; k < i; k++) {
            const long double part = row[i - k] / j->factor[k * width];
            row[0] -= part * row[i - k];
            row[i - k] = part;
        }
    }
}

/* x = Sigma^-1 x */
static void solve(const joint *j, long double *x)
{
    const int64_t width = j->members + 1;
    for (int64_t i = 0; i < j->seen; i++)
        for (int64_t k = 1; k < width && k <= i; k++)
            x[i] -= j->factor[i * width + k] * x[i - k];
    for (int64_t i = 0; i < j->seen; i++)
        x[i] /= j->factor[i * width];
    for (int64_t i = j->seen - 1; i >= 0; i--)
        for (int64_t k = 1; k < width && i + k < j->seen; k++)
            x[i] -= j->factor[(i + k) * width + k] * x[i + k];
}

/* all = about Sigma^-1 1, and Sigma all > 1/2 proves that Sigma has an inverse without a negative
   entry. */
static netdp_status prove_inverse(joint *j, netdp_error *error)
{
    long double rounding;
    for (int64_t i = 0; i < j->seen; i++)
        j->all[i] = 1;
    solve(j, j->all);
    for (int64_t i = 0; i < j->seen; i++)
        if (!(j->all[i] > 0) || !(apply_row(j, j->all, i, &rounding) - rounding > 0.5L))
            return netdp_i_fail(error, NETDP_NO_ANSWER,
                                "pair-noise: %g leaves no digits of the covariance; give less",
                                j->tally->pairing.kappa);
    return NETDP_OK;
}

/*
 * 1' Sigma^-1 1 over the increments of a segment, from above: y + c all is above Sigma^-1 1 in
 * every entry where Sigma (y + c all) is above 1, and c all makes up for what y lacks.
 */
static double bound_segment(joint *j, int32_t segment)
{
    long double *y = j->solution, lack = 0, rounding, sum = 0;
    memset(y, 0, (size_t)j->seen * sizeof *y);
    for (int64_t p = 0; p < j->tally->passes; p++) {
        const int64_t i = increment_at(j, p, segment);
        if (i >= j->seen)
            continue;
        if (!j->grounded[i])
            return INFINITY;
        y[i] = 1;
    }
    solve(j, y);
    for (int64_t i = 0; i < j->seen; i++) {
        const bool mine = i % j->members == segment % j->members && i >= segment &&
                          i - segment < j->tally->passes * j->members;
        const long double there = apply_row(j, y, i, &rounding);
        lack = fmaxl(lack, (mine ? 1 - there : -there) + rounding + LDBL_EPSILON);
    }
    for (int64_t p = 0; p < j->tally->passes; p++) {
        const int64_t i = increment_at(j, p, segment);
        if (i < j->seen)
            sum += fmaxl(0, y[i] + 2 * lack * j->all[i]);
    }
    return netdp_i_tally_up((double)sum, 4 + (double)j->tally->passes);
}

static netdp_status joint_new(const netdp_tally *tally, int32_t count, const int32_t *observers,
                              joint *j, netdp_error *error)
{
    const int32_t n = tally->nodes;
    *j = (joint){.tally = tally, .segment = NETDP_I_NEW(int32_t, n)};
    if (j->segment == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < count; i++) {
        j->members += j->segment[observers[i]] == 0;
        j->segment[observers[i]] = -1;
    }
    const int64_t width = j->members + 1;
    if (tally->passes > MOST_ROOM / width / width)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "pair-noise: %" PRId64 " passes by %" PRId32 " observers are too many "
                            "to account for together; give fewer, or no pairs",
                            tally->passes, j->members);
    j->order = tally->passes * j->members + 1;
    j->at = NETDP_I_NEW(int32_t, width);
    j->between = NETDP_I_NEW(long double, width *width);
    j->energy = NETDP_I_NEW(long double, j->order);
    j->grounded = NETDP_I_NEW(char, j->order);
    j->factor = NETDP_I_NEW(long double, j->order *width);
    j->solution = NETDP_I_NEW(long double, j->order);
    j->all = NETDP_I_NEW(long double, j->order);
    if (j->at == NULL || j->between == NULL || j->energy == NULL || j->grounded == NULL ||
        j->factor == NULL || j->solution == NULL || j->all == NULL)
        return netdp_i_no_memory(error);
    cut_ring(j);
    j->seen = j->order - !(tally->release || j->at[0] == 0);
    fill_energies(j);
    return NETDP_OK;
}

netdp_status netdp_i_tally_paired(const netdp_tally *tally, int32_t count, const int32_t *observers,
                                  double *loss, netdp_error *error)
{
    CLEARED(joint_clear) joint j = {0};
    TRY(joint_new(tally, count, observers, &j, error));
    OWNED double *of = NETDP_I_NEW(double, j.members + 1); /* by segment */
    if (of == NULL)
        return netdp_i_no_memory(error);
    TRY(ground(&j, error));
    factorise(&j);
    TRY(prove_inverse(&j, error));
    for (int32_t s = 0; s <= j.members; s++)
        of[s] = bound_segment(&j, s);
    for (int32_t u = 0; u < tally->nodes; u++)
        loss[u] = j.segment[u] < 0 ? INFINITY : of[j.segment[u]];
    return NETDP_OK;
}
