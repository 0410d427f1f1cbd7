#define _GNU_SOURCE
#include "peer/link/relay.h"

#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sodium.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fail.h"
#include "base/memory.h"
#include "peer/link/address.h"
#include "peer/link/limits.h"

enum {
    CHUNK = 16384, /* bytes on their way in one direction */
    GREETING = 5,  /* seconds until a newcomer has said where it belongs */
    TICK = 1000,   /* ms */
    BACKLOG = 512,
};

static const uint8_t magic[7] = "netdp/r";

void netdp_i_relay_hello(const uint8_t token[NETDP_I_RELAY_TOKEN], bool lower,
                         uint8_t bytes[NETDP_I_RELAY_HELLO])
{
    memcpy(bytes, magic, sizeof magic);
    bytes[sizeof magic] = lower;
    memcpy(bytes + 8, token, NETDP_I_RELAY_TOKEN);
}

/* Greets, waits for the other end of its link, and then has a mate. */
typedef struct guest {
    uv_tcp_t stream;    /* first: handles are guests */
    uv_write_t write;   /* to this guest, of what its mate's chunk holds */
    uv_shutdown_t last; /* the mate says no more */
    netdp_i_relay *relay;
    struct guest *next, *mate;
    uint8_t hello[NETDP_I_RELAY_HELLO];
    size_t greeted; /* bytes of it that have come */
    uint8_t chunk[CHUNK];
    size_t held; /* of it, on the way to the mate */
    uint64_t born, moved;
    int64_t passed;
    bool silent, closing; /* silent: says no more */
    uint8_t source;
} guest;

struct netdp_i_relay {
    netdp_i_relay_plan plan;
    uv_tcp_t listener;
    uv_timer_t tick;
    guest *all;   /* the newest first */
    int64_t open; /* of them, that are not closing */
    int64_t meetings, turned_away;
    int handles; /* of listener and tick, that the loop still has */
    uint8_t salt[NETDP_I_SOURCE_SALT];
    bool closing;
};

/* ---- Closing ---- */

static void finish(netdp_i_relay *r)
{
    if (r->closing && r->handles == 0 && r->all == NULL)
        netdp_i_free(r);
}

static void on_closed(uv_handle_t *handle)
{
    guest *g = (guest *)handle;
    netdp_i_relay *r = g->relay;
    guest **at = &r->all;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    netdp_i_free(g);
    finish(r);
}

/* With its mate: half of a link is none. */
static void end(guest *g)
{
    guest *mate = g->mate;
    if (g->closing)
        return;
    g->closing = true;
    g->relay->open--;
    g->mate = NULL;
    uv_close((uv_handle_t *)&g->stream, on_closed);
    if (mate != NULL)
        end(mate);
}

/* ---- Passing on ---- */

static void listen_to(guest *g);

/* Mates end together: of one that is open the other still is. */
static void on_written(uv_write_t *request, int status)
{
    guest *to = (guest *)request->handle;
    if (to->closing)
        return;
    if (status != 0) {
        end(to);
        return;
    }
    to->mate->held = 0;
    listen_to(to->mate);
}

/* One chunk is under way each way: who reads slowly is written to slowly. */
static void pass_on(guest *from)
{
    netdp_i_relay *r = from->relay;
    guest *to = from->mate;
    const uv_buf_t all = uv_buf_init((char *)from->chunk, (unsigned)from->held);
    if (from->held == 0)
        return;
    uv_read_stop((uv_stream_t *)&from->stream);
    from->passed += (int64_t)from->held;
    from->moved = to->moved = uv_now(r->plan.loop);
    if ((r->plan.bytes > 0 && from->passed + to->passed > r->plan.bytes) ||
        uv_write(&to->write, (uv_stream_t *)&to->stream, &all, 1, on_written) != 0)
        end(from);
}

/*
 * The other end of its link waits already, or it does. Who waits at the same end has come again, and so has who said no
 * more; two who met are cut by nobody: a newcomer waits until their connection has ended (a peer whose machine is
 * gone is found out by keep-alives), for it has shown no key, and they have to each other.
 */
