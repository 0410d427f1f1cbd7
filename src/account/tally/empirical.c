/* The account of a walk that was taken, cycle by cycle, as paper E's experiments make it. */
#include <math.h>
#include <string.h>

#include "account/tally/tally.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* Crowds of three digits: four for each power of two up to 2^30; then the same at half of delta. */
enum { DIGITS = 3, PLACES = NETDP_TALLY_CROWDS / 2 };

/* What advanced composition needs: sum of epsilon^2, and of epsilon (e^epsilon - 1). */
typedef struct total {
    double squares, rest;
} total;

/* What a contribution costs by itself and in a crowd. */
typedef struct prices {
    const netdp_tally_cycles *asked;
    double one;
    double *crowd; /* [2][PLACES]; 0: not known */
    bool used[PLACES];
} prices;

/* One view of the walk: single observers', or that of those who pool theirs. */
typedef struct cycles {
    const netdp_tally *tally;
    const prices *price;
    double *seen;             /* [nodes]: contributions */
    total *published, *sound; /* [nodes] */
} cycles;

static int64_t crowd_of(int place)
{
    return netdp_i_tally_crowd((int64_t)(4 + place % 4) << (place / 4) >> 2, DIGITS);
}

/* 1, 2, 3 and then 4 to 7 times powers of two, each in its place. */
static int place_of(int64_t crowd)
{
    int exponent;
    const double part = frexp((double)netdp_i_tally_crowd(crowd, DIGITS), &exponent);
    return 4 * (exponent - 1) + (int)(8 * part) - 4;
}

static void add(total *to, double times, double epsilon)
{
    to->squares += times * epsilon * epsilon;
    to->rest += times * epsilon * expm1(epsilon);
}

/*
 * What k contributions of a node to one crowd cost: changed one after the other, each of them is
 * shuffled with all the others, so that the k are (k e, delta' (1 + e^e + .. + e^{(k-1) e}))-private,
 * which delta' = delta / 2 keeps within k delta. Infinity where it does not.
 */
static double price_group(const prices *p, int place, int64_t k)
{
    const double each = p->crowd[PLACES + place];
    const double part = expm1((double)k * each) / expm1(each);
    return part < 1.999 * (double)k ? (double)k * each : INFINITY;
}

static void note_crowd(void *context, const netdp_i_increment *increment)
{
    prices *p = context;
    if (increment->elements > 0)
        p->used[place_of(increment->elements)] = true;
}

static void add_cycle(void *context, const netdp_i_increment *increment)
{
    cycles *c = context;
    const bool sum = c->tally->task == NETDP_TALLY_SUM;
    const double one = c->price->one;
    if (increment->count == 0)
        return;
    const int place = sum ? 0 : place_of(increment->elements);
    const double hidden = sum ? one / sqrt(increment->energy) : c->price->crowd[place];
    for (int32_t i = 0; i < increment->count; i++) {
        const int32_t u = increment->node[i];
        const int64_t k = increment->often[u];
        const double often = (double)k * (double)increment->times;
        const double group = k > 1 && !sum ? price_group(c->price, place, k) : INFINITY;
        c->seen[u] += often;
        add(&c->published[u], often, hidden);
        if (group * group < (double)k * one * one)
            add(&c->sound[u], (double)increment->times, group);
        else
            add(&c->sound[u], often, k > 1 ? one : hidden);
    }
}

/* A crowd that takes less off a contribution's epsilon hides nothing: to find how little it is takes long. */
#define LEAST_GAIN 0.01

/* Does a crowd of that size take as much off? */
static netdp_status gains(const prices *p, const netdp_shuffle *shuffle, bool *so,
                          netdp_error *error)
{
    double delta = 1;
    TRY(netdp_shuffle_delta(NETDP_SHUFFLE_BLANKET, shuffle, (1 - LEAST_GAIN) * p->one, &delta,
                            error));
    *so = delta <= p->asked->delta;
    return NETDP_OK;
}

