/*
 * Histograms on the ring: what the observers see between two visits is the multiset of the run's
 * randomised responses, and of the fill in the first one. Each is a shuffled crowd, whatever came
 * before; runs compose.
 *
 * A uniform element hides as well as a randomised response does, for clones and the blanket alike:
 * it is a clone of both with probability e^-epsilon0 / 2 or more, and blanket for certain. Theorem
 * 5 of paper E does not say so: there the fill counts for nothing.
 */
#include <math.h>
#include <string.h>

#include "account/losses/losses.h"
#include "account/tally/tally.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* A node of the ring is in the first run, in those in the middle, in the last one. */
enum { CLASSES = 3, MOST_CROWD = 1000000000 };

/* In how many runs of how many. */
typedef struct runs {
    int64_t crowd[CLASSES], count[CLASSES];
} runs;

typedef struct priced {
    int64_t crowd;
    double epsilon; /* infinity: no better than the local one, or the bound says nothing */
} priced;

typedef struct shuffled {
    const netdp_tally_request *request;
    netdp_losses *losses;
    double local;   /* epsilon0 */
    double delta;   /* of one run */
    double compose; /* delta of the whole */
    bool fill_hides;
    int digits;    /* binary ones that are kept of a crowd */
    runs *seen;    /* [nodes], of the observers at hand */
    int32_t *kind; /* [to][from] */
    int32_t kinds, crowds, room;
    runs *runs;      /* [kinds] */
    priced *price;   /* [crowds] */
    double *epsilon; /* [kinds] */
} shuffled;

int64_t netdp_i_tally_crowd(int64_t crowd, int digits)
{
    int exponent;
    if (crowd > MOST_CROWD)
        crowd = MOST_CROWD;
    const double part = frexp((double)crowd, &exponent);
    return (int64_t)ldexp(floor(ldexp(part, digits)), exponent - digits);
}

static void add_run(void *context, const netdp_i_increment *increment)
{
    const shuffled *s = context;
    const int64_t all = increment->elements + (s->fill_hides ? increment->fill : 0);
    const int64_t crowd = all == s->request->tally->nodes - 1 && increment->fill == 0
                              ? all
                              : netdp_i_tally_crowd(all, s->digits);
    for (int32_t i = 0; i < increment->count; i++) {
        runs *of = &s->seen[increment->node[i]];
        int c = 0;
        while (of->count[c] > 0 && of->crowd[c] != crowd)
            c++;
        of->crowd[c] = crowd;
        of->count[c] += increment->times;
    }
}

