#include "cli/common/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/claim.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "claim/answer.h"

/* A claim and what it is asked about. */
struct asking {
    netdp_i_answer asked;
    netdp_graph *graph;
    netdp_mixing *mixing;
    netdp_transition *law;
    int32_t *to;
    bool given[NETDP_INPUTS];
};

static void asking_clear(struct asking *asking)
{
    netdp_i_free(asking->to);
    netdp_transition_free(asking->law);
    netdp_mixing_free(asking->mixing);
    netdp_graph_free(asking->graph);
}

/* ---- Reading ---- */

static netdp_status read_node(const struct asking *asking, const char *what, const char *text,
                              int32_t *node, netdp_error *error)
{
    double number = 0;
    if (asking->graph != NULL)
        return netdp_i_within(error, netdp_graph_find(asking->graph, text, node, error), "%s",
                              what);
    REFUSE(!netdp_i_cli_number(text, false, &number) || !(number >= 0 && number < 2e9) ||
               number != floor(number),
           "%s: '%s' is not the number of a node", what, netdp_i_show_text(text).text);
    *node = (int32_t)number;
    return NETDP_OK;
}

/* "0" or "0,3": the observers. */
static netdp_status read_observers(struct asking *asking, const char *given, netdp_error *error)
{
    OWNED char *text = netdp_i_copy_text(given);
    asking->to = NETDP_I_NEW(int32_t, (int64_t)strlen(given) + 1);
    if (text == NULL || asking->to == NULL)
        return netdp_i_no_memory(error);
    asking->asked.inputs.to = asking->to;
    char *rest = text;
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        int32_t *node = &asking->to[asking->asked.inputs.to_count];
        TRY(read_node(asking, "to", name, node, error));
        for (int32_t i = 0; i < asking->asked.inputs.to_count; i++)
            REFUSE(asking->to[i] == *node, "to: '%s' is named twice", netdp_i_show_text(name).text);
        asking->asked.inputs.to_count++;
    }
    return NETDP_OK;
}

static netdp_status take(struct asking *asking, const char *key, const char *value,
                         netdp_error *error)
{
    netdp_input input = NETDP_IN_END;
    if (strcmp(key, "from") == 0 && asking->asked.claim->parties >= NETDP_CLAIM_PAIR) {
        REFUSE(asking->asked.inputs.from >= 0, "from: given twice; give it once");
        return read_node(asking, "from", value, &asking->asked.inputs.from, error);
    }
    if (strcmp(key, "to") == 0 && asking->asked.claim->parties != NETDP_CLAIM_NOBODY) {
        REFUSE(asking->to != NULL, "to: given twice; give it once");
        return read_observers(asking, value, error);
    }
    TRY(netdp_claim_input(asking->asked.claim, key, &input, error));
    REFUSE(asking->given[input], "%s: given twice; give it once", key);
    asking->given[input] = true;
    return netdp_i_cli_read_number(key, value, false, &asking->asked.inputs.value[input], error);
}

static netdp_status read_inputs(struct asking *asking, const netdp_i_arguments *arguments,
                                netdp_error *error)
{
    for (size_t k = 1; k < arguments->count; k++) {
        OWNED char *key = netdp_i_copy_text(arguments->text[k]);
        NEED(key);
        char *value = strchr(key, '=');
        REFUSE(value == NULL, "'%s': give inputs as KEY=VALUE", netdp_i_show_text(key).text);
        *value++ = '\0';
        TRY(take(asking, key, value, error));
    }
    return NETDP_OK;
}

