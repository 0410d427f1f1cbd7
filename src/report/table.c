/* A result folder as a table: errors, guarantees, who could learn this. */
#include <netdp/study.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/losses/label.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "base/written.h"
#include "plan/promise.h"
#include "protocol/threat.h"
#include "report/noises.h"
#include "run/record.h"
#include "study/key.h"

static void print_epsilon(FILE *out, double epsilon)
{
    fprintf(out, "  %9s", netdp_i_up(epsilon, 4).text);
}

/* The columns of epsilon: neighbours, distance 2, farthest, mean, worst pair. */
static void print_promise(FILE *out, const netdp_i_promise *p)
{
    if (p->classes == 0) { /* the same towards everyone */
        for (int i = 0; i < 5; i++)
            print_epsilon(out, p->is.value);
        return;
    }
    const int32_t shown[3] = {0, p->classes > 1, p->classes - 1};
    for (int i = 0; i < 3; i++) { /* of drawn nodes some distances may not be there */
        const netdp_i_class *class = &p->class[shown[i]];
        if (class->distance > i + 1 && i < 2)
            fprintf(out, "  %9s", "-");
        else
            print_epsilon(out, class->most);
    }
    print_epsilon(out, p->mean);
    print_epsilon(out, p->is.value);
}

static const char *name_of(const json_t *object)
{
    return json_string_value(json_object_get(object, "name"));
}

/* Characters, not bytes: names may be in any language. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* The column of names: as wide as the longest, at least 10. */
static int name_width(const json_t *variants)
{
    size_t i;
    json_t *variant;
    int width = 10;
    json_array_foreach ((json_t *)variants, i, variant)
        if (width_of(name_of(variant)) > width)
            width = width_of(name_of(variant));
    return width;
}

static void print_name(FILE *out, const char *name, int width)
{
    fprintf(out, "%s%*s", name, width - width_of(name), "");
}

/* Has a ridge's model run away? Of a table its objective is about 1/2 before the first step. */
static bool diverged(const json_t *variant)
{
    const json_t *objective = json_object_get(json_object_get(variant, "error"), "objective");
    const double least = netdp_i_json_number(json_object_get(objective, "least"));
    return !(netdp_i_json_number(json_object_get(objective, "mean")) <= 1e4 * (1 + least));
}

static void print_accuracies(FILE *out, const json_t *variants, bool ridge)
{
    size_t i;
    json_t *variant;
    const int width = name_width(variants);
    fputs(ridge
              ? "\ntest error, lower is better: mean squared error of the label (of a table, where "
                "it is standardised,\nno model at all has about 1), of each run's last model\n"
              : "\ntest accuracy, higher is better: part of the rows told right, of each run's "
                "last model\n",
          out);
    fprintf(out, "%-*s  %13s  %14s\n", width, "", ridge ? "squared error" : "accuracy",
            "standard error");
    json_array_foreach (variants, i, variant) {
        const json_t *accuracy = json_object_get(json_object_get(variant, "error"), "accuracy");
        print_name(out, name_of(variant), width);
        fprintf(out, "  %13.6g  %14.3g%s\n", netdp_i_json_number(json_object_get(accuracy, "mean")),
                netdp_i_json_number(json_object_get(accuracy, "standard_error")),
                ridge && diverged(variant) ? "  diverged: lower task.step" : "");
    }
}

static json_t *columns_of(const json_t *variant)
{
    return json_object_get(json_object_get(variant, "error"), "columns");
}

/* A variant's own number for a column, which it may not have. */
static void print_column(FILE *out, const json_t *variant, const char *name, const char *key)
{
    size_t i;
    json_t *column;
    json_array_foreach (columns_of(variant), i, column)
        if (strcmp(name_of(column), name) == 0) {
            fprintf(out, "  %20.6g", netdp_i_json_number(json_object_get(column, key)));
            return;
        }
    fprintf(out, "  %20s", "-");
}

/* Every column's name in the order of its first variant; owned. */
static json_t *list_columns(const json_t *variants)
{
    size_t i, j;
    json_t *variant, *column, *known = json_object();
    json_array_foreach (variants, i, variant)
        json_array_foreach (columns_of(variant), j, column)
            json_object_set_new(known, name_of(column), json_true());
    return known;
}

