#include "account/walk/cost_law.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

netdp_status netdp_i_cost_law_new(int64_t atoms, netdp_i_cost_law *law, netdp_error *error)
{
    *law = (netdp_i_cost_law){
        .atoms = atoms, .mass = NETDP_I_NEW(double, atoms), .cost = NETDP_I_NEW(double, atoms)};
    if (law->mass != NULL && law->cost != NULL)
        return NETDP_OK;
    netdp_i_cost_law_clear(law);
    return netdp_i_no_memory(error);
}

netdp_status netdp_i_cost_law_sampled_new(int64_t atoms, double step, double tilt,
                                          netdp_i_cost_law *law, netdp_error *error)
{
    *law = (netdp_i_cost_law){.atoms = atoms,
                              .step = step,
                              .tilt = tilt,
                              .value = NETDP_I_NEW(double _Complex, atoms / 2 + 1)};
    return law->value != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

void netdp_i_cost_law_clear(netdp_i_cost_law *law)
{
    netdp_i_free(law->cost);
    netdp_i_free(law->mass);
    netdp_i_free(law->value);
    *law = (netdp_i_cost_law){0};
}

/*
 * Q(a) - e^epsilon Q(a + mu), from above: what erfc, exp and the rounding of a may be off, in parts
 * of Q(a), is added. Above 600, and where erfc has no digits, the second term is left out.
 */
double netdp_i_cost_law_gaussian(double epsilon, double mu)
{
    const double a = epsilon / mu - 0.5 * mu;
    if (a > 38)
        return DBL_MIN;
    const double tail = 0.5 * erfc(a * M_SQRT1_2);
    const double off = (8 + 4 * a * a + epsilon) * 4 * DBL_EPSILON;
    const double other = epsilon < 600 ? erfc((a + mu) * M_SQRT1_2) : 0;
    const double minus = other > 1e-290 ? exp(epsilon) * 0.5 * other : 0;
    const double value = tail - minus + off * tail;
    return value > 0 ? value : 0;
}

/* To a power: up to 1e-13 of it, which is added. */
static double to_power(double value, double power)
{
    return power == 1 ? value : value > 0 ? fmin(1, pow(value, power) * (1 + 1e-13)) : 0;
}

/* The mean of the power of delta, and what no atom stands for. */
static double delta_of_masses(const netdp_i_cost_law *law, double sigma, double epsilon,
                              double power)
{
    double sum = 0;
    for (int64_t i = 0; i < law->atoms; i++)
        if (law->mass[i] > 0 && law->cost[i] > 0)
            sum += law->mass[i] *
                   to_power(netdp_i_cost_law_gaussian(epsilon, sqrt(law->cost[i]) / sigma), power);
    return law->lost + sum * (1 + 4e-16 * (double)law->atoms + 1e-13);
}

/* Half of a circle's points, in vectors of which so many are turned at once; the other half are their conjugates. */
enum { WIDTH = 4, TOGETHER = 4, CHUNK = WIDTH * TOGETHER };
enum { HALF = (NETDP_I_COST_POINTS / 2 + CHUNK) / CHUNK * CHUNK };

/* A power of a point is a product of so many factors at most, then looked up. */
enum { TURNS = 16 };

typedef double four __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));

/* What does not depend on sigma and epsilon. */
typedef struct circle {
    const netdp_i_cost_law *law;
    const struct circle *beside;        /* of a law for the paths that are open, or NULL */
    double shrink[NETDP_I_COST_POINTS]; /* e^{-tilt g} */
    double cosine[NETDP_I_COST_POINTS], sine[NETDP_I_COST_POINTS];
    int64_t half; /* points up to n / 2, in whole chunks */
} circle;

