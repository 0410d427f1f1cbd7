/* roster.json, to a package and back: strict, so that a package has one meaning and one digest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/graph.h"
#include "peer/package.h"
#include "protocol/noise.h"

/* The form of roster.json; another number is refused. */
enum { FORM = 1, MOST_EDGES = 1 << 20, MOST_COALITIONS = 256 };

/* ---- Writing ---- */

static json_t *list_edges(int32_t count, int32_t (*const edge)[2])
{
    json_t *list = json_array();
    for (int32_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("[i,i]", (int)edge[i][0], (int)edge[i][1]));
    return list;
}

static json_t *list_members(const netdp_i_package *package)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < package->members; i++) {
        const netdp_i_member *member = &package->member[i];
        char key[NETDP_I_DIGEST_TEXT];
        netdp_i_hex(member->key, key);
        json_t *one =
            json_pack("{s:s, s:s?}", "name", member->name, "key", member->joined ? key : NULL);
        if (member->rows > 0)
            json_object_set_new(one, "rows", json_integer(member->rows));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *list_coalitions(const netdp_i_package *package)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < package->coalitions; i++) {
        json_t *one = json_array();
        for (int32_t k = 0; k < package->coalition[i].count; k++)
            json_array_append_new(one, json_integer(package->coalition[i].member[k]));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *pack_terms(const netdp_i_terms *t)
{
    json_t *object = json_pack("{s:f}", "noise", t->sigma);
    netdp_i_noise_show(&t->noise, ~0U, object);
    json_object_update_new(object, json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:I}", "rounds",
                                             (json_int_t)t->rounds, "contributions",
                                             (json_int_t)t->contributions, "attempts",
                                             (json_int_t)t->attempts, "revealed",
                                             (json_int_t)t->revealed, "width", (json_int_t)t->width,
                                             "delta", t->delta, "expires", (json_int_t)t->expires));
    return object;
}

json_t *netdp_i_package_roster(const netdp_i_package *package)
{
    (void)netdp_i_json_failed();
    json_t *object =
        json_pack("{s:i, s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "schema", 1, "netdp-package", FORM,
                  "title", package->title, "members", list_members(package), "edges",
                  list_edges(package->edges, package->edge), "pairs",
                  list_edges(package->pairs, package->pair), "coalitions", list_coalitions(package),
                  "terms", pack_terms(&package->terms));
    if (netdp_i_json_failed()) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* ---- Reading ---- */

typedef struct reading {
    const char *where;
    netdp_i_package *made;
    netdp_error *error;
} reading;

static netdp_status refuse(const reading *from, const char *what, int32_t number, const char *why)
{
    if (number < 0)
        return netdp_i_fail(from->error, NETDP_INVALID, "%.300s: %s: %s", from->where, what, why);
    return netdp_i_fail(from->error, NETDP_INVALID, "%.300s: %s.%d: %s", from->where, what,
                        (int)number + 1, why);
}

/* What jansson says of an object that has not the keys it should have. */
static netdp_status refuse_shape(const reading *from, const char *what, int32_t number,
                                 const json_error_t *fault)
{
    return refuse(from, what, number, netdp_i_show_text(fault->text).text);
}

static netdp_status read_member(const reading *from, int32_t i, const json_t *entry)
{
    netdp_i_member *member = &from->made->member[i];
    const char *name, *key = NULL;
    json_error_t fault;
    json_t *keyed;
    json_int_t rows = 0;
    if (json_unpack_ex((json_t *)entry, &fault, JSON_STRICT, "{s:s, s:o, s?I}", "name", &name,
                       "key", &keyed, "rows", &rows) != 0)
        return refuse_shape(from, "members", i, &fault);
    if (json_object_get(entry, "rows") != NULL && (rows < 1 || rows > NETDP_I_MOST_ROWS))
        return refuse(from, "members", i, "rows must be from 1 to 2^24");
    member->rows = rows;
    if (!netdp_i_member_named(name))
        return refuse(
            from, "members", i,
            "the name must be 1 to 63 letters, digits, '-' and '_', and not begin with '-'");
    from->made->members = i; /* whoever comes before */
    if (netdp_i_package_find(from->made, name) >= 0)
        return refuse(from, "members", i, "this name is there twice; names are distinct");
    for (int32_t k = 0; k < (int32_t)i; k++)
        if (netdp_i_hardly_differ(from->made->member[k].name, name))
            return refuse(from, "members", i,
                          "this name and another differ in case alone; give one another name");
    memcpy(member->name, name, strlen(name) + 1);
    member->joined = !json_is_null(keyed);
    if (member->joined) {
        key = json_string_value(keyed);
        if (key == NULL || !netdp_i_unhex(key, member->key))
            return refuse(from, "members", i,
                          "the key must be 64 hexadecimal digits, or null: not joined yet");
        if (netdp_i_package_find_key(from->made, member->key) >= 0)
            return refuse(from, "members", i, "this key is there twice; everybody has their own");
    }
    from->made->members = i + 1;
    return NETDP_OK;
}

static netdp_status read_members(const reading *from, const json_t *list)
{
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count < 2 || count > NETDP_I_MOST_MEMBERS)
        return refuse(from, "members", -1, "must be a list of 2 to 4096");
    from->made->member = NETDP_I_NEW(netdp_i_member, count);
    if (from->made->member == NULL)
        return netdp_i_no_memory(from->error);
    for (size_t i = 0; i < count; i++)
        TRY(read_member(from, (int32_t)i, json_array_get(list, i)));
    return NETDP_OK;
}

