/* The experiments: study files that say which figure or table of a paper they are. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/study.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/place.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/common/command.h"
#include "report/figure.h"
#include "study/study.h"

enum { MOST_EXPERIMENTS = 256 };

typedef struct options {
    netdp_i_study_options study;
    bool list, all;
    const char *style;
    netdp_picture picture;
} options;

/* Where --width and --text do not say otherwise. */
static const struct {
    const char *name;
    double width, text;
} styles[] = {{"screen", 0, 0}, {"journal", 85, 7.6}, {"slide", 254, 18}};

static netdp_status apply_style(options *o, netdp_error *error)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        if (strcmp(o->style, styles[i].name) != 0)
            continue;
        if (o->picture.width == 0)
            o->picture.width = styles[i].width;
        if (o->picture.text == 0)
            o->picture.text = styles[i].text;
        return netdp_i_picture_check(&o->picture, error);
    }
    return netdp_i_fail(error, NETDP_INVALID, "--style '%s': give screen, journal or slide",
                        netdp_i_show_text(o->style).text);
}

/* Study files with a figure, by name. */
typedef struct experiments {
    char folder[NETDP_I_PATH_ROOM];
    int32_t count;
    char *name[MOST_EXPERIMENTS]; /* ascending */
} experiments;

static void clear(experiments *e)
{
    for (int32_t i = 0; i < e->count; i++)
        netdp_i_free(e->name[i]);
}

static void put_path(const experiments *e, const char *name, char path[NETDP_I_PATH_ROOM])
{
    snprintf(path, NETDP_I_PATH_ROOM, "%.3000s/%.900s.yaml", e->folder, name);
}

static int ascending(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Is it a study with a figure? One that cannot be read is: running it says what is wrong. */
static bool has_figure(const experiments *e, const char *name)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_study *study = NULL;
    netdp_error ignored;
    put_path(e, name, path);
    if (netdp_study_read(path, NULL, 0, &study, &ignored) != NETDP_OK)
        return true;
    const bool has = study->figure.kind != NULL;
    netdp_study_free(study);
    return has;
}

static netdp_status list_folder(experiments *e, netdp_error *error)
{
    DIR *listing = opendir(e->folder);
    netdp_status status = NETDP_OK;
    if (listing == NULL)
        return NETDP_OK;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".yaml") != 0 || entry->d_name[0] == '.' ||
            e->count == MOST_EXPERIMENTS)
            continue;
        char *name = netdp_i_new(dot - entry->d_name + 1, 1);
        if (name == NULL) {
            status = netdp_i_no_memory(error);
            break;
        }
        memcpy(name, entry->d_name, (size_t)(dot - entry->d_name));
        if (has_figure(e, name))
            e->name[e->count++] = name;
        else
            netdp_i_free(name);
    }
    closedir(listing);
    qsort(e->name, (size_t)e->count, sizeof *e->name, ascending);
    return status;
}

/* The first of the folders in which experiments are. */
static netdp_status find_experiments(experiments *e, netdp_error *error)
{
    char installed[NETDP_I_PATH_ROOM];
    const bool is_installed = netdp_i_place("netdp/experiments", installed);
    const char *const folders[] = {"experiments", is_installed ? installed : "experiments"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(e->folder, sizeof e->folder, "%s", folders[i]);
        netdp_status status = list_folder(e, error);
        if (status != NETDP_OK || e->count > 0)
            return status;
    }
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "no experiments in ./experiments or share/netdp/experiments of the prefix; "
                        "install netdp, or name a study file");
}

static void put_seconds(double seconds, char text[32])
{
    if (!(seconds > 0))
        snprintf(text, 32, "?");
    else if (seconds < 90)
        snprintf(text, 32, "%.0f s", seconds);
    else
        snprintf(text, 32, "%.0f min", seconds / 60);
}

