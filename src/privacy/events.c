/*
 * Lists of events: what each is checked for, what merges, and the least of the bounds.
 */
#include <netdp/privacy.h>

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "privacy/ball.h"
#include "privacy/mechanism.h"
#include "privacy/pld.h"

enum { BITS = 128 };

/* The list in order: the Gaussian part, the rest, and what basic composition says of the rest. */
typedef struct account {
    netdp_direction direction;
    netdp_event *other; /* like ones merged, none that releases nothing */
    size_t others;
    double mu; /* of all Gaussians together, rounded in the direction */
    /*
     * Upper bounds without a grid: every other event is a mixture of Gaussians, at most `plain` in
     * mu, or pure up to delta.
     */
    double plain, pure, pure_delta;
    /* The same where every mixture gives all away in its part with the person, and else nothing. */
    double drawn, drawn_delta;
    bool nothing_hidden; /* some event gives all away */
    bool ordered;
} account;

static void account_clear(account *a)
{
    netdp_i_free(a->other);
}

/* ---- Order in the list ---- */

static double up(double x)
{
    return nextafter(x, INFINITY);
}

/*
 * Never below the true sum or product of doubles >= 0, and the true one where that is a double: one pair
 * (epsilon, delta) stays what it is. What is lost in rounding is a double itself (Knuth; fma).
 */
static double plus_up(double a, double b)
{
    const double sum = a + b, big = fmax(a, b), small = fmin(a, b);
    return isfinite(sum) && small > sum - big ? up(sum) : sum;
}

static double times_up(double a, double b)
{
    const double product = a * b;
    if (product < 0x1p-900 && a > 0 && b > 0) /* what fma is left with may be below all doubles */
        return a == 1 ? b : b == 1 ? a : up(product);
    return isfinite(product) && fma(a, b, -product) > 0 ? up(product) : product;
}

/* Something without noise, or that satisfies nothing; mixtures without noise are approximate here.
 */
static bool gives_all_away(const netdp_event *event)
{
    if (event->mechanism == NETDP_APPROXIMATE || event->mechanism == NETDP_EXPONENTIAL)
        return event->delta == 1 || event->epsilon == INFINITY;
    if (event->mechanism == NETDP_RANDOM_GAUSSIAN)
        return netdp_i_tails_infinite(event, NETDP_LOWER) >= 1;
    return event->mechanism != NETDP_RANDOMISED_RESPONSE && event->noise == 0;
}

/* The largest finite mu of a random Gaussian. */
static double strongest(const netdp_event *event)
{
    double most = 0;
    for (int32_t i = 0; i < event->weights; i++)
        if (event->weight[i] > 0 && event->mu[i] < INFINITY)
            most = fmax(most, event->mu[i]);
    return most;
}

static bool releases_nothing(const netdp_event *event)
{
    double seen = 0;
    switch (event->mechanism) {
    case NETDP_RANDOMISED_RESPONSE:
        return event->flip == 1;
    case NETDP_APPROXIMATE:
        return event->delta == 0 && event->epsilon == 0;
    case NETDP_EXPONENTIAL:
        return event->epsilon == 0;
    case NETDP_SUBSAMPLED_GAUSSIAN:
    case NETDP_SUBSAMPLED_LAPLACE:
    case NETDP_GAUSSIAN_WITHOUT_REPLACEMENT:
    case NETDP_SUBSAMPLED_GAUSSIAN_REPLACED:
        return event->noise == INFINITY || event->rate == 0;
    case NETDP_HIDDEN_GAUSSIAN:
        for (int32_t i = 0; i < event->weights; i++)
            seen = fmax(seen, event->weight[i]);
        return event->noise == INFINITY || seen == 0;
    case NETDP_RANDOM_GAUSSIAN:
        return strongest(event) == 0 && netdp_i_tails_infinite(event, NETDP_UPPER) == 0;
    default:
        return event->noise == INFINITY;
    }
}

static bool is_gaussian(const netdp_event *event)
{
    return event->mechanism == NETDP_GAUSSIAN ||
           (event->rate == 1 && (event->mechanism == NETDP_SUBSAMPLED_GAUSSIAN ||
                                 event->mechanism == NETDP_GAUSSIAN_WITHOUT_REPLACEMENT ||
                                 event->mechanism == NETDP_SUBSAMPLED_GAUSSIAN_REPLACED));
}

