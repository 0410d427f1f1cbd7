/*
 * A record is checked before it is believed: an interrupted folder whose study, checkpoint or
 * account was changed is refused in one line, or ends with the bytes of an undisturbed run; so is a
 * finished one. With NETDP_LONG every key of every bundled study, else some of some; with a pattern
 * as argument only the bundled studies of that name.
 */
#include "folders.h"

#include <glob.h>

#include "run/record.h"

static const char *const studies[] = {
    "{seed: 4, graph: {family: ring 12}, data: {csv: rows.csv, columns: [{name: a}, {name: b}]},"
    " task: {kind: mean, bounds: [-3, 3]}, protocol: {kind: averaging, rounds: 30},"
    " privacy: {epsilon: 9, delta: 1e-6, dither: 0.1}, output: {repeat: 2}, variants: [{},"
    " {protocol: {accelerate: true, rounds: 25}, graph: {family: star 9}}]}",
    "{seed: 4, graph: {family: ring 6}, data: {csv: rows.csv, label: kind},"
    " task: {kind: logistic, clip: 1, step: 1, central_steps: 5},"
    " protocol: {kind: muffliato-sgd, rounds: 12, inner: 2},"
    " privacy: {epsilon: 9, delta: 1e-6, dither: 0.1}, output: {repeat: 2}}",
    "{seed: 4, graph: {family: complete 6}, data: {csv: rows.csv, columns: [{name: a}]},"
    " task: {kind: mean, bounds: [-3, 3], step: 0.1}, protocol: {kind: walk, rounds: 30, cap: 4},"
    " privacy: {epsilon: 9, delta: 1e-2}, output: {repeat: 2}}",
    "{seed: 4, graph: {family: ring 12}, data: {csv: rows.csv, columns: [{name: a}]},"
    " task: {kind: sum, bounds: [-3, 3]}, protocol: {kind: ring-sum, rounds: 2},"
    " privacy: {epsilon: 9, delta: 1e-6, over: worst}, output: {repeat: 2}}",
    "{seed: 4, graph: {family: ring 12}, task: {kind: account},"
    " protocol: {kind: averaging, rounds: 9}, privacy: {noise: 1, as: 'rdp:2', dither: 0.1},"
    " variants: [{}, {protocol: {rounds: 4}}, {privacy: {sees: sum}}]}",
    "{seed: 4, graph: {family: complete 12}, task: {kind: realised}, output: {repeat: 5},"
    " protocol: {kind: complete-sum, rounds: auto, visits: 6}, privacy: {epsilon: 0.1, delta: "
    "1e-7},"
    " variants: [{}, {privacy: {bound: theorem}}, {privacy: {bound: local}}]}",
};
enum { STUDIES = sizeof studies / sizeof *studies };

static const char *bundled = "*"; /* which of them */

static bool is_long(void)
{
    return getenv("NETDP_LONG") != NULL;
}

/* What may stand in place of a value. */
static const char *const words[] = {
    "neighbours", "sum",     "everything", "known",   "counts",          "mean",       "worst",
    "averaging",  "walk",    "true",       "false",   "ring 8",          "metropolis", "none",
    "all",        "auto",    "rdp:3",      "once",    "every",           "laplace",    "hamilton",
    "gaussian",   "another", "loss",       "dp:1e-3", "final",           "ring-sum",   "gossip-sgd",
    "[0, 4]",     "exact",   "objective",  "kwh",     "random-averaging"};

/* The line at `at` with the k-th other value; false: there are no more. */
static bool change(const char *at, int k, char *value, size_t room)
{
    double number = 0;
    char rest = 0;
    const int numbers = 3;
    if (k < numbers) {
        const bool is_number = sscanf(at, "%lf %c", &number, &rest) >= 1;
        snprintf(value, room, "%.15g", k == 0 ? 2 * number : k == 1 ? number + 1 : number / 4);
        return is_number || change(at, numbers, value, room);
    }
    if ((size_t)(k - numbers) >= sizeof words / sizeof *words)
        return false;
    snprintf(value, room, "%s", words[k - numbers]);
    return true;
}

/* Refused in one line that says what to do, or done with the right bytes. */
static void judge(int ended, const char *what)
{
    if (ended == 0) {
        assert_same("cut");
        return;
    }
    const bool refused = ended == NETDP_INVALID || ended == NETDP_ENVIRONMENT; /* no such file */
    if (!refused || shared->error.text[0] == '\0' || strchr(shared->error.text, '\n') != NULL)
        fail_msg("%s: ended with %d: %s", what, ended, shared->error.text);
}

