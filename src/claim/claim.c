#include <netdp/claim.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/try.h"
#include "claim/claims.h"

/* ---- Inputs ---- */

#define ANY_MOST 1e300
#define COUNT_MOST 1e15
#define REQUIRED NAN

static const netdp_input_info inputs_known[NETDP_INPUTS] = {
    [NETDP_IN_END] = {0},
    [NETDP_IN_NODES] = {"nodes", "nodes", "n, how many nodes", 2, 2e9, .whole = true, .graph = true,
                        .usual = REQUIRED},
    [NETDP_IN_ROUNDS] = {"rounds", "rounds", "T, rounds of gossip or steps of a walk", 1,
                         COUNT_MOST, .whole = true, .usual = REQUIRED},
    [NETDP_IN_INNER] = {"inner", "rounds", "K, gossip rounds of a phase", 1, COUNT_MOST,
                        .whole = true, .usual = REQUIRED},
    [NETDP_IN_PHASES] = {"phases", "phases", "gradient steps, each followed by gossip", 1,
                         COUNT_MOST, .whole = true, .usual = REQUIRED},
    [NETDP_IN_ALPHA] = {"alpha", "", "Renyi order", 1, ANY_MOST, .above = true, .usual = 2},
    [NETDP_IN_NOISE] = {"noise", "Delta", "sigma, standard deviation of one noise", 0, ANY_MOST,
                        .usual = REQUIRED},
    [NETDP_IN_EPSILON] = {"epsilon", "", "of one contribution, or the target", 0, ANY_MOST,
                          .above = true, .usual = REQUIRED},
    [NETDP_IN_DELTA] = {"delta", "", "failure probability", 0, 1, .above = true, .below = true,
                        .usual = REQUIRED},
    [NETDP_IN_DELTA_COMPOSE] = {"delta-compose", "", "delta' of advanced composition", 0, 1,
                                .above = true, .below = true, .usual = REQUIRED},
    [NETDP_IN_DELTA_VISITS] = {"delta-visits", "",
                               "that a node contributes more often than accounted for", 0, 1,
                               .above = true, .below = true, .usual = REQUIRED},
    [NETDP_IN_DELTA_SPOTTED] = {"delta-spotted", "",
                                "that more contributions are spotted than accounted for", 0, 1,
                                .above = true, .below = true, .usual = REQUIRED},
    [NETDP_IN_GAP] = {"gap", "", "1 - max(|lambda_2|, |lambda_n|) of W", 0, 1, .above = true,
                      .graph = true, .usual = REQUIRED},
    [NETDP_IN_ACTIVATION] = {"activation", "per step",
                             "second eigenvalue of the Laplacian whose weights are the chances "
                             "that an edge is the one of a step (in proportion to W)",
                             0, 2, .above = true, .graph = true, .usual = REQUIRED},
    [NETDP_IN_DEGREE] = {"degree", "messages", "that the observers receive in a round", 1,
                         COUNT_MOST, .graph = true, .usual = REQUIRED},
    [NETDP_IN_MEMBERS] = {"members", "nodes", "how many observe together", 1, 2e9, .whole = true,
                          .graph = true, .usual = 1},
    [NETDP_IN_PROBABILITY] = {"probability", "", "of an edge of an Erdos-Renyi graph", 0, 1,
                              .usual = REQUIRED},
    [NETDP_IN_COMMUNICATIONS] = {"communications", "messages",
                                 "that the observers receive in the whole run", 0, COUNT_MOST,
                                 .usual = REQUIRED},
    [NETDP_IN_VARIANCE] = {"variance", "Delta^2", "of the nodes' values", 0, ANY_MOST,
                           .usual = 0.25},
    [NETDP_IN_DITHER] = {"dither", "sigma", "fresh noise of each later message", 0, 1e100,
                         .usual = 0},
    [NETDP_IN_END_DITHER] = {"end-dither", "sigma", "fresh noise at the end of a phase", 0, 1e100,
                             .usual = 0.1},
    [NETDP_IN_PAIR_NOISE] = {"pair-noise", "sigma", "kappa, noise that neighbours share", 0, 1e6,
                             .usual = REQUIRED},
    [NETDP_IN_OMEGA] = {"omega", "radians per round",
                        "contributions are the signs of cos(omega t) in the attack", 0,
                        3.141592653589793, .usual = 0},
    [NETDP_IN_CAP] = {"cap", "contributions", "of a node at most; 0: none, T/n on average", 0,
                      COUNT_MOST, .whole = true, .usual = 0},
    [NETDP_IN_LOOP] = {"loop", "", "kappa, chance that the token stays", 0, 1, .below = true,
                       .usual = 0},
    [NETDP_IN_HIDDEN] = {"hidden", "noise terms", "that hide a contribution, its own included", 1,
                         COUNT_MOST, .whole = true, .usual = REQUIRED},
    [NETDP_IN_MIXING_TIME] = {"mixing-time", "steps", "to total variation 1/4", 1, COUNT_MOST,
                              .graph = true, .usual = REQUIRED},
    [NETDP_IN_DIMENSIONS] = {"dimensions", "", "d, of the model", 1, 2e9, .whole = true,
                             .usual = 1},
    [NETDP_IN_CONVEXITY] = {"convexity", "", "m, strong convexity of every objective", 0, ANY_MOST,
                            .above = true, .usual = REQUIRED},
    [NETDP_IN_SMOOTHNESS] = {"smoothness", "", "largest Lipschitz constant of a node's gradient", 0,
                             ANY_MOST, .above = true, .usual = REQUIRED},
    [NETDP_IN_MEAN_SMOOTHNESS] = {"mean-smoothness", "", "mean of the nodes' constants", 0,
                                  ANY_MOST, .above = true, .usual = REQUIRED},
    [NETDP_IN_LEAST_SMOOTHNESS] = {"least-smoothness", "", "least of the nodes' constants", 0,
                                   ANY_MOST, .above = true, .usual = REQUIRED},
    [NETDP_IN_LIPSCHITZ] = {"lipschitz", "", "L, of the objectives: Delta = 2 L", 0, ANY_MOST,
                            .above = true, .usual = REQUIRED},
    [NETDP_IN_DIAMETER] = {"diameter", "", "D, of the set of models", 0, ANY_MOST, .above = true,
                           .usual = REQUIRED},
    [NETDP_IN_HETEROGENEITY] = {"heterogeneity", "",
                                "zeta^2, squared gradients of the nodes at the optimum", 0,
                                ANY_MOST, .usual = REQUIRED},
    [NETDP_IN_BATCH_VARIANCE] = {"batch-variance", "", "rho^2, variance of a batch's gradient", 0,
                                 ANY_MOST, .usual = 0},
    [NETDP_IN_DISTANCE] = {"distance", "", "R, of the first model from the optimum", 0, ANY_MOST,
                           .usual = REQUIRED},
    [NETDP_IN_LOSS] = {"loss", "Delta^2", "squared sensitivity of all that is seen", 0, ANY_MOST,
                       .usual = REQUIRED},
    [NETDP_IN_EXPONENT] = {"exponent", "", "q, step k is 1/k^q", 0.5, 1, .above = true,
                           .below = true, .usual = REQUIRED},
    [NETDP_IN_ARGUMENT] = {"argument", "", "x of the series", 0, 1, .above = true, .below = true,
                           .usual = REQUIRED},
    [NETDP_IN_PASSES] = {"passes", "passes", "K, times that the token goes around", 1, COUNT_MOST,
                         .whole = true, .usual = REQUIRED},
    [NETDP_IN_LEVELS] = {"levels", "values", "L, size of the histogram's domain", 2, COUNT_MOST,
                         .whole = true, .usual = REQUIRED},
    [NETDP_IN_DRAWS] = {"draws", "draws", "m, with replacement", 1, COUNT_MOST, .whole = true,
                        .usual = REQUIRED},
    [NETDP_IN_SEED] = {"seed", "", "fixes the draws of edges or graphs", 0, COUNT_MOST,
                       .whole = true, .usual = 1},
    [NETDP_IN_SCALE] = {"scale", "", "theta of the Gamma law", 0, ANY_MOST, .above = true,
                        .usual = REQUIRED},
};

