/*
 * The law of one privacy loss moved onto points: a true upper (or lower) bound of it in any
 * composition.
 *
 * Connecting the dots (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022): a loss L between two
 * neighbouring points goes to the higher one with the probability that keeps E e^(-L). That pair of
 * laws dominates, so the hockey-stick divergence of any composition is not below the true one. The
 * move is at most one cell, and above L in the mean by at most width^2/8 (1 + width), which bounds
 * how far above: that is what makes a lower bound of the same points.
 */
#ifndef NETDP_I_LATTICE_H
#define NETDP_I_LATTICE_H

#include "privacy/tails.h"

typedef struct netdp_i_lattice {
    int64_t size, first;
    double *at;   /* ascending; on a grid at[i] = (first + i) step exactly */
    double *mass; /* rounded in the direction */
    double infinite;
} netdp_i_lattice;

/* Twice `points` at all scales, for moments and bounds. */
netdp_status netdp_i_lattice_rough(const netdp_i_tails *tails, int points, double cut,
                                   netdp_direction direction, netdp_i_lattice *lattice,
                                   netdp_error *error);

/* Whole multiples of `step`, whose last bits are zero so that they are exact. */
netdp_status netdp_i_lattice_grid(const netdp_i_tails *tails, double cut, double step,
                                  netdp_direction direction, netdp_i_lattice *lattice,
                                  netdp_error *error);
void netdp_i_lattice_clear(netdp_i_lattice *lattice);

/* ln E e^(theta L) of the finite part, and its first two derivatives where they are asked for. */
long double netdp_i_lattice_cumulant(const netdp_i_lattice *lattice, double theta,
                                     long double *mean, long double *variance);

/* The first a few units up, so that mass e^(theta at - it), rounded to doubles, sums to at most 1.
 */
long double netdp_i_lattice_norm(const netdp_i_lattice *lattice, double theta);

/* The first in doubles, to about 1e-12: for choices. */
double netdp_i_lattice_cumulant_near(const netdp_i_lattice *lattice, double theta);

#endif
