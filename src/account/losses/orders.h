/* The Renyi orders of an account whose curve is no line, and the best of them at a delta. */
#ifndef NETDP_I_ORDERS_H
#define NETDP_I_ORDERS_H

#include <netdp/account.h>

enum { NETDP_I_ORDERS = 22 };

/* Ascending. */
extern const double netdp_i_orders[NETDP_I_ORDERS];

/* The Renyi epsilon at netdp_i_orders[k], never below the true one. */
typedef netdp_status (*netdp_i_at_order)(void *context, int k, double *epsilon, netdp_error *error);

/*
 * The least epsilon at the delta: every order gives a bound, so a search downhill is enough. Asks
 * of each order once at most.
 */
netdp_status netdp_i_search_orders(netdp_i_at_order at_order, void *context, double delta,
                                   double *value, netdp_error *error);

#endif
