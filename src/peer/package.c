#include "peer/package.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/graph.h"

/* A study is a page, a roster of 4096 with 10^5 links some megabytes. */
enum { LARGEST_STUDY = 1 << 21, LARGEST_ROSTER = 1 << 24 };

void netdp_i_hex(const unsigned char digest[NETDP_I_DIGEST], char text[NETDP_I_DIGEST_TEXT])
{
    sodium_bin2hex(text, NETDP_I_DIGEST_TEXT, digest, NETDP_I_DIGEST);
}

bool netdp_i_unhex(const char *text, unsigned char digest[NETDP_I_DIGEST])
{
    size_t bytes = 0;
    unsigned char read[NETDP_I_DIGEST];
    if (strlen(text) != NETDP_I_DIGEST_TEXT - 1 ||
        sodium_hex2bin(read, sizeof read, text, NETDP_I_DIGEST_TEXT - 1, NULL, &bytes, NULL) != 0 ||
        bytes != sizeof read)
        return false;
    memcpy(digest, read, sizeof read);
    return true;
}

bool netdp_i_member_named(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t length = strlen(name);
    return length > 0 && length < NETDP_I_MEMBER_NAME && name[0] != '-' &&
           strspn(name, allowed) == length;
}

int32_t netdp_i_package_find(const netdp_i_package *package, const char *name)
{
    for (int32_t i = 0; i < package->members; i++)
        if (strcmp(package->member[i].name, name) == 0)
            return i;
    return -1;
}

int32_t netdp_i_package_find_key(const netdp_i_package *package,
                                 const unsigned char key[NETDP_I_DIGEST])
{
    for (int32_t i = 0; i < package->members; i++)
        if (package->member[i].joined && memcmp(package->member[i].key, key, NETDP_I_DIGEST) == 0)
            return i;
    return -1;
}

void netdp_i_package_free(netdp_i_package *package)
{
    if (package == NULL)
        return;
    for (int32_t i = 0; i < package->coalitions; i++)
        netdp_i_free(package->coalition[i].member);
    netdp_i_free(package->coalition);
    netdp_i_free(package->pair);
    netdp_i_free(package->edge);
    netdp_i_free(package->member);
    netdp_i_free(package->study);
    netdp_i_free(package->title);
    netdp_i_free(package);
}

/* ---- Files ---- */

static netdp_status load(const char *path, int64_t largest, char **text, netdp_error *error)
{
    OWNED char *loaded = NULL;
    int64_t bytes = 0;
    TRY(netdp_i_file_load(path, &loaded, &bytes, error));
    REFUSE(bytes > largest, "%.300s: oversized: has %lld bytes, and may have %lld", path,
           (long long)bytes, (long long)largest);
    REFUSE(memchr(loaded, '\0', (size_t)bytes) != NULL, "%.300s: holds a NUL byte; it is not text",
           path);
    *text = GIVE(loaded);
    return NETDP_OK;
}

netdp_status netdp_i_package_read(const char *folder, netdp_i_package **package, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED char *study = NULL;
    OWNED char *roster = NULL;
    json_error_t fault;
    netdp_i_file_path(path, folder, "study.yaml");
    TRY(load(path, LARGEST_STUDY, &study, error));
    netdp_i_file_path(path, folder, "roster.json");
    TRY(load(path, LARGEST_ROSTER, &roster, error));
    (void)netdp_i_json_failed();
    OWNED_BY(json_decref) json_t *object = json_loads(roster, JSON_REJECT_DUPLICATES, &fault);
    if (object == NULL)
        return netdp_i_json_failed()
                   ? netdp_i_no_memory(error)
                   : netdp_i_fail(error, NETDP_INVALID, "%.300s:%d: not JSON: %s; get it anew",
                                  path, fault.line, netdp_i_show_text(fault.text).text);
    return netdp_i_package_of(object, study, path, package, error);
}

