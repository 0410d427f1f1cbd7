/* Audits of a study: its calibrated protocols, attacked by the observer that they are for. */
#include <netdp/audit.h>
#include <netdp/study.h>
#include <netdp/tally.h>
#include <netdp/walk.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/losses/label.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"
#include "plan/plan.h"
#include "plan/walk.h"
#include "run/everybody.h"
#include "run/folder.h"
#include "run/found.h"
#include "run/membership.h"
#include "run/record.h"
#include "study/protection.h"

/* One claim about one pair. */
typedef struct claim {
    const netdp_i_variant *variant;
    int32_t from, to, distance;
    netdp_bound bound;
    netdp_guarantee is; /* but for its value: */
    double mu;          /* gossip and Gaussian sums on the ring; else -1 */
    double epsilon;     /* else, at the study's delta; -1 */
} claim;

/* One way to attack it. */
typedef struct attack {
    const char *name;
    netdp_honest honest;
    double gain;
    bool alternating; /* the victim's contributions change their sign */
    bool resets;      /* walks */
} attack;

static const attack gossip_attacks[] = {
    {"likelihood ratio, honest nodes silent", NETDP_HONEST_SILENT, 0, false, false},
    {"likelihood ratio, signs alternating", NETDP_HONEST_SILENT, 0, true, false},
    {"likelihood ratio, honest nodes pull at half step", NETDP_HONEST_PULL, 0.5, false, false},
    {"likelihood ratio, honest nodes pull at full step", NETDP_HONEST_PULL, 1, false, false},
};
static const attack walk_attacks[] = {
    {"likelihood ratio, honest nodes pass on", NETDP_HONEST_SILENT, 0, false, false},
    {"likelihood ratio, extremal contractions", NETDP_HONEST_SILENT, 0, false, true},
};
enum {
    GOSSIP_ATTACKS = sizeof gossip_attacks / sizeof *gossip_attacks,
    WALK_ATTACKS = sizeof walk_attacks / sizeof *walk_attacks,
    MOST_MEMBERS = 20000, /* runs of each world that tell whose records were in */
};

typedef struct auditing {
    const netdp_audit_options *options;
    const netdp_progress *progress;
    double *scores; /* [2][runs] */
    const char *folder;
    netdp_i_identity identity;
    netdp_i_found found;
    int lock; /* of the folder; -1: not ours */
} auditing;

static void auditing_clear(auditing *a)
{
    netdp_i_found_clear(&a->found);
    netdp_i_identity_clear(&a->identity);
    netdp_i_free(a->scores);
    netdp_i_folder_close(a->folder, &a->lock);
}

/* ---- The claim ---- */

static netdp_status find_pair(const netdp_audit_options *options, claim *c, netdp_error *error)
{
    const netdp_graph *graph = c->variant->problem->graph;
    c->from = c->variant->guarantee.from;
    c->to = c->variant->guarantee.to;
    if (options->from != NULL)
        TRY(netdp_graph_find(graph, options->from, &c->from, error));
    if (options->to != NULL)
        TRY(netdp_graph_find(graph, options->to, &c->to, error));
    REFUSE(c->from == c->to, "from and to are both node %d; name two nodes", (int)c->from);
    OWNED int32_t *hops = NETDP_I_NEW(int32_t, netdp_graph_nodes(graph));
    NEED(hops);
    TRY(netdp_graph_distances(graph, &c->to, 1, hops, error));
    c->distance = hops[c->from];
    return NETDP_OK;
}

/* What the account promises, in words; takes over the losses. */
static void take_words(claim *c, const netdp_losses *losses)
{
    netdp_losses_guarantee(losses, NAN, losses->unit, &c->is);
}

/* The unit, as the account has it. */
static netdp_protection protection_of(const claim *c)
{
    netdp_protection protection = netdp_i_study_protection(c->variant->study);
    protection.share = c->variant->problem->share;
    return protection;
}

/* The pair's account; `from_count` 0: everybody's towards the observer. */
static netdp_loss_request request_of(const claim *c, int32_t from_count)
{
    const netdp_study *study = c->variant->study;
    return (netdp_loss_request){.protocol = &c->variant->protocol,
                                .sees = study->question.sees,
                                .own_noise = study->question.own_noise,
                                .certify = c->variant->about.request.certify,
                                .bound = c->bound,
                                .from_count = from_count,
                                .from = &c->from,
                                .to_count = 1,
                                .to = &c->to,
                                .protection = protection_of(c)};
}

