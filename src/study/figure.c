#include "study/figure.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

/* What accounts have comes first; the others need runs. */
enum { OF_ACCOUNTS = 4 };
static const char *const measures[] = {"loss",      "loss_per_round", "noise",
                                       "predicted", "objective",      "excess",
                                       "accuracy",  "consensus",      "data"};

#define OF_VARIANTS "loss, loss_per_round, noise, predicted, objective, excess or accuracy"

static const struct {
    const char *kind;
    const char *x; /* axes to choose from */
    const char *y; /* measures to choose from */
    const char *usual;
    int32_t most;   /* measures */
    bool x_is_must; /* there is no usual x */
    bool runs;      /* shows the course of runs */
    bool pairs;     /* shows pairs one by one */
} kinds[] = {
    {"distance", "hops, length or quantile", "loss", "loss", 1, false, false, false},
    {"sweep", "value or nodes", OF_VARIANTS, "loss", NETDP_I_MEASURES, false, false, false},
    {"trace", "", "objective, excess, accuracy or consensus", "objective", NETDP_I_MEASURES, false,
     true, false},
    {"dots", "", OF_VARIANTS, "accuracy", 1, false, false, false},
    {"scatter", "communicability, katz or length", "loss", "loss", 1, true, false, true},
    {"matrix", "communicability", "loss", "loss", 1, false, false, true},
    {"histogram", "", "loss", "loss", 1, false, false, true},
    {"drawing", "", "loss or data", "loss", 1, false, false, true},
};

static size_t kind_of(const netdp_study *study)
{
    size_t k = 0;
    while (strcmp(kinds[k].kind, study->figure.kind) != 0)
        k++;
    return k;
}

const char *netdp_i_figure_y(const netdp_study *study)
{
    return study->figure.y != NULL ? study->figure.y : kinds[kind_of(study)].usual;
}

const char *netdp_i_figure_measure(const char *name)
{
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i], name) == 0)
            return measures[i];
    return NULL;
}

/* Is the word one of "a, b or c"? */
static bool is_among(const char *choice, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = choice; *at != '\0'; at += strspn(at, ", ")) {
        const size_t own = strcspn(at, ", ");
        if (own == length && memcmp(at, word, length) == 0 && strcmp(word, "or") != 0)
            return true;
        at += own;
    }
    return false;
}

static netdp_status check_x(const netdp_i_reading *from, size_t k, netdp_error *error)
{
    const char *x = from->study->figure.x;
    REFUSE_KEY(x == NULL && kinds[k].x_is_must, "figure.x", "is missing; a %s is against %s",
               kinds[k].kind, kinds[k].x);
    if (x == NULL || is_among(kinds[k].x, x))
        return NETDP_OK;
    return kinds[k].x[0] == '\0'
               ? netdp_i_reading_fail(from, "figure.x", error, "does not apply to %s; leave it out",
                                      kinds[k].kind)
               : netdp_i_reading_fail(from, "figure.x", error, "a %s is against %s", kinds[k].kind,
                                      kinds[k].x);
}

static netdp_status check_measure(const netdp_i_reading *from, size_t k, const char *word,
                                  netdp_error *error)
{
    const char *measure = netdp_i_figure_measure(word);
    bool accounted = false;
    REFUSE_KEY(measure == NULL, "figure.y",
               "'%s' is not known; give some of loss, loss_per_round, noise, predicted, objective, "
               "excess, accuracy, consensus, data",
               netdp_i_show_text(word).text);
    REFUSE_KEY(!is_among(kinds[k].y, word), "figure.y", "a %s has no %s; give %s", kinds[k].kind,
               word, kinds[k].y);
    REFUSE_KEY(strcmp(word, "accuracy") == 0 && !netdp_i_study_learns(from->study) &&
                   !netdp_i_study_accounts(from->study),
               "figure.y", "task %s has no accuracy; give objective", from->study->task.kind);
    for (int i = 0; i < OF_ACCOUNTS; i++)
        accounted = accounted || measure == measures[i];
    REFUSE_KEY(!accounted && netdp_i_study_accounts(from->study), "figure.y",
               "task %s runs nothing that has %s; give loss, loss_per_round, noise or predicted",
               from->study->task.kind, word);
    return NETDP_OK;
}

static netdp_status check_y(const netdp_i_reading *from, size_t k, netdp_error *error)
{
    OWNED char *words = netdp_i_copy_text(netdp_i_figure_y(from->study));
    char *rest = NULL;
    int32_t count = 0;
    NEED(words);
    for (char *word = strtok_r(words, ", ", &rest); word != NULL;
         word = strtok_r(NULL, ", ", &rest)) {
        TRY(check_measure(from, k, word, error));
        if (++count > kinds[k].most)
            TRY(netdp_i_reading_fail(from, "figure.y", error, "a %s has at most %d; remove %s",
                                     kinds[k].kind, (int)kinds[k].most, word));
    }
    REFUSE_KEY(count == 0, "figure.y", "is empty; give %s or leave it out", kinds[k].usual);
    return NETDP_OK;
}

