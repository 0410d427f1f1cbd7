#include "peer/price.h"

#include <math.h>
#include <string.h>
#include <jansson.h>
#include <netdp/account.h>

#include "account/gossip.h"
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"
#include "graph/graph.h"
#include "peer/contribution.h"
#include "plan/problem.h"
#include "study/protection.h"

/* ---- The unit ---- */

static netdp_status check_announced(const netdp_i_package *package, bool needed, netdp_error *error)
{
    for (int32_t i = 0; i < package->members; i++)
        REFUSE((package->member[i].rows > 0) != needed,
               needed ? "roster.json: %s: rows: required, the study depends on how many each has; "
                        "netdp net init --rows N,N,..."
                      : "roster.json: %s: rows: the study protects nodes that count alike, and "
                        "asks nobody; leave --rows out",
               package->member[i].name);
    return NETDP_OK;
}

netdp_status netdp_i_unit_new(const netdp_study *study, const netdp_i_package *package,
                              netdp_i_unit *unit, netdp_error *error)
{
    netdp_i_unit made = {.protection = netdp_i_study_protection(study)};
    OWNED_BY(netdp_graph_free) netdp_graph *links = NULL;
    OWNED_BY(netdp_graph_free) netdp_graph *pairs = NULL;
    OWNED int64_t *held = NETDP_I_NEW(int64_t, package->members);
    const bool cyclic = made.protection.batches.kind == NETDP_BATCHES_CYCLIC;
    const bool counts = netdp_i_study_counts(study);
    made.row = made.protection.protects == NETDP_PROTECTS_ROW;
    made.rounded = made.row || counts;
    NEED(held);
    TRY(check_announced(package, made.row || cyclic || study->task.mean_over_rows, error));
    REFUSE(made.row && cyclic && package->terms.attempts > 1,
           "terms.attempts: %lld: a row that takes part in some phases has one attempt",
           (long long)package->terms.attempts);
    for (int32_t i = 0; i < package->members; i++) {
        held[i] = package->member[i].rows > 0 ? package->member[i].rows : 1;
        made.all += (double)package->member[i].rows;
    }
    TRY(netdp_i_package_graphs(package, &links, &pairs, error));
    netdp_i_problem of = {.graph = links,
                          .sensitivity = study->task.clip > 0 ? 2 * study->task.clip
                                         : counts             ? sqrt(2)
                                                              : sqrt((double)package->terms.width)};
    TRY(netdp_i_problem_protect(study, held, &of, error));
    made.protection.share = of.share;
    made.sensitivity = of.sensitivity;
    *unit = made;
    return NETDP_OK;
}

void netdp_i_unit_clear(netdp_i_unit *unit)
{
    netdp_i_free((void *)(uintptr_t)unit->protection.share);
    *unit = (netdp_i_unit){0};
}

double netdp_i_unit_own(const netdp_i_unit *unit, int32_t member)
{
    return unit->sensitivity *
           (unit->protection.share != NULL ? unit->protection.share[member] : 1);
}

double netdp_i_unit_weight(const netdp_i_unit *unit, const netdp_study *study,
                           const netdp_i_package *package, int32_t member)
{
    return study->task.mean_over_rows
               ? (double)package->member[member].rows * package->members / unit->all
               : 1;
}

/*
 * How far the unit moves a value, in parts of Delta. A node's value lies in its reach, whatever the
 * rounding. A row's own, and a histogram's, is a change of a sum in doubles, brought onto the grid of 2^-32 of the noise:
 * docs/proofs/exact-noise.md, "Rows".
 */
static double find_part(const netdp_i_unit *unit, const netdp_i_package *package, int32_t self)
{
    const double part = netdp_i_unit_own(unit, self) / unit->sensitivity * (1 + 0x1p-50);
    const double n = (double)package->member[self].rows, d = (double)package->terms.width;
    if (!unit->rounded)
        return unit->protection.share == NULL ? 1 : part;
    return part * (1 + ldexp(n * n + 8 * n + 2 * d + 64, -51)) +
           ldexp(sqrt(d) * package->terms.sigma, -32) * (1 + 0x1p-40);
}

