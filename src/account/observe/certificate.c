/*
 * Of a shift as it stands in memory, g follows g_0 = e_u + v_0, g_t = W g_{t-1} + nu_t v_t at the
 * free nodes, g = 0 at the others. `far` bounds, node by node, how far the g at hand is from the
 * one that these numbers define in exact arithmetic: it goes through W as g does, and takes up each
 * round's rounding. What reaches a seen node is taken up by its noise, the worst of it; rows that
 * must vanish are made to, and what rounding leaves of them is bounded by the inverse of their
 * products.
 *
 * Noise that cancels in pairs serves the first round: a pair's shift costs its square, and moves two
 * nodes' messages, so that their own noises move by the less. Whatever it is, the sum of squares is
 * an upper bound.
 *
 * Sources stand side by side as lanes and share `far`. A source whose bound is too wide for its
 * loss is done again alone, in long doubles.
 */
#include "account/observe/certificate.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/memory.h"
#include "mixing/mixing.h"

/* Squares are added up in chunks of so many nodes: the rounding of a sum grows with its terms. */
enum { LANES = 16, CHUNK = 512 };

/* Largest entries are kept side by side, as many as a register has. */
enum { ABREAST = 4 };

#if defined(__x86_64__) && defined(__ELF__)
#define WIDER NETDP_I_CLONES("avx2", "default")
#else
#define WIDER
#endif

/* For what is compiled within its caller, for the caller's processor. */
#define INSIDE __attribute__((always_inline)) inline

/* For what is computed in doubles, but for longer sums. */
#define ROUND_UP (1 + 1e-12)

/* Above what underflow may take away. */
#define LEAST 1e-300

/* A state of the rounds in doubles, and in long doubles. */
#define STATE(REAL)                                                                                \
    {                                                                                              \
        int32_t lanes, stride; /* of g and a; of the shift */                                      \
        REAL *g, *a;           /* [nodes][lanes]: after the shift, and what came in */             \
        double *far, *came;    /* [nodes]: of every lane's g and a at most, from the exact ones */ \
        double *size;          /* [nodes]: of every lane's g at most */                            \
        double *left;          /* [tied_count] */                                                  \
        REAL *past;            /* [nodes][lanes]: g of the round before, of accelerated ones */    \
        double *past_far;      /* [nodes]: and how far it was */                                   \
        REAL round[LANES];     /* squares of the round */                                          \
    }
typedef struct state_double STATE(double) state_double;
typedef struct state_long STATE(long double) state_long;

/*
 * Of many accelerated rounds errors that are followed node by node, by absolute values, would grow as if nothing cancelled.
 * Their length in all does not: what is wrong with g at the nodes that are not seen obeys e_t = w F e_{t-1} - (w - 1)
 * e_{t-2} + d_t with F symmetric and |F| <= norm, so that |e_t| is at most what comes of the lengths of d in the same recursion with norm for F,
 * whose roots are fast and slow (docs/proofs/certificate.md).
 */
typedef struct drift {
    bool counts; /* else node by node */
    double weight, norm, fast, slow;
    double brought, now, before; /* of the inputs by the fast root; |e_t| and |e_{t-1}| at most */
} drift;

/* By how much errors may grow over all rounds while they are followed node by node. */
#define MOST_GROWTH 1e3

static drift drift_new(const netdp_i_scene *s)
{
    const double w = s->weight;
    drift d = {.weight = w, .norm = 1};
    if (!(w > 1))
        return d;
    for (int32_t v = 0; v < s->rows.nodes; v++) {
        double sum = 0;
        for (int64_t k = s->rows.start[v]; k < s->rows.start[v + 1]; k++)
            sum += fabs(s->rows.weight[k]);
        d.norm = fmax(d.norm, sum * (1 + 1e-10));
    }
    const double wide = w * d.norm, apart = sqrt(fmax(0, wide * wide - 4 * (w - 1)));
    d.fast = (wide + apart) / 2 * ROUND_UP;
    d.slow = (w - 1) / d.fast * ROUND_UP * ROUND_UP;
    const double growth = (wide + sqrt(wide * wide + 4 * (w - 1))) / 2;
    d.counts = pow(growth, (double)s->rounds) > MOST_GROWTH;
    return d;
}

