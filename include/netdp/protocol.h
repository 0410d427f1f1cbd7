/*
 * Protocols as data, and who sees what of them: gossip (netdp_linear), walks (netdp_token), sums and
 * histograms by a token (netdp_tally), and the table of those that have names.
 *
 * Ownership: a description is a struct of the caller's that borrows what it names (graph, mixing,
 * transition, factor). Threads: any may call, also with the same description.
 */
#ifndef NETDP_PROTOCOL_H
#define NETDP_PROTOCOL_H

#include <netdp/mixing.h>
#include <netdp/privacy.h>

NETDP_BEGIN

/*
 * Noise that cancels in pairs (docs/proofs/pairs.md): in every round that takes contributions each
 * edge a < b of the pair graph draws a fresh number that a and b alone know; a adds it and b
 * subtracts it. A token's rounds are its passes. The pair graph is public and drawn without the data; its edges need not be those
 * that messages travel along.
 */
typedef struct netdp_pairing {
    const netdp_graph *graph; /* borrowed, of the same nodes; NULL: no pairs */
    double kappa;             /* in [0, 1e6]: a pair's noise, in units of the first noise */
    bool weighted; /* averaging: kappa times each pair's weight in the graph, at most 1e6 */
} netdp_pairing;

/* The pair graph of a network by its name: "edges" (the network's own) or a family such as "regular
 * 10", of as many nodes, drawn with `seed`, or else the path of a graph file. Owned by the caller.
 */
NETDP_API NETDP_CHECK netdp_status netdp_pairing_graph(const char *name, const netdp_graph *network,
                                                       uint64_t seed, netdp_graph **pairs,
                                                       netdp_error *error);

/* The pairs of nodes that have not failed: those with others are revealed, and hide nothing. */
NETDP_API NETDP_CHECK netdp_status netdp_pairing_revealed(const netdp_graph *pairs,
                                                          const netdp_mixing *mixing,
                                                          const netdp_variation *variation,
                                                          netdp_graph **left, netdp_error *error);

/* Does noise cancel in pairs at all? */
NETDP_API bool netdp_pairing_is(const netdp_pairing *pairing);

/*
 * Sums and histograms by a token on the ring and on the complete graph, as data (paper E,
 * Algorithms 1, 2, 3 and 5, Remark 1).
 *
 * At step t = 0 .. steps - 1 the token is at node v_t, which adds its next contribution and, where
 * the schedule says so, fresh noise. Ring: v_t = t mod nodes, known to everyone. Complete graph:
 * every v_t is uniform over all nodes. The node that the token reaches after the last step keeps
 * it: node 0 of the ring, or one more uniform node. A node sees the token each time it arrives,
 * before its own update, and knows what it adds itself. What nodes contribute must not depend on
 * tokens that they see.
 */

/* Where the token goes, and what it gathers. */
typedef enum netdp_tally_graph { NETDP_TALLY_RING = 0, NETDP_TALLY_COMPLETE } netdp_tally_graph;
typedef enum netdp_tally_task { NETDP_TALLY_SUM = 0, NETDP_TALLY_HISTOGRAM } netdp_tally_task;

/* Which steps of a sum add noise, and how much. */
typedef enum netdp_tally_schedule {
    NETDP_TALLY_EVERY = 0, /* each step, all of it (Algorithm 3) */
    NETDP_TALLY_ONCE,      /* ring: every (nodes - 1)-th step from step 0 on (Algorithm 1) */
    NETDP_TALLY_SPREAD,    /* ring, Gaussian: each step, standard deviation 1/sqrt(nodes) of it; all
                              of it at step 0 (Remark 1) */
} netdp_tally_schedule;

/* `fill`: as many as the paper has, ceil(flip nodes) on the ring and 0 on the complete graph. */
#define NETDP_TALLY_USUAL (-1)

