/* A result folder on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/study.h>

#include "base/json.h"
#include "base/try.h"
#include "cli/common/command.h"
#include "run/record.h"

/* What nobody may miss, beside JSON too. */
static void note_remarks(const json_t *variants)
{
    size_t i, j;
    json_t *variant, *text;
    json_array_foreach ((json_t *)variants, i, variant)
        json_array_foreach (json_object_get(variant, "remarks"), j, text)
            netdp_i_cli_note("%s: %s", json_string_value(json_object_get(variant, "name")),
                             json_string_value(text));
}

static netdp_status print_json(const char *folder, netdp_error *error)
{
    json_t *summary = NULL;
    TRY(netdp_i_record_read(folder, false, &summary, error));
    note_remarks(json_object_get(summary, "variants"));
    return netdp_i_cli_print_json(summary, error);
}

netdp_status netdp_i_cli_print_result(const char *folder, bool json, netdp_error *error)
{
    char *text = NULL, *notes = NULL;
    if (json)
        return print_json(folder, error);
    TRY(netdp_result_text(folder, &text, &notes, error));
    char *rest = notes;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';)
        netdp_i_cli_note("%s", line);
    fputs(text, stdout);
    free(text);
    free(notes);
    return NETDP_OK;
}
