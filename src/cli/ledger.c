/* netdp ledger: what a participant has spent, in a table, signed for others, and checked. */
#include "cli/common/command.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"

#ifdef NETDP_PEER

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/net/recheck.h"
#include "peer/net/statement.h"

typedef struct ledger_options {
    const char *key, *output;
    double delta;
    bool json;
} ledger_options;

/* DIR of a participant stands for its ledger.db and its key. */
static netdp_status open_for_reading(const char *given, netdp_i_ledger **ledger, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_ledger_of(given, path);
    return netdp_i_ledger_read(path, ledger, error);
}

static netdp_status check_delta(double delta, netdp_error *error)
{
    REFUSE(!(delta > 0 && delta < 1), "--delta: must lie between 0 and 1, such as 1e-6");
    return NETDP_OK;
}

/* ---- show ---- */

/* "?" where a statement that somebody signed has none. */
static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "?";
}

static void print_statement(const json_t *statement)
{
    const json_t *content = json_object_get(statement, "content");
    const json_t *head = json_object_get(content, "ledger"), *one;
    size_t i;
    printf("Ledger of %s, %" JSON_INTEGER_FORMAT " rows, head %.16s...\n\n",
           netdp_i_show_text(text_of(content, "owner")).text,
           json_integer_value(json_object_get(head, "rows")),
           netdp_i_show_text(text_of(head, "head")).text);
    json_array_foreach (json_object_get(content, "studies"), i, one) {
        printf("%.16s...  %s: %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
               " contributions reserved, %" JSON_INTEGER_FORMAT " frames stored%s\n",
               netdp_i_show_text(text_of(one, "study")).text,
               netdp_i_show_text(text_of(one, "title")).text,
               json_integer_value(json_object_get(one, "reserved")),
               json_integer_value(json_object_get(one, "contributions")),
               json_integer_value(json_object_get(one, "sent")),
               json_is_true(json_object_get(one, "settled")) ? ", settled" : "");
        if (json_object_get(one, "protects") != NULL)
            printf("  protects %s\n", netdp_i_show_text(text_of(one, "protects")).text);
    }
    if (i == 0)
        puts("No study so far.");
    else
        printf("\n%-32s %12s %12s\n", "towards", "epsilon", "at most");
    json_array_foreach (json_object_get(content, "towards"), i, one)
        printf("%-32s %12s %12s\n", netdp_i_show_text(text_of(one, "who")).text,
               netdp_i_up(netdp_i_json_number(json_object_get(one, "epsilon")), 4).text,
               netdp_i_up(netdp_i_json_number(json_object_get(one, "epsilon_at_most")), 4).text);
    if (i > 0)
        printf("\nEpsilon at delta %g, of all studies together: what is reserved, and what studies "
               "under way may\nreserve at most.\n",
               json_number_value(json_object_get(content, "delta")));
}

static netdp_status show_ledger(const char *given, const ledger_options *o, netdp_error *error)
{
    OWNED_BY(netdp_i_ledger_close) netdp_i_ledger *ledger = NULL;
    OWNED_BY(json_decref) json_t *statement = NULL;
    TRY(check_delta(o->delta, error));
    TRY(open_for_reading(given, &ledger, error));
    TRY(netdp_i_statement_make(ledger, o->delta, NULL, &statement, error));
    if (o->json)
        return netdp_i_cli_print_json(json_incref(json_object_get(statement, "content")), error);
    print_statement(statement);
    return NETDP_OK;
}

/* ---- export ---- */

static netdp_status export_ledger(const char *given, const ledger_options *o, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_i_ledger_close) netdp_i_ledger *ledger = NULL;
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *signer = NULL;
    OWNED_BY(json_decref) json_t *statement = NULL;
    TRY(check_delta(o->delta, error));
    REFUSE(o->key == NULL && !netdp_i_file_is_folder(given),
           "--key: required beside a ledger; give the owner's signing key");
    if (o->key != NULL)
        snprintf(path, sizeof path, "%s", o->key);
    else
        netdp_i_file_path(path, given, "key");
    TRY(open_for_reading(given, &ledger, error));
    TRY(netdp_i_signer_load(path, &signer, error));
    TRY(netdp_i_statement_make(ledger, o->delta, signer, &statement, error));
    return netdp_i_json_write(statement, o->output, error);
}

/* ---- verify ---- */

