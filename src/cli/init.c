/* netdp init: a study file from questions on a terminal, or from options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <netdp/learn.h>
#include <netdp/protocol.h>

#include "account/gossip/pairs_left.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "base/written.h"
#include "cli/common/command.h"
#include "plan/problem.h"
#include "plan/variant.h"
#include "question/settings.h"
#include "study/key.h"

/* What may be answered, in the order in which it is asked; each has an option. */
typedef enum answer {
    TASK = 0,
    PROTOCOL,
    FAMILY,
    GRAPH,
    SOURCE,
    CSV,
    LABEL,
    CLASSES,
    COLUMN,
    BOUNDS,
    LEVELS,
    CLIP,
    STEP,
    PER_NODE,
    ROWS,
    ROUNDS,
    PHASES,
    INNER,
    EPSILON,
    DELTA,
    OVER,
    SEES,
    DITHER,
    PAIR_GRAPH,
    PAIR_NOISE,
    REPEAT,
    SEED,
    TITLE,
    ANSWERS
} answer;

/* Kinds of tasks, as bits; a protocol's settings say the rest (study/key.h). */
enum { AVERAGES = 1, COUNTS = 2, LEARNS = 4, ANY = 7 };

typedef struct question {
    const char *option, *value;
    unsigned tasks;     /* for which it is asked */
    const char *key;    /* of the study, to know whether the protocol has it; NULL: every one, or
                           what the setting says */
    const char *help;   /* of the option; NULL: the key's setting says, and its value */
    const char *asked;  /* on a terminal; NULL: it has an option only */
    const char *usual;  /* NULL: the row of the protocol says, or it must be given */
    const char *wanted; /* in the help, in place of `usual` */
} question;

