/* Bounds of streams from how far noise must move for each contribution (docs/proofs/shift.md, "Streams"). */
#include <math.h>

#include "account/gossip/stream.h"
#include "account/shift/stream.h"
#include "base/fail.h"
#include "base/memory.h"

/* Of one observer set. */
typedef struct shifted {
    const netdp_i_sources *of;
    netdp_bound bound;
    int32_t slots, most;
    netdp_i_dual *quadratic;
    double *drift; /* [slots] */
} shifted;

static netdp_status take(void *context, const netdp_i_shift_products *products, netdp_error *error)
{
    const shifted *s = context;
    const netdp_i_stream_proof proof = {
        .holds = true, .terms = products->terms, .beside = s->slots};
    double loss = INFINITY, trace = 0;
    for (int32_t k = 0; k < s->slots; k++) {
        if (!isfinite(products->off[k])) /* no story: what it proves is nothing */
            return NETDP_OK;
        s->drift[k] = products->off[k];
        trace += products->m[(int64_t)k * s->slots + k];
    }
    const netdp_i_stream_matrix of = {products->m, s->slots, s->most,
                                      netdp_i_sum_largest(s->drift, s->slots, 0, 0, s->most)};
    if (trace == 0 && of.drift == 0) { /* nobody hears of it */
        s->of->loss[products->index] = 0;
        return NETDP_OK;
    }
    netdp_status status =
        netdp_i_stream_bound_proven(s->quadratic, &proof, &of, s->bound, &loss, error);
    double *least = &s->of->loss[products->index];
    *least = loss < *least ? loss : *least; /* not where it is NaN */
    return status;
}

bool netdp_i_stream_can_shift(const netdp_linear *p, netdp_bound bound)
{
    return p->every > 0 && !p->reacts && !p->accelerate && !p->senders_only && p->end_dither == 0 &&
           (p->rounds - 1) / p->every < NETDP_I_EXPLICIT &&
           (p->rounds == 1 || p->every == 1 || netdp_linear_least_noise(p) > 0) &&
           (bound == NETDP_BOUND_UPPER || bound == NETDP_BOUND_ABS_SUM ||
            bound == NETDP_BOUND_SPECTRAL || bound == NETDP_BOUND_DUAL);
}

netdp_status netdp_i_stream_shifted(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                    netdp_bound bound, const netdp_i_sources *of,
                                    const netdp_progress *progress, netdp_error *error)
{
    netdp_i_shift_problem problem;
    netdp_status status = netdp_i_shift_problem_new(protocol, view, &problem, error);
    if (status != NETDP_OK)
        return status;
    shifted s = {.of = of,
                 .bound = bound,
                 .slots = (int32_t)netdp_i_shift_slots(&problem),
                 .most = (int32_t)netdp_linear_contributions(protocol)};
    s.drift = NETDP_I_NEW(double, s.slots);
    status =
        s.drift == NULL ? netdp_i_no_memory(error) : netdp_i_dual_new(s.slots, &s.quadratic, error);
    for (int32_t i = 0; i < of->count; i++)
        of->loss[i] = s.most;
    if (status == NETDP_OK && !problem.apart) {
        const netdp_i_shift_sink sink = {take, &s};
        for (int32_t i = 0; i < of->count; i++)
            of->loss[i] = INFINITY;
        status = netdp_i_shift_stream(&problem, of, &sink, progress, error);
    }
    for (int32_t i = 0; i < of->count; i++)
        if (!(of->loss[i] < INFINITY))
            of->loss[i] = s.most;
    netdp_i_dual_free(s.quadratic);
    netdp_i_free(s.drift);
    netdp_i_shift_problem_clear(&problem);
    return status == NETDP_NO_ANSWER ? NETDP_OK : status;
}
