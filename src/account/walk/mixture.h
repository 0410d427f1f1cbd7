/*
 * The law of what the path of a walk costs (docs/proofs/excursion.md): contributions so far are
 * carried along the renewal, so that only the first of them up to the cap cost anything.
 */
#ifndef NETDP_I_MIXTURE_H
#define NETDP_I_MIXTURE_H

#include "account/walk/cost_law.h"
#include "account/walk/first_returns.h"

/* Grids and plans of walks of one length; shared by all threads. */
typedef struct netdp_i_mixture netdp_i_mixture;

netdp_status netdp_i_mixture_new(int64_t steps, bool release, netdp_i_mixture **mixture,
                                 netdp_error *error);
void netdp_i_mixture_free(netdp_i_mixture *mixture);

typedef struct netdp_i_mixture_asked {
    int64_t cap; /* contributions that count; 0: all */
    int32_t tokens;
    double delta; /* that the law is asked at: it may lose a small part of it */
    double bend;  /* in steps of the grid of costs: 0.1, or infinity */
} netdp_i_mixture_asked;

/*
 * The law of C for a prepared hunt (which loses hunt->presence where there is a release). *found is
 * false, and nothing is made, where so many contributions count that it would take too long.
 */
netdp_status netdp_i_mixture_law(const netdp_i_mixture *mixture, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                 bool *found, netdp_error *error);

/* What is known of the cost of one pair, kept for another noise: all zero at first. */
typedef struct netdp_i_mixed {
    netdp_i_cost_law law[2]; /* by `bend`: for all but small epsilons, and for all */
    bool known[2];
    bool none; /* it would take too long */
} netdp_i_mixed;

void netdp_i_mixed_clear(netdp_i_mixed *mixed);

/* *value: the epsilon at delta, infinity where it is not known. False where more is to be made. */
bool netdp_i_mixed_ask(const netdp_i_mixed *mixed, double sigma, double delta, double *value);

/* The same, and makes what is to be made; `asked` but for its bend. */
netdp_status netdp_i_mixed_answer(const netdp_i_mixture *mixture, netdp_i_returns *hunt,
                                  netdp_i_mixture_asked asked, double sigma, netdp_i_mixed *mixed,
                                  double *value, netdp_error *error);

/*
 * ln of the mean of e^{theta C} for one token, erring upward; infinity where that takes too long or
 * too much.
 */
netdp_status netdp_i_mixture_log_mean(const netdp_i_mixture *mixture, netdp_i_returns *hunt,
                                      int64_t cap, double theta, double *value, netdp_error *error);

#endif
