/* One table of figures: which numbers of a result folder make their points, and how they look. */
#include <netdp/figure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/centrality.h>
#include <netdp/communicability.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/layout.h"
#include "report/chart.h"
#include "report/course.h"
#include "report/curves.h"
#include "report/drawing.h"
#include "report/heatmap.h"
#include "report/listed.h"
#include "study/figuring.h"
#include "study/plan.h"

enum { PATH_ROOM = 4096, LABEL_ROOM = 96, BINS = 24 };

typedef struct figure {
    const netdp_study *study;
    const char *folder;
    json_t *summary;
    netdp_i_problems problems; /* of figures that need the graph again */
    char *words;               /* figure.y, cut */
    const char *measure[NETDP_I_MEASURES];
    int32_t measures;
    netdp_i_curves curves;
} figure;

/* ---- what a figure is about ---- */

static const json_t *variants_of(const figure *f)
{
    return json_object_get(f->summary, "variants");
}

static const json_t *guarantee_of(const json_t *variant)
{
    return json_object_get(variant, "guarantee");
}

static const char *name_of(const json_t *variant)
{
    const char *name = json_string_value(json_object_get(variant, "name"));
    return name != NULL ? name : "";
}

/* The variant without the baselines; -1: it is one. Accounts have none. */
static int32_t own_index(const figure *f, size_t i)
{
    return (int32_t)i - (netdp_i_study_accounts(f->study) ? 0 : 2);
}

static const netdp_study *study_of(const figure *f, size_t i)
{
    const int32_t own = own_index(f, i);
    return own >= 0 && own < f->study->variation_count ? f->study->variation[own].study : f->study;
}

static const netdp_graph *graph_of(const figure *f, size_t i)
{
    const int32_t own = own_index(f, i);
    return own >= 0 && own < f->study->variation_count ? f->problems.of[own]->graph
                                                       : f->problems.made[0]->graph;
}

/* Is it a baseline that the figure leaves out? */
static bool is_hidden(const figure *f, const char *name)
{
    return f->study->figure.hide != NULL && !netdp_i_study_accounts(f->study) &&
           (strcmp(name, "central") == 0 || strcmp(name, "local") == 0);
}

/*
 * The curve that a variant belongs to and its place on it: of a sweep both are in the summary, a
 * variant called "ring at 64" says them itself; "ring at home" is a name.
 */
static void place(const json_t *variant, char curve[LABEL_ROOM], double *x)
{
    const char *swept = json_string_value(json_object_get(variant, "curve"));
    const char *value = json_string_value(json_object_get(variant, "at"));
    const char *name = name_of(variant), *at = strstr(name, " at ");
    snprintf(curve, LABEL_ROOM, "%s", swept != NULL ? swept : name);
    if (swept == NULL && at != NULL && netdp_i_read_number(at + 4, x))
        curve[at - name] = '\0';
    else if (value == NULL || !netdp_i_read_number(value, x))
        *x = NAN;
}

/* ---- points ---- */

/* Mean, least and largest of a variant's own number, and how many it is of. */
static netdp_status measure_variant(const figure *f, const json_t *variant, const char *measure,
                                    double point[3], int64_t *of, netdp_error *error)
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
        point[0] = netdp_i_json_number(json_object_get(guarantee_of(variant), "mean"));
        json_array_foreach(json_object_get(guarantee_of(variant), "by_distance"), i, class)
        {
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
    if (told == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: figure.y: variant %s has no %s; give another measure",
                            f->study->path, name_of(variant), measure);
    point[0] = netdp_i_json_number(json_object_get(told, "mean"));
    if (json_is_number(spread)) {
        point[1] = point[0] - json_number_value(spread);
        point[2] = point[0] + json_number_value(spread);
    }
    return NETDP_OK;
}

/* Loss by distance in hops: what the summary has. */
static netdp_status gather_hops(figure *f, netdp_error *error)
{
    size_t i, k;
    json_t *variant, *class;
    netdp_status status = NETDP_OK;
    json_array_foreach((json_t *)variants_of(f), i, variant)
    {
        char name[LABEL_ROOM];
        double ignored;
        if (own_index(f, i) < 0)
            continue; /* a baseline tells everyone the same */
        place(variant, name, &ignored);
        netdp_i_curve *curve = netdp_i_curves_find(&f->curves, name, "loss", guarantee_of(variant));
        if (curve == NULL)
            return netdp_i_no_memory(error);
        json_array_foreach(json_object_get(guarantee_of(variant), "by_distance"), k,
                           class) if (status == NETDP_OK) status =
            netdp_i_curve_add(curve, (double)json_integer_value(json_object_get(class, "distance")),
                              netdp_i_json_number(json_object_get(class, "mean")),
                              netdp_i_json_number(json_object_get(class, "min")),
                              netdp_i_json_number(json_object_get(class, "max")),
                              json_integer_value(json_object_get(class, "pairs")), error);
        if (status != NETDP_OK)
            return status;
    }
    return NETDP_OK;
}

