/* The public question: settings by name and text, and errors in the caller's spelling. */
#include <stdio.h>
#include <string.h>
#include <netdp/question.h>

#include "account/losses/search.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/try.h"
#include "question/question.h"
#include "question/settings.h"

/* It refers to itself: not to be moved. */
struct netdp_question {
    netdp_question_request request;
    netdp_i_question settings;
    const netdp_protocol *named;
    netdp_i_description description; /* where it calibrates, once that has begun */
};

bool netdp_question_setting(int32_t index, netdp_setting_info *info)
{
    for (const netdp_i_setting *row = netdp_i_setting_rows; row->name != NULL; row++)
        if (!row->heading && index-- == 0) {
            *info = (netdp_setting_info){.name = row->name,
                                         .value = row->value,
                                         .help = row->help,
                                         .usual = netdp_i_setting_usual(row),
                                         .only = netdp_i_setting_takers(row)};
            return true;
        }
    return false;
}

/* ---- Errors in the caller's spelling ---- */

static netdp_status spelled(const netdp_question *question, netdp_status status, netdp_error *error)
{
    if (status != NETDP_OK && error != NULL && question->request.spelling == NETDP_SPELL_KEYWORD)
        netdp_i_spell(NETDP_I_SPELL_KEYWORDS, error);
    return status;
}

/* ---- The question ---- */

static netdp_status no_such_setting(const char *name, netdp_error *error)
{
    const char *known[NETDP_I_SETTINGS];
    size_t count = 0;
    char hyphens[64];
    for (const netdp_i_setting *row = netdp_i_setting_rows; row->name != NULL; row++)
        if (!row->heading)
            known[count++] = row->name;
    snprintf(hyphens, sizeof hyphens, "%s", name);
    for (char *c = hyphens; *c != '\0'; c++)
        *c = *c == '_' ? '-' : *c;
    const char *nearest = netdp_i_nearest(hyphens, known, count);
    return nearest != NULL
               ? netdp_i_fail(error, NETDP_INVALID, "%s: no such setting; did you mean --%s?",
                              netdp_i_show_text(name).text, nearest)
               : netdp_i_fail(error, NETDP_INVALID, "%s: no such setting",
                              netdp_i_show_text(name).text);
}

static netdp_status read_seed(const char *text, uint64_t *seed, netdp_error *error)
{
    const netdp_i_rule *rule = &netdp_i_setting_find("pair-seed")->rule;
    return netdp_i_within(error, netdp_i_rule_read(rule, text, seed, error), "--seed");
}

/* What is given as it is counts as given. */
static void count_as_is(netdp_question *made)
{
    const netdp_question_request *r = &made->request;
    const struct {
        const char *name;
        bool given;
    } list[] = {{"pair-graph", r->pair_graph != NULL},
                {"pattern", r->pattern != NULL},
                {"quiet", r->quiet != NULL},
                {"rows", r->rows != NULL},
                {"start", r->start != NULL}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k].given)
            made->settings.text[netdp_i_setting_find(list[k].name) - netdp_i_setting_rows] =
                "given as it is";
}

static netdp_status read_settings(netdp_question *made, netdp_error *error)
{
    const netdp_question_request *request = &made->request;
    for (int32_t i = 0; i < request->count; i++) {
        const netdp_given_setting *given = &request->setting[i];
        const netdp_i_setting *setting = netdp_i_setting_find(given->name);
        if (strcmp(given->name, "mixing") == 0)
            made->settings.mixing = given->text;
        else if (strcmp(given->name, "seed") == 0)
            TRY(read_seed(given->text, &made->settings.seed, error));
        else if (setting == NULL)
            TRY(no_such_setting(given->name, error));
        else
            TRY(netdp_i_setting_read(setting, given->text, &made->settings, error));
    }
    count_as_is(made);
    return NETDP_OK;
}

static netdp_status describe(netdp_question *made, netdp_error *error)
{
    const netdp_i_network network = {.graph = made->request.graph, .mixing = made->request.mixing};
    TRY(netdp_i_question_check(&made->settings, &made->description, error));
    return netdp_i_question_describe(&made->settings, &network, &made->description, error);
}

/* Settings by name and text, one after the other. */
static bool are_texts(const netdp_question_request *request)
{
    for (int32_t i = 0; i < request->count; i++)
        if (request->setting[i].name == NULL || request->setting[i].text == NULL)
            return false;
    return true;
}

/* What is given beside the graph is of this graph. */
static netdp_status check_graph(const netdp_question_request *r, netdp_error *error)
{
    const int32_t nodes = netdp_graph_nodes(r->graph);
    REFUSE(r->count < 0 || r->from_count < 0 || r->to_count < 0, "a question: a count is below 0");
    REFUSE(r->mixing != NULL && netdp_mixing_rows(r->mixing).nodes != nodes,
           "--mixing: has %d nodes, the network %d; give one of the same nodes",
           (int)netdp_mixing_rows(r->mixing).nodes, (int)nodes);
    REFUSE(r->start != NULL && (*r->start < 0 || *r->start >= nodes),
           "--start: node %d is not in the graph of %d nodes", (int)*r->start, (int)nodes);
    return NETDP_OK;
}

