/* Partial sums of the logarithm's series, sum_{t <= T} x^t / t: in published bounds on walks. */
#ifndef NETDP_I_HARMONIC_H
#define NETDP_I_HARMONIC_H

#include <stdint.h>

/* H_T = sum_{t=1}^{T} 1/t, to a few units in the last place. */
double netdp_i_harmonic(int64_t terms);

/* sum_{t=1}^{T} x^t / t for x in [-1, 1]; about 1e-15 + 1e-13 of it off. */
double netdp_i_log_series(double x, int64_t terms);

#endif
