#include "check.h"
#include "sweep.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <netdp/learn.h>
#include <netdp/random.h>

#include "base/memory.h"
#include "base/text.h"

static char folder[64];
static char csv[96];

static void put(const char *path, const char *bytes, size_t count)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/netdp-data-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(csv, sizeof csv, "%s/t.csv", folder);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(csv);
    return rmdir(folder);
}

static void test_numbers_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1},  {"-0.5", -0.5},      {"+.5", 0.5},    {"1e3", 1000},
                {"1.", 1}, {"1e999", INFINITY}, {"-1E-2", -0.01}};
    static const char *const bad[] = {"",       " 1",  "1 ",   "nan", "inf",  "0x1",
                                      "1.5abc", "1,5", "1e",   "e1",  "--1",  "+",
                                      ".",      "1e+", "1..2", "1-2", "\xff", "1\n"};
    double value = 7;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(netdp_i_read_number(good[i].text, &value));
        assert_true(value == good[i].value);
    }
    value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(netdp_i_read_number(bad[i], &value));
    assert_true(value == 7);
}

static void test_utf8_and_showing(void **state)
{
    (void)state;
    uint32_t code = 0;
    assert_int_equal(netdp_i_utf8("\xf0\x9f\x8f\xa0", 4, &code), 4);
    assert_int_equal(code, 0x1F3E0);
    static const char *const bad[] = {
        "\x80", "\xc0\x80",         "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf5", "\xf4\x90\x80\x80", "\xc3",     "\xe2\x82",     "\xc3("};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(netdp_i_utf8(bad[i], strlen(bad[i]), &code), 0);
    assert_string_equal(netdp_i_show("a\0\n\xff\u00e9", 6).text, "a\\x00\\x0a\\xff\u00e9");
    assert_string_equal(netdp_i_show_text("\u202e").text, "\\xe2\\x80\\xae");
    char big[500];
    memset(big, '\xff', sizeof big);
    for (size_t length = 0; length < sizeof big; length++) {
        netdp_i_shown shown = netdp_i_show(big, length);
        assert_true(strlen(shown.text) < sizeof shown.text);
        if (length > 20)
            assert_non_null(strstr(shown.text, "..."));
    }
}

static void test_distances(void **state)
{
    (void)state;
    assert_int_equal(netdp_i_distance("", ""), 0);
    assert_int_equal(netdp_i_distance("abc", ""), 3);
    assert_int_equal(netdp_i_distance("epsilonn", "epsilon"), 1);
    assert_int_equal(netdp_i_distance("sede", "seed"), 1);
    assert_int_equal(netdp_i_distance("kitten", "sitting"), 3);
    char a[200], b[200];
    memset(a, 'a', 199);
    memset(b, 'b', 199);
    a[199] = b[199] = '\0';
    assert_int_equal(netdp_i_distance(a, b), 63);
}

static void test_table(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_table *table = NULL;
    static const char text[] = "\xEF\xBB\xBF\"a \"\"x\"\"\",text,\"two\r\nlines\",\u00e9\r\n"
                               "1,\"any, \"\"thing\"\"\nhere\",-2.5e1,\"3\"\r\n"
                               "4,,5,6\r\n"
                               "7,nan,8,9";
    static const char *const wanted[] = {"\u00e9", "a \"x\"", "two\r\nlines"};
    static const double want[3][3] = {{3, 1, -25}, {6, 4, 5}, {9, 7, 8}};
    put(csv, text, strlen(text));
    assert_ok(netdp_table_read(csv, wanted, 3, &table, &error));
    assert_int_equal(table->rows, 3);
    assert_int_equal(table->columns, 3);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            assert_true(table->values[3 * r + c] == want[r][c]);
    for (int c = 0; c < 3; c++)
        assert_string_equal(table->name[c], wanted[c]);
    netdp_table_free(table);
    netdp_table_free(NULL);

    /* Every column; blank lines at the end; a file of one column. */
    put(csv, "a,b\n1,2\n3,4\n\n\r\n", 15);
    assert_ok(netdp_table_read(csv, NULL, 0, &table, &error));
    assert_int_equal(table->rows, 2);
    assert_true(table->values[3] == 4);
    netdp_table_free(table);
    put(csv, "a\r\n1\r\n2\r", 8);
    assert_ok(netdp_table_read(csv, NULL, 0, &table, &error));
    assert_int_equal(table->rows, 2);
    netdp_table_free(table);
}

