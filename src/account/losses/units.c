/* Losses in the currency that a reader asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "account/losses/protect.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/try.h"

/* By currency. Every unit is read and written here, for commands, studies, tables and JSON. */
static const struct {
    const char *name;
    double above, below; /* open range of the parameter; equal: no parameter */
    const char *wants;
} units[] = {
    [NETDP_AS_LOSS] = {"loss", 0, 0, NULL},
    [NETDP_AS_GDP] = {"gdp", 0, 0, NULL},
    [NETDP_AS_RDP] = {"rdp", 1, INFINITY, "the order must be a finite number above 1, as in rdp:2"},
    [NETDP_AS_DP] = {"dp", 0, 1, "delta must be a number between 0 and 1, as in dp:1e-6"},
};

/* How others spell them. */
static const struct {
    const char *word;
    netdp_currency currency;
} others[] = {
    {"mu", NETDP_AS_GDP},         {"mu-gdp", NETDP_AS_GDP}, {"gaussian", NETDP_AS_GDP},
    {"f-dp", NETDP_AS_GDP},       {"renyi", NETDP_AS_RDP},  {"alpha", NETDP_AS_RDP},
    {"epsilon", NETDP_AS_DP},     {"eps", NETDP_AS_DP},     {"delta", NETDP_AS_DP},
    {"approximate", NETDP_AS_DP}, {"adp", NETDP_AS_DP},
};

/* The currency that the first word of `text` means, or -1. */
static int meant(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && strncasecmp(text, units[i].name, length) == 0)
            return (int)i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].word) == length && strncasecmp(text, others[i].word, length) == 0)
            return (int)others[i].currency;
    return -1;
}

static netdp_status refuse_unit(const char *text, size_t length, netdp_error *error)
{
    static const char *const spelled[] = {[NETDP_AS_LOSS] = "loss",
                                          [NETDP_AS_GDP] = "gdp",
                                          [NETDP_AS_RDP] = "rdp:ALPHA, as in rdp:2",
                                          [NETDP_AS_DP] = "dp:DELTA, as in dp:1e-6"};
    const int currency = meant(text, length);
    if (currency < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "'%.40s' is no unit; give loss, gdp, rdp:ALPHA or dp:DELTA",
                            netdp_i_show_text(text).text);
    return netdp_i_fail(error, NETDP_INVALID, "'%.40s' is no unit; write %s",
                        netdp_i_show_text(text).text, spelled[currency]);
}

netdp_status netdp_unit_parse(const char *text, netdp_unit *unit, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && unit);
    const size_t length = strcspn(text, ":");
    const bool bare = text[length] == '\0';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) != length || strncmp(text, units[i].name, length) != 0 ||
            bare != (units[i].wants == NULL))
            continue;
        double parameter = 0;
        if (!bare && (!netdp_i_read_number(text + length + 1, &parameter) ||
                      !(parameter > units[i].above) || !(parameter < units[i].below)))
            return netdp_i_fail(error, NETDP_INVALID, "'%.40s': %s", netdp_i_show_text(text).text,
                                units[i].wants);
        *unit = (netdp_unit){(netdp_currency)i, parameter};
        return NETDP_OK;
    }
    return refuse_unit(text, length, error);
}

void netdp_unit_text(netdp_unit unit, char text[NETDP_UNIT_ROOM])
{
    text[0] = '\0';
    if (netdp_i_check_choice("as", (int64_t)unit.currency, NETDP_AS_DP, NULL) != NETDP_OK)
        return;
    if (units[unit.currency].wants == NULL) {
        snprintf(text, NETDP_UNIT_ROOM, "%s", units[unit.currency].name);
        return;
    }
    char number[32] = "";
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, unit.parameter);
        if (strtod(number, NULL) == unit.parameter)
            break;
    }
    /* 1e-06 is written 1e-6. */
    char *power = strpbrk(number, "e");
    if (power != NULL) {
        const long exponent = strtol(power + 1, NULL, 10);
        snprintf(power, sizeof number - (size_t)(power - number), "e%ld", exponent);
    }
    snprintf(text, NETDP_UNIT_ROOM, "%s:%s", units[unit.currency].name, number);
}

netdp_status netdp_loss_value(double loss, double sigma, netdp_unit unit, double *value,
                              netdp_error *error)
{
    NETDP_I_GIVEN(error, value);
    REFUSE(!(loss >= 0), "loss: %g; give 0 or more", loss);
    REFUSE(!(sigma >= 0), "noise: %g; give 0 or more", sigma);
    TRY(netdp_i_check_choice("as", (int64_t)unit.currency, NETDP_AS_DP, error));
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
            TRY(netdp_loss_value(loss[i], c->noise, c->unit, &last_value, error));
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
    return batch->losses->phases > 0 && !batch->losses->final
               ? netdp_i_protect_values(batch, noise, unit, value, progress, error)
               : netdp_i_for_each(batch->count, convert_row, &c, progress, NULL, error);
}
