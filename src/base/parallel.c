#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/fail.h"

/* GNU's threads do not survive a fork, and a child that asks for them waits for ever: it has one. Clang's begin anew. */
#ifndef __clang__
static void in_child(void)
{
    omp_set_num_threads(1);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}
#endif

int netdp_i_threads(void)
{
    return omp_get_max_threads();
}

netdp_status netdp_i_report(const netdp_progress *progress, const char *what, double done,
                            double total, netdp_error *error)
{
    bool go_on = true;
    if (progress == NULL || progress->report == NULL)
        return NETDP_OK;
#pragma omp critical(netdp_report)
    go_on = progress->report(progress->context, what, done, total);
    if (go_on)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped%s%s", what != NULL ? " during " : "",
                        what != NULL ? what : "");
}

netdp_status netdp_i_poll(const netdp_progress *progress, netdp_error *error)
{
    return netdp_i_report(progress, NULL, 0, 0, error);
}

/* Within netdp_i_report, which lets one thread ask at a time: so no report of its own. */
static bool ask_only(void *context, const char *what, double done, double total)
{
    const netdp_progress *progress = context;
    (void)what, (void)done, (void)total;
    return progress == NULL || progress->report == NULL ||
           progress->report(progress->context, NULL, 0, 0);
}

netdp_progress netdp_i_only_polled(const netdp_progress *progress)
{
    return (netdp_progress){ask_only, (void *)progress};
}

netdp_status netdp_i_for_each(int64_t count, netdp_i_piece piece, void *context,
                              const netdp_progress *progress, const char *what, netdp_error *error)
{
    netdp_status first = NETDP_OK;
    int64_t first_index = count;
    int64_t done = 0;
    atomic_bool stopped = false;
    /* One piece alone may use the threads itself. */
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
    for (int64_t i = 0; i < count; i++) {
        if (atomic_load_explicit(&stopped, memory_order_relaxed))
            continue;
        netdp_error mine = {NETDP_OK, ""};
        netdp_status status = piece(context, i, omp_get_thread_num(), &mine);
#pragma omp critical(netdp_for_each)
        {
            done++;
            if (status == NETDP_OK && first == NETDP_OK)
                status = netdp_i_report(progress, what, (double)done, (double)count, &mine);
            if (status != NETDP_OK) {
                if (i < first_index) {
                    first = status;
                    first_index = i;
                    if (error != NULL)
                        *error = mine;
                }
                atomic_store(&stopped, true);
            }
        }
    }
    return first;
}
