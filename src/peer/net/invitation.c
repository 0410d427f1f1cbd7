#include "peer/net/invitation.h"

#include <sodium.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

enum { FORM = 1, CLAIM = 2 * NETDP_I_DIGEST + NETDP_I_MEMBER_NAME + 256 };

netdp_status netdp_i_invitation_make(netdp_i_package *package, const char *name,
                                     json_t **invitation, netdp_error *error)
{
    const int32_t who = netdp_i_package_find(package, name);
    REFUSE(who < 0, "'%s' is not in the roster; see roster.json", netdp_i_show_text(name).text);
    package->member[who].joined = false;
    memset(package->member[who].key, 0, NETDP_I_KEY);
    json_t *roster = netdp_i_package_roster(package);
    json_t *made = roster == NULL
                       ? NULL
                       : json_pack("{s:i, s:s, s:s, s:o}", "netdp-invitation", FORM, "name", name,
                                   "study", package->study, "roster", roster);
    NEED(made);
    *invitation = made;
    return NETDP_OK;
}

netdp_status netdp_i_invitation_read(const json_t *invitation, const char *path,
                                     netdp_i_package **package, int32_t *self, netdp_error *error)
{
    int schema, form;
    const char *name, *study;
    json_t *roster;
    json_error_t fault;
    netdp_i_package *made = NULL;
    REFUSE(json_unpack_ex((json_t *)invitation, &fault, JSON_STRICT, "{s?i, s:i, s:s, s:s, s:o}",
                          "schema", &schema, "netdp-invitation", &form, "name", &name, "study",
                          &study, "roster", &roster) != 0 ||
               form != FORM,
           "%.300s: no invitation of this version: %s", path, netdp_i_show_text(fault.text).text);
    TRY(netdp_i_package_of(roster, study, path, &made, error));
    const int32_t who = netdp_i_package_find(made, name);
    if (who < 0 || made->member[who].joined) {
        netdp_i_package_free(made);
        return netdp_i_fail(error, NETDP_INVALID,
                            "%.300s: '%s' is not in its roster, or has a key; ask for another "
                            "invitation",
                            path, netdp_i_show_text(name).text);
    }
    *package = made;
    *self = who;
    return NETDP_OK;
}

/* The digest of the package with nobody's key: what stays while members join. */
static netdp_status digest_without_keys(const netdp_i_package *package,
                                        unsigned char digest[NETDP_I_DIGEST], netdp_error *error)
{
    netdp_i_package bare = *package;
    bare.member = NETDP_I_NEW(netdp_i_member, package->members);
    NEED(bare.member);
    for (int32_t i = 0; i < package->members; i++) {
        memcpy(bare.member[i].name, package->member[i].name, NETDP_I_MEMBER_NAME);
        bare.member[i].rows = package->member[i].rows;
    }
    netdp_status status = netdp_i_package_digest(&bare, digest, error);
    netdp_i_free(bare.member);
    return status;
}

netdp_status netdp_i_package_same(const netdp_i_package *a, const netdp_i_package *b, bool *same,
                                  netdp_error *error)
{
    unsigned char first[NETDP_I_DIGEST], second[NETDP_I_DIGEST];
    TRY(digest_without_keys(a, first, error));
    TRY(digest_without_keys(b, second, error));
    *same = memcmp(first, second, sizeof first) == 0;
    return NETDP_OK;
}

/* What a member signs: the study, its key, its name and address. */
static void make_claim(const unsigned char digest[NETDP_I_DIGEST],
                       const unsigned char key[NETDP_I_KEY], const char *name, const char *address,
                       unsigned char claim[CLAIM])
{
    memset(claim, 0, CLAIM);
    memcpy(claim, digest, NETDP_I_DIGEST);
    memcpy(claim + NETDP_I_DIGEST, key, NETDP_I_KEY);
    memcpy(claim + 2 * NETDP_I_DIGEST, name, strlen(name));
    memcpy(claim + 2 * NETDP_I_DIGEST + NETDP_I_MEMBER_NAME, address, strlen(address));
}

netdp_status netdp_i_answer_make(const netdp_i_package *package, int32_t self,
                                 const netdp_i_signer *signer, const char *address, json_t **answer,
                                 netdp_error *error)
{
    unsigned char digest[NETDP_I_DIGEST], claim[CLAIM], signature[NETDP_I_SIGNATURE];
    char study[NETDP_I_DIGEST_TEXT], key[NETDP_I_DIGEST_TEXT], signed_[2 * NETDP_I_SIGNATURE + 1];
    REFUSE(strlen(address) > 255, "--listen: is longer than an address");
    TRY(digest_without_keys(package, digest, error));
    make_claim(digest, netdp_i_signer_public(signer), package->member[self].name, address, claim);
    netdp_i_sign(signer, NETDP_I_SIGNED_JOIN, claim, sizeof claim, signature);
    netdp_i_hex(digest, study);
    netdp_i_hex(netdp_i_signer_public(signer), key);
    sodium_bin2hex(signed_, sizeof signed_, signature, sizeof signature);
    *answer = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s}", "netdp-answer", FORM, "name",
                        package->member[self].name, "study", study, "key", key, "address", address,
                        "signature", signed_);
    return *answer != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_answer_take(const json_t *answer, const char *path, netdp_i_package *package,
                                 int32_t *who, char address[256], netdp_error *error)
{
    int schema, form;
    const char *name, *study, *key, *where, *signed_;
    json_error_t fault;
    unsigned char digest[NETDP_I_DIGEST], asked[NETDP_I_DIGEST], public[NETDP_I_KEY], claim[CLAIM],
        signature[NETDP_I_SIGNATURE];
    size_t bytes = 0;
    REFUSE(json_unpack_ex((json_t *)answer, &fault, JSON_STRICT,
                          "{s?i, s:i, s:s, s:s, s:s, s:s, s:s}", "schema", &schema, "netdp-answer",
                          &form, "name", &name, "study", &study, "key", &key, "address", &where,
                          "signature", &signed_) != 0 ||
               form != FORM,
           "%.300s: no answer to an invitation: %s", path, netdp_i_show_text(fault.text).text);
    TRY(digest_without_keys(package, digest, error));
    const int32_t found = netdp_i_package_find(package, name);
    REFUSE(found < 0 || !netdp_i_unhex(study, asked) || memcmp(asked, digest, sizeof digest) != 0,
           "%.300s: wrong digest: '%s' answered to another study than this package", path,
           netdp_i_show_text(name).text);
    bool holds = netdp_i_unhex(key, public) && strlen(where) < 256 && strlen(signed_) == 128 &&
                 sodium_hex2bin(signature, sizeof signature, signed_, 128, NULL, &bytes, NULL) == 0;
    if (holds) {
        make_claim(digest, public, name, where, claim);
        holds = netdp_i_signed(public, NETDP_I_SIGNED_JOIN, claim, sizeof claim, signature);
    }
    REFUSE(!holds, "%.300s: the signature does not hold; ask %s for its answer again", path,
           package->member[found].name);
    const int32_t other = netdp_i_package_find_key(package, public);
    REFUSE(other >= 0 && other != found,
           "%.300s: this key is %s's already; everybody has their own", path,
           package->member[other].name);
    REFUSE(package->member[found].joined && other != found,
           "%.300s: %s has joined with another key; invite it again first", path,
           package->member[found].name);
    package->member[found].joined = true;
    memcpy(package->member[found].key, public, NETDP_I_KEY);
    memcpy(address, where, strlen(where) + 1);
    *who = found;
    return NETDP_OK;
}
