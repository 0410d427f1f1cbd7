/* The points of a figure: mean, least and largest of what its kind is about. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/graph.h>
#include <netdp/mixing.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/try.h"
#include "report/course.h"
#include "report/figure.h"

enum { BINS = 24, QUANTILES = 20 };

/*
 * The curve that a variant belongs to and its place on it: of a sweep both are in the summary, a
 * variant called "ring at 64" says them itself; "ring at home" is a name.
 */
static void place(const json_t *variant, char curve[NETDP_I_LABEL_ROOM], double *x)
{
    const char *swept = json_string_value(json_object_get(variant, "curve"));
    const char *value = json_string_value(json_object_get(variant, "at"));
    const char *name = netdp_i_figure_name(variant), *at = strstr(name, " at ");
    snprintf(curve, NETDP_I_LABEL_ROOM, "%s", swept != NULL ? swept : name);
    if (swept == NULL && at != NULL && netdp_i_read_number(at + 4, x))
        curve[at - name] = '\0';
    else if (value == NULL || !netdp_i_read_number(value, x))
        *x = NAN;
}

/* Mean, least and largest of a variant's own number, and how many it is of. */
static netdp_status measure_variant(const netdp_i_figure *f, const json_t *variant,
                                    const char *measure, double point[3], int64_t *of,
                                    netdp_error *error)
{
    const json_t *errors = json_object_get(variant, "error");
    const json_t *number = NULL;
    *of = f->study->output.repeat;
    point[1] = point[2] = NAN;
    if (strncmp(measure, "loss", 4) == 0) {
        const json_t *rounds = json_object_get(variant, "rounds");
        const double share = strcmp(measure, "loss") == 0 ? 1 : 1 / json_number_value(rounds);
        size_t i;
        json_t *class;
        double pairs = 0;
        point[0] = netdp_i_json_number(json_object_get(netdp_i_figure_guarantee(variant), "mean"));
        json_array_foreach (json_object_get(netdp_i_figure_guarantee(variant), "by_distance"), i,
                            class) {
            point[1] = fmin(point[1], netdp_i_json_number(json_object_get(class, "min")));
            point[2] = fmax(point[2], netdp_i_json_number(json_object_get(class, "max")));
            pairs += (double)json_integer_value(json_object_get(class, "pairs"));
        }
        for (int k = 0; k < 3; k++)
            point[k] *= share;
        *of = (int64_t)pairs;
        return NETDP_OK;
    }
    if (strcmp(measure, "noise") == 0)
        number = json_object_get(variant, "noise");
    else if (strcmp(measure, "predicted") == 0)
        number = json_object_get(errors != NULL ? json_object_get(errors, "objective") : variant,
                                 "predicted");
    if (json_is_number(number) || json_is_string(number)) {
        point[0] = netdp_i_json_number(number);
        *of = 1;
        return NETDP_OK;
    }
    const json_t *told = json_object_get(errors, measure);
    const json_t *spread = json_object_get(told, "standard_error");
    REFUSE(told == NULL, "%s: figure.y: variant %s has no %s; give another measure", f->study->path,
           netdp_i_figure_name(variant), measure);
    point[0] = netdp_i_json_number(json_object_get(told, "mean"));
    if (json_is_number(spread)) {
        point[1] = point[0] - json_number_value(spread);
        point[2] = point[0] + json_number_value(spread);
    }
    return NETDP_OK;
}

/* Loss by distance in hops: what the summary has. */
netdp_status netdp_i_gather_hops(netdp_i_figure *f, netdp_error *error)
{
    size_t i, k;
    json_t *variant, *class;
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant) {
        char name[NETDP_I_LABEL_ROOM];
        double ignored;
        if (netdp_i_figure_own(f, i) < 0)
            continue; /* a baseline tells everyone the same */
        place(variant, name, &ignored);
        netdp_i_curve *curve =
            netdp_i_curves_find(&f->curves, name, "loss", netdp_i_figure_guarantee(variant));
        NEED(curve);
        json_array_foreach (json_object_get(netdp_i_figure_guarantee(variant), "by_distance"), k,
                            class)
            TRY(netdp_i_curve_add(curve,
                                  (double)json_integer_value(json_object_get(class, "distance")),
                                  netdp_i_json_number(json_object_get(class, "mean")),
                                  netdp_i_json_number(json_object_get(class, "min")),
                                  netdp_i_json_number(json_object_get(class, "max")),
                                  json_integer_value(json_object_get(class, "pairs")), error));
    }
    return NETDP_OK;
}