/* A token that sums or counts. */
typedef struct netdp_tally {
    netdp_tally_graph graph; /* ring or complete */
    netdp_tally_task task;   /* sum or histogram */
    int32_t nodes;           /* >= 2 */
    int64_t passes;          /* ring: times around, K >= 1; nodes * passes <= 1e15 */
    int64_t steps;           /* complete graph: T >= 1, <= 1e15 */
    int64_t cap; /* complete graph: a node contributes this often at most; beyond it a sum takes its
                    noise only and a histogram nothing; 0: no cap */
    bool release; /* everyone sees the token after the last step */
    bool hidden;  /* complete graph: no node knows whom the token came from or goes to. Read by
                     published bounds only; the sound ones need no secret path */

    /* sums of numbers, clipped to [low, high]; Delta = high - low */
    netdp_mechanism mechanism; /* NETDP_GAUSSIAN, NETDP_LAPLACE or NETDP_DISCRETE_GAUSSIAN;
                                  histograms: NETDP_RANDOMISED_RESPONSE */
    netdp_tally_schedule schedule;
    double noise;          /* sigma, or Laplace's scale, in units of Delta; >= 0 */
    double low, high;      /* finite, low < high */
    int32_t grid;          /* discrete Gaussian: grid steps in Delta, >= 1 */
    netdp_pairing pairing; /* ring, Gaussian: pairwise noise, fresh in every pass, in units of the
                              noise; the smaller of two nodes adds it, the other takes it away */

    /* histograms of one of `levels` values, each by randomised response */
    int32_t levels; /* L >= 2 */
    double flip;    /* gamma in (0, 1]: a contribution is uniform with this probability */
    int64_t fill;   /* uniform elements that node v_0 puts into the token before step 0, N_0 */
} netdp_tally;

/* NETDP_INVALID where the description is not one that can be run. */
NETDP_API NETDP_CHECK netdp_status netdp_tally_check(const netdp_tally *tally, netdp_error *error);

/* T, or K nodes. */
NETDP_API int64_t netdp_tally_steps(const netdp_tally *tally);

/* The most often that a node contributes: K; the cap, or every step. */
NETDP_API int64_t netdp_tally_contributions(const netdp_tally *tally);

/* N_0 with NETDP_TALLY_USUAL resolved; sums: 0. */
NETDP_API int64_t netdp_tally_fill(const netdp_tally *tally);

/*
 * Sums: variance of the noise of the steps from .. until - 1, 0 <= from <= until, in units of that
 * of one full noise, whose number it is but for spread noise.
 */
NETDP_API double netdp_tally_energy(const netdp_tally *tally, int64_t from, int64_t until);

/*
 * Random-walk protocols as data (paper A, Algorithm 1; paper E, Algorithm 4 is W = 1/n).
 *
 * A token holds a model x. At step t = 0 .. steps-1 it is at node v_t, which sends on
 *
 *     x <- project(x - step (g_v(x) + eta)),   eta ~ N(0, (sigma Delta)^2)
 *
 * to a node drawn by the transition matrix from v_t; the one that it reaches after the last step
 * keeps it. A node sees the token each time it arrives (t = 1 .. steps, and at the start), before
 * its own update, and to whom it sends it.
 */

/* Where the token starts, besides a node's number. */
#define NETDP_START_UNIFORM (-1)
#define NETDP_START_OBSERVER (-2) /* accounts only: at each observer in turn */

/*
 * Who knows where a token goes. A path that is not hidden is drawn before the run, without the
 * data, and everybody may know it: what each node learns is accounted for given that path.
 */
typedef enum netdp_path {
    NETDP_PATH_HIDDEN = 0, /* drawn on the way; a node knows when the token came, and where it sent
                              it. The account is a mean over paths */
    NETDP_PATH_PUBLIC,     /* drawn beforehand by the law */
    NETDP_PATH_RESTING,    /* the same; a node that keeps the token contributes nothing in those
                              steps, but adds noise */
    NETDP_PATH_FORWARD,    /* by the law, but never back to where it came from (unless there is no
                              other neighbour), and no node keeps it: nodes with more neighbours are
                              visited more often */
    NETDP_PATH_TOUR,       /* pass by pass over all nodes, each contributes once in a pass: to a
                              neighbour that has not had it, the one with the fewest such
                              neighbours, else the shortest way to the nearest; on a way, and where
                              it was before in the pass, nobody contributes */
} netdp_path;

