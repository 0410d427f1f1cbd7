/* What the keys of a study must be together, where no single key can say. */
#include "study/check.h"

#include <stdio.h>
#include <string.h>

#include "account/losses/proven.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/families.h"
#include "question/question.h"
#include "study/assumed.h"
#include "study/claims.h"
#include "study/constants.h"
#include "study/key.h"
#include "study/protection.h"

/* Of graphs and data exactly one, of bounds and clip at most one. */
static netdp_status check_rivals(const netdp_i_reading *from, netdp_i_rivals group,
                                 netdp_error *error)
{
    char names[96] = "";
    size_t used = 0;
    int first = -1, second = -1, any = -1;
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        if (netdp_i_keys[k].rivals != group)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", any >= 0 ? ", " : "",
                                 netdp_i_keys[k].name);
        any = k;
        if (from->text->value[k][0] != NULL) {
            second = first >= 0 ? k : -1;
            first = first >= 0 ? first : k;
        }
    }
    REFUSE_KEY(second >= 0, netdp_i_keys[second].name, "excludes %s; keep one of %s",
               netdp_i_keys[first].name, names);
    if (first >= 0)
        return NETDP_OK;
    REFUSE_KEY(group != NETDP_I_RIVAL_RANGES, netdp_i_keys[any].name,
               "one of %s is missing; give it", names);
    bool all = from->study->data.column_count > 0;
    for (int32_t i = 0; i < from->study->data.column_count; i++)
        all = all && from->study->data.column[i].low < from->study->data.column[i].high;
    if (all)
        return NETDP_OK;
    return netdp_i_reading_fail(
        from, "task.bounds", error,
        "values must have a range; give bounds: [low, high] or clip: radius");
}

/* What no single key can say. */
bool netdp_i_study_learns(const netdp_study *study)
{
    return netdp_i_task_learns(study->task.kind) || netdp_i_study_owns(study);
}

bool netdp_i_study_accounts(const netdp_study *study)
{
    return strcmp(study->task.kind, "account") == 0 || netdp_i_study_realises(study) ||
           netdp_i_study_claims(study);
}

/* Is it an account of gossip or a walk: a question, as netdp loss asks it? */
static bool is_asked(const netdp_study *study)
{
    return strcmp(study->task.kind, "account") == 0 && !netdp_i_study_tallies(study);
}

bool netdp_i_study_claims(const netdp_study *study)
{
    return strcmp(study->task.kind, "claim") == 0;
}

bool netdp_i_study_realises(const netdp_study *study)
{
    return strcmp(study->task.kind, "realised") == 0;
}

bool netdp_i_study_counts(const netdp_study *study)
{
    return strcmp(study->task.kind, "histogram") == 0;
}

/* The protocol's row in the table of named ones, or NULL. */
static const netdp_protocol *named_of(const netdp_study *study)
{
    const netdp_protocol *named;
    netdp_error ignored;
    return netdp_protocol_find(study->protocol.kind, &named, &ignored) == NETDP_OK ? named : NULL;
}

static bool has_setting(const netdp_study *study, unsigned setting)
{
    const netdp_protocol *named = named_of(study);
    return named != NULL && (named->settings & setting) != 0;
}

netdp_kind netdp_i_study_kind(const netdp_study *study)
{
    const netdp_protocol *named = named_of(study);
    return named != NULL ? named->kind : NETDP_GOSSIP;
}

bool netdp_i_study_tallies(const netdp_study *study)
{
    return netdp_i_study_kind(study) == NETDP_TALLY;
}

bool netdp_i_study_walks(const netdp_study *study)
{
    return netdp_i_study_kind(study) == NETDP_WALK;
}

/* What a question refuses, by the key that it names. */
static netdp_status refuse(const netdp_i_reading *from, const netdp_error *why, netdp_error *error)
{
    char key[48];
    netdp_error spelled = *why;
    netdp_i_spell(NETDP_I_SPELL_KEYS, &spelled);
    const size_t length = strcspn(spelled.text, ":");
    snprintf(key, sizeof key, "%.*s", (int)length, spelled.text);
    return netdp_i_key_find(key) < 0
               ? netdp_i_reading_fail(from, "protocol.kind", error, "%s", spelled.text)
               : netdp_i_reading_fail(from, key, error, "%s", spelled.text + length + 2);
}