static netdp_status read_graph(struct asking *asking, const netdp_i_network_options *network,
                               const netdp_i_arguments *arguments, netdp_error *error)
{
    if (network->file == NULL && network->family == NULL) {
        if (asking->asked.claim->graph == NETDP_CLAIM_NUMBERS)
            return NETDP_OK;
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: needs a graph; give --graph FILE or --family \"NAME PARAMETERS\"",
                            asking->asked.claim->name);
    }
    TRY(netdp_i_cli_graph(network, arguments, NULL, &asking->graph, error));
    if (asking->asked.claim->graph == NETDP_CLAIM_WALK)
        TRY(netdp_transition_new(asking->graph, network->mixing, &asking->law, error));
    else
        TRY(netdp_mixing_new(asking->graph, network->mixing, &asking->mixing, error));
    asking->asked.inputs.mixing = asking->mixing;
    asking->asked.inputs.law = asking->law;
    return NETDP_OK;
}

/* ---- Computing ---- */

static netdp_status compute(struct asking *asking, netdp_error *error)
{
    WATCHED(false, netdp_i_answer_find(&asking->asked, &progress, error));
    return NETDP_OK;
}

/* ---- Showing ---- */

static json_t *list_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < netdp_claim_count(); i++) {
        const netdp_claim *claim = netdp_claim_at(i);
        json_t *one = netdp_i_claim_json(claim);
        json_object_set_new(one, "by",
                            claim->account != NULL ? json_string(claim->by) : json_null());
        json_array_append_new(list, one);
    }
    return json_pack("{s:o}", "claims", list);
}

static void print_list(void)
{
    printf("%-28s %-7s %-6s %-56s %-92s %s\n", "claim", "sound", "errata", "source",
           "what holds, by", "what it says");
    for (size_t i = 0; i < netdp_claim_count(); i++) {
        const netdp_claim *claim = netdp_claim_at(i);
        char erratum[8] = "-";
        if (claim->erratum > 0)
            snprintf(erratum, sizeof erratum, "%d", claim->erratum);
        printf("%-28s %-7s %-6s %-56s %-92s %s\n", claim->name, netdp_i_claim_sound(claim->sound),
               erratum, claim->paper, claim->account != NULL ? claim->by : "-", claim->statement);
    }
}

static void print_inputs(const struct asking *asking)
{
    const char *label = "inputs";
    for (const netdp_input *i = asking->asked.claim->inputs; *i != NETDP_IN_END; i++) {
        const netdp_input_info *info = &netdp_inputs()[*i];
        printf("%-12s%s = %.6g%s%s%s\n", label, info->name, asking->asked.inputs.value[*i],
               info->unit[0] != '\0' ? " " : "", info->unit,
               asking->given[*i]                      ? ""
               : asking->graph != NULL && info->graph ? " (from the graph)"
                                                      : " (usual)");
        label = "";
    }
    if (asking->asked.inputs.from >= 0)
        printf("%-12sfrom = %" PRId32 "\n", label, asking->asked.inputs.from);
    for (int32_t i = 0; i < asking->asked.inputs.to_count; i++)
        printf("%s%" PRId32 "%s", i == 0 ? "            to = " : ",", asking->asked.inputs.to[i],
               i + 1 == asking->asked.inputs.to_count ? "\n" : "");
}

static void print_holds(const struct asking *asking)
{
    const netdp_claim_truth *truth = &asking->asked.truth;
    if (asking->asked.claim->account == NULL)
        return;
    printf("%-12s", "holds");
    if (!asking->asked.holds) {
        printf("not known: %s\n", asking->asked.unknown.text);
        return;
    }
    if (truth->at_least > 0)
        printf("at least %.6g, ", truth->at_least);
    if (isinf(truth->at_most))
        printf("no upper bound");
    else
        printf("at most %.6g", truth->at_most);
    printf(" (%s)\n", asking->asked.claim->by);
    if (netdp_i_answer_refuted(&asking->asked))
        printf("%-12sthe claim is wrong for these inputs\n", "");
}

