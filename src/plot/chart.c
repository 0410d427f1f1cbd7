#include "plot/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/axis.h"
#include "plot/plot.h"

enum {
    MOST_ON_CURVE = 400,
    MOST_ON_BAND = 200,
    MOST_SCATTERED = 400,
    MOST_BARS = 40, /* bars of error; beyond, a band */
    MOST_MARKS = 30,
    ABOUT_MARKS = 10,
    LINE = 20,       /* of text, pixels */
    WIDE_LETTER = 8, /* as wide as gnuplot believes a letter to be */
    TICK = 4,        /* letters of a tick, for which there is room */
    LEGEND_ROW = 20, /* pixels */
    LEGEND_SAMPLE = 60,
    ROW = 30,       /* of dots, pixels */
    MOST_NAME = 24, /* letters of a row's name */
    SUFFIX = 64,
    MOST_UNDER = 2, /* curves over one, of which it shows how many */
    MOST_LINES = 6, /* of the label of y, which is never cut */
};

/* After Okabe and Ito (2008), distinct to the colour-blind; their yellow is lost on white. */
static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#555555", "#000000"};
enum { COLOURS = sizeof palette / sizeof *palette };

/* gnuplot's filled marks; the number before is the same, hollow. */
static const int marks[] = {7, 5, 9, 11, 13, 15};
enum { MARKS = sizeof marks / sizeof *marks, UP = 9, DOWN = 11, CROSS = 2 };

static const char *colour_of(const netdp_i_chart_series *series)
{
    return palette[series->colour % COLOURS];
}

static int mark_of(const netdp_i_chart_series *series)
{
    return series->crosses ? CROSS : marks[series->colour % MARKS] - (series->published ? 1 : 0);
}

struct figure {
    const netdp_i_chart *chart;
    netdp_i_frame frame;
};

/* A panel with its axes. */
struct panel {
    const netdp_i_chart *chart;
    netdp_i_axis x, y;
    bool above, below;
};

/* A histogram of what is all one number. */
static bool is_upright(const netdp_i_chart_series *series)
{
    return series->steps && series->count == 1;
}

static bool has_errors(const netdp_i_chart_series *series)
{
    return series->low != NULL && series->high != NULL;
}

static int64_t count_of(const netdp_i_chart *chart, const netdp_i_chart_series *series)
{
    return chart->rows > 0 && series->count > chart->rows ? chart->rows : series->count;
}

/* Is the k-th the first series of its subject that has a value in the row? */
static bool begins_lane(const netdp_i_chart *chart, int32_t k, int64_t row)
{
    const netdp_i_chart_series *series = chart->series;
    for (int32_t i = 0; i <= k; i++)
        if (series[i].colour == series[k].colour && row < series[i].count &&
            !isnan(series[i].y[row]))
            return i == k;
    return false;
}

/* Dots of one subject stand on one line within a row, those of the next one below. */
static double lane_of(const netdp_i_chart *chart, const netdp_i_chart_series *series, int64_t row)
{
    int32_t lanes = 0, own = 0;
    for (int32_t k = 0; k < chart->count; k++) {
        if (!begins_lane(chart, k, row))
            continue;
        if (chart->series[k].colour == series->colour)
            own = lanes;
        lanes++;
    }
    const double apart = fmin(0.28, 0.8 / lanes); /* of a row */
    return (double)row + apart * (own - (lanes - 1) / 2.0);
}

static double x_of(const struct panel *panel, const netdp_i_chart_series *series, int64_t i)
{
    return panel->chart->rows == 0 ? series->x[i] : lane_of(panel->chart, series, i);
}

static bool has_x(const struct panel *panel, const netdp_i_chart_series *series, int64_t i)
{
    return panel->chart->rows > 0 || netdp_i_axis_holds(&panel->x, series->x[i]);
}

