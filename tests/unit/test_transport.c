/*
 * Links on the loopback: who is let in, and who is refused by which name. All of it in one loop, and
 * nothing looks at a clock: a test ends when what it waits for has happened.
 */
#include "check.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "peer/link/limits.h"
#include "peer/link/door.h"
#include "peer/link/transport.h"

enum { NODES = 3, WIDTH = 2 };

static uint8_t seed[NODES + 1][32]; /* the last is nobody's */
static netdp_i_public key[NODES + 1];

/* One end: a server that is member 0 with links to 1 and, where it has one, 2; or a client. */
typedef struct end {
    netdp_i_transport *transport;
    netdp_i_link link[2];
    char address[32];
    bool up, down, crowded, closed; /* closed: lets nobody in who has shown who he is */
    int frames;
    netdp_i_refusal refused, goodbye, answer;
    netdp_i_hello hello; /* said when a link is up; nodes 0: nothing is */
    uint8_t extra[256];  /* after it, raw */
    size_t extras;
    struct end *torn; /* the other, which breaks off while it speaks, once it is heard */
    uint32_t width;   /* numbers of a vector; 0: WIDTH */
} end;

/* What was said before is there to be heard, and behind it the connection is reset. */
static void break_off(end *e, const uint8_t *bytes, size_t size)
{
    const struct linger at_once = {.l_onoff = 1};
    for (int k = 0; k < 5; k++)
        assert_true(netdp_i_transport_send(e->transport, 0, bytes, size));
    for (int fd = 3; fd < 256; fd++) {
        struct sockaddr_in to = {0};
        socklen_t length = sizeof to;
        if (getpeername(fd, (struct sockaddr *)&to, &length) == 0 &&
            ntohs(to.sin_port) == atoi(strchr(e->address, ':') + 1))
            assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    }
    netdp_i_transport_close(e->transport);
}

static void on_up(void *context, int32_t link)
{
    end *e = context;
    uint8_t bytes[256];
    e->up = true;
    if (e->hello.nodes > 0)
        (void)netdp_i_transport_send(e->transport, link, bytes,
                                     netdp_i_frame_hello(&e->hello, bytes));
    if (e->extras > 0)
        (void)netdp_i_transport_send(e->transport, link, e->extra, e->extras);
}

static netdp_i_refusal on_frame(void *context, int32_t link, const netdp_i_message *message,
                                const uint8_t *bytes, size_t size)
{
    end *e = context;
    (void)link;
    e->frames++;
    if (message->kind == NETDP_I_FRAME_GOODBYE)
        e->goodbye = message->why;
    if (e->torn != NULL && message->kind == NETDP_I_FRAME_VECTOR) {
        break_off(e->torn, bytes, size);
        e->torn = NULL;
    }
    return message->kind == NETDP_I_FRAME_HELLO ? e->answer : NETDP_I_REFUSE_NOTHING;
}

static void on_down(void *context, int32_t link)
{
    end *e = context;
    (void)link;
    e->down = true;
}

static void on_refused(void *context, int32_t link, netdp_i_refusal why, const char *from)
{
    end *e = context;
    (void)link;
    assert_true(strlen(from) > 0);
    e->refused = why;
    e->crowded = e->crowded || why == NETDP_I_REFUSE_TOO_MANY;
}

static bool may_begin(void *context, int32_t link)
{
    const end *e = context;
    (void)link;
    return !e->closed;
}

static void open_end(uv_loop_t *loop, end *e, int who, int32_t links, int64_t certificate,
                     const char *listen)
{
    netdp_error error;
    const netdp_i_transport_plan plan = {
        .loop = loop,
        .seed = seed[who],
        .nodes = NODES,
        .self = who,
        .key = (const netdp_i_public *)key,
        .listen = listen,
        .links = links,
        .link = e->link,
        .width = e->width > 0 ? e->width : WIDTH,
        .certificate = certificate,
        .patience = 2000,
        .hooks = {e, on_up, on_frame, on_down, on_refused, may_begin},
    };
    assert_int_equal(netdp_i_transport_new(&plan, &e->transport, &error), NETDP_OK);
}

