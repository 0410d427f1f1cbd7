#include "peer/budget.h"

#include <cyaml/cyaml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "study/lines.h"

enum { LARGEST = 1 << 20 };

/* ---- budget.yaml ---- */

typedef struct allowance_text {
    char *name, *epsilon;
} allowance_text;

typedef struct budget_text {
    char *delta, *protects, *peer, *coalition, *total;
    allowance_text *peers;
    uint32_t peers_count;
} budget_text;

#define TEXT_FIELD(type, key, flags)                                                               \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | (flags), type, key, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t allowance_fields[] = {
    TEXT_FIELD(allowance_text, name, 0), TEXT_FIELD(allowance_text, epsilon, 0), CYAML_FIELD_END};
static const cyaml_schema_value_t allowance_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, allowance_text, allowance_fields)};
static const cyaml_schema_field_t budget_fields[] = {
    TEXT_FIELD(budget_text, delta, 0),
    TEXT_FIELD(budget_text, protects, CYAML_FLAG_OPTIONAL),
    TEXT_FIELD(budget_text, peer, CYAML_FLAG_OPTIONAL),
    TEXT_FIELD(budget_text, coalition, CYAML_FLAG_OPTIONAL),
    TEXT_FIELD(budget_text, total, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_SEQUENCE("peers", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, budget_text, peers,
                         &allowance_schema, 0, NETDP_I_MOST_MEMBERS),
    CYAML_FIELD_END};
static const cyaml_schema_value_t budget_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, budget_text, budget_fields)};

static void *allocate(void *context, void *memory, size_t bytes)
{
    (void)context;
    if (bytes > 0)
        return netdp_i_grow(memory, (int64_t)bytes, 1);
    netdp_i_free(memory);
    return NULL;
}

static const cyaml_config_t config = {
    .mem_fn = allocate, .log_level = CYAML_LOG_ERROR, .flags = CYAML_CFG_NO_ALIAS};

/* What is wrong with its shape: the first key that a budget has not, else what cyaml says. */
static netdp_status complain(cyaml_err_t code, const char *path, const netdp_i_lines *lines,
                             netdp_error *error)
{
    static const char known[] = " delta protects peer coalition total peers name epsilon ";
    if (code == CYAML_ERR_OOM)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < lines->count; i++) {
        char word[96];
        snprintf(word, sizeof word, " %s ", lines->at[i].key);
        REFUSE(strspn(lines->at[i].key, "0123456789") == 0 && strstr(known, word) == NULL,
               "%.300s:%lld: unknown key '%s'; a budget has delta, protects, peer, coalition, "
               "total, and peers with name and epsilon",
               path, (long long)lines->at[i].line, netdp_i_show_text(lines->at[i].key).text);
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "%.300s: not a budget: %s; it has delta, protects, peer, coalition, total, "
                        "and peers with name and epsilon",
                        path, cyaml_strerror(code));
}

/* NULL, or the word none: infinite, not limited. */
static netdp_status read_limit(const char *path, const netdp_i_lines *lines, const char *name,
                               const char *text, double *limit, netdp_error *error)
{
    double read = INFINITY;
    REFUSE(text != NULL && strcmp(text, "none") != 0 &&
               (!netdp_i_read_number(text, &read) || !(read >= 0) || isinf(read)),
           "%.300s:%lld: %s: '%s' is no epsilon; give a number from 0, or none", path,
           (long long)netdp_i_lines_of(lines, name), name, netdp_i_show_text(text).text);
    *limit = read;
    return NETDP_OK;
}

