#include "check.h"

#include <netdp/random.h>

#include <sys/stat.h>
#include "base/fail.h"
#include "base/text.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/normals.h"
#include "base/parallel.h"

#include <unistd.h>

/* Philox4x32-10 with key 0 and counter 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123's file of
   known answers). */
static void test_philox_known_answer(void **state)
{
    (void)state;
    netdp_stream stream = {{0, 0}, {0, 0, 0, 0}};
    assert_int_equal(netdp_stream_bits(&stream), 0xe169c58d6627e8d5ull);
    netdp_stream ones = {{~0u, ~0u}, {~0u, ~0u, ~0u, ~0u}};
    assert_int_equal(netdp_stream_bits(&ones), 0x41c83b0e408f276dull);
    netdp_stream pi = {{0xa4093822u, 0x299f31d0u},
                       {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
    assert_int_equal(netdp_stream_bits(&pi), 0x94fdccebd16cfe09ull);
}

static void test_streams_differ_by_each_name(void **state)
{
    (void)state;
    uint64_t seen[5] = {0};
    netdp_stream streams[5] = {
        netdp_stream_at(1, NETDP_FOR_NOISE, 2, 3), netdp_stream_at(2, NETDP_FOR_NOISE, 2, 3),
        netdp_stream_at(1, NETDP_FOR_SPLIT, 2, 3), netdp_stream_at(1, NETDP_FOR_NOISE, 4, 3),
        netdp_stream_at(1, NETDP_FOR_NOISE, 2, 5),
    };
    for (int i = 0; i < 5; i++) {
        seen[i] = netdp_stream_bits(&streams[i]);
        for (int j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
}

/* 10^6 draws: mean, variance and fourth moment within 6 standard errors (false alarm 1e-8). */
static void test_normals_have_their_moments(void **state)
{
    (void)state;
    enum { COUNT = 1000000 };
    static double x[COUNT];
    netdp_stream stream = netdp_stream_at(7, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, x, COUNT);
    double m1 = 0, m2 = 0, m4 = 0;
    for (int i = 0; i < COUNT; i++) {
        double s = x[i] * x[i];
        m1 += x[i] / COUNT;
        m2 += s / COUNT;
        m4 += s * s / COUNT;
    }
    double root = sqrt((double)COUNT);
    assert_close(m1, 0, 6 / root, 0);
    assert_close(m2, 1, 6 * sqrt(2) / root, 0);
    assert_close(m4, 3, 6 * sqrt(96) / root, 0);
}

/* How long a pair of normals is, with the C library's functions in more digits. */
static double length_of(netdp_stream stream, int draw)
{
    stream.counter[3] += (uint32_t)draw;
    const uint64_t first = netdp_stream_bits(&stream);
    const long double u = ((long double)(first >> 12) + 0.5L) * 0x1p-52L;
    const long double radius = sqrtl(-2 * logl(u));
    return (double)radius;
}

/* Of many nodes at once the same bits as of each alone, in whatever number; their lengths are Box and Muller's. */
static void test_normals_of_nodes_are_their_streams(void **state)
{
    (void)state;
    enum { NODES = 53, MOST = 7 };
    static const int32_t widths[] = {1, 2, 3, 7};
    double all[NODES * MOST], own[MOST];
    int32_t node[NODES];
    for (int32_t i = 0; i < NODES; i++)
        node[i] = 5 + i;
    const netdp_stream first = netdp_stream_at(9, NETDP_FOR_NOISE, 5, 3);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int listed = 0; listed < 2; listed++) {
            const int32_t width = widths[k];
            netdp_i_normals_of_nodes(first, listed ? node : NULL, NODES, width, all);
            for (int32_t i = 0; i < NODES; i++) {
                netdp_stream stream = netdp_stream_at(9, NETDP_FOR_NOISE, (uint32_t)node[i], 3);
                const netdp_stream begin = stream;
                netdp_stream_normals(&stream, own, (size_t)width);
                assert_int_equal(stream.counter[3], (width + 1) / 2);
                assert_memory_equal(own, all + i * width, (size_t)width * sizeof *own);
                for (int32_t j = 0; j + 1 < width; j += 2)
                    assert_close(hypot(own[j], own[j + 1]), length_of(begin, j / 2), 0, 1e-15);
            }
        }
}

static void test_below_is_uniform(void **state)
{
    (void)state;
    enum { COUNT = 300000, BOUND = 3 };
    int64_t count[BOUND] = {0};
    netdp_stream stream = netdp_stream_at(8, NETDP_FOR_TEST, 0, 0);
    for (int i = 0; i < COUNT; i++)
        count[netdp_stream_below(&stream, BOUND)]++;
    for (int k = 0; k < BOUND; k++) /* 6 standard errors of a binomial with p = 1/3 */
        assert_close((double)count[k], COUNT / 3.0, 6 * sqrt(COUNT * 2.0 / 9.0), 0);
}

static void test_memory_can_be_made_to_fail(void **state)
{
    (void)state;
    assert_null(netdp_i_new(INT64_MAX, 16));
    assert_null(netdp_i_new(-1, 1));
    int64_t before = netdp_i_memory_live();
    netdp_i_memory_fail_at(1);
    void *first = netdp_i_new(1, 1), *second = netdp_i_new(1, 1), *third = netdp_i_new(1, 1);
    netdp_i_memory_fail_at(-1);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    netdp_i_free(first);
    netdp_i_free(third);
    assert_int_equal(netdp_i_memory_live(), before);
}

/* Large arrays have pages of their own kind: zeroed, kept by growing and by shrinking. */
static void test_large_arrays_are_arrays(void **state)
{
    (void)state;
    const int64_t megabyte = 1 << 20, before = netdp_i_memory_live();
    unsigned char *memory = NULL;
    /* Again and again: sooner or later memory comes back that was in use. */
    for (int round = 0; round < 4; round++) {
        netdp_i_free(memory);
        memory = NETDP_I_NEW(unsigned char, 9 * megabyte + 5);
        assert_non_null(memory);
        for (int64_t i = 0; i < 9 * megabyte + 5; i++)
            assert_true(memory[i] == 0);
        memset(memory, 1, (size_t)(9 * megabyte + 5));
    }
    const int64_t sizes[] = {9 * megabyte + 5, 33 * megabyte, 10 * megabyte, 100, 6 * megabyte};
    int64_t kept = sizes[0];
    for (int64_t i = 0; i < kept; i++)
        memory[i] = (unsigned char)(i % 251);
    for (size_t k = 1; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned char *grown = netdp_i_grow(memory, sizes[k], 1);
        assert_non_null(grown);
        memory = grown;
        kept = sizes[k] < kept ? sizes[k] : kept;
        for (int64_t i = 0; i < kept; i++)
            assert_true(memory[i] == (unsigned char)(i % 251));
        memset(memory + kept, 1, (size_t)(sizes[k] - kept));
    }
    netdp_i_free(memory);
    assert_int_equal(netdp_i_memory_live(), before);
}

static void test_a_full_disk_leaves_no_file(void **state)
{
    (void)state;
    netdp_error error = {0};
    const double values[3] = {1, INFINITY, -0.5};
    assert_fails(netdp_i_npy_write(values, 3, 1, "/dev/full", &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_i_npy_write(values, 3, 1, "/nonexistent/x.npy", &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_i_npy_write(values, 3, 1, "/tmp", &error), NETDP_ENVIRONMENT);
}

static netdp_status fail_on_odd(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    int *visited = context;
    visited[index] = 1;
    return index % 2 == 1 ? netdp_i_fail(error, NETDP_INVALID, "piece %d", (int)index) : NETDP_OK;
}

static bool stop_at_once(void *context, const char *what, double done, double total)
{
    (void)context, (void)what, (void)done, (void)total;
    return false;
}

static void test_for_each_reports_and_stops(void **state)
{
    (void)state;
    netdp_error error = {0};
    int visited[64] = {0};
    assert_fails(netdp_i_for_each(64, fail_on_odd, visited, NULL, "test", &error), NETDP_INVALID);
    netdp_progress stop = {stop_at_once, NULL};
    assert_fails(netdp_i_for_each(1, fail_on_odd, visited, &stop, "test", &error),
                 NETDP_INTERRUPTED);
}

static void test_within_keeps_both_texts(void **state)
{
    (void)state;
    netdp_error error;
    netdp_status status = netdp_i_fail(&error, NETDP_INVALID, "inner");
    assert_int_equal(netdp_i_within(&error, status, "file %d", 3), NETDP_INVALID);
    assert_string_equal(error.text, "file 3: inner");
    char big[2000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    netdp_i_within(&error, status, "%s", big);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_string_equal(error.text + strlen(error.text) - 4, "x...");
}

static void test_errors_are_one_line(void **state)
{
    (void)state;
    netdp_error error;
    netdp_i_fail(&error, NETDP_INVALID, "'%s' \\x", "a\n\x1b[31m\x7f\xc3\xa9\xff\xe2\x80\xae\r");
    assert_string_equal(error.text, "'a\\x0a\\x1b[31m\\x7f\xc3\xa9\\xff\\xe2\\x80\\xae\\x0d' \\x");
    netdp_i_within(&error, NETDP_INVALID, "f\n");
    assert_string_equal(error.text,
                        "f\\x0a: 'a\\x0a\\x1b[31m\\x7f\xc3\xa9\\xff\\xe2\\x80\\xae\\x0d' \\x");
    char wide[2000] = "";
    for (int i = 0; i < 600; i++)
        strcat(wide, "\xc3\xa9"); /* cut at a whole character */
    netdp_i_fail(&error, NETDP_INVALID, "%s", wide);
    assert_int_equal(strspn(error.text, "\xc3\xa9"), 636);
    assert_string_equal(error.text + 636, "...");
}

static void test_rounding_up(void **state)
{
    (void)state;
    assert_string_equal(netdp_i_up(2.25408465, 6).text, "2.25409");
    assert_string_equal(netdp_i_up(4.2246991631632, 10).text, "4.224699164");
    assert_string_equal(netdp_i_up(0.1, 4).text, "0.1");
    assert_string_equal(netdp_i_up(0, 4).text, "0");
    assert_string_equal(netdp_i_up(INFINITY, 4).text, "inf");
    assert_string_equal(netdp_i_up(9.99991e-7, 4).text, "1e-06");
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    for (int i = 0; i < 100000; i++) {
        const double value = exp(100 * (netdp_stream_uniform(&stream) - 0.5));
        const int digits = 1 + (int)netdp_stream_below(&stream, 12);
        const double up = strtod(netdp_i_up(value, digits).text, NULL);
        assert_true(up >= value && up <= value * (1 + 1.001 * pow(10, 1 - digits)));
    }
    const double least[] = {0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp+1023};
    for (int i = 0; i < 2; i++)
        assert_true(strtod(netdp_i_up(least[i], 4).text, NULL) >= least[i]);
}

static void test_a_tightened_file_stays_so(void **state)
{
    (void)state;
    char path[] = "/tmp/netdp-mode-XXXXXX";
    netdp_error error;
    netdp_i_output output;
    struct stat shape;
    close(mkstemp(path)); /* 0600 */
    assert_ok(netdp_i_output_open(&output, path, &error));
    assert_ok(netdp_i_output_commit(&output, &error));
    assert_int_equal(stat(path, &shape), 0);
    assert_int_equal(shape.st_mode & 0777, 0600);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known_answer),
        cmocka_unit_test(test_streams_differ_by_each_name),
        cmocka_unit_test(test_normals_have_their_moments),
        cmocka_unit_test(test_normals_of_nodes_are_their_streams),
        cmocka_unit_test(test_below_is_uniform),
        cmocka_unit_test(test_memory_can_be_made_to_fail),
        cmocka_unit_test(test_large_arrays_are_arrays),
        cmocka_unit_test(test_a_full_disk_leaves_no_file),
        cmocka_unit_test(test_for_each_reports_and_stops),
        cmocka_unit_test(test_within_keeps_both_texts),
        cmocka_unit_test(test_errors_are_one_line),
        cmocka_unit_test(test_rounding_up),
        cmocka_unit_test(test_a_tightened_file_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
