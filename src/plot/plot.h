/* Pictures drawn by gnuplot: a script through a pipe, SVG back, never a shell. */
#ifndef NETDP_I_PLOT_H
#define NETDP_I_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <netdp/status.h>

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

/* How many characters the text has. */
int32_t netdp_i_plot_length(const char *text);

/* Panels in rows, all of one size, with room for what they share below and at the right; pixels. */
typedef struct netdp_i_frame {
    int32_t panels, columns;
    int32_t width, height; /* of a panel */
    int32_t side, foot;
    bool round; /* ends of lines */
} netdp_i_frame;

/* What a panel leaves around its axes, in pixels. */
typedef struct netdp_i_margins {
    int32_t left, right, top, bottom;
} netdp_i_margins;

/* What a letter takes on average, in pixels. */
#define NETDP_I_LETTER 7

/* `columns` 0: one row of at most three. */
netdp_i_frame netdp_i_frame_of(int32_t panels, int32_t columns);
int32_t netdp_i_frame_width(const netdp_i_frame *frame);

/* The same with square axes between margins that leave room for the title's lines. */
netdp_i_frame netdp_i_frame_square(int32_t panels, int32_t columns, netdp_i_margins margins);

/* Begins; goes to a panel; to the strip below; to the strip at the right. */
void netdp_i_frame_begin(FILE *out, const netdp_i_frame *frame);
void netdp_i_frame_panel(FILE *out, const netdp_i_frame *frame, int32_t panel,
                         netdp_i_margins margins);
void netdp_i_frame_foot(FILE *out, const netdp_i_frame *frame);
void netdp_i_frame_side(FILE *out, const netdp_i_frame *frame, netdp_i_margins margins);

/* "set title" with up to two lines more, each NULL where there is none. */
void netdp_i_plot_title(FILE *out, const char *title, const char *second, const char *third,
                        int32_t pixels);

/* "set KEY TEXT noenhanced", or "unset KEY" where there is no text. Its number of lines. */
int32_t netdp_i_plot_label(FILE *out, const char *key, const char *text, int32_t pixels,
                           int32_t lines);

#endif