/* x of every pair of a variant: communicability, Katz centrality of the sender, or length. */
static netdp_status find_abscissae(const netdp_i_figure *f, size_t i, const netdp_i_listed *listed,
                                   double *x, netdp_error *error)
{
    const netdp_graph *graph = netdp_i_figure_graph(f, i);
    const int64_t n = netdp_graph_nodes(graph);
    const char *kind = f->study->figure.x;
    const double *px, *py;
    OWNED double *number = NULL;
    if (netdp_i_figure_by_length(f)) {
        REFUSE(!netdp_graph_positions(graph, &px, &py),
               "%s: figure.x: the nodes of %s have no positions; length and quantile are for "
               "the family geometric",
               f->study->path, netdp_graph_origin(graph));
        for (int64_t k = 0; k < listed->count; k++)
            x[k] = hypot(px[listed->from[k]] - px[listed->to[k]],
                         py[listed->from[k]] - py[listed->to[k]]);
        return NETDP_OK;
    }
    const bool katz = strcmp(kind, "katz") == 0;
    number = NETDP_I_NEW(double, katz ? n : n *n);
    NEED(number);
    TRY(katz ? netdp_katz_centrality(graph, 0, number, error)
             : netdp_graph_communicability(graph, number, error));
    for (int64_t k = 0; k < listed->count; k++)
        x[k] = katz ? number[listed->from[k]] : number[listed->from[k] * n + listed->to[k]];
    return NETDP_OK;
}

/* The middle of the bin, of BINS equal ones from 0 to the largest x. */
static double bin(double x, double largest)
{
    const double width = largest / BINS;
    return width > 0 ? (fmin(floor(x / width), BINS - 1) + 0.5) * width : x;
}

/* Of each x the share of pairs that are below, as the middle of one of QUANTILES equal parts. */
static netdp_status rank(double *x, int64_t count, netdp_error *error)
{
    OWNED double *sorted = NETDP_I_NEW(double, count);
    NEED(sorted);
    memcpy(sorted, x, (size_t)count * sizeof *x);
    qsort(sorted, (size_t)count, sizeof *x, netdp_i_ascending);
    for (int64_t k = 0; k < count; k++) {
        int64_t below = 0, end = count;
        while (below < end) {
            const int64_t middle = below + (end - below) / 2;
            if (sorted[middle] < x[k])
                below = middle + 1;
            else
                end = middle;
        }
        x[k] = ((double)(below * QUANTILES / count) + 0.5) / QUANTILES;
    }
    return NETDP_OK;
}

/* Pairs against x: each by itself, or pooled: in bins of length, or over a sender's observers. */
netdp_status netdp_i_gather_pairs(netdp_i_figure *f, netdp_error *error)
{
    size_t i;
    json_t *variant;
    const bool length = strcmp(f->study->figure.x, "length") == 0;
    const bool quantile = strcmp(f->study->figure.x, "quantile") == 0;
    const bool pooled = length || quantile || strcmp(f->study->figure.x, "katz") == 0;
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant) {
        CLEARED(netdp_i_listed_clear) netdp_i_listed listed = {0};
        double largest = 0, ignored;
        char name[NETDP_I_LABEL_ROOM];
        if (netdp_i_figure_own(f, i) < 0)
            continue;
        place(variant, name, &ignored);
        netdp_i_curve *curve =
            netdp_i_curves_find(&f->curves, name, "loss", netdp_i_figure_guarantee(variant));
        NEED(curve);
        TRY(netdp_i_figure_list(f, i, variant, &listed, error));
        OWNED double *x = NETDP_I_NEW(double, listed.count);
        NEED(x);
        TRY(find_abscissae(f, i, &listed, x, error));
        if (quantile)
            TRY(rank(x, listed.count, error));
        for (int64_t k = 0; k < listed.count; k++)
            largest = fmax(largest, x[k]);
        for (int64_t k = 0; k < listed.count; k++) {
            const double y = listed.value[k], spread = pooled ? y : NAN;
            TRY(netdp_i_curve_add(curve, length ? bin(x[k], largest) : x[k], y, spread, spread, 1,
                                  error));
        }
        if (pooled)
            netdp_i_curve_pool(curve);
    }
    return NETDP_OK;
}