/* `count` 0: the text's length. */
static void assert_refused(const char *bytes, size_t count, const char *column,
                           const char *fragment)
{
    netdp_error error = {0};
    netdp_table *table = NULL;
    int64_t before = netdp_i_memory_live();
    put(csv, bytes, count > 0 ? count : strlen(bytes));
    netdp_status status = netdp_table_read(csv, &column, column != NULL, &table, &error);
    if (status != NETDP_INVALID || strstr(error.text, fragment) == NULL)
        fail_msg("status %d: '%s', want '%s'", (int)status, error.text, fragment);
    assert_null(table);
    assert_int_equal(netdp_i_memory_live(), before);
    for (const char *at = error.text; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20);
}

static void test_bad_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *column;
        const char *fragment;
    } bad[] = {
        {"", 0, NULL, "t.csv: is empty; a table needs a header and rows"},
        {"\xEF\xBB\xBF", 0, NULL, "is empty"},
        {"a,b\n", 0, NULL, "has a header and no rows"},
        {"a,b\n\n\n", 0, NULL, "has a header and no rows"},
        {"a,b\n1,\n", 0, NULL, "t.csv:2: column 'b': the cell is empty"},
        {"a,b\n1,2\n1,x\n", 0, NULL, "t.csv:3: column 'b': 'x' is not a finite number"},
        {"a,b\n1,nan\n", 0, NULL, ":2: column 'b': 'nan' is not"},
        {"a,b\n1,inf\n", 0, NULL, "'inf' is not"},
        {"a,b\n1,1e999\n", 0, NULL, "'1e999' is not a finite number"},
        {"a,b\n1,0x10\n", 0, NULL, "'0x10' is not"},
        {"a,b\n1, 2\n", 0, NULL, "' 2' is not"},
        {"a,b\n1,2 \n", 0, NULL, "'2 ' is not"},
        {"a,b\n1,1.5abc\n", 0, NULL, "'1.5abc' is not"},
        {"a,b\n1,\"1\n2\"\n", 0, NULL, ":2: column 'b': '1\\x0a2' is not"},
        {"a,b\n\"x\ny\",2\n3,z\n", 0, "b", ":4: column 'b': 'z' is not"},
        {"a,b\n1\n", 0, NULL, ":2: the header has 2 cells and this row has 1"},
        {"a,b\n1,2,3\n", 0, NULL, ":2: the header has 2 cells and this row has 3"},
        {"a,b\n1,2\n\n3,4\n", 0, NULL, ":3: the header has 2 cells and this row has 1"},
        {"a\n1\n\n2\n", 0, NULL, ":3: column 'a': the cell is empty"},
        {"a,b\n1,2\n", 0, "bb", ":1: no column 'bb' among 2; the nearest name is 'b'"},
        {"a,\x1b[31m\n1,2\n", 0, "b", "the nearest name is 'a'"},
        {"a,a\n1,2\n", 0, NULL, ":1: two columns have the name 'a'"},
        {"a,a\n1,2\n", 0, "a", ":1: two columns have the name 'a'"},
        {"a,b\n\"1,2\n", 0, NULL, ":2: a quoted cell begins here and never ends"},
        {"\"a", 0, NULL, ":1: a quoted cell begins here and never ends"},
        {"a,b\n1\"2\",3\n", 0, NULL, ":2: a quote inside a cell without quotes"},
        {"a,b\n4;2,5\n", 0, NULL, ":2: '4;2' has a semicolon or tab between digits"},
        {"a,b\n1,2\n7,4\t2\n", 0, NULL, ":3: '4\\x092' has"},
        {"a;b\n1;4\t2\n", 0, NULL, ":2: '4\\x092' has"},
        {"a,b\n\"1\"2,3\n", 0, NULL, ":2: text after a closing quote"},
        {"a,b\n\"1\"\r2,3\n", 0, NULL, ":2: text after a closing quote"},
        {"a,b\n1\r,3\n", 0, NULL, "'1\\x0d' is not"},
        {"a,b\n1,\0002\n", 9, NULL, ":2: holds a NUL byte; is this a CSV file?"},
        {"a,b\n1,\xff\n", 0, NULL, ":2: byte 0xff is not UTF-8; save the table as UTF-8"},
        {"a,b\n1,\x1b[31mred\n", 0, NULL, "'\\x1b[31mred' is not"},
        {"\x89PNG\r\n\x1a\n", 0, NULL, ":1: byte 0x89 is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i].text, bad[i].count, bad[i].column, bad[i].fragment);
    static const char *const twice[] = {"a", "a"};
    netdp_error error = {0};
    netdp_table *table = NULL;
    put(csv, "a\n1\n", 4);
    assert_fails(netdp_table_read(csv, twice, 2, &table, &error), NETDP_INVALID);
    assert_fails(netdp_table_read("/nonexistent.csv", NULL, 0, &table, &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_table_read(folder, NULL, 0, &table, &error), NETDP_ENVIRONMENT);
}

static void test_huge_lines(void **state)
{
    (void)state;
    enum { SIZE = 4000000 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    memset(text, 'x', SIZE);
    assert_refused(text, SIZE, NULL, "has a header and no rows");
    assert_refused(text, SIZE, "y", "the nearest name is 'xxx");
    memset(text, ',', SIZE);
    assert_refused(text, SIZE, "y", "no column 'y' among 4000001; the nearest name is ''");
    assert_refused(text, SIZE, NULL, "two columns have the name ''");
    memset(text, '"', SIZE);
    assert_refused(text, SIZE - 1, NULL, "never ends");
    memset(text, '1', SIZE);
    memcpy(text, "a\n", 2);
    assert_refused(text, SIZE, NULL, ":2: column 'a': '11111");
    for (int i = 0; i + 8 <= SIZE; i += 8) /* 500,000 distinct names, then a row too short */
        snprintf(text + i, 9, "n%06d%c", i / 8, i + 16 <= SIZE ? ',' : '\n');
    assert_refused(text, SIZE - 1, "n499999", "no rows");
    free(text);
}

static void test_damaged_tables(void **state)
{
    (void)state;
    static const char good[] = "\"a\",b,c\r\n1,2,3\r\n4.5,\"-6\",7e2\n";
    static const char likely[] = "\",\r\n .-e0\\";
    netdp_stream stream = netdp_stream_at(4, NETDP_FOR_TEST, 0, 0);
    for (int i = 0; i < 1000; i++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (uint64_t k = netdp_stream_below(&stream, 6) + 1; k > 0; k--) {
            uint64_t bits = netdp_stream_bits(&stream);
            text[netdp_stream_below(&stream, sizeof good - 1)] =
                bits % 4 != 0 ? likely[(bits >> 2) % (sizeof likely - 1)] : (char)(bits >> 8);
        }
        netdp_error error = {0};
        netdp_table *table = NULL;
        put(csv, text, sizeof text - 1);
        netdp_status status = netdp_table_read(csv, NULL, 0, &table, &error);
        assert_true(status == NETDP_OK || status == NETDP_INVALID);
        netdp_table_free(table);
    }
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    netdp_error error = {0};
    int64_t before = netdp_i_memory_live();
    char text[8192] = "a,b,c\n";
    for (int i = 0; i < 1000; i++)
        strcat(text, "1,2,3\n");
    put(csv, text, strlen(text));
    for (sweep s = {0}; sweep_next(&s);) {
        netdp_table *table = NULL;
        s.status = netdp_table_read(csv, NULL, 0, &table, &error);
        netdp_table_free(table);
    }
    int32_t node[4];
    char *path = NULL, digest[65];
    netdp_i_memory_fail_at(0);
    netdp_status status = netdp_deal(4, 2, true, 1, node, &error);
    netdp_i_memory_fail_at(0);
    netdp_status found = netdp_data_find(folder, "t.csv", &path, &error);
    netdp_i_memory_fail_at(0);
    netdp_status summed = netdp_data_digest(csv, digest, &error);
    netdp_i_memory_fail_at(-1);
    assert_int_equal(status, NETDP_NO_MEMORY);
    assert_int_equal(found, NETDP_NO_MEMORY);
    assert_int_equal(summed, NETDP_NO_MEMORY);
    assert_null(path);
    assert_int_equal(netdp_i_memory_live(), before);
}

static void test_dealing(void **state)
{
    (void)state;
    netdp_error error = {0};
    enum { ROWS = 1003, NODES = 20 };
    int32_t node[ROWS], again[ROWS], other[ROWS];
    int held[NODES] = {0}, moved = 0;
    assert_ok(netdp_deal(ROWS, NODES, true, 5, node, &error));
    assert_ok(netdp_deal(ROWS, NODES, true, 5, again, &error));
    assert_ok(netdp_deal(ROWS, NODES, true, 6, other, &error));
    assert_memory_equal(node, again, sizeof node);
    assert_memory_not_equal(node, other, sizeof node);
    for (int i = 0; i < ROWS; i++) {
        assert_true(node[i] >= 0 && node[i] < NODES);
        held[node[i]]++;
        moved += node[i] != i % NODES;
    }
    for (int v = 0; v < NODES; v++) /* the first ROWS mod NODES nodes hold one row more */
        assert_int_equal(held[v], ROWS / NODES + (v < ROWS % NODES));
    assert_true(moved > ROWS / 2);

    assert_ok(netdp_deal(NODES, NODES, false, 5, node, &error));
    for (int i = 0; i < NODES; i++)
        assert_int_equal(node[i], i);
    assert_fails(netdp_deal(NODES + 1, NODES, false, 5, node, &error), NETDP_INVALID);
    assert_fails(netdp_deal(NODES - 1, NODES, true, 5, node, &error), NETDP_INVALID);
    assert_fails(netdp_deal(NODES - 1, NODES, false, 5, node, &error), NETDP_INVALID);
    assert_fails(netdp_deal(5, 0, true, 5, node, &error), NETDP_INVALID);
    assert_fails(netdp_deal(5, -1, true, 5, node, &error), NETDP_INVALID);
}

/* Where one row falls is uniform: 6 standard errors of a binomial (false alarm 2e-9 a node). */
static void test_dealing_is_fair(void **state)
{
    (void)state;
    netdp_error error = {0};
    enum { SEEDS = 20000, NODES = 4 };
    int count[NODES] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int32_t node[8];
        assert_ok(netdp_deal(8, NODES, true, seed, node, &error));
        count[node[0]]++;
    }
    for (int v = 0; v < NODES; v++)
        assert_close(count[v], SEEDS / 4.0, 6 * sqrt(SEEDS * 3.0 / 16), 0);
}

static void test_digest(void **state)
{
    (void)state;
    netdp_error error = {0};
    char digest[65];
    put(csv, "abc", 3); /* FIPS 180-2, appendix B.1 */
    assert_ok(netdp_data_digest(csv, digest, &error));
    assert_string_equal(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    put(csv, "", 0);
    assert_ok(netdp_data_digest(csv, digest, &error));
    assert_string_equal(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_fails(netdp_data_digest("/nonexistent", digest, &error), NETDP_ENVIRONMENT);
}

static void assert_found(const char *given, const char *file, const char *want)
{
    netdp_error error = {0};
    char *path = NULL;
    assert_ok(netdp_data_find(given, file, &path, &error));
    assert_string_equal(path, want);
    free(path);
}

/* --data, then $NETDP_DATA, ./data, ../shared/data, then the bundled files. */
static void test_finding(void **state)
{
    (void)state;
    static const char *const made[] = {"given",     "env",    "work",
                                       "work/data", "shared", "shared/data"};
    static const char *const holds[] = {"given", "env", "work/data", "shared/data"};
    netdp_error error = {0};
    char path[160], given[96], env[96], here[4096], *found = NULL;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
        snprintf(path, sizeof path, "%s/%s/meters.csv", folder, holds[i]);
        put(path, "h0\n1\n", 5);
    }
    snprintf(given, sizeof given, "%s/given", folder);
    snprintf(env, sizeof env, "%s/env", folder);
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/work", folder);
    assert_int_equal(chdir(path), 0);
    setenv("NETDP_DATA", env, 1);

    snprintf(path, sizeof path, "%s/meters.csv", given);
    assert_found(given, "meters.csv", path);
    unlink(path);
    snprintf(path, sizeof path, "%s/meters.csv", env);
    assert_found(given, "meters.csv", path);
    assert_found(NULL, "meters.csv", path);
    unlink(path);
    assert_found(given, "meters.csv", "./data/meters.csv");
    setenv("NETDP_DATA", "", 1);
    assert_found("", "meters.csv", "./data/meters.csv");
    unlink("data/meters.csv");
    assert_found(NULL, "meters.csv", "../shared/data/meters.csv");
    unlink("../shared/data/meters.csv");
    assert_ok(netdp_data_find(NULL, "meters.csv", &found, &error)); /* bundled */
    free(found);
    found = NULL;
    assert_int_equal(mkdir("data/folder.csv", 0700), 0); /* a folder is no data file */
    assert_fails(netdp_data_find(NULL, "folder.csv", &found, &error), NETDP_ENVIRONMENT);
    assert_int_equal(rmdir("data/folder.csv"), 0);
    assert_fails(netdp_data_find(given, "houses.csv", &found, &error), NETDP_ENVIRONMENT);
    assert_non_null(strstr(error.text, "openml.org/d/823"));
    assert_fails(netdp_data_find(given, "a\nb", &found, &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_data_find(given, "", &found, &error), NETDP_INVALID);
    assert_null(found);

    unsetenv("NETDP_DATA");
    assert_int_equal(chdir(here), 0);
    for (size_t i = sizeof made / sizeof *made; i-- > 0;) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

/* $NETDP_DATA or the places near the source; large sets are not everywhere. */
static char *find_or_skip(const char *file)
{
    char *path = NULL, beside[4096];
    const char *source = getenv("NETDP_SOURCE");
    snprintf(beside, sizeof beside, "%s/../shared/data", source != NULL ? source : ".");
    if (netdp_data_find(beside, file, &path, NULL) != NETDP_OK)
        skip();
    return path;
}

static void test_digests_of_what_is_here(void **state)
{
    (void)state;
    netdp_error error = {0};
    int checked = 0;
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++) {
        char beside[4096], digest[65], *path = NULL;
        const char *source = getenv("NETDP_SOURCE");
        snprintf(beside, sizeof beside, "%s/../shared/data", source != NULL ? source : ".");
        assert_int_equal(strlen(set->sha256), 64);
        if (netdp_data_find(beside, set->file, &path, &error) != NETDP_OK) {
            assert_false(set->bundled);
            continue;
        }
        assert_ok(netdp_data_digest(path, digest, &error));
        assert_string_equal(digest, set->sha256);
        free(path);
        checked++;
    }
    if (checked == 1) /* only the bundled set is here */
        skip();
}

static void test_houses(void **state)
{
    (void)state;
    char *path = find_or_skip("houses.csv");
    netdp_error error = {0};
    netdp_table *table = NULL;
    static const char *const wanted[] = {"median_house_value", "latitude"};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_ok(netdp_table_read(path, wanted, 2, &table, &error));
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_int_equal(table->rows, 20640);
    assert_true(table->values[0] == 452600 && table->values[1] == 37.88);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    print_message("houses.csv in %.1f ms\n", 1e3 * seconds);
    netdp_table_free(table);
    assert_fails(netdp_table_read(path, NULL, 0, &table, &error), NETDP_INVALID); /* label: P */
    assert_non_null(strstr(error.text, "houses.csv:2: column 'label': 'P' is not"));
    free(path);
}

static void test_meters(void **state)
{
    (void)state;
    char *path = NULL;
    netdp_error error = {0};
    netdp_table *table = NULL;
    assert_ok(netdp_data_find(NULL, "meters.csv", &path, &error));
    assert_ok(netdp_table_read(path, NULL, 0, &table, &error));
    assert_int_equal(table->rows, 32);
    assert_int_equal(table->columns, 24);
    assert_string_equal(table->name[23], "h23");
    for (int i = 0; i < 32 * 24; i++)
        assert_true(table->values[i] >= 0 && table->values[i] <= 5);
    netdp_table_free(table);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_read_strictly),
        cmocka_unit_test(test_utf8_and_showing),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_huge_lines),
        cmocka_unit_test(test_damaged_tables),
        cmocka_unit_test(test_running_out_of_memory),
        cmocka_unit_test(test_dealing),
        cmocka_unit_test(test_dealing_is_fair),
        cmocka_unit_test(test_digest),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_digests_of_what_is_here),
        cmocka_unit_test(test_houses),
        cmocka_unit_test(test_meters),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
