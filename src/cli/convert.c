#include "cli/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/guarantee.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

typedef enum kind { GDP = 0, RDP, LINEAR, DP, SIGMA, KINDS } kind;

/* What is converted: "gdp:MU", "rdp:A=E,...", "rdp-linear:C", "dp:EPSILON,DELTA". */
struct source {
    kind kind;
    double first, second; /* mu; c; epsilon and delta */
    netdp_rdp curve;      /* RDP, LINEAR */
    double *order, *epsilon;
};

/* What is wanted: "dp:DELTA", "rdp:ALPHA", "gdp", "sigma". */
struct target {
    kind kind;
    double parameter;
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
            [RDP] = "one pair (epsilon, delta) does not bound any Renyi divergence",
            [DP] = "one pair (epsilon, delta) says nothing at another delta"},
};

/* ---- Reading ---- */

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
        if (equals == NULL || !netdp_i_cli_number(pair, false, &order) ||
            !netdp_i_cli_number(equals + 1, true, &epsilon))
            return netdp_i_fail(error, NETDP_INVALID,
                                "rdp: pair %zu is not ORDER=EPSILON, as in rdp:2=0.5,4=1.1",
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
    netdp_status status = netdp_i_cli_read_number("dp: epsilon", text, true, &source->first, error);
    if (status == NETDP_OK)
        status = netdp_i_cli_read_number("dp: delta", comma + 1, false, &source->second, error);
    if (status == NETDP_OK && source->first < 0)
        status = netdp_i_fail(error, NETDP_INVALID, "dp: epsilon must be >= 0");
    if (status == NETDP_OK && !(source->second > 0 && source->second < 1))
        status = netdp_i_fail(error, NETDP_INVALID, "dp: delta must be between 0 and 1");
    return status;
}

static netdp_status read_source(const char *given, struct source *source, netdp_error *error)
{
    char *text = netdp_i_copy_text(given);
    if (text == NULL)
        return netdp_i_no_memory(error);
    netdp_status status;
    char *value = strchr(text, ':');
    if (value != NULL)
        *value++ = '\0';
    if (value != NULL && strcmp(text, "gdp") == 0) {
        source->kind = GDP;
        status = netdp_i_cli_read_number("gdp", value, true, &source->first, error);
    } else if (value != NULL && strcmp(text, "rdp-linear") == 0) {
        source->kind = LINEAR;
        status = netdp_i_cli_read_number("rdp-linear", value, true, &source->first, error);
        source->curve.slope = source->first;
    } else if (value != NULL && strcmp(text, "rdp") == 0) {
        source->kind = RDP;
        status = read_curve(value, source, error);
    } else if (value != NULL && strcmp(text, "dp") == 0) {
        source->kind = DP;
        status = read_pair(value, source, error);
    } else {
        status = netdp_i_fail(error, NETDP_INVALID,
                              "'%s': a guarantee is gdp:MU, rdp:ORDER=EPSILON,..., rdp-linear:C or "
                              "dp:EPSILON,DELTA",
                              netdp_i_show_text(given).text);
    }
    if (status == NETDP_OK && (source->kind == GDP || source->kind == LINEAR) && source->first < 0)
        status = netdp_i_fail(error, NETDP_INVALID, "%s: must be >= 0", text);
    netdp_i_free(text);
    return status;
}