/* The same mechanism with the same parameters? */
static bool alike(const netdp_event *a, const netdp_event *b)
{
    return a->mechanism == b->mechanism && a->noise == b->noise && a->rate == b->rate &&
           a->flip == b->flip && a->epsilon == b->epsilon && a->delta == b->delta &&
           a->levels == b->levels && a->weights == b->weights && a->weight == b->weight &&
           a->mu == b->mu;
}

/* With a rate: who is drawn is hidden. */
static bool has_rate(const netdp_event *event)
{
    return (netdp_i_mechanisms[event->mechanism].fields & NETDP_I_RATE) != 0;
}

static bool is_mixture(const netdp_event *event)
{
    return has_rate(event) || event->mechanism == NETDP_HIDDEN_GAUSSIAN ||
           event->mechanism == NETDP_RANDOM_GAUSSIAN;
}

/* The chance of a mixture's part with the person, rounded in the direction. */
static double seen_of(const netdp_event *event, netdp_direction direction)
{
    double seen = 0;
    if (has_rate(event))
        return event->rate;
    for (int32_t i = 0; i < event->weights; i++)
        if (event->mu == NULL || event->mu[i] > 0)
            seen += event->weight[i];
    return fmin(seen * (direction == NETDP_UPPER ? 1 + 1e-9 : 1 - 1e-9), 1);
}

/* A mixture whose part with the person has no noise: that part gives all away, the rest nothing. */
static netdp_event without_noise(const netdp_event *event, netdp_direction direction)
{
    return (netdp_event){
        .mechanism = NETDP_APPROXIMATE, .delta = seen_of(event, direction), .count = event->count};
}

/* Only the fields of its mechanism, so that like events look alike. */
static netdp_event bare(const netdp_event *event, netdp_direction direction)
{
    if (event->noise == 0 && (has_rate(event) || event->mechanism == NETDP_HIDDEN_GAUSSIAN))
        return without_noise(event, direction);
    netdp_event made = {.mechanism = event->mechanism, .count = event->count};
    const uint32_t fields = netdp_i_mechanisms[event->mechanism].fields;
    made.noise = fields & NETDP_I_NOISE ? event->noise : 0;
    made.rate = fields & NETDP_I_RATE ? event->rate : 0;
    made.flip = fields & NETDP_I_FLIP ? event->flip : 0;
    made.epsilon = fields & NETDP_I_EPSILON ? event->epsilon : 0;
    made.delta = fields & NETDP_I_DELTA ? event->delta : 0;
    made.levels = fields & NETDP_I_LEVELS ? event->levels : 0;
    made.weights = fields & NETDP_I_WEIGHT ? event->weights : 0;
    made.weight = fields & NETDP_I_WEIGHT ? event->weight : NULL;
    made.mu = fields & NETDP_I_MU ? event->mu : NULL;
    /* Of everybody: what is not drawn. */
    if (made.mechanism == NETDP_SUBSAMPLED_GAUSSIAN_REPLACED && made.rate == 1)
        made.noise *= 0.5;
    if (made.mechanism == NETDP_SUBSAMPLED_LAPLACE && made.rate == 1) {
        made.mechanism = NETDP_LAPLACE;
        made.rate = 0;
    }
    return made;
}

static void add_other(account *a, const netdp_event *event)
{
    for (size_t i = 0; i < a->others; i++)
        if (alike(a->other + i, event)) {
            if (__builtin_add_overflow(a->other[i].count, event->count, &a->other[i].count))
                a->other[i].count = INT64_MAX;
            return;
        }
    a->other[a->others++] = *event;
}

/* square += count (1/noise)^2 */
static void add_square(arb_t square, double noise, int64_t count)
{
    arb_t term;
    arb_init(term);
    arb_set_d(term, noise);
    arb_mul(term, term, term, BITS);
    arb_inv(term, term, BITS);
    arb_mul_si(term, term, count, BITS);
    arb_add(square, square, term, BITS);
    arb_clear(term);
}

static double root(const arb_t square, netdp_direction direction)
{
    arb_t mu;
    arb_init(mu);
    arb_sqrt(mu, square, BITS);
    const double rounded = direction == NETDP_UPPER ? netdp_i_ball_up(mu) : netdp_i_ball_down(mu);
    arb_clear(mu);
    return fmax(rounded, 0);
}

