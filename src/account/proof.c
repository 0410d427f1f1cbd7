/*
 * The proof of one pair's loss, as a file: the displacement that the dense recursion finds, or what pairs alone pay where
 * every message is seen. The least of both is written.
 */
#include <netdp/account.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "account/gossip.h"
#include "account/gossip/dual_bound.h"
#include "account/gossip/stream.h"
#include "account/shift/dense.h"
#include "account/shift/pairs.h"
#include "account/shift/proof.h"
#include "account/shift/stream.h"
#include "account/walk/given_path.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"

/* Observers of sums: each may have a tie in a round, of which the format takes so many. */
enum { MOST_TIED = 100 };

/* Of a request: the view, and what each phase is. */
typedef struct asked {
    const netdp_proof_request *request;
    const netdp_linear *protocol;
    const netdp_bound_info *bound;
    netdp_i_shift_view view;
    bool stream;
    int64_t phases; /* 0: averaging, or a stream */
    int64_t parts;  /* phases, or contributions, at most: 1 of averaging */
    int32_t stories;
} asked;

static void story_clear(netdp_i_story *story)
{
    netdp_i_shift_problem_clear(&story->problem);
    netdp_i_free(story->of.g);
    netdp_i_free(story->of.c);
}

/* A product from 0, never below the true one. */
static double times_up(double a, double b)
{
    return a == 1 ? b : b == 1 ? a : nextafter(a * b, INFINITY);
}

static netdp_status check_bound(const asked *a, netdp_error *error)
{
    const netdp_bound bound = a->bound->bound;
    const bool some =
        bound == NETDP_BOUND_ABS_SUM || bound == NETDP_BOUND_SPECTRAL || bound == NETDP_BOUND_DUAL;
    if (bound != NETDP_BOUND_EXACT && bound != NETDP_BOUND_UPPER &&
        bound != NETDP_BOUND_PHASE_RELEASE && bound != NETDP_BOUND_EVERYTHING && !some)
        return netdp_i_fail(
            error, NETDP_INVALID, "proof: there are no proof files of the bound %s; use %s",
            a->bound->name,
            a->stream ? "upper or everything" : "exact, phase-release or everything");
    if (a->request->losses->pattern != NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: there are no proof files of a given pattern; leave it out");
    REFUSE(a->request->losses->pool > 1,
           "proof: there are no proof files of pools, whose members nobody names; name them");
    if (a->request->losses->protection.batches.kind == NETDP_BATCHES_POISSON)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: Poisson batches have no proof file; give full or cyclic");
    return netdp_i_proof_check(a->protocol, error);
}

static netdp_status check_pair(const asked *a, netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(a->protocol->mixing).nodes, from = a->request->from;
    if (from < 0 || from >= n)
        return netdp_i_fail(error, NETDP_INVALID, "proof: no node %d among %d", (int)from, (int)n);
    for (int32_t i = 0; i < a->view.members; i++) {
        const int32_t v = a->view.member[i];
        if (v < 0 || v >= n)
            return netdp_i_fail(error, NETDP_INVALID, "proof: no node %d among %d", (int)v, (int)n);
        if (v == from)
            return netdp_i_fail(error, NETDP_INVALID,
                                "proof: node %d observes itself; ask for another", (int)v);
    }
    return NETDP_OK;
}

static netdp_status ask(const netdp_proof_request *request, asked *a, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && request->losses);
    const netdp_loss_request *losses = request->losses;
    *a = (asked){.request = request, .protocol = losses->protocol, .parts = 1, .stories = 1};
    TRY(netdp_i_gossip_check(losses, &a->bound, error));
    a->stream = a->protocol->every > 0 && !a->protocol->reacts;
    if (a->protocol->noise.pairing.weighted)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: there are no proof files of pairs that differ in noise");
    TRY(check_bound(a, error));
    const netdp_linear *p = a->protocol;
    if (a->stream)
        a->parts = netdp_linear_contributions(p);
    if (p->reacts) {
        a->phases = p->rounds / p->every;
        a->parts = losses->protection.protects == NETDP_PROTECTS_ROW
                       ? netdp_linear_participations(p)
                       : a->phases;
        if (p->varying.kind != NETDP_VARY_NEVER)
            a->stories = (int32_t)a->phases;
    }
    a->view = (netdp_i_shift_view){.sees = losses->sees == NETDP_SEES_SUM ? NETDP_SEES_SUM
                                                                          : NETDP_SEES_NEIGHBOURS,
                                   .counts = netdp_i_gossip_own_counts(losses),
                                   .members = losses->coalition ? losses->to_count : 1,
                                   .member = losses->coalition ? losses->to : &request->to,
                                   .rounds = p->reacts ? p->every : p->rounds,
                                   .every = a->stream ? p->every : 0,
                                   .end = p->reacts ? p->noise.end : 0};
    if (a->view.sees == NETDP_SEES_SUM && a->view.members > MOST_TIED)
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: there are no proof files of the sums of more than %d observers",
                            MOST_TIED);
    return check_pair(a, error);
}