/* An account is the question that its settings make; of others they must go together. */
static netdp_status check_question(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    netdp_i_description ignored;
    netdp_error why = {NETDP_OK, ""};
    const netdp_status status =
        is_asked(study) ? netdp_i_question_check(&study->question, &ignored, &why)
                        : netdp_i_settings_together(netdp_i_question_text, &study->question, &why);
    return status == NETDP_OK ? NETDP_OK : refuse(from, &why, error);
}

static netdp_status check_particular(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const bool automatic = study->protocol.rounds == 0;
    const netdp_protocol *named;
    TRY(netdp_protocol_find(study->protocol.kind, &named, error));
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        const char *given = from->text->value[k][0];
        if (given == NULL || netdp_i_key_applies(key, study->task.kind, named, automatic) ||
            netdp_i_rule_is_usual(netdp_i_key_rule(key), given))
            continue;
        REFUSE_KEY(key->learns || strcmp(key->name, "task.parameters") == 0, key->name,
                   "does not apply to task %s; leave it out", study->task.kind);
        /* Does it apply to the protocol with other rounds? */
        const bool other = netdp_i_key_applies(key, study->task.kind, named, !automatic);
        return netdp_i_reading_fail(from, key->name, error, "does not apply to %s%s; leave it out",
                                    named->name,
                                    !other      ? ""
                                    : automatic ? " with rounds: auto"
                                                : " with a number of rounds");
    }
    return NETDP_OK;
}

/* Auto rounds of a model: phases, each of as many rounds as the formula gives. */
static netdp_status check_phases(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const netdp_protocol *named;
    TRY(netdp_protocol_find(study->protocol.kind, &named, error));
    if (study->protocol.rounds > 0)
        return NETDP_OK;
    REFUSE_KEY((named->settings & NETDP_SETTING_INNER) == 0, "protocol.rounds",
               "auto applies to averaging, random-averaging and, in a study, "
               "muffliato-sgd; give a number");
    REFUSE_KEY(study->protocol.phases == 0, "protocol.phases",
               "is missing; rounds: auto finds the rounds of a phase, give the number of phases");
    return NETDP_OK;
}

/* A dither is tuned together with the noise that meets a target; the second one with the first. */
static netdp_status check_dithers(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    REFUSE_KEY(study->question.settings.noise.dither < 0 && !(study->privacy.epsilon > 0),
               "privacy.dither",
               "auto is what a calibration finds: ask it for a target, or give a number");
    REFUSE_KEY(study->question.settings.noise.pairing.kappa < 0 &&
                   (netdp_i_study_learns(study) || netdp_i_study_tallies(study)),
               netdp_i_setting_find("pair-noise")->key, "auto applies to averaging; give a number");
    return NETDP_OK;
}

/* What a guarantee is asked for: a target, or the noise whose guarantee is to be told. */
static netdp_status check_noise(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const bool accounts = netdp_i_study_accounts(study), aims = study->privacy.epsilon > 0;
    const bool given = study->privacy.noise > 0;
    REFUSE_KEY(aims == given && (aims || accounts), "privacy.noise",
               "%s has a noise, or an epsilon to meet; give one of the two",
               accounts ? "an account" : "a study");
    REFUSE_KEY(!aims && !given, "privacy.epsilon",
               "is missing; give a number above 0, or inf, or privacy.noise in its place");
    REFUSE_KEY(has_setting(study, NETDP_SETTING_HISTOGRAM) && study->privacy.noise > 1,
               "privacy.noise",
               "of %s is the probability of a random answer; give a number above 0, at most 1",
               study->protocol.kind);
    return NETDP_OK;
}

static netdp_status check_proof(const netdp_i_reading *from, netdp_error *error)
{
    int64_t drawn = 0;
    if (netdp_i_proof_read(from->study->proof, &drawn))
        return NETDP_OK;
    return netdp_i_reading_fail(from, "proof", error,
                                "is none, worst, all, or how many pairs beside the worst, at most "
                                "100000; not '%s'",
                                netdp_i_show_text(from->study->proof).text);
}

/* Is the key there, and not with its default, as a study that was written back has it? */
static bool says(const netdp_i_reading *from, const char *name)
{
    const int k = netdp_i_key_find(name);
    const char *given = from->text->value[k][0];
    return given != NULL && strcmp(given, "all") != 0 && /* the default of those without one */
           !netdp_i_rule_is_usual(netdp_i_key_rule(&netdp_i_keys[k]), given);
}

