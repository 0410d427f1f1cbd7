#include "account/walk/many/all_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/losses/losses.h"
#include "account/walk/many/ladder.h"
#include "account/walk/many/tilts.h"
#include "account/walk/many/visits_bound.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/powers.h"

enum { TILTS = NETDP_I_TILTS, FIRST_POSITIVE = 8, WIDTH = NETDP_I_SPECTRAL_WIDTH };

/* So many pairs are worth the eigenvectors and the sums. */
enum { FEWEST_PAIRS = 1000 };

/* What an observer takes is for all nodes, so that these are at most so many times the sources. */
enum { MOST_TIMES = 8 };

/* Nodes are looked at up to so many returns; with fewer kinds of them other pairs are alike. */
enum { LOOK = 12, KINDS = 16 };

/* Contributions that are followed, over all tokens; a cap that is no more, of one token and of all, is as it is. */
enum { MOST_COUNT = NETDP_I_TILTS_COUNT, SMALL_CAP = 32, SMALL_COST = 40 };

/* Part of delta that paths of more contributions than are followed may be. */
#define LITTLE 1e-3

/* Means are kept of so many pairs at most; of more, those of so many observers are looked at. */
enum { MOST_KEPT = 250000, LOOK_OBSERVERS = 32 };

/* Pairs that the sums are made for: by rank, by how little they tell, and the extremes. */
enum { BY_RANK = 72, BY_SIZE = 72, EXTREME = 8, SAMPLES = BY_RANK + BY_SIZE + 2 * EXTREME };

/* Deltas whose sums are made: so many to a factor of ten. */
#define DELTAS 4.0

/* One thread's. */
typedef struct rooms {
    netdp_i_spectral_room *spectral;
    netdp_i_tilts_room *tilts;
    int32_t *source, *index; /* [from_count] */
} rooms;

/* Of one pair. */
typedef struct means {
    double mean[TILTS], off[TILTS];
} means;

struct netdp_i_all_pairs {
    netdp_i_all_pairs_asked asked; /* of the moment */
    netdp_losses *losses;
    const netdp_progress *progress; /* of the moment */
    netdp_i_time_grid *grid;
    netdp_i_tilts *tilts;
    netdp_i_spectral *spectral;
    netdp_i_ladder *ladder; /* of the moment */
    rooms *room;            /* [threads] */
    means *looked;      /* [observers looked at][from_count], zero where a pair does not count */
    int32_t observers;  /* looked at: all, or some of them */
    double *mean, *off; /* [SAMPLES][TILTS] */
    int32_t samples;
    int64_t *count; /* [from_count]: contributions that are followed */
    double lost;    /* P(more of them count), from above, of every source */
};

typedef netdp_i_all_pairs all_pairs;

static bool suits(const netdp_i_all_pairs_asked *asked, const netdp_losses *losses)
{
    const netdp_token *token = asked->token;
    return losses->members == 1 && !token->release && !token->weighted && token->cap != 1 &&
           token->steps > 1 && netdp_transition_rows(token->law).nodes <= NETDP_DENSE_NODES &&
           (token->start != NETDP_START_OBSERVER || token->burn_in == 0) && asked->sigma > 0 &&
           asked->top > 1e-9 && isfinite(asked->top);
}

netdp_status netdp_i_all_pairs_fit(const netdp_i_all_pairs_asked *asked, const netdp_losses *losses,
                                   bool *fit, netdp_error *error)
{
    *fit = false;
    const int64_t nodes = netdp_transition_rows(asked->token->law).nodes;
    if (!suits(asked, losses) || (int64_t)losses->from_count * losses->to_count < FEWEST_PAIRS ||
        (int64_t)losses->from_count * MOST_TIMES < nodes)
        return NETDP_OK;
    CLEARED(netdp_i_powers_clear) netdp_i_powers returns = {0};
    TRY(netdp_i_powers_of_returns(asked->token->law, losses->from, losses->from_count, LOOK, NULL,
                                  &returns, error));
    int32_t kind[KINDS + 1], kinds = 0;
    for (int32_t i = 0; i < losses->from_count && kinds <= KINDS; i++) {
        int32_t k = 0;
        while (k < kinds && !netdp_i_powers_equal(&returns, kind[k], &returns, i))
            k++;
        if (k == kinds)
            kind[kinds++] = i;
    }
    *fit = kinds > KINDS;
    return NETDP_OK;
}

