#include "cli/net/visit.h"

#ifdef NETDP_PEER

#include <string.h>
#include <uv.h>

#include "base/memory.h"
#include "base/try.h"
#include "peer/link/transport.h"

enum { PATIENCE = 3000 };

typedef struct visitor {
    netdp_i_visit *visit;
    bool over;
    uv_timer_t late;
} visitor;

static void say_nothing(void *context, int32_t link)
{
    (void)context, (void)link;
}

static void leave(void *context, int32_t link)
{
    visitor *v = context;
    (void)link;
    v->over = true;
}

static void turn_away(void *context, int32_t link, netdp_i_refusal why, const char *from)
{
    visitor *v = context;
    (void)link, (void)why, (void)from;
    v->over = true;
}

static netdp_i_refusal hear(void *context, int32_t link, const netdp_i_message *message,
                            const uint8_t *bytes, size_t size)
{
    visitor *v = context;
    (void)link, (void)bytes, (void)size;
    v->visit->spoke = message->kind == NETDP_I_FRAME_HELLO;
    v->visit->hello = message->hello;
    v->over = true;
    return NETDP_I_REFUSE_NOTHING;
}

static void on_late(uv_timer_t *timer)
{
    visitor *v = timer->data;
    v->over = true;
}

static netdp_status go(uv_loop_t *loop, const netdp_i_transport_plan *plan, visitor *v)
{
    netdp_i_transport *transport = NULL;
    TRY(netdp_i_transport_new(plan, &transport, NULL));
    uv_timer_init(loop, &v->late);
    v->late.data = v;
    uv_timer_start(&v->late, on_late, PATIENCE, 0);
    while (!v->over)
        uv_run(loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&v->late, NULL);
    netdp_i_transport_close(transport);
    uv_run(loop, UV_RUN_DEFAULT);
    return NETDP_OK;
}

netdp_status netdp_i_net_visit(const netdp_i_package *package, const netdp_i_signer *signer,
                               int32_t self, int32_t neighbour, const char *address,
                               netdp_i_visit *visit)
{
    uv_loop_t loop;
    visitor v = {.visit = visit};
    netdp_i_public *key = NETDP_I_NEW(netdp_i_public, package->members);
    const netdp_i_link link = {.neighbour = neighbour, .dials = true, .address = address};
    if (key == NULL || uv_loop_init(&loop) != 0) {
        netdp_i_free(key);
        return NETDP_NO_MEMORY;
    }
    for (int32_t m = 0; m < package->members; m++)
        memcpy(key[m], package->member[m].key, sizeof *key);
    const netdp_i_transport_plan plan = {.loop = &loop,
                                         .seed = netdp_i_signer_secret(signer),
                                         .nodes = package->members,
                                         .self = self,
                                         .key = (const netdp_i_public *)key,
                                         .links = 1,
                                         .link = &link,
                                         .width = (uint32_t)package->terms.width,
                                         .patience = PATIENCE,
                                         .hooks = {&v, say_nothing, hear, leave, turn_away, NULL}};
    const netdp_status status = go(&loop, &plan, &v);
    uv_loop_close(&loop);
    netdp_i_free(key);
    return status;
}

#else
typedef int nothing; /* no file is empty */
#endif
