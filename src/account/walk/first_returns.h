/* One node u of a walk, as an observer set hunts it: laws of its visits between those of the set.
 */
#ifndef NETDP_I_FIRST_RETURNS_H
#define NETDP_I_FIRST_RETURNS_H

#include "account/walk/observer_set.h"

/* Sequences of at most so many terms are also worked on without FFT, in so many arrays. */
enum { NETDP_I_DIRECT = 160, NETDP_I_DIRECT_ROOMS = 7 };

/* What is found about one u, and one thread's scratch. Arrays [terms], transforms [bins]. */
typedef struct netdp_i_returns {
    const netdp_i_observer_set *watch;
    netdp_i_series_work work;
    /* of u, untilted */
    double *returns, *presence, **arrivals; /* as given */
    double *again;                          /* Phi_uu: back at u before F */
    double **exits;                         /* Phi_uf: from u to f, not over u */
    double **first;                         /* from u to f, u allowed on the way */
    double *loops;                          /* 1 / (1 - Phi_uu) */
    double **found;                         /* from f to u, F allowed on the way */
    double *start;                          /* from the start to u */
    /* tilted, of one theta */
    double *tilted, *mass, *excess, *run, *rest, *weight, *gain, *ends, *last, *last_plain;
    fftw_complex *bins_a, *bins_b, *bins_again, *bins_rest, *bins_run, *bins_loops;
    fftw_complex **bins_first, **bins_found;
    long double *direct; /* [NETDP_I_DIRECT_ROOMS][terms], NULL for long walks */
    double *back;        /* as given to prepare */
    double noise_first;  /* error of `first` */
    double noise_loops;  /* error of `loops` */
    double noise_again;  /* error of Phi_uu */
    double noise_out;    /* error of Phi_uu and all Phi_uf together */
    double noise_found;  /* error of `found` */
    double share;        /* pi_u, as given; 0 where it is not known */
    double ratio;        /* what `presence` is of it at most */
} netdp_i_returns;

netdp_status netdp_i_returns_new(const netdp_i_observer_set *watch, netdp_i_returns **hunt,
                                 netdp_error *error);
void netdp_i_returns_free(netdp_i_returns *hunt);
OWNER(netdp_i_returns_free, netdp_i_returns)

/*
 * With rooms for the laws alone, `again` to `start` and presence, which the caller fills; nothing is prepared.
 * watch needs no inverse.
 */
netdp_status netdp_i_returns_plain(const netdp_i_observer_set *watch, netdp_i_returns **hunt,
                                   netdp_error *error);

/*
 * From returns, presence and arrivals, which the caller has filled, everything up to `start`;
 * back[f] = pi_u / pi_f: (P^t)_fu = back[f] (P^t)_uf.
 */
void netdp_i_returns_prepare(netdp_i_returns *hunt, const double *back);

/*
 * Of the last piece under a release: hunt->last[r] = P(from u, r steps to the end: neither u before
 * it nor F up to it), erring upward, and hunt->last_plain = its plain law. Returns the latter's
 * noise.
 */
double netdp_i_returns_find_ends(netdp_i_returns *hunt);

/*
 * hunt->rest = e^theta Phi / (1 - e^theta Phi) of again = Phi_uu, or of a tilted one, with its
 * transform. Returns its noise.
 */
double netdp_i_returns_sum_rest(netdp_i_returns *hunt, double theta, const double *again);

/*
 * into = numerator / denominator, erring upward, denominator[0] = 1; hunt->rest and bins_a, bins_b,
 * bins_rest are scratch. `into` may be the numerator.
 */
void netdp_i_returns_divide(netdp_i_returns *hunt, double *numerator, double *denominator,
                            double *into);

/* How many visits of u in one excursion are followed one by one: more where the walk is short. */
int64_t netdp_i_returns_most_visits(int64_t terms);

#endif
