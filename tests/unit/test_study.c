#include "check.h"
#include "sweep.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <netdp/random.h>

#include "base/file.h"
#include "base/memory.h"
#include "study/key.h"
#include "study/study.h"

static char folder[64];
static char study_path[96];
static char other_path[96];

static const char least[] = "graph:\n"
                            "  family: ring 12\n"
                            "data:\n"
                            "  source: meters\n"
                            "task:\n"
                            "  kind: mean\n"
                            "  bounds: [0, 5]\n"
                            "protocol:\n"
                            "  kind: averaging\n"
                            "  rounds: 20\n"
                            "privacy:\n"
                            "  epsilon: 1\n"
                            "  delta: 1e-6\n";

static void put(const char *path, const char *bytes, size_t count)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

static char *get(const char *path)
{
    netdp_error error = {0};
    char *text = NULL;
    int64_t bytes = 0;
    assert_ok(netdp_i_file_load(path, &text, &bytes, &error));
    return text;
}

/* `least` with its line `from` (1 ..) replaced by `lines`; 0: `lines` come after it. */
static void put_with(int from, const char *lines)
{
    char text[8192];
    size_t used = 0;
    int line = 1;
    for (const char *at = least; *at != '\0'; line++) {
        size_t length = strcspn(at, "\n") + 1;
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s",
                                 line == from ? 0 : (int)length, at);
        if (line == from)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", lines);
        at += length;
    }
    if (from == 0)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", lines);
    assert_true(used < sizeof text);
    put(study_path, text, used);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/netdp-study-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(study_path, sizeof study_path, "%s/a.yaml", folder);
    snprintf(other_path, sizeof other_path, "%s/b.yaml", folder);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/mine.edges", folder);
    unlink(path);
    unlink(study_path);
    unlink(other_path);
    return rmdir(folder);
}

static void test_defaults(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    put_with(0, "");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_string_equal(study->path, study_path);
    assert_string_equal(study->title, "");
    assert_int_equal(study->seed, 1);
    assert_string_equal(study->graph.family, "ring 12");
    assert_null(study->graph.file);
    assert_null(study->graph.data);
    assert_false(study->graph.giant_component);
    assert_string_equal(study->mixing.weights, "metropolis");
    assert_string_equal(study->data.source, "meters");
    assert_null(study->data.csv);
    assert_int_equal(study->data.column_count, 0);
    assert_false(study->data.one_row_a_node);
    assert_string_equal(study->task.kind, "mean");
    assert_true(study->task.has_bounds);
    assert_true(study->task.low == 0 && study->task.high == 5 && study->task.clip == 0);
    assert_string_equal(study->task.unit, "");
    assert_string_equal(study->protocol.kind, "averaging");
    assert_int_equal(study->protocol.rounds, 20);
    assert_true(study->question.variance == 0.25);
    assert_true(study->privacy.epsilon == 1 && study->privacy.delta == 1e-6);
    assert_int_equal(study->privacy.over, NETDP_OVER_MEAN);
    assert_int_equal(study->question.sees, NETDP_SEES_NEIGHBOURS);
    assert_int_equal(study->question.own_noise, NETDP_OWN_NOISE_KNOWN);
    assert_true(study->question.settings.noise.dither == 0.01);
    assert_int_equal(study->output.every, 1);
    assert_int_equal(study->output.repeat, 10);
    netdp_study_free(study);
    netdp_study_free(NULL);
}

static void test_every_key_and_relative_paths(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    static const char text[] = "# all of them\n"
                               "title: 'It''s: a \"title\"'\n"
                               "seed: 18446744073709551615\n"
                               "graph: {file: mine.edges, giant_component: true}\n"
                               "mixing: {weights: lazy:0.5}\n"
                               "data:\n"
                               "  csv: sub/mine.csv\n"
                               "  columns: [{name: a b, bounds: [-1, 1.5]}, {name: \"h\\u00e9\"}]\n"
                               "  per_node: one\n"
                               "task: {kind: mean, bounds: [0, 1e3], unit: kWh}\n"
                               "protocol: {kind: averaging, rounds: auto, variance: 0}\n"
                               "privacy: {epsilon: inf, delta: 0.5, over: worst, sees: sum, "
                               "own_noise: counts, dither: 0}\n"
                               "output: {every: 7, repeat: 1000000}\n";
    put(study_path, text, strlen(text));
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_string_equal(study->title, "It's: a \"title\"");
    assert_true(study->seed == UINT64_MAX);
    char path[128];
    snprintf(path, sizeof path, "%s/mine.edges", folder);
    assert_string_equal(study->graph.file, path);
    assert_true(study->graph.giant_component);
    snprintf(path, sizeof path, "%s/sub/mine.csv", folder);
    assert_string_equal(study->data.csv, path);
    assert_int_equal(study->data.column_count, 2);
    assert_string_equal(study->data.column[0].name, "a b");
    assert_true(study->data.column[0].low == -1 && study->data.column[0].high == 1.5);
    assert_string_equal(study->data.column[1].name, "h\u00e9");
    assert_true(study->data.column[1].low == 0 && study->data.column[1].high == 0);
    assert_true(study->data.one_row_a_node);
    assert_string_equal(study->task.unit, "kWh");
    assert_int_equal(study->protocol.rounds, 0);
    assert_true(isinf(study->privacy.epsilon));
    assert_int_equal(study->privacy.over, NETDP_OVER_WORST);
    assert_int_equal(study->question.sees, NETDP_SEES_SUM);
    assert_int_equal(study->question.own_noise, NETDP_OWN_NOISE_COUNTS);
    assert_int_equal(study->output.every, 7);
    assert_int_equal(study->output.repeat, 1000000);
    netdp_study_free(study);
}

/* Writes, reads, writes: the two files are equal. The first is left in study_path. */
static void assert_round_trip(const char *const *set, size_t count)
{
    netdp_error error = {0};
    netdp_study *first = NULL, *second = NULL;
    assert_ok(netdp_study_read(study_path, set, count, &first, &error));
    assert_ok(netdp_study_write(first, study_path, &error));
    assert_ok(netdp_study_read(study_path, NULL, 0, &second, &error));
    assert_ok(netdp_study_write(second, other_path, &error));
    char *a = get(study_path), *b = get(other_path);
    assert_string_equal(a, b);
    assert_string_equal(first->title, second->title);
    assert_string_equal(first->task.unit, second->task.unit);
    assert_int_equal(first->data.column_count, second->data.column_count);
    assert_true(first->seed == second->seed && first->privacy.epsilon == second->privacy.epsilon &&
                first->privacy.delta == second->privacy.delta &&
                first->question.settings.noise.dither == second->question.settings.noise.dither &&
                first->task.low == second->task.low && first->task.high == second->task.high &&
                first->task.clip == second->task.clip &&
                first->task.has_bounds == second->task.has_bounds &&
                first->protocol.rounds == second->protocol.rounds &&
                first->question.variance == second->question.variance);
    netdp_i_free(a);
    netdp_i_free(b);
    netdp_study_free(first);
    netdp_study_free(second);
}

