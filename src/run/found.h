/* What an audit has found so far, kept beside its results so that it can go on. */
#ifndef NETDP_I_FOUND_H
#define NETDP_I_FOUND_H

#include <netdp/study.h>

#include "run/record.h"

typedef struct netdp_i_found {
    json_t *audits;       /* one entry an attack that was judged; owned */
    json_t *estimates;    /* of whole reconstructions; owned */
    json_t *everybody;    /* the same of all values at once; owned */
    json_t *membership;   /* whose records were in; owned */
    int64_t judged;       /* how many of `audits` this process has come by */
    int64_t rebuilt;      /* protocols that the three above are of */
    int64_t rebuilt_here; /* how many of them this process has come by */
} netdp_i_found;

/*
 * What the same audit (study, graphs, data, version, options) had found in this folder; nothing
 * where there is none, or one that is torn or of another audit: that is attacked again.
 */
netdp_status netdp_i_found_read(const char *folder, const netdp_i_identity *identity,
                                const netdp_audit_options *options, netdp_i_found *found,
                                netdp_error *error);
netdp_status netdp_i_found_write(const char *folder, const netdp_i_identity *identity,
                                 const netdp_audit_options *options, const netdp_i_found *found,
                                 netdp_error *error);
void netdp_i_found_remove(const char *folder);
void netdp_i_found_clear(netdp_i_found *found);

#endif
