/* Command lines: options of popt, their help pages, and what may not be given together. */
#include "cli/common/command.h"

#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/try.h"
#include "base/written.h"
#include "cli/common/first_page.h"
#include "cli/common/hints.h"
#include "question/settings.h"

enum { MOST_THREADS = 1024 };

/* One run of netdp_i_cli_parse. */
typedef struct parsing {
    const netdp_i_usage *usage;
    netdp_i_arguments *arguments;
    size_t count;            /* options, those of every command included */
    netdp_i_option *option;  /* [count] */
    struct poptOption *popt; /* groups, each ended */
    struct poptOption *top;  /* what includes the groups */
    poptContext context;
    int64_t threads;
} parsing;

/* A text that lives as long as the arguments do. */
static bool keep(netdp_i_arguments *arguments, char *text)
{
    char **grown = text == NULL ? NULL
                                : netdp_i_grow(arguments->owned,
                                               (int64_t)arguments->owned_count + 1, sizeof *grown);
    if (grown == NULL) {
        netdp_i_free(text);
        return false;
    }
    arguments->owned = grown;
    arguments->owned[arguments->owned_count++] = text;
    return true;
}

static bool append(netdp_i_texts *texts, const char *text)
{
    const char **grown = netdp_i_grow(texts->text, (int64_t)texts->count + 1, sizeof *grown);
    if (grown == NULL)
        return false;
    texts->text = grown;
    texts->text[texts->count++] = text;
    return true;
}

void netdp_i_arguments_free(netdp_i_arguments *arguments)
{
    for (size_t k = 0; k < arguments->owned_count; k++)
        netdp_i_free(arguments->owned[k]);
    netdp_i_free(arguments->owned);
    netdp_i_free(arguments->text);
    netdp_i_free(arguments->given);
    *arguments = (netdp_i_arguments){0};
}

static bool is_switch(const netdp_i_option *option)
{
    return option->kind == NETDP_I_SWITCH ||
           (option->kind == NETDP_I_SETTING && option->value == NULL);
}

/* Do `settings` take a row: of a question as its table says, others by `only` of the NETDP_I_ONLY before it? */
static bool takes(const netdp_i_option *option, unsigned only, unsigned settings)
{
    return option->kind == NETDP_I_SETTING
               ? netdp_i_setting_taken(netdp_i_setting_find(option->name), settings)
               : only == 0 || (only & settings) != 0;
}

/* Has a heading a row below it that is shown? */
static bool has_rows(const parsing *parser, size_t heading, unsigned shown)
{
    unsigned only = 0;
    for (size_t k = heading + 1; k < parser->count; k++) {
        const netdp_i_option *option = &parser->option[k];
        if (option->kind == NETDP_I_GROUP)
            return false;
        if (option->kind == NETDP_I_ONLY)
            only = *(const unsigned *)option->into;
        else if (takes(option, only, shown))
            return true;
    }
    return false;
}

bool netdp_i_cli_takes(const netdp_i_arguments *arguments, const char *name, unsigned settings)
{
    unsigned only = 0;
    const netdp_i_option *row = arguments->options;
    for (; row->kind != NETDP_I_END; row++)
        if (row->kind == NETDP_I_ONLY || row->kind == NETDP_I_GROUP)
            only = row->kind == NETDP_I_ONLY ? *(const unsigned *)row->into : 0;
        else if (row->kind == NETDP_I_QUESTION && netdp_i_setting_find(name) != NULL)
            return netdp_i_setting_taken(netdp_i_setting_find(name), settings);
        else if (row->kind != NETDP_I_QUESTION && strcmp(row->name, name) == 0)
            return takes(row, only, settings);
    return true;
}

bool netdp_i_cli_given(const netdp_i_arguments *arguments, const char *name)
{
    for (size_t k = 0; k < arguments->given_count; k++)
        if (strcmp(arguments->given[k], name) == 0)
            return true;
    return false;
}

/* ---- Tables for popt ---- */

static const char *with_default(parsing *parser, const netdp_i_option *option)
{
    const char *usual = option->usual;
    if (usual == NULL || is_switch(option))
        return option->help;
    size_t room = strlen(option->help) + strlen(usual) + 16;
    char *text = netdp_i_new((int64_t)room, 1);
    if (text == NULL)
        return NULL;
    snprintf(text, room, "%s (default: %s)", option->help, usual);
    if (strncmp(usual, "required", 8) == 0 || strncmp(usual, "this or", 7) == 0)
        snprintf(text, room, "%s (%s)", option->help, usual);
    return keep(parser->arguments, text) ? text : NULL;
}

static size_t table_length(const netdp_i_option *option)
{
    size_t count = 0;
    while (option[count].kind != NETDP_I_END)
        count++;
    return count;
}