static const question questions[ANSWERS] = {
    [TASK] = {"task", "KIND", ANY, NULL, "mean, sum, histogram, logistic or ridge",
              "What is computed: a mean, sum or histogram of one number of each, or a model "
              "(logistic, ridge)?",
              "mean", NULL},
    [PROTOCOL] = {"protocol", "NAME", ANY, NULL,
                  "who sends what when: averaging, walk, ... (netdp loss --help all)",
                  "By which protocol (netdp loss --help all lists them)?", NULL,
                  "the usual one of the task"},
    [FAMILY] = {"family", "\"NAME PARAMETERS\"", ANY, NULL,
                "who talks to whom: a family such as \"ring 32\" or \"davis\"",
                "Who talks to whom: a family such as \"ring 32\" or \"davis\", or a file with a "
                "line 'u v' for each edge?",
                NULL, "this or --graph"},
    [GRAPH] = {"graph", "FILE", ANY, NULL, "a file with a line 'u v' for each edge", NULL, NULL,
               "this or --family"},
    [SOURCE] = {"source", "NAME", ANY, NULL, "the data: a set that netdp data lists",
                "Whose data: a set that netdp data lists, or a CSV file with a line of names and "
                "then a row for each node?",
                NULL, "this or --csv"},
    [CSV] = {"csv", "FILE", ANY, NULL, "the data: a CSV file with a line of names above its rows",
             NULL, NULL, "this or --source"},
    [LABEL] = {"label", "COLUMN", LEARNS, NULL,
               "models: the column to predict; every other one is a feature",
               "Which column is to be predicted?", NULL, "required by a model"},
    [CLASSES] =
        {"classes", "NO,YES", LEARNS, NULL,
         "logistic: the two values of the label, declared for all to know; the second counts as +1",
         "Which two values has it, for all to know (NO,YES; nothing: those of the file, which are "
         "then assumed public)?",
         NULL, "those of the file, assumed public"},
    [COLUMN] = {"column", "NAME", AVERAGES | COUNTS, NULL,
                "the column that is averaged, summed or counted; all: every one of them",
                "Which column? all: every one", NULL, "all; meters: h19"},
    [BOUNDS] = {"bounds", "LOW,HIGH", AVERAGES | COUNTS, NULL,
                "range of its values, declared without looking at them: what is outside is clipped",
                "Between which two numbers are its values, whoever takes part (LOW,HIGH)?", NULL,
                "required; meters: 0,5"},
    [LEVELS] = {"levels", "L", COUNTS, NULL, "histogram: bins of equal width", "How many bins?",
                "10", NULL},
    [CLIP] = {"clip", "C", LEARNS, NULL,
              "models: the largest norm of one row's gradient; the sensitivity is twice that",
              "To which norm is a row's gradient clipped?", "0.4", NULL},
    [STEP] = {"step", "ETA", ANY, "task.step", "models and walks: the size of a step",
              "How long is a step?", NULL, "0.7 of a model, 0.006 towards a mean"},
    [PER_NODE] = {"per-node", "one|even", AVERAGES | COUNTS, NULL,
                  "one: row i is node i's; even: rows are shuffled and assigned in turn",
                  "Is row i that of node i (one), or are rows assigned to nodes in turn (even)?",
                  "even", NULL},
    [ROWS] =
        {"rows", "N", ANY, NULL,
         "how many rows there are, declared for all to know: rows of a file that are partitioned",
         "How many rows are there, for all to know (nothing: as many as the file has, which is "
         "then assumed public)?",
         NULL, "as many as the file has, assumed public"},
    [ROUNDS] = {"rounds", "T|auto", ANY, NULL, "how long: gossip rounds, steps or passes",
                "How many rounds, steps or passes? auto: by formula", NULL,
                "auto, where there is a formula"},
    [PHASES] = {"phases", "N", LEARNS, "protocol.phases",
                "muffliato-sgd with rounds auto: how many steps, each followed by as many gossip "
                "rounds as the network and the pairwise noise need",
                NULL, "10", NULL},
    [INNER] = {"inner", NULL, LEARNS, NULL, NULL, NULL, "10", "10; without --rounds auto"},
    [EPSILON] = {"epsilon", "EPSILON", ANY, NULL,
                 "the privacy target; the noise that meets it is found",
                 "Which epsilon is the target?", NULL, "required"},
    [DELTA] = {"delta", "DELTA", ANY, NULL,
               "at which delta the target is: much less than one in as many people as there are",
               "At which delta? Much less than one in as many people as there are", "1e-6", NULL},
    [OVER] = {"over", "worst|mean", ANY, NULL,
              "worst: no pair of nodes is above the target; mean: on average over them",
              "For every pair of nodes (worst), or on average over them (mean)?", "worst", NULL},
    [SEES] = {"sees", NULL, ANY, NULL, NULL, NULL, "neighbours", NULL},
    [DITHER] = {"dither", NULL, ANY, NULL, NULL, NULL, "0.1", NULL},
    [PAIR_GRAPH] = {"pair-graph", "NAME", ANY, "privacy.pair_graph",
                    "gossip: who shares pairwise noise, which cancels in the mean: edges, "
                    "complete, ring, regular K, k-out K or a file",
                    NULL, NULL, "none"},
    [PAIR_NOISE] = {"pair-noise", NULL, ANY, NULL, NULL, NULL, "10", "10 with --pair-graph"},
    [REPEAT] = {"repeat", "N", ANY, NULL, "runs of each protocol, whose errors are averaged", NULL,
                "10", NULL},
    [SEED] = {"seed", "N", ANY, NULL, "fixes every random draw: equal seeds give equal results",
              NULL, "1", NULL},
    [TITLE] = {"title", "TEXT", ANY, NULL, "what the study is called", NULL, NULL,
               "made of the answers"},
};

/* Of each protocol what goes with it; the first of a task is its usual one. */
static const struct {
    const char *task, *protocol, *family, *rounds, *step;
} usual_of[] = {
    {"mean", "averaging", "davis", "auto", NULL},
    {"mean", "random-averaging", "davis", "auto", NULL},
    {"mean", "walk", "hypercube 5", "640", "0.006"},
    {"mean", "weighted-walk", "hypercube 5", "640", "0.006"},
    {"sum", "ring-sum", "ring 32", "1", NULL},
    {"sum", "complete-sum", "complete 32", "320", NULL},
    {"histogram", "averaging", "davis", "auto", NULL},
    {"histogram", "random-averaging", "davis", "auto", NULL},
    {"histogram", "ring-histogram", "ring 32", "1", NULL},
    {"histogram", "complete-histogram", "complete 32", "320", NULL},
    {"logistic", "muffliato-sgd", "hypercube 4", "auto", "0.7"},
    {"logistic", "gossip-sgd", "hypercube 4", "100", "0.7"},
    {"logistic", "async-gossip-sgd", "hypercube 4", "1000", "0.7"},
    {"logistic", "walk", "hypercube 4", "1000", "0.7"},
    {"ridge", "muffliato-sgd", "hypercube 4", "auto", "0.2"},
    {"ridge", "gossip-sgd", "hypercube 4", "100", "0.2"},
    {"ridge", "async-gossip-sgd", "hypercube 4", "1000", "0.2"},
    {"ridge", "walk", "hypercube 4", "1000", "0.2"},
};