/* Every value of the kept folder's study.yaml changed, every `step`-th of those changes. */
static int change_study(int step)
{
    char own[ROOM], value[64];
    int64_t bytes = 0;
    int tried = 0, believed = 0;
    char *text = get("kept", "study.yaml", &bytes);
    path_of(own, "cut", "study.yaml");
    for (char *at = text; (at = strstr(at, ": ")) != NULL;) {
        at += 2;
        const size_t length = strcspn(at, "\n");
        for (int k = 0; change(at, k, value, sizeof value); k++) {
            if (strncmp(at, value, length) == 0 || tried++ % step != 0)
                continue;
            char *edited = netdp_i_new(bytes + 64, 1);
            memcpy(edited, text, (size_t)(at - text));
            strcat(edited, value);
            strcat(edited, at + length);
            copy("kept", "cut");
            put("cut/study.yaml", edited, strlen(edited));
            const int ended = end(start(own, false, "cut", 1000, 0, false));
            believed += shared->read;
            judge(ended, edited);
            netdp_i_free(edited);
            drop("cut");
        }
    }
    netdp_i_free(text);
    return believed;
}

/* Every `step`-th byte of a file of the kept folder flipped. */
static void flip(const char *file, int64_t step)
{
    char own[ROOM], place[ROOM];
    int64_t bytes = 0;
    char *text = get("kept", file, &bytes);
    path_of(own, "cut", "study.yaml");
    snprintf(place, sizeof place, "cut/%.100s", file);
    for (int64_t i = 0; i < bytes; i += step) {
        copy("kept", "cut");
        text[i] ^= (char)(1 << i % 8);
        put(place, text, (size_t)bytes);
        text[i] ^= (char)(1 << i % 8);
        judge(end(start(own, false, "cut", 1000, 0, false)), file);
        drop("cut");
    }
    netdp_i_free(text);
}

/* Every other file of the kept folder gone, cut, or with a line more. */
static void cut_files(const char *const *files, size_t count, bool refused)
{
    char own[ROOM], place[ROOM];
    path_of(own, "cut", "study.yaml");
    for (size_t i = 0; i < count; i++) {
        int64_t bytes = 0;
        char *text = get("kept", files[i], &bytes);
        for (int how = 0; how < 3; how++) {
            copy("kept", "cut");
            snprintf(place, sizeof place, "cut/%.100s", files[i]);
            if (how > 0) {
                put(place, text, (size_t)(how == 1 ? bytes / 2 : bytes - 1));
            } else {
                path_of(place, "cut", files[i]);
                assert_int_equal(unlink(place), 0);
            }
            const int ended = end(start(own, false, "cut", 1000, 0, false));
            judge(ended, files[i]);
            if (refused && ended == 0)
                fail_msg("%s, damaged in way %d, is believed", files[i], how);
            drop("cut");
        }
        netdp_i_free(text);
    }
}

/* The study run whole, and stopped after its first simulation or account, in `kept`. */
static void keep(const char *study)
{
    put("study.yaml", study, strlen(study));
    assert_int_equal(run("whole", 1000, 0, false), 0);
    assert_int_equal(run("kept", 0, shared->reports / 2 + 1, true), -SIGKILL);
    assert_true(exists("kept", "checkpoint"));
}

static void leave(void)
{
    drop("kept");
    drop("whole");
}

static void test_study_changed(void **state)
{
    (void)state;
    for (int s = 0; s < STUDIES; s++) {
        keep(studies[s]);
        assert_true(change_study(is_long() ? 1 : 31) > (is_long() ? 100 : 2));
        leave();
    }
}

static void test_bytes_flipped(void **state)
{
    (void)state;
    for (int s = 0; s < STUDIES; s++) {
        keep(studies[s]);
        flip("checkpoint", is_long() ? 1 : 251);
        if (exists("kept", "checkpoint.state"))
            flip("checkpoint.state", is_long() ? 1 : 251);
        leave();
    }
}

/* Words of equal length. */
static void replace(char *text, const char *from, const char *to)
{
    char *found = strstr(text, from);
    assert_non_null(found);
    for (size_t i = 0; to[i] != '\0'; i++)
        found[i] = to[i];
}

