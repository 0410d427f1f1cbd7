#include "study/claims.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

bool netdp_i_key_claims(const netdp_i_key *key)
{
    static const char *const own[] = {"title",     "seed",      "task.kind", "task.claim",
                                      "task.with", "task.over", "task.at"};
    static const char *const sections[] = {"sweep.", "figure."};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(key->name, own[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(key->name, sections[i], strlen(sections[i])) == 0)
            return true;
    return false;
}

/* "epsilon" and "1" into the inputs. */
static netdp_status take(netdp_i_answer *asked, const char *name, const char *value,
                         netdp_error *error)
{
    netdp_input input = NETDP_IN_END;
    double number = 0;
    REFUSE(strcmp(name, "from") == 0 || strcmp(name, "to") == 0,
           "%s: a study of claims names no nodes; leave it out, or ask netdp claim", name);
    TRY(netdp_claim_input(asked->claim, name, &input, error));
    REFUSE(!isnan(asked->inputs.value[input]), "%s: given twice; give it once", name);
    REFUSE(!netdp_i_read_number(value, &number), "%s: '%s' is not a number", name,
           netdp_i_show_text(value).text);
    asked->inputs.value[input] = number;
    return NETDP_OK;
}

/* "epsilon=1 scale=2" into the inputs. */
static netdp_status take_all(netdp_i_answer *asked, const char *with, netdp_error *error)
{
    OWNED char *text = netdp_i_copy_text(with);
    char *rest = NULL;
    NEED(text);
    for (char *word = strtok_r(text, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        char *value = strchr(word, '=');
        REFUSE(value == NULL, "'%s': write inputs as KEY=VALUE", netdp_i_show_text(word).text);
        *value++ = '\0';
        TRY(take(asked, word, value, error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_claims_ask(const netdp_study *study, netdp_i_answer *asked, const char **key,
                                netdp_error *error)
{
    netdp_claim_inputs_init(&asked->inputs);
    *key = "task.claim";
    REFUSE(study->task.claim == NULL, "is missing; give a claim, which netdp claim lists");
    TRY(netdp_claim_find(study->task.claim, &asked->claim, error));
    REFUSE(asked->claim->graph != NETDP_CLAIM_NUMBERS,
           "%s needs a graph, which a study of claims has not; ask netdp claim",
           asked->claim->name);
    *key = "task.with";
    if (study->task.with != NULL)
        TRY(take_all(asked, study->task.with, error));
    if (study->task.over != NULL) {
        *key = study->task.at != NULL ? "task.over" : "task.at";
        REFUSE(study->task.at == NULL, "is missing; give %s a value, or sweep over task.at",
               netdp_i_show_text(study->task.over).text);
        TRY(take(asked, study->task.over, study->task.at, error));
    } else if (study->task.at != NULL) {
        *key = "task.over";
        return netdp_i_fail(error, NETDP_INVALID,
                            "is missing; name the input of %s that takes the value %s",
                            asked->claim->name, netdp_i_show_text(study->task.at).text);
    }
    *key = "task.with";
    TRY(netdp_claim_derive(asked->claim, &asked->inputs, error));
    return netdp_claim_check(asked->claim, &asked->inputs, error);
}

netdp_status netdp_i_claims_check(const netdp_i_reading *from, bool whole, netdp_error *error)
{
    const netdp_study *study = from->study;
    const char *key = NULL;
    netdp_i_answer asked = {0};
    netdp_error why;
    for (int k = 0; k < NETDP_I_KEYS; k++)
        REFUSE_KEY(from->text->value[k][0] != NULL && !netdp_i_key_claims(&netdp_i_keys[k]),
                   netdp_i_keys[k].name, "does not apply to task claim; leave it out");
    REFUSE_KEY(from->text->column_count > 0, "data.columns",
               "does not apply to task claim; leave it out");
    REFUSE_KEY(study->figure.kind != NULL && strcmp(study->figure.kind, "sweep") != 0,
               "figure.kind", "%s does not apply to task claim; give sweep", study->figure.kind);
    REFUSE_KEY(study->figure.y != NULL, "figure.y",
               "does not apply to task claim, whose figures show its number; leave it out");
    REFUSE_KEY(study->figure.x != NULL && strcmp(study->figure.x, "value") != 0, "figure.x",
               "does not apply to task claim, where it is task.over; leave it out");
    if (!whole || netdp_i_claims_ask(study, &asked, &key, &why) == NETDP_OK)
        return NETDP_OK;
    return netdp_i_reading_fail(from, key, error, "%s", why.text);
}