/* +1: beyond every axis, -1: nothing, where a logarithm has no place for it; 0: inside. */
static int beyond(const struct panel *panel, const netdp_i_chart_series *series, int64_t i)
{
    const double y = series->y[i];
    if (!has_x(panel, series, i) || isnan(y) || netdp_i_axis_holds(&panel->y, y))
        return 0;
    return y > 0 && (y > 1 || !panel->y.log) ? 1 : panel->y.log && y >= 0 ? -1 : 0;
}

static bool inside(const struct panel *panel, const netdp_i_chart_series *series, int64_t i)
{
    return has_x(panel, series, i) && netdp_i_axis_holds(&panel->y, series->y[i]);
}

static struct panel panel_of(const netdp_i_chart *chart)
{
    struct panel panel = {
        .chart = chart, .x = {.log = chart->log_x && chart->rows == 0}, .y = {.log = chart->log_y}};
    for (int32_t k = 0; k < chart->count; k++) {
        const netdp_i_chart_series *series = &chart->series[k];
        for (int64_t i = 0; i < count_of(chart, series); i++) {
            const int side = beyond(&panel, series, i);
            panel.above |= side > 0;
            panel.below |= side < 0;
            if (side != 0 && chart->rows == 0)
                netdp_i_axis_take(&panel.x, series->x[i]);
            if (!inside(&panel, series, i))
                continue;
            if (chart->rows == 0)
                netdp_i_axis_take(&panel.x, series->x[i]);
            if (!is_upright(series))
                netdp_i_axis_take(&panel.y, series->y[i]);
            if (has_errors(series)) {
                netdp_i_axis_take(&panel.y, series->low[i]);
                netdp_i_axis_take(&panel.y, series->high[i]);
            }
        }
    }
    netdp_i_axis_finish(&panel.x, 0);
    netdp_i_axis_finish(&panel.y, 0.35);
    return panel;
}

/* An end of a bar of error, cut at the panel's edge. */
static double clipped(const struct panel *panel, double end, double otherwise)
{
    if (isnan(end))
        return otherwise;
    return fmin(fmax(end, panel->y.low), panel->y.high);
}

static void print_point(FILE *out, const struct panel *panel, const netdp_i_chart_series *series,
                        int64_t i)
{
    const double x = x_of(panel, series, i), y = series->y[i];
    fprintf(out, "%.12g %.12g", panel->chart->rows > 0 ? y : x, panel->chart->rows > 0 ? x : y);
    if (has_errors(series))
        fprintf(out, " %.12g %.12g", clipped(panel, series->low[i], y),
                clipped(panel, series->high[i], y));
    fputc('\n', out);
}

/* The extremes of each stretch, in their order; infinity breaks the curve. */
static void print_stretch(FILE *out, const struct panel *panel, const netdp_i_chart_series *series,
                          int64_t begin, int64_t end)
{
    int64_t least = -1, most = -1;
    bool broken = false;
    for (int64_t i = begin; i < end; i++) {
        broken |= beyond(panel, series, i) != 0;
        if (!inside(panel, series, i))
            continue;
        if (least < 0 || series->y[i] < series->y[least])
            least = i;
        if (most < 0 || series->y[i] >= series->y[most])
            most = i;
    }
    if (least >= 0)
        print_point(out, panel, series, least < most ? least : most);
    if (least >= 0 && least != most)
        print_point(out, panel, series, least < most ? most : least);
    if (broken && !series->points)
        fputc('\n', out);
}

/* Points of a scatter, or stretches of a curve, that are drawn as one; each stretch gives two. */
static int64_t stride_of(const netdp_i_chart_series *series)
{
    if (series->points)
        return (series->count + MOST_SCATTERED - 1) / MOST_SCATTERED;
    const int64_t most = has_errors(series) ? MOST_ON_BAND : MOST_ON_CURVE;
    return series->count <= most ? 1 : (2 * series->count + most - 1) / most;
}

static void print_data(FILE *out, const struct panel *panel, const netdp_i_chart_series *series)
{
    const int64_t count = count_of(panel->chart, series), stride = stride_of(series);
    for (int64_t i = 0; i < count; i += stride) {
        const int64_t end = series->points ? i + 1 : i + stride;
        print_stretch(out, panel, series, i, end < count ? end : count);
    }
}

