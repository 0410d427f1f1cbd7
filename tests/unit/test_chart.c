/* Pictures: whatever the numbers and the names are, an SVG that is XML and shows them. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "graph/layout.h"
#include "plot/axis.h"
#include "plot/chart.h"
#include "plot/drawing.h"
#include "plot/heatmap.h"
#include "plot/trade.h"

static char folder[] = "/tmp/netdp-chart-XXXXXX";
static netdp_error error;

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : chdir(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    remove("picture.svg");
    remove("again.svg");
    return chdir("/") != 0 || rmdir(folder) != 0;
}

/* The text of a picture, after an XML parser read it without complaint. */
static char *text_of(const char *path)
{
    char *text = NULL, command[200];
    int64_t bytes = 0;
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c \"import sys, xml.dom.minidom as m; "
             "m.parse('%s').getElementsByTagName('svg')[0]\"",
             path);
    assert_int_equal(system(command), 0);
    assert_ok(netdp_i_file_load(path, &text, &bytes, &error));
    return text;
}

static void assert_shows(const char *text, const char *word)
{
    if (strstr(text, word) == NULL)
        fail_msg("the picture does not show '%s'", word);
}

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

static char *draw(const netdp_i_chart *chart, int32_t panels)
{
    assert_ok(netdp_i_chart_write(chart, panels, 0, NULL, "picture.svg", &error));
    return text_of("picture.svg");
}

static const double x[] = {1, 2, 3, 4}, y[] = {8, 4, 2, 1}, low[] = {7, 3, 1, .5},
                    high[] = {9, 5, 3, 1.5};

static void test_curves(void **state)
{
    (void)state;
    const netdp_i_chart_series series[] = {
        {.name = "ring, exact", .count = 4, .x = x, .y = y, .low = low, .high = high},
        {.name = "ring, published", .count = 4, .x = x, .y = high, .published = true},
        {.name = "star, exact", .count = 4, .x = x, .y = low, .colour = 1},
    };
    const netdp_i_chart chart = {.title = "Loss by distance",
                                 .x_label = "distance (hops)",
                                 .y_label = "loss \u03b5",
                                 .log_y = true,
                                 .count = 3,
                                 .series = series};
    const netdp_i_chart twice[] = {chart, chart};
    const netdp_i_chart ribbons = {
        .count = 1,
        .series = &(netdp_i_chart_series){
            .count = 4, .x = x, .y = y, .low = low, .high = high, .ribbon = true}};
    char *text = draw(&chart, 1), *again = NULL, *both = NULL;
    assert_shows(text, ">Loss by distance<");
    assert_shows(text, ">loss \u03b5<");
    assert_shows(text, ">ring, published<");
    assert_shows(text, "stroke-dasharray");
    assert_true(strlen(text) < 40000);
    assert_ok(netdp_i_chart_write(&chart, 1, 1, NULL, "again.svg", &error));
    again = text_of("again.svg");
    assert_string_equal(text, again);
    assert_null(strstr(
        text, "fill-opacity = '0.2")); /* few points have bars, unless a ribbon is asked for */
    char *band = draw(&ribbons, 1);
    assert_shows(band, "fill-opacity = '0.2");
    netdp_i_free(band);
    /* What stands in two panels is in the legend once. */
    both = draw(twice, 2);
    assert_int_equal(occurrences(both, "<text>Loss by distance"), 2);
    assert_int_equal(occurrences(both, "<text>ring, exact"), 1);
    netdp_i_free(text);
    netdp_i_free(again);
    netdp_i_free(both);
}