static netdp_status take_budget(const char *path, const netdp_i_lines *lines,
                                const budget_text *text, netdp_i_budget *made, netdp_error *error)
{
    char name[40];
    REFUSE(!netdp_i_read_number(text->delta, &made->delta) || !(made->delta > 0 && made->delta < 1),
           "%.300s:%lld: delta: must lie between 0 and 1, such as 1e-6", path,
           (long long)netdp_i_lines_of(lines, "delta"));
    made->row = text->protects != NULL && strcmp(text->protects, "row") == 0;
    REFUSE(text->protects != NULL && !made->row && strcmp(text->protects, "node") != 0,
           "%.300s:%lld: protects: must be node or row", path,
           (long long)netdp_i_lines_of(lines, "protects"));
    TRY(read_limit(path, lines, "peer", text->peer, &made->peer, error));
    TRY(read_limit(path, lines, "coalition", text->coalition, &made->coalition, error));
    TRY(read_limit(path, lines, "total", text->total, &made->total, error));
    made->whole = text->total != NULL;
    made->peers = NETDP_I_NEW(netdp_i_allowance, text->peers_count);
    made->path = netdp_i_copy_text(path);
    if (made->peers == NULL || made->path == NULL)
        return netdp_i_no_memory(error);
    for (uint32_t i = 0; i < text->peers_count; i++) {
        snprintf(name, sizeof name, "peers.%u.epsilon", i + 1);
        made->peers[i].name = netdp_i_copy_text(text->peers[i].name);
        made->count++;
        NEED(made->peers[i].name);
        TRY(read_limit(path, lines, name, text->peers[i].epsilon, &made->peers[i].epsilon, error));
    }
    REFUSE(made->whole && isinf(made->peer) && isinf(made->coalition) && isinf(made->total),
           "%.300s: limits nothing; give peer, coalition or total", path);
    return NETDP_OK;
}

netdp_status netdp_i_budget_read(const char *path, netdp_i_budget *budget, netdp_error *error)
{
    OWNED char *bytes = NULL;
    int64_t count = 0;
    CLEARED(netdp_i_lines_free) netdp_i_lines lines = {0};
    CLEARED(netdp_i_budget_clear) netdp_i_budget made = {0};
    cyaml_data_t *read = NULL;
    TRY(netdp_i_file_load(path, &bytes, &count, error));
    REFUSE(count > LARGEST || memchr(bytes, '\0', (size_t)count) != NULL,
           "%.300s: is no budget: too large, or no text", path);
    TRY(netdp_i_lines_read(path, bytes, count, &lines, error));
    const cyaml_err_t code = cyaml_load_data((const uint8_t *)bytes, (size_t)count, &config,
                                             &budget_schema, &read, NULL);
    const netdp_status status = code == CYAML_OK ? take_budget(path, &lines, read, &made, error)
                                                 : complain(code, path, &lines, error);
    if (read != NULL)
        cyaml_free(&config, &budget_schema, read, 0);
    TRY(status);
    *budget = made;
    made = (netdp_i_budget){0};
    return NETDP_OK;
}

void netdp_i_budget_clear(netdp_i_budget *budget)
{
    for (int32_t i = 0; i < budget->count; i++)
        netdp_i_free(budget->peers[i].name);
    netdp_i_free(budget->peers);
    netdp_i_free(budget->path);
    *budget = (netdp_i_budget){0};
}

/* ---- Admission ---- */

/* Does the owner mean this key by that name, in any study? */
static bool is_called(const netdp_i_account *account, const char *name, const char *key)
{
    for (int32_t i = 0; i < account->names; i++)
        if (strcmp(account->called[i].name, name) == 0 &&
            (key == NULL || memcmp(account->called[i].key, key, NETDP_I_DIGEST_TEXT - 1) == 0))
            return true;
    return false;
}

/* A name that nobody has limits nothing, which is not what its owner wants. */
static netdp_status check_names(const netdp_i_budget *budget, const netdp_i_account *account,
                                netdp_error *error)
{
    char known[240] = "";
    int32_t i = 0;
    while (i < budget->count && is_called(account, budget->peers[i].name, NULL))
        i++;
    if (i == budget->count)
        return NETDP_OK;
    size_t used = 0;
    for (int32_t k = account->names - 1; k >= 0 && used < sizeof known - 1; k--)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "",
                                 account->called[k].name);
    if (used >= sizeof known)
        memcpy(known + sizeof known - 4, "...", 4);
    return netdp_i_fail(error, NETDP_INVALID,
                        "%.200s: peers.%d: '%.60s' is no other participant of this study, nor of "
                        "one in ledger.db; name one of %s, or leave the limit out",
                        budget->path, (int)i + 1, netdp_i_show_text(budget->peers[i].name).text,
                        known);
}

