#include "graph/igraph/borrow.h"

#include <pthread.h>
#include <stdio.h>

#include <netdp/random.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
const netdp_i_igraph_calls *netdp_i_igraph_now; /* under the lock until it is set, once */
static char reason_text[200];                   /* under the lock */

/* One failure is reported by several callers on its way up; the first knows most. */
static void remember(const char *reason, const char *file, int line, igraph_error_t code)
{
    (void)file, (void)line, (void)code;
    if (reason_text[0] == '\0' && reason != NULL)
        snprintf(reason_text, sizeof reason_text, "%s", reason);
    IGRAPH_FINALLY_FREE();
}

static igraph_error_t seed_nothing(void *state, igraph_uint_t seed)
{
    (void)state, (void)seed;
    return IGRAPH_SUCCESS;
}

static igraph_error_t init_nothing(void **state)
{
    *state = NULL;
    return IGRAPH_SUCCESS;
}

static void destroy_nothing(void *state)
{
    (void)state;
}

static igraph_uint_t get_bits(void *state)
{
    return netdp_stream_bits(state);
}

const igraph_rng_type_t netdp_i_igraph_generator = {
    .name = "netdp stream",
    .bits = 64,
    .init = init_nothing,
    .destroy = destroy_nothing,
    .seed = seed_nothing,
    .get = get_bits,
};

netdp_status netdp_i_igraph_take(netdp_i_igraph *old, netdp_error *error)
{
    pthread_mutex_lock(&lock);
    const netdp_status status =
        netdp_i_igraph_now == NULL ? netdp_i_igraph_find(&netdp_i_igraph_now, error) : NETDP_OK;
    if (status != NETDP_OK) {
        pthread_mutex_unlock(&lock);
        return status;
    }
    reason_text[0] = '\0';
    old->errors = igraph_set_error_handler(remember);
    old->warnings = igraph_set_warning_handler(&igraph_warning_handler_ignore);
    return NETDP_OK;
}

void netdp_i_igraph_give_back(const netdp_i_igraph *old)
{
    igraph_set_error_handler(old->errors);
    igraph_set_warning_handler(old->warnings);
    pthread_mutex_unlock(&lock);
}

const char *netdp_i_igraph_reason(void)
{
    return reason_text;
}