/* What commands, ends or decorates elsewhere is text here. */
static void test_hostile_names(void **state)
{
    (void)state;
    static const char *const name[] = {
        "a'b \"c\" \\n %d ^2 _{x} @y &z",
        "`touch ran` $(touch ran)",
        "'; system(\"touch ran\"); '",
        "'",
        "''''''''''''''''''''''''''''''",
        "</text><script>ran</script>",
        "&#x &#65; &amp; ]]>",
        "END\nset output 'ran'\nplot x",
        "\x01\x02 \xff\xfe \u202e",
        "",
    };
    enum { NAMES = sizeof name / sizeof *name };
    double value[NAMES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    netdp_i_chart_series series[NAMES];
    for (int i = 0; i < NAMES; i++)
        series[i] =
            (netdp_i_chart_series){.name = name[i], .count = 4, .x = x, .y = y, .colour = i};
    netdp_i_chart charts[NAMES + 1];
    for (int i = 0; i < NAMES; i++)
        charts[i] = (netdp_i_chart){.title = name[i],
                                    .x_label = name[i],
                                    .y_label = name[i],
                                    .count = NAMES,
                                    .series = series};
    const netdp_i_chart_series dots = {.name = name[0], .count = NAMES, .y = value, .points = true};
    charts[NAMES] = (netdp_i_chart){.count = 1, .series = &dots, .rows = NAMES, .row = name};
    char *text = draw(charts, NAMES + 1);
    assert_int_not_equal(access("ran", F_OK), 0);
    assert_null(strstr(text, "<script>"));
    assert_shows(text, "a'b \"c\" \\n %d ^2 _{x} @y &amp;z");
    assert_shows(text, "`touch ran` $(touch ran)");
    assert_shows(text, "&#x26;#x &#x26;#65; &amp;amp; ]]&#x3e;");
    netdp_i_free(text);
    /* Alone, so that there is room for it beside the dot. */
    const netdp_i_chart percent = {.count = 1, .series = &dots, .rows = 1, .row = name};
    text = draw(&percent, 1);
    assert_shows(text, "<text>a'b \"c\" \\n %d ^2 _{x} @y &amp;z");
    netdp_i_free(text);
    assert_ok(netdp_i_chart_write(charts, 1, 1, NULL, "it's `touch ran` $x.svg", &error));
    assert_int_equal(remove("it's `touch ran` $x.svg"), 0);
    assert_int_not_equal(access("ran", F_OK), 0);
}

/* Every combination of scales takes every kind of values. */
static void test_four_panels_fill_a_square(void **state)
{
    (void)state;
    const netdp_i_chart_series series = {.name = "a", .count = 4, .x = x, .y = y};
    const netdp_i_chart chart = {.count = 1, .series = &series};
    const netdp_i_chart four[] = {chart, chart, chart, chart};
    char *text = draw(four, 4);
    assert_shows(text, "width=\"840\"");
    netdp_i_free(text);
}

/* The lower one of two curves is wider than the other, which hides it otherwise. */
static void test_a_curve_below_another_is_seen(void **state)
{
    (void)state;
    const netdp_i_chart_series series[] = {
        {.name = "a", .count = 4, .x = x, .y = y},
        {.name = "b", .count = 4, .x = x, .y = y, .colour = 1},
        {.name = "c", .count = 4, .x = x, .y = high, .colour = 2}};
    const netdp_i_chart chart = {.count = 3, .series = series},
                        apart = {.count = 2, .series = series + 1};
    char *text = draw(&chart, 1);
    assert_shows(text, "stroke-width=\"3.80\"");
    netdp_i_free(text);
    text = draw(&apart, 1);
    assert_null(strstr(text, "stroke-width=\"3.80\""));
    netdp_i_free(text);
}

static void test_hard_values(void **state)
{
    (void)state;
    static const double hard[][4] = {
        {INFINITY, INFINITY, INFINITY, INFINITY},
        {NAN, NAN, NAN, NAN},
        {0, 0, 0, 0},
        {3, 3, 3, 3},
        {-1, -2, INFINITY, NAN},
        {1e-320, 1e-300, 1e300, 1.7e308},
        {-1e300, 0, 1e300, 5},
        {1e15, 1e15 + 2, 1e15 + 3, 1e15},
    };
    static const char *const letters[] = {"a", "b", "c", "d"};
    enum { ROWS = sizeof hard / sizeof *hard, SCALES = 4 };
    netdp_i_chart_series series[2 * ROWS] = {0};
    netdp_i_chart charts[3 * ROWS] = {0};
    for (int scale = 0; scale < SCALES; scale++) {
        for (int i = 0; i < ROWS; i++) {
            series[i] = (netdp_i_chart_series){.name = "y", .count = 4, .x = x, .y = hard[i]};
            series[ROWS + i] = (netdp_i_chart_series){
                .name = "x", .count = 4, .x = hard[i], .y = y, .low = hard[i], .high = high};
            charts[i].series = &series[i];
            charts[ROWS + i].series = &series[ROWS + i];
            charts[2 * ROWS + i].series = &series[i];
            charts[2 * ROWS + i].rows = 4;
            charts[2 * ROWS + i].row = letters;
        }
        for (int i = 0; i < 3 * ROWS; i++) {
            charts[i].count = 1;
            charts[i].log_x = scale & 1;
            charts[i].log_y = scale & 2;
        }
        char *text = draw(charts, 3 * ROWS);
        assert_shows(text, ">infinite<");
        if (scale & 2)
            assert_shows(text, ">zero<");
        netdp_i_free(text);
    }
}

/* Where the marks of each kind stand: their places from the left and from above. */
static int marks_at(const char *text, const char *kind, double left[8], double above[8])
{
    char use[32];
    int count = 0;
    snprintf(use, sizeof use, "<use xlink:href='#%s'", kind);
    for (const char *mark = text; (mark = strstr(mark, use)) != NULL && count < 8; mark++) {
        const char *at = strstr(mark, "translate("), *end = strchr(mark, '>');
        if (at == NULL || at > end) /* the mark's own definition */
            continue;
        assert_int_equal(sscanf(at, "translate(%lf,%lf)", &left[count], &above[count]), 2);
        count++;
    }
    return count;
}

/* Values go to the right, names from above; what a subject has in a row stands on one line. */
static void test_dots_in_rows(void **state)
{
    (void)state;
    enum { FILLED = 0, HOLLOW = 1, PRINTED = 2 };
    static const char *const name[] = {"first row", "second row"};
    const double ours[] = {0.9, 0.5}, theirs[] = {0.5, 0.7}, printed[] = {0.7, NAN},
                 other[] = {NAN, 0.9}, least[] = {0.8, 0.4}, most[] = {1, 0.6};
    const netdp_i_chart_series series[] = {
        {.name = "a", .count = 2, .y = ours, .low = least, .high = most, .points = true},
        {.name = "a (published)", .count = 2, .y = theirs, .published = true, .points = true},
        {.name = "a (printed)", .count = 2, .y = printed, .crosses = true, .points = true},
        {.name = "b", .count = 2, .y = other, .colour = 1, .points = true},
    };
    const netdp_i_chart chart = {
        .y_label = "accuracy", .count = 4, .series = series, .rows = 2, .row = name};
    double left[3][8], above[3][8];
    char *text = draw(&chart, 1);
    assert_shows(text, ">first row<");
    /* gnuplot's marks 7, 6 and 2; the last of each is the legend's. */
    assert_int_equal(marks_at(text, "gpPt6", left[FILLED], above[FILLED]), 3);
    assert_int_equal(marks_at(text, "gpPt5", left[HOLLOW], above[HOLLOW]), 3);
    assert_int_equal(marks_at(text, "gpPt1", left[PRINTED], above[PRINTED]), 2);
    assert_close(left[HOLLOW][0], left[FILLED][1], 0.2, 0);
    assert_close(left[HOLLOW][1], left[PRINTED][0], 0.2, 0);
    assert_true(left[FILLED][0] > left[PRINTED][0] + 50);
    assert_close(above[FILLED][0], above[PRINTED][0], 0.2, 0);
    assert_close(above[FILLED][1], above[HOLLOW][1], 0.2, 0);
    assert_true(above[FILLED][1] > above[FILLED][0] + 50);
    netdp_i_free(text);
}

/* Bins as steps over a shade; what is all one number is a line from edge to edge, and no part of the axis. */
static void test_bins(void **state)
{
    (void)state;
    const double share[] = {0.25, 0.5, 0.25, 0}, one[] = {1}, at[] = {2.5};
    const netdp_i_chart_series series[] = {
        {.name = "bins", .count = 4, .x = x, .y = share, .steps = true},
        {.name = "alike", .count = 1, .x = at, .y = one, .colour = 1, .steps = true},
    };
    const netdp_i_chart chart = {.count = 2, .series = series};
    char *text = draw(&chart, 1);
    assert_shows(text, ">0.5<");
    assert_null(strstr(text, ">0.8<"));
    assert_shows(text, "fill-opacity = '0.2");
    netdp_i_free(text);
}

static void test_few_points(void **state)
{
    (void)state;
    const netdp_i_chart_series series[] = {
        {.name = "one", .count = 1, .x = x, .y = y, .low = low, .high = high},
        {.name = "none", .count = 0, .x = x, .y = y},
        {.name = "scattered", .count = 1, .x = x, .y = y, .points = true},
        {.name = NULL, .count = 4, .x = x, .y = y},
    };
    netdp_i_chart charts[] = {
        {.count = 4, .series = series},
        {.count = 1, .series = series, .log_x = true, .log_y = true},
        {.count = 1, .series = series + 1, .log_y = true},
        {.title = "nothing at all"},
    };
    char *text = draw(charts, 4);
    assert_shows(text, ">none<");
    assert_shows(text, ">nothing at all<");
    netdp_i_free(text);
}

/* Long curves are thinned, but their extremes stay; of a scatter the legend says how much. */
static void test_many_points(void **state)
{
    (void)state;
    enum { MANY = 20000, PEAK = 12345 };
    double *at = NETDP_I_NEW(double, MANY), *value = NETDP_I_NEW(double, MANY);
    for (int i = 0; i < MANY; i++) {
        at[i] = i;
        value[i] = i == PEAK ? 1000 : 1 + i % 7;
    }
    netdp_i_chart_series series = {.name = "many", .count = MANY, .x = at, .y = value};
    netdp_i_chart chart = {.count = 1, .series = &series};
    char *text = draw(&chart, 1);
    assert_true(strlen(text) < 40000);
    assert_null(strstr(text, "of 20000"));
    /* The peak lies where the axis, which ends 4 % above it, is at its highest but for that. */
    double highest = INFINITY, px = 0, py = 0;
    for (const char *point = text; (point = strstr(point, " L")) != NULL; point += 2)
        if (sscanf(point, " L%lf,%lf", &px, &py) == 2 && fabs(px - 82 - 540 * 0.6) < 60)
            highest = fmin(highest, py);
    assert_true(highest < 45);
    netdp_i_free(text);
    series.points = true;
    text = draw(&chart, 1);
    assert_true(strlen(text) < 70000);
    assert_shows(text, "many (400 of 20000 points)");
    netdp_i_free(text);
    netdp_i_free(at);
    netdp_i_free(value);
}

static void test_axis(void **state)
{
    (void)state;
    netdp_i_axis axis = {.log = true};
    netdp_i_axis_take(&axis, 0);
    netdp_i_axis_take(&axis, INFINITY);
    assert_false(axis.any);
    netdp_i_axis_take(&axis, 1e-3);
    netdp_i_axis_take(&axis, 1e3);
    netdp_i_axis_finish(&axis, 0);
    assert_true(axis.low < 1e-3 && axis.low > 1e-4 && axis.high > 1e3 && axis.high < 1e4);
    assert_close(netdp_i_axis_part(&axis, 1), 0.5, 1e-12, 0);
    assert_close(netdp_i_axis_at(&axis, 0.5), 1, 0, 1e-12);
    netdp_i_axis linear = {0};
    netdp_i_axis_take(&linear, 1);
    netdp_i_axis_take(&linear, 5);
    netdp_i_axis_finish(&linear, 0.35);
    assert_true(linear.low >= 0 && linear.low <= 0 && linear.high > 5);
}

/* Where the label 10^power stands; NaN: nowhere. */
static double tick_of(const char *text, int power)
{
    char label[16];
    snprintf(label, sizeof label, ">%d<", power);
    for (const char *ten = text; (ten = strstr(ten, ">10</tspan>")) != NULL; ten++) {
        const char *exponent = strstr(ten + 1, label), *end = strstr(ten, "</text>");
        const char *at = ten;
        while (at > text && strncmp(at, "translate(", 10) != 0)
            at--;
        if (exponent != NULL && exponent < end)
            return strtod(at + 10, NULL);
    }
    return NAN;
}

static bool has_mark(const char *text, double left)
{
    for (const char *mark = text; (mark = strstr(mark, "<use xlink:href='#gpPt")) != NULL; mark++) {
        const char *at = strstr(mark, "translate("), *end = strchr(mark, '>');
        if (at != NULL && at < end && fabs(strtod(at + 10, NULL) - left) < 0.6)
            return true;
    }
    return false;
}

/* gnuplot, given a step of ticks alone, counts them from the lower end of a logarithmic axis. */
static void test_ticks_stand_at_their_powers(void **state)
{
    (void)state;
    const double decades[] = {40, 100, 1000, 4000};
    const netdp_i_chart_series series = {
        .name = "a", .count = 4, .x = decades, .y = y, .points = true};
    const netdp_i_chart chart = {.log_x = true, .count = 1, .series = &series};
    char *text = draw(&chart, 1);
    for (int power = 2; power <= 3; power++)
        assert_true(has_mark(text, tick_of(text, power)));
    assert_false(has_mark(text, tick_of(text, 2) + 20));
    netdp_i_free(text);
}

/* Where the label of y stands, from the picture's edge; NaN: nowhere. */
static double label_of_y(const char *text)
{
    const char *at = text;
    double left = NAN;
    while ((at = strstr(at, "translate(")) != NULL && strstr(at, ">loss</text>") != NULL)
        left = strtod(at += 10, NULL);
    return left;
}

static double left_of_y(double least)
{
    const double decades[] = {1, least, 1, least};
    const netdp_i_chart_series series = {
        .name = "a", .count = 4, .x = y, .y = decades, .points = true};
    const netdp_i_chart chart = {.log_y = true, .count = 1, .series = &series, .y_label = "loss"};
    char *text = draw(&chart, 1);
    const double left = label_of_y(text);
    netdp_i_free(text);
    return left;
}

/* A longer exponent moves the axis, not the label to the edge. */
static void test_long_exponents_have_room(void **state)
{
    (void)state;
    const double left = left_of_y(1e-5);
    assert_true(left_of_y(1e-14) >= left - 2);
    assert_true(left_of_y(1e-120) >= left - 3);
}

static void test_heatmaps(void **state)
{
    (void)state;
    enum { LARGE = 301 };
    double *large = NETDP_I_NEW(double, LARGE *LARGE);
    static const double one[] = {5}, few[] = {9, 0, INFINITY, 2, 9, NAN, 1, 1e-3, 9};
    for (int i = 0; i < LARGE * LARGE; i++)
        large[i] = 1 + i % 5;
    const netdp_i_heatmap maps[] = {
        {.title = "`touch ran` 'one'", .size = 1, .value = one},
        {.title = "few", .x_label = "learns", .y_label = "about", .size = 3, .value = few},
        {.title = "many", .size = LARGE, .value = large, .diagonal = true},
    };
    for (int log = 0; log < 2; log++) {
        assert_ok(
            netdp_i_heatmap_write(maps, 3, 0, log, "loss \u03b5", NULL, "picture.svg", &error));
        char *text = text_of("picture.svg");
        assert_shows(text, "`touch ran` 'one'");
        assert_shows(text, ">infinite<");
        assert_shows(text, "the largest of each 2 by 2");
        assert_shows(text, ">loss \u03b5<");
        assert_int_equal(strstr(text, ">zero<") != NULL, log);
        netdp_i_free(text);
    }
    assert_int_not_equal(access("ran", F_OK), 0);
    netdp_i_free(large);
}

static netdp_graph *make(const char *family, bool connected)
{
    netdp_graph *graph = NULL;
    assert_ok(netdp_graph_make(family, 3, connected, &graph, NULL, &error));
    return graph;
}

/* In the unit square, no two at one place, the same again. */
static void test_layout(void **state)
{
    (void)state;
    static const char *const family[] = {
        "path 1",      "path 9",           "ring 2",       "ring 30",
        "complete 12", "star 20",          "grid 1 1",     "grid 6 9",
        "torus 6 10",  "hypercube 0",      "hypercube 4",  "hypercube 6",
        "hypercube 7", "hypercube 8",      "hypercube 9",  "static-exponential 32",
        "caveman 5 6", "caveman 1 4",      "caveman 2 4",  "geometric 60 0.3",
        "karate",      "erdos-renyi 60 0", "regular 40 3", "barabasi-albert 300 2",
    };
    for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
        netdp_graph *graph = make(family[f], false);
        const int32_t nodes = netdp_graph_nodes(graph);
        double *place = NETDP_I_NEW(double, 4 * nodes);
        assert_ok(netdp_i_graph_layout(graph, 1, place, place + nodes, &error));
        assert_ok(netdp_i_graph_layout(graph, 1, place + 2 * nodes, place + 3 * nodes, &error));
        assert_memory_equal(place, place + 2 * nodes, 2 * (size_t)nodes * sizeof *place);
        for (int32_t u = 0; u < nodes; u++) {
            assert_true(place[u] >= 0 && place[u] <= 1);
            assert_true(place[nodes + u] >= 0 && place[nodes + u] <= 1);
            for (int32_t v = 0; v < u; v++)
                if (hypot(place[u] - place[v], place[nodes + u] - place[nodes + v]) < 1e-4)
                    fail_msg("%s: nodes %d and %d meet", family[f], u, v);
        }
        netdp_i_free(place);
        netdp_graph_free(graph);
    }
}

