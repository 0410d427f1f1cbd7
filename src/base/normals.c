/*
 * Philox4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) and the
 * transform of Box and Muller on LANES draws at once. Logarithm and cosine are polynomials (those of
 * FreeBSD's msun, below one unit in the last place) on arguments that are exact, without fused
 * multiply-add: the C library's have other digits on other processors.
 */
#include "base/normals.h"

#include <math.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Draws at once; each makes two normals. */
enum { LANES = 16 };

#define INSIDE static inline __attribute__((always_inline))

typedef struct draws {
    uint32_t counter[4][LANES];
    uint64_t word[2][LANES];
    double normal[LANES][2];
} draws;

INSIDE double as_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INSIDE uint64_t as_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* An integer below 2^52 as a double, which is exact. */
INSIDE double count_of(uint64_t x)
{
    return as_double(x | 0x4330000000000000u) - 0x1p52;
}

/* 52 bits, centred in their cell: exact in a double, never 0 or 1. */
INSIDE double open_unit(uint64_t bits)
{
    return (count_of(bits >> 12) + 0.5) * 0x1p-52;
}

/* log(u) of a positive normal number: u = 2^k (1 + f), f between sqrt(1/2) - 1 and sqrt(2) - 1. */
INSIDE double log_of(double u)
{
    const uint64_t moved = as_bits(u) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const double k = count_of(moved >> 52) - 1023;
    const double f = as_double((moved & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1;
    const double s = f / (2 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    const double even = w * (3.999999999940941908e-01 +
                             w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd = z * (6.666666666666735130e-01 +
                            w * (2.857142874366239149e-01 +
                                 w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return k * 6.93147180369123816490e-01 -
           ((half - (s * (half + (even + odd)) + k * 1.90821492927058770002e-10)) - f);
}

/* Cosine and sine of 2 pi v, 0 < v < 1: of x = 2 pi (v - q/4), |x| <= pi/4, and q quarters more. */
INSIDE void turn(double v, double *cosine, double *sine)
{
    const double shifted = 4 * v + 0x1.8p52;
    const uint64_t quarters = as_bits(shifted);
    const double x = 2 * M_PI * (v - 0.25 * (shifted - 0x1.8p52)), z = x * x, half = 0.5 * z;
    const double whole = 1 - half;
    const double c = whole + ((1 - whole - half) +
                              z * z *
                                  (4.16666666666666019037e-02 +
                                   z * (-1.38888888888741095749e-03 +
                                        z * (2.48015872894767294178e-05 +
                                             z * (-2.75573143513906633035e-07 +
                                                  z * (2.08757232129817482790e-09 +
                                                       z * -1.13596475577881948265e-11))))));
    const double s =
        x +
        x * z *
            (-1.66666666666666324348e-01 +
             z * (8.33333333332248946124e-03 +
                  z * (-1.98412698298579493134e-04 +
                       z * (2.75573137070700676789e-06 +
                            z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    const uint64_t swapped = -(quarters & 1), below = (quarters & 2) << 62;
    const uint64_t other = ((quarters + 1) & 2) << 62, a = as_bits(c), b = as_bits(s);
    *cosine = as_double(((b & swapped) | (a & ~swapped)) ^ other);
    *sine = as_double(((a & swapped) | (b & ~swapped)) ^ below);
}

enum { ROUNDS = 10 };
static const uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u},
                      bump[2] = {0x9E3779B9u, 0xBB67AE85u};

/* The keys of all rounds. */
typedef struct keys {
    uint64_t of[ROUNDS][2];
} keys;

static keys keys_of(netdp_stream stream)
{
    keys k;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++)
            k.of[round][i] = stream.key[i] + round * bump[i];
    return k;
}

INSIDE void philox(const keys *key, draws *d, const int lanes)
{
    for (int i = 0; i < lanes; i++) {
        uint32_t c0 = d->counter[0][i], c1 = d->counter[1][i];
        uint32_t c2 = d->counter[2][i], c3 = d->counter[3][i];
        for (int round = 0; round < ROUNDS; round++) {
            const uint64_t p0 = (uint64_t)multiplier[0] * c0, p1 = (uint64_t)multiplier[1] * c2;
            c0 = (uint32_t)(p1 >> 32) ^ c1 ^ (uint32_t)key->of[round][0];
            c2 = (uint32_t)(p0 >> 32) ^ c3 ^ (uint32_t)key->of[round][1];
            c1 = (uint32_t)p1;
            c3 = (uint32_t)p0;
        }
        d->word[0][i] = c0 | (uint64_t)c1 << 32;
        d->word[1][i] = c2 | (uint64_t)c3 << 32;
    }
}

INSIDE void transform(draws *d, const int lanes)
{
    for (int i = 0; i < lanes; i++) {
        const double radius = sqrt(-2 * log_of(open_unit(d->word[0][i])));
        double cosine, sine;
        turn(open_unit(d->word[1][i]), &cosine, &sine);
        d->normal[i][0] = radius * cosine;
        d->normal[i][1] = radius * sine;
    }
}

static void make_one(const keys *key, draws *d)
{
    philox(key, d, 1);
    transform(d, 1);
}

#ifdef __x86_64__
#define WIDE __attribute__((target("avx2")))

/* Four draws, each in 64 bits of which the products read the lower half: what stands above it is no matter. */
WIDE static void philox_four(const keys *key, draws *d, int at)
{
    __m256i c[4];
    for (int k = 0; k < 4; k++)
        c[k] = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)&d->counter[k][at]));
    const __m256i m0 = _mm256_set1_epi64x(multiplier[0]), m1 = _mm256_set1_epi64x(multiplier[1]);
    for (int round = 0; round < ROUNDS; round++) {
        const __m256i p0 = _mm256_mul_epu32(c[0], m0), p1 = _mm256_mul_epu32(c[2], m1);
        const __m256i k0 = _mm256_set1_epi64x((int64_t)key->of[round][0]);
        const __m256i k1 = _mm256_set1_epi64x((int64_t)key->of[round][1]);
        c[0] = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(c[1], k0));
        c[2] = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(c[3], k1));
        c[1] = p1;
        c[3] = p0;
    }
    for (int k = 0; k < 2; k++)
        _mm256_storeu_si256(
            (__m256i *)&d->word[k][at],
            _mm256_blend_epi32(c[2 * k], _mm256_slli_epi64(c[2 * k + 1], 32), 0xaa));
}

WIDE static void make_wide(const keys *key, draws *d, bool half)
{
    for (int at = 0; at < (half ? LANES / 2 : LANES); at += 4)
        philox_four(key, d, at);
    half ? transform(d, LANES / 2) : transform(d, LANES);
}

#define WIDEST __attribute__((target("avx512f,avx512dq")))

/* a ^ b ^ c, as a table of their bits. */
enum { EXCLUSIVE = 0x96 };

/* The same, eight draws. */
WIDEST static void philox_eight(const keys *key, draws *d, int at)
{
    __m512i c[4];
    for (int k = 0; k < 4; k++)
        c[k] = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)&d->counter[k][at]));
    const __m512i m0 = _mm512_set1_epi64(multiplier[0]), m1 = _mm512_set1_epi64(multiplier[1]);
    for (int round = 0; round < ROUNDS; round++) {
        const __m512i p0 = _mm512_mul_epu32(c[0], m0), p1 = _mm512_mul_epu32(c[2], m1);
        const __m512i k0 = _mm512_set1_epi64((int64_t)key->of[round][0]);
        const __m512i k1 = _mm512_set1_epi64((int64_t)key->of[round][1]);
        c[0] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c[1], k0, EXCLUSIVE);
        c[2] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c[3], k1, EXCLUSIVE);
        c[1] = p1;
        c[3] = p0;
    }
    for (int k = 0; k < 2; k++)
        _mm512_storeu_si512(
            &d->word[k][at],
            _mm512_mask_blend_epi32(0xaaaa, c[2 * k], _mm512_slli_epi64(c[2 * k + 1], 32)));
}

