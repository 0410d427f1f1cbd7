#include "account/gossip/stream_proof.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "account/observe/certificate.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/rounding.h"
#include "base/try.h"

/* Norms themselves are computed: this much covers their rounding. */
#define NORMS 1.001

/* The part of |A|^m that is left when its sum over ages is a geometric one. */
#define LEFT 0.5

static double frobenius(const double *x, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += x[k] * x[k];
    return NORMS * sqrt(sum);
}

/* ---- The basis ---- */

typedef struct defects {
    double orthogonal; /* |CC' - I| */
    double lifted;     /* its longest row */
    double invariant;  /* |W C - C theta| */
    double drawn;      /* |D| in coordinates, and what that misses of the pairs' part */
    double paired;
} defects;

static void measure_rows(const netdp_i_basis *basis, double *gram, defects *found)
{
    const int64_t n = basis->nodes;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)n, basis->modes, 1, basis->rows,
                basis->modes, 0, gram, (int)n);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < j; i++)
            gram[j * n + i] = gram[i * n + j];
        gram[j * n + j] -= 1;
    }
    const double rounding = NORMS * netdp_i_gamma((double)n + 2);
    for (int64_t j = 0; j < n; j++)
        found->lifted = netdp_i_most(found->lifted, frobenius(gram + j * n, n));
    found->lifted += rounding * sqrt((double)n);
    found->orthogonal = frobenius(gram, n * n) + rounding * (double)n;
}

static void measure_image(const netdp_mixing *mixing, const netdp_i_basis *basis, double *image,
                          defects *found)
{
    const int64_t n = basis->nodes, r = basis->modes;
    const netdp_rows rows = netdp_mixing_rows(mixing);
    double rounding = 0;
    netdp_mixing_apply(mixing, basis->rows, image, (int32_t)r);
    for (int64_t u = 0; u < n; u++) {
        double taken = 1;
        for (int64_t k = rows.start[u]; k < rows.start[u + 1]; k++)
            taken += rows.weight[k] >= 0 ? rows.weight[k] : INFINITY; /* alpha needs that */
        rounding =
            hypot(rounding, taken * netdp_i_gamma((double)(rows.start[u + 1] - rows.start[u]) + 4));
        for (int64_t k = 0; k < r; k++)
            image[u * r + k] -= basis->rows[u * r + k] * basis->theta[k];
    }
    found->invariant = frobenius(image, n * r) + NORMS * rounding;
}

static netdp_status measure_basis(const netdp_mixing *mixing, const netdp_i_basis *basis,
                                  defects *found, netdp_error *error)
{
    const int64_t n = basis->nodes;
    double *work = NETDP_I_NEW(double, n *n);
    if (work == NULL)
        return netdp_i_no_memory(error);
    *found = (defects){0};
    measure_rows(basis, work, found);
    measure_image(mixing, basis, work, found);
    netdp_i_free(work);
    return NETDP_OK;
}

/*
 * What the filter's E E' misses of the covariance of noise in pairs: it is a sum of squares of `count` rows of length kappa sqrt(2) at most, each right to some units,
 * of which those of one that counts its own noise are made of its partners'; then (CC') L (CC') - L, |L| at most twice the largest degree.
 */
static void measure_pairs(const netdp_i_observer *observer, int r, defects *found)
{
    found->drawn = sqrt(r);
    if (observer->pairing == NULL)
        return;
    const netdp_graph *graph = observer->pairing->graph;
    const double energy = observer->pairing->kappa * observer->pairing->kappa,
                 basis = 1 + found->orthogonal;
    double own = 0, degree = 0;
    for (int32_t v = 0; v < netdp_graph_nodes(graph); v++)
        degree = fmax(degree, netdp_graph_degree(graph, v));
    if (observer->own_counts)
        own = netdp_graph_degree(graph, observer->quiet[0]);
    const double count = (double)netdp_graph_edges(graph) + own;
    const double squares = NORMS * 2 * energy * count * basis * basis;
    found->drawn += squares;
    found->paired = basis * basis * 2 * netdp_i_gamma(count + 4 * own + 16) * squares +
                    (4 + found->orthogonal) * found->orthogonal * 2 * energy * (degree + 1);
}

