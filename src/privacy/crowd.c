/*
 * One sum gives both bounds. Of n people each one's message is, independently, an A with
 * probability s, a B with s, another part of the blanket with r, else nothing that hides. With
 *
 *     T = e^eps0 (A - e^eps B) - (e^eps A - B) - (e^eps - 1) R
 *       = (e^eps0 - e^eps) A - (e^(eps0+eps) - 1) B - (e^eps - 1) R
 *
 * delta(eps) <= w E[max(T, 0)]:
 *
 * - the blanket (Balle, Bell, Gascon, Nissim 2019, Lemma 5.3; randomised response over L levels):
 *   s = 1/(e^eps0 + L - 1), r = (L - 2) s, w = 1/n. The observer is given who answers truthfully,
 *   but for the person asked about; A, B, R count random answers that are x, x' and neither.
 * - clones (Feldman, McMillan, Talwar 2020, Theorem 3.1's reduction; any eps0-LDP randomiser):
 *   s = e^-eps0/2, r = 0, w = 1/(n s (e^eps0 + 1)): C ~ Bin(n-1, e^-eps0) clones, A ~ Bin(C, 1/2),
 *   the person adds one to A with probability e^eps0/(e^eps0 + 1), else to B. Weighting by the size
 *   of A + B, as in the blanket, turns the two laws' difference into T.
 *
 * E[max(T, 0)] is summed as it stands where (A, B, R) takes few values, else by Fourier inversion.
 * U is normal noise of standard deviation tau, independent: by Jensen
 * E[max(T, 0)] <= E[max(T + U, 0)]. For any lambda > 0 and step eta, with M(z) the moment
 * generating function of T + U and z_j = lambda + i j eta, Poisson's summation gives
 *
 *     (eta/2pi) sum_j M(z_j)/z_j^2 = sum_k e^(-lambda k p) E[max(T + U + k p, 0)],  p = 2pi/eta,
 *
 * over all integers j and k: the term k = 0 is wanted and no other is negative, so the sum is an
 * upper bound whatever lambda, eta and tau are. Doubles choose them; balls do the sum. Cut at J,
 * |M(z_j)| <= M(lambda) e^(-(tau eta j)^2/2) leaves at most
 * 2 M(lambda) e^(-(tau eta J)^2/2) / (eta^2 J).
 *
 * All this holds for the part of T's law where A >= 1 just as well, and elsewhere T <= 0. So M is
 * taken of that part: the noise must not lift the atom T = 0, which is most of the law in a crowd
 * that hardly hides.
 */
#include "privacy/crowd.h"

#include <math.h>
#include <stdbool.h>

#include "privacy/ball.h"

#if __has_include(<flint/acb.h>) /* FLINT 3 has Arb inside */
#include <flint/acb.h>
#else
#include <acb.h>
#endif

enum { BITS = 128 };

/* tau is so much smaller than T's spread, or than one A where that is larger. */
static const double smoothing = 150;

/* e^-34: what the cut and other terms k may leave, relative to the sum. */
static const double negligible_log = 34;

/* Waves are computed afresh every so many terms. */
enum { AFRESH = 32 };

/* With more terms the bound is 1: so close to epsilon0 nothing is left to gain. */
static const int64_t most_terms = 60000;

/* T's values are added one by one up to so many: some 2 ms. */
static const double most_values = 5000;

/* A term of at most 2^-64 of the first counts with its size only. */
enum { NEGLIGIBLE_BITS = 64 };

/* T of one person takes these values, in units of e^eps0, with chances s, s and r. */
typedef struct law {
    double gain, loss, drift; /* T is gain, -loss, -drift */
    double s, r;
    int64_t size;
} law;

static law law_of(const netdp_i_crowd *crowd, double epsilon)
{
    double eps0 = crowd->epsilon0;
    law one = {.gain = -expm1(epsilon - eps0),
               .loss = exp(epsilon) - exp(-eps0),
               .drift = expm1(epsilon) * exp(-eps0),
               .size = crowd->size};
    if (crowd->levels == 0) {
        one.s = 0.5 * exp(-eps0);
    } else {
        one.s = 1 / (exp(eps0) + (double)(crowd->levels - 1));
        one.r = (double)(crowd->levels - 2) * one.s;
    }
    return one;
}

/* ln E[e^(lambda T)]. */
static double log_moment(const law *one, double lambda)
{
    double mean = one->s * (expm1(lambda * one->gain) + expm1(-lambda * one->loss)) +
                  one->r * expm1(-lambda * one->drift);
    return (double)one->size * log1p(mean);
}

