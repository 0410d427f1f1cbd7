#define _GNU_SOURCE
#include "peer/link/transport.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "peer/link/address.h"
#include "peer/link/door.h"
#include "peer/link/lookup.h"
#include "peer/link/relay.h"

enum {
    PENDING = 8,            /* handshakes under way that a neighbour has begun */
    QUEUED = 64,            /* frames that wait on a link, before it is too slow, */
    QUEUED_BYTES = 1 << 24, /* or so many bytes, but always some frames: */
    QUEUED_LEAST = 4,
    FIRST_WAIT = 50,      /* ms until a link that broke is dialled again, */
    LONGEST_WAIT = 2000,  /* doubled each time up to this */
    SILENCE = 10000,      /* ms that TCP waits for the other to take what was sent */
    CERTIFICATE = 864000, /* seconds */
    FROM = 64,
};

typedef struct connection {
    netdp_i_tls_party party; /* first: the judge finds the rest */
    netdp_i_transport *transport;
    struct connection *next; /* of all that there are */
    uv_poll_t poll;
    uv_timer_t timer; /* until the hello has come */
    int handles;      /* of these two, that the loop still has */
    int socket;
    int watched; /* events of the poll */
    SSL *ssl;
    char from[FROM];
    uint8_t source; /* the class of its address */
    int32_t link;   /* -1: not known yet */
    int32_t claims; /* the link that the knock says; the handshake shows it */
    bool dials, relayed, connecting, handshaking, greeted, refused, closing;
    bool reads_wait, writes_wait; /* a read until it may write, and the other way round */
    netdp_i_refusal refusal;      /* of the judge */
    uint64_t born;
    uint8_t *in, *out; /* in [most]: part of a frame; out: from `sent` to `filled` */
    size_t held, sent, filled, room;
} connection;

typedef struct edge {
    netdp_i_transport *transport;
    int32_t link;
    connection *up; /* NULL: down */
    connection *dialling;
    uv_timer_t again;
    uint64_t wait;
    uint64_t shut; /* until then no knock is let in: the neighbour has used up its connections */
    uint8_t knock[32]; /* the secret of the two members' knocks */
    bool knocks;       /* there is one */
} edge;

struct netdp_i_transport {
    netdp_i_transport_plan plan;
    netdp_i_transport_counts counts;
    netdp_i_public *key; /* [nodes] */
    SSL_CTX *tls;
    netdp_i_door *door; /* NULL: this peer only dials */
    edge *edge;         /* [links] */
    connection *all;
    int32_t handles;
    uint64_t ages;
    size_t most; /* bytes of the longest frame */
    bool closing;
};

/* ---- Closing ---- */

static void finish(netdp_i_transport *t)
{
    if (!t->closing || t->handles > 0 || t->all != NULL)
        return;
    SSL_CTX_free(t->tls);
    netdp_i_free(t->key);
    if (t->edge != NULL)
        sodium_memzero(t->edge, (size_t)t->plan.links * sizeof *t->edge);
    netdp_i_free(t->edge);
    netdp_i_free(t);
}

static void forget(connection *c)
{
    netdp_i_transport *t = c->transport;
    connection **at = &t->all;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    SSL_free(c->ssl);
    if (c->socket >= 0)
        close(c->socket);
    netdp_i_free(c->in);
    netdp_i_free(c->out);
    netdp_i_free(c);
    finish(t);
}

static void handle_closed(uv_handle_t *handle)
{
    connection *c = handle->data;
    if (--c->handles == 0)
        forget(c);
}

static void dial_later(netdp_i_transport *t, int32_t link);

/* Ends a connection; a link that was up goes down, and is dialled again. */
static void end(connection *c)
{
    netdp_i_transport *t = c->transport;
    if (c->closing)
        return;
    c->closing = true;
    if (c->link >= 0) {
        edge *e = &t->edge[c->link];
        if (e->dialling == c)
            e->dialling = NULL;
        if (e->up == c) {
            e->up = NULL;
            if (!t->closing)
                t->plan.hooks.down(t->plan.hooks.context, c->link);
        }
        if (!t->closing && t->plan.link[c->link].dials && e->up == NULL)
            dial_later(t, c->link);
    }
    uv_close((uv_handle_t *)&c->poll, handle_closed);
    uv_close((uv_handle_t *)&c->timer, handle_closed);
}

