#include "account/walk/mixture/mixture.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/mixture/in_time.h"
#include "account/walk/mixture/long_walk.h"
#include "account/walk/mixture/released.h"
#include "account/walk/spread.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/*
 * E z^C for many z at once, from runs of contributions within a piece, and from piece to piece by
 * Fourier transforms in time.
 */
enum { LANES = NETDP_I_LANES };

/*
 * Points of the grid of costs, on a walk that is followed step by step and on a long one, where
 * small costs add up; in a cost of 1 are so many times as many at most.
 */
enum { POINTS = 256, LONG_POINTS = NETDP_I_COST_POINTS, FINEST = 16 };

/* The same where they are to compose. */
enum { COMPOSED_POINTS = 512, LONG_COMPOSED_POINTS = 1024 };

/* Fewer samples are not worth a look. */
enum { FIRST_SAMPLES = 24 };

/*
 * What samples that are not known may add, in parts of delta, and the noise at which that is looked
 * at: it hardly depends on it, since the costs that count for delta hardly do.
 */
#define ENOUGH 2e-3
#define USUAL_NOISE 4.0

/* Grid of costs where its points do not matter, since nothing is moved to them. */
enum { FINE = 240 };

/* The cap is reached so often, and rounding adds so little in parts, that contributions over the cap
   are worse to count. */
#define OFTEN 0.25
#define QUIET 0.25

/* Beyond, a Renyi mean leaves the doubles. */
#define LARGEST_EXPONENT 600.0

/* ln of the mean of a tilted law: beyond, the rounding of high costs drowns the low ones. */
#define MOST_TILTED 8.0

/* The same on a walk of random length, which hardly rounds. */
#define MOST_LENGTHENED 15.0

/* Tilts that are looked at, eight at a time. */
#define TILT_RATIO 1.7
#define USUAL_TILT 0.5
#define LEAST_TILT 1e-5
#define MOST_TILT 1e4
enum { MOST_LOOKS = 8 };

/* Points of a grid of costs for them, in parts of the least. */
#define FINE_LOOK 120.0

/* Where a period ends a tilt has taken away so much, or all: what jumps there takes many samples. */
#define FADED 25.0

/* Part of delta that a law may lose. */
#define LITTLE 1e-4

/* Paths of several tokens where a release is not followed, at most: of more another law tells less. */
#define MOST_OPEN 0.05

/* What rounding may add to the mass of no cost, in parts of what the law may lose: it falls with the
   cost as the tilt does, and counts for as little there as small costs do. */
#define LOUD 1e4

/*
 * A tilt that would show costs beyond the largest, so many times, only coarsens their grid: it is not taken. A walk
 * of random length is followed at few points of z by it, and at all by the usual one.
 */
#define FARTHEST 4.0

/*
 * What rounding may add to a walk of random length, in parts of delta, as the tilt has it at costs so near to
 * Chernoff's bound on those that count: where it is more, a smaller tilt is looked at too.
 */
#define LOUDEST 0.5
#define NEAR 0.75

/* By how much a sum of probabilities may be off. */
#define ROUNDED 1e-13

/* One pair, on a walk that is short enough for it step by step, or of random length. */
typedef struct chain {
    bool timed;
    netdp_i_in_time in_time; /* none where its count is 0 */
    netdp_i_long_walk long_walk;
    netdp_i_runs *runs;
    double count;    /* contributions that are followed, at most */
    double overflow; /* P(more contributions than are followed) */
} chain;

static void chain_clear(chain *c)
{
    netdp_i_in_time_clear(&c->in_time);
    netdp_i_long_walk_clear(&c->long_walk);
}

static bool is_timed(const netdp_i_time_grid *grid)
{
    return grid->times > 0;
}

/* *made: is there one? */
static netdp_status chain_new(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                              const netdp_i_mixture_asked *asked, chain *c, bool *made,
                              netdp_error *error)
{
    *c = (chain){.timed = is_timed(grid)};
    *made = false;
    if (!c->timed) {
        const bool some = asked->cap > 0 && asked->cap < grid->steps;
        c->count = (double)(some && !asked->from_end ? asked->cap : grid->steps);
        c->runs = &c->long_walk.runs;
        TRY(netdp_i_long_walk_new(grid, hunt, asked->from_end, some ? asked->cap : 0, asked->delta,
                                  &c->long_walk, error));
        c->overflow = c->long_walk.overflow;
        *made = true;
        return NETDP_OK;
    }
    TRY(netdp_i_in_time_new(grid, hunt, asked->cap, asked->delta, &c->in_time, error));
    c->count = (double)c->in_time.count;
    c->overflow = c->in_time.overflow;
    c->runs = &c->in_time.runs;
    *made = c->in_time.count > 0;
    return NETDP_OK;
}

