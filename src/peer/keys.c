#include "peer/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"

/* A key file: this line, which once its ledger began goes on with when, and with the digest of its first row; then 64
 * hexadecimal digits and a newline. */
static const char head[] = "netdp signing key 1\n";
static const char began[] = ", ledger of 0000-00-00T00:00:00Z begins with ";
enum {
    HEAD = sizeof head - 1,
    FILE_BYTES = HEAD + 65,
    BEGAN = sizeof began - 1,
    SINCE = 12, /* where the time stands in that */
    MOST_BYTES = FILE_BYTES + BEGAN + 64,
};

struct netdp_i_signer {
    unsigned char secret[crypto_sign_SECRETKEYBYTES]; /* the seed, then the public key */
    bool locked, has_ledger;
    unsigned char ledger[NETDP_I_DIGEST];
    char since[NETDP_I_SINCE];
};

struct netdp_i_ephemeral {
    unsigned char secret[crypto_scalarmult_SCALARBYTES];
    unsigned char public[crypto_scalarmult_BYTES];
};

/* ---- The signing key ---- */

static netdp_i_signer *new_signer(void)
{
    if (sodium_init() < 0)
        return NULL;
    netdp_i_signer *made = sodium_malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    memset(made, 0, sizeof *made);
    /* sodium_malloc locks too, but does not say whether it could. */
    made->locked = sodium_mlock(made, sizeof *made) == 0;
    return made;
}

void netdp_i_signer_free(netdp_i_signer *signer)
{
    sodium_free(signer);
}

static void expand(netdp_i_signer *signer, unsigned char seed[crypto_sign_SEEDBYTES])
{
    unsigned char public[crypto_sign_PUBLICKEYBYTES];
    crypto_sign_seed_keypair(public, signer->secret, seed);
}

static netdp_status cannot(const char *path, const char *verb, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: cannot %s the key: %s", path, verb,
                        strerror(errno));
}

static bool write_all(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = write(file, text, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        bytes -= (size_t)written;
    }
    return true;
}

/* What is half written is no key, and goes. */
static netdp_status store(const char *path, const unsigned char *seed, netdp_error *error)
{
    char text[FILE_BYTES + 1];
    const int file = netdp_i_file_open_own(path, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0)
        return errno == EEXIST
                   ? netdp_i_fail(
                         error, NETDP_INVALID,
                         "%.300s: is there already, and a key is never replaced; name another file",
                         path)
                   : cannot(path, "write", error);
    memcpy(text, head, HEAD);
    sodium_bin2hex(text + HEAD, 65, seed, crypto_sign_SEEDBYTES);
    text[FILE_BYTES - 1] = '\n';
    const bool written =
        fchmod(file, 0600) == 0 && write_all(file, text, FILE_BYTES) && fsync(file) == 0;
    sodium_memzero(text, sizeof text);
    if (close(file) == 0 && written)
        return NETDP_OK;
    netdp_status status = cannot(path, "write", error);
    unlink(path);
    return status;
}

netdp_status netdp_i_signer_make(const char *path, netdp_i_signer **signer, netdp_error *error)
{
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *made = new_signer();
    unsigned char seed[crypto_sign_SEEDBYTES];
    NEED(made);
    randombytes_buf(seed, sizeof seed);
    const netdp_status status = store(path, seed, error);
    expand(made, seed);
    sodium_memzero(seed, sizeof seed);
    TRY(status);
    *signer = GIVE(made);
    return NETDP_OK;
}

static void close_at(int *file)
{
    if (*file >= 0)
        close(*file);
}

