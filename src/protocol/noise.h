/* The noise of gossip, from inside: its parts as records and packages of peers have them. */
#ifndef NETDP_I_PROTOCOL_NOISE_H
#define NETDP_I_PROTOCOL_NOISE_H

#include <netdp/protocol.h>

#include "base/json.h"

/* A number of a netdp_noise, from 0 to `most`. */
typedef struct netdp_i_noise_part {
    const char *key, *option; /* in JSON, and of a command line */
    size_t at;                /* in netdp_noise */
    double most;
    unsigned setting; /* protocols with it have the part */
} netdp_i_noise_part;

enum { NETDP_I_NOISE_PARTS = 4 };
extern const netdp_i_noise_part netdp_i_noise_parts[NETDP_I_NOISE_PARTS];

/* The first part that is out of range, and its value; NULL: none is. */
const netdp_i_noise_part *netdp_i_noise_wrong(const netdp_noise *noise, double *value);

/* What protocols of these settings (netdp_setting) have of it. */
netdp_noise netdp_i_noise_of(const netdp_noise *noise, unsigned settings);

/* The parts of these settings into an object. */
void netdp_i_noise_show(const netdp_noise *noise, unsigned settings, json_t *object);

/* The parts that are numbers of an object, whose settings it returns. */
unsigned netdp_i_noise_read(const json_t *object, netdp_noise *noise);

/* All parts, taken out of an object; false, with what is missing in *part, where it has not all. */
bool netdp_i_noise_take(json_t *object, netdp_noise *noise, const char **part);

/* Are all parts the same? */
bool netdp_i_noise_equal(const netdp_noise *a, const netdp_noise *b);

#endif
