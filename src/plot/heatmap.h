/* Square matrices as heat maps: panels with one scale of colours, as an SVG. */
#ifndef NETDP_I_HEATMAP_H
#define NETDP_I_HEATMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

#include "plot/plot.h"

typedef struct netdp_i_heatmap {
    const char *title;             /* or NULL */
    const char *standing;          /* a line below the title: is it a bound? or NULL */
    const char *x_label, *y_label; /* of columns and rows, or NULL */
    int32_t size;
    const double *value; /* [size * size], row-major; row 0 is drawn on top. NaN: blank */
    bool diagonal;       /* draw it; otherwise it is blank */
    bool apart;          /* of another measure: colours from its own least to its own largest */
} netdp_i_heatmap;

/*
 * Above 250 rows, square blocks are drawn as their largest value, and the title says so. All panels
 * but those apart share the scale, from the smallest to the largest finite value (`log`: positive value);
 * `value_label`, with the unit, stands at the colour bar. Infinity and, if `log`, 0 have colours of
 * their own, named below.
 */
netdp_status netdp_i_heatmap_write(const netdp_i_heatmap *map, int32_t panels, int32_t columns,
                                   bool log, const char *value_label, const netdp_i_look *look,
                                   const char *path, netdp_error *error);

#endif