/* Marks for what has no place inside, just inside the edge; few enough to see each. */
static void print_beyond(FILE *out, const struct panel *panel, const netdp_i_chart_series *series)
{
    const int64_t count = count_of(panel->chart, series);
    double last = -1;
    for (int64_t i = 0; i < count; i++) {
        const int side = beyond(panel, series, i);
        const double x = side != 0 ? x_of(panel, series, i) : 0;
        const double part =
            side != 0 && panel->chart->rows == 0 ? netdp_i_axis_part(&panel->x, x) : 2;
        if (side == 0 || (panel->chart->rows == 0 && fabs(part - last) < 0.02))
            continue;
        last = part;
        const double y = netdp_i_axis_at(&panel->y, side > 0 ? 0.975 : 0.025);
        fprintf(out, "%.12g %.12g %d\n", panel->chart->rows > 0 ? y : x,
                panel->chart->rows > 0 ? x : y, side > 0 ? UP : DOWN);
    }
}

/* The names of the rows, from above; what they take beside the axis. */
static int32_t print_rows(FILE *out, const netdp_i_chart *chart, int32_t width)
{
    int32_t longest = 0;
    const int32_t third = width / 3 / NETDP_I_LETTER, most = third < MOST_NAME ? third : MOST_NAME;
    for (int32_t r = 0; r < chart->rows; r++) {
        const int32_t length = netdp_i_plot_length(chart->row[r]);
        longest = length > longest ? length : longest;
    }
    longest = longest < most ? longest : most;
    fprintf(out, "unset logscale y\nunset mytics\nset yrange [%.12g:-0.6] noextend\n",
            chart->rows - 0.4);
    fputs("set ytics scale 0 nomirror out noenhanced (", out);
    for (int32_t r = 0; r < chart->rows; r++) {
        fputs(r > 0 ? ", " : "", out);
        netdp_i_plot_tick_text(out, chart->row[r], longest, 2);
        fprintf(out, " %d", (int)r);
    }
    fputs(")\n", out);
    return longest * WIDE_LETTER;
}

/* ---- What a series looks like: the same words in the plot and in the legend. ---- */

/* `below`: how many curves it lies under; wider by as much, so that each is seen. */
static void print_look(FILE *out, const netdp_i_chart *chart, const netdp_i_chart_series *series,
                       int32_t below)
{
    const double point = chart->rows > 0 ? 0.8 : 0.5;
    fprintf(out, " lc rgb '%s' pt %d ps %.3g", colour_of(series), mark_of(series),
            series->crosses  ? 0.8
            : series->points ? point
                             : 0.7 + 0.4 * below);
    if (!series->points)
        fprintf(out, " lw %.3g dt %d", 2 + 1.8 * below, series->published ? 2 : 1);
}

/* Ends joined by a line, with a bar across each. */
static void print_errors(FILE *out, const netdp_i_chart *chart, int32_t k)
{
    fprintf(out,
            ", \\\n  $d%d using %s notitle with vectors heads size screen 0.004,90 lw 1.2 lc rgb "
            "'%s'",
            (int)k, chart->rows > 0 ? "3:2:($4-$3):(0)" : "1:3:(0):($4-$3)",
            colour_of(&chart->series[k]));
}

static const char *style_of(const netdp_i_chart_series *series)
{
    return series->points ? "points" : series->steps ? "steps" : "linespoints";
}

/* What a curve spreads over: below the curves, so that no bar hides another's point. */
static void print_spread(FILE *out, const netdp_i_chart *chart, int32_t k)
{
    const netdp_i_chart_series *series = &chart->series[k];
    if (series->steps)
        fprintf(
            out,
            ", \\\n  $d%d using 1:2 with fillsteps notitle lc rgb '%s' fs transparent solid 0.2 "
            "noborder",
            (int)k, colour_of(series));
    if (has_errors(series) && ((series->count <= MOST_BARS && !series->ribbon) || chart->rows > 0))
        print_errors(out, chart, k);
    else if (has_errors(series))
        fprintf(out,
                ", \\\n  $d%d using 1:3:4 with filledcurves notitle lc rgb '%s' fs transparent "
                "solid 0.2 noborder",
                (int)k, colour_of(series));
}

