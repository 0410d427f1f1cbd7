/*
 * What each node learns about each other node.
 *
 * The unit-free loss of u towards an observer is mu^2 sigma^2: the privacy of u is that of one
 * Gaussian release with mu = sqrt(loss) / sigma, sigma the noise in units of the sensitivity
 * Delta. A loss that is sound lies between 0 and the number of contributions (1 for averaging),
 * which is local differential privacy; what is not sound may lie outside, and infinity is a value.
 *
 * Ownership: a request borrows what it names, for the call alone; losses are the caller's,
 * netdp_losses_free, and refer to nothing of the request; words are freed with free(). Threads: any
 * may call, also with the same request; only netdp_losses_settle changes what it is given.
 */
#ifndef NETDP_ACCOUNT_H
#define NETDP_ACCOUNT_H

#include <netdp/privacy.h>
#include <netdp/protocol.h>

NETDP_BEGIN

/* Which accountant; netdp_bounds() says what each is and whether it is a guarantee. */
typedef enum netdp_bound {
    NETDP_BOUND_AUTO = 0, /* the least sound one of the protocol */
    NETDP_BOUND_EXACT,    /* the Gaussian channel itself: upper and lower bound at once */
    NETDP_BOUND_UPPER,    /* streams: least of the three below and the number of contributions */
    NETDP_BOUND_ABS_SUM,  /* sum of |M_kl| */
    NETDP_BOUND_SPECTRAL, /* number of contributions times lambda_max(M), the last sum apart */
    NETDP_BOUND_DUAL,     /* tr y with diag(y) >= M */
    NETDP_BOUND_LOWER,    /* best sign pattern found, or the given one: NOT a guarantee */
    NETDP_BOUND_PHASE_RELEASE, /* learning: states released at the end of every phase (docs/proofs)
                                */
    NETDP_BOUND_LINEAR,        /* learning: as if contributions did not react: NOT an upper bound */
    NETDP_BOUND_EVERYTHING,    /* as if the observer saw every message (local DP) */
    NETDP_BOUND_PUBLISHED, /* paper C, Theorems 1 and 6, uncapped: NOT an upper bound (errata 1, 15)
                            */
    NETDP_BOUND_PUBLISHED_CODE, /* the same as paper C's figures have it: from t = 1, at most 1 */
    /* random walks (netdp/walk.h) */
    NETDP_BOUND_EXCURSION,        /* the whole walk, excursion by excursion (docs/proofs) */
    NETDP_BOUND_EXCURSION_LINEAR, /* the same for identity maps: sums, running means with 1/t steps;
                                     not for constant steps */
    NETDP_BOUND_LOCAL,            /* as if every contribution were seen at once */
    NETDP_BOUND_FIRST_PASSAGE,    /* one contribution, times their number: sound for one only */
    NETDP_BOUND_WALK_PUBLISHED,   /* paper A, Lemma 2: NOT an upper bound (errata 11) */
    NETDP_BOUND_PUBLISHED_LOG,    /* paper A, Theorem 3: NOT an upper bound (errata 3, 11) */
    NETDP_BOUND_WALK_CODE,        /* the same at any sigma and order: NOT an upper bound */
    NETDP_BOUND_PUBLISHED_KNOWN,  /* paper A, Appendix B.1: NOT an upper bound (errata 11, 12) */
    NETDP_BOUND_SHUFFLED,         /* histograms on the ring: amplification by shuffling */
    NETDP_BOUND_LEAST,            /* walks: of each pair the least of those that hold */
    NETDP_BOUND_EXCURSION_MIXTURE, /* walks, at a delta: a mean of Gaussian guarantees over paths */
    NETDP_BOUND_GIVEN_PATH,        /* walks whose path is public: given that path */
    NETDP_BOUND_EXCURSION_CONTRACTING, /* walks whose steps contract (netdp_token): less hides more */
    NETDP_BOUND_STREAM_PUBLISHED, /* streams: paper D, (3.2), without the last sum: NOT an upper bound */
} netdp_bound;