static void print_errors(FILE *out, const json_t *variants, const char *unit)
{
    size_t i;
    json_t *variant, *known = list_columns(variants), *ignored;
    const char *column;
    const int width = name_width(variants);
    fprintf(out, "\nroot mean squared error of the mean%s%s\n%-*s", unit[0] != '\0' ? ", in " : "",
            unit, width, "");
    json_object_foreach (known, column, ignored)
        fprintf(out, "  %20s", column);
    fprintf(out, "\n%-*s", width, "true mean");
    json_object_foreach (known, column, ignored)
        print_column(out, json_array_get(variants, 0), column, "mean");
    fputc('\n', out);
    json_array_foreach (variants, i, variant) {
        print_name(out, name_of(variant), width);
        json_object_foreach (known, column, ignored)
            print_column(out, variant, column, "rmse");
        fputc('\n', out);
    }
    json_decref(known);
}

/* The largest distance between two nodes of a variant; 0 where all pairs are alike. */
static int32_t farthest_of(const netdp_i_promise *p)
{
    return p->classes == 0 ? 0 : p->class[p->classes - 1].distance;
}

/* What the epsilons of a promise are at, and what was asked for: a target, or the noise. */
static struct aim {
    char text[NETDP_UNIT_ROOM + 80];
} aim_of(const json_t *target, const netdp_i_promise *promise)
{
    struct aim aim;
    char unit[NETDP_UNIT_ROOM];
    netdp_unit_text(promise->is.unit, unit);
    if (json_is_object(target))
        snprintf(aim.text, sizeof aim.text, "epsilon, %s (target %g, over the %s of the pairs)",
                 unit, netdp_i_json_number(json_object_get(target, "epsilon")),
                 json_string_value(json_object_get(target, "over")));
    else
        snprintf(aim.text, sizeof aim.text, "epsilon, %s (no target: the noise is given)", unit);
    return aim;
}

static bool same_unit(netdp_unit a, netdp_unit b)
{
    return a.currency == b.currency && a.parameter == b.parameter;
}

/*
 * Variants of other targets than the study's say so, and those of another delta with no target at
 * all: their epsilons stand in the same table.
 */
static void print_targets(FILE *out, const json_t *summary, const json_t *variants,
                          const netdp_i_promise *promise)
{
    size_t i;
    json_t *variant;
    json_array_foreach (variants, i, variant) {
        const json_t *target = json_object_get(variant, "target");
        if (target != NULL && (!json_equal(target, json_object_get(summary, "target")) ||
                               !same_unit(promise[i].is.unit, promise[0].is.unit)))
            fprintf(out, "%s: %s\n", name_of(variant), aim_of(target, &promise[i]).text);
    }
}

/* Whose mean is that of some pairs only: an estimate, or what every node has alike. */
static void print_drawn(FILE *out, const json_t *variants, const netdp_i_promise *promise)
{
    size_t i;
    json_t *variant;
    json_array_foreach ((json_t *)variants, i, variant) {
        const netdp_i_promise *p = &promise[i];
        if (p->alike)
            fprintf(out,
                    "%s: accounted for with %d observers and %d sources of %d; all nodes are "
                    "alike, and so is the mean\n",
                    name_of(variant), (int)p->observers, (int)p->sources, (int)p->nodes);
        if (!p->is.estimate)
            continue;
        fprintf(out, "%s: an estimate from drawn nodes; each pair's own epsilon holds",
                name_of(variant));
        if (!isnan(p->low))
            fprintf(out, ", the mean over all is in %.4g .. %.4g (%g %%)", p->low, p->high,
                    100 * p->confidence);
        fputc('\n', out);
    }
}

/* How often walks took a node's contribution, and what local privacy would make of that. */
static void print_contributions(FILE *out, const json_t *variants)
{
    size_t i;
    json_t *variant;
    json_array_foreach ((json_t *)variants, i, variant) {
        const json_t *made = json_object_get(variant, "contributions");
        const json_t *local = json_object_get(made, "local_at_realised_max");
        const json_t *cap = json_object_get(made, "cap");
        if (made == NULL)
            continue;
        fprintf(out, "%s: a node contributed at most %lld times (", name_of(variant),
                (long long)json_integer_value(json_object_get(made, "realised_max")));
        if (json_is_integer(cap))
            fprintf(out, "cap %lld", (long long)json_integer_value(cap));
        else
            fprintf(out, "no cap");
        fprintf(out, "), %.4g on average;\n    so many are local epsilon %s: %s guarantee (%s)\n",
                netdp_i_json_number(json_object_get(made, "mean")),
                netdp_i_up(netdp_i_json_number(json_object_get(local, "epsilon")), 4).text,
                json_is_true(json_object_get(local, "guarantee")) ? "a" : "not a",
                json_string_value(json_object_get(local, "why")));
    }
}

