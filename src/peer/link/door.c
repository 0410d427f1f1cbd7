/* The listening socket, and connections until they have knocked (docs/peer.md, "Strangers"). */
#define _GNU_SOURCE
#include "peer/link/door.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sodium.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "peer/link/address.h"
#include "peer/link/limits.h"

enum {
    ACCEPTS = 64,  /* taken up at a time, so that links have their turn */
    BACKLOG = 512, /* of the system, before they are taken up */
    SWEEP = 250,   /* ms */
    CODE_AT = NETDP_I_KNOCK - NETDP_I_KNOCK_CODE,
    INDEX_AT = 8,
};

static const uint8_t magic[INDEX_AT] = "netdp in";

typedef struct stranger {
    uv_poll_t poll; /* first: the loop's handle is the stranger */
    netdp_i_door *door;
    struct stranger *next; /* the newest first */
    int socket;            /* -1: gone */
    uint8_t source;
    uint64_t born;
    size_t came; /* bytes of the knock */
    uint8_t knock[NETDP_I_KNOCK];
    char from[NETDP_I_DOOR_FROM];
} stranger;

struct netdp_i_door {
    netdp_i_door_plan plan;
    uv_poll_t listener;
    uv_timer_t sweep;
    int socket, port, handles;
    stranger *all;
    int32_t waiting;                 /* of them, whose socket is open, */
    int64_t most;                    /* and how many may be */
    int32_t places[NETDP_I_SOURCES]; /* by source */
    uint8_t salt[NETDP_I_SOURCE_SALT];
    bool closing;
};

/* ---- Knocks ---- */

bool netdp_i_knock_key(const uint8_t seed[32], const uint8_t theirs[32], uint8_t key[32])
{
    static const char purpose[] = "netdp knock 1";
    uint8_t public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
    uint8_t mine[crypto_scalarmult_SCALARBYTES], point[crypto_scalarmult_BYTES];
    uint8_t shared[crypto_scalarmult_BYTES];
    crypto_sign_seed_keypair(public, secret, seed);
    const bool found = crypto_sign_ed25519_sk_to_curve25519(mine, secret) == 0 &&
                       crypto_sign_ed25519_pk_to_curve25519(point, theirs) == 0 &&
                       crypto_scalarmult(shared, mine, point) == 0;
    if (found)
        crypto_generichash(key, 32, (const uint8_t *)purpose, sizeof purpose, shared,
                           sizeof shared);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(mine, sizeof mine);
    sodium_memzero(shared, sizeof shared);
    return found;
}

static void put_index(uint8_t *at, uint32_t index)
{
    for (int k = 0; k < 4; k++)
        at[k] = (uint8_t)(index >> 8 * k);
}

static void find_code(const uint8_t key[32], uint32_t dialler, uint32_t listener,
                      uint8_t code[NETDP_I_KNOCK_CODE])
{
    uint8_t who[8];
    put_index(who, dialler);
    put_index(who + 4, listener);
    crypto_generichash(code, NETDP_I_KNOCK_CODE, who, sizeof who, key, 32);
}

void netdp_i_knock_make(const uint8_t key[32], uint32_t dialler, uint32_t listener,
                        uint8_t knock[NETDP_I_KNOCK])
{
    memset(knock, 0, NETDP_I_KNOCK);
    memcpy(knock, magic, sizeof magic);
    put_index(knock + INDEX_AT, dialler);
    find_code(key, dialler, listener, knock + CODE_AT);
}

uint32_t netdp_i_knock_index(const uint8_t knock[NETDP_I_KNOCK])
{
    uint32_t index = 0;
    for (int k = 0; k < 4; k++)
        index |= (uint32_t)knock[INDEX_AT + k] << 8 * k;
    return index;
}

bool netdp_i_knock_holds(const uint8_t key[32], uint32_t dialler, uint32_t listener,
                         const uint8_t knock[NETDP_I_KNOCK])
{
    uint8_t made[NETDP_I_KNOCK];
    netdp_i_knock_make(key, dialler, listener, made);
    return sodium_memcmp(made, knock, sizeof made) == 0;
}

/* ---- Strangers ---- */

static void finish(netdp_i_door *d)
{
    if (!d->closing || d->handles > 0 || d->all != NULL)
        return;
    const netdp_i_door_plan plan = d->plan;
    netdp_i_free(d);
    plan.closed(plan.context);
}

static void on_gone(uv_handle_t *handle)
{
    stranger *s = (stranger *)handle;
    netdp_i_door *d = s->door;
    stranger **at = &d->all;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    netdp_i_free(s);
    finish(d);
}

/* Its place is free; the socket is the caller's. */
static int take_socket(stranger *s)
{
    const int socket = s->socket;
    s->socket = -1;
    s->door->waiting--;
    s->door->places[s->source]--;
    uv_close((uv_handle_t *)&s->poll, on_gone);
    return socket;
}

static void turn_away(stranger *s, netdp_i_refusal why)
{
    close(take_socket(s));
    if (!s->door->closing)
        s->door->plan.refused(s->door->plan.context, why, s->from);
}

