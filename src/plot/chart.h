/*
 * Charts: curves, scatters and dots in rows, in panels with one legend below, as an SVG. Texts are
 * UTF-8 and shown as they are; equal charts give equal bytes.
 */
#ifndef NETDP_I_CHART_H
#define NETDP_I_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

#include "plot/plot.h"

/*
 * One curve. Every point stands at its x, with its bar of error. A point whose x is not finite, or
 * whose y is NaN, is left out. y = infinity is marked at the upper edge, and 0 on a logarithmic
 * axis at the lower one: neither has a place inside. Curves of more than 400 points are thinned
 * (extremes stay); scatters of more than 400 are too, and the legend says so.
 */
typedef struct netdp_i_chart_series {
    const char *name; /* for the legend; NULL: not in it. One entry for equal names and looks. */
    int64_t count;
    const double *x, *y;      /* [count]; of rows x is NULL and y is by row */
    const double *low, *high; /* [count] ends of the bars of error, or both NULL; NaN: none */
    int32_t colour;           /* 0 up: the subject; published and ours of a subject share it */
    bool published;           /* a paper's formula: dashed, hollow; ours: solid, filled */
    bool points;              /* marks without lines */
    bool crosses;             /* those marks are crosses: of its subject, but of no curve */
    bool ribbon;              /* low to high as a band, however few they are */
    bool
        steps; /* from each x to the next: bins, the last of which ends with y = 0; one point: a line up at its x */
} netdp_i_chart_series;

typedef struct netdp_i_chart {
    const char *title;             /* or NULL */
    const char *x_label, *y_label; /* with units, or NULL */
    bool log_x, log_y;
    int32_t count;
    const netdp_i_chart_series *series;
    const char *dashed;     /* what `published` means here, for the legend, or NULL */
    int32_t rows;           /* 0: curves; else y is across, and dots stand in a row for each name */
    const char *const *row; /* [rows] from above */
} netdp_i_chart;

/*
 * `panels` charts in rows of `columns` (0: one row, at most three; four as two by two), to an SVG at `path`.
 * NETDP_ENVIRONMENT where gnuplot is missing or `path` cannot be written.
 */
netdp_status netdp_i_chart_write(const netdp_i_chart *chart, int32_t panels, int32_t columns,
                                 const netdp_i_look *look, const char *path, netdp_error *error);

#endif