static void test_round_trips(void **state)
{
    (void)state;
    static const char *const sets[][3] = {
        {NULL},
        {"title=\"quotes\" 'single' \\back # comment: {x} [y] & *z !t %p @ `", "task.unit=- a\t\n"},
        {"title=\x01\x7f\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf end ", "task.unit=~"},
        {"title=h\u00e4user \U0001F3E0 \u202e", "task.unit=null"},
        {"privacy.epsilon=0.1", "privacy.delta=1e-300", "privacy.dither=0.30000000000000004"},
        {"privacy.epsilon=inf", "task.bounds=[-0.1,4.9406564584124654e-324]"},
        {"task.clip=9.8765432109876543e99", "protocol.rounds=auto", "seed=18446744073709551615"},
        {"graph.data=facebook/1912.edges", "graph.giant_component=true", "data.source=houses"},
        {"data.csv=no such file.csv", "privacy.sees=everything", "privacy.own_noise=counts"},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        size_t count = 0;
        while (count < 3 && sets[i][count] != NULL)
            count++;
        put_with(0, "");
        assert_round_trip(sets[i], count);
    }
    put_with(
        4, "  source: meters\n  columns:\n  - {name: h0, bounds: [0, 0.1]}\n  - name: \"\\x01\"\n");
    assert_round_trip(NULL, 0);
    static const char *const inner[] = {
        "title: x\nvariants:\n- {privacy: {epsilon: 0.1, over: worst}}\n- {}\n- name: 'a: b'\n",
        "variants: [{graph: {file: none.edges}, data: {csv: a.csv, columns: [{name: x}, {name: y, "
        "bounds: [0, 0.1]}]}}, {task: {clip: 3, unit: ''}, protocol: {rounds: auto}}]\n",
    };
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        put_with(0, inner[i]);
        assert_round_trip(NULL, 0);
        char *text = get(study_path);
        assert_non_null(strstr(text, "variants:\n  - name: "));
        netdp_i_free(text);
    }
    /* A variant may take every column although its base names some. */
    put_with(4, "  source: meters\n  columns: [{name: h0}]\nvariants: [{data: {columns: []}}]\n");
    assert_round_trip(NULL, 0);
    netdp_error error = {0};
    netdp_study *study = NULL;
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->data.column_count, 1);
    assert_int_equal(study->variation[0].study->data.column_count, 0);
    netdp_study_free(study);
}

static void test_written_paths_are_absolute(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    char path[128], here[4096];
    snprintf(path, sizeof path, "%s/mine.edges", folder);
    put(path, "0 1\n", 4);
    put_with(2, "  file: mine.edges\n");
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    assert_ok(netdp_study_read("a.yaml", NULL, 0, &study, &error));
    assert_string_equal(study->graph.file, "mine.edges");
    assert_ok(netdp_study_write(study, other_path, &error));
    assert_int_equal(chdir(here), 0);
    netdp_study_free(study);
    assert_ok(netdp_study_read(other_path, NULL, 0, &study, &error));
    char *want = realpath(path, NULL);
    assert_string_equal(study->graph.file, want);
    free(want);
    netdp_study_free(study);
}

static void test_set(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    static const char *const set[] = {
        "privacy.epsilon=2",     "graph.giant_component=true",
        "graph.file=x.edges",    "privacy.epsilon=3",
        "graph.family=grid 4 5", "task.clip=1.5",
        "task.bounds= [1,2 ]",   "output.repeat=2",
    };
    put_with(0, "");
    assert_ok(netdp_study_read(study_path, set, sizeof set / sizeof *set, &study, &error));
    assert_true(study->privacy.epsilon == 3);
    assert_string_equal(study->graph.family, "grid 4 5");
    assert_null(study->graph.file);
    assert_false(study->graph.giant_component);
    assert_true(study->task.has_bounds && study->task.low == 1 && study->task.high == 2);
    assert_true(study->task.clip == 0);
    assert_int_equal(study->output.repeat, 2);
    netdp_study_free(study);

    /* A required key may come from --set alone. */
    put_with(12, "");
    assert_ok(netdp_study_read(study_path, set, 1, &study, &error));
    assert_true(study->privacy.epsilon == 2);
    netdp_study_free(study);

    /* Columns with ranges of their own need none of the task. */
    static const char own_ranges[] =
        "{graph: {family: ring 12}, task: {kind: mean}, privacy: {epsilon: 1, delta: 0.1},"
        " data: {source: meters, columns: [{name: h0, bounds: [0, 1]}]},"
        " protocol: {kind: averaging, rounds: 3}}";
    put(study_path, own_ranges, sizeof own_ranges - 1);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_true(!study->task.has_bounds && study->task.clip == 0);
    netdp_study_free(study);
}

/* `least` and these variants: line 14 is "variants:". */
static void put_variants(const char *entries)
{
    char text[4096];
    snprintf(text, sizeof text, "variants:\n%s", entries);
    put_with(0, text);
}

static void test_variants(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    static const char *const set[] = {"privacy.epsilon=2", "graph.giant_component=true",
                                      "graph.file=/x.edges", "protocol.rounds=7"};
    put_variants("  - {name: more rounds, protocol: {rounds: 30}}\n"
                 "  - {}\n"
                 "  - {graph: {family: grid 3 4}, task: {clip: 2}, privacy: {epsilon: 5}}\n"
                 "  - name: h\u00e4user 1/2\n"
                 "    data: {csv: a.csv, columns: [{name: kwh, bounds: [0, 2]}]}\n");
    assert_ok(netdp_study_read(study_path, set, 4, &study, &error));
    assert_int_equal(study->variation_count, 4);
    const netdp_i_variation *made = study->variation;
    assert_string_equal(made[0].name, "more rounds");
    assert_string_equal(made[1].name, "variant 2");
    assert_string_equal(made[3].name, "h\u00e4user 1/2");
    /* --set changes the base; what a variant says itself stays. */
    assert_int_equal(study->protocol.rounds, 7);
    assert_int_equal(made[0].study->protocol.rounds, 30);
    assert_int_equal(made[1].study->protocol.rounds, 7);
    assert_true(made[0].study->privacy.epsilon == 2 && made[2].study->privacy.epsilon == 5);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(made[i].study->variation_count, 0);
        assert_int_equal(made[i].study->seed, study->seed);
        assert_int_equal(made[i].study->output.repeat, study->output.repeat);
        assert_string_equal(made[i].study->path, study_path);
    }
    /* Rivals exclude each other. */
    assert_string_equal(made[1].study->graph.file, "/x.edges");
    assert_true(made[1].study->graph.giant_component);
    assert_null(made[2].study->graph.file);
    assert_string_equal(made[2].study->graph.family, "grid 3 4");
    assert_false(made[2].study->graph.giant_component);
    assert_true(made[2].study->task.clip == 2 && !made[2].study->task.has_bounds);
    assert_null(made[3].study->data.source);
    assert_int_equal(made[3].study->data.column_count, 1);
    assert_int_equal(study->data.column_count, 0);
    netdp_study_free(study);

    put_with(0, "");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation_count, 0);
    netdp_study_free(study);
}

/* What means nothing to a variant's protocol is not inherited; what it says itself is refused. */
static void test_variants_inherit_what_applies(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    static const char text[] =
        "{graph: {family: ring 12}, data: {source: houses, label: label},"
        " task: {kind: logistic, clip: 1, step: 1}, privacy: {epsilon: 1, delta: 0.1, dither: 0.2},"
        " protocol: {kind: muffliato-sgd, rounds: 60, inner: 6},"
        " variants: [{protocol: {kind: gossip-sgd}}, {protocol: {inner: 3}},"
        " {task: {kind: ridge}}]}";
    put(study_path, text, sizeof text - 1);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation[0].study->question.settings.inner, 1);
    assert_true(study->variation[0].study->question.settings.noise.dither == 0.01);
    assert_int_equal(study->variation[1].study->question.settings.inner, 3);
    assert_true(study->variation[1].study->question.settings.noise.dither == 0.2);
    assert_string_equal(study->variation[2].study->task.kind, "ridge");
    netdp_study_free(study);
}

static const char model[] =
    "graph: {family: ring 12}\ndata: {source: houses, label: label}\n"
    "task: {kind: logistic, clip: 1, step: 1}\nprivacy: {epsilon: 1, delta: 0.1}\n";

static void put_model(const char *protocol)
{
    char text[1024];
    snprintf(text, sizeof text, "%sprotocol: %s\n", model, protocol);
    put(study_path, text, strlen(text));
}

