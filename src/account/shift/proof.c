/* Proof files, form 1: one fact a line, doubles in hexadecimal, so that what is read is what was computed. */
#include "account/shift/proof.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/try.h"

/* Rules that form 1 knows by name; uniform weights are those of metropolis on a complete graph. */
static const struct {
    const char *name, *word;
} rules[] = {{"metropolis", "metropolis"},
             {"hamilton", "hamilton"},
             {"max-degree", "max-degree"},
             {"rows", "rows"},
             {"file", "file"},
             {"uniform", "metropolis"}};
enum { RULES = sizeof rules / sizeof *rules };

static const char *word_of(const char *rule)
{
    for (int i = 0; i < RULES; i++)
        if (strcmp(rules[i].name, rule) == 0)
            return rules[i].word;
    return NULL;
}

/* The fewest digits that are this double. */
typedef struct digits {
    char text[32];
} digits;

static digits shortest(double x)
{
    digits made;
    for (int places = 1; places <= 17; places++) {
        snprintf(made.text, sizeof made.text, "%.*g", places, x);
        if (strtod(made.text, NULL) == x)
            break;
    }
    return made;
}

/* "lazy:K:NAME" with K as the decimal of its double; a rule without a name is given as it is. */
static void write_rule(const char *name, FILE *to)
{
    const char *base = name;
    double lazy = 0;
    const bool is_lazy = strncmp(name, "lazy:", 5) == 0;
    if (is_lazy) {
        char *end = NULL;
        lazy = strtod(name + 5, &end);
        base = *end == ':' ? end + 1 : "metropolis";
    }
    const char *word = word_of(base);
    if (word == NULL)
        fprintf(to, "rule file\n");
    else if (is_lazy)
        fprintf(to, "rule lazy:%s:%s\n", shortest(lazy).text, word);
    else
        fprintf(to, "rule %s\n", word);
}

/* The format's. */
enum { MOST_SLOTS = 1000 };

netdp_status netdp_i_proof_check(const netdp_linear *protocol, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const char *what = NULL;
    const bool long_one =
        protocol->every > 0 && (protocol->rounds - 1) / protocol->every >= MOST_SLOTS;
    if (long_one && !protocol->reacts)
        what = "streams of more than 1,000 contributions";
    else if (long_one && protocol->varying.kind != NETDP_VARY_NEVER)
        what = "more than 1,000 phases on networks that change";
    else if (netdp_quiet_is(&protocol->quiet))
        what = "noise that is correlated over phases";
    else if (protocol->senders_only)
        what = "protocols whose senders alone contribute";
    else if (protocol->own != NULL)
        what = "more noise of single nodes";
    else if (protocol->varying.kind == NETDP_VARY_LATE)
        what = "nodes that fail late";
    if (what != NULL)
        return netdp_i_fail(error, NETDP_INVALID, "proof: there are no proof files of %s yet",
                            what);
    for (int32_t v = 0; v < rows.nodes; v++)
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++)
            if (rows.column[k] != v && !(rows.weight[k] > 0))
                return netdp_i_fail(error, NETDP_INVALID,
                                    "proof: the edge from %d to %d has the weight 0; leave it out",
                                    (int)v, (int)rows.column[k]);
    return NETDP_OK;
}

static void write_network(const netdp_linear *protocol, FILE *to)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    fprintf(to, "netdp-proof 1\nnodes %d\n", (int)rows.nodes);
    write_rule(netdp_mixing_name(protocol->mixing), to);
    for (int32_t v = 0; v < rows.nodes; v++)
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++)
            fprintf(to, "w %d %d %a\n", (int)v, (int)rows.column[k], rows.weight[k]);
}

static bool is_row_kept(netdp_rows a, netdp_rows b, int32_t v)
{
    const int64_t count = a.start[v + 1] - a.start[v];
    return b.start[v + 1] - b.start[v] == count &&
           memcmp(a.column + a.start[v], b.column + b.start[v], (size_t)count * sizeof *a.column) ==
               0 &&
           memcmp(a.weight + a.start[v], b.weight + b.start[v], (size_t)count * sizeof *a.weight) ==
               0;
}

/* Rows that are not those of every round, whole; rounds are counted through all phases. */
static void write_changes(const netdp_linear *protocol, const netdp_i_shift_problem *problem,
                          int64_t begin, FILE *to)
{
    const netdp_rows usual = netdp_mixing_rows(protocol->mixing);
    for (int64_t t = 0; !problem->fixed && t < problem->rounds; t++) {
        const netdp_rows rows = problem->round[t].rows;
        for (int32_t v = 0; v < rows.nodes; v++)
            for (int64_t k = rows.start[v]; k < rows.start[v + 1] && !is_row_kept(usual, rows, v);
                 k++)
                fprintf(to, "change %" PRId64 " %d %d %a\n", begin + t, (int)v, (int)rows.column[k],
                        rows.weight[k]);
    }
}

