/*
 * Killed or stopped in the middle of a simulation: the folder goes on from its last round, to the
 * same bytes. Each run is a process of its own; the progress that it reports kills it.
 */
#include "folders.h"

#include <time.h>

static const char averaging[] =
    "{seed: 4, graph: {family: ring 12}, data: {csv: rows.csv, columns: [{name: a}, {name: b}]},"
    " task: {kind: mean, bounds: [-3, 3]}, protocol: {kind: averaging, rounds: 30},"
    " privacy: {epsilon: 9, delta: 1e-6, dither: 0.1}, output: {repeat: 2}, variants: [{},"
    " {protocol: {accelerate: true, rounds: 25}, graph: {family: star 9}}]}";

static const char learning[] =
    "{seed: 4, graph: {family: ring 6}, data: {csv: rows.csv, label: kind},"
    " task: {kind: logistic, clip: 1, step: 1, batch: 2, central_steps: 5},"
    " protocol: {kind: muffliato-sgd, rounds: 24, inner: 2, accelerate: true},"
    " privacy: {epsilon: 9, delta: 1e-6, dither: 0.1}, output: {repeat: 2},"
    " variants: [{}, {protocol: {rounds: auto, phases: 5}}]}";

/* A walk has no state inside a run: it goes on from its start. (The step is too long for more than
 * the local bound, whose noise is found at once.) */
static const char walking[] =
    "{seed: 4, graph: {family: complete 6}, data: {csv: rows.csv, label: kind},"
    " task: {kind: logistic, clip: 1, step: 9, central_steps: 5},"
    " protocol: {kind: walk, rounds: 30, cap: 4, tokens: 2},"
    " privacy: {epsilon: 9, delta: 1e-2}, output: {repeat: 4},"
    " variants: [{}, {protocol: {kind: muffliato-sgd, rounds: 12, inner: 2}}]}";

static const char summing[] =
    "{seed: 4, graph: {family: ring 12}, data: {csv: rows.csv, columns: [{name: a}]},"
    " task: {kind: sum, bounds: [-3, 3]}, protocol: {kind: ring-sum, rounds: 40},"
    " privacy: {epsilon: 9, delta: 1e-6, over: worst}, output: {repeat: 60}}";

static const char *const studies[] = {averaging, learning, walking, summing};

/* The study run through; how often it reported. */
static int64_t begin(const char *study)
{
    put("study.yaml", study, strlen(study));
    drop("whole");
    assert_int_equal(run("whole", 1000, 0, false), 0);
    return shared->reports;
}

static void test_killed_within(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        const int64_t all = begin(studies[s]);
        assert_true(all > 50);
        for (int64_t k = 2; k < all; k += LIGHT ? 79 : 19) {
            assert_int_equal(run("cut", 0, k, true), -SIGKILL);
            assert_true(exists("cut", "checkpoint"));
            /* Saved after every round: reported again are the simulation itself, the round under
             * way, and the five steps of a central baseline. */
            assert_int_equal(run("cut", 0, 0, false), 0);
            assert_in_range((uint64_t)(shared->reports - (all - k)), 0, s == 0 ? 3 : 6);
            assert_same("cut");
            drop("cut");
        }
        drop("whole");
    }
}

static void test_killed_again_and_again(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        begin(studies[s]);
        int ended = -SIGKILL, times = 0;
        for (; ended == -SIGKILL; times++) {
            assert_true(times < 200);
            ended = run("cut", 0, 8, true);
        }
        assert_int_equal(ended, 0);
        assert_true(times > 5); /* eight reports at a time */
        assert_same("cut");
        drop("cut");
        drop("whole");
    }
}

static void test_stopped_within(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        const int64_t all = begin(studies[s]);
        for (int64_t k = 1; k < all; k += LIGHT ? 67 : 17) {
            /* A long interval: only the stop itself saves. */
            assert_int_equal(run("cut", 1000, k, false), NETDP_INTERRUPTED);
            assert_int_equal(run("cut", 1000, 3, false), NETDP_INTERRUPTED);
            assert_int_equal(run("cut", 1000, 0, false), 0);
            assert_same("cut");
            drop("cut");
        }
        drop("whole");
    }
}