/* No byte behind the knock is read: TLS begins there. */
static void on_bytes(uv_poll_t *poll, int status, int events)
{
    stranger *s = (stranger *)poll;
    netdp_i_door *d = s->door;
    (void)events;
    const ssize_t got =
        status == 0 ? recv(s->socket, s->knock + s->came, NETDP_I_KNOCK - s->came, 0) : 0;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    s->came += got > 0 ? (size_t)got : 0;
    const size_t known = s->came < sizeof magic ? s->came : sizeof magic;
    if (got <= 0 || memcmp(s->knock, magic, known) != 0) {
        turn_away(s, status == 0 && got == 0 && s->came == 0 ? NETDP_I_REFUSE_SAID_NOTHING
                                                             : NETDP_I_REFUSE_HANDSHAKE);
        return;
    }
    if (s->came < NETDP_I_KNOCK)
        return;
    const int socket = take_socket(s);
    const netdp_i_refusal why =
        d->plan.enter(d->plan.context, socket, s->knock, s->from, s->source);
    if (why != NETDP_I_REFUSE_NOTHING) {
        close(socket);
        d->plan.refused(d->plan.context, why, s->from);
    }
}

static void on_sweep(uv_timer_t *timer)
{
    netdp_i_door *d = timer->data;
    const uint64_t now = uv_now(d->plan.loop);
    for (stranger *s = d->all; s != NULL; s = s->next)
        if (s->socket >= 0 && now - s->born >= d->plan.patience)
            turn_away(s, NETDP_I_REFUSE_TOO_SLOW);
}

/* ---- Listening ---- */

static void make_room(netdp_i_door *d)
{
    int most = 0;
    stranger *oldest = NULL;
    if (d->waiting < d->most)
        return;
    for (int k = 1; k < NETDP_I_SOURCES; k++)
        most = d->places[k] > d->places[most] ? k : most;
    for (stranger *s = d->all; s != NULL; s = s->next)
        if (s->socket >= 0 && s->source == most)
            oldest = s;
    if (oldest != NULL)
        turn_away(oldest, NETDP_I_REFUSE_TOO_MANY);
}

static void welcome(netdp_i_door *d, int socket, const struct sockaddr_storage *address,
                    socklen_t size)
{
    make_room(d);
    stranger *s = NETDP_I_NEW(stranger, 1);
    if (s == NULL || uv_poll_init(d->plan.loop, &s->poll, socket) != 0) {
        close(socket);
        netdp_i_free(s);
        return;
    }
    s->door = d;
    s->socket = socket;
    s->source = netdp_i_address_source(address, d->salt);
    s->born = uv_now(d->plan.loop);
    if (getnameinfo((const struct sockaddr *)address, size, s->from, NETDP_I_DOOR_FROM, NULL, 0,
                    NI_NUMERICHOST) != 0)
        strcpy(s->from, "?");
    s->next = d->all;
    d->all = s;
    d->waiting++;
    d->places[s->source]++;
    uv_poll_start(&s->poll, UV_READABLE, on_bytes);
}

static void on_knock(uv_poll_t *poll, int status, int events)
{
    netdp_i_door *d = poll->data;
    (void)events;
    for (int k = 0; status == 0 && k < ACCEPTS && !d->closing; k++) {
        struct sockaddr_storage address = {0};
        socklen_t size = sizeof address;
        const int socket =
            accept4(d->socket, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0)
            return;
        welcome(d, socket, &address, size);
    }
}

static int find_port(int socket)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &size) != 0)
        return 0;
    return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port)
                                         : ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static netdp_status listen_at(netdp_i_door *d, netdp_error *error)
{
    const char *address = d->plan.listen;
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    const int yes = 1;
    REFUSE(!netdp_i_address_split(address, host, port), "listen: '%.100s': give HOST:PORT",
           address);
    const int fault = getaddrinfo(host, port, &hints, &found);
    if (fault != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "listen: %.100s: %s", address,
                            gai_strerror(fault));
    d->socket = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (d->socket >= 0)
        (void)setsockopt(d->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool done = d->socket >= 0 && bind(d->socket, found->ai_addr, found->ai_addrlen) == 0 &&
                      listen(d->socket, BACKLOG) == 0;
    const int why = errno;
    freeaddrinfo(found);
    return done ? NETDP_OK
                : netdp_i_fail(error, NETDP_ENVIRONMENT, "listen: %.100s: %s", address,
                               strerror(why));
}

netdp_status netdp_i_door_open(const netdp_i_door_plan *plan, netdp_i_door **door,
                               netdp_error *error)
{
    netdp_i_door *d = NETDP_I_NEW(netdp_i_door, 1);
    NEED(d);
    *d = (netdp_i_door){.plan = *plan,
                        .socket = -1,
                        .handles = 2,
                        .most = netdp_i_limit_places(NETDP_I_DOOR_PLACES)};
    netdp_status status = listen_at(d, error);
    if (status != NETDP_OK) {
        if (d->socket >= 0)
            close(d->socket);
        netdp_i_free(d);
        return status;
    }
    randombytes_buf(d->salt, sizeof d->salt);
    d->port = find_port(d->socket);
    uv_poll_init(plan->loop, &d->listener, d->socket);
    uv_timer_init(plan->loop, &d->sweep);
    d->listener.data = d->sweep.data = d;
    uv_poll_start(&d->listener, UV_READABLE, on_knock);
    uv_timer_start(&d->sweep, on_sweep, SWEEP, SWEEP);
    *door = d;
    return NETDP_OK;
}

int netdp_i_door_port(const netdp_i_door *door)
{
    return door->port;
}

static void on_closed(uv_handle_t *handle)
{
    netdp_i_door *d = handle->data;
    d->handles--;
    finish(d);
}

void netdp_i_door_close(netdp_i_door *door)
{
    if (door == NULL || door->closing)
        return;
    door->closing = true;
    for (stranger *s = door->all; s != NULL; s = s->next)
        if (s->socket >= 0)
            turn_away(s, NETDP_I_REFUSE_NOTHING);
    uv_close((uv_handle_t *)&door->listener, on_closed);
    uv_close((uv_handle_t *)&door->sweep, on_closed);
    close(door->socket);
}