static void say_goodbye(connection *c, netdp_i_refusal why);

/* Counted, said to the other as far as it can be, and ended. */
static void refuse(connection *c, netdp_i_refusal why)
{
    netdp_i_transport *t = c->transport;
    if (c->closing || c->refused)
        return;
    c->refused = true;
    t->plan.hooks.refused(t->plan.hooks.context, c->link, why, c->from);
    if (!c->handshaking)
        say_goodbye(c, why);
    end(c);
}

/* ---- Keys ---- */

static int32_t find_key(const netdp_i_transport *t, const uint8_t key[32])
{
    for (int32_t v = 0; v < t->plan.nodes; v++)
        if (memcmp(t->key[v], key, 32) == 0)
            return v;
    return -1;
}

static netdp_i_refusal judge_key(connection *c, const uint8_t key[32])
{
    const netdp_i_transport_plan *plan = &c->transport->plan;
    const int32_t who = find_key(c->transport, key);
    if (who < 0)
        return NETDP_I_REFUSE_UNKNOWN_KEY;
    if (c->dials)
        return plan->link[c->link].neighbour == who ? NETDP_I_REFUSE_NOTHING
                                                    : NETDP_I_REFUSE_WRONG_INDEX;
    return plan->link[c->claims].neighbour == who ? NETDP_I_REFUSE_NOTHING
                                                  : NETDP_I_REFUSE_WRONG_INDEX;
}

static netdp_i_refusal judge(netdp_i_tls_party *party, const uint8_t key[32])
{
    connection *c = (connection *)party;
    c->refusal = judge_key(c, key);
    return c->refusal;
}

/* ---- Sending ---- */

static void on_ready(uv_poll_t *poll, int status, int events);

/* TLS may have to write before it can read on, and the other way round. */
static void watch(connection *c)
{
    const bool write = c->reads_wait || (c->sent < c->filled && !c->writes_wait);
    const int events = UV_READABLE | (write ? UV_WRITABLE : 0);
    if (!c->closing && events != c->watched)
        uv_poll_start(&c->poll, events, on_ready);
    c->watched = events;
}

/* The other is gone, or speaks no TLS. */
static void broke(connection *c)
{
    ERR_clear_error();
    if (c->refusal != NETDP_I_REFUSE_NOTHING)
        refuse(c, c->refusal);
    else if (c->handshaking && !c->dials)
        refuse(c, NETDP_I_REFUSE_HANDSHAKE);
    else if (c->held > 0)
        refuse(c, NETDP_I_REFUSE_TRUNCATED);
    else
        end(c);
}

static void flush(connection *c)
{
    c->writes_wait = false;
    while (c->sent < c->filled && !c->closing) {
        ERR_clear_error();
        const int done = SSL_write(c->ssl, c->out + c->sent, (int)(c->filled - c->sent));
        if (done > 0) {
            c->sent += (size_t)done;
            c->transport->counts.sent += (uint64_t)done;
            continue;
        }
        const int why = SSL_get_error(c->ssl, done);
        c->writes_wait = why == SSL_ERROR_WANT_READ;
        if (why != SSL_ERROR_WANT_WRITE && why != SSL_ERROR_WANT_READ)
            broke(c);
        break;
    }
    if (c->sent == c->filled)
        c->sent = c->filled = 0;
    watch(c);
}

static bool enqueue(connection *c, const uint8_t *bytes, size_t size)
{
    if (c->sent > 0) {
        memmove(c->out, c->out + c->sent, c->filled - c->sent);
        c->filled -= c->sent;
        c->sent = 0;
    }
    const size_t most = c->transport->most;
    if (c->filled + size > QUEUED * most ||
        (c->filled + size > QUEUED_BYTES && c->filled + size > QUEUED_LEAST * most)) {
        refuse(c, NETDP_I_REFUSE_TOO_SLOW);
        return false;
    }
    if (c->filled + size > c->room) {
        uint8_t *grown = netdp_i_grow(c->out, (int64_t)(c->filled + size), 1);
        if (grown == NULL) {
            end(c);
            return false;
        }
        c->out = grown;
        c->room = c->filled + size;
    }
    memcpy(c->out + c->filled, bytes, size);
    c->filled += size;
    return true;
}

