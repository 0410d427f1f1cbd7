/* The account of a walk that was taken, cycle by cycle, as paper E's experiments make it. */
#include <math.h>

#include "account/tally.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* Crowds of three digits: four for each power of two up to 2^30. */
enum { DIGITS = 3, CROWDS = 128 };

/* What advanced composition needs: sum of epsilon^2, and of epsilon (e^epsilon - 1). */
typedef struct total {
    double squares, rest;
} total;

typedef struct cycles {
    const netdp_tally_cycles *asked;
    double one;           /* epsilon of a contribution by itself */
    double price[CROWDS]; /* of one in a crowd */
    bool used[CROWDS];
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

static void note_crowd(void *context, const netdp_i_increment *increment)
{
    cycles *c = context;
    if (increment->elements > 0)
        c->used[place_of(increment->elements)] = true;
}

static void add_cycle(void *context, const netdp_i_increment *increment)
{
    cycles *c = context;
    const bool sum = c->asked->tally->task == NETDP_TALLY_SUM;
    if (increment->count == 0)
        return;
    const double hidden =
        sum ? c->one / sqrt(increment->energy) : c->price[place_of(increment->elements)];
    for (int32_t i = 0; i < increment->count; i++) {
        const int32_t u = increment->node[i];
        const bool several = increment->often[u] > 1;
        const double often = (double)increment->often[u] * (double)increment->times;
        c->seen[u] += often;
        add(&c->published[u], often, hidden);
        add(&c->sound[u], often, several ? c->one : hidden);
    }
}

static netdp_status price_place(void *context, int64_t place, int thread, netdp_error *error)
{
    (void)thread;
    cycles *c = context;
    const netdp_shuffle shuffle = {
        .epsilon0 = c->one, .crowd = crowd_of((int)place), .levels = c->asked->tally->levels};
    if (!c->used[place])
        return NETDP_OK;
    netdp_status status = netdp_shuffle_epsilon(c->asked->shuffle, &shuffle, c->asked->delta,
                                                &c->price[place], error);
    c->price[place] = fmin(c->price[place], c->one);
    return status;
}

static netdp_status price_one(cycles *c, netdp_error *error)
{
    const netdp_tally *tally = c->asked->tally;
    if (tally->task == NETDP_TALLY_HISTOGRAM)
        return netdp_rr_epsilon(tally->flip, tally->levels, &c->one, error);
    return netdp_gdp_to_epsilon(1 / tally->noise, c->asked->delta, &c->one, error);
}

static double compose(const total *of, double slack)
{
    return netdp_i_tally_up(sqrt(2 * -log(slack) * of->squares) + of->rest, 64);
}

static netdp_status check(const netdp_tally_cycles *asked, netdp_error *error)
{
    const netdp_tally *tally = asked->tally;
    netdp_status status = netdp_tally_check(tally, error);
    if (status != NETDP_OK)
        return status;
    if (tally->task == NETDP_TALLY_SUM && tally->mechanism != NETDP_GAUSSIAN)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: cycles of a sum are accounted for with Gaussian noise only");
    if (!(asked->delta > 0 && asked->delta < 0.5) ||
        !(asked->delta_compose > 0 && asked->delta_compose < 0.5))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: deltas %g and %g; give numbers between 0 and 1/2", asked->delta,
                            asked->delta_compose);
    return NETDP_OK;
}

/* The exact loss of a sum, or the composition of a histogram, at each node's own delta. */
static netdp_status find_sound(const cycles *c, const double *delta, double *sound,
                               netdp_error *error)
{
    const netdp_tally_cycles *asked = c->asked;
    netdp_status status = NETDP_OK;
    if (asked->tally->task == NETDP_TALLY_SUM)
        status = netdp_tally_realised(asked->tally, asked->path, asked->count, asked->observers,
                                      sound, error);
    for (int32_t u = 0; status == NETDP_OK && u < asked->tally->nodes; u++) {
        if (asked->tally->task == NETDP_TALLY_HISTOGRAM)
            sound[u] = compose(&c->sound[u], asked->delta_compose);
        else if (delta[u] < 1)
            status = netdp_loss_value(sound[u], asked->tally->noise,
                                      (netdp_unit){NETDP_AS_DP, delta[u]}, &sound[u], error);
        else
            sound[u] = 0;
    }
    return status;
}

netdp_status netdp_tally_empirical(const netdp_tally_cycles *asked, const netdp_progress *progress,
                                   double *published, double *total_delta, double *sound,
                                   netdp_error *error)
{
    cycles c = {.asked = asked};
    netdp_status status = check(asked, error);
    if (status != NETDP_OK)
        return status;
    const int32_t nodes = asked->tally->nodes;
    double *result = NETDP_I_NEW(double, 2 * (int64_t)nodes), *delta = result + nodes;
    c.seen = NETDP_I_NEW(double, nodes);
    c.published = NETDP_I_NEW(total, nodes);
    c.sound = NETDP_I_NEW(total, nodes);
    if (result == NULL || c.seen == NULL || c.published == NULL || c.sound == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK)
        status = price_one(&c, error);
    if (status == NETDP_OK)
        status = netdp_i_tally_follow(asked->tally, asked->path, asked->count, asked->observers,
                                      note_crowd, &c, error);
    if (status == NETDP_OK && asked->tally->task == NETDP_TALLY_HISTOGRAM)
        status = netdp_i_for_each(CROWDS, price_place, &c, progress, "crowds", error);
    if (status == NETDP_OK)
        status = netdp_i_tally_follow(asked->tally, asked->path, asked->count, asked->observers,
                                      add_cycle, &c, error);
    if (status != NETDP_OK)
        goto done;
    for (int32_t u = 0; u < nodes; u++)
        delta[u] = fmin(1, c.seen[u] * asked->delta + asked->delta_compose);
    status = find_sound(&c, delta, result, error);
    for (int32_t u = 0; status == NETDP_OK && u < nodes; u++) {
        published[u] = compose(&c.published[u], asked->delta_compose);
        total_delta[u] = delta[u];
        sound[u] = result[u];
    }
    for (int32_t i = 0; status == NETDP_OK && i < asked->count; i++)
        published[asked->observers[i]] = sound[asked->observers[i]] = INFINITY;
done:
    netdp_i_free(result);
    netdp_i_free(c.seen);
    netdp_i_free(c.published);
    netdp_i_free(c.sound);
    return status;
}