/* Does b go over a: in most of a's points, as far as the eye tells? */
static bool lies_on(const struct panel *panel, const netdp_i_chart_series *a,
                    const netdp_i_chart_series *b)
{
    const double near = 0.012; /* of the axis */
    int64_t shown = 0, met = 0;
    if (a->count != b->count)
        return false;
    for (int64_t i = 0; i < a->count; i++) {
        if (!inside(panel, a, i) || !inside(panel, b, i))
            continue;
        shown++;
        met += fabs(netdp_i_axis_part(&panel->x, a->x[i]) - netdp_i_axis_part(&panel->x, b->x[i])) <
                   near &&
               fabs(netdp_i_axis_part(&panel->y, a->y[i]) - netdp_i_axis_part(&panel->y, b->y[i])) <
                   near;
    }
    return 2 * met > shown;
}

static int32_t curves_over(const struct panel *panel, int32_t k)
{
    int32_t over = 0;
    const netdp_i_chart *chart = panel->chart;
    for (int32_t i = k + 1; i < chart->count && !chart->series[k].points; i++)
        over += lies_on(panel, &chart->series[k], &chart->series[i]);
    return over < MOST_UNDER ? over : MOST_UNDER;
}

static void print_curve(FILE *out, const struct panel *panel, int32_t k)
{
    const netdp_i_chart_series *series = &panel->chart->series[k];
    if (is_upright(series)) {
        fprintf(
            out,
            ", \\\n  $d%d using 1:(%.12g):(0):(%.12g) notitle with vectors nohead lw 2 dt %d lc "
            "rgb '%s'",
            (int)k, panel->y.low, panel->y.high - panel->y.low, series->published ? 2 : 1,
            colour_of(series));
        return;
    }
    fprintf(out, ", \\\n  $d%d using 1:2 with %s notitle", (int)k, style_of(series));
    print_look(out, panel->chart, series, curves_over(panel, k));
    if (!series->points && !series->steps && series->count > MOST_MARKS) {
        const int64_t drawn = series->count < MOST_ON_BAND ? series->count : MOST_ON_BAND;
        fprintf(out, " pi %d", (int)(drawn / ABOUT_MARKS));
    }
}

/* Labels, ranges and ticks; what they take around the axes. */
static netdp_i_margins print_axes(FILE *out, const struct panel *panel, const netdp_i_frame *frame)
{
    const netdp_i_chart *chart = panel->chart;
    netdp_i_margins margins = {.left = 62, .right = 18, .top = 14, .bottom = 34};
    const bool rows = chart->rows > 0;
    margins.top += LINE * netdp_i_plot_label(out, "title", chart->title, frame->width - 90, 3);
    margins.bottom +=
        LINE * netdp_i_plot_label(out, "xlabel", rows ? chart->y_label : chart->x_label,
                                  frame->width - 90, 2);
    margins.left +=
        LINE * netdp_i_plot_label(out, "ylabel", rows ? NULL : chart->y_label,
                                  frame->height - margins.top - margins.bottom, MOST_LINES);
    if (rows) {
        margins.left = 24 + print_rows(out, chart, frame->width);
        netdp_i_axis_print(out, "x", &panel->y, netdp_i_frame_across(frame, margins));
        return margins;
    }
    const int longest = netdp_i_axis_print(out, "y", &panel->y, netdp_i_frame_up(frame, margins));
    margins.left += longest > TICK ? (longest - TICK) * WIDE_LETTER : 0;
    netdp_i_axis_print(out, "x", &panel->x, netdp_i_frame_across(frame, margins));
    return margins;
}