/* What tokens that sum or count handed out in their first run, over all contributions. */
static void print_released(FILE *out, const json_t *variants)
{
    size_t i, j;
    json_t *variant, *number;
    json_array_foreach ((json_t *)variants, i, variant) {
        json_array_foreach (json_object_get(variant, "released"), j, number)
            fprintf(out, "%s%s: total of %s in the first run: %.6g (%g %% within %.6g .. %.6g)\n",
                    i > 0 && j == 0 ? "\n" : "", name_of(variant),
                    json_string_value(json_object_get(number, "name")),
                    netdp_i_json_number(json_object_get(number, "value")),
                    100 * netdp_i_json_number(json_object_get(number, "level")),
                    netdp_i_json_number(json_object_get(number, "low")),
                    netdp_i_json_number(json_object_get(number, "high")));
    }
}

static void print_guarantees(FILE *out, const json_t *summary, const json_t *variants,
                             const netdp_i_promise *promise)
{
    const json_t *target = json_object_get(summary, "target");
    const size_t count = json_array_size(variants);
    const int distance = count > 2 ? (int)farthest_of(&promise[2]) : 0;
    const int width = name_width(variants);
    size_t i;
    json_t *variant;
    char farthest[32];
    snprintf(farthest, sizeof farthest, "at %d", distance);
    for (i = 3; i < count; i++)
        if (farthest_of(&promise[i]) != distance)
            snprintf(farthest, sizeof farthest, "farthest");
    fprintf(out, "\n%s\n", aim_of(target, &promise[0]).text);
    print_drawn(out, variants, promise);
    fprintf(out, "%-*s  %9s  %9s  %9s  %9s  %9s  %9s  %7s\n", width, "", "neighbour", "at 2",
            farthest, "mean", "worst", "noise", "rounds");
    json_array_foreach (variants, i, variant) {
        print_name(out, name_of(variant), width);
        const netdp_guarantee *is = &promise[i].is;
        print_promise(out, &promise[i]);
        fprintf(out, "  %9s  %7d",
                netdp_i_up(netdp_i_json_number(json_object_get(variant, "noise")), 4).text,
                (int)json_integer_value(json_object_get(variant, "rounds")));
        if (!is->sound)
            fprintf(out, "  no guarantee: %s",
                    is->estimate ? netdp_i_guarantee_word(is) : is->bound);
        fputc('\n', out);
    }
    print_targets(out, summary, variants, promise);
    print_contributions(out, variants);
}

/* What observers see, in words; false where the summary is not ours. */
static bool put_seen(const json_t *threat, char seen[160])
{
    netdp_sees sees = NETDP_SEES_NEIGHBOURS;
    netdp_error ignored;
    const char *word = json_string_value(json_object_get(threat, "sees"));
    if (word == NULL)
        return false;
    if (strcmp(word, NETDP_I_WALK_SEES) == 0)
        snprintf(seen, 160, "each node sees %s", word);
    else if (netdp_sees_parse(word, &sees, &ignored) == NETDP_OK)
        snprintf(seen, 160, "%s", netdp_i_threat_words(sees));
    else
        return false;
    return true;
}

typedef struct pooling_words {
    char text[64];
} pooling_words;

/* Whether nodes may collude. */
static pooling_words pooled_by(const json_t *threat)
{
    const int pool = (int)json_integer_value(json_object_get(threat, "pool"));
    pooling_words words = {" and do not collude"};
    if (pool > 1)
        snprintf(words.text, sizeof words.text, ", and any %d of them may collude", pool);
    return words;
}

/* The threat model in sentences, behind what is said of whom. */
static void print_model(FILE *out, const json_t *threat, const char *seen)
{
    const char *released = json_string_value(json_object_get(threat, "released"));
    const char *own_noise = json_string_value(json_object_get(threat, "own_noise"));
    fprintf(out, "%s.\nNodes follow the protocol%s. ", seen, pooled_by(threat).text);
    fputs(own_noise != NULL && strcmp(own_noise, "counts") == 0
              ? "An observer's own noise hides others from it, too.\n"
              : "An observer knows its own noise.\n",
          out);
    fprintf(out, "The guarantee is about this change: %s. ",
            json_string_value(json_object_get(threat, "adjacency")));
    if (released != NULL && strncmp(released, "nothing ", 8) == 0)
        fprintf(out, "Nothing is released %s.\n", released + 8);
    else
        fprintf(out, "What is released: %s.\n", released);
}

