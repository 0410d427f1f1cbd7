#include "cli/common/command.h"

#include <stdio.h>
#include <string.h>
#include <netdp/audit.h>
#include <netdp/study.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"
#include "cli/mechanism.h"
#include "plot/guesses.h"
#include "plot/trade.h"
#include "study/study.h"

typedef struct audit_options {
    netdp_i_study_options study;
    netdp_audit_options audit;
    uint64_t seed;
    bool self_test;
    const char *mechanism, *claim;
} audit_options;

/* ---- Results ---- */

/* One picture an audit; without gnuplot there are none, and that is said. */
static void draw(const json_t *result, const char *folder)
{
    static const struct {
        const char *key, *file;
        const netdp_i_guesses *kind;
    } further[] = {{"everybody", "reconstruct.svg", &netdp_i_reconstructed},
                   {"membership", "membership.svg", &netdp_i_members}};
    const json_t *audits = json_object_get(result, "audits");
    size_t i;
    json_t *audit;
    char path[NETDP_I_PATH_ROOM + 32];
    netdp_error why;
    json_array_foreach (audits, i, audit) {
        snprintf(path, sizeof path, "%s/audit-%zu.svg", folder, i + 1);
        if (netdp_i_trade_write(audit, path, &why) != NETDP_OK) {
            netdp_i_cli_note("no pictures: %s", why.text);
            return;
        }
    }
    for (i = 0; i < sizeof further / sizeof *further; i++) {
        const json_t *list = json_object_get(result, further[i].key);
        snprintf(path, sizeof path, "%s/%s", folder, further[i].file);
        if (json_array_size(list) > 0 &&
            netdp_i_guesses_write(list, further[i].kind, path, &why) != NETDP_OK)
            netdp_i_cli_note("no pictures: %s", why.text);
    }
}

static void print_audits(const json_t *audits)
{
    size_t i;
    json_t *audit;
    printf("%-16s %-8s %-16s %9s %9s  %-15s %s\n", "", "pair", "bound", "claim", "found", "verdict",
           "attack");
    json_array_foreach (audits, i, audit) {
        const char *unit = json_string_value(json_object_get(audit, "found_at_least_in"));
        char pair[32];
        snprintf(pair, sizeof pair, "%d->%d", (int)netdp_i_json_field(audit, "from"),
                 (int)netdp_i_json_field(audit, "to"));
        printf("%-16s %-8s %-16s %9.4g %9.4g  %-15s %s\n",
               json_string_value(json_object_get(audit, "name")), pair,
               json_string_value(json_object_get(audit, "bound")),
               netdp_i_json_field(json_object_get(audit, "claim"), unit),
               netdp_i_json_field(json_object_get(audit, "evidence"), unit),
               json_string_value(json_object_get(audit, "verdict")),
               json_string_value(json_object_get(audit, "attack")));
        const json_t *enough = json_object_get(audit, "enough_runs");
        if (json_is_integer(enough))
            printf("%-16s about %lld runs would do\n", "", (long long)json_integer_value(enough));
        if (json_is_false(json_object_get(audit, "sound")))
            printf("%-16s the bound is not an upper bound, and is labelled so\n", "");
    }
}

static void print_estimates(const json_t *estimates)
{
    size_t i;
    json_t *one;
    if (json_array_size(estimates) == 0)
        return;
    printf("\nerror of an estimate of the value, in units of Delta\n%8s %8s %12s %12s\n",
           "distance", "node", "with dither", "without");
    json_array_foreach (estimates, i, one)
        printf("%8d %8d %12.5g %12.5g\n", (int)netdp_i_json_field(one, "distance"),
               (int)netdp_i_json_field(one, "from"), netdp_i_json_field(one, "rmse"),
               netdp_i_json_field(one, "rmse_without_dither"));
}

/* Whom an observer that knows nobody's value finds out. */
static void print_everybody(const json_t *everybody)
{
    size_t i;
    json_t *one;
    if (json_array_size(everybody) == 0)
        return;
    printf("\neverybody's value at once, nobody's known: found within 0.05 Delta\n%-24s %8s %8s "
           "%12s %14s\n",
           "", "observer", "others", "found", "without noise");
    json_array_foreach ((json_t *)everybody, i, one)
        printf("%-24s %8d %8zu %12d %14d\n", json_string_value(json_object_get(one, "name")),
               (int)netdp_i_json_field(one, "to"), json_array_size(json_object_get(one, "nodes")),
               (int)netdp_i_json_field(one, "told"),
               (int)netdp_i_json_field(one, "told_without_noise"));
}

