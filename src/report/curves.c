#include "report/curves.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"

void netdp_i_curves_clear(netdp_i_curves *curves)
{
    for (int32_t i = 0; i < curves->count; i++) {
        netdp_i_curve *c = &curves->curve[i];
        netdp_i_free(c->panel);
        netdp_i_free(c->name);
        netdp_i_free(c->x);
        netdp_i_free(c->y);
        netdp_i_free(c->low);
        netdp_i_free(c->high);
        netdp_i_free(c->of);
    }
    netdp_i_free(curves->curve);
    *curves = (netdp_i_curves){0};
}

/* {"drawn", "of"}: fewer than all? */
static bool is_part(const json_t *drawn)
{
    return json_integer_value(json_object_get(drawn, "drawn")) <
           json_integer_value(json_object_get(drawn, "of"));
}

bool netdp_i_curve_estimates(const json_t *guarantee)
{
    return json_is_object(json_object_get(guarantee, "estimate")) ||
           json_is_true(json_object_get(guarantee, "estimate")) ||
           is_part(json_object_get(guarantee, "observers")) ||
           is_part(json_object_get(guarantee, "sources"));
}

netdp_i_curve *netdp_i_curves_find(netdp_i_curves *curves, const char *name, const char *measure,
                                   const json_t *guarantee)
{
    const char *slash = strstr(name, " / ");
    const size_t length = slash != NULL ? (size_t)(slash - name) : 0;
    const char *own = slash != NULL ? slash + 3 : name;
    for (int32_t i = 0; i < curves->count; i++) {
        netdp_i_curve *c = &curves->curve[i];
        if (strlen(c->panel) == length && memcmp(c->panel, name, length) == 0 &&
            strcmp(c->name, own) == 0 && strcmp(c->measure, measure) == 0)
            return c;
    }
    netdp_i_curve *grown = netdp_i_grow(curves->curve, curves->count + 1, sizeof *grown);
    if (grown == NULL)
        return NULL;
    curves->curve = grown;
    netdp_i_curve *made = &grown[curves->count];
    *made = (netdp_i_curve){.panel = netdp_i_new((int64_t)length + 1, 1),
                            .name = netdp_i_copy_text(own),
                            .measure = measure,
                            .sound = json_is_true(json_object_get(guarantee, "sound")),
                            .estimate = netdp_i_curve_estimates(guarantee)};
    const char *bound = json_string_value(json_object_get(guarantee, "bound"));
    curves->count++;
    if (made->panel == NULL || made->name == NULL)
        return NULL;
    memcpy(made->panel, name, length);
    snprintf(made->bound, sizeof made->bound, "%s", bound != NULL ? bound : "");
    return made;
}

netdp_status netdp_i_curve_add(netdp_i_curve *curve, double x, double y, double low, double high,
                               int64_t of, netdp_error *error)
{
    double **column[] = {&curve->x, &curve->y, &curve->low, &curve->high};
    const double value[] = {x, y, low, high};
    if (curve->count == curve->room) {
        const int64_t room = curve->room == 0 ? 32 : 2 * curve->room;
        for (int i = 0; i < 4; i++) {
            double *grown = netdp_i_grow(*column[i], room, sizeof *grown);
            NEED(grown);
            *column[i] = grown;
        }
        int64_t *grown = netdp_i_grow(curve->of, room, sizeof *grown);
        NEED(grown);
        curve->of = grown;
        curve->room = room;
    }
    for (int i = 0; i < 4; i++)
        (*column[i])[curve->count] = value[i];
    curve->of[curve->count++] = of;
    return NETDP_OK;
}

static void swap_points(netdp_i_curve *c, int64_t i, int64_t j)
{
    double *const column[] = {c->x, c->y, c->low, c->high};
    for (int k = 0; k < 4; k++) {
        const double kept = column[k][i];
        column[k][i] = column[k][j];
        column[k][j] = kept;
    }
    const int64_t kept = c->of[i];
    c->of[i] = c->of[j];
    c->of[j] = kept;
}

