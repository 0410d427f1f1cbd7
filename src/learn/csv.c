#include "learn/csv.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "learn/separator.h"

netdp_status netdp_i_csv_fail(const netdp_i_csv_reader *from, int64_t line, netdp_error *error,
                              const char *format, ...)
{
    char text[sizeof((netdp_error *)NULL)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return netdp_i_fail(error, NETDP_INVALID, "%.300s:%lld: %s", from->path, (long long)line, text);
}

/* All of it is UTF-8 without a NUL, so that the rest may treat cells as C strings. */
static netdp_status check_text(const netdp_i_csv_reader *from, netdp_error *error)
{
    int64_t line = 1;
    for (const char *at = from->at; at < from->end;) {
        uint32_t code;
        size_t length = netdp_i_utf8(at, (size_t)(from->end - at), &code);
        if (length == 0)
            return netdp_i_csv_fail(from, line, error,
                                    "byte 0x%02x is not UTF-8; save the table as UTF-8",
                                    (unsigned char)*at);
        if (code == 0)
            return netdp_i_csv_fail(from, line, error, "holds a NUL byte; is this a CSV file?");
        line += code == '\n';
        at += length;
    }
    return NETDP_OK;
}

/* Unquotes in place; the reader stands behind the closing quote afterwards. */
static netdp_status read_quoted(netdp_i_csv_reader *from, netdp_i_csv_cell *into,
                                netdp_error *error)
{
    char *to = into->text, *at = from->at + 1;
    for (;; at++) {
        if (at == from->end)
            return netdp_i_csv_fail(from, into->line, error,
                                    "a quoted cell begins here and never ends");
        if (*at == '"' && *++at != '"')
            break;
        from->line += *at == '\n';
        *to++ = *at;
    }
    into->length = (size_t)(to - into->text);
    from->at = at;
    return NETDP_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "4;2" in a file of commas: a row of 4, and 2.5 written 2,5, would be read as 4;2 and 5. */
static bool joins_numbers(const netdp_i_csv_cell *cell)
{
    for (size_t i = 1; i + 1 < cell->length; i++)
        if ((cell->text[i] == ';' || cell->text[i] == '\t') && is_digit(cell->text[i - 1]) &&
            is_digit(cell->text[i + 1]))
            return true;
    return false;
}

netdp_status netdp_i_csv_cell_read(netdp_i_csv_reader *from, netdp_i_csv_cell *into,
                                   netdp_error *error)
{
    *into = (netdp_i_csv_cell){.text = from->at, .line = from->line, .then = NETDP_I_CSV_ENDS_CELL};
    if (*from->at == '"') {
        TRY(read_quoted(from, into, error));
    } else {
        from->at += strcspn(from->at, from->stops);
        if (*from->at == '"')
            return netdp_i_csv_fail(
                from, into->line, error,
                "a quote inside a cell without quotes; quote the cell and double it");
        if (from->at > into->text && from->at[-1] == '\r' && *from->at != from->separator)
            from->at--;
        into->length = (size_t)(from->at - into->text);
        if (joins_numbers(into))
            return netdp_i_csv_fail(from, into->line, error,
                                    "'%.*s' has a semicolon or tab between digits, and columns are "
                                    "separated by commas, semicolons or tabs, one of them in the "
                                    "whole file; put the cell in double quotes if it is one",
                                    (int)(into->length < 40 ? into->length : 40), into->text);
    }
    /* The line's end: LF, CR LF, the file's end, or CR before the file's end. */
    char *after = from->at + (*from->at == '\r');
    if (*from->at == from->separator) {
        from->at++;
    } else if (after == from->end || *after == '\n') {
        into->then = NETDP_I_CSV_ENDS_ROW;
        from->line += after != from->end;
        from->at = after == from->end ? after : after + 1;
    } else {
        return netdp_i_csv_fail(
            from, from->line, error,
            "text after a closing quote; put a comma, semicolon or tab between cells");
    }
    into->text[into->length] = '\0';
    return NETDP_OK;
}

netdp_status netdp_i_csv_open(const char *path, char **text, netdp_i_csv_reader *from,
                              netdp_error *error)
{
    int64_t bytes = 0;
    TRY(netdp_i_file_load(path, text, &bytes, error));
    *from = (netdp_i_csv_reader){.path = path, .at = *text, .end = *text + bytes, .line = 1};
    TRY(check_text(from, error));
    if (bytes >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0)
        from->at += 3;
    if (from->at == from->end)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s: is empty; a table needs a header and rows", path);
    TRY(netdp_i_table_separator(path, from->at, from->end, &from->separator, error));
    memcpy(from->stops, (char[]){from->separator, '\n', '"', '\0'}, sizeof from->stops);
    return NETDP_OK;
}

/* A row's cells behind those that are there; *count: how many. */
static netdp_status read_row(netdp_i_csv_reader *from, netdp_i_csv_table *table, int64_t *used,
                             int64_t *room, int32_t *count, netdp_error *error)
{
    netdp_i_csv_cell got = {.then = NETDP_I_CSV_ENDS_CELL};
    *count = 0;
    while (got.then == NETDP_I_CSV_ENDS_CELL) {
        TRY(netdp_i_csv_cell_read(from, &got, error));
        if (*used == *room) {
            *room = *room == 0 ? 256 : 2 * *room;
            char **grown = netdp_i_grow(table->cell, *room, sizeof *grown);
            if (grown == NULL)
                return netdp_i_no_memory(error);
            table->cell = grown;
        }
        table->cell[(*used)++] = got.text;
        if (++*count == INT32_MAX)
            return netdp_i_csv_fail(from, from->line, error, "too many columns");
    }
    return NETDP_OK;
}

static netdp_status read_rows(netdp_i_csv_reader *from, netdp_i_csv_table *table,
                              netdp_error *error)
{
    int64_t used = 0, room = 0, lines = 0;
    int32_t count = 0;
    while (from->at + strspn(from->at, "\r\n") < from->end) {
        const int64_t line = from->line;
        if (table->rows == lines) {
            lines = lines == 0 ? 256 : 2 * lines;
            int64_t *grown = netdp_i_grow(table->line, lines, sizeof *grown);
            if (grown == NULL)
                return netdp_i_no_memory(error);
            table->line = grown;
        }
        TRY(read_row(from, table, &used, &room, &count, error));
        if (count != table->columns)
            return netdp_i_csv_fail(from, line, error,
                                    "the header has %d cells and this row has %d",
                                    (int)table->columns, (int)count);
        table->line[table->rows++] = line;
    }
    return table->rows > 0 ? NETDP_OK
                           : netdp_i_fail(error, NETDP_INVALID,
                                          "%.300s: has a header and no rows; a table needs at "
                                          "least one",
                                          from->path);
}

netdp_status netdp_i_csv_read(const char *path, netdp_i_csv_table *table, netdp_error *error)
{
    netdp_i_csv_reader from;
    CLEARED(netdp_i_csv_table_clear) netdp_i_csv_table made = {0};
    int64_t used = 0, room = 0;
    TRY(netdp_i_csv_open(path, &made.text, &from, error));
    TRY(read_row(&from, &made, &used, &room, &made.columns, error));
    made.name = GIVE(made.cell);
    TRY(read_rows(&from, &made, error));
    *table = made;
    made = (netdp_i_csv_table){0};
    return NETDP_OK;
}

void netdp_i_csv_table_clear(netdp_i_csv_table *table)
{
    netdp_i_free(table->name);
    netdp_i_free(table->cell);
    netdp_i_free(table->line);
    netdp_i_free(table->text);
    *table = (netdp_i_csv_table){0};
}