static void circle_fill(const netdp_i_cost_law *law, circle *c)
{
    c->law = law;
    c->beside = NULL;
    c->half = (law->atoms / 2 + CHUNK) / CHUNK * CHUNK;
    for (int64_t g = 0; g < law->atoms && law->step > 0; g++) {
        const double turn = 2 * M_PI * (double)g / (double)law->atoms;
        c->shrink[g] = exp(-law->tilt * (double)g) * (1 + 4e-16 * (1 + law->tilt * (double)g));
        c->cosine[g] = cos(turn);
        c->sine[g] = sin(turn);
    }
}

/* What no point of the grid stands for. */
static double outside(const netdp_i_cost_law *law)
{
    return law->lost + (law->whole ? 0
                                   : (creal(law->value[0]) + law->off) *
                                         exp(-law->tilt * (double)law->atoms) * (1 + 1e-12));
}

/* Of h at g and at n - g: sums and differences; what the samples make of them, again so. */
typedef struct halves {
    double even[HALF], odd[HALF];
    double by_cosine[HALF], by_sine[HALF];
    double re[TURNS], im[TURNS]; /* F_j of so many j at once */
} halves;

static void fold(const circle *c, const double *h, halves *f)
{
    const int64_t n = c->law->atoms;
    memset(f, 0, sizeof *f);
    for (int64_t g = 0; 2 * g <= n && g < n; g++) {
        const bool alone = g == 0 || 2 * g == n;
        f->even[g] = alone ? h[g] : h[g] + h[n - g];
        f->odd[g] = alone ? 0 : h[g] - h[n - g];
    }
}

/* e^{2 pi i j g / n} of half of the points, and of j = 1. */
typedef struct turning {
    double re[HALF], im[HALF], re_one[HALF], im_one[HALF];
} turning;

static void turn_to(const circle *c, int64_t j, double *re, double *im)
{
    const int64_t n = c->law->atoms;
    for (int64_t g = 0, at = 0; g < c->half; g++) {
        re[g] = c->cosine[at];
        im[g] = c->sine[at];
        at += at + j < n ? j : j - n;
    }
}

#define INSIDE static inline __attribute__((always_inline))

INSIDE void turn_on(four *re, four *im, const four *re_one, const four *im_one)
{
    for (int i = 0; i < TOGETHER; i++) {
        const four next = re[i] * re_one[i] - im[i] * im_one[i];
        im[i] = re[i] * im_one[i] + im[i] * re_one[i];
        re[i] = next;
    }
}

/* F_j, `count` of them from where the turning stands on. */
NETDP_I_WIDER
static void find_parts(int64_t half, const turning *t, int64_t count, halves *f)
{
    four re_sum[TURNS] = {0}, im_sum[TURNS] = {0};
    for (int64_t g = 0; g < half; g += CHUNK) {
        const four *even = (const four *)(f->even + g), *odd = (const four *)(f->odd + g);
        four re[TOGETHER], im[TOGETHER];
        memcpy(re, t->re + g, sizeof re);
        memcpy(im, t->im + g, sizeof im);
        for (int64_t j = 0; j < count; j++) {
            re_sum[j] += (even[0] * re[0] + even[1] * re[1]) + (even[2] * re[2] + even[3] * re[3]);
            im_sum[j] -= (odd[0] * im[0] + odd[1] * im[1]) + (odd[2] * im[2] + odd[3] * im[3]);
            turn_on(re, im, (const four *)(t->re_one + g), (const four *)(t->im_one + g));
        }
    }
    for (int64_t j = 0; j < count; j++) {
        f->re[j] = (re_sum[j][0] + re_sum[j][1]) + (re_sum[j][2] + re_sum[j][3]);
        f->im[j] = (im_sum[j][0] + im_sum[j][1]) + (im_sum[j][2] + im_sum[j][3]);
    }
}