static bool is_everything(const asked *a)
{
    return a->bound->bound == NETDP_BOUND_EVERYTHING ||
           a->request->losses->sees == NETDP_SEES_EVERYTHING;
}

/* |e_u + kappa B c|^2 + |c|^2, rounded up: what pairs pay where no message moves. */
static netdp_status pairs_cost(const netdp_i_shift_problem *p, int32_t u, const double *c,
                               double *loss, netdp_error *error)
{
    OWNED double *moved = NETDP_I_NEW(double, 2 * (int64_t)p->nodes);
    NEED(moved);
    double *size = moved + p->nodes, sum = 0;
    moved[u] = size[u] = 1;
    for (int64_t i = 0; i < p->pair_count; i++)
        for (int end = 0; end < 2; end++) {
            moved[p->pair[2 * i + end]] += (end == 0 ? 1 : -1) * (p->kappa[i] * c[i]);
            size[p->pair[2 * i + end]] += p->kappa[i] * fabs(c[i]);
        }
    /* Each of at most `pair_count` + 1 products and sums errs by 2^-53 of what stands then. */
    const double part = ((double)p->pair_count + 4) * 0x1p-52;
    for (int32_t v = 0; v < p->nodes; v++)
        sum += pow(fabs(moved[v]) + part * size[v], 2);
    for (int64_t i = 0; i < p->pair_count; i++)
        sum += c[i] * c[i];
    *loss = p->pair_count == 0 ? 1 : sum * (1 + 2 * part + 8 * (double)p->nodes * 0x1p-52);
    return NETDP_OK;
}

/* c = -kappa B' N^-1 e_u, the least. */
static netdp_status tell_everything(const asked *a, netdp_i_story *story, netdp_error *error)
{
    netdp_i_shift_view view = a->view;
    CLEARED(netdp_i_shift_pairs_clear) netdp_i_shift_pairs pairs = {0};
    view.rounds = 1;
    view.every = 0;
    view.sees = NETDP_SEES_SUM;
    TRY(netdp_i_shift_problem_new(a->protocol, &view, &story->problem, error));
    const netdp_i_shift_problem *p = &story->problem;
    OWNED double *x = NETDP_I_NEW(double, 2 * (int64_t)p->nodes);
    story->of.lanes = 1;
    story->of.c = NETDP_I_NEW(double, p->pair_count);
    if (x == NULL || story->of.c == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_shift_pairs_new(p, &pairs, error));
    x[a->request->from] = 1;
    if (p->pair_count > 0)
        netdp_i_shift_pairs_solve(&pairs, p->nodes, x, x + p->nodes, 1);
    netdp_i_shift_pairs_pull(p, x + p->nodes, story->of.c, 1);
    for (int64_t i = 0; i < p->pair_count; i++)
        story->of.c[i] = -story->of.c[i];
    return pairs_cost(p, a->request->from, story->of.c, &story->loss, error);
}

/* The bound of a stream that its file names, and what it needs. */
typedef struct pattern {
    netdp_bound asked;
    int32_t slots, most;
    const char *name;
    double *y; /* [slots]: of dual */
    double loss;
} pattern;