/* The words of the command line and of studies; NULL for a number that is none. */
NETDP_API const char *netdp_path_name(netdp_path path);

/* A path that is public. Made by netdp_route_new, or the caller's own design. */
typedef struct netdp_route {
    netdp_path path; /* not NETDP_PATH_HIDDEN */
    uint64_t seed;   /* that it was drawn with */
    int32_t tokens;  /* as the token has them */
    int64_t steps;   /* and how many steps each makes */
    int32_t *node;   /* [tokens][steps + 1]: where each step is made, and who keeps the token */
    bool *rests;     /* [tokens][steps]: adds noise only; NULL: no step does */
} netdp_route;

/* A walk, or several. */
typedef struct netdp_token {
    const netdp_transition *law; /* borrowed */
    int64_t steps;               /* T >= 1: steps with a contribution and noise */
    int64_t burn_in;             /* moves before them, without contribution or noise */
    int32_t start;               /* a node, NETDP_START_UNIFORM or NETDP_START_OBSERVER */
    int64_t cap;                 /* a node contributes this often at most; above, it adds noise
                                    and takes the step of an objective's l2; 0: no cap */
    int32_t tokens;              /* independent walks with models of their own; 1 to 10^5 */
    bool release;                /* everyone sees the final model: a last visit for all */
    bool weighted; /* node u's gradient, not its noise, is multiplied by 1 / (n pi_u), pi the law's
                      stationary probability: unbiased for the mean where the walk prefers some
                      nodes (paper B, Algorithm 2). The law must not depend on private data, or what
                      was released about them must be paid for (netdp/privacy.h) */
    const netdp_route *route; /* borrowed; NULL: the path is hidden. Else of as many tokens and
                                 steps, along edges, without burn-in */
    /* In (0, 1): every step, also of a node that only adds noise, brings any two models nearer by
       this factor at least (strong convexity, docs/proofs/excursion.md); whoever runs the walk
       answers for it. 0, 1: no such factor. None where weighted. */
    double contraction;
} netdp_token;

/*
 * A path for a token (whose own route is not looked at), to be freed. NETDP_INVALID for a hidden
 * one, with burn-in, from NETDP_START_OBSERVER, and where gradients are weighted by a law that the
 * path does not follow. Steps below 2^32.
 */
NETDP_API NETDP_CHECK netdp_status netdp_route_new(const netdp_token *token, netdp_path path,
                                                   uint64_t seed, netdp_route **route,
                                                   netdp_error *error);
NETDP_API void netdp_route_free(netdp_route *route);

/* Where token k makes step t, 0 .. steps. */
NETDP_API int32_t netdp_route_at(const netdp_route *route, int32_t k, int64_t t);

/* Does the node of step t only add noise, the cap apart? Not on a hidden path (NULL). */
NETDP_API bool netdp_route_rests(const netdp_route *route, int32_t k, int64_t t);

/* NETDP_INVALID where the description is not one that a walk can run. */
NETDP_API NETDP_CHECK netdp_status netdp_token_check(const netdp_token *token, netdp_error *error);

/* The most often that a node can contribute to one token: the cap, or every step. */
NETDP_API int64_t netdp_token_contributions(const netdp_token *token);

/* The factor of a node's gradient, and so of its sensitivity: 1 unless weighted. */
NETDP_API double netdp_token_scale(const netdp_token *token, int32_t node);

/*
 * Protocols as data, and who sees what of them.
 *
 * Accountants, simulator and (later) peers read the same description:
 *
 *     m_t = s_t + x_t + nu_t u_t      every node sends its m_t along its edges
 *     s_{t+1} = W m_t,  s_0 = 0       u_t standard normal, in units of sigma * Delta
 *
 * with rounds t = 0 .. rounds-1; the result is s_rounds. Where W varies, W_t is that of a sequence
 * drawn before the run (netdp/mixing.h); a node without an active edge sends nothing, and adds
 * noise only in rounds in which it contributes.
 */

/*
 * Noise that is correlated over the contribution rounds (docs/proofs/quiet.md): a node's noise of the p-th of them is sum_q
 * C_pq z_q, z fresh in each, so that it varies with Q = C C' over them; that of pairs likewise. Public, and
 * drawn without the data.
 */
