/*
 * Round trips of 8 kB between two peers' transports, beside the same over bare TLS in the same run:
 * processor time of both ends, on one thread, which other work on the machine does not change much.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "peer/link/tls.h"
#include "peer/link/transport.h"

enum { WIDTH = 1000, TRIPS = 20000 };

static uint8_t seed[2][32];
static netdp_i_public key[2];

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "peer: %s\n", what);
    exit(1);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Peers ---- */

typedef struct end {
    netdp_i_transport *transport, *other;
    netdp_i_link link;
    int self;
    int64_t trips;
    double begun;
    uint8_t frame[9000];
    size_t size;
} end;

static void on_up(void *context, int32_t link)
{
    end *e = context;
    const netdp_i_hello hello = {.index = (uint32_t)e->self, .nodes = 2};
    uint8_t bytes[256];
    (void)netdp_i_transport_send(e->transport, link, bytes, netdp_i_frame_hello(&hello, bytes));
}

static netdp_i_refusal on_frame(void *context, int32_t link, const netdp_i_message *message,
                                const uint8_t *bytes, size_t size)
{
    end *e = context;
    double numbers[WIDTH];
    (void)bytes, (void)size;
    if (message->kind == NETDP_I_FRAME_VECTOR) {
        netdp_i_frame_numbers(message, numbers);
        e->trips++;
    } else if (e->self == 1) {
        return NETDP_I_REFUSE_NOTHING; /* member 0 begins */
    } else {
        e->begun = processor_seconds();
    }
    if (e->self == 1 || e->trips < TRIPS)
        (void)netdp_i_transport_send(e->transport, link, e->frame, e->size);
    return NETDP_I_REFUSE_NOTHING;
}

static void on_down(void *context, int32_t link)
{
    (void)context, (void)link;
}

static void on_refused(void *context, int32_t link, netdp_i_refusal why, const char *from)
{
    (void)context, (void)link, (void)from;
    must(false, netdp_i_refusal_word(why));
}

static void open_end(uv_loop_t *loop, end *e, const char *listen)
{
    const netdp_i_transport_plan plan = {
        .loop = loop,
        .seed = seed[e->self],
        .nodes = 2,
        .self = e->self,
        .key = (const netdp_i_public *)key,
        .listen = listen,
        .links = 1,
        .link = &e->link,
        .width = WIDTH,
        .patience = 60000,
        .hooks = {e, on_up, on_frame, on_down, on_refused, NULL},
    };
    netdp_error error;
    must(netdp_i_transport_new(&plan, &e->transport, &error) == NETDP_OK, error.text);
}

static double time_peers(void)
{
    static end one = {.self = 0, .link = {.neighbour = 1}};
    static end two = {.self = 1, .link = {.neighbour = 0, .dials = true}};
    double numbers[WIDTH];
    char address[32];
    uv_loop_t loop;
    must(uv_loop_init(&loop) == 0, "no loop");
    for (int j = 0; j < WIDTH; j++)
        numbers[j] = j;
    one.size = netdp_i_frame_vector(0, (netdp_i_when){0}, numbers, WIDTH, one.frame);
    two.size = netdp_i_frame_vector(1, (netdp_i_when){0}, numbers, WIDTH, two.frame);
    open_end(&loop, &one, "127.0.0.1:0");
    snprintf(address, sizeof address, "127.0.0.1:%d", netdp_i_transport_port(one.transport));
    two.link.address = address;
    open_end(&loop, &two, NULL);
    while (one.trips < TRIPS)
        uv_run(&loop, UV_RUN_ONCE);
    const double taken = processor_seconds() - one.begun;
    netdp_i_transport_close(one.transport);
    netdp_i_transport_close(two.transport);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return taken / TRIPS;
}

/* ---- Bare TLS ---- */

static netdp_i_refusal judge(netdp_i_tls_party *party, const uint8_t other[32])
{
    (void)party, (void)other;
    return NETDP_I_REFUSE_NOTHING;
}

/* A step of it; true: it is over. */
static bool shake_hands(SSL *ssl)
{
    const int done = SSL_do_handshake(ssl), why = SSL_get_error(ssl, done);
    must(done == 1 || why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE,
         "bare TLS does not come about");
    return done == 1;
}

static void say(SSL *ssl, const uint8_t *bytes, int size)
{
    must(SSL_write(ssl, bytes, size) == size, "bare TLS does not write");
}

static void hear(SSL *ssl, uint8_t *bytes, int size)
{
    for (int got = 0; got < size;) {
        const int more = SSL_read(ssl, bytes + got, size - got);
        must(more > 0, "bare TLS does not read");
        got += more;
    }
}

static double time_bare(int size)
{
    netdp_i_tls_party party = {.judge = judge};
    netdp_error error;
    SSL_CTX *tls[2];
    SSL *ssl[2];
    uint8_t bytes[9000] = {0};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0), dialler = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
             listen(listener, 1) == 0 &&
             getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
             connect(dialler, (struct sockaddr *)&address, sizeof address) == 0,
         "no connection");
    const int socket[2] = {accept(listener, NULL, NULL), dialler};
    for (int i = 0; i < 2; i++) {
        must(netdp_i_tls_new(seed[i], 1000, &tls[i], &error) == NETDP_OK, error.text);
        must(fcntl(socket[i], F_SETFL, O_NONBLOCK) == 0, "no socket that does not block");
        ssl[i] = netdp_i_tls_begin(tls[i], socket[i], i == 1, &party);
    }
    /* Both ends are this thread's: the handshake goes on a step here and a step there. */
    for (int done = 0, turn = 0; done != 3; turn ^= 1)
        if (shake_hands(ssl[turn]))
            done |= 1 << turn;
    for (int i = 0; i < 2; i++)
        must(fcntl(socket[i], F_SETFL, 0) == 0, "no blocking socket");
    const double begun = processor_seconds();
    for (int k = 0; k < TRIPS; k++) {
        say(ssl[0], bytes, size);
        hear(ssl[1], bytes, size);
        say(ssl[1], bytes, size);
        hear(ssl[0], bytes, size);
    }
    const double taken = processor_seconds() - begun;
    for (int i = 0; i < 2; i++) {
        SSL_free(ssl[i]);
        SSL_CTX_free(tls[i]);
        close(socket[i]);
    }
    close(listener);
    return taken / TRIPS;
}

int main(void)
{
    must(sodium_init() >= 0, "no libsodium");
    for (int i = 0; i < 2; i++) {
        uint8_t secret[64];
        randombytes_buf(seed[i], sizeof seed[i]);
        crypto_sign_seed_keypair(key[i], secret, seed[i]);
    }
    const double peers = time_peers();
    const double bare = time_bare((int)netdp_i_frame_size(NETDP_I_FRAME_VECTOR, WIDTH));
    printf("{\"bytes\": %zu, \"trips\": %d, \"peer_seconds\": %.3g, \"tls_seconds\": %.3g, "
           "\"part_of_tls\": %.3g}\n",
           netdp_i_frame_size(NETDP_I_FRAME_VECTOR, WIDTH), TRIPS, peers, bare, bare / peers);
    return 0;
}