static void find_mate(guest *g)
{
    netdp_i_relay *r = g->relay;
    guest *waits = NULL;
    for (guest *o = r->all; o != NULL; o = o->next) {
        if (o == g || o->closing || o->greeted < NETDP_I_RELAY_HELLO ||
            memcmp(o->hello + 8, g->hello + 8, NETDP_I_RELAY_TOKEN) != 0)
            continue;
        if (o->hello[7] == g->hello[7] && (o->mate == NULL || o->silent))
            end(o);
        else if (o->hello[7] != g->hello[7] && o->mate == NULL)
            waits = o;
    }
    if (waits == NULL || waits->closing)
        return;
    g->mate = waits;
    waits->mate = g;
    r->meetings++;
    g->moved = waits->moved = uv_now(r->plan.loop);
    pass_on(waits);
}

static void on_last(uv_shutdown_t *request, int status)
{
    (void)request, (void)status;
}

/* In order: the other end hears all that was said, and then ends its own half. */
static void say_no_more(guest *g, bool orderly)
{
    guest *mate = g->mate;
    g->silent = true;
    uv_read_stop((uv_stream_t *)&g->stream);
    if (!orderly || mate == NULL || mate->silent ||
        uv_shutdown(&mate->last, (uv_stream_t *)&mate->stream, on_last) != 0)
        end(g);
}

static bool greets(const guest *g)
{
    const size_t known = g->greeted < sizeof magic ? g->greeted : sizeof magic;
    return memcmp(g->hello, magic, known) == 0 && (g->greeted <= 7 || g->hello[7] <= 1);
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *room)
{
    guest *g = (guest *)stream;
    (void)room;
    if (got < 0) {
        say_no_more(g, got == UV_EOF);
        return;
    }
    if (g->greeted < NETDP_I_RELAY_HELLO) {
        g->greeted += (size_t)got;
        if (!greets(g)) {
            g->relay->turned_away++;
            end(g);
        } else if (g->greeted == NETDP_I_RELAY_HELLO)
            find_mate(g);
        return;
    }
    g->held += (size_t)got;
    if (g->mate != NULL)
        pass_on(g);
    else if (g->held == CHUNK)
        end(g); /* nobody says so much to nobody */
}

static void find_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    guest *g = (guest *)handle;
    (void)suggested;
    *room = g->greeted < NETDP_I_RELAY_HELLO
                ? uv_buf_init((char *)g->hello + g->greeted,
                              (unsigned)(NETDP_I_RELAY_HELLO - g->greeted))
                : uv_buf_init((char *)g->chunk + g->held, (unsigned)(CHUNK - g->held));
}

static void listen_to(guest *g)
{
    if (!g->closing && uv_read_start((uv_stream_t *)&g->stream, find_room, on_read) != 0)
        end(g);
}

/* ---- Coming and going ---- */

/*
 * Of those who have met nobody one goes: of the source that has the most of them, first who has not said where it
 * belongs, of these the oldest. The list has the newest first.
 */
static void make_room(netdp_i_relay *r)
{
    int64_t waiting[NETDP_I_SOURCES] = {0};
    uint8_t most = 0;
    guest *oldest = NULL;
    if (r->open < r->plan.connections)
        return;
    for (const guest *g = r->all; g != NULL; g = g->next)
        if (!g->closing && g->mate == NULL && ++waiting[g->source] > waiting[most])
            most = g->source;
    for (guest *g = r->all; g != NULL; g = g->next)
        if (!g->closing && g->mate == NULL && g->source == most &&
            (oldest == NULL || g->greeted < NETDP_I_RELAY_HELLO ||
             oldest->greeted == NETDP_I_RELAY_HELLO))
            oldest = g;
    if (oldest != NULL) {
        r->turned_away++;
        end(oldest);
    }
}

/* Of a machine that is gone nothing comes, not even an end: TCP asks after some seconds. */
static void keep_alive(guest *g)
{
    const int times = 3, every = 5, unheard = 20000;
    uv_os_fd_t socket;
    if (uv_tcp_keepalive(&g->stream, 1, every) != 0 ||
        uv_fileno((uv_handle_t *)&g->stream, &socket) != 0)
        return;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard, sizeof unheard);
}

static uint8_t find_source(const guest *g)
{
    struct sockaddr_storage address = {0};
    int size = sizeof address;
    (void)uv_tcp_getpeername(&g->stream, (struct sockaddr *)&address, &size);
    return netdp_i_address_source(&address, g->relay->salt);
}

