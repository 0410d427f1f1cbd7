#include "cli/common/describe.h"
#include "cli/common/hints.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/account.h>
#include <netdp/privacy.h>

#include "account/losses/label.h"
#include "account/losses/pairs.h"
#include "account/losses/summary.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "base/written.h"
#include "cli/common/proofs.h"
#include "cli/common/study_loss.h"

OWNER(netdp_events_free, netdp_events)

/* Above this many pairs none is kept for a list unless --full. */
#define LISTED_PAIRS 10000

/* A table on a terminal shows this many pairs, or classes by distance. */
#define SHOWN_PAIRS 40

typedef struct loss_options {
    netdp_i_description_options description;
    const char *as, *csv, *npy, *events;
    double noise;
    int64_t draws;
    bool json, full, explain;
    netdp_i_proofs proofs;
    char unit[NETDP_UNIT_ROOM]; /* `as`, spelled as everywhere */
} loss_options;

/* What is printed and written: rows go by, and pairs are kept only where they are listed. */
typedef struct answer {
    const netdp_i_description *description;
    const loss_options *options;
    netdp_unit unit;
    netdp_progress progress;
    netdp_losses *losses; /* who, and by which bound; NULL until the first rows come */
    netdp_i_summing summing;
    netdp_summary summary;
    netdp_guarantee guarantee; /* of the worst pair */
    netdp_i_class *classes;    /* [nodes + 1]; NULL: not printed */
    double *value;             /* [to][from]; NULL: not listed */
    int32_t *distance;         /* [to][from]; NULL: not listed */
    netdp_i_output csv, npy;   /* stream NULL: not asked */
    netdp_i_joint *joint;      /* the CSV where all processes of the engine write it, else NULL */
} answer;

static void add_name(json_t *entry, const char *key, const netdp_graph *graph, int32_t node)
{
    const char *name = netdp_graph_name(graph, node);
    if (name != NULL)
        json_object_set_new(entry, key, json_string(name));
}

/* from by from, and to within it: the order of a reader, not of the accountant. */
static json_t *list_pairs(const answer *a)
{
    const netdp_losses *l = a->losses;
    const netdp_graph *graph = a->description->graph;
    json_t *list = json_array();
    for (int32_t i = 0; i < l->from_count; i++)
        for (int32_t v = 0; v < l->to_count; v++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            if (!netdp_losses_counts(l, i, v))
                continue;
            json_t *entry =
                json_pack("{s:i, s:o, s:i, s:o}", "from", (int)l->from[i], "to",
                          netdp_i_describe_observer(l, v), "distance", (int)a->distance[at],
                          "value", netdp_i_json_double(a->value[at]));
            add_name(entry, "from_name", graph, l->from[i]);
            if (l->members == 1)
                add_name(entry, "to_name", graph, l->to[v]);
            json_array_append_new(list, entry);
        }
    return list;
}

static netdp_status print_json(const answer *a, netdp_error *error)
{
    const netdp_i_description *d = a->description;
    const netdp_losses *l = a->losses;
    const netdp_summary *s = &a->summary;
    json_t *object = netdp_i_describe_json(
        d, &a->guarantee,
        a->options->noise >= 0 && !netdp_i_question_flips(&a->options->description.question)
            ? netdp_i_json_double(a->options->noise)
            : json_null(),
        NULL);
    json_object_update_new(
        object,
        json_pack("{s:s, s:o, s:{s:I, s:o, s:o, s:{s:i, s:o}, s:o}}", "unit", a->options->unit,
                  "losses", a->value != NULL ? list_pairs(a) : json_null(), "summary", "pairs",
                  (json_int_t)s->pairs, "mean", netdp_i_json_double(s->mean), "max",
                  netdp_i_json_double(s->max), "worst", "from", (int)s->worst_from, "to",
                  l->members == 1 ? json_integer(s->worst_to) : netdp_i_describe_observer(l, 0),
                  "local", netdp_i_json_double(s->local)));
    if (object != NULL)
        netdp_i_given_json(l->given, l->given_count, object);
    if (object != NULL && a->options->draws > 0)
        json_object_set_new(object, "draws",
                            json_pack("{s:I, s:f}", "count", (json_int_t)a->options->draws,
                                      "confidence", 1 - NETDP_DRAWN_FAILURE));
    return netdp_i_cli_print_json(object, error);
}

static void print_name(const netdp_graph *graph, int32_t node)
{
    const char *name = netdp_graph_name(graph, node);
    char text[128];
    snprintf(text, sizeof text, "%" PRId32, node);
    if (name != NULL && strcmp(name, text) != 0)
        snprintf(text, sizeof text, "%" PRId32 " %s", node, netdp_i_show_text(name).text);
    printf("%-24s ", text);
}

