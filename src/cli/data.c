#include "cli/common/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <netdp/learn.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

/* ---- netdp data ---- */

/* Where the set is, or *path NULL where it is nowhere; to be freed with free(). */
static netdp_status locate(const char *folder, const netdp_dataset *set, char **path,
                           netdp_error *error)
{
    *path = NULL;
    netdp_status status = netdp_data_find(folder, set->file, path, error);
    return status == NETDP_ENVIRONMENT ? NETDP_OK : status;
}

/* Paths are bytes, JSON is UTF-8: what is not is shown with \x.. instead. */
static json_t *path_json(const char *path)
{
    if (path == NULL)
        return json_null();
    json_t *text = json_string(path);
    return text != NULL ? text : json_string(netdp_i_show_text(path).text);
}

/* What is declared of the columns of a table, for all to know. */
static json_t *columns_json(const netdp_dataset *set)
{
    json_t *columns = json_array();
    for (int32_t i = 0; i < set->ranges; i++) {
        const netdp_range *range = &set->range[i];
        json_t *values = range->values > 0 ? json_array() : NULL;
        for (int32_t j = 0; j < range->values; j++)
            json_array_append_new(values, json_string(range->value[j]));
        json_array_append_new(columns,
                              values != NULL
                                  ? json_pack("{s:s, s:o}", "name", range->column, "values", values)
                                  : json_pack("{s:s, s:[f, f]}", "name", range->column, "bounds",
                                              range->low, range->high));
    }
    return columns;
}

static void print_columns(const netdp_dataset *set)
{
    for (int32_t i = 0; i < set->ranges; i++) {
        const netdp_range *range = &set->range[i];
        printf("%s%s", i == 0 ? "  public  " : ", ", range->column);
        if (range->values == 0)
            printf(" %g to %g", range->low, range->high);
        for (int32_t j = 0; j < range->values; j++)
            printf("%s%s", j == 0 ? " " : " or ", range->value[j]);
    }
    if (set->ranges > 0)
        printf("; %lld rows\n", (long long)set->rows);
}

static netdp_status list(const char *folder, bool json, netdp_error *error)
{
    OWNED_BY(json_decref) json_t *sets = json_array();
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++) {
        OWNED_BY(free) char *path = NULL;
        TRY(locate(folder, set, &path, error));
        json_t *told = json ? json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "name", set->name, "file",
                                        set->file, "sha256", set->sha256, "from", set->from,
                                        "bundled", (int)set->bundled, "found", path_json(path))
                            : NULL;
        if (told != NULL && set->ranges > 0) {
            json_object_set_new(told, "rows", json_integer(set->rows));
            json_object_set_new(told, "columns", columns_json(set));
        }
        if (json)
            json_array_append_new(sets, told);
        else
            printf("%s\n  file    %s\n  from    %s\n  sha256  %s\n  found   %s\n", set->name,
                   set->file, set->from, set->sha256, path != NULL ? path : "no");
        if (!json)
            print_columns(set);
    }
    if (!json)
        return NETDP_OK;
    return netdp_i_cli_print_json(json_pack("{s:O}", "data", sets), error);
}

/* ---- netdp data check DIR ---- */

struct tally {
    int found, differing;
};

/* "matches", "differs" or "missing". */
static netdp_status check_set(const char *folder, const netdp_dataset *set, struct tally *tally,
                              const char **verdict, netdp_error *error)
{
    char digest[65];
    struct stat shape;
    size_t room = strlen(folder) + strlen(set->file) + 2;
    OWNED char *path = netdp_i_new((int64_t)room, 1);
    NEED(path);
    snprintf(path, room, "%s/%s", folder, set->file);
    *verdict = "missing";
    if (stat(path, &shape) == 0) {
        TRY(netdp_data_digest(path, digest, error));
        const bool matches = strcmp(digest, set->sha256) == 0;
        *verdict = matches ? "matches" : "differs";
        tally->found++;
        tally->differing += !matches;
    }
    return NETDP_OK;
}

static netdp_status check_folder(const char *folder, netdp_error *error)
{
    struct stat shape;
    if (stat(folder, &shape) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: %s; name the folder of the data",
                            netdp_i_show_text(folder).text, strerror(errno));
    if (!S_ISDIR(shape.st_mode))
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: is not a folder",
                            netdp_i_show_text(folder).text);
    return NETDP_OK;
}

static netdp_status check(const char *folder, bool json, netdp_error *error)
{
    struct tally tally = {0};
    TRY(check_folder(folder, error));
    OWNED_BY(json_decref) json_t *sets = json_array();
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++) {
        const char *verdict = NULL;
        TRY(check_set(folder, set, &tally, &verdict, error));
        if (json)
            json_array_append_new(sets, json_pack("{s:s, s:s, s:s}", "name", set->name, "file",
                                                  set->file, "verdict", verdict));
        else
            printf("%-8s %s\n", verdict, set->file);
    }
    if (json)
        TRY(netdp_i_cli_print_json(
            json_pack("{s:o, s:O}", "folder", path_json(folder), "data", sets), error));
    REFUSE(tally.differing > 0,
           "%s: %d of %d files differ from the known ones; get them again (netdp data says where)",
           netdp_i_show_text(folder).text, tally.differing, tally.found);
    if (tally.found == 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%s: holds none of the data sets; netdp data says where to get them",
                            netdp_i_show_text(folder).text);
    return NETDP_OK;
}

netdp_status netdp_i_command_data(int argc, const char **argv, netdp_error *error)
{
    const char *folder = NULL;
    bool json = false;
    const netdp_i_option options[] = {
        OPTION(TEXT, "data", &folder, "DIR", "folder to look in first", "$NETDP_DATA, then ./data"),
        SWITCH("json", &json, "one JSON object"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "data",
        .arguments = "[check DIR]",
        .what =
            "Lists the data sets that netdp knows by name: where each comes from, its SHA-256,\n"
            "where it was found, and of tables what is declared of rows and columns. `check DIR` "
            "compares the files of a folder with that.",
        .examples = "  netdp data\n"
                    "  netdp data check data\n",
        .most = 2,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    if (arguments.count == 0)
        return list(folder, json, error);
    REFUSE(strcmp(arguments.text[0], "check") != 0, "'%s': must be check DIR",
           netdp_i_show_text(arguments.text[0]).text);
    REFUSE(arguments.count == 1, "check: missing DIR, the folder to check");
    REFUSE(folder != NULL, "--data: does not apply to check DIR");
    return check(arguments.text[1], json, error);
}
