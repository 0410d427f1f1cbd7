/* Which of many pairs are asked once more, each by its own account: those that may be the worst. */
#ifndef NETDP_I_WORST_H
#define NETDP_I_WORST_H

#include <netdp/account.h>

/* Replaces the losses of `count` pairs of one observer, loss[observer][index[i]], by their own. */
typedef netdp_status (*netdp_i_ask_alone)(void *context, int32_t observer, const int32_t *index,
                                          int32_t count, netdp_error *error);

/*
 * Until no pair that was not asked has a loss near the largest of those that were, by what their own
 * account changes at most. alone [to][from]: those whose losses are their own already; on return, all of them.
 */
netdp_status netdp_i_worst_alone(netdp_losses *losses, bool *alone, netdp_i_ask_alone ask,
                                 void *context, netdp_error *error);

#endif
