#include "base/place.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* bin of a prefix, or the program's own folder or one above it where it was built. */
enum { MOST_ABOVE = 3 };

bool netdp_i_place_beside(const char *name, char path[NETDP_I_PATH_ROOM])
{
    char program[NETDP_I_PATH_ROOM];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    for (int above = 0; above < MOST_ABOVE; above++) {
        char *slash = strrchr(program, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        const int used = snprintf(path, NETDP_I_PATH_ROOM, "%s/" NETDP_SHARE "/%s", program, name);
        if (used < NETDP_I_PATH_ROOM && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

bool netdp_i_place(const char *name, char path[NETDP_I_PATH_ROOM])
{
    if (netdp_i_place_beside(name, path))
        return true;
    const int used = snprintf(path, NETDP_I_PATH_ROOM, "%s/%s", NETDP_DATADIR, name);
    return used < NETDP_I_PATH_ROOM && access(path, F_OK) == 0;
}
