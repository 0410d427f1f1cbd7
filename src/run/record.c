#include "run/record.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sodium.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

/* ---- The files ---- */

/* Files that a run leaves: accounts come with the number of a variant, "loss-2.npy", too. */
static const struct result {
    const char *name, *ending;
    bool account; /* of all pairs */
    bool private; /* says where data lie, or what was computed from them without noise, or with
                     noise that the seed undoes */
} results[] = {
    {"private", ".json", false, true}, {"model", ".json", true, true},
    {"study", ".yaml", false, true},   {"summary", ".json", false, false},
    {"trace", ".csv", false, true},    {"loss", ".csv", true, false},
    {"loss", ".npy", true, false},     {"law", ".txt", true, true},
};

/* ".16-33.proof", ".5-set.proof": of a pair of an account. */
static bool is_proof(const char *rest)
{
    const size_t from = rest[0] == '.' ? strspn(rest + 1, "0123456789") : 0;
    const char *to = rest + 1 + from;
    if (from == 0 || *to++ != '-')
        return false;
    const size_t digits = strspn(to, "0123456789");
    return (digits > 0 && strcmp(to + digits, ".proof") == 0) || strcmp(to, "set.proof") == 0;
}

/* "loss-12.csv" is "loss" and ".csv"; NULL: the run leaves no such file. */
static const struct result *result_of(const char *name)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        const size_t length = strlen(results[i].name);
        const char *rest = name + length;
        if (strncmp(name, results[i].name, length) != 0)
            continue;
        if (results[i].account && rest[0] == '-' && isdigit((unsigned char)rest[1]))
            rest += 1 + strspn(rest + 1, "0123456789");
        if (strcmp(rest, results[i].ending) == 0 ||
            (results[i].account && !results[i].private && is_proof(rest)))
            return &results[i];
    }
    return NULL;
}

static int only_results(const struct dirent *entry)
{
    return result_of(entry->d_name) != NULL;
}

/* Names in order; count -1: the folder cannot be read. */
/* The results of a folder by name; count -1: it cannot be read. */
struct results {
    struct dirent **entry;
    int count;
};

static struct results list_results(const char *folder)
{
    struct results list = {0};
    list.count = scandir(folder, &list.entry, only_results, alphasort);
    return list;
}

static void free_results(struct results *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->entry[i]);
    if (list->count >= 0)
        free(list->entry);
}

static netdp_status fail_listing(const char *folder, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: cannot read the folder", folder);
}

void netdp_i_record_clear(const char *folder)
{
    char path[NETDP_I_PATH_ROOM + 256];
    CLEARED(free_results) struct results list = list_results(folder);
    for (int i = 0; i < list.count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, list.entry[i]->d_name);
        if (strcmp(list.entry[i]->d_name, "study.yaml") != 0)
            unlink(path);
    }
}

/* ---- Whose results ---- */

netdp_status netdp_i_identity_new(const char *folder, const netdp_i_problems *problems,
                                  netdp_i_identity *identity, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    int64_t length = 0;
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    netdp_i_file_path(path, folder, "study.yaml");
    TRY(netdp_i_file_load(path, &identity->study, &length, error));
    identity->problem[0] = '\0';
    if (problems != NULL)
        netdp_i_problems_digest(problems, identity->problem);
    const char *const parts[] = {netdp_version(), identity->problem, identity->study};
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) /* with the NULs between them */
        crypto_hash_sha256_update(&state, (const unsigned char *)parts[i], strlen(parts[i]) + 1);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(identity->key, sizeof identity->key, hash, sizeof hash);
    return NETDP_OK;
}

void netdp_i_identity_clear(netdp_i_identity *identity)
{
    netdp_i_free(identity->study);
    *identity = (netdp_i_identity){0};
}

json_t *netdp_i_identity_store(const netdp_i_identity *identity)
{
    return json_pack("{s:s, s:s, s:s}", "netdp", netdp_version(), "study", identity->study,
                     "problem", identity->problem);
}

/* The next line without its blanks in front; *text moves behind it. */
static netdp_i_shown next_line(const char **text, size_t *length)
{
    const char *line = *text;
    *length = strcspn(line, "\n");
    *text = line + *length + (line[*length] == '\n');
    const size_t blanks = strspn(line, " ");
    return netdp_i_show(line + blanks, *length > blanks ? *length - blanks : 0);
}

