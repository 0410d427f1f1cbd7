/*
 * Exactly rounded normals: cells and tails against 40 digits of mpmath, every bit fair, equal at both
 * ends of a pair; and what is made of them: contributions.
 */
#include "check.h"

#include <stdbool.h>
#include <sodium.h>

#include "noise/normal.h"
#include "peer/contribution.h"

static netdp_error error;

/* Fixed keys: the tests draw the same every time. */
static netdp_i_secure stream_of(unsigned char number)
{
    const unsigned char key[NETDP_I_SECURE_KEY] = {number, 77};
    netdp_i_secure stream;
    netdp_i_secure_of(key, &stream);
    return stream;
}

/* P(u rounds to j/4), j = 0 .. 16: mpmath, ncdf((j + 1/2) / 4) - ncdf((j - 1/2) / 4). */
static const double cell[] = {9.9476449660225786e-2, 9.6431541842610901e-2, 8.7844704278575673e-2,
                              7.5198576196189907e-2, 6.0492435715701771e-2, 4.5728794785473135e-2,
                              3.2484442936116172e-2, 2.1684917649958173e-2, 1.3603055316812562e-2,
                              8.0188313527104509e-3, 4.4420267327258031e-3, 2.3123108730665569e-3,
                              1.1311121908375696e-3, 5.1994684483336475e-4, 2.2459772839383154e-4,
                              9.1168376130139422e-5, 3.4775611904894352e-5};

/* Of the two ways to draw one from a stream: by the words that peers agree on, or by fewer. */
static bool sparing;

static netdp_i_wide next_normal(netdp_i_secure *stream, int places)
{
    enum { AT_ONCE = 512 };
    static netdp_i_wide held[AT_ONCE];
    static int left, of;
    if (!sparing)
        return netdp_i_secure_normal(stream, places);
    if (left == 0 || of != places) {
        memset(held, 0, sizeof held);
        netdp_i_secure_normals_add(stream, places, held, AT_ONCE);
        left = AT_ONCE;
        of = places;
    }
    return held[--left];
}

/* Chi-square of the rounded values at two places, over 1 + 2 * 14 cells and both tails. */
static void test_cells(void **state)
{
    (void)state;
    enum { MOST = 14, DRAWS = LIGHT ? 100000 : 500000 };
    int64_t count[2 * MOST + 1] = {0};
    int64_t tail[2] = {0};
    netdp_i_secure stream = stream_of(1);
    for (int i = 0; i < DRAWS; i++) {
        const int64_t j = (int64_t)next_normal(&stream, 2);
        if (j < -MOST || j > MOST)
            tail[j > 0]++;
        else
            count[j + MOST]++;
    }
    double beyond = 0.5 - cell[0] / 2, square = 0;
    for (int j = 1; j <= MOST; j++)
        beyond -= cell[j];
    for (int j = -MOST; j <= MOST; j++) {
        const double want = DRAWS * cell[j < 0 ? -j : j];
        square += pow((double)count[j + MOST] - want, 2) / want;
    }
    for (int k = 0; k < 2; k++)
        square += pow((double)tail[k] - DRAWS * beyond, 2) / (DRAWS * beyond);
    /* 30 degrees of freedom: above 76 once in 10^5. */
    if (square > 76)
        fail_msg("chi-square %.1f of 30 degrees of freedom", square);
}

static void test_tails_and_moments(void **state)
{
    (void)state;
    enum { DRAWS = LIGHT ? 100000 : 600000 };
    /* P(|u| > t): mpmath, erfc(t / sqrt 2). */
    static const double tail[][2] = {{0.5, 0.61707507745197379},   {1.0, 0.3173105078629141},
                                     {2.0, 0.045500263896358414},  {3.0, 0.0026997960632601891},
                                     {4.0, 6.3342483666239843e-5}, {5.0, 5.7330314375838782e-7}};
    enum { TAILS_KNOWN = sizeof tail / sizeof *tail };
    int64_t beyond[TAILS_KNOWN] = {0};
    double power[5] = {0};
    netdp_i_secure stream = stream_of(2);
    for (int i = 0; i < DRAWS; i++) {
        double u = ldexp((double)next_normal(&stream, 48), -48);
        for (int t = 0; t < TAILS_KNOWN; t++)
            beyond[t] += fabs(u) > tail[t][0];
        power[1] += u;
        power[2] += u * u;
        power[3] += u * u * u;
        power[4] += u * u * u * u;
    }
    for (int t = 0; t < TAILS_KNOWN; t++) {
        const double want = DRAWS * tail[t][1], room = 5 * sqrt(want) + 3;
        assert_close((double)beyond[t], want, room, 0);
    }
    /* The variances of u, u^2, u^3, u^4 are 1, 2, 15, 96. */
    static const double moment[5] = {1, 0, 1, 0, 3}, variance[5] = {0, 1, 2, 15, 96};
    for (int k = 1; k <= 4; k++)
        assert_close(power[k] / DRAWS, moment[k], 5 * sqrt(variance[k] / DRAWS), 0);
}

