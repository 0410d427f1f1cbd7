/*
 * How much an owner lets go, over all studies that its data are used in: budget.yaml. A study that
 * would go over it is refused before anything is reserved for it.
 *
 *   delta: 1e-6        # at which epsilon is meant
 *   protects: node     # all of the owner's data; row: each of its rows, and no more
 *   peer: 1            # towards each other participant alone, and an eavesdropper on every link
 *   coalition: 2       # towards each coalition that a study lists
 *   total: 8           # towards all others together: local noise; none: not limited
 *   peers:             # less for some
 *     - {name: west, epsilon: 0.5}
 *
 * delta must be there. Without total it is what the study that is asked about costs, once: together with studies
 * before it, it is refused. The others may be left out, and limit nothing then. A name of `peers` stands for every key that it has in this study or
 * in one of the ledger's, whatever a study calls that key.
 */
#ifndef NETDP_I_PEER_BUDGET_H
#define NETDP_I_PEER_BUDGET_H

#include "peer/ledger.h"
#include "peer/price.h"

typedef struct netdp_i_allowance {
    char *name;
    double epsilon;
} netdp_i_allowance;

typedef struct netdp_i_budget {
    char *path;
    double delta;
    bool row;                      /* what is limited is what is learnt of a row */
    double peer, coalition, total; /* epsilon; infinite where not limited */
    bool whole;                    /* it says `total`; else that is the study's own price */
    int32_t count;
    netdp_i_allowance *peers; /* [count] */
} netdp_i_budget;

/* NETDP_INVALID with file and line. */
netdp_status netdp_i_budget_read(const char *path, netdp_i_budget *budget, netdp_error *error);
void netdp_i_budget_clear(netdp_i_budget *budget);

/* Who is no set of members. */
#define NETDP_I_EAVESDROPPER "an eavesdropper on every link"
#define NETDP_I_ALL_OTHERS "all others together"

enum { NETDP_I_NAMES_ROOM = 160 };

/* "north, west and south": the i-th of `count` names behind those before it, cut where there is no room; NULL: "?". */
void netdp_i_names_append(char text[NETDP_I_NAMES_ROOM], int32_t i, int32_t count,
                          const char *name);

/* Whom something was spent towards, over all studies; by keys, in hexadecimal. */
typedef struct netdp_i_spent {
    int32_t count;  /* how many keys; 0: an eavesdropper who is no member, or everyone */
    char *keys;     /* [64 count] hexadecimal, ascending */
    bool everyone;  /* all others of each study together */
    char *who;      /* by the names of the last study that has them */
    double planned; /* sum of mu^2: what is reserved, and of studies under way all that they may */
    double spent;   /* of it, what is reserved */
    double before;  /* of `planned`, without the study that was asked about */
    double others;  /* of `spent`, without that study, */
    double square;  /* and what one contribution of that study adds */
} netdp_i_spent;

/* What a study calls one of its other members. */
typedef struct netdp_i_called {
    char *name;
    char key[NETDP_I_DIGEST_TEXT]; /* hexadecimal */
} netdp_i_called;

typedef struct netdp_i_account {
    bool row; /* a study protects rows only, and so do the sums */
    int64_t contributions,
        cycle; /* of the study that was asked about: at most so many, every cycle-th counts */
    int32_t count;
    netdp_i_spent *towards;
    int32_t names;
    netdp_i_called
        *called; /* [names], each once: a key may have several names, a name several keys */
} netdp_i_account;

/*
 * All that the ledger has, and one more study where `text` is not NULL (netdp_i_prices_text; one that
 * the ledger has already is not counted twice). Observers pool over studies: towards a set that one
 * study does not list, the least listed set counts that holds its members there. `ledger` NULL: none yet.
 */
netdp_status netdp_i_account_new(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                 const char *text, netdp_i_account *account, netdp_error *error);
void netdp_i_account_clear(netdp_i_account *account);

/* The least that the owner allows towards these; infinite: any. */
double netdp_i_budget_limit(const netdp_i_budget *budget, const netdp_i_account *account,
                            const netdp_i_spent *spent);

/*
 * Epsilon at delta of what is spent when so many contributions of the study that was asked about are
 * reserved; infinite where it is not known.
 */
double netdp_i_account_epsilon(const netdp_i_account *account, const netdp_i_spent *spent,
                               int64_t reserved, double delta);

/* Would the study be refused? Nothing is written. `ledger` NULL: none yet. */
netdp_status netdp_i_budget_check(const netdp_i_budget *budget, netdp_i_ledger *ledger,
                                  const netdp_i_package *package, int32_t self, netdp_error *error);

/*
 * Before a study starts: prices it for `self`, refuses it where it would go over the budget (one
 * line: towards whom, by how much), and else enrols it in the ledger. `account`, if not NULL, is the
 * caller's then: netdp_i_account_clear.
 */
netdp_status netdp_i_budget_admit(const netdp_i_budget *budget, netdp_i_ledger *ledger,
                                  const netdp_i_package *package, int32_t self,
                                  netdp_i_account *account, netdp_error *error);

#endif
