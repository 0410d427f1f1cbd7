/* The table of limits per neighbour, and the one place where they are counted. */
#include "peer/link/limits.h"

#include <math.h>
#include <sys/resource.h>

static const netdp_i_limit_row rows[] = {
#define ROW(name, word, burst, hourly, what) {word, what, burst, hourly},
    NETDP_I_LIMITS(ROW)
#undef ROW
};

enum {
    HOUR = 3600000,
    FILES = 4096, /* open ones, where the system allows as many */
};

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

int64_t netdp_i_limit_places(int64_t wanted)
{
    struct rlimit files = {.rlim_cur = FILES, .rlim_max = FILES};
    const rlim_t wish = FILES + 2 * (rlim_t)wanted;
    (void)getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < wish) {
        files.rlim_cur = files.rlim_max < wish ? files.rlim_max : wish;
        (void)setrlimit(RLIMIT_NOFILE, &files);
        (void)getrlimit(RLIMIT_NOFILE, &files); /* which may have said no */
    }
    const rlim_t half = files.rlim_cur / 2;
    return half < (rlim_t)wanted ? (int64_t)half : wanted;
}
