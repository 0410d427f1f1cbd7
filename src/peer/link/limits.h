/*
 * What one neighbour may make this peer do. A member of the study holds a key and may still flood: each act below takes
 * from an allowance of that neighbour's, which fills again slowly, over all its connections. What a study needs is given
 * back (a vector of the next round, a key that is new), so that honest neighbours never come near. Whoever has nothing
 * left is refused (too-much), or its line is not written. `netdp net doctor` prints the table.
 */
#ifndef NETDP_I_LIMITS_H
#define NETDP_I_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Name, word, how many at once, how many more in an hour, what. */
/* clang-format off */
#define NETDP_I_LIMITS(row) \
    row(CONNECTIONS, "connections", 64, 3600, "connections, whoever dials") \
    row(FRAMES, "frames", 4096, 36000, "frames that bring nothing new") \
    row(KEYS, "keys", 65536, 360000, "pair keys that are there already, or that nobody signed") \
    row(HEADS, "heads", 64, 3600, "signed heads of its ledger, besides those before contributions") \
    row(GOODBYES, "goodbyes", 8, 60, "goodbyes") \
    row(LINES, "lines", 1000, 360, "lines of the log on its account") \
    row(BYTES, "bytes", 1048576, 1048576, "bytes of the log and of remembered heads on its account")
/* clang-format on */

typedef enum netdp_i_limit {
#define NETDP_I_LIMIT_NUMBER(name, word, burst, hourly, what) NETDP_I_LIMIT_##name,
    NETDP_I_LIMITS(NETDP_I_LIMIT_NUMBER) /**/
#undef NETDP_I_LIMIT_NUMBER
    NETDP_I_LIMITS_COUNT
} netdp_i_limit;

typedef struct netdp_i_limit_row {
    const char *word, *what;
    int64_t burst, hourly;
} netdp_i_limit_row;

/* [NETDP_I_LIMITS_COUNT] */
const netdp_i_limit_row *netdp_i_limit_rows(void);

/* What is left of one neighbour's allowance; zeros at first. */
typedef struct netdp_i_quota {
    double used[NETDP_I_LIMITS_COUNT];
    int64_t since[NETDP_I_LIMITS_COUNT]; /* ms, when that was so */
} netdp_i_quota;

/* Takes `many` at `now` (ms of a clock that does not go back). False: it has not so much left, and nothing is taken. */
bool netdp_i_limit_take(netdp_i_quota *quota, netdp_i_limit limit, int64_t many, int64_t now);
/* Gives back what served the study. */
void netdp_i_limit_return(netdp_i_quota *quota, netdp_i_limit limit, int64_t many);

/*
 * How many strangers may wait at once, `wanted` (above 0) at most: each holds an open file, and half of those that the
 * system allows are left to neighbours and to the disk. Asks the system for enough.
 */
int64_t netdp_i_limit_places(int64_t wanted);

#endif
