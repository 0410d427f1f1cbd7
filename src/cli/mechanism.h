/* netdp audit --mechanism: a mechanism that is a command, attacked by what it prints. */
#ifndef NETDP_I_CLI_MECHANISM_H
#define NETDP_I_CLI_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

typedef struct netdp_i_mechanism_options {
    const char *command; /* for the shell; gets "0 RUNS" or "1 RUNS" behind it */
    const char *claim;   /* "gdp:MU" or "dp:EPSILON,DELTA" */
    int64_t runs;        /* of each world */
    double confidence;
    bool json;
} netdp_i_mechanism_options;

/* Runs, attacks, and prints what was found. */
netdp_status netdp_i_cli_audit_mechanism(const netdp_i_mechanism_options *options,
                                         netdp_error *error);

#endif
