/* netdp predict: a learnt model applied to rows of a table. */
#include <string.h>
#include <netdp/model.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/common/command.h"

OWNER(netdp_model_free, netdp_model)

static netdp_status read_missing(const char *word, netdp_predicting *how, netdp_error *error)
{
    static const char *const words[] = {[NETDP_MISSING_REFUSE] = "refuse",
                                        [NETDP_MISSING_DROP] = "drop",
                                        [NETDP_MISSING_MEAN] = "mean"};
    how->as_study = word == NULL;
    for (int i = 0; word != NULL && i < 3; i++)
        if (strcmp(words[i], word) == 0) {
            how->missing = (netdp_missing)i;
            return NETDP_OK;
        }
    REFUSE(word != NULL, "--missing: '%s': give refuse, drop or mean",
           netdp_i_show_text(word).text);
    return NETDP_OK;
}

static void say_notes(const netdp_prediction_notes *notes, const netdp_model *model)
{
    const struct {
        int64_t count;
        const char *what;
    } says[] = {
        {notes->empty, "rows without a prediction, for an empty cell"},
        {notes->filled, "empty cells, which count as the middle of their range, or the mean"},
        {notes->beyond, "cells beyond the range of the study, which count as its nearer end"},
        {notes->unlisted, "cells of categories that are none of the listed values"},
    };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (says[i].count > 0)
            netdp_i_cli_note("%s: %lld", says[i].what, (long long)says[i].count);
    if (netdp_model_privacy(model)[0] != '\0')
        netdp_i_cli_note("%s", netdp_model_privacy(model));
}

netdp_status netdp_i_command_predict(int argc, const char **argv, netdp_error *error)
{
    const char *output = "-", *variant = NULL, *missing = NULL;
    netdp_predicting how = {0};
    const netdp_i_option table[] = {
        {NETDP_I_TEXT, 'o', "out", &output, "FILE", "where the predictions go", "standard output"},
        OPTION(TEXT, "variant", &variant, "VARIANT", "which variant of a run", "its only one"),
        OPTION(TEXT, "keep", &how.keep, "A,B,...|all",
               "columns that are copied beside the predictions, also those that the model does not "
               "know",
               "none"),
        OPTION(TEXT, "missing", &missing, "refuse|drop|mean",
               "a row with an empty cell: refused; without a prediction; or the cell counts as the "
               "middle of its range, or the mean",
               "the study's"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "predict",
        .arguments = "RESULT DATA.csv",
        .what =
            "Applies a learnt model to the rows of DATA.csv (- for standard input). RESULT is a\n"
            "participant's folder or its result.json, or the folder of netdp run. Columns are "
            "found\n"
            "by their names; the label's may be there, and is not looked at. The answer is a CSV\n"
            "with each row's prediction: a number in the label's unit, or the likeliest class and\n"
            "the probability of each by the model.",
        .examples = "  netdp predict north new-patients.csv --keep id -o predictions.csv\n"
                    "  netdp predict results/houses houses.csv --variant \"gossip\"\n",
        .least = 2,
        .most = 2,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    OWNED_BY(netdp_model_free) netdp_model *model = NULL;
    netdp_prediction_notes notes = {0};
    TRY(read_missing(missing, &how, error));
    TRY(netdp_model_read(arguments.text[0], variant, &model, error));
    TRY(netdp_model_predict(model, arguments.text[1], &how, output, &notes, error));
    say_notes(&notes, model);
    return NETDP_OK;
}
