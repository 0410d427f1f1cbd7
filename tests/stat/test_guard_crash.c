/*
 * Four processes spend one budget at once and are killed at random: what they were given is never
 * more than what the file counts, nor is that more than the budget.
 */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <netdp/privacy.h>
#include <netdp/random.h>

static netdp_error error;
static char folder[32], path[64];

enum { PROCESSES = 4, ALLOWED = 600 };

/* So that ALLOWED releases and no more fit into epsilon 1: mu^2 = ALLOWED / noise^2. */
static double noise_of(void)
{
    double mu = 0;
    assert_ok(netdp_epsilon_to_gdp(1, 1e-5, &mu, &error));
    return sqrt(ALLOWED + 0.5) / mu;
}

/* Releases until there is nothing left, and tells each by a byte: 0 when done. */
static void spend(double noise, int tell)
{
    const netdp_budget budget = {"all", 1, 1e-5, false};
    const netdp_release asked = {NETDP_GAUSSIAN, 1, noise, 0, 1, 1, false};
    const double row[] = {0.5};
    netdp_guard *guard = NULL;
    netdp_status status = netdp_guard_open(path, &budget, &guard, &error);
    while (status == NETDP_OK) {
        double sum = NAN;
        status = netdp_guard_release(guard, &asked, row, &sum, NULL, &error);
        if (status == NETDP_OK && (isnan(sum) || write(tell, "r", 1) != 1))
            _exit(9);
    }
    if (status != NETDP_NO_ANSWER)
        fprintf(stderr, "%s\n", error.text);
    _exit(status == NETDP_NO_ANSWER ? 0 : 8);
}

static pid_t start(double noise, int tell)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        spend(noise, tell);
    assert_true(child > 0);
    return child;
}

static int64_t count(int told)
{
    char bytes[4096];
    int64_t sum = 0;
    for (ssize_t n; (n = read(told, bytes, sizeof bytes)) > 0;)
        sum += n;
    return sum;
}

static void test_killed_at_random(void **state)
{
    (void)state;
    const double noise = noise_of();
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    int pipes[2], running = PROCESSES;
    int64_t released = 0, kills = 0;
    pid_t child[PROCESSES];
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(fcntl(pipes[0], F_SETFL, O_NONBLOCK), 0);
    for (int k = 0; k < PROCESSES; k++)
        child[k] = start(noise, pipes[1]);
    while (running > 0) {
        const struct timespec nap = {0, (long)netdp_stream_below(&stream, 20000000)};
        nanosleep(&nap, NULL);
        released += count(pipes[0]);
        const int k = (int)netdp_stream_below(&stream, PROCESSES);
        for (int j = 0; j < PROCESSES; j++) {
            int ended = 0;
            if (child[j] == 0)
                continue;
            if (j == k && kills < 300)
                kill(child[j], SIGKILL);
            if (waitpid(child[j], &ended, j == k && kills < 300 ? 0 : WNOHANG) == 0)
                continue;
            if (WIFSIGNALED(ended)) {
                assert_int_equal(WTERMSIG(ended), SIGKILL);
                kills++;
                child[j] = start(noise, pipes[1]);
            } else {
                assert_int_equal(WEXITSTATUS(ended), 0);
                child[j] = 0;
                running--;
            }
        }
    }
    released += count(pipes[0]);
    netdp_guard *guard = NULL;
    netdp_spent spent;
    const netdp_budget budget = {"all", 1, 1e-5, false};
    assert_ok(netdp_guard_open(path, &budget, &guard, &error));
    assert_ok(netdp_guard_spent(guard, &spent, &error));
    netdp_guard_close(guard);
    print_message("%lld kills, %lld told of %lld spent\n", (long long)kills, (long long)released,
                  (long long)spent.releases);
    assert_int_equal(spent.releases, ALLOWED);
    assert_true(spent.epsilon <= 1);
    assert_true(released <= spent.releases && released >= spent.releases - kills);
}

/* The file is the child's to open; the parent's goes on. */
static void test_fork(void **state)
{
    (void)state;
    const netdp_budget budget = {"fork", 1, 1e-5, false};
    const netdp_release asked = {NETDP_GAUSSIAN, 1, 100, 0, 0, 1, false};
    netdp_guard *guard = NULL;
    double sum;
    int ended = 0;
    assert_ok(netdp_guard_open(path, &budget, &guard, &error));
    const pid_t child = fork();
    if (child == 0)
        _exit((int)netdp_guard_release(guard, &asked, NULL, &sum, NULL, &error));
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(WEXITSTATUS(ended), NETDP_INVALID);
    assert_ok(netdp_guard_release(guard, &asked, NULL, &sum, NULL, &error));
    netdp_guard_close(guard);
}

int main(void)
{
    strcpy(folder, "/tmp/netdp-guard-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/budget", folder);
    netdp_guard *guard = NULL;
    const netdp_budget budget = {"all", 1, 1e-5, false};
    int failed = 77;
    if (netdp_guard_open(path, &budget, &guard, &error) == NETDP_OK) {
        netdp_guard_close(guard);
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_killed_at_random),
            cmocka_unit_test(test_fork),
        };
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    } else {
        puts(error.text);
        failed = strstr(error.text, "without SQLite") != NULL ? 77 : 1;
    }
    static const char *const beside[] = {"", "-wal", "-shm"};
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        char file[80];
        snprintf(file, sizeof file, "%s%s", path, beside[k]);
        unlink(file);
    }
    rmdir(folder);
    return failed;
}