static void print_threat(FILE *out, const json_t *summary, const json_t *variants,
                         const netdp_i_promise *promise)
{
    const json_t *threat = json_object_get(summary, "threat");
    const char *protocol = json_string_value(json_object_get(summary, "protocol"));
    size_t i;
    json_t *variant;
    char seen[160];
    if (protocol == NULL || !put_seen(threat, seen))
        return;
    fprintf(out, "\nWho could learn this? In %s, ", protocol);
    print_model(out, threat, seen);
    fputs("local: any observer of every message. central: everyone trusts the aggregator.\n"
          "Each epsilon is the largest at its distance; ",
          out);
    netdp_i_noises_print(out, summary);
    json_array_foreach (variants, i, variant) {
        const json_t *own = json_object_get(variant, "threat");
        if (own != NULL && !json_equal(own, threat) && put_seen(own, seen)) {
            fprintf(out, "%s: ", name_of(variant));
            print_model(out, own, seen);
        }
        if (promise[i].pairs != NULL)
            fprintf(out, "%s: %s\n", name_of(variant), promise[i].says);
        if (promise[i].leaves) {
            char left[NETDP_I_LEFT_ROOM];
            netdp_i_pairs_left_words(&promise[i].left, left);
            fprintf(out, "%s: %s\n", name_of(variant), left);
        }
    }
}

/* "davis: 32 nodes, 89 edges, metropolis weights" of the study or of a variant. */
static void print_graph(FILE *out, const json_t *owner)
{
    const json_t *graph = json_object_get(owner, "graph");
    fprintf(out, "%s: %d nodes, %d edges, %s weights",
            json_string_value(json_object_get(graph, "origin")),
            (int)json_integer_value(json_object_get(graph, "nodes")),
            (int)json_integer_value(json_object_get(graph, "edges")),
            json_string_value(json_object_get(owner, "mixing")));
}

/* The study's graph, and those of variants that have another. */
static void print_graphs(FILE *out, const json_t *summary, const json_t *variants)
{
    size_t i;
    json_t *variant;
    print_graph(out, summary);
    fprintf(out, "; %d runs of each\n",
            (int)json_integer_value(json_object_get(summary, "repeat")));
    json_array_foreach (variants, i, variant) {
        if (json_object_get(variant, "graph") == NULL ||
            (json_equal(json_object_get(variant, "graph"), json_object_get(summary, "graph")) &&
             json_equal(json_object_get(variant, "mixing"), json_object_get(summary, "mixing"))))
            continue;
        fprintf(out, "%s: ", name_of(variant));
        print_graph(out, variant);
        fputc('\n', out);
    }
}

static void print_notes_of(FILE *out, const json_t *notes, const char *of, long long rows)
{
    static const struct {
        const char *key, *words;
    } known[] = {
        {"self_loops_dropped", "self loops of the graph were dropped"},
        {"repeated_edges_dropped", "lines that repeat an edge were dropped"},
        {"weights_ignored", "weights of edges were ignored; --mixing file uses them"},
        {"nodes_outside_giant_component", "nodes outside the giant component were left out"},
        {"graph_redraws", "draws of the graph were not connected and drawn again"},
        {"constant_columns_dropped", "columns are constant and were dropped"},
        {"rows_unlabelled", "rows have a label that is not listed: they contribute nothing"},
        {"rows_absent", "declared rows are not there: they count, and contribute nothing"},
        {"rows_beyond", "rows beyond the declared number were left out (data.rows)"},
    };
    const char *colon = of[0] != '\0' ? ": " : "";
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const json_int_t count = json_integer_value(json_object_get(notes, known[k].key));
        if (count > 0)
            fprintf(out, "%s%s%lld %s\n", of, colon, (long long)count, known[k].words);
    }
    const json_int_t clipped = json_integer_value(json_object_get(notes, "rows_clipped"));
    if (clipped > 0)
        fprintf(out,
                "%s%s%lld of %lld rows lie outside of what was declared and were clipped to it\n",
                of, colon, (long long)clipped, rows);
}

