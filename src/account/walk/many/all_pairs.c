#include "account/walk/many/all_pairs.h"

#include <math.h>
#include <string.h>

#include "account/losses/losses.h"
#include "account/walk/many/ladder.h"
#include "account/walk/many/tilts.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mixing/powers.h"

enum { TILTS = NETDP_I_TILTS, WIDTH = NETDP_I_SPECTRAL_WIDTH };

/* So many pairs are worth the eigenvectors and the sums. */
enum { FEWEST_PAIRS = 10000 };

/* What an observer takes is for all nodes, so that these are at most so many times the sources. */
enum { MOST_TIMES = 8 };

/* Nodes are looked at up to so many returns; with fewer kinds of them other pairs are alike. */
enum { LOOK = 12, KINDS = 64 };

/* Contributions that are followed, and their cost over all tokens. */
enum { MOST_COUNT = 32, MOST_COST = 40 };

/* Pairs that the sums are made for: of so many observers so many sources. */
enum { SAMPLE_OBSERVERS = 32, SAMPLE_SOURCES = 5, SAMPLES = SAMPLE_OBSERVERS * SAMPLE_SOURCES };

/* One thread's. */
typedef struct rooms {
    netdp_i_spectral_room *spectral;
    netdp_i_tilts_room *tilts;
    int32_t *source, *index; /* [from_count] */
} rooms;

typedef struct all_pairs {
    const netdp_i_all_pairs_asked *asked;
    netdp_losses *losses;
    netdp_i_time_grid *grid;
    netdp_i_tilts *tilts;
    netdp_i_spectral *spectral;
    netdp_i_ladder *ladder;
    rooms *room;        /* [threads] */
    double *mean, *off; /* [SAMPLES][TILTS] */
    int32_t samples;
} all_pairs;

static bool suits(const netdp_i_all_pairs_asked *asked, const netdp_losses *losses)
{
    const netdp_token *token = asked->token;
    return losses->members == 1 && !token->release && !token->weighted && token->cap > 1 &&
           token->steps > 1 && token->cap <= MOST_COUNT &&
           token->cap * token->tokens <= MOST_COST &&
           netdp_transition_rows(token->law).nodes <= NETDP_DENSE_NODES &&
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
    netdp_i_powers returns = {0};
    netdp_status status = netdp_i_powers_of_returns(
        asked->token->law, losses->from, losses->from_count, LOOK, NULL, &returns, error);
    int32_t kind[KINDS + 1], kinds = 0;
    for (int32_t i = 0; i < losses->from_count && status == NETDP_OK && kinds <= KINDS; i++) {
        int32_t k = 0;
        while (k < kinds && !netdp_i_powers_equal(&returns, kind[k], &returns, i))
            k++;
        if (k == kinds)
            kind[kinds++] = i;
    }
    netdp_i_powers_clear(&returns);
    *fit = status == NETDP_OK && kinds > KINDS;
    return status;
}

static void all_pairs_clear(all_pairs *a)
{
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
    netdp_i_free(a->mean);
    netdp_i_free(a->off);
}

