/*
 * The attack on tallies: the observers of a token that sums or counts.
 *
 * The path is known, so the view is what the token gathers between two visits of the observers, and
 * the increments are independent: their log-likelihood ratios add. All others contribute the same
 * known value. Nothing here is taken from the accountants.
 *
 * Noise that cancels in pairs makes the increments one Gaussian (tally_pairs.c).
 *
 * Sums: the victim contributes `low` in world 0 and `high` in world 1. An increment with k
 * contributions of it, the known part taken off, is noise or noise plus k Delta.
 *
 * Histograms: the victim has level 0 or 1. Of the counts c of an increment with k responses of the
 * victim of law q, and the others multinomial of law p, the likelihood is, but for a factor
 * without q, the coefficient of z^k in prod_l (1 + q_l z / p_l)^c_l.
 */
#include <netdp/audit.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <netdp/simulate.h>

#include "audit/parties.h"
#include "audit/tally_pairs.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

enum {
    SHARE = 32,            /* runs of each world between two looks at the progress */
    LAPLACE_TERMS = 64,    /* beyond as many, their sum is scored as if it were normal */
    MOST_CONTRIBUTED = 63, /* an increment with more of the victim's responses is left out */
    FAULTS = NETDP_FAULT_HALF_NOISE | NETDP_FAULT_NO_CLIP,
};

/* Numbers in the views of a thread's run at hand. */
#define MOST_SEEN (INT64_C(1) << 27)

/* Laplace scores this far out, in units of the scale, are linear. */
#define FAR_OUT 1e4

/* What the token has gathered since the observers sent it on. */
typedef struct gathered {
    const double *sent;   /* what it was then, [width]; NULL: nothing */
    int64_t from;         /* the first step */
    int64_t mine, others; /* contributions of the victim, of others who are not observers */
    int64_t fill;
} gathered;

/* One thread's. */
typedef struct player {
    double *values;           /* [nodes] */
    int64_t *count;           /* [nodes] contributions so far */
    int32_t *path;            /* [steps + 1] */
    double *seen;             /* [steps + 1][width] */
    netdp_estimate *estimate; /* [width] */
} player;

typedef struct attack {
    const netdp_tally_attack *asked;
    const netdp_progress *progress;
    netdp_tally tally; /* as it runs, with what is broken */
    int32_t width;
    double other;    /* value of everyone else */
    double value[2]; /* of the victim */
    bool *observer;  /* [nodes] */
    player *player;  /* [threads] */
    double *scores;  /* [2][runs] */
    bool paired;     /* noise cancels in pairs, and the increments hang together */
    netdp_i_pair_view pairs;
} attack;

/* ---- Sums ---- */

/*
 * Log density of the sum of n Laplace variables of scale 1 at x, up to a constant:
 * e^-|x| sum_{i < n} a_i |x|^i, a_i / a_{i-1} = 2 (n - i) / ((2 n - 1 - i) i).
 */
static double laplace_log(double n, double x)
{
    const double far = fabs(x), near = fmin(far, FAR_OUT);
    double sum = 1;
    if (n > LAPLACE_TERMS)
        return -x * x / (4 * n);
    for (double i = n - 1; i >= 1; i--)
        sum = 1 + sum * near * 2 * (n - i) / ((2 * n - 1 - i) * i);
    return log(sum) - far;
}

/* Gaussian noise exactly; discrete Gaussian and Laplace noise exactly where it is one term's. */
static double score_sum(const attack *a, const gathered *g, int64_t until, const double *seen)
{
    const netdp_tally *tally = &a->tally;
    const double noise = tally->noise, energy = netdp_tally_energy(tally, g->from, until);
    const double shift = (double)g->mine, move = *seen - (g->sent != NULL ? *g->sent : 0);
    const double known = tally->low * (double)(g->mine + g->others);
    const double y = tally->mechanism == NETDP_DISCRETE_GAUSSIAN
                         ? move / tally->grid
                         : (move - known) / (tally->high - tally->low);
    const double apart = y - shift / 2;
    if (energy == 0 || noise == 0)
        return apart > 0 ? INFINITY : -INFINITY;
    if (tally->mechanism == NETDP_LAPLACE && isinf(apart / noise))
        return apart; /* beyond what doubles hold on both sides: the sign tells */
    if (tally->mechanism == NETDP_LAPLACE)
        return laplace_log(energy, (y - shift) / noise) - laplace_log(energy, y / noise);
    return apart != 0 ? apart / noise * (shift / (energy * noise)) : 0;
}

/* ---- Histograms ---- */

/* Probability of a response of `level` to `value`. */
static double response(const netdp_tally *tally, int32_t level, double value)
{
    return tally->flip / tally->levels + (level == value ? 1 - tally->flip : 0);
}

/*
 * Of one element of the others, a mixture of the fill and of contributions: exact without a fill,
 * else a statistic near to it. Not 0.
 */
