#include "plan/own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/losses/losses.h"
#include "account/losses/protect.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* Halvings of the interval in which the least noise lies that meets a target. */
enum { HALVINGS = 40 };

/* The most that is tried. */
#define MOST 1e6

bool netdp_i_own_is(const netdp_study *study)
{
    return study->privacy.more_noise != NULL || study->privacy.targets != NULL;
}

/* ---- "NODE:NUMBER,..." ---- */

/* The entry at *text, which moves behind it; *left: one was. Of those not named yet `own` is 1. */
static netdp_status read_entry(const char **text, const netdp_i_variant *variant, const char *key,
                               int32_t *node, double *number, bool *left, netdp_error *error)
{
    const netdp_graph *graph = variant->problem->graph;
    const char *end = *text + strcspn(*text, ",");
    char entry[256], *after;
    *left = **text != 0;
    if (!*left)
        return NETDP_OK;
    snprintf(entry, sizeof entry, "%.*s", (int)(end - *text), *text);
    char *colon = strrchr(entry, ':');
    REFUSE(colon == NULL || colon[1] == 0,
           "privacy.%s: '%.40s'; give NODE:NUMBER,... such as 3:2,5:1.5", key, entry);
    *colon = 0;
    *number = strtod(colon + 1, &after);
    REFUSE(*after != 0 || !isfinite(*number) || !(*number > 0),
           "privacy.%s: '%.40s'; give a number above 0", key, colon + 1);
    *text = *end == ',' ? end + 1 : end;
    TRY(netdp_i_within(error, netdp_graph_find(graph, entry, node, error), "privacy.%s", key));
    REFUSE(variant->own[*node] != 1, "privacy.%s: node %.40s is named twice; once is enough", key,
           entry);
    return NETDP_OK;
}

/* Ones, which the protocol has from now on. */
static netdp_status begin(netdp_i_variant *variant, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(variant->problem->graph);
    netdp_i_free(variant->own);
    variant->own = NETDP_I_NEW(double, n);
    NEED(variant->own);
    for (int32_t v = 0; v < n; v++)
        variant->own[v] = 1;
    variant->protocol.own = variant->own;
    return NETDP_OK;
}

netdp_status netdp_i_own_given(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const char *text = study->privacy.more_noise;
    bool left = true;
    REFUSE(text != NULL && study->privacy.targets != NULL,
           "privacy.targets: are met by more noise of these nodes; leave privacy.more_noise out");
    REFUSE(study->privacy.targets != NULL && netdp_i_study_accounts(study),
           "privacy.targets: are met where a study runs; an account is told the "
           "noise by privacy.more_noise");
    if (text == NULL)
        return NETDP_OK;
    TRY(begin(variant, error));
    while (left) {
        int32_t node = 0;
        double times = 1;
        TRY(read_entry(&text, variant, "more_noise", &node, &times, &left, error));
        if (left)
            variant->own[node] = times;
    }
    return NETDP_OK;
}

/* ---- Targets ---- */

typedef struct meeting {
    const netdp_losses *losses; /* with everybody's noise */
    double noise;
    netdp_unit unit;
    netdp_over over;
    int32_t from; /* index of the node */
} meeting;

/* The node's epsilon with `own` times the noise. */
static netdp_status value_at(const meeting *m, double own, double *value, netdp_error *error)
{
    const netdp_losses *l = m->losses;
    double sum = 0, most = 0, one = 0;
    int32_t count = 0;
    for (int32_t v = 0; v < l->to_count; v++) {
        if (!netdp_losses_counts(l, m->from, v))
            continue;
        const double loss = l->loss[(int64_t)v * l->from_count + m->from];
        TRY(netdp_losses_value(l, netdp_i_own_loss(loss, own), m->noise, m->unit, &one, error));
        sum += one;
        most = fmax(most, one);
        count++;
    }
    *value = m->over == NETDP_OVER_WORST || count == 0 ? most : sum / count;
    return NETDP_OK;
}