static netdp_status claim_of_gossip(const netdp_study *study, claim *c, netdp_error *error)
{
    const netdp_loss_request request = request_of(c, 1);
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    TRY(netdp_losses_new(&request, NULL, &losses, error));
    /* Phases of Poisson batches together have no mu. */
    const bool drawn = losses->phases > 0;
    const netdp_unit unit = {drawn ? NETDP_AS_DP : NETDP_AS_GDP, drawn ? study->privacy.delta : 0};
    c->mu = c->epsilon = -1;
    TRY(netdp_losses_value(losses, losses->loss[0], c->variant->noise, unit,
                           drawn ? &c->epsilon : &c->mu, error));
    take_words(c, losses);
    return NETDP_OK;
}

static netdp_status walk_epsilon(claim *c, netdp_unit unit, double *epsilon, netdp_error *error)
{
    const netdp_walk_request request = {.token = &c->variant->token,
                                        .bound = c->bound,
                                        .noise = c->variant->noise,
                                        .unit = unit,
                                        .from_count = 1,
                                        .from = &c->from,
                                        .to_count = 1,
                                        .to = &c->to};
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    TRY(netdp_walk_losses_new(&request, NULL, &losses, error));
    *(unit.currency == NETDP_AS_GDP ? &c->mu : epsilon) = losses->loss[0];
    take_words(c, losses);
    return NETDP_OK;
}

/* Epsilon at the study's delta; a formula for one Renyi order at a time is asked at many. */
static netdp_status claim_of_walk(const netdp_study *study, claim *c, netdp_error *error)
{
    static const double orders[] = {1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64};
    enum { ORDERS = sizeof orders / sizeof *orders };
    const netdp_bound_info *info = NULL;
    const double delta = study->privacy.delta;
    c->mu = -1;
    TRY(netdp_walk_bound_choose(&c->variant->token, c->bound, &info, error));
    c->epsilon = -1;
    if (info->bound == NETDP_BOUND_GIVEN_PATH)
        return walk_epsilon(c, (netdp_unit){NETDP_AS_GDP, 0}, &c->epsilon, error);
    if (info->bound == NETDP_BOUND_EXCURSION || info->bound == NETDP_BOUND_EXCURSION_MIXTURE ||
        info->bound == NETDP_BOUND_LOCAL || info->bound == NETDP_BOUND_LEAST ||
        info->bound == NETDP_BOUND_EXCURSION_CONTRACTING)
        return walk_epsilon(c, (netdp_unit){NETDP_AS_DP, delta}, &c->epsilon, error);
    double epsilon[ORDERS];
    for (int k = 0; k < ORDERS; k++)
        TRY(walk_epsilon(c, (netdp_unit){NETDP_AS_RDP, orders[k]}, &epsilon[k], error));
    const netdp_rdp curve = {.count = ORDERS, .order = orders, .epsilon = epsilon};
    return netdp_rdp_to_epsilon(&curve, delta, 0, &c->epsilon, error);
}

static netdp_status claim_of_tally(const netdp_study *study, claim *c, netdp_error *error)
{
    const netdp_tally_request request = {.tally = &c->variant->tally,
                                         .bound = c->bound,
                                         .unit = {NETDP_AS_DP, study->privacy.delta},
                                         .from_count = 1,
                                         .from = &c->from,
                                         .to_count = 1,
                                         .to = &c->to};
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    TRY(netdp_tally_losses_new(&request, NULL, &losses, error));
    c->mu = -1;
    c->epsilon = losses->final ? losses->loss[0] : -1;
    if (!losses->final)
        TRY(netdp_losses_value(losses, losses->loss[0], c->variant->noise,
                               (netdp_unit){NETDP_AS_GDP, 0}, &c->mu, error));
    take_words(c, losses);
    return NETDP_OK;
}

/* ---- The attack ---- */

/*
 * The attack contributes Delta: where the unit is less of it, noise is as much more. `pattern`
 * [contributions] is the caller's room: a row contributes with its batch alone. NULL: averaging, once.
 */