static void write_rounds(const netdp_i_proof *proof, const netdp_i_shift_problem *problem, FILE *to)
{
    const netdp_pairing *pairing = &proof->protocol->noise.pairing;
    /* Of a stream whose every message is seen the problem has one of the contributions. */
    const bool stream = proof->protocol->every > 0 && !proof->protocol->reacts;
    fprintf(to, "rounds %" PRId64 "\n", stream ? proof->protocol->rounds : problem->rounds);
    for (int64_t t = 0; t < problem->rounds; t++)
        if (t == 0 || problem->round[t].noise != problem->round[t - 1].noise)
            fprintf(to, "noise %" PRId64 " %a\n", t, problem->round[t].noise);
    if (problem->weight > 1)
        fprintf(to, "accelerate %a\n", problem->weight);
    if (problem->end > 0)
        fprintf(to, "release %a\n", problem->end);
    if (proof->phases > 0)
        fprintf(to, "phases %" PRId64 "\ntakes-part %" PRId64 "\n", proof->phases, proof->parts);
    if (stream)
        fprintf(to, "every %" PRId64 "\nat-most %" PRId64 "\n", proof->protocol->every,
                netdp_linear_contributions(proof->protocol));
    if (proof->row)
        fprintf(to, "unit row\n");
    if (!netdp_pairing_is(pairing) || netdp_graph_edges(pairing->graph) == 0)
        return;
    fprintf(to, "pair-noise %a\n", pairing->kappa);
    for (int32_t v = 0; v < problem->nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, v); i++)
            if (netdp_graph_neighbours(pairing->graph, v)[i] > v)
                fprintf(to, "pair %d %d\n", (int)v,
                        (int)netdp_graph_neighbours(pairing->graph, v)[i]);
}

/* epsilon / mu + mu / 2, as netdp-verify has it. */
#define FARTHEST 99

netdp_status netdp_i_proof_claim(double loss, netdp_unit unit, double noise,
                                 netdp_i_proof_claims *claims, netdp_error *error)
{
    *claims = (netdp_i_proof_claims){.loss = loss, .unit = unit, .noise = noise};
    if (unit.currency == NETDP_AS_LOSS)
        return NETDP_OK;
    unit.parameter = nextafter(unit.parameter, unit.currency == NETDP_AS_RDP ? INFINITY : 0);
    TRY(netdp_loss_value(nextafter(loss, INFINITY), nextafter(noise, 0), unit, &claims->value,
                         error));
    /* Beyond this a checker bounds delta by less than it could: of epsilons above 4,000 or so. */
    const double mu = sqrt(loss) / noise;
    if (unit.currency == NETDP_AS_DP && claims->value / mu + mu / 2 > FARTHEST)
        claims->value = INFINITY;
    return NETDP_OK;
}

/* What is claimed, above what doubles say: a decimal of 17 digits may be half a digit below. */
void netdp_i_proof_claims_write(const netdp_i_proof_claims *claims, FILE *to)
{
    static const char *const word[] = {
        [NETDP_AS_GDP] = "gdp", [NETDP_AS_RDP] = "rdp", [NETDP_AS_DP] = "dp"};
    const netdp_currency currency = claims->unit.currency;
    fprintf(to, "claim loss %s\n",
            claims->loss == 1 ? "1" : shortest(nextafter(claims->loss, INFINITY)).text);
    if (currency == NETDP_AS_LOSS || !isfinite(claims->value))
        return;
    fprintf(to, "claim %s %.17g", word[currency],
            nextafter(nextafter(claims->value, INFINITY), INFINITY));
    if (currency != NETDP_AS_GDP)
        fprintf(to, " %s", shortest(claims->unit.parameter).text);
    fprintf(to, " %s\n", shortest(claims->noise).text);
}

static void write_question(const netdp_i_proof *proof, FILE *to)
{
    const netdp_i_shift_view *view = proof->view;
    fprintf(to, "source %d\nobservers", (int)proof->source);
    for (int32_t i = 0; i < view->members; i++)
        fprintf(to, " %d", (int)view->member[i]);
    fprintf(to, "\nsees %s\nown-noise %s\n",
            proof->everything                     ? "everything"
            : view->sees == NETDP_SEES_NEIGHBOURS ? "messages"
                                                  : "sums",
            view->counts ? "counts" : "known");
    if (proof->weight != 1)
        fprintf(to, "weight %a\n", proof->weight);
    if (proof->bound != NULL && !proof->everything)
        fprintf(to, "bound %s\n", proof->bound);
    for (int64_t k = 0; proof->y != NULL && k < netdp_i_shift_slots(&proof->story->problem); k++)
        fprintf(to, "y %" PRId64 " %a\n", k, proof->y[k]);
    netdp_i_proof_claims_write(&proof->claims, to);
}

