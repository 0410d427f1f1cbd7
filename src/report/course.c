#include "report/course.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "report/rows.h"

enum { MEASURES = 4, LISTED = 400 };
enum { EXCESS = 3 }; /* which earlier traces have not */

static const char *const measures[MEASURES] = {"objective", "accuracy", "consensus_error",
                                               "excess"};

/* Sums over the runs at one step. */
typedef struct point {
    int64_t step, runs;
    double sum[MEASURES], square[MEASURES];
    int64_t count[MEASURES]; /* of runs that have the measure */
} point;

typedef struct curve {
    char *variant;
    int64_t count, room;
    point *point; /* by step; runs have the same steps */
} curve;

typedef struct course {
    int32_t count;
    curve *curve;
} course;

static void clear(course *c)
{
    for (int32_t i = 0; i < c->count; i++) {
        netdp_i_free(c->curve[i].variant);
        netdp_i_free(c->curve[i].point);
    }
    netdp_i_free(c->curve);
    *c = (course){0};
}

static curve *find_curve(course *c, const char *variant)
{
    for (int32_t i = 0; i < c->count; i++)
        if (strcmp(c->curve[i].variant, variant) == 0)
            return &c->curve[i];
    curve *grown = netdp_i_grow(c->curve, c->count + 1, sizeof *grown);
    if (grown == NULL)
        return NULL;
    c->curve = grown;
    grown[c->count] = (curve){.variant = netdp_i_copy_text(variant)};
    return grown[c->count].variant != NULL ? &grown[c->count++] : NULL;
}

/* The point of a step: by bisection, since a run's steps ascend; NULL: no memory. */
static point *find_point(curve *c, int64_t step)
{
    int64_t low = 0, high = c->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (c->point[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < c->count && c->point[low].step == step)
        return &c->point[low];
    if (c->count == c->room) {
        const int64_t room = c->room == 0 ? 64 : 2 * c->room;
        point *grown = netdp_i_grow(c->point, room, sizeof *grown);
        if (grown == NULL)
            return NULL;
        c->point = grown;
        c->room = room;
    }
    memmove(&c->point[low + 1], &c->point[low], (size_t)(c->count - low) * sizeof *c->point);
    c->point[low] = (point){.step = step};
    c->count++;
    return &c->point[low];
}

static netdp_status take_row(course *c, const netdp_i_rows *rows, const int at[2 + MEASURES],
                             netdp_error *error)
{
    int64_t step = 0;
    TRY(netdp_i_rows_index(rows, at[0], INT64_MAX, &step, error));
    curve *of = find_curve(c, rows->field[at[1]]);
    point *p = of != NULL ? find_point(of, step) : NULL;
    NEED(p);
    p->runs++;
    for (int k = 0; k < MEASURES; k++) {
        double value = NAN;
        if (at[2 + k] >= 0)
            TRY(netdp_i_rows_number(rows, at[2 + k], &value, error));
        if (isnan(value))
            continue;
        p->sum[k] += value;
        p->square[k] += value * value;
        p->count[k]++;
    }
    return NETDP_OK;
}

/* The standard error of a mean of `count` numbers; NaN where one does not tell. */
static double spread(double sum, double square, int64_t count)
{
    const double n = (double)count;
    return count > 1 ? sqrt(fmax(0, square - sum * sum / n) / (n - 1) / n) : NAN;
}

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_null() : netdp_i_json_double(value);
}

static json_t *curve_json(const curve *c)
{
    const int64_t apart = (c->count + LISTED - 1) / LISTED;
    json_t *steps = json_array(), *runs = json_array();
    json_t *made = json_pack("{s:s, s:o, s:o}", "variant", c->variant, "step", steps, "runs", runs);
    for (int64_t i = 0; i < c->count; i++) {
        if (i % apart != 0 && i != c->count - 1)
            continue;
        json_array_append_new(steps, json_integer(c->point[i].step));
        json_array_append_new(runs, json_integer(c->point[i].runs));
    }
    for (int k = 0; k < MEASURES; k++) {
        json_t *means = json_array(), *errors = json_array();
        int64_t there = 0;
        for (int64_t i = 0; i < c->count; i++) {
            const point *p = &c->point[i];
            const double mean = p->count[k] > 0 ? p->sum[k] / (double)p->count[k] : NAN;
            there += p->count[k];
            if (i % apart != 0 && i != c->count - 1)
                continue;
            json_array_append_new(means, number_or_null(mean));
            json_array_append_new(errors,
                                  number_or_null(spread(p->sum[k], p->square[k], p->count[k])));
        }
        json_t *pair = json_pack("{s:o, s:o}", "mean", means, "error", errors);
        if (there > 0)
            json_object_set(made, measures[k], pair);
        json_decref(pair);
    }
    return made;
}

netdp_status netdp_i_course_json(const char *path, json_t **made, netdp_error *error)
{
    CLEARED(netdp_i_rows_close) netdp_i_rows rows = {0};
    CLEARED(clear) course c = {0};
    TRY(netdp_i_rows_open(path, &rows, error));
    int at[2 + MEASURES] = {netdp_i_rows_column(&rows, "step"),
                            netdp_i_rows_column(&rows, "variant")};
    for (int k = 0; k < MEASURES; k++)
        at[2 + k] = netdp_i_rows_column(&rows, measures[k]);
    for (int k = 0; k < 2 + MEASURES; k++)
        REFUSE(at[k] < 0 && k != 2 + EXCESS,
               "%s:1: is not the trace of a study; run the study again", path);
    for (bool more = true; more;) {
        TRY(netdp_i_rows_next(&rows, &more, error));
        if (more)
            TRY(take_row(&c, &rows, at, error));
    }
    *made = json_array();
    for (int32_t i = 0; i < c.count; i++)
        json_array_append_new(*made, curve_json(&c.curve[i]));
    return NETDP_OK;
}