/* A package as the accounts see it: one contribution of each member. */
typedef struct account {
    netdp_graph *links, *pairs;
    netdp_mixing *mixing;
    netdp_linear protocol;
    const netdp_i_terms *terms;
    int32_t self;
    double part, excess;
} account;

static void close_account(account *a)
{
    netdp_mixing_free(a->mixing);
    netdp_graph_free(a->pairs);
    netdp_graph_free(a->links);
}

/* Of the study: what is protected, how often it takes part, and what moves by how much. */
static netdp_status read_unit(const netdp_i_package *package, account *a, netdp_i_prices *prices,
                              netdp_error *error)
{
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    CLEARED(netdp_i_unit_clear) netdp_i_unit unit = {0};
    TRY(netdp_study_parse(package->study, "study.yaml", NULL, 0, &study, error));
    TRY(netdp_i_unit_new(study, package, &unit, error));
    const int64_t phases = package->terms.contributions;
    a->part = find_part(&unit, package, a->self);
    prices->cycle = unit.row && unit.protection.batches.kind == NETDP_BATCHES_CYCLIC
                        ? unit.protection.batches.count
                        : 1;
    prices->contributions = phases * package->terms.attempts;
    prices->times = netdp_i_price_taken(phases, prices->cycle) * package->terms.attempts;
    prices->row = unit.row;
    prices->sensitivity = unit.sensitivity;
    netdp_i_study_unit_words(study, prices->protects, sizeof prices->protects);
    return NETDP_OK;
}

/* `everything` asks nothing of the mixing and of later rounds: the plainest will do. */
static netdp_status open_account(const netdp_i_package *package, int32_t self, account *a,
                                 netdp_error *error)
{
    *a = (account){.terms = &package->terms, .self = self};
    TRY(netdp_i_package_graphs(package, &a->links, &a->pairs, error));
    TRY(netdp_mixing_new(a->links, "metropolis", &a->mixing, error));
    a->protocol = (netdp_linear){.mixing = a->mixing, .rounds = 1};
    int32_t degree = 0;
    for (int32_t v = 0; a->pairs != NULL && v < package->members; v++)
        if (netdp_graph_degree(a->pairs, v) > degree)
            degree = netdp_graph_degree(a->pairs, v);
    const double kappa = a->terms->noise.pairing.kappa;
    if (kappa > 0)
        a->protocol.noise.pairing = (netdp_pairing){.graph = a->pairs, .kappa = kappa};
    a->excess = netdp_i_contribution_excess(package->pairs, degree, kappa, a->terms->width);
    return NETDP_OK;
}

/* mu^2 = loss part^2 / sigma^2 and what rounding adds, outward. */
static double square_of(const account *a, double loss)
{
    const double upward = 1 + 0x1p-50;
    const double moved = a->part / a->terms->sigma;
    return (loss * (moved * moved) + a->excess) * upward;
}

/*
 * The largest loss towards the observers and any `revealed` others whose pairs' noise is known.
 * `square` [asked], one for each observer, or one for all of them as a coalition.
 */
static netdp_status ask(const account *a, const int32_t *observers, int32_t count, bool coalition,
                        netdp_own_noise own, double *square, netdp_error *error)
{
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    const netdp_loss_request request = {.protocol = &a->protocol,
                                        .sees = NETDP_SEES_EVERYTHING,
                                        .own_noise = own,
                                        .bound = NETDP_BOUND_EVERYTHING,
                                        .from_count = 1,
                                        .from = &a->self,
                                        .to_count = count,
                                        .to = observers,
                                        .coalition = coalition};
    TRY(netdp_losses_new(&request, NULL, &losses, error));
    if (!losses->sound)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "the account of this study is no bound: %s",
                            losses->reason);
    for (int32_t i = 0; i < losses->to_count; i++)
        square[i] = square_of(a, losses->loss[i]);
    return NETDP_OK;
}

/* ---- All of them ---- */

