/*
 * What the commands share.
 *
 * A command is one function: it reads its arguments with netdp_i_cli_parse, writes results to
 * standard output and notes to standard error, and returns a status. main prints the error as one
 * line, "netdp COMMAND: what, where, what to do", and turns the status into the exit code.
 */
#ifndef NETDP_I_COMMAND_H
#define NETDP_I_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <jansson.h>
#include <netdp/graph.h>
#include <netdp/mixing.h>
#include <netdp/status.h>
#include <netdp/study.h>

#include "base/file.h"
#include "base/try.h"
#include "engine/engine.h"

/* argv[0] is the command's own name. */
typedef netdp_status (*netdp_i_command)(int argc, const char **argv, netdp_error *error);

/* The commands; main.c has the table. */
netdp_status netdp_i_command_audit(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_bench(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_calibrate(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_claim(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_design(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_graph(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_init(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_ledger(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_loss(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_net(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_peer(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_recheck(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_predict(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_report(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_reproduce(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_run(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_convert(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_data(int argc, const char **argv, netdp_error *error);
netdp_status netdp_i_command_version(int argc, const char **argv, netdp_error *error);

/* What a command of the peer says where this netdp was built without: NETDP_INVALID. A part of one, argv[0],
 * has a help page that says so. */
netdp_status netdp_i_cli_without_peer(netdp_error *error);
netdp_status netdp_i_cli_without_part(const char *command, int argc, const char **argv,
                                      netdp_error *error);

/* ---- The engine (engine/engine.h) ---- */

/* What netdp-mpi works with; NULL in netdp. */
extern const netdp_i_engine *netdp_i_cli_engine;

/* Of several processes one writes results, notes and errors. */
bool netdp_i_cli_speaks(void);

/* "single": NULL; "mpi": the engine. */
netdp_status netdp_i_cli_choose_engine(const char *name, const netdp_i_engine **engine,
                                       netdp_error *error);

/* ---- Options (options.c) ---- */

typedef enum netdp_i_option_kind {
    NETDP_I_END = 0,  /* {0} ends a table */
    NETDP_I_GROUP,    /* a heading of the help page: `name` */
    NETDP_I_ONLY,     /* const unsigned *into: the rows behind it apply to these alone; 0: to all */
    NETDP_I_SWITCH,   /* bool *into */
    NETDP_I_TEXT,     /* const char **into; lives as long as the arguments */
    NETDP_I_NUMBER,   /* double *into; finite */
    NETDP_I_COUNT,    /* int64_t *into */
    NETDP_I_SEED,     /* uint64_t *into */
    NETDP_I_LIST,     /* netdp_i_texts *into, its array the command's to free; given any times */
    NETDP_I_SETTING,  /* of a question (question/settings.h), by its name; *into is the question */
    NETDP_I_QUESTION, /* stands for all settings of the question *into */
} netdp_i_option_kind;

typedef struct netdp_i_texts {
    size_t count;
    const char **text;
} netdp_i_texts;

typedef struct netdp_i_option {
    netdp_i_option_kind kind;
    char letter;       /* 0: long name only */
    const char *name;  /* "rounds" */
    void *into;        /* untouched where the option is not given */
    const char *value; /* what stands for the value in the help: "T|auto"; NULL for a switch */
    const char *help;  /* with the unit */
    const char *usual; /* the default, or "required"; NULL for a switch */
} netdp_i_option;

/* Rows of an option table: OPTION(NUMBER, "noise", &o.noise, "SIGMA", "in units of ...", "1"). */
#define OPTION(kind, name, into, value, help, usual)                                               \
    {                                                                                              \
        NETDP_I_##kind, 0, name, into, value, help, usual                                          \
    }
#define SWITCH(name, into, help) OPTION(SWITCH, name, into, NULL, help, NULL)
#define HEADING(text) OPTION(GROUP, text, NULL, NULL, NULL, NULL)

/* Before rows that not everything takes; `settings` are or-ed. */
#define NETDP_I_ONLY_FOR(settings)                                                                 \
    OPTION(ONLY, NULL, (void *)(unsigned[]){settings}, NULL, NULL, NULL)

#define NETDP_I_ENGINE_OPTION(name)                                                                \
    OPTION(TEXT, "engine", &(name), "single|mpi",                                                  \
           "who computes: this process, or all that mpirun started", "single")

typedef struct netdp_i_arguments {
    bool help; /* --help was given and the page is printed: the command is done */
    size_t count;
    const char **text; /* the arguments that are not options */
    size_t given_count;
    const char **given; /* long names of the options that were given */
    size_t owned_count; /* what the texts above point to */
    char **owned;
    const netdp_i_option *options; /* the usage's */
} netdp_i_arguments;

/* What a page shows of options that apply to some things only. */
typedef struct netdp_i_narrowing {
    const void *about; /* for `settings`: what the options say so far */
    /* Of the rows behind NETDP_I_ONLY those that have one of these are shown; ~0u: all, nobody has chosen. */
    netdp_status (*settings)(const void *about, const netdp_i_arguments *arguments,
                             unsigned *settings, netdp_error *error);
    void (*list)(FILE *stream); /* what there is to choose from, behind the options */
} netdp_i_narrowing;

typedef struct netdp_i_usage {
    const char *command;   /* "graph make" */
    const char *arguments; /* "FAMILY [PARAMETER...]", "" where there are none */
    const char *what;      /* paragraph of the help page: what the command answers */
    const char *examples;  /* lines of the help page, each indented by two spaces; may be NULL */
    size_t least, most;    /* how many arguments */
    const netdp_i_option *options;
    const netdp_i_narrowing *narrowing; /* NULL: the page shows every option */
} netdp_i_usage;

/* --help and --threads belong to every command and are handled here. --help prints what a first call needs, on
 * one screen (first_page.h), and --help all every option; where `narrowing` says which are meant, those. */
netdp_status netdp_i_cli_parse(const netdp_i_usage *usage, int argc, const char **argv,
                               netdp_i_arguments *arguments, netdp_error *error);
void netdp_i_arguments_free(netdp_i_arguments *arguments);

/* The command line as `arguments`; --help, whose page is printed, ends the command. */
#define NETDP_I_ARGUMENTS(arguments, usage)                                                        \
    CLEARED(netdp_i_arguments_free) netdp_i_arguments arguments = {0};                             \
    TRY(netdp_i_cli_parse(usage, argc, argv, &arguments, error));                                  \
    do {                                                                                           \
        if (arguments.help)                                                                        \
            return NETDP_OK;                                                                       \
    } while (0)

/* A command that is several: `graph make`, `graph info`. */
typedef struct netdp_i_part {
    const char *name; /* NULL: the last */
    netdp_i_command run;
} netdp_i_part;

/* Runs the part that is named first; else the page of `usage` (command, arguments, what, examples), or that
 * it "must be `words`". */
netdp_status netdp_i_cli_run_part(const netdp_i_part *parts, const netdp_i_usage *usage,
                                  const char *words, int argc, const char **argv,
                                  netdp_error *error);

/* Is --NAME for protocols of these settings (netdp_setting)? By its key, or the NETDP_I_ONLY before it. */
bool netdp_i_cli_takes(const netdp_i_arguments *arguments, const char *name, unsigned settings);

/* Was --NAME given? */
bool netdp_i_cli_given(const netdp_i_arguments *arguments, const char *name);

/* ---- Values and output (command.c) ---- */

/* The whole text is one decimal number (no spaces, hexadecimal or nan; "inf" where allowed). */
bool netdp_i_cli_number(const char *text, bool infinite, double *value);

/* The same with an error "what: 'text' is not a number". */
netdp_status netdp_i_cli_read_number(const char *what, const char *text, bool infinite,
                                     double *value, netdp_error *error);

/* One line on standard error: "netdp: note: ...". */
void netdp_i_cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes over the object and prints it to standard output. NULL: memory ran out. */
netdp_status netdp_i_cli_print_json(json_t *object, netdp_error *error);

/* ---- Progress and signals (progress.c) ---- */

/* SIGINT, SIGTERM and SIGHUP: an orderly stop while work with progress runs, exit 130 at once
 * otherwise. */
void netdp_i_cli_catch_signals(void);

/*
 * From begin to end a signal makes the progress say stop; a second one ends the process, and so does
 * work that goes on for a second more, or where it keeps results until then for one and a half seconds
 * of the processor. A bar with rate and time left is drawn where standard error is a terminal.
 */
netdp_progress netdp_i_cli_progress_begin(bool results);
void netdp_i_cli_progress_end(void);

/* TRY of a call that takes &progress, which ends with it. */
#define WATCHED(results, call)                                                                     \
    do {                                                                                           \
        const netdp_progress progress = netdp_i_cli_progress_begin(results);                       \
        const netdp_status watched_ = (call);                                                      \
        netdp_i_cli_progress_end();                                                                \
        TRY(watched_);                                                                             \
    } while (0)

/* ---- The options GRAPH and MIXING (network.c) ---- */

typedef struct netdp_i_network_options {
    const char *file;
    const char *family;
    const char *connected;
    const char *mixing;
    uint64_t seed;
    bool giant_component;
} netdp_i_network_options;

#define NETDP_I_NETWORK_USUAL                                                                      \
    {                                                                                              \
        .connected = "yes", .mixing = "metropolis", .seed = 1                                      \
    }

/* Rows of an option table; `o` is a netdp_i_network_options. */
#define NETDP_I_GRAPH_OPTIONS(o)                                                                   \
    HEADING("The graph:"),                                                                         \
        OPTION(TEXT, "graph", &(o).file, "FILE",                                                   \
               "graph: .graphml, .gml, .mtx, or else an edge list (a line for each edge, 'u v'); " \
               "-: standard input",                                                                \
               "this or --family"),                                                                \
        OPTION(TEXT, "family", &(o).family, "\"NAME PARAMETERS\"",                                 \
               "family such as \"ring 60\", \"hypercube 11\" or \"davis\"", "this or --graph"),    \
        SWITCH("giant-component", &(o).giant_component,                                            \
               "keep only the largest connected component of FILE"),                               \
        NETDP_I_RANDOM_OPTIONS(o)

#define NETDP_I_RANDOM_OPTIONS(o)                                                                  \
    OPTION(SEED, "seed", &(o).seed, "N", "fixes every random draw; 0 .. 2^64-1", "1"),             \
        OPTION(TEXT, "connected", &(o).connected, "yes|no",                                        \
               "redraw a random family until it is connected, at most 1000 times", "yes")

#define NETDP_I_MIXING_OPTIONS(o)                                                                  \
    OPTION(TEXT, "mixing", &(o).mixing, "NAME",                                                    \
           "weights on the edges: metropolis, hamilton, max-degree, uniform (complete graph), "    \
           "file, lazy:K or lazy:K:NAME with K in [0, 1); learning: also rows, D^-1 (A + I); "     \
           "walks: also hastings:degree|uniform|FILE (-: standard input)",                         \
           "metropolis")

/*
 * The graph that the options name; what the loader dropped or redrew goes to standard error. With an engine one process of each
 * machine makes graph and matrix, for all of them.
 */
netdp_status netdp_i_cli_graph(const netdp_i_network_options *options,
                               const netdp_i_arguments *arguments, const netdp_i_engine *engine,
                               netdp_graph **graph, netdp_error *error);

/* A family's graph (`seed` and `connected` of the options), with the same notes. */
netdp_status netdp_i_cli_family(const netdp_i_network_options *options, const char *family,
                                netdp_graph **graph, netdp_error *error);

/* The graph and its mixing matrix; the matrix refers to the graph: free it first. */
netdp_status netdp_i_cli_network(const netdp_i_network_options *options,
                                 const netdp_i_arguments *arguments, const netdp_i_engine *engine,
                                 netdp_graph **graph, netdp_mixing **mixing, netdp_error *error);

/* ---- Studies (run.c) ---- */

/* Where a study's results go, what is overridden in it, and how they are shown. */
typedef struct netdp_i_study_options {
    const char *folder, *data;
    netdp_i_texts set;
    bool json, force, quick;
} netdp_i_study_options;

void netdp_i_study_options_clear(netdp_i_study_options *options);

/* The row of a command that runs studies. */
#define NETDP_I_QUICK_OPTION(o)                                                                    \
    SWITCH("quick", &(o).quick,                                                                    \
           "smaller: what the study's sections quick say; into results/NAME-quick")

/* Rows of an option table; `o` is a netdp_i_study_options, `usual` its folder in words, `result`
 * the file that --json prints. */
#define NETDP_I_STUDY_OPTIONS(o, usual, result)                                                    \
    {NETDP_I_TEXT, 'o', "output", &(o).folder, "DIR", "the result folder", usual},                 \
        SWITCH("force", &(o).force, "start anew: replace results that the folder holds"),          \
        OPTION(LIST, "set", &(o).set, "KEY=VALUE",                                                 \
               "override a key of the study, as in privacy.epsilon=2; may be repeated", "none"),   \
        OPTION(TEXT, "data", &(o).data, "DIR",                                                     \
               "where the data sets are; after it $NETDP_DATA, ./data, ../shared/data", "none"),   \
        SWITCH("json", &(o).json, "print " result " instead of the table")

/* results/NAME and `suffix` for .../NAME.yaml, into NETDP_I_PATH_ROOM bytes. */
void netdp_i_cli_results(const char *study, const char *suffix, char *folder);

/* The study of a file, as --set and --quick change it. */
netdp_status netdp_i_cli_read_study(const char *file, const netdp_i_study_options *options,
                                    netdp_study **study, netdp_error *error);

/* With --force: the study replaces what the folder holds, and a note says what that is. */
void netdp_i_cli_begin_anew(const netdp_i_study_options *options, netdp_study *study,
                            const char *folder);

/* The table of a finished result folder, or its summary.json. */
netdp_status netdp_i_cli_print_result(const char *folder, bool json, netdp_error *error);

#endif
