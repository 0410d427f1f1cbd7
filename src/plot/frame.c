/* The frame of a picture: its size, panels and margins, for gnuplot. */
#include "plot/plot.h"

static int32_t rows_of(const netdp_i_frame *frame)
{
    return (frame->panels + frame->columns - 1) / frame->columns;
}

netdp_i_frame netdp_i_frame_of(int32_t panels, int32_t columns)
{
    static const struct {
        int32_t width, height;
    } size[] = {{640, 400}, {420, 330}, {340, 290}};
    enum { SIZES = sizeof size / sizeof *size };
    if (columns < 1)
        columns = panels < SIZES ? panels : SIZES;
    if (columns > panels)
        columns = panels;
    const int32_t class = columns < SIZES ? columns - 1 : SIZES - 1;
    return (netdp_i_frame){.panels = panels,
                           .columns = columns,
                           .width = size[class].width,
                           .height = size[class].height};
}

netdp_i_frame netdp_i_frame_square(int32_t panels, int32_t columns, netdp_i_margins margins)
{
    netdp_i_frame frame = netdp_i_frame_of(panels, columns);
    if (frame.columns == 1)
        frame.width = 480;
    frame.height = frame.width - margins.left - margins.right + margins.top + margins.bottom;
    return frame;
}

int32_t netdp_i_frame_width(const netdp_i_frame *frame)
{
    return frame->columns * frame->width + frame->side;
}

static int32_t height_of(const netdp_i_frame *frame)
{
    return rows_of(frame) * frame->height + frame->foot;
}

void netdp_i_frame_begin(FILE *out, const netdp_i_frame *frame)
{
    fprintf(out,
            "set terminal svg size %d,%d fixed enhanced font 'sans-serif,13' "
            "background 'white' standalone%s\n"
            "set encoding utf8\nset key noenhanced\nset multiplot\n",
            (int)netdp_i_frame_width(frame), (int)height_of(frame), frame->round ? " rounded" : "");
}

/* The corner (x, y) is counted from below. */
static void print_place(FILE *out, const netdp_i_frame *frame, int32_t x, int32_t y, int32_t width,
                        int32_t height, netdp_i_margins margins)
{
    const double whole_width = netdp_i_frame_width(frame), whole_height = height_of(frame);
    fprintf(out, "set origin %.9g,%.9g\nset size %.9g,%.9g\n", x / whole_width, y / whole_height,
            width / whole_width, height / whole_height);
    fprintf(out,
            "set lmargin at screen %.9g\nset rmargin at screen %.9g\n"
            "set bmargin at screen %.9g\nset tmargin at screen %.9g\n",
            (x + margins.left) / whole_width, (x + width - margins.right) / whole_width,
            (y + margins.bottom) / whole_height, (y + height - margins.top) / whole_height);
}

void netdp_i_frame_panel(FILE *out, const netdp_i_frame *frame, int32_t panel,
                         netdp_i_margins margins)
{
    const int32_t row = panel / frame->columns;
    print_place(out, frame, panel % frame->columns * frame->width,
                frame->foot + (rows_of(frame) - 1 - row) * frame->height, frame->width,
                frame->height, margins);
}

static const netdp_i_margins none;

void netdp_i_frame_foot(FILE *out, const netdp_i_frame *frame)
{
    print_place(out, frame, 0, 0, netdp_i_frame_width(frame), frame->foot, none);
}

void netdp_i_frame_side(FILE *out, const netdp_i_frame *frame, netdp_i_margins margins)
{
    print_place(out, frame, frame->columns * frame->width, frame->foot, frame->side,
                rows_of(frame) * frame->height, margins);
}