void netdp_i_prices_free(netdp_i_prices *prices)
{
    if (prices == NULL)
        return;
    for (int32_t i = 0; prices->towards != NULL && i < prices->count; i++)
        netdp_i_free(prices->towards[i].member);
    netdp_i_free(prices->towards);
    netdp_i_free(prices);
}

/* The members of each price: every other one alone, then coalitions without oneself. */
static netdp_status list_observers(const netdp_i_package *package, int32_t self,
                                   netdp_i_prices *prices, netdp_error *error)
{
    const int32_t most = package->members - 1 + package->coalitions;
    prices->towards = NETDP_I_NEW(netdp_i_price, most);
    NEED(prices->towards);
    for (int32_t i = 0; i < package->members + package->coalitions; i++) {
        const int32_t c = i - package->members;
        const netdp_i_coalition one = {1, &i};
        const netdp_i_coalition *from = c < 0 ? &one : &package->coalition[c];
        if (c < 0 && i == self)
            continue;
        netdp_i_price *price = &prices->towards[prices->count];
        price->member = NETDP_I_NEW(int32_t, from->count);
        NEED(price->member);
        prices->count++;
        for (int32_t k = 0; k < from->count; k++)
            if (from->member[k] != self)
                price->member[price->count++] = from->member[k];
    }
    return NETDP_OK;
}

static netdp_status fill(const account *a, const netdp_i_package *package, netdp_i_prices *prices,
                         netdp_error *error)
{
    const int32_t others = package->members - 1;
    OWNED int32_t *all = NETDP_I_NEW(int32_t, others);
    OWNED double *single = NETDP_I_NEW(double, others);
    if (all == NULL || single == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < others; i++)
        all[i] = prices->towards[i].member[0];
    TRY(ask(a, all, others, false, NETDP_OWN_NOISE_KNOWN, single, error));
    for (int32_t i = 0; i < others; i++)
        prices->towards[i].square = single[i];
    for (int32_t i = others; i < prices->count; i++)
        TRY(ask(a, prices->towards[i].member, prices->towards[i].count, true, NETDP_OWN_NOISE_KNOWN,
                &prices->towards[i].square, error));
    /* Who knows nobody's noise: the same as a member that does not use its own. */
    TRY(ask(a, all, 1, false, NETDP_OWN_NOISE_COUNTS, &prices->outside, error));
    return ask(a, all, others, true, NETDP_OWN_NOISE_KNOWN, &prices->everyone, error);
}

netdp_status netdp_i_prices_new(const netdp_i_package *package, int32_t self,
                                netdp_i_prices **prices, netdp_error *error)
{
    CLEARED(close_account) account a = {0};
    OWNED_BY(netdp_i_prices_free) netdp_i_prices *made = NETDP_I_NEW(netdp_i_prices, 1);
    NEED(made);
    TRY(list_observers(package, self, made, error));
    TRY(open_account(package, self, &a, error));
    TRY(read_unit(package, &a, made, error));
    TRY(fill(&a, package, made, error));
    made->exposed = package->terms.revealed > 0;
    *prices = GIVE(made);
    return NETDP_OK;
}

/* A question's inverse takes members^3 multiplications: of all questions together, and of two. */
#define MOST_WORK 2e9
enum { MOST_MEMBERS = 1000 };

/* The observers of prices, then all others, then an eavesdropper: as a member that does not use its own noise. */
static int32_t list_sets(const netdp_i_prices *prices, int32_t *all, int32_t others,
                         netdp_observers *sets)
{
    int32_t count = 0;
    for (int32_t i = 0; i < others; i++)
        all[i] = prices->towards[i].member[0];
    /* Where pairs may be revealed all cost what everyone does. */
    const bool each = !prices->exposed && prices->count * pow(others + 1, 3) <= MOST_WORK;
    for (int32_t i = 0; each && i < prices->count; i++)
        sets[count++] = (netdp_observers){.count = prices->towards[i].count,
                                          .member = prices->towards[i].member};
    sets[count++] = (netdp_observers){.count = others, .member = all};
    if (!prices->exposed)
        sets[count++] = (netdp_observers){.count = 1, .member = all, .own_counts = true};
    return count;
}

