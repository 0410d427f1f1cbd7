/* Is what SQLite writes into still what stands at its path, and not on another machine? */
#ifndef NETDP_I_KEPT_H
#define NETDP_I_KEPT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <netdp/status.h>

struct sqlite3;

/* Which files a database in a write-ahead log was, once it was open. */
typedef struct netdp_i_kept {
    bool known;
    struct netdp_i_kept_file {
        dev_t device;
        ino_t file;
    } file[3]; /* the database, its log and the index of that */
} netdp_i_kept;

/* NETDP_ENVIRONMENT: `path`, which is there, lies on another machine's disk, whose locks are not to be
 * relied on and whose memory is not shared. */
netdp_status netdp_i_kept_here(const char *path, netdp_error *error);

/*
 * The name of a file system of other machines, by its kind (statfs's f_type) and, through FUSE, by what
 * it is mounted as ("fuse.sshfs"); NULL: of this one, or nobody knows.
 */
const char *netdp_i_kept_far(unsigned long kind, const char *type);

/* What the device is mounted as by the last line of /proc/self/mountinfo that is about it; "": none is. */
#define NETDP_I_TYPE_ROOM 64
void netdp_i_kept_type(FILE *mounts, unsigned high, unsigned low, char type[NETDP_I_TYPE_ROOM]);

/* Within the first transaction: remembers which files they are. */
netdp_status netdp_i_kept_begin(netdp_i_kept *kept, struct sqlite3 *base, const char *path,
                                netdp_error *error);

/*
 * NETDP_ENVIRONMENT: one of them was moved, deleted or replaced since, so that what is written now
 * is in no file that anybody opens. Nothing is checked before netdp_i_kept_begin.
 */
netdp_status netdp_i_kept_check(const netdp_i_kept *kept, struct sqlite3 *base, const char *path,
                                netdp_error *error);

#endif
