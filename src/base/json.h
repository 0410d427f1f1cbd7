/* Jansson, whose failed allocations are not forgotten. */
#ifndef NETDP_I_JSON_H
#define NETDP_I_JSON_H

#include <stdbool.h>
#include <jansson.h>

#include "base/try.h"

OWNER(json_decref, json_t)

/*
 * Did an allocation of jansson's fail in this thread since the last call, or since the last
 * netdp_i_no_memory? A document that was being built may then lack entries: it must not be written.
 */
bool netdp_i_json_failed(void);

#endif
