/* Who holds which labels, and what a step of learning is made of. */
#include "study/check.h"

#include <string.h>

#include "base/text.h"
#include "learn/deal.h"
#include "study/study.h"

/* Bounds that follow noise across phases or rounds know neither momentum nor steps that shrink. */
static netdp_status check_bound(const netdp_i_reading *from, netdp_error *error)
{
    static const char *const holds[] = {"auto", "everything", "phase-release", "local"};
    const netdp_study *study = from->study;
    const char *key = study->task.momentum > 0 ? "task.momentum" : "task.decay";
    if ((study->task.momentum == 0 && study->task.decay == 0) || netdp_i_study_walks(study))
        return NETDP_OK;
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++)
        if (strcmp(study->question.bound, holds[i]) == 0)
            return NETDP_OK;
    return netdp_i_reading_fail(from, key, error, "has no place in privacy.bound: %s; give auto",
                                netdp_i_show_text(study->question.bound).text);
}

netdp_status netdp_i_steps_check(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    netdp_i_dealing dealing = {0};
    netdp_error why = {NETDP_OK, ""};
    REFUSE_KEY(netdp_i_deal_parse(study->data.deal, &dealing, &why) != NETDP_OK, "data.deal", "%s",
               why.text);
    REFUSE_KEY(dealing.kind != NETDP_I_DEAL_EVEN &&
                   (strcmp(study->task.kind, "ridge") == 0 || study->data.owner != NULL ||
                    study->data.synthetic != NULL),
               "data.deal",
               "by their labels go the rows of a file, for logistic and "
               "softmax and without data.owner; give even");
    REFUSE_KEY(study->data.synthetic != NULL && strcmp(study->task.kind, "softmax") == 0,
               "data.synthetic", "does not apply to task softmax; give source or csv");
    REFUSE_KEY(study->task.local > 1 && (study->question.protects == NETDP_PROTECTS_ROW ||
                                         strcmp(study->question.batches, "full") != 0),
               "task.local",
               "one row changes all later local steps; give 1, or protect "
               "nodes and take full batches");
    return check_bound(from, error);
}