/* The first line in which two studies differ. */
static netdp_status fail_study(const char *then, const char *now, const char *folder,
                               netdp_error *error)
{
    for (int line = 1;; line++) {
        const char *was = then, *is = now;
        size_t length, other;
        const netdp_i_shown old = next_line(&then, &length), new = next_line(&now, &other);
        if (length == other && memcmp(was, is, length) == 0)
            continue;
        return netdp_i_fail(
            error, NETDP_INVALID,
            "%s/study.yaml:%d: says '%s', and was '%s' when the run began; bring it back, or run "
            "the study as it is now: netdp run %s/study.yaml -o NEW",
            folder, line, new.text, old.text, folder);
    }
}

netdp_status netdp_i_identity_check(const netdp_i_identity *identity, const json_t *stored,
                                    const char *folder, netdp_error *error)
{
    const char *version = json_string_value(json_object_get(stored, "netdp"));
    const char *study = json_string_value(json_object_get(stored, "study"));
    const char *problem = json_string_value(json_object_get(stored, "problem"));
    REFUSE(version == NULL || study == NULL || problem == NULL,
           "%s/checkpoint: not a checkpoint; remove it to start the study anew", folder);
    REFUSE(strcmp(version, netdp_version()) != 0,
           "%s/checkpoint: is of netdp %.20s, and this is %s; go on with that one, or run the "
           "study anew: netdp run %s/study.yaml -o NEW",
           folder, version, netdp_version(), folder);
    if (strcmp(study, identity->study) != 0)
        return fail_study(study, identity->study, folder, error);
    REFUSE(identity->problem[0] != '\0' && strcmp(problem, identity->problem) != 0,
           "%s/checkpoint: the graph or the data have changed since; bring them back, or run the "
           "study anew: netdp run %s/study.yaml -o NEW",
           folder, folder);
    return NETDP_OK;
}

/* ---- Digests ---- */

static netdp_status fail_missing(const char *folder, const char *name, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s/%.200s: is missing; bring it back, or run the study anew: netdp run "
                        "%s/study.yaml -o NEW",
                        folder, name, folder);
}

static netdp_status fail_changed(const char *path, const char *folder, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: was changed after the run wrote it; bring it back, or run the study "
                        "anew: netdp run %s/study.yaml -o NEW",
                        path, folder);
}

/*
 * Of all results, {"study.yaml": {"sha256", "private"}, ...}; or of the accounts alone that `files`
 * has not yet, {"loss.csv": digest, ...}. What `accounts` names (NULL: nothing) must be as it says.
 */
static netdp_status digest_results(const char *folder, bool all, const json_t *accounts,
                                   json_t *files, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM + 256], digest[65];
    CLEARED(free_results) struct results list = list_results(folder);
    if (list.count < 0)
        return fail_listing(folder, error);
    for (int i = 0; i < list.count; i++) {
        const char *name = list.entry[i]->d_name;
        const struct result *result = result_of(name);
        const char *then = json_string_value(json_object_get(accounts, name));
        if (!all && (!result->account || json_object_get(files, name) != NULL))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        TRY(netdp_i_file_digest(path, digest, error));
        if (then != NULL && strcmp(then, digest) != 0)
            return fail_changed(path, folder, error);
        if (json_object_set_new(
                files, name,
                all ? json_pack("{s:s, s:b}", "sha256", digest, "private", (int)result->private)
                    : json_string(digest)) != 0)
            return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

netdp_status netdp_i_accounts_digest(const char *folder, json_t *files, netdp_error *error)
{
    return digest_results(folder, false, NULL, files, error);
}

/* One file against its digest. */
static netdp_status check_file(const char *folder, const char *name, const char *wanted,
                               netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM + 256], digest[65];
    snprintf(path, sizeof path, "%s/%.200s", folder, name);
    if (access(path, F_OK) != 0)
        return fail_missing(folder, name, error);
    TRY(netdp_i_file_digest(path, digest, error));
    if (wanted == NULL || strcmp(digest, wanted) != 0)
        return fail_changed(path, folder, error);
    return NETDP_OK;
}

netdp_status netdp_i_accounts_check(const char *folder, const json_t *files, netdp_error *error)
{
    const char *name;
    json_t *digest;
    json_object_foreach ((json_t *)files, name, digest)
        TRY(check_file(folder, name, json_string_value(digest), error));
    return NETDP_OK;
}

/* ---- The manifest ---- */

bool netdp_i_record_finished(const char *folder)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "manifest.json");
    return access(path, F_OK) == 0;
}