static netdp_status price_place(void *context, int64_t place, int thread, netdp_error *error)
{
    (void)thread;
    const prices *p = context;
    const netdp_shuffle shuffle = {
        .epsilon0 = p->one, .crowd = crowd_of((int)place), .levels = p->asked->tally->levels};
    bool hides = true;
    if (p->used[place] && !(p->crowd[place] > 0))
        TRY(gains(p, &shuffle, &hides, error));
    for (int half = 0; half < 2; half++) {
        double cost = 0, *known = &p->crowd[half * PLACES + place];
        if (!p->used[place] || *known > 0)
            continue;
        if (!hides || (half > 0 && p->crowd[place] >= M_SQRT1_2 * p->one)) { /* no group gains */
            *known = p->one;
            continue;
        }
        TRY(netdp_shuffle_epsilon(p->asked->shuffle, &shuffle,
                                  half == 0 ? p->asked->delta : p->asked->delta / 2, &cost, error));
        *known = fmin(cost, p->one);
    }
    return NETDP_OK;
}

static netdp_status price_one(prices *p, netdp_error *error)
{
    const netdp_tally *tally = p->asked->tally;
    if (tally->task == NETDP_TALLY_HISTOGRAM)
        return netdp_rr_epsilon(tally->flip, tally->levels, &p->one, error);
    return netdp_gdp_to_epsilon(1 / tally->noise, p->asked->delta, &p->one, error);
}

/* The crowds that are used, where crowds hide anything. */
static netdp_status price_crowds(prices *p, const netdp_progress *progress, netdp_error *error)
{
    return p->asked->tally->task == NETDP_TALLY_HISTOGRAM
               ? netdp_i_for_each(PLACES, price_place, p, progress, "crowds", error)
               : NETDP_OK;
}

static double compose(const total *of, double slack)
{
    return netdp_i_tally_up(sqrt(2 * -log(slack) * of->squares) + of->rest, 64);
}

static netdp_status check(const netdp_tally_cycles *asked, netdp_error *error)
{
    const netdp_tally *tally = asked->tally;
    TRY(netdp_tally_check(tally, error));
    if (tally->task == NETDP_TALLY_SUM && tally->mechanism != NETDP_GAUSSIAN)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: cycles of a sum are accounted for with Gaussian noise only");
    if (!(asked->delta > 0 && asked->delta < 0.5) ||
        !(asked->delta_compose > 0 && asked->delta_compose < 0.5))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: deltas %g and %g; give numbers between 0 and 1/2", asked->delta,
                            asked->delta_compose);
    return netdp_i_check_choice("shuffle", (int64_t)asked->shuffle, NETDP_SHUFFLE_BOUNDS - 1,
                                error);
}

/* The exact loss of a sum, or the composition of a histogram, at each node's own delta. */
static netdp_status find_sound(const netdp_tally_cycles *asked, const total *composed,
                               const double *delta, double *sound, netdp_error *error)
{
    if (asked->tally->task == NETDP_TALLY_SUM)
        TRY(netdp_tally_realised(asked->tally, asked->path, asked->count, asked->observers, sound,
                                 error));
    for (int32_t u = 0; u < asked->tally->nodes; u++)
        if (asked->tally->task == NETDP_TALLY_HISTOGRAM)
            sound[u] = compose(&composed[u], asked->delta_compose);
        else if (delta[u] < 1)
            TRY(netdp_loss_value(sound[u], asked->tally->noise, (netdp_unit){NETDP_AS_DP, delta[u]},
                                 &sound[u], error));
        else
            sound[u] = 0;
    return NETDP_OK;
}

static void cycles_clear(cycles *c)
{
    netdp_i_free(c->seen);
    netdp_i_free(c->published);
    netdp_i_free(c->sound);
}

/* One view, all prices known; sound may be NULL, and the arrays may be written where it fails. */
static netdp_status account(const netdp_tally_cycles *asked, const prices *price, double *published,
                            double *delta, double *sound, netdp_error *error)
{
    const int32_t nodes = asked->tally->nodes;
    CLEARED(cycles_clear) cycles c = {.tally = asked->tally, .price = price};
    c.seen = NETDP_I_NEW(double, nodes);
    c.published = NETDP_I_NEW(total, nodes);
    c.sound = NETDP_I_NEW(total, nodes);
    if (c.seen == NULL || c.published == NULL || c.sound == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_tally_follow(asked->tally, asked->path, asked->count, asked->observers, add_cycle,
                             &c, error));
    for (int32_t u = 0; u < nodes; u++) {
        delta[u] = fmin(1, c.seen[u] * asked->delta + asked->delta_compose);
        published[u] = compose(&c.published[u], asked->delta_compose);
    }
    if (sound != NULL)
        TRY(find_sound(asked, c.sound, delta, sound, error));
    for (int32_t i = 0; i < asked->count; i++) {
        published[asked->observers[i]] = INFINITY;
        if (sound != NULL)
            sound[asked->observers[i]] = INFINITY;
    }
    return NETDP_OK;
}

