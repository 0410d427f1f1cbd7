/* What a guard holds. */
#ifndef NETDP_I_GUARD_H
#define NETDP_I_GUARD_H

#include <netdp/privacy.h>

#include "guard/budget.h"

struct netdp_guard {
    netdp_i_budget *budget;
};

#endif