/* A last word, as far as it goes at once. */
static void say_goodbye(connection *c, netdp_i_refusal why)
{
    uint8_t bytes[NETDP_I_FRAME_HEAD + 8];
    if (enqueue(c, bytes, netdp_i_frame_goodbye(why, bytes)))
        flush(c);
}

/* ---- Receiving ---- */

static void hear_frames(connection *c)
{
    netdp_i_transport *t = c->transport;
    size_t at = 0;
    while (!c->closing) {
        const netdp_i_frame_limits limits = {
            .nodes = (uint32_t)t->plan.nodes, .width = t->plan.width, .greeted = c->greeted};
        netdp_i_message message;
        size_t used = 0;
        netdp_i_refusal why =
            netdp_i_frame_decode(c->in + at, c->held - at, &limits, &message, &used);
        if (why == NETDP_I_REFUSE_NOTHING && used == 0)
            break;
        if (why == NETDP_I_REFUSE_NOTHING) {
            c->greeted = c->greeted || message.kind == NETDP_I_FRAME_HELLO;
            why = t->plan.hooks.frame(t->plan.hooks.context, c->link, &message, c->in + at, used);
        }
        if (why == NETDP_I_REFUSE_NOTHING && message.kind == NETDP_I_FRAME_HELLO && !c->closing) {
            uv_timer_stop(&c->timer);
            t->edge[c->link].wait = FIRST_WAIT;
        }
        if (why != NETDP_I_REFUSE_NOTHING)
            refuse(c, why);
        at += used;
    }
    if (at > 0 && !c->closing) {
        memmove(c->in, c->in + at, c->held - at);
        c->held -= at;
    }
}

/* One record of TLS, so that every link has its turn; poll comes back for more. */
static void hear(connection *c)
{
    c->reads_wait = false;
    do {
        ERR_clear_error();
        const int got = SSL_read(c->ssl, c->in + c->held, (int)(c->transport->most - c->held));
        if (got <= 0) {
            const int why = SSL_get_error(c->ssl, got);
            c->reads_wait = why == SSL_ERROR_WANT_WRITE;
            if (c->party.strays > 0)
                refuse(c, NETDP_I_REFUSE_TOO_MUCH);
            else if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
                broke(c);
            watch(c);
            return;
        }
        c->held += (size_t)got;
        c->transport->counts.received += (uint64_t)got;
        hear_frames(c);
    } while (!c->closing && SSL_pending(c->ssl) > 0);
}

/* ---- Connections ---- */

static bool may_begin(const netdp_i_transport *t, int32_t link)
{
    return t->plan.hooks.begins == NULL || t->plan.hooks.begins(t->plan.hooks.context, link);
}

static void come_up(connection *c)
{
    netdp_i_transport *t = c->transport;
    c->link = c->claims;
    c->party.settled = true;
    edge *e = &t->edge[c->link];
    c->handshaking = false;
    if (!c->dials && !may_begin(t, c->link)) { /* now that it has shown who it is */
        e->shut = uv_now(t->plan.loop) + LONGEST_WAIT;
        refuse(c, NETDP_I_REFUSE_TOO_MUCH);
        return;
    }
    t->counts.handshakes++;
    c->in = NETDP_I_NEW(uint8_t, t->most);
    if (c->in == NULL) {
        end(c);
        return;
    }
    if (e->up != NULL)
        end(e->up); /* the other has begun anew: it knows better whether the old one is dead */
    e->up = c;
    if (e->dialling == c)
        e->dialling = NULL;
    t->plan.hooks.up(t->plan.hooks.context, c->link);
}

static void shake_hands(connection *c)
{
    ERR_clear_error();
    const int done = SSL_do_handshake(c->ssl);
    if (done == 1) {
        come_up(c);
        return;
    }
    const int why = SSL_get_error(c->ssl, done);
    c->reads_wait = why == SSL_ERROR_WANT_WRITE;
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
        watch(c);
    else
        broke(c);
}

/* The first bytes of a connection; TLS with the neighbour comes after them. */
static bool ask_relay(const connection *c)
{
    const netdp_i_link *link = &c->transport->plan.link[c->link];
    uint8_t bytes[NETDP_I_RELAY_HELLO];
    netdp_i_relay_hello(link->token, c->transport->plan.self < link->neighbour, bytes);
    return send(c->socket, bytes, sizeof bytes, MSG_NOSIGNAL) == sizeof bytes;
}

