/* One gradient's part of a sum, whatever its numbers. */
#ifndef NETDP_I_LEARN_CLIP_H
#define NETDP_I_LEARN_CLIP_H

#include <stdint.h>

/* sum += gradient, clipped to that L2 norm. What is not finite has no direction to keep: 0 under a clip. */
void netdp_i_add_clipped(const double *gradient, int32_t features, double clip, double *sum);

#endif
