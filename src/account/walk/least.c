#include "account/walk/least.h"

#include <math.h>

#include "account/walk/first_passage.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* The observers whose columns are computed. */
typedef struct columns {
    const netdp_i_least *asked;
    const netdp_losses *losses;
    int32_t count;
    int32_t *observer; /* [to_count]: their indices in losses->to */
    int32_t *place;    /* [to_count]: of an observer in `observer`, or -1 */
    double *value;     /* [count][from] */
} columns;

static netdp_status fill_column(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const columns *c = context;
    const netdp_losses *l = c->losses;
    const netdp_token *token = c->asked->token;
    const int64_t nodes = netdp_transition_rows(token->law).nodes;
    const int32_t v = c->observer[index];
    const int32_t *member = l->to + (l->members > 1 ? 0 : v);
    OWNED double *column = NETDP_I_NEW(double, nodes);
    if (column == NULL)
        return netdp_i_no_memory(error);
    TRY(c->asked->delta > 0
            ? netdp_i_passage_epsilons(token, member, l->members, token->tokens, c->asked->sigma,
                                       c->asked->delta, column, error)
            : netdp_i_passage_bound(token, member, l->members, c->asked->alpha, c->asked->sigma,
                                    column, NULL, error));
    for (int32_t i = 0; i < l->from_count; i++)
        if (netdp_losses_counts(l, i, v))
            c->value[index * l->from_count + i] =
                c->asked->delta > 0 ? column[l->from[i]]
                                    : nextafter(token->tokens * column[l->from[i]], INFINITY);
    return NETDP_OK;
}

/* Observers with a pair of a kind that none before them has, or of no kind. */
static void choose_columns(columns *c, int64_t *owner)
{
    const netdp_losses *l = c->losses;
    for (int k = 0; k < c->asked->kinds; k++)
        owner[k] = -1;
    for (int32_t v = 0; v < l->to_count; v++) {
        c->place[v] = -1;
        for (int32_t i = 0; i < l->from_count; i++) {
            const int kind = c->asked->like[(int64_t)v * l->from_count + i];
            if (!netdp_losses_counts(l, i, v) || (kind >= 0 && owner[kind] >= 0))
                continue;
            if (c->place[v] < 0) {
                c->place[v] = c->count;
                c->observer[c->count++] = v;
            }
            if (kind >= 0)
                owner[kind] = (int64_t)c->place[v] * l->from_count + i;
        }
    }
}

/* Pairs whose observer has a column take their own value, the others that of their kind. */
static int64_t lower(const columns *c, const int64_t *owner, netdp_losses *losses)
{
    int64_t lowered = 0;
    for (int32_t v = 0; v < losses->to_count; v++)
        for (int32_t i = 0; i < losses->from_count; i++) {
            const int64_t at = (int64_t)v * losses->from_count + i;
            if (!netdp_losses_counts(losses, i, v))
                continue;
            const double value =
                c->value[c->place[v] >= 0 ? (int64_t)c->place[v] * losses->from_count + i
                                          : owner[c->asked->like[at]]];
            if (value < losses->loss[at]) {
                losses->loss[at] = value;
                lowered++;
            }
        }
    return lowered;
}

netdp_status netdp_i_walk_least(const netdp_i_least *asked, netdp_losses *losses, int64_t *lowered,
                                const netdp_progress *progress, netdp_error *error)
{
    int64_t owner[NETDP_I_KINDS];
    OWNED int32_t *observer = NETDP_I_NEW(int32_t, losses->to_count);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, losses->to_count);
    if (observer == NULL || place == NULL)
        return netdp_i_no_memory(error);
    columns c = {.asked = asked, .losses = losses, .observer = observer, .place = place};
    choose_columns(&c, owner);
    OWNED double *value = c.value = NETDP_I_NEW(double, (int64_t)c.count * losses->from_count);
    if (value == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(c.count, fill_column, &c, progress, "first passages", error));
    *lowered = lower(&c, owner, losses);
    return NETDP_OK;
}
