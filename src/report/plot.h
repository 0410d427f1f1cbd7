/* Pictures drawn by gnuplot: a script through a pipe, SVG back, never a shell. */
#ifndef NETDP_I_PLOT_H
#define NETDP_I_PLOT_H

#include <netdp/status.h>

/*
 * Runs gnuplot on `script`, which draws to its standard output, and writes that to `path`. Data
 * stand in the script as inline blocks. NETDP_ENVIRONMENT where gnuplot is missing or fails.
 */
netdp_status netdp_i_plot_write(const char *script, const char *path, netdp_error *error);

#endif
