/*
 * One file that all processes write, each its parts: beside, synced, renamed (base/file.h). They
 * must see the same folder.
 */
#ifndef NETDP_I_JOINT_H
#define NETDP_I_JOINT_H

#include <stddef.h>
#include <netdp/status.h>

typedef struct netdp_i_joint netdp_i_joint;

/* All functions are called by all processes, but for _drop. */

/* *file is NULL where the path is standard output or a device: that one process must write. */
netdp_status netdp_i_joint_open(const char *path, netdp_i_joint **file, netdp_error *error);

/* The processes' texts behind what is there, in the order of the processes. */
netdp_status netdp_i_joint_append(netdp_i_joint *file, const char *text, size_t bytes,
                                  netdp_error *error);

/* Whole from here on; frees and nulls *file either way. */
netdp_status netdp_i_joint_commit(netdp_i_joint **file, netdp_error *error);

/* Removes what was written. NULL is fine. */
void netdp_i_joint_drop(netdp_i_joint *file);

#endif
