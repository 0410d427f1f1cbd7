#include "account/observe/impulse.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

#define FADED 1e-14

/* Ages between two questions whether to stop. */
enum { PATIENCE = 256 };

void netdp_i_impulse_clear(netdp_i_impulse *impulse)
{
    netdp_i_free(impulse->w);
    netdp_i_free(impulse->last);
    netdp_i_free(impulse->told);
    *impulse = (netdp_i_impulse){0};
}

/* heard [nodes]: the largest number that a state of the node showed. */
static bool all_faded(const netdp_i_response *response, const double *heard, int32_t nodes,
                      int64_t age)
{
    const int64_t r = response->modes;
    for (int64_t i = 0; i < response->count; i++) {
        const double enough = FADED * heard[i % nodes] / (double)(age + 1);
        for (int64_t k = 0; !response->told[i] && k < r; k++)
            if (fabs(response->e[i * r + k]) > enough)
                return false;
    }
    return true;
}

/* The rows of an age behind those that are there: [count][seen], 0 behind the rank. */
static double *keep(double *numbers, int64_t age, const netdp_i_response *response, int rank)
{
    const int64_t s = response->seen;
    double *to = numbers + age * response->count * s;
    for (int64_t i = 0; i < response->count; i++) {
        memcpy(to + i * s, response->w + i * s, (size_t)rank * sizeof *to);
        memset(to + i * s + rank, 0, (size_t)(s - rank) * sizeof *to);
    }
    return to;
}

/* One round of all states: w, the last sum were it the last round, and on to the next. */
static void age_once(const netdp_i_gains *gains, netdp_i_response *response,
                     netdp_i_response *after, double *heard, int32_t nodes, netdp_i_impulse *made)
{
    const int64_t each = (int64_t)made->count * made->seen;
    const netdp_i_gain *gain = netdp_i_gains_at(gains, gains->count);
    netdp_i_response_learn(response, gain);
    const double *w = keep(made->w, made->ages, response, gain->rank);
    for (int64_t j = 0; j < each; j++) {
        double *largest = &heard[j / made->seen % nodes];
        *largest = fmax(*largest, fabs(w[j]));
    }
    netdp_i_response_predict(response);
    if (made->last != NULL) {
        memcpy(after->e, response->e,
               (size_t)response->modes * (size_t)made->count * sizeof *after->e);
        netdp_i_response_learn(after, &gains->last);
        keep(made->last, made->ages, after, gains->last.rank);
    }
    made->ages++;
}

netdp_status netdp_i_impulse_new(const netdp_i_gains *gains, const double *states, int32_t kinds,
                                 int32_t nodes, int64_t longest, netdp_i_impulse *impulse,
                                 const netdp_progress *progress, netdp_error *error)
{
    const bool sums = gains->last.lower != NULL;
    const int32_t count = kinds * nodes;
    CLEARED(netdp_i_impulse_clear) netdp_i_impulse made = {.count = count};
    CLEARED(netdp_i_response_clear) netdp_i_response response = {0};
    CLEARED(netdp_i_response_clear) netdp_i_response after = {0};
    int64_t room = 0;
    OWNED double *heard = NETDP_I_NEW(double, nodes);
    made.told = NETDP_I_NEW(bool, count);
    if (heard == NULL || made.told == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_response_new(gains->filter, count, &response, error));
    if (sums)
        TRY(netdp_i_response_new(gains->filter, count, &after, error));
    made.seen = response.seen;
    memcpy(response.e, states, (size_t)response.modes * (size_t)count * sizeof *states);
    while (made.ages < longest && !all_faded(&response, heard, nodes, made.ages)) {
        TRY(netdp_i_ages_grow(made.ages, (int64_t)count * made.seen, &room, &made.w,
                              sums ? &made.last : NULL, error));
        if (made.ages % PATIENCE == 0)
            TRY(netdp_i_poll(progress, error));
        age_once(gains, &response, &after, heard, nodes, &made);
    }
    made.over = all_faded(&response, heard, nodes, made.ages);
    for (int32_t i = 0; i < count; i++)
        made.told[i] = response.told[i] || (sums && after.told[i]);
    *impulse = made;
    made = (netdp_i_impulse){0};
    return NETDP_OK;
}