static void print_list(const experiments *e)
{
    netdp_error why;
    printf("%-12s %-24s %8s  %s\n", "name", "paper, figure", "time", "title");
    for (int32_t i = 0; i < e->count; i++) {
        char path[NETDP_I_PATH_ROOM], time[32];
        netdp_study *study = NULL;
        put_path(e, e->name[i], path);
        if (netdp_study_read(path, NULL, 0, &study, &why) != NETDP_OK) {
            printf("%-12s %-24s %8s  %s\n", e->name[i], "?", "?", why.text);
            continue; /* the others are there */
        }
        put_seconds(netdp_figure_seconds(study), time);
        printf("%-12s %-24s %8s  %s\n", e->name[i],
               study->figure.paper != NULL ? study->figure.paper : "", time, study->title);
        netdp_study_free(study);
    }
    printf("\ntime: of a whole run on two cores; netdp reproduce NAME --quick is a smaller one\n");
}

static netdp_status print_figure(const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM + 16];
    json_error_t why;
    snprintf(path, sizeof path, "%s/figure.json", folder);
    json_t *figure = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    REFUSE(figure == NULL, "%s:%d: %s; remove it and run again", path, why.line, why.text);
    return netdp_i_cli_print_json(figure, error);
}

/* One experiment into its folder. */
static netdp_status reproduce(const char *path, const options *o, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], time[32];
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    const netdp_i_study_options *s = &o->study;
    REFUSE(strlen(path) + 64 > NETDP_I_PATH_ROOM ||
               (s->folder != NULL && strlen(s->folder) + 64 > NETDP_I_PATH_ROOM),
           "the path is too long");
    netdp_i_cli_results(path, s->quick ? "-quick" : "", folder);
    if (s->folder != NULL && !o->all)
        snprintf(folder, sizeof folder, "%s", s->folder);
    TRY(netdp_i_cli_read_study(path, s, &study, error));
    REFUSE(study->figure.kind == NULL,
           "%s: has no figure; give it a section figure with a kind, or use netdp run", path);
    put_seconds(netdp_figure_seconds(study), time);
    if (!s->quick && netdp_figure_seconds(study) > 0)
        netdp_i_cli_note("%s: about %s on two cores; a smaller one with --quick", path, time);
    netdp_i_cli_begin_anew(s, study, folder);
    WATCHED(true, netdp_study_run(study, folder, s->data, &progress, error));
    TRY(netdp_figure_draw(study, folder, s->data, &o->picture, error));
    if (s->json)
        return print_figure(folder, error);
    printf("%s/figure.%s\n", folder, o->picture.pdf ? "pdf" : "svg");
    return NETDP_OK;
}

/* All of them; what one lacks, such as a data set, does not keep the others. */
static netdp_status reproduce_all(const experiments *e, const options *o, netdp_error *error)
{
    netdp_status first = NETDP_OK;
    netdp_error why = {0};
    int32_t failed = 0;
    for (int32_t i = 0; i < e->count; i++) {
        char path[NETDP_I_PATH_ROOM];
        put_path(e, e->name[i], path);
        netdp_status status = reproduce(path, o, &why);
        if (status == NETDP_INTERRUPTED)
            return netdp_i_fail(error, status, "%s", why.text);
        if (status == NETDP_OK)
            continue;
        netdp_i_cli_note("%s: %s", e->name[i], why.text);
        first = first == NETDP_OK ? status : first;
        failed++;
    }
    return first == NETDP_OK
               ? NETDP_OK
               : netdp_i_fail(error, first, "%d of %d experiments could not be run; see above",
                              (int)failed, (int)e->count);
}

/* Is it the experiment, or one of its panels, "NAME-..."? */
static bool belongs(const char *name, const char *given)
{
    const size_t length = strlen(given);
    return strncmp(name, given, length) == 0 && (name[length] == '\0' || name[length] == '-');
}

static netdp_status fail_unknown(const experiments *e, const char *given, netdp_error *error)
{
    const char *nearest = netdp_i_nearest(given, (const char *const *)e->name, (size_t)e->count);
    REFUSE(nearest != NULL, "'%s': no such experiment; did you mean '%s'?",
           netdp_i_show_text(given).text, nearest);
    return netdp_i_fail(
        error, NETDP_INVALID,
        "'%s': no such experiment; see netdp reproduce --list, or name a study file",
        netdp_i_show_text(given).text);
}