static netdp_gossip_attack gossip_attack(const claim *c, const attack *how, double *pattern,
                                         int64_t runs)
{
    const netdp_study *study = c->variant->study;
    const netdp_protection unit = protection_of(c);
    const int64_t count = netdp_linear_contributions(&c->variant->protocol);
    const bool cyclic =
        unit.protects == NETDP_PROTECTS_ROW && unit.batches.kind == NETDP_BATCHES_CYCLIC;
    const int64_t every = cyclic ? unit.batches.count : 1;
    for (int64_t k = 0; pattern != NULL && k < count; k++)
        pattern[k] = k % every != 0 ? 0 : how->alternating && k / every % 2 == 1 ? -1 : 1;
    return (netdp_gossip_attack){
        .protocol = &c->variant->protocol,
        .view = {study->question.sees, study->question.own_noise, 1, &c->to},
        .victim = c->from,
        .noise = c->variant->noise / (unit.share != NULL ? unit.share[c->from] : 1),
        .pattern = how->alternating || cyclic ? pattern : NULL,
        .honest = how->honest,
        .gain = how->gain,
        .rate = unit.protects == NETDP_PROTECTS_ROW && unit.batches.kind == NETDP_BATCHES_POISSON
                    ? unit.batches.rate
                    : 0,
        .runs = runs,
        .seed = study->seed};
}

/* Does this attack make a difference for this protocol? */
static bool applies(const claim *c, const attack *how)
{
    const netdp_linear *protocol = &c->variant->protocol;
    return (!how->alternating || netdp_linear_contributions(protocol) > 1) &&
           (how->honest == NETDP_HONEST_SILENT || protocol->reacts);
}

/* Of the attacks on gossip the one whose model promises most. */
static netdp_status choose_attack(auditing *a, const claim *c, double *pattern, const attack **best,
                                  netdp_error *error)
{
    double most = -1;
    for (int i = 0; i < GOSSIP_ATTACKS; i++) {
        double optimal = 0;
        if (!applies(c, &gossip_attacks[i]))
            continue;
        const netdp_gossip_attack tried = gossip_attack(c, &gossip_attacks[i], pattern, 1);
        TRY(netdp_attack_gossip(&tried, NULL, a->scores, &optimal, error));
        if (optimal > most) {
            most = optimal;
            *best = &gossip_attacks[i];
        }
    }
    return NETDP_OK;
}

static netdp_status attack_walk(auditing *a, const claim *c, const attack *how, netdp_error *error)
{
    const netdp_bound_info *info = NULL;
    netdp_token token = c->variant->token;
    TRY(netdp_walk_bound_choose(&token, c->bound, &info, error));
    if (!netdp_i_plan_walk_contracts(info->bound)) /* a claim of more is attacked by more */
        token.contraction = 0;
    const netdp_walk_attack walk = {.token = &token,
                                    .count = 1,
                                    .observers = &c->to,
                                    .victim = c->from,
                                    .noise = c->variant->noise,
                                    .resets = how->resets,
                                    .runs = a->options->runs,
                                    .seed = c->variant->study->seed};
    return netdp_attack_walk(&walk, a->progress, a->scores, error);
}

static netdp_status attack_tally(auditing *a, const claim *c, netdp_error *error)
{
    const netdp_tally_attack tally = {.tally = &c->variant->tally,
                                      .count = 1,
                                      .observers = &c->to,
                                      .victim = c->from,
                                      .runs = a->options->runs,
                                      .seed = c->variant->study->seed};
    return netdp_attack_tally(&tally, a->progress, a->scores, error);
}

/* ---- What is told ---- */

static json_t *points_json(const netdp_evidence *evidence)
{
    json_t *list = json_array();
    for (int i = 0; i < evidence->points; i++) {
        const netdp_trade_point *p = &evidence->point[i];
        json_array_append_new(
            list, json_pack("{s:o, s:f, s:f, s:f, s:f}", "threshold",
                            netdp_i_json_double(p->threshold), "false_positive", p->false_positive,
                            "false_negative", p->false_negative, "false_positive_most",
                            p->false_positive_most, "false_negative_most", p->false_negative_most));
    }
    return list;
}

static json_t *claim_json(const claim *c)
{
    return c->mu >= 0 ? json_pack("{s:o}", "mu", netdp_i_json_double(c->mu))
                      : json_pack("{s:o, s:f}", "epsilon", netdp_i_json_double(c->epsilon), "delta",
                                  c->variant->study->privacy.delta);
}