typedef struct netdp_quiet {
    const double *factor; /* borrowed, C, [phases][phases] row by row, lower triangular; NULL: I */
    int64_t phases;       /* contribution rounds */
} netdp_quiet;

/* Is the noise correlated at all? */
NETDP_API bool netdp_quiet_is(const netdp_quiet *quiet);

/*
 * The noise of gossip beside that of contributions, in units of it. It is handed on whole; netdp_linear_noise and
 * netdp_linear_end_noise say what a round has of it.
 */
typedef struct netdp_noise {
    double dither;         /* tau in [0, 1e100]: of rounds without a contribution; 0: every message
                              counts as seen (the command's default is 0.01) */
    double decay;          /* p in [0, 2], averaging: the dither of round t is tau / t^p */
    double end;            /* learning: on every state at the end of a phase of `every` rounds */
    netdp_pairing pairing; /* in every contribution */
} netdp_noise;

/*
 * A linear protocol. Zeros after `noise` make it averaging (paper C, Algorithm 1): every node
 * contributes its value once, in round 0, under unit noise, and every later message carries a
 * dither.
 */
typedef struct netdp_linear {
    const netdp_mixing *mixing; /* borrowed */
    int64_t rounds;             /* T >= 1 */
    netdp_noise noise;          /* beside that of contributions */
    int64_t every;   /* contributions in rounds 0, every, 2 every, ...; 0: in round 0 only */
    int64_t at_most; /* a node uses at most this many of them; 0: all */
    bool steady;     /* unit noise in every round, as for streams of data */
    bool reacts;     /* contributions depend on states that observers do not see: learning */
    bool accelerate; /* Chebyshev: m_{t+1} = g W m_t + (1-g) m_{t-1} within a phase */
    netdp_variation varying; /* how W changes; zeros: it does not */
    bool senders_only;       /* only nodes that send in a round contribute and add noise in it */
    netdp_quiet quiet;       /* learning: of the noise of contributions over their rounds */
    int64_t cycle; /* learning: what is protected takes part in every cycle-th contribution round
                      only, whichever is its first; 0, 1: in all */
    const double *own; /* borrowed, [nodes]: averaging on a network that does not change: the noise
                          of each node's contribution, in units of sigma, from 1 (docs/guarantees.md,
                          "Nodes that want more"); NULL: 1 of all */
} netdp_linear;

/* Does round t take contributions? */
NETDP_API bool netdp_linear_contributes(const netdp_linear *protocol, int64_t round);

/* How many contributions a node makes: rounds / every rounded up, at most at_most; 1 for averaging.
 * Where senders only contribute it is what a node would make that sent in every round. */
NETDP_API int64_t netdp_linear_contributions(const netdp_linear *protocol);

/*
 * nu_t, in units of sigma: 1 in contribution rounds, in others the dither, or what it has decayed
 * to. Where states are dithered at the end of a phase, the round that starts the next one carries
 * both: sqrt(1 + end^2).
 */
NETDP_API double netdp_linear_noise(const netdp_linear *protocol, int64_t round);

/* The noise on every state behind the round, in units of sigma: 0 but at the end of a phase. */
NETDP_API double netdp_linear_end_noise(const netdp_linear *protocol, int64_t round);

/* The least nu_t of all rounds but the first: 1 for steady noise, the dither or its last value. */
NETDP_API double netdp_linear_least_noise(const netdp_linear *protocol);

/* In how many of them what is protected takes part at most: all, or one of each cycle. */
NETDP_API int64_t netdp_linear_participations(const netdp_linear *protocol);

/* count[nodes]: how many contributions each node makes, with this sequence. */
NETDP_API NETDP_CHECK netdp_status netdp_linear_realised(const netdp_linear *protocol,
                                                         int64_t *count, netdp_error *error);

/*
 * The gap that netdp_rounds_auto wants: that of W, or, of one edge a round, the square of 1 -
 * lambda_2(E W_t), since nothing accelerates it. Other changing W: NETDP_INVALID.
 */
NETDP_API NETDP_CHECK netdp_status netdp_linear_gap(const netdp_linear *protocol, double *gap,
                                                    netdp_error *error);

