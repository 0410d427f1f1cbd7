/* The study package is strict and has one digest; keys lie in private files and make equal streams. */
#include "check.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "peer/keys.h"
#include "peer/package.h"

static netdp_error error;
static char folder[64];

static void put(const char *file, const char *text, mode_t mode)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, file);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    assert_int_equal(chmod(path, mode), 0);
}

static const char key_a[] = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
static const char key_b[] = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";

/* A roster of three with one thing another: `find` becomes `replace`. */
static const char *roster_with(const char *find, const char *replace)
{
    static char text[4096], changed[8192];
    snprintf(
        text, sizeof text,
        "{\"schema\": 1, \"netdp-package\": 1, \"title\": \"A mean of three\",\n"
        " \"members\": [{\"name\": \"north\", \"key\": \"%s\"}, {\"name\": \"south\", \"key\": "
        "\"%s\"},\n  {\"name\": \"west-1\", \"key\": null}],\n"
        " \"edges\": [[0, 1], [1, 2]], \"pairs\": [[0, 1], [0, 2], [1, 2]],\n"
        " \"coalitions\": [[0, 1]],\n"
        " \"terms\": {\"noise\": 2.5, \"pair_noise\": 10.0, \"dither\": 0.1, \"dither_decay\": "
        "0.0,\n  \"end_dither\": 0.0, \"rounds\": 20, \"contributions\": 1, \"attempts\": 2,\n"
        "  \"revealed\": 0, \"width\": 3, \"delta\": 1e-06, \"expires\": 2000000000}}\n",
        key_a, key_b);
    if (find == NULL)
        return text;
    char *at = strstr(text, find);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, replace,
             at + strlen(find));
    return changed;
}

static const char study_text[] = "title: A mean of three\n";

static netdp_status read_with(const char *find, const char *replace, netdp_i_package **package)
{
    put("study.yaml", study_text, 0644);
    put("roster.json", roster_with(find, replace), 0644);
    return netdp_i_package_read(folder, package, &error);
}

static void digest_with(const char *find, const char *replace, unsigned char digest[NETDP_I_DIGEST])
{
    netdp_i_package *package = NULL;
    assert_ok(read_with(find, replace, &package));
    assert_ok(netdp_i_package_digest(package, digest, &error));
    netdp_i_package_free(package);
}

static void test_reads_what_it_wrote(void **state)
{
    (void)state;
    netdp_i_package *package = NULL, *again = NULL;
    unsigned char first[NETDP_I_DIGEST], second[NETDP_I_DIGEST];
    assert_ok(read_with(NULL, NULL, &package));
    assert_int_equal(package->members, 3);
    assert_string_equal(package->member[2].name, "west-1");
    assert_false(package->member[2].joined);
    assert_int_equal(netdp_i_package_find(package, "south"), 1);
    assert_int_equal(netdp_i_package_find(package, "east"), -1);
    assert_int_equal(netdp_i_package_find_key(package, package->member[1].key), 1);
    assert_int_equal(package->pair[1][1], 2);
    assert_int_equal(package->coalition[0].member[1], 1);
    assert_close(package->terms.sigma, 2.5, 0, 0);
    assert_ok(netdp_i_package_digest(package, first, &error));
    assert_ok(netdp_i_package_write(package, folder, &error));
    assert_ok(netdp_i_package_read(folder, &again, &error));
    assert_ok(netdp_i_package_digest(again, second, &error));
    assert_memory_equal(first, second, NETDP_I_DIGEST);
    netdp_graph *links = NULL, *pairs = NULL;
    assert_ok(netdp_i_package_graphs(again, &links, &pairs, &error));
    assert_int_equal(netdp_graph_edges(links), 2);
    assert_int_equal(netdp_graph_edges(pairs), 3);
    netdp_graph_free(links);
    netdp_graph_free(pairs);
    netdp_i_package_free(package);
    netdp_i_package_free(again);
}

