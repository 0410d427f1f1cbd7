/* Second and smallest eigenvalue, gap and mixing time. */
#include "mixing/mixing.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/dense.h"

static netdp_status dense_ends(const netdp_mixing *mixing, double *second, double *smallest,
                               netdp_error *error)
{
    OWNED double *values = NETDP_I_NEW(double, mixing->nodes);
    if (values == NULL)
        return netdp_i_no_memory(error);
    OWNED double *similar =
        mixing->symmetric ? NULL : NETDP_I_NEW(double, (int64_t)mixing->nodes * mixing->nodes);
    if (mixing->symmetric)
        TRY(netdp_i_mixing_eigenvalues(mixing, values, error));
    else {
        if (similar == NULL)
            return netdp_i_no_memory(error);
        TRY(netdp_i_mixing_similar(mixing, similar, error));
    }
    if (similar != NULL)
        TRY(netdp_i_symmetric_eigen(mixing->nodes, similar, values, error));
    *second = values[mixing->nodes - 2];
    *smallest = values[0];
    return NETDP_OK;
}

void netdp_i_spectrum_shape(const netdp_mixing *mixing, netdp_spectrum *spectrum)
{
    if (mixing->components > 1)
        spectrum->second = 1;
    if (mixing->periodic)
        spectrum->smallest = -1;
    spectrum->gap = 1 - fmax(fabs(spectrum->second), fabs(spectrum->smallest));
    if (mixing->components > 1 || mixing->periodic)
        spectrum->gap = 0;
}

/* A single node has nothing but its one copy of 1: second and smallest are 0 and the gap is 1, as
   for uniform mixing. */
netdp_status netdp_mixing_spectrum(const netdp_mixing *mixing, netdp_spectral_method method,
                                   netdp_spectrum *spectrum, netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing && spectrum);
    netdp_spectrum found = {0, 0, 1};
    bool lanczos = method == NETDP_SPECTRAL_LANCZOS ||
                   (method == NETDP_SPECTRAL_AUTO && mixing->nodes > NETDP_DENSE_NODES);
    TRY(netdp_i_check_choice("spectrum", (int64_t)method, NETDP_SPECTRAL_LANCZOS, error));
    if (mixing->nodes > 1) {
        TRY(lanczos ? netdp_i_lanczos_ends(mixing, &found.second, &found.smallest, error)
                    : dense_ends(mixing, &found.second, &found.smallest, error));
        netdp_i_spectrum_shape(mixing, &found);
    }
    *spectrum = found;
    return NETDP_OK;
}

enum { BLOCK = 64 }; /* start nodes of one piece */

/*
 * W^t e_v - 1/n = sum over k < n-1 of values[k]^t vectors_k(v) vectors_k: the last eigenvalue is
 * the one copy of 1, left out, so that nothing cancels.
 */
struct walk {
    int32_t nodes;
    double *values;
    double *vectors;  /* column k is eigenvector k */
    double *power;    /* [nodes] values^t */
    double *norm;     /* [nodes] of ||W^t e_v - 1/n||_2, which bounds 2 TV / sqrt(n) */
    double *scratch;  /* for each thread: coefficients and results of a block */
    double *worst;    /* [pieces] the largest TV of a block */
    double threshold; /* start nodes whose bound is below need no look */
};

/* The largest TV of `count` start nodes from `first` on; coefficient and law are [BLOCK][nodes]. */
static double block_distance(const struct walk *walk, int32_t first, int32_t count,
                             double *coefficient, double *law)
{
    int32_t n = walk->nodes;
    for (int32_t b = 0; b < count; b++)
        for (int32_t k = 0; k < n - 1; k++)
            coefficient[(int64_t)b * n + k] =
                walk->power[k] * walk->vectors[(int64_t)k * n + first + b];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, count, n - 1, 1.0, walk->vectors, n,
                coefficient, n, 0.0, law, n);
    double worst = 0;
    for (int32_t b = 0; b < count; b++) {
        double total = 0;
        for (int32_t u = 0; u < n; u++)
            total += fabs(law[(int64_t)b * n + u]);
        worst = fmax(worst, total / 2);
    }
    return worst;
}

static netdp_status block_piece(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    struct walk *walk = context;
    int32_t n = walk->nodes, first = (int32_t)index * BLOCK;
    int32_t count = n - first < BLOCK ? n - first : BLOCK;
    double *coefficient = walk->scratch + (int64_t)thread * 2 * BLOCK * n;
    double bound = 0;
    for (int32_t b = 0; b < count; b++)
        bound = fmax(bound, sqrt(n) * walk->norm[first + b] / 2);
    walk->worst[index] = 0;
    if (bound > walk->threshold)
        walk->worst[index] =
            block_distance(walk, first, count, coefficient, coefficient + (int64_t)BLOCK * n);
    return NETDP_OK;
}

