#include "study/protection.h"

#include <stdio.h>
#include <string.h>

#include "base/try.h"

netdp_protection netdp_i_study_protection(const netdp_study *study)
{
    netdp_protection protection = {.protects = study->question.protects,
                                   .change = study->question.change};
    netdp_error ignored;
    if (study->question.batches != NULL)
        (void)!netdp_batches_parse(study->question.batches, &protection.batches, &ignored);
    return protection;
}

static netdp_status check_rows(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    REFUSE_KEY(netdp_i_study_accounts(study) && netdp_i_study_kind(study) != NETDP_GOSSIP,
               "privacy.protects", "does not apply to %s; leave it out", study->protocol.kind);
    REFUSE_KEY(netdp_i_study_owns(study), "privacy.protects",
               "row needs data, whose rows are counted; task %s has none: give node",
               study->task.kind);
    REFUSE_KEY(netdp_i_study_tallies(study), "privacy.protects",
               "row does not apply to %s, which takes up a row at a time; give node",
               study->protocol.kind);
    REFUSE_KEY(netdp_i_study_walks(study) && strcmp(study->protocol.law, "public") != 0,
               "privacy.protects",
               "row does not apply where nodes release a constant of all their rows; give node");
    REFUSE_KEY(study->task.batch > 0, "task.batch",
               "draws a fixed number of rows, which hides nobody; give data.batches, or all");
    return NETDP_OK;
}

netdp_status netdp_i_protection_check(const netdp_i_reading *from, bool batches, netdp_error *error)
{
    const netdp_study *study = from->study;
    netdp_protection protection = netdp_i_study_protection(study);
    netdp_error why = {NETDP_OK, ""};
    REFUSE_KEY(netdp_batches_parse(study->question.batches, &protection.batches, &why) != NETDP_OK,
               "data.batches", "%s", why.text);
    REFUSE_KEY(protection.batches.kind != NETDP_BATCHES_FULL && !batches, "data.batches",
               "applies to gossip that learns; leave it out");
    REFUSE_KEY(protection.batches.kind != NETDP_BATCHES_FULL && study->task.batch > 0, "task.batch",
               "excludes data.batches; keep one of the two");
    REFUSE_KEY(
        study->task.mean_over_rows && (netdp_i_study_walks(study) || netdp_i_study_tallies(study)),
        "task.mean_over", "rows does not apply to %s, which takes nodes as they come; give nodes",
        study->protocol.kind);
    if (study->question.protects == NETDP_PROTECTS_ROW)
        TRY(check_rows(from, error));
    REFUSE_KEY(netdp_protection_check(&protection, &why) != NETDP_OK, "data.batches", "%s",
               why.text);
    return NETDP_OK;
}

void netdp_i_study_unit_words(const netdp_study *study, char *text, size_t room)
{
    const netdp_protection protection = netdp_i_study_protection(study);
    const bool named = study->question.protects == NETDP_PROTECTS_ROW && study->data.row != NULL &&
                       study->data.row[0] != '\0';
    snprintf(text, room, named ? "%s (a row: %.160s)" : "%s", netdp_protection_words(&protection),
             study->data.row);
}