/* The same of a listener. */
static bool knock(const connection *c)
{
    const netdp_i_transport *t = c->transport;
    const netdp_i_link *link = &t->plan.link[c->link];
    uint8_t bytes[NETDP_I_KNOCK];
    netdp_i_knock_make(t->edge[c->link].knock, (uint32_t)t->plan.self, (uint32_t)link->neighbour,
                       bytes);
    return send(c->socket, bytes, sizeof bytes, MSG_NOSIGNAL) == sizeof bytes;
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    connection *c = poll->data;
    if (c->closing)
        return;
    if (status < 0)
        c->watched = 0; /* libuv looks no more */
    if (c->connecting) {
        int fault = 0;
        socklen_t size = sizeof fault;
        if (status < 0 || getsockopt(c->socket, SOL_SOCKET, SO_ERROR, &fault, &size) != 0 ||
            fault != 0) {
            end(c);
            return;
        }
        c->connecting = false;
        if (!(c->relayed ? ask_relay(c) : knock(c))) {
            end(c);
            return;
        }
    }
    if (c->handshaking)
        shake_hands(c);
    if (c->handshaking || c->closing)
        return;
    if ((events & UV_WRITABLE) || c->writes_wait)
        flush(c);
    if (!c->closing)
        hear(c);
    if (status < 0)
        watch(c); /* there may be records yet */
}

static void on_late(uv_timer_t *timer)
{
    connection *c = timer->data;
    if (c->connecting || (c->relayed && c->handshaking))
        end(c); /* at a relay: the neighbour is not there yet */
    else
        refuse(c, NETDP_I_REFUSE_TOO_SLOW);
}

static void settle_socket(int socket)
{
    const int yes = 1, idle = 5, between = 2, probes = 3;
    const unsigned silence = SILENCE;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
}

/* Takes over the socket. NULL: no memory, and the socket is closed. `link`: whom it dials, or who knocked. */
static connection *connection_new(netdp_i_transport *t, int socket, bool dials, int32_t link)
{
    connection *c = NETDP_I_NEW(connection, 1);
    if (c == NULL) {
        close(socket);
        return NULL;
    }
    settle_socket(socket);
    *c = (connection){.party = {.judge = judge},
                      .transport = t,
                      .socket = socket,
                      .dials = dials,
                      .link = dials ? link : -1,
                      .claims = link,
                      .connecting = dials,
                      .handshaking = true,
                      .born = t->ages++};
    /* Of two who dial a relay, the lower one calls. */
    c->relayed = dials && t->plan.link[link].relayed;
    const bool calls = dials && !(c->relayed && t->plan.self > t->plan.link[link].neighbour);
    c->ssl = netdp_i_tls_begin(t->tls, socket, calls, &c->party);
    if (c->ssl == NULL || uv_poll_init(t->plan.loop, &c->poll, socket) != 0) {
        SSL_free(c->ssl);
        close(socket);
        netdp_i_free(c);
        return NULL;
    }
    uv_timer_init(t->plan.loop, &c->timer);
    c->poll.data = c->timer.data = c;
    c->handles = 2;
    c->next = t->all;
    t->all = c;
    uv_timer_start(&c->timer, on_late, t->plan.patience, 0);
    c->watched = UV_READABLE | (dials ? UV_WRITABLE : 0);
    uv_poll_start(&c->poll, c->watched, on_ready);
    return c;
}

/* ---- Listening ---- */

/* A handshake under way of somebody who knocked as that neighbour. */
static bool is_pending(const connection *c, int32_t link)
{
    return !c->closing && !c->dials && c->link < 0 && c->claims == link;
}

/* Of the source that has the most the oldest makes room: the neighbour itself has begun anew, or somebody who reads the
   line repeats its knock, from elsewhere, and as often as he likes. */
static void make_room(netdp_i_transport *t, int32_t link)
{
    int waiting[NETDP_I_SOURCES] = {0}, all = 0;
    uint8_t most = 0;
    connection *oldest = NULL;
    for (const connection *c = t->all; c != NULL; c = c->next)
        if (is_pending(c, link)) {
            all++;
            waiting[c->source]++;
            if (waiting[c->source] >=
                waiting[most]) /* of equal ones that of the oldest, the last */
                most = c->source;
        }
    if (all < PENDING)
        return;
    for (connection *c = t->all; c != NULL; c = c->next)
        if (is_pending(c, link) && c->source == most && (oldest == NULL || c->born <= oldest->born))
            oldest = c;
    refuse(oldest, NETDP_I_REFUSE_TOO_MANY);
}

