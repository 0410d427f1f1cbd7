/* What a ledger has spent towards whom, over all of its studies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "peer/budget.h"

enum { KEY = NETDP_I_DIGEST_TEXT - 1 };

/* A set of observers: keys in hexadecimal, ascending, one behind the other. */
typedef struct set {
    int32_t count;
    char *keys;
} set;

/* A row `study` of the ledger, with what came of it. */
typedef struct enrolled {
    unsigned char digest[NETDP_I_DIGEST];
    set members; /* without the owner */
    json_t *body;
    int32_t count;
    set *towards;   /* [count] */
    double *square; /* [count] */
    double outside, everyone;
    int64_t contributions, reserved, cycle;
    bool row;            /* it protects rows only */
    bool settled, asked; /* asked: it is the one more, and none of it is reserved yet */
} enrolled;

typedef struct studies {
    int32_t count, room;
    enrolled *study;
} studies;

/* ---- Sets ---- */

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, KEY);
}

/* Of a JSON list of keys; `without`, if not NULL, is left out. False: no memory, or no keys. */
static bool set_of(const json_t *list, const char *without, set *made)
{
    const size_t count = json_array_size(list);
    *made = (set){0, NETDP_I_NEW(char, (int64_t)count *KEY + 1)};
    if (made->keys == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *key = json_string_value(json_array_get(list, i));
        if (key == NULL || strlen(key) != KEY)
            return false;
        if (without == NULL || memcmp(key, without, KEY) != 0)
            memcpy(made->keys + KEY * (size_t)made->count++, key, KEY);
    }
    qsort(made->keys, (size_t)made->count, KEY, compare_keys);
    return true;
}

static bool has_key(const set *in, const char *key)
{
    return bsearch(key, in->keys, (size_t)in->count, KEY, compare_keys) != NULL;
}

/* Are those of `part` that are among `members` all in `whole`? */
static bool covers(const set *whole, const set *part, const set *members)
{
    for (int32_t i = 0; i < part->count; i++) {
        const char *key = part->keys + KEY * (size_t)i;
        if (has_key(members, key) && !has_key(whole, key))
            return false;
    }
    return true;
}

static bool meets(const set *part, const set *members)
{
    for (int32_t i = 0; i < part->count; i++)
        if (has_key(members, part->keys + KEY * (size_t)i))
            return true;
    return false;
}

/* ---- Studies ---- */

static void clear_studies(studies *all)
{
    for (int32_t s = 0; s < all->count; s++) {
        enrolled *study = &all->study[s];
        for (int32_t i = 0; i < study->count; i++)
            netdp_i_free(study->towards[i].keys);
        netdp_i_free(study->towards);
        netdp_i_free(study->square);
        netdp_i_free(study->members.keys);
        json_decref(study->body);
    }
    netdp_i_free(all->study);
}

static enrolled *find_study(const studies *all, const unsigned char digest[NETDP_I_DIGEST])
{
    for (int32_t s = 0; s < all->count; s++)
        if (memcmp(all->study[s].digest, digest, NETDP_I_DIGEST) == 0)
            return &all->study[s];
    return NULL;
}

/* What netdp_i_prices_text wrote. */
static netdp_status take_body(enrolled *study, netdp_error *error)
{
    json_t *members = NULL, *towards = NULL;
    json_int_t self = -1, contributions = 0, cycle = 1;
    int row = 0;
    bool fine = json_unpack(study->body, "{s:I, s:I, s?I, s?b, s:F, s:F, s:o, s:o}", "self", &self,
                            "contributions", &contributions, "cycle", &cycle, "row", &row,
                            "outside", &study->outside, "everyone", &study->everyone, "members",
                            &members, "towards", &towards) == 0 &&
                cycle >= 1;
    const char *own = fine ? json_string_value(json_array_get(members, (size_t)self)) : NULL;
    fine = fine && own != NULL && set_of(members, own, &study->members);
    study->contributions = contributions;
    study->cycle = cycle;
    study->row = row != 0;
    const size_t count = fine ? json_array_size(towards) : 0;
    study->towards = NETDP_I_NEW(set, count);
    study->square = NETDP_I_NEW(double, count);
    if (study->towards == NULL || study->square == NULL)
        return netdp_i_no_memory(error);
    for (size_t i = 0; i < count && fine; i++) {
        json_t *keys = NULL;
        fine = json_unpack(json_array_get(towards, i), "{s:o, s:F}", "members", &keys, "square",
                           &study->square[i]) == 0;
        study->count++;
        fine = set_of(keys, NULL, &study->towards[i]) && fine;
    }
    REFUSE(!fine,
           "a row 'study' of the ledger cannot be read by this netdp; use the one that wrote it");
    return NETDP_OK;
}