/* Ascending, so that a graph has one form. */
static netdp_status read_edges(const reading *from, const char *what, const json_t *list,
                               int32_t *edges, int32_t (**edge)[2])
{
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > MOST_EDGES)
        return refuse(from, what, -1, "must be a list of at most 2^20 pairs [a, b]");
    int32_t(*made)[2] = netdp_i_new((int64_t)count, sizeof *made);
    *edge = made;
    if (made == NULL)
        return netdp_i_no_memory(from->error);
    for (size_t i = 0; i < count; i++) {
        json_int_t a, b;
        json_error_t fault;
        if (json_unpack_ex(json_array_get(list, i), &fault, JSON_STRICT, "[I,I!]", &a, &b) != 0)
            return refuse_shape(from, what, (int32_t)i, &fault);
        if (a < 0 || a >= b || b >= from->made->members)
            return refuse(from, what, (int32_t)i,
                          "must be two members [a, b] by number from 0, a < b");
        made[i][0] = (int32_t)a;
        made[i][1] = (int32_t)b;
        if (i > 0 && (made[i - 1][0] > a || (made[i - 1][0] == a && made[i - 1][1] >= b)))
            return refuse(from, what, (int32_t)i, "must be in ascending order, each once");
    }
    *edges = (int32_t)count;
    return NETDP_OK;
}

static netdp_status read_coalition(const reading *from, int32_t i, const json_t *list)
{
    netdp_i_coalition *coalition = &from->made->coalition[i];
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count < 2 || count >= (size_t)from->made->members)
        return refuse(from, "coalitions", i,
                      "must be a list of at least two members, and leave somebody out");
    coalition->member = NETDP_I_NEW(int32_t, count);
    if (coalition->member == NULL)
        return netdp_i_no_memory(from->error);
    for (size_t k = 0; k < count; k++) {
        const json_t *entry = json_array_get(list, k);
        const json_int_t member = json_is_integer(entry) ? json_integer_value(entry) : -1;
        if (member < 0 || member >= from->made->members ||
            (k > 0 && member <= coalition->member[k - 1]))
            return refuse(from, "coalitions", i,
                          "must be numbers of members from 0, ascending, each once");
        coalition->member[k] = (int32_t)member;
    }
    coalition->count = (int32_t)count;
    return NETDP_OK;
}

static netdp_status read_coalitions(const reading *from, const json_t *list)
{
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > MOST_COALITIONS)
        return refuse(from, "coalitions", -1, "must be a list of at most 256");
    from->made->coalition = NETDP_I_NEW(netdp_i_coalition, count);
    if (from->made->coalition == NULL)
        return netdp_i_no_memory(from->error);
    from->made->coalitions = (int32_t)count;
    for (size_t i = 0; i < count; i++)
        TRY(read_coalition(from, (int32_t)i, json_array_get(list, i)));
    return NETDP_OK;
}

static bool is_within(double value, double low, double high)
{
    return value >= low && value <= high; /* no NaN, which JSON does not know anyway */
}