void netdp_i_curve_pool(netdp_i_curve *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++) {
        int64_t at = 0;
        while (at < kept && c->x[at] != c->x[i])
            at++;
        if (at == kept) {
            swap_points(c, kept++, i);
            continue;
        }
        const double weight = (double)c->of[i] / (double)(c->of[i] + c->of[at]);
        c->y[at] = isinf(c->y[at]) ? c->y[at] : c->y[at] + weight * (c->y[i] - c->y[at]);
        c->low[at] = fmin(c->low[at], c->low[i]);
        c->high[at] = fmax(c->high[at], c->high[i]);
        c->of[at] += c->of[i];
    }
    c->count = kept;
    for (int64_t i = 1; i < kept; i++) /* few points, and mostly in order */
        for (int64_t j = i; j > 0 && c->x[j] < c->x[j - 1]; j--)
            swap_points(c, j, j - 1);
}

/* Of log y against log x, least squares over the points where both are positive; NaN: under two. */
static double slope_of(const netdp_i_curve *c)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int64_t i = 0; i < c->count; i++) {
        if (!(c->x[i] > 0) || !(c->y[i] > 0) || !isfinite(c->y[i]))
            continue;
        const double a = log(c->x[i]), b = log(c->y[i]);
        n++, x += a, y += b, xx += a * a, xy += a * b;
    }
    const double spread = n * xx - x * x;
    return n >= 2 && spread > 0 ? (n * xy - x * y) / spread : NAN;
}

static void print_number(FILE *stream, double value)
{
    fputc(',', stream);
    if (!isnan(value))
        netdp_i_print_double(stream, value);
}

netdp_status netdp_i_curves_write(const netdp_i_curves *curves, const char *path,
                                  netdp_error *error)
{
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    TRY(netdp_i_output_open(&output, path, error));
    fputs("panel,curve,measure,x,y,low,high,count,bound,sound\n", output.stream);
    for (int32_t k = 0; k < curves->count; k++) {
        const netdp_i_curve *c = &curves->curve[k];
        for (int64_t i = 0; i < c->count; i++) {
            fprintf(output.stream, "%s,%s,%s", c->panel, c->name, c->measure);
            print_number(output.stream, c->x[i]);
            print_number(output.stream, c->y[i]);
            print_number(output.stream, c->low[i]);
            print_number(output.stream, c->high[i]);
            fprintf(output.stream, ",%" PRId64 ",%s,%s\n", c->of[i], c->bound,
                    c->bound[0] == '\0' ? ""
                    : c->estimate       ? "estimate"
                    : c->sound          ? "yes"
                                        : "no");
        }
    }
    return netdp_i_output_commit(&output, error);
}

static json_t *number_json(double value)
{
    return isnan(value) ? json_null() : netdp_i_json_double(value);
}

static json_t *column_json(const double *value, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, number_json(value[i]));
    return list;
}

json_t *netdp_i_curves_json(const netdp_i_curves *curves, bool slopes)
{
    json_t *list = json_array();
    for (int32_t k = 0; list != NULL && k < curves->count; k++) {
        const netdp_i_curve *c = &curves->curve[k];
        json_t *count = json_array();
        for (int64_t i = 0; i < c->count; i++)
            json_array_append_new(count, json_integer(c->of[i]));
        json_t *made =
            json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "panel", c->panel,
                      "name", c->name, "measure", c->measure, "bound",
                      c->bound[0] != '\0' ? json_string(c->bound) : json_null(), "sound",
                      c->bound[0] != '\0' ? json_boolean(c->sound) : json_null(), "estimate",
                      (int)c->estimate, "x", column_json(c->x, c->count), "y",
                      column_json(c->y, c->count), "low", column_json(c->low, c->count), "high",
                      column_json(c->high, c->count), "count", count);
        if (slopes)
            json_object_set_new(made, "slope", number_json(slope_of(c)));
        json_array_append_new(list, made);
    }
    return list;
}
