/* The order of doubles, none of them NaN, for qsort. */
#ifndef NETDP_I_ORDER_H
#define NETDP_I_ORDER_H

static inline int netdp_i_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int netdp_i_descending(const void *a, const void *b)
{
    return netdp_i_ascending(b, a);
}

#endif