/* The ends of the bins, of equal width on the axis, from the least of all losses to the largest. */
static void bins_of(const netdp_i_curves *curves, bool log_x, double end[BINS + 1])
{
    double least = INFINITY, most = -INFINITY;
    for (int32_t c = 0; c < curves->count; c++)
        for (int64_t k = 0; k < curves->curve[c].count; k++) {
            const double x = curves->curve[c].x[k];
            if (!isfinite(x) || (log_x && !(x > 0)))
                continue;
            least = fmin(least, x);
            most = fmax(most, x);
        }
    if (!(least < most)) { /* all alike, or none */
        least = isfinite(least) ? least : 1;
        most = log_x ? 2 * least : least + 1;
    }
    for (int b = 0; b <= BINS; b++)
        end[b] =
            log_x ? least * pow(most / least, (double)b / BINS) : least + (most - least) * b / BINS;
    end[BINS] = most;
}

/* Are all losses of the curve one number? Then that is its only point, and no bins. */
static bool is_alike(netdp_i_curve *curve)
{
    for (int64_t k = 1; k < curve->count; k++)
        if (curve->x[k] < curve->x[0] || curve->x[k] > curve->x[0] || isnan(curve->x[k]))
            return false;
    if (curve->count == 0)
        return false;
    curve->y[0] = 1;
    curve->of[0] = curve->count;
    curve->count = 1;
    return true;
}

/* The share of all the curve's losses in each bin, at where it begins, and 0 where the last one ends. */
static void count_bins(netdp_i_curve *curve, const double end[BINS + 1])
{
    int64_t count[BINS] = {0}, all = 0;
    for (int64_t k = 0; k < curve->count; k++) {
        int b = 0;
        if (isnan(curve->x[k]))
            continue;
        all++;
        if (curve->x[k] < end[0] || curve->x[k] > end[BINS])
            continue;
        while (b + 1 < BINS && curve->x[k] >= end[b + 1])
            b++;
        count[b]++;
    }
    for (int b = 0; b <= BINS; b++) {
        curve->x[b] = end[b];
        curve->of[b] = b < BINS ? count[b] : 0;
        curve->y[b] = all > 0 ? (double)curve->of[b] / (double)all : 0;
        curve->low[b] = curve->high[b] = NAN;
    }
    curve->count = BINS + 1;
}

/* What no bin holds is said by name. */
static void name_outside(char name[NETDP_I_LABEL_ROOM], const netdp_i_listed *listed, bool log_x)
{
    long long infinite = 0, zero = 0;
    for (int64_t k = 0; k < listed->count; k++) {
        infinite += isinf(listed->value[k]) != 0;
        zero += log_x && !(listed->value[k] > 0);
    }
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(name);
        const long long count = i == 0 ? infinite : zero;
        if (count > 0)
            snprintf(name + length, NETDP_I_LABEL_ROOM - length, " (%lld %s)", count,
                     i == 0 ? "infinite" : "zero");
    }
}