/* rounds: auto of a model takes the number of phases, and nothing that it finds itself. */
static void test_phases(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    put_model("{kind: muffliato-sgd, rounds: auto, phases: 7, variance: 2}");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->protocol.rounds, 0);
    assert_int_equal(study->protocol.phases, 7);
    assert_true(study->question.variance == 2);
    netdp_study_free(study);
    assert_round_trip(NULL, 0);
    char *text = get(study_path);
    assert_non_null(strstr(text, "  phases: 7\n"));
    netdp_i_free(text);
    /* Variants may go from one to the other. */
    put_model("{kind: muffliato-sgd, rounds: auto, phases: 7}\nvariants:\n"
              "- {protocol: {rounds: 60, inner: 6}}\n- {protocol: {kind: gossip-sgd, rounds: 9}}");
    assert_round_trip(NULL, 0);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation[0].study->protocol.phases, 0);
    assert_int_equal(study->variation[0].study->question.settings.inner, 6);
    assert_int_equal(study->variation[1].study->protocol.phases, 0);
    netdp_study_free(study);
    put_model("{kind: muffliato-sgd, rounds: 60, inner: 6}\nvariants:\n"
              "- {protocol: {rounds: auto, phases: 4}}");
    assert_round_trip(NULL, 0);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation[0].study->protocol.phases, 4);
    assert_int_equal(study->variation[0].study->question.settings.inner, 1);
    netdp_study_free(study);
    put_with(0, "");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_ok(netdp_study_write(study, other_path, &error));
    text = get(other_path);
    assert_null(strstr(text, "phases"));
    netdp_i_free(text);
    netdp_study_free(study);
}

/* stdout and stderr go to a file while what is tested must be silent. */
static int silence_out = -1, silence_err = -1, silence_file = -1;

