#include "learn/separator.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"

static const char marks[] = {',', ';', '\t'};
enum { MARKS = sizeof marks };

/* How many of each mark a line has outside quotes; returns the next line. */
static const char *count_marks(const char *at, const char *end, int64_t count[MARKS])
{
    bool quoted = false;
    for (int k = 0; k < MARKS; k++)
        count[k] = 0;
    for (; at < end && (quoted || *at != '\n'); at++) {
        quoted = quoted != (*at == '"');
        for (int k = 0; k < MARKS && !quoted; k++)
            count[k] += *at == marks[k];
    }
    return at < end ? at + 1 : end;
}

netdp_status netdp_i_table_separator(const char *path, const char *at, const char *end,
                                     char *separator, netdp_error *error)
{
    int64_t head[MARKS], row[MARKS];
    const char *next = count_marks(at, end, head);
    (void)count_marks(next, end, row);
    int found = -1, fitting = 0, used = 0;
    for (int k = 0; k < MARKS; k++)
        used += head[k] > 0;
    for (int k = 0; k < MARKS; k++) {
        /* One kind of mark in the header separates; of several, the one of which the next line has as many. */
        if (head[k] == 0 || (used > 1 && head[k] != row[k]))
            continue;
        fitting++;
        found = k;
    }
    if (fitting > 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s:1: commas, semicolons or tabs, and each may stand between the "
                            "columns; put names and cells with such marks in double quotes",
                            path);
    *separator = found < 0 ? ',' : marks[found];
    return NETDP_OK;
}
