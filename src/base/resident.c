#include "base/resident.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Reads a line of smaps that begins a mapping (all others begin with a capital): is it a file's, private, and not for
 * writing? */
static bool begins(const char *line, uintptr_t *from, uintptr_t *until, bool *files)
{
    unsigned long first, after;
    char may[5], path[2];
    if (line[0] >= 'A' && line[0] <= 'Z')
        return false;
    if (sscanf(line, "%lx-%lx %4s", &first, &after, may) != 3)
        return false;
    *from = first;
    *until = after;
    *files = sscanf(line, "%*s %*s %*s %*s %*s %1s", path) == 1 && path[0] == '/' &&
             may[1] == '-' && may[3] == 'p';
    return true;
}

void netdp_i_resident_trim(void)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    uintptr_t from = 0, until = 0;
    bool files = false;
    unsigned long own;
    if (maps == NULL)
        return;
    while (fgets(line, sizeof line, maps) != NULL) {
        if (begins(line, &from, &until, &files))
            continue;
        /* Pages that were written once, by relocation say, are not the file's: they stay. */
        if (files && line[0] == 'A' && sscanf(line, "Anonymous: %lu", &own) == 1 && own == 0)
            (void)madvise((void *)from, until - from, MADV_DONTNEED);
    }
    fclose(maps);
}