/* A grid of costs; log_mean: of what the samples are tilted to, about. */
static netdp_status chain_set(chain *c, netdp_i_returns *hunt, double log_mean, int64_t per,
                              double bend, netdp_error *error)
{
    return c->timed ? netdp_i_runs_set(c->runs, hunt, per, bend, error)
                    : netdp_i_long_walk_set(&c->long_walk, hunt, log_mean, per, bend, error);
}

/* mean [LANES] at z_j = e^{tilt_j + 2 pi i turn_j / points} */
static void find_means(chain *c, const double *tilt, const int64_t *turn, int64_t points,
                       netdp_i_mean *mean)
{
    netdp_i_runs_follow(c->runs, tilt, turn, points);
    if (!c->timed)
        netdp_i_long_walk_means(&c->long_walk, turn[0] == 0, mean);
    for (int j = 0; j < LANES && c->timed; j++)
        mean[j] = netdp_i_in_time_mean(&c->in_time, j);
}

/* ---- the law ---- */

/* ln of the mean of e^{rate C}, from a coarse grid; `usable` as the tilt of a law. */
typedef struct tilted {
    double rate, all;
    bool usable;
} tilted;

static void find_tilted(chain *c, const netdp_i_mixture_asked *asked, double least, tilted *found)
{
    const double per = (double)c->runs->per;
    const int64_t turns[LANES] = {0};
    double tilts[LANES];
    netdp_i_mean at[LANES];
    for (int j = 0; j < LANES; j++)
        tilts[j] = least * pow(TILT_RATIO, j) / per;
    find_means(c, tilts, turns, 1, at);
    for (int j = 0; j < LANES; j++) {
        found[j].rate = tilts[j] * per;
        found[j].all = isfinite(at[j].off) ? log1p(at[j].re) * asked->tokens : INFINITY;
        found[j].usable = found[j].all < (c->timed ? MOST_TILTED : MOST_LENGTHENED) &&
                          (!c->timed || at[j].off < fmax(LOUD * LITTLE * asked->delta, ROUNDED));
    }
}

/*
 * A period that is long enough for a tilt: what lies beyond it has little mass, and as it wraps
 * around, tilted, little of the mean: e^{rate C} 1{C > x} <= e^{other C - (other - rate) x}.
 */
static double reach_of(const tilted *found, int j, const netdp_i_mixture_asked *asked)
{
    const double rate = found[j].rate;
    const double seen = 1.02 * (found[j].all - log(LITTLE * asked->delta)) / rate;
    double around = INFINITY;
    for (int i = j + 1; i < LANES; i++)
        if (isfinite(found[i].all))
            around = fmin(around, (found[i].all - log(LITTLE)) / (found[i].rate - rate));
    return found[j].usable ? fmax(seen, around) : INFINITY;
}

/* Up to which cost the law is worth following, and the tilt that shows it. */
typedef struct range {
    double under;                /* no tilt is as large */
    double most, tilt, log_mean; /* ln of the mean of what is tilted, about */
    double cost;                 /* above it costs count for less than delta: Chernoff's bound */
    bool usual;                  /* no tilt was worth more than one that goes by the largest cost */
} range;

/* Tilts that were looked at: each LANES of them once, whatever is then taken. */
typedef struct looks {
    chain rough, *at; /* of a long walk a rough grid is looked at */
    int count;
    double least[MOST_LOOKS];
    tilted found[MOST_LOOKS][LANES];
} looks;

static void looks_clear(looks *l)
{
    chain_clear(&l->rough);
}

static netdp_status looks_begin(looks *l, const netdp_i_time_grid *grid, chain *c,
                                netdp_i_returns *hunt, const netdp_i_mixture_asked *asked,
                                netdp_error *error)
{
    bool made = false;
    if (grid->rough != NULL)
        TRY(chain_new(grid->rough, hunt, asked, &l->rough, &made, error));
    l->at = made ? &l->rough : c;
    return NETDP_OK;
}