const netdp_input_info *netdp_inputs(void)
{
    return inputs_known;
}

netdp_status netdp_input_find(const char *name, netdp_input *input, netdp_error *error)
{
    NETDP_I_GIVEN(error, name && input);
    const char *names[NETDP_INPUTS];
    for (int i = 1; i < NETDP_INPUTS; i++) {
        names[i - 1] = inputs_known[i].name;
        if (strcmp(inputs_known[i].name, name) == 0) {
            *input = (netdp_input)i;
            return NETDP_OK;
        }
    }
    const char *nearest = netdp_i_nearest(name, names, NETDP_INPUTS - 1);
    return netdp_i_fail(error, NETDP_INVALID, "'%.40s': unknown input%s%s%s", name,
                        nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                        nearest != NULL ? "?" : "");
}

void netdp_claim_inputs_init(netdp_claim_inputs *inputs)
{
    *inputs = (netdp_claim_inputs){.from = -1};
    for (int i = 0; i < NETDP_INPUTS; i++)
        inputs->value[i] = NAN;
}

/* ---- The table ---- */

static const netdp_claim *const tables[] = {
    netdp_i_claims_a, netdp_i_claims_b,     netdp_i_claims_c,      netdp_i_claims_d,
    netdp_i_claims_e, netdp_i_claims_decor, netdp_i_claims_pn_f_dp};

