/* Walks that are looked at on the way, and whose nodes may do what no task of netdp_walking does.
 */
#ifndef NETDP_I_WALK_H
#define NETDP_I_WALK_H

#include <netdp/simulate.h>

/* One token at one node. */
typedef struct netdp_i_stop {
    int32_t token;
    int32_t node;
    int64_t step;  /* 0 .. steps; burn-in has no stops */
    double *model; /* [width] */
} netdp_i_stop;

/*
 * Each may be NULL. Tokens walk in parallel: calls for different ones may come at once, those for
 * one come in the order of its steps.
 */
typedef struct netdp_i_walk_hooks {
    /* At every arrival, step `steps` included: the model before the node's own update. */
    void (*arrive)(void *context, const netdp_i_stop *stop);
    /* In place of the task's gradient; not asked of nodes over their cap. */
    void (*contribute)(void *context, const netdp_i_stop *stop, double *gradient);
    /* The model that is about to leave, noise and projection done; may be changed. */
    void (*send)(void *context, const netdp_i_stop *stop);
    void *context;
} netdp_i_walk_hooks;

/* netdp_simulate_walk; hooks NULL: that itself, draw for draw. */
netdp_status netdp_i_simulate_walk(const netdp_token *token, const netdp_walking *walking,
                                   netdp_run_seed seed, netdp_tracing tracing,
                                   const netdp_i_walk_hooks *hooks, double *model, int32_t *path,
                                   netdp_error *error);

#endif
