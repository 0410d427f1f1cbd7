#include "plot/drawing.h"

#include <math.h>
#include <stdio.h>

#include "plot/plot.h"
#include "plot/shade.h"

enum {
    MOST_EDGES = 2000, /* a picture, shared by its panels */
    LEAST_EDGES = 800, /* a panel, however many there are */
    MOST_RINGED = 500, /* nodes with an outline */
    SHADES = 24
};

enum { TITLE = 34, LINE = 20 }; /* pixels */

struct picture {
    const netdp_i_drawing *drawing;
    netdp_i_frame frame;
    netdp_i_margins margins;
    netdp_i_shade shade;
    const char *label;
    bool source, observer, valued;
};

/* Every how many-th edge is drawn. */
static int64_t stride_of(int32_t panels, const netdp_graph *graph)
{
    const int64_t most = panels > MOST_EDGES / LEAST_EDGES ? LEAST_EDGES : MOST_EDGES / panels;
    return (netdp_graph_edges(graph) + most - 1) / most;
}

static void print_edges(FILE *out, const netdp_i_drawing *drawing, int64_t stride)
{
    const netdp_graph *graph = drawing->graph;
    int64_t number = 0;
    for (int32_t u = 0; u < netdp_graph_nodes(graph); u++) {
        for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++) {
            const int32_t v = netdp_graph_neighbours(graph, u)[i];
            if (u < v && number++ % stride == 0)
                fprintf(out, "%.5g %.5g\n%.5g %.5g\n\n", drawing->x[u], drawing->y[u],
                        drawing->x[v], drawing->y[v]);
        }
    }
}

/* A node is a line that is too short to see, with round ends: far fewer bytes than a mark. */
static void print_node(FILE *out, const netdp_i_drawing *drawing, int32_t v)
{
    fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n", drawing->x[v], drawing->y[v], drawing->x[v] + 1e-4,
            drawing->y[v]);
}

/* Where on the scale of SHADES colours; SHADES: hollow, SHADES + 1: infinite. */
static int shade_of(const struct picture *picture, const netdp_i_drawing *drawing, int32_t v)
{
    const netdp_i_axis *axis = &picture->shade.axis;
    if (drawing->value == NULL)
        return SHADES / 2;
    const double value = drawing->value[v];
    if (netdp_i_axis_holds(axis, value))
        return (int)fmin(floor(netdp_i_axis_part(axis, value) * SHADES), SHADES - 1);
    return value > 1 ? SHADES + 1 : SHADES;
}

static uint32_t colour_of(const struct picture *picture, int shade)
{
    if (shade == SHADES)
        return netdp_i_shade_of(&picture->shade, NAN);
    if (shade == SHADES + 1)
        return netdp_i_shade_of(&picture->shade, INFINITY);
    return netdp_i_shade_of(&picture->shade,
                            netdp_i_axis_at(&picture->shade.axis, (shade + 0.5) / SHADES));
}

static bool is_used(const struct picture *picture, const netdp_i_drawing *drawing, int shade)
{
    for (int32_t v = 0; v < netdp_graph_nodes(drawing->graph); v++)
        if (shade_of(picture, drawing, v) == shade)
            return true;
    return false;
}

static void print_blocks(FILE *out, const struct picture *picture, const netdp_i_drawing *drawing,
                         int64_t stride)
{
    const int32_t nodes = netdp_graph_nodes(drawing->graph);
    fputs("$edges << END\n", out);
    print_edges(out, drawing, stride);
    fputs("END\n$nodes << END\n", out);
    for (int32_t v = 0; v < nodes; v++)
        if (nodes <= MOST_RINGED || shade_of(picture, drawing, v) == SHADES)
            print_node(out, drawing, v);
    fputs("END\n", out);
    for (int shade = 0; shade < SHADES + 2; shade++) {
        if (!is_used(picture, drawing, shade))
            continue;
        fprintf(out, "$n%d << END\n", shade);
        for (int32_t v = 0; v < nodes; v++)
            if (shade_of(picture, drawing, v) == shade)
                print_node(out, drawing, v);
        fputs("END\n", out);
    }
}

enum { SKIPPED = 48 };

/* What is not drawn, as a line of the title; NULL: nothing is left out. */
static const char *skipped_of(int32_t panels, const netdp_i_drawing *drawing, char room[SKIPPED])
{
    const int64_t stride = stride_of(panels, drawing->graph);
    snprintf(room, SKIPPED, "(one edge in %lld drawn)", (long long)stride);
    return stride > 1 ? room : NULL;
}

/* What the panel's width leaves to its title. */
static int32_t title_room(const netdp_i_frame *frame)
{
    return frame->width - 20;
}

/* Lines of the longest title: the panels are laid out without them first, which decides how wide they are. */
static int32_t most_lines(const netdp_i_frame *frame, const netdp_i_drawing *drawing)
{
    char room[SKIPPED];
    int32_t most = 1;
    for (int32_t p = 0; p < frame->panels; p++) {
        const int32_t lines = netdp_i_plot_title_lines(drawing[p].title, drawing[p].standing,
                                                       skipped_of(frame->panels, &drawing[p], room),
                                                       title_room(frame));
        most = lines > most ? lines : most;
    }
    return most;
}