static void silence_begin(void)
{
    fflush(stdout);
    fflush(stderr);
    silence_out = dup(1);
    silence_err = dup(2);
    silence_file = open(other_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(silence_file, 1);
    dup2(silence_file, 2);
}

static int64_t silence_end(void)
{
    struct stat shape = {0};
    fflush(stdout);
    fflush(stderr);
    fstat(silence_file, &shape);
    dup2(silence_out, 1);
    dup2(silence_err, 2);
    close(silence_out);
    close(silence_err);
    close(silence_file);
    return (int64_t)shape.st_size;
}

/* One line of printable characters. */
static void assert_clean(const char *text)
{
    assert_true(text[0] != '\0');
    for (const char *at = text; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
}

static void assert_refused(const char *const *set, size_t count, const char *fragment)
{
    netdp_error error = {0};
    netdp_study *study = NULL;
    int64_t before = netdp_i_memory_live();
    silence_begin();
    netdp_status status = netdp_study_read(study_path, set, count, &study, &error);
    int64_t printed = silence_end();
    if (status != NETDP_INVALID || strstr(error.text, fragment) == NULL)
        fail_msg("status %d: '%s', want '%s'", (int)status, error.text, fragment);
    assert_int_equal(printed, 0);
    assert_null(study);
    assert_int_equal(error.status, NETDP_INVALID);
    assert_int_equal(netdp_i_memory_live(), before);
    assert_clean(error.text);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        int line; /* of `least`, 0: at the end */
        const char *text;
        const char *fragment;
    } bad[] = {
        /* unknown keys, at every level */
        {12, "  epsilonn: 1\n",
         "a.yaml:12: unknown key 'epsilonn' in privacy; did you mean 'epsilon'?"},
        {13, "  delta: 1\n  repeat: 2\n",
         ":14: unknown key 'repeat' in privacy; did you mean 'output.repeat'?"},
        {0, "privcy: {}\n", ":14: unknown key 'privcy'; did you mean 'privacy'?"},
        {0, "sede: 1\n", ":14: unknown key 'sede'; did you mean 'seed'?"},
        {0, "epsilon: 1\n", ":14: unknown key 'epsilon'; did you mean 'privacy.epsilon'?"},
        {0, "privacy.epsilon: 1\n", ":14: unknown key 'privacy.epsilon'; did you mean"},
        {4, "  source: meters\n  columns:\n  - name: h0\n  - nam: h1\n",
         ":7: unknown key 'nam' in data.columns; did you mean 'name'?"},
        {0, "\"a\\nb\\e[31m\": 1\n", ":14: unknown key 'a\\x0ab\\x1b[31m'; did you mean"},
        {0, "<<: {a: b}\n", ":14: unknown key '<<'"},
        {0, "\"\": 1\n", ":14: unknown key ''"},
        {6, "  kind: mean\n  label: y\n", ":7: unknown key 'label' in task"},
        {6, "  kind: mean\n  parameters: 3\n",
         "task.parameters: does not apply to task mean; leave it out"},
        {6, "  kind: own\n  parameters: 3\n",
         "data.source: does not apply to task own; leave it out"},
        /* twice */
        {12, "  epsilon: 1\n  epsilon: 1\n", ":13: privacy.epsilon is there twice; keep one"},
        {0, "data: {}\n", ":14: data is there twice"},
        {7, "  bounds: [0, 1]\n  bounds: [0, 1]\n", ":8: task.bounds is there twice"},
        {4, "  source: meters\n  columns: [{name: a, name: b}]\n",
         ":5: data.columns.1.name is there twice"},
        /* shapes */
        {12, "  epsilon: {a: 1}\n", ":12: privacy.epsilon has the wrong shape; give it a number"},
        {12, "  epsilon: [1]\n", ":12: privacy.epsilon has the wrong shape"},
        {0, "output: 3\n", ":14: output has the wrong shape; give it keys below it"},
        {0, "output:\n", ":14: output has the wrong shape"},
        {0, "output: [1, 2]\n", ":14: output has the wrong shape"},
        {7, "  bounds: 5\n", ":7: task.bounds has the wrong shape; give it finite numbers [low"},
        {7, "  bounds: [1]\n", ":7: task.bounds has the wrong shape"},
        {7, "  bounds: [1, 2, 3]\n", ":7: task.bounds has the wrong shape"},
        {7, "  bounds: [[1], 2]\n", ":7: task.bounds has the wrong shape"},
        {4, "  source: meters\n  columns: h0\n", ":5: data.columns has the wrong shape"},
        {4, "  source: meters\n  columns: [h0]\n",
         ":5: data.columns.1 has the wrong shape; give it a list"},
        {4, "  source: meters\n  columns: [{name: [h0]}]\n",
         ":5: data.columns.1.name has the wrong"},
        {4, "  source: meters\n  columns: [{name: h0, bounds: 1}]\n",
         ":5: data.columns.1.bounds has the wrong shape; give it a pair [low, high]"},
        {0, "? [a, b]\n: c\n", ":14: a key must be a word"},
        {0, "title: [[[[[[[[[[[[1]]]]]]]]]]]]\n", ":14: nested deeper"},
        /* numbers */
        {12, "  epsilon: 1.5abc\n", ":12: privacy.epsilon: '1.5abc' is not a number; give"},
        {12, "  epsilon: nan\n", ":12: privacy.epsilon: 'nan' is not a number"},
        {12, "  epsilon: .nan\n", ":12: privacy.epsilon: '.nan' is not a number"},
        {12, "  epsilon: -1\n",
         ":12: privacy.epsilon: '-1' is out of range; give a number above 0"},
        {12, "  epsilon: 0\n", ":12: privacy.epsilon: '0' is out of range"},
        {12, "  epsilon: 1e-400\n", ":12: privacy.epsilon: '1e-400' is out of range"},
        {12, "  epsilon: 1e400\n", ":12: privacy.epsilon: '1e400' is out of range"},
        {12, "  epsilon: -inf\n", ":12: privacy.epsilon: '-inf' is not a number"},
        {12, "  epsilon: infinity\n", "'infinity' is not a number"},
        {12, "  epsilon: 0x10\n", "'0x10' is not a number"},
        {12, "  epsilon: '1 '\n", "'1 ' is not a number"},
        {12, "  epsilon: ' 1'\n", "' 1' is not a number"},
        {12, "  epsilon: 1,5\n", "'1,5' is not a number"},
        {12, "  epsilon:\n", "'' is not a number"},
        {12, "  epsilon: \"1\\n2\"\n", "'1\\x0a2' is not a number"},
        {13, "  delta: 0\n", ":13: privacy.delta: '0' is out of range; give a number above 0 and"},
        {13, "  delta: 1\n", ":13: privacy.delta: '1' is out of range"},
        {13, "  delta: inf\n", ":13: privacy.delta: 'inf' is out of range"},
        {13, "  delta: 1e-6\n  dither: inf\n", ":14: privacy.dither: 'inf' is out of range"},
        {13, "  delta: 1e-6\n  dither: -0.1\n", ":14: privacy.dither: '-0.1' is out of range"},
        {7, "  bounds: [5, 0]\n", ":7: task.bounds: [5, 0] is not a range"},
        {7, "  bounds: [0, 0]\n", ":7: task.bounds: [0, 0] is not a range"},
        {7, "  bounds: [0, inf]\n", ":7: task.bounds: 'inf' is not a finite number"},
        {7, "  bounds: [-1.7e308, 1.7e308]\n",
         ":7: task.bounds: '-1.7e308' is not a finite number up to 1e100"},
        {7, "  clip: 0\n", ":7: task.clip: '0' is out of range"},
        {7, "  clip: inf\n", ":7: task.clip: 'inf' is out of range"},
        {10, "  rounds: 0\n", ":10: protocol.rounds: '0' is out of range"},
        {10, "  rounds: 1000000001\n", ":10: protocol.rounds: '1000000001' is out of range"},
        {10, "  rounds: 1.5\n", ":10: protocol.rounds: '1.5' is not a whole number"},
        {10, "  rounds: -3\n", ":10: protocol.rounds: '-3' is not a whole number"},
        {10, "  rounds: automatic\n", ":10: protocol.rounds: 'automatic' is not a whole number"},
        {10, "  rounds: 99999999999999999999999\n",
         ":10: protocol.rounds: '99999999999999999999999'"},
        {0, "output: {repeat: 1000001}\n", ":14: output.repeat: '1000001' is out of range"},
        {0, "output: {every: 0}\n", ":14: output.every: '0' is out of range"},
        {0, "output: {every: auto}\n", ":14: output.every: 'auto' is not a whole number"},
        {0, "seed: 18446744073709551616\n", ":14: seed: '18446744073709551616' is out of range"},
        {0, "seed: 1e3\n", ":14: seed: '1e3' is not a whole number"},
        {0, "seed: +1\n", ":14: seed: '+1' is not a whole number"},
        /* words and texts */
        {13, "  delta: 1e-6\n  over: most\n", ":14: privacy.over: 'most' is not known here; give"},
        {13, "  delta: 1e-6\n  sees: Sum\n", ":14: privacy.sees: 'Sum' is not known here"},
        {6, "  kind: median\n",
         ":6: task.kind: 'median' is not known here; give mean, sum, histogram, logistic, "
         "ridge, softmax, own, account, realised or claim"},
        {6, "  kind: logistic\n", ":9: protocol.kind: averaging does not do task logistic"},
        {9, "  kind: walks\n",
         ":9: protocol.kind: 'walks' is not known here; give averaging, random-averaging, "
         "gossip-sgd, async-gossip-sgd, muffliato-sgd, walk, weighted-walk, ring-sum, "},
        {4, "  source: meters\n  per_node: two\n", ":5: data.per_node: 'two' is not known here"},
        {4, "  source: houzes\n",
         ":4: data.source: no data set has the name 'houzes'; did you mean "
         "'houses'?"},
        {4, "  source: facebook-1912\n",
         ":4: data.source: 'facebook-1912' is a graph; use graph: "
         "{data: facebook/1912.edges}"},
        {2, "  family: ''\n", ":2: graph.family: is empty; give a family"},
        {4, "  source: meters\n  columns: [{bounds: [0, 1]}]\n",
         ":5: data.columns.1.bounds: has no name"},
        {4, "  source: meters\n  columns:\n  - {name: a}\n  - {}\n",
         ":7: data.columns.2: has no name"},
        {4, "  source: meters\n  columns: [{name: a, bounds: [0, x]}]\n",
         ":5: data.columns.1.bounds: 'x' is not a finite number"},
        /* missing, or too many */
        {12, "", ":11: privacy.epsilon: is missing; give a number above 0, or inf"},
        {13, "", ":11: privacy.delta: is missing"},
        {10, "", ":8: protocol.rounds: is missing"},
        {9, "", ":8: protocol.kind: is missing"},
        {6, "", ":5: task.kind: is missing"},
        {7, "", ":5: task.bounds: values must have a range; give bounds: [low, high] or clip"},
        {4, "  source: meters\n  csv: a.csv\n", ":5: data.csv: excludes data.source; keep one of"},
        {4, "  per_node: one\n",
         ":3: data.synthetic: one of data.source, data.csv, data.synthetic is missing"},
        {2, "  family: ring 3\n  data: a\n", ":3: graph.data: excludes graph.family"},
        {2, "  giant_component: true\n",
         ":1: graph.data: one of graph.family, graph.file, graph.data"},
        {2, "  family: ring 3\n  giant_component: true\n",
         ":3: graph.giant_component: applies to graph.file and graph.data only"},
        {7, "  bounds: [0, 1]\n  clip: 1\n", ":8: task.clip: excludes task.bounds"},
        {7, "  clip: 1\ndata: {source: a, columns: [{name: a, bounds: [0, 1]}]}\n",
         ":8: data is there twice"},
        /* YAML */
        {12, "  epsilon: \"1\n", "not YAML: found unexpected end of stream"},
        {12, "\tepsilon: 1\n", ":12: not YAML: found character that cannot start any token"},
        {12, "  epsilon: 1\n delta: 1\n", ":13: not YAML:"},
        {0, "output: {every: 1\n", "not YAML: did not find expected ',' or '}'"},
        {0, "a: b: c\n", ":14: not YAML: mapping values are not allowed in this context"},
        {0, "title: \x01\n", ":14: not YAML: control characters are not allowed"},
        {0, "title: \xff\n", ":14: not YAML: invalid leading UTF-8 octet"},
        {0, "title: \"a\\0b\"\n", ":14: a text holds a NUL"},
        {0, "\"title\\0\": x\n", ":14: a text holds a NUL"},
        {0, "---\ntitle: x\n", ":14: a second document begins"},
        {12, "  epsilon: &e 1\n  dither: *e\n", ":13: an alias (*name); write the value itself"},
        {0, "title: *nowhere\n", ":14: an alias"},
        {1, "%YAML 9.9\n---\ngraph:\n", "not YAML"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_with(bad[i].line, bad[i].text);
        assert_refused(NULL, 0, bad[i].fragment);
    }
}

static void test_bad_variants(void **state)
{
    (void)state;
    static const struct {
        const char *entries;
        const char *fragment;
    } bad[] = {
        /* shapes and keys */
        {"  []\n", "a.yaml:14: variants: is an empty list; give one or leave it out"},
        {"  a: b\n", ":14: variants has the wrong shape; give it a list such as [{name: K=5"},
        {"  - a\n", ":15: variants.1 has the wrong shape; give it keys below it"},
        {"  -\n", ":15: variants.1 has the wrong shape"},
        {"  - {name: [a]}\n", ":15: variants.1.name has the wrong shape; give it one text"},
        {"  - {}\n  - {graph: {}, graf: {}}\n",
         ":16: unknown key 'graf' in variants.2; did you mean 'graph'?"},
        {"  - {nam: a}\n", ":15: unknown key 'nam' in variants.1; did you mean 'name'?"},
        {"  - {inner: 5}\n", "unknown key 'inner' in variants.1; did you mean 'protocol.inner'?"},
        {"  - {}\n  - protocol:\n      rounds: 2\n      iner: 5\n",
         ":18: unknown key 'iner' in variants.2.protocol; did you mean 'inner'?"},
        {"  - {variants: []}\n", ":15: unknown key 'variants' in variants.1"},
        {"  - {data: {columns: [{name: a, bonds: [0, 1]}]}}\n",
         ":15: unknown key 'bonds' in variants.1.data.columns.1; did you mean 'bounds'?"},
        {"  - {privacy: {epsilon: 1, epsilon: 2}}\n",
         ":15: variants.1.privacy.epsilon is there twice; keep one"},
        {"  - {task: {bounds: [1]}}\n",
         ":15: variants.1.task.bounds has the wrong shape; give it finite numbers [low"},
        {"  - {data: {columns: [{name: a, bounds: 1}]}}\n",
         ":15: variants.1.data.columns.1.bounds has the wrong shape; give it a pair"},
        {"  - {privacy: 3}\n", ":15: variants.1.privacy has the wrong shape; give it keys below"},
        {"  - {privacy: {epsilon: [1]}}\n",
         ":15: variants.1.privacy.epsilon has the wrong shape; give it a number above 0"},
        /* values */
        {"  - {}\n  - privacy:\n      epsilon: -1\n",
         ":17: variants.2.privacy.epsilon: '-1' is out of range; give a number above 0"},
        {"  - {protocol: {kind: walks}}\n", ":15: variants.1.protocol.kind: 'walks' is not known"},
        {"  - {protocol: {kind: walk}}\n", ":15: variants.1.task.step: is missing; a walk steps"},
        {"  - {protocol: {cap: 3}}\n",
         ":15: variants.1.protocol.cap: does not apply to averaging; leave it out"},
        {"  - {protocol: {inner: 5}}\n",
         ":15: variants.1.protocol.inner: does not apply to averaging; leave it out"},
        {"  - {graph: {family: ring 3, file: a}}\n",
         ":15: variants.1.graph.file: excludes graph.family; keep one"},
        {"  - {graph: {giant_component: true}}\n",
         ":15: variants.1.graph.giant_component: applies to graph.file and graph.data only"},
        {"  - {task: {clip: 1}, data: {columns: [{name: a, bounds: [0, 1]}]}}\n",
         ":15: variants.1.task.clip: excludes bounds of columns"},
        {"  - {data: {columns: [{name: a, bounds: [1, 0]}]}}\n",
         ":15: variants.1.data.columns.1.bounds: [1, 0] is not a range"},
        {"  - {task: {kind: logistic}}\n",
         ":15: variants.1.task.kind: a mean, a model, an account and a claim"},
        {"  - {protocol: {kind: gossip-sgd}}\n",
         ":15: variants.1.protocol.kind: gossip-sgd does not do task mean; give averaging, "
         "random-averaging or walk"},
        /* of the whole study */
        {"  - {seed: 2}\n", ":15: variants.1.seed: is one for the whole study; move it out"},
        {"  - {title: a}\n", ":15: variants.1.title: is one for the whole study"},
        {"  - {output: {repeat: 2}}\n", ":15: variants.1.output.repeat: is one for the whole"},
        {"  - output:\n      every: 2\n", ":16: variants.1.output.every: is one for the whole"},
        {"  - {task: {central_steps: 9}}\n", ":15: variants.1.task.central_steps: is one for"},
        /* names */
        {"  - {name: central}\n", ":15: variants.1.name: 'central' is the name of a baseline"},
        {"  - {name: local}\n", ":15: variants.1.name: 'local' is the name of a baseline"},
        {"  - {name: a}\n  - {name: b}\n  - {name: a}\n",
         ":17: variants.3.name: variants.1 has the name 'a' too; give another"},
        {"  - {name: variant 2}\n  - {}\n", ":16: variants.2.name: variants.1 has the name"},
        {"  - {name: ''}\n", ":15: variants.1.name: is empty"},
        {"  - {name: \"a,b\"}\n", ":15: variants.1.name: 'a,b' holds a comma, a quote"},
        {"  - {name: \"it's\"}\n", "'it's' holds a comma, a quote or what does not print"},
        {"  - {name: 'a\"b'}\n", ":15: variants.1.name: 'a\"b' holds a comma, a quote"},
        {"  - {name: \"a\\nb\"}\n", "'a\\x0ab' holds a comma, a quote or what does not print"},
        {"  - {name: \"\\u2028\"}\n", "holds a comma, a quote or what does not print"},
        {"  - {name: 12345678901234567890123456789012345678901}\n",
         ":15: variants.1.name: has 41 bytes; give at most 40"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_variants(bad[i].entries);
        assert_refused(NULL, 0, bad[i].fragment);
    }
    char many[101 * 5 + 1] = "";
    for (int i = 0; i < 101; i++)
        strcpy(many + 5 * i, " - {}");
    for (int i = 0; i < 101; i++)
        many[5 * i] = '\n';
    put_with(0, "variants:");
    FILE *stream = fopen(study_path, "a");
    assert_non_null(stream);
    fprintf(stream, "%s\n", many);
    assert_int_equal(fclose(stream), 0);
    assert_refused(NULL, 0, ":14: variants: has more than 100 entries; give at most 100");
    static const char *const set[] = {"variants=1"};
    put_variants("  - {}\n");
    assert_refused(set, 1, "--set variants=1: unknown key");
    /* What is wrong in the base is told of the base. */
    static const char *const base[] = {"protocol.rounds=0"};
    assert_refused(base, 1, "--set protocol.rounds=0: '0' is out of range");
}

/* A walk's keys and their defaults, of a model and of a mean; written back as they were. */
static void test_walks(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    put_model("{kind: walk, rounds: 200}");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_true(netdp_i_study_walks(study));
    assert_string_equal(study->question.start, "uniform");
    assert_true(study->question.settings.burn_in == 0 && study->question.settings.cap == 0 &&
                study->question.tokens == 1 && !study->question.settings.release);
    assert_true(study->task.radius == 0 && study->privacy.observers == 0);
    netdp_study_free(study);
    static const char *const set[] = {"task.radius=2.5", "privacy.observers=4"};
    put_model(
        "{kind: walk, rounds: 200, start: 7, burn_in: 5, cap: 13, tokens: 2, release: final}");
    assert_round_trip(set, 2);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_string_equal(study->question.start, "7");
    assert_true(study->question.settings.burn_in == 5 && study->question.settings.cap == 13 &&
                study->question.tokens == 2 && study->question.settings.release);
    assert_true(study->task.radius == 2.5 && study->privacy.observers == 4);
    netdp_study_free(study);
    static const char *const mean[] = {"protocol.kind=walk", "task.step=1"};
    put_with(0, "");
    assert_round_trip(mean, 2);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_true(netdp_i_study_walks(study) && !netdp_i_study_learns(study));
    assert_true(study->task.step == 1);
    netdp_study_free(study);
}

/* Walks and gossip side by side: neither inherits what means nothing to it. */
static void test_walks_beside_gossip(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    static const char *const set[] = {"task.radius=3"};
    put_model("{kind: walk, rounds: 200, cap: 13, start: 3}\nvariants:\n- {}\n"
              "- {protocol: {kind: muffliato-sgd, rounds: 20, inner: 2}, privacy: {dither: 0.3}}");
    assert_round_trip(set, 1);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    const netdp_study *walk = study->variation[0].study, *gossip = study->variation[1].study;
    assert_true(walk->question.settings.cap == 13 && walk->task.radius == 3 &&
                walk->task.step == 1);
    assert_true(gossip->question.settings.cap == 0 && gossip->task.radius == 0 &&
                gossip->task.step == 1);
    assert_string_equal(gossip->question.start, "uniform");
    assert_true(gossip->question.settings.noise.dither == 0.3);
    netdp_study_free(study);
    static const char *const sum[] = {"privacy.sees=sum", "privacy.dither=0.5",
                                      "protocol.accelerate=true"};
    put_with(0, "variants:\n- {protocol: {kind: walk, cap: 2}, task: {step: 0.5}}\n- {}\n");
    assert_round_trip(sum, 3);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    walk = study->variation[0].study;
    gossip = study->variation[1].study;
    assert_int_equal(walk->question.sees, NETDP_SEES_NEIGHBOURS);
    assert_true(walk->question.settings.noise.dither == 0.01 &&
                !walk->question.settings.accelerate);
    assert_int_equal(gossip->question.sees, NETDP_SEES_SUM);
    assert_true(gossip->task.step == 0 && gossip->question.settings.accelerate);
    netdp_study_free(study);
}

/* A file of targets is beside the study, whatever folder the study is written into. */
static void test_targets_of_a_walk(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    char path[128], want[160];
    static const char *const set[] = {"protocol.kind=walk", "task.step=1"};
    snprintf(path, sizeof path, "%s/mine.edges", folder);
    snprintf(want, sizeof want, "hastings:%s", path);
    put(path, "1\n", 2);
    put_with(0, "mixing: {weights: 'hastings:mine.edges'}\n");
    assert_round_trip(set, 2);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_string_equal(study->mixing.weights, want);
    netdp_study_free(study);
    unlink(path);
    put_with(0, "mixing: {weights: 'hastings:degree'}\n");
    assert_ok(netdp_study_read(study_path, set, 2, &study, &error));
    assert_string_equal(study->mixing.weights, "hastings:degree");
    netdp_study_free(study);
}

static void test_bad_walks(void **state)
{
    (void)state;
    static const struct {
        const char *protocol, *more, *fragment;
    } bad[] = {
        {"{kind: walk, rounds: auto}", NULL,
         ":5: protocol.rounds: auto applies to averaging, random-averaging and, in a study, "
         "muffliato-sgd; give a number"},
        {"{kind: walk, rounds: 9, inner: 3}", NULL,
         ":5: protocol.inner: does not apply to walk; leave it out"},
        {"{kind: walk, rounds: 9, accelerate: true}", NULL,
         ":5: protocol.accelerate: does not apply to walk; leave it out"},
        {"{kind: walk, rounds: 9, phases: 2}", NULL, ":5: protocol.phases: does not apply to walk"},
        {"{kind: walk, rounds: 9, cap: 0}", NULL,
         ":5: protocol.cap: '0' is out of range; give a whole number from 1, or none"},
        {"{kind: walk, rounds: 9, tokens: 0}", NULL, ":5: protocol.tokens: '0' is out of range"},
        {"{kind: walk, rounds: 9, burn_in: -1}", NULL,
         ":5: protocol.burn_in: '-1' is not a whole number; give a whole number from 0"},
        {"{kind: walk, rounds: 9, release: all}", NULL,
         ":5: protocol.release: 'all' is not known here; give none or final"},
        {"{kind: walk, rounds: 9, start: ''}", NULL, ":5: protocol.start: is empty; give uniform"},
        {"{kind: walk, rounds: 9, burnin: 1}", NULL,
         ":5: unknown key 'burnin' in protocol; did you mean 'burn_in'?"},
        {"{kind: walk, rounds: 9}", "privacy.sees=sum",
         "--set privacy.sees=sum: does not apply to walk; leave it out"},
        {"{kind: walk, rounds: 9}", "privacy.own_noise=counts",
         "--set privacy.own_noise=counts: does not apply to walk; leave it out"},
        {"{kind: walk, rounds: 9}", "privacy.dither=0.1",
         "--set privacy.dither=0.1: does not apply to walk; leave it out"},
        {"{kind: walk, rounds: 9}", "privacy.end_dither=0.2",
         "--set privacy.end_dither=0.2: does not apply to walk; leave it out"},
        {"{kind: walk, rounds: 9}", "task.radius=0", "--set task.radius=0: '0' is out of range"},
        {"{kind: walk, rounds: 9}", "privacy.observers=0", "'0' is out of range; give a whole"},
        {"{kind: gossip-sgd, rounds: 9, cap: 3}", NULL,
         ":5: protocol.cap: does not apply to gossip-sgd; leave it out"},
        {"{kind: gossip-sgd, rounds: 9, start: 3}", NULL,
         ":5: protocol.start: does not apply to gossip-sgd; leave it out"},
        {"{kind: gossip-sgd, rounds: 9, tokens: 2}", NULL, ":5: protocol.tokens: does not apply"},
        {"{kind: gossip-sgd, rounds: 9, burn_in: 2}", NULL, ":5: protocol.burn_in: does not apply"},
        {"{kind: gossip-sgd, rounds: 9, release: final}", NULL,
         ":5: protocol.release: does not apply to gossip-sgd; leave it out"},
        {"{kind: gossip-sgd, rounds: 9}", "task.radius=1",
         "--set task.radius=1: does not apply to gossip-sgd; leave it out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_model(bad[i].protocol);
        assert_refused(&bad[i].more, bad[i].more != NULL, bad[i].fragment);
    }
    static const char *const mean[] = {"protocol.kind=walk", "task.step=1.5"};
    put_with(0, "");
    assert_refused(mean, 1, ":5: task.step: is missing; a walk steps towards each value");
    assert_refused(mean, 2, "--set task.step=1.5: 1.5 goes beyond each value; give a part above 0");
    assert_refused(&mean[1], 1, "--set task.step=1.5: does not apply to task mean; leave it out");
}

static void test_bad_phases(void **state)
{
    (void)state;
    static const struct {
        const char *protocol, *fragment;
    } bad[] = {
        {"{kind: muffliato-sgd, rounds: auto}", ":5: protocol.phases: is missing; rounds: auto"},
        {"{kind: gossip-sgd, rounds: auto}",
         ":5: protocol.rounds: auto applies to averaging, random-averaging and, in a study, "
         "muffliato-sgd; give a number"},
        {"{kind: gossip-sgd, rounds: auto, phases: 3}", ":5: protocol.rounds: auto applies to"},
        {"{kind: gossip-sgd, rounds: 9, phases: 3}",
         ":5: protocol.phases: does not apply to gossip-sgd; leave it out"},
        {"{kind: muffliato-sgd, rounds: 60, phases: 3}",
         ":5: protocol.phases: does not apply to muffliato-sgd with a number of rounds; leave it "
         "out"},
        {"{kind: muffliato-sgd, rounds: auto, phases: 3, inner: 4}",
         ":5: protocol.inner: does not apply to muffliato-sgd with rounds: auto; leave it out"},
        {"{kind: muffliato-sgd, rounds: 60, variance: 1}",
         ":5: protocol.variance: goes with rounds: auto; leave it out"},
        {"{kind: muffliato-sgd, rounds: auto, phases: 0}", ":5: protocol.phases: '0' is out of"},
        {"{kind: muffliato-sgd, rounds: auto, phases: auto}",
         ":5: protocol.phases: 'auto' is not a whole number; give a whole number from 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_model(bad[i].protocol);
        assert_refused(NULL, 0, bad[i].fragment);
    }
    static const char *const set[] = {"protocol.phases=3"};
    put_with(0, "");
    assert_refused(set, 1, "--set protocol.phases=3: does not apply to averaging; leave it out");
}

static void test_clip_and_column_bounds_exclude_each_other(void **state)
{
    (void)state;
    static const char *const set[] = {"task.clip=1"};
    put_with(4, "  source: meters\n  columns: [{name: h0, bounds: [0, 1]}]\n");
    assert_refused(set, 1, "--set task.clip=1: excludes bounds of columns");
}

static void test_files_that_are_no_studies(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t count;
        const char *fragment;
    } bad[] = {
        {"", 0, "a.yaml: is empty; a study has graph"},
        {"\n\n", 2, "is empty"},
        {"# only a comment\n", 17, "is empty"},
        {"\xEF\xBB\xBF", 3, "is empty"},
        {"x\n", 2, ":1: a study is made of keys"},
        {"- a\n- b\n", 8, ":1: a study is made of keys such as graph: and privacy:, not a list"},
        {"[]", 2, "not a list"},
        {"{}", 2, "a.yaml: task.kind: is missing; give mean"},
        {"---\n...\n", 8, ":2: a study is made of keys"},
        {"gra\0ph: x\n", 10, "holds a NUL byte"},
        {"\xff\xfe\x01\x02\x03", 5, "not YAML"},
        {"\x7f"
         "ELF\x02\x01\x01",
         7, "not YAML"},
        {"\x89PNG\r\n\x1a\n", 8, "not YAML"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(study_path, bad[i].bytes, bad[i].count);
        assert_refused(NULL, 0, bad[i].fragment);
    }
}

static void test_unreadable_files(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    assert_fails(netdp_study_read("/nonexistent/a.yaml", NULL, 0, &study, &error),
                 NETDP_ENVIRONMENT);
    assert_fails(netdp_study_read(folder, NULL, 0, &study, &error), NETDP_ENVIRONMENT);
    put_with(0, "");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_fails(netdp_study_write(study, "/dev/full", &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_study_write(study, "/nonexistent/a.yaml", &error), NETDP_ENVIRONMENT);
    netdp_study_free(study);
}

/* Long lines, deep brackets, many keys, many aliases: a quick and clean refusal. */
static void test_huge_files(void **state)
{
    (void)state;
    static const struct {
        const char *before, *unit;
        size_t count;
        const char *fragment;
    } bad[] = {
        {"", "x", 1000000, ":1: a study is made of keys"},
        {"title: ", "x", 1000000, ":1: title: has 1000000 bytes; give at most 4096"},
        {"title: ", "[", 1000000, ":1: nested deeper"},
        {"", "{", 1000000, ""},
        {"", "- ", 500000, "not a list"},
        {"", "a: ", 300000, ""},
        {"", "? ", 500000, ""},
        {"", "k: 1\n", 200000, ":1: unknown key 'k'"},
        {"title: &a x\nseed: [", "*a,", 300000, ":2: an alias"},
        {"data: {columns: [", "{name: a},", 100000, ""},
        {"", "\n", 1000000, "is empty"},
        {"", "#x\n", 1000000, "a study file has at most"},
        {"", "\"", 1000000, ""},
        {"? ", "x", 1000000, ":1: unknown key 'xxx"},
        {"variants: [", "{},", 300000, ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE *stream = fopen(study_path, "wb");
        fputs(bad[i].before, stream);
        for (size_t k = 0; k < bad[i].count; k++)
            fputs(bad[i].unit, stream);
        fclose(stream);
        assert_refused(NULL, 0, bad[i].fragment);
    }
}

static void test_bad_sets(void **state)
{
    (void)state;
    static const struct {
        const char *set, *fragment;
    } bad[] = {
        {"privacy.epsilonn=2",
         "--set privacy.epsilonn=2: unknown key; did you mean 'privacy.epsilon'?"},
        {"epsilon=2", "--set epsilon=2: unknown key; did you mean 'privacy.epsilon'?"},
        {"graph.famly=ring 3", "did you mean 'graph.family'?"},
        {"=2", "unknown key"},
        {"", "no value; write --set key=value"},
        {"privacy.epsilon", "--set privacy.epsilon: no value; write --set key=value"},
        {"privacy.epsilon=", "'' is not a number"},
        {"privacy.epsilon=1.5abc", "--set privacy.epsilon=1.5abc: '1.5abc' is not a number; give"},
        {"privacy.epsilon=-1", "'-1' is out of range"},
        {"task.bounds=1", "'' is not a finite number"},
        {"task.bounds=", "'' is not a finite number"},
        {"task.bounds=[1,2,3]", "'2,3' is not a finite number"},
        {"task.bounds=2,1", "[2, 1] is not a range"},
        {"data.columns=[]", "a list of columns cannot be set; edit the study file"},
        {"graph.family=", "--set graph.family=: is empty; give a family"},
        {"graph.giant_component=true", "applies to graph.file and graph.data only"},
        {"title=\xff", "--set title=\\xff: not UTF-8"},
        {"a\nb=\x1b[31m", "--set a\\x0ab=\\x1b[31m: unknown key"},
    };
    put_with(0, "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(&bad[i].set, 1, bad[i].fragment);
    /* The file's own value is named with its line although another key was set. */
    static const char *const good[] = {"privacy.delta=0.1"};
    put_with(12, "  epsilon: x\n");
    assert_refused(good, 1, "a.yaml:12: privacy.epsilon: 'x' is not a number");
}

/* 1000 studies with 1 to 8 wrong bytes: read or refused, never anything else. */
static void test_damaged_files(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(3, NETDP_FOR_TEST, 0, 0);
    static const char likely[] = "{}[]:,-?&*!|>'\"%@`#\n \t.0eE+\\";
    int64_t before = netdp_i_memory_live();
    for (int i = 0; i < 1000; i++) {
        char text[sizeof least];
        memcpy(text, least, sizeof least);
        for (uint64_t k = netdp_stream_below(&stream, 8) + 1; k > 0; k--) {
            uint64_t bits = netdp_stream_bits(&stream);
            text[netdp_stream_below(&stream, sizeof least - 1)] =
                bits % 2 == 0 ? likely[(bits >> 1) % (sizeof likely - 1)] : (char)(bits >> 8);
        }
        put(study_path, text, sizeof text - 1);
        netdp_error error = {0};
        netdp_study *study = NULL;
        netdp_status status = netdp_study_read(study_path, NULL, 0, &study, &error);
        if (status != NETDP_OK) {
            assert_int_equal(status, NETDP_INVALID);
            assert_clean(error.text);
        }
        netdp_study_free(study);
        assert_int_equal(netdp_i_memory_live(), before);
    }
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    static const char *const set[] = {"title=new", "task.bounds=[0,1]", "graph.file=a.edges"};
    netdp_error error = {0};
    put_with(4, "  source: meters\n  columns: [{name: a, bounds: [0, 1]}, {name: b}]\n"
                "variants: [{name: v, data: {columns: [{name: c}]}}, {protocol: {rounds: 5}}]\n");
    netdp_study *study = NULL;
    for (sweep s = {0}; sweep_next(&s);) {
        study = NULL;
        s.status = netdp_study_read(study_path, set, 3, &study, &error);
        assert_true((study != NULL) == (s.status == NETDP_OK));
        netdp_study_free(study);
    }
    assert_ok(netdp_study_read(study_path, set, 3, &study, &error));
    for (sweep s = {0}; sweep_next(&s);)
        s.status = netdp_study_write(study, other_path, &error);
    netdp_study_free(study);
}

static const char account[] = "graph: {family: ring 12}\n"
                              "task: {kind: account}\n"
                              "protocol: {kind: averaging, rounds: 20}\n"
                              "privacy: {noise: 2, as: rdp:2, from: all, to: '3,5'}\n";

static void put_account(const char *more)
{
    char text[4096];
    const int used = snprintf(text, sizeof text, "%s%s", account, more);
    put(study_path, text, (size_t)used);
}

/* An account has neither data nor output; a sweep has each variant once for every value. */
static void test_accounts_and_sweeps(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    static const struct {
        const char *name, *curve, *at, *family;
        int64_t rounds;
    } want[] = {{"ring at 2", "ring", "2", "ring 12", 2},
                {"ring at auto", "ring", "auto", "ring 12", 0},
                {"grid at 2", "grid", "2", "grid 3 4", 2},
                {"grid at auto", "grid", "auto", "grid 3 4", 0}};
    put_account("sweep: {key: protocol.rounds, values: \" 2|\tauto \"}\n"
                "figure: {kind: sweep, x: nodes, y: 'loss, noise', log: xy, seconds: 0.5,\n"
                "         paper: 'Z, 1', says: 'it is: so'}\n"
                "variants: [{name: ring}, {name: grid, graph: {family: grid 3 4}}]\n");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_true(netdp_i_study_accounts(study));
    assert_true(study->privacy.noise == 2 && study->privacy.epsilon == 0);
    assert_string_equal(study->privacy.as, "rdp:2");
    assert_string_equal(study->privacy.to, "3,5");
    assert_string_equal(study->figure.kind, "sweep");
    assert_string_equal(study->figure.says, "it is: so");
    assert_true(study->figure.seconds == 0.5);
    assert_int_equal(study->variation_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(study->variation[i].name, want[i].name);
        assert_string_equal(study->variation[i].curve, want[i].curve);
        assert_string_equal(study->variation[i].at, want[i].at);
        assert_string_equal(study->variation[i].study->graph.family, want[i].family);
        assert_int_equal(study->variation[i].study->protocol.rounds, want[i].rounds);
    }
    netdp_study_free(study);
    assert_round_trip(NULL, 0);
    put_account("sweep: {key: privacy.noise, values: 0.1 | 1e3}\n");
    assert_round_trip(NULL, 0);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation_count, 2);
    assert_string_equal(study->variation[1].name, "all at 1e3");
    assert_true(study->variation[1].study->privacy.noise == 1000);
    netdp_study_free(study);
    /* A value that a CSV field could not hold is spelt without it, in the name alone. */
    put_account("sweep: {key: graph.family, values: 'stochastic-block 5,5 0.9,0.1;0.1,0.9'}\n");
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_string_equal(study->variation[0].name, "all at stochastic-block 5;5 0.9;0.1;0.1;0.9");
    assert_string_equal(study->variation[0].study->graph.family,
                        "stochastic-block 5,5 0.9,0.1;0.1,0.9");
    netdp_study_free(study);
    assert_round_trip(NULL, 0);
}

/* `quick` lies over the base and over every variant, a variant's own over that, sweep and --set
 * over all. */
static void test_quick(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_study *study = NULL;
    static const char *const set[] = {"privacy.noise=7"};
    static const char text[] =
        "quick: {graph: {family: ring 4}, privacy: {noise: 3}, sweep: {values: 6 | 8}}\n"
        "sweep: {key: protocol.rounds, values: 1 | 2 | 3}\n"
        "variants:\n"
        "  - {name: a, graph: {file: none.edges}}\n"
        "  - {name: b, quick: {graph: {family: ring 5}, protocol: {rounds: 99}}}\n";
    put_account(text);
    assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation_count, 6);
    assert_true(study->privacy.noise == 2);
    assert_null(study->variation[0].study->graph.family);
    assert_string_equal(study->variation[3].study->graph.family, "ring 12");
    netdp_study_free(study);
    assert_ok(netdp_study_read_quick(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation_count, 4);
    assert_string_equal(study->graph.family, "ring 4");
    for (int i = 0; i < 4; i++) {
        const netdp_study *own = study->variation[i].study;
        assert_string_equal(own->graph.family, i < 2 ? "ring 4" : "ring 5");
        assert_null(own->graph.file);
        assert_true(own->privacy.noise == 3);
        assert_int_equal(own->protocol.rounds, i % 2 == 0 ? 6 : 8);
    }
    /* Written, it is that study without a quick one inside. */
    assert_ok(netdp_study_write(study, study_path, &error));
    netdp_study_free(study);
    assert_round_trip(NULL, 0);
    assert_ok(netdp_study_read_quick(study_path, NULL, 0, &study, &error));
    assert_int_equal(study->variation_count, 4);
    assert_string_equal(study->variation[3].study->graph.family, "ring 5");
    netdp_study_free(study);
    put_account(text);
    assert_ok(netdp_study_read_quick(study_path, set, 1, &study, &error));
    assert_true(study->privacy.noise == 7);
    for (int i = 0; i < 4; i++)
        assert_true(study->variation[i].study->privacy.noise == 7);
    netdp_study_free(study);
    static const char *const file[] = {"graph.file=/x.edges"};
    assert_ok(netdp_study_read_quick(study_path, file, 1, &study, &error));
    assert_null(study->variation[0].study->graph.family);
    assert_string_equal(study->variation[0].study->graph.file, "/x.edges");
    assert_string_equal(study->variation[2].study->graph.family, "ring 5");
    netdp_study_free(study);
}

/* What is wrong is told with the line of the section that says it. */
static void test_bad_quick_and_sweeps(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fragment;
        bool quick; /* only then */
    } bad[] = {
        {"quick:\n  protocol:\n    round: 3\n",
         "a.yaml:7: unknown key 'round' in quick.protocol; did you mean 'rounds'?", false},
        {"quick: 3\n", ":5: quick has the wrong shape", false},
        {"quick: {quick: {seed: 2}}\n", ":5: unknown key 'quick' in quick", false},
        {"quick: {privacy: {noise: 1, noise: 2}}\n", ":5: quick.privacy.noise is there twice",
         false},
        {"quick:\n  protocol:\n    rounds: many\n",
         ":7: quick.protocol.rounds: 'many' is not a whole number", true},
        {"quick:\n  privacy: {noise: -1}\n", ":6: quick.privacy.noise: '-1' is out of range", true},
        {"variants:\n  - name: a\n    quick:\n      protocol: {rounds: x}\n",
         ":8: variants.1.quick.protocol.rounds: 'x' is not a whole", true},
        {"variants:\n  - name: a\n    graf: {}\n", ":7: unknown key 'graf' in variants.1", false},
        {"sweep: {key: protocol.rounds}\n", ":5: sweep.values: is missing", false},
        {"sweep: {values: 2}\n", ":5: sweep.key: is missing", false},
        {"sweep:\n  key: title\n  values: a\n", ":6: sweep.key: title is none that a variant can",
         false},
        {"sweep: {key: rounds, values: 2}\n", "did you mean 'protocol.rounds'?", false},
        {"sweep:\n  key: protocol.rounds\n  values: 2 | | 3\n",
         ":7: sweep.values: value 2 is empty", false},
        {"sweep:\n  key: protocol.rounds\n  values: 2 | 02 | 2\n",
         ":7: sweep.values: has '2' twice", false},
        {"sweep:\n  key: protocol.rounds\n  values: 2 | 0\n",
         ":7: sweep.values: protocol.rounds: '0' is out of range", false},
        {"sweep: {key: graph.family, values: \"ring 3 | ring\\n4\"}\n",
         "sweep.values: 'ring\\x0a4' holds what does not print", false},
        {"figure: {kind: sweep, y: los}\n", ":5: figure.y: 'los' is not known", false},
        {"figure:\n  kind: drawing\n", ":6: figure.kind: a drawing is of the losses from one",
         false},
        {"figure: {kind: trace}\n", ":5: figure.kind: task account runs nothing", false},
        {"data: {source: meters}\n", ":5: data.source: does not apply to task account", false},
        {"output: {repeat: 3}\n", ":5: output.repeat: does not apply to task account", false},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_error error = {0};
        netdp_study *study = NULL;
        put_account(bad[i].text);
        if (!bad[i].quick) {
            assert_refused(NULL, 0, bad[i].fragment);
            continue;
        }
        assert_ok(netdp_study_read(study_path, NULL, 0, &study, &error));
        netdp_study_free(study);
        const netdp_status status = netdp_study_read_quick(study_path, NULL, 0, &study, &error);
        if (status != NETDP_INVALID || strstr(error.text, bad[i].fragment) == NULL)
            fail_msg("status %d: '%s', want '%s'", (int)status, error.text, bad[i].fragment);
    }
    static const char *const set[] = {"protocol.rounds=0"};
    netdp_error error = {0};
    netdp_study *study = NULL;
    put_account("quick: {protocol: {rounds: 5}}\n");
    assert_int_equal(netdp_study_read_quick(study_path, set, 1, &study, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "--set protocol.rounds=0: '0' is out of range"));
}

/* The table itself: words agree with the public parsers, defaults and names are sound. */
static void test_table_of_keys(void **state)
{
    (void)state;
    const netdp_i_rule *sees = netdp_i_key_rule(&netdp_i_keys[netdp_i_key_find("privacy.sees")]);
    const netdp_i_rule *own =
        netdp_i_key_rule(&netdp_i_keys[netdp_i_key_find("privacy.own_noise")]);
    for (int i = 0; sees->word[i] != NULL; i++)
        assert_string_equal(sees->word[i], netdp_sees_name((netdp_sees)i));
    for (int i = 0; own->word[i] != NULL; i++)
        assert_string_equal(own->word[i], netdp_own_noise_name((netdp_own_noise)i));
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        assert_non_null(netdp_i_keys[k].name);
        assert_true(strlen(netdp_i_keys[k].name) < 32);
        assert_true(netdp_i_key_section(&netdp_i_keys[k]) < 16);
        assert_int_equal(netdp_i_key_find(netdp_i_keys[k].name), k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key_and_relative_paths),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_written_paths_are_absolute),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_variants_inherit_what_applies),
        cmocka_unit_test(test_bad_variants),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_bad_phases),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_walks_beside_gossip),
        cmocka_unit_test(test_targets_of_a_walk),
        cmocka_unit_test(test_bad_walks),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_clip_and_column_bounds_exclude_each_other),
        cmocka_unit_test(test_files_that_are_no_studies),
        cmocka_unit_test(test_unreadable_files),
        cmocka_unit_test(test_huge_files),
        cmocka_unit_test(test_bad_sets),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_running_out_of_memory),
        cmocka_unit_test(test_accounts_and_sweeps),
        cmocka_unit_test(test_quick),
        cmocka_unit_test(test_bad_quick_and_sweeps),
        cmocka_unit_test(test_table_of_keys),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
