/*
 * The view of a tally: the observers know the token when it leaves one of them and when it comes
 * to the next, so they see what it took up in between, once, as a sum or as a multiset; and no
 * more than that, for everything else in their view is their own.
 */
#include "account/tally/tally.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

typedef struct view {
    const netdp_tally *tally;
    const int32_t *path;
    char *observes;  /* [nodes] */
    int64_t *often;  /* [nodes]: in the increment at hand */
    int64_t *before; /* [nodes]: contributions so far, NULL without a cap */
    int32_t *node;   /* [nodes] */
} view;

static int32_t node_at(const view *v, int64_t t)
{
    return v->path != NULL ? v->path[t] : (int32_t)(t % v->tally->nodes);
}

static netdp_status check_path(const netdp_tally *tally, const int32_t *path, netdp_error *error)
{
    const bool ring = tally->graph == NETDP_TALLY_RING;
    if (ring != (path == NULL))
        return netdp_i_fail(error, NETDP_INVALID, "tally: %s",
                            ring ? "the ring has one path; give none"
                                 : "give the path that the token took");
    for (int64_t t = 0; path != NULL && t <= netdp_tally_steps(tally); t++)
        if (path[t] < 0 || path[t] >= tally->nodes)
            return netdp_i_fail(error, NETDP_INVALID,
                                "tally: node %" PRId32 " of the path is not one of 0 to %" PRId32,
                                path[t], tally->nodes - 1);
    return NETDP_OK;
}

static netdp_status mark_observers(view *v, int32_t count, const int32_t *observers,
                                   netdp_error *error)
{
    if (count < 1)
        return netdp_i_fail(error, NETDP_INVALID, "tally: give 1 or more observers");
    for (int32_t i = 0; i < count; i++) {
        if (observers[i] < 0 || observers[i] >= v->tally->nodes)
            return netdp_i_fail(error, NETDP_INVALID,
                                "tally: observer %" PRId32 " is not one of 0 to %" PRId32,
                                observers[i], v->tally->nodes - 1);
        v->observes[observers[i]] = 1;
    }
    return NETDP_OK;
}

/* u contributes, unless it has done so often enough. */
static void gather(view *v, netdp_i_increment *increment, int32_t u)
{
    if (v->before != NULL && v->before[u]++ >= v->tally->cap)
        return;
    if (v->often[u]++ == 0)
        v->node[increment->count++] = u;
    increment->elements++;
}

/*
 * On the ring all passes but the first and the last are alike, except that the noise of the
 * schedule ONCE moves on by a node in each: a single observer finds one in each of its increments
 * anyhow.
 */
static bool alike(const view *v, int32_t count)
{
    return v->path == NULL && v->tally->passes > 3 &&
           (v->tally->schedule != NETDP_TALLY_ONCE || count == 1);
}

static void walk_through(view *v, int32_t count, netdp_i_increment_seen seen, void *context)
{
    const int64_t steps = netdp_tally_steps(v->tally), nodes = v->tally->nodes;
    const int64_t skipped = alike(v, count) ? v->tally->passes - 3 : 0;
    const netdp_i_increment none = {.node = v->node, .often = v->often};
    netdp_i_increment increment = none;
    int64_t from = 0;
    /* Where v_0 observes this increment ends before it began, and the fill hides nothing. */
    increment.fill = netdp_tally_fill(v->tally);
    for (int64_t t = 0; t <= steps; t++) {
        if (skipped > 0 && t == 2 * nodes) {
            t += skipped * nodes;
            from += skipped * nodes;
        }
        const int32_t at = node_at(v, t);
        if (t < steps && !v->observes[at]) {
            gather(v, &increment, at);
            continue;
        }
        if (t == steps && !v->observes[at] && !v->tally->release)
            return;
        increment.energy = netdp_tally_energy(v->tally, from, t);
        increment.times = t >= nodes && t < 2 * nodes ? 1 + skipped : 1;
        seen(context, &increment);
        for (int32_t i = 0; i < increment.count; i++)
            v->often[v->node[i]] = 0;
        increment = none;
        from = t + 1;
    }
}

static void view_clear(view *v)
{
    netdp_i_free(v->observes);
    netdp_i_free(v->often);
    netdp_i_free(v->node);
    netdp_i_free(v->before);
}

netdp_status netdp_i_tally_follow(const netdp_tally *tally, const int32_t *path, int32_t count,
                                  const int32_t *observers, netdp_i_increment_seen seen,
                                  void *context, netdp_error *error)
{
    CLEARED(view_clear) view v = {.tally = tally, .path = path};
    TRY(check_path(tally, path, error));
    v.observes = NETDP_I_NEW(char, tally->nodes);
    v.often = NETDP_I_NEW(int64_t, tally->nodes);
    v.node = NETDP_I_NEW(int32_t, tally->nodes);
    v.before = tally->cap > 0 ? NETDP_I_NEW(int64_t, tally->nodes) : NULL;
    if (v.observes == NULL || v.often == NULL || v.node == NULL ||
        (v.before == NULL && tally->cap > 0))
        return netdp_i_no_memory(error);
    TRY(mark_observers(&v, count, observers, error));
    walk_through(&v, count, seen, context);
    return NETDP_OK;
}

double netdp_i_tally_up(double value, double times)
{
    return value == 0 || isinf(value) ? value : value * (1 + (times + 4) * DBL_EPSILON);
}

/* k contributions under the same noise shift it by k at most: k^2 / E. */
static void add_squares(void *context, const netdp_i_increment *increment)
{
    double *loss = context;
    for (int32_t i = 0; i < increment->count; i++) {
        const double often = (double)increment->often[increment->node[i]];
        loss[increment->node[i]] += (double)increment->times * often * often / increment->energy;
    }
}

netdp_status netdp_tally_realised(const netdp_tally *tally, const int32_t *path, int32_t count,
                                  const int32_t *observers, double *loss, netdp_error *error)
{
    NETDP_I_GIVEN(error, tally && observers && loss);
    TRY(netdp_tally_check(tally, error));
    if (tally->task != NETDP_TALLY_SUM || tally->mechanism != NETDP_GAUSSIAN)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: the linear view is that of sums with Gaussian noise");
    OWNED double *sum = NETDP_I_NEW(double, tally->nodes);
    if (sum == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_tally_follow(tally, path, count, observers, add_squares, sum, error));
    if (netdp_pairing_is(&tally->pairing))
        TRY(netdp_i_tally_paired(tally, count, observers, loss, error));
    else
        for (int32_t u = 0; u < tally->nodes; u++)
            loss[u] = netdp_i_tally_up(sum[u], (double)netdp_tally_contributions(tally));
    for (int32_t i = 0; i < count; i++)
        loss[observers[i]] = INFINITY;
    return NETDP_OK;
}