/* A statement is JSON, a ledger is not. */
static netdp_status verify_statement(const char *path, char *text, netdp_error *error)
{
    json_error_t fault;
    OWNED_BY(json_decref) json_t *statement = json_loads(text, JSON_REJECT_DUPLICATES, &fault);
    REFUSE(statement == NULL, "%.300s:%d: %s", path, fault.line,
           netdp_i_show_text(fault.text).text);
    TRY(netdp_i_statement_check(statement, path, error));
    puts("The signature holds: it was made with the key of the owner that is named here; compare "
         "it with the roster's.");
    print_statement(statement);
    return NETDP_OK;
}

static netdp_status verify(const char *given, netdp_error *error)
{
    char digest[NETDP_I_DIGEST_TEXT];
    OWNED char *text = NULL;
    int64_t bytes = 0;
    OWNED_BY(netdp_i_ledger_close) netdp_i_ledger *ledger = NULL;
    netdp_i_ledger_head head;
    if (!netdp_i_file_is_folder(given)) {
        TRY(netdp_i_file_load(given, &text, &bytes, error));
        if (text[strspn(text, " \t\r\n")] == '{')
            return verify_statement(given, text, error);
    }
    TRY(open_for_reading(given, &ledger, error));
    TRY(netdp_i_ledger_verify(ledger, NULL, NULL, &head, error));
    netdp_i_hex(head.digest, digest);
    printf("All %" PRIu64 " rows are what was written; head %s\n", head.rows, digest);
    return NETDP_OK;
}

#define DELTA(o)                                                                                   \
    OPTION(NUMBER, "delta", &(o).delta, "D", "at which epsilon is told, in (0, 1)", "1e-6")

static netdp_status show_command(int argc, const char **argv, netdp_error *error)
{
    ledger_options o = {.delta = 1e-6};
    const netdp_i_option options[] = {
        DELTA(o),
        SWITCH("json", &o.json, "one JSON object"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "ledger show",
        .arguments = "DIR|LEDGER",
        .what = "What a participant has spent towards whom, over all studies, and what its studies "
                "may\nstill spend. DIR is its folder, LEDGER the ledger.db in it; a peer may be at "
                "work.",
        .examples = "  netdp ledger show north\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return show_ledger(arguments.text[0], &o, error);
}

static netdp_status export_command(int argc, const char **argv, netdp_error *error)
{
    ledger_options o = {.delta = 1e-6, .output = "-"};
    const netdp_i_option options[] = {
        DELTA(o),
        OPTION(TEXT, "key", &o.key, "FILE", "the owner's signing key", "DIR/key"),
        {NETDP_I_TEXT, 'o', "output", &o.output, "FILE", "where the statement goes",
         "standard output"},
        {0},
    };
    const netdp_i_usage usage = {
        .command = "ledger export",
        .arguments = "DIR|LEDGER",
        .what = "A statement for others, in JSON: the studies, what was spent towards whom, the "
                "ledger's\nhead; signed with its owner's key. netdp ledger verify checks it.",
        .examples = "  netdp ledger export north -o statement.json\n"
                    "  netdp ledger verify statement.json\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return export_ledger(arguments.text[0], &o, error);
}

static netdp_status verify_command(int argc, const char **argv, netdp_error *error)
{
    const netdp_i_option options[] = {{0}};
    const netdp_i_usage usage = {
        .command = "ledger verify",
        .arguments = "DIR|LEDGER|STATEMENT.json",
        .what =
            "Of a ledger: is every row what was written, in its order? Of a statement: does the\n"
            "signature hold? Exit code 2 where not.",
        .examples = "  netdp ledger verify north\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    return verify(arguments.text[0], error);
}

#else

static netdp_status without(int argc, const char **argv, netdp_error *error)
{
    return netdp_i_cli_without_part("ledger", argc, argv, error);
}

#define show_command without
#define export_command without
#define verify_command without

#endif

netdp_status netdp_i_command_ledger(int argc, const char **argv, netdp_error *error)
{
    static const netdp_i_part parts[] = {
        {"show", show_command}, {"export", export_command}, {"verify", verify_command}, {0}};
    const netdp_i_usage usage = {
        .command = "ledger",
        .arguments = "show|export|verify",
        .what = "netdp ledger show DIR           what a participant has spent, towards whom.\n"
                "netdp ledger export DIR         the same for others, signed.\n"
                "netdp ledger verify FILE        is a ledger, or a statement, what was written?\n"
                "Each has its own --help.",
        .examples = "  netdp ledger show north\n"
                    "  netdp ledger export north -o statement.json\n",
    };
    return netdp_i_cli_run_part(parts, &usage, "export, show or verify", argc, argv, error);
}