/* Means over everybody but the observer. */
static double mean_of(const json_t *nodes, const char *part, const char *key)
{
    size_t i;
    json_t *node;
    double sum = 0;
    json_array_foreach ((json_t *)nodes, i, node)
        sum += netdp_i_json_field(json_object_get(node, part), key);
    return sum / (double)json_array_size(nodes);
}

/* Who tells whether a record was in: before the noise, and after. */
static void print_members(const json_t *membership)
{
    static const struct {
        const char *key, *what;
    } part[] = {{"allowed", "allowed by the claim"},
                {"known", "all others' records known"},
                {"unknown", "nobody's known"},
                {"known_without_noise", "all known, without noise"},
                {"unknown_without_noise", "nobody's, without noise"}};
    size_t i;
    json_t *one;
    if (json_array_size(membership) == 0)
        return;
    printf(
        "\nwas a record in? mean over everybody; a guess: 0.5, 0.1 and 0.01\n%-54s %9s %9s %9s\n",
        "", "area", "at 0.1", "at 0.01");
    json_array_foreach ((json_t *)membership, i, one)
        for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
            const json_t *nodes = json_object_get(one, "nodes");
            printf("%-26.26s %-27s %9.4f %9.4f %9.4f%s%s\n",
                   k == 0 ? json_string_value(json_object_get(one, "name")) : "", part[k].what,
                   mean_of(nodes, part[k].key, "area"), mean_of(nodes, part[k].key, "at_0.1"),
                   mean_of(nodes, part[k].key, "at_0.01"), k == 0 ? "  " : "",
                   k == 0 ? json_string_value(json_object_get(one, "verdict")) : "");
        }
}

static netdp_status print_result(const char *folder, const audit_options *o, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM + 16];
    json_error_t why;
    snprintf(path, sizeof path, "%s/audit.json", folder);
    json_t *result = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    REFUSE(result == NULL, "%s:%d: %s; remove the folder and audit again", path, why.line,
           why.text);
    const json_t *audits = json_object_get(result, "audits");
    draw(result, folder);
    if (o->study.json)
        return netdp_i_cli_print_json(result, error);
    printf("%s\n%lld runs of each world, confidence %g\n",
           json_string_value(json_object_get(result, "title")), (long long)o->audit.runs,
           o->audit.confidence);
    print_audits(audits);
    print_estimates(json_object_get(result, "reconstruction"));
    print_everybody(json_object_get(result, "everybody"));
    print_members(json_object_get(result, "membership"));
    printf("\nclaim and found: mu of Gaussian privacy; of walks, and of tokens without a mu, "
           "epsilon at the study's\ndelta. An attack that finds less than the claim proves "
           "nothing; one that finds more refutes it at the\nconfidence.\nresults: %s\n",
           folder);
    json_decref(result);
    return NETDP_OK;
}

/* ---- The commands ---- */

static netdp_status test_self(const audit_options *o, netdp_error *error)
{
    const int32_t count = netdp_audit_self_tests();
    int32_t failed = 0;
    OWNED netdp_self_test *lines = NETDP_I_NEW(netdp_self_test, count);
    NEED(lines);
    WATCHED(true, netdp_audit_self_test(o->seed, &progress, lines, error));
    OWNED_BY(json_decref) json_t *list = json_array();
    if (!o->study.json)
        printf("%-36s %9s %9s\n", "", "claim", "found");
    for (int32_t i = 0; i < count; i++) {
        const netdp_self_test *line = &lines[i];
        failed += !line->passed;
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:b}", "name", line->name, "claim",
                                              line->claim, "found", line->found, "passed",
                                              (int)line->passed));
        if (!o->study.json)
            printf("%-36s %9.4g %9.4g  %s\n", line->name, line->claim, line->found,
                   line->passed ? "passed" : "FAILED");
    }
    if (o->study.json)
        TRY(netdp_i_cli_print_json(json_pack("{s:s, s:i, s:O}", "netdp", netdp_version(), "failed",
                                             (int)failed, "lines", list),
                                   error));
    if (failed > 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "%d of %d lines of the self-test failed",
                            (int)failed, (int)count);
    return NETDP_OK;
}

static netdp_status audit_study(const char *file, const audit_options *o, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    REFUSE(strlen(file) + 64 > NETDP_I_PATH_ROOM ||
               (o->study.folder != NULL && strlen(o->study.folder) + 64 > NETDP_I_PATH_ROOM),
           "the path is too long");
    REFUSE(strcmp(file, "-") == 0 && o->study.folder == NULL,
           "-: a study of standard input has no name; give its folder with -o DIR");
    netdp_i_cli_results(file, "-audit", folder);
    if (o->study.folder != NULL)
        snprintf(folder, sizeof folder, "%s", o->study.folder);
    TRY(netdp_study_read(file, o->study.set.text, o->study.set.count, &study, error));
    netdp_i_cli_begin_anew(&o->study, study, folder);
    WATCHED(true, netdp_study_audit(study, &o->audit, folder, o->study.data, &progress, error));
    return print_result(folder, o, error);
}