/* ---- The gains ---- */

static double norm_above(const double *a, int64_t r)
{
    double row = 0, column = 0;
    for (int64_t j = 0; j < r; j++) {
        double down = 0, along = 0;
        for (int64_t i = 0; i < r; i++) {
            down += fabs(a[j * r + i]);
            along += fabs(a[i * r + j]);
        }
        column = netdp_i_most(column, down);
        row = netdp_i_most(row, along);
    }
    return fmin(NORMS * sqrt(row * column), frobenius(a, r * r));
}

/* Largest norms over rounds: Frobenius, of the inverse spectral. */
typedef struct sizes {
    bool resolved; /* every observation is of full rank, or of none that is known already */
    double lower, inverse, gain;
    double apart; /* of S gain - L, as far as it can be computed */
    double *work; /* [seen][seen] */
} sizes;

static netdp_status measure_gain(const netdp_i_gain *gain, const netdp_i_basis *basis,
                                 const netdp_i_observer *observer, sizes *all, netdp_error *error)
{
    const int64_t s = observer->seen_count, r = basis->modes;
    double *work = all->work;
    if (gain->rank == 0 && isinf(gain->unit[0]))
        return NETDP_OK;
    if (gain->rank < s) {
        all->resolved = false;
        return NETDP_OK;
    }
    for (int64_t j = 0; j < s; j++)
        for (int64_t i = 0; i < s; i++)
            work[j * s + i] =
                cblas_ddot((int)r, basis->rows + observer->seen[gain->pivot[i] - 1] * r, 1,
                           gain->gain + j * r, 1) -
                (i < j ? 0 : gain->lower[j * s + i]);
    all->apart = netdp_i_most(all->apart, frobenius(work, s * s));
    for (int64_t j = 0; j < s; j++)
        for (int64_t i = 0; i < s; i++)
            work[j * s + i] = i < j ? 0 : gain->lower[j * s + i];
    all->lower = netdp_i_most(all->lower, frobenius(work, s * s));
    all->gain = netdp_i_most(all->gain, frobenius(gain->gain, r * s));
    if (LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', (int)s, work, (int)s) != 0)
        return netdp_i_no_memory(error);
    all->inverse = netdp_i_most(all->inverse, norm_above(work, s));
    return NETDP_OK;
}

static netdp_status measure_gains(const netdp_i_gains *gains, const netdp_i_basis *basis,
                                  const netdp_i_observer *observer, sizes *all, netdp_error *error)
{
    const int64_t s = observer->seen_count;
    OWNED double *work = NETDP_I_NEW(double, s *s);
    if (work == NULL)
        return netdp_i_no_memory(error);
    *all = (sizes){.resolved = true, .work = work};
    for (int64_t t = 0; t < gains->count; t++)
        TRY(measure_gain(&gains->gain[t], basis, observer, all, error));
    if (gains->last.lower != NULL)
        TRY(measure_gain(&gains->last, basis, observer, all, error));
    /* What the computed inverse misses of the true one. */
    all->inverse *= NORMS;
    all->resolved =
        all->resolved && netdp_i_gamma(2.0 * (double)(s * s)) * all->inverse * all->lower < 1e-4;
    return NETDP_OK;
}

/* ---- The steady round ---- */

/*
 * Above the sum over ages of |A^age|^2, A = theta (I - gain C): by squaring A until little is left,
 * the sum up to age 2^j is at most the product of 1 + |A^(2^i)|^2 over i < j.
 */
static netdp_status sum_of_powers(const netdp_i_gains *gains, int modes, double *sum,
                                  netdp_error *error)
{
    const int64_t r = modes;
    OWNED double *a = NETDP_I_NEW(double, r *r);
    OWNED double *next = NETDP_I_NEW(double, r *r);
    CLEARED(netdp_i_response_clear) netdp_i_response unit = {0};
    if (a == NULL || next == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_response_new(gains->filter, modes, &unit, error));
    for (int64_t k = 0; k < r; k++)
        unit.e[k * r + k] = 1;
    netdp_i_response_learn(&unit, netdp_i_gains_at(gains, gains->count));
    netdp_i_response_predict(&unit);
    memcpy(a, unit.e, (size_t)(r * r) * sizeof *a);
    *sum = 1;
    for (int power = 0; power < 40; power++) {
        const double norm = norm_above(a, r);
        if (norm <= LEFT) {
            *sum *= NORMS / (1 - norm * norm);
            return NETDP_OK;
        }
        *sum *= 1 + norm * norm;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, modes, modes, modes, 1, a, modes, a,
                    modes, 0, next, modes);
        double *swap = a;
        a = next;
        next = swap;
    }
    *sum = INFINITY;
    return NETDP_OK;
}

