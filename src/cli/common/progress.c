/* Progress on a terminal, and signals that ask to stop. */
#include "cli/common/command.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

static volatile sig_atomic_t working, keeps, stop;

static struct {
    bool terminal, drawn;
    char what[64];
    double started, last;
} bar;

/*
 * What has not ended so many seconds after a signal is ended all the same. What keeps results has seconds of the
 * processor, all threads', so that it is not cut off on a busy machine; and those of a clock, for what waits for a
 * disk. What has nothing to save ends by the clock.
 */
static const struct itimerval work_left = {.it_value = {.tv_sec = 1, .tv_usec = 500000}};
static const struct itimerval time_to_keep = {.it_value = {.tv_sec = 20}};
static const struct itimerval time_to_end = {.it_value = {.tv_sec = 1}};

/* Files are whole or absent, whenever it is; a study goes on from its last checkpoint. */
static void end_now(void)
{
    netdp_i_outputs_abandon();
    _exit(130);
}

static void on_alarm(int number)
{
    static const char line[] = "netdp: stopped; the work at hand did not hear of it\n";
    (void)number;
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        end_now();
    end_now();
}

/*
 * Partial results are kept only by work that reports progress; anything else may end here. Such work
 * is told, and ends in its own way; but a factorisation hears nothing before it is done.
 */
static void on_signal(int number)
{
    (void)number;
    if (!working || stop)
        end_now();
    stop = 1;
    if (keeps)
        setitimer(ITIMER_PROF, &work_left, NULL);
    setitimer(ITIMER_REAL, keeps ? &time_to_keep : &time_to_end, NULL);
}

void netdp_i_cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigfillset(&alarm.sa_mask);
    sigaction(SIGPROF, &alarm, NULL);
    sigaction(SIGALRM, &alarm, NULL);
    /* A terminal that is closed stops like ^C, but nohup keeps what it set. */
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    /* A reader that has seen enough ends us quietly, whatever our parent set. */
    signal(SIGPIPE, SIG_DFL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void format_seconds(double seconds, char *text, size_t room)
{
    if (seconds < 60)
        snprintf(text, room, "%.0f s", ceil(seconds));
    else if (seconds < 3600)
        snprintf(text, room, "%.0f min", ceil(seconds / 60));
    else
        snprintf(text, room, "%.1f h", seconds / 3600);
}

static void draw(const char *what, double done, double total, double time)
{
    enum { WIDTH = 24 };
    char cells[WIDTH + 1], left[32] = "?";
    double elapsed = time - bar.started;
    double rate = elapsed > 0 ? done / elapsed : 0;
    double part = total > 0 ? fmin(fmax(done / total, 0), 1) : 0;
    for (int i = 0; i < WIDTH; i++)
        cells[i] = i < (int)(part * WIDTH) ? '#' : '.';
    cells[WIDTH] = '\0';
    if (rate > 0)
        format_seconds((total - done) / rate, left, sizeof left);
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%, %.3g/s, %s left", what, cells, 100 * part, rate,
            left);
    fflush(stderr);
    bar.drawn = true;
}

static bool report(void *context, const char *what, double done, double total)
{
    (void)context;
    if (bar.terminal && what != NULL) {
        double time = now();
        if (strncmp(bar.what, what, sizeof bar.what - 1) != 0) {
            snprintf(bar.what, sizeof bar.what, "%s", what);
            bar.started = time;
            bar.last = time; /* work shorter than a tick draws nothing */
        }
        if (time - bar.last >= 0.1) {
            bar.last = time;
            draw(what, done, total, time);
        }
    }
    return !stop;
}

netdp_progress netdp_i_cli_progress_begin(bool results)
{
    memset(&bar, 0, sizeof bar);
    keeps = results;
    bar.terminal = isatty(STDERR_FILENO) == 1 && netdp_i_cli_speaks();
    working = 1;
    return (netdp_progress){.report = report, .context = NULL};
}

void netdp_i_cli_progress_end(void)
{
    working = 0;
    if (bar.drawn)
        fputs("\r\033[K", stderr);
    bar.drawn = false;
}