/* The least noise, nearly, that meets a target; the one that is taken does. */
static netdp_status meet(const meeting *m, double target, double *own, netdp_error *error)
{
    double low = 1, high = 1, value = 0;
    TRY(value_at(m, high, &value, error));
    while (value > target && high < MOST) {
        low = high;
        high *= 2;
        TRY(value_at(m, high, &value, error));
    }
    if (value > target)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "privacy.targets: epsilon %g would take more than %g times the noise",
                            target, MOST);
    for (int k = 0; high > 1 && k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        TRY(value_at(m, middle, &value, error));
        *(value > target ? &low : &high) = middle;
    }
    *own = high;
    return NETDP_OK;
}

static int32_t index_of(const netdp_losses *losses, int32_t node)
{
    for (int32_t i = 0; i < losses->from_count; i++)
        if (losses->from[i] == node)
            return i;
    return -1;
}

/* Own noise for every target. */
static netdp_status meet_all(netdp_i_variant *variant, const netdp_losses *losses,
                             netdp_error *error)
{
    const netdp_study *study = variant->study;
    const char *text = study->privacy.targets;
    bool left = true;
    while (left) {
        meeting m = {losses, variant->noise, netdp_i_study_unit(study), study->privacy.over, 0};
        int32_t node = 0;
        double target = 0;
        TRY(read_entry(&text, variant, "targets", &node, &target, &left, error));
        if (!left)
            break;
        m.from = index_of(losses, node);
        REFUSE(m.from < 0,
               "privacy.targets: nothing is asked about node %d; leave privacy.sources out",
               (int)node);
        TRY(meet(&m, target, &variant->own[node], error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_own_meet(netdp_i_variant *variant, netdp_losses **losses,
                              netdp_summary *achieved, const netdp_progress *progress,
                              netdp_error *error)
{
    const netdp_i_pairs_of pairs = {variant->source_count, variant->observer_count, variant->source,
                                    variant->observer};
    OWNED_BY(netdp_losses_free) netdp_losses *after = NULL;
    if (variant->study->privacy.targets == NULL)
        return NETDP_OK;
    REFUSE(!(variant->noise > 0),
           "privacy.targets: nobody has noise; give a finite privacy.epsilon");
    TRY(begin(variant, error));
    TRY(meet_all(variant, *losses, error));
    TRY(netdp_i_variant_planning(variant)->again(variant, &pairs, progress, &after, error));
    netdp_losses_free(*losses);
    *losses = GIVE(after);
    return netdp_losses_summary(*losses, variant->noise, netdp_i_study_unit(variant->study),
                                achieved, error);
}

/* ---- What is kept, and told ---- */

json_t *netdp_i_own_json(const netdp_i_variant *variant)
{
    if (variant->own == NULL)
        return json_null();
    json_t *list = json_array();
    for (int32_t v = 0; v < netdp_graph_nodes(variant->problem->graph); v++)
        json_array_append_new(list, json_real(variant->own[v]));
    return list;
}

bool netdp_i_own_restore(const json_t *stored, netdp_i_variant *variant)
{
    const size_t n = (size_t)netdp_graph_nodes(variant->problem->graph);
    netdp_error ignored;
    if (json_is_null(stored))
        return variant->own == NULL;
    if (json_array_size(stored) != n || variant->kind != NETDP_GOSSIP ||
        begin(variant, &ignored) != NETDP_OK)
        return false;
    for (size_t v = 0; v < n; v++)
        variant->own[v] = json_number_value(json_array_get(stored, v));
    return netdp_linear_check(&variant->protocol, &ignored) == NETDP_OK;
}

json_t *netdp_i_own_told(const netdp_i_variant *variant)
{
    char name[16];
    json_t *told = variant->own != NULL ? json_object() : NULL;
    for (int32_t v = 0; told != NULL && v < netdp_graph_nodes(variant->problem->graph); v++) {
        snprintf(name, sizeof name, "%d", (int)v);
        if (variant->own[v] > 1)
            json_object_set_new(told, name, json_real(variant->own[v]));
    }
    return told;
}