static void print_answer(const struct asking *asking)
{
    const netdp_claim *claim = asking->asked.claim;
    const char *source = netdp_claim_source(claim->paper);
    printf("%-12s%s (%s%s%s)\n", "claim", claim->name, claim->paper, source != NULL ? ": " : "",
           source != NULL ? source : "");
    printf("%-12s%s\n", "says", claim->statement);
    print_inputs(asking);
    if (isinf(asking->asked.value))
        printf("%-12sinfinite: the claim says nothing for these inputs\n", "value");
    else
        printf("%-12s%.6g  %s\n", "value", asking->asked.value,
               netdp_i_answer_unit(&asking->asked).text);
    if (claim->condition != NULL)
        printf("%-12swhere %s\n", "valid", claim->condition);
    printf("%-12s%s%s%s", "sound", netdp_i_claim_sound(claim->sound),
           claim->why != NULL ? ": " : "", claim->why != NULL ? claim->why : "");
    if (claim->erratum > 0)
        printf(" (errata %d)", claim->erratum); /* docs/errata.md */
    printf("\n");
    print_holds(asking);
}

static const char about[] =
    "What the five papers claim, by name, and beside it what holds. Without NAME: the list of\n"
    "claims. With a name: its number for the given inputs, where it is valid, whether it is an\n"
    "upper bound, and what netdp's own account says for the same inputs.\n"
    "\n"
    "A claim's number is never a guarantee: netdp loss makes those. sound: yes (an upper\n"
    "bound), partly (for what is said there), NO (some inputs have a larger truth), rate (hides\n"
    "constants). Inputs: KEY=VALUE; from=NODE and to=NODE (to=V,W: they collude).\n"
    "A graph gives nodes, gap, degree, mixing-time, activation and members where they are not\n"
    "given. What is missing is named with its unit. errata N: docs/errata.md. The papers: A\n"
    "Cyffers, Bellet and Upadhyay 2024, B Ayache and El Rouayheb 2020, C Cyffers, Even,\n"
    "Bellet and Massoulie 2022, D Koskela and Kulkarni 2025, E Cyffers and Bellet 2021.";

static netdp_status answer(struct asking *asking, const netdp_i_network_options *network,
                           const netdp_i_arguments *arguments, bool json, netdp_error *error)
{
    const netdp_status found = netdp_claim_find(arguments->text[0], &asking->asked.claim, error);
    REFUSE(found == NETDP_INVALID && error != NULL && strstr(error->text, "did you mean") == NULL,
           "'%s': unknown claim; netdp claim lists them",
           netdp_i_show_text(arguments->text[0]).text);
    TRY(found);
    TRY(read_graph(asking, network, arguments, error));
    TRY(read_inputs(asking, arguments, error));
    TRY(compute(asking, error));
    if (json)
        return netdp_i_cli_print_json(netdp_i_answer_json(&asking->asked), error);
    print_answer(asking);
    return NETDP_OK;
}

netdp_status netdp_i_command_claim(int argc, const char **argv, netdp_error *error)
{
    netdp_i_network_options network = NETDP_I_NETWORK_USUAL;
    bool json = false, list = false;
    const netdp_i_option options[] = {
        NETDP_I_GRAPH_OPTIONS(network),
        NETDP_I_MIXING_OPTIONS(network),
        HEADING("The answer:"),
        SWITCH("list", &list,
               "all claims: their source, whether they are sound, which account says what holds; "
               "as without NAME"),
        SWITCH("json", &json, "one JSON object"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "claim",
        .arguments = "[NAME [KEY=VALUE...]]",
        .what = about,
        .examples = "  netdp claim\n"
                    "  netdp claim C-theorem-1 --family \"ring 60\" rounds=68 noise=1 dither=1e-4 "
                    "from=15 to=0\n"
                    "  netdp claim D-equation-5-5 loss=1 epsilon=10 delta=1e-5\n",
        .most = 32,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    CLEARED(asking_clear) struct asking asking = {0};
    netdp_claim_inputs_init(&asking.asked.inputs);
    REFUSE(list && arguments.count > 0, "--list: lists all claims; leave out '%s'",
           netdp_i_show_text(arguments.text[0]).text);
    if (arguments.count > 0)
        return answer(&asking, &network, &arguments, json, error);
    if (json)
        return netdp_i_cli_print_json(list_json(), error);
    print_list();
    return NETDP_OK;
}