static void print_blocks(FILE *out, const struct panel *panel)
{
    for (int32_t k = 0; k < panel->chart->count; k++) {
        fprintf(out, "$d%d << END\n", (int)k);
        print_data(out, panel, &panel->chart->series[k]);
        fprintf(out, "END\n$e%d << END\n", (int)k);
        print_beyond(out, panel, &panel->chart->series[k]);
        fputs("END\n", out);
    }
}

static void print_panel(FILE *out, const struct figure *figure, int32_t p)
{
    const netdp_i_chart *chart = &figure->chart[p];
    const struct panel panel = panel_of(chart);
    print_blocks(out, &panel);
    netdp_i_frame_panel(out, &figure->frame, p, print_axes(out, &panel, &figure->frame));
    fputs("unset key\nset border 3 lc rgb '#444444'\nset tics scale 0.6\n"
          "set title offset 0,-0.5\nset xlabel offset 0,0.5\n"
          "set grid ytics lc rgb '#dddddd' lw 0.7 dt 1\n"
          "plot NaN notitle",
          out);
    for (int32_t k = 0; k < chart->count; k++)
        print_spread(out, chart, k);
    for (int32_t k = 0; k < chart->count; k++) {
        print_curve(out, &panel, k);
        fprintf(out, ", \\\n  $e%d using 1:2:3 with points pt variable ps 0.9 lc rgb '%s' notitle",
                (int)k, colour_of(&chart->series[k]));
    }
    fputc('\n', out);
}

/* ---- The legend: what stands in several panels once. ---- */

static bool is_named(const netdp_i_chart_series *series)
{
    return series->name != NULL && *series->name != '\0';
}

static bool looks_alike(const netdp_i_chart_series *a, const netdp_i_chart_series *b)
{
    return is_named(b) && strcmp(a->name, b->name) == 0 && a->colour == b->colour &&
           a->published == b->published && a->points == b->points && a->crosses == b->crosses &&
           a->steps == b->steps && stride_of(a) == stride_of(b);
}

/* Did an earlier series stand for this one already? */
static bool is_repeat(const struct figure *figure, int32_t panel, int32_t k)
{
    const netdp_i_chart *mine = &figure->chart[panel];
    for (int32_t p = 0; p <= panel; p++) {
        const netdp_i_chart *chart = &figure->chart[p];
        for (int32_t i = 0; i < (p == panel ? k : chart->count); i++)
            if (looks_alike(&mine->series[k], &chart->series[i]))
                return true;
    }
    return false;
}

/* How much of a scatter is shown, where it is not all. */
static const char *suffix_of(const netdp_i_chart_series *series, char suffix[SUFFIX])
{
    const int64_t stride = stride_of(series);
    suffix[0] = '\0';
    if (series->points && stride > 1)
        snprintf(suffix, SUFFIX, " (%lld of %lld points)",
                 (long long)((series->count + stride - 1) / stride), (long long)series->count);
    return suffix;
}

static void print_entry(FILE *out, const netdp_i_chart *chart, const netdp_i_chart_series *series,
                        int32_t letters)
{
    char suffix[SUFFIX];
    fputs(", \\\n  keyentry", out);
    fprintf(out, " with %s", series->steps ? "lines" : style_of(series));
    print_look(out, chart, series, 0);
    fputs(" title ", out);
    netdp_i_plot_text(out, series->name, letters, 1);
    fprintf(out, ".'%s'", suffix_of(series, suffix));
}

/* What the legend must hold, and its columns. */
struct legend {
    int32_t entries, columns, letters;
    bool above, below;
    const char *dashed; /* what dashes, or hollow dots, mean; NULL: there are none */
};