/* The file's bytes, at most one more than a key has; the length in *bytes. */
static netdp_status load(const char *path, char text[MOST_BYTES + 1], size_t *bytes,
                         netdp_error *error)
{
    struct stat shape;
    CLEARED(close_at) int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return cannot(path, "read", error);
    *bytes = 0;
    if (fstat(file, &shape) != 0)
        return cannot(path, "read", error);
    REFUSE(!S_ISREG(shape.st_mode), "%.300s: is no file; name the key's", path);
    REFUSE((shape.st_mode & 077) != 0,
           "%.300s: others may read this key (mode %03o); make it chmod 600, and think about a new "
           "one",
           path, (unsigned)(shape.st_mode & 0777));
    while (*bytes < MOST_BYTES + 1) {
        const ssize_t got = read(file, text + *bytes, MOST_BYTES + 1 - *bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot(path, "read", error);
        if (got == 0)
            break;
        *bytes += (size_t)got;
    }
    return NETDP_OK;
}

/* What the first line says of its ledger, if it does. */
static bool take_ledger(const char *line, size_t bytes, netdp_i_signer *signer)
{
    char digest[NETDP_I_DIGEST_TEXT] = "";
    if (bytes == 0)
        return true;
    if (bytes != BEGAN + 64 || memcmp(line, began, SINCE) != 0 ||
        memcmp(line + SINCE + NETDP_I_SINCE - 1, began + SINCE + NETDP_I_SINCE - 1,
               BEGAN - SINCE - NETDP_I_SINCE + 1) != 0)
        return false;
    memcpy(digest, line + BEGAN, 64);
    memcpy(signer->since, line + SINCE, NETDP_I_SINCE - 1);
    signer->has_ledger = netdp_i_unhex(digest, signer->ledger);
    return signer->has_ledger;
}

const char *netdp_i_signer_since(const netdp_i_signer *signer)
{
    return signer->has_ledger ? signer->since : NULL;
}

bool netdp_i_signer_began(const netdp_i_signer *signer, const unsigned char first[NETDP_I_DIGEST])
{
    return memcmp(signer->ledger, first, NETDP_I_DIGEST) == 0;
}

netdp_status netdp_i_signer_begin(const char *path, netdp_i_signer *signer,
                                  const unsigned char first[NETDP_I_DIGEST], int64_t time,
                                  netdp_error *error)
{
    char seed[65], digest[NETDP_I_DIGEST_TEXT];
    netdp_i_output output = {0};
    TRY(netdp_i_output_open_own(&output, path, true, error));
    snprintf(signer->since, sizeof signer->since, "%.20s", netdp_i_utc(time, NETDP_I_ISO).text);
    memcpy(signer->ledger, first, NETDP_I_DIGEST);
    signer->has_ledger = true;
    netdp_i_hex(first, digest);
    sodium_bin2hex(seed, sizeof seed, signer->secret, crypto_sign_SEEDBYTES);
    setvbuf(output.stream, NULL, _IONBF, 0); /* no copy of the secret in a buffer */
    fprintf(output.stream, "%.*s%.*s%s%s%s\n", HEAD - 1, head, SINCE, began, signer->since,
            began + SINCE + NETDP_I_SINCE - 1, digest);
    fputs(seed, output.stream);
    fputc('\n', output.stream);
    sodium_memzero(seed, sizeof seed);
    return netdp_i_output_commit(&output, error);
}

/* The key that the file's text says, by way of `seed`. */
static netdp_status take_text(const char *path, const char *text, size_t bytes,
                              unsigned char seed[crypto_sign_SEEDBYTES], netdp_i_signer **signer,
                              netdp_error *error)
{
    size_t digits = 0;
    const char *line = memchr(text, '\n', bytes);
    const size_t first = line != NULL ? (size_t)(line - text) : 0; /* of the first line */
    REFUSE(first + 66 != bytes || first + 1 < HEAD || memcmp(text, head, HEAD - 1) != 0 ||
               text[bytes - 1] != '\n' ||
               sodium_hex2bin(seed, crypto_sign_SEEDBYTES, line + 1, 64, NULL, &digits, NULL) !=
                   0 ||
               digits != crypto_sign_SEEDBYTES,
           "%.300s: holds no signing key; name the file that netdp net made", path);
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *made = new_signer();
    NEED(made);
    REFUSE(!take_ledger(text + HEAD - 1, first + 1 - HEAD, made),
           "%.300s: what it says of its ledger is not what netdp wrote; bring the file back", path);
    expand(made, seed);
    *signer = GIVE(made);
    return NETDP_OK;
}

netdp_status netdp_i_signer_load(const char *path, netdp_i_signer **signer, netdp_error *error)
{
    char text[MOST_BYTES + 1];
    size_t bytes = 0;
    unsigned char seed[crypto_sign_SEEDBYTES] = {0};
    netdp_status status = load(path, text, &bytes, error);
    if (status == NETDP_OK)
        status = take_text(path, text, bytes, seed, signer, error);
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(text, sizeof text);
    return status;
}

const unsigned char *netdp_i_signer_public(const netdp_i_signer *signer)
{
    return signer->secret + crypto_sign_SEEDBYTES;
}

const unsigned char *netdp_i_signer_secret(const netdp_i_signer *signer)
{
    return signer->secret;
}

bool netdp_i_signer_locked(const netdp_i_signer *signer)
{
    return signer->locked;
}

/* ---- Signatures ---- */

/* What is signed is the digest of the purpose and the message. */
static void digest_of(netdp_i_signed_as what, const void *message, size_t bytes,
                      unsigned char digest[NETDP_I_DIGEST])
{
    static const char *const purposes[] = {"netdp ephemeral key 2", "netdp statement 1",
                                           "netdp join 1", "netdp ledger head 1"};
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, NETDP_I_DIGEST);
    crypto_generichash_update(&state, (const unsigned char *)purposes[what],
                              strlen(purposes[what]) + 1);
    crypto_generichash_update(&state, message, bytes);
    crypto_generichash_final(&state, digest, NETDP_I_DIGEST);
}

