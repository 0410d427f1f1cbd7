/* A guarantee in words to another currency, where that is sound. */
#include <netdp/account.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/privacy.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "privacy/mechanism.h"

typedef enum kind { GDP = 0, RDP, LINEAR, DP, SIGMA, EVENTS, GAMMA, SHUFFLED, KINDS } kind;

/*
 * What is converted: "gdp:MU", "rdp:A=E,...", "rdp-linear:C" or, the same (Bun and Steinke 2016),
 * "zcdp:RHO", "dp:EPSILON,DELTA", "events:FILE",
 * one event as words, "gamma:THETA,LOW,HIGH" or "rr:FLIP,LEVELS,CROWD".
 */
struct source {
    kind kind;
    double first, second; /* mu; c; epsilon and delta */
    netdp_rdp curve;      /* RDP, LINEAR */
    double *order, *epsilon;
    netdp_events *events;  /* EVENTS */
    netdp_gamma gamma;     /* GAMMA */
    netdp_shuffle shuffle; /* SHUFFLED */
};

/* What is wanted: "dp:DELTA", "rdp:ALPHA", "gdp", "sigma", "gamma:LOW,HIGH". */
struct target {
    kind kind;
    double parameter;
    double low, high;           /* GAMMA */
    char unit[NETDP_UNIT_ROOM]; /* DP, RDP, GDP */
};

/*
 * NULL: sound, and here is how. Otherwise why a number would be a claim that does not follow.
 * RDP of the shape of a Gaussian and a single pair (epsilon, delta) both hold for mechanisms that
 * are no mu-GDP (Dong, Roth and Su 2022).
 */
static const char *const refusal[KINDS][KINDS] = {
    [RDP] = {[GDP] = "a Renyi curve does not imply mu-GDP for any mu; convert to dp:DELTA",
             [SIGMA] = "a Renyi curve belongs to no one Gaussian; convert to dp:DELTA"},
    [LINEAR] = {[GDP] = "a Renyi curve, linear too, does not imply mu-GDP; convert to dp:DELTA",
                [SIGMA] = "a Renyi curve belongs to no one Gaussian; convert to dp:DELTA"},
    [DP] = {[GDP] = "one pair (epsilon, delta) does not imply mu-GDP; --to sigma gives the noise "
                    "of a Gaussian release that has it",
            [RDP] = "one pair (epsilon, delta) does not bound any Renyi divergence"},
    [EVENTS] = {[GDP] = "a list of events need not be mu-GDP; convert to dp:DELTA",
                [RDP] = "events are composed by their privacy losses, not by Renyi orders; convert "
                        "to dp:DELTA",
                [SIGMA] = "a list of events belongs to no one Gaussian; convert to dp:DELTA"},
    [GAMMA] = {[GDP] = "the Gamma mechanism is no mu-GDP; convert to dp:DELTA",
               [RDP] = "the Gamma mechanism is accounted by its curve; convert to dp:DELTA",
               [SIGMA] = "the Gamma mechanism is no Gaussian; convert to dp:DELTA"},
    [SHUFFLED] = {[GDP] = "shuffling is bounded at one delta; convert to dp:DELTA",
                  [RDP] = "shuffling is bounded at one delta; convert to dp:DELTA",
                  [SIGMA] = "shuffling is bounded at one delta; convert to dp:DELTA"},
};

/* ---- Reading ---- */

static bool read_number(const char *text, bool infinite, double *value)
{
    double read;
    if (infinite && strcmp(text, "inf") == 0) {
        *value = INFINITY;
        return true;
    }
    if (!netdp_i_read_number(text, &read) || !isfinite(read))
        return false;
    *value = read;
    return true;
}

static netdp_status need_number(const char *what, const char *text, bool infinite, double *value,
                                netdp_error *error)
{
    if (read_number(text, infinite, value))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "%s: '%s' is not a number such as 0.5 or 1e-6", what,
                        netdp_i_show_text(text).text);
}