/* Is it, or can it be, one node? */
static bool is_one(const char *nodes)
{
    return nodes != NULL && strcmp(nodes, "all") != 0 && strchr(nodes, ',') == NULL;
}

/* A drawing has one colour for each node: of the losses from one node, or towards one. */
static netdp_status check_drawing(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const int32_t count = study->variation_count;
    for (int32_t i = 0; i < (count > 0 ? count : 1); i++) {
        const netdp_study *own = count > 0 ? study->variation[i].study : study;
        REFUSE_KEY(!is_one(own->privacy.from) && !is_one(own->privacy.to) &&
                       own->privacy.observers != 1 && own->privacy.sources != 1,
                   "figure.kind",
                   "a drawing is of the losses from one node or towards one; give privacy.from or "
                   "privacy.to");
    }
    return NETDP_OK;
}

/* Every variant has its place on the axis: a swept number, or one in its name. */
static netdp_status check_places(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    if (study->figure.x != NULL && strcmp(study->figure.x, "nodes") == 0)
        return NETDP_OK;
    REFUSE_KEY(study->variation_count == 0, "figure.kind",
               "a sweep has several points; give a section sweep, or variants with names such as "
               "'ring at 64'");
    for (int32_t i = 0; i < study->variation_count; i++) {
        const netdp_i_variation *own = &study->variation[i];
        const char *at = strstr(own->name, " at ");
        const char *value = own->at != NULL ? own->at : at != NULL ? at + 4 : "";
        double x;
        REFUSE_KEY(!netdp_i_read_number(value, &x), "figure.kind",
                   "variant %s has no number on the axis; give x: nodes, or a sweep of numbers, or "
                   "names such as 'ring at 64'",
                   own->name);
    }
    return NETDP_OK;
}

/* Beside what is there a dot for what a paper prints? */
static netdp_status check_printed(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const char *kind = study->figure.kind;
    bool printed = study->figure.printed > 0;
    REFUSE_KEY(printed && study->variation_count > 0, "figure.printed",
               "is of one variant; give it to the variant that it belongs to");
    for (int32_t i = 0; i < study->variation_count; i++)
        printed = printed || study->variation[i].study->figure.printed > 0;
    REFUSE_KEY(printed && (kind == NULL || strcmp(kind, "dots") != 0), "figure.printed",
               "does not apply to %s; give figure.kind: dots, or leave it out",
               kind != NULL ? kind : "no figure");
    return NETDP_OK;
}

/* What dots and bins cannot show. */
static netdp_status check_axes(const netdp_i_reading *from, const char *kind, netdp_error *error)
{
    const netdp_study *study = from->study;
    const char *log = study->figure.log != NULL ? study->figure.log : "none";
    const bool dots = strcmp(kind, "dots") == 0;
    REFUSE_KEY(dots && strchr(log, 'x') != NULL, "figure.log",
               "dots have their numbers across, which are y; give y or none");
    REFUSE_KEY(strcmp(kind, "histogram") == 0 && strchr(log, 'y') != NULL, "figure.log",
               "empty bins have no logarithm; give x or none");
    REFUSE_KEY(dots && study->sweep.key != NULL, "figure.kind",
               "dots have no axis for a sweep; give sweep");
    return NETDP_OK;
}

netdp_status netdp_i_figure_check(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    TRY(check_printed(from, error));
    if (study->figure.kind == NULL)
        return NETDP_OK;
    const size_t k = kind_of(study);
    REFUSE_KEY(kinds[k].runs && netdp_i_study_accounts(study), "figure.kind",
               "task %s runs nothing that a trace shows; give another kind", study->task.kind);
    REFUSE_KEY(netdp_i_study_claims(study) && strcmp(kinds[k].kind, "sweep") != 0, "figure.kind",
               "task claim is drawn as a sweep; give sweep");
    const char *x = study->figure.x;
    const bool length = x != NULL && (strcmp(x, "length") == 0 || strcmp(x, "quantile") == 0);
    REFUSE_KEY((kinds[k].pairs || length) && netdp_i_study_realises(study), "figure.kind",
               "task realised lists no pairs; give sweep, dots or distance");
    TRY(check_x(from, k, error));
    TRY(check_y(from, k, error));
    TRY(check_axes(from, kinds[k].kind, error));
    if (strcmp(kinds[k].kind, "sweep") == 0)
        TRY(check_places(from, error));
    if (strcmp(kinds[k].kind, "drawing") == 0 && strcmp(netdp_i_figure_y(study), "loss") == 0)
        return check_drawing(from, error);
    return NETDP_OK;
}
