#include "cli/common/command.h"

#include <stdio.h>
#include <string.h>
#include <netdp/account.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/try.h"

static void print_value(const netdp_converted *c)
{
    printf("%s %s %.17g", c->quantity, c->lower ? ">=" : "=", c->value);
    if (strcmp(c->quantity, "theta") == 0)
        printf(" for L in [%g, %g]", c->low, c->high);
    else if (c->unit[0] == '\0')
        printf(" in units of the sensitivity");
    else
        printf(" (%s)", c->unit);
    puts(c->lower ? ", a lower bound, not a guarantee" : "");
}

static const char about[] =
    "Converts a guarantee into another privacy measure. The value is an upper bound,\n"
    "rounded outward in ball arithmetic; sigma is rounded up too.\n"
    "\n"
    "From: gdp:MU (Gaussian DP), rdp:ALPHA=EPSILON,... (Renyi DP at orders),\n"
    "rdp-linear:C (epsilon(a) = C a) or zcdp:RHO, which is the same, dp:EPSILON,DELTA, events:FILE "
    "(a JSON list of\n"
    "[{\"mechanism\": \"gaussian\", \"noise\": 2, \"count\": 100}, ...]; FILE -: standard\n"
    "input), or one event:\n"
    "gaussian:NOISE, laplace:NOISE, discrete-gaussian:NOISE,LEVELS,\n"
    "discrete-laplace:NOISE,LEVELS, randomised-response:FLIP,LEVELS,\n"
    "subsampled-gaussian:NOISE,RATE and subsampled-laplace:NOISE,RATE (Poisson; a person\n"
    "is added or removed), subsampled-gaussian-replaced:NOISE,RATE (Poisson; NOISE in units\n"
    "of one person's most, half of what replacing moves),\n"
    "gaussian-without-replacement:NOISE,RATE (a share RATE of a public number of people; one\n"
    "is replaced), exponential:EPSILON, approximate:EPSILON,DELTA, each with ' x1000'\n"
    "behind it where it is repeated. Also gamma:THETA,LOW,HIGH (the Gamma mechanism of\n"
    "weighted walks on values in [LOW, HIGH]) and rr:FLIP,LEVELS,CROWD (randomised\n"
    "response that draws one of LEVELS values with probability FLIP, shuffled with\n"
    "CROWD - 1 others').\n"
    "Sound: gdp to dp, rdp, gdp, sigma; rdp, rdp-linear and zcdp to dp, rdp; dp to sigma (the\n"
    "noise of one Gaussian release that has it), and to dp of no smaller delta; events to dp, by "
    "their privacy loss\n"
    "distributions (certified only where all are Gaussian: otherwise in doubles with\n"
    "error bounds); gamma and rr to dp; dp to gamma:LOW,HIGH (the least theta). What gamma\n"
    "and rr do not cover is printed beside the value. Anything else is refused.";

netdp_status netdp_i_command_convert(int argc, const char **argv, netdp_error *error)
{
    const char *to = NULL;
    netdp_manner manner = {0};
    bool json = false;
    const netdp_i_option options[] = {
        OPTION(TEXT, "to", &to, "dp:DELTA|rdp:ALPHA|gdp|sigma|gamma:LOW,HIGH",
               "the privacy measure wanted; sigma is noise in units of the sensitivity",
               "required"),
        SWITCH(
            "published", &manner.published,
            "rdp to dp by the papers' form, epsilon + ln(1/delta)/(a-1); gamma by Lemma 3: looser"),
        SWITCH("lower", &manner.lower,
               "events to dp: a bound from below instead, to see what the upper one gives away"),
        OPTION(TEXT, "by", &manner.by, "BOUND",
               "rr to dp: least, local, erlingsson, feldman, clones or blanket; inf outside a "
               "formula's range",
               "least"),
        SWITCH("json", &json, "one JSON object"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "convert",
        .arguments = "GUARANTEE",
        .what = about,
        .examples = "  netdp convert gdp:1 --to dp:1e-5\n"
                    "  netdp convert rdp:2=0.5,4=1.1 --to dp:1e-6\n"
                    "  netdp convert dp:1,1e-6 --to sigma\n"
                    "  netdp convert \"subsampled-gaussian:0.8,0.005 x1000\" --to dp:1e-6\n"
                    "  netdp convert rr:0.2,10,9999 --to dp:1e-6 --by feldman\n"
                    "  netdp convert dp:3,1e-4 --to gamma:1,1.2\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    netdp_converted converted;
    REFUSE(to == NULL, "--to: missing; say what to convert to, as in --to dp:1e-6");
    TRY(netdp_convert(arguments.text[0], to, &manner, &converted, error));
    if (json) {
        json_t *object =
            json_pack("{s:s, s:s, s:o, s:b, s:s}", "from", arguments.text[0], "to", to, "value",
                      netdp_i_json_double(converted.value), "certified", (int)converted.certified,
                      "direction", manner.lower ? "lower" : "upper");
        if (object != NULL && converted.covers != NULL)
            json_object_set_new(object, "covers", json_string(converted.covers));
        return netdp_i_cli_print_json(object, error);
    }
    print_value(&converted);
    if (converted.covers != NULL)
        printf("covers %s\n", converted.covers);
    return NETDP_OK;
}