static void set_time(struct walk *walk, int64_t rounds)
{
    int32_t n = walk->nodes;
    for (int32_t k = 0; k < n - 1; k++)
        walk->power[k] = pow(walk->values[k], (double)rounds);
    memset(walk->norm, 0, (size_t)n * sizeof *walk->norm);
    for (int32_t k = 0; k < n - 1; k++)
        for (int32_t v = 0; v < n; v++) {
            double part = walk->power[k] * walk->vectors[(int64_t)k * n + v];
            walk->norm[v] += part * part;
        }
    for (int32_t v = 0; v < n; v++)
        walk->norm[v] = sqrt(walk->norm[v]);
}

/* Is the walk from every node within the threshold after `rounds` steps? */
static netdp_status all_mixed(struct walk *walk, int64_t rounds, bool *mixed, netdp_error *error)
{
    int64_t pieces = ((int64_t)walk->nodes + BLOCK - 1) / BLOCK;
    set_time(walk, rounds);
    TRY(netdp_i_for_each(pieces, block_piece, walk, NULL, "the mixing time", error));
    double worst = 0;
    for (int64_t i = 0; i < pieces; i++)
        worst = fmax(worst, walk->worst[i]);
    *mixed = worst <= walk->threshold;
    return NETDP_OK;
}

/* The same for the one start node that is furthest in the 2-norm: cheap, and usually decisive. */
static bool one_mixed(struct walk *walk, int64_t rounds)
{
    set_time(walk, rounds);
    int32_t furthest = 0;
    for (int32_t v = 1; v < walk->nodes; v++)
        if (walk->norm[v] > walk->norm[furthest])
            furthest = v;
    double *scratch = walk->scratch;
    return block_distance(walk, furthest, 1, scratch, scratch + (int64_t)BLOCK * walk->nodes) <=
           walk->threshold;
}

/*
 * TV never grows with t, for any start. First the least t at which the furthest node is mixed:
 * a lower bound on the answer. Then all nodes, doubling the stride until they are mixed, and
 * bisection between.
 */
static netdp_status search(struct walk *walk, int64_t *rounds, netdp_error *error)
{
    const int64_t most = (int64_t)1 << 62;
    int64_t low = 0, high = 1; /* not mixed at low */
    while (high < most && !one_mixed(walk, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (one_mixed(walk, middle))
            high = middle;
        else
            low = middle;
    }
    /* `low` may still be where only the furthest node is known not to be mixed: enough. */
    bool mixed = false;
    for (int64_t stride = 1; !mixed; stride *= 2) {
        TRY(all_mixed(walk, high, &mixed, error));
        if (!mixed) {
            low = high;
            if (high > most)
                return netdp_i_fail(error, NETDP_NO_ANSWER,
                                    "the mixing time is above 2^62 rounds; the gap is too small");
            high += stride;
        }
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        TRY(all_mixed(walk, middle, &mixed, error));
        if (mixed)
            high = middle;
        else
            low = middle;
    }
    *rounds = high;
    return NETDP_OK;
}

static netdp_status start_walk(struct walk *walk, const netdp_mixing *mixing, netdp_error *error)
{
    int64_t n = walk->nodes;
    walk->values = NETDP_I_NEW(double, n);
    walk->vectors = NETDP_I_NEW(double, n *n);
    if (walk->values == NULL || walk->vectors == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_mixing_eigen(mixing, walk->values, walk->vectors, error));
    walk->power = NETDP_I_NEW(double, n);
    walk->norm = NETDP_I_NEW(double, n);
    walk->scratch = NETDP_I_NEW(double, 2 * BLOCK * n * netdp_i_threads());
    walk->worst = NETDP_I_NEW(double, (n + BLOCK - 1) / BLOCK);
    if (walk->power == NULL || walk->norm == NULL || walk->scratch == NULL || walk->worst == NULL)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

static void walk_clear(struct walk *walk)
{
    netdp_i_free(walk->values);
    netdp_i_free(walk->vectors);
    netdp_i_free(walk->power);
    netdp_i_free(walk->norm);
    netdp_i_free(walk->scratch);
    netdp_i_free(walk->worst);
}

netdp_status netdp_mixing_time(const netdp_mixing *mixing, double accuracy, int64_t *rounds,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing && rounds);
    /* A distance that equals the accuracy in exact arithmetic must count as reached. */
    CLEARED(walk_clear)
    struct walk walk = {.nodes = mixing->nodes, .threshold = accuracy + 1e-12};
    int64_t found = -1;
    if (!(accuracy > 0 && accuracy < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "a mixing time to accuracy %g; give a number between 0 and 1",
                            accuracy);
    if (mixing->nodes > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_INVALID,
                            "the mixing time of %d nodes; it is computed for up to %d, choose a "
                            "smaller graph",
                            (int)mixing->nodes, NETDP_DENSE_NODES);
    if (mixing->components == 1 && 1 - 1.0 / mixing->nodes <= walk.threshold) {
        found = 0; /* TV is 1 - 1/n before the first step */
    } else if (mixing->components == 1 && !mixing->periodic) {
        TRY(start_walk(&walk, mixing, error));
        TRY(search(&walk, &found, error));
    }
    *rounds = found;
    return NETDP_OK;
}
