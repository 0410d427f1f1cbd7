/*
 * Certificates where W changes from round to round (docs/proofs/shift.md): the filter's run
 * is kept, and what each round is like, and the shift that they mean is evaluated.
 */
#include "account/gossip/changing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "account/observe/certificate.h"
#include "base/fail.h"
#include "base/parallel.h"

/* One run of rounds from a known start. */
typedef struct run {
    const netdp_i_watcher *watcher;
    netdp_i_changing filter;
    netdp_i_shift_problem scene;
    netdp_i_sight *sight; /* [observations] */
    int64_t observations;
} run;

static void run_clear(run *r)
{
    for (int64_t t = 0; r->sight != NULL && t < r->observations; t++) {
        netdp_i_free((void *)r->sight[t].seen);
        netdp_i_gain_clear(&r->sight[t].gain);
    }
    netdp_i_shift_problem_clear(&r->scene);
    netdp_i_free(r->sight);
    netdp_i_changing_clear(&r->filter);
}

/* Whom the filter has just seen, and what it learnt; `spent`: it has no gain. */
static netdp_status keep_sight(run *r, int64_t t, bool spent, netdp_error *error)
{
    const netdp_i_changing *c = &r->filter;
    const size_t n = (size_t)c->nodes, s = (size_t)c->seen_count, rank = (size_t)c->gain.rank;
    netdp_i_sight *sight = &r->sight[t];
    if (s == 0)
        return NETDP_OK;
    int32_t *seen = NETDP_I_NEW(int32_t, s);
    sight->seen = seen;
    if (seen == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_gain_new(c->nodes, c->seen_count, &sight->gain, error));
    sight->count = c->seen_count;
    sight->gain.rank = c->gain.rank;
    memcpy(seen, c->seen, s * sizeof *seen);
    memcpy(sight->gain.pivot, c->gain.pivot, s * sizeof *c->gain.pivot);
    memcpy(sight->gain.lower, c->gain.lower, s * rank * sizeof *c->gain.lower);
    if (!spent)
        memcpy(sight->gain.gain, c->gain.gain, n * rank * sizeof *c->gain.gain);
    return NETDP_OK;
}

/* The filter's run from round `begin` of the protocol. */
static netdp_status record(run *r, const netdp_linear *protocol, int64_t begin,
                           const netdp_progress *progress, netdp_error *error)
{
    netdp_i_changing *c = &r->filter;
    const netdp_i_shift_problem *scene = &r->scene;
    TRY(netdp_i_changing_new(protocol, r->watcher, 1, c, error));
    TRY(netdp_i_changing_begin(c, begin, 1, error));
    for (int64_t t = 0; t < scene->rounds; t++) {
        TRY(netdp_i_changing_observe(c, error));
        TRY(keep_sight(r, t, false, error));
        if (t + 1 < scene->rounds)
            TRY(netdp_i_changing_predict(c, begin + t + 1, scene->round[t + 1].noise, error));
        TRY(netdp_i_report(progress, "accounting", (double)(t + 1), (double)scene->rounds, error));
    }
    if (!netdp_i_scene_ends(scene))
        return NETDP_OK;
    TRY(netdp_i_changing_last(c, scene->end > 0, scene->end, error));
    return keep_sight(r, scene->rounds, true, error);
}

/* `rounds` from `begin` on of a protocol that takes one contribution, in their first. */
static netdp_status prove(const netdp_linear *protocol, const netdp_linear *once,
                          const netdp_i_watcher *watcher, int64_t begin, double end,
                          const netdp_i_sources *of, const netdp_progress *progress,
                          netdp_error *error)
{
    const bool sums = watcher->sees == NETDP_SEES_SUM;
    const int32_t summed =
        netdp_pairing_is(&once->noise.pairing) && watcher->own_counts ? watcher->member[0] : -1;
    const netdp_i_shift_view view = {.sees = watcher->sees,
                                     .counts = sums ? !watcher->quiet : watcher->own_counts,
                                     .members = watcher->count,
                                     .member = watcher->member,
                                     .begin = begin,
                                     .rounds = once->rounds,
                                     .end = end,
                                     .weight = 1};
    CLEARED(run_clear)
    run r = {.watcher = watcher, .observations = once->rounds + (sums || end > 0)};
    r.sight = NETDP_I_NEW(netdp_i_sight, r.observations);
    if (r.sight == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_shift_problem_new(protocol, &view, &r.scene, error));
    TRY(record(&r, protocol, begin, progress, error));
    return netdp_i_certified_sights(once, &r.scene, summed, r.sight, of, progress, error);
}

netdp_status netdp_i_changing_proven(const netdp_linear *protocol, const netdp_i_watcher *watcher,
                                     const netdp_i_sources *of, const netdp_progress *progress,
                                     netdp_error *error)
{
    netdp_linear once = *protocol;
    if (protocol->every == 0)
        return prove(protocol, &once, watcher, 0, 0, of, progress, error);
    const int64_t phases = protocol->rounds / protocol->every;
    OWNED double *loss = NETDP_I_NEW(double, of->count);
    if (loss == NULL)
        return netdp_i_no_memory(error);
    const netdp_i_sources each = {of->count, of->node, loss};
    once.rounds = protocol->every;
    once.every = 0;
    memset(of->loss, 0, (size_t)of->count * sizeof *of->loss);
    for (int64_t k = 0; k < phases; k++) {
        TRY(prove(protocol, &once, watcher, k * protocol->every, protocol->noise.end, &each,
                  progress, error));
        for (int32_t i = 0; i < of->count; i++)
            of->loss[i] = (of->loss[i] + each.loss[i]) * (1 + DBL_EPSILON);
    }
    return NETDP_OK;
}