/* Lines of the file: a key, NULL: that of the answer's setting; and its answer, ANSWERS: the key's default. */
/* clang-format off */
static const struct {
    const char *key;
    answer from;
} lines[] = {
    {"title", TITLE}, {"seed", SEED},
    {"graph.family", FAMILY}, {"graph.file", GRAPH}, {"mixing.weights", ANSWERS},
    {"data.source", SOURCE}, {"data.csv", CSV}, {"data.label", LABEL}, {"data.split", ANSWERS},
    {"data.per_node", PER_NODE}, {"data.rows", ROWS}, {"data.columns", CLASSES}, {"data.columns", COLUMN},
    {"task.kind", TASK}, {"task.bounds", BOUNDS}, {"task.levels", LEVELS}, {"task.clip", CLIP}, {"task.step", STEP},
    {"protocol.kind", PROTOCOL}, {"protocol.rounds", ROUNDS}, {"protocol.phases", PHASES}, {NULL, INNER},
    {"privacy.epsilon", EPSILON}, {"privacy.delta", DELTA}, {"privacy.over", OVER}, {NULL, SEES}, {NULL, DITHER},
    {"privacy.pair_graph", PAIR_GRAPH}, {NULL, PAIR_NOISE},
    {"output.repeat", REPEAT},
};
/* clang-format on */

typedef struct drafting {
    const char *answer[ANSWERS]; /* NULL: not given */
    const char *file, *data;
    char *said[ANSWERS]; /* on the terminal, and now in `answer` */
    char *whole[2];      /* paths of graph and CSV, where the study is in another folder */
    char title[200];
} drafting;

/* ---- What is usual ---- */

static unsigned task_bit(const char *task)
{
    return strcmp(task, "histogram") == 0                                ? COUNTS
           : strcmp(task, "logistic") == 0 || strcmp(task, "ridge") == 0 ? LEARNS
                                                                         : AVERAGES;
}

static const char *usual(const drafting *d, answer which);

/* The row of the task, and of the protocol where there is one; -1: no such task. */
static int usual_row(const char *task, const char *protocol)
{
    int first = -1;
    for (int i = 0; i < (int)(sizeof usual_of / sizeof *usual_of); i++) {
        if (strcmp(usual_of[i].task, task) != 0)
            continue;
        if (protocol != NULL && strcmp(usual_of[i].protocol, protocol) == 0)
            return i;
        first = first < 0 ? i : first;
    }
    return first;
}

/* The answer, or what is usual. */
static const char *value_of(const drafting *d, answer which)
{
    return d->answer[which] != NULL ? d->answer[which] : usual(d, which);
}

static bool is_source(const drafting *d, const char *name)
{
    return d->answer[CSV] == NULL && d->answer[SOURCE] != NULL &&
           strcmp(d->answer[SOURCE], name) == 0;
}

static const char *usual(const drafting *d, answer which)
{
    const int row = which == TASK ? -1 : usual_row(value_of(d, TASK), d->answer[PROTOCOL]);
    switch (which) {
    case PROTOCOL:
        return row >= 0 ? usual_of[row].protocol : NULL;
    case ROUNDS: /* auto finds the rounds of a phase: who gives them gives all */
        return row < 0 ? NULL : d->answer[INNER] != NULL ? "100" : usual_of[row].rounds;
    case PAIR_NOISE:
        return d->answer[PAIR_GRAPH] != NULL ? questions[which].usual : NULL;
    case STEP:
        return row >= 0 ? usual_of[row].step : NULL;
    case COLUMN:
        return is_source(d, "meters") ? "h19" : "all";
    case BOUNDS:
        return is_source(d, "meters") ? "0,5" : NULL;
    case LABEL:
        return is_source(d, "houses") ? "label" : NULL;
    default:
        return questions[which].usual;
    }
}