void netdp_i_sign(const netdp_i_signer *signer, netdp_i_signed_as what, const void *message,
                  size_t bytes, unsigned char signature[NETDP_I_SIGNATURE])
{
    unsigned char digest[NETDP_I_DIGEST];
    digest_of(what, message, bytes, digest);
    crypto_sign_detached(signature, NULL, digest, sizeof digest, signer->secret);
}

bool netdp_i_signed(const unsigned char key[NETDP_I_KEY], netdp_i_signed_as what,
                    const void *message, size_t bytes,
                    const unsigned char signature[NETDP_I_SIGNATURE])
{
    unsigned char digest[NETDP_I_DIGEST];
    digest_of(what, message, bytes, digest);
    return crypto_sign_verify_detached(signature, digest, sizeof digest, key) == 0;
}

/* ---- Ledger heads ---- */

enum { HEAD_CLAIM = 1 + 8 + NETDP_I_DIGEST };

/* Test mode or not, rows, digest. */
static void claim_head(const netdp_i_ledger_head *at, bool test, unsigned char claim[HEAD_CLAIM])
{
    claim[0] = test;
    for (int i = 0; i < 8; i++)
        claim[1 + i] = (unsigned char)(at->rows >> (8 * i));
    memcpy(claim + 9, at->digest, NETDP_I_DIGEST);
}

void netdp_i_head_sign(const netdp_i_signer *signer, const netdp_i_ledger_head *at, bool test,
                       unsigned char signature[NETDP_I_SIGNATURE])
{
    unsigned char claim[HEAD_CLAIM];
    claim_head(at, test, claim);
    netdp_i_sign(signer, NETDP_I_SIGNED_HEAD, claim, sizeof claim, signature);
}

bool netdp_i_head_holds(const netdp_i_shown_head *shown, bool test,
                        const unsigned char key[NETDP_I_KEY])
{
    unsigned char claim[HEAD_CLAIM];
    claim_head(&shown->head, test, claim);
    return netdp_i_signed(key, NETDP_I_SIGNED_HEAD, claim, sizeof claim, shown->signature);
}

/* ---- Ephemeral keys ---- */

static unsigned char *put32(unsigned char *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        *to++ = (unsigned char)(number >> (8 * i));
    return to;
}

enum { CLAIM = 1 + NETDP_I_DIGEST + 12 + NETDP_I_KEY };

/* Test mode or not, study, phase, attempt, member, key. */
static void make_claim(const netdp_i_attempt *attempt, uint32_t node,
                       const unsigned char key[NETDP_I_KEY], unsigned char claim[CLAIM])
{
    claim[0] = attempt->test;
    memcpy(claim + 1, attempt->study, NETDP_I_DIGEST);
    unsigned char *at = put32(claim + 1 + NETDP_I_DIGEST, attempt->phase);
    at = put32(at, attempt->attempt);
    at = put32(at, node);
    memcpy(at, key, NETDP_I_KEY);
}

