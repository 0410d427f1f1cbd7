/* Losses in the currency that a reader asked for. */
#include <netdp/account.h>

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"

netdp_status netdp_unit_parse(const char *text, netdp_unit *unit, netdp_error *error)
{
    static const struct {
        const char *prefix;
        netdp_currency currency;
        double above, below; /* open range of the parameter; equal: no parameter */
    } known[] = {
        {"loss", NETDP_AS_LOSS, 0, 0},
        {"gdp", NETDP_AS_GDP, 0, 0},
        {"rdp:", NETDP_AS_RDP, 1, INFINITY},
        {"dp:", NETDP_AS_DP, 0, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].prefix);
        if (strncmp(text, known[i].prefix, length) != 0)
            continue;
        if (known[i].above == known[i].below) {
            if (text[length] != '\0')
                continue;
            *unit = (netdp_unit){known[i].currency, 0};
            return NETDP_OK;
        }
        double parameter = 0;
        if (!netdp_i_read_number(text + length, &parameter) || !(parameter > known[i].above) ||
            !(parameter < known[i].below))
            return netdp_i_fail(error, NETDP_INVALID, "as: '%.40s'; %s", text,
                                known[i].currency == NETDP_AS_DP
                                    ? "delta must be a number between 0 and 1, as in dp:1e-6"
                                    : "the order must be a finite number above 1, as in rdp:2");
        *unit = (netdp_unit){known[i].currency, parameter};
        return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "as: '%.40s' is not one of loss, gdp, rdp:ALPHA, dp:DELTA", text);
}

netdp_status netdp_loss_value(double loss, double sigma, netdp_unit unit, double *value,
                              netdp_error *error)
{
    if (!(loss >= 0) || !(sigma >= 0))
        return netdp_i_fail(error, NETDP_INVALID, "noise: %g; give 0 or more", sigma);
    if (unit.currency == NETDP_AS_LOSS) {
        *value = loss;
        return NETDP_OK;
    }
    /* sqrt and / are correctly rounded: two steps up keep mu an upper bound, of 0 too. */
    double mu = loss == 0 ? 0 : sqrt(loss) / sigma;
    if (loss > 0 && !isinf(sigma) && !isinf(mu))
        mu = nextafter(nextafter(mu, INFINITY), INFINITY);
    if (unit.currency == NETDP_AS_RDP)
        return netdp_gdp_to_rdp(mu, unit.parameter, value, error);
    if (unit.currency == NETDP_AS_DP)
        return netdp_gdp_to_epsilon(mu, unit.parameter, value, error);
    *value = mu;
    return NETDP_OK;
}

/* One observer's share of a summary. */
typedef struct share {
    int64_t pairs;
    double sum, max;
} share;

typedef struct summing {
    const netdp_losses *losses;
    double sigma;
    netdp_unit unit;
    share *shares;
} summing;

static netdp_status sum_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    summing *s = context;
    const netdp_losses *l = s->losses;
    const double *loss = l->loss + index * l->from_count;
    share mine = {0, 0, -1};
    double last_loss = -1, last_value = 0;
    for (int32_t i = 0; i < l->from_count; i++) {
        if (!netdp_losses_counts(l, i, (int32_t)index))
            continue;
        if (l->final) {
            last_value = loss[i];
        } else if (loss[i] != last_loss) { /* symmetric graphs repeat their losses */
            netdp_status status = netdp_loss_value(loss[i], s->sigma, s->unit, &last_value, error);
            if (status != NETDP_OK)
                return status;
            last_loss = loss[i];
        }
        mine.pairs++;
        mine.sum += last_value;
        mine.max = fmax(mine.max, last_value);
    }
    s->shares[index] = mine;
    return NETDP_OK;
}

/* Losses that differ by less are equal up to rounding: symmetric pairs tie. */
#define TIE 1e-9

/* The pair of the largest loss; of ties the one with the smallest (from, to). */
static void find_worst(const netdp_losses *l, netdp_summary *summary)
{
    double largest = -1;
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t u = 0; u < l->from_count; u++)
            if (netdp_losses_counts(l, u, v))
                largest = fmax(largest, l->loss[(int64_t)v * l->from_count + u]);
    for (int32_t u = 0; u < l->from_count; u++)
        for (int32_t v = 0; v < l->to_count; v++) {
            const int32_t from = l->from[u], to = l->to[v];
            if (l->loss[(int64_t)v * l->from_count + u] < largest * (1 - TIE) ||
                !netdp_losses_counts(l, u, v))
                continue;
            if (summary->worst_from < 0 || from < summary->worst_from ||
                (from == summary->worst_from && to < summary->worst_to)) {
                summary->worst_from = from;
                summary->worst_to = to;
            }
        }
}

netdp_status netdp_losses_summary(const netdp_losses *losses, double sigma, netdp_unit unit,
                                  netdp_summary *summary, netdp_error *error)
{
    summing s = {losses, sigma, unit, NETDP_I_NEW(share, losses->to_count)};
    netdp_summary made = {.max = -1, .worst_from = -1, .worst_to = -1};
    netdp_status status = NETDP_OK;
    if (s.shares == NULL)
        return netdp_i_no_memory(error);
    if (losses->final && (sigma != losses->noise || unit.currency != losses->unit.currency ||
                          unit.parameter != losses->unit.parameter)) {
        status = netdp_i_fail(error, NETDP_INVALID,
                              "these values are for noise %g and another unit; account anew",
                              losses->noise);
        goto done;
    }
    status = netdp_i_for_each(losses->to_count, sum_observer, &s, NULL, "summary", error);
    made.local = losses->local;
    if (status == NETDP_OK && !losses->final)
        status = netdp_loss_value(losses->local, sigma, unit, &made.local, error);
    if (status != NETDP_OK)
        goto done;
    for (int32_t v = 0; v < losses->to_count; v++) {
        made.pairs += s.shares[v].pairs;
        made.mean += s.shares[v].sum;
        made.max = fmax(made.max, s.shares[v].max);
    }
    if (made.pairs == 0) {
        status = netdp_i_fail(error, NETDP_INVALID,
                              "from: every asked node is in the observer set; ask for others");
        goto done;
    }
    /* A sum of m terms in any order is low by at most m units of rounding. */
    made.mean = made.mean / (double)made.pairs * (1 + 2.3e-16 * ((double)made.pairs + 2));
    if (made.mean > made.max)
        made.mean = made.max;
    find_worst(losses, &made);
    *summary = made;
done:
    netdp_i_free(s.shares);
    return status;
}
