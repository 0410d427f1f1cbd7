#include "protocol/tally.h"

#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "base/try.h"
#include "protocol/pairing.h"

const char *const netdp_i_tally_mechanisms[] = {[NETDP_GAUSSIAN] = "gaussian",
                                                [NETDP_LAPLACE] = "laplace",
                                                [NETDP_DISCRETE_GAUSSIAN] = "discrete-gaussian",
                                                NULL};

const char *const netdp_i_tally_schedules[] = {[NETDP_TALLY_EVERY] = "every",
                                               [NETDP_TALLY_ONCE] = "once",
                                               [NETDP_TALLY_SPREAD] = "spread",
                                               NULL};

static const int64_t most_steps = INT64_C(1000000000000000);

static netdp_status check_walk(const netdp_tally *tally, netdp_error *error)
{
    const bool ring = tally->graph == NETDP_TALLY_RING;
    if (tally->nodes < 2)
        return netdp_i_fail(error, NETDP_INVALID, "tally: %" PRId32 " nodes; give 2 or more",
                            tally->nodes);
    if (ring && (tally->passes < 1 || tally->passes > most_steps / tally->nodes))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: %" PRId64 " passes; give 1 or more, at most 1e15 steps in all",
                            tally->passes);
    if (!ring && (tally->steps < 1 || tally->steps > most_steps))
        return netdp_i_fail(error, NETDP_INVALID, "tally: %" PRId64 " steps; give 1 to 1e15",
                            tally->steps);
    if (tally->cap < 0 || (ring && tally->cap > 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: cap %" PRId64 "; give 1 or more, or none, and none on the "
                            "ring, whose passes say how often nodes contribute",
                            tally->cap);
    if (ring && tally->hidden)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: the path around the ring is known to everyone; leave hidden "
                            "out");
    return NETDP_OK;
}

static netdp_status check_sum(const netdp_tally *tally, netdp_error *error)
{
    const netdp_mechanism mechanism = tally->mechanism;
    if (mechanism != NETDP_GAUSSIAN && mechanism != NETDP_LAPLACE &&
        mechanism != NETDP_DISCRETE_GAUSSIAN)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: a sum takes Gaussian, Laplace or discrete Gaussian noise");
    if (!(tally->noise >= 0 && tally->noise < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "tally: noise %g; give a number, 0 or more",
                            tally->noise);
    if (!(tally->low < tally->high) || isinf(tally->low) || isinf(tally->high) ||
        isinf(tally->high - tally->low))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: values from %g to %g; give two finite bounds, the lower first",
                            tally->low, tally->high);
    if (mechanism == NETDP_DISCRETE_GAUSSIAN && tally->grid < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: %" PRId32 " grid steps; give 1 or more between the bounds",
                            tally->grid);
    if (tally->graph == NETDP_TALLY_COMPLETE && tally->schedule != NETDP_TALLY_EVERY)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: on the complete graph every step adds its noise");
    if (tally->schedule == NETDP_TALLY_SPREAD && mechanism != NETDP_GAUSSIAN)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: only Gaussian noise can be spread, for only its parts add up "
                            "to noise of the same kind");
    return NETDP_OK;
}

/* Pairwise noise cancels where every pass takes up both halves. */
static netdp_status check_pairs(const netdp_tally *tally, netdp_error *error)
{
    if (tally->pairing.graph == NULL && tally->pairing.kappa == 0)
        return NETDP_OK;
    if (tally->graph != NETDP_TALLY_RING || tally->task != NETDP_TALLY_SUM ||
        tally->mechanism != NETDP_GAUSSIAN)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pair-graph: among tokens pairwise noise is for sums on the ring with "
                            "Gaussian noise; leave it out");
    if (tally->pairing.weighted)
        return netdp_i_fail(error, NETDP_INVALID, "pair-weights: apply to averaging by gossip");
    return netdp_i_pairing_check(&tally->pairing, tally->nodes, error);
}

static netdp_status check_histogram(const netdp_tally *tally, netdp_error *error)
{
    if (tally->mechanism != NETDP_RANDOMISED_RESPONSE)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: a histogram is made by randomised response");
    if (tally->levels < 2)
        return netdp_i_fail(error, NETDP_INVALID, "tally: %" PRId32 " levels; give 2 or more",
                            tally->levels);
    if (!(tally->flip >= 0 && tally->flip < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: flip %g; give a probability below 1, or nothing of the "
                            "values is left",
                            tally->flip);
    if (tally->fill < NETDP_TALLY_USUAL || tally->fill > most_steps)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: a fill of %" PRId64 " elements; give 0 or more, or the usual",
                            tally->fill);
    if (tally->schedule != NETDP_TALLY_EVERY)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: each contribution to a histogram is randomised itself; leave "
                            "the schedule out");
    return NETDP_OK;
}

netdp_status netdp_tally_check(const netdp_tally *tally, netdp_error *error)
{
    NETDP_I_GIVEN(error, tally);
    if ((tally->graph != NETDP_TALLY_RING && tally->graph != NETDP_TALLY_COMPLETE) ||
        (tally->task != NETDP_TALLY_SUM && tally->task != NETDP_TALLY_HISTOGRAM) ||
        tally->schedule < NETDP_TALLY_EVERY || tally->schedule > NETDP_TALLY_SPREAD)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "tally: no such graph, task or schedule; use the names of netdp/protocol.h");
    TRY(check_walk(tally, error));
    TRY(check_pairs(tally, error));
    return tally->task == NETDP_TALLY_SUM ? check_sum(tally, error) : check_histogram(tally, error);
}

int64_t netdp_tally_steps(const netdp_tally *tally)
{
    return tally->graph == NETDP_TALLY_RING ? tally->passes * tally->nodes : tally->steps;
}

int64_t netdp_tally_contributions(const netdp_tally *tally)
{
    if (tally->graph == NETDP_TALLY_RING)
        return tally->passes;
    return tally->cap > 0 && tally->cap < tally->steps ? tally->cap : tally->steps;
}

int64_t netdp_tally_fill(const netdp_tally *tally)
{
    if (tally->task == NETDP_TALLY_SUM)
        return 0;
    if (tally->fill != NETDP_TALLY_USUAL)
        return tally->fill;
    return tally->graph == NETDP_TALLY_RING ? (int64_t)ceil(tally->flip * tally->nodes) : 0;
}

double netdp_tally_energy(const netdp_tally *tally, int64_t from, int64_t until)
{
    const int64_t steps = until - from;
    if (steps <= 0)
        return 0;
    switch (tally->schedule) {
    case NETDP_TALLY_ONCE: /* the multiples of nodes - 1 */
        return (double)((until - 1) / (tally->nodes - 1) -
                        (from > 0 ? (from - 1) / (tally->nodes - 1) : -1));
    case NETDP_TALLY_SPREAD:
        return from > 0 ? (double)steps / tally->nodes : 1 + (double)(steps - 1) / tally->nodes;
    default:
        return (double)steps;
    }
}
