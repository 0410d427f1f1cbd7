/* The pairwise losses of a variant, as a page shows them. */
#ifndef NETDP_I_PAIRWISE_H
#define NETDP_I_PAIRWISE_H

#include <jansson.h>
#include <netdp/graph.h>
#include <netdp/status.h>

/* What is read, and what is known about it. */
typedef struct netdp_i_pairwise {
    const char *folder, *losses; /* the file's folder, and its name without ending */
    const json_t *variant;       /* of summary.json */
    const json_t *threat;        /* of summary.json: whose `to` are the file's observers */
    const netdp_graph *graph;    /* for distances; NULL: none */
    int32_t nodes;
    int64_t most; /* numbers of a table that is too large to be shown whole */
} netdp_i_pairwise;

/*
 * {"file", "measure", "gaussian", "complete", "observers", "of", "type", "value", "distance",
 * "loss"?, "coalition"?, "worst"?}, or null where there is no such file, or one of some nodes'
 * losses only.
 *
 * value, loss: [observer][node] in base64, little-endian, of the type "f8" or, rounded up, "f4";
 * NaN where there is no such pair. measure: what value is ("epsilon", "mu", "loss"). gaussian: it
 * comes from a loss, so that a pair is no worse than one Gaussian release. distance: the same in
 * int16, -1 where it is unknown. of: how many observers the file has. worst, of an incomplete
 * table: [[from, to, distance, value], ...].
 */
netdp_status netdp_i_pairwise_json(const netdp_i_pairwise *wanted, const netdp_progress *progress,
                                   json_t **made, netdp_error *error);

#endif
