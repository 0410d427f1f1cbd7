/* Who attacks whom. */
#ifndef NETDP_I_PARTIES_H
#define NETDP_I_PARTIES_H

#include <stdint.h>
#include <netdp/status.h>

/* NETDP_INVALID unless victim and observers are among the nodes, at least one observer, none of
 * them the victim. */
netdp_status netdp_i_check_parties(int32_t nodes, int32_t victim, int32_t count,
                                   const int32_t *observers, netdp_error *error);

#endif