/* "A=E,A=E,..." into the curve; the text is cut up. */
static netdp_status read_curve(char *text, struct source *source, netdp_error *error)
{
    int64_t most = 1;
    for (const char *c = text; *c != '\0'; c++)
        most += *c == ',';
    source->order = NETDP_I_NEW(double, most);
    source->epsilon = NETDP_I_NEW(double, most);
    if (source->order == NULL || source->epsilon == NULL)
        return netdp_i_no_memory(error);
    size_t count = 0;
    for (char *rest = text, *pair; (pair = strsep(&rest, ",")) != NULL; count++) {
        double order = 0, epsilon = 0;
        char *equals = strchr(pair, '=');
        if (equals != NULL)
            *equals = '\0';
        if (equals == NULL || !read_number(pair, false, &order) ||
            !read_number(equals + 1, true, &epsilon))
            return netdp_i_fail(error, NETDP_INVALID,
                                "rdp: pair %zu is not ALPHA=EPSILON, as in rdp:2=0.5,4=1.1",
                                count + 1);
        if (order <= 1 || epsilon < 0 || (count > 0 && order <= source->order[count - 1]))
            return netdp_i_fail(error, NETDP_INVALID,
                                "rdp: pair %zu: orders must be above 1 and ascend, epsilons >= 0",
                                count + 1);
        source->order[count] = order;
        source->epsilon[count] = epsilon;
    }
    source->curve = (netdp_rdp){.count = count, .order = source->order, .epsilon = source->epsilon};
    return NETDP_OK;
}

static netdp_status read_pair(char *text, struct source *source, netdp_error *error)
{
    char *comma = strchr(text, ',');
    if (comma == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "dp: needs epsilon and delta, as in dp:1,1e-6");
    *comma = '\0';
    TRY(need_number("dp: epsilon", text, true, &source->first, error));
    TRY(need_number("dp: delta", comma + 1, false, &source->second, error));
    if (source->first < 0)
        return netdp_i_fail(error, NETDP_INVALID, "dp: epsilon must be >= 0");
    if (!(source->second > 0 && source->second < 1))
        return netdp_i_fail(error, NETDP_INVALID, "dp: delta must be between 0 and 1");
    return NETDP_OK;
}

/* Exactly `count` numbers between commas; the text is cut up. */
static netdp_status read_numbers(const char *form, char *text, int count, double *into,
                                 netdp_error *error)
{
    int found = 0;
    char *rest = text;
    for (char *one; found < count && (one = strsep(&rest, ",")) != NULL; found++)
        if (!read_number(one, false, &into[found]))
            break;
    if (found == count && rest == NULL)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "%s: needs %d numbers with commas between them", form,
                        count);
}

static netdp_status read_gamma(char *text, struct source *source, netdp_error *error)
{
    double number[3];
    TRY(read_numbers("gamma:THETA,LOW,HIGH", text, 3, number, error));
    source->gamma = (netdp_gamma){.theta = number[0], .low = number[1], .high = number[2]};
    return NETDP_OK;
}

static netdp_status read_shuffled(char *text, struct source *source, netdp_error *error)
{
    double number[3];
    TRY(read_numbers("rr:FLIP,LEVELS,CROWD", text, 3, number, error));
    for (int i = 1; i < 3; i++)
        if (!(number[i] >= 1 && number[i] <= 1e9 && number[i] == floor(number[i])))
            return netdp_i_fail(error, NETDP_INVALID,
                                "rr: LEVELS and CROWD must be whole, from 1 to 10^9");
    source->shuffle.levels = (int64_t)number[1];
    source->shuffle.crowd = (int64_t)number[2];
    return netdp_rr_epsilon(number[0], source->shuffle.levels, &source->shuffle.epsilon0, error);
}

static netdp_status read_mu(char *text, struct source *source, netdp_error *error)
{
    TRY(need_number("gdp", text, true, &source->first, error));
    if (source->first < 0)
        return netdp_i_fail(error, NETDP_INVALID, "gdp: must be >= 0");
    return NETDP_OK;
}

static netdp_status read_slope(char *text, struct source *source, netdp_error *error)
{
    TRY(need_number("the slope", text, true, &source->first, error));
    if (source->first < 0)
        return netdp_i_fail(error, NETDP_INVALID, "the slope: must be >= 0");
    source->curve.slope = source->first;
    return NETDP_OK;
}

static netdp_status read_file(char *text, struct source *source, netdp_error *error)
{
    return netdp_events_read(text, &source->events, error);
}

/* One event as words, as a list of one. */
static netdp_status read_event(const char *text, struct source *source, netdp_error *error)
{
    netdp_event event;
    TRY(netdp_event_parse(text, &event, error));
    source->kind = EVENTS;
    source->events = NETDP_I_NEW(netdp_events, 1);
    if (source->events != NULL)
        source->events->event = NETDP_I_NEW(netdp_event, 1);
    if (source->events == NULL || source->events->event == NULL)
        return netdp_i_no_memory(error);
    source->events->event[0] = event;
    source->events->count = 1;
    return NETDP_OK;
}