/* The positions are those that the edges came from, also of what is left of the graph. */
static void test_positions(void **state)
{
    (void)state;
    const double *px = NULL, *py = NULL;
    netdp_graph *graph = make("geometric 200 0.08", false), *ring = make("ring 5", true);
    assert_false(netdp_graph_positions(ring, &px, &py));
    assert_null(px);
    for (int whole = 1; whole >= 0; whole--) {
        int64_t joined = 0;
        assert_true(netdp_graph_positions(graph, &px, &py));
        for (int32_t u = 0; u < netdp_graph_nodes(graph); u++)
            for (int32_t v = 0; v < u; v++)
                joined += hypot(px[u] - px[v], py[u] - py[v]) < 0.08;
        for (int32_t u = 0; u < netdp_graph_nodes(graph); u++)
            for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++) {
                const int32_t v = netdp_graph_neighbours(graph, u)[i];
                assert_true(hypot(px[u] - px[v], py[u] - py[v]) < 0.08);
            }
        assert_int_equal(joined, netdp_graph_edges(graph));
        if (whole)
            assert_ok(netdp_i_graph_keep_giant(&graph, NULL, &error));
    }
    assert_true(netdp_graph_nodes(graph) < 200 && netdp_graph_nodes(graph) > 20);
    netdp_graph_free(graph);
    netdp_graph_free(ring);
}

