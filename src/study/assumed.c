#include "study/assumed.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

/* The data set that the study names, where its columns are described; else NULL. */
static const netdp_dataset *described(const netdp_study *study)
{
    if (study->data.source != NULL)
        for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++)
            if (strcmp(set->name, study->data.source) == 0)
                return set->ranges > 0 ? set : NULL;
    return NULL;
}

static bool is_label(const netdp_study *study, const char *name)
{
    return study->data.label != NULL && strcmp(study->data.label, name) == 0;
}

bool netdp_i_study_describes(const netdp_study *study)
{
    for (int32_t i = 0; i < study->data.column_count; i++)
        if (!is_label(study, study->data.column[i].name) || !netdp_i_study_classes(study))
            return true;
    return false;
}

/* Are features scaled by declared ranges? */
static bool is_ranged(const netdp_study *study)
{
    const bool named =
        study->data.prepare != NULL && strcmp(study->data.prepare, "standardise") == 0;
    return !named && (netdp_i_study_describes(study) || described(study) != NULL);
}

static bool says_values(const netdp_study *study, const char *name)
{
    for (int32_t i = 0; i < study->data.column_count; i++)
        if (strcmp(study->data.column[i].name, name) == 0 && study->data.column[i].values > 0)
            return true;
    return false;
}

netdp_status netdp_i_study_ranges(const netdp_study *study, netdp_range **range, int32_t *count,
                                  netdp_error *error)
{
    const netdp_dataset *set = described(study);
    const bool own = netdp_i_study_describes(study), ranged = is_ranged(study);
    const int32_t room = study->data.column_count + (set != NULL ? set->ranges : 0);
    netdp_range *made = NETDP_I_NEW(netdp_range, room);
    int32_t used = 0;
    NEED(made);
    for (int32_t i = 0; i < study->data.column_count; i++) {
        const netdp_i_column *column = &study->data.column[i];
        if (is_label(study, column->name) && netdp_i_study_classes(study) && column->values == 0)
            continue; /* its range says nothing of classes */
        made[used++] = (netdp_range){.column = column->name,
                                     .low = column->low,
                                     .high = column->high,
                                     .values = column->values,
                                     .value = (const char *const *)column->value};
    }
    for (int32_t i = 0; set != NULL && i < set->ranges; i++) {
        const bool label = is_label(study, set->range[i].column);
        const bool classes = label && netdp_i_study_classes(study) && set->range[i].values > 0 &&
                             !says_values(study, set->range[i].column);
        if (classes || (ranged && !own && set->range[i].values == 0 &&
                        !(label && netdp_i_study_classes(study))))
            made[used++] = set->range[i];
    }
    *range = made;
    *count = used;
    return NETDP_OK;
}

const char *netdp_i_study_rows(const netdp_study *study, char room[24])
{
    const netdp_dataset *set = described(study);
    if (study->data.rows != NULL || set == NULL || study->data.owner != NULL)
        return study->data.rows;
    snprintf(room, 24, "%lld", (long long)set->rows);
    return room;
}

unsigned netdp_i_study_assumes(const netdp_study *study)
{
    const netdp_dataset *set = described(study);
    char ignored[24];
    unsigned assumes = 0;
    bool classes = set != NULL && study->data.label != NULL;
    if (netdp_i_study_accounts(study) || netdp_i_study_owns(study) || study->data.synthetic != NULL)
        return 0;
    const bool counts =
        study->question.protects == NETDP_PROTECTS_ROW || study->task.mean_over_rows ||
        (study->question.batches != NULL && strcmp(study->question.batches, "full") != 0);
    if (counts && !study->data.one_row_a_node && netdp_i_study_rows(study, ignored) == NULL)
        assumes |= NETDP_I_ASSUMES_ROWS;
    if (!netdp_i_study_learns(study))
        return assumes;
    for (int32_t i = 0; set != NULL && i < set->ranges; i++)
        if (is_label(study, set->range[i].column))
            classes = set->range[i].values > 0;
    classes = classes || (study->data.label != NULL && says_values(study, study->data.label));
    if (netdp_i_study_classes(study) && !classes)
        assumes |= NETDP_I_ASSUMES_CLASSES;
    if (!is_ranged(study))
        assumes |= NETDP_I_ASSUMES_SCALES;
    return assumes;
}

const char *netdp_i_assumed_word(unsigned assumes, int place)
{
    static const char *const words[] = {"row counts", "classes", "means and deviations of columns"};
    for (int k = 0; k < 3; k++)
        if ((assumes & (1U << k)) != 0 && place-- == 0)
            return words[k];
    return NULL;
}

netdp_status netdp_i_assumed_check(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const bool row = study->question.protects == NETDP_PROTECTS_ROW;
    REFUSE_KEY(study->data.rows != NULL && netdp_i_study_tallies(study), "data.rows",
               "does not apply to %s, which takes rows as they come; leave it out",
               study->protocol.kind);
    REFUSE_KEY(
        study->data.rows != NULL && (study->data.synthetic != NULL || study->data.one_row_a_node),
        "data.rows", "does not apply where each node has rows of a known number; leave it out");
    REFUSE_KEY(row && study->data.deal != NULL && strcmp(study->data.deal, "even") != 0,
               "data.deal",
               "deals rows by their labels: another label of one row moves others; give even, or "
               "data.owner, where rows are protected");
    REFUSE_KEY(study->data.prepare != NULL && strcmp(study->data.prepare, "ranges") == 0 &&
                   !is_ranged(study),
               "data.prepare",
               "ranges needs bounds of every feature; give data.columns such as [{name: age, "
               "bounds: [0, 120]}]");
    REFUSE_KEY(study->data.prepare != NULL && strcmp(study->data.prepare, "standardise") == 0 &&
                   netdp_i_study_describes(study),
               "data.prepare",
               "standardise excludes bounds of features in data.columns; keep one of the two");
    return NETDP_OK;
}

netdp_status netdp_i_assumed_refuse(const netdp_study *study, netdp_error *error)
{
    const unsigned assumes = netdp_i_study_assumes(study);
    if (study->question.protects != NETDP_PROTECTS_ROW ||
        study->question.change != NETDP_CHANGE_ADD_REMOVE || assumes == 0)
        return NETDP_OK;
    REFUSE((assumes & NETDP_I_ASSUMES_ROWS) != 0,
           "%.200s: data.rows: is missing; add-remove hides how many rows there are, so declare %s",
           study->path,
           study->data.owner != NULL ? "how many each owner has: rows: {a: 100, b: 120}"
                                     : "how many: rows: 1000");
    REFUSE((assumes & NETDP_I_ASSUMES_CLASSES) != 0,
           "%.200s: data.columns: does not list the label's values, and add-remove allows none to "
           "be found from the rows; declare {name: %.40s, values: [no, yes]}",
           study->path, netdp_i_show_text(study->data.label).text);
    return netdp_i_fail(
        error, NETDP_INVALID,
        "%.200s: data.columns: has no bounds of the features, and add-remove allows no mean and "
        "deviation of the rows; declare such as {name: age, bounds: [0, 120]}",
        study->path);
}