/* A server 0 that expects 1 alone, and a client of that key and certificate. */
static void meet(uv_loop_t *loop, end *server, end *client, int who, int64_t certificate)
{
    assert_int_equal(uv_loop_init(loop), 0);
    server->link[0] = (netdp_i_link){.neighbour = 1};
    open_end(loop, server, 0, 1, 0, "127.0.0.1:0");
    snprintf(client->address, sizeof client->address, "127.0.0.1:%d",
             netdp_i_transport_port(server->transport));
    client->link[0] = (netdp_i_link){.neighbour = 0, .dials = true, .address = client->address};
    open_end(loop, client, who, 1, certificate, NULL);
}

static void part(uv_loop_t *loop, end *server, end *client)
{
    netdp_i_transport_close(server->transport);
    netdp_i_transport_close(client->transport);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
}

#define UNTIL(loop, what)                                                                          \
    do {                                                                                           \
        uv_run(loop, UV_RUN_ONCE);                                                                 \
    } while (!(what))

static void neighbours_meet(void **state)
{
    (void)state;
    uv_loop_t loop;
    end server = {.hello = {.nodes = NODES}}, client = {.hello = {.index = 1, .nodes = NODES}};
    const double numbers[WIDTH] = {0.25, -3};
    client.extras = netdp_i_frame_vector(1, (netdp_i_when){0}, numbers, WIDTH, client.extra);
    meet(&loop, &server, &client, 1, 0);
    UNTIL(&loop, server.frames == 2 && client.frames == 1);
    assert_int_equal(server.refused, NETDP_I_REFUSE_NOTHING);
    part(&loop, &server, &client);
}

