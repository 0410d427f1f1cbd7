/*
 * What the noise alone does to a result: the sum over its sources of their variance times the energy
 * of the result's response to them, mode by mode of W; or node by node, by sparse products, where
 * that is less: one node stands for all where W is the same from each.
 */
#include <netdp/account.h>

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "account/gossip/pairs_left.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/alike.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* A minute, and the memory of a changing network's responses. */
#define MOST_PRODUCTS 1e11
#define MOST_BYTES 4e9

/* sum_{k=1}^{count} x^k for x in [0, 1], without cancellation near 1. */
static double geometric(double x, double count)
{
    if (x <= 0 || count <= 0)
        return 0;
    if (x >= 1)
        return count;
    const double log_x = log(x);
    return x * expm1(count * log_x) / expm1(log_x);
}

/* nu_t^2 */
static double variance(const netdp_linear *protocol, int64_t round)
{
    const double noise = netdp_linear_noise(protocol, round);
    return noise * noise;
}

/* The same for accelerated gossip, by its recursion: from round 0 and from every later round. */
static double accelerated_energy(const netdp_linear *protocol, double theta, double weight)
{
    double before = 1, now = theta, energy = 0;
    for (int64_t t = 1; t < protocol->rounds; t++) {
        const double next = weight * theta * now + (1 - weight) * before;
        before = now;
        now = next;
    }
    energy = now * now;
    before = 0;
    now = 1;
    for (int64_t age = 1; age < protocol->rounds; age++) {
        const double next = weight * theta * now + (1 - weight) * before;
        before = now;
        now = next;
        energy += variance(protocol, protocol->rounds - age) * now * now;
    }
    return energy;
}

/* The response of the result to what one mode of round 0 carries. */
static double first_response(const netdp_linear *protocol, double theta, double weight)
{
    double before = 1, now = theta;
    if (!protocol->accelerate)
        return pow(fmax(-1, fmin(1, theta)), (double)protocol->rounds);
    for (int64_t t = 1; t < protocol->rounds; t++) {
        const double next = weight * theta * now + (1 - weight) * before;
        before = now;
        now = next;
    }
    return now;
}

/* sum_pq r^(N-1-p) r^(N-1-q) Q_pq: what the noises of all phases leave, in units of a last one. */
static double quiet_energy(const netdp_quiet *quiet, double r)
{
    double energy = 0;
    for (int64_t q = 0; q < quiet->phases; q++) {
        double sum = 0;
        for (int64_t p = q; p < quiet->phases; p++)
            sum = r * sum + quiet->factor[p * quiet->phases + q];
        energy += sum * sum;
    }
    return energy;
}

/* sum_j nu_j^2 (response of the result to noise of round j)^2 of one mode. */
static double mode_energy(const netdp_linear *protocol, double theta, double weight)
{
    if (protocol->accelerate)
        return accelerated_energy(protocol, theta, weight);
    /* s_T = W^T (x + u_0) + sum_{t=1}^{T-1} nu_t W^{T-t} u_t */
    const double square = fmin(1, theta * theta), rounds = (double)protocol->rounds;
    double energy = pow(square, rounds), power = square;
    if (protocol->noise.decay == 0)
        return energy +
               protocol->noise.dither * protocol->noise.dither * geometric(square, rounds - 1);
    for (int64_t t = protocol->rounds - 1; t > 0 && power > 0; t--, power *= square)
        energy += variance(protocol, t) * power;
    return energy;
}

/*
 * The same of a changing network, with its realised W_t: backwards, with R = W_t ... W_{T-1} the
 * transpose of the response of the result to what round t mixes, each noise adds its row of R.
 */
static netdp_status changing_energy(const netdp_linear *protocol, double *energy, int32_t *results,
                                    netdp_error *error)
{
    const int64_t n = netdp_mixing_rows(protocol->mixing).nodes;
    if (2.0 * (double)(n * n * (int64_t)sizeof(double)) > MOST_BYTES)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "the exact error of the noise on a changing network takes more than %g "
                            "bytes; fewer nodes",
                            MOST_BYTES);
    OWNED_BY(netdp_sequence_free) netdp_sequence *sequence = NULL;
    OWNED double *r = NETDP_I_NEW(double, n *n);
    OWNED double *mixed = NETDP_I_NEW(double, n *n);
    OWNED bool *living = NETDP_I_NEW(bool, n);
    if (r == NULL || mixed == NULL || living == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_sequence_new(protocol->mixing, &protocol->varying, &sequence, error));
    TRY(netdp_variation_living(protocol->mixing, &protocol->varying, living, results, error));
    for (int64_t v = 0; v < n; v++)
        r[v * n + v] = living[v]; /* a node that failed has no result */
    *energy = 0;
    for (int64_t t = protocol->rounds - 1; t >= 0; t--) {
        netdp_round round;
        TRY(netdp_sequence_round(sequence, t, &round, error));
        for (int32_t i = 0; i < round.active_count; i++) {
            const int32_t v = round.active[i];
            double *sum = mixed + i * n;
            memset(sum, 0, (size_t)n * sizeof *sum);
            for (int64_t j = round.rows.start[v]; j < round.rows.start[v + 1]; j++)
                cblas_daxpy((int)n, round.rows.weight[j], r + round.rows.column[j] * n, 1, sum, 1);
        }
        for (int32_t i = 0; i < round.active_count; i++)
            memcpy(r + round.active[i] * n, mixed + i * n, (size_t)n * sizeof *r);
        const double noise = variance(protocol, t);
        const int64_t drawing = t == 0 ? n : round.active_count;
        for (int64_t i = 0; i < drawing; i++) {
            const double *row = r + (t == 0 ? i : round.active[i]) * n;
            *energy += noise * cblas_ddot((int)n, row, 1, row, 1);
        }
        for (int64_t k = 0; t == 0 && netdp_pairing_is(&protocol->noise.pairing) && k < n; k++)
            *energy += netdp_i_pairs_energy(&protocol->noise.pairing, r + k, n);
    }
    return NETDP_OK;
}

