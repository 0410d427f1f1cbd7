/*
 * Chernoff and Hoeffding: the mean of N independent numbers in [0, 1] of expectation m is at most x
 * < m with probability e^{-N KL(x || m)} at most. So m exceeds the largest q with N KL(mean || q)
 * <= ln(1/f) with probability f at most. A plain mean over draws would be too small half of the
 * time, and by any factor where a rare draw tells nearly everything.
 */
#include <netdp/account.h>

#include <float.h>
#include <math.h>
#include <string.h>
#include <netdp/random.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* Epsilons at which E delta is bounded: parts of the local one. Each may fail on its own. */
enum { GRID = 256 };

/* The samples of one call: at most 1.6 GB. */
#define MOST_SAMPLES 2e8

typedef struct drawn {
    const netdp_drawn_request *request;
    int64_t pairs;
    double failure; /* of one bound of one pair */
    double local;   /* loss of local differential privacy, whatever is drawn */
    double ceiling; /* the same in the unit */
    double *sample; /* [pairs][draws]: losses */
    double *value;  /* [pairs] */
} drawn;

static double divergence(double mean, double q)
{
    const double off = q - mean, rest = 1 - mean;
    /* Close together the logarithms nearly cancel: by how far they are apart, no digit is lost. */
    if (off < 0.5 * fmin(mean, rest))
        return -mean * log1p(off / mean) - rest * log1p(-off / rest);
    const double low = mean > 0 ? mean * log(mean / q) : 0;
    const double high = mean < 1 ? rest * (log1p(-mean) - log1p(-q)) : 0;
    return low + high;
}

double netdp_mean_at_most(double mean, int64_t count, double failure)
{
    const double most = -log(failure) / (double)count;
    double low = fmin(1, fmax(0, mean)), high = 1;
    if (!(mean < 1))
        return 1;
    if (divergence(low, 1 - DBL_EPSILON) <= most)
        return 1;
    for (int i = 0; i < 200 && high - low > 4 * DBL_EPSILON * high; i++) {
        const double middle = low + (high - low) / 2;
        if (divergence(fmin(1, fmax(0, mean)), middle) <= most)
            low = middle;
        else
            high = middle;
    }
    return fmin(1, high * (1 + 1e-9)); /* the divergence is off by some units of rounding */
}

/* The mean of numbers >= 0, what adding them up in doubles may have lost included. */
static double mean_above(double sum, int64_t count)
{
    return sum / (double)count * (1 + 1e-12 + (double)count * DBL_EPSILON);
}

/*
 * (1/(a-1)) ln E X, X = e^{(a-1) eps} between 1 and its local value e^b, by the mean of Y =
 * (X - 1) / (e^b - 1): ln E X = b + ln(1 - (1 - e^-b)(1 - E Y)).
 */
static netdp_status bound_renyi(const drawn *d, const double *loss, double *value,
                                netdp_error *error)
{
    const netdp_drawn_request *r = d->request;
    const double order = r->unit.parameter - 1, b = order * d->ceiling;
    double sum = 0;
    for (int64_t i = 0; i < r->draws; i++) {
        double epsilon = 0;
        TRY(netdp_loss_value(loss[i], r->noise, r->unit, &epsilon, error));
        const double a = fmin(order * epsilon, b);
        sum += b > 0 ? exp(a - b) * (expm1(-a) / expm1(-b)) : 1;
    }
    const double mean = netdp_mean_at_most(mean_above(sum, r->draws), r->draws, d->failure);
    *value = fmin(d->ceiling, (b + log1p(expm1(-b) * (1 - mean))) / order * (1 + 1e-12) + 1e-15);
    return NETDP_OK;
}

/* Is E delta(epsilon) <= delta, with confidence? */
static netdp_status is_enough(const drawn *d, const double *loss, double epsilon, bool *enough,
                              netdp_error *error)
{
    const netdp_drawn_request *r = d->request;
    double worst = 0, sum = 0, last = -1, mine = 0;
    TRY(netdp_gdp_to_delta(sqrt(d->local) / r->noise * (1 + 4 * DBL_EPSILON), epsilon, &worst,
                           error));
    for (int64_t i = 0; i < r->draws; i++) {
        if (loss[i] != last)
            TRY(netdp_gdp_to_delta(sqrt(loss[i]) / r->noise * (1 + 4 * DBL_EPSILON), epsilon, &mine,
                                   error));
        last = loss[i];
        sum += worst > 0 ? fmin(1, mine / worst) : 0;
    }
    const double mean = netdp_mean_at_most(mean_above(sum, r->draws), r->draws, d->failure / GRID);
    *enough = mean * worst * (1 + 1e-12) <= r->unit.parameter;
    return NETDP_OK;
}

/* The least epsilon of the grid that is enough; the last one, the local one, always is. */
static netdp_status bound_dp(const drawn *d, const double *loss, double *value, netdp_error *error)
{
    int low = -1, high = GRID;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        bool enough = false;
        TRY(is_enough(d, loss, d->ceiling * (double)middle / GRID, &enough, error));
        if (enough)
            high = middle;
        else
            low = middle;
    }
    *value = d->ceiling * ((double)high / GRID);
    return NETDP_OK;
}

