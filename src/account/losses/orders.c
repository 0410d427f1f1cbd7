#include "account/losses/orders.h"

#include <math.h>

#include "base/try.h"

/* Where the search begins: order 8. */
enum { FIRST_ORDER = 9 };

const double netdp_i_orders[] = {1.25, 1.5, 2,  2.5, 3,  4,  5,  6,   8,   10,  12,
                                 16,   20,  24, 32,  48, 64, 96, 128, 192, 256, 512};

netdp_status netdp_i_search_orders(netdp_i_at_order at_order, void *context, double delta,
                                   double *value, netdp_error *error)
{
    const double *all = netdp_i_orders;
    double curve[NETDP_I_ORDERS], order[NETDP_I_ORDERS], epsilon[NETDP_I_ORDERS];
    bool known[NETDP_I_ORDERS] = {false};
    int best = FIRST_ORDER, next = FIRST_ORDER;
    do {
        double least = INFINITY;
        best = next;
        for (int k = best > 0 ? best - 1 : 0; k <= best + 1 && k < NETDP_I_ORDERS; k++) {
            double one;
            const netdp_rdp point = {.count = 1, .order = &all[k], .epsilon = &curve[k]};
            if (!known[k])
                TRY(at_order(context, k, &curve[k], error));
            known[k] = true;
            TRY(netdp_rdp_to_epsilon(&point, delta, 0, &one, error));
            if (one < least) {
                least = one;
                next = k;
            }
        }
    } while (next != best);
    netdp_rdp whole = {.count = 0, .order = order, .epsilon = epsilon};
    for (int k = 0; k < NETDP_I_ORDERS; k++)
        if (known[k]) {
            order[whole.count] = all[k];
            epsilon[whole.count++] = curve[k];
        }
    return netdp_rdp_to_epsilon(&whole, delta, 0, value, error);
}