/* Words that begin a guarantee. Those of events are in the table of mechanisms. */
static const struct word {
    const char *word;
    kind kind;
    netdp_status (*read)(char *text, struct source *source, netdp_error *error);
} words[] = {
    {"gdp", GDP, read_mu},           {"rdp-linear", LINEAR, read_slope},
    {"rdp", RDP, read_curve},        {"dp", DP, read_pair},
    {"events", EVENTS, read_file},   {"gamma", GAMMA, read_gamma},
    {"rr", SHUFFLED, read_shuffled}, {"zcdp", LINEAR, read_slope},
};

static netdp_status read_source(const char *given, struct source *source, netdp_error *error)
{
    OWNED char *text = netdp_i_copy_text(given);
    if (text == NULL)
        return netdp_i_no_memory(error);
    char *value = strchr(text, ':');
    const struct word *found = NULL;
    if (value != NULL)
        *value++ = '\0';
    for (size_t i = 0; value != NULL && i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].word) == 0)
            found = &words[i];
    if (found != NULL) {
        source->kind = found->kind;
        return found->read(value, source, error);
    }
    if (value != NULL && netdp_i_mechanism_find(text) >= 0)
        return read_event(given, source, error);
    return netdp_i_fail(error, NETDP_INVALID,
                        "'%s': a guarantee is gdp:MU, rdp:ALPHA=EPSILON,..., rdp-linear:C, "
                        "zcdp:RHO, dp:EPSILON,DELTA, events:FILE, gamma:THETA,LOW,HIGH, "
                        "rr:FLIP,LEVELS,CROWD or an event such as laplace:2",
                        netdp_i_show_text(given).text);
}

/* "LOW,HIGH" of --to gamma. */
static netdp_status read_range(const char *given, struct target *target, netdp_error *error)
{
    double number[2];
    OWNED char *text = netdp_i_copy_text(given);
    if (text == NULL)
        return netdp_i_no_memory(error);
    TRY(read_numbers("--to gamma:LOW,HIGH", text, 2, number, error));
    *target = (struct target){.kind = GAMMA, .low = number[0], .high = number[1]};
    return NETDP_OK;
}

static netdp_status read_target(const char *text, struct target *target, netdp_error *error)
{
    static const kind of_currency[] = {
        [NETDP_AS_GDP] = GDP, [NETDP_AS_RDP] = RDP, [NETDP_AS_DP] = DP};
    netdp_unit unit;
    if (strncmp(text, "gamma:", 6) == 0)
        return read_range(text + 6, target, error);
    if (strcmp(text, "sigma") == 0) {
        target->kind = SIGMA;
        return NETDP_OK;
    }
    TRY(netdp_i_within(error, netdp_unit_parse(text, &unit, error), "--to"));
    if (unit.currency == NETDP_AS_LOSS)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--to: a guarantee has no loss, which is the noise's too; give "
                            "dp:DELTA, rdp:ALPHA, gdp, sigma or gamma:LOW,HIGH");
    *target = (struct target){.kind = of_currency[unit.currency], .parameter = unit.parameter};
    netdp_unit_text(unit, target->unit);
    return NETDP_OK;
}

/* ---- Converting ---- */

/* 1/mu rounded up: too much noise is safe. */
static double reciprocal_up(double mu)
{
    double sigma = 1 / mu;
    if (isfinite(sigma) && isfinite(mu) && fma(sigma, mu, -1) < 0)
        sigma = nextafter(sigma, INFINITY);
    return sigma;
}

/* Epsilon of randomised response in a crowd, by the bound that --by names. */
static netdp_status hide(const netdp_shuffle *shuffle, const char *by, double delta, double *value,
                         netdp_error *error)
{
    for (int b = 0; b < NETDP_SHUFFLE_BOUNDS; b++)
        if (by == NULL || strcmp(by, netdp_shuffle_name((netdp_shuffle_bound)b)) == 0)
            return netdp_shuffle_epsilon((netdp_shuffle_bound)b, shuffle, delta, value, error);
    return netdp_i_fail(error, NETDP_INVALID,
                        "--by: '%s' is not least, local, erlingsson, feldman, clones or blanket",
                        netdp_i_show_text(by).text);
}