/* A row of a help page for each setting of a question. */
static netdp_i_option *add_settings(netdp_i_option *row, void *question)
{
    for (const netdp_i_setting *setting = netdp_i_setting_rows; setting->name != NULL; setting++)
        *row++ = (netdp_i_option){.kind = setting->heading ? NETDP_I_GROUP : NETDP_I_SETTING,
                                  .name = setting->name,
                                  .into = question,
                                  .value = setting->value,
                                  .help = setting->help,
                                  .usual = netdp_i_setting_usual(setting)};
    return row;
}

/* The command's options, those of a question among them, and then those of every command. */
static bool gather(parsing *parser)
{
    const netdp_i_option shared[] = {
        HEADING("Every command:"),
        OPTION(COUNT, "threads", &parser->threads, "N", "threads; results do not depend on it",
               "all cores"),
        {NETDP_I_SWITCH, 'h', "help", &parser->arguments->help, NULL,
         "what a first call needs; --help all: this page", NULL},
    };
    const size_t room =
        table_length(parser->usage->options) + NETDP_I_SETTINGS + sizeof shared / sizeof *shared;
    netdp_i_option *row = parser->option = NETDP_I_NEW(netdp_i_option, room);
    if (row == NULL)
        return false;
    for (const netdp_i_option *own = parser->usage->options; own->kind != NETDP_I_END; own++)
        if (own->kind == NETDP_I_QUESTION)
            row = add_settings(row, own->into);
        else
            *row++ = *own;
    memcpy(row, shared, sizeof shared);
    parser->count = (size_t)(row - parser->option) + sizeof shared / sizeof *shared;
    return true;
}

/*
 * popt's rows: each group a table of its own (one row to end it), included by `top`. Rows that are
 * only for some are in it where they have one of `shown`.
 */
static bool make_tables(parsing *parser, unsigned shown)
{
    netdp_i_free(parser->popt);
    netdp_i_free(parser->top);
    parser->popt = NETDP_I_NEW(struct poptOption, 2 * parser->count + 2);
    parser->top = NETDP_I_NEW(struct poptOption, parser->count + 2);
    if (parser->popt == NULL || parser->top == NULL)
        return false;
    struct poptOption *row = parser->popt, *group = parser->top;
    bool open = false;
    unsigned only = 0;
    for (size_t k = 0; k < parser->count; k++) {
        const netdp_i_option *option = &parser->option[k];
        bool heading = option->kind == NETDP_I_GROUP;
        if (heading || option->kind == NETDP_I_ONLY)
            only = heading ? 0 : *(const unsigned *)option->into;
        if (option->kind == NETDP_I_ONLY ||
            !(heading ? has_rows(parser, k, shown) : takes(option, only, shown)))
            continue;
        if (heading || !open) {
            if (open)
                row++; /* the zeroed row that ends the group before */
            open = true;
            *group++ = (struct poptOption){
                .argInfo = POPT_ARG_INCLUDE_TABLE,
                .arg = row,
                .descrip = heading ? option->name : "Options:",
            };
            if (heading)
                continue;
        }
        const char *help = with_default(parser, option);
        if (help == NULL)
            return false;
        *row++ = (struct poptOption){
            .longName = option->name,
            .shortName = option->letter,
            .argInfo = is_switch(option) ? POPT_ARG_NONE : POPT_ARG_STRING,
            .val = (int)k + 1,
            .descrip = help,
            .argDescrip = option->value,
        };
    }
    return true;
}

/* ---- Values ---- */

static bool read_seed(const char *text, uint64_t *value)
{
    if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    *value = strtoull(text, NULL, 10);
    return errno == 0;
}

static netdp_status store(const netdp_i_option *option, const char *text, netdp_error *error)
{
    char what[64];
    snprintf(what, sizeof what, "--%s", option->name);
    switch (option->kind) {
    case NETDP_I_SWITCH:
        *(bool *)option->into = true;
        return NETDP_OK;
    case NETDP_I_TEXT:
        *(const char **)option->into = text;
        return NETDP_OK;
    case NETDP_I_LIST:
        return append(option->into, text) ? NETDP_OK : netdp_i_no_memory(error);
    case NETDP_I_NUMBER:
        return netdp_i_cli_read_number(what, text, false, option->into, error);
    case NETDP_I_COUNT:
        if (netdp_i_read_whole(text, option->into))
            return NETDP_OK;
        return netdp_i_fail(error, NETDP_INVALID, "%s: '%s' is not a whole number", what,
                            netdp_i_show_text(text).text);
    case NETDP_I_SEED:
        if (read_seed(text, option->into))
            return NETDP_OK;
        return netdp_i_fail(error, NETDP_INVALID, "%s: '%s' is not a whole number 0 .. 2^64-1",
                            what, netdp_i_show_text(text).text);
    case NETDP_I_SETTING:
        return netdp_i_setting_read(netdp_i_setting_find(option->name),
                                    is_switch(option) ? "true" : text, option->into, error);
    case NETDP_I_QUESTION:
    case NETDP_I_END:
    case NETDP_I_GROUP:
    case NETDP_I_ONLY:
        break;
    }
    return NETDP_OK;
}