netdp_status netdp_tally_empirical(const netdp_tally_cycles *asked, const netdp_progress *progress,
                                   double *published, double *total_delta, double *sound,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, asked && (asked->observers || asked->count == 0) && published &&
                             total_delta && sound);
    double crowd[NETDP_TALLY_CROWDS] = {0};
    prices price = {.asked = asked, .crowd = crowd};
    TRY(check(asked, error));
    const size_t nodes = (size_t)asked->tally->nodes;
    OWNED double *made = NETDP_I_NEW(double, 3 * (int64_t)nodes);
    if (made == NULL)
        return netdp_i_no_memory(error);
    TRY(price_one(&price, error));
    TRY(netdp_i_tally_follow(asked->tally, asked->path, asked->count, asked->observers, note_crowd,
                             &price, error));
    TRY(price_crowds(&price, progress, error));
    TRY(account(asked, &price, made, made + nodes, made + 2 * nodes, error));
    memcpy(published, made, nodes * sizeof *made);
    memcpy(total_delta, made + nodes, nodes * sizeof *made);
    memcpy(sound, made + 2 * nodes, nodes * sizeof *made);
    return NETDP_OK;
}

/* ---- all pairs of a walk ---- */

/* Observers one by one, each into its own place: sums do not depend on the threads. */
typedef struct pairs {
    const netdp_tally_cycles *asked;
    const prices *price;
    bool sound;
    int threads;
    double **scratch;       /* [threads][3][nodes] */
    netdp_tally_spread *of; /* [count] */
} pairs;

static void spread_value(netdp_tally_spread *spread, double value)
{
    spread->count++;
    spread->sum += value;
    spread->least = spread->count == 1 ? value : fmin(spread->least, value);
    spread->most = spread->count == 1 ? value : fmax(spread->most, value);
}

static void spread_all(netdp_tally_spread *spread, const netdp_tally_spread *more)
{
    if (more->count == 0)
        return;
    spread->least = spread->count == 0 ? more->least : fmin(spread->least, more->least);
    spread->most = spread->count == 0 ? more->most : fmax(spread->most, more->most);
    spread->count += more->count;
    spread->sum += more->sum;
}

static netdp_status account_from(void *context, int64_t index, int thread, netdp_error *error)
{
    const pairs *p = context;
    const int32_t nodes = p->asked->tally->nodes;
    double *published = p->scratch[thread], *delta = published + nodes, *sound = delta + nodes;
    netdp_tally_cycles one = *p->asked;
    one.count = 1;
    one.observers = p->asked->observers + index;
    TRY(account(&one, p->price, published, delta, p->sound ? sound : NULL, error));
    const double *value = p->sound ? sound : published;
    for (int32_t u = 0; u < nodes; u++)
        if (u != *one.observers)
            spread_value(&p->of[index], value[u]);
    return NETDP_OK;
}

/* Crowds up to the largest that any one observer finds. */
static void note_gaps(const netdp_tally_cycles *asked, prices *price, int64_t *last)
{
    const netdp_tally *tally = asked->tally;
    const int64_t steps = netdp_tally_steps(tally);
    int64_t most = 1;
    for (int32_t u = 0; u < tally->nodes; u++)
        last[u] = -1;
    for (int64_t t = 0; t <= steps; t++) {
        const int64_t gap = t - last[asked->path[t]] - 1;
        most = gap > most ? gap : most;
        last[asked->path[t]] = t;
    }
    for (int32_t u = 0; u < tally->nodes; u++)
        most = steps - last[u] - 1 > most ? steps - last[u] - 1 : most;
    for (int place = 0; place <= place_of(most); place++)
        price->used[place] = true;
}

/* What local differential privacy gives for so many contributions. */
static netdp_status find_local(const netdp_tally_cycles *asked, double one, double count,
                               bool exact, double *value, netdp_error *error)
{
    const double delta = count * asked->delta + asked->delta_compose;
    total composed = {0};
    add(&composed, count, one);
    *value = compose(&composed, asked->delta_compose);
    return exact && asked->tally->task == NETDP_TALLY_SUM && delta < 1
               ? netdp_loss_value(count, asked->tally->noise, (netdp_unit){NETDP_AS_DP, delta},
                                  value, error)
               : NETDP_OK;
}

