/* What the shared library shows: everything else is hidden (meson: gnu_symbol_visibility). */
#ifndef NETDP_EXPORT_H
#define NETDP_EXPORT_H

#define NETDP_API __attribute__((visibility("default")))
#define NETDP_CHECK __attribute__((warn_unused_result))

#ifdef __cplusplus
#define NETDP_BEGIN extern "C" {
#define NETDP_END }
#else
#define NETDP_BEGIN
#define NETDP_END
#endif

#endif