/* A row of the table of bounds. */
typedef struct netdp_bound_info {
    netdp_bound bound;  /* which */
    const char *name;   /* as on the command line; NULL ends the table */
    const char *source; /* a paper, a proof in docs, or a method */
    bool sound;         /* an upper bound under the stated threat model */
    bool sound_of_sums; /* not so, but one where a token adds up and does nothing else */
    bool sound_once;    /* not so, but one where a node contributes once at most */
    bool averaging, stream, learn, walk, tally; /* where it applies */
    const char *summary;                        /* what it says, in one line */
} netdp_bound_info;

/* The table of bounds; ends with a NULL name. */
NETDP_API const netdp_bound_info *netdp_bounds(void);

/* A bound by name, "auto" included; whether it applies is netdp_bound_choose's to say. */
NETDP_API NETDP_CHECK netdp_status netdp_bound_parse(const char *name, netdp_bound *bound,
                                                     netdp_error *error);

/* AUTO becomes the protocol's default; another bound must apply to the protocol (NETDP_INVALID). */
NETDP_API NETDP_CHECK netdp_status netdp_bound_choose(const netdp_linear *protocol,
                                                      netdp_bound bound,
                                                      const netdp_bound_info **chosen,
                                                      netdp_error *error);

/* Which form of a published formula. */
typedef enum netdp_form {
    NETDP_FORM_PRINTED,   /* as the paper has it */
    NETDP_FORM_CORRECTED, /* what its own proof gives when it is done right */
} netdp_form;

/* What a proof of a gossip loss may take. What is not proven is closed: every message counts as seen, and the answer says why. */
typedef enum netdp_certify {
    NETDP_CERTIFY_AUTO = 0, /* some minutes, all observers together */
    NETDP_CERTIFY_YES,      /* whatever it takes */
    NETDP_CERTIFY_NO,       /* until 0.1 "nowhere"; for one release the same as AUTO, then gone */
} netdp_certify;

/* "auto", "yes", and for one release "no", which is AUTO: the words of the command line. */
NETDP_API NETDP_CHECK netdp_status netdp_certify_parse(const char *text, netdp_certify *certify,
                                                       netdp_error *error);

/* Which pairs, under which threat model, by which bound. */
typedef struct netdp_loss_request {
    const netdp_linear *protocol; /* borrowed */
    netdp_sees sees;              /* what observers see */
    netdp_own_noise own_noise;    /* what they know of their own noise */
    netdp_bound bound;            /* NETDP_BOUND_AUTO: the least sound one */
    const double *pattern; /* NULL: the worst; else one number in [-1, 1] for each contribution
                              round: exactly its value (bounds lower and linear only) */
    int32_t from_count;    /* 0: all nodes */
    const int32_t *from;   /* borrowed, [from_count], distinct: who is learned about */
    int32_t to_count;      /* 0: all nodes, each an observer of its own */
    const int32_t *to;     /* borrowed, [to_count], distinct: who learns */
    bool coalition;        /* the nodes of `to` collude: one observer */
    int32_t pool; /* 0: each alone. Above 1: what each learns together with any pool - 1 others
                     that collude, the largest of all such coalitions (netdp_losses_new only) */
    netdp_certify certify;       /* of gossip: what a proof may take (docs/guarantees.md) */
    netdp_protection protection; /* zeros: a node's whole data, in every contribution */
} netdp_loss_request;

/* The privacy measure in which a loss is printed. */
typedef enum netdp_currency {
    NETDP_AS_LOSS = 0, /* mu^2 sigma^2 */
    NETDP_AS_GDP,      /* mu */
    NETDP_AS_RDP,      /* Renyi epsilon at order `parameter` */
    NETDP_AS_DP,       /* epsilon at delta = `parameter` */
} netdp_currency;