/* e^epsilon = (1 - gamma + gamma/L)/(gamma/L) = 1 + (1 - gamma) L/gamma, rounded up. */
static double response_epsilon(const netdp_event *event)
{
    arb_t odds, flip;
    arb_init(odds);
    arb_init(flip);
    arb_set_d(flip, event->flip);
    arb_sub_ui(odds, flip, 1, BITS);
    arb_neg(odds, odds);
    arb_mul_si(odds, odds, event->levels, BITS);
    arb_div(odds, odds, flip, BITS);
    arb_log1p(odds, odds, BITS);
    const double epsilon = netdp_i_ball_up(odds);
    arb_clear(odds);
    arb_clear(flip);
    return epsilon;
}

/* `count` releases that give all away with probability `delta` each. */
static void add_delta(double *sum, double delta, double count)
{
    if (delta > 0)
        *sum = fmin(plus_up(*sum, times_up(count, delta)), 1);
}

/*
 * Bounds that need no grid. A subsampled, hidden or random Gaussian is a mixture of Gaussians and
 * nothing, hence dominated by the strongest of them; where it gives all away it adds to delta.
 */
static void add_plain(account *a, const netdp_event *event, arb_t square)
{
    const double count = (double)event->count;
    double pure = 0;
    if (is_mixture(event))
        add_delta(&a->drawn_delta, seen_of(event, NETDP_UPPER), count);
    switch (event->mechanism) {
    case NETDP_SUBSAMPLED_GAUSSIAN:
    case NETDP_GAUSSIAN_WITHOUT_REPLACEMENT:
    case NETDP_HIDDEN_GAUSSIAN:
        add_square(square, event->noise, event->count);
        return;
    case NETDP_SUBSAMPLED_GAUSSIAN_REPLACED:
        add_square(square, 0.5 * event->noise, event->count);
        return;
    case NETDP_RANDOM_GAUSSIAN:
        if (strongest(event) > 0)
            add_square(square, nextafter(1 / strongest(event), 0), event->count);
        add_delta(&a->pure_delta, netdp_i_tails_infinite(event, NETDP_UPPER), count);
        return;
    case NETDP_DISCRETE_GAUSSIAN:
        pure = INFINITY;
        break;
    case NETDP_RANDOMISED_RESPONSE:
        pure = response_epsilon(event);
        break;
    case NETDP_EXPONENTIAL:
        pure = event->epsilon;
        break;
    case NETDP_APPROXIMATE:
        pure = event->epsilon;
        add_delta(&a->pure_delta, event->delta, count);
        break;
    default:
        pure = up(1 / event->noise);
    }
    a->pure = plus_up(a->pure, times_up(count, pure));
}

static netdp_status account_new(const netdp_event *events, size_t count, netdp_direction direction,
                                account *a, netdp_error *error)
{
    *a = (account){.direction = direction};
    a->other = NETDP_I_NEW(netdp_event, count);
    if (a->other == NULL)
        return netdp_i_no_memory(error);
    arb_t square;
    arb_init(square);
    for (size_t i = 0; i < count; i++) {
        const netdp_event event = bare(events + i, direction);
        if (releases_nothing(&event))
            continue;
        if (gives_all_away(&event))
            a->nothing_hidden = true;
        else if (is_gaussian(&event))
            add_square(square, event.noise, event.count);
        else
            add_other(a, &event);
    }
    a->mu = root(square, direction);
    a->drawn = root(square, NETDP_UPPER);
    for (size_t i = 0; i < a->others; i++) {
        add_plain(a, a->other + i, square);
        a->ordered = a->ordered || netdp_i_tails_ordered(a->other + i, direction);
    }
    a->plain = root(square, NETDP_UPPER);
    arb_clear(square);
    return NETDP_OK;
}

/* ---- Bounds of the composition on a grid ---- */

/* What is wanted of it: epsilon at this delta, or delta at this epsilon. */
typedef struct question {
    bool epsilon;
    double at;
} question;

typedef struct releases {
    netdp_i_release *release;
    size_t count;
} releases;

