/* The frame of a picture: its size, panels and margins, for gnuplot. */
#include "plot/plot.h"

static int32_t rows_of(const netdp_i_frame *frame)
{
    return (frame->panels + frame->columns - 1) / frame->columns;
}

/* What panels want to be, by how many stand in a row; below LEAST nothing can be read. */
static const struct {
    int32_t width, height;
} size[] = {{640, 400}, {420, 330}, {340, 290}};
enum { SIZES = sizeof size / sizeof *size, LEAST = 195, LEAST_HEIGHT = 230 };

static int32_t class_of(int32_t columns)
{
    return columns < SIZES ? columns - 1 : SIZES - 1;
}

/* In so much room fewer columns, rows as whole as they were, and panels that fill it. */
static void fit(netdp_i_frame *frame, bool given, int32_t room, int32_t least)
{
    const int32_t wanted = frame->columns;
    while (frame->columns > 1 &&
           (room / frame->columns < least || (given && wanted % frame->columns != 0)))
        frame->columns--;
    frame->width = room / frame->columns;
    const int32_t class = class_of(frame->columns);
    const int32_t height = frame->width * size[class].height / size[class].width;
    frame->height = height < LEAST_HEIGHT ? LEAST_HEIGHT : height;
}

static netdp_i_frame plain_frame(int32_t panels, int32_t columns, const netdp_i_look *look)
{
    if (columns < 1) /* four fill a square, not a row and its beginning */
        columns = panels == 4 ? 2 : panels < SIZES ? panels : SIZES;
    if (columns > panels)
        columns = panels;
    const int32_t class = class_of(columns);
    return (netdp_i_frame){.panels = panels,
                           .columns = columns,
                           .width = size[class].width,
                           .height = size[class].height,
                           .look = look};
}

netdp_i_frame netdp_i_frame_of(int32_t panels, int32_t columns, const netdp_i_look *look)
{
    netdp_i_frame frame = plain_frame(panels, columns, look);
    if (look != NULL && look->width > 0)
        fit(&frame, columns > 0, look->width, LEAST);
    return frame;
}

netdp_i_frame netdp_i_frame_square(int32_t panels, int32_t columns, netdp_i_margins margins,
                                   netdp_i_squares squares, const netdp_i_look *look)
{
    enum { LEAST_AXES = 110, FEW = 3 };
    netdp_i_frame frame = plain_frame(panels, columns, look);
    const int32_t around = margins.left + margins.right;
    if (frame.columns == 1)
        frame.width = 480;
    if (look != NULL && look->width > 0) {
        const int32_t room = look->width - squares.side;
        int32_t least = around + LEAST_AXES;
        least = squares.titled > least ? squares.titled : least;
        if (panels > FEW &&
            least > room / 2) /* long titles take more lines rather than a page is left */
            least = room / 2;
        fit(&frame, columns > 0, room, least);
    }
    frame.height = frame.width - around + margins.top + margins.bottom;
    return frame;
}

int32_t netdp_i_frame_width(const netdp_i_frame *frame)
{
    return frame->columns * frame->width + frame->side;
}

static netdp_i_along along(const netdp_i_frame *frame, int32_t pixels, bool upward)
{
    const bool wide = frame->look == NULL || frame->look->width == 0;
    return (netdp_i_along){wide || pixels < 1 ? 0 : pixels, upward};
}

netdp_i_along netdp_i_frame_across(const netdp_i_frame *frame, netdp_i_margins margins)
{
    return along(frame, frame->width - margins.left - margins.right, false);
}

netdp_i_along netdp_i_frame_up(const netdp_i_frame *frame, netdp_i_margins margins)
{
    return along(frame, frame->height - margins.top - margins.bottom, true);
}

static int32_t height_of(const netdp_i_frame *frame)
{
    return rows_of(frame) * frame->height + frame->foot;
}

void netdp_i_frame_begin(FILE *out, const netdp_i_frame *frame)
{
    enum { INCH = 72 }; /* points */
    const int32_t width = netdp_i_frame_width(frame), height = height_of(frame);
    const netdp_i_look *look = frame->look;
    const char *rounded = frame->round ? " rounded" : "";
    if (look == NULL)
        fprintf(out,
                "set terminal svg size %d,%d fixed enhanced font 'sans-serif,%d' "
                "background 'white' standalone%s\n",
                (int)width, (int)height, NETDP_I_TEXT_SIZE, rounded);
    else if (!look->pdf)
        fprintf(out,
                "set terminal svg size %.0f,%.0f fixed enhanced font '%s,%.6g' linewidth %.6g "
                "background 'white' standalone%s\n",
                width * look->scale, height * look->scale, look->font,
                NETDP_I_TEXT_SIZE * look->scale, look->scale, rounded);
    else /* whose letters are 96/72 of what is asked for, and whose lines are half as wide */
        fprintf(out,
                "set terminal pdfcairo size %.6gin,%.6gin enhanced font '%s,%.6g' fontscale 0.75 "
                "linewidth %.6g background 'white'%s\n",
                width * look->scale / INCH, height * look->scale / INCH, look->font,
                NETDP_I_TEXT_SIZE * look->scale, 2 * look->scale, rounded);
    fputs("set encoding utf8\nset key noenhanced\nset multiplot\n", out);
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