/* to: worst:C is a pool of C. */
static netdp_status read_worst(const netdp_i_reading *from, netdp_error *error)
{
    netdp_study *study = from->study;
    char *to = study->privacy.to;
    const int32_t colluders = to != NULL ? netdp_i_setting_worst(to) : 0;
    if (colluders == 0)
        return NETDP_OK;
    REFUSE_KEY(colluders < 0, "privacy.to", "is worst:C with C from 1 to 1000; not '%s'",
               netdp_i_show_text(to).text);
    REFUSE_KEY(colluders > 1 && !has_setting(study, NETDP_SETTING_VIEW), "privacy.to",
               "of tokens worst:C is for netdp loss; name who collude: set:v,w");
    REFUSE_KEY(says(from, "privacy.pool"), "privacy.to",
               "says by worst:C what privacy.pool says; leave one of them out");
    study->privacy.pool = colluders;
    memcpy(to, "all", sizeof "all");
    return NETDP_OK;
}

static netdp_status check_privacy(const netdp_i_reading *from, netdp_error *error)
{
    static const char *const of_accounts[] = {"privacy.as", "privacy.pattern", "privacy.from",
                                              "privacy.to"};
    const netdp_study *study = from->study;
    const bool accounts = netdp_i_study_accounts(study);
    static const char *const drawn[][2] = {{"privacy.observers", "privacy.to"},
                                           {"privacy.sources", "privacy.from"}};
    netdp_unit unit = {NETDP_AS_DP, study->privacy.delta};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        REFUSE_KEY(says(from, drawn[i][0]) && says(from, drawn[i][1]), drawn[i][0],
                   "draws nodes, and %s names them; leave out one of the two", drawn[i][1]);
    for (size_t i = 0; !accounts && i < sizeof of_accounts / sizeof *of_accounts; i++)
        REFUSE_KEY(says(from, of_accounts[i]), of_accounts[i],
                   "applies to task account; leave it out");
    TRY(read_worst(from, error));
    TRY(check_proof(from, error));
    TRY(check_noise(from, error));
    REFUSE_KEY(!(study->privacy.delta > 0) && study->privacy.as == NULL, "privacy.delta",
               "is missing; give a number above 0 and below 1");
    netdp_error why = {NETDP_OK, ""};
    REFUSE_KEY(study->privacy.as != NULL &&
                   netdp_unit_parse(study->privacy.as, &unit, &why) != NETDP_OK,
               "privacy.as", "%s", why.text);
    REFUSE_KEY(study->privacy.as != NULL && study->privacy.delta > 0, "privacy.as",
               "excludes delta; write dp:%g in its place", study->privacy.delta);
    REFUSE_KEY(study->privacy.epsilon > 0 && unit.currency != NETDP_AS_RDP &&
                   unit.currency != NETDP_AS_DP,
               "privacy.as", "an epsilon to meet is rdp:ALPHA or dp:DELTA");
    return check_dithers(from, error);
}

/* Walks that are drawn: a token's on the complete graph, at the noise of one contribution. */
static netdp_status check_realised(const netdp_i_reading *from, netdp_error *error)
{
    static const char *const foreign[] = {"privacy.noise", "privacy.as", "privacy.from",
                                          "privacy.to"};
    const netdp_study *study = from->study;
    const bool counts = has_setting(study, NETDP_SETTING_HISTOGRAM);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        REFUSE_KEY(from->text->value[netdp_i_key_find(foreign[i])][0] != NULL, foreign[i],
                   "does not apply to task realised, where epsilon and delta "
                   "are those of one contribution; leave it out");
    REFUSE_KEY(!has_setting(study, NETDP_SETTING_COMPLETE), "protocol.kind",
               "%s does not do task realised; give complete-sum or complete-histogram",
               study->protocol.kind);
    REFUSE_KEY((study->protocol.rounds == 0) != (study->protocol.visits > 0), "protocol.visits",
               "goes with rounds: auto, which takes so many steps for each "
               "node; give both or a number of rounds");
    REFUSE_KEY(counts != (study->task.levels > 0), "task.levels", "%s",
               counts ? "is missing; give the number of bins, such as 2"
                      : "applies to histograms; leave it out");
    return NETDP_OK;
}