static netdp_status check_terms(const reading *from)
{
    const netdp_i_terms *t = &from->made->terms;
    const double steps = t->noise.pairing.kappa * 0x1p16;
    double value;
    const netdp_i_noise_part *wrong = netdp_i_noise_wrong(&t->noise, &value);
    char pairs[64], part[64], most[64];
    snprintf(pairs, sizeof pairs, "terms.%s", netdp_i_noise_parts[0].key);
    snprintf(part, sizeof part, "terms.%s", wrong != NULL ? wrong->key : "noise");
    snprintf(most, sizeof most, "must be a number from 0 to %g", wrong != NULL ? wrong->most : 0);
    const struct {
        bool holds;
        const char *what, *why;
    } rules[] = {
        {is_within(t->sigma, 1e-9, 1e9), "terms.noise", "must be a number from 1e-9 to 1e9"},
        {wrong == NULL, part, most},
        {steps == floor(steps), pairs,
         "must be a multiple of 2^-16: both ends add exactly the same"},
        {steps == 0 || from->made->pairs > 0, pairs, "must be 0 where nobody shares noise"},
        {t->rounds >= 1 && t->rounds <= 1000000, "terms.rounds", "must be from 1 to 10^6"},
        {t->contributions >= 1 && t->contributions <= t->rounds, "terms.contributions",
         "must be from 1 to the rounds"},
        {t->attempts >= 1 && t->attempts <= 100, "terms.attempts", "must be from 1 to 100"},
        {t->revealed >= 0 && t->revealed < from->made->members - 1, "terms.revealed",
         "must be from 0, and leave two members"},
        {t->width >= 1 && t->width <= NETDP_I_MOST_WIDTH, "terms.width", "must be from 1 to 2^20"},
        {t->delta > 0 && t->delta < 1, "terms.delta", "must lie between 0 and 1"},
        {t->expires > 0 && t->expires < ((int64_t)1 << 40), "terms.expires",
         "must be seconds since 1970"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i].holds)
            return refuse(from, rules[i].what, -1, rules[i].why);
    return NETDP_OK;
}

static netdp_status read_terms(const reading *from, json_t *object)
{
    netdp_i_terms *t = &from->made->terms;
    json_error_t fault;
    json_int_t rounds, contributions, attempts, revealed, width, expires;
    const char *part;
    if (!netdp_i_noise_take(object, &t->noise, &part)) {
        snprintf(fault.text, sizeof fault.text, "Object item not found, or no number: %s", part);
        return refuse_shape(from, "terms", -1, &fault);
    }
    if (json_unpack_ex(object, &fault, JSON_STRICT, "{s:F, s:I, s:I, s:I, s:I, s:I, s:F, s:I}",
                       "noise", &t->sigma, "rounds", &rounds, "contributions", &contributions,
                       "attempts", &attempts, "revealed", &revealed, "width", &width, "delta",
                       &t->delta, "expires", &expires) != 0)
        return refuse_shape(from, "terms", -1, &fault);
    t->rounds = rounds;
    t->contributions = contributions;
    t->attempts = attempts;
    t->revealed = revealed;
    t->width = width;
    t->expires = expires;
    return check_terms(from);
}

/* Messages reach everybody; a pair graph may be in pieces, and the account says what that costs. */
static netdp_status check_links(const reading *from)
{
    OWNED_BY(netdp_graph_free) netdp_graph *links = NULL;
    OWNED_BY(netdp_graph_free) netdp_graph *pairs = NULL;
    int32_t components = 0;
    bool bipartite;
    TRY(netdp_i_package_graphs(from->made, &links, &pairs, from->error));
    TRY(netdp_graph_shape(links, &components, &bipartite, from->error));
    if (components != 1)
        return refuse(from, "edges", -1, "the network is in pieces; join all members");
    return NETDP_OK;
}

netdp_status netdp_i_package_of(const json_t *roster, const char *study, const char *where,
                                netdp_i_package **package, netdp_error *error)
{
    OWNED_BY(netdp_i_package_free) netdp_i_package *made = NETDP_I_NEW(netdp_i_package, 1);
    reading from = {where, made, error};
    const char *title;
    int schema, form;
    json_t *members, *edges, *pairs, *coalitions, *terms;
    json_error_t fault;
    NEED(made);
    if (json_unpack_ex((json_t *)roster, &fault, JSON_STRICT,
                       "{s:i, s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "schema", &schema,
                       "netdp-package", &form, "title", &title, "members", &members, "edges",
                       &edges, "pairs", &pairs, "coalitions", &coalitions, "terms", &terms) != 0)
        return refuse_shape(&from, "roster", -1, &fault);
    if (form != FORM || schema != 1)
        return refuse(&from, "netdp-package", -1,
                      "wrong version: this netdp reads version 1; use the one that made it");
    made->title = netdp_i_copy_text(title);
    made->study = netdp_i_copy_text(study);
    if (made->title == NULL || made->study == NULL)
        return netdp_i_no_memory(error);
    TRY(read_members(&from, members));
    TRY(read_edges(&from, "edges", edges, &made->edges, &made->edge));
    TRY(read_edges(&from, "pairs", pairs, &made->pairs, &made->pair));
    TRY(check_links(&from));
    TRY(read_coalitions(&from, coalitions));
    TRY(read_terms(&from, terms));
    *package = GIVE(made);
    return NETDP_OK;
}