/* What is about studies and the self-test does not apply. */
static netdp_status audit_mechanism(const char *file, const netdp_i_arguments *arguments,
                                    const audit_options *o, netdp_error *error)
{
    static const char *const foreign[] = {"from",       "to",        "bound", "reconstruct",
                                          "membership", "self-test", "seed",  "force",
                                          "set",        "data",      "output"};
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
        REFUSE(netdp_i_cli_given(arguments, foreign[k]),
               "--%s: does not apply to --mechanism; leave it out", foreign[k]);
    REFUSE(file != NULL,
           "--mechanism: is audited instead of a study; leave out the study, or quote the command");
    REFUSE(o->mechanism == NULL,
           "--claim: goes with --mechanism CMD; of a study the claim is its own");
    REFUSE(o->claim == NULL,
           "no claim: say what the mechanism guarantees, with --claim gdp:MU or dp:EPSILON,DELTA");
    return netdp_i_cli_audit_mechanism(
        &(netdp_i_mechanism_options){o->mechanism, o->claim, o->audit.runs, o->audit.confidence,
                                     o->study.json},
        error);
}

static void audit_options_clear(audit_options *o)
{
    netdp_i_study_options_clear(&o->study);
}

/* A mechanism, the auditor itself, or a study. */
static netdp_status audit(const audit_options *o, const netdp_i_arguments *arguments,
                          netdp_error *error)
{
    const char *file = arguments->count > 0 ? arguments->text[0] : NULL;
    if (o->mechanism != NULL || o->claim != NULL)
        return audit_mechanism(file, arguments, o, error);
    REFUSE(o->self_test && file != NULL, "--self-test: is about the auditor; leave out the study");
    REFUSE(!o->self_test && file == NULL,
           "no study: give STUDY.yaml, --mechanism CMD, or --self-test");
    return o->self_test ? test_self(o, error) : audit_study(file, o, error);
}

netdp_status netdp_i_command_audit(int argc, const char **argv, netdp_error *error)
{
    CLEARED(audit_options_clear)
    audit_options o = {.audit = {.runs = 10000, .confidence = 0.999}, .seed = 1};
    const netdp_i_option table[] = {
        OPTION(COUNT, "runs", &o.audit.runs, "N", "runs of each of the two worlds", "10000"),
        OPTION(NUMBER, "confidence", &o.audit.confidence, "C", "that nothing is refuted that holds",
               "0.999"),
        OPTION(TEXT, "from", &o.audit.from, "U", "the victim", "of the worst pair"),
        OPTION(TEXT, "to", &o.audit.to, "V", "the observer", "of the worst pair"),
        OPTION(TEXT, "bound", &o.audit.bound, "NAME",
               "attack the claim of this bound instead of the study's guarantee",
               "the guarantee's"),
        SWITCH("reconstruct", &o.audit.reconstruct,
               "averaging by gossip: also estimate values at each distance, with and without the "
               "dither, and everybody's at once, with and without noise"),
        SWITCH("membership", &o.audit.membership,
               "averaging by gossip: also tell whether each node's record was in, all others' "
               "known and nobody's, with and without noise"),
        SWITCH("self-test", &o.self_test,
               "audit null data and mechanisms that are broken on purpose instead of a study"),
        OPTION(SEED, "seed", &o.seed, "N", "of the self-test", "1"),
        OPTION(TEXT, "mechanism", &o.mechanism, "CMD",
               "audit a mechanism that is a command instead of a study: CMD 0 RUNS and CMD 1 RUNS "
               "print what it releases of two neighbouring data sets, a line a run, of one number "
               "or several",
               "none"),
        OPTION(TEXT, "claim", &o.claim, "gdp:MU|dp:EPSILON,DELTA",
               "with --mechanism: what it guarantees", "required"),
        NETDP_I_STUDY_OPTIONS(o.study, "results/NAME-audit for NAME.yaml", "audit.json"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "audit",
        .arguments = "STUDY.yaml",
        .what =
            "Play the observer of a study's threat model against the simulator: what could it "
            "learn, and does that refute the guarantee? STUDY.yaml is - for standard input, with "
            "-o DIR. An audit that was interrupted goes on after the attacks that it finished.",
        .examples =
            "  netdp audit experiments/meters-on-davis.yaml\n"
            "  netdp audit --self-test\n"
            "  netdp audit --mechanism \"python3 mine.py\" --claim dp:1,1e-5 --runs 100000\n",
        .least = 0,
        .most = 1,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return audit(&o, &arguments, error);
}