/* Where both ends dial, the call of the smaller member counts. */
static int32_t find_caller(const netdp_i_transport *t, uint32_t who)
{
    const netdp_i_transport_plan *plan = &t->plan;
    for (int32_t i = 0; i < plan->links; i++)
        if ((uint32_t)plan->link[i].neighbour == who && t->edge[i].knocks &&
            (!plan->link[i].dials || plan->link[i].neighbour < plan->self))
            return i;
    return -1;
}

static netdp_i_refusal enter(void *context, int socket, const uint8_t knock[NETDP_I_KNOCK],
                             const char *from, uint8_t source)
{
    netdp_i_transport *t = context;
    const uint32_t who = netdp_i_knock_index(knock);
    const int32_t link = find_caller(t, who);
    if (link < 0)
        return who < (uint32_t)t->plan.nodes ? NETDP_I_REFUSE_NOT_A_NEIGHBOUR
                                             : NETDP_I_REFUSE_UNKNOWN_KEY;
    if (!netdp_i_knock_holds(t->edge[link].knock, who, (uint32_t)t->plan.self, knock))
        return NETDP_I_REFUSE_UNKNOWN_KEY;
    if (uv_now(t->plan.loop) < t->edge[link].shut)
        return NETDP_I_REFUSE_TOO_MUCH;
    make_room(t, link);
    connection *c = connection_new(t, socket, false, link);
    if (c != NULL) {
        snprintf(c->from, FROM, "%.60s", from);
        c->source = source;
    }
    return NETDP_I_REFUSE_NOTHING;
}

static void turned_away(void *context, netdp_i_refusal why, const char *from)
{
    netdp_i_transport *t = context;
    t->plan.hooks.refused(t->plan.hooks.context, -1, why, from);
}

static void on_door_closed(void *context)
{
    netdp_i_transport *t = context;
    t->handles--;
    finish(t);
}

static netdp_status open_door(netdp_i_transport *t, netdp_error *error)
{
    const netdp_i_door_plan plan = {.loop = t->plan.loop,
                                    .listen = t->plan.listen,
                                    .patience = t->plan.patience,
                                    .context = t,
                                    .enter = enter,
                                    .refused = turned_away,
                                    .closed = on_door_closed};
    TRY(netdp_i_door_open(&plan, &t->door, error));
    t->handles++;
    return NETDP_OK;
}

/* ---- Dialling ---- */

static void dial_at(edge *e, const struct addrinfo *found)
{
    netdp_i_transport *t = e->transport;
    if (t->closing || e->up != NULL || e->dialling != NULL)
        return;
    const int made = found != NULL
                         ? socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
                         : -1;
    const bool begun = made >= 0 && (connect(made, found->ai_addr, found->ai_addrlen) == 0 ||
                                     errno == EINPROGRESS);
    if (begun)
        e->dialling = connection_new(t, made, true, e->link);
    else if (made >= 0)
        close(made);
    if (e->dialling != NULL)
        snprintf(e->dialling->from, FROM, "%.60s", t->plan.link[e->link].address);
    else
        dial_later(t, e->link);
}

static void on_found(void *context, struct addrinfo *found)
{
    edge *e = context;
    netdp_i_transport *t = e->transport;
    t->handles--;
    dial_at(e, found);
    if (found != NULL)
        freeaddrinfo(found);
    finish(t);
}

static void dial(uv_timer_t *timer)
{
    edge *e = timer->data;
    netdp_i_transport *t = e->transport;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    if (e->up != NULL || e->dialling != NULL)
        return;
    if (!may_begin(t, e->link) ||
        !netdp_i_address_split(t->plan.link[e->link].address, host, port)) {
        dial_later(t, e->link);
        return;
    }
    if (getaddrinfo(host, port, &hints, &found) == 0) {
        dial_at(e, found);
        freeaddrinfo(found);
        return;
    }
    if (netdp_i_lookup(t->plan.loop, host, port, on_found, e))
        t->handles++;
    else
        dial_later(t, e->link);
}

