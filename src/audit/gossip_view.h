/*
 * What an observer of gossip sees, number by number, and the best linear statistic of it: a dense
 * model of the realised protocol, every draw of noise on its own. Independent of the accountants.
 */
#ifndef NETDP_I_GOSSIP_VIEW_H
#define NETDP_I_GOSSIP_VIEW_H

#include "audit/timeline.h"

/* Where a number of the view comes from. */
typedef enum netdp_i_seen_event_kind {
    NETDP_I_SIGHT_MESSAGE = 0, /* m_round[node] */
    NETDP_I_SIGHT_NOISE,       /* the node's own normal draw of the round */
    NETDP_I_SIGHT_END_DITHER,  /* the one of the end dither after the round */
    NETDP_I_SIGHT_PAIR,        /* the draw of the round that pair `node` shares, by its number */
    NETDP_I_SIGHT_STATE,       /* s_rounds[node], the last sum that it receives */
} netdp_i_seen_event_kind;

typedef struct netdp_i_seen_event {
    netdp_i_seen_event_kind kind;
    int32_t node;
    int64_t round;
} netdp_i_seen_event;

/* A realised protocol and its observer; all pointers are borrowed. */
typedef struct netdp_i_gossip_model {
    const netdp_i_timeline *timeline; /* of the protocol as it runs */
    const netdp_view *view;
    int32_t victim;
    const double *pattern; /* of the victim, [contribution rounds] */
    const double *gains;   /* [nodes]: nodes contribute -gain s; NULL: 0 */
    bool reused;           /* the noise of every round's messages is that of round 0 */
    bool reused_pairs;     /* and so is that of pairs */
    bool half_pairs;       /* of which only the smaller node adds its half */
} netdp_i_gossip_model;

/* Number i of a view is map[i] . (draws of noise) + values[i] . (what nodes contribute in round 0). */
typedef struct netdp_i_gossip_map {
    int64_t count, draws;
    netdp_i_seen_event *sight; /* [count], by round */
    double *map;               /* [count][draws] */
    double *response;          /* [count], to the victim's pattern */
    double *values;            /* [count][nodes]; NULL where it was not asked for */
} netdp_i_gossip_map;

/* Of a run with x times the pattern, sum weight * number has mean response * x. */
typedef struct netdp_i_gossip_view {
    int64_t count;
    netdp_i_seen_event *sight; /* [count], by round */
    double *weight;            /* [count] */
    double response;           /* of the statistic to the victim's pattern; 0: nothing is learnt */
    double loss;               /* mu^2 sigma^2; INFINITY: the statistic has no noise */
} netdp_i_gossip_view;

/* member[u]: an observer; seen[u]: its message of the round is in the view. [nodes] each. */
void netdp_i_view_nodes(const netdp_i_timeline *timeline, const netdp_view *view, int64_t round,
                        bool *member, bool *seen);

/* The pattern's index of a contribution round. */
int64_t netdp_i_contribution(const netdp_linear *protocol, int64_t round);

/*
 * The view and its best weights. NETDP_NO_ANSWER where it has more than 4,000 numbers, or more than
 * 2^27 products with draws of noise.
 */
netdp_status netdp_i_gossip_view_new(const netdp_i_gossip_model *model, netdp_i_gossip_view **view,
                                     netdp_error *error);
void netdp_i_gossip_view_free(netdp_i_gossip_view *view);

/* The dense model alone, with the same limits; `values`: those too. */
netdp_status netdp_i_gossip_map_new(const netdp_i_gossip_model *model, bool values,
                                    netdp_i_gossip_map *map, netdp_error *error);
void netdp_i_gossip_map_clear(netdp_i_gossip_map *map);

/*
 * The best weights about each of `victims`, whose responses are response [count][victims]: fills
 * weight (the caller's room), response and loss of each view. map->map is overwritten.
 */
netdp_status netdp_i_gossip_weigh(netdp_i_gossip_map *map, int32_t victims, const double *response,
                                  netdp_i_gossip_view *view, netdp_error *error);

#endif