/* A name of the list with its panels, or the path of a study file. */
static netdp_status reproduce_named(const char *given, const options *o, netdp_error *error)
{
    CLEARED(clear) experiments e = {.count = 0};
    int32_t found = 0;
    const size_t length = strlen(given);
    if (strchr(given, '/') != NULL || (length > 5 && strcmp(given + length - 5, ".yaml") == 0))
        return reproduce(given, o, error);
    TRY(find_experiments(&e, error));
    for (int32_t i = 0; i < e.count; i++)
        found += belongs(e.name[i], given);
    if (found == 0)
        return fail_unknown(&e, given, error);
    REFUSE(found > 1 && (o->study.folder != NULL || o->study.json),
           "'%s': %d panels, each with its own folder; leave out -o and --json, or name one of "
           "netdp reproduce --list",
           netdp_i_show_text(given).text, (int)found);
    for (int32_t i = 0; i < e.count; i++) {
        char path[NETDP_I_PATH_ROOM];
        put_path(&e, e.name[i], path);
        if (belongs(e.name[i], given))
            TRY(reproduce(path, o, error));
    }
    return NETDP_OK;
}

static netdp_status run(const options *o, const netdp_i_arguments *arguments, netdp_error *error)
{
    const bool named = arguments->count > 0;
    REFUSE(named + o->list + o->all != 1, "give the name of one experiment, or --list, or --all");
    REFUSE(o->all && (o->study.folder != NULL || o->study.json || o->study.set.count > 0),
           "--all: each has its own folder and study; leave out -o, --set, --json");
    if (named)
        return reproduce_named(arguments->text[0], o, error);
    CLEARED(clear) experiments e = {.count = 0};
    TRY(find_experiments(&e, error));
    if (!o->list)
        return reproduce_all(&e, o, error);
    print_list(&e);
    return NETDP_OK;
}

static void options_clear(options *o)
{
    netdp_i_study_options_clear(&o->study);
}

netdp_status netdp_i_command_reproduce(int argc, const char **argv, netdp_error *error)
{
    CLEARED(options_clear) options o = {.style = "screen"};
    const netdp_i_option table[] = {
        SWITCH("list", &o.list, "the experiments: name, paper, time, title"),
        SWITCH("all", &o.all, "every experiment of the list"),
        NETDP_I_QUICK_OPTION(o.study),
        SWITCH("pdf", &o.picture.pdf, "figure.pdf as well as figure.svg"),
        OPTION(TEXT, "style", &o.style, "STYLE",
               "screen; journal: 85 mm, 7.6 points; slide: 254 mm, 18 points", "screen"),
        OPTION(NUMBER, "width", &o.picture.width, "MM",
               "of the picture, from 40 to 1000; panels are laid out anew", "by style"),
        OPTION(NUMBER, "text", &o.picture.text, "POINTS", "of its letters, from 4 to 72",
               "by style"),
        OPTION(TEXT, "font", &o.picture.font, "FAMILY", "of its letters", "sans-serif"),
        NETDP_I_STUDY_OPTIONS(o.study, "results/NAME", "figure.json"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "reproduce",
        .arguments = "NAME|STUDY.yaml|--list|--all",
        .what = "A figure or table of the papers, ours beside theirs: runs the study, then writes "
                "figure.csv, figure.json and figure.svg (--pdf: figure.pdf too) into its result "
                "folder.",
        .examples = "  netdp reproduce --list\n"
                    "  netdp reproduce C-fig1a --quick\n"
                    "  netdp reproduce C-fig1a --pdf --style journal\n"
                    "  netdp reproduce experiments/C-fig1a.yaml --quick -o results/mine\n",
        .least = 0,
        .most = 1,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    TRY(apply_style(&o, error));
    return run(&o, &arguments, error);
}
