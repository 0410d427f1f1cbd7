#include "guard/kept.h"

#include "base/fail.h"

#ifdef NETDP_SQLITE

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/file.h"

/* linux/magic.h, and what the makers of the others say in their sources. */
static const struct {
    unsigned long kind;
    const char *name;
} far[] = {
    {0x6969, "NFS"},      {0x517b, "SMB"},        {0xfe534d42, "SMB"},   {0xff534d42, "CIFS"},
    {0x5346414f, "AFS"},  {0x6b414653, "AFS"},    {0x73757245, "Coda"},  {0x564c, "NCP"},
    {0xc36400, "Ceph"},   {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},  {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"}, {0x19830326, "BeeGFS"}, {0xaad7aaea, "PanFS"},
};

static const char *far_name(unsigned long kind)
{
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        if (far[i].kind == (kind & 0xffffffff))
            return far[i].name;
    return NULL;
}

bool netdp_i_kept_is_far(unsigned long kind)
{
    return far_name(kind) != NULL;
}

netdp_status netdp_i_kept_here(const char *path, netdp_error *error)
{
    struct statfs shape;
    if (statfs(path, &shape) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: %s", path, strerror(errno));
    const char *name = far_name((unsigned long)shape.f_type);
    return name == NULL ? NETDP_OK
                        : netdp_i_fail(error, NETDP_ENVIRONMENT,
                                       "%.300s: lies on a network file system (%s), on which two "
                                       "machines may spend the same twice; give a file on a disk "
                                       "of this machine",
                                       path, name);
}

/* The three files as they stand at their paths; false: one is not there. */
static bool look(sqlite3 *base, struct netdp_i_kept_file file[3])
{
    static const char *const ending[] = {"", "-wal", "-shm"};
    const char *main_path = sqlite3_db_filename(base, "main");
    for (int k = 0; k < 3; k++) {
        char path[NETDP_I_PATH_ROOM + 8];
        struct stat is;
        const int length = snprintf(path, sizeof path, "%s%s", main_path, ending[k]);
        if (length < 0 || (size_t)length >= sizeof path || stat(path, &is) != 0)
            return false;
        file[k] = (struct netdp_i_kept_file){is.st_dev, is.st_ino};
    }
    return true;
}

/* Is the path that it was opened by, a link perhaps, still this file? A path from the current folder may mean another
   one by now, and is not asked. */
static bool leads_there(const char *path, struct netdp_i_kept_file file)
{
    struct stat is;
    return path[0] != '/' ||
           (stat(path, &is) == 0 && is.st_dev == file.device && is.st_ino == file.file);
}

static netdp_status fail_moved(const char *path, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%.300s: was moved, deleted or replaced, or its -wal or -shm, while it was "
                        "open, and what is spent now would be in no file: put it back with what is "
                        "beside it and open it again; nothing was released",
                        path);
}

netdp_status netdp_i_kept_begin(netdp_i_kept *kept, sqlite3 *base, const char *path,
                                netdp_error *error)
{
    kept->known = look(base, kept->file);
    return kept->known ? netdp_i_kept_check(kept, base, path, error) : fail_moved(path, error);
}

netdp_status netdp_i_kept_check(const netdp_i_kept *kept, sqlite3 *base, const char *path,
                                netdp_error *error)
{
    struct netdp_i_kept_file now[3];
    int moved = 0;
    if (!kept->known)
        return NETDP_OK;
    /* SQLite knows which file it holds, of the log and the index it does not say. */
    (void)sqlite3_file_control(base, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    bool same = moved == 0 && look(base, now) && leads_there(path, kept->file[0]);
    for (int k = 0; same && k < 3; k++)
        same = now[k].device == kept->file[k].device && now[k].file == kept->file[k].file;
    return same ? NETDP_OK : fail_moved(path, error);
}

#endif