/* An account reads neither data nor output. */
static netdp_status check_account(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        const char *given = from->text->value[k][0];
        REFUSE_KEY(given != NULL && strcmp(netdp_i_keys[k].name, "data.batches") != 0 &&
                       netdp_i_key_runs(&netdp_i_keys[k], netdp_i_study_realises(study)) &&
                       !netdp_i_rule_is_usual(netdp_i_key_rule(&netdp_i_keys[k]), given),
                   netdp_i_keys[k].name, "does not apply to task %s; leave it out",
                   study->task.kind);
    }
    if (netdp_i_study_realises(study))
        return check_realised(from, error);
    REFUSE_KEY(netdp_i_study_tallies(study), "protocol.kind",
               "%s does not do task account; give a sum or a histogram", study->protocol.kind);
    return has_setting(study, NETDP_SETTING_ROUNDS_AUTO) ? NETDP_OK : check_phases(from, error);
}

static netdp_status check_mean(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    REFUSE_KEY(study->data.synthetic != NULL && strcmp(study->data.synthetic, "positions") != 0,
               "data.synthetic",
               "applies to tasks that learn; a mean takes source, csv, or "
               "the positions of a geometric graph");
    if (!netdp_i_study_walks(study))
        return NETDP_OK;
    REFUSE_KEY(study->protocol.rounds == 0, "protocol.rounds",
               "auto applies to averaging, random-averaging and, in a study, "
               "muffliato-sgd; give a number");
    REFUSE_KEY(!(study->task.step > 0), "task.step",
               "is missing; a walk steps towards each value, give a part such as 0.1");
    REFUSE_KEY(study->task.step > 1, "task.step",
               "%g goes beyond each value; give a part above 0, at most 1", study->task.step);
    return NETDP_OK;
}

/* What is public of each column that is learnt from: its range, or a category's values. */
static netdp_status check_columns(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    bool any = false;
    for (int32_t i = 0; i < study->data.column_count; i++) {
        const netdp_i_column *column = &study->data.column[i];
        const bool ranged = column->low < column->high;
        const bool label =
            study->data.label != NULL && strcmp(column->name, study->data.label) == 0;
        if (label && column->values > 0 && !ranged && strcmp(study->task.kind, "ridge") != 0)
            continue; /* the classes, which everybody may know */
        any = any || column->values > 0;
        REFUSE_KEY(column->values > 0 && !study->data.onehot, "data.columns",
                   "'%s' has values; give categories: onehot, by which each is a feature",
                   netdp_i_show_text(column->name).text);
        REFUSE_KEY(column->values > 0 && ranged, "data.columns",
                   "'%s' has bounds and values; keep one of the two",
                   netdp_i_show_text(column->name).text);
        REFUSE_KEY(column->values > 0 && label, "data.columns",
                   "'%s' is the label, which is no category", netdp_i_show_text(column->name).text);
        REFUSE_KEY(column->values == 0 && !ranged, "data.columns",
                   "a feature's column needs bounds, by which it is scaled; "
                   "give them, or data.features without");
    }
    REFUSE_KEY(study->data.onehot && !any, "data.categories",
               "onehot needs a public list: give data.columns such as [{name: "
               "ward, values: [north, south]}]; none is found from the rows");
    return NETDP_OK;
}

static netdp_status check_model(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const bool drawn = study->data.synthetic != NULL;
    REFUSE_KEY(drawn && study->data.label != NULL, "data.label",
               "does not apply to synthetic data; leave it out");
    REFUSE_KEY(!drawn && study->data.draw > 0, "data.draw",
               "applies to synthetic data; leave it out");
    REFUSE_KEY(!drawn && study->data.label == NULL, "data.label",
               "is missing; name the column to predict");
    REFUSE_KEY(drawn && study->data.features != NULL, "data.features",
               "does not apply to synthetic data; leave it out");
    REFUSE_KEY(!(study->task.step > 0), "task.step", "is missing; give a step size such as 0.7");
    REFUSE_KEY(study->task.clip == 0, "task.clip",
               "is missing; without a bound on each row's gradient there is no sensitivity");
    REFUSE_KEY(study->data.column_count > 0 &&
                   (drawn || (study->data.features != NULL && netdp_i_study_describes(study))),
               "data.columns",
               drawn ? "does not apply to synthetic data; leave it out"
                     : "excludes data.features; keep one of the two");
    TRY(check_columns(from, error));
    TRY(netdp_i_steps_check(from, error));
    REFUSE_KEY(study->data.one_row_a_node, "data.per_node",
               "one applies to a mean; training rows are partitioned evenly");
    return check_phases(from, error);
}

