/* The pairwise result before it is filled, and its rows as they come. */
#ifndef NETDP_I_LOSSES_H
#define NETDP_I_LOSSES_H

#include <netdp/account.h>

#include "base/try.h"

OWNER(netdp_losses_free, netdp_losses)

struct netdp_i_basis;
struct netdp_i_observer;

/* Is everything there that an account of gossip, or its words, look at? NETDP_INVALID otherwise. */
netdp_status netdp_i_request_given(const netdp_loss_request *request, netdp_error *error);

/*
 * With the asked nodes (count 0: all), each in range and named once; a coalition is one observer.
 * `loss` is NULL.
 */
netdp_status netdp_i_losses_asked(int32_t nodes, const int32_t *from, int32_t from_count,
                                  const int32_t *to, int32_t to_count, bool coalition,
                                  netdp_losses **losses, netdp_error *error);

/* The same with losses 0, to be filled. */
netdp_status netdp_i_losses_new(int32_t nodes, const int32_t *from, int32_t from_count,
                                const int32_t *to, int32_t to_count, bool coalition,
                                netdp_losses **losses, netdp_error *error);

/* Another of the same nodes and bound, without its losses. */
netdp_status netdp_i_losses_like(const netdp_losses *known, netdp_losses **losses,
                                 netdp_error *error);

/* INFINITY where a node stands in the observer set: in all rows, or in loss[count][from_count] of
 * the observers from `first` on. */
void netdp_i_losses_exclude(netdp_losses *losses);
void netdp_i_rows_exclude(const netdp_losses *losses, int32_t first, int32_t count, double *loss);

/* The rows of observers that follow one another. */
typedef struct netdp_i_batch {
    const netdp_losses *losses; /* who, and by which bound; its `loss` may be NULL */
    int32_t first, count;       /* observers, as indices of losses->to */
    const double *loss;         /* [count][losses->from_count] */
} netdp_i_batch;

/* Takes the batches in the order of observers, each of them once. */
typedef netdp_status (*netdp_i_batch_sink)(void *context, const netdp_i_batch *batch,
                                           netdp_error *error);

/* Bytes: of the rows of a batch, and of a published formula's sums, which serve several observers. */
typedef struct netdp_i_room {
    int64_t rows, sums;
} netdp_i_room;

#define NETDP_I_BATCH_BYTES ((int64_t)16 << 20)

/* How many observers a batch of so many bytes has, the last one apart: at least 4 for each thread. */
int32_t netdp_i_batch_size(const netdp_losses *losses, int64_t bytes);

/* All rows as one batch. */
netdp_i_batch netdp_i_batch_whole(const netdp_losses *losses);

/* Each loss in the unit, rounded up: value[count][from_count], INFINITY where no pair counts. */
netdp_status netdp_i_batch_values(const netdp_i_batch *batch, double noise, netdp_unit unit,
                                  double *value, const netdp_progress *progress,
                                  netdp_error *error);

/* Whose losses towards one observer set are wanted: loss[i] is that of node[i]. */
typedef struct netdp_i_sources {
    int32_t count;
    const int32_t *node; /* [count]; on a basis that has not all nodes, rows of it */
    double *loss;        /* [count] */
} netdp_i_sources;

/*
 * Who accounts, in place of this process alone, on an observer's own Krylov space:
 * loss[losses->from_count] towards it. Called for one observer after the other.
 */
typedef struct netdp_i_rounds {
    /* Round by round, through the filter. */
    netdp_status (*account)(void *context, const netdp_loss_request *request,
                            const netdp_losses *losses, const struct netdp_i_observer *observer,
                            double *loss, const netdp_progress *progress, netdp_error *error);
    /* One process's choice becomes that of all. */
    netdp_status (*same)(bool *choice, netdp_error *error);
    void *context;
} netdp_i_rounds;

