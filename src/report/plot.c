/* For pipe2. */
#define _GNU_SOURCE
#include "report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

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

netdp_status netdp_i_plot_write(const char *script, const char *path, netdp_error *error)
{
    netdp_i_output output;
    netdp_status status = netdp_i_output_open(&output, path, error);
    if (status != NETDP_OK)
        return status;
    fflush(output.stream);
    status = draw(script, fileno(output.stream), error);
    if (status == NETDP_OK)
        status = netdp_i_output_commit(&output, error);
    netdp_i_output_drop(&output);
    return status;
}