/* What these F_j make of the points. */
NETDP_I_WIDER
static void add_parts(int64_t half, const turning *t, int64_t count, halves *f)
{
    for (int64_t g = 0; g < half; g += CHUNK) {
        four *by_cosine = (four *)(f->by_cosine + g), *by_sine = (four *)(f->by_sine + g);
        four re[TOGETHER], im[TOGETHER], of_re[TOGETHER], of_im[TOGETHER];
        memcpy(re, t->re + g, sizeof re);
        memcpy(im, t->im + g, sizeof im);
        memcpy(of_re, by_cosine, sizeof of_re);
        memcpy(of_im, by_sine, sizeof of_im);
        for (int64_t j = 0; j < count; j++) {
            for (int i = 0; i < TOGETHER; i++) {
                of_re[i] += f->re[j] * re[i];
                of_im[i] += f->im[j] * im[i];
            }
            turn_on(re, im, (const four *)(t->re_one + g), (const four *)(t->im_one + g));
        }
        memcpy(by_cosine, of_re, sizeof of_re);
        memcpy(by_sine, of_im, sizeof of_im);
    }
}

/* The largest that h has above the sum. */
static double most_above(const circle *c, const double *h, const halves *f)
{
    const int64_t n = c->law->atoms;
    double above = 0;
    for (int64_t g = 0; g < n; g++) {
        const double sum =
            2 * g <= n ? f->by_cosine[g] - f->by_sine[g] : f->by_cosine[n - g] + f->by_sine[n - g];
        above = fmax(above, h[g] - sum);
    }
    return above;
}

/*
 * With h_g = f(step g) e^{-tilt g} and any F_j, w_j = 2 but for j = 0 and the last of all, 1,
 *
 *     f(step g) <= e^{tilt g} (sum_j w_j Re(F_j e^{2 pi i j g / atoms}) + R),
 *
 * R the largest that h_g has above the sum over g < atoms. The mean of the right is
 * sum_j w_j Re(F_j E z_j^G) + R E z_0^G. From g = atoms on the right is not negative, and f at most
 * 1: P(G >= atoms) <= e^{-tilt atoms} E z_0^G. F: the transform of h, which makes R small; what rounding makes of F
 * does not matter. A power of a point is off by at most 2 eps for each factor, 32 eps in all, and a sum by half an
 * eps for each term: that is below what is added for it.
 */
static double delta_of_samples(const circle *c, double sigma, double epsilon, double power,
                               double *rest)
{
    const netdp_i_cost_law *law = c->law;
    const int64_t n = law->atoms;
    double h[NETDP_I_COST_POINTS];
    double value = 0, norm = 0;
    halves f;
    turning t;
    for (int64_t g = 0; g < n; g++)
        h[g] =
            g == 0
                ? 0
                : to_power(netdp_i_cost_law_gaussian(epsilon, sqrt((double)g * law->step) / sigma),
                           power) *
                      c->shrink[g];
    fold(c, h, &f);
    turn_to(c, n > 1 ? 1 : 0, t.re_one, t.im_one);
    for (int64_t from = 0; from < law->samples; from += TURNS) {
        const int64_t count = law->samples - from < TURNS ? law->samples - from : TURNS;
        turn_to(c, from, t.re, t.im);
        find_parts(c->half, &t, count, &f);
        for (int64_t i = 0; i < count; i++) {
            const int64_t j = from + i;
            const double weight = (j == 0 || 2 * j == n ? 1 : 2) / (double)n;
            f.re[i] *= weight;
            f.im[i] *= weight;
            value += f.re[i] * creal(law->value[j]) - f.im[i] * cimag(law->value[j]);
            norm += fabs(f.re[i]) + fabs(f.im[i]);
        }
        add_parts(c->half, &t, count, &f);
    }
    const double most = creal(law->value[0]) + law->off;
    const double rounded = 4 * DBL_EPSILON * ((double)law->samples + 8) * norm;
    *rest = (most_above(c, h, &f) + rounded) * most;
    return fmax(0, value) + norm * law->off + rounded * most + *rest + outside(law);
}