/* A guarantee is never printed below itself; a lower bound is not one. */
static netdp_i_rounded shown(const answer *a, double value, int digits)
{
    netdp_i_rounded nearest;
    if (a->guarantee.direction == NETDP_UPPER)
        return netdp_i_up(value, digits);
    snprintf(nearest.text, sizeof nearest.text, "%.*g", digits, value);
    return nearest;
}

static void print_pairs(const answer *a)
{
    const netdp_losses *l = a->losses;
    printf("%-24s %-24s %8s  %s\n", "from", "to", "distance", a->options->unit);
    for (int32_t i = 0; i < l->from_count; i++)
        for (int32_t v = 0; v < l->to_count; v++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            if (!netdp_losses_counts(l, i, v))
                continue;
            print_name(a->description->graph, l->from[i]);
            if (l->members > 1)
                printf("%-24s ", "the coalition");
            else
                print_name(a->description->graph, l->to[v]);
            printf("%8" PRId32 "  %s\n", a->distance[at], shown(a, a->value[at], 6).text);
        }
}

static void print_distances(const answer *a)
{
    const int32_t n = netdp_graph_nodes(a->description->graph);
    const netdp_i_class *classes = a->classes;
    netdp_i_classes_end(a->classes, n);
    printf("%8s %12s %12s %12s %12s   (%s)\n", "distance", "pairs", "least", "mean", "most",
           a->options->unit);
    for (int32_t d = 0; d <= n; d++)
        if (classes[d].pairs > 0)
            printf("%8" PRId32 " %12" PRId64 " %12s %12s %12s\n", d, classes[d].pairs,
                   shown(a, classes[d].least, 5).text, shown(a, classes[d].mean, 5).text,
                   shown(a, classes[d].most, 5).text);
}

static netdp_status print_table(const answer *a, netdp_error *error)
{
    const netdp_summary *s = &a->summary;
    if (s->pairs <= SHOWN_PAIRS || a->options->full)
        print_pairs(a);
    else
        print_distances(a);
    printf("mean %s, worst %s (from %" PRId32 " to %" PRId32 "), local differential privacy %s\n",
           shown(a, s->mean, 6).text, shown(a, s->max, 6).text, s->worst_from, s->worst_to,
           netdp_i_up(s->local, 6).text);
    TRY(netdp_i_describe_print(a->description, a->options->noise, error));
    if (a->description->request.pool > 1 && a->losses->members > 1)
        for (int32_t i = 0; i < a->losses->members; i++)
            printf("%s%" PRId32 "%s", i == 0 ? "found: " : " ", a->losses->to[i],
                   i + 1 < a->losses->members ? "" : ".\n");
    netdp_i_describe_worst(a->losses, s);
    if (a->options->draws > 0)
        printf("draws: the epsilons above are over all networks that could be drawn, for those who "
               "see the draw but cannot choose it; an upper bound at confidence 1 - %g for all "
               "pairs together, from %" PRId64 " draws.\n",
               NETDP_DRAWN_FAILURE, a->options->draws);
    return netdp_i_describe_verdict(a->losses, error);
}

/* One pair's account as events: what netdp convert events:FILE composes with others. */
static netdp_status write_events(const answer *a, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    netdp_event event = {.mechanism = NETDP_GAUSSIAN, .count = 1};
    REFUSE(a->options->draws > 0, "--events: what --draws gives holds with a confidence only, "
                                  "which a list cannot say; leave one of them out");
    REFUSE(a->summary.pairs != 1 || !a->guarantee.sound,
           "--events: the account of one pair by a sound bound; give --from and --to");
    REFUSE(l->final && a->unit.currency != NETDP_AS_DP,
           "--events: here only an (epsilon, delta) can be composed; use --as dp:DELTA");
    if (a->description->kind->events != NULL) {
        OWNED_BY(netdp_events_free) netdp_events *events = NULL;
        TRY(a->description->kind->events(a->description, &events, error));
        return netdp_events_write(events->event, events->count, a->options->events, error);
    }
    if (l->final) {
        event.mechanism = NETDP_APPROXIMATE;
        event.epsilon = a->summary.max;
        event.delta = a->unit.parameter;
    } else {
        const netdp_unit gdp = {NETDP_AS_GDP, 0};
        double mu = 0;
        TRY(netdp_loss_value(a->summing.largest, a->options->noise, gdp, &mu, error));
        /* Down: less noise than there is. */
        event.noise = mu > 0 ? nextafter(1 / mu, 0) : INFINITY;
        if (l->phases > 0) {
            event.mechanism = NETDP_SUBSAMPLED_GAUSSIAN;
            event.rate = l->rate;
            event.count = l->phases;
        }
    }
    return netdp_events_write(&event, 1, a->options->events, error);
}

