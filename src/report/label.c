/* What stands at the axes of a figure. */
#include <stdio.h>
#include <string.h>

#include "report/figure.h"

/* The input that all claims are over, or NULL. */
static const char *claims_over(const netdp_i_figure *f)
{
    const char *over = NULL;
    size_t i;
    json_t *variant;
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant) {
        const char *own = json_string_value(json_object_get(variant, "over"));
        if (own == NULL || (over != NULL && strcmp(over, own) != 0))
            return NULL;
        over = own;
    }
    return over;
}

/* The unit that all curves have; false: they differ, and only the currency may be common. */
static bool shared_unit(const netdp_i_figure *f, netdp_unit *unit)
{
    bool same = true, started = false;
    size_t i;
    json_t *variant;
    *unit = netdp_i_study_unit(f->study);
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant) {
        const netdp_unit own = netdp_i_study_unit(netdp_i_figure_study(f, i));
        if (netdp_i_figure_hides(f, netdp_i_figure_name(variant)))
            continue;
        same = same &&
               (!started || (own.currency == unit->currency && own.parameter == unit->parameter));
        if (!started || own.currency != unit->currency)
            *unit = started ? (netdp_unit){NETDP_AS_LOSS, 0} : own;
        started = true;
    }
    return same;
}

void netdp_i_label_measure(const netdp_i_figure *f, const char *measure,
                           char label[NETDP_I_LABEL_ROOM])
{
    static const struct {
        const char *measure, *label;
    } plain[] = {{"objective", "objective"},
                 {"excess", "objective above its least value"},
                 {"accuracy", "test accuracy"},
                 {"consensus", "consensus error"},
                 {"noise", "noise, in units of the sensitivity"},
                 {"data", "value of the node"},
                 {"predicted", "expected error of the noise"}};
    netdp_unit unit = {NETDP_AS_LOSS, 0};
    snprintf(label, NETDP_I_LABEL_ROOM, "%s", measure);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(measure, plain[i].measure) == 0)
            snprintf(label, NETDP_I_LABEL_ROOM, "%s", plain[i].label);
    const char *kind = f->study->protocol.kind;
    const char *counts = kind != NULL ? strstr(kind, "-histogram") : NULL;
    if (strcmp(measure, "noise") == 0 && counts != NULL)
        snprintf(label, NETDP_I_LABEL_ROOM, "probability of a random answer%s",
                 netdp_i_study_accounts(f->study) || netdp_i_figure_hides(f, "central")
                     ? ""
                     : "; central: its own noise, in units of the sensitivity");
    if (strcmp(measure, "loss_per_round") == 0)
        snprintf(label, NETDP_I_LABEL_ROOM, "loss per round");
    if (strcmp(measure, "loss") != 0)
        return;
    if (!shared_unit(f, &unit)) {
        snprintf(label, NETDP_I_LABEL_ROOM, "%s",
                 unit.currency == NETDP_AS_DP ? "epsilon, each at its own delta"
                                              : "privacy loss, each in its own unit");
        return;
    }
    switch (unit.currency) {
    case NETDP_AS_LOSS:
        snprintf(label, NETDP_I_LABEL_ROOM, "privacy loss, mu^2 sigma^2");
        break;
    case NETDP_AS_GDP:
        snprintf(label, NETDP_I_LABEL_ROOM, "Gaussian differential privacy, mu");
        break;
    case NETDP_AS_RDP:
        snprintf(label, NETDP_I_LABEL_ROOM, "Rényi loss, order %g", unit.parameter);
        break;
    case NETDP_AS_DP:
        snprintf(label, NETDP_I_LABEL_ROOM, "epsilon at delta %g", unit.parameter);
        break;
    }
}

/* "rounds" of "protocol.rounds". */
static const char *swept_key(const netdp_i_figure *f)
{
    if (netdp_i_study_claims(f->study))
        return claims_over(f);
    const char *key = f->study->sweep.key, *dot = key != NULL ? strchr(key, '.') : NULL;
    return dot != NULL ? dot + 1 : key != NULL ? key : "value";
}

static const char *abscissa(const netdp_i_figure *f)
{
    static const struct {
        const char *x, *label;
    } labels[] = {{"hops", "distance, hops"},
                  {"length", "Euclidean distance"},
                  {"quantile", "quantile of the Euclidean distance"},
                  {"communicability", "communicability"},
                  {"katz", "Katz centrality"},
                  {"nodes", "nodes"}};
    const char *kind = f->study->figure.kind, *x = f->study->figure.x;
    if (strcmp(kind, "dots") == 0)
        return NULL;
    if (strcmp(kind, "trace") == 0)
        return "step";
    if (strcmp(kind, "distance") == 0 && x == NULL)
        x = "hops";
    for (size_t i = 0; x != NULL && i < sizeof labels / sizeof *labels; i++)
        if (strcmp(x, labels[i].x) == 0)
            return labels[i].label;
    return swept_key(f);
}

void netdp_i_label_axes(const netdp_i_figure *f, const char *measure, char x[NETDP_I_LABEL_ROOM],
                        char y[NETDP_I_LABEL_ROOM])
{
    const bool bins = strcmp(f->study->figure.kind, "histogram") == 0;
    const char *across = bins ? NULL : abscissa(f);
    netdp_i_label_measure(f, measure, bins ? x : y);
    if (bins)
        snprintf(y, NETDP_I_LABEL_ROOM, "share of the pairs");
    else
        snprintf(x, NETDP_I_LABEL_ROOM, "%s", across != NULL ? across : "");
    for (char *c = x; *c != '\0'; c++) /* a swept key is words: pair_noise */
        *c = *c == '_' ? ' ' : *c;
}

void netdp_i_label_standing(const json_t *guarantee, char label[NETDP_I_LABEL_ROOM])
{
    const char *bound = json_string_value(json_object_get(guarantee, "bound"));
    const char *standing = netdp_i_curve_estimates(guarantee)                  ? "ESTIMATE"
                           : json_is_true(json_object_get(guarantee, "sound")) ? "upper bound"
                                                                               : "NO upper bound";
    snprintf(label, NETDP_I_LABEL_ROOM, "%s: %s", standing, bound != NULL ? bound : "unknown");
}