static void test_drawings(void **state)
{
    (void)state;
    static const char *const family[] = {"path 1", "karate", "complete 90"};
    netdp_i_drawing drawing[3];
    double *place[3], *value[3];
    for (int i = 0; i < 3; i++) {
        netdp_graph *graph = make(family[i], true);
        const int32_t nodes = netdp_graph_nodes(graph);
        place[i] = NETDP_I_NEW(double, 2 * nodes);
        value[i] = NETDP_I_NEW(double, nodes);
        assert_ok(netdp_i_graph_layout(graph, 1, place[i], place[i] + nodes, &error));
        for (int32_t v = 0; v < nodes; v++)
            value[i][v] = v == 0 ? NAN : v == 1 ? INFINITY : v == 2 ? 0 : 1.0 / v;
        drawing[i] = (netdp_i_drawing){.title = "`touch ran`",
                                       .graph = graph,
                                       .x = place[i],
                                       .y = place[i] + nodes,
                                       .value = value[i],
                                       .source = i == 1 ? 5 : -1};
    }
    assert_ok(netdp_i_drawing_write(drawing, 3, 3, true, "loss", NULL, "picture.svg", &error));
    char *text = text_of("picture.svg");
    assert_shows(text, ">source<");
    assert_shows(text, ">zero<");
    assert_shows(text, ">infinite<");
    /* 4005 edges, of which each of three panels may show 800. */
    assert_shows(text, "(one edge in 6 drawn)");
    assert_true(strlen(text) < 100000);
    assert_int_not_equal(access("ran", F_OK), 0);
    netdp_i_free(text);
    drawing[1].observer = true;
    assert_ok(netdp_i_drawing_write(drawing + 1, 1, 1, true, "loss", NULL, "picture.svg", &error));
    text = text_of("picture.svg");
    assert_null(strstr(text, ">source<"));
    assert_shows(text, ">observer<");
    netdp_i_free(text);
    drawing[1].value = NULL;
    drawing[1].source = -1;
    assert_ok(netdp_i_drawing_write(drawing + 1, 1, 1, false, NULL, NULL, "picture.svg", &error));
    text = text_of("picture.svg");
    assert_null(strstr(text, ">source<"));
    netdp_i_free(text);
    for (int i = 0; i < 3; i++) {
        netdp_graph *graph = (netdp_graph *)(uintptr_t)drawing[i].graph;
        netdp_graph_free(graph);
        netdp_i_free(place[i]);
        netdp_i_free(value[i]);
    }
}

