/* gnuplot through a pipe: a program written to it, a picture read from it. */
#define _GNU_SOURCE /* pipe2 */
#include "plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "base/written.h"

extern char **environ;

/* gnuplot with the pipe's reading end as input and `out` as output; its complaints are not shown.
 */
static int spawn(int reading, int writing, int out, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    char *const argv[] = {"gnuplot", "-d", NULL};
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO) ||
             posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) ||
             posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) ||
             posix_spawn_file_actions_addclose(&actions, writing);
    if (!failed)
        failed = posix_spawnp(child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* All of the text, or false: a gnuplot that ended early must not end us by SIGPIPE. */
static bool feed(int writing, const char *text)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    size_t left = strlen(text);
    sigaction(SIGPIPE, &ignore, &before);
    while (left > 0) {
        const ssize_t sent = write(writing, text, left);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            break;
        text += sent;
        left -= (size_t)sent;
    }
    sigaction(SIGPIPE, &before, NULL);
    return left == 0;
}

static netdp_status draw(const char *script, int out, netdp_error *error)
{
    int pipe_ends[2], how = 0;
    pid_t child = 0;
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "gnuplot: cannot make a pipe: %s",
                            strerror(errno));
    const int failed = spawn(pipe_ends[0], pipe_ends[1], out, &child);
    close(pipe_ends[0]);
    if (failed != 0) {
        close(pipe_ends[1]);
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "gnuplot: cannot start it; install the package gnuplot-nox");
    }
    const bool fed = feed(pipe_ends[1], script);
    close(pipe_ends[1]);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (!fed || !WIFEXITED(how) || WEXITSTATUS(how) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "gnuplot: could not draw; is gnuplot 5.4 or later installed?");
    return NETDP_OK;
}

static netdp_status write_script(const char *script, const char *path, netdp_error *error)
{
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    TRY(netdp_i_output_open(&output, path, error));
    fflush(output.stream);
    TRY(draw(script, fileno(output.stream), error));
    return netdp_i_output_commit(&output, error);
}

netdp_status netdp_i_plot_write(void (*print)(FILE *out, const void *what), const void *what,
                                const char *path, netdp_error *error)
{
    CLEARED(netdp_i_written_clear) netdp_i_written script = {0};
    TRY(netdp_i_written_begin(&script, error));
    print(script.out, what);
    TRY(netdp_i_written_end(&script, error));
    return write_script(script.text, path, error);
}

/* The next character, a printable one: as many bytes are read as the result says. */
static size_t next_character(const char *text, size_t left, const char **shown, size_t *bytes)
{
    uint32_t code = 0;
    const size_t length = netdp_i_utf8(text, left, &code);
    const bool fine = length > 0 && netdp_i_printable(code);
    *shown = fine ? text : *text == '\n' || *text == '\t' ? " " : "?";
    *bytes = fine ? length : 1;
    return length > 0 ? length : 1;
}

int32_t netdp_i_plot_length(const char *text)
{
    int32_t length = 0;
    const char *shown;
    size_t bytes;
    for (size_t left = strlen(text); left > 0; length++) {
        const size_t read = next_character(text, left, &shown, &bytes);
        text += read;
        left -= read;
    }
    return length;
}

int32_t netdp_i_plot_longest(int32_t known, const char *title, const char *standing)
{
    const char *const text[] = {title, standing};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const int32_t length = text[i] != NULL ? netdp_i_plot_length(text[i]) : 0;
        known = length > known ? length : known;
    }
    return known;
}

/* How many characters of the text go on a line: to the last blank within, if there is one. */
static int32_t line_length(const char *text, int32_t width)
{
    int32_t length = 0, blank = 0;
    const char *shown;
    size_t bytes;
    for (size_t left = strlen(text); left > 0; length++) {
        if (length == width)
            return *text == ' ' || blank == 0 ? width : blank;
        if (*text == ' ')
            blank = length;
        const size_t read = next_character(text, left, &shown, &bytes);
        text += read;
        left -= read;
    }
    return length;
}

