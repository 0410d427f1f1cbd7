#include "plot/heatmap.h"

#include <math.h>
#include <stdio.h>

#include "plot/plot.h"
#include "plot/shade.h"

enum {
    MOST_CELLS = 250,  /* a side */
    SHARP = 240,       /* a side of so many pixels needs no copies */
    LEAST_PIXELS = 128 /* gnuplot takes seconds for some 200,000 */
};

enum { TITLE = 34, LINE = 20 };

struct picture {
    const netdp_i_heatmap *map;
    netdp_i_frame frame;
    netdp_i_margins margins;
    netdp_i_shade shade;
    const char *label;
};

static double value_at(const netdp_i_heatmap *map, int64_t row, int64_t column)
{
    return row == column && !map->diagonal ? NAN : map->value[row * map->size + column];
}

/* The largest value of a block: its corner, and its side, cut at the matrix's edge. */
static double block_at(const netdp_i_heatmap *map, int32_t row, int32_t column, int32_t side)
{
    double most = NAN;
    for (int32_t i = row; i < map->size && i < row + side; i++)
        for (int32_t j = column; j < map->size && j < column + side; j++)
            most = fmax(most, value_at(map, i, j));
    return most;
}

/* Cells would be smeared by what shows the SVG: each becomes some pixels. */
static void print_pixels(FILE *out, const netdp_i_heatmap *map, const netdp_i_shade *shade,
                         int32_t side)
{
    const int32_t blocks = (map->size + side - 1) / side;
    const int32_t least = blocks < SHARP ? 2 : 1, wanted = (LEAST_PIXELS + blocks - 1) / blocks;
    const int32_t copies = wanted > least ? wanted : least;
    const double step = (double)side / copies;
    for (int32_t i = 0; i < blocks * copies; i++) {
        for (int32_t j = 0; j < blocks * copies; j++) {
            const double value = block_at(map, i / copies * side, j / copies * side, side);
            const uint32_t colour = netdp_i_shade_of(shade, value);
            fprintf(out, "%.9g %.9g %u %u %u\n", (j + 0.5) * step - 0.5, (i + 0.5) * step - 0.5,
                    colour >> 16, colour >> 8 & 0xff, colour & 0xff);
        }
    }
}

enum { BLOCKS = 48 };

/* Of what cells are blocks, as a line of the title; NULL: of single entries. */
static const char *blocks_of(const netdp_i_heatmap *map, char room[BLOCKS])
{
    const int32_t side = (map->size + MOST_CELLS - 1) / MOST_CELLS;
    snprintf(room, BLOCKS, "(the largest of each %d by %d)", (int)side, (int)side);
    return side > 1 ? room : NULL;
}

/* What the panel's width leaves to its title. */
static int32_t title_room(const netdp_i_frame *frame)
{
    return frame->width - 60;
}

/* Lines of the longest title: the panels are laid out without them first, which decides how wide they are. */
static int32_t most_lines(const netdp_i_frame *frame, const netdp_i_heatmap *map)
{
    char room[BLOCKS];
    int32_t most = 1;
    for (int32_t p = 0; p < frame->panels; p++) {
        const int32_t lines = netdp_i_plot_title_lines(map[p].title, map[p].standing,
                                                       blocks_of(&map[p], room), title_room(frame));
        most = lines > most ? lines : most;
    }
    return most;
}

static void take_values(netdp_i_shade *shade, const netdp_i_heatmap *map)
{
    for (int64_t i = 0; i < map->size; i++)
        for (int64_t j = 0; j < map->size; j++)
            netdp_i_shade_take(shade, value_at(map, i, j));
}

static void print_panel(FILE *out, const struct picture *picture, int32_t p)
{
    const netdp_i_heatmap *map = &picture->map[p];
    netdp_i_shade own = {.axis = {.log = picture->shade.axis.log}};
    if (map->apart) {
        take_values(&own, map);
        netdp_i_shade_finish(&own);
    }
    const int32_t side = (map->size + MOST_CELLS - 1) / MOST_CELLS;
    const int32_t blocks = side > 0 ? (map->size + side - 1) / side : 0;
    const netdp_i_axis nodes = {
        .any = true, .low = -0.5, .high = blocks > 0 ? (double)blocks * side - 0.5 : 0.5};
    const netdp_i_frame *frame = &picture->frame;
    fputs("$pixels << END\n", out);
    print_pixels(out, map, map->apart ? &own : &picture->shade, side > 0 ? side : 1);
    fputs("END\n", out);
    char room[BLOCKS];
    netdp_i_plot_title(out, map->title, map->standing, blocks_of(map, room), title_room(frame));
    netdp_i_plot_label(out, "xlabel", map->x_label, frame->width - 90, 1);
    netdp_i_plot_label(out, "ylabel", map->y_label, frame->height - 90, 1);
    netdp_i_axis_print(out, "x", &nodes, netdp_i_frame_across(frame, picture->margins));
    netdp_i_axis_print(out, "y", &nodes, netdp_i_frame_up(frame, picture->margins));
    netdp_i_frame_panel(out, frame, p, picture->margins);
    fprintf(out,
            "set yrange [%.9g:%.9g]\nset tics scale 0.6\n"
            "set xlabel offset 0,0.5\nset border 15 lc rgb '#444444'\n"
            "plot NaN notitle, $pixels using 1:2:3:4:5 with rgbimage notitle\n",
            nodes.high, nodes.low);
}

static void print_picture(FILE *out, const void *what)
{
    const struct picture *picture = what;
    netdp_i_frame_begin(out, &picture->frame);
    fputs("unset key\n", out);
    for (int32_t p = 0; p < picture->frame.panels; p++)
        print_panel(out, picture, p);
    netdp_i_shade_print_bar(out, &picture->frame, &picture->shade, picture->label,
                            picture->margins);
    netdp_i_shade_print_notes(out, &picture->frame, &picture->shade, NULL);
    fputs("unset multiplot\n", out);
}

netdp_status netdp_i_heatmap_write(const netdp_i_heatmap *map, int32_t panels, int32_t columns,
                                   bool log, const char *value_label, const netdp_i_look *look,
                                   const char *path, netdp_error *error)
{
    struct picture picture = {.map = map,
                              .margins = {.left = 72, .right = 16, .top = TITLE, .bottom = 54},
                              .shade = {.axis = {.log = log}},
                              .label = value_label};
    int32_t letters = 0;
    for (int32_t p = 0; p < panels; p++) {
        letters = netdp_i_plot_longest(letters, map[p].title, map[p].standing);
        if (!map[p].apart)
            take_values(&picture.shade, &map[p]);
    }
    const netdp_i_squares squares = {NETDP_I_SIDE, letters * NETDP_I_LETTER + 60};
    picture.frame = netdp_i_frame_square(panels, columns, picture.margins, squares, look);
    picture.margins.top = TITLE + (most_lines(&picture.frame, map) - 1) * LINE;
    picture.frame = netdp_i_frame_square(panels, columns, picture.margins, squares, look);
    netdp_i_shade_finish(&picture.shade);
    netdp_i_shade_reserve(&picture.frame, &picture.shade, false);
    return netdp_i_plot_write(print_picture, &picture, path, error);
}
