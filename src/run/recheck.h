/* What earlier results promised, accounted for anew: `netdp recheck`. */
#ifndef NETDP_I_RECHECK_H
#define NETDP_I_RECHECK_H

#include <jansson.h>
#include <netdp/study.h>

/* Of one variant of the network; values in its unit. */
typedef struct netdp_i_rechecked {
    char name[96], unit[40];
    int32_t from, to; /* the pair that was said to be worst; -1: not one pair */
    double then, now; /* the largest over pairs */
    double mean_then, mean_now;
    int64_t pairs, below; /* pairs whose losses stand in the folder, and those that were below */
    double factor; /* the most that one of these is now, in what it was; NAN: there are none */
} netdp_i_rechecked;

/* Less than this much above what was printed is rounding. */
#define NETDP_I_RECHECK_ROUNDING 1e-9

/*
 * `summary`: of the results, at its noise and rounds. `folder`: where loss.csv may lie, or NULL. *list: [*count], owned by the
 * caller, netdp_i_free.
 */
netdp_status netdp_i_recheck(const netdp_study *study, const json_t *summary, const char *folder,
                             const char *data, const netdp_progress *progress,
                             netdp_i_rechecked **list, int32_t *count, netdp_error *error);

#endif
