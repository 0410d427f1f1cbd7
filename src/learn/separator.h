/* What stands between the cells of a table: a comma, a semicolon or a tab. */
#ifndef NETDP_I_SEPARATOR_H
#define NETDP_I_SEPARATOR_H

#include <netdp/status.h>

/* By the first two lines of the text [at, end): NETDP_INVALID where they leave it open. */
netdp_status netdp_i_table_separator(const char *path, const char *at, const char *end,
                                     char *separator, netdp_error *error);

#endif
