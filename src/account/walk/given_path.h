/* The account of a walk whose path is public: what it costs, and that in the asked unit. */
#ifndef NETDP_I_GIVEN_PATH_H
#define NETDP_I_GIVEN_PATH_H

#include <netdp/walk.h>

/* The worst pair learns far more than the mean where it learns more than so many times as much. */
#define NETDP_I_FAR_WORSE 2

/* cost [to][from] of the losses' pairs by the token's route, in `realised.c`; to nearest. */
netdp_status netdp_i_given_costs(const netdp_token *token, const netdp_losses *losses, double *cost,
                                 const netdp_progress *progress, netdp_error *error);

/* Contributions between two visits that are absorbed alike, counted by what is left of them at the second: `given` by `noise`. */
typedef struct netdp_i_slope {
    double given, noise;
    int64_t
        first; /* the step of the first of them: the block goes on until the next one's, or the visit */
} netdp_i_slope;

/* What is left at step `end` of what is `steps` steps before it, by `rate` a step (account/walk/spread.h). */
double netdp_i_slope_left(double rate, int64_t steps);

/* Of contributions at steps when[count], all of them taken off by step `end`: how many slopes[count]. */
int64_t netdp_i_slopes(double rate, const int64_t *when, int64_t count, int64_t end,
                       netdp_i_slope *slopes);

/* Adds 1 where the node of token k's step t has not contributed as often as it may: does it now? */
bool netdp_i_given_contributes(const netdp_token *token, int32_t k, int64_t t, int64_t *count);

/* NETDP_INVALID where the path is none of the token's. */
netdp_status netdp_i_given_check(const netdp_token *token, const int32_t *path, netdp_error *error);

/* How often each node contributes by the token's route, over all tokens: made[nodes], to be freed. */
netdp_status netdp_i_given_contributions(const netdp_token *token, int64_t **made,
                                         netdp_error *error);

/* What does not depend on the noise: the pairs that count, in the order of what they cost. */
typedef struct netdp_i_given_path netdp_i_given_path;

netdp_status netdp_i_given_path_new(const netdp_token *token, const netdp_losses *losses,
                                    const netdp_progress *progress, netdp_i_given_path **given,
                                    netdp_error *error);
void netdp_i_given_path_free(netdp_i_given_path *given);

/*
 * losses->loss in `unit` at the noise, erring upward. Pairs of nearly equal costs share the value
 * of the largest, 2e-4 of a cost at most.
 */
netdp_status netdp_i_given_path_at(netdp_i_given_path *given, double noise, netdp_unit unit,
                                   netdp_losses *losses, const netdp_progress *progress,
                                   netdp_error *error);

/* netdp_losses_proof and its size, of a walk. */
netdp_status netdp_i_given_proof(const netdp_proof_request *request, const char *path, double *loss,
                                 netdp_error *error);
netdp_status netdp_i_given_proof_bytes(const netdp_proof_request *request, double *bytes,
                                       netdp_error *error);

#endif
