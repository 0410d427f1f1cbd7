/*
 * The command: finds its command by name, settles kernels and engine, and prints errors on one
 * line.
 */
#include "cli/common/command.h"
#include "cli/common/kernels.h"
#include "cli/common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "base/place.h"
#include "base/text.h"

/* By job; a row without a name begins a group of the page. */
static const struct command {
    const char *name;
    netdp_i_command run;
    const char *summary;
} commands[] = {
    {NULL, NULL, "Ask how private it is:"},
    {"loss", netdp_i_command_loss, "how much each node learns about each other node"},
    {"calibrate", netdp_i_command_calibrate, "the least noise that meets a privacy target"},
    {"design", netdp_i_command_design, "noise over many phases for which models err least"},
    {"convert", netdp_i_command_convert, "a guarantee in another unit: gdp, rdp:ALPHA, dp:DELTA"},
    {NULL, NULL, "Run a study, private values on a network:"},
    {"init", netdp_i_command_init, "write a study file of your own, from questions"},
    {"run", netdp_i_command_run, "calibrate, account, simulate, tabulate"},
    {"report", netdp_i_command_report, "a page to read about a run's results"},
    {"recheck", netdp_i_command_recheck, "which earlier guarantees were too small"},
    {"predict", netdp_i_command_predict, "apply a learnt model to rows of a table"},
    {"audit", netdp_i_command_audit, "attack the guarantee in the simulator"},
    {NULL, NULL, "Between real machines:"},
    {"net", netdp_i_command_net, "make a network of participants, invite, join, start, examine"},
    {"peer", netdp_i_command_peer, "take part in a study that runs on several machines"},
    {"ledger", netdp_i_command_ledger, "what a participant has spent, towards whom"},
    {NULL, NULL, "Compare with the papers:"},
    {"reproduce", netdp_i_command_reproduce, "a figure or table of theirs, by name"},
    {"claim", netdp_i_command_claim, "a formula of theirs, and what holds beside it"},
    {NULL, NULL, "Look at what goes in:"},
    {"graph", netdp_i_command_graph, "make a graph, or describe one: degrees, diameter, mixing"},
    {"data", netdp_i_command_data, "the data sets: where each comes from, is mine the right one"},
    {NULL, NULL, "This program:"},
    {"bench", netdp_i_command_bench, "how fast the accounts are on this machine"},
    {"version", netdp_i_command_version, "the versions of netdp and of its libraries"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void list_commands(bool whole)
{
    for (const struct command *row = commands; row < commands + COMMANDS; row++)
        if (row->name == NULL && whole)
            printf("\n%s\n", row->summary);
        else if (row->name == NULL)
            printf("\n%-41s", row->summary);
        else if (whole)
            printf("  %-10s %s\n", row->name, row->summary);
        else
            printf(" %s", row->name);
    puts(whole ? "  help       this page; netdp COMMAND --help all explains every option" : "");
}

/* One screen; `whole`: with a line for each command, and the exit codes. */
static void print_page(bool whole)
{
    static const char bundled[] = "netdp/experiments/meters-on-davis.yaml";
    char manual[NETDP_I_PATH_ROOM], study[NETDP_I_PATH_ROOM];
    const bool installed = netdp_i_place_beside("doc/netdp/docs", manual);
    fputs("netdp computes with data that stay with their owners, the nodes of a network. It\n"
          "says how much each node can learn about each other node, finds the noise that\n"
          "keeps it below what you allow, and shows how accurate the result is.\n"
          "\n"
          "Usage: netdp COMMAND [ARGUMENT...] [OPTION...]\n"
          "\n"
          "Try:\n"
          "  # 32 people gossip for 20 rounds: how much does each learn about the others?\n"
          "  netdp loss --family davis --rounds 20 --noise 2 --as dp:1e-6\n"
          "  # How little noise is enough for epsilon 1 at delta 1e-6?\n"
          "  netdp calibrate --family davis --rounds 20 --target 1 --as dp:1e-6\n"
          "  # The mean of their meters, beside a trusted server and local privacy.\n",
          stdout);
    printf("  netdp run %s\n",
           installed && netdp_i_place_beside(bundled, study) ? study : strchr(bundled, '/') + 1);
    list_commands(whole);
    fputs(whole ? "\n"
                  "Exit codes: 0 done, 1 the question has no answer, 2 bad usage or bad content,\n"
                  "3 a system or I/O error, 130 interrupted.\n"
                  "\n"
                : "\nWhat each does: netdp --help all. A command: netdp COMMAND --help.\n",
          stdout);
    if (installed)
        printf("The manual: %s/README.md; begin with start.md there.\n", manual);
    else
        puts("The manual: docs/README.md; begin with docs/start.md.");
}

/* A file that is opened later must not become standard output by taking its number. */
static void keep_standard_numbers(void)
{
    for (int number = 0; number <= 2; number++)
        if (fcntl(number, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY);
}

static netdp_i_command find(const char *name, netdp_error *error)
{
    const char *names[COMMANDS];
    size_t count = 0;
    for (size_t k = 0; k < COMMANDS; k++) {
        if (commands[k].name == NULL)
            continue;
        names[count++] = commands[k].name;
        if (strcmp(commands[k].name, name) == 0)
            return commands[k].run;
    }
    const char *nearest = netdp_i_nearest(name, names, count);
    const char *kind = name[0] == '-' ? "option" : "command";
    netdp_i_shown shown = netdp_i_show_text(name);
    if (nearest != NULL)
        netdp_i_fail(error, NETDP_INVALID, "'%s': unknown %s; did you mean 'netdp %s'?", shown.text,
                     kind, nearest);
    else
        netdp_i_fail(error, NETDP_INVALID, "'%s': unknown %s; see netdp --help", shown.text, kind);
    return NULL;
}

/* Runs argv[0], a command's name or one of the words for help and version. */
static netdp_status run(int argc, const char **argv, const char **name, netdp_error *error)
{
    const char *first = argc > 0 ? argv[0] : "help";
    bool help =
        strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0;
    const bool whole = help && argc == 2 && strcmp(argv[1], "all") == 0;
    if (whole || (help && argc < 2)) {
        print_page(whole);
        return NETDP_OK;
    }
    const char *version[] = {"version", NULL}, *page[] = {NULL, "--help", NULL, NULL};
    if (strcmp(first, "--version") == 0) {
        REFUSE(argc > 1, "'%s': one argument too many", netdp_i_show_text(argv[1]).text);
        argv = version;
        argc = 1;
    } else if (help) {
        page[0] = argv[1]; /* netdp help loss, netdp help loss all */
        page[2] = argc > 2 ? argv[2] : NULL;
        argc = argc > 2 ? 3 : 2;
        argv = page;
    }
    netdp_i_command command = find(argv[0], error);
    if (command == NULL)
        return NETDP_INVALID;
    *name = argv[0];
    return command(argc, argv, error);
}

/* Starting again for how threads wait takes as long as starting: not for pages and other quick answers. */
static bool uses_threads(int argc, char **argv)
{
    static const char *const quick[] = {"help", "version", "--version", "convert",
                                        "data", "predict", "ledger"};
    if (argc < 2)
        return false;
    for (size_t k = 0; k < sizeof quick / sizeof *quick; k++)
        if (strcmp(argv[1], quick[k]) == 0)
            return false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    netdp_error error = {NETDP_OK, ""};
    const char *name = NULL;
    if (argc > 1 && strcmp(argv[1], "peer") == 0)
        netdp_i_kernels_alone();
    else
        netdp_i_kernels_settle(argv, uses_threads(argc, argv));
    netdp_i_memory_settle();
    keep_standard_numbers();
    netdp_i_cli_catch_signals();
    netdp_status status =
        netdp_i_engine_begin(argc, (const char **)argv, &netdp_i_cli_engine, &error);
    if (status == NETDP_OK)
        status = run(argc > 0 ? argc - 1 : 0, (const char **)(argv + (argc > 0)), &name, &error);
    /* Results that did not arrive are a failure, even where everything else went well. */
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == NETDP_OK)
        status = netdp_i_fail(&error, NETDP_ENVIRONMENT, "standard output: cannot write: %s",
                              errno != 0 ? strerror(errno) : "the device or pipe said no");
    if (netdp_i_cli_engine != NULL)
        status = netdp_i_cli_engine->agree(status, &error);
    if (status != NETDP_OK && netdp_i_cli_speaks()) {
        fprintf(stderr, "netdp%s%s: %s\n", name != NULL ? " " : "", name != NULL ? name : "",
                error.text);
    }
    if (netdp_i_cli_engine != NULL)
        netdp_i_cli_engine->end();
    netdp_i_memory_done();
    return netdp_status_exit_code(status);
}