/* Are the pairs that count few enough, or all asked for? */
static bool is_listed(const netdp_losses *l, bool full)
{
    const int64_t all = (int64_t)l->from_count * l->to_count;
    int64_t pairs = 0;
    /* A node is at most once its own observer. */
    if (full || all > LISTED_PAIRS + (int64_t)l->from_count)
        return full;
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t i = 0; i < l->from_count; i++)
            pairs += netdp_losses_counts(l, i, v);
    return pairs <= LISTED_PAIRS;
}

static netdp_status begin_answer(answer *a, const netdp_losses *losses, netdp_error *error)
{
    const int64_t pairs = (int64_t)losses->from_count * losses->to_count;
    const bool listed = is_listed(losses, a->options->full), table = !a->options->json;
    TRY(netdp_i_losses_like(losses, &a->losses, error));
    if (table)
        a->classes =
            NETDP_I_NEW(netdp_i_class, (int64_t)netdp_graph_nodes(a->description->graph) + 1);
    if (listed) {
        a->value = NETDP_I_NEW(double, pairs);
        a->distance = NETDP_I_NEW(int32_t, pairs);
    }
    if ((table && a->classes == NULL) || (listed && (a->value == NULL || a->distance == NULL)))
        return netdp_i_no_memory(error);
    if (a->csv.stream != NULL)
        netdp_i_pairs_csv_begin(a->csv.stream, losses, a->unit);
    if (a->npy.stream != NULL)
        netdp_i_npy_begin(a->npy.stream, losses->from_count, losses->to_count);
    return NETDP_OK;
}

/* This process's part of the rows, and before the first of them the header, into the joint file. */
static netdp_status append(const answer *a, const netdp_i_pairs *pairs, netdp_error *error)
{
    const netdp_i_engine *engine = a->description->engine;
    CLEARED(netdp_i_written_clear) netdp_i_written rows = {0};
    int64_t first, end;
    engine->part((int64_t)pairs->batch.count * a->losses->from_count, &first, &end);
    TRY(netdp_i_written_begin(&rows, error));
    if (pairs->batch.first == 0 && netdp_i_cli_speaks())
        netdp_i_pairs_csv_begin(rows.out, a->losses, a->unit);
    netdp_i_pairs_csv(rows.out, pairs, first, end);
    TRY(netdp_i_written_end(&rows, error));
    return engine->append(a->joint, rows.text, rows.bytes, error);
}

/* Rows into the files and, where they are listed, into memory. */
static netdp_status store(const answer *a, const netdp_i_pairs *pairs, netdp_error *error)
{
    const int64_t from = a->losses->from_count, at = pairs->batch.first * from;
    const size_t count = (size_t)(pairs->batch.count * from);
    if (a->value != NULL) {
        memcpy(a->value + at, pairs->value, count * sizeof *a->value);
        memcpy(a->distance + at, pairs->distance, count * sizeof *a->distance);
    }
    if (a->joint != NULL)
        TRY(append(a, pairs, error));
    if (a->csv.stream != NULL) {
        netdp_i_pairs_csv(a->csv.stream, pairs, 0, (int64_t)count);
        TRY(netdp_i_output_check(&a->csv, error));
    }
    if (a->npy.stream != NULL) {
        fwrite(pairs->value, sizeof *pairs->value, count, a->npy.stream);
        TRY(netdp_i_output_check(&a->npy, error));
    }
    return NETDP_OK;
}

static netdp_status take_batch(void *context, const netdp_i_batch *batch, netdp_error *error)
{
    answer *a = context;
    CLEARED(netdp_i_pairs_clear) netdp_i_pairs pairs = {0};
    if (!netdp_i_cli_speaks() && a->joint == NULL)
        return NETDP_OK;
    if (a->losses == NULL)
        TRY(begin_answer(a, batch->losses, error));
    const bool distances =
        a->classes != NULL || a->value != NULL || a->csv.stream != NULL || a->joint != NULL;
    TRY(netdp_i_pairs_new(a->description->graph, batch, distances, a->options->noise, a->unit,
                          &a->progress, &pairs, error));
    TRY(netdp_i_summing_add(&a->summing, batch, pairs.value, error));
    if (a->classes != NULL)
        netdp_i_classes_add(a->classes, &pairs);
    return store(a, &pairs, error);
}

