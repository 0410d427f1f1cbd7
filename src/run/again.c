#include "run/again.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "plan/realised.h"

/* Observers, and of tokens sources, that are accounted for again, beside the worst pair's. */
enum { AGAIN = 4 };

/* Which nodes a study asks about, and where each stands among them. */
typedef struct nodes {
    int32_t count, *node;     /* [count]; owned */
    int32_t *place;           /* [nodes], -1: not among them; owned */
    int32_t again[AGAIN + 1]; /* those that are accounted for again */
    int32_t again_count;
} nodes;

typedef struct recorded {
    nodes from, to;
    double *value; /* [to][from]; owned */
} recorded;

static void clear(recorded *r)
{
    netdp_i_free(r->from.node);
    netdp_i_free(r->from.place);
    netdp_i_free(r->to.node);
    netdp_i_free(r->to.place);
    netdp_i_free(r->value);
}

static netdp_status fail(const netdp_i_variant *variant, const char *folder, const char *what,
                         netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: variant %s: %s: accounted for again it is not what is recorded; run "
                        "the study anew: netdp run %s/study.yaml -o NEW",
                        folder, variant->name, what, folder);
}

/* `worst`: a node that is always accounted for again. */
static netdp_status list_nodes(const int32_t *chosen, int32_t count, int32_t all, int32_t worst,
                               nodes *made, netdp_error *error)
{
    made->count = count > 0 ? count : all;
    made->node = NETDP_I_NEW(int32_t, made->count);
    made->place = NETDP_I_NEW(int32_t, all);
    if (made->node == NULL || made->place == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < all; u++)
        made->place[u] = -1;
    for (int32_t i = 0; i < made->count; i++) {
        made->node[i] = count > 0 ? chosen[i] : i;
        made->place[made->node[i]] = i;
    }
    if (worst >= 0 && worst < all && made->place[worst] >= 0)
        made->again[made->again_count++] = worst;
    for (int32_t k = 0; k < AGAIN && k < made->count; k++) {
        const int32_t node = made->node[(int64_t)k * made->count / AGAIN];
        bool known = false;
        for (int32_t i = 0; i < made->again_count; i++)
            known = known || made->again[i] == node;
        if (!known)
            made->again[made->again_count++] = node;
    }
    return NETDP_OK;
}

/* ---- What is recorded ---- */

static bool take_line(recorded *r, int32_t all, const char *line)
{
    int32_t from, to, distance;
    int length = 0;
    if (sscanf(line, "%" SCNd32 ",%" SCNd32 ",%" SCNd32 ",%n", &from, &to, &distance, &length) <
            3 ||
        length == 0 || from < 0 || from >= all || to < 0 || to >= all || r->from.place[from] < 0 ||
        r->to.place[to] < 0)
        return false;
    char *end;
    const double value = strtod(line + length, &end); /* "inf" too */
    r->value[(int64_t)r->to.place[to] * r->from.count + r->from.place[from]] = value;
    return end != line + length && !isnan(value);
}

