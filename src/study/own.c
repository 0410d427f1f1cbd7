/* A model of the participants' own: what a study says of it. */
#include "study/check.h"

#include <string.h>

#include "study/key.h"
#include "study/study.h"

bool netdp_i_study_owns(const netdp_study *study)
{
    return strcmp(study->task.kind, "own") == 0;
}

netdp_status netdp_i_own_check(const netdp_i_reading *from, netdp_error *error)
{
    static const char *const taken[] = {"task.kind", "task.parameters", "task.clip", "task.step",
                                        "task.l2"};
    const netdp_study *study = from->study;
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        const char *given = from->text->value[k][0];
        bool takes = strncmp(key->name, "data.", 5) != 0 && strncmp(key->name, "task.", 5) != 0;
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            takes = takes || strcmp(key->name, taken[i]) == 0;
        REFUSE_KEY(!takes && given != NULL && !netdp_i_rule_is_usual(netdp_i_key_rule(key), given),
                   key->name, "does not apply to task own; leave it out");
    }
    REFUSE_KEY(study->data.column_count > 0, "data.columns",
               "does not apply to task own; leave it out");
    REFUSE_KEY(study->task.parameters == 0, "task.parameters",
               "is missing; give how many numbers the model has");
    REFUSE_KEY(!(study->task.step > 0), "task.step", "is missing; give a step size such as 0.1");
    REFUSE_KEY(study->task.clip == 0, "task.clip",
               "is missing; without a bound on gradients there is no sensitivity");
    REFUSE_KEY(strcmp(study->protocol.kind, "gossip-sgd") != 0 &&
                   strcmp(study->protocol.kind, "muffliato-sgd") != 0,
               "protocol.kind", "%s does not do task own; give gossip-sgd or muffliato-sgd",
               study->protocol.kind);
    return NETDP_OK;
}
