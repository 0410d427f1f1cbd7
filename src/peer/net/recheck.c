#include "peer/net/recheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"
#include "peer/budget.h"
#include "study/study.h"

/* More than this above what was said is not rounding. */
#define ROUNDING 1e-9

/* What a row `study` says, and what came of it. */
typedef struct entered {
    unsigned char study[NETDP_I_DIGEST];
    json_t *body;
    int64_t reserved;
    bool settled;
    uint32_t oldest; /* version of its frames; 0: none is stored */
} entered;

typedef struct entries {
    int32_t count;
    entered *of;
} entries;

/* ---- The ledger ---- */

static void clear_entries(entries *all)
{
    for (int32_t i = 0; i < all->count; i++)
        json_decref(all->of[i].body);
    netdp_i_free(all->of);
}

static netdp_status add_study(entries *all, const netdp_i_entry *entry, netdp_error *error)
{
    entered *grown = netdp_i_grow(all->of, all->count + 1, sizeof *grown);
    NEED(grown);
    all->of = grown;
    grown[all->count] =
        (entered){.body = json_loadb((const char *)entry->body, (size_t)entry->bytes, 0, NULL)};
    memcpy(grown[all->count++].study, entry->of.study, NETDP_I_DIGEST);
    return NETDP_OK;
}

/* Of a frame as it left (peer/link/frame.h): behind its length. */
static uint32_t version_of(const netdp_i_entry *entry)
{
    return entry->bytes < NETDP_I_FRAME_HEAD ? 0 : entry->body[4] + 256U * entry->body[5];
}

static netdp_status take_entry(void *context, const netdp_i_entry *entry, netdp_error *error)
{
    entries *all = context;
    if (entry->kind == NETDP_I_ENTRY_STUDY)
        return add_study(all, entry, error);
    for (int32_t i = 0; i < all->count; i++) {
        entered *of = &all->of[i];
        if (memcmp(of->study, entry->of.study, NETDP_I_DIGEST) != 0)
            continue;
        of->reserved += entry->kind == NETDP_I_ENTRY_RESERVED;
        of->settled = of->settled || entry->kind == NETDP_I_ENTRY_SETTLED;
        const uint32_t version = entry->kind == NETDP_I_ENTRY_CONTRIBUTION ? version_of(entry) : 0;
        if (version > 0 && (of->oldest == 0 || version < of->oldest))
            of->oldest = version;
    }
    return NETDP_OK;
}

/* ---- Advisories that say that nothing printed holds ---- */

static bool is_own(const netdp_study *study, const entered *of)
{
    return netdp_i_study_owns(study) && of->oldest > 0 && of->oldest < 3;
}

static const struct {
    const char *number;
    bool (*concerns)(const netdp_study *study, const entered *of);
} advisories[] = {{"NETDP-2026-1", is_own}};

static netdp_status find_advisory(const netdp_i_package *package, const entered *of,
                                  const char **advisory, netdp_error *error)
{
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    TRY(netdp_study_parse(package->study, "study.yaml", NULL, 0, &study, error));
    for (size_t i = 0; i < sizeof advisories / sizeof *advisories; i++)
        if (advisories[i].concerns(study, of))
            *advisory = advisories[i].number;
    return NETDP_OK;
}

/* ---- Then and now ---- */

/* The numbers of a row. */
typedef struct priced {
    json_t *towards, *members, *names;
    json_int_t contributions, cycle;
    double outside, everyone;
} priced;

static bool read_row(const json_t *body, priced *row)
{
    *row = (priced){.cycle = 1};
    return json_unpack((json_t *)(uintptr_t)body, "{s:I, s?I, s:F, s:F, s:o, s:o, s?o}",
                       "contributions", &row->contributions, "cycle", &row->cycle, "outside",
                       &row->outside, "everyone", &row->everyone, "towards", &row->towards,
                       "members", &row->members, "names", &row->names) == 0 &&
           row->cycle >= 1 && json_is_array(row->towards);
}