/* A privacy measure with its parameter. */
typedef struct netdp_unit {
    netdp_currency currency; /* which */
    double parameter;        /* alpha > 1 of NETDP_AS_RDP, delta in (0, 1) of NETDP_AS_DP */
} netdp_unit;

/* How many pairs have their loss from a bound, where each takes the least of several. */
typedef struct netdp_given {
    const netdp_bound_info *bound; /* one of them */
    int64_t pairs;                 /* those that have their loss from it */
} netdp_given;

/*
 * Losses of from_count nodes towards to_count observers (a coalition is one), loss[to][from]: the
 * place is (size_t)to_index * from_count + from_index, which an int does not hold from 46,341 nodes on.
 * A node towards an observer set that it belongs to has the value INFINITY and counts nowhere.
 */
typedef struct netdp_losses {
    int32_t from_count, to_count;  /* as in the request, all nodes counted */
    int32_t *from;                 /* [from_count] */
    int32_t *to;                   /* [to_count]; for a coalition [members] and to_count 1 */
    int32_t members;               /* observers in one view: 1, or the coalition's size */
    double *loss;                  /* [to_count][from_count] */
    const netdp_bound_info *bound; /* the one that was computed */
    bool sound;                    /* is it an upper bound? */
    bool certified;                /* proven with outward rounding; false: floating point alone */
    const char *reason;   /* why not sound, not certified, or a closed bound; NULL: none of it. May
                             be there though the losses are sound and certified */
    int32_t given_count;  /* NETDP_BOUND_LEAST: how many of `given`; else 0 */
    netdp_given given[3]; /* the bounds that were asked, and who was least how often */
    double local;         /* what local differential privacy would give: the contributions */
    bool final;          /* walks: `loss` and `local` are values of `unit` at `noise`, not losses */
    netdp_unit unit;     /* of `final` values */
    double noise;        /* of `final` values: sigma */
    double rate;         /* Poisson batches: `loss` and `local` are of one phase in which the row
                            takes part, which it does with this probability; else 0 */
    int64_t phases;      /* of Poisson batches; else 0 */
    netdp_threat threat; /* under which the losses are what they are */
} netdp_losses;

/* A guarantee: a number, how far it can be believed, and under what assumptions. */
typedef struct netdp_guarantee {
    double value;              /* in `unit` */
    netdp_unit unit;           /* the privacy measure */
    netdp_direction direction; /* an upper bound, or a lower one, which guarantees nothing */
    const char *bound;         /* by name */
    bool sound;                /* does the bound hold? */
    bool certified;            /* proven with outward rounding too */
    bool estimate;             /* of some pairs, for all: not sound, though each pair's own is */
    const char *why;           /* not sound, not certified, or a closed bound; NULL: none of it */
    netdp_threat threat;       /* what is protected, from whom, and what is assumed */
} netdp_guarantee;

/* How an account is made. */
typedef enum netdp_method {
    /* through the filter: in the observer's own Krylov space, in all eigenvectors of W, backwards on
       the nodes that it does not see, source by source by conjugate gradients */
    NETDP_METHOD_REDUCED = 0,
    NETDP_METHOD_DENSE,
    NETDP_METHOD_BACKWARD,
    NETDP_METHOD_CONJUGATE,
    /* those that have no choice */
    NETDP_METHOD_COLUMNS, /* products of W with blocks of columns */
    NETDP_METHOD_CLOSED,  /* a closed form */
    NETDP_METHOD_ROUNDS,  /* round by round, on all nodes */
    NETDP_METHOD_PHASES,  /* phase by phase, in all eigenvectors of W */
} netdp_method;

/* In words, of the first four in one; NULL for a number that is none. */
NETDP_API const char *netdp_method_name(netdp_method method);

/* A way to an account, and its price for one observer. */
typedef struct netdp_way {
    netdp_method method; /* one of the first four */
    double modes;        /* coordinates in place of nodes, at most: symmetric graphs need fewer */
    double work;         /* multiplications, estimated; INFINITY: not for so many nodes */
    double bytes;        /* of memory at once, estimated from above */
    double seconds;      /* of one core, an observer: where measured, to a factor of two */
} netdp_way;