static netdp_status list_losses(const figure *f, size_t i, const json_t *variant,
                                netdp_i_listed *listed, netdp_error *error)
{
    const char *losses = json_string_value(json_object_get(variant, "losses"));
    return netdp_i_listed_read(f->folder, losses != NULL ? losses : "loss", variant,
                               netdp_graph_nodes(graph_of(f, i)),
                               netdp_i_study_unit(study_of(f, i)), listed, error);
}

/* x of every pair of a variant: communicability, Katz centrality of the sender, or length. */
static netdp_status find_abscissae(const figure *f, size_t i, const netdp_i_listed *listed,
                                   double *x, netdp_error *error)
{
    const netdp_graph *graph = graph_of(f, i);
    const int64_t n = netdp_graph_nodes(graph);
    const char *kind = f->study->figure.x;
    const double *px, *py;
    double *number = NULL;
    netdp_status status = NETDP_OK;
    if (strcmp(kind, "length") == 0) {
        if (!netdp_graph_positions(graph, &px, &py))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: figure.x: the nodes of %s have no positions; length is for "
                                "the family geometric",
                                f->study->path, netdp_graph_origin(graph));
        for (int64_t k = 0; k < listed->count; k++)
            x[k] = hypot(px[listed->from[k]] - px[listed->to[k]],
                         py[listed->from[k]] - py[listed->to[k]]);
        return NETDP_OK;
    }
    const bool katz = strcmp(kind, "katz") == 0;
    number = NETDP_I_NEW(double, katz ? n : n *n);
    if (number == NULL)
        return netdp_i_no_memory(error);
    status = katz ? netdp_katz_centrality(graph, 0, number, error)
                  : netdp_graph_communicability(graph, number, error);
    for (int64_t k = 0; status == NETDP_OK && k < listed->count; k++)
        x[k] = katz ? number[listed->from[k]] : number[listed->from[k] * n + listed->to[k]];
    netdp_i_free(number);
    return status;
}

/* The middle of the bin, of BINS equal ones from 0 to the largest x. */
static double bin(double x, double largest)
{
    const double width = largest / BINS;
    return width > 0 ? (fmin(floor(x / width), BINS - 1) + 0.5) * width : x;
}

/* Pairs against x: each by itself, or pooled: in bins of length, or over a sender's observers. */
static netdp_status gather_pairs(figure *f, netdp_error *error)
{
    size_t i;
    json_t *variant;
    netdp_status status = NETDP_OK;
    const bool length = strcmp(f->study->figure.x, "length") == 0;
    const bool pooled = length || strcmp(f->study->figure.x, "katz") == 0;
    json_array_foreach((json_t *)variants_of(f), i, variant)
    {
        netdp_i_listed listed = {0};
        double *x = NULL, largest = 0, ignored;
        char name[LABEL_ROOM];
        if (own_index(f, i) < 0)
            continue;
        place(variant, name, &ignored);
        netdp_i_curve *curve = netdp_i_curves_find(&f->curves, name, "loss", guarantee_of(variant));
        status =
            curve != NULL ? list_losses(f, i, variant, &listed, error) : netdp_i_no_memory(error);
        if (status == NETDP_OK && (x = NETDP_I_NEW(double, listed.count)) == NULL)
            status = netdp_i_no_memory(error);
        if (status == NETDP_OK)
            status = find_abscissae(f, i, &listed, x, error);
        for (int64_t k = 0; status == NETDP_OK && k < listed.count; k++)
            largest = fmax(largest, x[k]);
        for (int64_t k = 0; status == NETDP_OK && k < listed.count; k++) {
            const double y = listed.value[k], spread = pooled ? y : NAN;
            status = netdp_i_curve_add(curve, length ? bin(x[k], largest) : x[k], y, spread, spread,
                                       1, error);
        }
        if (status == NETDP_OK && pooled)
            netdp_i_curve_pool(curve);
        netdp_i_free(x);
        netdp_i_listed_clear(&listed);
        if (status != NETDP_OK)
            return status;
    }
    return NETDP_OK;
}