static netdp_status bound_pair(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    drawn *d = context;
    const double *loss = d->sample + index * d->request->draws;
    if (isinf(d->ceiling) || d->ceiling == 0) {
        d->value[index] = d->ceiling;
        return NETDP_OK;
    }
    return d->request->unit.currency == NETDP_AS_RDP ? bound_renyi(d, loss, &d->value[index], error)
                                                     : bound_dp(d, loss, &d->value[index], error);
}

static netdp_status check_drawn(const netdp_drawn_request *request, netdp_error *error)
{
    const netdp_bound_info *bound = NULL;
    TRY(netdp_i_request_given(request->losses, error));
    const netdp_linear *protocol = request->losses->protocol;
    if (protocol->varying.kind == NETDP_VARY_NEVER || protocol->varying.kind == NETDP_VARY_PEER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "draws: applies to networks that are drawn: random-averaging, "
                            "async-gossip-sgd, dropout, redraw");
    if (protocol->varying.revealed)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "draws: whose pairs are revealed belongs to one draw; leave --draws out");
    if (request->unit.currency != NETDP_AS_RDP && request->unit.currency != NETDP_AS_DP)
        return netdp_i_fail(error, NETDP_INVALID,
                            "draws: a mixture over draws has a Renyi epsilon or an (epsilon, "
                            "delta), no loss or mu; give rdp:ALPHA or dp:DELTA");
    if (request->draws < 1 || !(request->noise >= 0) ||
        !(request->failure > 0 && request->failure < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "draws: give 1 or more, noise from 0, and a probability of failure");
    TRY(netdp_linear_check(protocol, error));
    TRY(netdp_bound_choose(protocol, request->losses->bound, &bound, error));
    if (!bound->sound || request->losses->pattern != NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "draws: a mixture of bounds needs sound ones of the worst "
                            "contributions; %s is not",
                            request->losses->pattern != NULL ? "a pattern" : bound->name);
    return NETDP_OK;
}

/* Within a draw it is only asked whether to stop. */
static bool ask(void *context, const char *what, double done, double total)
{
    const netdp_progress *progress = context;
    (void)what;
    return progress->report(progress->context, NULL, done, total);
}

/* The account of each draw; `losses` is that of the last. */
static netdp_status account_draws(drawn *d, const netdp_progress *progress, netdp_losses **losses,
                                  netdp_error *error)
{
    const netdp_drawn_request *r = d->request;
    netdp_linear protocol = *r->losses->protocol;
    netdp_loss_request request = *r->losses;
    const bool told = progress != NULL && progress->report != NULL;
    const netdp_progress asking = {.report = ask, .context = (void *)(uintptr_t)progress};
    OWNED_BY(netdp_losses_free) netdp_losses *made = NULL;
    request.protocol = &protocol;
    for (int64_t i = 0; i < r->draws; i++) {
        netdp_stream stream = netdp_stream_at(r->losses->protocol->varying.seed, NETDP_FOR_SEQUENCE,
                                              UINT32_MAX, (uint64_t)i);
        protocol.varying.seed = netdp_stream_bits(&stream);
        netdp_losses_free(made);
        made = NULL;
        TRY(netdp_losses_new(&request, told ? &asking : NULL, &made, error));
        d->pairs = (int64_t)made->from_count * made->to_count;
        if ((double)d->pairs * (double)r->draws > MOST_SAMPLES)
            return netdp_i_fail(error, NETDP_NO_MEMORY,
                                "draws: %lld draws of %lld pairs are too many to keep; ask for "
                                "fewer, with --from and --to",
                                (long long)r->draws, (long long)d->pairs);
        if (d->sample == NULL)
            d->sample = NETDP_I_NEW(double, d->pairs * r->draws);
        if (d->sample == NULL)
            return netdp_i_no_memory(error);
        for (int64_t k = 0; k < d->pairs; k++)
            d->sample[k * r->draws + i] = fmin(made->loss[k], d->local);
        TRY(netdp_i_report(progress, "draws", (double)(i + 1), (double)r->draws, error));
    }
    *losses = GIVE(made);
    return NETDP_OK;
}

static void drawn_clear(drawn *d)
{
    netdp_i_free(d->sample);
    netdp_i_free(d->value);
}

netdp_status netdp_losses_drawn(const netdp_drawn_request *request, const netdp_progress *progress,
                                netdp_losses **losses, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && request->losses && losses);
    CLEARED(drawn_clear) drawn d = {.request = request};
    OWNED_BY(netdp_losses_free) netdp_losses *made = NULL;
    TRY(check_drawn(request, error));
    d.local = (double)netdp_linear_contributions(request->losses->protocol);
    TRY(netdp_loss_value(d.local, request->noise, request->unit, &d.ceiling, error));
    TRY(account_draws(&d, progress, &made, error));
    d.failure = request->failure / (double)d.pairs;
    d.value = NETDP_I_NEW(double, d.pairs);
    if (d.value == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(d.pairs, bound_pair, &d, progress, "mixtures", error));
    memcpy(made->loss, d.value, (size_t)d.pairs * sizeof *d.value);
    netdp_i_losses_exclude(made);
    made->final = true;
    netdp_i_judge(made->bound, (netdp_i_case){0}, made);
    made->unit = request->unit;
    made->noise = request->noise;
    made->local = d.ceiling;
    *losses = GIVE(made);
    return NETDP_OK;
}