/* How an account would be made. */
typedef struct netdp_plan {
    netdp_method method;  /* of the way that is taken, or of an account that has no choice */
    int64_t observers;    /* independent of each other */
    int64_t seen, rounds; /* of the widest view: nodes seen, and how often */
    bool steady;          /* a long stream: from where the gain is steady on, by one response */
    int32_t ways;         /* 0: there is no choice */
    netdp_way way[4];     /* [ways] */
    double seconds;       /* of one core as it is now, of all observers: to a factor of two or so */
    double bytes;         /* of memory at once, of all observers, beside graph and W */
} netdp_plan;

/* Nothing is computed but the view; NETDP_INVALID as of netdp_losses_new. */
NETDP_API NETDP_CHECK netdp_status netdp_losses_plan(const netdp_loss_request *request,
                                                     netdp_plan *plan, netdp_error *error);

/*
 * Every pair of the request; NETDP_INVALID where the bound does not apply or a node is no node. On
 * success *losses is new: netdp_losses_free.
 */
NETDP_API NETDP_CHECK netdp_status netdp_losses_new(const netdp_loss_request *request,
                                                    const netdp_progress *progress,
                                                    netdp_losses **losses, netdp_error *error);
/* NULL is fine. */
NETDP_API void netdp_losses_free(netdp_losses *losses);

/*
 * The row of one observer: loss[from_count], of the nodes losses->from towards observer `to_index`.
 * `losses` says who and by which bound; its own `loss` is NULL. Both are there for this call only.
 * Anything but NETDP_OK stops the account.
 */
typedef netdp_status (*netdp_losses_row)(void *context, const netdp_losses *losses,
                                         int32_t to_index, const double *loss, netdp_error *error);

/*
 * The numbers of netdp_losses_new without keeping them: `row` is called once for each observer, in
 * the order of losses->to, by the calling thread. Rows wait in batches of 16 MiB (or 4 for each
 * thread); docs/guarantees.md says what else an account keeps. Returns what `row` returned where
 * that is not NETDP_OK.
 */
NETDP_API NETDP_CHECK netdp_status netdp_losses_each(const netdp_loss_request *request,
                                                     netdp_losses_row row, void *context,
                                                     const netdp_progress *progress,
                                                     netdp_error *error);

/* What the losses guarantee of a value of theirs: of a pair, of the worst or of the mean. */
NETDP_API void netdp_losses_guarantee(const netdp_losses *losses, double value, netdp_unit unit,
                                      netdp_guarantee *guarantee);

/* Is the pair a statement about two parties, that is, u outside the observer set? */
NETDP_API bool netdp_losses_counts(const netdp_losses *losses, int32_t from_index,
                                   int32_t to_index);

/* "loss", "gdp", "rdp:ALPHA", "dp:DELTA" with alpha > 1 and 0 < delta < 1. */
NETDP_API NETDP_CHECK netdp_status netdp_unit_parse(const char *text, netdp_unit *unit,
                                                    netdp_error *error);

/* The unit as netdp_unit_parse reads it, in the fewest digits: "dp:1e-6". */
enum { NETDP_UNIT_ROOM = 40 };
NETDP_API void netdp_unit_text(netdp_unit unit, char text[NETDP_UNIT_ROOM]);

/* A loss >= 0 in a unit, rounded up: what prints it rounds up too, and printf does not. sigma >= 0;
 * loss > 0 and sigma = 0 give infinity. */
NETDP_API NETDP_CHECK netdp_status netdp_loss_value(double loss, double sigma, netdp_unit unit,
                                                    double *value, netdp_error *error);