static netdp_status gather_distance(figure *f, netdp_error *error)
{
    if (f->study->figure.x != NULL && strcmp(f->study->figure.x, "length") == 0)
        return gather_pairs(f, error);
    netdp_status status = gather_hops(f, error);
    for (int32_t i = 0; status == NETDP_OK && i < f->curves.count; i++)
        netdp_i_curve_pool(&f->curves.curve[i]);
    return status;
}

/* Each variant is a point: at its swept value, or at its number of nodes; of bars, by itself. */
static netdp_status gather_variants(figure *f, netdp_error *error)
{
    size_t i;
    json_t *variant;
    const bool bars = strcmp(f->study->figure.kind, "bars") == 0;
    const bool nodes = f->study->figure.x != NULL && strcmp(f->study->figure.x, "nodes") == 0;
    json_array_foreach((json_t *)variants_of(f), i, variant) for (int32_t m = 0; m < f->measures;
                                                                  m++)
    {
        char name[LABEL_ROOM];
        double x = NAN, point[3] = {NAN, NAN, NAN};
        int64_t of = 0;
        const bool loss = strcmp(f->measure[m], "loss") == 0;
        place(variant, name, &x);
        if (own_index(f, i) < 0 && (!bars || is_hidden(f, name_of(variant))))
            continue; /* a baseline has no place on a sweep */
        if (nodes)
            x = (double)json_integer_value(
                json_object_get(json_object_get(variant, "graph"), "nodes"));
        netdp_status status = measure_variant(f, variant, f->measure[m], point, &of, error);
        if (status == NETDP_OK && isnan(x) && !bars)
            status = netdp_i_fail(error, NETDP_INVALID,
                                  "%s: variant %s has no number on the axis; give figure.x: nodes, "
                                  "a sweep, or names such as 'ring at 64'",
                                  f->study->path, name_of(variant));
        netdp_i_curve *curve =
            status == NETDP_OK ? netdp_i_curves_find(&f->curves, name, f->measure[m],
                                                     loss || strcmp(f->measure[m], "noise") == 0 ||
                                                             own_index(f, i) >= 0
                                                         ? guarantee_of(variant)
                                                         : NULL)
                               : NULL;
        if (status == NETDP_OK)
            status = curve == NULL ? netdp_i_no_memory(error)
                                   : netdp_i_curve_add(curve, bars ? 0 : x, point[0], point[1],
                                                       point[2], of, error);
        if (status != NETDP_OK)
            return status;
    }
    for (int32_t i2 = 0; i2 < f->curves.count; i2++)
        netdp_i_curve_pool(&f->curves.curve[i2]);
    return NETDP_OK;
}

static const json_t *variant_named(const figure *f, const char *name)
{
    size_t i;
    json_t *variant;
    json_array_foreach((json_t *)variants_of(f), i,
                       variant) if (strcmp(name_of(variant), name) == 0) return variant;
    return NULL;
}

/* Does the sweep draw graph or data again, rather than change what is asked? */
static bool sweeps_draws(const figure *f)
{
    const char *key = f->study->sweep.key, *dot = key != NULL ? strchr(key, '.') : NULL;
    return dot != NULL && strcmp(dot, ".draw") == 0;
}

/* The course of the runs: mean and standard error at every traced step; over draws, mean and range
 * of the draws' means. */
static netdp_status gather_trace(figure *f, netdp_error *error)
{
    char path[PATH_ROOM];
    json_t *course = NULL, *told;
    size_t i;
    snprintf(path, sizeof path, "%s/trace.csv", f->folder);
    const bool draws = sweeps_draws(f);
    netdp_status status = netdp_i_course_json(path, &course, error);
    json_array_foreach(course, i, told) for (int32_t m = 0; m < f->measures; m++)
    {
        const char *name = json_string_value(json_object_get(told, "variant"));
        const bool consensus = strcmp(f->measure[m], "consensus") == 0;
        const json_t *measured =
            json_object_get(told, consensus ? "consensus_error" : f->measure[m]);
        const json_t *mean = json_object_get(measured, "mean");
        const json_t *variant = variant_named(f, name);
        char of[LABEL_ROOM];
        double ignored;
        if (measured == NULL || is_hidden(f, name))
            continue;
        if (draws)
            place(variant, of, &ignored);
        netdp_i_curve *curve = netdp_i_curves_find(&f->curves, draws ? of : name, f->measure[m],
                                                   guarantee_of(variant));
        if (curve == NULL)
            status = netdp_i_no_memory(error);
        for (size_t k = 0; status == NETDP_OK && k < json_array_size(mean); k++) {
            const double y = netdp_i_json_number(json_array_get(mean, k));
            const json_t *spread = json_array_get(json_object_get(measured, "error"), k);
            const double e = draws ? 0 : json_is_number(spread) ? json_number_value(spread) : NAN;
            status = netdp_i_curve_add(
                curve, json_number_value(json_array_get(json_object_get(told, "step"), k)), y,
                y - e, y + e, json_integer_value(json_array_get(json_object_get(told, "runs"), k)),
                error);
        }
    }
    for (int32_t k = 0; draws && k < f->curves.count; k++)
        netdp_i_curve_pool(&f->curves.curve[k]);
    json_decref(course);
    return status;
}