/* What a terminal proposes: more than what goes without saying. */
static const char *proposed(const drafting *d, answer which)
{
    const int row = usual_row(value_of(d, TASK), d->answer[PROTOCOL]);
    const char *said = value_of(d, which);
    if (said != NULL)
        return said;
    if (which == FAMILY)
        return d->answer[GRAPH] != NULL ? d->answer[GRAPH] : row >= 0 ? usual_of[row].family : NULL;
    if (which == SOURCE)
        return d->answer[CSV] != NULL                       ? d->answer[CSV]
               : strcmp(value_of(d, TASK), "logistic") == 0 ? "houses"
                                                            : "meters";
    return which == EPSILON ? "1" : which == LABEL && is_source(d, "meters") ? "h19" : NULL;
}

/* The key of an answer: its own, or where its setting says all else, the setting's. */
static const char *key_of(answer which)
{
    const question *asks = &questions[which];
    return asks->help != NULL ? asks->key : netdp_i_setting_find(asks->option)->key;
}

static const char *line_key(size_t i)
{
    return lines[i].key != NULL ? lines[i].key : key_of(lines[i].from);
}

/* Beside it: what the answer's option says, or its setting. */
static const char *line_comment(size_t i)
{
    if (lines[i].from == ANSWERS)
        return strcmp(lines[i].key, "data.split") == 0
                   ? "the part of the rows that train; the others test"
                   : "weights of the edges; netdp loss --help all names others";
    const question *asks = &questions[lines[i].from];
    return asks->help != NULL ? asks->help : netdp_i_setting_find(asks->option)->help;
}

/* Does it mean something for the task and the protocol that were answered? */
static bool applies(const drafting *d, const char *key, unsigned tasks)
{
    const netdp_protocol *named;
    netdp_error ignored;
    const char *task = value_of(d, TASK), *protocol = value_of(d, PROTOCOL);
    const char *rounds = value_of(d, ROUNDS);
    const int k = key != NULL ? netdp_i_key_find(key) : -1;
    if (!(tasks & task_bit(task)))
        return false;
    return k < 0 || protocol == NULL || rounds == NULL ||
           netdp_protocol_find(protocol, &named, &ignored) != NETDP_OK ||
           netdp_i_key_applies(&netdp_i_keys[k], task, named, strcmp(rounds, "auto") == 0);
}

/* Sums and histograms by a token have no weights, and take rows as they come. */
static bool is_tally(const drafting *d)
{
    const netdp_protocol *named;
    netdp_error ignored;
    const char *protocol = value_of(d, PROTOCOL);
    return protocol != NULL && netdp_protocol_find(protocol, &named, &ignored) == NETDP_OK &&
           named->kind == NETDP_TALLY;
}

/* Of rows and classes those of the sets that netdp data lists are declared already. */
static bool question_applies(const drafting *d, answer which)
{
    const bool given = d->answer[which] != NULL;
    if (which == ROWS &&
        (is_tally(d) || strcmp(value_of(d, PER_NODE), "one") == 0 || (!given && !d->answer[CSV])))
        return false;
    if (which == CLASSES &&
        (strcmp(value_of(d, TASK), "logistic") != 0 || (!given && !d->answer[CSV])))
        return false;
    return applies(d, key_of(which), questions[which].tasks);
}

/* The other one of two of which one is given, or ANSWERS. */
static answer rival(answer which)
{
    return which == FAMILY   ? GRAPH
           : which == GRAPH  ? FAMILY
           : which == SOURCE ? CSV
           : which == CSV    ? SOURCE
                             : ANSWERS;
}

static bool is_given(const drafting *d, answer which)
{
    return d->answer[which] != NULL || (rival(which) != ANSWERS && d->answer[rival(which)] != NULL);
}

/* ---- The file ---- */

/* A number or one plain word stands as it is; everything else in quotes. */
static netdp_status write_answer(FILE *out, const char *text, netdp_error *error)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+/ ";
    const size_t length = strlen(text);
    const bool safe = length > 0 && text[0] != ' ' && text[length - 1] != ' ' &&
                      strspn(text, plain) + strspn(text + strspn(text, plain), "-") > 0 &&
                      text[0] != '-' && text[0] != '.';
    for (const char *c = text; safe && *c != '\0'; c++)
        if (strchr(plain, *c) == NULL && *c != '-')
            return netdp_i_study_write_text(out, text, error);
    if (!safe)
        return netdp_i_study_write_text(out, text, error);
    fputs(text, out);
    return NETDP_OK;
}