/* The diagonal of the products at hand, and more by what they miss of the exact ones. */
static netdp_status find_diagonal(const pattern *p, netdp_i_dual *quadratic,
                                  const netdp_i_stream_proof *proof,
                                  const netdp_i_shift_products *of, double *y, netdp_error *error)
{
    const int64_t n = p->slots;
    double trace = 0, off = 0;
    for (int64_t k = 0; k < n; k++) {
        trace += of->m[k * n + k];
        off += of->off[k] * of->off[k];
    }
    TRY(netdp_i_dual_diagonal(quadratic, of->m, p->slots, p->asked == NETDP_BOUND_SPECTRAL, y,
                              error));
    const double more =
        1.001 * (2 * sqrt(trace * off) + off) + netdp_i_stream_gram_error(proof, of->m, n, true);
    for (int64_t k = 0; k < n; k++)
        y[k] = (y[k] + more) * (1 + 4 * DBL_EPSILON);
    return NETDP_OK;
}

/* abs-sum or dual, whichever is asked for, or less. */
static netdp_status choose_bound(void *context, const netdp_i_shift_products *of,
                                 netdp_error *error)
{
    pattern *p = context;
    const netdp_i_stream_proof proof = {.holds = true, .terms = of->terms, .beside = p->slots};
    double drift = 0;
    OWNED double *y = NETDP_I_NEW(double, 2 * (int64_t)p->slots);
    OWNED_BY(netdp_i_dual_free) netdp_i_dual *quadratic = NULL;
    if (y == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_dual_new(p->slots, &quadratic, error));
    for (int32_t k = 0; k < p->slots; k++)
        drift += of->off[k];
    const netdp_i_stream_matrix matrix = {of->m, p->slots, p->most, drift};
    p->name = "abs-sum";
    p->loss = INFINITY;
    if (p->asked == NETDP_BOUND_UPPER || p->asked == NETDP_BOUND_ABS_SUM)
        TRY(netdp_i_stream_bound_proven(quadratic, &proof, &matrix, NETDP_BOUND_ABS_SUM, &p->loss,
                                        error));
    if (p->asked == NETDP_BOUND_ABS_SUM)
        return NETDP_OK;
    TRY(find_diagonal(p, quadratic, &proof, of, y, error));
    memcpy(y + p->slots, y, (size_t)p->slots * sizeof *y);
    const double sum = netdp_i_sum_largest(y + p->slots, p->slots, 0, 0, p->most) *
                       (1 + 2.0 * p->slots * DBL_EPSILON);
    if (sum < p->loss) {
        memcpy(p->y, y, (size_t)p->slots * sizeof *y);
        p->loss = sum;
        p->name = "dual";
    }
    return NETDP_OK;
}

/* A displacement of each contribution, and the bound by all of them. */
static netdp_status tell_stream(const asked *a, netdp_i_story *story, pattern *chosen,
                                netdp_error *error)
{
    TRY(netdp_i_shift_problem_new(a->protocol, &a->view, &story->problem, error));
    const netdp_i_shift_problem *p = &story->problem;
    const int64_t slots = netdp_i_shift_slots(p);
    *chosen = (pattern){.asked = a->bound->bound,
                        .slots = (int32_t)slots,
                        .most = (int32_t)a->parts,
                        .name = "abs-sum",
                        .y = NETDP_I_NEW(double, slots),
                        .loss = INFINITY};
    story->of = (netdp_i_displacement){.lanes = (int32_t)slots,
                                       .source = &a->request->from,
                                       .g = NETDP_I_NEW(double, p->rounds * p->nodes * slots),
                                       .c = NETDP_I_NEW(double, slots * p->pair_count * slots)};
    if (chosen->y == NULL || story->of.g == NULL || story->of.c == NULL)
        return netdp_i_no_memory(error);
    const netdp_i_shift_sink sink = {slots, choose_bound, chosen};
    if (!p->apart)
        TRY(netdp_i_shift_stream_story(p, &story->of, &sink, error));
    story->loss = chosen->loss;
    return NETDP_OK;
}

