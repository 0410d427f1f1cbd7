/* The table of limits per neighbour, and the one place where they are counted. */
#include "peer/link/limits.h"

#include <math.h>

static const netdp_i_limit_row rows[] = {
#define ROW(name, word, burst, hourly, what) {word, what, burst, hourly},
    NETDP_I_LIMITS(ROW)
#undef ROW
};

enum { HOUR = 3600000 };

const netdp_i_limit_row *netdp_i_limit_rows(void)
{
    return rows;
}

bool netdp_i_limit_take(netdp_i_quota *quota, netdp_i_limit limit, int64_t many, int64_t now)
{
    const netdp_i_limit_row *row = &rows[limit];
    const double filled = (double)(now - quota->since[limit]) * (double)row->hourly / HOUR;
    const double used = fmax(0, quota->used[limit] - filled) + (double)many;
    if (used > (double)row->burst)
        return false;
    quota->used[limit] = used;
    quota->since[limit] = now;
    return true;
}

void netdp_i_limit_return(netdp_i_quota *quota, netdp_i_limit limit, int64_t many)
{
    quota->used[limit] = fmax(0, quota->used[limit] - (double)many);
}