static netdp_status begin(all_pairs *a, netdp_error *error)
{
    const netdp_token *token = a->asked->token;
    const int64_t count = token->cap < token->steps ? token->cap : token->steps;
    netdp_status status = netdp_i_time_grid_new(token->steps, false, &a->grid, error);
    if (status == NETDP_OK)
        status = netdp_i_tilts_new(a->grid, count, token->tokens, &a->tilts, error);
    if (status == NETDP_OK)
        status = netdp_i_spectral_new(token, a->grid, a->tilts->z, a->tilts->points, &a->spectral,
                                      error);
    if (status == NETDP_OK)
        status = netdp_i_tilts_set(a->tilts, a->spectral, a->asked->rate, error);
    if (status != NETDP_OK)
        return status;
    a->mean = NETDP_I_NEW(double, SAMPLES *TILTS);
    a->off = NETDP_I_NEW(double, SAMPLES *TILTS);
    a->room = NETDP_I_NEW(rooms, netdp_i_threads());
    if (a->mean == NULL || a->off == NULL || a->room == NULL)
        return netdp_i_no_memory(error);
    for (int i = 0; i < netdp_i_threads() && status == NETDP_OK; i++) {
        rooms *r = &a->room[i];
        r->source = NETDP_I_NEW(int32_t, a->losses->from_count);
        r->index = NETDP_I_NEW(int32_t, a->losses->from_count);
        if (r->source == NULL || r->index == NULL)
            return netdp_i_no_memory(error);
        status = netdp_i_spectral_room_new(a->spectral, &r->spectral, error);
        if (status == NETDP_OK)
            status = netdp_i_tilts_room_new(a->tilts, &r->tilts, error);
    }
    return status;
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

static void find_means(const all_pairs *a, rooms *r, int32_t i, double *mean, double *off)
{
    netdp_i_tilts_mean(r->tilts, &r->spectral->law[i], mean, off);
    add_tokens(a->asked->token->tokens, mean, off);
}

/* ---- the sample ---- */

/* Which source, by turns a near one and any. */
static int32_t draw_source(const all_pairs *a, int32_t v, int32_t observer, int32_t turn)
{
    const netdp_losses *l = a->losses;
    const netdp_rows rows = a->spectral->rows;
    int32_t at = observer;
    for (int32_t hop = 0; hop < turn; hop++) {
        const int64_t first = rows.start[at], entries = rows.start[at + 1] - first;
        at = rows.column[first + (7 * v + 3 * hop) % entries];
    }
    for (int32_t i = 0; i < l->from_count && turn > 0; i++)
        if (l->from[i] == at && netdp_losses_counts(l, i, v))
            return i;
    for (int32_t k = 0; k < l->from_count; k++) {
        const int32_t i = (int32_t)((7919 * (int64_t)(v + 1) + k) % l->from_count);
        if (netdp_losses_counts(l, i, v))
            return i;
    }
    return -1;
}

static int32_t observers_of(const netdp_losses *losses)
{
    return losses->to_count < SAMPLE_OBSERVERS ? losses->to_count : SAMPLE_OBSERVERS;
}

static netdp_status sample(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    all_pairs *a = context;
    rooms *r = &a->room[thread];
    const netdp_losses *l = a->losses;
    const int32_t v = (int32_t)(index * l->to_count / observers_of(l));
    netdp_i_spectral_observe(r->spectral, l->to[v]);
    for (int32_t turn = 0; turn < SAMPLE_SOURCES && turn < l->from_count; turn++) {
        const int32_t i = draw_source(a, v, l->to[v], turn);
        double *mean = a->mean + (index * SAMPLE_SOURCES + turn) * TILTS;
        double *off = a->off + (index * SAMPLE_SOURCES + turn) * TILTS;
        if (i < 0)
            continue;
        netdp_i_spectral_follow(r->spectral, &l->from[i], 1);
        find_means(a, r, 0, mean, off);
    }
    return NETDP_OK;
}

/* Those that are numbers, at the front. */
static void keep_samples(all_pairs *a)
{
    for (int32_t k = 0; k < SAMPLES; k++) {
        const double *mean = a->mean + k * TILTS, *off = a->off + k * TILTS;
        bool good = true;
        for (int j = 0; j < TILTS; j++)
            good = good && mean[j] > 0 && isfinite(mean[j]) && isfinite(off[j]);
        if (!good)
            continue;
        memmove(a->mean + a->samples * TILTS, mean, TILTS * sizeof *mean);
        memmove(a->off + a->samples++ * TILTS, off, TILTS * sizeof *off);
    }
}

static netdp_status make_ladder(all_pairs *a, netdp_error *error)
{
    netdp_status status =
        netdp_i_for_each(observers_of(a->losses), sample, a, NULL, "sample", error);
    keep_samples(a);
    const netdp_token *token = a->asked->token;
    const netdp_i_ladder_asked asked = {.theta = a->tilts->theta,
                                        .sigma = a->asked->sigma,
                                        .delta = a->asked->delta *
                                                 pow(a->tilts->survives, token->tokens),
                                        .most = (double)(a->tilts->count * token->tokens),
                                        .top = a->asked->top,
                                        .samples = a->samples,
                                        .mean = a->mean,
                                        .off = a->off};
    return status == NETDP_OK ? netdp_i_ladder_new(&asked, &a->ladder, error) : status;
}

/* ---- all pairs ---- */

static netdp_status account_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    all_pairs *a = context;
    rooms *r = &a->room[thread];
    netdp_losses *l = a->losses;
    const int32_t v = (int32_t)index;
    double *loss = l->loss + index * l->from_count;
    int32_t count = 0;
    for (int32_t i = 0; i < l->from_count; i++)
        if (netdp_losses_counts(l, i, v)) {
            r->source[count] = l->from[i];
            r->index[count++] = i;
        }
    netdp_i_spectral_observe(r->spectral, l->to[v]);
    for (int32_t k = 0; k < count; k += WIDTH) {
        const int32_t width = count - k < WIDTH ? count - k : WIDTH;
        netdp_i_spectral_follow(r->spectral, r->source + k, width);
        for (int32_t i = 0; i < width; i++) {
            double mean[TILTS], off[TILTS];
            find_means(a, r, i, mean, off);
            loss[r->index[k + i]] = netdp_i_ladder_ask(a->ladder, mean, off);
        }
    }
    return NETDP_OK;
}

netdp_status netdp_i_all_pairs(const netdp_i_all_pairs_asked *asked, netdp_losses *losses,
                               bool *made, const netdp_progress *progress, netdp_error *error)
{
    all_pairs a = {.asked = asked, .losses = losses};
    *made = false;
    if (!suits(asked, losses))
        return NETDP_OK;
    netdp_status status = begin(&a, error);
    if (status == NETDP_NO_ANSWER) { /* such a spectrum: the other way is open */
        all_pairs_clear(&a);
        return NETDP_OK;
    }
    if (status == NETDP_OK)
        status = make_ladder(&a, error);
    if (status == NETDP_OK)
        status =
            netdp_i_for_each(losses->to_count, account_observer, &a, progress, "observers", error);
    *made = status == NETDP_OK;
    all_pairs_clear(&a);
    return status;
}