static netdp_status add_study(studies *all, const unsigned char digest[NETDP_I_DIGEST],
                              const char *text, size_t bytes, netdp_error *error)
{
    if (all->count == all->room) {
        const int32_t room = all->room == 0 ? 8 : 2 * all->room;
        enrolled *grown = netdp_i_grow(all->study, room, sizeof *grown);
        NEED(grown);
        all->study = grown;
        all->room = room;
    }
    enrolled *study = &all->study[all->count++];
    *study = (enrolled){.body = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL)};
    memcpy(study->digest, digest, NETDP_I_DIGEST);
    return take_body(study, error);
}

static netdp_status take_entry(void *context, const netdp_i_entry *entry, netdp_error *error)
{
    studies *all = context;
    if (entry->kind == NETDP_I_ENTRY_STUDY)
        return add_study(all, entry->of.study, (const char *)entry->body, (size_t)entry->bytes,
                         error);
    enrolled *study = find_study(all, entry->of.study);
    if (study != NULL && entry->kind == NETDP_I_ENTRY_RESERVED)
        study->reserved++;
    if (study != NULL && entry->kind == NETDP_I_ENTRY_SETTLED)
        study->settled = true;
    return NETDP_OK;
}

/* ---- Sums ---- */

/* mu^2 of one contribution towards a set that the study may not list. */
static double price_towards(const enrolled *study, const set *who)
{
    if (!meets(who, &study->members))
        return study->outside;
    double least = study->everyone;
    for (int32_t i = 0; i < study->count; i++)
        if (study->square[i] < least && covers(&study->towards[i], who, &study->members))
            least = study->square[i];
    return least;
}

/* Up, so that the sum of rounded terms is none too small. */
static double add_up(double sum, double square, int64_t contributions, int64_t cycle)
{
    const int64_t times = netdp_i_price_taken(contributions, cycle);
    return times > 0 ? nextafter(sum + netdp_i_price_times(square, times), INFINITY) : sum;
}

void netdp_i_names_append(char text[NETDP_I_NAMES_ROOM], int32_t i, int32_t count, const char *name)
{
    const size_t used = strlen(text);
    snprintf(text + used, NETDP_I_NAMES_ROOM - used, "%s%s",
             i == 0           ? ""
             : i + 1 == count ? " and "
                              : ", ",
             name != NULL ? name : "?");
}

/* By the names of the last study that knows a key. */
static char *name_set(const studies *all, const set *who)
{
    char text[NETDP_I_NAMES_ROOM] = "";
    for (int32_t i = 0; i < who->count; i++) {
        const char *key = who->keys + KEY * (size_t)i, *name = NULL;
        for (int32_t s = all->count - 1; s >= 0 && name == NULL; s--) {
            const json_t *members = json_object_get(all->study[s].body, "members"), *member;
            const json_t *names = json_object_get(all->study[s].body, "names");
            size_t k;
            json_array_foreach (members, k, member)
                if (strncmp(json_string_value(member), key, KEY) == 0)
                    name = json_string_value(json_array_get(names, k));
        }
        netdp_i_names_append(text, i, who->count, name);
    }
    return netdp_i_copy_text(who->count == 0 ? NETDP_I_EAVESDROPPER : text);
}