/* What an account says in the words of another study: the attack that was found. */
static void test_account_of_another_study(void **state)
{
    (void)state;
    char own[ROOM];
    path_of(own, "cut", "study.yaml");
    for (int s = 0; s < 4; s++) {
        static const char *const edits[][2] = {
            {"seed: 4", "seed: 5"},
            {"repeat: 2", "repeat: 3"},
            {"epsilon: 9", "epsilon: 1"},
        };
        keep(studies[s]);
        for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
            int64_t bytes = 0;
            char *text = get("kept", "study.yaml", &bytes);
            replace(text, edits[e][0], edits[e][1]);
            copy("kept", "cut");
            put("cut/study.yaml", text, (size_t)bytes);
            assert_int_equal(end(start(own, false, "cut", 1000, 0, false)), NETDP_INVALID);
            /* What differs, and what to do. */
            assert_non_null(strstr(shared->error.text, edits[e][1]));
            assert_non_null(strstr(shared->error.text, edits[e][0]));
            assert_non_null(strstr(shared->error.text, "-o NEW"));
            netdp_i_free(text);
            drop("cut");
        }
        leave();
    }
}

/* The text with its first `from` as `to`, to be freed. */
static char *with(const char *text, const char *from, const char *to)
{
    const char *found = text != NULL ? strstr(text, from) : NULL;
    if (found == NULL)
        fail_msg("%s is not in %s", from, text != NULL ? text : "what was read");
    char *made = netdp_i_new((int64_t)(strlen(text) + strlen(to) + 1), 1);
    memcpy(made, text, (size_t)(found - text));
    strcat(made, to);
    strcat(made, found + strlen(from));
    return made;
}

/* What an account says of itself: its largest epsilon. */
static void worsen(json_t *variant, double times)
{
    json_t *worst = json_object_get(json_object_get(variant, "guarantee"), "worst");
    json_t *epsilon = json_object_get(worst, "epsilon");
    json_real_set(epsilon, times * json_real_value(epsilon));
}

/*
 * A checkpoint whose digests were made to fit another study, or another noise: of all variants, or
 * of the baselines, the first two, alone.
 */
static void forge(const char *from, const char *to, double times, bool baselines)
{
    char path[ROOM];
    json_t *stored = NULL, *variant;
    netdp_error error = {0};
    size_t i;
    int64_t bytes = 0;
    copy("kept", "cut");
    path_of(path, "cut", "checkpoint");
    assert_ok(netdp_i_sealed_read(path, &stored, &error));
    json_array_foreach (json_object_get(stored, "plan"), i, variant) {
        json_t *noise = json_object_get(variant, "noise");
        if (!baselines || i < 2)
            json_real_set(noise, times * json_real_value(noise));
    }
    json_array_foreach (json_object_get(stored, "variants"), i, variant)
        worsen(variant, times);
    if (from != NULL) {
        char *text = get("cut", "study.yaml", &bytes);
        char *edited = with(text, from, to);
        put("cut/study.yaml", edited, strlen(edited));
        json_object_set_new(stored, "study", json_string(edited));
        netdp_i_free(edited);
        netdp_i_free(text);
    }
    assert_ok(netdp_i_sealed_write(stored, path, &error));
    json_decref(stored);
}

/* Digests that fit do not help: the account is made again, and the simulation is not begun. */
static void test_forged_checkpoint(void **state)
{
    (void)state;
    static const struct forged {
        int study;
        const char *from, *to; /* NULL: only the noise */
        double times;
        bool baselines;
    } cases[] = {
        {0, NULL, NULL, 0.5, true},
        {1, NULL, NULL, 0.5, true},
        {2, NULL, NULL, 0.9, true},
        {3, NULL, NULL, 0.9, true},
        {4, NULL, NULL, 0.9, false},
        {5, NULL, NULL, 0.5, false},
        {5, "epsilon: 0.1", "epsilon: 0.2", 1, false},
        {0, NULL, NULL, 0.5, false},
        {0, "sees: neighbours", "sees: everything", 1, false},
        {0, "dither: 0.1", "dither: 0.01", 1, false},
        {0, "epsilon: 9", "epsilon: 1", 1, false},
        {1, NULL, NULL, 0.5, false},
        {1, "sees: neighbours", "sees: everything", 1, false},
        {1, "epsilon: 9", "epsilon: 8.5", 1, false},
        {2, NULL, NULL, 0.9, false},
        {2, "epsilon: 9", "epsilon: 1", 1, false},
        {2, "delta: 0.01", "delta: 1e-06", 1, false},
        {3, NULL, NULL, 0.9, false},
        {3, "delta: 1e-06", "delta: 1e-12", 1, false},
        {4, "sees: neighbours", "sees: everything", 1, false},
        {4, "dither: 0.1", "dither: 0.001", 1, false},
    };
    char own[ROOM];
    path_of(own, "cut", "study.yaml");
    for (int s = 0; s < STUDIES; s++) {
        keep(studies[s]);
        forge(NULL, NULL, 1, false); /* nothing is changed: it goes on */
        assert_int_equal(end(start(own, false, "cut", 1000, 0, false)), 0);
        assert_same("cut");
        drop("cut");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (cases[i].study != s)
                continue;
            forge(cases[i].from, cases[i].to, cases[i].times, cases[i].baselines);
            const int ended = end(start(own, false, "cut", 1000, 0, false));
            if (ended != NETDP_INVALID || shared->reports > 0)
                fail_msg("case %d: ended with %d after %lld reports: %s", (int)i, ended,
                         (long long)shared->reports, shared->error.text);
            drop("cut");
        }
        leave();
    }
}

