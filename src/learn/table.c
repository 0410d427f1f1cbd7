/* Tables of numbers from CSV, with columns that are told apart: the label, owners, categories. */
#include <netdp/learn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "learn/csv.h"
#include "learn/owner.h"
#include "learn/table.h"

typedef struct named {
    const char *name;
    int32_t column;
} named;

/* The header, and where each of its columns goes. */
typedef struct header {
    int32_t count, room;
    char **name;   /* in the file's text */
    int32_t *goes; /* column of the table, -1: not wanted */
    named *sorted; /* by name */
    bool asked;    /* columns are asked for by their names */
    int32_t text;  /* the column of the file that is kept as text, -1: none */
    char **label;  /* its cells, in the file's text */
    int32_t owner; /* the column that says whose a row is, -1: none */
    char **owners; /* its cells */
    bool *empty;   /* [rows]: a cell that is wanted is empty, and nothing of the row counts */
    bool drop;     /* rows with an empty cell that is wanted contribute nothing */
    int32_t fill;  /* the first so many columns wanted may be empty: NaN */
    int64_t filled;
    int64_t dropped;
    int64_t unlisted;
    const netdp_range **category; /* of the file's columns: NULL where it is none */
} header;

static netdp_status read_header(netdp_i_csv_reader *from, header *head, netdp_error *error)
{
    netdp_i_csv_cell name = {.then = NETDP_I_CSV_ENDS_CELL};
    while (name.then == NETDP_I_CSV_ENDS_CELL) {
        TRY(netdp_i_csv_cell_read(from, &name, error));
        if (head->count == head->room) {
            if (head->room > INT32_MAX / 2)
                return netdp_i_csv_fail(from, 1, error, "too many columns");
            int32_t room = head->room == 0 ? 64 : 2 * head->room;
            char **grown = netdp_i_grow(head->name, room, sizeof *grown);
            if (grown == NULL)
                return netdp_i_no_memory(error);
            head->name = grown;
            head->room = room;
        }
        head->name[head->count++] = name.text;
    }
    return NETDP_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* First place in head->sorted whose name is not before `name`. */
static int32_t lower_bound(const header *head, const char *name)
{
    int32_t low = 0, high = head->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (strcmp(head->sorted[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static netdp_status fail_absent(const netdp_i_csv_reader *from, const header *head,
                                const char *name, netdp_error *error)
{
    int32_t nearest = 0;
    size_t least = SIZE_MAX;
    for (int32_t c = 0; c < head->count; c++) {
        size_t distance = netdp_i_distance(head->name[c], name);
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    return netdp_i_csv_fail(from, 1, error, "no column '%s' among %d; the nearest name is '%s'",
                            netdp_i_show_text(name).text, (int)head->count,
                            netdp_i_show_text(head->name[nearest]).text);
}

/* Says where column `name` of the file goes; it must be there once and be asked for once. */
static netdp_status place(const netdp_i_csv_reader *from, header *head, const char *name,
                          int32_t to, netdp_error *error)
{
    int32_t first = lower_bound(head, name);
    if (first == head->count || strcmp(head->sorted[first].name, name) != 0)
        return fail_absent(from, head, name, error);
    int32_t found = head->sorted[first].column;
    if (first + 1 < head->count && strcmp(head->sorted[first + 1].name, name) == 0)
        return netdp_i_csv_fail(from, 1, error, "two columns have the name '%s'; rename one",
                                netdp_i_show_text(name).text);
    for (int32_t c = 0; head->asked && c < head->count; c++)
        if (netdp_i_hardly_differ(head->name[c], name))
            return netdp_i_csv_fail(
                from, 1, error, "columns '%s' and '%s' differ in case or blanks alone; rename one",
                netdp_i_show_text(name).text, netdp_i_show_text(head->name[c]).text);
    if (head->goes[found] >= 0)
        return netdp_i_csv_fail(from, 1, error, "column '%s' is asked for twice; name it once",
                                netdp_i_show_text(name).text);
    head->goes[found] = to;
    return NETDP_OK;
}

/* Fills in goes[] and the table's names. */
static netdp_status choose(const netdp_i_csv_reader *from, header *head, const char *const *column,
                           int32_t count, netdp_table *table, netdp_error *error)
{
    int32_t wanted = count > 0 ? count : head->count;
    head->asked = count > 0;
    head->goes = NETDP_I_NEW(int32_t, head->count);
    head->sorted = NETDP_I_NEW(named, head->count);
    table->name = NETDP_I_NEW(char *, wanted);
    if (head->goes == NULL || head->sorted == NULL || table->name == NULL)
        return netdp_i_no_memory(error);
    for (int32_t c = 0; c < head->count; c++) {
        head->goes[c] = -1;
        head->sorted[c] = (named){head->name[c], c};
    }
    qsort(head->sorted, (size_t)head->count, sizeof *head->sorted, by_name);
    for (int32_t c = 0; c < wanted; c++) {
        const char *name = count > 0 ? column[c] : head->name[c];
        TRY(place(from, head, name, c, error));
        table->name[c] = netdp_i_copy_text(name);
        if (table->name[c] == NULL)
            return netdp_i_no_memory(error);
        table->columns = c + 1;
    }
    return NETDP_OK;
}

static netdp_status fail_empty(const netdp_i_csv_reader *from, const netdp_i_csv_cell *got,
                               const char *name, netdp_error *error)
{
    return netdp_i_csv_fail(from, got->line, error,
                            "column '%s': the cell is empty; fill it in or drop the row",
                            netdp_i_show_text(name).text);
}

static netdp_status read_value(const netdp_i_csv_reader *from, const netdp_i_csv_cell *got,
                               const char *name, double *value, netdp_error *error)
{
    if (netdp_i_read_number(got->text, value) && isfinite(*value))
        return NETDP_OK;
    if (got->length == 0)
        return fail_empty(from, got, name, error);
    return netdp_i_csv_fail(from, got->line, error, "column '%s': '%s' is not a finite number%s",
                            netdp_i_show_text(name).text, netdp_i_show(got->text, got->length).text,
                            strchr(got->text, ',') != NULL ? "; write decimals with a point" : "");
}

/* A row's cells as text. */
typedef struct row_texts {
    char *label, *owner;
    bool missing;   /* a wanted cell is empty, and such rows contribute nothing */
    int32_t filled; /* cells */
    int32_t unlisted;
} row_texts;

/* The place of a category's value in its list, -1 where it is none of them. */
static double read_category(const netdp_range *of, const char *text, row_texts *kept)
{
    const int32_t found = netdp_i_cell_find(text, of->value, of->values);
    kept->unlisted += found < 0;
    return found;
}

static netdp_status read_row(netdp_i_csv_reader *from, const header *head, double *values,
                             row_texts *kept, netdp_error *error)
{
    int64_t line = from->line;
    netdp_i_csv_cell got = {.then = NETDP_I_CSV_ENDS_CELL};
    int32_t count = 0;
    for (; got.then == NETDP_I_CSV_ENDS_CELL; count++) {
        TRY(netdp_i_csv_cell_read(from, &got, error));
        if (count >= head->count)
            continue;
        if (count == head->owner)
            kept->owner = got.text;
        if (head->drop && got.length == 0 && (head->goes[count] >= 0 || count == head->owner)) {
            kept->missing = true;
            continue;
        }
        if (count == head->owner && got.length == 0 && head->count > 1)
            return fail_empty(from, &got, head->name[count], error);
        if (head->goes[count] < 0)
            continue;
        double *value = &values[head->goes[count]];
        if (got.length == 0 && head->goes[count] < head->fill) {
            *value = NAN;
            kept->filled++;
            continue;
        }
        /* A short row is a better explanation than the empty cell of a blank line. */
        bool blank =
            count == 0 && got.length == 0 && got.then == NETDP_I_CSV_ENDS_ROW && head->count > 1;
        if (!blank && count == head->text) {
            kept->label = got.text;
            if (got.length == 0)
                return fail_empty(from, &got, head->name[count], error);
        } else if (!blank && head->category != NULL && head->category[count] != NULL &&
                   got.length > 0) {
            *value = read_category(head->category[count], got.text, kept);
        } else if (!blank) {
            TRY(read_value(from, &got, head->name[count], value, error));
        }
    }
    if (count != head->count)
        return netdp_i_csv_fail(from, line, error, "the header has %d cells and this row has %d",
                                (int)head->count, (int)count);
    return NETDP_OK;
}

static netdp_status grow_rows(header *head, netdp_table *table, int64_t room, netdp_error *error)
{
    double *grown = netdp_i_grow(table->values, room * table->columns, sizeof *grown);
    if (grown == NULL)
        return netdp_i_no_memory(error);
    table->values = grown;
    char **label = head->text >= 0 ? netdp_i_grow(head->label, room, sizeof *label) : NULL;
    if (head->text >= 0 && label == NULL)
        return netdp_i_no_memory(error);
    head->label = label;
    char **owners = head->owner >= 0 ? netdp_i_grow(head->owners, room, sizeof *owners) : NULL;
    if (head->owner >= 0 && owners == NULL)
        return netdp_i_no_memory(error);
    head->owners = owners;
    bool *empty = netdp_i_grow(head->empty, room, sizeof *empty);
    if (empty == NULL)
        return netdp_i_no_memory(error);
    head->empty = empty;
    return NETDP_OK;
}

static bool any_whole(const header *head, int64_t rows)
{
    bool any = false;
    for (int64_t i = 0; i < rows && !any; i++)
        any = !head->empty[i];
    return any;
}

static netdp_status read_rows(netdp_i_csv_reader *from, header *head, netdp_table *table,
                              netdp_error *error)
{
    int64_t room = 0;
    /* Blank lines at the very end are nobody's rows. */
    while (from->at + strspn(from->at, "\r\n") < from->end) {
        if (table->rows == room) {
            room = room == 0 ? 256 : 2 * room;
            TRY(grow_rows(head, table, room, error));
        }
        row_texts kept = {0};
        TRY(read_row(from, head, table->values + table->rows * table->columns, &kept, error));
        head->dropped += kept.missing;
        if (kept.missing && head->owner >= 0 && kept.owner[0] == '\0')
            continue; /* it is nobody's */
        head->empty[table->rows] = kept.missing;
        head->filled += kept.filled;
        head->unlisted += kept.unlisted;
        if (head->text >= 0)
            head->label[table->rows] = kept.label;
        if (head->owner >= 0)
            head->owners[table->rows] = kept.owner;
        table->rows++;
    }
    if (head->dropped > 0 && !any_whole(head, table->rows))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s: every row has an empty cell among the columns that are used",
                            from->path);
    if (table->rows == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s: has a header and no rows; a table needs at least one",
                            from->path);
    return NETDP_OK;
}

typedef struct wish {
    const char *const *column; /* the columns wanted, or */
    int32_t count;
    bool text_last;           /* (the last of them as text) */
    const char *label;        /* where not NULL: this one last, */
    const char *features;     /* behind these, as netdp_preparation has them, */
    bool as_text;             /* and as text */
    const char *owner;        /* where not NULL: as text too, and no feature */
    bool drop;                /* rows with an empty cell contribute nothing */
    bool fill;                /* features may be empty */
    const netdp_range *range; /* [ranges]: which columns are categories */
    int32_t ranges;
    netdp_i_label_column *labels; /* where texts go; NULL: there are none */
} wish;

#define ALL "all"
#define ALL_BUT "all but "

/* Is the name in a list "a, b"? */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    while (*list != '\0') {
        list += strspn(list, ", ");
        size_t listed = strcspn(list, ",");
        const char *next = list + listed;
        while (listed > 0 && list[listed - 1] == ' ')
            listed--;
        if (listed == length && memcmp(list, name, length) == 0)
            return true;
        list = next;
    }
    return false;
}

/* Every name of the list "a, b" is a column's. */
static netdp_status check_listed(const netdp_i_csv_reader *from, const header *head,
                                 const char *list, netdp_error *error)
{
    while (*list != '\0') {
        list += strspn(list, ", ");
        size_t length = strcspn(list, ",");
        const char *next = list + length;
        while (length > 0 && list[length - 1] == ' ')
            length--;
        bool found = length == 0;
        for (int32_t c = 0; c < head->count && !found; c++)
            found = strlen(head->name[c]) == length && memcmp(head->name[c], list, length) == 0;
        if (!found)
            return netdp_i_csv_fail(from, 1, error, "features: there is no column '%s'",
                                    netdp_i_show(list, length).text);
        list = next;
    }
    return NETDP_OK;
}

/* The features in the file's order, and the label last; `as_text`: its cells are not numbers. */
static netdp_status choose_labelled(const netdp_i_csv_reader *from, header *head,
                                    const wish *wanted, netdp_table *table, netdp_error *error)
{
    const char *label = wanted->label, *list = wanted->features;
    const bool as_text = wanted->as_text;
    const bool all = list == NULL || strcmp(list, ALL) == 0;
    const bool but = !all && strncmp(list, ALL_BUT, sizeof ALL_BUT - 1) == 0;
    int32_t count = 0;
    if (but)
        list += sizeof ALL_BUT - 1;
    if (!all)
        TRY(check_listed(from, head, list, error));
    if (!all && !but && is_listed(list, label))
        return netdp_i_csv_fail(from, 1, error, "features: '%s' is the label; name one of the two",
                                netdp_i_show_text(label).text);
    OWNED const char **order = NETDP_I_NEW(const char *, head->count + 1);
    if (order == NULL)
        return netdp_i_no_memory(error);
    for (int32_t c = 0; c < head->count; c++)
        if (strcmp(head->name[c], label) != 0 && (all || is_listed(list, head->name[c]) != but) &&
            !(wanted->owner != NULL && (but || wanted->features == NULL) &&
              strcmp(head->name[c], wanted->owner) == 0))
            order[count++] = head->name[c];
    order[count++] = label;
    TRY(choose(from, head, order, count, table, error));
    for (int32_t c = 0; as_text && c < head->count; c++)
        if (head->goes[c] == count - 1)
            head->text = c;
    return NETDP_OK;
}

/* Which of the columns that are wanted are categories; the label is read as text where it has values. */
static netdp_status find_categories(const netdp_i_csv_reader *from, header *head,
                                    const wish *wanted, netdp_error *error)
{
    head->category = NETDP_I_NEW(const netdp_range *, head->count);
    if (head->category == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < wanted->ranges; i++) {
        const char *name = wanted->range[i].column;
        const int32_t first = lower_bound(head, name);
        if (wanted->range[i].values == 0 || first == head->count ||
            strcmp(head->sorted[first].name, name) != 0)
            continue;
        if (strcmp(name, wanted->label) == 0 && !wanted->as_text)
            return netdp_i_csv_fail(from, 1, error,
                                    "column '%s' is the label, which is no category",
                                    netdp_i_show_text(name).text);
        head->category[head->sorted[first].column] = &wanted->range[i];
    }
    return NETDP_OK;
}

/* The column that says whose a row is; it may be a feature as well. */
static netdp_status find_owner(const netdp_i_csv_reader *from, header *head, const char *name,
                               netdp_error *error)
{
    const int32_t first = lower_bound(head, name);
    if (first == head->count || strcmp(head->sorted[first].name, name) != 0)
        return fail_absent(from, head, name, error);
    head->owner = head->sorted[first].column;
    return head->owner == head->text
               ? netdp_i_csv_fail(from, 1, error, "owner: '%s' is the label; name another column",
                                  netdp_i_show_text(name).text)
               : NETDP_OK;
}

static void clear(header *head)
{
    netdp_i_free(head->name);
    netdp_i_free(head->goes);
    netdp_i_free(head->sorted);
    netdp_i_free(head->category);
    netdp_i_free(head->label);
    netdp_i_free(head->owners);
    netdp_i_free(head->empty);
}

static netdp_status read_table(const char *path, const wish *wanted, netdp_table **table,
                               netdp_error *error)
{
    OWNED char *text = NULL;
    CLEARED(clear) header head = {.text = -1, .owner = -1, .drop = wanted->drop};
    netdp_i_csv_reader from;
    TRY(netdp_i_csv_open(path, &text, &from, error));
    OWNED_BY(netdp_table_free) netdp_table *read = NETDP_I_NEW(netdp_table, 1);
    if (read == NULL)
        return netdp_i_no_memory(error);
    TRY(read_header(&from, &head, error));
    if (wanted->label != NULL)
        TRY(choose_labelled(&from, &head, wanted, read, error));
    else
        TRY(choose(&from, &head, wanted->column, wanted->count, read, error));
    for (int32_t c = 0; wanted->text_last && c < head.count; c++)
        if (head.goes[c] == wanted->count - 1)
            head.text = c;
    if (wanted->ranges > 0)
        TRY(find_categories(&from, &head, wanted, error));
    if (wanted->owner != NULL)
        TRY(find_owner(&from, &head, wanted->owner, error));
    head.fill = wanted->fill ? read->columns - 1 : 0; /* the label is the last */
    TRY(read_rows(&from, &head, read, error));
    *table = GIVE(read);
    if (wanted->labels != NULL)
        *wanted->labels = (netdp_i_label_column){.of_row = GIVE(head.label),
                                                 .owner = GIVE(head.owners),
                                                 .empty = GIVE(head.empty),
                                                 .dropped = head.dropped,
                                                 .filled = head.filled,
                                                 .unlisted = head.unlisted,
                                                 .text = GIVE(text)};
    return NETDP_OK;
}

netdp_status netdp_table_read(const char *path, const char *const *column, int32_t count,
                              netdp_table **table, netdp_error *error)
{
    NETDP_I_GIVEN(error, path && (column || count == 0) && table);
    return read_table(path, &(wish){.column = column, .count = count}, table, error);
}

netdp_status netdp_i_table_read_owned(const char *path, const char *const *column, int32_t count,
                                      const char *owner, bool drop, netdp_table **table,
                                      netdp_i_label_column *texts, netdp_error *error)
{
    const wish wanted = {
        .column = column, .count = count, .owner = owner, .drop = drop, .labels = texts};
    return read_table(path, &wanted, table, error);
}

netdp_status netdp_i_table_read_classes(const char *path, const char *const *column, int32_t count,
                                        bool drop, netdp_table **table, netdp_i_label_column *texts,
                                        netdp_error *error)
{
    const wish wanted = {
        .column = column, .count = count, .drop = drop, .labels = texts, .text_last = true};
    return read_table(path, &wanted, table, error);
}

netdp_status netdp_i_table_read_labelled(const char *path, const netdp_preparation *how,
                                         netdp_table **table, netdp_i_label_column *texts,
                                         netdp_error *error)
{
    const wish wanted = {.label = how->label,
                         .features = how->features,
                         .as_text = how->classes,
                         .owner = how->owner,
                         .drop = how->missing == NETDP_MISSING_DROP,
                         .fill = how->missing == NETDP_MISSING_MEAN,
                         .range = how->range,
                         .ranges = how->ranges,
                         .labels = texts};
    return read_table(path, &wanted, table, error);
}

/* ---- Columns that are hardly quantities ---- */

static bool counts_rows(const netdp_table *table, int32_t column)
{
    enum { FEW = 6 }; /* so few in a row may be anything */
    for (int64_t i = 1; i < table->rows; i++) {
        const double step = table->values[i * table->columns + column] -
                            table->values[(i - 1) * table->columns + column];
        if (step != 1)
            return false;
    }
    return table->rows >= FEW;
}

static bool is_word(const char *name, const char *const *word)
{
    for (; *word != NULL; word++)
        if (strcasecmp(name, *word) == 0)
            return true;
    return false;
}

const char *netdp_i_table_suspect(const netdp_table *table, int32_t column)
{
    static const char *const numbers[] = {"",      "id",  "index",      "idx", "row",
                                          "rowid", "key", "Unnamed: 0", "nr",  NULL};
    static const char *const owners[] = {"owner",  "holder",    "node",   "user",
                                         "client", "party",     "person", "patient",
                                         "member", "household", "site",   NULL};
    const char *name = table->name[column];
    const size_t length = strlen(name);
    if (is_word(name, numbers))
        return "seems to number the rows";
    if (is_word(name, owners) || (length > 3 && strcasecmp(name + length - 3, "_id") == 0))
        return "seems to say who holds a row (netdp deals rows to nodes itself)";
    return counts_rows(table, column) ? "counts the rows" : NULL;
}

void netdp_i_label_column_drop(netdp_i_label_column *labels)
{
    netdp_i_free(labels->of_row);
    netdp_i_free(labels->owner);
    netdp_i_free(labels->empty);
    netdp_i_free(labels->text);
    *labels = (netdp_i_label_column){0};
}

void netdp_table_free(netdp_table *table)
{
    if (table == NULL)
        return;
    for (int32_t c = 0; c < table->columns; c++)
        netdp_i_free(table->name[c]);
    netdp_i_free(table->name);
    netdp_i_free(table->values);
    netdp_i_free(table);
}
