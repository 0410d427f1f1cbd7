/* A weighted walk's constants drawn from the data, and what releasing them costs. */
#ifndef NETDP_I_CONSTANTS_H
#define NETDP_I_CONSTANTS_H

#include <jansson.h>
#include <netdp/learn.h>
#include <netdp/mixing.h>

#include "study/constants.h"

/*
 * What node u released of its data, released[nodes], to be freed after a failure too, and the law
 * that goes by it; node u draws from (seed, u) once.
 */
netdp_status netdp_i_constants_law(const netdp_study *study, const netdp_graph *graph,
                                   const netdp_objective *objective, const netdp_examples *data,
                                   double **released, netdp_transition **law, netdp_error *error);

/*
 * What the release costs beside a target at `delta`: of the Gamma mechanism (epsilon, delta / 2),
 * of the Laplace mechanism (epsilon, 0), of others (0, 0).
 */
netdp_status netdp_i_constants_cost(const netdp_i_constants *constants, double delta,
                                    double *law_epsilon, double *law_delta, netdp_error *error);

/* {"mechanism", "scale", "range", "epsilon", "delta", "file"} of a law that is not public. */
netdp_status netdp_i_constants_json(const netdp_study *study, const char *file, json_t **told,
                                    netdp_error *error);

/* One constant a line, as --mixing hastings:FILE reads them. */
netdp_status netdp_i_constants_write(const double *released, int32_t count, const char *path,
                                     netdp_error *error);

#endif
