/* What a first call of a command needs, on one screen. */
#include "cli/common/first_page.h"

#include <stdio.h>
#include <string.h>

#include "question/settings.h"

/* Where the help of an option begins, and the lines that a page may give to what the command answers. */
enum { HELP_COLUMN = 28, WHAT_LINES = 6 };

static int lines_of(int length)
{
    return length == 0 ? 1 : (length - 1) / NETDP_I_SCREEN_COLUMNS + 1;
}

int netdp_i_screen_lines(const char *text)
{
    int lines = 0;
    while (*text != '\0') {
        const int length = (int)strcspn(text, "\n");
        lines += lines_of(length);
        text += length + (text[length] == '\n');
    }
    return lines;
}

/* Of `length` characters of a text; stream NULL: counts the lines only. */
static int wrap(FILE *stream, const char *text, size_t length, int at, int indent)
{
    const char *end = text + length;
    int lines = 1;
    bool first = true;
    while (text < end) {
        int word = (int)strcspn(text, " \n");
        if (word > end - text)
            word = (int)(end - text);
        if (!first && at + 1 + word >= NETDP_I_SCREEN_COLUMNS) {
            if (stream != NULL)
                fprintf(stream, "\n%*s", indent, "");
            at = indent;
            lines++;
        } else if (!first) {
            if (stream != NULL)
                fputc(' ', stream);
            at++;
        }
        if (stream != NULL)
            fprintf(stream, "%.*s", word, text);
        at += word;
        first = false;
        text += word;
        while (text < end && (*text == ' ' || *text == '\n'))
            text++;
    }
    if (stream != NULL)
        fputc('\n', stream);
    return lines;
}

int netdp_i_print_wrapped(FILE *stream, const char *text, int at, int indent)
{
    return wrap(stream, text, strlen(text), at, indent);
}

int netdp_i_print_what(FILE *stream, const char *what, int most)
{
    const size_t length = strlen(what);
    if (strstr(what, "  ") != NULL) { /* columns stay as they are */
        fprintf(stream, "%s\n", what);
        return netdp_i_screen_lines(what);
    }
    size_t kept = length;
    if (wrap(NULL, what, length, 0, 0) > most)
        for (const char *end = strchr(what, '.'); end != NULL; end = strchr(end + 1, '.')) {
            const size_t so_far = (size_t)(end - what) + 1;
            const bool is_end = (end[1] == ' ' || end[1] == '\n') && end > what && end[-1] != '.';
            if (is_end && (kept == length || wrap(NULL, what, so_far, 0, 0) <= most))
                kept = so_far;
        }
    return wrap(stream, what, kept, 0, 0);
}

/* Do only some protocols take it? */
static bool is_for_some(const netdp_i_option *option)
{
    return option->kind == NETDP_I_SETTING &&
           netdp_i_setting_takers(netdp_i_setting_find(option->name)) != 0;
}

static bool is_required(const netdp_i_option *option)
{
    return option->usual != NULL && (strncmp(option->usual, "required", 8) == 0 ||
                                     strncmp(option->usual, "this or", 7) == 0);
}

/* Is --NAME or -L among the examples? */
static bool in_examples(const netdp_i_option *option, const char *examples)
{
    char given[64], letter[8];
    snprintf(given, sizeof given, " --%s", option->name);
    snprintf(letter, sizeof letter, " -%c ", option->letter);
    if (option->letter != 0 && strstr(examples, letter) != NULL)
        return true;
    for (const char *at = examples; (at = strstr(at, given)) != NULL; at++)
        if (strchr(" =\n", at[strlen(given)]) != NULL)
            return true;
    return false;
}

static bool is_first(const netdp_i_usage *usage, const netdp_i_option *option)
{
    if (option->kind == NETDP_I_GROUP || option->kind == NETDP_I_ONLY)
        return false;
    return usage->examples == NULL || in_examples(option, usage->examples) ||
           (is_required(option) && !is_for_some(option));
}

