/* The guard: what leaves is clipped and noised as is counted, and never more than the budget. */
#include "check.h"
#include "pretend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <netdp/privacy.h>

static netdp_error error;
static char folder[32], path[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/netdp-guard-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/budget", folder);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Whatever is in the folder, of one level. */
static int clear_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static netdp_guard *open_guard(const char *account, double epsilon, bool add_remove)
{
    netdp_guard *guard = NULL;
    const netdp_budget budget = {account, epsilon, 1e-5, add_remove};
    assert_ok(netdp_guard_open(path, &budget, &guard, &error));
    return guard;
}

/* Releases of the account, as a process of its own sees them. */
static int look_from_elsewhere(const char *account, const char *epsilon)
{
    int code = -1;
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "look", path, account, epsilon, (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code);
}

static int look(const char *where, const char *account, double epsilon)
{
    netdp_guard *guard = NULL;
    netdp_spent spent = {0};
    const netdp_budget budget = {account, epsilon, 1e-5, true};
    if (netdp_guard_open(where, &budget, &guard, &error) != NETDP_OK ||
        netdp_guard_spent(guard, &spent, &error) != NETDP_OK)
        return 98;
    netdp_guard_close(guard);
    return (int)spent.releases;
}

static netdp_status release(netdp_guard *guard, netdp_mechanism mechanism, double noise,
                            int64_t rows, int32_t width, const double *row, double *sum,
                            netdp_released *notes)
{
    const netdp_release asked = {mechanism, 1, noise, 0, rows, width, true};
    return netdp_guard_release(guard, &asked, row, sum, notes, &error);
}

/* mu = 1 / noise each, added in squares; the last that fits, and not one more. */
static void test_budget_holds(void **state)
{
    (void)state;
    const double row[] = {1, 0}, noise = 12;
    double sum[2] = {7, 7}, most = 0;
    assert_ok(netdp_epsilon_to_gdp(1, 1e-5, &most, &error));
    const int64_t fits = (int64_t)floor(most * most * noise * noise);
    netdp_released notes;
    for (int64_t k = 0; k < fits; k++) {
        netdp_guard *guard = open_guard("a", 1, false); /* anew: nothing is in memory alone */
        assert_ok(release(guard, NETDP_GAUSSIAN, noise, 1, 2, row, sum, &notes));
        assert_int_equal(notes.spent.releases, k + 1);
        netdp_guard_close(guard);
    }
    double exact = 0;
    assert_ok(netdp_gdp_to_epsilon(sqrt((double)fits) / noise, 1e-5, &exact, &error));
    assert_true(notes.spent.epsilon <= 1 && fabs(notes.spent.epsilon - exact) < 1e-9);
    netdp_guard *guard = open_guard("a", 1, false);
    sum[0] = 7;
    assert_int_equal(release(guard, NETDP_GAUSSIAN, noise, 1, 2, row, sum, NULL), NETDP_NO_ANSWER);
    assert_true(sum[0] == 7);
    assert_non_null(strstr(error.text, "nothing was released"));
    /* A smaller one still fits, and another account has its own. */
    assert_ok(release(guard, NETDP_GAUSSIAN, 1e4, 1, 2, row, sum, NULL));
    netdp_spent spent;
    assert_ok(netdp_guard_spent(guard, &spent, &error));
    assert_int_equal(spent.releases, fits + 1);
    netdp_guard_close(guard);
    guard = open_guard("b", 1, true);
    assert_ok(netdp_guard_spent(guard, &spent, &error));
    assert_true(spent.releases == 0 && spent.epsilon == 0);
    netdp_guard_close(guard);
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(is.st_mode & 0777, 0600);
}

/* A row that is as long as allowed, in any direction, moves the sum by at most `most` steps. */
static void test_clipping(void **state)
{
    (void)state;
    netdp_guard *guard[] = {open_guard("gaussian", INFINITY, false),
                            open_guard("laplace", INFINITY, false)};
    const struct {
        netdp_mechanism mechanism;
        double row[3], clipped[3];
    } is[] = {
        {NETDP_GAUSSIAN, {3, 0, 0}, {1, 0, 0}},
        {NETDP_GAUSSIAN, {-3, 4, 0}, {-0.6, 0.8, 0}},
        {NETDP_GAUSSIAN, {0.3, 0.4, 0}, {0.3, 0.4, 0}},
        {NETDP_GAUSSIAN, {1e308, 1e308, 1e308}, {0.57735026919, 0.57735026919, 0.57735026919}},
        {NETDP_GAUSSIAN, {1e-320, 0, 0}, {0, 0, 0}},
        {NETDP_GAUSSIAN, {NAN, 0.5, 0}, {0, 0, 0}},
        {NETDP_GAUSSIAN, {INFINITY, 0.5, 0}, {0, 0, 0}},
        {NETDP_LAPLACE, {3, 0, -1}, {0.75, 0, -0.25}},
        {NETDP_LAPLACE, {0.3, 0.4, 0}, {0.3, 0.4, 0}},
    };
    enum { TIMES = 64 };
    for (size_t k = 0; k < sizeof is / sizeof *is; k++) {
        double rows[TIMES][3], sum[3];
        for (int i = 0; i < TIMES; i++)
            memcpy(rows[i], is[k].row, sizeof is[k].row);
        netdp_released notes;
        /* deviation 1/32, of Laplace sqrt 2 times that: beyond 20 of them with 1e-9 and less */
        assert_ok(release(guard[is[k].mechanism == NETDP_LAPLACE], is[k].mechanism, 0x1p-6, TIMES,
                          3, rows[0], sum, &notes));
        assert_true(notes.deviation == 0x1p-5);
        assert_int_equal(notes.dropped, isfinite(is[k].row[0]) ? 0 : TIMES);
        for (int j = 0; j < 3; j++)
            assert_true(fabs(sum[j] - TIMES * is[k].clipped[j]) < 20 * notes.deviation + 1e-9);
    }
    netdp_guard_close(guard[0]);
    netdp_guard_close(guard[1]);
}

/* Moments of many draws: of a normal and of Laplace, without correlation of neighbours. */
static void test_noise(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    double *sum = malloc(DRAWS * sizeof *sum);
    assert_non_null(sum);
    for (int kind = 0; kind < 2; kind++) {
        netdp_released notes;
        netdp_guard *guard = open_guard(kind == 0 ? "gaussian" : "laplace", INFINITY, true);
        assert_ok(release(guard, kind == 0 ? NETDP_GAUSSIAN : NETDP_LAPLACE, 3, 0, DRAWS, NULL, sum,
                          &notes));
        netdp_guard_close(guard);
        assert_true(fabs(notes.deviation - 3) < 1e-9);
        double mean = 0, square = 0, fourth = 0, next = 0;
        for (int i = 0; i < DRAWS; i++) {
            const double x = sum[i] / notes.deviation;
            mean += x / DRAWS;
            square += x * x / DRAWS;
            fourth += x * x * x * x / DRAWS;
            next += i > 0 ? x * sum[i - 1] / notes.deviation / DRAWS : 0;
        }
        const double variance = kind == 0 ? 1 : 2, kurtosis = kind == 0 ? 3 : 24;
        /* six standard errors and more */
        assert_true(fabs(mean) < 6 * sqrt(variance / DRAWS));
        assert_true(fabs(square - variance) < 6 * sqrt((kurtosis - variance * variance) / DRAWS));
        assert_true(fabs(fourth / kurtosis - 1) < 0.2);
        assert_true(fabs(next) < 6 * variance / sqrt(DRAWS));
    }
    free(sum);
}

/* What comes next may have been chosen by what was seen: one kind for an account, Gaussian of any size. */
static void test_kinds(void **state)
{
    (void)state;
    const double row[] = {1};
    const netdp_release some = {NETDP_GAUSSIAN, 1, 6, 0.01, 1, 1, false},
                        fewer = {NETDP_GAUSSIAN, 1, 6, 0.005, 1, 1, false};
    double sum;
    netdp_released first, second;
    netdp_guard *gaussian = open_guard("gaussian", 2, true),
                *laplace = open_guard("laplace", 2, true);
    netdp_guard *drawn = open_guard("drawn", 2, true);
    assert_ok(release(gaussian, NETDP_GAUSSIAN, 6, 1, 1, row, &sum, &first));
    assert_ok(release(gaussian, NETDP_GAUSSIAN, 9, 1, 1, row, &sum, &second));
    assert_true(second.spent.epsilon > first.spent.epsilon);
    assert_int_equal(release(gaussian, NETDP_LAPLACE, 9, 1, 1, row, &sum, NULL), NETDP_INVALID);
    assert_int_equal(netdp_guard_release(gaussian, &some, row, &sum, NULL, &error), NETDP_INVALID);
    assert_ok(release(laplace, NETDP_LAPLACE, 4, 1, 1, row, &sum, &first));
    assert_ok(release(laplace, NETDP_LAPLACE, 4, 1, 1, row, &sum, &second));
    assert_true(second.spent.epsilon > first.spent.epsilon && second.spent.epsilon <= 0.5 + 1e-9);
    assert_int_equal(release(laplace, NETDP_LAPLACE, 5, 1, 1, row, &sum, NULL), NETDP_INVALID);
    assert_ok(netdp_guard_release(drawn, &some, row, &sum, NULL, &error));
    assert_int_equal(netdp_guard_release(drawn, &fewer, row, &sum, NULL, &error), NETDP_INVALID);
    assert_int_equal(release(drawn, NETDP_GAUSSIAN, 6, 1, 1, row, &sum, NULL), NETDP_INVALID);
    netdp_guard_close(gaussian);
    netdp_guard_close(laplace);
    netdp_guard_close(drawn);
}

/* A second guard of the process opens and closes; another process looks; and nothing is forgotten. */
static void test_locks_stay(void **state)
{
    (void)state;
    const double row[] = {1};
    double sum;
    netdp_released told;
    netdp_guard *guard = open_guard("locks", 9, true);
    assert_ok(release(guard, NETDP_GAUSSIAN, 20, 1, 1, row, &sum, &told));
    netdp_guard_close(open_guard("locks", 9, true));
    assert_int_equal(look_from_elsewhere("locks", "9"), 1);
    for (int k = 0; k < 5; k++)
        assert_ok(release(guard, NETDP_GAUSSIAN, 20, 1, 1, row, &sum, &told));
    assert_int_equal(look_from_elsewhere("locks", "9"), 6);
    /* A child that was forked from here opens none. */
    const pid_t child = fork();
    if (child == 0) {
        netdp_guard *own = NULL;
        const netdp_budget budget = {"locks", 9, 1e-5, true};
        _exit(netdp_guard_open(path, &budget, &own, NULL) == NETDP_INVALID ? 0 : 1);
    }
    int code = -1;
    assert_true(waitpid(child, &code, 0) == child && code == 0);
    netdp_guard_close(guard);
}

static void refuse(netdp_guard *guard, netdp_release asked, const char *word)
{
    const double row[] = {1};
    double sum;
    assert_int_equal(netdp_guard_release(guard, &asked, row, &sum, NULL, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, word));
}

static void test_refused(void **state)
{
    (void)state;
    netdp_guard *guard = open_guard("a", 1, false), *other = NULL;
    refuse(guard, (netdp_release){NETDP_DISCRETE_GAUSSIAN, 1, 1, 0, 1, 1, false}, "mechanism");
    refuse(guard, (netdp_release){NETDP_GAUSSIAN, 0, 1, 0, 1, 1, false}, "clip");
    refuse(guard, (netdp_release){NETDP_GAUSSIAN, NAN, 1, 0, 1, 1, false}, "clip");
    refuse(guard, (netdp_release){NETDP_GAUSSIAN, 1, 1e-3, 0, 1, 1, false}, "noise");
    refuse(guard, (netdp_release){NETDP_GAUSSIAN, 1, NAN, 0, 1, 1, false}, "noise");
    refuse(guard, (netdp_release){NETDP_LAPLACE, 1, 1, 1.5, 1, 1, false}, "rate");
    refuse(guard, (netdp_release){NETDP_EXPONENTIAL, 1, 1, 0, 1, 1, false}, "netdp_guard_choose");
    refuse(guard, (netdp_release){NETDP_SUBSAMPLED_LAPLACE, 1, 1, 0.5, 1, 1, false}, "the rate");
    refuse(guard, (netdp_release){NETDP_RANDOMISED_RESPONSE, 1, 1, 0, 1, 1, false}, "sqrt(2 rho)");
    refuse(guard, (netdp_release){NETDP_GAUSSIAN_WITHOUT_REPLACEMENT, 1, 1, 0, 1, 1, false},
           "which part of all rows");
    refuse(guard, (netdp_release){NETDP_GAUSSIAN, 1, 1, 0, -1, 1, false}, "rows");
    refuse(guard, (netdp_release){NETDP_GAUSSIAN, 1, 1, 0, 1, 0, false}, "rows");
    /* A row that is no number: refused, and nothing is spent. */
    const double odd[][4] = {{1, 0, 0, NAN}, {INFINITY, 0, 0, 1}, {1, 1, -INFINITY, 1}};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
        for (int m = 0; m < 2; m++) {
            double sum[2] = {7, 7};
            netdp_spent spent;
            const netdp_release asked = {
                m == 0 ? NETDP_GAUSSIAN : NETDP_LAPLACE, 1, 4, 0, 2, 2, false};
            assert_int_equal(netdp_guard_release(guard, &asked, odd[k], sum, NULL, &error),
                             NETDP_INVALID);
            assert_non_null(strstr(error.text, k == 1 ? "row 0" : "row 1"));
            assert_ok(netdp_guard_spent(guard, &spent, &error));
            assert_true(spent.releases == 0 && sum[0] == 7);
        }
    const netdp_budget wrong[] = {{"a", 2, 1e-5, false},  {"a", 1, 1e-6, false},
                                  {"a", 1, 1e-5, true},   {"b", NAN, 1e-5, false},
                                  {"b", -1, 1e-5, false}, {"b", 1, 0, false},
                                  {"b", 1, NAN, false}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(netdp_guard_open(path, &wrong[k], &other, &error), NETDP_INVALID);
    netdp_guard_close(guard);
    netdp_guard_close(NULL);
    const netdp_budget fine = {"a", 1, 1e-5, false};
    FILE *text = fopen(path, "w");
    assert_non_null(text);
    fputs("something else, and more than the hundred bytes of a header, so that it is read as one: "
          "it is "
          "text and no database at all",
          text);
    fclose(text);
    assert_int_equal(netdp_guard_open(path, &fine, &other, &error), NETDP_INVALID);
    assert_int_equal(netdp_guard_open("/nowhere/b.sqlite", &fine, &other, &error),
                     NETDP_ENVIRONMENT);
}

static void shell(const char *format)
{
    char command[256];
    snprintf(command, sizeof command, format, folder);
    assert_int_equal(system(command), 0);
}

/* What stands at the path is no longer what is open: nothing is spent, or released, any more. */
static void test_moved(void **state)
{
    (void)state;
    static const char *const how[] = {
        "cd %s && mv budget elsewhere",
        "cd %s && rm budget",
        "cd %s && rm budget*",
        "cd %s && rm budget-wal",
        "cd %s && rm budget-shm",
        "cd %s && mv budget-wal log",
        "cd %s && cp budget copy && mv copy budget",
        "cd %s && cp budget-wal copy && mv copy budget-wal",
        "cd %s && mkdir away && mv budget* away",
        "cd %s && mv budget beside && ln -s nowhere budget",
        "cd %s && rm -r ../$(basename $PWD)",
    };
    const double row[] = {1, 0};
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        if (k > 0)
            assert_int_equal(make_folder(NULL), 0);
        double sum[2] = {7, 7};
        netdp_spent spent;
        netdp_guard *guard = open_guard("a", 100, false);
        assert_ok(release(guard, NETDP_GAUSSIAN, 5, 1, 2, row, sum, NULL));
        shell(how[k]);
        sum[0] = 7;
        assert_int_equal(release(guard, NETDP_GAUSSIAN, 5, 1, 2, row, sum, NULL),
                         NETDP_ENVIRONMENT);
        assert_non_null(strstr(error.text, "was moved, deleted or replaced"));
        assert_true(sum[0] == 7);
        assert_int_equal(netdp_guard_spent(guard, &spent, &error), NETDP_ENVIRONMENT);
        netdp_guard_close(guard);
        assert_int_equal(clear_folder(NULL), 0);
    }
}

/* On a disk that other machines write, too, no budget is made or opened. */
static void test_far(void **state)
{
    (void)state;
    const netdp_budget terms = {.account = "a", .epsilon = 1, .delta = 1e-6};
    netdp_guard *guard = NULL;
    for (int there = 0; there < 2; there++) {
        pretended = 0x6969;
        assert_int_equal(netdp_guard_open(path, &terms, &guard, &error), NETDP_ENVIRONMENT);
        assert_non_null(strstr(error.text, "network file system (NFS)"));
        assert_int_equal(access(path, F_OK), there ? 0 : -1);
        pretended = 0xef53;
        if (there == 0)
            netdp_guard_close(open_guard("a", 1, false));
    }
}

/* What only looks like a move is none: a link to the folder, another name of the file, its owner's rights. */
static void test_not_moved(void **state)
{
    (void)state;
    const double row[] = {1, 0};
    double sum[2];
    netdp_guard *guard = open_guard("a", 100, false);
    assert_ok(release(guard, NETDP_GAUSSIAN, 5, 1, 2, row, sum, NULL));
    shell("cd %s && ln budget second && ln -s budget link && chmod 640 budget && touch budget");
    assert_ok(release(guard, NETDP_GAUSSIAN, 5, 1, 2, row, sum, NULL));
    /* And the link is opened as what it leads to. */
    netdp_guard *linked = NULL;
    char link[96];
    snprintf(link, sizeof link, "%s/link", folder);
    const netdp_budget budget = {"a", 100, 1e-5, false};
    assert_ok(netdp_guard_open(link, &budget, &linked, &error));
    assert_ok(release(linked, NETDP_GAUSSIAN, 5, 1, 2, row, sum, NULL));
    assert_ok(release(guard, NETDP_GAUSSIAN, 5, 1, 2, row, sum, NULL));
    netdp_guard_close(linked);
    netdp_guard_close(guard);
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return look(argv[1], argv[2], strtod(argv[3], NULL));
    netdp_guard *guard = NULL;
    const netdp_budget budget = {NULL, 1, 1e-5, false};
    if (netdp_guard_open("/nowhere/b.sqlite", &budget, &guard, &error) == NETDP_ENVIRONMENT &&
        strstr(error.text, "without SQLite") != NULL) {
        puts("built without SQLite");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_budget_holds, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_clipping, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_noise, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_kinds, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_locks_stay, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_refused, make_folder, drop_folder),
        cmocka_unit_test_setup(test_moved, make_folder),
        cmocka_unit_test_setup_teardown(test_not_moved, make_folder, clear_folder),
        cmocka_unit_test_setup_teardown(test_far, make_folder, clear_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