static netdp_status fail_row(netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "a row 'study' of the ledger cannot be read by this netdp; use the one "
                        "that wrote it");
}

/* mu^2 towards these; NAN: no such row. */
static double square_of(const priced *row, const json_t *members)
{
    const json_t *one;
    size_t i;
    json_array_foreach (row->towards, i, one)
        if (json_equal(json_object_get(one, "members"), members))
            return json_is_number(json_object_get(one, "square"))
                       ? json_number_value(json_object_get(one, "square"))
                       : NAN;
    return NAN;
}

/* By the names that the row has. */
static void name_set(const priced *row, const json_t *keys, char text[NETDP_I_NAMES_ROOM])
{
    size_t i, k;
    const json_t *key, *member;
    text[0] = '\0';
    json_array_foreach (keys, i, key) {
        const char *name = NULL;
        json_array_foreach (row->members, k, member)
            if (json_equal(member, key))
                name = json_string_value(json_array_get(row->names, k));
        netdp_i_names_append(text, (int32_t)i, (int32_t)json_array_size(keys), name);
    }
}

/* mu^2 of so many contributions of the row's study. */
static double sum_of(const priced *row, double square, int64_t contributions)
{
    return netdp_i_price_times(square, netdp_i_price_taken(contributions, row->cycle));
}

/* Of `who`, by mu^2 of one contribution then and now. */
static netdp_status add(netdp_i_reaccounted *to, const char *who, const priced *then,
                        double square_then, const priced *now, double square_now,
                        netdp_error *error)
{
    netdp_i_recharged *made = &to->towards[to->count];
    const double squares[] = {sum_of(then, square_then, to->reserved),
                              sum_of(now, square_now, to->reserved),
                              sum_of(then, square_then, to->contributions),
                              sum_of(now, square_now, to->contributions_now)};
    double epsilon[4];
    if (!(square_then >= 0) || !(square_now >= 0))
        return fail_row(error);
    for (int i = 0; i < 4; i++)
        TRY(netdp_i_price_epsilon(squares[i], to->delta, &epsilon[i], error));
    if (to->advisory != NULL)
        epsilon[1] = epsilon[3] = INFINITY;
    *made = (netdp_i_recharged){.who = netdp_i_copy_text(who),
                                .spent_then = epsilon[0],
                                .spent_now = epsilon[1],
                                .most_then = epsilon[2],
                                .most_now = epsilon[3]};
    NEED(made->who);
    made->ratio = epsilon[3] == epsilon[2] ? 1 : epsilon[3] / epsilon[2];
    made->below = made->most_now > made->most_then * (1 + ROUNDING) ||
                  made->spent_now > made->spent_then * (1 + ROUNDING);
    to->count++;
    return NETDP_OK;
}

static netdp_status compare(const priced *then, const priced *now, netdp_i_reaccounted *to,
                            netdp_error *error)
{
    const json_t *one;
    size_t i;
    to->towards = NETDP_I_NEW(netdp_i_recharged, (int64_t)json_array_size(then->towards) + 2);
    NEED(to->towards);
    json_array_foreach (then->towards, i, one) {
        const json_t *members = json_object_get(one, "members");
        char who[NETDP_I_NAMES_ROOM];
        name_set(then, members, who);
        TRY(add(to, who, then, square_of(then, members), now, square_of(now, members), error));
    }
    TRY(add(to, NETDP_I_EAVESDROPPER, then, then->outside, now, now->outside, error));
    return add(to, NETDP_I_ALL_OTHERS, then, then->everyone, now, now->everyone, error);
}