/* The weight of accelerated gossip for a spectral gap (paper C, Algorithm 1). */
NETDP_API double netdp_linear_chebyshev(double gap);

/* NETDP_INVALID where the description is not one that gossip can run (rounds, dither, W). */
NETDP_API NETDP_CHECK netdp_status netdp_linear_check(const netdp_linear *protocol,
                                                      netdp_error *error);

/*
 * Paper C's number of rounds, ceil( gap^(-1/2) ln( (n / sigma^2) max(sigma^2, variance) ) ), at
 * least 1. sigma = 0 or a gap of 0: NETDP_INVALID.
 */
NETDP_API NETDP_CHECK netdp_status netdp_rounds_auto(double gap, int32_t nodes, double sigma,
                                                     double variance, int64_t *rounds,
                                                     netdp_error *error);

/* What an observer sees. */
typedef enum netdp_sees {
    NETDP_SEES_NEIGHBOURS = 0, /* every message of itself and of its neighbours */
    NETDP_SEES_SUM,            /* a secure sum: its own messages and the last sum it receives */
    NETDP_SEES_EVERYTHING,     /* every message of every node: local differential privacy */
} netdp_sees;

/* Does the noise that an observer drew itself hide others from it? */
typedef enum netdp_own_noise {
    NETDP_OWN_NOISE_KNOWN = 0, /* observers subtract the noise that they drew themselves */
    NETDP_OWN_NOISE_COUNTS,    /* it protects others too; always known in a coalition */
} netdp_own_noise;

/* One observer, or a coalition: the union of its members' views. */
typedef struct netdp_view {
    netdp_sees sees;           /* of every member */
    netdp_own_noise own_noise; /* of a single observer */
    int32_t count;             /* >= 1 */
    const int32_t *observers;  /* borrowed, distinct */
} netdp_view;

/* Under what a guarantee holds, in words that every result prints. */
typedef struct netdp_threat {
    const char *protects;  /* what may be another: of two inputs that nobody shall tell apart */
    const char *sees;      /* what an observer sees: a netdp_sees by name, or of tokens */
    const char *own_noise; /* a netdp_own_noise by name */
    const char *released;  /* to all at the end */
    const char *assumes;   /* what nodes are trusted with */
} netdp_threat;

/* "neighbours", "sum", "everything"; "known", "counts": the words of the command line. NULL for a
 * number that is none. */
NETDP_API const char *netdp_sees_name(netdp_sees sees);
NETDP_API const char *netdp_own_noise_name(netdp_own_noise own_noise);
NETDP_API NETDP_CHECK netdp_status netdp_sees_parse(const char *text, netdp_sees *sees,
                                                    netdp_error *error);
NETDP_API NETDP_CHECK netdp_status netdp_own_noise_parse(const char *text,
                                                         netdp_own_noise *own_noise,
                                                         netdp_error *error);

/* Settings of a named protocol; which of them one has is in its row of the table. */
typedef enum netdp_setting {
    NETDP_SETTING_DITHER = 1 << 0,
    NETDP_SETTING_EVERY = 1 << 1,
    NETDP_SETTING_AT_MOST = 1 << 2,
    NETDP_SETTING_INNER = 1 << 3,
    NETDP_SETTING_END_DITHER = 1 << 4,
    NETDP_SETTING_ACCELERATE = 1 << 5,
    NETDP_SETTING_ROUNDS_AUTO = 1 << 6,
    NETDP_SETTING_VIEW = 1 << 7, /* gossip: what observers see, whether they know their own noise */
    NETDP_SETTING_TOKEN = 1 << 8,         /* walks: start, burn-in, cap, tokens, release */
    NETDP_SETTING_VARYING = 1 << 9,       /* gossip: dropout, redraw */
    NETDP_SETTING_DITHER_DECAY = 1 << 10, /* averaging: a dither that shrinks */
    NETDP_SETTING_WEIGHTED = 1 << 11,     /* walks: gradients weighted by the law (netdp_token) */
    NETDP_SETTING_RING = 1 << 12,         /* token sums on the ring: rounds are passes */
    NETDP_SETTING_COMPLETE = 1 << 13,     /* token sums, complete graph: cap, hidden */
    NETDP_SETTING_SUM = 1 << 14,          /* token sums: mechanism, grid; on the ring schedule */
    NETDP_SETTING_HISTOGRAM = 1 << 15,    /* histograms: levels, flip, fill */
    NETDP_SETTING_PAIRS = 1 << 16,        /* noise that cancels in pairs */
    NETDP_SETTING_QUIET = 1 << 17, /* gossip: noise correlated over phases; batches in a cycle */
    NETDP_SETTING_TALLY = NETDP_SETTING_RING | NETDP_SETTING_COMPLETE,
} netdp_setting;

