#include "audit/parties.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/fail.h"

netdp_status netdp_i_check_parties(int32_t nodes, int32_t victim, int32_t count,
                                   const int32_t *observers, netdp_error *error)
{
    NETDP_I_GIVEN(error, count < 1 || observers != NULL);
    if (count < 1 || victim < 0 || victim >= nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "attack: victim %" PRId32 ", %" PRId32 " observers; give a node of the "
                            "%" PRId32 " and at least one other to observe it",
                            victim, count, nodes);
    for (int32_t i = 0; i < count; i++)
        if (observers[i] < 0 || observers[i] >= nodes || observers[i] == victim)
            return netdp_i_fail(error, NETDP_INVALID,
                                "attack: observer %" PRId32 " is the victim or not in the graph "
                                "of %" PRId32 " nodes",
                                observers[i], nodes);
    return NETDP_OK;
}