/* Rounds whose noise is added up one by one. */
enum { MOST_ROUNDS = 10000000 };

static netdp_status check(const netdp_linear *protocol, netdp_error *error)
{
    TRY(netdp_linear_check(protocol, error));
    const bool changes = protocol->varying.kind != NETDP_VARY_NEVER;
    if (protocol->own != NULL)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "the error of the noise is known where all nodes have as much");
    if (protocol->rounds > MOST_ROUNDS && (protocol->noise.decay > 0 || changes))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "the error of noise that changes from round to round is added up round "
                            "by round: at most %d of them",
                            MOST_ROUNDS);
    if (protocol->every > 0 && (!protocol->reacts || protocol->steady || changes))
        return netdp_i_fail(error, NETDP_INVALID,
                            "the error of the noise is known for averaging and for phases of "
                            "learning on a network that does not change");
    return NETDP_OK;
}

/* Of one eigenvalue; pairs: what their noise brings beside a node's own. */
static double energy_of(const netdp_linear *protocol, double value, double weight, double pairs)
{
    netdp_linear phase = *protocol; /* the rounds behind one contribution */
    if (protocol->every > 0) {
        phase.rounds = protocol->every;
        phase.every = 0;
    }
    const double response = first_response(&phase, value, weight), first = response * response;
    double energy = mode_energy(&phase, value, weight) + pairs * first;
    if (protocol->every > 0)
        energy = (energy + protocol->noise.end * protocol->noise.end) *
                 (1 + geometric(first, (double)(protocol->rounds / protocol->every - 1)));
    if (netdp_quiet_is(&protocol->quiet))
        energy += (1 + pairs) * first *
                  (quiet_energy(&protocol->quiet, response) -
                   (1 + geometric(first, (double)(protocol->quiet.phases - 1))));
    return energy;
}

/* ---- Node by node ---- */

enum {
    BLOCK = 8,  /* columns that go through the products together */
    SMALL = 64, /* all eigenvalues of so few take no time: nobody asks whether they are alike */
};

typedef struct nodes {
    const netdp_linear *protocol;
    netdp_rows rows;
    double weight;   /* Chebyshev's */
    double *scratch; /* [threads][3][nodes][BLOCK] */
    int32_t count;   /* how many nodes are asked */
    double *energy;  /* [blocks] */
} nodes;

/* next = weight W now + (1 - weight) before, or W now; then they move on. */
static void advance(const nodes *z, double *column[3], int32_t width)
{
    double *next = column[2];
    netdp_i_rows_apply_part(z->rows, 0, z->rows.nodes, column[1], next, width);
    for (int64_t i = 0; z->protocol->accelerate && i < (int64_t)z->rows.nodes * width; i++)
        next[i] = z->weight * next[i] + (1 - z->weight) * column[0][i];
    column[2] = column[0];
    column[0] = column[1];
    column[1] = next;
}

static double square_of(const nodes *z, const double *column, int32_t width)
{
    return cblas_ddot(z->rows.nodes * width, column, 1, column, 1);
}

/* What each of a block of nodes leaves in all results: its noise of round 0, and of the later ones. */
static netdp_status energy_of_block(void *context, int64_t block, int thread, netdp_error *error)
{
    nodes *z = context;
    const int64_t n = z->rows.nodes, first = block * BLOCK;
    const int32_t width = (int32_t)(z->count - first < BLOCK ? z->count - first : BLOCK);
    const int64_t rounds = z->protocol->rounds;
    double *scratch = z->scratch + (int64_t)thread * 3 * n * BLOCK, energy = 0;
    double *column[3] = {scratch, scratch + n * BLOCK, scratch + 2 * n * BLOCK};
    (void)error;
    for (int later = 0; later < 2; later++) {
        /* Accelerated rounds begin with one plain mixing; a later noise has nothing before it. */
        memset(scratch, 0, (size_t)(3 * n * BLOCK) * sizeof *scratch);
        if (later == 1 && z->protocol->noise.dither == 0)
            break;
        for (int32_t i = 0; i < width; i++)
            column[1][(first + i) * width + i] = 1;
        if (later == 0) {
            memcpy(column[0], column[1], (size_t)(n * width) * sizeof *scratch);
            netdp_i_rows_apply_part(z->rows, 0, (int32_t)n, column[0], column[1], width);
        }
        for (int64_t t = 1; t < rounds; t++) {
            advance(z, column, width);
            if (later == 1)
                energy += variance(z->protocol, rounds - t) * square_of(z, column[1], width);
        }
        if (later == 0)
            energy += square_of(z, column[1], width);
    }
    z->energy[block] = energy;
    return NETDP_OK;
}

