/*
 * The proof of one pair's loss from a walk on a public path, as a file: what each step's noise takes off what is apart
 * (docs/proof-format.md). The slopes of the realised account, followed with what is apart rounded both ways.
 */
#include "account/walk/given_path.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "account/shift/proof.h"
#include "account/walk/spread.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/try.h"

/* The format's. */
enum { MOST_STEPS = 1000000 };

/* A digit below 2^-512 is cut off: what noise takes is above this, or nothing. */
#define LEAST_TAKEN 0x1p-450

/* The law of a contraction nearer to 0 gains nothing (spread.c). */
#define LEAST_CONTRACTION 1e-3

typedef struct asked {
    const netdp_token *token;
    const int32_t *path;
    int32_t source;
    int32_t members;
    const int32_t *member;
    bool *observes;    /* [nodes] */
    bool *contributes; /* [steps]: does the node of this step? */
    double *spread; /* [steps]: what the step's noise takes off; at a visit, all of what is there */
    double contraction, rate;
    netdp_i_pool pool;
} asked;

/* a + b, on the given side of it. */
static double add_to(double a, double b, double side)
{
    const double sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);
    return lost == 0 || (lost > 0) != (side > 0) ? sum : nextafter(sum, side);
}

static bool is_visit(const asked *a, int64_t t)
{
    return a->observes[a->path[t]] || (a->token->release && t == a->token->steps);
}

static netdp_status check(const netdp_proof_request *request, netdp_error *error)
{
    const netdp_walk_request *walk = request->walk;
    const netdp_token *token = walk->token;
    const netdp_bound_info *bound = NULL;
    NETDP_I_GIVEN(error, token);
    TRY(netdp_token_check(token, error));
    TRY(netdp_walk_bound_choose(token, walk->bound, &bound, error));
    if (token->route == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: a walk has a proof file where its path is public; give path: "
                            "public, or another");
    if (bound->bound != NETDP_BOUND_GIVEN_PATH)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: there are no proof files of the bound %s; use given-path",
                            bound->name);
    if (token->tokens > 1)
        return netdp_i_fail(error, NETDP_INVALID, "proof: there are proof files of one token only");
    if (token->steps > MOST_STEPS)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: there are no proof files of more than %d steps", MOST_STEPS);
    if (walk->law_epsilon > 0 || walk->law_delta > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: there are no proof files of a law that was released");
    return netdp_i_given_check(token, token->route->node, error);
}

static void asked_clear(asked *a)
{
    netdp_i_pool_clear(&a->pool);
}

static netdp_status mark_observers(asked *a, int32_t nodes, netdp_error *error)
{
    for (int32_t i = 0; i < a->members; i++) {
        const int32_t v = a->member[i];
        if (v < 0 || v >= nodes)
            return netdp_i_fail(error, NETDP_INVALID, "proof: no node %d among %d", (int)v,
                                (int)nodes);
        if (v == a->source)
            return netdp_i_fail(error, NETDP_INVALID,
                                "proof: node %d observes itself; ask for another", (int)v);
        a->observes[v] = true;
    }
    return NETDP_OK;
}

static netdp_status ask(const netdp_proof_request *request, asked *a, netdp_error *error)
{
    const netdp_walk_request *walk = request->walk;
    *a = (asked){.source = request->from, .members = 1, .member = &request->to};
    TRY(check(request, error));
    const int32_t nodes = netdp_transition_rows(walk->token->law).nodes;
    a->token = walk->token;
    a->path = walk->token->route->node;
    a->rate = netdp_i_spread_rate(a->token->contraction);
    a->contraction = a->rate > 0 ? fmax(a->token->contraction, LEAST_CONTRACTION) : 1;
    if (walk->coalition) {
        a->members = walk->to_count;
        a->member = walk->to;
    }
    if (a->source < 0 || a->source >= nodes)
        return netdp_i_fail(error, NETDP_INVALID, "proof: no node %d among %d", (int)a->source,
                            (int)nodes);
    int64_t *count = NETDP_I_TAKE(&a->pool, int64_t, nodes);
    a->observes = NETDP_I_TAKE(&a->pool, bool, nodes);
    a->contributes = NETDP_I_TAKE(&a->pool, bool, a->token->steps);
    a->spread = NETDP_I_TAKE(&a->pool, double, a->token->steps);
    TRY(netdp_i_pool_made(&a->pool, error));
    TRY(mark_observers(a, nodes, error));
    for (int64_t t = 0; t < a->token->steps; t++)
        a->contributes[t] = netdp_i_given_contributes(a->token, 0, t, &count[a->path[t]]);
    return NETDP_OK;
}

/* By slopes, of the contributions at when[count] that are seen at `end`. */
static void spread_piece(const asked *a, const int64_t *when, int64_t count, int64_t end,
                         netdp_i_slope *slopes)
{
    const int64_t made = netdp_i_slopes(a->rate, when, count, end, slopes);
    for (int64_t b = 0; b < made; b++) {
        const int64_t until = b + 1 < made ? slopes[b + 1].first : end;
        for (int64_t t = slopes[b].first; t < until; t++)
            a->spread[t] = slopes[b].given / slopes[b].noise * netdp_i_slope_left(a->rate, end - t);
    }
}

