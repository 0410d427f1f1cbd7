/* A study's gossip: what it is accounted for by. */
#ifndef NETDP_I_PLAN_GOSSIP_H
#define NETDP_I_PLAN_GOSSIP_H

#include "plan/variant.h"

/* What it is accounted for by, at any noise. */
netdp_loss_request netdp_i_plan_gossip_ask(const netdp_i_variant *variant);

#endif