/* Of a density that is flat on so fine a grid, each low bit is fair; so are its pairs with the
 * sign. */
static void test_low_bits(void **state)
{
    (void)state;
    enum { DRAWS = 60000 };
    int64_t set[48] = {0}, with_sign[48] = {0};
    netdp_i_secure stream = stream_of(3);
    for (int i = 0; i < DRAWS; i++) {
        const netdp_i_wide drawn = next_normal(&stream, 64);
        const uint64_t low = (uint64_t)drawn;
        for (int b = 0; b < 48; b++) {
            set[b] += (int64_t)(low >> b & 1);
            with_sign[b] += (int64_t)(low >> b & 1) ^ (drawn < 0);
        }
    }
    for (int b = 0; b < 48; b++) {
        assert_close((double)set[b], DRAWS / 2., 5 * sqrt(DRAWS) / 2, 0);
        assert_close((double)with_sign[b], DRAWS / 2., 5 * sqrt(DRAWS) / 2, 0);
    }
}

static void test_fewer_words(void **state)
{
    sparing = true;
    test_cells(state);
    test_tails_and_moments(state);
    test_low_bits(state);
    sparing = false;
}

/* They are added to what stands there, and the next ones are others. */
static void test_added(void **state)
{
    (void)state;
    netdp_i_secure one = stream_of(6), other = stream_of(6);
    netdp_i_wide a[40], b[40] = {0};
    for (int i = 0; i < 40; i++)
        a[i] = (netdp_i_wide)i << 70;
    netdp_i_secure_normals_add(&one, 52, a, 40);
    netdp_i_secure_normals_add(&other, 52, b, 40);
    for (int i = 0; i < 40; i++) {
        assert_true(a[i] - ((netdp_i_wide)i << 70) == b[i]);
        assert_true(i == 0 || b[i] != b[i - 1]);
    }
}

/* Fewer places are those of more, rounded to the nearest: one and the same normal. */
static void test_rounded_to_nearest(void **state)
{
    (void)state;
    netdp_i_secure fine = stream_of(4), coarse = stream_of(4);
    for (int i = 0; i < 20000; i++) {
        /* The sign and the first digit are all that is asked for: both streams stay in step where
         * no second digit is drawn, that is at most 63 places. */
        const netdp_i_wide a = netdp_i_secure_normal(&fine, 63),
                           b = netdp_i_secure_normal(&coarse, 20);
        const netdp_i_wide size = a < 0 ? -a : a, want = ((size >> 42) + 1) >> 1;
        const netdp_i_wide off = (b < 0 ? -b : b) - want;
        assert_true(off == 0 ||
                    (off == -1 && (size & (((netdp_i_wide)1 << 43) - 1)) == (netdp_i_wide)1 << 42));
        assert_true(a == 0 || b == 0 || (a < 0) == (b < 0));
    }
}

/* What every build draws from one key: both ends of a pair may run different ones. */
static void test_known_draws(void **state)
{
    (void)state;
    static const int64_t want[] = {141073199090837,  -293258043202861, -272817848968652,
                                   -319071536023333, 96027621911465,   -106832416016391,
                                   217789777036851,  180430989891192};
    netdp_i_secure stream = stream_of(5);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const int64_t got = (int64_t)netdp_i_secure_normal(&stream, NETDP_I_PAIR_PLACES);
        if (got != want[i])
            fail_msg("draw %zu is %lld, not %lld", i, (long long)got, (long long)want[i]);
    }
}

/* ---- Contributions ---- */

static netdp_i_noising with(netdp_i_secure *own, netdp_i_partner_noise *partner, int32_t partners,
                            netdp_i_extent reach, double scale)
{
    return (netdp_i_noising){.reach = reach,
                             .scale = scale,
                             .kappa = 10.5,
                             .partners = partners,
                             .partner = partner,
                             .own = own};
}

