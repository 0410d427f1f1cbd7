/* The page that shows a result folder: a template around its data. */
#ifndef NETDP_I_PAGE_H
#define NETDP_I_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <netdp/status.h>

/*
 * The template, made from web/ by web/build.mjs and embedded at build time. NETDP_I_PAGE_MARK
 * stands in it once, where the data go; not at all in a build without the page (none.html).
 */
extern const char netdp_i_page_template[];
#define NETDP_I_PAGE_MARK "@@NETDP_DATA@@"

/* `private`: a file that only its owner may read. Nothing in the data can end their element or
 * begin another: "<", ">" and "&" are escaped. */
netdp_status netdp_i_page_write(const json_t *data, bool private, const char *path,
                                netdp_error *error);

#endif
