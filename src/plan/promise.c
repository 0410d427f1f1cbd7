#include "plan/promise.h"

#include <math.h>
#include <string.h>

#include "account/losses/label.h"
#include "base/file.h"
#include "base/memory.h"

void netdp_i_promise_clear(netdp_i_promise *promise)
{
    netdp_i_free(promise->class);
    json_decref(promise->lender);
    *promise = (netdp_i_promise){0};
}

/* ---- As JSON ---- */

static json_t *number_json(double value)
{
    return isnan(value) ? json_null() : netdp_i_json_double(value);
}

static json_t *node_json(int32_t node)
{
    return node < 0 ? json_null() : json_integer(node);
}

/* [{"distance": 1, "pairs": .., "min": .., "mean": .., "max": ..}, ...], nearest first. */
static json_t *classes_json(const netdp_i_promise *p)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < p->classes; i++) {
        const netdp_i_class *class = &p->class[i];
        json_array_append_new(
            list, json_pack("{s:i, s:I, s:o, s:o, s:o}", "distance", (int)class->distance, "pairs",
                            (json_int_t) class->pairs, "min", number_json(class->least), "mean",
                            number_json(class->mean), "max", number_json(class->most)));
    }
    return list;
}

static json_t *numbers_json(const netdp_i_promise *p)
{
    const netdp_unit unit = p->is.unit;
    char spelled[NETDP_UNIT_ROOM];
    if (p->everyone)
        return json_pack("{s:o, s:o, s:n, s:o, s:n, s:o}", "epsilon", number_json(p->is.value),
                         "delta", number_json(unit.parameter), "by_distance", "mean",
                         number_json(p->mean), "worst", "local", number_json(p->local));
    netdp_unit_text(unit, spelled);
    json_t *made = json_pack("{s:n, s:o, s:s, s:o}", "epsilon", "delta",
                             unit.currency == NETDP_AS_DP ? json_real(unit.parameter) : json_null(),
                             "unit", spelled, "by_distance", classes_json(p));
    if (p->from < 0)
        json_object_set_new(made, "least", number_json(p->class[0].least));
    json_object_update_new(
        made, json_pack("{s:o, s:{s:o, s:o, s:o}, s:o}", "mean", number_json(p->mean), "worst",
                        "from", node_json(p->from), "to", node_json(p->to), "epsilon",
                        number_json(p->is.value), "local", number_json(p->local)));
    return made;
}

/* Who was drawn, and what that makes of the guarantee. */
static void add_drawn(const netdp_i_promise *p, json_t *made)
{
    const int32_t observers = p->observers > 0 ? p->observers : p->nodes;
    const int32_t sources = p->sources > 0 ? p->sources : p->nodes;
    if (p->alike)
        json_object_set_new(made, "stands_for",
                            json_pack("{s:i, s:i, s:i}", "observers", (int)observers, "sources",
                                      (int)sources, "of", (int)p->nodes));
    else if (p->observers > 0)
        json_object_set_new(made, "observers",
                            json_pack("{s:i, s:i}", "drawn", (int)observers, "of", (int)p->nodes));
    if (!p->alike && p->sources > 0)
        json_object_set_new(made, "sources",
                            json_pack("{s:i, s:i}", "drawn", (int)sources, "of", (int)p->nodes));
    if (p->is.estimate)
        json_object_set_new(made, "estimate",
                            json_pack("{s:o, s:o, s:o}", "confidence", number_json(p->confidence),
                                      "low", number_json(p->low), "high", number_json(p->high)));
}

/* Noise that cancels in pairs, and what is left of it. */
static json_t *pairs_json(const netdp_i_promise *p)
{
    json_t *made = json_pack("{s:s, s:I, s:f, s:o, s:i, s:s}", "graph", p->pairs, "count",
                             (json_int_t)p->pair_count, "noise", p->kappa, "hidden_among",
                             p->hidden_among > 0 ? json_integer(p->hidden_among) : json_null(),
                             "partners", (int)p->partners, "says", p->says);
    if (p->leaves)
        json_object_set_new(made, "left", netdp_i_pairs_left_json(&p->left, p->left_rounds));
    return made;
}

json_t *netdp_i_promise_json(const netdp_i_promise *p)
{
    json_t *made = netdp_i_guarantee_json(&p->is, numbers_json(p));
    netdp_i_given_json(p->given, p->given_count, made);
    if (p->pairs != NULL)
        json_object_set_new(made, "pairs", pairs_json(p));
    if (p->why[0] != '\0')
        json_object_set_new(made, "why", json_string(p->why));
    if (p->walks > 0)
        json_object_set_new(made, "walks", json_integer(p->walks));
    if (p->proofs >= 0)
        json_object_set_new(made, "proofs",
                            json_pack("{s:I, s:o}", "files", (json_int_t)p->proofs, "why",
                                      p->proofs > 0 ? json_null() : json_string(p->no_proof)));
    add_drawn(p, made);
    return made;
}

/* ---- And back ---- */

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) || json_is_string(value) ? netdp_i_json_number(value) : NAN;
}

static int32_t count_of(const json_t *object, const char *key, int32_t usual)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (int32_t)json_integer_value(value) : usual;
}

static void copy_text(const json_t *text, size_t room, char *copy)
{
    snprintf(copy, room, "%s", json_is_string(text) ? json_string_value(text) : "");
}

