/* Pictures drawn by gnuplot: a script through a pipe, SVG back, never a shell. */
#ifndef NETDP_I_PLOT_H
#define NETDP_I_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <netdp/status.h>

#include "plot/axis.h"

/*
 * Runs gnuplot on the script that `print` writes about `what`, which draws to its standard output,
 * and writes that to `path`. Data stand in the script as inline blocks. NETDP_ENVIRONMENT where
 * gnuplot is missing or fails.
 */
netdp_status netdp_i_plot_write(void (*print)(FILE *out, const void *what), const void *what,
                                const char *path, netdp_error *error);

/*
 * Text from outside as an expression of gnuplot, which reads it as nothing but text: what does not
 * print as '?', in at most `lines` lines of `width` characters, and "..." where that is not enough.
 * Its number of lines. Whatever takes it must be set noenhanced.
 */
int32_t netdp_i_plot_text(FILE *out, const char *text, int32_t width, int32_t lines);

/* The same for a tick, whose label is a format. */
int32_t netdp_i_plot_tick_text(FILE *out, const char *text, int32_t width, int32_t lines);

/* How many characters the text has; the most of `known`, a title and what stands below (NULL: none). */
int32_t netdp_i_plot_length(const char *text);
int32_t netdp_i_plot_longest(int32_t known, const char *title, const char *standing);

/*
 * How a picture is to look; NULL wherever one is asked for: an SVG as large as its panels want to be.
 * Pictures are laid out in pixels of which letters have NETDP_I_TEXT_SIZE; `scale` says what one becomes.
 */
typedef struct netdp_i_look {
    bool pdf;         /* else an SVG */
    double scale;     /* points of a PDF, pixels of an SVG; above 0 */
    int32_t width;    /* of the whole picture, in pixels of the layout; 0: what its panels want */
    const char *font; /* letters, digits, blanks and hyphens */
} netdp_i_look;

#define NETDP_I_TEXT_SIZE 13

/* What a scale of colours takes at the right, in pixels. */
#define NETDP_I_SIDE 96

/* Panels in rows, all of one size, with room for what they share below and at the right; pixels. */
typedef struct netdp_i_frame {
    int32_t panels, columns;
    int32_t width, height; /* of a panel */
    int32_t side, foot;
    bool round;               /* ends of lines */
    const netdp_i_look *look; /* lent */
} netdp_i_frame;

/* What a panel leaves around its axes, in pixels. */
typedef struct netdp_i_margins {
    int32_t left, right, top, bottom;
} netdp_i_margins;

/* What a letter takes on average, in pixels. */
#define NETDP_I_LETTER 7

/* `columns` 0: one row of at most three, four as two by two; fewer where the look is too narrow for them. */
netdp_i_frame netdp_i_frame_of(int32_t panels, int32_t columns, const netdp_i_look *look);
int32_t netdp_i_frame_width(const netdp_i_frame *frame);

/* The strip at the right of square panels, and how wide a panel is whose title is whole. */
typedef struct netdp_i_squares {
    int32_t side, titled;
} netdp_i_squares;

/* The same with square axes between margins that leave room for the title's lines. */
netdp_i_frame netdp_i_frame_square(int32_t panels, int32_t columns, netdp_i_margins margins,
                                   netdp_i_squares squares, const netdp_i_look *look);

/* How long a panel's axes are. Where nobody asks for a width there is room for their labels. */
netdp_i_along netdp_i_frame_across(const netdp_i_frame *frame, netdp_i_margins margins);
netdp_i_along netdp_i_frame_up(const netdp_i_frame *frame, netdp_i_margins margins);

/* Begins; goes to a panel; to the strip below; to the strip at the right. */
void netdp_i_frame_begin(FILE *out, const netdp_i_frame *frame);
void netdp_i_frame_panel(FILE *out, const netdp_i_frame *frame, int32_t panel,
                         netdp_i_margins margins);
void netdp_i_frame_foot(FILE *out, const netdp_i_frame *frame);
void netdp_i_frame_side(FILE *out, const netdp_i_frame *frame, netdp_i_margins margins);

/* "set title" with up to two texts below it, each NULL where there is none and in as many lines as it takes, up to
 * three; and how many lines these are. */
void netdp_i_plot_title(FILE *out, const char *title, const char *second, const char *third,
                        int32_t pixels);
int32_t netdp_i_plot_title_lines(const char *title, const char *second, const char *third,
                                 int32_t pixels);

/* "set KEY TEXT noenhanced", or "unset KEY" where there is no text. Its number of lines. */
int32_t netdp_i_plot_label(FILE *out, const char *key, const char *text, int32_t pixels,
                           int32_t lines);

#endif