OWNER(netdp_question_free, netdp_question)

static netdp_status read_question(netdp_question *made, netdp_error *error)
{
    TRY(check_graph(&made->request, error));
    TRY(read_settings(made, error));
    TRY(netdp_protocol_find(made->settings.protocol, &made->named, error));
    return made->request.calibrates ? NETDP_OK : describe(made, error);
}

netdp_status netdp_question_new(const netdp_question_request *request, netdp_question **question,
                                netdp_error *error)
{
    NETDP_I_GIVEN(error, request && request->graph && question &&
                             (request->setting || request->count == 0) &&
                             (request->from || request->from_count == 0) &&
                             (request->to || request->to_count == 0) && are_texts(request));
    OWNED_BY(netdp_question_free) netdp_question *made = NETDP_I_NEW(netdp_question, 1);
    NEED(made);
    made->request = *request;
    netdp_i_question_usual(&made->settings);
    made->settings.calibrates = request->calibrates;
    made->settings.as_is = &made->request;
    const netdp_status status = read_question(made, error);
    if (status != NETDP_OK)
        return spelled(made, status, error);
    *question = GIVE(made);
    return NETDP_OK;
}

void netdp_question_free(netdp_question *question)
{
    if (question == NULL)
        return;
    netdp_i_description_clear(&question->description);
    netdp_i_free(question);
}

const netdp_protocol *netdp_question_protocol(const netdp_question *question)
{
    return question->named;
}

const char *netdp_question_unit(const netdp_question *question)
{
    return netdp_i_question_unit(&question->settings);
}

const netdp_linear *netdp_question_gossip(const netdp_question *question)
{
    return question->description.mixing != NULL ? &question->description.protocol : NULL;
}

const netdp_token *netdp_question_walk(const netdp_question *question)
{
    return question->description.law != NULL ? &question->description.token : NULL;
}

const netdp_tally *netdp_question_tally(const netdp_question *question)
{
    return question->description.counting.tally;
}

const netdp_loss_request *netdp_question_losses_request(const netdp_question *question)
{
    return question->description.mixing != NULL ? &question->description.request : NULL;
}

const netdp_walk_request *netdp_question_walk_request(const netdp_question *question)
{
    return question->description.law != NULL ? &question->description.walk : NULL;
}

netdp_status netdp_question_noise(const netdp_question *question, const double *given,
                                  netdp_unit unit, double *noise, netdp_error *error)
{
    NETDP_I_GIVEN(error, question && noise);
    return spelled(question, netdp_i_question_noise(&question->settings, given, unit, noise, error),
                   error);
}

/* ---- Answers ---- */

static netdp_status account(netdp_question *question, double noise, netdp_unit unit, int64_t draws,
                            const netdp_progress *progress, netdp_losses **losses,
                            netdp_error *error)
{
    netdp_i_description *d = &question->description;
    REFUSE(d->kind == NULL, "a question that calibrates has no losses before");
    d->draws = 0;
    if (draws != 0)
        TRY(netdp_i_description_draw(d, draws, error));
    TRY(netdp_i_description_rounds(d, noise, error));
    return netdp_i_description_losses(d, noise, unit, progress, losses, error);
}

netdp_status netdp_question_losses(netdp_question *question, double noise, netdp_unit unit,
                                   int64_t draws, const netdp_progress *progress,
                                   netdp_losses **losses, netdp_error *error)
{
    NETDP_I_GIVEN(error, question && losses);
    return spelled(question, account(question, noise, unit, draws, progress, losses, error), error);
}

static netdp_status calibrate(netdp_question *question, const netdp_target *target,
                              const netdp_progress *progress, netdp_calibration *calibration,
                              netdp_losses **losses, netdp_error *error)
{
    netdp_target asked = *target;
    TRY(netdp_i_question_target(&question->settings, &asked, error));
    TRY(describe(question, error));
    return question->description.kind->calibrate(&question->description, &asked, progress,
                                                 calibration, losses, error);
}

netdp_status netdp_question_calibrate(netdp_question *question, const netdp_target *target,
                                      const netdp_progress *progress,
                                      netdp_calibration *calibration, netdp_losses **losses,
                                      netdp_error *error)
{
    NETDP_I_GIVEN(error, question && target && calibration && losses);
    REFUSE(!question->request.calibrates || question->description.named != NULL,
           "a question is calibrated once, and says so when it is made");
    return spelled(question, calibrate(question, target, progress, calibration, losses, error),
                   error);
}

netdp_status netdp_question_words(const netdp_question *question, double noise, int64_t draws,
                                  char **text, netdp_error *error)
{
    NETDP_I_GIVEN(error, question && text);
    netdp_i_description asked = question->description;
    REFUSE(asked.kind == NULL, "a question that calibrates has no words before");
    asked.draws = draws;
    return spelled(question, asked.kind->words(&asked, noise, text, error), error);
}