/* A state that is torn, changed or of another simulation is none: the simulation starts again. */
static void test_damaged_state(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        begin(studies[s]);
        for (int damage = 0; damage < 6; damage++) {
            int64_t bytes = 0;
            const int64_t k = s == 0 ? 50 : 20;
            assert_int_equal(run("cut", 0, k, true), -SIGKILL);
            char *held = get("cut", "checkpoint.state", &bytes);
            assert_true(bytes > 200);
            if (damage == 0)
                bytes -= 8;
            else if (damage == 1)
                bytes = 0;
            else if (damage == 2)
                held[bytes / 2] ^= 1; /* a state */
            else if (damage == 3)
                held[bytes - 1] ^= 1; /* the digest */
            else if (damage == 4)
                held[8] ^= 1; /* which simulation */
            put("cut/checkpoint.state", held, (size_t)bytes);
            netdp_i_free(held);
            /* Stopped before the simulation begins: nothing that was whole is lost. */
            assert_int_equal(run("cut", 1000, 1, false), NETDP_INTERRUPTED);
            assert_int_equal(run("cut", 1000, 0, false), 0);
            assert_same("cut");
            drop("cut");
        }
        drop("whole");
    }
}

/* Between the runs of walks and inside them: counts and sums are those of a run without a stop. */
static void test_walks_go_on(void **state)
{
    (void)state;
    const int64_t all = begin(walking);
    assert_true(all > 200);
    for (int64_t k = 3; k < all; k += 97) {
        assert_int_equal(run("cut", 0, k, true), -SIGKILL);
        assert_true(exists("cut", "checkpoint"));
        /* From where it stood it may be done before it is killed again. */
        const int again = run("cut", 0, k / 2 + 1, true);
        assert_true(again == -SIGKILL || again == 0);
        assert_int_equal(run("cut", 0, 0, false), 0);
        assert_same("cut");
        drop("cut");
    }
    drop("whole");
}

/* Killed by the clock, three times over: at calibration, inside a file, between two files. */
static void test_killed_at_any_instant(void **state)
{
    (void)state;
    const int kills = getenv("NETDP_LONG") != NULL ? 100 : LIGHT ? 6 : 12;
    uint64_t draw = 1;
    char path[ROOM];
    path_of(path, "study.yaml", "");
    for (int k = 0; k < kills;) {
        const char *study = studies[(size_t)(k / 3) % (sizeof studies / sizeof *studies)];
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        begin(study);
        clock_gettime(CLOCK_MONOTONIC, &after);
        const double whole = (double)(after.tv_sec - before.tv_sec) * 1e6 +
                             (double)(after.tv_nsec - before.tv_nsec) * 1e-3;
        for (int again = 0; again < 3; again++, k++) {
            draw = draw * 6364136223846793005u + 1442695040888963407u;
            const pid_t child = start(path, false, "cut", k % 2 == 0 ? 0 : 0.01, 0, false);
            usleep((unsigned)(whole * (double)(draw >> 40) / (double)(1 << 24)));
            kill(child, SIGKILL);
            const int ended = end(child);
            assert_true(ended == -SIGKILL || ended == 0);
        }
        assert_int_equal(run("cut", 0, 0, false), 0);
        assert_same("cut");
        drop("cut");
        drop("whole");
    }
}

/* A second run into the folder of one that is at work is refused, and spoils nothing. */
static void test_two_at_once(void **state)
{
    (void)state;
    char path[ROOM], who[64];
    int ended = 0;
    path_of(path, "study.yaml", "");
    begin(studies[0]);
    waiting = true;
    const pid_t first = start(path, false, "cut", 1000, 40, false);
    waiting = false;
    assert_int_equal(waitpid(first, &ended, WUNTRACED), first);
    assert_true(WIFSTOPPED(ended));
    const watch kept = *shared;
    assert_int_equal(end(start(path, false, "cut", 0, 0, false)), NETDP_ENVIRONMENT);
    snprintf(who, sizeof who, "process %ld on ", (long)first);
    assert_non_null(strstr(shared->error.text, who));
    *shared = kept;
    kill(first, SIGCONT);
    assert_int_equal(end(first), 0);
    assert_false(exists("cut", "lock"));
    assert_same("cut");
    drop("cut");
    drop("whole");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_within),  cmocka_unit_test(test_killed_again_and_again),
        cmocka_unit_test(test_stopped_within), cmocka_unit_test(test_damaged_state),
        cmocka_unit_test(test_walks_go_on),    cmocka_unit_test(test_killed_at_any_instant),
        cmocka_unit_test(test_two_at_once),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
