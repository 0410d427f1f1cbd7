/* Losses in the currency that a reader asked for. */
#include <math.h>
#include <string.h>

#include "account/losses/losses.h"
#include "base/fail.h"
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
    const netdp_status status =
        netdp_i_check_choice("as", (int64_t)unit.currency, NETDP_AS_DP, error);
    if (status != NETDP_OK)
        return status;
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

typedef struct conversion {
    const netdp_i_batch *batch;
    double noise;
    netdp_unit unit;
    double *value;
} conversion;

static netdp_status convert_row(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const conversion *c = context;
    const netdp_losses *l = c->batch->losses;
    const double *loss = c->batch->loss + index * l->from_count;
    double *value = c->value + index * l->from_count;
    double last_loss = -1, last_value = 0;
    for (int32_t i = 0; i < l->from_count; i++) {
        value[i] = INFINITY;
        if (!netdp_losses_counts(l, i, c->batch->first + (int32_t)index))
            continue;
        if (l->final) {
            last_value = loss[i];
        } else if (loss[i] != last_loss) { /* symmetric graphs repeat their losses */
            netdp_status status = netdp_loss_value(loss[i], c->noise, c->unit, &last_value, error);
            if (status != NETDP_OK)
                return status;
            last_loss = loss[i];
        }
        value[i] = last_value;
    }
    return NETDP_OK;
}

netdp_status netdp_i_batch_values(const netdp_i_batch *batch, double noise, netdp_unit unit,
                                  double *value, const netdp_progress *progress, netdp_error *error)
{
    conversion c = {batch, noise, unit, value};
    return netdp_i_for_each(batch->count, convert_row, &c, progress, NULL, error);
}
