#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

static netdp_status fail_row(const netdp_i_rows *rows, const char *what, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%.300s:%lld: %s; the file was changed: run the study again", rows->path,
                        (long long)rows->line, what);
}

/* Cuts the next line into fields; false: there is none. */
static bool cut(netdp_i_rows *rows)
{
    if (*rows->next == '\0')
        return false;
    char *line = rows->next;
    char *end = strchr(line, '\n');
    rows->next = end != NULL ? end + 1 : line + strlen(line);
    if (end != NULL)
        *end = '\0';
    rows->line++;
    rows->count = 0;
    for (char *field = line; field != NULL; rows->count++) {
        char *comma = strchr(field, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (rows->count < NETDP_I_ROW_FIELDS)
            rows->field[rows->count] = field;
        field = comma;
    }
    return true;
}

netdp_status netdp_i_rows_open(const char *path, netdp_i_rows *rows, netdp_error *error)
{
    CLEARED(netdp_i_rows_close) netdp_i_rows opened = {.path = path};
    int64_t bytes = 0;
    TRY(netdp_i_file_load(path, &opened.text, &bytes, error));
    opened.next = opened.text;
    if (!cut(&opened) || opened.count > NETDP_I_ROW_FIELDS)
        return fail_row(&opened, "has no row of column names", error);
    *rows = opened;
    opened.text = NULL;
    return NETDP_OK;
}

void netdp_i_rows_close(netdp_i_rows *rows)
{
    netdp_i_free(rows->text);
    *rows = (netdp_i_rows){0};
}

int netdp_i_rows_column(const netdp_i_rows *rows, const char *name)
{
    for (int i = 0; i < rows->count; i++)
        if (strcmp(rows->field[i], name) == 0)
            return i;
    return -1;
}

netdp_status netdp_i_rows_next(netdp_i_rows *rows, bool *more, netdp_error *error)
{
    const int wanted = rows->count;
    *more = cut(rows);
    if (*more && rows->count != wanted)
        return fail_row(rows, "has more or fewer fields than the first line", error);
    return NETDP_OK;
}

netdp_status netdp_i_rows_number(const netdp_i_rows *rows, int i, double *value, netdp_error *error)
{
    const char *field = rows->field[i];
    if (field[0] == '\0')
        *value = NAN;
    else if (strcmp(field, "inf") == 0)
        *value = INFINITY;
    else if (!netdp_i_read_number(field, value))
        return fail_row(rows, "holds what is no number", error);
    return NETDP_OK;
}

netdp_status netdp_i_rows_index(const netdp_i_rows *rows, int i, int64_t most, int64_t *value,
                                netdp_error *error)
{
    char *end;
    const long long read = strtoll(rows->field[i], &end, 10);
    if (end == rows->field[i] || *end != '\0' || read < 0 || read > most)
        return fail_row(rows, "holds a number out of range", error);
    *value = read;
    return NETDP_OK;
}