static netdp_status write_text(const char *text, const char *path, netdp_error *error)
{
    netdp_i_output output;
    TRY(netdp_i_output_open(&output, path, error));
    fputs(text, output.stream);
    return netdp_i_output_commit(&output, error);
}

/* study.yaml first: a roster that is there has its study. */
netdp_status netdp_i_package_write(const netdp_i_package *package, const char *folder,
                                   netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "study.yaml");
    TRY(write_text(package->study, path, error));
    OWNED_BY(json_decref) json_t *roster = netdp_i_package_roster(package);
    netdp_i_file_path(path, folder, "roster.json");
    NEED(roster);
    return netdp_i_json_write(roster, path, error);
}

/* ---- The digest ---- */

static void add_length(crypto_generichash_state *state, size_t length)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    crypto_generichash_update(state, bytes, sizeof bytes);
}

/*
 * BLAKE2b-256 of "netdp study package 1", the study's length and bytes, and the roster with sorted
 * keys, no blanks, and numbers of 17 digits. The roster is made from what was understood of it.
 */
netdp_status netdp_i_package_digest(const netdp_i_package *package,
                                    unsigned char digest[NETDP_I_DIGEST], netdp_error *error)
{
    static const char kind[] = "netdp study package 1";
    json_t *roster = netdp_i_package_roster(package);
    char *text = roster != NULL
                     ? json_dumps(roster, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENSURE_ASCII |
                                              JSON_REAL_PRECISION(17))
                     : NULL;
    json_decref(roster);
    NEED(text);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, NETDP_I_DIGEST);
    crypto_generichash_update(&state, (const unsigned char *)kind, sizeof kind);
    const char *const parts[] = {package->study, text};
    for (int i = 0; i < 2; i++) {
        add_length(&state, strlen(parts[i]));
        crypto_generichash_update(&state, (const unsigned char *)parts[i], strlen(parts[i]));
    }
    crypto_generichash_final(&state, digest, NETDP_I_DIGEST);
    free(text);
    return NETDP_OK;
}

netdp_status netdp_i_package_admit(const netdp_i_package *package, const char *expected,
                                   int64_t now, netdp_error *error)
{
    unsigned char digest[NETDP_I_DIGEST], wanted[NETDP_I_DIGEST];
    char text[NETDP_I_DIGEST_TEXT];
    for (int32_t i = 0; i < package->members; i++)
        REFUSE(!package->member[i].joined,
               "%s has not joined the study yet; send an invitation (netdp net "
               "invite) and take in the answer",
               package->member[i].name);
    REFUSE(now >= package->terms.expires,
           "expired: the study package is valid until %s UTC, and it is %s here; "
           "set the clock if that is wrong, or agree on another package",
           netdp_i_utc(package->terms.expires, NETDP_I_CLOCK).text,
           netdp_i_utc(now, NETDP_I_CLOCK).text);
    if (expected == NULL)
        return NETDP_OK;
    TRY(netdp_i_package_digest(package, digest, error));
    netdp_i_hex(digest, text);
    REFUSE(!netdp_i_unhex(expected, wanted) || memcmp(wanted, digest, sizeof digest) != 0,
           "wrong digest: the study package is %s, not the agreed %s; get the "
           "package that was agreed on",
           text, netdp_i_show_text(expected).text);
    return NETDP_OK;
}

/* ---- Graphs ---- */

netdp_status netdp_i_package_graphs(const netdp_i_package *package, netdp_graph **links,
                                    netdp_graph **pairs, netdp_error *error)
{
    OWNED_BY(netdp_graph_free) netdp_graph *first = NULL;
    TRY(netdp_graph_from_edges(package->members, &package->edge[0][0], package->edges, &first,
                               error));
    *pairs = NULL;
    if (package->pairs > 0)
        TRY(netdp_graph_from_edges(package->members, &package->pair[0][0], package->pairs, pairs,
                                   error));
    *links = GIVE(first);
    return NETDP_OK;
}
