#include "claim/answer.h"

#include <math.h>
#include <stdio.h>
#include <netdp/account.h>

#include "base/file.h"
#include "base/try.h"

const char *netdp_i_claim_sound(netdp_claim_sound sound)
{
    static const char *const words[] = {[NETDP_SOUND_NO] = "NO",
                                        [NETDP_SOUND_YES] = "yes",
                                        [NETDP_SOUND_PARTLY] = "partly",
                                        [NETDP_SOUND_RATE] = "rate"};
    return words[sound];
}

bool netdp_i_answer_refuted(const netdp_i_answer *asked)
{
    const bool too_good = asked->claim->kind == NETDP_CLAIM_SUM &&
                          asked->value > asked->truth.at_most && asked->truth.at_least == 0;
    return asked->holds && (too_good || asked->value < asked->truth.at_least * (1 - 1e-9));
}

netdp_status netdp_i_answer_find(netdp_i_answer *asked, const netdp_progress *progress,
                                 netdp_error *error)
{
    TRY(netdp_claim_derive(asked->claim, &asked->inputs, error));
    TRY(netdp_claim_value(asked->claim, &asked->inputs, progress, &asked->value, error));
    if (asked->claim->account == NULL)
        return NETDP_OK;
    const netdp_status status =
        netdp_claim_holds(asked->claim, &asked->inputs, progress, &asked->truth, &asked->unknown);
    asked->holds = status == NETDP_OK;
    if (asked->holds || status == NETDP_NO_ANSWER || status == NETDP_INVALID)
        return NETDP_OK;
    if (error != NULL)
        *error = asked->unknown;
    return status;
}

static json_t *maybe_text(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

json_t *netdp_i_claim_json(const netdp_claim *claim)
{
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:o, s:o, s:o}", "claim", claim->name, "paper",
                     claim->paper, "source", maybe_text(netdp_claim_source(claim->paper)),
                     "statement", claim->statement, "unit", netdp_claim_unit(claim->kind), "sound",
                     netdp_i_claim_sound(claim->sound), "why", maybe_text(claim->why), "erratum",
                     claim->erratum > 0 ? json_integer(claim->erratum) : json_null(), "condition",
                     maybe_text(claim->condition));
}

static json_t *inputs_json(const netdp_i_answer *asked)
{
    json_t *object = json_object();
    for (const netdp_input *i = asked->claim->inputs; *i != NETDP_IN_END; i++)
        json_object_set_new(object, netdp_inputs()[*i].name,
                            netdp_i_json_double(asked->inputs.value[*i]));
    if (asked->inputs.from >= 0)
        json_object_set_new(object, "from", json_integer(asked->inputs.from));
    if (asked->inputs.to_count > 0) {
        json_t *to = json_array();
        for (int32_t i = 0; i < asked->inputs.to_count; i++)
            json_array_append_new(to, json_integer(asked->inputs.to[i]));
        json_object_set_new(object, "to", to);
    }
    return object;
}

netdp_i_spelled netdp_i_answer_unit(const netdp_i_answer *asked)
{
    netdp_i_spelled unit;
    snprintf(unit.text, sizeof unit.text, "%s", netdp_claim_unit(asked->claim->kind));
    if (asked->claim->kind == NETDP_CLAIM_RDP && asked->inputs.value[NETDP_IN_ALPHA] > 1)
        netdp_unit_text((netdp_unit){NETDP_AS_RDP, asked->inputs.value[NETDP_IN_ALPHA]}, unit.text);
    return unit;
}

json_t *netdp_i_answer_json(const netdp_i_answer *asked)
{
    json_t *object = netdp_i_claim_json(asked->claim);
    json_t *holds = json_null();
    if (asked->holds)
        holds = json_pack("{s:s, s:o, s:o}", "by", asked->claim->by, "at_least",
                          netdp_i_json_double(asked->truth.at_least), "at_most",
                          netdp_i_json_double(asked->truth.at_most));
    json_object_set_new(object, "unit", json_string(netdp_i_answer_unit(asked).text));
    json_object_set_new(object, "inputs", inputs_json(asked));
    json_object_set_new(object, "value", netdp_i_json_double(asked->value));
    json_object_set_new(object, "valid", json_boolean(!isinf(asked->value)));
    json_object_set_new(object, "holds", holds);
    json_object_set_new(object, "refuted", json_boolean(netdp_i_answer_refuted(asked)));
    return object;
}
