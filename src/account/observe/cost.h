/* What an exact account would cost each way; the cheaper way is taken. */
#ifndef NETDP_I_COST_H
#define NETDP_I_COST_H

#include <netdp/account.h>

#include "account/observe/filter.h"

/* Multiplications a second of one thread, about. */
#define NETDP_I_COST_SECOND 2e10

/* The ways of one observer of the request; the work of finding all eigenvectors is shared. `certify`:
 * for a certificate. */
void netdp_i_cost(const netdp_loss_request *request, const netdp_i_observer *observer, bool certify,
                  netdp_plan *plan);

/* Is the way that the plan calls reduced that of heard.h? */
bool netdp_i_cost_hears(const netdp_loss_request *request, const netdp_i_observer *observer,
                        const netdp_plan *plan);

/*
 * NETDP_NO_MEMORY, with a way out, where the way that is taken needs more memory than there is, or
 * would go on for days; `once`: observers that are accounted for at the same time.
 */
netdp_status netdp_i_cost_check(const netdp_loss_request *request, const netdp_i_observer *observer,
                                const netdp_plan *plan, int32_t once, netdp_error *error);

/* Of the two ways on a basis: in the observer's own space, not in all eigenvectors? */
bool netdp_i_cost_reduces(const netdp_plan *plan, int32_t nodes);

/* Multiplications of a certificate by shifts of one observer's pairs; INFINITY: it is not cheap, beside the account or as such, or has no room. */
#define NETDP_I_LITTLE 1e9 /* a tenth of a second */
double netdp_i_cost_of_shift(const netdp_loss_request *request, const netdp_i_observer *observer);

/* Is there a cheap certificate of all pairs, by shifts or by what is heard? */
bool netdp_i_cost_of_proof(const netdp_loss_request *request, const netdp_i_observer *observer);

/* Multiplications that certificates by shifts of all sources add towards all observers, or the coalition, whoever was asked about;
   INFINITY: there is no room. */
double netdp_i_cost_of_shifts(const netdp_loss_request *request, const netdp_i_observer *widest);

/* Those of the account of one observer, and its proof for all sources, of a network that changes. */
double netdp_i_cost_of_changes(const netdp_loss_request *request, const netdp_i_observer *widest);

/* Seconds and bytes of one observer's account and proof on all nodes, of phases or a network that changes. */
void netdp_i_cost_on_all(const netdp_loss_request *request, const netdp_i_observer *observer,
                         double *seconds, double *bytes);

/* By how much this machine, as it is now, is slower than the one whose seconds are foreseen: a product of matrices tells, in some ms. */
double netdp_i_cost_machine(void);

/* Those of the recursion on what is hidden, backwards (riccati.h); INFINITY: it does not serve. */
double netdp_i_cost_of_rest(const netdp_loss_request *request, const netdp_i_observer *widest);

#endif