enum { TABLES = sizeof tables / sizeof *tables };

const netdp_claim *netdp_claim_at(size_t index)
{
    for (size_t t = 0; t < TABLES; t++)
        for (const netdp_claim *claim = tables[t]; claim->name != NULL; claim++)
            if (index-- == 0)
                return claim;
    return NULL;
}

size_t netdp_claim_count(void)
{
    size_t count = 0;
    for (size_t t = 0; t < TABLES; t++)
        for (const netdp_claim *claim = tables[t]; claim->name != NULL; claim++)
            count++;
    return count;
}

netdp_status netdp_claim_find(const char *name, const netdp_claim **claim, netdp_error *error)
{
    NETDP_I_GIVEN(error, name && claim);
    const size_t count = netdp_claim_count();
    OWNED const char **names = NETDP_I_NEW(const char *, (int64_t)count);
    if (names == NULL)
        return netdp_i_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        names[i] = netdp_claim_at(i)->name;
        if (strcmp(names[i], name) == 0) {
            *claim = netdp_claim_at(i);
            return NETDP_OK;
        }
    }
    const char *nearest = netdp_i_nearest(name, names, count);
    return netdp_i_fail(error, NETDP_INVALID, "'%.40s': unknown claim; %s%s%s", name,
                        nearest != NULL ? "did you mean " : "netdp_claim_at lists them",
                        nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
}

static bool takes(const netdp_claim *claim, netdp_input input)
{
    for (const netdp_input *i = claim->inputs; *i != NETDP_IN_END; i++)
        if (*i == input)
            return true;
    return false;
}