/* The length of what is wrong with what comes in. */
static double drift_arrives(const drift *d)
{
    return d->counts ? (d->weight * d->norm * d->now + (d->weight - 1) * d->before) * ROUND_UP : 0;
}

/* A round's own errors: those at tied nodes come in a round later, and the first round passes with weight 1. */
static void drift_pass(drift *d, const double *far, int64_t nodes, bool tied)
{
    const double again = d->norm * (tied ? d->weight : d->weight - 1);
    double square = 0;
    for (int64_t v = 0; d->counts && v < nodes; v++)
        square += far[v] * far[v];
    const double before = d->now;
    d->brought = (d->fast * d->brought + (1 + again) * sqrt(square)) * (1 + 1e-15 * (double)nodes) *
                 ROUND_UP;
    d->now = (d->slow * d->now + d->brought) * ROUND_UP;
    d->before = before;
}

#define REAL double
#define UNIT (DBL_EPSILON / 2)
#define SQRT sqrt
#define ABS fabs
#define NAME(what) what##_double
#include "account/observe/certificate_rounds.inc"

static void multiply_double(netdp_rows rows, const double *x, double *y, int32_t lanes)
{
    netdp_i_rows_apply_part(rows, 0, rows.nodes, x, y, lanes);
}

#undef REAL
#undef UNIT
#undef SQRT
#undef ABS
#undef NAME
#define REAL long double
#define UNIT ((double)(LDBL_EPSILON / 2))
#define SQRT sqrtl
#define ABS fabsl
#define NAME(what) what##_long
#include "account/observe/certificate_rounds.inc"

static void multiply_long(netdp_rows rows, const long double *x, long double *y, int32_t lanes)
{
    (void)lanes; /* one */
    for (int32_t v = 0; v < rows.nodes; v++) {
        long double sum = 0;
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++)
            sum += (long double)rows.weight[k] * x[rows.column[k]];
        y[v] = sum;
    }
}

netdp_status netdp_i_shift_loss(const netdp_i_scene *scene, const netdp_i_shift *shift,
                                int32_t lane, double *loss, netdp_error *error)
{
    if (!(scene->least > 0)) {
        for (int32_t l = 0; l < (lane < 0 ? shift->lanes : 1); l++)
            loss[l] = INFINITY;
        return NETDP_OK;
    }
    return lane < 0 ? evaluate_double(scene, shift, 0, shift->lanes, loss, error)
                    : evaluate_long(scene, shift, lane, 1, loss, error);
}

/* ---- The view ---- */

void netdp_i_scene_clear(netdp_i_scene *scene)
{
    netdp_i_free(scene->role);
    netdp_i_free(scene->exempt);
    netdp_i_free(scene->tied);
    netdp_i_free(scene->length);
    netdp_i_free(scene->inverse);
    netdp_i_free(scene->pair);
    netdp_i_free(scene->pairs_of);
    *scene = (netdp_i_scene){0};
}

/* The products of two rows' free parts, in units of these lengths. */
static double product_of(const netdp_i_scene *s, int32_t a, double a_length, int32_t b,
                         double b_length)
{
    const netdp_rows rows = s->rows;
    double sum = 0;
    int64_t i = rows.start[a], j = rows.start[b];
    while (i < rows.start[a + 1] && j < rows.start[b + 1]) {
        if (rows.column[i] == rows.column[j] && s->role[rows.column[i]] == NETDP_I_FREE)
            sum += rows.weight[i] / a_length * (rows.weight[j] / b_length);
        const bool step = rows.column[i] <= rows.column[j];
        j += rows.column[j] <= rows.column[i];
        i += step;
    }
    return sum;
}

/* The one node of the row that is not known, or -1. */
static int32_t only_unknown(const netdp_i_scene *s, int32_t row)
{
    int32_t only = -1;
    for (int64_t k = s->rows.start[row]; k < s->rows.start[row + 1]; k++) {
        if (s->role[s->rows.column[k]] == NETDP_I_KNOWN)
            continue;
        if (only >= 0)
            return -1;
        only = s->rows.column[k];
    }
    return only;
}