/* As much of an option's help as one line holds: it ends where a part of it does, or with "..." within a list. */
static size_t one_line(const char *help, size_t room, bool *goes_on)
{
    size_t whole = 0, item = 0;
    *goes_on = false;
    if (strlen(help) <= room)
        return strlen(help);
    for (size_t k = 0; help[k] != '\0' && k <= room; k++)
        if (strncmp(&help[k], ", ", 2) == 0 && k + 5 <= room)
            item = k;
        else if (strchr(";:.", help[k]) != NULL ? help[k + 1] == ' '
                                                : strncmp(&help[k], " (", 2) == 0)
            whole = k;
    *goes_on = whole == 0 && item > 0;
    return whole > 0 ? whole : item > 0 ? item : strlen(help);
}

/* The lines that it takes. */
static int option_line(const netdp_i_option *option, bool prints)
{
    char name[80], text[512];
    const bool is_switch = option->value == NULL;
    char letter[8] = "";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const int at = snprintf(name, sizeof name, "  %s--%s%s%s", letter, option->name,
                            is_switch ? "" : "=", is_switch ? "" : option->value);
    const int column = at + 2 > HELP_COLUMN ? at + 2 : HELP_COLUMN;
    const char *say = is_required(option) ? option->usual : "";
    const size_t tail = say[0] != '\0' ? strlen(say) + 3 : 0;
    const size_t room = (size_t)(NETDP_I_SCREEN_COLUMNS - 1 - column);
    bool goes_on;
    const size_t kept = one_line(option->help, room > tail ? room - tail : 1, &goes_on);
    snprintf(text, sizeof text, "%.*s%s%s%s%s", (int)kept, option->help, goes_on ? ", ..." : "",
             tail > 0 ? " (" : "", say, tail > 0 ? ")" : "");
    if (prints)
        printf("%-*s", column, name);
    return wrap(prints ? stdout : NULL, text, strlen(text), column, HELP_COLUMN);
}

/* Those that so many lines hold. Returns the lines that they take. */
static int print_options(const netdp_i_usage *usage, const netdp_i_option *options, size_t count,
                         int most)
{
    int lines = 0;
    for (size_t k = 0; k < count; k++) {
        if (!is_first(usage, &options[k]))
            continue;
        const int more = option_line(&options[k], false);
        if (lines + more > most)
            continue;
        lines += more;
        option_line(&options[k], true);
    }
    return lines;
}

/* The examples that so many lines hold, at least the first. */
static void print_examples(const char *examples, int most)
{
    puts("\nExamples:");
    for (const char *line = examples; *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        most -= lines_of(length);
        if (most < 0 && line != examples)
            break;
        printf("%.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

void netdp_i_print_first_page(const netdp_i_usage *usage, const netdp_i_option *options,
                              size_t count)
{
    char call[160], page[64];
    snprintf(call, sizeof call, "Usage: netdp %s %s%s[OPTION...]", usage->command, usage->arguments,
             usage->arguments[0] != '\0' ? " " : "");
    snprintf(page, sizeof page, "netdp-%.*s", (int)strcspn(usage->command, " "), usage->command);
    /* Blank lines, the line at the end, and that of the prompt. */
    int left = NETDP_I_SCREEN_LINES - 5;
    left -= netdp_i_print_what(stdout, usage->what, WHAT_LINES);
    putchar('\n');
    left -= netdp_i_print_wrapped(stdout, call, 0, 7);
    putchar('\n');
    const int examples = usage->examples != NULL ? 3 : 0;
    left -= print_options(usage, options, count, left - examples);
    if (usage->examples != NULL)
        print_examples(usage->examples, left - 2);
    printf("\nEvery option%s: netdp %s --help all, or man %s\n",
           usage->narrowing != NULL ? " and protocol" : "", usage->command, page);
}