/* The integral's parameters. */
typedef struct path {
    double tau, lambda, eta;
    int64_t terms; /* J */
} path;

/* Where M(z)/z^2 is least on the positive axis: the terms then turn least. */
static double saddle(const law *one)
{
    double low = -60, high = 60; /* of ln lambda, around 1/gain */
    for (int i = 0; i < 90; i++) {
        double left = low + 0.382 * (high - low), right = high - 0.382 * (high - low);
        double at_left = log_moment(one, exp(left) / one->gain) - 2 * left;
        double at_right = log_moment(one, exp(right) / one->gain) - 2 * right;
        if (at_left < at_right || !(at_right < INFINITY))
            high = right;
        else
            low = left;
    }
    return exp(0.5 * (low + high)) / one->gain;
}

/* The standard deviation of T under e^(lambda T), about; the loss may be far and rare. */
static double spread(const law *one, double lambda)
{
    double variance = one->s * (one->gain * one->gain * exp(lambda * one->gain) +
                                one->loss * one->loss * exp(-lambda * one->loss)) +
                      one->r * one->drift * one->drift * exp(-lambda * one->drift);
    return sqrt((double)one->size * variance);
}

static path path_of(const law *one)
{
    path way = {.lambda = saddle(one)};
    way.tau = fmax(spread(one, way.lambda), one->gain) / smoothing;
    double height = log_moment(one, way.lambda);
    /* k >= 1 vanishes where lambda p outgrows -ln E[max(T, 0)], about -height. */
    double turns = negligible_log + fmax(-height, 0);
    /* k <= -1 where it outgrows what a steeper lambda finds so far to the right. */
    double right = INFINITY;
    for (double factor = 1.125; factor < 20; factor *= 1.3) {
        double rise = log_moment(one, factor * way.lambda) - height;
        right = fmin(right, (negligible_log + fmax(rise, 0)) / (factor - 1));
    }
    double period = fmax(turns, right) / way.lambda;
    way.eta = 2 * M_PI / period;
    way.terms = (int64_t)ceil(sqrt(2 * negligible_log) / (way.tau * way.eta));
    return way;
}

/* A number that turns by the same angle from one term to the next: amplitude e^(i j eta value). */
typedef struct wave {
    arb_t value, amplitude;
    acb_t now, step;
} wave;

enum { GAIN = 0, LOSS, DRIFT, NORMAL, WAVES };

/* One sum's numbers. */
typedef struct inversion {
    wave wave[WAVES]; /* e^(z gain), e^(-z loss), e^(-z drift), e^(i j eta tau^2 lambda) */
    arb_t height, height_step, height_turn; /* e^(-(tau eta j)^2/2), its ratio, the ratio's own */
    arb_t s, r, rest, eps0, epsilon, eta;
    acb_t z, moment, without, term; /* without: the moment but for A */
    arb_t sum, scratch, other;
    mag_t size, factor, left_out;
} inversion;

static void for_each_number(inversion *t, void (*of_number)(arb_t), void (*of_pair)(acb_t),
                            void (*of_size)(mag_t))
{
    arb_ptr numbers[] = {t->height, t->height_step, t->height_turn, t->s,   t->r,       t->rest,
                         t->eps0,   t->epsilon,     t->eta,         t->sum, t->scratch, t->other};
    acb_ptr pairs[] = {t->z, t->moment, t->without, t->term};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        of_number(numbers[i]);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        of_pair(pairs[i]);
    for (int w = 0; w < WAVES; w++) {
        of_number(t->wave[w].value);
        of_number(t->wave[w].amplitude);
        of_pair(t->wave[w].now);
        of_pair(t->wave[w].step);
    }
    of_size(t->size);
    of_size(t->factor);
    of_size(t->left_out);
}

/* The value is set: amplitude e^(lambda value), or 1; the step. */
static void wave_start(wave *w, const path *way, bool rises, const arb_t eta)
{
    arb_one(w->amplitude);
    if (rises) {
        arb_set_d(w->amplitude, way->lambda);
        arb_mul(w->amplitude, w->amplitude, w->value, BITS);
        arb_exp(w->amplitude, w->amplitude, BITS);
    }
    acb_set_arb(w->now, w->amplitude);
    arb_mul(acb_realref(w->step), eta, w->value, BITS);
    arb_sin_cos(acb_imagref(w->step), acb_realref(w->step), acb_realref(w->step), BITS);
}

/*
 * To term j. A turned box needs a larger box around it, by up to sqrt 2: anew from the angle now
 * and then, or the error would explode.
 */