/* "no,yes" becomes the label with its values, as texts: YAML has words of its own. */
static netdp_status write_classes(FILE *out, const char *label, const char *text,
                                  netdp_error *error)
{
    char value[200];
    fputs("[{name: ", out);
    TRY(netdp_i_study_write_text(out, label, error));
    fputs(", values: [", out);
    for (const char *at = text; at != NULL;) {
        at += strspn(at, " ");
        const char *comma = strchr(at, ',');
        size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        while (length > 0 && at[length - 1] == ' ')
            length--;
        snprintf(value, sizeof value, "%.*s", (int)length, at);
        TRY(netdp_i_study_write_text(out, value, error));
        at = comma != NULL ? comma + 1 : NULL;
        fputs(at != NULL ? ", " : "", out);
    }
    fputs("]}]", out);
    return NETDP_OK;
}

/* "0,5" becomes [0, 5]; a column a list of one. */
static netdp_status write_value(FILE *out, const char *key, const char *text, netdp_error *error)
{
    const char *comma = strchr(text, ',');
    if (strcmp(key, "task.bounds") == 0 && comma != NULL &&
        strspn(text, "0123456789.,+-eE ") == strlen(text)) {
        fprintf(out, "[%.*s, %s]", (int)(comma - text), text, comma + 1);
        return NETDP_OK;
    }
    if (strcmp(key, "data.columns") != 0)
        return write_answer(out, text, error);
    fputs("[{name: ", out);
    netdp_status status = netdp_i_study_write_text(out, text, error);
    fputs("}]", out);
    return status;
}

/* What stands under a key: an answer, or the usual of the study's own keys; NULL: no such line. */
static const char *line_value(const drafting *d, size_t i)
{
    const answer from = lines[i].from;
    const bool learns = task_bit(value_of(d, TASK)) == LEARNS;
    const netdp_i_key *key = &netdp_i_keys[netdp_i_key_find(line_key(i))];
    if (from == TITLE)
        return d->title;
    if (from == ANSWERS)
        return strcmp(line_key(i), "data.split") == 0
                   ? (learns ? netdp_i_key_rule(key)->fallback : NULL)
               : is_tally(d) ? NULL
                             : netdp_i_key_rule(key)->fallback;
    if (!question_applies(d, from) || !applies(d, line_key(i), ANY))
        return NULL;
    if (from == COLUMN && strcmp(value_of(d, COLUMN), "all") == 0)
        return NULL;
    if ((from == GRAPH || from == CSV) && d->whole[from == CSV] != NULL && d->answer[from] != NULL)
        return d->whole[from == CSV];
    return value_of(d, from);
}

static void make_title(drafting *d)
{
    const char *task = value_of(d, TASK), *protocol = value_of(d, PROTOCOL);
    const char *column = value_of(d, LABEL) != NULL && task_bit(task) == LEARNS
                             ? value_of(d, LABEL)
                             : value_of(d, COLUMN);
    const char *graph = d->answer[FAMILY] != NULL ? d->answer[FAMILY] : d->answer[GRAPH];
    if (d->answer[TITLE] != NULL)
        snprintf(d->title, sizeof d->title, "%s", d->answer[TITLE]);
    else
        snprintf(d->title, sizeof d->title, "%c%.20s of %.40s by %.30s on %.80s",
                 task[0] >= 'a' && task[0] <= 'z' ? task[0] - 'a' + 'A' : task[0],
                 task[0] != '\0' ? task + 1 : "",
                 column == NULL || strcmp(column, "all") == 0 ? "every column" : column,
                 protocol != NULL ? protocol : "?", graph != NULL ? graph : "?");
}

