/*
 * Does the auditor find what is wrong? Faulty protocols that it must catch, and sound ones that it
 * must not.
 */
#include <netdp/audit.h>
#include <netdp/walk.h>

#include <math.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

#define CONFIDENCE 0.999
#define DELTA 0.05

enum { RUNS = 20000, NULL_AUDITS = 100, NULL_RUNS = 900 };

/* What is audited: a protocol on a graph, and what is broken in it. */
typedef struct specimen {
    const char *name;
    const char *family;
    netdp_linear gossip; /* rounds 0: a walk of `steps` */
    int64_t steps;
    int32_t victim, observer;
    double noise;
    unsigned faults;
    enum {
        PLAIN = 0,
        NULL_DATA, /* both worlds the same */
        OWN_HIDES, /* against a claim that counts the observer's own pairs as hiding */
    } how;
} specimen;

#define AVERAGING                                                                                  \
    {                                                                                              \
        .rounds = 12, .noise.dither = 0.1                                                          \
    }
#define LEARNING                                                                                   \
    {                                                                                              \
        .rounds = 12, .every = 3, .noise = {.dither = 0.1, .end = 0.1}, .reacts = true             \
    }

/* Who shares noise: neighbours. */
#define AVERAGING_IN_PAIRS(scale)                                                                  \
    {                                                                                              \
        .rounds = 12, .noise = {.dither = 0.1, .pairing.kappa = (scale) }                          \
    }
#define LEARNING_IN_PAIRS                                                                          \
    {                                                                                              \
        .rounds = 12, .every = 3, .reacts = true, .noise = {                                       \
            .dither = 0.1,                                                                         \
            .end = 0.1,                                                                            \
            .pairing.kappa = 10                                                                    \
        }                                                                                          \
    }

static const specimen specimens[] = {
    {"averaging: null data, 100 audits", "ring 12", AVERAGING, 0, 1, 0, 1, 0, NULL_DATA},
    {"walk: null data, 100 audits", "ring 12", {.rounds = 0}, 60, 1, 0, 1, 0, NULL_DATA},
    {"averaging: sound", "ring 12", AVERAGING, 0, 1, 0, 0.7, 0, PLAIN},
    {"averaging: half the noise", "ring 12", AVERAGING, 0, 1, 0, 0.7, NETDP_FAULT_HALF_NOISE,
     PLAIN},
    {"averaging: no clip, wrong Delta", "ring 12", AVERAGING, 0, 1, 0, 0.7, NETDP_FAULT_NO_CLIP,
     PLAIN},
    {"averaging: clip after the noise", "ring 12", AVERAGING, 0, 1, 0, 2, NETDP_FAULT_CLIP_AFTER,
     PLAIN},
    {"averaging: noise reused", "ring 12", AVERAGING, 0, 1, 0, 1, NETDP_FAULT_REUSED_NOISE, PLAIN},
    {"averaging: dither skipped", "ring 12", AVERAGING, 0, 4, 0, 0.3, NETDP_FAULT_NO_DITHER, PLAIN},
    {"muffliato-sgd: sound", "ring 12", LEARNING, 0, 1, 0, 1.5, 0, PLAIN},
    {"muffliato-sgd: half the noise", "ring 12", LEARNING, 0, 1, 0, 1.5, NETDP_FAULT_HALF_NOISE,
     PLAIN},
    {"averaging in pairs: sound", "ring 12", AVERAGING_IN_PAIRS(10), 0, 11, 0, 0.25, 0, PLAIN},
    {"averaging in pairs: not cancelled", "ring 12", AVERAGING_IN_PAIRS(10), 0, 11, 0, 0.7,
     NETDP_FAULT_HALF_PAIRS, PLAIN},
    {"averaging in pairs: own pairs hide", "ring 12", AVERAGING_IN_PAIRS(0.7), 0, 11, 0, 0.4, 0,
     OWN_HIDES},
    {"muffliato-sgd in pairs: sound", "ring 12", LEARNING_IN_PAIRS, 0, 11, 0, 0.7, 0, PLAIN},
    {"muffliato-sgd in pairs: reused", "ring 12", LEARNING_IN_PAIRS, 0, 11, 0, 0.7,
     NETDP_FAULT_REUSED_PAIRS, PLAIN},
    {"walk: sound", "star 8", {.rounds = 0}, 200, 1, 0, 8, 0, PLAIN},
    {"walk: half the noise", "star 8", {.rounds = 0}, 200, 1, 0, 8, NETDP_FAULT_HALF_NOISE, PLAIN},
    {"walk: no clip, wrong Delta",
     "star 8",
     {.rounds = 0},
     200,
     1,
     0,
     4,
     NETDP_FAULT_NO_CLIP,
     PLAIN},
    {"walk: noise reused", "star 8", {.rounds = 0}, 200, 1, 0, 8, NETDP_FAULT_REUSED_NOISE, PLAIN},
};
enum { SPECIMENS = sizeof specimens / sizeof *specimens };

