#include "account/walk/given_path.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "base/try.h"

/* Costs are grouped upward to this relative width, as calibration groups losses. */
#define GROUP_WIDTH 2e-4

/* One pair that counts. */
typedef struct pair {
    double cost;
    int64_t place; /* in losses->loss */
} pair;

struct netdp_i_given_path {
    int64_t pairs;
    pair *pair; /* [pairs] the most costly first */
    int64_t groups;
    int64_t *first; /* [groups + 1]: pair[first[g]] is the most costly of group g */
    double *value;  /* [groups] */
    /* of the conversion at hand */
    double noise;
    netdp_unit unit;
    netdp_i_pool pool;
};

void netdp_i_given_path_free(netdp_i_given_path *given)
{
    if (given == NULL)
        return;
    netdp_i_pool_clear(&given->pool);
    netdp_i_free(given);
}

OWNER(netdp_i_given_path_free, netdp_i_given_path)

static int by_cost(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->cost != y->cost ? (x->cost < y->cost) - (x->cost > y->cost)
                              : (x->place > y->place) - (x->place < y->place);
}

static netdp_status group_pairs(netdp_i_given_path *given, netdp_error *error)
{
    qsort(given->pair, (size_t)given->pairs, sizeof *given->pair, by_cost);
    given->first = NETDP_I_TAKE(&given->pool, int64_t, given->pairs + 1);
    given->value = NETDP_I_TAKE(&given->pool, double, given->pairs);
    TRY(netdp_i_pool_made(&given->pool, error));
    for (int64_t i = 0; i < given->pairs; i++)
        if (i == 0 || given->pair[i].cost <
                          given->pair[given->first[given->groups - 1]].cost * (1 - GROUP_WIDTH))
            given->first[given->groups++] = i;
    given->first[given->groups] = given->pairs;
    return NETDP_OK;
}

netdp_status netdp_i_given_contributions(const netdp_token *token, int64_t **made,
                                         netdp_error *error)
{
    OWNED int64_t *each = NETDP_I_NEW(int64_t, netdp_transition_rows(token->law).nodes);
    if (each == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_realised_contributions(token, token->route->node, each, error));
    *made = GIVE(each);
    return NETDP_OK;
}

netdp_status netdp_i_given_path_new(const netdp_token *token, const netdp_losses *losses,
                                    const netdp_progress *progress, netdp_i_given_path **given,
                                    netdp_error *error)
{
    const int64_t places = (int64_t)losses->from_count * losses->to_count;
    /* Sums of a token's squared slopes, each of three roundings, and weights of a few. */
    const double up = 1 + ((double)token->steps * token->tokens + 16) * 0x1p-52;
    OWNED_BY(netdp_i_given_path_free)
    netdp_i_given_path *made = NETDP_I_NEW(netdp_i_given_path, 1);
    OWNED double *cost = NETDP_I_NEW(double, places);
    if (made == NULL || cost == NULL ||
        (made->pair = NETDP_I_TAKE(&made->pool, pair, places)) == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_given_costs(token, losses, cost, progress, error));
    for (int32_t v = 0; v < losses->to_count; v++)
        for (int32_t i = 0; i < losses->from_count; i++) {
            const int64_t place = (int64_t)v * losses->from_count + i;
            if (netdp_losses_counts(losses, i, v))
                made->pair[made->pairs++] = (pair){cost[place] * up, place};
        }
    TRY(group_pairs(made, error));
    *given = GIVE(made);
    return NETDP_OK;
}

static netdp_status convert_group(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    netdp_i_given_path *given = context;
    return netdp_loss_value(given->pair[given->first[index]].cost, given->noise, given->unit,
                            &given->value[index], error);
}

netdp_status netdp_i_given_path_at(netdp_i_given_path *given, double noise, netdp_unit unit,
                                   netdp_losses *losses, const netdp_progress *progress,
                                   netdp_error *error)
{
    given->noise = noise;
    given->unit = unit;
    TRY(netdp_i_for_each(given->groups, convert_group, given, progress, "conversion", error));
    for (int64_t g = 0; g < given->groups; g++)
        for (int64_t i = given->first[g]; i < given->first[g + 1]; i++)
            losses->loss[given->pair[i].place] = given->value[g];
    return NETDP_OK;
}