/* Does the row say what another does: of all nodes that are not known the same weights, or one alone? */
static bool is_same(const netdp_i_scene *s, int32_t a, int32_t b)
{
    const netdp_rows rows = s->rows;
    const int32_t only = only_unknown(s, a);
    if (only >= 0)
        return only == only_unknown(s, b);
    int64_t i = rows.start[a], j = rows.start[b];
    for (;; i++, j++) {
        while (i < rows.start[a + 1] && s->role[rows.column[i]] == NETDP_I_KNOWN)
            i++;
        while (j < rows.start[b + 1] && s->role[rows.column[j]] == NETDP_I_KNOWN)
            j++;
        if (i == rows.start[a + 1] || j == rows.start[b + 1])
            return i == rows.start[a + 1] && j == rows.start[b + 1];
        if (rows.column[i] != rows.column[j] || rows.weight[i] != rows.weight[j])
            return false;
    }
}

/* The rows that say something of their own. */
static void list_ties(netdp_i_scene *s, const int32_t *member, int32_t members)
{
    s->tied_count = 0;
    for (int32_t i = 0; i < members; i++) {
        const int32_t v = member[i];
        double length = 0;
        bool fresh = false;
        for (int64_t k = s->rows.start[v]; k < s->rows.start[v + 1]; k++) {
            const char role = s->role[s->rows.column[k]];
            fresh = fresh || role == NETDP_I_FREE || role == NETDP_I_CARRIED;
            if (role == NETDP_I_FREE)
                length = hypot(length, s->rows.weight[k]);
        }
        for (int32_t c = 0; fresh && c < s->tied_count; c++)
            fresh = !is_same(s, v, s->tied[c]);
        if (!fresh)
            continue;
        s->length[s->tied_count] = length;
        s->tied[s->tied_count++] = v;
    }
}

/* The inverse of the rows' products, in units of their lengths, and how near it is. */
static netdp_status invert_ties(netdp_i_scene *s, netdp_error *error)
{
    const int64_t m = s->tied_count;
    double *product = NETDP_I_NEW(double, m *m), most = 0;
    lapack_int *pivot = NETDP_I_NEW(lapack_int, m);
    netdp_status status = product == NULL || pivot == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status != NETDP_OK)
        goto done;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            product[i * m + j] = product_of(s, s->tied[i], s->length[i], s->tied[j], s->length[j]);
    memcpy(s->inverse, product, (size_t)(m * m) * sizeof *product);
    if (LAPACKE_dgetrf(LAPACK_ROW_MAJOR, (lapack_int)m, (lapack_int)m, s->inverse, (lapack_int)m,
                       pivot) != 0 ||
        LAPACKE_dgetri(LAPACK_ROW_MAJOR, (lapack_int)m, s->inverse, (lapack_int)m, pivot) != 0) {
        s->least = 0;
        goto done;
    }
    for (int64_t i = 0; i < m; i++) {
        double off = 0;
        for (int64_t j = 0; j < m; j++) {
            double sum = i == j ? -1 : 0, size = 1;
            for (int64_t k = 0; k < m; k++) {
                sum += s->inverse[i * m + k] * product[k * m + j];
                size += fabs(s->inverse[i * m + k]) * product[k * m + j];
            }
            /* rounding of this sum, and of the products: longer sums than these have 1e6 terms */
            off += fabs(sum) + size * ((double)m * DBL_EPSILON + 2e-10);
        }
        most = fmax(most, off);
    }
    s->least = 1 - most; /* NaN where the inverse is none */
done:
    netdp_i_free(product);
    netdp_i_free(pivot);
    return status;
}

netdp_status netdp_i_scene_tie(netdp_i_scene *scene, const int32_t *member, int32_t members,
                               netdp_error *error)
{
    scene->tied = NETDP_I_NEW(int32_t, members);
    scene->length = NETDP_I_NEW(double, members);
    scene->inverse = NETDP_I_NEW(double, (int64_t)members *members);
    if (scene->tied == NULL || scene->length == NULL || scene->inverse == NULL)
        return netdp_i_no_memory(error);
    list_ties(scene, member, members);
    return scene->tied_count > 0 ? invert_ties(scene, error) : NETDP_OK;
}