int32_t netdp_audit_self_tests(void)
{
    return SPECIMENS;
}

/* What a specimen needs, open. */
typedef struct bench {
    const specimen *of;
    netdp_graph *graph;
    netdp_mixing *mixing;
    netdp_transition *law;
    netdp_linear gossip;
    netdp_token token;
    double *scores; /* [2][2][RUNS]: of two seeds */
} bench;

static void close_bench(bench *b)
{
    netdp_i_free(b->scores);
    netdp_mixing_free(b->mixing);
    netdp_transition_free(b->law);
    netdp_graph_free(b->graph);
}

static netdp_status open_bench(const specimen *of, bench *b, netdp_error *error)
{
    *b = (bench){.of = of, .gossip = of->gossip};
    TRY(netdp_graph_make(of->family, 1, true, &b->graph, NULL, error));
    TRY(netdp_mixing_new(b->graph, "metropolis", &b->mixing, error));
    TRY(netdp_transition_new(b->graph, "hamilton", &b->law, error));
    b->gossip.mixing = b->mixing;
    b->gossip.noise.pairing.graph = of->gossip.noise.pairing.kappa > 0 ? b->graph : NULL;
    b->token =
        (netdp_token){.law = b->law, .steps = of->steps, .start = NETDP_START_UNIFORM, .tokens = 1};
    b->scores = NETDP_I_NEW(double, 4 * RUNS);
    return b->scores == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

/* scores [2][runs] */
static netdp_status attack(const bench *b, int64_t runs, uint64_t seed,
                           const netdp_progress *progress, double *scores, netdp_error *error)
{
    const specimen *of = b->of;
    if (of->steps > 0) {
        const netdp_walk_attack walk = {.token = &b->token,
                                        .count = 1,
                                        .observers = &of->observer,
                                        .victim = of->victim,
                                        .noise = of->noise,
                                        .faults = of->faults,
                                        .runs = runs,
                                        .seed = seed};
        return netdp_attack_walk(&walk, progress, scores, error);
    }
    /* Differences of phases are what pairs' noise hides only where it is drawn anew. */
    static const double alternating[] = {1, -1, 1, -1};
    const bool differences = of->gossip.every > 0 && of->gossip.noise.pairing.kappa > 0;
    const netdp_gossip_attack gossip = {
        .pattern = differences ? alternating : NULL,
        .protocol = &b->gossip,
        .view = {NETDP_SEES_NEIGHBOURS, NETDP_OWN_NOISE_KNOWN, 1, &of->observer},
        .victim = of->victim,
        .noise = of->noise,
        .faults = of->faults,
        .runs = runs,
        .seed = seed};
    return netdp_attack_gossip(&gossip, progress, scores, NULL, error);
}

/* What the accountant says of the unbroken mechanism: mu, of a walk epsilon at DELTA. */
static netdp_status find_claim(const bench *b, double *claim, netdp_error *error)
{
    const specimen *of = b->of;
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    const netdp_walk_request walk = {.token = &b->token,
                                     .noise = of->noise,
                                     .unit = {NETDP_AS_DP, DELTA},
                                     .from_count = 1,
                                     .from = &of->victim,
                                     .to_count = 1,
                                     .to = &of->observer};
    const netdp_loss_request gossip = {.protocol = &b->gossip,
                                       .own_noise = of->how == OWN_HIDES ? NETDP_OWN_NOISE_COUNTS
                                                                         : NETDP_OWN_NOISE_KNOWN,
                                       .from_count = 1,
                                       .from = &of->victim,
                                       .to_count = 1,
                                       .to = &of->observer};
    TRY(of->steps > 0 ? netdp_walk_losses_new(&walk, NULL, &losses, error)
                      : netdp_losses_new(&gossip, NULL, &losses, error));
    *claim = of->steps > 0 ? losses->loss[0] : sqrt(losses->loss[0]) / of->noise;
    return NETDP_OK;
}

/* Two seeds of world 0 against each other, 100 times: whatever is proved is a false alarm. */
static netdp_status audit_null(bench *b, uint64_t seed, const netdp_progress *progress,
                               netdp_self_test *line, netdp_error *error)
{
    netdp_evidence evidence;
    for (int i = 0; i < NULL_AUDITS; i++) {
        double *other = b->scores + 2 * NULL_RUNS;
        TRY(attack(b, NULL_RUNS, seed + 2 * (uint64_t)i, progress, b->scores, error));
        TRY(attack(b, NULL_RUNS, seed + 2 * (uint64_t)i + 1, progress, other, error));
        const netdp_scores scores = {NULL_RUNS, {b->scores, other}};
        TRY(netdp_audit_scores(&scores, CONFIDENCE, DELTA, &evidence, error));
        line->found += evidence.mu > 0 || evidence.epsilon > 0 ? 1 : 0;
    }
    /* Three of a hundred at 99.9 % each: once in 6,000 self-tests. */
    line->passed = line->found < 3;
    return NETDP_OK;
}

static netdp_status audit_mechanism(bench *b, uint64_t seed, const netdp_progress *progress,
                                    netdp_self_test *line, netdp_error *error)
{
    const bool walk = b->of->steps > 0;
    netdp_evidence evidence;
    netdp_verdict verdict = NETDP_VERDICT_CONSISTENT;
    int64_t enough = 0;
    TRY(find_claim(b, &line->claim, error));
    TRY(attack(b, RUNS, seed, progress, b->scores, error));
    const netdp_scores scores = {RUNS, {b->scores, b->scores + RUNS}};
    TRY(netdp_audit_scores(&scores, CONFIDENCE, DELTA, &evidence, error));
    TRY(netdp_audit_verdict(&evidence, walk ? -1 : line->claim, walk ? line->claim : -1, &verdict,
                            &enough, error));
    line->found = walk ? evidence.epsilon : evidence.mu;
    line->passed =
        (verdict == NETDP_VERDICT_REFUTED) == (b->of->faults != 0 || b->of->how == OWN_HIDES);
    return NETDP_OK;
}

netdp_status netdp_audit_self_test(uint64_t seed, const netdp_progress *progress,
                                   netdp_self_test *lines, netdp_error *error)
{
    for (int i = 0; i < SPECIMENS; i++) {
        CLEARED(close_bench) bench b = {0};
        netdp_self_test line = {.name = specimens[i].name};
        TRY(netdp_i_report(progress, "self-test", i, SPECIMENS, error));
        TRY(open_bench(&specimens[i], &b, error));
        TRY(specimens[i].how == NULL_DATA ? audit_null(&b, seed, NULL, &line, error)
                                          : audit_mechanism(&b, seed, NULL, &line, error));
        lines[i] = line;
    }
    return NETDP_OK;
}