WIDEST static void make_widest(const keys *key, draws *d, bool half)
{
    for (int at = 0; at < (half ? LANES / 2 : LANES); at += 8)
        philox_eight(key, d, at);
    half ? transform(d, LANES / 2) : transform(d, LANES);
}
#endif

/* As many draws as are left, of half the lanes where the others would be for nothing. */
static void make(const keys *key, int64_t left, draws *d)
{
    const bool half = left <= LANES / 2;
    if (left == 1) {
        make_one(key, d);
        return;
    }
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        make_widest(key, d, half);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        make_wide(key, d, half);
        return;
    }
#endif
    philox(key, d, half ? LANES / 2 : LANES);
    transform(d, half ? LANES / 2 : LANES);
}

/* One number a node. */
static void make_single(netdp_stream first, const int32_t *node, int64_t count, double *out)
{
    const keys key = keys_of(first);
    draws d;
    for (int k = 1; k < 4; k++)
        for (int i = 0; i < LANES; i++)
            d.counter[k][i] = first.counter[k];
    for (int64_t done = 0; done < count; done += LANES) {
        const int lanes = count - done < LANES ? (int)(count - done) : LANES;
        for (int i = 0; i < LANES; i++)
            d.counter[0][i] = node == NULL ? first.counter[0] + (uint32_t)(done + i)
                                           : (uint32_t)node[done + (i < lanes ? i : 0)];
        make(&key, lanes, &d);
        for (int i = 0; i < lanes; i++)
            out[done + i] = d.normal[i][0];
    }
}

