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

/* A comparison of two uniform numbers that agree in so many digits of 64 bits, which happens with
 * probability 2^-1024, lets the whole deviate be drawn again. */
enum { DIGITS = 16 };

#define INLINE static inline __attribute__((always_inline))

typedef struct uniform {
    uint64_t digit[DIGITS];
    int known;
} uniform;

typedef struct drawing {
    netdp_i_bits *bits;
    uint64_t (*next)(void *source); /* of bits: known to the compiler where `draw` is inlined */
    void *source;
    bool lost; /* digits ran out */
} drawing;

INLINE uint64_t digit_of(drawing *d, uniform *x, int place)
{
    while (x->known <= place)
        x->digit[x->known++] = d->next(d->source);
    return x->digit[place];
}

INLINE bool is_less(drawing *d, uniform *x, uniform *y)
{
    for (int i = 0; i < DIGITS; i++) {
        const uint64_t a = digit_of(d, x, i), b = digit_of(d, y, i);
        if (a != b)
            return a < b;
    }
    d->lost = true;
    return false;
}

/* Algorithm H: true with probability exp(-1/2); 1/2 > u_1 > u_2 > ... goes on an even time. */
INLINE bool coin_half(drawing *d)
{
    uniform room[2], *last = &room[0], *next = &room[1];
    bool even = true;
    last->known = 0;
    if (digit_of(d, last, 0) >> 63 != 0)
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
INLINE uint64_t draw_whole(drawing *d)
{
    uint64_t k = 0;
    while (coin_half(d))
        k++;
    return k;
}

/* Step N2: true with probability exp(-k (k - 1) / 2). */
INLINE bool keep_whole(drawing *d, uint64_t k)
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
INLINE bool coin_part(drawing *d, uint64_t k, uniform *x)
{
    uniform room[2], chance, *last = x, *next = &room[0];
    bool even = true;
    for (;; even = !even) {
        next->known = 0;
        if (!is_less(d, next, last))
            return even;
        const uint64_t chosen = netdp_i_bits_below(d->bits, 2 * k + 2);
        chance.known = 0;
        if (chosen == 0 || (chosen == 1 && !is_less(d, &chance, x)))
            return even;
        last = next;
        next = next == &room[0] ? &room[1] : &room[0];
    }
}

/* Step N4: true with probability exp(-x (2 k + x) / 2). */
INLINE bool keep_part(drawing *d, uint64_t k, uniform *x)
{
    for (uint64_t i = 0; i <= k; i++)
        if (!coin_part(d, k, x))
            return false;
    return true;
}

/* k + x to the nearest multiple of 2^-places, in units of it. */
INLINE netdp_i_wide round_off(drawing *d, uint64_t k, uniform *x, int places)
{
    const uint64_t first = digit_of(d, x, 0);
    if (places == 64)
        return ((netdp_i_wide)k << 64) + first + (digit_of(d, x, 1) >> 63);
    const uint64_t kept = places > 0 ? first >> (64 - places) : 0;
    return ((netdp_i_wide)k << places) + kept + (first >> (63 - places) & 1);
}

/* Inlined where the source is known, so that a word costs no call. */
INLINE netdp_i_wide draw(netdp_i_bits *bits, uint64_t (*next)(void *source), int places)
{
    for (;;) {
        drawing d = {bits, next, bits->source, false};
        uniform x;
        x.known = 0;
        const uint64_t k = draw_whole(&d);
        const bool kept = keep_whole(&d, k) && keep_part(&d, k, &x);
        if (!kept || d.lost)
            continue;
        const netdp_i_wide size = round_off(&d, k, &x, places);
        sodium_memzero(&x, sizeof x);
        return netdp_i_bits_take(bits, 1) != 0 ? -size : size;
    }
}

netdp_i_wide netdp_i_normal(netdp_i_bits *bits, int places)
{
    return draw(bits, bits->next, places);
}

static uint64_t next_word(void *stream)
{
    return netdp_i_secure_bits(stream);
}

netdp_i_wide netdp_i_secure_normal(netdp_i_secure *stream, int places)
{
    netdp_i_bits bits = {.next = next_word, .source = stream};
    const netdp_i_wide drawn = draw(&bits, next_word, places);
    sodium_memzero(&bits, sizeof bits);
    return drawn;
}

void netdp_i_secure_normals(netdp_i_secure *stream, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = ldexp((double)netdp_i_secure_normal(stream, 64), -64);
}