void netdp_i_all_pairs_free(all_pairs *a)
{
    if (a == NULL)
        return;
    for (int i = 0; a->room != NULL && i < netdp_i_threads(); i++) {
        netdp_i_spectral_room_free(a->room[i].spectral);
        netdp_i_tilts_room_free(a->room[i].tilts);
        netdp_i_free(a->room[i].source);
        netdp_i_free(a->room[i].index);
    }
    netdp_i_free(a->room);
    netdp_i_ladder_free(a->ladder);
    netdp_i_spectral_free(a->spectral);
    netdp_i_tilts_free(a->tilts);
    netdp_i_time_grid_free(a->grid);
    netdp_i_free(a->looked);
    netdp_i_free(a->count);
    netdp_i_free(a->mean);
    netdp_i_free(a->off);
    netdp_i_free(a);
}

/*
 * Contributions of each source to follow: those that count, or so many that more have next to no
 * probability. Returns the most; 0: too many.
 */
static int64_t find_counts(all_pairs *a)
{
    const netdp_token *token = a->asked.token;
    const int64_t all = token->cap > 0 && token->cap < token->steps ? token->cap : token->steps;
    const double lost = LITTLE * a->asked.delta / token->tokens;
    const bool small = all <= SMALL_CAP && all * token->tokens <= SMALL_COST;
    int64_t most = 1;
    for (int32_t i = 0; i < a->losses->from_count; i++) {
        const double count =
            small ? (double)all
                  : netdp_i_visits_bound(a->spectral, token->steps, a->losses->from[i], lost);
        a->count[i] = count < (double)all ? (int64_t)count : all;
        most = a->count[i] > most ? a->count[i] : most;
        if (a->count[i] < all)
            a->lost = token->tokens * lost;
    }
    return most * token->tokens <= MOST_COUNT ? most : 0;
}

/* Of a walk; NETDP_NO_ANSWER where there is no way. */
static netdp_status find_walk(all_pairs *a, netdp_error *error)
{
    const netdp_token *token = a->asked.token;
    a->count = NETDP_I_NEW(int64_t, a->losses->from_count);
    if (a->count == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_time_grid_new(token->steps, false, token->cap, &a->grid, error));
    TRY(netdp_i_tilts_new(a->grid, &a->tilts, error));
    TRY(netdp_i_spectral_new(token, a->grid, a->tilts->z, a->tilts->points, &a->spectral, error));
    const int64_t most = find_counts(a);
    if (most == 0)
        return NETDP_NO_ANSWER;
    return netdp_i_tilts_set(a->tilts, a->spectral, most, token->tokens, a->asked.rate, error);
}

static netdp_status begin(all_pairs *a, netdp_error *error)
{
    TRY(find_walk(a, error));
    const int64_t from = a->losses->from_count;
    const bool all = from * a->losses->to_count <= MOST_KEPT;
    a->observers =
        all || a->losses->to_count < LOOK_OBSERVERS ? a->losses->to_count : LOOK_OBSERVERS;
    a->mean = NETDP_I_NEW(double, SAMPLES *TILTS);
    a->off = NETDP_I_NEW(double, SAMPLES *TILTS);
    a->room = NETDP_I_NEW(rooms, netdp_i_threads());
    a->looked = NETDP_I_NEW(means, a->observers * from);
    if (a->mean == NULL || a->off == NULL || a->room == NULL || a->looked == NULL)
        return netdp_i_no_memory(error);
    for (int i = 0; i < netdp_i_threads(); i++) {
        rooms *r = &a->room[i];
        r->source = NETDP_I_NEW(int32_t, a->losses->from_count);
        r->index = NETDP_I_NEW(int32_t, a->losses->from_count);
        if (r->source == NULL || r->index == NULL)
            return netdp_i_no_memory(error);
        TRY(netdp_i_spectral_room_new(a->spectral, &r->spectral, error));
        TRY(netdp_i_tilts_room_new(a->tilts, &r->tilts, error));
    }
    return NETDP_OK;
}

/* The means of all tokens, by those of one of them. */
static void add_tokens(int32_t tokens, double *mean, double *off)
{
    for (int j = 0; j < TILTS && tokens > 1; j++) {
        const double one = mean[j];
        off[j] = tokens * off[j] * pow(one + off[j], tokens - 1);
        mean[j] = pow(one, tokens);
        off[j] += 1e-14 * mean[j];
    }
}

static void find_means(const all_pairs *a, rooms *r, int32_t i, int64_t count, means *into)
{
    netdp_i_tilts_mean(r->tilts, &r->spectral->law[i], count, into->mean, into->off);
    add_tokens(a->asked.token->tokens, into->mean, into->off);
}

