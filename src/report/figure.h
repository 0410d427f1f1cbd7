/* A figure under way: the study, its results, and the curves made of them. */
#ifndef NETDP_I_FIGURE_H
#define NETDP_I_FIGURE_H

#include <jansson.h>
#include <netdp/study.h>

#include "plan/plan.h"
#include "plot/plot.h"
#include "report/curves.h"
#include "report/listed.h"
#include "study/figure.h"

enum { NETDP_I_LABEL_ROOM = 96 };

typedef struct netdp_i_figure {
    const netdp_study *study;
    const char *folder;
    json_t *summary;
    netdp_i_problems problems; /* of figures that need the graph again */
    char *words;               /* figure.y, cut */
    const char *measure[NETDP_I_MEASURES];
    int32_t measures;
    netdp_i_curves curves;
} netdp_i_figure;

/* Can a figure look like that? */
netdp_status netdp_i_picture_check(const netdp_picture *picture, netdp_error *error);

/* Of summary.json, lent: the variants, and of one its guarantee and its name ("": none). */
const json_t *netdp_i_figure_variants(const netdp_i_figure *f);
const json_t *netdp_i_figure_guarantee(const json_t *variant);
const char *netdp_i_figure_name(const json_t *variant);

/* The i-th variant without the baselines; below 0: it is one. Accounts have none. */
int32_t netdp_i_figure_own(const netdp_i_figure *f, size_t i);

/* The study of the i-th variant: its own, or of a baseline the whole one. */
const netdp_study *netdp_i_figure_study(const netdp_i_figure *f, size_t i);

/* The graph of the i-th variant where `problems` are there. */
const netdp_graph *netdp_i_figure_graph(const netdp_i_figure *f, size_t i);

/* Is it a baseline that the figure leaves out? */
bool netdp_i_figure_hides(const netdp_i_figure *f, const char *name);

/* Is it against the nodes' Euclidean distance, or quantiles of it? */
bool netdp_i_figure_by_length(const netdp_i_figure *f);

/* Is the axis 'x' or 'y' logarithmic? */
bool netdp_i_figure_is_log(const netdp_i_figure *f, char axis);

/* The pairwise losses of the i-th variant; to be cleared. */
netdp_status netdp_i_figure_list(const netdp_i_figure *f, size_t i, const json_t *variant,
                                 netdp_i_listed *listed, netdp_error *error);

/* ---- points.c: from results to f->curves ---- */

netdp_status netdp_i_gather_hops(netdp_i_figure *f, netdp_error *error);
netdp_status netdp_i_gather_pairs(netdp_i_figure *f, netdp_error *error);
netdp_status netdp_i_gather_distance(netdp_i_figure *f, netdp_error *error);
netdp_status netdp_i_gather_variants(netdp_i_figure *f, netdp_error *error);
netdp_status netdp_i_gather_trace(netdp_i_figure *f, netdp_error *error);
netdp_status netdp_i_gather_histogram(netdp_i_figure *f, netdp_error *error);
netdp_status netdp_i_gather_sweep(netdp_i_figure *f, netdp_error *error);

/* ---- label.c ---- */

/* What a measure is, with its unit; what stands at both axes, "" where there is nothing. */
void netdp_i_label_measure(const netdp_i_figure *f, const char *measure,
                           char label[NETDP_I_LABEL_ROOM]);
void netdp_i_label_axes(const netdp_i_figure *f, const char *measure, char x[NETDP_I_LABEL_ROOM],
                        char y[NETDP_I_LABEL_ROOM]);

/* What a drawing of the losses of this guarantee must say below its title: "upper bound: exact". */
void netdp_i_label_standing(const json_t *guarantee, char label[NETDP_I_LABEL_ROOM]);

/* ---- panels.c and maps.c: to a picture ---- */

netdp_status netdp_i_draw_curves(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                                 netdp_error *error);
netdp_status netdp_i_draw_dots(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                               netdp_error *error);
netdp_status netdp_i_draw_matrices(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                                   netdp_error *error);
netdp_status netdp_i_draw_graphs(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                                 netdp_error *error);

#endif
