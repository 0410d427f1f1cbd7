/* dladdr */
#define _GNU_SOURCE
#include "base/place.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <places.h> /* of the build */

/* bin of a prefix, or the program's own folder or one above it where it was built. */
enum { MOST_ABOVE = 3 };

/* Something of this library, to ask where it is. */
static const char here = 0;

static bool look_above(char program[NETDP_I_PATH_ROOM], const char *folder, const char *name,
                       char path[NETDP_I_PATH_ROOM])
{
    for (int above = 0; above < MOST_ABOVE; above++) {
        char *slash = strrchr(program, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        const int used = snprintf(path, NETDP_I_PATH_ROOM, "%s/%s/%s", program, folder, name);
        if (used < NETDP_I_PATH_ROOM && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static bool look_beside(const char *folder, const char *name, char path[NETDP_I_PATH_ROOM])
{
    char program[NETDP_I_PATH_ROOM];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    Dl_info library;
    program[length > 0 ? length : 0] = '\0';
    if (look_above(program, folder, name, path))
        return true;
    /* Of another program's process: beside the library that this is. */
    char *whole = dladdr(&here, &library) != 0 && library.dli_fname != NULL
                      ? realpath(library.dli_fname, NULL)
                      : NULL;
    const bool fits = whole != NULL && strlen(whole) < sizeof program;
    if (fits)
        strcpy(program, whole);
    free(whole);
    return fits && look_above(program, folder, name, path);
}

bool netdp_i_place_beside(const char *name, char path[NETDP_I_PATH_ROOM])
{
    return look_beside(NETDP_SHARE, name, path);
}

bool netdp_i_place(const char *name, char path[NETDP_I_PATH_ROOM])
{
    if (netdp_i_place_beside(name, path))
        return true;
    const int used = snprintf(path, NETDP_I_PATH_ROOM, "%s/%s", NETDP_DATADIR, name);
    return used < NETDP_I_PATH_ROOM && access(path, F_OK) == 0;
}

bool netdp_i_place_module(const char *name, char path[NETDP_I_PATH_ROOM])
{
    if (look_beside(NETDP_LIB, name, path))
        return true;
    const int used = snprintf(path, NETDP_I_PATH_ROOM, "%s/%s", NETDP_LIBDIR, name);
    return used < NETDP_I_PATH_ROOM && access(path, F_OK) == 0;
}