/* ---- Together ---- */

/*
 * How long what comes into the coalition stays there, at most: y with (I - W_AA) y >= 1, which is then at least the least
 * such, or infinite. `at` [nodes]: a node's place among the members, or -1; y [members].
 */
static netdp_status find_stay(netdp_rows rows, const int32_t *member, int32_t members,
                              const int32_t *at, double *y, netdp_error *error)
{
    const int64_t m = members;
    OWNED double *left = NETDP_I_NEW(double, m *m);
    OWNED lapack_int *pivot = NETDP_I_NEW(lapack_int, m);
    if (left == NULL || pivot == NULL)
        return netdp_i_no_memory(error);
    for (int64_t a = 0; a < m; a++) {
        left[a * m + a] = y[a] = 1;
        for (int64_t k = rows.start[member[a]]; k < rows.start[member[a] + 1]; k++)
            if (at[rows.column[k]] >= 0)
                left[a * m + at[rows.column[k]]] -= rows.weight[k];
    }
    const bool solved =
        LAPACKE_dgesv(LAPACK_ROW_MAJOR, members, 1, left, members, pivot, y, 1) == 0;
    bool holds = solved;
    for (int64_t a = 0; solved && a < m; a++)
        y[a] *= NORMS;
    for (int64_t a = 0; solved && a < m; a++) {
        double rest = y[a], size = y[a];
        for (int64_t k = rows.start[member[a]]; k < rows.start[member[a] + 1]; k++)
            if (at[rows.column[k]] >= 0) {
                rest -= rows.weight[k] * y[at[rows.column[k]]];
                size += rows.weight[k] * y[at[rows.column[k]]];
            }
        holds = holds && y[a] > 0 && rest - netdp_i_gamma((double)m + 4) * size >= 1;
    }
    for (int64_t a = 0; !holds && a < m; a++)
        y[a] = INFINITY;
    return NETDP_OK;
}

/* Above the norm of W_OA (I - W_AA)^{-1}: its columns add up to 1, its rows to what they reach of the stay. */
static netdp_status come_out(const netdp_linear *protocol, const int32_t *member, int32_t members,
                             double *norm, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    OWNED int32_t *at = NETDP_I_NEW(int32_t, rows.nodes);
    OWNED double *y = NETDP_I_NEW(double, members);
    double most = 1;
    if (at == NULL || y == NULL)
        return netdp_i_no_memory(error);
    memset(at, -1, (size_t)rows.nodes * sizeof *at);
    for (int32_t a = 0; a < members; a++)
        at[member[a]] = a;
    TRY(find_stay(rows, member, members, at, y, error));
    for (int32_t v = 0; v < rows.nodes; v++) {
        double row = 0;
        for (int64_t k = rows.start[v]; at[v] < 0 && k < rows.start[v + 1]; k++)
            row += at[rows.column[k]] >= 0 ? rows.weight[k] * y[at[rows.column[k]]] : 0;
        most = netdp_i_most(most, row);
    }
    *norm = sqrt(NORMS * most);
    return NETDP_OK;
}

netdp_status netdp_i_stream_worth(const netdp_linear *protocol, const int32_t *member,
                                  int32_t members, bool sums, double *worth, netdp_error *error)
{
    double size = 0;
    TRY(sums ? netdp_i_sums_apart(protocol, member, members, &size, error)
             : come_out(protocol, member, members, &size, error));
    *worth = NORMS * (sums ? 2 + 8 / (size * size) : 1 + size * size);
    return NETDP_OK;
}