/* Blanks and the order of keys are nothing; every number, name and key is something. */
static void test_digest(void **state)
{
    (void)state;
    unsigned char first[NETDP_I_DIGEST], other[NETDP_I_DIGEST];
    digest_with(NULL, NULL, first);
    digest_with("\"revealed\": 0, \"width\": 3", "\"width\":3,   \"revealed\":0", other);
    assert_memory_equal(first, other, NETDP_I_DIGEST);
    digest_with("\"noise\": 2.5", "\"noise\": 25e-1", other);
    assert_memory_equal(first, other, NETDP_I_DIGEST);
    static const char *const changes[][2] = {
        {"2.5", "2.5000000000000004"},
        {"north", "nord"},
        {"[[0, 1], [1, 2]]", "[[0, 1], [0, 2]]"},
        {"d75a", "d75b"},
        {"[[0, 1]],", "[],"},
        {"2000000000", "2000000001"},
        {"mean of", "sum of"},
        {"\"dither\": 0.1", "\"dither\": 0.2"},
        {"[0, 2], ", ""},
        {"\"attempts\": 2", "\"attempts\": 1"},
        {"null", "\"00000000000000000000000000000000000000000000000000000000000000ff\""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        digest_with(changes[i][0], changes[i][1], other);
        assert_memory_not_equal(first, other, NETDP_I_DIGEST);
    }
    netdp_i_package *package = NULL;
    put("study.yaml", "title: Another mean of three\n", 0644);
    put("roster.json", roster_with(NULL, NULL), 0644);
    assert_ok(netdp_i_package_read(folder, &package, &error));
    assert_ok(netdp_i_package_digest(package, other, &error));
    assert_memory_not_equal(first, other, NETDP_I_DIGEST);
    netdp_i_package_free(package);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[][3] = {
        {"\"title\"", "\"color\": 1, \"title\"", "color"},
        {"\"title\": \"A mean of three\",", "", "title"},
        {"\"width\": 3", "\"width\": 3, \"width\": 3", "duplicate"},
        {"\"netdp-package\": 1", "\"netdp-package\": 2", "version"},
        {"north", "south", "twice"},
        {"north", "no/rth", "letters"},
        {"north", "", "letters"},
        {"\"key\": null", "\"key\": \"12\"", "64"},
        {"null", "\"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\"", "twice"},
        {"[[0, 1], [1, 2]]", "[[0, 1]]", "pieces"},
        {"[[0, 1], [1, 2]]", "[[1, 2], [0, 1]]", "ascending"},
        {"[[0, 1], [1, 2]]", "[[0, 1], [2, 1]]", "a < b"},
        {"[[0, 1], [1, 2]]", "[[0, 1], [1, 3]]", "a < b"},
        {"[[0, 1], [1, 2]]", "[[0, 1, 2], [1, 2]]", "edges.1"},
        {"[[0, 1]],", "[[0, 1, 2]],", "leave"},
        {"[[0, 1]],", "[[1, 0]],", "ascending"},
        {"2.5", "0.0", "noise"},
        {"2.5", "\"inf\"", "terms"},
        {"2.5", "1e999", "JSON"},
        {"10.0", "0.1", "2^-16"},
        {"10.0", "-1.0", "pair_noise"},
        {"\"contributions\": 1", "\"contributions\": 21", "contributions"},
        {"\"attempts\": 2", "\"attempts\": 0", "attempts"},
        {"\"revealed\": 0", "\"revealed\": 2", "revealed"},
        {"\"width\": 3", "\"width\": 0", "width"},
        {"1e-06", "1.0", "delta"},
        {"2000000000", "0", "expires"},
        {"\"schema\"", "schema", "JSON"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_i_package *package = NULL;
        assert_fails(read_with(bad[i][0], bad[i][1], &package), NETDP_INVALID);
        if (strstr(error.text, bad[i][2]) == NULL)
            fail_msg("'%s' for %s says: %s", bad[i][1], bad[i][0], error.text);
        assert_null(package);
    }
    /* Oversized: more than a roster may have. */
    netdp_i_package *package = NULL;
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "roster.json");
    assert_int_equal(truncate(path, (1 << 24) + 1), 0);
    assert_fails(netdp_i_package_read(folder, &package, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "oversized"));
    assert_int_equal(truncate(path, 10), 0);
    assert_fails(netdp_i_package_read(folder, &package, &error), NETDP_INVALID);
    assert_int_equal(unlink(path), 0);
    assert_fails(netdp_i_package_read(folder, &package, &error), NETDP_ENVIRONMENT);
}

static void test_admits(void **state)
{
    (void)state;
    netdp_i_package *package = NULL;
    unsigned char digest[NETDP_I_DIGEST];
    char text[NETDP_I_DIGEST_TEXT];
    assert_ok(read_with(NULL, NULL, &package));
    assert_fails(netdp_i_package_admit(package, NULL, 1900000000, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "west-1 has not joined"));
    package->member[2].joined = true;
    package->member[2].key[0] = 1;
    assert_ok(netdp_i_package_admit(package, NULL, 1900000000, &error));
    assert_fails(netdp_i_package_admit(package, NULL, 2000000000, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "expired"));
    assert_ok(netdp_i_package_digest(package, digest, &error));
    netdp_i_hex(digest, text);
    assert_ok(netdp_i_package_admit(package, text, 1900000000, &error));
    text[63] = text[63] == '0' ? '1' : '0';
    assert_fails(netdp_i_package_admit(package, text, 1900000000, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "wrong digest"));
    assert_fails(netdp_i_package_admit(package, "", 1900000000, &error), NETDP_INVALID);
    netdp_i_package_free(package);
}

static void test_no_memory(void **state)
{
    (void)state;
    put("study.yaml", study_text, 0644);
    put("roster.json", roster_with(NULL, NULL), 0644);
    const int64_t before = netdp_i_memory_live();
    for (int64_t k = 0;; k++) {
        netdp_i_package *package = NULL;
        netdp_i_memory_fail_at(k);
        const netdp_status status = netdp_i_package_read(folder, &package, &error);
        netdp_i_memory_fail_at(-1);
        netdp_i_package_free(package);
        assert_int_equal(netdp_i_memory_live(), before);
        if (status == NETDP_OK) {
            assert_true(k > 8);
            break;
        }
        assert_int_equal(status, NETDP_NO_MEMORY);
    }
}

/* ---- Keys ---- */

static void test_key_files(void **state)
{
    (void)state;
    char path[NETDP_I_PATH_ROOM];
    struct stat shape;
    netdp_i_signer *made = NULL, *loaded = NULL;
    netdp_i_file_path(path, folder, "north.key");
    assert_ok(netdp_i_signer_make(path, &made, &error));
    assert_int_equal(stat(path, &shape), 0);
    assert_int_equal(shape.st_mode & 0777, 0600);
    assert_ok(netdp_i_signer_load(path, &loaded, &error));
    assert_memory_equal(netdp_i_signer_public(made), netdp_i_signer_public(loaded), NETDP_I_KEY);
    netdp_i_signer_free(loaded);
    loaded = NULL;
    assert_fails(netdp_i_signer_make(path, &loaded, &error), NETDP_INVALID);
    assert_int_equal(chmod(path, 0640), 0);
    assert_fails(netdp_i_signer_load(path, &loaded, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "others may read"));
    static const char *const bad[] = {"", "netdp signing key 1\n", "netdp signing key 1\n0123\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("bad.key", bad[i], 0600);
        netdp_i_file_path(path, folder, "bad.key");
        assert_fails(netdp_i_signer_load(path, &loaded, &error), NETDP_INVALID);
    }
    netdp_i_file_path(path, folder, "none.key");
    assert_fails(netdp_i_signer_load(path, &loaded, &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_i_signer_load(folder, &loaded, &error), NETDP_INVALID);
    assert_null(loaded);
    netdp_i_signer_free(made);
    netdp_i_signer_free(NULL);
}

static netdp_i_signer *signer_of(const char *file)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_signer *made = NULL;
    netdp_i_file_path(path, folder, file);
    assert_ok(netdp_i_signer_make(path, &made, &error));
    return made;
}

static void test_signatures(void **state)
{
    (void)state;
    netdp_i_signer *a = signer_of("a.key"), *b = signer_of("b.key");
    unsigned char signature[NETDP_I_SIGNATURE];
    const char message[] = "spent: 0.5";
    const unsigned char *key = netdp_i_signer_public(a);
    netdp_i_sign(a, NETDP_I_SIGNED_STATEMENT, message, sizeof message, signature);
    assert_true(netdp_i_signed(key, NETDP_I_SIGNED_STATEMENT, message, sizeof message, signature));
    assert_false(netdp_i_signed(key, NETDP_I_SIGNED_JOIN, message, sizeof message, signature));
    assert_false(
        netdp_i_signed(key, NETDP_I_SIGNED_STATEMENT, message, sizeof message - 1, signature));
    assert_false(netdp_i_signed(netdp_i_signer_public(b), NETDP_I_SIGNED_STATEMENT, message,
                                sizeof message, signature));
    signature[3] ^= 1;
    assert_false(netdp_i_signed(key, NETDP_I_SIGNED_STATEMENT, message, sizeof message, signature));
    netdp_i_signer_free(a);
    netdp_i_signer_free(b);
}

static bool same_stream(netdp_i_secure *a, netdp_i_secure *b)
{
    for (int i = 0; i < 300; i++) /* beyond a block */
        if (netdp_i_secure_bits(a) != netdp_i_secure_bits(b))
            return false;
    return true;
}

/* Of one ledger of one key, as it is: not of another mode, key, number of rows, digest or signature. */
static void test_heads(void **state)
{
    (void)state;
    netdp_i_signer *a = signer_of("ha.key"), *b = signer_of("hb.key");
    const unsigned char *key = netdp_i_signer_public(a);
    netdp_i_shown_head shown = {.head = {.rows = 0x0102030405060708}};
    for (int i = 0; i < NETDP_I_DIGEST; i++)
        shown.head.digest[i] = (unsigned char)i;
    for (int test = 0; test < 2; test++) {
        netdp_i_head_sign(a, &shown.head, test, shown.signature);
        assert_true(netdp_i_head_holds(&shown, test, key));
        assert_false(netdp_i_head_holds(&shown, !test, key));
        assert_false(netdp_i_head_holds(&shown, test, netdp_i_signer_public(b)));
        for (size_t bit = 0; bit < 8 * (sizeof shown.head.digest + sizeof shown.signature); bit++) {
            netdp_i_shown_head bad = shown;
            unsigned char *at = bit / 8 < sizeof bad.head.digest
                                    ? bad.head.digest + bit / 8
                                    : bad.signature + (bit / 8 - sizeof bad.head.digest);
            *at ^= (unsigned char)(1 << bit % 8);
            assert_false(netdp_i_head_holds(&bad, test, key));
        }
        for (int bit = 0; bit < 64; bit++) {
            netdp_i_shown_head bad = shown;
            bad.head.rows ^= (uint64_t)1 << bit;
            assert_false(netdp_i_head_holds(&bad, test, key));
        }
    }
    netdp_i_signer_free(a);
    netdp_i_signer_free(b);
}

static void test_pair_streams(void **state)
{
    (void)state;
    netdp_i_signer *a = signer_of("pa.key"), *b = signer_of("pb.key");
    netdp_i_attempt first = {.study = {7}, .phase = 3, .attempt = 0}, second = first;
    netdp_i_ephemeral *ea = NULL, *eb = NULL;
    netdp_i_offer oa, ob;
    netdp_i_secure sa, sb;
    second.attempt = 1;
    assert_ok(netdp_i_ephemeral_new(a, &first, 4, &ea, &oa, &error));
    assert_ok(netdp_i_ephemeral_new(b, &first, 2, &eb, &ob, &error));
    assert_true(netdp_i_offer_holds(&oa, &first, 4, netdp_i_signer_public(a)));
    assert_false(netdp_i_offer_holds(&oa, &first, 4, netdp_i_signer_public(b)));
    assert_false(netdp_i_offer_holds(&oa, &first, 2, netdp_i_signer_public(a)));
    assert_false(netdp_i_offer_holds(&oa, &second, 4, netdp_i_signer_public(a)));
    unsigned char ka[NETDP_I_KEY], kb[NETDP_I_KEY];
    assert_true(netdp_i_pair_secret(ea, &ob, ka));
    assert_true(netdp_i_pair_secret(eb, &oa, kb));
    assert_memory_equal(ka, kb, sizeof ka);
    netdp_i_pair_stream(ea, &first, 4, 2, &ob, ka, &sa);
    netdp_i_pair_stream(eb, &first, 2, 4, &oa, kb, &sb);
    assert_true(same_stream(&sa, &sb));
    /* Another attempt, phase, study or pair: another stream. */
    netdp_i_attempt others[3] = {second, first, first};
    others[1].phase = 4;
    others[2].study[31] = 1;
    for (int i = 0; i < 4; i++) {
        netdp_i_pair_stream(ea, i < 3 ? &others[i] : &first, 4, i < 3 ? 2 : 3, &ob, ka, &sa);
        netdp_i_pair_stream(eb, &first, 2, 4, &oa, kb, &sb);
        assert_false(same_stream(&sa, &sb));
    }
    /* A point of low order is no key: everybody would know the secret. */
    memset(ob.key, 0, sizeof ob.key);
    assert_false(netdp_i_pair_secret(ea, &ob, ka));
    /* What is over leaves nothing. */
    netdp_i_secure_end(&sb);
    assert_true(sodium_is_zero((const unsigned char *)&sb, sizeof sb));
    netdp_i_ephemeral_free(ea);
    netdp_i_ephemeral_free(eb);
    netdp_i_signer_free(a);
    netdp_i_signer_free(b);
}

/* ChaCha20 as D. J. Bernstein's: the first block of key 0, nonce 0 (RFC 8439, A.1, vector 1). */
static void test_chacha(void **state)
{
    (void)state;
    const unsigned char key[NETDP_I_SECURE_KEY] = {0};
    netdp_i_secure stream, fresh[2];
    netdp_i_secure_of(key, &stream);
    assert_int_equal(netdp_i_secure_bits(&stream), 0x903df1a0ade0b876);
    assert_int_equal(netdp_i_secure_bits(&stream), 0x28bd8653e56a5d40);
    for (int i = 0; i < 2; i++)
        assert_true(netdp_i_secure_begin(&fresh[i]));
    assert_false(same_stream(&fresh[0], &fresh[1]));
}

int main(void)
{
    if (sodium_init() < 0)
        return 99;
    strcpy(folder, "/tmp/netdp-package-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 99;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_what_it_wrote),
        cmocka_unit_test(test_digest),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_admits),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_key_files),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_pair_streams),
        cmocka_unit_test(test_chacha),
    };
    const int failed = cmocka_run_group_tests_name("package", tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? failed : 99;
}