/* The study's, and those of variants whose graph or data gave others. */
static void print_notes(FILE *out, const json_t *summary, const json_t *variants)
{
    size_t i;
    json_t *variant;
    const json_t *notes = json_object_get(summary, "notes");
    const long long rows =
        json_integer_value(json_object_get(json_object_get(summary, "data"), "rows"));
    print_notes_of(out, notes, "", rows);
    json_array_foreach (variants, i, variant) {
        const json_t *own = json_object_get(variant, "notes");
        if (own != NULL && !json_equal(own, notes))
            print_notes_of(out, own, name_of(variant), rows);
    }
}

/* What nobody may miss, beside JSON too. */
static void print_remarks(FILE *out, const json_t *variants)
{
    size_t i, j;
    json_t *variant, *text;
    json_array_foreach ((json_t *)variants, i, variant)
        json_array_foreach (json_object_get(variant, "remarks"), j, text)
            fprintf(out, "%s: %s\n", name_of(variant), json_string_value(text));
}

/* Of an account alone: one line a variant, in its own unit. */
static void print_accounts(FILE *out, const json_t *variants, const netdp_i_promise *promise)
{
    const int width = name_width(variants);
    size_t i;
    json_t *variant;
    fprintf(out, "\n%-*s  %9s  %9s  %9s  %9s  %9s  %9s  %7s  %s\n", width, "", "neighbour", "at 2",
            "farthest", "mean", "worst", "noise", "rounds", "unit, bound");
    json_array_foreach ((json_t *)variants, i, variant) {
        const netdp_guarantee *is = &promise[i].is;
        char unit[NETDP_UNIT_ROOM];
        netdp_unit_text(is->unit, unit);
        print_name(out, name_of(variant), width);
        print_promise(out, &promise[i]);
        fprintf(out, "  %9s  %7lld  %s, %s%s%s\n",
                netdp_i_up(netdp_i_json_number(json_object_get(variant, "noise")), 4).text,
                (long long)json_integer_value(json_object_get(variant, "rounds")), unit, is->bound,
                is->sound ? "" : ": ", is->sound ? "" : netdp_i_guarantee_word(is));
    }
}

/* Of task claim: the papers' numbers, and what holds. */
static void print_claims(FILE *out, const json_t *variants)
{
    const int width = name_width(variants);
    size_t i;
    json_t *variant;
    fprintf(out, "\n%-*s  %9s  %9s  %-7s  %s\n", width, "", "claim", "holds", "sound",
            "unit, claim");
    json_array_foreach ((json_t *)variants, i, variant) {
        const json_t *holds = json_object_get(variant, "holds");
        print_name(out, name_of(variant), width);
        fprintf(out, "  %9.4g", netdp_i_json_number(json_object_get(variant, "value")));
        if (json_is_object(holds))
            fprintf(out, "  %9.4g", netdp_i_json_number(json_object_get(holds, "at_most")));
        else
            fprintf(out, "  %9s", "?");
        fprintf(out, "  %-7s  %s, %s%s\n", json_string_value(json_object_get(variant, "sound")),
                json_string_value(json_object_get(variant, "unit")),
                json_string_value(json_object_get(variant, "claim")),
                json_is_true(json_object_get(variant, "refuted")) ? ": wrong for these inputs"
                                                                  : "");
    }
}

/* Is it a remark of every variant that has some? */
static bool is_common(const json_t *variants, const json_t *remark)
{
    size_t i, j;
    json_t *variant, *text;
    json_array_foreach ((json_t *)variants, i, variant) {
        const json_t *remarks = json_object_get(variant, "remarks");
        bool found = remarks == NULL;
        json_array_foreach ((json_t *)remarks, j, text)
            found = found || json_equal(text, remark);
        if (!found)
            return false;
    }
    return true;
}

/* What is assumed to be public, and what no guarantee covers: once where it is the same for all. */
static void print_assumed(FILE *out, const json_t *variants)
{
    static const char *const shown[] = {"assumed public:", "not covered:"};
    size_t i, j;
    bool first = true;
    json_t *variant, *remark;
    json_array_foreach ((json_t *)variants, i, variant) {
        const json_t *remarks = json_object_get(variant, "remarks");
        json_array_foreach ((json_t *)remarks, j, remark) {
            const char *text = json_string_value(remark);
            const bool common = is_common(variants, remark);
            for (int k = 0; k < 2 && (first || !common); k++)
                if (strncmp(text, shown[k], strlen(shown[k])) == 0)
                    fprintf(out, "%s%s%s\n", common ? "" : name_of(variant), common ? "" : ": ",
                            text);
        }
        first = first && json_array_size(remarks) == 0;
    }
}

