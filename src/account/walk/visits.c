#include "account/walk/visits.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <netdp/walk.h>

#include "account/walk/first_passage.h"
#include "account/walk/series.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "mixing/mixing.h"
#include "privacy/ball.h"

/* Multiplications that a quantile may cost. */
#define WORK 1e11

/* Part by which entries of 11'/n may be off by rounding. */
#define UNIFORM 1e-14

/* Part of delta that the rounding of transforms may take up before products decide instead. */
#define UNDECIDED 1e-3

/* Steps up to which sequences are multiplied term by term, and for which they are kept. */
enum { SHORT = 256, MOST_STEPS = 10000000 };

enum { BITS = 160 };

double netdp_visits_chernoff(double mean, double delta)
{
    const double log_inverse = -log(delta);
    return mean >= 3 * log_inverse ? mean + sqrt(3 * mean * log_inverse) : INFINITY;
}

/* P(Binomial(trials, 1/nodes) = k), rounded up. */
static double binomial_mass(int64_t trials, int32_t nodes, int64_t k)
{
    arb_t sum, term;
    arb_init(sum);
    arb_init(term);
    arb_set_si(term, trials);
    arb_add_ui(term, term, 1, BITS);
    arb_lgamma(sum, term, BITS);
    arb_set_si(term, k);
    arb_add_ui(term, term, 1, BITS);
    arb_lgamma(term, term, BITS);
    arb_sub(sum, sum, term, BITS);
    arb_set_si(term, trials - k);
    arb_add_ui(term, term, 1, BITS);
    arb_lgamma(term, term, BITS);
    arb_sub(sum, sum, term, BITS);
    /* p^k (1-p)^(trials-k) = (n-1)^(trials-k) / n^trials */
    arb_log_ui(term, (ulong)nodes - 1, BITS);
    arb_mul_si(term, term, trials - k, BITS);
    arb_add(sum, sum, term, BITS);
    arb_log_ui(term, (ulong)nodes, BITS);
    arb_mul_si(term, term, trials, BITS);
    arb_sub(sum, sum, term, BITS);
    arb_exp(sum, sum, BITS);
    const double mass = netdp_i_ball_up(sum);
    arb_clear(sum);
    arb_clear(term);
    return mass;
}

/*
 * P(more than k), from above: masses fall by ever smaller ratios once k is past the mean, so that
 * the rest is below a geometric series wherever the sum ends.
 */
static double binomial_tail(int64_t trials, int32_t nodes, int64_t k)
{
    const double odds = 1 / ((double)nodes - 1);
    double term = 1, sum = 1, ratio = 0;
    if (k >= trials)
        return 0;
    for (int64_t j = k + 1; j < trials; j++) {
        ratio = (double)(trials - j) / (double)(j + 1) * odds;
        term *= ratio;
        sum += term;
        if (ratio < 1 && (term * ratio < 1e-17 * sum * (1 - ratio) || j > k + 10000000)) {
            sum += term * ratio / (1 - ratio);
            break;
        }
    }
    return binomial_mass(trials, nodes, k + 1) * sum * (1 + 1e-8);
}