static bool same(const runs *a, const runs *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The number of the kind, a new one where there is none like it. */
static netdp_status find_kind(shuffled *s, const runs *of, int32_t *kind, netdp_error *error)
{
    for (*kind = s->kinds - 1; *kind >= 0; --*kind)
        if (same(&s->runs[*kind], of))
            return NETDP_OK;
    if (s->kinds == s->room) {
        const int32_t room = 2 * s->room + 16;
        runs *grown = NETDP_I_NEW(runs, room);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        if (s->kinds > 0)
            memcpy(grown, s->runs, (size_t)s->kinds * sizeof *grown);
        netdp_i_free(s->runs);
        s->runs = grown;
        s->room = room;
    }
    *kind = s->kinds++;
    s->runs[*kind] = *of;
    return NETDP_OK;
}

/* The kinds of all pairs. */
static netdp_status find_kinds(shuffled *s, const netdp_progress *progress, netdp_error *error)
{
    const netdp_losses *l = s->losses;
    for (int32_t v = 0; v < l->to_count; v++) {
        memset(s->seen, 0, (size_t)s->request->tally->nodes * sizeof *s->seen);
        TRY(netdp_i_tally_follow(s->request->tally, NULL, l->members, l->to + v, add_run, s,
                                 error));
        for (int32_t i = 0; i < l->from_count; i++) {
            int32_t *kind = &s->kind[(int64_t)v * l->from_count + i];
            if (i > 0 && same(&s->seen[l->from[i]], &s->seen[l->from[i - 1]]))
                *kind = kind[-1];
            else
                TRY(find_kind(s, &s->seen[l->from[i]], kind, error));
        }
        TRY(netdp_i_poll(progress, error));
    }
    return NETDP_OK;
}

static priced *find_price(const shuffled *s, int64_t crowd)
{
    for (int32_t i = 0; i < s->crowds; i++)
        if (s->price[i].crowd == crowd)
            return &s->price[i];
    return NULL;
}

static netdp_status price_crowd(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const shuffled *s = context;
    priced *price = &s->price[index];
    const netdp_shuffle shuffle = {
        .epsilon0 = s->local, .crowd = price->crowd, .levels = s->request->tally->levels};
    TRY(netdp_shuffle_epsilon(s->request->shuffle, &shuffle, s->delta, &price->epsilon, error));
    if (price->epsilon >= s->local)
        price->epsilon = INFINITY;
    return NETDP_OK;
}

static netdp_status price_crowds(shuffled *s, const netdp_progress *progress, netdp_error *error)
{
    s->price = NETDP_I_NEW(priced, (int64_t)CLASSES * s->kinds);
    if (s->price == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k < s->kinds; k++)
        for (int c = 0; c < CLASSES && s->runs[k].count[c] > 0; c++)
            if (s->runs[k].crowd[c] > 0 && find_price(s, s->runs[k].crowd[c]) == NULL)
                s->price[s->crowds++].crowd = s->runs[k].crowd[c];
    return netdp_i_for_each(s->crowds, price_crowd, s, progress, "crowds", error);
}

/* Advanced composition of unlike releases (Kairouz, Oh and Viswanath 2015, Theorem 3.5). */
static double compose_advanced(const netdp_event *event, size_t count, double local, double slack)
{
    double squares = 0, rest = 0;
    for (size_t i = 0; i < count; i++) {
        const double times = (double)event[i].count;
        const double epsilon = event[i].mechanism == NETDP_APPROXIMATE ? event[i].epsilon : local;
        squares += times * epsilon * epsilon;
        rest += times * epsilon * expm1(epsilon);
    }
    return netdp_i_tally_up(sqrt(2 * -log(slack) * squares) + rest, 64);
}

static netdp_status price_kind(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const shuffled *s = context;
    const runs *of = &s->runs[index];
    netdp_event event[CLASSES] = {{0}};
    size_t count = 0;
    for (int c = 0; c < CLASSES && of->count[c] > 0; c++) {
        const priced *price = find_price(s, of->crowd[c]);
        event[count] = (netdp_event){.mechanism = NETDP_RANDOMISED_RESPONSE,
                                     .flip = s->request->tally->flip,
                                     .levels = s->request->tally->levels,
                                     .count = of->count[c]};
        if (price != NULL && !isinf(price->epsilon)) {
            event[count].mechanism = NETDP_APPROXIMATE;
            event[count].epsilon = price->epsilon;
            event[count].delta = s->delta;
        }
        count++;
    }
    double *epsilon = &s->epsilon[index];
    *epsilon = 0;
    if (count == 1 && s->request->tally->passes == 1 && event[0].mechanism == NETDP_APPROXIMATE)
        *epsilon = event[0].epsilon;
    else if (count > 0 && s->request->composing == NETDP_TALLY_ADVANCED)
        *epsilon = compose_advanced(event, count, s->local, s->compose / 2);
    else if (count > 0)
        return netdp_events_epsilon(event, count, s->compose, NETDP_UPPER, epsilon, error);
    return NETDP_OK;
}

static void shuffled_clear(shuffled *s)
{
    netdp_i_free(s->seen);
    netdp_i_free(s->kind);
    netdp_i_free(s->runs);
    netdp_i_free(s->price);
    netdp_i_free(s->epsilon);
}

netdp_status netdp_i_tally_shuffled(const netdp_tally_request *request,
                                    const netdp_progress *progress, netdp_losses *losses,
                                    netdp_error *error)
{
    const netdp_tally *tally = request->tally;
    const int64_t pairs = (int64_t)losses->from_count * losses->to_count;
    CLEARED(shuffled_clear)
    shuffled s = {.request = request,
                  .losses = losses,
                  .compose = request->unit.parameter,
                  .fill_hides = request->shuffle != NETDP_SHUFFLE_ERLINGSSON,
                  .digits = losses->to_count == 1 ? 53 : 2};
    /* Half of delta for the runs, half for their composition. */
    s.delta = tally->passes == 1 ? s.compose : s.compose / 2 / (double)tally->passes;
    TRY(netdp_rr_epsilon(tally->flip, tally->levels, &s.local, error));
    s.seen = NETDP_I_NEW(runs, tally->nodes);
    s.kind = NETDP_I_NEW(int32_t, pairs);
    if (s.seen == NULL || s.kind == NULL)
        return netdp_i_no_memory(error);
    TRY(find_kinds(&s, progress, error));
    if (!isinf(s.local))
        TRY(price_crowds(&s, progress, error));
    s.epsilon = NETDP_I_NEW(double, s.kinds);
    if (s.epsilon == NULL)
        return netdp_i_no_memory(error);
    if (!isinf(s.local))
        TRY(netdp_i_for_each(s.kinds, price_kind, &s, progress, "views", error));
    for (int64_t i = 0; i < pairs; i++)
        losses->loss[i] =
            isinf(s.local) ? losses->local : fmin(s.epsilon[s.kind[i]], losses->local);
    return NETDP_OK;
}
