/* Values as colours: one scale for all panels of a picture, with its bar and what stands aside. */
#ifndef NETDP_I_SHADE_H
#define NETDP_I_SHADE_H

#include <stdint.h>

#include "plot/axis.h"
#include "plot/plot.h"

/* `axis.log` is set first; `zero` and `infinite`: such values, which the bar cannot hold, came. */
typedef struct netdp_i_shade {
    netdp_i_axis axis;
    bool zero, infinite;
} netdp_i_shade;

void netdp_i_shade_take(netdp_i_shade *shade, double value);
void netdp_i_shade_finish(netdp_i_shade *shade);

/* Of a value taken: 0xRRGGBB, darker for more (viridis); white of zero, on a log scale, and NaN. */
uint32_t netdp_i_shade_of(const netdp_i_shade *shade, double value);

/* Room for both of the following: at the side, and below if something is said there. */
void netdp_i_shade_reserve(netdp_i_frame *frame, const netdp_i_shade *shade, bool ring);

void netdp_i_shade_print_bar(FILE *out, const netdp_i_frame *frame, const netdp_i_shade *shade,
                             const char *label, netdp_i_margins margins);

/* `ring`: what the ring around a node means; NULL: there is none. */
void netdp_i_shade_print_notes(FILE *out, const netdp_i_frame *frame, const netdp_i_shade *shade,
                               const char *ring);

#endif