netdp_status netdp_i_ephemeral_new(const netdp_i_signer *signer, const netdp_i_attempt *attempt,
                                   uint32_t node, netdp_i_ephemeral **ephemeral,
                                   netdp_i_offer *offer, netdp_error *error)
{
    unsigned char claim[CLAIM];
    netdp_i_ephemeral *made = sodium_malloc(sizeof *made);
    NEED(made);
    randombytes_buf(made->secret, sizeof made->secret);
    (void)crypto_scalarmult_base(made->public, made->secret);
    memcpy(offer->key, made->public, sizeof offer->key);
    make_claim(attempt, node, offer->key, claim);
    netdp_i_sign(signer, NETDP_I_SIGNED_EPHEMERAL, claim, sizeof claim, offer->signature);
    *ephemeral = made;
    return NETDP_OK;
}

void netdp_i_ephemeral_free(netdp_i_ephemeral *ephemeral)
{
    sodium_free(ephemeral);
}

/* A kept key: the secret, the public key, its signature. */
enum { KEPT = crypto_scalarmult_SCALARBYTES + sizeof(netdp_i_offer) };

static void name_kept(const char *folder, const netdp_i_attempt *attempt, char path[4096])
{
    char study[NETDP_I_DIGEST_TEXT];
    netdp_i_hex(attempt->study, study);
    snprintf(path, 4096, "%.3900s/pair-key-%.16s-%u-%u", folder, study, attempt->phase,
             attempt->attempt);
}

static netdp_status write_kept(const char *path, const netdp_i_ephemeral *ephemeral,
                               const netdp_i_offer *offer, netdp_error *error)
{
    netdp_i_output output = {0};
    TRY(netdp_i_output_open_own(&output, path, true, error));
    setvbuf(output.stream, NULL, _IONBF, 0); /* no copy of the secret in a buffer */
    fwrite(ephemeral->secret, sizeof ephemeral->secret, 1, output.stream);
    fwrite(offer, sizeof *offer, 1, output.stream);
    return netdp_i_output_commit(&output, error);
}

netdp_status netdp_i_ephemeral_keep(const char *folder, const netdp_i_signer *signer,
                                    const netdp_i_attempt *attempt, uint32_t node, bool reserved,
                                    netdp_i_ephemeral **ephemeral, netdp_i_offer *offer,
                                    netdp_error *error)
{
    char path[4096];
    OWNED_BY(netdp_i_ephemeral_free) netdp_i_ephemeral *made = NULL;
    name_kept(folder, attempt, path);
    CLEARED(close_at) int file = netdp_i_file_open_own(path, O_RDONLY);
    if (file < 0 && errno != ENOENT)
        return cannot(path, "read", error);
    REFUSE(file < 0 && reserved,
           "%.300s: is missing, though ledger.db has begun this study with that pair key, and "
           "another would spoil the result; bring the file back, or agree on a new package",
           path);
    if (file < 0) {
        TRY(netdp_i_ephemeral_new(signer, attempt, node, &made, offer, error));
        TRY(write_kept(path, made, offer, error));
        *ephemeral = GIVE(made);
        return NETDP_OK;
    }
    made = sodium_malloc(sizeof *made);
    const bool whole = made != NULL &&
                       read(file, made->secret, sizeof made->secret) == sizeof made->secret &&
                       read(file, offer, sizeof *offer) == sizeof *offer;
    REFUSE(!whole || !netdp_i_offer_holds(offer, attempt, node, netdp_i_signer_public(signer)),
           "%.300s: is no pair key of this member, study and attempt", path);
    const bool zeroed = sodium_is_zero(made->secret, sizeof made->secret);
    (void)crypto_scalarmult_base(made->public, made->secret);
    REFUSE(!zeroed && memcmp(made->public, offer->key, sizeof made->public) != 0,
           "%.300s: its secret is not that of its public key: the disk is failing or somebody "
           "wrote here; bring the file back, or agree on a new package",
           path);
    *ephemeral = zeroed ? NULL : GIVE(made);
    return NETDP_OK;
}

bool netdp_i_ephemeral_there(const char *folder, const netdp_i_attempt *attempt)
{
    char path[4096];
    name_kept(folder, attempt, path);
    return access(path, F_OK) == 0;
}