netdp_status netdp_i_record_finish(const char *folder, const netdp_i_identity *identity,
                                   const json_t *accounts, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const char *name;
    json_t *ignored;
    OWNED_BY(json_decref) json_t *files = json_object();
    NEED(files);
    TRY(digest_results(folder, true, accounts, files, error));
    json_object_foreach ((json_t *)accounts, name, ignored)
        if (json_object_get(files, name) == NULL)
            return fail_missing(folder, name, error);
    OWNED_BY(json_decref)
    json_t *manifest = json_pack("{s:s, s:s, s:O}", "netdp", netdp_version(), "inputs_sha256",
                                 identity->problem, "files", files);
    netdp_i_file_path(path, folder, "manifest.json");
    return manifest != NULL ? netdp_i_sealed_write(manifest, path, error)
                            : netdp_i_no_memory(error);
}

/* A table of losses that the run did not write would be read in place of its own. */
static netdp_status check_strangers(const char *folder, const json_t *files, netdp_error *error)
{
    CLEARED(free_results) struct results list = list_results(folder);
    if (list.count < 0)
        return fail_listing(folder, error);
    for (int i = 0; i < list.count; i++)
        REFUSE(json_object_get(files, list.entry[i]->d_name) == NULL,
               "%s/%.200s: is not of this run, whose manifest.json does not name it; remove it",
               folder, list.entry[i]->d_name);
    return NETDP_OK;
}

static netdp_status read_manifest(const char *folder, json_t **manifest, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "manifest.json");
    REFUSE(access(path, F_OK) != 0,
           "%s: has no manifest.json, so that nothing says whether its files are whole; run the "
           "study anew: netdp run %s/study.yaml -o NEW",
           folder, folder);
    netdp_status status = netdp_i_sealed_read(path, manifest, error);
    return status != NETDP_INVALID
               ? status
               : netdp_i_fail(error, status,
                              "%s: is not as netdp wrote it; bring it back, or run the study anew: "
                              "netdp run %s/study.yaml -o NEW",
                              path, folder);
}

static netdp_status check_files(const char *folder, const json_t *manifest, netdp_error *error)
{
    const json_t *files = json_object_get(manifest, "files");
    const char *name;
    json_t *file;
    json_object_foreach ((json_t *)files, name, file)
        TRY(check_file(folder, name, json_string_value(json_object_get(file, "sha256")), error));
    return check_strangers(folder, files, error);
}

netdp_status netdp_i_record_check(const char *folder, netdp_error *error)
{
    OWNED_BY(json_decref) json_t *manifest = NULL;
    TRY(read_manifest(folder, &manifest, error));
    return check_files(folder, manifest, error);
}

netdp_status netdp_i_record_check_of(const char *folder, const netdp_i_identity *identity,
                                     netdp_error *error)
{
    OWNED_BY(json_decref) json_t *manifest = NULL;
    TRY(read_manifest(folder, &manifest, error));
    TRY(check_files(folder, manifest, error));
    const char *held = json_string_value(json_object_get(manifest, "inputs_sha256"));
    REFUSE(held == NULL || strcmp(held, identity->problem) != 0,
           "%s: holds the results for another graph or other data; choose another folder with -o, "
           "or replace them with --force",
           folder);
    return NETDP_OK;
}

/* ---- What it says ---- */

static netdp_status load(const char *folder, const char *file, json_t **object, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], *text = NULL;
    int64_t bytes = 0;
    json_error_t why;
    netdp_i_file_path(path, folder, file);
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    *object = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, &why);
    netdp_i_free(text);
    REFUSE(*object == NULL, "%s:%d: %s; run the study again", path, why.line,
           netdp_i_show_text(why.text).text);
    return NETDP_OK;
}

/* The keys of `private` beside those of `summary`, in the same places. */
static bool join(json_t *summary, json_t *private)
{
    json_t *variants = json_object_get(summary, "variants"), *variant;
    size_t i;
    bool whole = true;
    json_array_foreach (json_object_get(private, "variants"), i, variant) {
        json_t *into = json_array_get(variants, i);
        whole = whole &&
                json_equal(json_object_get(into, "name"), json_object_get(variant, "name")) &&
                json_object_update_recursive(into, variant) == 0;
    }
    return whole && json_object_del(private, "variants") == 0 &&
           json_object_del(private, "private") == 0 &&
           json_object_update_recursive(summary, private) == 0;
}

netdp_status netdp_i_record_read(const char *folder, bool private, json_t **summary,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(json_decref) json_t *own = NULL;
    OWNED_BY(json_decref) json_t *read = NULL;
    TRY(load(folder, "summary.json", &read, error));
    netdp_i_file_path(path, folder, "private.json");
    if (private && access(path, F_OK) == 0) {
        TRY(load(folder, "private.json", &own, error));
        REFUSE(!join(read, own), "%s: does not fit summary.json; run the study again", path);
    }
    *summary = GIVE(read);
    return NETDP_OK;
}
