/* netdp recheck LEDGER: what a participant's studies were said to cost, and what is accounted for now. */
#include "cli/net/recheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/common/command.h"

void netdp_i_ledger_of(const char *given, char path[NETDP_I_PATH_ROOM])
{
    if (netdp_i_file_is_folder(given))
        netdp_i_file_path(path, given, "ledger.db");
    else
        snprintf(path, NETDP_I_PATH_ROOM, "%s", given);
}

bool netdp_i_recheck_is_ledger(const char *given)
{
    static const char begins[] = "SQLite format 3";
    char path[NETDP_I_PATH_ROOM], head[sizeof begins] = "";
    netdp_i_ledger_of(given, path);
    FILE *file = fopen(path, "rb");
    const bool found = file != NULL && fread(head, sizeof head, 1, file) == 1 &&
                       memcmp(head, begins, sizeof begins) == 0;
    if (file != NULL)
        fclose(file);
    return found;
}

#ifdef NETDP_PEER

#include "peer/net/recheck.h"

/* The folder's own package, where it has one, and the one that was named. */
static int32_t list_folders(const char *given, const char *package, char own[NETDP_I_PATH_ROOM],
                            const char *folder[2])
{
    char beside[NETDP_I_PATH_ROOM];
    int32_t count = 0;
    netdp_i_file_folder(beside, given);
    netdp_i_file_path(own, beside, "package");
    if (netdp_i_file_is_folder(own))
        folder[count++] = own;
    if (package != NULL)
        folder[count++] = package;
    return count;
}

static void print_study(const netdp_i_reaccounted *study)
{
    printf("%.16s...  %s: %" PRId64 " of at most %" PRId64 " contributions reserved\n",
           study->digest, netdp_i_show_text(study->title).text, study->reserved,
           study->contributions);
    if (!study->found) {
        puts("  not accounted for: its package is not here; give it with --package\n");
        return;
    }
    if (study->advisory != NULL)
        printf("  %s: nothing that was printed of this study holds\n", study->advisory);
    printf("  %-30s %12s %12s %12s %12s %10s\n", "towards", "spent then", "now", "at most then",
           "now", "ratio");
    for (int32_t i = 0; i < study->count; i++) {
        const netdp_i_recharged *r = &study->towards[i];
        printf("  %-30s %12s %12s %12s %12s %10.6g\n", netdp_i_show_text(r->who).text,
               netdp_i_up(r->spent_then, 6).text, netdp_i_up(r->spent_now, 6).text,
               netdp_i_up(r->most_then, 6).text, netdp_i_up(r->most_now, 6).text, r->ratio);
    }
    printf("  Epsilon at delta %g.\n\n", study->delta);
}

static json_t *study_json(const netdp_i_reaccounted *study)
{
    json_t *towards = json_array();
    for (int32_t i = 0; i < study->count; i++) {
        const netdp_i_recharged *r = &study->towards[i];
        json_array_append_new(towards,
                              json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b}", "who", r->who,
                                        "spent_then", netdp_i_json_double(r->spent_then),
                                        "spent_now", netdp_i_json_double(r->spent_now), "most_then",
                                        netdp_i_json_double(r->most_then), "most_now",
                                        netdp_i_json_double(r->most_now), "ratio",
                                        netdp_i_json_double(r->ratio), "below", (int)r->below));
    }
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:b, s:s?, s:o, s:o}", "study", study->digest, "title", study->title,
        "reserved", (json_int_t)study->reserved, "contributions", (json_int_t)study->contributions,
        "accounted", (int)study->found, "advisory", study->advisory, "delta",
        study->found ? netdp_i_json_double(study->delta) : json_null(), "towards", towards);
}

static netdp_status tell(const netdp_i_reaccounts *made, bool json, netdp_error *error)
{
    int32_t below = 0, all = 0, found = 0;
    json_t *studies = json ? json_array() : NULL;
    for (int32_t i = 0; i < made->count; i++) {
        found += made->study[i].found;
        all += made->study[i].count;
        for (int32_t k = 0; k < made->study[i].count; k++)
            below += made->study[i].towards[k].below;
        if (json)
            json_array_append_new(studies, study_json(&made->study[i]));
        else
            print_study(&made->study[i]);
    }
    if (json)
        TRY(netdp_i_cli_print_json(json_pack("{s:o, s:i, s:i}", "studies", studies, "below",
                                             (int)below, "not_accounted",
                                             (int)(made->count - found)),
                                   error));
    if (below == 0)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_NO_ANSWER,
                        "%d of %d guarantees in the ledger are below what is proven now; go by the "
                        "new values, and do not spend more on what they were compared with",
                        (int)below, (int)all);
}

netdp_status netdp_i_recheck_ledger(const char *given, const char *package, bool json,
                                    netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], own[NETDP_I_PATH_ROOM];
    const char *folder[2];
    OWNED_BY(netdp_i_ledger_close) netdp_i_ledger *ledger = NULL;
    CLEARED(netdp_i_reaccounted_clear) netdp_i_reaccounts made = {0};
    int32_t found = 0;
    const int32_t folders = list_folders(given, package, own, folder);
    netdp_i_ledger_of(given, path);
    TRY(netdp_i_ledger_read(path, &ledger, error));
    TRY(netdp_i_ledger_recheck(ledger, folder, folders, &made, error));
    for (int32_t i = 0; i < made.count; i++)
        found += made.study[i].found;
    REFUSE(made.count == 0, "%s: holds no study, so nothing to compare",
           netdp_i_show_text(given).text);
    REFUSE(found == 0,
           "%s: the package of no study of this ledger is here; give one with --package DIR",
           netdp_i_show_text(given).text);
    return tell(&made, json, error);
}

#else

netdp_status netdp_i_recheck_ledger(const char *given, const char *package, bool json,
                                    netdp_error *error)
{
    (void)given;
    (void)package;
    (void)json;
    return netdp_i_cli_without_peer(error);
}

#endif