/* The loop tells of a reset once, and the frames before it are taken up one at a time. */
static void a_reset_behind_frames_is_noticed(void **state)
{
    (void)state;
    uv_loop_t loop;
    end client = {.hello = {.index = 1, .nodes = NODES}};
    end server = {.hello = {.nodes = NODES}, .torn = &client};
    const double numbers[WIDTH] = {0.25, -3};
    client.extras = netdp_i_frame_vector(1, (netdp_i_when){0}, numbers, WIDTH, client.extra);
    meet(&loop, &server, &client, 1, 0);
    UNTIL(&loop, server.down);
    assert_null(server.torn);
    netdp_i_transport_close(server.transport);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void keys_are_refused_by_name(void **state)
{
    (void)state;
    const struct {
        int who;
        int64_t certificate;
        netdp_i_refusal why;
    } wrong[] = {
        {NODES, 0, NETDP_I_REFUSE_UNKNOWN_KEY}, /* of no member */
        {2, 0, NETDP_I_REFUSE_NOT_A_NEIGHBOUR}, /* in it, without an edge */
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        uv_loop_t loop;
        end server = {0}, client = {.hello = {.index = 1, .nodes = NODES}};
        meet(&loop, &server, &client, wrong[k].who, wrong[k].certificate);
        UNTIL(&loop, server.refused != NETDP_I_REFUSE_NOTHING);
        assert_int_equal(server.refused, wrong[k].why);
        assert_false(server.up);
        assert_int_equal(server.frames, 0);
        part(&loop, &server, &client);
    }
}

/* The key is what counts: not what a certificate says of when. */
static void dates_are_not_looked_at(void **state)
{
    (void)state;
    uv_loop_t loop;
    end server = {.hello = {.nodes = NODES}}, client = {.hello = {.index = 1, .nodes = NODES}};
    meet(&loop, &server, &client, 1, -60);
    UNTIL(&loop, server.frames == 1 && client.frames == 1);
    assert_int_equal(server.refused, NETDP_I_REFUSE_NOTHING);
    part(&loop, &server, &client);
}

/* ---- Strangers, and liars that speak TLS themselves, each in a thread of its own ---- */

typedef struct raw {
    pthread_t thread;
    int socket; /* that it listens on, or of its connection */
    SSL_CTX *tls;
    netdp_i_tls_party party;
} raw;

static netdp_i_refusal believe(netdp_i_tls_party *party, const uint8_t other[32])
{
    (void)party, (void)other;
    return NETDP_I_REFUSE_NOTHING;
}

static void raw_begin(raw *r, int who, void *(*run)(void *))
{
    netdp_error error;
    r->party.judge = believe;
    assert_int_equal(netdp_i_tls_new(seed[who], 60, &r->tls, &error), NETDP_OK);
    assert_int_equal(pthread_create(&r->thread, NULL, run, r), 0);
}

static void raw_end(raw *r)
{
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    SSL_CTX_free(r->tls);
    close(r->socket);
}

static int connected(int port)
{
    struct sockaddr_in address;
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(uv_ip4_addr("127.0.0.1", port, &address), 0);
    assert_int_equal(connect(made, (struct sockaddr *)&address, sizeof address), 0);
    return made;
}

/* Takes a knock, whoever it is for, and shows a key that is not the roster's. */
static void *pretend(void *context)
{
    raw *r = context;
    uint8_t knock[NETDP_I_KNOCK];
    const int met = accept(r->socket, NULL, NULL);
    (void)!recv(met, knock, sizeof knock, MSG_WAITALL);
    SSL *ssl = netdp_i_tls_begin(r->tls, met, false, &r->party);
    (void)SSL_accept(ssl);
    SSL_free(ssl);
    close(met);
    return NULL;
}

/* Who dials is no less careful: somebody else listens where member 0 should. */
static void an_impostor_is_refused(void **state)
{
    (void)state;
    uv_loop_t loop;
    raw impostor = {.socket = socket(AF_INET, SOCK_STREAM, 0)};
    end client = {.hello = {.index = 1, .nodes = NODES}};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    assert_int_equal(bind(impostor.socket, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(impostor.socket, 1), 0);
    assert_int_equal(getsockname(impostor.socket, (struct sockaddr *)&address, &size), 0);
    raw_begin(&impostor, NODES, pretend);
    assert_int_equal(uv_loop_init(&loop), 0);
    snprintf(client.address, sizeof client.address, "127.0.0.1:%d", ntohs(address.sin_port));
    client.link[0] = (netdp_i_link){.neighbour = 0, .dials = true, .address = client.address};
    open_end(&loop, &client, 1, 1, 0, NULL);
    UNTIL(&loop, client.refused != NETDP_I_REFUSE_NOTHING);
    assert_int_equal(client.refused, NETDP_I_REFUSE_UNKNOWN_KEY);
    assert_false(client.up);
    netdp_i_transport_close(client.transport);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    raw_end(&impostor);
}

/* A neighbour that changes its keys, over and over: costly records without a frame. */
static void *change_keys(void *context)
{
    raw *r = context;
    SSL *ssl = netdp_i_tls_begin(r->tls, r->socket, true, &r->party);
    if (SSL_connect(ssl) == 1)
        while (SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1)
            ;
    SSL_free(ssl);
    shutdown(r->socket, SHUT_RDWR);
    return NULL;
}

/* The same within a frame, a byte of it before each, and without asking for an answer. */
static void *change_keys_within_a_frame(void *context)
{
    raw *r = context;
    const unsigned char head[] = {248, 0, 0, 0, NETDP_I_FRAME_VERSION, 0, NETDP_I_FRAME_HELLO, 0};
    SSL *ssl = netdp_i_tls_begin(r->tls, r->socket, true, &r->party);
    if (SSL_connect(ssl) == 1)
        for (int i = 0;
             SSL_write(ssl, head + (i < 8 ? i : 7), 1) == 1 &&
             SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1;
             i++)
            ;
    SSL_free(ssl);
    shutdown(r->socket, SHUT_RDWR);
    return NULL;
}

static void is_refused_who(void *(*does)(void *))
{
    uv_loop_t loop;
    end server = {.hello = {.nodes = NODES}, .link = {{.neighbour = 1}}};
    uint8_t secret[32], knock[NETDP_I_KNOCK];
    assert_int_equal(uv_loop_init(&loop), 0);
    open_end(&loop, &server, 0, 1, 0, "127.0.0.1:0");
    raw liar = {.socket = connected(netdp_i_transport_port(server.transport))};
    assert_true(netdp_i_knock_key(seed[1], key[0], secret));
    netdp_i_knock_make(secret, 1, 0, knock);
    assert_int_equal(write(liar.socket, knock, sizeof knock), sizeof knock);
    raw_begin(&liar, 1, does);
    UNTIL(&loop, server.refused != NETDP_I_REFUSE_NOTHING);
    assert_int_equal(server.refused, NETDP_I_REFUSE_TOO_MUCH);
    netdp_i_transport_close(server.transport);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    raw_end(&liar);
}

static void key_updates_are_refused(void **state)
{
    (void)state;
    is_refused_who(change_keys);
    is_refused_who(change_keys_within_a_frame);
}

/* Neither a hello of TLS nor a knock that another member could make is answered by one byte. */
static void strangers_get_nothing(void **state)
{
    (void)state;
    uint8_t secret[32], other[NETDP_I_KNOCK], turned[NETDP_I_KNOCK],
        bare[NETDP_I_KNOCK] = {22, 3, 1};
    assert_true(netdp_i_knock_key(seed[2], key[0], secret));
    netdp_i_knock_make(secret, 1, 0, other); /* of member 2, as member 1 */
    assert_true(netdp_i_knock_key(seed[0], key[1], secret));
    netdp_i_knock_make(secret, 0, 1, turned); /* member 0's own, sent back */
    turned[8] = 1;
    const struct {
        const uint8_t *bytes;
        netdp_i_refusal why;
    } wrong[] = {{other, NETDP_I_REFUSE_UNKNOWN_KEY},
                 {turned, NETDP_I_REFUSE_UNKNOWN_KEY},
                 {bare, NETDP_I_REFUSE_HANDSHAKE}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        uv_loop_t loop;
        char answer;
        end server = {.link = {{.neighbour = 1}}};
        assert_int_equal(uv_loop_init(&loop), 0);
        open_end(&loop, &server, 0, 1, 0, "127.0.0.1:0");
        const int stranger = connected(netdp_i_transport_port(server.transport));
        assert_int_equal(write(stranger, wrong[k].bytes, NETDP_I_KNOCK), NETDP_I_KNOCK);
        UNTIL(&loop, server.refused != NETDP_I_REFUSE_NOTHING);
        assert_int_equal(server.refused, wrong[k].why);
        assert_true(recv(stranger, &answer, 1, 0) <= 0);
        close(stranger);
        netdp_i_transport_close(server.transport);
        uv_run(&loop, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&loop), 0);
    }
}

/* A neighbour whose connections are used up is turned away after it has shown who it is, and told why. */
static void too_many_connections_are_refused(void **state)
{
    (void)state;
    uv_loop_t loop;
    end server = {.closed = true}, client = {.hello = {.index = 1, .nodes = NODES}};
    meet(&loop, &server, &client, 1, 0);
    UNTIL(&loop, client.goodbye != NETDP_I_REFUSE_NOTHING);
    assert_int_equal(server.refused, NETDP_I_REFUSE_TOO_MUCH);
    assert_int_equal(client.goodbye, NETDP_I_REFUSE_TOO_MUCH);
    assert_false(server.up);
    part(&loop, &server, &client);
}

static void allowances_run_out_and_fill_again(void **state)
{
    (void)state;
    for (int k = 0; k < NETDP_I_LIMITS_COUNT; k++) {
        const netdp_i_limit limit = (netdp_i_limit)k;
        const netdp_i_limit_row *row = &netdp_i_limit_rows()[k];
        const int64_t one = 3600000 / row->hourly + 1, start = 1000000;
        netdp_i_quota quota = {0};
        assert_true(netdp_i_limit_take(&quota, limit, row->burst, start));
        assert_false(netdp_i_limit_take(&quota, limit, 1, start));
        assert_true(netdp_i_limit_take(&quota, limit, 1, start + one));
        assert_false(netdp_i_limit_take(&quota, limit, 1, start + one));
        netdp_i_limit_return(&quota, limit, 2);
        assert_true(netdp_i_limit_take(&quota, limit, 2, start + one));
        assert_false(netdp_i_limit_take(&quota, limit, 1, start + one));
    }
}

/* What a neighbour says wrongly ends the link, and it is told why. */
static void frames_are_refused_by_name(void **state)
{
    (void)state;
    const double numbers[WIDTH] = {1, 2};
    uint8_t vector[64];
    const size_t size = netdp_i_frame_vector(1, (netdp_i_when){0}, numbers, WIDTH, vector);
    const struct {
        bool hello;
        int at;
        uint8_t byte;
        netdp_i_refusal why;
    } wrong[] = {
        {false, 4, NETDP_I_FRAME_VERSION, NETDP_I_REFUSE_NO_HELLO},
        {true, 4, 9, NETDP_I_REFUSE_WRONG_VERSION},
        {true, 2, 200, NETDP_I_REFUSE_OVERSIZED},
        {true, 6, 77, NETDP_I_REFUSE_MALFORMED},
        {true, 0, 12, NETDP_I_REFUSE_MALFORMED},
        {true, -1, 0, NETDP_I_REFUSE_NOT_FINITE},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        uv_loop_t loop;
        end server = {.hello = {.nodes = NODES}}, client = {0};
        const double infinite = INFINITY;
        client.hello = (netdp_i_hello){.index = 1, .nodes = wrong[k].hello ? NODES : 0};
        memcpy(client.extra, vector, size);
        client.extras = size;
        if (wrong[k].at >= 0)
            client.extra[wrong[k].at] = wrong[k].byte;
        else
            memcpy(client.extra + size - 8, &infinite, 8);
        meet(&loop, &server, &client, 1, 0);
        UNTIL(&loop, server.refused != NETDP_I_REFUSE_NOTHING && server.down);
        assert_int_equal(server.refused, wrong[k].why);
        UNTIL(&loop, client.goodbye != NETDP_I_REFUSE_NOTHING);
        assert_int_equal(client.goodbye, wrong[k].why);
        part(&loop, &server, &client);
    }
}

static void a_hello_that_is_refused_ends_the_link(void **state)
{
    (void)state;
    uv_loop_t loop;
    end server = {.hello = {.nodes = NODES}, .answer = NETDP_I_REFUSE_WRONG_DIGEST};
    end client = {.hello = {.index = 1, .nodes = NODES}};
    meet(&loop, &server, &client, 1, 0);
    UNTIL(&loop, client.goodbye != NETDP_I_REFUSE_NOTHING);
    assert_int_equal(server.refused, NETDP_I_REFUSE_WRONG_DIGEST);
    assert_int_equal(client.goodbye, NETDP_I_REFUSE_WRONG_DIGEST);
    part(&loop, &server, &client);
}

/* Strangers that say nothing fill what there is for strangers, and a neighbour still comes in. */
static void a_crowd_keeps_nobody_out(void **state)
{
    (void)state;
    enum { CROWD = NETDP_I_DOOR_PLACES + 120 };
    uv_loop_t loop;
    end server = {.hello = {.nodes = NODES}}, client = {.hello = {.index = 1, .nodes = NODES}};
    int stranger[CROWD];
    meet(&loop, &server, &client, 1, 0);
    netdp_i_transport_close(client.transport);
    struct sockaddr_in address;
    assert_int_equal(uv_ip4_addr("127.0.0.1", netdp_i_transport_port(server.transport), &address),
                     0);
    for (int k = 0; k < CROWD; k++) {
        stranger[k] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(stranger[k], (struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(write(stranger[k], "GET / HTTP/1.0\r\n", k % 8 == 0 ? 16 : 0),
                         k % 8 == 0 ? 16 : 0);
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    UNTIL(&loop, server.crowded);
    end late = {.hello = {.index = 1, .nodes = NODES}, .link = {client.link[0]}};
    open_end(&loop, &late, 1, 1, 0, NULL);
    UNTIL(&loop, late.frames == 1 && server.frames >= 1);
    for (int k = 0; k < CROWD; k++)
        close(stranger[k]);
    part(&loop, &server, &late);
}

/* What waits for somebody who does not read is bounded: in frames, in bytes, and a few frames always have room. */
static void a_queue_is_bounded(void **state)
{
    (void)state;
    enum { HEAD = 28, MIB = 1 << 20 };
    const size_t hello =
        netdp_i_frame_size(NETDP_I_FRAME_HELLO, WIDTH); /* the longest of short ones */
    const struct {
        uint32_t width;
        size_t most; /* bytes that wait at most */
    } kinds[] = {{WIDTH, 64 * hello}, {MIB / 8, 16 * MIB}, {MIB, 4 * (8 * MIB + HEAD)}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uv_loop_t loop;
        end server = {.hello = {.nodes = NODES}, .width = kinds[k].width};
        end client = {.hello = {.index = 1, .nodes = NODES}, .width = kinds[k].width};
        const size_t size = netdp_i_frame_size(NETDP_I_FRAME_VECTOR, kinds[k].width);
        double *numbers = calloc(kinds[k].width, sizeof *numbers);
        uint8_t *frame = malloc(size);
        assert_true(numbers != NULL && frame != NULL);
        assert_int_equal(netdp_i_frame_vector(0, (netdp_i_when){0}, numbers, kinds[k].width, frame),
                         size);
        meet(&loop, &server, &client, 1, 0);
        UNTIL(&loop, server.frames == 1 && client.frames == 1);
        size_t waiting = 0, given = netdp_i_transport_count(server.transport).sent;
        while (netdp_i_transport_send(server.transport, 0, frame, size)) {
            given += size; /* the client's turn does not come */
            waiting = given - netdp_i_transport_count(server.transport).sent;
            assert_in_range(waiting, 0, kinds[k].most);
        }
        assert_int_equal(server.refused, NETDP_I_REFUSE_TOO_SLOW);
        assert_true(waiting + size > kinds[k].most);
        free(numbers);
        free(frame);
        part(&loop, &server, &client);
    }
}

/* libuv wakes a loop by eight bytes into an eventfd; this program's write is libuv's, too. */
static bool no_wake_ups;

ssize_t write(int file, const void *bytes, size_t count)
{
    char name[64], to[64] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (no_wake_ups && count == 8 && readlink(name, to, sizeof to - 1) > 0 &&
        strstr(to, "eventfd") != NULL) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_write, file, bytes, count);
}

/* A name is looked up by a thread; how the loop hears of it cannot fail. */
static void a_wake_up_that_fails_ends_nobody(void **state)
{
    (void)state;
    uv_loop_t loop;
    end server = {.hello = {.nodes = NODES}}, client = {.hello = {.index = 1, .nodes = NODES}};
    assert_int_equal(uv_loop_init(&loop), 0);
    server.link[0] = (netdp_i_link){.neighbour = 1};
    open_end(&loop, &server, 0, 1, 0, "localhost:0");
    snprintf(client.address, sizeof client.address, "localhost:%d",
             netdp_i_transport_port(server.transport));
    client.link[0] = (netdp_i_link){.neighbour = 0, .dials = true, .address = client.address};
    no_wake_ups = true;
    open_end(&loop, &client, 1, 1, 0, NULL);
    UNTIL(&loop, server.frames == 1 && client.frames == 1);
    end lost = {.link = {{.neighbour = 0, .dials = true, .address = "no.such.invalid:1"}}};
    open_end(&loop, &lost, 1, 1, 0, NULL);
    netdp_i_transport_close(lost.transport); /* while it is looked up */
    part(&loop, &server, &client);
    no_wake_ups = false;
}

int main(void)
{
    if (sodium_init() < 0)
        return 1;
    (void)signal(SIGPIPE, SIG_IGN);
    for (int v = 0; v <= NODES; v++) {
        uint8_t secret[64];
        memset(seed[v], 17 * v + 1, 32);
        crypto_sign_seed_keypair(key[v], secret, seed[v]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_not_looked_at),
        cmocka_unit_test(neighbours_meet),
        cmocka_unit_test(a_reset_behind_frames_is_noticed),
        cmocka_unit_test(keys_are_refused_by_name),
        cmocka_unit_test(an_impostor_is_refused),
        cmocka_unit_test(key_updates_are_refused),
        cmocka_unit_test(strangers_get_nothing),
        cmocka_unit_test(too_many_connections_are_refused),
        cmocka_unit_test(allowances_run_out_and_fill_again),
        cmocka_unit_test(frames_are_refused_by_name),
        cmocka_unit_test(a_hello_that_is_refused_ends_the_link),
        cmocka_unit_test(a_crowd_keeps_nobody_out),
        cmocka_unit_test(a_queue_is_bounded),
        cmocka_unit_test(a_wake_up_that_fails_ends_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