/* The displacement of the rounds from `begin` on. */
static netdp_status tell_rounds(const asked *a, int64_t begin, netdp_i_story *story,
                                netdp_error *error)
{
    netdp_i_shift_view view = a->view;
    view.begin = begin;
    TRY(netdp_i_shift_problem_new(a->protocol, &view, &story->problem, error));
    const netdp_i_shift_problem *p = &story->problem;
    story->loss = INFINITY;
    story->of = (netdp_i_displacement){.lanes = 1,
                                       .source = &a->request->from,
                                       .g = NETDP_I_NEW(double, p->rounds * p->nodes),
                                       .c = NETDP_I_NEW(double, p->pair_count)};
    if (story->of.g == NULL || story->of.c == NULL)
        return netdp_i_no_memory(error);
    return p->apart ? NETDP_OK : netdp_i_shift_story(p, &story->of, &story->loss, error);
}

static netdp_status claim(const asked *a, netdp_i_proof *proof, netdp_error *error)
{
    const double *share = a->request->losses->protection.share;
    proof->weight = share == NULL ? 1 : times_up(share[proof->source], share[proof->source]);
    if (!(proof->weight > 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "proof: nothing of node %d is protected: its share is 0",
                            (int)proof->source);
    return netdp_i_proof_claim(times_up(proof->claims.loss, proof->weight), a->request->unit,
                               a->request->noise, &proof->claims, error);
}

static netdp_status write_proof(const netdp_i_proof *proof, const char *path, netdp_error *error)
{
    netdp_i_output output = {0};
    TRY(netdp_i_output_open(&output, path, error));
    netdp_i_proof_head(proof, output.stream);
    netdp_i_proof_question(proof, output.stream);
    netdp_i_proof_end(output.stream);
    return netdp_i_output_commit(&output, error);
}

/* Of what was asked, without what it is by. */
static netdp_i_proof proof_of(const asked *a)
{
    const netdp_proof_request *request = a->request;
    return (netdp_i_proof){.protocol = a->protocol,
                           .view = &a->view,
                           .source = request->from,
                           .phases = a->phases,
                           .parts = a->parts,
                           .row = request->losses->protection.protects == NETDP_PROTECTS_ROW};
}

/* The losses of the phases in which it takes part, at most. */
static double add_phases(const asked *a, const netdp_i_story *story)
{
    double sum = 0;
    if (a->stories == 1)
        return a->stream ? story->loss : times_up(story->loss, (double)a->parts);
    for (int32_t i = 0; i < a->stories; i++)
        sum = nextafter(sum + story[i].loss, INFINITY);
    return sum;
}

static netdp_status tell(const asked *a, netdp_i_story *story, pattern *chosen, netdp_error *error)
{
    if (a->stream)
        return tell_stream(a, story, chosen, error);
    for (int32_t i = 0; i < a->stories; i++)
        TRY(tell_rounds(a, i * a->view.rounds, &story[i], error));
    return NETDP_OK;
}

/* No message moves: as true of what fewer messages tell. */
static void keep_still(netdp_i_story *story, const netdp_i_story *whole)
{
    const netdp_i_shift_problem *p = &story->problem;
    const int64_t slots = netdp_i_shift_slots(p), pairs = p->pair_count;
    netdp_i_free(story->of.g);
    story->of.g = NULL;
    memset(story->of.c, 0, (size_t)(slots * pairs * slots) * sizeof *story->of.c);
    for (int64_t k = 0; k < slots; k++)
        for (int64_t i = 0; i < pairs; i++)
            story->of.c[(k * pairs + i) * slots + k] = whole->of.c[i];
}

/* In a file. `whole`: of what is told to everybody; `story`: of the rounds, where they tell. */
static netdp_status prove(const asked *a, netdp_i_story *story, netdp_i_story *whole,
                          pattern *chosen, netdp_i_proof *proof, const char *path,
                          netdp_error *error)
{
    const bool rounds = !is_everything(a) && netdp_linear_least_noise(a->protocol) > 0 &&
                        (!a->protocol->reacts || a->protocol->noise.end > 0);
    TRY(tell_everything(a, whole, error));
    if (rounds)
        TRY(tell(a, story, chosen, error));
    const double all = times_up(whole->loss, (double)a->parts),
                 told = rounds ? add_phases(a, story) : INFINITY;
    for (int32_t i = 0; rounds && !(told < all) && i < a->stories; i++)
        keep_still(&story[i], whole);
    proof->everything = !rounds;
    proof->bound = !rounds || !a->stream ? NULL : told < all ? chosen->name : "abs-sum";
    proof->y = proof->bound != NULL && strcmp(proof->bound, "dual") == 0 ? chosen->y : NULL;
    proof->claims.loss = fmin(all, told);
    proof->story = rounds ? story : whole;
    proof->stories = rounds ? a->stories : 1;
    TRY(claim(a, proof, error));
    return write_proof(proof, path, error);
}

netdp_status netdp_losses_proof(const netdp_proof_request *request, const char *path, double *loss,
                                netdp_error *error)
{
    NETDP_I_GIVEN(error, request && path);
    if (request->walk != NULL)
        return netdp_i_given_proof(request, path, loss, error);
    asked a;
    TRY(ask(request, &a, error));
    OWNED netdp_i_story *story = NETDP_I_NEW(netdp_i_story, a.stories);
    CLEARED(story_clear) netdp_i_story whole = {0};
    pattern chosen = {.name = NULL};
    netdp_i_proof proof = proof_of(&a);
    NEED(story);
    const netdp_status status = prove(&a, story, &whole, &chosen, &proof, path, error);
    for (int32_t i = 0; i < a.stories; i++)
        story_clear(&story[i]);
    netdp_i_free(chosen.y);
    if (loss != NULL && status == NETDP_OK)
        *loss = proof.claims.loss;
    return status;
}

netdp_status netdp_losses_proof_bytes(const netdp_proof_request *request, double *bytes,
                                      netdp_error *error)
{
    NETDP_I_GIVEN(error, request && bytes);
    if (request->walk != NULL)
        return netdp_i_given_proof_bytes(request, bytes, error);
    asked a;
    TRY(ask(request, &a, error));
    *bytes = netdp_i_proof_bytes(a.protocol, is_everything(&a) ? 0 : a.view.rounds, a.stories);
    return NETDP_OK;
}

/* One question of a file, after the head where it is the first. */
static netdp_status write_everything(const netdp_proof_request *request, bool first, FILE *to,
                                     netdp_error *error)
{
    asked a;
    CLEARED(story_clear) netdp_i_story story = {0};
    TRY(ask(request, &a, error));
    TRY(tell_everything(&a, &story, error));
    netdp_i_proof proof = proof_of(&a);
    proof.everything = true;
    proof.story = &story;
    proof.stories = 1;
    proof.claims.loss = times_up(story.loss, (double)a.parts);
    TRY(claim(&a, &proof, error));
    if (first)
        netdp_i_proof_head(&proof, to);
    netdp_i_proof_question(&proof, to);
    return NETDP_OK;
}

netdp_status netdp_i_everything_proof(const netdp_proof_request *request, int32_t count,
                                      const netdp_observers *observers, netdp_i_output *output,
                                      netdp_error *error)
{
    for (int32_t i = 0; i < count; i++) {
        netdp_loss_request losses = *request->losses;
        netdp_proof_request one = *request;
        losses.sees = NETDP_SEES_EVERYTHING;
        losses.bound = NETDP_BOUND_EVERYTHING;
        losses.own_noise = observers[i].own_counts ? NETDP_OWN_NOISE_COUNTS : NETDP_OWN_NOISE_KNOWN;
        losses.to_count = observers[i].count;
        losses.to = observers[i].member;
        losses.coalition = observers[i].count > 1;
        one.losses = &losses;
        one.to = observers[i].member[0];
        TRY(write_everything(&one, i == 0, output->stream, error));
    }
    netdp_i_proof_end(output->stream);
    return netdp_i_output_commit(output, error);
}

netdp_status netdp_everything_proof(const netdp_proof_request *request, int32_t count,
                                    const netdp_observers *observers, const char *path,
                                    netdp_error *error)
{
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    NETDP_I_GIVEN(error, request && request->losses && observers && path);
    for (int32_t i = 0; i < count; i++)
        if (observers[i].count < 1 || observers[i].member == NULL)
            return netdp_i_fail(error, NETDP_INVALID, "proof: observer %d has no member", (int)i);
    if (count < 1)
        return netdp_i_fail(error, NETDP_INVALID, "proof: no observers");
    TRY(netdp_i_output_open(&output, path, error));
    return netdp_i_everything_proof(request, count, observers, &output, error);
}
