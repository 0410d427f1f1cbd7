/* The trade-off of an audit as a picture: errors of an observer's guess, found and claimed. */
#ifndef NETDP_I_TRADE_H
#define NETDP_I_TRADE_H

#include <jansson.h>
#include <netdp/status.h>

/* One entry of audit.json's "audits" to an SVG (docs/files.md). */
netdp_status netdp_i_trade_write(const json_t *audit, const char *path, netdp_error *error);

#endif