/* The settings of any named protocol; those that it does not have are ignored. */
typedef struct netdp_settings {
    int64_t rounds;          /* gossip rounds, steps or passes */
    netdp_noise noise;       /* gossip: what the protocol has of it */
    int64_t every, at_most;  /* streams */
    int64_t inner;           /* learning: gossip rounds of a phase */
    bool accelerate;         /* Chebyshev gossip */
    netdp_variation varying; /* the seed counts for all changing networks */
    netdp_quiet quiet;       /* learning */
    int64_t cycle;           /* learning */
    /* walks, as in netdp_token */
    int64_t burn_in, cap;
    int32_t start, tokens;
    bool release;
    double contraction;
    netdp_path path; /* what netdp_route_new is to be asked for, with */
    uint64_t path_seed;
    /* token sums, as in netdp_tally, and cap and release */
    netdp_mechanism mechanism;
    netdp_tally_schedule schedule;
    int32_t grid, levels;
    double flip;
    bool hidden;
} netdp_settings;

/* The defaults of the command line and the study file; rounds have none. */
#define NETDP_SETTINGS_USUAL                                                                       \
    {                                                                                              \
        .noise = {.dither = 0.01, .end = 0.1}, .every = 1, .inner = 1,                             \
        .start = NETDP_START_UNIFORM, .tokens = 1, .path_seed = 1, .schedule = NETDP_TALLY_ONCE,   \
        .grid = 1024, .levels = 2                                                                  \
    }

/* What a description is: a netdp_linear, a netdp_token or a netdp_tally. */
typedef enum netdp_kind { NETDP_GOSSIP = 0, NETDP_WALK, NETDP_TALLY } netdp_kind;

/* The named protocols: a table. */
typedef struct netdp_protocol {
    const char *name;    /* as studies and --protocol have it */
    netdp_kind kind;     /* which account, and which simulator */
    const char *source;  /* "paper C, Algorithm 1" */
    const char *summary; /* a line of words */
    unsigned settings;   /* of netdp_setting, or-ed */
    /* of gossip, else NULL */
    void (*describe)(const netdp_settings *settings, netdp_linear *protocol);
} netdp_protocol;

/* All of them; the last row has the name NULL. */
NETDP_API const netdp_protocol *netdp_protocols(void);

/* A protocol by name, or NETDP_INVALID with all names. */
NETDP_API NETDP_CHECK netdp_status netdp_protocol_find(const char *name,
                                                       const netdp_protocol **protocol,
                                                       netdp_error *error);

/* The description of a gossip protocol; netdp_linear_check says whether it can run. */
NETDP_API netdp_linear netdp_protocol_describe(const netdp_protocol *protocol,
                                               const netdp_mixing *mixing,
                                               const netdp_settings *settings);

/* The description of a walk; netdp_token_check says whether it can run. */
NETDP_API netdp_token netdp_protocol_describe_token(const netdp_protocol *protocol,
                                                    const netdp_transition *law,
                                                    const netdp_settings *settings);

/*
 * The description of a token aggregation of values in [0, 1], without noise; netdp_tally_check says whether it
 * can run. NETDP_INVALID unless the graph is the ring 0, 1, ..., n-1, or the complete graph.
 */
NETDP_API NETDP_CHECK netdp_status netdp_protocol_describe_tally(const netdp_protocol *protocol,
                                                                 const netdp_graph *graph,
                                                                 const netdp_settings *settings,
                                                                 netdp_tally *tally,
                                                                 netdp_error *error);

NETDP_END

#endif