/* *found: LANES tilts from `least` on. */
static netdp_status look(looks *l, netdp_i_returns *hunt, const netdp_i_mixture_asked *asked,
                         double least, const tilted **found, netdp_error *error)
{
    int i = 0;
    while (i < l->count && l->least[i] != least)
        i++;
    if (i == l->count) {
        const int64_t per = (int64_t)ceil(fmax(12, FINE_LOOK * least));
        TRY(chain_set(l->at, hunt, MOST_LENGTHENED, per, 0.1, error));
        find_tilted(l->at, asked, least, l->found[i]);
        l->least[l->count++] = least;
    }
    *found = l->found[i];
    return NETDP_OK;
}

/* The shortest reach of LANES tilts from `least` on; *last: is the last of them usable? */
static netdp_status find_reach(looks *l, netdp_i_returns *hunt, const netdp_i_mixture_asked *asked,
                               double least, bool *last, range *r, netdp_error *error)
{
    const double most = l->at->count * asked->tokens;
    const tilted *found;
    TRY(look(l, hunt, asked, least, &found, error));
    for (int j = 0; j < LANES; j++) {
        const double whole = found[j].usable ? fmax(most, FADED / found[j].rate) : INFINITY;
        const double reach = fmin(reach_of(found, j, asked), whole);
        r->cost = fmin(r->cost, (found[j].all - log(asked->delta)) / found[j].rate);
        if (reach < r->most && found[j].rate < r->under) {
            r->most = reach;
            r->tilt = found[j].rate;
            r->log_mean = found[j].all;
        }
    }
    *last = found[LANES - 1].usable;
    return NETDP_OK;
}

/* No guarantee rests on it. */
static netdp_status find_range(looks *l, netdp_i_returns *hunt, const netdp_i_mixture_asked *asked,
                               range *r, netdp_error *error)
{
    const double most = l->at->count * asked->tokens, apart = pow(TILT_RATIO, LANES);
    bool more = true;
    r->most = r->cost = INFINITY;
    for (double least = USUAL_TILT; more && least < MOST_TILT; least *= apart)
        TRY(find_reach(l, hunt, asked, least, &more, r, error));
    for (double least = USUAL_TILT / apart; isinf(r->most) && least > LEAST_TILT; least /= apart)
        TRY(find_reach(l, hunt, asked, least, &more, r, error));
    r->usual = r->most > (l->at->timed ? most : FARTHEST * most); /* no cost is above */
    if (r->usual) {
        r->most = most;
        r->tilt = fmin(0.35, 8 / most);
        r->log_mean = 0;
    }
    return NETDP_OK;
}

/*
 * E z^C at z_j = e^{tilt + 2 pi i j / points}, j = 0, 1 .. until they tell enough, or all are known;
 * law->off: at j = 0, for all.
 */
static void sample(chain *c, const netdp_i_mixture_asked *asked, netdp_i_cost_law *law)
{
    const int64_t all = law->atoms / 2 + 1;
    double about = 0, rest = 0; /* the answer by the samples of an earlier look */
    while (law->samples < all) {
        double tilts[LANES];
        int64_t turns[LANES];
        for (int j = 0; j < LANES; j++) {
            tilts[j] = law->tilt;
            turns[j] = (law->samples + j) % law->atoms;
        }
        netdp_i_mean at[LANES];
        find_means(c, tilts, turns, law->atoms, at);
        for (int j = 0; j < LANES && law->samples < all; j++, law->samples++) {
            const double complex one = 1 + at[j].re + I * at[j].im;
            double complex *value = &law->value[law->samples];
            *value = one;
            for (int32_t k = 1; k < asked->tokens; k++)
                *value *= one;
            if (law->samples == 0)
                law->off =
                    asked->tokens * at[j].off * pow(cabs(one) + at[j].off, asked->tokens - 1) +
                    4 * DBL_EPSILON * asked->tokens * cabs(*value);
        }
        if (asked->whole || law->samples < FIRST_SAMPLES)
            continue;
        /* What is left out hardly depends on the answer: that is found again only before the end. */
        if (about > 0)
            (void)netdp_i_cost_law_delta(law, USUAL_NOISE, about, &rest);
        if (rest > ENOUGH * asked->delta)
            continue;
        about = netdp_i_cost_law_about(law, USUAL_NOISE, asked->delta);
        (void)netdp_i_cost_law_delta(law, USUAL_NOISE, about, &rest);
        if (!(rest > ENOUGH * asked->delta))
            break;
    }
}

