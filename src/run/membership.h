/* What an audit tells of whether everybody's record was in. */
#ifndef NETDP_I_MEMBERSHIP_H
#define NETDP_I_MEMBERSHIP_H

#include <jansson.h>
#include <netdp/audit.h>
#include <netdp/graph.h>

/*
 * {"name", "to", "noise", "verdict", "nodes": [{"from", "distance", "mu", "verdict", "allowed",
 * "known", "unknown", "known_without_noise", "unknown_without_noise"}]}, the last five {"area",
 * "at_0.1", "at_0.01" and the "_error" of each}. mu [nodes]: the claim. NETDP_NO_ANSWER where the
 * view is too large.
 */
netdp_status netdp_i_membership_new(const char *name, const netdp_graph *graph,
                                    const netdp_gossip_attack *attack, const double *mu,
                                    const netdp_progress *progress, json_t **made,
                                    netdp_error *error);

/* membership.csv: of each node of each of the list what is allowed, and each attack. */
netdp_status netdp_i_membership_write(const json_t *list, const char *folder, netdp_error *error);

#endif