static double other_law(const attack *a, const gathered *g, int32_t level)
{
    const double part = 1.0 / a->tally.levels, all = (double)(g->others + g->fill);
    if (all == 0)
        return part;
    const double answers = (double)g->others * response(&a->tally, level, a->other);
    return fmax((answers + (double)g->fill * part) / all, 1e-200);
}

/* coefficient [degree + 1] of a polynomial, times (1 + x z)^count. */
static void multiply(double *coefficient, int64_t degree, double count, double x)
{
    for (int64_t j = degree; j >= 0; j--) {
        double term = 1, sum = coefficient[j];
        for (int64_t r = 1; r <= j && r <= (int64_t)count; r++) {
            term *= (count - (double)r + 1) / (double)r * x;
            sum += term * coefficient[j - r];
        }
        coefficient[j] = sum;
    }
}

static double score_histogram(const attack *a, const gathered *g, const double *seen)
{
    double series[2][MOST_CONTRIBUTED + 1] = {{1}, {1}}, scale = 0;
    if (g->mine > MOST_CONTRIBUTED)
        return 0;
    for (int world = 0; world < 2; world++)
        for (int32_t i = 0; i < a->width; i++)
            scale += (seen[i] - (g->sent != NULL ? g->sent[i] : 0)) *
                     response(&a->tally, i, a->value[world]) / other_law(a, g, i);
    for (int32_t i = 0; i < a->width && scale > 0; i++) {
        const double count = seen[i] - (g->sent != NULL ? g->sent[i] : 0);
        const double unit = (double)g->mine / scale / other_law(a, g, i);
        for (int world = 0; world < 2; world++)
            multiply(series[world], g->mine, count, unit * response(&a->tally, i, a->value[world]));
    }
    const double zero = series[0][g->mine], one = series[1][g->mine];
    return zero == one ? 0 : log(one) - log(zero);
}

/* ---- The view ---- */

/*
 * To multiples of 2^-32. Laplace scores pile up at their ends, and the last bits there would tell
 * whether the noise was added to 0 or to something larger (Mironov, CCS 2012): true of floating
 * point, but the claims are about numbers.
 */
static double without_last_bits(double score)
{
    return ldexp(nearbyint(ldexp(score, 32)), -32);
}

/* Does a node contribute once more? */
static bool contributes(const attack *a, player *p, int32_t node)
{
    return p->count[node]++ < a->tally.cap || a->tally.cap == 0;
}

static double score_view(const attack *a, player *p)
{
    const netdp_tally *tally = &a->tally;
    const int64_t steps = netdp_tally_steps(tally);
    gathered g = {.fill = netdp_tally_fill(tally)};
    double score = 0;
    memset(p->count, 0, (size_t)tally->nodes * sizeof *p->count);
    for (int64_t t = 0; t <= steps; t++) {
        const int32_t at = p->path[t];
        const double *seen = p->seen + t * a->width;
        if (!a->observer[at] && t < steps) {
            *(at == a->asked->victim ? &g.mine : &g.others) += contributes(a, p, at);
            continue;
        }
        if (!a->observer[at] && !tally->release)
            break;
        if (g.mine > 0)
            score += tally->task == NETDP_TALLY_SUM ? score_sum(a, &g, t, seen)
                                                    : score_histogram(a, &g, seen);
        g = (gathered){.sent = seen + a->width, .from = t + 1};
    }
    return without_last_bits(score);
}

/* ---- Runs ---- */

static netdp_status play(const attack *a, player *p, int world, int64_t run, netdp_error *error)
{
    const netdp_tallying tallying = {&a->tally, p->values, 1, 0.95};
    const netdp_run_seed seed = {a->asked->seed, 2 * (uint64_t)run + (uint64_t)world};
    const netdp_tracing silent = {.every = 1, .progress = a->progress};
    p->values[a->asked->victim] = a->value[world];
    TRY(netdp_simulate_tally(&tallying, seed, silent, p->estimate, NULL, p->path, p->seen, error));
    a->scores[world * a->asked->runs + run] =
        a->paired ? netdp_i_pair_view_score(&a->pairs, &a->tally, a->observer, seed, p->seen)
                  : score_view(a, p);
    return NETDP_OK;
}

static netdp_status play_share(void *context, int64_t index, int thread, netdp_error *error)
{
    const attack *a = context;
    const int64_t first = index * SHARE, left = a->asked->runs - first;
    for (int64_t i = 0; i < (left < SHARE ? left : SHARE); i++)
        for (int world = 0; world < 2; world++)
            TRY(play(a, &a->player[thread], world, first + i, error));
    return NETDP_OK;
}

/* Elements of one run. */
enum { MOST_FILL = 1 << 24 };