/*
 * One contribution: 1 / r, or less, for the r steps from it to the first visit that follows, within the walk.
 */
static netdp_status find_law_of_one(netdp_i_returns *hunt, netdp_i_cost_law *law,
                                    netdp_error *error)
{
    const int64_t steps = hunt->watch->series->terms - 1;
    const double each = (double)hunt->watch->members * fmax(hunt->noise_first, hunt->noise_out);
    TRY(netdp_i_cost_law_new(netdp_i_step_bin(steps) + 1, law, error));
    double begun = 0, gone = 0; /* the contribution is by now; F has been visited by now */
    for (int64_t t = 0; t <= steps; t++)
        begun += hunt->start[t];
    for (int64_t r = 1; r <= steps; r++) {
        const int64_t b = netdp_i_step_bin(r);
        double first = each;
        for (int32_t f = 0; f < hunt->watch->members; f++)
            first += fmax(0, hunt->first[f][r]);
        begun = fmax(0, begun - hunt->start[steps - r + 1]);
        gone += first;
        law->cost[b] = fmax(law->cost[b], netdp_i_spread_alone(hunt->watch->rate, r));
        law->mass[b] += first * (begun + ROUNDED);
        if (hunt->watch->release) /* the end is a visit */
            law->mass[b] += hunt->start[steps - r] *
                            fmin(1, fmax(0, 1 - gone) + 2 * each * (double)r + ROUNDED);
    }
    law->bend = INFINITY;
    return NETDP_OK;
}

static int64_t points_of(const chain *c, const netdp_i_mixture_asked *asked)
{
    if (asked->whole)
        return c->timed ? COMPOSED_POINTS : LONG_COMPOSED_POINTS;
    return c->timed ? POINTS : LONG_POINTS;
}

/* The distribution of costs, sampled on the circle of that tilt. */
static netdp_status law_in_range(chain *c, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, const range *r,
                                 netdp_i_cost_law *law, netdp_error *error)
{
    const double most = c->count * asked->tokens;
    const int64_t all = points_of(c, asked), finest = FINEST * all;
    int64_t per = (int64_t)((double)(all - 1) / r->most);
    per = per > finest ? finest : per < 1 ? 1 : per > 12 ? per - per % 12 : per;
    const double wanted = ceil(fmax(most, r->most) * (double)per) + 1;
    const int64_t points = wanted < (double)all ? (int64_t)wanted + (int64_t)wanted % 2 : all;
    TRY(chain_set(c, hunt, r->log_mean / asked->tokens, per, asked->bend, error));
    TRY(netdp_i_cost_law_sampled_new(points, 1 / (double)per, r->tilt / (double)per, law, error));
    law->bend = asked->bend * (double)per * (1 - 1e-12);
    law->lost = asked->tokens * c->overflow;
    law->whole = most * (double)per < (double)points;
    sample(c, asked, law);
    return NETDP_OK;
}

/* What rounding adds, about, in parts of delta. */
static double loudness(const chain *c, const netdp_i_mixture_asked *asked, const range *r,
                       const netdp_i_cost_law *law)
{
    return c->timed ? 0 : law->off * exp(-NEAR * r->tilt * r->cost) / asked->delta;
}

/* The law by the tilt that shows the most, or, where rounding drowns it, by a smaller one. */
static netdp_status find_law(chain *c, const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                             const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                             netdp_error *error)
{
    CLEARED(looks_clear) looks l = {0};
    range r = {.under = INFINITY};
    double loud = INFINITY;
    TRY(looks_begin(&l, grid, c, hunt, asked, error));
    for (bool first = true; loud > LOUDEST; first = false) {
        CLEARED(netdp_i_cost_law_clear) netdp_i_cost_law next = {0};
        TRY(find_range(&l, hunt, asked, &r, error));
        if (!first && r.usual)
            break;
        TRY(law_in_range(c, hunt, asked, &r, &next, error));
        const double now = loudness(c, asked, &r, &next);
        if (!first && !(now < loud))
            break;
        netdp_i_cost_law_clear(law);
        *law = next;
        next = (netdp_i_cost_law){0};
        loud = now;
        r.under = r.tilt;
    }
    return NETDP_OK;
}