static void clear_releases(releases *all)
{
    for (size_t i = 0; i < all->count; i++)
        netdp_i_tails_clear(&all->release[i].tails);
    netdp_i_free(all->release);
}

static netdp_status one_order(const account *a, netdp_i_order order, question wanted, double *value,
                              netdp_error *error)
{
    CLEARED(clear_releases)
    releases all = {.release = NETDP_I_NEW(netdp_i_release, a->others + 1)};
    if (all.release == NULL)
        return netdp_i_no_memory(error);
    for (size_t i = 0; i < a->others; i++) {
        netdp_i_release *next = &all.release[all.count];
        TRY(netdp_i_tails_new(a->other + i, order, a->direction, &next->tails, error));
        next->count = (double)a->other[i].count;
        all.count++;
    }
    if (a->mu > 0) {
        netdp_i_release *last = &all.release[all.count];
        TRY(netdp_i_tails_gaussian(a->mu, &last->tails, error));
        last->count = 1;
        all.count++;
    }
    return (wanted.epsilon ? netdp_i_pld_epsilon : netdp_i_pld_delta)(
        all.release, all.count, wanted.at, a->direction, value, error);
}

/* The worse order of the neighbours. */
static netdp_status on_grid(const account *a, question wanted, double *value, netdp_error *error)
{
    double removed = 0, added = 0;
    TRY(one_order(a, NETDP_I_REMOVED, wanted, &removed, error));
    if (a->ordered)
        TRY(one_order(a, NETDP_I_ADDED, wanted, &added, error));
    *value = fmax(removed, added);
    return NETDP_OK;
}

/* ---- Gaussians alone, exactly ---- */

/* A double that the true epsilon of mu is proven to be above, or 0. */
static netdp_status gaussian_epsilon_down(double mu, double delta, double *epsilon,
                                          netdp_error *error)
{
    double at, there;
    TRY(netdp_gdp_to_epsilon(mu, delta, &at, error));
    for (double off = 0x1p-45; at > 0; off *= 4) {
        const double tried = at == INFINITY ? 0 : at * fmax(1 - off, 0);
        TRY(netdp_gdp_to_delta(mu, tried, &there, error));
        if (there > delta || tried == 0) {
            *epsilon = there > delta ? tried : 0;
            return NETDP_OK;
        }
    }
    *epsilon = 0;
    return NETDP_OK;
}

static netdp_status gaussian_epsilon(const account *a, double delta, double *epsilon,
                                     netdp_error *error)
{
    if (a->direction == NETDP_UPPER)
        return netdp_gdp_to_epsilon(a->mu, delta, epsilon, error);
    return gaussian_epsilon_down(a->mu, delta, epsilon, error);
}

static netdp_status gaussian_delta(const account *a, double epsilon, double *delta,
                                   netdp_error *error)
{
    TRY(netdp_gdp_to_delta(a->mu, epsilon, delta, error));
    /* Correctly rounded up: the double below is below. */
    if (a->direction == NETDP_LOWER && *delta > 0)
        *delta = nextafter(*delta, 0);
    return NETDP_OK;
}

/* ---- Without a grid ---- */

/* One way without a grid: mu-GDP, pure, and up to delta, composed: an upper bound. */
typedef struct plain_way {
    double mu, pure, delta;
} plain_way;

static plain_way whole_mixtures(const account *a)
{
    return (plain_way){a->plain, a->pure, a->pure_delta};
}

/* What is infinite in a random Gaussian counts twice. */
static plain_way given_mixtures(const account *a)
{
    return (plain_way){a->drawn, a->pure, fmin(plus_up(a->pure_delta, a->drawn_delta), 1)};
}

static netdp_status way_epsilon(plain_way way, double delta, double *epsilon, netdp_error *error)
{
    const double left = nextafter(delta - way.delta, -INFINITY);
    if (way.pure == INFINITY || (left <= 0 && !(way.mu == 0 && way.delta <= delta)))
        return NETDP_OK;
    double gaussian = 0;
    if (way.mu > 0)
        TRY(netdp_gdp_to_epsilon(way.mu, left, &gaussian, error));
    *epsilon = fmin(*epsilon, plus_up(gaussian, way.pure));
    return NETDP_OK;
}