/* An account that is cut or gone, or a trace: refused, or made again. */
static void test_interrupted_folder_damaged(void **state)
{
    (void)state;
    static const char *const accounts[] = {"loss.csv"}, *const traces[] = {"trace.csv"};
    keep(studies[1]);
    cut_files(accounts, 1, true);
    cut_files(traces, 1, false);
    flip("trace.csv", is_long() ? 1 : 97);
    leave();
}

static void test_finished_folder_damaged(void **state)
{
    (void)state;
    static const char *const files[] = {"loss.csv", "trace.csv", "summary.json"};
    char own[ROOM], path[ROOM];
    path_of(own, "kept", "study.yaml");
    path_of(path, "kept", "");
    put("study.yaml", studies[1], strlen(studies[1]));
    assert_int_equal(run("whole", 1000, 0, false), 0);
    copy("whole", "kept");
    assert_int_equal(end(start(own, false, "kept", 1000, 0, false)), 0); /* as it was */
    cut_files(files, sizeof files / sizeof *files, true);
    change_study(is_long() ? 1 : 23);
    flip("manifest.json", is_long() ? 1 : 97);
    flip("summary.json", is_long() ? 1 : 331);
    /* What the run did not leave would be read in place of what it left. */
    put("kept/loss.npy", "x", 1);
    assert_int_equal(end(start(own, false, "kept", 1000, 0, false)), NETDP_INVALID);
    assert_non_null(strstr(shared->error.text, "loss.npy"));
    leave();
}

/* A bundled study: small, killed once its checkpoint is there, every value changed. */
static void test_bundled_studies(void **state)
{
    (void)state;
    char pattern[512], own[ROOM];
    glob_t found;
    int tried = 0;
    path_of(own, "cut", "study.yaml");
    snprintf(pattern, sizeof pattern, "%s/experiments/%s.yaml", getenv("NETDP_SOURCE"),
             is_long() ? bundled : "meters-[hor]*");
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        int ended = 0;
        /* After the second report, or the first where there is no other. */
        for (int at = 2; at > 0 && (ended != -SIGKILL || !exists("kept", "checkpoint")); at--) {
            drop("kept");
            ended = end(start(path, true, "kept", 1000, at, true));
        }
        if (ended == -SIGKILL && exists("kept", "checkpoint")) {
            assert_int_equal(end(start(path, true, "whole", 1000, 0, false)), 0);
            copy("kept", "cut"); /* nothing is changed: it goes on */
            ended = end(start(own, false, "cut", 1000, 0, false));
            if (ended != 0)
                fail_msg("%s: %d: %s", path, ended, shared->error.text);
            assert_same("cut");
            drop("cut");
            change_study(is_long() ? 3 : 41);
            tried++;
        } else if (ended != 0 && ended != -SIGKILL && ended != NETDP_ENVIRONMENT) {
            fail_msg("%s: %d: %s", path, ended, shared->error.text);
        } else if (is_long()) {
            print_message("%s: not interrupted (%d)%s%s\n", path, ended, ended > 0 ? ": " : "",
                          ended > 0 ? shared->error.text : "");
        }
        leave();
    }
    globfree(&found);
    assert_true(tried >= (!is_long() ? 3 : strcmp(bundled, "*") == 0 ? 15 : 0));
}

int main(int count, char **arguments)
{
    const struct CMUnitTest one[] = {cmocka_unit_test(test_bundled_studies)};
    if (count > 1) {
        bundled = arguments[1];
        return cmocka_run_group_tests_name(bundled, one, make_folder, drop_folder);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_study_changed),
        cmocka_unit_test(test_bytes_flipped),
        cmocka_unit_test(test_account_of_another_study),
        cmocka_unit_test(test_forged_checkpoint),
        cmocka_unit_test(test_interrupted_folder_damaged),
        cmocka_unit_test(test_finished_folder_damaged),
        cmocka_unit_test(test_bundled_studies),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
