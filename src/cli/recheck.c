/* netdp recheck: what earlier results promised, and what is proven of the same now. */
#include "cli/common/command.h"
#include "cli/net/recheck.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>
#include <netdp/study.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/try.h"
#include "run/record.h"
#include "run/recheck.h"

/* What a page or a folder holds of the results. */
typedef struct held {
    json_t *summary;
    netdp_study *study;
    char folder[NETDP_I_PATH_ROOM]; /* "": of a page */
} held;

static void held_clear(held *h)
{
    json_decref(h->summary);
    netdp_study_free(h->study);
}

/* A folder, or the summary.json in it. */
static netdp_status open_folder(const char *given, held *h, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    REFUSE(strlen(given) + 32 > sizeof h->folder, "the path is too long");
    netdp_i_file_folder(h->folder, given);
    TRY(netdp_i_record_check(h->folder, error));
    TRY(netdp_i_record_read(h->folder, false, &h->summary, error));
    netdp_i_file_path(path, h->folder, "study.yaml");
    return netdp_study_read(path, NULL, 0, &h->study, error);
}

/* The JSON that a page of netdp report is made of. */
static netdp_status open_page(const char *path, const char *text, held *h, netdp_error *error)
{
    static const char begins[] = "<script type=\"application/json\" id=\"data\">";
    const char *at = strstr(text, begins), *end = at != NULL ? strstr(at, "</script>") : NULL;
    REFUSE(end == NULL, "%s: is no page of netdp report, no result folder and no summary.json",
           path);
    at += sizeof begins - 1;
    json_error_t why;
    OWNED_BY(json_decref) json_t *data = json_loadb(at, (size_t)(end - at), 0, &why);
    const char *study = json_string_value(json_object_get(data, "study"));
    h->summary = json_incref(json_object_get(data, "summary"));
    REFUSE(study == NULL || h->summary == NULL,
           "%s: does not hold its study, as pages for others do not; give the result folder, or "
           "the page of netdp report --private",
           path);
    return netdp_study_parse(study, path, NULL, 0, &h->study, error);
}

static netdp_status open_given(const char *given, held *h, netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t bytes = 0;
    const size_t length = strlen(given);
    if (netdp_i_file_is_folder(given) || (length > 5 && strcmp(given + length - 5, ".json") == 0))
        return open_folder(given, h, error);
    TRY(netdp_i_file_load(given, &text, &bytes, error));
    return open_page(given, text, h, error);
}

static bool is_below(const netdp_i_rechecked *row)
{
    return row->below > 0 || row->now > row->then * (1 + NETDP_I_RECHECK_ROUNDING);
}

static void print_table(const netdp_i_rechecked *list, int32_t count, const char *version)
{
    printf("%-24s %-12s %12s %12s %10s  pairs below what is proven\n", "worst pair of", "unit",
           version, "now", "ratio");
    for (int32_t i = 0; i < count; i++) {
        const netdp_i_rechecked *r = &list[i];
        printf("%-24s %-12s %12.6g %12.6g %10.6g  ", netdp_i_show_text(r->name).text, r->unit,
               r->then, r->now, r->now / r->then);
        if (r->pairs > 0)
            printf("%" PRId64 " of %" PRId64 ", at most %.6g times\n", r->below, r->pairs,
                   r->factor);
        else
            printf("losses are not in reach\n");
    }
}

static json_t *row_json(const netdp_i_rechecked *r)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "name", r->name, "unit",
                     r->unit, "then", netdp_i_json_double(r->then), "now",
                     netdp_i_json_double(r->now), "ratio", netdp_i_json_double(r->now / r->then),
                     "mean_then", netdp_i_json_double(r->mean_then), "mean_now",
                     netdp_i_json_double(r->mean_now), "pairs", (json_int_t)r->pairs, "below",
                     (json_int_t)r->below, "most",
                     isnan(r->factor) ? json_null() : netdp_i_json_double(r->factor));
}

static netdp_status tell(const netdp_i_rechecked *list, int32_t count, const char *version,
                         bool json, netdp_error *error)
{
    int32_t below = 0;
    json_t *rows = json ? json_array() : NULL;
    for (int32_t i = 0; i < count; i++) {
        below += is_below(&list[i]);
        if (rows != NULL)
            json_array_append_new(rows, row_json(&list[i]));
    }
    if (json)
        TRY(netdp_i_cli_print_json(
            json_pack("{s:s, s:o, s:i}", "netdp", version, "variants", rows, "below", (int)below),
            error));
    else
        print_table(list, count, version);
    if (below == 0)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_NO_ANSWER,
                        "%d of %d guarantees are below what is proven now; go by the new values, "
                        "or run the study anew",
                        (int)below, (int)count);
}

static netdp_status recheck(const char *given, const char *data, bool json, netdp_error *error)
{
    CLEARED(held_clear) held h = {0};
    OWNED netdp_i_rechecked *list = NULL;
    int32_t count = 0;
    TRY(open_given(given, &h, error));
    WATCHED(false, netdp_i_recheck(h.study, h.summary, h.folder[0] != '\0' ? h.folder : NULL, data,
                                   &progress, &list, &count, error));
    const char *version = json_string_value(json_object_get(h.summary, "netdp"));
    REFUSE(count == 0, "%s: has no guarantee of a pair, so nothing to compare",
           netdp_i_show_text(given).text);
    return tell(list, count, version != NULL ? version : "then", json, error);
}

netdp_status netdp_i_command_recheck(int argc, const char **argv, netdp_error *error)
{
    const char *data = NULL, *package = NULL;
    bool json = false;
    const netdp_i_option table[] = {
        OPTION(TEXT, "data", &data, "DIR",
               "where the data sets are, for a study that reads some; after it $NETDP_DATA, "
               "./data, ../shared/data",
               "none"),
        OPTION(
            TEXT, "package", &package, "DIR",
            "of a ledger: the package of a study of it, beside the one in the participant's folder",
            "none"),
        SWITCH("json", &json, "one JSON object"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "recheck",
        .arguments = "RESULT|PAGE|LEDGER",
        .what = "Which guarantees of earlier results were too small, and by how much: accounts for "
                "them anew, at their noise and rounds. RESULT is a folder of netdp run or its "
                "summary.json, PAGE a page of netdp report that holds its study. Prints what was "
                "said of the worst pair, what is proven now, their ratio, and how many pairs of "
                "loss.csv were below. LEDGER is a participant's ledger.db or folder: prints of "
                "each study whose package is there, towards everybody, the epsilon that the ledger "
                "says and what is accounted for now. What is larger now was not proven then; it "
                "need not have been wrong. Exit code 1 where something is larger.",
        .examples = "  netdp recheck results/meters-on-davis\n"
                    "  netdp recheck results/meters-on-davis/report.html --json\n"
                    "  netdp recheck north\n",
        .least = 1,
        .most = 1,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    if (netdp_i_recheck_is_ledger(arguments.text[0]))
        return netdp_i_recheck_ledger(arguments.text[0], package, json, error);
    REFUSE(package != NULL, "--package: is for a ledger; leave it out");
    return recheck(arguments.text[0], data, json, error);
}