static netdp_status plain_epsilon(const account *a, double delta, double *epsilon,
                                  netdp_error *error)
{
    *epsilon = INFINITY;
    TRY(way_epsilon(whole_mixtures(a), delta, epsilon, error));
    return way_epsilon(given_mixtures(a), delta, epsilon, error);
}

static netdp_status way_delta(plain_way way, double epsilon, double *delta, netdp_error *error)
{
    const double left = nextafter(epsilon - way.pure, -INFINITY);
    if (epsilon < way.pure || (left < 0 && way.mu > 0))
        return NETDP_OK;
    double gaussian = 0;
    if (way.mu > 0)
        TRY(netdp_gdp_to_delta(way.mu, left, &gaussian, error));
    *delta = fmin(*delta, plus_up(gaussian, way.delta));
    return NETDP_OK;
}

static netdp_status plain_delta(const account *a, double epsilon, double *delta, netdp_error *error)
{
    *delta = 1;
    TRY(way_delta(whole_mixtures(a), epsilon, delta, error));
    return way_delta(given_mixtures(a), epsilon, delta, error);
}

/* ---- Answers ---- */

static netdp_status epsilon_of(const account *a, double delta, double *epsilon, netdp_error *error)
{
    double exact = 0, grid = 0, plain = INFINITY;
    TRY(gaussian_epsilon(a, delta, &exact, error));
    if (a->others == 0) {
        *epsilon = exact;
        return NETDP_OK;
    }
    TRY(on_grid(a, (question){true, delta}, &grid, error));
    if (a->direction == NETDP_UPPER)
        TRY(plain_epsilon(a, delta, &plain, error));
    *epsilon = a->direction == NETDP_UPPER ? fmin(grid, plain) : fmax(grid, exact);
    return NETDP_OK;
}

static netdp_status delta_of(const account *a, double epsilon, double *delta, netdp_error *error)
{
    double exact = 0, grid = 0, plain = 1;
    TRY(gaussian_delta(a, epsilon, &exact, error));
    if (a->others == 0) {
        *delta = exact;
        return NETDP_OK;
    }
    TRY(on_grid(a, (question){false, epsilon}, &grid, error));
    if (a->direction == NETDP_UPPER)
        TRY(plain_delta(a, epsilon, &plain, error));
    *delta = a->direction == NETDP_UPPER ? fmin(grid, plain) : fmax(grid, exact);
    return NETDP_OK;
}

static netdp_status check(const netdp_event *events, size_t count, netdp_direction direction,
                          netdp_error *error)
{
    TRY(netdp_i_events_check(events, count, error));
    return netdp_i_check_choice("direction", (int64_t)direction, NETDP_LOWER, error);
}

netdp_status netdp_events_epsilon(const netdp_event *events, size_t count, double delta,
                                  netdp_direction direction, double *epsilon, netdp_error *error)
{
    NETDP_I_GIVEN(error, (events || count == 0) && epsilon);
    CLEARED(account_clear) account a = {0};
    TRY(check(events, count, direction, error));
    if (!(delta > 0 && delta < 1))
        return netdp_i_fail(error, NETDP_INVALID, "delta is %g; it must lie in (0, 1)", delta);
    TRY(account_new(events, count, direction, &a, error));
    if (!a.nothing_hidden)
        return epsilon_of(&a, delta, epsilon, error);
    *epsilon = INFINITY;
    return NETDP_OK;
}

netdp_status netdp_events_delta(const netdp_event *events, size_t count, double epsilon,
                                netdp_direction direction, double *delta, netdp_error *error)
{
    NETDP_I_GIVEN(error, (events || count == 0) && delta);
    CLEARED(account_clear) account a = {0};
    TRY(check(events, count, direction, error));
    if (!(epsilon >= 0))
        return netdp_i_fail(error, NETDP_INVALID, "epsilon is %g; it must lie in [0, inf]",
                            epsilon);
    TRY(account_new(events, count, direction, &a, error));
    if (!a.nothing_hidden)
        return delta_of(&a, epsilon == INFINITY ? 0x1p1020 : epsilon, delta, error);
    *delta = 1;
    return NETDP_OK;
}

bool netdp_events_certified(const netdp_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (netdp_i_event_check(events + i, NULL) != NETDP_OK ||
            (!is_gaussian(events + i) && !releases_nothing(events + i)))
            return false;
    return true;
}
