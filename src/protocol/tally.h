/* Words of tallies, for the command line and the study file. */
#ifndef NETDP_I_PROTOCOL_TALLY_H
#define NETDP_I_PROTOCOL_TALLY_H

#include <netdp/protocol.h>

/* By netdp_mechanism: "gaussian", "laplace", "discrete-gaussian"; NULL ends them. */
extern const char *const netdp_i_tally_mechanisms[];

/* By netdp_tally_schedule: "every", "once", "spread"; NULL ends them. */
extern const char *const netdp_i_tally_schedules[];

#endif