/* Of an observer: `looked` [from_count], or its losses where that is NULL. */
static netdp_status follow_observer(const all_pairs *a, int32_t v, int thread, means *looked,
                                    netdp_error *error)
{
    rooms *r = &a->room[thread];
    const netdp_losses *l = a->losses;
    double *loss = l->loss + (int64_t)v * l->from_count;
    int32_t count = 0;
    for (int32_t i = 0; i < l->from_count; i++)
        if (netdp_losses_counts(l, i, v)) {
            r->source[count] = l->from[i];
            r->index[count++] = i;
        }
    netdp_i_spectral_observe(r->spectral, l->to[v]);
    for (int32_t k = 0; k < count; k += WIDTH) {
        const int32_t width = count - k < WIDTH ? count - k : WIDTH;
        TRY(netdp_i_poll(a->progress, error));
        netdp_i_spectral_follow(r->spectral, r->source + k, width);
        for (int32_t i = 0; i < width; i++) {
            means own, *to = looked != NULL ? &looked[r->index[k + i]] : &own;
            find_means(a, r, i, a->count[r->index[k + i]], to);
            if (looked == NULL)
                loss[r->index[k + i]] = netdp_i_ladder_ask(a->ladder, own.mean, own.off);
        }
    }
    return NETDP_OK;
}

/* ---- the sample ---- */

static int32_t looked_at(const all_pairs *a, int64_t index)
{
    return (int32_t)(index * a->losses->to_count / a->observers);
}

static netdp_status look(void *context, int64_t index, int thread, netdp_error *error)
{
    const all_pairs *a = context;
    return follow_observer(a, looked_at(a, index), thread,
                           a->looked + index * a->losses->from_count, error);
}

/* How much a pair tells, about: E C. */
typedef struct size {
    double size;
    int64_t pair;
} size;

static int compare(const void *x, const void *y)
{
    const size *a = x, *b = y;
    return a->size != b->size ? (a->size < b->size ? -1 : 1)
                              : (a->pair > b->pair) - (a->pair < b->pair);
}

static bool is_good(const means *of)
{
    bool good = true;
    for (int j = 0; j < TILTS; j++)
        good = good && of->mean[j] > 0 && isfinite(of->mean[j]) && isfinite(of->off[j]);
    return good;
}

static void add_sample(all_pairs *a, const means *of)
{
    memcpy(a->mean + (int64_t)a->samples * TILTS, of->mean, sizeof of->mean);
    memcpy(a->off + (int64_t)a->samples++ * TILTS, of->off, sizeof of->off);
}

/* The first in order of at least that size. */
static int64_t first_of_size(const size *order, int64_t count, double least)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (order[middle].size < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static netdp_status choose_samples(all_pairs *a, netdp_error *error)
{
    const int64_t all = (int64_t)a->observers * a->losses->from_count;
    size *order = NETDP_I_NEW(size, all);
    int64_t count = 0;
    if (order == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < all; i++)
        if (is_good(&a->looked[i])) {
            /* nothing rests on it: by a small tilt, and by a large one what is rare and dear */
            const double small = a->looked[i].mean[FIRST_POSITIVE] - 1;
            order[count++] = (size){log(fmax(small, 1e-15)), i};
        }
    qsort(order, (size_t)count, sizeof *order, compare);
    a->samples = 0;
    for (int64_t k = 0; k < EXTREME && count > 0; k++) {
        add_sample(a, &a->looked[order[k < count ? k : count - 1].pair]);
        add_sample(a, &a->looked[order[count - 1 - (k < count ? k : count - 1)].pair]);
    }
    for (int64_t k = 0; k < BY_RANK && count > 0; k++)
        add_sample(a, &a->looked[order[(2 * k + 1) * count / (2 * BY_RANK)].pair]);
    for (int64_t k = 0; k < BY_SIZE && count > 0; k++) {
        const double part = (2 * (double)k + 1) / (2 * BY_SIZE);
        const double wanted = order[0].size + part * (order[count - 1].size - order[0].size);
        add_sample(a, &a->looked[order[first_of_size(order, count, wanted)].pair]);
    }
    netdp_i_free(order);
    return NETDP_OK;
}

static netdp_status make_ladder(all_pairs *a, double delta, const netdp_progress *progress,
                                netdp_error *error)
{
    const netdp_token *token = a->asked.token;
    const double left = nextafter(delta - a->lost, 0);
    const netdp_i_ladder_asked asked = {.theta = a->tilts->theta,
                                        .sigma = a->asked.sigma,
                                        .delta = left * pow(a->tilts->survives, token->tokens),
                                        .most = (double)(a->tilts->count * token->tokens),
                                        .top = a->asked.top,
                                        .samples = a->samples,
                                        .mean = a->mean,
                                        .off = a->off};
    netdp_i_ladder_free(a->ladder);
    a->ladder = NULL;
    return netdp_i_ladder_new(&asked, &a->ladder, progress, error);
}

/* ---- all pairs ---- */

static netdp_status account_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    const all_pairs *a = context;
    const netdp_losses *l = a->losses;
    if (a->observers < l->to_count)
        return follow_observer(a, (int32_t)index, thread, NULL, error);
    for (int32_t i = 0; i < l->from_count; i++) {
        const int64_t at = index * l->from_count + i;
        if (netdp_losses_counts(l, i, (int32_t)index))
            l->loss[at] = netdp_i_ladder_ask(a->ladder, a->looked[at].mean, a->looked[at].off);
    }
    return NETDP_OK;
}

