#include "peer/rounds.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"
#include "protocol/linear.h"

struct netdp_i_rounds {
    const netdp_linear *protocol;
    int32_t self, width,
        count;            /* entries of the row: neighbours, and the diagonal if it is there */
    double noise, weight; /* weight: of accelerated gossip */
    int64_t round;
    int32_t *column;  /* [count] of the row: nodes, ascending */
    int32_t *entry;   /* [degree]: which entry is the neighbour's */
    int32_t *local;   /* [count]: 0, 1, ...: the row as a matrix of its own */
    double *entries;  /* [count] */
    int64_t start[2]; /* of that matrix */
    int32_t own;      /* entry of the diagonal */
    int32_t degree;
    bool *here, *next;      /* [count]: whose message of this round, and of the next, is there, */
    bool *lost, *lost_next; /* and of those whose was dropped */
    double largest;         /* no number of a message is farther from 0 */
    double *message;        /* [count][width], of this round */
    double *ahead;          /* the same of the next */
    double *before;         /* [width]: one's message of the round before, of accelerated gossip */
    double *state, *mixed;
};

/* The row of W, its diagonal added with weight 0 where it has none: x + 0 m is x, but for a -0. */
static netdp_status take_row(netdp_i_rounds *r, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(r->protocol->mixing);
    const int64_t first = rows.start[r->self], end = rows.start[r->self + 1];
    r->count = (int32_t)(end - first);
    r->own = -1;
    r->column = NETDP_I_NEW(int32_t, r->count);
    r->entry = NETDP_I_NEW(int32_t, r->count);
    r->local = NETDP_I_NEW(int32_t, r->count);
    r->entries = NETDP_I_NEW(double, r->count);
    r->here = NETDP_I_NEW(bool, r->count);
    r->next = NETDP_I_NEW(bool, r->count);
    r->lost = NETDP_I_NEW(bool, r->count);
    r->lost_next = NETDP_I_NEW(bool, r->count);
    r->message = NETDP_I_NEW(double, (int64_t)r->count * r->width);
    r->ahead = NETDP_I_NEW(double, (int64_t)r->count * r->width);
    r->before = NETDP_I_NEW(double, r->width);
    r->state = NETDP_I_NEW(double, r->width);
    r->mixed = NETDP_I_NEW(double, r->width);
    if (r->column == NULL || r->entry == NULL || r->local == NULL || r->entries == NULL ||
        r->here == NULL || r->next == NULL || r->lost == NULL || r->lost_next == NULL ||
        r->message == NULL || r->ahead == NULL || r->before == NULL || r->state == NULL ||
        r->mixed == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < r->count; i++) {
        r->column[i] = rows.column[first + i];
        r->entries[i] = rows.weight[first + i];
        r->local[i] = i;
        if (r->column[i] == r->self)
            r->own = i;
        else
            r->entry[r->degree++] = i;
    }
    r->start[1] = r->count;
    REFUSE(r->own < 0, "mixing: a row of W has no diagonal; take metropolis");
    return NETDP_OK;
}

netdp_status netdp_i_rounds_new(const netdp_linear *protocol, int32_t self, int32_t width,
                                double noise, netdp_i_rounds **rounds, netdp_error *error)
{
    TRY(netdp_linear_check(protocol, error));
    REFUSE(protocol->varying.kind != NETDP_VARY_NEVER || netdp_quiet_is(&protocol->quiet),
           "protocol: peers run neither networks that change nor noise that is correlated over "
           "phases; leave out dropout, redraw and quiet");
    OWNED_BY(netdp_i_rounds_free) netdp_i_rounds *made = NETDP_I_NEW(netdp_i_rounds, 1);
    NEED(made);
    *made = (netdp_i_rounds){
        .protocol = protocol, .self = self, .width = width, .noise = noise, .largest = INFINITY};
    TRY(take_row(made, error));
    TRY(netdp_i_linear_weight(protocol, &made->weight, error));
    *rounds = GIVE(made);
    return NETDP_OK;
}

void netdp_i_rounds_free(netdp_i_rounds *rounds)
{
    if (rounds == NULL)
        return;
    netdp_i_free(rounds->column);
    netdp_i_free(rounds->entry);
    netdp_i_free(rounds->local);
    netdp_i_free(rounds->entries);
    netdp_i_free(rounds->here);
    netdp_i_free(rounds->next);
    netdp_i_free(rounds->lost);
    netdp_i_free(rounds->lost_next);
    netdp_i_free(rounds->message);
    netdp_i_free(rounds->ahead);
    netdp_i_free(rounds->before);
    netdp_i_free(rounds->state);
    netdp_i_free(rounds->mixed);
    netdp_i_free(rounds);
}

int32_t netdp_i_rounds_degree(const netdp_i_rounds *rounds)
{
    return rounds->degree;
}

int32_t netdp_i_rounds_neighbour(const netdp_i_rounds *rounds, int32_t index)
{
    return rounds->column[rounds->entry[index]];
}

int64_t netdp_i_rounds_now(const netdp_i_rounds *rounds)
{
    return rounds->round;
}

