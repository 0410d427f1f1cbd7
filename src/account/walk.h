/* The account of a walk, kept while its noise is searched for. */
#ifndef NETDP_I_ACCOUNT_WALK_H
#define NETDP_I_ACCOUNT_WALK_H

#include <netdp/walk.h>

#include "account/walk/cost_law.h"
#include "base/try.h"

typedef struct netdp_i_walk_account netdp_i_walk_account;

/* The request's noise is not used; its token and lists are borrowed. */
netdp_status netdp_i_walk_account_new(const netdp_walk_request *request,
                                      netdp_i_walk_account **account, netdp_error *error);
void netdp_i_walk_account_free(netdp_i_walk_account *account);
OWNER(netdp_i_walk_account_free, netdp_i_walk_account)

/*
 * Fills the losses at a noise. On graphs with symmetries only the first call follows the walks:
 * pairs with equal sequences have equal answers.
 */
netdp_status netdp_i_walk_account_at(netdp_i_walk_account *account, double noise,
                                     const netdp_progress *progress, netdp_error *error);

/*
 * The largest loss of the pairs that were asked one by one beside all at once, from whose summary it
 * was. *known is false where there are none: no account yet, or all of its pairs are asked so.
 */
netdp_status netdp_i_walk_account_worst(netdp_i_walk_account *account, double noise, double *value,
                                        bool *known, const netdp_progress *progress,
                                        netdp_error *error);

/*
 * What the one pair's path costs, at the noise that one step of the walk has for it (*noise), as
 * masses for any composition; *found is false, and nothing is made, where the bound has no such law.
 */
netdp_status netdp_i_walk_account_law(netdp_i_walk_account *account, netdp_i_cost_law *law,
                                      double *noise, bool *found, const netdp_progress *progress,
                                      netdp_error *error);

/* As they were filled last; owned by the account. */
const netdp_losses *netdp_i_walk_account_losses(const netdp_i_walk_account *account);

/* Frees the account and gives its losses away. */
netdp_losses *netdp_i_walk_account_take(netdp_i_walk_account *account);

#endif
