/* Losses of the unit that is protected: a row changes less than Delta, and not in every phase. */
#ifndef NETDP_I_LOSSES_PROTECT_H
#define NETDP_I_LOSSES_PROTECT_H

#include "account/losses/losses.h"

/* NETDP_INVALID where the protocol's account by this bound knows no such unit or batches. */
netdp_status netdp_i_protect_check(const netdp_loss_request *request, netdp_bound bound,
                                   netdp_error *error);

/*
 * *most: to how many contributions the unit belongs; *scale [from_count]: (Delta_u / Delta)^2 of the
 * asked nodes, NULL: 1 each. The losses' local value, the contributions of a node until now, becomes
 * that of the unit.
 */
netdp_status netdp_i_protect_begin(const netdp_protection *protection, netdp_losses *losses,
                                   double *most, double **scale, netdp_error *error);

/*
 * What is left of a loss, from above, where the node's contribution carries `own` >= 1 times the
 * noise: 1 / (1/loss + own^2 - 1) (docs/guarantees.md, "Nodes that want more"). INFINITY stays.
 */
double netdp_i_own_loss(double loss, double own);

/* Of a row of losses [from_count]; own [nodes] of the protocol, or NULL. */
void netdp_i_own_row(const netdp_losses *losses, const double *own, double *loss);

/* loss[from_count] of a change of Delta becomes that of the unit. */
void netdp_i_protect_row(const netdp_losses *losses, const double *scale, double *loss);

/* netdp_i_batch_values of Poisson batches: every class is composed once. */
netdp_status netdp_i_protect_values(const netdp_i_batch *batch, double sigma, netdp_unit unit,
                                    double *value, const netdp_progress *progress,
                                    netdp_error *error);

#endif
