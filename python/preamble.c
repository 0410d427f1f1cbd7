/* What the Python module has beside the public headers: progress, Ctrl-C, and defaults that are macros. */
#include <netdp/netdp.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/*
 * Ctrl-C. A signal reaches Python's own handler, which only notes it for the main thread; that thread
 * is in C, without the interpreter's lock. So a handler before Python's counts the signals, and work
 * in C asks whether there was one since it began. Python's handler does the rest once C has returned.
 */
static volatile sig_atomic_t interrupts;
static struct sigaction before;
static pthread_mutex_t settling = PTHREAD_MUTEX_INITIALIZER;

static void count_interrupt(int number, siginfo_t *information, void *context)
{
    interrupts = interrupts + 1;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, information, context);
    else
        before.sa_handler(number);
}

/* Whoever changed what a signal does since (signal.signal) finds us in front of it again. */
static void stand_in_front(void)
{
    struct sigaction now;
    pthread_mutex_lock(&settling);
    if (sigaction(SIGINT, NULL, &now) == 0 &&
        !((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == count_interrupt) &&
        ((now.sa_flags & SA_SIGINFO) || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN))) {
        struct sigaction ours = now;
        ours.sa_flags |= SA_SIGINFO;
        ours.sa_sigaction = count_interrupt;
        before = now;
        sigaction(SIGINT, &ours, NULL);
    }
    pthread_mutex_unlock(&settling);
}

/* One call of the library: how many signals there were, and whether somebody wants to hear. */
typedef struct netdp_watch {
    int since;
    bool told;
    int64_t calls;
} netdp_watch;

static void netdp_watch_begin(netdp_watch *watch)
{
    stand_in_front();
    watch->since = interrupts;
}

static bool netdp_told(void *watch, char *what, double done, double total);

static bool netdp_watch_report(void *context, const char *what, double done, double total)
{
    netdp_watch *watch = (netdp_watch *)context;
    if (watch->since != interrupts)
        return false;
    if (what == NULL || !watch->told)
        return true;
    watch->calls++;
    return netdp_told(watch, (char *)what, done, total);
}

static bool netdp_asked(void *context, int64_t step, double *model, double *gradient);

static bool netdp_ask(void *context, int64_t step, const double *model, double *gradient)
{
    return netdp_asked(context, step, (double *)model, gradient);
}

static netdp_settings netdp_settings_default(void)
{
    return (netdp_settings)NETDP_SETTINGS_USUAL;
}