static void print_panel(FILE *out, const struct picture *picture, int32_t p)
{
    const netdp_i_drawing *drawing = &picture->drawing[p];
    const netdp_i_frame *frame = &picture->frame;
    const int32_t nodes = netdp_graph_nodes(drawing->graph);
    const int64_t stride = stride_of(frame->panels, drawing->graph);
    char skipped[SKIPPED];
    const double across = frame->width - picture->margins.left - picture->margins.right;
    const double size = fmin(fmax(0.45 * across / sqrt(nodes), 3.5), 12);
    print_blocks(out, picture, drawing, stride);
    netdp_i_plot_title(out, drawing->title, drawing->standing,
                       skipped_of(frame->panels, drawing, skipped), title_room(frame));
    netdp_i_frame_panel(out, frame, p, picture->margins);
    fputs("unset logscale\nunset xlabel\nunset ylabel\nunset tics\nunset border\n"
          "set xrange [-0.03:1.03] noextend\nset yrange [-0.03:1.03] noextend\n"
          "plot NaN notitle",
          out);
    if (netdp_graph_edges(drawing->graph) > 0)
        fprintf(out, ", \\\n  $edges using 1:2 with lines notitle lw %s lc rgb '#bbbbbb'",
                netdp_graph_edges(drawing->graph) > 500 ? "0.4" : "0.8");
    if (nodes <= MOST_RINGED || is_used(picture, drawing, SHADES))
        fprintf(out, ", \\\n  $nodes using 1:2 with lines notitle lw %.3g lc rgb '#444444'",
                size + 1.5);
    for (int shade = 0; shade < SHADES + 2; shade++)
        if (is_used(picture, drawing, shade))
            fprintf(out, ", \\\n  $n%d using 1:2 with lines notitle lw %.3g lc rgb '#%06x'", shade,
                    size, (unsigned)colour_of(picture, shade));
    if (drawing->source >= 0)
        fprintf(out,
                ", \\\n  '+' every ::0::0 using (%.6g):(%.6g) with points pt 6 ps %.3g lw 2 lc rgb "
                "'black' notitle",
                drawing->x[drawing->source], drawing->y[drawing->source], 0.6 + size / 8);
    fputc('\n', out);
}

static const char *ring_of(const struct picture *picture)
{
    if (picture->source && picture->observer)
        return "source or observer";
    return picture->source ? "source" : picture->observer ? "observer" : NULL;
}

static void print_picture(FILE *out, const void *what)
{
    const struct picture *picture = what;
    netdp_i_frame_begin(out, &picture->frame);
    fputs("unset key\n", out);
    for (int32_t p = 0; p < picture->frame.panels; p++)
        print_panel(out, picture, p);
    if (picture->valued)
        netdp_i_shade_print_bar(out, &picture->frame, &picture->shade, picture->label,
                                picture->margins);
    netdp_i_shade_print_notes(out, &picture->frame, &picture->shade, ring_of(picture));
    fputs("unset multiplot\n", out);
}

netdp_status netdp_i_drawing_write(const netdp_i_drawing *drawing, int32_t panels, int32_t columns,
                                   bool log, const char *value_label, const netdp_i_look *look,
                                   const char *path, netdp_error *error)
{
    struct picture picture = {.drawing = drawing,
                              .margins = {.left = 14, .right = 14, .top = TITLE, .bottom = 8},
                              .shade = {.axis = {.log = log}},
                              .label = value_label};
    int32_t letters = 0;
    for (int32_t p = 0; p < panels; p++) {
        letters = netdp_i_plot_longest(letters, drawing[p].title, drawing[p].standing);
        picture.source |= drawing[p].source >= 0 && !drawing[p].observer;
        picture.observer |= drawing[p].source >= 0 && drawing[p].observer;
        picture.valued |= drawing[p].value != NULL;
        for (int32_t v = 0; drawing[p].value != NULL && v < netdp_graph_nodes(drawing[p].graph);
             v++)
            netdp_i_shade_take(&picture.shade, drawing[p].value[v]);
    }
    const netdp_i_squares squares = {picture.valued ? NETDP_I_SIDE : 0,
                                     letters * NETDP_I_LETTER + 20};
    picture.frame = netdp_i_frame_square(panels, columns, picture.margins, squares, look);
    picture.margins.top = TITLE + (most_lines(&picture.frame, drawing) - 1) * LINE;
    picture.frame = netdp_i_frame_square(panels, columns, picture.margins, squares, look);
    picture.frame.round = true;
    netdp_i_shade_finish(&picture.shade);
    netdp_i_shade_reserve(&picture.frame, &picture.shade, picture.source || picture.observer);
    if (!picture.valued)
        picture.frame.side = 0;
    return netdp_i_plot_write(print_picture, &picture, path, error);
}