static netdp_status save(auditing *a, netdp_error *error)
{
    return netdp_i_found_write(a->folder, &a->identity, a->options, &a->found, error);
}

/* The next attack that was judged before, if it is of this claim; NULL: there is none. */
static const char *judged_before(const auditing *a, const claim *c)
{
    const json_t *next = json_array_get(a->found.audits, (size_t)a->found.judged);
    json_t *claimed = claim_json(c);
    const bool same =
        next != NULL && claimed != NULL &&
        strcmp(json_string_value(json_object_get(next, "name")), c->variant->name) == 0 &&
        json_integer_value(json_object_get(next, "from")) == c->from &&
        json_integer_value(json_object_get(next, "to")) == c->to &&
        json_number_value(json_object_get(next, "noise")) == c->variant->noise &&
        json_equal(json_object_get(next, "claim"), claimed);
    json_decref(claimed);
    return same ? json_string_value(json_object_get(next, "attack")) : NULL;
}

/* Was this attack on the claim judged before? Then the next one is looked for. */
static bool skip(auditing *a, const claim *c, const attack *how)
{
    const char *name = judged_before(a, c);
    const bool known = name != NULL && strcmp(name, how->name) == 0;
    a->found.judged += known;
    return known;
}

/* A node by its name, where the graph has one. */
static void add_name(json_t *audit, const char *key, const claim *c, int32_t node)
{
    const char *name = netdp_graph_name(c->variant->problem->graph, node);
    if (audit != NULL && name != NULL)
        json_object_set_new(audit, key, json_string(name));
}

static netdp_status judge(auditing *a, const claim *c, const attack *how, double confidence,
                          netdp_error *error)
{
    static const char *const words[] = {
        [NETDP_VERDICT_CONSISTENT] = "consistent",
        [NETDP_VERDICT_REFUTED] = "refuted",
        [NETDP_VERDICT_FEW_RUNS] = "not enough runs",
    };
    const int64_t runs = a->options->runs;
    const netdp_scores scores = {runs, {a->scores, a->scores + runs}};
    netdp_evidence evidence;
    netdp_verdict verdict = NETDP_VERDICT_CONSISTENT;
    int64_t enough = 0;
    TRY(netdp_audit_scores(&scores, confidence, c->variant->study->privacy.delta, &evidence,
                           error));
    TRY(netdp_audit_verdict(&evidence, c->mu, c->epsilon, &verdict, &enough, error));
    char unit[256];
    netdp_i_study_unit_words(c->variant->study, unit, sizeof unit);
    json_t *audit = json_pack(
        "{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:o, s:s, s:{s:f, s:f, s:f, s:f, s:I, s:o}, s:s, s:o}",
        "name", c->variant->name, "adjacency", unit, "attack", how->name, "from", (int)c->from,
        "to", (int)c->to, "distance", (int)c->distance, "noise", c->variant->noise, "claim",
        claim_json(c), "found_at_least_in", c->mu >= 0 ? "mu" : "epsilon", "evidence", "confidence",
        confidence, "mu", evidence.mu, "epsilon", evidence.epsilon, "delta", evidence.delta,
        "tested", (json_int_t)evidence.tested, "points", points_json(&evidence), "verdict",
        words[verdict], "enough_runs", enough > 0 ? json_integer(enough) : json_null());
    add_name(audit, "from_name", c, c->from);
    add_name(audit, "to_name", c, c->to);
    /* What was found in another order is not of this audit. */
    while (json_array_size(a->found.audits) > (size_t)a->found.judged)
        json_array_remove(a->found.audits, json_array_size(a->found.audits) - 1);
    if (json_object_update_new(audit, netdp_i_guarantee_json(&c->is, NULL)) != 0 ||
        json_array_append_new(a->found.audits, audit) != 0)
        return netdp_i_no_memory(error);
    a->found.judged++;
    return save(a, error);
}

/* ---- Reconstruction ---- */

/* The root mean squared error of an estimate of `from`'s value, with a dither. */
static netdp_status estimate(auditing *a, const claim *c, int32_t from, double dither, double *rmse,
                             netdp_error *error)
{
    static const attack silent = {.name = ""};
    const int64_t runs = a->options->runs < 2000 ? a->options->runs : 2000;
    netdp_linear protocol = c->variant->protocol;
    netdp_gossip_attack asked = gossip_attack(c, &silent, NULL, runs);
    protocol.noise.dither = dither;
    asked.protocol = &protocol;
    asked.victim = from;
    return netdp_reconstruct(&asked, a->progress, rmse, error);
}

