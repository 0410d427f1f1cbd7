/*
 * Ball arithmetic (Arb): the only place that includes it, and the way from a ball to a double that
 * is still a bound.
 *
 * Arb keeps small caches of constants per thread and frees them at exit; a thread that ends earlier
 * should call flint_cleanup() last. Where memory runs out FLINT calls its abort: a program that must
 * not end by a signal sets another with flint_set_abort, as the command does.
 */
#ifndef NETDP_I_BALL_H
#define NETDP_I_BALL_H

#if __has_include(<flint/arb.h>) /* FLINT 3 has Arb inside */
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#else
#include <arb.h>
#include <arb_hypgeom.h>
#endif

/* The least double >= everything in the ball: infinity where it is too large or not a number. */
double netdp_i_ball_up(const arb_t x);

/* The largest double <= everything in the ball. */
double netdp_i_ball_down(const arb_t x);

#endif