static netdp_status check_attack(const netdp_tally_attack *asked, netdp_error *error)
{
    const netdp_tally *tally = asked->tally;
    TRY(netdp_tally_check(tally, error));
    const bool sum = tally->task == NETDP_TALLY_SUM;
    TRY(netdp_i_check_parties(tally->nodes, asked->victim, asked->count, asked->observers, error));
    if (asked->runs < 1 || asked->runs > INT32_MAX || (asked->faults & ~(unsigned)FAULTS) != 0 ||
        (!sum && (asked->faults & NETDP_FAULT_NO_CLIP) != 0))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "attack: give 1 to 2^31 - 1 runs, and faults that a token aggregation can have: "
            "half the noise, and sums without clipping");
    if (netdp_tally_fill(tally) > MOST_FILL)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "attack: a fill of %" PRId64 " elements; at most %d are simulated",
                            netdp_tally_fill(tally), MOST_FILL);
    if ((netdp_tally_steps(tally) + 1) > MOST_SEEN / netdp_tally_width(tally))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "attack: a run of %" PRId64 " steps with %" PRId32 " numbers each is "
                            "too long to be kept; give fewer steps",
                            netdp_tally_steps(tally), netdp_tally_width(tally));
    return NETDP_OK;
}

/* The tally that runs: without clipping the victim's values lie twice as far apart, and the noise
   stays what it was. */
static netdp_tally broken(const netdp_tally_attack *asked)
{
    netdp_tally tally = *asked->tally;
    if ((asked->faults & NETDP_FAULT_HALF_NOISE) != 0) {
        tally.noise /= 2;
        tally.flip /= 2;
    }
    if ((asked->faults & NETDP_FAULT_NO_CLIP) != 0) {
        tally.high += tally.high - tally.low;
        tally.noise /= 2;
        tally.grid = tally.grid > INT32_MAX / 2 ? tally.grid : 2 * tally.grid;
    }
    return tally;
}

static netdp_status player_new(const attack *a, player *p, netdp_error *error)
{
    const int64_t room = netdp_tally_steps(&a->tally) + 1;
    p->values = NETDP_I_NEW(double, a->tally.nodes);
    p->count = NETDP_I_NEW(int64_t, a->tally.nodes);
    p->path = NETDP_I_NEW(int32_t, room);
    p->seen = NETDP_I_NEW(double, room * a->width);
    p->estimate = NETDP_I_NEW(netdp_estimate, a->width);
    if (p->values == NULL || p->count == NULL || p->path == NULL || p->seen == NULL ||
        p->estimate == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < a->tally.nodes; i++)
        p->values[i] = a->other;
    return NETDP_OK;
}

static netdp_status attack_new(attack *a, netdp_error *error)
{
    const bool sum = a->tally.task == NETDP_TALLY_SUM;
    a->width = netdp_tally_width(&a->tally);
    a->value[0] = sum ? a->tally.low : 0;
    a->value[1] = sum ? a->tally.high : 1;
    /* Where there is a third level, no other is taken for the victim but by chance. */
    a->other = !sum && a->tally.levels > 2 ? 2 : a->value[0];
    a->observer = NETDP_I_NEW(bool, a->tally.nodes);
    a->scores = NETDP_I_NEW(double, 2 * a->asked->runs);
    a->player = NETDP_I_NEW(player, netdp_i_threads());
    if (a->observer == NULL || a->scores == NULL || a->player == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < a->asked->count; i++)
        a->observer[a->asked->observers[i]] = true;
    a->paired = netdp_pairing_is(&a->tally.pairing) && a->tally.noise > 0;
    if (a->paired)
        TRY(netdp_i_pair_view_new(&a->tally, a->observer, a->asked->victim, &a->pairs, error));
    for (int i = 0; i < netdp_i_threads(); i++)
        TRY(player_new(a, &a->player[i], error));
    return NETDP_OK;
}

static void attack_clear(attack *a)
{
    for (int i = 0; a->player != NULL && i < netdp_i_threads(); i++) {
        netdp_i_free(a->player[i].values);
        netdp_i_free(a->player[i].count);
        netdp_i_free(a->player[i].path);
        netdp_i_free(a->player[i].seen);
        netdp_i_free(a->player[i].estimate);
    }
    netdp_i_pair_view_clear(&a->pairs);
    netdp_i_free(a->observer);
    netdp_i_free(a->scores);
    netdp_i_free(a->player);
}

netdp_status netdp_attack_tally(const netdp_tally_attack *asked, const netdp_progress *progress,
                                double *scores, netdp_error *error)
{
    NETDP_I_GIVEN(error, asked && scores);
    CLEARED(attack_clear) attack a = {.asked = asked, .progress = progress};
    TRY(check_attack(asked, error));
    a.tally = broken(asked);
    TRY(attack_new(&a, error));
    TRY(netdp_i_for_each((asked->runs + SHARE - 1) / SHARE, play_share, &a, progress, "attack",
                         error));
    memcpy(scores, a.scores, 2 * (size_t)asked->runs * sizeof *scores);
    return NETDP_OK;
}