/* The rows of all observers, in batches. `rounds` NULL: here. */
netdp_status netdp_i_losses_all(const netdp_loss_request *request, netdp_i_room room,
                                const netdp_i_rounds *rounds, netdp_i_batch_sink sink,
                                void *context, const netdp_progress *progress, netdp_error *error);

/* netdp_losses_plan without what all observers take: `seconds` and `bytes` are not foreseen. */
netdp_status netdp_i_losses_way(const netdp_loss_request *request, netdp_plan *plan,
                                netdp_error *error);

/* Is it proven of what is heard, or no upper bound? Then processes may share the work on an observer's space. */
netdp_status netdp_i_losses_shared(const netdp_loss_request *request, bool *shared,
                                   netdp_error *error);

/* All sets of `pool` nodes: member[count][pool], to be freed. */
netdp_status netdp_i_coalitions_new(int32_t nodes, int32_t pool, int32_t **member, int64_t *count,
                                    netdp_error *error);

/* The losses towards a coalition; count 0: towards each observer by itself. */
typedef netdp_status (*netdp_i_asking)(void *context, const int32_t *member, int32_t count,
                                       const netdp_progress *progress, netdp_losses **losses,
                                       netdp_error *error);

/* Coalitions of `pool` of the nodes, and who is asked about each. */
typedef struct netdp_i_pools {
    int32_t nodes, pool;
    bool alone; /* one after the other: `ask` has state, or takes the threads itself */
    netdp_i_asking ask;
    void *context;
} netdp_i_pools;

/* Are all coalitions of the size few enough to be asked about? */
bool netdp_i_pools_all(int32_t nodes, int32_t pool);

/* Each observer's largest over all coalitions that it belongs to; NETDP_NO_ANSWER: they are too many. */
netdp_status netdp_i_pools_largest(const netdp_i_pools *pools, const netdp_progress *progress,
                                   netdp_losses **losses, netdp_error *error);

/* Of all coalitions of the size, the one that leaves somebody hidden among the fewest in a graph of pairs. */
struct netdp_i_hiding;
netdp_status netdp_i_pools_hiding(const netdp_graph *pairs, int32_t pool,
                                  struct netdp_i_hiding *hiding, netdp_error *error);

/* netdp_losses_new of observers who pool their views with any others: request->pool is above 1. */
netdp_status netdp_i_losses_pooled(const netdp_loss_request *request,
                                   const netdp_progress *progress, netdp_losses **losses,
                                   netdp_error *error);

/* The rounds of one observer on a basis of its own. */
netdp_status netdp_i_losses_on_basis(const netdp_loss_request *request, netdp_bound bound,
                                     const struct netdp_i_basis *basis,
                                     const struct netdp_i_observer *observer,
                                     const netdp_i_sources *of, const netdp_progress *progress,
                                     netdp_error *error);

/* netdp_losses_each in batches. */
netdp_status netdp_i_losses_each(const netdp_loss_request *request, netdp_i_batch_sink sink,
                                 void *context, const netdp_progress *progress, netdp_error *error);

/* Fills zeroed loss[count][from_count] of observers from `first` on. */
typedef netdp_status (*netdp_i_batch_filler)(void *context, int32_t first, int32_t count,
                                             double *loss, const netdp_progress *progress,
                                             netdp_error *error);

/*
 * All batches from the filler to the sink, with INFINITY where no pair counts; `size` observers
 * each. What a filler of several tells of "observers" is told of all.
 */
netdp_status netdp_i_batches_fill(const netdp_losses *losses, int32_t size,
                                  netdp_i_batch_filler fill, void *account, netdp_i_batch_sink sink,
                                  void *context, const netdp_progress *progress,
                                  netdp_error *error);

/* A sink that keeps all rows: in the netdp_losses * at `context`, NULL before, which is the caller's to free either way. */
netdp_status netdp_i_losses_keep(void *context, const netdp_i_batch *batch, netdp_error *error);

/* The batches of losses that are there. */
netdp_status netdp_i_losses_replay(const netdp_losses *losses, netdp_i_batch_sink sink,
                                   void *context, netdp_error *error);

#endif
