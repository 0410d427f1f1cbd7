/* Curves in panels, and dots in rows, as charts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "plot/chart.h"
#include "report/figure.h"

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
    netdp_i_chart *chart;              /* [count] */
    netdp_i_chart_series *series;      /* of all charts */
    char (*label)[NETDP_I_LABEL_ROOM]; /* [measures] of y */
    char across[NETDP_I_LABEL_ROOM];   /* of x; "": none */
    char (*title)[NETDP_I_LABEL_ROOM]; /* [count] */
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

static bool is_kind(const netdp_i_figure *f, const char *kind)
{
    return strcmp(f->study->figure.kind, kind) == 0;
}

static netdp_i_chart_series series_of(const netdp_i_figure *f, int32_t i)
{
    const netdp_i_curve *c = &f->curves.curve[i];
    bool spread = false;
    for (int64_t k = 0; k < c->count; k++)
        spread = spread || c->low[k] < c->high[k];
    return (netdp_i_chart_series){.name = c->name,
                                  .count = c->count,
                                  .x = c->x,
                                  .y = c->y,
                                  .low = spread ? c->low : NULL,
                                  .high = spread ? c->high : NULL,
                                  .colour = colour_of(&f->curves, i),
                                  .published = c->published || (c->bound[0] != '\0' && !c->sound),
                                  .crosses = c->closed || c->printed,
                                  .points =
                                      c->closed || is_kind(f, "scatter") || is_kind(f, "dots"),
                                  .ribbon = is_kind(f, "trace"),
                                  .steps = is_kind(f, "histogram")};
}

/* What `published` of a figure's series says, for its legend. */
static const char *dashed_of(const netdp_i_figure *f)
{
    return netdp_i_study_claims(f->study) ? "dashed: as a paper claims it"
           : is_kind(f, "dots")           ? "hollow: no upper bound"
                                          : "dashed: no upper bound";
}

/* One panel for each panel of the curves (those without one stand in all) and each measure. */
static netdp_status lay_panels(const netdp_i_figure *f, panels *p, netdp_error *error)
{
    const netdp_i_curves *curves = &f->curves;
    int32_t named = 0, used = 0;
    for (int32_t i = 0; i < curves->count; i++)
        named += curves->curve[i].panel[0] != '\0' && first_of_panel(curves, i) < 0;
    const int32_t distinct = named > 0 ? named : 1, most = distinct * f->measures;
    p->chart = NETDP_I_NEW(netdp_i_chart, most);
    p->series = NETDP_I_NEW(netdp_i_chart_series, (int64_t)most * curves->count);
    p->label = netdp_i_new(f->measures, NETDP_I_LABEL_ROOM);
    p->title = netdp_i_new(most, NETDP_I_LABEL_ROOM);
    if (p->chart == NULL || p->series == NULL || p->label == NULL || p->title == NULL)
        return netdp_i_no_memory(error);
    for (int32_t m = 0; m < f->measures; m++)
        netdp_i_label_axes(f, f->measure[m], p->across, p->label[m]);
    for (int32_t m = 0; m < f->measures; m++)
        for (int32_t k = 0; k < (named > 0 ? curves->count : 1); k++) {
            const char *panel = named > 0 ? curves->curve[k].panel : "";
            if (named > 0 && (panel[0] == '\0' || first_of_panel(curves, k) >= 0))
                continue;
            netdp_i_chart *chart = &p->chart[p->count];
            snprintf(p->title[p->count], NETDP_I_LABEL_ROOM, "%s", panel);
            *chart = (netdp_i_chart){.title = panel[0] != '\0' ? p->title[p->count] : NULL,
                                     .x_label = p->across,
                                     .y_label = p->label[m],
                                     .log_x = netdp_i_figure_is_log(f, 'x'),
                                     .log_y = netdp_i_figure_is_log(f, 'y'),
                                     .dashed = dashed_of(f),
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

netdp_status netdp_i_draw_curves(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                                 netdp_error *error)
{
    CLEARED(clear_panels) panels p = {0};
    TRY(lay_panels(f, &p, error));
    return netdp_i_chart_write(p.chart, p.count, f->measures > 1 ? p.count / f->measures : 0, look,
                               path, error);
}

/* Dots in rows: the panels are the rows, a series has a dot in each. */
netdp_status netdp_i_draw_dots(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                               netdp_error *error)
{
    const netdp_i_curves *curves = &f->curves;
    const int32_t all = curves->count;
    OWNED const char **row = NETDP_I_NEW(const char *, all);
    OWNED netdp_i_chart_series *series = NETDP_I_NEW(netdp_i_chart_series, all);
    OWNED double *number = NETDP_I_NEW(double, 3 * (int64_t)all * all);
    char label[NETDP_I_LABEL_ROOM];
    int32_t rows = 0, count = 0;
    if (row == NULL || series == NULL || number == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < all; i++)
        if (first_of_panel(curves, i) < 0)
            row[rows++] = curves->curve[i].panel;
    for (int32_t i = 0; i < all; i++) {
        int32_t s = 0, k = 0;
        while (s < count && strcmp(series[s].name, curves->curve[i].name) != 0)
            s++;
        double *const at = number + 3 * (int64_t)s * all;
        if (s == count) {
            for (int32_t j = 0; j < 3 * all; j++)
                at[j] = NAN;
            series[count++] = series_of(f, i);
            series[s].count = rows;
            series[s].x = NULL;
            series[s].y = at;
            series[s].low = at + all;
            series[s].high = at + 2 * all;
        }
        while (strcmp(row[k], curves->curve[i].panel) != 0)
            k++;
        at[k] = curves->curve[i].y[0];
        at[all + k] = curves->curve[i].low[0];
        at[2 * all + k] = curves->curve[i].high[0];
    }
    netdp_i_label_measure(f, f->measure[0], label);
    for (int32_t k = 0; k < rows; k++)
        if (row[k][0] == '\0')
            row[k] = netdp_i_study_accounts(f->study) ? "all" : "baselines";
    const netdp_i_chart chart = {.y_label = label,
                                 .log_y = netdp_i_figure_is_log(f, 'y'),
                                 .dashed = dashed_of(f),
                                 .count = count,
                                 .series = series,
                                 .rows = rows,
                                 .row = row};
    return netdp_i_chart_write(&chart, 1, 1, look, path, error);
}