/* A view that is too large for this has been attacked all the same. */
static netdp_status estimate_everybody(auditing *a, const claim *c, netdp_error *error)
{
    static const attack silent = {.name = ""};
    json_t *made = NULL;
    const netdp_gossip_attack asked =
        gossip_attack(c, &silent, NULL, a->options->runs < 2000 ? a->options->runs : 2000);
    const netdp_status status = netdp_i_everybody_new(c->variant->name, c->variant->problem->graph,
                                                      &asked, a->progress, &made, error);
    if (status == NETDP_NO_ANSWER)
        return NETDP_OK;
    TRY(status);
    json_array_append_new(a->found.everybody, made);
    return NETDP_OK;
}

/* Of each distance from the observer the first node; then everybody. */
static netdp_status reconstruct(auditing *a, const claim *c, netdp_error *error)
{
    const netdp_graph *graph = c->variant->problem->graph;
    const int32_t n = netdp_graph_nodes(graph);
    OWNED int32_t *hops = NETDP_I_NEW(int32_t, n);
    NEED(hops);
    TRY(netdp_graph_distances(graph, &c->to, 1, hops, error));
    for (int32_t distance = 1, from = 0; from < n; distance++) {
        double with = 0, without = 0;
        for (from = 0; from < n && hops[from] != distance; from++)
            ;
        if (from == n)
            break;
        TRY(estimate(a, c, from, c->variant->protocol.noise.dither, &with, error));
        TRY(estimate(a, c, from, 0, &without, error));
        json_array_append_new(a->found.estimates,
                              json_pack("{s:s, s:i, s:i, s:i, s:o, s:o, s:f}", "name",
                                        c->variant->name, "from", (int)from, "to", (int)c->to,
                                        "distance", (int)distance, "rmse",
                                        netdp_i_json_double(with), "rmse_without_dither",
                                        netdp_i_json_double(without), "noise", c->variant->noise));
    }
    return estimate_everybody(a, c, error);
}

/* ---- Membership ---- */

static netdp_status find_members(auditing *a, const claim *c, json_t **made, netdp_error *error)
{
    static const attack silent = {.name = ""};
    const netdp_graph *graph = c->variant->problem->graph;
    const netdp_gossip_attack asked = gossip_attack(
        c, &silent, NULL, a->options->runs < MOST_MEMBERS ? a->options->runs : MOST_MEMBERS);
    const netdp_loss_request request = request_of(c, 0);
    OWNED double *mu = NETDP_I_NEW(double, netdp_graph_nodes(graph));
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    NEED(mu);
    TRY(netdp_losses_new(&request, a->progress, &losses, error));
    TRY(netdp_losses_values(losses, c->variant->noise, (netdp_unit){NETDP_AS_GDP, 0}, a->progress,
                            mu, NULL, error));
    return netdp_i_membership_new(c->variant->name, graph, &asked, mu, a->progress, made, error);
}

/* Whose records were in; a view that is too large for this has been attacked all the same. */
static netdp_status tell_members(auditing *a, const claim *c, netdp_error *error)
{
    json_t *made = NULL;
    const netdp_status status = find_members(a, c, &made, error);
    if (status == NETDP_NO_ANSWER)
        return NETDP_OK;
    TRY(status);
    json_array_append_new(a->found.membership, made);
    return NETDP_OK;
}

/* What is asked for beyond the verdict. */
static netdp_status look_further(auditing *a, const claim *c, netdp_error *error)
{
    if (a->found.rebuilt_here++ < a->found.rebuilt)
        return NETDP_OK;
    if (a->options->reconstruct)
        TRY(reconstruct(a, c, error));
    if (a->options->membership)
        TRY(tell_members(a, c, error));
    a->found.rebuilt++;
    return save(a, error);
}

/* ---- A variant, and all ---- */

/* The model that was chosen before; NULL: none was. */
static const attack *chosen_before(auditing *a, const claim *c)
{
    for (int i = 0; i < GOSSIP_ATTACKS; i++)
        if (skip(a, c, &gossip_attacks[i]))
            return &gossip_attacks[i];
    return NULL;
}