netdp_status netdp_i_scene_pair(netdp_i_scene *s, const netdp_pairing *pairing, netdp_error *error)
{
    s->pair = NETDP_I_NEW(int32_t, 2 * netdp_graph_edges(pairing->graph));
    s->pairs_of = NETDP_I_NEW(int64_t, s->rows.nodes);
    s->pair_noise = pairing->noise;
    if (s->pair == NULL || s->pairs_of == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < s->rows.nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(pairing->graph, v)[i];
            if (w < v || s->role[v] == NETDP_I_KNOWN || s->role[w] == NETDP_I_KNOWN)
                continue;
            s->pair[2 * s->pair_count] = v;
            s->pair[2 * s->pair_count++ + 1] = w;
            s->pairs_of[v]++;
            s->pairs_of[w]++;
        }
    return NETDP_OK;
}

netdp_status netdp_i_scene_new(const netdp_linear *protocol, int64_t rounds,
                               const netdp_i_observer *observer, double end, netdp_i_scene *scene,
                               netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    netdp_i_scene s = {.protocol = protocol,
                       .rows = rows,
                       .rounds = rounds,
                       .end = end,
                       .tied_always = observer->quiet_count > 0,
                       .role = NETDP_I_NEW(char, rows.nodes),
                       .exempt = NETDP_I_NEW(char, rows.nodes),
                       .least = 1};
    netdp_status status = NETDP_OK;
    if (s.role == NULL || s.exempt == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    memset(s.role, NETDP_I_FREE, (size_t)rows.nodes);
    for (int32_t j = 0; j < observer->seen_count; j++)
        s.role[observer->seen[j]] = NETDP_I_SEEN;
    s.summed = observer->own_counts && observer->pairing != NULL ? observer->quiet[0] : -1;
    for (int32_t j = 0; j < observer->quiet_count; j++)
        s.role[observer->quiet[j]] = s.summed >= 0 ? NETDP_I_SEEN : NETDP_I_KNOWN;
    for (int32_t i = 0; i < observer->member_count; i++)
        s.exempt[observer->member[i]] = 1;
    if (observer->last_sum)
        status = netdp_i_scene_tie(&s, observer->member, observer->member_count, error);
    if (status == NETDP_OK && observer->pairing != NULL)
        status = netdp_i_scene_pair(&s, observer->pairing, error);
    if (status == NETDP_OK) {
        *scene = s;
        s = (netdp_i_scene){0};
    }
done:
    netdp_i_scene_clear(&s);
    return status;
}

/* The ties of a coalition's sums. */
static netdp_status tie_members(const netdp_linear *protocol, const int32_t *member,
                                int32_t members, netdp_i_scene *scene, netdp_error *error)
{
    const netdp_i_observer observer = {.seen_count = members,
                                       .seen = member,
                                       .member_count = members,
                                       .member = member,
                                       .quiet_count = members,
                                       .quiet = member,
                                       .last_sum = true};
    return netdp_i_scene_new(protocol, 1, &observer, 0, scene, error);
}

netdp_status netdp_i_sums_resolved(const netdp_linear *protocol, const int32_t *member,
                                   int32_t members, bool *resolved, netdp_error *error)
{
    netdp_i_scene scene = {0};
    netdp_status status = tie_members(protocol, member, members, &scene, error);
    *resolved = status == NETDP_OK && scene.least > 0;
    netdp_i_scene_clear(&scene);
    return status;
}

netdp_status netdp_i_sums_apart(const netdp_linear *protocol, const int32_t *member,
                                int32_t members, double *apart, netdp_error *error)
{
    netdp_i_scene scene = {0};
    netdp_status status = tie_members(protocol, member, members, &scene, error);
    double inverse = 0, shortest = INFINITY;
    const int64_t m = scene.tied_count;
    *apart = 0;
    for (int64_t i = 0; i < m; i++) {
        double row = 0;
        for (int64_t j = 0; j < m; j++)
            row += fabs(scene.inverse[i * m + j]);
        inverse = fmax(inverse, row * ROUND_UP);
        shortest = fmin(shortest, scene.length[i]);
    }
    /* The inverse of the products is at most this one's over `least`: its largest eigenvalue at most that. */
    if (status == NETDP_OK && m == members && scene.least > 0)
        *apart = shortest * sqrt(scene.least / inverse) / (ROUND_UP * ROUND_UP);
    netdp_i_scene_clear(&scene);
    return status;
}
