#include "guard/kept.h"

#include "base/fail.h"

#ifdef NETDP_SQLITE

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/file.h"

#define FUSE 0x65735546ul

/* linux/magic.h, and what coreutils calls remote; shares of a machine that this one is a guest of are also written from
   there. Not 9p and virtiofs, by which whole containers stand on a disk of this machine. */
static const struct {
    unsigned long kind;
    const char *name;
} far[] = {
    {0x6969, "NFS"},          {0x517b, "SMB"},
    {0xfe534d42, "SMB"},      {0xff534d42, "CIFS"},
    {0x5346414f, "AFS"},      {0x6b414653, "AFS"},
    {0x73757245, "Coda"},     {0x564c, "NCP"},
    {0xc36400, "Ceph"},       {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},     {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},     {0x19830326, "BeeGFS"},
    {0xaad7aaea, "PanFS"},    {0x61636673, "ACFS"},
    {0x013111a8, "IBRIX"},    {0xbeefdead, "StorNext"},
    {0x20030528, "OrangeFS"}, {0x786f4256, "VirtualBox"},
    {0xbacbacbc, "VMware"},   {0x7c7c6673, "Parallels"},
    {0xa501fcf5, "VxFS"},
};

/* What is mounted through FUSE has one kind: those of other machines, by what the mount calls itself, or where that is
   no more than "fuse", by what it calls its source. */
static const char *const far_fuse[] = {
    "sshfs",      "s3fs",      "rclone",        "glusterfs",   "ceph-fuse",
    "davfs",      "gcsfuse",   "goofys",        "juicefs",     "mfs",
    "mfsmount",   "lizardfs",  "seaweedfs",     "curlftpfs",   "smbnetfs",
    "gvfsd-fuse", "lustre",    "beegfs",        "hdfs",        "alluxio",
    "blobfuse",   "blobfuse2", "mountpoint-s3", "vmhgfs-fuse", "alluxio-fuse",
};

const char *netdp_i_kept_far(unsigned long kind, const char *type)
{
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        if (far[i].kind == (kind & 0xffffffff))
            return far[i].name;
    if ((kind & 0xffffffff) != FUSE)
        return NULL;
    const char *name = strncmp(type, "fuse.", 5) == 0 ? type + 5 : type;
    for (size_t i = 0; i < sizeof far_fuse / sizeof *far_fuse; i++)
        if (strcmp(name, far_fuse[i]) == 0)
            return far_fuse[i];
    return NULL;
}

void netdp_i_kept_type(FILE *mounts, unsigned high, unsigned low, char type[NETDP_I_TYPE_ROOM])
{
    char line[4096];
    type[0] = '\0';
    while (fgets(line, sizeof line, mounts) != NULL) {
        unsigned of[2];
        const char *behind = strstr(line, " - ");
        if (behind != NULL && sscanf(line, "%*d %*d %u:%u", &of[0], &of[1]) == 2 && of[0] == high &&
            of[1] == low)
            (void)sscanf(behind + 3, strncmp(behind + 3, "fuse ", 5) == 0 ? "%*s %63s" : "%63s",
                         type);
    }
}

/* What it is mounted as; "" where nobody says. */
static void find_type(const char *path, char type[NETDP_I_TYPE_ROOM])
{
    struct stat is;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    type[0] = '\0';
    if (mounts != NULL && stat(path, &is) == 0)
        netdp_i_kept_type(mounts, major(is.st_dev), minor(is.st_dev), type);
    if (mounts != NULL)
        fclose(mounts);
}

netdp_status netdp_i_kept_here(const char *path, netdp_error *error)
{
    struct statfs shape;
    char type[NETDP_I_TYPE_ROOM];
    if (statfs(path, &shape) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: %s", path, strerror(errno));
    const unsigned long kind = (unsigned long)shape.f_type & 0xffffffff;
    type[0] = '\0';
    if (kind == FUSE)
        find_type(path, type);
    const char *name = netdp_i_kept_far(kind, type);
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
