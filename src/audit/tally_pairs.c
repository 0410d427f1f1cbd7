#include "audit/tally_pairs.h"

#include <inttypes.h>
#include <math.h>
#include <cblas.h>
#include <lapacke.h>

#include "base/fail.h"
#include "base/memory.h"
#include "mixing/dense.h"
#include "protocol/pairing.h"
#include "simulate/gossip.h"

/* Increments whose covariance is kept. */
enum { MOST_INCREMENTS = 2048 };

/* Stands for the noise of an increment that has none: its scores are far out. */
#define RIDGE 1e-9

void netdp_i_pair_view_clear(netdp_i_pair_view *view)
{
    netdp_i_free(view->increment);
    netdp_i_free(view->covariance);
    netdp_i_free(view->direction);
    netdp_i_free(view->shift);
    netdp_i_free(view->first_pair);
}

/* Which increment each step adds to; the last one is seen by node 0, or by everyone. */
static void number_increments(const netdp_tally *tally, const bool *observer,
                              netdp_i_pair_view *view)
{
    const int64_t steps = netdp_tally_steps(tally);
    int64_t open = 0;
    for (int64_t t = 0; t < steps; t++) {
        const bool own = observer[t % tally->nodes];
        view->increment[t] = own ? -1 : view->count;
        if (!own)
            continue;
        view->count++;
        open = t + 1;
    }
    if (tally->release || observer[0])
        view->count++;
    else
        for (int64_t t = open; t < steps; t++)
            view->increment[t] = -1;
}

static void fill_covariance(const netdp_tally *tally, const bool *observer, netdp_i_pair_view *view)
{
    const netdp_graph *pairs = tally->pairing.graph;
    const int64_t steps = netdp_tally_steps(tally), count = view->count;
    const double energy = tally->pairing.kappa * tally->pairing.kappa;
    double *c = view->covariance;
    for (int64_t i = 0; i < count; i++)
        c[i * count + i] = RIDGE;
    for (int64_t t = 0; t < steps; t++) {
        const int64_t i = view->increment[t];
        const int32_t v = (int32_t)(t % tally->nodes);
        if (i < 0)
            continue;
        c[i * count + i] += netdp_tally_energy(tally, t, t + 1);
        for (int32_t k = 0; k < netdp_graph_degree(pairs, v); k++) {
            const int32_t w = netdp_graph_neighbours(pairs, v)[k];
            const int64_t j = view->increment[t - v + w];
            if (observer[w] || i == j)
                continue;
            c[i * count + i] += energy;
            if (j >= 0)
                c[i * count + j] -= energy;
        }
    }
}

netdp_status netdp_i_pair_view_new(const netdp_tally *tally, const bool *observer, int32_t victim,
                                   netdp_i_pair_view *view, netdp_error *error)
{
    const int64_t steps = netdp_tally_steps(tally);
    view->increment = NETDP_I_NEW(int32_t, steps);
    view->first_pair = NETDP_I_NEW(int64_t, tally->nodes);
    if (view->increment == NULL || view->first_pair == NULL)
        return netdp_i_no_memory(error);
    number_increments(tally, observer, view);
    const int count = view->count;
    if (count > MOST_INCREMENTS)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "attack: %d increments are too many with pairwise noise; give fewer "
                            "passes",
                            count);
    view->covariance = NETDP_I_NEW(double, (int64_t)count *count);
    view->direction = NETDP_I_NEW(double, count);
    view->shift = NETDP_I_NEW(double, count);
    if (view->covariance == NULL || view->direction == NULL || view->shift == NULL)
        return netdp_i_no_memory(error);
    netdp_i_dense_begin();
    fill_covariance(tally, observer, view);
    for (int64_t t = victim; t < steps; t += tally->nodes)
        if (view->increment[t] >= 0)
            view->direction[view->increment[t]] = ++view->shift[view->increment[t]];
    if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', count, 1, view->covariance, count,
                           view->direction, count) != 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "attack: noise of %g in pairs leaves no digits; give less",
                            tally->pairing.kappa);
    return netdp_i_pairing_first(tally->pairing.graph, view->first_pair, error);
}

/* The halves of node v in pass `pass` that observers know, in units of the noise. */
static double known_halves(const netdp_i_pair_view *view, const netdp_tally *tally,
                           const bool *observer, netdp_run_seed seed, int32_t v, int64_t pass)
{
    const netdp_pairing *pairing = &tally->pairing;
    double sum = 0;
    for (int32_t k = 0; k < netdp_graph_degree(pairing->graph, v); k++) {
        const int32_t w = netdp_graph_neighbours(pairing->graph, v)[k];
        if (observer[w])
            netdp_i_pair_noise(&sum, netdp_i_pairing_number(pairing->graph, view->first_pair, v, k),
                               1, v < w ? pairing->kappa : -pairing->kappa, seed, pass);
    }
    return sum;
}

double netdp_i_pair_view_score(const netdp_i_pair_view *view, const netdp_tally *tally,
                               const bool *observer, netdp_run_seed seed, const double *seen)
{
    const int64_t steps = netdp_tally_steps(tally);
    const double range = tally->high - tally->low;
    double score = 0;
    for (int64_t t = 0; t < steps; t++) {
        const int32_t i = view->increment[t], v = (int32_t)(t % tally->nodes);
        if (i >= 0) /* all others contribute `low`, and the victim does in world 0 */
            score += view->direction[i] *
                     ((seen[t + 1] - seen[t] - tally->low) / (range * tally->noise) -
                      known_halves(view, tally, observer, seed, v, t / tally->nodes));
    }
    for (int32_t i = 0; i < view->count; i++)
        score -= view->direction[i] * view->shift[i] / tally->noise / 2;
    return score / tally->noise;
}