/*
 * One of the losses in a unit, rounded up: netdp_loss_value, but of Poisson batches the epsilon of
 * all phases together, each a Gaussian release to which the row belongs with the rate (netdp/privacy.h;
 * NETDP_AS_DP only: others are NETDP_INVALID).
 */
NETDP_API NETDP_CHECK netdp_status netdp_losses_value(const netdp_losses *losses, double loss,
                                                      double sigma, netdp_unit unit, double *value,
                                                      netdp_error *error);

/*
 * Losses of Poisson batches become final values of the unit at sigma; others stay as they are. Pairs
 * of nearly equal losses share the value of the largest: at most 1 % too much noise is assumed.
 */
NETDP_API NETDP_CHECK netdp_status netdp_losses_settle(netdp_losses *losses, double sigma,
                                                       netdp_unit unit, netdp_error *error);

/* The losses of all pairs in one privacy measure. */
typedef struct netdp_summary {
    int64_t pairs;                /* that count */
    double mean;                  /* of the printed unit, every pair alike */
    double max;                   /* of the worst pair */
    int32_t worst_from, worst_to; /* node numbers, ties to the smallest (from, to) */
    double local;                 /* under local differential privacy */
} netdp_summary;

/* Of walks: sigma and unit must be those that they were computed for. */
NETDP_API NETDP_CHECK netdp_status netdp_losses_summary(const netdp_losses *losses, double sigma,
                                                        netdp_unit unit, netdp_summary *summary,
                                                        netdp_error *error);

/* Every pair in a unit, rounded up: value[to_count][from_count], INFINITY where no pair counts; and
 * their summary, which may be NULL. Of walks: as netdp_losses_summary. */
NETDP_API NETDP_CHECK netdp_status netdp_losses_values(const netdp_losses *losses, double sigma,
                                                       netdp_unit unit,
                                                       const netdp_progress *progress,
                                                       double *value, netdp_summary *summary,
                                                       netdp_error *error);

/*
 * Expected half mean squared error of the nodes' results that the noise causes, for sigma * Delta
 * = 1 and one coordinate, exact: (tr W^{2T} + tau^2 sum_{k=1}^{T-1} tr W^{2k}) / (2n), or the like
 * with acceleration; kappa^2 tr(W^T L W^T) / (2n) more where noise cancels in pairs. Of phases of
 * learning: what all of them together leave in the models, at unit steps and as if no gradient
 * answered it; with the covariance over phases where noise is correlated. More than 4,000 nodes: averaging
 * without pairs, where products of W take a minute at most; else NETDP_NO_ANSWER.
 */
NETDP_API NETDP_CHECK netdp_status netdp_noise_error(const netdp_linear *protocol, double *error_of,
                                                     netdp_error *error);

/* Which pair's loss is to be proven in a file, and what is claimed beside it. */
typedef struct netdp_proof_request {
    const netdp_loss_request *losses; /* gossip by exact, phase-release, everything; or a stream */
    int32_t from, to;                 /* the pair; of a coalition `to` is not read */
    double noise;    /* sigma > 0, of the claim in `unit`; 0: no claim beside the loss */
    netdp_unit unit; /* NETDP_AS_LOSS: no other claim */
    const struct netdp_walk_request *walk; /* NULL: gossip. Else of a token on a public path
                                              (netdp/walk.h); `losses`, its noise and unit are not read */
} netdp_proof_request;

/*
 * Writes a proof file of one pair (docs/proof-format.md): a displacement of every message, from which netdp-verify, or any
 * program that can add and multiply, sees that the loss is at most the one claimed. The file is whole or absent, and
 * replaces one that is there; "-": standard output. Nodes are numbers, not labels; from and to of `losses` are not read,
 * and its `pool` must be 0. loss (may be NULL): the claimed one, which may differ from the account's by rounding. NETDP_INVALID: correlated noise, streams of more than 1,000 contributions, walks on hidden paths or of several
 * tokens, and what else has no proof files yet; a node that observes itself. Of a walk memory and time are those of its path; else memory and time are those of the backward recursion: rounds times nodes^2 doubles; of a stream rounds times nodes times
 * contributions too.
 */
