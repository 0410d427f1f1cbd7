/*
 * SQLite's own files on a disk that fails: an SQLite VFS over the usual one. Operation number `fail_at` fails, and with
 * `fail_for` more all those after it; reads, too, where `fail_reads`. Of a write that fails a part arrives (`fail_part`:
 * nothing, one byte, half, all but one byte, all), or there the process ends (`fail_kills`). Where `keeps_synced`, a copy of each file is kept as it was when it was
 * synced last, for power that goes.
 */
#ifndef NETDP_TESTS_DISK_H
#define NETDP_TESTS_DISK_H

#include <netdp/status.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

typedef struct kept_file {
    sqlite3_file base;
    char path[NETDP_I_PATH_ROOM];
    sqlite3_file *real;
} kept_file;

static sqlite3_vfs disk, *below;
static int64_t operations, failed, fail_at = -1, fail_for = INT64_MAX; /* -1: none fails */
static int fail_part = 2;
static bool fail_reads, fail_kills, keeps_synced = true;

static bool fails(void)
{
    const bool now = fail_at >= 0 && operations >= fail_at && operations - fail_at < fail_for;
    operations += fail_at >= 0;
    failed += now;
    if (now && fail_kills)
        _exit(0);
    return now;
}

static inline void copy_file(const char *from, const char *to)
{
    char *bytes = NULL;
    int64_t count = 0;
    FILE *out;
    if (netdp_i_file_load(from, &bytes, &count, NULL) != NETDP_OK) {
        unlink(to);
        return;
    }
    out = fopen(to, "wb");
    if (out == NULL || fwrite(bytes, 1, (size_t)count, out) != (size_t)count || fclose(out) != 0)
        abort();
    netdp_i_free(bytes);
}

static void beside(const char *path, char copy[NETDP_I_PATH_ROOM + 8])
{
    snprintf(copy, NETDP_I_PATH_ROOM + 8, "%s.synced", path);
}

#define REAL(file) (((kept_file *)(void *)(file))->real)

static int close_file(sqlite3_file *file)
{
    const int code = REAL(file)->pMethods != NULL ? REAL(file)->pMethods->xClose(REAL(file)) : 0;
    sqlite3_free(REAL(file));
    return code;
}
static int read_file(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at)
{
    if (fail_reads && fails())
        return SQLITE_IOERR_READ;
    return REAL(file)->pMethods->xRead(REAL(file), to, bytes, at);
}
/* How much of it arrives. */
static int part_of(int bytes)
{
    const int parts[] = {0, 1, bytes / 2, bytes - 1, bytes};
    return parts[fail_part];
}
static int write_file(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at)
{
    if (!fails())
        return REAL(file)->pMethods->xWrite(REAL(file), from, bytes, at);
    if (operations == fail_at + 1 && part_of(bytes) > 0)
        (void)REAL(file)->pMethods->xWrite(REAL(file), from, part_of(bytes), at);
    return fail_at % 2 == 0 ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}
static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    return fails() ? SQLITE_IOERR_TRUNCATE : REAL(file)->pMethods->xTruncate(REAL(file), size);
}
static int sync_file(sqlite3_file *file, int flags)
{
    char copy[NETDP_I_PATH_ROOM + 8];
    if (fails())
        return SQLITE_IOERR_FSYNC;
    const int code = REAL(file)->pMethods->xSync(REAL(file), flags);
    if (keeps_synced) {
        beside(((kept_file *)(void *)file)->path, copy);
        copy_file(((kept_file *)(void *)file)->path, copy);
    }
    return code;
}
static int size_file(sqlite3_file *file, sqlite3_int64 *size)
{
    return REAL(file)->pMethods->xFileSize(REAL(file), size);
}
static int lock_file(sqlite3_file *file, int kind)
{
    return REAL(file)->pMethods->xLock(REAL(file), kind);
}
static int unlock_file(sqlite3_file *file, int kind)
{
    return REAL(file)->pMethods->xUnlock(REAL(file), kind);
}
static int reserved_file(sqlite3_file *file, int *held)
{
    return REAL(file)->pMethods->xCheckReservedLock(REAL(file), held);
}
static int control_file(sqlite3_file *file, int what, void *with)
{
    return REAL(file)->pMethods->xFileControl(REAL(file), what, with);
}
static int sector_file(sqlite3_file *file)
{
    return REAL(file)->pMethods->xSectorSize(REAL(file));
}
/* No promise of the device: SQLite takes no short cuts. */
static int traits_file(sqlite3_file *file)
{
    (void)file;
    return 0;
}
static int map_file(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
    return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, at);
}
static int shm_lock_file(sqlite3_file *file, int offset, int count, int flags)
{
    return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}
static void barrier_file(sqlite3_file *file)
{
    REAL(file)->pMethods->xShmBarrier(REAL(file));
}
static int unmap_file(sqlite3_file *file, int away)
{
    return REAL(file)->pMethods->xShmUnmap(REAL(file), away);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = reserved_file,
    .xFileControl = control_file,
    .xSectorSize = sector_file,
    .xDeviceCharacteristics = traits_file,
    .xShmMap = map_file,
    .xShmLock = shm_lock_file,
    .xShmBarrier = barrier_file,
    .xShmUnmap = unmap_file,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    kept_file *kept = (kept_file *)(void *)file;
    (void)vfs;
    *kept = (kept_file){.real = sqlite3_malloc(below->szOsFile)};
    memset(kept->real, 0, (size_t)below->szOsFile);
    if (name != NULL)
        snprintf(kept->path, sizeof kept->path, "%s", name);
    const int code = below->xOpen(below, name, kept->real, flags, out);
    if (code == SQLITE_OK)
        kept->base.pMethods = &methods;
    else
        sqlite3_free(kept->real);
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    char copy[NETDP_I_PATH_ROOM + 8];
    (void)vfs;
    if (fails())
        return SQLITE_IOERR_DELETE;
    if (keeps_synced) {
        beside(name, copy);
        unlink(copy);
    }
    return below->xDelete(below, name, sync);
}

/* To be registered, or not, with sqlite3_vfs_register(&disk, 1). */
static inline void make_disk(void)
{
    below = sqlite3_vfs_find(NULL);
    disk = *below;
    disk.zName = "failing";
    disk.pNext = NULL;
    disk.szOsFile = (int)sizeof(kept_file);
    disk.xOpen = open_file;
    disk.xDelete = delete_file;
}

#endif