static netdp_status spread_all(const asked *a, netdp_error *error)
{
    int64_t count = 0;
    OWNED int64_t *when = NETDP_I_NEW(int64_t, a->token->steps);
    OWNED netdp_i_slope *slopes = NETDP_I_NEW(netdp_i_slope, a->token->steps);
    if (when == NULL || slopes == NULL)
        return netdp_i_no_memory(error);
    for (int64_t t = 0; t <= a->token->steps; t++) {
        if (is_visit(a, t)) {
            spread_piece(a, when, count, t, slopes);
            count = 0;
        }
        if (t < a->token->steps && a->path[t] == a->source && a->contributes[t])
            when[count++] = t;
    }
    return NETDP_OK;
}

/*
 * Follows what is apart, between `low` and `high`, so that no step takes more than there is. What is left before a
 * visit is all taken. The squares, rounded up: of at most 10^6 terms what products and sums lose is kept.
 */
static double follow(const asked *a)
{
    double low = 0, high = 0, sum = 0, lost = 0;
    for (int64_t t = 0; t < a->token->steps; t++) {
        if (a->contraction < 1) {
            low = nextafter(low * a->contraction, 0);
            high = high == 0 ? 0 : nextafter(high * a->contraction, INFINITY) + 0x1p-500;
        }
        if (a->path[t] == a->source && a->contributes[t]) {
            low = add_to(low, 1, 0);
            high = add_to(high, 1, INFINITY);
        }
        const bool all = is_visit(a, t + 1);
        a->spread[t] = fmin(a->spread[t], low);
        if (all || a->spread[t] < LEAST_TAKEN)
            a->spread[t] = 0;
        const double taken = all ? high : a->spread[t], square = taken * taken,
                     more = fma(taken, taken, -square), next = sum + square, part = next - sum;
        lost += more + ((sum - (next - part)) + (square - part));
        sum = next;
        low = all ? 0 : fmax(0, add_to(low, -taken, 0));
        high = all ? 0 : add_to(high, -taken, INFINITY);
    }
    return sum + lost == 0 ? 0 : nextafter((sum + lost) * (1 + 4 * 0x1p-52), INFINITY);
}

static void write_path(const asked *a, FILE *to)
{
    const int64_t steps = a->token->steps;
    fprintf(to, "netdp-proof 1\nnodes %d\nrounds %" PRId64 "\n",
            (int)netdp_transition_rows(a->token->law).nodes, steps);
    if (a->token->release)
        fprintf(to, "released\n");
    if (a->contraction < 1)
        fprintf(to, "contract %a\n", a->contraction);
    for (int64_t t = 0; t <= steps; t++)
        fprintf(to, "%s %" PRId64 " %d\n", t == steps || a->contributes[t] ? "step" : "rest", t,
                (int)a->path[t]);
}

static netdp_status write_proof(const asked *a, const netdp_i_proof_claims *claims, double weight,
                                const char *path, netdp_error *error)
{
    netdp_i_output output = {0};
    TRY(netdp_i_output_open(&output, path, error));
    FILE *to = output.stream;
    write_path(a, to);
    fprintf(to, "source %d\nobservers", (int)a->source);
    for (int32_t i = 0; i < a->members; i++)
        fprintf(to, " %d", (int)a->member[i]);
    fprintf(to, "\nsees visits\nown-noise known\n");
    if (weight != 1)
        fprintf(to, "weight %a\n", weight);
    netdp_i_proof_claims_write(claims, to);
    for (int64_t t = 0; t < a->token->steps; t++)
        if (a->spread[t] > 0)
            fprintf(to, "spread %" PRId64 " %a\n", t, a->spread[t]);
    fprintf(to, "end\n");
    return netdp_i_output_commit(&output, error);
}

netdp_status netdp_i_given_proof(const netdp_proof_request *request, const char *path, double *loss,
                                 netdp_error *error)
{
    CLEARED(asked_clear) asked a = {0};
    netdp_i_proof_claims claims = {0};
    TRY(ask(request, &a, error));
    TRY(spread_all(&a, error));
    /* A stationary probability of doubles has a few roundings. */
    const double scale = netdp_token_scale(a.token, a.source),
                 weight = scale == 1 ? 1 : scale * scale * (1 + 16 * 0x1p-52);
    const double all = follow(&a), weighed = weight == 1 ? all : all * weight;
    TRY(netdp_i_proof_claim(weight == 1 ? all : nextafter(weighed, INFINITY), request->unit,
                            request->noise, &claims, error));
    TRY(write_proof(&a, &claims, weight, path, error));
    if (loss != NULL)
        *loss = claims.loss;
    return NETDP_OK;
}

/* "step 123456 1234567", "spread 123456 0x1.xxxxxxxxxxxxxp-12" */
enum { STEP_BYTES = 22, SPREAD_BYTES = 38 };

netdp_status netdp_i_given_proof_bytes(const netdp_proof_request *request, double *bytes,
                                       netdp_error *error)
{
    TRY(check(request, error));
    *bytes = 1024 + (double)request->walk->token->steps * (STEP_BYTES + SPREAD_BYTES);
    return NETDP_OK;
}