/* What an unknown or useless word most likely meant, of those that the claim takes. */
static netdp_status refuse_input(const netdp_claim *claim, const char *key, netdp_error *error)
{
    const char *names[16];
    char list[400] = "";
    size_t count = 0, used = 0;
    for (const netdp_input *i = claim->inputs; *i != NETDP_IN_END; i++)
        names[count++] = netdp_inputs()[*i].name;
    if (claim->parties >= NETDP_CLAIM_PAIR)
        names[count++] = "from";
    if (claim->parties != NETDP_CLAIM_NOBODY)
        names[count++] = "to";
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    const char *nearest = netdp_i_nearest(key, names, count);
    if (nearest != NULL)
        return netdp_i_fail(error, NETDP_INVALID, "'%s': unknown input; did you mean %s?",
                            netdp_i_show_text(key).text, nearest);
    return netdp_i_fail(error, NETDP_INVALID, "'%s': no input of %s, which takes %s",
                        netdp_i_show_text(key).text, claim->name, list);
}

netdp_status netdp_claim_input(const netdp_claim *claim, const char *name, netdp_input *input,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, claim && name && input);
    netdp_input found = NETDP_IN_END;
    netdp_error dropped;
    if (netdp_input_find(name, &found, &dropped) != NETDP_OK || !takes(claim, found))
        return refuse_input(claim, name, error);
    *input = found;
    return NETDP_OK;
}

const char *netdp_claim_source(const char *paper)
{
    static const char *const sources[] = {
        "Cyffers, Bellet and Upadhyay 2024",        /* A: random walks */
        "Ayache and El Rouayheb 2020",              /* B: weighted random walks */
        "Cyffers, Even, Bellet and Massoulie 2022", /* C: Muffliato */
        "Koskela and Kulkarni 2025",                /* D: linear systems */
        "Cyffers and Bellet 2021",                  /* E: network differential privacy */
    };
    static const char word[] = "paper ";
    if (strncmp(paper, word, sizeof word - 1) == 0)
        paper += sizeof word - 1;
    const bool one = paper[0] >= 'A' && paper[0] <= 'E' && (paper[1] == ',' || paper[1] == '\0');
    return one ? sources[paper[0] - 'A'] : NULL;
}

