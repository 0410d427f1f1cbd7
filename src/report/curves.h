/* Curves of a figure: points with what they spread over, from a result folder. */
#ifndef NETDP_I_CURVES_H
#define NETDP_I_CURVES_H

#include <jansson.h>
#include <netdp/status.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct netdp_i_curve {
    char *panel, *name;  /* panel "": of every panel */
    const char *measure; /* what y is: "loss", "accuracy", ...; lent */
    char bound[32];      /* that y comes from; "": none */
    bool sound;          /* of a bound */
    bool estimate;       /* of drawn observers or nodes: no bound, whatever it is computed by */
    bool published;      /* a claim, sound or not: drawn as one */
    bool printed;        /* what a paper prints, not what a run gave: crosses */
    bool closed;      /* every message counts as seen, for want of a proof: points of their own */
    const char *unit; /* of y, where `measure` does not say it; NULL: it does; lent */
    int64_t count, room;
    double *x, *y;
    double *low, *high; /* NaN: unknown */
    int64_t *of;        /* pairs or runs behind a point */
} netdp_i_curve;

typedef struct netdp_i_curves {
    int32_t count;
    netdp_i_curve *curve;
} netdp_i_curves;

void netdp_i_curves_clear(netdp_i_curves *curves);

/*
 * The curve of a variant's name, "PANEL / NAME", made if it is new; owned by `curves` until the
 * next is asked for. `guarantee` of summary.json, NULL: y is no guarantee. NULL: no memory.
 */
netdp_i_curve *netdp_i_curves_find(netdp_i_curves *curves, const char *name, const char *measure,
                                   const json_t *guarantee);

netdp_status netdp_i_curve_add(netdp_i_curve *curve, double x, double y, double low, double high,
                               int64_t of, netdp_error *error);

/* Points at the same x become one: the mean weighted by `of`, the least low and the largest high;
 * sorted by x. */
void netdp_i_curve_pool(netdp_i_curve *curve);

/* Is a guarantee one of drawn observers or nodes, which stand for all? */
bool netdp_i_curve_estimates(const json_t *guarantee);

/* panel,curve,measure,x,y,low,high,count,bound,sound */
netdp_status netdp_i_curves_write(const netdp_i_curves *curves, const char *path,
                                  netdp_error *error);

/* [{"panel", "name", "measure", "bound", "sound", "estimate", "x": [..], "y", "low", "high",
 * "count"}]; with `slopes` also "slope". */
json_t *netdp_i_curves_json(const netdp_i_curves *curves, bool slopes);

#endif