/* Of the paths where C is known by the law beside alone. */
static double delta_beside(const circle *beside, double open, double sigma, double epsilon)
{
    static const double powers[] = {1, 1.1, 1.25, 1.5, 2, 4};
    double least = open, rest;
    for (size_t i = 0; beside != NULL && open > 0 && i < sizeof powers / sizeof *powers; i++) {
        const double p = powers[i];
        const double mean = beside->law->step > 0
                                ? delta_of_samples(beside, sigma, epsilon, p, &rest)
                                : delta_of_masses(beside->law, sigma, epsilon, p);
        const double all = mean + beside->law->open;
        least = fmin(least, pow(all, 1 / p) * pow(open, 1 - 1 / p) * (1 + 1e-13));
    }
    return least;
}

static double delta_at(const circle *c, double sigma, double epsilon, double *rest)
{
    *rest = 0;
    const double value = c->law->step > 0 ? delta_of_samples(c, sigma, epsilon, 1, rest)
                                          : delta_of_masses(c->law, sigma, epsilon, 1);
    return value + delta_beside(c->beside, c->law->open, sigma, epsilon) * (1 + 1e-15);
}

double netdp_i_cost_law_delta(const netdp_i_cost_law *law, double sigma, double epsilon,
                              double *rest)
{
    circle c;
    circle_fill(law, &c);
    return delta_at(&c, sigma, epsilon, rest);
}

/*
 * P(G = g), from above; the largest first. The same inequality for f that is 1 at g alone: F_j is
 * e^{-tilt g} e^{-2 pi i j g / atoms} / atoms, of norm below 3 e^{-tilt g} in all, and R is rounding.
 */
static void find_masses(const circle *c, netdp_i_cost_law *made)
{
    const netdp_i_cost_law *law = c->law;
    const int64_t n = law->atoms;
    const double most = creal(law->value[0]) + law->off;
    const double off = 3 * (law->off + 8 * DBL_EPSILON * ((double)law->samples + 8) * most);
    for (int64_t g = 0; g < n; g++) {
        double sum = 0;
        for (int64_t j = 0, at = 0; j < law->samples; j++) {
            const double weight = j == 0 || 2 * j == n ? 1 : 2;
            sum += weight *
                   (creal(law->value[j]) * c->cosine[at] + cimag(law->value[j]) * c->sine[at]);
            at += at + g < n ? g : g - n;
        }
        made->cost[n - 1 - g] = (double)g * law->step * (1 + 2 * DBL_EPSILON);
        made->mass[n - 1 - g] = c->shrink[g] * (fmax(0, sum / (double)n) + off);
    }
}

netdp_status netdp_i_cost_law_masses(const netdp_i_cost_law *law, netdp_i_cost_law *made,
                                     netdp_error *error)
{
    circle c;
    TRY(netdp_i_cost_law_new(law->atoms, made, error));
    made->bend = law->bend;
    if (law->step > 0) {
        circle_fill(law, &c);
        made->lost = fmin(1, outside(law) + law->open);
        find_masses(&c, made);
    } else {
        made->lost = fmin(1, law->lost + law->open);
        memcpy(made->mass, law->mass, (size_t)law->atoms * sizeof(double));
        memcpy(made->cost, law->cost, (size_t)law->atoms * sizeof(double));
    }
    double left =
        nextafter(1 - made->lost, INFINITY); /* what is above 1 in all is so by rounding */
    for (int64_t i = 0; i < made->atoms; i++) {
        made->mass[i] = fmin(left, nextafter(made->mass[i], INFINITY));
        left = fmax(0, nextafter(left - made->mass[i], INFINITY));
    }
    return NETDP_OK;
}

double netdp_i_cost_law_least(const netdp_i_cost_law *law, double sigma)
{
    const double square = 8 * sigma * sigma * law->bend;
    return isinf(law->bend) ? 0 : square > 1 ? 1 / sqrt(square - 1) : INFINITY;
}