static struct legend legend_of(const struct figure *figure)
{
    struct legend legend = {.letters = 8};
    char suffix[SUFFIX];
    const int32_t width = netdp_i_frame_width(&figure->frame) - 20;
    for (int32_t p = 0; p < figure->frame.panels; p++) {
        const netdp_i_chart *chart = &figure->chart[p];
        const struct panel panel = panel_of(chart);
        legend.above |= panel.above;
        legend.below |= panel.below;
        for (int32_t k = 0; k < chart->count; k++) {
            if (chart->series[k].published)
                legend.dashed = chart->dashed;
            if (!is_named(&chart->series[k]) || is_repeat(figure, p, k))
                continue;
            const int32_t letters = netdp_i_plot_length(chart->series[k].name) +
                                    (int32_t)strlen(suffix_of(&chart->series[k], suffix));
            legend.letters = letters > legend.letters ? letters : legend.letters;
            legend.entries++;
        }
    }
    if (legend.dashed != NULL) {
        const int32_t letters = netdp_i_plot_length(legend.dashed);
        legend.letters = letters > legend.letters ? letters : legend.letters;
    }
    legend.entries += legend.above + legend.below + (legend.dashed != NULL);
    const int32_t most = (width - LEGEND_SAMPLE) / WIDE_LETTER;
    legend.letters = legend.letters < most ? legend.letters : most;
    legend.columns = width / (legend.letters * WIDE_LETTER + LEGEND_SAMPLE);
    if (legend.columns > legend.entries)
        legend.columns = legend.entries;
    return legend;
}

static int32_t rows_of(const struct legend *legend)
{
    return (legend->entries + legend->columns - 1) / legend->columns;
}

static void print_legend(FILE *out, const struct figure *figure, const struct legend *legend)
{
    netdp_i_frame_foot(out, &figure->frame);
    fprintf(out,
            "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\n"
            "unset logscale\nset xrange [0:1]\nset yrange [0:1]\n"
            "set key noenhanced center center vertical maxrows %d Left reverse samplen 2.5\n"
            "plot NaN notitle",
            (int)rows_of(legend));
    for (int32_t p = 0; p < figure->frame.panels; p++)
        for (int32_t k = 0; k < figure->chart[p].count; k++)
            if (is_named(&figure->chart[p].series[k]) && !is_repeat(figure, p, k))
                print_entry(out, &figure->chart[p], &figure->chart[p].series[k], legend->letters);
    if (legend->dashed != NULL) {
        fprintf(out, ", \\\n  keyentry with %s title ",
                figure->chart->rows > 0 ? "points lc rgb '#444444' pt 6 ps 0.8"
                                        : "lines lc rgb '#444444' lw 2 dt 2");
        netdp_i_plot_text(out, legend->dashed, legend->letters, 1);
    }
    if (legend->above)
        fprintf(out, ", \\\n  keyentry with points pt %d ps 0.9 lc rgb '#444444' title 'infinite'",
                (int)UP);
    if (legend->below)
        fprintf(out, ", \\\n  keyentry with points pt %d ps 0.9 lc rgb '#444444' title 'zero'",
                (int)DOWN);
    fputc('\n', out);
}

static void print_figure(FILE *out, const void *what)
{
    struct figure figure = *(const struct figure *)what;
    const struct legend legend = legend_of(&figure);
    if (legend.entries > 0)
        figure.frame.foot = rows_of(&legend) * LEGEND_ROW + LEGEND_ROW;
    netdp_i_frame_begin(out, &figure.frame);
    for (int32_t p = 0; p < figure.frame.panels; p++)
        print_panel(out, &figure, p);
    if (legend.entries > 0)
        print_legend(out, &figure, &legend);
    fputs("unset multiplot\n", out);
}

netdp_status netdp_i_chart_write(const netdp_i_chart *chart, int32_t panels, int32_t columns,
                                 const netdp_i_look *look, const char *path, netdp_error *error)
{
    struct figure figure = {.chart = chart, .frame = netdp_i_frame_of(panels, columns, look)};
    for (int32_t p = 0; p < panels; p++)
        if (ROW * chart[p].rows + 3 * ROW > figure.frame.height)
            figure.frame.height = ROW * chart[p].rows + 3 * ROW;
    return netdp_i_plot_write(print_figure, &figure, path, error);
}