/* What a token that sums or counts needs. */
static netdp_status check_tally(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    REFUSE_KEY(study->data.synthetic != NULL, "data.synthetic",
               "applies to tasks that learn; give source or csv");
    REFUSE_KEY(study->task.clip > 0, "task.clip",
               "a token takes up values in a range; give bounds: [low, high]");
    REFUSE_KEY(study->protocol.rounds == 0, "protocol.rounds",
               "auto applies to averaging, random-averaging and, in a study, "
               "muffliato-sgd; give a number");
    REFUSE_KEY(strcmp(study->mixing.weights, "metropolis") != 0, "mixing.weights",
               "does not apply to %s; leave it out", study->protocol.kind);
    return NETDP_OK;
}

/* What a mean and a model need, and what only the other one has. */
static netdp_status check_task(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const bool learns = netdp_i_study_learns(study);
    const bool averages = strcmp(study->protocol.kind, "averaging") == 0 ||
                          strcmp(study->protocol.kind, "random-averaging") == 0;
    const bool tallies = netdp_i_study_tallies(study);
    const char *tallied = has_setting(study, NETDP_SETTING_SUM) ? "sum" : "histogram";
    if (netdp_i_study_accounts(study))
        return check_account(from, error);
    if (netdp_i_study_owns(study)) {
        TRY(netdp_i_own_check(from, error));
        return check_phases(from, error);
    }
    REFUSE_KEY(strcmp(study->protocol.kind, "stream") == 0, "protocol.kind",
               "stream does task account only; give averaging");
    REFUSE_KEY(tallies && strcmp(study->task.kind, tallied) != 0, "protocol.kind",
               "%s does not do task %s; give %s", study->protocol.kind, study->task.kind, tallied);
    REFUSE_KEY(!tallies && strcmp(study->task.kind, "sum") == 0, "protocol.kind",
               "%s does not do task sum; give ring-sum or complete-sum, or "
               "task mean, of which a sum is a multiple",
               study->protocol.kind);
    REFUSE_KEY(netdp_i_study_walks(study) && !learns && strcmp(study->task.kind, "mean") != 0,
               "protocol.kind",
               "%s does not do task %s; give averaging, or a token that sums or counts",
               study->protocol.kind, study->task.kind);
    REFUSE_KEY(netdp_i_study_counts(study) != (study->task.levels > 0), "task.levels",
               study->task.levels > 0 ? "applies to task histogram; leave it out"
                                      : "is missing; give the number of bins, such as 10");
    REFUSE_KEY(netdp_i_study_counts(study) && study->task.clip > 0, "task.clip",
               "a histogram has bins in a range; give bounds: [low, high]");
    REFUSE_KEY(learns == averages && !netdp_i_study_walks(study) && !tallies, "protocol.kind",
               "%s does not do task %s; give %s", study->protocol.kind, study->task.kind,
               learns ? "gossip-sgd, async-gossip-sgd, muffliato-sgd or walk"
                      : "averaging, random-averaging or walk");
    if (learns)
        return check_model(from, error);
    REFUSE_KEY(study->data.label != NULL, "data.label",
               "applies to tasks that learn; leave it out");
    REFUSE_KEY(study->data.features != NULL, "data.features",
               "applies to tasks that learn; leave it out");
    return tallies ? check_tally(from, error) : check_mean(from, error);
}

/* Whose a row is, where the data say so. */
static netdp_status check_owner(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    REFUSE_KEY(study->data.synthetic != NULL &&
                   (study->data.owner != NULL || study->data.missing != NETDP_MISSING_REFUSE),
               study->data.owner != NULL ? "data.owner" : "data.missing",
               "does not apply to synthetic data; leave it out");
    REFUSE_KEY(study->data.missing == NETDP_MISSING_MEAN && !netdp_i_study_learns(study),
               "data.missing", "mean is of features that are learnt from; give drop");
    if (study->data.owner == NULL)
        return study->data.owner_cuts == NULL
                   ? NETDP_OK
                   : netdp_i_reading_fail(from, "data.owner_cuts", error,
                                          "cuts the values of data.owner; name the column there");
    REFUSE_KEY(study->data.one_row_a_node, "data.per_node",
               "excludes data.owner, which says whose a row is; leave it out");
    REFUSE_KEY(!netdp_i_study_learns(study) && study->data.column_count == 0, "data.columns",
               "is missing; name the columns whose mean is wanted beside data.owner");
    return NETDP_OK;
}