static void wave_turn(wave *w, int64_t j, const arb_t eta, arb_t scratch)
{
    if (j % AFRESH != 0) {
        acb_mul(w->now, w->now, w->step, BITS);
        return;
    }
    arb_mul(scratch, eta, w->value, BITS);
    arb_mul_si(scratch, scratch, j, BITS);
    arb_sin_cos(acb_imagref(w->now), acb_realref(w->now), scratch, BITS);
    acb_mul_arb(w->now, w->now, w->amplitude, BITS);
}

/* s, r and what is left of 1. */
static void set_chances(inversion *t, const netdp_i_crowd *crowd)
{
    if (crowd->levels == 0) {
        arb_neg(t->s, t->eps0);
        arb_exp(t->s, t->s, BITS);
        arb_mul_2exp_si(t->s, t->s, -1);
        arb_zero(t->r);
    } else {
        arb_exp(t->s, t->eps0, BITS);
        arb_add_si(t->s, t->s, crowd->levels - 1, BITS);
        arb_inv(t->s, t->s, BITS);
        arb_mul_si(t->r, t->s, crowd->levels - 2, BITS);
    }
    arb_mul_2exp_si(t->rest, t->s, 1);
    arb_add(t->rest, t->rest, t->r, BITS);
    arb_sub_ui(t->rest, t->rest, 1, BITS);
    arb_neg(t->rest, t->rest);
}

/* The values of T, in units of e^eps0 as in `law`, and the normal's tau^2 lambda. */
static void set_values(inversion *t, const path *way)
{
    wave *w = t->wave;
    arb_sub(w[GAIN].value, t->epsilon, t->eps0, BITS); /* 1 - e^(epsilon - eps0) */
    arb_expm1(w[GAIN].value, w[GAIN].value, BITS);
    arb_neg(w[GAIN].value, w[GAIN].value);
    arb_neg(t->other, t->eps0);
    arb_exp(t->other, t->other, BITS);
    arb_exp(t->scratch, t->epsilon, BITS); /* e^-eps0 - e^epsilon */
    arb_sub(w[LOSS].value, t->other, t->scratch, BITS);
    arb_expm1(t->scratch, t->epsilon, BITS); /* -(e^epsilon - 1) e^-eps0 */
    arb_mul(w[DRIFT].value, t->other, t->scratch, BITS);
    arb_neg(w[DRIFT].value, w[DRIFT].value);
    arb_set_d(w[NORMAL].value, way->tau);
    arb_mul(w[NORMAL].value, w[NORMAL].value, w[NORMAL].value, BITS);
    arb_set_d(t->scratch, way->lambda);
    arb_mul(w[NORMAL].value, w[NORMAL].value, t->scratch, BITS);
}

/* Everything at j = 0. */
static void inversion_start(inversion *t, const netdp_i_crowd *crowd, double epsilon,
                            const path *way)
{
    arb_set_d(t->eps0, crowd->epsilon0);
    arb_set_d(t->epsilon, epsilon);
    arb_set_d(t->eta, way->eta);
    set_chances(t, crowd);
    set_values(t, way);
    for (int w = 0; w < WAVES; w++)
        wave_start(&t->wave[w], way, w != NORMAL, t->eta);
    arb_one(t->height); /* ratios e^(-(tau eta)^2 (j + 1/2)) */
    arb_set_d(t->scratch, way->tau);
    arb_mul(t->scratch, t->scratch, t->eta, BITS);
    arb_mul(t->scratch, t->scratch, t->scratch, BITS);
    arb_neg(t->scratch, t->scratch);
    arb_exp(t->height_turn, t->scratch, BITS);
    arb_mul_2exp_si(t->scratch, t->scratch, -1);
    arb_exp(t->height_step, t->scratch, BITS);
    acb_zero(t->z);
    arb_set_d(acb_realref(t->z), way->lambda);
}

/* moment = E[e^(z T)] of one person, without = the same without A. */
static void find_moment(inversion *t)
{
    acb_mul_arb(t->without, t->wave[LOSS].now, t->s, BITS);
    acb_mul_arb(t->term, t->wave[DRIFT].now, t->r, BITS);
    acb_add(t->without, t->without, t->term, BITS);
    acb_add_arb(t->without, t->without, t->rest, BITS);
    acb_mul_arb(t->term, t->wave[GAIN].now, t->s, BITS);
    acb_add(t->moment, t->without, t->term, BITS);
}

