/*
 * What a study costs a member: mu^2 of one contribution towards each observer, known before the start.
 *
 * By the library's account `everything` with noise in pairs (docs/proofs/pairs.md, Theorem 1), and
 * what rounding adds (docs/proofs/exact-noise.md). It depends on the pair graph, the observers and
 * the noise alone: not on who fails, on the mixing, on lost frames or their order. Contributions add
 * up, and so do studies.
 */
#ifndef NETDP_I_PEER_PRICE_H
#define NETDP_I_PEER_PRICE_H

#include <netdp/privacy.h>
#include <netdp/study.h>

#include "base/try.h"
#include "peer/package.h"

/*
 * What the study protects of every member, in numbers: by how many rows each announced, never by
 * what anybody's data are.
 */
typedef struct netdp_i_unit {
    netdp_protection protection; /* its share is owned here */
    bool row;                    /* one row; else a member's whole data */
    bool rounded; /* how far values move is held by what they are sums of, not by their reach */
    double
        sensitivity; /* Delta, the most that any member's unit changes a value, or a gradient, by */
    double all;      /* rows of all members together; 0: not announced */
} netdp_i_unit;

/* NETDP_INVALID where the study depends on rows that somebody has not announced. */
netdp_status netdp_i_unit_new(const netdp_study *study, const netdp_i_package *package,
                              netdp_i_unit *unit, netdp_error *error);
void netdp_i_unit_clear(netdp_i_unit *unit);

/* Delta_u, and what the mean of the member's rows counts for: 1, or by its rows. */
double netdp_i_unit_own(const netdp_i_unit *unit, int32_t member);
double netdp_i_unit_weight(const netdp_i_unit *unit, const netdp_study *study,
                           const netdp_i_package *package, int32_t member);

/* Some observers who pool what they see, and an eavesdropper on every link. */
typedef struct netdp_i_price {
    int32_t count;
    int32_t *member; /* [count], ascending; of a coalition without the member itself */
    double square;   /* mu^2 of one contribution, from above */
} netdp_i_price;

typedef struct netdp_i_prices {
    int32_t count;
    netdp_i_price *towards; /* [count]: each other member, then each listed coalition */
    double outside;         /* towards an eavesdropper on every link, who is no member */
    double everyone;        /* towards all others together: what local noise gives */
    int64_t contributions;  /* at most so many, each attempt counted */
    int64_t cycle;          /* what is protected takes part in every cycle-th of them only */
    int64_t times;          /* in how many then, at most: epsilon is of times square */
    bool row;               /* one row is protected, and no member's whole data */
    double sensitivity;     /* what noise is in units of: of the unit's values, or gradients */
    char protects[240];     /* in words */
    /*
     * With `revealed` above 0 partners may take this member for failed, and reveal its pairs'
     * noise; what is left is its own. Towards whoever hears of that a contribution then costs
     * `everyone`. Nobody can know beforehand that it will not happen, so this is what is reserved.
     */
    bool exposed;
} netdp_i_prices;

netdp_status netdp_i_prices_new(const netdp_i_package *package, int32_t self,
                                netdp_i_prices **prices, netdp_error *error);
void netdp_i_prices_free(netdp_i_prices *prices);
OWNER(netdp_i_prices_free, netdp_i_prices)

/*
 * The proof file of prices (docs/proof-format.md): a question for each of `towards`, for all others together and for an eavesdropper, at the
 * noise in units of what the member's data move. What is claimed is no more than the prices say: rounding costs a hair beside it. Networks above
 * a size have the last two alone, and larger ones no file: *written.
 */
netdp_status netdp_i_prices_proof(const netdp_i_package *package, int32_t self,
                                  const netdp_i_prices *prices, const char *path, bool *written,
                                  netdp_error *error);

/* In how many of so many contributions, one after another, what is protected takes part at most. */
int64_t netdp_i_price_taken(int64_t contributions, int64_t cycle);

/* mu^2 of so many times, rounded up. */
double netdp_i_price_times(double square, int64_t times);

/* Epsilon at delta of a sum of squares, rounded up. */
netdp_status netdp_i_price_epsilon(double square, double delta, double *epsilon,
                                   netdp_error *error);

/* What the ledger's row `study` holds: all of it, members by their keys, on one line. NULL: no memory;
 * free() it. */
char *netdp_i_prices_text(const netdp_i_prices *prices, const netdp_i_package *package,
                          int32_t self);

#endif