static netdp_status write_draft(drafting *d, FILE *out, netdp_error *error)
{
    const char *section = "";
    make_title(d);
    fprintf(
        out,
        "# A study: netdp run FILE runs it, --set privacy.epsilon=2 changes a key for one run.\n"
        "# Every key is in docs/study-file.md of netdp. Written by netdp init, to be edited.\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const netdp_i_key *key = &netdp_i_keys[netdp_i_key_find(line_key(i))];
        const size_t own = netdp_i_key_section(key);
        const char *value = line_value(d, i);
        if (value == NULL)
            continue;
        if (own > 0 && (strlen(section) < own || memcmp(section, key->name, own + 1) != 0))
            fprintf(out, "%.*s:\n", (int)own, key->name);
        section = key->name;
        CLEARED(netdp_i_written_clear) netdp_i_written line = {0};
        TRY(netdp_i_written_begin(&line, error));
        fprintf(line.out, "%s%s: ", own > 0 ? "  " : "", netdp_i_key_leaf(key));
        TRY(lines[i].from == CLASSES ? write_classes(line.out, value_of(d, LABEL), value, error)
                                     : write_value(line.out, key->name, value, error));
        TRY(netdp_i_written_end(&line, error));
        const char *comment = line_comment(i);
        if (comment != NULL)
            fprintf(out, "%-30s  # %s\n", line.text, comment);
        else
            fprintf(out, "%s\n", line.text);
    }
    return NETDP_OK;
}

/* A path of the command line for a study that may stand in another folder. */
static netdp_status find_paths(drafting *d, netdp_error *error)
{
    const answer which[2] = {GRAPH, CSV};
    for (int i = 0; i < 2; i++) {
        free(d->whole[i]);
        d->whole[i] = NULL;
        if (d->answer[which[i]] == NULL || strchr(d->file, '/') == NULL)
            continue;
        d->whole[i] = realpath(d->answer[which[i]], NULL);
        if (d->whole[i] == NULL)
            return netdp_i_fail(
                error, NETDP_ENVIRONMENT, "--%s: %s: cannot read it; check the path",
                questions[which[i]].option, netdp_i_show_text(d->answer[which[i]]).text);
    }
    return NETDP_OK;
}

/* What is said of pairwise noise; empty where there is none. */
typedef struct leaving {
    char words[NETDP_I_LEFT_ROOM], warning[NETDP_I_LEFT_ROOM];
} leaving;

/* What the rounds will leave of it: it takes the network alone. Of auto at the fewest that it may choose. */
static netdp_status find_left(const netdp_study *study, const netdp_i_problem *problem,
                              leaving *told, netdp_error *error)
{
    CLEARED(netdp_i_variant_clear)
    netdp_i_variant variant = {
        .role = NETDP_I_NETWORK, .name = "", .study = study, .problem = problem};
    netdp_linear *protocol = &variant.protocol;
    netdp_i_pairs_left left;
    int64_t rounds = 1, enough = -1;
    TRY(netdp_i_variant_describe(&variant, error));
    if (variant.kind != NETDP_GOSSIP || !netdp_pairing_is(&protocol->noise.pairing))
        return NETDP_OK;
    const int64_t phases = study->protocol.phases > 0 ? study->protocol.phases : 1;
    if (study->protocol.rounds == 0) {
        TRY(netdp_i_pairs_left_longer(protocol, 1, &rounds, error));
        protocol->rounds = phases * rounds;
        protocol->every = study->protocol.phases > 0 ? rounds : protocol->every;
    }
    rounds = protocol->every > 0 ? protocol->every : protocol->rounds;
    TRY(netdp_i_pairs_left_find(protocol, &left, error));
    if (left.worst > NETDP_I_LEFT_MOST)
        TRY(netdp_i_pairs_left_rounds(protocol, rounds, &enough, error));
    netdp_i_pairs_left_words(&left, told->words);
    (void)netdp_i_pairs_left_warning(protocol, &left, enough, told->warning);
    return NETDP_OK;
}

static netdp_status check_study(const drafting *d, const char *path, leaving *left,
                                netdp_error *error)
{
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    CLEARED(netdp_i_problems_clear) netdp_i_problems problems = {0};
    TRY(netdp_study_read(path, NULL, 0, &study, error));
    TRY(netdp_i_problems_new(study, d->data, &problems, error));
    return find_left(study, problems.made[0], left, error);
}

/* What was written, as netdp run will see it: read, and laid over its graph and data. */
static netdp_status check_draft(const drafting *d, const char *path, leaving *left,
                                netdp_error *error)
{
    const netdp_status status = check_study(d, path, left, error);
    /* The place in a file that nobody will see says nothing. */
    const size_t length = strlen(path);
    if (status != NETDP_OK && strncmp(error->text, path, length) == 0) {
        const char *rest = error->text + length;
        rest += strspn(rest, ":0123456789 ");
        memmove(error->text, rest, strlen(rest) + 1);
    }
    return status;
}