/*
 * A claim is a dashed curve, called so, and what holds beside it a solid one: the least that netdp
 * proves. Infinity is where the formula says nothing.
 */
static netdp_status gather_claims(figure *f, netdp_error *error)
{
    size_t i;
    json_t *variant;
    netdp_status status = NETDP_OK;
    json_array_foreach((json_t *)variants_of(f), i, variant) for (int k = 0; k < 2; k++)
    {
        char name[LABEL_ROOM], called[LABEL_ROOM + 8];
        double x = NAN;
        const json_t *holds = json_object_get(variant, "holds");
        const json_t *value =
            json_object_get(k == 0 ? variant : holds, k == 0 ? "value" : "at_most");
        const char *sound = json_string_value(json_object_get(variant, "sound"));
        place(variant, name, &x);
        if (isnan(x))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: variant %s has no number on the axis; give a sweep over "
                                "task.at",
                                f->study->path, name_of(variant));
        if (k == 1 && !json_is_object(holds))
            continue; /* nobody knows */
        snprintf(called, sizeof called, "%s%s", name, k == 0 ? " (claim)" : "");
        netdp_i_curve *curve = netdp_i_curves_find(&f->curves, called, "value", NULL);
        if (curve == NULL)
            return netdp_i_no_memory(error);
        curve->published = k == 0;
        curve->sound = k == 1 || (sound != NULL && strcmp(sound, "yes") == 0);
        snprintf(curve->bound, sizeof curve->bound, "%s",
                 k == 0 ? json_string_value(json_object_get(variant, "claim")) : "holds");
        if (curve->unit == NULL)
            curve->unit = json_string_value(json_object_get(variant, "unit"));
        status = netdp_i_curve_add(curve, x, netdp_i_json_number(value), NAN, NAN, 1, error);
        if (status != NETDP_OK)
            return status;
    }
    for (int32_t k = 0; k < f->curves.count; k++)
        netdp_i_curve_pool(&f->curves.curve[k]);
    return NETDP_OK;
}

static netdp_status gather_sweep(figure *f, netdp_error *error)
{
    return netdp_i_study_claims(f->study) ? gather_claims(f, error) : gather_variants(f, error);
}

/* ---- labels ---- */

/* The input that all claims are over, or NULL. */
static const char *claims_over(const figure *f)
{
    const char *over = NULL;
    size_t i;
    json_t *variant;
    json_array_foreach((json_t *)variants_of(f), i, variant)
    {
        const char *own = json_string_value(json_object_get(variant, "over"));
        if (own == NULL || (over != NULL && strcmp(over, own) != 0))
            return NULL;
        over = own;
    }
    return over;
}

static void label_measure(const figure *f, const char *measure, char label[LABEL_ROOM])
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
    const netdp_unit unit = strcmp(measure, "loss") == 0 ? netdp_i_study_unit(f->study)
                                                         : (netdp_unit){NETDP_AS_LOSS, 0};
    snprintf(label, LABEL_ROOM, "%s", measure);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(measure, plain[i].measure) == 0)
            snprintf(label, LABEL_ROOM, "%s", plain[i].label);
    if (strcmp(measure, "loss_per_round") == 0)
        snprintf(label, LABEL_ROOM, "loss per round");
    if (strcmp(measure, "loss") != 0)
        return;
    switch (unit.currency) {
    case NETDP_AS_LOSS:
        snprintf(label, LABEL_ROOM, "privacy loss, mu^2 sigma^2");
        break;
    case NETDP_AS_GDP:
        snprintf(label, LABEL_ROOM, "Gaussian differential privacy, mu");
        break;
    case NETDP_AS_RDP:
        snprintf(label, LABEL_ROOM, "Rényi loss, order %g", unit.parameter);
        break;
    case NETDP_AS_DP:
        snprintf(label, LABEL_ROOM, "epsilon at delta %g", unit.parameter);
        break;
    }
}