/* The CSV file, joint where there is an engine and the file is one; the others are one process's.
 */
static netdp_status open_csv(answer *a, netdp_error *error)
{
    const netdp_i_engine *engine = a->description->engine;
    const char *path = a->options->csv;
    if (path != NULL && strcmp(path, "-") != 0 && engine != NULL)
        TRY(engine->open(path, &a->joint, error));
    if (path != NULL && a->joint == NULL && netdp_i_cli_speaks())
        return netdp_i_output_open(&a->csv, path, error);
    return NETDP_OK;
}

/* An asked file, or none. */
static netdp_status open_file(netdp_i_output *output, const char *path, netdp_error *error)
{
    return path == NULL ? NETDP_OK : netdp_i_output_open(output, path, error);
}

static netdp_status close_file(netdp_i_output *output, netdp_error *error)
{
    return output->stream == NULL ? NETDP_OK : netdp_i_output_commit(output, error);
}

static void answer_clear(answer *a)
{
    netdp_i_cli_progress_end();
    if (a->joint != NULL)
        a->description->engine->drop(a->joint);
    netdp_i_output_drop(&a->csv);
    netdp_i_output_drop(&a->npy);
    netdp_i_summing_clear(&a->summing);
    netdp_i_free(a->classes);
    netdp_i_free(a->value);
    netdp_i_free(a->distance);
    netdp_losses_free(a->losses);
}

static netdp_status account_and_print(const loss_options *options, netdp_i_description *d,
                                      netdp_unit unit, netdp_error *error)
{
    CLEARED(answer_clear) answer a = {.description = d, .options = options, .unit = unit};
    a.progress = netdp_i_cli_progress_begin(false);
    TRY(open_csv(&a, error));
    if (netdp_i_cli_speaks())
        TRY(open_file(&a.npy, options->npy, error));
    TRY(netdp_i_description_account(d, options->noise, unit, take_batch, &a, &a.progress, error));
    if (netdp_i_cli_speaks())
        TRY(netdp_i_summing_end(&a.summing, a.losses, options->noise, unit, &a.summary, error));
    if (a.joint != NULL)
        TRY(d->engine->commit(&a.joint, error));
    if (!netdp_i_cli_speaks())
        return NETDP_OK;
    netdp_losses_guarantee(a.losses, a.summary.max, unit, &a.guarantee);
    TRY(close_file(&a.csv, error));
    TRY(close_file(&a.npy, error));
    netdp_i_cli_progress_end();
    if (options->events != NULL)
        TRY(write_events(&a, error));
    if (options->proofs.folder != NULL)
        TRY(netdp_i_proofs_write(&options->proofs, d, a.losses, &a.summary, options->noise, unit,
                                 error));
    return options->json ? print_json(&a, error) : print_table(&a, error);
}

/* In what unit, and into which files. */
static netdp_status read_answer(loss_options *o, netdp_unit *unit, netdp_error *error)
{
    if (o->as == NULL)
        o->as = netdp_i_question_unit(&o->description.question);
    TRY(netdp_i_within(error, netdp_unit_parse(o->as, unit, error), "--as"));
    netdp_unit_text(*unit, o->unit);
    REFUSE(o->json && o->csv != NULL && strcmp(o->csv, "-") == 0,
           "--csv: - would mix with the JSON on standard output; name a file");
    REFUSE(o->csv != NULL && o->npy != NULL && strcmp(o->csv, o->npy) == 0,
           "--csv and --npy: both are to be %s; name two files", netdp_i_show_text(o->csv).text);
    return NETDP_OK;
}

static netdp_status answer_question(loss_options *o, const netdp_i_arguments *arguments,
                                    netdp_error *error)
{
    CLEARED(netdp_i_description_clear) netdp_i_description description = {0};
    netdp_unit unit;
    if (strcmp(o->description.question.bound, "list") == 0) {
        netdp_i_describe_bounds();
        return NETDP_OK;
    }
    TRY(read_answer(o, &unit, error));
    TRY(netdp_i_describe(&o->description, arguments, &description, error));
    TRY(netdp_i_question_noise(&o->description.question,
                               netdp_i_cli_given(arguments, "noise") ? &o->noise : NULL, unit,
                               &o->noise, error));
    if (netdp_i_cli_given(arguments, "draws"))
        TRY(netdp_i_description_draw(&description, o->draws, error));
    TRY(netdp_i_description_named(&description,
                                  o->explain                 ? "--explain"
                                  : o->events != NULL        ? "--events"
                                  : o->proofs.folder != NULL ? "--proof"
                                                             : NULL,
                                  error));
    TRY(netdp_i_proofs_read(&o->proofs, &description, error));
    TRY(netdp_i_description_rounds(&description, o->noise, error));
    if (o->explain)
        return netdp_i_explain(&description, o->noise, unit, o->json, error);
    TRY(netdp_i_confirm(&description, error));
    return account_and_print(o, &description, unit, error);
}