/* Multiplications that the products take; INFINITY where they do not tell all. */
static double products_work(const netdp_linear *protocol, int32_t *count)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    if (protocol->every > 0 || netdp_pairing_is(&protocol->noise.pairing) ||
        netdp_quiet_is(&protocol->quiet))
        return INFINITY;
    *count = rows.nodes > SMALL && netdp_i_rows_alike(rows) ? 1 : rows.nodes;
    return (protocol->noise.dither == 0 ? 1.0 : 2.0) * *count * (double)protocol->rounds *
           ((double)rows.start[rows.nodes] + rows.nodes);
}

static void nodes_clear(nodes *z)
{
    netdp_i_free(z->scratch);
    netdp_i_free(z->energy);
}

static netdp_status energy_by_products(const netdp_linear *protocol, int32_t count, double *energy,
                                       netdp_error *error)
{
    CLEARED(nodes_clear)
    nodes z = {.protocol = protocol, .rows = netdp_mixing_rows(protocol->mixing), .count = count};
    const int32_t blocks = (count + BLOCK - 1) / BLOCK;
    netdp_spectrum spectrum = {0};
    if (protocol->accelerate)
        TRY(netdp_mixing_spectrum(protocol->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error));
    z.weight = netdp_linear_chebyshev(spectrum.gap);
    z.scratch = NETDP_I_NEW(double, (int64_t)netdp_i_threads() * 3 * z.rows.nodes * BLOCK);
    z.energy = NETDP_I_NEW(double, blocks);
    if (z.scratch == NULL || z.energy == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(blocks, energy_of_block, &z, NULL, "products of W", error));
    *energy = 0;
    for (int32_t i = 0; i < blocks; i++)
        *energy += z.energy[i] * z.rows.nodes / count;
    return NETDP_OK;
}

/* Over all eigenvalues. */
static netdp_status energy_by_modes(const netdp_linear *protocol, double *energy,
                                    netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    const bool pairs = netdp_pairing_is(&protocol->noise.pairing);
    OWNED double *value = NETDP_I_NEW(double, n);
    OWNED double *vector = pairs ? NETDP_I_NEW(double, (int64_t)n *n) : NULL;
    double gap = 1;
    if (value == NULL || (pairs && vector == NULL))
        return netdp_i_no_memory(error);
    if (pairs)
        TRY(netdp_i_mixing_eigen(protocol->mixing, value, vector, error));
    else
        TRY(netdp_i_mixing_eigenvalues(protocol->mixing, value, error));
    *energy = 0;
    for (int32_t k = 0; k + 1 < n; k++)
        gap = fmin(gap, 1 - fabs(value[k]));
    const double weight = netdp_linear_chebyshev(gap);
    for (int32_t k = 0; k < n; k++)
        *energy += energy_of(
            protocol, value[k], weight,
            pairs ? netdp_i_pairs_energy(&protocol->noise.pairing, vector + (int64_t)k * n, 1) : 0);
    return NETDP_OK;
}

/* Of a network that does not change: the way that takes less. */
static netdp_status fixed_energy(const netdp_linear *protocol, double *energy, netdp_error *error)
{
    const double n = netdp_mixing_rows(protocol->mixing).nodes;
    int32_t count = 0;
    const double work = products_work(protocol, &count);
    if (n <= NETDP_DENSE_NODES && work > n * n * n)
        return energy_by_modes(protocol, energy, error);
    if (work > MOST_PRODUCTS)
        return netdp_i_fail(
            error, NETDP_NO_ANSWER,
            "the exact error of the noise needs all eigenvalues of W, or products that "
            "take more than minutes: at most %d nodes here",
            NETDP_DENSE_NODES);
    return energy_by_products(protocol, count, energy, error);
}

netdp_status netdp_noise_error(const netdp_linear *protocol, double *error_of, netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && error_of);
    TRY(check(protocol, error));
    double energy = 0;
    int32_t results = netdp_mixing_rows(protocol->mixing).nodes;
    TRY(protocol->varying.kind != NETDP_VARY_NEVER
            ? changing_energy(protocol, &energy, &results, error)
            : fixed_energy(protocol, &energy, error));
    *error_of = energy / (2.0 * results);
    return NETDP_OK;
}