int64_t netdp_i_binomial_quantile(int64_t trials, int32_t nodes, double delta)
{
    /* The median is the mean rounded down or up: more than half of the mass is not below. */
    int64_t low = trials / nodes - 1, high = trials;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (binomial_tail(trials, nodes, middle) <= delta)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The last node of the path, as far as it matters for the spotted contributions. */
enum { OTHER, OBSERVER, SEEN, UNSEEN, STATES }; /* SEEN, UNSEEN: u, spotted already or not */

/* law[count][state] one step on; `counts`: the step's own contribution counts. Returns what goes
   beyond the last count. */
static double spotted_step(double (*law)[STATES], int64_t room, double p, bool counts)
{
    double carry[STATES] = {0}, beyond = 0;
    for (int64_t k = 0; k < room; k++) {
        const double *now = law[k];
        const double total = now[OTHER] + now[OBSERVER] + now[SEEN] + now[UNSEEN];
        const double seen = counts ? p * now[OBSERVER] : 0; /* u right after v */
        const double caught = p * now[UNSEEN];              /* v right after u */
        const double next[STATES] = {
            (1 - 2 * p) * total, p * (total - now[UNSEEN]) + carry[OBSERVER],
            p * now[OBSERVER] - seen + carry[SEEN], p * (total - now[OBSERVER])};
        carry[OBSERVER] = caught;
        carry[SEEN] = seen;
        beyond = caught + seen;
        memcpy(law[k], next, sizeof next);
    }
    return beyond;
}

netdp_status netdp_i_spotted_quantile(int64_t steps, int32_t nodes, double delta, int64_t *count,
                                      netdp_error *error)
{
    const double p = 1.0 / nodes;
    for (int64_t room = 16;; room *= 2) {
        if ((double)steps * (double)room * 10 > WORK)
            return netdp_i_fail(error, NETDP_NO_ANSWER,
                                "spotted contributions: too many in %.3g steps on %d nodes to be "
                                "counted; give an edge cap",
                                (double)steps, (int)nodes);
        double(*law)[STATES] = netdp_i_new(room, sizeof *law);
        double tail = 0;
        if (law == NULL)
            return netdp_i_no_memory(error);
        law[0][OTHER] = 1; /* before the path: nobody */
        for (int64_t t = 0; t <= steps; t++)
            tail += spotted_step(law, room, p, t < steps);
        int64_t k = room;
        const double upward = 1 + 16 * DBL_EPSILON * ((double)steps + 2);
        while (k > 0 && tail * upward <= delta) {
            k--; /* tail is P(more than k) */
            for (int state = 0; state < STATES; state++)
                tail += law[k][state];
        }
        netdp_i_free(law);
        if (k < room) {
            *count = k;
            return NETDP_OK;
        }
    }
}

static bool uniform_moves(const netdp_rows *rows)
{
    for (int32_t u = 0; u < rows->nodes; u++) {
        if (rows->start[u + 1] - rows->start[u] != rows->nodes)
            return false;
        for (int64_t i = rows->start[u]; i < rows->start[u + 1]; i++)
            if (fabs(rows->weight[i] * rows->nodes - 1) > UNIFORM)
                return false;
    }
    return true;
}

/*
 * The law of the node of step 0, rho [nodes]. rho_x / pi_x moves as P does, since pi_x P_xy = pi_y
 * P_yx, and is 1 once the burn-in has mixed.
 */
static netdp_status starting_law(const netdp_token *token, double *rho, double *next,
                                 netdp_error *error)
{
    const netdp_rows rows = netdp_transition_rows(token->law);
    const double *pi = netdp_transition_stationary(token->law);
    if (token->start == NETDP_START_OBSERVER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "visits: the start is the observer; give its node");
    for (int32_t x = 0; x < rows.nodes; x++)
        rho[x] = token->start == NETDP_START_UNIFORM ? 1.0 / rows.nodes / pi[x]
                 : x == token->start                 ? 1 / pi[x]
                                                     : 0;
    for (int64_t t = 0; t < token->burn_in; t++) {
        double away = 0;
        for (int32_t x = 0; x < rows.nodes; x++)
            away = fmax(away, fabs(rho[x] - 1));
        if (away < 1e-14)
            break;
        netdp_i_rows_apply(rows, rho, next, 1);
        memcpy(rho, next, (size_t)rows.nodes * sizeof *rho);
    }
    for (int32_t x = 0; x < rows.nodes; x++)
        rho[x] *= pi[x];
    return NETDP_OK;
}

/* first[t] = P(first visit at step t), back[i] = P(next visit i steps after one), t, i < steps.
   Returns by how much they may be too small, in parts of them. */
static netdp_status visit_laws(const netdp_token *token, int32_t node, double *first, double *back,
                               double *relative, netdp_error *error)
{
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    OWNED_BY(netdp_i_passage_free) netdp_i_passage *passage = NULL;
    OWNED double *rho = NETDP_I_NEW(double, 2 * (int64_t)nodes);
    if (rho == NULL)
        return netdp_i_no_memory(error);
    TRY(starting_law(token, rho, rho + nodes, error));
    TRY(netdp_i_passage_new(token->law, &node, 1, &passage, error));
    first[0] = rho[node];
    back[0] = 0;
    rho[node] = 0;
    for (int64_t i = 1; i < token->steps; i++) {
        const double *arrive = netdp_i_passage_next(passage);
        double sum = 0;
        for (int32_t x = 0; x < nodes; x++)
            sum += rho[x] * arrive[x];
        first[i] = sum;
        back[i] = arrive[node];
    }
    *relative = netdp_i_passage_error(passage).relative + 1e-12;
    return NETDP_OK;
}

/* visit[t] = P(k-th visit at step t) becomes that of the next visit: in place, from the end. */
static void next_visit(double *visit, const double *back, int64_t steps)
{
    for (int64_t t = steps - 1; t >= 0; t--) {
        double sum[4] = {0}; /* more than one chain of additions at a time */
        int64_t i = 1;
        for (; i + 3 <= t; i += 4)
            for (int j = 0; j < 4; j++)
                sum[j] += back[i + j] * visit[t - i - j];
        for (; i <= t; i++)
            sum[0] += back[i] * visit[t - i];
        visit[t] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* What the law of one node needs: first, back [steps] and their relative rounding. */
typedef struct renewal {
    int64_t steps;
    double delta;
    double *first, *back;
    double relative;
    double work; /* multiplications so far */
} renewal;

static netdp_status spend(renewal *r, double work, netdp_error *error)
{
    r->work += work;
    if (r->work <= WORK)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_NO_ANSWER,
                        "visits: the distribution of %.3g steps would take too long; give a cap",
                        (double)r->steps);
}

/* P(more than k visits), from above, of the law of the visit after k; `lost` to the transforms. */
static double more_than(const renewal *r, int64_t k, const double *visit, double lost)
{
    double sum = 0;
    for (int64_t t = 0; t < r->steps; t++)
        sum += visit[t];
    return sum * (1 + (double)(k + 1) * (r->relative + 2 * (double)r->steps * DBL_EPSILON)) + lost;
}

/* Every product term by term: exact for any delta. r->first is lost. */
static netdp_status by_products(renewal *r, int64_t *visits, netdp_error *error)
{
    const double steps = (double)r->steps;
    int64_t k = 0;
    for (; more_than(r, k, r->first, 0) > r->delta; k++) {
        TRY(spend(r, steps * steps / 2, error));
        next_visit(r->first, r->back, r->steps);
    }
    *visits = k;
    return NETDP_OK;
}

/* visit times back, without what is negative by rounding; returns a bound on what the sum of the
   coefficients lost. `both`: the transform of back, and room for one. */
static double multiply_visits(const netdp_i_series *series, double *visit, const double *back,
                              fftw_complex *const both[2])
{
    const double lost = (double)series->terms * netdp_i_series_noise(series, visit, back);
    netdp_i_series_transform(series, visit, both[1]);
    netdp_i_series_multiply(series, both[1], both[0], both[1]);
    netdp_i_series_restore(series, both[1], visit);
    for (int64_t t = 0; t < series->terms; t++)
        visit[t] = fmax(0, visit[t]);
    return lost;
}

/* By transforms, in no time; *visits stays -1 where their rounding could decide. */
static netdp_status by_transforms(renewal *r, int64_t *visits, netdp_error *error)
{
    const double steps = (double)r->steps;
    OWNED_BY(netdp_i_series_free) netdp_i_series *series = NULL;
    double lost = 0;
    TRY(netdp_i_series_new(r->steps, &series, error));
    OWNED_BY(netdp_i_series_drop) double *visit = netdp_i_series_array(series);
    OWNED_BY(netdp_i_series_drop) double *back = netdp_i_series_array(series);
    OWNED_BY(netdp_i_series_drop) fftw_complex *of_back = netdp_i_series_bins(series);
    OWNED_BY(netdp_i_series_drop) fftw_complex *room = netdp_i_series_bins(series);
    if (visit == NULL || back == NULL || of_back == NULL || room == NULL)
        return netdp_i_no_memory(error);
    memcpy(visit, r->first, (size_t)r->steps * sizeof *visit);
    memcpy(back, r->back, (size_t)r->steps * sizeof *back);
    netdp_i_series_transform(series, back, of_back);
    for (int64_t k = 0; lost <= UNDECIDED * r->delta; k++) {
        if (more_than(r, k, visit, lost) <= r->delta) {
            *visits = k;
            break;
        }
        TRY(spend(r, 10 * steps * log2(steps), error));
        lost += multiply_visits(series, visit, back, (fftw_complex *[]){of_back, room});
    }
    return NETDP_OK;
}

static netdp_status renewal_quantile(const netdp_token *token, int32_t node, double delta,
                                     int64_t *visits, netdp_error *error)
{
    const netdp_rows rows = netdp_transition_rows(token->law);
    renewal r = {.steps = token->steps, .delta = delta};
    int64_t found = -1;
    const double products = (double)token->steps * (double)rows.start[rows.nodes];
    TRY(spend(&r, token->steps > MOST_STEPS ? INFINITY : products, error));
    r.work = 0;
    CLEARED(netdp_i_pool_clear) netdp_i_pool pool = {0};
    r.first = NETDP_I_TAKE(&pool, double, token->steps);
    r.back = NETDP_I_TAKE(&pool, double, token->steps);
    TRY(netdp_i_pool_made(&pool, error));
    TRY(visit_laws(token, node, r.first, r.back, &r.relative, error));
    if (token->steps > SHORT)
        TRY(by_transforms(&r, &found, error));
    if (found < 0)
        TRY(by_products(&r, &found, error));
    *visits = found;
    return NETDP_OK;
}

netdp_status netdp_visits_quantile(const netdp_token *token, int32_t node, double delta,
                                   int64_t *visits, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && visits);
    TRY(netdp_token_check(token, error));
    const netdp_rows rows = netdp_transition_rows(token->law);
    if (node < 0 || node >= rows.nodes)
        return netdp_i_fail(error, NETDP_INVALID, "visits: no node %d; nodes are 0 to %d",
                            (int)node, (int)rows.nodes - 1);
    if (!(delta > 0 && delta < 0.5))
        return netdp_i_fail(error, NETDP_INVALID,
                            "visits: delta %g; give a number between 0 and 1/2", delta);
    if (!uniform_moves(&rows) || token->start == NETDP_START_OBSERVER)
        return renewal_quantile(token, node, delta, visits, error);
    if (token->start == NETDP_START_UNIFORM || token->burn_in > 0)
        *visits = netdp_i_binomial_quantile(token->steps, rows.nodes, delta);
    else
        *visits =
            netdp_i_binomial_quantile(token->steps - 1, rows.nodes, delta) + (token->start == node);
    return NETDP_OK;
}