/* By the best model's likelihood ratio, and without a model; they share what may go wrong. */
static netdp_status audit_gossip(auditing *a, const claim *c, netdp_error *error)
{
    static const attack discriminant = {.name = "linear discriminant, no model"};
    const int64_t count = netdp_linear_contributions(&c->variant->protocol);
    const double confidence = 1 - (1 - a->options->confidence) / 2;
    const attack *best = chosen_before(a, c);
    const bool attacked = best != NULL;
    OWNED double *pattern = NETDP_I_NEW(double, count);
    NEED(pattern);
    if (!attacked)
        TRY(choose_attack(a, c, pattern, &best, error));
    const netdp_gossip_attack chosen = gossip_attack(c, best, pattern, a->options->runs);
    if (!attacked) {
        TRY(netdp_attack_gossip(&chosen, a->progress, a->scores, NULL, error));
        TRY(judge(a, c, best, confidence, error));
    }
    if (skip(a, c, &discriminant))
        return NETDP_OK;
    const netdp_status status = netdp_attack_blindly(&chosen, a->progress, a->scores, error);
    if (status == NETDP_NO_ANSWER) /* too long a view to be learnt */
        return NETDP_OK;
    TRY(status);
    return judge(a, c, &discriminant, confidence, error);
}

/* Both attacks are run, and share what may go wrong. */
static netdp_status audit_walk(auditing *a, const claim *c, netdp_error *error)
{
    const double confidence = 1 - (1 - a->options->confidence) / WALK_ATTACKS;
    for (int i = 0; i < WALK_ATTACKS; i++) {
        if (skip(a, c, &walk_attacks[i]))
            continue;
        TRY(attack_walk(a, c, &walk_attacks[i], error));
        TRY(judge(a, c, &walk_attacks[i], confidence, error));
    }
    return NETDP_OK;
}

static netdp_status audit_tally(auditing *a, const claim *c, netdp_error *error)
{
    static const attack sum = {.name = "likelihood ratio, the others' values known"};
    static const attack histogram = {.name = "likelihood ratio, the others' levels known"};
    const bool adds = c->variant->tally.task == NETDP_TALLY_SUM;
    const attack *how = adds ? &sum : &histogram;
    if (skip(a, c, how))
        return NETDP_OK;
    TRY(attack_tally(a, c, error));
    return judge(a, c, how, a->options->confidence, error);
}

static netdp_status audit_averaging(auditing *a, const claim *c, netdp_error *error)
{
    TRY(audit_gossip(a, c, error));
    if (c->variant->protocol.every == 0)
        return look_further(a, c, error);
    return NETDP_OK;
}

/* What is claimed of a protocol, and how that is audited. */
typedef struct way {
    netdp_status (*claim)(const netdp_study *study, claim *c, netdp_error *error);
    netdp_status (*audit)(auditing *a, const claim *c, netdp_error *error);
} way;

static way way_of(const netdp_i_variant *variant)
{
    static const way ways[] = {[NETDP_GOSSIP] = {claim_of_gossip, audit_averaging},
                               [NETDP_WALK] = {claim_of_walk, audit_walk},
                               [NETDP_TALLY] = {claim_of_tally, audit_tally}};
    return ways[variant->kind];
}

static netdp_status audit_variant(auditing *a, const netdp_i_variant *variant, netdp_error *error)
{
    claim c = {.variant = variant, .bound = variant->bound};
    const way how = way_of(variant);
    TRY(find_pair(a->options, &c, error));
    if (a->options->bound != NULL)
        TRY(netdp_bound_parse(a->options->bound, &c.bound, error));
    TRY(how.claim(variant->study, &c, error));
    return how.audit(a, &c, error);
}

static netdp_status write_points(const json_t *audits, const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_output output;
    size_t i, j;
    json_t *audit, *point;
    netdp_i_file_path(path, folder, "audit.csv");
    TRY(netdp_i_output_open(&output, path, error));
    fputs("audit,name,false_positive,false_negative,false_positive_most,false_negative_most\n",
          output.stream);
    json_array_foreach (audits, i, audit)
        json_array_foreach (json_object_get(json_object_get(audit, "evidence"), "points"), j, point)
            fprintf(output.stream, "%zu,%s,%.9g,%.9g,%.9g,%.9g\n", i + 1,
                    json_string_value(json_object_get(audit, "name")),
                    json_number_value(json_object_get(point, "false_positive")),
                    json_number_value(json_object_get(point, "false_negative")),
                    json_number_value(json_object_get(point, "false_positive_most")),
                    json_number_value(json_object_get(point, "false_negative_most")));
    return netdp_i_output_commit(&output, error);
}