/* Half of the wait and a random part of the other: those that were cut off together do not come back
 * together. */
static void dial_later(netdp_i_transport *t, int32_t link)
{
    edge *e = &t->edge[link];
    const uint64_t half = e->wait / 2;
    uv_timer_start(&e->again, dial, half + randombytes_uniform((uint32_t)half + 1), 0);
    e->wait = e->wait < LONGEST_WAIT / 2 ? 2 * e->wait : LONGEST_WAIT;
}

/* ---- The whole ---- */

static size_t longest_frame(uint32_t width)
{
    size_t most = 0;
    for (int kind = NETDP_I_FRAME_HELLO; kind < NETDP_I_FRAME_KINDS; kind++) {
        const size_t size = netdp_i_frame_size((netdp_i_frame_kind)kind, width);
        most = size > most ? size : most;
    }
    return most;
}

netdp_status netdp_i_transport_new(const netdp_i_transport_plan *plan,
                                   netdp_i_transport **transport, netdp_error *error)
{
    netdp_i_transport *t = NETDP_I_NEW(netdp_i_transport, 1);
    edge *edges = NETDP_I_NEW(edge, plan->links);
    netdp_i_public *key = NETDP_I_NEW(netdp_i_public, plan->nodes);
    if (t == NULL || edges == NULL || key == NULL) {
        netdp_i_free(t);
        netdp_i_free(edges);
        netdp_i_free(key);
        return netdp_i_no_memory(error);
    }
    memcpy(key, plan->key, (size_t)plan->nodes * sizeof *key);
    *t = (netdp_i_transport){
        .plan = *plan, .key = key, .edge = edges, .most = longest_frame(plan->width)};
    netdp_status status = netdp_i_tls_new(
        plan->seed, plan->certificate != 0 ? plan->certificate : CERTIFICATE, &t->tls, error);
    if (status == NETDP_OK && plan->listen != NULL)
        status = open_door(t, error);
    if (status != NETDP_OK) {
        SSL_CTX_free(t->tls);
        netdp_i_free(edges);
        netdp_i_free(key);
        netdp_i_free(t);
        return status;
    }
    for (int32_t i = 0; i < plan->links; i++) {
        edge *e = &edges[i];
        *e = (edge){.transport = t, .link = i, .wait = FIRST_WAIT};
        e->knocks = netdp_i_knock_key(plan->seed, plan->key[plan->link[i].neighbour], e->knock);
        uv_timer_init(plan->loop, &e->again);
        e->again.data = e;
        t->handles++;
        if (plan->link[i].dials)
            uv_timer_start(&e->again, dial, 0, 0);
    }
    *transport = t;
    return NETDP_OK;
}

int netdp_i_transport_port(const netdp_i_transport *transport)
{
    return transport->door != NULL ? netdp_i_door_port(transport->door) : 0;
}

bool netdp_i_transport_send(netdp_i_transport *transport, int32_t link, const uint8_t *bytes,
                            size_t size)
{
    connection *c = transport->edge[link].up;
    if (c == NULL || !enqueue(c, bytes, size))
        return false;
    flush(c);
    return !c->closing;
}

bool netdp_i_transport_flushed(const netdp_i_transport *transport)
{
    for (const connection *c = transport->all; c != NULL; c = c->next)
        if (!c->closing && c->sent < c->filled)
            return false;
    return true;
}

netdp_i_transport_counts netdp_i_transport_count(const netdp_i_transport *transport)
{
    return transport->counts;
}

static void on_edge_closed(uv_handle_t *handle)
{
    const edge *e = handle->data;
    netdp_i_transport *t = e->transport;
    t->handles--;
    finish(t);
}

void netdp_i_transport_close(netdp_i_transport *transport)
{
    if (transport == NULL || transport->closing)
        return;
    transport->closing = true;
    for (connection *c = transport->all; c != NULL; c = c->next) {
        if (!c->handshaking && !c->closing)
            (void)SSL_shutdown(c->ssl);
        end(c);
    }
    for (int32_t i = 0; i < transport->plan.links; i++)
        uv_close((uv_handle_t *)&transport->edge[i].again, on_edge_closed);
    netdp_i_door_close(transport->door);
    finish(transport);
}