/* How the losses of all pairs of a variant are distributed. */
netdp_status netdp_i_gather_histogram(netdp_i_figure *f, netdp_error *error)
{
    size_t i;
    json_t *variant;
    double end[BINS + 1];
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant) {
        CLEARED(netdp_i_listed_clear) netdp_i_listed listed = {0};
        char name[NETDP_I_LABEL_ROOM];
        double ignored;
        if (netdp_i_figure_own(f, i) < 0)
            continue;
        place(variant, name, &ignored);
        TRY(netdp_i_figure_list(f, i, variant, &listed, error));
        name_outside(name, &listed, netdp_i_figure_is_log(f, 'x'));
        netdp_i_curve *curve =
            netdp_i_curves_find(&f->curves, name, "loss", netdp_i_figure_guarantee(variant));
        NEED(curve);
        for (int64_t k = 0; k < listed.count; k++)
            TRY(netdp_i_curve_add(curve, listed.value[k], 0, NAN, NAN, 1, error));
    }
    bins_of(&f->curves, netdp_i_figure_is_log(f, 'x'), end);
    for (int32_t c = 0; c < f->curves.count; c++) {
        netdp_i_curve *curve = &f->curves.curve[c];
        if (is_alike(curve))
            continue;
        while (curve->count <= BINS) /* room for the bins */
            TRY(netdp_i_curve_add(curve, NAN, 0, NAN, NAN, 0, error));
        count_bins(curve, end);
    }
    return NETDP_OK;
}

netdp_status netdp_i_gather_distance(netdp_i_figure *f, netdp_error *error)
{
    if (netdp_i_figure_by_length(f))
        return netdp_i_gather_pairs(f, error);
    TRY(netdp_i_gather_hops(f, error));
    for (int32_t i = 0; i < f->curves.count; i++)
        netdp_i_curve_pool(&f->curves.curve[i]);
    return NETDP_OK;
}

/* Does every message count as seen because there is no proof, or none in minutes? */
static bool is_closed(const json_t *guarantee)
{
    const char *bound = json_string_value(json_object_get(guarantee, "bound"));
    return bound != NULL && strcmp(bound, "everything") == 0 &&
           json_is_string(json_object_get(guarantee, "reason"));
}

/* Such points are no part of a curve that another bound makes: they stand beside it, by name. */
static void name_closed(char name[NETDP_I_LABEL_ROOM])
{
    const size_t length = strlen(name);
    snprintf(name + length, NETDP_I_LABEL_ROOM - length, "%s", " (closed: all counts as seen)");
}

/* What a paper prints of a variant, beside it: "gossip (printed)" of "gossip (published)". */
static netdp_status add_printed(netdp_i_figure *f, size_t i, const char *name, const char *measure,
                                netdp_error *error)
{
    const double value = netdp_i_figure_study(f, i)->figure.printed;
    char called[NETDP_I_LABEL_ROOM];
    const char *bracket = strstr(name, " (");
    if (!(value > 0) || netdp_i_figure_own(f, i) < 0)
        return NETDP_OK;
    snprintf(called, sizeof called, "%.*s (printed)",
             (int)(bracket != NULL ? bracket - name : (ptrdiff_t)strlen(name)), name);
    netdp_i_curve *curve = netdp_i_curves_find(&f->curves, called, measure, NULL);
    NEED(curve);
    REFUSE(curve->count > 0,
           "%s: figure.printed: '%s' has two numbers; give one, or names of their own",
           f->study->path, called);
    curve->printed = true;
    return netdp_i_curve_add(curve, 0, value, NAN, NAN, 1, error);
}

