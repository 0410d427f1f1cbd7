#include "peer/link/metrics.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/written.h"
#include "peer/link/address.h"

struct netdp_i_metrics {
    uv_tcp_t listener;
    char *file; /* NULL: the listener is open */
    netdp_i_metrics_fill fill;
    void *context;
};

typedef struct reply {
    uv_tcp_t client;
    uv_write_t write;
    netdp_i_written page;
} reply;

static void free_reply(uv_handle_t *handle)
{
    reply *r = handle->data;
    netdp_i_written_clear(&r->page);
    netdp_i_free(r);
}

static void on_written(uv_write_t *write, int status)
{
    reply *r = write->data;
    (void)status;
    uv_close((uv_handle_t *)&r->client, free_reply);
}

/* Whatever was asked: there is one page. */
static void answer(netdp_i_metrics *m, reply *r)
{
    bool told = netdp_i_written_begin(&r->page, NULL) == NETDP_OK;
    if (told) {
        fputs("HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\r\n", r->page.out);
        m->fill(m->context, r->page.out);
        told = netdp_i_written_end(&r->page, NULL) == NETDP_OK;
    }
    uv_buf_t whole = uv_buf_init(r->page.text, (unsigned)r->page.bytes);
    if (!told || uv_write(&r->write, (uv_stream_t *)&r->client, &whole, 1, on_written) != 0)
        uv_close((uv_handle_t *)&r->client, free_reply);
}

static void on_visitor(uv_stream_t *listener, int status)
{
    netdp_i_metrics *m = listener->data;
    reply *r = status == 0 ? NETDP_I_NEW(reply, 1) : NULL;
    if (r == NULL)
        return;
    uv_tcp_init(listener->loop, &r->client);
    r->client.data = r->write.data = r;
    if (uv_accept(listener, (uv_stream_t *)&r->client) == 0)
        answer(m, r);
    else
        uv_close((uv_handle_t *)&r->client, free_reply);
}

/* False: the text is no address. */
static bool read_address(const char *where, struct sockaddr_storage *address, bool *here)
{
    char host[64];
    const char *colon = strrchr(where, ':');
    const size_t length = colon != NULL ? (size_t)(colon - where) : 0;
    const int port = colon != NULL ? netdp_i_port_read(colon + 1) : -1;
    if (length == 0 || length >= sizeof host || port < 0)
        return false;
    snprintf(host, sizeof host, "%.*s", (int)length, where);
    *here = strcmp(host, "127.0.0.1") == 0 || strcmp(host, "[::1]") == 0;
    if (host[0] == '[' && length > 2) {
        host[length - 1] = '\0';
        return uv_ip6_addr(host + 1, port, (struct sockaddr_in6 *)address) == 0;
    }
    return uv_ip4_addr(host, port, (struct sockaddr_in *)address) == 0;
}

static netdp_status listen_at(netdp_i_metrics *m, uv_loop_t *loop, const char *where,
                              const struct sockaddr_storage *address, netdp_error *error)
{
    uv_tcp_init(loop, &m->listener);
    m->listener.data = m;
    int fault = uv_tcp_bind(&m->listener, (const struct sockaddr *)address, 0);
    if (fault == 0)
        fault = uv_listen((uv_stream_t *)&m->listener, 8, on_visitor);
    return fault == 0 ? NETDP_OK
                      : netdp_i_fail(error, NETDP_ENVIRONMENT, "metrics: %.100s: %s", where,
                                     uv_strerror(fault));
}

netdp_status netdp_i_metrics_new(uv_loop_t *loop, const char *where, netdp_i_metrics_fill fill,
                                 void *context, netdp_i_metrics **metrics, netdp_error *error)
{
    struct sockaddr_storage address = {0};
    bool here = false;
    const bool wanted = strchr(where, ':') != NULL && strchr(where, '/') == NULL;
    const bool port = wanted && read_address(where, &address, &here);
    REFUSE(wanted && !port, "metrics: %.100s: give 127.0.0.1:PORT, a port up to 65535, or a file",
           where);
    REFUSE(port && !here, "metrics: %.100s: others could read them; give 127.0.0.1:PORT or a file",
           where);
    netdp_i_metrics *made = NETDP_I_NEW(netdp_i_metrics, 1);
    NEED(made);
    made->fill = fill;
    made->context = context;
    netdp_status status = NETDP_OK;
    if (port) {
        status = listen_at(made, loop, where, &address, error);
        if (status != NETDP_OK) {
            netdp_i_metrics_close(made);
            return status;
        }
    } else {
        made->file = netdp_i_copy_text(where);
        if (made->file == NULL) {
            netdp_i_free(made);
            return netdp_i_no_memory(error);
        }
    }
    *metrics = made;
    return status;
}

void netdp_i_metrics_keep(netdp_i_metrics *metrics)
{
    netdp_i_output output = {0};
    if (metrics == NULL || metrics->file == NULL)
        return;
    if (netdp_i_output_open_own(&output, metrics->file, false, NULL) != NETDP_OK)
        return; /* the next time, perhaps; no study ends for it */
    metrics->fill(metrics->context, output.stream);
    (void)!netdp_i_output_commit(&output, NULL);
}

static void free_metrics(uv_handle_t *handle)
{
    netdp_i_free(handle->data);
}

void netdp_i_metrics_close(netdp_i_metrics *metrics)
{
    if (metrics == NULL)
        return;
    if (metrics->file == NULL) {
        uv_close((uv_handle_t *)&metrics->listener, free_metrics);
        return;
    }
    netdp_i_free(metrics->file);
    netdp_i_free(metrics);
}