static void on_knock(uv_stream_t *listener, int status)
{
    netdp_i_relay *r = listener->data;
    if (status != 0 || r->closing)
        return;
    make_room(r);
    guest *g = NETDP_I_NEW(guest, 1);
    if (g == NULL || uv_tcp_init(r->plan.loop, &g->stream) != 0) {
        netdp_i_free(g);
        return;
    }
    g->relay = r;
    g->born = g->moved = uv_now(r->plan.loop);
    g->next = r->all;
    r->all = g;
    r->open++;
    if (uv_accept(listener, (uv_stream_t *)&g->stream) != 0 || r->open > r->plan.connections) {
        r->turned_away++;
        end(g); /* all places are taken by those who met */
        return;
    }
    g->source = find_source(g);
    uv_tcp_nodelay(&g->stream, 1);
    keep_alive(g);
    listen_to(g);
}

static void on_tick(uv_timer_t *timer)
{
    netdp_i_relay *r = timer->data;
    const uint64_t now = uv_now(r->plan.loop), idle = 1000 * (uint64_t)r->plan.idle;
    for (guest *g = r->all; g != NULL; g = g->next)
        if (now - g->moved >= idle ||
            (g->greeted < NETDP_I_RELAY_HELLO && now - g->born >= 1000 * GREETING))
            end(g);
}

static void on_handle_closed(uv_handle_t *handle)
{
    netdp_i_relay *r = handle->data;
    r->handles--;
    finish(r);
}

void netdp_i_relay_close(netdp_i_relay *relay)
{
    if (relay == NULL || relay->closing)
        return;
    relay->closing = true;
    if (relay->plan.log != NULL)
        fprintf(relay->plan.log,
                "event=ended meetings=%" PRId64 " turned-away=%" PRId64 " open=%" PRId64 "\n",
                relay->meetings, relay->turned_away, relay->open);
    for (guest *g = relay->all; g != NULL; g = g->next)
        end(g);
    uv_close((uv_handle_t *)&relay->listener, on_handle_closed);
    uv_close((uv_handle_t *)&relay->tick, on_handle_closed);
}

/* ---- Listening ---- */

static int listen_at(netdp_i_relay *r)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    uv_getaddrinfo_t found;
    if (!netdp_i_address_split(r->plan.listen, host, port))
        return UV_EINVAL;
    int fault = uv_getaddrinfo(r->plan.loop, &found, NULL, host, port, &hints);
    if (fault != 0)
        return fault;
    fault = uv_tcp_bind(&r->listener, found.addrinfo->ai_addr, 0);
    uv_freeaddrinfo(found.addrinfo);
    return fault == 0 ? uv_listen((uv_stream_t *)&r->listener, BACKLOG, on_knock) : fault;
}

static int port_of(const netdp_i_relay *relay)
{
    struct sockaddr_storage address;
    int size = sizeof address;
    if (uv_tcp_getsockname(&relay->listener, (struct sockaddr *)&address, &size) != 0)
        return 0;
    return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port)
                                         : ntohs(((struct sockaddr_in *)&address)->sin_port);
}

netdp_status netdp_i_relay_new(const netdp_i_relay_plan *plan, netdp_i_relay **relay,
                               netdp_error *error)
{
    netdp_i_relay *r = NETDP_I_NEW(netdp_i_relay, 1);
    NEED(r);
    *r = (netdp_i_relay){.plan = *plan, .handles = 2};
    r->plan.connections = netdp_i_limit_places(plan->connections);
    randombytes_buf(r->salt, sizeof r->salt);
    uv_tcp_init(plan->loop, &r->listener);
    uv_timer_init(plan->loop, &r->tick);
    r->listener.data = r->tick.data = r;
    const int fault = listen_at(r);
    if (fault != 0) {
        r->plan.log = NULL;
        netdp_i_relay_close(r);
        return netdp_i_fail(error, fault == UV_EINVAL ? NETDP_INVALID : NETDP_ENVIRONMENT,
                            "'%.100s': %s; give HOST:PORT", plan->listen, uv_strerror(fault));
    }
    uv_timer_start(&r->tick, on_tick, TICK, TICK);
    if (plan->log != NULL)
        fprintf(plan->log, "event=started port=%d connections=%" PRId64 "\n", port_of(r),
                r->plan.connections);
    *relay = r;
    return NETDP_OK;
}