static netdp_status take_option(parsing *parser, const netdp_i_option *option, netdp_error *error)
{
    netdp_i_arguments *arguments = parser->arguments;
    REFUSE(option->kind != NETDP_I_LIST && netdp_i_cli_given(arguments, option->name),
           "--%s: given twice; give it once", option->name);
    netdp_i_texts given = {arguments->given_count, arguments->given};
    bool appended = append(&given, option->name);
    arguments->given = given.text;
    arguments->given_count = given.count;
    if (!appended)
        return netdp_i_no_memory(error);

    char *text = NULL;
    if (!is_switch(option)) {
        char *from_popt = poptGetOptArg(parser->context); /* ours to free() */
        text = from_popt != NULL ? netdp_i_copy_text(from_popt) : NULL;
        free(from_popt);
        if (!keep(arguments, text))
            return netdp_i_no_memory(error);
    }
    return store(option, text, error);
}

static netdp_status unknown_option(parsing *parser, const char *bad, netdp_error *error)
{
    const char *nearest = NULL;
    char name[64];
    snprintf(name, sizeof name, "%s", bad + strspn(bad, "-"));
    name[strcspn(name, "=")] = '\0';
    const char **known = NETDP_I_NEW(const char *, parser->count);
    size_t count = 0;
    for (size_t k = 0; known != NULL && k < parser->count; k++)
        if (parser->option[k].name != NULL && parser->option[k].kind != NETDP_I_GROUP)
            known[count++] = parser->option[k].name;
    if (known != NULL)
        nearest = netdp_i_nearest(name, known, count);
    netdp_i_free(known);
    netdp_i_shown shown = netdp_i_show_text(bad);
    const char *hint = netdp_i_hint_option(parser->usage->command, name);
    REFUSE(hint != NULL, "%s: unknown option; %s", shown.text, hint);
    REFUSE(nearest != NULL, "%s: unknown option; did you mean --%s?", shown.text, nearest);
    return netdp_i_fail(error, NETDP_INVALID, "%s: unknown option; see netdp %s --help", shown.text,
                        parser->usage->command);
}

/* popt's words would say what; ours also say what to do. */
static netdp_status popt_failure(parsing *parser, int code, netdp_error *error)
{
    const char *bad = poptBadOption(parser->context, POPT_BADOPTION_NOALIAS);
    if (code == POPT_ERROR_BADOPT)
        return unknown_option(parser, bad, error);
    const char *why = poptStrerror(code);
    if (code == POPT_ERROR_NOARG)
        why = "a value must follow";
    else if (code == POPT_ERROR_UNWANTEDARG)
        why = "takes no value";
    else if (code == POPT_ERROR_MALLOC)
        return netdp_i_no_memory(error);
    return netdp_i_fail(error, NETDP_INVALID, "%s: %s; see netdp %s --help",
                        netdp_i_show_text(bad).text, why, parser->usage->command);
}

/* ---- The page and the whole ---- */

/* The whole page of those options that it shows. */
static netdp_status print_whole(parsing *parser, unsigned shown, FILE *stream, netdp_error *error)
{
    const netdp_i_usage *usage = parser->usage;
    const char *name[] = {"netdp", NULL};
    char whole[64], other[160];
    if (!make_tables(parser, shown))
        return netdp_i_no_memory(error);
    snprintf(whole, sizeof whole, "netdp %s", usage->command);
    name[0] = whole;
    poptContext page = poptGetContext(whole, 1, name, parser->top, POPT_CONTEXT_NO_EXEC);
    NEED(page);
    snprintf(other, sizeof other, "%s%s[OPTION...]", usage->arguments,
             usage->arguments[0] != '\0' ? " " : "");
    netdp_i_print_what(stream, usage->what, INT_MAX);
    fputc('\n', stream);
    poptSetOtherOptionHelp(page, other);
    poptPrintHelp(page, stream, 0);
    poptFreeContext(page);
    /* Whoever has chosen needs no list. */
    if (usage->narrowing != NULL && shown == ~0u)
        usage->narrowing->list(stream);
    if (usage->examples != NULL)
        fprintf(stream, "\nExamples:\n%s", usage->examples);
    return NETDP_OK;
}

/* The whole page, where a screen has room for it. */
static netdp_status print_if_short(parsing *parser, bool *printed, netdp_error *error)
{
    CLEARED(netdp_i_written_clear) netdp_i_written page = {0};
    TRY(netdp_i_written_begin(&page, error));
    TRY(print_whole(parser, ~0u, page.out, error));
    TRY(netdp_i_written_end(&page, error));
    *printed = netdp_i_screen_lines(page.text) < NETDP_I_SCREEN_LINES;
    if (*printed)
        fputs(page.text, stdout);
    return NETDP_OK;
}