/* A changing network: its keys, and what they exclude. */
static netdp_status check_varying(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const char *dropout = study->question.dropout, *redraw = study->question.redraw;
    const char *family = study->graph.family;
    const bool redraws = strcmp(redraw, "never") != 0;
    netdp_variation varying = {0};
    netdp_error ignored;
    REFUSE_KEY(netdp_variation_dropout(dropout, &varying, &ignored) != NETDP_OK, "protocol.dropout",
               "'%s' is not known here; give a probability from 0, below "
               "1, or edges:P, late:P or revealed:P",
               netdp_i_show_text(dropout).text);
    REFUSE_KEY(redraws && strcmp(redraw, "one-peer") != 0 &&
                   (family == NULL || !netdp_i_family_is_random(family)),
               "protocol.redraw",
               "applies to graphs of a random family; %s is none; leave it out, or use dropout",
               netdp_i_show_text(family != NULL ? family : "a file").text);
    REFUSE_KEY(strcmp(redraw, "phase") == 0 && strcmp(study->protocol.kind, "muffliato-sgd") != 0,
               "protocol.redraw", "%s has no phases; give round", study->protocol.kind);
    REFUSE_KEY(study->protocol.rounds == 0 && (redraws || varying.kind != NETDP_VARY_NEVER),
               "protocol.rounds",
               "auto knows the gap of a fixed network and of one random edge "
               "a round; give a number");
    return NETDP_OK;
}

/* `whole`: a claim must be one; the base of variants need not. */
netdp_status netdp_i_study_check(const netdp_i_reading *from, bool whole, netdp_error *error)
{
    const netdp_study *study = from->study;
    const bool accounts = netdp_i_study_accounts(study);
    if (netdp_i_study_claims(study))
        return netdp_i_claims_check(from, whole, error);
    static const char *const of_claims[] = {"task.claim", "task.with", "task.over", "task.at"};
    for (size_t i = 0; i < sizeof of_claims / sizeof *of_claims; i++)
        REFUSE_KEY(from->text->value[netdp_i_key_find(of_claims[i])][0] != NULL, of_claims[i],
                   "applies to task claim; leave it out");
    TRY(check_question(from, error));
    TRY(check_privacy(from, error));
    TRY(check_task(from, error));
    for (int group = NETDP_I_ALONE + 1; group < NETDP_I_RIVAL_NOISES; group++)
        if (group == NETDP_I_RIVAL_GRAPHS || !(accounts || netdp_i_study_owns(study)))
            TRY(check_rivals(from, (netdp_i_rivals)group, error));
    REFUSE_KEY(study->graph.family != NULL && study->graph.giant_component, "graph.giant_component",
               "applies to graph.file and graph.data only; leave it out");
    for (int32_t i = 0; !netdp_i_study_learns(study) && i < study->data.column_count; i++)
        REFUSE_KEY(study->data.column[i].values > 0, "data.columns",
                   "values are of features that are learnt from; a "
                   "histogram counts a column of numbers");
    for (int32_t i = 0;
         !netdp_i_study_learns(study) && study->task.clip > 0 && i < study->data.column_count; i++)
        REFUSE_KEY(study->data.column[i].low < study->data.column[i].high, "task.clip",
                   "excludes bounds of columns; keep one of the two");
    netdp_bound bound;
    netdp_error ignored;
    if (!netdp_i_study_realises(study) && /* which has names of its own */
        netdp_bound_parse(study->question.bound, &bound, &ignored) != NETDP_OK)
        return netdp_i_reading_fail(
            from, "privacy.bound", error,
            "'%s' is not known; netdp loss --bound list shows those that apply",
            netdp_i_show_text(study->question.bound).text);
    TRY(check_particular(from, error));
    if (!accounts) {
        TRY(check_owner(from, error));
        TRY(netdp_i_assumed_check(from, error));
    }
    TRY(netdp_i_constants_check(from, error));
    if (is_asked(study)) /* whose question says the rest */
        return NETDP_OK;
    TRY(netdp_i_protection_check(
        from, netdp_i_study_learns(study) && netdp_i_study_kind(study) == NETDP_GOSSIP, error));
    return check_varying(from, error);
}