netdp_status netdp_i_ephemeral_forget(const char *folder, const netdp_i_attempt *attempt,
                                      bool there, netdp_error *error)
{
    static const unsigned char nothing[crypto_scalarmult_SCALARBYTES];
    char path[4096];
    name_kept(folder, attempt, path);
    const int file = netdp_i_file_open_own(path, O_WRONLY);
    if (file < 0 && errno == ENOENT && !there)
        return NETDP_OK;
    const bool gone =
        file >= 0 && write(file, nothing, sizeof nothing) == sizeof nothing && fsync(file) == 0;
    netdp_status status = gone ? NETDP_OK : cannot(path, "zero", error);
    if (file >= 0)
        close(file);
    return status;
}

bool netdp_i_offer_holds(const netdp_i_offer *offer, const netdp_i_attempt *attempt, uint32_t node,
                         const unsigned char key[NETDP_I_KEY])
{
    unsigned char claim[CLAIM];
    make_claim(attempt, node, offer->key, claim);
    return netdp_i_signed(key, NETDP_I_SIGNED_EPHEMERAL, claim, sizeof claim, offer->signature);
}

bool netdp_i_offer_is_key(const netdp_i_offer *offer)
{
    static const unsigned char any[crypto_scalarmult_SCALARBYTES] = {8};
    unsigned char shared[crypto_scalarmult_BYTES];
    return crypto_scalarmult(shared, any, offer->key) == 0;
}

bool netdp_i_pair_secret(const netdp_i_ephemeral *ephemeral, const netdp_i_offer *offer,
                         unsigned char secret[NETDP_I_KEY])
{
    return crypto_scalarmult(secret, ephemeral->secret, offer->key) == 0;
}

/*
 * Key = BLAKE2b-256, keyed by the X25519 secret, of "netdp pair stream 1", study, phase, attempt, the
 * two members ascending and their public keys in that order.
 */
void netdp_i_pair_stream(const netdp_i_ephemeral *ephemeral, const netdp_i_attempt *attempt,
                         uint32_t mine, uint32_t theirs, const netdp_i_offer *offer,
                         const unsigned char secret[NETDP_I_KEY], netdp_i_secure *stream)
{
    static const char purpose[] = "netdp pair stream 1";
    unsigned char key[NETDP_I_SECURE_KEY];
    unsigned char place[NETDP_I_DIGEST + 16];
    const bool first = mine < theirs;
    memcpy(place, attempt->study, NETDP_I_DIGEST);
    unsigned char *at = put32(place + NETDP_I_DIGEST, attempt->phase);
    at = put32(at, attempt->attempt);
    at = put32(at, first ? mine : theirs);
    (void)put32(at, first ? theirs : mine);
    crypto_generichash_state state;
    crypto_generichash_init(&state, secret, NETDP_I_KEY, sizeof key);
    crypto_generichash_update(&state, (const unsigned char *)purpose, sizeof purpose);
    crypto_generichash_update(&state, place, sizeof place);
    crypto_generichash_update(&state, first ? ephemeral->public : offer->key, NETDP_I_KEY);
    crypto_generichash_update(&state, first ? offer->key : ephemeral->public, NETDP_I_KEY);
    crypto_generichash_final(&state, key, sizeof key);
    netdp_i_secure_of(key, stream);
    sodium_memzero(&state, sizeof state);
    sodium_memzero(key, sizeof key);
}

void netdp_i_own_stream(const netdp_i_ephemeral *ephemeral, const netdp_i_attempt *attempt,
                        const double *value, int32_t width, netdp_i_secure *stream)
{
    static const char purpose[] = "netdp own stream 1";
    unsigned char key[NETDP_I_SECURE_KEY], place[8];
    (void)put32(put32(place, attempt->phase), attempt->attempt);
    crypto_generichash_state state;
    crypto_generichash_init(&state, ephemeral->secret, sizeof ephemeral->secret, sizeof key);
    crypto_generichash_update(&state, (const unsigned char *)purpose, sizeof purpose);
    crypto_generichash_update(&state, attempt->study, sizeof attempt->study);
    crypto_generichash_update(&state, place, sizeof place);
    crypto_generichash_update(&state, (const unsigned char *)value, (size_t)width * sizeof *value);
    crypto_generichash_final(&state, key, sizeof key);
    netdp_i_secure_of(key, stream);
    sodium_memzero(&state, sizeof state);
    sodium_memzero(key, sizeof key);
}