bool netdp_i_rounds_over(const netdp_i_rounds *rounds)
{
    return rounds->round >= rounds->protocol->rounds;
}

int64_t netdp_i_phase_of(const netdp_linear *protocol, int64_t round)
{
    return protocol->every > 0 ? round / protocol->every : 0;
}

int64_t netdp_i_phase_start(const netdp_linear *protocol, int64_t phase)
{
    return phase * protocol->every;
}

void netdp_i_rounds_limit(netdp_i_rounds *rounds, double largest)
{
    rounds->largest = largest;
}

const double *netdp_i_rounds_speak(netdp_i_rounds *r, const netdp_i_draws *draws)
{
    const netdp_linear *p = r->protocol;
    const size_t bytes = (size_t)r->width * sizeof(double);
    double *message = r->message + (int64_t)r->own * r->width;
    if (r->here[r->own])
        return message;
    memcpy(message, r->state, bytes);
    bool drawn = true;
    if (netdp_linear_contributes(p, r->round)) {
        drawn = draws->contribute(draws->context, r->round, message);
    } else {
        const double deviation = r->noise * (p->steady ? 1 : netdp_linear_noise(p, r->round));
        if (deviation > 0)
            drawn = draws->dither(draws->context, r->round, 0, deviation, message);
    }
    if (!drawn) {
        sodium_memzero(message, bytes);
        return NULL;
    }
    /* Of what is public by now: who was fed numbers at the limit passes none on beyond it. */
    for (int32_t j = 0; j < r->width; j++)
        message[j] = fmin(fmax(message[j], -r->largest), r->largest);
    r->here[r->own] = true;
    return message;
}

void netdp_i_rounds_resume(netdp_i_rounds *r, int64_t round, const double *message,
                           const double *before)
{
    const size_t bytes = (size_t)r->width * sizeof(double);
    memset(r->here, 0, (size_t)r->count * sizeof(bool));
    memset(r->next, 0, (size_t)r->count * sizeof(bool));
    memset(r->lost, 0, (size_t)r->count * sizeof(bool));
    memset(r->lost_next, 0, (size_t)r->count * sizeof(bool));
    memcpy(r->message + (int64_t)r->own * r->width, message, bytes);
    if (before != NULL)
        memcpy(r->before, before, bytes);
    r->here[r->own] = true;
    r->round = round;
}

bool netdp_i_rounds_hear(netdp_i_rounds *r, int32_t index, int64_t round, const double *message)
{
    const int32_t entry = r->entry[index];
    const bool now = round == r->round;
    bool *there = now ? r->here : r->next;
    if ((!now && round != r->round + 1) || netdp_i_rounds_over(r) || there[entry])
        return false;
    (now ? r->lost : r->lost_next)[entry] = message == NULL;
    if (message != NULL)
        memcpy((now ? r->message : r->ahead) + (int64_t)entry * r->width, message,
               (size_t)r->width * sizeof(double));
    there[entry] = true;
    return true;
}

bool netdp_i_rounds_heard(const netdp_i_rounds *rounds, int32_t index)
{
    return rounds->here[rounds->entry[index]];
}

/* What came early is of the round that begins. */
static void begin_next(netdp_i_rounds *r)
{
    double *message = r->message;
    bool *here = r->here, *lost = r->lost;
    r->message = r->ahead;
    r->here = r->next;
    r->lost = r->lost_next;
    r->ahead = message;
    r->next = here;
    r->lost_next = lost;
    memset(here, 0, (size_t)r->count * sizeof(bool));
    memset(lost, 0, (size_t)r->count * sizeof(bool));
    r->round++;
}

bool netdp_i_rounds_mix(netdp_i_rounds *r, const netdp_i_draws *draws)
{
    const netdp_linear *p = r->protocol;
    for (int32_t i = 0; i < r->count; i++)
        if (!r->here[i])
            return false;
    const netdp_rows row = {1, r->start, r->local, r->entries};
    const double *own = r->message + (int64_t)r->own * r->width;
    for (int32_t i = 0; i < r->count; i++)
        if (r->lost[i])
            memcpy(r->message + (int64_t)i * r->width, own, (size_t)r->width * sizeof(double));
    netdp_i_rows_apply_part(row, 0, 1, r->message, r->mixed, r->width);
    if (p->accelerate) {
        if (!netdp_linear_contributes(p, r->round))
            for (int32_t j = 0; j < r->width; j++)
                r->mixed[j] = r->weight * r->mixed[j] + (1 - r->weight) * r->before[j];
        memcpy(r->before, own, (size_t)r->width * sizeof(double));
    }
    const double end = netdp_linear_end_noise(p, r->round);
    if (end > 0 && !draws->dither(draws->context, r->round, 1, r->noise * end, r->mixed))
        return false;
    double *state = r->state;
    r->state = r->mixed;
    r->mixed = state;
    begin_next(r);
    return true;
}

const double *netdp_i_rounds_state(const netdp_i_rounds *rounds)
{
    return rounds->state;
}