static bool is_pivot(const netdp_i_shift_tie *tie, int32_t v)
{
    for (int32_t i = 0; tie != NULL && i < tie->count; i++)
        if (tie->pivot[i] == v)
            return true;
    return false;
}

/* Rounds are counted from `begin` on. */
static void write_messages(const netdp_i_story *story, int64_t lane, int64_t begin, FILE *to)
{
    const netdp_i_shift_problem *p = &story->problem;
    for (int64_t t = 0; story->of.g != NULL && t < p->rounds; t++) {
        const netdp_i_shift_round *round = &p->round[t];
        for (int32_t v = 0; v < p->nodes; v++) {
            const double g = story->of.g[(t * p->nodes + v) * story->of.lanes + lane];
            if (g != 0 && round->part[v] == NETDP_I_PART_FREE && !is_pivot(round->tie, v))
                fprintf(to, "g %" PRId64 " %d %a\n", begin + t, (int)v, g);
        }
        for (int32_t i = 0; round->tie != NULL && i < round->tie->count; i++)
            fprintf(to, "tie %" PRId64 " %d %d\n", begin + t, (int)round->tie->observer[i],
                    (int)round->tie->pivot[i]);
    }
}

/* Pairs' noise of one round; in a block the line says of which contribution's, -1: in none. */
static void write_pairs(const netdp_i_story *story, int64_t slot, int64_t lane, int64_t said,
                        FILE *to)
{
    const netdp_i_shift_problem *p = &story->problem;
    for (int64_t i = 0; i < p->pair_count; i++) {
        const double c = story->of.c[(slot * p->pair_count + i) * story->of.lanes + lane];
        if (c == 0)
            continue;
        fprintf(to, "c ");
        if (said >= 0)
            fprintf(to, "%" PRId64 " ", said);
        fprintf(to, "%d %d %a\n", (int)p->pair[2 * i], (int)p->pair[2 * i + 1], c);
    }
}

/* Of phase `block`, whose first round is `begin`; -1: of a stream, of the only contribution, or of each alike. */
static void write_story(const netdp_i_story *story, int32_t block, int64_t begin, FILE *to)
{
    const int64_t slots = netdp_i_shift_slots(&story->problem);
    const bool stream = story->problem.every > 0;
    for (int64_t lane = 0; lane < slots; lane++) {
        if (stream || block >= 0)
            fprintf(to, "contribution %" PRId64 "\n", stream ? lane : block);
        write_messages(story, lane, begin, to);
        for (int64_t slot = 0; slot < slots; slot++)
            write_pairs(story, slot, lane, stream ? slot : block, to);
    }
}

void netdp_i_proof_head(const netdp_i_proof *proof, FILE *to)
{
    const netdp_i_shift_problem *first = &proof->story->problem;
    write_network(proof->protocol, to);
    for (int32_t i = 0; i < proof->stories && !proof->everything; i++)
        write_changes(proof->protocol, &proof->story[i].problem, i * first->rounds, to);
    write_rounds(proof, first, to);
}

void netdp_i_proof_question(const netdp_i_proof *proof, FILE *to)
{
    const int64_t rounds = proof->story->problem.rounds;
    const bool blocks = proof->stories > 1;
    write_question(proof, to);
    for (int32_t i = 0; i < proof->stories; i++)
        write_story(&proof->story[i], blocks ? i : -1, i * rounds, to);
}

void netdp_i_proof_end(FILE *to)
{
    fprintf(to, "end\n");
}

/* Digits of a node or round, a double, and the words beside them. */
enum { NUMBER = 7, DOUBLE = 24, WORD = 9 };

double netdp_i_proof_bytes(const netdp_linear *protocol, int64_t rounds, int64_t stories)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const double entries = (double)rows.start[rows.nodes], n = rows.nodes;
    const double pairs = netdp_pairing_is(&protocol->noise.pairing)
                             ? (double)netdp_graph_edges(protocol->noise.pairing.graph)
                             : 0;
    const double line = WORD + 2 * NUMBER + DOUBLE;
    const double changes =
        protocol->varying.kind == NETDP_VARY_NEVER ? 0 : (double)(rounds * stories) * entries;
    const bool stream = protocol->every > 0 && !protocol->reacts && rounds > 0;
    const double slots = stream ? ceil((double)rounds / (double)protocol->every) : 1;
    return 1024 + line * (2 * entries + slots * (double)(rounds * stories) * n + changes +
                          pairs * (1 + slots * slots * (double)stories));
}
