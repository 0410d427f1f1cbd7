/* Numbers for Prometheus, as text: served on a port of this machine, or kept in a file. */
#ifndef NETDP_I_PEER_METRICS_H
#define NETDP_I_PEER_METRICS_H

#include <netdp/status.h>
#include <stdio.h>
#include <uv.h>

typedef struct netdp_i_metrics netdp_i_metrics;

/* Writes all metrics in Prometheus's text format. */
typedef void (*netdp_i_metrics_fill)(void *context, FILE *stream);

/*
 * `where`: "HOST:PORT", a number of this machine (127.0.0.1, [::1]), or else the path of a file, which
 * netdp_i_metrics_keep replaces. NETDP_INVALID: an address that others can reach.
 */
netdp_status netdp_i_metrics_new(uv_loop_t *loop, const char *where, netdp_i_metrics_fill fill,
                                 void *context, netdp_i_metrics **metrics, netdp_error *error);

/* The file as of now, whole or as it was; nothing where there is a port. */
void netdp_i_metrics_keep(netdp_i_metrics *metrics);

/* Memory goes when the loop has closed its handles. NULL is fine. */
void netdp_i_metrics_close(netdp_i_metrics *metrics);

#endif