/* Is the conversion sound, and do the switches apply to it? */
static netdp_status check_manner(const struct source *source, const struct target *target,
                                 const netdp_manner *manner, netdp_error *error)
{
    const char *why = refusal[source->kind][target->kind];
    if (target->kind == GAMMA && source->kind != DP)
        why = "theta is found for one pair; give dp:EPSILON,DELTA";
    if (source->kind == DP && target->kind == DP && target->parameter < source->second)
        why = "one pair (epsilon, delta) says nothing at a smaller delta";
    if (why != NULL)
        return netdp_i_fail(error, NETDP_INVALID, "not sound: %s", why);
    bool renyi = source->kind == RDP || source->kind == LINEAR;
    if (manner->published && !((renyi || source->kind == GAMMA) && target->kind == DP) &&
        target->kind != GAMMA)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--published: applies to rdp, rdp-linear or gamma --to dp:DELTA and to "
                            "dp --to gamma:LOW,HIGH only");
    if (manner->lower && source->kind != EVENTS)
        return netdp_i_fail(error, NETDP_INVALID, "--lower: applies to events --to dp:DELTA only");
    if (manner->by != NULL && source->kind != SHUFFLED)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--by: applies to rr:FLIP,LEVELS,CROWD --to dp:DELTA only");
    return NETDP_OK;
}

/* To mu or sigma, from mu or the mu of a pair. */
static netdp_status convert_gaussian(const struct source *source, const struct target *target,
                                     double *value, netdp_error *error)
{
    double mu = source->first;
    if (source->kind == DP)
        TRY(netdp_epsilon_to_gdp(source->first, source->second, &mu, error));
    *value = target->kind == SIGMA ? reciprocal_up(mu) : mu;
    return NETDP_OK;
}

static netdp_status convert(const struct source *source, const struct target *target,
                            const netdp_manner *manner, double *value, netdp_error *error)
{
    TRY(check_manner(source, target, manner, error));
    bool renyi = source->kind == RDP || source->kind == LINEAR;
    netdp_gamma gamma = source->gamma;
    gamma.published = manner->published;
    if (source->kind == GAMMA)
        return netdp_gamma_to_epsilon(&gamma, target->parameter, value, error);
    if (source->kind == SHUFFLED)
        return hide(&source->shuffle, manner->by, target->parameter, value, error);
    if (source->kind == DP && target->kind == DP) { /* holds at its delta, so at larger ones */
        *value = source->first;
        return NETDP_OK;
    }
    if (target->kind == GAMMA)
        return netdp_gamma_calibrate(target->low, target->high, source->first, source->second,
                                     manner->published, value, error);
    if (source->kind == EVENTS)
        return netdp_events_epsilon(source->events->event, source->events->count, target->parameter,
                                    manner->lower ? NETDP_LOWER : NETDP_UPPER, value, error);
    if (renyi && target->kind == DP)
        return netdp_rdp_to_epsilon(&source->curve, target->parameter, manner->published, value,
                                    error);
    if (renyi)
        return netdp_rdp_at(&source->curve, target->parameter, value, error);
    if (source->kind == GDP && target->kind == DP)
        return netdp_gdp_to_epsilon(source->first, target->parameter, value, error);
    if (source->kind == GDP && target->kind == RDP)
        return netdp_gdp_to_rdp(source->first, target->parameter, value, error);
    return convert_gaussian(source, target, value, error);
}

/* What a guarantee is about where that is less than all that happens; NULL: nothing to add. */
static const char *coverage(const struct source *source, const struct target *target)
{
    if (source->kind == GAMMA || target->kind == GAMMA)
        return "the released R(L) only; the mean of L and the gradient scales of Algorithm "
               "2 "
               "leak too";
    if (source->kind == SHUFFLED)
        return "one contribution that is shuffled with others, CROWD in all, its own included and "
               "the "
               "observers' left out";
    return NULL;
}

static const char *quantity(kind to)
{
    return to == DP || to == RDP ? "epsilon" : to == GAMMA ? "theta" : to == SIGMA ? "sigma" : "mu";
}

static void clear_source(struct source *source)
{
    netdp_events_free(source->events);
    netdp_i_free(source->order);
    netdp_i_free(source->epsilon);
}

netdp_status netdp_convert(const char *from, const char *to, const netdp_manner *manner,
                           netdp_converted *converted, netdp_error *error)
{
    NETDP_I_GIVEN(error, from && to && converted);
    static const netdp_manner usual = {0};
    CLEARED(clear_source) struct source source = {0};
    struct target target = {0};
    double value = 0;
    if (manner == NULL)
        manner = &usual;
    TRY(read_source(from, &source, error));
    TRY(read_target(to, &target, error));
    TRY(convert(&source, &target, manner, &value, error));
    *converted = (netdp_converted){
        .value = value,
        .quantity = quantity(target.kind),
        .lower = manner->lower,
        .certified =
            source.kind != EVENTS ||
            (!manner->lower && netdp_events_certified(source.events->event, source.events->count)),
        .covers = coverage(&source, &target),
        .low = target.low,
        .high = target.high,
    };
    memcpy(converted->unit, target.unit, sizeof target.unit);
    return NETDP_OK;
}
