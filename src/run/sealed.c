#include "run/sealed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sodium.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"

enum { HASH = crypto_hash_sha256_BYTES, DIGITS = 2 * HASH };

#define KEY "\"sha256\": \""

/* Stands for the digest while it is computed. */
static void put_zeros(char digest[DIGITS + 1])
{
    memset(digest, '0', DIGITS);
    digest[DIGITS] = '\0';
}

/* The digits of the last key that is called so; NULL: there are none. */
static char *find_digits(char *text, size_t length)
{
    char *found = NULL;
    for (char *next = text; (next = strstr(next, KEY)) != NULL;)
        found = next += strlen(KEY);
    return found != NULL && (size_t)(found - text) + DIGITS <= length ? found : NULL;
}

static void digest_text(const char *text, size_t length, char digest[DIGITS + 1])
{
    unsigned char hash[HASH];
    crypto_hash_sha256(hash, (const unsigned char *)text, length);
    sodium_bin2hex(digest, DIGITS + 1, hash, sizeof hash);
}

netdp_status netdp_i_sealed_write(json_t *object, const char *path, netdp_error *error)
{
    char digest[DIGITS + 1];
    netdp_i_output output;
    put_zeros(digest);
    if (json_object_set_new(object, "sha256", json_string(digest)) != 0)
        return netdp_i_no_memory(error);
    OWNED_BY(free)
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII);
    if (text == NULL || netdp_i_json_failed()) {
        free(text);
        return netdp_i_no_memory(error);
    }
    digest_text(text, strlen(text), digest);
    memcpy(find_digits(text, strlen(text)), digest, DIGITS);
    TRY(netdp_i_output_open_private(&output, path, error));
    fputs(text, output.stream);
    return netdp_i_output_commit(&output, error);
}

netdp_status netdp_i_sealed_read(const char *path, json_t **object, netdp_error *error)
{
    char *text = NULL, held[DIGITS + 1], digest[DIGITS + 1];
    int64_t length = 0;
    json_error_t why;
    TRY(netdp_i_file_load(path, &text, &length, error));
    char *digits = find_digits(text, (size_t)length);
    json_t *read = NULL;
    if (digits != NULL) {
        put_zeros(digest);
        memcpy(held, digits, DIGITS);
        memcpy(digits, digest, DIGITS);
        digest_text(text, (size_t)length, digest);
        if (memcmp(held, digest, DIGITS) == 0)
            read = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &why);
    }
    netdp_i_free(text);
    if (read == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s: is not as netdp wrote it", path);
    *object = read;
    return NETDP_OK;
}

netdp_status netdp_i_file_digest(const char *path, char digest[65], netdp_error *error)
{
    enum { PART = 1 << 16 };
    unsigned char hash[HASH], *part = NETDP_I_NEW(unsigned char, PART);
    crypto_hash_sha256_state state;
    FILE *stream = fopen(path, "rb");
    netdp_status status = part != NULL ? NETDP_OK : netdp_i_no_memory(error);
    crypto_hash_sha256_init(&state);
    for (size_t got = 1; status == NETDP_OK && stream != NULL && got > 0;) {
        got = fread(part, 1, PART, stream);
        crypto_hash_sha256_update(&state, part, got);
    }
    if (status == NETDP_OK && (stream == NULL || ferror(stream)))
        status =
            netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    if (stream != NULL)
        fclose(stream);
    netdp_i_free(part);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(digest, DIGITS + 1, hash, sizeof hash);
    return status;
}