NETDP_API NETDP_CHECK netdp_status netdp_losses_proof(const netdp_proof_request *request,
                                                      const char *path, double *loss,
                                                      netdp_error *error);

/* Who observes: a node, or some that collude. */
typedef struct netdp_observers {
    int32_t count;         /* 1 or more */
    const int32_t *member; /* borrowed, [count], distinct */
    bool own_counts;       /* of one node: it does not use its own noise, as one who is no node */
} netdp_observers;

/*
 * One proof file with a question for each of `count` observers, what they learn about request->from where they see every message: `losses`
 * but for its view, bound and observers. The file is whole or absent; errors as above.
 */
NETDP_API NETDP_CHECK netdp_status netdp_everything_proof(const netdp_proof_request *request,
                                                          int32_t count,
                                                          const netdp_observers *observers,
                                                          const char *path, netdp_error *error);

/* Its size at most, about, before it is written. */
NETDP_API NETDP_CHECK netdp_status netdp_losses_proof_bytes(const netdp_proof_request *request,
                                                            double *bytes, netdp_error *error);

/* Whose epsilon must meet the target. */
typedef enum netdp_over {
    NETDP_OVER_WORST = 0,
    NETDP_OVER_MEAN,
} netdp_over;

/* What a calibration must reach, and how it may. */
typedef struct netdp_target {
    double epsilon;   /* to be reached, above 0 */
    netdp_unit unit;  /* NETDP_AS_RDP or NETDP_AS_DP */
    netdp_over over;  /* by the worst pair or in the mean */
    double max_noise; /* largest sigma to try; 1e6 is usual */
    bool rounds_auto; /* request->protocol->rounds is chosen from sigma by netdp_rounds_auto */
    double variance;  /* for rounds_auto */
    /* Choose the dither too for the least netdp_noise_error, and beside it the decay of averaging
     * or the end dither of learning, unless that is to stay what the request has. n <= 4,000. */
    bool tune_dither, keep_second;
    /* Choose kappa of averaging's pairwise noise, the dither, and with rounds_auto the rounds for
     * the least predicted error: netdp_noise_error, and what values of `variance` have not mixed. */
    bool tune_pairs;
    /* By a bound that is none too, asked for by name: the noise is then no guarantee of the target,
     * and the losses say so. Else such a bound is refused. */
    bool even_unsound;
} netdp_target;

/* What it found. */
typedef struct netdp_calibration {
    double sigma;           /* in units of Delta */
    netdp_noise noise;      /* beside it: the protocol's, or what was chosen of it */
    int64_t rounds;         /* the protocol's, or the number that was chosen */
    netdp_summary achieved; /* in the target's unit, at `sigma` */
} netdp_calibration;

/*
 * The least noise, on the safe side, whose guarantee meets the target: re-accounting it lands in
 * [0.999, 1] of the target unless rounds_auto jumps there. NETDP_NO_ANSWER where max_noise is not
 * enough. `losses` (may be NULL) receives the account at the returned noise, dither and rounds.
 */
NETDP_API NETDP_CHECK netdp_status netdp_calibrate(const netdp_loss_request *request,
                                                   const netdp_target *target,
                                                   const netdp_progress *progress,
                                                   netdp_calibration *calibration,
                                                   netdp_losses **losses, netdp_error *error);

/*
 * Changing networks before they are drawn: what holds of the draw together with the run, towards
 * those who could not choose the draw but see it.
 */

/* A bound over all networks that could be drawn. */
typedef struct netdp_drawn_request {
    const netdp_loss_request *losses; /* of a changing network, by a sound bound, no pattern */
    int64_t draws;                    /* N >= 1 independent networks, from the variation's seed */
    double noise;                     /* sigma >= 0 */
    netdp_unit unit;                  /* NETDP_AS_RDP or NETDP_AS_DP */
    double failure; /* in (0, 1): the probability, over the N draws, that any pair's value is too
                       small */
} netdp_drawn_request;

