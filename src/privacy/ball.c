#include "privacy/ball.h"

#include <math.h>

/* arf_get_d rounds correctly over the whole range, subnormal and overflowing results included. */
static double round_bound(const arf_t bound, arf_rnd_t direction, double unknown)
{
    return arf_is_nan(bound) ? unknown : arf_get_d(bound, direction);
}

double netdp_i_ball_up(const arb_t x)
{
    arf_t bound;
    arf_init(bound);
    arb_get_ubound_arf(bound, x, ARF_PREC_EXACT);
    double up = round_bound(bound, ARF_RND_CEIL, INFINITY);
    arf_clear(bound);
    return up;
}

double netdp_i_ball_down(const arb_t x)
{
    arf_t bound;
    arf_init(bound);
    arb_get_lbound_arf(bound, x, ARF_PREC_EXACT);
    double down = round_bound(bound, ARF_RND_FLOOR, -INFINITY);
    arf_clear(bound);
    return down;
}
