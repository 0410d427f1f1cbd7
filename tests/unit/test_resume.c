/*
 * Killed or stopped in the middle of a simulation: the folder goes on from its last round, to the
 * same bytes. Each run is a process of its own; the progress that it reports kills it.
 */
#include "check.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <netdp/study.h>

#include "base/file.h"
#include "base/memory.h"
#include "study/folder.h"

static char folder[64];

/* What a run tells its parent, and when it ends. */
typedef struct watch {
    int64_t reports; /* of the simulation so far */
    int64_t end_at;  /* the report at which it ends; 0: never */
    bool kills;      /* by SIGKILL, else by stopping */
} watch;

static watch *shared;

static bool report(void *context, const char *what, double done, double total)
{
    (void)context, (void)done, (void)total;
    if (what == NULL || strcmp(what, "simulation") != 0 || ++shared->reports != shared->end_at)
        return true;
    if (shared->kills)
        kill(getpid(), SIGKILL);
    return false;
}

static void path_of(char path[160], const char *place, const char *file)
{
    snprintf(path, 160, "%s/%s%s%s", folder, place, file[0] != '\0' ? "/" : "", file);
}

/* The study into `place`, in a process that saves every `seconds`; its exit code, or -signal. */
static int run(const char *place, double seconds, int64_t end_at, bool kills)
{
    *shared = (watch){.end_at = end_at, .kills = kills};
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        char study_path[160], into[160];
        netdp_error error = {0};
        netdp_study *study = NULL;
        const netdp_progress progress = {report, NULL};
        netdp_i_checkpoint_every = seconds;
        path_of(study_path, "study.yaml", "");
        path_of(into, place, "");
        netdp_status status = netdp_study_read(study_path, NULL, 0, &study, &error);
        if (status == NETDP_OK)
            status = netdp_study_run(study, into, NULL, &progress, &error);
        if (status != NETDP_OK && status != NETDP_INTERRUPTED)
            fprintf(stderr, "%s\n", error.text);
        _exit((int)status);
    }
    int ended = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
    return WIFSIGNALED(ended) ? -WTERMSIG(ended) : WEXITSTATUS(ended);
}

static void put(const char *file, const char *bytes, size_t count)
{
    char path[160];
    path_of(path, file, "");
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

static char *get(const char *place, const char *file, int64_t *bytes)
{
    char path[160], *text = NULL;
    netdp_error error = {0};
    path_of(path, place, file);
    assert_ok(netdp_i_file_load(path, &text, bytes, &error));
    return text;
}

static bool exists(const char *place, const char *file)
{
    char path[160];
    path_of(path, place, file);
    return access(path, F_OK) == 0;
}

static void drop(const char *place)
{
    static const char *const files[] = {"study.yaml", "summary.json", "trace.csv",
                                        "run.log",    "loss.csv",     "loss-1.csv",
                                        "loss-2.csv", "checkpoint",   "checkpoint.state"};
    char path[160];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        path_of(path, place, files[i]);
        unlink(path);
    }
    path_of(path, place, "");
    rmdir(path);
}

static void assert_same(const char *place)
{
    static const char *const files[] = {"trace.csv", "summary.json", "study.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int64_t length = 0, other = 0;
        char *whole = get("whole", files[i], &length), *cut = get(place, files[i], &other);
        if (length != other || memcmp(whole, cut, (size_t)length) != 0)
            fail_msg("%s differs: %lld and %lld bytes", files[i], (long long)length,
                     (long long)other);
        netdp_i_free(whole);
        netdp_i_free(cut);
    }
    assert_false(exists(place, "checkpoint"));
    assert_false(exists(place, "checkpoint.state"));
}

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

static const char *const studies[] = {averaging, learning, walking};

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
        for (int64_t k = 2; k < all; k += 13) {
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
        for (int64_t k = 1; k < all; k += 11) {
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

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/netdp-resume-XXXXXX");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mkdtemp(folder) == NULL || shared == MAP_FAILED)
        return -1;
    char rows[4096] = "a,b,kind\n";
    for (int i = 0; i < 60; i++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%g,%g,%s\n", sin(i), cos(3 * i),
                 sin(i) > 0 ? "yes" : "no");
    put("rows.csv", rows, strlen(rows));
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    char path[160];
    drop("whole");
    drop("cut");
    path_of(path, "rows.csv", "");
    unlink(path);
    path_of(path, "study.yaml", "");
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_within),  cmocka_unit_test(test_killed_again_and_again),
        cmocka_unit_test(test_stopped_within), cmocka_unit_test(test_damaged_state),
        cmocka_unit_test(test_walks_go_on),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