static netdp_status read_target(const char *text, struct target *target, netdp_error *error)
{
    if (strcmp(text, "gdp") == 0 || strcmp(text, "sigma") == 0) {
        target->kind = text[0] == 'g' ? GDP : SIGMA;
        return NETDP_OK;
    }
    if (strncmp(text, "dp:", 3) == 0) {
        target->kind = DP;
        netdp_status status =
            netdp_i_cli_read_number("--to dp", text + 3, false, &target->parameter, error);
        if (status == NETDP_OK && !(target->parameter > 0 && target->parameter < 1))
            status = netdp_i_fail(error, NETDP_INVALID, "--to dp: delta must be between 0 and 1");
        return status;
    }
    if (strncmp(text, "rdp:", 4) == 0) {
        target->kind = RDP;
        netdp_status status =
            netdp_i_cli_read_number("--to rdp", text + 4, false, &target->parameter, error);
        if (status == NETDP_OK && !(target->parameter > 1))
            status = netdp_i_fail(error, NETDP_INVALID, "--to rdp: the order must be above 1");
        return status;
    }
    return netdp_i_fail(error, NETDP_INVALID, "--to: '%s' is not dp:DELTA, rdp:ORDER, gdp or sigma",
                        netdp_i_show_text(text).text);
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

static netdp_status convert(const struct source *source, const struct target *target,
                            bool published, double *value, netdp_error *error)
{
    double mu = source->first;
    const char *why = refusal[source->kind][target->kind];
    if (why != NULL)
        return netdp_i_fail(error, NETDP_INVALID, "not sound: %s", why);
    bool renyi = source->kind == RDP || source->kind == LINEAR;
    if (published && !(renyi && target->kind == DP))
        return netdp_i_fail(error, NETDP_INVALID,
                            "--published: applies to rdp or rdp-linear --to dp:DELTA only");
    if (renyi && target->kind == DP)
        return netdp_rdp_to_epsilon(&source->curve, target->parameter, published, value, error);
    if (renyi)
        return netdp_rdp_at(&source->curve, target->parameter, value, error);
    if (source->kind == GDP && target->kind == DP)
        return netdp_gdp_to_epsilon(mu, target->parameter, value, error);
    if (source->kind == GDP && target->kind == RDP)
        return netdp_gdp_to_rdp(mu, target->parameter, value, error);
    netdp_status status = NETDP_OK;
    if (source->kind == DP)
        status = netdp_epsilon_to_gdp(source->first, source->second, &mu, error);
    if (status == NETDP_OK)
        *value = target->kind == SIGMA ? reciprocal_up(mu) : mu;
    return status;
}

static void print_value(const struct target *target, double value)
{
    switch (target->kind) {
    case DP:
        printf("epsilon = %.17g at delta = %g\n", value, target->parameter);
        break;
    case RDP:
        printf("epsilon = %.17g at order %g\n", value, target->parameter);
        break;
    case SIGMA:
        printf("sigma = %.17g in units of the sensitivity\n", value);
        break;
    default:
        printf("mu = %.17g\n", value);
    }
}

static const char about[] =
    "Converts a privacy guarantee into another currency. The value is an upper bound,\n"
    "rounded outward in ball arithmetic; sigma is rounded up too.\n"
    "\n"
    "From: gdp:MU (Gaussian DP), rdp:ORDER=EPSILON,... (Renyi DP at orders),\n"
    "rdp-linear:C (epsilon(a) = C a), dp:EPSILON,DELTA.\n"
    "Sound: gdp to dp, rdp, gdp, sigma; rdp and rdp-linear to dp, rdp; dp to sigma (the\n"
    "noise of one Gaussian release that has it). Anything else is refused.";

netdp_status netdp_i_command_convert(int argc, const char **argv, netdp_error *error)
{
    const char *to = NULL;
    bool published = false, json = false;
    const netdp_i_option options[] = {
        {NETDP_I_TEXT, 0, "to", &to, "dp:DELTA|rdp:ORDER|gdp|sigma",
         "the currency wanted; sigma is noise in units of the sensitivity", "required"},
        {NETDP_I_SWITCH, 0, "published", &published, NULL,
         "rdp to dp by the papers' form, epsilon + ln(1/delta)/(a-1): looser", NULL},
        {NETDP_I_SWITCH, 0, "json", &json, NULL, "one JSON object", NULL},
        {0},
    };
    const netdp_i_usage usage = {
        .command = "convert",
        .arguments = "GUARANTEE",
        .what = about,
        .examples = "  netdp convert gdp:1 --to dp:1e-5\n"
                    "  netdp convert rdp:2=0.5,4=1.1 --to dp:1e-6\n"
                    "  netdp convert dp:1,1e-6 --to sigma\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    netdp_i_arguments arguments;
    struct source source = {0};
    struct target target = {0};
    double value = 0;
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status != NETDP_OK || arguments.help)
        goto done;
    if (to == NULL)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "--to: missing; say what to convert to, as in --to dp:1e-6");
    if (status == NETDP_OK)
        status = read_source(arguments.text[0], &source, error);
    if (status == NETDP_OK)
        status = read_target(to, &target, error);
    if (status == NETDP_OK)
        status = convert(&source, &target, published, &value, error);
    if (status == NETDP_OK && json) {
        json_t *object =
            json_pack("{s:s, s:s, s:o, s:b, s:s}", "from", arguments.text[0], "to", to, "value",
                      netdp_i_json_double(value), "certified", 1, "direction", "upper");
        status = netdp_i_cli_print_json(&object, error);
    } else if (status == NETDP_OK)
        print_value(&target, value);
done:
    netdp_i_free(source.order);
    netdp_i_free(source.epsilon);
    netdp_i_arguments_free(&arguments);
    return status;
}
