/*
 * Everybody's value from what an observer of averaging sees, nobody's known (El Mrini, Cyffers and
 * Bellet, ICML 2024, who have no noise, solve the same system exactly): siege.h has the estimate.
 */
#include <netdp/audit.h>

#include <math.h>

#include "audit/siege.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

typedef struct errors {
    int32_t nodes;
    double *away; /* [batches][2][nodes]: sums of squares and of fourth powers */
} errors;

static void add_errors(void *context, int64_t first, int32_t width, const double *value,
                       const double *guess)
{
    const errors *e = context;
    double *squares = e->away + 2 * (first / NETDP_I_SIEGE_BATCH) * e->nodes;
    double *fourths = squares + e->nodes;
    for (int64_t i = 0; i < (int64_t)e->nodes * width; i++) {
        const double square = (guess[i] - value[i]) * (guess[i] - value[i]);
        squares[i / width] += square;
        fourths[i / width] += square * square;
    }
}

static void conclude(const errors *e, int64_t runs, const double *expected, netdp_guess *guess)
{
    const int64_t batches = (runs + NETDP_I_SIEGE_BATCH - 1) / NETDP_I_SIEGE_BATCH;
    const double count = (double)runs;
    for (int32_t u = 0; u < e->nodes; u++) {
        double square = 0, fourth = 0;
        for (int64_t k = 0; k < batches; k++) {
            square += e->away[2 * k * e->nodes + u] / count;
            fourth += e->away[(2 * k + 1) * e->nodes + u] / count;
        }
        const double spread = sqrt(fmax(0, fourth - square * square) / (count - 1));
        guess[u] = (netdp_guess){.rmse = sqrt(square),
                                 .standard_error = square > 0 ? spread / (2 * sqrt(square)) : 0,
                                 .expected = expected[u]};
    }
}

static void errors_clear(errors *e)
{
    netdp_i_free(e->away);
}

netdp_status netdp_reconstruct_everybody(const netdp_gossip_attack *attack,
                                         const netdp_progress *progress, netdp_guess *guess,
                                         netdp_error *error)
{
    NETDP_I_GIVEN(error, attack && attack->protocol && attack->protocol->mixing && guess);
    CLEARED(netdp_i_siege_clear) netdp_i_siege s = {0};
    CLEARED(errors_clear) errors e = {0};
    OWNED double *expected = NULL;
    TRY(netdp_i_siege_new(&s, attack, 1, error));
    const int64_t batches = (attack->runs + NETDP_I_SIEGE_BATCH - 1) / NETDP_I_SIEGE_BATCH;
    e = (errors){s.nodes, NETDP_I_NEW(double, 2 * batches * s.nodes)};
    expected = NETDP_I_NEW(double, s.nodes);
    s.take = add_errors;
    s.context = &e;
    if (e.away == NULL || expected == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_siege_estimate(&s, NETDP_PRIOR, expected, error));
    TRY(netdp_i_siege_run(&s, attack->runs, "reconstruction", progress, error));
    conclude(&e, attack->runs, expected, guess);
    return NETDP_OK;
}