/* The trade-off of an audit, whose name is the user's. */
static void test_trade(void **state)
{
    (void)state;
    json_t *audit =
        json_pack("{s:s, s:i, s:i, s:s, s:{s:f}, s:{s:[{s:f, s:f, s:f, s:f}]}}", "name",
                  "'`touch ran`'", "to", 1, "from", 2, "verdict", "holds", "claim", "mu", 1.0,
                  "evidence", "points", "false_positive", 0.1, "false_negative", 0.8,
                  "false_positive_most", 0.2, "false_negative_most", 0.9);
    assert_non_null(audit);
    assert_ok(netdp_i_trade_write(audit, "picture.svg", &error));
    char *text = text_of("picture.svg");
    assert_shows(text, ">'`touch ran`': node 1 about node 2, holds<");
    assert_int_not_equal(access("ran", F_OK), 0);
    netdp_i_free(text);
    json_decref(audit);
}

static void test_failures(void **state)
{
    (void)state;
    const netdp_i_chart_series series = {.name = "y", .count = 4, .x = x, .y = y};
    const netdp_i_chart chart = {.count = 1, .series = &series};
    assert_fails(netdp_i_chart_write(&chart, 1, 1, NULL, "no/such/folder.svg", &error),
                 NETDP_ENVIRONMENT);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    assert_fails(netdp_i_chart_write(&chart, 1, 1, NULL, "absent.svg", &error), NETDP_ENVIRONMENT);
    setenv("PATH", path, 1);
    free(path);
    assert_int_not_equal(access("absent.svg", F_OK), 0);
    assert_int_equal(netdp_i_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_four_panels_fill_a_square),
        cmocka_unit_test(test_a_curve_below_another_is_seen),
        cmocka_unit_test(test_hard_values),
        cmocka_unit_test(test_dots_in_rows),
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_few_points),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_axis),
        cmocka_unit_test(test_ticks_stand_at_their_powers),
        cmocka_unit_test(test_long_exponents_have_room),
        cmocka_unit_test(test_heatmaps),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_drawings),
        cmocka_unit_test(test_trade),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