/*
 * What needs other words to be itself. A quote in single quotes may be doubled, but not so at the
 * beginning, where it would let the rest be a command; and in double quotes it still begins a text
 * for gnuplot's macros. "&#" and "]]>" would pass into the SVG, where they mean something.
 */
static const char *instead_of(const char *text, char before)
{
    if (text[0] == '\'')
        return "'.\"\\047\".'";
    if (text[0] == '&' && text[1] == '#')
        return "&#x26;";
    return text[0] == '>' && before == ']' ? "&#x3e;" : NULL;
}

/* That many characters in single quotes; what follows them. */
static const char *print_line(FILE *out, const char *text, int32_t length, const char *end,
                              bool tick)
{
    const char *shown;
    size_t bytes;
    char before = '\0';
    fputc('\'', out);
    for (int32_t i = 0; i < length; i++) {
        const char *instead = instead_of(text, before);
        before = *text;
        text += next_character(text, strlen(text), &shown, &bytes);
        if (instead != NULL)
            fputs(instead, out);
        else
            fwrite(shown, 1, bytes, out);
        if (tick && *shown == '%')
            fputc('%', out);
    }
    fprintf(out, "%s'", end);
    return text + strspn(text, " ");
}

static int32_t print_text(FILE *out, const char *text, int32_t width, int32_t lines, bool tick)
{
    enum { LEAST = 4, ELLIPSIS = 3 };
    int32_t used = 0;
    if (width < LEAST)
        width = LEAST;
    if (text == NULL)
        text = "";
    do {
        int32_t length = line_length(text, width);
        const bool cut = ++used == lines && netdp_i_plot_length(text) > length;
        if (cut)
            length = width - ELLIPSIS;
        text = print_line(out, text, length, cut ? "..." : "", tick);
        if (cut)
            return used;
        if (*text != '\0')
            fputs(".\"\\n\".", out);
    } while (*text != '\0');
    return used;
}

int32_t netdp_i_plot_text(FILE *out, const char *text, int32_t width, int32_t lines)
{
    return print_text(out, text, width, lines, false);
}

int32_t netdp_i_plot_tick_text(FILE *out, const char *text, int32_t width, int32_t lines)
{
    return print_text(out, text, width, lines, true);
}

int32_t netdp_i_plot_label(FILE *out, const char *key, const char *text, int32_t pixels,
                           int32_t lines)
{
    if (text == NULL || *text == '\0') {
        fprintf(out, "unset %s\n", key);
        return 0;
    }
    fprintf(out, "set %s ", key);
    const int32_t used = netdp_i_plot_text(out, text, pixels / NETDP_I_LETTER, lines);
    fputs(" noenhanced\n", out);
    return used;
}

/* Of a title, and of each line below it: more are cut. */
enum { TITLE_LINES = 3 };

static int32_t lines_of(const char *text, int32_t width)
{
    int32_t lines = 0;
    const char *shown;
    size_t bytes;
    do {
        for (int32_t left = line_length(text, width); left > 0; left--)
            text += next_character(text, strlen(text), &shown, &bytes);
        text += strspn(text, " ");
        lines++;
    } while (*text != '\0' && lines < TITLE_LINES);
    return lines;
}

int32_t netdp_i_plot_title_lines(const char *title, const char *second, const char *third,
                                 int32_t pixels)
{
    const char *const line[] = {title, second, third};
    int32_t lines = title == NULL;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        lines += line[i] != NULL ? lines_of(line[i], pixels / NETDP_I_LETTER) : 0;
    return lines;
}

void netdp_i_plot_title(FILE *out, const char *title, const char *second, const char *third,
                        int32_t pixels)
{
    const char *const line[] = {title, second, third};
    fputs("set title ", out);
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        if (i > 0 && line[i] == NULL)
            continue;
        fputs(i > 0 ? ".\"\\n\"." : "", out);
        netdp_i_plot_text(out, line[i], pixels / NETDP_I_LETTER, TITLE_LINES);
    }
    fputs(" noenhanced offset 0,-0.5\n", out);
}