/* term = (moment^people - without^people) / z^2 of those over moment0. */
static void find_term(inversion *t, ulong people)
{
    acb_pow_ui(t->term, t->moment, people, BITS);
    acb_pow_ui(t->without, t->without, people, BITS);
    acb_sub(t->term, t->term, t->without, BITS);
    acb_mul(t->moment, t->z, t->z, BITS);
    acb_div(t->term, t->term, t->moment, BITS);
}

static void turn(inversion *t, int64_t j)
{
    for (int w = 0; w < WAVES; w++)
        wave_turn(&t->wave[w], j, t->eta, t->scratch);
    arb_mul(t->height, t->height, t->height_step, BITS);
    arb_mul(t->height_step, t->height_step, t->height_turn, BITS);
    arb_mul_si(acb_imagref(t->z), t->eta, j, BITS);
}

/* Is term j too small to be worth its phase? Then left_out grows by its size. */
static bool left_out(inversion *t, ulong people)
{
    acb_get_mag(t->size, t->moment);
    mag_pow_ui(t->size, t->size, people);
    acb_get_mag(t->factor, t->without);
    mag_pow_ui(t->factor, t->factor, people);
    mag_add(t->size, t->size, t->factor);
    arb_get_mag(t->factor, t->height);
    mag_mul(t->size, t->size, t->factor);
    if (mag_cmp_2exp_si(t->size, -NEGLIGIBLE_BITS) > 0)
        return false;
    arb_get_mag_lower(t->factor, acb_realref(t->z)); /* |z| >= lambda */
    mag_div(t->size, t->size, t->factor);
    mag_div(t->size, t->size, t->factor);
    mag_add(t->left_out, t->left_out, t->size);
    return true;
}

/* sum = sum_j M(z_j)/z_j^2 over M(lambda), j and -j together; moment0 = E[e^(lambda T)] of one. */
static void add_terms(inversion *t, const path *way, int64_t people, const arb_t moment0)
{
    acb_div_arb(t->moment, t->moment, moment0, BITS);
    acb_div_arb(t->without, t->without, moment0, BITS);
    find_term(t, (ulong)people);
    arb_set(t->sum, acb_realref(t->term));
    for (int64_t j = 1; j <= way->terms; j++) {
        turn(t, j);
        find_moment(t);
        acb_div_arb(t->moment, t->moment, moment0, BITS);
        acb_div_arb(t->without, t->without, moment0, BITS);
        if (left_out(t, (ulong)people))
            continue;
        find_term(t, (ulong)people);
        acb_mul(t->term, t->term, t->wave[NORMAL].now, BITS);
        acb_mul_arb(t->term, t->term, t->height, BITS);
        arb_addmul_ui(t->sum, acb_realref(t->term), 2, BITS);
    }
    mag_mul_2exp_si(t->left_out, t->left_out, 1);
    arf_set_mag(arb_midref(t->scratch), t->left_out);
    mag_zero(arb_radref(t->scratch));
    arb_add(t->sum, t->sum, t->scratch, BITS);
}

/* sum += 2 e^(-(tau eta J)^2/2) / (eta^2 J), what the cut leaves. */
static void add_rest(inversion *t, const path *way)
{
    arb_set_d(t->other, way->tau);
    arb_mul(t->other, t->other, t->eta, BITS);
    arb_mul_si(t->other, t->other, way->terms, BITS);
    arb_mul(t->other, t->other, t->other, BITS);
    arb_mul_2exp_si(t->other, t->other, -1);
    arb_neg(t->other, t->other);
    arb_exp(t->other, t->other, BITS);
    arb_mul_2exp_si(t->other, t->other, 1);
    arb_mul(t->scratch, t->eta, t->eta, BITS);
    arb_mul_si(t->scratch, t->scratch, way->terms, BITS);
    arb_div(t->other, t->other, t->scratch, BITS);
    arb_add(t->sum, t->sum, t->other, BITS);
}

/* sum *= (eta/2pi) M(lambda). */
static void weigh_terms(inversion *t, int64_t people, const path *way, const arb_t moment0)
{
    arb_pow_ui(t->scratch, moment0, (ulong)people, BITS);
    arb_mul(t->sum, t->sum, t->scratch, BITS);
    arb_set_d(t->scratch, way->tau); /* the normal's part of M(lambda) */
    arb_set_d(t->other, way->lambda);
    arb_mul(t->scratch, t->scratch, t->other, BITS);
    arb_mul(t->scratch, t->scratch, t->scratch, BITS);
    arb_mul_2exp_si(t->scratch, t->scratch, -1);
    arb_exp(t->scratch, t->scratch, BITS);
    arb_mul(t->sum, t->sum, t->scratch, BITS);
    arb_mul(t->sum, t->sum, t->eta, BITS);
    arb_const_pi(t->scratch, BITS);
    arb_mul_2exp_si(t->scratch, t->scratch, 1);
    arb_div(t->sum, t->sum, t->scratch, BITS);
}