/* Is it called like a study? Else it may be a family, a graph's file, or half of an option. */
static bool is_study(const char *text)
{
    const char *dot = strrchr(text, '.');
    return strcmp(text, "-") == 0 ||
           (dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0));
}

static const netdp_i_usage page = {
    .command = "loss",
    .arguments = "[STUDY.yaml [VARIANT]]",
    .what = "How much does node v learn about node u? The privacy loss of every asked pair; of a "
            "study, without running it, its variants or one of them.",
    .most = 2,
    .examples = "  netdp loss --family \"ring 60\" --rounds 68 --from 15 --to 0 --dither 1e-4\n"
                "  netdp loss --family davis --rounds 20 --noise 2 --as dp:1e-6\n"
                "  netdp loss --family \"star 30\" --mixing hamilton --protocol walk --rounds 300 "
                "--noise 6\n"
                "  netdp loss experiments/meters-on-davis.yaml\n",
};

netdp_status netdp_i_command_loss(int argc, const char **argv, netdp_error *error)
{
    loss_options o = {.description = netdp_i_description_usual(), .noise = NAN};
    CLEARED(netdp_i_study_options_clear) netdp_i_study_options study = {0};
    const netdp_i_option table[] = {
        NETDP_I_DESCRIPTION_OPTIONS(o.description),
        HEADING("The answer:"),
        OPTION(NUMBER, "noise", &o.noise, "SIGMA",
               "standard deviation of the noise in units of the sensitivity Delta",
               "required; 1 with --as loss"),
        OPTION(TEXT, "as", &o.as, "loss|gdp|rdp:ALPHA|dp:DELTA",
               "privacy measure: mu^2 sigma^2, mu, Renyi epsilon, epsilon at DELTA",
               "loss; random walks: rdp:2; not Gaussian: dp:1e-6"),
        NETDP_I_ONLY_FOR(NETDP_SETTING_VIEW),
        OPTION(COUNT, "draws", &o.draws, "N",
               "changing networks, rdp and dp: over all networks that could be drawn, an upper "
               "bound with confidence from N draws",
               "the one draw"),
        NETDP_I_ONLY_FOR(0),
        SWITCH("json", &o.json, "one JSON object"),
        OPTION(TEXT, "csv", &o.csv, "FILE",
               "also every pair as CSV, observer by observer; -: standard output", "none"),
        NETDP_I_ONLY_FOR(NETDP_SETTING_VIEW | NETDP_SETTING_TOKEN),
        OPTION(TEXT, "proof", &o.proofs.folder, "DIR",
               "also proof files, which netdp-verify checks without netdp", "none"),
        OPTION(TEXT, "proof-pairs", &o.proofs.which, "worst|all|K:SEED",
               "of which pairs: the worst, all, or the worst and K that SEED draws", "worst"),
        NETDP_I_ONLY_FOR(0),
        OPTION(TEXT, "npy", &o.npy, "FILE",
               "also float64 [from][to], inf on the diagonal, as NumPy reads it", "none"),
        OPTION(TEXT, "events", &o.events, "FILE",
               "also the account of the one pair as a JSON list, to be composed by netdp convert",
               "none"),
        SWITCH("explain", &o.explain,
               "only say how the account would be made, and its work and memory (gossip)"),
        SWITCH("full", &o.full, "list every pair, however many"),
        HEADING("Of STUDY.yaml:"),
        OPTION(LIST, "set", &study.set, "KEY=VALUE", "override a key; may be repeated", "none"),
        OPTION(TEXT, "data", &study.data, "DIR", "where the data sets are", "none"),
        NETDP_I_QUICK_OPTION(study),
        {0},
    };
    const netdp_i_narrowing narrowing = netdp_i_describe_narrowing(&o.description);
    netdp_i_usage usage = page;
    usage.options = table;
    usage.narrowing = &narrowing;
    NETDP_I_ARGUMENTS(arguments, &usage);
    study.json = o.json;
    if (arguments.count == 0)
        return answer_question(&o, &arguments, error);
    return is_study(arguments.text[0])
               ? netdp_i_cli_loss_study(&study, &arguments, error)
               : netdp_i_hint_stray(&usage, &arguments, arguments.text[0], error);
}