/* Each variant is a point: at its swept value, or at its number of nodes; of dots, by itself. */
netdp_status netdp_i_gather_variants(netdp_i_figure *f, netdp_error *error)
{
    size_t i;
    json_t *variant;
    const bool dots = strcmp(f->study->figure.kind, "dots") == 0;
    const bool nodes = f->study->figure.x != NULL && strcmp(f->study->figure.x, "nodes") == 0;
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant)
        for (int32_t m = 0; m < f->measures; m++) {
            char name[NETDP_I_LABEL_ROOM];
            double x = NAN, point[3] = {NAN, NAN, NAN};
            int64_t of = 0;
            const bool loss = strcmp(f->measure[m], "loss") == 0;
            const bool closed = !dots && is_closed(netdp_i_figure_guarantee(variant));
            place(variant, name, &x);
            if (closed)
                name_closed(name);
            if (netdp_i_figure_own(f, i) < 0 &&
                (!dots || netdp_i_figure_hides(f, netdp_i_figure_name(variant))))
                continue; /* a baseline has no place on a sweep */
            if (nodes)
                x = (double)json_integer_value(
                    json_object_get(json_object_get(variant, "graph"), "nodes"));
            TRY(measure_variant(f, variant, f->measure[m], point, &of, error));
            REFUSE(isnan(x) && !dots,
                   "%s: variant %s has no number on the axis; give figure.x: "
                   "nodes, a sweep, or names such as 'ring at 64'",
                   f->study->path, netdp_i_figure_name(variant));
            netdp_i_curve *curve = netdp_i_curves_find(
                &f->curves, name, f->measure[m],
                loss || strcmp(f->measure[m], "noise") == 0 || netdp_i_figure_own(f, i) >= 0
                    ? netdp_i_figure_guarantee(variant)
                    : NULL);
            NEED(curve);
            curve->closed = closed;
            TRY(netdp_i_curve_add(curve, dots ? 0 : x, point[0], point[1], point[2], of, error));
            if (dots)
                TRY(add_printed(f, i, name, f->measure[m], error));
        }
    for (int32_t i2 = 0; i2 < f->curves.count; i2++)
        netdp_i_curve_pool(&f->curves.curve[i2]);
    return NETDP_OK;
}

static const json_t *variant_named(const netdp_i_figure *f, const char *name)
{
    size_t i;
    json_t *variant;
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant)
        if (strcmp(netdp_i_figure_name(variant), name) == 0)
            return variant;
    return NULL;
}

/* Does the sweep draw graph or data again, rather than change what is asked? */
static bool sweeps_draws(const netdp_i_figure *f)
{
    const char *key = f->study->sweep.key, *dot = key != NULL ? strchr(key, '.') : NULL;
    return dot != NULL && strcmp(dot, ".draw") == 0;
}

static bool is_central(const json_t *told)
{
    return strcmp(json_string_value(json_object_get(told, "variant")), "central") == 0;
}

/* Steps that the others trace: from the least to the most; false: there are none. */
static bool others_span(const json_t *course, double span[2])
{
    size_t i;
    json_t *told;
    span[0] = INFINITY;
    span[1] = -INFINITY;
    json_array_foreach ((json_t *)course, i, told) {
        const json_t *step = json_object_get(told, "step");
        const size_t count = json_array_size(step);
        if (count == 0 || is_central(told))
            continue;
        span[0] = fmin(span[0], json_number_value(json_array_get(step, 0)));
        span[1] = fmax(span[1], json_number_value(json_array_get(step, count - 1)));
    }
    return span[0] <= span[1];
}

/*
 * The aggregator's steps are of all data at once, and few: among rounds or a token's steps they have no place. What it
 * ends with is drawn as a level, from the others' first step to their last.
 */
static netdp_status add_level(netdp_i_curve *curve, const double span[2], const double y[3],
                              int64_t runs, netdp_error *error)
{
    for (int k = 0; k < 2 && (k == 0 || span[1] > span[0]); k++)
        TRY(netdp_i_curve_add(curve, span[k], y[0], y[1], y[2], runs, error));
    return NETDP_OK;
}

/* The course of the runs: mean and standard error at every traced step; over draws, mean and range
 * of the draws' means. */
