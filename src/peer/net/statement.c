#include "peer/net/statement.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/try.h"
#include "base/text.h"
#include "peer/budget.h"

enum { FORM = 1 };

/* What is signed: sorted keys, no blanks, 17 digits. */
static char *text_of(const json_t *content)
{
    return json_dumps(content,
                      JSON_SORT_KEYS | JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
}

/* Of the row `study`: its terms, without prices, which `towards` sums up. */
static netdp_status add_study(json_t *studies, const netdp_i_entry *entry, netdp_error *error)
{
    char digest[NETDP_I_DIGEST_TEXT];
    json_t *body = json_loadb((const char *)entry->body, (size_t)entry->bytes, 0, NULL);
    json_t *one = json_object();
    static const char *const kept[] = {"title",         "protects", "noise",   "pair_noise",
                                       "contributions", "cycle",    "exposed", "names"};
    netdp_i_hex(entry->of.study, digest);
    json_object_set_new(one, "study", json_string(digest));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (json_object_get(body, kept[i]) != NULL)
            json_object_set(one, kept[i], json_object_get(body, kept[i]));
    json_object_set_new(one, "reserved", json_integer(0));
    json_object_set_new(one, "sent", json_integer(0));
    json_object_set_new(one, "settled", json_false());
    json_decref(body);
    return json_array_append_new(studies, one) == 0 ? NETDP_OK : netdp_i_no_memory(error);
}

static json_t *find_study(json_t *studies, const unsigned char study[NETDP_I_DIGEST])
{
    char digest[NETDP_I_DIGEST_TEXT];
    json_t *one;
    size_t i;
    netdp_i_hex(study, digest);
    json_array_foreach (studies, i, one)
        if (strcmp(json_string_value(json_object_get(one, "study")), digest) == 0)
            return one;
    return NULL;
}

static void count_up(json_t *one, const char *what)
{
    json_object_set_new(one, what,
                        json_integer(json_integer_value(json_object_get(one, what)) + 1));
}

static netdp_status take_entry(void *context, const netdp_i_entry *entry, netdp_error *error)
{
    json_t *studies = context, *one = find_study(studies, entry->of.study);
    if (entry->kind == NETDP_I_ENTRY_STUDY)
        return add_study(studies, entry, error);
    if (one != NULL && entry->kind == NETDP_I_ENTRY_RESERVED)
        count_up(one, "reserved");
    if (one != NULL && entry->kind == NETDP_I_ENTRY_CONTRIBUTION)
        count_up(one, "sent");
    if (one != NULL && entry->kind == NETDP_I_ENTRY_SETTLED)
        json_object_set_new(one, "settled", json_true());
    return NETDP_OK;
}

static netdp_status list_spent(netdp_i_ledger *ledger, double delta, json_t *towards,
                               netdp_error *error)
{
    CLEARED(netdp_i_account_clear) netdp_i_account account = {0};
    TRY(netdp_i_account_new(ledger, NULL, NULL, &account, error));
    for (int32_t i = 0; i < account.count; i++) {
        const netdp_i_spent *spent = &account.towards[i];
        double epsilon = 0, most = 0;
        TRY(netdp_i_price_epsilon(spent->spent, delta, &epsilon, error));
        TRY(netdp_i_price_epsilon(spent->planned, delta, &most, error));
        json_t *keys = json_array();
        for (int32_t k = 0; k < spent->count; k++)
            json_array_append_new(keys, json_stringn(spent->keys + 64 * (size_t)k, 64));
        json_array_append_new(towards,
                              json_pack("{s:s, s:o, s:o, s:o, s:f, s:f}", "who", spent->who, "keys",
                                        keys, "epsilon", netdp_i_json_double(epsilon),
                                        "epsilon_at_most", netdp_i_json_double(most), "square",
                                        spent->spent, "square_at_most", spent->planned));
    }
    return NETDP_OK;
}

netdp_status netdp_i_statement_make(netdp_i_ledger *ledger, double delta,
                                    const netdp_i_signer *signer, json_t **statement,
                                    netdp_error *error)
{
    netdp_i_ledger_head head;
    char owner[NETDP_I_DIGEST_TEXT], digest[NETDP_I_DIGEST_TEXT];
    REFUSE(signer != NULL && memcmp(netdp_i_signer_public(signer), netdp_i_ledger_owner(ledger),
                                    NETDP_I_KEY) != 0,
           "the key is not that of the ledger's owner; give the owner's");
    (void)netdp_i_json_failed();
    OWNED_BY(json_decref) json_t *studies = json_array();
    OWNED_BY(json_decref) json_t *towards = json_array();
    TRY(netdp_i_ledger_verify(ledger, take_entry, studies, &head, error));
    TRY(list_spent(ledger, delta, towards, error));
    netdp_i_hex(netdp_i_ledger_owner(ledger), owner);
    netdp_i_hex(head.digest, digest);
    OWNED_BY(json_decref)
    json_t *content = json_pack("{s:s, s:I, s:f, s:s, s:{s:I, s:s}, s:O, s:O}", "owner", owner,
                                "time", (json_int_t)time(NULL), "delta", delta, "netdp",
                                netdp_version(), "ledger", "rows", (json_int_t)head.rows, "head",
                                digest, "studies", studies, "towards", towards);
    unsigned char signature[NETDP_I_SIGNATURE];
    char hex[2 * NETDP_I_SIGNATURE + 1];
    OWNED_BY(free) char *text = content != NULL ? text_of(content) : NULL;
    if (text != NULL && signer != NULL) {
        netdp_i_sign(signer, NETDP_I_SIGNED_STATEMENT, text, strlen(text), signature);
        sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
    }
    OWNED_BY(json_decref)
    json_t *whole = json_pack("{s:i, s:O, s:s*}", "netdp-statement", FORM, "content", content,
                              "signature", text != NULL && signer != NULL ? hex : NULL);
    if (whole == NULL || text == NULL || netdp_i_json_failed())
        return netdp_i_no_memory(error);
    *statement = GIVE(whole);
    return NETDP_OK;
}

netdp_status netdp_i_statement_check(const json_t *statement, const char *path, netdp_error *error)
{
    int schema = 0, form = 0;
    json_t *content = NULL;
    const char *hex = NULL, *owner = NULL;
    unsigned char key[NETDP_I_KEY], signature[NETDP_I_SIGNATURE];
    size_t bytes = 0;
    json_error_t fault;
    REFUSE(json_unpack_ex((json_t *)statement, &fault, JSON_STRICT, "{s?i, s:i, s:o, s?s}",
                          "schema", &schema, "netdp-statement", &form, "content", &content,
                          "signature", &hex) != 0,
           "%.300s: no statement of a ledger: %s", path, netdp_i_show_text(fault.text).text);
    REFUSE(hex == NULL, "%.300s: is not signed; it says nothing about who said it", path);
    owner = json_string_value(json_object_get(content, "owner"));
    char *text = text_of(content);
    NEED(text);
    const bool holds =
        form == FORM && owner != NULL && netdp_i_unhex(owner, key) &&
        strlen(hex) == 2 * sizeof signature &&
        sodium_hex2bin(signature, sizeof signature, hex, strlen(hex), NULL, &bytes, NULL) == 0 &&
        bytes == sizeof signature &&
        netdp_i_signed(key, NETDP_I_SIGNED_STATEMENT, text, strlen(text), signature);
    free(text);
    REFUSE(!holds, "%.300s: the signature does not hold: it was changed, or somebody else wrote it",
           path);
    return NETDP_OK;
}
