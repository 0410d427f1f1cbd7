/*
 * The exponential mechanism, exactly: scores as whole steps, coins of exp(-p/q) in integers.
 *
 * A step is a power of two, 2^-PLACES of the sensitivity or less, and scores are rounded down to it. If two
 * scores differ by at most the sensitivity, at most `most` steps, so do their roundings. A candidate
 * that is drawn uniformly is kept with probability exp(-epsilon (best - own) / (2 most)), else another is
 * drawn: P of each is proportional to exp(epsilon own / (2 most)), whose losses lie in a range of epsilon.
 */
#include <netdp/privacy.h>

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "guard/guard.h"
#include "noise/secure.h"

/* Scores beyond 2^60 steps are those; epsilon is used in steps of 2^-40, rounded down. */
enum { PLACES = 44, FARTHEST = 60, FRACTION = 40 };
#define MOST_EPSILON 64
#define MOST_SENSITIVITY 0x1p900

static netdp_status check(const double *score, int64_t count, double sensitivity, double epsilon,
                          netdp_error *error)
{
    if (count < 1)
        return netdp_i_fail(error, NETDP_INVALID, "scores: %lld; give one or more",
                            (long long)count);
    if (!(sensitivity >= 1 / MOST_SENSITIVITY && sensitivity <= MOST_SENSITIVITY))
        return netdp_i_fail(error, NETDP_INVALID,
                            "sensitivity: %g; must be above 0 and finite (1e-270 to 1e270): the "
                            "most that one row changes of a score",
                            sensitivity);
    if (!(epsilon > 0 && epsilon <= MOST_EPSILON))
        return netdp_i_fail(error, NETDP_INVALID, "epsilon: %g; must be above 0, at most %d",
                            epsilon, MOST_EPSILON);
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(score[i]))
            return netdp_i_fail(
                error, NETDP_INVALID,
                "scores: number %lld is not finite (NaN or infinite); leave out what "
                "must not be chosen, whatever the rows are; nothing was chosen",
                (long long)i);
    return NETDP_OK;
}

/* score / 2^-places, rounded down. */
static int64_t steps_of(double score, int places)
{
    const double most = ldexp(1, FARTHEST), scaled = ldexp(score, places);
    if (scaled == 0 && score < 0) /* below the least double */
        return -1;
    return (int64_t)floor(fmin(fmax(scaled, -most), most));
}

static int64_t draw(netdp_i_secure *source, const int64_t *step, int64_t count, int64_t most,
                    double epsilon)
{
    const uint64_t part = (uint64_t)ldexp(epsilon, FRACTION);
    const unsigned __int128 below = (unsigned __int128)most << (FRACTION + 1);
    int64_t best = step[0];
    for (int64_t i = 1; i < count; i++)
        best = step[i] > best ? step[i] : best;
    for (;;) {
        const int64_t i = (int64_t)netdp_i_secure_below(source, (uint64_t)count);
        if (netdp_i_secure_coin_exp(source, (unsigned __int128)(best - step[i]) * part, below))
            return i;
    }
}

netdp_status netdp_guard_choose(netdp_guard *guard, const double *score, int64_t count,
                                double sensitivity, double epsilon, int64_t *chosen,
                                netdp_error *error)
{
    NETDP_I_GIVEN(error, guard && score && chosen);
    TRY(check(score, count, sensitivity, epsilon, error));
    OWNED int64_t *step = NETDP_I_NEW(int64_t, count);
    if (step == NULL)
        return netdp_i_no_memory(error);
    int exponent;
    const int64_t most = (int64_t)ceil(ldexp(frexp(sensitivity, &exponent), PLACES));
    for (int64_t i = 0; i < count; i++)
        step[i] = steps_of(score[i], PLACES - exponent);
    CLEARED(netdp_i_secure_end) netdp_i_secure source = {0};
    const netdp_event event = {.mechanism = NETDP_EXPONENTIAL, .epsilon = epsilon, .count = 1};
    if (!netdp_i_secure_begin(&source))
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "the system has no secure random numbers; nothing was chosen");
    TRY(netdp_i_budget_spend(guard->budget, &event, NULL, error));
    *chosen = draw(&source, step, count, most, epsilon);
    return NETDP_OK;
}