netdp_status netdp_i_gather_trace(netdp_i_figure *f, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(json_decref) json_t *course = NULL;
    json_t *told;
    size_t i;
    snprintf(path, sizeof path, "%s/trace.csv", f->folder);
    const bool draws = sweeps_draws(f);
    TRY(netdp_i_course_json(path, &course, error));
    double span[2] = {0, 0};
    const bool levels = others_span(course, span);
    json_array_foreach (course, i, told)
        for (int32_t m = 0; m < f->measures; m++) {
            const char *name = json_string_value(json_object_get(told, "variant"));
            const bool consensus = strcmp(f->measure[m], "consensus") == 0;
            const json_t *measured =
                json_object_get(told, consensus ? "consensus_error" : f->measure[m]);
            const json_t *mean = json_object_get(measured, "mean");
            const json_t *variant = variant_named(f, name);
            char of[NETDP_I_LABEL_ROOM];
            double ignored;
            if (measured == NULL || netdp_i_figure_hides(f, name))
                continue;
            if (draws)
                place(variant, of, &ignored);
            netdp_i_curve *curve = netdp_i_curves_find(&f->curves, draws ? of : name, f->measure[m],
                                                       netdp_i_figure_guarantee(variant));
            NEED(curve);
            const bool level = levels && is_central(told);
            for (size_t k = level ? json_array_size(mean) - 1 : 0; k < json_array_size(mean); k++) {
                const double y = netdp_i_json_number(json_array_get(mean, k));
                const json_t *spread = json_array_get(json_object_get(measured, "error"), k);
                const double e = draws                    ? 0
                                 : json_is_number(spread) ? json_number_value(spread)
                                                          : NAN;
                const int64_t runs =
                    json_integer_value(json_array_get(json_object_get(told, "runs"), k));
                const double x =
                    json_number_value(json_array_get(json_object_get(told, "step"), k));
                TRY(level ? add_level(curve, span, (double[3]){y, y - e, y + e}, runs, error)
                          : netdp_i_curve_add(curve, x, y, y - e, y + e, runs, error));
            }
        }
    for (int32_t k = 0; draws && k < f->curves.count; k++)
        netdp_i_curve_pool(&f->curves.curve[k]);
    return NETDP_OK;
}

/*
 * A claim is a dashed curve, called so, and what holds beside it a solid one: the least that netdp
 * proves. Infinity is where the formula says nothing.
 */
static netdp_status gather_claims(netdp_i_figure *f, netdp_error *error)
{
    size_t i;
    json_t *variant;
    json_array_foreach ((json_t *)netdp_i_figure_variants(f), i, variant)
        for (int k = 0; k < 2; k++) {
            char name[NETDP_I_LABEL_ROOM], called[NETDP_I_LABEL_ROOM + 8];
            double x = NAN;
            const json_t *holds = json_object_get(variant, "holds");
            const json_t *value =
                json_object_get(k == 0 ? variant : holds, k == 0 ? "value" : "at_most");
            const char *sound = json_string_value(json_object_get(variant, "sound"));
            place(variant, name, &x);
            REFUSE(isnan(x),
                   "%s: variant %s has no number on the axis; give a sweep over "
                   "task.at",
                   f->study->path, netdp_i_figure_name(variant));
            if (k == 1 && !json_is_object(holds))
                continue; /* nobody knows */
            snprintf(called, sizeof called, "%s%s", name, k == 0 ? " (claim)" : "");
            netdp_i_curve *curve = netdp_i_curves_find(&f->curves, called, "value", NULL);
            NEED(curve);
            curve->published = k == 0;
            curve->sound = k == 1 || (sound != NULL && strcmp(sound, "yes") == 0);
            snprintf(curve->bound, sizeof curve->bound, "%s",
                     k == 0 ? json_string_value(json_object_get(variant, "claim")) : "holds");
            if (curve->unit == NULL)
                curve->unit = json_string_value(json_object_get(variant, "unit"));
            TRY(netdp_i_curve_add(curve, x, netdp_i_json_number(value), NAN, NAN, 1, error));
        }
    for (int32_t k = 0; k < f->curves.count; k++)
        netdp_i_curve_pool(&f->curves.curve[k]);
    return NETDP_OK;
}

netdp_status netdp_i_gather_sweep(netdp_i_figure *f, netdp_error *error)
{
    return netdp_i_study_claims(f->study) ? gather_claims(f, error)
                                          : netdp_i_gather_variants(f, error);
}
