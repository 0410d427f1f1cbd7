/*
 * The study package: what all peers have agreed on before they start.
 *
 * A folder of two files, `study.yaml` (the study, as any other) and `roster.json` (who takes part,
 * with which key, who talks to whom, who shares noise, and the terms: how much noise, for how long,
 * towards whom it is accounted for). It is named by its digest, BLAKE2b-256 over a canonical form
 * of both. Where peers listen is not in it: an address may change, the study does not.
 */
#ifndef NETDP_I_PEER_PACKAGE_H
#define NETDP_I_PEER_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>
#include <netdp/protocol.h>
#include <netdp/graph.h>
#include <netdp/status.h>

#include "base/try.h"

enum {
    NETDP_I_DIGEST = 32,      /* bytes of a digest, and of a public key */
    NETDP_I_DIGEST_TEXT = 65, /* of it in hexadecimal, with a NUL */
    NETDP_I_MEMBER_NAME = 64, /* with a NUL */
    NETDP_I_MOST_MEMBERS = 4096,
    NETDP_I_MOST_WIDTH = 1 << 20, /* numbers of a message */
    NETDP_I_MOST_ROWS = 1 << 24,  /* of a member whose rows are announced */
};

/* Somebody who takes part; its number is its place in the roster, and its node in the graphs. */
typedef struct netdp_i_member {
    char name[NETDP_I_MEMBER_NAME]; /* letters, digits, '-' and '_': it names folders and units */
    unsigned char key[NETDP_I_DIGEST]; /* Ed25519, public */
    bool joined;                       /* false: invited, and no key yet */
    int64_t rows; /* how many it announced, where the study depends on that; else 0 */
} netdp_i_member;

/* Several members who may pool what they see. */
typedef struct netdp_i_coalition {
    int32_t count;
    int32_t *member; /* [count], ascending */
} netdp_i_coalition;

/* What the noise is, resolved: nothing is left to be found at run time. */
typedef struct netdp_i_terms {
    double sigma;          /* in units of the sensitivity */
    netdp_noise noise;     /* beside it; kappa a multiple of 2^-16, of the pairs of the package */
    int64_t rounds;        /* of gossip, of all phases together */
    int64_t contributions; /* how often a member contributes: 1, or the phases of learning */
    int64_t attempts;      /* how often one of them may be tried, each time at its full price */
    int64_t revealed;      /* how many failed partners' pair noises may be revealed */
    int64_t width;         /* numbers of a message */
    double delta;          /* at which epsilon is told */
    int64_t expires;       /* seconds since 1970; no peer starts or goes on after it */
} netdp_i_terms;

typedef struct netdp_i_package {
    char *title;
    char *study; /* the text of study.yaml */
    int32_t members;
    netdp_i_member *member;
    int32_t edges;
    int32_t (*edge)[2]; /* links, a < b, ascending */
    int32_t pairs;
    int32_t (*pair)[2]; /* who share noise, the same */
    int32_t coalitions;
    netdp_i_coalition *coalition;
    netdp_i_terms terms;
} netdp_i_package;

/*
 * Reads and checks both files. NETDP_INVALID, in one line, where there is an unknown, missing or
 * repeated key, a number out of range, a node or key twice, a graph in pieces, or a file that is
 * too large.
 */
netdp_status netdp_i_package_read(const char *folder, netdp_i_package **package,
                                  netdp_error *error);
netdp_status netdp_i_package_write(const netdp_i_package *package, const char *folder,
                                   netdp_error *error);
void netdp_i_package_free(netdp_i_package *package);
OWNER(netdp_i_package_free, netdp_i_package)

/* The roster as roster.json has it, and back; `where` is its name in errors. */
json_t *netdp_i_package_roster(const netdp_i_package *package);
netdp_status netdp_i_package_of(const json_t *roster, const char *study, const char *where,
                                netdp_i_package **package, netdp_error *error);

/* Its name: equal packages have equal digests, however their JSON is laid out. */
netdp_status netdp_i_package_digest(const netdp_i_package *package,
                                    unsigned char digest[NETDP_I_DIGEST], netdp_error *error);

/*
 * May a peer start? Everybody has joined, the digest is the one that is expected (hexadecimal;
 * NULL: any), and it has not expired at `now`, seconds since 1970.
 */
netdp_status netdp_i_package_admit(const netdp_i_package *package, const char *expected,
                                   int64_t now, netdp_error *error);

/* The member of that name, or of that key; -1: nobody. */
int32_t netdp_i_package_find(const netdp_i_package *package, const char *name);
int32_t netdp_i_package_find_key(const netdp_i_package *package,
                                 const unsigned char key[NETDP_I_DIGEST]);

/* May a member have this name? */
bool netdp_i_member_named(const char *name);

/* The links, and who share noise (NULL: nobody does), as graphs of the members. */
netdp_status netdp_i_package_graphs(const netdp_i_package *package, netdp_graph **links,
                                    netdp_graph **pairs, netdp_error *error);

void netdp_i_hex(const unsigned char digest[NETDP_I_DIGEST], char text[NETDP_I_DIGEST_TEXT]);
/* Exactly 64 digits of it. */
bool netdp_i_unhex(const char *text, unsigned char digest[NETDP_I_DIGEST]);

#endif