/* By a chain for the grid; *found is false where there is none. */
static netdp_status law_of_chain(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                 bool *found, netdp_error *error)
{
    CLEARED(chain_clear) chain c = {0};
    bool made = false;
    TRY(chain_new(grid, hunt, asked, &c, &made, error));
    if (made)
        TRY(find_law(&c, grid, hunt, asked, law, error));
    *found = made;
    return NETDP_OK;
}

/*
 * Followed back, a walk that begins as its stationary law has it shows more the longer it is. With any other start
 * each contribution has at most hunt->ratio times its probability, and what it gains goes by what comes after it.
 */
static netdp_status law_from_end(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                 bool *found, netdp_error *error)
{
    const double times = pow(hunt->ratio, asked->tokens) * (1 + 1e-12);
    netdp_i_mixture_asked inner = *asked;
    if (is_timed(grid) || hunt->share == 0 || asked->whole || !isfinite(times))
        return NETDP_OK;
    inner.delta /= times;
    TRY(law_of_chain(grid, hunt, &inner, law, found, error));
    for (int64_t j = 0; j < law->samples; j++)
        law->value[j] *= times;
    law->off *= times;
    law->lost *= times;
    law->open *= times;
    return NETDP_OK;
}

/* Is there a way for such a walk? A release ends it at one step, not at one up to it. */
static bool suits(const netdp_i_time_grid *grid, const netdp_i_returns *hunt)
{
    return !hunt->watch->release || (is_timed(grid) && grid->bins == grid->steps);
}

/*
 * The end of a walk costs something only where a contribution that counts is followed by no visit: on
 * the other paths there is no release.
 */
static netdp_status law_but_for_the_end(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                        const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                        bool *found, netdp_error *error)
{
    const netdp_i_observer_set *watch = hunt->watch;
    netdp_i_observer_set unreleased = *watch;
    double open = 1;
    TRY(netdp_i_released_open(hunt, asked->cap, &open, error));
    const double lost = asked->tokens * open;
    const double most = asked->whole ? asked->delta : asked->tokens > 1 ? MOST_OPEN : 1;
    if (!(lost < most))
        return NETDP_OK;
    unreleased.release = false;
    hunt->watch = &unreleased;
    const netdp_status status = netdp_i_mixture_law(grid, hunt, asked, law, found, error);
    hunt->watch = watch;
    if (*found)
        law->open = lost;
    return status;
}

netdp_status netdp_i_mixture_law(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                 bool *found, netdp_error *error)
{
    *found = false;
    if (asked->cap == 1 && asked->tokens == 1) {
        TRY(find_law_of_one(hunt, law, error));
        *found = true;
        return NETDP_OK;
    }
    if (asked->from_end)
        return law_from_end(grid, hunt, asked, law, found, error);
    if (!suits(grid, hunt))
        return asked->cap > 0 ? law_but_for_the_end(grid, hunt, asked, law, found, error)
                              : NETDP_OK;
    return law_of_chain(grid, hunt, asked, law, found, error);
}

netdp_status netdp_i_mixture_log_mean(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                      int64_t cap, double theta, double *value, bool *enough,
                                      netdp_error *error)
{
    const netdp_i_mixture_asked asked = {.cap = cap, .tokens = 1};
    CLEARED(chain_clear) chain c = {0};
    bool made = false;
    *value = INFINITY;
    *enough = false;
    if (!suits(grid, hunt) || theta * (double)cap > LARGEST_EXPONENT)
        return NETDP_OK;
    TRY(chain_new(grid, hunt, &asked, &c, &made, error));
    if (!made || c.overflow != 0)
        return NETDP_OK;
    const double tilt[LANES] = {theta / FINE};
    const int64_t turn[LANES] = {0};
    netdp_i_mean at[LANES];
    TRY(chain_set(&c, hunt, 0, FINE, -theta / FINE, error));
    find_means(&c, tilt, turn, 1, at);
    *value = log1p(fmax(0, at[0].re) + at[0].off) * (1 + 1e-13);
    *value = *value == *value ? *value : INFINITY;
    *enough = c.timed && c.in_time.over >= OFTEN && at[0].off <= QUIET * at[0].re;
    return NETDP_OK;
}
