#include "account/observe/gains.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "base/try.h"

#define STEADY 1e-14

/* Gains of a protocol that never becomes steady may take this many bytes. */
#define MOST_BYTES 2e9

void netdp_i_gains_clear(netdp_i_gains *gains)
{
    for (int64_t t = 0; t < gains->count; t++)
        netdp_i_gain_clear(&gains->gain[t]);
    netdp_i_free(gains->gain);
    netdp_i_gain_clear(&gains->last);
    netdp_i_filter_free(gains->filter);
    *gains = (netdp_i_gains){0};
}

const netdp_i_gain *netdp_i_gains_at(const netdp_i_gains *gains, int64_t round)
{
    return &gains->gain[round < gains->count ? round : gains->count - 1];
}

netdp_status netdp_i_ages_grow(int64_t ages, int64_t each, int64_t *room, double **numbers,
                               double **others, netdp_error *error)
{
    if (ages < *room)
        return NETDP_OK;
    const int64_t wanted = *room + *room / 2 + 64;
    double **const array[] = {numbers, others};
    for (int i = 0; i < 2; i++) {
        if (array[i] == NULL)
            continue;
        double *grown = netdp_i_grow(*array[i], wanted * each, sizeof *grown);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        *array[i] = grown;
    }
    *room = wanted;
    return NETDP_OK;
}

double netdp_i_ages_largest(const double *x, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; k++)
        most = fabs(x[k]) > most ? fabs(x[k]) : most;
    return most;
}

static netdp_status append(netdp_i_gains *gains, int32_t modes, int32_t seen, int64_t *room,
                           netdp_error *error)
{
    if (gains->count == *room) {
        const int64_t wanted = 2 * *room + 16;
        netdp_i_gain *grown = netdp_i_grow(gains->gain, wanted, sizeof *grown);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        gains->gain = grown;
        *room = wanted;
    }
    TRY(netdp_i_gain_new(modes, seen, &gains->gain[gains->count], error));
    gains->count++;
    return NETDP_OK;
}

int64_t netdp_i_gains_room(const netdp_i_basis *basis, const netdp_i_observer *observer)
{
    const double s = observer->seen_count;
    return (int64_t)fmax(2, MOST_BYTES / (8 * s * (s + basis->modes)));
}

/* The gain of the last sum received; where it is steady, behind one more observation. */
static netdp_status observe_last(netdp_i_gains *gains, int32_t modes, int32_t seen, int64_t *room,
                                 netdp_error *error)
{
    /* After a steady break P is that before an observation: take it in first, and hold its gain. */
    if (gains->steady) {
        TRY(append(gains, modes, seen, room, error));
        TRY(netdp_i_filter_observe(gains->filter, &gains->gain[gains->count - 1], error));
    }
    TRY(netdp_i_filter_predict(gains->filter, 0, false, error));
    TRY(netdp_i_gain_new(modes, seen, &gains->last, error));
    return netdp_i_filter_observe(gains->filter, &gains->last, error);
}

static void measure(netdp_i_gains *gains)
{
    double rows = 0;
    const double size = netdp_i_filter_size(gains->filter, &rows);
    gains->size = netdp_i_most(gains->size, size);
    gains->norm = netdp_i_most(gains->norm, fmin(size, rows));
}

netdp_status netdp_i_gains_new(const netdp_linear *protocol, const netdp_i_basis *basis,
                               const netdp_i_observer *observer, int64_t longest,
                               netdp_i_gains *gains, const netdp_progress *progress,
                               netdp_error *error)
{
    const int32_t r = basis->modes, s = observer->seen_count;
    const int64_t most = netdp_i_gains_room(basis, observer);
    CLEARED(netdp_i_gains_clear) netdp_i_gains made = {.basis = basis};
    int64_t room = 0;
    TRY(netdp_i_filter_new(basis, observer, netdp_i_observer_scale(protocol, observer),
                           &made.filter, error));
    for (int64_t t = 0; t < protocol->rounds && !made.steady; t++) {
        if (t > most)
            return netdp_i_fail(error, NETDP_NO_MEMORY,
                                "%lld rounds of a protocol that has not become steady need more "
                                "than %g GB; use fewer rounds",
                                (long long)protocol->rounds, MOST_BYTES / 1e9);
        TRY(append(&made, r, s, &room, error));
        measure(&made);
        TRY(netdp_i_filter_observe(made.filter, &made.gain[t], error));
        if (t + 1 < protocol->rounds)
            TRY(netdp_i_filter_predict(made.filter, netdp_linear_noise(protocol, t + 1),
                                       netdp_linear_contributes(protocol, t + 1), error));
        TRY(netdp_i_report(progress, "filter", (double)(t + 1), (double)protocol->rounds, error));
        /* Steady noise makes P monotone towards its limit: a change that is rounding stays so. */
        made.steady = protocol->steady && t > 0 && t + 1 < protocol->rounds &&
                      (netdp_i_filter_change(made.filter) < STEADY || t + 1 >= longest);
    }
    made.change = made.steady ? netdp_i_filter_change(made.filter) : 0;
    measure(&made);
    if (observer->last_sum)
        TRY(observe_last(&made, r, s, &room, error));
    *gains = made;
    made = (netdp_i_gains){0};
    return NETDP_OK;
}