/* The row as this version would write it. */
static netdp_status account_anew(const netdp_i_package *package, const unsigned char *owner,
                                 json_t **body, netdp_error *error)
{
    const int32_t self = netdp_i_package_find_key(package, owner);
    OWNED_BY(netdp_i_prices_free) netdp_i_prices *prices = NULL;
    REFUSE(self < 0, "the ledger's owner is no member of the study in the package");
    TRY(netdp_i_prices_new(package, self, &prices, error));
    OWNED_BY(free) char *text = netdp_i_prices_text(prices, package, self);
    *body = text != NULL ? json_loads(text, 0, NULL) : NULL;
    return *body != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* ---- All studies ---- */

typedef struct packages {
    int32_t count;
    netdp_i_package **of;
    unsigned char (*digest)[NETDP_I_DIGEST];
} packages;

static void clear_packages(packages *all)
{
    for (int32_t i = 0; i < all->count; i++)
        netdp_i_package_free(all->of[i]);
    netdp_i_free(all->of);
    netdp_i_free(all->digest);
}

static netdp_status read_packages(const char *const *folder, int32_t folders, packages *all,
                                  netdp_error *error)
{
    *all = (packages){.of = NETDP_I_NEW(netdp_i_package *, folders),
                      .digest = netdp_i_new(folders, sizeof *all->digest)};
    if (all->of == NULL || all->digest == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < folders; i++) {
        TRY(netdp_i_package_read(folder[i], &all->of[i], error));
        all->count++;
        TRY(netdp_i_package_digest(all->of[i], all->digest[i], error));
    }
    return NETDP_OK;
}

static netdp_status recheck_study(const entered *of, const packages *from,
                                  const unsigned char *owner, netdp_i_reaccounted *made,
                                  netdp_error *error)
{
    priced then, now;
    OWNED_BY(json_decref) json_t *body = NULL;
    const char *title = json_string_value(json_object_get(of->body, "title"));
    int32_t at = 0;
    netdp_i_hex(of->study, made->digest);
    made->title = netdp_i_copy_text(title != NULL ? title : "?");
    made->reserved = of->reserved;
    NEED(made->title);
    if (!read_row(of->body, &then))
        return fail_row(error);
    made->contributions = made->contributions_now = of->settled ? of->reserved : then.contributions;
    while (at < from->count && memcmp(from->digest[at], of->study, NETDP_I_DIGEST) != 0)
        at++;
    if (at == from->count)
        return NETDP_OK;
    made->found = true;
    made->delta = from->of[at]->terms.delta;
    TRY(account_anew(from->of[at], owner, &body, error));
    TRY(find_advisory(from->of[at], of, &made->advisory, error));
    if (!read_row(body, &now))
        return netdp_i_no_memory(error);
    if (!of->settled)
        made->contributions_now = now.contributions;
    return compare(&then, &now, made, error);
}

void netdp_i_reaccounted_clear(netdp_i_reaccounts *made)
{
    for (int32_t i = 0; i < made->count; i++) {
        netdp_i_reaccounted *study = &made->study[i];
        for (int32_t k = 0; k < study->count; k++)
            netdp_i_free(study->towards[k].who);
        netdp_i_free(study->towards);
        netdp_i_free(study->title);
    }
    netdp_i_free(made->study);
    *made = (netdp_i_reaccounts){0};
}

netdp_status netdp_i_ledger_recheck(netdp_i_ledger *ledger, const char *const *folder,
                                    int32_t folders, netdp_i_reaccounts *made, netdp_error *error)
{
    CLEARED(clear_entries) entries all = {0};
    CLEARED(clear_packages) packages from = {0};
    TRY(netdp_i_ledger_verify(ledger, take_entry, &all, NULL, error));
    TRY(read_packages(folder, folders, &from, error));
    made->study = NETDP_I_NEW(netdp_i_reaccounted, all.count);
    NEED(made->study);
    made->count = all.count;
    for (int32_t i = 0; i < all.count; i++)
        TRY(recheck_study(&all.of[i], &from, netdp_i_ledger_owner(ledger), &made->study[i], error));
    return NETDP_OK;
}