/* A study that ran: errors, then guarantees under their threat model. */
static void print_study(FILE *out, const json_t *summary, const json_t *variants,
                        const netdp_i_promise *promise)
{
    const char *task = json_string_value(json_object_get(summary, "task"));
    print_graphs(out, summary, variants);
    if (task != NULL && netdp_i_task_learns(task))
        print_accuracies(out, variants, strcmp(task, "ridge") == 0);
    else
        print_errors(out, variants,
                     json_string_value(json_object_get(json_object_get(summary, "data"), "unit")));
    print_released(out, variants);
    print_guarantees(out, summary, variants, promise);
    print_threat(out, summary, variants, promise);
    print_assumed(out, variants);
}

/* The variants' promises, as they are recorded; a claim has none. */
static netdp_status read_promises(const json_t *variants, const char *folder,
                                  netdp_i_promise **promise, netdp_error *error)
{
    const size_t count = json_array_size(variants);
    size_t i;
    json_t *variant;
    netdp_i_promise *made = NETDP_I_NEW(netdp_i_promise, (int64_t)count);
    *promise = made;
    NEED(made);
    json_array_foreach ((json_t *)variants, i, variant) {
        json_t *guarantee = json_object_get(variant, "guarantee");
        REFUSE(guarantee != NULL && !netdp_i_promise_read(guarantee, &made[i]),
               "%s/summary.json: variant %s: no guarantee", folder, name_of(variant));
    }
    return NETDP_OK;
}

static void print_result(FILE *out, const char *folder, const json_t *summary,
                         const netdp_i_promise *promise)
{
    const json_t *variants = json_object_get(summary, "variants");
    const char *simulation = json_string_value(json_object_get(summary, "simulation"));
    const char *task = json_string_value(json_object_get(summary, "task"));
    fprintf(out, "%s\n", json_string_value(json_object_get(summary, "title")));
    if (task != NULL && (strcmp(task, "account") == 0 || strcmp(task, "realised") == 0))
        print_accounts(out, variants, promise);
    else if (task != NULL && strcmp(task, "claim") == 0)
        print_claims(out, variants);
    else
        print_study(out, summary, variants, promise);
    if (simulation != NULL)
        fprintf(out, "\n%s; errors, totals and true means are for you alone.\n", simulation);
    fprintf(out, "%sresults: %s\n", simulation != NULL ? "" : "\n", folder);
}

/* Both texts, or neither. */
static netdp_status tell(const char *folder, const json_t *summary, const netdp_i_promise *promise,
                         char **text, char **notes, netdp_error *error)
{
    const json_t *variants = json_object_get(summary, "variants");
    CLEARED(netdp_i_written_clear) netdp_i_written result = {0};
    CLEARED(netdp_i_written_clear) netdp_i_written remarks = {0};
    TRY(netdp_i_written_begin(&result, error));
    print_result(result.out, folder, summary, promise);
    TRY(netdp_i_written_end(&result, error));
    TRY(netdp_i_written_begin(&remarks, error));
    print_remarks(remarks.out, variants);
    print_notes(remarks.out, summary, variants);
    TRY(netdp_i_written_end(&remarks, error));
    if (netdp_i_json_failed())
        return netdp_i_no_memory(error);
    *text = GIVE(result.text);
    *notes = GIVE(remarks.text);
    return NETDP_OK;
}

netdp_status netdp_result_text(const char *folder, char **text, char **notes, netdp_error *error)
{
    json_t *summary = NULL;
    netdp_i_promise *promise = NULL;
    TRY(netdp_i_record_read(folder, true, &summary, error));
    const json_t *variants = json_object_get(summary, "variants");
    netdp_status status = read_promises(variants, folder, &promise, error);
    if (status == NETDP_OK)
        status = tell(folder, summary, promise, text, notes, error);
    for (size_t i = 0; promise != NULL && i < json_array_size(variants); i++)
        netdp_i_promise_clear(&promise[i]);
    netdp_i_free(promise);
    json_decref(summary);
    return status;
}