/* Noise of pairs cancels in the sum, to the last bit of what doubles hold. */
static void test_pairs_cancel(void **state)
{
    (void)state;
    enum { NODES = 4, WIDTH = 50 };
    double sum[WIDTH] = {0}, alone[WIDTH] = {0}, value[WIDTH], out[WIDTH];
    for (int i = 0; i < WIDTH; i++)
        value[i] = 0.02 * i;
    for (int v = 0; v < NODES; v++) {
        netdp_i_secure own = stream_of((unsigned char)(10 + v)), again = own;
        netdp_i_partner_noise partner[NODES];
        int32_t partners = 0;
        for (int w = 0; w < NODES; w++)
            if (w != v)
                partner[partners++] = (netdp_i_partner_noise){
                    stream_of((unsigned char)(100 + (v < w ? 8 * v + w : 8 * w + v))), v < w};
        netdp_i_noising noising = with(&own, partner, partners, (netdp_i_extent){.most = 1}, 2);
        assert_ok(netdp_i_contribution_make(&noising, value, WIDTH, out, &error));
        for (int i = 0; i < WIDTH; i++)
            sum[i] += out[i];
        noising = with(&again, NULL, 0, (netdp_i_extent){.most = 1}, 2);
        assert_ok(netdp_i_contribution_make(&noising, value, WIDTH, out, &error));
        for (int i = 0; i < WIDTH; i++)
            alone[i] += out[i];
    }
    for (int i = 0; i < WIDTH; i++)
        assert_close(sum[i], alone[i], 1e-11, 0);
}

/* The same noise on two values: they differ by what the values do, clipped, and by no more. */
static void test_clips(void **state)
{
    (void)state;
    const double far[3] = {1e300, -1e300, 1e300}, zero[3] = {0}, inside[3] = {0.1, -0.2, 0.3};
    double a[3], b[3], c[3];
    for (int seed = 0; seed < 50; seed++) {
        netdp_i_secure s[3] = {stream_of((unsigned char)seed), stream_of((unsigned char)seed),
                               stream_of((unsigned char)seed)};
        const netdp_i_extent ball = {.radius = 0.7};
        netdp_i_noising noising = with(&s[0], NULL, 0, ball, 3);
        assert_ok(netdp_i_contribution_make(&noising, far, 3, a, &error));
        noising.own = &s[1];
        assert_ok(netdp_i_contribution_make(&noising, zero, 3, b, &error));
        noising.own = &s[2];
        assert_ok(netdp_i_contribution_make(&noising, inside, 3, c, &error));
        for (int i = 0; i < 3; i++) {
            assert_close(a[i] - b[i], (i == 1 ? -1 : 1) * 0.7 / sqrt(3), 1e-8, 0);
            assert_close(c[i] - b[i], inside[i], 1e-8, 0);
        }
        s[0] = s[1] = stream_of((unsigned char)seed);
        noising = with(&s[0], NULL, 0, (netdp_i_extent){.most = 1}, 3);
        assert_ok(netdp_i_contribution_make(&noising, far, 3, a, &error));
        noising.own = &s[1];
        assert_ok(netdp_i_contribution_make(&noising, zero, 3, b, &error));
        for (int i = 0; i < 3; i++)
            assert_close(a[i] - b[i], i == 1 ? 0 : 1, 1e-8, 0);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    netdp_i_secure own = stream_of(1);
    double out[2] = {7, 7};
    static const double bad[][2] = {{NAN, 0}, {0, INFINITY}, {-INFINITY, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_i_noising noising = with(&own, NULL, 0, (netdp_i_extent){.most = 1}, 2);
        assert_fails(netdp_i_contribution_make(&noising, bad[i], 2, out, &error), NETDP_INVALID);
    }
    static const double scales[] = {0, -1, NAN, INFINITY, 1e-12};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        netdp_i_noising noising = with(&own, NULL, 0, (netdp_i_extent){.most = 1}, scales[i]);
        assert_fails(netdp_i_contribution_make(&noising, (double[2]){0}, 2, out, &error),
                     NETDP_INVALID);
    }
    netdp_i_noising noising = with(&own, NULL, 0, (netdp_i_extent){.most = 1}, 2);
    noising.kappa = 0.1; /* no multiple of 2^-16 */
    assert_fails(netdp_i_contribution_make(&noising, (double[2]){0}, 2, out, &error),
                 NETDP_INVALID);
    assert_close(out[0], 7, 0, 0);
    /* Far below what is printed: 32 nodes, 320 pairs, 1000 numbers, kappa 10. */
    assert_true(netdp_i_contribution_excess(320, 20, 10, 1000) < 1e-20);
    assert_true(netdp_i_contribution_excess(320, 20, 10, 1000) > 0);
}

int main(void)
{
    if (sodium_init() < 0)
        return 99;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),       cmocka_unit_test(test_tails_and_moments),
        cmocka_unit_test(test_low_bits),    cmocka_unit_test(test_fewer_words),
        cmocka_unit_test(test_added),       cmocka_unit_test(test_rounded_to_nearest),
        cmocka_unit_test(test_known_draws), cmocka_unit_test(test_pairs_cancel),
        cmocka_unit_test(test_clips),       cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests_name("normal", tests, NULL, NULL);
}