static bool asks_for_all(const parsing *parser)
{
    const char *text;
    bool all = false;
    while ((text = poptGetArg(parser->context)) != NULL)
        all = all || strcmp(text, "all") == 0;
    return all;
}

static netdp_status print_page(parsing *parser, netdp_error *error)
{
    const netdp_i_usage *usage = parser->usage;
    unsigned shown = ~0u;
    const bool all = asks_for_all(parser);
    bool printed = false;
    if (usage->narrowing != NULL)
        TRY(usage->narrowing->settings(usage->narrowing->about, parser->arguments, &shown, error));
    if (all || shown != ~0u)
        return print_whole(parser, shown, stdout, error);
    TRY(print_if_short(parser, &printed, error));
    if (!printed)
        netdp_i_print_first_page(usage, parser->option, parser->count);
    return NETDP_OK;
}

static netdp_status take_arguments(parsing *parser, netdp_error *error)
{
    const netdp_i_usage *usage = parser->usage;
    netdp_i_texts texts = {0};
    const char *text;
    while ((text = poptGetArg(parser->context)) != NULL) {
        char *copy = netdp_i_copy_text(text);
        bool kept = keep(parser->arguments, copy) && append(&texts, copy);
        parser->arguments->text = texts.text;
        parser->arguments->count = texts.count;
        if (!kept)
            return netdp_i_no_memory(error);
    }
    if (texts.count > usage->most)
        return netdp_i_hint_stray(usage, parser->arguments, texts.text[usage->most], error);
    REFUSE(texts.count < usage->least, "missing %s; see netdp %s --help", usage->arguments,
           usage->command);
    return NETDP_OK;
}

static netdp_status take_all(parsing *parser, netdp_error *error)
{
    int code = 0;
    while ((code = poptGetNextOpt(parser->context)) > 0) {
        const netdp_status status = take_option(parser, &parser->option[code - 1], error);
        /* What stands behind --help may narrow the page; it cannot be wrong. */
        if (!parser->arguments->help)
            TRY(status);
    }
    if (parser->arguments->help)
        return print_page(parser, error);
    return code < -1 ? popt_failure(parser, code, error) : take_arguments(parser, error);
}

static netdp_status parse(parsing *parser, int argc, const char **argv, netdp_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "netdp %s", parser->usage->command);
    const char *own_name = argv[0];
    argv[0] = name; /* what popt prints as the name */
    parser->context = poptGetContext(name, argc, argv, parser->top, POPT_CONTEXT_NO_EXEC);
    const netdp_status status =
        parser->context == NULL ? netdp_i_no_memory(error) : take_all(parser, error);
    argv[0] = own_name;
    poptFreeContext(parser->context);
    return status;
}

static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Can so many threads be there at once? OpenMP would end the program, with a code of its own. */
static netdp_status try_threads(int threads, netdp_error *error)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *made = NETDP_I_NEW(pthread_t, threads);
    int count = 1; /* this one */
    NEED(made);
    pthread_mutex_lock(&gate);
    while (count < threads && pthread_create(&made[count], NULL, wait_at, &gate) == 0)
        count++;
    pthread_mutex_unlock(&gate);
    for (int i = 1; i < count; i++)
        pthread_join(made[i], NULL);
    netdp_i_free(made);
    if (count == threads)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%d threads cannot be made here; give --threads %d or fewer", threads,
                        count > 2 ? count / 2 : 1);
}

static netdp_status parse_whole(parsing *parser, int argc, const char **argv, netdp_error *error)
{
    if (!gather(parser) || !make_tables(parser, ~0u))
        return netdp_i_no_memory(error);
    TRY(parse(parser, argc, argv, error));
    if (netdp_i_cli_given(parser->arguments, "threads")) {
        REFUSE(parser->threads < 1 || parser->threads > MOST_THREADS, "--threads: must be 1 .. %d",
               MOST_THREADS);
        omp_set_num_threads((int)parser->threads);
    }
    return try_threads(omp_get_max_threads(), error);
}

netdp_status netdp_i_cli_parse(const netdp_i_usage *usage, int argc, const char **argv,
                               netdp_i_arguments *arguments, netdp_error *error)
{
    *arguments = (netdp_i_arguments){.options = usage->options};
    parsing parser = {.usage = usage, .arguments = arguments};
    const netdp_status status = parse_whole(&parser, argc, argv, error);
    netdp_i_free(parser.option);
    netdp_i_free(parser.popt);
    netdp_i_free(parser.top);
    if (status != NETDP_OK)
        netdp_i_arguments_free(arguments);
    return status;
}
