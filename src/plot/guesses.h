/* Figures of what an observer makes of everybody: curves against distance from it. */
#ifndef NETDP_I_GUESSES_H
#define NETDP_I_GUESSES_H

#include <jansson.h>
#include <netdp/status.h>

/* Which numbers of a node: keys `with` and `without` noise, of them `in` where they are objects. */
typedef struct netdp_i_guesses {
    const char *with, *without, *in;
    double chance; /* what who has learnt nothing would see */
    double same;   /* curves nearer than this are one: rounding, or ties told apart by it */
    const char *label;
} netdp_i_guesses;

extern const netdp_i_guesses netdp_i_reconstructed; /* of "everybody" in audit.json */
extern const netdp_i_guesses netdp_i_members;       /* of "membership" */

/* A curve for each of the list and one without noise, root mean squares; bars from least to largest. */
netdp_status netdp_i_guesses_write(const json_t *list, const netdp_i_guesses *kind,
                                   const char *path, netdp_error *error);

#endif
