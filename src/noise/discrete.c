/*
 * C. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy", NeurIPS
 * 2020: Algorithms 1 to 3, on integers and fair bits alone.
 */
#include "noise/discrete.h"

typedef unsigned __int128 wide;

/* Units of the scale that a discrete Laplace may reach: 1024 * 2^53 is the range of int64_t. */
#define FARTHEST 1024

uint64_t netdp_i_bits_take(netdp_i_bits *bits, int count)
{
    return netdp_i_bits_take_by(bits, bits->next, count);
}

uint64_t netdp_i_bits_below(netdp_i_bits *bits, uint64_t bound)
{
    return netdp_i_bits_below_by(bits, bits->next, bound);
}

/*
 * True with probability min(p / q, 1), for q < 2^127: the binary digits of p / q against those of a
 * uniform number, up to the first that differs; two bits on average.
 */
static bool coin(netdp_i_bits *bits, wide p, wide q)
{
    if (p >= q)
        return true;
    while (p != 0) {
        p <<= 1;
        const bool digit = p >= q;
        if (digit)
            p -= q;
        if ((netdp_i_bits_take(bits, 1) != 0) != digit)
            return digit;
    }
    return false;
}

/* Algorithm 1 for p <= q: exp(-p/q); its coin of p / (q k) as one of 1 / k and one of p / q. */
static bool coin_exp_within(netdp_i_bits *bits, wide p, wide q)
{
    uint64_t k = 1;
    while (coin(bits, 1, k) && coin(bits, p, q))
        k++;
    return k % 2 == 1;
}

/* Algorithm 1: true with probability exp(-p/q). */
bool netdp_i_coin_exp(netdp_i_bits *bits, wide p, wide q)
{
    while (p > q) {
        if (!coin_exp_within(bits, 1, 1))
            return false;
        p -= q;
    }
    return coin_exp_within(bits, p, q);
}

static bool in_range(netdp_ratio ratio)
{
    return ratio.numerator - 1 < NETDP_RATIO_MOST && ratio.denominator - 1 < NETDP_RATIO_MOST;
}

/* |y| < 1024 numerator <= 2^63. */
int64_t netdp_i_discrete_laplace(netdp_i_bits *bits, netdp_ratio scale)
{
    if (!in_range(scale))
        return INT64_MIN;
    for (;;) {
        const uint64_t part = netdp_i_bits_below(bits, scale.numerator);
        if (!netdp_i_coin_exp(bits, part, scale.numerator))
            continue;
        uint64_t whole = 0;
        while (whole < FARTHEST && coin_exp_within(bits, 1, 1))
            whole++;
        if (whole == FARTHEST)
            continue;
        const uint64_t size = (part + whole * scale.numerator) / scale.denominator;
        const bool negative = netdp_i_bits_take(bits, 1) != 0;
        if (negative && size == 0)
            continue;
        return negative ? -(int64_t)size : (int64_t)size;
    }
}

/* floor(sqrt(x)), x <= 2^53 */
static uint64_t root_of(uint64_t x)
{
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 26; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= x)
            root += bit;
    return root;
}

/*
 * With sigma^2 = n / d and t = floor(sigma) + 1 the exponent (|y| - sigma^2 / t)^2 / (2 sigma^2) is
 * (|y| d t - n)^2 / (2 n d t^2). d t^2 <= (sqrt(n) + sqrt(d))^2 <= 2^55 bounds |y| d t by 2^65 and
 * the denominator by 2^109.
 */
int64_t netdp_i_discrete_gaussian(netdp_i_bits *bits, netdp_ratio variance)
{
    if (!in_range(variance))
        return INT64_MIN;
    const uint64_t n = variance.numerator, d = variance.denominator;
    const uint64_t t = root_of(n / d) + 1;
    const wide below = 2 * (wide)n * d * t * t;
    for (;;) {
        const int64_t y = netdp_i_discrete_laplace(bits, (netdp_ratio){t, 1});
        const wide far = (wide)(y < 0 ? -y : y) * d * t;
        const wide away = far > n ? far - n : n - far;
        /* From 2^64 on its square does not fit, and the exponent is above 511^2 / 2: no draw. */
        if (away >> 64 == 0 && netdp_i_coin_exp(bits, away * away, below))
            return y;
    }
}

/* ceil(flip 2^53); what is not in [0, 1] is 1 */
static uint64_t threshold_of(double flip)
{
    const uint64_t all = (uint64_t)1 << 53;
    if (!(flip >= 0 && flip <= 1))
        return all;
    const double scaled = flip * 0x1p53; /* a power of two: exact, or below 1 */
    const uint64_t whole = (uint64_t)scaled;
    return (double)whole < scaled ? whole + 1 : whole;
}

/* Every draw is taken whatever the coin says. */
int32_t netdp_i_randomised_response(netdp_i_bits *bits, int32_t value, double flip, int32_t levels)
{
    const bool changes = netdp_i_bits_take(bits, 53) < threshold_of(flip);
    const int32_t other = (int32_t)netdp_i_bits_below(bits, (uint64_t)levels);
    const int32_t own = value < 0 ? 0 : value >= levels ? levels - 1 : value;
    return changes ? other : own;
}