/* The same of every node; many contribute equally often. */
static netdp_status spread_local(const netdp_tally_cycles *asked, const prices *price, bool exact,
                                 int64_t *often, netdp_tally_spread *spread, netdp_error *error)
{
    const netdp_tally *tally = asked->tally;
    const int64_t steps = netdp_tally_steps(tally), cap = tally->cap > 0 ? tally->cap : steps;
    int64_t most = 0;
    memset(often, 0, (size_t)tally->nodes * sizeof *often);
    for (int64_t t = 0; t < steps; t++)
        if (often[asked->path[t]] < cap && ++often[asked->path[t]] > most)
            most = often[asked->path[t]];
    OWNED double *known = NETDP_I_NEW(double, most + 1); /* 0: not known, or no contribution */
    if (known == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < tally->nodes; u++) {
        double *value = &known[often[u]];
        if (*value == 0)
            TRY(find_local(asked, price->one, (double)often[u], exact, value, error));
        spread_value(spread, *value);
    }
    return NETDP_OK;
}

static netdp_status check_pairs(const netdp_tally_cycles *asked, netdp_error *error)
{
    const netdp_tally *tally = asked->tally;
    TRY(check(asked, error));
    if (tally->graph != NETDP_TALLY_COMPLETE || asked->path == NULL || asked->count < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: pairs of a walk are those of a path on the complete graph "
                            "towards 1 or more observers");
    for (int64_t t = 0; t <= netdp_tally_steps(tally); t++)
        if (asked->path[t] < 0 || asked->path[t] >= tally->nodes)
            return netdp_i_fail(error, NETDP_INVALID,
                                "tally: node %d of the path is not one of 0 to %d",
                                (int)asked->path[t], (int)tally->nodes - 1);
    return NETDP_OK;
}

static void clear_pairs(pairs *p)
{
    for (int i = 0; p->scratch != NULL && i < p->threads; i++)
        netdp_i_free(p->scratch[i]);
    netdp_i_free(p->scratch);
    netdp_i_free(p->of);
}

static netdp_status account_each(const netdp_tally_cycles *asked, const prices *price, bool sound,
                                 const netdp_progress *progress, netdp_tally_spread *spread,
                                 netdp_error *error)
{
    CLEARED(clear_pairs)
    pairs p = {.asked = asked, .price = price, .sound = sound, .threads = netdp_i_threads()};
    p.of = NETDP_I_NEW(netdp_tally_spread, asked->count);
    p.scratch = NETDP_I_NEW(double *, p.threads);
    bool room = p.of != NULL && p.scratch != NULL;
    for (int i = 0; room && i < p.threads; i++) {
        p.scratch[i] = NETDP_I_NEW(double, 3 * (int64_t)asked->tally->nodes);
        room = p.scratch[i] != NULL;
    }
    if (!room)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(asked->count, account_from, &p, progress, "observers", error));
    for (int32_t i = 0; i < asked->count; i++)
        spread_all(spread, &p.of[i]);
    return NETDP_OK;
}

netdp_status netdp_tally_empirical_pairs(const netdp_tally_cycles *asked,
                                         netdp_tally_account account, double *crowd,
                                         const netdp_progress *progress, netdp_tally_spread *spread,
                                         netdp_error *error)
{
    NETDP_I_GIVEN(error, asked && (asked->observers || asked->count == 0) && crowd && spread);
    prices price = {.asked = asked, .crowd = crowd};
    netdp_tally_spread made = {0};
    TRY(check_pairs(asked, error));
    TRY(netdp_i_check_choice("account", (int64_t)account, NETDP_TALLY_ACCOUNTS - 1, error));
    const bool local = account == NETDP_TALLY_LOCAL || account == NETDP_TALLY_LOCAL_PUBLISHED;
    OWNED int64_t *node = NETDP_I_NEW(int64_t, asked->tally->nodes);
    if (node == NULL)
        return netdp_i_no_memory(error);
    TRY(price_one(&price, error));
    if (local) {
        TRY(spread_local(asked, &price, account == NETDP_TALLY_LOCAL, node, &made, error));
    } else {
        note_gaps(asked, &price, node);
        TRY(price_crowds(&price, progress, error));
        TRY(account_each(asked, &price, account == NETDP_TALLY_NETWORK, progress, &made, error));
    }
    spread_all(spread, &made);
    return NETDP_OK;
}
