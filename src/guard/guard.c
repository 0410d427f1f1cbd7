/*
 * Clip, count, add noise: in integers, so that what is accounted for is what leaves.
 *
 * The noise is 2^PLACES steps of the grid (its standard deviation, or Laplace's scale), and a row
 * has at most `most` steps, the largest whole number with
 *
 *     change * most <= 2^PLACES / noise,    change = 2 where a row is replaced, else 1,
 *
 * in the L2 norm (Gaussian) or L1 norm (Laplace). So the sum of rows moves by at most 1/noise times
 * the noise, exactly. To it comes a true normal that is rounded to whole steps (noise/normal.h): the
 * sum is whole, so that this is the Gaussian mechanism rounded afterwards, mu = 1/noise. Or a
 * discrete Laplace deviate: epsilon = 1/noise, composed as any mechanism of that epsilon
 * (docs/proofs/mechanisms.md, also of rows that were drawn).
 */
#include <netdp/privacy.h>

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "guard/budget.h"
#include "guard/guard.h"
#include "noise/discrete.h"
#include "noise/normal.h"
#include "noise/secure.h"

enum { PLACES = 44 };
#define LEAST_NOISE 0x1p-6
#define MOST_NOISE 0x1p20

/* ---- Open and close ---- */

netdp_status netdp_guard_open(const char *path, const netdp_budget *budget, netdp_guard **guard,
                              netdp_error *error)
{
    NETDP_I_GIVEN(error, path && budget && guard);
    if (!(budget->epsilon >= 0) || !(budget->delta > 0 && budget->delta < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "the budget is epsilon %g at delta %g; give epsilon in [0, inf] and "
                            "delta in (0, 1)",
                            budget->epsilon, budget->delta);
    OWNED netdp_guard *made = NETDP_I_NEW(netdp_guard, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_budget_open(path, budget, &made->budget, error));
    *guard = GIVE(made);
    return NETDP_OK;
}

void netdp_guard_close(netdp_guard *guard)
{
    if (guard == NULL)
        return;
    netdp_i_budget_close(guard->budget);
    netdp_i_free(guard);
}

netdp_status netdp_guard_spent(netdp_guard *guard, netdp_spent *spent, netdp_error *error)
{
    NETDP_I_GIVEN(error, guard && spent);
    return netdp_i_budget_spend(guard->budget, NULL, spent, error);
}

/* ---- Clipping ---- */

typedef struct clipping {
    bool of_sum; /* the L1 norm */
    double clip;
    int64_t most; /* steps */
    int32_t width;
    int64_t *step; /* [width], of the row at hand */
} clipping;

static double norm_of(const clipping *c, const double *row)
{
    double largest = 0, sum = 0;
    for (int32_t k = 0; k < c->width; k++) {
        if (!isfinite(row[k]))
            return NAN;
        largest = fmax(largest, fabs(row[k]));
    }
    for (int32_t k = 0; k < c->width && largest > 0; k++) {
        const double x = fabs(row[k]) / largest;
        sum += c->of_sum ? x : x * x;
    }
    return largest * (c->of_sum ? sum : sqrt(sum)); /* inf where it overflows: all steps are 0 */
}

/* Exact: at most 2^31 numbers, each of at most 2^50 steps. */
static bool is_within(const clipping *c)
{
    unsigned __int128 sum = 0;
    const unsigned __int128 most = (unsigned __int128)c->most;
    for (int32_t k = 0; k < c->width; k++) {
        const uint64_t size = (uint64_t)llabs(c->step[k]);
        if (size > (uint64_t)c->most)
            return false;
        sum += c->of_sum ? size : (unsigned __int128)size * size;
        if (sum > (c->of_sum ? most : most * most))
            return false;
    }
    return true;
}

/* The row in steps, towards 0, at most `most` of them. False: not finite, and counts as 0. */
static bool clip_row(clipping *c, const double *row)
{
    const double norm = norm_of(c, row);
    if (isnan(norm))
        return false;
    const double size = fmax(norm, c->clip);
    for (int32_t k = 0; k < c->width; k++)
        c->step[k] = (int64_t)(row[k] / size * (double)c->most);
    /* Doubles may be off by a few steps. */
    while (!is_within(c))
        for (int32_t k = 0; k < c->width; k++)
            c->step[k] = (int64_t)((double)c->step[k] * (1 - 0x1p-40));
    return true;
}

/* The largest whole number with change * most * noise <= 2^PLACES; fma is exact about its sign. */
static int64_t most_steps(double noise, int change)
{
    const double whole = ldexp(1, PLACES);
    double most = floor(whole / (change * noise));
    while (most > 0 && fma(most, change * noise, -whole) > 0)
        most--;
    return (int64_t)most;
}

/* ---- Release ---- */

/* Only the kinds that a sum can be released by; the others by name, with what there is instead. */
static netdp_status check_kind(const netdp_release *r, bool add_remove, netdp_error *error)
{
    const bool drawn = r->rate > 0 && r->rate < 1;
    switch (r->mechanism) {
    case NETDP_GAUSSIAN:
    case NETDP_LAPLACE:
        return NETDP_OK;
    case NETDP_GAUSSIAN_WITHOUT_REPLACEMENT:
        if (add_remove)
            return netdp_i_fail(error, NETDP_INVALID,
                                "mechanism: rows drawn without replacement are accounted for where "
                                "one is replaced and their number is public; open an account of "
                                "that kind, or draw each by chance and give the rate");
        return drawn || r->rate == 1
                   ? NETDP_OK
                   : netdp_i_fail(error, NETDP_INVALID,
                                  "rate: %g; give which part of all rows was drawn", r->rate);
    case NETDP_EXPONENTIAL:
        return netdp_i_fail(error, NETDP_INVALID,
                            "mechanism: exponential chooses among scores and adds nothing to a "
                            "sum; give the scores to netdp_guard_choose (Python: choose)");
    case NETDP_SUBSAMPLED_GAUSSIAN:
    case NETDP_SUBSAMPLED_GAUSSIAN_REPLACED:
    case NETDP_SUBSAMPLED_LAPLACE:
        return netdp_i_fail(error, NETDP_INVALID,
                            "mechanism: give gaussian or laplace, and of rows drawn by chance the "
                            "rate");
    default:
        return netdp_i_fail(error, NETDP_INVALID,
                            "mechanism: a guard adds Gaussian or Laplace noise, to all rows or to "
                            "those drawn; give one of these (rho-zCDP: gaussian with noise "
                            "1/sqrt(2 rho))");
    }
}

static netdp_status check(const netdp_release *r, bool add_remove, netdp_error *error)
{
    if (!(r->clip > 0 && r->clip < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "clip: %g; must be above 0 and finite", r->clip);
    if (!(r->noise >= LEAST_NOISE && r->noise <= MOST_NOISE))
        return netdp_i_fail(error, NETDP_INVALID,
                            "noise: %g; must lie in [%g, %g], in units of the sensitivity",
                            r->noise, LEAST_NOISE, MOST_NOISE);
    if (r->width < 1 || r->rows < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%lld rows of %d numbers; give at least one number", (long long)r->rows,
                            (int)r->width);
    if (!(r->rate >= 0 && r->rate <= 1))
        return netdp_i_fail(error, NETDP_INVALID, "rate: %g; must lie in (0, 1]", r->rate);
    return check_kind(r, add_remove, error);
}

/*
 * What Laplace noise costs a row that was drawn, never below. Of doubles: 1/noise <= 64 is off by 2^-53 of
 * it, expm1 of it by 2^-46 then, and log1p and the rest by less; all terms are positive.
 */
static double drawn_laplace(double noise, double rate, bool add_remove)
{
    const double own = (add_remove ? 1 : 0.5) / noise;
    const double raised = log1p(rate * expm1(own));
    return (1 + 0x1p-44) * (add_remove ? raised : raised - log1p(rate * expm1(-own)));
}

static netdp_event event_of(const netdp_release *r, bool add_remove)
{
    const bool drawn = r->rate > 0 && r->rate < 1;
    if (r->mechanism == NETDP_LAPLACE)
        return (netdp_event){.mechanism = NETDP_APPROXIMATE,
                             .epsilon = drawn ? drawn_laplace(r->noise, r->rate, add_remove)
                                              : nextafter(1 / r->noise, INFINITY),
                             .count = 1};
    if (drawn && r->mechanism == NETDP_GAUSSIAN_WITHOUT_REPLACEMENT)
        return (netdp_event){
            .mechanism = r->mechanism, .noise = r->noise, .rate = r->rate, .count = 1};
    /* Where a row is replaced noise is in units of twice its most. */
    if (drawn)
        return (netdp_event){.mechanism = add_remove ? NETDP_SUBSAMPLED_GAUSSIAN
                                                     : NETDP_SUBSAMPLED_GAUSSIAN_REPLACED,
                             .noise = add_remove ? r->noise : 2 * r->noise,
                             .rate = r->rate,
                             .count = 1};
    return (netdp_event){.mechanism = NETDP_GAUSSIAN, .noise = r->noise, .count = 1};
}

static netdp_status add_rows(clipping *c, const netdp_release *r, const double *rows,
                             netdp_i_wide *sum, int64_t *dropped, netdp_error *error)
{
    for (int64_t i = 0; i < r->rows; i++) {
        const bool counts = clip_row(c, rows + i * r->width);
        if (!counts && !r->drop)
            return netdp_i_fail(error, NETDP_INVALID,
                                "rows: row %lld is not finite (NaN or infinite); correct it, or "
                                "release with drop, by which such rows count as 0; nothing was "
                                "released",
                                (long long)i);
        *dropped += !counts;
        for (int32_t k = 0; counts && k < r->width; k++)
            sum[k] += c->step[k];
    }
    return NETDP_OK;
}

static void add_noise(const netdp_release *r, netdp_i_secure *source, netdp_i_wide *sum)
{
    const netdp_ratio scale = {UINT64_C(1) << PLACES, 1};
    if (r->mechanism != NETDP_LAPLACE) {
        netdp_i_secure_normals_add(source, PLACES, sum, (size_t)r->width);
        return;
    }
    for (int32_t k = 0; k < r->width; k++)
        sum[k] += netdp_i_secure_discrete_laplace(source, scale);
}

netdp_status netdp_guard_release(netdp_guard *guard, const netdp_release *r, const double *rows,
                                 double *sum, netdp_released *notes, netdp_error *error)
{
    NETDP_I_GIVEN(error, guard && r && sum && (rows || r->rows == 0));
    const netdp_budget *budget = netdp_i_budget_terms(guard->budget);
    TRY(check(r, budget->add_remove, error));
    const netdp_event event = event_of(r, budget->add_remove);
    netdp_released made = {0};
    OWNED netdp_i_wide *total = NETDP_I_NEW(netdp_i_wide, r->width);
    OWNED int64_t *step = NETDP_I_NEW(int64_t, r->width);
    clipping c = {.of_sum = r->mechanism == NETDP_LAPLACE,
                  .clip = r->clip,
                  .width = r->width,
                  .most = most_steps(r->noise, budget->add_remove ? 1 : 2),
                  .step = step};
    if (total == NULL || step == NULL)
        return netdp_i_no_memory(error);
    TRY(add_rows(&c, r, rows, total, &made.dropped, error));
    /* Everything that can fail comes before; then it is spent, and then there is noise. */
    CLEARED(netdp_i_secure_end) netdp_i_secure source = {0};
    if (!netdp_i_secure_begin(&source))
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "the system has no secure random numbers; nothing was released");
    TRY(netdp_i_budget_spend(guard->budget, &event, &made.spent, error));
    add_noise(r, &source, total);
    for (int32_t k = 0; k < r->width; k++)
        sum[k] = (double)total[k] * (r->clip / (double)c.most);
    made.deviation = ldexp(r->clip / (double)c.most, PLACES);
    if (notes != NULL)
        *notes = made;
    return NETDP_OK;
}
