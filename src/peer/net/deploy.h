/*
 * From a study file to what peers run: the package with its noise found, and a folder for each
 * participant.
 */
#ifndef NETDP_I_PEER_DEPLOY_H
#define NETDP_I_PEER_DEPLOY_H

#include <netdp/study.h>

#include "peer/keys.h"
#include "peer/package.h"

typedef struct netdp_i_terms_asked {
    int64_t nodes;     /* 0: as many as the study's graph has */
    const char *names; /* "a,b,c", in the order of nodes; NULL: the graph's, or peer-1, ... */
    const char *rows;  /* "120,75,300": how many each announces; NULL where the study asks nobody */
    const char *data;  /* the data folder, where the graph may be; NULL: as netdp run */
    size_t coalition_count;
    const char *const *coalitions; /* "a,c": members by name */
    int64_t attempts, revealed;
    int64_t expires; /* seconds since 1970 */
} netdp_i_terms_asked;

/*
 * The package of a study with one variant, nobody having joined: the least noise at which every
 * single observer who sees *every* message learns no more than the study's epsilon (with
 * privacy.pool m: any m who pool), by the account `everything`. `text` is that of study.yaml.
 */
netdp_status netdp_i_deploy_package(const netdp_study *study, const char *text,
                                    const netdp_i_terms_asked *asked, netdp_i_package **package,
                                    netdp_error *error);

/* One participant's folder, made: package/, budget.yaml and the unit for systemd. `binary` is the
 * path of netdp. The signing key is there already, or comes with joining. */
netdp_status netdp_i_deploy_folder(const netdp_i_package *package, int32_t self, const char *folder,
                                   const char *binary, netdp_error *error);

/* mkdir; a folder that is there is fine where `again`. */
netdp_status netdp_i_deploy_mkdir(const char *folder, bool again, netdp_error *error);

#endif
