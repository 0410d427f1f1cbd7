/* Where the product is: what was installed beside the program, or lies beside it where it was
 * built. */
#ifndef NETDP_I_PLACE_H
#define NETDP_I_PLACE_H

#include <stdbool.h>

#include "base/file.h"

/*
 * The path of `name` ("netdp/experiments") below the folder of shared data of the prefix in which
 * the running program is, wherever that was moved; false: it is not there.
 */
bool netdp_i_place_beside(const char *name, char path[NETDP_I_PATH_ROOM]);

/* There, or for a program of somebody else's in the prefix that netdp was configured for. */
bool netdp_i_place(const char *name, char path[NETDP_I_PATH_ROOM]);

/* The path of a module ("netdp/netdp-igraph-0.2.so"), below the folder of libraries in the same places. */
bool netdp_i_place_module(const char *name, char path[NETDP_I_PATH_ROOM]);

#endif