netdp_status netdp_i_prices_proof(const netdp_i_package *package, int32_t self,
                                  const netdp_i_prices *prices, const char *path, bool *written,
                                  netdp_error *error)
{
    CLEARED(close_account) account a = {0};
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    const int32_t others = package->members - 1;
    OWNED int32_t *all = NETDP_I_NEW(int32_t, others);
    OWNED netdp_observers *sets = NETDP_I_NEW(netdp_observers, prices->count + 2);
    netdp_i_prices unit = {0};
    *written = false;
    if (package->members > MOST_MEMBERS)
        return NETDP_OK;
    if (all == NULL || sets == NULL)
        return netdp_i_no_memory(error);
    TRY(open_account(package, self, &a, error));
    TRY(read_unit(package, &a, &unit, error));
    /* Contributions are alike, in phases that each see everything. */
    a.protocol.reacts = true;
    a.protocol.every = 1;
    a.protocol.rounds = prices->contributions;
    a.protocol.cycle = prices->cycle;
    const netdp_loss_request losses = {
        .protocol = &a.protocol,
        .protection = {.protects = prices->row ? NETDP_PROTECTS_ROW : NETDP_PROTECTS_NODE}};
    const netdp_proof_request request = {.losses = &losses,
                                         .from = self,
                                         .noise = nextafter(package->terms.sigma / a.part, 0),
                                         .unit = {NETDP_AS_DP, package->terms.delta}};
    TRY(netdp_i_output_open_own(&output, path, false, error));
    TRY(netdp_i_everything_proof(&request, list_sets(prices, all, others, sets), sets, &output,
                                 error));
    *written = true;
    return NETDP_OK;
}

int64_t netdp_i_price_taken(int64_t contributions, int64_t cycle)
{
    return (contributions + cycle - 1) / cycle;
}

double netdp_i_price_times(double square, int64_t times)
{
    return times > 0 ? nextafter(square * (double)times, INFINITY) : 0;
}

netdp_status netdp_i_price_epsilon(double square, double delta, double *epsilon, netdp_error *error)
{
    return netdp_loss_value(square, 1, (netdp_unit){NETDP_AS_DP, delta}, epsilon, error);
}

/* ---- For the ledger ---- */

static json_t *list_keys(const netdp_i_package *package, const int32_t *member, int32_t count)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < count; i++) {
        char key[NETDP_I_DIGEST_TEXT];
        netdp_i_hex(package->member[member[i]].key, key);
        json_array_append_new(list, json_string(key));
    }
    return list;
}

char *netdp_i_prices_text(const netdp_i_prices *prices, const netdp_i_package *package,
                          int32_t self)
{
    json_t *towards = json_array(), *members = json_array(), *names = json_array();
    (void)netdp_i_json_failed();
    for (int32_t i = 0; i < prices->count; i++) {
        const netdp_i_price *price = &prices->towards[i];
        json_array_append_new(towards,
                              json_pack("{s:o, s:f}", "members",
                                        list_keys(package, price->member, price->count), "square",
                                        prices->exposed ? prices->everyone : price->square));
    }
    for (int32_t i = 0; i < package->members; i++) {
        json_t *one = list_keys(package, &i, 1);
        json_array_append(members, json_array_get(one, 0));
        json_decref(one);
        json_array_append_new(names, json_string(package->member[i].name));
    }
    json_t *object = json_pack(
        "{s:s, s:i, s:s, s:b, s:I, s:I, s:f, s:f, s:f, s:f, s:b, s:o, s:o, s:o}", "title",
        package->title, "self", (int)self, "protects", prices->protects, "row", prices->row,
        "cycle", (json_int_t)prices->cycle, "contributions", (json_int_t)prices->contributions,
        "noise", package->terms.sigma, "pair_noise", package->terms.noise.pairing.kappa, "outside",
        prices->exposed ? prices->everyone : prices->outside, "everyone", prices->everyone,
        "exposed", prices->exposed, "members", members, "names", names, "towards", towards);
    char *text =
        object != NULL && !netdp_i_json_failed()
            ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17))
            : NULL;
    json_decref(object);
    return text;
}