OWNER(netdp_i_all_pairs_free, all_pairs)

netdp_status netdp_i_all_pairs_new(const netdp_i_all_pairs_asked *asked, netdp_losses *losses,
                                   all_pairs **made, const netdp_progress *progress,
                                   netdp_error *error)
{
    *made = NULL;
    if (!suits(asked, losses))
        return NETDP_OK;
    OWNED_BY(netdp_i_all_pairs_free) all_pairs *a = NETDP_I_NEW(all_pairs, 1);
    if (a == NULL)
        return netdp_i_no_memory(error);
    a->asked = *asked;
    a->losses = losses;
    a->progress = progress;
    const netdp_status status = begin(a, error);
    if (status == NETDP_NO_ANSWER)
        return NETDP_OK; /* such a spectrum: the other way is open */
    TRY(status);
    TRY(netdp_i_for_each(a->observers, look, a, progress, "means of pairs", error));
    TRY(choose_samples(a, error));
    *made = GIVE(a);
    return NETDP_OK;
}

static netdp_status at_delta(all_pairs *a, double delta, const netdp_progress *progress,
                             netdp_error *error)
{
    netdp_losses *l = a->losses;
    for (int64_t i = 0; i < (int64_t)l->from_count * l->to_count && !(delta > a->lost); i++)
        l->loss[i] = INFINITY;
    if (!(delta > a->lost))
        return NETDP_OK;
    TRY(make_ladder(a, delta, progress, error));
    return netdp_i_for_each(l->to_count, account_observer, a, progress, "observers", error);
}

/*
 * Sums are made for a few deltas alone. Between two of them delta is below the line in e^epsilon, so
 * epsilon, which falls on it, is that of the line: a smaller delta never tells less.
 */
netdp_status netdp_i_all_pairs_at(all_pairs *a, const netdp_i_all_pairs_asked *asked,
                                  const netdp_progress *progress, netdp_error *error)
{
    netdp_losses *l = a->losses;
    const int64_t pairs = (int64_t)l->from_count * l->to_count;
    const double at = -DELTAS * log10(asked->delta), near = nearbyint(at);
    a->asked = *asked;
    a->progress = progress;
    if (fabs(at - near) < 1e-12 * fmax(1, near))
        return at_delta(a, fmin(asked->delta, pow(10, -near / DELTAS)), progress, error);
    const double less = pow(10, -ceil(at) / DELTAS), more = pow(10, -floor(at) / DELTAS);
    OWNED double *high = NETDP_I_NEW(double, pairs);
    if (high == NULL)
        return netdp_i_no_memory(error);
    a->asked.top *=
        1.5; /* what is said at the smaller delta may be above the local epsilon of the asked one */
    TRY(at_delta(a, less, progress, error));
    memcpy(high, l->loss, (size_t)pairs * sizeof *high);
    TRY(at_delta(a, more, progress, error));
    const double part = fmin(1, (more - asked->delta) / (more - less) * (1 + 1e-14));
    for (int64_t i = 0; i < pairs; i++) {
        const double low = fmin(l->loss[i], high[i]);
        l->loss[i] = !isfinite(high[i]) || high[i] > 600
                         ? high[i]
                         : fmin(high[i], (low + log1p(part * expm1(high[i] - low))) * (1 + 1e-12));
    }
    return NETDP_OK;
}