static netdp_status add_spent(const studies *all, const set *who, bool everyone,
                              netdp_i_account *account, netdp_error *error)
{
    for (int32_t i = 0; i < account->count; i++)
        if (account->towards[i].everyone == everyone && account->towards[i].count == who->count &&
            memcmp(account->towards[i].keys, who->keys, KEY * (size_t)who->count) == 0)
            return NETDP_OK;
    netdp_i_spent made = {.count = who->count, .everyone = everyone};
    made.keys = NETDP_I_NEW(char, KEY *(int64_t)who->count + 1);
    made.who = everyone ? netdp_i_copy_text(NETDP_I_ALL_OTHERS) : name_set(all, who);
    netdp_i_spent *grown =
        netdp_i_grow(account->towards, account->count + 1, sizeof *account->towards);
    if (grown != NULL)
        account->towards = grown;
    if (made.keys == NULL || made.who == NULL || grown == NULL) {
        netdp_i_free(made.keys);
        netdp_i_free(made.who);
        return netdp_i_no_memory(error);
    }
    memcpy(made.keys, who->keys, KEY * (size_t)who->count);
    for (int32_t s = 0; s < all->count; s++) {
        const enrolled *study = &all->study[s];
        const double square = everyone ? study->everyone : price_towards(study, who);
        const int64_t planned = study->settled ? study->reserved : study->contributions;
        made.planned = add_up(made.planned, square, planned, study->cycle);
        made.spent = add_up(made.spent, square, study->reserved, study->cycle);
        if (study->asked) {
            made.square = square;
            account->cycle = study->cycle;
            account->contributions = study->contributions;
            continue;
        }
        made.before = add_up(made.before, square, planned, study->cycle);
        made.others = add_up(made.others, square, study->reserved, study->cycle);
    }
    account->towards[account->count++] = made;
    return NETDP_OK;
}

/* Is it among them? Else it is added. */
static netdp_status add_name(netdp_i_account *account, const char *name, const char *key,
                             netdp_error *error)
{
    for (int32_t i = 0; i < account->names; i++)
        if (memcmp(account->called[i].key, key, KEY) == 0 &&
            strcmp(account->called[i].name, name) == 0)
            return NETDP_OK;
    netdp_i_called *grown =
        netdp_i_grow(account->called, account->names + 1, sizeof *account->called);
    NEED(grown);
    account->called = grown;
    grown[account->names] = (netdp_i_called){.name = netdp_i_copy_text(name)};
    memcpy(grown[account->names].key, key, KEY);
    return grown[account->names++].name != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* Of the study's members without the owner. */
static netdp_status add_names(const enrolled *study, netdp_i_account *account, netdp_error *error)
{
    const json_t *members = json_object_get(study->body, "members"), *member;
    const json_t *names = json_object_get(study->body, "names");
    size_t i;
    json_array_foreach (members, i, member) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name != NULL && has_key(&study->members, json_string_value(member)))
            TRY(add_name(account, name, json_string_value(member), error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_account_new(netdp_i_ledger *ledger, const unsigned char study[NETDP_I_DIGEST],
                                 const char *text, netdp_i_account *account, netdp_error *error)
{
    CLEARED(clear_studies) studies all = {0};
    CLEARED(netdp_i_account_clear) netdp_i_account made = {.cycle = 1};
    const set nobody = {0, (char[1]){0}};
    if (ledger != NULL)
        TRY(netdp_i_ledger_verify(ledger, take_entry, &all, NULL, error));
    if (text != NULL && find_study(&all, study) == NULL)
        TRY(add_study(&all, study, text, strlen(text), error));
    if (text != NULL)
        find_study(&all, study)->asked = true;
    for (int32_t s = 0; s < all.count; s++) {
        made.row = made.row || all.study[s].row;
        TRY(add_names(&all.study[s], &made, error));
    }
    for (int32_t s = 0; s < all.count; s++)
        for (int32_t i = 0; i < all.study[s].count; i++)
            TRY(add_spent(&all, &all.study[s].towards[i], false, &made, error));
    if (all.count > 0) {
        TRY(add_spent(&all, &nobody, false, &made, error));
        TRY(add_spent(&all, &nobody, true, &made, error));
    }
    *account = made;
    made = (netdp_i_account){0};
    return NETDP_OK;
}

double netdp_i_account_epsilon(const netdp_i_account *account, const netdp_i_spent *spent,
                               int64_t reserved, double delta)
{
    double epsilon = INFINITY;
    const double sum = add_up(spent->others, spent->square, reserved, account->cycle);
    return netdp_i_price_epsilon(sum, delta, &epsilon, NULL) == NETDP_OK ? epsilon : INFINITY;
}

void netdp_i_account_clear(netdp_i_account *account)
{
    for (int32_t i = 0; i < account->count; i++) {
        netdp_i_free(account->towards[i].keys);
        netdp_i_free(account->towards[i].who);
    }
    netdp_i_free(account->towards);
    for (int32_t i = 0; i < account->names; i++)
        netdp_i_free(account->called[i].name);
    netdp_i_free(account->called);
    *account = (netdp_i_account){0};
}
