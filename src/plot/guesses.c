#include "plot/guesses.h"

#include <math.h>
#include <stdio.h>
#include <netdp/audit.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "plot/chart.h"

enum { NAME = 300 };

typedef struct curve {
    double *x, *y, *low, *high; /* [most] */
    int64_t count;
    char name[NAME];
} curve;

const netdp_i_guesses netdp_i_reconstructed = {"rmse", "rmse_without_noise",
                                               NULL,   NETDP_PRIOR,
                                               1e-6,   "error of the estimate, in units of Delta"};
const netdp_i_guesses netdp_i_members = {
    "unknown", "unknown_without_noise", "area", 0.5, 0.01, "was a record in? area under the curve"};

/* Of a node; `in`: of what it says there. */
static double number(const json_t *object, const char *key, const char *in)
{
    const json_t *value = json_object_get(object, key);
    return netdp_i_json_number(in != NULL ? json_object_get(value, in) : value);
}

/* At each distance the root of the mean square, the least and the largest error. */
static void fill(curve *c, const json_t *nodes, const char *key, const char *in, int32_t farthest)
{
    for (int32_t distance = 1; distance <= farthest; distance++) {
        double squares = 0, low = INFINITY, high = 0;
        int64_t count = 0;
        size_t i;
        json_t *node;
        json_array_foreach ((json_t *)nodes, i, node) {
            const double rmse = number(node, key, in);
            if ((int32_t)number(node, "distance", NULL) != distance)
                continue;
            squares += rmse * rmse;
            low = fmin(low, rmse);
            high = fmax(high, rmse);
            count++;
        }
        if (count == 0)
            continue;
        c->x[c->count] = distance;
        c->y[c->count] = sqrt(squares / (double)count);
        c->low[c->count] = low;
        c->high[c->count++] = high;
    }
}

static int32_t farthest_of(const json_t *list)
{
    size_t i, j;
    json_t *one, *node;
    double most = 1;
    json_array_foreach ((json_t *)list, i, one)
        json_array_foreach (json_object_get(one, "nodes"), j, node)
            most = fmax(most, number(node, "distance", NULL));
    return (int32_t)most;
}

/* Up to rounding, which differs with what else is in the view. */
static bool same_curve(const curve *a, const curve *b, double within)
{
    bool same = a->count == b->count;
    for (int64_t k = 0; same && k < a->count; k++)
        same = a->x[k] == b->x[k] && fabs(a->y[k] - b->y[k]) < within;
    return same;
}

/* Two curves of each entry, but those without noise once where they are the same; then the prior. */
static int32_t list_curves(const json_t *list, const netdp_i_guesses *kind, int32_t farthest,
                           curve *made)
{
    size_t i;
    json_t *one;
    int32_t used = 0, first = -1;
    json_array_foreach ((json_t *)list, i, one) {
        const char *name = json_string_value(json_object_get(one, "name"));
        const json_t *nodes = json_object_get(one, "nodes");
        curve *plain = &made[used];
        fill(plain, nodes, kind->without, kind->in, farthest);
        snprintf(plain->name, NAME, first < 0 ? "without noise" : "%.200s, without noise", name);
        if (first >= 0 && same_curve(&made[first], plain, kind->same)) {
            plain->count = 0;
        } else {
            first = first < 0 ? used : first;
            used++;
        }
        fill(&made[used], nodes, kind->with, kind->in, farthest);
        snprintf(made[used++].name, NAME, "%.200s", name);
    }
    curve *prior = &made[used++];
    for (int32_t k = 0; k < 2; k++) {
        prior->x[k] = k == 0 ? 1 : farthest;
        prior->y[k] = prior->low[k] = prior->high[k] = kind->chance;
    }
    prior->count = farthest > 1 ? 2 : 1;
    snprintf(prior->name, NAME, "nothing learnt");
    return used;
}

netdp_status netdp_i_guesses_write(const json_t *list, const netdp_i_guesses *kind,
                                   const char *path, netdp_error *error)
{
    const int32_t farthest = farthest_of(list), room = farthest > 2 ? farthest : 2;
    const int32_t most = 2 * (int32_t)json_array_size(list) + 1;
    OWNED curve *made = NETDP_I_NEW(curve, most);
    OWNED double *numbers = NETDP_I_NEW(double, 4 * (int64_t)most * room);
    OWNED netdp_i_chart_series *series = NETDP_I_NEW(netdp_i_chart_series, most);
    if (made == NULL || numbers == NULL || series == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k < most; k++) {
        double *at = numbers + 4 * (int64_t)k * room;
        made[k].x = at;
        made[k].y = at + room;
        made[k].low = at + 2 * room;
        made[k].high = at + 3 * room;
    }
    const int32_t count = list_curves(list, kind, farthest, made);
    for (int32_t k = 0; k < count; k++)
        series[k] = (netdp_i_chart_series){.name = made[k].name,
                                           .count = made[k].count,
                                           .x = made[k].x,
                                           .y = made[k].y,
                                           .low = made[k].low,
                                           .high = made[k].high,
                                           .colour = k};
    const netdp_i_chart chart = {
        .x_label = "distance, hops", .y_label = kind->label, .count = count, .series = series};
    return netdp_i_chart_write(&chart, 1, 1, NULL, path, error);
}