const char *netdp_claim_unit(netdp_claim_kind kind)
{
    static const char *const names[] = {
        [NETDP_CLAIM_LOSS] = "loss",
        [NETDP_CLAIM_RDP] = "rdp:ALPHA",
        [NETDP_CLAIM_DP] = "epsilon",
        [NETDP_CLAIM_DELTA] = "delta",
        [NETDP_CLAIM_NOISE] = "standard deviation",
        [NETDP_CLAIM_CHANCE] = "probability",
        [NETDP_CLAIM_ERROR] = "half mean squared error in units of Delta^2",
        [NETDP_CLAIM_MODEL] = "squared distance from the optimum",
        [NETDP_CLAIM_EXCESS] = "objective above its minimum",
        [NETDP_CLAIM_ROUNDS] = "rounds",
        [NETDP_CLAIM_SCALE] = "theta of the Gamma law",
        [NETDP_CLAIM_SUM] = "number",
        [NETDP_CLAIM_RATE] = "rate, up to a constant and logarithms",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* ---- From the graph ---- */

static netdp_rows rows_of(const netdp_claim_inputs *in)
{
    return in->mixing != NULL ? netdp_mixing_rows(in->mixing) : netdp_transition_rows(in->law);
}

static const netdp_graph *graph_of(const netdp_claim_inputs *in)
{
    return in->mixing != NULL ? netdp_mixing_graph(in->mixing) : netdp_transition_graph(in->law);
}

static bool observes(const netdp_claim_inputs *in, int32_t node)
{
    for (int32_t i = 0; i < in->to_count; i++)
        if (in->to[i] == node)
            return true;
    return false;
}

/* Nodes outside the observers with an edge to one of them; without observers the largest degree. */
static double degree_of(const netdp_claim_inputs *in)
{
    const netdp_graph *graph = graph_of(in);
    int32_t degree = 0;
    for (int32_t w = 0; w < netdp_graph_nodes(graph); w++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, w);
        bool beside = false;
        for (int32_t k = 0; k < netdp_graph_degree(graph, w) && in->to_count > 0; k++)
            beside = beside || observes(in, neighbour[k]);
        if (in->to_count > 0)
            degree += beside && !observes(in, w);
        else if (netdp_graph_degree(graph, w) > degree)
            degree = netdp_graph_degree(graph, w);
    }
    return degree;
}

/* Of L(p) = (I - W) / S with edges drawn in proportion to W, S the sum of its edges. */
static double activation_of(const netdp_mixing *mixing, const netdp_spectrum *spectrum)
{
    const netdp_rows rows = netdp_mixing_rows(mixing);
    double edges = 0;
    for (int32_t u = 0; u < rows.nodes; u++)
        for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
            edges += rows.column[i] > u ? rows.weight[i] : 0;
    return (1 - spectrum->second) / edges;
}

static netdp_status from_graph(netdp_claim_inputs *in, netdp_input input, netdp_error *error)
{
    netdp_spectrum spectrum;
    int64_t time;
    switch (input) {
    case NETDP_IN_NODES:
        in->value[input] = rows_of(in).nodes;
        break;
    case NETDP_IN_DEGREE:
        in->value[input] = degree_of(in);
        break;
    case NETDP_IN_MEMBERS:
        in->value[input] = in->to_count > 0 ? in->to_count : 1;
        break;
    case NETDP_IN_GAP:
    case NETDP_IN_ACTIVATION:
        if (in->mixing == NULL)
            break;
        TRY(netdp_mixing_spectrum(in->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error));
        in->value[input] =
            input == NETDP_IN_GAP ? spectrum.gap : activation_of(in->mixing, &spectrum);
        break;
    case NETDP_IN_MIXING_TIME:
        if (in->mixing == NULL)
            break;
        TRY(netdp_mixing_time(in->mixing, 0.25, &time, error));
        in->value[input] = time < 1 ? 1 : (double)time;
        break;
    default:
        break;
    }
    return NETDP_OK;
}

netdp_status netdp_claim_derive(const netdp_claim *claim, netdp_claim_inputs *inputs,
                                netdp_error *error)
{
    NETDP_I_GIVEN(error, claim && inputs);
    if (inputs->mixing != NULL)
        TRY(netdp_mixing_require(inputs->mixing, error));
    else if (inputs->law != NULL)
        TRY(netdp_transition_require(inputs->law, error));
    const bool graph = inputs->mixing != NULL || inputs->law != NULL;
    for (const netdp_input *i = claim->inputs; *i != NETDP_IN_END; i++) {
        if (isnan(inputs->value[*i]) && graph && inputs_known[*i].graph)
            TRY(from_graph(inputs, *i, error));
        if (isnan(inputs->value[*i]))
            inputs->value[*i] = inputs_known[*i].usual;
    }
    return NETDP_OK;
}

/* ---- Checks ---- */

static netdp_status check_range(const netdp_input_info *info, double value, netdp_error *error)
{
    const bool low = info->above ? value > info->least : value >= info->least;
    const bool high = info->below ? value < info->most : value <= info->most;
    if (isnan(value))
        return netdp_i_fail(error, NETDP_INVALID, "missing %s%s%s (%s); give %s=VALUE%s",
                            info->name, info->unit[0] != '\0' ? " in " : "", info->unit, info->what,
                            info->name, info->graph ? ", or a graph to take it from" : "");
    if (!low || !high || (info->whole && value != floor(value)))
        return netdp_i_fail(error, NETDP_INVALID, "%s: %g; give a %s %s %g and %s %g", info->name,
                            value, info->whole ? "whole number" : "number",
                            info->above ? "above" : "from", info->least,
                            info->below ? "below" : "up to", info->most);
    return NETDP_OK;
}

static netdp_status check_parties(const netdp_claim *claim, const netdp_claim_inputs *in,
                                  netdp_error *error)
{
    const bool pair = claim->parties >= NETDP_CLAIM_PAIR;
    if (claim->graph == NETDP_CLAIM_GOSSIP && in->mixing == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s: needs a graph with a mixing matrix",
                            claim->name);
    if (claim->graph == NETDP_CLAIM_WALK && in->law == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s: needs a graph with a transition matrix",
                            claim->name);
    if (claim->parties == NETDP_CLAIM_NOBODY)
        return NETDP_OK;
    NETDP_I_GIVEN(error, in->to_count < 1 || in->to != NULL);
    if (in->to_count < 1 && claim->graph != NETDP_CLAIM_NUMBERS)
        return netdp_i_fail(error, NETDP_INVALID, "missing to (who observes); give to=NODE");
    if (pair && in->from < 0 && claim->graph != NETDP_CLAIM_NUMBERS)
        return netdp_i_fail(error, NETDP_INVALID,
                            "missing from (whom it is about); give from=NODE");
    const int32_t n = in->mixing != NULL || in->law != NULL ? rows_of(in).nodes : INT32_MAX;
    if (in->to_count > 1 && claim->parties != NETDP_CLAIM_COALITION)
        return netdp_i_fail(error, NETDP_INVALID, "to: %s speaks of one observer", claim->name);
    for (int32_t i = 0; i < in->to_count; i++)
        if (in->to[i] < 0 || in->to[i] >= n || (pair && in->to[i] == in->from))
            return netdp_i_fail(error, NETDP_INVALID,
                                "to: give nodes of 0 to %d, none of them the node of from",
                                (int)n - 1);
    if (pair && in->from >= n)
        return netdp_i_fail(error, NETDP_INVALID, "from: give a node of 0 to %d", (int)n - 1);
    return NETDP_OK;
}

netdp_status netdp_claim_check(const netdp_claim *claim, const netdp_claim_inputs *inputs,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, claim && inputs);
    TRY(check_parties(claim, inputs, error));
    for (const netdp_input *i = claim->inputs; *i != NETDP_IN_END; i++)
        TRY(check_range(&inputs_known[*i], inputs->value[*i], error));
    return NETDP_OK;
}

