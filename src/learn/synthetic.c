/* Examples drawn from a law that is named in one line. */
#include <netdp/learn.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/try.h"

enum { MOST_WORDS = 8, MOST_TEXT = 256, MOST_FEATURES = 100000, MOST_ROWS = 1000000 };

/* Test rows are those of a node that no graph has. */
#define TEST_NODE UINT32_MAX

/* What a law is asked for; each law takes some of these. */
typedef struct asked {
    double features, mean, variance, noise, rows;
} asked;

typedef struct law {
    const char *name;
    bool classes;
    const char *grammar;
    /* Fills one row of asked.features numbers; returns y. */
    double (*row)(const asked *how, netdp_stream *stream, double *x);
} law;

/* y = -1 or +1, x ~ N(y mean, variance) in every coordinate. */
static double row_of_classes(const asked *how, netdp_stream *stream, double *x)
{
    const int32_t features = (int32_t)how->features;
    const double y = netdp_stream_below(stream, 2) == 0 ? -1 : 1;
    netdp_stream_normals(stream, x, (size_t)features);
    for (int32_t j = 0; j < features; j++)
        x[j] = y * how->mean + sqrt(how->variance) * x[j];
    return y;
}

/* x ~ N(0, variance) in every coordinate, y = sum of x / sqrt(features) + N(0, noise^2). */
static double row_of_model(const asked *how, netdp_stream *stream, double *x)
{
    const int32_t features = (int32_t)how->features;
    double y = 0, error = 0;
    netdp_stream_normals(stream, x, (size_t)features);
    for (int32_t j = 0; j < features; j++) {
        x[j] *= sqrt(how->variance);
        y += x[j] / sqrt(features);
    }
    netdp_stream_normals(stream, &error, 1);
    return y + how->noise * error;
}

static const law laws[] = {
    {"gaussian-classes", true, "gaussian-classes D mean=M variance=V rows=R", row_of_classes},
    {"linear-model", false, "linear-model D variance=V noise=S rows=R", row_of_model},
};
enum { LAWS = sizeof laws / sizeof *laws };

/* The words that may follow the name and the dimension. */
static const struct {
    const char *name;
    bool of[LAWS]; /* which laws take it */
    size_t offset;
    double least, most;
    bool whole;
    const char *expects;
} parameters[] = {
    {"mean", {true, false}, offsetof(asked, mean), -1e6, 1e6, false, "a number from -1e6 to 1e6"},
    {"variance", {true, true}, offsetof(asked, variance), 0, 1e12, false, "from 0 to 1e12"},
    {"noise", {false, true}, offsetof(asked, noise), 0, 1e6, false, "from 0 to 1e6"},
    {"rows", {true, true}, offsetof(asked, rows), 1, MOST_ROWS, true, "a whole number from 1"},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static netdp_status find_law(const char *name, const law **found, netdp_error *error)
{
    const char *names[LAWS];
    for (int i = 0; i < LAWS; i++) {
        names[i] = laws[i].name;
        if (strcmp(laws[i].name, name) != 0)
            continue;
        *found = &laws[i];
        return NETDP_OK;
    }
    const char *nearest = netdp_i_nearest(name, names, LAWS);
    if (nearest != NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "'%s' is no distribution of synthetic data; did you mean %s?",
                            netdp_i_show_text(name).text, nearest);
    return netdp_i_fail(
        error, NETDP_INVALID,
        "'%s' is no distribution of synthetic data; give gaussian-classes or linear-model",
        netdp_i_show_text(name).text);
}

/* "variance=10" */
static netdp_status read_parameter(const law *of, char *word, asked *how, netdp_error *error)
{
    char *value = strchr(word, '=');
    double number = 0;
    if (value != NULL)
        *value++ = '\0';
    for (int i = 0; value != NULL && i < PARAMETERS; i++) {
        if (strcmp(parameters[i].name, word) != 0 || !parameters[i].of[of - laws])
            continue;
        if (!netdp_i_read_number(value, &number) ||
            !(number >= parameters[i].least && number <= parameters[i].most) ||
            (parameters[i].whole && number != floor(number)))
            return netdp_i_fail(error, NETDP_INVALID, "%s=%s: give %s", word,
                                netdp_i_show_text(value).text, parameters[i].expects);
        memcpy((char *)how + parameters[i].offset, &number, sizeof number);
        return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_INVALID, "'%s' is not known here; expected '%s'",
                        netdp_i_show_text(word).text, of->grammar);
}

static netdp_status read_law(const char *description, const law **of, asked *how,
                             netdp_error *error)
{
    char text[MOST_TEXT], *word[MOST_WORDS], *rest = text;
    int words = 0;
    if (strlen(description) >= sizeof text)
        return netdp_i_fail(error, NETDP_INVALID, "synthetic data: more than %d bytes",
                            MOST_TEXT - 1);
    snprintf(text, sizeof text, "%s", description);
    for (char *each; (each = strsep(&rest, " \t")) != NULL;)
        if (each[0] != '\0' && words < MOST_WORDS)
            word[words++] = each;
    TRY(find_law(words > 0 ? word[0] : "", of, error));
    *how = (asked){.variance = 1, .mean = 1, .rows = 1};
    if (words < 2 || !netdp_i_read_number(word[1], &how->features) ||
        !(how->features >= 1 && how->features <= MOST_FEATURES) ||
        how->features != floor(how->features))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: the dimension must be a whole number from 1 to %d; expected '%s'",
                            (*of)->name, MOST_FEATURES, (*of)->grammar);
    for (int i = 2; i < words; i++)
        TRY(read_parameter(*of, word[i], how, error));
    return NETDP_OK;
}