static bool read_classes(const json_t *list, netdp_i_promise *p)
{
    const size_t count = json_array_size(list);
    const json_t *one;
    size_t i;
    if (count == 0)
        return true;
    p->class = NETDP_I_NEW(netdp_i_class, (int64_t)count);
    if (p->class == NULL)
        return false;
    p->classes = (int32_t)count;
    json_array_foreach ((json_t *)list, i, one)
        p->class[i] = (netdp_i_class){.distance = count_of(one, "distance", 0),
                                      .pairs = json_integer_value(json_object_get(one, "pairs")),
                                      .least = number_of(one, "min"),
                                      .mean = number_of(one, "mean"),
                                      .most = number_of(one, "max")};
    return true;
}

/* What is there where it is not the same towards everyone. */
static void read_parts(const json_t *object, netdp_i_promise *p)
{
    const json_t *alike = json_object_get(object, "stands_for");
    const json_t *observers = json_object_get(object, "observers");
    const json_t *sources = json_object_get(object, "sources");
    const json_t *estimate = json_object_get(object, "estimate");
    const json_t *pairs = json_object_get(object, "pairs");
    p->alike = alike != NULL;
    p->nodes = count_of(alike != NULL ? alike : observers != NULL ? observers : sources, "of", 0);
    p->observers =
        alike != NULL ? count_of(alike, "observers", 0) : count_of(observers, "drawn", 0);
    p->sources = alike != NULL ? count_of(alike, "sources", 0) : count_of(sources, "drawn", 0);
    p->confidence = number_of(estimate, "confidence");
    p->low = number_of(estimate, "low");
    p->high = number_of(estimate, "high");
    p->walks = json_integer_value(json_object_get(object, "walks"));
    copy_text(json_object_get(object, "why"), sizeof p->why, p->why);
    p->given_count = netdp_i_given_read(json_object_get(object, "least_of"), p->given);
    p->pairs = json_string_value(json_object_get(pairs, "graph"));
    p->pair_count = json_integer_value(json_object_get(pairs, "count"));
    p->kappa = number_of(pairs, "noise");
    p->hidden_among = count_of(pairs, "hidden_among", 0);
    p->partners = count_of(pairs, "partners", 0);
    copy_text(json_object_get(pairs, "says"), sizeof p->says, p->says);
    const json_t *proofs = json_object_get(object, "proofs");
    p->proofs = proofs != NULL ? json_integer_value(json_object_get(proofs, "files")) : -1;
    copy_text(json_object_get(proofs, "why"), sizeof p->no_proof, p->no_proof);
    const json_t *left = json_object_get(pairs, "left");
    p->leaves = left != NULL;
    p->left = (netdp_i_pairs_left){number_of(left, "mean"), number_of(left, "worst"),
                                   count_of(left, "node", -1)};
    p->left_rounds = count_of(left, "rounds_enough", -1);
}

bool netdp_i_promise_read(json_t *object, netdp_i_promise *promise)
{
    const json_t *worst = json_object_get(object, "worst");
    const json_t *classes = json_object_get(object, "by_distance");
    const char *unit = json_string_value(json_object_get(object, "unit"));
    netdp_i_promise read = {.everyone = !json_is_array(classes),
                            .mean = number_of(object, "mean"),
                            .local = number_of(object, "local"),
                            .from = count_of(worst, "from", -1),
                            .to = count_of(worst, "to", -1)};
    netdp_error ignored;
    if (!netdp_i_guarantee_read(object, &read.is) ||
        (unit != NULL && netdp_unit_parse(unit, &read.is.unit, &ignored) != NETDP_OK) ||
        !read_classes(classes, &read))
        return false;
    if (unit == NULL)
        read.is.unit = (netdp_unit){NETDP_AS_DP, number_of(object, "delta")};
    read.is.value = number_of(read.everyone ? object : worst, "epsilon");
    read_parts(object, &read);
    read.lender = json_incref(object);
    *promise = read;
    return true;
}

/* ---- Compared, and in words ---- */

static bool same_number(double held, double again)
{
    return held == again || (isnan(held) && isnan(again)) ||
           fabs(held - again) <= 1e-9 * fabs(again);
}

bool netdp_i_promise_same(const netdp_i_promise *held, const netdp_i_promise *again)
{
    const netdp_unit one = held->is.unit, other = again->is.unit;
    bool same = strcmp(held->is.bound, again->is.bound) == 0 &&
                held->is.direction == again->is.direction && one.currency == other.currency &&
                same_number(one.parameter, other.parameter) &&
                (!held->is.sound || again->is.sound) && held->everyone == again->everyone &&
                held->classes == again->classes && same_number(held->is.value, again->is.value) &&
                same_number(held->mean, again->mean) &&
                (!held->everyone || same_number(held->local, again->local));
    for (int32_t i = 0; same && i < held->classes; i++) {
        const netdp_i_class *a = &held->class[i], *b = &again->class[i];
        same = a->distance == b->distance && a->pairs == b->pairs &&
               same_number(a->least, b->least) && same_number(a->mean, b->mean) &&
               same_number(a->most, b->most);
    }
    return same;
}

void netdp_i_promise_drawn(const netdp_i_promise *p, char text[96])
{
    const int32_t drawn[] = {p->observers, p->sources};
    static const char *const who[] = {"observers", "sources"};
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < 2; k++)
        if (drawn[k] > 0)
            used += (size_t)snprintf(text + used, 96 - used, "%s%d drawn %s of %d",
                                     used > 0 ? " and " : "", (int)drawn[k], who[k], (int)p->nodes);
}