static netdp_status fail_existing(const char *file, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: is there already; give another name, or --force to replace it",
                        netdp_i_show_text(file).text);
}

/* Also a link that leads nowhere is there. */
static bool exists(const char *file)
{
    struct stat shape;
    return strcmp(file, "-") != 0 && lstat(file, &shape) == 0;
}

/* Whole and good, or nothing. */
static netdp_status save_draft(drafting *d, bool force, netdp_error *error)
{
    leaving left = {0};
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    char beside[64] = "";
    const bool piped = strcmp(d->file, "-") == 0;
    TRY(find_paths(d, error));
    snprintf(beside, sizeof beside, ".netdp-init-%ld", (long)getpid());
    TRY(netdp_i_output_open(&output, piped ? beside : d->file, error));
    TRY(write_draft(d, output.stream, error));
    TRY(netdp_i_output_check(&output, error));
    TRY(check_draft(d, output.beside != NULL ? output.beside : output.path, &left, error));
    if (!force && exists(d->file))
        return fail_existing(d->file, error);
    TRY(piped ? write_draft(d, stdout, error) : netdp_i_output_commit(&output, error));
    if (left.words[0] != '\0')
        netdp_i_cli_note("%s", left.words);
    if (left.warning[0] != '\0')
        netdp_i_cli_note("%s", left.warning);
    return NETDP_OK;
}

/* ---- Asking ---- */

/* One line of standard input into d->said; NETDP_INTERRUPTED at its end. */
static netdp_status ask(drafting *d, answer which, netdp_error *error)
{
    const char *propose = proposed(d, which);
    char *line = NULL;
    size_t room = 0;
    fprintf(stderr, "%s%s%s%s ", questions[which].asked, propose != NULL ? " [" : "",
            propose != NULL ? propose : "", propose != NULL ? "]" : "");
    const ssize_t length = getline(&line, &room, stdin);
    if (length < 0) {
        free(line);
        fputc('\n', stderr);
        return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped; nothing was written");
    }
    line[strcspn(line, "\r\n")] = '\0';
    char *text = netdp_i_copy_text(line[strspn(line, " \t")] != '\0' ? line + strspn(line, " \t")
                                   : propose != NULL                 ? propose
                                                                     : "");
    free(line);
    NEED(text);
    for (size_t end = strlen(text); end > 0 && strchr(" \t", text[end - 1]) != NULL;)
        text[--end] = '\0';
    netdp_i_free(d->said[which]);
    d->said[which] = text;
    return NETDP_OK;
}

static bool is_known_set(const char *name)
{
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++)
        if (strcmp(set->name, name) == 0)
            return true;
    return false;
}

/* "ring 32" or a file; "meters" or a file: the one answer says which of the two it is. */
static void settle(drafting *d, answer which)
{
    const answer other = rival(which);
    char *said = d->said[which];
    if (other != ANSWERS) {
        const bool is_file = which == FAMILY ? access(said, F_OK) == 0 : !is_known_set(said);
        d->answer[is_file ? other : which] = said;
        d->answer[is_file ? which : other] = NULL;
    } else {
        d->answer[which] = said[0] != '\0' ? said : NULL;
    }
}

/* Every question without an option, once. */
static netdp_status ask_all(drafting *d, const bool fixed[ANSWERS], netdp_error *error)
{
    for (int i = 0; i < ANSWERS; i++) {
        const answer which = (answer)i;
        if (questions[i].asked == NULL || fixed[i] || !question_applies(d, which))
            continue;
        TRY(ask(d, which, error));
        settle(d, which);
    }
    return NETDP_OK;
}

/* The options that must be given where nobody can be asked. */
static netdp_status check_given(const drafting *d, netdp_error *error)
{
    static const answer needed[] = {FAMILY, SOURCE, LABEL, BOUNDS, EPSILON};
    char list[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const answer which = needed[i], other = rival(which);
        if (is_given(d, which) || usual(d, which) != NULL || !question_applies(d, which) ||
            (which == BOUNDS && !is_given(d, SOURCE)))
            continue;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s--%s%s%s", used > 0 ? ", " : "",
                             questions[which].option, other != ANSWERS ? " or --" : "",
                             other != ANSWERS ? questions[other].option : "");
    }
    REFUSE(used != 0, "there is no terminal to ask on; give %s (netdp init --help has them all)",
           list);
    return NETDP_OK;
}