/* How errors enter with rounds: what is added to the noise, and where a response's own begin. */
typedef struct entries {
    double basis, seen, heard; /* |C|; |w| per |E|; the error of w per |E| */
    double lift;               /* of gains that are lifted to the nodes */
    double apart;              /* of S gain - L, with its rounding, and `lift` */
} entries;

static entries find_entries(const netdp_i_retrace *retrace, int r, int s, const defects *d,
                            const sizes *z)
{
    entries e = {.basis = 1 + d->orthogonal};
    const double root = sqrt(s), c = e.basis;
    if (retrace != NULL)
        e.lift = NORMS * (netdp_i_gamma(r) * sqrt(retrace->nodes) * c * z->gain +
                          netdp_i_gamma(s) * retrace->largest * z->lower);
    e.apart = NORMS * (z->apart + netdp_i_gamma(r + 2) * root * c * z->gain) + e.lift;
    e.seen = NORMS * z->inverse * c;
    e.heard = z->inverse * (netdp_i_gamma(r) * root * c + netdp_i_gamma(s) * z->lower * e.seen);
    return e;
}

/* |D_t - D| */
static double find_noise(const netdp_i_gains *gains, bool last_sum, const entries *e, int s,
                         const defects *d, const sizes *z)
{
    const double u = DBL_EPSILON / 2, root = sqrt(s), h = e->apart;
    const double c = e->basis, p = NORMS * gains->size, g = z->gain, l = z->lower;
    const int r = gains->basis->modes;
    /* gain L' - P S' and S gain - L; P + Z and gain + H make both 0 */
    const double image = netdp_i_gamma(r) * p * root * c, solve = netdp_i_gamma(s) * g * l;
    const double fit = 2 * NORMS * (c * (image + solve) + h * l), after = p + g * g;
    const double update = c * c * (netdp_i_gamma(s + 1) * after + 5 * u * (after + d->drawn));
    double noise = 2 * fit + update + 2 * c * g * h + h * h + 2 * d->invariant * c * after +
                   4 * d->orthogonal + 6 * u * r + d->paired;
    const double open = 1 + c * g * z->inverse;
    if (gains->steady)
        noise +=
            c * c * r * gains->change * (last_sum ? open * open : 1) + (last_sum ? 2 * noise : 0);
    return noise;
}

/* Of responses that are followed: per unit of a state's length. */
static void follow_states(const netdp_i_ages *shown, int r, int s, double price, const entries *e,
                          const defects *d, const sizes *z, netdp_i_stream_proof *proof)
{
    const double u = DBL_EPSILON / 2, hidden = sqrt(2 * price);
    const double c = e->basis, g = z->gain, l = z->lower;
    const double moved = c * (netdp_i_gamma(s + 1) * (1 + g * e->seen) + 3 * u) + d->invariant +
                         e->apart * e->seen + c * g * e->heard;
    double rows = 0;
    const int64_t each = (int64_t)r * s;
    for (int64_t a = 0; a < shown->ages; a++) {
        rows += frobenius(shown->rows + a * each, each);
        rows += shown->last != NULL ? frobenius(shown->last + a * each, each) : 0;
    }
    const double back = 4 * u + netdp_i_gamma(r) * g * e->seen +
                        netdp_i_gamma(s + 2) * (1 + e->seen * g) +
                        netdp_i_gamma(s) * z->inverse * l;
    proof->state = NORMS * (e->heard + hidden * moved);
    proof->made = NORMS * hidden * d->lifted;
    proof->steady = NORMS * (2 * back * rows * proof->lasts + netdp_i_gamma(r) * rows +
                             1e-19 * e->seen * r * proof->lasts);
}

