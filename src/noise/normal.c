/*
 * C. F. F. Karney, "Sampling exactly from the normal distribution", ACM Trans. Math. Softw. 42
 * (2016): Algorithms H, B and N. Uniform numbers are drawn digit by digit, as far as a comparison
 * asks; what was never asked for is uniform still.
 */
#include "noise/normal.h"

#include <math.h>
#include <sodium.h>
#include <stdbool.h>

#include "noise/discrete.h"

/* A comparison of two uniform numbers that agree in so many digits, of 16 bits or more, which happens with
 * probability 2^-1024 at most, lets the whole deviate be drawn again. */
enum { DIGITS = 64 };

/* Bits of a digit. Two peers that share a stream draw the same only if they take the same words from it: what is
 * agreed is a word for each digit. Noise that nobody else draws again takes fewer. */
enum { AGREED = 64, SPARING = 16 };

typedef struct uniform {
    uint64_t digit[DIGITS];
    int known;
} uniform;

typedef struct drawing {
    netdp_i_bits *bits;
    uint64_t (*next)(void *source); /* of bits: known to the compiler where `draw` is inlined */
    void *source;
    int width;
    bool lost; /* digits ran out */
} drawing;

NETDP_I_BITS_INLINE uint64_t take(drawing *d, int count)
{
    return netdp_i_bits_take_by(d->bits, d->next, count);
}

NETDP_I_BITS_INLINE uint64_t digit_of(drawing *d, uniform *x, int place)
{
    while (x->known <= place)
        x->digit[x->known++] = d->width == AGREED ? d->next(d->source) : take(d, d->width);
    return x->digit[place];
}

NETDP_I_BITS_INLINE bool is_less(drawing *d, uniform *x, uniform *y)
{
    for (int i = 0; i < DIGITS; i++) {
        const uint64_t a = digit_of(d, x, i), b = digit_of(d, y, i);
        if (a != b)
            return a < b;
    }
    d->lost = true;
    return false;
}

/* A uniform number from its first bit on: true where that is 1, and else x is below 1/2. */
NETDP_I_BITS_INLINE bool is_upper(drawing *d, uniform *x)
{
    x->known = 0;
    if (d->width == AGREED)
        return digit_of(d, x, 0) >> (AGREED - 1) != 0;
    if (take(d, 1) != 0)
        return true;
    x->digit[x->known++] = take(d, d->width - 1);
    return false;
}

/* Algorithm H: true with probability exp(-1/2); 1/2 > u_1 > u_2 > ... goes on an even time. */
NETDP_I_BITS_INLINE bool coin_half(drawing *d)
{
    uniform room[2], *last = &room[0], *next = &room[1];
    bool even = true;
    if (is_upper(d, last))
        return true;
    for (;;) {
        even = !even;
        next->known = 0;
        if (!is_less(d, next, last))
            return even;
        uniform *const passed = last;
        last = next;
        next = passed;
    }
}

/* Step N1: k with probability proportional to exp(-k/2). */
NETDP_I_BITS_INLINE uint64_t draw_whole(drawing *d)
{
    uint64_t k = 0;
    while (coin_half(d))
        k++;
    return k;
}

/* Step N2: true with probability exp(-k (k - 1) / 2). */
NETDP_I_BITS_INLINE bool keep_whole(drawing *d, uint64_t k)
{
    for (uint64_t i = k * (k - (k > 0)); i > 0; i--)
        if (!coin_half(d))
            return false;
    return true;
}

/*
 * Algorithm B: true with probability exp(-x (2 k + x) / (2 k + 2)). Each step of the falling
 * sequence x > z_1 > z_2 > ... counts with probability (2 k + x) / (2 k + 2): of 2 k + 2 equal
 * cases one never counts, one does with probability x, all others do.
 */
NETDP_I_BITS_INLINE bool coin_part(drawing *d, uint64_t k, uniform *x)
{
    uniform room[2], chance, *last = x, *next = &room[0];
    bool even = true;
    for (;; even = !even) {
        next->known = 0;
        if (!is_less(d, next, last))
            return even;
        const uint64_t chosen = netdp_i_bits_below_by(d->bits, d->next, 2 * k + 2);
        chance.known = 0;
        if (chosen == 0 || (chosen == 1 && !is_less(d, &chance, x)))
            return even;
        last = next;
        next = next == &room[0] ? &room[1] : &room[0];
    }
}

/* Step N4: true with probability exp(-x (2 k + x) / 2). */
NETDP_I_BITS_INLINE bool keep_part(drawing *d, uint64_t k, uniform *x)
{
    for (uint64_t i = 0; i <= k; i++)
        if (!coin_part(d, k, x))
            return false;
    return true;
}

/* The first 64 bits of x. */
NETDP_I_BITS_INLINE uint64_t first_word(drawing *d, uniform *x)
{
    uint64_t word = digit_of(d, x, 0);
    for (int i = 1; i < AGREED / d->width; i++)
        word = word << (d->width % AGREED) | digit_of(d, x, i);
    return word;
}

/* k + x to the nearest multiple of 2^-places, in units of it. */
NETDP_I_BITS_INLINE netdp_i_wide round_off(drawing *d, uint64_t k, uniform *x, int places)
{
    const uint64_t first = first_word(d, x);
    if (places == 64)
        return ((netdp_i_wide)k << 64) + first +
               (digit_of(d, x, AGREED / d->width) >> (d->width - 1));
    const uint64_t kept = places > 0 ? first >> (64 - places) : 0;
    return ((netdp_i_wide)k << places) + kept + (first >> (63 - places) & 1);
}

/* Inlined where the source is known, so that a word costs no call. */
NETDP_I_BITS_INLINE netdp_i_wide draw(netdp_i_bits *bits, uint64_t (*next)(void *source), int width,
                                      int places)
{
    for (;;) {
        drawing d = {bits, next, bits->source, width, false};
        uniform x;
        x.known = 0;
        const uint64_t k = draw_whole(&d);
        const bool kept = keep_whole(&d, k) && keep_part(&d, k, &x);
        if (!kept || d.lost)
            continue;
        const netdp_i_wide size = round_off(&d, k, &x, places);
        sodium_memzero(x.digit, (size_t)x.known * sizeof *x.digit);
        return take(&d, 1) != 0 ? -size : size;
    }
}

netdp_i_wide netdp_i_normal(netdp_i_bits *bits, int places)
{
    return draw(bits, bits->next, AGREED, places);
}

static uint64_t next_word(void *stream)
{
    return netdp_i_secure_bits(stream);
}

netdp_i_wide netdp_i_secure_normal(netdp_i_secure *stream, int places)
{
    netdp_i_bits bits = {.next = next_word, .source = stream};
    const netdp_i_wide drawn = draw(&bits, next_word, AGREED, places);
    sodium_memzero(&bits, sizeof bits);
    return drawn;
}

void netdp_i_secure_normals(netdp_i_secure *stream, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = ldexp((double)netdp_i_secure_normal(stream, 64), -64);
}

void netdp_i_secure_normals_add(netdp_i_secure *stream, int places, netdp_i_wide *sum, size_t count)
{
    netdp_i_bits bits = {.next = next_word, .source = stream};
    for (size_t i = 0; i < count; i++)
        sum[i] += draw(&bits, next_word, SPARING, places);
    sodium_memzero(&bits, sizeof bits);
}