static netdp_status draft(drafting *d, const bool fixed[ANSWERS], bool force, netdp_error *error)
{
    const bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    bool open = false;
    if (!force && exists(d->file))
        return fail_existing(d->file, error);
    for (int i = 0; i < ANSWERS; i++)
        open = open || (terminal && questions[i].asked != NULL && !fixed[i]);
    if (!terminal) {
        TRY(check_given(d, error));
        return save_draft(d, force, error);
    }
    if (open)
        fputs("Enter takes what is in brackets. Nothing is written before the last answer.\n",
              stderr);
    for (;;) {
        netdp_status status = ask_all(d, fixed, error);
        if (status == NETDP_OK)
            status = save_draft(d, force, error);
        if (status == NETDP_OK || status == NETDP_INTERRUPTED || !open)
            return status;
        fprintf(stderr, "That makes no study: %s\nOnce more:\n", error->text);
    }
}

static void drafting_clear(drafting *d)
{
    for (int i = 0; i < ANSWERS; i++)
        netdp_i_free(d->said[i]);
    free(d->whole[0]);
    free(d->whole[1]);
}

/* Answers that cannot stand: a study is run again, and then standard input is another. */
static netdp_status check_answers(const drafting *d, netdp_error *error)
{
    for (int i = 0; i < ANSWERS; i++)
        REFUSE((i == GRAPH || i == CSV) && d->answer[i] != NULL && strcmp(d->answer[i], "-") == 0,
               "--%s: a study names a file; - has no name to run it with", questions[i].option);
    for (int i = 0; i < ANSWERS; i++) {
        const answer other = rival((answer)i);
        REFUSE(other != ANSWERS && d->answer[i] != NULL && d->answer[other] != NULL,
               "--%s and --%s: give one of them", questions[i].option, questions[other].option);
    }
    return NETDP_OK;
}

static netdp_status write_study(drafting *d, bool force, netdp_error *error)
{
    bool fixed[ANSWERS] = {false};
    TRY(check_answers(d, error));
    for (int i = 0; i < ANSWERS; i++)
        fixed[i] = is_given(d, (answer)i);
    TRY(draft(d, fixed, force, error));
    if (strcmp(d->file, "-") != 0) {
        puts(d->file);
        netdp_i_cli_note("run it with: netdp run %s", d->file);
    }
    return NETDP_OK;
}

netdp_status netdp_i_command_init(int argc, const char **argv, netdp_error *error)
{
    CLEARED(drafting_clear) drafting d = {.file = "study.yaml"};
    bool force = false;
    netdp_i_option table[ANSWERS + 4] = {
        HEADING("The answers:"),
    };
    for (int i = 0; i < ANSWERS; i++) {
        const question *asks = &questions[i];
        const netdp_i_setting *setting = netdp_i_setting_find(asks->option);
        const bool shared = asks->help == NULL;
        table[i + 1] = (netdp_i_option){.kind = NETDP_I_TEXT,
                                        .name = asks->option,
                                        .into = &d.answer[i],
                                        .value = shared ? setting->value : asks->value,
                                        .help = shared ? setting->help : asks->help,
                                        .usual = asks->wanted != NULL ? asks->wanted : asks->usual};
    }
    table[ANSWERS + 1] = (netdp_i_option)OPTION(
        TEXT, "data", &d.data, "DIR",
        "where the data sets are; after it $NETDP_DATA, ./data, ../shared/data", "none");
    table[ANSWERS + 2] =
        (netdp_i_option)SWITCH("force", &force, "replace a file that is there already");
    const netdp_i_usage usage = {
        .command = "init",
        .arguments = "[STUDY.yaml]",
        .what =
            "Writes a study file, study.yaml where no other is named, -: to standard output. On a\n"
            "terminal it asks what no option answers; elsewhere the options must say it all. The\n"
            "file has a comment beside every key, and netdp run takes it as it is.",
        .examples =
            "  netdp init first.yaml --family davis --source meters --per-node one --epsilon 4\n"
            "  netdp init ridge.yaml --task ridge --family \"hypercube 4\" --source meters --label "
            "h19 --epsilon 4\n",
        .most = 1,
        .options = table,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    if (arguments.count > 0)
        d.file = arguments.text[0];
    return write_study(&d, force, error);
}