/* Of rows that are followed backwards. */
static void follow_rows(const netdp_linear *protocol, const netdp_i_retrace *retrace, double noise,
                        double price, const entries *e, const sizes *z, netdp_i_stream_proof *proof)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const double n = rows.nodes, s = retrace->width, kappa = NORMS * retrace->largest;
    double degree = 0, taken = 1;
    for (int64_t u = 0; u < rows.nodes; u++) {
        double sum = 0;
        degree = fmax(degree, (double)(rows.start[u + 1] - rows.start[u]));
        for (int64_t k = rows.start[u]; k < rows.start[u + 1]; k++)
            sum += rows.weight[k] >= 0 ? rows.weight[k] : INFINITY; /* the price needs that */
        taken = netdp_i_most(taken, sum);
    }
    proof->back =
        NORMS * (netdp_i_gamma(degree + 2) * taken * (1 + kappa) +
                 netdp_i_gamma((double)netdp_i_retrace_terms(rows.nodes) + 1) * taken * kappa);
    proof->begun = NORMS * (netdp_i_gamma(s) * z->inverse * z->inverse * z->lower * sqrt(s) +
                            1e-20 * z->inverse * sqrt(n * s));
    proof->peak = (e->basis * e->basis * NORMS * retrace->gains->norm + noise +
                   2 * noise * ((double)protocol->rounds + 1)) /
                  (1 - 2 * price * noise);
}

netdp_status netdp_i_stream_proof_new(const netdp_linear *protocol,
                                      const netdp_i_observer *observer, const netdp_i_gains *gains,
                                      const netdp_i_ages *shown, const netdp_i_retrace *retrace,
                                      netdp_i_stream_proof *proof, netdp_error *error)
{
    const netdp_i_basis *basis = gains->basis;
    const int s = observer->seen_count, r = basis->modes;
    double powers = 1, price = INFINITY;
    defects d = {0};
    sizes z = {0};
    *proof = (netdp_i_stream_proof){.holds = false};
    TRY(measure_basis(protocol->mixing, basis, &d, error));
    measure_pairs(observer, r, &d);
    TRY(measure_gains(gains, basis, observer, &z, error));
    if (gains->steady && retrace == NULL)
        TRY(sum_of_powers(gains, r, &powers, error));
    TRY(netdp_i_stream_worth(protocol, observer->member, observer->member_count, observer->last_sum,
                             &price, error));
    const entries e = find_entries(retrace, r, s, &d, &z);
    const double noise = find_noise(gains, observer->last_sum, &e, s, &d, &z);
    const int64_t felt = shown->first + shown->ages,
                  slots = (protocol->rounds - 1) / protocol->every + 1;
    const int64_t beside = 2 * (felt / protocol->every + 1) + 1;
    *proof = (netdp_i_stream_proof){.scale = NORMS * price * noise,
                                    .lasts = sqrt(powers),
                                    .terms = (felt + 1) * s + slots + 4,
                                    .beside = beside < slots ? beside : slots};
    if (retrace == NULL)
        follow_states(shown, r, s, price, &e, &d, &z, proof);
    else
        follow_rows(protocol, retrace, noise, price, &e, &z, proof);
    proof->holds = z.resolved && d.orthogonal < 1e-6 && proof->scale < 0.5 && isfinite(powers);
    return NETDP_OK;
}

double netdp_i_stream_gram_error(const netdp_i_stream_proof *proof, const double *m, int64_t slots,
                                 bool row)
{
    double trace = 0, largest = 0;
    for (int64_t k = 0; k < slots; k++) {
        trace += m[k * slots + k];
        largest = fmax(largest, m[k * slots + k]);
    }
    const double each = NORMS * netdp_i_gamma((double)proof->terms) * (double)proof->beside;
    return each * (row ? largest : trace);
}

double netdp_i_stream_drift(const netdp_i_stream_proof *proof, const netdp_i_states *states,
                            int64_t early, int64_t late)
{
    const double lasting = proof->state * proof->lasts + proof->steady;
    return proof->state * states->before + lasting * states->there +
           NORMS * lasting * (double)late + proof->made * (double)(early + late);
}

double netdp_i_stream_drift_back(const netdp_i_stream_proof *proof, const netdp_i_retrace *retrace,
                                 double lengths, int64_t rounds, int64_t most)
{
    const double all = sqrt((double)rounds + 1);
    return NORMS * sqrt(proof->peak * (double)most) *
           (proof->back * lengths + all * (proof->back * retrace->shown + proof->begun));
}

double netdp_i_stream_outward(const netdp_i_stream_proof *proof, double drift, double bound)
{
    if (!proof->holds)
        return INFINITY;
    const double root = sqrt(bound) + NORMS * drift;
    return root * root / (1 - proof->scale) * (1 + 1e-15);
}