/*
 * One node, or several that have an even width of at least twice the lanes: pair after pair, as they stand in
 * `out`; lanes are of one node or of two.
 */
static void make_many(netdp_stream first, const int32_t *node, int64_t count, int64_t width,
                      double *out)
{
    const keys key = keys_of(first);
    const int64_t pairs = (width + 1) / 2, all = count * pairs;
    draws d;
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < LANES; i++)
            d.counter[k][i] = first.counter[k];
    for (int64_t done = 0; done < all; done += LANES) {
        const int64_t owner = done / pairs, pair = done % pairs, next = pairs - pair;
        const int64_t other = owner + 1 < count ? owner + 1 : owner;
        const uint32_t one =
            node == NULL ? first.counter[0] + (uint32_t)owner : (uint32_t)node[owner];
        const uint32_t two =
            node == NULL ? first.counter[0] + (uint32_t)other : (uint32_t)node[other];
        const uint32_t begin = first.counter[3] + (uint32_t)pair;
        for (int i = 0; i < LANES; i++) {
            d.counter[0][i] = i < next ? one : two;
            d.counter[3][i] = begin + (uint32_t)i - (i < next ? 0 : (uint32_t)pairs);
        }
        const int64_t left = all - done < LANES ? all - done : LANES;
        make(&key, left, &d);
        const int64_t numbers =
            2 * left < count * width - 2 * done ? 2 * left : count * width - 2 * done;
        memcpy(out + 2 * done, d.normal, (size_t)numbers * sizeof *out);
    }
}

void netdp_i_normals_of_nodes(netdp_stream first, const int32_t *node, int64_t count, int64_t width,
                              double *out)
{
    const int64_t pairs = (width + 1) / 2, all = count * pairs;
    if (width == 1) {
        make_single(first, node, count, out);
        return;
    }
    if (count == 1 || (width % 2 == 0 && pairs >= LANES)) {
        make_many(first, node, count, width, out);
        return;
    }
    const keys key = keys_of(first);
    int64_t owner = 0, pair = 0; /* of the next draw; `to` is where its normals go */
    draws d;
    for (int64_t done = 0; done < all; done += LANES) {
        double *to[LANES];
        bool both[LANES];
        const int lanes = all - done < LANES ? (int)(all - done) : LANES;
        for (int i = 0; i < (lanes == 1 ? 1 : LANES); i++) {
            d.counter[0][i] =
                node == NULL ? first.counter[0] + (uint32_t)owner : (uint32_t)node[owner];
            d.counter[1][i] = first.counter[1];
            d.counter[2][i] = first.counter[2];
            d.counter[3][i] = first.counter[3] + (uint32_t)pair;
            to[i] = out + owner * width + 2 * pair;
            both[i] = 2 * pair + 1 < width;
            if (i + 1 < lanes && ++pair == pairs) {
                pair = 0;
                owner++;
            }
        }
        make(&key, lanes, &d);
        for (int i = 0; i < lanes; i++) {
            to[i][0] = d.normal[i][0];
            if (both[i])
                to[i][1] = d.normal[i][1];
        }
        if (++pair == pairs) {
            pair = 0;
            owner++;
        }
    }
}

void netdp_stream_normals(netdp_stream *stream, double *out, size_t count)
{
    netdp_i_normals_of_nodes(*stream, NULL, 1, (int64_t)count, out);
    stream->counter[3] += (uint32_t)((count + 1) / 2);
}