/* "rounds" of "protocol.rounds". */
static const char *swept_key(const figure *f)
{
    if (netdp_i_study_claims(f->study))
        return claims_over(f);
    const char *key = f->study->sweep.key, *dot = key != NULL ? strchr(key, '.') : NULL;
    return dot != NULL ? dot + 1 : key != NULL ? key : "value";
}

static const char *label_abscissa(const figure *f)
{
    static const struct {
        const char *x, *label;
    } labels[] = {{"hops", "distance, hops"},
                  {"length", "Euclidean distance"},
                  {"communicability", "communicability"},
                  {"katz", "Katz centrality"},
                  {"nodes", "nodes"}};
    const char *kind = f->study->figure.kind, *x = f->study->figure.x;
    if (strcmp(kind, "bars") == 0)
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

static bool is_log(const figure *f, char axis)
{
    return f->study->figure.log != NULL && strcmp(f->study->figure.log, "none") != 0 &&
           strchr(f->study->figure.log, axis) != NULL;
}

/* ---- charts ---- */

/* "hypercube" of "hypercube (published)": what shares a colour. */
static size_t subject_length(const char *name)
{
    const char *bracket = strstr(name, " (");
    return bracket != NULL ? (size_t)(bracket - name) : strlen(name);
}

static bool same_subject(const char *a, const char *b)
{
    const size_t length = subject_length(a);
    return length == subject_length(b) && memcmp(a, b, length) == 0;
}

/* The i-th curve's subject, numbered in order of appearance over all panels. */
static int32_t colour_of(const netdp_i_curves *curves, int32_t i)
{
    int32_t colours = 0;
    for (int32_t k = 0; k <= i; k++) {
        int32_t earlier = 0;
        while (!same_subject(curves->curve[earlier].name, curves->curve[k].name))
            earlier++;
        if (k == i && earlier < k)
            return colour_of(curves, earlier);
        colours += earlier == k;
    }
    return colours - 1;
}

typedef struct panels {
    int32_t count, measures;
    netdp_i_chart *chart;      /* [count] */
    netdp_i_series *series;    /* of all charts */
    char (*label)[LABEL_ROOM]; /* [measures] of y */
    char (*title)[LABEL_ROOM]; /* [count] */
} panels;

static void clear_panels(panels *p)
{
    netdp_i_free(p->chart);
    netdp_i_free(p->series);
    netdp_i_free(p->label);
    netdp_i_free(p->title);
}

/* The first curve with the panel of curve i, or -1 if it is i itself. */
static int32_t first_of_panel(const netdp_i_curves *curves, int32_t i)
{
    for (int32_t k = 0; k < i; k++)
        if (strcmp(curves->curve[k].panel, curves->curve[i].panel) == 0)
            return k;
    return -1;
}

static netdp_i_series series_of(const figure *f, int32_t i)
{
    const netdp_i_curve *c = &f->curves.curve[i];
    bool spread = false;
    for (int64_t k = 0; k < c->count; k++)
        spread = spread || c->low[k] < c->high[k];
    return (netdp_i_series){.name = c->name,
                            .count = c->count,
                            .x = c->x,
                            .y = c->y,
                            .low = spread ? c->low : NULL,
                            .high = spread ? c->high : NULL,
                            .colour = colour_of(&f->curves, i),
                            .published = c->published || (c->bound[0] != '\0' && !c->sound),
                            .points = strcmp(f->study->figure.kind, "scatter") == 0};
}

/* One panel for each panel of the curves (those without one stand in all) and each measure. */
static netdp_status lay_panels(const figure *f, panels *p, netdp_error *error)
{
    const netdp_i_curves *curves = &f->curves;
    int32_t named = 0, used = 0;
    for (int32_t i = 0; i < curves->count; i++)
        named += curves->curve[i].panel[0] != '\0' && first_of_panel(curves, i) < 0;
    const int32_t distinct = named > 0 ? named : 1, most = distinct * f->measures;
    p->chart = NETDP_I_NEW(netdp_i_chart, most);
    p->series = NETDP_I_NEW(netdp_i_series, (int64_t)most * curves->count);
    p->label = netdp_i_new(f->measures, LABEL_ROOM);
    p->title = netdp_i_new(most, LABEL_ROOM);
    if (p->chart == NULL || p->series == NULL || p->label == NULL || p->title == NULL)
        return netdp_i_no_memory(error);
    for (int32_t m = 0; m < f->measures; m++)
        label_measure(f, f->measure[m], p->label[m]);
    for (int32_t m = 0; m < f->measures; m++)
        for (int32_t k = 0; k < (named > 0 ? curves->count : 1); k++) {
            const char *panel = named > 0 ? curves->curve[k].panel : "";
            if (named > 0 && (panel[0] == '\0' || first_of_panel(curves, k) >= 0))
                continue;
            netdp_i_chart *chart = &p->chart[p->count];
            snprintf(p->title[p->count], LABEL_ROOM, "%s", panel);
            *chart = (netdp_i_chart){.title = panel[0] != '\0' ? p->title[p->count] : NULL,
                                     .x_label = label_abscissa(f),
                                     .y_label = p->label[m],
                                     .log_x = is_log(f, 'x'),
                                     .log_y = is_log(f, 'y'),
                                     .series = p->series + used};
            p->count++;
            for (int32_t i = 0; i < curves->count; i++) {
                const netdp_i_curve *c = &curves->curve[i];
                if (strcmp(c->measure, f->measure[m]) != 0 ||
                    (c->panel[0] != '\0' && strcmp(c->panel, panel) != 0))
                    continue;
                if (c->unit != NULL)
                    chart->y_label = c->unit;
                p->series[used++] = series_of(f, i);
                chart->count++;
            }
        }
    return NETDP_OK;
}

static netdp_status draw_curves(figure *f, const char *path, netdp_error *error)
{
    panels p = {0};
    netdp_status status = lay_panels(f, &p, error);
    if (status == NETDP_OK)
        status = netdp_i_chart_write(p.chart, p.count, f->measures > 1 ? p.count / f->measures : 0,
                                     path, error);
    clear_panels(&p);
    return status;
}

/* Groups of bars: the panels are the categories, a series has a bar in each. */
static netdp_status draw_bars(figure *f, const char *path, netdp_error *error)
{
    const netdp_i_curves *curves = &f->curves;
    const int32_t all = curves->count;
    const char **category = NETDP_I_NEW(const char *, all);
    netdp_i_series *series = NETDP_I_NEW(netdp_i_series, all);
    double *number = NETDP_I_NEW(double, 3 * (int64_t)all * all);
    char label[LABEL_ROOM];
    int32_t categories = 0, count = 0;
    netdp_status status = NETDP_OK;
    if (category == NULL || series == NULL || number == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    for (int32_t i = 0; i < all; i++)
        if (first_of_panel(curves, i) < 0)
            category[categories++] = curves->curve[i].panel;
    for (int32_t i = 0; i < all; i++) {
        int32_t s = 0, k = 0;
        while (s < count && strcmp(series[s].name, curves->curve[i].name) != 0)
            s++;
        double *const at = number + 3 * (int64_t)s * all;
        if (s == count) {
            for (int32_t j = 0; j < 3 * all; j++)
                at[j] = NAN;
            series[count++] = series_of(f, i);
            series[s].count = categories;
            series[s].x = NULL;
            series[s].y = at;
            series[s].low = at + all;
            series[s].high = at + 2 * all;
        }
        while (strcmp(category[k], curves->curve[i].panel) != 0)
            k++;
        at[k] = curves->curve[i].y[0];
        at[all + k] = curves->curve[i].low[0];
        at[2 * all + k] = curves->curve[i].high[0];
    }
    label_measure(f, f->measure[0], label);
    for (int32_t k = 0; k < categories; k++)
        if (category[k][0] == '\0')
            category[k] = "baselines";
    const netdp_i_chart chart = {.y_label = label,
                                 .log_y = is_log(f, 'y'),
                                 .count = count,
                                 .series = series,
                                 .categories = categories,
                                 .category = category};
    status = netdp_i_chart_write(&chart, 1, 1, path, error);
done:
    netdp_i_free(category);
    netdp_i_free(series);
    netdp_i_free(number);
    return status;
}

/* ---- matrices and drawings ---- */

static int32_t count_own(const figure *f)
{
    return (int32_t)json_array_size(variants_of(f)) - (netdp_i_study_accounts(f->study) ? 0 : 2);
}

static netdp_status draw_matrices(figure *f, const char *path, netdp_error *error)
{
    const int32_t count = count_own(f), first = -own_index(f, 0);
    netdp_i_heatmap *map = NETDP_I_NEW(netdp_i_heatmap, count);
    double **value = NETDP_I_NEW(double *, count);
    char label[LABEL_ROOM];
    netdp_status status = map != NULL && value != NULL ? NETDP_OK : netdp_i_no_memory(error);
    for (int32_t i = 0; status == NETDP_OK && i < count; i++) {
        const size_t at = (size_t)(i + first);
        const json_t *variant = json_array_get(variants_of(f), at);
        const int64_t n = netdp_graph_nodes(graph_of(f, at));
        netdp_i_listed listed = {0};
        status = list_losses(f, at, variant, &listed, error);
        if (status == NETDP_OK && (value[i] = NETDP_I_NEW(double, n *n)) == NULL)
            status = netdp_i_no_memory(error);
        for (int64_t k = 0; status == NETDP_OK && k < n * n; k++)
            value[i][k] = NAN;
        for (int64_t k = 0; status == NETDP_OK && k < listed.count; k++)
            value[i][listed.from[k] * n + listed.to[k]] = listed.value[k];
        map[i] = (netdp_i_heatmap){.title = name_of(variant),
                                   .x_label = "observer",
                                   .y_label = "whose data",
                                   .size = (int32_t)n,
                                   .value = value[i]};
        netdp_i_listed_clear(&listed);
    }
    label_measure(f, "loss", label);
    if (status == NETDP_OK)
        status = netdp_i_heatmap_write(map, count, 0, is_log(f, 'y'), label, path, error);
    for (int32_t i = 0; value != NULL && i < count; i++)
        netdp_i_free(value[i]);
    netdp_i_free(value);
    netdp_i_free(map);
    return status;
}

/* Each node's own value. */
static netdp_status take_data(const figure *f, size_t at, double *value, netdp_error *error)
{
    const int32_t own = own_index(f, at);
    const bool listed = own >= 0 && own < f->study->variation_count;
    const netdp_i_problem *p = listed ? f->problems.of[own] : f->problems.made[0];
    if (p->values == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: figure.y: data is of studies that compute a mean", f->study->path);
    for (int64_t u = 0; u < netdp_graph_nodes(p->graph); u++)
        value[u] = p->low[0] + p->scale[0] * p->values[u * p->width];
    return NETDP_OK;
}

/* Losses from one node to all, or from all to one, on the graph. */
static netdp_status colour_nodes(const figure *f, size_t at, const json_t *variant,
                                 netdp_i_drawing *drawing, double *room, netdp_error *error)
{
    const netdp_graph *graph = graph_of(f, at);
    const int64_t n = netdp_graph_nodes(graph);
    double *x = room, *y = room + n, *value = room + 2 * n;
    netdp_i_listed listed = {0};
    netdp_status status = netdp_i_graph_layout(graph, f->study->seed, x, y, error);
    *drawing = (netdp_i_drawing){
        .title = name_of(variant), .graph = graph, .x = x, .y = y, .value = value, .source = -1};
    if (status == NETDP_OK && strcmp(f->measure[0], "data") == 0)
        return take_data(f, at, value, error);
    if (status == NETDP_OK)
        status = list_losses(f, at, variant, &listed, error);
    bool from_one = true, to_one = true;
    for (int64_t k = 1; k < listed.count; k++) {
        from_one = from_one && listed.from[k] == listed.from[0];
        to_one = to_one && listed.to[k] == listed.to[0];
    }
    if (status == NETDP_OK && (listed.count == 0 || (!from_one && !to_one)))
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: figure.kind: a drawing is of the losses from one node or "
                              "towards one; give privacy.from or privacy.to",
                              f->study->path);
    for (int64_t u = 0; u < n; u++)
        value[u] = NAN;
    for (int64_t k = 0; status == NETDP_OK && k < listed.count; k++)
        value[from_one ? listed.to[k] : listed.from[k]] = listed.value[k];
    *drawing = (netdp_i_drawing){
        .title = name_of(variant), .graph = graph, .x = x, .y = y, .value = value, .source = -1};
    if (status == NETDP_OK)
        drawing->source = from_one ? listed.from[0] : listed.to[0];
    drawing->observer = !from_one;
    netdp_i_listed_clear(&listed);
    return status;
}

static netdp_status draw_graphs(figure *f, const char *path, netdp_error *error)
{
    const int32_t count = count_own(f), first = -own_index(f, 0);
    netdp_i_drawing *drawing = NETDP_I_NEW(netdp_i_drawing, count);
    double **room = NETDP_I_NEW(double *, count);
    char label[LABEL_ROOM];
    netdp_status status = drawing != NULL && room != NULL ? NETDP_OK : netdp_i_no_memory(error);
    for (int32_t i = 0; status == NETDP_OK && i < count; i++) {
        const size_t at = (size_t)(i + first);
        room[i] = NETDP_I_NEW(double, 3 * (int64_t)netdp_graph_nodes(graph_of(f, at)));
        status = room[i] != NULL ? colour_nodes(f, at, json_array_get(variants_of(f), at),
                                                &drawing[i], room[i], error)
                                 : netdp_i_no_memory(error);
    }
    label_measure(f, f->measure[0], label);
    if (status == NETDP_OK)
        status = netdp_i_drawing_write(drawing, count, count == 4 ? 2 : 0, is_log(f, 'y'), label,
                                       path, error);
    for (int32_t i = 0; room != NULL && i < count; i++)
        netdp_i_free(room[i]);
    netdp_i_free(room);
    netdp_i_free(drawing);
    return status;
}

/* ---- the table of kinds ---- */

static const struct {
    const char *name;
    bool graph; /* needs the graph again, where x is not hops */
    netdp_status (*gather)(figure *f, netdp_error *error);
    netdp_status (*draw)(figure *f, const char *path, netdp_error *error);
} kinds[] = {
    {"distance", false, gather_distance, draw_curves}, {"sweep", false, gather_sweep, draw_curves},
    {"trace", false, gather_trace, draw_curves},       {"bars", false, gather_variants, draw_bars},
    {"scatter", true, gather_pairs, draw_curves},      {"matrix", true, gather_hops, draw_matrices},
    {"drawing", true, gather_hops, draw_graphs},
};

/* figure.y, a list of measures; that they suit the kind was checked when the study was read. */
static netdp_status read_measures(figure *f, netdp_error *error)
{
    if (netdp_i_study_claims(f->study)) {
        f->measure[f->measures++] = "value";
        return NETDP_OK;
    }
    f->words = netdp_i_copy_text(netdp_i_figure_y(f->study));
    if (f->words == NULL)
        return netdp_i_no_memory(error);
    char *rest = NULL;
    for (char *word = strtok_r(f->words, ", ", &rest);
         word != NULL && f->measures < NETDP_I_MEASURES; word = strtok_r(NULL, ", ", &rest))
        f->measure[f->measures++] = netdp_i_figure_measure(word);
    return NETDP_OK;
}

static json_t *text_json(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static netdp_status write_json(const figure *f, const char *path, netdp_error *error)
{
    char label[LABEL_ROOM];
    const netdp_study *study = f->study;
    label_measure(f, f->measure[0], label);
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:s, s:O, s:o, s:s, s:o}", "netdp", netdp_version(), "title",
        study->title, "paper", text_json(study->figure.paper), "says",
        text_json(study->figure.says), "kind", study->figure.kind, "seed",
        json_object_get(f->summary, "seed"), "x_label", text_json(label_abscissa(f)), "y_label",
        label, "curves", netdp_i_curves_json(&f->curves, is_log(f, 'x') && is_log(f, 'y')));
    if (object == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = netdp_i_json_write(object, path, error);
    json_decref(object);
    return status;
}

static netdp_status write_figure(figure *f, size_t kind, const char *data, netdp_error *error)
{
    char path[PATH_ROOM];
    const bool length = f->study->figure.x != NULL && strcmp(f->study->figure.x, "length") == 0;
    netdp_status status = read_measures(f, error);
    if (status == NETDP_OK && (kinds[kind].graph || length))
        status = netdp_i_problems_new(f->study, data, &f->problems, error);
    if (status == NETDP_OK)
        status = kinds[kind].gather(f, error);
    snprintf(path, sizeof path, "%s/figure.csv", f->folder);
    if (status == NETDP_OK)
        status = netdp_i_curves_write(&f->curves, path, error);
    snprintf(path, sizeof path, "%s/figure.json", f->folder);
    if (status == NETDP_OK)
        status = write_json(f, path, error);
    snprintf(path, sizeof path, "%s/figure.svg", f->folder);
    return status == NETDP_OK ? kinds[kind].draw(f, path, error) : status;
}

netdp_status netdp_figure_write(const netdp_study *study, const char *folder, const char *data,
                                netdp_error *error)
{
    figure f = {.study = study, .folder = folder};
    char path[PATH_ROOM];
    json_error_t why;
    size_t kind = 0;
    if (study->figure.kind == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: has no figure; give it a section figure with a kind, or use netdp "
                            "run",
                            study->path);
    while (strcmp(kinds[kind].name, study->figure.kind) != 0)
        kind++;
    snprintf(path, sizeof path, "%s/summary.json", folder);
    f.summary = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    netdp_status status =
        f.summary != NULL
            ? write_figure(&f, kind, data, error)
            : netdp_i_fail(error, NETDP_INVALID, "%s:%d: %s; remove the folder and run again", path,
                           why.line, why.text);
    json_decref(f.summary);
    netdp_i_problems_clear(&f.problems);
    netdp_i_curves_clear(&f.curves);
    netdp_i_free(f.words);
    return status;
}

double netdp_figure_seconds(const netdp_study *study)
{
    return study->figure.seconds;
}