/* sum = E[max(T, 0)] in units of e^eps0, by inversion: at least that. */
static void invert(inversion *t, int64_t people, const path *way)
{
    arb_t moment0;
    arb_init(moment0);
    find_moment(t);
    arb_set(moment0, acb_realref(t->moment));
    add_terms(t, way, people, moment0);
    add_rest(t, way);
    weigh_terms(t, people, way, moment0);
    arb_clear(moment0);
}

/* How many values (A, B, R) has with A >= 1 and B, R as they may be. */
static double values_of(const netdp_i_crowd *crowd)
{
    const double n = (double)crowd->size;
    return crowd->levels == 0 || crowd->levels == 2 ? n * (n + 1) / 2 : n * (n + 1) * (n + 2) / 6;
}

static arb_ptr powers_of(const arb_t base, int64_t most)
{
    arb_ptr power = _arb_vec_init(most + 1);
    _arb_vec_set_powers(power, base, most + 1, BITS);
    return power;
}

/* sum = E[max(T, 0)] in units of e^eps0: chance times value, over A = a, B = b, R = c. */
static void add_values(inversion *t, int64_t people)
{
    arb_ptr s = powers_of(t->s, people), r = powers_of(t->r, people);
    arb_ptr rest = powers_of(t->rest, people), chance = acb_realref(t->term);
    for (int64_t a = 1; a <= people; a++)
        for (int64_t b = 0; a + b <= people; b++) {
            const int64_t others = people - a - b;
            arb_mul_si(t->other, t->wave[GAIN].value, a, BITS); /* T */
            arb_addmul_si(t->other, t->wave[LOSS].value, b, BITS);
            if (arb_is_nonpositive(t->other))
                break;
            arb_bin_uiui(t->scratch, (ulong)people, (ulong)(a + b), BITS); /* so many ways */
            arb_bin_uiui(chance, (ulong)(a + b), (ulong)a, BITS);
            arb_mul(t->scratch, t->scratch, chance, BITS);
            arb_mul(t->scratch, t->scratch, &s[a + b], BITS);
            for (int64_t c = 0; c <= others && !arb_is_nonpositive(t->other); c++) {
                arb_mul(chance, &r[c], &rest[others - c], BITS);
                arb_mul(chance, chance, t->scratch, BITS);
                arb_addmul(t->sum, chance, t->other, BITS);
                if (arb_is_zero(t->r))
                    break;
                arb_mul_si(t->scratch, t->scratch, others - c, BITS);
                arb_div_si(t->scratch, t->scratch, c + 1, BITS);
                arb_add(t->other, t->other, t->wave[DRIFT].value, BITS);
            }
        }
    _arb_vec_clear(s, people + 1);
    _arb_vec_clear(r, people + 1);
    _arb_vec_clear(rest, people + 1);
}

/* sum *= e^eps0 w. */
static void weigh(inversion *t, const netdp_i_crowd *crowd)
{
    arb_div_si(t->sum, t->sum, crowd->size, BITS);
    arb_exp(t->scratch, t->eps0, BITS);
    arb_mul(t->sum, t->sum, t->scratch, BITS);
    if (crowd->levels == 0) {
        arb_add_ui(t->scratch, t->scratch, 1, BITS);
        arb_mul(t->scratch, t->scratch, t->s, BITS);
        arb_div(t->sum, t->sum, t->scratch, BITS);
    }
}

double netdp_i_crowd_delta(const netdp_i_crowd *crowd, double epsilon)
{
    if (epsilon >= crowd->epsilon0)
        return 0;
    const bool few = values_of(crowd) <= most_values;
    const law one = law_of(crowd, epsilon);
    const path way = few ? (path){0} : path_of(&one);
    if (!few && !(one.gain > 0 && way.tau > 0 && way.lambda > 0 && way.lambda < INFINITY &&
                  way.eta > 0 && way.terms > 0 && way.terms < most_terms))
        return 1;
    inversion t;
    for_each_number(&t, arb_init, acb_init, mag_init);
    inversion_start(&t, crowd, epsilon, &way);
    if (few)
        add_values(&t, crowd->size);
    else
        invert(&t, crowd->size, &way);
    weigh(&t, crowd);
    const double delta = fmin(netdp_i_ball_up(t.sum), 1);
    for_each_number(&t, arb_clear, acb_clear, mag_clear);
    return delta;
}
