#include "base/sealed.h"

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

netdp_status netdp_i_sealed_commit(json_t *object, netdp_i_output *output, netdp_error *error)
{
    char digest[DIGITS + 1];
    put_zeros(digest);
    OWNED_BY(free)
    char *text =
        json_object_set_new(object, "sha256", json_string(digest)) != 0
            ? NULL
            : json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII);
    if (text == NULL || netdp_i_json_failed()) {
        netdp_i_output_drop(output);
        return netdp_i_no_memory(error);
    }
    const size_t length = strlen(text);
    char *digits = find_digits(text, length);
    text[length] = '\n'; /* the file's last byte, where the text ended */
    digest_text(text, length + 1, digest);
    memcpy(digits, digest, DIGITS);
    fwrite(text, 1, length + 1, output->stream);
    return netdp_i_output_commit(output, error);
}

netdp_status netdp_i_sealed_write(json_t *object, const char *path, netdp_error *error)
{
    netdp_i_output output;
    TRY(netdp_i_output_open_private(&output, path, error));
    return netdp_i_sealed_commit(object, &output, error);
}

/* Is its digest that of its other bytes? The text has zeros in its place then. */
static bool holds(char *text, size_t length)
{
    char held[DIGITS + 1], digest[DIGITS + 1];
    char *digits = find_digits(text, length);
    if (digits == NULL)
        return false;
    put_zeros(digest);
    memcpy(held, digits, DIGITS);
    memcpy(digits, digest, DIGITS);
    digest_text(text, length, digest);
    return memcmp(held, digest, DIGITS) == 0;
}

netdp_status netdp_i_sealed_read(const char *path, json_t **object, netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t length = 0;
    json_error_t why;
    TRY(netdp_i_file_load(path, &text, &length, error));
    *object = holds(text, (size_t)length)
                  ? json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &why)
                  : NULL;
    REFUSE(*object == NULL, "%s: is not as netdp wrote it", path);
    return NETDP_OK;
}

netdp_status netdp_i_sealed_load(const char *path, json_t **object, netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t length = 0;
    OWNED_BY(json_decref) json_t *plain = NULL;
    TRY(netdp_i_file_load(path, &text, &length, error));
    TRY(netdp_i_file_read_json(path, text, length, &plain, error));
    REFUSE(json_object_get(plain, "sha256") != NULL && !holds(text, (size_t)length),
           "%.300s: was changed since netdp wrote it, by hand or by a disk: its sha256 is of other "
           "bytes; bring the file back",
           path);
    *object = GIVE(plain);
    return NETDP_OK;
}

netdp_status netdp_i_file_digest(const char *path, char digest[65], netdp_error *error)
{
    enum { PART = 1 << 16 };
    unsigned char hash[HASH];
    OWNED unsigned char *part = NETDP_I_NEW(unsigned char, PART);
    crypto_hash_sha256_state state;
    if (part == NULL)
        return netdp_i_no_memory(error);
    FILE *stream = fopen(path, "rb");
    crypto_hash_sha256_init(&state);
    for (size_t got = 1; stream != NULL && got > 0;) {
        got = fread(part, 1, PART, stream);
        crypto_hash_sha256_update(&state, part, got);
    }
    netdp_status status = NETDP_OK;
    if (stream == NULL || ferror(stream))
        status =
            netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    if (stream != NULL)
        fclose(stream);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(digest, DIGITS + 1, hash, sizeof hash);
    return status;
}