/* ---- Values ---- */

netdp_status netdp_claim_value(const netdp_claim *claim, const netdp_claim_inputs *inputs,
                               const netdp_progress *progress, double *value, netdp_error *error)
{
    NETDP_I_GIVEN(error, claim && inputs && value);
    double found = 0;
    TRY(netdp_claim_check(claim, inputs, error));
    TRY(claim->formula(inputs, progress, &found, error));
    *value = isnan(found) ? INFINITY : found;
    return NETDP_OK;
}

netdp_status netdp_claim_holds(const netdp_claim *claim, const netdp_claim_inputs *inputs,
                               const netdp_progress *progress, netdp_claim_truth *truth,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, claim && inputs && truth);
    netdp_claim_truth found = {0, INFINITY};
    TRY(netdp_claim_check(claim, inputs, error));
    if (claim->account == NULL)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "%s: netdp has no account beside it",
                            claim->name);
    TRY(claim->account(inputs, progress, &found, error));
    *truth = found;
    return NETDP_OK;
}

/* ---- Shared by the tables ---- */

double netdp_i_claim_renyi(const netdp_claim_inputs *in, double loss)
{
    return IN(ALPHA) * loss / (2 * IN(NOISE) * IN(NOISE));
}

netdp_status netdp_i_claim_loss(const netdp_claim_inputs *in, const netdp_loss_request *how,
                                const netdp_progress *progress, double *loss, netdp_error *error)
{
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    netdp_loss_request request = *how;
    request.from_count = 1;
    request.from = &in->from;
    request.to_count = in->to_count;
    request.to = in->to;
    request.coalition = in->to_count > 1;
    TRY(netdp_losses_new(&request, progress, &losses, error));
    *loss = losses->loss[0];
    return NETDP_OK;
}