static netdp_status read_csv(const netdp_i_variant *variant, const char *path, recorded *r,
                             netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t bytes = 0;
    const int32_t all = netdp_graph_nodes(variant->problem->graph);
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    const char *line = strchr(text, '\n'); /* behind the names */
    for (; line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n'))
        REFUSE(!take_line(r, all, line + 1), "%s: is no table of losses", path);
    return NETDP_OK;
}

static netdp_status read_npy(const char *path, recorded *r, netdp_error *error)
{
    OWNED double *cells = NULL;
    int64_t rows = 0, columns = 0;
    TRY(netdp_i_npy_read(path, &cells, &rows, &columns, error));
    REFUSE(rows != r->from.count || columns != r->to.count, "%s: is of other pairs", path);
    for (int64_t u = 0; u < rows; u++)
        for (int64_t v = 0; v < columns; v++)
            r->value[v * rows + u] = cells[u * columns + v];
    return NETDP_OK;
}

static netdp_status read_record(const netdp_i_variant *variant, const char *folder, recorded *r,
                                netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const netdp_i_promise *told = &variant->guarantee;
    const int32_t all = netdp_graph_nodes(variant->problem->graph);
    TRY(list_nodes(variant->source, variant->source_count, all, told->from, &r->from, error));
    TRY(list_nodes(variant->observer, variant->observer_count, all, told->to, &r->to, error));
    const int64_t cells = (int64_t)r->from.count * r->to.count;
    r->value = NETDP_I_NEW(double, cells);
    NEED(r->value);
    for (int64_t i = 0; i < cells; i++)
        r->value[i] = INFINITY;
    snprintf(path, sizeof path, "%s/%s.csv", folder, variant->losses);
    if (access(path, F_OK) == 0)
        return read_csv(variant, path, r, error);
    snprintf(path, sizeof path, "%s/%s.npy", folder, variant->losses);
    return read_npy(path, r, error);
}

/* ---- Once more ---- */

/*
 * Another way to the same account rounds differently: a walk's errs upward by its own transforms,
 * and below a dither of 0.005 other equations may be seen as repeats.
 */
static double slack(const netdp_i_variant *variant)
{
    const bool close = variant->kind == NETDP_TALLY ||
                       (variant->kind == NETDP_GOSSIP && variant->protocol.noise.dither >= 0.005);
    return close ? 1e-6 : 1e-3;
}

/* Is what was found again at most what is recorded of the same pairs? */
static bool is_above(const netdp_i_variant *variant, const recorded *r, const netdp_losses *found)
{
    const double most = 1 + slack(variant);
    for (int32_t v = 0; v < found->to_count; v++)
        for (int32_t i = 0; i < found->from_count; i++) {
            const double again = found->loss[(int64_t)v * found->from_count + i];
            const double held = r->value[(int64_t)r->to.place[found->to[v]] * r->from.count +
                                         r->from.place[found->from[i]]];
            if (netdp_losses_counts(found, i, v) && again > held * most + 1e-9)
                return true;
        }
    return false;
}

/* The recorded losses, as if they were just found. */
static netdp_status check_guarantee(const netdp_i_variant *variant, const recorded *r,
                                    const netdp_losses *found, const char *folder,
                                    netdp_error *error)
{
    netdp_losses whole = *found;
    netdp_summary achieved;
    CLEARED(netdp_i_promise_clear) netdp_i_promise again = {0};
    whole.from_count = r->from.count;
    whole.from = r->from.node;
    whole.to_count = r->to.count;
    whole.to = r->to.node;
    whole.loss = r->value;
    /* Values for their own noise: tokens that count have a flip in its place. */
    const double noise = found->final ? found->noise : variant->noise;
    TRY(netdp_losses_summary(&whole, noise, netdp_i_study_unit(variant->study), &achieved, error));
    TRY(netdp_i_variant_guarantee(variant, &whole, &achieved, NULL, NULL, &again, error));
    if (!netdp_i_promise_same(&variant->guarantee, &again))
        return fail(variant, folder, "the guarantee", error);
    const double epsilon = variant->study->privacy.epsilon;
    const double reached =
        variant->study->privacy.over == NETDP_OVER_MEAN ? achieved.mean : achieved.max;
    if (variant->study->privacy.noise == 0 && !(reached <= epsilon * (1 + 1e-9)))
        return fail(variant, folder, "the target", error);
    return NETDP_OK;
}

netdp_status netdp_i_variant_again(const netdp_i_variant *variant, const char *folder,
                                   const netdp_progress *progress, netdp_error *error)
{
    CLEARED(clear) recorded r = {.value = NULL};
    OWNED_BY(netdp_losses_free) netdp_losses *found = NULL;
    TRY(read_record(variant, folder, &r, error));
    TRY(netdp_i_variant_planning(variant)->again(
        variant,
        &(netdp_i_pairs_of){r.from.again_count, r.to.again_count, r.from.again, r.to.again},
        progress, &found, error));
    if (is_above(variant, &r, found))
        return fail(variant, folder, "a pair", error);
    return check_guarantee(variant, &r, found, folder, error);
}

/* ---- What has no losses ---- */

netdp_status netdp_i_baseline_again(const netdp_i_variant *variant, const char *folder,
                                    const netdp_progress *progress, netdp_error *error)
{
    CLEARED(netdp_i_variant_clear)
    netdp_i_variant anew = {.role = variant->role,
                            .name = variant->name,
                            .study = variant->study,
                            .problem = variant->problem};
    TRY(netdp_i_variant_describe(&anew, error));
    TRY(netdp_i_variant_calibrate(&anew, NULL, progress, error));
    if (!(fabs(variant->noise - anew.noise) <= 1e-9 * anew.noise) ||
        netdp_i_variant_rounds(variant) != netdp_i_variant_rounds(&anew) ||
        !netdp_i_promise_same(&variant->guarantee, &anew.guarantee))
        return fail(variant, folder, "the baseline", error);
    return NETDP_OK;
}

netdp_status netdp_i_realised_again(const netdp_i_variant *variant, const char *folder,
                                    const netdp_progress *progress, netdp_error *error)
{
    netdp_study first = *variant->study;
    CLEARED(netdp_i_variant_clear)
    netdp_i_variant anew = {
        .role = variant->role, .name = variant->name, .study = &first, .problem = variant->problem};
    const netdp_i_promise *held = &variant->guarantee;
    first.output.repeat = 1;
    TRY(netdp_i_variant_describe(&anew, error));
    TRY(netdp_i_realised_account(&anew, progress, error));
    const double least = held->classes == 1 ? held->class[0].least : NAN;
    const double most = held->is.value, mean = held->mean, noise = anew.noise;
    const double other = anew.guarantee.class[0].least, worst = anew.guarantee.is.value;
    const double close = 1e-9 * most;
    const bool within = least <= other + close && worst <= most + close && least <= mean + close &&
                        mean <= most + close;
    const bool same =
        fabs(least - other) <= close && fabs(worst - most) <= close && fabs(mean - most) <= close;
    if (!(fabs(variant->noise - noise) <= 1e-9 * noise) || !(held->walks > 0 ? within : same))
        return fail(variant, folder, "the walks", error);
    return NETDP_OK;
}