double netdp_i_budget_limit(const netdp_i_budget *budget, const netdp_i_account *account,
                            const netdp_i_spent *spent)
{
    if (spent->everyone && !budget->whole)
        return netdp_i_account_epsilon(account, &(netdp_i_spent){.square = spent->square},
                                       account->contributions, budget->delta);
    if (spent->everyone)
        return budget->total;
    double limit = spent->count > 1 ? budget->coalition : budget->peer;
    for (int32_t i = 0; i < budget->count && spent->count == 1; i++)
        if (is_called(account, budget->peers[i].name, spent->keys))
            limit = fmin(limit, budget->peers[i].epsilon);
    return limit;
}

static netdp_status check(const netdp_i_budget *budget, const netdp_i_account *account,
                          const netdp_i_spent *spent, netdp_error *error)
{
    const double limit = netdp_i_budget_limit(budget, account, spent);
    double epsilon = 0, before = 0;
    TRY(netdp_i_price_epsilon(spent->planned, budget->delta, &epsilon, error));
    TRY(netdp_i_price_epsilon(spent->before, budget->delta, &before, error));
    if (epsilon <= limit)
        return NETDP_OK;
    if (spent->everyone && !budget->whole)
        return netdp_i_fail(
            error, NETDP_NO_ANSWER,
            "%.300s: has no total: what all others together may learn is then limited to this "
            "study alone, epsilon %s at delta %g, and with the studies of ledger.db it would be "
            "%s; to allow that, write 'total: %s', or 'total: none'; nothing was reserved",
            budget->path, netdp_i_up(limit, 4).text, budget->delta, netdp_i_up(epsilon, 4).text,
            netdp_i_up(epsilon, 4).text);
    return netdp_i_fail(error, NETDP_NO_ANSWER,
                        "%.300s: towards %.120s this study would make it epsilon %s at delta %g, "
                        "%s more than the %g allowed (%s before it); nothing was reserved",
                        budget->path, spent->who, netdp_i_up(epsilon, 4).text, budget->delta,
                        netdp_i_up(epsilon - limit, 3).text, limit, netdp_i_up(before, 4).text);
}

/* What comes of a package: its digest, what the ledger's row `study` will say, and the account with it. */
typedef struct examined {
    unsigned char study[NETDP_I_DIGEST];
    char *text;
    netdp_i_account account;
} examined;

static void examined_clear(examined *e)
{
    free(e->text);
    netdp_i_account_clear(&e->account);
}

static netdp_status examine(const netdp_i_budget *budget, netdp_i_ledger *ledger,
                            const netdp_i_package *package, int32_t self, examined *e,
                            netdp_error *error)
{
    OWNED_BY(netdp_i_prices_free) netdp_i_prices *prices = NULL;
    TRY(netdp_i_package_digest(package, e->study, error));
    TRY(netdp_i_prices_new(package, self, &prices, error));
    NEED(e->text = netdp_i_prices_text(prices, package, self));
    TRY(netdp_i_account_new(ledger, e->study, e->text, &e->account, error));
    if (e->account.row && !budget->row)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "%.300s: limits what is learnt of all of these data, and a study "
                            "protects one row only; to limit that, say protects: row",
                            budget->path);
    TRY(check_names(budget, &e->account, error));
    for (int32_t i = 0; i < e->account.count; i++)
        TRY(check(budget, &e->account, &e->account.towards[i], error));
    return NETDP_OK;
}

netdp_status netdp_i_budget_check(const netdp_i_budget *budget, netdp_i_ledger *ledger,
                                  const netdp_i_package *package, int32_t self, netdp_error *error)
{
    CLEARED(examined_clear) examined e = {.text = NULL};
    return examine(budget, ledger, package, self, &e, error);
}

netdp_status netdp_i_budget_admit(const netdp_i_budget *budget, netdp_i_ledger *ledger,
                                  const netdp_i_package *package, int32_t self,
                                  netdp_i_account *account, netdp_error *error)
{
    CLEARED(examined_clear) examined e = {.text = NULL};
    TRY(examine(budget, ledger, package, self, &e, error));
    TRY(netdp_i_ledger_enrol(ledger, e.study, e.text, error));
    if (account != NULL) {
        *account = e.account;
        e.account = (netdp_i_account){0};
    }
    return NETDP_OK;
}