static netdp_status write_audits(const netdp_study *study, auditing *a, const char *folder,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    TRY(write_points(a->found.audits, folder, error));
    if (json_array_size(a->found.everybody) > 0)
        TRY(netdp_i_everybody_write(a->found.everybody, folder, error));
    if (json_array_size(a->found.membership) > 0)
        TRY(netdp_i_membership_write(a->found.membership, folder, error));
    OWNED_BY(json_decref)
    json_t *all = json_pack(
        "{s:s, s:s, s:s, s:I, s:f, s:O, s:O, s:O, s:O}", "netdp", netdp_version(), "title",
        study->title, "simulation", NETDP_I_SIMULATION, "runs", (json_int_t)a->options->runs,
        "confidence", a->options->confidence, "audits", a->found.audits, "reconstruction",
        a->found.estimates, "everybody", a->found.everybody, "membership", a->found.membership);
    NEED(all);
    netdp_i_file_path(path, folder, "audit.json");
    return netdp_i_json_write(all, path, error);
}

static netdp_status check_options(const netdp_audit_options *options, netdp_error *error)
{
    REFUSE(options->runs < 300 || options->runs > 100000000,
           "runs: give a whole number from 300 to 1e8");
    REFUSE(!(options->confidence > 0 && options->confidence < 1),
           "confidence: %g; give a number between 0 and 1, such as 0.999", options->confidence);
    return NETDP_OK;
}

/* Of values and of records it is told what the rounds of gossip say of them. */
static netdp_status check_further(const netdp_audit_options *options, const netdp_study *study,
                                  netdp_error *error)
{
    const char *what = options->reconstruct ? "reconstruct" : "membership";
    bool tallies = study->variation_count == 0 && netdp_i_study_tallies(study);
    for (int32_t i = 0; i < study->variation_count; i++)
        tallies = tallies || netdp_i_study_tallies(study->variation[i].study);
    REFUSE((options->reconstruct || options->membership) && tallies,
           "%s: the study sums or counts by a token, and this is of averaging by "
           "gossip; leave it out",
           what);
    REFUSE(options->membership && netdp_i_study_protection(study).protects != NETDP_PROTECTS_NODE,
           "membership: of a node's whole record, and the study protects a row; "
           "set privacy.protects=node");
    return NETDP_OK;
}

netdp_status netdp_study_audit(const netdp_study *study, const netdp_audit_options *options,
                               const char *folder, const char *data, const netdp_progress *progress,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, options);
    CLEARED(auditing_clear)
    auditing a = {.options = options, .progress = progress, .folder = folder, .lock = -1};
    CLEARED(netdp_i_problems_clear) netdp_i_problems problems = {0};
    CLEARED(netdp_i_plan_clear) netdp_i_plan plan = {0};
    bool finished = false;
    TRY(check_options(options, error));
    REFUSE(netdp_i_study_accounts(study),
           "%s: task.kind: task %s runs nothing that could be attacked; give a "
           "mean, a sum, a histogram or a model",
           study->path, study->task.kind);
    TRY(check_further(options, study, error));
    TRY(netdp_i_problems_new(study, data, &problems, error));
    TRY(netdp_i_folder_open(study, folder, &finished, &a.lock, error));
    TRY(netdp_i_plan_make(study, &problems, folder, progress, &plan, error));
    a.scores = NETDP_I_NEW(double, 2 * options->runs);
    NEED(a.scores);
    TRY(netdp_i_identity_new(folder, &problems, &a.identity, error));
    TRY(netdp_i_found_read(folder, &a.identity, options, &a.found, error));
    for (int32_t i = 0; i < plan.count; i++)
        if (plan.variant[i].role == NETDP_I_NETWORK)
            TRY(audit_variant(&a, &plan.variant[i], error));
    TRY(write_audits(study, &a, folder, error));
    netdp_i_found_remove(folder);
    return NETDP_OK;
}