/* Rows first .. first + count - 1 are those of `node`, one stream each. */
static void fill(const law *of, const asked *how, const netdp_synthesis *into, uint32_t node,
                 netdp_examples *made, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        netdp_stream stream = netdp_stream_at(into->seed, NETDP_FOR_DATA, node, (uint64_t)i);
        double *x = made->x + (first + i) * made->features;
        made->y[first + i] = of->row(how, &stream, x);
        if (into->intercept)
            x[made->features - 1] = 1;
    }
}

static netdp_examples *new_examples(const asked *how, const netdp_synthesis *into, int64_t rows,
                                    int32_t nodes)
{
    netdp_examples *made = NETDP_I_NEW(netdp_examples, 1);
    if (made == NULL)
        return NULL;
    made->rows = rows;
    made->features = (int32_t)how->features + into->intercept;
    made->nodes = nodes;
    made->x = NETDP_I_NEW(double, rows * made->features);
    made->y = NETDP_I_NEW(double, rows);
    made->start = nodes > 0 ? NETDP_I_NEW(int64_t, (int64_t)nodes + 1) : NULL;
    if (made->x == NULL || made->y == NULL || (nodes > 0 && made->start == NULL)) {
        netdp_examples_free(made);
        return NULL;
    }
    return made;
}

netdp_status netdp_examples_draw(const netdp_synthesis *synthesis, netdp_examples **train,
                                 netdp_examples **test, netdp_error *error)
{
    NETDP_I_GIVEN(error, synthesis && synthesis->law && train && test);
    const law *of = NULL;
    asked how;
    TRY(read_law(synthesis->law, &of, &how, error));
    if (of->classes != synthesis->classes)
        return netdp_i_fail(error, NETDP_INVALID, "%s has %s; it is for %s", of->name,
                            of->classes ? "classes" : "numbers",
                            of->classes ? "logistic" : "ridge");
    if (synthesis->nodes < 1 || !(synthesis->split > 0 && synthesis->split < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%d nodes, split %g: at least 1 node, and a split between 0 and 1",
                            (int)synthesis->nodes, synthesis->split);
    const int64_t each = (int64_t)how.rows, all = each * synthesis->nodes;
    const double part = round((double)all * (1 / synthesis->split - 1));
    const int64_t tests = part < 1 ? 1 : part > 1e9 ? (int64_t)1e9 : (int64_t)part;
    netdp_examples *to_train = new_examples(&how, synthesis, all, synthesis->nodes);
    netdp_examples *to_test = new_examples(&how, synthesis, tests, 0);
    if (to_train == NULL || to_test == NULL) {
        netdp_examples_free(to_train);
        netdp_examples_free(to_test);
        return netdp_i_no_memory(error);
    }
    for (int32_t u = 0; u < synthesis->nodes; u++) {
        fill(of, &how, synthesis, (uint32_t)u, to_train, u * each, each);
        to_train->start[u + 1] = (u + 1) * each;
    }
    fill(of, &how, synthesis, TEST_NODE, to_test, 0, tests);
    *train = to_train;
    *test = to_test;
    return NETDP_OK;
}