/* The usual `failure`. */
#define NETDP_DRAWN_FAILURE 1e-6

/*
 * The network is drawn independently of the data and seen: a pair's guarantee is that of the
 * mixture over draws. Renyi: (1/(a-1)) ln E e^{(a-1) eps}; (epsilon, delta): the epsilon with
 * E delta(epsilon) <= delta (Hockey-stick divergences of a public draw average). E is not known;
 * what comes is an upper confidence bound on it from N draws (Chernoff's, for a mean of numbers
 * between nothing and local differential privacy), for all pairs together, never an estimate.
 * The losses are `final`: values of the unit at the noise, at most `local`.
 */
NETDP_API NETDP_CHECK netdp_status netdp_losses_drawn(const netdp_drawn_request *request,
                                                      const netdp_progress *progress,
                                                      netdp_losses **losses, netdp_error *error);

/*
 * The largest q in [0, 1] with count * KL(mean || q) <= ln(1 / failure), rounded up: independent
 * numbers in [0, 1] of this mean over `count` have an expectation above it with probability at most
 * `failure`. mean in [0, 1], count >= 1.
 */
NETDP_API double netdp_mean_at_most(double mean, int64_t count, double failure);

/*
 * A guarantee in words to another privacy measure, where that is sound: the conversions of
 * netdp/privacy.h, each by what it is called on the command line (netdp convert --help).
 */

/* How; zeros: as usual. */
typedef struct netdp_manner {
    bool published; /* Renyi to (epsilon, delta), and Gamma, in the papers' looser form */
    bool lower;     /* of events: a bound from below, which is no guarantee */
    const char *by; /* of shuffling: "least", "local", "erlingsson", ...; NULL: the least */
} netdp_manner;

/* What it is worth. */
typedef struct netdp_converted {
    double value;               /* rounded outward */
    const char *quantity;       /* "epsilon", "mu", "sigma" or "theta" */
    char unit[NETDP_UNIT_ROOM]; /* "dp:1e-6"; empty for sigma and theta */
    bool lower;                 /* a lower bound: no guarantee */
    bool certified;             /* in ball arithmetic from end to end */
    const char *covers;         /* what it is about where that is less than all; NULL: all */
    double low, high;           /* of theta: the range of what it hides */
} netdp_converted;

/*
 * `from`: "gdp:MU", "rdp:ALPHA=EPSILON,...", "rdp-linear:C", "dp:EPSILON,DELTA", "events:FILE", an
 * event such as "laplace:2 x10", "gamma:THETA,LOW,HIGH", "rr:FLIP,LEVELS,CROWD". `to`: "dp:DELTA",
 * "rdp:ALPHA", "gdp", "sigma", "gamma:LOW,HIGH". `manner` may be NULL. What does not follow is
 * NETDP_INVALID, with the reason.
 */
NETDP_API NETDP_CHECK netdp_status netdp_convert(const char *from, const char *to,
                                                 const netdp_manner *manner,
                                                 netdp_converted *converted, netdp_error *error);

/*
 * What a guarantee assumes, in the words that the command prints beside every one: a number without
 * them says nothing. Each text is new, lines that each end with a newline, and the caller's to
 * free().
 */

/*
 * Of gossip: the protocol, called `name`, at noise sigma; who sees what; adjacency and release;
 * what pairwise noise assumes; how the network changes. `over_draws`: of netdp_losses_drawn.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gossip_words(const netdp_loss_request *request,
                                                      const char *name, double noise,
                                                      bool over_draws, char **text,
                                                      netdp_error *error);

/* Whether the losses are a guarantee, by which bound, whether certified, and if not, why. */
NETDP_API NETDP_CHECK netdp_status netdp_losses_words(const netdp_losses *losses, char **text,
                                                      netdp_error *error);

NETDP_END

#endif