/* An epsilon, and what delta is there. */
typedef struct point {
    double epsilon, log_delta;
} point;

static point ask_at(const circle *c, double sigma, double epsilon)
{
    double rest;
    return (point){epsilon, log(delta_at(c, sigma, epsilon, &rest))};
}

/*
 * Between low, where delta is too large, and high, where it is not: by turns where the line between
 * them would have it, and half way.
 */
static point search_between(const circle *c, double sigma, double log_delta, double within,
                            point low, point high)
{
    for (int turn = 0; high.epsilon - low.epsilon > within * high.epsilon && high.epsilon > 1e-12;
         turn++) {
        const double width = high.epsilon - low.epsilon;
        const double part = (low.log_delta - log_delta) / (low.log_delta - high.log_delta);
        double step = 0.5;
        if (turn % 3 != 2 && part > 0 && part < 1) /* a little to the side of what is not known */
            step = turn % 3 == 0 ? fmin(1 - 1e-10, part + 1e-10 + 1e-3 * part * (1 - part))
                                 : fmax(1e-10, part - 1e-10 - 1e-3 * part * (1 - part));
        const point next = ask_at(c, sigma, low.epsilon + step * width);
        if (next.epsilon <= low.epsilon || next.epsilon >= high.epsilon)
            break;
        if (next.log_delta <= log_delta)
            high = next;
        else
            low = next;
    }
    return high;
}

/* The least epsilon up to a part `within`; of infinity where there is none. beside: NULL, or another law. */
static double search(const netdp_i_cost_law *law, const netdp_i_cost_law *beside, double sigma,
                     double delta, double within)
{
    const double other = beside != NULL ? netdp_i_cost_law_least(beside, sigma) : 0;
    const double least = fmax(other, netdp_i_cost_law_least(law, sigma)) * (1 + 1e-12);
    const double goal = log(delta);
    circle c, at_side;
    if (isinf(least) || !(law->lost + (beside == NULL ? law->open : 0) < delta))
        return INFINITY;
    circle_fill(law, &c);
    if (beside != NULL) {
        circle_fill(beside, &at_side);
        c.beside = &at_side;
    }
    point low = {.epsilon = least < 1e-300 ? 0 : least, .log_delta = INFINITY};
    if (low.epsilon > 0) {
        low = ask_at(&c, sigma, low.epsilon);
        if (low.log_delta <= goal)
            return low.epsilon;
    }
    point high = ask_at(&c, sigma, fmax(1, 2 * low.epsilon));
    while (!(high.log_delta <= goal)) {
        if (high.epsilon > 1e6)
            return INFINITY;
        low = high;
        high = ask_at(&c, sigma, 2 * high.epsilon);
    }
    /* Where nothing is lost epsilon may be as small as one likes. */
    while (low.epsilon == 0 && high.epsilon > 2e-12) {
        const point down = ask_at(&c, sigma, 0.5 * high.epsilon);
        if (down.log_delta <= goal)
            high = down;
        else
            low = down;
    }
    return search_between(&c, sigma, goal, within, low, high).epsilon;
}

double netdp_i_cost_law_epsilon(const netdp_i_cost_law *law, double sigma, double delta)
{
    return search(law, NULL, sigma, delta, 1e-9);
}

double netdp_i_cost_law_epsilon_beside(const netdp_i_cost_law *law, const netdp_i_cost_law *beside,
                                       double sigma, double delta)
{
    return search(law, beside, sigma, delta, 1e-9);
}

double netdp_i_cost_law_about(const netdp_i_cost_law *law, double sigma, double delta)
{
    return search(law, NULL, sigma, delta, 1e-3);
}

int64_t netdp_i_step_bin(int64_t r)
{
    enum { ALONE = 512 };
    return r <= ALONE ? r - 1 : ALONE + (int64_t)(log((double)r / ALONE) * ALONE);
}
